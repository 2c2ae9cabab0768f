"""The shape a cable has without forces, as strains (κ1, κ2, τ) along it.

A moulded shape is given by points. A cubic spline through them is the centre line r(s), its second
derivative constant in the first and the last span (a natural spline would straighten the ends). The
directors are carried along it without twist (parallel transport), beginning with the frame of roll 0 at
the first tangent. With k = d²r/ds², d3' = κ × d3 gives κ1 = −k·d2, κ2 = k·d1, τ = 0.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from lissom.scene.frames import director, frame_quaternion

if TYPE_CHECKING:
    from lissom.scene.cable import Rest
    from lissom.scene.fields import Vec3

Array = NDArray[np.float64]

_PER_SPAN: Final = 16
"""Samples per span of the spline; Simpson's rule on them gives its length to 1e-6 for a 90° span."""

_MOST_SAMPLES: Final = 400_000


def strains(rest: Rest | None, length: float, s: Array) -> Array:
    """(κ1, κ2, τ) per metre at arc lengths ``s`` (n,) of a cable of this length: (n, 3)."""
    s = np.asarray(s, dtype=np.float64)
    if rest is None:
        return np.zeros((s.size, 3))
    if rest.points is not None:
        places, kappa = _moulded_strains(rest.points)
        ratio = float(places[-1]) / length  # the drawn length may be 1 % off: angles are kept, lengths scaled
        return ratio * _interpolated(ratio * s, places, kappa)
    given = np.asarray(rest.curvature, dtype=np.float64)
    if given.ndim == 1:
        return np.tile(given, (s.size, 1))
    return _interpolated(s, np.linspace(0.0, length, len(given)), given)


def moulded_length(points: tuple[Vec3, ...]) -> float:
    """Length of the curve through the points, m."""
    return float(_samples(points)[0][-1])


def moulded_points(points: tuple[Vec3, ...], length: float, s: Array) -> Array:
    """The moulded centre line at arc lengths ``s`` of a cable of this length: (n, 3), in m."""
    places, r, _, _ = _samples(points)
    return _interpolated(np.asarray(s) * places[-1] / length, places, r)


def _interpolated(s: Array, places: Array, values: Array) -> Array:
    return np.stack([np.interp(s, places, values[:, j]) for j in range(3)], axis=1)


def _samples(points: tuple[Vec3, ...]) -> tuple[Array, Array, Array, Array]:
    """Arc length (n,), position, unit tangent and curvature vector (n, 3) along the spline."""
    p = np.asarray(points, dtype=np.float64)
    knots = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=1))])
    bend = _second_derivatives(knots, p)
    per_span = max(2, min(_PER_SPAN, _MOST_SAMPLES // len(p)) // 2 * 2)
    h = np.diff(knots)[:, None, None]
    u = (np.arange(per_span + 1) / per_span)[None, :, None]
    a, b, m0, m1 = p[:-1, None], p[1:, None], bend[:-1, None], bend[1:, None]
    v = 1.0 - u
    r = v * a + u * b + (h**2 / 6.0) * ((v**3 - v) * m0 + (u**3 - u) * m1)
    dr = (b - a) / h + (h / 6.0) * ((1.0 - 3.0 * v**2) * m0 + (3.0 * u**2 - 1.0) * m1)
    ddr = v * m0 + u * m1
    speed = np.maximum(np.linalg.norm(dr, axis=2, keepdims=True), 1e-300)
    t = dr / speed
    k = (ddr - np.sum(ddr * t, axis=2, keepdims=True) * t) / speed**2
    s = _arc_lengths(speed[:, :, 0], h[:, 0, 0] / per_span)

    def joined(x: Array) -> Array:  # the last sample of a span is the first of the next
        return np.concatenate([x[:, :-1].reshape(-1, 3), x[-1:, -1]])

    return s, joined(r), joined(t), joined(k)


def _arc_lengths(speed: Array, step: Array) -> Array:
    """Arc length at every sample: Simpson per pair of steps, split at its middle by the trapezium's share."""
    first = 0.5 * (speed[:, 0:-2:2] + speed[:, 1:-1:2]) * step[:, None]
    second = 0.5 * (speed[:, 1:-1:2] + speed[:, 2::2]) * step[:, None]
    simpson = (speed[:, 0:-2:2] + 4.0 * speed[:, 1:-1:2] + speed[:, 2::2]) * step[:, None] / 3.0
    share = simpson / (first + second)
    steps = np.stack([first * share, second * share], axis=2)
    return np.concatenate([[0.0], np.cumsum(steps.reshape(-1))])


def _second_derivatives(x: Array, y: Array) -> Array:
    """Of the cubic spline through (x, y), constant in the end spans: a tridiagonal system, by elimination."""
    n = len(x)
    m = np.zeros_like(y)
    if n < 3:
        return m
    h = np.diff(x)
    slope = np.diff(y, axis=0) / h[:, None]
    right = 6.0 * np.diff(slope, axis=0)
    diagonal = 2.0 * (h[:-1] + h[1:])
    diagonal[0] += h[0]
    diagonal[-1] += h[-1]
    for i in range(1, n - 2):
        factor = h[i] / diagonal[i - 1]
        diagonal[i] -= factor * h[i]
        right[i] -= factor * right[i - 1]
    m[n - 2] = right[-1] / diagonal[-1]
    for i in range(n - 4, -1, -1):
        m[i + 1] = (right[i] - h[i + 1] * m[i + 2]) / diagonal[i]
    m[0], m[-1] = m[1], m[-2]
    return m


def _moulded_strains(points: tuple[Vec3, ...]) -> tuple[Array, Array]:
    """Arc lengths (n,) and (κ1, κ2, 0) there (n, 3)."""
    s, _, t, k = _samples(points)
    d1 = _transported(t)
    d2 = np.cross(t, d1)
    return s, np.stack([-np.sum(k * d2, axis=1), np.sum(k * d1, axis=1), np.zeros(len(s))], axis=1)


def _transported(t: Array) -> Array:
    """d1 carried along the unit tangents (n, 3) by smallest rotations, beginning with roll 0.

    For d1 perpendicular to t, the smallest rotation of t onto t₊ is d1 − (d1·t₊)/(1 + t·t₊)·(t + t₊).
    """
    tangents = t.tolist()
    x, y, z = director(frame_quaternion(tuple(tangents[0]), 0.0), 1)
    carried = [(x, y, z)]
    for (ax, ay, az), (bx, by, bz) in pairwise(tangents):
        reach = 1.0 + ax * bx + ay * by + az * bz
        f = (x * bx + y * by + z * bz) / reach if reach > 1e-9 else 0.0  # a cusp: validated not to occur
        x, y, z = x - f * (ax + bx), y - f * (ay + by), z - f * (az + bz)
        carried.append((x, y, z))
    return np.array(carried)
