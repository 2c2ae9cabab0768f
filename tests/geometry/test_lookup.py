"""What the tree answers, against libigl and against looking at every triangle."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.geometry import lookup, nearest
from lissom.geometry.tree import Tree, build_tree
from tests.geometry import shapes

igl = pytest.importorskip("igl")

Array = NDArray[np.float64]


def tree_of(mesh: shapes.Mesh) -> Tree:
    return build_tree(mesh[0][mesh[1]].reshape(-1, 9))[0]


@pytest.mark.parametrize("name", shapes.MESHES)
def test_closest_against_libigl(name: str) -> None:
    mesh = shapes.MESHES[name][0]()
    made = tree_of(mesh)
    points = shapes.points_around(mesh, 500, seed=5)
    distance, where = np.empty(500), np.empty((500, 3))
    triangle, code = np.empty(500, np.int64), np.empty(500, np.int64)
    lookup.closest_many(made, points, distance, triangle, where, code)
    squared, _, expected = igl.point_mesh_squared_distance(points, *mesh)
    assert np.allclose(distance, np.sqrt(squared), atol=1e-12)
    assert np.allclose(np.linalg.norm(points - where, axis=1), distance, atol=1e-12)
    same = np.linalg.norm(where - expected, axis=1) < 1e-9
    assert same.mean() > 0.98  # the rest lies halfway between two places
    assert set(code.tolist()) >= {nearest.FACE}
    for t, y in zip(triangle, where, strict=True):
        weights = np.linalg.lstsq(made.corners[t].reshape(3, 3).T, y, rcond=None)[0]
        assert weights.min() > -1e-9 or np.abs(np.linalg.det(made.corners[t].reshape(3, 3))) < 1e-9


def test_closest_within_a_limit() -> None:
    made = tree_of(shapes.sphere())
    stack = lookup.new_stack()
    assert lookup.closest(made, (0.0, 0.0, 0.15), 0.04**2, stack)[1] == -1
    assert lookup.closest(made, (0.0, 0.0, 0.15), 0.06**2, stack)[1] >= 0


def brute_hit(mesh: shapes.Mesh, a: Array, b: Array) -> float:
    best = math.inf
    for p, q, r in mesh[0][mesh[1]]:
        system = np.array([q - p, r - p, a - b]).T
        if abs(np.linalg.det(system)) < 1e-14:
            continue
        u, v, f = np.linalg.solve(system, a - p)
        if u >= 0 and v >= 0 and u + v <= 1 and 0 <= f <= 1:
            best = min(best, float(f))
    return best


@pytest.mark.parametrize("name", ["torus", "bracket", "sheet"])
def test_hits_against_every_triangle(name: str) -> None:
    mesh = shapes.MESHES[name][0]()
    made = tree_of(mesh)
    stack = lookup.new_stack()
    ends = shapes.points_around(mesh, 120, seed=6, reach=0.3)
    hits = 0
    for a, b in zip(ends[:60], ends[60:], strict=True):
        fraction, triangle = lookup.hit(made, tuple(a), tuple(b), stack)
        assert fraction == pytest.approx(brute_hit(mesh, a, b), abs=1e-9)
        assert (triangle >= 0) == (fraction <= 1.0)
        hits += triangle >= 0
    assert 5 < hits < 55


def test_no_path_slips_through_an_edge_or_a_vertex() -> None:
    """Straight down on the lines of a grid, where a sloppy test would fall between two triangles."""
    made = tree_of(shapes.grid(10, 10, False, lambda u, v: (u, v, 0.0)))
    stack = lookup.new_stack()
    for x in np.linspace(0.05, 0.95, 19):
        for y in np.linspace(0.05, 0.95, 19):
            assert lookup.hit(made, (x, y, 0.5), (x, y, -0.5), stack)[0] == pytest.approx(0.5)
            assert lookup.hit(made, (x, y, 0.5), (x, y, 0.01), stack)[0] == math.inf


@pytest.mark.parametrize("name", ["torus", "bracket", "sheet"])
def test_collect_misses_none(name: str) -> None:
    mesh = shapes.MESHES[name][0]()
    made = tree_of(mesh)
    stack = lookup.new_stack()
    rng = np.random.default_rng(7)
    points = shapes.points_around(mesh, 200, seed=8, reach=0.2)
    near = np.empty(len(mesh[1]), np.int64)
    fewer = 0
    for a, b in zip(points[:100], points[100:], strict=True):
        cutoff = rng.uniform(0.0, 0.05)
        leaves = near[: lookup.collect(made, tuple(a), tuple(b), 0.0, cutoff, stack, near)]
        found = {t for k in leaves for t in range(made.first[k], made.first[k] + made.leaf[k])}
        assert len(found) == made.leaf[leaves].sum()
        samples = a + np.linspace(0, 1, 40)[:, None] * (b - a)
        for t in set(range(len(made.corners))) - found:
            corners = [tuple(c) for c in made.corners[t].reshape(3, 3)]
            for x in samples[::8]:
                y, _ = nearest.on_triangle(tuple(x), *corners)
                assert np.linalg.norm(x - np.array(y)) > cutoff
        fewer += len(found) < len(made.corners) // 2
    assert fewer > 50


def test_collect_counts_what_it_has_no_room_for() -> None:
    made = tree_of(shapes.sphere())
    stack = lookup.new_stack()
    near, few = np.empty(2000, np.int64), np.empty(10, np.int64)
    count = lookup.collect(made, (0.0, 0.0, 0.0), (0.2, 0.0, 0.0), 0.0, 0.05, stack, near)
    assert count > 10
    assert lookup.collect(made, (0.0, 0.0, 0.0), (0.2, 0.0, 0.0), 0.0, 0.05, stack, few) == count
    assert np.array_equal(few, near[:10])
