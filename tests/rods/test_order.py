"""Order of convergence of both elements, fitted over four grids.

The error is the distance to the tabulated solution where there is one, and to a much finer grid elsewhere.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.rods import newton, shape
from lissom.rods.chain import POLISHED, STAGGERED
from lissom.rods.reading import read_line
from lissom.rods.solver import RodSolver
from lissom.scene import Scene
from tests.rods.reference_scenes import SAMPLES, best_symmetry, load, make, one_cable

Array = NDArray[np.float64]

GRIDS = (65, 97, 129, 193)
FINE = 513
LEAST_ORDER = {STAGGERED: 1.9, POLISHED: 3.7}
# Much more than the element's order would mean that a coarse grid found another shape.
MOST_ABOVE = 0.5

REFERENCES = (
    "clamped_3d_hose_A_twist270",  # clamped at both ends in 3D, twisted
    "clamped_3d_steel_C_twist180",
    "lateral_buckled_rubber_strip_selfweight_110mm",  # bending stiffness 25 times larger one way
    "helix_heavy_hanging",  # rest curvature and torsion
    "bathe_bolourchi_P600_Jpolar",  # curved cantilever, loaded at the tip
    "heavy_elastica_G100",  # cantilever
    "pinned_elastica_B1e-3",  # ball at both ends
    "ring_hanging_straight_rest",
)


def with_clips(points: int) -> Scene:
    """A hose through a ball and a swivel, with a point load; all of them on points of every grid."""
    return one_cable(
        length=1.0,
        points=points,
        stiffness={"bending": [0.02, 0.03], "torsion": 0.015},
        mass_per_length=0.1,
        start={"position": [0.0, 0.0, 0.0], "tangent": [1.0, 0.0, 0.2]},
        end={"position": [0.5, 0.3, 0.0]},
        loads=[{"at": 0.75, "force": [0.0, 0.2, -0.1]}],
        clips=[
            {"at": 0.25, "kind": "ball", "position": [0.2, 0.05, -0.05]},
            {"at": 0.5, "kind": "swivel", "position": [0.3, 0.2, -0.1], "tangent": [0.3, 1.0, 0.0]},
        ],
    )


def varying_rest(points: int) -> Scene:
    """Rest strain that changes along the cable, linearly."""
    return one_cable(
        length=1.0,
        points=points,
        stiffness={"bending": [0.02, 0.05], "torsion": 0.015},
        mass_per_length=0.05,
        rest={"curvature": np.linspace([0.0, -2.0, 1.0], [3.0, 4.0, -2.0], points).tolist()},
        start={"position": [0.0, 0.0, 0.0], "tangent": [1.0, 0.0, 0.0]},
        end={"position": [0.6, 0.2, 0.1], "tangent": [0.0, 1.0, 0.0]},
    )


OTHERS: dict[str, Any] = {"clips": with_clips, "varying rest": varying_rest}


def solve(scene: Scene, scheme: int) -> Array:
    """Positions of the equilibrium of one element, from the solver's own."""
    solver = RodSolver(read_line(scene, scene.cables[0]))
    report = solver.solve()
    assert report.ok
    assert report.element == "polished"
    if scheme == STAGGERED:
        q = solver.q
        solver.q = np.zeros((len(solver.point_of), 4))
        shape.frames_on_segments(q, solver.point_of, solver.staggered, solver.q)
        solver.scheme = STAGGERED
    scales = solver.scales(scheme)._replace(residual=1e-12, closure=1e-13)
    outcome = newton.equilibrium(solver.chain(scheme), solver.work(scheme), solver.q, solver.nu, scales, 60, True)
    assert outcome.status == newton.CONVERGED
    return solver.positions()


@cache
def fine(name: str) -> Array:
    return solve(OTHERS[name](FINE), POLISHED)


def error(name: str, points: int, scheme: int) -> float:
    """Largest distance at the 33 samples, relative to the length."""
    scene = OTHERS[name](points) if name in OTHERS else make(name, points)
    x = solve(scene, scheme)
    samples = x[:: (points - 1) // (SAMPLES - 1)]
    if name in OTHERS:
        expected = fine(name)[:: (FINE - 1) // (SAMPLES - 1)]
    else:
        data = load(name)
        expected = np.array(data["reference"]["positions"]) @ best_symmetry(data, samples).polar.T
    length = scene.cables[0].length
    return float(np.linalg.norm(samples - expected, axis=1).max()) / length


def order(name: str, scheme: int) -> float:
    errors = [error(name, points, scheme) for points in GRIDS]
    slope = np.polyfit(np.log([points - 1 for points in GRIDS]), np.log(errors), 1)[0]
    return -float(slope)


@pytest.mark.parametrize("name", [*REFERENCES, *OTHERS])
@pytest.mark.parametrize("scheme", [STAGGERED, POLISHED], ids=["staggered", "polished"])
def test_order_of_convergence(name: str, scheme: int) -> None:
    found = order(name, scheme)
    assert LEAST_ORDER[scheme] <= found <= LEAST_ORDER[scheme] + MOST_ABOVE
