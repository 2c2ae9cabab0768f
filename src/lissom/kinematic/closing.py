"""Directions turned a little, so that each span ends where it is to end: the length stays, whatever happens.

The least turn that moves the end of a span by e: with Σ h²(I − d dᵀ) λ = e, each direction goes by h (λ − (λ·d) d) and
is made a unit vector again; the miss falls quadratically (docs/theory/kinematic.md (5)).
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, add, dot, scale, sub
from lissom.kernels import inline, lean_kernel
from lissom.kinematic.chain import Chain, put, row

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

ROUNDING = 4e-16  # part of the length that counts as closed
MOST = 40
LARGEST_TURN = 0.5  # rad at a time


@inline
def solve3(a: tuple[float, float, float, float, float, float], b: Vector) -> tuple[bool, Vector]:
    """x of a symmetric system (xx, xy, xz, yy, yz, zz); False where it has no solution."""
    c0 = a[3] * a[5] - a[4] * a[4]
    c1 = a[2] * a[4] - a[1] * a[5]
    c2 = a[1] * a[4] - a[2] * a[3]
    det = a[0] * c0 + a[1] * c1 + a[2] * c2
    size = a[0] + a[3] + a[5]
    if not abs(det) > 1e-26 * size * size * size:
        return False, (0.0, 0.0, 0.0)
    c3 = a[0] * a[5] - a[2] * a[2]
    c4 = a[1] * a[2] - a[0] * a[4]
    c5 = a[0] * a[3] - a[1] * a[1]
    return True, (
        (c0 * b[0] + c1 * b[1] + c2 * b[2]) / det,
        (c1 * b[0] + c3 * b[1] + c4 * b[2]) / det,
        (c2 * b[0] + c4 * b[1] + c5 * b[2]) / det,
    )


@lean_kernel
def close_range(h: Array, free: Indices, d: Array, first: int, last: int, goal: Vector) -> bool:
    """Turns the directions first … last − 1 until Σ h d = goal; False where that does not come about."""
    before = math.inf
    for attempt in range(MOST):
        e = goal
        xx = xy = xz = yy = yz = zz = 0.0
        total = 0.0
        for i in range(first, last):
            if free[i] == 0:
                continue
            t = row(d, i)
            e = sub(e, scale(h[i], t))
            total += h[i]
            w = h[i] * h[i]
            xx += w * (1.0 - t[0] * t[0])
            xy -= w * t[0] * t[1]
            xz -= w * t[0] * t[2]
            yy += w * (1.0 - t[1] * t[1])
            yz -= w * t[1] * t[2]
            zz += w * (1.0 - t[2] * t[2])
        size = math.sqrt(dot(e, e))
        if size <= ROUNDING * total or (size >= 0.5 * before and size < 1e-13 * total):
            return True
        before = size
        found, turn = solve3((xx, xy, xz, yy, yz, zz), e)
        if not found or attempt == MOST - 1:
            break
        most = 0.0
        for i in range(first, last):
            most = max(most, h[i])
        most *= math.sqrt(dot(turn, turn))
        part = min(1.0, LARGEST_TURN / most) if most > 0.0 else 1.0
        for i in range(first, last):
            if free[i] == 1:
                t = row(d, i)
                w = sub(turn, scale(dot(turn, t), t))
                t = add(t, scale(part * h[i], w))
                put(d, i, scale(1.0 / math.sqrt(dot(t, t)), t))
    return False


@lean_kernel
def close_all(chain: Chain, d: Array) -> bool:
    """Every span of a chain; the three runs of a span follow each other, x, y, z."""
    for j in range(0, len(chain.run), 3):
        goal = (chain.target[j], chain.target[j + 1], chain.target[j + 2])
        if not close_range(chain.h, chain.free, d, chain.run[j, 1], chain.run[j, 2], goal):
            return False
    return True
