"""Rigid bodies: prediction and the end of a substep [docs/theory/machines.md §1].

A body's origin is its centre of mass and its axes are principal. Body 0 is the world. What cannot be pushed has an
inverse mass and inverse inertia of 0: it moves with `v`, and turns with `l`, which is then its angular velocity.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import (
    Quaternion,
    Symmetric,
    Vector,
    add,
    apply,
    apply_transposed,
    normalized,
    quaternion_product,
    rotation,
    scale,
    sub,
)
from lissom.kernels import inline, kernel_part
from lissom.kernels import lean_kernel as kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class Bodies(NamedTuple):
    """State and properties, one row for each body."""

    x: Array  # (n, 3) centre of mass, m
    q: Array  # (n, 4) turns (x, y, z) onto the principal axes
    v: Array  # (n, 3) velocity, m/s
    l: Array  # (n, 3) angular momentum about the centre of mass, world axes, kg m²/s
    inverse_mass: Array  # (n,) 1/kg
    inverse_inertia: Array  # (n, 3) 1/(kg m²)
    mobility: Array  # (n, 6) inverse inertia in world axes (xx, xy, xz, yy, yz, zz); written by `see_mobility`
    force: Array  # (n, 3) from outside, N
    torque: Array  # (n, 3) N m
    shift: Array  # (n, 3) correction of the prediction that is being found, m
    spin: Array  # (n, 3) rad
    twist: Array  # (n, 3) its angular impulse, N m s²
    shifted: Array  # (n, 3) correction that is already a part of the pose, m
    spun: Array  # (n, 3) rad
    was_x: Array  # (n, 3) at the start of the substep
    was_q: Array  # (n, 4)
    was_v: Array  # (n, 3)
    was_l: Array  # (n, 3)
    order: Indices  # (n,) in which their rows are eliminated
    movable: Indices  # (n,) 1 where anything can push it


def empty_bodies(n: int) -> Bodies:
    """At the origin, at rest, immovable."""

    def zeros(*shape: int) -> Array:
        return np.zeros(shape)

    q = zeros(n, 4)
    q[:, 0] = 1.0
    return Bodies(
        zeros(n, 3), q, zeros(n, 3), zeros(n, 3), zeros(n), zeros(n, 3), zeros(n, 6), zeros(n, 3), zeros(n, 3),
        zeros(n, 3), zeros(n, 3), zeros(n, 3), zeros(n, 3), zeros(n, 3), zeros(n, 3), zeros(n, 4), zeros(n, 3),
        zeros(n, 3), np.arange(n), np.zeros(n, dtype=np.int64),
    )  # fmt: skip


@inline
def row3(a: Array, i: int) -> Vector:
    return (a[i, 0], a[i, 1], a[i, 2])


@inline
def row4(a: Array, i: int) -> Quaternion:
    return (a[i, 0], a[i, 1], a[i, 2], a[i, 3])


@inline
def put3(a: Array, i: int, v: Vector) -> None:
    a[i, 0] = v[0]
    a[i, 1] = v[1]
    a[i, 2] = v[2]


@inline
def put4(a: Array, i: int, q: Quaternion) -> None:
    a[i, 0] = q[0]
    a[i, 1] = q[1]
    a[i, 2] = q[2]
    a[i, 3] = q[3]


@inline
def add3(a: Array, i: int, k: float, v: Vector) -> None:
    """a[i] += k v."""
    a[i, 0] += k * v[0]
    a[i, 1] += k * v[1]
    a[i, 2] += k * v[2]


@inline
def spun(q: Quaternion, a: Vector) -> Quaternion:
    """exp(a) q: turned by the rotation vector a, given in world axes."""
    angle = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    if angle < 1e-4:  # series: the next term is below 1e-17
        k = 0.5 - angle * angle / 48.0
        w = 1.0 - angle * angle / 8.0
    else:
        k = math.sin(0.5 * angle) / angle
        w = math.cos(0.5 * angle)
    return normalized(quaternion_product((w, k * a[0], k * a[1], k * a[2]), q))


@inline
def in_world(bodies: Bodies, b: int, p: Vector) -> Vector:
    """A point given in a body's axes."""
    return add(row3(bodies.x, b), apply(rotation(row4(bodies.q, b)), p))


@inline
def angular_velocity(bodies: Bodies, b: int, q: Quaternion) -> Vector:
    """R I⁻¹ Rᵀ l with the orientation q; of what cannot be pushed, l itself."""
    if bodies.movable[b] == 0:
        return row3(bodies.l, b)
    r = rotation(q)
    own = apply_transposed(r, row3(bodies.l, b))
    k = bodies.inverse_inertia
    return apply(r, (k[b, 0] * own[0], k[b, 1] * own[1], k[b, 2] * own[2]))


