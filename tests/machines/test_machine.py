"""Machines from the outside: `Simulation.step`, `lissom run`, the examples."""

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from lissom import cli
from lissom.analysis.machines import alike, plot_tensions, record
from lissom.analysis.runplots import plot_motion
from lissom.machines.machine import Machine
from lissom.scene import Scene
from lissom.simulation import Simulation
from tests.machines.references import reference
from tests.machines.scenes import atwood, axle, scene, wheel

EXAMPLES = Path(__file__).parents[2] / "examples" / "machines"


def test_a_simulation_steps_as_its_machine() -> None:
    said = atwood(reference("pulley_atwood"))
    machine, simulation = Machine(said), Simulation(said)
    for _ in range(20):
        machine.step(1.0 / 60.0)
        simulation.step(1.0 / 60.0)
    for name in ("wheel", "one", "two"):
        assert simulation.pose(name)[0] == pytest.approx(machine.pose(name)[0], abs=1e-12)
        assert abs(np.dot(simulation.pose(name)[1], machine.pose(name)[1])) == pytest.approx(1.0)
    assert simulation.joints["wheel axle"] == pytest.approx(machine.joint("wheel axle").value)


def test_the_scene_of_a_stepped_machine_goes_on_from_there() -> None:
    simulation = Simulation(atwood(reference("pulley_atwood")))
    for _ in range(20):
        simulation.step(1.0 / 60.0)
    again = Machine(Scene.from_dict(simulation.scene.to_dict()))
    assert again.pose("one")[0] == pytest.approx(simulation.pose("one")[0], abs=1e-12)
    assert again.joint("wheel axle").value == pytest.approx(simulation.joints["wheel axle"])
    assert again.rope("rope").length == pytest.approx(simulation.machine.rope("rope").length)


def test_a_cable_on_a_turning_wheel_follows() -> None:
    """Clamped on the rim of a wheel that a motor turns: its end is where the rim is, and it is in equilibrium there."""
    said = scene([wheel("wheel", 0.0, 0.0, 0.1, motion="free", mass=1.0)], [axle("wheel", motor={"speed": 1.0})], [])
    hose = {
        "name": "hose",
        "stiffness": {"bending": 0.01, "torsion": 0.008},
        "mass_per_length": 0.05,
        "length": 0.5,
        "collide": False,
        "start": {"position": [0.4, 0.0, 0.0], "tangent": [0, 0, -1]},
        "end": {"on": "wheel", "position": [0.1, 0.0, 0.0], "tangent": [-1, 0, 0]},
    }
    simulation = Simulation(Scene.from_dict({**said.to_dict(), "cables": [hose]}))
    assert simulation.solve().ok
    for _ in range(30):
        assert simulation.step(1.0 / 60.0).ok
    angle = simulation.machine.joint("wheel axle").value
    assert angle == pytest.approx(0.5, rel=1e-6)
    end = simulation.cable("hose").positions[-1]
    assert end == pytest.approx([0.1 * math.cos(angle), 0.0, 0.1 * math.sin(angle)], abs=1e-8)


def test_run_prints_json_and_writes_files(tmp_path: Path) -> None:
    file = str(EXAMPLES / "atwood.toml")
    result = CliRunner().invoke(cli.app, ["run", file, "--seconds", "0.5", "--json", "-o", str(tmp_path)])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["time"][-1] == pytest.approx(0.5)
    r = 0.102  # to the middle of the rope
    expected = 9.81 * 0.8 / (3.2 + 0.004 / r**2)
    left = np.array(found["parts"]["left"]["position"])[:, 2]
    assert left[0] - left[-1] == pytest.approx(0.5 * expected * 0.25, rel=0.01)
    assert found["ropes"]["rope"]["tension"][-1][:2] == pytest.approx(
        [2.0 * (9.81 - expected), 1.2 * (9.81 + expected)], rel=0.01
    )
    assert {k.name for k in tmp_path.iterdir()} == {"run.json", "run.npz", "run.csv", "tension.png", "motion.png"}
    assert np.load(tmp_path / "run.npz")["left.position"].shape == (31, 3)


def test_plots_begin_with_what_was_solved_and_hide_no_line() -> None:
    """The tension of the first instant is not known; the spans of a smooth rope are one line that names them all."""
    found = record(Machine(Scene.load(EXAMPLES / "merge-split.toml")), 20, 1.0 / 60.0, lambda _: None)
    assert np.isnan(found.tension["rope"][0]).all()
    axis = plot_tensions(found).axes[0]
    assert [k.get_label() for k in axis.get_lines()] == ["from post, sheave"]
    drawn = np.asarray(axis.get_lines()[0].get_ydata(), dtype=float)
    assert np.nanmin(drawn) == pytest.approx(19.62, rel=0.01)


