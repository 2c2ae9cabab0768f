"""Addressing one thing in a scene: ``brake hose/clip 1.at``, ``carrier/position``, ``types.epdm.section.diameter``."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from lissom.scene.errors import ABSENT, Problem, SceneError
from lissom.scene.keys import keys_at
from lissom.scene.problems import NUMBERED, THINGS, path_of

if TYPE_CHECKING:
    from lissom.scene.scene import Scene

Where = tuple[str | int, ...]

INSTEAD: Final[dict[str, tuple[str, ...]]] = {
    "at": ("from_start", "from_end"),
    "from_start": ("at", "from_end"),
    "from_end": ("at", "from_start"),
    "diameter": ("radius",),
    "inner_diameter": ("inner_radius",),
    "inner_radius": ("inner_diameter",),
    "to_radius": ("to_diameter",),
    "to_diameter": ("to_radius",),
    "tangent": ("quaternion",),
    "quaternion": ("tangent", "roll"),
    "frame": ("position", "tangent", "roll", "quaternion"),
    "mesh": ("shape",),
    "shape": ("mesh", "units"),
    "poisson": ("shear_modulus",),
    "shear_modulus": ("poisson",),
}
"""Two ways to say one thing: setting one takes the other out."""


def parse_assignment(text: str) -> tuple[str, Any]:
    """``"brake hose/length=450 mm"`` is ``("brake hose/length", "450 mm")``.

    The value may be a TOML value (``[0.1, 0, 0.2]``, ``true``, ``{ position = [0, 0, 0] }``) or a text.
    """
    path, sign, value = text.partition("=")
    if not sign or not path.strip() or not value.strip():
        message = 'must be a path, an equals sign and a value, such as "brake hose/length=450 mm"'
        raise SceneError([Problem("", ABSENT, f"{text!r:.80} {message}")])
    return path.strip(), _value(value.strip())


def _value(text: str) -> Any:
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    value = parsed["value"]
    known = isinstance(value, (bool, int, float, str, list, dict))
    return value if known and len(parsed) == 1 else text  # not a date, and nothing smuggled in on a second line


def edited(scene: Scene, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The plain data of the scene with values set, or taken out where they are None."""
    data = scene.to_dict()
    for path, value in changes.items():
        _put(data, path, value)
    return data


def _put(data: dict[str, Any], path: str, value: Any) -> None:
    where = locate(data, path)
    parent: Any = data
    for key, below in pairwise(where):
        if isinstance(parent, list):
            parent = parent[int(key)]
        else:
            if parent.get(key) is None:
                parent[key] = [] if isinstance(below, int) else {}
            parent = parent[key]
    last = where[-1]
    if value is None:
        if isinstance(parent, list):
            del parent[int(last)]
        else:
            parent.pop(last, None)
        return
    if isinstance(parent, dict):
        for other in INSTEAD.get(str(last), ()):
            parent.pop(other, None)
        if last == "radius" and "diameter" in parent:  # of a section; a type's radius has no other name
            del parent["diameter"]
    parent[last] = value


def locate(data: dict[str, Any], path: str) -> Where:
    """Keys and indices of what the path addresses. It may be a field that is not said yet."""
    base, rest = _object(data, path)
    where = base
    here: Any = data
    for step in base:
        here = here[step]
    for word in rest.split(".") if rest else ():
        key = _step(here, where, word)
        if key is None:
            raise _unknown(data, path)
        where = (*where, key)
        here = here.get(key) if isinstance(here, dict) else here[int(key)] if isinstance(here, list) else None
    if not where or where == ("types",) or (len(where) <= 2 and where[0] in THINGS):
        raise _unknown(data, path)
    return where


