"""`make bench`: how long the rod takes, beside scipy's solve_bvp and L-BFGS at the same job in the same run.

`python -m benchmarks.rod [--quick] [--compile] [--markdown] [--json FILE]`; docs/benchmark.md says what is measured.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from tests.rods.boundary_value import rod_of
from tests.rods.random_scenes import hose
from tests.rods.reference_scenes import CABLE, make

from benchmarks.accuracy import time_to_error
from benchmarks.dragged import (
    CASE,
    END,
    FRAMES,
    PLACES,
    at_most,
    curve,
    drag,
    error,
    path,
    percentiles,
    solved,
    timed,
    truth,
)
from benchmarks.judged import judge
from benchmarks.minimised import MinimisedRod
from benchmarks.table import Row, machine, markdown, table
from lissom import Simulation, solve_many
from lissom.rods.reading import read_line

Array = NDArray[np.float64]

SIZES = (17, 26, 51, 101, 201, 401, 801)
RANDOM_HOSES = 50
MANY = 10_000
MANY_POINTS = 65


def frames(rounds: int) -> Iterator[Row]:
    middle: dict[int, float] = {}
    for points in SIZES:
        times, iterations = drag(solved(make(CASE, points)), rounds)
        p = percentiles(times)
        middle[points] = p["p50"]
        aim: dict[str, Any] = {}
        if points == 17:
            aim = at_most(p["p50"], 0.05, "≤ 0.05 ms")
        elif points == 101:
            aim = at_most(p["p50"], 0.15, "≤ 0.15 ms")
        elif points == 801:
            times_101 = p["p50"] / middle[101]
            aim = at_most(times_101, 9.0, "≤ 9 × 101 points") | {"note": f"{times_101:.1f} × 101 points"}
        count = float(np.mean(iterations))
        per_point = 1e6 * p["p50"] / (points * count)
        yield Row("5 mm move, warm", "move, solve", points, iterations=count, per_point=per_point, **p, **aim)
    each = 1e6 * (middle[801] - middle[101]) / (700 * count)
    yield Row("5 mm move, warm", "each further point, from 101 to 801", iterations=count, per_point=each)
    simulation = solved(make(CASE, 101))
    times = []
    for place in np.tile(path(), (rounds, 1)):
        began = time.perf_counter()
        simulation.move(END, position=place)
        simulation.solve()
        _ = simulation.cable(CABLE).positions
        times.append(1e3 * (time.perf_counter() - began))
    yield Row("5 mm move, warm", "move, solve, read positions", 101, **percentiles(times))


def cold_solves(repeats: int) -> Iterator[Row]:
    group = "cold solve"
    for points in SIZES:
        simulation = solved(make(CASE, points))
        times = [timed(lambda: simulation.solve(cold=True)) for _ in range(repeats)]  # noqa: B023
        iterations = simulation.solve(cold=True).iterations
        yield Row(group, "hose, twisted by 90°", points, iterations=iterations, **percentiles(times))
    for points in (17, 65, 101):
        for twisted in (False, True):
            times, counts, lost = random_hoses(points, twisted)
            job = f"{RANDOM_HOSES} random hoses, " + ("twisted up to ±180°" if twisted else "untwisted")
            p = percentiles(times)
            aim = at_most(p["mean"], 0.5, "mean ≤ 0.5 ms") if points == 101 else {}
            note = f"{lost} not converged" if lost else ""
            yield Row(group, job, points, iterations=float(np.mean(counts)), note=note, **p, **aim)


def random_hoses(points: int, twisted: bool) -> tuple[list[float], list[int], int]:
    """Times (ms, each the median of five), iterations, and how many did not converge."""
    times: list[float] = []
    iterations: list[int] = []
    lost = 0
    for seed in range(RANDOM_HOSES):
        simulation = Simulation(hose(seed, points, twisted=twisted))
        report = simulation.solve(cold=True)
        times.append(float(np.median([timed(lambda: simulation.solve(cold=True)) for _ in range(5)])))  # noqa: B023
        iterations.append(report.iterations)
        lost += not report.ok
    return times, iterations, lost


# ---- the same job by others ----------------------------------------------------------------------------------------


def others_same_job(ours: float) -> Iterator[Row]:
    """solve_bvp as one calls it, each solve on the mesh of the last, and L-BFGS on our 101 points."""
    group = "5 mm move, warm, by others"
    scene = make(CASE, 101)
    rod = rod_of(scene, CABLE)
    found = rod.solve(*rod.from_result(truth(FRAMES), 11), tolerance=1e-3, differences=True)
    times, errors = [], []
    for frame in range(1, 21):
        rod.move(1, path()[frame - 1])
        began = time.perf_counter()
        found = rod.solve(found.mesh, found.states, found.parameters, tolerance=1e-3, differences=True)
        times.append(1e3 * (time.perf_counter() - began))
        errors.append(error(found.positions(PLACES * rod.length), frame))
    p = percentiles(times)
    yield Row(group, "solve_bvp, default tolerance", len(found.mesh), error=max(errors), ratio=p["p50"] / ours, **p)
    minimised = MinimisedRod(read_line(scene, scene.cables[0]), solved(scene).cable(CABLE))
    minimised.solve(closure=1e-5, gradient=1e-3)
    times, errors, evaluations = [], [], []
    for frame in range(1, 11):
        minimised.move_end(path()[frame - 1])
        minimised.evaluations = 0
        times.append(timed(lambda: minimised.solve(closure=1e-5, gradient=1e-3)))
        evaluations.append(minimised.evaluations)
        x = minimised.positions()
        exact = curve(truth(frame), np.linspace(0.0, 1.0, 101))
        errors.append(float(np.linalg.norm(x - exact, axis=1).max()) / minimised.length)
    p = percentiles(times)
    count = float(np.mean(evaluations))
    ratio = p["p50"] / ours
    yield Row(group, "L-BFGS on the energy", 101, iterations=count, error=max(errors), ratio=ratio, **p)


# ---- many, and the first time --------------------------------------------------------------------------------------


def many(count: int) -> Row:
    """Ends at random places within 50 mm of their own."""
    scene = make(CASE, MANY_POINTS)
    rng = np.random.default_rng(0)
    offset = rng.normal(size=(count, 3))
    offset *= 0.05 * rng.random((count, 1)) ** (1 / 3) / np.linalg.norm(offset, axis=1)[:, None]
    solve_many(scene, {f"{END}.position": path()[-1] + offset[:64]})  # loads what it needs
    began = time.perf_counter()
    result = solve_many(scene, {f"{END}.position": path()[-1] + offset})
    seconds = time.perf_counter() - began
    note = f"{count / seconds:,.0f} solves per second on {os.cpu_count()} cores"
    if not result.ok.all():
        note += f", {int((~result.ok).sum())} not converged"
    return Row("solve_many", f"{count:,} hoses", MANY_POINTS, mean=1e3 * seconds / count, note=note)


FIRST_RUN = f"""
import time
began = time.perf_counter()
from lissom import Simulation
from tests.rods.reference_scenes import make
simulation = Simulation(make("{CASE}", 101))
simulation.solve()
simulation.move("{END}", position=(0.2, 0.14, -0.125))
simulation.solve()
print(time.perf_counter() - began)
"""


def first_runs() -> Iterator[Row]:
    """A process that imports, solves and moves: with an empty cache of kernels, and with the cache it left."""
    with tempfile.TemporaryDirectory() as folder:
        homes = {"XDG_CACHE_HOME": folder, "LOCALAPPDATA": folder, "HOME": folder}  # by platform
        for job in ("first run ever: compiling included", "a later run: imports and cached kernels"):
            out = subprocess.run(
                [sys.executable, "-c", FIRST_RUN],
                env={**os.environ, **homes},
                cwd=Path(__file__).parents[1],
                capture_output=True,
                text=True,
                check=True,
            )
            yield Row("one process", job, 101, p50=1e3 * float(out.stdout))


def measure(*, quick: bool, compiling: bool) -> Iterator[Row]:
    rounds = 1 if quick else 5
    ours = math.nan
    for row in frames(rounds):
        if row.points == 101 and row.per_point is not None and row.p50 is not None:
            ours = row.p50
        yield row
    yield from judge(rounds)
    yield from cold_solves(5 if quick else 30)
    yield from others_same_job(ours)
    yield from time_to_error(rounds)
    yield many(1000 if quick else MANY)
    if compiling:
        yield from first_runs()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rod", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repeats: to see that it works")
    parser.add_argument("--compile", action="store_true", help="also the first run ever, with an empty cache")
    parser.add_argument("--markdown", action="store_true", help="print the table as markdown")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    options = parser.parse_args()
    console = Console(stderr=True)
    rows: list[Row] = []
    with console.status("measuring") as status:
        for row in measure(quick=options.quick, compiling=options.compile):
            rows.append(row)
            status.update(f"measured: {row.group}, {row.job}, {row.points or ''}")
    if options.markdown:
        print(markdown(rows))
    else:
        out = Console()
        out = out if out.is_terminal else Console(width=180)
        out.print(table(f"The rod: {CASE}, and random hoses", rows))
    if options.json:
        data = {"machine": machine(), "rows": [asdict(row) for row in rows]}
        options.json.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
