"""A model that takes about as long as a tick: solved within it, or in a process of its own beside the loop.

Python runs one thread at a time: a model that solves in a thread keeps the loop from its ticks. Beside it, the loop
sends a pose, and waits for the answer as long as a tick allows.
"""

import gc
import math
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lissom.haptic.planes import Touch
from lissom.scene.pose import Pose
from lissom.spawning import without_script

Array = NDArray[np.float64]

BUDGET: Final = 0.5
"""Of a tick, that the loop waits for an answer; then it goes on with the force it has."""
MOST_WAITING: Final = 100
"""Poses sent and not answered: the pipe takes no more than some hundreds without making the sender wait."""
SILENT: Final = 0.5
"""s without an answer: more than a solve that is late."""
NICENESS: Final = -20
"""Of the process: before what has the usual 0, but not before everything, for it may need a whole core."""


class Answer(NamedTuple):
    """What a model found. Where it found nothing, `status` is not good, and the rest is that of before."""

    status: str
    reason: str
    force: Array  # (3,) N, that the gripper feels
    torque: Array  # (3,) N m, about it
    positions: Array  # (n, 3) m
    touches: list[Touch]


class Model(Protocol):
    """A cable with one gripper that can be pickled."""

    @property
    def places(self) -> Array:
        """(n,) m along the cable."""

    def solve(self, pose: Pose) -> Answer:
        """The gripper is there."""

    def prepare(self) -> None:
        """Loads whatever a solve may need later, in the process in which it is called."""


class Solved:
    """The backend of a model whose every tick takes as long as its solve: for what is not in real time."""

    late, deficit = 0, 0.0

    def __init__(self, model: Model, first: Pose) -> None:
        self._model = model
        self._answer = model.solve(first)
        self.places = model.places

    @property
    def status(self) -> str:
        return self._answer.status

    @property
    def reason(self) -> str:
        return self._answer.reason

    @property
    def positions(self) -> Array:
        return self._answer.positions

    @property
    def length(self) -> float:
        return float(self.places[-1])

    def tick(self, position: Array, quaternion: Array, dt: float) -> tuple[Array, Array]:
        self._answer = self._model.solve(as_pose(position, quaternion))
        return self._answer.force, self._answer.torque

    def touches(self) -> list[Touch]:
        return self._answer.touches

    def close(self) -> None:
        pass


class Beside:
    """The backend of a model in a process of its own, one solve in a tick.

    Where a solve is late the last force is held. A pose that is being solved is not sent again.
    """

    deficit = 0.0

    def __init__(self, model: Model, first: Pose) -> None:
        self._answer = model.solve(first)
        self.places = model.places
        self.late = 0
        self._pose = first  # the last one sent
        self._silent = 0.0  # s since the last answer
        self._asked = self._answered = 0
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, model), name="lissom model", daemon=True)
        with without_script(), out_of_interrupts():
            self._process.start()
        theirs.close()
        self._ask(first)  # what it has to load and to compile is done before the first tick
        self._pipe.poll(None)
        self._hear(math.inf)

    @property
    def status(self) -> str:
        return "held" if self._is_silent else self._answer.status

    @property
    def reason(self) -> str:
        if not self._is_silent:
            return self._answer.reason
        return (
            f"no solve was done for {self._silent:.1f} s, and the last force is held: the process that solves the "
            "cable needs a core beside that of the loop; with one core only take the force model"
        )

    @property
    def positions(self) -> Array:
        return self._answer.positions

    @property
    def length(self) -> float:
        return float(self.places[-1])

    @property
    def _is_silent(self) -> bool:
        return self._answer.status == "good" and self._silent > SILENT

    def tick(self, position: Array, quaternion: Array, dt: float) -> tuple[Array, Array]:
        before = self._answered
        until = time.perf_counter() + BUDGET * dt
        self._ask(as_pose(position, quaternion))
        in_time = self._hear(until)
        self._silent = 0.0 if self._answered > before else self._silent + dt
        self.late += not in_time
        return self._answer.force, self._answer.torque

    def _ask(self, pose: Pose) -> None:
        waiting = self._asked - self._answered
        if self.status == "lost" or waiting >= MOST_WAITING or (waiting and pose == self._pose):
            return
        try:
            self._pipe.send((self._asked + 1, pose))
            self._asked, self._pose = self._asked + 1, pose
        except OSError:
            self._lose()

    def _hear(self, until: float) -> bool:
        """Takes answers until that of the last pose is there, or the clock says `until`; whether it is. It waits awake:
        a sleep may end as late as a whole solve takes.
        """
        if self.status == "lost":
            return False
        try:
            while self._answered < self._asked:
                if self._pipe.poll():
                    self._answered, self._answer = self._pipe.recv()
                elif time.perf_counter() > until:
                    return False
        except (EOFError, OSError):
            self._lose()
        return self.status != "lost"

    def _lose(self) -> None:
        self._process.join(timeout=1.0)
        reason = (
            f"the process that solves the cable has ended by itself (exit code {self._process.exitcode}), and the last "
            "force is held; close this backend and make a new one"
        )
        self._answer = self._answer._replace(status="lost", reason=reason)

    def touches(self) -> list[Touch]:
        return self._answer.touches

    def close(self) -> None:
        self._pipe.close()
        self._process.join(timeout=5.0)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def serve(pipe: Connection, model: Model) -> None:
    """The whole life of the process: answers the newest pose, until the loop has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    model.prepare()
    with_precedence()
    gc.freeze()
    try:
        while True:
            number, pose = pipe.recv()
            while pipe.poll():
                number, pose = pipe.recv()
            pipe.send((number, model.solve(pose)))
    except (EOFError, ConnectionError):
        return


@contextmanager
def out_of_interrupts() -> Iterator[None]:
    """What is spawned inside never gets a Ctrl-C, not even while it starts: that is for the loop, which ends it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def with_precedence() -> None:
    """Before others, and not on the core of the loop [precedence.py], behind which it would have to wait."""
    if hasattr(os, "setpriority"):
        with suppress(PermissionError):  # the loop says in its report whether it may go first: then this may not either
            os.setpriority(os.PRIO_PROCESS, 0, NICENESS)
    if hasattr(os, "sched_setaffinity") and len(cores := os.sched_getaffinity(0)) > 1:
        os.sched_setaffinity(0, cores - {max(cores)})


def as_pose(position: Array, quaternion: Array) -> Pose:
    (x, y, z), (w, i, j, k) = position.tolist(), quaternion.tolist()
    return (x, y, z), (w, i, j, k)
