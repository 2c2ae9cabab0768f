"""One cable: its length, its rest shape, how it is held, and what pulls on it."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, StrictBool, model_validator

from lissom.scene import checks
from lissom.scene.cabletype import TypeFields
from lissom.scene.described import Described, reject
from lissom.scene.fields import (
    MAX_POINTS,
    Count,
    Curvatures,
    Direction,
    Force,
    Fraction01,
    LengthOrZero,
    Moment,
    Name,
    Polyline,
    Position,
    Quantity,
    Quaternion,
    Roll,
    Vec3,
    Vec4,
)
from lissom.scene.part import Friction
from lissom.scene.pose import direction_of, orientation_of

EndKind = Literal["clamp", "ball", "swivel", "free"]
ClipKind = Literal["clamp", "ball", "swivel", "ring", "sleeve"]
Axis = Literal["x", "y", "z"]
Model = Literal["rod", "kinematic"]

Twist = Annotated[
    float,
    Quantity(
        "angle",
        at_least=-2000 * math.pi,
        at_most=2000 * math.pi,
        hint='a plain number is in radians: write "90 deg"',
    ),
]
CableLength = Annotated[
    float,
    Quantity("length", at_least=1e-6, at_most=10_000.0, hint='a plain number is in metres: write "420 mm"'),
]
At = Annotated[
    float,
    Quantity(
        at_least=0.0,
        at_most=1.0,
        hint='it is a fraction of the length; for a distance write from_start = "140 mm"',
    ),
]


def _end_kind(said: dict[str, Any]) -> EndKind:
    """A direction makes a clamp, a mere position a ball joint, nothing a free end.

    What a named frame of a part has is not known here: the scene decides it (lissom.scene.placing).
    """
    if any(said.get(key) is not None for key in ("tangent", "quaternion", "frame")):
        return "clamp"
    return "free" if said.get("position") is None and said.get("on") is None else "ball"


def _clip_kind(said: dict[str, Any]) -> ClipKind:
    kind = _end_kind(said)
    return "ball" if kind == "free" else kind


class _Pose(Described):
    """What ends and clips have in common: where, and which way."""

    on: Name | None = Field(None, description="the part that holds it, and that it moves with")
    frame: Name | None = Field(None, description="a frame of that part, instead of position and direction")
    position: Position | None = Field(None, description="m, in the world or in the axes of the part it is on")
    tangent: Direction | None = Field(None, description="direction of the cable here, of any length")
    roll: Roll | None = Field(None, description="turn of d1 about the tangent, rad; needs tangent")
    quaternion: Quaternion | None = Field(None, description="(w, x, y, z) of the frame, instead of tangent and roll")
    free: tuple[Axis, ...] = Field((), description="world axes along which it can move", max_length=3)

    @property
    def direction(self) -> Vec3 | None:
        """The unit tangent, or None; in the axes of the part it is on."""
        return direction_of(self)

    @property
    def orientation(self) -> Vec4 | None:
        """The unit quaternion of the whole frame, or None if the roll is not said."""
        return orientation_of(self)


class End(_Pose):
    """How an end is held. ``kind`` follows from what is given, or may say otherwise."""

    kind: EndKind = Field(
        default_factory=_end_kind,
        description="clamp (place and direction), ball (place), swivel (a clamp that can spin), free",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if slips := checks.end_slips(self):
            reject(slips)
        return self


class _Place(Described):
    """A place along the cable: a fraction, or a length from one of the ends."""

    at: At | None = Field(None, description="fraction of the length, 0 at the start, 1 at the end")
    from_start: LengthOrZero | None = Field(None, description="length from the start, m, instead of at")
    from_end: LengthOrZero | None = Field(None, description="length from the end, m, instead of at")

    def place(self, length: float) -> float | None:
        """Arc length from the start, m, on a cable of this length; None if not said."""
        if self.at is not None:
            return self.at * length
        if self.from_start is not None:
            return self.from_start
        return None if self.from_end is None else length - self.from_end


class Clip(_Place, _Pose):
    """A handle on the cable between its ends [GS07 §4]."""

    name: Name = Field("", description='unique on the cable; absent: "clip 1", "clip 2", ...')
    kind: ClipKind = Field(
        default_factory=_clip_kind,
        description="clamp, ball, swivel, ring (slides, tangent free), sleeve (slides, tangent fixed)",
    )
    twist: Twist | None = Field(None, description="of a clamp, rad, counted from the clamp before it")

    @property
    def slides(self) -> bool:
        """Does the cable run through it? Then its place is only a first guess."""
        return self.kind in ("ring", "sleeve")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if slips := checks.clip_slips(self):
            reject(slips)
        return self


class Load(_Place):
    """A force or a moment at one place."""

    force: Force | None = Field(None, description="world axes, N")
    moment: Moment | None = Field(None, description="N m")
    axes: Literal["world", "body"] = Field("world", description="of the moment: body turns with the cable's frame")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if slips := checks.load_slips(self):
            reject(slips)
        return self


class Stretch(Described):
    """A part of the cable that is of another type."""

    from_: Fraction01 = Field(alias="from", description="fraction of the length where it begins")
    to: Fraction01 = Field(description="fraction of the length where it ends")
    type: Name = Field(description='a name under [types], or "library:NAME"')

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.from_ < self.to:
            reject([(("to",), self.to, f"must be greater than from = {self.from_:g}")])
        return self


class Rest(Described):
    """The shape without forces: curvature and torsion, or the points of a moulded shape."""

    curvature: Curvatures | None = Field(
        None, description="(κ1, κ2, τ) per metre, or a list of such triples evenly spaced from start to end"
    )
    points: Polyline | None = Field(None, description="points on the centre line of the moulded shape, m")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if slips := checks.rest_slips(self):
            reject(slips)
        return self


class Initial(Described):
    """A first guess of the shape; it may decide between several equilibria."""

    points: Polyline = Field(description="points from start to end, m")


def _named(clips: tuple[Clip, ...]) -> tuple[Clip, ...]:
    """Clips without a name are called by their number."""
    return tuple(
        clip if clip.name else clip.model_copy(update={"name": f"clip {i}"}) for i, clip in enumerate(clips, start=1)
    )


class Cable(TypeFields):
    """A cable. What it is made of stands in ``type``, or is written here with the fields of a type."""

    name: Name = Field(description="a name, unique in the scene")
    type: Name | None = Field(None, description='a name under [types], or "library:NAME"')
    model: Model = Field("rod", description="rod (the true shape), kinematic (near it, as fine as time allows)")
    length: CableLength = Field(description="unstretched length, m")
    points: Annotated[int, Count(3, MAX_POINTS)] | None = Field(None, description="discretisation points")
    rest: Rest | None = Field(None, description="shape without forces; absent: straight")
    start: End | None = Field(None, description="how the start is held; absent: free")
    end: End | None = Field(None, description="how the end is held; absent: free")
    twist: Twist | None = Field(None, description="of the end frame relative to the clamp before it, rad")
    loads: tuple[Load, ...] = Field((), max_length=10_000)
    initial: Initial | None = Field(None, description="first guess of the shape")
    clips: Annotated[tuple[Clip, ...], AfterValidator(_named)] = Field((), max_length=1000)
    stretches: tuple[Stretch, ...] = Field((), max_length=1000)
    collide: StrictBool = Field(True, description="false: it touches no part, no other cable, and not itself")
    friction: Friction = Field(0.0, description="coefficient of friction with other cables, and itself")
    ignore: tuple[Name, ...] = Field((), description="names of parts that it never touches", max_length=10_000)

    @property
    def held(self) -> dict[str, End | Clip | None]:
        """What holds it, by name: start and end (None where free), and the clips."""
        return {"start": self.start, "end": self.end, **{clip.name: clip for clip in self.clips}}

    def clip(self, name: str) -> Clip:
        """The clip of this name."""
        for clip in self.clips:
            if clip.name == name:
                return clip
        raise KeyError(name)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if slips := checks.cable_slips(self):
            reject(slips)
        return self
