"""How parts move: joints, named positions of them, and motions.

A joint moves its part in the axes of the part's parent (in the world where it has none), about or along an axis
through `origin`. With the value 0 the part is where the scene puts it. What is written for a value may carry a unit,
and which one fits depends on the joint, so it is kept as written and read by the joint.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, model_validator

from lissom.scene.described import Described, Slip, reject
from lissom.scene.errors import ABSENT
from lissom.scene.fields import Direction, Name, Position, Quantity, Text, Vec3, _Kind, sequence
from lissom.scene.frames import Quaternion, normalized, product, unit
from lissom.scene.pose import NO_TURN, Pose, turned

JointKind = Literal["hinge", "slide", "ball", "fixed"]
Value = float | Vec3
"""Of a joint: an angle (rad), a length (m), or of a ball joint a rotation vector (rad)."""

DIMENSIONS: Final = {"hinge": "angle", "slide": "length", "ball": "angle"}
TRACKS: Final = (".csv", ".npz")


@dataclass(frozen=True)
class Said(_Kind):
    """A number, a text with a unit, or a list of three of them; kept as written, read by the joint it is for."""

    def check(self, value: Any, where: tuple[str | int, ...], slips: list[Slip]) -> Any:
        items = sequence(value)
        if items is not None:
            if len(items) != 3:
                slips.append(
                    (where, value, "must be a number, or a list of three (a rotation vector, of a ball joint)")
                )
            return tuple(self._one(item, (*where, i), slips) for i, item in enumerate(items))
        return self._one(value, where, slips)

    def _one(self, value: Any, where: tuple[str | int, ...], slips: list[Slip]) -> float | str:
        if isinstance(value, str):
            return Text(60).check(value, where, slips)
        return Quantity().check(value, where, slips)

    def schema(self) -> dict[str, Any]:
        one: dict[str, Any] = {"type": ["number", "string"]}
        return {"anyOf": [one, {"type": "array", "items": one, "minItems": 3, "maxItems": 3}]}


Setting = Annotated[Any, Said()]
Settings = Annotated[dict[Name, Setting], Field(max_length=1000)]
Seconds = Annotated[float, Quantity("time", at_least=-1e9, at_most=1e9)]


class Motor(Described):
    """What drives a hinge or slide of a free part: to a speed, with a torque at most; or with a torque alone.

    A winch may hold the tension of its rope instead.
    """

    speed: Annotated[float, Quantity(at_least=-1e6, at_most=1e6)] | None = Field(
        None, description="rad/s, or m/s of a slide"
    )
    torque: Annotated[float, Quantity(at_least=-1e12, at_most=1e12)] | None = Field(
        None, description="N m, or N of a slide; with a speed the most it has, absent: whatever is needed"
    )
    tension: Annotated[float, Quantity("force", at_least=0.0, at_most=1e12)] | None = Field(
        None, description="N that a winch hauls its rope with, whatever the speed; alone"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.tension is not None:
            if self.speed is not None or self.torque is not None:
                reject([(("tension",), self.tension, "must stand alone: it says the torque, and the speed follows")])
            return self
        if self.speed is None and self.torque is None:
            reject([((), ABSENT, "must have a speed, a torque, or both; or a tension")])
        if self.speed is not None and self.torque is not None and not self.torque > 0.0:
            reject([(("torque",), self.torque, "must be above 0 beside a speed: it is the most that the motor has")])
        return self


class Spring(Described):
    """On the axis of a hinge or slide of a free part."""

    stiffness: Annotated[float, Quantity(above=0.0, at_most=1e15)] = Field(description="N m/rad, or N/m of a slide")
    rest: Annotated[float, Quantity(at_least=-1e6, at_most=1e6)] = Field(
        0.0, description="value of the joint where it is slack, rad or m"
    )


class Joint(Described):
    """How a part moves against its parent."""

    name: Name = Field(description="a name, unique in the scene")
    part: Name = Field(description="the part that it moves")
    kind: JointKind = Field(description="hinge (turns), slide (along the axis), ball (turns every way), fixed")
    origin: Position = Field((0.0, 0.0, 0.0), description="a point on the axis, in the axes of the part's parent, m")
    axis: Direction | None = Field(None, description="its direction, in the axes of the part's parent")
    range: tuple[Setting, Setting] | None = Field(None, description="the least and the largest value")
    value: Setting | None = Field(None, description="where it stands; absent: 0, the part is where the scene puts it")

    motor: Motor | None = Field(None, description="{ speed, torque }; the part must be free")
    friction: Annotated[float, Quantity(at_least=0.0, at_most=1e12)] = Field(
        0.0, description="N m, or N of a slide, against its motion; the part must be free"
    )
    spring: Spring | None = Field(None, description="{ stiffness, rest }; the part must be free")

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the largest value, rad or m; of a ball joint of the angle."""
        return (-math.inf, math.inf) if self.range is None else read_range(self.kind, *self.range)

    @property
    def setting(self) -> Value:
        """Where it stands, as a number."""
        return self.zero if self.value is None else self.read(self.value)

    def read(self, said: Any) -> Value:
        """A value as a number. Raises ValueError with what is wrong with it."""
        slips: list[Slip] = []
        value = self._checked(said, (), slips)
        if slips:
            raise ValueError(f"{self.name} = {said!r:.60}: {slips[0][2]}")
        return value

    def _checked(self, said: Any, where: tuple[str | int, ...], slips: list[Slip]) -> Value:
        """Also whether it lies in the range."""
        if self.kind == "fixed":
            if said not in (0, 0.0):
                slips.append((where, said, "must be left out: a fixed joint does not move"))
            return 0.0
        quantity = Quantity(DIMENSIONS[self.kind])
        items = sequence(said)
        if self.kind == "ball":
            parts = (0.0, 0.0, 0.0) if said in (0, 0.0) else items
            if parts is None:
                slips.append((where, said, "must be a rotation vector [x, y, z]: a ball joint turns every way"))
                return (0.0, 0.0, 0.0)
            x, y, z = (quantity.check(k, where, slips) for k in parts)
            self._check_range(math.hypot(x, y, z), said, where, slips)
            return (x, y, z)
        if items is not None:
            slips.append((where, said, f"must be one number: a {self.kind} has one axis"))
            return 0.0
        number = quantity.check(said, where, slips)
        if not slips:
            self._check_range(number, said, where, slips)
        return number

    def _check_range(self, number: float, said: Any, where: tuple[str | int, ...], slips: list[Slip]) -> None:
        low, high = self.limits
        room = 1e-9 * max(abs(low), abs(high), 1e-3) if math.isfinite(low + high) else 0.0
        if not low - room <= number <= high + room:
            slips.append((where, said, f"must lie in the range of {self.name}, {self.said(low)} to {self.said(high)}"))

    def said(self, value: float) -> str:
        """For a person: degrees or millimetres."""
        return f"{math.degrees(value):.6g}°" if self.kind != "slide" else f"{1000.0 * value:.6g} mm"

    def moved(self, pose: Pose, value: Value) -> Pose:
        """The pose of the part, in the axes of its parent, when the joint has this value."""
        x, q = pose
        if self.kind == "slide":
            d, s = unit(self.axis or (0.0, 0.0, 1.0)), float(value)  # type: ignore[arg-type]
            return (x[0] + s * d[0], x[1] + s * d[1], x[2] + s * d[2]), q
        turn = self._turn(value)
        o = self.origin
        y = turned(turn, (x[0] - o[0], x[1] - o[1], x[2] - o[2]))
        return (o[0] + y[0], o[1] + y[1], o[2] + y[2]), normalized(product(turn, q))

    def moved_back(self, pose: Pose, value: Value) -> Pose:
        """Where the part is with the joint at 0, if it is at this pose with this value."""
        return self.moved(pose, (-value[0], -value[1], -value[2]) if isinstance(value, tuple) else -value)

    @property
    def zero(self) -> Value:
        """The value with which the part is where the scene puts it."""
        return (0.0, 0.0, 0.0) if self.kind == "ball" else 0.0

    def turns(self, a: Value, b: Value) -> float:
        """The angle that its part turns through from one value to another, rad."""
        if self.kind in ("slide", "fixed"):
            return 0.0
        return math.dist(a, b) if isinstance(a, tuple) and isinstance(b, tuple) else abs(float(a) - float(b))  # type: ignore[arg-type]

    def slides(self, a: Value, b: Value) -> float:
        """How far its part slides from one value to another, m."""
        return abs(float(a) - float(b)) if self.kind == "slide" else 0.0  # type: ignore[arg-type]

    def _turn(self, value: Value) -> Quaternion:
        if isinstance(value, tuple):
            angle = math.hypot(*value)
            axis = (0.0, 0.0, 1.0) if angle == 0.0 else unit(value)
        else:
            angle, axis = float(value), unit(self.axis or (0.0, 0.0, 1.0))
        s = math.sin(0.5 * angle)
        return (math.cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2]) if angle else NO_TURN

    @model_validator(mode="after")
    def _check(self) -> Self:
        slips: list[Slip] = []
        if self.kind in ("hinge", "slide") and self.axis is None:
            slips.append((("axis",), ABSENT, f"is missing: the direction a {self.kind} turns about or moves along"))
        if self.kind in ("ball", "fixed") and self.axis is not None:
            slips.append((("axis",), self.axis, f"must be left out: a {self.kind} joint has no axis"))
        if self.range is not None:
            slips += self._range_slips()
        if not slips and self.value is not None:
            self._checked(self.value, ("value",), slips)
        if self.kind in ("ball", "fixed"):
            for key in ("motor", "spring"):
                if getattr(self, key) is not None:
                    slips.append(((key,), ABSENT, f"must be left out: a {self.kind} joint has no axis"))
            if self.friction:
                slips.append((("friction",), self.friction, f"must be left out: a {self.kind} joint has no axis"))
        if slips:
            reject(slips)
        return self

    def _range_slips(self) -> list[Slip]:
        slips: list[Slip] = []
        assert self.range is not None
        if self.kind == "fixed":
            return [(("range",), self.range, "must be left out: a fixed joint does not move")]
        quantity = Quantity(DIMENSIONS[self.kind])
        low, high = (quantity.check(k, ("range", i), slips) for i, k in enumerate(self.range))
        if not slips and not low < high:
            slips.append((("range",), self.range, "must be two values, the smaller one first"))
        if not slips and self.kind != "ball" and not low <= 0.0 <= high and self.value is None:
            message = "is missing: 0 is not in the range, so say where the joint stands"
            slips.append((("value",), ABSENT, message))
        return slips


