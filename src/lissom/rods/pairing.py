"""Contacts of cables with each other and with themselves."""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.pairs import Lines, Pairs, near_pairs, new_pairs
from lissom.geometry.passing import NEVER, Way, first_passing
from lissom.rods.contacts import NO_LINK, Contacts, other_places
from lissom.rods.smooth import whole_turn

if TYPE_CHECKING:
    from lissom.rods.surroundings import Skin

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# Two places of one cable can touch if they are farther apart along it than this many radii, and segments.
SELF_RADII = 6.0
SELF_SEGMENTS = 3.0
# Skins farther apart than this many of the smallest radius are not looked at: what comes nearer is seen in time,
# because no step takes one centre line through another.
BAND_RADII = 1.0
# A step leads no deeper than until the centre lines are this part of the radii apart; from there, by this part of it.
DEEPEST = 0.5
SHALLOW = 0.1
# Dips nearer to a pin than this (segments) are at that pin.
PINNED = 0.02
# Places within so many radii of supports of both cables (two diameters) cannot give way.
HELD_RADII = 4.0


@dataclass(slots=True)
class Pairing:
    """All the cables of a system; those that collide and have a radius touch each other."""

    skins: "list[Skin]"
    band: float = field(init=False)  # m: gaps up to this are seen
    _lines: Lines = field(init=False)
    _held: Array = field(init=False)  # (all,) m: along the cable to the nearest support
    _room: Pairs = field(init=False)

    def __post_init__(self) -> None:
        sizes = [len(k.s) for k in self.skins]
        touch = [number for number, k in enumerate(self.skins) if k.collide and k.radius > 0.0]
        self._lines = Lines(
            np.zeros((sum(sizes), 3)),
            np.concatenate([k.s for k in self.skins]) if self.skins else np.zeros(0),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.array([k.radius for k in self.skins]),
            np.array([max(SELF_RADII * k.radius, SELF_SEGMENTS * float(np.diff(k.s).max())) for k in self.skins]),
            np.array(touch, dtype=np.int64),
            np.zeros(len(self.skins), dtype=np.int64),
            np.zeros(sum(sizes), dtype=np.int64),
            np.zeros(sum(sizes), dtype=np.int64),
            np.zeros((0, 2), dtype=np.int64),
            np.zeros((0, 2)),
        )
        self.band = BAND_RADII * min((self.skins[k].radius for k in touch), default=math.inf)
        far = [np.abs(k.s[:, None] - k.s[k.held]).min(axis=1, initial=np.inf) for k in self.skins]
        self._held = np.concatenate(far) if far else np.zeros(0)
        self._room = new_pairs(64)

    @property
    def any(self) -> bool:
        return len(self._lines.touch) > 0

    def begin(self) -> None:
        """Another solve: which minima are told follows from the last look alone."""
        self._lines.had[:] = 0

    def near(self, points: list[Array], beyond: float | None = None) -> Contacts:
        """Contacts with gaps up to `beyond` (m); up to the band without it."""
        lines = self._lines
        if not self.any:
            return Contacts.none()
        np.concatenate(points, out=lines.points)
        for c in lines.touch:  # a curve that comes back to itself turns by more (Fenchel)
            lines.turns[c] = whole_turn(points[c]) > math.pi
        if len(lines.touch) == 1 and not lines.turns.any():
            return Contacts.none()
        count = self._looked(self.band if beyond is None else beyond, dips=False)
        return self._written(self._found(count)) if count else Contacts.none()

    def _looked(self, beyond: float, dips: bool) -> int:
        """How many pairs there are, in the room."""
        lines = self._lines
        has = lines.has.copy()
        while True:
            count = near_pairs(lines, beyond, dips, self._room)
            if count <= len(self._room.distance):
                return count
            self._room = new_pairs(2 * count)
            lines.has[:] = has

    def _found(self, count: int) -> Pairs:
        return Pairs._make(values[:count] for values in self._room)

    def pin(self, points: list[Array], depth: float) -> bool:
        """Pins where cables overlap by more than `depth` (m) though no place that touches does; False if nowhere."""
        if not self.any:
            return False
        lines = self._lines
        np.concatenate(points, out=lines.points)
        count = self._looked(0.0, dips=True)
        if count == 0:
            return False
        room = self._found(count)
        deep = lines.radius[room.cable].sum(axis=1) - room.distance > depth
        deep &= ~self._near_held(room, lines.radius[room.cable])
        for k in np.flatnonzero(deep):
            same = (lines.pin_cable == room.cable[k]).all(axis=1)
            deep[k] = not (np.abs(lines.pin_place - room.place[k])[same] < PINNED).all(axis=1).any()
        self._pin(np.vstack([lines.pin_cable, room.cable[deep]]), np.vstack([lines.pin_place, room.place[deep]]))
        return bool(deep.any())

    def overlap(self, points: list[Array], depth: float) -> bool:
        """Whether two cables, not one with itself, overlap by more than `depth` (m)."""
        c = self.near(points)
        if bool(((c.link != c.other) & (c.gap < -depth)).any()):
            return True
        self.pin(points, depth)
        pinned = self._lines.pin_cable
        return bool((pinned[:, 0] != pinned[:, 1]).any())

    def keep(self, c: Contacts) -> None:
        """Pins that no longer press are taken out; those of contacts between the points of their cables stay."""
        place = np.stack([c.place, other_places(c)], axis=1)
        kept = (c.other != NO_LINK) & ~c.inside & (c.force > 0.0) & (place[:, 0] != np.round(place[:, 0]))
        self._pin(np.stack([c.link, c.other], axis=1)[kept], place[kept])

    def _pin(self, cable: Indices, place: Array) -> None:
        self._lines = self._lines._replace(pin_cable=cable.copy(), pin_place=place.copy())

    def _written(self, room: Pairs) -> Contacts:
        c = Contacts.empty(len(room.distance))
        radius = self._lines.radius[room.cable]
        c.link[:], c.other[:] = room.cable[:, 0], room.cable[:, 1]
        c.segment[:], c.other_segment[:] = room.segment[:, 0], room.segment[:, 1]
        c.t[:], c.other_t[:] = room.t[:, 0], room.t[:, 1]
        c.lean[:], c.other_lean[:] = room.lean[:, 0], room.lean[:, 1]
        c.along[:], c.other_along[:] = room.along[:, 0], room.along[:, 1]
        c.bend[:], c.other_bend[:] = room.bend[:, 0], room.bend[:, 1]
        c.inside[:], c.other_inside[:] = room.runs[:, 0] == 1, room.runs[:, 1] == 1
        both = radius.sum(axis=1)
        c.normal[:], c.gap[:] = room.normal, room.distance - both
        c.distance[:] = np.maximum(room.distance - DEEPEST * both, SHALLOW * room.distance)
        c.point[:] = room.point + radius[:, 1, None] * room.normal
        near = np.maximum(room.distance, 1e-3 * both)  # where centre lines cross there is no normal anyway
        c.curvature[:] = (np.eye(3) - c.normal[:, :, None] * c.normal[:, None, :]) / near[:, None, None]
        c.spot[:, 0] = 0.1 * room.place[:, 1]
        held = self._near_held(room, radius)
        return c.where(~held) if held.any() else c

    def _near_held(self, room: Pairs, radius: Array) -> NDArray[np.bool_]:
        """Places so near to supports of both cables that they cannot give way."""
        first = self._lines.first[room.cable]
        last = self._lines.first[room.cable + 1] - 2
        at = np.minimum(first + room.place.astype(np.int64), last)
        part = room.place - (at - first)
        far = (1.0 - part) * self._held[at] + part * self._held[at + 1]
        return np.asarray((far < HELD_RADII * radius.mean(axis=1)[:, None]).all(axis=1))

    def passing(self, before: list[Array], after: list[Array]) -> float:
        """The part of the way, 0 … 1, at which cables first pass through each other; NEVER if they do not."""
        if not self.any:
            return NEVER
        lines = self._lines
        points = np.concatenate(before), np.concatenate(after)
        way = Way(*points, lines.first, lines.touch, lines.radius, self._held, HELD_RADII)
        return float(first_passing(way))
