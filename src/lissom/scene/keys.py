"""Which keys may stand where, for suggestions and for paths."""

from __future__ import annotations

from typing import Any, Final

from lissom.scene.cable import Cable, Clip, End, Initial, Load, Rest, Stretch
from lissom.scene.cabletype import SECTIONS, CableType, Layer, Limits, Material, Stiffness
from lissom.scene.described import Described
from lissom.scene.haptic import Haptic, Waypoint
from lissom.scene.joint import Joint, Keyframe, Motion, Motor, Spring, Track
from lissom.scene.junction import Junction, Member
from lissom.scene.part import Frame, Part
from lissom.scene.rope import Link, Rope, RopeLimits, RopeStiffness
from lissom.scene.scene import Scene
from lissom.scene.shape import SHAPES

Where = tuple[str | int, ...]

_MODELS: Final[dict[str, type[Described]]] = {
    "cables": Cable,
    "clips": Clip,
    "loads": Load,
    "stretches": Stretch,
    "start": End,
    "end": End,
    "rest": Rest,
    "initial": Initial,
    "material": Material,
    "stiffness": Stiffness,
    "limits": Limits,
    "layers": Layer,
    "parts": Part,
    "junctions": Junction,
    "members": Member,
    "joints": Joint,
    "motions": Motion,
    "keyframes": Keyframe,
    "tracks": Track,
    "motor": Motor,
    "spring": Spring,
    "ropes": Rope,
    "path": Link,
    "haptic": Haptic,
    "waypoints": Waypoint,
}


def model_at(where: Where, root: type[Any] = Scene) -> type[Any] | None:
    """The class of what stands at this place (with pydantic's tag after ``section`` and ``shape``, if known)."""
    if not where:
        return root
    if where[0] == "types" and len(where) == 2:
        return CableType
    if where[0] == "ropes" and where[-1] == "stiffness":
        return RopeStiffness
    if where[0] == "ropes" and where[-1] == "limits":
        return RopeLimits
    if len(where) >= 2 and where[-2] == "section":
        return SECTIONS.get(str(where[-1]))
    if len(where) >= 2 and where[-2] == "shape":
        return SHAPES.get(str(where[-1]))
    if len(where) >= 2 and where[-2] == "frames" and where[0] != "types":
        return Frame
    last = next((key for key in reversed(where) if isinstance(key, str)), "")
    return _MODELS.get(last)


def keys_at(where: Where, root: type[Any] = Scene) -> list[str]:
    """The keys that may stand at this place; empty if that is not a table of ours."""
    if where and where[-1] == "section":
        return sorted({key for model in SECTIONS.values() for key in model.model_fields})
    if where and where[-1] == "shape":
        return sorted({key for model in SHAPES.values() for key in model.model_fields})
    model = model_at(where, root)
    return [] if model is None else [field.alias or key for key, field in model.model_fields.items()]


def description(where: Where, root: type[Any] = Scene) -> str:
    """What a key means, in words."""
    model = model_at(where[:-1], root)
    if model is not None:
        for key, field in model.model_fields.items():
            if where[-1] in (key, field.alias):
                return field.description or "it is needed here"
    return "it is needed here"
