"""Contacts of cables with what they touch, and of parts with parts: the list, its multipliers, how they carry over."""

from dataclasses import dataclass, fields
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.nearest import row
from lissom.geometry.triples import dot
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

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


class Seats(NamedTuple):
    """Where contacts sit on cables, as `Contacts` has it."""

    link: Indices
    segment: Indices
    t: Array
    other: Indices
    other_segment: Indices
    other_t: Array


@dataclass(slots=True)
class Contacts:
    """Places where a cable is near something. c: contact; `a` is the cable, `b` a second cable or nothing.

    Where two parts are near each other the one that touches, the feeler, takes the place of the cable a.
    """

    link: Indices  # (c,) number of the cable a, NO_LINK for a part
    segment: Indices  # (c, 2) the place is the mean of two places of the polyline [smooth.py]
    t: Array  # (c, 2) fractions of the segments
    lean: Array  # (c,) how its motion along the cable is shared between the two
    other: Indices  # (c,) number of the cable b, NO_LINK for a part
    other_segment: Indices  # (c, 2)
    other_t: Array  # (c, 2)
    part: Indices  # (c,) number of the part, −1 for a cable
    point: Array  # (c, 3) on the surface touched, m
    normal: Array  # (c, 3) from what is touched to the cable a
    gap: Array  # (c,) m, radii taken off: negative where they overlap
    distance: Array  # (c,) m from the centre line of a to the surface; between cables, how far they may near each other
    curvature: Array  # (c, 3, 3) Hessian of the gap with respect to the place on the cable a, 1/m
    along: Array  # (c, 3) along the cable a, m: how the place moves with its parameter
    bend: Array  # (c,) m: the normal part of the second derivative
    inside: NDArray[np.bool_]  # (c,) the place can run along the cable
    other_lean: Array  # (c,)
    other_along: Array  # (c, 3) along the cable b, m
    other_bend: Array  # (c,) m
    other_inside: NDArray[np.bool_]  # (c,)
    friction: Array  # (c,) coefficient μ; 0 where nothing is known of the past
    force: Array  # (c,) λ: N along the normal, on the cable a
    drag: Array  # (c, 3) friction force on the cable a, N
    reference: Array  # (c, 3) where the place would be, had it stuck, m
    feeler: Indices  # (c,) number of the part that touches the other, where no cable does; else NO_PART
    feeler_place: Array  # (c, 3) of a part's feeler, m
    spot: (
        Array  # (c, 3) the same in its axes, or where on the cable b, in units within which it may be the one of before
    )
    edge: Array  # (c, 3) unit direction of the edge that a sharp edge of a part crosses; else zero
    watched: NDArray[np.bool_]  # (c,) the place is looked at because the cable dipped into the part there

    def __len__(self) -> int:
        return len(self.gap)

    @classmethod
    def none(cls) -> Self:
        return cls.empty(0)

    @classmethod
    def empty(cls, count: int) -> Self:
        index, pair = np.zeros(count, dtype=np.int64), np.zeros((count, 2), dtype=np.int64)
        number, vector = np.zeros(count), np.zeros((count, 3))
        flag = np.zeros(count, dtype=bool)
        return cls(
            link=index.copy(), segment=pair.copy(), t=np.zeros((count, 2)), lean=np.full(count, 0.5),
            other=index + NO_LINK, other_segment=pair.copy(), other_t=np.zeros((count, 2)), part=index - 1,
            point=vector.copy(), normal=vector.copy(), gap=number.copy(), distance=number.copy(),
            curvature=np.zeros((count, 3, 3)), along=vector.copy(), bend=number.copy(), inside=flag.copy(),
            other_lean=np.full(count, 0.5), other_along=vector.copy(), other_bend=number.copy(),
            other_inside=flag.copy(), friction=number.copy(), force=number.copy(),
            drag=vector.copy(), reference=vector.copy(), feeler=index + NO_PART, feeler_place=vector.copy(),
            spot=vector.copy(), edge=vector.copy(), watched=flag.copy(),
        )  # fmt: skip

    @property
    def place(self) -> Array:
        """(c,) along the cable a, in segments."""
        return np.asarray(0.5 * (self.segment[:, 0] + self.segment[:, 1] + self.t[:, 0] + self.t[:, 1]))

    @property
    def arc_place(self) -> Array:
        """(c,) the same as i + u on the arcs of the smooth cable [smooth.py]."""
        arc = 0.5 + self.segment[:, 0] + self.t[:, 0]
        return np.where(self.segment[:, 0] == self.segment[:, 1], arc, self.segment[:, 1] + self.lean)

    def where(self, chosen: "Indices | NDArray[np.bool_]") -> Self:
        """The contacts chosen by a mask or by numbers."""
        return type(self)(*(getattr(self, f.name)[chosen] for f in fields(self)))

    @classmethod
    def joined(cls, lists: list[Self]) -> Self:
        if len(lists) < 2:
            return lists[0] if lists else cls.none()
        return cls(*(np.concatenate([getattr(k, f.name) for k in lists]) for f in fields(cls)))

    @property
    def rubs(self) -> bool:
        """Whether friction acts anywhere."""
        return bool(self.friction.any())

    @property
    def seats(self) -> Seats:
        return Seats(self.link, self.segment, self.t, self.other, self.other_segment, self.other_t)

    def inherit(self, before: Self) -> None:
        """Takes the forces of the contacts of before. Each is given to one; where two have become one, they add up."""
        if len(self) and len(before):
            keys, old_keys = keys_of(self, before)
            order = np.argsort(old_keys, kind="stable")
            carry_over(
                keys, self._where, self.normal, self.force,
                old_keys, order, before._where, before.normal, before.force,
            )  # fmt: skip

    @property
    def _where(self) -> Array:
        """(c, 4) along the cable, in segments, and on the feeler."""
        scale = np.where(self.other == NO_LINK, 1.0, BOTH_RUN)
        return np.column_stack([scale * self.place, self.spot])


