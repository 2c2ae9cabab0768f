"""Bodies on the ground and on each other: they stand, slide and stop as Coulomb says, and nothing gains energy."""

import math
from typing import Any

import numpy as np
import pytest

from lissom.machines.machine import Machine
from lissom.machines.resting import find_rest
from tests.machines.scenes import held, over, scene, weight, wheel

DT = 1.0 / 60.0
GROUND = {"name": "ground", "shape": {"kind": "plane"}, "friction": 0.5}

SHAPES: list[tuple[dict[str, Any], float]] = [
    ({"kind": "sphere", "radius": 0.2}, 0.2),
    ({"kind": "box", "size": [0.4, 0.3, 0.2]}, 0.1),
    ({"kind": "cylinder", "radius": 0.3, "length": 0.2}, 0.1),
    ({"kind": "capsule", "radius": 0.1, "length": 0.4}, 0.3),
]


def body(name: str, shape: dict[str, Any], z: float, **said: Any) -> dict[str, Any]:
    return {"name": name, "shape": shape, "motion": "free", "density": 500.0, "position": [0.0, 0.0, z], **said}


@pytest.mark.parametrize(("shape", "height"), SHAPES, ids=[k["kind"] for k, _ in SHAPES])
def test_what_falls_comes_to_stand_on_the_ground(shape: dict[str, Any], height: float) -> None:
    machine = Machine(scene([GROUND, body("thing", shape, height + 0.3)], [], []))
    start = machine.energy
    for _ in range(120):
        machine.step(DT)
        assert machine.energy <= start * (1.0 + 1e-9)
    assert machine.pose("thing")[0][2] == pytest.approx(height, abs=1e-4)
    assert np.linalg.norm(machine.velocity("thing")) < 1e-6


@pytest.mark.parametrize(("slope", "slides"), [(0.40, False), (0.60, True)])
def test_a_box_on_a_slope(slope: float, slides: bool) -> None:
    """tan of the angle against μ = 0.5; beyond it the acceleration is g (sin − μ cos)."""
    angle = math.atan(slope)
    tilted = {**GROUND, "tangent": [math.sin(angle), 0.0, math.cos(angle)]}
    normal = np.array([math.sin(angle), 0.0, math.cos(angle)])
    box = body("box", {"kind": "box", "size": [0.4, 0.4, 0.1]}, 0.0, tangent=list(normal), position=list(0.05 * normal))
    machine = Machine(scene([tilted, box], [], []))
    for _ in range(60):
        machine.step(DT)
    speed = float(np.linalg.norm(machine.velocity("box")))
    expected = 9.81 * (math.sin(angle) - 0.5 * math.cos(angle)) * machine.time
    assert speed == pytest.approx(expected, rel=0.01) if slides else speed < 1e-6


def test_a_sphere_rolls() -> None:
    """A sphere that slides on at v ends rolling at 5/7 v, whatever the friction."""
    ball = body("ball", {"kind": "sphere", "radius": 0.2}, 0.2)
    machine = Machine(scene([GROUND, ball], [], []), iterations=4)
    machine.set_velocity("ball", linear=np.array([2.0, 0.0, 0.0]))
    for _ in range(90):
        machine.step(DT)
    assert machine.velocity("ball")[0] == pytest.approx(2.0 * 5.0 / 7.0, rel=0.02)
    assert machine.angular_velocity("ball")[1] == pytest.approx(machine.velocity("ball")[0] / 0.2, rel=0.02)


@pytest.mark.parametrize(("shape", "height"), SHAPES[1:3], ids=["box", "cylinder"])
def test_equal_solids_stand_flush_on_each_other(shape: dict[str, Any], height: float) -> None:
    parts = [GROUND] + [body(f"{k}", shape, (2 * k + 1) * height) for k in range(5)]
    machine = Machine(scene(parts, [], []))
    for _ in range(120):
        machine.step(DT)
    for k in range(5):
        assert machine.pose(f"{k}")[0] == pytest.approx((0.0, 0.0, (2 * k + 1) * height), abs=1e-7)


