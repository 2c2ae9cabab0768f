"""Compiles beforehand what dragging, gripping and clips need: `python -m lissom.studio.warming`.

Opening a scene compiles only what solving it takes. On a fresh machine the first grip on a cable would then wait for
half a minute in the middle of a drag. So a simulation process that is ready starts this one, of low priority: it
plays a person on the demos, and what it compiles lies in the cache that both share. Once is enough.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

from lissom.analysis.waiting import compiled_folder
from lissom.scene import SceneError
from lissom.session.messages.commands import (
    AddClip,
    ClipKind,
    Colour,
    Command,
    Drag,
    Drop,
    Feed,
    Freeze,
    Grab,
    KeepVariant,
    Lengthen,
    Soften,
    Solve,
    Undo,
)
from lissom.session.messages.machines import Advance
from lissom.session.messages.values import Quantity, Vec3

GENTLE: Final = 10
"""Added to the niceness of the process: whoever drags meanwhile comes first."""
ANOTHER: Final = 900.0
"""s: so long a process that has begun to warm up is believed to be at it."""


def is_warm() -> bool:
    """Whether it was done for these kernels, or is being done."""
    folder = compiled_folder()
    begun = folder / "warming"
    return (folder / "warm").exists() or (begun.exists() and time.time() - begun.stat().st_mtime < ANOTHER)


def warm_up() -> subprocess.Popen[bytes]:
    """Starts the process; it ends with whoever started it."""
    path = os.pathsep.join(k for k in sys.path if k)
    command = [sys.executable, "-m", "lissom.studio.warming"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, env=os.environ | {"PYTHONPATH": path})


def main() -> None:
    threading.Thread(target=end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(GENTLE)
    begun = compiled_folder() / "warming"
    begun.touch()
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            play(Path(folder))
        (compiled_folder() / "warm").touch()
    finally:
        begun.unlink(missing_ok=True)


def end_with_parent() -> None:
    """Its standard input ends when the process does that holds the other end."""
    while os.read(0, 1):
        continue
    (compiled_folder() / "warming").unlink(missing_ok=True)
    os._exit(0)


def play(folder: Path) -> None:
    """Does to every demo what a person does."""
    from lissom.session.filing import open_demo
    from lissom.session.gallery import gallery
    from lissom.session.session import Session
    from lissom.session.shapes import frame, readouts
    from lissom.session.workspace import Workspace

    for name in gallery():
        session = Session(Workspace.of(folder), lambda event: None)
        open_demo(session, name)
        for command in commands(session):
            with contextlib.suppress(SceneError, ValueError):  # what one demo refuses, another does
                session.do(command)
            frame(session)
            readouts(session)
        session.unsaved = False


def commands(session: Any) -> Iterator[Command]:
    """First what is wanted first."""
    if session.is_machine:
        yield Advance(10)
        yield Undo()
    if not session.simulation.cables:
        return
    cable = session.simulation.cables[0]
    yield from dragged(session, cable, 0.37)
    for kind in get_args(ClipKind):
        yield AddClip(cable, 0.37, kind)
        yield Undo()
    for path in (f"{cable}/end", *session.simulation.bodies[:2]):
        yield from dragged(session, path)
    yield Lengthen(cable, by=0.001)
    yield Feed(cable)
    yield Freeze(cable)
    yield Soften(cable)
    yield Freeze(cable)
    for quantity in get_args(Quantity):
        yield Colour(quantity)
    yield KeepVariant("warm")
    yield Solve(cold=True)


def dragged(session: Any, path: str, at: float | None = None) -> Iterator[Command]:
    yield Grab(path, at)
    held = session.grabbed
    if held is not None and held.good is not None:
        (x, y, z), turn = held.good
        there: Vec3 = (x, y, z + 0.001)
        yield Drag(there, turn)
        yield Drop()
        yield Undo()


if __name__ == "__main__":
    main()
