"""The least distance of a cable, and paths through surfaces, against looking everywhere."""

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from lissom.geometry import lookup, solids
from lissom.geometry.clearance import clearance, crossed
from lissom.geometry.nearest import on_segments
from lissom.geometry.solids import Solid, mesh_solid
from tests.geometry import shapes

igl = pytest.importorskip("igl")

Array = NDArray[np.float64]

TURNED = (Rotation.from_rotvec([0.3, -0.8, 1.9]).as_matrix(), np.array([1.0, -2.0, 0.3]))


def brute(mesh: shapes.Mesh, points: Array) -> float:
    """The least distance, from every edge of the mesh to every segment and every point to every triangle."""
    squared, _, _ = igl.point_mesh_squared_distance(points, *mesh)
    least = math.sqrt(float(squared.min()))
    edges = np.unique(np.sort(np.vstack([mesh[1][:, [0, 1]], mesh[1][:, [1, 2]], mesh[1][:, [2, 0]]]), axis=1), axis=0)
    for a, b in itertools.pairwise(points):
        for p, q in mesh[0][edges]:
            t, u = on_segments(tuple(a), tuple(b - a), tuple(p), tuple(q - p))
            least = min(least, float(np.linalg.norm(a + t * (b - a) - p - u * (q - p))))
    return least


def world(points: Array) -> Array:
    return np.asarray(points @ TURNED[0].T + TURNED[1], dtype=np.float64)


@pytest.mark.parametrize("name", ["box", "bracket", "sheet"])
def test_clearance_against_every_edge_and_triangle(name: str) -> None:
    make, closed = shapes.MESHES[name]
    mesh = make()
    solid = mesh_solid(*mesh, closed=closed)
    stack = lookup.new_stack()
    rng = np.random.default_rng(21)
    inner = through = 0
    for _ in range(40):
        middle = shapes.points_around(mesh, 1, seed=int(rng.integers(1 << 30)), reach=0.3)[0]
        points = middle + 0.15 * np.cumsum(rng.normal(size=(4, 3)), axis=0)
        inside = closed and bool(
            (igl.signed_distance(points, *mesh, sign_type=igl.SIGNED_DISTANCE_TYPE_WINDING_NUMBER)[0] < 0).any()
        )
        distance, segment, t, y = clearance(solid, *TURNED, world(points), np.ones(4, np.int64))
        x = (1 - t) * points[segment] + t * points[segment + 1]
        assert np.linalg.norm(world(x[None])[0] - y) == pytest.approx(abs(distance), abs=1e-12)
        hits = any(lookup.hit(solid.tree, tuple(a), tuple(b), stack)[0] <= 1.0 for a, b in itertools.pairwise(points))
        if inside:
            assert distance < 0.0
        elif hits:
            assert distance == 0.0
            through += 1
        else:
            assert distance == pytest.approx(brute(mesh, points), abs=1e-12)
            inner += 0.0 < t < 1.0
    assert inner > 5
    assert through > 0


def test_a_point_inside_says_how_deep() -> None:
    solid = mesh_solid(*shapes.box(), closed=True)
    points = np.array([[0.0, 0.0, 0.2], [0.0, 0.0, 0.02], [0.0, 0.0, 0.01], [0.0, 0.0, 0.5]])
    distance, segment, t, y = clearance(solid, np.eye(3), np.zeros(3), points, np.ones(4, np.int64))
    assert distance == pytest.approx(-0.015)
    assert (segment, t) == (2, 0.0)
    assert y == pytest.approx((0.0, 0.0, 0.025))


def test_only_wanted_points_count() -> None:
    points = np.array([[0.0, 0.0, 0.3], [0.0, 0.0, 0.1], [0.3, 0.0, 0.1]])
    for solid in (mesh_solid(*shapes.box(), closed=True), solids.cylinder_solid(0.1, 0.025)):
        here = (solid, np.eye(3), np.zeros(3), points)
        assert clearance(*here, np.array([1, 1, 1]))[0] == pytest.approx(0.075)
        assert clearance(*here, np.array([1, 0, 1]))[0] == pytest.approx(math.hypot(0.2, 0.075))
        assert clearance(*here, np.array([0, 0, 0]))[:2] == (math.inf, -1)


SIMPLE = [
    solids.plane_solid(),
    solids.sphere_solid(0.1),
    solids.capsule_solid(0.06, 0.1),
    solids.cylinder_solid(0.08, 0.1),
]


def depth(solid: Solid, x: Array) -> float:
    return clearance(solid, np.eye(3), np.zeros(3), np.array([x, x + 1.0]), np.array([1, 0]))[0]


@pytest.mark.parametrize("solid", SIMPLE)
def test_simple_solids_against_samples(solid: Solid) -> None:
    rng = np.random.default_rng(22)
    fractions = np.linspace(0, 1, 300)
    crossings = 0
    for _ in range(40):
        a, b = rng.uniform(-0.25, 0.25, size=(2, 3))
        samples = np.array([depth(solid, a + f * (b - a)) for f in fractions])
        ends = world(np.array([a, b]))
        distance, _, t, y = clearance(solid, *TURNED, ends, np.ones(2, np.int64))
        assert samples.min() - 1e-3 <= distance <= samples.min() + 1e-12
        assert np.linalg.norm(ends[0] + t * (ends[1] - ends[0]) - y) == pytest.approx(abs(distance))
        fraction = crossed(solid, *TURNED, ends[0], ends[1])
        changes = np.flatnonzero(np.sign(samples[1:]) != np.sign(samples[:-1]))
        if len(changes):
            crossings += 1
            assert fractions[changes[0]] - 1e-9 <= fraction <= fractions[changes[0] + 1] + 1e-9
        else:
            assert fraction == math.inf or np.abs(samples).min() < 1e-3
    assert 5 < crossings < 40


def test_crossing_a_mesh_from_outside_and_from_inside() -> None:
    solid = mesh_solid(*shapes.box(), closed=True)
    turned, origin = TURNED
    up, middle, side = world(np.array([[0.01, 0.01, 0.125], [0.01, 0.01, 0.0], [0.5, 0.5, 0.5]]))
    assert crossed(solid, turned, origin, up, middle) == pytest.approx(0.8)
    assert crossed(solid, turned, origin, middle, up) == pytest.approx(0.2)
    assert crossed(solid, turned, origin, up, side) == math.inf
    assert crossed(solid, turned, origin, up, np.full(3, np.nan)) == math.inf
