"""A recording played again: one command after the other, at a pace that one can follow."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lissom.session.messages.commands import Command, Drop
from lissom.session.messages.events import Notice
from lissom.session.running import pause

if TYPE_CHECKING:
    from lissom.session.session import Session

LONGEST_GAP: Final = 0.8
"""s between two commands at most: whoever recorded them may have been thinking for longer."""

Entry = tuple[float, Command]  # when it was done, s after the beginning


@dataclass(slots=True)
class Replaying:
    """What of a recording has been done, and when the next command is due."""

    path: str
    entries: Sequence[Entry]
    done: int = 0
    due: float = 0.0  # of time.monotonic

    @property
    def text(self) -> str:
        return f"{self.done} of {len(self.entries)}"

    def plan(self, now: float) -> None:
        """When the next one is due: as long after the last as it was then, or at once where that is over already."""
        before = self.entries[self.done - 1][0] if self.done else 0.0
        gap = min(max(self.entries[self.done][0] - before, 0.0), LONGEST_GAP)
        self.due = max((self.due if self.done else now) + gap, now)


def begin(session: Session, path: str, entries: Sequence[Entry]) -> None:
    session.replaying = Replaying(path, entries)
    go_on(session, session.replaying)


def play(session: Session, do: Callable[[Command], str]) -> None:
    """The next command; `do` gives why it cannot be done, "" where it was. Playing ends there, or with the last."""
    replaying = session.replaying
    assert replaying is not None
    command = replaying.entries[replaying.done][1]
    error = do(command)
    if session.replaying is not replaying:
        return  # it was stopped meanwhile
    if error:
        what = f"{type(command).__name__}, number {replaying.done + 1} of the recording"
        end(session)
        session.tell(Notice("warning", f"{what}, cannot be done: {error}"))
        return
    replaying.done += 1
    go_on(session, replaying)


def go_on(session: Session, replaying: Replaying) -> None:
    if replaying.done < len(replaying.entries):
        replaying.plan(time.monotonic())
        return
    end(session)
    session.tell(Notice("info", f"{replaying.path} was replayed to its end."))


def stop(session: Session) -> None:
    """Ends it where it is."""
    replaying = session.replaying
    if replaying is not None:
        end(session)
        session.tell(Notice("info", f"The replay of {replaying.path} was stopped after {replaying.text} commands."))


def end(session: Session) -> None:
    session.replaying = None
    pause(session)
    if session.grabbed is not None:
        session.do(Drop())