def test_a_line_that_hides_another_for_a_while_is_narrower() -> None:
    """Before the beam is met both spans have one tension, then the one to the post has another."""
    found = record(Machine(Scene.load(EXAMPLES / "snag.toml")), 60, 1.0 / 60.0, lambda _: None)
    widths = [k.get_linewidth() for k in plot_tensions(found).axes[0].get_lines()]
    assert len(widths) == 3
    assert all(b < a - 1.0 for a, b in pairwise(widths))


def test_the_legend_of_many_spans_stays_in_its_panel() -> None:
    """The most loaded ones are named, and how many more there are; it used to hide both axes."""
    found = record(Machine(Scene.load(EXAMPLES / "hilbert-2.toml")), 5, 1.0 / 60.0, lambda _: None)
    figure = plot_tensions(found)
    (axis,) = figure.axes
    legend = axis.get_legend()
    assert legend is not None
    names = [k.get_text() for k in legend.get_texts()]
    largest = np.nan_to_num(np.array(found.tension["rope"])).max(axis=0)
    spans = int((largest > 0.0).sum())
    assert names[-1] == f"… and {spans - 12} more"
    assert names[0] == f"from {found.links['rope'][int(np.argmax(largest))]}"
    assert len(names) == 13
    figure.canvas.draw()
    inside, around = legend.get_window_extent(), axis.get_window_extent()
    assert around.x0 <= inside.x0 < inside.x1 <= around.x1
    assert around.y0 <= inside.y0 < inside.y1 <= around.y1
    assert axis.get_ylabel() == "rope [N]"


def test_curves_that_differ_are_not_put_together() -> None:
    tension = np.array([[10.0, 10.0, 10.0, np.nan], [10.0, 10.01, 11.0, np.nan], [10.0, 10.02, np.nan, np.nan]])
    assert alike(tension) == [[0, 1], [2]]


def test_what_is_rounding_is_shown_as_nothing() -> None:
    """The hook of the crane hangs in the plane of the jib: it used to be at -1.1e-20 m."""
    file = Path(__file__).parents[2] / "examples" / "machines" / "crane.toml"
    result = CliRunner().invoke(cli.app, ["run", str(file), "--seconds", "0.2"])
    assert result.exit_code == 0, result.output
    hook = [line for line in result.stdout.splitlines() if "hook block" in line][-1]
    assert [float(k) for k in hook.strip("│ ").split("│")[1:]] == [14.0, 0.0, 12.0]


def test_run_says_what_is_wrong(tmp_path: Path) -> None:
    text = (EXAMPLES / "atwood.toml").read_text().replace('radius = "100 mm"', 'radius = "1.1 m"')
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    result = CliRunner().invoke(cli.app, ["run", str(file)])
    assert result.exit_code == 2
    line = 1 + text.splitlines().index('  { on = "wheel", side = "right" },')
    assert f'{file}:{line}: rope/link 2 = "wheel": must lie outside wheel' in result.stderr


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_examples_run_and_keep_their_ropes(path: Path) -> None:
    said = Scene.load(path)
    machine = Machine(said)
    totals = {rope.name: machine.rope(rope.name).total for rope in said.ropes}
    for _ in range(120):
        machine.step(1.0 / 60.0)
    assert math.isfinite(machine.energy)
    for name, total in totals.items():
        assert machine.rope(name).total == pytest.approx(total, abs=1e-10)


def test_the_hoist_lifts_at_the_speed_of_its_drum() -> None:
    """2 rad/s on a drum of 100 mm: 0.2 m/s, and the rope carries the weight. Its elongation is that of E A."""
    machine = Machine(Scene.load(EXAMPLES / "hoist.toml"))
    before = machine.pose("load")[0][2]
    for _ in range(180):
        machine.step(1.0 / 60.0)
    rope = machine.rope("hoist")
    assert machine.pose("load")[0][2] - before == pytest.approx(0.2 * machine.time, abs=5e-3)
    assert rope.tension == pytest.approx([981.0] * 2, rel=0.02)
    assert rope.stored[0] == pytest.approx(12.0 + 0.2 * machine.time, abs=5e-3)
    assert machine.joint("winch").torque == pytest.approx(98.1, rel=0.02)


def test_rounding_does_not_fill_a_plot() -> None:
    """A crane that holds its load: nothing moves by more than rounding, and the panels show that."""
    found = record(Machine(Scene.load(EXAMPLES / "crane.toml")), 10, 1.0 / 60.0, lambda k: None)
    for axis in plot_motion(found).axes:
        low, high = axis.get_ylim()
        assert high - low >= 1e-3
