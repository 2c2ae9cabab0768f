"""Where machines stand by themselves, what holds them there, and the rules of their ropes."""

import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from lissom import cli
from lissom.analysis.ropechecks import rope_checks
from lissom.machines.machine import Machine
from lissom.machines.resting import find_rest
from lissom.scene import Scene, SceneError
from lissom.simulation import Simulation
from tests.machines.references import reference
from tests.machines.scenes import atwood, held, over, scene, weight, wheel

EXAMPLES = Path(__file__).parents[2] / "examples" / "machines"
G = 9.81


def test_a_weight_between_two_hooks_hangs_in_the_middle() -> None:
    """Rope of 2.6 m over 2.4 m: it hangs 0.5 m below, with m g 1.3/(2 · 0.5) in both spans. It starts aside."""
    parts = [{"name": "hooks"}, weight("bob", 0.3, -0.2, 2.0)]
    first = math.hypot(1.5, 0.2)
    path = [
        held("hooks", -1.2),
        {"on": "bob", "kind": "pinhole", "slack": 2.6 - first - math.hypot(0.9, 0.2)},
        held("hooks", 1.2),
    ]
    machine = Machine(scene(parts, [], [{"name": "rope", "path": path}]))
    assert find_rest(machine).ok
    assert machine.pose("bob")[0] == pytest.approx((0.0, 0.0, -0.5), abs=1e-4)
    assert machine.rope("rope").tension == pytest.approx([2.0 * G * 1.3] * 2, rel=1e-4)


def test_what_nothing_holds_has_no_rest() -> None:
    rest = find_rest(Machine(atwood(reference("pulley_atwood"))))
    assert not rest.ok
    assert "still moves" in rest.reason


def test_the_crane_holds_with_its_winch() -> None:
    """Half of 2 t at 308 mm; the hook block hangs below the middle of the trolley."""
    simulation = Simulation(Scene.load(EXAMPLES / "crane.toml"))
    assert simulation.rest().ok
    machine = simulation.machine
    assert machine.joint("winch").torque == pytest.approx(1000.0 * G * 0.308, rel=1e-3)
    assert machine.rope("hoist").tension == pytest.approx([1000.0 * G] * 4, rel=1e-3)
    assert simulation.pose("hook block")[0][0] == pytest.approx(14.0, abs=0.02)


def test_elastic_ropes_at_rest_are_as_long_as_they_must_be() -> None:
    """Fig. 15, left: 10 N and 20 N at 0.01 m/N."""
    machine = Machine(Scene.load(EXAMPLES / "elastic.toml"))
    assert find_rest(machine).ok
    rope = machine.rope("rope")
    assert rope.length - rope.rest == pytest.approx([0.1, 0.2, 0.2, 0.2], rel=1e-3)


