"""The estimated error: its derivatives, its order, and how well it meets the true one."""

import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom import Simulation
from lissom.rods.judge import elimination, error, flow
from lissom.rods.line import PointLoad
from lissom.scene import Scene
from tests.rods.judge.answers import answer_of
from tests.rods.judge.random_cables import FINER, scene_of, solved, true_error
from tests.rods.random_scenes import CABLE

Array = NDArray[np.float64]

JUDGE = Path(error.__file__).parent
MAY_IMPORT = ("lissom.kernels", "lissom.geometry", "lissom.rods.line", "lissom.rods.judge")
STEP = 1e-6
SEEDS = range(40)
ORDERS = {"rod": 4.0, "extensible": 2.0, "rope": 2.0}


def scene(points: int, **changes: Any) -> Scene:
    """A hose between two clamps with a clip, all on points of every grid here."""
    cable: dict[str, Any] = {
        "name": CABLE,
        "length": 1.0,
        "points": points,
        "stiffness": {"bending": [0.02, 0.03], "torsion": 0.015},
        "mass_per_length": 0.1,
        "start": {"position": [0.0, 0.0, 0.0], "tangent": [1.0, 0.0, 0.2]},
        "end": {"position": [0.6, 0.2, 0.1], "tangent": [1.0, 0.5, 0.0]},
        "clips": [{"at": 0.5, "kind": "ball", "position": [0.3, 0.05, -0.1]}],
        "loads": [{"at": 0.75, "force": [0.0, 0.1, -0.05]}],
    }
    return Scene.from_dict({"cables": [{**cable, **changes}]})


def of_kind(kind: str, points: int) -> Scene:
    if kind == "rod":
        return scene(points)
    if kind == "extensible":
        return scene(points, stiffness={"bending": 0.02, "torsion": 0.015, "axial": 20.0})
    ball = {"kind": "ball"}
    return scene(
        points,
        stiffness={"bending": 0.0},
        start={"position": [0.0, 0.0, 0.0], **ball},
        end={"position": [0.6, 0.2, 0.1], **ball},
        clips=[],
        loads=[],
    )


def piece(rng: np.random.Generator, h: float) -> tuple[Array, flow.Scratch]:
    """A random segment and state, of an extensible cable with two bending stiffnesses and a rest strain that varies."""
    segment = rng.normal(size=(1, flow.SEGMENT))
    segment[0, flow.H] = h
    segment[0, flow.FLEXIBILITY : flow.REST] = rng.uniform(0.3, 1.0, 3)
    segment[0, flow.COMPLIANCE] = 0.05
    work = flow.scratch()
    work.stage[0, :13] = rng.normal(size=13)
    work.stage[0, 3:7] /= np.linalg.norm(work.stage[0, 3:7])
    return segment, work


def moved(state: Array, e: Array) -> Array:
    """The state (x, q, n, m) changed by e = (δx, θ, δn, δm)."""
    out = state.copy()
    out[:3] += e[:3]
    out[7:13] += e[6:]
    angle = float(np.linalg.norm(e[3:6]))
    if angle > 0.0:
        w, v = math.cos(0.5 * angle), math.sin(0.5 * angle) / angle * e[3:6]
        q0, q = state[3], state[4:7]
        out[3] = w * q0 - v @ q
        out[4:7] = w * q + q0 * v + np.cross(v, q)
    return out


def change(after: Array, before: Array) -> Array:
    turn = flow.turn_between(tuple(after[3:7]), tuple(before[3:7]))
    return np.concatenate([after[:3] - before[:3], turn, after[7:13] - before[7:13]])


@pytest.mark.parametrize("seed", range(4))
def test_the_linearised_flow_meets_differences_of_the_integration(seed: int) -> None:
    segment, work = piece(np.random.default_rng(seed), 0.05)
    start = work.stage[0].copy()
    flow.integrate(segment, 0, work)
    flow.linearise(segment, 0, work)
    for first in (0, 6):
        columns = np.zeros((flow.ROWS, flow.COLUMNS))
        columns[first : first + 6, :6] = np.eye(6)
        flow.carry(columns, segment[0, flow.H], work)
        for k in range(6):
            ends = []
            for sign in (1.0, -1.0):
                other = flow.scratch()
                other.stage[0] = moved(start, sign * STEP * np.eye(12)[first + k])
                flow.integrate(segment, 0, other)
                ends.append(other.stage[2].copy())
            np.testing.assert_allclose(columns[:12, k], change(*ends) / (2.0 * STEP), atol=2e-7)


