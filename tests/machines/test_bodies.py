"""Rigid bodies: momentum in free flight, energy of a pendulum, rotation, inertia, joints."""

import math
from typing import Any

import numpy as np
import pytest

from lissom.machines.inertia import heft_of
from lissom.machines.machine import Machine
from lissom.scene import Part, Scene
from tests.machines.scenes import scene

BRICK = {"name": "brick", "motion": "free", "density": 2.0, "shape": {"kind": "box", "size": [1.0, 0.6, 0.3]}}


def test_free_flight_keeps_momentum() -> None:
    """A tumbling brick, without weight, over 1000 steps; also its energy, which the scheme does not force."""
    machine = Machine(scene([BRICK], [], [], gravity=[0, 0, 0]))
    machine.set_velocity("brick", linear=np.array([1.0, -2.0, 0.5]), angular=np.array([0.1, 6.0, 0.2]))
    p, l = machine.momentum
    energy = machine.energy
    for _ in range(1000):
        machine.step(1.0 / 60.0)
    q, k = machine.momentum
    assert np.linalg.norm(q - p) <= 1e-10 * np.linalg.norm(p)
    assert np.linalg.norm(k - l) <= 1e-10 * np.linalg.norm(l)
    assert machine.energy == pytest.approx(energy, rel=1e-3)
    assert machine.pose("brick")[0] == pytest.approx(np.array([1.0, -2.0, 0.5]) * machine.time, rel=1e-9)


def test_a_brick_does_not_spin_about_its_middle_axis() -> None:
    """Dzhanibekov: it turns over about the middle axis, and stays about the other two."""
    turned = {}
    for axis in range(3):
        machine = Machine(scene([BRICK], [], [], gravity=[0, 0, 0]))
        spin = np.full(3, 0.01)
        spin[axis] = 10.0
        machine.set_velocity("brick", angular=spin)
        least = 1.0
        for _ in range(240):
            machine.step(1.0 / 60.0)
            _, x, y, z = machine.pose("brick")[1]
            own = [1 - 2 * (y * y + z * z), 1 - 2 * (x * x + z * z), 1 - 2 * (x * x + y * y)][axis]
            least = min(least, own)
        turned[axis] = least
    assert turned[0] > 0.99
    assert turned[2] > 0.99
    assert turned[1] < -0.9


def pendulum(**said: Any) -> Scene:
    bob = {"name": "bob", "motion": "free", "mass": 2.0, "shape": {"kind": "sphere", "radius": 0.05}}
    hinge = {"name": "pin", "part": "bob", "kind": "hinge", "axis": [0, 1, 0], "origin": [0, 0, 0], **said}
    return scene([{**bob, "position": [1.0, 0.0, 0.0]}], [hinge], [])


def test_the_energy_error_of_a_pendulum_halves_with_dt() -> None:
    found = []
    for dt in (1e-2, 5e-3, 2.5e-3):
        machine = Machine(pendulum(), substeps=1)
        start = machine.energy
        worst = 0.0
        for _ in range(round(1.0 / dt)):
            machine.step(dt)
            worst = max(worst, abs(machine.energy - start))
        found.append(worst)
    assert found[1] == pytest.approx(0.5 * found[0], rel=0.2)
    assert found[2] == pytest.approx(0.5 * found[1], rel=0.2)


def test_the_period_of_a_small_swing() -> None:
    """2π√(I/(m g l)), I about the pin."""
    bob = {"name": "bob", "motion": "free", "mass": 2.0, "shape": {"kind": "sphere", "radius": 0.2}}
    angle = 0.05
    place = [math.sin(angle), 0.0, -math.cos(angle)]
    hinge = {"name": "pin", "part": "bob", "kind": "hinge", "axis": [0, 1, 0], "origin": [0, 0, 0]}
    machine = Machine(scene([{**bob, "position": place}], [hinge], []), substeps=20)
    times = []
    before = place[0]
    for _ in range(400):
        machine.step(1.0 / 60.0)
        now = machine.pose("bob")[0][0]
        if before < 0.0 <= now:
            times.append(machine.time - now / (now - before) / 60.0)
        before = now
    expected = 2.0 * math.pi * math.sqrt((1.0 + 0.4 * 0.04) / 9.81)
    assert float(np.mean(np.diff(times))) == pytest.approx(expected, rel=2e-3)


