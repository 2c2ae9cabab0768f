"""The linear complementarity problem of a Newton step, against all active sets tried in turn, and scipy's nnls."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import nnls

from lissom.rods.complementarity import nonnegative

Array = NDArray[np.float64]


def problem(size: int, rank: int, seed: int) -> tuple[Array, Array, NDArray[np.bool_]]:
    """A positive definite matrix, a right side, and a start that may be right or wrong."""
    rng = np.random.default_rng(1000 * size + seed)
    a = rng.normal(size=(rank, size))
    matrix = a.T @ a + (1e-3 if rank < size else 0.0) * np.eye(size)
    return matrix, rng.normal(size=size), rng.random(size) < 0.5


def brute_force(matrix: Array, right: Array) -> Array:
    """The only x that fulfils all conditions, among 2ⁿ active sets."""
    size = len(right)
    for chosen in product((False, True), repeat=size):
        inside = np.array(chosen)
        x = np.zeros(size)
        if inside.any():
            x[inside] = np.linalg.solve(matrix[np.ix_(inside, inside)], right[inside])
        if np.all(x >= 0.0) and np.all((matrix @ x - right)[~inside] >= 0.0):
            return x
    raise AssertionError("a positive definite problem has a solution")


@pytest.mark.parametrize("size", [1, 2, 3, 6, 9])
@pytest.mark.parametrize("seed", range(8))
def test_against_brute_force(size: int, seed: int) -> None:
    matrix, right, start = problem(size, size + 2, seed)
    found = nonnegative(matrix, right, start)
    assert found is not None
    assert found == pytest.approx(brute_force(matrix, right), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("size", [20, 60, 150])
@pytest.mark.parametrize("seed", range(3))
def test_against_nnls(size: int, seed: int) -> None:
    """½ x·Qx − b·x with Q = LLᵀ is ½|Lᵀx − L⁻¹b|²."""
    matrix, right, start = problem(size, size + 5, seed)
    found = nonnegative(matrix, right, start)
    assert found is not None
    factor = np.linalg.cholesky(matrix)
    expected, _ = nnls(factor.T, np.linalg.solve(factor, right), maxiter=100 * size)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-8 * float(np.abs(expected).max()))


@pytest.mark.parametrize("seed", range(6))
def test_conditions_on_nearly_singular_matrices(seed: int) -> None:
    """Contacts side by side: many columns that say almost the same, with a little softness 1/ρ."""
    matrix, right, start = problem(40, 6, seed)
    found = nonnegative(matrix, right, start)
    assert found is not None
    rest = matrix @ found - right
    scale = float(np.abs(right).max())
    assert np.all(found >= 0.0)
    assert float(rest.min()) > -1e-9 * scale
    assert float(np.abs(rest * found).max()) < 1e-9 * scale * float(found.max())


def test_the_start_does_not_matter() -> None:
    matrix, right, _ = problem(12, 14, 5)
    answers = [nonnegative(matrix, right, np.full(12, start)) for start in (True, False)]
    assert answers[0] is not None
    assert answers[0] == pytest.approx(answers[1], rel=1e-9, abs=1e-12)


def test_nothing_to_press() -> None:
    assert nonnegative(np.zeros((0, 0)), np.zeros(0), np.zeros(0, dtype=bool)) is not None
    found = nonnegative(np.eye(3), -np.ones(3), np.ones(3, dtype=bool))
    assert found == pytest.approx(np.zeros(3))


def test_an_indefinite_matrix_is_refused() -> None:
    """Then the Newton step is no minimum, and the system shifts its stiffness."""
    assert nonnegative(-np.eye(2), np.ones(2), np.ones(2, dtype=bool)) is None
    assert nonnegative(np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones(2), np.ones(2, dtype=bool)) is None
