"""The haptic loop: a thousand times in a second it reads the handle, moves the gripper, and tells the hand a force."""

import gc
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.haptic.backends import Backend
from lissom.haptic.coupling import Coupling, CouplingNumbers
from lissom.haptic.devices import Device
from lissom.haptic.precedence import going_first
from lissom.haptic.recording import Recorder, Recording
from lissom.scene.pose import Pose

Array = NDArray[np.float64]

SPIN = 0.0006
"""s before a tick from which the loop waits awake: a sleep ends later than it should, most often by less than that."""
ASLEEP = 0.1
"""Of a tick, that the loop sleeps if it has the time: a thread in real time that never does is stopped by the system,
for 50 ms in each second.
"""
GIVE_UP = 0.05
"""s behind the clock from which ticks are left out instead of caught up with."""

UNIT = 1e-3
"""How far the square of a quaternion's length may be from 1."""


@dataclass(frozen=True, slots=True)
class LoopReport:
    """How a loop went."""

    status: str  # good, or what the cable says: lags, oscillates, exploded, lost …
    reason: str
    ticks: int
    seconds: float  # by the clock of the world; of the loop, where it did not run in real time
    rate: float  # ticks in a second
    jitter_p50: float  # s, how late ticks began
    jitter_p99: float
    jitter_most: float
    priority: str  # "real time", or "usual" where the system does not allow it
    overruns: int  # ticks whose work was not done when the next was due
    skipped: int  # ticks left out
    deficit: float  # steps that the force model wanted and did not make, its repeats in a millisecond being capped
    late_solves: int  # solves that were not done in their tick, which had the force of an earlier one
    busy: float  # mean time of a tick's work, s
    energy_least: float  # J, what the hand had put in, at its least: below 0 the loop made energy
    energy_damped: float  # J, taken by the guard

    @property
    def ok(self) -> bool:
        return self.status in ("good", "lags")

    def entries(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(slots=True)
class Trace:
    """What happened in every tick, for plots; filled in as far as the loop came."""

    time: list[float] = field(default_factory=list)
    handle: list[Array] = field(default_factory=list)
    gripper: list[Array] = field(default_factory=list)
    force: list[Array] = field(default_factory=list)  # told to the hand
    energy: list[float] = field(default_factory=list)


class HapticLoop:
    """`backend` is the cable, `device` the handle [docs/haptic.md].

    `run` may be called again: it goes on where it was.
    """

    def __init__(
        self,
        backend: Backend,
        device: Device,
        *,
        rate: float = 1000.0,
        coupling: CouplingNumbers | None = None,
        record_rate: float = 100.0,
        traced: bool = False,
        title: str = "",
    ) -> None:
        if not 1.0 <= rate <= 10_000.0:
            raise ValueError(f"rate = {rate}: must be from 1 to 10000 ticks in a second")
        if not 0.0 < record_rate <= rate:
            raise ValueError(f"record_rate = {record_rate}: must be above 0 and at most the rate, {rate:g}")
        self.backend, self.device = backend, device
        self.dt = 1.0 / rate
        self.time = 0.0
        self.trace = Trace()
        self._traced = traced
        self._every = max(1, round(rate / record_rate))
        self._recorder = Recorder(backend.places, title)
        self._ticks = 0
        self._least = 0.0
        position, quaternion = as_arrays(device.read(0.0))
        self._felt, self._is_late = backend.tick(position, quaternion, self.dt), False
        self.coupling = Coupling(coupling or CouplingNumbers(), position, quaternion, self._felt)

    @property
    def recording(self) -> Recording:
        """All samples so far."""
        return self._recorder.recording()

    def tick(self) -> None:
        """One turn of the loop, without a clock."""
        coupling, backend = self.coupling, self.backend
        position, quaternion = as_arrays(self.device.read(self.time))
        coupling.lead(position, quaternion, *self._felt, self.dt, late=self._is_late)
        late = backend.late
        self._felt = backend.tick(coupling.position, coupling.quaternion, self.dt)
        self._is_late = backend.late > late
        force, torque = coupling.feel(*self._felt, late=self._is_late)
        self.device.write(self.time, force, torque)
        self._least = min(self._least, coupling.energy)
        if self._ticks % self._every == 0:
            self._recorder.take(
                self.time, coupling.position, coupling.quaternion, *self._felt, backend.positions, backend.touches()
            )
        if self._traced:
            trace = self.trace
            trace.time.append(self.time)
            trace.handle.append(position)
            trace.gripper.append(coupling.position)
            trace.force.append(force)
            trace.energy.append(coupling.energy)
        self._ticks += 1
        self.time = self._ticks * self.dt

    def run(self, seconds: float, *, real_time: bool = True, is_over: Callable[[], bool] = lambda: False) -> LoopReport:
        """Runs so long, or until `is_over`, or until the cable has exploded. Not in real time: as fast as it can."""
        if not (seconds > 0.0 and math.isfinite(seconds)):
            raise ValueError(f"seconds = {seconds}: must be above 0")
        total = max(1, round(seconds / self.dt))
        if not real_time:
            return self._run(Clock(self.dt, total, False), is_over, "usual")
        with going_first() as priority, without_collections():
            return self._run(Clock(self.dt, total, True), is_over, priority)

    def _run(self, clock: "Clock", is_over: Callable[[], bool], priority: str) -> LoopReport:
        late, deficit = self.backend.late, self.backend.deficit
        while clock.wait():
            self.tick()
            clock.done()
            if self.backend.status in ("exploded", "lost") or is_over():
                break
        return clock.report(self, priority, self.backend.late - late, self.backend.deficit - deficit)


@contextmanager
def without_collections() -> Iterator[None]:
    """One of them takes longer than a tick."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class Clock:
    """When ticks are due, and how they kept to it."""

    def __init__(self, dt: float, total: int, real_time: bool) -> None:
        self.dt, self.total, self.real_time = dt, total, real_time
        self.count = 0
        self.overruns = self.skipped = 0
        self._late = np.zeros(total)
        self._busy = 0.0
        self._began = time.perf_counter()
        self._due = self._began
        self._start = self._began

    def wait(self) -> bool:
        """Until the next tick is due; False where all are done."""
        if self.count + self.skipped >= self.total:
            return False
        if self.real_time:
            left = self._due - time.perf_counter()
            if left > ASLEEP * self.dt:
                time.sleep(max(left - SPIN, ASLEEP * self.dt))
            while time.perf_counter() < self._due:
                pass
        self._start = time.perf_counter()
        if self.real_time:
            self._late[self.count] = self._start - self._due
        return True

    def done(self) -> None:
        """A tick's work is."""
        now = time.perf_counter()
        self._busy += now - self._start
        self.count += 1
        self._due += self.dt
        if self.real_time and now > self._due:
            self.overruns += 1
            if now - self._due > GIVE_UP:
                missed = min(int((now - self._due) / self.dt), self.total - self.count - self.skipped)
                self.skipped += missed
                self._due += missed * self.dt

    def report(self, loop: HapticLoop, priority: str, late_solves: int, deficit: float) -> LoopReport:
        took = time.perf_counter() - self._began
        late = self._late[: max(self.count, 1)]
        p50, p99 = np.percentile(late, (50, 99)) if self.real_time else (0.0, 0.0)
        seconds = took if self.real_time else self.count * self.dt
        backend, coupling = loop.backend, loop.coupling
        return LoopReport(
            backend.status, backend.reason, self.count, seconds, self.count / max(seconds, 1e-9), float(p50),
            float(p99), float(late.max()), priority, self.overruns, self.skipped, deficit, late_solves,
            self._busy / max(self.count, 1), loop._least, coupling.damped,
        )  # fmt: skip


def as_arrays(pose: Pose) -> tuple[Array, Array]:
    """Of a device; ValueError where it gives no pose."""
    position, quaternion = np.array(pose[0], dtype=float), np.array(pose[1], dtype=float)
    if not (math.isfinite(position.sum()) and abs(quaternion @ quaternion - 1.0) < UNIT):
        raise ValueError(f"pose of the device = {pose}: must be a finite position and a quaternion of length 1")
    return position, quaternion
