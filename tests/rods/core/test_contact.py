"""Contact by the core: against a boundary value problem solved independently, and its order."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_bvp

from lissom import Scene, Simulation

Array = NDArray[np.float64]

B, W, LENGTH, RADIUS, BAR = 0.003, 2.4, 0.46, 0.005, 0.045
START, END = (-0.21, 0.05), (0.23, 0.06)
HEIGHT = -0.0525  # of the axis of the bar
OFFSETS = np.linspace(-0.02, -0.005, 8)
GRIDS = (17, 33, 65)


def over_bar(points: int, offset: float) -> Simulation:
    """A cable clamped level at both ends that hangs onto a bar."""
    made = Simulation(
        Scene.from_toml(f"""
        [[cables]]
        name = "cable"
        length = {LENGTH}
        points = {points}
        stiffness = {{ bending = {B}, torsion = {B} }}
        mass_per_length = {W / 9.81}
        radius = {RADIUS}
        start = {{ position = [{START[0]}, 0, {START[1]}], tangent = [1, 0, 0], roll = 0 }}
        end = {{ position = [{END[0]}, 0, {END[1]}], tangent = [1, 0, 0], roll = 0 }}
        initial = {{ points = [[{START[0]}, 0, {START[1]}], [0, 0, 0.01], [{END[0]}, 0, {END[1]}]] }}
        [[parts]]
        name = "bar"
        shape = {{ kind = "cylinder", radius = {BAR}, length = 1 }}
        position = [{offset}, 0, {HEIGHT}]
        tangent = [0, 1, 0]
        """)
    )
    report = made.solve().raise_if_failed()
    assert "core" in report.cables["cable"].methods
    return made


@cache
def truth(offset: float) -> tuple[Array, float, float]:
    """(129 points (x, z), contact force, its place) of the planar elastica in two parts, left and right of the contact.

    y = x, z, θ, κ, n_x, n_z on both: x' = cos θ, z' = sin θ, θ' = κ, Bκ' = n_x sin θ − n_z cos θ, n_x' = 0, n_z' = w.
    """

    def law(y: Array) -> Array:
        _, _, a, k, p, q = y
        return np.array([np.cos(a), np.sin(a), k, (p * np.sin(a) - q * np.cos(a)) / B, 0 * p, W + 0 * q])

    def rate(_: Array, y: Array, unknown: Array) -> Array:
        place = unknown[0]
        return np.vstack([place * law(y[:6]), (LENGTH - place) * law(y[6:])])

    def ends(a: Array, b: Array, unknown: Array) -> Array:
        force, left, right = unknown[1], b[:6], a[6:]
        way = left[:2] - np.array([offset, HEIGHT])
        normal = way / np.linalg.norm(way)
        return np.array(
            [
                *(a[:2] - START), a[2], *(b[6:8] - END), b[8],
                *(left[:4] - right[:4]), *(left[4:] - right[4:] - force * normal),
                np.linalg.norm(way) - BAR - RADIUS, normal @ [np.cos(left[2]), np.sin(left[2])],
            ]
        )  # fmt: skip

    start = over_bar(129, offset)
    cable, (contact,) = start.cable("cable"), start.contacts
    x, t = cable.positions, cable.tangents
    angle = np.unwrap(np.arctan2(t[:, 2], t[:, 0]))
    bend = np.gradient(angle, cable.s)
    states = np.array([x[:, 0], x[:, 2], angle, bend, cable.force[:, 0], cable.force[:, 2]])
    u = np.linspace(0.0, 1.0, 60)
    place = contact.place
    guess = np.vstack(
        [[np.interp(k, cable.s, row) for row in states] for k in (place * u, place + (LENGTH - place) * u)]
    ).reshape(2, 6, 60)
    found = solve_bvp(
        rate, ends, u, np.vstack([guess[0], guess[1]]), p=[place, contact.pressure], tol=1e-10, max_nodes=20000
    )
    assert found.success
    place = float(found.p[0])
    s = np.linspace(0.0, LENGTH, 129)
    left, right = found.sol(np.minimum(s / place, 1.0)), found.sol(np.maximum((s - place) / (LENGTH - place), 0.0))
    return np.where(s <= place, left[:2], right[6:8]).T, float(found.p[1]), place


def off(points: int, offset: float) -> tuple[float, float, float]:
    """Largest distance from the truth, over the length; the force, over itself; the place, over the length."""
    made = over_bar(points, offset)
    exact, force, place = truth(offset)
    x = made.cable("cable").positions[:, [0, 2]]
    (contact,) = made.contacts
    away = float(np.abs(x - exact[:: 128 // (points - 1)]).max())
    return away / LENGTH, abs(contact.pressure / force - 1.0), abs(contact.place - place) / LENGTH


@pytest.mark.parametrize("offset", OFFSETS)
def test_a_cable_over_a_bar_lies_where_the_equations_have_it(offset: float) -> None:
    away, force, place = off(65, float(offset))
    assert away < 1e-6
    assert force < 1e-4
    assert place < 1e-4


def test_contact_is_of_fourth_order_wherever_it_is_in_a_segment() -> None:
    """The mean over places within a segment: at nodes and in the middle of segments errors are smaller."""
    errors = np.array([[off(points, float(k))[0] for k in OFFSETS] for points in GRIDS])
    mean = np.exp(np.log(errors).mean(axis=1))
    order = np.polyfit(np.log([1.0 / (k - 1) for k in GRIDS]), np.log(mean), 1)[0]
    assert order > 3.5


def test_energy_and_the_tightest_bend_know_of_contacts_between_points() -> None:
    """Curvature has a kink where something presses."""
    grids, found = (17, 33, 65, 257), []
    for points in grids:
        cables = [over_bar(points, float(k)).cable("cable") for k in OFFSETS]
        found.append([(k.energy["bending"], 1.0 / k.min_bend_radius) for k in cables])
    values = np.array(found)
    errors = np.exp(np.log(np.abs(values[:3] / values[3] - 1.0)).mean(axis=1))
    orders = np.log2(errors[:-1] / errors[1:])
    assert orders[:, 0].min() > 3.0, errors
    assert errors[2, 1] < 1e-5, errors


def lying(points: int) -> Simulation:
    """A cable that comes down onto a table and lies on it."""
    made = Simulation(
        Scene.from_toml(f"""
        [[cables]]
        name = "cable"
        length = 0.6
        points = {points}
        stiffness = {{ bending = 0.004, torsion = 0.004 }}
        mass_per_length = 0.15
        radius = {RADIUS}
        start = {{ position = [0, 0, 0.08], tangent = [1, 0, 0], roll = 0 }}
        end = {{ position = [0.56, 0, {RADIUS}], tangent = [1, 0, 0], roll = 0 }}
        initial = {{ points = [[0, 0, 0.08], [0.1, 0, 0.07], [0.3, 0, 0.006], [0.56, 0, {RADIUS}]] }}
        [[parts]]
        name = "table"
        shape = {{ kind = "plane" }}
        """)
    )
    report = made.solve().raise_if_failed()
    assert "core" in report.cables["cable"].methods
    return made


def to_one_side(x: Array) -> Array:
    """It lies in a bow, to either side."""
    return np.column_stack([x[:, 0], np.abs(x[:, 1]), x[:, 2]])


def test_where_a_cable_lifts_off_a_plane_the_order_is_nearly_three() -> None:
    """What lifts off is one force at its own place there. Below 1e-6 of the length what may be deep is seen."""
    fine = to_one_side(lying(257).cable("cable").positions)
    grids = (17, 25, 33, 65)
    errors = []
    for points in grids:
        made = to_one_side(lying(points).cable("cable").positions)
        at = np.linspace(0, 256, points).round().astype(int)  # 25 points have a third of theirs among those
        same = np.abs(at - np.linspace(0, 256, points)) < 1e-9
        errors.append(float(np.abs(made - fine[at])[same].max()) / 0.6)
    assert errors[-1] < 1e-5
    order = -np.polyfit(np.log(np.array(grids[:3]) - 1.0), np.log(errors[:3]), 1)[0]
    assert order > 2.8, errors
