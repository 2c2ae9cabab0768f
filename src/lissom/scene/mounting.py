"""Does every name in a scene mean something? Parts, their parents and frames, what is on them, what ignores them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from lissom.scene.checks import is_mounted
from lissom.scene.described import Slip
from lissom.scene.fields import suggestion
from lissom.scene.problems import THINGS
from lissom.scene.twisting import twist_slips

if TYPE_CHECKING:
    from lissom.scene.cable import Cable, Clip, End
    from lissom.scene.part import Part
    from lissom.scene.scene import Scene

Where = tuple[str | int, ...]


def name_slips(scene: Scene) -> list[Slip]:
    """Cables, parts, junctions, joints and motions share one set of names: paths begin with them."""
    seen: dict[str, str] = {}
    slips: list[Slip] = []
    for group, word in THINGS.items():
        for i, thing in enumerate(getattr(scene, group)):
            if thing.name in seen:
                message = f"must be unique: {seen[thing.name]} has this name already"
                slips.append(((group, i, "name"), thing.name, message))
            seen.setdefault(thing.name, f"{word} {i + 1}")
    return slips


def reference_slips(scene: Scene) -> list[Slip]:
    """Names of parts and frames that are not there."""
    parts = {part.name: part for part in scene.parts}
    slips = _parent_slips(scene, parts)
    for i, cable in enumerate(scene.cables):
        for where, held in supports_of(cable):
            slips += [(("cables", i, *where, *key), value, text) for key, value, text in _on_slips(held, parts)]
        slips += [(("cables", i, *key), value, text) for key, value, text in _ignore_slips(cable.ignore, parts)]
    for i, part in enumerate(scene.parts):
        slips += [(("parts", i, *key), value, text) for key, value, text in _ignore_slips(part.ignore, parts)]
        if part.name in part.ignore:
            message = "must be another part: a part never touches itself"
            slips.append((("parts", i, "ignore", part.ignore.index(part.name)), part.name, message))
    return slips


def _ignore_slips(ignored: tuple[str, ...], parts: dict[str, Part]) -> list[Slip]:
    slips: list[Slip] = []
    for k, name in enumerate(ignored):
        if name not in parts:
            slips.append((("ignore", k), name, _no_part(name, parts)))
        elif name in ignored[:k]:
            slips.append((("ignore", k), name, "must name every part once"))
    return slips


def supports_of(cable: Cable) -> Iterator[tuple[Where, End | Clip]]:
    if cable.start is not None:
        yield ("start",), cable.start
    if cable.end is not None:
        yield ("end",), cable.end
    for k, clip in enumerate(cable.clips):
        yield ("clips", k), clip


def _on_slips(held: End | Clip, parts: dict[str, Part]) -> list[Slip]:
    if held.on is None:
        return []
    if held.on not in parts:
        return [(("on",), held.on, _no_part(held.on, parts))]
    frames = parts[held.on].frames
    if held.frame is not None and held.frame not in frames:
        message = f'is no frame of the part "{held.on}"{suggestion(held.frame, frames) or _listed(frames)}'
        return [(("frame",), held.frame, message)]
    return []


def _no_part(name: str, parts: Collection[str]) -> str:
    return f"is no part of this scene{suggestion(name, parts) or _listed(parts)}"


def _listed(names: Collection[str]) -> str:
    return "; it has " + ", ".join(f'"{name}"' for name in list(names)[:5]) if names else "; it has none"


def _parent_slips(scene: Scene, parts: dict[str, Part]) -> list[Slip]:
    slips: list[Slip] = []
    number = {part.name: i for i, part in enumerate(scene.parts)}
    seen: set[str] = set()
    for i, part in enumerate(scene.parts):
        if part.parent is not None and part.parent not in parts:
            slips.append((("parts", i, "parent"), part.parent, _no_part(part.parent, parts)))
        trail: list[str] = []
        above: str | None = part.name
        while above in parts and above not in seen:
            trail.append(above)
            seen.add(above)
            above = parts[above].parent
        cycle = trail[trail.index(above) :] if above in trail else []
        for k, name in enumerate(cycle):
            around = [*cycle[k:], *cycle[:k]]
            shown = around if len(around) <= 5 else [*around[:4], "…"]
            message = f"must not lead back to the part itself: {' → '.join([*shown, name])}"
            slips.append((("parts", number[name], "parent"), parts[name].parent, message))
    return slips


def mounted_slips(scene: Scene) -> list[Slip]:
    """What depends on the frames that ends and clips sit on. The names are right, the kinds known."""
    slips: list[Slip] = []
    parts = {part.name: part for part in scene.parts}
    members = [member for junction in scene.junctions for member in junction.members]
    for i, cable in enumerate(scene.cables):
        if not is_mounted(cable):
            # The clamp before may be a junction: what a twist is counted from turns as it turns.
            between = any(k.cable == cable.name and k.end(cable.length) is None for k in members)
            found = twist_slips(cable, compare=not between)
            slips += [(("cables", i, *where), value, text) for where, value, text in found]
            continue
        for where, held in supports_of(cable):
            slips += [(("cables", i, *where, *key), value, text) for key, value, text in _kind_slips(held, parts)]
        # Parts move, and what is mounted on them with them: a written twist only picks the nearest turn.
        slips += [(("cables", i, *where), value, text) for where, value, text in twist_slips(cable, compare=False)]
    return slips


def _kind_slips(held: End | Clip, parts: dict[str, Part]) -> list[Slip]:
    if held.on is None or held.frame is None:
        return []
    frame = parts[held.on].frames[held.frame]
    if held.kind in ("clamp", "swivel", "sleeve") and frame.direction is None:
        other = "ring" if held.kind == "sleeve" else "ball"
        message = f'has only a position, and a {held.kind} holds the direction: give it a tangent, or kind = "{other}"'
        return [(("frame",), held.frame, message)]
    if held.kind == "ball" and "kind" not in held.model_fields_set:  # known only now: what clips and ends check
        if len(held.free) == 3:
            return [(("free",), held.free, "must leave one axis held: this frame holds no direction either")]
        if getattr(held, "twist", None) is not None:
            message = "must be left out: a frame with only a position does not hold twist; give it a tangent"
            return [(("twist",), held.twist, message)]  # type: ignore[union-attr]
    return []
