"""Poses as callers give them: three numbers, a quaternion, a rotation or a matrix, and what may be wrong with them."""

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lissom.rods.assembly import pose_between
from lissom.scene.fields import FAR
from lissom.scene.frames import carried, director, frame_quaternion, matrix_quaternion, product
from lissom.scene.pose import Pose

Array = NDArray[np.float64]
Vec3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class RotationLike(Protocol):
    """scipy's Rotation, or anything that gives a quaternion the same way."""

    def as_quat(self) -> Any: ...


def part_way(a: Pose, b: Pose, part: float) -> Pose:
    """Straight from pose to pose, and by the shortest rotation."""
    start, end = ((np.array(x), np.array(q)) for x, q in (a, b))
    (x, y, z), (w, i, j, k) = (tuple(float(v) for v in values) for values in pose_between(start, end, part))
    return (x, y, z), (w, i, j, k)


def pointed(now: Quaternion, tangent: Sequence[float] | Array | None, roll: float | None) -> Quaternion | None:
    """A frame with another tangent, another roll or both; None where neither is given."""
    if tangent is None:
        return None if roll is None else frame_quaternion(director(now, 3), roll)
    t = vector(tangent, math.inf)
    if not any(t):
        raise ValueError(f"tangent {t}: it must point somewhere; give a direction of any length")
    if roll is not None:
        return frame_quaternion(t, roll)
    return carried(now, t) or product(now, (0.0, 1.0, 0.0, 0.0))  # straight back: half a turn about d1


def vector(values: Sequence[float] | Array, far: float = FAR) -> Vec3:
    """A position, m, no farther away than a scene can say; or what else has three numbers."""
    if len(values) != 3:
        raise ValueError(f"{values!r:.80}: it must be three numbers")
    x, y, z = numbers(values)
    if not math.isfinite(x + y + z):
        raise ValueError(f"({x}, {y}, {z}): every component must be finite")
    if max(abs(x), abs(y), abs(z)) > far:
        raise ValueError(f"({x:g}, {y:g}, {z:g}): every component must lie between {-far:g} and {far:g} m")
    return (x, y, z)


def numbers(values: Sequence[float] | Array) -> list[float]:
    try:
        return [float(v) for v in values]
    except (TypeError, ValueError):
        raise ValueError(f"{values!r:.80}: every component must be a number") from None


def as_quaternion(value: Sequence[float] | RotationLike) -> Quaternion:
    if hasattr(value, "as_quat"):
        x, y, z, w = (float(v) for v in value.as_quat())  # scipy's order
    else:
        if len(value) != 4:
            raise ValueError(f"quaternion {value!r:.80}: it must be four numbers (w, x, y, z)")
        w, x, y, z = numbers(value)
    size = float(np.sqrt(w * w + x * x + y * y + z * z))
    if not abs(size - 1.0) < 1e-3:
        raise ValueError(f"quaternion ({w}, {x}, {y}, {z}): its norm is {size:g}, it must be 1 (w first)")
    return (w / size, x / size, y / size, z / size)


def from_matrix(pose: Array) -> tuple[Vec3, Quaternion]:
    """Position and frame of a 4×4 matrix whose third column is the tangent."""
    m = np.asarray(pose, dtype=float)
    if m.shape != (4, 4):
        raise ValueError(f"pose has shape {m.shape}; it must be a 4×4 matrix")
    R = m[:3, :3]
    if not np.allclose(R.T @ R, np.eye(3), atol=1e-6) or np.linalg.det(R) < 0.0:
        raise ValueError("pose: its upper left 3×3 part must be a rotation")
    return vector(m[:3, 3]), matrix_quaternion(R)
