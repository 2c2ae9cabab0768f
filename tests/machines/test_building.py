"""Building with machines: names follow, what goes takes its links along, states keep velocities and ropes, reset."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lissom.scene import Scene, SceneError
from lissom.simulation import Simulation
from tests.machines.references import reference
from tests.machines.scenes import atwood, axle, held, over, scene, weight, wheel

DT = 1.0 / 60.0
EXAMPLES = Path(__file__).parents[2] / "examples" / "machines"


def swinging() -> Simulation:
    """Stepped for a while: it moves, and rope has rolled over."""
    simulation = Simulation(atwood(reference("pulley_atwood")))
    for _ in range(20):
        simulation.step(DT)
    return simulation


def readings(simulation: Simulation) -> list[Any]:
    rope = simulation.machine.rope(simulation.scene.ropes[0].name)
    found: list[Any] = [rope.tension.tolist(), rope.rest.tolist(), rope.stored.tolist(), simulation.machine.time]
    for part in simulation.scene.parts:
        found += [simulation.machine.pose(part.name), simulation.machine.velocity(part.name).tolist()]
    return found


@pytest.mark.parametrize(("old", "new"), [("wheel", "sheave"), ("one", "box"), ("rope", "line"), ("wheel axle", "pin")])
def test_another_name_changes_nothing_else(old: str, new: str) -> None:
    """A machine goes on bit by bit under other names of its parts, joints and ropes."""
    plain, other = swinging(), swinging()
    other.rename(old, new)
    assert readings(other) == readings(plain)
    for _ in range(10):
        plain.step(DT)
        other.step(DT)
    assert readings(other) == readings(plain)
    said = other.scene
    assert f'"{new}"' in json.dumps(said.to_dict())
    assert f'"{old}"' not in json.dumps(said.to_dict())


def test_a_state_keeps_velocities_and_ropes() -> None:
    plain, other = swinging(), swinging()
    kept = pickle.loads(pickle.dumps(other.state()))
    for _ in range(15):
        other.step(DT)
    other.restore(kept)
    assert readings(other) == readings(plain)
    copy = other.copy()
    for _ in range(10):
        plain.step(DT)
        copy.step(DT)
    assert readings(copy) == readings(plain)


def test_a_state_keeps_links_that_came_and_motors() -> None:
    """The bar lies on the rope, and its motor was turned round."""
    simulation = Simulation(Scene.load(EXAMPLES / "merge-split.toml"))
    for _ in range(60):
        simulation.step(DT)
    assert simulation.machine.rope("rope").active[1]
    simulation.machine.set_motor("travel", speed=0.5)
    again = simulation.copy()
    for _ in range(20):
        simulation.step(DT)
        again.step(DT)
    assert readings(again) == readings(simulation)
    assert again.machine.joint("travel").speed == pytest.approx(0.5)


def test_reset_goes_back_to_the_beginning() -> None:
    simulation = swinging()
    began = Simulation(atwood(reference("pulley_atwood")))
    simulation.reset()
    assert simulation.machine.time == 0.0
    assert readings(simulation) == readings(began)
    assert simulation.scene.to_dict() == began.scene.to_dict()


def test_reset_keeps_what_was_edited_since() -> None:
    simulation = swinging()
    simulation.edit("", title="another")
    simulation.reset()
    assert simulation.scene.title == "another"
    assert simulation.pose("one")[0][2] == pytest.approx(-1.0)


def three() -> Simulation:
    parts = [
        wheel("wheel", 0.0, 0.0, 0.1, motion="free", mass=1.0),
        wheel("peg", 0.5, 0.0, 0.1),
        weight("one", -0.1, -1.0, 1.0),
        weight("two", 0.6, -1.0, 1.0),
    ]
    path = [held("one"), over("wheel", "right"), over("peg", "right", friction=0.0), held("two")]
    said = scene(parts, [axle("wheel")], [{"name": "rope", "path": path}]).to_dict()
    said["positions"] = {"turned": {"wheel axle": 1.0}}
    said["motions"] = [
        {"name": "turning", "keyframes": [{"time": t, "joints": {"wheel axle": 0.1 * t}} for t in (0, 1)]}
    ]
    return Simulation(Scene.from_dict(said))


def test_a_part_that_goes_takes_its_links_and_its_joint_along() -> None:
    simulation = three()
    simulation.remove("wheel")
    said = simulation.scene
    assert [k.on for k in said.rope("rope").path] == ["one", "peg", "two"]
    assert not said.joints
    assert not said.positions
    assert not said.motions
    simulation.step(DT)


def test_a_rope_that_loses_an_end_goes() -> None:
    simulation = three()
    simulation.remove("two")
    assert not simulation.scene.ropes


def test_ropes_and_joints_can_be_taken_out() -> None:
    simulation = three()
    simulation.remove("rope")
    assert not simulation.scene.ropes
    simulation.remove("wheel axle")
    assert not simulation.scene.joints
    assert not simulation.scene.positions


def test_what_stood_on_a_part_that_goes_stays_with_its_joint() -> None:
    arm = {"name": "arm", "position": [1.0, 0.0, 0.0], "tangent": [1, 0, 0]}
    turned = {**wheel("wheel", 0.0, 0.0, 0.1, motion="free", mass=1.0), "parent": "arm", "tangent": [0, 0, 1]}
    joint = {"name": "axle", "part": "wheel", "kind": "hinge", "axis": [0, 0, 1], "motor": {"speed": 1.0}}
    simulation = Simulation(scene([arm, turned], [joint], []))
    for _ in range(30):
        simulation.step(DT)
    before = simulation.pose("wheel")
    simulation.remove("arm")
    assert simulation.pose("wheel")[0] == pytest.approx(before[0], abs=1e-12)
    assert abs(np.dot(simulation.pose("wheel")[1], before[1])) == pytest.approx(1.0)
    for _ in range(30):
        simulation.step(DT)
    assert simulation.machine.angular_velocity("wheel") == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)
    assert simulation.pose("wheel")[0] == pytest.approx(before[0], abs=1e-9)


def test_a_name_that_is_taken_is_refused() -> None:
    simulation = three()
    with pytest.raises(SceneError, match="unique"):
        simulation.rename("rope", "wheel")
