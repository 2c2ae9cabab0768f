"""The loop: time kept and counted, hands that feel, contact that does not buzz, and both backends alike."""

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lissom.gripping import Rod, force_backend, haptic_loop, home_of, path_of
from lissom.haptic.backends import ForceBackend
from lissom.haptic.beside import Solved
from lissom.haptic.coupling import CouplingNumbers
from lissom.haptic.devices import HandNumbers, PathDevice, SimulatedHand, rotation_vector, turned_by
from lissom.haptic.loop import HapticLoop
from lissom.scene import Scene, SceneError
from lissom.scene.pose import Pose
from tests.haptic.demonstrations import WIRE, example

LED = (
    WIRE
    + """waypoints = [
  { time = 0, position = [0, 0, 0.2] },
  { time = 1, position = [0.05, 0.02, 0.2], tangent = [1, 0.3, 0] },
]
"""
)


class Slow(ForceBackend):
    """A cable that takes too long now and then."""

    def tick(self, position: Any, quaternion: Any, dt: float) -> Any:
        if self.cable.health.steps % (30 * 50) == 0:
            time.sleep(0.003)
        return super().tick(position, quaternion, dt)


def test_hanging_cable_is_felt_with_its_weight_and_moment() -> None:
    scene = Scene.from_toml(LED)
    loop = haptic_loop(scene, device=PathDevice(lambda t: home_of(scene)))
    assert loop.run(0.05, real_time=False).ok
    weight = 0.3 * 0.06 * 9.81
    assert loop.recording.torque[-1][1] > 0.2 * 0.3 * weight
    assert loop.recording.force[-1] == pytest.approx([0.0, 0.0, -weight], abs=0.02 * weight)


@pytest.mark.parametrize("real_time", [False, True])
def test_ticks_are_counted(real_time: bool) -> None:
    loop = haptic_loop(Scene.from_toml(LED))
    report = loop.run(0.3, real_time=real_time)
    assert report.ticks + report.skipped == 300
    assert report.status == "good"
    assert report.seconds == pytest.approx(0.3, abs=0.1 if real_time else 1e-9)
    assert 0.0 < report.busy < 0.1
    assert len(loop.recording.time) == math.ceil(report.ticks / 10)


def test_overruns_are_counted() -> None:
    scene = Scene.from_toml(LED)
    made = force_backend(scene)
    slow = Slow(made.cable, made.grip, made.around)
    loop = HapticLoop(slow, PathDevice(path_of(scene)))
    report = loop.run(0.2)
    assert report.overruns >= 3
    assert report.jitter_most > 0.001


def test_the_same_run_gives_the_same_bits() -> None:
    runs = []
    for _ in range(2):
        loop = haptic_loop(Scene.from_toml(LED), hand=HandNumbers(seed=3))
        loop.run(0.3, real_time=False)
        runs.append(loop.recording.to_bytes())
    assert runs[0] == runs[1]


def test_force_and_rod_feel_the_same() -> None:
    """Along a path in the air: within 3 % of the weight, 0.5 % of the length."""
    found = {}
    for backend in ("force", "rod"):
        scene = Scene.from_toml(LED).with_value("haptic.backend", backend)
        loop = haptic_loop(scene, wait=True)
        loop.run(1.2, real_time=False)
        found[backend] = loop.recording
        loop.backend.close()
    force, rod = found["force"], found["rod"]
    assert np.abs(force.force[-1] - rod.force[-1]).max() < 0.03 * 0.177
    assert np.abs(force.torque[-1] - rod.torque[-1]).max() < 0.03 * 0.177 * 0.3
    ends = force.shape[-1, -1] - rod.shape[-1, -1]
    assert np.linalg.norm(ends) < 0.005 * 0.3


