"""With what a solid touches another: its corners, its sharp edges, or what runs through the middle of it.

Two solids that touch do so at a corner of one on a face of the other, or where edges of both cross. So it is enough to
ask for the corners and edges of each how far they are from the surface of the other. A sphere is a corner with a
radius, a capsule an edge with one. A half space has neither: it is only touched.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.solids import CAPSULE, CYLINDER, MESH, SPHERE, Solid

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

ROUND = 64  # points on the rim of a cylinder: it is a prism where its rim or side touches, off by 1.2e-3 of its radius


class Feelers(NamedTuple):
    """Points and segments of a solid in its own axes; f: feeler, points first."""

    points: Array  # (p, 3) m
    starts: Array  # (s, 3) m
    ends: Array  # (s, 3) m
    radius: float  # m, of all of them
    vertex: Indices  # (p,) number of the vertex of a mesh; else −1
    half_edge: Indices  # (s,) number of the half edge of a mesh; else −1

    @property
    def reach(self) -> float:
        """m: how far from its origin the solid touches."""
        both = np.concatenate([self.points, self.starts, self.ends])
        return float(np.sqrt((both**2).sum(axis=1)).max(initial=0.0)) + self.radius


def feelers(solid: Solid) -> Feelers:
    """What a solid feels with."""
    none = np.zeros((0, 3))
    if solid.kind == MESH:
        return mesh_feelers(solid)
    if solid.kind == SPHERE:
        return plain_feelers(np.zeros((1, 3)), none, none, float(solid.size[0]))
    if solid.kind == CAPSULE:
        top = np.array([[0.0, 0.0, solid.size[1]]])
        return plain_feelers(np.concatenate([top, -top]), -top, top, float(solid.size[0]))
    if solid.kind == CYLINDER:
        return cylinder_feelers(float(solid.size[0]), float(solid.size[1]))
    return plain_feelers(none, none, none, 0.0)


def plain_feelers(points: Array, starts: Array, ends: Array, radius: float) -> Feelers:
    return Feelers(points, starts, ends, radius, np.full(len(points), -1), np.full(len(starts), -1))


def mesh_feelers(solid: Solid) -> Feelers:
    """Corners that stick out, and edges that something outside can touch."""
    tips = solid.triangles[solid.tip == 1]
    triangle, side = np.nonzero(solid.ridge == 1)
    starts = solid.triangles[triangle, side]
    ends = solid.triangles[triangle, (side + 1) % 3]
    return Feelers(
        solid.vertices[tips], solid.vertices[starts], solid.vertices[ends], 0.0, tips, 3 * triangle + side
    )  # fmt: skip


def cylinder_feelers(radius: float, half: float) -> Feelers:
    angle = 2.0 * math.pi * np.arange(ROUND) / ROUND
    top = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(ROUND, half)])
    bottom = top * (1.0, 1.0, -1.0)
    return plain_feelers(
        np.concatenate([top, bottom]),
        np.concatenate([top, bottom, bottom]),
        np.concatenate([np.roll(top, -1, axis=0), np.roll(bottom, -1, axis=0), top]),
        0.0,
    )
