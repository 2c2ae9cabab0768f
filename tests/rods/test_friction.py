"""Friction: the law itself, Euler and Eytelwein's rope around a cylinder, and cables on slopes and tables."""

import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom import Simulation
from lissom.rods import friction, newton
from lissom.rods.contacts import Contacts
from lissom.rods.slides import restore, snapshot
from lissom.scene import Scene
from tests.rods.part_checks import smooth
from tests.rods.reference_scenes import CABLE, load

Array = NDArray[np.float64]

BRISTLE = 1e4


# ---- the law -----------------------------------------------------------------------------------------------------


def rubbing(seed: int) -> tuple[Contacts, Array]:
    """Contacts with normals and references at random, some sticking, some slipping; and where they are."""
    rng = np.random.default_rng(seed)
    c = Contacts.empty(12)
    c.normal[:] = rng.normal(size=(12, 3))
    c.normal /= np.linalg.norm(c.normal, axis=1)[:, None]
    c.friction[:], c.force[:] = 0.3, rng.uniform(0.5, 2.0, 12)
    c.reference[:] = rng.normal(size=(12, 3))
    return c, c.reference + rng.normal(size=(12, 3)) * np.repeat([1e-6, 1e-3], 6)[:, None]


@pytest.mark.parametrize("seed", range(3))
def test_drag_is_along_the_surface_and_within_its_limit(seed: int) -> None:
    c, places = rubbing(seed)
    f = friction.drag(c, places, BRISTLE)
    size = np.linalg.norm(f, axis=1)
    assert np.einsum("ck,ck->c", f, c.normal) == pytest.approx(np.zeros(12), abs=1e-12)
    assert np.all(size[:6] < (c.friction * c.force)[:6])
    assert size[6:] == pytest.approx((c.friction * c.force)[6:])
    assert np.all(np.einsum("ck,ck->c", f, friction.slips(c, places)) < 0.0)


