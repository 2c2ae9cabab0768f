"""What is wrong with a description: every problem with its place, its value and its cure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_SHOWN_PROBLEMS = 20
"""A file with thousands of slips is one slip repeated: the first twenty tell it."""

_SHOWN_CHARACTERS = 60


class _Absent:
    """The value of something that is not there (``None`` would read as a value someone wrote)."""

    def __repr__(self) -> str:
        return "ABSENT"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    ``path`` addresses it as everywhere (``brake hose/clip 1.at``), ``value`` is what was found
    (:data:`ABSENT` if nothing), ``message`` says the bound and the cure. ``line`` counts from 1.
    """

    path: str
    value: Any
    message: str
    line: int | None = None
    file: str | None = None

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place += f":{self.line}" if place else f"line {self.line}"
        subject = printable(self.path)
        if subject and self.value is not ABSENT:
            subject += f" = {shown(self.value)}"
        return ": ".join(part for part in (place, subject, printable(self.message)) if part)


class SceneError(Exception):
    """A scene that cannot be used. ``problems`` holds all that was found, in file order where known."""

    problems: list[Problem]

    def __init__(self, problems: Iterable[Problem] | str) -> None:
        if isinstance(problems, str):
            problems = [Problem("", ABSENT, problems)]
        self.problems = list(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:_SHOWN_PROBLEMS]]
        hidden = len(self.problems) - len(lines)
        if hidden:
            lines.append(f"... and {hidden} more")
        return "\n".join(lines)


def shown(value: object, depth: int = 3) -> str:
    """The value as a person would have typed it, cut short, on one line."""
    if isinstance(value, (dict, list, tuple)) and depth == 0:
        text = "..."
    elif isinstance(value, str):
        text = json.dumps(value[: 2 * _SHOWN_CHARACTERS], ensure_ascii=False)
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, int) and value.bit_length() > 1024:
        text = "(an integer of hundreds of digits)"
    elif isinstance(value, dict):
        text = "{ " + ", ".join(f"{key} = {shown(item, depth - 1)}" for key, item in list(value.items())[:4]) + " }"
    elif isinstance(value, (list, tuple)):
        text = "[" + ", ".join(shown(item, depth - 1) for item in value[:8]) + (", ..." if len(value) > 8 else "") + "]"
    else:
        text = repr(value)
    text = printable(text)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."


def printable(text: str) -> str:
    """Control characters from a hostile file must not reach a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
