"""The simulation process by itself, without a server around it."""

from __future__ import annotations

import itertools
import json
import math
import os
import time
from pathlib import Path
from typing import Any

import pytest

from lissom.session import describing, filing, shapes
from lissom.session.messages.commands import AddClip, Drag, Drop, Edit, Grab, Record, Replay
from lissom.session.surfaces import Surfaces
from lissom.studio import warming
from lissom.studio.launching import END, GIVE_STATE, Start
from lissom.studio.worker import STOPPED, Worker
from tests.session.scenes import make_session
from tests.studio.server import header


class Pipe:
    """Keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.waiting: list[tuple[str, str]] = []

    def send(self, message: Any) -> None:
        self.sent.append(message)

    def poll(self, patience: float) -> bool:
        return bool(self.waiting)

    def recv(self) -> tuple[str, str]:
        return self.waiting.pop(0)

    def say(self, number: int, kind: str, **fields: Any) -> None:
        self.waiting.append(("page", json.dumps({"id": number, "kind": kind, **fields})))

    def statuses(self) -> list[Any]:
        events = [json.loads(k[1]) for k in self.sent if k[0] == "event"]
        return [k for k in events if k["kind"] == "Status"]

    def answers(self) -> dict[int, str]:
        """Why not, by the numbers of the commands; "" where they were done."""
        found = [json.loads(k[3]) for k in self.sent if k[0] == "answer"]
        return {k["to"]: "" if k["ok"] else k["error"] for k in found}

    def held(self) -> list[Any]:
        """Where the dragged thing was in every frame that was sent."""
        frames = [header(k[1]) for k in self.sent if k[0] == "frame"]
        return [k["held"]["position"] for k in frames if k["held"]]


def test_edits_that_could_not_be_kept_are_kept_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that was full used to leave them unkept until the next edit."""
    pipe = Pipe()
    worker = Worker(pipe, Start("."))  # type: ignore[arg-type]
    worker.session = None  # type: ignore[assignment]
    kept: list[float] = []

    def full(session: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(filing, "autosave", full)
    worker.edited = time.monotonic()
    worker.keep()
    assert worker.edited > time.monotonic()
    assert "No space left" in pipe.sent[-1][1]
    monkeypatch.setattr(filing, "autosave", lambda session: kept.append(1.0))
    worker.keep()
    assert kept == [1.0]
    assert worker.edited == 0.0


def test_what_cannot_be_shown_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake in describing a scene used to end the simulation process."""
    worker, pipe = begun(tmp_path)
    worker.do("page", 1, Edit({"hose/length": 0.45}))
    describe = describing.describe

    def fails(session: Any, surfaces: Any) -> Any:
        if session.simulation.scene.cable("hose").length > 0.46:
            raise ZeroDivisionError("in describing")
        return describe(session, surfaces)

    monkeypatch.setattr(describing, "describe", fails)
    worker.do("page", 2, Edit({"hose/length": 0.5}))
    answer = next(k for k in pipe.sent if k[0] == "answer" and k[2] == 2)
    assert "in describing" in answer[3]
    assert '"ok":false' in answer[3]
    assert worker.session.simulation.scene.cable("hose").length == 0.45
    assert worker.session.history.undo_label == "set hose/length"
    worker.do("page", 3, Edit({"hose/length": 0.44}))
    assert '"ok":true' in next(k for k in pipe.sent if k[0] == "answer" and k[2] == 3)[3]


def test_a_frame_that_cannot_be_made_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker, pipe = begun(tmp_path)

    def fails(session: Any) -> bytes:
        raise ZeroDivisionError("in a frame")

    monkeypatch.setattr(shapes, "frame", fails)
    worker.session.changed = True
    worker.look()
    worker.look()
    assert sum("in a frame" in str(k) for k in pipe.sent) == 1
    assert worker.session.report.ok


def begun(folder: Path) -> tuple[Worker, Pipe]:
    """A worker on a hose, without its process."""
    pipe = Pipe()
    worker = Worker(pipe, Start(str(folder)))  # type: ignore[arg-type]
    worker.session, worker.surfaces = make_session(folder), Surfaces()
    worker.look()
    return worker, pipe


def test_what_dragging_needs_is_compiled_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first grip on a fresh machine used to compile for half a minute in the middle of the drag."""
    played: list[Any] = []
    monkeypatch.setattr(warming, "play", lambda folder: played.append(os.getcwd()))
    monkeypatch.setattr(warming, "compiled_folder", lambda: tmp_path)
    monkeypatch.setattr(os, "nice", lambda by: None)
    monkeypatch.setattr(warming, "end_with_parent", lambda: None)
    monkeypatch.chdir(tmp_path)
    assert not warming.is_warm()
    warming.main()
    assert played
    assert warming.is_warm()
    (tmp_path / "warm").unlink()
    (tmp_path / "warming").touch()  # another process is at it
    assert warming.is_warm()
    old = time.time() - 2.0 * warming.ANOTHER
    os.utime(tmp_path / "warming", (old, old))  # and died
    assert not warming.is_warm()


def test_a_grip_and_clips_need_nothing_that_was_not_played(tmp_path: Path) -> None:
    """Of everything a person does to a hose; the demos are larger, and take longer."""
    session = make_session(tmp_path)
    done = []
    for command in warming.commands(session):
        session.do(command)
        done.append(type(command).__name__)
    assert {"Grab", "Drag", "Drop", "AddClip", "Lengthen", "Soften", "Feed", "Solve"} <= set(done)
    assert session.report.ok


def test_while_it_is_prepared_the_page_says_so_quietly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Process:
        ended: int | None = None

        def poll(self) -> int | None:
            return self.ended

    process = Process()
    monkeypatch.setattr(warming, "is_warm", lambda: False)
    monkeypatch.setattr(warming, "warm_up", lambda: process)
    pipe = Pipe()
    worker = Worker(pipe, Start(str(tmp_path)))  # type: ignore[arg-type]
    worker.begin()
    assert '"ready","text":"Preparing' in pipe.sent[-1][1]
    worker.turn()
    process.ended = 0
    worker.turn()
    assert pipe.statuses()[-1] == {"kind": "Status", "state": "ready", "text": "", "can_stop": False}


def test_a_jump_of_the_pointer_is_shown_on_its_way(tmp_path: Path) -> None:
    """The page used to stand still until the end of it, for seconds among many cables."""
    worker, pipe = begun(tmp_path)
    pipe.say(1, "Grab", path="hose/end")
    pipe.say(2, "Drag", position=[0.3, 0.1, 0.0])
    pipe.say(3, "Drag", position=[0.2, 0.1, 0.05])  # makes the one before void
    worker.turn()
    shown = pipe.held()
    assert len(shown) > 10
    assert max(math.dist(a, b) for a, b in itertools.pairwise(shown)) < 0.0085
    assert shown[-1] == [0.2, 0.1, 0.05]
    assert all(k[1] < 0.1 + 1e-9 for k in shown)
    pipe.say(4, "Drop")
    worker.turn()
    assert sorted(k[2] for k in pipe.sent if k[0] == "answer") == [1, 2, 3, 4]
    assert worker.session.simulation.supports("hose")[-1].position == (0.2, 0.1, 0.05)


def test_a_newer_pointer_ends_the_way_to_an_older_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker, pipe = begun(tmp_path)
    pipe.say(1, "Grab", path="hose/end")
    pipe.say(2, "Drag", position=[0.3, 0.2, 0.0])
    look = worker.show

    def show() -> None:
        look()
        if len(pipe.held()) == 3:
            pipe.say(3, "Drag", position=[0.3, 0.0, -0.1])
            pipe.say(4, "Drop")

    monkeypatch.setattr(worker, "show", show)
    worker.turn()
    assert max(k[1] for k in pipe.held()) < 0.04
    assert sorted(k[2] for k in pipe.sent if k[0] == "answer") == [1, 2, 3, 4]
    assert worker.session.simulation.supports("hose")[-1].position == (0.3, 0.0, -0.1)


def test_a_drop_does_not_cut_the_way_short(tmp_path: Path) -> None:
    worker, pipe = begun(tmp_path)
    pipe.say(1, "Grab", path="hose/end")
    pipe.say(2, "Drag", position=[0.3, 0.1, 0.0])
    pipe.say(3, "Drop")
    pipe.say(4, "Drag", position=[0.0, 0.0, 0.0])
    worker.turn()
    assert worker.session.simulation.supports("hose")[-1].position == (0.3, 0.1, 0.0)
    assert worker.session.grabbed is None


# ---- stopping --------------------------------------------------------------------------------------------------------


@pytest.fixture
def attentive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Listens at every step of a solve."""
    monkeypatch.setattr("lissom.studio.worker.LISTEN_EVERY", -1.0)


@pytest.mark.usefixtures("attentive")
def test_stop_ends_the_command_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody used to listen before a solve was over."""
    monkeypatch.setattr("lissom.studio.worker.LONG", -1.0)
    worker, pipe = begun(tmp_path)
    pipe.say(2, "Stop")
    assert worker.do("page", 1, Edit({"hose/length": 0.5})) == STOPPED
    assert worker.session.simulation.scene.cable("hose").length == 0.4
    states = [(k["state"], k["can_stop"]) for k in pipe.statuses()]
    assert states == [("solving", True), ("ready", False)]
    worker.turn()
    assert pipe.answers() == {1: STOPPED, 2: ""}
    pipe.say(3, "Edit", values={"hose/length": 0.5})
    worker.turn()
    assert pipe.answers()[3] == ""
    assert worker.session.simulation.scene.cable("hose").length == 0.5


def test_stop_voids_what_waits_but_hands_let_go(tmp_path: Path) -> None:
    worker, pipe = begun(tmp_path)
    pipe.say(1, "Grab", path="hose/end")
    worker.turn()
    pipe.say(2, "Drag", position=[0.2, 0.1, 0.0])
    pipe.say(3, "Drop")
    pipe.say(4, "Edit", values={"hose/length": 0.5})
    pipe.say(5, "Stop")
    worker.turn()
    assert pipe.answers() == {1: "", 2: STOPPED, 3: "", 4: STOPPED, 5: ""}
    assert worker.session.grabbed is None
    assert worker.session.simulation.scene.cable("hose").length == 0.4


@pytest.mark.usefixtures("attentive")
def test_stop_ends_a_drag_on_its_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker, pipe = begun(tmp_path)
    pipe.say(1, "Grab", path="hose/end")
    pipe.say(2, "Drag", position=[0.3, 0.2, 0.0])
    look = worker.show

    def show() -> None:
        look()
        if len(pipe.held()) == 3:
            pipe.say(3, "Stop")

    monkeypatch.setattr(worker, "show", show)
    worker.turn()
    assert pipe.answers()[2] == STOPPED
    assert max(k[1] for k in pipe.held()) < 0.04
    grabbed = worker.session.grabbed
    assert grabbed is not None
    assert grabbed.good is not None
    assert list(grabbed.good[0]) == pipe.held()[-1]  # it is still held, where it was shown last


@pytest.mark.usefixtures("attentive")
def test_the_end_of_the_server_ends_a_solve(tmp_path: Path) -> None:
    worker, pipe = begun(tmp_path)
    pipe.waiting.append(("", END))
    assert worker.do("page", 1, Edit({"hose/length": 0.5})) == STOPPED
    assert not worker.turn()


@pytest.mark.usefixtures("attentive")
def test_who_closes_the_page_does_not_wait_for_a_solve(tmp_path: Path) -> None:
    worker, pipe = begun(tmp_path)
    pipe.waiting.append(("", GIVE_STATE))
    assert worker.do("page", 1, Edit({"hose/length": 0.5})) == STOPPED
    worker.turn()
    state = next(k[1] for k in pipe.sent if k[0] == "state")
    assert state.scene.cable("hose").length == 0.4


def test_the_state_is_given_between_commands(tmp_path: Path) -> None:
    """In the middle of a solve it would be half of one."""
    worker, pipe = begun(tmp_path)
    pipe.waiting.append(("", GIVE_STATE))
    worker.listen(0.0)
    assert not any(k[0] == "state" for k in pipe.sent)
    worker.turn()
    state = next(k[1] for k in pipe.sent if k[0] == "state")
    assert state.scene.cable("hose").length == 0.4


def test_a_recording_is_played_while_the_page_looks_on(tmp_path: Path) -> None:
    worker, pipe = begun(tmp_path)
    worker.session.do(Record(True))
    for at in (0.25, 0.5, 0.75):
        worker.session.do(AddClip("hose", at))
    path = worker.session.do(Record(False))
    worker.do("page", 1, Replay(path))
    clips = []
    while worker.session.replaying is not None:
        worker.turn()
        clips.append(len(worker.session.simulation.scene.cable("hose").clips))
        pipe.say(10 + len(clips), "Colour", quantity="tension")  # looking is no edit
    assert {0, 1, 2, 3} >= set(clips)
    assert clips[-1] == 3
    said = [k for k in pipe.statuses() if k["state"] == "replaying"]
    assert all(k["can_stop"] for k in said)
    assert "of 3" in said[0]["text"]
    assert pipe.statuses()[-1]["state"] == "ready"
    assert sum(k[0] == "frame" for k in pipe.sent) >= 4  # every step is shown


def test_a_replay_that_is_stopped_is_said_to_be_over(tmp_path: Path) -> None:
    worker, pipe = begun(tmp_path)
    worker.session.do(Record(True))
    for at in (0.25, 0.5, 0.75):
        worker.session.do(AddClip("hose", at))
    path = worker.session.do(Record(False))
    worker.do("page", 1, Replay(path))
    worker.play()
    assert pipe.statuses()[-1]["state"] == "replaying"
    pipe.say(2, "Stop")
    worker.turn()
    assert pipe.answers() == {1: "", 2: ""}
    assert pipe.statuses()[-1]["state"] == "ready"
    assert len(worker.session.simulation.scene.cable("hose").clips) == 1


def test_an_edit_ends_a_replay(tmp_path: Path) -> None:
    worker, pipe = begun(tmp_path)
    worker.session.do(Record(True))
    worker.session.do(Grab("hose/end"))
    worker.session.do(Drag((0.28, 0.05, 0.0)))
    worker.session.do(Drag((0.28, 0.06, 0.0)))
    worker.session.do(Drop())
    path = worker.session.do(Record(False))
    worker.do("page", 1, Replay(path))
    worker.play()
    worker.play()
    assert worker.session.grabbed is not None
    worker.do("page", 2, Edit({"hose/length": 0.42}))
    assert worker.session.replaying is None
    assert worker.session.grabbed is None
    assert pipe.answers() == {1: "", 2: ""}
    assert worker.session.simulation.supports("hose")[-1].position == (0.28, 0.05, 0.0)
    assert worker.session.simulation.scene.cable("hose").length == 0.42
