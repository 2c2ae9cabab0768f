"""Cables that lie on planes and over cylinders, against solutions computed elsewhere.

The data are in `tests/data/references`. None of these cables has a radius. They start from no shape or, where
the cable has to come to lie on top of a cylinder, from the arch that it forms under gravity turned upside down.
"""

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom import Simulation
from lissom.rods.result import CableResult
from lissom.scene import Scene
from tests.rods.reference_scenes import CABLE, GRAVITY, load

Array = NDArray[np.float64]

POINTS = 129
UP, DOWN = (0.0, 0.0, GRAVITY), (0.0, 0.0, -GRAVITY)
# The planar shape of the draped rod is a saddle: a shape that leans sideways has less energy, and the solver rightly
# goes there. The reference is the planar shape, so the rod is made stiff sideways and in torsion.
STIFF_SIDEWAYS = 100.0

LIFTED = ["lift_plane_clamped", "lift_plane_hinged"]
ON_SEABED = ["seabed_catenary_1", "seabed_elastica_1"]
DRAPED = ["drape_cylinder_rope", "drape_cylinder_rod"]


def scene(case: str) -> Scene:
    p = load(case)["parameters"]
    if case in LIFTED:
        part = 'shape = { kind = "plane" }'
        direction = "tangent = [1, 0, 0], " if p["mode"] == "clamp" else ""
        start = '{ position = [0, 0, 0], free = ["z"] }'
        end = f'{{ position = [{0.95 * p["L"]}, 0, {p["h"]}], {direction}free = ["x"] }}'
    elif case in ON_SEABED:
        part = 'shape = { kind = "plane" }'
        start = "{ position = [0, 0, 0] }"
        end = f"{{ position = [{p['X']}, 0, {p['h']}] }}"
    else:
        part = f'shape = {{ kind = "cylinder", radius = {p["R"]}, length = 1 }}\ntangent = [0, 1, 0]'
        a, d = (p["A"], p["D"]) if "A" in p else ([-p["X"], -p["H"]], [p["X"], -p["H"]])
        start, end = (f"{{ position = [{x}, 0, {z}] }}" for x, z in (a, d))
    B = p["B"]
    bending = f"[{STIFF_SIDEWAYS * B}, {B}]" if case == "drape_cylinder_rod" else f"{B}"
    gravity = UP if case in DRAPED else DOWN
    return Scene.from_toml(f"""
        gravity = {list(gravity)}
        [[parts]]
        name = "part"
        {part}
        [[cables]]
        name = "{CABLE}"
        length = {p["L"]}
        points = {POINTS}
        stiffness = {{ bending = {bending}, torsion = {STIFF_SIDEWAYS * B} }}
        mass_per_length = {p["w"] / GRAVITY!r}
        start = {start}
        end = {end}
        """)


@pytest.fixture(scope="module")
def solved() -> dict[str, Simulation]:
    found: dict[str, Simulation] = {}
    for case in LIFTED + ON_SEABED + DRAPED:
        simulation = Simulation(scene(case))
        simulation.solve().raise_if_failed()
        if case in DRAPED:
            simulation.edit("", gravity=DOWN)
            simulation.solve().raise_if_failed()
        found[case] = simulation
    return found


def value(case: str, name: str) -> float:
    return float(load(case)["reference"]["scalars"][name]["value"])


def pushed(simulation: Simulation) -> Array:
    """(3,) N: what the part exerts on the cable."""
    return np.asarray(np.sum([k.force for k in simulation.contacts], axis=0))


def concentrated(simulation: Simulation, edge: float, load_per_length: float) -> float:
    """N: what presses within three segments of where the cable leaves the part, the distributed load taken off."""
    near = 3.0 * float(np.diff(simulation.cable(CABLE).s).max())
    total = sum(k.pressure for k in simulation.contacts if abs(k.place - edge) <= near)
    return total - near * load_per_length


@pytest.mark.parametrize("case", LIFTED + ON_SEABED + DRAPED)
def test_shape(case: str, solved: dict[str, Simulation]) -> None:
    r = load(case)["reference"]
    result: CableResult = solved[case].cable(CABLE)
    expected = np.array(r["positions"])
    at = result.s / result.s[-1]
    found = np.stack([np.interp(r["s_over_L"], at, x) for x in result.positions.T], axis=1)
    assert float(np.abs(found - expected).max()) < 1e-3 * result.length
    assert result.stable
    assert result.report.penetration <= 1e-7 * result.length
    assert result.report.residual < 1e-7
    # nothing pulls, and all that acts adds up to nothing
    assert all(k.pressure > 0.0 for k in solved[case].contacts)
    weight = load(case)["parameters"]["w"] * result.length * np.array([0.0, 0.0, -1.0])
    total = weight + pushed(solved[case]) + sum(k.force for k in result.reactions.values())
    assert float(np.abs(total).max()) < 1e-6 * float(np.abs(weight).max())


