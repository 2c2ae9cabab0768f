"""Where cables come near each other: against dense samples, and cases worked out by hand."""

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.geometry.pairs import Pairs, near_pairs, new_pairs

Array = NDArray[np.float64]


def arc_of(points: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])


def pairs(a: Array, b: Array, cutoff: float) -> Pairs:
    found = new_pairs(2000)
    count = near_pairs(a, arc_of(a), b, arc_of(b), 0, 0.0, cutoff, found)
    return Pairs._make(values[:count] for values in found)


def with_itself(a: Array, least_arc: float, cutoff: float) -> Pairs:
    found = new_pairs(2000)
    count = near_pairs(a, arc_of(a), a, arc_of(a), 1, least_arc, cutoff, found)
    return Pairs._make(values[:count] for values in found)


def at(points: Array, segment: NDArray[np.int64], t: Array) -> Array:
    return (1 - t)[:, None] * points[segment] + t[:, None] * points[segment + 1]


def check(found: Pairs, a: Array, b: Array) -> None:
    """Distances and normals belong to the places."""
    w = at(a, found.segment_a, found.ta) - at(b, found.segment_b, found.tb)
    assert np.allclose(np.linalg.norm(w, axis=1), found.distance, atol=1e-12)
    assert np.allclose(found.distance[:, None] * found.normal, w, atol=1e-12)
    assert np.allclose(np.linalg.norm(found.normal, axis=1), 1.0)


def sampled_minima(a: Array, b: Array, cutoff: float, per: int = 60) -> list[tuple[float, float, float]]:
    """(place on a, place on b, distance) of all local minima on a fine grid, places counted in segments."""
    u, v = np.arange((len(a) - 1) * per + 1) / per, np.arange((len(b) - 1) * per + 1) / per
    x = at(a, np.minimum(u.astype(int), len(a) - 2), u - np.minimum(u.astype(int), len(a) - 2))
    y = at(b, np.minimum(v.astype(int), len(b) - 2), v - np.minimum(v.astype(int), len(b) - 2))
    d = np.linalg.norm(x[:, None] - y[None], axis=2)
    padded = np.pad(d, 1, constant_values=np.inf)
    least = np.ones_like(d, dtype=bool)
    for i in range(3):
        for j in range(3):
            least &= d <= padded[i : i + d.shape[0], j : j + d.shape[1]]
    return [(u[i], v[j], d[i, j]) for i, j in zip(*np.nonzero(least & (d < cutoff)), strict=True)]


def test_crossing_cables_meet_once() -> None:
    a = np.stack([np.linspace(-1, 1, 9), np.zeros(9), np.full(9, 0.03)], axis=1)
    b = np.stack([np.full(8, 0.1), np.linspace(-1, 1, 8), np.zeros(8)], axis=1)
    found = pairs(a, b, 0.1)
    check(found, a, b)
    assert len(found.ta) == 1
    assert found.distance[0] == pytest.approx(0.03)
    assert found.normal[0] == pytest.approx([0, 0, 1])
    assert at(a, found.segment_a, found.ta)[0] == pytest.approx([0.1, 0, 0.03])


@pytest.mark.parametrize(("across", "along"), [(9, 9), (8, 9), (9, 8)])
def test_a_crossing_at_points_is_reported_once(across: int, along: int) -> None:
    """Right over a point of one, of the other, of both."""
    a = np.stack([np.linspace(-1, 1, across), np.zeros(across), np.full(across, 0.03)], axis=1)
    b = np.stack([np.zeros(along), np.linspace(-1, 1, along), np.zeros(along)], axis=1)
    for turn in (0.0, 0.3):
        bent = a.copy()
        bent[:, 2] += turn * np.abs(bent[:, 0])  # sags, so that the point is lowest
        found = pairs(bent, b, 0.1)
        check(found, bent, b)
        assert len(found.ta) == 1


def test_parallel_cables_touch_at_all_their_points() -> None:
    a = np.stack([np.linspace(0, 1, 11), np.zeros(11), np.zeros(11)], axis=1)
    beside = a + np.array([0, 0.02, 0])
    found = pairs(a, beside, 0.05)
    check(found, a, beside)
    assert len(found.ta) == 11
    assert sorted((found.segment_a + found.ta).tolist()) == pytest.approx(list(range(11)))
    assert np.allclose(found.normal, [0, -1, 0])
    shifted = a + np.array([0.04, 0.02, 0])
    found = pairs(a, shifted, 0.05)
    check(found, a, shifted)
    assert len(found.ta) == 20  # ten points of each
    on_a = found.segment_a + found.ta
    on_b = found.segment_b + found.tb
    assert sorted(on_a[found.ta % 1.0 == 0.0].tolist()) == pytest.approx(list(range(1, 11)))
    assert sorted(on_b[found.tb % 1.0 == 0.0].tolist()) == pytest.approx(list(range(10)))


def test_bent_parallel_cables_touch_all_along() -> None:
    """Concentric arcs with unlike points: no point of either is far from a report."""
    u, v = np.linspace(0, 2, 30), np.linspace(0, 2, 23)
    a = np.stack([np.cos(u), np.sin(u), 0 * u], axis=1)
    b = 1.03 * np.stack([np.cos(v), np.sin(v), 0 * v], axis=1)
    found = pairs(a, b, 0.05)
    check(found, a, b)
    places = np.sort(arc_of(a)[found.segment_a] + found.ta * arc_of(a)[1])
    assert places[0] < 0.01
    assert np.diff(places).max() < 1.2 * arc_of(a)[1]
    assert len(found.ta) <= 53


