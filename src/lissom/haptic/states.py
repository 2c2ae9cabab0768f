"""From a demonstration to contact states and the changes between them [KH05 §V; docs/theory/haptic.md §10].

A state says what the cable touches: one of its ends, a point of it or a stretch of it, against a face, an edge or a
vertex of a part. The gripper always holds it. A state begins with a change that a force–torque sensor in the gripper
can see: its direction, size and slope are what a robot needs to recognise it.

Nothing chatters: forces are smoothed, what touches must press harder to begin than to go on, and what lasts shorter
than a moment counts as what was there before.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.haptic.planes import FEATURES
from lissom.haptic.recording import Recording

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

SIDES = ("start", "end", "point", "stretch")
NOTHING = -1


@dataclass(frozen=True, slots=True)
class Numbers:
    """When a contact counts."""

    begin: float = 0.15  # N: what presses harder touches,
    cease: float = 0.06  # N: until it presses less than this
    smooth: float = 0.1  # s over which forces are averaged
    least: float = 0.4  # s: what lasts shorter is passed over
    tip: float = 0.04  # of the length: nearer to an end than this the end touches
    stretch: float = 0.12  # of the length: farther apart than this it is a stretch that touches

    def __post_init__(self) -> None:
        if not 0.0 < self.cease < self.begin:
            raise ValueError(f"cease = {self.cease}: must be above 0 and below begin = {self.begin}, in N")
        for name in ("smooth", "least"):
            if not 0.0 < getattr(self, name) < 60.0:
                raise ValueError(f"{name} = {getattr(self, name)}: must be above 0 and below 60, in s")
        for name in ("tip", "stretch"):
            if not 0.0 < getattr(self, name) < 0.5:
                raise ValueError(f"{name} = {getattr(self, name)}: must be above 0 and below 0.5 of the length")


class Contact(NamedTuple):
    """What touches what."""

    side: str  # start, end, point or stretch of the cable
    feature: str  # face, edge or vertex
    part: str

    def __str__(self) -> str:
        return f"{self.side} on {self.feature} of {self.part}"


@dataclass(frozen=True, slots=True)
class State:
    """A stretch of time in which the same things touch. `first` and `last` are samples, the last one included."""

    contacts: tuple[Contact, ...]
    first: int
    last: int
    begins: float  # s
    ends: float
    force: Array  # (3,) mean, N
    torque: Array  # (3,) mean, N m

    @property
    def name(self) -> str:
        return ", ".join(map(str, self.contacts)) or "none"


@dataclass(frozen=True, slots=True)
class Change:
    """From one state to the next, as a sensor in the gripper sees it."""

    time: float  # s
    begins: tuple[Contact, ...]
    ends: tuple[Contact, ...]
    force: Array  # (3,) after less before, N
    torque: Array  # (3,) N m
    direction: Array  # (3,) unit, of the force; zero where there is none
    size: float  # N
    slope: float  # N/s along the direction, at its steepest


@dataclass(frozen=True, slots=True)
class Segments:
    """States, and the changes between them: one fewer."""

    states: tuple[State, ...]
    changes: tuple[Change, ...]

    @property
    def sequence(self) -> tuple[str, ...]:
        """Names of the states, in order."""
        return tuple(state.name for state in self.states)

    def entries(self) -> dict[str, Any]:
        """As plain data."""
        states = [
            {
                "name": k.name, "contacts": [k._asdict() for k in k.contacts], "gripper": True, "begins": k.begins,
                "ends": k.ends, "force": k.force.tolist(), "torque": k.torque.tolist(),
            }
            for k in self.states
        ]  # fmt: skip
        changes = []
        for change in self.changes:
            plain = asdict(change)
            for key in ("force", "torque", "direction"):
                plain[key] = plain[key].tolist()
            for key in ("begins", "ends"):
                plain[key] = [k._asdict() for k in getattr(change, key)]
            changes.append(plain)
        return {"states": states, "changes": changes}


def segment(recording: Recording, numbers: Numbers | None = None) -> Segments:
    """The contact states of a demonstration."""
    given = numbers or Numbers()
    k = len(recording.time)
    dt = float(recording.time[-1] - recording.time[0]) / (k - 1)
    least = max(1, round(given.least / dt))
    columns = [
        of_part(recording, part, given, max(1, round(given.smooth / dt)), least) for part in range(len(recording.parts))
    ]
    codes = np.stack(columns, axis=1) if columns else np.zeros((k, 0), np.int64)
    codes = without_moments(codes, least)
    cuts = [0, *(np.flatnonzero((codes[1:] != codes[:-1]).any(axis=1)) + 1).tolist(), k]
    states = [state_of(recording, codes[first], first, last - 1) for first, last in pairwise(cuts)]
    window = max(1, round(given.smooth / dt))
    changes = [change_of(recording, before, after, window, dt) for before, after in pairwise(states)]
    return Segments(tuple(states), tuple(changes))


def of_part(recording: Recording, part: int, given: Numbers, window: int, least: int) -> Indices:
    """(k,) what touches a part in each sample: side and feature in one number, NOTHING where nothing does."""
    k, length = len(recording.time), recording.length
    mine = recording.touch_part == part
    sample, place = recording.touch_sample[mine], recording.touch_place[mine]
    force = np.linalg.norm(recording.touch_force[mine], axis=1)
    feature = recording.touch_feature[mine]

    def summed(weight: Array) -> Array:
        return smoothed(np.bincount(sample, weights=weight, minlength=k).astype(float), window)

    pressing = summed(force)
    on = held_on(pressing, given.begin, given.cease)
    on = without_short(without_short(on, least, False), least, True)
    share = np.maximum(pressing, 1e-12)
    mean = summed(force * place) / share
    spread = np.sqrt(np.maximum(summed(force * place**2) / share - mean**2, 0.0))
    side = np.full(k, SIDES.index("point"))
    side[mean < given.tip * length] = SIDES.index("start")
    side[mean > (1.0 - given.tip) * length] = SIDES.index("end")
    # a stretch that presses evenly, or at its ends alone, spreads by its length over √12, or over 2
    long = held_on(3.0 * spread, given.stretch * length, 0.7 * given.stretch * length)
    side[long] = SIDES.index("stretch")
    by_feature = np.stack([summed(np.where(feature == f, force, 0.0)) for f in range(len(FEATURES))])
    code = len(FEATURES) * side + np.argmax(by_feature, axis=0)
    return without_moments(np.where(on, code, NOTHING)[:, None], least)[:, 0]


def smoothed(values: Array, window: int) -> Array:
    """Mean over a window about each sample; at the ends over what there is of it."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    k = np.arange(len(values))
    first, last = np.maximum(k - window // 2, 0), np.minimum(k + window - window // 2, len(values))
    return np.asarray((sums[last] - sums[first]) / (last - first))


def held_on(values: Array, begin: float, cease: float) -> Flags:
    """Where a value is high: from when it goes above `begin` until it falls below `cease`."""
    found = np.zeros(len(values), dtype=bool)
    now = False
    for k, value in enumerate(values):
        now = value > (cease if now else begin)
        found[k] = now
    return found


def without_short(on: Flags, least: int, kind: bool) -> Flags:
    """Runs of `kind` shorter than `least` samples become what is around them; those at the ends stay."""
    found = on.copy()
    for first, last in runs(found):
        if found[first] == kind and last - first < least and first > 0 and last < len(found):
            found[first:last] = not kind
    return found


def without_moments(codes: Indices, least: int) -> Indices:
    """Rows that last shorter than `least` samples become those before them; at the beginning, those after."""
    found = codes.copy()
    again = True
    while again:
        again = False
        pieces = list(runs(found))
        for first, last in pieces[1:]:
            if last - first < least and (last < len(found) or len(pieces) > 1):
                found[first:last] = found[first - 1]
                again = True
                break
    pieces = list(runs(found))
    if len(pieces) > 1 and pieces[0][1] < least:
        found[: pieces[0][1]] = found[pieces[0][1]]
    return found


def runs(values: NDArray[Any]) -> Iterable[tuple[int, int]]:
    """(first, beyond the last) of equal rows one after the other."""
    changes = values[1:] != values[:-1]
    if changes.ndim > 1:
        changes = changes.any(axis=1)
    cuts = [0, *(np.flatnonzero(changes) + 1).tolist(), len(values)]
    return pairwise(cuts)


def state_of(recording: Recording, codes: Indices, first: int, last: int) -> State:
    contacts = [
        Contact(SIDES[code // len(FEATURES)], FEATURES[code % len(FEATURES)], recording.parts[part])
        for part, code in enumerate(codes)
        if code != NOTHING
    ]
    own = slice(first, last + 1)
    return State(
        tuple(sorted(contacts, key=lambda k: k.part)), first, last, float(recording.time[first]),
        float(recording.time[last]), recording.force[own].mean(axis=0), recording.torque[own].mean(axis=0),
    )  # fmt: skip


def change_of(recording: Recording, before: State, after: State, window: int, dt: float) -> Change:
    """Means over a window on either side, but not beyond the states."""
    at = after.first
    old = slice(max(before.first, at - 2 * window), max(at - window, before.first + 1))
    new = slice(min(at + window, after.last), min(at + 2 * window, after.last) + 1)
    force = recording.force[new].mean(axis=0) - recording.force[old].mean(axis=0)
    torque = recording.torque[new].mean(axis=0) - recording.torque[old].mean(axis=0)
    size = float(np.linalg.norm(force))
    direction = force / size if size > 0.0 else np.zeros(3)
    around = slice(max(0, at - 2 * window), at + 2 * window + 1)
    along = smoothed(recording.force[around] @ direction, max(1, window // 2))
    slope = float(np.max(np.diff(along), initial=0.0)) / dt
    begins = tuple(k for k in after.contacts if k not in before.contacts)
    ends = tuple(k for k in before.contacts if k not in after.contacts)
    return Change(float(recording.time[at]), begins, ends, force, torque, direction, size, slope)
