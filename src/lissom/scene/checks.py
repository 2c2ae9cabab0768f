"""What must hold between the fields of an end, a clip, a load, a cable.

Each function returns the slips it finds; the models raise them. Nothing here needs the rest of the
scene: that is in :mod:`lissom.scene.scene`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from lissom.scene import twisting
from lissom.scene.cabletype import MAKE, make_slips
from lissom.scene.described import Slip
from lissom.scene.errors import ABSENT
from lissom.scene.rest import moulded_length

if TYPE_CHECKING:
    from lissom.scene.cable import Cable, Clip, End, Load, Rest
    from lissom.scene.fields import Vec3
    from lissom.scene.junction import Member

SAME_PLACE: Final = 1e-6
"""Places closer than this times the length are one place: a discretisation cannot tell them apart."""

LENGTH_MISMATCH: Final = 0.01
"""How much the length of a moulded shape may differ from the cable's: what drawing and measuring do."""

RESERVED: Final = frozenset(
    {
        "start",
        "end",
        "name",
        "type",
        "model",
        "length",
        "points",
        "rest",
        "twist",
        "loads",
        "initial",
        "clips",
        "stretches",
        "collide",
        "friction",
        "ignore",
    }
    | {*MAKE, "limits"}
)
"""Clips must not be called so: ``brake hose/end`` is the end."""


def end_slips(end: End) -> list[Slip]:
    if end.kind == "free":
        return [
            ((key,), getattr(end, key), 'must be left out at a free end; kind = "clamp" or "ball" holds it')
            for key in ("on", "frame", "position", "tangent", "roll", "quaternion", "free")
            if getattr(end, key)
        ]
    slips = _pose_slips(end)
    if end.kind == "ball" and len(end.free) == 3:
        slips.append((("free",), end.free, "must leave one axis held: an end that holds nothing is left out"))
    return slips


def clip_slips(clip: Clip) -> list[Slip]:
    slips = _pose_slips(clip) + place_slips(clip, needed=not clip.slides)
    if clip.twist is not None and clip.kind != "clamp":
        slips.append(
            (
                ("twist",),
                clip.twist,
                f'must be left out: a {clip.kind} does not hold twist; use kind = "clamp"',
            )
        )
    if clip.kind in ("ball", "ring") and len(clip.free) == 3:
        slips.append((("free",), clip.free, "must leave one axis held: a clip that holds nothing is left out"))
    return slips


def _pose_slips(held: End | Clip) -> list[Slip]:
    """Position always; a direction exactly for the kinds that hold one; roll only where it is held."""
    if held.frame is not None:
        return _frame_slips(held, held.frame) + _free_slips(held)
    slips: list[Slip] = []
    if held.position is None and held.on is not None:
        message = f'is missing: give position = [x, y, z] in the axes of "{held.on}", or frame = the name of one of its'
        slips.append((("position",), ABSENT, f"{message} frames"))
    elif held.position is None:
        slips.append((("position",), ABSENT, f"is missing: a {held.kind} is at a position = [x, y, z] in m"))
    if held.tangent is not None and held.quaternion is not None:
        slips.append((("quaternion",), held.quaternion, "must not be given together with tangent: keep one of them"))
    directed = held.kind in ("clamp", "swivel", "sleeve")
    if directed and held.tangent is None and held.quaternion is None:
        cure = "give tangent = [x, y, z] or quaternion = [w, x, y, z]"
        cure += ', or kind = "ring"' if held.kind == "sleeve" else ', or kind = "ball"'
        slips.append((("tangent",), ABSENT, f"is missing: a {held.kind} holds the direction; {cure}"))
    if not directed:
        better = '"sleeve"' if held.kind == "ring" else '"clamp" or "swivel"'
        for key in ("tangent", "quaternion"):
            if getattr(held, key) is not None:
                message = f"must be left out: a {held.kind} leaves it free; to hold it use kind = {better}"
                slips.append(((key,), getattr(held, key), message))
    if held.roll is not None:
        if held.kind in ("swivel", "sleeve", "ball", "ring"):
            message = f'must be left out: a {held.kind} lets the cable turn about itself; use kind = "clamp"'
            slips.append((("roll",), held.roll, message))
        elif held.tangent is None:
            slips.append((("roll",), held.roll, "needs tangent; a quaternion already holds the whole frame"))
    return slips + _free_slips(held)


def _free_slips(held: End | Clip) -> list[Slip]:
    if len(set(held.free)) < len(held.free):
        return [(("free",), held.free, "must name every axis once")]
    return []


