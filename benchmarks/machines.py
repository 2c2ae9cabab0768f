"""Machines: time for a frame of the paper's kind, and for a link as ropes get longer. `python -m benchmarks.machines`.

MCJM18 give 0.012 ms for a frame of the simple scene with 1 iteration and 0.036 ms with 10, 1.8 ms for 62 and 60 ms for
498 joints, on one 3.5 GHz core.
"""

import time
from typing import Any

import numpy as np
from tests.machines.scenes import axle, held, over, scene, simple, weight, wheel

from lissom.machines.machine import Machine
from lissom.scene import Scene

DT = 1.0 / 60.0


def row_of_wheels(n: int) -> Scene:
    """A rope that winds above and below n wheels in a row, each on an axle of its own; the first is driven."""
    parts: list[Any] = [wheel(f"wheel {k}", 0.5 * k, 0.0, 0.2, motion="free", mass=1.0) for k in range(n)]
    sides = ["right" if k % 2 == 0 else "left" for k in range(n)]
    last = 0.5 * (n - 1) + (0.2 if n % 2 else -0.2)
    parts += [weight("one", -0.2, -2.0, 2.0), weight("two", last, -2.0 if n % 2 else 2.0, 2.0)]
    path = [held("one"), *(over(f"wheel {k}", side) for k, side in enumerate(sides)), held("two")]
    joints = [axle(f"wheel {k}", x=0.5 * k) for k in range(n)]
    return scene(parts, joints, [{"name": "rope", "path": path}], gravity=[0, 0, 0 if n % 2 == 0 else -9.81])


def frame_times(machine: Machine, frames: int) -> tuple[float, float]:
    """p50 and p95 of a step, ms, after compiling."""
    machine.step(DT)
    found = []
    for _ in range(frames):
        began = time.perf_counter()
        machine.step(DT)
        found.append(1e3 * (time.perf_counter() - began))
    return float(np.percentile(found, 50)), float(np.percentile(found, 95))


def main() -> None:
    print("scene                      substeps  p50 [ms]  p95 [ms]")
    for solver, iterations in (("gauss-seidel", 1), ("gauss-seidel", 10), ("direct", 1)):
        p50, p95 = frame_times(Machine(simple(1.0), substeps=1, iterations=iterations, solver=solver), 2000)
        print(f"simple, {solver:12} {iterations:3d}  {1:8d}  {p50:8.4f}  {p95:8.4f}")
    for n in (4, 16, 62, 498):
        for substeps in (1, 10):
            p50, p95 = frame_times(Machine(row_of_wheels(n), substeps=substeps), 100)
            per = 1e3 * p50 / (n + 1) / substeps
            print(f"{n:4d} wheels                {substeps:8d}  {p50:8.3f}  {p95:8.3f}   {per:.2f} µs a span")


if __name__ == "__main__":
    main()
