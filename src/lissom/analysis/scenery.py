"""What stands around a cable, as surfaces to draw: parts, and the other cables.

Everything becomes triangles, in millimetres and world axes. A half space is a square so large that a picture shows
no end of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.along import Array, directors
from lissom.exchange import part_mesh, shape_mesh
from lissom.rods.result import CableResult
from lissom.scene import Scene, SectionProperties
from lissom.scene.part import Part
from lissom.scene.placing import Poses, part_poses
from lissom.scene.shape import BoxShape, CapsuleShape, CylinderShape, PlaneShape, ProfileShape, SphereShape

Indices = NDArray[np.int64]

# Half the side of what stands for an endless plane, m.
ENDLESS: Final = 1e4
# Facets around a round thing, and rings on a half sphere.
ROUND: Final = 48
RINGS: Final = 10
# Sides of another cable.
SIDES: Final = 16


@dataclass(frozen=True, slots=True)
class Thing:
    """A rigid part or another cable, as triangles in world axes."""

    name: str
    vertices: Array  # (v, 3) mm
    triangles: Indices  # (t, 3) anticlockwise seen from outside
    closed: bool  # has an inside, which is not looked at
    plane: bool = False
    cable: bool = False
    collide: bool = True

    @property
    def normal(self) -> Array:
        """(3,) of the first triangle: of a plane, the way out of it."""
        a, b, c = self.vertices[self.triangles[0]]
        normal = np.cross(b - a, c - a)
        return np.asarray(normal / np.linalg.norm(normal))

    def feet(self, x: Array) -> Array:
        """The points x (mm) dropped onto the plane."""
        normal = self.normal
        return np.asarray(x - ((x - self.vertices[self.triangles[0, 0]]) @ normal)[:, None] * normal)


def scenery(scene: Scene, poses: Poses | None = None, cables: Sequence[CableResult] = ()) -> tuple[Thing, ...]:
    """All parts with a surface, where they stand, and the cables. Reads mesh files: a SceneError if that fails."""
    where = poses or part_poses(scene)
    things: list[Thing] = []
    for part in scene.parts:
        if part.shape is None and part.mesh is None:
            continue
        vertices, triangles, closed = surface(scene, part)
        position, quaternion = where[part.name]
        world = vertices @ directors(np.array([quaternion]))[0].T + np.array(position)
        plane = isinstance(part.shape, PlaneShape)
        things.append(Thing(part.name, 1000.0 * world, triangles, closed, plane, collide=part.collide))
    return (*things, *(tube(scene, result) for result in cables))


def surface(scene: Scene, part: Part) -> tuple[Array, Indices, bool]:
    """Vertices in m in the part's axes, triangles, and whether they enclose something."""
    shape = part.shape
    if isinstance(shape, PlaneShape):
        corners = ENDLESS * np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], dtype=float)
        return corners, np.array([(0, 1, 2), (0, 2, 3)], dtype=np.int64), False
    if isinstance(shape, BoxShape | ProfileShape):
        return (*shape_mesh(shape), True)
    if isinstance(shape, SphereShape):
        return (*turned(half_sphere(shape.outer, 0.0)), True)
    if isinstance(shape, CapsuleShape):
        return (*turned(half_sphere(shape.outer, 0.5 * shape.length)), True)
    if isinstance(shape, CylinderShape):
        half = 0.5 * shape.length
        return (*turned(np.array([(0.0, -half), (shape.outer, -half), (shape.outer, half), (0.0, half)])), True)
    mesh = part_mesh(scene, part)
    return mesh.vertices, mesh.triangles, mesh.closed


