"""Which way the surface under each node of a tree looks: cones of normals.

A place y of the surface is nearest to x only if x − y lies among the normals at y: of its face, or between those of
the faces at its edge or vertex. A node whose cone holds all of these has no nearest place for any x in a ball that
it does not look at [JC01].
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.nearest import length, row, unit
from lissom.geometry.tree import Tree
from lissom.geometry.triples import Vector, add, dot, sub
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

SLACK = 0.06  # rad: normals of contacts may lean out of the cone by that much [places.LEAN]


@kernel
def grow_cones(tree: Tree, triangles: Indices, twin: Indices, first: Indices, star: Indices, normal: Array) -> None:
    """Fills tree.cone, from the leaves up."""
    for node in range(len(tree.first) - 1, -1, -1):  # children come after their parent
        start = tree.first[node]
        if tree.leaf[node] > 0:
            axis, angle = cone_of(start, triangles, twin, first, star, normal)
            for t in range(start + 1, start + tree.leaf[node]):
                other, wide = cone_of(t, triangles, twin, first, star, normal)
                axis, angle = joined(axis, angle, other, wide)
        else:
            a, wide_a = axis_of(tree.cone, start), tree.cone[start, 3]
            b, wide_b = axis_of(tree.cone, start + 1), tree.cone[start + 1, 3]
            axis, angle = joined(a, wide_a, b, wide_b)
        for k in range(3):
            tree.cone[node, k] = axis[k]
        tree.cone[node, 3] = angle
    for node in range(len(tree.first)):
        angle = tree.cone[node, 3] + SLACK
        if angle < 0.5 * math.pi:
            tree.cone[node, 3] = math.cos(angle)
            tree.cone[node, 4] = math.sin(angle)
        else:
            tree.cone[node, 3] = -1.0  # looks everywhere


@inline
def axis_of(cone: Array, node: int) -> Vector:
    return (cone[node, 0], cone[node, 1], cone[node, 2])


@inline
def cone_of(
    t: int, triangles: Indices, twin: Indices, first: Indices, star: Indices, normal: Array
) -> tuple[Vector, float]:
    """A cone around the normals of a triangle and of all that share a corner with it; π at borders and branches."""
    n = row(normal, t)
    least = 1.0
    for k in range(3):
        v = triangles[t, k]
        for i in range(first[v], first[v + 1]):
            u, l = star[i] // 3, star[i] % 3
            for h in (3 * u + l, 3 * u + (l + 2) % 3):
                g = twin[h // 3, h % 3]
                if g == h or twin[g // 3, g % 3] != h or triangles[g // 3, g % 3] == triangles[u, h % 3]:
                    return n, math.pi
            least = min(least, dot(n, row(normal, u)))
    return n, math.acos(max(-1.0, min(1.0, least)))


@inline
def joined(a: Vector, wide_a: float, b: Vector, wide_b: float) -> tuple[Vector, float]:
    """A cone around two."""
    axis = unit(add(a, b))
    if wide_a >= 0.5 * math.pi or wide_b >= 0.5 * math.pi or dot(axis, axis) == 0.0:
        return a, math.pi
    return axis, max(angle_between(axis, a) + wide_a, angle_between(axis, b) + wide_b)


@inline
def angle_between(a: Vector, b: Vector) -> float:
    """Of unit vectors."""
    return 2.0 * math.asin(min(1.0, 0.5 * length(sub(a, b))))


@inline
def looks_away(tree: Tree, node: int, middle: Vector, reach: float, lean: tuple[float, float]) -> bool:
    """Whether nothing under a node looks at, or away from, the ball of radius `reach` around `middle`.

    With φ the angle under which box and ball see each other: the angle between axis and way is above that of the cone,
    plus φ, plus one with the cosine and sine `lean`. All sides are taken times the length of the way.
    """
    box, cone = tree.box, tree.cone
    if cone[node, 3] < 0.0:
        return False
    lx, ly, lz = box[node, 3] - box[node, 0], box[node, 4] - box[node, 1], box[node, 5] - box[node, 2]
    both = reach + 0.5 * math.sqrt(lx * lx + ly * ly + lz * lz)
    way = (
        middle[0] - 0.5 * (box[node, 3] + box[node, 0]),
        middle[1] - 0.5 * (box[node, 4] + box[node, 1]),
        middle[2] - 0.5 * (box[node, 5] + box[node, 2]),
    )
    rest = dot(way, way) - both * both
    if rest <= 0.0:
        return False
    rest = math.sqrt(rest)
    cosine, sine = rest * lean[0] - both * lean[1], both * lean[0] + rest * lean[1]
    least = cone[node, 3] * cosine - cone[node, 4] * sine
    return cosine > 0.0 and least > 0.0 and abs(dot(way, axis_of(cone, node))) < least
