"""The Newton system of cables that touch: its border against differences, its convergence, its Morse index."""

import math
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom import Simulation
from lissom.rods import newton
from lissom.rods.border import Terms
from lissom.rods.contacts import Contacts
from lissom.rods.system import System
from lissom.scene import Scene

Array = NDArray[np.float64]

B, LENGTH = 0.004, 1.0
EULER = math.pi**2 * B / LENGTH**2


def system_of(simulation: Simulation) -> System:
    assert simulation._cables.islands is not None
    (assembly,) = simulation._cables.islands.assemblies
    assert assembly._system is not None
    return assembly._system


def on_part_simulation(part: str, start: str, end: str) -> Simulation:
    simulation = Simulation(
        Scene.from_toml(f"""
        [[parts]]
        name = "part"
        {part}
        [[cables]]
        name = "cable"
        length = {LENGTH}
        points = 41
        stiffness = {{ bending = {B}, torsion = {B} }}
        mass_per_length = 0.2
        start = {start}
        end = {end}
        """)
    )
    simulation.solve().raise_if_failed()
    assert simulation.contacts
    return simulation


def on_part(part: str, start: str, end: str) -> System:
    return system_of(on_part_simulation(part, start, end))


PLANE = 'shape = { kind = "plane" }'
ACROSS = 'shape = { kind = "cylinder", radius = 0.05, length = 1 }\ntangent = [0, 1, 0]\nposition = [0.4, 0, -0.28]'
BALL = 'shape = { kind = "sphere", radius = 0.1 }\nposition = [0.4, 0.03, -0.33]'
SCENES = {
    "plane": (PLANE, "{ position = [0, 0, 0.02] }", "{ position = [0.9, 0.1, 0.3] }"),
    "cylinder": (ACROSS, "{ position = [0, 0, 0] }", "{ position = [0.8, 0.1, 0.05] }"),
    "ball": (BALL, "{ position = [0, 0, 0] }", "{ position = [0.8, 0.1, 0.05] }"),
}


@pytest.mark.parametrize("name", ["plane", "cylinder"])
def test_columns_are_derivatives_of_the_places(name: str) -> None:
    """A column is how far a place moves along a direction as each frame turns."""
    system = on_part(*SCENES[name])
    link = system.links[0]
    rng = np.random.default_rng(1)
    segment, t = np.array([3, 17, 38, 38]), np.array([0.3, 0.0, 0.75, 1.0])
    direction = rng.normal(size=(4, 3))
    none = Terms(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 3)))
    link.evaluate(none)
    own = link.own
    link.fill(np.arange(4), Terms(own + np.arange(4), segment, t, direction), [])
    columns = link.work.columns[:, own : own + 4].copy()
    step = 1e-6
    for frame in rng.choice(len(link.q), 12, replace=False):
        for axis in range(3):
            turn = np.zeros((len(link.q), 3))
            turn[frame, axis] = 1.0
            ends: list[Array] = []
            for side in (step, -step):
                x = link.locate(link.turned(turn, side), link.nu)
                place = x[segment] + t[:, None] * (x[segment + 1] - x[segment])
                ends.append(np.einsum("ck,ck->c", place, direction))
            assert columns[frame, :, axis] == pytest.approx((ends[0] - ends[1]) / (2.0 * step), abs=1e-8)


@pytest.mark.parametrize("name", ["cylinder", "ball"])
def test_convergence_is_quadratic(name: str) -> None:
    """With the curvature of what is touched, and places that run, in the matrix: errors square with each step."""
    system = on_part(*SCENES[name])
    link, contacts = system.links[0], system.contacts
    assert contacts.inside[contacts.force > 0.0].all()
    q, nu = link.q.copy(), link.nu.copy()
    noise = np.random.default_rng(2).uniform(-1.0, 1.0, (len(q), 3))
    turns = np.stack([np.convolve(column, np.ones(15) / 15.0, "same") for column in noise.T], axis=1)
    away = link.turned(turns * link.chain.mask, 3e-3)
    errors: list[float] = []
    for steps in range(3):
        link.q[:], link.nu[:] = away, nu
        system.contacts = contacts.where(np.arange(len(contacts)))
        outcome = system.settle(steps, 1e-15, 1e-16)
        errors.append(max(outcome.residual, outcome.closure))
    first, second = (math.log(b / a) for a, b in pairwise(errors))
    assert first < math.log(1e-2)
    assert second / first > 1.7
    assert system.contacts.force.max() == pytest.approx(contacts.force.max(), rel=1e-6)


STRAIGHT = ("{ position = [0, 0, 0] }", '{ position = [1, 0, 0], free = ["x"] }')


def index(system: System, compression: float) -> int:
    """Morse index of a straight cable along x that is pressed together by so much."""
    link = system.links[0]
    link.base[:, 0] = -compression
    system.evaluate()
    residual, _, _ = system._errors()
    assert residual < 1e-6  # straight is an equilibrium under any compression
    columns = system._columns()
    system._fill(columns)
    shift = max(newton.NEARLY_NEUTRAL * system.soft, newton.ROUNDING * system.block)
    return system._reduce(columns, shift)[0]


def test_index_of_a_rod_pressed_on_a_wall() -> None:
    """Hinged at both ends, it buckles sideways beyond Euler's loads k²π²B/L². Into the wall it cannot, and off it does
    not while its weight presses it on. Without the wall every load counts twice.
    """
    system = on_part(PLANE, *STRAIGHT)
    assert int(np.count_nonzero(system.contacts.force > 0.0)) > 30
    for times, expected in ((0.5, 0), (0.9, 0), (1.1, 1), (3.8, 1), (4.2, 2), (8.8, 2), (9.2, 3)):
        assert index(system, times * EULER) == expected, f"at {times} of Euler's load"


def test_index_without_the_wall() -> None:
    system = on_part(PLANE, *STRAIGHT)
    link = system.links[0]
    link.base[:, 1:], link.nu[:] = 0.0, 0.0  # no weight, nothing to lie on
    system.contacts = Contacts.none()
    for times, expected in ((0.9, 0), (1.1, 2), (3.8, 2), (4.2, 4)):
        assert index(system, times * EULER) == expected, f"at {times} of Euler's load"


def test_a_wall_keeps_a_rod_from_buckling_towards_it() -> None:
    """Pressed together, a rod that lies on a wall can only bow along it, and the bow is stable."""
    system = on_part(PLANE, "{ position = [0, 0, 0] }", "{ position = [0.97, 0, 0] }")
    x = system.links[0].x
    assert float(x[:, 2].min()) > -1e-6
    assert float(x[:, 2].max()) < 1e-3
    assert float(np.abs(x[:, 1]).max()) > 0.1
