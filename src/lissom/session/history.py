"""Undo and redo: the states before and after each step. States are immutable and share what did not change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from lissom.keeping import SimulationState
from lissom.routing import ModeState
from lissom.session.desk import Desk
from lissom.session.scripting import Base

MOST_STEPS: Final = 200


@dataclass(frozen=True, slots=True)
class Moment:
    """All that an edit can change."""

    state: SimulationState
    desk: Desk
    modes: tuple[ModeState, ...]  # what sets lengths
    base: Base  # a script begins with it
    script: tuple[str, ...]  # and these lines lead here


@dataclass(slots=True)
class History:
    """Steps back and forth, each with what it is called ("move brake hose/end")."""

    _back: list[tuple[str, Moment]] = field(default_factory=list)
    _forth: list[tuple[str, Moment]] = field(default_factory=list)
    steps: int = 0  # ever made, back and forth: it changes with every edit

    def push(self, label: str, before: Moment) -> None:
        """A step was made from there."""
        self.steps += 1
        self._back.append((label, before))
        del self._back[:-MOST_STEPS]
        self._forth.clear()

    def go_on(self, label: str) -> bool:
        """More of the step that was made last: nothing to go back to between the two. False where that was of
        another thing. Of one thing the fields may differ: the first slide makes its own what was of the library.
        """
        if self._forth or self.undo_label.partition("/")[0] != label.partition("/")[0]:
            return False
        self.steps += 1
        return True

    def forget_redo(self) -> None:
        """What was just undone is not to be done again."""
        self._forth.clear()

    @property
    def undo_label(self) -> str:
        return self._back[-1][0] if self._back else ""

    @property
    def redo_label(self) -> str:
        return self._forth[-1][0] if self._forth else ""

    def back(self, now: Moment) -> Moment | None:
        """Where to go for undo; None where there is nothing to undo."""
        return self._turn(self._back, self._forth, now)

    def forth(self, now: Moment) -> Moment | None:
        """The same for redo."""
        return self._turn(self._forth, self._back, now)

    def clear(self) -> None:
        self._back.clear()
        self._forth.clear()

    def _turn(self, source: list[tuple[str, Moment]], target: list[tuple[str, Moment]], now: Moment) -> Moment | None:
        if not source:
            return None
        self.steps += 1
        label, moment = source.pop()
        target.append((label, now))
        return moment
