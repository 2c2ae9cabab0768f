"""A robot program made from contact states, and a robot that runs it in another simulation [KH05 §V.A].

For each state the program has the path of the gripper, relative to where the state began, and the change of force that
ends it. A robot goes along the path until its sensor sees the change: earlier than in the demonstration, or later,
going on as it went, because parts and cable are never quite where they were.
"""

import json
import math
from collections import deque
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lissom.haptic.devices import rotation_vector, turned_by
from lissom.haptic.recording import Recording
from lissom.haptic.states import Segments
from lissom.scene.errors import ABSENT, Problem, SceneError
from lissom.scene.pose import Pose

Array = NDArray[np.float64]

FORMAT: Final = 1
LARGEST_FILE: Final = 16 * 2**20
SMALLEST: Final = 0.04
"""N: a smaller change is lost in the noise of a sensor; then the end of the path ends the state."""
SEARCH: Final = 0.03
"""m that a robot goes on beyond the path in search of a change."""
EARLY: Final = 1.0
"""s before its time from which a change is looked for."""
SAMPLES: Final = 50
"""Of a path in the file, at most, beside its ends."""
SENSOR: Final = 0.05
"""s over which a robot averages its sensor."""


@dataclass(frozen=True, slots=True)
class Until:
    """What ends a state: the force along `direction`, counted from the beginning of the state, goes through `level`."""

    direction: tuple[float, float, float]
    level: float  # N
    size: float  # N, of the whole change
    slope: float  # N/s


@dataclass(frozen=True, slots=True)
class Leg:
    """One state of a program."""

    name: str
    contacts: tuple[tuple[str, str, str], ...]
    duration: float  # s, in the demonstration
    path: tuple[tuple[float, ...], ...]  # time, x, y, z, and a rotation vector, since the state began
    until: Until | None  # None: the end of the path


@dataclass(frozen=True, slots=True)
class Program:
    """States with the conditions that end them."""

    start: Pose
    legs: tuple[Leg, ...]
    title: str = ""

    @property
    def sequence(self) -> tuple[str, ...]:
        return tuple(leg.name for leg in self.legs)

    def to_json(self) -> str:
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=2) + "\n"

    @classmethod
    def load(cls, path: str | Path) -> "Program":
        """Reads and checks a file; SceneError says what is wrong with it."""
        return read_program(Path(path))


def make_program(recording: Recording, found: Segments) -> Program:
    """States with their paths and conditions."""
    legs: list[Leg] = []
    for number, state in enumerate(found.states):
        last = min(state.last + 1, len(recording.time) - 1)
        picked = np.unique(np.linspace(state.first, last, min(SAMPLES, last - state.first + 1)).astype(int))
        origin, frame = recording.position[state.first], recording.quaternion[state.first]
        rows = [
            (
                float(recording.time[k] - state.begins), *(recording.position[k] - origin).tolist(),
                *rotation_vector(frame, recording.quaternion[k]).tolist(),
            )
            for k in picked
        ]  # fmt: skip
        until = None
        if number < len(found.changes):
            until = until_of(recording, found, number)
        contacts = tuple((k.side, k.feature, k.part) for k in state.contacts)
        duration = float(recording.time[last] - state.begins)
        legs.append(Leg(state.name, contacts, duration, tuple(rows), until))
    x, q = recording.position[0].tolist(), recording.quaternion[0].tolist()
    return Program(((x[0], x[1], x[2]), (q[0], q[1], q[2], q[3])), tuple(legs), recording.title)


def until_of(recording: Recording, found: Segments, number: int) -> Until | None:
    """Half way between before and after; None where the sensor would hardly see it."""
    state, change = found.states[number], found.changes[number]
    if change.size < SMALLEST:
        return None
    d = change.direction
    along = recording.force @ d
    at = found.states[number + 1].first
    began = float(along[state.first : state.first + 5].mean())
    before = float(along[max(state.first, at - 20) : at].mean()) - began
    after = before + change.size
    return Until((float(d[0]), float(d[1]), float(d[2])), 0.5 * (before + after), change.size, change.slope)


