"""What the page and the session say to each other: the page's types are generated from these classes.

Commands go in, each answered once by an `Answer` with its number. Out come *events* (ordered, never lost, each with
a number of its own) and *snapshots* (only the latest matters): `Frame` with the shapes, many times per second, and
`Readouts` with everything that is read off them. SI units throughout; quaternions (w, x, y, z).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from lissom.session.machinemessages import Clock, Machine, MachineCommand, MachineInfo, RopeStrand
from lissom.session.motionmessages import JointInfo, MotionCommand, MotionInfo, Playhead, PositionInfo, Sweeps

Vec3 = tuple[float, float, float]
Vec4 = tuple[float, float, float, float]
Json = Any

ClipKind = Literal["clamp", "ball", "swivel", "ring", "sleeve"]
Level = Literal["info", "warning", "error"]
Unit = Literal["mm", "cm", "m", "in"]
Quantity = Literal["none", "bend_radius", "curvature", "torsion", "tension", "stress", "contact", "clearance"]
MeasureKind = Literal["point", "edge", "face", "cable", "part", "place"]
Export = Literal["picture", "table", "shapes", "report"]
State = Literal["starting", "compiling", "solving", "replaying", "ready", "restarted"]


# ---- commands: from the page -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Grab:
    """Takes hold of an end, a clip, a junction or a part (by path), or of the cable itself (its name, and `at`)."""

    path: str
    at: float | None = None  # fraction of the length, for the cable itself
    touched: Vec3 | None = None  # where a part is taken: one with a joint turns so that this point follows
    others: list[str] = field(default_factory=list)  # ends, clips, junctions and parts that move along as one


@dataclass(frozen=True, slots=True)
class Drag:
    """Where the grabbed thing is to be; a later one makes an earlier one void."""

    position: Vec3
    quaternion: Vec4 | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """Lets go. A cable held by itself springs back, unless `keep` leaves a clip of that kind there."""

    keep: ClipKind | None = None


@dataclass(frozen=True, slots=True)
class Cancel:
    """Lets go, and back to where the drag began."""


@dataclass(frozen=True, slots=True)
class Move:
    """Typed numbers for the pose of an end, clip, junction or part; only what is given changes."""

    path: str
    position: Vec3 | None = None
    quaternion: Vec4 | None = None
    tangent: Vec3 | None = None
    roll: float | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """Turns an end or clamp about its tangent, by an angle in rad; whole turns count."""

    path: str
    by: float


@dataclass(frozen=True, slots=True)
class Edit:
    """Fields of the scene by path: `{"brake hose/length": 0.45}`; several at once are one step of undo."""

    values: dict[str, Json]
    more: bool = False  # goes on with the same edit just before, as a slider does: one step of undo with it


@dataclass(frozen=True, slots=True)
class AddClip:
    cable: str
    at: float
    clip: ClipKind = "clamp"


@dataclass(frozen=True, slots=True)
class SpaceClips:
    cable: str
    count: int
    clip: ClipKind = "clamp"


@dataclass(frozen=True, slots=True)
class Mount:
    """A place where a new cable begins or ends: along `tangent` (from start to end), on a part or in the world."""

    position: Vec3
    tangent: Vec3
    on: str | None = None  # the pose is in the world all the same


@dataclass(frozen=True, slots=True)
class AddCable:
    start: Mount
    end: Mount
    type: str | None = None  # of the scene, or "library:…"; absent: as the last cable
    length: float | None = None  # absent: a little slack
    name: str | None = None


@dataclass(frozen=True, slots=True)
class AddType:
    """A new cable type: a copy of another ("library:…" too) or of what a cable is made of; `cable` is then of it."""

    name: str
    like: str
    cable: str | None = None


@dataclass(frozen=True, slots=True)
class AddPart:
    """A mesh that was uploaded, as a part; `up` is the axis of the file that is to point up."""

    upload: str
    name: str
    units: Unit
    up: Literal["x", "y", "z"] = "z"
    position: Vec3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class AddShape:
    """A primitive as a part: `{"kind": "box", "size": […]}` as in the scene file."""

    name: str
    shape: dict[str, Json]
    position: Vec3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Join:
    """Joins ends ("trunk/end", "left/start") into a junction, in the pose they have."""

    ends: list[str]
    motion: Literal["free", "held"] = "free"
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Remove:
    paths: list[str]


@dataclass(frozen=True, slots=True)
class Duplicate:
    path: str
    offset: Vec3 | None = None  # m; absent: a part where nothing is in its way, a cable a little above


@dataclass(frozen=True, slots=True)
class Rename:
    path: str
    name: str


@dataclass(frozen=True, slots=True)
class Simulate:
    """Whether cables follow at once; off, things move and wait for a single solve."""

    on: bool


@dataclass(frozen=True, slots=True)
class Solve:
    """One solve; `cold` forgets the present shapes."""

    cold: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """Ends what takes long: the command under way, which then has changed nothing; those that wait; a replay."""


@dataclass(frozen=True, slots=True)
class Reset:
    """Back to the scene as it was opened."""


@dataclass(frozen=True, slots=True)
class Lengthen:
    """Adds length (m, may be negative) between two places (fractions), or sets the whole length."""

    cable: str
    by: float | None = None
    to: float | None = None
    between: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Soften:
    """The cable finds its own length: 0 rather straight, 1 rather bent."""

    cable: str
    bent: float = 0.5
    more: bool = False  # as of an edit


@dataclass(frozen=True, slots=True)
class Feed:
    """The cable grows or shrinks between two places (fractions) as it is pulled."""

    cable: str
    between: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Freeze:
    """Leaves a routing mode: the length stays as it is."""

    cable: str


@dataclass(frozen=True, slots=True)
class HowLong:
    """The shortest length with which the cable passes all its checks; answered with a number and its story."""

    cable: str


@dataclass(frozen=True, slots=True)
class Pick:
    """Something to measure from: where it was clicked, and what was there; on a part in the part's own axes."""

    kind: MeasureKind
    point: Vec3
    path: str = ""  # of the cable or part
    at: float | None = None  # place on a cable, a fraction
    edge: tuple[Vec3, Vec3] | None = None
    normal: Vec3 | None = None  # of a face


