"""What people say wrong about machines, or leave out, and what they are told."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from lissom.analysis.checks import Check
from lissom.analysis.machines import print_checks, record
from lissom.analysis.runtable import run_csv
from lissom.machines.machine import Machine
from lissom.scene import Scene, SceneError
from lissom.simulation import Simulation
from tests.machines.references import reference
from tests.machines.scenes import atwood, held, over, scene, weight, wheel

EXAMPLES = Path(__file__).parents[2] / "examples" / "machines"
DT = 1.0 / 60.0


@pytest.mark.parametrize("inertia", [[0.0, 0.0, 0.0], [1e-12, 1e-12, 1e-12], [1e-6, 1e-6, 0.0], [0.0, 0.0, 1e-6]])
def test_a_sheave_without_inertia_has_one_tension_on_both_sides(inertia: list[float]) -> None:
    """T = 2 m1 m2 g / (m1 + m2) of Atwood's machine with a massless wheel."""
    said = reference("pulley_atwood")
    data = atwood(said).to_dict()
    data["parts"][0]["inertia"] = inertia
    machine = Machine(Scene.from_dict(data))
    for _ in range(20):
        machine.step(DT)
    m1, m2 = said["m1"], said["m2"]
    assert machine.rope("rope").tension == pytest.approx([2.0 * m1 * m2 * 9.81 / (m1 + m2)] * 2, rel=1e-3)


def test_a_rope_beside_its_wheel_is_refused() -> None:
    parts = [wheel("wheel", 0.0, 0.0, 0.1), weight("one", -0.1, -1.0, 1.0), weight("two", 0.1, -1.0, 1.0)]
    path = [held("one"), over("wheel", "right", offset=1.0), held("two")]
    with pytest.raises(SceneError, match="must be on the part: along the axis of the link"):
        Machine(scene(parts, [], [{"name": "rope", "path": path}]))


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('["102 mm", 0, -1]', '["-500 mm", 0, 1]', '"wheel", side', 'rope/link 2 = "wheel": must be met'),
        (
            'side = "right" }',
            'side = "right", offset = 1.0 }',
            "offset",
            "rope/link 2.offset = 1.0: must be on the part",
        ),
        ("axis = [0, -1, 0]", "axis = [0, -1, 0]\nmotor = { tension = 9 }", "motor", "axle.motor.tension: must be on"),
        ('diameter = "4 mm"', 'diameter = "4 mm"\nmeets = ["pin"]', "meets", 'rope.meets = "pin": must be clear'),
    ],
)
def test_what_cannot_run_is_named_with_its_line(tmp_path: Path, old: str, new: str, line: str, words: str) -> None:
    text = (EXAMPLES / "atwood.toml").read_text().replace(old, new)
    if "meets" in new:
        text += '[[parts]]\nname = "pin"\nshape = { kind = "sphere", radius = 0.01 }\nposition = [-0.102, 0, -0.5]\n'
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    number = next(k for k, row in enumerate(text.splitlines(), 1) if line in row)
    with pytest.raises(SceneError) as caught:
        Machine(Scene.load(file))
    assert str(caught.value).startswith(f"{file}:{number}: {words}")


def test_half_a_turn_about_a_wheel_is_refused() -> None:
    parts = [wheel("wheel", 0.0, 0.0, 0.1), weight("one", -0.1, -1.0, 1.0), weight("two", 0.1, -1.0, 1.0)]
    path = [held("one"), over("wheel", "right", turns=1.5), held("two")]
    with pytest.raises(SceneError, match="must be a whole number"):
        scene(parts, [], [{"name": "rope", "path": path}])


@pytest.mark.parametrize(
    ("dt", "substeps", "words"),
    [
        (10.0, None, "a substep must be at most 0.1 s; take 100"),
        ("a", None, "dt = 'a'"),
        (None, None, "must be a time above 0"),
        (float("nan"), None, "must be a time above 0"),
        (0.1, 1.5, "must be a whole number"),
    ],
)
def test_steps_that_are_none_are_refused(dt: float, substeps: int | None, words: str) -> None:
    machine = Machine(atwood(reference("pulley_atwood")))
    with pytest.raises(ValueError, match=words):
        machine.step(dt, substeps)
    assert machine.time == 0.0


