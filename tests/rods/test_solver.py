"""The solver of one cable: what went wrong once."""

import warnings

import numpy as np
import pytest

from lissom.reports import Report
from lissom.scene import Scene
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


@pytest.mark.parametrize("height", [0.0, -0.3])
def test_a_folded_rope_has_no_bend_radius(height: float) -> None:
    """It passed every check: hanging from one line, the fold was one smooth-looking point."""
    rope = {
        "name": "rope",
        "length": 1.0,
        "stiffness": {"bending": 0.0},
        "mass_per_length": 0.1,
        "start": {"position": [0, 0, 0]},
        "end": {"position": [0, 0, height]},
    }
    simulation = Simulation(Scene.from_dict({"cables": [rope]}))
    report = simulation.solve()
    assert simulation.cable("rope").min_bend_radius == 0.0
    assert any("folds" in text for text in report.cables["rope"].warnings)


def test_a_slack_rope_without_weight_is_not_determined() -> None:
    """It was called converged and straight."""
    rope = {
        "name": "rope",
        "length": 1.0,
        "stiffness": {"bending": 0.0},
        "mass_per_length": 0.1,
        "start": {"position": [0, 0, 0]},
        "end": {"position": [0.5, 0, 0]},
    }
    report = Simulation(Scene.from_dict({"gravity": [0, 0, 0], "cables": [rope]})).solve()
    assert report.status == "not_converged"
    assert "not determined" in report.reason


def test_a_grid_of_our_own_resolves_the_boundary_layer() -> None:
    """Where no number of points is said, the grid is refined; on 65 points the pull is less than half of it."""
    hose = {
        "name": "hose",
        "length": 1.0,
        "stiffness": {"bending": 0.01, "torsion": 0.007},
        "mass_per_length": 0.1,
        "start": {"position": [0, 0, 0], "tangent": [1, 0, 0]},
        "end": {"position": [0.995, 0, 0], "tangent": [0, 1, 0]},
    }
    simulation = Simulation(Scene.from_dict({"cables": [hose]}))
    report = simulation.solve().raise_if_failed().cables["hose"]
    assert not report.warnings
    assert "refined grid" in report.methods
    points = len(simulation.cable("hose").s)
    twice = Simulation(Scene.from_dict({"cables": [{**hose, "points": 2 * points - 1}]}))
    twice.solve().raise_if_failed()
    pull, again = (s.cable("hose").reactions["end"].force for s in (simulation, twice))
    assert np.abs(pull - again).max() < 0.03 * np.abs(again).max()


def nearly_symmetric(gap: float, start: float, end: float) -> Report:
    """A weightless round arch, its clamps all but along the line between them: nothing says which way round it lies."""
    arch = {
        "name": "arch",
        "length": 1.0,
        "points": 65,
        "stiffness": {"bending": 1.0, "torsion": 0.8},
        "mass_per_length": 1e-3,
        "start": {"position": [0, 0, 0], "tangent": [np.cos(start), 0, np.sin(start)], "roll": 0},
        "end": {"position": [gap, 0, 0], "tangent": [np.cos(end), 0, np.sin(end)], "roll": 0},
    }
    return Simulation(Scene.from_dict({"gravity": [0, 0, 0], "cables": [arch]})).solve()


@pytest.mark.parametrize(
    ("gap", "start", "end"),
    [(0.2, 1e-6, -1e-6), (0.2, 1e-6, 0.0), (0.3, 1e-6, 0.0), (0.25, 1e-7, -1e-7), (0.25, 1e-8, -1e-8)],
)
def test_an_arch_that_is_all_but_symmetric_is_solved_or_says_why_not_and_the_cure_is_one(
    gap: float, start: float, end: float
) -> None:
    report = nearly_symmetric(gap, start, end)
    assert report.ok or "turns about them almost without effort" in report.reason
    assert nearly_symmetric(gap, np.deg2rad(0.1), end).ok


def test_a_curvature_of_rounding_is_straight() -> None:
    """1/κ of a subnormal number overflowed, with a warning."""
    rod = {
        "name": "rod",
        "length": 1.0,
        "stiffness": {"bending": 1.0, "torsion": 0.8},
        "mass_per_length": 1e-3,
        "points": 9,
    }
    simulation = Simulation(
        Scene.from_dict(
            {"gravity": [0, 0, 0], "cables": [rod | {"start": {"position": [0, 0, 0], "tangent": [1, 0, 0]}}]}
        )
    )
    assert simulation.solve().ok
    result = simulation.cable("rod")
    result.__dict__["curvature"] = 1e-310 * (1.0 - np.linspace(-1.0, 1.0, 9) ** 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert result.min_bend_radius == np.inf
        assert (result.bend_radius == np.inf).all()
