"""One kinematic cable: solved level by level, as far as the time allows, and on from there the next time."""

import math
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom import kernels
from lissom.geometry.clearance import clearance
from lissom.geometry.solids import Solid
from lissom.kinematic import building, descent, doubling, touching
from lissom.kinematic.building import Hold, Layout
from lissom.kinematic.chain import STATUS, STEPS, Chain, closure_error, joints, make_work
from lissom.kinematic.doubling import COUNT, FOUR, REACHED, STARTS, WORKING
from lissom.kinematic.pyramid import level_chain

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

WHILE_MOVING = 4  # segments there are at least, whatever the time [HD00 §5]
AT_REST = 32
# Work between two looks at the clock, in segments: 0.1 ms of a slow machine.
QUOTA = 128.0
LOOK, SWEEP = 0, 1
# What is done on a level for the first time may take so many times as long as on the level before: there are four times
# as many pairs of segments. What took long is expected to take nearly as long again.
MORE = 4.0
FADING = 0.9
# What may touch is looked up again until no joint has moved by more than this part of the length, or so often.
SAME_SHAPE = 1e-5
MOST_LOOKS = 20
# Joints within this of a support on a part, in radii along the cable, never touch that part.
HELD_RADII = 4.0
# Stiffness of a contact, in units of the force scale over the length: it gives way by a part in 1e5 under that force.
HARD = 1e5
ROOM = 64  # contacts beyond two for each joint


class Obstacle(NamedTuple):
    """A part in its place."""

    solid: Solid
    rotation: Array  # (3, 3)
    origin: Array  # (3,) m
    seats: tuple[float, ...] = ()  # m along the cable: supports that sit on it


