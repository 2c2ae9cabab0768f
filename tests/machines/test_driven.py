"""Parts that a joint or a recorded motion leads push and pull what is free."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lissom import Simulation
from lissom.machines.machine import Machine
from lissom.machines.resting import find_rest
from lissom.scene import Scene, SceneError
from tests.machines.scenes import held, over, scene, weight, wheel

DT = 1.0 / 60.0
FLOOR = {"name": "floor", "shape": {"kind": "plane"}, "friction": 0.3}
PUSHER = {
    "name": "pusher", "shape": {"kind": "box", "size": [0.1, 0.4, 0.2]}, "position": [-0.2, 0, 0.1], "motion": "driven",
    "ignore": ["floor"],
}  # fmt: skip
SLIDE = {"name": "push", "part": "pusher", "kind": "slide", "axis": [1, 0, 0]}
BOX = {
    "name": "box", "shape": {"kind": "box", "size": [0.2, 0.2, 0.2]}, "position": [0, 0, 0.1], "motion": "free",
    "mass": 2.0,
}  # fmt: skip
ROPE = {"name": "rope", "stiffness": {"axial": 1e4}, "path": [held("pusher"), held("box")]}


def motion(to: float, name: str = "there") -> dict[str, Any]:
    return {"name": name, "keyframes": [{"time": 0, "joints": {"push": 0}}, {"time": 2, "joints": {"push": to}}]}


def run(machine: Machine, seconds: float) -> Machine:
    for _ in range(round(seconds / DT)):
        machine.step(DT)
    return machine


def test_a_motion_pushes_a_box() -> None:
    """By 0.5 m, less the gap of 0.05 m, at the speed of the pusher; it slides on by v²/2μg when that stops."""
    machine = run(Machine(scene([FLOOR, PUSHER, BOX], [SLIDE], [], motions=[motion(0.5)])), 1.0)
    assert machine.pose("pusher")[0] == pytest.approx((0.05, 0.0, 0.1), abs=1e-12)
    assert machine.velocity("box") == pytest.approx([0.25, 0.0, 0.0], abs=1e-3)
    run(machine, 2.0)
    assert machine.pose("box")[0] == pytest.approx((0.45 + 0.25**2 / (2.0 * 0.3 * 9.81), 0.0, 0.1), abs=4e-4)
    assert machine.fastest[1] < 1e-6


def test_a_motion_hauls_a_box_by_a_rope() -> None:
    """The tension is that of the friction, μ m g, once it slides at an even speed."""
    machine = run(Machine(scene([FLOOR, PUSHER, BOX], [SLIDE], [ROPE], motions=[motion(-0.5)])), 1.9)
    assert machine.rope("rope").tension == pytest.approx([0.3 * 2.0 * 9.81], rel=1e-3)
    assert machine.velocity("box") == pytest.approx([-0.25, 0.0, 0.0], abs=1e-3)


def test_joints_that_are_set_between_steps_push_and_the_machine_goes_on() -> None:
    simulation = Simulation(scene([FLOOR, PUSHER, BOX], [SLIDE], []))
    for k in range(1, 121):
        simulation.step(DT)
        simulation.set_joints(push=0.5 * k / 120)
    simulation.step(DT)
    assert simulation.machine.time == pytest.approx(121 * DT)
    assert simulation.pose("pusher")[0] == pytest.approx((0.3, 0.0, 0.1))
    assert simulation.pose("box")[0] == pytest.approx((0.45, 0.0, 0.1), abs=3e-3)


def test_a_part_that_is_turned_takes_along_what_stands_on_it() -> None:
    """A table that turns by a quarter, with friction: what stands on it goes round."""
    table = {
        "name": "table", "shape": {"kind": "cylinder", "radius": 0.5, "length": 0.1}, "position": [0, 0, 0.05],
        "motion": "driven", "friction": 0.8,
    }  # fmt: skip
    turn = {"name": "turn", "part": "table", "kind": "hinge", "axis": [0, 0, 1]}
    box = {**BOX, "position": [0.3, 0.0, 0.2]}
    course = {"name": "m", "keyframes": [{"time": 0, "joints": {"turn": 0}}, {"time": 2, "joints": {"turn": "90 deg"}}]}
    machine = run(Machine(scene([table, box], [turn], [], motions=[course])), 2.5)
    assert machine.pose("box")[0] == pytest.approx((0.0, 0.3, 0.2), abs=3e-3)


def test_a_free_part_hangs_on_a_driven_one() -> None:
    """A drum on a carriage that is driven: the carriage takes its axle along."""
    carriage = {"name": "carriage", "motion": "driven", "position": [0.0, 0.0, 0.0]}
    drum = {**wheel("drum", 0.0, 0.0, 0.1, motion="free", mass=1.0), "parent": "carriage"}
    joints = [
        {"name": "push", "part": "carriage", "kind": "slide", "axis": [1, 0, 0]},
        {"name": "axle", "part": "drum", "kind": "hinge", "axis": [0, -1, 0], "motor": {"speed": 0.0}},
    ]
    rope = {"name": "rope", "path": [{**over("drum", "right"), "kind": "spool", "stored": 1.0}, held("load")]}
    parts = [carriage, drum, weight("load", 0.1, -1.0, 2.0)]
    machine = run(Machine(scene(parts, joints, [rope], motions=[motion(0.4)])), 3.0)
    assert machine.pose("drum")[0] == pytest.approx((0.4, 0.0, 0.0), abs=1e-6)
    assert machine.rope("rope").tension[0] == pytest.approx(2.0 * 9.81, rel=0.05)


def test_a_machine_at_rest_has_its_motion_before_it() -> None:
    machine = Machine(scene([FLOOR, PUSHER, BOX], [SLIDE], [], motions=[motion(0.5)]))
    assert find_rest(machine).ok
    assert machine.pose("pusher")[0] == pytest.approx((-0.2, 0.0, 0.1))
    run(machine, 1.0)
    assert machine.pose("pusher")[0] == pytest.approx((0.05, 0.0, 0.1))
    again = Machine.from_state(machine.state)
    for each in (machine, again):
        run(each, 1.0)
    assert np.array_equal(machine.pose("box")[0], again.pose("box")[0])


def test_one_of_several_motions_has_to_be_chosen() -> None:
    several = scene([FLOOR, PUSHER, BOX], [SLIDE], [], motions=[motion(0.5), motion(-0.5, "back")])
    assert Machine(several).motion is None
    assert run(Machine(several, motion="back"), 1.0).pose("pusher")[0][0] == pytest.approx(-0.45)
    with pytest.raises(SceneError, match="there is no motion"):
        Machine(several, motion="bakc")


def test_what_is_driven_on_a_free_part_is_refused() -> None:
    finger = {"name": "finger", "motion": "driven", "parent": "box"}
    bend = {"name": "bend", "part": "finger", "kind": "hinge", "axis": [0, 1, 0]}
    with pytest.raises(SceneError, match=r'bend.part = "finger": .* motion = "free" and its joint a motor'):
        Machine(scene([FLOOR, BOX, finger], [bend], []))


def test_what_stands_cannot_be_carried() -> None:
    machine = Machine(scene([FLOOR, BOX], [], []))
    with pytest.raises(ValueError, match='floor: must have motion = "driven" or "held"'):
        machine.carry("floor", ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0)))


def test_run_plays_the_motion(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from lissom.cli import app

    file = tmp_path / "push.toml"
    scene([FLOOR, PUSHER, BOX], [SLIDE], [ROPE], motions=[motion(0.5)]).save(file)
    done = CliRunner().invoke(app, ["run", str(file), "--seconds", "2", "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert Scene.load(file).motions[0].name == "there"
    last = (tmp_path / "out" / "run.csv").read_text().splitlines()[-1]
    assert "0.45" in last
