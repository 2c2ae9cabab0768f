"""Where things on parts are in the world, against scipy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from lissom.scene import Part, Scene, SceneError
from lissom.scene.frames import frame_quaternion
from lissom.scene.placing import local_pose, mounts, part_poses, placed, world_pose
from lissom.scene.pose import Pose, composed, relative, turned

numbers = st.floats(-3, 3)
vectors = st.tuples(numbers, numbers, numbers)
quaternions = (
    st.tuples(*[st.floats(-1, 1)] * 4)
    .filter(lambda q: math.hypot(*q) > 0.1)
    .map(lambda q: tuple(c / math.hypot(*q) for c in q))
)


def rotation(q: Any) -> Rotation:
    return Rotation.from_quat(q, scalar_first=True)


def matrix(pose: Pose) -> Any:
    found = np.eye(4)
    found[:3, :3] = rotation(pose[1]).as_matrix()
    found[:3, 3] = pose[0]
    return found


@given(st.tuples(vectors, quaternions), st.tuples(vectors, quaternions), vectors)
def test_poses_against_matrices(a: Any, b: Any, v: Any) -> None:
    assert turned(a[1], v) == pytest.approx(rotation(a[1]).apply(v), abs=1e-12)
    assert matrix(composed(a, b)) == pytest.approx(matrix(a) @ matrix(b), abs=1e-12)
    assert matrix(relative(a, b)) == pytest.approx(np.linalg.inv(matrix(a)) @ matrix(b), abs=1e-11)
    assert matrix(composed(a, relative(a, b))) == pytest.approx(matrix(b), abs=1e-11)


@given(st.lists(st.tuples(vectors, quaternions, st.integers(0, 100)), min_size=1, max_size=8), st.randoms())
@settings(max_examples=60)
def test_parts_with_parents_against_matrices(said: list[Any], chance: Any) -> None:
    """In any order: parents may be written after their children."""
    expected: list[Any] = []
    parts = []
    for i, (position, quaternion, above) in enumerate(said):
        own = matrix((position, quaternion))
        part = {"name": f"p{i}", "position": position, "quaternion": quaternion}
        if i and above % 3:
            part["parent"] = f"p{above % i}"
            own = expected[above % i] @ own
        expected.append(own)
        parts.append(part)
    chance.shuffle(parts)
    scene = Scene.from_dict({"parts": parts})
    poses = part_poses(scene)
    assert list(poses) == [part["name"] for part in parts]
    for i, own in enumerate(expected):
        assert matrix(poses[f"p{i}"]) == pytest.approx(own, abs=1e-9)


def test_children_go_with_a_part_that_was_moved() -> None:
    scene = Scene.from_dict(
        {
            "parts": [
                {"name": "hand", "parent": "arm", "position": [0, 0, 1]},
                {"name": "arm", "parent": "base", "position": [1, 0, 0]},
                {"name": "base", "position": [5, 0, 0]},
            ]
        }
    )
    assert part_poses(scene)["hand"][0] == (6.0, 0.0, 1.0)
    turn = Rotation.from_euler("x", 90, degrees=True).as_quat(scalar_first=True)
    poses = part_poses(scene, {"arm": ((0.0, 0.0, 7.0), tuple(2 * turn))})
    assert poses["base"][0] == (5.0, 0.0, 0.0)
    assert poses["arm"][0] == (0.0, 0.0, 7.0)
    assert poses["hand"][0] == pytest.approx((0.0, -1.0, 7.0))
    assert math.hypot(*poses["arm"][1]) == pytest.approx(1.0)


CABLE = {
    "name": "h",
    "type": "library:rg-58",
    "length": 1,
    "start": {"on": "a", "frame": "full"},
    "end": {"on": "a", "position": [0, 0.1, 0], "tangent": [0, 3, 0], "roll": "30 deg"},
    "clips": [
        {"at": 0.2, "on": "b", "frame": "way"},
        {"at": 0.4, "on": "b", "frame": "point"},
        {"from_end": 0.4, "on": "b", "position": [0, 0, 0.2], "tangent": [1, 1, 0]},
        {"kind": "ring", "on": "a", "frame": "full"},
        {"kind": "sleeve", "at": 0.9, "on": "a", "frame": "full"},
        {"at": 0.95, "position": [1, 1, 1]},
    ],
}
TURN = Rotation.from_euler("xyz", [0.3, -0.8, 1.1])
Q = tuple(TURN.as_quat(scalar_first=True))
FULL = Rotation.from_euler("xyz", [1.3, 0.2, -0.4])
PARTS = [
    {"name": "a", "position": [1, 2, 3], "quaternion": Q}
    | {"frames": {"full": {"position": [0.1, 0, 0], "quaternion": tuple(FULL.as_quat(scalar_first=True))}}},
    {
        "name": "b",
        "parent": "a",
        "position": [0, 0, 1],
        "frames": {"way": {"position": [0, 0, 0], "tangent": [0, 0, 2]}, "point": {"position": [0, 1, 0]}},
    },
]


def test_ends_and_clips_in_the_world() -> None:
    scene = Scene.from_dict({"cables": [CABLE], "parts": PARTS})
    cable = placed(scene, scene.cable("h"))
    at = np.array([1, 2, 3])
    assert cable.start is not None
    assert cable.end is not None
    assert cable.start.position == pytest.approx(TURN.apply([0.1, 0, 0]) + at)
    assert rotation(cable.start.quaternion).as_matrix() == pytest.approx((TURN * FULL).as_matrix())
    assert cable.end.position == pytest.approx(TURN.apply([0, 0.1, 0]) + at)
    local = rotation(frame_quaternion((0, 3, 0), math.radians(30)))
    assert rotation(cable.end.quaternion).as_matrix() == pytest.approx((TURN * local).as_matrix())
    tied, point, bare, ring, sleeve, loose = cable.clips
    assert tied.position == pytest.approx(TURN.apply([0, 0, 1]) + at)
    assert tied.tangent == pytest.approx(TURN.apply([0, 0, 1]))  # without roll it stays a tangent
    assert (tied.kind, tied.quaternion, tied.roll) == ("clamp", None, None)
    assert point.position == pytest.approx(TURN.apply([0, 1, 1]) + at)
    assert (point.kind, point.tangent, point.quaternion) == ("ball", None, None)
    assert bare.tangent == pytest.approx(TURN.apply([1, 1, 0]) / math.sqrt(2))
    assert bare.place(1.0) == pytest.approx(0.6)
    assert (ring.kind, ring.direction, ring.place(1.0)) == ("ring", None, None)
    assert sleeve.direction == pytest.approx((TURN * FULL).apply([0, 0, 1]))
    assert loose == scene.cable("h").clips[5]
    assert all(held.on is None and held.frame is None for held in (cable.start, cable.end, *cable.clips))
    assert cable.model_copy(update={"start": None, "end": None, "clips": ()}) == scene.cable("h").model_copy(
        update={"start": None, "end": None, "clips": ()}
    )


def test_parts_that_have_moved() -> None:
    scene = Scene.from_dict({"cables": [CABLE], "parts": PARTS})
    poses = part_poses(scene, {"a": ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))})
    cable = placed(scene, scene.cable("h"), poses)
    assert cable.start is not None
    assert cable.start.position == (0.1, 0.0, 0.0)
    assert cable.clips[1].position == (0.0, 1.0, 1.0)


def test_a_cable_on_nothing_stays_as_it_is(full: str) -> None:
    scene = Scene.from_toml(full)
    for cable in scene.cables:
        assert placed(scene, cable) is cable
        assert mounts(scene, cable) == []


def test_mounts() -> None:
    scene = Scene.from_dict({"cables": [CABLE], "parts": PARTS})
    found = mounts(scene, scene.cable("h"))
    assert found == [("a", 0.0), ("a", 1.0), ("b", 0.2), ("b", 0.4), ("b", 0.6), ("a", None), ("a", 0.9)]


@given(vectors, quaternions)
def test_a_moved_end_is_written_in_the_axes_of_its_part(position: Any, quaternion: Any) -> None:
    scene = Scene.from_dict({"cables": [CABLE], "parts": PARTS})
    x, q = local_pose(scene, "b", position, quaternion)
    end = {"on": "b", "position": x, "quaternion": q}
    moved = placed(scene, scene.with_value("h/end", end).cable("h")).end
    assert moved is not None
    assert moved.position == pytest.approx(position, abs=1e-12)
    assert rotation(moved.quaternion).as_matrix() == pytest.approx(rotation(quaternion).as_matrix(), abs=1e-12)
    back = world_pose(scene, "b", x, q)
    assert back[0] == pytest.approx(position, abs=1e-12)
    poses = part_poses(scene, {"a": ((4.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))})
    assert local_pose(scene, "a", position, quaternion, poses)[0] == pytest.approx(np.subtract(position, (4, 0, 0)))


def test_unknown_parts() -> None:
    with pytest.raises(SceneError, match='did you mean "ab"'):
        local_pose(Scene(parts=(Part(name="ab"),)), "abc", (0, 0, 0), (1, 0, 0, 0))


def test_the_rods_read_it_as_if_it_were_written_in_the_world() -> None:
    from lissom.rods.reading import read_line

    scene = Scene.from_dict({"cables": [CABLE], "parts": PARTS})
    world = Scene.from_dict({"cables": [placed(scene, scene.cable("h"))]})
    a, b = read_line(scene, scene.cable("h")), read_line(world, world.cable("h"))
    assert a.supports == b.supports
    moved = read_line(scene, scene.cable("h"), part_poses(scene, {"a": ((9.0, 9.0, 9.0), Q)}))
    assert np.subtract(moved.supports[0].position, a.supports[0].position) == pytest.approx([8, 7, 6])
