"""The simulation process by itself, without a server around it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from lissom.session import describing, filing, shapes
from lissom.session.messages import Edit
from lissom.session.surfaces import Surfaces
from lissom.studio import warming
from lissom.studio.worker import Start, Worker
from tests.session.scenes import make_session


class Pipe:
    """Keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send(self, message: Any) -> None:
        self.sent.append(message)

    def poll(self, patience: float) -> bool:
        return False


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
    monkeypatch.setattr(warming.kernels, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(warming.os, "nice", lambda by: None)
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
    assert [k[1] for k in pipe.sent if k[0] == "event" and "Status" in k[1]][-1].endswith('"ready","text":""}')
