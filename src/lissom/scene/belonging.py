"""What must hold between the things of a scene: names, types, sizes that belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lissom.scene.cabletype import CableType, LayeredSection, RectangleSection
from lissom.scene.described import Slip
from lissom.scene.errors import ABSENT
from lissom.scene.fields import suggestion
from lissom.scene.haptic import haptic_slips
from lissom.scene.harness import joint_slips, loose_slips, member_slips
from lissom.scene.kinematic import floating_slips, kinematic_slips
from lissom.scene.library import PREFIX, library
from lissom.scene.mechanism import mechanism_slips
from lissom.scene.mounting import mounted_slips, name_slips, reference_slips
from lissom.scene.roping import rope_slips
from lissom.scene.sections import SectionProperties

if TYPE_CHECKING:
    from lissom.scene.cable import Cable
    from lissom.scene.scene import Scene

MOST_POINTS: Final = 10_000_000
"""Of all cables together: about a gigabyte of solver memory."""

Where = tuple[str | int, ...]


def scene_slips(scene: Scene) -> list[Slip]:
    """Names, types and sizes. What depends on the right names is in :func:`joined_slips`."""
    slips = name_slips(scene)
    points = sum(cable.points or 0 for cable in scene.cables)
    if points > MOST_POINTS:
        slips.append((("cables",), ABSENT, f"must have at most {MOST_POINTS} points together, not {points}"))
    known: dict[str, SectionProperties] = {}
    for i, cable in enumerate(scene.cables):
        slips += [((*("cables", i), *where), value, text) for where, value, text in _type_slips(scene, cable, known)]
    return slips + reference_slips(scene) + member_slips(scene) + mechanism_slips(scene) + rope_slips(scene)


def joined_slips(scene: Scene) -> list[Slip]:
    """How cables are held, by parts and by each other."""
    mounted = mounted_slips(scene) + floating_slips(scene)
    return mounted + joint_slips(scene) + loose_slips(scene) + haptic_slips(scene)


def _type_slips(scene: Scene, cable: Cable, known: dict[str, SectionProperties]) -> list[Slip]:
    named: list[tuple[Where, str]] = [(("stretches", i, "type"), s.type) for i, s in enumerate(cable.stretches)]
    if cable.type is not None:
        named.insert(0, (("type",), cable.type))
    unknown = [(where, name) for where, name in named if not _exists(scene, name)]
    if unknown:
        return [(where, name, unknown_type(scene, name)) for where, name in unknown]
    for _, name in named:
        if name not in known:
            known[name] = SectionProperties.of(scene.named_type(name))
    own = known[cable.type] if cable.type is not None else SectionProperties.of(scene.type_of(cable))
    slips = _size_slips(scene, cable, own) + _limit_slips(scene, cable, own)
    if own.is_rope:
        slips += _rope_slips(cable)
    if cable.model == "kinematic":
        others = [(where, known[name]) for where, name in named if where != ("type",)]
        slips += kinematic_slips(cable, [(("type",) if cable.type is not None else ("model",), own), *others])
    for where, name in named:
        if known[name].is_rope != own.is_rope:
            message = "must have bending stiffness where the cable has it, and none where it has none"
            slips.append((where, name, message))
    return slips


def _rope_slips(cable: Cable) -> list[Slip]:
    """Without bending stiffness there is only tension. (The direction of a clamp is allowed, and ignored.)"""
    slips: list[Slip] = []
    if cable.rest is not None:
        slips.append((("rest",), ABSENT, "must be left out: without bending stiffness nothing keeps a rest shape"))
    if cable.twist is not None:
        slips.append((("twist",), cable.twist, "must be left out: a rope without bending stiffness holds no twist"))
    for i, load in enumerate(cable.loads):
        if load.moment is not None:
            message = "must be left out: a rope without bending stiffness carries no moment"
            slips.append((("loads", i, "moment"), load.moment, message))
    return slips


def _exists(scene: Scene, name: str) -> bool:
    return name.removeprefix(PREFIX) in library() if name.startswith(PREFIX) else name in scene.types


def unknown_type(scene: Scene, name: str) -> str:
    """The message for a type that is not there."""
    if name.startswith(PREFIX):
        return f"is not in the library{suggestion(name, [PREFIX + known for known in library()])}"
    known = list(scene.types)
    near = suggestion(name, known)
    if not near and name in library():
        near = f'; did you mean "{PREFIX}{name}"?'
    listed = "; it has " + ", ".join(f'"{k}"' for k in known[:5]) if known else "; it has none"
    return f"is not among the [types] of this scene{near or listed}"


def _size_slips(scene: Scene, cable: Cable, own: SectionProperties) -> list[Slip]:
    """A cable as thick as it is long was written in two different units."""
    if own.radius < cable.length / 2:
        return []
    made = scene.type_of(cable)
    where, value = (("length",), cable.length) if cable.type is not None else (_size_key(made), own.radius)
    message = (
        f"the cable is {2 * own.radius:g} m thick and {cable.length:g} m long: it must be longer than thick. "
        f'A plain number is in metres; write "420 mm" for millimetres'
    )
    return [(where, value, message)]


def _size_key(made: CableType) -> Where:
    section = made.section
    if section is None:
        return ("radius",)
    if isinstance(section, LayeredSection):
        return ("section", "layers")
    if isinstance(section, RectangleSection):
        return ("section", "width" if section.width >= section.height else "height")
    return ("section", "diameter" if section.diameter is not None else "radius")


def _limit_slips(scene: Scene, cable: Cable, own: SectionProperties) -> list[Slip]:
    """Limits written on the cable, beside a named type, need what the type has."""
    limits = cable.limits
    if limits is None or cable.type is None:
        return []
    slips: list[Slip] = []
    if limits.stress is not None and own.youngs_modulus is None:
        message = "needs a type with a section and a material, to know the stress"
        slips.append((("limits", "stress"), limits.stress, message))
    if limits.measured == "inside" and own.radius == 0.0:
        slips.append((("limits", "measured"), limits.measured, "needs the radius of the cable in its type"))
    return slips
