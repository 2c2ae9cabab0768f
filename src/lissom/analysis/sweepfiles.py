"""A sweep on disk: every position as it is reached, so that an interrupted sweep goes on where it was.

`positions.jsonl` begins with what was asked, then one line per position; `shapes.f8` holds their shapes; `resume.json`
says at which position the shapes were kept that an interrupted sweep goes on from.
"""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.checks import Check
from lissom.analysis.files import make_folder, write
from lissom.analysis.sweeps import CableReading, Reading, SnapReading, Swept, columns, read
from lissom.scene import Scene
from lissom.scene.joint import Value
from lissom.simulation import Simulation
from lissom.sweeping import Goal, Visit, goals_of, place, visits

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

    def goals(self, scene: Scene) -> list[Goal]:
        """The positions in the order in which they are visited, without the way back."""
        return goals_of(scene, self.motion, self.grid, self.positions, self.frames)

    def total(self, scene: Scene) -> int:
        count = len(self.goals(scene))
        return 2 * count - 1 if self.back else count


class SweepFolder:
    """Files of one sweep."""

    def __init__(self, folder: Path, scene: Scene, request: Request) -> None:
        make_folder(folder)
        self.folder = folder
        self.lines, self.numbers = folder / "positions.jsonl", folder / "shapes.f8"
        self.resume = folder / "resume.json"
        asked = {"scene": scene.to_dict(), "request": dataclasses.asdict(request)}
        self.asked = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        self._kept = 0.0

    def begun(self, scene: Scene, goals: Sequence[Goal]) -> tuple[Simulation, Swept] | None:
        """What an interrupted sweep of the same has left: the simulation as it stood, and what was found until then.

        None where there is nothing to go on from.
        """
        try:
            kept = json.loads(self.resume.read_text(encoding="utf-8"))
            lines = self.lines.read_text(encoding="utf-8").splitlines()
            if json.loads(lines[0])["asked"] != self.asked:
                return None
            entries = [json.loads(line) for line in lines[1 : kept["number"] + 2]]
            state = self.folder / str(kept["state"])
            if len(entries) != kept["number"] + 1 or not state.is_file():
                return None
            swept = Swept()
            with self.numbers.open("rb") as stream:
                for entry in entries:
                    swept.add(reading_from(entry), dict(_shapes(stream, entry["points"])))
        except (OSError, ValueError, LookupError, TypeError):
            return None
        simulation = Simulation(scene)
        for goal in goals[: kept["number"] + 1]:  # whole turns count
            place(simulation, goal)
        place(simulation, goal_from(kept["here"]))
        simulation.take_state(state)
        simulation.solve()
        return simulation, swept

    def start(self, swept: Swept) -> None:
        """Begins the files anew, with what was there."""
        write(self.lines, (json.dumps({"lissom": "sweep", "asked": self.asked}) + "\n").encode())
        write(self.numbers, b"")
        for reading, shapes in zip(swept.readings, swept.shapes, strict=True):
            self.append(reading, shapes)

    def append(self, reading: Reading, shapes: dict[str, Array]) -> None:
        entry = dataclasses.asdict(reading) | {"points": {name: len(k) for name, k in shapes.items()}}
        with self.numbers.open("ab") as stream:
            stream.write(b"".join(np.ascontiguousarray(k, dtype="<f8").tobytes() for k in shapes.values()))
        with self.lines.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def keep(self, simulation: Simulation, number: int, here: Goal, now: bool = False) -> None:
        """The shapes to go on from, not too often; they count from the moment at which resume.json names them."""
        if not now and time.monotonic() - self._kept < KEEP_EVERY:
            return
        state = self.folder / f"resume-{number}.npz"
        simulation.save_state(state)
        kept = {"number": number, "state": state.name, "here": dataclasses.asdict(here)}
        write(self.resume, json.dumps(kept).encode())
        self._clear(but=state)
        self._kept = time.monotonic()

    def end(self) -> None:
        """The sweep is whole: nothing to go on from."""
        self.resume.unlink(missing_ok=True)
        self._clear()

    def _clear(self, but: Path | None = None) -> None:
        for path in self.folder.glob("resume-*.npz"):
            if path != but:
                path.unlink(missing_ok=True)


def run_sweep(scene: Scene, request: Request, folder: SweepFolder | None = None) -> Iterator[Swept]:
    """Sweeps, and gives what there is after every position; goes on where an interrupted sweep of the same was."""
    goals = request.goals(scene)
    way = [*goals, *reversed(goals[:-1])] if request.back else goals
    begun = None if folder is None else folder.begun(scene, way)
    simulation, swept = begun or (Simulation(scene), Swept())
    if folder is not None:
        folder.start(swept)
    visit: Visit | None = None
    try:
        for visit in visits(simulation, goals, back=request.back, skip=len(swept.readings)):
            swept.add(read(simulation, visit, scene), visit.shapes)
            if folder is not None:
                folder.append(swept.readings[-1], visit.shapes)
                folder.keep(simulation, visit.number, visit.here)
            yield swept
    except BaseException:
        if folder is not None and visit is not None and len(swept.readings) == visit.number + 1:
            folder.keep(simulation, visit.number, visit.here, now=True)
        raise
    if folder is not None:
        folder.end()


def goal_from(entry: dict[str, Any]) -> Goal:
    return Goal(
        settings_from(entry["settings"]), {name: (tuple(x), tuple(q)) for name, (x, q) in entry["poses"].items()}
    )


def reading_from(entry: dict[str, Any]) -> Reading:
    """A line of the file."""
    snaps = (k | {key: settings_from(k[key]) for key in ("before", "after")} for k in entry["snaps"])
    return Reading(
        entry["number"],
        entry["name"],
        entry["time"],
        settings_from(entry["settings"]),
        entry["back"],
        entry["status"],
        entry["reason"],
        {name: CableReading(**k) for name, k in entry["cables"].items()},
        tuple(Check(**k) for k in entry["checks"]),
        tuple(SnapReading(**k) for k in snaps),
    )


def settings_from(entry: dict[str, Any]) -> dict[str, Value]:
    """A rotation vector is a list in the file."""
    return {name: tuple(k) if isinstance(k, list) else k for name, k in entry.items()}


def _shapes(stream: Any, points: dict[str, int]) -> Iterator[tuple[str, Array]]:
    for name, count in points.items():
        yield name, np.frombuffer(stream.read(24 * count), dtype="<f8").reshape(count, 3)


def csv_text(swept: Swept) -> str:
    """One row per position."""
    table = columns(swept.readings)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table)
    for row in zip(*table.values(), strict=True):
        writer.writerow(["" if k is None else f"{k:.9g}" if isinstance(k, float) else k for k in row])
    return stream.getvalue()
