"""Solved scenes shared by the tests of the read-outs."""

from collections.abc import Callable

import pytest

from lissom.analysis.report import Findings, findings
from lissom.scene import Scene
from lissom.simulation import Simulation

HOSE = """
title = "a hose"
[[cables]]
name = "hose"
section = { diameter = "10 mm" }
material = { youngs_modulus = "10 MPa", poisson = 0.5, density = 1000 }
limits = { bend_radius = "60 mm", tension = 5.0, twist_per_length = 2.0, stress = "2 MPa", clearance = 0.003 }
length = 0.4
points = 33
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
end = { position = [0.25, 0.1, -0.05], tangent = [0, 1, 0] }
twist = "40 deg"
clips = [{ name = "clip", at = 0.5, kind = "ball", position = [0.14, 0.0, -0.06] }]
"""

RING = """
gravity = [0, 0, 0]
[[cables]]
name = "arc"
section = { width = "8 mm", height = "2 mm" }
material = { youngs_modulus = "1 GPa", poisson = 0.3, density = 1000 }
limits = { bend_radius = "100 mm", measured = "inside", stress = "8 MPa" }
length = 0.3
points = 33
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
loads = [{ at = 1, moment = [MOMENT, 0, 0], axes = "body" }]
"""
"""An end moment M about d1 bends it into an arc of radius B1/M."""

FLOOR = """
title = "a hose on the floor"
[[cables]]
name = "hose"
section = { diameter = "10 mm" }
material = { youngs_modulus = "10 MPa", poisson = 0.5, density = 1000 }
limits = { bend_radius = "30 mm", clearance = 0.003 }
length = 0.42
points = 33
start = { position = [-0.2, 0, 0], tangent = [1, 0, 0], roll = 0 }
end = { position = [0.2, 0, 0], tangent = [1, 0, 0], roll = 0 }
[[parts]]
name = "floor"
shape = { kind = "plane" }
position = [0, 0, -0.06]
[[parts]]
name = "bar"
shape = { kind = "cylinder", diameter = "20 mm", length = "100 mm" }
position = [-0.1, 0, 0.03]
tangent = [0, 1, 0]
[[parts]]
name = "block"
shape = { kind = "box", size = [0.04, 0.04, 0.04] }
position = [0.1, 0.08, -0.03]
"""
"""It would hang 2.6 mm lower than the floor lets it."""


@pytest.fixture(scope="session")
def solve() -> Callable[[str], Findings]:
    """Findings of a scene given as TOML."""

    def solved(text: str) -> Findings:
        simulation = Simulation(Scene.from_toml(text))
        return findings(simulation, simulation.solve())

    return solved


@pytest.fixture(scope="session")
def hose(solve: Callable[[str], Findings]) -> Findings:
    return solve(HOSE)


@pytest.fixture(scope="session")
def lying(solve: Callable[[str], Findings]) -> Findings:
    """The hose on the floor, below a bar and beside a block."""
    found = solve(FLOOR)
    assert found.report.ok, found.report.reason
    return found
