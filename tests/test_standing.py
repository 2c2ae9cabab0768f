"""Where things stand: what the scene says after a solve is what was solved."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lissom import Scene, Simulation

TAPE = {"stiffness": {"bending": 0.02, "torsion": 0.015}, "mass_per_length": 0.1, "radius": 0.004}
JOINED: dict[str, Any] = {
    "format": 1,
    "types": {"tape": TAPE},
    "cables": [
        {"name": "a", "type": "tape", "length": 0.4, "start": {"position": [0, 0, 0], "tangent": [1, 0, 0]}},
        {"name": "b", "type": "tape", "length": 0.35, "end": {"position": [0.55, 0.2, 0.05], "tangent": [0.5, 1, 0.3]}},
        {
            "name": "c",
            "type": "tape",
            "length": 0.3,
            "clips": [{"name": "clip", "at": 0.6, "position": [0.45, -0.1, -0.08], "tangent": [0.2, -1, 0]}],
            "end": {"position": [0.5, -0.2, -0.1], "tangent": [0, -1, 0.8]},
        },
    ],
    "junctions": [
        {
            "name": "Y",
            "members": [
                {"cable": "a", "at": "end"},
                {"cable": "b", "at": "start", "tangent": [1, 1, 0]},
                {"cable": "c", "at": "start", "tangent": [1, -1, 0]},
            ],
        }
    ],
}
HUNG: dict[str, Any] = {
    "format": 1,
    "types": {"tape": TAPE},
    "cables": [
        {
            "name": "a",
            "type": "tape",
            "length": 0.3,
            "start": {"position": [0, 0, 0], "tangent": [1, 0, 0.5]},
            "end": {"on": "plug", "position": [0, 0, 0.01], "tangent": [0, 0.3, -1]},
        },
        {
            "name": "b",
            "type": "tape",
            "length": 0.35,
            "start": {"on": "plug", "frame": "side"},
            "end": {"position": [0.35, 0.25, 0.05], "tangent": [0.5, 1, 0.3]},
        },
    ],
    "parts": [
        {
            "name": "plug",
            "motion": "free",
            "mass": 0.05,
            "position": [0.2, 0.05, -0.1],
            "collide": False,
            "frames": {"side": {"position": [0, 0.02, 0], "tangent": [0.2, 1, 0]}},
        }
    ],
}
TWISTED: dict[str, Any] = {**HUNG, "cables": [{**HUNG["cables"][0], "twist": 7.0}, HUNG["cables"][1]]}


def turned(a: Simulation, b: Simulation, name: str) -> float:
    """By how much the frames of a cable differ, rad."""
    p, q = a.cable(name).quaternions, b.cable(name).quaternions
    return float(2.0 * np.arccos(np.minimum(np.abs(np.einsum("ij,ij->i", p, q)), 1.0)).max())


@pytest.mark.parametrize("data", [JOINED, HUNG, TWISTED], ids=["junction", "plug", "twisted"])
def test_clamps_without_a_roll_on_what_is_free_are_not_counted_anew(data: dict[str, Any], tmp_path: Path) -> None:
    """A clamp after a free junction or plug turned by up to 0.8 rad when the scene was opened again, or edited."""
    simulation = Simulation(Scene.from_dict(data))
    simulation.solve().raise_if_failed()
    again = Simulation(simulation.scene)
    again.solve().raise_if_failed()
    for name in simulation.cables:
        assert np.abs(simulation.cable(name).positions - again.cable(name).positions).max() < 1e-8
        assert turned(simulation, again, name) < 1e-6
    simulation.save(tmp_path / "scene.toml")
    opened = Simulation.open(tmp_path / "scene.toml")
    assert opened.notes == []
    assert opened.solve().iterations == 0

    length = simulation.cable("a").length
    for changed in (0.03, 0.0):  # the others hang elsewhere meanwhile, and everything comes back
        simulation.edit("a", length=length + changed)
        simulation.edit("types.tape", mass_per_length=0.1 + changed)
        simulation.solve().raise_if_failed()
    for name in simulation.cables:
        assert turned(simulation, again, name) < 1e-5


def test_a_roll_is_said_only_where_it_hangs_on_what_is_free() -> None:
    """What is mounted on fixed clamps alone stays as it was written."""
    data = {**JOINED, "cables": [*JOINED["cables"]]}
    data["cables"].append(
        {
            "name": "d",
            "type": "tape",
            "length": 0.5,
            "start": {"position": [0, 1, 0], "tangent": [1, 0, 0]},
            "end": {"position": [0.4, 1, 0], "tangent": [0, 1, 0]},
        }
    )
    simulation = Simulation(Scene.from_dict(data))
    simulation.solve().raise_if_failed()
    cables = {k.name: k for k in simulation.scene.cables}
    assert cables["d"].end is not None
    assert cables["d"].end.roll is None
    assert cables["a"].start is not None
    assert cables["a"].start.roll is None
    assert cables["b"].end is not None
    assert cables["b"].end.roll is not None
    assert cables["c"].clips[0].roll is not None


@pytest.mark.parametrize("twist", [0.0, 0.5, 5.0, -9.0])
def test_twist_is_counted_from_a_free_junction_in_the_middle(twist: float, tmp_path: Path) -> None:
    """The roll that is said after a solve was compared with the start, past the junction: an error inside."""
    wire = {"stiffness": {"bending": 0.05, "torsion": 0.04}, "mass_per_length": 0.05, "collide": False}
    start = {"position": [0, 0, 0], "tangent": [1, 0, 0], "roll": 0.0}
    end = {"position": [0.55, 0.1, 0.05], "tangent": [1, 0.3, 0.2]}
    cables = [
        {**wire, "name": "main", "length": 0.62, "start": start, "end": end, "twist": twist},
        {**wire, "name": "b", "length": 0.3, "end": {"position": [0.45, 0.25, 0]}},
    ]
    members = [{"cable": "main", "at": 0.5}, {"cable": "b", "at": "start", "tangent": [1, 1, 0]}]
    junction = {"name": "J", "position": [0.3, 0.02, 0.0], "members": members}
    simulation = Simulation(Scene.from_dict({"format": 1, "cables": cables, "junctions": [junction]}))
    simulation.solve().raise_if_failed()
    simulation.save(tmp_path / "scene.toml")
    opened = Simulation.open(tmp_path / "scene.toml")
    assert opened.solve().iterations == 0
    again = Simulation(simulation.scene)
    again.solve().raise_if_failed()
    assert turned(simulation, again, "main") < 1e-5
    simulation.edit("main", length=0.63)
    simulation.solve().raise_if_failed()
