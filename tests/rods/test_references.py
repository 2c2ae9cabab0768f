"""Every reference case without contact, from its own scene.

| case | test |
|---|---|
| elastica_tip_load_*, heavy_elastica_G*, pinned_elastica_*, clamped_*, bend_twist_*, helix_*, ring_*, lateral_buckled_*, \
bathe_bolourchi_*, catenary_* | test_shape, test_reactions, test_energies, test_certificate |
| clamped_*: torsion in the material | test_torsion |
| elastic_catenary | test_shape, test_elastic_catenary |
| cable_elastic_elongation | test_hanging_elastic_cable |
| heavy_elastica_master_curve | test_master_curve |
| localized_helix_gazzola | test_localized_helix |
| lateral_buckling, greenhill, michell_ring, bend_twist thresholds | test_thresholds.py |

1e-5·L at 65 points: all of SMOOTH; not reached by the ropes (second order, 2e-5 to 5e-5) and by the steel strip, whose
ratio of stiffnesses is 1600 (3e-5). `python -m tests.rods.reference_table` prints all errors.
"""  # noqa: E501

import math
from functools import cache

import numpy as np
import pytest

from lissom.rods.result import CableResult
from lissom.simulation import Simulation
from tests.rods.reference_scenes import CABLE, GRAVITY, Errors, compare, load, make, one_cable

SMOOTH = (
    "elastica_tip_load_a1",
    "elastica_tip_load_a5",
    "heavy_elastica_G1",
    "heavy_elastica_G100",
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
    "ring_unloaded_energy",
    "lateral_buckled_rubber_strip_selfweight_110mm",
    "bathe_bolourchi_P300_Jpolar",
    "bathe_bolourchi_P600_Jpolar",
)
ROPES = ("catenary_equal", "catenary_unequal", "elastic_catenary")
CASES = (*SMOOTH, "lateral_buckled_steel_strip_tip", *ROPES)
CLAMPED = tuple(case for case in SMOOTH if case.startswith("clamped_"))
# Cables whose roll nothing holds, or whose loop may turn about the tangent at its clamp.
NEUTRAL = {"pinned_elastica_B1e-3": 1, "ring_unloaded_energy": 1}
# The localised helix twists by 27 turns, 0.88 rad in each segment of this grid: enough for 1e-5·L.
HELIX_POINTS = 193


@cache
def solved(case: str, points: int = 129) -> CableResult:
    simulation = Simulation(make(case, points))
    simulation.solve().raise_if_failed()
    return simulation.cable(CABLE)


def errors(case: str, points: int = 129) -> Errors:
    return compare(case, solved(case, points))


@pytest.mark.parametrize("case", CASES)
def test_shape(case: str) -> None:
    assert errors(case).position < 1e-4


@pytest.mark.parametrize("case", SMOOTH)
def test_shape_of_smooth_cases_on_half_the_points(case: str) -> None:
    assert errors(case, 65).position < 1e-5


@pytest.mark.parametrize("case", [case for case in CASES if case not in ROPES])
def test_frames_and_inner_forces(case: str) -> None:
    found = errors(case)
    assert found.inner_force < 1e-4
    assert found.inner_moment < 1e-4
    if "quaternions_wxyz" in load(case)["reference"]:
        assert found.tangent < 1e-4
    if not math.isnan(found.frame):
        assert found.frame < 1e-4


@pytest.mark.parametrize("case", [case for case in CASES if case != "elastic_catenary"])
def test_reactions(case: str) -> None:
    found = errors(case)
    assert found.force < 1e-3
    if case not in ROPES:
        assert found.moment < 1e-3


@pytest.mark.parametrize("case", [case for case in CASES if case != "elastic_catenary"])
def test_energies(case: str) -> None:
    assert errors(case).energy < 1e-3


@pytest.mark.parametrize("case", CASES)
def test_certificate(case: str) -> None:
    report = solved(case).report
    stability = load(case).get("stability") or {}
    assert report.status == "converged"
    assert report.stable is stability.get("stable", True)
    assert report.index == stability.get("morse_index", 0)
    assert report.neutral == NEUTRAL.get(case, 0)
    assert report.residual < 1e-8
    assert report.length_error < 1e-8
    assert report.warnings == ()
    assert report.element == ("staggered" if case in ROPES else "polished")


