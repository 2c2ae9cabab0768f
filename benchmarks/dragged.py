"""The job that is timed: one end of a clamped hose once round a circle, 5 mm a frame; and its true shapes."""

import math
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.rods.reference_scenes import CABLE, make

from lissom import Scene, Simulation
from lissom.rods.result import CableResult

Array = NDArray[np.float64]

CASE = "clamped_3d_hose_A_twist090"
END = f"{CABLE}/end"
FRAMES = 60
STEP = 0.005  # m, of the end in every frame
FINE = 513  # points of the solution that counts as the truth
PLACES = np.linspace(0.0, 1.0, 257)  # of the length: where shapes are compared, all of them points of the fine solution


def timed(job: Callable[[], object]) -> float:
    """ms"""
    began = time.perf_counter()
    job()
    return 1e3 * (time.perf_counter() - began)


def percentiles(times: list[float]) -> dict[str, Any]:
    p50, p95, p99 = (float(v) for v in np.percentile(times, [50, 95, 99]))
    return {"p50": p50, "p95": p95, "p99": p99, "mean": float(np.mean(times))}


def at_most(value: float, bound: float, text: str) -> dict[str, Any]:
    return {"aim": text, "met": bool(value <= bound)}


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


@cache
def truth(frame: int) -> CableResult:
    """The fine solution with the end where it is in this frame (1 … FRAMES)."""
    simulation = solved(make(CASE, FINE))
    for place in path()[:frame]:
        simulation.move(END, position=place)
        simulation.solve().raise_if_failed()
    return simulation.cable(CABLE)


def error(positions: Array, frame: int) -> float:
    """Of a curve given at PLACES, in lengths."""
    exact = truth(frame)
    every = (FINE - 1) // (len(PLACES) - 1)
    return float(np.linalg.norm(positions - exact.positions[::every], axis=1).max()) / exact.length


def curve(shape: CableResult, places: Array = PLACES) -> Array:
    """(places, 3) m, at fractions of the length: between its points by cubics with the right tangents."""
    s = places * shape.length
    i = np.clip(np.searchsorted(shape.s, s, side="right") - 1, 0, len(shape.s) - 2)
    h = (shape.s[i + 1] - shape.s[i])[:, None]
    u = (s - shape.s[i])[:, None] / h
    x, t = shape.positions, shape.tangents
    bend = h * u * (1 - u) * ((1 - u) * t[i] - u * t[i + 1])
    return np.asarray((1 + 2 * u) * (1 - u) ** 2 * x[i] + u**2 * (3 - 2 * u) * x[i + 1] + bend)
