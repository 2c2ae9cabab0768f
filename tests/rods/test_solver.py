"""The solver of one cable: what went wrong once."""

import numpy as np
import pytest

from lissom.simulation import Simulation
from tests.rods.reference_scenes import CABLE, one_cable


@pytest.mark.parametrize("points", [65, 129, 385])
@pytest.mark.parametrize("shortening", [0.003, 0.03, 0.2, 0.5])
def test_a_straight_cable_pushed_together_is_not_twisted(points: int, shortening: float) -> None:
    """A first guess that folded back on itself let the descent end a whole turn away, ten times as high."""
    simulation = Simulation(
        one_cable(
            length=1.0,
            points=points,
            stiffness={"bending": 1.345, "torsion": 0.789},
            mass_per_length=0.0,
            start={"position": [0.0, 0.0, 0.0], "tangent": [0.0, 0.0, 1.0]},
            end={"position": [0.0, 0.0, 1.0 - shortening], "tangent": [0.0, 0.0, 1.0]},
        )
    )
    simulation.solve().raise_if_failed()
    result = simulation.cable(CABLE)
    assert abs(result.total_torsion) < 1e-6
    if shortening < 0.01:  # Euler: 4π²EI/L², and the force times the way
        euler = 4.0 * np.pi**2 * 1.345
        assert result.reactions["end"].force[2] == pytest.approx(-euler, rel=0.01)
        assert result.energy["total"] == pytest.approx(euler * shortening, rel=0.01)
