"""Steps of Newton's method that pass nothing, and ways out of saddles.  [system.py]"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.rods import bodies, dense, friction, newton, rigid
from lissom.rods.bodies import Body
from lissom.rods.border import Terms
from lissom.rods.bordered import MERIT_HARDNESS, Bordered
from lissom.rods.contacts import Contacts, augmented, first_hit, places
from lissom.rods.crowd import Slope
from lissom.rods.springs import Columns, Places, loads_on

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# A step turns a frame by at most this (rad).
LARGEST_TURN = 1.0
MOST_HALVINGS = 4
# A step that turns no frame by more than this (rad) is taken whole where no part of it lowers the merit.
SMALL_TURN = 0.05
# and one below this in any case: the merit does not know it from rounding.
TINY_TURN = 1e-6
# Of the distance to what it may hit, a step covers at most this part.
ADVANCE = 0.8
# Steps are shortened for that down to this part.
SHORTEST_STEP = 1e-6
# How far to leave a saddle (rad at the frame that turns most).
ESCAPE_TURN = 0.2
# Caution with what slips is full at first and after a step that was halved; others divide it by this, down to this.
# The divisor itself falls where steps keep being halved, to this.
BOLDER = 4.0
LEAST_CAUTION = 0.1
LEAST_BOLD = 1.3
# and what rubs has a merit that falls along every step: it may be asked for more often.
RUBBING_HALVINGS = 10
# So many steps in a row are cut to where what slips comes to rest; after that, caution.
MOST_CUTS = 2
# A step halved more often than this has to lower the merit for sure, not but for rounding.
NOISY_HALVINGS = 2


@dataclass(slots=True)
class Trial:
    """A state that may become the next."""

    value: float  # merit, J
    frames: list[Array]
    points: list[Array]
    poses: list[tuple[Array, Array]]
    contacts: Contacts


@dataclass(slots=True)
class Step:
    """What one Newton step changes."""

    turns: list[Array]  # per link: (frames, 3) rad
    pulls: list[Array]  # per link: (runs,) N
    pushes: Array  # (contacts,) N
    moves: list[Array]  # per body: (6,)
    largest: float  # turn, rad
    loads: Places | None = None  # N: what the forces at contacts change by, where cables stretch


class Stepping(Bordered):
    """Takes steps, as much of each as lowers the merit and meets nothing."""

    def _step(self, columns: Columns, u: Array) -> Step:
        duals = len(columns.give)
        turns: list[Array] = []
        pulls: list[Array] = []
        for link in self.links:
            turn, pull = link.step(u)
            turns.append(turn)
            pulls.append(pull)
        moves = [u[duals + 6 * b : duals + 6 * b + 6] for b in range(len(self.bodies))]
        force = self.contacts.force
        pushes = -u[: columns.contacts]
        pushes = np.where(force + pushes <= 1e-12 * np.abs(pushes), -force, pushes)  # released, not almost
        largest = max(
            max(float(newton.largest_turn(k)) for k in turns),
            max((float(np.linalg.norm(k[3:])) for k in moves), default=0.0),
        )
        loads = None
        if any(link.solver.line.is_extensible for link in self.links):
            k = columns.places
            loads = k._replace(direction=-u[k.column][:, None] * k.direction)
        return Step(turns, pulls, pushes, moves, largest, loads)

    def _advance(self, step: Step) -> None:
        """Takes the longest of the steps 1, ½, … that lowers the merit and passes through nothing."""
        c = self.contacts
        aimed = c.pressed(c.force + step.pushes)
        start = self._trial(step, 0.0, aimed, aimed if step.loads is None else None)
        noise = 1e-12 * (abs(start.value) + self.force * self.length)
        length = min(1.0, LARGEST_TURN / step.largest) if step.largest > 0.0 else 1.0
        halvings = 0
        most = RUBBING_HALVINGS if c.rubs else MOST_HALVINGS
        whole = length
        cut, rests = False, c.rubs and step.loads is None  # where cables stretch their points follow the forces
        while True:
            trial = self._trial(step, length, aimed)
            clear = self._clear(trial)
            if clear < 1.0 and length > SHORTEST_STEP:
                length *= max(min(clear, 0.9), 0.1)
                whole = min(whole, length)
            elif step.largest < TINY_TURN or trial.value <= start.value + noise * (halvings <= NOISY_HALVINGS):
                break
            elif halvings == most:
                if c.rubs and self.caution < 1.0:
                    self._mind(halvings)
                    return  # to step from here again, with more caution
                if whole * step.largest < SMALL_TURN:  # where contacts keep it stable, the merit may not
                    length = whole
                    trial = self._trial(step, length, aimed)
                break
            elif rests and length == 1.0 and self._cuts < MOST_CUTS:  # halves would miss where that is
                self._cuts += 1
                cut = True
                length = min(max(self._lowest(start, trial, aimed), SHORTEST_STEP), 0.999)
            else:
                length *= 0.5
                halvings += 1
        if length <= SHORTEST_STEP and self._meeting(trial) <= 1.0:
            return  # rather not at all
        self._cuts = self._cuts if cut else 0
        self._mind(halvings)
        self._lets_go = halvings == 0
        for link, pull in zip(self.links, step.pulls, strict=True):
            link.nu += length * pull
        c.force += length * step.pushes
        self._take(trial, c)

    def _mind(self, halvings: int) -> None:
        """More caution with what slips after a step that went too far, less after one that did not."""
        if halvings:
            self.caution, self._bolder = 1.0, max(LEAST_BOLD, np.sqrt(self._bolder))
        elif self.caution == 0.0:
            self._bolder = BOLDER
        else:
            calmer = self.caution / self._bolder
            self.caution = calmer if calmer > LEAST_CAUTION else 0.0

    def _take(self, trial: Trial, before: Contacts) -> None:
        """A trial becomes the state; its contacts take over the forces of those before."""
        self._stride = 0.0
        for link, q, x in zip(self.links, trial.frames, trial.points, strict=True):
            self._stride = max(self._stride, float(np.abs(x - link.x).max()))
            link.q[:] = q
            link.x = x
            link.solver.way.append(x)
        for body, (position, quaternion) in zip(self.bodies, trial.poses, strict=True):
            body.position, body.quaternion = position, quaternion
        self.contacts = self._seen = trial.contacts
        self.contacts.inherit(before)
        rigid.let_go(self.contacts, MERIT_HARDNESS * self.stiffness)

    def _trial(self, step: Step, length: float, aimed: Contacts, known: Contacts | None = None) -> Trial:
        """The state after a part of the step, and its merit with the multipliers the whole step leads to:

        ℒ(φ, p, μ₊) + ½ k |c|² + the augmented Lagrangian of the contacts, k and its ρ soft.
        """
        frames = [k.turned(turn, length) for k, turn in zip(self.links, step.turns, strict=True)]
        poses = [body.moved(move, length) for body, move in zip(self.bodies, step.moves, strict=True)]
        forces = [k.nu + pull for k, pull in zip(self.links, step.pulls, strict=True)]
        value = 0.0
        for body, pose in zip(self.bodies, poses, strict=True):
            bodies.put(body, self.links, *pose, frames)
            value -= float(body.weight @ (pose[0] + bodies.matrix(pose[1]) @ body.centre))
        points: list[Array] = []
        acting = max([self.force, *(dense.largest(f[None]) for f in forces)])
        penalty = max(self.penalty, 10.0 * acting / self.length)
        for number, (link, q, nu) in enumerate(zip(self.links, frames, forces, strict=True)):
            if self.bodies:
                link.aim()
            part, square, x = link.potential(q, nu, self._stretching(number, step, 1.0))
            value += part + 0.5 * penalty * square
            if length < 1.0 and link.solver.line.is_extensible and not aimed.rubs:  # by what acts then
                now = link.nu + length * step.pulls[number]
                x = link.potential(q, now, self._stretching(number, step, length))[2]
            points.append(x)
        contacts = known
        if contacts is None:
            moved = [Body(k.name, p, q, carries=k.carries) for k, (p, q) in zip(self.bodies, poses, strict=True)]
            contacts = self.touching.near(points, moved)
            contacts.inherit(aimed)
        value += augmented(contacts.rows, MERIT_HARDNESS * self.stiffness)
        if aimed.rubs:  # of the places that rub now: others would count ways they have not gone
            value += friction.energy(aimed, self._places(aimed, points, poses), self.bristle)
        return Trial(value, frames, points, poses, contacts)

    def _places(self, c: Contacts, points: list[Array], poses: list[tuple[Array, Array]]) -> Array:
        """(c, 3) m: where contacts are on cables, and bodies, that have moved."""
        return np.asarray(places(c, points) + rigid.shifts(c, self.bodies, poses))

    def _lowest(self, start: Trial, whole: Trial, aimed: Contacts) -> float:
        """The part of a whole step at which the merit is lowest where things rub."""
        way = [self._places(aimed, k.points, k.poses) for k in (start, whole)]
        rubbing = [friction.energy(aimed, at, self.bristle) for at in way]
        change = whole.value - start.value - (rubbing[1] - rubbing[0])
        return friction.lowest(self.contacts, aimed, (way[0], way[1]), self.bristle, self.caution, change)

    def _stretching(self, number: int, step: Step, length: float) -> Terms | None:
        """The contact forces after a part of a step, on a link that they stretch: else what rubs would follow late."""
        if step.loads is None or not len(self.contacts) or not self.links[number].solver.line.is_extensible:
            return None
        loads = step.loads if length == 1.0 else step.loads._replace(direction=length * step.loads.direction)
        more = loads.on(number, np.zeros(int(loads.column.max(initial=-1)) + 1, dtype=np.int64))
        return Terms(*(np.concatenate(k) for k in zip(loads_on(self.contacts.rows, number), more, strict=True)))

    def _clear(self, trial: Trial) -> float:
        """The part of the way to a trial on which surely nothing is passed, nor a turn lost; 1 or more: all of it."""
        if any(newton.tears(k.q, q) for k, q in zip(self.links, trial.frames, strict=True)):
            return 0.5
        points = trial.points
        part = np.inf
        moves = [x - k.x for k, x in zip(self.links, points, strict=True)]
        farthest = max(float(newton.largest_turn(move)) for move in moves)
        reach = self.touching.reach
        if ADVANCE * reach < farthest < np.inf:
            rooms = self.touching.room([k.x for k in self.links], self.bodies, farthest / ADVANCE)
            for move, room in zip(moves, rooms, strict=True):
                way = np.sqrt((move**2).sum(axis=1))
                part = min(part, float((ADVANCE * np.maximum(room, reach) / np.maximum(way, 1e-300)).min()))
        part = min(part, ADVANCE / max(rigid.farthest(self.bodies, trial.poses), 1e-300))
        meet = self._meeting(trial)
        if meet <= 1.0:
            part = min(part, ADVANCE * meet)
        c = self._seen
        if not len(c):
            return part
        moved = places(c, moves) + rigid.shifts(c, self.bodies, trial.poses)
        return min(part, ADVANCE * first_hit(c.rows, moved))

    def _meeting(self, trial: Trial) -> float:
        """The part of the way to a trial at which cables first pass through each other; above 1 if not at all."""
        return self.touching.passing([k.x for k in self.links], trial.points)

    def _leave_saddle(self, columns: Columns, Z: Array, slope: Slope | None) -> None:
        """Turns everything along the direction of least stiffness to the lower side."""
        step = self._downhill(columns, Z) if slope is None or not slope.turns else self._along(slope.turns)
        for pull in step.pulls:
            pull[:] = 0.0
        step.pushes[:] = 0.0
        for move in step.moves:
            move *= ESCAPE_TURN / step.largest
        for turn in step.turns:
            turn *= ESCAPE_TURN / step.largest
        ways = [k for k in (self._beside(step, side) for side in (1.0, -1.0)) if self._meeting(k) > 1.0]
        if ways:
            self._take(min(ways, key=lambda k: k.value), self.contacts)

    def _along(self, turns: list[Array]) -> Step:
        """A step that turns frames, and nothing else."""
        pulls = [np.zeros_like(k.nu) for k in self.links]
        largest = max(float(newton.largest_turn(k)) for k in turns)
        return Step(turns, pulls, np.zeros(len(self.contacts)), [], largest)

    def _downhill(self, columns: Columns, Z: Array) -> Step:
        """The direction of least stiffness, found by inverse iteration."""
        inner = np.flatnonzero(self._acting(columns, len(Z)))
        duals = len(columns.give)
        generator = np.random.default_rng(1)
        for link in self.links:
            link.work.gradient[:] = generator.uniform(-1.0, 1.0, link.work.gradient.shape) * link.chain.mask
            link.work.closure[:] = 0.0
        moves = generator.uniform(-1.0, 1.0, 6 * len(self.bodies))
        for _ in range(5):
            right = np.zeros(len(Z))
            right[duals:] = moves
            for link in self.links:
                link.substitute(right)
            u = np.zeros(len(Z))
            u[inner] = np.linalg.solve(Z[np.ix_(inner, inner)], right[inner])
            step = self._step(columns, u)
            for link, turn in zip(self.links, step.turns, strict=True):
                link.work.gradient[:] = -turn / step.largest
            moves = u[duals:] / step.largest
        return step

    def _beside(self, step: Step, side: float) -> Trial:
        """As far along a direction as nothing is passed."""
        while True:
            trial = self._trial(step, side, self.contacts)
            clear = self._clear(trial)
            if clear >= 1.0 or abs(side) < SHORTEST_STEP:
                return trial
            side *= max(min(clear, 0.9), 0.1)
