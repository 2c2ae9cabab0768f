"""Ropes over parts: an ordered path of links, each on a part [MCJM18]. For machines: things with time."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StrictBool, model_validator

from lissom.scene.cabletype import MassPerLength
from lissom.scene.described import Described, Slip, reject
from lissom.scene.errors import ABSENT
from lissom.scene.fields import Direction, LengthOrZero, Name, Position, Quantity

LinkKind = Literal["attachment", "rolling", "pinhole", "hybrid", "spool"]
Side = Literal["left", "right"]

WOUND = ("rolling", "hybrid", "spool")
"""Kinds of links on which rope lies."""

ENDS = ("attachment", "hybrid", "spool")
"""Kinds of links that can hold an end."""

EVERY = "*"
"""In place of the names of parts that a rope meets."""

Grip = Annotated[float, Quantity(at_least=0.0, at_most=10.0, hint="wire rope on steel is about 0.1, 0 is smooth")]
Turns = Annotated[float, Quantity(at_least=0.0, at_most=1e6, hint="whole turns of rope on the wheel")]


class Link(Described):
    """Where a rope meets a part."""

    on: Name = Field(description="the part")
    kind: LinkKind = Field(
        "rolling",
        description="attachment (held), rolling (over a wheel), pinhole (slips through), hybrid (rolls until its rope "
        "is used up, then holds), spool (a hybrid with rope wound up on it)",
    )
    side: Side | None = Field(
        None, description="of the rope on which the wheel lies, seen with its axis pointing at you; left: anticlockwise"
    )
    position: Position | None = Field(None, description="of an attachment or pinhole, in the part's axes, m")
    axis: Direction | None = Field(None, description="normal of the rope's plane, in the part's axes; absent: z")
    offset: Annotated[float, Quantity("length", at_least=-1e6, at_most=1e6)] | None = Field(
        None, description="of the rope's plane along its axis, m; absent: 0, through the part's origin"
    )
    stored: LengthOrZero | None = Field(None, description="rope wound up on a spool or hybrid, m")
    turns: Turns | None = Field(None, description="whole turns about a rolling link, besides the arc it lies on")
    friction: Grip | None = Field(
        None, description="of the rope on a rolling link: it slips beyond; 0 a smooth sheave; absent: it never slips"
    )
    active: StrictBool = Field(True, description="false: the rope may come to lie on it later")
    slack: LengthOrZero | None = Field(None, description="rope in the span after this link beyond its length, m")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if slips := _link_slips(self):
            reject(slips)
        return self


class RopeStiffness(Described):
    """How a rope stretches, and how it lies where it is slack."""

    axial: Annotated[float, Quantity("force", above=0.0, at_most=1e15)] | None = Field(
        None, description="E A, N; absent: it keeps its length"
    )
    bending: Annotated[float, Quantity("stiffness", above=0.0, at_most=1e12)] | None = Field(
        None, description="N m²: a slack span lies as a rod does; it does not load the parts"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.axial is None and self.bending is None:
            reject([(("axial",), ABSENT, "is missing: say axial (N), bending (N m²) or both")])
        return self


class RopeLimits(Described):
    """Rules that ropes are checked against. They do not constrain them."""

    safety_factor: Annotated[float, Quantity(at_least=1.0, at_most=1000.0)] | None = Field(
        None, description="smallest allowed breaking force over tension; needs breaking_force"
    )
    sheave_ratio: Annotated[float, Quantity(above=0.0, at_most=1000.0)] | None = Field(
        None, description="smallest allowed diameter of a wheel over that of the rope; needs diameter"
    )
    fleet_angle: Annotated[float, Quantity("angle", above=0.0, at_most=1.6)] | None = Field(
        None, description="largest allowed angle between a span and the plane of its wheel, rad"
    )
    turns: Turns | None = Field(None, description="fewest turns that must stay on a spool")
    slack: LengthOrZero | None = Field(None, description="most that a span may be longer than its way, m")


class Rope(Described):
    """A rope without inertia: its effect on what it connects."""

    name: Name = Field(description="a name, unique in the scene")
    diameter: LengthOrZero = Field(0.0, description="m; its middle line runs half of it above the parts")
    mass_per_length: MassPerLength | None = Field(
        None, description="kg/m: what hangs and what is wound up weighs on the parts; absent: nothing"
    )
    stiffness: RopeStiffness | None = Field(
        None, description="{ axial = E A, bending = B }; absent: it keeps its length"
    )
    compliance: Annotated[float, Quantity(above=0.0, at_most=1e6, hint="it is in m/N")] | None = Field(
        None, description="of each span, m/N, whatever its length; instead of stiffness"
    )
    compression: Annotated[float, Quantity(above=0.0, at_most=1e15, hint="it is in N/m")] | None = Field(
        None, description="stiffness of a span that is pushed, N/m; absent: a rope only pulls"
    )
    tension: Annotated[float, Quantity("force", at_least=0.0, at_most=1e12)] | None = Field(
        None, description="in all spans at the beginning, N; needs stiffness or compliance"
    )
    breaking_force: Annotated[float, Quantity("force", above=0.0, at_most=1e15)] | None = Field(
        None, description="it breaks beyond, N"
    )
    limits: RopeLimits | None = Field(None, description="rules to check")
    closed: StrictBool = Field(False, description="true: the last link leads to the first, as in a belt")
    meets: tuple[Name, ...] = Field(
        (),
        description='parts that are not in its path, which it may come to lie on; "*": all that it can touch',
        max_length=1000,
    )
    path: tuple[Link, ...] = Field(description="the links, in order", min_length=2, max_length=100_000)

    @property
    def axial(self) -> float | None:
        """E A, N."""
        return None if self.stiffness is None else self.stiffness.axial

    @model_validator(mode="after")
    def _check(self) -> Self:
        if slips := _rope_slips(self):
            reject(slips)
        return self


def _link_slips(link: Link) -> list[Slip]:
    slips: list[Slip] = []
    wound = link.kind in WOUND
    if wound and link.side is None:
        message = f'is missing: on which side of the rope the wheel of a {link.kind} link lies, "left" or "right"'
        slips.append((("side",), ABSENT, message))
    for key in ("side", "axis", "offset"):
        if not wound and getattr(link, key) is not None:
            slips.append(((key,), getattr(link, key), f"must be left out: no rope lies on a link of kind {link.kind}"))
    if wound and link.position is not None:
        message = f"must be left out: where a {link.kind} link touches follows from the wheel; offset moves its plane"
        slips.append((("position",), link.position, message))
    if link.stored is not None and link.kind not in ("hybrid", "spool"):
        message = (
            f"must be left out: a {link.kind} link winds nothing up; turns says how often rope runs around a wheel"
        )
        slips.append((("stored",), link.stored, message))
    if link.turns is not None and link.turns != round(link.turns):
        slips.append((("turns",), link.turns, "must be a whole number: the arc that the rope lies on comes on top"))
    if link.kind == "spool" and link.stored is None:
        slips.append((("stored",), ABSENT, 'is missing: how much rope is wound up on the spool, such as "12 m"'))
    for key in ("turns", "friction"):
        if link.kind != "rolling" and getattr(link, key) is not None:
            slips.append(
                ((key,), getattr(link, key), f"must be left out: it is for links of kind rolling, not {link.kind}")
            )
    if not link.active and link.kind != "rolling":
        slips.append(
            (("active",), link.active, f"must be true: only a rolling link can be left out, not a {link.kind}")
        )
    return slips


def _rope_slips(rope: Rope) -> list[Slip]:
    slips: list[Slip] = []
    soft = rope.axial is not None or rope.compliance is not None
    if rope.axial is not None and rope.compliance is not None:
        message = "must not be given together with stiffness.axial: keep one of them"
        slips.append((("compliance",), rope.compliance, message))
    if rope.tension is not None and not soft:
        message = (
            "needs stiffness.axial or compliance: in a rope that keeps its length the loads alone make the tension"
        )
        slips.append((("tension",), rope.tension, message))
    if rope.tension is not None and rope.breaking_force is not None and rope.tension > rope.breaking_force:
        message = f"must be at most breaking_force = {rope.breaking_force:g} N: it would break at once"
        slips.append((("tension",), rope.tension, message))
    if rope.limits is not None:
        if rope.limits.safety_factor is not None and rope.breaking_force is None:
            message = "needs breaking_force: it is that over the tension"
            slips.append((("limits", "safety_factor"), rope.limits.safety_factor, message))
        if rope.limits.sheave_ratio is not None and rope.diameter == 0.0:
            message = "needs the diameter of the rope: it is that of the wheel over it"
            slips.append((("limits", "sheave_ratio"), rope.limits.sheave_ratio, message))
    last = len(rope.path) - 1
    for i, link in enumerate(rope.path):
        where = ("path", i)
        end = not rope.closed and i in (0, last)
        if end and link.kind not in ENDS:
            message = "must be attachment, hybrid or spool at an end of the rope; or closed = true joins the ends"
            slips.append(((*where, "kind"), link.kind, message))
        if not end and link.kind in ("hybrid", "spool"):
            message = f"must be attachment, rolling or pinhole: a {link.kind} holds an end of a rope"
            slips.append(((*where, "kind"), link.kind, message))
        if link.slack is not None and i == last and not rope.closed:
            slips.append(((*where, "slack"), link.slack, "must be left out: no span follows the last link"))
    if EVERY in rope.meets and len(rope.meets) > 1:
        slips.append((("meets",), rope.meets, 'must be ["*"] alone, or the names of parts'))
    if rope.closed and sum(link.active for link in rope.path) < 2:
        slips.append((("path",), ABSENT, "must have two active links or more: a closed rope runs between them"))
    return slips
