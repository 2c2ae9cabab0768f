"""Every rule of the description: its path, its line, its words (lissom.scene.checks, belonging, problems)."""

from __future__ import annotations

import pytest

from lissom.scene import Cable, End, Scene, SceneError
from lissom.scene.checks import RESERVED

BASE = """\
format = 1
gravity = [0, 0, -9.81]
[types.hose]
section = { diameter = "10 mm", inner_diameter = "4 mm" }
material = { youngs_modulus = "7.5 MPa", poisson = 0.49, density = 1230 }
limits = { bend_radius = "50 mm", measured = "centre" }
[types.rope]
stiffness = { bending = 0 }
mass_per_length = 0.1
[[cables]]
name = "h"
type = "hose"
length = "420 mm"
points = 65
rest = { curvature = [0, 0, 0] }
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
end = { position = [0.2, 0, 0], tangent = [1, 0, 0] }
loads = [{ at = 1, force = [0, 0, 1] }]
[[cables.clips]]
at = 0.5
kind = "clamp"
position = [0.1, 0, 0]
tangent = [1, 0, 0]
[[cables.stretches]]
from = 0.1
to = 0.2
type = "hose"
"""

# (what is written, what is written instead, line, path, words of the message)
RULES: list[tuple[str, str, int, str, str]] = [
    ("format = 1", "format = 2", 1, "format = 2", "must be 1"),
    ("format = 1", "formt = 1", 1, "formt = 1", 'unknown key; did you mean "format"?'),
    ("format = 1", "title = 3", 1, "title = 3", "must be a text in quotes"),
    ("[0, 0, -9.81]", "[0, 0, nan]", 2, "gravity[2] = nan", "must be finite"),
    ("[0, 0, -9.81]", "[0, 0, inf]", 2, "gravity[2] = inf", "must be finite"),
    ("[0, 0, -9.81]", "-9.81", 2, "gravity = -9.81", "must be a list of three numbers"),
    ("[0, 0, -9.81]", "[0, 0]", 2, "gravity = [0, 0]", "three numbers, not 2"),
    ("[0, 0, -9.81]", "[0, 0, true]", 2, "gravity[2] = true", "is not a number"),
    ("[0, 0, -9.81]", '[0, 0, "9 mm"]', 2, 'gravity[2] = "9 mm"', "is a length; expected an acceleration"),
    ("[types.hose]", '[types."a/b"]', 3, "types.a/b", "must not contain /"),
    (
        '"10 mm", inner',
        '"-10 mm", inner',
        4,
        'types.hose.section.diameter = "-10 mm"',
        "must lie between 1e-06 and 1 m",
    ),
    ('"10 mm", inner', "10, inner", 4, "types.hose.section.diameter = 10", "a plain number is in metres"),
    ('"4 mm"', '"10 mm"', 4, "types.hose.section.inner_diameter = 0.01", "smaller than diameter = 0.01 m"),
    (
        'diameter = "10 mm"',
        'radius = 0.005, diameter = "10 mm"',
        4,
        "types.hose.section.radius",
        "keep one of them",
    ),
    ('diameter = "10 mm", ', "", 4, "types.hose.section.diameter", "give diameter or radius"),
    ('{ diameter = "10 mm", inner_diameter = "4 mm" }', "3", 4, "types.hose.section = 3", "must be a table"),
    (
        '{ diameter = "10 mm", inner_diameter = "4 mm" }',
        "{ width = 0.01 }",
        4,
        "types.hose.section.height",
        "is missing",
    ),
    (
        '{ diameter = "10 mm", inner_diameter = "4 mm" }',
        "{ width = 0.01, higth = 0.01 }",
        4,
        "types.hose.section.higth",
        'did you mean "height"?',
    ),
    ('"7.5 MPa"', "7.5", 5, "types.hose.material.youngs_modulus = 7.5", "must lie between 1000 and 2e+12 Pa"),
    ('"7.5 MPa"', '"7.5 TPa"', 5, 'types.hose.material.youngs_modulus = "7.5 TPa"', 'unknown unit "TPa"'),
    ("poisson = 0.49", "poisson = 0.6", 5, "types.hose.material.poisson = 0.6", "between -0.99 and 0.5"),
    ("poisson = 0.49, ", "", 5, "types.hose.material.poisson", "give poisson or shear_modulus"),
    ("density = 1230", "density = 1.23", 5, "types.hose.material.density = 1.23", 'write "1.23 g/cm3"'),
    (", density = 1230", "", 5, "types.hose.material.density", "0 means weightless"),
    ('"50 mm"', "0", 6, "types.hose.limits.bend_radius = 0", "greater than 0 m"),
    ('"centre"', '"center"', 6, 'types.hose.limits.measured = "center"', 'did you mean "centre"?'),
    (
        "bending = 0",
        "bending = [0, 1], torsion = 1",
        8,
        "types.rope.stiffness.bending",
        "positive about both axes",
    ),
    ("bending = 0", "bending = 1", 8, "types.rope.stiffness.torsion", "is missing"),
    (
        "bending = 0",
        "bending = 1, torsion = 0",
        8,
        "types.rope.stiffness.torsion = 0.0",
        "must be at least 1e-20",
    ),
    (
        "bending = 0",
        "bending = 1e-30",
        8,
        "types.rope.stiffness.bending = 1e-30",
        "must be 0 (a rope) or at least",
    ),
    ("bending = 0", "bending = -1", 8, "types.rope.stiffness.bending = -1", "between 0 and"),
    ("bending = 0", "bending = [1, 2, 3]", 8, "types.rope.stiffness.bending", "two numbers, not 3"),
    ("mass_per_length = 0.1\n", "", 7, "types.rope.mass_per_length", "is missing"),
    (
        "mass_per_length = 0.1",
        'mass_per_length = 0.1\nsection = { diameter = "1 mm" }',
        10,
        "types.rope.section",
        "one way only",
    ),
    (
        "mass_per_length = 0.1",
        "mass_per_length = 0.1\nlimits = { stress = 1 }",
        10,
        "types.rope.limits.stress",
        "needs a section",
    ),
    ('name = "h"', "", 10, "cable 1/name", "is missing: a name, unique"),
    ('name = "h"', 'name = "h/g"', 11, "h/g/name", "must not contain / or ="),
    ('name = "h"', 'name = " "', 11, "cable 1/name", "must be a name"),
    ('type = "hose"\nlength', 'type = "hoes"\nlength', 12, 'h/type = "hoes"', 'did you mean "hose"?'),
    ('type = "hose"\nlength', "length", 10, "h/type", "is missing: name one of [types]"),
    (
        'type = "hose"\nlength',
        'type = "library:rg-59"\nlength',
        12,
        "h/type",
        'did you mean "library:rg-58"?',
    ),
    (
        'type = "hose"\nlength',
        'type = "hose"\nradius = 0.01\nlength',
        13,
        "h/radius",
        "must be left out beside type",
    ),
    ('type = "hose"\nlength', 'type = "rope"\nlength', 15, "h/rest", "without bending stiffness"),
    ('"420 mm"', '"0 mm"', 13, 'h/length = "0 mm"', "must lie between 1e-06 and 10000 m"),
    ('"420 mm"', "42000", 13, "h/length = 42000", "a plain number is in metres"),
    (
        '"420 mm"',
        '"420 N"',
        13,
        'h/length = "420 N"',
        'is a force; expected a length in m, or with a unit, such as "420 mm"',
    ),
    ('length = "420 mm"', "", 10, "h/length", "is missing: unstretched length"),
    ("points = 65", "points = 2", 14, "h/points = 2", "whole number from 3 to 100000"),
    ("points = 65", "points = 1e3", 14, "h/points = 1000.0", "whole number"),
    ("points = 65", "points = true", 14, "h/points = true", "whole number"),
    ("points = 65", "points = 100001", 14, "h/points = 100001", "whole number"),
    (
        "curvature = [0, 0, 0]",
        "curvature = [[0, 0, 0], [0, 0, 1]]",
        15,
        "h/rest.curvature",
        "2 triples, but points = 65",
    ),
    (
        "curvature = [0, 0, 0]",
        "curvature = [[0, 0, 0], [0, 0]]",
        15,
        "h/rest.curvature[1] = [0, 0]",
        "three numbers",
    ),
    ("curvature = [0, 0, 0]", "", 15, "h/rest.curvature", "is missing"),
    (
        "curvature = [0, 0, 0]",
        "points = [[0, 0, 0], [0.3, 0, 0], [0.43, 0, 0]]",
        15,
        "h/rest.points",
        "within 1 %: the curve through them is 0.43 m long",
    ),
    ("curvature = [0, 0, 0]", "points = [[0, 0, 0], [0, 0, 0]]", 15, "h/rest.points[1]", "must differ"),
    (
        "curvature = [0, 0, 0]",
        "points = [[0, 0, 0], [1, 0, 0], [0, 0.1, 0]]",
        15,
        "h/rest.points[1]",
        "more than 90 deg",
    ),
    (
        "tangent = [1, 0, 0], roll",
        "tangent = [0, 0, 0], roll",
        16,
        "h/start.tangent = [0, 0, 0]",
        "zero vector",
    ),
    (
        "tangent = [1, 0, 0], roll = 0",
        "quaternion = [1, 1, 0, 0]",
        16,
        "h/start.quaternion",
        "[0.707106781, 0.707106781, 0, 0]",
    ),
    (
        "tangent = [1, 0, 0], roll = 0",
        "quaternion = [0, 0, 0, 0]",
        16,
        "h/start.quaternion",
        "no rotation is [1, 0, 0, 0]",
    ),
    ("tangent = [1, 0, 0], roll = 0", "roll = 0", 16, "h/start.roll", "lets the cable turn about itself"),
    ("roll = 0", "quaternion = [1, 0, 0, 0]", 16, "h/start.quaternion", "together with tangent"),
    ("roll = 0", "roll = 90", 16, "h/start.roll = 90", 'write "90 deg"'),
    ("roll = 0", 'kind = "ball"', 16, "h/start.tangent", "a ball leaves it free"),
    ("roll = 0", 'kind = "free"', 16, "h/start.position", "must be left out at a free end"),
    ("roll = 0", 'kind = "clmp"', 16, 'h/start.kind = "clmp"', 'did you mean "clamp"?'),
    ("roll = 0", 'kind = "swivel", roll = 0', 16, "h/start.roll", "a swivel lets the cable turn"),
    ("roll = 0", 'on = "carrier"', 16, "h/start.on", "is no part of this scene; it has none"),
    ("roll = 0", 'free = ["w"]', 16, "h/start.free[0]", 'must be one of "x", "y", "z"'),
    ("roll = 0", 'free = ["x", "x"]', 16, "h/start.free", "every axis once"),
    (
        "{ position = [0.2, 0, 0], tangent = [1, 0, 0] }",
        '{ kind = "swivel", position = [0, 0, 0] }',
        17,
        "h/end.tangent",
        "is missing: a swivel holds",
    ),
    (
        "{ position = [0.2, 0, 0], tangent = [1, 0, 0] }",
        "{ tangent = [1, 0, 0] }",
        17,
        "h/end.position",
        "is missing",
    ),
    (
        "{ position = [0.2, 0, 0], tangent",
        "{ position = [200e6, 0, 0], tangent",
        17,
        "h/end.position[0]",
        "between -1e+06 and 1e+06",
    ),
    ("{ at = 1, force", "{ at = 1.5, force", 18, "h/load 1.at = 1.5", "must lie between 0 and 1"),
    (
        "{ at = 1, force",
        "{ from_start = 1, force",
        18,
        "h/load 1.from_start = 1.0",
        "at most the length of the cable, 0.42 m",
    ),
    ("{ at = 1, force", "{ force", 18, "h/load 1.at", "is missing: give at"),
    ("{ at = 1, force = [0, 0, 1] }", "{ at = 1 }", 18, "h/load 1.force", "is missing: a load has"),
    (
        "{ at = 1, force",
        '{ at = 1, axes = "body", force',
        18,
        "h/load 1.axes",
        'must be "world" beside a force',
    ),
    ("at = 0.5", "at = 1.4", 20, "h/clip 1.at = 1.4", 'for a distance write from_start = "140 mm"'),
    ("at = 0.5", "at = -0.1", 20, "h/clip 1.at = -0.1", "must lie between 0 and 1; it is a fraction"),
    ("at = 0.5", "at = 1", 20, "h/clip 1.at = 1", "must not be the place of the end"),
    ("at = 0.5", "from_start = 0", 20, "h/clip 1.from_start = 0", "must not be the place of the start"),
    ("at = 0.5", "", 19, "h/clip 1.at", "is missing"),
    ("at = 0.5", "at = 0.5\nfrom_end = 0.1", 21, "h/clip 1.from_end", "together with at"),
    ("at = 0.5", 'at = 0.5\nname = "end"', 21, "h/end.name", "must not be the name of a field"),
    ('kind = "clamp"', 'kind = "ring"', 23, "h/clip 1.tangent", 'use kind = "sleeve"'),
    ('kind = "clamp"', 'kind = "swivel"\ntwist = 1', 22, "h/clip 1.twist", "does not hold twist"),
    ("[0.1, 0, 0]\ntangent = [1, 0, 0]", "[0.1, 0, 0]", 19, "h/clip 1.tangent", "is missing: a clamp holds"),
    ("to = 0.2", "to = 0.05", 26, "h/stretch 1.to = 0.05", "greater than from = 0.1"),
    (
        'to = 0.2\ntype = "hose"',
        'to = 0.2\ntype = "rope"',
        27,
        "h/stretch 1.type",
        "bending stiffness where the cable has it",
    ),
    (
        'to = 0.2\ntype = "hose"',
        'to = 0.2\ntype = "tape"',
        27,
        'h/stretch 1.type = "tape"',
        'it has "hose", "rope"',
    ),
]