def test_what_stands_does_not_creep() -> None:
    """Whatever pulls at it below the limit of friction: here a weight over a sheave, 0.3 of the normal force."""
    mass = 0.4 * 0.3 * 0.2 * 500.0
    parts = [
        GROUND,
        body("box", {"kind": "box", "size": [0.4, 0.3, 0.2]}, 0.1),
        wheel("sheave", 1.0, 0.0, 0.1),
        weight("weight", 1.1, -0.5, 0.3 * mass),
    ]
    rope = {"name": "rope", "path": [held("box", 0.2), over("sheave", "right", friction=0.0), held("weight")]}
    machine = Machine(scene(parts, [], [rope]))
    for _ in range(60):
        machine.step(DT)
    before = np.array(machine.pose("box")[0])
    for _ in range(120):
        machine.step(DT)
    assert np.array(machine.pose("box")[0]) == pytest.approx(before, abs=1e-6)
    assert machine.rope("rope").tension == pytest.approx([0.3 * mass * 9.81] * 2, rel=1e-3)
    assert find_rest(machine).ok


@pytest.mark.parametrize("pull", [0.45, 0.55])
@pytest.mark.parametrize("direction", [0.0, 0.3, 0.785, 2.0])
def test_the_limit_of_friction_is_the_same_all_around(direction: float, pull: float) -> None:
    """μ = 0.5, and gravity leans by tan = `pull` in any direction."""
    lean = [9.81 * pull * math.cos(direction), 9.81 * pull * math.sin(direction), -9.81]
    box = body("box", {"kind": "box", "size": [0.4, 0.4, 0.05]}, 0.025)
    machine = Machine(scene([GROUND, box], [], [], gravity=lean))
    for _ in range(60):
        machine.step(DT)
    speed = float(np.linalg.norm(machine.velocity("box")))
    assert speed == pytest.approx(9.81 * max(0.0, pull - 0.5) * machine.time, rel=0.01, abs=1e-6)


def test_a_rope_that_presses_a_body_up_against_something_holds_it_still() -> None:
    beam = {"kind": "box", "size": [1.0, 1.0, 0.2]}
    ceiling = {"name": "ceiling", "shape": beam, "position": [0.0, 0.0, 0.2], "friction": 1.0}
    box = body("box", {"kind": "box", "size": [0.2, 0.2, 0.2]}, 0.0)
    parts = [ceiling, box, wheel("sheave", 0.6, 1.0, 0.1), weight("weight", 0.7, -0.5, 12.0)]
    rope = {"name": "rope", "path": [held("box"), over("sheave", "right", friction=0.0), held("weight")]}
    machine = Machine(scene(parts, [], [rope]))
    machine.step(DT)
    for _ in range(60):
        machine.step(DT)
        assert np.linalg.norm(machine.velocity("box")) < 1e-6


def test_overlap_at_the_start_is_no_blow() -> None:
    """The box is lifted, which is work, but it never leaves the ground."""
    for substeps in (10, 80):
        machine = Machine(scene([GROUND, body("box", {"kind": "box", "size": [0.4, 0.3, 0.2]}, 0.09)], [], []))
        for _ in range(60):
            machine.step(DT, substeps)
            assert np.linalg.norm(machine.velocity("box")) < 0.11
            assert machine.pose("box")[0][2] < 0.1 + 1e-4
        assert machine.pose("box")[0][2] == pytest.approx(0.1, abs=1e-5)


def test_momentum_is_kept_when_two_bodies_collide() -> None:
    left = body("left", {"kind": "sphere", "radius": 0.2}, 0.0)
    right = body("right", {"kind": "box", "size": [0.5, 0.3, 0.4]}, 0.0, position=[0.9, 0.1, 0.05])
    machine = Machine(scene([left, right], [], [], gravity=[0, 0, 0]))
    machine.set_velocity("left", linear=np.array([2.0, 0.0, 0.0]))
    p, l = machine.momentum
    for _ in range(60):
        machine.step(DT)
    q, k = machine.momentum
    assert machine.velocity("right")[0] > 0.2
    assert q == pytest.approx(p, abs=1e-10)
    assert k == pytest.approx(l, abs=1e-3 * float(np.linalg.norm(p)))


