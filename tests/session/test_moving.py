"""Drags end where they are wanted, or at the border of what can be; let go, nothing is left of them."""

import math
from pathlib import Path

import numpy as np
import pytest

from lissom.scene import SceneError
from lissom.scene.frames import frame_quaternion
from lissom.session.messages.commands import (
    AddClip,
    Arrange,
    Cancel,
    ClipKind,
    Drag,
    Drop,
    Edit,
    Grab,
    Move,
    Redo,
    Turn,
    Undo,
)
from lissom.session.session import Session
from tests.session.scenes import HARNESS, HOSE, apart, certified, make_session, points, said, same, shape_of

WARM = 1e-7
"""m: what a solve that goes on from the last leaves of the closure, for cables of less than a metre."""


def test_a_dragged_end_is_where_it_was_put(hose: Session) -> None:
    grabbed = hose.do(Grab("hose/end"))
    assert grabbed["path"] == "hose/end"
    np.testing.assert_allclose(grabbed["position"], [0.3, 0.0, -0.05])
    for k in range(1, 6):
        hose.do(Drag((0.3, 0.01 * k, -0.05)))
        assert certified(hose)
    np.testing.assert_allclose(points(hose)[-1], [0.3, 0.05, -0.05], atol=WARM)
    assert hose.held is not None
    assert hose.held.reason == ""
    hose.do(Drop())
    assert hose.grabbed is None
    assert hose.held is None
    np.testing.assert_allclose(said(hose).end.position, [0.3, 0.05, -0.05], atol=1e-12)
    assert hose.history.undo_label == "drag hose/end"
    assert hose.unsaved


def test_a_drag_too_far_stops_where_the_cable_is_taut(hose: Session) -> None:
    hose.do(Grab("hose/end"))
    hose.do(Drag((5.0, 1.0, 0.5)))
    held = hose.held
    assert held is not None
    reach = math.dist(held.position, (0.0, 0.0, 0.0))
    assert 0.98 * 0.4 < reach <= 0.4
    assert "too short" in held.reason
    assert held.wanted == (5.0, 1.0, 0.5)
    assert hose.report.status == "converged"
    np.testing.assert_allclose(points(hose)[-1], held.position, atol=WARM)
    hose.do(Drag((0.3, 0.0, 0.0)))  # and back again
    np.testing.assert_allclose(points(hose)[-1], [0.3, 0.0, 0.0], atol=WARM)
    assert hose.held is not None
    assert hose.held.reason == ""


def test_a_grip_that_is_let_go_leaves_nothing(hose: Session) -> None:
    before = shape_of(hose)
    path = hose.do(Grab("hose", at=0.5))["path"]
    assert path == "hose/grip 1"
    assert apart(shape_of(hose), before) < 1e-6 or len(points(hose)) != 41  # nothing jumps when it is taken
    hose.do(Drag((0.15, 0.05, -0.08)))
    assert np.abs(points(hose) - np.array([0.15, 0.05, -0.08])).sum(axis=1).min() < WARM
    hose.do(Drop())
    assert [k.name for k in hose.simulation.supports("hose")] == ["start", "end"]
    assert apart(shape_of(hose), before) < 1e-6


def test_a_grip_without_a_move_changes_not_one_bit(hose: Session) -> None:
    before = shape_of(hose)
    hose.do(Grab("hose", at=0.37))
    hose.do(Drop())
    assert same(shape_of(hose), before)
    assert hose.history.undo_label == ""
    assert not hose.unsaved


@pytest.mark.parametrize("kind", ["ring", "sleeve"])
def test_a_grip_kept_as_a_clip_that_slides_finds_its_place(hose: Session, kind: ClipKind) -> None:
    hose.do(Grab("hose", at=0.5))
    hose.do(Drag((0.15, 0.03, -0.07)))
    held = sum(hose.simulation.cable("hose").energy.values())
    assert hose.do(Drop(keep=kind)) == "hose/clip 1"
    assert hose.simulation.scene.cable("hose").clip("clip 1").kind == kind
    clip = hose.simulation.supports("hose")[1]
    np.testing.assert_allclose(clip.position, [0.15, 0.03, -0.07], atol=WARM)
    assert clip.place != pytest.approx(0.2, abs=1e-4)  # it slid
    assert sum(hose.simulation.cable("hose").energy.values()) < held
    assert certified(hose)


@pytest.mark.parametrize("kind", ["clamp", "ball", "swivel"])
def test_a_grip_kept_as_a_clip_does_not_move_the_shape(hose: Session, kind: ClipKind) -> None:
    hose.do(Grab("hose", at=0.5))
    x = hose.simulation.cable("hose").positions[20]
    hose.do(Drag((float(x[0]), 0.03, float(x[2]) - 0.01)))
    before = points(hose)
    path = hose.do(Drop(keep=kind))
    assert path == "hose/clip 1"
    assert hose.simulation.scene.cable("hose").clip("clip 1").kind == kind
    assert np.abs(points(hose) - before).max() < 2e-6
    assert certified(hose)
    hose.do(Undo())
    assert hose.simulation.scene.cable("hose").clips == ()


