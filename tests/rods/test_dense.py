"""Small dense systems against numpy."""

import numpy as np
import pytest

from lissom.rods import dense


@pytest.mark.parametrize("size", [1, 2, 3, 6, 15])
@pytest.mark.parametrize("seed", range(5))
def test_inertia_counts_negative_eigenvalues(size: int, seed: int) -> None:
    rng = np.random.default_rng(100 * size + seed)
    a = rng.normal(size=(size, size))
    matrix = a + a.T
    expected = int(np.sum(np.linalg.eigvalsh(matrix) < 0.0))
    assert dense.symmetric_inertia(size, matrix, np.empty((size, size))) == expected


def test_inertia_needs_two_by_two_pivots() -> None:
    """A zero diagonal has no 1×1 pivot at all."""
    matrix = np.array([[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, -2.0], [0.0, 0.0, -2.0, 0.0]])
    assert dense.symmetric_inertia(4, matrix, np.empty((4, 4))) == 2
    saddle = np.array([[1e-12, 1.0], [1.0, 0.0]])
    assert dense.symmetric_inertia(2, saddle, np.empty((2, 2))) == 1


def test_inertia_of_extreme_scales() -> None:
    rng = np.random.default_rng(3)
    q, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    matrix = q @ np.diag([1e6, -1e5, 1.0, -1.0, 1e-3, -1e-3]) @ q.T
    matrix = 0.5 * (matrix + matrix.T)
    assert dense.symmetric_inertia(6, matrix, np.empty((6, 6))) == 3


def test_inertia_of_nothing_and_of_zero() -> None:
    assert dense.symmetric_inertia(0, np.empty((0, 0)), np.empty((0, 0))) == 0
    assert dense.symmetric_inertia(3, np.zeros((3, 3)), np.empty((3, 3))) == 0


def test_inertia_leaves_the_matrix_alone() -> None:
    matrix = np.array([[1.0, 2.0], [2.0, 1.0]])
    before = matrix.copy()
    assert dense.symmetric_inertia(2, matrix, np.empty((2, 2))) == 1
    assert np.array_equal(matrix, before)


@pytest.mark.parametrize("size", [1, 2, 6, 15])
@pytest.mark.parametrize("seed", range(3))
def test_solve(size: int, seed: int) -> None:
    rng = np.random.default_rng(10 * size + seed)
    matrix, right = rng.normal(size=(size, size)), rng.normal(size=size)
    x = right.copy()
    assert dense.solve(size, matrix, x, np.empty((size, size)))
    assert np.allclose(x, np.linalg.solve(matrix, right), rtol=1e-9, atol=1e-12)


def test_solve_pivots() -> None:
    matrix = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [4.0, 0.0, 0.0]])
    x = np.array([1.0, 2.0, 4.0])
    assert dense.solve(3, matrix, x, np.empty((3, 3)))
    assert np.array_equal(x, [1.0, 1.0, 1.0])


def test_solve_says_when_singular() -> None:
    matrix = np.array([[1.0, 2.0], [0.0, 0.0]])
    assert not dense.solve(2, matrix, np.ones(2), np.empty((2, 2)))
