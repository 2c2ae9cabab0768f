"""The simulation process: one session, commands in through a pipe, events and snapshots out.

It ends when the pipe does, so no simulation outlives its server.
"""

from __future__ import annotations

import os
import threading
import time
import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from subprocess import Popen
from typing import Any, Final, Literal

from lissom.scene import SceneError
from lissom.session import wire
from lissom.session.messages.commands import (
    AddPart,
    Cancel,
    Colour,
    Command,
    Drag,
    Drop,
    ExportFile,
    Files,
    Grab,
    Plot,
    Script,
    SetUnit,
    ShowVariant,
    Stop,
    Undo,
)
from lissom.session.messages.events import Answer, Event, Notice, Status
from lissom.session.messages.motion import Scrub, Steer
from lissom.session.wire import MessageError
from lissom.session.workspace import Workspace
from lissom.studio.launching import ALONE, END, GIVE_STATE, GONE, Start

COMPILING: Final = "Compiling the solver: once, about a minute."
PREPARING: Final = "Preparing what may be asked for next, once…"
SLOW: Final = 0.05
"""s: a step of a drag that takes longer is followed by shorter ones, so that a page is never still for long."""
MOST_STEPS: Final = 1000
"""On the way to one place of the pointer."""
SHORTEST: Final = 0.05
"""Of a stride: no step is shorter."""
READOUTS_EVERY: Final = 0.08
"""s, while something moves."""
SWEEPS_EVERY: Final = 0.25
"""s, while a motion is swept."""
READOUTS_SHARE: Final = 9.0
"""Between two read-outs at least so many times as long as one takes."""
AUTOSAVE_AFTER: Final = 1.0
"""s after an edit: less than what a crash may lose."""
KEEP_AGAIN: Final = 15.0
"""s until unsaved edits are kept again after that failed: a disk may be full for a while."""
LATEST: Final = (Drag, Steer, Scrub)
"""Of these that follow each other only the last counts."""
HANDS: Final = (Grab, Drop, Cancel, *LATEST)
"""What is held in one page, another cannot move."""
ASIDE: Final = (Drop, Cancel, Drag, Files, Script, ExportFile, Colour, Plot, SetUnit, ShowVariant)
"""A replay goes on beside these; everything else that a person does ends it."""
NOBODY: Final = -2
"""Number of a command that no page waits for."""
REPLAY: Final = "replay"
"""The page of commands that come out of a recording."""
LONG: Final = 1.0
"""s after which it is said that a command takes long, and how to stop it."""
LISTEN_EVERY: Final = 0.02
"""s, while a command is under way."""
REPLAY_SAID_EVERY: Final = 0.25
"""s: how far a replay has come."""
SOLVING: Final = "Solving takes long; Esc stops it."
STOPPED: Final = "Stopped: everything is as it was before."
IDLE: Final = 0.5
"""s between looks at the clock when nothing happens."""


def run(pipe: Connection, start: Start) -> None:
    """The whole life of the process."""
    os.chdir(start.folder)  # meshes of a scene that has no file yet are looked for there
    worker = Worker(pipe, start)
    try:
        worker.begin()
        while worker.turn():
            pass
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return


