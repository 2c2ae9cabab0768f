"""The curve of a slack span: the catenary of its length, as it is drawn and as parts meet it.

[docs/theory/machines.md §7]

With the span's width w, its drop y, its length L, and x = w/2a: sinh x / x = √(L² − y²)/w; its lowest point lies at
w/2 + a artanh(y/L).
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, add, dot, scale, sub
from lissom.kernels import lean_kernel as kernel
from lissom.machines.bodies import put3
from lissom.machines.tangents import in_plane

Array = NDArray[np.float64]

POINTS = 33  # of a curve
SLACK = 1.0 + 1e-6  # of its length: a span that has more rope hangs
UPRIGHT = 1e-6  # of its length: a span that is narrower goes straight down and up again
BISECTIONS = 50


@kernel
def hang(line: Array, p: Vector, q: Vector, length: float, gravity: Vector) -> int:
    """Writes points from p to q, equally far from each other along the curve; how many. Two where it is straight."""
    put3(line, 0, p)
    if not hangs(p, q, length, gravity):
        put3(line, 1, q)
        return 2
    across, down, wide, a, middle = catenary(p, q, length, gravity)
    if a == 0.0:  # the ends are above each other
        put3(line, 1, add(p, scale(0.5 * (length + dot(sub(q, p), down)), down)))
        put3(line, 2, q)
        return 3
    begins, top = math.sinh(middle / a), math.cosh(middle / a)
    for k in range(1, POINTS - 1):
        y = length * k / ((POINTS - 1) * a) - begins
        t = middle + a * math.asinh(y)
        put3(line, k, add(p, add(scale(t / wide, across), scale(a * (top - math.sqrt(1.0 + y * y)), down))))
    put3(line, POINTS - 1, q)
    return POINTS


@kernel
def hangs(p: Vector, q: Vector, length: float, gravity: Vector) -> bool:
    """Whether a span of this length sags."""
    d = sub(q, p)
    return dot(gravity, gravity) > 0.0 and length > SLACK * math.sqrt(dot(d, d))


@kernel
def catenary(p: Vector, q: Vector, length: float, gravity: Vector) -> tuple[Vector, Vector, float, float, float]:
    """(across, down, w, a, where the lowest point is) of a span that hangs; a = 0 where it goes down and up again."""
    down = scale(1.0 / math.sqrt(dot(gravity, gravity)), gravity)
    drop = dot(sub(q, p), down)
    across = in_plane(sub(q, p), down)
    wide = math.sqrt(dot(across, across))
    if wide <= UPRIGHT * length:
        return across, down, wide, 0.0, 0.0
    ratio = math.sqrt(length * length - drop * drop) / wide
    low, high = 0.0, math.log(4.0 * ratio) + 4.0 * math.sqrt(math.log(ratio + 1.0)) + 2.0
    for _ in range(BISECTIONS):
        x = 0.5 * (low + high)
        if math.sinh(x) < ratio * x:
            low = x
        else:
            high = x
    a = 0.5 * wide / max(0.5 * (low + high), 1e-9)
    return across, down, wide, a, 0.5 * wide + a * math.atanh(drop / length)


@kernel
def end_direction(p: Vector, q: Vector, length: float, gravity: Vector, at_start: bool) -> Vector:
    """Of a span from p to q at one of its ends, not of unit length."""
    if not hangs(p, q, length, gravity):
        return sub(q, p)
    across, down, wide, a, middle = catenary(p, q, length, gravity)
    if a == 0.0:
        return down if at_start else scale(-1.0, down)
    slope = math.sinh(middle / a) if at_start else -math.sinh((wide - middle) / a)
    return add(scale(1.0 / wide, across), scale(slope, down))