@pytest.mark.parametrize(("old", "new", "line", "path", "words"), [rule for rule in RULES if rule[2]])
def test_rule(old: str, new: str, line: int, path: str, words: str) -> None:
    assert BASE.count(old) >= 1, "the rule does not change the text"
    with pytest.raises(SceneError) as caught:
        Scene.from_toml(BASE.replace(old, new, 1))
    said = str(caught.value).split("\n")
    assert any(text.startswith(f"line {line}: {path}") and words in text for text in said), said


def test_the_base_of_the_rules_is_right() -> None:
    Scene.from_toml(BASE)


def test_all_problems_at_once_in_order() -> None:
    text = BASE.replace("0.49", "0.7").replace("points = 65", "points = 0").replace("at = 0.5", "at = 7")
    with pytest.raises(SceneError) as caught:
        Scene.from_toml(text)
    assert [problem.line for problem in caught.value.problems] == [5, 14, 20]
    assert caught.value.problems[0].value == 0.7


def test_a_bad_field_is_not_reported_through_what_follows_from_it() -> None:
    with pytest.raises(SceneError) as caught:
        End(position=(1, 2))
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        ("", "", "h: is held nowhere"),
        (
            'start = { position = [0, 0, 0], free = ["z"] }',
            'end = { position = [0.1, 0, 0], free = ["z"] }',
            "along z as a whole",
        ),
        (
            'start = { position = [0, 0, 0], free = ["x", "y", "z"] }',
            "",
            "an end that holds nothing is left out",
        ),
        ('clips = [{ kind = "ring", position = [0, 0, 0] }]', "", "held only by clips it slides through"),
        (
            "twist = 1\nstart = { position = [0, 0, 0], tangent = [1, 0, 0] }",
            "",
            "needs an end that holds it",
        ),
        ("twist = 1", "end = { position = [0, 0, 0], tangent = [1, 0, 0] }", "nothing to count from"),
    ],
)
def test_a_cable_must_be_held(start: str, end: str, words: str) -> None:
    text = f'[[cables]]\nname = "h"\ntype = "library:rg-58"\nlength = 1\n{start}\n{end}\n'
    with pytest.raises(SceneError, match="line ") as caught:
        Scene.from_toml(text)
    assert words in str(caught.value)