@pytest.mark.parametrize("seed", range(3))
def test_energy_drag_and_stiffness_are_derivatives_of_each_other(seed: int) -> None:
    c, places = rubbing(seed)
    step = 1e-8
    gradient, change = np.empty((12, 3)), np.empty((12, 3, 3))
    for k in range(12):
        one = c.where(np.array([k]))
        for i, e in enumerate(np.eye(3)):
            up, down = places[k : k + 1] + step * e, places[k : k + 1] - step * e
            gradient[k, i] = (friction.energy(one, up, BRISTLE) - friction.energy(one, down, BRISTLE)) / (2.0 * step)
            change[k, i] = (friction.drag(one, up, BRISTLE) - friction.drag(one, down, BRISTLE))[0] / (2.0 * step)
    assert friction.drag(c, places, BRISTLE) == pytest.approx(-gradient, rel=1e-5, abs=1e-5)
    found = friction.stiffness(c, places, BRISTLE)
    sticks = np.arange(12) < 6
    assert found[sticks] == pytest.approx(-change[sticks], rel=1e-5, abs=1e-3 * BRISTLE)
    # where it slips, at least what keeps the direction: the matrix is symmetric, and not softer across the slip
    across = np.cross(c.normal, friction.slips(c, places))
    across /= np.linalg.norm(across, axis=1)[:, None]
    for k in range(6, 12):
        assert found[k] == pytest.approx(found[k].T)
        assert across[k] @ found[k] @ across[k] == pytest.approx(-across[k] @ change[k] @ across[k], rel=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_what_slips_follows_the_contact_force(seed: int) -> None:
    c, places = rubbing(seed)
    found, way = friction.slipping(c, places, BRISTLE)
    assert list(found) == list(range(6, 12))
    before = friction.drag(c, places, BRISTLE)
    c.force += 1e-6
    change = (friction.drag(c, places, BRISTLE) - before) / 1e-6
    assert change[6:] == pytest.approx(c.friction[6:, None] * way, abs=1e-6)
    assert not change[:6].any()


@pytest.mark.parametrize("seed", range(3))
def test_with_full_caution_the_quadratic_model_is_nowhere_below_the_energy(seed: int) -> None:
    c, places = rubbing(seed)
    rng = np.random.default_rng(seed)
    value, drag = friction.energy(c, places, BRISTLE), friction.drag(c, places, BRISTLE)
    stiffness = friction.stiffness(c, places, BRISTLE, caution=1.0)
    for size in (1e-5, 1e-3, 1e-1):
        step = rng.normal(size=(12, 3)) * size
        model = value - np.sum(drag * step) + 0.5 * np.einsum("ci,cij,cj->", step, stiffness, step)
        assert friction.energy(c, places + step, BRISTLE) <= model + 1e-12


def test_no_pressure_no_friction() -> None:
    c, places = rubbing(0)
    c.force[:] = 0.0
    assert not friction.drag(c, places, BRISTLE).any()
    assert not friction.stiffness(c, places, BRISTLE).any()
    assert friction.energy(c, places, BRISTLE) == 0.0


# ---- around a cylinder -------------------------------------------------------------------------------------------

CAPSTAN = load("capstan")["parameters"]
RADIUS, LOW = CAPSTAN["R"], CAPSTAN["T1"]
TAIL = 0.1  # m: straight on both sides
CASES = [(case["mu"], case["theta_deg"]) for case in CAPSTAN["cases"]]


def on_circle(angle: float) -> Array:
    """The place on the cylinder so far round from its left, over the top."""
    return np.array([-RADIUS * math.cos(angle), 0.0, RADIUS * math.sin(angle)])


def along_circle(angle: float) -> Array:
    return np.array([math.sin(angle), 0.0, math.cos(angle)])


def wrapped(mu: float, degrees: float) -> tuple[Simulation, Array, Array]:
    """A flexible cable without weight over a rough cylinder, a load on one end: (it, other end, its direction).

    It is laid over the cylinder a little slack, with both ends held; then the load pulls it tight, and it finds its
    place. Only then is the cylinder rough: friction knows what happens after a first solve.
    """
    turn = math.radians(degrees)
    start, end = on_circle(0.0) - TAIL * along_circle(0.0), on_circle(turn) + TAIL * along_circle(turn)
    shape = [start, *(on_circle(a) for a in np.linspace(0.0, turn, 41)), end]
    held = start + np.array([0.0, 0.0, 0.01])
    scene = Scene.from_toml(f"""
        gravity = [0, 0, 0]
        [[parts]]
        name = "drum"
        shape = {{ kind = "cylinder", radius = {RADIUS}, length = 1 }}
        tangent = [0, 1, 0]
        [[cables]]
        name = "{CABLE}"
        length = {2.0 * TAIL + RADIUS * turn!r}
        points = 81
        stiffness = {{ bending = 2e-5, torsion = 2e-5 }}
        mass_per_length = 0.001
        start = {{ position = {held.tolist()} }}
        end = {{ position = {end.tolist()} }}
        initial = {{ points = {[x.tolist() for x in shape]} }}
        """)
    simulation = Simulation(scene)
    simulation.solve().raise_if_failed()
    changes: dict[str, Any] = {"start.free": ["z"], "loads": [{"at": 0, "force": [0, 0, -LOW]}]}
    simulation.edit(CABLE, **changes)
    simulation.solve().raise_if_failed()
    simulation.edit("drum", friction=mu)
    simulation.solve().raise_if_failed()
    return simulation, end, along_circle(turn)


def ratio(simulation: Simulation) -> float:
    tension = simulation.cable(CABLE).tension
    return float(tension[-1] / tension[0])


@pytest.mark.parametrize(("mu", "degrees"), CASES)
def test_capstan(mu: float, degrees: float) -> None:
    simulation, end, way = wrapped(mu, degrees)
    assert ratio(simulation) == pytest.approx(1.0, abs=2e-3)
    name = f"tension_ratio_mu{mu}_theta{degrees}"
    expected = load("capstan")["reference"]["scalars"][name]["value"]
    assert expected == pytest.approx(math.exp(mu * math.radians(degrees)))
    before = simulation.cable(CABLE).positions[0, 2]

    def pull(distance: float) -> float:
        simulation.move(f"{CABLE}/end", position=end + distance * way)
        simulation.solve().raise_if_failed()
        return ratio(simulation)

    assert 1.0 < pull(1e-7) < 0.99 * expected  # it sticks, at least in part
    assert pull(2e-4) == pytest.approx(expected, rel=1e-2)
    assert simulation.cable(CABLE).positions[0, 2] - before == pytest.approx(2e-4, rel=2e-2)  # it came along
    assert pull(0.0) == pytest.approx(1.0 / expected, rel=1e-2)  # let back, it slides the other way
    drag = sum(np.linalg.norm(k.force - k.pressure * k.normal) for k in simulation.contacts)
    pressed = sum(k.pressure for k in simulation.contacts)
    assert float(drag) == pytest.approx(mu * pressed, rel=1e-3)  # at its limit everywhere


# ---- on slopes and tables ----------------------------------------------------------------------------------------

LENGTH, WEIGHT, PULL = 0.5, 2.0, 0.5  # m, N/m, N


def on_slope(degrees: float, mu: float) -> Simulation:
    """A cable straight up a slope (towards +x), with a load on its lower end that keeps it straight."""
    angle = math.radians(degrees)
    simulation = Simulation(
        Scene.from_toml(f"""
        gravity = [{-9.81 * math.sin(angle)}, 0, {-9.81 * math.cos(angle)}]
        [[parts]]
        name = "slope"
        shape = {{ kind = "plane" }}
        friction = {mu}
        [[cables]]
        name = "{CABLE}"
        length = {LENGTH}
        points = 41
        stiffness = {{ bending = 0.002, torsion = 0.002 }}
        mass_per_length = {WEIGHT / 9.81!r}
        start = {{ position = [0, 0, 0], free = ["x", "z"] }}
        end = {{ position = [{LENGTH}, 0, 0], tangent = [1, 0, 0] }}
        loads = [{{ at = 0, force = [{-PULL}, 0, 0] }}]
        """)
    )
    simulation.solve().raise_if_failed()
    return simulation


@pytest.mark.parametrize("mu", [0.2, 0.5])
@pytest.mark.parametrize("beyond", [-8.0, -1.0, 1.0, 8.0])
def test_slope(mu: float, beyond: float) -> None:
    """Let down, a cable needs holding where the slope is steeper than atan μ, and pushing where it is not."""
    angle = math.atan(mu) + math.radians(beyond)
    simulation = on_slope(math.degrees(angle), mu)
    weight = WEIGHT * LENGTH

    def holding(up: float) -> float:
        """N: what the upper end is held with, besides the load."""
        simulation.move(f"{CABLE}/end", position=(LENGTH + up, 0.0, 0.0))
        simulation.solve().raise_if_failed()
        return float(simulation.cable(CABLE).reactions["end"].force[0]) - PULL

    # the upper support carries half a segment of the weight: that much less is pressed on the slope
    pressed = sum(k.pressure for k in simulation.contacts)
    assert pressed == pytest.approx(weight * math.cos(angle), rel=2e-2)
    dragged = holding(1e-3)
    assert dragged == pytest.approx(weight * math.sin(angle) + mu * pressed, rel=1e-6)
    let_down = holding(0.0)
    assert let_down == pytest.approx(weight * math.sin(angle) - mu * pressed, rel=1e-6)
    assert (let_down > 0.0) == (beyond > 0.0)
    assert holding(0.0) == pytest.approx(let_down, abs=1e-2 * weight)  # nothing moves: it stays so


def test_a_short_way_back_takes_only_some_of_the_friction_off() -> None:
    """The bristles give before they let go: the force depends on the path, continuously."""
    simulation = on_slope(20.0, 0.3)
    forces: list[float] = []
    for place in (1e-3, 1e-3 - 1e-9, 0.5e-3):
        simulation.move(f"{CABLE}/end", position=(LENGTH + place, 0.0, 0.0))
        simulation.solve().raise_if_failed()
        forces.append(float(simulation.cable(CABLE).reactions["end"].force[0]))
    assert forces[0] > forces[1] > forces[2] + 0.1


def on_table(friction: float, **cable: object) -> Simulation:
    """A cable at rest on a rough table."""
    table = {"name": "table", "shape": {"kind": "plane"}, "friction": friction}
    simulation = Simulation(Scene.from_dict({"parts": [table], "cables": [{"name": CABLE, "points": 41, **cable}]}))
    simulation.solve().raise_if_failed()
    return simulation


def lying() -> Simulation:
    """Anchored on the table, its other end lifted and drawn aside."""
    simulation = on_table(
        0.4,
        length=1.0,
        stiffness={"bending": 0.004, "torsion": 0.004},
        mass_per_length=0.2,
        start={"position": [0, 0, 0]},
        end={"position": [0.9, 0, 0.3]},
    )
    for k in range(1, 3):
        simulation.move(f"{CABLE}/end", position=(0.9, 0.01 * k, 0.3))
        simulation.solve().raise_if_failed()
    return simulation


def test_friction_holds_what_would_slide_without_it() -> None:
    simulation = lying()
    assert -sum(float(k.force[1]) for k in simulation.contacts) > 0.02  # N, against the draw
    for k in simulation.contacts:
        drag = float(np.linalg.norm(k.force - k.pressure * k.normal))
        assert drag <= 0.4 * k.pressure * (1.0 + 1e-9)


OFTEN = pytest.mark.parametrize("times", [100, pytest.param(1000, marks=pytest.mark.soak)])


@OFTEN
def test_a_cable_on_a_rough_table_does_not_creep(times: int) -> None:
    """Solved again and again where it is, it stays."""
    simulation = lying()
    before = simulation.cable(CABLE).positions.copy()
    for _ in range(times):
        simulation.move(f"{CABLE}/end", position=(0.9, 0.02, 0.3))
        simulation.solve().raise_if_failed()
    assert float(np.abs(simulation.cable(CABLE).positions - before).max()) < 1e-8


@OFTEN
def test_what_lies_does_not_creep_while_an_end_is_shaken(times: int) -> None:
    """Every solve finds another equilibrium, from what the one before remembers; what sticks stays."""
    simulation = lying()
    way = 1e-6
    for k in range(10):  # until it has settled
        simulation.move(f"{CABLE}/end", position=(0.9, 0.02 + way * (-1) ** k, 0.3))
        simulation.solve().raise_if_failed()
    before = simulation.cable(CABLE).positions.copy()
    for k in range(times):
        simulation.move(f"{CABLE}/end", position=(0.9, 0.02 + way * (-1) ** k, 0.3))
        report = simulation.solve().raise_if_failed()
        assert 0 < report.iterations < 20
    assert float(np.abs(simulation.cable(CABLE).positions - before)[:, 1].max()) < 1e-8


@pytest.mark.parametrize("way", [1e-9, 1e-7, 1e-5])
def test_a_cable_drawn_to_the_limit_of_friction_is_shaken(way: float) -> None:
    """All that lies is about to slip: what a small motion makes slip comes to rest within far less than a step."""
    simulation = on_table(
        0.5,
        length=0.6,
        radius=0.004,
        stiffness={"bending": 0.01, "torsion": 0.008},
        mass_per_length=0.06,
        start={"position": [0, 0, 0.06], "tangent": [1, 0, 0]},
        initial={"points": [[0, 0, 0.06], [0.1, 0, 0.03], [0.2, 0, 0.004], [0.58, 0, 0.004]]},
    )
    simulation.move(f"{CABLE}/start", position=(0.02, 0.05, 0.06))
    simulation.solve().raise_if_failed()
    before = simulation.cable(CABLE).positions.copy()
    for k in range(30):
        simulation.move(f"{CABLE}/start", position=(0.02 + way * (-1) ** k, 0.05, 0.06))
        assert simulation.solve().raise_if_failed().iterations < 25
    assert float(np.abs(simulation.cable(CABLE).positions - before).max()) < 20.0 * way


# ---- dragged over a table ----------------------------------------------------------------------------------------

HEIGHT = 0.06  # m: of the end that is held
WAYS: dict[str, Callable[[int], tuple[float, float, float]]] = {
    "oblique": lambda k: (-0.004 * k, 0.008 * k, 0.0),
    "pulled": lambda k: (-0.009 * k, 0.0, 0.0),
    "pushed": lambda k: (0.004 * k, 0.0, 0.0),
    "aside": lambda k: (0.0, 0.009 * k, 0.0),
    "to and fro": lambda k: (0.0, 0.01 * math.sin(1.3 * k), 0.0),
    "up and down": lambda k: (0.0, 0.003 * k, 0.02 * math.sin(k)),
}


def with_free_end(mu: float) -> Simulation:
    """Held above the table at its start; the rest lies on it."""
    return on_table(
        mu,
        length=0.6,
        radius=0.004,
        stiffness={"bending": 0.005, "torsion": 0.005},
        mass_per_length=0.1,
        start={"position": [0, 0, HEIGHT], "tangent": [1, 0, -0.3]},
    )


@pytest.mark.parametrize("mu", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("way", WAYS)
def test_a_free_end_is_dragged_over_a_table(way: str, mu: float) -> None:
    simulation = with_free_end(mu)
    for step in range(1, 5):
        before = simulation.cable(CABLE)
        x, y, z = WAYS[way](step)
        simulation.move(f"{CABLE}/start", position=(x, y, HEIGHT + z))
        report = simulation.solve()
        report.raise_if_failed()
        assert report.iterations < 300
        result = simulation.cable(CABLE)
        assert result.report.residual < 1e-6
        # all that acts adds up to nothing, friction included
        weight = 0.6 * 0.1 * 9.81
        total = sum(k.force for k in simulation.contacts) + result.reactions["start"].force
        assert np.asarray(total - (0.0, 0.0, weight)) == pytest.approx(np.zeros(3), abs=1e-6 * weight)
        slipped = 0
        for k in simulation.contacts:
            drag = k.force - k.pressure * k.normal
            size = float(np.linalg.norm(drag))
            assert size <= mu * k.pressure * (1.0 + 1e-9)
            moved = np.array(
                [
                    np.interp(k.place, result.s, b - a)
                    for a, b in zip(before.positions.T, result.positions.T, strict=True)
                ]
            )[:2]
            far = float(np.linalg.norm(moved))
            if k.slips and far > 1e-4:  # what slips opposes its motion, with all it has
                slipped += 1
                assert size == pytest.approx(mu * k.pressure)
                assert float(drag[:2] @ moved) < -0.99 * size * far
            elif k.slips is False:
                assert far < 1e-4
        assert slipped > 5 or way in ("to and fro", "up and down", "aside", "oblique")


# ---- between cables ----------------------------------------------------------------------------------------------


def crossed(mu: float, other: float) -> Simulation:
    """A stiff cable along x, and another that is bent over it, along y."""
    simulation = Simulation(
        Scene.from_toml(f"""
        gravity = [0, 0, 0]
        [[cables]]
        name = "rail"
        length = 0.4
        points = 41
        radius = 0.005
        friction = {other}
        stiffness = {{ bending = 5, torsion = 5 }}
        mass_per_length = 0.1
        start = {{ position = [-0.2, 0, 0], tangent = [1, 0, 0] }}
        end = {{ position = [0.2, 0, 0], tangent = [1, 0, 0], free = ["x"] }}
        [[cables]]
        name = "{CABLE}"
        length = 0.42
        points = 41
        radius = 0.005
        friction = {mu}
        stiffness = {{ bending = 0.02, torsion = 0.02 }}
        mass_per_length = 0.1
        start = {{ position = [0.01, -0.2, -0.03], tangent = [0, 1, 0] }}
        end = {{ position = [0.01, 0.2, -0.03], tangent = [0, 1, 0] }}
        initial = {{ points = [[0.01, -0.2, -0.03], [0.01, 0, 0.02], [0.01, 0.2, -0.03]] }}
        loads = [{{ at = 0.5, force = [0, 0, -5] }}]
        """)
    )
    simulation.solve().raise_if_failed()
    assert {(k.cable, k.part) for k in simulation.contacts} == {("rail", CABLE)}
    return simulation


def rub(simulation: Simulation, x: float) -> tuple[Array, float]:
    """(N: friction on the rail, how hard it is pressed) with the cable across moved by x along it."""
    for end, y in (("start", -0.2), ("end", 0.2)):
        simulation.move(f"{CABLE}/{end}", position=(0.01 + x, y, -0.03))
    simulation.solve().raise_if_failed()
    pressed = sum(k.pressure for k in simulation.contacts)
    return np.asarray(sum(k.force - k.pressure * k.normal for k in simulation.contacts)), pressed


@pytest.mark.parametrize(("mu", "other"), [(0.3, 0.3), (0.3, 0.0), (0.1, 0.4)])
def test_cables_rub_on_each_other_as_the_rougher_one_does(mu: float, other: float) -> None:
    simulation = crossed(mu, other)
    drag, pressed = rub(simulation, 0.02)
    assert drag[0] == pytest.approx(max(mu, other) * pressed, rel=1e-2)  # the rail is dragged along
    assert all(k.slips for k in simulation.contacts)
    held = float(simulation.cable("rail").reactions["start"].force[0])
    assert held + sum(float(k.force[0]) for k in simulation.contacts) == pytest.approx(0.0, abs=1e-6)
    again, _ = rub(simulation, 0.02)
    assert np.linalg.norm(again - drag) < 1e-6 * np.linalg.norm(drag)
    back, pressed = rub(simulation, 0.0)
    assert back[0] == pytest.approx(-max(mu, other) * pressed, rel=1e-2)


def test_smooth_cables_do_not_rub() -> None:
    drag, pressed = rub(crossed(0.0, 0.0), 0.02)
    assert pressed > 0.1
    assert not drag.any()


# ---- what is kept ------------------------------------------------------------------------------------------------


def told(simulation: Simulation) -> Array:
    """Places, forces and pressures of all contacts."""
    return np.array([[k.place, k.pressure, *k.force] for k in simulation.contacts])


def goes_on_as(simulation: Simulation, other: Simulation) -> None:
    """The same contacts now, and the same forces after the same motion."""
    assert told(other) == pytest.approx(told(simulation), rel=1e-6, abs=1e-9)
    for k in (simulation, other):
        k.move(f"{CABLE}/end", position=(0.9, 0.021, 0.3))
        k.solve().raise_if_failed()
    assert told(other) == pytest.approx(told(simulation), rel=1e-4, abs=1e-6)
    assert float(np.abs(other.cable(CABLE).positions - simulation.cable(CABLE).positions).max()) < 1e-6


def test_a_copy_and_a_pickled_state_keep_contacts_and_friction() -> None:
    simulation = lying()
    state = pickle.loads(pickle.dumps(simulation.state()))
    goes_on_as(simulation, simulation.copy())
    again = lying()
    moved = lying()
    moved.move(f"{CABLE}/end", position=(0.9, 0.0, 0.31))
    moved.solve().raise_if_failed()
    moved.restore(state)
    goes_on_as(again, moved)


def test_a_file_keeps_contacts_and_friction(tmp_path: Path) -> None:
    simulation = lying()
    simulation.save(tmp_path / "lying.toml")
    opened = Simulation.open(tmp_path / "lying.toml")
    assert not opened.notes
    assert float(np.abs(opened.cable(CABLE).positions - simulation.cable(CABLE).positions).max()) < 1e-9
    assert opened.cable(CABLE).report.iterations == 0
    goes_on_as(simulation, opened)


def test_a_file_keeps_friction_between_cables(tmp_path: Path) -> None:
    simulation = crossed(0.3, 0.0)
    drag, _ = rub(simulation, 0.02)
    simulation.save(tmp_path / "crossed.toml")
    opened = Simulation.open(tmp_path / "crossed.toml")
    assert np.linalg.norm(rub(opened, 0.02)[0] - drag) < 1e-4 * np.linalg.norm(drag)


def test_an_edit_that_keeps_the_length_keeps_friction() -> None:
    simulation = lying()
    before = told(simulation)[:, 3].sum()
    assert before < -0.02
    simulation.edit("", gravity=(0.0, 0.0, -9.8101))
    simulation.solve().raise_if_failed()
    assert told(simulation)[:, 3].sum() == pytest.approx(before, rel=1e-2)
    simulation.solve(cold=True).raise_if_failed()
    assert not np.any([k.force - k.pressure * k.normal for k in simulation.contacts])


def test_a_grip_keeps_friction() -> None:
    simulation = lying()
    before = told(simulation)[:, 3].sum()
    grip = simulation.grip(CABLE, at=0.93)
    assert told(simulation)[:, 3].sum() == pytest.approx(before, rel=5e-2)
    grip.release()


@pytest.mark.parametrize("points", [13, 27, 201])
def test_a_coarse_cable_on_a_rough_ball_does_not_dip_into_it(points: int) -> None:
    """Rough things hold points of the cable; it must be out of them between those points too, and stay so."""
    simulation = Simulation(
        Scene.from_toml(f"""
        [[parts]]
        name = "ball"
        shape = {{ kind = "sphere", radius = 0.06 }}
        position = [0.27, 0, -0.05]
        friction = 0.3
        [[cables]]
        name = "cable"
        length = 0.62
        points = {points}
        radius = 0.004
        stiffness = {{ bending = 0.02, torsion = 0.02 }}
        mass_per_length = 0.1
        start = {{ position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }}
        end = {{ position = [0.6, 0, 0], tangent = [1, 0, 0], roll = 0 }}
        """)
    )
    for x in (0.6, 0.597, 0.592, 0.598, 0.6):
        simulation.move("cable/end", position=[x, 0.0, 0.0])
        simulation.solve().raise_if_failed()
        assert simulation.contacts
        result = simulation.cable("cable")
        curve, _ = smooth(result.positions, result.s, 64)
        depth = 0.064 - np.linalg.norm(curve - np.array([0.27, 0.0, -0.05]), axis=1).min()
        assert depth < 1e-4 * 0.004
        # both ends and the ball carry it: what the ball takes is not taken twice
        lift = sum(k.force[2] for k in simulation.contacts) + sum(k.force[2] for k in result.reactions.values())
        assert lift == pytest.approx(0.1 * 9.81 * 0.62, rel=1e-6)


# ---- cables that stretch -------------------------------------------------------------------------------------------


def stretchy() -> Simulation:
    """A cable that hangs down to a rough table and lies on it, as soft along itself as a rubber hose."""
    return Simulation(
        Scene.from_toml(f"""
        [[parts]]
        name = "table"
        shape = {{ kind = "plane" }}
        friction = 0.5
        [[cables]]
        name = "{CABLE}"
        length = 0.86
        points = 28
        radius = 0.003
        stiffness = {{ bending = 0.0075, torsion = 0.004, axial = 50 }}
        mass_per_length = 0.05
        start = {{ position = [0, 0, 0.15], tangent = [1, 0.06, 0.2] }}
        """)
    )


def test_a_cable_that_stretches_is_dragged_along_by_a_rough_table() -> None:
    """What sticks is stiffer than the cable is along itself: forces must not swing between the two."""
    simulation = stretchy()
    simulation.solve().raise_if_failed()
    simulation.solve().raise_if_failed()
    lying = simulation.cable(CABLE).positions[-1]
    for y in (0.004, 0.012, 0.02, 0.036):
        simulation.move("table", position=[0.0, y, 0.0])
        report = simulation.solve().raise_if_failed()
        assert report.cables[CABLE].iterations < 400
        result = simulation.cable(CABLE)
        assert result.positions[:, 2].min() == pytest.approx(0.003, abs=1e-6)
        reached = [k for k in simulation.contacts if k.place > 0.6]
        assert len(reached) > 3
        # weight, the clamp and the table: nothing is left over
        total = sum(k.force for k in simulation.contacts) + sum(k.force for k in result.reactions.values())
        assert total == pytest.approx([0.0, 0.0, 0.05 * 9.81 * 0.86], abs=1e-6 * 0.05 * 9.81 * 0.86)
    moved = simulation.cable(CABLE).positions[-1] - lying
    assert moved[1] == pytest.approx(0.036, rel=0.2)  # its end sticks, most of the way


def test_a_state_that_is_put_back_is_in_equilibrium_at_once() -> None:
    """With the points as its contact forces stretch the cable, not as those of a solve that failed did."""
    simulation = stretchy()
    for y in (0.0, 0.004):
        simulation.move("table", position=[0.0, y, 0.0])
        simulation.solve().raise_if_failed()
    assert simulation._cables.islands is not None
    (assembly,) = simulation._cables.islands.assemblies
    system = assembly._system
    assert system is not None
    before, there = system._errors(), snapshot(system, assembly._slides)
    assert before[2] < 1e-8
    system.links[0].held[0] += [0.0, 0.01, 0.02]
    system.settle(1, 1e-8, assembly.depth)
    assert system._errors()[2] > 1e-6
    restore(system, assembly._slides, there)
    assert system._errors() == pytest.approx(before, rel=1e-6, abs=1e-13)
    assert system.settle(2, 1e-8, assembly.depth).status == newton.CONVERGED
