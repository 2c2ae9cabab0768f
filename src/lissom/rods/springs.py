"""The columns of contacts in the Newton system: their normals, and springs for what is curved.

The gap of a contact is the smallest along the cable: g = min over u of d(x(u)). With H the Hessian of the distance d,
x' = dx/du and a = x'·H x' + N·x'', its second derivative along a motion δ of the cable is

    δ·H δ − (v·δ)²/a,   v·δ = N·δ' + (H x')·δ                                       [docs/theory/contact.md (8)]

δ being the motion of the place itself: the second term is how the place runs along the cable. Times −λ, each term is a
spring; one column each.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from lissom.rods.border import Terms
from lissom.rods.contacts import NO_LINK, Contacts

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# A segment runs along what it touches if a falls below this, in units of |e|²·|H|: its ends then touch, not its inside.
ALONG = 1e-6


@dataclass(slots=True)
class Places:
    """Directions at places of cables, gathered into columns. p: place."""

    link: Indices  # (p,)
    segment: Indices  # (p,)
    t: Array  # (p,)
    direction: Array  # (p, 3)
    column: Indices  # (p,)

    @classmethod
    def of(cls, c: Contacts, contact: Indices, direction: Array, column: Indices) -> Self:
        """+direction at the contacts' places on their cables a, −direction on their cables b."""
        pair = np.flatnonzero(c.other[contact] != NO_LINK)
        both = contact[pair]
        half, back = 0.5 * direction, -0.5 * direction[pair]
        return cls(
            np.concatenate([c.link[contact], c.link[contact], c.other[both], c.other[both]]),
            np.concatenate([*c.segment[contact].T, *c.other_segment[both].T]),
            np.concatenate([*c.t[contact].T, *c.other_t[both].T]),
            np.concatenate([half, half, back, back]),
            np.concatenate([column, column, column[pair], column[pair]]),
        )

    def numbered(self, column: int) -> Self:
        """The same, all in one column."""
        return type(self)(self.link, self.segment, self.t, self.direction, np.full(len(self.link), column))

    def on(self, link: int, column: Indices) -> Terms:
        """Those on one link, with other numbers for their columns."""
        mine = self.link == link
        return Terms(column[mine], self.segment[mine], self.t[mine], np.ascontiguousarray(self.direction[mine]))


@dataclass(slots=True)
class Columns:
    """The border besides the runs: a column per contact, then one per spring. k: column."""

    places: Places
    give: Array  # (k,) E: 1/ρ of a contact, 1/τ of a spring of stiffness τ
    error: Array  # (k,) c: the gap, m; 0 for a spring
    contacts: int  # how many are contacts

    @property
    def stiff(self) -> int:
        """Springs with positive stiffness: each adds one negative eigenvalue to the border."""
        return int(np.count_nonzero(self.give[self.contacts :] > 0.0))


def columns(c: Contacts, rubbing: Array, hardness: float, weak: float) -> Columns:
    """Normals of all contacts; springs, not weaker than `weak` (N/m), of those that press.

    `rubbing` (c, 3, 3) is the stiffness of friction, N/m.
    """
    every = np.arange(len(c))
    places = [Places.of(c, every, c.normal, every)]
    give = [np.full(len(c), 1.0 / hardness)]
    count = len(c)
    acting = np.flatnonzero((c.force > 0.0) & (c.link != NO_LINK))  # those of parts: system.py
    curvature, force = c.curvature[acting], c.force[acting]
    values, vectors = np.linalg.eigh(rubbing[acting] - force[:, None, None] * curvature)
    for k in range(3):
        strong = np.flatnonzero(np.abs(values[:, k]) > weak)
        number = count + np.arange(len(strong))
        places.append(Places.of(c, acting[strong], vectors[strong, :, k], number))
        give.append(1.0 / values[strong, k])
        count += len(strong)
    for contact in acting[c.inside[acting] | c.other_inside[acting]]:
        for direction, stiffness in running(c, int(contact)):
            if abs(stiffness) > weak:
                places.append(direction.numbered(count))
                give.append(np.array([1.0 / stiffness]))
                count += 1
    joined = Places(
        np.concatenate([k.link for k in places]),
        np.concatenate([k.segment for k in places]),
        np.concatenate([k.t for k in places]),
        np.concatenate([k.direction for k in places]),
        np.concatenate([k.column for k in places]),
    )
    gives = np.concatenate(give)
    error = np.zeros(len(gives))
    error[: len(c)] = c.gap
    return Columns(joined, gives, error, len(c))


def running(c: Contacts, k: int) -> list[tuple[Places, float]]:
    """How a contact's place runs along its cables: columns v and stiffnesses λ/a of one contact.

    Where two cables cross, both places run, and a is a 2×2 matrix: its eigenvectors give the columns.
    """
    H, N = c.curvature[k], c.normal[k]
    ways: list[tuple[Array, float, int, Indices, Array]] = []  # (dx/du, sense, link, segments, shares)
    lean = float(c.lean[k])
    if c.inside[k]:
        ways.append((c.along[k], 1.0, int(c.link[k]), c.segment[k], np.array([1.0 - lean, lean])))
    if c.other_inside[k]:
        ways.append((c.other_along[k], -1.0, int(c.other[k]), c.other_segment[k], np.array([0.5, 0.5])))
    A = np.array([[sa * sb * float(ea @ H @ eb) for eb, sb, *_ in ways] for ea, sa, *_ in ways])
    A[0, 0] += float(c.bend[k])
    values, vectors = np.linalg.eigh(A)
    least = ALONG * max(float(e @ e) for e, *_ in ways) * max(float(np.abs(H).max()), 1e-300)
    found: list[tuple[Places, float]] = []
    for value, mix in zip(values, vectors.T, strict=True):
        if value <= least:
            continue  # the cable runs along what it touches
        bent = sum((part * sense * (H @ e) for part, (e, sense, *_) in zip(mix, ways, strict=True)), np.zeros(3))
        whole = Places.of(c, np.array([k]), bent[None], np.zeros(1, np.int64))
        links, segments, ts, directions = [whole.link], [whole.segment], [whole.t], [whole.direction]
        for part, (_, sense, link, segment, shares) in zip(mix, ways, strict=True):
            for s, part_of in zip(segment, shares, strict=True):
                links.append(np.array([link, link]))
                segments.append(np.array([s, s]))
                ts.append(np.array([1.0, 0.0]))
                directions.append(part * sense * part_of * np.array([N, -N]))
        places = Places(
            np.concatenate(links), np.concatenate(segments), np.concatenate(ts), np.concatenate(directions),
            np.zeros(sum(len(p) for p in links), np.int64),
        )  # fmt: skip
        found.append((places, float(c.force[k]) / float(value)))
    return found