def test_force_and_rod_touch_the_same() -> None:
    found = {}
    for backend in ("force", "rod"):
        scene = example("over-edge").with_value("haptic.backend", backend)
        down: Pose = (-0.22, 0.0, 0.045), home_of(scene)[1]
        loop = haptic_loop(scene, device=PathDevice(lambda t, down=down: down), wait=True)  # type: ignore[misc]
        loop.run(0.2, real_time=False)
        found[backend] = loop.backend.touches()
        loop.backend.close()
    (force,), (rod,) = found["force"], found["rod"]
    assert (force.part, force.feature) == (rod.part, rod.feature) == ("table", "edge")
    assert force.place == pytest.approx(rod.place, abs=0.003)
    assert force.force == pytest.approx(rod.force, abs=0.02)


def pushed(numbers: CouplingNumbers, name: str = "wall") -> HapticLoop:
    scene = example(name)
    loop = haptic_loop(
        scene, device=SimulatedHand(path_of(scene).at, HandNumbers(tremor=0.02)), coupling=numbers, traced=True
    )
    loop.run(2.5, real_time=False)
    return loop


def test_a_stiff_contact_does_not_buzz() -> None:
    """A steel rod against a wall, 200 kN/m: coupled directly the loop makes energy, softly it does not."""
    soft, hard = pushed(CouplingNumbers()), pushed(CouplingNumbers(kind="direct", guarded=False))
    calm = np.array(soft.trace.force)[-500:, 2]
    assert calm.mean() == pytest.approx(3.0, abs=0.5)  # 10 mm of a hand of 300 N/m
    assert calm.std() < 0.15
    assert min(soft.trace.energy) > -1e-4
    assert min(hard.trace.energy) < -1.0


def test_guard_takes_what_came_out_of_nothing() -> None:
    guarded = pushed(CouplingNumbers(kind="direct"))
    assert guarded.coupling.damped > 0.0
    assert min(guarded.trace.energy) > -0.1


def test_a_rod_turned_onto_a_floor_does_not_buzz() -> None:
    """Its end resists a turn and a way at once: led one by one, and with a guard of ways alone, both buzz."""
    soft, hard = (pushed(k, "wall-turned") for k in (CouplingNumbers(), CouplingNumbers(kind="direct", guarded=False)))
    torque = soft.recording.torque[-50:, 1]
    assert torque.mean() == pytest.approx(-0.085, abs=0.01)
    assert torque.std() < 0.003
    assert min(soft.trace.energy) > -1e-4
    assert min(hard.trace.energy) < -1.0


def test_guard_takes_turns_that_came_out_of_nothing() -> None:
    guarded = pushed(CouplingNumbers(kind="direct"), "wall-turned")
    assert guarded.coupling.damped > 0.0
    assert guarded.recording.torque[-50:, 1].std() < 0.003
    assert min(guarded.trace.energy) > -2e-3


def test_torque_of_the_weight_hangs_in_the_hand_from_the_beginning() -> None:
    """It is not on the spring: nothing sags where the loop begins."""
    scene = Scene.from_toml(LED)
    loop = haptic_loop(scene, device=PathDevice(lambda t: home_of(scene)), coupling=CouplingNumbers())
    loop.run(0.1, real_time=False)
    assert rotation_vector(np.array(home_of(scene)[1]), loop.coupling.quaternion) == pytest.approx([0, 0, 0], abs=1e-4)


@pytest.mark.parametrize("name", ["stiffness", "most_damping", "most_turn_damping"])
def test_couplings_out_of_bounds_are_named(name: str) -> None:
    wrong: dict[str, Any] = {name: 0.0}
    with pytest.raises(ValueError, match=f"{name} = 0"):
        CouplingNumbers(**wrong)


def test_hand_gives_way_by_its_softness() -> None:
    hand = SimulatedHand(lambda t: ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)), HandNumbers(tremor=0.0))
    for k in range(3000):
        hand.read(0.001 * k)
        hand.write(0.001 * k, np.array([3.0, 0.0, 0.0]), np.array([0.0, 0.1, 0.0]))
    assert hand.position == pytest.approx([0.01, 0.0, 0.0], abs=1e-5)
    assert rotation_vector(np.array([1.0, 0, 0, 0]), hand.quaternion) == pytest.approx([0.0, 0.1, 0.0], abs=1e-4)


