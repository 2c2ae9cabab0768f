"""A session: one simulation, what a person does with it, and what there is to see.

`do` carries out a command and gives what is to be answered; it raises where that cannot be done, and then nothing has
changed, down to the last bit. What the commands do stands in modules of their own: each brings its `ACTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom.exchange.courses import Goal
from lissom.grips import Grip as CableGrip
from lissom.reports import Report
from lissom.scene import Scene
from lissom.session.background import Background
from lissom.session.desk import Desk, as_looked_at
from lissom.session.history import History, Moment
from lissom.session.leading import Stand
from lissom.session.messages.commands import Command, Drop, TakeVariant
from lissom.session.messages.events import Event, Notice
from lissom.session.messages.snapshots import Held
from lissom.session.messages.values import Json, Vec3, Vec4
from lissom.session.pulling import Pull
from lissom.session.recording import Recorder
from lissom.session.replaying import Replaying
from lissom.session.running import Hold, Running, before_an_edit, is_run, pause
from lissom.session.scripting import Base, lines
from lissom.session.slots import Slot
from lissom.session.taking import Taking
from lissom.session.workspace import Workspace
from lissom.simulation import Halted, Simulation

if TYPE_CHECKING:
    from lissom.session.groups import Group


LARGE = 4.0
"""m: lengths of a larger machine are shown in m, until another unit is chosen."""


@dataclass(frozen=True, slots=True)
class Act:
    """What a command does; with a label it is a step of undo."""

    run: Callable[[Session, Any], Json]
    label: Callable[[Any], str] | None = None
    of_the_start: bool = False  # of a machine: it goes back to its start first


@dataclass(slots=True)
class Grabbed:
    """A drag under way."""

    path: str
    before: Moment
    grip: CableGrip | None = None  # on the cable itself
    at: float | None = None  # where, a fraction
    group: Group | None = None  # of several things that move as one
    freed: tuple[str, ...] = ()  # free bodies, held only while they are dragged
    good: tuple[Vec3, Vec4 | None] | None = None  # last pose
    trail: list[tuple[Vec3, Vec4 | None]] = field(default_factory=list)  # where it went
    led: list[Goal] | None = None  # joints or a motion are led: where they began, and went
    pull: Pull | None = None  # by a part
    hold: Hold | None = None  # of a part that forces move


class Session:
    """One simulation being used."""

    def __init__(self, workspace: Workspace, tell: Callable[[Event], None], simulation: Simulation | None = None):
        self.workspace = workspace
        self.tell = tell
        self.simulation = simulation or Simulation(Scene())
        self.report: Report = Report("converged", "", 0, 0.0, {})
        self.desk = Desk()
        self.history = History()
        self.recorder = Recorder()
        self.slot = Slot.untitled(workspace)
        self.base = Base(self.simulation.scene)  # what a script begins with, and goes on with
        self.script: tuple[str, ...] = ()
        self.unsaved = False
        self.recovered = False
        self.simulate = True
        self.plotted: str | None = None
        self.edges: dict[Any, Any] = {}  # of parts that are measured as a whole
        self.apart: dict[tuple[str, str], Any] = {}  # how far two of them are, and as they stood then
        self.grabbed: Grabbed | None = None
        self.held: Held | None = None
        self.first: Moment | None = None  # as it was opened
        self.stand: Stand | None = None  # where on a motion the parts were led
        self.stopped = ""  # why joints that were led last are not where they were wanted
        self.take: Taking | None = None  # a motion that is being taken down
        self.replaying: Replaying | None = None  # a recording
        self.background = Background()  # sweeps of motions
        self.running: Running | None = None  # the machine, as it is played
        self.watched: tuple[str, ...] = ()  # series over time that are shown
        self.frames = 0
        self.changed = True  # since the last frame
        self.described = False  # whether the page knows the scene as it is

    def do(self, command: Command) -> Json:
        """Carries the command out. Raises where it cannot be done; nothing has changed then."""
        act = acts()[type(command)]
        if act.label is None:
            value = act.run(self, command)
            self.recorder.note(command)
            return value
        if self.grabbed is not None:
            self.do(Drop())  # an edit ends a drag: else it could be undone only together with it
        before = self.moment()
        self.stopped = ""
        try:
            if act.of_the_start:
                before_an_edit(self)
            value = act.run(self, command)
        except Exception:
            self.go_to(before)
            raise
        self.recorder.note(command)
        self.script += tuple(lines(command, value, before, self.simulation.scene, self.workspace.folder))
        self.step(act.label(command), before, getattr(command, "more", False))
        return value

    def step(self, label: str, before: Moment, more: bool = False) -> None:
        """Something was edited: it can be undone, and is not saved. `more` of the same edit is one step with it."""
        if not (more and self.history.go_on(label)):
            self.history.push(label, before)
        self.unsaved = self.unsaved or not is_run(label)
        self.described = False
        self.changed = True

    def moment(self) -> Moment:
        return Moment(self.simulation.state(), self.desk, self.simulation.modes(), self.base, self.script)

    def go_to(self, moment: Moment) -> None:
        """Back (or forth) to a moment of this session, as it was."""
        self.grabbed = self.held = None
        self.stopped = ""
        pause(self)
        self.desk, self.base, self.script = as_looked_at(moment.desk, self.desk), moment.base, moment.script
        self.simulation.restore(moment.state)
        self.simulation.take_up(moment.modes)
        if self.simulate or not moment.state.waiting:
            try:
                self.report = self.simulation.solve()
            except Halted:  # it had no equilibrium then either
                self.report = Report("not_converged", "stopped", 0, 0.0, {})
        self.changed, self.described = True, False

    @contextmanager
    def step_of_a_drag(self) -> Iterator[None]:
        """Where it is halted what is held goes back to where it was before this step, and stays held."""
        held, report, stand = self.grabbed, self.report, self.stand
        checkpoint, modes = self.simulation.checkpoint(), self.simulation.modes()
        passed = 0 if held is None or held.led is None else len(held.led)
        try:
            yield
        except Halted:
            self.simulation.back_to(checkpoint)
            self.simulation.take_up(modes)
            self.report, self.stand, self.changed = report, stand, True
            if held is not None and held.led is not None:
                del held.led[passed:]
            raise

    def solve(self, cold: bool = False, budget: float | None = None) -> Report:
        """Follows what was changed, where the simulation is on; kinematic cables as far as the budget (s) goes."""
        if self.simulate or cold:
            self.report = self.simulation.solve(cold=cold, budget=budget)
        self.changed = True
        return self.report

    def begin(self, simulation: Simulation, slot: Slot, desk: Desk | None = None) -> None:
        """Another scene: nothing of before can be undone."""
        if simulation.is_machine:
            _ = simulation.machine  # raises while the scene of before is still there
        report = simulation.solve()
        self.simulation, self.slot, self.report = simulation, slot, report
        self.desk = desk or Desk()
        if self.desk == Desk() and simulation.is_machine and simulation.machine.size > LARGE:
            self.desk = Desk(unit="m")
        self.history.clear()
        self.recorder = Recorder()
        self.grabbed = self.held = self.plotted = self.stand = self.take = self.replaying = None
        self.stopped = ""
        self.running = None
        self.background.clear()
        self.unsaved = self.recovered = False
        self.base, self.script = Base(simulation.scene, slot.file), ()
        self.first = self.moment()
        self.changed, self.described = True, False
        for note in simulation.notes:
            self.tell(Notice("warning", note))

    @property
    def is_machine(self) -> bool:
        """Whether anything moves in time."""
        return self.simulation.is_machine

    @property
    def file(self) -> Path | None:
        """The scene file; none where it was never saved."""
        return self.slot.file

    def arrange(self, **changes: Any) -> None:
        """Changes the desk."""
        self.desk = replace(self.desk, **changes)
        self.described = False


def acts() -> dict[type, Act]:
    """All commands. The modules know the session, so they are asked for only now."""
    from lissom.session import arranging, editing, filing, lengths, machines, motions, moving, stepping, sweeps

    if not _ACTS:
        for module in (moving, editing, lengths, motions):
            _ACTS.update({k: replace(act, of_the_start=act.label is not None) for k, act in module.ACTS.items()})
        for module in (arranging, filing, stepping, sweeps, machines):
            _ACTS.update(module.ACTS)
        _ACTS[TakeVariant] = replace(_ACTS[TakeVariant], of_the_start=True)
    return _ACTS


_ACTS: dict[type, Act] = {}
