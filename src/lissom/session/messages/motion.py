"""What the page and the session say to each other about motion: joints, positions, motions, and sweeps of them.

Part of `messages`, which says how they travel. Values of joints are rad or m; of a ball joint a rotation vector.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

JointKind = Literal["hinge", "slide", "ball", "fixed"]
SweepProgress = Literal["running", "done", "stopped", "failed"]


# ---- commands --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Steer:
    """Where joints are to be, while they are dragged; a later one makes an earlier one void. `Drop` lets go."""

    joints: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scrub:
    """To which time of a motion the parts are to go, while it is played or scrubbed; `Drop` lets go."""

    motion: str
    seconds: float


@dataclass(frozen=True, slots=True)
class SetJoints:
    """Typed values of joints: numbers, or texts with a unit; only what is given changes."""

    joints: dict[str, Any]


@dataclass(frozen=True, slots=True)
class GoToPosition:
    name: str


@dataclass(frozen=True, slots=True)
class GoToTime:
    """To a time of a motion; with `along` as its sweep does: to its beginning, and along it from there."""

    motion: str
    seconds: float
    along: bool = False


@dataclass(frozen=True, slots=True)
class KeepPosition:
    """Keeps the present setting of the joints under a name."""

    name: str


@dataclass(frozen=True, slots=True)
class RemovePosition:
    name: str


@dataclass(frozen=True, slots=True)
class RenamePosition:
    name: str
    to: str


@dataclass(frozen=True, slots=True)
class KeyframeSaid:
    time: float  # s
    joints: dict[str, Any]


@dataclass(frozen=True, slots=True)
class AddMotion:
    """A new motion; answered with its name, which may get a number."""

    name: str
    keyframes: list[KeyframeSaid]


@dataclass(frozen=True, slots=True)
class RemoveMotion:
    name: str


@dataclass(frozen=True, slots=True)
class RenameMotion:
    name: str
    to: str


@dataclass(frozen=True, slots=True)
class Take:
    """Begins to take down how joints are moved, or ends that: a new motion, answered with its name."""

    on: bool
    name: str = "motion"


@dataclass(frozen=True, slots=True)
class Sweep:
    """Visits every position of a motion in the background, on a copy of the scene."""

    motion: str


@dataclass(frozen=True, slots=True)
class StopSweep:
    """Ends the sweep or the envelope under way; what was found stays."""


@dataclass(frozen=True, slots=True)
class ShowEnvelope:
    """Whether what a cable sweeps in a motion is drawn; found in the background when it is first asked for."""

    motion: str
    cable: str
    shown: bool


@dataclass(frozen=True, slots=True)
class ExportSweep:
    """Writes what a sweep found to a folder beside the scene; answered with its path and the files in it."""

    motion: str


MotionCommand = (
    Steer
    | Scrub
    | SetJoints
    | GoToPosition
    | GoToTime
    | KeepPosition
    | RemovePosition
    | RenamePosition
    | AddMotion
    | RemoveMotion
    | RenameMotion
    | Take
    | Sweep
    | StopSweep
    | ShowEnvelope
    | ExportSweep
)


# ---- of the scene ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JointInfo:
    name: str
    part: str
    kind: JointKind
    low: float | None  # none: without a range
    high: float | None


@dataclass(frozen=True, slots=True)
class PositionInfo:
    name: str
    joints: dict[str, list[float]]


@dataclass(frozen=True, slots=True)
class MotionInfo:
    name: str
    recorded: bool  # poses of parts; else keyframes of joints
    moves: list[str]  # joints, or parts
    times: list[float]  # s, of the keyframes; of a recording the first and the last
    error: str = ""  # why it cannot be used


# ---- of a frame ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Playhead:
    """Where on a motion the parts stand."""

    motion: str
    time: float


# ---- what sweeps found: a snapshot, the latest wins ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Band:
    """One check over a sweep; lists have an entry for every position."""

    cable: str
    rule: str
    text: str  # "bend radius", "clearance to strut"
    limit: float
    unit: str
    values: list[float | None]
    margins: list[float | None]  # positive: kept; none: not checked
    worst: int | None  # the position with the least margin
    failed: int  # positions


@dataclass(frozen=True, slots=True)
class SnapMark:
    """A cable snapped through on the way to a position."""

    cable: str
    position: int
    distance: float  # m


@dataclass(frozen=True, slots=True)
class EnvelopeInfo:
    cable: str
    shown: bool
    done: float  # part of the work of finding it
    mesh: str | None  # key: GET /mesh/KEY; none: it is being found
    volume: float | None  # m³
    error: str = ""


@dataclass(frozen=True, slots=True)
class SweepInfo:
    """The sweep of one motion."""

    motion: str
    progress: SweepProgress
    stale: bool  # the scene was edited since
    total: int  # positions
    times: list[float]  # s, of the positions visited so far
    reasons: list[str]  # why a position is not certified; "" where it is
    bands: list[Band]
    snaps: list[SnapMark]
    envelopes: list[EnvelopeInfo]
    error: str = ""


@dataclass(frozen=True, slots=True)
class Sweeps:
    """All sweeps of this scene."""

    sweeps: list[SweepInfo]
