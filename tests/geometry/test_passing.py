"""Cables that pass through each other on the way: against the linking of closed curves, and by hand."""

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.geometry.passing import NEVER, Way, first_passing

Array = NDArray[np.float64]


def passing(before: list[Array], after: list[Array], radius: float = 0.0, held: Array | None = None) -> float:
    """`held`: how far the points of all cables are from supports; they are nowhere near one without it."""
    first = np.concatenate([[0], np.cumsum([len(k) for k in before])]).astype(np.int64)
    points, cables = (np.concatenate(before), np.concatenate(after)), len(before)
    far = np.full(len(points[0]), np.inf) if held is None else held
    return float(first_passing(Way(*points, first, np.arange(cables), np.full(cables, radius), far, 4.0)))


def straight(count: int, height: float, turn: float) -> Array:
    u = np.linspace(-1, 1, count)
    return np.stack([np.cos(turn) * u, np.sin(turn) * u, np.full(count, height)], axis=1)


@pytest.mark.parametrize(("count", "turn"), [(9, 1.5), (8, 1.5), (9, 0.1), (40, 0.02), (9, 2.8)])
def test_a_cable_moved_through_another_is_seen_when_it_happens(count: int, turn: float) -> None:
    a, b = straight(count, 0.0, 0.0), straight(12, 0.3, turn)
    assert passing([a, b], [a, b - np.array([0, 0, 0.4])]) == pytest.approx(0.75, abs=1e-6)
    assert passing([a, b], [a + np.array([0, 0, 0.6]), b]) == pytest.approx(0.5, abs=1e-6)
    assert passing([a, b], [a, b - np.array([0, 0, 0.29])]) == NEVER
    assert passing([a, b], [a + np.array([5, 0, -9]), b + np.array([5, 0, -9])]) == NEVER


def test_only_cables_that_touch_count_and_not_those_beyond_the_end() -> None:
    a, b = straight(9, 0.0, 0.0), straight(9, 0.3, 1.5) + np.array([1.5, 0, 0])
    assert passing([a, b], [a, b - np.array([0, 0, 1])]) == NEVER


def test_a_loop_pulled_through_itself() -> None:
    u = np.linspace(0.25 * np.pi, 2.25 * np.pi, 60) - 0.5 * np.pi
    a = np.stack([np.sin(2 * u), np.cos(u), 0.1 * u], axis=1)  # a figure of eight, rising
    flipped = a * np.array([1, 1, -1])
    assert 0.0 < passing([a], [flipped]) < 1.0
    assert passing([a], [a * np.array([1, 1, 0.01])]) == NEVER
    assert passing([a], [2.0 * a + np.array([1, 2, 3])]) == NEVER


def test_cables_joined_at_their_ends_may_move_but_not_through_each_other() -> None:
    """Two cables from one support: they meet there all the time. What was apart near supports does not pass."""
    u = np.linspace(0, 1, 9)
    a, b = np.stack([u, 0 * u, 0 * u], axis=1), np.stack([-u, 0.5 * u, 0 * u], axis=1)
    held = np.concatenate([u, u])
    lifted = [k + np.array([0, 0, 0.2]) * u[:, None] ** 2 for k in (a, b)]
    assert passing([a, b], lifted) == 0.0
    assert passing([a, b], lifted, 0.01, held) == NEVER
    over = a + np.array([0, 0, 0.03])
    assert passing([over, b], [a - np.array([0, 0, 0.03]), b], 0.01, held) == pytest.approx(0.5, abs=1e-6)


def linking(a: Array, b: Array) -> float:
    """Gauss' integral over two closed polygons."""
    total = 0.0
    for p, q in zip(a, np.roll(a, -1, axis=0), strict=True):
        for r, s in zip(b, np.roll(b, -1, axis=0), strict=True):
            w = [r - p, r - q, s - q, s - p]
            n = [np.cross(w[k], w[(k + 1) % 4]) for k in range(4)]
            n = [k / np.linalg.norm(k) for k in n]
            turn = sum(np.arcsin(np.clip(n[k] @ n[(k + 1) % 4], -1, 1)) for k in range(4))
            total += float(turn * np.sign(np.cross(s - r, q - p) @ (r - p)))
    return total / (4 * np.pi)


def test_linking_changes_only_where_something_passes() -> None:
    """Random closed curves on random ways: a change of the linking number is never missed."""
    rng = np.random.default_rng(1)
    changes = 0
    for _ in range(150):
        rings = [rng.normal(size=(5, 3)) for _ in range(4)]
        before, after = rings[:2], [p + 0.4 * q for p, q in zip(rings[:2], rings[2:], strict=True)]
        closed = [[np.vstack([k, k[:1]]) for k in side] for side in (before, after)]
        was, now = round(linking(*before)), round(linking(*after))
        changes += was != now
        if was != now:
            assert passing(closed[0], closed[1]) <= 1.0
    assert changes > 20
