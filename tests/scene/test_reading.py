"""Files in: what is no scene ends in a SceneError, whatever it is."""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lissom.scene import Scene, SceneError, reading
from lissom.scene.saving import scene_text

from .conftest import FULL, WORKSHOP


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"title = \xff", "a.toml:1: is not UTF-8 text"),
        (b"format = 1\ntitle = ", "a.toml:2: is not valid TOML: Invalid value"),
        (b"format = 1\n\nlength 5\n", "a.toml:3: is not valid TOML"),
        (b"a = 1\na = 2", "a.toml:2: is not valid TOML: Cannot overwrite"),
        (b"title = " + b"9" * 5000, "is not valid TOML"),
        (b"title = " + b"[" * 100_000, "a.toml: is nested deeper"),
        (b"title = " + b"[" * 60 + b"]" * 60, "a.toml: is nested deeper"),
        (b"title = " + b"{a=" * 60 + b"1" + b"}" * 60, "a.toml: is nested deeper"),
        (b"a" + b" . 'a b'" * 100_000 + b" = 1", "a.toml: is nested deeper"),
        (b"x = { " + b"a." * 100_000 + b"b = 1 }", "a.toml: is nested deeper"),
        (b"title = 2020-13-45", "is not valid TOML"),
        (b"title = 2020-10-10", "a.toml:1: title = datetime.date(2020, 10, 10): must be a text"),
        (b"\x00", "is not valid TOML"),
        (
            b"gravity = [1, 2, " + b"9" * 400 + b"]",
            "a.toml:1: gravity[2] = (an integer of hundreds of digits): is too large",
        ),
    ],
)
def test_broken_toml(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(content)
    with pytest.raises(SceneError) as caught:
        Scene.load(tmp_path / "a.toml")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{\n"format": 1,\n}', "a.json:3: is not valid JSON"),
        (b"[1]", "must be a JSON object"),
        (b"", "a.json:1: is not valid JSON"),
        (b"[" * 100_000, "nested deeper"),
        (b'{"title": ' + b"[" * 60 + b"]" * 60 + b"}", "nested deeper"),
        (b'{"format": 1, "format": 1}', 'the key "format" stands twice'),
        (b'{"gravity": [0, 0, NaN]}', "gravity[2] = nan: must be finite"),
        (b'{"title": "\\ud800"}', "must be valid Unicode"),
        (b'{"a\\ud800": 1}', "must be valid Unicode"),
        (b'{"types": {"\\ud800": {}}}', "must be valid Unicode"),
        (b'{"format": ' + b"9" * 5000 + b"}", "is not valid JSON"),
    ],
)
def test_broken_json(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(SceneError) as caught:
        Scene.load(tmp_path / "a.json")
    assert words in str(caught.value)
    str(caught.value).encode("utf-8")


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    for name, words in [
        ("none.toml", "there is no such file"),
        ("folder.toml", "is not a file"),
        ("a.txt", 'must end in ".toml" or ".json"'),
        ("a\0b.toml", ""),
        ("a" * 5000 + ".toml", ""),
    ]:
        with pytest.raises(SceneError, match=words or None):
            Scene.load(tmp_path / name)


def test_files_have_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST_FILE", 100)
    (tmp_path / "a.toml").write_text("#" * 101)
    with pytest.raises(SceneError, match="is larger than"):
        Scene.load(tmp_path / "a.toml")
    (tmp_path / "a.toml").write_text("#" * 100)
    Scene.load(tmp_path / "a.toml")


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b'\xef\xbb\xbftitle = "x"')
    assert Scene.load(tmp_path / "a.toml").title == "x"


CABLE = {
    "name": "c",
    "type": "library:rg-58",
    "length": 1,
    "points": 100_000,
    "start": {"position": [0, 0, 0]},
}


