"""The pull of a span: what the energy loses when the cable grows, −∂V/∂ℓ, from one equilibrium alone."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from lissom.rods import routing
from lissom.scene import Scene
from lissom.simulation import Simulation

SPAN: dict[str, Any] = {
    "name": "hose",
    "length": 0.42,
    "points": 129,
    "stiffness": {"bending": 0.035, "torsion": 0.025},
    "mass_per_length": 0.107,
    "start": {"position": [0.0, 0.0, 0.1], "tangent": [1.0, 0.0, 0.0]},
    "end": {"position": [0.2, 0.14, -0.02], "tangent": [0.0, 0.6, -0.8]},
}
BEND = [[0.2 * math.sin(t), 0.0, 0.2 * (1 - math.cos(t))] for t in np.linspace(0.0, 2.1, 15)]
TAPED = {"taped": {"stiffness": {"bending": 0.08, "torsion": 0.05}, "mass_per_length": 0.3}}

CABLES: dict[str, dict[str, Any]] = {
    "plain": {},
    "heavy": {"mass_per_length": 2.0},
    "twisted": {"twist": 5.0},
    "flat": {"stiffness": {"bending": [0.01, 0.1], "torsion": 0.02}},
    "curved": {"rest": {"curvature": [2.0, -4.0, 1.0]}},
    "curved more and more": {"rest": {"curvature": [[0.1 * k, -4.0, 0.0] for k in range(129)]}},
    "moulded": {"length": 0.42, "rest": {"points": BEND}},
    "stretching": {"stiffness": {"bending": 0.035, "torsion": 0.025, "axial": 300.0}, "length": 0.27},
    "loaded at a fraction": {"loads": [{"at": 0.4, "force": [0.3, 0, -1.0]}]},
    "loaded at a length": {"loads": [{"from_start": 0.2, "force": [0.3, 0, -1.0]}]},
    "taped": {"stretches": [{"from": 0.3, "to": 0.6, "type": "taped"}]},
    "swivelling": {"end": {**SPAN["end"], "kind": "swivel"}},
    "on a hinge": {"end": {"position": SPAN["end"]["position"]}},
    "through a ring": {"clips": [{"at": 0.5, "kind": "ring", "position": [0.12, 0.03, 0.1]}]},
}


def simulation(**fields: Any) -> Simulation:
    return Simulation(Scene.from_dict({"cables": [{**SPAN, **fields}], "types": TAPED}))


def energy(sim: Simulation) -> float:
    """With heights counted from the middle between the two ends."""
    found = sim.cable("hose")
    middle = 0.5 * (found.positions[0] + found.positions[-1])
    weight = np.sum(found._grid.weight * found._grid.h[:, None], axis=0)
    return found.energy["total"] + float(weight @ middle)


@pytest.mark.parametrize("kind", CABLES)
def test_the_pull_is_what_the_energy_loses(kind: str) -> None:
    fields = CABLES[kind]
    length = float(fields.get("length", 0.42))
    values = []
    for by in (-2e-4, 2e-4):
        sim = simulation(**fields)
        sim.solve().raise_if_failed()
        sim.lengthen("hose", by=by * length)
        sim.solve().raise_if_failed()
        values.append(energy(sim))
    sim = simulation(**fields)
    sim.solve().raise_if_failed()
    mode = sim.soften("hose")
    pull, scale = mode.balance().pull[0], mode.balance().scale[0]
    assert pull == pytest.approx((values[0] - values[1]) / (4e-4 * length), abs=2e-4 * (scale + abs(pull)))


def test_without_changes_along_it_the_pull_is_the_mean_of_the_two_ends() -> None:
    """H + f·x is the same all along such a cable [docs/theory/routing.md (4)]."""
    sim = simulation(twist=2.0)
    sim.solve().raise_if_failed()
    found = sim.cable("hose")
    ends = []
    for k in (0, -1):
        M = found.moment[k]
        bend, twist = M @ M - (M @ found.tangents[k]) ** 2, (M @ found.tangents[k]) ** 2
        ends.append(found.tension[k] + 0.5 * bend / 0.035 + 0.5 * twist / 0.025)
    assert sim.soften("hose").balance().pull[0] == pytest.approx(0.5 * sum(ends), abs=1e-6)


def test_a_catenary_pulls_with_its_tension() -> None:
    sim = simulation(stiffness={"bending": 0}, start={"position": [0, 0, 0]}, end={"position": [0.3, 0, 0]}, points=401)
    sim.solve().raise_if_failed()
    a = brentq(lambda a: 2.0 * a * math.sinh(0.15 / a) - 0.42, 0.05, 1.0)
    assert sim.soften("hose").balance().pull[0] == pytest.approx(0.107 * 9.81 * a * math.cosh(0.15 / a), rel=1e-4)


def test_newton_on_lengths_finds_the_minimum_of_a_known_energy() -> None:
    """Two spans with V = A/(ℓ − r) each and a coupling; a soft one next to a stiff one."""
    A, k, way = np.array([1e-3, 2.0]), np.array([3.0, 40.0]), np.array([0.2, 0.3])
    couple = 0.05

    def evaluate(y: np.ndarray[Any, np.dtype[np.float64]]) -> routing.Balance:
        x = np.exp(y)
        pull = A / x**2 - couple * (x - x[::-1])
        return routing.Balance(pull, k * (way + x) / way, np.ones(2), way, 1e-4 * way)

    found = routing.balance(evaluate, np.log(np.array([0.5, 0.01])), None)
    assert found.reason == ""
    assert np.all(evaluate(found.y).off < routing.TOLERANCE)


def test_what_cannot_be_balanced_says_so() -> None:
    way = np.array([0.2])

    def runaway(y: np.ndarray[Any, np.dtype[np.float64]]) -> routing.Balance:
        length = way + np.exp(y)
        return routing.Balance(2.0 * length, 1.0 * length, np.ones(1), way, 1e-4 * way)

    assert "no length is long enough" in routing.balance(runaway, np.log(way), None).reason

    def tight(y: np.ndarray[Any, np.dtype[np.float64]]) -> routing.Balance:
        length = way + np.exp(y)
        return routing.Balance(-np.ones(1), 1.0 * length, np.ones(1), way, 1e-4 * way)

    found = routing.balance(tight, np.log(way), None)
    assert (found.reason, found.straight) == ("", (0,))
