"""Ropes: length conserved, hybrids, merges and splits, pinholes, slip, profiles, breaking; and fig. 12 of the paper."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lissom.machines.drawing import hanging, rope_line
from lissom.machines.machine import Machine
from lissom.machines.profiles import circumference, corners_of, hull
from lissom.scene import Scene, SceneError
from tests.machines.references import reference
from tests.machines.scenes import atwood, axle, held, over, scene, simple, standing_wheels, weight, wheel

DT = 1.0 / 60.0


def steps(machine: Machine, seconds: float) -> Machine:
    for _ in range(round(seconds / DT)):
        machine.step(DT)
    return machine


# ---- fig. 12 ------------------------------------------------------------------------------------------------------


def length_error(machine: Machine) -> float:
    rope = machine.rope("rope")
    return float(np.max(np.abs(rope.length - rope.rest) / rope.rest))


def test_fig_12_has_the_right_tensions_for_both_densities() -> None:
    """Tension over weight: one box below, then two; the same for both densities to rounding."""
    light, heavy = (steps(Machine(simple(density)), 2.0).rope("rope").tension / density for density in (1.0, 1000.0))
    assert light == pytest.approx([10.0, 20.0, 20.0, 20.0], rel=1e-6)
    assert light == pytest.approx(heavy, rel=1e-9)


@pytest.mark.parametrize(("iterations", "most"), [(1, 0.05), (10, 0.005)])
@pytest.mark.parametrize("density", [1.0, 1000.0])
def test_fig_12_row_by_row(iterations: int, most: float, density: float) -> None:
    """As the paper does it: one step for a frame, 1 or 10 sweeps."""
    machine = Machine(simple(density), substeps=1, iterations=iterations, solver="gauss-seidel")
    worst = 0.0
    for _ in range(300):
        machine.step(DT)
        worst = max(worst, length_error(machine))
    assert worst <= most


# ---- stretch ------------------------------------------------------------------------------------------------------


def soft_belt(torque: float) -> Scene:
    """A belt stretched by 10 % from a wheel that is driven to one that a torque holds back."""
    parts = [
        wheel("one", 0.0, 0.0, 0.1, motion="free", mass=1.0),
        wheel("two", 0.6, 0.0, 0.2, motion="free", mass=1.0),
    ]
    joints = [axle("one", motor={"speed": 10.0}), axle("two", x=0.6, friction=torque)]
    path = [over("one", "left"), over("two", "left")]
    rope = {"name": "belt", "closed": True, "path": path, "stiffness": {"axial": 1000.0}, "tension": 100.0}
    return scene(parts, joints, [rope])


@pytest.mark.parametrize("torque", [1.0, 10.0])
def test_a_belt_creeps(torque: float) -> None:
    """Each wheel is as fast as the span that arrives, and both spans carry the same mass: the speeds of the rims differ
    as the stretched lengths do, (1 + ε of the slack side) to (1 + ε of the other).
    """
    machine = steps(Machine(soft_belt(torque)), 10.0)
    belt = machine.rope("belt")
    slow, fast = 0.2 * machine.angular_velocity("two")[1], 0.1 * machine.angular_velocity("one")[1]
    strain = np.sort(belt.length / belt.rest)
    assert np.diff(np.sort(belt.tension))[0] == pytest.approx(torque / 0.2, rel=1e-3)
    assert slow / fast == pytest.approx(strain[0] / strain[1], rel=1e-4)
    assert belt.total == pytest.approx(Machine(soft_belt(torque)).rope("belt").total, abs=1e-12)


def test_a_belt_begins_as_stretched_as_it_is_said_to_be() -> None:
    """What lies on the wheels too, so that nothing changes when they turn."""
    machine = Machine(soft_belt(0.0))
    start = machine.energy
    belt = steps(machine, 3.0).rope("belt")
    assert belt.tension == pytest.approx(100.0, rel=1e-3)
    assert start == pytest.approx(0.5 * 100.0**2 / 1000.0 * belt.total, rel=1e-9)


# ---- length -------------------------------------------------------------------------------------------------------


def wanderers() -> Scene:
    """Two bobs on one rope over a turning wheel and a peg that it touches now and then, swung sideways."""
    parts = [
        wheel("wheel", 0.0, 0.0, 0.2, motion="free", mass=1.0),
        wheel("peg", 0.35, -0.9, 0.05),
        weight("one", -0.2, -1.0, 1.0),
        weight("two", 0.2, -2.0, 1.0),
    ]
    path = [held("one"), over("wheel", "right"), over("peg", "left", active=False), held("two")]
    return scene(parts, [axle("wheel")], [{"name": "rope", "path": path}])


def test_the_whole_length_is_kept_through_merges_and_splits() -> None:
    machine = Machine(wanderers())
    machine.set_velocity("two", linear=np.array([2.5, 0.0, 0.0]))
    machine.set_velocity("one", linear=np.array([0.0, 0.3, 0.0]))
    total = machine.rope("rope").total
    seen = set()
    for _ in range(300):
        machine.step(DT)
        rope = machine.rope("rope")
        seen.add(bool(rope.active[2]))
        assert rope.total == pytest.approx(total, abs=1e-12)
        assert np.all(rope.length - rope.rest < 1e-3)
    assert seen == {True, False}


def test_a_split_is_where_the_straight_line_cuts_the_peg() -> None:
    """A bob swings against a peg: it then swings about the peg, and energy stays."""
    parts = [{"name": "hook"}, wheel("peg", 0.0, -0.6, 0.05), weight("bob", -0.6, -0.8, 1.0)]
    path = [held("hook"), over("peg", "left", active=False), held("bob")]
    machine = Machine(scene(parts, [], [{"name": "rope", "path": path}]), substeps=100)
    start = machine.energy
    bent = False
    for _ in range(90):
        machine.step(DT)
        bent = bent or bool(machine.rope("rope").active[1])
    assert bent
    assert machine.energy == pytest.approx(start, abs=0.03 * 9.81)


def test_a_rope_passes_a_peg_that_it_meets_from_the_other_side() -> None:
    parts = [{"name": "hook"}, wheel("peg", 0.0, -0.6, 0.05), weight("bob", -0.6, -0.8, 1.0)]
    path = [held("hook"), over("peg", "right", active=False), held("bob")]
    machine = Machine(scene(parts, [], [{"name": "rope", "path": path}]), substeps=20)
    for _ in range(40):  # one swing to the other side
        machine.step(DT)
        assert not machine.rope("rope").active[1]
    assert machine.pose("bob")[0][0] > 0.2


def test_a_slack_rope_is_met_where_it_hangs() -> None:
    """3 m of rope between hooks 2 m apart: a bar that comes down meets it at the bottom of the catenary, not at the
    straight line, and it pulls once both ways are 3 m long.
    """
    bar = wheel("bar", 1.0, 0.3, 0.05, motion="free", mass=1.0)
    slide = {"name": "travel", "part": "bar", "kind": "slide", "axis": [0, 0, 1], "origin": [1.0, 0.0, 0.3]}
    path = [held("hooks", 0.0, slack=1.0), over("bar", "left", active=False, friction=0.0), held("hooks", 2.0)]
    parts = [{"name": "hooks"}, bar]
    machine = Machine(scene(parts, [{**slide, "motor": {"speed": -0.5}}], [{"name": "rope", "path": path}]))
    sag = -float(hanging(np.zeros(3), np.array([2.0, 0.0, 0.0]), 3.0, np.array([0.0, 0.0, -9.81]))[:, 2].min())
    while not machine.rope("rope").active[1]:
        machine.step(DT)
        assert machine.time < 5.0
        assert machine.rope("rope").tension[0] == 0.0
    assert 0.05 - machine.pose("bar")[0][2] == pytest.approx(sag, abs=0.02)
    while machine.rope("rope").tension.max() == 0.0:
        machine.step(DT)
        assert machine.time < 5.0
    assert machine.rope("rope").total == pytest.approx(3.0, abs=1e-12)
    assert 0.05 - machine.pose("bar")[0][2] == pytest.approx(math.sqrt(1.5**2 - 1.0), abs=0.03)


def risen(bar: dict[str, Any], speed: float) -> Scene:
    """3 m of rope between hooks 2 m apart, and a bar below that a motor moves up or down."""
    x, _, z = bar["position"]
    guide = {"name": "travel", "part": "bar", "kind": "slide", "axis": [0, 0, 1], "origin": [x, 0.0, z]}
    path = [held("hooks", 0.0, slack=1.0), over("bar", "right", active=False, friction=0.0), held("hooks", 2.0)]
    joint = {**guide, "motor": {"speed": speed, "torque": 100.0}}
    return scene([{"name": "hooks"}, bar], [joint], [{"name": "rope", "path": path}])


ROUND_BAR = wheel("bar", 1.0, -1.5, 0.05, motion="free", mass=1.0)
SQUARE_BAR = {**ROUND_BAR, "shape": {"kind": "box", "size": [0.1, 0.1, 0.2]}}


@pytest.mark.parametrize("bar", [ROUND_BAR, SQUARE_BAR], ids=["round", "square"])
def test_a_slack_rope_is_lifted_by_what_the_straight_line_misses(bar: dict[str, Any]) -> None:
    """A bar that rises from below meets the rope at the bottom of its catenary, more than 1 m under the straight line
    between the hooks. The rope then lies over it, also above that line, until it pulls.
    """
    machine = Machine(risen(bar, 0.5))
    sag = -float(hanging(np.zeros(3), np.array([2.0, 0.0, 0.0]), 3.0, np.array([0.0, 0.0, -9.81]))[:, 2].min())
    while not machine.rope("rope").active[1]:
        machine.step(DT)
        assert machine.time < 2.0
    assert machine.pose("bar")[0][2] + 0.05 == pytest.approx(-sag, abs=0.02)
    while machine.rope("rope").tension.max() == 0.0:
        machine.step(DT)
        rope = machine.rope("rope")
        assert machine.time < 8.0
        assert rope.active[1]
        assert rope.rest[0] == pytest.approx(rope.rest[1], abs=1e-3)
        assert rope.total == pytest.approx(3.0, abs=1e-12)
        line = rope_line(machine, "rope")
        assert np.linalg.norm(np.diff(line, axis=0), axis=1).sum() == pytest.approx(3.0, rel=2e-3)
        from_bar = np.abs(line - machine.pose("bar")[0])[:, [0, 2]]
        assert np.min(np.hypot(*from_bar.T) if bar is ROUND_BAR else from_bar.max(axis=1)) > 0.049
    top = machine.pose("bar")[0][2] + 0.05
    half = 1.0 if bar is ROUND_BAR else 0.95
    way = 1.5 if bar is ROUND_BAR else 1.45
    assert top == pytest.approx(math.sqrt(way**2 - half**2), abs=0.03)


def test_a_bar_that_sinks_leaves_a_slack_rope_where_it_hangs_free() -> None:
    said = risen(ROUND_BAR, 0.5)
    machine = Machine(said)
    for _ in range(90):
        machine.step(DT)
    assert machine.rope("rope").active[1]
    machine.set_motor("travel", speed=-0.5, torque=100.0)
    while machine.rope("rope").active[1]:
        machine.step(DT)
        assert machine.time < 8.0
    sag = -float(hanging(np.zeros(3), np.array([2.0, 0.0, 0.0]), 3.0, np.array([0.0, 0.0, -9.81]))[:, 2].min())
    assert machine.pose("bar")[0][2] + 0.05 == pytest.approx(-sag, abs=0.02)
    assert machine.rope("rope").rest == pytest.approx([3.0], abs=1e-12)


def test_a_weight_next_to_a_wheel_is_not_thrown_off_when_its_rope_comes_to_lie_there() -> None:
    """Links that a split makes neighbours may be nearer than a thimble to its sheave: they were thrown apart."""
    parts = [{"name": "hook"}, wheel("wheel", 0.0, 0.0, 0.2), weight("bob", -0.02, 0.2006, 1.0)]
    path = [held("bob"), over("wheel", "right", active=False, friction=0.0), held("hook", 2.0, 0.25)]
    machine = Machine(scene(parts, [], [{"name": "rope", "path": path}], gravity=[0, 0, 0]))
    machine.set_velocity("bob", linear=np.array([-0.02, 0.0, -0.05]))
    start = machine.energy
    for _ in range(30):
        machine.step(DT)
        assert machine.energy < 1.01 * start
    assert machine.rope("rope").active[1]


@pytest.mark.soak
def test_the_whole_length_is_kept_for_a_million_substeps() -> None:
    machine = Machine(wanderers(), substeps=1000)
    machine.set_velocity("two", linear=np.array([2.5, 0.0, 0.0]))
    total = machine.rope("rope").total
    for _ in range(1000):
        machine.step(1.0)
    assert machine.rope("rope").total == pytest.approx(total, abs=1e-9)


# ---- links --------------------------------------------------------------------------------------------------------


def hybrid(stored: float) -> Scene:
    """A weight on a rope that is wound on a wheel with friction, so that it comes to rest (fig. 17, right)."""
    parts = [wheel("wheel", 0.0, 0.0, 0.1, motion="free", mass=2.0), weight("bob", 0.1, -0.5, 1.0)]
    path = [{**over("wheel", "right"), "kind": "hybrid", "stored": stored}, held("bob")]
    return scene(parts, [axle("wheel", friction=0.3)], [{"name": "rope", "path": path}])


@pytest.mark.parametrize("stored", [0.2, 0.5, 1.0])
def test_a_hybrid_lets_out_what_it_stores_and_then_holds(stored: float) -> None:
    """The bob hangs straight below the held end, which is straight below the axle."""
    machine = steps(Machine(hybrid(stored), substeps=5), 30.0)
    total = 0.5 + stored
    assert machine.rope("rope").total == pytest.approx(total, abs=1e-12)
    assert machine.rope("rope").stored[0] == 0.0
    assert machine.pose("bob")[0][2] == pytest.approx(-total - 0.1, abs=0.02)
    assert machine.rope("rope").tension[0] == pytest.approx(9.81, rel=0.05)


def test_a_hybrid_winds_up_again_the_other_way() -> None:
    """The wheel keeps turning: the rope runs out, and is then wound up in the other sense (fig. 10)."""
    parts = [wheel("wheel", 0.0, 0.0, 0.1, motion="free", mass=2.0), weight("bob", 0.1, -0.5, 1.0)]
    path = [{**over("wheel", "right"), "kind": "hybrid", "stored": 0.2}, held("bob")]
    joints = [axle("wheel", motor={"speed": -3.0})]
    machine = Machine(scene(parts, joints, [{"name": "rope", "path": path}]))
    lowest = 0.0
    for _ in range(150):
        machine.step(DT)
        lowest = min(lowest, machine.pose("bob")[0][2])
        assert machine.rope("rope").total == pytest.approx(0.7, abs=1e-12)
    assert lowest == pytest.approx(-0.8, abs=0.02)
    wound = machine.rope("rope").stored[0]  # half a turn passes between the two tangents; it swings by some 0.2 rad
    assert wound == pytest.approx(0.1 * (3.0 * machine.time - math.pi) - 0.2, abs=0.1 * 0.3)


def test_a_pinhole_has_the_same_tension_on_both_sides() -> None:
    """Three weights on a rope through two eyes: like smooth pulleys."""
    parts = [{"name": "frame"}, weight("one", -1.0, -1.0, 2.0), weight("two", 1.0, -1.0, 2.5)]
    eyes = [{"on": "frame", "kind": "pinhole", "position": [x, 0.0, 0.0]} for x in (-1.0, 1.0)]
    machine = Machine(scene(parts, [], [{"name": "rope", "path": [held("one"), *eyes, held("two")]}]))
    steps(machine, 0.3)
    rope = machine.rope("rope")
    expected = 2.0 * 2.0 * 2.5 * 9.81 / 4.5
    assert rope.tension == pytest.approx([expected] * 3, rel=1e-3)
    assert rope.total == pytest.approx(4.0, abs=1e-12)
    fallen = -1.0 - machine.pose("two")[0][2]
    assert rope.rest[2] - 1.0 == pytest.approx(fallen, abs=1e-6)
    assert machine.velocity("two")[2] / machine.time == pytest.approx(-9.81 * 0.5 / 4.5, rel=1e-3)


@pytest.mark.parametrize(("mu", "slips"), [(0.1, True), (0.2, False)])
def test_capstan(mu: float, slips: bool) -> None:
    """Half a turn on a wheel that stands: it holds weights that differ by less than e^{μπ} (Euler–Eytelwein)."""
    p = {**reference("pulley_atwood"), "m1": 1.6, "m2": 1.0}
    machine = Machine(atwood(p, friction=mu))
    steps(machine, 0.5)
    rope = machine.rope("rope")
    if not slips:
        assert abs(machine.velocity("one")[2]) < 1e-6
        assert rope.tension == pytest.approx([1.6 * 9.81, 9.81], rel=1e-6)
        return
    grip = math.exp(mu * math.pi)
    expected = 9.81 * (1.6 - grip) / (1.6 + grip)  # of m1 − ρ m2 over m1 + ρ m2, with T1 = ρ T2
    assert -machine.velocity("one")[2] / machine.time == pytest.approx(expected, rel=0.02)
    assert rope.tension[0] / rope.tension[1] == pytest.approx(grip, rel=0.01)


def test_a_rope_that_a_motor_draws_over_a_rough_bar_has_the_tensions_of_a_capstan() -> None:
    """It slips all the time, and does not stick in every other substep with a tension of thousands of newtons."""
    bar = wheel("bar", 1.0, 0.0, 0.1, motion="free", mass=1.0)
    guide = {"name": "travel", "part": "bar", "kind": "slide", "axis": [0, 0, 1], "origin": [1.0, 0.0, 0.0]}
    parts = [{"name": "hook"}, bar, wheel("sheave", 2.0, 0.0, 0.1), weight("bob", 2.1, -1.5, 2.0)]
    path = [held("hook", 0.0, -0.1), over("bar", "left", friction=0.2), over("sheave", "right", friction=0.0)]
    rope = {"name": "rope", "path": [*path, held("bob")]}
    machine = Machine(scene(parts, [{**guide, "motor": {"speed": -0.4}}], [rope]))
    steps(machine, 0.5)
    for _ in range(60):
        machine.step(DT)
        now = machine.rope("rope")
        grip = math.exp(0.2 * now.stored[1] / 0.1)
        assert now.tension[0] / now.tension[1] == pytest.approx(grip, rel=0.02)


@pytest.mark.parametrize(("heavy", "slips"), [(1.7, False), (2.0, True)])
def test_a_rope_grips_a_square_by_how_far_it_bends(heavy: float, slips: bool) -> None:
    """Half a turn over two corners: it holds e^{0.2 π} = 1.87 times as much, as on a wheel."""
    box = {"name": "box", "shape": {"kind": "box", "size": [0.4, 0.4, 1.0]}, "tangent": [0, -1, 0], "collide": False}
    parts = [box, weight("one", -0.2, -1.0, 1.0), weight("two", 0.2, -1.0, heavy)]
    path = [held("one"), over("box", "right", friction=0.2), held("two")]
    machine = steps(Machine(scene(parts, [], [{"name": "rope", "path": path}])), 0.5)
    assert (machine.velocity("two")[2] < -1e-3) == slips


def test_a_rope_breaks() -> None:
    p = reference("pulley_atwood")
    said = atwood(p).to_dict()
    said["ropes"][0]["breaking_force"] = 15.0
    machine = Machine(Scene.from_dict(said))
    steps(machine, 0.5)
    assert machine.rope("rope").broke is not None
    assert machine.velocity("one")[2] == pytest.approx(-9.81 * machine.time, rel=0.01)


def test_slack_is_taken_up_before_anything_pulls() -> None:
    parts = [{"name": "hook"}, weight("bob", 0.0, -1.0, 1.0)]
    path = [held("hook", slack=0.2), held("bob")]
    machine = Machine(scene(parts, [], [{"name": "rope", "path": path}]))
    for _ in range(11):  # 0.18 s: it falls by 0.165 m
        machine.step(DT)
        assert machine.rope("rope").tension[0] == 0.0
    assert machine.velocity("bob")[2] == pytest.approx(-9.81 * machine.time, rel=1e-9)
    steps(machine, 1.0)
    assert machine.pose("bob")[0][2] == pytest.approx(-1.2, abs=1e-6)
    assert machine.rope("rope").tension[0] == pytest.approx(9.81, rel=1e-6)


def test_compression_stiffness_pushes() -> None:
    """A strut of 1000 N/m under a weight: a spring in both directions."""
    bob = {"name": "bob", "motion": "free", "mass": 1.0, "position": [0.0, 0.0, 1.0]}
    guide = {"name": "guide", "part": "bob", "kind": "slide", "axis": [0, 0, 1], "origin": [0, 0, 1]}
    rope = {"name": "strut", "compliance": 1e-3, "compression": 1000.0, "path": [held("foot"), held("bob")]}
    machine = Machine(scene([{"name": "foot"}, bob], [guide], [rope]), substeps=1)
    steps(machine, 20.0)
    assert machine.joint("guide").value == pytest.approx(-9.81e-3, rel=1e-3)


# ---- winches and heavy ropes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("axis", [1.0, -1.0])
def test_a_winch_hauls_with_its_tension(end: int, side: str, axis: float) -> None:
    """From a drum to a hook, in either order and sense: the rope has the tension that the motor is to keep."""
    parts = [wheel("drum", 0.0, 0.0, 0.1, motion="free", mass=1.0), {"name": "hook"}]
    joint = {"name": "winch", "part": "drum", "kind": "hinge", "axis": [0, axis, 0], "motor": {"tension": 50.0}}
    spool = {**over("drum", side), "kind": "spool", "stored": 1.0}
    path = [spool, held("hook", 2.0)] if end == 0 else [held("hook", 2.0), spool]
    machine = Machine(scene(parts, [joint], [{"name": "rope", "path": path}]))
    steps(machine, 0.5)
    assert machine.rope("rope").tension == pytest.approx([50.0], rel=1e-6)
    machine.set_motor("winch", tension=20.0)
    steps(machine, 0.5)
    assert machine.rope("rope").tension == pytest.approx([20.0], rel=1e-6)


def test_a_tension_needs_a_spool() -> None:
    said = atwood(reference("pulley_atwood")).to_dict()
    said["joints"][0]["motor"] = {"tension": 10.0}
    with pytest.raises(SceneError, match="must be on a hinge that turns a spool"):
        Machine(Scene.from_dict(said))


def test_a_heavy_rope_weighs_on_both_ends() -> None:
    """A drum holds 5 kg on 10 m of 0.3 kg/m: both weigh on it, and half the rope is below the middle of the span."""
    parts = [wheel("drum", 0.0, 0.0, 0.1, motion="free", mass=1.0), weight("load", 0.1, -10.0, 5.0)]
    path = [{**over("drum", "right"), "kind": "spool", "stored": 1.0}, held("load")]
    rope = {"name": "rope", "mass_per_length": 0.3, "path": path}
    machine = Machine(scene(parts, [axle("drum", motor={"speed": 0.0})], [rope]))
    steps(machine, 0.5)
    assert machine.rope("rope").tension == pytest.approx([6.5 * 9.81], rel=1e-3)
    assert machine.joint("drum axle").torque == pytest.approx(0.1 * 8.0 * 9.81, rel=1e-3)


def test_the_longer_side_of_a_heavy_rope_sinks_and_energy_stays() -> None:
    """Equal weights on 1 m and 2 m of 0.5 kg/m: a = μ g (2 − 1)/(2 m) at the beginning, as the rope has no inertia."""
    parts = [wheel("wheel", 0.0, 0.0, 0.1), weight("one", -0.1, -1.0, 1.0), weight("two", 0.1, -2.0, 1.0)]
    path = [held("one"), over("wheel", "right", friction=0.0), held("two")]
    rope = {"name": "rope", "mass_per_length": 0.5, "path": path}
    machine = Machine(scene(parts, [], [rope]), substeps=50)
    start = machine.energy
    machine.step(DT)
    assert machine.velocity("two")[2] / machine.time == pytest.approx(-0.25 * 9.81, rel=0.01)
    steps(machine, 0.5)
    assert machine.energy == pytest.approx(start, abs=0.01)


# ---- profiles -----------------------------------------------------------------------------------------------------


def test_a_rope_around_a_square_has_its_way() -> None:
    """Over the two upper corners of a standing box: way and tension as over a smooth wheel."""
    box = {"name": "box", "shape": {"kind": "box", "size": [0.4, 0.4, 1.0]}, "tangent": [0, -1, 0], "collide": False}
    parts = [box, weight("one", -0.2, -1.0, 1.0), weight("two", 0.2, -1.0, 1.2)]
    path = [held("one"), over("box", "right", friction=0.0), held("two")]
    machine = Machine(scene(parts, [], [{"name": "rope", "path": path}]))
    assert machine.rope("rope").total == pytest.approx(1.2 + 0.4 + 1.2)
    steps(machine, 0.3)
    assert machine.velocity("two")[2] / machine.time == pytest.approx(-9.81 * 0.2 / 2.2, rel=1e-3)


def test_a_polygon_of_many_corners_is_a_wheel() -> None:
    """A rope winds on a 60-gon as on the wheel with the same corners; whole turns are counted."""
    angles = np.arange(60) * (2.0 * math.pi / 60.0)
    corners = [[0.2 * math.cos(k), 0.2 * math.sin(k)] for k in angles]
    found = []
    for shape in (
        {"kind": "profile", "points": corners, "length": 0.1},
        {"kind": "cylinder", "radius": 0.2, "length": 0.1},
    ):
        drum = {"name": "drum", "shape": shape, "tangent": [0, -1, 0], "motion": "free", "mass": 1.0, "collide": False}
        path = [{**over("drum", "right"), "kind": "spool", "stored": 1.0}, held("bob")]
        machine = Machine(
            scene(
                [drum, weight("bob", 0.2, -2.0, 1.0)],
                [axle("drum", motor={"speed": 2.0})],
                [{"name": "rope", "path": path}],
            )
        )
        steps(machine, 4.0)
        found.append(float(machine.rope("rope").stored[0]))
    around = 60 * 2 * 0.2 * math.sin(math.pi / 60.0)
    assert found[1] == pytest.approx(1.0 + 0.2 * 8.0, rel=1e-3)
    assert found[0] - 1.0 == pytest.approx((found[1] - 1.0) * around / (0.4 * math.pi), abs=0.03)


def test_a_mesh_is_met_along_the_hull_of_its_cut(tmp_path: Path) -> None:
    """A box as a mesh, with a dent that the rope spans: the same way and the same motion as over the box."""
    x, y, z = 0.2, 0.2, 0.5
    outline = [(-x, -y), (x, -y), (x, y), (0.0, 0.1), (-x, y)]
    lines = [f"v {p} {q} {side}" for side in (-z, z) for p, q in outline]
    for k in range(5):
        a, b = k + 1, (k + 1) % 5 + 1
        lines += [f"f {a} {b} {b + 5}", f"f {a} {b + 5} {a + 5}"]
    for a, b, c in ((1, 2, 4), (2, 3, 4), (1, 4, 5)):
        lines += [f"f {a} {c} {b}", f"f {a + 5} {b + 5} {c + 5}"]
    (tmp_path / "box.obj").write_text("\n".join(lines) + "\n")
    bodies = [weight("one", -0.2, -1.0, 1.0), weight("two", 0.2, -1.0, 1.2)]
    path = [held("one"), over("part", "right", friction=0.0), held("two")]
    found = []
    for said in ({"mesh": "box.obj", "units": "m"}, {"shape": {"kind": "box", "size": [0.4, 0.4, 1.0]}}):
        part = {"name": "part", **said, "tangent": [0, -1, 0], "collide": False}
        file = tmp_path / "scene.json"
        whole = {"format": 1, "parts": [part, *bodies], "ropes": [{"name": "rope", "diameter": 0.01, "path": path}]}
        file.write_text(json.dumps(whole))
        machine = steps(Machine(Scene.load(file)), 0.3)
        found.append((machine.rope("rope").total, float(machine.velocity("two")[2])))
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_a_smooth_rope_over_many_wheels_that_stand_costs_as_much_for_each() -> None:
    """One tension all along, and rows of the factor that do not get longer with the rope."""
    machine = steps(Machine(standing_wheels(100)), 1.0)
    assert machine.rope("rope").tension == pytest.approx([2.0 * 9.81] * 101, rel=1e-6)
    rows = machine._parts.rows.used[0]
    assert rows == 101 + 100
    assert machine._net.offset[rows] <= 4 * rows


def test_hull_and_circumference() -> None:
    points = [(0.0, 0.0), (1.0, 0.0), (0.5, 0.0), (1.0, 1.0), (0.0, 1.0), (0.4, 0.6)]
    corners = hull(points)
    assert {tuple(k) for k in corners} == {(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)}
    made = corners_of(corners)
    assert circumference(made, 0.1) == pytest.approx(4.0 + 0.2 * math.pi)
    assert np.diff(made[:, 2]) == pytest.approx([math.pi / 2.0] * 3)


# ---- bad input ----------------------------------------------------------------------------------------------------


def test_wheels_in_each_other_are_refused() -> None:
    parts = [wheel("big", 0.0, 0.0, 0.5), wheel("small", 0.2, 0.0, 0.1), weight("bob", 2.0, 0.0, 1.0), {"name": "hook"}]
    path = [held("hook", -2.0), over("big", "left"), over("small", "left"), held("bob")]
    with pytest.raises(SceneError, match=r"rope/link 3.*has no tangent with big.*0.2 m apart.*more than 0.4 m"):
        Machine(scene(parts, [], [{"name": "rope", "path": path}]))


def test_a_wheel_that_the_rope_passes_by_is_refused() -> None:
    parts = [wheel("peg", 0.0, 1.0, 0.1), {"name": "hook"}, weight("bob", 2.0, 0.0, 1.0)]
    path = [held("hook", -2.0), over("peg", "left"), held("bob")]
    with pytest.raises(SceneError, match='runs past peg without touching it; side = "right"'):
        Machine(scene(parts, [], [{"name": "rope", "path": path}]))


def test_an_attachment_inside_a_wheel_is_refused() -> None:
    parts = [wheel("wheel", 0.0, 0.0, 0.5), {"name": "hook"}, weight("bob", 2.0, 0.0, 1.0)]
    path = [held("hook", 0.1), over("wheel", "left"), held("bob")]
    with pytest.raises(SceneError, match="must lie outside wheel"):
        Machine(scene(parts, [], [{"name": "rope", "path": path}]))


WRONG: list[tuple[list[Any], str]] = [
    ([held("hook"), over("whel", "left"), held("bob")], 'no part of this name; did you mean "wheel"'),
    ([held("hook"), {"on": "wheel", "kind": "rolling"}, held("bob")], "side is missing|is missing: on which side"),
    ([over("wheel", "left"), held("bob")], "must be attachment, hybrid or spool at an end"),
    ([held("hook"), over("bob", "left"), held("hook")], "must have a shape or mesh for a rolling link"),
    ([held("hook"), {**over("wheel", "left"), "kind": "spool", "stored": 1.0}, held("bob")], "a spool holds an end"),
    ([{**over("wheel", "left"), "kind": "spool"}, held("bob")], "stored|how much rope is wound up"),
    (
        [held("hook"), {**over("wheel", "left"), "position": [0, 0, 0]}, held("bob")],
        "must be left out: where a rolling",
    ),
]


@pytest.mark.parametrize(("path", "words"), WRONG)
def test_what_is_wrong_with_a_path_is_said(path: list[Any], words: str) -> None:
    parts = [wheel("wheel", 0.0, 0.0, 0.5), {"name": "hook"}, weight("bob", 2.0, 0.0, 1.0)]
    with pytest.raises(SceneError, match=words):
        scene(parts, [], [{"name": "rope", "path": path}])
