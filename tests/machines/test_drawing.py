"""Lines of ropes as they are drawn: they end where the rope does, lie on the wheels, and are as long as the rope."""

import math
from pathlib import Path

import numpy as np
import pytest

from lissom.machines.drawing import hanging, rope_line
from lissom.machines.machine import Machine
from lissom.scene import Scene
from tests.machines.references import reference
from tests.machines.scenes import atwood, belt, held, scene, weight

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
