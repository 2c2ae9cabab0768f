"""Cables that press on each other: the step and the index against a dense matrix of a Lagrangian written down here, and
the order against a fine grid."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import root
from tests.rods.core.dense import Coordinate, coordinates, gradient, hessian, move, rest, stepped

from lissom import Scene, Simulation
from lissom.rods.bodies import matrix
from lissom.rods.core import symmetric
from lissom.rods.core.border import between_cables, meet_acts
from lissom.rods.core.meets import meet, settle_meets
from lissom.rods.core.network import Network
from lissom.rods.core.residuals import assemble
from lissom.rods.core.terms import place_terms
from lissom.rods.surroundings import Surroundings

Array = NDArray[np.float64]

RADIUS = 0.01
WIRE = {"stiffness": {"bending": 0.02, "torsion": 0.015}, "mass_per_length": 0.1, "radius": RADIUS}
CROSSING = {
    "format": 1,
    "cables": [
        {
            "name": "a", **WIRE, "points": 8, "length": 0.42,
            "start": {"position": [-0.2, 0, 0], "tangent": [1, 0, 0]},
            "end": {"position": [0.2, 0.01, 0], "tangent": [1, 0, 0]},
        },
        {
            "name": "b", **WIRE, "points": 9, "length": 0.43,
            "start": {"position": [0.03, -0.2, 0.02], "tangent": [0.1, 1, 0]},
            "end": {"position": [0.05, 0.2, 0.025], "tangent": [0.1, 1, 0]},
        },
        {
            "name": "c", **WIRE, "points": 8, "length": 0.42,
            "start": {"position": [-0.2, 0.01, -0.0215], "tangent": [1, 0, 0]},
            "end": {"position": [0.2, 0.0, -0.0215], "tangent": [1, 0, 0]},
        },
    ],
}  # fmt: skip


def hermite(t: float, h: float) -> tuple[float, float, float, float]:
    return 2 * t**3 - 3 * t**2 + 1, 3 * t**2 - 2 * t**3, h * (t**3 - 2 * t**2 + t), h * (t**3 - t**2)


def curve(made: Network, s: int, t: float) -> Array:
    w, a = hermite(t, made.model.h[s]), made.state
    return np.asarray(w[0] * a.x[s] + w[1] * a.x[s + 1] + w[2] * matrix(a.q[s])[:, 2] + w[3] * matrix(a.q[s + 1])[:, 2])


def give(made: Network, s: int, t: float) -> float:
    """m/N: of a clamped beam under a force at t: h³ t³ (1 − t)³/3B."""
    return float(made.model.h[s] ** 3 * (t * (1.0 - t)) ** 3 / (3.0 * made.model.stiffness[s, 0]))


def least(made: Network, c: int, force: float) -> Array:
    """The places (t, t') at which λ g + ½ c λ² is stationary by those that run."""
    p, e = made.work.meets, 1e-5
    s, u = p.segment[c]
    free = np.flatnonzero(p.runs[c])
    t = p.t[c].copy()

    def cost(at: Array) -> float:
        apart = float(np.linalg.norm(curve(made, s, at[0]) - curve(made, u, at[1])))
        return apart + 0.5 * force * (give(made, s, at[0]) + give(made, u, at[1]))

    def slopes(z: Array) -> Array:
        at, found = t.copy(), np.zeros(len(free))
        at[free] = z
        for k, which in enumerate(free):
            step = e * (np.arange(2) == which)
            found[k] = (cost(at + step) - cost(at - step)) / (2 * e)
        return found

    if len(free):
        t[free] = root(slopes, t[free], tol=1e-13).x
    return np.asarray(t)


def with_contacts(made: Network, names: list[Coordinate], forces: Array) -> Array:
    found = np.concatenate([gradient(made, names), np.zeros(len(forces))])
    number = {name: k for k, name in enumerate(names)}
    p, model = made.work.meets, made.model
    for c, force in enumerate(forces):
        t = least(made, c, force)
        (s, u) = p.segment[c]
        way = curve(made, s, t[0]) - curve(made, u, t[1])
        d = float(np.linalg.norm(way))
        for i, at, N in ((s, t[0], way / d), (u, t[1], -way / d)):
            w = hermite(at, model.h[i])
            for side in (0, 1):
                moment = w[2 + side] * np.cross([0.0, 0.0, 1.0], matrix(made.state.q[i + side]).T @ N)
                for k in range(3):
                    if ("x", i + side, k) in number:
                        found[number["x", i + side, k]] -= force * w[side] * N[k]
                    if ("q", i + side, k) in number:
                        found[number["q", i + side, k]] -= force * moment[k]
        found[len(names) + c] = -(d - 2.0 * RADIUS) - force * (give(made, s, t[0]) + give(made, u, t[1]))
    return found


def pressed(seed: int, much: float) -> tuple[Network, Array]:
    """Near rest, with forces (N) between cables that cross and that lie on each other."""
    simulation = Simulation(Scene.from_dict(CROSSING))
    simulation.solve().raise_if_failed()
    assert simulation._cables.islands is not None
    assemblies = simulation._cables.islands.assemblies
    solvers = {name: k for a in assemblies for name, k in a.solvers.items()}
    skins = {k.name: k for a in assemblies for k in a.surroundings.skins}
    made = Network([solvers[k] for k in "abc"], [], Surroundings([], [skins[k] for k in "abc"]), 1e-6)
    made.take([solvers[k].positions() for k in "abc"])
    rng, names = np.random.default_rng(seed), coordinates(made.model)
    move(made, made.state, names, np.array([0.0 if k[0] == "n" else 2e-4 * rng.normal() for k in names]))
    assemble(made.model, made.state, made.work)
    meet(made.model, made.state, made.work, False)
    p = made.work.meets
    count = int(p.total[0])
    p.force[:count] = much * rng.uniform(0.5, 1.0, count)
    settle_meets(made.model, made.state, made.work)
    return made, p.force[:count].copy()


@pytest.mark.parametrize(("seed", "much"), [(0, 0.1), (1, 0.1), (2, 1.0)])
def test_the_step_and_the_index_are_those_of_the_dense_matrix(seed: int, much: float) -> None:
    """Under large forces cables would roll off each other: then there is no step."""
    made, forces = pressed(seed, much)
    names, model, p = coordinates(made.model), rest(made.model), made.work.meets
    count = len(forces)
    assert (p.runs[:count].sum(axis=1) == 2).any()
    assert (p.runs[:count].sum(axis=1) == 1).sum() >= 3
    proximal = 1e-2 * model.yielding
    H, g = hessian(made, names, forces, with_contacts), with_contacts(made, names, forces)
    H[len(names) :, len(names) :] -= proximal * np.eye(count)
    assemble(model, made.state, made.work)
    assert place_terms(model, made.state, made.work, proximal)
    meet_acts(model, made.state, made.work)
    p.on[:count] = 1
    sticky = model._replace(yielding=0.0)  # nothing lets go
    index = between_cables(sticky, made.state, made.work, 0.0, proximal, 1e9, False)
    assert p.on[:count].all()
    expected = np.linalg.solve(H, -g)
    found = stepped(made, names)
    for what in "nxq" if index == 0 else "":
        mine = [k for k, name in enumerate(names) if name[0] == what]
        assert found[mine] == pytest.approx(expected[mine], rel=1e-3, abs=1e-3 * float(np.abs(expected[mine]).max()))
    wanted = forces + expected[len(names) :]
    assert p.wanted[:count] == pytest.approx(wanted, rel=1e-3, abs=1e-3 * float(np.abs(wanted).max()))
    rows = sum(name[0] == "n" for name in names) + count
    assert index == int((np.linalg.eigvalsh(H) < 0.0).sum()) - rows
    assert (index > 0) == (much == 1.0)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 40])
