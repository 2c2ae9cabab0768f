"""Random cables: all of them converge, and to the true shape; those that are too short say by how much.

What "the true shape" means here, for every scene:

- An answer without a warning stays within 1e-3·L when it is solved again, cold, with twice the points. Where the report
  asks for more points ("use at least 84 points") it gets them first: that is what the warning is for.
- Many cables have several equilibria, and with other points a cold solve may end in another one. That counts only if
  it is proven: each of the two shapes, taken over to the other grid, stays where it is (within 1e-3·L), both are
  certified stable, and their energies differ. It may happen to one scene in fifty.
- A boundary value solver that shares nothing with ours, started from our shape, stays within 1e-4·L of it.

`make soak` runs all of 1,000 feasible, 200 infeasible and 50 boundary value problems, each test run a sample.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from lissom import cli
from lissom.rods.result import CableResult
from lissom.scene import Scene, SceneError
from lissom.simulation import Simulation
from tests.rods.boundary_value import rod_of
from tests.rods.random_scenes import CABLE, feasible, fuzzed, infeasible

Array = NDArray[np.float64]

MOST_ITERATIONS = 100
SAME_SHAPE = 1e-3  # of the length, between a grid and one with twice the points
MOST_ELSEWHERE = 0.02  # of the scenes may end in another equilibrium on the finer grid
STATUSES = {"converged", "not_converged", "infeasible", "under_resolved", "unstable"}


def seeds(sample: int, everything: int) -> pytest.MarkDecorator:
    """A few in every run, all of them in `make soak`."""
    return pytest.mark.parametrize(
        "seeds",
        [
            pytest.param(range(sample), id=f"{sample}"),
            pytest.param(range(everything), id=f"{everything}", marks=pytest.mark.soak),
        ],
    )


# ---- feasible ------------------------------------------------------------------------------------------------------


def fault(scene: Scene) -> str:
    """What is wrong with a cold solve; nothing if it ends converged, stable and soon."""
    report = Simulation(scene).solve()
    cable = report.cables[CABLE]
    if not report.ok:
        return f"{report.status}: {report.reason}"
    if report.iterations > MOST_ITERATIONS:
        return f"{report.iterations} iterations"
    if cable.stable is not True or cable.residual > 1e-8 or cable.length_error > 1e-8:
        return f"stable {cable.stable}, residual {cable.residual:.1e}, length error {cable.length_error:.1e}"
    return ""


@seeds(150, 1000)
def test_feasible_scenes_converge(seeds: range) -> None:
    faults = {seed: text for seed in seeds if (text := fault(feasible(seed)))}
    assert not faults


@pytest.mark.parametrize("weight_ratio", [1e-6, 1e-4, 1e4, 1e6])
@seeds(8, 50)
def test_weight_beyond_the_six_decades(weight_ratio: float, seeds: range) -> None:
    faults = {seed: text for seed in seeds if (text := fault(feasible(seed, weight_ratio=weight_ratio)))}
    assert not faults


@seeds(150, 1000)
def test_twice_the_points_give_the_same_shape(seeds: range) -> None:
    outcomes = {seed: on_twice_the_points(feasible(seed)) for seed in seeds}
    assert not {seed: text for seed, text in outcomes.items() if text not in ("same", "elsewhere")}
    assert Counter(outcomes.values())["elsewhere"] <= max(2, MOST_ELSEWHERE * len(outcomes))


def on_twice_the_points(scene: Scene) -> str:
    """same, elsewhere (another stable equilibrium, proven), or what is wrong."""
    coarse = well_resolved(scene)
    shape = coarse.cable(CABLE)
    points = len(shape.s)
    fine = Simulation(coarse.scene.with_value(f"{CABLE}/points", 2 * points - 1))
    if not fine.solve().ok:
        return f"not solved with {2 * points - 1} points"
    moved = distance(shape, fine.cable(CABLE))
    if moved <= SAME_SHAPE:
        return "same"
    here = taken_over(coarse, 2 * points - 1)
    there = taken_over(fine, points)
    if here is None or there is None:
        return f"moves by {moved:.1e} L, and does not stay on the other grid"
    stays = max(distance(shape, here), distance(there, fine.cable(CABLE)))
    first, second = here.energy["total"], fine.cable(CABLE).energy["total"]
    if stays <= SAME_SHAPE and abs(first - second) > 1e-6 * (abs(first) + abs(second)):
        return "elsewhere"
    return f"moves by {moved:.1e} L with {2 * points - 1} points, by {stays:.1e} L when started from the shape"


def well_resolved(scene: Scene) -> Simulation:
    """Solved with as many points as the report asks for."""
    for _ in range(6):
        simulation = Simulation(scene)
        report = simulation.solve().raise_if_failed()
        wanted = [int(n) for text in report.cables[CABLE].warnings for n in re.findall(r"least (\d+) points", text)]
        if not wanted:
            break
        scene = scene.with_value(f"{CABLE}/points", max(wanted))
    else:
        pytest.fail(f"after six times more points the report still asks for {max(wanted)}")
    return simulation


def taken_over(simulation: Simulation, points: int) -> CableResult | None:
    """The shape solved again on another grid, starting from itself."""
    other = simulation.copy()
    other.edit(CABLE, points=points)
    return other.cable(CABLE) if other.solve().ok else None


def distance(shape: CableResult, reference: CableResult) -> float:
    """Largest distance of a shape's points from where the reference has them, in lengths."""
    return float(np.linalg.norm(along(reference, shape.s) - shape.positions, axis=1).max()) / shape.length