def _frame_slips(held: End | Clip, frame: str) -> list[Slip]:
    """A frame of a part says everything; whether the part has it is seen in the scene."""
    slips: list[Slip] = []
    if held.on is None:
        slips.append((("frame",), frame, 'needs on = "NAME", the part that has this frame'))
    message = f'must not be given together with frame = "{frame}", which says it: keep one of them'
    for key in ("position", "tangent", "roll", "quaternion"):
        if getattr(held, key) is not None:
            slips.append(((key,), getattr(held, key), message))
    return slips


def place_slips(placed: Clip | Load | Member, *, needed: bool) -> list[Slip]:
    said = [key for key in ("at", "from_start", "from_end") if getattr(placed, key) is not None]
    if len(said) > 1:
        message = f"must not be given together with {said[0]}: keep one of at, from_start, from_end"
        return [((key,), getattr(placed, key), message) for key in said[1:]]
    if needed and not said:
        return [(("at",), ABSENT, "is missing: give at (0 to 1), from_start or from_end (lengths)")]
    return []


def load_slips(load: Load) -> list[Slip]:
    slips = place_slips(load, needed=True)
    if load.force is None and load.moment is None:
        slips.append((("force",), ABSENT, "is missing: a load has a force = [x, y, z] in N or a moment in N m"))
    if load.axes == "body" and load.force is not None:
        message = 'must be "world" beside a force (which keeps its direction); give the moment its own load'
        slips.append((("axes",), load.axes, message))
    return slips


def rest_slips(rest: Rest) -> list[Slip]:
    if rest.curvature is not None and rest.points is not None:
        return [(("points",), ABSENT, "must not be given together with curvature: keep one of them")]
    if rest.curvature is None and rest.points is None:
        return [
            (
                ("curvature",),
                ABSENT,
                "is missing: give curvature = [κ1, κ2, τ] in 1/m, or points = [[x, y, z], ...]",
            )
        ]
    return [] if rest.points is None else _moulded_slips(rest.points)


def _moulded_slips(points: tuple[Vec3, ...]) -> list[Slip]:
    """A curve through the points needs distinct points that do not turn back."""
    before: Vec3 | None = None
    for i, (a, b) in enumerate(pairwise(points), start=1):
        step = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
        if math.hypot(*step) < 1e-9:
            return [(("points", i), b, "must differ from the point before it")]
        if before is not None and before[0] * step[0] + before[1] * step[1] + before[2] * step[2] < 0.0:
            message = "must not turn the shape by more than 90 deg at one point; give more points around the bend"
            return [(("points", i - 1), a, message)]
        before = step
    return []


def cable_slips(cable: Cable) -> list[Slip]:
    slips = _make_slips(cable) + _reach_slips(cable)
    slips += _clip_name_slips(cable) + _stretch_slips(cable) + _rest_fit_slips(cable)
    if not slips:  # these need places that make sense
        slips = _same_place_slips(cable) + _order_slips(cable)
        if not is_mounted(cable):  # otherwise the scene knows whether the frames of the parts are clamps
            slips += twisting.twist_slips(cable, compare=False)  # and which junctions hold it in between
    return slips


def is_mounted(cable: Cable) -> bool:
    """Is any of its supports on a part?"""
    return any(held is not None and held.on is not None for held in (cable.start, cable.end, *cable.clips))


def _make_slips(cable: Cable) -> list[Slip]:
    """A named type, or its fields written on the cable; limits may stand beside a named type."""
    written = [key for key in MAKE if getattr(cable, key) not in (None, False)]
    if cable.type is None:
        if written:
            return make_slips(cable)
        return [
            (
                ("type",),
                ABSENT,
                'is missing: name one of [types], or "library:NAME", or write section or stiffness here',
            )
        ]
    message = f'must be left out beside type = "{cable.type}": keep the type or its fields written here'
    return [((key,), ABSENT, message) for key in written]


def _reach_slips(cable: Cable) -> list[Slip]:
    """No place beyond the cable."""
    return [
        (
            (group, i, key),
            getattr(placed, key),
            f"must be at most the length of the cable, {cable.length:g} m",
        )
        for group in ("clips", "loads")
        for i, placed in enumerate(getattr(cable, group))
        for key in ("from_start", "from_end")
        if (getattr(placed, key) or 0.0) > cable.length
    ]