@pytest.mark.parametrize("case", CLAMPED)
def test_torsion(case: str) -> None:
    """∫ τ ds tells 270° from −90°; m·d3 is constant along a straight isotropic cable."""
    result = solved(case)
    scalars = load(case)["reference"]["scalars"]
    twist = scalars["total_twist_integral_u3"]["value"]
    if case == "clamped_symbreak_steel_S":  # either of the two mirror images
        assert abs(result.total_torsion) == pytest.approx(abs(twist), rel=1e-5)
    else:
        assert result.total_torsion == pytest.approx(twist, rel=1e-6, abs=1e-9)
    m3 = np.einsum("ij,ij->i", result.moment, result.tangents)
    bend = float(np.linalg.norm(result.moment, axis=1).max())
    assert float(np.ptp(m3)) < 1e-7 * bend
    if "twisting_moment_m3" in scalars:
        assert float(m3.mean()) == pytest.approx(scalars["twisting_moment_m3"]["value"], rel=1e-5)


@pytest.mark.parametrize("case", [case for case in SMOOTH if "helix_unloaded" not in case])
def test_largest_curvature(case: str) -> None:
    scalars = load(case)["reference"]["scalars"]
    if "max_curvature_at_samples" not in scalars:
        pytest.skip("not in the file")
    curvature = solved(case).curvature[::4]
    assert float(curvature.max()) == pytest.approx(scalars["max_curvature_at_samples"]["value"], rel=1e-5)


def test_symmetric_shape_that_is_no_minimum_is_left() -> None:
    """The planar S between equal frames is a saddle; what is returned lies lower and leaves the plane."""
    case = "clamped_symbreak_steel_S"
    result = solved(case)
    planar = load(case)["notes"]["planar_equilibrium"]["energy"]
    assert result.energy["total"] < planar - 0.5
    sideways = load(case)["reference"]["scalars"]["y_max_abs_at_samples"]["value"]
    assert float(np.abs(result.positions[::4, 1]).max()) == pytest.approx(sideways, rel=1e-5)
    assert "left a saddle" in result.report.methods


@pytest.mark.parametrize("case", ["catenary_equal", "catenary_unequal"])
def test_catenary(case: str) -> None:
    result = solved(case)
    scalars = {name: entry["value"] for name, entry in load(case)["reference"]["scalars"].items()}
    start, end = result.reactions["start"], result.reactions["end"]
    assert -start.force[0] == pytest.approx(scalars["horizontal_tension"], rel=1e-3)
    assert end.force[0] == pytest.approx(scalars["horizontal_tension"], rel=1e-3)
    assert start.force[2] == pytest.approx(scalars["support_force_up_at_s0"], rel=1e-3)
    assert end.force[2] == pytest.approx(scalars["support_force_up_at_sL"], rel=1e-3)
    assert np.linalg.norm(start.force) == pytest.approx(scalars["tension_at_s0"], rel=1e-3)
    assert np.linalg.norm(end.force) == pytest.approx(scalars["tension_at_sL"], rel=1e-3)
    assert float(result.positions[:, 2].min()) == pytest.approx(scalars["lowest_z"], rel=1e-3)
    assert not np.any(start.moment)
    assert not np.any(end.moment)


def test_pinned_elastica() -> None:
    result = solved("pinned_elastica_B1e-3")
    scalars = {name: entry["value"] for name, entry in load("pinned_elastica_B1e-3")["reference"]["scalars"].items()}
    assert result.reactions["end"].force[0] == pytest.approx(scalars["horizontal_tension"], rel=1e-6)
    slope = np.arctan2(result.tangents[:, 2], result.tangents[:, 0])
    assert float(slope[0]) == pytest.approx(scalars["end_slope_s0"], abs=1e-6)
    assert float(slope[-1]) == pytest.approx(scalars["end_slope_sL"], abs=1e-6)


def test_elastic_catenary() -> None:
    result = solved("elastic_catenary")
    scalars = {name: entry["value"] for name, entry in load("elastic_catenary")["reference"]["scalars"].items()}
    start, end = result.reactions["start"], result.reactions["end"]
    assert end.force[0] == pytest.approx(scalars["horizontal_tension"], rel=1e-3)
    assert start.force[0] == pytest.approx(-scalars["horizontal_tension"], rel=1e-3)
    assert start.force[2] == pytest.approx(scalars["support_force_up_at_s0"], rel=1e-3)
    assert end.force[2] == pytest.approx(scalars["support_force_up_at_sL"], rel=1e-3)
    assert np.linalg.norm(start.force) == pytest.approx(scalars["tension_at_s0"], rel=1e-3)
    assert np.linalg.norm(end.force) == pytest.approx(scalars["tension_at_sL"], rel=1e-3)
    assert result.stretched_length == pytest.approx(scalars["stretched_length"], rel=1e-5)
    assert result.stretched_length - result.length == pytest.approx(scalars["elongation"], rel=1e-3)
    assert float(result.positions[::4, 2].min()) == pytest.approx(scalars["lowest_z"], rel=1e-4)
    chords = np.linalg.norm(np.diff(result.positions, axis=0), axis=1)
    assert float(chords.sum()) == pytest.approx(result.stretched_length, rel=1e-4)
    own = result.energy["gravity"] + result.energy["stretch"]
    assert result.energy["total"] == pytest.approx(own, rel=1e-12)


