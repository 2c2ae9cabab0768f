"""Paths and assignments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lissom.scene import Scene, SceneError, parse_assignment


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("brake hose/length=450 mm", "brake hose/length", "450 mm"),
        (" a/length = 0.45 ", "a/length", 0.45),
        ("a/end.position=[0.1, 0, '2 mm']", "a/end.position", [0.1, 0, "2 mm"]),
        ('a/name="b=c"', "a/name", "b=c"),
        ("types.x.extensible=true", "types.x.extensible", True),
        ("a/end={ position = [0, 0, 1] }", "a/end", {"position": [0, 0, 1]}),
        ("title=2020-01-01", "title", "2020-01-01"),
        ("title=1\nx = 2", "title", "1\nx = 2"),
        ("a/b=[1,", "a/b", "[1,"),
    ],
)
def test_assignments(text: str, path: str, value: Any) -> None:
    assert parse_assignment(text) == (path, value)


@pytest.mark.parametrize("text", ["", "=", "a/length", "=3", "a="])
def test_what_is_no_assignment(text: str) -> None:
    with pytest.raises(SceneError, match="must be a path, an equals sign and a value"):
        parse_assignment(text)


def test_values_arrive(full: str) -> None:
    scene = Scene.from_toml(full)
    assert scene.with_value("brake hose/length", "450 mm").cable("brake hose").length == 0.45
    assert scene.cable("brake hose").length == 0.42  # the old one is as it was
    moved = scene.with_value("brake hose/end.position", np.array([0.1, 0.2, 0.3])).cable("brake hose")
    assert moved.end is not None
    assert moved.end.position == (0.1, 0.2, 0.3)
    assert scene.with_value("brake hose/end.position.2", np.float32(0.5)).cables[0].end.position[2] == 0.5  # type: ignore[union-attr, index]
    assert scene.with_value("gravity", [0, 0, 0]).gravity == (0.0, 0.0, 0.0)
    thicker = scene.with_value("types.epdm.section.diameter", 0.012)
    assert thicker.type_of("brake hose").section.outer == 0.006  # type: ignore[union-attr]
    assert scene.with_value("types.flat 2.5.section.width", 0.03).types["flat 2.5"].section.width == 0.03  # type: ignore[union-attr]


def test_one_way_of_saying_replaces_the_other(full: str) -> None:
    scene = Scene.from_toml(full)
    clip = scene.with_value("brake hose/clip 1.from_start", "100 mm").cable("brake hose").clip("clip 1")
    assert (clip.at, clip.from_start) == (None, 0.1)
    end = scene.with_value("brake hose/end.tangent", [0, 1, 0]).cable("brake hose").end
    assert end is not None
    assert (end.quaternion, end.tangent, end.kind) == (None, (0.0, 1.0, 0.0), "clamp")
    section = scene.with_value("types.epdm.section.radius", "6 mm").types["epdm"].section
    assert section is not None
    assert (section.diameter, section.radius, section.inner) == (None, 0.006, 0.0016)  # type: ignore[union-attr]


def test_none_takes_out(full: str) -> None:
    scene = Scene.from_toml(full)
    assert scene.with_value("brake hose/guide", None).cable("brake hose").clips[0].name == "clip 1"
    assert scene.with_value("brake hose/end", None).cable("brake hose").end is None
    assert len(scene.with_value("brake hose/load 1", None).cable("brake hose").loads) == 1


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("brake hose/lenght", '"brake hose/length"'),
        ("break hose/length", '"brake hose/length"'),
        ("brake hose/clip 3.at", '"brake hose/clip 1.at"'),
        ("brake hose/end.positon", '"brake hose/end.position"'),
        ("gravty", '"gravity"'),
        ("types.epdn.section.diameter", '"types.epdm.section.diameter"'),
        ("brake hose/end.position.7", "did you mean"),
        ("brake hose/end.position.x", "did you mean"),
        ("brake hose", "did you mean"),
        ("cables", "paths look like"),
        ("", "paths look like"),
        ("/", "paths look like"),
        ("types", "is not in this scene"),
        ("format.x", "is not in this scene"),
        ("brake hose/", "did you mean"),
        ("brake hose/length.x", "did you mean"),
        ("brake hose/clip 1..at", "did you mean"),
    ],
)
def test_unknown_paths_suggest_near_ones(full: str, path: str, hint: str) -> None:
    with pytest.raises(SceneError) as caught:
        Scene.from_toml(full).with_value(path, 1)
    assert caught.value.problems[0].path == path
    assert hint in str(caught.value)


def test_bad_values_say_so(full: str) -> None:
    scene = Scene.from_toml(full)
    with pytest.raises(SceneError, match='brake hose/length = "450 kg": is a mass'):
        scene.with_value("brake hose/length", "450 kg")
    with pytest.raises(SceneError, match=r"brake hose/clip 1.at = 1.4: must lie between 0 and 1"):
        scene.with_value("brake hose/clip 1.at", 1.4)


def test_names_with_dots() -> None:
    text = '[[cables]]\nname = "v1.2"\ntype = "library:rg-58"\nlength = 1\nstart = { position = [0, 0, 0] }\n'
    text += '[[cables.clips]]\nname = "a"\nat = 0.2\nposition = [0, 0, 0]\n'
    text += '[[cables.clips]]\nname = "a.b"\nat = 0.4\nposition = [0, 0, 0]\n'
    scene = Scene.from_toml(text)
    assert scene.with_value("v1.2/a.b.at", 0.6).cables[0].clip("a.b").at == 0.6
    assert scene.with_value("v1.2/a.at", 0.6).cables[0].clip("a").at == 0.6
