"""Simulation on and off, single solves, undo and redo."""

from __future__ import annotations

from lissom.session import replaying
from lissom.session.messages.commands import Redo, Reset, Simulate, Solve, Stop, Undo
from lissom.session.messages.values import Json
from lissom.session.running import is_run, pause
from lissom.session.session import Act, Session
from lissom.simulation import Halted


def simulate(session: Session, command: Simulate) -> Json:
    was, before = session.simulate, session.moment()
    session.simulate = command.on
    session.described = False
    try:
        session.solve()
    except Halted:
        session.simulate = was
        session.go_to(before)
        raise
    return None


def solve(session: Session, command: Solve) -> Json:
    """Also while the simulation is off."""
    session.report = session.simulation.solve(cold=command.cold)
    return {"status": session.report.status, "reason": session.report.reason}


def stop(session: Session, command: Stop) -> Json:
    """A solve under way is given up by whoever runs it (`lissom.simulation.watched`), before this is done."""
    replaying.stop(session)
    pause(session)
    return None


def reset(session: Session, command: Reset) -> Json:
    if session.first is not None:
        session.go_to(session.first)
    return None


def undo(session: Session, command: Undo) -> Json:
    return step(session, True)


def redo(session: Session, command: Redo) -> Json:
    return step(session, False)


def step(session: Session, back: bool) -> str:
    """Answered with what was undone or done again. While something is dragged, undo takes that back and no more."""
    if back and session.grabbed is not None:
        label = f"drag {session.grabbed.path}"
        session.go_to(session.grabbed.before)
        return label
    pause(session)
    label = session.history.undo_label if back else session.history.redo_label
    now = session.moment() if session.grabbed is None else session.grabbed.before
    moment = session.history.back(now) if back else session.history.forth(now)
    if moment is None:
        raise ValueError(f"there is nothing to {'undo' if back else 'redo'}")
    session.go_to(moment)
    session.unsaved = session.unsaved or not is_run(label)
    return label


ACTS = {
    Simulate: Act(simulate),
    Solve: Act(solve, lambda k: "solve anew" if k.cold else "solve"),
    Stop: Act(stop),
    Reset: Act(reset, lambda k: "reset"),
    Undo: Act(undo),
    Redo: Act(redo),
}
