"""The process that sweeps motions, so that dragging never waits for it: jobs in through its input, news out.

It ends with its input, so it does not outlive the studio.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.sweeps import Reading, Swept, read
from lissom.analysis.sweptvolume import swept_mesh
from lissom.keeping import SimulationState
from lissom.scene import Scene
from lissom.simulation import Simulation
from lissom.sweeping import sweep

YIELDS: Final = 5
"""Niceness: who drags goes first."""


@dataclass(frozen=True, slots=True)
class SweepJob:
    number: int
    state: SimulationState
    motion: str


@dataclass(frozen=True, slots=True)
class EnvelopeJob:
    number: int
    scene: Scene
    swept: Swept
    cable: str


@dataclass(frozen=True, slots=True)
class Visited:
    """One position of a sweep."""

    number: int  # of the job
    reading: Reading
    shapes: dict[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Ended:
    """A job is done: with the mesh of an envelope (vertices, triangles), or with why it could not be."""

    number: int
    mesh: tuple[NDArray[np.float64], NDArray[np.int64]] | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Advanced:
    """Which part of an envelope is done."""

    number: int
    part: float


Job = SweepJob | EnvelopeJob
News = Visited | Advanced | Ended


def work(job: Job, tell: Callable[[News], object]) -> None:
    if isinstance(job, EnvelopeJob):
        mesh = swept_mesh(job.scene, job.swept, job.cable, lambda part: tell(Advanced(job.number, part)))
        tell(Ended(job.number, mesh))
        return
    scene = job.state.scene
    simulation = Simulation(scene)
    simulation.restore(job.state)
    for visit in sweep(simulation, motion=job.motion):
        tell(Visited(job.number, read(simulation, visit, scene), visit.shapes))
    tell(Ended(job.number))


def main() -> None:
    """Until the input ends; what anything prints goes to the errors, so that news stay readable."""
    if hasattr(os, "nice"):
        os.nice(YIELDS)
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def tell(news: News) -> None:
        pickle.dump(news, out)
        out.flush()

    try:
        while True:
            job: Job = pickle.load(sys.stdin.buffer)
            try:
                work(job, tell)
            except (ValueError, ArithmeticError, KeyError, OSError, RuntimeError) as error:
                tell(Ended(job.number, error=str(error) or type(error).__name__))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return


class Sweeper:
    """The process as a session sees it: started with its first job, killed to stop."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._news: SimpleQueue[News | None] = SimpleQueue()

    def give(self, job: Job) -> None:
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-P", "-c", "from lissom.session.sweeper import main; main()"]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self._news = SimpleQueue()
            threading.Thread(target=listen, args=(self._process.stdout, self._news), daemon=True).start()
        assert self._process.stdin is not None
        pickle.dump(job, self._process.stdin)
        self._process.stdin.flush()

    def news(self) -> Iterator[News | None]:
        """All there is now; None: the process has ended."""
        while not self._news.empty():
            yield self._news.get()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
            self._news = SimpleQueue()


def listen(stream: Any, news: SimpleQueue[News | None]) -> None:
    try:
        while True:
            news.put(pickle.load(stream))
    except (EOFError, OSError, pickle.UnpicklingError):
        news.put(None)
