"""Starting the simulation process. Light to import: the process begins while its server is still being read in."""

from __future__ import annotations

from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Final, NamedTuple

from lissom.spawning import without_script

GIVE_STATE: Final = "state"
"""Asks for the state of the simulation, which a live one goes on from."""
GONE: Final = "gone"
"""Says that a page has gone: what it held is let go."""
ALONE: Final = "alone"
"""Says that no page is there any more: a machine is not played for nobody."""
END: Final = "end"
"""Says that the process is to end."""


@dataclass(frozen=True, slots=True)
class Start:
    """What a simulation process begins with: a scene file, a demo, a live simulation's state, or an empty scene."""

    folder: str  # the workspace
    file: str | None = None  # path in the workspace
    demo: str | None = None
    slot: str | None = None  # name of the slot of unsaved edits, of a scene without a file
    state: Any = None  # SimulationState of a live simulation
    again: bool = False  # after the process of before died


class Launched(NamedTuple):
    process: BaseProcess
    pipe: Connection  # our end


def launch(start: Start) -> Launched:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs, start), daemon=True)
    with without_script():
        process.start()
    theirs.close()
    return Launched(process, ours)


def work(pipe: Connection, start: Start) -> None:
    """The whole life of the process."""
    from lissom.studio.worker import run

    run(pipe, start)
