"""A cable pulled taut over a bar: it bends as the bar does, and contacts appear, merge and run along it."""

import itertools

import pytest

from lissom.simulation import Simulation
from tests.test_reaching import over_a_bar, taut

STRING = taut((-0.2, 0.0), (0.2, 0.0), (0.0, 0.1), 0.054)


def shortened(simulation: Simulation, factor: float) -> float:
    """The largest pull in the cable with so many times the length of a taut string, N."""
    by = factor * STRING - simulation.cable("rope").length
    simulation.lengthen("rope", by=by, between=("start", "end"))
    simulation.solve().raise_if_failed()
    assert simulation.cable("rope").positions[:, 2].max() > 0.15
    return float(simulation.cable("rope").tension.max())


@pytest.mark.parametrize("points", [81, 161])
def test_a_cable_is_pulled_over_a_bar_until_it_is_taut(points: int) -> None:
    """Solves went round in circles between two sets of contacts at 1.005 and were given up."""
    simulation = Simulation(over_a_bar().with_values({"rope/points": points}))
    simulation.solve().raise_if_failed()
    pulls = [shortened(simulation, k) for k in (1.02, 1.01, 1.007, 1.005, 1.003, 1.002, 1.001, 1.0005)]
    assert all(b > 1.3 * a for a, b in itertools.pairwise(pulls))
    assert pulls[-1] > 50.0


@pytest.mark.parametrize("step", [0.0005, 0.001, 0.002])
def test_steps_of_any_size_lead_there(step: float) -> None:
    simulation = Simulation(over_a_bar().with_values({"rope/points": 81}))
    simulation.solve().raise_if_failed()
    factor = 1.012
    while factor > 1.003:
        shortened(simulation, factor)
        factor -= step
