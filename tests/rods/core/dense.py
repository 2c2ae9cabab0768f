"""The matrix of the core in full: every coordinate that may change, and the Lagrangian's derivatives by differences."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import Scene, Simulation
from lissom.rods.bodies import matrix
from lissom.rods.core import advance
from lissom.rods.core.model import Model, State
from lissom.rods.core.network import Network
from lissom.rods.core.residuals import assemble
from lissom.scene.frames import product

Array = NDArray[np.float64]

TAPE = {"stiffness": {"bending": [0.02, 0.03], "torsion": 0.015}, "mass_per_length": 0.1, "collide": False, "points": 5}
TREE: dict[str, Any] = {
    "format": 1,
    "cables": [
        {"name": "a", **TAPE, "length": 0.4, "start": {"position": [0, 0, 0], "tangent": [1, 0, 0]}},
        {
            **TAPE,
            "name": "b",
            "length": 0.5,
            "loads": [{"at": 0.6, "force": [0.1, 0.2, -0.3]}],
            "clips": [{"at": 0.5, "kind": "ball", "position": [0.5, 0.15, 0.0], "free": ["y"]}],
            "end": {"position": [0.6, 0.3, 0.05]},
        },
        {**TAPE, "name": "c", "length": 0.3, "rest": {"curvature": [1.0, 2.0, -1.0]}},
        {**TAPE, "name": "d", "length": 0.2},
        {"name": "e", **TAPE, "length": 0.25, "end": {"position": [0.8, -0.2, -0.1], "tangent": [0, -1, 0.8]}},
    ],
    "junctions": [
        {
            "name": "Y",
            "mass": 0.02,
            "members": [
                {"cable": "a", "at": "end", "position": [0.01, 0.0, 0.005]},
                {"cable": "b", "at": "start", "tangent": [1, 1, 0]},
                {"cable": "c", "at": "start", "tangent": [1, -1, 0], "position": [0.0, -0.02, 0.0]},
            ],
        },
        {
            "name": "Z",
            "members": [
                {"cable": "c", "at": "end"},
                {"cable": "d", "at": "start", "tangent": [1, 0.3, 0]},
                {"cable": "e", "at": "start", "tangent": [1, -1, 0.2]},
            ],
        },
    ],
}


def network() -> Network:
    simulation = Simulation(Scene.from_dict(TREE))
    simulation.solve().raise_if_failed()
    assert simulation._cables.islands is not None
    (assembly,) = simulation._cables.islands.assemblies
    found = Network(list(assembly.solvers.values()), assembly.bodies)
    found.take([k.positions() for k in found.solvers])
    return found


def disturbed(seed: int, much: float, loose: bool = False) -> Network:
    """Somewhere, out of balance. `loose`: with a ball and a swivel in place of two of its clamps on hubs."""
    made, rng = network(), np.random.default_rng(seed)
    if loose:
        seats = made.model.end
        seats.direction[np.flatnonzero(seats.hub >= 0)[:2]] = (0, 1)
    sizes = [much * max(float(np.abs(made.state.n).max()), 1.0), 0.0, 0.0]
    made.state.n[:] += sizes[0] * rng.normal(size=made.state.n.shape)
    step = rng.normal(size=len(coordinates(made.model))) * much
    move(made, made.state, coordinates(made.model), step)
    return made


# ---- coordinates in which everything that may move moves -------------------------------------------------------------

Coordinate = tuple[str, int, int]  # what, which, axis
Gradient = Callable[[Network, list[Coordinate]], Array]
WithForces = Callable[[Network, list[Coordinate], Array], Array]


def coordinates(model: Model) -> list[Coordinate]:
    found: list[Coordinate] = []
    seated = {}
    for b in range(len(model.first)):
        for side, seats in ((0, model.start), (1, model.end)):
            if seats.hub[b] >= 0:
                i = model.first[b] if (side == 0) == (model.sense[b] > 0) else model.last[b]
                seated[int(i)] = int(seats.direction[b])
        for s in range(model.first[b], model.last[b]):
            found += [("n", s, k) for k in range(3)]
    for i in range(len(model.h)):
        if i not in seated:
            found += [("x", i, k) for k in range(3) if model.holds[i, k] == 0.0]
            found += [("q", i, k) for k in range(3) if model.turns[i, k] == 1.0]
        else:
            found += [("q", i, k) for k in {0: (0, 1, 2), 1: (2,), 2: ()}[seated[i]]]
    for hub in range(len(model.hub_weight)):
        found += [(what, hub, k) for what in ("y", "p") for k in range(3)]
    return found


def move(made: Network, state: State, names: list[Coordinate], step: Array) -> None:
    arrays = {"n": state.n, "x": state.x, "y": state.y}
    turns: dict[tuple[str, int], Array] = {}
    for (what, i, k), d in zip(names, step, strict=True):
        if what in arrays:
            arrays[what][i, k] += d
        else:
            turns.setdefault((what, i), np.zeros(3))[k] = d
    before = state.p.copy()
    for (what, i), turn in turns.items():
        if what == "p":
            state.p[i] = turned(state.p[i], turn)
    model = made.model
    for b in range(len(model.first)):  # tangents turn with their hubs; the roll is a coordinate of its own
        for side, seats in ((0, model.start), (1, model.end)):
            if seats.hub[b] >= 0 and seats.direction[b] == 1:
                i = model.first[b] if (side == 0) == (model.sense[b] > 0) else model.last[b]
                w, x, y, z = before[seats.hub[b]]
                local = product((w, -x, -y, -z), tuple(state.q[i]))
                rolled = matrix(np.array(local)).T @ turns.get(("p", int(seats.hub[b])), np.zeros(3))
                state.q[i] = product(tuple(state.p[seats.hub[b]]), local)
                state.q[i] = turned(state.q[i], np.array([0.0, 0.0, -rolled[2]]))
    for (what, i), turn in turns.items():
        if what == "q":
            state.q[i] = turned(state.q[i], turn)
    advance.seat(model, state)


def turned(q: Array, a: Array) -> Array:
    size = float(np.linalg.norm(a))
    half = 0.5 * a * (1.0 if size < 1e-12 else np.sin(0.5 * size) / (0.5 * size))
    return np.array(product(tuple(q), (float(np.cos(0.5 * size)), *half)))


def gradient(made: Network, names: list[Coordinate]) -> Array:
    """Of the Lagrangian, gathered from what the kernel left."""
    model, work = made.model, made.work
    assemble(model, made.state, work)
    found = dict.fromkeys(names, 0.0)

    def add(what: str, i: int, values: Array) -> None:
        for k in range(3):
            if (what, i, k) in found:
                found[what, i, k] += float(values[k])

    for hub in range(len(model.hub_weight)):
        add("y", hub, work.hub_load[hub])
        add("p", hub, work.hub_moment[hub, :3])
    for b in range(len(model.first)):
        count, row, sense = model.last[b] - model.first[b], model.row[b], model.sense[b]
        for j in range(count + 1):
            i = int(model.first[b] + j if sense > 0 else model.last[b] - j)
            g = np.zeros(3)
            if j > 0:
                g += work.element[row + j - 1, 48:51]
            if j < count:
                g += work.element[row + j, 45:48]
            seats = model.start if j == 0 else model.end
            if j in (0, count) and seats.hub[b] >= 0:
                held = {0: (0.0, 0.0, 0.0), 1: (1.0, 1.0, 0.0), 2: (1.0, 1.0, 1.0)}[int(seats.direction[b])]
                add("p", int(seats.hub[b]), matrix(seats.turn[b]) @ roll(made, b, j == 0) @ (np.array(held) * g))
            else:
                add("x", i, work.r[row + j])
            add("q", i, g)
            if j < count:
                add("n", i if sense > 0 else i - 1, sense * work.element[row + j, 51:54])
    return np.array([found[name] for name in names])


def roll(made: Network, b: int, at_start: bool) -> Array:
    """(3, 3) of a frame on its hub against the frame that the hub has for it."""
    model, seats = made.model, made.model.start if at_start else made.model.end
    i = model.first[b] if at_start == (model.sense[b] > 0) else model.last[b]
    w, x, y, z = product(tuple(made.state.p[seats.hub[b]]), tuple(seats.turn[b]))
    return np.eye(3) if seats.direction[b] == 2 else matrix(np.array(product((w, -x, -y, -z), tuple(made.state.q[i]))))


def dense(made: Network, names: list[Coordinate], gradient: Gradient = gradient) -> Array:
    """(z, z) second derivatives, by differences of the gradient."""
    arrays = made.state[:5]
    keep = [a.copy() for a in arrays]
    H = np.zeros((len(names), len(names)))
    for k, (what, _, _) in enumerate(names):
        size = 1e-6 * (max(1.0, float(np.abs(keep[2]).max())) if what == "n" else 0.1)
        sides = []
        for sign in (1.0, -1.0):
            step = np.zeros(len(names))
            step[k] = sign * size
            move(made, made.state, names, step)
            sides.append(gradient(made, names))
            for a, b in zip(arrays, keep, strict=True):
                a[:] = b
        H[:, k] = (sides[0] - sides[1]) / (2.0 * size)
    return H


def hessian(made: Network, names: list[Coordinate], forces: Array, gradient: WithForces) -> Array:
    """Second derivatives by the coordinates and by forces of places, of which `gradient` knows both."""
    arrays = made.state[:5]
    keep = [a.copy() for a in arrays]
    size = len(names) + len(forces)
    H = np.zeros((size, size))
    for k in range(size):
        step = 1e-6 if k >= len(names) or names[k][0] == "n" else 1e-7
        sides = []
        for sign in (1.0, -1.0):
            by, changed = np.zeros(len(names)), forces.copy()
            if k < len(names):
                by[k] = sign * step
            else:
                changed[k - len(names)] += sign * step
            move(made, made.state, names, by)
            sides.append(gradient(made, names, changed))
            for a, b in zip(arrays, keep, strict=True):
                a[:] = b
        H[:, k] = (sides[0] - sides[1]) / (2.0 * step)
    return 0.5 * (H + H.T)


def stepped(made: Network, names: list[Coordinate]) -> Array:
    """The step that the core has found."""
    model, work = made.model, made.work
    found: dict[Coordinate, float] = {}
    for b in range(len(model.first)):
        count, row, sense = model.last[b] - model.first[b], model.row[b], model.sense[b]
        for j in range(count + 1):
            i = int(model.first[b] + j if sense > 0 else model.last[b] - j)
            for k in range(3):
                found["x", i, k], found["q", i, k] = work.dx[row + j, k], work.phi[row + j, k]
                if j < count:
                    found["n", i if sense > 0 else i - 1, k] = sense * work.u[row + j, k]
    for hub in range(len(model.hub_weight)):
        for k in range(3):
            found["y", hub, k], found["p", hub, k] = work.hub_dy[hub, k], work.hub_phi[hub, k]
    return np.array([found[name] for name in names])


def rest(model: Model) -> Model:
    """Without what holds free ends and softens held points, on the way."""
    return model._replace(anchor=1e-9, give=1e-20)
