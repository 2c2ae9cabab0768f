"""The force of a span is the gradient of its length less what it has of rope: also where it meets grooves aslant."""

from typing import Any

import numpy as np
import pytest

from lissom.geometry.triples import Quaternion, Vector
from lissom.machines.bodies import spun
from lissom.machines.machine import Machine
from lissom.machines.ropes import reel, see_links
from lissom.machines.rows import Rows
from lissom.machines.spans import rope_rows
from tests.machines.scenes import held, scene


def tilted(seed: int) -> Machine:
    """A rope from a point on a body over two wheels on two more, in planes that differ, to a point on a fourth."""
    random = np.random.default_rng(seed)
    parts: list[Any] = []
    for k, x in enumerate((-1.0, 0.0, 1.0, 2.0)):
        tilt = np.array([0.0, -1.0, 0.0]) + 0.25 * random.normal(size=3)
        shape = {"kind": "cylinder", "radius": float(random.uniform(0.1, 0.3)), "length": 0.1}
        parts.append(
            {"name": f"body {k}", "shape": shape,
             "position": [x, *(0.2 * random.normal(size=2) - [0.0, 0.6 * (k in (0, 3))])], "tangent": tilt.tolist(),
             "motion": "free", "mass": 1.0, "collide": False}
        )  # fmt: skip
    path = [
        held("body 0", 0.05, 0.03),
        {"on": "body 1", "side": "right", "offset": 0.02},
        {"on": "body 2", "side": "right"},
        held("body 3", 0.0, 0.04),
    ]
    return Machine(scene(parts, [], [{"name": "rope", "path": path}]))


def gaps(machine: Machine) -> np.ndarray[Any, Any]:
    """C of each span, at the poses as they are."""
    parts = machine._parts
    see_links(parts.bodies, parts.links)
    reel(parts.ropes, parts.links)
    return np.array(parts.links.length[:3] - parts.links.rest[:3])


def all_rows(machine: Machine) -> Rows:
    parts = machine._parts
    parts.rows.used[0] = 0
    rope_rows(parts.rows, parts.bodies, parts.ropes, parts.links, parts.known, 0, 4, (0.0, 0.0, 0.0), 0.1)
    return parts.rows


def turned(q: np.ndarray[Any, Any], by: np.ndarray[Any, Any]) -> Quaternion:
    w, x, y, z = (float(k) for k in q)
    way: Vector = (float(by[0]), float(by[1]), float(by[2]))
    return spun((w, x, y, z), way)


@pytest.mark.parametrize("seed", range(8))
def test_rows_of_spans_are_gradients(seed: int) -> None:
    machine = tilted(seed)
    bodies = machine._parts.bodies
    gaps(machine)
    rows = all_rows(machine)
    step = 1e-6
    for b in range(1, 5):
        for k in range(6):
            found = []
            for sign in (1.0, -1.0):
                x, q = bodies.x[b].copy(), bodies.q[b].copy()
                if k < 3:
                    bodies.x[b, k] += sign * step
                else:
                    bodies.q[b] = turned(q, sign * step * np.eye(3)[k - 3])
                found.append(gaps(machine))
                bodies.x[b], bodies.q[b] = x, q
                gaps(machine)
            slope = (found[0] - found[1]) / (2.0 * step)
            for i in range(3):
                expected = 0.0
                if rows.a[i] == b:
                    expected += -rows.line[i, k] if k < 3 else rows.turn_a[i, k - 3]
                if rows.b[i] == b:
                    expected += rows.line[i, k] if k < 3 else rows.turn_b[i, k - 3]
                assert slope[i] == pytest.approx(expected, abs=1e-7)
