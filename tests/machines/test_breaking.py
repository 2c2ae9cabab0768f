"""Ropes that break, and the peaks of their tensions: what is kept of them, said, and judged."""

import csv
import io
import json
import math
import warnings
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from lissom import cli
from lissom.analysis.machines import print_run, record, run_json
from lissom.analysis.ropechecks import rope_checks
from lissom.machines.machine import Machine
from lissom.machines.resting import find_rest
from lissom.scene import Scene
from tests.machines.scenes import axle, held, scene, weight, wheel

EXAMPLES = Path(__file__).parents[2] / "examples" / "machines"
DT = 1.0 / 60.0
FALL = 0.2  # m of slack
BLOW = (
    math.sqrt(2.0 * 9.81 * FALL) * 600.0
)  # N: 1 kg is stopped within a substep; or within two, with half of it at least


def falling(**said: Any) -> Scene:
    """1 kg that falls into its rope, with a blow between two records."""
    parts = [{"name": "hook"}, weight("bob", 0.0, -1.0, 1.0)]
    return scene(parts, [], [{"name": "rope", "path": [held("hook", slack=FALL), held("bob")], **said}])


def steps(machine: Machine, seconds: float) -> Machine:
    for _ in range(round(seconds / DT)):
        machine.step(DT)
    return machine


def tackle(tmp_path: Path, limits: str) -> str:
    """Each part of the rope carries 245 N, but the winch starts with a blow."""
    file = tmp_path / "tackle.toml"
    said = (EXAMPLES / "tackle.toml").read_text()
    file.write_text(said.replace('name = "fall"\n', f'name = "fall"\nbreaking_force = 1000\n{limits}\n'))
    return str(file)


def test_a_rope_says_when_where_and_under_what_force_it_broke() -> None:
    machine = steps(Machine(falling(breaking_force=500.0)), 0.5)
    broke = machine.rope("rope").broke
    assert broke is not None
    assert 0.49 * BLOW < broke.force < 1.02 * BLOW
    assert broke.time == pytest.approx(math.sqrt(2.0 * FALL / 9.81), abs=2.0 / 600.0)
    assert broke.between == ("hook", "bob")
    assert str(broke) == f"broke at {broke.time:.4g} s under {broke.force:.4g} N between hook and bob"
    assert machine.rope("rope").tension.tolist() == [0.0]


@pytest.mark.parametrize("strength", [20.0, 9.0])
def test_rest_breaks_a_rope_by_what_it_carries_and_not_by_the_way_there(strength: float) -> None:
    machine = Machine(falling(breaking_force=strength))
    assert find_rest(machine).ok
    broke = machine.rope("rope").broke
    assert (broke is None) == (strength > 9.81)
    assert broke is None or broke.force == pytest.approx(9.81, rel=1e-3)


def test_a_rope_that_is_hauled_in_though_nothing_follows_is_said_to_be_too_short(tmp_path: Path) -> None:
    """A motor of any torque hauls on when the weight is at the eye."""
    parts = [
        wheel("drum", 0.0, 0.0, 0.1, motion="free", mass=20.0, collide=False),
        {"name": "eye", "position": [1, 0, 2]},
    ]
    parts.append(weight("load", 1.0, 1.5, 20.0))
    winch = {**axle("drum"), "motor": {"speed": 5.0}}
    path = [
        {"on": "drum", "kind": "spool", "side": "right", "stored": 3.0},
        {"on": "eye", "kind": "pinhole"},
        held("load"),
    ]
    machine = Machine(scene(parts, [winch], [{"name": "fall", "path": path}]))
    found = record(machine, 180, DT, lambda k: None)
    name, lacks = found.lacking
    assert name == "fall"
    assert lacks > 0.1
    assert json.loads(run_json(found))["lacking"] == {"rope": "fall", "length": lacks}
    told = Console(record=True, width=200, file=io.StringIO())
    print_run(found, told)
    assert f"fall was too short by {lacks:.3g} m" in told.export_text()


def test_a_state_keeps_how_a_rope_broke() -> None:
    machine = steps(Machine(falling(breaking_force=500.0)), 0.5)
    again = Machine.from_state(machine.state).rope("rope")
    assert again.broke == machine.rope("rope").broke
    assert again.length.tolist() == machine.rope("rope").length.tolist()


@pytest.mark.parametrize("limits", ["", "limits = { safety_factor = 4 }", "limits = { slack = 1 }"])
def test_a_run_in_which_a_rope_breaks_fails(tmp_path: Path, limits: str) -> None:
    out = tmp_path / "out"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = CliRunner().invoke(cli.app, ["run", tackle(tmp_path, limits), "--seconds", "0.2", "-o", str(out)])
    assert result.exit_code == 3, result.output
    assert "fall broke at 0.00" in result.stdout
    said = json.loads((out / "run.json").read_text())
    broke = said["ropes"]["fall"]["broke"]
    assert broke["force"] > 1000.0
    assert f"under {broke['force']:.4g} N between {broke['between'][0]} and {broke['between'][1]}" in result.stdout
    failed = {check["rule"]: check for check in said["checks"] if not check["ok"]}
    assert failed["breaking_force"]["value"] == broke["force"]
    if "safety" in limits:
        assert failed["safety_factor"]["value"] == pytest.approx(1000.0 / broke["force"])
    with (out / "run.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    tensions = [key for key in rows[0] if key.startswith("fall tension")]
    assert len(tensions) == 5
    assert all(row[key] == "0" for row in rows[1:] for key in tensions)


def test_a_rope_that_breaks_fails_where_a_machine_is_asked_to_rest(tmp_path: Path) -> None:
    file = tmp_path / "falling.json"
    file.write_text(json.dumps(falling(breaking_force=5.0).to_dict()))
    result = CliRunner().invoke(cli.app, ["solve", str(file)])
    assert result.exit_code in (3, 4), result.output
    assert "rope broke at" in result.stdout


@pytest.mark.parametrize("hand", [False, True])
def test_peaks_between_records_are_seen(hand: bool) -> None:
    """The blow is over within a substep; ten of them are a step."""
    machine = Machine(falling(breaking_force=5000.0, limits={"safety_factor": 10.0}))
    if hand:
        machine.pull("bob", point=(0, 0, 0), to=(0, 0, -2), stiffness=1e-3, damping=0.0)
    found = record(machine, 60, DT, lambda k: None)
    assert max(row[0] for row in found.tension["rope"][1:]) < 0.2 * BLOW
    peak = max(row[0] for row in found.peak["rope"][1:])
    assert 0.49 * BLOW < peak < 1.02 * BLOW
    (check,) = found.checks
    assert check.value == pytest.approx(5000.0 / peak)
    assert check.ok is False


def test_no_tension_is_above_its_peak() -> None:
    """Also where a rope comes to lie on a bar, and leaves it."""
    machine = Machine(Scene.load(EXAMPLES / "merge-split.toml"))
    for _ in range(120):
        machine.step(DT)
        rope = machine.rope("rope")
        assert (rope.peak >= rope.tension).all()
    assert not [check for check in rope_checks(machine) if check.ok is False]
