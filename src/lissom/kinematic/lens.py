"""The four-segment cable [HD00 §4]: its middle point lies in the lens common to two balls of radius l/2.

The middle point has three degrees of freedom; the outer joints follow it by the two-segment rule. Here the rays on
which it is looked for are chosen: those through the minima of the two-segment cable, each at the depth in the lens
that is lowest. The minimum itself is then found by Newton's method (descent.py), which moves the middle point and the
two angles of the outer joints together (docs/theory/kinematic.md §4).
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, add, dot, scale, sub
from lissom.kernels import inline, lean_kernel
from lissom.kinematic.circle import circle_minima, joint_at, two_segment, unit_or
from lissom.kinematic.springs import spring_energy

Array = NDArray[np.float64]

DEPTHS = (0.35, 0.65, 0.95)  # of the middle point, as parts of the way from the chord to the rim of the lens


@inline
def towards(a: Vector, b: Vector, other: Vector) -> Vector:
    return unit_or(sub(b, a), other)


@inline
def put(out: Array, i: int, v: Vector) -> None:
    out[i, 0], out[i, 1], out[i, 2] = v[0], v[1], v[2]


@lean_kernel
def four_starts(
    a: Vector, b: Vector, length: float, v1: Vector, k1: float, v2: Vector, k2: float, k: float, weight: Vector,
    down: Vector, minima: Array, starts: Array,
) -> int:  # fmt: skip
    """Fills starts (n, 4, 3) with the directions of four segments, one row for each way to bulge; gives their number.

    k1, k2 are the springs at the ends of two segments, k the one between them, `weight` that of the whole span, N.
    """
    half, quarter = 0.5 * length, 0.25 * length
    ways = circle_minima(a, b, half, v1, k1, v2, k2, scale(0.5, weight), down, minima)
    ways = min(ways, len(starts))
    along = towards(a, b, v1)
    middle = scale(0.5, add(a, b))
    angles = (minima[0, 0], minima[min(1, ways - 1), 0], minima[min(2, ways - 1), 0])
    for way in range(ways):
        rim = joint_at(a, b, half, down, angles[way])
        best = math.inf
        for depth in DEPTHS:
            y = add(middle, scale(depth, sub(rim, middle)))
            left = two_segment(a, y, quarter, v1, 2.0 * k1, along, k, scale(0.25, weight), down, minima)
            right = two_segment(y, b, quarter, along, k, v2, 2.0 * k2, scale(0.25, weight), down, minima)
            d1, d2 = towards(a, left, along), towards(left, y, along)
            d3, d4 = towards(y, right, along), towards(right, b, along)
            energy = spring_energy(2.0 * k1, v1, d1) + spring_energy(2.0 * k2, d4, v2)
            energy += spring_energy(2.0 * k, d1, d2) + spring_energy(2.0 * k, d2, d3) + spring_energy(2.0 * k, d3, d4)
            energy -= 0.25 * (dot(weight, left) + dot(weight, y) + dot(weight, right))
            if energy < best:
                best = energy
                put(starts[way], 0, d1)
                put(starts[way], 1, d2)
                put(starts[way], 2, d3)
                put(starts[way], 3, d4)
    return ways
