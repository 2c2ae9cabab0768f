"""Solids from meshes and sizes: what is refused, and how. What a mesh becomes: test_features.py."""

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray

from lissom.geometry import solids
from lissom.geometry.solids import mesh_solid
from tests.geometry import shapes

Array = NDArray[np.float64]


@pytest.mark.parametrize(
    ("vertices", "triangles", "words"),
    [
        (np.zeros((4, 2)), np.array([[0, 1, 2]]), "vertices: shape"),
        (np.eye(3), np.array([[0, 1, 2, 0]]), "triangles: shape"),
        (np.eye(3), np.array([[0, 1, 3]]), "vertex 3 does not exist"),
        (np.eye(3), np.array([[0, 1, -1]]), "vertex -1 does not exist"),
        (np.diag([1.0, np.nan, 1.0]), np.array([[0, 1, 2]]), "number 1 is"),
        (np.ones((3, 3)), np.array([[0, 1, 2]]), "has an area"),
        (np.eye(3), np.zeros((0, 3), dtype=int), "none of the 0"),
    ],
)
def test_bad_meshes_are_named(vertices: Array, triangles: NDArray[np.int64], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        mesh_solid(vertices, triangles, closed=True)


def test_bad_sizes_are_named() -> None:
    with pytest.raises(ValueError, match=r"radius: -1\.0 m"):
        solids.sphere_solid(-1.0)
    with pytest.raises(ValueError, match="half_length"):
        solids.cylinder_solid(1.0, float("nan"))


def test_progress_rises_to_one() -> None:
    told: list[float] = []
    mesh_solid(*shapes.box(), closed=True, progress=lambda fraction, text: told.append(fraction))
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len(told) > 2


def test_a_box_has_its_volume() -> None:
    assert trimesh.Trimesh(*shapes.box(), process=False).volume == pytest.approx(0.2 * 0.12 * 0.05)