class Pressed(NamedTuple):
    """A contact of the last level that settled."""

    part: int  # number of the obstacle; −1: the cable itself
    joint: tuple[int, int, int, int]
    weight: tuple[float, float, float, float]
    normal: Array  # (3,) from what is touched to the cable
    push: float  # N
    at: Array  # (3,) m: where its centre line is then


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
        self._border = len(self.pyramid.target) + len(self.pyramid.twist_turn)
        self._most_sites = int(np.diff(self.pyramid.site0).max())
        self._most_joints = int(np.diff(self.pyramid.joint0).max())
        self.progress = np.array([-1, 0, 0, 0, 1])  # as doubling.py counts
        self._force_scale = layout.force_scale
        self._nothing = touching.make_contacts(1)
        self._minima = np.zeros((6, 2))
        self._starts = np.zeros((max(len(layout.holds) - 1, 1), STARTS, 4, 3))
        self._best = np.zeros((self._most_sites + self._border + 1, 3))
        self._took = np.zeros((2, len(self.segments)))  # s of CPU time that looks and sweeps take on each level
        self._stale = True  # what is near is to be looked up
        self._warm = False  # there are shapes to go on from
        self._moved = True
        self.radius = 0.0
        self.meets_itself = False
        self.obstacles: tuple[Obstacle, ...] = ()
        self.pressed: tuple[Pressed, ...] = ()
        self._certified = (0.0, True)  # of the last level that settled in contact
        self._looks = 0
        self._seen: Array | None = None  # the joints when it was last looked
        self._make_room(0)

    def _make_room(self, contacts: int) -> None:
        self.work = make_work(self._most_sites, self._most_joints, max(self._border + contacts, 3))
        self.contacts = touching.make_contacts(max(contacts, 1))

    # ---- what changes ----------------------------------------------------------------------------------------

    def move(self, holds: tuple[Hold, ...]) -> None:
        """The same holds elsewhere."""
        self.layout = self.layout.holding(holds)
        building.aim(self.pyramid, self.layout)
        self._moved = True

    def forget(self) -> None:
        """The next solve begins from nothing."""
        self._warm = False
        self._moved = True

    def surround(self, obstacles: tuple[Obstacle, ...], radius: float, meets_itself: bool) -> None:
        """What it may touch from now on."""
        self.obstacles, self.radius = obstacles, radius
        self.meets_itself = meets_itself and radius > 0.0
        self.contacts.number[0] = 0
        if self.may_touch and len(self.contacts.level) == 1:
            self._make_room(2 * self._most_joints + ROOM)
        self.contacts.stiffness[0] = HARD * self._force_scale / self.layout.length
        self._moved = True

    @property
    def may_touch(self) -> bool:
        return self.meets_itself or len(self.obstacles) > 0

    def take(self, directions: Array, segments: int) -> None:
        """A shape to go on from, with so many segments in each section; coarser levels have its mean directions."""
        level = self.segments.index(segments)
        self.directions(level)[:] = directions
        for k in range(level - 1, -1, -1):
            fine, coarse = self.directions(k + 1), self.directions(k)
            at = 0
            for i, h in enumerate(self.chain(k).h):
                mean = fine[at] if h == 0.0 else fine[at] + fine[at + 1]
                size = float(np.linalg.norm(mean))
                coarse[i] = mean / size if size > 0.0 else fine[at]
                at += 1 if h == 0.0 else 2
        self._warm = True
        self._moved = True

    # ---- solving ---------------------------------------------------------------------------------------------

    def solve(self, budget: float | None = None) -> Reached:
        """As many levels as fit into `budget` seconds, all without one; at least those that are always wanted."""
        began = time.perf_counter()
        warm = self._warm  # a solve from nothing says nothing of how long the next will take
        floor = min(WHILE_MOVING if self._moved else AT_REST, self.segments[-1])
        progress = self.progress
        progress[COUNT] = 0
        if self._moved:
            self.contacts.number[0] = 0
            kernels.unchecked(doubling.begin)(
                self.pyramid, self.work, self._minima, self._starts, self._best, self._warm, progress
            )
            self._moved, self._warm = False, True
            self._looks, self._stale = 0, True
            self.pressed = ()
        advance = kernels.unchecked(doubling.advance)
        last = len(self.segments) - 1
        while progress[REACHED] < last:
            wanted = progress[REACHED] < 0 or self.segments[progress[REACHED]] < floor
            level = int(progress[WORKING])
            doing = LOOK if self.may_touch and self._stale else SWEEP
            late = budget is not None and time.perf_counter() - began + self._expected(doing, level) > budget
            if late and not wanted and progress[COUNT] > 0:
                break  # every call goes on by one sweep at least
            cpu = time.thread_time()  # not while the machine does something else
            if doing == LOOK:
                self._look()
            elif advance(
                self.pyramid, self.work, self.contacts, self._nothing, self._starts, self._best,
                math.inf if budget is None else QUOTA, self.may_touch, progress,
            ):  # fmt: skip
                self._leave_level()
            if budget is not None and warm:  # nothing is interrupted: what comes next is begun only where it fits
                self._took[doing, level] = max(time.thread_time() - cpu, FADING * self._took[doing, level])
        return Reached(self.segments[self.level], self.level == last, self.steps, self.settled)

    def _expected(self, doing: int, level: int) -> float:
        """s that it may take: as before, or else so much MORE than on the level before."""
        taken = float(self._took[doing, level])
        return taken if taken > 0.0 or level == 0 else MORE * float(self._took[doing, level - 1])

    def _look(self) -> None:
        """Gathers what the joints of the level that is worked on may touch."""
        level = int(self.progress[WORKING])
        self.pyramid.state[level, STEPS] = 0.0
        x, s = self.positions(level), self.places(level)
        margin = max(2.0 * self.radius, float(np.diff(s).max()))
        self.contacts.number[0] = 0
        held = np.zeros(len(s), dtype=np.int64)
        held[self.pyramid.anchor[level]] = 1
        for number, part in enumerate(self.obstacles):
            skip = held
            for seat in part.seats:
                skip = np.where(np.abs(s - seat) <= HELD_RADII * self.radius, 1, skip)
            touching.with_part(
                part.solid, part.rotation, part.origin, number, skip, self.radius, margin, x, self.contacts
            )
        if self.meets_itself:
            touching.with_itself(s, self.radius, self.radius, x, self.contacts)
        self._seen = x
        self._looks, self._stale = self._looks + 1, False

    def _leave_level(self) -> None:
        """A level has settled against what was near it: on to the next, unless it moved to where something else is."""
        level = int(self.progress[WORKING])
        self._stale = True
        assert self._seen is not None
        moved = float(np.abs(self.positions(level) - self._seen).max())
        if moved > SAME_SHAPE * self.layout.length and self._looks < MOST_LOOKS:
            return
        self._certified = self._imbalance(level)
        c, x = self.contacts, self.positions(level)
        self.pressed = tuple(
            Pressed(
                int(c.part[k]), tuple(c.joint[k]), tuple(c.weight[k]), c.normal[k].copy(), float(c.push[k]),
                np.maximum(c.weight[k], 0.0) @ x[c.joint[k]],
            )
            for k in range(int(c.number[0]))
            if c.push[k] > 0.0
        )  # fmt: skip
        doubling.double(self.pyramid, self.work, self._nothing, self.progress)
        self._looks = 0

    # ---- read-outs -------------------------------------------------------------------------------------------

    @property
    def level(self) -> int:
        """The last one that settled."""
        return int(self.progress[REACHED])

    @property
    def settled(self) -> bool:
        """Whether the energy no longer fell there."""
        return bool(self.pyramid.state[self.level, STATUS] == descent.SETTLED)

    @property
    def steps(self) -> int:
        """Sweeps over the whole chain in the last solve."""
        return int(self.progress[COUNT])

    def chain(self, level: int) -> Chain:
        return level_chain(self.pyramid, level)

    def directions(self, level: int) -> Array:
        """(sites, 3)."""
        return self.pyramid.d[self.pyramid.site0[level] : self.pyramid.site0[level + 1]]

    def places(self, level: int) -> Array:
        """(joints,) m along the cable."""
        h = self.chain(level).h
        return np.concatenate([[0.0], np.cumsum(h[h > 0.0])])

    def positions(self, level: int) -> Array:
        """(joints, 3) m."""
        found = np.empty((int(self.pyramid.joint0[level + 1] - self.pyramid.joint0[level]), 3))
        kernels.unchecked(joints)(self.chain(level), self.directions(level), found)
        return found

    def forces(self, level: int) -> Array:
        """(sites, 3) N: the internal force in the middle of each segment, without what contacts push."""
        chain = self.chain(level)
        found = chain.force.copy()
        for (axis, first, last), force in zip(chain.run, self.pyramid.nu[level], strict=True):
            found[first:last, axis] += force
        return found

    def coarseness(self, level: int) -> float:
        """The largest h √(|n|/B): above 1 a boundary layer is shorter than a segment."""
        segments = self.segments[level]
        force = np.linalg.norm(self.forces(level)[self.chain(level).h > 0.0], axis=1).reshape(-1, segments).max(axis=1)
        found = 0.0
        for section, most in zip(self.layout.sections, force, strict=True):
            if section.bending > 0.0:
                found = max(found, section.length / segments * math.sqrt(most / section.bending))
        return found

    def depth(self) -> tuple[float, int]:
        """How deep it is in what it presses on, m, and the number of that obstacle (−1: itself).

        On the finest level between its joints too, near those that may touch.
        """
        c = self.contacts
        found = [(k.push / float(c.stiffness[0]), k.part) for k in self.pressed]
        if self.level == len(self.segments) - 1:
            x, near = self.positions(self.level), int(c.number[0])
            for number in set(c.part[:near].tolist()) - {-1}:
                part, wanted = self.obstacles[number], np.zeros(len(x), dtype=np.int64)
                wanted[c.joint[:near, 0][c.part[:near] == number]] = 1
                away, *_ = clearance(part.solid, part.rotation, part.origin, x, wanted)
                found.append((self.radius - away, number))
        return max(found, default=(0.0, -1))

    def energy_of(self, level: int) -> float:
        """J, of the directions that a level has now, without contacts."""
        found = descent.whole_energy(
            self.chain(level), self.work, self.directions(level), self.pyramid.theta[level], self._nothing
        )
        return float(found)

    def length_error(self, level: int) -> float:
        """By how much a span misses its hold, relative to the length."""
        miss: float = kernels.unchecked(closure_error)(self.chain(level), self.directions(level))
        return miss / self.layout.length

    def change(self, level: int) -> float:
        """By how much joints moved when their number was last doubled, m; inf on the first level."""
        if level <= FOUR:
            return math.inf
        moved = self.positions(level)[::2] - self.positions(level - 1)
        return float(np.sqrt((moved**2).sum(axis=1)).max())

    def certificate(self, level: int) -> tuple[float, bool]:
        """(imbalance relative to the force scale and the length, whether the shape would stay)."""
        return self._certified if self.may_touch else self._imbalance(level)

    def _imbalance(self, level: int) -> tuple[float, bool]:
        scale = self._force_scale * self.layout.length
        pyramid = self.pyramid
        worst, unstable = kernels.unchecked(descent.residual)(
            self.chain(level), self.work, self.directions(level), pyramid.nu[level], pyramid.theta[level],
            self.contacts, scale,
        )  # fmt: skip
        return worst, unstable == 0
