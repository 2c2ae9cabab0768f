"""A model beside the loop: late answers are held and caught up with slowly, and what happens to its process is said."""

import multiprocessing
import os
import signal
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from lissom.gripping import haptic_loop, home_of, press
from lissom.haptic.beside import MOST_WAITING, Answer, Beside, Solved
from lissom.haptic.coupling import FASTEST_FORCE, CouplingNumbers, rate_limited
from lissom.haptic.devices import PathDevice
from lissom.haptic.loop import HapticLoop
from lissom.haptic.precedence import going_first
from lissom.scene import Scene
from lissom.scene.pose import Pose
from tests.haptic.demonstrations import WIRE

HOME: Pose = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
TURN = np.array([1.0, 0.0, 0.0, 0.0])


class Spring:
    """A thing that pulls back with 100 N/m, and takes its time."""

    places = np.array([0.0, 1.0])

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.note = ""

    def prepare(self) -> None:
        self.note = "prepared"

    def solve(self, pose: Pose) -> Answer:
        time.sleep(self.seconds)
        x = np.array(pose[0])
        return Answer("good", self.note, -100.0 * x, np.zeros(3), np.array([x, x]), [])


def at(x: float) -> np.ndarray:
    return np.array([x, 0.0, 0.0])


def test_answers_in_time_are_felt_in_their_tick() -> None:
    """And are those of the model solved within the tick."""
    beside, within = Beside(Spring(), HOME), Solved(Spring(), HOME)
    for x in (0.01, 0.02, -0.05):
        force, _ = beside.tick(at(x), TURN, 10.0)  # ten seconds of patience
        assert force == pytest.approx(within.tick(at(x), TURN, 10.0)[0])
        assert force == pytest.approx([-100.0 * x, 0.0, 0.0])
    assert beside.late == 0
    assert beside.positions[0] == pytest.approx([-0.05, 0.0, 0.0])
    beside.close()


def test_late_answers_are_held_and_let_go_slowly() -> None:
    """Where the hand is told them directly."""
    beside, place = Beside(Spring(0.02), HOME), [0.0]
    device = PathDevice(lambda t: ((place[0], 0.0, 0.0), HOME[1]))
    loop = HapticLoop(beside, device, coupling=CouplingNumbers(kind="direct", guarded=False), traced=True)
    place[0] = 0.05
    loop.run(20.0, is_over=lambda: np.array_equal(loop.trace.force[-1], [-5.0, 0.0, 0.0]))
    beside.close()
    assert beside.late > 0
    assert loop.trace.force[0] == pytest.approx([0.0, 0.0, 0.0])
    assert loop.trace.force[-1] == pytest.approx([-5.0, 0.0, 0.0])
    steps = np.linalg.norm(np.diff(loop.trace.force, axis=0), axis=1)
    assert steps.max() <= FASTEST_FORCE * 0.001 * (1.0 + 1e-9)


def test_a_model_that_answers_nothing_does_not_stop_the_loop() -> None:
    """Poses do not pile up in the pipe until sending waits."""
    beside = Beside(Spring(2.0), HOME)
    began = time.perf_counter()
    for k in range(5 * MOST_WAITING):
        beside.tick(at(1e-6 * k), TURN, 1e-4)
    assert time.perf_counter() - began < 1.9
    assert beside.late == 5 * MOST_WAITING
    beside.close()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_process_is_noticed_and_ends_the_loop() -> None:
    beside = Beside(Spring(), HOME)
    loop = HapticLoop(beside, PathDevice(lambda t: HOME), coupling=CouplingNumbers(kind="direct", guarded=False))
    assert loop.run(0.05).ok
    os.kill(multiprocessing.active_children()[-1].pid or 0, signal.SIGKILL)
    report = loop.run(10.0)
    assert report.status == "lost"
    assert "exit code -9" in report.reason
    assert "make a new one" in report.reason
    assert report.seconds < 5.0
    assert beside.tick(at(0.1), TURN, 0.001)[0] == pytest.approx([0.0, 0.0, 0.0])  # still held
    beside.close()


def test_nothing_is_left_after_closing() -> None:
    shared = Path("/dev/shm")
    before = set(shared.iterdir()) if shared.exists() else set()
    beside = Beside(Spring(), HOME)
    (process,) = (k for k in multiprocessing.active_children() if k.name == "lissom model")
    beside.close()
    assert process.exitcode == 0
    assert (set(shared.iterdir()) if shared.exists() else set()) <= before


