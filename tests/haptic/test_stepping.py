"""Update rules: where they come to rest, how far they may step, and what becomes of explosive numbers."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lissom.haptic.cable import ForceCable, Grip
from lissom.haptic.parameters import RULES, Parameters, automatic, table_1


def held(given: Parameters, **said: Any) -> ForceCable:
    return ForceCable(given, [Grip(0.0, np.zeros(3), np.array([1.0, 0.0, 0.0]))], **said)


def hose(**said: Any) -> Parameters:
    return automatic(0.3, 0.02, 2e-3, 12, **said)


@pytest.mark.parametrize("rule", list(RULES))
def test_every_rule_comes_to_the_same_rest(rule: Any) -> None:
    cable, other = held(hose(rule=rule)), held(hose(rule="dynamic"))
    assert cable.settle(tolerance=1e-7), cable.health
    assert other.settle(tolerance=1e-7)
    assert cable.positions == pytest.approx(other.positions, abs=1e-6)


@pytest.mark.parametrize("rule", list(RULES))
def test_below_the_bound_it_rests_and_above_it_does_not(rule: Any) -> None:
    """The straight weightless cable, pushed a little: 2 (1 + c_h)/λ is where it stops coming back."""
    given = replace(hose(rule=rule), mass=0.0)
    rng = np.random.default_rng(1)
    straight = held(given).positions
    start = straight + 1e-6 * rng.normal(size=(12, 3))

    def size(factor: float) -> float:
        cable = held(replace(given, mobility=factor * given.mobility_bound, rise=0.0), positions=start)
        cable.step(200.0)
        return float(np.abs(cable.positions - straight).max()) if cable.health.status == "good" else math.inf

    assert size(0.95) < 2e-5
    assert size(4.0) > 1e-4  # λ is the sum of what each force may add: two fifths of it are reached


def test_limited_steps_are_no_longer_than_the_limit() -> None:
    given = replace(table_1("limited"), step_limit=1e-4)
    cable = held(given, positions=held(given).positions * [1.3, 1.0, 1.0])
    for _ in range(20):
        before = cable.positions
        cable.step(1.0 / given.most_steps)
        assert np.linalg.norm(cable.positions - before, axis=1).max() <= 1e-4 * (1.0 + 1e-9)
    assert cable.health.limited > 0


@pytest.mark.parametrize(("rule", "still"), [("limited", False), ("relative", True), ("mean", True)])
def test_relative_limits_let_the_whole_move_far(rule: Any, still: bool) -> None:
    """All points pushed alike: only the absolute limit holds them back."""
    given = replace(table_1(rule), step_limit=1e-4, grip_stiffness=1e-6, most_steps=4)
    push = np.zeros((10, 3))
    push[:, 1] = 1.0
    cable = held(given, weight=push)
    cable.step(1.0 / given.steps)
    moved = np.abs(cable.positions[:, 1])
    assert moved == pytest.approx(0.00413 if still else 1e-4, rel=1e-6)


def test_repeats_keep_up_with_the_time_until_the_cap() -> None:
    """KH05 Text 1: Σ c_m follows the clock; what the cap leaves undone is reported."""
    given = replace(table_1("limited"), step_limit=1e-3)
    stretched = held(given).positions * [1.5, 1.0, 1.0]
    cable = held(replace(given, most_steps=10_000), positions=stretched)
    cable.step()
    assert cable.health.steps > 4
    assert cable.health.deficit == 0.0
    capped = held(replace(given, most_steps=5), positions=stretched)
    capped.step()
    assert capped.health.steps == 5
    assert capped.health.deficit > 0.0


def test_oscillation_raises_the_damping_and_rest_lowers_it() -> None:
    given = replace(hose(rule="limited"), mobility=4.0 * hose(rule="limited").mobility_bound)
    cable = held(given)
    cable.step(50.0)
    assert cable.health.status == "good"
    assert cable.health.damped > 0
    assert cable.damping > 1.0
    assert cable.stretch < 0.1


@pytest.mark.parametrize("rule", list(RULES))
@pytest.mark.parametrize("factor", [5.0, 1e3, 1e12])
def test_explosive_mobility_ends_in_a_status_with_the_cure(rule: Any, factor: float) -> None:
    given = replace(hose(rule=rule), mobility=factor * hose(rule=rule).mobility_bound)
    cable = held(given)
    for _ in range(3000):
        cable.step()
    assert cable.health.status != "good"
    assert np.isfinite(cable.positions).all()
    assert np.isfinite(cable.wrench()).all()
    assert "mobility c_F" in cable.health.reason
    assert f"take c_F = {given.calmed().mobility:.3g} m/N" in cable.health.reason


def test_stretch_force_of_table_5_explodes_and_says_so() -> None:
    """659,734 N with Table 1's c_F: the paper's model kept oscillating; the cure names what is too stiff."""
    given = replace(table_1("relative"), length=0.5, points=16, stretch_force=659_734.0, bend_force=3574.96)
    cable = held(given)
    for _ in range(3000):
        cable.step()
    assert cable.health.status != "good"
    assert "smaller stretch_force" in cable.health.reason
    calm = held(given.calmed())
    calm.step(100.0)
    assert calm.health.status == "good"


def test_a_cable_with_too_few_grips_or_numbers_that_are_none_is_refused() -> None:
    with pytest.raises(ValueError, match="grips"):
        ForceCable(hose(), [])
    with pytest.raises(ValueError, match="positions"):
        held(hose(), positions=np.full((12, 3), np.nan))
    with pytest.raises(ValueError, match="place"):
        ForceCable(hose(), [Grip(0.4, np.zeros(3), np.array([1.0, 0.0, 0.0]))])
    cable = held(hose())
    with pytest.raises(ValueError, match="finite"):
        cable.move(0, np.array([0.0, np.nan, 0.0]))


@pytest.mark.parametrize("kind", ["frame", "points"])
def test_a_cable_that_is_led_slowly_is_not_dragged(kind: Any) -> None:
    """Carried along by its only grip, a weightless cable that goes 0.1 m/s and turns by 2 rad/s is where a rigid one
    would be, within a ten thousandth of its length, and is hardly felt.

    Held by two points it overshoots once and is damped: then a millisecond has no whole number of steps any more, and
    the last one carried the cable too far in every millisecond after, by 0.3 % of its length.
    """
    given = replace(hose(), mass=0.0)
    cable = ForceCable(given, [Grip(0.0, np.zeros(3), np.array([1.0, 0.0, 0.0]), kind)])
    dragged = ForceCable(given, [Grip(0.0, np.zeros(3), np.array([1.0, 0.0, 0.0]), kind)], carried=False)
    felt = {}
    for name, one in {"carried": cable, "dragged": dragged}.items():
        for k in range(1, 301):
            angle = 0.002 * k
            one.move(0, np.array([0.0, 1e-4 * k, 0.0]), np.array([math.cos(angle), 0.0, math.sin(angle)]))
            one.step()
        felt[name] = float(np.linalg.norm(one.wrench()[:3]))
    end = np.array([0.0, 0.03, 0.0]) + 0.3 * np.array([math.cos(0.6), 0.0, math.sin(0.6)])
    assert np.linalg.norm(cable.positions[-1] - end) < 1e-4 * 0.3
    assert felt["carried"] < 0.05 * felt["dragged"]
