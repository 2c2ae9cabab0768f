"""Hands that pull bodies, and motors that are set while a machine runs."""

import math
from typing import Any

import numpy as np
import pytest

from lissom.machines.drawing import rope_line, rope_pieces
from lissom.machines.machine import Machine
from lissom.machines.placed import matrix_of
from lissom.scene import Scene, SceneError
from tests.machines.references import reference
from tests.machines.scenes import atwood, axle, scene, weight, wheel

DT = 1.0 / 60.0
G = 9.81


def ball(mass: float, **said: Any) -> Scene:
    shape = {"kind": "sphere", "radius": 0.1}
    part = {"name": "ball", "shape": shape, "motion": "free", "mass": mass, "position": [0, 0, 0], **said}
    return Scene.from_dict({"format": 1, "gravity": [0, 0, 0], "parts": [part]})


def test_a_ball_on_an_undamped_hand_swings_with_its_period() -> None:
    machine = Machine(ball(2.0))
    machine.pull("ball", point=(0, 0, 0), to=(0.3, 0, 0), stiffness=50.0, damping=0.0)
    period = 2.0 * math.pi * math.sqrt(2.0 / 50.0)
    steps = 200
    for _ in range(steps):
        machine.step(0.25 * period / steps)
    assert machine.pose("ball")[0][0] == pytest.approx(0.3, abs=3e-3)
    assert machine.velocity("ball")[0] == pytest.approx(0.3 * math.sqrt(50.0 / 2.0), rel=1e-3)
    assert np.linalg.norm(machine.pulled["ball"]) < 0.05 * 15.0


def test_a_weight_hangs_on_the_hand_as_far_as_the_hand_is_soft() -> None:
    machine = Machine(scene([weight("bob", 0.0, 0.0, 3.0)], [], []))
    machine.pull("bob", point=(0, 0, 0), to=(0, 0, 0), stiffness=400.0)
    for _ in range(600):
        machine.step(DT)
    assert machine.pose("bob")[0][2] == pytest.approx(-3.0 * G / 400.0, rel=1e-6)
    np.testing.assert_allclose(machine.pulled["bob"], [0.0, 0.0, 3.0 * G], atol=1e-5)


def test_the_hand_holds_what_the_lighter_side_lacks_and_letting_go_gives_the_free_fall_again() -> None:
    p = reference("pulley_atwood")
    machine = Machine(atwood(p))
    machine.pull("one", point=(0, 0, 0), to=(-p["R"], 0.0, -1.0), stiffness=2000.0, damping=200.0)
    for _ in range(900):
        machine.step(DT)
    assert abs(machine.pulled["one"][2]) == pytest.approx(abs(p["m1"] - p["m2"]) * G, rel=1e-3)
    machine.let_go("one")
    assert machine.pulled == {}
    before = machine.velocity("one")[2]
    machine.step(DT)
    free = Machine(atwood(p))
    free.step(DT)
    assert machine.velocity("one")[2] - before == pytest.approx(free.velocity("one")[2], rel=1e-2)


def test_only_what_is_there_is_let_go() -> None:
    machine = Machine(atwood(reference("pulley_atwood")))
    machine.let_go("one")  # which nothing pulls
    with pytest.raises(SceneError, match="no such part"):
        machine.let_go("no such part")


def test_a_pull_beside_the_middle_turns_the_ball() -> None:
    machine = Machine(ball(1.0, inertia=[0.01, 0.01, 0.01]))
    machine.pull("ball", point=(0.1, 0.0, 0.0), to=(0.1, 0.05, 0.0), stiffness=20.0, damping=0.0)
    machine.step(1e-3)
    impulse = 20.0 * 0.05 * 1e-3
    assert machine.velocity("ball")[1] == pytest.approx(impulse / 1.0, rel=1e-2)
    assert machine.angular_velocity("ball")[2] == pytest.approx(0.1 * impulse / 0.01, rel=1e-2)


