"""Checks against cases computed by hand."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from lissom.analysis.checks import Check, check_cable
from lissom.analysis.report import Findings
from lissom.rods.surroundings import Clearance
from tests.analysis.conftest import FLOOR, RING

Solve = Callable[[str], Findings]

B1 = 1e9 * 8e-3 * (2e-3) ** 3 / 12  # N m², bending about d1 of the 8 × 2 mm strip


def by_rule(found: Findings) -> dict[str, Check]:
    return {check.rule: check for check in found.checks}


def arc(solve: Solve, radius: float) -> dict[str, Check]:
    """The strip bent into an arc of this radius (m)."""
    return by_rule(solve(RING.replace("MOMENT", repr(B1 / radius))))


def test_bend_radius_inside_is_less_by_half_the_height(solve: Solve) -> None:
    check = arc(solve, 0.2)["bend_radius"]
    assert check.value == pytest.approx(0.2 - 1e-3, rel=1e-6)
    assert check.margin == pytest.approx(0.2 - 1e-3 - 0.1, rel=1e-6)
    assert check.ok is True
    assert check.measured == "inside"


def test_bend_radius_exactly_at_the_limit_passes_and_just_below_fails(solve: Solve) -> None:
    assert arc(solve, 0.101 * (1 + 1e-8))["bend_radius"].ok is True
    assert arc(solve, 0.101 * (1 - 1e-6))["bend_radius"].ok is False


def test_bending_stress_is_modulus_times_distance_over_radius(solve: Solve) -> None:
    check = arc(solve, 0.2)["stress"]
    assert check.value == pytest.approx(1e9 * 1e-3 / 0.2, rel=1e-6)
    assert check.ok is True
    assert arc(solve, 0.12)["stress"].ok is False


def test_rest_curvature_bends_without_stress(solve: Solve) -> None:
    text = RING.replace('loads = [{ at = 1, moment = [MOMENT, 0, 0], axes = "body" }]', "")
    checks = by_rule(solve(text + "rest = { curvature = [5, 0, 0] }\n"))
    assert checks["bend_radius"].value == pytest.approx(0.2 - 1e-3, rel=1e-6)
    assert checks["stress"].value == pytest.approx(0.0, abs=1.0)


def test_tension_of_a_hanging_rod_is_its_weight_and_load(solve: Solve) -> None:
    text = """
[[cables]]
name = "rod"
stiffness = { bending = 0.01, torsion = 0.01 }
mass_per_length = 0.2
limits = { tension = 12.0, bend_radius = 0.1 }
length = 2.0
start = { position = [0, 0, 0], tangent = [0, 0, -1], roll = 0 }
loads = [{ at = 1, force = [0, 0, -7] }]
"""
    found = solve(text)
    checks = by_rule(found)
    assert checks["tension"].value == pytest.approx(7 + 2.0 * 0.2 * 9.81, rel=1e-9)
    assert checks["tension"].at == 0.0
    assert checks["tension"].margin == pytest.approx(12 - 10.924, rel=1e-9)
    assert checks["bend_radius"].ok is True  # straight


def test_twist_per_length_of_a_taut_cable_is_its_twist_over_its_length(solve: Solve) -> None:
    text = """