def test_what_the_first_touch_needs_is_loaded_before_the_first_tick() -> None:
    """It took two seconds, in which the force of before was held."""
    beside = Beside(Spring(), HOME)
    assert beside.reason == "prepared"
    beside.close()
    assert press() > 0


def test_rod_beside_the_loop_is_the_rod() -> None:
    scene = Scene.from_toml(WIRE).with_value("haptic.backend", "rod")
    loop = haptic_loop(scene, device=PathDevice(lambda t: home_of(scene)))
    report = loop.run(0.2)
    loop.backend.close()
    assert report.status == "good"
    assert report.ticks + report.skipped == 200
    weight = 0.3 * 0.06 * 9.81
    assert loop.recording.force[-1] == pytest.approx([0.0, 0.0, -weight], abs=1e-6)
    assert loop.recording.torque[-1][1] > 0.2 * 0.3 * weight


@pytest.mark.skipif(not hasattr(os, "sched_setscheduler"), reason="only where there are such priorities")
def test_going_first_is_over_afterwards() -> None:
    def now() -> object:
        return os.sched_getscheduler(0), os.sched_getaffinity(0), sys.getswitchinterval()

    before = now()
    with going_first() as priority:
        assert priority in ("real time", "usual")
        assert sys.getswitchinterval() < 1e-3
        assert (os.sched_getscheduler(0) == os.SCHED_FIFO) == (priority == "real time")
    assert now() == before


@pytest.mark.skipif(not hasattr(os, "sched_setscheduler"), reason="only where there are such priorities")
def test_who_may_not_go_first_goes_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refused)
    with going_first() as priority:
        assert priority == "usual"


def test_rate_limit() -> None:
    assert rate_limited(np.zeros(3), np.array([3.0, 4.0, 0.0]), 1.0) == pytest.approx([0.6, 0.8, 0.0])
    assert rate_limited(np.zeros(3), np.array([0.3, 0.4, 0.0]), 1.0) == pytest.approx([0.3, 0.4, 0.0])


def test_two_loops_at_once_leave_the_switch_interval_as_it_was() -> None:
    """The one that began second restored what the first had set."""
    before = sys.getswitchinterval()
    second_runs, first_ended = threading.Event(), threading.Event()

    def first() -> None:
        with going_first():
            second.start()
            second_runs.wait(10.0)

    def go_second() -> None:
        with going_first():
            second_runs.set()
            first_ended.wait(10.0)
            during.append(sys.getswitchinterval())

    during: list[float] = []
    second = threading.Thread(target=go_second)
    one = threading.Thread(target=first)
    one.start()
    one.join()
    first_ended.set()
    second.join()
    assert during[0] < 1e-3
    assert sys.getswitchinterval() == before


@pytest.mark.skipif(not hasattr(os, "sched_setscheduler"), reason="only where there are such priorities")
def test_a_core_that_may_not_be_chosen_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    before, choose = os.sched_getscheduler(0), os.sched_setaffinity
    expected = pytest.raises(OSError, match="no such core") if may_go_first() else nullcontext()
    asked: list[set[int]] = []

    def refused(pid: int, cores: set[int]) -> None:
        asked.append(cores)
        if len(asked) == 1:
            raise OSError("no such core")
        choose(pid, cores)

    monkeypatch.setattr(os, "sched_setaffinity", refused)
    with expected, going_first():
        pass
    assert os.sched_getscheduler(0) == before


def may_go_first() -> bool:
    with going_first() as priority:
        return priority == "real time"


def test_a_model_that_answers_nothing_for_long_is_said_to_be_held() -> None:
    """With one core its process never came to its turn, and the status was good."""
    beside = Beside(Spring(1.0), HOME)
    for _ in range(60):
        beside.tick(at(0.0), TURN, 0.01)
    assert beside.status == "held"
    assert "needs a core" in beside.reason
    beside.close()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="asks Linux")
def test_ctrl_c_does_not_reach_the_process_not_even_while_it_starts() -> None:
    """It ended in a traceback of numba's import."""
    beside = Beside(Spring(), HOME)
    (process,) = (k for k in multiprocessing.active_children() if k.name == "lissom model")
    status = Path(f"/proc/{process.pid}/status").read_text()
    beside.close()
    blocked = int(next(k for k in status.splitlines() if k.startswith("SigBlk")).split()[1], 16)
    assert blocked & 1 << signal.SIGINT - 1
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
