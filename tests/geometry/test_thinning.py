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
    vertices, triangles = thinned(np.array(fine.vertices), np.array(fine.faces, dtype=np.int64), 1e-9)
    made = trimesh.Trimesh(vertices, triangles, process=False)
    on_edges = 12 * 15 + 8  # no star there is flat: they stay, and no triangle has fewer than one corner on an edge
    assert 2 * on_edges - 4 <= len(triangles) < 2.5 * on_edges
    assert made.is_watertight
    assert made.is_winding_consistent
    assert made.euler_number == 2
    assert made.volume == pytest.approx(6.0, rel=1e-12)


@pytest.mark.parametrize("depth", [1e-4, 1e-3, 1e-2])
def test_a_sphere_goes_in_by_no_more_than_the_depth(depth: float) -> None:
    fine = trimesh.creation.icosphere(subdivisions=5, radius=1.0)
    vertices, triangles = thinned(np.array(fine.vertices), np.array(fine.faces, dtype=np.int64), depth)
    made = trimesh.Trimesh(vertices, triangles, process=False)
    assert made.is_watertight
    assert made.euler_number == 2
    inner = float(np.linalg.norm(fine.triangles_center, axis=1).min())
    rng = np.random.default_rng(1)
    weights = rng.dirichlet([1.0, 1.0, 1.0], size=len(triangles))
    places = np.einsum("tk,tki->ti", weights, made.triangles)
    assert np.linalg.norm(places, axis=1).min() > inner - depth
    assert np.linalg.norm(places, axis=1).max() <= 1.0 + 1e-12
    if depth > 1e-3:
        assert len(triangles) < 0.6 * len(fine.faces)


def test_a_torus_keeps_its_hole() -> None:
    fine = trimesh.creation.torus(1.0, 0.3, major_sections=80, minor_sections=40)
    vertices, triangles = thinned(np.array(fine.vertices), np.array(fine.faces, dtype=np.int64), 0.02)
    made = trimesh.Trimesh(vertices, triangles, process=False)
    assert made.is_watertight
    assert made.euler_number == 0
    assert len(triangles) < 0.8 * len(fine.faces)
