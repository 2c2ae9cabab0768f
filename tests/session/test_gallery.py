"""The demos: each asks a question, is certified, and shows at once the shape that it then has."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lissom.scene import Scene
from lissom.session.demos import solved
from lissom.session.desk import Shapes, desk_path, load_desk
from lissom.session.filing import open_demo
from lissom.session.gallery import gallery
from lissom.session.messages.commands import Edit, New
from lissom.session.session import Session
from lissom.session.shapes import readouts, shapes
from lissom.session.stored import stored
from lissom.session.workspace import Workspace
from tests.session.scenes import certified, points

DEMOS = list(gallery())


def apart(a: Shapes, b: Shapes) -> float:
    assert a.keys() == b.keys()
    return max((float(np.abs(np.subtract(a[k][0], b[k][0])).max()) for k in a), default=0.0)


def test_there_are_demos_of_every_kind() -> None:
    assert {
        "brake-hose",
        "engine-harness",
        "hot-pipe",
        "phone-cord",
        "plug-and-socket",
        "sharp-bracket",
        "tower-crane",
        "twisted-rod",
    } <= set(DEMOS)


@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_is_certified_and_its_stored_shapes_are_up_to_date(name: str, tmp_path: Path) -> None:
    """Where this fails after a change of the solver: python -m lissom.session.demos"""
    session = solved(gallery()[name], tmp_path)
    assert certified(session)
    desk, kept, _ = load_desk(desk_path(gallery()[name]))
    assert apart(kept, shapes(session)) < 1e-5
    assert len(desk.variants) == len(session.desk.variants)
    for old, new in zip(desk.variants, session.desk.variants, strict=True):
        assert apart(old.shapes, new.shapes) < 1e-5
        assert [k.bend_radius for k in old.values] == pytest.approx([k.bend_radius for k in new.values], rel=1e-3)
    assert desk.question.endswith("?")
    assert desk.views
    assert not [k for k in session.simulation.notes if "overlap" in k]


@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_shows_its_shape_before_anything_is_solved(name: str, tmp_path: Path) -> None:
    found = stored(Workspace.of(tmp_path), None, name)
    assert found is not None
    event, frame = found
    assert event.question.endswith("?")
    header = json.loads(frame[4 : 4 + int.from_bytes(frame[:4], "little")])
    assert {k["name"] for k in header["strands"]} == {k.name for k in Scene.load(gallery()[name]).cables}


def test_a_demo_opens_without_a_file_and_keeps_its_edits(hose: Session) -> None:
    hose.do(New("demo:plug-and-socket"))
    assert hose.file is None
    assert hose.desk.question.startswith("Does the plug reach")
    hose.do(Edit({"lead/length": 0.36}))
    hose.do(New())
    hose.do(New("demo:plug-and-socket"))
    assert hose.recovered
    assert hose.simulation.scene.cable("lead").length == 0.36


def test_the_twisted_rod_throws_a_loop(hose: Session) -> None:
    open_demo(hose, "twisted-rod")
    tangents = hose.simulation.cable("rod").tangents
    assert tangents[:, 0].min() < 0.0  # it runs back
    assert abs(hose.simulation.cable("rod").total_torsion) < 0.9 * np.radians(600.0)  # turns became a curl


def test_the_cable_presses_on_the_edge(hose: Session) -> None:
    open_demo(hose, "sharp-bracket")
    (contact,) = readouts(hose).contacts
    np.testing.assert_allclose(np.array(contact.point)[[0, 2]], [0.0, 0.0], atol=1e-3)
    assert contact.force[0] > 1.0
    assert contact.force[2] > 1.0


def test_the_hose_is_too_near_to_the_pipe(hose: Session) -> None:
    open_demo(hose, "hot-pipe")
    failed = [k for k in readouts(hose).checks if not k.ok]
    assert [k.rule for k in failed] == ["clearance"]


def test_the_cord_is_coiled(hose: Session) -> None:
    open_demo(hose, "phone-cord")
    line = points(hose, "cord")
    turns = np.unwrap(np.arctan2(*(line - line.mean(axis=0))[20:-20, 1:].T))
    assert abs(turns[-1] - turns[0]) > 8 * 2 * np.pi or np.ptp(line[:, 1]) > 0.008


def test_the_load_of_the_crane_swings_as_a_pendulum_whose_support_sets_off(hose: Session) -> None:
    open_demo(hose, "tower-crane")
    machine = hose.simulation.machine
    swing, speed = [], 1.2
    for _ in range(300):
        machine.step(1.0 / 60.0)
        swing.append(machine.pose("trolley")[0][0] - machine.pose("load")[0][0])
    depth = machine.pose("trolley")[0][2] - machine.pose("load")[0][2]
    assert max(swing) == pytest.approx(speed * np.sqrt(depth / 9.81), rel=0.05)


@pytest.mark.parametrize("name", ["hot-pipe", "nothing"])
def test_a_demo_on_the_command_line(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lissom", "demo", name, "--json"], capture_output=True, text=True, check=False
    )
    if name == "nothing":
        assert done.returncode == 2
        assert "there are brake-hose" in done.stderr
    else:
        assert done.returncode == 3  # its check fails
        assert json.loads(done.stdout)["status"] == "converged"
