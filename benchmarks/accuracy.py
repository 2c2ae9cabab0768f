"""How long it takes to come within a given distance of the true shape: ours, and scipy's solve_bvp."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.rods.boundary_value import BoundaryValueRod, Solution, rod_of
from tests.rods.reference_scenes import CABLE, make

from benchmarks.dragged import CASE, END, FRAMES, PLACES, curve, drag, error, path, solved, timed, truth
from benchmarks.table import Row

Array = NDArray[np.float64]

TARGETS = (1e-3, 1e-4, 1e-5)  # of the length
AIMED = (1e-3, 1e-5)  # there 100 times ahead
TRUE_FRAMES = (12, 24, 36, 48, 60)  # at which errors are measured
OUR_POINTS = (5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 21, 26, 33, 41, 51, 65)
THEIR_NODES = (5, 9, 17, 33, 65)
THEIR_TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)


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
        found, taken = thrice(rod, start, tolerance)
        times.append(taken)
        size = max(size, len(found.mesh))
        worst = max(worst, error(found.positions(PLACES * rod.length), frame) if found.success else math.inf)
    return Reached(f"tol {tolerance:.0e} from {nodes} nodes", size, worst, float(np.median(times)))


def their_warm_as_called(tolerance: float) -> Reached:
    """A move from their own solution of the frame before, on its mesh, with nothing but the equations."""
    rod = rod_of(make(CASE, 17), CABLE)
    times, worst, size = [], 0.0, 0
    for frame in TRUE_FRAMES:
        rod.move(1, path()[frame - 2])
        last = rod.solve(*rod.from_result(truth(frame - 1), 11), tolerance=tolerance, differences=True)
        rod.move(1, path()[frame - 1])
        found, taken = thrice(rod, (last.mesh, last.states, last.parameters), tolerance, differences=True)
        times.append(taken)
        size = max(size, len(found.mesh))
        worst = max(worst, error(found.positions(PLACES * rod.length), frame) if found.success else math.inf)
    return Reached(f"tol {tolerance:.0e}", size, worst, float(np.median(times)))


def their_cold_as_called(tolerance: float) -> Reached:
    rod = rod_of(make(CASE, 17), CABLE)
    found, taken = thrice(rod, rod.from_nothing(11), tolerance, differences=True)
    off = error(found.positions(PLACES * rod.length), FRAMES) if found.success else math.inf
    return Reached(f"tol {tolerance:.0e}", len(found.mesh), off, taken)


def their_cold(nodes: int, tolerance: float) -> Reached:
    """From a straight line with evenly turning frames."""
    rod = rod_of(make(CASE, 17), CABLE)
    found, taken = thrice(rod, rod.from_nothing(nodes), tolerance)
    off = error(found.positions(PLACES * rod.length), FRAMES) if found.success else math.inf
    return Reached(f"tol {tolerance:.0e} from {nodes} nodes", len(found.mesh), off, taken)


def thrice(
    rod: BoundaryValueRod, start: tuple[Array, Array, Array], tolerance: float, *, differences: bool = False
) -> tuple[Solution, float]:
    """The solution and the median of three times, ms."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        found = rod.solve(*start, tolerance=tolerance, most_nodes=2000, differences=differences)
        times.append(1e3 * (time.perf_counter() - began))
    return found, float(np.median(times))


def time_to_error(rounds: int) -> Iterator[Row]:
    settings = [(nodes, tolerance) for nodes in THEIR_NODES for tolerance in THEIR_TOLERANCES]
    ours = [ours_warm(n, rounds) for n in OUR_POINTS]
    plain = [their_warm_as_called(k) for k in THEIR_TOLERANCES]
    tuned = [their_warm(*k) for k in settings]
    for target in TARGETS:
        yield from compared("time to a true error, warm", target, ours, plain, tuned)
    ours = [ours_cold(n, 10 * rounds) for n in OUR_POINTS]
    plain = [their_cold_as_called(k) for k in THEIR_TOLERANCES]
    tuned = [their_cold(*k) for k in settings]
    for target in TARGETS:
        yield from compared("time to a true error, cold", target, ours, plain, tuned)


def compared(
    group: str, target: float, ours: list[Reached], plain: list[Reached], tuned: list[Reached]
) -> Iterator[Row]:
    """Our fewest points, their loosest tolerance, and the fastest of their settings with derivatives we derived."""
    us = next((k for k in ours if k.error <= target), None)
    if us is None:
        yield Row(group, f"to {target:.0e} L: lissom", note="not reached")
    else:
        yield Row(group, f"to {target:.0e} L: lissom", us.points, p50=us.time, error=us.error)
    loosest = next((k for k in plain if k.error <= target), None)
    fastest = min((k for k in tuned if k.error <= target), key=lambda k: k.time, default=None)
    for them, what in ((loosest, "as called"), (fastest, "tuned")):
        if them is None:
            yield Row(group, f"to {target:.0e} L: solve_bvp {what}", note="not reached")
            continue
        ratio = None if us is None else them.time / us.time
        aim: dict[str, Any] = {}
        if target in AIMED and ratio is not None:
            aim = {"aim": "≥ 100 × ours", "met": ratio >= 100.0}
        job = f"to {target:.0e} L: solve_bvp {what}, {them.setting}"
        yield Row(group, job, them.points, p50=them.time, error=them.error, ratio=ratio, **aim)
