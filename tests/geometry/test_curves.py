"""Curves of a given length: the first guesses."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.geometry import curves

Array = NDArray[np.float64]


def length_of(points: Array) -> float:
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def vector(*values: float) -> Array:
    return np.array(values, dtype=float)


@pytest.mark.parametrize("length", [1.05, 1.5, 4.0])
def test_cubic_has_its_length_ends_and_directions(length: float) -> None:
    p0, p1 = vector(0, 0, 0), vector(0.6, 0.8, 0)
    t0, t1 = vector(1, 0, 0), vector(0, 0.6, 0.8)
    samples = np.empty((curves.SAMPLES, 3))
    curves.hermite_of_length(p0, t0, p1, t1, length, samples)
    assert np.allclose(samples[0], p0)
    assert np.allclose(samples[-1], p1)
    assert length_of(samples) == pytest.approx(length, rel=1e-6)
    for step, direction in ((samples[1] - samples[0], t0), (samples[-1] - samples[-2], t1)):
        assert float(step @ direction) > 0.9 * float(np.linalg.norm(step))


@pytest.mark.parametrize("apart", [0.0, 0.02, 0.5, 0.999])
def test_cubic_that_turns_back(apart: float) -> None:
    """Its length first falls with the size of the tangents: there is one root beyond."""
    samples = np.empty((curves.SAMPLES, 3))
    p1, back, up = vector(apart, 0, 0), vector(-1, 0, 0), vector(0, 0, 1)
    curves.hermite_of_length(vector(0, 0, 0), back, p1, up, 1.0, samples)
    assert length_of(samples) == pytest.approx(1.0, rel=1e-9)
    assert float((samples[1] - samples[0]) @ back) > 0.0


def test_cubic_between_points_too_far_apart_is_straight() -> None:
    """A cable that stretches may be asked for that."""
    samples = np.empty((curves.SAMPLES, 3))
    curves.hermite_of_length(vector(0, 0, 0), vector(0, 1, 0), vector(2, 0, 0), vector(0, 1, 0), 1.0, samples)
    assert length_of(samples) == pytest.approx(2.0, rel=1e-6)


@pytest.mark.parametrize("rise", [-0.7, 0.0, 0.4])
@pytest.mark.parametrize("span", [0.3, 0.8])
def test_catenary(rise: float, span: float) -> None:
    """It has its length and ends, and its slope is linear in the arc length."""
    length = 1.3
    p0, p1 = vector(1, 2, 3), vector(1 + span, 2, 3 + rise)
    samples = np.empty((401, 3))
    curves.catenary_of_length(p0, p1, vector(0, 0, -1), length, samples)
    assert np.allclose(samples[0], p0, atol=1e-12)
    assert np.allclose(samples[-1], p1, atol=1e-9)
    assert length_of(samples) == pytest.approx(length, rel=1e-4)
    steps = np.diff(samples, axis=0)
    assert np.allclose(np.linalg.norm(steps, axis=1), length / 400, rtol=1e-3)
    slope = steps[:, 2] / steps[:, 0]
    assert np.allclose(np.diff(slope, 2), 0.0, atol=1e-3 * float(np.abs(np.diff(slope)).max()) + 1e-9)
    assert np.allclose(samples[:, 1], 2.0)


def test_catenary_of_ends_above_each_other_folds() -> None:
    samples = np.empty((201, 3))
    curves.catenary_of_length(vector(0, 0, 0), vector(0, 0, -0.2), vector(0, 0, -1), 1.0, samples)
    assert np.all(np.isfinite(samples))
    assert length_of(samples) == pytest.approx(1.0, rel=0.05)
    assert samples[:, 2].min() < -0.5


@pytest.mark.parametrize("v", [(0, 0, 1), (0, 0, -2), (1, 1, 1), (3, 0, 0), (0.1, -5, 0.1)])
def test_perpendicular(v: tuple[float, float, float]) -> None:
    out = np.empty(3)
    curves.perpendicular(vector(*v), out)
    assert float(np.linalg.norm(out)) == pytest.approx(1.0, abs=1e-12)
    assert abs(float(out @ vector(*v))) < 1e-12 * float(np.linalg.norm(v)) + 1e-15


def test_resampling_a_circle() -> None:
    angle = np.linspace(0.0, 2.0 * math.pi, 2001)
    circle = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    fractions = np.array([0.0, 0.125, 0.25, 0.5, 1.0])
    out = np.empty((5, 3))
    curves.resample(circle, fractions, out)
    expected = np.stack([np.cos(2 * math.pi * fractions), np.sin(2 * math.pi * fractions), 0 * fractions], axis=1)
    assert np.allclose(out, expected, atol=1e-5)


def test_resampling_over_a_point_given_twice() -> None:
    samples = vector(0, 0, 0, 1, 0, 0, 1, 0, 0, 2, 0, 0).reshape(4, 3)
    out = np.empty((3, 3))
    curves.resample(samples, vector(0, 0.5, 1), out)
    assert np.allclose(out[:, 0], [0.0, 1.0, 2.0])
