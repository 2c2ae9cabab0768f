"""Joints, positions and motions: where they put the parts, what they refuse (lissom.scene.joint, mechanism)."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from lissom.scene import Scene, SceneError, json_schema
from lissom.scene.placing import part_poses

ARM = """\
format = 1
title = "An arm of three joints"   # with a remark

[[parts]]
name = "rail"
motion = "driven"
position = [0.1, 0, 0]
[[parts]]
name = "arm"
parent = "rail"
motion = "driven"
position = [0, 0.2, 0]
quaternion = [0.8, 0, 0.6, 0]
[[parts]]
name = "hand"
parent = "arm"
motion = "driven"
position = [0.3, 0, 0]

[[joints]]
name = "slide"
part = "rail"
kind = "slide"
axis = [0, 0, 2]
range = ["-50 mm", "50 mm"]
[[joints]]
name = "elbow"
part = "arm"
kind = "hinge"
origin = [0, 0.2, 0.05]
axis = [0, 1, 1]
range = ["-90 deg", "90 deg"]
[[joints]]
name = "wrist"
part = "hand"
kind = "ball"
origin = [0.25, 0, 0]
range = [0, 1]

[positions]
folded = { slide = "20 mm", elbow = "45 deg" }
"far out" = { wrist = [0.1, "20 deg", 0] }

[[motions]]
name = "wave"
keyframes = [
  { time = 0, joints = { elbow = 0 } },
  { time = "1 s", joints = { elbow = "60 deg", slide = "10 mm" } },
]
"""


def matrix(axis: list[float], angle: float, origin: list[float]) -> np.ndarray:
    """The 4×4 matrix of a rotation about an axis through a point."""
    found = np.eye(4)
    found[:3, :3] = Rotation.from_rotvec(angle * np.array(axis) / np.linalg.norm(axis)).as_matrix()
    found[:3, 3] = np.array(origin) - found[:3, :3] @ origin
    return found


def shifted(by: list[float]) -> np.ndarray:
    found = np.eye(4)
    found[:3, 3] = by
    return found


def turned(q: list[float]) -> np.ndarray:
    found = np.eye(4)
    found[:3, :3] = Rotation.from_quat([*q[1:], q[0]]).as_matrix()
    return found


def test_forward_kinematics_is_the_product_of_matrices() -> None:
    """slide, then a hinge off its part's origin about an oblique axis, then a ball: against 4×4 matrices."""
    scene = Scene.from_toml(ARM)
    s, e, w = 0.03, 0.7, np.array([0.2, -0.3, 0.4])
    poses = part_poses(scene, settings={"slide": s, "elbow": e, "wrist": (0.2, -0.3, 0.4)})
    rail = shifted([0.1, 0, s])
    arm = rail @ matrix([0, 1, 1], e, [0, 0.2, 0.05]) @ shifted([0, 0.2, 0]) @ turned([0.8, 0, 0.6, 0])
    hand = arm @ matrix(list(w), float(np.linalg.norm(w)), [0.25, 0, 0]) @ shifted([0.3, 0, 0])
    for name, wanted in (("rail", rail), ("arm", arm), ("hand", hand)):
        x, (qw, qx, qy, qz) = poses[name]
        assert np.allclose(x, wanted[:3, 3], atol=1e-14)
        assert np.allclose(Rotation.from_quat([qx, qy, qz, qw]).as_matrix(), wanted[:3, :3], atol=1e-14)


def test_at_zero_parts_are_where_the_scene_puts_them() -> None:
    scene = Scene.from_toml(ARM)
    without = Scene.from_toml(ARM[: ARM.index("[[joints]]")])
    assert part_poses(scene) == part_poses(without)


def test_moving_back_undoes_a_joint() -> None:
    scene = Scene.from_toml(ARM)
    pose = ((0.3, -0.1, 0.2), (0.8, 0.0, 0.6, 0.0))
    for name, value in (("slide", 0.03), ("elbow", -0.9), ("wrist", (0.1, 0.5, -0.2))):
        joint = scene.joint(name)
        x, q = joint.moved_back(joint.moved(pose, value), value)
        assert np.allclose(x, pose[0], atol=1e-15)
        assert np.allclose(q, pose[1], atol=1e-15)


def test_a_position_has_every_joint_and_reads_units() -> None:
    scene = Scene.from_toml(ARM)
    assert scene.position("folded") == {"slide": 0.02, "elbow": math.pi / 4, "wrist": (0.0, 0.0, 0.0)}
    assert scene.position("far out")["wrist"] == (0.1, math.radians(20.0), 0.0)
    with pytest.raises(SceneError, match='no position of this name; did you mean "folded"'):
        scene.position("foldet")


def test_saving_keeps_joints_positions_motions_and_remarks(tmp_path: Path) -> None:
    scene = Scene.from_toml(ARM)
    path = tmp_path / "arm.toml"
    changed = scene.with_value("elbow.value", "30 deg")
    changed.save(path)
    again = Scene.load(path)
    assert again == changed
    assert again.joint("elbow").setting == math.radians(30.0)
    assert "# with a remark" in path.read_text()
    changed.save(tmp_path / "arm.json")
    assert Scene.load(tmp_path / "arm.json") == changed
    built = Scene(parts=scene.parts, joints=scene.joints, positions=scene.positions, motions=scene.motions)
    built.save(tmp_path / "built.toml")
    assert Scene.load(tmp_path / "built.toml") == built


