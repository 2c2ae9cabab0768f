"""What must hold between ropes and parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom.scene.described import Slip
from lissom.scene.fields import suggestion
from lissom.scene.rope import EVERY, WOUND
from lissom.scene.shape import CapsuleShape, CylinderShape, PlaneShape

if TYPE_CHECKING:
    from lissom.scene.part import Part
    from lissom.scene.rope import Link, Rope
    from lissom.scene.scene import Scene


def rope_slips(scene: Scene) -> list[Slip]:
    """Links on parts that are there, and that a rope can lie on."""
    parts = {part.name: part for part in scene.parts}
    slips: list[Slip] = []
    for i, rope in enumerate(scene.ropes):
        for k, link in enumerate(rope.path):
            where = ("ropes", i, "path", k)
            if link.on not in parts:
                slips.append(((*where, "on"), link.on, f"there is no part of this name{suggestion(link.on, parts)}"))
            elif link.kind in WOUND and (message := _cannot_wind(link, parts[link.on])):
                slips.append(((*where, "on"), link.on, message))
        for k, name in enumerate(rope.meets):
            if name == EVERY:
                continue
            if name not in parts:
                message = f"there is no part of this name{suggestion(name, parts)}"
            elif not _solid(parts[name]):
                message = "must have a shape other than a plane, or a mesh, for a rope to lie on"
            else:
                continue
            slips.append((("ropes", i, "meets", k), name, message))
    return slips


def met_parts(scene: Scene, rope: Rope) -> tuple[str, ...]:
    """Names of the parts that a rope may come to lie on besides those of its path: with "*" all solids that collide."""
    if rope.meets != (EVERY,):
        return rope.meets
    named = {link.on for link in rope.path}
    return tuple(part.name for part in scene.parts if part.collide and part.name not in named and _solid(part))


def _solid(part: Part) -> bool:
    return part.mesh is not None or not (part.shape is None or isinstance(part.shape, PlaneShape))


def _cannot_wind(link: Link, part: Part) -> str:
    if part.mesh is not None:
        return ""
    if part.shape is None:
        return f"must have a shape or mesh for a {link.kind} link: a cylinder is a wheel; or use an attachment"
    if isinstance(part.shape, PlaneShape):
        return "must have another shape: no rope runs around a half space"
    slanted = link.axis is not None and (link.axis[0] != 0.0 or link.axis[1] != 0.0)
    if slanted and isinstance(part.shape, CylinderShape | CapsuleShape):
        return "must be met square to its axis (leave axis out): a rope that runs aslant on a wheel falls off"
    return ""
