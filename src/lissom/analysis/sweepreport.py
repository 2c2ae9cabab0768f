"""A sweep for people and for programs: tables on the screen, JSON, CSV, plots, envelopes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from lissom.analysis.files import stems
from lissom.analysis.needing import Needed
from lissom.analysis.report import plain
from lissom.analysis.sweepfiles import RESULT, clear_results, csv_text
from lissom.analysis.sweeps import RELEASED, Loop, Reading, SnapReading, Swept, number, place
from lissom.analysis.sweptvolume import Room
from lissom.analysis.table import lined_table
from lissom.scene import Scene
from lissom.scene.files import write

Array = NDArray[np.float64]
Mesh = tuple[Array, NDArray[np.int64]]
"""Vertices (v, 3), m, and triangles (t, 3)."""

NO_MESHES: Final[Mapping[str, Mesh]] = MappingProxyType({})
SCREEN = {"m": (1000.0, "mm"), "N": (1.0, "N"), "rad/m": (180.0 / np.pi, "°/m"), "Pa": (1e-6, "MPa")}
MOST_LISTED = 12


def screen(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    scale, shown = SCREEN.get(unit, (1.0, unit))
    return f"{scale * value:.4g} {shown}"


def print_swept(
    scene: Scene, swept: Swept, lengths: Sequence[Needed], console: Console, rooms: Sequence[Room] = ()
) -> None:
    """How it went, the worst of each check, what snapped, what failed, how long cables must be."""
    good = len(swept.readings) - len(swept.failed)
    console.print(Text(f"{scene.title or 'sweep'}: {good} of {len(swept.readings)} positions certified", style="bold"))
    worst = swept.worst()
    if worst:
        table = lined_table()
        for heading in ("", "cable", "check", "worst", "limit", "at position", "fails at"):
            table.add_column(heading)
        for k in worst:
            mark = Text("✓", style="green") if k.failed == 0 else Text("✗", style="red")
            if k.check.value is None:
                mark = Text("–")
            rule = k.check.rule.replace("_", " ") + (f" to {k.check.part}" if k.check.part else "")
            fails = "" if k.failed == 0 else f"{k.failed} of {len(swept.readings)}"
            values = (screen(k.check.value, k.check.unit), screen(k.check.limit, k.check.unit))
            table.add_row(mark, k.check.cable, rule, *values, place(scene, k.position), fails)
        console.print(table)
    for reading in swept.readings:
        for snap in reading.snaps:
            console.print(f"snap-through: {told_snap(scene, reading, snap)}")
    for neutral, words in ((False, "hysteresis: {}"), (True, "{}, of the same energy: no effort, no hysteresis")):
        loops = [k for k in swept.loops() if k.neutral == neutral]
        if loops:
            cables = ", ".join(sorted({k.cable for k in loops}))
            console.print(words.format(f"{cables} other on the way back at {len(loops)} positions"))
    jams = [k for k in swept.failed if k.status == "jammed"]
    others = [k for k in swept.failed if k.status != "jammed"]
    for reading in others[:MOST_LISTED]:
        console.print(Text(f"✗ {place(scene, reading)}: {reading.status}: {reading.reason}", style="red"))
    if len(others) > MOST_LISTED:
        console.print(f"… and {len(others) - MOST_LISTED} more")
    if jams:
        where = f"on the way to {place(scene, jams[0])}: {jams[0].reason}"
        console.print(Text(f"✗ jams {where}; {len(jams)} positions not reached", style="red"))
    for room in rooms:
        console.print(f"what {room.cable} sweeps comes to {1000.0 * room.distance:.4g} mm from {room.part}")
    for need in lengths:
        if need.length is None:
            console.print(f"{need.cable}: no length passes everywhere ({need.why} at {need.where})")
        else:
            more = 1000.0 * (need.length - need.now)
            than = f"{abs(more):.1f} mm {'more' if more > 0.0 else 'less'} than now"
            console.print(f"{need.cable}: needs {1000.0 * need.length:.1f} mm, {than}; {below(need)}")


def below(need: Needed) -> str:
    """What fails with a length that is a little less."""
    return f"with less fails at {need.where}: {need.why}" if need.why else "much less was not tried"


def told_snap(scene: Scene, reading: Reading, snap: SnapReading) -> str:
    here = ", ".join(f"{name} {scene.joint(name).said(number(v))}" for name, v in snap.after.items())
    way = f"moves {1000.0 * snap.distance:.3g} mm at once" if snap.distance > 1e-5 else "loses turns at once"
    cable = reading.cables.get(snap.cable)
    swings = cable is not None and snap.released <= RELEASED * cable.effort
    freed = "releases no energy: it only swings over" if swings else f"releases {joules(snap.released)}"
    return f"{snap.cable} {way} at {here or place(scene, reading)} and {freed}"


def told_loop(loop: Loop) -> dict[str, Any]:
    return {
        "cable": loop.cable,
        "there": loop.there.number,
        "back": loop.back.number,
        "distance": loop.distance,
        "twist": loop.twist,
    }


def joules(value: float) -> str:
    return f"{value:.3g} J" if abs(value) >= 1.0 else f"{1000.0 * value:.3g} mJ"


def swept_json(
    scene: Scene,
    swept: Swept,
    lengths: Sequence[Needed],
    rooms: Sequence[Room] = (),
    files: Sequence[str] = (),
) -> str:
    """One object; every number is finite or null. `files` are those that are written beside it."""
    whole: dict[str, Any] = {
        "title": scene.title,
        "positions": [dataclasses.asdict(k) for k in swept.readings],
        "certified": len(swept.readings) - len(swept.failed),
        "worst": [
            dataclasses.asdict(k.check) | {"position": k.position.number, "failed": k.failed} for k in swept.worst()
        ],
        "snaps": [dataclasses.asdict(k) for k in swept.snaps],
        "hysteresis": [told_loop(k) for k in swept.loops() if not k.neutral],
        "neutral": [told_loop(k) for k in swept.loops() if k.neutral],
        "needed": [dataclasses.asdict(k) for k in lengths],
        "envelopes": [dataclasses.asdict(k) for k in rooms],
        "files": list(files),
    }
    return json.dumps(plain(whole), ensure_ascii=False) + "\n"


def write_swept(
    scene: Scene,
    swept: Swept,
    folder: Path,
    lengths: Sequence[Needed] = (),
    rooms: Sequence[Room] = (),
    envelopes: Mapping[str, Mesh] = NO_MESHES,
) -> Iterator[Path]:
    """JSON, CSV, plots per cable, and what each cable sweeps; what an earlier sweep left there is taken away."""
    clear_results(folder)
    files: dict[str, Callable[[], bytes]] = {"sweep.csv": lambda: csv_text(scene, swept).encode()}
    names = stems(cable.name for cable in scene.cables)
    for name in names:
        if any(name in k.cables for k in swept.readings):
            files |= {f"{names[name]}-{k}": make for k, make in of_cable(scene, swept, name).items()}
    for name, mesh in envelopes.items():
        files |= {f"{names[name]}-{k}": make for k, make in of_mesh(*mesh).items()}
    yield write(folder / RESULT, swept_json(scene, swept, lengths, rooms, list(files)).encode())
    for file, make in files.items():
        yield write(folder / file, make())


def of_cable(scene: Scene, swept: Swept, cable: str) -> dict[str, Callable[[], bytes]]:
    """Its files: plots, and both shapes of every snap-through."""
    from lissom.analysis.plots import image
    from lissom.analysis.sweepplots import plot_map, plot_sweep

    found: dict[str, Callable[[], bytes]] = {"sweep.png": lambda: image(plot_sweep(scene, swept, cable), "png")}
    chart = plot_map(scene, swept, cable)
    if chart is not None:
        found["map.png"] = lambda: image(chart, "png")
    for k, snap in enumerate((k for k in swept.snaps if k.cable == cable), start=1):
        found[f"snap-{k}.csv"] = partial(snap_csv, snap)
    return found


def of_mesh(vertices: Array, triangles: NDArray[np.int64]) -> dict[str, Callable[[], bytes]]:
    """STL in mm, GLB in m."""
    from lissom.exchange.gltf import glb_bytes
    from lissom.exchange.stl import stl_bytes

    return {
        "envelope.stl": lambda: stl_bytes(1000.0 * vertices, triangles),
        "envelope.glb": lambda: glb_bytes(vertices, triangles),
    }


def snap_csv(snap: SnapReading) -> bytes:
    """The shapes before and after, point by point."""
    lines = [",".join(f"{axis} {when} (m)" for when in ("before", "after") for axis in "xyz")]
    for before, after in zip(snap.shape_before, snap.shape_after, strict=True):
        lines.append(",".join(f"{v:.9g}" for v in (*before, *after)))
    return ("\n".join(lines) + "\n").encode()
