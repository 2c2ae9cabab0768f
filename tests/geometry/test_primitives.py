"""Simple solids against their definitions, finite differences and dense samples."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.geometry import primitives, solids
from lissom.geometry.solids import Solid
from lissom.kernels import kernel

Array = NDArray[np.float64]

SOLIDS = {
    "plane": solids.plane_solid(),
    "sphere": solids.sphere_solid(0.8),
    "capsule": solids.capsule_solid(0.5, 0.7),
    "cylinder": solids.cylinder_solid(0.6, 0.9),
}


@kernel
def fields(kind: int, size: Array, points: Array, d: Array, n: Array, h: Array, part: NDArray[np.int64]) -> None:
    for i in range(len(points)):
        x = (points[i, 0], points[i, 1], points[i, 2])
        d[i], normal, part[i] = primitives.field(kind, size, x)
        n[i, 0], n[i, 1], n[i, 2] = normal
        h[i, 0], h[i, 1], h[i, 2], h[i, 3], h[i, 4], h[i, 5] = primitives.curvature(
            kind, size, x, d[i], normal, part[i]
        )


def field(solid: Solid, points: Array) -> tuple[Array, Array, Array, NDArray[np.int64]]:
    count = len(points)
    d, n, h, part = np.empty(count), np.empty((count, 3)), np.empty((count, 6)), np.empty(count, np.int64)
    fields(solid.kind, solid.size, points, d, n, h, part)
    return d, n, h[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3), part


@pytest.mark.parametrize("name", SOLIDS)
def test_normal_and_curvature_are_derivatives(name: str) -> None:
    points = np.random.default_rng(1).uniform(-1.5, 1.5, size=(400, 3))
    d, n, h, part = field(SOLIDS[name], points)
    step = 1e-5
    checked = 0
    for k in range(3):
        move = step * np.eye(3)[k]
        above, below = field(SOLIDS[name], points + move), field(SOLIDS[name], points - move)
        smooth = (above[3] == part) & (below[3] == part) & (np.abs(points[:, :2]).max(axis=1) > 0.02)
        assert np.allclose(((above[0] - below[0]) / (2 * step))[smooth], n[smooth, k], atol=1e-7)
        assert np.allclose(((above[1] - below[1]) / (2 * step))[smooth], h[smooth, :, k], atol=1e-4)
        checked += smooth.sum()
    assert checked > 1100
    assert np.allclose(np.linalg.norm(n, axis=1), 1.0)
    assert np.abs(field(SOLIDS[name], points - d[:, None] * n)[0])[d > 0].max() < 1e-12  # y lies on the surface
    assert len(set(part.tolist())) == {"plane": 1, "sphere": 1, "capsule": 3, "cylinder": 5}[name]


def test_the_middle_of_round_things_is_no_trouble() -> None:
    for name in ("sphere", "capsule", "cylinder"):
        d, n, h, _ = field(SOLIDS[name], np.zeros((1, 3)))
        assert d[0] < 0.0
        assert np.linalg.norm(n[0]) == pytest.approx(1.0)
        assert np.isfinite(h).all()


@pytest.mark.parametrize("name", SOLIDS)
def test_lowest_and_first_crossing_against_samples(name: str) -> None:
    solid = SOLIDS[name]
    rng = np.random.default_rng(2)
    fractions = np.linspace(0, 1, 2001)
    crossings = 0
    for _ in range(150):
        a, b = rng.uniform(-1.5, 1.5, size=(2, 3))
        line = a + fractions[:, None] * (b - a)
        d = field(solid, line)[0]
        t0, t1 = primitives.lowest(solid.kind, solid.size, tuple(a), tuple(b))
        assert 0.0 <= t0 <= t1 <= 1.0
        at = field(solid, a + np.array([[t0], [t1]]) * (b - a))[0]
        assert (at <= d.min() + 1e-12).all()
        assert (at >= d.min() - np.linalg.norm(b - a) / 4000).all()  # half a step between samples
        fraction = primitives.first_crossing(solid.kind, solid.size, tuple(a), tuple(b))
        changes = np.flatnonzero(np.sign(d[1:]) != np.sign(d[:-1]))
        if len(changes) == 0:
            assert fraction == math.inf or abs(d).min() < 1e-5
        else:
            crossings += 1
            assert fractions[changes[0]] - 1e-9 <= fraction <= fractions[changes[0] + 1] + 1e-9
    assert 20 < crossings < 140


def test_lowest_is_a_stretch_where_the_distance_is_constant() -> None:
    t0, t1 = primitives.lowest(solids.CYLINDER, SOLIDS["cylinder"].size, (-2.0, 0.0, 1.0), (2.0, 0.0, 1.0))
    assert t0 == pytest.approx((2.0 - 0.6) / 4.0, abs=1e-6)  # over the flat end
    assert t1 == pytest.approx((2.0 + 0.6) / 4.0, abs=1e-6)
    assert primitives.lowest(solids.PLANE, SOLIDS["plane"].size, (0.0, 0.0, 1.0), (1.0, 0.0, 1.0)) == (0.0, 1.0)
