"""A sweep on disk: every position as it is reached, so that an interrupted sweep goes on where it was.

`positions.jsonl` begins with what was asked, then one line per position; `shapes.f4` holds their shapes; `resume.toml`
with its state is the simulation at the last position that was kept.
"""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.checks import Check
from lissom.analysis.files import make_folder, write
from lissom.analysis.report import plain
from lissom.analysis.sweeps import CableReading, Reading, SnapReading, Swept, columns, read
from lissom.scene import Scene, state_path
from lissom.simulation import Simulation
from lissom.sweeping import Visit, goals_of, sweep

Array = NDArray[np.float64]

KEEP_EVERY: Final = 2.0
"""s between two copies of the simulation to go on from."""


@dataclasses.dataclass(frozen=True, slots=True)
class Request:
    """What is to be swept."""

    motion: str | None = None
    grid: dict[str, int] | None = None
    positions: list[str] | str | None = None
    frames: int = 60
    back: bool = False

    def total(self, scene: Scene) -> int:
        count = len(goals_of(scene, self.motion, self.grid, self.positions, self.frames))
        return 2 * count - 1 if self.back else count


class SweepFolder:
    """Files of one sweep."""

    def __init__(self, folder: Path, scene: Scene, request: Request) -> None:
        make_folder(folder)
        self.folder = folder
        self.lines, self.numbers = folder / "positions.jsonl", folder / "shapes.f4"
        self.resume = folder / "resume.toml"
        asked = {"scene": scene.to_dict(), "request": dataclasses.asdict(request)}
        self.asked = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        self._kept = 0.0

    def begun(self) -> tuple[Simulation, Swept] | None:
        """What an interrupted sweep of the same kind has left; None where there is none to go on from."""
        if not self.lines.is_file() or not self.resume.is_file():
            return None
        head, *entries = [json.loads(line) for line in self.lines.read_text(encoding="utf-8").splitlines() if line]
        if head.get("asked") != self.asked or head.get("done"):
            return None
        simulation = Simulation.open(self.resume)
        number = int(json.loads((self.folder / "resume.json").read_text())["number"])
        swept = Swept()
        with self.numbers.open("rb") as stream:
            for entry in entries[: number + 1]:
                swept.add(reading_from(entry), dict(_shapes(stream, entry["points"])))
        return simulation, swept

    def start(self, swept: Swept) -> None:
        """Begins the files anew, with what was there."""
        write(self.lines, (json.dumps({"lissom": "sweep", "asked": self.asked}) + "\n").encode())
        write(self.numbers, b"")
        for reading, shapes in zip(swept.readings, swept.shapes, strict=True):
            self.append(reading, shapes)

    def append(self, reading: Reading, shapes: dict[str, Array]) -> None:
        entry = plain(dataclasses.asdict(reading)) | {"points": {name: len(k) for name, k in shapes.items()}}
        with self.numbers.open("ab") as stream:
            stream.write(b"".join(np.ascontiguousarray(k, dtype="<f4").tobytes() for k in shapes.values()))
        with self.lines.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def keep(self, simulation: Simulation, number: int, now: bool = False) -> None:
        """A copy of the simulation, not too often."""
        if not now and time.monotonic() - self._kept < KEEP_EVERY:
            return
        simulation.save(self.resume)
        write(self.folder / "resume.json", json.dumps({"number": number}).encode())
        self._kept = time.monotonic()

    def end(self) -> None:
        """The sweep is whole: nothing to go on from."""
        for path in (self.resume, state_path(self.resume), self.folder / "resume.json"):
            path.unlink(missing_ok=True)


def run_sweep(scene: Scene, request: Request, folder: SweepFolder | None = None) -> Iterator[Swept]:
    """Sweeps, and gives what there is after every position; goes on where an interrupted sweep of the same was."""
    begun = None if folder is None else folder.begun()
    simulation, swept = begun or (Simulation(scene), Swept())
    if folder is not None:
        folder.start(swept)
    visit: Visit | None = None
    try:
        for visit in sweep(
            simulation,
            motion=request.motion,
            grid=request.grid,
            positions=request.positions,
            frames=request.frames,
            back=request.back,
            skip=len(swept.readings),
        ):
            swept.add(read(simulation, visit), visit.shapes)
            if folder is not None:
                folder.append(swept.readings[-1], visit.shapes)
                folder.keep(simulation, visit.number)
            yield swept
    except BaseException:
        if folder is not None and visit is not None and len(swept.readings) == visit.number + 1:
            folder.keep(simulation, visit.number, now=True)
        raise
    if folder is not None:
        folder.end()


def reading_from(entry: dict[str, Any]) -> Reading:
    """A line of the file."""
    settings = {name: tuple(k) if isinstance(k, list) else k for name, k in entry["settings"].items()}
    return Reading(
        entry["number"],
        entry["name"],
        entry["time"],
        settings,
        entry["back"],
        entry["status"],
        entry["reason"],
        {name: CableReading(**k) for name, k in entry["cables"].items()},
        tuple(Check(**k) for k in entry["checks"]),
        tuple(SnapReading(**k) for k in entry["snaps"]),
    )


def _shapes(stream: Any, points: dict[str, int]) -> Iterator[tuple[str, Array]]:
    for name, count in points.items():
        yield name, np.frombuffer(stream.read(12 * count), dtype="<f4").reshape(count, 3).astype(float)


def csv_text(swept: Swept) -> str:
    """One row per position."""
    table = columns(swept.readings)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table)
    for row in zip(*table.values(), strict=True):
        writer.writerow(["" if k is None else f"{k:.9g}" if isinstance(k, float) else k for k in row])
    return stream.getvalue()