@dataclass(frozen=True, slots=True)
class AddMeasure:
    """Kept and live: distance, arc length along a cable, or angle between two picks."""

    a: Pick
    b: Pick


@dataclass(frozen=True, slots=True)
class RemoveMeasure:
    number: int


@dataclass(frozen=True, slots=True)
class KeepVariant:
    """Keeps the present scene and shape under a name."""

    name: str


@dataclass(frozen=True, slots=True)
class RemoveVariant:
    name: str


@dataclass(frozen=True, slots=True)
class ShowVariant:
    """Whether its shape is drawn over the present one."""

    name: str
    shown: bool


@dataclass(frozen=True, slots=True)
class TakeVariant:
    """Goes on from a variant."""

    name: str


@dataclass(frozen=True, slots=True)
class AddPoints:
    """Measured points, as the text of a CSV file (x, y, z per line, in `units`): compared with a cable."""

    name: str
    text: str
    units: Unit
    cable: str


@dataclass(frozen=True, slots=True)
class RemovePoints:
    name: str


@dataclass(frozen=True, slots=True)
class Arrange:
    """How the tree is arranged: what is hidden, locked, transparent, and in which group. Absent: as it was."""

    hidden: list[str] | None = None
    locked: list[str] | None = None
    transparent: list[str] | None = None
    groups: dict[str, list[str]] | None = None


@dataclass(frozen=True, slots=True)
class View:
    """Where the camera stands."""

    name: str
    eye: Vec3
    target: Vec3
    up: Vec3
    height: float  # of the picture, m, when orthographic
    orthographic: bool = False


@dataclass(frozen=True, slots=True)
class KeepView:
    view: View


@dataclass(frozen=True, slots=True)
class RemoveView:
    name: str


@dataclass(frozen=True, slots=True)
class SetUnit:
    unit: Unit


@dataclass(frozen=True, slots=True)
class Colour:
    """What frames carry beside the shape."""

    quantity: Quantity


@dataclass(frozen=True, slots=True)
class Plot:
    """Which cable `Readouts` carries curves of along its length; none: no curves."""

    cable: str | None


@dataclass(frozen=True, slots=True)
class Undo:
    pass


@dataclass(frozen=True, slots=True)
class Redo:
    pass


@dataclass(frozen=True, slots=True)
class New:
    """An empty scene, or one from a template or the gallery ("demo:brake hose")."""

    template: str = ""


@dataclass(frozen=True, slots=True)
class Open:
    """A scene file of the workspace, by its path in it; or edits that were never saved, as `Files` names them."""

    path: str


@dataclass(frozen=True, slots=True)
class Save:
    """Writes scene, state and what belongs to the studio; with a path: under another name."""

    path: str | None = None


@dataclass(frozen=True, slots=True)
class Discard:
    """Forgets edits that were recovered after a crash: back to the file."""


@dataclass(frozen=True, slots=True)
class ExportFile:
    """Writes a file beside the scene, or a folder of them; answered with the paths of the files in the workspace."""

    format: Export
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """Begins a recording of all commands, or ends it and writes it; answered with its path."""

    on: bool


@dataclass(frozen=True, slots=True)
class Replay:
    """Plays a recording from its beginning, at the pace of then; answered with how many commands it has."""

    path: str


