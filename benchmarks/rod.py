"""`make bench`: how long the rod takes, beside scipy's solve_bvp and L-BFGS at the same job in the same run.

`python -m benchmarks.rod [--quick] [--compile] [--markdown] [--json FILE]`. What is measured and how: docs/benchmark.md.
"""

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.minimised import MinimisedRod
from lissom import Scene, Simulation, solve_many
from lissom.rods.reading import read_line
from lissom.rods.result import CableResult
from tests.rods.boundary_value import BoundaryValueRod, Solution, rod_of
from tests.rods.random_scenes import hose
from tests.rods.reference_scenes import CABLE, make

Array = NDArray[np.float64]

CASE = "clamped_3d_hose_A_twist090"
END = f"{CABLE}/end"
SIZES = (17, 26, 51, 101, 201, 401, 801)
FRAMES = 60
STEP = 0.005  # m, of the end in every frame
RANDOM_HOSES = 50
FINE = 513  # points of the solution that counts as the truth
TARGETS = (1e-3, 1e-4, 1e-5)  # of the length
TRUE_FRAMES = (12, 24, 36, 48, 60)  # at which errors are measured
OUR_POINTS = (5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 21, 26, 33, 41, 51, 65)
THEIR_NODES = (5, 9, 17, 33, 65)
THEIR_TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
MANY = 10_000
MANY_POINTS = 65


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. Times in ms; what does not apply is None."""

    group: str
    job: str
    points: int | None = None
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    mean: float | None = None
    iterations: float | None = None
    per_point: float | None = None  # ns per point and iteration
    error: float | None = None  # of the length, from the true shape
    ratio: float | None = None  # times ours
    note: str = ""
    aim: str = ""
    met: bool | None = None


# ---- timing --------------------------------------------------------------------------------------------------------


def timed(job: Callable[[], object]) -> float:
    """ms"""
    began = time.perf_counter()
    job()
    return 1e3 * (time.perf_counter() - began)


def percentiles(times: list[float]) -> dict[str, float]:
    p50, p95, p99 = (float(v) for v in np.percentile(times, [50, 95, 99]))
    return {"p50": p50, "p95": p95, "p99": p99, "mean": float(np.mean(times))}


def at_most(value: float, bound: float, text: str) -> dict[str, Any]:
    return {"aim": text, "met": bool(value <= bound)}


# ---- the job: one end of a clamped hose once round a circle, 5 mm a frame -------------------------------------------


@cache
def path() -> Array:
    """(frames, 3) m: a slanted circle through the end's own place, which comes last."""
    home = np.array(make(CASE, 17).cables[0].end.position)  # type: ignore[union-attr]
    radius = 0.5 * STEP / math.sin(math.pi / FRAMES)
    angle = 2.0 * math.pi * np.arange(1, FRAMES + 1) / FRAMES
    offset = np.stack([np.cos(angle) - 1.0, 0.8 * np.sin(angle), 0.6 * np.sin(angle)], axis=1)
    return np.asarray(home + radius * offset)


def solved(scene: Scene) -> Simulation:
    simulation = Simulation(scene)
    simulation.solve().raise_if_failed()
    return simulation


def drag(simulation: Simulation, rounds: int) -> tuple[list[float], list[int]]:
    """Times (ms) and iterations of the frames of some rounds; the first round is not counted."""
    times: list[float] = []
    iterations: list[int] = []
    for counted in [False] + [True] * rounds:
        for place in path():
            began = time.perf_counter()
            simulation.move(END, position=place)
            report = simulation.solve()
            taken = 1e3 * (time.perf_counter() - began)
            report.raise_if_failed()
            if counted:
                times.append(taken)
                iterations.append(report.iterations)
    return times, iterations


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
        per_point = 1e6 * p["mean"] / (points * count)
        yield Row("5 mm move, warm", "move, solve", points, iterations=count, per_point=per_point, **p, **aim)
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
    """Times (ms, the best of three), iterations, and how many did not converge."""
    times: list[float] = []
    iterations: list[int] = []
    lost = 0
    for seed in range(RANDOM_HOSES):
        simulation = Simulation(hose(seed, points, twisted=twisted))
        report = simulation.solve(cold=True)
        times.append(min(timed(lambda: simulation.solve(cold=True)) for _ in range(3)))  # noqa: B023
        iterations.append(report.iterations)
        lost += not report.ok
    return times, iterations, lost


# ---- the same job by others ----------------------------------------------------------------------------------------


@cache
def truth(frame: int) -> CableResult:
    """The fine solution with the end where it is in this frame (1 … FRAMES)."""
    simulation = solved(make(CASE, FINE))
    for place in path()[:frame]:
        simulation.move(END, position=place)
        simulation.solve().raise_if_failed()
    return simulation.cable(CABLE)


