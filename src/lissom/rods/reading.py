"""From a scene's cable to a Line: supports in order, frames with their twist, properties along the length."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lissom.rods.line import FRAME, NO_DIRECTION, TANGENT, Line, Piece, PointLoad, RestShape, Support
from lissom.scene import Cable, Clip, End, Scene, SectionProperties
from lissom.scene.frames import (
    Quaternion,
    Vec3,
    carried,
    director,
    frame_quaternion,
    product,
    twist_between,
)
from lissom.scene.placing import Poses, placed
from lissom.scene.rest import strains

Array = NDArray[np.float64]

DEFAULT_SEGMENTS = 64
MOST_DEFAULT_SEGMENTS = 400
# Rest curvature and twist turn a segment by at most this (rad) on the default grid.
DEFAULT_TURN = 0.4

DIRECTIONS = {
    "clamp": FRAME,
    "swivel": TANGENT,
    "sleeve": TANGENT,
    "ball": NO_DIRECTION,
    "ring": NO_DIRECTION,
}


def read_line(scene: Scene, cable: Cable, poses: Poses | None = None) -> Line:
    """`poses` are those of the parts (lissom.scene.placing.part_poses), where they are not as in the scene."""
    cable = placed(scene, cable, poses)
    pieces = read_pieces(scene, cable)
    rope = all(p.stiffness[0] == 0.0 and p.stiffness[1] == 0.0 for p in pieces)
    supports = read_supports(cable, rope, np.array(scene.gravity))
    line = Line(
        name=cable.name,
        length=cable.length,
        segments=0 if cable.points is None else cable.points - 1,
        pieces=pieces,
        supports=supports,
        loads=read_loads(cable),
        gravity=scene.gravity,
        rest=read_rest(cable),
        initial=None if cable.initial is None else np.array(cable.initial.points, dtype=float),
    )
    return line if line.segments else replace(line, segments=default_segments(line), adaptive=True)


def default_segments(line: Line) -> int:
    """Enough to resolve rest curvature, twist, and the boundary layers of a heavy cable."""
    turn = float(line.rest.largest * line.length) + max((abs(k.turn) for k in line.supports), default=0.0)
    wanted = max(DEFAULT_SEGMENTS, math.ceil(turn / DEFAULT_TURN), 8 * (len(line.supports) - 1))
    if not line.is_rope:
        softest = min(min(p.stiffness[0], p.stiffness[1]) for p in line.pieces)
        layers = math.sqrt(0.5 * line.weight * line.length**2 / softest)  # L √(n/B) with n = wL/2
        wanted = max(wanted, min(math.ceil(layers), MOST_DEFAULT_SEGMENTS))
    return wanted


def read_pieces(scene: Scene, cable: Cable) -> tuple[Piece, ...]:
    """The cable's own type, interrupted by its stretches."""
    own = scene.type_of(cable)
    pieces: list[Piece] = []
    at = 0.0
    for stretch in sorted(cable.stretches, key=lambda k: k.from_):
        start, end = stretch.from_ * cable.length, stretch.to * cable.length
        if start > at:
            pieces.append(piece(at, start, SectionProperties.of(own)))
        pieces.append(piece(start, end, SectionProperties.of(scene.named_type(stretch.type))))
        at = end
    if at < cable.length:
        pieces.append(piece(at, cable.length, SectionProperties.of(own)))
    return tuple(pieces)


def piece(start: float, end: float, section: SectionProperties) -> Piece:
    return Piece(
        start,
        end,
        (*section.bending, section.torsion),
        section.mass_per_length,
        0.0 if math.isinf(section.axial) else 1.0 / section.axial,
    )


def read_loads(cable: Cable) -> tuple[PointLoad, ...]:
    return tuple(
        PointLoad(
            load.place(cable.length) or 0.0,
            load.force or (0.0, 0.0, 0.0),
            load.moment or (0.0, 0.0, 0.0),
            load.axes == "body",
        )
        for load in cable.loads
    )


def read_rest(cable: Cable) -> RestShape:
    if cable.rest is None:
        return RestShape()
    if cable.rest.points is not None:
        places = np.linspace(0.0, cable.length, 8 * len(cable.rest.points) + 1)
    else:
        given = np.asarray(cable.rest.curvature, dtype=float)
        places = np.linspace(0.0, cable.length, len(given) if given.ndim == 2 else 1)
    return RestShape(places, strains(cable.rest, cable.length, places))


