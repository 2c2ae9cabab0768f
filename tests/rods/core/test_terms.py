"""What presses, as terms of the front, against the dense matrix of a Lagrangian written down here."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from tests.rods.core.dense import Coordinate, coordinates, gradient, hessian, move, rest, stepped

from lissom import Scene, Simulation
from lissom.rods.bodies import matrix
from lissom.rods.core.factor import back, factor
from lissom.rods.core.network import Network
from lissom.rods.core.places import find, settle
from lissom.rods.core.residuals import assemble, swung_by_contacts
from lissom.rods.core.terms import PRESSES, place_terms

Array = NDArray[np.float64]

WIRE = {"stiffness": {"bending": 0.02, "torsion": 0.015}, "mass_per_length": 0.1, "points": 8, "radius": 0.01}
LYING: dict[str, Any] = {
    "format": 1,
    "cables": [
        {"name": "a", **WIRE, "length": 0.4, "start": {"position": [0, 0, 0], "tangent": [1, 0, 0]}},
        {"name": "b", **WIRE, "length": 0.45, "end": {"position": [0.7, 0.25, 0.0], "tangent": [1, 1, 0]}},
        {"name": "c", **WIRE, "length": 0.4, "end": {"position": [0.68, -0.25, -0.05]}},
    ],
    "parts": [
        {"name": "ball", "shape": {"kind": "sphere", "radius": 0.05}, "position": [0.2, 0.01, -0.085]},
        {
            "name": "bar",
            "shape": {"kind": "cylinder", "radius": 0.03, "length": 0.5},
            "position": [0.55, 0.15, -0.12],
            "tangent": [1, -0.6, 0.1],
        },
        {"name": "floor", "shape": {"kind": "plane"}, "position": [0, 0, -0.13]},
    ],
    "junctions": [
        {
            "name": "Y",
            "members": [
                {"cable": "a", "at": "end"},
                {"cable": "b", "at": "start", "tangent": [1, 1, 0], "position": [0.01, 0.01, 0]},
                {"cable": "c", "at": "start", "tangent": [1, -1, 0]},
            ],
        }
    ],
}


def distance(made: Network, part: int, x: Array) -> tuple[float, Array]:
    """(d, N) of one of these parts."""
    assert made.model.among is not None
    things = made.model.among.things
    R, o = things.rotation[part].reshape(3, 3), things.origin[part]
    local = R.T @ (x - o)
    kind = list(LYING["parts"])[part]["shape"]["kind"]
    if kind == "plane":
        return float(local[2]), R[:, 2]
    if kind == "cylinder":
        local[2] = 0.0
    radius = LYING["parts"][part]["shape"]["radius"]
    return float(np.linalg.norm(local)) - radius, R @ (local / np.linalg.norm(local))


def hermite(t: float, h: float) -> tuple[float, float, float, float]:
    return 2 * t**3 - 3 * t**2 + 1, 3 * t**2 - 2 * t**3, h * (t**3 - 2 * t**2 + t), h * (t**3 - t**2)


def curve(made: Network, s: int, t: float) -> Array:
    w, h = hermite(t, made.model.h[s]), made.state
    a, b = matrix(h.q[s])[:, 2], matrix(h.q[s + 1])[:, 2]
    return np.asarray(w[0] * h.x[s] + w[1] * h.x[s + 1] + w[2] * a + w[3] * b)


def give(made: Network, c: int, t: float) -> float:
    """m/N: of a clamped beam under a force at t: h³ t³ (1 − t)³/3B."""
    s = int(made.work.places.segment[c])
    return float(made.model.h[s] ** 3 * (t * (1.0 - t)) ** 3 / (3.0 * made.model.stiffness[s, 0]))


def least(made: Network, c: int, force: float) -> float:
    """Where λ g + ½ c λ² is stationary along the segment, near where the place is."""
    p = made.work.places
    s, part = int(p.segment[c]), int(made.model.among.part[p.pair[c]])

    def slope(t: float) -> float:
        e = 1e-5
        value = [distance(made, part, curve(made, s, k))[0] + 0.5 * force * give(made, c, k) for k in (t + e, t - e)]
        return (value[0] - value[1]) / (2 * e)

    t = float(p.t[c])
    low, high = max(t - 0.02, 2e-5), min(t + 0.02, 1 - 2e-5)
    return float(brentq(slope, low, high, xtol=1e-12))


def with_contacts(made: Network, names: list[Coordinate], forces: Array) -> Array:
    """Gradient of the Lagrangian with −λ g − ½ c λ² of every place; by λ in the end."""
    found = np.concatenate([gradient(made, names), np.zeros(len(forces))])
    number = {name: k for k, name in enumerate(names)}
    p, model = made.work.places, made.model
    seats = seated(made)

    def push(i: int, force: Array) -> None:
        if i in seats:
            hub, offset = seats[i]
            found[[number["y", hub, k] for k in range(3)]] -= force
            found[[number["p", hub, k] for k in range(3)]] -= np.cross(offset, matrix(made.state.p[hub]).T @ force)
        for k in range(3):
            if ("x", i, k) in number:
                found[number["x", i, k]] -= force[k]

    def bend(i: int, moment: Array) -> None:
        if i in seats:
            hub = seats[i][0]
            turn = matrix(made.state.p[hub]).T @ matrix(made.state.q[i])
            found[[number["p", hub, k] for k in range(3)]] -= turn @ moment
        for k in range(3):
            if ("q", i, k) in number:
                found[number["q", i, k]] -= moment[k]

    for c, force in enumerate(forces):
        s, m = int(p.segment[c]), int(p.pair[c])
        t = least(made, c, force) if p.runs[c] else float(p.t[c])
        d, N = distance(made, int(model.among.part[m]), curve(made, s, t))
        w = hermite(t, model.h[s])
        for side in (0, 1):
            push(s + side, force * w[side] * N)
            bend(s + side, force * w[2 + side] * np.cross([0.0, 0.0, 1.0], matrix(made.state.q[s + side]).T @ N))
        found[len(names) + c] = -(d - 0.01) - force * give(made, c, t)
    return found


def seated(made: Network) -> dict[int, tuple[int, Array]]:
    """Nodes on hubs: (hub, offset in its axes)."""
    model, found = made.model, {}
    for b in range(len(model.first)):
        for side, seats in ((0, model.start), (1, model.end)):
            if seats.hub[b] >= 0:
                i = model.first[b] if (side == 0) == (model.sense[b] > 0) else model.last[b]
                found[int(i)] = (int(seats.hub[b]), seats.offset[b])
    return found


def pressed(seed: int, much: float) -> tuple[Network, Array]:
    """Somewhere near rest, with forces at all places near parts, running ones among them."""
    simulation = Simulation(Scene.from_dict(LYING))
    simulation.solve().raise_if_failed()
    assert simulation._cables.islands is not None
    (assembly,) = simulation._cables.islands.assemblies
    made = assembly._core()
    assert made is not None
    made.take([k.positions() for k in assembly.solvers.values()], assembly._touched)
    rng, names = np.random.default_rng(seed), coordinates(made.model)
    made.state.n[:] += much * np.abs(made.state.n).max() * rng.normal(size=made.state.n.shape)
    move(made, made.state, names, [0.0 if k[0] == "n" else much * 0.1 * rng.normal() for k in names])  # type: ignore[arg-type]
    assemble(made.model, made.state, made.work)
    find(made.model, made.state, made.work, False)
    places = made.work.places
    count = int(places.total[0])
    places.force[:count] = rng.uniform(0.05, 0.5, count)
    settle(made.model, made.state, made.work)
    return made, places.force[:count].copy()


def proximal(made: Network) -> float:
    """m/N: places give way about the forces they have, as cables that lie at one place of a hub all do."""
    return 1e-2 * made.model.yielding


def factored(made: Network, on: Array) -> int:
    model = rest(made.model)
    assemble(model, made.state, made.work)
    assert place_terms(model, made.state, made.work, proximal(made))
    swung_by_contacts(model, made.state, made.work)
    terms = made.work.terms
    terms.on[: terms.total[0]] = on[terms.place[: terms.total[0]]]
    return int(factor(model, made.state, made.work, 0.0, 0))


@pytest.mark.parametrize("seed", range(4))
def test_the_step_and_the_index_are_those_of_the_dense_matrix(seed: int) -> None:
    made, forces = pressed(seed, 0.02)
    names = coordinates(made.model)
    assert made.work.places.runs[: len(forces)].sum() >= 2
    assert (made.work.places.t[: len(forces)] % 1.0 == 0.0).sum() >= 2
    H, g = hessian(made, names, forces, with_contacts), with_contacts(made, names, forces)
    H[len(names) :, len(names) :] -= proximal(made) * np.eye(len(forces))
    index = factored(made, np.ones(len(forces), np.int64))
    back(rest(made.model), made.state, made.work, 0)
    expected = np.linalg.solve(H, -g)
    found = stepped(made, names)
    for what in "nxqyp":
        mine = [k for k, name in enumerate(names) if name[0] == what]
        assert found[mine] == pytest.approx(expected[mine], rel=1e-3, abs=1e-3 * float(np.abs(expected[mine]).max()))
    terms = made.work.terms
    after = np.zeros(len(forces))
    for j in range(terms.total[0]):
        if terms.kind[j] == PRESSES:
            after[terms.place[j]] = terms.q[j]
    wanted = forces + expected[len(names) :]
    assert after == pytest.approx(wanted, rel=1e-3, abs=1e-3 * float(np.abs(wanted).max()))
    rows = sum(name[0] == "n" for name in names) + len(forces)
    assert index == int((np.linalg.eigvalsh(H) < 0.0).sum()) - rows
