"""A session as a file: every command with its time, one JSON object per line. It can be replayed, and is a bug report.

The first line says in full with what it began: the scene, its solved state, the desk.
"""

from __future__ import annotations

import base64
import binascii
import json
import time
from pathlib import Path
from typing import Any, Final

from lissom.scene import state_path
from lissom.scene.files import write_atomically
from lissom.session import wire
from lissom.session.desk import desk_path
from lissom.session.messages.commands import (
    Command,
    Discard,
    ExportFile,
    Files,
    New,
    Open,
    Record,
    Replay,
    Save,
    Script,
    Stop,
)
from lissom.session.messages.machines import ExportRun, Watch
from lissom.session.messages.motion import ExportSweep, ShowEnvelope, StopSweep, Sweep, Take
from lissom.session.replaying import Entry

SILENT: Final = (
    *(Files, Record, Replay, Stop, Script, New, Open, Save, Discard, ExportFile),
    *(Take, Sweep, StopSweep, ShowEnvelope, ExportSweep, Watch, ExportRun),
)
"""Commands that do nothing to the scene: files are not written again, and another scene is another recording. A motion
that was taken down is noted as the motion that came of it, and a machine that plays as the steps that it made.
"""


class Recorder:
    """Notes commands, while it is on."""

    def __init__(self) -> None:
        self._lines: list[str] | None = None
        self._began = 0.0

    @property
    def on(self) -> bool:
        return self._lines is not None

    def begin(self, kept: Path) -> None:
        """A new recording, from the scene in this file with what lies beside it."""
        self._began = time.monotonic()
        head = {
            "lissom": "session",
            "scene": json.loads(kept.read_text(encoding="utf-8")),
            "state": base64.b64encode(state_path(kept).read_bytes()).decode(),
            "desk": json.loads(desk_path(kept).read_text(encoding="utf-8")),
        }
        self._lines = [json.dumps(head)]

    def note(self, command: Command) -> None:
        if self._lines is not None and not isinstance(command, SILENT):
            entry = {"time": round(time.monotonic() - self._began, 4), **wire.command_data(command)}
            self._lines.append(json.dumps(entry, ensure_ascii=False))

    def end(self, path: Path) -> None:
        """Writes the recording."""
        if self._lines is not None:
            write_atomically(path, ("\n".join(self._lines) + "\n").encode())
        self._lines = None


def read_recording(path: Path, kept: Path) -> list[Entry]:
    """Writes what it began with to the file `kept` and beside it; gives the commands with their times. Raises
    ValueError.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    head: Any = json.loads(lines[0]) if lines else None
    if not isinstance(head, dict) or head.get("lissom") != "session":
        raise ValueError(f"{path.name}: is not a recorded session")
    entries = [_entry(json.loads(line), f"line {number}") for number, line in enumerate(lines[1:], start=2)]
    try:
        state = base64.b64decode(str(head.get("state", "")), validate=True)
    except binascii.Error:
        raise ValueError(f"{path.name}: its state cannot be read") from None
    write_atomically(kept, json.dumps(head.get("scene")).encode())
    write_atomically(state_path(kept), state)
    write_atomically(desk_path(kept), json.dumps(head.get("desk")).encode())
    return entries


def _entry(data: Any, where: str) -> Entry:
    if not isinstance(data, dict):
        raise ValueError(f"{where}: must be a JSON object")
    when: float = wire.checked(float, data.get("time"), f"{where}: time")
    command = wire.command_from({key: value for key, value in data.items() if key != "time"})
    if isinstance(command, SILENT):
        raise ValueError(f"{where}: {type(command).__name__} is never recorded; take it out")
    return when, command
