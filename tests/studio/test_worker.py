"""The simulation process by itself, without a server around it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from lissom.session import filing
from lissom.studio.worker import Start, Worker


class Pipe:
    """Keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send(self, message: Any) -> None:
        self.sent.append(message)


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
