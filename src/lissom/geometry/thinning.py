"""Fewer triangles for the surface around something, a distance r away or more; it stays closed and stays away.

A vertex is taken out by moving it onto a neighbour: the triangles around it (its star) become a fan from there, with
the same rim. Every triangle knows by how much, at least, it is farther away than r: its spare. That of a new one is the
larger of what two bounds leave:

- Star and fan lie between two planes across the normal of the star, as far apart (w) as its corners are, and both are
  graphs over the same polygon there: so the surface moves by at most w, and w is lost of the least spare in the star.
- d² − |x|² is concave, d the distance. So on a triangle with corners at distances of at least d, d² is at least
  d² − R², with R the radius of the smallest circle around it.

A fan is taken where all have spare left. How far the surface has gone outwards is summed up at the vertices, and must
not exceed a given depth. In a round, stars that are taken out have no vertex in common, so that what is known of the
neighbours stays true.
"""

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

MOST_ROUNDS: Final = 60
LEAST_GAIN: Final = 0.02
"""Part of the vertices: a round that takes out fewer is the last."""
MOST_AROUND: Final = 20
"""Triangles in a star; larger ones stay."""
STEEPEST: Final = 0.3
"""cos of the angle between a triangle and the normal of its star: steeper ones are no graph, or nearly none."""
THINNEST: Final = 0.02
"""Height of a triangle in its longest side: no thinner ones are made."""
WIDEST: Final = 0.2
"""Part of the radius: a star that is as thick as that is not worth a try."""


def silent(done: float) -> None:
    """Nobody is told which part of the work is done."""


def thinned(
    vertices: Array,
    triangles: Indices,
    distance: Array,
    radius: float,
    spare: float,
    depth: float,
    tell: Callable[[float], object] = silent,
) -> tuple[Array, Indices]:
    """Vertices (v, 3) and triangles (t, 3) of a closed mesh that is nowhere nearer than the radius.

    `distance` (v,) is that of the vertices, `radius + spare` at least that of the triangles (m). `depth` (m) is how far
    the surface may go outwards. `tell` hears which part of the work is done.
    """
    triangles = triangles.copy()
    spares = np.empty(len(triangles))
    begin(vertices, triangles, distance, radius, spare, spares)
    out = np.zeros(len(vertices))
    settled = np.zeros(len(vertices), dtype=np.bool_)
    onto = np.arange(len(vertices))
    first, around = np.empty(len(vertices) + 1, dtype=np.int64), np.empty(3 * len(triangles), dtype=np.int64)
    left = len(vertices)
    for number in range(MOST_ROUNDS):
        stars(triangles, first, around)
        taken = take_out(vertices, triangles, distance, radius, depth, first, around, spares, out, settled, onto)
        triangles = triangles[: renumber(triangles, spares, onto)]
        left -= taken
        tell((number + 1) / MOST_ROUNDS)
        if taken < LEAST_GAIN * left:
            break
    tell(1.0)
    used, triangles = np.unique(triangles, return_inverse=True)
    return vertices[used], triangles.reshape(-1, 3)


@kernel
def begin(x: Array, triangles: Indices, distance: Array, radius: float, spare: float, spares: Array) -> None:
    """Fills what every triangle has to spare."""
    for t in range(len(triangles)):
        a, b, c = triangles[t]
        spares[t] = max(spare, spare_of(x, distance, radius, a, b, c))


@kernel
def spare_of(x: Array, distance: Array, radius: float, a: int, b: int, c: int) -> float:
    """From d² ≥ least d² of the corners − R²."""
    d = min(distance[a], distance[b], distance[c])
    p, q, r = squared(x, a, b), squared(x, b, c), squared(x, c, a)
    largest, total = max(p, q, r), p + q + r
    if 2.0 * largest >= total:  # no acute angle everywhere: the circle around its longest side
        round_it = 0.25 * largest
    else:
        round_it = p * q * r / (2.0 * (p * q + q * r + r * p) - (p * p + q * q + r * r))
    return math.sqrt(max(d * d - round_it, 0.0)) - radius


@inline
def squared(x: Array, a: int, b: int) -> float:
    """The square of how far two vertices are apart."""
    return float((x[a, 0] - x[b, 0]) ** 2 + (x[a, 1] - x[b, 1]) ** 2 + (x[a, 2] - x[b, 2]) ** 2)


@kernel
def stars(triangles: Indices, first: Indices, around: Indices) -> None:
    """The triangles around vertex v are around[first[v] : first[v + 1]]."""
    first[:] = 0
    for t in range(len(triangles)):
        for c in range(3):
            first[triangles[t, c]] += 1
    total = 0
    for v in range(len(first)):
        total += first[v]
        first[v] = total
    for t in range(len(triangles) - 1, -1, -1):
        for c in range(3):
            v = triangles[t, c]
            first[v] -= 1
            around[first[v]] = t


@kernel
def renumber(triangles: Indices, spares: Array, onto: Indices) -> int:
    """Moves corners onto others; what has no area then is left out. Gives how many triangles there still are."""
    kept = 0
    for t in range(len(triangles)):
        a, b, c = onto[triangles[t, 0]], onto[triangles[t, 1]], onto[triangles[t, 2]]
        if a != b and b != c and c != a:
            triangles[kept, 0], triangles[kept, 1], triangles[kept, 2] = a, b, c
            spares[kept] = spares[t]
            kept += 1
    return kept


