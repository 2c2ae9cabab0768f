"""Junctions: rules with path, line and words; the frames of their members; held or not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from lissom.scene import Junction, Member, Scene, SceneError
from lissom.scene.frames import director
from lissom.scene.placing import member_poses
from lissom.scene.saving import scene_text

BASE = """\
[types.wire]
stiffness = { bending = 0.01, torsion = 0.008 }
mass_per_length = 0.06
[[cables]]
name = "trunk"
type = "wire"
length = 1
start = { position = [0, 0, 0], tangent = [1, 0, 0] }
[[cables.clips]]
at = 0.25
position = [0.2, 0, 0]
[[cables]]
name = "left"
type = "wire"
length = 1
[[cables]]
name = "right"
type = "wire"
length = 1
[[junctions]]
name = "Y1"
motion = "free"
members = [
  { cable = "trunk", at = "end" },
  { cable = "left", at = "start", tangent = [1, 1, 0] },
  { cable = "right", from_end = 0, tangent = [-1, 1, 0] },
]
"""
MORE = '[[junctions]]\nname = "Y2"\nmembers = [{ cable = "left", at = "end" }, { cable = "right", at = %s }]\n'

# (what is written, what is written instead, line, path, words of the message)
RULES: list[tuple[str, str, int, str, str]] = [
    ('name = "Y1"\n', "", 20, "junction 1/name", "is missing: a name, unique"),
    ('name = "Y1"', 'name = "left"', 21, 'left/name = "left"', "must be unique: cable 2 has this name already"),
    ('motion = "free"', 'motion = "fixed"', 22, 'Y1/motion = "fixed"', 'must be one of "free", "held"'),
    ('motion = "free"', 'motion = "held"', 20, "Y1/position", "is missing: a held junction is at a position"),
    ('motion = "free"', "mass = -1", 22, "Y1/mass = -1", "must lie between"),
    ('motion = "free"', "quaternion = [1, 1, 0, 0]", 22, "Y1/quaternion", "must have norm 1"),
    ('motion = "free"', "tangent = [1, 0, 0]", 22, "Y1/tangent", "is an unknown key"),
    (
        'at = "end"',
        'at = "ending"',
        24,
        'Y1/member 1.at = "ending"',
        'a fraction of the length from 0 to 1; did you mean "end"?',
    ),
    ('at = "end"', "at = 1.5", 24, "Y1/member 1.at = 1.5", 'must be "start", "end", or a fraction'),
    ('at = "end"', "at = true", 24, "Y1/member 1.at = true", 'must be "start", "end", or a fraction'),
    ('at = "end"', "from_start = 2", 24, "Y1/member 1.from_start = 2.0", "at most the length of the cable, 1 m"),
    ('at = "end"', 'at = "end", from_end = 0', 24, "Y1/member 1.from_end", "together with at"),
    (', at = "end"', "", 24, "Y1/member 1.at", "is missing: give at"),
    (
        '"trunk", at',
        '"trunc", at',
        24,
        'Y1/member 1.cable = "trunc"',
        'is no cable of this scene; did you mean "trunk"?',
    ),
    ('cable = "trunk", at', "at", 24, "Y1/member 1.cable", "is missing: name of the cable"),
    ("tangent = [1, 1, 0]", "tangent = [0, 0, 0]", 25, "Y1/member 2.tangent", "zero vector"),
    ("tangent = [1, 1, 0]", "roll = 1", 25, "Y1/member 2.roll = 1.0", "needs tangent"),
    ("tangent = [1, 1, 0]", "tangnt = [1, 1, 0]", 25, "Y1/member 2.tangnt", 'did you mean "tangent"?'),
    ('"left", at = "start"', '"trunk", at = 1', 25, "Y1/member 2.at = 1", 'the end of "trunk" already belongs to "Y1"'),
    ('"left", at = "start"', '"trunk", at = 0.25', 10, "trunk/clip 1.at = 0.25", 'the place of the junction "Y1"'),
    (
        'length = 1\n[[cables]]\nname = "right"',
        'length = 1\nstart = { position = [0, 0, 0] }\n[[cables]]\nname = "right"',
        16,
        "left/start",
        'must be left out: this end is joined by "Y1", which says its pose; to hold it there, give the junction motion',
    ),
]


@pytest.mark.parametrize(("old", "new", "line", "path", "words"), RULES)
def test_rule(old: str, new: str, line: int, path: str, words: str) -> None:
    assert old in BASE, "the rule does not change the text"
    with pytest.raises(SceneError) as caught:
        Scene.from_toml(BASE.replace(old, new, 1))
    said = str(caught.value).split("\n")
    assert any(text.startswith(f"line {line}: {path}") and words in text for text in said), said


def test_the_base_of_the_rules_is_right() -> None:
    scene = Scene.from_toml(BASE)
    assert scene.junction("Y1").members[2].place(1.0) == 1.0
    with pytest.raises(SceneError, match='there is no junction of this name; did you mean "Y1"'):
        scene.junction("Y 1")
    assert Scene.from_dict(scene.to_dict()) == scene
    assert Scene.from_toml(scene_text(Scene.from_dict(scene.to_dict()), "toml")) == scene


@pytest.mark.parametrize("members", ["[]", '[{ cable = "left", at = "start" }]', '[{ cable = "trunk", at = 0.5 }]'])
def test_a_junction_joins_two(members: str) -> None:
    text = BASE[: BASE.index("members")] + f"members = {members}\n"
    with pytest.raises(SceneError, match="line 23: Y1/members: must join at least two members"):
        Scene.from_toml(text)
    with pytest.raises(SceneError, match="line 20: Y1/members: is missing"):
        Scene.from_toml(BASE[: BASE.index("members")])


def test_an_end_belongs_to_one_junction_only() -> None:
    Scene.from_toml(BASE + MORE % '"start"')
    Scene.from_toml(BASE + MORE % "0.5")
    with pytest.raises(
        SceneError, match=r'Y2/member 2.at = "end": must not be joined twice: the end of "right" already'
    ):
        Scene.from_toml(BASE + MORE % '"end"')
    inside = BASE + MORE % "0.5" + (MORE % "0.5").replace('"left", at = "end"', '"trunk", at = 0.7').replace("Y2", "Y3")
    with pytest.raises(SceneError, match=r'Y3/member 2.at = 0.5: .* this place of "right" already belongs to "Y2"'):
        Scene.from_toml(inside)
    Scene.from_toml(BASE.replace('at = "end"', "at = 0.9999").replace("at = 0.25", 'at = 0.9999\nkind = "ring"'))


def test_a_free_end_may_say_that_it_is_free() -> None:
    Scene.from_toml(
        BASE.replace(
            'length = 1\n[[cables]]\nname = "right"',
            'length = 1\nstart = { kind = "free" }\n[[cables]]\nname = "right"',
        )
    )


def test_a_harness_must_be_held() -> None:
    loose = BASE.replace("start = { position = [0, 0, 0], tangent = [1, 0, 0] }\n", "")
    Scene.from_toml(loose)  # by the clip
    nowhere = loose.replace("[[cables.clips]]\nat = 0.25\nposition = [0.2, 0, 0]\n", "")
    with pytest.raises(SceneError, match=r"line 4: trunk: is held nowhere: .* \(joined by Y1\), or hold a junction"):
        Scene.from_toml(nowhere)
    Scene.from_toml(nowhere.replace('motion = "free"', 'motion = "held"\nposition = [0, 0, 0]'))
    slides = loose.replace("at = 0.25", 'kind = "ring"')
    with pytest.raises(SceneError, match="trunk: is held only by clips it slides through"):
        Scene.from_toml(slides)
    with pytest.raises(SceneError, match="trunk: can move along y as a whole"):
        Scene.from_toml(loose.replace("at = 0.25", 'at = 0.25\nfree = ["y"]'))
    apart = BASE.replace('  { cable = "right", from_end = 0, tangent = [-1, 1, 0] },\n', "")
    with pytest.raises(
        SceneError, match=r"line 16: right: is held nowhere: give a start, an end or a clip a position$"
    ):
        Scene.from_toml(apart)


def test_a_joined_end_holds_no_twist_of_its_own() -> None:
    with pytest.raises(SceneError, match=r"trunk/twist = 1.0: .*a joined end is turned by the roll of its member"):
        Scene.from_toml(BASE.replace('name = "trunk"', 'name = "trunk"\ntwist = 1'))


# ---- frames --------------------------------------------------------------------------------------------------------


def frames(*members: Member) -> list[np.ndarray]:
    found = Junction(name="Y", members=members).frames
    return [np.stack([director(q, k) for k in (1, 2, 3)], axis=1) for q in found]


def test_members_without_a_tangent_continue_the_first() -> None:
    first, on, back, through = frames(
        Member(cable="a", at="end"), Member(cable="b", at=0.0), Member(cable="c", from_end=0), Member(cable="d", at=0.5)
    )
    assert first[:, 2] == pytest.approx([1, 0, 0])
    assert first[:, 0] == pytest.approx([0, 0, -1])  # roll 0 of a tangent along x
    assert on == pytest.approx(first)
    assert through == pytest.approx(first)
    assert back[:, 2] == pytest.approx([-1, 0, 0])  # it runs into the junction, against the first
    assert back[:, 0] == pytest.approx(first[:, 0])


def test_members_with_a_tangent_are_untwisted_from_the_first() -> None:
    first, left, rolled, turned, opposite = frames(
        Member(cable="a", at="end", tangent=(0, 0, 1), roll="30 deg"),
        Member(cable="b", at="start", tangent=(0, 2, 2)),
        Member(cable="c", at="start", tangent=(0, 0, 1), roll="90 deg"),
        Member(cable="d", at="start", quaternion=(0.5, 0.5, 0.5, 0.5)),
        Member(cable="e", at="start", tangent=(0, 1e-6, -1)),
    )
    assert first == pytest.approx(Rotation.from_rotvec([0, 0, np.pi / 6]).as_matrix())
    assert left == pytest.approx(Rotation.from_rotvec([-np.pi / 4, 0, 0]).as_matrix() @ first)
    assert rolled == pytest.approx(Rotation.from_rotvec([0, 0, np.pi / 2]).as_matrix())
    assert turned == pytest.approx(Rotation.from_quat([0.5, 0.5, 0.5, 0.5]).as_matrix())
    assert opposite[:, 2] == pytest.approx([0, 1e-6, -1], abs=1e-11)
    assert opposite.T @ opposite == pytest.approx(np.eye(3))


def test_poses_of_members_in_the_world() -> None:
    members = (Member(cable="a", at="end"), Member(cable="b", at="start", position=(0, "2 mm", 0), tangent=(0, 1, 0)))
    turn = Rotation.from_euler("xyz", [0.2, 0.4, -0.9])
    quaternion = tuple(turn.as_quat(scalar_first=True))
    junction = Junction(name="Y", motion="held", position=(1, 2, 3), quaternion=quaternion, members=members)
    (x, q), (y, r) = member_poses(junction, junction.pose)
    assert x == (1.0, 2.0, 3.0)
    assert director(q, 3) == pytest.approx(turn.apply([1, 0, 0]))
    assert y == pytest.approx(turn.apply([0, 0.002, 0]) + np.array([1, 2, 3]))
    assert director(r, 3) == pytest.approx(turn.apply([0, 1, 0]))
    assert member_poses(junction)[1][0] == (0.0, 0.002, 0.0)
    assert Junction(name="Y", members=members).pose is None
    assert Junction(name="Y", position=(1, 0, 0), members=members).pose == ((1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))


def test_a_junction_alone_names_itself_in_its_errors() -> None:
    with pytest.raises(SceneError, match=r"Y/member 1.at = 3: must be"):
        Junction(name="Y", members=({"cable": "a", "at": 3}, {"cable": "b", "at": 0}))
