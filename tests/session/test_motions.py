"""Joints, positions and motions in a session: what is led arrives, stops with a reason, and comes back by undo."""

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lissom.exchange.courses import Course
from lissom.scene import Scene, SceneError
from lissom.session.describing import describe
from lissom.session.messages.commands import Cancel, Drag, Drop, Edit, Grab, Record, Redo, Save, Script, Undo
from lissom.session.messages.motion import (
    AddMotion,
    GoToPosition,
    GoToTime,
    KeepPosition,
    KeyframeSaid,
    RemoveMotion,
    RemovePosition,
    RenameMotion,
    RenamePosition,
    Scrub,
    SetJoints,
    Steer,
    Take,
)
from lissom.session.session import Session
from lissom.session.surfaces import Surfaces
from lissom.session.taking import Taking, needed
from lissom.simulation import Simulation
from tests.session.scenes import apart, certified, make_session, points, replayed, same, shape_of, told

STEERED: dict[str, Any] = {
    "format": 1,
    "types": {
        "hose": {
            "section": {"diameter": 0.0105, "inner_diameter": 0.0032},
            "material": {"youngs_modulus": 7.5e6, "poisson": 0.49, "density": 1230.0},
            "limits": {"bend_radius": 0.04, "tension": 20.0},
        }
    },
    "cables": [
        {
            "name": "hose",
            "type": "hose",
            "length": 0.42,
            "points": 33,
            "start": {"position": [0.0, 0.0, 0.0], "tangent": [0.0, 1.0, -0.3], "roll": 0.0},
            "end": {"on": "carrier", "frame": "banjo"},
        }
    ],
    "parts": [
        {"name": "strut", "motion": "driven"},
        {
            "name": "carrier",
            "parent": "strut",
            "motion": "driven",
            "position": [0.0, 0.3, -0.15],
            "frames": {"banjo": {"position": [0.09, -0.04, 0.02], "tangent": [-0.2, 1.0, 0.6]}},
        },
    ],
    "joints": [
        {"name": "travel", "part": "strut", "kind": "slide", "axis": [0, 0, 1], "range": [-0.08, 0.9]},
        {"name": "steering", "part": "carrier", "kind": "hinge", "origin": [0, 0.3, -0.15], "axis": [0, 0, 1]}
        | {"range": ["-35 deg", "35 deg"]},
    ],
    "positions": {"lock": {"steering": "30 deg"}, "bump": {"steering": 0, "travel": "50 mm"}},
    "motions": [
        {
            "name": "bend",
            "keyframes": [
                {"time": 0, "joints": {"steering": 0, "travel": 0}},
                {"time": 1, "joints": {"steering": "30 deg"}},
                {"time": 2, "joints": {"steering": 0, "travel": "60 mm"}},
            ],
        }
    ],
}


@pytest.fixture
def steered(tmp_path: Path) -> Session:
    """A hose on a carrier that steers and travels."""
    return make_session(tmp_path, STEERED)


def joints(session: Session) -> dict[str, Any]:
    return session.simulation.joints


def banjo(session: Session) -> np.ndarray:
    """Where the joints put the end of the hose."""
    angle, travel = joints(session)["steering"], joints(session)["travel"]
    c, s = math.cos(angle), math.sin(angle)
    x, y = 0.09, -0.04
    return np.array([c * x - s * y, 0.3 + s * x + c * y, -0.13 + travel])


# ---- sliders ---------------------------------------------------------------------------------------------------------


def test_a_joint_that_is_steered_takes_the_hose_along(steered: Session) -> None:
    before = shape_of(steered)
    for degrees in (5.0, 12.0, 25.0):
        steered.do(Steer({"steering": math.radians(degrees)}))
        assert certified(steered)
        np.testing.assert_allclose(points(steered)[-1], banjo(steered), atol=1e-7)
    assert joints(steered)["steering"] == math.radians(25.0)
    steered.do(Drop())
    assert steered.history.undo_label == "move steering"
    assert steered.simulation.scene.joint("steering").value == math.radians(25.0)
    steered.do(Undo())
    assert joints(steered)["steering"] == 0.0
    assert same(shape_of(steered), before)
    steered.do(Redo())
    assert joints(steered)["steering"] == math.radians(25.0)


