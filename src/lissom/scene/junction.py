"""Where cables of a harness are joined: its members keep their pose relative to it, and so to each other."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from lissom.scene import checks
from lissom.scene.described import Described, Slip, reject
from lissom.scene.errors import ABSENT
from lissom.scene.fields import Direction, EndOrFraction, LengthOrZero, Name, Position, Quaternion, Roll, Vec4
from lissom.scene.frames import carried, frame_quaternion, normalized, product
from lissom.scene.part import Mass
from lissom.scene.pose import NO_TURN, Pose, orientation_of, pointing_slips

CableEnd = Literal["start", "end"]

FIRST_TANGENT: Final = (1.0, 0.0, 0.0)
"""Of a first member that says none: it runs along the junction's x axis."""


class Member(Described):
    """One cable at a junction. Its pose is given in the junction's axes."""

    cable: Name = Field(description="name of the cable")
    at: Annotated[CableEnd | float, EndOrFraction()] | None = Field(
        None, description='"start", "end", or a fraction of the length'
    )
    from_start: LengthOrZero | None = Field(None, description="length from the start, m, instead of at")
    from_end: LengthOrZero | None = Field(None, description="length from the end, m, instead of at")
    position: Position = Field((0.0, 0.0, 0.0), description="offset from the junction, in its axes, m")
    tangent: Direction | None = Field(None, description="direction of the cable; absent: it continues the first member")
    roll: Roll | None = Field(None, description="turn of d1 about the tangent, rad; absent: untwisted from the first")
    quaternion: Quaternion | None = Field(None, description="(w, x, y, z) of the frame, instead of tangent and roll")

    def place(self, length: float) -> float:
        """Arc length from the start, m, on a cable of this length."""
        if self.at is not None:
            return {"start": 0.0, "end": length}[self.at] if isinstance(self.at, str) else self.at * length
        if self.from_start is not None:
            return self.from_start
        return length - (self.from_end or 0.0)

    def end(self, length: float) -> CableEnd | None:
        """Which end of a cable of this length it is; None inside the cable."""
        place = self.place(length)
        if place <= checks.SAME_PLACE * length:
            return "start"
        return "end" if place >= (1.0 - checks.SAME_PLACE) * length else None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if slips := pointing_slips(self) + checks.place_slips(self, needed=True):
            reject(slips)
        return self


class Junction(Described):
    """Two or more cables that are joined rigidly, free to move together or held."""

    name: Name = Field(description="a name, unique in the scene")
    motion: Literal["free", "held"] = Field("free", description="free, or held at its position and orientation")
    position: Position | None = Field(None, description="world, m; a first guess when free, needed when held")
    quaternion: Quaternion | None = Field(None, description="(w, x, y, z) that turns its axes; absent: not turned")
    mass: Mass | None = Field(None, description="of the joint itself, kg")
    members: tuple[Member, ...] = Field(description="the cables that are joined here", max_length=1000)

    @property
    def pose(self) -> Pose | None:
        """Position and unit quaternion in the world; None where no position is said."""
        if self.position is None:
            return None
        return self.position, NO_TURN if self.quaternion is None else normalized(self.quaternion)

    @property
    def frames(self) -> tuple[Vec4, ...]:
        """The frame of each member in the junction's axes, unit quaternions.

        The first member without a tangent runs along x with roll 0. Another member without one continues the first:
        it has the same frame, turned back about d1 where both are joined by their starts or both by their ends. A
        member with a tangent but no roll has the first one's frame, carried over by the smallest rotation.
        """
        first, *others = self.members
        own = orientation_of(first)
        if own is None:
            own = frame_quaternion(first.tangent or FIRST_TANGENT, 0.0)
        return (own, *(_frame(member, first, own) for member in others))

    @model_validator(mode="after")
    def _check(self) -> Self:
        slips: list[Slip] = []
        if len(self.members) < 2:
            message = f"must join at least two members, not {len(self.members)}; a clip holds a single cable"
            slips.append((("members",), ABSENT, message))
        if self.motion == "held" and self.position is None:
            message = 'is missing: a held junction is at a position = [x, y, z] in m; or motion = "free"'
            slips.append((("position",), ABSENT, message))
        if slips:
            reject(slips)
        return self


_HALF_TURN: Final = (0.0, 1.0, 0.0, 0.0)
"""About d1: the tangent is reversed."""


def _frame(member: Member, first: Member, q: Vec4) -> Vec4:
    own = orientation_of(member)
    if own is not None:
        return own
    if member.tangent is not None:
        back = product(q, _HALF_TURN)
        return carried(q, member.tangent) or carried(back, member.tangent) or back
    same_end = _end_said(member) is not None and _end_said(member) == _end_said(first)
    return product(q, _HALF_TURN) if same_end else q


def _end_said(member: Member) -> CableEnd | None:
    """Which end it is, as far as that can be seen without the length."""
    if member.at in ("start", 0.0) or member.from_start == 0.0:
        return "start"
    return "end" if member.at in ("end", 1.0) or member.from_end == 0.0 else None
