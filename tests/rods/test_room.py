"""How far cables may go before anything can be in their way: what is farther than that need not be looked for."""

from typing import Any

import numpy as np

from lissom.scene import Scene
from lissom.simulation import Simulation

TYPE = {"radius": 0.004, "stiffness": {"bending": 0.02, "torsion": 0.015}, "mass_per_length": 0.1}


def hoses(count: int, apart: float) -> Simulation:
    cables: list[dict[str, Any]] = [
        {
            "name": f"hose {k}",
            "type": "hose",
            "length": 0.45,
            "points": 41,
            "start": {"position": [0.0, apart * k, 0.0], "tangent": [1.0, 0.0, 0.0], "roll": 0.0},
            "end": {"position": [0.4, apart * k, 0.0], "tangent": [1.0, 0.0, 0.0], "roll": 0.0},
        }
        for k in range(count)
    ]
    ball = {"name": "ball", "shape": {"kind": "sphere", "radius": 0.05}, "position": [0.2, 0.0, -0.25]}
    simulation = Simulation(Scene.from_dict({"types": {"hose": TYPE}, "cables": cables, "parts": [ball]}))
    simulation.solve().raise_if_failed()
    return simulation


def test_a_move_far_from_everything_is_solved_alone() -> None:
    """It used to be solved together with all others when it was longer than half the margin."""
    simulation = hoses(3, 0.06)
    simulation.move("hose 0/end", position=(0.394, 0.0, 0.004))
    report = simulation.solve()
    assert report.ok
    assert all("contacts" not in method for k in report.cables.values() for method in k.methods)


def test_a_move_that_may_meet_something_is_not() -> None:
    simulation = hoses(2, 0.02)
    before = simulation.cable("hose 1").positions.copy()
    simulation.move("hose 0/end", position=(0.4, 0.05, 0.0))  # across the other
    simulation.move("hose 0/start", position=(0.0, 0.05, 0.0))
    report = simulation.solve()
    pushed = simulation.cable("hose 1").positions - before
    assert not report.ok or (simulation.contacts and np.abs(pushed[:, 1]).max() > 0.01)