def test_factors_of_symmetric_matrices(size: int) -> None:
    rng = np.random.default_rng(size)
    for kind in range(20):
        a = rng.normal(size=(size, size))
        a = a + a.T
        if kind % 2:
            np.fill_diagonal(a, 0.0)  # no pivot of one
        if size == 1:
            a[:] = kind - 9.5
        b, work, pivot = rng.normal(size=size), np.tril(a), np.zeros(size, np.int64)
        negative = symmetric.factored(size, work, pivot, np.zeros((size, 2)))
        assert negative == int((np.linalg.eigvalsh(a) < 0.0).sum())
        x = b.copy()
        assert symmetric.solved(size, work, pivot, x)
        assert a @ x == pytest.approx(b, abs=1e-9 * float(np.linalg.cond(a)))


# ---- order -----------------------------------------------------------------------------------------------------------


def crossing(points: int, angle: float) -> Simulation:
    """A cable lifted from below against another that it crosses."""
    c, s = float(np.cos(angle)), float(np.sin(angle))

    def end(sign: float, height: float) -> list[float]:
        return [0.21 * sign * c + 0.013, 0.21 * sign * s, height]

    wire = {"stiffness": {"bending": 0.003, "torsion": 0.0024}, "mass_per_length": 0.1, "radius": 0.005}
    tangent = [c, s, 0.0]
    cables = [
        {
            "name": "a", **wire, "points": points, "length": 0.46,
            "start": {"position": [-0.21, 0, 0.03], "tangent": [1, 0, 0], "roll": 0},
            "end": {"position": [0.22, 0, 0.035], "tangent": [1, 0, 0], "roll": 0},
        },
        {
            "name": "b", **wire, "points": points, "length": 0.45,
            "start": {"position": end(-1, -0.03), "tangent": tangent, "roll": 0},
            "end": {"position": end(1, -0.03), "tangent": tangent, "roll": 0},
        },
    ]  # fmt: skip
    made = Simulation(Scene.from_dict({"cables": cables}))
    made.solve().raise_if_failed()
    for k in range(1, 23):
        made.move("b/start", position=tuple(end(-1, -0.03 + 0.004 * k)))
        made.move("b/end", position=tuple(end(1, -0.03 + 0.004 * k)))
        report = made.solve().raise_if_failed()
    assert report.cables["a"].methods[-1] == "core"
    assert len(made.contacts) == 1
    return made


@cache
def fine(angle: float) -> Simulation:
    return crossing(129, angle)


def test_contact_between_cables_is_of_fourth_order() -> None:
    """The mean over angles: they touch elsewhere within their segments."""
    grids = (17, 33, 65)
    errors: list[list[float]] = []
    for angle in np.radians([50.0, 65.0, 80.0, 90.0]):
        truth = fine(float(angle))
        errors.append([])
        for points in grids:
            made = crossing(points, float(angle))
            off = [made.cable(k).positions - truth.cable(k).positions[:: 128 // (points - 1)] for k in "ab"]
            errors[-1].append(max(float(np.abs(k).max()) for k in off) / 0.46)
    mean = np.exp(np.log(np.array(errors)).mean(axis=0))
    assert mean[-1] < 1e-6
    assert -np.polyfit(np.log(np.array(grids) - 1.0), np.log(mean), 1)[0] > 3.5