def along(shape: CableResult, s: Array) -> Array:
    """(len(s), 3) positions at arc lengths, by cubics that have the right tangents at the points."""
    i = np.clip(np.searchsorted(shape.s, s, side="right") - 1, 0, len(shape.s) - 2)
    h = (shape.s[i + 1] - shape.s[i])[:, None]
    u = (s - shape.s[i])[:, None] / h
    x, t = shape.positions, shape.tangents
    return np.asarray(
        (1 + 2 * u) * (1 - u) ** 2 * x[i]
        + u**2 * (3 - 2 * u) * x[i + 1]
        + h * u * (1 - u) * ((1 - u) * t[i] - u * t[i + 1])
    )


@seeds(8, 50)
def test_a_boundary_value_solver_agrees(seeds: range) -> None:
    """On twice the points of a grid without warnings, to leave the grid's error behind."""
    faults: dict[int, str] = {}
    for seed in seeds:
        scene = well_resolved(feasible(seed)).scene
        coarse = Simulation(scene)
        coarse.solve().raise_if_failed()
        simulation = Simulation(scene.with_value(f"{CABLE}/points", 2 * len(coarse.cable(CABLE).s) - 1))
        simulation.solve().raise_if_failed()
        shape = simulation.cable(CABLE)
        rod = rod_of(scene, CABLE)
        found = rod.solve(*rod.from_result(shape), tolerance=1e-5)
        off = np.linalg.norm(found.positions(shape.s) - shape.positions, axis=1).max() / shape.length
        if not found.success or off > 1e-4:
            faults[seed] = f"{found.message} off by {off:.1e} L"
    assert not faults


@pytest.mark.parametrize("seed", [1, 3, 4, 8])  # swivels; ball and clamp; no clip; swivel and clamp
def test_derivatives_of_the_boundary_value_problem(seed: int) -> None:
    """A wrong one would not change the answer, but would slow down the yardstick of the benchmark."""
    scene = feasible(seed)
    simulation = Simulation(scene)
    simulation.solve().raise_if_failed()
    rod = rod_of(scene, CABLE)
    x, y, p = rod.from_result(simulation.cable(CABLE), 5)
    y = y + 0.1 * np.random.default_rng(seed).normal(size=y.shape)
    signs = np.ones(rod.spans)
    step = 1e-6
    by_state, by_parameter = rod.slope_derivatives(x, y, p)
    by_left, by_right = rod.condition_derivatives(y[:, 0])
    for k in range(len(y)):
        d = np.zeros((len(y), 1))
        d[k] = step
        change = (rod.slopes(x, y + d, p) - rod.slopes(x, y - d, p)) / (2.0 * step)
        np.testing.assert_allclose(by_state[:, k], change, atol=1e-6 * (1.0 + np.abs(p).max()))
        left, right, e = y[:, 0], y[:, -1], d[:, 0]
        change = (rod.conditions(left + e, right, signs) - rod.conditions(left - e, right, signs)) / (2.0 * step)
        np.testing.assert_allclose(by_left[:, k], change, atol=1e-8)
        change = (rod.conditions(left, right + e, signs) - rod.conditions(left, right - e, signs)) / (2.0 * step)
        np.testing.assert_allclose(by_right[:, k], change, atol=1e-8)
    for k in range(len(p)):
        e = np.zeros(len(p))
        e[k] = step
        change = (rod.slopes(x, y, p + e) - rod.slopes(x, y, p - e)) / (2.0 * step)
        np.testing.assert_allclose(by_parameter[:, k], change, atol=1e-6 * (1.0 + np.abs(p).max()))