def test_the_reaction_of_a_pin() -> None:
    """At the lowest point of a swing from the horizontal: 3 m g for a point, a little less for a sphere."""
    machine = Machine(pendulum(), substeps=50)
    highest = 0.0
    for _ in range(60):
        machine.step(1.0 / 60.0)
        highest = max(highest, float(np.linalg.norm(machine.joint("pin").force)))
    rolled = 1.0 + 0.4 * 0.05**2
    assert highest == pytest.approx(2.0 * 9.81 * (1.0 + 2.0 / rolled), rel=0.01)


def test_stops_hold() -> None:
    machine = Machine(pendulum(range=[-0.3, 0.5]))
    for _ in range(240):
        machine.step(1.0 / 60.0)
        assert -0.3 - 1e-6 <= machine.joint("pin").value <= 0.5 + 1e-6
    assert machine.joint("pin").value == pytest.approx(0.5, abs=1e-6)
    assert abs(machine.energy + 2.0 * 9.81 * math.sin(0.5)) < 1e-3


def test_a_motor_holds_its_speed_and_says_its_torque() -> None:
    machine = Machine(pendulum(motor={"speed": 0.5}))
    machine.step(1.0 / 60.0)
    for _ in range(59):
        machine.step(1.0 / 60.0)
    pin = machine.joint("pin")
    assert pin.value == pytest.approx(0.5, rel=1e-6)
    assert pin.speed == pytest.approx(0.5, rel=1e-6)
    assert pin.torque == pytest.approx(-2.0 * 9.81 * math.cos(0.5), rel=0.01)


@pytest.mark.parametrize("torque", [None, 50.0])
def test_a_motor_comes_to_its_stop(torque: float | None) -> None:
    """One that has no largest torque does not press there, though it could with any: it only holds the weight."""
    most = {} if torque is None else {"torque": torque}
    machine = Machine(pendulum(range=[-0.1, 0.2], motor={"speed": -0.5, **most}))
    for _ in range(60):
        machine.step(1.0 / 60.0)
    pin, held = machine.joint("pin"), 2.0 * 9.81 * math.cos(0.1)
    assert pin.value == pytest.approx(-0.1, abs=1e-6)
    assert float(np.linalg.norm(pin.force)) == pytest.approx(2.0 * 9.81, rel=1e-3)
    assert pin.torque == pytest.approx(-50.0) if torque else abs(pin.torque) <= held * (1.0 + 1e-3)


def test_a_motor_too_weak_gives_way() -> None:
    machine = Machine(pendulum(motor={"speed": 0.0, "torque": 5.0}))
    machine.step(1.0 / 600.0)
    assert abs(machine.joint("pin").torque) == pytest.approx(5.0)
    inertia = 2.0 * (1.0 + 0.4 * 0.05**2)
    assert abs(machine.joint("pin").speed) * 600.0 == pytest.approx((2.0 * 9.81 - 5.0) / inertia, rel=0.2)


@pytest.mark.parametrize(("friction", "moves"), [(19.0, True), (20.0, False)])
def test_friction_of_a_hinge(friction: float, moves: bool) -> None:
    """m g l = 19.62 N m holds or does not."""
    machine = Machine(pendulum(friction=friction))
    for _ in range(60):
        machine.step(1.0 / 60.0)
    assert (abs(machine.joint("pin").value) > 0.01) == moves