def test_cancel_goes_back_to_the_last_bit(harness: Session) -> None:
    before = shape_of(harness)
    harness.do(Grab("plug"))
    harness.do(Drag((0.42, 0.15, 0.02)))
    assert apart(shape_of(harness), before) > 0.01
    harness.do(Cancel())
    assert same(shape_of(harness), before)
    assert harness.history.undo_label == ""


def test_undo_while_dragging_takes_the_drag_back_and_no_more(harness: Session) -> None:
    """It used to take back the edit before as well, and that could not be done again by itself."""
    harness.do(Edit({"trunk/length": 0.33}))
    before = shape_of(harness)
    harness.do(Grab("plug"))
    harness.do(Drag((0.42, 0.15, 0.02)))
    assert harness.do(Undo()) == "drag plug"
    assert same(shape_of(harness), before)
    assert harness.grabbed is None
    assert harness.history.undo_label.startswith("set trunk/length")


def test_undo_and_redo_of_a_drag_give_the_same_bits(harness: Session) -> None:
    before = shape_of(harness)
    harness.do(Grab("plug"))
    for k in range(5):
        harness.do(Drag((0.45 - 0.005 * k, 0.12, 0.05 + 0.004 * k)))
    harness.do(Drop())
    after = shape_of(harness)
    assert apart(after, before) > 0.005
    assert harness.do(Undo()) == "drag plug"
    assert same(shape_of(harness), before)
    assert harness.do(Redo()) == "drag plug"
    assert same(shape_of(harness), after)


def test_a_free_junction_is_held_only_while_it_is_dragged(harness: Session) -> None:
    rest = harness.simulation.pose("Y")[0]
    harness.do(Grab("trunk/end"))
    assert harness.grabbed is not None
    assert harness.grabbed.path == "Y"
    there = (rest[0] - 0.02, rest[1] + 0.01, rest[2] + 0.01)
    harness.do(Drag(there))
    np.testing.assert_allclose(harness.simulation.pose("Y")[0], there, atol=WARM)
    np.testing.assert_allclose(points(harness, "trunk")[-1], there, atol=1e-6)
    harness.do(Drop())
    assert harness.simulation.scene.junction("Y").motion == "free"
    np.testing.assert_allclose(harness.simulation.pose("Y")[0], rest, atol=1e-5)
    assert certified(harness)


def test_a_free_weight_is_held_only_while_it_is_dragged(tmp_path: object) -> None:
    scene = {
        **HARNESS,
        "junctions": [],
        "cables": [
            {
                **HARNESS["cables"][0],
                "end": {"on": "weight", "position": [0.0, 0.0, 0.0], "tangent": [1.0, 0.0, 0.0]},
            }
        ],
        "parts": [{"name": "weight", "position": [0.25, 0.0, 0.0], "motion": "free", "mass": 0.05}],
    }
    session = make_session(tmp_path, scene)  # type: ignore[arg-type]
    rest = session.simulation.pose("weight")[0]
    session.do(Grab("weight"))
    session.do(Drag((0.2, 0.1, 0.05)))
    np.testing.assert_allclose(session.simulation.pose("weight")[0], (0.2, 0.1, 0.05), atol=WARM)
    assert certified(session)
    session.do(Drop())
    assert session.simulation.scene.part("weight").motion == "free"
    np.testing.assert_allclose(session.simulation.pose("weight")[0], rest, atol=1e-4)


def test_typed_numbers_move_only_what_is_given(hose: Session) -> None:
    q = hose.simulation.supports("hose")[-1].quaternion
    hose.do(Move("hose/end", position=(0.28, 0.05, -0.02)))
    np.testing.assert_allclose(points(hose)[-1], [0.28, 0.05, -0.02], atol=WARM)
    np.testing.assert_allclose(hose.simulation.supports("hose")[-1].quaternion, q)
    hose.do(Move("hose/end", tangent=(0.0, 1.0, 0.0)))
    np.testing.assert_allclose(hose.simulation.cable("hose").tangents[-1], [0.0, 1.0, 0.0], atol=WARM)
    np.testing.assert_allclose(points(hose)[-1], [0.28, 0.05, -0.02], atol=WARM)


def test_whole_turns_count(hose: Session) -> None:
    before = hose.simulation.cable("hose").total_torsion
    assert hose.do(Turn("hose/end", 2.0 * math.pi)) == 2.0 * math.pi
    twist = hose.simulation.scene.cable("hose").twist
    assert twist == pytest.approx(2.0 * math.pi, abs=1e-6)
    assert abs(hose.simulation.cable("hose").total_torsion - before) > 1.0
    hose.do(Edit({"hose/end": None, "hose/twist": None}))
    with pytest.raises(ValueError, match="nothing there turns"):
        hose.do(Turn("hose/end", 1.0))


def test_what_is_locked_is_not_grabbed(hose: Session) -> None:
    hose.do(Arrange(locked=["hose"]))
    with pytest.raises(ValueError, match="locked"):
        hose.do(Grab("hose/end"))
    assert hose.grabbed is None