PLACES = np.linspace(0.0, 1.0, 257)  # of the length: where shapes are compared, all of them points of the fine solution


def error(positions: Array, frame: int) -> float:
    """Of a curve given at PLACES, in lengths."""
    exact = truth(frame)
    every = (FINE - 1) // (len(PLACES) - 1)
    return float(np.linalg.norm(positions - exact.positions[::every], axis=1).max()) / exact.length


def curve(shape: CableResult) -> Array:
    """(PLACES, 3) m: between its points by cubics with the right tangents."""
    s = PLACES * shape.length
    i = np.clip(np.searchsorted(shape.s, s, side="right") - 1, 0, len(shape.s) - 2)
    h = (shape.s[i + 1] - shape.s[i])[:, None]
    u = (s - shape.s[i])[:, None] / h
    x, t = shape.positions, shape.tangents
    bend = h * u * (1 - u) * ((1 - u) * t[i] - u * t[i + 1])
    return np.asarray((1 + 2 * u) * (1 - u) ** 2 * x[i] + u**2 * (3 - 2 * u) * x[i + 1] + bend)


def others_same_job(ours: float) -> Iterator[Row]:
    """solve_bvp as one calls it, each solve on the mesh of the last, and L-BFGS on our 101 points."""
    group = "5 mm move, warm, by others"
    scene = make(CASE, 101)
    rod = rod_of(scene, CABLE)
    found = rod.solve(*rod.from_result(truth(FRAMES), 21), tolerance=1e-3)
    times, errors = [], []
    for frame in range(1, 21):
        rod.move(1, path()[frame - 1])
        began = time.perf_counter()
        found = rod.solve(found.mesh, found.states, found.parameters, tolerance=1e-3)
        times.append(1e3 * (time.perf_counter() - began))
        errors.append(error(found.positions(PLACES * rod.length), frame))
    p = percentiles(times)
    yield Row(
        group, "scipy solve_bvp, default tolerance", len(found.mesh), error=max(errors), ratio=p["p50"] / ours, **p
    )
    minimised = MinimisedRod(read_line(scene, scene.cables[0]), solved(scene).cable(CABLE))
    minimised.solve(closure=1e-5, gradient=1e-3)
    times, errors, evaluations = [], [], []
    for frame in range(1, 11):
        minimised.move_end(path()[frame - 1])
        minimised.evaluations = 0
        times.append(timed(lambda: minimised.solve(closure=1e-5, gradient=1e-3)))
        evaluations.append(minimised.evaluations)
        x = minimised.positions()
        exact = np.stack([np.interp(np.linspace(0, 1, 101), PLACES, c) for c in curve(truth(frame)).T], axis=1)
        errors.append(float(np.linalg.norm(x - exact, axis=1).max()) / minimised.length)
    p = percentiles(times)
    count = float(np.mean(evaluations))
    ratio = p["p50"] / ours
    yield Row(group, "L-BFGS on the energy", 101, iterations=count, error=max(errors), ratio=ratio, **p)


# ---- time to a true error ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reached:
    """A setting, its largest error, and the median of its times, ms."""

    setting: str
    points: int
    error: float
    time: float


def ours_warm(points: int, rounds: int) -> Reached:
    simulation = solved(make(CASE, points))
    times, _ = drag(simulation, rounds)
    worst = 0.0
    for frame, place in enumerate(path(), start=1):
        simulation.move(END, position=place)
        simulation.solve()
        if frame in TRUE_FRAMES:
            worst = max(worst, error(curve(simulation.cable(CABLE)), frame))
    return Reached("", points, worst, float(np.median(times)))


def ours_cold(points: int, repeats: int) -> Reached:
    simulation = solved(make(CASE, points))
    times = [timed(lambda: simulation.solve(cold=True)) for _ in range(repeats)]
    return Reached("", points, error(curve(simulation.cable(CABLE)), FRAMES), float(np.median(times)))


def their_warm(nodes: int, tolerance: float) -> Reached:
    """A move from the true shape of the frame before, given on so many nodes; the mesh is refined as they see fit."""
    rod = rod_of(make(CASE, 17), CABLE)
    times, worst, size = [], 0.0, 0
    for frame in TRUE_FRAMES:
        start = rod.from_result(truth(frame - 1), nodes)
        rod.move(1, path()[frame - 1])
        found, taken = best_of(3, rod, start, tolerance)
        times.append(taken)
        size = max(size, len(found.mesh))
        worst = max(worst, error(found.positions(PLACES * rod.length), frame) if found.success else math.inf)
    return Reached(f"tol {tolerance:.0e}, started on {nodes} nodes", size, worst, float(np.median(times)))


