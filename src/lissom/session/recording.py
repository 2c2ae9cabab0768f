"""A session as a file: every command with its time, one JSON object per line. It can be replayed, and is a bug report.

The first line says which scene it began with, in full.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lissom.scene import Scene
from lissom.scene.saving import write_atomically
from lissom.session import wire
from lissom.session.messages import Command, Drag, Files, Record, Replay, Script

SILENT = (Files, Record, Replay, Script)
"""Commands that change nothing."""


class Recorder:
    """Notes commands: all since the scene was opened, for a script; and those of a recording."""

    def __init__(self) -> None:
        self.done: list[Command] = []
        self._lines: list[str] | None = None
        self._began = 0.0

    @property
    def on(self) -> bool:
        return self._lines is not None

    def begin(self, scene: Scene, folder: str) -> None:
        """A new recording."""
        self._began = time.monotonic()
        self._lines = [json.dumps({"lissom": "session", "scene": scene.to_dict(), "folder": folder})]

    def note(self, command: Command) -> None:
        if isinstance(command, SILENT):
            return
        if isinstance(command, Drag) and self.done and isinstance(self.done[-1], Drag):
            self.done[-1] = command  # a script goes where the drag ended
        else:
            self.done.append(command)
        if self._lines is not None:
            entry = {"time": round(time.monotonic() - self._began, 4), **wire.command_data(command)}
            self._lines.append(json.dumps(entry, ensure_ascii=False))

    def end(self, path: Path) -> None:
        """Writes the recording."""
        assert self._lines is not None
        write_atomically(path, ("\n".join(self._lines) + "\n").encode())
        self._lines = None


def read_recording(path: Path) -> tuple[Scene, Iterator[tuple[float, Command]]]:
    """The scene it began with, and the commands with their times (s). Raises ValueError or SceneError."""
    lines = path.read_text(encoding="utf-8").splitlines()
    head: Any = json.loads(lines[0]) if lines else None
    if not isinstance(head, dict) or head.get("lissom") != "session":
        raise ValueError(f"{path.name}: is not a recorded session")

    def commands() -> Iterator[tuple[float, Command]]:
        for line in lines[1:]:
            entry = json.loads(line)
            yield float(entry.pop("time", 0.0)), wire.command_from(entry)

    return Scene.from_dict(head["scene"]), commands()
