"""What a cable sweeps: the shapes that span it, its closed mesh, and how near it comes to parts that stand still."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.sweeps import Swept, number
from lissom.geometry.clearance import distances
from lissom.geometry.envelope import envelope, sheet
from lissom.geometry.solids import Solid
from lissom.geometry.thinning import silent
from lissom.rods.bodies import matrix
from lissom.scene import Scene, SectionProperties
from lissom.scene.placing import mounts
from lissom.simulation import Simulation

Array = NDArray[np.float64]
Distance = Callable[[Array], Array]
"""Of points (n, 3) from something, m."""

FINEST: Final = 0.02
"""Part of the radius to which the distance to a part is found."""
FAR: Final = 1e3
"""m: nothing is looked for beyond."""
MOST_BETWEEN: Final = 50
"""Shapes put between two neighbours of a grid."""


@dataclass(frozen=True, slots=True)
class Room:
    """How near the swept volume of a cable comes to a part that stands still."""

    cable: str
    part: str
    distance: float  # m; negative where it reaches into it


def swept_mesh(
    scene: Scene, swept: Swept, cable: str, tell: Callable[[float], object] = silent
) -> tuple[Array, NDArray[np.int64]]:
    """Vertices (v, 3), m, and triangles (t, 3) of the volume; `tell` hears which part of the work is done."""
    tell(0.0)
    radius = SectionProperties.of(scene.type_of(cable)).radius
    vertices, triangles, _ = envelope(spanning(swept, cable, radius), radius, tell)
    return vertices, triangles


def with_volume(scene: Scene, swept: Swept) -> list[str]:
    """Cables that have a radius, and a position that is certified."""
    return [
        cable.name
        for cable in scene.cables
        if SectionProperties.of(scene.type_of(cable)).radius > 0.0
        and any(cable.name in k.cables for k in swept.readings)
    ]


def spanning(swept: Swept, cable: str, radius: float) -> list[Array]:
    """Runs of shapes: along the way, and across a grid from row to row, so near that no slit stays between them."""
    runs = swept.runs(cable)
    if not any(k.cable == cable for k in swept.snaps):
        for a, b in rows(swept, cable):
            apart = float(np.linalg.norm(b - a, axis=-1).max())
            count = min(math.ceil(apart / radius), MOST_BETWEEN)
            runs += [(1.0 - u) * a + u * b for u in np.arange(1, count) / max(count, 1)]
            runs += list(np.stack([a, b], axis=1))  # so that the sides are smooth, too
    return runs


def rows(swept: Swept, cable: str) -> Iterator[tuple[Array, Array]]:
    """Pairs of neighbouring rows of a grid of several joints, (n, points, 3) each; of other sweeps none."""
    joints = list(swept.readings[0].settings) if swept.readings else []
    if len(joints) < 2 or swept.readings[0].time is not None or swept.readings[0].name:
        return
    values = [sorted({number(k.settings[j]) for k in swept.readings}) for j in joints]
    if math.prod(len(k) for k in values) != sum(not k.back for k in swept.readings):
        return
    known: dict[tuple[int, ...], Array] = {}
    for reading, shapes in zip(swept.readings, swept.shapes, strict=True):
        if cable in reading.cables:
            place = tuple(v.index(number(reading.settings[j])) for j, v in zip(joints, values, strict=True))
            known[place] = shapes[cable]
    counts = [len(k) for k in values]
    for axis in range(len(joints) - 1):
        for start in itertools.product(*(range(k) for k in counts[:-1])):
            there = [k + (i == axis) for i, k in enumerate(start)]
            both = [(known.get((*start, j)), known.get((*there, j))) for j in range(counts[-1])]
            pairs = [(a, b) for a, b in both if a is not None and b is not None and len(a) == len(b)]
            if there[axis] < counts[axis] and len(pairs) == counts[-1]:
                yield np.array([a for a, _ in pairs]), np.array([b for _, b in pairs])


def rooms(scene: Scene, swept: Swept) -> Iterator[Room]:
    """For each cable with a radius, and each part that no joint or motion moves and that the cable may touch."""
    simulation = Simulation(scene)
    for cable in map(scene.cable, with_volume(scene, swept)):
        radius = SectionProperties.of(scene.type_of(cable)).radius
        on = {part for part, _ in mounts(scene, cable)}
        triangles = np.concatenate([sheet(k) for k in spanning(swept, cable.name, radius)]).reshape(-1, 3, 3)
        for part in standing(scene):
            solid = simulation.solid(part)
            if solid is None or part in on or part in cable.ignore or not cable.collide:
                continue
            position, quaternion = (np.array(k) for k in simulation.pose(part))
            away = partial(from_solid, solid, matrix(quaternion), position)
            yield Room(cable.name, part, nearest(triangles, away, FINEST * radius) - radius)


def from_solid(solid: Solid, rotation: Array, position: Array, points: Array) -> Array:
    found = np.full(len(points), FAR)
    distances(solid, rotation, position, np.ascontiguousarray(points), found)
    return found


def standing(scene: Scene) -> list[str]:
    """Parts that nothing moves."""
    moved = {k.part for k in scene.joints} | {t.part for m in scene.motions for t in m.tracks}
    moved |= {k.name for k in scene.parts if k.motion == "free"}
    while more := {k.name for k in scene.parts if k.parent in moved} - moved:
        moved |= more
    return [k.name for k in scene.parts if k.name not in moved]


def nearest(triangles: Array, away: Distance, finest: float) -> float:
    """The least distance of triangles (t, 3, 3) from something: the larger ones are cut while they may be nearer."""
    best = math.inf
    while len(triangles):
        middle = triangles.mean(axis=1)
        reach = np.linalg.norm(triangles - middle[:, None, :], axis=2).max(axis=1)
        d = away(middle)
        best = min(best, float(d.min()))
        triangles = triangles[(d - reach < best - finest) & (reach > finest)]
        a, b, c = (triangles[:, k] for k in range(3))
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        triangles = np.concatenate([np.stack(k, axis=1) for k in parts])
    return best
