"""Obstacles near a cable, as planes bound to places on it [KH05 §V.B; docs/theory/haptic.md §8]."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.clearance import clearance
from lissom.geometry.nearest import CORNER, EDGE
from lissom.geometry.primitives import BOTTOM_RIM, TOP_RIM
from lissom.geometry.solids import MESH, Solid
from lissom.geometry.touching import Found, new_found, touching
from lissom.haptic.forces import Planes

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

ROOM = 64
NEAR = 1e-4
"""m: how far off the surface a point of it may be."""
FEATURES = ("face", "edge", "vertex")


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A part as something to touch, where it stands."""

    name: str
    solid: Solid
    rotation: Array  # (3, 3)
    origin: Array  # (3,) m

    def feature_at(self, point: Array) -> str:
        """Face, edge or vertex: what a point of its surface lies on."""
        found, on = new_found(ROOM), np.ascontiguousarray([point, point])
        only = np.array([1, 0])
        count = touching(self.solid, self.rotation, self.origin, on, 0.0, NEAR, only, found)
        if count == 0:
            return FEATURES[0]
        k = int(np.argmin(np.abs(found.distance[:count])))
        return feature_of(self.solid, int(found.feature[k]))


@dataclass(frozen=True, slots=True)
class Touch:
    """A place where the cable presses on a part, now."""

    part: str
    feature: str  # face, edge or vertex
    place: float  # m along the cable
    point: Array  # (3,) m, on the surface
    force: Array  # (3,) N, on the cable


class Surroundings:
    """What a cable can touch. `look` fills the planes of the force model."""

    def __init__(self, obstacles: list[Obstacle], radius: float, stiffness: float) -> None:
        self.obstacles = obstacles
        self.radius, self.stiffness = radius, stiffness
        self._found: Found = new_found(ROOM)
        self._of: list[tuple[int, str]] = []  # of each plane: obstacle, feature
        self._point = np.zeros((0, 3))

    def look(self, x: Array, wanted: Indices, reach: float, planes: Planes) -> None:
        """Planes at all places of the points x (n, 3) whose skin is within `reach` of a part; the nearest where there
        is no room for all. Points with wanted[i] = 0 are in a gripper, and touch nothing.
        """
        rows: list[tuple[float, int, int]] = []  # gap, obstacle, row of what was found there
        kept: list[Found] = []
        for number, obstacle in enumerate(self.obstacles):
            found = self._ask(obstacle, x, wanted, self.radius + reach)
            kept.append(found)
            rows += [(float(found.distance[k]), number, k) for k in range(len(found.t))]
        rows.sort(key=lambda k: k[0])
        rows = rows[: len(planes.t)]
        self._of.clear()
        self._point = np.zeros((len(rows), 3))
        for j, (_, number, k) in enumerate(rows):
            found = kept[number]
            planes.segment[j], planes.t[j] = found.segment[k], found.t[k]
            planes.normal[j] = found.normal[k]
            planes.origin[j] = found.y[k] + self.radius * found.normal[k]
            planes.stiffness[j] = self.stiffness
            planes.force[j] = 0.0
            self._point[j] = found.y[k]
            self._of.append((number, feature_of(self.obstacles[number].solid, int(found.feature[k]))))
        planes.used[0] = len(rows)

    def deepest(self, x: Array, wanted: Indices) -> tuple[float, str]:
        """How deep the line through the points x is in a part, m, and in which; 0 where it is in none."""
        found = [(-clearance(k.solid, k.rotation, k.origin, x, wanted)[0], k.name) for k in self.obstacles]
        return max([(0.0, ""), *found])

    def _ask(self, obstacle: Obstacle, x: Array, wanted: Indices, cutoff: float) -> Found:
        while True:
            count = touching(
                obstacle.solid, obstacle.rotation, obstacle.origin, x, self.radius, cutoff, wanted, self._found
            )
            if count <= len(self._found.t):
                return first_rows(self._found, count)
            self._found = new_found(2 * count)

    def touches(self, planes: Planes, h: float) -> list[Touch]:
        """What presses now, in order along the cable; `h` is the length of a segment, m."""
        found: list[Touch] = []
        for j in np.flatnonzero(planes.force[: planes.used[0]] > 0.0):
            number, feature = self._of[j]
            place = float(planes.segment[j] + planes.t[j]) * h
            force = planes.force[j] * planes.normal[j]
            found.append(Touch(self.obstacles[number].name, feature, place, self._point[j].copy(), force))
        return sorted(found, key=lambda k: k.place)


def first_rows(found: Found, count: int) -> Found:
    """A copy of what was found."""
    return Found(
        found.segment[:count].copy(), found.t[:count].copy(), found.y[:count].copy(), found.normal[:count].copy(),
        found.distance[:count].copy(), found.curvature[:count].copy(), found.edge[:count].copy(),
        found.feature[:count].copy(),
    )  # fmt: skip


def feature_of(solid: Solid, number: int) -> str:
    """Face, edge or vertex: a rim of a cylinder is an edge, all other round things are faces."""
    if solid.kind != MESH:
        return "edge" if number in (TOP_RIM, BOTTOM_RIM) else "face"
    code = number % 8
    return "face" if code < EDGE else "edge" if code < CORNER else "vertex"
