"""Where smooth cables come near each other: against dense samples, and cases worked out by hand."""

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.geometry.pairs import Lines, Pairs, near_pairs, new_pairs

Array = NDArray[np.float64]


def arc_of(points: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])


def lines_of(cables: list[Array], radius: float, least: float = 0.0, turns: int = 0) -> Lines:
    sizes = [len(k) for k in cables]
    count, total = len(cables), sum(sizes)
    return Lines(
        np.concatenate(cables), np.concatenate([arc_of(k) for k in cables]),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), np.full(count, radius), np.full(count, least),
        np.arange(count), np.full(count, turns), np.zeros(total, np.int64), np.zeros(total, np.int64),
        np.zeros((0, 2), np.int64), np.zeros((0, 2)),
    )  # fmt: skip


def near(lines: Lines, beyond: float) -> Pairs:
    found = new_pairs(2000)
    count = near_pairs(lines, beyond, False, found)
    assert count <= 2000
    return Pairs._make(values[:count] for values in found)


def pairs(a: Array, b: Array, radius: float, beyond: float) -> Pairs:
    return near(lines_of([a, b], radius), beyond)


def on_spline(x: Array, w: Array) -> Array:
    """Places of the quadratic B-spline, one by one, from its definition."""
    found = np.empty((len(w), 3))
    for k, place in enumerate(w):
        i = min(int(place + 0.5), len(x) - 1)
        if i in (0, len(x) - 1):
            s = min(int(place), len(x) - 2)
            found[k] = x[s] + (place - s) * (x[s + 1] - x[s])
        else:
            u = place - i + 0.5
            found[k] = 0.5 * (1 - u) ** 2 * x[i - 1] + (0.5 + u - u * u) * x[i] + 0.5 * u * u * x[i + 1]
    return found


def check(found: Pairs, cables: list[Array]) -> None:
    """Distances, normals, and halves of places belong to the places; the places that run are stationary."""
    for k in range(len(found.distance)):
        ends = [on_spline(cables[found.cable[k, i]], found.place[k, i : i + 1])[0] for i in range(2)]
        assert ends[0] - ends[1] == pytest.approx(found.distance[k] * found.normal[k], abs=1e-12)
        for i in range(2):
            x, s, t = cables[found.cable[k, i]], found.segment[k, i], found.t[k, i]
            halves = x[s] + t[:, None] * (x[s + 1] - x[s])
            assert halves.mean(axis=0) == pytest.approx(ends[i], abs=1e-12)
            if found.runs[k, i]:
                speed = np.linalg.norm(found.along[k, i])
                assert abs(found.normal[k] @ found.along[k, i]) < 1e-7 * speed


def straight(count: int, height: float = 0.0, turn: float = 0.0, shift: float = 0.0) -> Array:
    u = np.linspace(-1, 1, count) + shift
    return np.stack([np.cos(turn) * u, np.sin(turn) * u, np.full(count, height)], axis=1)


@pytest.mark.parametrize("turn", [0.6, 1.0, 1.5708, 2.5])
@pytest.mark.parametrize("shift", [0.0, 0.04, 0.1])
def test_crossing_cables_meet_once(turn: float, shift: float) -> None:
    """Wherever they cross: over a point of one, of both, in between."""
    a, b = straight(21, 0.05, shift=shift), straight(18, turn=turn)
    found = pairs(a, b, 0.02, 0.02)
    check(found, [a, b])
    assert len(found.distance) == 1
    assert found.runs[0].tolist() == [1, 1]
    assert found.distance[0] == pytest.approx(0.05)
    assert found.normal[0] == pytest.approx([0, 0, 1], abs=1e-9)


def test_parallel_cables_touch_at_the_points_of_the_first() -> None:
    a, b = straight(11), straight(17) + np.array([0, 0.02, 0])
    found = pairs(a, b, 0.01, 0.01)
    check(found, [a, b])
    assert found.place[:, 0].tolist() == list(range(11))
    assert not found.runs[:, 0].any()
    assert found.runs[1:-1, 1].all()
    assert np.allclose(found.normal, [0, -1, 0])


