"""How a cable is felt: which of its supports is the gripper, with what model, and along which path it is led."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self

from pydantic import Field, StrictBool, model_validator

from lissom.scene.described import Described, Slip, reject
from lissom.scene.errors import ABSENT
from lissom.scene.fields import Count, Direction, Position, Quantity, Quaternion, Roll, Text, suggestion
from lissom.scene.pose import pointing_slips

if TYPE_CHECKING:
    from lissom.scene.cable import Cable, Clip, End
    from lissom.scene.scene import Scene

Seconds = Annotated[float, Quantity("time", at_least=0.0, at_most=1e5)]
GripPath = Annotated[str, Text(500)]
TRACKS: Final = (".csv", ".npz")


class Waypoint(Described):
    """Where the gripper is at one time; without a direction it keeps that of the support."""

    time: Seconds = Field(description="s")
    position: Position = Field(description="in the world, m")
    tangent: Direction | None = Field(None, description="direction of the cable in the gripper")
    roll: Roll | None = Field(None, description="turn of d1 about the tangent, rad; needs tangent")
    quaternion: Quaternion | None = Field(None, description="(w, x, y, z) of the frame, instead of tangent and roll")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if slips := pointing_slips(self):
            reject(slips)
        return self


class Haptic(Described):
    """A cable held by a gripper that a hand or a recorded path leads."""

    grip: GripPath = Field(description='the support that is the gripper: "wire/start", or a clip as "wire/clip 1"')
    backend: Literal["force", "rod"] = Field("force", description="force (KH05's model) or rod (exact, once in a ms)")
    points: Annotated[int, Count(3, 1000)] | None = Field(
        None, description="of the cable in this model; absent: 20, or what the cable says for the rod"
    )
    law: Literal["consistent", "paper"] = Field("consistent", description="of bending, in the force model")
    rule: Literal["plain", "limited", "relative", "mean", "heavy", "dynamic", "velocity"] = Field(
        "dynamic", description="how points move, in the force model"
    )
    steps: Annotated[float, Quantity(at_least=1.0, at_most=10_000.0)] = Field(
        30.0, description="of the force model in a millisecond"
    )
    planes_rate: Annotated[float, Quantity(at_least=25.0, at_most=1000.0)] = Field(
        100.0, description="how often in a second parts near the cable are looked for, in the force model"
    )
    waypoints: tuple[Waypoint, ...] = Field((), description="where the gripper goes", max_length=10_000)
    track: Annotated[str, Text(1000)] | None = Field(
        None, description="recorded path of the gripper, CSV or NPZ, instead of waypoints; relative to the scene file"
    )
    hand: StrictBool = Field(False, description="true: a soft hand follows the path, instead of the gripper exactly")

    @property
    def cable(self) -> str:
        """Name of the cable."""
        return self.grip.rpartition("/")[0]

    @property
    def support(self) -> str:
        """Name of its support."""
        return self.grip.rpartition("/")[2]

    @model_validator(mode="after")
    def _check(self) -> Self:
        slips: list[Slip] = []
        if self.waypoints and self.track is not None:
            slips.append((("track",), self.track, "must not be given together with waypoints: keep one of them"))
        if self.track is not None and PurePath(self.track).suffix.lower() not in TRACKS:
            slips.append((("track",), self.track, "must end in .csv or .npz"))
        for i, (a, b) in enumerate(zip(self.waypoints, self.waypoints[1:], strict=False)):
            if not b.time > a.time:
                message = f"must be later than the {a.time:g} s of the waypoint before it"
                slips.append((("waypoints", i + 1, "time"), b.time, message))
        if len(self.waypoints) == 1:
            slips.append((("waypoints",), ABSENT, "must be two or more: one alone does not move"))
        if slips:
            reject(slips)
        return self


def haptic_slips(scene: Scene) -> list[Slip]:
    """The gripper is a support that is there, and that can be led."""
    said = scene.haptic
    if said is None:
        return []
    where = ("haptic", "grip")
    known = [f"{cable.name}/{name}" for cable in scene.cables for name, _ in supports(cable)]
    if said.grip not in known:
        listed = ", ".join(f'"{k}"' for k in known[:5]) or "none: hold a cable somewhere"
        message = f"there is no such support{suggestion(said.grip, known) or f'; there are {listed}'}"
        return [(where, said.grip, message)]
    cable = scene.cable(said.cable)
    held = dict(supports(cable))[said.support]
    if held.on is not None:
        return [(where, said.grip, "must not be on a part: the hand leads it; give it a position of its own")]
    if held.kind not in ("clamp", "ball"):
        return [(where, said.grip, f'must be of the kind "clamp" or "ball" to be gripped, not "{held.kind}"')]
    return []


def supports(cable: Cable) -> list[tuple[str, End | Clip]]:
    """Ends and clips that hold a cable, by name."""
    named: list[tuple[str, End | Clip | None]] = [("start", cable.start), ("end", cable.end)]
    named += [(clip.name, clip) for clip in cable.clips]
    return [(name, held) for name, held in named if held is not None and held.kind != "free"]
