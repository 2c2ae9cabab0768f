"""With what a solid touches another: its corners, its sharp edges, or what runs through the middle of it.

Two solids that touch do so at a corner of one on a face of the other, or where edges of both cross. So it is enough to
ask for the corners and edges of each how far they are from the surface of the other. A sphere is a corner with a
radius, a capsule an edge with one. A cylinder is a prism, but for what is round. A half space has neither: it is only
touched.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.solids import CAPSULE, CYLINDER, MESH, SPHERE, Solid, mesh_solid

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

ROUND = 64  # sides of the prism that a cylinder is for what is sharp: off by 1.2e-3 of its radius


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
    """What a solid feels with; a cylinder must be `faceted`."""
    none = np.zeros((0, 3))
    if solid.kind == MESH:
        return mesh_feelers(solid)
    if solid.kind == SPHERE:
        return plain_feelers(np.zeros((1, 3)), none, none, float(solid.size[0]))
    if solid.kind == CAPSULE:
        top = np.array([[0.0, 0.0, solid.size[1]]])
        return plain_feelers(np.concatenate([top, -top]), -top, top, float(solid.size[0]))
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


def faceted(solid: Solid) -> Solid:
    """A cylinder as a prism of triangles, with its corners on the rims; anything else as it is.

    What is sharp sinks into the rim of a true cylinder by two ways at once, to the side and along the axis, and neither
    is the way out. Edges of a mesh know theirs.
    """
    if solid.kind != CYLINDER:
        return solid
    radius, half = float(solid.size[0]), float(solid.size[1])
    angle = 2.0 * math.pi * np.arange(ROUND) / ROUND
    top = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(ROUND, half)])
    i = np.arange(ROUND)
    j = (i + 1) % ROUND
    lid = np.column_stack([np.zeros(ROUND - 2, np.int64), i[1:-1], i[2:]])
    sides = np.concatenate([np.column_stack([i + ROUND, j + ROUND, j]), np.column_stack([i + ROUND, j, i])])
    triangles = np.concatenate([lid, lid[:, ::-1] + ROUND, sides])
    return mesh_solid(np.concatenate([top, top * (1.0, 1.0, -1.0)]), triangles, True)