@pytest.mark.parametrize("rope", [True, False], ids=["rope", "stiff cable"])
def test_hanging_elastic_cable(rope: bool) -> None:
    """A vertical cable that stretches under a force at its end and under its own weight."""
    data = load("cable_elastic_elongation")
    p = data["parameters"]
    expected = {name: entry["value"] for name, entry in data["reference"]["scalars"].items()}

    def hang(force: float, weight: float) -> CableResult:
        stiffness: dict[str, float] = {"bending": 0.0, "axial": p["EA"]}
        start: dict[str, list[float]] = {"position": [0.0, 0.0, 0.0]}
        if not rope:
            stiffness |= {"bending": 0.5, "torsion": 0.4}
            start["tangent"] = [0.0, 0.0, -1.0]
        simulation = Simulation(
            one_cable(
                length=p["L"],
                points=129,
                stiffness=stiffness,
                mass_per_length=weight / GRAVITY,
                start=start,
                loads=[{"at": 1.0, "force": [0.0, 0.0, -force]}] if force else None,
            )
        )
        simulation.solve().raise_if_failed()
        return simulation.cable(CABLE)

    def elongation(result: CableResult) -> float:
        by_shape = -float(result.positions[-1, 2]) - result.length
        assert by_shape == pytest.approx(result.stretched_length - result.length, abs=1e-12)
        return by_shape

    pulled = hang(p["F"], 0.0)
    assert elongation(pulled) == pytest.approx(expected["elongation_tip_force"], rel=1e-9)
    assert pulled.energy["stretch"] == pytest.approx(expected["strain_energy_tip_force_only"], rel=1e-9)
    assert elongation(hang(0.0, p["w"])) == pytest.approx(expected["elongation_self_weight"], rel=1e-9)
    assert elongation(hang(p["m"] * p["g"], 0.0)) == pytest.approx(expected["static_elongation_mass_m"], rel=1e-9)
    both = hang(p["F"], p["w"])
    assert elongation(both) == pytest.approx(expected["elongation_total"], rel=1e-9)
    assert float(both.tension[0]) == pytest.approx(expected["tension_top"], rel=1e-12)
    assert float(both.reactions["start"].force[2]) == pytest.approx(expected["tension_top"], rel=1e-12)
    assert float(both.tension[0]) / p["EA"] == pytest.approx(expected["strain_top"], rel=1e-12)


@pytest.mark.parametrize(
    "row",
    load("heavy_elastica_master_curve")["reference"]["tables"]["rows"],
    ids=lambda row: f"Gamma {row[0]:.4g}",
)
def test_master_curve(row: list[float]) -> None:
    """Height over width of a heavy cantilever from nearly straight to nearly a rope."""
    ratio, aspect, width, height, tip_angle, root_curvature = row
    simulation = Simulation(
        one_cable(
            length=1.0,
            points=129,
            stiffness={"bending": 1.0 / ratio, "torsion": 0.7 / ratio},
            mass_per_length=1.0 / GRAVITY,
            start={"position": [0.0, 0.0, 0.0], "tangent": [1.0, 0.0, 0.0]},
        )
    )
    simulation.solve().raise_if_failed()
    result = simulation.cable(CABLE)
    x, y, z = result.positions[-1]
    assert -z / x == pytest.approx(aspect, rel=1e-3)
    assert x == pytest.approx(width, abs=2e-5)
    assert -z == pytest.approx(height, abs=5e-5)
    assert abs(y) < 1e-9
    tangent = result.tangents[-1]
    assert math.atan2(-tangent[2], tangent[0]) == pytest.approx(tip_angle, abs=1e-5)
    assert float(result.curvature[0]) == pytest.approx(root_curvature, rel=1e-3)
    assert result.stable


@pytest.mark.parametrize("points", [HELIX_POINTS, 2 * HELIX_POINTS - 1])
def test_localized_helix(points: int) -> None:
    """27 turns wound up from none: the rod buckles, and the helix gathers in the middle."""
    case = "localized_helix_gazzola"
    result = solved(case, points)
    found = compare(case, result)
    data = load(case)
    assert found.position < 1e-4
    assert found.force < 1e-3
    assert found.moment < 1e-3
    assert found.energy < 1e-3
    assert result.stable
    assert result.report.neutral >= 1  # it may turn about z
    assert "winding up the twist" in result.report.methods
    expected = data["reference"]["scalars"]["twisting_moment_M3"]["value"]
    m3 = np.einsum("ij,ij->i", result.moment, result.tangents)
    assert float(m3.mean()) == pytest.approx(expected, rel=1e-3)
    assert float(np.ptp(m3)) < 1e-4 * expected