def test_held_by_several_supports_together() -> None:
    ends = 'start = { position = [0, 0, 0], free = ["z"] }\nend = { position = [0.1, 0, 0], free = ["x"] }'
    Scene.from_toml(f'[[cables]]\nname = "h"\ntype = "library:rg-58"\nlength = 1\n{ends}\n')


def test_every_field_of_a_cable_is_reserved() -> None:
    assert set(Cable.model_fields) == RESERVED  # a new field must not be shadowed by a clip of that name


def test_duplicate_names() -> None:
    twice = BASE + '[[cables]]\nname = "h"\ntype = "hose"\nlength = 1\nstart = { position = [0, 0, 0] }\n'
    with pytest.raises(SceneError, match='line 29: h/name = "h": must be unique: cable 1 has this name'):
        Scene.from_toml(twice)
    clips = BASE.replace("at = 0.5", 'name = "a"\nat = 0.5').replace(
        "[[cables.stretches]]",
        '[[cables.clips]]\nname = "a"\nat = 0.6\nposition = [0, 0, 0]\n[[cables.stretches]]',
    )
    with pytest.raises(SceneError, match=r'line 26: h/a.name = "a": must be unique on the cable'):
        Scene.from_toml(clips)


def test_a_slide_between_clips_that_lie_the_other_way_round() -> None:
    more = '[[cables.clips]]\nkind = "ring"\nposition = [0, 0, 0]\n[[cables.clips]]\nat = 0.3\nposition = [0, 0, 0]\n'
    with pytest.raises(SceneError, match=r"h/clip 2.at: is missing: clip 1, listed before it, lies behind clip 3"):
        Scene.from_toml(BASE.replace("[[cables.stretches]]", more + "[[cables.stretches]]"))


