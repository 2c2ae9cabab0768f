"""Haptics: steps of the force model in a second, and loops in real time. `python -m benchmarks.haptic`.

Aims: 1,000,000 steps/s with 10 points; for both backends 1000 ± 1 Hz, p99 of the jitter 0.3 ms, overruns 0.1 %, over
60 s with one core free. The yardstick is the same loop without a cable. A quarter of that time each, and only
reported: with contact, and all of them again with every core busy. `--seconds N` makes the loops shorter.
"""

import argparse
import multiprocessing
import os
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.haptic.demonstrations import WIRE

from benchmarks.table import machine
from lissom.gripping import haptic_loop
from lissom.haptic.cable import ForceCable, Grip
from lissom.haptic.loop import HapticLoop, LoopReport
from lissom.haptic.parameters import RULES, automatic
from lissom.haptic.planes import Touch
from lissom.scene import Scene

Array = NDArray[np.float64]

TABLE = '[[parts]]\nname = "table"\nshape = { kind = "box", size = [0.4, 0.4, 0.1] }\nposition = [0.15, 0, 0.1]\n'


def steps_in_a_second(points: int, law: Any, rule: Any) -> float:
    """Median of five, after compiling."""
    count = 200_000
    given = automatic(0.3, 0.018, 0.01, points, law=law, rule=rule, steps=count)
    cable = ForceCable(given, [Grip(0.0, np.zeros(3), np.array([1.0, 0.0, 0.0]))])
    cable.step(0.01)
    found = []
    for _ in range(5):
        before, began = cable.health.steps, time.perf_counter()
        cable.step()
        found.append((cable.health.steps - before) / (time.perf_counter() - began))
    return float(np.median(found))


def waving(scene: Scene) -> Any:
    """A gripper that goes to and fro by 20 mm, and turns."""
    from lissom.gripping import home_of
    from lissom.haptic.devices import PathDevice, turned_by

    (x, y, z), q = home_of(scene)

    def at(t: float) -> Any:
        w, i, j, k = turned_by(np.array(q), np.array([0.0, 0.0, 0.3 * np.sin(2.0 * t)])).tolist()
        return (x, y + 0.02 * float(np.sin(3.0 * t)), z + 0.02 * float(np.sin(t))), (w, i, j, k)

    return PathDevice(at)


class Nothing:
    """No cable at all."""

    status, reason, late, deficit, length = "good", "", 0, 0.0, 1.0
    positions, places = np.zeros((2, 3)), np.array([0.0, 1.0])

    def tick(self, position: Array, quaternion: Array, dt: float) -> tuple[Array, Array]:
        return np.zeros(3), np.zeros(3)

    def touches(self) -> list[Touch]:
        return []

    def close(self) -> None:
        pass


def loop(backend: str, points: int, contact: bool, seconds: float) -> LoopReport:
    scene = Scene.from_toml(WIRE.replace("[haptic]", (TABLE if contact else "") + "[haptic]"))
    if backend == "none":
        return HapticLoop(Nothing(), waving(scene)).run(seconds)
    scene = scene.with_values({"haptic.backend": backend, "haptic.points": points})
    made = haptic_loop(scene, device=waving(scene))
    made.run(0.2, real_time=False)  # compiled, and warm
    try:
        return made.run(seconds)
    finally:
        made.backend.close()


def spin() -> None:
    while True:
        pass


def print_steps() -> None:
    print("steps of the force model in a second")
    print("  points   law          rule        steps/s")
    for points in (10, 30):
        for law in ("consistent", "paper"):
            for rule in RULES if law == "consistent" else ("plain", "dynamic"):
                rate = steps_in_a_second(points, law, rule)
                aim = ("  ✓" if rate >= 1e6 else "  ✗") if points == 10 else ""
                print(f"  {points:6d}   {law:11}  {rule:10} {rate:10,.0f}{aim}")


HEAD = "  backend  points  contact      Hz   jitter p50    p99    most [ms]   overruns  late solves  work [ms]"
CASES = (("none", 0, False), ("force", 10, False), ("force", 30, False), ("rod", 20, False), ("rod", 40, False))
IN_CONTACT = (("force", 30, True), ("rod", 40, True))


def print_loops(cases: tuple[tuple[str, int, bool], ...], seconds: float, judged: bool) -> None:
    for backend, points, contact in cases:
        got = loop(backend, points, contact, seconds)
        share = (got.overruns + got.skipped) / max(got.ticks, 1)
        good = abs(got.rate - 1000.0) <= 1.0 and got.jitter_p99 <= 3e-4 and share <= 1e-3
        jitter = f"{1e3 * got.jitter_p50:11.3f} {1e3 * got.jitter_p99:6.3f} {1e3 * got.jitter_most:7.3f}"
        what = f"{backend:7}  {points or '':6}  {'table' if contact else '':7} {got.rate:8.2f}"
        late = f"{100 * share:11.3f} % {100 * got.late_solves / max(got.ticks, 1):10.3f} %  {1e3 * got.busy:7.3f}"
        print(f"  {what} {jitter}   {late}  {'' if not judged else '✓' if good else '✗'}  {got.priority}", flush=True)


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--seconds", type=float, default=60.0)
    seconds = reader.parse_args().seconds
    print_steps()
    load = os.getloadavg()[0]
    print(f"\nloops of {seconds:g} s, of {0.25 * seconds:g} s with contact; load before {load:.1f}\n{HEAD}")
    print_loops(CASES, seconds, True)
    print_loops(IN_CONTACT, 0.25 * seconds, False)
    others = [multiprocessing.Process(target=spin, daemon=True) for _ in range(os.cpu_count() or 1)]
    for other in others:
        other.start()
    print(f"\nthe same for {0.25 * seconds:g} s with all cores busy\n{HEAD}")
    print_loops(CASES + IN_CONTACT, 0.25 * seconds, False)
    for other in others:
        other.kill()
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()