@kernel_part
def remember(bodies: Bodies) -> None:
    """Where bodies are and how they move, for `recall`."""
    for b in range(bodies.x.shape[0]):
        put3(bodies.was_x, b, row3(bodies.x, b))
        put4(bodies.was_q, b, row4(bodies.q, b))
        put3(bodies.was_v, b, row3(bodies.v, b))
        put3(bodies.was_l, b, row3(bodies.l, b))


@kernel
def recall(bodies: Bodies) -> None:
    for b in range(bodies.x.shape[0]):
        put3(bodies.x, b, row3(bodies.was_x, b))
        put4(bodies.q, b, row4(bodies.was_q, b))
        put3(bodies.v, b, row3(bodies.was_v, b))
        put3(bodies.l, b, row3(bodies.was_l, b))


@kernel
def predict(bodies: Bodies, gravity: Vector, h: float) -> None:
    """(1); nothing is corrected yet."""
    for b in range(bodies.x.shape[0]):
        put3(bodies.shifted, b, (0.0, 0.0, 0.0))
        put3(bodies.spun, b, (0.0, 0.0, 0.0))
        if bodies.movable[b] == 1:
            add3(bodies.v, b, h, gravity)
            add3(bodies.v, b, h * bodies.inverse_mass[b], row3(bodies.force, b))
            add3(bodies.l, b, h, row3(bodies.torque, b))
        add3(bodies.x, b, h, row3(bodies.v, b))
        q = row4(bodies.q, b)
        w = angular_velocity(bodies, b, q)
        for _ in range(2):  # the angular velocity in the middle of the step
            w = angular_velocity(bodies, b, spun(q, scale(0.5 * h, w)))
        put4(bodies.q, b, spun(q, scale(h, w)))


@inline
def world_inverse_inertia(bodies: Bodies, b: int) -> Symmetric:
    r = rotation(row4(bodies.q, b))
    i = bodies.inverse_inertia[b, 0]
    j = bodies.inverse_inertia[b, 1]
    k = bodies.inverse_inertia[b, 2]
    return (
        i * r[0] * r[0] + j * r[1] * r[1] + k * r[2] * r[2],
        i * r[0] * r[3] + j * r[1] * r[4] + k * r[2] * r[5],
        i * r[0] * r[6] + j * r[1] * r[7] + k * r[2] * r[8],
        i * r[3] * r[3] + j * r[4] * r[4] + k * r[5] * r[5],
        i * r[3] * r[6] + j * r[4] * r[7] + k * r[5] * r[8],
        i * r[6] * r[6] + j * r[7] * r[7] + k * r[8] * r[8],
    )


@kernel
def see_mobility(bodies: Bodies) -> None:
    """Writes `mobility` for the present orientations."""
    for b in range(bodies.x.shape[0]):
        if bodies.movable[b] == 1:
            m = world_inverse_inertia(bodies, b)
            for k in range(6):
                bodies.mobility[b, k] = m[k]


@inline
def freed(bodies: Bodies, b: int, a: Vector) -> Vector:
    """World inverse inertia times a."""
    m = bodies.mobility
    return (
        m[b, 0] * a[0] + m[b, 1] * a[1] + m[b, 2] * a[2],
        m[b, 1] * a[0] + m[b, 3] * a[1] + m[b, 4] * a[2],
        m[b, 2] * a[0] + m[b, 4] * a[1] + m[b, 5] * a[2],
    )


@kernel
def apply_corrections(bodies: Bodies, h: float) -> None:
    """Moves by `shift` and `spin`, and the velocities with the first (3), in the place of the correction before."""
    for b in range(bodies.x.shape[0]):
        if bodies.movable[b] == 1:
            more = sub(row3(bodies.shift, b), row3(bodies.shifted, b))
            add3(bodies.x, b, 1.0, more)
            add3(bodies.v, b, 1.0 / h, more)
            back = spun(row4(bodies.q, b), scale(-1.0, row3(bodies.spun, b)))
            put4(bodies.q, b, spun(back, row3(bodies.spin, b)))
            put3(bodies.shifted, b, row3(bodies.shift, b))
            put3(bodies.spun, b, row3(bodies.spin, b))


@kernel_part
def finish(bodies: Bodies, h: float) -> None:
    """The angular momenta take the impulse of the correction (3)."""
    for b in range(bodies.x.shape[0]):
        if bodies.movable[b] == 1:
            add3(bodies.l, b, 1.0 / h, row3(bodies.twist, b))
