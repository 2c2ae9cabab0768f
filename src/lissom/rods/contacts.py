"""Contacts of cables with what they touch, and of parts with parts: the list, its multipliers, how they carry over."""

from collections.abc import Mapping
from typing import Any, Generic, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, dot
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]
Rows = NDArray[Any]  # of ROW, below
Values = TypeVar("Values")

NO_LINK = -1
NO_PART = -1

# A contact is the one of before if it is on the same pair, no farther along than this (segments), and its normal
# has turned by no more than acos of this.
SAME_PLACE = 1.2
SAME_NORMAL = 0.5
# Between cables both places may run: such a contact is still the same three segments on.
BOTH_RUN = 0.3
# Two contacts have become one if they are nearer than this (segments, plus 1 − cos of the angle).
MERGED = 0.1


class Field(Generic[Values]):
    """A field of all contacts of a list, as an array: a view of their rows, or what is written there."""

    def __init__(self, kind: type, *shape: int) -> None:
        self.kind, self.shape = kind, shape

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, c: "Contacts", owner: type | None = None) -> Values:
        return cast(Values, c.rows[self.name])

    def __set__(self, c: "Contacts", values: Values) -> None:
        c.rows[self.name] = values


class Contacts:
    """Places where a cable is near something. c: contact; `a` is the cable, `b` a second cable or nothing.

    Where two parts are near each other the one that touches, the feeler, takes the place of the cable a. Each contact
    is one row of one array: a list of them is made, chosen from and handed to a kernel at once.
    """

    __slots__ = ("rows",)
    rows: Rows  # (c,) ROW

    link = Field[Indices](int)  # (c,) number of the cable a, NO_LINK for a part
    segment = Field[Indices](int, 2)  # (c, 2) the place is the mean of two places of the polyline [smooth.py]
    t = Field[Array](float, 2)  # (c, 2) fractions of the segments
    lean = Field[Array](float)  # (c,) how its motion along the cable is shared between the two
    other = Field[Indices](int)  # (c,) number of the cable b, NO_LINK for a part
    other_segment = Field[Indices](int, 2)  # (c, 2)
    other_t = Field[Array](float, 2)  # (c, 2)
    part = Field[Indices](int)  # (c,) number of the part, NO_PART for a cable
    point = Field[Array](float, 3)  # (c, 3) on the surface touched, m
    normal = Field[Array](float, 3)  # (c, 3) from what is touched to the cable a
    gap = Field[Array](float)  # (c,) m, radii taken off: negative where they overlap
    # (c,) m from the centre line of a to the surface; between cables, how far they may near each other
    distance = Field[Array](float)
    curvature = Field[Array](float, 3, 3)  # (c, 3, 3) Hessian of the gap with respect to the place on the cable a, 1/m
    along = Field[Array](float, 3)  # (c, 3) along the cable a, m: how the place moves with its parameter
    bend = Field[Array](float)  # (c,) m: the normal part of the second derivative
    inside = Field[Flags](bool)  # (c,) the place can run along the cable
    other_lean = Field[Array](float)  # (c,)
    other_along = Field[Array](float, 3)  # (c, 3) along the cable b, m
    other_bend = Field[Array](float)  # (c,) m
    other_inside = Field[Flags](bool)  # (c,)
    friction = Field[Array](float)  # (c,) coefficient μ; 0 where nothing is known of the past
    force = Field[Array](float)  # (c,) λ: N along the normal, on the cable a
    drag = Field[Array](float, 3)  # (c, 3) friction force on the cable a, N
    reference = Field[Array](float, 3)  # (c, 3) where the place would be, had it stuck, m
    feeler = Field[Indices](int)  # (c,) number of the part that touches the other, where no cable does; else NO_PART
    feeler_place = Field[Array](float, 3)  # (c, 3) of a part's feeler, m
    # (c, 3) the same in its axes, or where on the cable b, in units within which it may be the one of before
    spot = Field[Array](float, 3)
    edge = Field[Array](float, 3)  # (c, 3) unit direction of the edge that a sharp edge of a part crosses; else zero
    watched = Field[Flags](bool)  # (c,) the place is looked at because the cable dipped into the part there

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def none(cls) -> Self:
        return cls.empty(0)

    @classmethod
    def empty(cls, count: int) -> Self:
        return cls(np.repeat(BLANK, count))

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """From one array per field; ValueError where one has another shape or kind than it must."""
        found = cls.empty(len(arrays["gap"]))
        for name in ROW.names or ():
            view = found.rows[name]
            if view.shape != arrays[name].shape or view.dtype != arrays[name].dtype:
                raise ValueError(f"contacts: {name} is {arrays[name].dtype}{arrays[name].shape}")
            view[...] = arrays[name]
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """One array per field."""
        return {name: self.rows[name].copy() for name in ROW.names or ()}

    @property
    def place(self) -> Array:
        """(c,) along the cable a, in segments."""
        return np.asarray(0.5 * (self.segment[:, 0] + self.segment[:, 1] + self.t[:, 0] + self.t[:, 1]))

    @property
    def arc_place(self) -> Array:
        """(c,) the same as i + u on the arcs of the smooth cable [smooth.py]."""
        arc = 0.5 + self.segment[:, 0] + self.t[:, 0]
        return np.where(self.segment[:, 0] == self.segment[:, 1], arc, self.segment[:, 1] + self.lean)

    def where(self, chosen: Indices | Flags) -> Self:
        """The contacts chosen by a mask or by numbers."""
        return type(self)(self.rows[chosen])

    def pressed(self, force: Array) -> Self:
        """The same contacts under other forces (c,), N."""
        same = type(self)(self.rows.copy())
        same.force = force
        return same

    @classmethod
    def joined(cls, lists: list[Self]) -> Self:
        if len(lists) < 2:
            return lists[0] if lists else cls.none()
        return cls(np.concatenate([k.rows for k in lists]))

    @property
    def rubs(self) -> bool:
        """Whether friction acts anywhere."""
        return bool(any_rubs(self.rows))

    def inherit(self, before: Self) -> None:
        """Takes the forces of the contacts of before. Each is given to one; where two have become one, they add up."""
        if len(self.rows) and len(before.rows):
            carry_over(self.rows, before.rows)


