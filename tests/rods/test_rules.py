"""Both rules of GS07 §5.8 for contact forces: the same equilibrium where the individual one gets there."""

import numpy as np
import pytest

from lissom import Simulation
from lissom.rods.rules import Rule, global_rule, individual_rule
from tests.rods.test_system import ACROSS, on_part_simulation


def dragged(rule: Rule) -> tuple[Simulation, int]:
    """A cable over a bar, one end moved by 9 mm in three frames."""
    simulation = on_part_simulation(ACROSS, "{ position = [0, 0, 0] }", "{ position = [0.8, 0.1, 0.05] }")
    iterations = 0
    for frame in range(1, 4):
        assert simulation._cables.islands is not None
        (assembly,) = simulation._cables.islands.assemblies
        assert assembly._system is not None
        assembly._system.rule = rule
        simulation.move("cable/end", position=(0.8, 0.1, 0.05 + 0.003 * frame))
        iterations += simulation.solve().raise_if_failed().iterations
    assert simulation.contacts
    return simulation, iterations


def test_both_rules_lead_to_the_same_equilibrium() -> None:
    together, few = dragged(global_rule)
    one_by_one, many = dragged(individual_rule)
    assert few <= many
    assert np.abs(together.cable("cable").positions - one_by_one.cable("cable").positions).max() < 1e-7
    forces = [sum(c.pressure for c in k.contacts) for k in (together, one_by_one)]
    assert forces[0] == pytest.approx(forces[1], rel=1e-6)
