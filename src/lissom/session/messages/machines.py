"""What the page and the session say to each other about machines: bodies, joints and ropes that move in time.

Part of `messages`, which says how they travel. Angles rad, lengths m, forces N, torques N m; of a slide m and N.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lissom.session.messages.motion import JointKind

Drive = Literal["off", "speed", "torque", "tension"]


# ---- commands --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Play:
    """Whether time runs."""

    on: bool


@dataclass(frozen=True, slots=True)
class Advance:
    """So many substeps of 1/600 s; ten are a step."""

    substeps: int = 10


@dataclass(frozen=True, slots=True)
class Rewind:
    """Back to how the scene says that the machine begins; motors stay as they are set."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast time runs, in multiples of real time."""

    speed: float


@dataclass(frozen=True, slots=True)
class SetMotor:
    """What drives a joint from now on: a speed (with a torque at most), a torque, or the tension of its rope."""

    joint: str
    drive: Drive
    value: float = 0.0
    most: float | None = None  # torque beside a speed; absent: whatever is needed


@dataclass(frozen=True, slots=True)
class FindRest:
    """Bodies and ropes go where they stand by themselves, motors hold; answered with how that went."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Which series over time `Machine` carries: "energy", "tension/ROPE/2", "joint/WINCH", "position/PART/z" …"""

    series: list[str]


@dataclass(frozen=True, slots=True)
class ExportRun:
    """Writes what was recorded since the start to a folder beside the scene; answered with the paths of the files."""


MachineCommand = Play | Advance | Rewind | Pace | SetMotor | FindRest | Watch | ExportRun


# ---- of the scene ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LinkInfo:
    on: str
    link: str  # attachment, rolling, pinhole, hybrid, spool
    named: bool  # in the path; after those come the parts that the rope may meet


@dataclass(frozen=True, slots=True)
class RopeInfo:
    name: str
    diameter: float
    closed: bool
    path: list[LinkInfo]
    breaking: float | None  # N
    allowed: float | None  # N: by a safety factor less than that


@dataclass(frozen=True, slots=True)
class AxisInfo:
    """A joint on a free part; origin and axis in the axes of its parent."""

    name: str
    part: str
    joint: JointKind
    parent: str | None
    origin: tuple[float, float, float]
    axis: tuple[float, float, float]
    low: float | None
    high: float | None
    winch: bool  # turns a spool: can be driven by the tension of its rope
    drive: Drive  # as the scene has it
    value: float
    most: float | None
    reach: dict[str, float]  # by kind of drive: to either side, of a slider for the value


@dataclass(frozen=True, slots=True)
class MachineInfo:
    ropes: list[RopeInfo]
    joints: list[AxisInfo]
    loose: list[str]  # parts that forces move: they can be pulled
    weight: float  # N, of all that moves


# ---- of a frame ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RopeStrand:
    """One rope of a frame; its numbers follow those of the cables, float32: positions (n×3), tension (n; NaN where it
    is slack), and of each span (m×5) the link that it leaves, its first point, how many it has, its tension, and by how
    much it is longer than its way (m).
    """

    name: str
    points: int
    spans: int
    broken: bool


@dataclass(frozen=True, slots=True)
class Clock:
    """The time of the machine."""

    time: float
    playing: bool
    pace: float  # wanted
    ratio: float | None  # the pace that it really has, where it cannot keep up
    error: str = ""  # why it stopped by itself


# ---- read-outs: a snapshot, the latest wins --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SpanValue:
    link: int  # that it leaves
    to: int  # link that it leads to
    tension: float | None
    length: float
    rest: float  # unstretched
    slack: bool


@dataclass(frozen=True, slots=True)
class RopeValue:
    name: str
    total: float
    broke: str  # when, under what force and where; empty while it is whole
    spans: list[SpanValue]
    stored: list[float | None]  # on each link; none where the rope passes it by
    turns: list[float]
    fleet: list[float]


@dataclass(frozen=True, slots=True)
class AxisValue:
    name: str
    value: float
    speed: float
    torque: float
    drive: Drive
    setting: float
    most: float | None


@dataclass(frozen=True, slots=True)
class Series:
    """Over time; where there is more than can be drawn, the extremes are kept."""

    key: str
    times: list[float]
    values: list[float | None]


@dataclass(frozen=True, slots=True)
class Machine:
    """Everything that is read off a machine; less often than frames."""

    time: float
    since: float  # s: where the records begin
    energy: float
    kinetic: float
    ropes: list[RopeValue]
    joints: list[AxisValue]
    series: list[Series]