def _object(data: dict[str, Any], path: str) -> tuple[Where, str]:
    """The named thing a path begins with, and the dotted rest. Names may hold dots themselves."""
    head, slash, rest = path.partition("/")
    if not slash:
        names = _longest(path.removeprefix("types."), data.get("types", {})) if path.startswith("types.") else None
        if names is not None:
            return ("types", names[0]), names[1]
        if path.partition(".")[0] in keys_at(()):
            return (), path
        dotted = _longest(path, {item["name"]: None for group in THINGS for item in data.get(group, ())})
        if dotted is None or not dotted[1]:
            return (), path
        head, rest = dotted  # carrier.position is carrier/position
    for kind in THINGS:
        for i, item in enumerate(data.get(kind, ())):
            if item["name"] == head:
                base: Where = (kind, i)
                inside = {name: (*base, *below) for name, below in _inside(item)}
                found = _longest(rest, inside)
                return (base, rest) if found is None else (inside[found[0]], found[1])
    raise _unknown(data, path)


def _inside(item: dict[str, Any]) -> Iterator[tuple[str, Where]]:
    """The things in a cable, part or junction that have names of their own, or are counted from 1."""
    for group, word in NUMBERED.items():
        for j, below in enumerate(item.get(group, ())):
            yield below.get("name", f"{word} {j + 1}"), (group, j)
    for name in item.get("frames", ()):
        yield name, ("frames", name)


def _longest(path: str, names: Any) -> tuple[str, str] | None:
    """The longest of the names that the path begins with, and what follows it after a dot."""
    fitting = [name for name in names if path == name or path.startswith(name + ".")]
    if not fitting:
        return None
    name = max(fitting, key=len)
    return name, path[len(name) + 1 :]


def _step(here: Any, where: Where, word: str) -> str | int | None:
    """The key or index that a word of the path means here, or None."""
    if isinstance(here, list):
        index = int(word) if word.isascii() and word.isdigit() and len(word) < 8 else len(here)
        return index if index < len(here) else None
    if len(where) == 3 and where[0] == "parts" and where[2] == "frames":
        return word or None  # a new frame may have any name
    return word if word in keys_at(where) else None


def _unknown(data: dict[str, Any], path: str) -> SceneError:
    known = list(dict.fromkeys(_paths(data)))
    near = difflib.get_close_matches(path[:200], known, n=2, cutoff=0.6)
    if near:
        hint = "; did you mean " + " or ".join(f'"{name}"' for name in near) + "?"
    else:
        hint = "; paths look like " + " or ".join(f'"{name}"' for name in known[-2:] or ["gravity"])
    return SceneError([Problem(path, ABSENT, f"is not in this scene{hint}")])


_MOST_PATHS: Final = 2000


def _paths(data: dict[str, Any]) -> Iterator[str]:
    """Paths that exist or could: for suggestions."""
    yield from ("gravity", "title")
    tables: list[Where] = [("cables", i) for i in range(len(data.get("cables", ())))]
    for where in tables[:_MOST_PATHS]:
        cable = data["cables"][where[1]]
        inside = [(*where, group, j) for group in ("clips", "loads") for j in range(len(cable.get(group, ())))]
        for table in [where, (*where, "start"), (*where, "end"), *inside]:
            yield from (path_of((*table, key), data) for key in keys_at(table))
    for i, part in enumerate(data.get("parts", ())[:_MOST_PATHS]):
        for table in [("parts", i), *(("parts", i, "frames", name) for name in part.get("frames", ()))]:
            yield from (path_of((*table, key), data) for key in keys_at(table))
    for i, junction in enumerate(data.get("junctions", ())[:_MOST_PATHS]):
        members = [("junctions", i, "members", j) for j in range(len(junction.get("members", ())))]
        for table in [("junctions", i), *members]:
            yield from (path_of((*table, key), data) for key in keys_at(table))
    for name, made in list(data.get("types", {}).items())[:_MOST_PATHS]:
        for group, value in made.items():
            yield f"types.{name}.{group}"
            yield from (f"types.{name}.{group}.{key}" for key in (value if isinstance(value, dict) else ()))
