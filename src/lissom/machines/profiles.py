"""Convex profiles that ropes run on: corners in their own plane, as the kernels of `tangents` want them."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WHEEL: Array = np.zeros((1, 4))
"""One corner, in the middle; the radius around it is that of the wheel."""


def hull(points: Sequence[tuple[float, float]] | Array) -> Array:
    """(n, 2) corners of the convex hull, anticlockwise, without corners on a straight side (Andrew's chains)."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    size = max(max(abs(x), abs(y)) for x, y in ordered)

    def chain(row: list[tuple[float, float]]) -> list[tuple[float, float]]:
        found: list[tuple[float, float]] = []
        for p in row:
            while len(found) > 1 and _turn(found[-2], found[-1], p) <= 1e-12 * size * size:
                found.pop()
            found.append(p)
        return found[:-1]

    return np.array(chain(ordered) + chain(ordered[::-1]))


def corners_of(polygon: Array) -> Array:
    """(n, 4) rows x, y, middle angle of the normals at the corner (unwrapped), length of the sides before it."""
    sides = np.roll(polygon, -1, axis=0) - polygon
    normals = np.unwrap(np.arctan2(-sides[:, 0], sides[:, 1]))  # of side k, from corner k to the next
    before = np.concatenate(([normals[-1] - 2.0 * math.pi], normals[:-1]))
    lengths = np.hypot(sides[:, 0], sides[:, 1])
    passed = np.concatenate(([0.0], np.cumsum(lengths)[:-1]))
    return np.column_stack((polygon, 0.5 * (normals + before), passed))


def circumference(corners: Array, radius: float) -> float:
    """Of a profile with a radius around it, m."""
    sides = np.roll(corners[:, :2], -1, axis=0) - corners[:, :2]
    return 2.0 * math.pi * radius + float(np.hypot(sides[:, 0], sides[:, 1]).sum())


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