@pytest.mark.parametrize("case", LIFTED)
def test_lifted_from_a_plane(case: str, solved: dict[str, Simulation]) -> None:
    simulation = solved[case]
    result = simulation.cable(CABLE)
    p = load(case)["parameters"]
    assert float(pushed(simulation)[2]) == pytest.approx(value(case, "total_contact_force"), rel=1e-2)
    end = result.reactions["end"]
    assert float(end.force[2]) == pytest.approx(value(case, "vertical_force_at_lifted_end"), rel=1e-2)
    assert float(result.positions[-1, 0]) == pytest.approx(value(case, "end_x"), rel=1e-3)
    if p["mode"] == "clamp":
        assert float(-end.moment[1]) == pytest.approx(value(case, "moment_on_rod_at_lifted_end_ccw"), rel=1e-2)
    touchdown = p["L"] - value(case, "lifted_length")
    force = concentrated(simulation, touchdown, p["w"])
    assert force == pytest.approx(value(case, "concentrated_contact_force"), rel=5e-2)
    assert result.energy["bending"] == pytest.approx(value(case, "energy_bending"), rel=1e-2)


@pytest.mark.parametrize("case", ON_SEABED)
def test_anchored_on_a_plane(case: str, solved: dict[str, Simulation]) -> None:
    """The support that is on the plane carries the share of its point, half a segment."""
    simulation = solved[case]
    result = simulation.cable(CABLE)
    p = load(case)["parameters"]
    start, end = result.reactions["start"].force, result.reactions["end"].force
    assert float(pushed(simulation)[2] + start[2]) == pytest.approx(value(case, "total_contact_force"), rel=1e-2)
    assert float(end[2]) == pytest.approx(value(case, "vertical_force_at_lifted_end"), rel=1e-2)
    assert float(end[0]) == pytest.approx(value(case, "horizontal_tension"), rel=1e-2)
    touchdown = p["L"] - value(case, "lifted_length")
    force = concentrated(simulation, touchdown, p["w"])
    if p["B"] == 0.0:
        assert abs(force) < 5e-2 * value(case, "total_contact_force")  # a rope is not pressed down anywhere
    else:
        assert force == pytest.approx(value(case, "concentrated_contact_force"), rel=5e-2)


def test_rope_over_a_cylinder(solved: dict[str, Simulation]) -> None:
    case = "drape_cylinder_rope"
    simulation, p = solved[case], load(case)["parameters"]
    result = simulation.cable(CABLE)
    x, y, z = pushed(simulation)
    assert x == pytest.approx(value(case, "total_contact_force_x"), rel=1e-2)
    assert z == pytest.approx(value(case, "total_contact_force_z"), rel=1e-2)
    assert abs(y) < 1e-9 * z
    assert float(result.tension[0]) == pytest.approx(value(case, "tension_at_s0"), rel=1e-2)
    assert float(result.tension[-1]) == pytest.approx(value(case, "tension_at_sL"), rel=1e-2)
    angles = [np.arctan2(k.point[0], k.point[2]) for k in simulation.contacts]
    h = p["L"] / (POINTS - 1)
    assert -min(angles) == pytest.approx(value(case, "contact_angle_left"), abs=1.5 * h / p["R"])
    assert max(angles) == pytest.approx(value(case, "contact_angle_right"), abs=1.5 * h / p["R"])
    top = sum(k.pressure for k, a in zip(simulation.contacts, angles, strict=True) if abs(a) < 10.5 * h / p["R"])
    assert top / (21.0 * h) == pytest.approx(value(case, "contact_line_load_top"), rel=5e-2)


def test_rod_over_a_cylinder(solved: dict[str, Simulation]) -> None:
    case = "drape_cylinder_rod"
    simulation, p = solved[case], load(case)["parameters"]
    result = simulation.cable(CABLE)
    assert float(pushed(simulation)[2]) == pytest.approx(value(case, "total_contact_force_z"), rel=1e-2)
    for end, sense in (("start", 1.0), ("end", -1.0)):
        x, _, z = result.reactions[end].force
        assert z == pytest.approx(value(case, "vertical_support_force_up_each_end"), rel=1e-2)
        assert -sense * x == pytest.approx(value(case, "horizontal_force"), rel=1e-2)
        half = value(case, "contact_angle_half")
        edge = 0.5 * p["L"] - sense * p["R"] * half
        distributed = value(case, "tension_at_liftoff_tangential") / p["R"] + p["w"] * np.cos(half)
        force = concentrated(simulation, edge, distributed)
        assert force == pytest.approx(value(case, "concentrated_contact_force_each_side"), rel=5e-2)


def test_leaves_the_plane_when_lifted_and_comes_back(solved: dict[str, Simulation]) -> None:
    """Lifted off entirely and put down again: the same shape, and no contact while it hangs."""
    case = "seabed_elastica_1"
    simulation = Simulation(scene(case))
    simulation.solve().raise_if_failed()
    before = simulation.cable(CABLE).positions.copy()
    p = load(case)["parameters"]
    for lift in (0.5, 0.0):
        simulation.move(f"{CABLE}/start", position=(0.0, 0.0, lift))
        simulation.move(f"{CABLE}/end", position=(p["X"], 0.0, p["h"] + lift))
        simulation.solve().raise_if_failed()
        assert bool(simulation.contacts) == (lift == 0.0)
    assert float(np.abs(simulation.cable(CABLE).positions - before).max()) < 1e-6 * p["L"]
