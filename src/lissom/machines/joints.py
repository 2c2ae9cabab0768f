"""Joints as rows: what they hold, and stops, springs, motors and friction on their axis [docs/theory/machines.md §3].

Body a carries the part's parent (0: the world), body b the part. Owners of the rows of joint j are j·SLOTS + slot.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import (
    Quaternion,
    Vector,
    add,
    apply,
    cross,
    dot,
    quaternion_between,
    quaternion_product,
    rotation,
    scale,
    sub,
)
from lissom.kernels import inline, kernel_part
from lissom.kernels import lean_kernel as kernel
from lissom.machines.bodies import Bodies, add3, in_world, row3, row4
from lissom.machines.rows import NO_BOUND, Rows, add_row
from lissom.machines.tangents import nearest_turn

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

HINGE, SLIDE, BALL, FIXED = 0, 1, 2, 3
STOP, SPRING, MOTOR, RUB = 6, 7, 8, 9  # slots after the up to six rows that hold
SLOTS = 10
NO_MOTOR, SPEED, TORQUE = 0, 1, 2


class Joints(NamedTuple):
    """One row for each joint."""

    kind: Indices  # (n,)
    a: Indices  # (n,) bodies
    b: Indices
    point_a: Array  # (n, 3) anchor in the axes of a, m
    point_b: Array  # (n, 3)
    frame_a: Array  # (n, 4) axes of the joint in those of a; z is its axis
    frame_b: Array  # (n, 4)
    value: Array  # (n,) angle (rad, whole turns counted), or length (m); of a ball its angle
    before: Array  # (n,) at the start of the substep
    low: Array  # (n,) stops
    high: Array
    motor: Indices  # (n,) NO_MOTOR, SPEED or TORQUE
    speed: Array  # (n,) rad/s or m/s
    torque: Array  # (n,) of the motor at most, or just so much; N m or N
    friction: Array  # (n,) N m or N
    spring: Array  # (n,) N m/rad or N/m; 0: none
    rest: Array  # (n,) where the spring is slack


def empty_joints(n: int) -> Joints:
    def whole() -> Indices:
        return np.zeros(n, dtype=np.int64)

    def zeros(*shape: int) -> Array:
        return np.zeros(shape)

    return Joints(
        whole(), whole(), whole(), zeros(n, 3), zeros(n, 3), zeros(n, 4), zeros(n, 4), zeros(n), zeros(n),
        np.full(n, -NO_BOUND), np.full(n, NO_BOUND), whole(), zeros(n), zeros(n), zeros(n), zeros(n), zeros(n),
    )  # fmt: skip


@inline
def axis_of(bodies: Bodies, joints: Joints, j: int) -> Vector:
    """In the world, as body a has it."""
    r = rotation(quaternion_product(row4(bodies.q, joints.a[j]), row4(joints.frame_a, j)))
    return (r[2], r[5], r[8])


@kernel
def see_joints(bodies: Bodies, joints: Joints) -> None:
    """Writes `value` as the bodies are now."""
    for j in range(joints.kind.shape[0]):
        a, b = joints.a[j], joints.b[j]
        qa = quaternion_product(row4(bodies.q, a), row4(joints.frame_a, j))
        if joints.kind[j] == SLIDE:
            gap = sub(in_world(bodies, b, row3(joints.point_b, j)), in_world(bodies, a, row3(joints.point_a, j)))
            joints.value[j] = dot(gap, axis_of(bodies, joints, j))
            continue
        rel = quaternion_between(qa, quaternion_product(row4(bodies.q, b), row4(joints.frame_b, j)))
        if joints.kind[j] == HINGE:
            joints.value[j] += nearest_turn(2.0 * math.atan2(rel[3], rel[0]) - joints.value[j])
        else:
            size = math.sqrt(rel[1] * rel[1] + rel[2] * rel[2] + rel[3] * rel[3])
            joints.value[j] = 2.0 * math.atan2(size, abs(rel[0]))


@kernel_part
def drive(bodies: Bodies, joints: Joints) -> None:
    """Motors that have a torque push; every joint remembers where it stands."""
    see_joints(bodies, joints)
    for b in range(bodies.x.shape[0]):
        for k in range(3):
            bodies.force[b, k] = 0.0
            bodies.torque[b, k] = 0.0
    for j in range(joints.kind.shape[0]):
        joints.before[j] = joints.value[j]
        if joints.motor[j] != TORQUE:
            continue
        a, b = joints.a[j], joints.b[j]
        f = scale(joints.torque[j], axis_of(bodies, joints, j))
        if joints.kind[j] == HINGE:
            add3(bodies.torque, b, 1.0, f)
            add3(bodies.torque, a, -1.0, f)
        else:
            arm_b = apply(rotation(row4(bodies.q, b)), row3(joints.point_b, j))
            at = sub(add(row3(bodies.x, b), arm_b), row3(bodies.x, a))
            add3(bodies.force, b, 1.0, f)
            add3(bodies.force, a, -1.0, f)
            add3(bodies.torque, b, 1.0, cross(arm_b, f))
            add3(bodies.torque, a, -1.0, cross(at, f))


@inline
def hold_points(rows: Rows, owner: int, a: int, b: int, gap: Vector, arm_a: Vector, arm_b: Vector) -> None:
    """Three rows: both anchors in one place."""
    for k in range(3):
        e = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        add_row(
            rows, owner + k, a, b, e, scale(-1.0, cross(arm_a, e)), cross(arm_b, e), gap[k], 0.0, -NO_BOUND, NO_BOUND
        )


@inline
def turn_row(rows: Rows, owner: int, a: int, b: int, u: Vector, value: float) -> None:
    """No relative turn about u."""
    add_row(rows, owner, a, b, (0.0, 0.0, 0.0), scale(-1.0, u), u, value, 0.0, -NO_BOUND, NO_BOUND)


@inline
def turn_vector(q: Quaternion) -> Vector:
    """2 sgn(w) Im q: the rotation vector of a small turn."""
    k = 2.0 if q[0] >= 0.0 else -2.0
    return (k * q[1], k * q[2], k * q[3])


@kernel_part
def joint_rows(rows: Rows, bodies: Bodies, joints: Joints, h: float) -> None:
    """The rows (5) of all joints, at the present poses; writes `value`."""
    see_joints(bodies, joints)
    for j in range(joints.kind.shape[0]):
        a, b, kind, owner = joints.a[j], joints.b[j], joints.kind[j], j * SLOTS
        arm_a = apply(rotation(row4(bodies.q, a)), row3(joints.point_a, j))
        arm_b = apply(rotation(row4(bodies.q, b)), row3(joints.point_b, j))
        gap = sub(add(row3(bodies.x, b), arm_b), add(row3(bodies.x, a), arm_a))
        qa = quaternion_product(row4(bodies.q, a), row4(joints.frame_a, j))
        qb = quaternion_product(row4(bodies.q, b), row4(joints.frame_b, j))
        u = rotation(qa)
        x, y, z = (u[0], u[3], u[6]), (u[1], u[4], u[7]), (u[2], u[5], u[8])
        rel = quaternion_between(qa, qb)
        if kind == SLIDE:
            far = add(arm_a, gap)
            for k in range(2):
                e = x if k == 0 else y
                add_row(
                    rows, owner + k, a, b, e, scale(-1.0, cross(far, e)), cross(arm_b, e), dot(gap, e), 0.0,
                    -NO_BOUND, NO_BOUND,
                )  # fmt: skip
        else:
            hold_points(rows, owner, a, b, gap, arm_a, arm_b)
        if kind in (SLIDE, FIXED):
            off = turn_vector(rel)
            turn_row(rows, owner + 3, a, b, x, off[0])
            turn_row(rows, owner + 4, a, b, y, off[1])
            turn_row(rows, owner + 5, a, b, z, off[2])
        elif kind == HINGE:
            w = rotation(qb)
            lean = cross(z, (w[2], w[5], w[8]))
            turn_row(rows, owner + 3, a, b, x, dot(lean, x))
            turn_row(rows, owner + 4, a, b, y, dot(lean, y))
        if kind == HINGE:
            axis_rows(rows, joints, j, (0.0, 0.0, 0.0), scale(-1.0, z), z, h)
        elif kind == SLIDE:
            axis_rows(rows, joints, j, z, scale(-1.0, cross(add(arm_a, gap), z)), cross(arm_b, z), h)
        elif kind == BALL:
            ball_stop(rows, joints, j, rel, u)


@inline
def axis_rows(rows: Rows, joints: Joints, j: int, line: Vector, turn_a: Vector, turn_b: Vector, h: float) -> None:
    """Stop, spring, motor and friction on the coordinate of a hinge or slide."""
    a, b, owner, value = joints.a[j], joints.b[j], j * SLOTS, joints.value[j]
    low, high = joints.low[j], joints.high[j]
    if high < NO_BOUND or low > -NO_BOUND:
        if high - value < value - low:
            add_row(rows, owner + STOP, a, b, line, turn_a, turn_b, value - high, 0.0, 0.0, NO_BOUND)
        else:  # λ ≤ 0 pushes the value up
            add_row(rows, owner + STOP, a, b, line, turn_a, turn_b, value - low, 0.0, -NO_BOUND, 0.0)
    if joints.spring[j] > 0.0:
        soft = 1.0 / (joints.spring[j] * h * h)
        add_row(rows, owner + SPRING, a, b, line, turn_a, turn_b, value - joints.rest[j], soft, -NO_BOUND, NO_BOUND)
    done = value - joints.before[j]
    if joints.motor[j] == SPEED:
        most, goal = joints.torque[j] * h * h, joints.before[j] + joints.speed[j] * h
        if joints.torque[j] >= NO_BOUND:  # what could press with any force does not press against its own stop
            goal = min(max(goal, low), high)
        add_row(rows, owner + MOTOR, a, b, line, turn_a, turn_b, value - goal, 0.0, -most, most)
    elif joints.friction[j] > 0.0:
        most = joints.friction[j] * h * h
        add_row(rows, owner + RUB, a, b, line, turn_a, turn_b, done, 0.0, -most, most)


@inline
def ball_stop(rows: Rows, joints: Joints, j: int, rel: Quaternion, u: tuple[float, ...]) -> None:
    """A ball joint turns by no more than its largest angle."""
    size = math.sqrt(rel[1] * rel[1] + rel[2] * rel[2] + rel[3] * rel[3])
    if joints.high[j] >= NO_BOUND or size == 0.0:
        return
    k = (1.0 if rel[0] >= 0.0 else -1.0) / size
    own = (k * rel[1], k * rel[2], k * rel[3])
    n = (
        u[0] * own[0] + u[1] * own[1] + u[2] * own[2],
        u[3] * own[0] + u[4] * own[1] + u[5] * own[2],
        u[6] * own[0] + u[7] * own[1] + u[8] * own[2],
    )
    none = (0.0, 0.0, 0.0)
    value = joints.value[j] - joints.high[j]
    add_row(rows, j * SLOTS + STOP, joints.a[j], joints.b[j], none, scale(-1.0, n), n, value, 0.0, 0.0, NO_BOUND)
