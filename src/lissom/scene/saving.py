"""Scene files out: what was not changed stays as it was written.

A scene that came from a file remembers the text. What that text said and what the scene says now are
compared, and only the differences are written into the text (with tomlkit, which keeps comments, order
and spelling). The result is read back before anything is written: if it does not give an equal scene, the
text is written afresh, so that comments may be lost but never values.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lissom.scene.errors import SceneError
from lissom.scene.files import unwritable, write_atomically
from lissom.scene.reading import Document, Syntax, read_json, read_toml, syntax_of, validated
from lissom.scene.writing import cable_text, joint_text, junction_text, motion_text, part_text, toml_text, value_text

if TYPE_CHECKING:
    from lissom.scene.scene import Scene

Convert = Callable[[Any], Any]
"""Makes a plain value into an item of the document."""

_BLOCK_TEXTS: Final = {
    "cables": cable_text,
    "parts": part_text,
    "junctions": junction_text,
    "joints": joint_text,
    "motions": motion_text,
}


def save(scene: Scene, path: Path) -> None:
    """Write the scene to the file, whole or not at all."""
    text = scene_text(with_files_from(scene, path.parent), syntax_of(path))
    try:
        write_atomically(path, text.encode("utf-8"))
    except OSError as error:
        raise unwritable(path, error) from None


def with_files_from(scene: Scene, folder: Path) -> Scene:
    """The scene for a file in another folder: relative paths of meshes and recordings lead to the same files.

    A scene that never was in a file means the working directory if the file is there, else the folder it is saved to.
    """
    here, there = os.path.realpath(scene.folder), os.path.realpath(folder)
    if here == there:
        return scene
    from_file = scene._document is not None and scene._document.file is not None

    def moved(file: str) -> str:
        path = os.path.join(here, file)
        return path_from(path, there) if not os.path.isabs(file) and (from_file or os.path.exists(path)) else file

    parts = tuple(k if k.mesh is None else k.model_copy(update={"mesh": moved(k.mesh)}) for k in scene.parts)
    motions = tuple(
        k.model_copy(update={"tracks": tuple(t.model_copy(update={"file": moved(t.file)}) for t in k.tracks)})
        if k.tracks
        else k
        for k in scene.motions
    )
    return (
        scene
        if (parts, motions) == (scene.parts, scene.motions)
        else scene.model_copy(update={"parts": parts, "motions": motions})
    )


def path_from(file: str, folder: str) -> str:
    """Relative, with forward slashes, so that both can be moved together; absolute where there is no such way."""
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # on another drive
        return Path(file).as_posix()


def scene_text(scene: Scene, syntax: Syntax) -> str:
    """The text of the scene file, as near to the text it came from as possible."""
    document = scene._document
    if document is not None:
        text = _changed_text(scene, document, syntax)
        if text is not None and _reads_back(scene, text, syntax):
            return text
    data = scene.to_dict()
    return toml_text(data) if syntax == "toml" else _json_text(data)


def _changed_text(scene: Scene, document: Document, syntax: Syntax) -> str | None:
    old, new = validated(type(scene), document.data).to_dict(), scene.to_dict()
    if "format" not in document.data:
        del old["format"], new["format"]
    if syntax == document.syntax and old == new:
        return document.text
    if syntax == "toml" and document.syntax == "toml":
        import tomlkit
        from tomlkit.exceptions import TOMLKitError

        try:
            tree = tomlkit.parse(document.text)
            _merge(tree, old, new, _toml_item)
            return tomlkit.dumps(tree)
        except (TOMLKitError, KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError):
            return None  # an odd layout that tomlkit cannot edit: written afresh instead
    data = copy.deepcopy(document.data)
    _merge(data, old, new, copy.deepcopy)
    return toml_text(data) if syntax == "toml" else _json_text(data)


def _reads_back(scene: Scene, text: str, syntax: Syntax) -> bool:
    try:
        document = read_toml(text, None) if syntax == "toml" else read_json(text, None)
        return validated(type(scene), document.data) == scene
    except SceneError:
        return False


def _json_text(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _merge(table: Any, old: dict[str, Any], new: dict[str, Any], convert: Convert) -> None:
    """Make a table of the document, which says ``old``, say ``new``."""
    for key in old:
        if key not in new and key in table:
            del table[key]
    for key, value in new.items():
        if key not in old or key not in table:
            if key != "name" or key in table or old.get(key) != value:  # a clip's default name stays unsaid
                table[key] = _new_item(key, value, convert)
        elif old[key] != value:
            _merge_value(table, key, old[key], value, convert)


def _merge_value(parent: Any, key: str | int, old: Any, new: Any, convert: Convert) -> None:
    """Change one entry of a table or list, going down as far as old and new have the same shape."""
    if isinstance(old, dict) and isinstance(new, dict):
        _merge(parent[key], old, new, convert)
    elif isinstance(old, list) and isinstance(new, list) and _named(old) and _named(new):
        _merge_named(parent[key], old, new, convert)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new, strict=True)):
            if a != b:
                _merge_value(parent[key], i, a, b, convert)
    elif not new and isinstance(new, list):
        del parent[key]  # an empty array of tables cannot be written as one
    else:
        parent[key] = convert(new)


def _merge_named(items: Any, old: list[dict[str, Any]], new: list[dict[str, Any]], convert: Convert) -> None:
    """Cables, clips, parts are the same ones when their names are the same (or, renamed, their places)."""
    old_names, new_names = [o["name"] for o in old], [n["name"] for n in new]
    if len(old) != len(new):
        for i in range(len(old) - 1, -1, -1):
            if old_names[i] not in new_names:
                del items[i]
        old = [o for o in old if o["name"] in new_names]
        if [o["name"] for o in old] != new_names[: len(old)]:
            raise ValueError("reordered")  # written afresh
    for i, (a, b) in enumerate(zip(old, new, strict=False)):
        _merge(items[i], a, b, convert)
        if "name" not in items[i] and b["name"] != f"clip {i + 1}":
            items[i]["name"] = convert(b["name"])  # a clip called by its number, which has changed
    for item in new[len(old) :]:
        items.append(_new_table(items, item, convert))


def _named(items: list[Any]) -> bool:
    return bool(items) and all(isinstance(item, dict) and "name" in item for item in items)


def _toml_item(value: Any) -> Any:
    import tomlkit

    return tomlkit.parse(f"x = {value_text(value)}\n")["x"]  # a value brings the end of its line along


def _new_item(key: str, value: Any, convert: Convert) -> Any:
    """Cables, clips, parts, junctions become blocks of their own, everything else goes on one line."""
    if convert is _toml_item and key in ("clips", "stretches", *_BLOCK_TEXTS) and value:
        import tomlkit

        if key in _BLOCK_TEXTS:
            text = "\n".join(_BLOCK_TEXTS[key](item) for item in value)
            return tomlkit.parse(text)[key]
        return tomlkit.parse(cable_text({key: value}))["cables"][0][key]
    return convert(value)


def _new_table(items: Any, value: dict[str, Any], convert: Convert) -> Any:
    from tomlkit.items import AoT

    if isinstance(items, AoT):
        import tomlkit

        table = tomlkit.table()
        for key, item in value.items():
            table[key] = _new_item(key, item, convert)
        return table
    return convert(value)