ROW = np.dtype([(k.name, k.kind, k.shape) for k in vars(Contacts).values() if isinstance(k, Field)], align=True)
BLANK = np.zeros(1, ROW)
BLANK["other"], BLANK["part"], BLANK["feeler"] = NO_LINK, NO_PART, NO_PART
BLANK["lean"] = BLANK["other_lean"] = 0.5


@kernel
def any_rubs(rows: Rows) -> bool:
    found = False
    for row in rows:
        found = found or row.friction != 0.0
    return found


@inline
def place_of(rows: Rows, c: int) -> float:
    """Along the cable a, in segments."""
    row = rows[c]
    return float(0.5 * (row.segment[0] + row.segment[1] + row.t[0] + row.t[1]))


@inline
def normal_of(rows: Rows, c: int) -> Vector:
    n = rows[c].normal
    return (n[0], n[1], n[2])


@inline
def likeness(rows: Rows, i: int, old: Rows, j: int) -> float:
    """How far contact i is from the old contact j: less for those more alike; inf where they are not the same."""
    scale = 1.0 if rows[i].other == NO_LINK else BOTH_RUN
    along = abs(scale * place_of(rows, i) - scale * place_of(old, j))
    if along >= SAME_PLACE:
        return np.inf
    far = 0.0
    for k in range(3):
        far = max(far, abs(rows[i].spot[k] - old[j].spot[k]))
    far += along
    cosine = dot(normal_of(rows, i), normal_of(old, j))
    return far + 1.0 - cosine if far < SAME_PLACE and cosine > SAME_NORMAL else np.inf


@kernel
def keys_of(rows: Rows, old: Rows) -> tuple[Indices, Indices]:
    """Per list (c,): a number for what touches what."""
    most = np.zeros(4, np.int64)
    for k in range(2):
        for row in rows if k == 0 else old:
            most[0] = max(most[0], row.link + 1)
            most[1] = max(most[1], row.other + 1)
            most[2] = max(most[2], row.part + 1)
            most[3] = max(most[3], row.feeler + 1)
    key, old_key = np.empty(len(rows), np.int64), np.empty(len(old), np.int64)
    for k in range(2):
        out = key if k == 0 else old_key
        for c, row in enumerate(rows if k == 0 else old):
            number = (row.link + 1) * (most[1] + 1) + row.other + 1
            number = number * (most[2] + 1) + row.part + 1
            out[c] = number * (most[3] + 1) + row.feeler + 1
    return key, old_key


