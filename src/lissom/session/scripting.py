"""A session as a Python script: every step as the calls that do the same.

The lines are kept with the moments of undo, so what was undone is in no script. Numbers are written in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lissom.scene import Scene, SceneError
from lissom.scene.saving import path_from, scene_text, with_files_from
from lissom.session.desk import variant_scenes
from lissom.session.messages.commands import (
    AddCable,
    AddClip,
    AddPart,
    AddShape,
    AddType,
    Command,
    Duplicate,
    Edit,
    Feed,
    Freeze,
    Join,
    Lengthen,
    Move,
    Remove,
    Rename,
    Soften,
    Solve,
    SpaceClips,
    TakeVariant,
    Turn,
)
from lissom.session.messages.values import Json, Vec3, Vec4

if TYPE_CHECKING:
    from lissom.session.history import Moment

SOLVE: Final = "sim.solve()"


@dataclass(frozen=True, slots=True)
class Base:
    """What a script begins with: a scene, and the file that said it."""

    scene: Scene
    file: Path | None = None

    def lines(self, folder: Path) -> Iterator[str]:
        """Opens the file where it still says the same, else writes the scene out. To be run in the folder."""
        if self.file is not None and _says(self.file, self.scene):
            yield f"sim = lissom.Simulation.open({path_from(str(self.file), str(folder))!r})"
        else:
            text = scene_text(with_files_from(self.scene, folder), "toml")
            yield f"sim = lissom.Simulation(lissom.Scene.from_toml({quoted(text)}))"


def script(base: Base, lines: Iterable[str], folder: Path) -> str:
    """The whole text."""
    body = [*base.lines(folder), SOLVE, *lines, "print(sim.solve())"]
    imports = ["from pathlib import Path", ""] if any("Path(" in k for k in body) else []
    return "\n".join([*imports, "import lissom", "", *body]) + "\n"


def lines(command: Command, value: Json, before: Moment, after: Scene, folder: Path) -> Iterator[str]:
    """The calls that do what the command did, in the folder; `value` is what it was answered with."""
    yield from _calls(command, value, before, after, folder)
    if isinstance(command, _SOLVED):
        yield SOLVE


def _calls(command: Command, value: Json, before: Moment, after: Scene, folder: Path) -> Iterator[str]:
    if isinstance(command, Move):
        yield f"sim.move({command.path!r}, {given(command, ('position', 'quaternion', 'tangent', 'roll'))})"
    elif isinstance(command, Turn):
        yield f"sim.turn({command.path!r}, {command.by!r})"
    elif isinstance(command, Edit):
        yield f"sim.replace_scene(sim.scene.with_values({command.values!r}))"
    elif isinstance(command, AddClip):
        yield f"sim.add_clip({command.cable!r}, at={command.at!r}, kind={command.clip!r})"
    elif isinstance(command, SpaceClips):
        yield f"sim.space_clips({command.cable!r}, {command.count}, kind={command.clip!r})"
    elif isinstance(command, AddCable):
        yield f"sim.add_cable({_fields_of(after, 'cables', value, () if command.length else ('length',))})"
    elif isinstance(command, AddType):
        yield f"sim.add_type({command.name!r}, {given(command, ('like', 'cable'))})"
    elif isinstance(command, AddPart):
        file = Path(after.folder / (after.part(value).mesh or ""))
        mesh = f"str(Path({path_from(str(file.resolve()), str(folder))!r}).resolve())"
        yield f"sim.add_part({_fields_of(after, 'parts', value, ('mesh',))}, mesh={mesh})"
    elif isinstance(command, AddShape):
        yield f"sim.add_part({_fields_of(after, 'parts', value)})"
    elif isinstance(command, Join):
        yield f"sim.join({command.ends!r}, name={value!r}, motion={command.motion!r})"
    elif isinstance(command, Duplicate):
        yield f"sim.duplicate({command.path!r}, {_offset(command, value, after)}name={value!r})"
    elif isinstance(command, Rename):
        yield f"sim.rename({command.path!r}, {command.name!r})"
    elif isinstance(command, Remove):
        yield from (f"sim.remove({path!r})" for path in command.paths)
    elif isinstance(command, Lengthen):
        yield f"sim.lengthen({command.cable!r}, {given(command, ('by', 'to', 'between'))})"
    elif isinstance(command, Soften):
        yield f"sim.soften({command.cable!r}, bent={command.bent!r})"
    elif isinstance(command, Feed):
        yield f"sim.feed({command.cable!r}, between={command.between!r})"
    elif isinstance(command, Freeze):
        yield f"sim.mode({command.cable!r}).freeze()"
    elif isinstance(command, Solve):
        yield f"sim.solve(cold={command.cold!r})"
    elif isinstance(command, TakeVariant):
        kept = next(k for k in before.desk.variants if k.name == command.name)
        for scene, cold in variant_scenes(kept, before.state.scene):
            text = scene_text(with_files_from(scene, folder), "toml")
            yield f"sim.replace_scene(lissom.Scene.from_toml({quoted(text)}))"
            yield f"sim.solve(cold={cold})"


_SOLVED: Final = (
    Move,
    Edit,
    AddClip,
    SpaceClips,
    AddType,
    AddPart,
    AddShape,
    Join,
    Duplicate,
    Remove,
    Lengthen,
    Soften,
    Feed,
)


def move_line(path: str, position: Vec3, quaternion: Vec4 | None) -> str:
    """One step along the way of a drag: another way may end in another shape. `path` as it is written."""
    turn = "" if quaternion is None else f", quaternion={quaternion!r}"
    return f"sim.move({path}, position={position!r}{turn})"


def given(command: Any, names: Sequence[str]) -> str:
    said = {name: getattr(command, name) for name in names}
    return ", ".join(f"{name}={value!r}" for name, value in said.items() if value is not None)


def _offset(command: Duplicate, name: str, after: Scene) -> str:
    """Where it was left to the session, that is how far the copy of a part is from its original."""
    offset = command.offset
    if offset is None and any(k.name == name for k in after.parts):
        (x, y, z), (a, b, c) = after.part(name).position, after.part(command.path).position
        offset = (x - a, y - b, z - c)
    return "" if offset is None else f"offset={offset!r}, "


def _fields_of(scene: Scene, key: str, name: str, without: Sequence[str] = ()) -> str:
    thing = next(k for k in scene.to_dict()[key] if k["name"] == name)
    fields = [f"{k}={v!r}" for k, v in thing.items() if k not in ("name", *without)]
    return ", ".join([repr(name), *fields])


def quoted(text: str) -> str:
    """A text of many lines, readable where that can be."""
    return f"'''{text}'''" if "'''" not in text and "\\" not in text and not text.endswith("'") else repr(text)


def _says(file: Path, scene: Scene) -> bool:
    try:
        return Scene.load(file) == scene
    except SceneError:
        return False