def test_two_clips_at_one_place() -> None:
    text = BASE.replace(
        "[[cables.stretches]]",
        "[[cables.clips]]\nfrom_start = 0.21\nposition = [0, 0, 0]\n[[cables.stretches]]",
    )
    with pytest.raises(SceneError, match=r"line 25: h/clip 2.from_start = 0.21: must not be the place of clip 1"):
        Scene.from_toml(text)
    Scene.from_toml(text.replace("from_start = 0.21", 'from_start = 0.21\nkind = "ring"'))  # it slides away


def test_overlapping_stretches() -> None:
    text = BASE + '[[cables.stretches]]\nfrom = 0.05\nto = 0.15\ntype = "hose"\n'
    with pytest.raises(SceneError, match=r"line 25: h/stretch 1.from = 0.1: must be at least 0.15"):
        Scene.from_toml(text)


def test_units_slips_between_length_and_thickness() -> None:
    with pytest.raises(SceneError, match=r"line 13: h/length = 0.004.*longer than thick"):
        Scene.from_toml(BASE.replace('"420 mm"', '"4 mm"'))
    with pytest.raises(SceneError, match=r"section.diameter = .*longer than thick"):
        Scene.from_dict(
            {
                "cables": [
                    {
                        "name": "h",
                        "length": 0.3,
                        "section": {"diameter": 0.4},
                        "material": {"youngs_modulus": 1e7, "poisson": 0.4, "density": 1000},
                        "start": {"position": [0, 0, 0]},
                    }
                ]
            }
        )