def test_crates_that_stand_askew_on_each_other_stand() -> None:
    """Two of the four places where they touch are crossings of edges."""
    crate = {"kind": "box", "size": [0.4, 0.4, 0.2]}
    places = [[0.05 * (k % 2), 0.03 * k, 0.1 + 0.2 * k] for k in range(5)]
    parts = [body(f"{k}", crate, 0.0, position=place) for k, place in enumerate(places)]
    machine = Machine(scene([GROUND, *parts], [], []))
    start = machine.energy
    for _ in range(120):
        machine.step(DT)
        assert machine.energy <= start * (1.0 + 1e-9)
    for k, place in enumerate(places):
        assert machine.pose(f"{k}")[0] == pytest.approx(place, abs=1e-5)


ACROSS: list[tuple[dict[str, Any], float, dict[str, Any]]] = [
    ({"kind": "cylinder", "radius": 0.1, "length": 2.0}, 0.1, {"tangent": [1.0, 0.0, 0.0]}),
    ({"kind": "capsule", "radius": 0.1, "length": 2.0}, 0.1, {"tangent": [1.0, 0.0, 0.0]}),
    ({"kind": "box", "size": [2.0, 0.2, 0.1]}, 0.05, {"quaternion": [math.cos(0.4), 0.0, 0.0, math.sin(0.4)]}),
]
BELOW = [{"kind": "box", "size": [0.3, 2.0, 0.2]}, {"kind": "cylinder", "radius": 0.3, "length": 0.2}]


@pytest.mark.parametrize("below", BELOW, ids=["beam", "drum"])
@pytest.mark.parametrize(("shape", "half", "turned"), ACROSS, ids=["log", "pole", "plank"])
def test_what_lies_across_something_short_lies_on_it(
    shape: dict[str, Any], half: float, turned: dict[str, Any], below: dict[str, Any]
) -> None:
    """Both ends of it stand out, and so do the corners of what it lies on."""
    parts = [GROUND, body("block", below, 0.1), body("beam", shape, 0.2 + half, friction=0.5, **turned)]
    machine = Machine(scene(parts, [], []))
    for _ in range(120):
        machine.step(DT)
    assert machine.pose("beam")[0] == pytest.approx((0.0, 0.0, 0.2 + half), abs=1e-5)
    assert find_rest(machine).ok


def test_smooth_crates_that_were_dropped_on_each_other_find_rest() -> None:
    """They lean by 1e-8 rad, and slide on for ever: no force worth the name drives them."""
    crate = {"kind": "box", "size": [0.4, 0.4, 0.2]}
    parts = [body(f"{k}", crate, 0.0, position=[0.01 * (k % 2), 0.013 * k, 0.15 + 0.25 * k]) for k in range(6)]
    machine = Machine(scene([GROUND, *parts], [], []))
    for _ in range(120):
        machine.step(DT)
    assert find_rest(machine).ok


def test_dominoes_fall_and_lie_still() -> None:
    """Leaning on each other, with more places that rub than it takes to hold them."""
    tile = {"kind": "box", "size": [0.04, 0.2, 0.4]}
    tiles = [body(f"{k}", tile, 0.0, position=[0.15 * k, 0.0, 0.2], friction=0.4) for k in range(8)]
    machine = Machine(scene([GROUND, *tiles], [], []))
    machine.set_velocity("0", linear=np.array([0.5, 0.0, 0.0]), angular=np.array([0.0, 2.0, 0.0]))
    start = machine.energy
    for _ in range(240):
        machine.step(DT)
        assert machine.energy <= start * (1.0 + 1e-9)
    assert machine.energy < 0.5 * start
    assert machine.fastest[1] < 1e-5


def test_boxes_in_one_place_part_ways() -> None:
    """Within tenths of a second, not with a bang: δ/τ = 4 m/s at most."""
    cube = {"kind": "box", "size": [0.4, 0.4, 0.4]}
    machine = Machine(scene([GROUND, body("one", cube, 0.2), body("two", cube, 0.2)], [], []))
    for _ in range(60):
        machine.step(DT)
        assert machine.fastest[1] < 4.5
    assert np.ptp([machine.pose(name)[0] for name in ("one", "two")], axis=0).max() > 0.39


ROUND: list[dict[str, Any]] = [
    {"kind": "cylinder", "radius": 0.1, "length": 1.2},
    {"kind": "capsule", "radius": 0.1, "length": 1.0},
]