def test_a_change_of_force_moves_a_rope_as_differences_say() -> None:
    segment, work = piece(np.random.default_rng(5), 0.4)
    start = work.stage[0].copy()
    columns = np.zeros((flow.ROWS, flow.COLUMNS))
    columns[flow.FORCE : flow.MOMENT, :3] = np.eye(3)
    flow.integrate_rope(segment, 0, work)
    flow.carry_rope(columns, work)
    for k in range(3):
        ends = []
        for sign in (1.0, -1.0):
            work.stage[0] = start
            work.stage[0, 7 + k] += sign * STEP
            flow.integrate_rope(segment, 0, work)
            ends.append(work.stage[2, :3].copy())
        np.testing.assert_allclose(columns[:3, k], (ends[0] - ends[1]) / (2.0 * STEP), atol=1e-8)


def test_the_rule_of_the_judge_is_of_sixth_order() -> None:
    errors = []
    for h in (0.4, 0.2):
        segment, work = piece(np.random.default_rng(1), h)
        start = work.stage[0].copy()
        flow.integrate(segment, 0, work)
        once = work.stage[2].copy()
        work.stage[0] = start
        parts = 16
        whole = segment.copy()
        for k in range(parts):
            part = whole.copy()
            part[0, flow.H] = h / parts
            part[0, flow.REST : flow.SLOPE] += k * h / parts * whole[0, flow.SLOPE : flow.WEIGHT]
            flow.integrate(part, 0, work)
            work.stage[0] = work.stage[2]
        errors.append(np.abs(change(once, work.stage[0])).max())
    assert 6.5 < math.log2(errors[0] / errors[1]) < 8.5  # of one step: one more than the order


@pytest.mark.parametrize("kind", ORDERS)
def test_the_estimate_falls_with_the_order_of_the_element(kind: str) -> None:
    estimates = []
    for points in (33, 65, 129):
        result = solved(of_kind(kind, points))
        assert result is not None
        estimates.append(error.estimate(result._line, answer_of(result)))
    for coarse, fine in itertools.pairwise(estimates):
        assert math.log2(coarse / fine) == pytest.approx(ORDERS[kind], abs=0.25)


def test_the_estimate_meets_the_true_error_of_random_cables() -> None:
    """Most pairs that are off are two equilibria: of 1000 cables 98.9 % are within a factor of 3."""
    ratios = []
    for seed in SEEDS:
        coarse, fine = solved(scene_of(seed, 33)), solved(scene_of(seed, FINER * 32 + 1))
        if coarse is None or fine is None:
            continue
        true = true_error(coarse, fine)
        if 1e-9 * coarse.length < true < 0.05 * coarse.length:
            ratios.append(error.estimate(coarse._line, answer_of(coarse)) / true)
    found = np.array(ratios)
    assert len(found) > 20
    assert np.mean((found > 1.0 / 3.0) & (found < 3.0)) >= 0.9
    assert np.median(found) == pytest.approx(1.0, abs=0.1)


def test_a_circle_has_no_error() -> None:
    """A moment 2πB/L closes a rod into a circle, exactly in either element."""
    moment = 2.0 * math.pi * 0.02
    result = solved(
        scene(
            17,
            stiffness={"bending": 0.02, "torsion": 0.015},
            mass_per_length=0.0,
            start={"position": [0.0, 0.0, 0.0], "tangent": [1.0, 0.0, 0.0]},
            end=None,
            clips=[],
            loads=[{"at": 1.0, "moment": [0.0, moment, 0.0]}],
        )
    )
    assert result is not None
    assert error.estimate(result._line, answer_of(result)) < 1e-8  # what the judge's own rule errs by


