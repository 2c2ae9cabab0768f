"""Small vectors, matrices and quaternions against numpy and scipy."""

import inspect
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from lissom.geometry import triples

Array = NDArray[np.float64]

RNG = np.random.default_rng(4)
A, B = (tuple(float(v) for v in RNG.normal(size=3)) for _ in range(2))
M, N = (tuple(float(v) for v in RNG.normal(size=9)) for _ in range(2))
S, T = (tuple(float(v) for v in RNG.normal(size=6)) for _ in range(2))


def plain(name: str) -> Any:
    """The Python function itself: the arithmetic is tested here, its compilation everywhere else."""
    function = getattr(triples, name)
    return getattr(function, "py_func", function)


def square(m: Any) -> Array:
    if len(m) == 6:
        xx, xy, xz, yy, yz, zz = m
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.array(m).reshape(3, 3)


def skew(v: Any) -> Array:
    return np.cross(np.eye(3), v)


EXPECTED: dict[str, tuple[tuple[Any, ...], Any]] = {
    "add": ((A, B), np.add(A, B)),
    "sub": ((A, B), np.subtract(A, B)),
    "scale": ((0.7, A), 0.7 * np.array(A)),
    "dot": ((A, B), np.dot(A, B)),
    "cross": ((A, B), np.cross(A, B)),
    "skew": ((A,), skew(A)),
    "apply": ((M, A), square(M) @ A),
    "apply_transposed": ((M, A), square(M).T @ A),
    "transposed": ((M,), square(M).T),
    "matmul": ((M, N), square(M) @ square(N)),
    "matmul_at_b": ((M, N), square(M).T @ square(N)),
    "matadd": ((M, N), square(M) + square(N)),
    "matscale": ((0.7, M), 0.7 * square(M)),
    "outer": ((A, B), np.outer(A, B)),
    "diagonal": ((A,), np.diag(A)),
    "columns_scaled": ((M, A), square(M) @ np.diag(A)),
    "rows_scaled": ((A, M), np.diag(A) @ square(M)),
    "symmetric_apply": ((S, A), square(S) @ A),
    "symmetric_times": ((S, M), square(S) @ square(M)),
    "full": ((S,), square(S)),
    "symmetric_add": ((S, T), np.add(S, T)),
    "rows_cross": ((M, A), square(M) @ skew(A)),
    "cross_columns": ((A, M), skew(A) @ square(M)),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_linear_algebra(name: str) -> None:
    arguments, expected = EXPECTED[name]
    assert np.allclose(np.ravel(plain(name)(*arguments)), np.ravel(expected), rtol=1e-13, atol=1e-14)


def test_every_linear_function_is_tested() -> None:
    quaternions = {"quaternion_product", "quaternion_between", "normalized", "rotation", "tangent", "turned"}
    defined = {
        name
        for name, value in vars(triples).items()
        if callable(value) and not inspect.isclass(value) and getattr(value, "__module__", "") == triples.__name__
    }
    assert defined <= set(EXPECTED) | quaternions | {"inline"}


def wxyz(rotation: Rotation) -> tuple[float, float, float, float]:
    x, y, z, w = (float(v) for v in rotation.as_quat())
    return (w, x, y, z)


@pytest.mark.parametrize("seed", range(5))
def test_quaternions(seed: int) -> None:
    a, b = Rotation.random(2, random_state=seed)
    p, q = wxyz(a), wxyz(b)
    matrix = plain("rotation")
    assert np.allclose(square(matrix(p)), a.as_matrix(), atol=1e-14)
    assert np.allclose(square(matrix(plain("quaternion_product")(p, q))), (a * b).as_matrix(), atol=1e-14)
    between = (a.inv() * b).as_matrix()
    assert np.allclose(square(matrix(plain("quaternion_between")(p, q))), between, atol=1e-14)
    assert np.allclose(plain("tangent")(p), a.as_matrix()[:, 2], atol=1e-14)
    long = tuple(3.0 * v for v in p)
    assert np.allclose(plain("normalized")(long), p, atol=1e-15)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.99e-4, 1.01e-4, 0.1, 1.0, 3.0, 6.0])
def test_turned(angle: float) -> None:
    """q·exp(a/2), on both sides of the switch to the series."""
    start = Rotation.random(random_state=1)
    a = angle * np.array([2.0, -1.0, 2.0]) / 3.0
    found = plain("turned")(wxyz(start), tuple(float(v) for v in a))
    assert np.allclose(square(plain("rotation")(found)), start.as_matrix() @ expm(skew(a)), atol=1e-14)