def test_a_joint_led_too_far_stops_where_the_hose_is_taut_and_says_why(steered: Session) -> None:
    steered.do(Steer({"travel": 0.85}))
    assert "too short" in steered.stopped
    stopped = joints(steered)["travel"]
    assert 0.1 < stopped < 0.85
    reach = float(np.linalg.norm(points(steered)[-1]))
    assert 0.99 * 0.42 < reach <= 0.42 + 1e-9
    assert certified(steered)
    steered.do(Steer({"travel": 0.0}))  # and back
    assert steered.stopped == ""
    assert joints(steered)["travel"] == 0.0
    steered.do(Cancel())
    assert steered.grabbed is None
    assert steered.history.undo_label == ""


def test_typed_values_carry_units_and_keep_to_the_range(steered: Session) -> None:
    assert steered.do(SetJoints({"steering": "20 deg", "travel": 0.03})) == ""
    assert joints(steered)["steering"] == pytest.approx(math.radians(20.0))
    assert certified(steered)
    np.testing.assert_allclose(points(steered)[-1], banjo(steered), atol=1e-7)
    with pytest.raises(ValueError, match=r"steering.*range of steering, -35° to 35°"):
        steered.do(SetJoints({"steering": "50 deg"}))
    assert joints(steered)["steering"] == pytest.approx(math.radians(20.0))
    assert steered.history.undo_label == "set steering, travel"


def test_joints_move_without_cables_while_the_simulation_is_off(steered: Session) -> None:
    steered.simulate = False
    before = shape_of(steered)
    steered.do(SetJoints({"steering": 0.3}))
    assert joints(steered)["steering"] == 0.3
    assert same(shape_of(steered), before)


def test_a_hose_that_is_too_short_at_first_can_be_steered_free(tmp_path: Path) -> None:
    scene = copy.deepcopy(STEERED)
    scene["joints"][0]["value"] = 0.85
    session = make_session_anyhow(tmp_path, scene)
    assert session.report.status == "infeasible"
    session.do(Steer({"travel": 0.0}))
    session.do(Drop())
    assert session.report.ok
    assert joints(session)["travel"] == 0.0


def make_session_anyhow(folder: Path, scene: dict[str, Any]) -> Session:
    session = make_session(folder)
    session.begin(Simulation(Scene.from_dict(scene)), session.slot)
    return session


# ---- parts by their joint --------------------------------------------------------------------------------------------


def test_a_part_with_a_hinge_turns_so_that_the_point_taken_follows(steered: Session) -> None:
    start = steered.simulation.pose("carrier")[0]
    touched = (start[0] + 0.1, start[1], start[2])
    steered.do(Grab("carrier", touched=touched))
    steered.do(Drag((start[0] - 0.01, start[1] + 0.05, start[2] + 0.2)))
    wanted = math.atan2(0.05, 0.09)
    assert joints(steered)["steering"] == pytest.approx(wanted, abs=1e-12)
    assert certified(steered)
    steered.do(Drop())
    assert steered.history.undo_label == "move carrier"
    assert steered.simulation.scene.part("carrier").position == (0.0, 0.3, -0.15), "the part itself was not moved"


def test_a_part_with_a_hinge_follows_the_gizmo_and_stops_at_the_end_of_the_range(steered: Session) -> None:
    x, _ = steered.simulation.pose("carrier")
    steered.do(Grab("carrier"))
    half = math.radians(20.0) / 2.0
    steered.do(Drag(x, (math.cos(half), 0.0, 0.0, math.sin(half))))
    assert joints(steered)["steering"] == pytest.approx(math.radians(20.0))
    half = math.radians(50.0) / 2.0
    steered.do(Drag(x, (math.cos(half), 0.0, 0.0, math.sin(half))))
    assert joints(steered)["steering"] == pytest.approx(math.radians(35.0))
    assert steered.held is not None
    assert steered.held.reason == "steering ends at 35°"


def test_a_part_taken_on_the_axis_of_its_hinge_says_how_to_turn_it(steered: Session) -> None:
    x, _ = steered.simulation.pose("carrier")
    steered.do(Grab("carrier"))
    steered.do(Drag((x[0] + 0.05, x[1], x[2])))
    assert joints(steered)["steering"] == 0.0
    assert steered.held is not None
    assert steered.held.reason == "carrier turns about steering: take it beside its axis, or turn it"
    steered.do(Drop())


def test_a_part_that_slides_goes_along_its_axis_only(steered: Session) -> None:
    steered.do(Grab("strut"))
    steered.do(Drag((0.3, -0.2, 0.04)))
    assert joints(steered)["travel"] == pytest.approx(0.04)
    np.testing.assert_allclose(steered.simulation.pose("strut")[0], [0.0, 0.0, 0.04], atol=1e-12)


