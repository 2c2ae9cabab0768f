"""The pulley references at dt = 1/60 s with 10 substeps: within 1 %, and the error falls with the substep."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from lissom.machines.machine import Machine
from lissom.scene import Scene
from tests.machines import scenes
from tests.machines.references import reference

DT = 1.0 / 60.0


def run(scene: Scene, seconds: float, substeps: int = 10) -> Machine:
    machine = Machine(scene, substeps=substeps)
    for _ in range(round(seconds / DT)):
        machine.step(DT)
    return machine


def falls(machine: Machine, part: str) -> float:
    """Acceleration downwards from rest, m/s²."""
    return -float(machine.velocity(part)[2]) / machine.time


def close(value: float, expected: float) -> bool:
    return math.isclose(value, expected, rel_tol=0.01)


def test_atwood() -> None:
    p = reference("pulley_atwood")
    machine = run(scenes.atwood(p), 0.5)
    assert close(falls(machine, "one"), p["acceleration_m1_down"])
    assert machine.rope("rope").tension == pytest.approx([p["tension_side1"], p["tension_side2"]], rel=0.01)
    axle = machine.joint("wheel axle")
    assert close(abs(axle.speed) / machine.time, p["angular_acceleration"])
    assert close(float(axle.force[2]), p["axle_reaction_up_incl_wheel_weight"])
    assert close(-1.0 - machine.pose("one")[0][2], p["displacement_m1_after_0p5s_from_rest"])


def test_atwood_with_a_massless_wheel() -> None:
    p = reference("pulley_atwood")
    machine = run(scenes.atwood(p, friction=0.0), 0.5)
    assert close(falls(machine, "one"), p["acceleration_massless_wheel"])
    assert machine.rope("rope").tension == pytest.approx([p["tension_massless_wheel"]] * 2, rel=0.01)


def test_wheel_and_axle() -> None:
    p = reference("pulley_wheel_and_axle_1to4")
    machine = run(scenes.wheel_and_axle(p, p["m"]), 0.3)
    assert close(falls(machine, "weight"), p["acceleration_m_down"])
    assert close(-falls(machine, "load"), p["acceleration_load_up"])
    assert close(abs(machine.joint("axle axle").speed) / machine.time, p["angular_acceleration"])
    assert close(machine.rope("pull").tension[0], p["tension_m"])
    assert close(machine.rope("lift").tension[0], p["tension_load"])


def test_wheel_and_axle_in_balance() -> None:
    p = reference("pulley_wheel_and_axle_1to4")
    machine = run(scenes.wheel_and_axle(p, p["static_balance_mass"]), 0.5)
    assert abs(falls(machine, "weight")) < 1e-6
    ratio = machine.rope("lift").tension[0] / machine.rope("pull").tension[0]
    assert ratio == pytest.approx(p["static_tension_ratio"], rel=1e-6)


def test_belt() -> None:
    p = reference("pulley_belt_1to4")
    machine = run(scenes.belt(p), 0.5)
    one, two = machine.joint("one axle"), machine.joint("two axle")
    assert close(one.speed / machine.time, p["angular_acceleration_1"])
    assert close(two.speed / machine.time, p["angular_acceleration_2"])
    assert one.speed / two.speed == pytest.approx(p["angular_velocity_ratio"], rel=1e-6)
    tension = machine.rope("belt").tension
    assert close(abs(tension[0] - tension[1]), p["tension_difference"])


def test_belt_held() -> None:
    p = reference("pulley_belt_1to4")
    machine = Machine(scenes.belt(p))
    machine.set_motor("two axle", speed=0.0)
    machine.step(DT)
    assert close(abs(machine.joint("two axle").torque), p["static_holding_torque_on_wheel2"])


@pytest.mark.parametrize("case", [0, 1], ids=["n2", "n4"])
@pytest.mark.parametrize("massless", [False, True])
def test_block_and_tackle(case: int, massless: bool) -> None:
    p = reference("pulley_block_and_tackle")
    said = p["cases"][case]
    n = said["n"]
    machine = run(scenes.block_and_tackle(**said, massless=massless), 0.3)
    if massless:
        assert close(-falls(machine, "block"), p[f"block_acceleration_massless_sheaves_n{n}"])
        return
    assert close(-falls(machine, "block"), p[f"block_acceleration_up_n{n}"])
    assert close(falls(machine, "free"), p[f"free_end_acceleration_down_n{n}"])
    expected = [p[f"tension_part{k + 1}_n{n}"] for k in range(n)] + [p[f"tension_free_end_n{n}"]]
    assert machine.rope("fall").tension == pytest.approx(expected, rel=0.01)


def test_double_atwood() -> None:
    p = reference("pulley_double_atwood")
    machine = run(scenes.double_atwood(p), 0.3)
    assert close(falls(machine, "one"), p["acceleration_m1_down"])
    assert close(falls(machine, "two"), p["acceleration_m2_down"])
    assert close(falls(machine, "three"), p["acceleration_m3_down"])
    assert machine.rope("upper").tension == pytest.approx([p["tension_upper"]] * 2, rel=0.01)
    assert machine.rope("lower").tension == pytest.approx([p["tension_lower"]] * 2, rel=0.01)


def test_differential_windlass() -> None:
    p = reference("pulley_differential_windlass")
    machine = run(scenes.windlass(p), 0.5)
    assert machine.rope("rope").tension == pytest.approx([p["rope_tension"]] * 2, rel=0.01)
    assert close(abs(machine.joint("drum axle").torque), p["torque_on_axle"])
    machine.set_motor("drum axle", speed=0.5)
    before = machine.pose("pulley")[0][2]
    run_on = 30
    for _ in range(run_on):
        machine.step(DT)
    rim = 0.5 * run_on * DT * p["R2"]
    assert close(rim / abs(machine.pose("pulley")[0][2] - before), p["velocity_ratio"])


def settled(scene: Scene) -> Machine:
    """After the swinging, which the implicit step damps, has died away."""
    return run(scene, 6.0)


def stretch(machine: Machine) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    rope = machine.rope("rope")
    return np.asarray(rope.length - rope.rest)


def test_elastic_rope_over_a_pulley() -> None:
    p = reference("cable_elastic_over_pulley")
    equal = stretch(settled(scenes.elastic_over_pulley(p, p["m2"], locked=False)))
    assert equal == pytest.approx([p["elongation_a_equal"], p["elongation_b_equal"]], rel=0.01)
    locked = stretch(settled(scenes.elastic_over_pulley(p, 1.3 * p["m2"], locked=True)))
    assert locked[1] == pytest.approx(p["elongation_b_locked_1p3m2"], rel=0.01)


def test_elastic_frequency() -> None:
    p = reference("cable_elastic_elongation")
    weight = scenes.weight("weight", 0.0, -p["L"], p["m"])
    rope = {"name": "rope", "stiffness": {"axial": p["EA"]}, "path": [scenes.held("hook"), scenes.held("weight")]}
    scene = scenes.scene([{"name": "hook"}, weight], [], [rope])
    machine = Machine(scene, substeps=10)
    times, places = [], []
    for _ in range(800):
        machine.step(1.0 / 1200.0)
        times.append(machine.time)
        places.append(-machine.pose("weight")[0][2] - p["L"] - p["static_elongation_mass_m"])
    found = np.array(places)
    crossings = [
        times[k] - (times[k + 1] - times[k]) * found[k] / (found[k + 1] - found[k])
        for k in range(len(found) - 1)
        if found[k] * found[k + 1] < 0.0
    ]
    half = float(np.mean(np.diff(crossings[:6])))
    assert close(math.pi / half, p["axial_angular_frequency_mass_m"])
    assert machine.rope("rope").tension[0] == pytest.approx(p["m"] * p["g"], rel=0.6)


def errors(scene: Callable[[], Scene], measure: Callable[[Machine], float], expected: float) -> list[float]:
    return [abs(measure(run(scene(), 0.5, substeps=k)) - expected) for k in (5, 10, 20)]


def test_the_error_shrinks_with_the_substep() -> None:
    """Of first order: the way of the weight, and that of the bodies on smooth wheels."""
    p, q = reference("pulley_atwood"), reference("pulley_double_atwood")
    way = 0.5 * q["acceleration_m3_down"] * 0.25
    for found in (
        errors(
            lambda: scenes.atwood(p), lambda m: -1.0 - m.pose("one")[0][2], p["displacement_m1_after_0p5s_from_rest"]
        ),
        errors(lambda: scenes.double_atwood(q), lambda m: -2.0 - m.pose("three")[0][2], way),
    ):
        assert found[1] == pytest.approx(0.5 * found[0], rel=0.1)
        assert found[2] == pytest.approx(0.5 * found[1], rel=0.1)
