"""One cable as the solver wants it: numbers, supports and loads along an arc length.

Nothing here knows of files or of the grid. `lissom.rods.reading` makes a Line from a scene's cable.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NO_DIRECTION = 0  # ball, ring: the cable may point anywhere
TANGENT = 1  # swivel, sleeve: the tangent is held, the roll is free
FRAME = 2  # clamp: the whole frame is held


class Support(NamedTuple):
    """Something that holds the cable at one place."""

    name: str
    kind: str  # clamp, ball, swivel, ring, sleeve
    place: float  # arc length, m; where it slides: the present guess
    position: tuple[float, float, float]
    holds: tuple[bool, bool, bool] = (True, True, True)  # world axes along which it holds the position
    direction: int = NO_DIRECTION
    quaternion: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)  # of the held frame, if any
    turn: float = 0.0  # rad of twist since the first clamp: what continuation winds up from zero
    slides: bool = False

    def moved(self, position: tuple[float, float, float], quaternion: tuple[float, float, float, float]) -> "Support":
        """The same with another pose."""
        return Support(
            self.name,
            self.kind,
            self.place,
            position,
            self.holds,
            self.direction,
            quaternion,
            self.turn,
            self.slides,
        )

    @property
    def tangent(self) -> Array:
        w, x, y, z = self.quaternion
        return np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])


@dataclass(frozen=True, slots=True)
class PointLoad:
    place: float  # m
    force: tuple[float, float, float] = (0.0, 0.0, 0.0)  # N, world
    moment: tuple[float, float, float] = (0.0, 0.0, 0.0)  # N m
    turns: bool = False  # the moment turns with the frame


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the cable with constant properties."""

    start: float  # m
    end: float  # m
    stiffness: tuple[float, float, float]  # bending about d1, about d2, torsion, N m²
    mass: float  # kg/m
    compliance: float = 0.0  # 1/EA, 1/N


@dataclass(frozen=True, slots=True)
class RestShape:
    """Rest strain (κ1, κ2, τ) along the cable: piecewise linear between the given places."""

    places: Array = field(default_factory=lambda: np.array([0.0]))  # (k,) m
    strains: Array = field(default_factory=lambda: np.zeros((1, 3)))  # (k, 3) 1/m

    def at(self, s: Array) -> Array:
        return np.stack([np.interp(s, self.places, self.strains[:, k]) for k in range(3)], axis=-1)

    @property
    def largest(self) -> float:
        return float(np.linalg.norm(self.strains, axis=1).max())


@dataclass(frozen=True)
class Line:
    """A whole cable."""

    name: str
    length: float  # m
    segments: int  # at least; every support, load and change of type gets a point of its own
    pieces: tuple[Piece, ...]  # in order, without gaps
    supports: tuple[Support, ...]  # in order of place
    loads: tuple[PointLoad, ...] = ()
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    rest: RestShape = field(default_factory=RestShape)
    initial: Array | None = None  # (k, 3) points of a first guess
    adaptive: bool = False  # whether the solver may use more segments than asked for

    @cached_property
    def bending(self) -> float:
        """Largest bending stiffness, N m²."""
        return max(max(p.stiffness[0], p.stiffness[1]) for p in self.pieces)

    @cached_property
    def is_rope(self) -> bool:
        return self.bending == 0.0

    @cached_property
    def is_extensible(self) -> bool:
        return any(p.compliance > 0.0 for p in self.pieces)

    @cached_property
    def weight(self) -> float:
        """Total weight, N."""
        return float(np.linalg.norm(self.gravity)) * sum(p.mass * (p.end - p.start) for p in self.pieces)

    @cached_property
    def force_scale(self) -> float:
        """max(EI/L², wL, largest load): what residuals are measured against, N."""
        loads = [float(np.linalg.norm(load.force)) for load in self.loads]
        loads += [float(np.linalg.norm(load.moment)) / self.length for load in self.loads]
        scale = max([self.bending / self.length**2, self.weight, *loads])
        if scale == 0.0:  # a weightless unloaded rope: any force is large
            return 1.0
        return scale

    def with_supports(self, supports: tuple[Support, ...]) -> "Line":
        """The same, held otherwise; what is known of it already does not depend on that."""
        other = object.__new__(Line)
        other.__dict__.update(self.__dict__, supports=supports)
        return other

    def with_places(self, places: dict[int, float]) -> "Line":
        """The same with sliding supports at other places (by their number)."""
        moved = list(self.supports)
        for k, place in places.items():
            moved[k] = moved[k]._replace(place=place)
        return replace(self, supports=tuple(moved))

    def with_slides_of(self, old: "Line", before: Array, now: Array) -> "Line":
        """The same with sliding supports where those of the same name came to rest, if they keep their order.

        `before` are places (m) along the old cable, `now` where these are on this one.
        """
        rested = {k.name: float(np.interp(k.place, before, now)) for k in old.supports if k.slides}
        places = {n: rested[k.name] for n, k in enumerate(self.supports) if k.slides and k.name in rested}
        found = self.with_places(places)
        return found if np.all(np.diff([k.place for k in found.supports]) > 0.0) else self
