"""Tangents of random circles, in one plane and in two: on both circles, tangent to both, on the right side."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lissom.machines.tangents import wheel_tangent

Array = NDArray[np.float64]
SENSES = st.sampled_from((-1.0, 1.0))
RADII = st.floats(0.01, 2.0)
ANGLES = st.floats(-math.pi, math.pi)


def frame(seed: int) -> Array:
    """A random rotation."""
    q, r = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return np.asarray(q * np.sign(np.diag(r)) * np.sign(np.linalg.det(q * np.sign(np.diag(r)))))


def three(v: Array) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])


def tangent(
    c1: Array, a1: Array, r1: float, s1: float, c2: Array, a2: Array, r2: float, s2: float
) -> tuple[bool, Array, Array]:
    ok, p1, p2 = wheel_tangent(three(c1), three(a1), r1, s1, three(c2), three(a2), r2, s2)
    return ok, np.array(p1), np.array(p2)


def check(p: Array, c: Array, a: Array, r: float, s: float, t: Array, size: float) -> None:
    """On the circle; the rope's direction, seen in the plane, is the one in which a point of the rim runs about a."""
    out = p - c
    assert abs(float(out @ a)) <= 1e-9 * size
    assert math.isclose(float(np.linalg.norm(out)), r, rel_tol=1e-9)
    seen = t - (t @ a) * a
    assert abs(float(out @ seen)) <= 1e-7 * r * np.linalg.norm(seen)
    assert s * float(np.cross(a, out) @ seen) > 0.0


@settings(deadline=None, max_examples=400)
@given(RADII, RADII, SENSES, SENSES, st.floats(1.0001, 50.0), ANGLES, st.booleans(), st.integers(0, 10**6))
def test_in_one_plane(
    r1: float, r2: float, s1: float, s2: float, apart: float, angle: float, back: bool, seed: int
) -> None:
    turn = frame(seed)
    flip = -1.0 if back else 1.0
    rho = abs(s1 * r1 - flip * s2 * r2)
    distance = apart * max(rho, 0.2 * max(r1, r2))
    c1 = turn @ np.array([0.3, -0.2, 1.0])
    c2 = c1 + distance * (turn @ np.array([math.cos(angle), math.sin(angle), 0.0]))
    a1, a2 = turn[:, 2], flip * turn[:, 2]
    ok, p1, p2 = tangent(c1, a1, r1, s1, c2, a2, r2, s2)
    assert ok
    t = (p2 - p1) / np.linalg.norm(p2 - p1)
    size = distance + r1 + r2
    check(p1, c1, a1, r1, s1, t, size)
    check(p2, c2, a2, r2, s2, t, size)
    assert math.isclose(float(np.linalg.norm(p2 - p1)), math.sqrt(distance**2 - rho**2), rel_tol=1e-6)


@settings(deadline=None, max_examples=400)
@given(RADII, RADII, SENSES, SENSES, st.floats(1.5, 30.0), st.integers(0, 10**6))
def test_in_planes_that_differ(r1: float, r2: float, s1: float, s2: float, apart: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    first, second = frame(seed), frame(seed + 1)
    c1, a1, a2 = random.normal(size=3), first[:, 2], second[:, 2]
    way = random.normal(size=3)
    way /= np.linalg.norm(way)
    c2 = c1 + apart * (r1 + r2) * way
    if min(np.linalg.norm(np.cross(way, a1)), np.linalg.norm(np.cross(way, a2))) < 0.8:
        return  # a wheel seen from its side may have no tangent
    ok, p1, p2 = tangent(c1, a1, r1, s1, c2, a2, r2, s2)
    assert ok
    t = (p2 - p1) / np.linalg.norm(p2 - p1)
    check(p1, c1, a1, r1, s1, t, apart * (r1 + r2))
    check(p2, c2, a2, r2, s2, t, apart * (r1 + r2))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("s", [-1.0, 1.0])
def test_a_point_before_and_after_a_wheel(first: bool, s: float) -> None:
    """Algorithm 3 as printed gives the same point for both orders; it is the mirrored one."""
    c, p, z = np.zeros(3), np.array([2.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    if first:
        ok, rim, _ = tangent(c, z, 1.0, s, p, z, 0.0, 1.0)
    else:
        ok, _, rim = tangent(p, z, 0.0, 1.0, c, z, 1.0, s)
    assert ok
    assert rim == pytest.approx([0.5, (-s if first else s) * math.sqrt(0.75), 0.0])


@pytest.mark.parametrize(
    ("r1", "r2", "s2", "distance"), [(1.0, 0.3, 1.0, 0.6), (0.3, 1.0, 1.0, 0.6), (1.0, 1.0, -1.0, 1.9)]
)
def test_no_tangent_of_wheels_in_each_other(r1: float, r2: float, s2: float, distance: float) -> None:
    """|D| > |ρ|: with the sign of the print a small wheel inside a large one would pass."""
    z = np.array([0.0, 0.0, 1.0])
    ok, _, _ = tangent(np.zeros(3), z, r1, 1.0, np.array([distance, 0.0, 0.0]), z, r2, s2)
    assert not ok