def test_a_part_with_a_ball_joint_turns_every_way(tmp_path: Path) -> None:
    scene = copy.deepcopy(STEERED)
    scene["joints"][1] = {"name": "steering", "part": "carrier", "kind": "ball", "origin": [0, 0.3, -0.15]} | {
        "range": ["0 deg", "40 deg"]
    }
    del scene["positions"], scene["motions"]
    session = make_session(tmp_path, scene)
    x, _ = session.simulation.pose("carrier")
    session.do(Grab("carrier", touched=(x[0] + 0.1, x[1], x[2])))
    session.do(Drag((x[0], x[1], x[2] + 0.03)))  # about −y
    np.testing.assert_allclose(joints(session)["steering"], [0.0, -math.atan2(0.03, 0.1), 0.0], atol=1e-12)
    assert certified(session)
    session.do(Drop())
    session.do(SetJoints({"steering": ["5 deg", 0, "10 deg"]}))
    np.testing.assert_allclose(joints(session)["steering"], np.radians([5.0, 0.0, 10.0]))


# ---- positions -------------------------------------------------------------------------------------------------------


def test_positions_are_gone_to_kept_renamed_and_removed(steered: Session, tmp_path: Path) -> None:
    assert steered.do(GoToPosition("lock")) == ""
    assert joints(steered) == {"travel": 0.0, "steering": pytest.approx(math.radians(30.0))}
    assert certified(steered)
    steered.do(SetJoints({"travel": 0.02}))
    steered.do(KeepPosition("in between"))
    steered.do(RenamePosition("in between", "middle"))
    steered.do(RemovePosition("bump"))
    assert list(steered.simulation.scene.positions) == ["lock", "middle"]
    steered.do(GoToPosition("lock"))
    steered.do(GoToPosition("middle"))
    assert joints(steered) == {"travel": 0.02, "steering": pytest.approx(math.radians(30.0))}
    infos = describe(steered, Surfaces()).positions
    assert [k.name for k in infos] == ["lock", "middle"]
    assert infos[1].joints == {"travel": [0.02], "steering": [pytest.approx(math.radians(30.0))]}
    steered.do(Save("a.toml"))
    assert Scene.load(tmp_path / "a.toml").position("middle") == joints(steered)
    for _ in range(2):
        steered.do(Undo())
    with pytest.raises(ValueError, match="there is one of this name already"):
        steered.do(RenamePosition("middle", "lock"))
    with pytest.raises(SceneError, match="there is no position of this name"):
        steered.do(GoToPosition("midle"))


# ---- motions ---------------------------------------------------------------------------------------------------------


def test_scrubbing_gives_the_joints_of_the_motion_at_that_time(steered: Session) -> None:
    course = Course.of(steered.simulation.scene, steered.simulation.scene.motion("bend"))
    for time in (0.0, 0.4, 1.7, 0.9, 2.0):
        steered.do(Scrub("bend", time))
        assert joints(steered) == course.at(time).settings
        assert certified(steered)
        assert steered.stand is not None
        assert steered.stand.time == time
    steered.do(Drop())
    assert steered.history.undo_label == "move bend"
    steered.do(Undo())
    assert joints(steered) == {"travel": 0.0, "steering": 0.0}


def test_scrubbing_passes_the_keyframes_on_the_way(steered: Session) -> None:
    steered.do(Scrub("bend", 0.2))
    steered.do(Scrub("bend", 1.8))
    assert steered.grabbed is not None
    assert steered.grabbed.led is not None
    assert any(k.settings["steering"] == pytest.approx(math.radians(30.0)) for k in steered.grabbed.led)


def test_scrubbing_stops_where_the_cable_cannot_follow_and_says_why(steered: Session) -> None:
    far = [KeyframeSaid(0.0, {"travel": 0.0}), KeyframeSaid(1.0, {"travel": 0.85})]
    assert steered.do(AddMotion("far", far)) == "far"
    steered.do(Scrub("far", 0.1))
    steered.do(Scrub("far", 1.0))
    assert "too short" in steered.stopped
    assert steered.stand is not None
    assert steered.stand.time == pytest.approx(joints(steered)["travel"] / 0.85, abs=1e-5)
    assert steered.report.ok
    steered.do(Drop())
    assert "too short" in steered.stopped  # the page may have missed the frame before
    reason = steered.do(GoToTime("far", 1.0))
    assert "too short" in reason
    assert "Stopped on the way" in told(steered).texts()