def test_numbers_of_things_are_bounded() -> None:
    crowds: list[tuple[dict[str, Any], str]] = [
        ({"cables": [CABLE] * 10_001}, "at most 10000 entries"),
        ({"types": {str(i): {} for i in range(10_001)}}, "types"),
        ({"title": "x" * 10_001}, "at most 10000 characters"),
        ({"cables": [{"rest": {"points": [[0, 0, 0]] * 100_001}}]}, "100000 entries"),
    ]
    for data, words in crowds:
        with pytest.raises(SceneError) as caught:
            Scene.from_dict(data)
        assert words in str(caught.value)
        assert len(str(caught.value)) < 5000
    with pytest.raises(SceneError, match="points together"):
        Scene.from_dict({"cables": [{**CABLE, "name": str(i)} for i in range(101)]})


def test_data_that_is_no_table() -> None:
    wrong: list[Any] = [[], 3, None, "x", {1: 2}, {"cables": {}}, {"cables": [[]]}, {"types": []}]
    for data in [*wrong, {"cables": [None]}]:
        with pytest.raises(SceneError):
            Scene.from_dict(data)


PIECES = [
    b'"',
    b"'",
    b"[",
    b"]",
    b"{",
    b"}",
    b"=",
    b".",
    b"\n",
    b"#",
    b"-",
    b"nan",
    b"inf",
    b"1e308",
    b"0",
    b"\\",
    b",",
    b"\xff",
    b"\x00",
    b"true",
    b'"""',
    b"[[",
]


def load(raw: bytes, path: Path) -> None:
    path.write_bytes(raw)
    try:
        scene = Scene.load(path)
    except SceneError as error:
        str(error).encode("utf-8")
        return
    again = scene_text(scene, "toml")
    assert Scene.from_toml(again) == scene


@pytest.mark.parametrize("suffix", [".toml", ".json"])
@pytest.mark.parametrize("text", [FULL, WORKSHOP], ids=["full", "workshop"])
def test_fuzzed_bytes_end_in_a_scene_or_a_scene_error(text: str, suffix: str, tmp_path: Path) -> None:
    chance = random.Random(20240607)
    source = (text if suffix == ".toml" else json.dumps(tomllib.loads(text), indent=1)).encode()
    for _ in range(400):
        raw = bytearray(source)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(raw))
            what = chance.randrange(4)
            if what == 0:
                raw[at] = chance.randrange(256)
            elif what == 1:
                del raw[at : at + chance.randint(1, 30)]
            elif what == 2:
                raw[at:at] = chance.choice(PIECES)
            else:
                begin = chance.randrange(len(raw))
                raw[at:at] = raw[begin : begin + chance.randint(1, 60)]
        load(bytes(raw), tmp_path / f"a{suffix}")


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**400), 10**400)
    | st.floats()
    | st.text(max_size=10)
    | st.sampled_from(
        [
            "1 mm",
            "-1 N",
            "clamp",
            "ring",
            "x",
            "epdm",
            "arm",
            "hole",
            "trunk",
            "start",
            "sphere",
            "free",
            "library:rg-58",
            "brake hose",
        ]
    ),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["position", "tangent", "kind", "at", "layers", "radius", "name", "cable", "frame", "on", "zz"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


def places(data: Any, where: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [where, *(place for key, item in items for place in places(item, (*where, key)))]


def changes_of(text: str) -> Any:
    where = st.sampled_from(places(tomllib.loads(text))[1:])
    return st.tuples(st.just(text), st.lists(st.tuples(where, values, st.booleans()), min_size=1, max_size=3))


@given(changes_of(FULL) | changes_of(WORKSHOP))
@settings(max_examples=400, deadline=None)
def test_fuzzed_structures_end_in_a_scene_or_a_scene_error(
    case: tuple[str, list[tuple[tuple[Any, ...], Any, bool]]],
) -> None:
    text, changes = case
    data = tomllib.loads(text)
    for where, value, remove in changes:
        parent: Any = data
        try:
            for key in where[:-1]:
                parent = parent[key]
            if remove:
                del parent[where[-1]]
            else:
                parent[where[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue
    try:
        scene = Scene.from_dict(data)
    except SceneError as error:
        str(error)
        return
    assert Scene.from_dict(scene.to_dict()) == scene
    assert Scene.from_json(scene_text(scene, "json")) == scene
