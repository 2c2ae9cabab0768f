"""Rest shapes: strains of moulded curves against curves whose curvature is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lissom.scene import Rest
from lissom.scene.frames import director, frame_quaternion
from lissom.scene.rest import moulded_length, moulded_points, strains


def rolled_out(kappa: np.ndarray, s: np.ndarray, tangent: tuple[float, float, float]) -> np.ndarray:
    """The curve with these strains: frames turned step by step about the body axes (midpoint rule)."""
    q = frame_quaternion(tangent)
    R = np.array([director(q, 1), director(q, 2), director(q, 3)]).T
    x = np.zeros((len(s), 3))
    for i in range(len(s) - 1):
        h = s[i + 1] - s[i]
        w = 0.5 * (kappa[i] + kappa[i + 1]) * h
        angle = np.linalg.norm(w) + 1e-300
        K = np.cross(w / angle, np.eye(3)).T
        half = np.eye(3) + math.sin(angle / 2) * K + (1 - math.cos(angle / 2)) * K @ K
        x[i + 1] = x[i] + h * (R @ half)[:, 2]
        R = R @ half @ half
    return x


def test_constant_and_per_point() -> None:
    s = np.linspace(0, 2, 5)
    assert strains(None, 2.0, s).tolist() == [[0, 0, 0]] * 5
    assert strains(Rest(curvature=(1, 2, 3)), 2.0, s).tolist() == [[1, 2, 3]] * 5
    ramp = strains(Rest(curvature=((0, 0, 0), (2, 4, 6))), 2.0, s)
    assert ramp == pytest.approx(np.outer(s / 2, [2, 4, 6]))


def test_a_circle_has_constant_curvature_up_to_its_ends() -> None:
    angle = np.linspace(0, math.pi, 25)
    points = 0.1 * np.stack([np.sin(angle), 0 * angle, 1 - np.cos(angle)], axis=1)  # begins along x, bends to z
    rest = Rest(points=tuple(map(tuple, points)))
    assert rest.points is not None
    length = 0.1 * math.pi
    assert moulded_length(rest.points) == pytest.approx(length, rel=1e-5)
    kappa = strains(rest, length, np.linspace(0, length, 50))
    # roll 0 along x has d1 = −z, d2 = y: bending towards z is κ2 = k·d1 = −10
    assert kappa[:, 0] == pytest.approx(np.zeros(50), abs=1e-9)
    assert kappa[:, 1] == pytest.approx(np.full(50, -10.0), rel=0.02)


def test_a_helix_comes_back_from_its_strains() -> None:
    angle = np.linspace(0, 3 * math.pi, 61)
    points = np.stack([0.05 * np.cos(angle), 0.05 * np.sin(angle), 0.01 * angle], axis=1)
    rest = Rest(points=tuple(map(tuple, points)))
    assert rest.points is not None
    length = moulded_length(rest.points)
    assert length == pytest.approx(3 * math.pi * math.hypot(0.05, 0.01), rel=1e-4)
    s = np.linspace(0, length, 2001)
    kappa = strains(rest, length, s)
    assert np.hypot(kappa[:, 0], kappa[:, 1])[100:-100] == pytest.approx(0.05 / (0.05**2 + 0.01**2), rel=0.01)
    assert not kappa[:, 2].any()
    back = rolled_out(kappa, s, (0.0, 0.05, 0.01))
    assert back + points[0] == pytest.approx(moulded_points(rest.points, length, s), abs=2e-4 * length)


def test_a_length_within_a_percent_keeps_the_angles() -> None:
    points = tuple((0.1 * math.sin(a), 0.0, 0.1 * math.cos(a)) for a in np.linspace(0, 1, 12))
    rest = Rest(points=points)
    exact, longer = moulded_length(points), 1.008 * moulded_length(points)
    turned = [np.trapezoid(strains(rest, L, np.linspace(0, L, 500))[:, 1], dx=L / 499) for L in (exact, longer)]
    assert turned[0] == pytest.approx(turned[1], rel=1e-9)
    assert abs(turned[0]) == pytest.approx(1.0, rel=1e-3)


def test_two_points_are_straight() -> None:
    rest = Rest(points=((0, 0, 0), (0, 0, 1)))
    assert not strains(rest, 1.0, np.linspace(0, 1, 4)).any()
    assert moulded_length(((0, 0, 0), (0, 3, 4))) == pytest.approx(5.0)
