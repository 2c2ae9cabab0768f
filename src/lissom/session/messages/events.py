"""Events: to the page, ordered, never lost, each with a number of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lissom.session.messages.machines import MachineInfo
from lissom.session.messages.motion import JointInfo, MotionInfo, PositionInfo
from lissom.session.messages.snapshots import CableValues
from lissom.session.messages.values import Json, Pick, Quantity, Unit, Vec3, Vec4, View

Level = Literal["info", "warning", "error"]
State = Literal["starting", "compiling", "solving", "replaying", "ready", "restarted"]


@dataclass(frozen=True, slots=True)
class Answer:
    """To the command of that number: done, or why not; nothing changed then."""

    to: int
    ok: bool
    error: str = ""
    value: Json = None
    stopped: bool = False  # not done because of a `Stop`


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to be said; `path` is what it is about."""

    level: Level
    text: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """What the simulation process is doing; `restarted` after it died and came back. A text with `ready` is of what is
    being prepared meanwhile.
    """

    state: State
    text: str = ""
    can_stop: bool = False  # by `Stop`


@dataclass(frozen=True, slots=True)
class Support:
    """What holds a cable: an end or a clip. `kind` is clamp, ball, swivel, ring, sleeve, free or joined."""

    path: str
    name: str
    kind: str
    at: float
    on: str | None
    position: Vec3
    quaternion: Vec4 | None


@dataclass(frozen=True, slots=True)
class CableInfo:
    name: str
    type: str | None
    length: float
    radius: float
    outline: list[tuple[float, float]]  # of the section, in the (d1, d2) plane, m
    points: int
    supports: list[Support]
    limits: dict[str, Json]
    mode: Literal["fixed", "soft", "feed"]
    bent: float | None  # of a soft one
    stiffness: dict[str, float]  # bending about d1 and d2, torsion, mass_per_length: what the type amounts to
    fields: dict[str, Json]  # as the scene says it


@dataclass(frozen=True, slots=True)
class FrameInfo:
    """A named place on a part, in its axes: with a direction, and a whole orientation, where it has them."""

    name: str
    position: Vec3
    direction: Vec3 | None
    quaternion: Vec4 | None


@dataclass(frozen=True, slots=True)
class PartInfo:
    name: str
    mesh: str | None  # key: GET /mesh/KEY; none: it only carries frames
    solid: bool  # closed
    triangles: int
    motion: str
    parent: str | None
    frames: list[FrameInfo]
    position: Vec3
    quaternion: Vec4
    fields: dict[str, Json]


@dataclass(frozen=True, slots=True)
class JunctionInfo:
    name: str
    motion: str
    members: list[str]
    position: Vec3
    quaternion: Vec4
    fields: dict[str, Json]


@dataclass(frozen=True, slots=True)
class TypeInfo:
    """A cable type of the scene, or of the library ("library:…")."""

    name: str
    summary: str  # "Ø 10.5 mm, 97 g/m"
    fields: dict[str, Json]


@dataclass(frozen=True, slots=True)
class MeasureInfo:
    number: int
    a: Pick
    b: Pick
    text: str  # "brake hose to bracket"


@dataclass(frozen=True, slots=True)
class ClipInfo:
    name: str
    kind: str
    at: float | None  # m from the start; none: it finds its place


@dataclass(frozen=True, slots=True)
class MakeInfo:
    """What a cable is made of, and how it is held between its ends."""

    cable: str
    type: str | None  # none: values of its own
    clips: list[ClipInfo]


@dataclass(frozen=True, slots=True)
class VariantInfo:
    name: str
    shown: bool
    cables: list[CableValues]
    makes: list[MakeInfo]
    shapes: dict[str, list[Vec3]]  # centre lines; none where it is not shown


@dataclass(frozen=True, slots=True)
class PointsInfo:
    name: str
    cable: str
    points: list[Vec3]


@dataclass(frozen=True, slots=True)
class SceneEvent:
    """Everything that is not a shape; after every change of it."""

    title: str
    file: str | None  # path in the workspace; none: never saved
    unsaved: bool
    recovered: bool  # the edits come from before a crash
    undo: str  # what would be undone, "" where nothing can be
    redo: str
    simulate: bool
    recording: bool
    unit: Unit
    gravity: Vec3
    cables: list[CableInfo]
    parts: list[PartInfo]
    junctions: list[JunctionInfo]
    types: list[TypeInfo]
    hidden: list[str]
    locked: list[str]
    transparent: list[str]
    groups: dict[str, list[str]]
    views: list[View]
    measures: list[MeasureInfo]
    variants: list[VariantInfo]
    points: list[PointsInfo]
    colour: Quantity
    question: str = ""  # what a demo asks
    joints: list[JointInfo] = field(default_factory=list)
    positions: list[PositionInfo] = field(default_factory=list)
    motions: list[MotionInfo] = field(default_factory=list)
    taking: bool = False  # a motion is being taken down
    machine: MachineInfo | None = None


Event = Answer | Notice | Status | SceneEvent
