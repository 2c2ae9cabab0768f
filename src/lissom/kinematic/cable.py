"""One kinematic cable: solved level by level, as far as the time allows, and on from there the next time."""

import math
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.solids import Solid
from lissom.kernels import unchecked
from lissom.kinematic import building, descent, doubling, touching
from lissom.kinematic.building import Hold, Layout
from lissom.kinematic.chain import Chain, closure_error, joints, make_work
from lissom.kinematic.doubling import COUNT, REACHED, STARTS, WORKING
from lissom.kinematic.pyramid import ENERGY, STATUS, level_chain

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

WHILE_MOVING = 4  # segments there are at least, whatever the time [HD00 §5]
AT_REST = 32
# Work between two looks at the clock, in segments: 0.1 ms of a slow machine.
QUOTA = 128.0


class Reached(NamedTuple):
    """How a solve went."""

    segments: int  # in each section, of the last level that settled
    finest: bool  # nothing is left to do
    steps: int  # sweeps over the whole chain
    settled: bool  # the energy no longer falls on that level


class Cable:
    """Levels of two, four, eight … segments in each section; `solve` brings as many up to date as time allows."""

    def __init__(self, layout: Layout, finest: int) -> None:
        self.layout = layout
        self.segments = [2**n for n in range(1, max(round(math.log2(finest)), 1) + 1)]
        self.pyramid = building.make_pyramid(layout, self.segments)
        sites, joint = int(np.diff(self.pyramid.site0).max()), int(np.diff(self.pyramid.joint0).max())
        border = len(self.pyramid.target) + len(self.pyramid.twist_turn)
        self.work = make_work(sites, joint, max(border, 3))
        self.contacts = touching.make_contacts(1)
        self.progress = np.array([-1, 0, 0])
        self._minima = np.zeros((6, 2))
        self._starts = np.zeros((STARTS, 4, 3))
        self._best = np.zeros((sites + border, 3))
        self._warm = False  # there are shapes to go on from
        self._moved = True

    def move(self, holds: tuple[Hold, ...]) -> None:
        """The same holds elsewhere."""
        self.layout = self.layout.holding(holds)
        building.aim(self.pyramid, self.layout)
        self._moved = True

    def forget(self) -> None:
        """The next solve begins from nothing."""
        self._warm = False
        self._moved = True

    def solve(self, budget: float | None = None) -> Reached:
        """As many levels as fit into `budget` seconds, all without one; at least those that are always wanted."""
        began = time.perf_counter()
        floor = WHILE_MOVING if self._moved else AT_REST
        progress = self.progress
        progress[COUNT] = 0
        if self._moved:
            unchecked(doubling.begin)(
                self.pyramid, self.work, self.contacts, self._minima, self._starts, self._best, self._warm, progress
            )
            self._moved, self._warm = False, True
        advance = unchecked(doubling.advance)
        last = len(self.segments) - 1
        while progress[REACHED] < last:
            wanted = progress[REACHED] < 0 or self.segments[progress[REACHED]] < min(floor, self.segments[last])
            if budget is not None and not wanted and time.perf_counter() - began >= budget:
                break
            advance(self.pyramid, self.work, self.contacts, math.inf if budget is None else QUOTA, False, progress)
        here = int(progress[REACHED])
        settled = self.pyramid.state[here, STATUS] == descent.SETTLED
        return Reached(self.segments[here], here == last, int(progress[COUNT]), bool(settled))

    # ---- read-outs -------------------------------------------------------------------------------------------

    @property
    def level(self) -> int:
        """The last one that settled."""
        return int(self.progress[REACHED])

    def chain(self, level: int) -> Chain:
        return level_chain(self.pyramid, level)

    def directions(self, level: int) -> Array:
        """(sites, 3)."""
        return self.pyramid.d[self.pyramid.site0[level] : self.pyramid.site0[level + 1]]

    def positions(self, level: int) -> Array:
        """(joints, 3) m."""
        found = np.empty((int(self.pyramid.joint0[level + 1] - self.pyramid.joint0[level]), 3))
        joints(self.chain(level), self.directions(level), found)
        return found

    def energy(self, level: int) -> float:
        """J, of a level that was worked on."""
        return float(self.pyramid.state[level, ENERGY])

    def length_error(self, level: int) -> float:
        """By how much a span misses its hold, relative to the length."""
        return closure_error(self.chain(level), self.directions(level)) / self.layout.length