class Robot:
    """Runs a program: a device for the loop. `is_over` says when it has ended, and `log` how each state did."""

    def __init__(self, program: Program, start: Pose | None = None) -> None:
        """`start` is where its gripper really is; absent: where the demonstration began."""
        if not program.legs:
            raise ValueError("legs: there must be one at least; a program without states does nothing")
        self.program = program
        self._origin, self._frame = (np.array(v) for v in (start or program.start))
        self._leg = 0
        self._since = 0.0
        self._sensor: deque[tuple[float, Array]] = deque()
        self._first: Array | None = None  # what the sensor said when the leg began
        self._pose = self._origin.copy(), self._frame.copy()
        self.log: list[tuple[float, str, str]] = []  # time, state, how it ended
        self.status, self.reason = "running", ""

    @property
    def is_over(self) -> bool:
        return self.status != "running"

    def read(self, time: float) -> Pose:
        if not self.is_over:
            self._follow(time)
        (x, y, z), (w, i, j, k) = self._pose[0].tolist(), self._pose[1].tolist()
        return (x, y, z), (w, i, j, k)

    def _follow(self, time: float) -> None:
        leg = self.program.legs[self._leg]
        passed = time - self._since
        over = passed - leg.duration
        step, turn = on_path(leg, passed)
        beyond = np.zeros(3)
        if over >= 0.0 and leg.until is not None:
            beyond = over * velocity(leg)
            step = step + beyond
        if self._sees(leg, passed):
            self._next(time, step, turn, "felt")
            return
        if over >= 0.0 and leg.until is None:
            self._next(time, step, turn, "end of path")
            return
        gone = float(np.linalg.norm(beyond))
        if leg.until is not None and (gone > SEARCH or over > 3.0 + leg.duration):
            self.status = "lost"
            self.reason = (
                f"{leg.name}: the change of {leg.until.size:.3g} N that ends it was not felt within "
                f"{1000.0 * gone:.3g} mm beyond the path; the parts are too far from where they were demonstrated"
            )
            self.log.append((time, leg.name, "lost"))
            return
        self._pose = self._origin + step, turned_by(self._frame, turn)

    def _sees(self, leg: Leg, passed: float) -> bool:
        if leg.until is None or self._first is None:
            return False
        if passed < max(0.1, leg.duration - EARLY):
            return False
        felt = self._mean() - self._first
        return bool(felt @ np.array(leg.until.direction) > leg.until.level)

    def _mean(self) -> Array:
        return np.asarray(np.mean([force for _, force in self._sensor], axis=0))

    def _next(self, time: float, step: Array, turn: Array, how: str) -> None:
        self.log.append((time, self.program.legs[self._leg].name, how))
        self._origin, self._frame = self._origin + step, turned_by(self._frame, turn)
        self._pose = self._origin.copy(), self._frame.copy()
        self._leg += 1
        self._since = time
        self._first = None if not self._sensor else self._mean()
        if self._leg == len(self.program.legs):
            self.status = "done"

    def write(self, time: float, force: Array, torque: Array) -> None:
        self._sensor.append((time, force))
        if self._first is None and time - self._sensor[0][0] >= SENSOR:
            self._first = self._mean()
        while time - self._sensor[0][0] > SENSOR:
            self._sensor.popleft()

    def close(self) -> None:
        pass


def on_path(leg: Leg, passed: float) -> tuple[Array, Array]:
    """(3,) way and (3,) rotation vector since the state began; beyond the end, those of the end."""
    rows = np.array(leg.path)
    values = [float(np.interp(passed, rows[:, 0], rows[:, k])) for k in range(1, 7)]
    return np.array(values[:3]), np.array(values[3:])


def velocity(leg: Leg) -> Array:
    """(3,) m/s with which the gripper went last: over the last moving fifth of the path."""
    rows = np.array(leg.path)
    if len(rows) < 2:
        return np.zeros(3)
    first = int(np.searchsorted(rows[:, 0], 0.8 * rows[-1, 0]))
    first = min(first, len(rows) - 2)
    return np.asarray((rows[-1, 1:4] - rows[first, 1:4]) / (rows[-1, 0] - rows[first, 0]))


# ---- files -------------------------------------------------------------------------------------------------


def read_program(path: Path) -> Program:
    def broken(message: str) -> SceneError:
        return SceneError([Problem("", ABSENT, message, file=str(path))])

    try:
        if path.stat().st_size > LARGEST_FILE:
            raise broken(f"is larger than {LARGEST_FILE // 2**20} MB")
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise broken("there is no such file; `lissom states RECORDING -o DIR` writes one") from None
    except (OSError, ValueError, RecursionError) as error:
        raise broken(f"is no readable JSON file ({error})") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise broken(f"must have format = {FORMAT}")
    try:
        return from_entries(data)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise broken(f"is not a program of contact states ({type(error).__name__}: {error})") from None


def from_entries(data: dict[str, Any]) -> Program:
    """A program from plain data; ValueError, KeyError or TypeError where it is none."""
    legs: list[Leg] = []
    for entry in data["legs"]:
        rows = tuple(tuple(number(k) for k in row) for row in entry["path"])
        times = [row[0] for row in rows if len(row) == 7]
        if not rows or len(times) < len(rows) or any(b <= a for a, b in pairwise(times)):
            raise ValueError("path must be rows of seven numbers, with times that increase")
        said = entry["until"]
        until = None
        if said is not None:
            x, y, z = (number(k) for k in said["direction"])
            until = Until((x, y, z), number(said["level"]), number(said["size"]), number(said["slope"]))
        contacts = tuple((str(a), str(b), str(c)) for a, b, c in entry["contacts"])
        legs.append(Leg(str(entry["name"])[:500], contacts, number(entry["duration"]), rows, until))
    if not legs:
        raise ValueError("legs: there must be one at least")
    (x, y, z), (w, i, j, k) = ([number(v) for v in part] for part in data["start"])
    if abs(math.hypot(w, i, j, k) - 1.0) > 1e-3:
        raise ValueError("start: its quaternion must have norm 1")
    return Program(((x, y, z), (w, i, j, k)), tuple(legs), str(data.get("title", ""))[:500])


def number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{value!r:.40} is not a finite number")
    return float(value)
