"""Sweeps beside everything else: what was found so far of each motion, and the envelopes of its cables."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.sweepfiles import Request
from lissom.analysis.sweeps import Swept
from lissom.keeping import SimulationState
from lissom.scene import Scene, SectionProperties
from lissom.session.messages.motion import SweepProgress
from lissom.session.surfaces import packed
from lissom.session.sweeper import Advanced, Ended, EnvelopeJob, News, Sweeper, SweepJob, Visited

Mesh = tuple[NDArray[np.float64], NDArray[np.int64]]


@dataclass(slots=True)
class Envelope:
    shown: bool = True
    done: float = 0.0  # part of the work
    mesh: Mesh | None = None
    key: str | None = None
    error: str = ""


@dataclass(slots=True)
class MotionSwept:
    """The sweep of one motion, under way or over."""

    motion: str
    scene: Scene  # as it was when it began
    total: int
    progress: SweepProgress = "running"
    error: str = ""
    swept: Swept = field(default_factory=Swept)
    envelopes: dict[str, Envelope] = field(default_factory=dict)


class Background:
    """The sweeps of a session. One job is under way at a time; `follow` takes in what is new of it."""

    def __init__(self) -> None:
        self.found: dict[str, MotionSwept] = {}
        self.meshes: dict[str, bytes] = {}  # envelopes for the page, by key
        self.changed = True  # since the page was told
        self._sweeper = Sweeper()
        self._jobs: dict[int, tuple[MotionSwept, str]] = {}  # under way: the sweep, and the cable of an envelope
        self._number = 0

    @property
    def busy(self) -> bool:
        return bool(self._jobs)

    def sweep(self, state: SimulationState, motion: str) -> None:
        total = Request(motion=motion).total(state.scene)
        if any(not cable for _, cable in self._jobs.values()):
            self.stop()
        found = MotionSwept(motion, state.scene, total)
        before = self.found.get(motion)
        self.found[motion] = found
        self._give(SweepJob(self._next(), state, motion), found, "")
        for cable, envelope in before.envelopes.items() if before is not None else ():
            if envelope.shown:
                found.envelopes[cable] = Envelope()  # found anew once the sweep is over

    def envelope(self, motion: str, cable: str, shown: bool) -> None:
        found = self.of(motion)
        radius = SectionProperties.of(found.scene.type_of(cable)).radius
        if not radius > 0.0:
            raise ValueError(f"{cable}: has no radius, so it sweeps no volume; give its type a radius")
        envelope = found.envelopes.setdefault(cable, Envelope())
        envelope.shown = shown
        self.changed = True
        if shown and envelope.mesh is None and found.progress in ("done", "stopped"):
            self._find(found, cable)

    def _find(self, found: MotionSwept, cable: str) -> None:
        if not any(cable in k.cables for k in found.swept.readings):
            found.envelopes[cable].error = f"{cable}: no position is certified, so there is nothing that it sweeps"
        elif (found, cable) not in self._jobs.values():
            self._give(EnvelopeJob(self._next(), found.scene, found.swept, cable), found, cable)

    def of(self, motion: str) -> MotionSwept:
        if motion not in self.found:
            raise ValueError(f"{motion}: was not swept yet; sweep it first")
        return self.found[motion]

    def stop(self) -> None:
        """What was found stays."""
        self._sweeper.stop()
        self._end("stopped", "stopped")

    def clear(self) -> None:
        """Another scene."""
        self._sweeper.stop()
        self._jobs.clear()
        self.found.clear()
        self.changed = True

    def follow(self) -> bool:
        """Takes in what is new; says whether there was anything."""
        before = self.changed
        for news in self._sweeper.news():
            self.changed = True
            if news is None:
                self._end("failed", "the process that sweeps has ended; try again")
            else:
                self._take(news)
        return self.changed and not before

    def _take(self, news: News) -> None:
        if news.number not in self._jobs:
            return
        found, cable = self._jobs[news.number]
        if isinstance(news, Visited):
            found.swept.add(news.reading, news.shapes)
            return
        if isinstance(news, Advanced):
            found.envelopes[cable].done = news.part
            return
        del self._jobs[news.number]
        if cable:
            self._take_envelope(found.envelopes[cable], news)
            return
        found.progress, found.error = ("failed", news.error) if news.error else ("done", "")
        for name, envelope in found.envelopes.items():
            if envelope.shown and found.progress == "done":
                self._find(found, name)

    def _take_envelope(self, envelope: Envelope, news: Ended) -> None:
        envelope.error, envelope.mesh = news.error, news.mesh
        if news.mesh is not None:
            envelope.key, self.meshes[envelope.key] = packed(*news.mesh)

    def _end(self, progress: SweepProgress, why: str) -> None:
        for found, cable in self._jobs.values():
            if cable:
                del found.envelopes[cable]
            else:
                found.progress, found.error = progress, why if progress == "failed" else ""
        self._jobs.clear()
        self.changed = True

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _give(self, job: SweepJob | EnvelopeJob, found: MotionSwept, cable: str) -> None:
        self._jobs[job.number] = (found, cable)
        self._sweeper.give(job)
        self.changed = True
