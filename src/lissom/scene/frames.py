"""Frames along a cable: roll, and the twist between two frames.

A frame is a unit quaternion (w, x, y, z) that turns (x, y, z) onto the directors (d1, d2, d3), with d3
the tangent. Pure Python: a handful of supports per cable does not pay for arrays.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import Final

Vec3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

_IDENTITY: Final = (1.0, 0.0, 0.0, 0.0)

_ANTIPARALLEL: Final = 1e-9
"""1 + cos below this (an angle within 4.5e-5 rad of π): the plane of the smallest rotation is noise."""

_UNIT: Final = 4 * sys.float_info.epsilon
"""A quaternion whose length is off 1 by no more than this has been normalized."""


def frame_quaternion(tangent: Vec3, roll: float = 0.0) -> Quaternion:
    """The frame with this tangent whose d1 is turned by ``roll`` from the smallest rotation of z onto it.

    For tangent −z that rotation is not unique; half a turn about x is chosen (d1 = x, d2 = −y).
    """
    t = unit(tangent)
    swing = smallest_rotation((0.0, 0.0, 1.0), t)
    if swing is None:  # then from −z the small rest of the way, so that d3 is the tangent exactly
        swing = product(smallest_rotation((0.0, 0.0, -1.0), t) or _IDENTITY, (0.0, 1.0, 0.0, 0.0))
    half = 0.5 * roll
    return product(swing, (math.cos(half), 0.0, 0.0, math.sin(half)))  # about z before = about d3 after


def matrix_quaternion(m: Iterable[Iterable[float]]) -> Quaternion:
    """Of a rotation matrix, by its largest component (Shepperd): nothing cancels."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = ((float(v) for v in row) for row in m)
    choices = (
        (1.0 + xx + yy + zz, zy - yz, xz - zx, yx - xy),
        (zy - yz, 1.0 + xx - yy - zz, xy + yx, xz + zx),
        (xz - zx, xy + yx, 1.0 - xx + yy - zz, yz + zy),
        (yx - xy, xz + zx, yz + zy, 1.0 - xx - yy + zz),
    )
    w, x, y, z = choices[max(range(4), key=lambda k: choices[k][k])]
    size = math.sqrt(w * w + x * x + y * y + z * z)
    return (w / size, x / size, y / size, z / size)


def twist_between(q_start: Quaternion, q_end: Quaternion) -> float:
    """The turn of the end frame about its tangent relative to the carried start frame, in (−π, π].

    The start frame is carried over by the smallest rotation of its tangent onto the end's. For antiparallel
    tangents that is not unique, and the answer is nan.
    """
    swing = smallest_rotation(director(q_start, 3), director(q_end, 3))
    if swing is None:
        return math.nan
    carried_frame = product(swing, q_start)
    w, _, _, z = product(conjugate(carried_frame), q_end)
    angle = 2.0 * math.atan2(z, w)  # in (−2π, 2π]
    if angle > math.pi:
        angle -= 2.0 * math.pi
    elif angle <= -math.pi:
        angle += 2.0 * math.pi
    return angle


def carried(q: Quaternion, tangent: Vec3, twist: float = 0.0) -> Quaternion | None:
    """Frame ``q`` carried to ``tangent`` by the smallest rotation, then turned by ``twist`` about it.

    How a clamp without a roll is mounted on the clamp before it. None for antiparallel tangents.
    """
    swing = smallest_rotation(director(q, 3), unit(tangent))
    if swing is None:
        return None
    half = 0.5 * twist
    return product(product(swing, q), (math.cos(half), 0.0, 0.0, math.sin(half)))


def smallest_rotation(a: Vec3, b: Vec3) -> Quaternion | None:
    """The smallest rotation of unit vector ``a`` onto ``b``; None where they are antiparallel."""
    w = 1.0 + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    if w < _ANTIPARALLEL:
        return None
    axis = cross(a, b)
    norm = math.hypot(w, *axis)
    return (w / norm, axis[0] / norm, axis[1] / norm, axis[2] / norm)


def director(q: Quaternion, number: int) -> Vec3:
    """Director d1, d2 or d3 of the frame: a column of its rotation matrix."""
    w, x, y, z = q
    if number == 1:
        return (w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y))
    if number == 2:
        return (2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x))
    return (2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z)


def product(p: Quaternion, q: Quaternion) -> Quaternion:
    """Hamilton's product: first ``q``, then ``p``."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


def conjugate(q: Quaternion) -> Quaternion:
    return (q[0], -q[1], -q[2], -q[3])


def normalized(q: Quaternion) -> Quaternion:
    """``q`` over its length. Where that is 1 but for rounding it stays: a pose that was solved, written and read again
    is the same to the last bit.
    """
    norm = math.hypot(*q)
    if abs(norm - 1.0) <= _UNIT:
        return (q[0], q[1], q[2], q[3])
    return (q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm)


def unit(v: Vec3) -> Vec3:
    """``v`` over its length, safe for components whose squares would overflow or vanish."""
    norm = math.hypot(*v)
    return (v[0] / norm, v[1] / norm, v[2] / norm)


def cross(a: Vec3, b: Vec3) -> Vec3:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
