"""Harnesses by the core: against boundary value problems solved independently, and in the product."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_bvp

from lissom import Scene, Simulation

Array = NDArray[np.float64]

B, C, W = 0.02, 0.015, 0.981
ENDS = {
    "a": ([0.0, 0.0, 0.0], [1.0, 0.0, 0.3]),
    "b": ([0.62, 0.22, 0.05], [0.5, 1.0, 0.3]),
    "c": ([0.55, -0.25, -0.1], [0.1, -1.0, 0.8]),
}
LENGTHS = {"a": 0.4, "b": 0.38, "c": 0.35}
MASS = 0.03


def harness(points: int) -> dict[str, Any]:
    """A trunk that ends in two branches, on a junction with a mass."""
    cables = []
    for name, (position, tangent) in ENDS.items():
        cables.append(
            {
                "name": name,
                "stiffness": {"bending": B, "torsion": C},
                "mass_per_length": W / 9.81,
                "length": LENGTHS[name],
                "points": points,
                "collide": False,
                ("start" if name == "a" else "end"): {"position": position, "tangent": tangent, "roll": 0.2},
            }
        )
    members = [
        {"cable": "a", "at": "end", "position": [-0.01, 0.0, 0.0]},
        {"cable": "b", "at": "start", "tangent": [1, 1, 0], "position": [0.0, 0.01, 0.0]},
        {"cable": "c", "at": "start", "tangent": [1, -1, 0], "position": [0.0, -0.01, 0.005]},
    ]
    return {
        "format": 1,
        "cables": cables,
        "junctions": [{"name": "Y", "mass": MASS, "members": members}],
    }


def solved(points: int) -> Simulation:
    simulation = Simulation(Scene.from_dict(harness(points)))
    simulation.solve().raise_if_failed()
    return simulation


# ---- the same as a boundary value problem: Kirchhoff's equations of all branches at once -----------------------------


def rotation(q: Array) -> Array:
    """(3, 3, …) of quaternions (4, …) of any size."""
    w, x, y, z = q / np.linalg.norm(q, axis=0)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def rates(y: Array, length: float) -> Array:
    """Of place, quaternion, force and moment (13, points) along a branch, over its part of the length."""
    q, n, m = y[3:7], y[7:10], y[10:13]
    R = rotation(q)
    kappa = np.einsum("jip,jp->ip", R, m) / np.array([B, B, C])[:, None]
    w, x, u, v = q
    a, b, c = kappa
    turn = 0.5 * np.array([-x * a - u * b - v * c, w * a + u * c - v * b, w * b - x * c + v * a, w * c + x * b - u * a])
    weight = np.zeros_like(n)
    weight[2] = W
    return length * np.concatenate([R[:, 2], turn, weight, np.cross(n, R[:, 2], axis=0)])


def relative(p: Array, q: Array) -> Array:
    """p̄ q."""
    (w, x, y, z), (a, b, c, d) = (p[0], -p[1], -p[2], -p[3]), q
    return np.array(
        [
            w * a - x * b - y * c - z * d,
            w * b + x * a + y * d - z * c,
            w * c - x * d + y * a + z * b,
            w * d + x * c - y * b + z * a,
        ]
    )


def independently(simulation: Simulation) -> dict[str, Any]:
    """The interpolants of a solution to 1e-9; begun from what is handed out."""
    names = list(ENDS)
    u = np.linspace(0.0, 1.0, len(simulation.cable("a").s))
    shapes = {k: simulation.cable(k) for k in names}
    first = np.concatenate([np.hstack([k.positions, k.quaternions, k.force, k.moment]).T for k in shapes.values()])
    held = {k: shapes[k].quaternions[0 if k == "a" else -1].copy() for k in names}
    at = {"a": -1, "b": 0, "c": 0}  # where it sits on the junction
    frames = {k: shapes[k].quaternions[at[k]].copy() for k in names}
    position, quaternion = (np.array(k) for k in simulation.pose("Y"))
    seats = {k: rotation(quaternion).T @ (shapes[k].positions[at[k]] - position) for k in names}
    turn = relative(frames["a"], quaternion)  # the junction against the end of the trunk

    def rate(_: Array, y: Array) -> Array:
        return np.concatenate([rates(y[13 * k : 13 * k + 13], LENGTHS[name]) for k, name in enumerate(names)])

    def borders(ya: Array, yb: Array) -> Array:
        ends = {name: (ya[13 * k : 13 * k + 13], yb[13 * k : 13 * k + 13]) for k, name in enumerate(names)}
        found = []
        for name, (start, end) in ends.items():
            fixed = start if name == "a" else end
            found += [fixed[:3] - ENDS[name][0], fixed[3:7] - held[name]]
        a, others = ends["a"][1], {name: ends[name][0] for name in ("b", "c")}
        J = rotation(a[3:7]) @ rotation(turn)
        y = a[:3] - J @ seats["a"]
        force, moment = -a[7:10].copy(), -a[10:13] - np.cross(J @ seats["a"], a[7:10])
        for name, other in others.items():
            found += [other[:3] - y - J @ seats[name]]
            found += [relative(relative(frames["a"], frames[name]), relative(a[3:7], other[3:7]))[1:]]
            force += other[7:10]
            moment += other[10:13] + np.cross(J @ seats[name], other[7:10])
        return np.concatenate([*found, force - [0.0, 0.0, MASS * 9.81], moment])

    found = solve_bvp(rate, borders, u, first, tol=1e-9, max_nodes=20000)
    assert found.success
    return {name: lambda u, k=k: found.sol(u)[13 * k : 13 * k + 13].T for k, name in enumerate(names)}


@pytest.fixture(scope="module")
def exact() -> dict[str, Any]:
    return independently(solved(65))


def errors(simulation: Simulation, exact: dict[str, Any]) -> tuple[float, float]:
    """(of places over the length of the trunk, of moments over the largest)."""
    place = moment = largest = 0.0
    for name, solution in exact.items():
        cable = simulation.cable(name)
        true = solution(cable.s / LENGTHS[name])
        place = max(place, float(np.abs(cable.positions - true[:, :3]).max()))
        moment = max(moment, float(np.abs(cable.moment - true[:, 10:]).max()))
        largest = max(largest, float(np.abs(true[:, 10:]).max()))
    return place / LENGTHS["a"], moment / largest


def test_a_harness_is_what_a_boundary_value_problem_says(exact: dict[str, Any]) -> None:
    """It was second order: 7e-5 L off at 65 points."""
    simulation = solved(65)
    assert simulation.solve().cables["a"].element == "polished"
    place, moment = errors(simulation, exact)
    assert place < 1e-5
    assert moment < 1e-4


def test_harnesses_are_of_fourth_order(exact: dict[str, Any]) -> None:
    counts = [9, 17, 33, 65]
    found = np.array([errors(solved(k), exact) for k in counts])
    h = 1.0 / (np.array(counts) - 1)
    for k in range(2):
        order = np.polyfit(np.log(h), np.log(found[:, k]), 1)[0]
        assert order > 3.5


def test_a_harness_dragged_is_where_a_new_one_would_be() -> None:
    simulation = solved(33)
    rng = np.random.default_rng(0)
    position = np.array(ENDS["b"][0])
    for _ in range(20):
        position = position + 0.005 * rng.normal(size=3)
        position[:] = np.clip(position, np.array(ENDS["b"][0]) - 0.03, np.array(ENDS["b"][0]) + 0.03)
        simulation.move("b/end", position=tuple(position.tolist()))
        report = simulation.solve().raise_if_failed()
        assert report.cables["b"].methods == ("core",)
    fresh = Simulation(simulation.scene)
    fresh.solve().raise_if_failed()
    for name in ENDS:
        assert np.abs(simulation.cable(name).positions - fresh.cable(name).positions).max() < 1e-6


def test_what_comes_near_something_is_not_left_to_the_core() -> None:
    """A branch that is dragged onto a plane lies on it."""
    data = harness(33)
    for cable in data["cables"]:
        cable |= {"collide": True, "radius": 0.003}
    data["parts"] = [{"name": "floor", "shape": {"kind": "plane"}, "position": [0, 0, -0.305]}]
    simulation = Simulation(Scene.from_dict(data))
    assert simulation.solve().raise_if_failed().cables["a"].methods == ("core",)
    for k in range(1, 26):
        simulation.move("c/end", position=(0.55, -0.25, -0.1 - 0.008 * k))
        report = simulation.solve().raise_if_failed()
    assert simulation.contacts
    assert report.cables["c"].methods != ("core",)
    for k in range(24, -1, -1):
        simulation.move("c/end", position=(0.55, -0.25, -0.1 - 0.008 * k))
        report = simulation.solve().raise_if_failed()
    assert not simulation.contacts
    assert report.cables["c"].methods == ("core",)
