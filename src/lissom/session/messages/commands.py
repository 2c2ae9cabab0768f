"""Commands: what the page asks for, each answered once by an `Answer` with its number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lissom.session.messages.machines import MachineCommand
from lissom.session.messages.motion import MotionCommand
from lissom.session.messages.values import Json, Pick, Quantity, Unit, Vec3, Vec4, View

ClipKind = Literal["clamp", "ball", "swivel", "ring", "sleeve"]
Export = Literal["picture", "table", "shapes", "report"]


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