def test_a_contact_counts_as_a_support_that_holds_its_normal() -> None:
    """The same for a clip that holds one axis only and for a push along it, taken out of the supports."""
    result = solved(scene(33, clips=[{"at": 0.5, "kind": "ball", "position": [0.3, 0.05, -0.1], "free": ["x", "y"]}]))
    assert result is not None
    line, answer = result._line, answer_of(result)
    clip = line.supports[1]
    push = np.array([[clip.place, *result.reactions[clip.name].force, 0.0, 0.0, 1.0]])
    bare = replace(line, supports=(line.supports[0], line.supports[2]))
    expected = error.estimate(line, answer)
    assert error.estimate(bare, answer, push) == pytest.approx(expected, rel=1e-6)
    assert error.estimate(bare, answer, push, np.array([0.0])) != pytest.approx(expected, rel=1e-3)


def test_a_contact_between_points_of_a_cable_over_a_bar() -> None:
    def over_a_bar(points: int) -> Simulation:
        bar = {"kind": "cylinder", "radius": 0.1, "length": 1.0}
        part = {"name": "bar", "shape": bar, "position": [0.5, 0.03, -0.16], "tangent": [0.0, 1.0, 0.0]}
        end = {"position": [1.0, 0.1, 0.0], "tangent": [1.0, 0.0, 0.0]}
        start = {"position": [0.0, 0.0, 0.0], "tangent": [1.0, 0.0, 0.0]}
        cable = scene(points, length=1.1, start=start, end=end, clips=[], loads=[], radius=0.005).to_dict()["cables"][0]
        simulation = Simulation(Scene.from_dict({"parts": [part], "cables": [cable]}))
        simulation.solve()
        return simulation

    simulation, reference = over_a_bar(33), over_a_bar(257)
    result = simulation.cable(CABLE)
    pushes = np.array([[k.place, *k.force, *k.normal] for k in simulation.contacts])
    assert len(pushes) > 0
    ratio = error.estimate(result._line, answer_of(result), pushes) / true_error(result, reference.cable(CABLE))
    assert 0.5 < ratio < 2.0


def test_a_push_that_holds_nothing_is_a_load() -> None:
    result = solved(scene(33))
    assert result is not None
    line, answer = result._line, answer_of(result)
    load: PointLoad = line.loads[0]
    push = np.array([[load.place, *load.force, 0.0, 0.0, 1.0]])
    assert error.estimate(replace(line, loads=()), answer, push, np.zeros(1)) == pytest.approx(
        error.estimate(line, answer), rel=1e-9
    )


def test_a_push_between_two_points_is_judged_there() -> None:
    """A load moved away from its point: the shape is off by what the load does over that way."""
    result = solved(scene(33))
    assert result is not None
    line, answer = result._line, answer_of(result)
    load = line.loads[0]
    shifts = []
    for way in (0.01, 0.02):
        shifted = replace(line, loads=())
        push = np.array([[load.place - way, *load.force, 0.0, 0.0, 1.0]])
        shifts.append(error.estimate(shifted, answer, push, np.zeros(1)))
    assert shifts[1] == pytest.approx(2.0 * shifts[0], rel=0.1)


def test_an_imbalance_is_seen() -> None:
    """A load that the answer does not carry moves it by about what the load would."""
    result = solved(scene(129))
    assert result is not None
    line, answer = result._line, answer_of(result)
    heavier = solved(scene(129, loads=[{"at": 0.75, "force": [0.0, 0.101, -0.05]}]))
    assert heavier is not None
    moved_by = np.linalg.norm(heavier.positions - result.positions, axis=1).max()
    assert error.estimate(heavier._line, answer) == pytest.approx(moved_by, rel=0.05)
    assert error.estimate(line, answer) < 0.01 * moved_by


def test_without_stiffness_there_is_no_estimate() -> None:
    result = solved(scene(17))
    assert result is not None
    pieces = tuple(replace(p, stiffness=(0.02, 0.02, 0.0)) for p in result._line.pieces)
    assert math.isnan(error.estimate(replace(result._line, pieces=pieces), answer_of(result)))


def test_a_rope_without_pull_has_no_estimate() -> None:
    result = solved(of_kind("rope", 17))
    assert result is not None
    answer = answer_of(result)
    slack = answer._replace(force_before=0.0 * answer.force_before, force_after=0.0 * answer.force_after)
    pieces = tuple(replace(p, mass=0.0) for p in result._line.pieces)
    assert math.isnan(error.estimate(replace(result._line, pieces=pieces), slack))


def test_columns_that_depend_on_each_other_are_said_so() -> None:
    assert not elimination.normalise(np.zeros((flow.ROWS, flow.COLUMNS)))
