"""A solve that is given up from outside leaves everything as it was last solved."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.scene import Scene
from lissom.simulation import Halted, Simulation, watched
from tests.session.scenes import HARNESS, HOSE

Array = NDArray[np.float64]


def after(looks: int) -> Callable[[], bool]:
    """Over at that look and at no other: a solve that is given up stays so by itself."""
    left = [looks]

    def is_over() -> bool:
        left[0] -= 1
        return left[0] == 0

    return is_over


def shapes(simulation: Simulation) -> dict[str, Array]:
    return {name: np.array(simulation.cable(name).positions) for name in simulation.cables}


@pytest.mark.parametrize("looks", [1, 2, 3, 5])
def test_cables_among_parts_stay_as_they_were(looks: int) -> None:
    simulation = Simulation(Scene.from_dict(HARNESS))
    assert simulation.solve().ok
    before, reference = shapes(simulation), simulation.copy()
    for k in (simulation, reference):
        k.move("bar", position=[0.15, 0.02, 0.12])
    with watched(after(looks)), pytest.raises(Halted):
        simulation.solve()
    assert all(np.array_equal(k, before[name]) for name, k in shapes(simulation).items())
    assert simulation.solve().ok  # and it goes on from there
    assert reference.solve().ok
    for name, points in shapes(reference).items():
        np.testing.assert_allclose(shapes(simulation)[name], points, atol=1e-6)


@pytest.mark.parametrize("looks", [1, 3, 5, 8])
def test_a_cold_start_that_is_given_up_can_be_taken_back(looks: int) -> None:
    simulation = Simulation(Scene.from_dict(HARNESS))
    assert simulation.solve().ok
    before, state = shapes(simulation), simulation.state()
    with watched(after(looks)), pytest.raises(Halted):
        simulation.solve(cold=True)
    simulation.restore(state)
    assert all(np.array_equal(k, before[name]) for name, k in shapes(simulation).items())
    assert simulation.solve(cold=True).ok


def test_one_cable_stays_as_it_was() -> None:
    simulation = Simulation(Scene.from_dict(HOSE))
    assert simulation.solve().ok
    before = shapes(simulation)
    simulation.move("hose/end", position=[0.2, 0.1, 0.05])
    with watched(lambda: True), pytest.raises(Halted):
        simulation.solve()
    np.testing.assert_array_equal(shapes(simulation)["hose"], before["hose"])
    assert simulation.solve().ok
    np.testing.assert_allclose(simulation.cable("hose").positions[-1], [0.2, 0.1, 0.05], atol=1e-9)


def test_what_nobody_gives_up_is_solved() -> None:
    simulation = Simulation(Scene.from_dict(HARNESS))
    asked = 0

    def is_over() -> bool:
        nonlocal asked
        asked += 1
        return False

    with watched(is_over):
        assert simulation.solve().ok
    assert asked > 5  # often enough to stop soon
