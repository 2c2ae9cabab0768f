"""Does a written ``twist`` agree with the written frames?

Clamps are taken in their order along the cable. A clamp without a roll is mounted untwisted on the clamp
before it (turned by its own ``twist``, if it has one); the first one then has roll 0. A full frame fixes
the twist from the clamp before it modulo a turn, and a written ``twist`` may only choose the turn.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from lissom.scene.described import Slip
from lissom.scene.frames import Quaternion, carried, frame_quaternion, twist_between

if TYPE_CHECKING:
    from lissom.scene.cable import Cable, Clip, End

CONTRADICTION: Final = math.radians(1.0)
"""More than the rounding of degrees written by hand, less than anyone would mean."""

Clamped = tuple["End | Clip", "float | None", tuple[str | int, ...]]
"""A clamp, its written twist, and where that is written."""


def twist_slips(cable: Cable, *, compare: bool = True) -> list[Slip]:
    """``compare`` the written twists with the frames, as is right where the frames are said in the world."""
    clamps = _clamps(cable)
    slips: list[Slip] = []
    if cable.twist is not None and (not clamps or clamps[-1][0] is not cable.end):
        message = "needs an end that holds it: give end a tangent (a clamp), or leave twist out"
        message += "; a joined end is turned by the roll of its member"
        slips.append((("twist",), cable.twist, message))
    if clamps and clamps[0][1] is not None:
        message = "has nothing to count from: twist is measured from the clamp before, and there is none"
        slips.append((clamps[0][2], clamps[0][1], f"{message}; clamp the start, or give roll instead"))
        return slips
    before: Quaternion | None = None
    if not compare:
        return slips
    for clamp, twist, where in clamps:
        before = _mounted(clamp, twist, where, before, slips)
    return slips


def _clamps(cable: Cable) -> list[Clamped]:
    """In the order along the cable."""
    clips = [(clip.place(cable.length) or 0.0, i, clip) for i, clip in enumerate(cable.clips) if clip.kind == "clamp"]
    found: list[Clamped] = []
    if cable.start is not None and cable.start.kind == "clamp":
        found.append((cable.start, None, ()))
    found += [(clip, clip.twist, ("clips", i, "twist")) for _, i, clip in sorted(clips, key=lambda c: c[:2])]
    if cable.end is not None and cable.end.kind == "clamp":
        found.append((cable.end, cable.twist, ("twist",)))
    return found


def _mounted(
    clamp: End | Clip,
    twist: float | None,
    where: tuple[str | int, ...],
    before: Quaternion | None,
    slips: list[Slip],
) -> Quaternion | None:
    """The frame of the clamp; None where it depends on a smallest rotation that is not unique."""
    own = clamp.orientation
    if own is None:
        direction = clamp.direction
        assert direction is not None  # a clamp has one
        first = frame_quaternion(direction, 0.0)
        return carried(before, direction, twist or 0.0) if before is not None else first
    if twist is not None and before is not None:
        framed = twist_between(before, own)
        off = math.remainder(twist - framed, 2.0 * math.pi)  # nan where the tangents are antiparallel
        if abs(off) > CONTRADICTION:
            message = (
                f"contradicts the frames of the two clamps, which are {math.degrees(framed):.6g} deg apart "
                f"(or whole turns more); within 1 deg, leave out twist, or leave out roll or quaternion"
            )
            slips.append((where, twist, message))
    return own
