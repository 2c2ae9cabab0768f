"""A sweep on disk: every position as it is reached, so that an interrupted sweep goes on where it was.

`positions.jsonl` begins with what was asked, then one line per position; `shapes.f8` holds their shapes; `resume.json`
says at which position the shapes were kept that an interrupted sweep goes on from. `sweep.json`, written when all is
done, names the files beside it: another sweep into the same folder takes them away first.
"""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.checks import Check
from lissom.analysis.sweeps import SAME_SHAPE, CableReading, Reading, SnapReading, Swept, columns, distance, read
from lissom.exchange.courses import Goal
from lissom.keeping import SimulationState
from lissom.scene import Scene
from lissom.scene.files import make_folder, unwritable, write
from lissom.scene.joint import Value
from lissom.scene.pose import Pose
from lissom.simulation import Simulation
from lissom.sweeping import goals_of, place, visits

Array = NDArray[np.float64]

PIECES: Final = 2
"""of a grid for each process: then none waits long for the last."""
KEEP_EVERY: Final = 2.0
"""s between two copies of the simulation to go on from."""
RESULT: Final = "sweep.json"


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


def digests(scene: Scene) -> dict[str, str]:
    """Of the files that a scene names: when one of them has changed it is another sweep."""
    named = [track.file for motion in scene.motions for track in motion.tracks]
    named += [part.mesh for part in scene.parts if part.mesh]
    paths = {name: scene.folder / name for name in named}
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in paths.items() if path.is_file()}


class SweepFolder:
    """Files of one sweep."""

    def __init__(self, folder: Path, scene: Scene, request: Request) -> None:
        make_folder(folder)
        self.folder = folder
        self.lines, self.numbers = folder / "positions.jsonl", folder / "shapes.f8"
        self.resume = folder / "resume.json"
        asked = {"scene": scene.to_dict(), "request": dataclasses.asdict(request), "files": digests(scene)}
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
        clear_results(self.folder)
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


def clear_results(folder: Path) -> None:
    """Takes away what an earlier sweep has written there: the files that its sweep.json names."""
    document = folder / RESULT
    try:
        named = json.loads(document.read_text(encoding="utf-8"))["files"]
        files = [folder / k for k in named if Path(k).name == k]
    except (OSError, ValueError, LookupError, TypeError):
        return  # there is none, or it is not ours
    for path in [*files, document]:
        try:
            if path.is_file():
                path.unlink()
        except OSError as error:
            raise unwritable(path, error) from None


def run_sweep(
    scene: Scene,
    request: Request,
    folder: SweepFolder | None = None,
    processes: int = 1,
    going_on: Callable[[int, int], object] | None = None,
) -> Iterator[Swept]:
    """Sweeps, and gives what there is after every position; goes on where an interrupted sweep of the same was.

    With several `processes` a grid is shared out, and there is news after every piece of it. `going_on` hears how many
    positions, of how many, an interrupted sweep had visited.
    """
    goals = request.goals(scene)
    way = [*goals, *reversed(goals[:-1])] if request.back else goals
    begun = None if folder is None else folder.begun(scene, way)
    simulation, swept = begun or (Simulation(scene), Swept())
    if begun is not None and going_on is not None:
        going_on(len(swept.readings), len(way))
    if folder is not None:
        folder.start(swept)
    if processes > 1 and request.grid is not None and not request.back and not swept.readings:
        steps = shared_out(simulation, scene, goals, processes)
    else:
        steps = one_by_one(simulation, scene, goals, request.back, len(swept.readings))
    here: Goal | None = None
    try:
        for simulation, here, found in steps:
            for reading, shapes in found:
                swept.add(reading, shapes)
                if folder is not None:
                    folder.append(reading, shapes)
            if folder is not None:
                folder.keep(simulation, len(swept.readings) - 1, here)
            yield swept
    except BaseException:
        if folder is not None and here is not None:
            folder.keep(simulation, len(swept.readings) - 1, here, now=True)
        raise
    if folder is not None:
        folder.end()


Step = tuple[Simulation, Goal, list[tuple[Reading, dict[str, Array]]]]
"""The simulation, where it stands, and what was found since the last one."""


def one_by_one(simulation: Simulation, scene: Scene, goals: list[Goal], back: bool, skip: int) -> Iterator[Step]:
    for visit in visits(simulation, goals, back=back, skip=skip):
        yield simulation, visit.here, [(read(simulation, visit, scene), visit.shapes)]


