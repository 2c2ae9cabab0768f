"""Rotations as 3×3 matrices whose columns are d1, d2, d3, in plain numpy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Tangents that point against each other within this (rad) have no smallest rotation.
ANTIPARALLEL = 1e-3


def unit(v: Any) -> Array:
    a = np.asarray(v, dtype=float)
    return np.asarray(a / np.linalg.norm(a))


def matrix(q: Any) -> Array:
    """Rotations of the quaternions (w, x, y, z): (..., 4) → (..., 3, 3)."""
    a = np.asarray(q, dtype=float)
    a = a / np.linalg.norm(a, axis=-1, keepdims=True)
    w, x, y, z = np.moveaxis(a, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternion(R: Array) -> list[float]:
    """(w, x, y, z) of one rotation."""
    v = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    w = 1.0 + np.trace(R)
    if w > 0.1:
        q = np.array([w, *v])
    else:
        k = int(np.argmax(np.diag(R)))
        axis = R[:, k] + R[k, :]
        axis[k] = 1.0 + 2.0 * R[k, k] - np.trace(R)
        q = np.array([v[k], *axis])
    return [float(k) for k in unit(q)]


def skew(v: Array) -> Array:
    """(..., 3) → (..., 3, 3), so that skew(a) @ b = a × b."""
    out = np.zeros((*v.shape, 3))
    out[..., 0, 1], out[..., 0, 2] = -v[..., 2], v[..., 1]
    out[..., 1, 0], out[..., 1, 2] = v[..., 2], -v[..., 0]
    out[..., 2, 0], out[..., 2, 1] = -v[..., 1], v[..., 0]
    return out


def exponential(v: Array) -> Array:
    """The rotation by |v| about v, (..., 3) → (..., 3, 3)."""
    angle = np.linalg.norm(v, axis=-1)[..., None, None]
    K = skew(v)
    return np.asarray(np.eye(3) + np.sinc(angle / np.pi) * K + 0.5 * np.sinc(0.5 * angle / np.pi) ** 2 * (K @ K))


def logarithm(R: Array) -> Array:
    """Rotation vectors, (..., 3, 3) → (..., 3), of angles below π."""
    twice = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    sine = 0.5 * np.linalg.norm(twice, axis=-1)
    angle = np.arctan2(sine, 0.5 * (np.trace(R, axis1=-2, axis2=-1) - 1.0))
    factor = np.where(sine > 1e-12, angle / np.maximum(sine, 1e-300), 1.0)
    return np.asarray(0.5 * factor[..., None] * twice)


def smallest(a: Any, b: Any) -> Array:
    """The smallest rotation that turns the direction a onto b."""
    u, v = unit(a), unit(b)
    axis = np.cross(u, v)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-15:
        return np.eye(3)
    return exponential(axis / sine * np.arctan2(sine, float(u @ v)))


def about(axis: Any, angle: float) -> Array:
    return exponential(unit(axis) * angle)


def framed(tangent: Any, roll: float = 0.0) -> Array:
    """The frame with this tangent and roll; along −z, d1 = x."""
    t = unit(tangent)
    if t[2] < -1.0 + 1e-12:
        base = np.diag([1.0, -1.0, -1.0])
    else:
        base = smallest([0.0, 0.0, 1.0], t)
    return np.asarray(about(t, roll) @ base)


def carried(frame: Array, tangent: Any, twist: float = 0.0) -> Array:
    """A frame carried to another tangent by the smallest rotation, then turned about it."""
    return np.asarray(about(tangent, twist) @ smallest(frame[:, 2], tangent) @ frame)


def opposed(a: Any, b: Any) -> bool:
    """Whether two directions are antiparallel, so that nothing can be carried from one to the other."""
    return bool(unit(a) @ unit(b) < -np.cos(ANTIPARALLEL))


def turn_between(a: Array, b: Array) -> float:
    """Angle about the tangent of b from the frame a, carried over, to b; between −π and π."""
    from_a = carried(a, b[:, 2])
    return float(np.arctan2(from_a[:, 1] @ b[:, 0], from_a[:, 0] @ b[:, 0]))
