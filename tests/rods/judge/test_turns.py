"""Turns: what cannot change without a crossing does not, and what crosses is counted."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from lissom.geometry.passing import NEVER, Way, first_passing
from lissom.geometry.turns import (
    ENOUGH,
    LOST,
    direct_link,
    followed,
    is_odd,
    link,
    link_by_blocks,
    plainest,
    sampled,
)
from lissom.geometry.writhe import open_writhe, writhe_by_blocks
from lissom.rods.judge.crossings import crossings, is_plain, pair_crossings, with_itself, with_rays
from tests.rods.judge.framed import (
    SHAPES,
    X,
    about,
    arc,
    between,
    carried_apart,
    directors,
    ending,
    followed_frames,
    framed,
    normed,
    random_curve,
    shape,
    smallest,
    tangents,
    through,
    times,
)

Array = NDArray[np.float64]

SIDE = np.array([0.0, 0.6, 0.8])
Z = np.array([0.0, 0.0, 1.0])


def is_whole(turns: float, within: float = 1e-7) -> bool:
    return abs(turns - round(turns)) < within


@pytest.mark.parametrize("seed", range(6))
def test_turns_of_a_squeezed_cable_are_those_of_its_curve(seed: int) -> None:
    """The cubic of a segment with much more arc than chord looped: whole turns that nobody made."""
    s, x, q = random_framed(seed)
    assert is_whole(link(3.0 * s, x, q) - link(s, x, q))
    assert link(3.0 * s, x, q) == pytest.approx(link(s, x, q), abs=1e-7)
    assert link(8.0 * s, x, q) == pytest.approx(link(s, x, q), abs=1e-7)


def random_framed(seed: int, turns: float = 0.0) -> tuple[Array, Array, Array]:
    """(s, x, q) of a random curve between ends that are the same for all."""
    rng = np.random.default_rng(seed)
    x, t = random_curve(rng, int(rng.integers(60, 110)))
    return arc(x), x, ending(t, SIDE, turns)


def ends(q: Array) -> Array:
    return directors(q[[0, -1]])[:, :, 2].copy()


def edges(x: Array, q: Array) -> Array:
    """Directions of the rays and the edges, in order."""
    start, end = ends(q)
    return np.concatenate([[start], normed(np.diff(x, axis=0)), [end]])


def is_crossed(before: Array, after: Array) -> bool:
    """Whether the curve meets itself or its rays on the way, by the search of lissom.geometry."""
    far = 20.0 * X
    a, b = (np.concatenate([[k[0] - far], k, [k[-1] + far]]) for k in (before, after))
    one, apart = np.arange(1), np.full(len(a), np.inf)
    way = Way(a, b, np.array([0, len(a)]), one, np.zeros(1), apart, 4.0)
    return bool(first_passing(way) != NEVER)


# link


@pytest.mark.parametrize("seed", range(20))
def test_links_of_curves_between_the_same_end_frames_differ_by_whole_turns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = random_framed(seed, int(rng.integers(-4, 5)))
    other = random_framed(seed + 100, int(rng.integers(-4, 5)))
    assert is_whole(link(*other) - link(*one))
    direct = [direct_link(*sampled(*k)) for k in (one, other)]
    assert is_whole(direct[1] - direct[0], 1e-9)
    assert [link(*one), link(*other)] == pytest.approx(direct, abs=1e-9)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("turns", [0.0, 0.3, -2.7, 14.2])
def test_a_shape_differs_from_the_plainest_polygon_between_its_ends_by_whole_turns(name: str, turns: float) -> None:
    x, t = shape(name, 161)
    q = framed(t, 2 * np.pi * turns * np.linspace(0, 1, len(x)))
    curve = sampled(arc(x), x, q)
    assert is_whole(direct_link(*curve) - direct_link(*plainest(*curve)), 1e-9)
    assert link(arc(x), x, q) == pytest.approx(direct_link(*curve), abs=1e-9)


@pytest.mark.parametrize("name", SHAPES)
def test_turning_the_end_adds_what_it_is_turned_by(name: str) -> None:
    x, t = shape(name, 161)
    u, s = np.linspace(0, 1, len(x)), arc(x)
    still = link(s, x, framed(t, 0 * u))
    for turns in [-9.3, -1.0, 0.01, 0.5, 2.75, 20.0]:
        assert link(s, x, framed(t, 2 * np.pi * turns * u)) - still == pytest.approx(turns, abs=1e-9)
    rolled = framed(t, 2 * np.pi * 3 * u**3)  # wherever along the curve they are
    assert link(s, x, rolled) - still == pytest.approx(3.0, abs=1e-9)


def test_a_straight_cable_has_its_turns_and_a_helix_those_that_its_pitch_gives() -> None:
    x, t = shape("straight", 41)
    assert link(arc(x), x, framed(t, 2 * np.pi * 5 * np.linspace(0, 1, 41))) == pytest.approx(5.0, abs=1e-12)
    # a right-handed helix writhes by 1 − sin(pitch angle) a turn
    x, t = shape("helix", 800)
    pitch = np.arctan(1 / (9 * 2 * np.pi * 0.1))
    assert open_writhe(x, tuple(t[0]), tuple(t[-1])) == pytest.approx(9 * (1 - np.sin(pitch)), abs=0.4)
    assert open_writhe(x * [1, 1, -1], tuple(t[0] * [1, 1, -1]), tuple(t[-1] * [1, 1, -1])) < -7


@pytest.mark.parametrize("seed", range(6))
def test_link_knows_no_place_no_direction_and_no_beginning(seed: int) -> None:
    s, x, q = random_framed(seed, 0.3)
    here = link(s, x, q)
    turn = Rotation.random(random_state=seed)
    moved = times(turn.as_quat()[[3, 0, 1, 2]], q)
    assert link(3 * s, 3 * turn.apply(x) + [4, 5, 6], moved) == pytest.approx(here, abs=1e-9)
    backwards = times(q[::-1], np.array([0.0, 1.0, 0.0, 0.0]))
    assert link(s[-1] - s[::-1], x[::-1].copy(), backwards) == pytest.approx(here, abs=1e-9)
    mirrored = times(q * [1, -1, -1, 1], np.array([0.0, 1.0, 0.0, 0.0]))  # x → x·(1, 1, −1): d3 is mirrored with it
    assert link(s, x * [1, 1, -1], mirrored) == pytest.approx(-here, abs=1e-9)
    assert link(s, x, q * np.where(np.arange(len(q)) % 3 == 0, -1.0, 1.0)[:, None]) == pytest.approx(here, abs=1e-9)


def test_link_of_a_curve_does_not_depend_on_its_points() -> None:
    for name in SHAPES:
        x, t = shape(name, 961)
        q = framed(t, np.linspace(0, 20, 961))
        s = arc(x)
        values = [link(s[::k], x[::k], q[::k]) for k in (1, 2, 4, 8)]
        assert values == pytest.approx([values[0]] * 4, abs=1e-9)


def test_nothing_odd_happens_where_the_ends_are_in_one_place_or_opposite() -> None:
    w = np.linspace(0, 2 * np.pi, 121)
    for x in (
        np.stack([np.cos(w), np.sin(w), 1e-3 * w], axis=1),  # ends almost in one place
        np.stack([np.cos(w[:61]), np.sin(w[:61]), 0 * w[:61]], axis=1),  # tangents opposite
        np.stack([-w * 0, 0 * w, w], axis=1),
    ):
        t = np.gradient(x, axis=0, edge_order=2)
        q = framed(normed(t), np.linspace(0, 4 * np.pi, len(x)))
        curve = sampled(arc(x), x, q)
        assert link_by_blocks(*curve, LOST) == pytest.approx(direct_link(*curve), abs=1e-9)


@pytest.mark.parametrize("name", SHAPES)
def test_blocks_lose_no_more_than_they_may(name: str) -> None:
    for count in (17, 300, 4001):
        x, t = shape(name, count)
        start, end = tuple(t[0]), tuple(t[-1])
        exact = open_writhe(x, start, end)
        for error in (LOST, 0.4, 0.01):
            assert abs(writhe_by_blocks(x, start, end, error) - exact) < 0.2 * error
        q = framed(t, np.linspace(0, 30, count))
        for lost in (LOST, ENOUGH, 1.99):
            assert link_by_blocks(x, q, lost) == pytest.approx(direct_link(x, q), abs=1e-8)


# deformations


@pytest.mark.parametrize("seed", range(60))
def test_a_way_on_which_nothing_meets_changes_nothing_and_others_by_two_for_each_crossing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(20, 200))
    x, t = random_curve(rng, count, int(rng.integers(2, 7)))
    q = ending(t, SIDE, 1.0)
    y = random_curve(rng, count, int(rng.integers(2, 7)))[0]
    y = x + (1.0 if seed % 2 else 0.1) * (y - x)
    then = followed_frames(x, y, q)
    found = crossings(x, y, ends(q), ends(then))
    if not is_crossed(x, y):
        assert found == (0, 0)
    assert direct_link(y, then) - direct_link(x, q) == pytest.approx(2 * sum(found), abs=1e-7)


def test_random_ways_cross_both_the_material_and_the_rays() -> None:
    material = rays = 0
    for seed in range(1, 40, 2):
        rng = np.random.default_rng(seed)
        x, y = random_curve(rng, 160)[0], random_curve(rng, 160)[0]
        found = crossings(x, y, np.array([X, X]), np.array([X, X]))
        material, rays = material + abs(found.material), rays + abs(found.rays)
    assert material > 5
    assert rays > 2


@pytest.mark.parametrize("seed", range(40))
def test_crossings_are_right_where_the_ends_move_and_turn(seed: int) -> None:
    """Two curves between the same ends: what the ends do is the same for both."""
    rng = np.random.default_rng(seed)
    places, at = rng.normal(size=(2, 2, 3)), normed(rng.normal(size=(2, 2, 3)))
    ways, turns, counted = [], [], []
    for _ in range(2):
        count = int(rng.integers(30, 150))
        before, after = (between(rng, count, places[k], at[k]) for k in range(2))
        ways.append((before, after))
        turns.append(open_writhe(after, *map(tuple, at[1])) - open_writhe(before, *map(tuple, at[0])))
        counted.append(sum(crossings(before, after, at[0], at[1])))
    expected = 2 * (counted[0] - counted[1])
    assert turns[0] - turns[1] - carried_apart(ways[0], ways[1], at) == pytest.approx(expected, abs=1e-7)


def strand(z: float, x: float) -> Array:
    """A cable along x from 0 to 4 with a bight whose strand crosses over the line of the ends at x, at height z."""
    places = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 1.5, 0), (x + 0.6, 2, z), (x, 1, z), (x, -1, z)]
    return through([*places, (x, -2.5, -1), (0, -3, -2), (-3, -2, -2), (-3, 0, -1), (0, 0, -1.5), (2, 0, -1.2)], 200)


def test_a_curve_that_passes_through_itself_is_counted_as_material() -> None:
    x, y = strand(0.4, 2.0), strand(-0.4, 2.0)
    start = X
    end = normed(x[-1] - x[-2])
    q = ending(tangents(x, start, end), np.array([0.0, 1.0, 0.0]), 0)
    then = followed_frames(x, y, q)
    found = crossings(x, y, ends(q), ends(q))
    assert (abs(found.material), found.rays) == (1, 0)
    assert direct_link(y, then) - direct_link(x, q) == pytest.approx(2 * found.material, abs=1e-7)
    back = crossings(y, x, ends(q), ends(q))
    assert (back.material, back.rays) == (-found.material, 0)


def test_a_loop_slipped_over_an_end_is_counted_as_a_ray() -> None:
    def looped(z: float) -> Array:
        """Ends at x = 4, and a strand across the ray beyond, at height z."""
        return through(
            [(0, 0, 0), (1, 0, 1), (3, 2, 1.5), (6, 1, z), (6, -1, z), (4, -2, -1), (1, -1, -1), (3, 0, 0), (4, 0, 0)],
            120,
        )

    x, y = looped(0.5), looped(-0.5)
    q = ending(tangents(x, X, X), SIDE, 2)
    then = followed_frames(x, y, q)
    found = crossings(x, y, ends(q), ends(then))
    assert (found.material, abs(found.rays)) == (0, 1)
    assert direct_link(y, then) - direct_link(x, q) == pytest.approx(2 * found.rays, abs=1e-7)
    s = arc(x)
    assert abs(link(s, y, then) - link(s, x, q)) == pytest.approx(2, abs=1e-7)
    reverse = -ends(q)[::-1].copy()  # the same, seen from the other end: the ray is then the one at the start
    assert crossings(x[::-1].copy(), y[::-1].copy(), reverse, reverse) == found


def test_rays_that_turn_with_the_ends_sweep_what_is_in_their_way() -> None:
    x = through([(0, 0, 0), (1, 0, 1), (6, 2, 1), (8, 1, 0.2), (8, -1, 0.2), (3, -2, -1), (3, 0, 0), (4, 0, 0)], 120)
    at = np.array([X, X])
    for tilt, count in [(0.01, 0), (0.1, 1)]:  # the strand is 0.2 above the ray, 4 beyond the end
        then = np.array([X, normed(np.array([1.0, 0.0, tilt]))])
        assert abs(crossings(x, x, at, then).rays) == count
        moved = x + 5.0 * Z
        assert abs(crossings(x, moved, at, then).rays) == count


def test_a_curve_that_moves_rigidly_crosses_nothing() -> None:
    for seed in range(10):
        x = random_curve(np.random.default_rng(seed), 101)[0]
        turn = Rotation.from_rotvec([0.1, 0.2, -0.1]).as_matrix()
        at = np.array([X, X])
        assert crossings(x, x + 0.3 * SIDE, at, at) == (0, 0)
        assert crossings(x, x @ turn.T, at, at @ turn.T) == (0, 0)
        assert crossings(x, x, at, at) == (0, 0)


def test_what_moves_in_one_plane_crosses_nothing() -> None:
    u = np.linspace(0, 1, 60)
    x = np.stack([u, u * (1 - u), 0 * u], axis=1)
    at = np.array([X, X])
    assert crossings(x, x * [1, -1, 1], at, at) == (0, 0)


# the lift to unit quaternions


@pytest.mark.parametrize("seed", range(15))
def test_the_lift_is_odd_where_the_link_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = random_framed(seed, int(rng.integers(-3, 4)))
    other = random_framed(seed + 50, int(rng.integers(-3, 4)))
    turns = round(link(*other) - link(*one))
    assert is_odd(one[2], other[2], 0.0) == bool(turns % 2)
    turn = rng.uniform(-20, 20)
    u = np.linspace(0, 1, len(other[1]))
    assert is_odd(one[2], times(other[2], about(Z, turn * u)), turn) == bool(turns % 2)


def test_the_lift_follows_supports_that_move() -> None:
    _, x, q = random_framed(3)
    rng = np.random.default_rng(0)
    u = np.linspace(0, 1, len(x))
    for _ in range(10):
        tilt = Rotation.from_rotvec(0.3 * rng.normal(size=(1, 3))).as_quat()[:, [3, 0, 1, 2]]
        assert not is_odd(q, times(tilt, q), 0.0)
        assert is_odd(q, times(tilt, times(q, about(Z, 2 * np.pi * u))), 0.0)


# Fuller's difference


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("turns", [0, 1, -2])
def test_the_link_is_followed_exactly_where_nothing_is_crossed(seed: int, turns: int) -> None:
    """From frame to frame; turned besides, evenly along it."""
    rng = np.random.default_rng(seed)
    x, t = random_curve(rng, 200)
    q = ending(t, SIDE, 0)
    y = x + 0.02 * (random_curve(rng, 200)[0] - x)
    then = times(smallest(t, tangents(y, *ends(q))), q)
    then = times(then, about(Z, 2 * np.pi * turns * np.linspace(0, 1, len(x))))
    change = followed(q, then)
    assert not is_crossed(x, y)
    assert direct_link(y, then) - direct_link(x, q) == pytest.approx(change, abs=1e-9)
    assert change == pytest.approx(turns, abs=1e-9)


def test_what_turns_by_a_right_angle_is_not_followed() -> None:
    t = np.array([X, X, X])
    u = np.array([X, normed(np.array([-0.1, 1.0, 0.0])), X])
    p, q, r = (np.array([ending(k[None], SIDE, 0)[0] for k in v]) for v in (t, u, normed(t + 0.9 * u)))
    assert np.isnan(followed(p, q))
    assert followed(p, p) == 0.0
    assert not np.isnan(followed(p, r))


# cheap tests and other curves


def test_plain_curves_cross_nothing() -> None:
    rng = np.random.default_rng(0)
    plain = 0
    for _ in range(300):
        x, y = (random_curve(rng, 60, 3, rng.uniform(0.05, 1.5))[0] for _ in range(2))
        at = np.array([X, X])
        q = ending(tangents(x, X, X), SIDE, 0)
        if is_plain(edges(x, q), edges(y, q)):
            plain += 1
            assert not is_crossed(x, y)
            assert (with_itself(x, y), with_rays(x, y, at, at)) == (0, 0)
    assert 50 < plain < 290
    assert not is_plain(np.array([X, -X]), np.array([X, X]))


def test_passes_of_one_cable_through_another_are_counted() -> None:
    u = np.linspace(-1, 1, 30)
    a = np.stack([u, 0 * u, 0 * u], axis=1)
    b = np.stack([0.1 * u, u, 0 * u + 0.3], axis=1)
    assert pair_crossings(a, a, b, b) == 0
    assert pair_crossings(a, a, b, b - 0.6 * Z) == 1
    assert pair_crossings(a, a + 0.6 * Z, b, b) == 1
    assert pair_crossings(a, a, b, b - 0.29 * Z) == 0
    assert pair_crossings(a, a, b + 3 * X, b + 3 * X - 0.6 * Z) == 0
    hoop = np.stack([0.01 + 0.5 * np.cos(5 * u), np.sin(5 * u), 0.3 + 0.1 * u], axis=1)
    assert pair_crossings(a, a, hoop, hoop - [0, 0, 0.9]) == 3  # it overlaps itself there


@pytest.mark.parametrize("seed", range(10))
def test_closed_curves_that_pass_through_each_other_change_their_linking_by_as_many(seed: int) -> None:
    rng = np.random.default_rng(seed)
    w = np.linspace(0, 2 * np.pi, 90)

    def closed() -> Array:
        waves = [
            np.outer(np.cos(m * w), rng.normal(size=3)) + np.outer(np.sin(m * w), rng.normal(size=3)) for m in (1, 2)
        ]
        return np.asarray(sum(waves))

    a, b, c, d = (closed() for _ in range(4))
    changed = linking_number(c, d) - linking_number(a, b)
    passed = pair_crossings(a, c, b, d)
    assert passed >= abs(changed)
    assert (passed - changed) % 2 == 0


def linking_number(a: Array, b: Array) -> int:
    """Signed crossings in a projection along z, over 2."""
    p, q = a[:-1, None], b[None, :-1]
    u, v = np.diff(a, axis=0)[:, None], np.diff(b, axis=0)[None]
    w = q - p
    area = u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    s = (w[..., 0] * v[..., 1] - w[..., 1] * v[..., 0]) / area
    r = (w[..., 0] * u[..., 1] - w[..., 1] * u[..., 0]) / area
    met = (s >= 0) & (s < 1) & (r >= 0) & (r < 1)
    above = np.sign(p[..., 2] + s * u[..., 2] - q[..., 2] - r * v[..., 2])
    return round(0.5 * float(np.sum(np.where(met, np.sign(area) * above, 0.0))))


# samples


def test_samples_lie_on_the_cubic_and_frames_turn_the_short_way() -> None:
    w = np.linspace(0, 2, 21)
    x = np.stack([np.cos(w), np.sin(w), 0 * w], axis=1)
    t = np.stack([-np.sin(w), np.cos(w), 0 * w], axis=1)
    q = framed(t, 25 * w) * np.where(np.arange(21) % 2, -1, 1)[:, None]
    points, frames = sampled(w, x, q)
    assert len(points) == len(frames) == 81
    assert points[::4] == pytest.approx(x)
    assert np.linalg.norm(points, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert np.linalg.norm(frames, axis=1) == pytest.approx(1.0)
    turned = np.linalg.norm(
        (Rotation.from_quat(frames[:-1]).inv() * Rotation.from_quat(frames[1:])).as_rotvec(), axis=1
    )
    assert turned.max() < np.pi / 4
    assert len(sampled(w, x, q, 2).points) == 41
