"""A machine in time: it plays beside everything else, is pulled by hand, and remembers what it did.

Whoever runs a session calls `tick` often. What was stepped is recorded as `Advance`, so that a replay does the same.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from lissom.keeping import Checkpoint
from lissom.scene.pose import NO_TURN, composed, relative
from lissom.session.messages.commands import Drag
from lissom.session.messages.events import Notice
from lissom.session.messages.machines import Advance, Clock
from lissom.session.messages.snapshots import Held
from lissom.session.messages.values import Vec3
from lissom.session.trace import Trace
from lissom.simulation import Halted

if TYPE_CHECKING:
    from lissom.machines.machine import Machine
    from lissom.session.history import Moment
    from lissom.session.session import Grabbed, Session

SUBSTEP: Final = 1.0 / 600.0
"""s: ten of them are a step of `lissom run`."""
A_STEP: Final = 10
BUDGET: Final = 0.025
"""s of wall time that a machine steps before other commands are heard and a frame is drawn, unless those take long."""
SHARE: Final = 3.0
"""It steps so many times as long as everything else took: slow frames become fewer, and the machine goes on."""
LONGEST: Final = 0.5
"""s that it steps at most before other commands are heard."""
LATE: Final = 0.15
"""s behind the clock that are made up for; what is more is left out, and said."""
WINDOW: Final = 1.5
"""s over which the true pace is taken."""
KEEPS_UP: Final = 0.93
"""Of the pace that is wanted: slower is said."""
SLOWEST, FASTEST = 0.01, 16.0
RUNS: Final = ("run", "step", "pull", "find rest", "reset to the start")
"""Steps of undo in which time passes: how the scene begins, and so what is saved, stays the same."""
WHOLE: Final = 0.08
"""Of the size of a machine: pulled so far, a hand bears the weight of all of it."""


@dataclass(slots=True)
class Running:
    """The machine of a session as it is played."""

    machine: Machine
    trace: Trace
    first: Machine | None  # a little later than the start: what the forces are when everything is let go
    by_torque: set[str]  # joints driven by a torque alone: of a winch it could be read as a tension too
    playing: bool = False
    pace: float = 1.0
    error: str = ""
    before: Moment | None = None  # of the run under way; none once it can be undone
    anchor: tuple[float, float] = (0.0, 0.0)  # wall time, time of the machine
    left_off: float = 0.0  # wall time when it was last stepped
    seen: deque[tuple[float, float]] = field(default_factory=deque)  # wall time, time of the machine
    lines: list[str] = field(default_factory=list)  # of a script, since it was last said
    stepped: int = 0  # substeps that no line says yet

    @property
    def shown(self) -> Machine:
        """Whose forces are shown."""
        return self.first or self.machine


@dataclass(frozen=True, slots=True)
class Hold:
    """A hand on a part of a machine."""

    part: str
    point: Vec3  # in the axes of the part
    touched: Vec3  # where that was when it was taken
    origin: Vec3  # of the part then
    stiffness: float
    damping: float


def running(session: Session) -> Running | None:
    """None where nothing moves in time. It knows when the machine was exchanged: by an edit, or by undo."""
    simulation, now = session.simulation, session.running
    if not session.is_machine:
        session.running = None
        return None
    machine = simulation.machine
    if now is not None and now.machine is machine:
        return now
    if now is not None and now.machine.scene == machine.scene:
        now.machine, now.first = machine, first_instant(machine)
        now.trace.go_to(machine.time)
        if not len(now.trace.rows):  # longer ago than is remembered
            now.trace.take(machine, now.first)
        return now
    trace, first = Trace(machine), first_instant(machine)
    trace.take(machine, first)
    motors = {k.name: k.motor for k in machine.scene.joints if k.motor is not None}
    by_torque = {name for name, k in motors.items() if k.speed is None and k.tension is None}
    session.running = Running(machine, trace, first, by_torque, pace=1.0 if now is None else now.pace)
    return session.running


def first_instant(machine: Machine) -> Machine | None:
    """A copy that has just begun to move; None where the machine itself has moved."""
    from lissom.machines.machine import Machine

    if machine.time > 0.0:
        return None
    copy = Machine.from_state(machine.state)
    copy.step(SUBSTEP)
    return copy


def is_run(label: str) -> bool:
    return label in RUNS or label.startswith("pull ")


# ---- playing ---------------------------------------------------------------------------------------------------------


def begin(session: Session) -> None:
    """Time runs from now on."""
    run = running(session)
    if run is None:
        raise ValueError("play: nothing in this scene moves in time: it has no free parts with joints, and no ropes")
    run.playing, run.error = True, ""
    run.before = run.before or session.moment()
    set_clock(run)
    session.changed = True


def pause(session: Session) -> None:
    run = session.running
    if run is None:
        return
    was, run.playing, run.before = run.playing, False, None
    say_lines(session, run)
    session.changed |= was


def set_clock(run: Running) -> None:
    """Time is counted from now."""
    run.anchor = (time.monotonic(), run.machine.time)
    run.seen.clear()


def moves(session: Session) -> bool:
    """Whether time runs: also while something is pulled."""
    run = session.running
    held = session.grabbed is not None and session.grabbed.hold is not None
    return run is not None and (run.playing or held) and session.replaying is None


def patience(session: Session) -> float:
    """s until the next substep is due."""
    run = session.running
    if run is None or not moves(session):
        return math.inf
    return max(0.0, (a_frame(run) * SUBSTEP - owed(run, time.monotonic())) / run.pace)


def a_frame(run: Running) -> int:
    """Substeps between two frames: sixty frames a second at every pace, if that many substeps are due."""
    return max(1, round(A_STEP * run.pace))


def owed(run: Running, now: float) -> float:
    """s by which the machine is behind."""
    return (now - run.anchor[0]) * run.pace - (run.machine.time - run.anchor[1])


def tick(session: Session) -> None:
    """As much time as has passed, or as there is patience for. Raises what `Simulation.solve` raises."""
    run = running(session)
    if run is None or not moves(session):
        return
    now = time.monotonic()
    due = math.floor(owed(run, now) / SUBSTEP + 1e-6)
    if due < a_frame(run):
        return
    budget = min(max(BUDGET, SHARE * (now - run.left_off)), LONGEST)
    count = advance(session, run, due, now + budget)
    if not run.error:
        session.recorder.note(Advance(count))
    run.seen.append((now, run.machine.time))
    while now - run.seen[0][0] > WINDOW:
        run.seen.popleft()
    lag = owed(run, time.monotonic()) - LATE * run.pace
    if lag > 0.0:
        run.anchor = (run.anchor[0] + lag / run.pace, run.anchor[1])


def advance(session: Session, run: Running, substeps: int, until: float = math.inf) -> int:
    """So many substeps, or as many as are begun `until` then; a machine that flies apart goes back to where it was
    before them, and time stops. Gives how many were made.
    """
    simulation, before = session.simulation, session.simulation.checkpoint()
    if run.before is not None:
        session.history.push("run", run.before)
        run.before, session.described = None, False
    left = substeps
    try:
        while left == substeps or (left and time.monotonic() < until):
            done = round(run.machine.time / SUBSTEP)
            chunk = min(left, A_STEP - done % A_STEP)
            run.machine.step(chunk * SUBSTEP, chunk)
            if not run.machine.is_finite:
                raise FloatingPointError("it flew apart; a stiff rope or joint may need a lighter load or more mass")
            run.first = None
            if (done + chunk) % A_STEP == 0:
                known = set(run.trace.broke)
                run.trace.take(run.machine)
                for name in run.trace.broke.keys() - known:
                    session.tell(Notice("warning", f"{name} {run.trace.broke[name]}."))
            left -= chunk
        run.left_off = time.monotonic()
        simulation.take_machine()
        session.solve()
    except (FloatingPointError, ZeroDivisionError, np.linalg.LinAlgError) as error:
        failed(session, run, before, str(error))
        return 0
    except Halted:
        simulation.back_to(before)
        running(session)
        raise
    run.stepped += substeps - left
    session.changed = True
    return substeps - left


def failed(session: Session, run: Running, good: Checkpoint, why: str) -> None:
    """Back to the last good state, and time stops."""
    when = run.machine.time
    session.simulation.back_to(good)
    running(session)
    if session.grabbed is not None and session.grabbed.hold is not None:
        session.grabbed = session.held = None
    pause(session)
    run.error = f"Stopped at {when:.3f} s: {why}."
    session.changed = True
    session.tell(Notice("error", f"{run.error} It stands where it was last good; step back with undo, or reset."))


def clock(session: Session) -> Clock | None:
    run = session.running
    if run is None:
        return None
    ratio = None
    if run.playing and len(run.seen) > 1 and run.seen[-1][0] - run.seen[0][0] > 0.5 * WINDOW:
        found = (run.seen[-1][1] - run.seen[0][1]) / (run.seen[-1][0] - run.seen[0][0])
        ratio = found if found < KEEPS_UP * run.pace else None
    return Clock(run.machine.time, run.playing, run.pace, ratio, run.error)


def rewind(session: Session) -> None:
    """To the start; motors stay as they are set, what is held is let go."""
    run = running(session)
    if run is None:
        return
    pause(session)
    if run.machine.time == 0.0:
        return
    set_to = {name: run.machine.motor(name) for name in run.machine.joint_values}
    session.report = session.simulation.reset()
    machine = session.simulation.machine
    for name, motor in set_to.items():
        machine.set_motor(name, speed=motor.speed, torque=motor.torque)
    session.script += ("sim.reset()",)
    running(session)
    run.error = ""
    session.changed, session.described = True, False


def before_an_edit(session: Session) -> None:
    """What is edited is how a machine begins: it goes back there first."""
    run = session.running
    if run is None:
        return
    moved = run.machine.time > 0.0
    rewind(session)
    if moved:
        session.tell(
            Notice("info", "The machine is back at 0 s: what is edited is how it begins. Undo goes on from there.")
        )


# ---- hands -----------------------------------------------------------------------------------------------------------


def take_hold(session: Session, part: str, touched: Vec3 | None) -> Hold:
    """Of a part that forces move; so stiff that all of the machine can be lifted by it."""
    run = running(session)
    assert run is not None
    machine = run.machine
    pose = machine.pose(part)
    at = pose[0] if touched is None else touched
    point = relative(pose, (at, NO_TURN))[0]
    g = float(np.linalg.norm(machine.scene.gravity)) or 9.81
    stiffness = machine.mass * g / (WHOLE * machine.size)
    hold = Hold(part, point, at, pose[0], stiffness, math.sqrt(stiffness * machine.mass))
    pull(session, hold, at)
    if not run.playing:
        set_clock(run)
    return hold


def pull(session: Session, hold: Hold, to: Vec3) -> None:
    run = running(session)
    assert run is not None
    say_steps(run)
    fields = f"point={hold.point!r}, to={to!r}, stiffness={hold.stiffness!r}, damping={hold.damping!r}"
    run.lines.append(f"sim.machine.pull({hold.part!r}, {fields})")
    run.machine.pull(hold.part, point=hold.point, to=to, stiffness=hold.stiffness, damping=hold.damping)
    session.held = held_now(session, hold, to)
    session.changed = True


def drag_hold(session: Session, hold: Hold, command: Drag) -> None:
    """The page says where the origin of the part is wanted; the hand is where it was touched."""
    (a, b, c), (x, y, z), (i, j, k) = command.position, hold.touched, hold.origin
    pull(session, hold, (x + a - i, y + b - j, z + c - k))


def held_now(session: Session, hold: Hold, to: Vec3) -> Held:
    """Where the hand holds the part now, and how hard it pulls."""
    run = session.running
    assert run is not None
    at = composed(run.machine.pose(hold.part), (hold.point, NO_TURN))[0]
    force = run.machine.pulled.get(hold.part, np.zeros(3))
    return Held(hold.part, at, to, "", float(np.linalg.norm(force)))


def let_go(session: Session, grabbed: Grabbed) -> None:
    """What was only pulled stands still again; in a run it goes on as it moves."""
    run, hold = running(session), grabbed.hold
    assert run is not None
    assert hold is not None
    session.grabbed = session.held = None
    run.machine.let_go(hold.part)
    say_steps(run)
    run.lines.append(f"sim.machine.let_go({hold.part!r})")
    if not run.playing:
        run.machine.stop()
        run.lines.append("sim.machine.stop()")
        say_lines(session, run)
        if run.machine.time > 0.0:
            session.history.push(f"pull {hold.part}", grabbed.before)
            session.described = False
    session.changed = True


# ---- as Python -------------------------------------------------------------------------------------------------------


def say_steps(run: Running) -> None:
    run.lines += step_lines(run.stepped)
    run.stepped = 0


def step_lines(substeps: int) -> Iterator[str]:
    steps, rest = divmod(substeps, A_STEP)
    if steps > 1:
        yield f"for _ in range({steps}):"
        yield "    sim.machine.step(1 / 60)"
    elif steps:
        yield "sim.machine.step(1 / 60)"
    if rest:
        yield f"sim.machine.step({rest} / 600, {rest})"


def say_lines(session: Session, run: Running) -> None:
    """All that was done in time since becomes a part of the script."""
    say_steps(run)
    if run.lines:
        session.script += (*run.lines, "sim.take_machine()", "sim.solve()")
    run.lines = []
