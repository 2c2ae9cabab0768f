"""Is the cable long enough? Against bisections over the length, and against a taut string over a bar."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom
from lissom import cli
from lissom.reaching import Reach, harnesses, reach, taut_growth
from lissom.scene import Scene, SceneError
from lissom.simulation import Simulation

HOSE = {"stiffness": {"bending": 0.035, "torsion": 0.025}, "mass_per_length": 0.107, "points": 33}
AHEAD = {"tangent": [1, 0, 0], "roll": 0}


def cable(name: str, length: float, start: list[float], **end: Any) -> dict[str, Any]:
    return {**HOSE, "name": name, "length": length, "start": {"position": start, **AHEAD}, "end": {**AHEAD, **end}}


def two_hoses() -> dict[str, Any]:
    """One on the plug, one on a socket that the plug carries."""
    return {
        "cables": [
            cable("a", 0.40, [0, 0, 0], on="plug", position=[0, 0, 0]),
            cable("b", 0.38, [0, 0.1, 0], on="socket", position=[0, 0, 0]),
            cable("other", 0.30, [0, 1, 0], position=[0.25, 1, 0]),
        ],
        "parts": [
            {"name": "plug", "position": [0.3, 0, 0], "motion": "held"},
            {"name": "socket", "position": [0, 0.05, 0], "parent": "plug"},
        ],
    }


def bisected(scene: Scene, name: str, low: float, high: float) -> float:
    """The least length with which a cold solve of its own finds an equilibrium."""
    while high - low > 1e-7:
        middle = 0.5 * (low + high)
        sim = Simulation(scene)
        sim.edit(name, length=middle)
        low, high = (low, middle) if sim.solve(cold=True).cables[name].ok else (middle, high)
    return high


def moved(scene: Scene, position: tuple[float, float, float]) -> Scene:
    return scene.with_value("plug/position", list(position))


@pytest.mark.parametrize("to", [(0.39, 0.0, 0.0), (0.45, 0.02, 0.1), (0.1, 0.5, -0.2)])
def test_reach_agrees_with_a_bisection_over_the_length(to: tuple[float, float, float]) -> None:
    scene = Scene.from_dict(two_hoses())
    found = reach(scene, "plug", to)
    assert not found.reached
    assert found.certified
    for need in found.needs:
        least = bisected(moved(scene, to), need.cable, need.length, 2.0)
        assert need.least == pytest.approx(least, abs=5e-6 * least)
        assert need.shortfall == pytest.approx(least - need.length, abs=1e-5)
    sim = Simulation(moved(scene, to))
    assert set(found.short) == {name for name, report in sim.solve().cables.items() if not report.ok}


def test_long_enough_is_long_enough() -> None:
    found = reach(Scene.from_dict(two_hoses()), "plug", (0.35, 0.0, 0.0))
    assert (found.reached, found.certified, found.needs, found.done) == (True, True, (), 1.0)
    assert found.scene.part("plug").position == (0.35, 0.0, 0.0)
    assert lissom.reach is reach
    assert isinstance(found, lissom.Reach)


def test_the_pose_reached_is_where_a_cable_is_straight() -> None:
    found = reach(Scene.from_dict(two_hoses()), "plug", (0.45, 0.02, 0.1))
    end = np.add(found.position, (0.0, 0.05, 0.0))
    assert np.linalg.norm(end - [0.0, 0.1, 0.0]) == pytest.approx(0.38, abs=1e-4)
    assert np.linalg.norm(end - [0.0, 0.1, 0.0]) < 0.38
    way = (np.array(found.position) - [0.3, 0, 0]) / (np.array([0.45, 0.02, 0.1]) - [0.3, 0, 0])
    assert way == pytest.approx([found.done] * 3)
    assert Simulation(found.scene).solve().ok


def test_every_rest_position_counts() -> None:
    """The way leads out and back again: the farthest position says how long the cable must be."""
    scene = Scene.from_dict(two_hoses())
    out = (0.5, 0.0, 0.0)
    found = reach(scene, "plug", (0.3, 0.0, 0.0), via=[(0.32, 0.0, 0.0), out])
    assert [stop.reached for stop in found.stops] == [True, False, False]
    assert found.leg == 1
    needed = {need.cable: need.least for need in found.needs}
    assert needed == pytest.approx({"a": 0.5, "b": math.hypot(0.5, 0.05)}, rel=1e-5)


def test_a_turn_of_the_part_counts() -> None:
    """A quarter turn brings the socket from beside the plug to behind it."""
    quarter = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    found = reach(Scene.from_dict(two_hoses()), "plug", ((0.36, 0.0, 0.0), quarter))
    assert found.reached
    back = reach(Scene.from_dict(two_hoses()), "plug", ((0.36, 0.0, 0.0), (quarter[0], 0.0, 0.0, -quarter[3])))
    assert back.short == ("b",)
    assert back.needs[0].least == pytest.approx(math.hypot(0.41, 0.1), rel=1e-5)


def test_a_pull_that_is_too_hard_is_too_short() -> None:
    scene = Scene.from_dict(two_hoses())
    to = (0.3765, 0.0, 0.0)  # nearly straight
    assert reach(scene, "plug", to).reached
    found = reach(scene, "plug", to, pull=2.0)
    assert found.short == ("b",)
    assert "harder than 2 N" in found.reason
    sim = Simulation(moved(scene, to))
    sim.edit("b", length=found.needs[0].least)
    sim.solve().raise_if_failed()
    assert sim.cable("b").tension.max() == pytest.approx(2.0, rel=1e-2)


def test_only_the_span_at_the_part_gets_longer() -> None:
    data = two_hoses()
    data["cables"][0]["clips"] = [{"at": 0.25, "position": [0.08, 0.02, 0.0], "kind": "ball"}]
    found = reach(Scene.from_dict(data), "plug", (0.5, 0.0, 0.0))
    assert found.needs[0].least == pytest.approx(0.1 + math.dist((0.5, 0, 0), (0.08, 0.02, 0)), rel=1e-5)


def test_too_short_from_the_beginning() -> None:
    data = two_hoses()
    data["cables"][0]["length"] = 0.2
    found = reach(Scene.from_dict(data), "plug", (0.35, 0.0, 0.0))
    assert (found.leg, found.done, found.position) == (0, 0.0, (0.3, 0.0, 0.0))
    assert found.needs[0].least == pytest.approx(0.35, rel=1e-5)


def over_a_bar() -> Scene:
    start = {"position": [-0.2, 0, 0], "tangent": [0.6, 0, 1], "roll": 0}
    end = {"on": "plug", "position": [0, 0, 0], "tangent": [0.6, 0, -1], "roll": 0}
    rope = {"name": "rope", "length": 0.54, "points": 41, "radius": 0.004, "mass_per_length": 0.1}
    rope |= {"stiffness": {"bending": 0.002, "torsion": 0.0015}, "start": start, "end": end}
    rope["initial"] = {"points": [[-0.2, 0, 0], [-0.1, 0, 0.15], [0, 0, 0.2], [0.1, 0, 0.15], [0.2, 0, 0]]}
    bar = {"name": "bar", "shape": {"kind": "cylinder", "diameter": 0.1, "length": 0.3}, "position": [0, 0, 0.1]}
    plug = {"name": "plug", "position": [0.2, 0, 0], "motion": "held"}
    return Scene.from_dict({"cables": [rope], "parts": [{**bar, "tangent": [0, 1, 0]}, plug]})


def taut(start: tuple[float, float], end: tuple[float, float], centre: tuple[float, float], radius: float) -> float:
    """A string over a circle: two tangents and the arc between them."""
    a, b = math.dist(start, centre), math.dist(end, centre)
    angles = [math.atan2(p[1] - centre[1], p[0] - centre[0]) % (2 * math.pi) for p in (start, end)]
    over = (angles[0] - angles[1]) % (2 * math.pi) - math.acos(radius / a) - math.acos(radius / b)
    return math.sqrt(a * a - radius**2) + math.sqrt(b * b - radius**2) + radius * over


def test_a_cable_over_a_bar_needs_what_a_taut_string_needs() -> None:
    """Not the straight distance: that would lead through the bar."""
    scene = over_a_bar()
    found = reach(scene, "plug", (0.24, 0.0, -0.04))
    string = taut((-0.2, 0.0), (0.24, -0.04), (0.0, 0.1), 0.054)
    assert found.short == ("rope",)
    assert string < found.needs[0].least < 1.005 * string
    for factor, over in ((1.002, True), (0.99, False)):
        sim = Simulation(moved(scene, (0.24, 0.0, -0.04)))
        sim.edit("rope", length=factor * found.needs[0].least)
        # a shorter one may be laid below the bar, but not over it
        assert bool(sim.solve(cold=True).ok and sim.cable("rope").positions[:, 2].max() > 0.15) is over


def harness() -> Scene:
    trunk = {**HOSE, "name": "trunk", "length": 0.2, "points": 9, "start": {"position": [0, 0, 0], **AHEAD}}
    end = {"on": "plug", "position": [0, 0, 0], **AHEAD}
    branch = {**HOSE, "name": "branch", "length": 0.2, "points": 9, "end": end}
    members = [{"cable": "trunk", "at": "end"}, {"cable": "branch", "at": "start"}]
    plug = {"name": "plug", "position": [0.38, 0, 0], "motion": "held"}
    junctions = [{"name": "Y", "members": members}]
    return Scene.from_dict({"cables": [trunk, branch], "junctions": junctions, "parts": [plug]})


def test_a_harness_is_taken_together() -> None:
    assert harnesses(harness(), "plug") == [["trunk", "branch"]]
    assert harnesses(Scene.from_dict(two_hoses()), "plug") == [["a"], ["b"]]
    assert reach(harness(), "plug", (0.39, 0.0, 0.0)).reached


@pytest.mark.soak
def test_cables_of_a_harness_can_help_each_other_out() -> None:
    found = reach(harness(), "plug", (0.42, 0.0, 0.0))
    assert [(need.cable, need.instead_of) for need in found.needs] == [("trunk", ("branch",)), ("branch", ("trunk",))]
    for need in found.needs:
        assert need.least == pytest.approx(0.22, abs=5e-4)


def test_what_a_taut_harness_needs_is_known_before_anything_is_solved() -> None:
    """A side branch used to be made longer and longer, though it has no part in what is too short."""
    scene = lissom.Scene.load(Path(__file__).parents[1] / "examples" / "harness.toml")
    rest = Simulation(scene)
    stops = [((0.70, 0.15, 0.06), (1.0, 0.0, 0.0, 0.0))]
    straight = math.dist((0.0, 0.0, 0.12), (0.70, 0.15, 0.06))
    assert taut_growth(rest, "left plug", stops, "trunk") == pytest.approx(straight - 0.66)
    assert taut_growth(rest, "left plug", stops, "left") == pytest.approx(straight - 0.66)
    assert taut_growth(rest, "left plug", stops, "right") is None
    assert taut_growth(rest, "left plug", [((0.56, 0.15, 0.06), stops[0][1])], "right") == 0.0


@pytest.mark.soak
def test_a_harness_over_a_bar_is_answered_within_a_minute() -> None:
    scene = lissom.Scene.load(Path(__file__).parents[1] / "examples" / "harness.toml")
    told: list[str] = []
    found = reach(scene, "left plug", (0.70, 0.15, 0.06), tell=told.append)
    assert [(need.cable, need.instead_of) for need in found.needs] == [("trunk", ("left",)), ("left", ("trunk",))]
    assert "trunk is pulled taut" in found.reason
    straight = math.dist((0.0, 0.0, 0.12), (0.70, 0.15, 0.06))
    for need, other in zip(found.needs, (0.26, 0.4), strict=True):
        assert straight < need.least + other < 1.006 * straight
    assert len(told) > 20


def test_parts_that_cannot_be_asked_about() -> None:
    scene = Scene.from_dict(two_hoses())
    with pytest.raises(SceneError, match='did you mean "plug"'):
        reach(scene, "plugg", (0.0, 0.0, 0.0))
    bare = Scene.from_dict({**two_hoses(), "parts": [*two_hoses()["parts"], {"name": "wall"}]})
    with pytest.raises(SceneError, match="no cable hangs on it"):
        reach(bare, "wall", (0.0, 0.0, 0.0))
    data = two_hoses()
    data["parts"][0] |= {"motion": "free", "mass": 1.0}
    with pytest.raises(SceneError, match="finds its own place"):
        reach(Scene.from_dict(data), "plug", (0.0, 0.0, 0.0))


def test_children_go_along_after_a_copy() -> None:
    """A copy used to know where every part stood, and left children there when their parent moved."""
    sim = Simulation(Scene.from_dict(two_hoses()))
    sim.solve().raise_if_failed()
    other = sim.copy()
    other.move("plug", position=(0.31, 0.0, 0.0))
    other.solve().raise_if_failed()
    assert other.cable("b").positions[-1] == pytest.approx([0.31, 0.05, 0.0], abs=1e-7)


# ---- the command -------------------------------------------------------------------------------------------------


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli.app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def file(tmp_path: Path) -> str:
    Scene.from_dict(two_hoses()).save(tmp_path / "plug.toml")
    return str(tmp_path / "plug.toml")


def test_the_command_answers_people_and_programs(file: str) -> None:
    assert run("reach", file, "--part", "plug", "--to", "350 mm, 0, 0")[0] == 0
    status, out, _ = run("reach", file, "--part", "plug", "--to", "0.45, 20 mm, 10 cm", "--via", "0.32,0,0")
    assert status == 3
    assert "not reached" in out
    assert "short by mm" in out
    status, out, err = run("reach", file, "--part", "plug", "--to", "0.45, 0.02, 0.1", "--json")
    data = json.loads(out)
    assert (status, err, data["reached"]) == (3, "", False)
    assert data["needs"]["b"]["least"] == pytest.approx(data["needs"]["b"]["length"] + data["needs"]["b"]["shortfall"])
    assert data["pose"]["position"][0] < 0.45


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--part", "plug", "--to", "1, 2"), "must be 3 numbers"),
        (("--part", "plug", "--to", "1 kg, 2, 3"), "expected a length"),
        (("--part", "plug", "--to", "1, 2, 3; quaternion 1, 1, 0, 0"), "norm"),
        (("--part", "plug", "--to", "1, 2, 3; tangent 0, 0, 0"), "point somewhere"),
        (("--part", "plug", "--to", "1, 2, 3; roll 3 deg"), "roll needs tangent"),
        (("--part", "plug", "--to", "1, 2, 3; spin 3"), "each once"),
        (("--part", "plug", "--to", "1, 2, 3", "--pull", "3 m"), "--pull"),
        (("--part", "plug", "--to", "1, 2, 3", "--pull", "-3 N"), "above 0"),
        (("--part", "hose", "--to", "1, 2, 3"), "no part of this name"),
    ],
)
def test_mistakes_are_told(file: str, arguments: tuple[str, ...], why: str) -> None:
    status, _, err = run("reach", file, *arguments)
    assert status == 2
    assert why in err


def test_poses_in_every_form_agree() -> None:
    scene = Scene.from_dict(two_hoses())
    pose = np.eye(4)
    pose[:3, 3] = (0.4, 0.0, 0.1)
    forms: list[Any] = [(0.4, 0.0, 0.1), np.array([0.4, 0.0, 0.1]), ((0.4, 0.0, 0.1), (1.0, 0.0, 0.0, 0.0)), pose]
    forms += ["400 mm, 0, 10 cm", "0.4, 0, 0.1; quaternion 1, 0, 0, 0", "[0.4, 0, 0.1]; tangent 0, 0, 1; roll 0 deg"]
    answers: list[Reach] = [reach(scene, "plug", form) for form in forms]
    assert all(found.needs == answers[0].needs for found in answers)
