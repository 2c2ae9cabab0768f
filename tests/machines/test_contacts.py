"""Bodies on the ground and on each other: they stand, slide and stop as Coulomb says, and nothing gains energy."""

import math
from typing import Any

import numpy as np
import pytest

from lissom.machines.machine import Machine
from tests.machines.scenes import scene

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
    machine = Machine(scene([GROUND, body("thing", shape, height + 0.3)], [], []), iterations=4)
    start = machine.energy
    for _ in range(120):
        machine.step(DT)
        assert machine.energy <= start * (1.0 + 1e-9)
    assert machine.pose("thing")[0][2] == pytest.approx(height, abs=1e-3)
    assert np.linalg.norm(machine.velocity("thing")) < 0.01


@pytest.mark.parametrize(("slope", "slides"), [(0.40, False), (0.60, True)])
def test_a_box_on_a_slope(slope: float, slides: bool) -> None:
    """tan of the angle against μ = 0.5; beyond it the acceleration is g (sin − μ cos)."""
    angle = math.atan(slope)
    tilted = {**GROUND, "tangent": [math.sin(angle), 0.0, math.cos(angle)]}
    normal = np.array([math.sin(angle), 0.0, math.cos(angle)])
    box = body("box", {"kind": "box", "size": [0.4, 0.4, 0.1]}, 0.0, tangent=list(normal), position=list(0.05 * normal))
    machine = Machine(scene([tilted, box], [], []), iterations=8)
    for _ in range(60):
        machine.step(DT)
    speed = float(np.linalg.norm(machine.velocity("box")))
    expected = 9.81 * (math.sin(angle) - 0.5 * math.cos(angle)) * machine.time
    assert speed == pytest.approx(expected, rel=0.03) if slides else speed < 0.01


def test_a_sphere_rolls() -> None:
    """A sphere that slides on at v ends rolling at 5/7 v, whatever the friction."""
    ball = body("ball", {"kind": "sphere", "radius": 0.2}, 0.2)
    machine = Machine(scene([GROUND, ball], [], []), iterations=4)
    machine.set_velocity("ball", linear=np.array([2.0, 0.0, 0.0]))
    for _ in range(90):
        machine.step(DT)
    assert machine.velocity("ball")[0] == pytest.approx(2.0 * 5.0 / 7.0, rel=0.02)
    assert machine.angular_velocity("ball")[1] == pytest.approx(machine.velocity("ball")[0] / 0.2, rel=0.02)


def test_two_boxes_stand_on_each_other() -> None:
    size = {"kind": "box", "size": [0.4, 0.4, 0.2]}
    parts = [GROUND, body("low", size, 0.1), body("high", {"kind": "box", "size": [0.3, 0.3, 0.2]}, 0.301)]
    machine = Machine(scene(parts, [], []), iterations=10)
    for _ in range(180):
        machine.step(DT)
    assert machine.pose("low")[0][2] == pytest.approx(0.1, abs=2e-3)
    assert machine.pose("high")[0][2] == pytest.approx(0.3, abs=4e-3)


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