# ---- infeasible ----------------------------------------------------------------------------------------------------


@seeds(50, 200)
def test_cables_that_are_too_short_say_so(seeds: range) -> None:
    faults: dict[int, str] = {}
    for seed in seeds:
        scene, missing = infeasible(seed)
        report = Simulation(scene).solve()
        cable = report.cables[CABLE]
        if report.status != "infeasible" or "too short" not in report.reason:
            faults[seed] = f"{report.status}: {report.reason}"
        elif cable.shortfall != pytest.approx(missing, rel=1e-6):
            faults[seed] = f"shortfall {cable.shortfall}, not {missing}"
    assert not faults


# ---- anything ------------------------------------------------------------------------------------------------------


@seeds(150, 2000)
def test_any_valid_scene_ends_in_a_status(seeds: range) -> None:
    """Ropes, extensible, curved, loaded, with rings and free axes, of any size: physics never raises."""
    faults: dict[int, str] = {}
    solved = 0
    for seed, scene in valid(seeds):
        try:
            simulation = Simulation(scene)
            report = simulation.solve()
            solved += report.ok
            if report.status not in STATUSES or (not report.ok and not report.reason):
                faults[seed] = f"{report.status}: {report.reason}"
            elif report.ok and not readable(simulation.cable(CABLE)):
                faults[seed] = "not finite"
            if scene.cables[0].end is not None:  # and once more, warm
                away = np.array(scene.cables[0].end.position) + 0.02 * scene.cables[0].length
                simulation.move(f"{CABLE}/end", position=away)
                assert simulation.solve().status in STATUSES
        except Exception as error:
            faults[seed] = repr(error)
    assert not faults
    assert solved > len(seeds) / 3


def valid(seeds: Iterable[int]) -> Iterable[tuple[int, Scene]]:
    for seed in seeds:
        try:
            scene = Scene.from_dict(fuzzed(seed))
        except SceneError:
            continue
        yield seed, scene


def readable(shape: CableResult) -> bool:
    """Every read-out works and is a number."""
    arrays = (shape.positions, shape.quaternions, shape.force, shape.moment, shape.strains, shape.tension)
    wrenches = [v for wrench in shape.reactions.values() for v in (wrench.force, wrench.moment)]
    numbers = [*shape.energy.values(), shape.total_torsion, shape.stretched_length, *shape.places.values()]
    _ = shape.min_bend_radius, shape.min_bend_radius_at, shape.frenet_torsion, shape.material_angle
    return all(np.isfinite(a).all() for a in (*arrays, *wrenches, np.array(numbers)))


@seeds(12, 200)
def test_any_scene_file_ends_without_a_traceback(seeds: range, tmp_path: Path) -> None:
    """The same through the command line, invalid ones included."""
    for seed in seeds:
        file = tmp_path / f"{seed}.json"
        file.write_text(json.dumps(fuzzed(seed)), encoding="utf-8")
        result = CliRunner().invoke(cli.app, ["solve", str(file), "--json"])
        assert result.exception is None or isinstance(result.exception, SystemExit), seed
        assert result.exit_code in (0, 2, 3, 4), seed