@kernel
def take_out(
    x: Array,
    triangles: Indices,
    distance: Array,
    radius: float,
    depth: float,
    first: Indices,
    around: Indices,
    spares: Array,
    out: Array,
    settled: NDArray[np.bool_],
    onto: Indices,
) -> int:
    """Writes the neighbour onto which a vertex is moved, what triangles have to spare then, and how far out they went.

    Gives how many were taken out. A vertex that could not be is settled until something around it is.
    """
    locked = np.zeros(len(x), dtype=np.bool_)
    normal = np.empty(3)
    fan = np.empty(3)
    taken = 0
    for v in range(len(x)):
        size = first[v + 1] - first[v]
        if locked[v] or settled[v] or size < 3 or size > MOST_AROUND or is_locked(triangles, first, around, v, locked):
            continue
        settled[v] = True
        if not star_normal(x, triangles, first, around, v, normal):
            continue
        low, high, gone, left = 0.0, 0.0, out[v], math.inf
        for k in range(first[v], first[v + 1]):
            left = min(left, spares[around[k]])
            for c in range(3):
                u = triangles[around[k], c]
                h = 0.0
                for i in range(3):
                    h += normal[i] * (x[u, i] - x[v, i])
                low, high, gone = min(low, h), max(high, h), max(gone, out[u])
        left -= high - low
        if high - low > radius or (left < 0.0 and high - low > WIDEST * radius):
            continue
        best, target, rise = 0.0, -1, 0.0
        for k in range(first[v], first[v + 1]):
            u = after(triangles, around[k], v)
            quality, up = as_fan(x, triangles, distance, radius, left, first, around, v, u, normal, fan)
            if quality > best and gone + up <= depth and shared(triangles, first, around, v, u) == 2:
                best, target, rise = quality, u, up
        if target < 0:
            continue
        onto[v] = target
        taken += 1
        for k in range(first[v], first[v + 1]):
            a, b, c = triangles[around[k]]
            a, b, c = target if a == v else a, target if b == v else b, target if c == v else c
            spares[around[k]] = max(left, spare_of(x, distance, radius, a, b, c))
            for u in (a, b, c):
                locked[u] = True
                settled[u] = False
                out[u] = gone + rise
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
def is_locked(triangles: Indices, first: Indices, around: Indices, v: int, locked: NDArray[np.bool_]) -> bool:
    """Whether something in a star is."""
    for k in range(first[v], first[v + 1]):
        a, b, c = triangles[around[k]]
        if locked[a] or locked[b] or locked[c]:
            return True
    return False


@kernel
def star_normal(x: Array, triangles: Indices, first: Indices, around: Indices, v: int, normal: Array) -> bool:
    """The mean normal of a star; False where the star is no graph over its plane."""
    one = np.empty(3)
    normal[:] = 0.0
    for k in range(first[v], first[v + 1]):
        a, b, c = triangles[around[k]]
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
    x: Array,
    triangles: Indices,
    distance: Array,
    radius: float,
    left: float,
    first: Indices,
    around: Indices,
    v: int,
    u: int,
    normal: Array,
    one: Array,
) -> tuple[float, float]:
    """How well shaped the fan from u is: the least height of its triangles in their longest sides; and how far it is
    above v. 0 where it folds, or comes too near.
    """
    least, rise = 1.0, 0.0
    for k in range(first[v], first[v + 1]):
        a, b, c = triangles[around[k]]
        if a == u or b == u or c == u:
            continue
        a, b, c = u if a == v else a, u if b == v else b, u if c == v else c
        across(x, a, b, c, one)
        area = math.sqrt(one[0] * one[0] + one[1] * one[1] + one[2] * one[2])
        longest = max(squared(x, a, b), squared(x, b, c), squared(x, c, a))
        lean = one[0] * normal[0] + one[1] * normal[1] + one[2] * normal[2]
        if longest == 0.0 or lean < STEEPEST * area or area < THINNEST * longest:
            return 0.0, 0.0
        if left < 0.0 and spare_of(x, distance, radius, a, b, c) < 0.0:
            return 0.0, 0.0
        least = min(least, area / longest)
        if is_over(x, a, b, v, normal) and is_over(x, b, c, v, normal) and is_over(x, c, a, v, normal):
            height = 0.0
            for i in range(3):
                height += one[i] * (x[a, i] - x[v, i])
            rise = max(rise, height / lean)
    return least, rise


@inline
def is_over(x: Array, a: int, b: int, v: int, normal: Array) -> bool:
    """Whether v is on the left of the side from a to b, seen along the normal."""
    px, py, pz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    qx, qy, qz = x[v, 0] - x[a, 0], x[v, 1] - x[a, 1], x[v, 2] - x[a, 2]
    turn = normal[0] * (py * qz - pz * qy) + normal[1] * (pz * qx - px * qz) + normal[2] * (px * qy - py * qx)
    return bool(turn >= 0.0)


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