@lru_cache(maxsize=1000)
def read_range(kind: JointKind, low: Any, high: Any) -> tuple[float, float]:
    """Both ends as numbers; they were checked."""
    quantity = Quantity(DIMENSIONS.get(kind, "angle"))
    return quantity(low), quantity(high)


def mixed(a: Value, b: Value, part: float) -> Value:
    """Between two values of a joint."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        x, y, z = ((1.0 - part) * p + part * q for p, q in zip(a, b, strict=True))
        return (x, y, z)
    return (1.0 - part) * float(a) + part * float(b)  # type: ignore[arg-type]


class Track(Described):
    """The recorded path of one part."""

    part: Name = Field(description="the part that moves")
    file: Annotated[str, Text(1000)] = Field(
        description="CSV with the columns time, x, y, z, qw, qx, qy, qz, or NPZ with time, position, quaternion"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if PurePath(self.file).suffix.lower() not in TRACKS:
            reject([(("file",), self.file, "must end in .csv or .npz")])
        return self


class Keyframe(Described):
    """Values of joints at one time; a joint that is not named goes straight between its neighbours."""

    time: Seconds = Field(description="s")
    joints: Settings = Field(description="values by the name of the joint")


class Motion(Described):
    """A path through time: keyframes of joints, or recorded poses of parts."""

    name: Name = Field(description="a name, unique in the scene")
    keyframes: tuple[Keyframe, ...] = Field((), description="values of joints over time", max_length=100_000)
    tracks: tuple[Track, ...] = Field((), description="recorded poses of parts over time", max_length=1000)

    @model_validator(mode="after")
    def _check(self) -> Self:
        slips: list[Slip] = []
        if bool(self.keyframes) == bool(self.tracks):
            slips.append(((), ABSENT, "must have keyframes or tracks: one of them"))
        if len(self.keyframes) == 1:
            slips.append((("keyframes",), ABSENT, "must be two or more: one alone does not move"))
        for i, (a, b) in enumerate(zip(self.keyframes, self.keyframes[1:], strict=False)):
            if not b.time > a.time:
                message = f"must be later than the {a.time:g} s of the keyframe before it"
                slips.append((("keyframes", i + 1, "time"), b.time, message))
        if slips:
            reject(slips)
        return self