@pytest.mark.parametrize("low", ROUND, ids=["logs", "poles"])
@pytest.mark.parametrize("high", ROUND, ids=["log", "pole"])
@pytest.mark.parametrize("shift", [0.0, 0.25])
def test_what_is_round_lies_across_what_is_round(low: dict[str, Any], high: dict[str, Any], shift: float) -> None:
    """On two logs, also where it meets neither in its middle: at rest, and each carries its share."""
    parts = [GROUND]
    parts += [body(f"{x}", low, 0.0, position=[x, 0.0, 0.1], tangent=[0, 1, 0], friction=0.5) for x in (-0.3, 0.3)]
    parts.append(body("high", high, 0.0, position=[0.6 * shift, shift, 0.3], tangent=[1, 0.2, 0], friction=0.5))
    machine = Machine(scene(parts, [], []))
    start = machine.energy
    for _ in range(120):
        machine.step(DT)
        assert machine.energy <= start * (1.0 + 1e-9)
    assert machine.pose("high")[0] == pytest.approx((0.6 * shift, shift, 0.3), abs=2e-5)
    assert find_rest(machine).ok


@pytest.mark.parametrize("low", ROUND, ids=["log", "pole"])
def test_poles_that_cross_touch_in_one_place(low: dict[str, Any]) -> None:
    """It was found twice, as a crossing and as the place of one next to the other: a chain on wheels took twice as
    long.
    """
    across = body("high", ROUND[1], 0.0, position=[0.0, 0.1, 0.3], tangent=[1, 0.2, 0], friction=0.5)
    machine = Machine(scene([body("low", low, 0.1, tangent=[0, 1, 0], motion="fixed"), across], [], []))
    machine.step(DT)
    assert machine._parts.contacts.found[0] == 1


@pytest.mark.parametrize("shift", [0.0, 1e-9, 1e-4, 0.002])
@pytest.mark.parametrize("longer", [0.0, 0.2])
def test_logs_lie_on_each_other_lengthwise(shift: float, longer: float) -> None:
    """In the gap of two that stand; where their ends are flush too, which fell through."""
    log = {"kind": "cylinder", "radius": 0.1, "length": 1.0}
    parts = [
        body(f"{x}", log, 0.0, position=[x, 0.0, 0.1], tangent=[0, 1, 0], motion="fixed", friction=0.5)
        for x in (-0.105, 0.105)
    ]
    high = {**log, "length": 1.0 + longer}
    top = body("top", high, 0.0, position=[0.0, shift, 0.28], tangent=[0, 1, 0], friction=0.5)
    machine = Machine(scene([*parts, top], [], []))
    for _ in range(60):
        machine.step(DT)
    assert machine.pose("top")[0] == pytest.approx((0.0, shift, 0.1 + math.sqrt(0.2**2 - 0.105**2)), abs=1e-4)


def test_barrels_of_one_height_push_each_other() -> None:
    barrel = {"kind": "cylinder", "radius": 0.2, "length": 1.0}
    far = body("far", barrel, 0.5, friction=0.0)
    near = body("near", barrel, 0.0, position=[-0.6, 0.0, 0.5], friction=0.0)
    machine = Machine(scene([{**GROUND, "friction": 0.0}, near, far], [], []))
    machine.set_velocity("near", linear=np.array([1.0, 0.0, 0.0]))
    for _ in range(60):
        machine.step(DT)
    assert machine.velocity("near")[0] == pytest.approx(0.5, abs=0.02)
    assert machine.velocity("far")[0] == pytest.approx(0.5, abs=0.02)
    assert machine.pose("far")[0][0] - machine.pose("near")[0][0] == pytest.approx(0.4, abs=1e-3)


def test_logs_that_passed_into_each_other_are_not_hurled_apart() -> None:
    """The end of one that begins deep inside the other."""
    log = {"kind": "cylinder", "radius": 0.12, "length": 0.4}
    for shift in np.linspace(0.0, 0.3, 7):
        low = body("low", log, 0.12, tangent=[1.0, 0.0, 0.0])
        high = body("high", {**log, "length": 0.5}, 0.0, tangent=[0.1, 1.0, 0.0], position=[shift, 0.05, 0.4])
        machine = Machine(scene([GROUND, low, high], [], []))
        start = machine.energy
        for _ in range(60):
            machine.step(DT)
            assert machine.energy <= start * 1.01
