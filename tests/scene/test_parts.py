"""Parts, their shapes and frames: every rule with its path, line and words; paths; files."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from lissom.scene import BoxShape, Cable, End, Frame, Part, Scene, SceneError
from lissom.scene.part import PART_KEYS
from lissom.scene.saving import scene_text

BASE = """\
[[cables]]
name = "h"
type = "library:rg-58"
length = 1
start = { on = "carrier", frame = "banjo" }
end = { on = "carrier", position = [0, 0, 0], tangent = [1, 0, 0] }
ignore = ["floor"]
[[cables.clips]]
name = "c"
at = 0.5
on = "arm"
frame = "spot"
[[parts]]
name = "carrier"
mesh = "carrier.stl"
units = "mm"
position = [0, 0, 0]
quaternion = [1, 0, 0, 0]
motion = "held"
friction = 0.1
frames.banjo = { position = [0.02, 0, 0.1], tangent = [0, 0, 1] }
[[parts]]
name = "arm"
shape = { kind = "cylinder", radius = "20 mm", length = 0.2 }
parent = "carrier"
frames.spot = { position = [0, 0, 0] }
[[parts]]
name = "floor"
shape = { kind = "box", size = [1, 1, 0.1] }
collide = true
[[parts]]
name = "rail"
shape = { kind = "profile", points = [[0, 0], [1, 0], [0, 1]], length = 2 }
[[parts]]
name = "bob"
mass = 1
motion = "free"
"""

ON = 'on = "carrier", frame = "banjo"'

# (what is written, what is written instead, line, path, words of the message)
RULES: list[tuple[str, str, int, str, str]] = [
    (
        ON,
        'on = "carier", frame = "banjo"',
        5,
        'h/start.on = "carier"',
        'is no part of this scene; did you mean "carrier"?',
    ),
    (ON, 'on = "x", frame = "banjo"', 5, 'h/start.on = "x"', 'it has "carrier", "arm", "floor", "rail", "bob"'),
    (
        ON,
        'on = "carrier", frame = "bango"',
        5,
        'h/start.frame = "bango"',
        'no frame of the part "carrier"; did you mean "banjo"?',
    ),
    (ON, 'on = "floor", frame = "banjo"', 5, 'h/start.frame = "banjo"', 'no frame of the part "floor"; it has none'),
    (ON, 'frame = "banjo"', 5, 'h/start.frame = "banjo"', 'needs on = "NAME"'),
    (
        ON,
        'on = "carrier"',
        5,
        "h/start.position",
        'is missing: give position = [x, y, z] in the axes of "carrier", or frame',
    ),
    (ON, ON + ", position = [0, 0, 1]", 5, "h/start.position", 'must not be given together with frame = "banjo"'),
    (ON, ON + ", tangent = [0, 0, 1]", 5, "h/start.tangent", "must not be given together with frame"),
    (ON, ON + ", roll = 1", 5, "h/start.roll", "must not be given together with frame"),
    (ON, ON + ", quaternion = [1, 0, 0, 0]", 5, "h/start.quaternion", "must not be given together with frame"),
    (ON, ON + ', kind = "free"', 5, "h/start.on", "must be left out at a free end"),
    (ON, ON + ', free = ["x", "x"]', 5, "h/start.free", "every axis once"),
    (
        ON,
        'on = "arm", frame = "spot", kind = "clamp"',
        5,
        'h/start.frame = "spot"',
        "has only a position, and a clamp holds",
    ),
    (ON, 'on = "arm", frame = "spot", free = ["x", "y", "z"]', 5, "h/start.free", "must leave one axis held"),
    ("at = 0.5\n", "at = 0.5\ntwist = 1\n", 11, "h/c.twist = 1.0", "a frame with only a position does not hold twist"),
    ("at = 0.5\n", 'at = 0.5\nkind = "sleeve"\n', 13, 'h/c.frame = "spot"', 'give it a tangent, or kind = "ring"'),
    ('ignore = ["floor"]', 'ignore = ["flor"]', 7, 'h/ignore[0] = "flor"', 'did you mean "floor"?'),
    ('ignore = ["floor"]', 'ignore = ["arm", "arm"]', 7, 'h/ignore[1] = "arm"', "every part once"),
    ('ignore = ["floor"]', 'ignore = "floor"', 7, 'h/ignore = "floor"', "must be a list"),
    ('ignore = ["floor"]', "collide = 1", 7, "h/collide = 1", "must be true or false"),
    ('name = "carrier"\n', "", 13, "part 1/name", "is missing: a name, unique"),
    ('name = "arm"', 'name = "h"', 23, 'h/name = "h"', "must be unique: cable 1 has this name already"),
    (
        'name = "arm"',
        'name = "carrier"',
        23,
        'carrier/name = "carrier"',
        "must be unique: part 1 has this name already",
    ),
    ('name = "arm"', 'name = "a/b"', 23, 'a/b/name = "a/b"', "must not contain / or ="),
    (
        '"carrier.stl"',
        '"carrier.step"',
        15,
        'carrier/mesh = "carrier.step"',
        "must end in one of .stl, .obj, .ply, .glb, .gltf",
    ),
    ('"carrier.stl"', '""', 15, 'carrier/mesh = ""', 'must be the path of a file, such as "carrier.stl"'),
    ('"carrier.stl"', "3", 15, "carrier/mesh = 3", "must be a text in quotes"),
    ('units = "mm"\n', "", 13, "carrier/units", 'is missing: a .stl file does not say its unit; give units = "mm"'),
    ('units = "mm"', 'units = "mn"', 16, 'carrier/units = "mn"', 'must be one of "mm", "cm", "m", "in"'),
    ('mesh = "carrier.stl"', "", 16, 'carrier/units = "mm"', "the units of a mesh file, and there is none"),
    (
        'units = "mm"',
        'units = "mm"\nshape = { kind = "plane" }',
        17,
        "carrier/shape",
        "must not be given together with mesh",
    ),
    ("[1, 0, 0, 0]", "[1, 0, 0, 1]", 18, "carrier/quaternion", "must have norm 1"),
    ("quaternion = [1, 0, 0, 0]", "roll = 1", 18, "carrier/roll = 1.0", "needs tangent"),
    ("[1, 0, 0, 0]\n", "[1, 0, 0, 0]\ntangent = [1, 0, 0]\n", 18, "carrier/quaternion", "together with tangent"),
    ("position = [0, 0, 0]\nq", "position = [0, 2e6, 0]\nq", 17, "carrier/position[1]", "between -1e+06 and 1e+06 m"),
    ('motion = "held"', 'motion = "moved"', 19, 'carrier/motion = "moved"', 'one of "fixed", "held", "driven", "free"'),
    ("friction = 0.1", "friction = -0.1", 20, "carrier/friction = -0.1", "must lie between 0 and 10"),
    ("[0.02, 0, 0.1], ", "[0.02, 0], ", 21, "carrier/banjo.position = [0.02, 0]", "three numbers, not 2"),
    ("position = [0.02, 0, 0.1], ", "", 21, "carrier/banjo.position", "is missing: in the part's axes, m"),
    ("tangent = [0, 0, 1] }", "tangent = [0, 0, 0] }", 21, "carrier/banjo.tangent", "zero vector"),
    ("tangent = [0, 0, 1] }", "roll = 1 }", 21, "carrier/banjo.roll = 1.0", "needs tangent"),
    ("tangent = [0, 0, 1] }", "tangnt = [0, 0, 1] }", 21, "carrier/banjo.tangnt", 'did you mean "tangent"?'),
    ("frames.banjo", "frames.motion", 21, "carrier/motion", "must not be the name of a field of the part"),
    ("frames.banjo", 'frames."a/b"', 21, "carrier/a/b", "must not contain / or ="),
    ('"cylinder"', '"cilinder"', 24, 'arm/shape.kind = "cilinder"', 'did you mean "cylinder"?'),
    ('kind = "cylinder", ', "", 24, "arm/shape.kind", 'is missing: say which shape it is, one of "plane", "sphere"'),
    ('radius = "20 mm", ', "", 24, "arm/shape.radius", "is missing: give radius or diameter"),
    ('radius = "20 mm"', 'radius = 1, diameter = "20 mm"', 24, "arm/shape.diameter", "together with radius"),
    ('radius = "20 mm"', "radius = 0", 24, "arm/shape.radius = 0", "must lie between 1e-06 and 100000 m"),
    (", length = 0.2", "", 24, "arm/shape.length", "is missing: along z, m"),
    ("length = 0.2", "lenth = 0.2", 24, "arm/shape.lenth", 'unknown key; did you mean "length"?'),
    (
        '{ kind = "cylinder", radius = "20 mm", length = 0.2 }',
        '"sphere"',
        24,
        'arm/shape = "sphere"',
        "must be a table",
    ),
    ('parent = "carrier"', 'parent = "carriage"', 25, 'arm/parent = "carriage"', 'did you mean "carrier"?'),
    (
        'parent = "carrier"',
        'parent = "arm"',
        25,
        'arm/parent = "arm"',
        "must not lead back to the part itself: arm → arm",
    ),
    ("friction = 0.1", 'parent = "arm"', 20, 'carrier/parent = "arm"', "carrier → arm → carrier"),
    ("friction = 0.1", 'parent = "arm"', 25, 'arm/parent = "carrier"', "arm → carrier → arm"),
    ("size = [1, 1, 0.1]", "size = [1, 1, -0.1]", 29, "floor/shape.size[2] = -0.1", "must lie between"),
    ("size = [1, 1, 0.1]", "size = 1", 29, "floor/shape.size = 1", "list of three numbers"),
    ("collide = true", 'collide = "no"', 30, 'floor/collide = "no"', "must be true or false"),
    ("[1, 0], [0, 1]]", "[1, 0]]", 33, "rail/shape.points", "3 to 2000 entries of two numbers each, not 2"),
    ("[1, 0], [0, 1]]", "[1, 0], [0, 1, 0]]", 33, "rail/shape.points[2] = [0, 1, 0]", "list of two numbers, not 3"),
    ("[1, 0], [0, 1]]", "[1, 0], [1, 0]]", 33, "rail/shape.points[2]", "must differ from the corner before it"),
    ("[1, 0], [0, 1]]", "[1, 0], [0, 0]]", 33, "rail/shape.points", "at least 3 different corners"),
    ("[1, 0], [0, 1]]", "[1, 0], [2, 0]]", 33, "rail/shape.points", "side 1 meets side 3|enclose an area"),
    (
        "[1, 0], [0, 1]]",
        "[1, 1], [1, 0], [0, 1]]",
        33,
        "rail/shape.points[0]",
        "must not cross or touch itself: side 1 meets side 3",
    ),
    ("[1, 0], [0, 1]]", "[2, 0], [2, 1], [1, 0], [0, 1]]", 33, "rail/shape.points", "cross or touch itself"),
    ("mass = 1\n", "", 34, "bob/mass", "is missing: a free part needs its mass in kg"),
    ("mass = 1", 'mass = "1 m"', 36, 'bob/mass = "1 m"', "is a length; expected a mass in kg"),
    ("mass = 1", "mass = 0", 36, "bob/mass = 0", "must lie between"),
    ("mass = 1", 'mass = 1\nparent = "arm"', 37, 'bob/parent = "arm"', "a free part moves by itself"),
    ("mass = 1", 'mass = 1\nshape = { kind = "plane" }', 38, 'bob/motion = "free"', "a half space has no end"),
    ("mass = 1", "mass = 1\nmas = 2", 37, "bob/mas = 2", 'did you mean "mass"?'),
]


@pytest.mark.parametrize(("old", "new", "line", "path", "words"), RULES)
def test_rule(old: str, new: str, line: int, path: str, words: str) -> None:
    assert old in BASE, "the rule does not change the text"
    with pytest.raises(SceneError) as caught:
        Scene.from_toml(BASE.replace(old, new, 1))
    said = str(caught.value).split("\n")
    alternatives = words.split("|")
    assert any(text.startswith(f"line {line}: {path}") and any(w in text for w in alternatives) for text in said), said


def test_the_base_of_the_rules_is_right() -> None:
    Scene.from_toml(BASE)


def test_long_chains_of_parents_are_no_cycle() -> None:
    parts = [{"name": f"p{i}", "parent": f"p{i + 1}"} for i in range(3000)] + [{"name": "p3000"}]
    assert len(Scene.from_dict({"parts": parts}).parts) == 3001
    parts[-1]["parent"] = "p2999"
    with pytest.raises(SceneError) as caught:
        Scene.from_dict({"parts": parts})
    assert [p.path for p in caught.value.problems] == ["p2999/parent", "p3000/parent"]


def test_every_key_arrives(workshop: str) -> None:
    scene = Scene.from_toml(workshop)
    assert scene.part("chassis").pose[0] == (0.0, 0.0, 0.05)
    assert scene.part("chassis").scale == 0.001
    assert scene.part("arm").frames["hole"] == Frame(position=(0.05, 0, 0))
    assert scene.part("arm").shape.corners == ((0.0, 0.0), (0.01, 0.0), (0.0, 0.02))  # type: ignore[union-attr]
    assert scene.part("weight").shape.outer == 0.015  # type: ignore[union-attr]
    assert (scene.part("weight").mass, scene.part("weight").center_of_mass) == (0.25, (0.0, 0.0, 0.01))
    assert scene.part("floor").motion == "fixed"
    assert scene.cable("trunk").ignore == ("floor", "chassis")
    assert not scene.cable("left").collide
    assert scene.cable("trunk").collide
    with pytest.raises(SceneError, match='there is no part of this name; did you mean "arm"'):
        scene.part("arms")
    with pytest.raises(TypeError, match="immutable"):
        scene.part("arm").frames["x"] = Frame(position=(0, 0, 0))
    assert pickle.loads(pickle.dumps(scene)) == scene


def test_kinds_follow_from_the_frames() -> None:
    scene = Scene.from_toml(BASE)
    hose = scene.cable("h")
    assert (hose.start.kind, hose.clip("c").kind) == ("clamp", "ball")  # type: ignore[union-attr]
    other = scene.with_value("arm/spot.tangent", [0, 1, 0])
    assert other.cable("h").clip("c").kind == "clamp"
    assert scene.cable("h").clip("c").kind == "ball"
    assert scene.with_value("h/start.kind", "ball").cable("h").start.kind == "ball"  # type: ignore[union-attr]
    assert scene.with_value("h/start.kind", "swivel").cable("h").start.kind == "swivel"  # type: ignore[union-attr]
    assert "kind" not in scene.to_dict()["cables"][0]["clips"][0]
    assert Scene.from_dict(scene.to_dict()) == scene
    moved = Scene.from_dict({**other.to_dict(), "cables": [hose]})  # from another scene, where its frame was a ball
    assert moved.cable("h").clip("c").kind == "clamp"


def test_twist_of_what_is_on_parts_only_picks_the_turn() -> None:
    scene = Scene.from_toml(BASE.replace("[1, 0, 0] }\n", "[1, 0, 0], roll = 0 }\ntwist = 3\n", 1))
    assert scene.with_value("carrier/quaternion", [0, 1, 0, 0]).cable("h").twist == 3.0
    with pytest.raises(SceneError, match=r"h/twist = 3.0: needs an end that holds it"):
        scene.with_value("h/end", {"on": "arm", "frame": "spot"})


def test_a_part_alone_names_itself_in_its_errors() -> None:
    with pytest.raises(SceneError, match=r'x/shape.kind = "bal": must be one of'):
        Part(name="x", shape={"kind": "bal"})
    with pytest.raises(SceneError, match=r"x/banjo.position: is missing"):
        Part(name="x", frames={"banjo": {}})
    part = Part(name="x", shape=BoxShape(kind="box", size=("1 cm", 1, 1)), tangent=(1, 0, 0))
    assert part.pose[1] == pytest.approx((0.5**0.5, 0, 0.5**0.5, 0))
    cable = Cable(name="c", type="library:rg-58", length=1, start=End(on="x", position=(0, 0, 0)))
    assert Scene(parts=(part,), cables=(cable,)).cable("c").start.kind == "ball"  # type: ignore[union-attr]


def test_frames_must_not_hide_fields() -> None:
    assert set(Part.model_fields) == PART_KEYS


# ---- paths ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("carrier/position", [1, 2, "3 mm"], lambda s: s.part("carrier").position == (1.0, 2.0, 0.003)),
        ("carrier.position", [1, 2, 3], lambda s: s.part("carrier").position == (1.0, 2.0, 3.0)),
        ("carrier/position.1", 5, lambda s: s.part("carrier").position == (0.0, 5.0, 0.0)),
        ("carrier/banjo.position", [0, 0, 0], lambda s: s.part("carrier").frames["banjo"].position == (0, 0, 0)),
        ("carrier.banjo.roll", "90 deg", lambda s: s.part("carrier").frames["banjo"].roll is not None),
        ("carrier/frames.banjo.quaternion", [1, 0, 0, 0], lambda s: s.part("carrier").frames["banjo"].tangent is None),
        ("carrier/frames.new", {"position": [0, 0, 0]}, lambda s: list(s.part("carrier").frames) == ["banjo", "new"]),
        ("carrier/tangent", [0, 1, 0], lambda s: s.part("carrier").quaternion is None),
        (
            "carrier/shape",
            {"kind": "plane"},
            lambda s: (s.part("carrier").mesh, s.part("carrier").units) == (None, None),
        ),
        ("arm/mesh", "x.glb", lambda s: s.part("arm").shape is None),
        ("arm/shape.diameter", "1 cm", lambda s: s.part("arm").shape.outer == 0.005),
        ("h/end.frame", "banjo", lambda s: (s.cable("h").end.position, s.cable("h").end.tangent) == (None, None)),
        ("h.length", 2, lambda s: s.cable("h").length == 2.0),
        ("h/ignore", ["arm"], lambda s: s.cable("h").ignore == ("arm",)),
        ("arm/parent", None, lambda s: s.part("arm").parent is None),
    ],
)
def test_paths(path: str, value: Any, expected: Any) -> None:
    assert expected(Scene.from_toml(BASE).with_value(path, value))


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("carier/position", '"carrier/position"'),
        ("carrier/postion", '"carrier/position"'),
        ("carrier/banjo.positio", '"carrier/banjo.position"'),
        ("carrier", "is not in this scene"),
        ("parts", "is not in this scene"),
        ("carrier/frames.", "is not in this scene"),
        ("carier.position", '"carrier/position"'),
    ],
)
def test_unknown_paths(path: str, hint: str) -> None:
    with pytest.raises(SceneError) as caught:
        Scene.from_toml(BASE).with_value(path, 1)
    assert hint in str(caught.value)


def test_a_name_like_a_key_of_the_scene_is_reached_with_a_slash() -> None:
    scene = Scene.from_dict({"parts": [{"name": "title"}, {"name": "v1.2"}, {"name": "v1"}]})
    assert scene.with_value("title", "new").title == "new"
    assert scene.with_value("title/position", [1, 0, 0]).part("title").position[0] == 1.0
    assert scene.with_value("v1.2.position", [1, 0, 0]).part("v1.2").position[0] == 1.0
    assert scene.with_value("v1.position", [1, 0, 0]).part("v1").position[0] == 1.0


# ---- files ---------------------------------------------------------------------------------------------------------


def comments(text: str) -> list[str]:
    return [line.rpartition("# ")[2] for line in text.splitlines() if "# " in line]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("floor/position", [0, 0, -1]),
        ("floor/friction", None),
        ("chassis/units", "cm"),
        ("chassis/quaternion", [1, 0, 0, 0]),
        ("chassis/plug.position", [0, 1, 0]),
        ("chassis/plug.quaternion", [1, 0, 0, 0]),
        ("chassis/frames.second", {"position": [0, 0, 0], "tangent": [1, 0, 0]}),
        ("chassis/shape", {"kind": "box", "size": ["1 cm", 1, 1]}),
        ("arm/hole.position.0", 0.07),
        ("arm/end 2.5.roll", 0.5),
        ("arm/end 2.5", None),
        ("arm/frames.x y", {"position": [1, 2, 3]}),
        ("arm/shape.length", 0.3),
        ("arm/shape.points.1", [0.011, 0]),
        ("arm/shape", {"kind": "sphere", "radius": 0.1}),
        ("arm/name", "lever"),
        ("weight/motion", "fixed"),
        ("weight/frames", {"eye": {"position": [0, 0, 0]}}),
        ("trunk/start.frame", "plug 2"),
        ("trunk/ignore", None),
        ("trunk/tie.on", "floor"),
        ("left/collide", None),
        ("left/end", {"on": "arm", "frame": "end 2.5"}),
        ("Y1/position", [0.31, 0, 0]),
        ("Y1/motion", "held"),
        ("Y1/member 2.tangent", [1, 2, 0]),
        ("Y1/member 3.at", "start"),
        ("Y1/mass", None),
    ],
)
def test_only_the_change_is_written(workshop: str, path: str, value: Any) -> None:
    before = Scene.from_toml(workshop)
    changes = {path: value}
    if path == "trunk/start.frame":
        changes["chassis/frames.plug 2"] = {"position": [0, 0, 0]}
    if path == "arm/name":
        changes |= {"trunk/tie.on": value, "trunk/eye.on": value, "left/end.on": value}
    after = before.with_values(dict(reversed(changes.items())))
    text = scene_text(after, "toml")
    assert Scene.from_toml(text) == after
    assert len(set(workshop.splitlines()) - set(text.splitlines())) <= 6, "far more than one thing was rewritten"
    assert len(set(comments(workshop)) - set(comments(text))) <= 1
    assert Scene.from_json(scene_text(after, "json")) == after
    assert Scene.from_toml(scene_text(Scene.from_dict(after.to_dict()), "toml")) == after


def test_unchanged_is_byte_for_byte_the_same(workshop: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(workshop, encoding="utf-8")
    scene = Scene.load(tmp_path / "a.toml")
    scene.save(tmp_path / "b.toml")
    assert (tmp_path / "b.toml").read_text(encoding="utf-8") == workshop
    assert scene.folder == tmp_path
    assert Scene.from_toml(workshop).folder == Path()


def test_parts_come_and_go(workshop: str) -> None:
    scene = Scene.from_toml(workshop)
    extra = Part(name="new", mesh="x.glb", frames={"a b": Frame(position=(0, 0, 0))})
    for parts in ([*scene.parts, extra], scene.parts[:3], scene.parts[::-1]):
        changed = Scene(**{**scene.to_dict(), "parts": tuple(parts)})
        changed._document = scene._document
        text = scene_text(changed, "toml")
        assert Scene.from_toml(text) == changed
        if len(parts) != len(scene.parts):
            assert "# from the CAD" in text
    plain = Scene.from_toml('title = "x" # kept\n')
    grown = Scene(title="x", parts=(extra, scene.part("weight")))
    grown._document = plain._document
    text = scene_text(grown, "toml")
    assert "# kept" in text
    assert "[[parts]]" in text
    assert Scene.from_toml(text) == grown