def test_from_where_there_is_no_equilibrium_a_motion_goes_straight_to_where_there_is_one(steered: Session) -> None:
    steps = [(0.0, 0.1), (1.0, 0.35), (2.0, 0.4)]
    steered.do(AddMotion("out", [KeyframeSaid(time, {"travel": travel}) for time, travel in steps]))
    assert steered.do(GoToTime("out", 2.0)) == ""
    steered.do(Edit({"hose/length": 0.35}))
    assert not steered.report.ok  # nor at 1 s, which lies between
    assert steered.do(GoToTime("out", 0.0)) == ""
    assert joints(steered)["travel"] == 0.1
    assert certified(steered)


def test_a_recorded_path_is_scrubbed_too(tmp_path: Path) -> None:
    lines = ["time,x,y,z,qw,qx,qy,qz", *(f"{t},0,0.3,{-0.15 + 0.05 * t},1,0,0,0" for t in (0, 0.5, 1, 2))]
    (tmp_path / "lift.csv").write_text("\n".join(lines), encoding="utf-8")
    scene = copy.deepcopy(STEERED)
    del scene["joints"], scene["positions"]
    scene["motions"] = [{"name": "lift", "tracks": [{"part": "carrier", "file": "lift.csv"}]}]
    session = make_session(tmp_path, scene)
    session.do(Scrub("lift", 1.5))
    np.testing.assert_allclose(session.simulation.pose("carrier")[0], [0.0, 0.3, -0.075], atol=1e-12)
    assert certified(session)
    session.do(Drop())
    info = describe(session, Surfaces()).motions[0]
    assert (info.recorded, info.moves, info.times, info.error) == (True, ["carrier"], [0.0, 2.0], "")
    (tmp_path / "lift.csv").unlink()
    assert "no such file" in describe(session, Surfaces()).motions[0].error
    with pytest.raises(SceneError, match="no such file"):
        session.do(Scrub("lift", 1.0))
    assert session.grabbed is None


def test_a_page_may_not_name_a_recording_outside_the_workspace(tmp_path: Path) -> None:
    scene = copy.deepcopy(STEERED)
    del scene["joints"], scene["positions"]
    scene["motions"] = [{"name": "lift", "tracks": [{"part": "carrier", "file": "lift.csv"}]}]
    session = make_session(tmp_path, scene)
    with pytest.raises(ValueError, match="leads out of the workspace"):
        session.do(Edit({"lift/tracks": [{"part": "carrier", "file": "../secret.csv"}]}))


def test_motions_are_renamed_and_removed(steered: Session) -> None:
    steered.do(RenameMotion("bend", "corner"))
    assert [k.name for k in steered.simulation.scene.motions] == ["corner"]
    steered.do(Scrub("corner", 1.0))
    steered.do(Drop())
    steered.do(RemoveMotion("corner"))
    assert "corner" not in str(steered.simulation.scene.motions)
    steered.do(Undo())
    assert [k.name for k in steered.simulation.scene.motions] == ["corner"]


# ---- taking a motion down --------------------------------------------------------------------------------------------


def test_what_is_dragged_while_taking_becomes_a_motion(steered: Session, tmp_path: Path) -> None:
    steered.do(Take(True))
    assert steered.take is not None
    now = [0.0]
    steered.take.clock = lambda: now[0]
    for k in range(31):
        now[0] = 0.05 * k
        steered.do(Steer({"steering": 0.01 * k}))
    steered.do(Drop())
    name = steered.do(Take(False, "by hand"))
    assert name == "by hand"
    assert steered.take is None
    motion = steered.simulation.scene.motion("by hand")
    assert len(motion.keyframes) < 8, "a straight line needs few keyframes"
    course = Course.of(steered.simulation.scene, motion)
    for k in (5, 13, 30):
        assert course.at(0.05 * k - 0.05).settings["steering"] == pytest.approx(0.01 * k, abs=0.003)
    steered.do(Save("a.toml"))
    assert Scene.load(tmp_path / "a.toml").motion("by hand") == motion
    assert steered.history.undo_label == "new motion by hand"
    steered.do(Undo())
    assert [k.name for k in steered.simulation.scene.motions] == ["bend"]


