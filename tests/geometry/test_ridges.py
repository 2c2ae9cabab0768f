"""What can be touched from outside, on meshes where it is known."""

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.solids import Solid, mesh_solid
from tests.geometry import shapes

Array = NDArray[np.float64]


def ridges(solid: Solid) -> list[tuple[Array, Array]]:
    """Both ends of each edge that can be touched."""
    found = []
    for t, k in zip(*np.nonzero(solid.ridge), strict=True):
        a, b = solid.triangles[t, k], solid.triangles[t, (k + 1) % 3]
        found.append((solid.vertices[a], solid.vertices[b]))
    return found


def test_a_box_has_twelve_edges_and_eight_corners() -> None:
    solid = mesh_solid(*shapes.box(), closed=True)
    assert len(ridges(solid)) == 12
    for a, b in ridges(solid):
        assert np.count_nonzero(a != b) == 1  # along an axis: no diagonal of a side
    assert (solid.peak > 0.5).all()
    assert solid.tip.sum() == 8


def test_the_inner_edge_of_a_bracket_cannot_be_touched() -> None:
    solid = mesh_solid(*shapes.bracket(), closed=True)
    assert len(ridges(solid)) == 21  # 8 around each end, 5 along; not the inner one, not those that are flat
    for a, b in ridges(solid):
        upright = a[2] != b[2]
        assert not (upright and np.allclose(a[:2], 0.1))
    inner = np.flatnonzero(np.isclose(solid.vertices[:, :2], 0.1).all(axis=1))
    assert len(inner) == 2
    assert (solid.peak[inner] == 0.0).all()
    assert np.count_nonzero(solid.peak) == 10


def test_the_inner_edge_of_a_bent_sheet_can_be_touched_from_its_other_side() -> None:
    vertices = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]], dtype=float)
    triangles = np.array([[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]])
    assert len(ridges(mesh_solid(vertices, triangles, closed=False))) == 7  # the fold and six sides


def test_a_flat_sheet_has_only_its_border() -> None:
    solid = mesh_solid(*shapes.floor(), closed=False)
    assert len(ridges(solid)) == 80
    assert np.count_nonzero(solid.peak) == 4


def test_sheets_that_branch() -> None:
    """Three sheets along one edge: the edge counts once."""
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1]], dtype=float)
    triangles = np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4]])
    solid = mesh_solid(vertices, triangles, closed=False)
    assert len(ridges(solid)) == 7
    assert len([1 for a, b in ridges(solid) if np.allclose(a[1:], 0) and np.allclose(b[1:], 0)]) == 1


def test_triangles_without_area_change_nothing() -> None:
    """A sliver between two halves of a side, a triangle that uses a vertex twice, and one on a single point."""
    vertices = np.array([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 0, 0], [1, -2, 0], [1, 0, 0]], dtype=float)
    triangles = np.array([[0, 1, 2], [0, 2, 3], [0, 4, 1], [0, 5, 4], [4, 5, 1], [3, 3, 2], [6, 6, 6]])
    solid = mesh_solid(vertices, triangles, closed=False)
    for values in (solid.face_normal, solid.edge_normal, solid.vertex_normal, solid.peak, solid.tree.box):
        assert np.isfinite(values).all()
    assert np.allclose(solid.face_normal, [0, 0, 1])
    assert len(solid.tree.corners) == 4
    border = {tuple(sorted((tuple(a[:2]), tuple(b[:2])))) for a, b in ridges(solid)}
    assert ((0.0, 0.0), (2.0, 0.0)) not in border  # flat across the sliver
    assert ((0.0, 0.0), (1.0, 0.0)) not in border
    assert len(border) == 5


def peak_at_origin(solid: Solid) -> float:
    return float(solid.peak[~solid.vertices.any(axis=1)][0])


def test_a_corner_between_uneven_edges_sticks_out() -> None:
    """A fan in a plane: its edges crowd to one side, so that their sum does not tell the way out."""
    angles = np.radians([0, 5, 10, 15, 20, 170])
    around = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    triangles = np.array([[0, k, k + 1] for k in range(1, 6)])
    flat = mesh_solid(np.vstack([[0, 0, 0], around]), triangles, closed=False)
    assert peak_at_origin(flat) > 0.04
    bent = np.vstack([[0, 0, 0], around - np.array([0, 0, 0.1])])
    assert peak_at_origin(mesh_solid(bent, triangles, closed=False)) > 0.0
    straight = around.copy()
    straight[-1] = [-1, 0, 0]
    assert peak_at_origin(mesh_solid(np.vstack([[0, 0, 0], straight]), triangles, closed=False)) == 0.0
