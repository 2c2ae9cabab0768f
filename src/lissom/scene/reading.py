"""Scene files in: bytes to plain data to a validated scene, or a SceneError that says where it is wrong.

A file may be hostile. It is read whole but only up to a size, nothing it names is opened, and whatever
it contains ends in a scene or in a SceneError.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from lissom.scene.errors import ABSENT, Problem, SceneError
from lissom.scene.lines import Lines
from lissom.scene.problems import scene_error

LARGEST_FILE: Final = 64 * 2**20
"""Bytes: a hundred cables of a hundred thousand points each."""

DEEPEST: Final = 24
"""Nested tables and lists; a scene needs seven."""

MOST_ENTRIES: Final = 10_000
"""Cables of a scene, or keys of one table: beyond, even naming all that is wrong would take minutes."""

_KEY = r"""(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)"""
_LONG_KEY: Final = re.compile(rf"""(?<![\w"'.-]){_KEY}(?:[ \t]*+\.[ \t]*+{_KEY}){{64}}""")
"""a.b.c… of 64 parts: no scene has it, and the time tomllib takes grows with its square."""

Syntax = Literal["toml", "json"]
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Document:
    """The text of a scene file and what it says, before validation."""

    text: str
    data: dict[str, Any]
    syntax: Syntax
    file: str | None

    @cached_property
    def lines(self) -> Lines:
        return Lines(self.text if self.syntax == "toml" else "")

    def line_of(self, where: tuple[str | int, ...]) -> int | None:
        return self.lines.line(where) if self.syntax == "toml" else None

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "lines"}


def syntax_of(path: Path) -> Syntax:
    """By the ending of the file's name."""
    suffix = path.suffix.lower()
    if suffix == ".toml":
        return "toml"
    if suffix == ".json":
        return "json"
    raise _file_error(path, 'must end in ".toml" or ".json": that says how the scene is written')


def read_file(path: Path) -> Document:
    syntax = syntax_of(path)
    try:
        if not path.is_file():
            raise _file_error(path, "is not a file" if path.exists() else "there is no such file")
        with path.open("rb") as stream:
            raw = stream.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise _file_error(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(raw) > LARGEST_FILE:
        raise _file_error(path, f"is larger than {LARGEST_FILE // 2**20} MiB: that is no scene file")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = "is not UTF-8 text: save the file in UTF-8"
        raise SceneError([Problem("", ABSENT, message, line, str(path))]) from None
    return read_toml(text, str(path)) if syntax == "toml" else read_json(text, str(path))


def read_toml(text: str, file: str | None) -> Document:
    if _LONG_KEY.search(text):
        raise _too_deep(file)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _toml_error(str(error), text, file) from None
    except RecursionError:
        raise _too_deep(file) from None
    except ValueError as error:  # an integer of thousands of digits, a date that is none
        raise SceneError([Problem("", ABSENT, f"is not valid TOML: {error}", file=file)]) from None
    return _document(text, data, "toml", file)


def read_json(text: str, file: str | None) -> Document:
    try:
        data = json.loads(text, object_pairs_hook=_distinct)
    except json.JSONDecodeError as error:
        message = f"is not valid JSON: {error.msg} (column {error.colno})"
        raise SceneError([Problem("", ABSENT, message, error.lineno, file)]) from None
    except RecursionError:
        raise _too_deep(file) from None
    except ValueError as error:
        raise SceneError([Problem("", ABSENT, f"is not valid JSON: {error}", file=file)]) from None
    if not isinstance(data, dict):
        raise SceneError([Problem("", ABSENT, "must be a JSON object { ... }", 1, file)])
    return _document(text, data, "json", file)


def validated(model: type[Model], data: Any, document: Document | None = None) -> Model:
    """The model of plain data; SceneError with paths, and with lines where there is a document."""
    file, line_of = (document.file, document.line_of) if document is not None else (None, None)
    if depth_beyond(data, DEEPEST):
        raise _too_deep(file)
    if crowded := _too_many(data):
        raise SceneError([Problem(crowded, ABSENT, f"must have at most {MOST_ENTRIES} entries", file=file)])
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise scene_error(error, data, model, file, line_of) from None


def depth_beyond(data: Any, limit: int) -> bool:
    """Is the data nested deeper than this? Level by level, since recursion is what it guards against."""
    level = [data]
    for _ in range(limit):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below += [x for x in item.values() if isinstance(x, (dict, list, tuple))]
            elif isinstance(item, (list, tuple)):
                below += [x for x in item if isinstance(x, (dict, list, tuple))]
        if not below:
            return False
        level = below
    return True


def _too_many(data: Any) -> str | None:
    """The path of a table with absurdly many entries (of a list, where pydantic would try them all)."""
    if not isinstance(data, dict):
        return None
    if len(data) > MOST_ENTRIES:
        return "the scene"
    for key, value in data.items():
        if isinstance(value, (dict, list)) and len(value) > MOST_ENTRIES:
            return str(key)[:100]
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            if isinstance(item, dict) and len(item) > MOST_ENTRIES:
                return str(key)[:100]
    return None


def _document(text: str, data: dict[str, Any], syntax: Syntax, file: str | None) -> Document:
    if depth_beyond(data, DEEPEST):
        raise _too_deep(file)
    return Document(text, data, syntax, file)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON would silently keep the last of two equal keys."""
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {json.dumps(twice)[:100]} stands twice in one object")
    return table


def _toml_error(message: str, text: str, file: str | None) -> SceneError:
    found = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    if found:
        line, words = int(found[1]), f"{message[: found.start()]} (column {found[2]})"
    else:
        line, words = text.count("\n") + 1, message
    return SceneError([Problem("", ABSENT, f"is not valid TOML: {words}", line, file)])


def _too_deep(file: str | None) -> SceneError:
    return SceneError([Problem("", ABSENT, f"is nested deeper than {DEEPEST} levels: that is no scene", file=file)])


def _file_error(path: Path, message: str) -> SceneError:
    return SceneError([Problem("", ABSENT, message, file=str(path))])
