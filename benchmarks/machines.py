"""Machines: a frame of every scene of MCJM18 beside the paper's, and beside the chain of 100 segments of the same run;
and the time for a link as ropes get longer. `python -m benchmarks.machines`.

The paper's times are of one 3.5 GHz core, for a frame of 1/60 s with the iterations of its Table 1; the text has
0.036 ms for the simple scene with 10 iterations, and 100 iterations for Hilbert3 where the table has 10. Here a frame
is one substep in which all rows are solved together, which is converged, or ten. Row by row is the paper's way.
"""

import importlib.util
import time
from pathlib import Path
from typing import Any

import numpy as np
from tests.machines.scenes import axle, held, over, scene, standing_wheels, weight, wheel

from lissom.machines.machine import Machine
from lissom.scene import Scene

DT = 1.0 / 60.0
EXAMPLES = Path(__file__).parents[1] / "examples" / "machines"

PAPER: dict[str, tuple[str, float]] = {
    "simple": ("1 iteration", 0.012),
    "servin": ("10", 0.25),
    "tackle": ("15, its pulley", 0.3),
    "hand": ("20", 1.7),
    "gym": ("20", 2.5),
    "hilbert-2": ("10", 1.8),
    "hilbert-2-slack": ("10", 1.8),
    "hilbert-3": ("10, or 100", 60.0),
    "hilbert-3-slack": ("10, or 100", 60.0),
    "bow": ("10 steps of 10", 25.0),
}
"""ms for a frame, by example."""

SWEEPS = {"simple": (1, 10), "hilbert-2": (10,), "hilbert-3": (10, 100)}
"""Iterations of the paper that are done row by row as well, where nothing slips."""


def row_of_wheels(n: int) -> Scene:
    """A rope that winds above and below n wheels in a row, each on an axle of its own; the first is driven."""
    parts: list[Any] = [wheel(f"wheel {k}", 0.5 * k, 0.0, 0.2, motion="free", mass=1.0) for k in range(n)]
    sides = ["right" if k % 2 == 0 else "left" for k in range(n)]
    last = 0.5 * (n - 1) + (0.2 if n % 2 else -0.2)
    parts += [weight("one", -0.2, -2.0, 2.0), weight("two", last, -2.0 if n % 2 else 2.0, 2.0)]
    path = [held("one"), *(over(f"wheel {k}", side) for k, side in enumerate(sides)), held("two")]
    joints = [axle(f"wheel {k}", x=0.5 * k) for k in range(n)]
    return scene(parts, joints, [{"name": "rope", "path": path}], gravity=[0, 0, 0 if n % 2 == 0 else -9.81])


def frame_times(machine: Machine, frames: int) -> tuple[float, float, float]:
    """p50, p95 and p99 of a step, ms, after compiling and after the start."""
    for _ in range(3):
        machine.step(DT)
    found = []
    for _ in range(frames):
        began = time.perf_counter()
        machine.step(DT)
        found.append(1e3 * (time.perf_counter() - began))
    p50, p95, p99 = np.percentile(found, (50, 95, 99))
    return float(p50), float(p95), float(p99)


def spans(said: Scene) -> int:
    return sum(len(rope.path) - (not rope.closed) for rope in said.ropes)


