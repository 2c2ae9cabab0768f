"""The tree of boxes: every triangle once, in boxes that hold it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.geometry import tree
from tests.geometry import shapes

Array = NDArray[np.float64]


def soup(kind: str) -> Array:
    """Triangles (t, 9)."""
    rng = np.random.default_rng(3)
    if kind == "scattered":
        return rng.normal(size=(1000, 9))
    if kind == "one place":
        return np.tile(rng.normal(size=9), (1000, 1))
    if kind == "ever smaller":  # splits by area peel off one after the other
        return rng.normal(size=(1000, 9)) * 0.5 ** np.arange(1000)[:, None]
    if kind == "one":
        return rng.normal(size=(1, 9))
    vertices, triangles = shapes.torus()
    return vertices[triangles].reshape(-1, 9)


@pytest.mark.parametrize("kind", ["scattered", "one place", "ever smaller", "one", "torus"])
def test_every_triangle_is_in_one_leaf_inside_all_its_boxes(kind: str) -> None:
    corners = soup(kind)
    made, order = tree.build_tree(corners)
    assert np.array_equal(np.sort(order), np.arange(len(corners)))
    assert np.array_equal(made.corners, corners[order])
    seen = np.zeros(len(corners), dtype=int)
    visited = 0
    todo = [(0, 0)]
    deepest = 0
    while todo:
        node, depth = todo.pop()
        visited += 1
        deepest = max(deepest, depth)
        first, leaf = made.first[node], made.leaf[node]
        if leaf:
            inside = made.corners[first : first + leaf].reshape(-1, 3)
            assert leaf <= tree.LEAF
            assert np.array_equal(inside.min(axis=0), made.box[node, :3])
            assert np.array_equal(inside.max(axis=0), made.box[node, 3:])
            seen[first : first + leaf] += 1
            continue
        for child in (first, first + 1):
            assert (made.box[child, :3] >= made.box[node, :3]).all()
            assert (made.box[child, 3:] <= made.box[node, 3:]).all()
            todo.append((child, depth + 1))
    assert (seen == 1).all()
    assert visited == len(made.box)
    assert deepest + 2 < tree.STACK


def test_a_tree_of_nothing() -> None:
    made, order = tree.build_tree(np.zeros((0, 9)))
    assert len(made.box) == 0
    assert len(order) == 0
