"""The volume that a cable sweeps: closed, holds every shape, and is hardly larger than it must be."""

from __future__ import annotations

import io

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray

from lissom.exchange.stl import stl_bytes
from lissom.geometry.envelope import envelope, measure, sheet
from lissom.geometry.tree import build_tree

Array = NDArray[np.float64]


def swung(length: float, angle: float, shapes: int, points: int = 21) -> Array:
    """A straight cable swung about z through its start."""
    s, a = np.linspace(0.0, length, points), np.linspace(0.0, angle, shapes)
    return np.stack([np.outer(np.cos(a), s), np.outer(np.sin(a), s), np.zeros((shapes, points))], axis=-1)


def wriggling(seed: int, shapes: int = 9, points: int = 33) -> Array:
    """A curve in space that moves in all directions."""
    rng = np.random.default_rng(seed)
    s, t = np.linspace(0.0, 1.0, points), np.linspace(0.0, 1.0, shapes)[:, None]
    waves = [
        sum(rng.normal() * np.sin(k * np.pi * s + 2.0 * rng.normal() * t) / k for k in (1, 2, 3)) for _ in range(3)
    ]
    return 0.03 * np.stack(waves, axis=-1) + np.stack([0.2 * s, 0 * s, 0 * s], axis=-1)


def mesh(runs: list[Array], radius: float) -> trimesh.Trimesh:
    vertices, triangles, _ = envelope(runs, radius)
    return trimesh.Trimesh(vertices, triangles, process=False)


def skin(shapes: Array, radius: float, count: int, seed: int = 0) -> Array:
    """Points on the spheres around points of the shapes: the farthest that the cable reaches."""
    rng = np.random.default_rng(seed)
    ways = rng.normal(size=(count, 3))
    ways *= radius / np.linalg.norm(ways, axis=1, keepdims=True)
    k, i, u = (
        rng.integers(len(shapes), size=count),
        rng.integers(shapes.shape[1] - 1, size=count),
        rng.random((count, 1)),
    )
    return np.asarray((1 - u) * shapes[k, i] + u * shapes[k, i + 1] + ways)


def test_a_swung_cable_sweeps_hardly_more_than_the_true_volume() -> None:
    """A sector thickened by r: 2r·area + ½πr²·perimeter + ⁴⁄₃πr³ (Steiner, the sector being convex)."""
    r, angle, length = 0.006, 1.2, 0.15
    made = mesh([swung(length, angle, 61)], r)
    true = length**2 * angle * r + 0.5 * np.pi * r**2 * length * (2 + angle) + 4.0 / 3.0 * np.pi * r**3
    assert made.is_watertight
    assert made.is_winding_consistent
    assert true < made.volume < 1.02 * true
    area = length**2 * angle + np.pi * r * length * (2 + angle) + 4 * np.pi * r**2
    assert len(made.faces) < 25.0 * area / r**2  # it used to be 76


def test_what_is_done_is_told() -> None:
    told: list[float] = []
    envelope([swung(0.1, 1.0, 9)], 0.006, told.append)
    assert told == sorted(told)
    assert 0.0 < told[0] < 0.5
    assert told[-1] == 1.0


def test_a_cable_that_stands_still_is_a_capsule() -> None:
    r, length = 0.005, 0.2
    made = mesh([swung(length, 0.0, 1)], r)
    assert made.is_watertight
    assert np.pi * r**2 * length + 4 / 3 * np.pi * r**3 < made.volume < 1.05 * (np.pi * r**2 * (length + 4 * r / 3))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_mesh_is_nowhere_nearer_than_the_radius(seed: int) -> None:
    """Points all over its triangles, against the distance to the triangles between the shapes."""
    r, shapes = 0.006, wriggling(seed)
    made = mesh([shapes], r)
    tree, _ = build_tree(sheet(shapes))
    rng = np.random.default_rng(seed)
    for _ in range(5):
        places = np.einsum("tk,tki->ti", rng.dirichlet([1.0, 1.0, 1.0], size=len(made.faces)), made.triangles)
        away = np.empty(len(places))
        measure(tree, places, 1.0, away)
        assert away.min() >= r
        assert np.quantile(away, 0.9) < 1.02 * r  # more only in grooves


@pytest.mark.parametrize("shapes", [swung(0.15, 1.2, 61), swung(0.2, 0.0, 1), wriggling(1), wriggling(3)])
def test_no_two_vertices_are_one_in_a_file(shapes: Array) -> None:
    """STL has single precision: where the surface met a node of the grid it was not closed any more."""
    made = mesh([shapes], 0.006)
    assert made.edges_unique_length.min() > 1e-3 * 0.006
    stl = trimesh.load_mesh(io.BytesIO(stl_bytes(1000.0 * made.vertices, np.array(made.faces))), file_type="stl")
    assert isinstance(stl, trimesh.Trimesh)
    assert stl.is_watertight


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_sampled_shape_is_inside_with_its_skin(seed: int) -> None:
    """Told by the winding number: 1 inside a closed mesh, whatever it looks like."""
    r, shapes = 0.006, wriggling(seed)
    made = mesh([shapes], r)
    assert made.is_watertight
    assert made.is_winding_consistent
    assert (winding(made, skin(shapes, r, 100, seed)) > 0.99).all()
    assert (winding(made, shapes.reshape(-1, 3)[::9]) > 0.99).all()


def test_what_lies_between_two_shapes_is_inside_unless_the_cable_jumped() -> None:
    a, b = swung(0.1, 0.0, 1), swung(0.1, 0.0, 1) + np.array([0.0, 0.05, 0.0])
    between = np.array([[0.05, 0.025, 0.0]])
    moved, jumped = mesh([np.concatenate([a, b])], 0.004), mesh([a, b], 0.004)
    assert winding(moved, between)[0] > 0.99
    assert winding(jumped, between)[0] < 0.01
    assert jumped.is_watertight
    assert jumped.body_count == 2


def test_no_radius_no_volume() -> None:
    with pytest.raises(ValueError, match="without a radius"):
        envelope([swung(0.1, 1.0, 3)], 0.0)


def winding(made: trimesh.Trimesh, points: Array) -> Array:
    """Solid angle of the mesh seen from each point, in turns [van Oosterom & Strackee]."""
    found = []
    for p in points:
        a, b, c = (made.triangles[:, k] - p for k in range(3))
        la, lb, lc = (np.linalg.norm(k, axis=1) for k in (a, b, c))
        top = np.einsum("ij,ij->i", a, np.cross(b, c))
        ab, bc, ca = (np.einsum("ij,ij->i", x, y) for x, y in ((a, b), (b, c), (c, a)))
        found.append(np.arctan2(top, la * lb * lc + ab * lc + bc * la + ca * lb).sum() / (2.0 * np.pi))
    return np.array(found)