def test_the_schema_takes_it() -> None:
    validator = jsonschema.Draft202012Validator(json_schema())
    validator.validate(tomllib.loads(ARM))
    for old, new in (('kind = "ball"', 'kind = "bal"'), ("axis = [0, 1, 1]", "axis = [0, 1]"), ("time = 0", "tme = 0")):
        assert not validator.is_valid(tomllib.loads(ARM.replace(old, new)))


# (what is written, what is written instead, path, words of the message)
RULES = [
    ('part = "rail"', 'part = "rial"', "slide/part", 'there is no part of this name; did you mean "rail"?'),
    ('part = "arm"', 'part = "rail"', "elbow/part", "would close a loop"),
    ('name = "elbow"', 'name = "arm"', "arm/name", "must be unique"),
    ('parent = "rail"', 'parent = "hand"', "arm/parent", "must not lead back to the part itself: arm → hand → arm"),
    ("axis = [0, 0, 2]\n", "", "slide/axis", "is missing: the direction a slide"),
    ("axis = [0, 0, 2]", "axis = [0, 0, 0]", "slide/axis", "must not be the zero vector"),
    ('kind = "ball"', 'kind = "ball"\naxis = [1, 0, 0]', "wrist/axis", "a ball joint has no axis"),
    ('["-50 mm", "50 mm"]', '["50 mm", "-50 mm"]', "slide/range", "the smaller one first"),
    ('["-50 mm", "50 mm"]', '["10 mm", "50 mm"]', "slide/value", "0 is not in the range"),
    ('["-50 mm", "50 mm"]', '["-50 deg", "50 mm"]', "slide/range[0]", "is an angle; expected a length"),
    ('["-50 mm", "50 mm"]', '[nan, "50 mm"]', "slide/range[0]", "must be finite"),
    ('slide = "20 mm"', 'slide = "60 mm"', "positions.folded.slide", "range of slide, -50 mm to 50 mm"),
    ('slide = "20 mm"', "slide = nan", "positions.folded.slide", "must be finite"),
    ('slide = "20 mm"', 'slied = "20 mm"', "positions.folded.slied", 'no joint of this name; did you mean "slide"?'),
    ('elbow = "45 deg"', "elbow = [1, 0, 0]", "positions.folded.elbow", "must be one number: a hinge has one axis"),
    ('[0.1, "20 deg", 0]', "0.1", "positions.far out.wrist", "must be a rotation vector"),
    ('[0.1, "20 deg", 0]', "[1.1, 0, 0]", "positions.far out.wrist", "range of wrist, 0° to 57.2958°"),
    ('time = "1 s"', "time = 0", "wave/keyframe 2.time", "must be later than the 0 s"),
    ('time = "1 s"', "time = nan", "wave/keyframe 2.time", "must be finite"),
    ('elbow = "60 deg"', 'elbow = "91 deg"', "wave/keyframe 2.joints.elbow", "must lie in the range"),
    ('{ elbow = "60 deg", slide = "10 mm" }', "{}", "wave/keyframe 2.joints", "must name at least one joint"),
    ("keyframes = [", 'tracks = [{ part = "hand", file = "a.csv" }]\nkeyframes = [', "wave", "keyframes or tracks"),
]


@pytest.mark.parametrize(("old", "new", "path", "words"), RULES, ids=[f"{k[2]}: {k[3]}" for k in RULES])
def test_what_is_wrong_is_said(old: str, new: str, path: str, words: str) -> None:
    assert old in ARM
    with pytest.raises(SceneError) as caught:
        Scene.from_toml(ARM.replace(old, new, 1))
    told = [(k.path, k.message) for k in caught.value.problems]
    assert any(path in where and words in message for where, message in told), told


def test_a_joint_on_a_free_part_makes_a_machine() -> None:
    text = ARM.replace(
        'name = "rail"\nmotion = "driven"',
        'name = "rail"\nmotion = "free"\nmass = 1\nshape = { kind = "sphere", radius = 0.01 }',
    )
    assert Scene.from_toml(text).is_machine
    assert not Scene.from_toml(ARM).is_machine


@pytest.mark.parametrize(
    ("track", "words"),
    [
        ('{ part = "hnd", file = "a.csv" }', 'no part of this name; did you mean "hand"'),
        ('{ part = "hand", file = "a.csv" }', "must not be moved by a joint as well"),
        ('{ part = "plate", file = "a.txt" }', "must end in .csv or .npz"),
        ('{ part = "plate", file = "a.csv" }, { part = "plate", file = "b.csv" }', "one track in a motion"),
    ],
)
def test_tracks_that_fit_no_part_are_refused(track: str, words: str) -> None:
    text = ARM + f'[[motions]]\nname = "lift"\ntracks = [{track}]\n[[parts]]\nname = "plate"\nmotion = "driven"\n'
    with pytest.raises(SceneError, match=words):
        Scene.from_toml(text)


def test_a_scene_saved_elsewhere_still_finds_its_recordings(tmp_path: Path) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    text = '[[parts]]\nname = "plate"\nmotion = "driven"\n'
    text += '[[motions]]\nname = "lift"\ntracks = [{ part = "plate", file = "a.csv" }]\n'
    (tmp_path / "here" / "a.toml").write_text(text)
    Scene.load(tmp_path / "here" / "a.toml").save(tmp_path / "there" / "b.toml")
    assert Scene.load(tmp_path / "there" / "b.toml").motions[0].tracks[0].file == "../here/a.csv"
