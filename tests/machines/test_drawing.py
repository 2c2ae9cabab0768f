"""Lines of ropes as they are drawn: they end where the rope does, lie on the wheels, and are as long as the rope."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lissom.machines.drawing import hanging, rope_line
from lissom.machines.machine import Machine
from lissom.scene import Scene, SceneError
from lissom.simulation import Simulation
from tests.machines.references import reference
from tests.machines.scenes import atwood, belt, held, over, scene, weight, wheel

EXAMPLES = Path(__file__).parents[2] / "examples" / "machines"
DOWN = np.array([0.0, 0.0, -9.81])


def length_of(line: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> float:
    return float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())


@pytest.mark.parametrize("length", [1.3, 2.0, 6.0, 40.0])
@pytest.mark.parametrize("end", [(1.2, 0.1, 0.0), (0.6, -0.4, 0.9), (0.3, 0.0, -1.2), (0.0, 0.0, 1.0)])
def test_a_slack_span_hangs_with_its_length(length: float, end: tuple[float, float, float]) -> None:
    p = np.array([0.2, 0.3, 0.4])
    q = p + np.array(end)
    length = max(length, 1.05 * math.dist(p, q))
    line = hanging(p, q, length, DOWN)
    assert line[0] == pytest.approx(p)
    assert line[-1] == pytest.approx(q)
    assert length_of(line) == pytest.approx(length, rel=0.04)


def test_a_catenary_is_the_one_of_its_length() -> None:
    """a cosh(x/a) through (±1, ·) with a = 1: 2 sinh 1 long, and cosh 1 − 1 deep."""
    line = hanging(np.array([-1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), 2.0 * math.sinh(1.0), DOWN)
    expected = np.cosh(line[:, 0]) - math.cosh(1.0)
    assert line[:, 2] == pytest.approx(expected, abs=1e-9)


def test_a_rope_over_a_wheel_lies_on_it() -> None:
    p = reference("pulley_atwood")
    machine = Machine(atwood(p))
    line = rope_line(machine, "rope")
    assert line[0] == pytest.approx(machine.pose("one")[0])
    assert line[-1] == pytest.approx(machine.pose("two")[0])
    assert np.hypot(line[1:-1, 0], line[1:-1, 2]) == pytest.approx(np.full(len(line) - 2, p["R"]), rel=1e-9)
    assert line[:, 2].max() == pytest.approx(p["R"], rel=0.02)
    assert length_of(line) == pytest.approx(machine.rope("rope").total, rel=0.01)


def test_a_belt_is_closed() -> None:
    machine = Machine(belt(reference("pulley_belt_1to4")))
    line = rope_line(machine, "belt")
    assert line[0] == pytest.approx(line[-1])
    assert length_of(line) == pytest.approx(machine.rope("belt").total, rel=0.01)


def test_slack_is_drawn_longer_than_its_way() -> None:
    parts = [{"name": "hook"}, weight("bob", 1.0, 0.0, 1.0)]
    machine = Machine(scene(parts, [], [{"name": "rope", "path": [held("hook", slack=0.3), held("bob")]}]))
    assert length_of(rope_line(machine, "rope")) == pytest.approx(1.3, rel=0.01)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("[!hc]*.toml")), ids=lambda path: path.stem)
def test_ropes_of_examples_have_lines_of_their_length(path: Path) -> None:
    machine = Machine(Scene.load(path))
    for _ in range(20):
        machine.step(1.0 / 60.0)
    for rope in machine.scene.ropes:
        now = machine.rope(rope.name)
        seen = now.length.sum() + np.maximum(now.rest - now.length, 0.0).sum()
        seen += sum(s / max(1.0, t) for s, t in zip(now.stored, now.turns, strict=True))  # one turn of what is wound
        assert length_of(rope_line(machine, rope.name)) == pytest.approx(seen, rel=0.02)


def stiff(bending: float, first: dict[str, Any]) -> Simulation:
    """A rope of 0.2 kg/m that resists bending, slack from `first` to a post 1 m away."""
    rope = {"name": "rope", "mass_per_length": 0.2, "stiffness": {"bending": bending}, "path": [first, held("post")]}
    parts = [{"name": "hook"}, wheel("wheel", 0.0, 0.0, 0.1), {"name": "post", "position": [1.0, 0.0, 0.1]}]
    return Simulation(scene(parts, [], [rope]))


def test_a_slack_span_of_a_stiff_rope_is_the_rod_of_a_cable_held_the_same_way() -> None:
    line = stiff(0.05, held("hook", slack=0.5)).rope_line("rope")
    length = math.hypot(1.0, 0.1) + 0.5
    cable = {
        "name": "cable",
        "length": length,
        "stiffness": {"bending": 0.05, "torsion": 0.05},
        "mass_per_length": 0.2,
        "points": 25,
        "start": {"kind": "ball", "position": [0, 0, 0]},
        "end": {"kind": "ball", "position": [1, 0, 0.1]},
    }
    rod = Simulation(Scene.from_dict({"format": 1, "cables": [cable]}))
    assert rod.solve().ok
    assert line == pytest.approx(rod.cable("cable").positions, abs=1e-6)
    drawn = hanging(line[0], line[-1], length, np.array([0, 0, -9.81]))
    assert line[:, 2].min() > drawn[:, 2].min() + 0.005  # it resists


def test_a_rope_with_little_stiffness_hangs_as_a_catenary() -> None:
    line = stiff(1e-5, held("hook", slack=0.5)).rope_line("rope")
    catenary = hanging(line[0], line[-1], math.hypot(1.0, 0.1) + 0.5, np.array([0, 0, -9.81]))
    assert line[:, 2].min() == pytest.approx(catenary[:, 2].min(), abs=0.01)


def test_a_stiff_rope_leaves_its_wheel_along_the_rim() -> None:
    spool = {**over("wheel", "right", slack=0.3), "kind": "spool", "stored": 1.0}
    simulation = stiff(0.5, spool)
    line = simulation.rope_line("rope")
    links = simulation.machine._parts.links
    k = int(np.argmin(np.linalg.norm(line - links.start[0], axis=1)))
    chord, way = line[k + 1] - line[k], links.end[0] - links.start[0]
    cosine = chord @ way / np.linalg.norm(chord) / np.linalg.norm(way)
    assert cosine > 0.98
    assert length_of(line[k:]) == pytest.approx(float(links.rest[0]), rel=0.01)


def test_stiffness_of_a_rope_must_say_something() -> None:
    parts = [{"name": "hook"}, {"name": "post", "position": [1, 0, 0]}]
    rope = {"name": "rope", "stiffness": {}, "path": [held("hook"), held("post")]}
    with pytest.raises(SceneError, match="say axial"):
        scene(parts, [], [rope])