def keys_of(*lists: Contacts) -> list[Indices]:
    """Per list (c,): a number for what touches what."""
    columns = [np.concatenate([getattr(k, name) for k in lists]) + 1 for name in ("link", "other", "part", "feeler")]
    keys = np.zeros(len(columns[0]), dtype=np.int64)
    for values in columns:
        keys = keys * (int(values.max(initial=0)) + 1) + values
    return np.split(keys, np.cumsum([len(k) for k in lists])[:-1])


@inline
def likeness(
    where: Array, normal: Array, i: int, old_where: Array, old_normal: Array, j: int
) -> float:  # fmt: skip
    """How far contact i is from the old contact j: less for those more alike; inf where they are not the same."""
    if abs(where[i, 0] - old_where[j, 0]) >= SAME_PLACE:
        return np.inf
    far = 0.0
    for k in range(1, where.shape[1]):
        far = max(far, abs(where[i, k] - old_where[j, k]))
    far += abs(where[i, 0] - old_where[j, 0])
    cosine = dot(row(normal, i), row(old_normal, j))
    return far + 1.0 - cosine if far < SAME_PLACE and cosine > SAME_NORMAL else np.inf


@kernel
def carry_over(
    key: Indices, where: Array, normal: Array, force: Array, old_key: Indices, order: Indices, old_where: Array,
    old_normal: Array, old_force: Array,
) -> None:  # fmt: skip
    """Fills `force`: pairs of new and old contacts that may be the same find each other, the nearest first.

    `order` sorts the old ones by their keys.
    """
    news, olds = len(force), len(old_force)
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
            found = likeness(where, normal, i, old_where, old_normal, j)
            if found < np.inf:
                pair[count, 0], pair[count, 1], cost[count] = i, j, found
                count += 1
                if found < least[j]:
                    best[j], least[j] = i, found
    given, taken = np.zeros(news, np.bool_), np.zeros(olds, np.bool_)
    for k in np.argsort(cost[:count], kind="mergesort"):
        i, j = pair[k, 0], pair[k, 1]
        if not given[i] and not taken[j]:
            force[i] = old_force[j]
            given[i], taken[j] = True, True
    for j in range(olds):
        if not taken[j] and old_force[j] > 0.0 and least[j] < MERGED:
            force[best[j]] += old_force[j]


def places(c: Contacts, points: list[Array]) -> Array:
    """(c, 3) m: where the cables' places are, those of the cables b taken off."""
    found = np.zeros((len(c), 3))
    for number, x in enumerate(points):
        add_places(c.seats, number, x, found)
    return found


@kernel
def add_places(seats: Seats, link: int, x: Array, found: Array) -> None:
    for c in range(len(seats.link)):
        for k in range(2):
            if seats.link[c] == link:
                s, t = seats.segment[c, k], seats.t[c, k]
                for l in range(3):
                    found[c, l] += 0.5 * (x[s, l] + t * (x[s + 1, l] - x[s, l]))
            if seats.other[c] == link:
                s, t = seats.other_segment[c, k], seats.other_t[c, k]
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
