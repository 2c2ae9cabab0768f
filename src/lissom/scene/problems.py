"""From pydantic's errors to problems that a person can act on: paths, words, lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from lissom.scene.described import SLIPS
from lissom.scene.errors import ABSENT, Problem, SceneError
from lissom.scene.fields import suggestion

Where = tuple[str | int, ...]
LineOf = Callable[[Where], "int | None"]

THINGS: Final = {
    "cables": "cable",
    "parts": "part",
    "junctions": "junction",
    "joints": "joint",
    "motions": "motion",
    "ropes": "rope",
}
"""What paths begin with, by name."""

NUMBERED: Final = {
    "clips": "clip",
    "loads": "load",
    "stretches": "stretch",
    "members": "member",
    "keyframes": "keyframe",
    "tracks": "track",
    "path": "link",
    "waypoints": "waypoint",
}

_TAGS: Final = {
    "section": ("round", "layered", "rectangle"),
    "shape": ("plane", "sphere", "cylinder", "capsule", "box", "profile"),
}


def scene_error(
    error: ValidationError, data: Any, root: type[Any], file: str | None = None, line_of: LineOf | None = None
) -> SceneError:
    """All problems in one error. ``root`` is the class that was validated, ``data`` what it was given."""
    base: Where = ()
    if (group := root.__name__.lower() + "s") in THINGS:  # built in code: its paths begin with its name all the same
        base, data = (group, 0), {group: [data]}
    problems: list[Problem] = []
    for found in error.errors(include_url=False):
        where = (*base, *_without_tags(found["loc"]))
        for below, value, message in _slips(dict(found), root):
            place = (*where, *below)
            line = line_of(place) if line_of is not None else None
            problems.append(Problem(path_of(place, data), value, message, line, file))
    problems.sort(key=lambda problem: problem.line or 0)
    return SceneError(problems or [Problem("", ABSENT, "is not a scene", file=file)])


def _without_tags(loc: Where) -> Where:
    """Pydantic names the chosen kind of section or shape, and marks keys of a table: neither is in the file."""
    kept: list[str | int] = []
    for i, key in enumerate(loc):
        if key == "[key]" or (i > 0 and key in _TAGS.get(str(loc[i - 1]), ())):
            continue
        kept.append(key)
    return tuple(kept)


def _slips(found: dict[str, Any], root: type[Any]) -> list[tuple[Where, Any, str]]:
    kind, value, context = found["type"], found["input"], found.get("ctx") or {}
    if kind == SLIPS:
        return list(context[SLIPS])
    if kind == "default_factory_not_called":  # a field that follows from another one, which is reported
        return []
    if kind == "missing":
        return [((), ABSENT, f"is missing: {_description(found['loc'], root)}")]
    if kind == "extra_forbidden":
        return [((), value, _unknown_key(found["loc"], root))]
    if kind == "union_tag_invalid":
        return [(("kind",), context["tag"], _not_a_choice(context["tag"], str(context["expected_tags"])))]
    if kind == "union_tag_not_found":
        known = ", ".join(f'"{tag}"' for tag in _TAGS["shape"])
        return [(("kind",), ABSENT, f"is missing: say which shape it is, one of {known}")]
    if kind == "literal_error":
        return [((), value, _not_a_choice(value, str(context["expected"])))]
    return [((), value, _plain_words(kind, context, str(found["msg"])))]


def _plain_words(kind: str, context: Mapping[str, Any], message: str) -> str:
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return "must be a table, such as { key = value }"
    if kind == "tuple_type":
        return "must be a list, such as [ ... ]"
    if kind == "bool_type":
        return "must be true or false"
    if kind == "too_long":
        return f"must have at most {context['max_length']} entries, not {context['actual_length']}"
    if kind == "too_short":
        return f"must have at least {context['min_length']} entries"
    if kind == "string_unicode":
        return "must be valid Unicode"
    if kind == "invalid_key":
        return "must have texts as keys"
    return message


def _not_a_choice(value: object, expected: str) -> str:
    choices = re.findall(r"'([^']*)'", expected)
    if not choices:
        return f"must be {expected}"
    listed = ", ".join(f'"{choice}"' for choice in choices)
    return f"must be one of {listed}" + (suggestion(value, choices) if isinstance(value, str) else "")


def _unknown_key(loc: Where, root: type[Any]) -> str:
    from lissom.scene.keys import keys_at

    key = str(loc[-1])
    known = keys_at(loc[:-1], root)
    listed = "" if not known else "; known here: " + ", ".join(known)
    return f"is an unknown key{suggestion(key, known) or listed}"


def _description(loc: Where, root: type[Any]) -> str:
    from lissom.scene.keys import description

    return description(loc, root)


def path_of(where: Where, data: Any) -> str:
    """The path of a place in plain data: ("cables", 0, "clips", 1, "at") is ``brake hose/clip 2.at``."""
    if len(where) >= 2 and where[0] in THINGS and isinstance(where[1], int):
        head = _name(data, where[:2], f"{THINGS[where[0]]} {where[1] + 1}")
        below = where[2:]
        if where[0] == "parts" and len(below) >= 2 and below[0] == "frames":
            below = below[1:]  # carrier/banjo is the frame "banjo" of the carrier
        if len(below) >= 2 and below[0] in NUMBERED and isinstance(below[1], int):
            head += "/" + _name(data, where[:4], f"{NUMBERED[str(below[0])]} {below[1] + 1}")
            return head + "".join(_joined(key) for key in below[2:])
        return head + ("/" + "".join(_joined(key) for key in below).lstrip(".") if below else "")
    return "".join(_joined(key) for key in where).lstrip(".")


def _joined(key: str | int) -> str:
    return f"[{key}]" if isinstance(key, int) else f".{key}"


def _name(data: Any, where: Where, otherwise: str) -> str:
    """The name written at this place, if there is a usable one."""
    for key in where:
        try:
            data = getattr(data, str(key)) if isinstance(data, BaseModel) else data[key]
        except (KeyError, IndexError, TypeError, AttributeError):
            return otherwise
    name = data.get("name") if isinstance(data, Mapping) else getattr(data, "name", None)
    return name[:200] if isinstance(name, str) and name.strip() else otherwise