def their_cold(nodes: int, tolerance: float) -> Reached:
    """From a straight line with evenly turning frames."""
    rod = rod_of(make(CASE, 17), CABLE)
    found, taken = best_of(3, rod, rod.from_nothing(nodes), tolerance)
    off = error(found.positions(PLACES * rod.length), FRAMES) if found.success else math.inf
    return Reached(f"tol {tolerance:.0e}, started on {nodes} nodes", len(found.mesh), off, taken)


def best_of(
    count: int, rod: BoundaryValueRod, start: tuple[Array, Array, Array], tolerance: float
) -> tuple[Solution, float]:
    """The solution and the shortest of the times, ms."""
    taken = math.inf
    for _ in range(count):
        began = time.perf_counter()
        found = rod.solve(*start, tolerance=tolerance, most_nodes=2000)
        taken = min(taken, 1e3 * (time.perf_counter() - began))
    return found, taken


def time_to_error(rounds: int) -> Iterator[Row]:
    settings = [(nodes, tolerance) for nodes in THEIR_NODES for tolerance in THEIR_TOLERANCES]
    kinds = (
        ("warm", [ours_warm(n, rounds) for n in OUR_POINTS], [their_warm(*k) for k in settings]),
        ("cold", [ours_cold(n, 10 * rounds) for n in OUR_POINTS], [their_cold(*k) for k in settings]),
    )
    for kind, ours, theirs in kinds:
        for target in TARGETS:
            group = f"time to an error of {target:.0e} L, {kind}"
            us = next((k for k in ours if k.error <= target), None)
            them = min((k for k in theirs if k.error <= target), key=lambda k: k.time, default=None)
            if us is not None:
                yield Row(group, "lissom", us.points, p50=us.time, error=us.error)
            if them is None:
                yield Row(group, "scipy solve_bvp", note="reached with no setting")
                continue
            ratio = them.time / us.time if us is not None else None
            aim: dict[str, Any] = {}
            if target != 1e-4 and ratio is not None:
                aim = {"aim": "≥ 100 × ours", "met": ratio >= 100.0}
            yield Row(
                group, f"scipy solve_bvp, {them.setting}", them.points, p50=them.time, error=them.error, ratio=ratio, **aim
            )  # fmt: skip


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


# ---- printing ------------------------------------------------------------------------------------------------------

COLUMNS = (
    "job", "points", "p50 ms", "p95 ms", "p99 ms", "mean ms", "iterations", "ns per point, iteration",
    "error / L", "times ours", "aim", "",
)  # fmt: skip


def cells(row: Row) -> list[str]:
    mark = {None: "", True: " ✓", False: " ✗"}[row.met]
    return [
        row.job,
        "" if row.points is None else str(row.points),
        *(milliseconds(v) for v in (row.p50, row.p95, row.p99, row.mean)),
        "" if row.iterations is None else f"{row.iterations:.1f}",
        "" if row.per_point is None else f"{row.per_point:.0f}",
        "" if row.error is None else f"{row.error:.0e}",
        "" if row.ratio is None else f"{row.ratio:.0f}",
        row.aim + mark,
        row.note,
    ]


def milliseconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if value < 1.0 else f"{value:.2f}" if value < 100.0 else f"{value:.0f}"


def table(rows: list[Row]) -> Table:
    made = Table(title=f"The rod: {CASE}, and random hoses", caption=machine(), title_justify="left")
    for k, name in enumerate(COLUMNS):
        made.add_column(name, justify="left" if k in (0, 10, 11) else "right", no_wrap=k > 0)
    group = ""
    for row in rows:
        if row.group != group:
            group = row.group
            made.add_section()
            made.add_row(f"[bold]{group}[/bold]")
        made.add_row(*cells(row))
    return made


def markdown(rows: list[Row]) -> str:
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" + "|---:" * (len(COLUMNS) - 3) + "|---|---|"]
    group = ""
    for row in rows:
        if row.group != group:
            group = row.group
            lines.append(f"| **{group}** |" + " |" * (len(COLUMNS) - 1))
        lines.append("| " + " | ".join(cells(row)) + " |")
    return "\n".join([*lines, "", machine()])


def machine() -> str:
    import numba
    import scipy

    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, numpy {np.__version__}, "
        f"numba {numba.__version__}, scipy {scipy.__version__}"
    )


def measure(*, quick: bool, compiling: bool) -> Iterator[Row]:
    rounds = 1 if quick else 5
    ours = math.nan
    for row in frames(rounds):
        if row.points == 101 and row.per_point is not None and row.p50 is not None:
            ours = row.p50
        yield row
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
        out = out if out.is_terminal else Console(width=200)
        out.print(table(rows))
    if options.json:
        data = {"machine": machine(), "rows": [asdict(row) for row in rows]}
        options.json.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
