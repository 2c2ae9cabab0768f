"""From the server to the simulation process and back.

Two threads wait on the pipe, so that the event loop never does. Events get their numbers here and are kept for pages
that were away; of frames and read-outs only the latest is kept. When the process dies another takes its place, from
what was last kept, and every command that waits for an answer is told.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, Final

from lissom.session import wire
from lissom.session.messages.events import Answer, Notice
from lissom.studio.launching import ALONE, END, GIVE_STATE, GONE, Launched, Start, launch

KEPT_EVENTS: Final = 2000
"""For pages that come back; who was away for longer gets the whole scene."""
KEPT_BYTES: Final = 64 * 2**20
"""Of events at most, though a page that is there has not been sent them yet."""
COME_BACK: Final = 2.0
"""s that a page may be gone before the studio of a live simulation is left."""
TRIES: Final = 5
"""A process that dies this often within a minute is not started again."""


@dataclass(slots=True, eq=False)
class Reader:
    """A page that is there."""

    page: str
    wake: Callable[[], None]
    seen: int  # the last event that it took


class Bridge:
    """Owns the simulation process."""

    def __init__(self, start: Start, launched: Launched) -> None:
        """`launched`: the process that began with `start`."""
        self.start_with = start
        self._process, self._pipe = launched
        self.events: deque[tuple[int, str | None, str]] = deque()  # number, page (none: all), text
        self._kept_bytes = 0
        self.seq = int(time.time() * 1000.0)  # larger than any of a server before this one
        self.scene: str | None = None  # the last description, and status, for pages that are new
        self.status: str | None = None
        self.frame: bytes | None = None
        self.readouts: str | None = None
        self.sweeps: str | None = None
        self.machine: str | None = None
        self.frames = 0
        self.meshes: dict[str, bytes] = {}
        self.closed = False
        self.left: Callable[[], object] | None = None  # called when the last page has been gone for a while
        self.state: Any = None  # of the simulation, when it was asked for
        self._readers: list[Reader] = []
        self.deaths: list[float] = []
        self._waiting: set[tuple[str, int]] = set()
        self._outbox: queue.Queue[tuple[str, str] | None] = queue.Queue()
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """From now on the process is listened to."""
        self._loop = loop
        threading.Thread(target=self._read, args=(self._pipe,), daemon=True).start()
        threading.Thread(target=self._write, daemon=True).start()

    @property
    def pid(self) -> int | None:
        """Of the simulation process."""
        return self._process.pid

    def send(self, page: str, text: str) -> None:
        """A command of a page."""
        self._waiting.add((page, wire.number_of(text)))
        self._outbox.put((page, text))

    def close(self) -> None:
        """The process is told to end; one that is busy is ended."""
        self.closed = True
        self._outbox.put(("", END))
        self._outbox.put(None)
        for more in (self._process.terminate, self._process.kill):
            self._process.join(timeout=2.0)
            if self._process.is_alive():
                more()
        self._process.join()

    # ---- threads -----------------------------------------------------------------------------------------------------

    def _write(self) -> None:
        while (text := self._outbox.get()) is not None:
            pipe = self._pipe
            try:
                pipe.send(text)
            except (BrokenPipeError, OSError, ValueError):
                continue  # the reader sees the end too, and says so

    def _read(self, pipe: Any) -> None:
        assert self._loop is not None
        while True:
            try:
                message = pipe.recv()
            except (EOFError, OSError, TypeError):  # TypeError: closed here while it was being read
                if not self.closed:
                    self._loop.call_soon_threadsafe(self._died)
                return
            if self.closed:
                return
            self._loop.call_soon_threadsafe(self._take, message)

    # ---- on the event loop -------------------------------------------------------------------------------------------

    def _take(self, message: tuple[Any, ...]) -> None:
        kind = message[0]
        if kind == "frame":
            self.frame = message[1]
            self.frames += 1
        elif kind == "readouts":
            self.readouts = message[1]
        elif kind == "sweeps":
            self.sweeps = message[1]
        elif kind == "machine":
            self.machine = message[1]
        elif kind == "mesh":
            self.meshes[message[1]] = message[2]
        elif kind == "state":
            self.state = message[1]
            if self.left is not None:
                self.left()
        elif kind == "where":
            file, demo, slot = message[1:]
            self.start_with = replace(self.start_with, file=file, demo=demo, slot=slot)
        elif kind == "answer":
            page, number, body = message[1:]
            self._waiting.discard((page, number))
            self._event(body, page)
        else:
            self._event(message[1])
        self._wake()

    def _event(self, body: str, page: str | None = None) -> None:
        """Numbers it; an answer is for the page that asked, everything else for all."""
        self.seq += 1
        text = f'{{"seq":{self.seq},{body[1:]}'
        if body.startswith('{"kind":"SceneEvent"'):
            self.scene = text
        elif body.startswith('{"kind":"Status"'):
            self.status = text
        self.events.append((self.seq, page, text))
        self._kept_bytes += len(text)
        taken = min((k.seen for k in self._readers), default=self.seq)
        while (len(self.events) > KEPT_EVENTS and self.events[0][0] <= taken) or self._kept_bytes > KEPT_BYTES:
            self._kept_bytes -= len(self.events.popleft()[2])

    def _wake(self) -> None:
        for reader in self._readers:
            reader.wake()

    def _died(self) -> None:
        """The process is gone: say so, and begin another from what was kept."""
        now = time.monotonic()
        self.deaths = [k for k in self.deaths if now - k < 60.0] + [now]
        for page, number in sorted(self._waiting):
            self._event(wire.event_text(Answer(number, False, "the simulation stopped; try again")), page)
        self._waiting.clear()
        if len(self.deaths) >= TRIES:
            text = "The simulation stopped again and again; it is not started any more. The file is as it was saved."
            self._event(wire.event_text(Notice("error", text)))
        else:
            text = (
                "The simulation stopped and was started again from what was last kept; what was done cannot be undone."
            )
            self._event(wire.event_text(Notice("warning", text)))
            self._process, self._pipe = launch(replace(self.start_with, again=True))
            threading.Thread(target=self._read, args=(self._pipe,), daemon=True).start()
        self._wake()

    def page_came(self, reader: Reader) -> None:
        self._readers.append(reader)

    def page_went(self, reader: Reader) -> None:
        """What it held is let go. It may come back at once (it was loaded again): only then the studio is left."""
        self._readers.remove(reader)
        if all(k.page != reader.page for k in self._readers):
            self._outbox.put((reader.page, GONE))
        if not self._readers and self._loop is not None:
            self._loop.call_later(COME_BACK, self._nobody_is_there)

    def _nobody_is_there(self) -> None:
        """Time does not run for nobody; the studio of a live simulation is left."""
        if not self._readers and not self.closed:
            self._outbox.put(("", GIVE_STATE if self.left is not None else ALONE))

    def missed(self, reader: Reader) -> list[str]:
        """What a page must be sent since it last asked."""
        after, reader.seen = reader.seen, self.seq
        if after == self.seq:
            return []
        if self.events and self.events[0][0] - 1 <= after < self.seq:
            last = takewhile(lambda k: k[0] > after, reversed(self.events))  # few: most pages have seen nearly all
            return [text for _, whose, text in last if whose in (None, reader.page)][::-1]
        return [text for text in (self.status, self.scene) if text is not None]