def test_solve_prints_rest_and_holding_torques() -> None:
    result = CliRunner().invoke(cli.app, ["solve", str(EXAMPLES / "hoist.toml"), "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["status"] == "converged"
    assert found["joints"]["winch"]["torque"] == pytest.approx(98.1, rel=1e-3)
    assert found["ropes"]["hoist"]["tension"] == pytest.approx([981.0] * 2, rel=1e-3)


def test_solve_says_that_there_is_no_rest() -> None:
    result = CliRunner().invoke(cli.app, ["solve", str(EXAMPLES / "atwood.toml"), "--set", "floor/collide=false"])
    assert result.exit_code == 4
    assert "no rest" in result.stderr


def test_the_heavier_weight_comes_to_stand_and_the_other_hangs_below_the_wheel() -> None:
    """As long as one runs it, too: the lighter one used to be pulled over the wheel after a second."""
    machine = Machine(Scene.load(EXAMPLES / "atwood.toml"))
    for _ in range(300):
        machine.step(1.0 / 60.0)
        assert machine.pose("right")[0][2] < -0.2
    result = CliRunner().invoke(cli.app, ["solve", str(EXAMPLES / "atwood.toml"), "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["ropes"]["rope"]["tension"] == pytest.approx([1.2 * 9.81] * 2, rel=1e-3)


def test_run_gives_arrays(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with pytest.raises(SystemExit) as done:
        cli.app(["run", str(EXAMPLES / "atwood.toml"), "--seconds", "0.1", "--npz"])
    assert done.value.code == 0
    arrays = np.load(io.BytesIO(capfdbinary.readouterr().out))
    assert arrays["time"][-1] == pytest.approx(0.1)
    assert arrays["rope.tension"].shape == (7, 3)


# ---- rules --------------------------------------------------------------------------------------------------------


def checked(**limits: Any) -> Scene:
    """A spool with two turns, a sheave aside by 0.1 m over 1 m, a weight of 10 kg on 5 mm rope that breaks at 400 N."""
    around = 2.0 * math.pi * (0.1 + 0.0025)
    parts = [
        wheel("drum", 0.0, 0.0, 0.1, motion="free", mass=1.0),
        {**wheel("sheave", 1.0, 0.0, 0.05), "position": [1.0, 0.1, 0.0]},
        {**weight("load", 1.0525, -1.0, 10.0), "position": [1.0525, 0.1, -1.0]},
    ]
    joint = {"name": "winch", "part": "drum", "kind": "hinge", "axis": [0, -1, 0], "motor": {"speed": 0.0}}
    path = [
        {**over("drum", "right"), "kind": "spool", "stored": 2.0 * around},
        over("sheave", "right", friction=0.0),
        held("load"),
    ]
    rope = {"name": "rope", "diameter": 0.005, "breaking_force": 400.0, "limits": limits, "path": path}
    return scene(parts, [joint], [rope])


RULES = [
    ("safety_factor", 4.0, 400.0 / (10.0 * G), True),
    ("safety_factor", 5.0, 400.0 / (10.0 * G), False),
    ("sheave_ratio", 18.0, 20.0, True),
    ("sheave_ratio", 25.0, 20.0, False),
    ("fleet_angle", 0.12, math.atan2(0.1, 1.0), True),
    ("fleet_angle", 0.05, math.atan2(0.1, 1.0), False),
    ("turns", 1.5, 2.0, True),
    ("turns", 3.0, 2.0, False),
    ("slack", 0.01, 0.0, True),
]


@pytest.mark.parametrize(("rule", "limit", "value", "ok"), RULES)
def test_rules_of_ropes(rule: str, limit: float, value: float, ok: bool) -> None:
    machine = Machine(checked(**{rule: limit}))
    find_rest(machine)
    (check,) = rope_checks(machine)
    assert check.rule == rule
    assert check.value == pytest.approx(value, rel=0.02, abs=1e-6)
    assert check.ok is ok
    assert check.margin == pytest.approx(
        (value - limit) * (1 if rule in ("safety_factor", "sheave_ratio", "turns") else -1), abs=0.05
    )


def test_a_rule_that_fails_ends_with_its_status(tmp_path: Path) -> None:
    text = (EXAMPLES / "hoist.toml").read_text()
    file = tmp_path / "hoist.toml"
    file.write_text(text.replace("breaking_force = 80e3", "breaking_force = 80e3\nlimits = { safety_factor = 100 }"))
    result = CliRunner().invoke(cli.app, ["solve", str(file)])
    assert result.exit_code == 3, result.output
    assert "safety" in result.stdout
    result = CliRunner().invoke(cli.app, ["run", str(file), "--seconds", "0.5", "--json"])
    assert result.exit_code == 3
    assert json.loads(result.stdout)["checks"][0]["ok"] is False


def test_rules_need_what_they_compare_with() -> None:
    parts = [{"name": "hook"}, weight("bob", 0.0, -1.0, 1.0)]
    rope = {"name": "rope", "limits": {"safety_factor": 5.0, "sheave_ratio": 20.0}, "path": [held("hook"), held("bob")]}
    with pytest.raises(SceneError, match=r"safety_factor.*needs breaking_force"):
        scene(parts, [], [rope])


def bow(stiffness: float) -> Machine:
    values = {f"{limb} spring/spring.stiffness": stiffness for limb in ("upper", "lower")}
    return Machine(Scene.load(EXAMPLES / "bow.toml").with_values(values))


@pytest.mark.parametrize("stiffness", [120.0, 1000.0, 4000.0])
def test_the_string_of_a_strong_bow_keeps_its_length(stiffness: float) -> None:
    """Though it snaps straight within a substep."""
    machine = bow(stiffness)
    for _ in range(30):
        machine.step(1.0 / 60.0)
        string = machine.rope("string")
        assert string.length == pytest.approx(string.rest, rel=1e-4)
    assert machine.lacking[1] == 0.0


def test_a_bow_at_rest() -> None:
    """The springs pull at both halves of the straight string: T = k θ / (l sin θ), with 0.6 m of limb."""
    machine = bow(120.0)
    assert find_rest(machine).ok
    turn, string = machine.joint("lower spring").value, machine.rope("string")
    assert string.length == pytest.approx(string.rest, rel=1e-4)
    assert string.tension == pytest.approx(120.0 * turn / (0.6 * math.sin(turn)), rel=1e-3)
