"""Nearest points of triangles and segments, against many samples and special cases."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.geometry import nearest

Array = NDArray[np.float64]


def plain(name: str) -> Any:
    function = getattr(nearest, name)
    return getattr(function, "py_func", function)


def test_on_triangle_is_the_minimum_and_its_code_says_where() -> None:
    rng = np.random.default_rng(1)
    codes = set()
    u, v = np.meshgrid(np.linspace(0, 1, 61), np.linspace(0, 1, 61))
    u, v = u[u + v <= 1.0], v[u + v <= 1.0]
    for _ in range(300):
        a, b, c = rng.normal(size=(3, 3))
        x = 2.0 * rng.normal(size=3)
        y, code = nearest.on_triangle(tuple(x), tuple(a), tuple(b), tuple(c))
        samples = a + u[:, None] * (b - a) + v[:, None] * (c - a)
        least = np.linalg.norm(samples - x, axis=1).min()
        size = max(np.linalg.norm(b - a), np.linalg.norm(c - a), np.linalg.norm(c - b))
        assert least - size / 30 <= np.linalg.norm(x - y) <= least + 1e-12
        weights = np.linalg.lstsq(np.array([a, b, c]).T, np.array(y), rcond=None)[0]
        zero = set(np.flatnonzero(np.abs(weights) < 1e-9).tolist())
        expected: set[int] = set()
        if nearest.EDGE <= code < nearest.CORNER:
            expected = {(code - nearest.EDGE + 2) % 3}
        elif code >= nearest.CORNER:
            expected = {0, 1, 2} - {code - nearest.CORNER}
        assert zero == expected
        codes.add(code)
    assert codes == set(range(7))


def test_on_segments_is_the_minimum() -> None:
    rng = np.random.default_rng(2)
    fractions = np.linspace(0, 1, 101)
    for _ in range(200):
        a, s, p, e = rng.normal(size=(4, 3))
        t, u = nearest.on_segments(tuple(a), tuple(s), tuple(p), tuple(e))
        found = float(np.linalg.norm(a + t * s - p - u * e))
        first = a + fractions[:, None] * s
        second = p + fractions[:, None] * e
        least = float(np.linalg.norm(first[:, None] - second[None], axis=2).min())
        assert least - 0.05 <= found <= least + 1e-12
        assert 0.0 <= t <= 1.0
        assert 0.0 <= u <= 1.0


@pytest.mark.parametrize(
    ("s", "e", "distance"),
    [
        ((1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1.0),  # parallel, side by side
        ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1.0),  # one without length
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0),  # both
        ((0.0, 1.0, 0.0), (0.0, 0.0, 0.0), 0.0),
    ],
)
def test_on_segments_of_special_cases(s: tuple[float, ...], e: tuple[float, ...], distance: float) -> None:
    a, p = np.array([0.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    t, u = nearest.on_segments(tuple(a), s, tuple(p), e)  # type: ignore[arg-type]
    assert np.linalg.norm(a + t * np.array(s) - p - u * np.array(e)) == pytest.approx(distance)


def test_unit_of_zero_is_zero() -> None:
    assert plain("unit")((0.0, 0.0, 0.0)) == (0.0, 0.0, 0.0)
    assert plain("unit")((0.0, 3.0, 4.0)) == pytest.approx((0.0, 0.6, 0.8))
