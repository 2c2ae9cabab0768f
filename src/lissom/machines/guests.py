"""Parts that ropes may come to lie on though their paths do not name them: from a scene to arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from lissom.exchange.meshfiles import part_mesh
from lissom.machines.hanging import hang
from lissom.machines.meeting import EDGED, ROUND, WHEEL, Guests, look
from lissom.machines.placed import Placed
from lissom.machines.ropes import Links, Ropes
from lissom.scene import Problem, Scene, SceneError
from lissom.scene.part import Part
from lissom.scene.shape import BoxShape, CapsuleShape, CylinderShape, ProfileShape, SphereShape

Array = NDArray[np.float64]

PRISM = 48
"""Sides of a cylinder that a rope meets more along its axis than across."""


def read_guests(scene: Scene, placed: Mapping[str, Placed], ropes: Ropes, links: Links) -> Guests:
    """The solids that links wait for which are not in the path; as they wait, they have their frames."""
    n = len(links.kind)
    solids = [np.zeros((0, 3))] * n
    edges = [np.zeros((0, 2), dtype=np.int64)] * n
    faces = [np.zeros((0, 4))] * n
    kind = np.zeros(n, dtype=np.int64)
    half, radius, grown, reach = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    for r, rope in enumerate(scene.ropes):
        for g in range(ropes.last[r], ropes.room[r]):
            part = scene.parts[links.part[g]]
            on, shape = placed[part.name], part.shape
            links.centre[g] = on.offset
            links.e1[g], links.e2[g], links.axis[g] = on.turn.T
            links.around[g] = 1.0
            grown[g] = 0.5 * rope.diameter
            if part.mesh is None and isinstance(shape, SphereShape | CapsuleShape | CylinderShape):
                kind[g] = WHEEL if isinstance(shape, CylinderShape) else ROUND
                radius[g] = shape.outer
                half[g] = 0.0 if isinstance(shape, SphereShape) else 0.5 * shape.length
                reach[g] = radius[g] + half[g]
            else:
                kind[g] = EDGED
            if kind[g] != ROUND:
                solids[g], edges[g], faces[g] = _corners(scene, part)
                reach[g] = max(reach[g], float(np.linalg.norm(solids[g], axis=1).max()))
    begins = np.cumsum([0, *(len(k) for k in solids)])
    joins = np.cumsum([0, *(len(k) for k in edges)])
    sides = np.cumsum([0, *(len(k) for k in faces)])
    most = int((ropes.room - ropes.last).max(initial=0))
    return Guests(
        kind, half, radius, grown, reach, links.centre.copy(), links.e1.copy(), links.e2.copy(), links.axis.copy(),
        np.concatenate([*solids, np.zeros((0, 3))]), begins[:-1].copy(), begins[1:].copy(),
        np.concatenate([*(k + b for k, b in zip(edges, begins, strict=False)), np.zeros((0, 2), dtype=np.int64)]),
        joins[:-1].copy(), joins[1:].copy(), np.concatenate([*faces, np.zeros((0, 4))]), sides[:-1].copy(),
        sides[1:].copy(), np.ones((n, most), dtype=np.int64),
    )  # fmt: skip


def _corners(scene: Scene, part: Part) -> tuple[Array, NDArray[np.int64], Array]:
    """Corners of the convex hull of a solid, in its axes, which of them have an edge in common, and its faces."""
    shape = part.shape
    if part.mesh is not None:
        points = np.asarray(part_mesh(scene, part).vertices, dtype=float)
    elif isinstance(shape, BoxShape):
        points = 0.5 * np.array(shape.size) * np.array(list(product((-1.0, 1.0), repeat=3)))
    else:
        assert isinstance(shape, CylinderShape | ProfileShape)
        turns = np.linspace(0.0, 2.0 * math.pi, PRISM, endpoint=False)
        if isinstance(shape, CylinderShape):
            rim = shape.outer * np.column_stack((np.cos(turns), np.sin(turns)))
        else:
            rim = np.array(shape.corners)
        points = np.vstack([np.column_stack((rim, np.full(len(rim), z * shape.length))) for z in (-0.5, 0.5)])
    found = ConvexHull(points)
    kept = np.unique(found.simplices)
    sides = np.searchsorted(kept, found.simplices)
    pairs = np.sort(np.concatenate([sides[:, [0, 1]], sides[:, [1, 2]], sides[:, [2, 0]]]), axis=1)
    faces = np.unique(np.round(found.equations, 12), axis=0) * [1.0, 1.0, 1.0, -1.0]
    return points[kept], np.unique(pairs, axis=0), np.ascontiguousarray(faces)


def with_room(links: Links, guests: Guests) -> Array:
    """All corners, with room for those of the cuts that are yet to be made; writes where that of each link begins."""
    count = len(links.corners)
    for g in np.flatnonzero(guests.kind):
        links.corner_first[g], links.corner_last[g] = count, count + 1
        count += max(2, int(guests.edge_last[g] - guests.edge_first[g]))
    return np.concatenate([links.corners, np.zeros((count - len(links.corners), 4))])


def check_clear(scene: Scene, ropes: Ropes, links: Links, guests: Guests) -> None:
    """A rope is clear of what it may come to lie on."""
    for r, rope in enumerate(scene.ropes):
        for i in range(ropes.first[r], ropes.last[r]):
            k = int(links.next[i])
            if not links.active[i] or k < 0:
                continue
            p, q = (tuple(end[i].tolist()) for end in (links.start, links.end))
            count = hang(links.curve, p, q, float(links.rest[i]), scene.gravity)
            for g in range(ropes.last[r], ropes.room[r]):
                if links.part[g] in (links.part[i], links.part[k]) or look(links, guests, g, count)[0] < 0:
                    continue
                name, one, two = (scene.parts[links.part[j]].name for j in (g, i, k))
                message = (
                    f"must be clear of the rope at the beginning: its span from {one} to {two} runs through {name}; "
                    "move one of them, or name it in the path"
                )
                raise SceneError([Problem(f"{rope.name}.meets", name, message, *scene.source("ropes", r, "meets"))])
