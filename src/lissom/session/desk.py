"""What belongs to the studio and not to the scene: what is hidden, kept views, measures, variants.

Immutable, so that undo can go back to it. Kept beside the scene as ``hose.studio.json``.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from lissom.scene import Scene, SceneError, packed_state, unpacked_state
from lissom.scene.files import write_atomically
from lissom.scene.saving import with_files_from
from lissom.session import wire
from lissom.session.messages.events import MeasureInfo, PointsInfo
from lissom.session.messages.snapshots import CableValues
from lissom.session.messages.values import Quantity, Unit, Vec3, Vec4, View

Shapes = dict[str, tuple[list[Vec3], list[Vec4]]]
"""Positions and quaternions of cables, by name."""


@dataclass(frozen=True)
class Variant:
    """A scene with the shape it had, to compare with and to go back to."""

    name: str
    scene: Scene
    shapes: Shapes
    values: tuple[CableValues, ...]
    shown: bool = True
    state: dict[str, NDArray[Any]] | None = field(default=None, compare=False)  # solved, to begin from

    @cached_property
    def drawn(self) -> dict[str, list[Vec3]]:
        """Its centre lines for the page, to a micrometre: a third of the bytes."""
        return {
            name: [(round(x, 6), round(y, 6), round(z, 6)) for x, y, z in shape[0]]
            for name, shape in self.shapes.items()
        }


@dataclass(frozen=True, slots=True)
class Desk:
    """How a person has arranged things around a scene."""

    hidden: tuple[str, ...] = ()
    locked: tuple[str, ...] = ()
    transparent: tuple[str, ...] = ()
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    views: tuple[View, ...] = ()
    measures: tuple[MeasureInfo, ...] = ()
    variants: tuple[Variant, ...] = ()
    points: tuple[PointsInfo, ...] = ()
    unit: Unit = "mm"
    colour: Quantity = "bend_radius"
    question: str = ""  # what a demo asks


def as_looked_at(desk: Desk, now: Desk) -> Desk:
    """A desk of another time as it is looked at now: unit, colours and which variants are drawn are no edits."""
    shown = {k.name: k.shown for k in now.variants}
    other = {k.name for k in desk.variants if shown.get(k.name, k.shown) != k.shown}
    variants = tuple(replace(k, shown=not k.shown) if k.name in other else k for k in desk.variants)
    return replace(desk, unit=now.unit, colour=now.colour, variants=variants)


def variant_scenes(kept: Variant, now: Scene) -> list[tuple[Scene, bool]]:
    """How to go to a variant without its state: scenes to solve, and whether anew; first with its shape to begin from,
    then as it is.
    """
    scene = now._again(kept.scene.to_dict())
    points = {f"{name}/initial": {"points": shape[0]} for name, shape in kept.shapes.items()}
    return [(scene.with_values(points), True), (scene, False)]


def moved_to(desk: Desk, scene: Scene, folder: Path) -> Desk:
    """The desk for a file in another folder than the scene's: variants find their meshes from there."""
    variants = [replace(k, scene=with_files_from(scene._again(k.scene.to_dict()), folder)) for k in desk.variants]
    return replace(desk, variants=tuple(variants))


def desk_path(scene_path: Path) -> Path:
    """``hose.toml`` → ``hose.studio.json``, in the same folder."""
    return scene_path.with_suffix(".studio.json")


def save_desk(path: Path, desk: Desk, shapes: Shapes, extra: Mapping[str, Any] | None = None) -> None:
    """Writes the desk, and the shapes that are shown while the scene is being opened."""
    data = {k.name: getattr(desk, k.name) for k in fields(desk) if k.name != "variants"}
    data |= {"views": [asdict(k) for k in desk.views], "points": [asdict(k) for k in desk.points]}
    data["measures"] = [asdict(k) for k in desk.measures]
    data["variants"] = [
        {"name": k.name, "scene": k.scene.to_dict(), "shapes": k.shapes, "shown": k.shown}
        | {"values": [asdict(v) for v in k.values]}
        | ({} if k.state is None else {"state": base64.b64encode(packed_state(k.state)).decode()})
        for k in desk.variants
    ]
    text = json.dumps({"shapes": shapes, "desk": data, **(extra or {})}, ensure_ascii=False)
    write_atomically(path, text.encode())


def load_desk(path: Path) -> tuple[Desk, Shapes, dict[str, Any]]:
    """What `save_desk` wrote, checked as hostile. Raises ValueError with what is wrong."""
    whole = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(whole, dict) or not all(isinstance(whole.get(key, {}), dict) for key in ("desk", "shapes")):
        raise ValueError("is not the file of a studio")
    shapes = {str(name): _shape(shape) for name, shape in dict(whole.get("shapes", {})).items()}
    extra = {key: value for key, value in whole.items() if key not in ("shapes", "desk")}
    data = dict(whole.get("desk", {}))
    variants = [_variant(k) for k in wire.checked(list[dict[str, Any]], data.pop("variants", []), "variants")]
    hints = wire.hints(Desk)
    known = {k.name for k in fields(Desk)} - {"groups"}
    kept: dict[str, Any] = {"variants": tuple(variants)}
    for name, value in data.items():
        if name in known:
            kept[name] = wire.checked_tuple(hints[name], value, name)
        elif name == "groups":
            kept[name] = wire.checked(dict[str, list[str]], value, name)
    return Desk(**kept), shapes, extra


def _variant(data: dict[str, Any]) -> Variant:
    try:
        scene = Scene.from_dict(dict(data["scene"]))
        shapes = {str(name): _shape(shape) for name, shape in dict(data["shapes"]).items()}
        values = tuple(wire.checked(CableValues, k, "variant") for k in data["values"])
        state = unpacked_state(base64.b64decode(str(data["state"]), validate=True)) if "state" in data else None
    except (SceneError, KeyError, TypeError) as error:
        raise ValueError(f"variant {data.get('name')!r:.60}: {error}") from None
    return Variant(str(data["name"]), scene, shapes, values, bool(data.get("shown", True)), state)


def _shape(data: Any) -> tuple[list[Vec3], list[Vec4]]:
    found: tuple[list[Vec3], list[Vec4]] = wire.checked(tuple[list[Vec3], list[Vec4]], data, "shape")
    return found