def test_bent_parallel_cables_touch_all_along() -> None:
    """Concentric arcs with unlike points: each point of the first once, and the gaps between are small."""
    u, v = np.linspace(0, 2, 30), np.linspace(0, 2, 23)
    a = np.stack([np.cos(u), np.sin(u), 0 * u], axis=1)
    b = 1.03 * np.stack([np.cos(v), np.sin(v), 0 * v], axis=1)
    found = pairs(a, b, 0.01, 0.03)
    check(found, [a, b])
    assert np.diff(np.sort(found.place[:, 0])).max() < 2.0
    assert 25 <= len(found.distance) <= 32


def wavy(rng: np.random.Generator) -> Array:
    """25 points of a smooth closed-in curve about 1 across."""
    u = np.linspace(0, 2, 25)[:, None]
    return np.asarray(sum([np.cos(k * u + rng.uniform(0, 6, 3)) * rng.normal(size=3) / k for k in (1, 2, 3)]))


@pytest.mark.parametrize("seed", range(12))
def test_every_minimum_of_random_cables_is_found_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = (wavy(rng) for _ in range(2))
    found = pairs(a, b, 0.1, 0.3)
    check(found, [a, b])
    u = np.linspace(0, 24, 481)
    d = np.linalg.norm(on_spline(a, u)[:, None] - on_spline(b, u)[None], axis=2)
    inner = d[1:-1, 1:-1]
    least = np.ones_like(inner, dtype=bool)
    for i in range(3):
        for j in range(3):
            least &= inner <= d[i : i + 479, j : j + 479]
    run = found.place[found.runs.all(axis=1)]
    for i, j in zip(*np.nonzero(least & (inner < 0.5)), strict=True):
        assert np.abs(run - [u[i + 1], u[j + 1]]).max(axis=1).min() < 0.2
    apart = np.abs(run[:, None] - run[None]).max(axis=2) + np.eye(len(run))
    assert apart.min(initial=1.0) > 1e-3


def coil(turns: float, count: int) -> Array:
    u = np.linspace(0, 2 * np.pi * turns, count)
    return np.stack([0.1 * np.cos(u), 0.1 * np.sin(u), 0.012 * u / (2 * np.pi)], axis=1)


def test_a_coil_touches_itself_from_turn_to_turn() -> None:
    a = coil(4.0, 161)
    found = near(lines_of([a], 0.006, least=0.1, turns=1), 0.003)
    check(found, [a])
    assert np.allclose(found.place[:, 1] - found.place[:, 0], 40.0, atol=0.3)  # one turn on, never two, never itself
    assert np.allclose(found.distance, 0.012, atol=2e-4)
    assert 119 <= len(found.distance) <= 125
    assert len(near(lines_of([a], 0.006, least=10.0, turns=1), 0.003).distance) == 0
    assert len(near(lines_of([a], 0.006, least=0.1, turns=0), 0.003).distance) == 0


def test_many_cables_are_the_sum_of_their_pairs() -> None:
    rng = np.random.default_rng(4)
    cables = [wavy(rng) for _ in range(8)]
    whole = near(lines_of(cables, 0.1), 0.3)
    check(whole, cables)
    separate = sum(len(pairs(cables[a], cables[b], 0.1, 0.3).distance) for b in range(8) for a in range(b))
    assert len(whole.distance) == separate > 5


def test_too_little_room_and_points_gone_astray() -> None:
    a = coil(4.0, 161)
    few = new_pairs(5)
    assert near_pairs(lines_of([a], 0.006, least=0.1, turns=1), 0.003, False, few) >= 119
    a[7, 1] = np.nan
    assert near_pairs(lines_of([a], 0.006, least=0.1, turns=1), 0.003, False, few) == 0


def test_touching_centre_lines_have_a_normal() -> None:
    a, b = straight(5), straight(6, turn=1.2)
    found = pairs(a, b, 0.1, 0.0)
    assert found.distance.min() == pytest.approx(0.0, abs=1e-12)
    assert np.allclose(np.linalg.norm(found.normal, axis=1), 1.0)
