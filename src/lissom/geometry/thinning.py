"""Fewer triangles for a closed mesh, where it is flat; it stays closed, and goes in by no more than a given depth.

A vertex is taken out by moving it onto a neighbour: the triangles around it (its star) become a fan from there, with
the same rim. Both lie between two planes across the normal of the star, as far apart (w) as its corners are, and both
are graphs over the same polygon there: so the surface moves by at most w. Every corner remembers how far the surface
near it may have moved in all, the largest of its star and w on top; that must not exceed the depth.

In a round, stars that are taken out have no vertex in common, so that what is known of the neighbours stays true.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lissom.kernels import kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

MOST_ROUNDS: Final = 60
LEAST_GAIN: Final = 0.01
"""Part of the vertices: a round that takes out fewer is the last."""
MOST_AROUND: Final = 20
"""Triangles in a star; larger ones stay."""
STEEPEST: Final = 0.3
"""cos of the angle between a triangle and the normal of its star: steeper ones are no graph, or nearly none."""
THINNEST: Final = 0.02
"""Height of a triangle in its longest side: no thinner ones are made, unless the star had some."""


def thinned(vertices: Array, triangles: Indices, depth: float) -> tuple[Array, Indices]:
    """Vertices (v, 3) and triangles (t, 3) of a closed mesh whose surface is at most `depth` (m) away."""
    moved = np.zeros(len(vertices))
    for _ in range(MOST_ROUNDS):
        first, around = stars(triangles, len(vertices))
        onto = np.arange(len(vertices))
        taken = take_out(vertices, triangles, first, around, depth, moved, onto)
        triangles = onto[triangles]
        kept = (triangles[:, 0] != triangles[:, 1]) & (triangles[:, 1] != triangles[:, 2])
        triangles = triangles[kept & (triangles[:, 2] != triangles[:, 0])]
        used, triangles = np.unique(triangles, return_inverse=True)
        triangles = triangles.reshape(-1, 3)
        vertices, moved = vertices[used], moved[used]
        if taken < LEAST_GAIN * len(vertices):
            break
    return vertices, triangles


def stars(triangles: Indices, count: int) -> tuple[Indices, Indices]:
    """The triangles around vertex v are around[first[v] : first[v + 1]]."""
    corners = triangles.reshape(-1)
    around = np.argsort(corners, kind="stable") // 3
    first = np.concatenate([[0], np.cumsum(np.bincount(corners, minlength=count))])
    return first.astype(np.int64), around.astype(np.int64)


@kernel
def take_out(
    x: Array, triangles: Indices, first: Indices, around: Indices, depth: float, moved: Array, onto: Indices
) -> int:
    """Writes the neighbour onto which a vertex is moved (else itself), and how far surfaces moved; gives how many."""
    locked = np.zeros(len(x), dtype=np.bool_)
    normal = np.empty(3)
    fan = np.empty(3)
    taken = 0
    for v in range(len(x)):
        size = first[v + 1] - first[v]
        if locked[v] or size < 3 or size > MOST_AROUND:
            continue
        free = star_normal(x, triangles, first, around, v, locked, normal)
        if not free:
            continue
        low, high, known = 0.0, 0.0, moved[v]
        for k in range(first[v], first[v + 1]):
            for c in range(3):
                u = triangles[around[k], c]
                h = 0.0
                for i in range(3):
                    h += normal[i] * (x[u, i] - x[v, i])
                low, high, known = min(low, h), max(high, h), max(known, moved[u])
        if known + high - low > depth:
            continue
        best, target = 0.0, -1
        for k in range(first[v], first[v + 1]):
            u = after(triangles, around[k], v)
            quality = as_fan(x, triangles, first, around, v, u, normal, fan)
            if quality > best and shared(triangles, first, around, v, u) == 2:
                best, target = quality, u
        if target < 0:
            continue
        onto[v] = target
        taken += 1
        for k in range(first[v], first[v + 1]):
            for c in range(3):
                u = triangles[around[k], c]
                locked[u] = True
                moved[u] = known + high - low
    return taken


@kernel
def after(triangles: Indices, t: int, v: int) -> int:
    """The corner that follows v in a triangle."""
    for c in range(3):
        if triangles[t, c] == v:
            return int(triangles[t, (c + 1) % 3])
    return -1


@kernel
def across(x: Array, a: int, b: int, c: int, out: Array) -> None:
    """Twice the area of a triangle, along its normal."""
    ux, uy, uz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    vx, vy, vz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    out[0] = uy * vz - uz * vy
    out[1] = uz * vx - ux * vz
    out[2] = ux * vy - uy * vx


@kernel
def star_normal(
    x: Array, triangles: Indices, first: Indices, around: Indices, v: int, locked: NDArray[np.bool_], normal: Array
) -> bool:
    """The mean normal of a star; False where the star is no graph over its plane, or something in it is locked."""
    one = np.empty(3)
    normal[:] = 0.0
    for k in range(first[v], first[v + 1]):
        a, b, c = triangles[around[k]]
        if locked[a] or locked[b] or locked[c]:
            return False
        across(x, a, b, c, one)
        for i in range(3):
            normal[i] += one[i]
    size = math.sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2])
    if size == 0.0:
        return False
    for i in range(3):
        normal[i] /= size
    for k in range(first[v], first[v + 1]):
        a, b, c = triangles[around[k]]
        across(x, a, b, c, one)
        area = math.sqrt(one[0] * one[0] + one[1] * one[1] + one[2] * one[2])
        if one[0] * normal[0] + one[1] * normal[1] + one[2] * normal[2] < STEEPEST * area:
            return False
    return True


@kernel
def as_fan(
    x: Array, triangles: Indices, first: Indices, around: Indices, v: int, u: int, normal: Array, one: Array
) -> float:
    """How well shaped the fan from u is: the least height of its triangles in their longest sides; 0 where it folds."""
    least = 1.0
    for k in range(first[v], first[v + 1]):
        a, b, c = triangles[around[k]]
        if a == u or b == u or c == u:
            continue
        a, b, c = u if a == v else a, u if b == v else b, u if c == v else c
        across(x, a, b, c, one)
        area = math.sqrt(one[0] * one[0] + one[1] * one[1] + one[2] * one[2])
        longest = 0.0
        for p, q in ((a, b), (b, c), (c, a)):
            side = (x[p, 0] - x[q, 0]) ** 2 + (x[p, 1] - x[q, 1]) ** 2 + (x[p, 2] - x[q, 2]) ** 2
            longest = max(longest, side)
        if longest == 0.0 or one[0] * normal[0] + one[1] * normal[1] + one[2] * normal[2] < STEEPEST * area:
            return 0.0
        least = min(least, area / longest)
    return least if least >= THINNEST else 0.0


@kernel
def shared(triangles: Indices, first: Indices, around: Indices, v: int, u: int) -> int:
    """Vertices next to both: two of a closed surface, more where moving v onto u would pinch it."""
    count = 0
    for k in range(first[v], first[v + 1]):
        w = after(triangles, around[k], v)
        if w == u:
            continue
        for m in range(first[u], first[u + 1]):
            if after(triangles, around[m], u) == w:
                count += 1
                break
    return count