def test_layers_go_from_the_inside_out() -> None:
    layer = "{ to_radius = %s, youngs_modulus = 1e7, poisson = 0.4, density = 1000 }"
    text = f"[types.a.section]\nlayers = [\n{layer % 0.002},\n{layer % 0.001},\n]\n"
    with pytest.raises(SceneError, match=r"line 4: types.a.section.layers\[1\].to_radius = 0.001: must lie outside"):
        Scene.from_toml(text)
    with pytest.raises(SceneError, match=r"line 3: types.a.section.layers\[0\].density: is missing"):
        Scene.from_toml(text.replace(", density = 1000", "", 1).replace("0.001", "0.003"))
    material = "[types.a.material]\nyoungs_modulus = 1e7\npoisson = 0.4\n"
    with pytest.raises(SceneError, match=r"line 6: types.a.material: must be left out: every layer"):
        Scene.from_toml(text.replace("0.001", "0.003") + material)


def test_errors_of_objects_built_in_code() -> None:
    with pytest.raises(SceneError, match="x/length = -1: must lie between 1e-06 and 10000 m"):
        Cable(name="x", length=-1, type="hose")
    with pytest.raises(SceneError, match=r'tangnt.*did you mean "tangent"'):
        End(position=(0, 0, 0), tangnt=(1, 0, 0))
    hose = Cable(name="h", type="nothing", length=1.0, start=End(position=(0, 0, 0)))
    with pytest.raises(SceneError, match='h/type = "nothing": is not among the'):
        Scene(cables=(hose,))


def test_messages_hold_no_control_characters() -> None:
    with pytest.raises(SceneError) as caught:
        Scene.from_toml('[[cables]]\nname = "a\\u001b[31m"\nlength = "1 \\u001b[2J"\n')
    assert "\x1b" not in str(caught.value)


def test_a_rope_carries_only_tension() -> None:
    clamp = "tangent = [1, 0, 0] }"
    ends = f"start = {{ position = [0, 0, 0], {clamp}\nend = {{ position = [1, 0, 0], {clamp}"
    text = f'[[cables]]\nname = "r"\nlength = 2\nstiffness = {{ bending = 0 }}\nmass_per_length = 1\n{ends}\n'
    Scene.from_toml(text)
    for key, words in [
        ("twist = 1", r"line 8: r/twist = 1.0: .* holds no twist"),
        ("loads = [{ at = 0.5, moment = [0, 0, 1] }]", r"line 8: r/load 1.moment = .* carries no moment"),
        ("rest = { curvature = [0, 0, 1] }", r"line 8: r/rest: .* nothing keeps a rest shape"),
    ]:
        with pytest.raises(SceneError, match=words):
            Scene.from_toml(text + key + "\n")