def shared_out(simulation: Simulation, scene: Scene, goals: list[Goal], processes: int) -> Iterator[Step]:
    """Pieces of the way, each by a process of its own that begins at the last position of the piece before.

    Where its shapes there are not those that the piece before ended with (it came another way, and is on another branch
    of equilibria) the piece is swept again from where that one ended: the answer does not depend on the sharing.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    size = max(1, math.ceil(len(goals) / (PIECES * processes)))
    starts = range(0, len(goals), size)
    context = get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=Worker.begin, initargs=(scene,)) as pool:
        pieces = [pool.submit(Worker.piece, goals[max(k - 1, 0) : k + size], k) for k in starts]
        last: dict[str, Array] = {}
        for start, future in zip(starts, pieces, strict=True):
            first, found, after, here = future.result()
            if start and not same_shapes(scene, first, last):
                _, found, after, here = swept_piece(simulation, scene, goals[start - 1 : start + size], start)
            simulation.restore(after)
            last = found[-1][1]
            yield simulation, here, found


class Worker:
    """What a process of its own keeps from piece to piece: the scene with its meshes, solved as it stands."""

    scene: Scene
    simulation: Simulation
    state: SimulationState

    @classmethod
    def begin(cls, scene: Scene) -> None:
        cls.scene, cls.simulation = scene, Simulation(scene)
        cls.simulation.solve()
        cls.state = cls.simulation.state()

    @classmethod
    def piece(cls, goals: list[Goal], start: int) -> Piece:
        cls.simulation.restore(cls.state)
        return swept_piece(cls.simulation, cls.scene, goals, start)


Piece = tuple[dict[str, Array], list[tuple[Reading, dict[str, Array]]], SimulationState, Goal]
"""The shapes at the position before a piece, what was found in it, and where it ended."""


def swept_piece(simulation: Simulation, scene: Scene, goals: list[Goal], start: int) -> Piece:
    """The goals of a piece, after the last one of the piece before where there is one."""
    found: list[tuple[Reading, dict[str, Array]]] = []
    first: dict[str, Array] = {}
    here = goals[0]
    for visit in visits(simulation, goals):
        if start and visit.number == 0:
            first = visit.shapes
            continue
        number = start + visit.number - (1 if start else 0)
        reading = read(simulation, dataclasses.replace(visit, number=number), scene)
        found.append((reading, visit.shapes))
        here = visit.here
    return first, found, simulation.state(), here


def same_shapes(scene: Scene, a: dict[str, Array], b: dict[str, Array]) -> bool:
    return a.keys() == b.keys() and all(distance(a[k], b[k]) <= SAME_SHAPE * scene.cable(k).length for k in a)


def goal_from(entry: dict[str, Any]) -> Goal:
    return Goal(settings_from(entry["settings"]), poses_from(entry["poses"]))


def reading_from(entry: dict[str, Any]) -> Reading:
    """A line of the file."""
    snaps = (k | {key: settings_from(k[key]) for key in ("before", "after")} for k in entry["snaps"])
    return Reading(
        entry["number"],
        entry["name"],
        entry["time"],
        settings_from(entry["settings"]),
        poses_from(entry["poses"]),
        entry["back"],
        entry["status"],
        entry["reason"],
        {name: CableReading(**k) for name, k in entry["cables"].items()},
        tuple(Check(**k) for k in entry["checks"]),
        tuple(SnapReading(**k) for k in snaps),
        tuple(entry["uncertified"]),
    )


def settings_from(entry: dict[str, Any]) -> dict[str, Value]:
    """A rotation vector is a list in the file."""
    return {name: tuple(k) if isinstance(k, list) else k for name, k in entry.items()}


def poses_from(entry: dict[str, Any]) -> dict[str, Pose]:
    return {name: (tuple(x), tuple(q)) for name, (x, q) in entry.items()}


def _shapes(stream: Any, points: dict[str, int]) -> Iterator[tuple[str, Array]]:
    for name, count in points.items():
        yield name, np.frombuffer(stream.read(24 * count), dtype="<f8").reshape(count, 3)


def csv_text(scene: Scene, swept: Swept) -> str:
    """One row per position."""
    table = columns(scene, swept.readings)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table)
    for row in zip(*table.values(), strict=True):
        writer.writerow(["" if k is None else f"{k:.9g}" if isinstance(k, float) else k for k in row])
    return stream.getvalue()