def test_an_edit_ends_a_drag_and_both_can_be_undone(hose: Session) -> None:
    """An edit in the middle of a drag used to leave a grip behind that nobody held."""
    before = shape_of(hose)
    hose.do(Grab("hose", at=0.5))
    hose.do(Drag((0.15, 0.05, -0.08)))
    with pytest.raises(SceneError, match="length"):
        hose.do(Edit({"hose/length": -1.0}))
    assert hose.grabbed is None
    assert [k.name for k in hose.simulation.supports("hose")] == ["start", "end"]
    hose.do(Undo())
    assert same(shape_of(hose), before)


def test_a_part_is_moved_by_tangent_and_roll_too(harness: Session) -> None:
    """Both used to be passed over without a word."""
    harness.do(Move("plug", tangent=(0.0, 1.0, 0.0), roll=0.5))
    np.testing.assert_allclose(harness.simulation.pose("plug")[1], frame_quaternion((0.0, 1.0, 0.0), 0.5), atol=1e-12)
    harness.do(Move("plug", roll=0.2))
    np.testing.assert_allclose(harness.simulation.pose("plug")[1], frame_quaternion((0.0, 1.0, 0.0), 0.2), atol=1e-12)
    with pytest.raises(ValueError, match="must point somewhere"):
        harness.do(Move("plug", tangent=(0.0, 0.0, 0.0)))


# ---- several at once -------------------------------------------------------------------------------------------------


def test_several_things_move_as_one_and_are_undone_at_once(harness: Session) -> None:
    before = shape_of(harness)
    grabbed = harness.do(Grab("plug", others=["right/end", "left/end", "trunk/start"]))  # the left end is on the plug
    assert grabbed["position"] == (0.45, 0.12, 0.0)
    for k in range(1, 6):
        turn = 0.02 * k
        harness.do(Drag((0.45, 0.12 + 0.002 * k, 0.0), (math.cos(turn), 0.0, 0.0, math.sin(turn))))
        assert certified(harness)
    cosine, sine = math.cos(0.2), math.sin(0.2)
    by = np.array([0.0, -0.24, 0.0])  # from the plug to the right end
    there = [0.45 + cosine * by[0] - sine * by[1], 0.13 + sine * by[0] + cosine * by[1], 0.0]
    np.testing.assert_allclose(points(harness, "right")[-1], there, atol=WARM)
    np.testing.assert_allclose(points(harness, "left")[-1], [0.45, 0.13, 0.0], atol=WARM)
    assert said(harness, "left").end.on == "plug"  # it went along by itself
    assert np.linalg.norm(points(harness, "trunk")[0] - before["trunk"][0]) > 0.05
    harness.do(Drop())
    assert harness.history.undo_label == "drag plug and 2 more"
    harness.do(Undo())
    assert same(shape_of(harness), before)


def test_several_things_stop_together(tmp_path: Path) -> None:
    parts = [
        {"name": "a", "shape": {"kind": "sphere", "radius": 0.01}, "position": [0.0, 0.5, 0.0], "motion": "held"},
        {"name": "b", "shape": {"kind": "sphere", "radius": 0.01}, "position": [0.0, 0.6, 0.0], "motion": "held"},
        {"name": "wall", "shape": {"kind": "box", "size": [0.02, 0.05, 0.05]}, "position": [0.1, 0.6, 0.0]},
    ]
    session = make_session(tmp_path, {**HOSE, "parts": parts})
    session.do(Grab("a", others=["b"]))
    session.do(Drag((0.2, 0.5, 0.0)))
    assert session.held is not None
    assert "wall" in session.held.reason
    a, b = (np.array(session.simulation.pose(k)[0]) for k in "ab")
    assert b[0] < 0.081
    np.testing.assert_allclose(b - a, [0.0, 0.1, 0.0], atol=1e-9)


def test_a_free_junction_and_a_ball_clip_move_with_others(harness: Session) -> None:
    harness.do(AddClip("trunk", 0.5, "ball"))
    before = harness.simulation.pose("Y")[0]
    clip = points(harness, "trunk")[15]
    harness.do(Grab("trunk/clip 1", others=["Y", "plug"]))
    harness.do(Drag((clip[0], clip[1], clip[2] + 0.01)))
    np.testing.assert_allclose(harness.simulation.pose("Y")[0], np.add(before, [0.0, 0.0, 0.01]), atol=1e-9)
    harness.do(Drop())
    assert harness.simulation.scene.junction("Y").motion == "free"
    assert harness.report.ok


def test_what_cannot_move_along_is_named(harness: Session) -> None:
    before = shape_of(harness)
    harness.do(Arrange(locked=["right"]))
    with pytest.raises(ValueError, match="right/end: is locked"):
        harness.do(Grab("plug", others=["right/end"]))
    with pytest.raises(ValueError, match="dragged by itself"):
        harness.do(Grab("trunk", 0.5, others=["plug"]))
    assert same(shape_of(harness), before)
