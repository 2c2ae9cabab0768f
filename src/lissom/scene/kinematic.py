"""What a cable with model = "kinematic" may not have: each slip says what to do instead."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from lissom.scene.described import Slip
from lissom.scene.errors import ABSENT
from lissom.scene.mounting import supports_of
from lissom.scene.sections import SectionProperties

if TYPE_CHECKING:
    from lissom.scene.cable import Cable
    from lissom.scene.scene import Scene

ROD: Final = 'or take model = "rod"'
SAME_STIFFNESS: Final = 1e-9
"""Bending stiffnesses about d1 and d2 that differ by less than this part are one."""
MOST_POINTS: Final = 4097
"""4096 segments: what may touch is a column of the matrix, and 100000 of them would not fit into any memory."""


def kinematic_slips(cable: Cable, made: Sequence[tuple[tuple[str | int, ...], SectionProperties]]) -> list[Slip]:
    """Of the fields of a cable; `made` are its type and those of its stretches, with where they are said."""
    slips: list[Slip] = []
    if cable.rest is not None:
        slips.append((("rest",), ABSENT, f"must be left out of a kinematic cable, which is straight at rest; {ROD}"))
    if cable.points is not None and cable.points > MOST_POINTS:
        message = f"must be at most {MOST_POINTS} on a kinematic cable; leave it out, {ROD}"
        slips.append((("points",), cable.points, message))
    if cable.friction > 0.0:
        slips.append((("friction",), cable.friction, f"must be 0 on a kinematic cable, which slips freely; {ROD}"))
    for i, load in enumerate(cable.loads):
        if load.moment is not None:
            message = f"must be left out of a kinematic cable, which carries forces only; {ROD}"
            slips.append((("loads", i, "moment"), load.moment, message))
    for i, clip in enumerate(cable.clips):
        if clip.slides:
            message = f'must be "clamp", "swivel" or "ball": sections of a kinematic cable have fixed lengths; {ROD}'
            slips.append((("clips", i, "kind"), clip.kind, message))
        if clip.free:
            slips.append((("clips", i, "free"), clip.free, _held(clip.name)))
    for key, end in (("start", cable.start), ("end", cable.end)):
        if end is not None and end.free:
            slips.append(((key, "free"), end.free, _held(key)))
    for where, section in made:
        slips += _section_slips(where, section)
    return slips


def _held(what: str) -> str:
    return f"must be left out: a kinematic cable is held in place, and {what} would move; {ROD}"


def _section_slips(where: tuple[str | int, ...], section: SectionProperties) -> list[Slip]:
    one, other = section.bending
    if abs(one - other) > SAME_STIFFNESS * max(one, other):
        message = (
            f"bends with {one:.4g} N m² about d1 and {other:.4g} N m² about d2, and a kinematic cable only with one "
            f"stiffness: use a round section, {ROD}"
        )
        return [(where, ABSENT, message)]
    if not math.isinf(section.axial):
        message = (
            f"stretches (axial stiffness {section.axial:.4g} N), and a kinematic cable keeps its length: leave the "
            f"axial stiffness out, {ROD}"
        )
        return [(where, ABSENT, message)]
    return []


def floating_slips(scene: Scene) -> list[Slip]:
    """Kinematic cables do not push free things about."""
    slips: list[Slip] = []
    kinematic = {k.name for k in scene.cables if k.model == "kinematic"}
    for j, junction in enumerate(scene.junctions):
        for m, member in enumerate(junction.members):
            if junction.motion == "free" and member.cable in kinematic:
                message = (
                    f'must not be kinematic where "{junction.name}" floats: give the junction motion = "held", or '
                    f'"{member.cable}" model = "rod"'
                )
                slips.append((("junctions", j, "members", m, "cable"), member.cable, message))
    if scene.is_machine:
        return slips  # cables follow its parts
    free = {k.name for k in scene.parts if k.motion == "free"}
    while more := {k.name for k in scene.parts if k.parent in free} - free:
        free |= more
    for i, cable in enumerate(scene.cables):
        if cable.name in kinematic:
            for where, on in supports_of(cable):
                if on.on in free:
                    message = f'must not hold a kinematic cable: it is free. Give the part motion = "held", {ROD}'
                    slips.append((("cables", i, *where, "on"), on.on, message))
    return slips
