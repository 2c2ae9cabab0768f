"""Twist springs: what HD00 §6 asks for (docs/theory/kinematic.md §6).

In a round cable the torsion is the same everywhere between two clamps, so that the springs in series are one: ½ C Θ²/l,
Θ the angle by which the frame of the first clamp, carried along the segments without twist, misses that of the second.
When a direction e between d and f turns by δe, Θ changes by the area swept on the sphere of directions,

    δΘ = δe·(d×e/(1 + d·e) + e×f/(1 + e·f)).
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import (
    Quaternion,
    Vector,
    add,
    cross,
    dot,
    normalized,
    quaternion_between,
    quaternion_product,
    scale,
    tangent,
    turned,
)
from lissom.kernels import inline, lean_kernel
from lissom.kinematic.chain import Chain, put, row

Array = NDArray[np.float64]

STRAIGHT_BACK = 1e-9  # 1 + d·e of segments that lie on each other: no direction to carry a frame about


@inline
def carried(q: Quaternion, t: Vector) -> Quaternion:
    """The frame carried to tangent t by the smallest rotation."""
    d = tangent(q)
    c = 1.0 + dot(d, t)
    if c < STRAIGHT_BACK:  # straight back: about d1
        return quaternion_product(q, (0.0, 1.0, 0.0, 0.0))
    v = cross(d, t)
    return normalized(quaternion_product((c, v[0], v[1], v[2]), q))


@inline
def quaternion_row(a: Array, i: int) -> Quaternion:
    return (a[i, 0], a[i, 1], a[i, 2], a[i, 3])


@lean_kernel
def miss(chain: Chain, d: Array, t: int) -> float:
    """The angle from the carried frame to the second clamp's at twist 0, in (−π, π]."""
    first, last = chain.twist[t, 0], chain.twist[t, 1]
    q = quaternion_row(chain.twist_frames[t], 0)
    for i in range(first + 1, last + 1):
        q = carried(q, row(d, i))
    r = quaternion_between(q, quaternion_row(chain.twist_frames[t], 1))
    angle = 2.0 * math.atan2(r[3], r[0])
    if angle > math.pi:
        angle -= 2.0 * math.pi
    elif angle <= -math.pi:
        angle += 2.0 * math.pi
    return angle


@lean_kernel
def twist_near(chain: Chain, d: Array, t: int, theta: float) -> float:
    """Θ, in the turn that is nearest to `theta`."""
    angle = miss(chain, d, t) + chain.twist_turn[t]
    return float(angle + 2.0 * math.pi * math.floor((theta - angle) / (2.0 * math.pi) + 0.5))


@lean_kernel
def begin_twists(chain: Chain, d: Array, theta: Array) -> None:
    """Fills theta (t,): the twist said, and what the way of the cable adds to it, by less than half a turn."""
    for t in range(len(chain.twist)):
        theta[t] = chain.twist_turn[t] + miss(chain, d, t)


@lean_kernel
def twist_energy(chain: Chain, d: Array, theta: Array) -> float:
    """½ C Θ²/l, J; `theta` are the twists of a shape nearby."""
    energy = 0.0
    for t in range(len(chain.twist)):
        angle = twist_near(chain, d, t, theta[t])
        energy += 0.5 * chain.twist_stiffness[t] * angle * angle
    return energy


@inline
def swept(d: Vector, e: Vector) -> Vector:
    """d×e/(1 + d·e)."""
    return scale(1.0 / max(1.0 + dot(d, e), STRAIGHT_BACK), cross(d, e))


@lean_kernel
def twist_gradient(chain: Chain, d: Array, t: int, turning: Array) -> None:
    """Fills turning (i, 3): ∂Θ/∂d."""
    for i in range(len(chain.h)):
        put(turning, i, (0.0, 0.0, 0.0))
    first, last = chain.twist[t, 0], chain.twist[t, 1]
    for i in range(first + 1, last):
        left = swept(row(d, i - 1), row(d, i))
        put(turning, i, add(left, swept(row(d, i), row(d, i + 1))))


@lean_kernel
def carry_frames(d: Array, turn: Array, first: int, q: Array) -> None:
    """Fills q (i, 4) from the frame that is at site `first`; turn (i,) rad is the twist from each site to the next."""
    for i in range(first + 1, len(d)):
        put_frame(q, i, turned(carried(quaternion_row(q, i - 1), row(d, i)), (0.0, 0.0, turn[i - 1])))
    for i in range(first - 1, -1, -1):
        put_frame(q, i, turned(carried(quaternion_row(q, i + 1), row(d, i)), (0.0, 0.0, -turn[i])))


@inline
def put_frame(q: Array, i: int, frame: Quaternion) -> None:
    q[i, 0], q[i, 1], q[i, 2], q[i, 3] = frame[0], frame[1], frame[2], frame[3]