@pytest.mark.parametrize("v", [(0.0, 0.0, 0.0), (1e-6, 0, 0), (0.3, -0.2, 0.1), (0.0, 3.0, 0.0)])
def test_rotation_vectors(v: tuple[float, float, float]) -> None:
    q = np.array([0.5, 0.5, -0.5, 0.5])
    assert rotation_vector(q, turned_by(q, np.array(v))) == pytest.approx(v, abs=1e-12)


def test_the_force_model_does_not_move_parts_and_says_so() -> None:
    ball = '[[parts]]\nname = "ball"\nmotion = "free"\nmass = 0.1\nshape = { kind = "sphere", radius = 0.01 }\n'
    with pytest.raises(SceneError, match=r'ball.*moves by itself.*backend = "rod"'):
        force_backend(Scene.from_toml(LED + ball))
    force_backend(Scene.from_toml(LED + ball).with_values({"wire/ignore": ["ball"]}))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"wire/rest": {"curvature": [1.0, 0.0, 0.0]}}, "rest shape"),
        ({"wire/stiffness": {"bending": [0.01, 0.02], "torsion": 0.01}}, "differently about its two axes"),
        ({"wire/loads": [{"at": 1.0, "force": [0, 0, -1]}]}, "loads"),
    ],
)
def test_what_the_force_model_has_not_is_said_with_the_cure(change: dict[str, Any], said: str) -> None:
    scene = Scene.from_toml(LED).with_values(change)
    with pytest.raises(SceneError, match=f'{said}.*backend = "rod"'):
        force_backend(scene)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"wire/start"', '"wire/stat"', 'did you mean "wire/start"'),
        ('"wire/start"', '"wire/end"', "there is no such support"),
        ("time = 1,", "time = 0,", "must be later"),
        ('grip = "wire/start"', 'grip = "wire/start"\npoints = 2', "from 3 to 1000"),
        ('grip = "wire/start"', 'grip = "wire/start"\nbackend = "fem"', "force"),
        ('grip = "wire/start"', 'grip = "wire/start"\ntrack = "a.csv"', "keep one of them"),
    ],
)
def test_mistakes_in_the_scene_are_named(old: str, new: str, said: str) -> None:
    with pytest.raises(SceneError, match=said):
        Scene.from_toml(LED.replace(old, new))


def test_a_scene_without_a_path_says_what_is_missing() -> None:
    scene = Scene.from_toml(LED[: LED.index("waypoints")])
    with pytest.raises(SceneError, match="say where the gripper goes"):
        haptic_loop(scene)
    with pytest.raises(SceneError, match=r"\[haptic\]"):
        haptic_loop(Scene.from_toml(LED[: LED.index("[haptic]")]))


def test_renaming_takes_the_gripper_along() -> None:
    from lissom.simulation import Simulation

    simulation = Simulation(Scene.from_toml(LED))
    simulation.solve()
    simulation.rename("wire", "lead")
    assert simulation.scene.haptic is not None
    assert simulation.scene.haptic.grip == "lead/start"


@pytest.mark.parametrize("change", [{"rate": 0.0}, {"record_rate": 2000.0}])
def test_rates_out_of_bounds(change: dict[str, Any]) -> None:
    made = force_backend(Scene.from_toml(LED))
    with pytest.raises(ValueError, match=next(iter(change))):
        HapticLoop(made, PathDevice(lambda t: home_of(Scene.from_toml(LED))), **change)


class Late(Solved):
    """Every solve takes eight ticks, and is that of the pose when it began."""

    asked: tuple[Any, Any] | None = None
    waited = 0

    def tick(self, position: Any, quaternion: Any, dt: float) -> Any:
        self.asked = self.asked or (position.copy(), quaternion.copy())
        self.waited += 1
        if self.waited % 8 == 0:
            felt = super().tick(*self.asked, dt)
            self.late += not np.array_equal(self.asked[0], position)
            self.asked = None
            return felt
        self.late += 1
        return self._answer.force, self._answer.torque