gravity = [0, 0, 0]
[[cables]]
name = "cable"
stiffness = { bending = 0.1, torsion = 0.1 }
mass_per_length = 0.1
limits = { twist_per_length = "90 deg/m" }
length = 0.5
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
end = { position = [0.5, 0, 0], tangent = [1, 0, 0], free = ["x"] }
loads = [{ at = 1, force = [10, 0, 0] }]
twist = "-60 deg"
"""
    check = by_rule(solve(text))["twist_per_length"]
    assert check.value == pytest.approx(math.radians(120), rel=1e-6)
    assert check.ok is False
    assert check.margin == pytest.approx(math.radians(-30), rel=1e-6)


def test_clearance_without_parts_is_not_checked_rather_than_passed(hose: Findings) -> None:
    check = by_rule(hose)["clearance"]
    assert check.ok is None
    assert check.value is None
    assert "no part" in check.note


def test_clearance_is_the_distance_to_the_nearest_part(solve: Solve) -> None:
    """Nothing touches; the axis of the bar runs across the hose at x = -100 mm, z = 30 mm."""
    found = solve(FLOOR.replace("-0.06", "-0.5"))
    assert found.contacts == ()
    check = by_rule(found)["clearance"]
    hose = found.cables["hose"]
    assert hose is not None
    by_hand = float(np.hypot(hose.positions[:, 0] + 0.1, hose.positions[:, 2] - 0.03).min()) - 0.01 - 0.005
    assert check.part == "bar"
    assert check.value == pytest.approx(by_hand, abs=2e-4)  # between the points
    assert check.margin == pytest.approx(by_hand - 0.003, abs=2e-4)
    assert check.ok is True
    assert check.at is not None
    assert 0.1 < check.at < 0.3


def test_a_part_that_is_touched_has_no_clearance(lying: Findings) -> None:
    check = by_rule(lying)["clearance"]
    assert check.part == "floor"
    assert check.value == pytest.approx(0.0, abs=1e-4)
    assert check.value is not None
    assert check.value >= 0.0
    assert check.at == pytest.approx(0.5, abs=0.05)
    assert check.ok is False


def test_what_may_touch_keeps_a_clearance_of_zero(solve: Solve) -> None:
    found = solve(FLOOR.replace("clearance = 0.003", "clearance = 0.0"))
    assert found.contacts
    assert by_rule(found)["clearance"].ok is True


def test_a_part_that_the_cable_ignores_is_not_checked(solve: Solve) -> None:
    found = solve(FLOOR.replace("points = 33", 'points = 33\nignore = ["floor", "bar", "block"]'))
    assert by_rule(found)["clearance"].ok is None


def test_whole_cable_check_agrees_with_the_smallest_bend_radius(hose: Findings) -> None:
    cable = hose.cables["hose"]
    assert cable is not None
    check = by_rule(hose)["bend_radius"]
    assert check.value == pytest.approx(cable.min_bend_radius, rel=1e-9)
    assert check.at == pytest.approx(cable.min_bend_radius_at, rel=1e-9)


STRETCHED = """
gravity = [0, 0, 0]
[types.soft]
stiffness = { bending = 0.01, torsion = 0.01 }
mass_per_length = 0.1
limits = { bend_radius = 0.15, tension = 3.0 }
[types.stiff]
stiffness = { bending = 0.03, torsion = 0.03 }
mass_per_length = 0.1
LIMITS
[[cables]]
name = "cable"
type = "soft"
length = 0.4
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
loads = [{ at = 1, moment = [0.1, 0, 0], axes = "body" }]
stretches = [{ from = 0.25, to = 0.5, type = "stiff" }]
"""


def test_a_stretch_is_checked_against_its_own_limit(solve: Solve) -> None:
    found = solve(STRETCHED.replace("LIMITS", "limits = { bend_radius = 0.4 }"))
    own, stretch = [check for check in found.checks if check.rule == "bend_radius"]
    assert (own.stretch, own.ok) == ("", False)
    assert own.value == pytest.approx(0.1, rel=1e-6)
    assert (stretch.stretch, stretch.ok) == ("stiff", False)
    assert stretch.value == pytest.approx(0.3, rel=1e-6)
    assert stretch.at is not None
    assert 0.25 <= stretch.at <= 0.5


def test_a_stretch_without_limits_keeps_those_of_the_cable(solve: Solve) -> None:
    checks = [c for c in solve(STRETCHED.replace("LIMITS", "")).checks if c.rule == "bend_radius"]
    assert len(checks) == 1
    assert checks[0].value == pytest.approx(0.1, rel=1e-6)


def test_without_a_shape_nothing_is_checked(solve: Solve) -> None:
    text = STRETCHED.replace("LIMITS", "").replace("loads", "end = { position = [1, 0, 0] }\nloads")
    found = solve(text)
    assert found.report.status == "infeasible"
    assert {check.ok for check in found.checks} == {None}


def near(distance: float, at: float, part: str = "part") -> Clearance:
    return Clearance("cable", part, distance, at * 0.4, np.zeros(3), np.array([0.0, 0.0, 1.0]))


@pytest.mark.parametrize(
    ("nearest", "own", "stretch"),
    [
        ([near(0.004, 0.3)], True, False),  # in the stretch, which is from 0.25 to 0.5
        ([near(0.004, 0.8)], True, None),  # the stretch is at least as far away: not enough to know
        ([near(0.004, 0.8), near(0.005, 0.4)], True, False),
        ([near(0.009, 0.8)], True, True),
        ([near(0.001, 0.3)], None, False),
        ([near(0.001, 0.3), near(0.002, 0.9)], False, False),
    ],
)
def test_clearance_of_a_stretch(solve: Solve, nearest: list[Clearance], own: bool | None, stretch: bool | None) -> None:
    """3 mm for the cable, 6 mm for the stretch."""
    text = STRETCHED.replace("LIMITS", "limits = { clearance = 0.006 }").replace(
        "tension", "clearance = 0.003, tension"
    )
    found = solve(text)
    checks = check_cable(found.scene, "cable", found.cables["cable"], nearest)
    assert [(check.stretch, check.ok) for check in checks if check.rule == "clearance"] == [
        ("", own),
        ("stiff", stretch),
    ]