def test_a_spring_on_a_slide_carries_the_weight() -> None:
    box = {"name": "box", "motion": "free", "mass": 3.0, "position": [0.2, 0, 1]}
    slide = {"name": "rail", "part": "box", "kind": "slide", "axis": [0, 0, 1], "spring": {"stiffness": 500.0}}
    machine = Machine(scene([box], [slide], []), substeps=1)
    for _ in range(600):
        machine.step(1.0 / 60.0)
    assert machine.joint("rail").value == pytest.approx(-3.0 * 9.81 / 500.0, rel=1e-4)


def test_a_fixed_joint_and_a_ball_joint() -> None:
    """A wall carries the weight of a beam, which stays. A bob on a ball joint keeps its distance."""
    beam = {"name": "beam", "motion": "free", "mass": 4.0, "shape": {"kind": "box", "size": [1, 0.1, 0.1]}}
    wall = {"name": "wall", "part": "beam", "kind": "fixed", "origin": [-0.5, 0, 0]}
    machine = Machine(scene([beam], [wall], []))
    for _ in range(60):
        machine.step(1.0 / 60.0)
    assert machine.pose("beam")[0] == pytest.approx((0, 0, 0), abs=1e-6)
    assert machine.joint("wall").force == pytest.approx([0, 0, 4.0 * 9.81], abs=1e-3)
    bob = {
        "name": "bob",
        "motion": "free",
        "mass": 1.0,
        "position": [0.6, 0.0, -0.8],
        "shape": {"kind": "sphere", "radius": 0.1},
    }
    ball = {"name": "eye", "part": "bob", "kind": "ball"}
    machine = Machine(scene([bob], [ball], []))
    machine.set_velocity("bob", linear=np.array([0.0, 1.0, 0.0]))
    for _ in range(120):
        machine.step(1.0 / 60.0)
        assert np.linalg.norm(machine.pose("bob")[0]) == pytest.approx(1.0, abs=1e-4)


SHAPES: list[tuple[dict[str, Any], Any]] = [
    (
        {"kind": "capsule", "radius": 0.4, "length": 0.8},
        lambda x, y, z: np.hypot(np.hypot(x, y), np.maximum(np.abs(z) - 0.4, 0.0)) < 0.4,
    ),
    ({"kind": "cylinder", "radius": 0.5, "length": 1.2}, lambda x, y, z: (np.hypot(x, y) < 0.5) & (np.abs(z) < 0.6)),
    ({"kind": "sphere", "radius": 0.7}, lambda x, y, z: np.hypot(np.hypot(x, y), z) < 0.7),
    ({"kind": "box", "size": [1.0, 0.4, 1.4]}, lambda x, y, z: (abs(x) < 0.5) & (abs(y) < 0.2) & (abs(z) < 0.7)),
    (
        {"kind": "profile", "points": [[-0.6, -0.5], [0.7, -0.5], [-0.6, 0.7]], "length": 1.0},
        lambda x, y, z: (x > -0.6) & (y > -0.5) & ((x + 0.6) / 1.3 + (y + 0.5) / 1.2 < 1.0) & (np.abs(z) < 0.5),
    ),
]


@pytest.mark.parametrize(("shape", "inside"), SHAPES, ids=lambda k: k["kind"] if isinstance(k, dict) else "")
def test_mass_and_inertia_of_shapes_agree_with_samples(shape: dict[str, Any], inside: Any) -> None:
    points = np.random.default_rng(1).uniform(-1.0, 1.0, size=(400_000, 3)) * [0.8, 0.8, 1.0]
    heft = heft_of(Part(name="part", shape=shape, density=1.0, motion="free"))
    chosen = points[inside(*points.T)]
    assert heft.mass == pytest.approx(len(chosen) / len(points) * 1.6 * 1.6 * 2.0, rel=0.02)
    sampled = np.eye(3) * np.mean(np.sum(chosen * chosen, axis=1)) - chosen.T @ chosen / len(chosen)
    assert heft.inertia / heft.mass == pytest.approx(sampled, abs=0.006)