def half_sphere(radius: float, half: float) -> Array:
    """(r, z) from the lower end to the upper one of a capsule whose straight part is 2 `half` long."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 2 * RINGS + 1)
    r, z = radius * np.cos(angle), radius * np.sin(angle)
    r[[0, -1]] = 0.0
    lower, upper = np.arange(len(r)) <= RINGS, np.arange(len(r)) >= (RINGS if half > 0.0 else RINGS + 1)
    return np.stack([np.append(r[lower], r[upper]), np.append(z[lower] - half, z[upper] + half)], axis=1)


def turned(outline: Array) -> tuple[Array, Indices]:
    """The surface that (r, z) from bottom to top makes when turned about z; each end is on the axis."""
    angle = 2.0 * np.pi * np.arange(ROUND) / ROUND
    r, z = outline[1:-1, 0], outline[1:-1, 1]
    rings = np.stack(
        [np.outer(r, np.cos(angle)), np.outer(r, np.sin(angle)), np.repeat(z[:, None], ROUND, axis=1)], axis=2
    ).reshape(-1, 3)
    count = len(r)
    poles = np.array([(0.0, 0.0, outline[0, 1]), (0.0, 0.0, outline[-1, 1])])
    first, last = len(rings), len(rings) + 1
    i = np.arange(ROUND)
    j = (i + 1) % ROUND
    top = (count - 1) * ROUND
    caps = [np.stack([np.full(ROUND, first), j, i], axis=1), np.stack([np.full(ROUND, last), top + i, top + j], axis=1)]
    sides = [quads(k * ROUND + i, k * ROUND + j, (k + 1) * ROUND + j, (k + 1) * ROUND + i) for k in range(count - 1)]
    return np.concatenate([rings, poles]), np.concatenate([*caps, *sides])


def quads(a: Indices, b: Indices, c: Indices, d: Indices) -> Indices:
    """Two triangles for each quadrilateral."""
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def tube(scene: Scene, result: CableResult) -> Thing:
    """A cable as others see it: round, as thick as its own type."""
    radius = SectionProperties.of(scene.type_of(result.name)).radius
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    ring = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    frames = directors(result.quaternions)[:, :, :2]
    points = result.positions[:, None, :] + np.einsum("pij,sj->psi", frames, ring)
    i = np.arange(SIDES)
    j = (i + 1) % SIDES
    rows = [
        quads(k * SIDES + i, k * SIDES + j, (k + 1) * SIDES + j, (k + 1) * SIDES + i) for k in range(len(points) - 1)
    ]
    return Thing(result.name, 1000.0 * points.reshape(-1, 3), np.concatenate(rows), True, cable=True)


# ---- cutting to what is in sight -----------------------------------------------------------------------------------


def in_sight(thing: Thing, low: Array, high: Array) -> tuple[Array, Indices]:
    """Vertices and triangles of those that reach into the box."""
    corners = thing.vertices[thing.triangles]
    seen = np.all((corners.max(axis=1) >= low) & (corners.min(axis=1) <= high), axis=1)
    used, triangles = np.unique(thing.triangles[seen], return_inverse=True)
    return thing.vertices[used], triangles.reshape(-1, 3)


def thinned(vertices: Array, triangles: Indices, most: int) -> tuple[Array, Indices]:
    """At most so many triangles: vertices that share a cell of a grid become one, in ever larger cells."""
    if len(triangles) <= most:
        return vertices, triangles
    low = vertices.min(axis=0)
    cell = float(np.ptp(vertices, axis=0).max()) / (2.0 * np.sqrt(most))
    while True:
        steps = np.floor((vertices - low) / cell).astype(np.int64)
        across = steps.max(axis=0) + 1
        _, number = np.unique((steps[:, 0] * across[1] + steps[:, 1]) * across[2] + steps[:, 2], return_inverse=True)
        count = np.bincount(number)
        small = number[triangles]
        a, b, c = small.T
        small = small[(a != b) & (b != c) & (c != a)]
        if len(small) <= 1.2 * most:  # some are the same
            _, kept = np.unique(np.sort(small, axis=1), axis=0, return_index=True)
            small = small[np.sort(kept)]
        if len(small) <= most:
            return np.stack([np.bincount(number, vertices[:, k]) / count for k in range(3)], axis=1), small
        cell *= 1.25


def clipped(corners: Array, low: Array, high: Array) -> Array:
    """Triangles (t, 3, 3), cut off at the sides of the box."""
    for axis in range(3):
        for sign, bound in ((1.0, low[axis]), (-1.0, -high[axis])):
            corners = cut(corners, sign * corners[:, :, axis] - bound)
    return corners


def cut(corners: Array, height: Array) -> Array:
    """The pieces of triangles (t, 3, 3) where the height (t, 3) of their corners is positive."""
    above = height >= 0.0
    count = above.sum(axis=1)
    pieces = [corners[count == 3]]
    for wanted in (1, 2):
        some = np.flatnonzero(count == wanted)
        odd = np.argmax(above[some] == (wanted == 1), axis=1)  # the corner that is alone on its side
        order = (odd[:, None] + np.arange(3)) % 3
        p = corners[some[:, None], order]
        h = height[some[:, None], order]
        a, b, c = p[:, 0], p[:, 1], p[:, 2]
        ab = a + (h[:, 0] / (h[:, 0] - h[:, 1]))[:, None] * (b - a)
        ac = a + (h[:, 0] / (h[:, 0] - h[:, 2]))[:, None] * (c - a)
        if wanted == 1:
            pieces.append(np.stack([a, ab, ac], axis=1))
        else:
            pieces += [np.stack([ab, b, c], axis=1), np.stack([ab, c, ac], axis=1)]
    return np.concatenate(pieces)


def divided(corners: Array, longest: float) -> Array:
    """The same surface in triangles (t, 3, 3) without a side longer than this: they can be sorted by depth."""
    done: list[Array] = []
    while len(corners):
        sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
        small = sides.max(axis=1) <= longest
        done.append(corners[small])
        corners, sides = corners[~small], sides[~small]
        order = (np.argmax(sides, axis=1)[:, None] + np.arange(3)) % 3
        p = corners[np.arange(len(corners))[:, None], order]
        middle = 0.5 * (p[:, 0] + p[:, 1])
        corners = np.concatenate(
            [np.stack([p[:, 0], middle, p[:, 2]], axis=1), np.stack([middle, p[:, 1], p[:, 2]], axis=1)]
        )
    return np.concatenate(done) if done else corners
