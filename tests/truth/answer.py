"""What a simulation hands out, as plain arrays; and what is found wrong with it."""

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from tests.truth.asked import Cable, Held
from tests.truth.turning import Array, logarithm, matrix


@dataclass(frozen=True)
class Violation:
    """One thing that is not as it must be."""

    what: str
    value: float
    bound: float
    where: str

    def __str__(self) -> str:
        return f"{self.what} at {self.where}: {self.value:.3g} > {self.bound:.3g}"


class Verdict(list[Violation]):
    """All violations found; `unchecked` says what could not be looked at."""

    def __init__(self) -> None:
        super().__init__()
        self.unchecked: list[str] = []
        self.strain: dict[str, float] = {}  # the largest share of its bound that each condition uses up

    def require(self, what: str, value: float, bound: float, where: str) -> None:
        """`value` is to be at most `bound`; something that is no number never is."""
        share = value / bound if bound > 0.0 else float("inf") * value
        self.strain[what] = max(self.strain.get(what, 0.0), share)
        if not value <= bound:
            self.append(Violation(what, float(value), float(bound), where))


class Handed(Protocol):
    """A cable as the simulation hands it out."""

    @property
    def s(self) -> Array: ...

    @property
    def quaternions(self) -> Array: ...

    @property
    def force(self) -> Array: ...

    @property
    def moment(self) -> Array: ...

    @property
    def force_before(self) -> Array: ...

    @property
    def moment_before(self) -> Array: ...

    @property
    def reactions(self) -> Any: ...

    @property
    def places(self) -> Any: ...

    positions: Array
    report: Any


@dataclass
class Answer:
    """One cable: what was asked, and what came out."""

    cable: Cable
    s: Array
    x: Array
    R: Array
    n_after: Array  # beyond the last point: zero
    n_before: Array  # before the first point: zero
    m_after: Array
    m_before: Array
    reactions: dict[str, tuple[Array, Array]]
    places: dict[str, float]  # m
    order: int
    force_scale: float = field(init=False)
    moment_scale: float = field(init=False)

    def __post_init__(self) -> None:
        c = self.cable
        weight = float(np.linalg.norm(c.gravity)) * c.make.mass * c.length
        bending = float(np.max(c.make.stiffness))
        loads = max((float(np.linalg.norm(k.force)) for k in c.loads), default=0.0)
        moments = max((float(np.linalg.norm(k.moment)) for k in c.loads), default=0.0)
        inner = float(np.max(np.linalg.norm(self.n_after, axis=1)))
        self.force_scale = max(weight, bending / c.length**2, loads, inner)
        self.moment_scale = max(bending / c.length, moments, float(np.max(np.linalg.norm(self.m_after, axis=1))))

    @property
    def h(self) -> Array:
        return np.diff(self.s)

    def point_of(self, place: float) -> int:
        return int(np.argmin(np.abs(self.s - place)))

    def at(self, i: int) -> str:
        return f"{self.cable.name}[{i}] s={self.s[i]:.4f}"

    def pose_at(self, held: Held) -> tuple[Array, Array]:
        i = self.point_of(self.places[held.name])
        return self.x[i], self.R[i]

    def turns_of_segments(self) -> Array:
        """(segments, 3) rotation vectors from each frame to the next, in body axes."""
        return logarithm(np.swapaxes(self.R[:-1], 1, 2) @ self.R[1:])

    def sampled(self, per: int) -> tuple[Array, Array]:
        """(k,) places and (k, 3) points on the cubic through points and tangents, `per` to a segment."""
        return sampled(self, np.arange(per * len(self.h) + 1) / per)

    def position(self, place: float) -> Array:
        """Of the centre line at s = place."""
        i = int(np.clip(np.searchsorted(self.s, place) - 1, 0, len(self.h) - 1))
        return np.asarray(sampled(self, np.array([i + (place - self.s[i]) / self.h[i]]))[1][0])


def sampled(a: Answer, u: Array) -> tuple[Array, Array]:
    """The cubic at segments + fractions `u`."""
    i = np.clip(u.astype(int), 0, len(a.h) - 1)
    t = u - i
    h, chord = a.h[i], a.x[i + 1] - a.x[i]
    s = a.s[i] + t * h
    t = t[:, None]
    if a.cable.is_rope:  # frames of ropes say nothing
        return s, a.x[i] + t * chord
    length = np.linalg.norm(chord, axis=1)[:, None]
    va, vb = length * a.R[i, :, 2], length * a.R[i + 1, :, 2]
    curve = a.x[i] + t * va + t**2 * (3 * chord - 2 * va - vb) + t**3 * (va + vb - 2 * chord)
    return s, curve


def taken(cable: Cable, handed: Handed) -> Answer:
    """The arrays of one cable, with zero forces beyond its ends."""
    n_after, m_after = np.array(handed.force), np.array(handed.moment)
    n_before, m_before = np.array(handed.force_before), np.array(handed.moment_before)
    n_after[-1], m_after[-1], n_before[0], m_before[0] = 0.0, 0.0, 0.0, 0.0
    length = float(handed.s[-1])
    order = 4 if handed.report.element == "polished" else 2
    return Answer(
        cable,
        np.array(handed.s),
        np.array(handed.positions),
        matrix(handed.quaternions),
        n_after,
        n_before,
        m_after,
        m_before,
        {name: (np.array(k.force), np.array(k.moment)) for name, k in handed.reactions.items()},
        {name: float(k) * length for name, k in handed.places.items()},
        order,
    )
