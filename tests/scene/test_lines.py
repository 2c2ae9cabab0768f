"""Lines of keys in TOML texts of every layout."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from lissom.scene.lines import Lines

TEXT = '''# a comment with [brackets] and = signs
title = "a # b = [c]"        # 2
"odd key" = 'it''
s = """
x = 5
[not.a.table]
\\""" still inside """"      # 7
raw = \'\'\'
y = 1 \'\'\'
a.b."c.d" = 1                # 10

[types.one]                  # 12
section = { diameter = 1, inner = { x = [1, { z = 2 }] } }   # 13
layers = [                   # 14
  { to = 1 },                # a comment, with ] and }
  # another
  { to = 2,
    more = 3 }, [ 4,
    5 ],
]
[[cables]]                   # 21
name = "first"
[[cables.clips]]             # 23
at = 1
[[cables.clips]]             # 25
at = 2979-05-27T07:32:00Z
[cables.rest]                # 27
points = [[1, 2, 3],
          [4, 5, 6]]
[[cables]]                   # 30
[[cables.clips]]             # 31
"at" = +1_000.5e3
[ types . "two" ]            # 33
x = true
'''.replace("'it''", "'it'").replace("{ to = 2,\n    more = 3 }", "{ to = 2, more = 3 }")


@pytest.mark.parametrize(
    ("where", "line"),
    [
        (("title",), 2),
        (("odd key",), 3),
        (("s",), 4),
        (("raw",), 8),
        (("a", "b", "c.d"), 10),
        (("a", "b"), 10),
        (("types", "one"), 12),
        (("types", "one", "section"), 13),
        (("types", "one", "section", "inner", "x", 1, "z"), 13),
        (("types", "one", "layers"), 14),
        (("types", "one", "layers", 0, "to"), 15),
        (("types", "one", "layers", 1, "more"), 17),
        (("types", "one", "layers", 2, 1), 18),
        (("cables", 0), 20),
        (("cables", 0, "clips", 0, "at"), 23),
        (("cables", 0, "clips", 1), 24),
        (("cables", 0, "clips", 1, "at"), 25),
        (("cables", 0, "rest", "points", 1), 28),
        (("cables", 0, "rest", "points", 1, 2), 28),
        (("cables", 1), 29),
        (("cables", 1, "clips", 0, "at"), 31),
        (("types", "two", "x"), 33),
        (("cables", 1, "length"), 29),  # missing: the line of what it is missing from
        (("nothing", "here"), None),
    ],
)
def test_lines(where: tuple[str | int, ...], line: int | None) -> None:
    tomllib.loads(TEXT)
    assert Lines(TEXT).line(where) == line


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_value_of_a_scene_has_a_line(full: str, newline: str) -> None:
    text = full.replace("\n", newline)
    lines = Lines(text)
    written = text.split("\n")
    count = 0

    def visit(value: Any, where: tuple[str | int, ...]) -> None:
        nonlocal count
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            line = lines._lines.get((*where, key))
            assert line is not None, (*where, key)
            if isinstance(key, str):
                assert key in written[line - 1]
            count += 1
            if isinstance(item, (dict, list)):
                visit(item, (*where, key))

    visit(tomllib.loads(text), ())
    assert count > 100


def test_texts_that_are_not_toml_end_quietly() -> None:
    for text in ("a = [", "[[", "a", "= 1", 'a = "', "{}", "a = {b", "[" * 5000):
        Lines(text).line(("a",))
