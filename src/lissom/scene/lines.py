"""On which line of a TOML text a key stands. TOML readers do not tell.

The scanner knows the grammar's tokens but checks nothing: it is run on texts that ``tomllib`` has accepted,
and only when there is something to complain about.
"""

from __future__ import annotations

import bisect
import contextlib
import re
import tomllib
from typing import Final

Where = tuple[str | int, ...]

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_STRING: Final = re.compile(
    r'"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+"""(?:"{1,2})?'  # a closing run may hold two quotes of the text
    r"|'''.*?'''(?:'{1,2})?"
    r'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR: Final = re.compile(r"[^,\]}\n#]*")


class Lines:
    """The line of every key and of every list entry of a TOML text."""

    def __init__(self, text: str) -> None:
        self._lines: dict[Where, int] = {(): 1}
        scanner = _Scanner(text, self._lines)
        # A text that this scanner does not understand: the lines found so far still help.
        with contextlib.suppress(IndexError, RecursionError, ValueError):
            scanner.document()

    def line(self, where: Where) -> int | None:
        """Of the key itself, or of the nearest thing around it (for something that is missing)."""
        for end in range(len(where), 0, -1):
            if where[:end] in self._lines:
                return self._lines[where[:end]]
        return None


class _Scanner:
    def __init__(self, text: str, lines: dict[Where, int]) -> None:
        self.text = text
        self.at = 0
        self.lines = lines
        self.newlines = [match.start() for match in re.finditer("\n", text)]
        self.last_of: dict[Where, int] = {}  # arrays of tables: the index of their latest table

    def document(self) -> None:
        table: Where = ()
        while True:
            self.skip(_BLANK)
            if self.at >= len(self.text):
                return
            if self.text.startswith("[[", self.at):
                table = self.array_of_tables()
            elif self.text[self.at] == "[":
                table = self.header("[", "]")
            else:
                self.pair(table)

    def header(self, opening: str, closing: str) -> Where:
        line = self.line()
        self.at += len(opening)
        where = self.resolved(self.key())
        self.at += len(closing)
        self.note_all(where, line)
        return where

    def array_of_tables(self) -> Where:
        line = self.line()
        self.at += 2
        keys = self.key()
        self.at += 2
        array = (*self.resolved(keys[:-1]), keys[-1])
        self.last_of[array] = self.last_of.get(array, -1) + 1
        where = (*array, self.last_of[array])
        self.note_all(where, line)
        return where

    def resolved(self, keys: list[str]) -> Where:
        """A header's keys mean the latest table of each array they pass through."""
        where: Where = ()
        for key in keys:
            where = (*where, key)
            if where in self.last_of:
                where = (*where, self.last_of[where])
        return where

    def pair(self, table: Where) -> None:
        """``key = value``; a dotted key notes the tables it passes through as well."""
        line = self.line()
        where = table
        for key in self.key():
            where = (*where, key)
            self.note(where, line)
        self.at += 1  # the equals sign
        self.skip(_SPACE)
        self.value(where)

    def key(self) -> list[str]:
        """A dotted key, leaving the scanner behind it and the spaces after it."""
        keys: list[str] = []
        while True:
            self.skip(_SPACE)
            if self.text[self.at] in "\"'":
                quoted = self.take(_STRING)
                keys.append(next(iter(tomllib.loads(f"{quoted} = 0"))))
            else:
                keys.append(self.take(_BARE_KEY))
            self.skip(_SPACE)
            if self.text[self.at] != ".":
                return keys
            self.at += 1

    def value(self, where: Where) -> None:
        first = self.text[self.at]
        if first in "\"'":
            self.take(_STRING)
        elif first == "[":
            self.entries(where)
        elif first == "{":
            self.pairs(where)
        else:
            self.skip(_SCALAR)

    def entries(self, where: Where) -> None:
        self.at += 1
        index = 0
        while True:
            self.skip(_BLANK)
            if self.text[self.at] == "]":
                break
            if self.text[self.at] == ",":
                self.at += 1
                continue
            self.note((*where, index), self.line())
            self.value((*where, index))
            index += 1
        self.at += 1

    def pairs(self, where: Where) -> None:
        self.at += 1
        while True:
            self.skip(_BLANK)
            if self.text[self.at] == "}":
                break
            if self.text[self.at] == ",":
                self.at += 1
                continue
            self.pair(where)
        self.at += 1

    def note_all(self, where: Where, line: int) -> None:
        """Also the tables that a header opens on its way."""
        for end in range(1, len(where) + 1):
            self.note(where[:end], line)

    def note(self, where: Where, line: int) -> None:
        self.lines.setdefault(where, line)

    def line(self) -> int:
        return bisect.bisect_left(self.newlines, self.at) + 1

    def skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        assert match is not None  # these patterns match the empty text
        self.at = match.end()

    def take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None or match.end() == self.at:
            raise ValueError(f"not TOML at character {self.at}")
        self.at = match.end()
        return match[0]
