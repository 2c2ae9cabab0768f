"""Writhe of an open polygon that goes on along rays at both ends, in turns; docs/theory/certificate-turns.md §2.

Two segments see each other under the solid angle Ω of the parallelogram of all differences of their points, with
corners A = y₀ − x₀, B = y₁ − x₀, C = y₁ − x₁, D = y₀ − x₁ [KL00 method 1a]. As V = det(A, B, C) = det(A, C, D),

    Ω = −2 [atan2(V, E) + atan2(V, F)],    E = |A||B||C| + A·B |C| + B·C |A| + C·A |B|,    F the same of A, C, D,

and as |Ω| < 2π, one arc tangent is enough: tan(−Ω/2) = V (E + F) / (E F − V²). The Gauss integral is Ω/4π, the writhe
twice the sum over all pairs. For a ray one corner is a direction, and the parallelogram a triangle.
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.nearest import length, row
from lissom.geometry.triples import Vector, cross, dot, scale, sub
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

LEAF = 8  # segments in the smallest blocks
SMALL = 0.02  # up to here four terms of the arc tangent are exact to rounding


@inline
def angle(y: float, x: float) -> float:
    """atan2(y, x), fast where it is small."""
    if x > 0.0 and abs(y) < SMALL * x:
        t = y / x
        k = t * t
        return t * (1.0 - k * (1.0 / 3.0 - k * (1.0 / 5.0 - k * (1.0 / 7.0))))
    return math.atan2(y, x)


@inline
def half_triangle(a: Vector, b: Vector, c: Vector) -> float:
    """Half of the solid angle of the triangle a, b, c seen from the origin, positive if it runs to the left."""
    p, q, r = length(a), length(b), length(c)
    return angle(dot(a, cross(b, c)), p * q * r + dot(a, b) * r + dot(b, c) * p + dot(c, a) * q)


@inline
def half_of(a: Vector, b: Vector, c: Vector, d: Vector, p: float, q: float, r: float, s: float) -> float:
    """−Ω/2 of the parallelogram a, b, c, d with lengths p, q, r, s."""
    volume = dot(a, cross(b, c))
    ac = dot(a, c)
    one = p * q * r + dot(a, b) * r + dot(b, c) * p + ac * q
    two = p * r * s + ac * s + dot(c, d) * p + dot(d, a) * r
    return angle(volume * (one + two), one * two - volume * volume)


@inline
def half_of_segments(x0: Vector, x1: Vector, y0: Vector, y1: Vector) -> float:
    a, b, c, d = sub(y0, x0), sub(y1, x0), sub(y1, x1), sub(y0, x1)
    return half_of(a, b, c, d, length(a), length(b), length(c), length(d))


@inline
def half_of_row(points: Array, i: int, first: int, last: int, begin: int, away: Array) -> float:
    """Sum of −Ω/2 of segment i with segments first … last − 1. `away` has how far points begin … last are from point
    i, and then from point i + 1.
    """
    x0, x1 = row(points, i), row(points, i + 1)
    y = row(points, first)
    a, d = sub(y, x0), sub(y, x1)
    p, s = away[first - begin], length(d)
    away[first - begin] = s
    total = 0.0
    for j in range(first, last):
        y = row(points, j + 1)
        b, c = sub(y, x0), sub(y, x1)
        q, r = away[j + 1 - begin], length(c)
        away[j + 1 - begin] = r
        total += half_of(a, b, c, d, p, q, r, s)
        a, d, p, s = b, c, q, r
    return total


@inline
def measure(points: Array, i: int, begin: int, last: int, away: Array) -> None:
    """How far points begin … last are from point i."""
    for j in range(begin, last + 1):
        away[j - begin] = length(sub(row(points, j), row(points, i)))


@inline
def half_of_rays(points: Array, start: Vector, end: Vector) -> float:
    """Sum of −Ω/2 of all segments with the rays that come along `start` and go on along `end`."""
    n = len(points) - 1
    x, y = row(points, 0), row(points, n)
    back = scale(-1.0, end)
    total = 0.0
    for j in range(1, n):
        total += half_triangle(start, sub(row(points, j + 1), x), sub(row(points, j), x))
    for j in range(n - 1):
        total += half_triangle(sub(row(points, j), y), sub(row(points, j + 1), y), back)
    return total


@kernel
def open_writhe(points: Array, start: Vector, end: Vector) -> float:
    """Turns: of the polygon (n, 3) with itself and with its rays; the rays with each other are left out."""
    n = len(points) - 1
    total = half_of_rays(points, start, end)
    away = np.empty(n + 1)
    measure(points, 0, 0, n, away)
    for i in range(n - 2):
        total += half_of_row(points, i, i + 2, n, 0, away)
    return -total / math.pi


@kernel
def writhe_by_blocks(points: Array, start: Vector, end: Vector, error: float) -> float:
    """The same, within `error` turns, in a time that hardly grows faster than n.

    A block in place of which its chord is taken leaves out a closed loop. The loop's Gauss integral with a curve of
    length l, nowhere nearer than δ, is at most 2 A l / (4π δ³), A the area of any surface in it: that of a sheet of
    dipoles. Two blocks a, b are far from each other if (A_a l_b + A_b l_a) / (π δ³) ≤ 2 error l_a l_b / L²; the sum
    of that over all pairs is the error at most.
    """
    n = len(points) - 1
    leaves = 1
    while leaves * LEAF < n:
        leaves *= 2
    box = np.empty((2 * leaves, 6))
    size = np.zeros((2 * leaves, 2))  # length, area
    for k in range(2 * leaves - 1, 0, -1):
        gather(points, leaves, k, box, size)
    allowed = 2.0 * math.pi * error / (size[1, 0] * size[1, 0])
    total = half_of_rays(points, start, end)
    away = np.empty(LEAF + 1)
    waiting = np.empty((8 * 64, 2), np.int64)
    waiting[0, 0] = waiting[0, 1] = 1
    count = 1
    while count > 0:
        count -= 1
        a, b = waiting[count, 0], waiting[count, 1]
        if size[a, 0] == 0.0 or size[b, 0] == 0.0:
            continue
        if a != b and is_far(box, size, a, b, allowed):
            i, k = span(n, leaves, a)
            j, l = span(n, leaves, b)
            total += half_of_segments(row(points, i), row(points, k), row(points, j), row(points, l))
        elif a >= leaves and b >= leaves:
            total += half_of_leaves(points, n, leaves, a, b, away)
        elif a == b:
            waiting[count, 0] = waiting[count, 1] = 2 * a
            waiting[count + 1, 0] = waiting[count + 1, 1] = 2 * a + 1
            waiting[count + 2, 0], waiting[count + 2, 1] = 2 * a, 2 * a + 1
            count += 3
        elif b >= leaves or (a < leaves and size[a, 0] >= size[b, 0]):
            waiting[count, 0], waiting[count, 1] = 2 * a, b
            waiting[count + 1, 0], waiting[count + 1, 1] = 2 * a + 1, b
            count += 2
        else:
            waiting[count, 0], waiting[count, 1] = a, 2 * b
            waiting[count + 1, 0], waiting[count + 1, 1] = a, 2 * b + 1
            count += 2
    return -total / math.pi


@inline
def span(n: int, leaves: int, k: int) -> tuple[int, int]:
    """First and last point of block k of the binary tree: 1 is the whole, 2k and 2k + 1 the halves of k."""
    width = LEAF
    while k < leaves:
        k = 2 * k
        width *= 2
    first = (k - leaves) * LEAF
    return min(first, n), min(first + width, n)


@inline
def gather(points: Array, leaves: int, k: int, box: Array, size: Array) -> None:
    """Box, length and area of a block; those of its halves are known."""
    n = len(points) - 1
    first, last = span(n, leaves, k)
    if first == last:
        return
    x = row(points, first)
    if k >= leaves:
        for m in range(3):
            box[k, m] = box[k, 3 + m] = x[m]
        for i in range(first, last):
            y = row(points, i + 1)
            for m in range(3):
                box[k, m], box[k, 3 + m] = min(box[k, m], y[m]), max(box[k, 3 + m], y[m])
            edge = sub(y, row(points, i))
            size[k, 0] += length(edge)
            size[k, 1] += 0.5 * length(cross(sub(y, x), edge))
        return
    for m in range(6):
        box[k, m] = box[2 * k, m]
    size[k, 0], size[k, 1] = size[2 * k, 0], size[2 * k, 1]
    if size[2 * k + 1, 0] > 0.0:
        for m in range(3):
            box[k, m] = min(box[k, m], box[2 * k + 1, m])
            box[k, 3 + m] = max(box[k, 3 + m], box[2 * k + 1, 3 + m])
        middle, end = span(n, leaves, 2 * k + 1)
        size[k, 0] += size[2 * k + 1, 0]
        size[k, 1] += size[2 * k + 1, 1]
        size[k, 1] += 0.5 * length(cross(sub(row(points, middle), x), sub(row(points, end), x)))


@inline
def is_far(box: Array, size: Array, a: int, b: int, allowed: float) -> bool:
    gap = 0.0
    for m in range(3):
        d = max(0.0, box[a, m] - box[b, 3 + m], box[b, m] - box[a, 3 + m])
        gap += d * d
    lost = size[a, 1] * size[b, 0] + size[b, 1] * size[a, 0]
    return lost <= allowed * size[a, 0] * size[b, 0] * gap * math.sqrt(gap) and gap > 0.0


@inline
def half_of_leaves(points: Array, n: int, leaves: int, a: int, b: int, away: Array) -> float:
    first, last = span(n, leaves, a)
    begin, end = span(n, leaves, b)
    total = 0.0
    measure(points, first, begin, end, away)
    for i in range(first, last):
        other = max(begin, i + 2)
        if other < end:
            total += half_of_row(points, i, other, end, begin, away)
    return total
