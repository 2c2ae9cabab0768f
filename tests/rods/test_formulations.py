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

CASES = [
    "elastica_tip_load_a5",
    "heavy_elastica_G100",
    "catenary_equal",
    "catenary_unequal",
    "elastic_catenary",
    "pinned_elastica_B1e-3",
    "clamped_3d_hose_A_twist000",
    "clamped_3d_hose_A_twist090",
    "clamped_3d_hose_A_twist180",
    "clamped_3d_hose_A_twist270",
    "clamped_3d_steel_C_twist000",
    "clamped_3d_steel_C_twist180",
    "clamped_planar_hose_U",
    "clamped_planar_steel_S",
    "clamped_symbreak_steel_S",
    "bend_twist_3d_k10_w100",
    "bend_twist_3d_k6_w25",
    "bend_twist_planar_k10_w15",
    "helix_heavy_hanging",
    "helix_unloaded",
    "ring_hanging_straight_rest",
    "lateral_buckled_rubber_strip_selfweight_110mm",
    "lateral_buckled_steel_strip_tip",
    "bathe_bolourchi_P300_Jpolar",
    "bathe_bolourchi_P600_Jpolar",
]


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
    outcome = confirmed._descend(STAGGERED)
    assert outcome.unstable <= 0
    assert outcome.iterations <= 1
    assert np.abs(confirmed.positions() - gs07.positions()).max() < 1e-7 * own.line.length
    assert np.abs(confirmed.nu - gs07.nu).max(initial=0.0) < 1e-6 * max(np.abs(gs07.nu).max(initial=0.0), 1e-12)
    # and the answers are one shape, to the order of the element: same energy
    size = max(abs(own.energy()), own.line.force_scale * own.line.length * 1e-3)
    assert abs(own.energy() - gs07.energy()) < 0.02 * size
