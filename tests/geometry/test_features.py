"""Neighbours and normals, against trimesh and on meshes where they are known."""

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray

from lissom.geometry.solids import mesh_solid
from tests.geometry import shapes

Array = NDArray[np.float64]


@pytest.mark.parametrize("name", ["sphere", "torus", "box", "bracket"])
def test_normals_and_neighbours_against_trimesh(name: str) -> None:
    mesh = shapes.MESHES[name][0]()
    solid = mesh_solid(*mesh, closed=True)
    other = trimesh.Trimesh(*mesh, process=False)
    own = mesh[1][solid.original]
    assert np.array_equal(mesh[0][own], solid.vertices[solid.triangles])
    assert np.allclose(solid.face_normal, other.face_normals[solid.original], atol=1e-9)
    weighted = np.zeros_like(mesh[0])
    for k in range(3):
        np.add.at(weighted, mesh[1][:, k], other.face_angles[:, k, None] * other.face_normals)
    weighted /= np.linalg.norm(weighted, axis=1)[:, None]
    assert np.allclose(solid.vertex_normal[solid.triangles], weighted[own], atol=1e-9)
    twin = solid.twin.ravel()
    assert np.array_equal(twin[twin], np.arange(len(twin)))  # two triangles at each edge
    assert (twin // 3 != np.arange(len(twin)) // 3).all()
    ends = np.sort(np.stack([solid.triangles, np.roll(solid.triangles, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    assert np.array_equal(ends, ends[twin])
    both = solid.face_normal[np.arange(len(twin)) // 3] + solid.face_normal[twin // 3]
    assert np.allclose(solid.edge_normal.reshape(-1, 3), both / np.linalg.norm(both, axis=1)[:, None], atol=1e-9)


def test_a_fan_of_many_triangles_finds_all_its_neighbours() -> None:
    count = 500
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    order = np.random.default_rng(4).permutation(count)
    vertices = np.vstack([[0, 0, 1], np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)])
    triangles = np.stack([0 * order, 1 + order, 1 + (order + 1) % count], axis=1)
    solid = mesh_solid(vertices, triangles, closed=False)
    own = np.arange(3 * count).reshape(-1, 3)
    assert np.count_nonzero(solid.twin == own) == count  # the outer border, and nothing else
