"""Both formulations behind the solver seam, rotations only and GS07's own, give the same equilibria.

They share the staggered element, so the discrete solutions must agree to the tolerance of the solve. From one guess
they may still descend into different minima (mirror images included): there each must confirm the other's shape.
"""

import numpy as np
import pytest

from lissom.rods.chain import STAGGERED
from lissom.rods.reading import read_line
from lissom.rods.solver import RodSolver
from tests.rods.reference_scenes import make
from tests.rods.test_references import CASES


def solved(case: str, formulation: str) -> RodSolver:
    scene = make(case, 65)
    solver = RodSolver(read_line(scene, scene.cables[0]), formulation=formulation)
    report = solver.solve()
    assert report.ok, f"{formulation}: {report.status} {report.reason}"
    return solver


@pytest.mark.parametrize("case", CASES)
def test_formulations_agree(case: str) -> None:
    own, gs07 = solved(case, "rotations"), solved(case, "augmented")
    assert gs07.scheme == STAGGERED
    # the rotations-only equilibrium of the same discretisation that GS07's ends in
    confirmed = RodSolver(own.line, gs07.solved)
    outcome = confirmed.descend(STAGGERED)
    assert outcome.unstable <= 0
    assert outcome.iterations <= 1
    assert np.abs(confirmed.positions() - gs07.positions()).max() < 1e-7 * own.line.length
    assert np.abs(confirmed.nu - gs07.nu).max(initial=0.0) < 1e-6 * max(np.abs(gs07.nu).max(initial=0.0), 1e-12)
    # and the answers are one shape, to the order of the element: same energy
    size = max(abs(own.energy()), own.line.force_scale * own.line.length * 1e-3)
    assert abs(own.energy() - gs07.energy()) < 0.02 * size