@kernel
def carry_over(rows: Rows, old: Rows) -> None:
    """Fills the forces: pairs of new and old contacts that may be the same find each other, the nearest first."""
    news, olds = len(rows), len(old)
    key, old_key = keys_of(rows, old)
    order = np.argsort(old_key, kind="mergesort")
    sorted_key = old_key[order]
    first = np.searchsorted(sorted_key, key)
    room = 0
    for i in range(news):
        j = first[i]
        while j < olds and sorted_key[j] == key[i]:
            room += 1
            j += 1
    pair = np.empty((room, 2), np.int64)
    cost = np.empty(room)
    count = 0
    best = np.full(olds, -1)
    least = np.full(olds, np.inf)
    for i in range(news):
        at = first[i]
        while at < olds and sorted_key[at] == key[i]:
            j = order[at]
            at += 1
            found = likeness(rows, i, old, j)
            if found < np.inf:
                pair[count, 0], pair[count, 1], cost[count] = i, j, found
                count += 1
                if found < least[j]:
                    best[j], least[j] = i, found
    given, taken = np.zeros(news, np.bool_), np.zeros(olds, np.bool_)
    for k in np.argsort(cost[:count], kind="mergesort"):
        i, j = pair[k, 0], pair[k, 1]
        if not given[i] and not taken[j]:
            rows[i].force = old[j].force
            given[i], taken[j] = True, True
    for j in range(olds):
        if not taken[j] and old[j].force > 0.0 and least[j] < MERGED:
            rows[best[j]].force += old[j].force


@kernel
def largest_pushes(rows: Rows, found: Array) -> None:
    """Fills (links,) N: the largest force of the contacts of each link."""
    for row in rows:
        for link in (row.link, row.other):
            if link != NO_LINK:
                found[link] = max(found[link], row.force)


@kernel
def worst_gaps(rows: Rows) -> tuple[float, float]:
    """The deepest penetration, and the widest gap across which a force acts, m."""
    deepest = widest = 0.0
    for row in rows:
        deepest = max(deepest, -row.gap)
        if row.force > 0.0:
            widest = max(widest, row.gap)
    return deepest, widest


@kernel
def augmented(rows: Rows, soft: float) -> float:
    """J: the augmented Lagrangian of the gaps, with springs of the stiffness `soft` (N/m)."""
    total = 0.0
    for row in rows:
        pressed = max(row.force - soft * row.gap, 0.0)
        total += pressed * pressed - row.force * row.force
    return total / (2.0 * soft)


@kernel
def first_hit(rows: Rows, moved: Array) -> float:
    """The part of the ways `moved` (c, 3) after which the first contact has come all its distance nearer; inf: none."""
    part = np.inf
    for c in range(len(rows)):
        nearing = -dot(normal_of(rows, c), (moved[c, 0], moved[c, 1], moved[c, 2]))
        if nearing > 0.0 and rows[c].distance > 0.0:
            part = min(part, rows[c].distance / nearing)
    return part


def places(c: Contacts, points: list[Array]) -> Array:
    """(c, 3) m: where the cables' places are, those of the cables b taken off."""
    found = np.zeros((len(c), 3))
    for number, x in enumerate(points):
        add_places(c.rows, number, x, found)
    return found


@kernel
def add_places(rows: Rows, link: int, x: Array, found: Array) -> None:
    for c in range(len(rows)):
        row = rows[c]
        for k in range(2):
            if row.link == link:
                s, t = row.segment[k], row.t[k]
                for l in range(3):
                    found[c, l] += 0.5 * (x[s, l] + t * (x[s + 1, l] - x[s, l]))
            if row.other == link:
                s, t = row.other_segment[k], row.other_t[k]
                for l in range(3):
                    found[c, l] -= 0.5 * (x[s, l] + t * (x[s + 1, l] - x[s, l]))


def other_places(c: Contacts) -> Array:
    """(c,) of contacts along the cables b, in segments."""
    s, t = c.other_segment, c.other_t
    return np.asarray(0.5 * (s[:, 0] + s[:, 1] + t[:, 0] + t[:, 1]))


def on_polyline(x: Array, segment: Indices, t: Array) -> Array:
    """(c, 3) the means of pairs of places (c, 2) of a polyline; also of values given at its points."""
    f = t[:, :, None] if x.ndim == 2 else t
    both = x[segment] + f * (x[segment + 1] - x[segment])
    return np.asarray(0.5 * (both[:, 0] + both[:, 1]))
