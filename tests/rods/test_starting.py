"""The cold start: on a coarse grid first, to the same shapes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lissom.rods import starting
from lissom.rods.chain import STAGGERED
from lissom.rods.reading import read_line
from lissom.rods.solver import RodSolver
from lissom.scene import Scene
from tests.rods.random_scenes import feasible, hose
from tests.rods.reference_scenes import one_cable

COARSE = "coarse grid"


def solver_of(scene: Scene) -> RodSolver:
    return RodSolver(read_line(scene, scene.cables[0]))


def without_coarse(scene: Scene) -> RodSolver:
    solver = solver_of(scene)
    solver._coarse = False
    return solver


SCENES: dict[str, Callable[[int], Scene]] = {
    "untwisted": lambda seed: hose(seed, 101),
    "twisted": lambda seed: hose(seed, 101, twisted=True),
    "weightless": lambda seed: hose(seed, 101).with_value("gravity", [0, 0, 0]),
    "any stiffness": lambda seed: feasible(seed, clips=0).with_value("cable/points", 90),
}


@pytest.mark.parametrize("kind", SCENES)
def test_a_coarse_start_ends_in_the_same_shape(kind: str) -> None:
    """And the other shapes, the index and the neutral directions are the same."""
    used = 0
    for seed in range(12):
        scene = SCENES[kind](seed)
        solver, plain = solver_of(scene), without_coarse(scene)
        report, expected = solver.solve(cold=True), plain.solve(cold=True)
        used += COARSE in report.methods
        assert COARSE not in expected.methods
        assert (report.status, report.element) == (expected.status, expected.element)
        assert (report.index, report.neutral) == (expected.index, expected.neutral)
        assert np.abs(solver.positions() - plain.positions()).max() < 1e-8 * solver.line.length
        energies, wanted = (sorted(k.energy for k in r.others) for r in (report, expected))
        assert energies == pytest.approx(wanted, abs=1e-6 * solver.line.force_scale * solver.line.length)
    assert used >= 10


def test_other_shapes_live_on_the_fine_grid() -> None:
    solver = solver_of(hose(22, 101))
    report = solver.solve(cold=True)
    assert COARSE in report.methods
    (other,) = report.others
    assert other.state.scheme == STAGGERED
    assert solver.adopt(other.state)
    assert solver.descend(STAGGERED).iterations == 0


def test_a_cold_solve_after_a_move_starts_from_the_supports_as_they_are() -> None:
    moved, anew = solver_of(hose(2, 101)), solver_of(hose(2, 101))
    moved.solve()
    x, y, z = moved.supports[1].position
    for solver in (moved, anew):
        solver.move_support(1, (0.8 * x, 0.8 * y + 0.02, 0.9 * z), None)
    anew.solved = None
    assert COARSE in moved.solve(cold=True).methods
    assert COARSE in anew.solve().methods
    assert np.array_equal(moved.positions(), anew.positions())


def cable(**changes: Any) -> Scene:
    fields: dict[str, Any] = {
        "length": 1.0,
        "points": 101,
        "stiffness": {"bending": 1.0, "torsion": 0.7},
        "mass_per_length": 0.1,
        "start": {"position": [0, 0, 0], "tangent": [1, 0, 0]},
        "end": {"position": [0.6, 0.2, 0.1], "tangent": [0, 1, 0]},
    }
    return one_cable(**{**fields, **changes})


@pytest.mark.parametrize(
    ("why", "changes"),
    [
        ("hardly coarser", {"points": 60}),
        ("a rope", {"stiffness": {"bending": 0.0}}),
        ("it stretches", {"stiffness": {"bending": 1.0, "torsion": 0.7, "axial": 100.0}}),
        ("clips", {"clips": [{"at": 0.5, "position": [0.3, 0.1, -0.2], "kind": "ball"}]}),
        ("heavy", {"mass_per_length": 500.0}),
        ("coiled up", {"rest": {"curvature": [30.0, 0.0, 0.0]}}),
        ("the user's own guess", {"initial": {"points": [[0, 0, 0], [0.3, 0.1, -0.3], [0.6, 0.2, 0.1]]}}),
        ("a moment has no energy", {"loads": [{"at": 0.5, "moment": [0, 0, 0.1]}]}),
    ],
)
def test_no_coarse_grid(why: str, changes: dict[str, Any]) -> None:
    assert solver_of(cable(**changes)).coarse is None, why


def test_mirrored_shapes_are_decided_on_the_fine_grid() -> None:
    """A weightless strut buckles to either side: equal energies, and rounding must not choose on another grid."""
    straight = {"position": [0.8, 0, 0], "tangent": [1, 0, 0]}
    scene = cable(mass_per_length=0.0, end={**straight, "position": [0.8, 0.05, 0]})
    solver, plain = solver_of(scene), without_coarse(scene)
    assert solver.solve().ok
    assert plain.solve().ok
    assert np.abs(solver.positions() - plain.positions()).max() < 1e-8


def test_a_shape_two_guesses_lead_to_is_named_once() -> None:
    """It was listed twice: without weight, two of the four guesses end in the same other shape."""
    solver = without_coarse(hose(1, 101).with_value("gravity", [0, 0, 0]))
    assert len(solver.solve().others) == 1


def test_close_energies_are_left_to_the_fine_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = solver_of(hose(22, 101))
    monkeypatch.setattr(starting, "COARSE_ENERGY", 10.0)
    report = solver.solve(cold=True)
    assert report.ok
    assert COARSE not in report.methods
    assert len(report.others) == 1
