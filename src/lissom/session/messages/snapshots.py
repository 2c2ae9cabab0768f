"""Snapshots: to the page, only the latest matters. `Frame` has the shapes, many times per second, `Readouts` everything
that is read off them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lissom.session.messages.machines import Clock, Machine, RopeStrand
from lissom.session.messages.motion import Playhead, Sweeps
from lissom.session.messages.values import Quantity, Vec3, Vec4


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
