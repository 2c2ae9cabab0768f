"""`make bench`: the brake hose over steering and wheel travel, beside a part of 100 thousand triangles.

`python -m benchmarks.motion [--quick] [--markdown]`; docs/benchmark.md says what is measured.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import trimesh
from rich.console import Console

from benchmarks.bracket import bracket
from benchmarks.table import Row, markdown, table
from lissom import Scene
from lissom.analysis.sweepfiles import Request, run_sweep

EXAMPLE = Path(__file__).parents[1] / "examples" / "steered-brake-hose.toml"
PART = """
[[parts]]
name = "bracket"
mesh = "bracket.stl"
units = "m"
position = [0.0, 0.15, 0.06]
"""
TRIANGLES = 100_000
AIM = 300.0  # positions per second and core
GROUP = "brake hose over steering × travel"


def scene_beside_bracket(folder: Path) -> Scene:
    vertices, faces = bracket(TRIANGLES)
    trimesh.Trimesh(vertices, faces, process=False).export(folder / "bracket.stl")
    (folder / "hose.toml").write_text(EXAMPLE.read_text(encoding="utf-8") + PART, encoding="utf-8")
    return Scene.load(folder / "hose.toml")


def sweeps(scene: Scene, across: int) -> Iterator[Row]:
    yield one_core("alone", scene.with_value("hose/collide", False), across)
    yield one_core("beside the part", scene, across)
    yield all_cores(scene, across)


def one_core(name: str, scene: Scene, across: int) -> Row:
    """The second of two sweeps: kernels are compiled then. Read-outs and checks are part of it."""
    request = Request(grid={"steering": across, "travel": across})
    for _ in range(2):
        steps = run_sweep(scene, request)
        next(steps)
        began, used = time.perf_counter(), time.process_time()
        *_, swept = steps
        wall, used = time.perf_counter() - began, time.process_time() - used
    count = len(swept.readings)
    rate = (count - 1) / wall
    note = f"{rate:.0f} positions/s, {(count - 1) / used:.0f} per second of the processor; {len(swept.failed)} failed"
    job = f"{name}, {count} positions, one core"
    mean = 1000.0 * wall / (count - 1)
    return Row(GROUP, job, 65, mean=mean, note=note, aim=f"≥ {AIM:.0f}/s", met=rate >= AIM)


def all_cores(scene: Scene, across: int) -> Row:
    """Several processes, their start included."""
    cores = os.cpu_count() or 1
    began = time.perf_counter()
    *_, swept = run_sweep(scene, Request(grid={"steering": across, "travel": across}), processes=cores)
    wall = time.perf_counter() - began
    count = len(swept.readings)
    note = f"{count / wall:.0f} positions/s; {len(swept.failed)} failed"
    job = f"beside the part, {count} positions, {cores} processes"
    return Row(GROUP, job, 65, mean=1000.0 * wall / count, note=note)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a coarser grid")
    parser.add_argument("--markdown", action="store_true", help="print a table for docs/benchmark.md")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = list(sweeps(scene_beside_bracket(Path(folder)), 9 if asked.quick else 41))
    if asked.markdown:
        print(markdown(rows))
    else:
        Console(width=200).print(table("Motion", rows))


if __name__ == "__main__":
    main()
