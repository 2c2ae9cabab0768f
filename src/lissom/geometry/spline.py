"""The smooth cable: the quadratic B-spline of the points of a polyline, addressed by one number.

A place w = 0 … n counts segments. Around point i, for i − ½ ≤ w ≤ i + ½ and u = w − i + ½,

    x(w) = ½(1−u)² x_{i−1} + (½ + u − u²) x_i + ½u² x_{i+1}                    [docs/theory/contact.md (6)]

The outer halves of the end segments are straight. x and x' are continuous; x'' is constant on each arc. Points of many
cables lie in one array: those of a cable from `first` on, n segments of them.
"""

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.nearest import row
from lissom.geometry.triples import Vector, add, dot, scale, sub
from lissom.kernels import inline

Array = NDArray[np.float64]

# A foot is found when a step of Newton's method is below this (segments).
SETTLED = 1e-13
MOST_STEPS = 40


@inline
def arc_of(w: float, n: int) -> int:
    """The point around which the place is; 0 and n are the straight ends."""
    i = int(w + 0.5)
    return n if i > n else i


@inline
def around(points: Array, first: int, n: int, i: int, w: float) -> tuple[Vector, Vector, Vector]:
    """(x, x', x'') at a place on the arc of point i; m, and m per segment."""
    if i == 0 or i == n:
        s = 0 if i == 0 else n - 1
        e = sub(row(points, first + s + 1), row(points, first + s))
        return add(row(points, first + s), scale(w - s, e)), e, (0.0, 0.0, 0.0)
    u = w - i + 0.5
    a, b, c = row(points, first + i - 1), row(points, first + i), row(points, first + i + 1)
    before, after = sub(b, a), sub(c, b)
    x = add(add(scale(0.5 * (1.0 - u) * (1.0 - u), a), scale(0.5 + u - u * u, b)), scale(0.5 * u * u, c))
    return x, add(scale(1.0 - u, before), scale(u, after)), sub(after, before)


@inline
def side(points: Array, first: int, n: int, k: int, p: Vector) -> float:
    """½ d|x − p|²/dw where arcs k − 1 and k meet: below 0 where p is farther along. k = 0 and n + 1 are the ends."""
    if k == 0:
        return dot(sub(row(points, first), p), sub(row(points, first + 1), row(points, first)))
    if k == n + 1:
        return dot(sub(row(points, first + n), p), sub(row(points, first + n), row(points, first + n - 1)))
    a, b = row(points, first + k - 1), row(points, first + k)
    return dot(sub(scale(0.5, add(a, b)), p), sub(b, a))


@inline
def foot_on(points: Array, first: int, n: int, j: int, p: Vector, left: float, right: float) -> float:
    """The place on arc j that is nearest to p; left < 0 ≤ right are its sides: a bracket for Newton's method."""
    low = max(j - 0.5, 0.0)
    high = min(j + 0.5, float(n))
    w = low + (high - low) * left / (left - right)
    for _ in range(MOST_STEPS):
        x, v, a = around(points, first, n, j, w)
        d = sub(x, p)
        value = dot(d, v)
        slope = dot(v, v) + dot(d, a)
        if value < 0.0:
            low = w
        else:
            high = w
        to = w - value / slope if slope > 0.0 else 0.5 * (low + high)
        if to <= low or to >= high:
            to = 0.5 * (low + high)
        change = to - w
        w = to
        if abs(change) < SETTLED:
            break
    return w


@inline
def foot_near(points: Array, first: int, n: int, p: Vector, start: float) -> float:
    """The place nearest to p that is reached downhill from `start`."""
    j = arc_of(start, n)
    left = side(points, first, n, j, p)
    came = 0
    for _ in range(n + 1):
        right = side(points, first, n, j + 1, p)
        if left >= 0.0:
            if j == 0:
                return 0.0
            if came == 1:
                return j - 0.5
            came = -1
            j -= 1
            left = side(points, first, n, j, p)
        elif right < 0.0:
            if j == n:
                return float(n)
            if came == -1:
                return j + 0.5
            came = 1
            j += 1
            left = right
        else:
            return foot_on(points, first, n, j, p, left, right)
    return start
