"""Edits do what they say, keep what they do not name, and leave nothing when they fail."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh

from lissom.scene import SceneError
from lissom.session.messages.commands import (
    AddCable,
    AddClip,
    AddMeasure,
    AddPart,
    AddPoints,
    AddShape,
    AddType,
    Arrange,
    Command,
    Duplicate,
    Edit,
    Freeze,
    Join,
    Lengthen,
    Mount,
    Plot,
    Redo,
    Remove,
    Rename,
    Reset,
    Script,
    Simulate,
    Soften,
    Solve,
    SpaceClips,
    Undo,
)
from lissom.session.messages.events import Notice
from lissom.session.messages.values import Pick
from lissom.session.session import Session
from lissom.session.shapes import readouts
from lissom.session.uploads import keep_upload
from lissom.session.workspace import WorkspaceError
from tests.session.scenes import HARNESS, apart, certified, make_session, points, said, same, shape_of, told


def sphere(radius: float) -> bytes:
    made = trimesh.creation.icosphere(subdivisions=2, radius=radius)
    return bytes(made.export(file_type="stl"))


# ---- fields ----------------------------------------------------------------------------------------------------------


def test_several_fields_at_once_are_one_step(hose: Session) -> None:
    before = shape_of(hose)
    hose.do(Edit({"hose/length": "450 mm", "gravity": [0.0, 0.0, 0.0], "types.rubber.radius": 0.006}))
    scene = hose.simulation.scene
    assert scene.cable("hose").length == pytest.approx(0.45)
    assert scene.type_of("hose").radius == 0.006
    assert hose.simulation.cable("hose").length == pytest.approx(0.45)
    assert certified(hose)
    hose.do(Undo())
    assert same(shape_of(hose), before)
    assert hose.simulation.scene.cable("hose").length == 0.4


@pytest.mark.parametrize(
    "command",
    [
        Edit({"hose/length": "long"}),
        Edit({"hoze/length": 0.5}),
        AddClip("hose", 1.5),
        SpaceClips("hose", -1),
        AddCable(Mount((0, 0, 0), (1, 0, 0)), Mount((0, 0, 0), (1, 0, 0))),
        AddShape("box", {"kind": "box", "size": [-1, 1, 1]}),
        Join(["hose/end"]),
        Join(["hose/end", "hose/middle"]),
        Remove(["hose/clip 9"]),
        Remove(["nothing"]),
        Duplicate("nothing"),
        Rename("nothing", "else"),
        Rename("hose/end", "else"),
        Lengthen("hose"),
        Lengthen("hose", by=-1.0),
        Soften("hose", bent=2.0),
        Freeze("hose"),
    ],
    ids=str,
)
def test_what_cannot_be_done_changes_not_one_bit(hose: Session, command: Command) -> None:
    hose.do(AddClip("hose", 0.5, "ball"))
    before, scene, script = shape_of(hose), hose.simulation.scene, hose.script
    label = hose.history.undo_label
    with pytest.raises((SceneError, ValueError)):
        hose.do(command)
    assert same(shape_of(hose), before)
    assert hose.simulation.scene == scene
    assert hose.script == script
    assert hose.history.undo_label == label
    assert hose.report.ok


def test_a_failed_edit_keeps_the_mode_of_a_length(hose: Session) -> None:
    """Going back used to leave every routing mode."""
    length = hose.do(Soften("hose", bent=0.4))
    with pytest.raises(SceneError):
        hose.do(Edit({"hose/length": -1.0}))
    mode = hose.simulation.mode("hose")
    assert mode is not None
    assert mode.length == length


# ---- clips -----------------------------------------------------------------------------------------------------------


def test_a_new_clip_holds_the_cable_where_it_is(hose: Session) -> None:
    before = points(hose)
    assert hose.do(AddClip("hose", 0.5, "clamp")) == "hose/clip 1"
    clip = said(hose).clip("clip 1")
    np.testing.assert_allclose(clip.position, before[20], atol=1e-6)
    assert np.abs(points(hose) - before).max() < 2e-6


def test_clips_are_spaced_evenly(hose: Session) -> None:
    hose.do(AddClip("hose", 0.1))
    assert hose.do(SpaceClips("hose", 3, "ball")) == ["hose/clip 1", "hose/clip 2", "hose/clip 3"]
    assert [k.at for k in hose.simulation.scene.cable("hose").clips] == pytest.approx([0.25, 0.5, 0.75])
    assert certified(hose)


# ---- cables, parts, junctions ----------------------------------------------------------------------------------------


def test_a_new_cable_finds_a_length_with_some_slack(hose: Session) -> None:
    name = hose.do(AddCable(Mount((0.0, 0.1, 0.0), (1, 0, 0)), Mount((0.3, 0.1, 0.0), (1, 0, 0))))
    cable = hose.simulation.scene.cable(name)
    assert cable.type == "rubber"  # as the last one
    assert 0.3 < cable.length < 0.6
    np.testing.assert_allclose(points(hose, name)[[0, -1]], [[0, 0.1, 0], [0.3, 0.1, 0]], atol=1e-7)
    np.testing.assert_allclose(hose.simulation.cable(name).tangents[[0, -1]], [[1, 0, 0], [1, 0, 0]], atol=1e-6)
    assert certified(hose)


def test_the_first_cable_of_an_empty_scene_has_a_type(tmp_path: Path) -> None:
    """It used to name a type that the library does not have."""
    session = make_session(tmp_path, {"title": "empty"})
    name = session.do(AddCable(Mount((0, 0, 0), (1, 0, 0)), Mount((0.3, 0, 0), (1, 0, 0)), length=0.4))
    assert certified(session)
    assert session.simulation.cable(name).length == pytest.approx(0.4)


def test_a_cable_on_a_turned_part_is_where_it_was_clicked(hose: Session) -> None:
    hose.do(AddShape("box", {"kind": "box", "size": [0.05, 0.05, 0.05]}, (0.5, 0.0, 0.0)))
    hose.do(Edit({"box/quaternion": [math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0], "box/collide": False}))
    name = hose.do(AddCable(Mount((0.1, 0.2, 0.0), (1, 0, 0)), Mount((0.5, 0.0, 0.03), (0, 0, -1), on="box")))
    result = hose.simulation.cable(name)
    np.testing.assert_allclose(result.positions[-1], [0.5, 0.0, 0.03], atol=1e-7)
    np.testing.assert_allclose(result.tangents[-1], [0.0, 0.0, -1.0], atol=1e-6)
    assert said(hose, name).end.on == "box"


def test_an_uploaded_mesh_becomes_a_part_of_its_units(hose: Session) -> None:
    key = keep_upload(hose.workspace, "Ball.STL", sphere(20.0))
    name = hose.do(AddPart(key, "ball", "mm", position=(0.15, 0.0, -0.3)))
    part = hose.simulation.scene.part(name)
    assert part.mesh == "meshes/ball.stl"
    solid = hose.simulation.solid(name)
    assert solid is not None
    file = hose.workspace.folder / "meshes/ball.stl"
    assert file.read_bytes() == sphere(20.0)
    near = min(readouts(hose).cables, key=lambda k: k.name).clearance
    gap = np.linalg.norm(points(hose) - np.array([0.15, 0.0, -0.3]), axis=1).min() - 0.02 - 0.004
    assert near == pytest.approx(gap, abs=5e-4)  # a ball of triangles
    assert not any(isinstance(k, Notice) for k in told(hose))


def test_a_part_of_the_wrong_units_is_said(hose: Session) -> None:
    key = keep_upload(hose.workspace, "ball.stl", sphere(200.0))
    hose.do(AddPart(key, "ball", "m", position=(1000.0, 0.0, 0.0)))
    assert "times larger than the longest cable: are its units right?" in told(hose).texts()


def test_a_mesh_that_cannot_be_read_leaves_no_file(hose: Session) -> None:
    key = keep_upload(hose.workspace, "bad.stl", b"solid nothing\nendsolid")
    with pytest.raises(SceneError):
        hose.do(AddPart(key, "bad", "mm"))
    assert list((hose.workspace.folder / "meshes").iterdir()) == []
    assert hose.simulation.scene.parts == ()


def test_the_axis_that_was_up_points_up(hose: Session) -> None:
    tall = trimesh.creation.box(extents=(10.0, 60.0, 10.0))
    key = keep_upload(hose.workspace, "tall.stl", bytes(tall.export(file_type="stl")))
    hose.do(AddPart(key, "tall", "mm", up="y", position=(0.0, 1.0, 0.0)))
    q = np.array(hose.simulation.pose("tall")[1])
    w, x, y, z = q
    up = np.array([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)])  # its y axis
    np.testing.assert_allclose(up, [0, 0, 1], atol=1e-12)


def test_a_page_cannot_point_a_mesh_out_of_the_workspace(hose: Session, tmp_path: Path) -> None:
    key = keep_upload(hose.workspace, "ball.stl", sphere(20.0))
    hose.do(AddPart(key, "ball", "mm", position=(0.0, 1.0, 0.0)))
    outside = tmp_path.parent / "outside.stl"
    outside.write_bytes(sphere(10.0))
    for path in (str(outside), "../outside.stl"):
        with pytest.raises(WorkspaceError, match="out of the workspace"):
            hose.do(Edit({"ball/mesh": path}))
    assert hose.simulation.scene.part("ball").mesh == "meshes/ball.stl"


def test_joined_ends_keep_their_pose(tmp_path: Path) -> None:
    scene = {**HARNESS, "junctions": [], "parts": []}
    cables = [dict(k) for k in HARNESS["cables"]]
    cables[0]["end"] = {"position": [0.25, 0.0, 0.1], "tangent": [1, 0, 0]}
    cables[1] |= {"start": {"position": [0.25, 0.0, 0.1], "tangent": [1, 0.5, 0]}}
    cables[1]["end"] = {"position": [0.4, 0.12, 0.05], "tangent": [1, 0, 0]}
    session = make_session(tmp_path, {**scene, "cables": cables[:2]})
    before = shape_of(session)
    ends = {k: session.simulation.cable(k).quaternions for k in ("trunk", "left")}
    assert session.do(Join(["trunk/end", "left/start"], motion="held")) == "junction 1"
    assert apart(shape_of(session), before) < 1e-6
    assert abs(session.simulation.cable("left").quaternions[0] @ ends["left"][0]) == pytest.approx(1.0, abs=1e-9)
    assert session.simulation.scene.cable("trunk").end is None
    session.do(Undo())
    session.do(Join(["trunk/end", "left/start"]))
    moved = session.simulation.pose("junction 1")[0]
    assert math.dist(moved, (0.25, 0.0, 0.1)) > 1e-4  # free: it goes to rest
    assert certified(session)
    np.testing.assert_allclose(points(session, "trunk")[-1], moved, atol=1e-7)
    np.testing.assert_allclose(points(session, "left")[0], moved, atol=1e-7)


@pytest.mark.parametrize("gone", ["plug", "Y", "right"])
def test_what_a_removed_thing_held_stays_where_it_is(harness: Session, gone: str) -> None:
    before = shape_of(harness)
    harness.do(Remove([gone]))
    after = shape_of(harness)
    assert set(before) - set(after) == ({gone} if gone in before else set())
    kept = {k: v for k, v in before.items() if k in after}
    if gone == "right":  # the junction still joins the other two, which move
        assert {m.cable for m in harness.simulation.scene.junction("Y").members} == {"trunk", "left"}
    else:
        assert apart(after, kept) < 1e-5
    assert certified(harness)
    harness.do(Undo())
    assert same(shape_of(harness), before)


def test_a_junction_of_one_cable_goes_with_the_other(harness: Session) -> None:
    harness.do(Remove(["right"]))
    before = points(harness, "trunk")
    harness.do(Remove(["left"]))
    assert harness.simulation.scene.junctions == ()
    assert np.abs(points(harness, "trunk") - before).max() < 1e-5
    assert said(harness, "trunk").end.quaternion is not None


def test_a_ball_on_a_part_stays_a_ball_when_the_part_goes(harness: Session) -> None:
    """It used to become a clamp."""
    harness.do(Edit({"left/end": {"on": "plug", "position": [0.0, 0.0, 0.0]}}))
    before = points(harness, "left")
    harness.do(Remove(["plug"]))
    assert [k.kind for k in harness.simulation.supports("left")][-1] == "ball"
    assert np.abs(points(harness, "left") - before).max() < 1e-5


@pytest.mark.parametrize("old", ["left", "plug", "Y", "bar", "types.loom"])
def test_another_name_keeps_every_shape_and_reference(harness: Session, old: str) -> None:
    harness.do(Arrange(hidden=["bar", "left"], groups={"g": ["left", "plug"]}))
    harness.do(AddMeasure(Pick("place", (0, 0, 0), "left", 0.5), Pick("part", (0, 0, 0), "bar")))
    harness.do(AddPoints("scan", "0.3,0,0.1\n0.4,0.05,0.1", "m", "left"))
    harness.do(Plot("left"))
    contacts = [(k.cable, k.part, k.force.tolist()) for k in harness.simulation.contacts]
    assert contacts
    before, values = shape_of(harness), readouts(harness).measures
    harness.do(Rename(old, "other"))
    name = old.removeprefix("types.")

    def again(k: str) -> str:
        return "other" if k == name else k

    assert same(shape_of(harness), {again(k): v for k, v in before.items()})
    assert certified(harness)
    assert readouts(harness).measures == values
    assert name not in str(harness.simulation.scene.to_dict()).replace("holder", "").split("'")
    assert [(k.cable, k.part, k.force.tolist()) for k in harness.simulation.contacts] == [
        (again(a), again(b), f) for a, b, f in contacts
    ]
    assert list(harness.desk.hidden) == [again("bar"), again("left")]
    assert list(harness.desk.groups["g"]) == [again("left"), again("plug")]
    assert harness.desk.points[0].cable == again("left")
    assert harness.plotted == again("left")
    assert len(readouts(harness).deviations) == 1


def test_another_name_of_a_clip(hose: Session) -> None:
    hose.do(AddClip("hose", 0.5, "ball"))
    before = shape_of(hose)
    hose.do(Rename("hose/clip 1", "bracket"))
    assert same(shape_of(hose), before)
    assert set(hose.simulation.cable("hose").reactions) == {"start", "bracket", "end"}


def test_a_copy_hangs_beside_its_original(harness: Session) -> None:
    name = harness.do(Duplicate("bar", (0.0, 0.0, -0.2)))
    assert name == "bar copy"
    np.testing.assert_allclose(harness.simulation.pose(name)[0], [0.15, 0.0, -0.11])
    harness.do(Remove(["Y"]))
    name = harness.do(Duplicate("right", (0.0, 0.0, 0.2)))
    shift = points(harness, name) - points(harness, "right")
    assert np.abs(shift - np.array([0.0, 0.0, 0.2])).max() < 1e-5


def test_a_copy_of_a_part_lies_where_nothing_is(harness: Session) -> None:
    """It used to be put 50 mm above, into the cable that ran there: seconds of solving, and no equilibrium."""
    before = points(harness, "trunk")
    name = harness.do(Duplicate("bar"))
    assert harness.report.ok
    assert np.abs(points(harness, "trunk") - before).max() < 1e-6
    assert np.linalg.norm(np.subtract(harness.simulation.pose(name)[0], harness.simulation.pose("bar")[0])) > 0.04
    assert f"name={name!r}" in harness.do(Script())


def test_a_new_type_is_a_copy_that_others_do_not_share(hose: Session) -> None:
    before = shape_of(hose)
    hose.do(AddType("stiff", "hose", "hose"))
    assert said(hose).type == "stiff"
    assert apart(shape_of(hose), before) < 1e-6
    hose.do(Edit({"types.stiff.stiffness.bending": 0.04}))
    types = hose.simulation.scene.to_dict()["types"]
    assert (types["rubber"]["stiffness"]["bending"], types["stiff"]["stiffness"]["bending"]) == (0.02, 0.04)
    hose.do(AddType("own", "library:brake-hose-epdm"))
    assert hose.simulation.scene.types["own"].section is not None
    hose.do(Edit({"types.own": None}))
    assert "own" not in hose.simulation.scene.types
    for name, like in (("rubber", "stiff"), ("", "stiff"), ("a.b", "stiff"), ("new", "nothing")):
        with pytest.raises(ValueError, match="type"):
            hose.do(AddType(name, like))


def test_what_a_cable_is_made_of_becomes_a_type(hose: Session) -> None:
    made = {"hose/type": None, "hose/radius": 0.003, "hose/stiffness": {"bending": 0.01, "torsion": 0.01}}
    hose.do(Edit({**made, "hose/mass_per_length": 0.05, "hose/limits": {"bend_radius": 0.02}}))
    hose.do(AddType("own", "hose", "hose"))
    assert said(hose).type == "own"
    assert said(hose).radius is None
    assert hose.simulation.scene.to_dict()["types"]["own"]["limits"] == {"bend_radius": 0.02}


# ---- undo, and what waits --------------------------------------------------------------------------------------------


def test_a_chain_of_undo_and_redo_passes_the_same_shapes(hose: Session) -> None:
    steps: list[Callable[[], object]] = [
        lambda: hose.do(AddClip("hose", 0.5)),
        lambda: hose.do(Edit({"hose/length": 0.45})),
        lambda: hose.do(Rename("hose", "tube")),
        lambda: hose.do(AddShape("box", {"kind": "box", "size": [0.1, 0.1, 0.1]}, (0.15, 0.0, -0.3))),
        lambda: hose.do(Remove(["tube/clip 1"])),
    ]
    passed = [shape_of(hose)]
    for step in steps:
        step()
        passed.append(shape_of(hose))
    for before in reversed(passed[:-1]):
        hose.do(Undo())
        assert same(shape_of(hose), before)
    with pytest.raises(ValueError, match="nothing to undo"):
        hose.do(Undo())
    for after in passed[1:]:
        hose.do(Redo())
        assert same(shape_of(hose), after)
    with pytest.raises(ValueError, match="nothing to redo"):
        hose.do(Redo())


def test_undo_takes_up_the_mode_of_a_length(hose: Session) -> None:
    hose.do(Soften("hose", bent=0.3))
    before = shape_of(hose)
    hose.do(Freeze("hose"))
    assert hose.simulation.mode("hose") is None
    hose.do(Undo())
    assert hose.simulation.mode("hose") is not None
    assert same(shape_of(hose), before)
    hose.do(Undo())
    assert hose.simulation.mode("hose") is None
    assert hose.simulation.cable("hose").length == pytest.approx(0.4)


def test_reset_is_a_step_back_to_the_beginning(hose: Session) -> None:
    before = shape_of(hose)
    hose.do(Edit({"hose/length": 0.45}))
    hose.do(AddClip("hose", 0.3))
    after = shape_of(hose)
    hose.do(Reset())
    assert same(shape_of(hose), before)
    hose.do(Undo())
    assert same(shape_of(hose), after)


def test_without_simulation_cables_wait_for_a_solve(hose: Session) -> None:
    before = points(hose)
    hose.do(Simulate(False))
    hose.do(Edit({"hose/length": 0.45}))
    assert hose.simulation.scene.cable("hose").length == 0.45
    assert np.array_equal(points(hose), before)
    assert hose.do(Solve())["status"] == "converged"
    assert hose.simulation.cable("hose").length == pytest.approx(0.45)
    hose.do(Solve(cold=True))
    assert certified(hose)
    hose.do(Simulate(True))
    assert hose.simulate


def test_a_slide_of_a_slider_is_one_step_of_undo(hose: Session) -> None:
    """Each of its values used to be a step, and only the page knew which belonged together."""
    before = shape_of(hose)
    hose.do(Edit({"hose/friction": 0.1}))
    for k, length in enumerate((0.41, 0.42, 0.43)):
        hose.do(Edit({"hose/length": length}, more=k > 0))
    hose.do(Undo())
    assert said(hose).length == 0.4
    assert hose.history.undo_label == "set hose/friction"
    hose.do(Redo())
    assert said(hose).length == 0.43
    hose.do(Edit({"hose/length": 0.44}))  # another slide
    hose.do(Edit({"hose/length": 0.45}, more=True))
    hose.do(Undo())
    assert said(hose).length == 0.43
    hose.do(Undo())
    hose.do(Undo())
    assert same(shape_of(hose), before)


def test_more_of_another_edit_is_a_step_of_its_own(hose: Session) -> None:
    hose.do(Edit({"hose/length": 0.41}))
    hose.do(Edit({"gravity": [0.0, 0.0, -5.0]}, more=True))
    hose.do(Undo())
    assert said(hose).length == 0.41
    hose.do(Soften("hose", 0.3, more=True))
    hose.do(Soften("hose", 0.4, more=True))
    hose.do(Undo())
    assert said(hose).length == 0.41
