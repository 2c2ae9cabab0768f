"""What takes long can be stopped: the last good state stays, and nothing is half done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lissom.scene import Scene
from lissom.session import replaying
from lissom.session.filing import keep
from lissom.session.messages.commands import (
    AddClip,
    Cancel,
    Command,
    Discard,
    Drag,
    Drop,
    Edit,
    Grab,
    HowLong,
    Move,
    Open,
    Record,
    Replay,
    Save,
    Script,
    Simulate,
    Solve,
    Stop,
    Undo,
)
from lissom.session.messages.motion import Scrub, SetJoints, Steer
from lissom.session.session import Session
from lissom.simulation import Halted, watched
from tests.session.scenes import certified, make_session, replayed, said, same, shape_of, told
from tests.session.test_motions import STEERED


def halted(session: Session, command: Command, looks: int = 1) -> None:
    """The command is stopped at that look of the solver."""
    left = [looks]

    def is_over() -> bool:
        left[0] -= 1
        return left[0] == 0

    with watched(is_over), pytest.raises(Halted):
        session.do(command)


@pytest.mark.parametrize(
    "command", [Edit({"hose/length": 0.5}), Move("hose/end", (0.2, 0.1, 0.0)), AddClip("hose", 0.5), Solve(cold=True)]
)
def test_an_edit_that_is_stopped_has_changed_nothing(hose: Session, command: Command) -> None:
    hose.do(Edit({"hose/length": 0.42}))
    before, scene, steps = shape_of(hose), hose.simulation.scene, hose.history.steps
    halted(hose, command)
    assert same(shape_of(hose), before)
    assert hose.simulation.scene == scene
    assert hose.history.steps == steps
    assert hose.report.ok
    hose.do(command)
    assert certified(hose)
    hose.do(Undo())
    assert same(shape_of(hose), before)


def test_a_step_of_a_drag_that_is_stopped_leaves_the_hand_where_it_was(harness: Session) -> None:
    harness.do(Grab("bar"))
    harness.do(Drag((0.15, 0.01, 0.09)))
    before = shape_of(harness)
    halted(harness, Drag((0.15, 0.03, 0.12)), looks=2)
    assert same(shape_of(harness), before)
    assert harness.grabbed is not None
    assert harness.simulation.pose("bar")[0] == (0.15, 0.01, 0.09)
    harness.do(Drag((0.15, 0.02, 0.09)))
    assert certified(harness)
    harness.do(Drop())
    assert harness.history.undo_label == "drag bar"
    assert harness.simulation.pose("bar")[0] == (0.15, 0.02, 0.09)


def test_letting_go_that_is_stopped_goes_back_to_where_the_drag_began(hose: Session) -> None:
    before = shape_of(hose)
    hose.do(Grab("hose", 0.5))
    hose.do(Drag((0.15, 0.05, 0.0)))
    halted(hose, Drop())
    assert same(shape_of(hose), before)
    assert hose.grabbed is None
    assert [k.name for k in hose.simulation.supports("hose")] == ["start", "end"]  # no grip is left on it
    hose.do(Grab("hose", 0.5))
    hose.do(Drag((0.15, 0.05, 0.0)))
    hose.do(Cancel())
    assert same(shape_of(hose), before)


def test_switching_on_that_is_stopped_leaves_it_off(hose: Session) -> None:
    """What was moved meanwhile still waits: the next solve follows it."""
    before = shape_of(hose)
    hose.do(Simulate(False))
    hose.do(Move("hose/end", (0.2, 0.1, 0.0)))
    halted(hose, Simulate(True))
    assert not hose.simulate
    assert same(shape_of(hose), before)
    halted(hose, Solve())
    assert same(shape_of(hose), before)
    hose.do(Simulate(True))
    assert certified(hose)
    np.testing.assert_allclose(shape_of(hose)["hose"][-1], (0.2, 0.1, 0.0), atol=1e-9)


def test_what_is_refused_while_it_is_off_does_not_forget_what_waits(hose: Session) -> None:
    """The cable used to stay where it was, and the status said that all was solved."""
    hose.do(Simulate(False))
    hose.do(Move("hose/end", (0.2, 0.1, 0.0)))
    with pytest.raises(ValueError, match="nothing holds"):
        hose.do(Move("hose/clip 7", (0.0, 0.0, 0.0)))
    hose.do(Solve())
    np.testing.assert_allclose(shape_of(hose)["hose"][-1], (0.2, 0.1, 0.0), atol=1e-9)


def test_a_scene_that_is_not_opened_leaves_the_one_of_before(hose: Session, tmp_path: Path) -> None:
    other = make_session(tmp_path)
    other.do(Edit({"hose/length": 0.5}))
    other.simulation.scene.save(tmp_path / "other.toml")  # without its state: it is solved when it is opened
    hose.do(Edit({"hose/length": 0.42}))
    before = shape_of(hose)
    halted(hose, Open("other.toml"))
    assert same(shape_of(hose), before)
    assert hose.file is None
    assert hose.history.undo_label == "set hose/length"
    hose.do(Open("other.toml"))
    assert said(hose).length == 0.5


def test_edits_that_are_not_discarded_after_all_are_kept(hose: Session, tmp_path: Path) -> None:
    hose.do(Save("hose.toml"))
    (tmp_path / "hose.state.npz").unlink()
    hose.do(Edit({"hose/length": 0.42}))
    keep(hose, hose.slot.kept)
    halted(hose, Discard())
    assert said(hose).length == 0.42
    assert hose.unsaved
    assert hose.slot.is_full


def test_how_long_that_is_stopped_says_nothing_wrong(hose: Session) -> None:
    before = shape_of(hose)
    halted(hose, HowLong("hose"), looks=4)
    assert same(shape_of(hose), before)
    assert hose.do(HowLong("hose"))["length"] > 0.3


@pytest.mark.parametrize("command", [Steer({"steering": 0.5}), Scrub("bend", 1.9)])
def test_leading_that_is_stopped_stays_where_it_was(tmp_path: Path, command: Command) -> None:
    session = make_session(tmp_path, STEERED)
    first: Command = Steer({"steering": 0.1}) if isinstance(command, Steer) else Scrub("bend", 0.3)
    session.do(first)
    before, joints = shape_of(session), session.simulation.joints
    halted(session, command, looks=3)
    assert same(shape_of(session), before)
    assert session.simulation.joints == joints
    session.do(Drop())
    names: dict[str, Any] = {}
    exec(session.do(Script()), names)  # the script ends there too
    assert names["sim"].joints == pytest.approx(joints)


def test_going_to_a_setting_that_is_stopped(tmp_path: Path) -> None:
    session = make_session(tmp_path, STEERED)
    before = shape_of(session)
    halted(session, SetJoints({"steering": 0.5}), looks=3)
    assert same(shape_of(session), before)
    assert session.history.undo_label == ""


def test_a_moment_that_has_no_equilibrium_is_gone_back_to_all_the_same(hose: Session) -> None:
    """The way back is solved too where there is something to solve; stopped, it is there without."""
    hose.do(Simulate(False))
    hose.do(Move("hose/end", (0.2, 0.1, 0.0)))
    waiting = hose.moment()
    hose.do(Simulate(True))
    with watched(lambda: True):
        hose.go_to(waiting)
    assert hose.report.status == "not_converged"
    assert hose.report.reason == "stopped"
    hose.do(Solve())
    assert certified(hose)


# ---- replays ---------------------------------------------------------------------------------------------------------


def recorded(session: Session, monkeypatch: pytest.MonkeyPatch) -> str:
    """Clips at 0 s, 0.2 s, and after a long thought."""
    clock = [100.0]
    monkeypatch.setattr("lissom.session.recording.time.monotonic", lambda: clock[0])
    session.do(Record(True))
    for at, wait in ((0.25, 0.0), (0.5, 0.2), (0.75, 60.0)):
        clock[0] += wait
        session.do(AddClip("hose", at))
    path: str = session.do(Record(False))
    monkeypatch.undo()
    return path


def carry_out(session: Session) -> Callable[[Command], str]:
    def do(command: Command) -> str:
        session.do(command)
        return ""

    return do


def test_a_replay_goes_at_the_pace_of_then_without_the_long_gaps(
    hose: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = recorded(hose, monkeypatch)
    after = shape_of(hose)
    clock = [0.0]
    monkeypatch.setattr("lissom.session.replaying.time.monotonic", lambda: clock[0])
    assert hose.do(Replay(path)) == 3
    due = []
    while (playing := hose.replaying) is not None:
        due.append(playing.due)
        clock[0] = playing.due
        assert len(said(hose).clips) == playing.done  # nothing is done before its time
        replaying.play(hose, carry_out(hose))
    assert due == pytest.approx([0.0, 0.2, 0.2 + replaying.LONGEST_GAP])
    assert same(shape_of(hose), after)
    assert "to its end" in told(hose).texts()


def test_what_takes_longer_than_then_is_not_hurried_after(hose: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    path = recorded(hose, monkeypatch)
    clock = [0.0]
    monkeypatch.setattr("lissom.session.replaying.time.monotonic", lambda: clock[0])
    hose.do(Replay(path))
    clock[0] = 5.0  # the first command took that long
    replaying.play(hose, carry_out(hose))
    assert hose.replaying is not None
    assert hose.replaying.due == 5.0
    replaying.play(hose, carry_out(hose))
    assert hose.replaying.due == 5.0 + replaying.LONGEST_GAP


def test_a_replay_can_be_stopped(hose: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    path = recorded(hose, monkeypatch)
    hose.do(Replay(path))
    replaying.play(hose, carry_out(hose))
    hose.do(Stop())
    assert hose.replaying is None
    assert len(said(hose).clips) == 1
    assert "stopped after 1 of 3" in told(hose).texts()
    hose.do(Undo())  # and one goes on from there
    assert len(said(hose).clips) == 0


def test_a_replay_that_is_stopped_in_the_middle_of_a_drag_lets_go(hose: Session) -> None:
    hose.do(Record(True))
    hose.do(Grab("hose", 0.5))
    hose.do(Drag((0.15, 0.05, 0.0)))
    hose.do(Drop())
    path = hose.do(Record(False))
    before = shape_of(hose)
    hose.do(Replay(path))
    for _ in range(2):
        replaying.play(hose, carry_out(hose))
    assert hose.grabbed is not None
    hose.do(Stop())
    assert hose.grabbed is None
    assert same(shape_of(hose), before) or certified(hose)
    assert [k.name for k in hose.simulation.supports("hose")] == ["start", "end"]


def test_an_empty_recording_is_at_its_end_at_once(hose: Session) -> None:
    hose.do(Record(True))
    assert replayed(hose, hose.do(Record(False))) == 0
    assert hose.replaying is None


@pytest.mark.parametrize("line", ['{"time": 0, "kind": "Replay", "path": "x"}', '{"kind": "Undo"}', '{"time": "x"}'])
def test_what_is_no_recording_is_refused(hose: Session, tmp_path: Path, line: str) -> None:
    hose.do(Record(True))
    path = tmp_path / hose.do(Record(False))
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(ValueError, match="line 2"):
        hose.do(Replay(path.name))
    assert isinstance(hose.simulation.scene, Scene)
