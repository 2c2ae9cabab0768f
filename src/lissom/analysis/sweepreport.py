"""A sweep for people and for programs: tables on the screen, JSON, CSV, plots, envelopes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from lissom.analysis.files import write
from lissom.analysis.needing import Needed
from lissom.analysis.report import plain
from lissom.analysis.sweepfiles import csv_text
from lissom.analysis.sweeps import SnapReading, Swept, number, place
from lissom.analysis.sweptvolume import Room
from lissom.analysis.table import lined_table
from lissom.scene import Scene, SectionProperties

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
            here = ", ".join(f"{name} {scene.joint(name).said(number(v))}" for name, v in snap.after.items())
            way = f"moves {1000.0 * snap.distance:.3g} mm at once"
            console.print(f"snap-through: {snap.cable} {way} at {here or place(scene, reading)}")
    loops = swept.hysteresis()
    if loops:
        cables = sorted({k.cable for k in loops})
        console.print(f"hysteresis: {', '.join(cables)} other on the way back at {len(loops)} positions")
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
            less = f"{1000.0 * (need.length - need.now):+.1f} mm"
            console.print(
                f"{need.cable}: needs {1000.0 * need.length:.1f} mm ({less}); shorter: {need.why} at {need.where}"
            )


def swept_json(scene: Scene, swept: Swept, lengths: Sequence[Needed], rooms: Sequence[Room] = ()) -> str:
    """One object; every number is finite or null."""
    whole: dict[str, Any] = {
        "title": scene.title,
        "positions": [dataclasses.asdict(k) for k in swept.readings],
        "certified": len(swept.readings) - len(swept.failed),
        "worst": [
            dataclasses.asdict(k.check) | {"position": k.position.number, "failed": k.failed} for k in swept.worst()
        ],
        "snaps": [dataclasses.asdict(k) for k in swept.snaps],
        "hysteresis": [
            {"cable": k.cable, "there": k.there.number, "back": k.back.number, "distance": k.distance, "twist": k.twist}
            for k in swept.hysteresis()
        ],
        "needed": [dataclasses.asdict(k) for k in lengths],
        "envelopes": [dataclasses.asdict(k) for k in rooms],
    }
    return json.dumps(plain(whole), ensure_ascii=False) + "\n"


def write_swept(
    scene: Scene,
    swept: Swept,
    lengths: Sequence[Needed],
    folder: Path,
    with_envelope: bool,
    rooms: Sequence[Room] = (),
) -> Iterator[Path]:
    """JSON, CSV, plots per cable, and what each cable sweeps."""
    from lissom.analysis.plots import image
    from lissom.analysis.sweepplots import plot_map, plot_sweep
    from lissom.analysis.sweptvolume import swept_mesh
    from lissom.exchange.gltf import glb_bytes
    from lissom.exchange.stl import stl_bytes

    yield write(folder / "sweep.json", swept_json(scene, swept, lengths, rooms).encode())
    yield write(folder / "sweep.csv", csv_text(swept).encode())
    for cable in scene.cables:
        if not any(cable.name in k.cables for k in swept.readings):
            continue
        stem = "".join(c if c.isalnum() or c in " -_" else "-" for c in cable.name)
        yield write(folder / f"{stem}-sweep.png", image(plot_sweep(scene, swept, cable.name), "png"))
        chart = plot_map(scene, swept, cable.name)
        if chart is not None:
            yield write(folder / f"{stem}-map.png", image(chart, "png"))
        for k, snap in enumerate((k for k in swept.snaps if k.cable == cable.name), start=1):
            yield write(folder / f"{stem}-snap-{k}.csv", snap_csv(snap).encode())
        if with_envelope and SectionProperties.of(scene.type_of(cable)).radius > 0.0:
            vertices, triangles = swept_mesh(scene, swept, cable.name)
            yield write(folder / f"{stem}-envelope.stl", stl_bytes(1000.0 * vertices, triangles))
            yield write(folder / f"{stem}-envelope.glb", glb_bytes(vertices, triangles))


def snap_csv(snap: SnapReading) -> str:
    """The shapes before and after, point by point (m)."""
    lines = ["x_before,y_before,z_before,x_after,y_after,z_after"]
    for before, after in zip(snap.shape_before, snap.shape_after, strict=True):
        lines.append(",".join(f"{v:.9g}" for v in (*before, *after)))
    return "\n".join(lines) + "\n"