@dataclass(frozen=True, slots=True)
class Script:
    """The session so far as a Python script; answered with its text."""


@dataclass(frozen=True, slots=True)
class Files:
    """What the workspace holds; answered with scenes, recordings, recent ones, the gallery, and unsaved edits."""


Command = (
    Grab
    | Drag
    | Drop
    | Cancel
    | Move
    | Turn
    | Edit
    | AddClip
    | SpaceClips
    | AddCable
    | AddType
    | AddPart
    | AddShape
    | Join
    | Remove
    | Duplicate
    | Rename
    | Simulate
    | Solve
    | Stop
    | Reset
    | Lengthen
    | Soften
    | Feed
    | Freeze
    | HowLong
    | AddMeasure
    | RemoveMeasure
    | KeepVariant
    | RemoveVariant
    | ShowVariant
    | TakeVariant
    | AddPoints
    | RemovePoints
    | Arrange
    | KeepView
    | RemoveView
    | SetUnit
    | Colour
    | Plot
    | Undo
    | Redo
    | New
    | Open
    | Save
    | Discard
    | ExportFile
    | Record
    | Replay
    | Script
    | Files
    | MotionCommand
    | MachineCommand
)


# ---- events: to the page, ordered, never lost ------------------------------------------------------------------------


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


# ---- snapshots: to the page, the latest wins ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Strand:
    """One cable of a frame; its numbers follow the header: positions (n×3), quaternions (n×4), colour (n), float32."""

    name: str
    points: int
    length: float
    bend_radius: float  # the smallest, m
    bend_radius_at: float  # fraction


@dataclass(frozen=True, slots=True)
class Body:
    """Where a part, a junction or a support (by path) is."""

    path: str
    position: Vec3
    quaternion: Vec4 | None


@dataclass(frozen=True, slots=True)
class Held:
    """The drag under way: where the thing is, and why it is not where the pointer wants it."""

    path: str
    position: Vec3
    wanted: Vec3
    reason: str
    force: float | None = None  # N, of a hand on a part of a machine


@dataclass(frozen=True, slots=True)
class Frame:
    """The header of a binary frame: uint32 length of this (JSON, padded to a multiple of 4), this, then the numbers."""

    number: int
    seconds: float  # of the solve
    status: str
    reason: str
    colour: Quantity
    strands: list[Strand]
    bodies: list[Body]
    held: Held | None
    joints: dict[str, list[float]] = field(default_factory=dict)  # where they stand
    playhead: Playhead | None = None
    stopped: str = ""  # why joints that were led last are not where they were wanted
    ropes: list[RopeStrand] = field(default_factory=list)
    clock: Clock | None = None


@dataclass(frozen=True, slots=True)
class CableValues:
    """Read-outs of one cable."""

    name: str
    status: str
    length: float
    bend_radius: float
    bend_radius_at: float
    tension: float
    twist: float  # ∫τ ds, rad
    clearance: float | None  # to the nearest part, m
    clearance_to: str
    residual: float
    penetration: float
    weight: float  # N
    level: int = 0  # of a kinematic cable: segments in each section; 0: a rod, also in desks of before


@dataclass(frozen=True, slots=True)
class CheckValue:
    cable: str
    rule: str
    text: str  # "bend radius"
    limit: float
    value: float | None
    unit: str  # of limit and value: m, N, rad/m …
    at: float | None
    point: Vec3 | None
    ok: bool


@dataclass(frozen=True, slots=True)
class Reaction:
    path: str
    point: Vec3
    force: Vec3
    moment: Vec3


@dataclass(frozen=True, slots=True)
class ContactValue:
    cable: str
    other: str  # part or cable
    at: float
    point: Vec3
    force: Vec3  # on the cable


@dataclass(frozen=True, slots=True)
class MeasureValue:
    number: int
    distance: float | None  # m
    angle: float | None  # rad
    arc: float | None  # m along the cable
    a: Vec3
    b: Vec3


@dataclass(frozen=True, slots=True)
class Curves:
    """Along one cable: what the plots draw."""

    cable: str
    s: list[float]
    curvature: list[float]
    torsion: list[float]
    tension: list[float]
    moment: list[float]
    curvature_limit: float | None


@dataclass(frozen=True, slots=True)
class Deviation:
    """Of measured points from their cable, m."""

    name: str
    mean: float
    largest: float


@dataclass(frozen=True, slots=True)
class Readouts:
    """Everything that is read off the shapes; less often than frames."""

    frame: int
    status: str
    reason: str
    cables: list[CableValues]
    checks: list[CheckValue]
    reactions: list[Reaction]
    contacts: list[ContactValue]
    measures: list[MeasureValue]
    deviations: list[Deviation]
    curves: Curves | None
    notes: list[str] = field(default_factory=list)


Snapshot = Frame | Readouts | Sweeps | Machine