def test_the_table_of_a_run_has_the_parts_that_the_rope_met() -> None:
    found = record(Machine(Scene.load(EXAMPLES / "snag.toml")), 240, DT, lambda k: None)
    lines = run_csv(found).splitlines()
    columns = lines[0].split(",")
    kept = [i for i, name in enumerate(columns) if " rest from " in name or " stored on " in name]
    assert any("beam" in columns[i] for i in kept)
    rows = [[float(v) if v else 0.0 for v in line.split(",")] for line in lines[1:]]
    lengths = np.array(rows)[:, kept].sum(axis=1)
    assert lengths == pytest.approx(lengths[0], rel=1e-7)


def test_marks_of_checks_are_marks() -> None:
    stream = io.StringIO()
    checks = [Check(rule, 3.0, 2.0, -1.0, "hoist", None, ok) for rule, ok in (("turns", True), ("slack", False))]
    print_checks(checks, Console(file=stream, width=120, markup=False))
    assert "✓" in stream.getvalue()
    assert "✗" in stream.getvalue()
    assert "[" not in stream.getvalue()


def test_a_wheel_that_the_rope_would_jump_off_at_once_is_refused(tmp_path: Path) -> None:
    """Its axle lies along the rope."""
    text = (EXAMPLES / "hoist.toml").read_text()
    before, sheave, after = text.partition('name = "sheave"')
    file = tmp_path / "hoist.toml"
    file.write_text(before + sheave + after.replace("tangent = [0, -1, 0]", "tangent = [0, 0, 1]", 1))
    with pytest.raises(SceneError, match=r'hoist/link 2 = "sheave": must be met at less than 45°.* at [5-9]\d'):
        Machine(Scene.load(file))


@pytest.mark.parametrize("key", ["linear", "angular"])
@pytest.mark.parametrize("wrong", [[float("nan"), 0, 0], [1, 2], 1.0, [1e300, 0, 0], ["fast", 0, 0], "fast"])
def test_a_velocity_that_is_none_is_refused(key: str, wrong: Any) -> None:
    machine = Machine(Scene.load(EXAMPLES / "crane.toml"))
    said: dict[str, Any] = {key: wrong}
    with pytest.raises(ValueError, match=rf"{key} = .*: must be three finite numbers, each at most 1e\+06"):
        machine.set_velocity("hook block", **said)
    assert machine.is_finite


@pytest.mark.parametrize("said", [{"speed": "fast"}, {"torque": [1.0]}, {"speed": 1e300}, {"tension": True + 0j}])
def test_a_drive_that_is_no_number_is_refused(said: dict[str, Any]) -> None:
    machine = Machine(Scene.load(EXAMPLES / "hoist.toml"))
    with pytest.raises(ValueError, match=r"(speed|torque|tension) = .*: must be a finite number, at most 1e\+12"):
        machine.set_motor("winch", **said)


def test_a_step_that_flies_apart_is_not_converged() -> None:
    simulation = Simulation(Scene.load(EXAMPLES / "crane.toml"))
    before = simulation.pose("hook block")
    simulation.machine._parts.bodies.v[1:] = np.nan
    report = simulation.step(DT)
    assert report.status == "not_converged"
    assert "flew apart before 0.01667 s" in report.reason
    assert simulation.pose("hook block") == before
    assert simulation.reset().ok
    assert simulation.step(DT).ok


def test_a_rope_that_begins_broken_is_refused() -> None:
    parts = [{"name": "hook"}, weight("bob", 0.0, -1.0, 1.0)]
    rope = {"name": "rope", "stiffness": {"axial": 1e5}, "tension": 600.0, "breaking_force": 500.0}
    with pytest.raises(SceneError, match=r"rope/tension = 600.*: must be at most breaking_force = 500 N"):
        scene(parts, [], [rope | {"path": [held("hook"), held("bob")]}])


def test_an_inertia_that_no_body_has_is_refused() -> None:
    parts = [weight("bob", 0.0, -1.0, 1.0) | {"inertia": [10.0, 1.0, 1.0]}]
    with pytest.raises(SceneError, match=r"bob/inertia = .*: must be that of a body: the largest, 10, .* the sum 2 of"):
        scene(parts, [], [])
