"""Meshes that the tests of this folder share: vertices (v, 3), triangles (t, 3)."""

import math
from collections.abc import Callable

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from lissom.geometry.solids import box_mesh

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Mesh = tuple[Array, Indices]


def plain(mesh: trimesh.Trimesh) -> Mesh:
    return np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int64)


def sphere() -> Mesh:
    return plain(trimesh.creation.icosphere(3, radius=0.1))


def torus() -> Mesh:
    return plain(trimesh.creation.torus(0.1, 0.04, major_sections=40, minor_sections=20))


def box() -> Mesh:
    return box_mesh((0.2, 0.12, 0.05))


def bracket() -> Mesh:
    """An L of three cubes, 0.1 m each, extruded along z; its inner edge runs from (0.1, 0.1, 0) to (0.1, 0.1, 0.1)."""
    outline = [(0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2), (0, 1)]
    squares = [(0, 1, 4, 7), (1, 2, 3, 4), (7, 4, 5, 6)]
    vertices = [(x, y, z) for z in (0, 1) for x, y in outline]
    triangles = []
    for a, b, c, d in squares:
        triangles += [(a, c, b), (a, d, c), (a + 8, b + 8, c + 8), (a + 8, c + 8, d + 8)]
    for k in range(8):
        a, b = k, (k + 1) % 8
        triangles += [(a, b, b + 8), (a, b + 8, a + 8)]
    return 0.1 * np.array(vertices, dtype=np.float64), np.array(triangles, dtype=np.int64)


def grid(columns: int, rows: int, hole: bool, place: Callable[[float, float], tuple[float, float, float]]) -> Mesh:
    """A sheet of columns × rows squares; `place` maps (u, v) in [0, 1]² to space."""
    vertices = [place(i / columns, j / rows) for i in range(columns + 1) for j in range(rows + 1)]
    triangles = []
    for i in range(columns):
        for j in range(rows):
            if hole and columns // 3 <= i < 2 * columns // 3 and rows // 3 <= j < 2 * rows // 3:
                continue
            a, b = i * (rows + 1) + j, (i + 1) * (rows + 1) + j
            triangles += [(a, b, b + 1), (a, b + 1, a + 1)]
    return np.array(vertices, dtype=np.float64), np.array(triangles, dtype=np.int64)


def sheet() -> Mesh:
    """A bent sheet with a hole: a third of a cylinder of radius 0.1 m."""
    return grid(12, 9, True, lambda u, v: (0.1 * math.cos(2.0 * u), 0.1 * math.sin(2.0 * u), 0.2 * v))


def floor() -> Mesh:
    """A flat sheet of 800 triangles, 0.4 m × 0.4 m around the origin, none of its lines along an axis."""
    vertices, triangles = grid(20, 20, False, lambda u, v: (0.4 * u - 0.2, 0.4 * v - 0.2, 0.0))
    return vertices @ Rotation.from_euler("z", 0.3).as_matrix().T, triangles


MESHES = {  # and whether they are closed
    "sphere": (sphere, True),
    "torus": (torus, True),
    "box": (box, True),
    "bracket": (bracket, True),
    "sheet": (sheet, False),
}


def points_around(mesh: Mesh, count: int, seed: int, reach: float = 0.6) -> Array:
    """Random points in and around the mesh, up to `reach` of its size away."""
    rng = np.random.default_rng(seed)
    low, high = mesh[0].min(axis=0), mesh[0].max(axis=0)
    far = reach * float((high - low).max())
    return rng.uniform(low - far, high + far, size=(count, 3))
