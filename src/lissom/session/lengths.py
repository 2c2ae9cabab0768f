"""Length tools: typed lengths, the two routing modes, and how long a cable must be."""

from __future__ import annotations

from typing import Final

from lissom.analysis.report import findings
from lissom.session.messages.commands import Feed, Freeze, HowLong, Lengthen, Soften
from lissom.session.messages.events import Status
from lissom.session.messages.values import Json
from lissom.session.session import Act, Session

GROWTH: Final = 1.05
"""Lengths tried are that much apart until one passes."""
LONGEST: Final = 4.0
"""In present lengths: no longer one is tried."""
CLOSE: Final = 1e-4
"""Part of the length to which the shortest is found."""


def lengthen(session: Session, command: Lengthen) -> Json:
    simulation = session.simulation
    simulation.lengthen(command.cable, by=command.by, to=command.to, between=command.between)
    session.solve()
    return simulation.scene.cable(command.cable).length


def soften(session: Session, command: Soften) -> Json:
    """Answered with the length it found."""
    mode = session.simulation.soften(command.cable, bent=command.bent)
    session.solve()
    return mode.length


def feed(session: Session, command: Feed) -> Json:
    session.simulation.feed(command.cable, between=command.between)
    session.solve()
    return None


def freeze(session: Session, command: Freeze) -> Json:
    mode = session.simulation.mode(command.cable)
    if mode is None:
        raise ValueError(f"{command.cable}: its length is not being set by a mode")
    session.report = mode.freeze()
    session.changed = True
    return mode.length


def how_long(session: Session, command: HowLong) -> Json:
    """The shortest length from which on every check of the cable passes, looked for on a copy.

    Where the cable fails now, longer ones are tried until one passes, else shorter ones until one fails; then the
    border between failing and passing is bisected. What passes beyond it may have gaps: the answer is the border
    nearest to the present length.
    """
    name = command.cable
    now = session.simulation.scene.cable(name).length
    trial = Trial(session, name)
    try:
        first = trial.fails(now)
        step = GROWTH if first else 1.0 / GROWTH
        near = far = now
        why = first
        while bool(why) == bool(first):
            near, far = far, far * step
            if not now / LONGEST < far < now * LONGEST:
                return {"length": None, "now": now, "why": first or "it passes at a quarter of its length"}
            why = trial.fails(far)
        good, bad, why = (far, near, first) if first else (near, far, why)
        while good - bad > CLOSE * now:
            middle = 0.5 * (good + bad)
            reason = trial.fails(middle)
            good, bad, why = (good, middle, reason) if reason else (middle, bad, why)
        return {"length": good, "now": now, "why": why}
    finally:
        session.tell(Status("ready"))


class Trial:
    """A copy of the simulation on which lengths are tried, each from the shape of the last that was found."""

    def __init__(self, session: Session, name: str) -> None:
        self._session = session
        self._name = name
        self._simulation = session.simulation.copy()
        self._good = self._simulation.state()

    def fails(self, length: float) -> str:
        """Why the cable is not right at that length; "" where it is."""
        simulation, name = self._simulation, self._name
        self._session.tell(Status("solving", f"{name}: trying {1000.0 * length:.4g} mm", can_stop=True))
        if length != simulation.scene.cable(name).length:
            simulation.lengthen(name, to=length)
        report = simulation.solve()
        if not report.ok:
            simulation.restore(self._good)
            return report.reason or report.status
        self._good = simulation.state()
        failed = [k for k in findings(simulation, report).failed_checks if k.cable == name]
        return ", ".join(k.rule.replace("_", " ") for k in failed)


ACTS = {
    Lengthen: Act(lengthen, lambda k: f"length of {k.cable}"),
    Soften: Act(soften, lambda k: f"soft length of {k.cable}"),
    Feed: Act(feed, lambda k: f"feed {k.cable}"),
    Freeze: Act(freeze, lambda k: f"freeze {k.cable}"),
    HowLong: Act(how_long),
}
