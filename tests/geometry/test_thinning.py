"""Fewer triangles: the mesh stays closed and wound alike, and the surface stays where it was."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from lissom.geometry.thinning import thinned


def box(cells: int) -> trimesh.Trimesh:
    made = trimesh.creation.box((1.0, 2.0, 3.0))
    for _ in range(cells):
        made = made.subdivide()
    made.merge_vertices()
    assert isinstance(made, trimesh.Trimesh)
    return made


def test_a_finely_cut_box_becomes_a_coarse_one_of_the_same_volume() -> None:
    fine = box(4)
    nowhere = np.zeros(len(fine.vertices))  # nothing is known of distances: only what is flat goes
    vertices, triangles = thinned(np.array(fine.vertices), np.array(fine.faces, dtype=np.int64), nowhere, 9.0, 0.0, 0.0)
    made = trimesh.Trimesh(vertices, triangles, process=False)
    on_edges = 12 * 15 + 8  # no star there is flat: they stay, and no triangle has fewer than one corner on an edge
    assert 2 * on_edges - 4 <= len(triangles) < 2.5 * on_edges
    assert made.is_watertight
    assert made.is_winding_consistent
    assert made.euler_number == 2
    assert made.volume == pytest.approx(6.0, rel=1e-12)


@pytest.mark.parametrize("spare", [1e-4, 1e-3, 1e-2])
def test_a_sphere_goes_in_as_far_as_it_may(spare: float) -> None:
    """Around its middle: no triangle comes nearer than the radius, and there are about as few as that allows."""
    fine = trimesh.creation.icosphere(subdivisions=5, radius=1.0)
    inner = float(np.linalg.norm(fine.triangles_center, axis=1).min())
    away, radius = np.ones(len(fine.vertices)), inner - spare
    vertices, triangles = thinned(np.array(fine.vertices), np.array(fine.faces, dtype=np.int64), away, radius, 0.0, 0.0)
    made = trimesh.Trimesh(vertices, triangles, process=False)
    assert made.is_watertight
    assert made.euler_number == 2
    rng = np.random.default_rng(1)
    weights = rng.dirichlet([1.0, 1.0, 1.0], size=len(triangles))
    places = np.einsum("tk,tki->ti", weights, made.triangles)
    assert np.linalg.norm(places, axis=1).min() > radius
    assert np.linalg.norm(places, axis=1).max() <= 1.0 + 1e-12
    least = 4.0 * np.pi / (0.75 * np.sqrt(3.0) * (1.0 - radius**2))  # all of them as large as can be, R² = 1 − radius²
    if spare > 1e-3:
        assert len(triangles) < 3.0 * least


def test_a_torus_keeps_its_hole() -> None:
    fine = trimesh.creation.torus(1.0, 0.3, major_sections=80, minor_sections=40)
    away = np.full(len(fine.vertices), 0.3)  # from the circle inside
    vertices, triangles = thinned(np.array(fine.vertices), np.array(fine.faces, dtype=np.int64), away, 0.28, 0.0, 0.01)
    made = trimesh.Trimesh(vertices, triangles, process=False)
    assert made.is_watertight
    assert made.euler_number == 0
    assert len(triangles) < 0.8 * len(fine.faces)
    x = made.triangles_center
    assert np.hypot(np.hypot(x[:, 0], x[:, 1]) - 1.0, x[:, 2]).min() > 0.28


def test_a_groove_is_not_filled_beyond_the_depth() -> None:
    """Nothing is too near there, so only the depth keeps the surface from going out: a wavy plate stays wavy."""
    plate = trimesh.creation.box((2.0, 2.0, 0.2)).subdivide_to_size(0.05)
    plate.merge_vertices()
    vertices = np.array(plate.vertices)
    waves = 0.02 * np.cos(6.0 * vertices[:, 0])
    vertices[:, 2] += np.where(vertices[:, 2] > 0.0, waves, -waves)
    truth = trimesh.Trimesh(vertices, plate.faces, process=False)
    far = np.full(len(vertices), 5.0)
    found = thinned(vertices, np.array(plate.faces, dtype=np.int64), far, 1.0, 0.0, 0.002)
    made = trimesh.Trimesh(*found, process=False)
    assert made.is_watertight
    assert made.volume < truth.volume + 0.004 * 8.0
    assert len(found[1]) < 0.5 * len(plate.faces)