class Worker:
    """Takes commands, keeps the page informed."""

    def __init__(self, pipe: Connection, start: Start) -> None:
        self.pipe = pipe
        self.start = start
        self.next_readouts = self.next_sweeps = 0.0
        self.stale = False  # read-outs are older than the last frame
        self.edited = 0.0  # when the first edit was made that is not yet kept
        self.known: set[str] = set()
        self.holder = ""  # the page that drags
        self.stride = 1.0  # of a drag that is shown on its way, in those of a light scene
        self.warming: Popen[bytes] | None = None  # the process that compiles beforehand
        self.inbox: deque[tuple[str, int, Command]] = deque()  # page, number, command
        self.prepared: deque[tuple[threading.Thread, str, int, AddPart]] = deque()  # whose meshes are being read
        self.began = self.next_listen = self.next_said = 0.0
        self.long = False  # it was said that the command under way takes long
        self.stopping = False  # it is to be given up
        self.over = False  # there is nobody to work for any more
        self.asked_for_state = False
        self.alone = False  # nobody is there to watch

    # ---- beginning ---------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Shows what is stored, then imports and compiles what it takes, and solves."""
        self.tell(Status("starting"))
        workspace = Workspace.of(self.start.folder)
        self.show_stored(workspace)
        from lissom.session import filing
        from lissom.session.session import Session
        from lissom.session.surfaces import Surfaces
        from lissom.simulation import Halted
        from lissom.studio.warming import is_warm, warm_up

        self.session, self.surfaces = Session(workspace, self.tell), Surfaces()
        with self.watching():
            try:
                self.open(filing)
            except (SceneError, ValueError, OSError) as error:
                self.tell(Notice("error", str(error)))
                self.session.begin(self.session.simulation, self.session.slot)
            except Halted:
                self.tell(Notice("warning", "The scene was not opened: solving it was stopped."))
                self.session.begin(self.session.simulation, self.session.slot)
            self.look()
        if not is_warm():
            self.warming = warm_up()
        self.rest("restarted" if self.start.again else "ready")

    def rest(self, state: Literal["ready", "restarted"] = "ready") -> None:
        """Nothing stands in the way of commands; what is still being compiled or replayed is said beside."""
        playing = self.session.replaying
        if playing is not None:
            self.tell(Status("replaying", f"Replaying {playing.path}: {playing.text}", can_stop=True))
        else:
            self.tell(Status(state, "" if self.warming is None else PREPARING))

    def open(self, filing: Any) -> None:
        from lissom.session.slots import Slot, full_slots
        from lissom.simulation import Simulation

        start, session = self.start, self.session
        slot = None if start.slot is None else Slot.named(session.workspace, start.slot)
        left = [k for k in full_slots(session.workspace) if k.demo_name is None]
        if start.file is not None:
            filing.open_file(session, session.workspace.scene(start.file))
        elif start.demo is not None:
            filing.open_demo(session, start.demo)
        elif slot is not None and slot.is_full:
            filing.open_slot(session, slot, None)
        elif start.state is not None:
            simulation = Simulation(start.state.scene)
            simulation.restore(start.state)
            session.begin(simulation, session.slot)
        elif slot is None and left:
            filing.open_slot(session, left[0], None)
        else:
            session.begin(session.simulation, slot or session.slot)

    def show_stored(self, workspace: Workspace) -> None:
        """The scene and the shape it had, before anything heavy is even imported."""
        from lissom.session.stored import stored

        found = stored(workspace, self.start.file, self.start.demo)
        if found is not None:
            event, frame = found
            self.tell(event)
            self.pipe.send(("frame", frame))

    # ---- one turn ----------------------------------------------------------------------------------------------------

    def turn(self) -> bool:
        """Waits for commands, does them, shows what came of it."""
        self.listen(self.patience())
        while self.inbox:
            page, number, command = self.inbox.popleft()
            if isinstance(command, AddPart):
                self.prepare(page, number, command)
            elif isinstance(command, Drag):
                self.follow(page, number, command)
            else:
                self.do(page, number, command)
        self.add_prepared()
        if self.session.replaying is not None and time.monotonic() >= self.session.replaying.due:
            self.play()
        self.run_machine()
        self.look()
        if self.asked_for_state:
            self.asked_for_state = False
            self.pipe.send(("state", self.session.simulation.state()))
        if self.warming is not None and self.warming.poll() is not None:
            self.warming = None
            self.rest()
        now = time.monotonic()
        if self.stale and now >= self.next_readouts:
            self.read_out()
        self.session.background.follow()
        if self.session.background.changed and now >= self.next_sweeps:
            self.tell_sweeps()
        if self.edited and self.session.grabbed is None and now - self.edited >= AUTOSAVE_AFTER:
            self.keep()
        return not self.over

    def prepare(self, page: str, number: int, command: AddPart) -> None:
        """A large mesh is read beside everything else, so that a drag goes on."""
        from lissom.session.editing import prepare_part

        self.tell(Status("solving", f"Reading {command.name}."))
        thread = threading.Thread(target=prepare_part, args=(self.session.workspace, command), daemon=True)
        self.prepared.append((thread, page, number, command))
        thread.start()

    def add_prepared(self) -> None:
        """Parts whose meshes have been read, in the order they were sent."""
        while self.prepared and not self.prepared[0][0].is_alive():
            _, page, number, command = self.prepared.popleft()
            self.do(page, number, command)
            self.rest()

    def play(self) -> None:
        """The next command of a recording."""
        from lissom.session import replaying

        replaying.play(self.session, lambda command: self.do(REPLAY, NOBODY, command))
        now = time.monotonic()
        if self.session.replaying is None or now >= self.next_said:
            self.next_said = now + REPLAY_SAID_EVERY
            self.rest()

    def run_machine(self) -> None:
        """As much time of a machine as has passed; whatever goes wrong stops it, and is said."""
        from lissom.session.running import moves, pause, tick
        from lissom.simulation import Halted

        if self.alone:
            self.alone = False
            pause(self.session)
        if not moves(self.session):
            return
        try:
            with self.watching():
                tick(self.session)
        except Halted:
            pause(self.session)
        except (EOFError, BrokenPipeError):
            raise
        except Exception as error:
            pause(self.session)
            self.tell(Notice("error", f"The machine was stopped: {trace(error)}"))

    def patience(self) -> float:
        playing = self.session.replaying
        from lissom.session.running import patience

        due = IDLE if playing is None else max(0.0, playing.due - time.monotonic())
        return min(due, self.own_patience(), patience(self.session))

    def own_patience(self) -> float:
        """s until something is to be done though nobody asks for it."""
        if self.prepared or self.session.background.busy or self.session.background.changed:
            return READOUTS_EVERY / 4.0
        if self.stale:
            return max(0.0, self.next_readouts - time.monotonic())
        if self.edited and self.session.grabbed is None:
            return max(0.0, self.edited + AUTOSAVE_AFTER - time.monotonic())
        return IDLE

    def listen(self, patience: float) -> None:
        """All commands that wait, into the inbox; of drags that follow each other only the last."""
        while self.pipe.poll(patience):
            patience = 0.0
            page, text = self.pipe.recv()
            if text == END:
                raise EOFError
            if text == GIVE_STATE:
                self.asked_for_state = True
            elif text == ALONE:
                self.alone = True
            elif text == GONE:
                self.inbox.append((page, NOBODY, Drop()))  # whoever held something cannot let go any more
            else:
                self.take(page, text)

    def take(self, page: str, text: str) -> None:
        try:
            number, command = wire.read_command(text)
        except MessageError as error:
            self.answer(page, Answer(wire.number_of(text), False, str(error)))
            return
        if isinstance(command, Stop):
            self.stop()
        last = self.inbox[-1] if self.inbox else None
        if isinstance(command, LATEST) and last is not None and last[0] == page and type(last[2]) is type(command):
            self.answer(page, Answer(self.inbox.pop()[1], True))
        self.inbox.append((page, number, command))

    def stop(self) -> None:
        """What is under way ends at its next step, and what waits is not begun; hands let go all the same."""
        self.stopping, waiting = True, list(self.inbox)
        self.inbox.clear()
        for page, number, command in waiting:
            if isinstance(command, Drop | Cancel | Stop):
                self.inbox.append((page, number, command))
            else:
                self.answer(page, Answer(number, False, STOPPED, stopped=True))

    def is_over(self) -> bool:
        """Whether the command under way is to be given up; asked between the steps of a solve."""
        now = time.monotonic()
        if now < self.next_listen:
            return False
        self.next_listen = now + LISTEN_EVERY
        if not self.long and now - self.began > LONG:
            self.long = True
            self.tell(Status("solving", SOLVING, can_stop=True))
        try:
            self.listen(0.0)
        except EOFError:
            self.over = True
        stopping, self.stopping = self.stopping, False
        return stopping or self.over or self.asked_for_state  # who has closed the page does not wait for a solve

    def follow(self, page: str, number: int, command: Drag) -> None:
        """Towards the pointer in steps, each of them shown; a newer pointer makes the rest of the way void."""
        from lissom.session.moving import STRIDE, step_to

        for _ in range(MOST_STEPS):
            step = step_to(self.session, command, self.stride * STRIDE)
            grabbed = self.session.grabbed
            if step is command or grabbed is None or page != self.holder:
                break
            began, before = time.monotonic(), grabbed.good
            error = self.do(page, NOBODY, step)
            took = time.monotonic() - began
            self.stride = max(0.5 * self.stride, SHORTEST) if took > SLOW else min(1.5 * self.stride, 1.0)
            self.listen(0.0)
            if error == STOPPED or self.stopping:
                self.answer(page, Answer(number, False, STOPPED, stopped=True))
                return
            if self.inbox and self.inbox[0][0] == page and isinstance(self.inbox[0][2], Drag):
                self.answer(page, Answer(number, True))
                return
            held = self.session.held
            if held is not None and held.reason and took > SLOW:
                self.session.held, self.session.changed = replace(held, wanted=command.position), True
                self.look()
                self.answer(page, Answer(number, True))
                return
            if held is None or held.reason or grabbed.good is before:
                break  # stopped: whether it can be there all the same is tried at once, where that is quick
        self.do(page, number, command)

    def do(self, page: str, number: int, command: Command) -> str:
        """One command; whatever goes wrong is answered, and the session goes on. Gives what went wrong."""
        from lissom.session import replaying
        from lissom.simulation import Halted

        session = self.session
        if session.replaying is not None and page != REPLAY and not isinstance(command, ASIDE):
            replaying.stop(session)
            self.rest()  # no longer replaying
        if session.grabbed is not None and page != self.holder and isinstance(command, HANDS):
            text = f"{session.grabbed.path} is being dragged in another window"
            self.answer(page, Answer(number, False, text))
            return text
        before, done = session.history.steps, False
        try:
            with self.watching():
                value = session.do(command)
                done = True
                self.show()
        except Halted:
            text = STOPPED
        except (SceneError, ValueError, KeyError, OSError, RuntimeError) as error:
            text = said(error)
        except Exception as error:  # a mistake of ours: nothing is lost, and it is said
            text = trace(error)
        else:
            if isinstance(command, Grab | Steer | Scrub):
                self.holder = page
            if session.history.steps != before and session.unsaved:
                self.edited = self.edited or time.monotonic()
            self.answer(page, Answer(number, True, "", value))
            return ""
        if done:
            self.take_back(before)
        self.answer(page, Answer(number, False, text, stopped=text == STOPPED))
        return text

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Says so where something must be compiled or takes long, and when that is over; hears whether to stop."""
        from lissom.analysis.waiting import on_compiling
        from lissom.simulation import watched

        told: list[bool] = []
        self.began = time.monotonic()
        self.next_listen, self.long, self.stopping = self.began + LISTEN_EVERY, False, False

        def tell() -> None:
            told.append(True)
            self.tell(Status("compiling", COMPILING))

        try:
            with on_compiling(tell), watched(self.is_over):
                yield
        finally:
            if told or self.long:
                self.rest()

    def take_back(self, steps: int) -> None:
        """What the last command led to cannot be shown: back to what could be."""
        session = self.session
        if session.history.steps != steps:
            session.do(Undo())
            session.history.forget_redo()
        elif session.grabbed is not None:
            session.do(Cancel())
        self.look()

    def answer(self, page: str, answer: Answer) -> None:
        if answer.to != NOBODY:
            self.pipe.send(("answer", page, answer.to, wire.event_text(answer)))

    def look(self) -> None:
        """Tells what has changed, or once why that cannot be shown: the page then keeps what it has."""
        try:
            self.show()
        except (EOFError, BrokenPipeError):
            raise
        except Exception as error:
            self.session.described, self.session.changed = True, False
            self.tell(Notice("error", f"The page shows an older shape: {trace(error)}. Undo what was done last."))

    def show(self) -> None:
        """The scene, then the shapes."""
        from lissom.session.describing import describe
        from lissom.session.shapes import frame

        if not self.session.described:
            event = describe(self.session, self.surfaces)
            for part in event.parts:
                if part.mesh is not None and part.mesh not in self.known:
                    self.known.add(part.mesh)
                    self.pipe.send(("mesh", part.mesh, self.surfaces.packed(part.mesh)))
            slot = self.session.slot
            demo = slot.demo_name
            unnamed = slot.name if slot.file is None and demo is None else None
            self.pipe.send(("where", event.file, demo, unnamed))
            self.tell(event)
            self.session.changed = True
            self.session.background.changed |= bool(self.session.background.found)  # it may be stale now
        if self.session.changed:
            self.pipe.send(("frame", frame(self.session)))
            self.stale = True

    def read_out(self) -> None:
        """At a pace that leaves most of the time to shapes."""
        from lissom.session.machines import machine_values
        from lissom.session.shapes import readouts

        began = time.monotonic()
        try:
            self.pipe.send(("readouts", wire.event_text(readouts(self.session))))
            values = machine_values(self.session)
            if values is not None:
                self.pipe.send(("machine", wire.event_text(values)))
        except (EOFError, BrokenPipeError):
            raise
        except Exception as error:
            self.tell(Notice("error", f"The read-outs are those of an older shape: {trace(error)}"))
        now = time.monotonic()
        self.stale, self.next_readouts = False, now + max(READOUTS_EVERY, READOUTS_SHARE * (now - began))

    def tell_sweeps(self) -> None:
        """What sweeps found so far; the longer the story, the less often."""
        from lissom.session.sweeps import told

        background, began = self.session.background, time.monotonic()
        background.changed = False
        for key in list(background.meshes):
            self.pipe.send(("mesh", key, background.meshes.pop(key)))
        self.pipe.send(("sweeps", wire.event_text(told(self.session))))
        now = time.monotonic()
        self.next_sweeps = now + max(SWEEPS_EVERY, READOUTS_SHARE * (now - began))

    def keep(self) -> None:
        from lissom.session.filing import autosave

        self.edited = 0.0
        try:
            autosave(self.session)
        except (SceneError, OSError) as error:
            self.edited = time.monotonic() + KEEP_AGAIN
            self.tell(Notice("warning", f"unsaved edits could not be kept: {error}; it will be tried again"))

    def tell(self, event: Event) -> None:
        self.pipe.send(("event", wire.event_text(event)))


def trace(error: Exception) -> str:
    """A mistake of ours: where it happened goes to the terminal, what it was to the page."""
    traceback.print_exception(error)
    return f"{type(error).__name__}: {error}"


def said(error: Exception) -> str:
    """A key error's text is its key in quotes."""
    return str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