def _clip_name_slips(cable: Cable) -> list[Slip]:
    slips: list[Slip] = []
    seen: set[str] = set()
    for i, clip in enumerate(cable.clips):
        if clip.name in seen:
            slips.append((("clips", i, "name"), clip.name, "must be unique on the cable: another clip has this name"))
        elif clip.name in RESERVED:
            slips.append((("clips", i, "name"), clip.name, "must not be the name of a field of the cable"))
        seen.add(clip.name)
    return slips


def _stretch_slips(cable: Cable) -> list[Slip]:
    slips: list[Slip] = []
    order = sorted(range(len(cable.stretches)), key=lambda i: cable.stretches[i].from_)
    for before, i in pairwise(order):
        stretch, end = cable.stretches[i], cable.stretches[before].to
        if stretch.from_ < end:
            message = f"must be at least {end:g}, where stretch {before + 1} ends: stretches must not overlap"
            slips.append((("stretches", i, "from"), stretch.from_, message))
    return slips


def _rest_fit_slips(cable: Cable) -> list[Slip]:
    """The rest shape must be of this cable: as many triples as points, as long as the cable."""
    rest = cable.rest
    if rest is None:
        return []
    if rest.curvature is not None and isinstance(rest.curvature[0], tuple):
        found = len(rest.curvature)
        if cable.points is not None and found != cable.points:
            message = f"must have one triple per point: {found} triples, but points = {cable.points}"
            return [(("rest", "curvature"), ABSENT, message)]
    if rest.points is not None:
        length = moulded_length(rest.points)
        if not abs(length - cable.length) <= LENGTH_MISMATCH * cable.length:
            message = (
                f"must be as long as the cable within 1 %: the curve through them is {length:.6g} m long, "
                f"length = {cable.length:g} m; correct one of the two"
            )
            return [(("rest", "points"), ABSENT, message)]
    return []


def _same_place_slips(cable: Cable) -> list[Slip]:
    """Two supports at one place would contradict each other or share the load in an unknown way."""
    held: list[tuple[float, str]] = []
    if cable.start is not None and cable.start.kind != "free":
        held.append((0.0, "the start"))
    if cable.end is not None and cable.end.kind != "free":
        held.append((cable.length, "the end"))
    slips: list[Slip] = []
    for i, clip in enumerate(cable.clips):
        place = clip.place(cable.length)
        if clip.slides or place is None:
            continue
        key = next(key for key in ("at", "from_start", "from_end") if getattr(clip, key) is not None)
        for other, what in held:
            if abs(place - other) <= SAME_PLACE * cable.length:
                message = f"must not be the place of {what}, which is held already: move or remove one of them"
                slips.append((("clips", i, key), getattr(clip, key), message))
                break
        held.append((place, clip.name))
    return slips


def _order_slips(cable: Cable) -> list[Slip]:
    """What slides and has no place lies between the clips it is listed between: so these must be in order."""
    slips: list[Slip] = []
    placed = [(i, k.place(cable.length), k.name) for i, k in enumerate(cable.clips)]
    for i, place, _ in placed:
        if place is not None:
            continue
        before = next(((p, name) for n, p, name in reversed(placed) if n < i and p is not None), None)
        after = next(((p, name) for n, p, name in placed if n > i and p is not None), None)
        if before is not None and after is not None and before[0] > after[0]:
            message = f"is missing: {before[1]}, listed before it, lies behind {after[1]}, listed after it"
            slips.append((("clips", i, "at"), ABSENT, f"{message}; give at, or list the clips in order"))
    return slips


def held_slips(cables: Sequence[Cable], junctions: Sequence[str] = ()) -> list[Slip]:
    """Along every axis something must take the load; and something must keep the cables from sliding.

    ``cables`` are joined to each other by the ``junctions``, none of which is held; most often it is one cable alone.
    The slip is that of the first cable.
    """
    ends = [end for cable in cables for end in (cable.start, cable.end) if end is not None and end.kind != "free"]
    clips = [clip for cable in cables for clip in cable.clips]
    supports = [*ends, *clips]
    joined = f" (joined by {', '.join(junctions[:3])})" if junctions else ""
    also = f"{joined}, or hold a junction" if junctions else ""
    if not supports:
        return [((), ABSENT, f"is held nowhere: give a start, an end or a clip a position{also}")]
    if not ends and all(clip.slides for clip in clips):
        cure = "give it a start, an end or a clip that does not slide"
        return [((), ABSENT, f"is held only by clips it slides through: {cure}{also}")]
    loose = [axis for axis in "xyz" if all(axis in support.free for support in supports)]
    if loose:
        cure = f'take the axis out of one of its "free" lists{joined}'
        return [((), ABSENT, f"can move along {', '.join(loose)} as a whole: {cure}")]
    return []