def read_supports(cable: Cable, rope: bool, gravity: Array) -> tuple[Support, ...]:
    """Supports in order along the cable; sliding ones without a place are spread between their neighbours.

    These are the clips they are listed between.
    """
    held: list[tuple[float | None, str, End | Clip, float | None]] = []
    if cable.start is not None and cable.start.kind != "free":
        held.append((0.0, "start", cable.start, None))
    held += [(k.place(cable.length), k.name, k, k.twist) for _, k in clips_in_order(cable)]
    if cable.end is not None and cable.end.kind != "free":
        held.append((cable.length, "end", cable.end, cable.twist))
    places = spread_places([k[0] for k in held], cable.length)
    supports: list[Support] = []
    before: Support | None = None
    for place, (_, name, end, twist) in zip(places, held, strict=True):
        support = read_support(name, end, place, twist, before, rope, gravity)
        supports.append(support)
        if support.direction == FRAME:
            before = support
    return tuple(supports)


def clips_in_order(cable: Cable) -> list[tuple[float, Clip]]:
    """Clips along the cable, each with its place (m); one without has that of the clip it is listed behind."""
    clips: list[tuple[float, bool, Clip]] = []
    last = 0.0
    for clip in cable.clips:
        place = clip.place(cable.length)
        last = last if place is None else place
        clips.append((last, place is None, clip))
    return [(place, clip) for place, _, clip in sorted(clips, key=lambda k: k[:2])]


def spread_places(places: list[float | None], length: float) -> list[float]:
    """Fills in places that were not said, evenly between the neighbours that were."""
    known = [(i, p) for i, p in enumerate(places) if p is not None]
    if not known or known[0][0] != 0:
        known.insert(0, (-1, 0.0))
    if known[-1][0] != len(places) - 1:
        known.append((len(places), length))
    filled = np.interp(np.arange(len(places)), [i for i, _ in known], [p for _, p in known])
    return [float(p) for p in filled]


def read_support(
    name: str,
    end: End | Clip,
    place: float,
    twist: float | None,
    before: Support | None,
    rope: bool,
    gravity: Array,
) -> Support:
    position = end.position
    assert position is not None  # validated: what holds the cable has a position
    direction = NO_DIRECTION if rope else DIRECTIONS[end.kind]
    quaternion: Quaternion = (1.0, 0.0, 0.0, 0.0)
    turn = 0.0
    if direction != NO_DIRECTION:
        tangent = end.direction
        assert tangent is not None  # validated
        quaternion, turn = mounted(end.orientation, tangent, position, twist, before, gravity)
    return Support(
        name=name,
        kind=end.kind,
        place=place,
        position=position,
        holds=("x" not in end.free, "y" not in end.free, "z" not in end.free),
        direction=direction,
        quaternion=quaternion,
        turn=turn,
        slides=isinstance(end, Clip) and end.slides,
    )


def mounted(
    own: Quaternion | None,
    tangent: Vec3,
    position: Vec3,
    twist: float | None,
    before: Support | None,
    gravity: Array,
) -> tuple[Quaternion, float]:
    """The frame of a clamp, and its twist since the first clamp (DESIGN: roll and twist)."""
    if before is None:
        return own or frame_quaternion(tangent, 0.0), 0.0
    untwisted = carried(before.quaternion, tangent) or turned_back(before, position, gravity)
    if own is None:
        half = 0.5 * (twist or 0.0)
        own = product(untwisted, (math.cos(half), 0.0, 0.0, math.sin(half)))
        return own, before.turn + (twist or 0.0)
    framed = twist_between(untwisted, own)
    return own, before.turn + (framed if twist is None else whole_turns(framed, twist))


def whole_turns(framed: float, counted: float) -> float:
    """The twist from one clamp to the next: their frames say the angle, what was counted how many whole turns more.

    Frames whose tangents are antiparallel say nothing (nan).
    """
    return counted if math.isnan(framed) else framed + 2.0 * math.pi * round((counted - framed) / (2.0 * math.pi))


def retwisted(supports: tuple[Support, ...]) -> tuple[Support, ...]:
    """Supports whose frames have moved, with their turns counted anew: by continuity, the nearest to what they were."""
    found: list[Support] = []
    before: Support | None = None
    before_turn = 0.0  # of the same clamp, as it was
    for support in supports:
        if support.direction == FRAME:
            was = support.turn
            if before is not None:
                framed = twist_between(before.quaternion, support.quaternion)
                support = support._replace(turn=before.turn + whole_turns(framed, was - before_turn))
            before, before_turn = support, was
        found.append(support)
    return tuple(found)


def turned_back(before: Support, position: Vec3, gravity: Array) -> Quaternion:
    """The frame carried to the opposite tangent: half a turn in the plane of the two supports.

    Where they lie on one line with the tangent, gravity says the plane; where it does too, d1 is the axis.
    """
    tangent = before.tangent
    for toward in (np.subtract(position, before.position), gravity):
        axis = np.cross(tangent, toward)
        size = float(np.linalg.norm(axis))
        if size > 1e-6 * float(np.linalg.norm(toward)) and size > 0.0:
            x, y, z = axis / size
            return product((0.0, float(x), float(y), float(z)), before.quaternion)
    x, y, z = director(before.quaternion, 1)
    return product((0.0, x, y, z), before.quaternion)