@pytest.mark.parametrize("seed", range(12))
def test_every_minimum_of_random_cables_is_found_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = (np.cumsum(rng.normal(size=(7, 3)), axis=0) for _ in range(2))
    found = pairs(a, b, 3.0)
    check(found, a, b)
    expected = sampled_minima(a, b, 3.0)
    places = np.stack([found.segment_a + found.ta, found.segment_b + found.tb, found.distance], axis=1)
    for u, v, d in expected:
        if d > 2.9:
            continue
        near = np.abs(places - [u, v, d]).max(axis=1)
        assert near.min() < 0.12, (u, v, d)
    along, beside = (np.diff(p, axis=0) / np.linalg.norm(np.diff(p, axis=0), axis=1)[:, None] for p in (a, b))
    parallel = (np.abs(along @ beside.T) > np.cos(0.06)).any()  # then places that are no minima are reported too
    for place in places:
        if place[2] < 2.9 and not parallel:
            assert np.abs(np.array(expected) - place).max(axis=1).min() < 0.12, place
    gaps = np.abs(places[:, None, :2] - places[None, :, :2]).max(axis=2) + np.eye(len(places))
    assert gaps.min(initial=1.0) > 1e-3


def coil(turns: float, count: int) -> Array:
    u = np.linspace(0, 2 * np.pi * turns, count)
    return np.stack([0.1 * np.cos(u), 0.1 * np.sin(u), 0.012 * u / (2 * np.pi)], axis=1)


def test_a_coil_touches_itself_from_turn_to_turn() -> None:
    a = coil(4.0, 161)
    found = with_itself(a, 0.1, 0.015)
    check(found, a, a)
    arc = arc_of(a)
    apart = (arc[found.segment_b] + found.tb * arc[1]) - (arc[found.segment_a] + found.ta * arc[1])
    assert np.allclose(apart, 2 * np.pi * 0.1, rtol=0.02)  # one turn further, never two, never itself
    assert np.allclose(found.distance, 0.012, atol=2e-4)
    places = np.sort(arc[found.segment_a] + found.ta * arc[1])
    assert np.diff(places).max() < 1.2 * arc[1]
    assert 119 <= len(found.ta) <= 125


def test_a_straight_cable_does_not_touch_itself() -> None:
    a = np.stack([np.linspace(0, 1, 41), np.zeros(41), np.zeros(41)], axis=1)
    assert len(with_itself(a, 0.3, 0.25).ta) == 0


def test_a_loop_touches_itself_where_it_crosses() -> None:
    u = np.linspace(0.25 * np.pi, 2.25 * np.pi, 40) - 0.5 * np.pi
    a = np.stack([np.sin(2 * u), np.cos(u), 0.02 * u], axis=1)  # a figure of eight, rising
    found = with_itself(a, 0.5, 0.1)
    check(found, a, a)
    assert len(found.ta) == 1
    assert (found.segment_a < found.segment_b).all()
    assert at(a, found.segment_a, found.ta)[0, :2] == pytest.approx([0, 0], abs=0.02)
    assert len(with_itself(a, 10.0, 0.1).ta) == 0


def test_touching_centre_lines_have_a_normal() -> None:
    a = np.array([[-1.0, 0, 0], [1, 0, 0]])
    for b in (np.array([[0.1, -1.0, 0], [0.1, 1, 0]]), a.copy()):
        found = pairs(a, b, 0.1)
        assert len(found.ta) > 0
        assert np.allclose(found.distance, 0.0)
        assert np.allclose(np.linalg.norm(found.normal, axis=1), 1.0)
        assert np.allclose(found.normal[:, 0], 0.0)


def test_points_in_one_place_and_points_gone_astray_are_no_trouble() -> None:
    a = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 0, 0]], dtype=float)
    b = np.array([[1.1, -1, 0.1], [1.1, 1, 0.1], [1.1, 1, 0.1]])
    for x in (1.1, 1.0):
        b[:, 0] = x
        found = pairs(a, b, 0.2)
        check(found, a, b)
        assert found.distance.min() == pytest.approx(0.1)
    b[1, 2] = np.nan
    assert len(pairs(a, b, 0.2).ta) == 0


def test_too_little_room_says_how_much_is_needed() -> None:
    a = coil(4.0, 161)
    full = with_itself(a, 0.1, 0.015)
    few = new_pairs(5)
    needed = near_pairs(a, arc_of(a), a, arc_of(a), 1, 0.1, 0.015, few)
    assert needed >= len(full.ta)
    for some, every in zip(few, full, strict=True):
        assert np.array_equal(some, every[:5])


def test_rigid_motion_and_swapping_change_nothing() -> None:
    rng = np.random.default_rng(3)
    a, b = (np.cumsum(rng.normal(size=(20, 3)), axis=0) for _ in range(2))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    first = pairs(a, b, 5.0)
    second = pairs(a @ turn.T + 5.0, b @ turn.T + 5.0, 5.0)
    assert len(first.ta) > 3
    assert np.array_equal(first.segment_a, second.segment_a)
    assert np.allclose(first.ta, second.ta, atol=1e-9)
    assert np.allclose(first.normal @ turn.T, second.normal, atol=1e-9)
    swapped = pairs(b, a, 5.0)
    assert sorted(swapped.distance.tolist()) == pytest.approx(sorted(first.distance.tolist()))