def test_a_part_dragged_by_its_joint_is_taken_down_too(steered: Session) -> None:
    steered.do(Take(True))
    x, _ = steered.simulation.pose("strut")
    steered.do(Grab("strut"))
    steered.do(Drag((x[0], x[1], x[2] + 0.02)))
    steered.do(Drag((x[0], x[1], x[2] + 0.05)))
    assert steered.do(Take(False)) == "motion"  # ends the drag as well
    motion = steered.simulation.scene.motion("motion")
    assert motion.keyframes[0].joints == {"travel": 0.0}
    assert motion.keyframes[-1].joints == {"travel": pytest.approx(0.05)}


def test_taking_without_a_move_makes_nothing(steered: Session) -> None:
    steered.do(Take(True))
    assert steered.do(Take(False)) is None
    assert "Nothing was moved" in told(steered).texts()
    assert steered.history.undo_label == ""


def test_a_pause_stays_a_pause() -> None:
    scene = Scene.from_dict(STEERED)
    now = [0.0]
    taking = Taking(clock=lambda: now[0])
    values = [{"travel": 0.0, "steering": 0.01 * k} for k in range(3)]
    taking.note(values[0], values[1])
    now[0] = 5.0
    taking.note(values[1], values[2])
    frames = taking.keyframes(scene)
    assert [k.joints for k in frames] == [{"steering": 0.0}, {"steering": 0.01}, {"steering": 0.01}, {"steering": 0.02}]
    assert [k.time for k in frames] == pytest.approx([0.0, 0.01 / 3.0, 4.98 + 0.01 / 3.0, 5.0 + 0.01 / 3.0], abs=1e-4)


def test_what_is_set_at_once_takes_its_time_in_the_motion() -> None:
    taking = Taking(clock=lambda: 7.0)
    taking.note({"travel": 0.0, "steering": 0.0}, {"travel": 0.0, "steering": 0.6})
    taking.note({"travel": 0.0, "steering": 0.6}, {"travel": 0.06, "steering": 0.6})
    assert [k.time for k in taking.keyframes(Scene.from_dict(STEERED))] == pytest.approx([0.0, 0.2, 0.22])


def test_only_keyframes_that_are_needed_are_kept() -> None:
    times = np.linspace(0.0, 1.0, 101)
    bent = np.column_stack([np.where(times < 0.5, 40.0 * times, 40.0 - 40.0 * times)])
    assert needed(times, bent) == [0, 50, 100]
    assert needed(times, np.zeros((101, 1))) == [0, 100]


# ---- recordings and scripts ------------------------------------------------------------------------------------------


def test_a_recording_leads_the_same_way_again(steered: Session) -> None:
    steered.do(Record(True))
    steered.do(Take(True))
    steered.do(Steer({"steering": 0.3}))
    steered.do(Steer({"steering": 0.5}))
    steered.do(Drop())
    steered.do(Take(False, "by hand"))
    steered.do(Scrub("bend", 0.7))
    steered.do(Scrub("bend", 1.9))
    steered.do(Drop())
    steered.do(GoToPosition("bump"))
    file = steered.do(Record(False))
    before, scene = shape_of(steered), steered.simulation.scene
    assert replayed(steered, file) == 8  # the taking itself is not in it, but the motion that came of it
    assert same(shape_of(steered), before)
    assert steered.simulation.scene == scene


def test_a_script_goes_the_same_way(steered: Session) -> None:
    steered.do(Steer({"steering": 0.2}))
    steered.do(Steer({"steering": 0.5}))
    steered.do(Drop())
    steered.do(SetJoints({"travel": 0.03}))
    steered.do(GoToPosition("lock"))
    steered.do(GoToTime("bend", 1.5))
    steered.do(GoToTime("bend", 0.5, along=True))
    steered.do(KeepPosition("here"))
    steered.do(AddMotion("up", [KeyframeSaid(0.0, {"travel": 0.0}), KeyframeSaid(1.0, {"travel": 0.02})]))
    steered.do(RenameMotion("up", "lift"))
    steered.do(RemovePosition("bump"))
    names: dict[str, Any] = {}
    exec(steered.do(Script()), names)
    made = names["sim"]
    assert made.joints == joints(steered)
    assert made.scene.positions == steered.simulation.scene.positions
    assert made.scene.motions == steered.simulation.scene.motions
    assert apart({"hose": np.array(made.cable("hose").positions)}, shape_of(steered)) < 1e-6