@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("stiffness", [1.0, 1e4, 1e9])
def test_no_hand_is_too_stiff(mass: float, stiffness: float) -> None:
    """The point that is held comes to where it is pulled; the ball may go on turning about it, ever slower."""
    machine = Machine(ball(mass))
    point, to = np.array([0.05, 0.02, 0.0]), np.array([0.4, 0.1, 0.0])
    machine.pull("ball", point=point, to=to, stiffness=stiffness)
    for _ in range(1200):
        machine.step(DT)
        assert np.linalg.norm(machine.pose("ball")[0]) < 1.0
        assert machine.kinetic_energy < 0.5 * stiffness * float((to - point) @ (to - point))
    if stiffness / mass > 100.0:
        x, q = machine.pose("ball")
        held = np.array(x) + matrix_of(q) @ point
        assert np.linalg.norm(held - to) < 0.02


def test_what_stands_cannot_be_pulled_and_nonsense_is_refused() -> None:
    machine = Machine(scene([wheel("post", 0.0, 0.0, 0.1), weight("bob", 0.5, 0.0, 1.0)], [], []))
    with pytest.raises(ValueError, match='post: must move freely to be pulled; give it motion = "free"'):
        machine.pull("post", point=(0, 0, 0), to=(0, 0, 1), stiffness=1.0)
    with pytest.raises(ValueError, match="stiffness = 0"):
        machine.pull("bob", point=(0, 0, 0), to=(0, 0, 1), stiffness=0.0)
    with pytest.raises(ValueError, match="damping = -1"):
        machine.pull("bob", point=(0, 0, 0), to=(0, 0, 1), stiffness=1.0, damping=-1.0)
    with pytest.raises(ValueError, match=r"to = .*: must be three finite numbers"):
        machine.pull("bob", point=(0, 0, 0), to=(0, 0, math.nan), stiffness=1.0)
    assert machine.pulled == {}


def test_a_motor_is_read_as_it_was_set() -> None:
    drum = wheel("drum", 0.0, 0.0, 0.2, motion="free", mass=1.0)
    spool = {"on": "drum", "kind": "spool", "side": "right", "stored": 3.0}
    rope = {"name": "rope", "path": [spool, {"on": "load", "kind": "attachment", "position": [0, 0, 0]}]}
    machine = Machine(scene([drum, weight("load", 0.2, -1.0, 5.0)], [axle("drum")], [rope]))
    assert machine.winches == ("drum axle",)
    machine.set_motor("drum axle", speed=-2.0, torque=30.0)
    assert (machine.motor("drum axle").speed, machine.motor("drum axle").torque) == (-2.0, 30.0)
    machine.set_motor("drum axle", speed=1.0)
    assert machine.motor("drum axle").torque is None
    machine.set_motor("drum axle", tension=40.0)
    assert machine.motor("drum axle").tension == pytest.approx(40.0)
    for _ in range(30):
        machine.step(DT)
    (pull,) = machine.rope("rope").tension
    drum_turns = 0.5 * 1.0 * 0.2**2 / 0.2**2  # the inertia of the drum counts like this mass on its rim
    a = (5.0 * G - 40.0) / (5.0 + drum_turns)
    assert pull == pytest.approx(5.0 * (G - a), rel=1e-2)
    machine.set_motor("drum axle")
    assert machine.motor("drum axle").speed is None
    with pytest.raises(ValueError, match="speed = nan: must be a finite number"):
        machine.set_motor("drum axle", speed=math.nan)


def test_pieces_of_a_rope_are_its_line_and_say_what_they_are() -> None:
    machine = Machine(atwood(reference("pulley_atwood")))
    machine.step(DT)
    pieces = list(rope_pieces(machine, "rope"))
    assert [(k.link, k.span) for k in pieces] == [(0, True), (1, False), (1, True)]
    np.testing.assert_array_equal(np.concatenate([k.points for k in pieces]), rope_line(machine, "rope"))