def scenes() -> None:
    """Every example, in one and in ten substeps."""
    chain = {n: frame_times(Machine(Scene.load(EXAMPLES / "chain.toml"), substeps=n), 100)[0] for n in (1, 10)}
    print("scene               spans  solver        p50 [ms]  p95 [ms]  p99 [ms]  chain/it   paper [ms] (iterations)")
    for path in sorted(EXAMPLES.glob("*.toml")):
        said = Scene.load(path)
        frames = 20 if path.stem.startswith("hilbert-3") else 200
        paper = f"{PAPER[path.stem][1]:8g} ({PAPER[path.stem][0]})" if path.stem in PAPER else "       –"
        for substeps in (1, 10):
            p50, p95, p99 = frame_times(Machine(said, substeps=substeps), frames)
            word = "1 substep" if substeps == 1 else "10 substeps"
            ratio = chain[substeps] / p50
            print(
                f"{path.stem:18}  {spans(said):5d}  {word:12}  {p50:8.4f}  {p95:8.4f}  {p99:8.4f}  "
                f"{ratio:8.2f}   {paper}"
            )
        for sweeps in SWEEPS.get(path.stem, ()):
            machine = Machine(said, substeps=1, iterations=sweeps, solver="gauss-seidel")
            p50, p95, p99 = frame_times(machine, frames)
            ratio = chain[1] / p50
            print(
                f"{path.stem:18}  {spans(said):5d}  {f'{sweeps} sweeps':12}  {p50:8.4f}  {p95:8.4f}  {p99:8.4f}  "
                f"{ratio:8.2f}   {paper}"
            )


def lengths() -> None:
    """The time for a span must not grow with the rope."""
    print("\nwheels in a row     substeps  p50 [ms]  p95 [ms]   µs a span and substep")
    for n in (4, 16, 62, 498):
        for substeps in (1, 10):
            p50, p95, _ = frame_times(Machine(row_of_wheels(n), substeps=substeps), 100)
            print(f"{n:6d}              {substeps:8d}  {p50:8.3f}  {p95:8.3f}   {1e3 * p50 / (n + 1) / substeps:8.2f}")


def tendon(engine: Any, n: int) -> tuple[Any, Any]:
    """The same in MuJoCo: a spatial tendon that may not get longer than it is at the start."""
    geoms = "".join(
        f'<geom name="g{k}" type="cylinder" size="0.2 0.02" pos="{0.5 * k} 0 0" euler="90 0 0"/>'
        f'<site name="s{k}" pos="{0.5 * k} 0 {0.3 if k % 2 == 0 else -0.3}"/>'
        for k in range(n)
    )
    between = "".join(f'<site name="b{k}" pos="{0.5 * k - 0.25} 0 0"/>' for k in range(1, n + 1))
    wheels = '<site site="b{k}"/><geom geom="g{k}" sidesite="s{k}"/>'
    route = wheels.format(k=0).removeprefix('<site site="b0"/>') + "".join(wheels.format(k=k) for k in range(1, n))

    def built(longest: float) -> tuple[Any, Any]:
        model = engine.MjModel.from_xml_string(
            f'<mujoco><option timestep="{DT / 10}"/><worldbody>{geoms}{between}'
            '<body pos="-0.2 0 -2"><freejoint/><geom size="0.1" mass="2"/><site name="w"/></body></worldbody>'
            f'<tendon><spatial limited="true" range="0 {longest}"><site site="w"/>{route}'
            f'<site site="b{n}"/></spatial></tendon></mujoco>'
        )
        data = engine.MjData(model)
        engine.mj_forward(model, data)
        return model, data

    return built(float(built(1e3)[1].ten_length[0]))


def mujoco() -> None:
    """A rope over wheels that stand, which is what MuJoCo's spatial tendons can do, where it is installed."""
    if importlib.util.find_spec("mujoco") is None:
        print("\nMuJoCo is not installed (the extra `bench`): its spatial tendons were not timed in this run.")
        return
    engine: Any = importlib.import_module("mujoco")
    print(
        f"\nweight on a rope over wheels that stand, µs a step   MuJoCo {engine.__version__}   lissom   MuJoCo/lissom"
    )
    for n in (4, 16, 62, 498):
        model, data = tendon(engine, n)
        found = []
        for _ in range(300):
            began = time.perf_counter()
            engine.mj_step(model, data)
            found.append(1e6 * (time.perf_counter() - began))
        theirs = float(np.percentile(found, 50))
        ours = 1e3 * frame_times(Machine(standing_wheels(n), substeps=10), 100)[0] / 10
        print(f"{n:6d} wheels   {theirs:43.1f}   {ours:14.1f}   {theirs / ours:13.2f}")


def main() -> None:
    scenes()
    lengths()
    mujoco()


if __name__ == "__main__":
    main()
