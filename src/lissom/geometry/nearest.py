"""Closest points between the simplest things: a point, a segment, a triangle.

A place on a triangle (a, b, c) has a feature code:

* FACE: its inside;
* EDGE + k: the edge from corner k to corner k + 1 (k = 0, 1, 2);
* CORNER + k: corner k.
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, add, cross, dot, scale, sub
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]

FACE = 0
EDGE = 1
CORNER = 4


@inline
def row(a: Array, i: int) -> Vector:
    return (a[i, 0], a[i, 1], a[i, 2])


@kernel
def is_finite(a: Vector) -> bool:
    return math.isfinite(a[0]) and math.isfinite(a[1]) and math.isfinite(a[2])


@kernel
def all_finite(points: Array) -> bool:
    """Whether all of the points (n, 3) are finite."""
    finite = True
    for i in range(len(points)):
        finite = finite and is_finite((points[i, 0], points[i, 1], points[i, 2]))
    return finite


@inline
def length(a: Vector) -> float:
    return math.sqrt(dot(a, a))


@inline
def unit(a: Vector) -> Vector:
    """a/|a|; zero stays zero."""
    size = length(a)
    if size == 0.0:
        return (0.0, 0.0, 0.0)
    return scale(1.0 / size, a)


@inline
def on_triangle(x: Vector, a: Vector, b: Vector, c: Vector) -> tuple[Vector, int]:
    """The point of the triangle nearest to x, and its feature code [Eri05 §5.1.5]; the triangle has an area."""
    ab = sub(b, a)
    ac = sub(c, a)
    ax = sub(x, a)
    d1 = dot(ab, ax)
    d2 = dot(ac, ax)
    if d1 <= 0.0 and d2 <= 0.0:
        return a, CORNER
    bx = sub(x, b)
    d3 = dot(ab, bx)
    d4 = dot(ac, bx)
    if d3 >= 0.0 and d4 <= d3:
        return b, CORNER + 1
    wc = d1 * d4 - d3 * d2
    if wc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return add(a, scale(d1 / (d1 - d3), ab)), EDGE
    cx = sub(x, c)
    d5 = dot(ab, cx)
    d6 = dot(ac, cx)
    if d6 >= 0.0 and d5 <= d6:
        return c, CORNER + 2
    wb = d5 * d2 - d1 * d6
    if wb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return add(a, scale(d2 / (d2 - d6), ac)), EDGE + 2
    wa = d3 * d6 - d5 * d4
    if wa <= 0.0 and d4 >= d3 and d5 >= d6:
        return add(b, scale((d4 - d3) / ((d4 - d3) + (d5 - d6)), sub(c, b))), EDGE + 1
    k = 1.0 / (wa + wb + wc)
    return add(a, add(scale(wb * k, ab), scale(wc * k, ac))), FACE


@inline
def clamped(t: float) -> float:
    return min(max(t, 0.0), 1.0)


@inline
def on_segments(a: Vector, s: Vector, p: Vector, e: Vector) -> tuple[float, float]:
    """(t, u) in [0, 1] of the nearest points a + t s, p + u e of two segments [Eri05 §5.1.9].

    Of parallel segments, and of those without length, some nearest pair.
    """
    r = sub(a, p)
    ss = dot(s, s)
    ee = dot(e, e)
    er = dot(e, r)
    sr = dot(s, r)
    if ss == 0.0:
        return 0.0, 0.0 if ee == 0.0 else clamped(er / ee)
    if ee == 0.0:
        return clamped(-sr / ss), 0.0
    es = dot(e, s)
    c = cross(e, s)
    c2 = dot(c, c)
    t = 0.0
    if c2 > 0.0:
        t = clamped((es * er - ee * sr) / c2)
    u = (es * t + er) / ee
    if u < 0.0:
        u = 0.0
        t = clamped(-sr / ss)
    elif u > 1.0:
        u = 1.0
        t = clamped((es - sr) / ss)
    return t, u