def test_a_stiff_contact_does_not_buzz_where_solves_are_late() -> None:
    """The gripper went on with the force of another pose: 76 mJ came out of nothing, in spite of the guard."""
    scene = example("wall").with_value("haptic.backend", "rod")
    hand = SimulatedHand(path_of(scene).at)
    loop = HapticLoop(Late(Rod(scene), home_of(scene)), hand, traced=True)
    report = loop.run(2.5, real_time=False)
    assert report.late_solves > 1000
    assert report.energy_least > -1e-3
    assert np.array(loop.trace.force)[2000:, 2].std() < 0.3


def test_steps_that_were_not_made_are_reported_for_each_run() -> None:
    """They were in the health of the cable only."""
    scene = Scene.from_toml(LED)
    given = replace(force_backend(scene).cable.parameters, step_limit=1e-10)
    loop = HapticLoop(force_backend(scene, parameters=given), PathDevice(path_of(scene)))
    before = loop.backend.deficit
    reports = [loop.run(0.05, real_time=False) for _ in range(2)]
    assert all(k.deficit > 0.0 for k in reports)
    assert before + sum(k.deficit for k in reports) == pytest.approx(loop.backend.deficit)


@pytest.mark.parametrize(("name", "points"), [("wall", 10), ("wall-turned", 10), ("over-edge", 100)])
def test_the_force_model_begins_at_rest(name: str, points: int) -> None:
    """A stiff rod began with 12 % less than its weight, and 100 points with 24 % less."""
    shown = example(name)
    assert shown.haptic is not None
    scene = shown.with_values({"haptic.points": points, f"{shown.haptic.cable}/collide": False})
    cable = force_backend(scene).cable
    weight = cable.parameters.mass * 9.81
    assert cable.wrench()[:3] == pytest.approx([0.0, 0.0, -weight], abs=0.01 * weight)


def test_a_cable_that_does_not_come_to_rest_says_so() -> None:
    loop = haptic_loop(Scene.from_toml(LED).with_values({"haptic.rule": "plain", "haptic.points": 40}))
    report = loop.run(0.01, real_time=False)
    assert report.status == "lags"
    assert "fewer points than 40" in report.reason


def test_a_cable_in_a_ball_joint_is_not_dragged_through_honey() -> None:
    """It was felt with a tenth more than its weight where it was lifted."""
    ball = LED.replace(
        "start = { position = [0, 0, 0.2], tangent = [1, 0, 0], roll = 0 }",
        'start = { kind = "ball", position = [0, 0, 0.2] }',
    )
    loop = haptic_loop(
        Scene.from_toml(ball), device=PathDevice(lambda t: ((0.0, 0.0, 0.2 + 0.05 * t), (1.0, 0.0, 0.0, 0.0)))
    )
    loop.run(0.2, real_time=False)
    weight = 0.3 * 0.06 * 9.81
    assert loop.recording.force[-1] == pytest.approx([0.0, 0.0, -weight], abs=0.01 * weight)


def test_a_cable_that_begins_in_a_part_is_refused() -> None:
    """The force model felt nothing of a part that it was deep in."""
    box = '[[parts]]\nname = "box"\nshape = { kind = "box", size = [1, 1, 1] }\n'
    with pytest.raises(SceneError, match=r"wire: begins 3\d\d mm inside box: move one of them"):
        force_backend(Scene.from_toml(LED.replace("[haptic]", box + "[haptic]")))


@pytest.mark.parametrize("backend", ["force", "rod"])
@pytest.mark.parametrize(
    "pose", [((math.nan, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)), ((0.0, 0.0, 0.2), (0.0, 0.0, 0.0, 0.0))]
)
def test_a_device_that_gives_no_pose_is_named(backend: str, pose: Pose) -> None:
    scene = Scene.from_toml(LED).with_value("haptic.backend", backend)
    loop = haptic_loop(scene, device=PathDevice(lambda t: pose if t > 0.01 else home_of(scene)), wait=True)
    with pytest.raises(ValueError, match="pose of the device = "):
        loop.run(0.1, real_time=False)
