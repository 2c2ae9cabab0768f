"""Level by level: the length, the distance to the true shape, the order of convergence, no oscillation."""

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest

from lissom.kinematic.building import Hold, Layout, Section
from lissom.kinematic.cable import Cable
from tests.kinematic.cases import KNOWN, PLANAR, distance, known, layout, random_layouts, reference, triple


@pytest.mark.parametrize("name", KNOWN)
def test_every_level_comes_nearer_to_the_true_shape(name: str) -> None:
    """At least twice as near, in the end four times; with twist springs where the case has twist."""
    case, made = known(name)
    cable = Cable(made, 64)
    assert cable.solve().settled
    found = [distance(cable, level, case) for level in range(6)]
    assert found[-1] < 2e-4
    # the two-segment shape of a case that leaves its plane lies in it
    ratios = [b / a for a, b in itertools.pairwise(found[1:])]
    assert max(ratios) < 0.5, found
    assert math.log2(1.0 / ratios[-1]) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("name", KNOWN)
def test_joints_move_by_less_than_half_from_level_to_level(name: str) -> None:
    cable = Cable(known(name)[1], 64)
    cable.solve()
    moved = displacements(cable)
    assert all(b < 0.5 * a for a, b in itertools.pairwise(moved)), moved
    assert moved[1:] == [cable.change(level) for level in range(2, 6)]


def test_joints_of_any_cable_move_by_less_than_half_from_16_segments_on() -> None:
    """Before, a segment may be longer than the boundary layers of a soft cable."""
    for made in random_layouts(100, seed=11):
        cable = Cable(made, 64)
        cable.solve()
        moved = displacements(cable)[2:]
        assert all(b < 0.5 * a for a, b in itertools.pairwise(moved)), moved


def displacements(cable: Cable) -> list[float]:
    """By how much joints moved from 2 to 4 segments, from 4 to 8, …"""
    return [
        float(np.linalg.norm(cable.positions(k)[::2] - cable.positions(k - 1), axis=1).max())
        for k in range(1, len(cable.segments))
    ]


def test_the_length_is_constant_to_rounding_on_every_level() -> None:
    for made in random_layouts(40):
        cable = Cable(made, 64)
        cable.solve()
        for level, segments in enumerate(cable.segments):
            x = cable.positions(level)
            lengths = np.linalg.norm(np.diff(x, axis=0), axis=1)
            assert lengths * segments == pytest.approx(1.0, abs=4e-14)
            assert cable.length_error(level) < 1e-15
            assert x[0] == pytest.approx(made.holds[0].position, abs=0.0)
            assert x[-1] == pytest.approx(made.holds[1].position, abs=0.0)


def test_random_cables_settle_in_minima() -> None:
    for made in random_layouts(60, seed=2):
        cable = Cable(made, 32)
        reached = cable.solve()
        residual, stays = cable.certificate(cable.level)
        assert reached.settled
        assert stays
        assert residual < 1e-7


def test_the_printed_order_alone_does_not_reach_the_minimum_and_sweeps_only_lower_the_energy() -> None:
    from lissom.kinematic import doubling

    case = reference(PLANAR[1])
    cable = Cable(layout(case, twist=False), 8)
    cable.solve()
    chain, d = cable.chain(2), cable.directions(2)
    settled = d.copy()
    doubling.halve_segments(cable.pyramid, 1)
    inserted = cable.energy_of(2)
    doubling.in_order(chain, cable.work, d, cable.pyramid.theta[2], cable._nothing, 8)
    printed = cable.energy_of(2)
    cable.pyramid.d[cable.pyramid.site0[2] :][: len(d)] = settled
    lowest = cable.energy_of(2)
    assert inserted > printed > lowest + 1e-6 * abs(lowest)


def test_solved_again_after_a_small_perturbation_nothing_oscillates() -> None:
    rng = np.random.default_rng(4)
    for made in random_layouts(25, seed=6):
        cable = Cable(made, 64)
        cable.solve()
        before = cable.positions(cable.level)
        step = rng.normal(size=3)
        step *= 1e-6 / np.linalg.norm(step)
        first, last = made.holds
        moved = tuple(p + q for p, q in zip(last.position, step, strict=True))
        cable.move((first, last._replace(position=moved)))
        cable.solve()
        assert np.linalg.norm(cable.positions(cable.level) - before, axis=1).max() < 1e-4
        again = cable.positions(cable.level)
        cable.move((first, last._replace(position=moved)))
        cable.solve()
        assert np.linalg.norm(cable.positions(cable.level) - again, axis=1).max() < 1e-9


def test_the_force_at_the_end_is_the_slope_of_the_least_energy() -> None:
    """By differences: what a hand at the end feels."""
    made = layout(reference("clamped_3d_hose_A_twist090"), twist=True)
    first, last = made.holds

    def least(position: tuple[float, float, float]) -> float:
        cable = Cable(made.holding((first, last._replace(position=position))), 16)
        cable.solve()
        return cable.energy_of(cable.level)

    cable = Cable(made, 16)
    cable.solve()
    for axis in range(3):
        ends = []
        for sign in (-1.0, 1.0):
            place = list(last.position)
            place[axis] += sign * 1e-5
            ends.append(least((place[0], place[1], place[2])))
        slope = (ends[1] - ends[0]) / 2e-5
        assert float(cable.pyramid.nu[cable.level, axis]) == pytest.approx(slope, rel=1e-4, abs=1e-5)


def test_a_chain_without_springs_hangs_in_a_catenary() -> None:
    case = json.loads(json.dumps(reference("catenary_equal")))
    x = case["reference"]["positions"]
    made = Layout((Section(case["L"], 0.0, 0.0, (0.0, 0.0, -1.0)),), (Hold(0, tuple(x[0])), Hold(1, tuple(x[-1]))))
    cable = Cable(made, 64)
    assert cable.solve().settled
    assert distance(cable, 5, case) < 5e-4


def test_two_sections_of_one_cable_are_the_cable() -> None:
    """A ball joint that holds the cable where it goes through anyway changes nothing."""
    made = layout(reference(PLANAR[0]), twist=False)
    whole = Cable(made, 64)
    whole.solve()
    x = whole.positions(5)
    half = replace(
        made,
        sections=tuple(k._replace(length=0.5 * k.length) for k in made.sections for _ in range(2)),
        holds=(made.holds[0], Hold(1, triple(x[32])), made.holds[1]._replace(at=2)),
    )
    chained = Cable(half, 32)
    assert chained.solve().settled
    assert chained.positions(chained.level) == pytest.approx(x, abs=1e-6)
