"""Newton's method for cables that touch things and each other, or hang on bodies: one system.

Unknowns: the frames of every chain, eliminated chain by chain; then, in one small dense border, the closure force of
every run, the force of every contact, and the motion p of every free body. With K, g, A, c, E as in blocks.py,

    [ K   Aᵀ  C ] [ dφ ]   [−g]
    [ A  −E   T ] [−dμ ] = [−c]                                           [docs/theory/contact.md (5)]
    [ Cᵀ  Tᵀ  B ] [ dp ]   [−r]

Of the contacts' rows only the inequality is asked: gap + A dφ + T dp + dλ/ρ ≥ 0, λ + dλ ≥ 0, one of them zero. That
is GS07's global rule [§5.8] with its release of contacts that would pull, solved at once; ρ is large. The curvature of
what is touched is a spring at the contact; each is one more column [springs.py].
"""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lissom.rods import bodies, border, dense, friction, newton, rigid, springs
from lissom.rods.bodies import Body, Seat
from lissom.rods.border import Terms
from lissom.rods.complementarity import nonnegative
from lissom.rods.contacts import NO_LINK, Contacts, places
from lissom.rods.crowd import Crowd, Slope
from lissom.rods.holding import border_step, contact_forces
from lissom.rods.link import Link
from lissom.rods.rules import Problem, Rule, global_rule
from lissom.rods.smooth import Dip
from lissom.rods.solver import RodSolver
from lissom.rods.springs import Columns, Places

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# ρ in units of the stiffness of a segment against a push,
HARDNESS = 1e4
# of the spring that holds closed what presses, as a part of that,
HOLD = 0.1
# and of the merit, softer: on a curved surface a straight step leaves it at second order.
MERIT_HARDNESS = 1.0
# Springs at a contact weaker than this, in the same units, are left out.
WEAK = 1e-9
# A step turns a frame by at most this (rad).
LARGEST_TURN = 1.0
MOST_HALVINGS = 4
# Of more contacts than this only those take part in a step that may close in it: nearer than so many times as far as
# the step before moved anything, at first than this part of what is seen.
CROWD = 64
REACHED = 2.0
FIRST_REACHED = 0.25
# More springs of contacts than this are kept out of the border.
MOST_SPRINGS = 100
# A step that turns no frame by more than this (rad) is taken whole where no part of it lowers the merit.
SMALL_TURN = 0.05
# and one below this in any case: the merit does not know it from rounding.
TINY_TURN = 1e-6
# Shifts of K until the step goes down: the first, in units of B h/L², and the growth.
FIRST_SHIFT = 0.25
SHIFT_GROWTH = 4.0
# A body that nothing holds would go at once wherever it is pulled: damping lets a step move it by about so much of how
# far it looks around it, or turn it by so much (rad).
BODY_STEP = 10.0
BODY_TURN = 5.0
# Damping that is always there, as a part of ρ: what only contacts hold is else lost in rounding.
FIRM = 1e-11
# Of the distance to what it may hit, a step covers at most this part.
ADVANCE = 0.8
# Steps are shortened for that down to this part.
SHORTEST_STEP = 1e-6
# Contact forces beyond this, in units of max(EI/L², wL, loads), mean that something cannot give way.
BLOCKED = 1e4
# if they stay so for this many iterations.
LONGEST_PRESS = 8
# What is out of balance at a body counts so many times: forces there may be smaller than those in the cables.
STRICT = 10.0
# Forces along cables beyond this, in the same units, for this many iterations: they are too short, and pulled taut.
TAUT = 1e6
LONGEST_PULL = 3
# A solve has stalled if so many iterations get no nearer to an equilibrium than those before, and nothing moves by more
# than this part of the length. Then contacts are looked for in another way; given up if that stalls too, so often.
STALL = 8
STALLED_WITHIN = 1e-3
MOST_STALLS = 2
# Points of a cable are where its forces stretch it to within this part of the allowed penetration.
STRETCHED = 1e-2
# How often a solve goes on with contacts where a cable was found to dip into a part.
MOST_LOOKS = 12
# How far to leave a saddle (rad at the frame that turns most), and how often.
ESCAPE_TURN = 0.2
MOST_ESCAPES = 6
# How often a solve looks for cables that overlap between the places that touch.
MOST_PINS = 8
# Sets of contacts that act, tried in one step where friction follows their forces.
MOST_SETS = 12
# Caution with what slips is full at first and after a step that was halved; others divide it by this, down to this.
# The divisor itself falls where steps keep being halved, to this.
BOLDER = 4.0
LEAST_CAUTION = 0.1
LEAST_BOLD = 1.3
# and what rubs has a merit that falls along every step: it may be asked for more often.
RUBBING_HALVINGS = 10
# A step halved more often than this has to lower the merit for sure, not but for rounding.
NOISY_HALVINGS = 2


class Stalls:
    """Notices a solve that gets no better and goes nowhere: sets of contacts that follow each other in a circle."""

    def __init__(self, length: float) -> None:
        self.number = 0
        self._near = STALLED_WITHIN * length
        self._begin()

    def _begin(self) -> None:
        self._errors: list[float] = []
        self._where: list[Array] = []

    def count(self, error: float, points: list[Array], origins: list[Array]) -> bool:
        """True where another stall is noticed; counting begins anew then."""
        self._errors.append(error)
        self._where.append(np.concatenate([*points, *(k[None] for k in origins)]))
        k = len(self._errors) - 1
        if k < 2 * STALL or min(self._errors[k - STALL :]) < 0.9 * min(self._errors[: k - STALL]):
            return False
        if any(float(np.abs(x - self._where[-1]).max()) > self._near for x in self._where[k - STALL :]):
            return False
        self.number += 1
        self._begin()
        return True


class Touching(Protocol):
    """Whatever knows what is near the cables."""

    def begin(self, c: Contacts) -> None:
        """A solve begins with these contacts: of the places that are watched only those that press still are."""
        ...

    def near(self, points: list[Array], bodies: list[Body]) -> Contacts:
        """Contacts of cables whose points are there, with their gaps; forces not filled in."""
        ...

    doubled: bool
    """Whether places that stay are wanted as well where others run along the cable."""

    @property
    def sight(self) -> float:
        """m: gaps between cables up to this are seen, and to parts beyond it."""
        ...

    @property
    def reach(self) -> float:
        """m: a point with no contact near may move by this without passing a part unseen."""
        ...

    def passing(self, before: list[Array], after: list[Array]) -> float:
        """The part of a straight way, 0 … 1, at which cables first pass through each other; above 1 if not at all."""
        ...

    def pin(self, points: list[Array], depth: float) -> bool:
        """Cables that overlap by more than `depth` (m) between places that touch are to touch there too, from now on.

        False where they do not.
        """
        ...

    def dips(self, points: list[Array], bodies: list[Body], depth: float, where_held: float) -> list[Dip]:
        """Where cables are in parts by more than `depth` (m); near what holds them, than `where_held`."""
        ...

    def watch(self, found: list[Dip]) -> None:
        """Contacts are looked for there as well from now on."""
        ...

    def room(self, points: list[Array], bodies: list[Body], most: float) -> list[Array]:
        """Per cable (points,) m: how far each point may surely move, if that is more; no more than `most`."""
        ...


@dataclass(slots=True)
class Settled:
    """How the solve of a system ended."""

    status: int  # as newton.Outcome
    iterations: int
    residual: float  # relative to max(EI/L², wL, loads)
    closure: float  # relative to L
    penetration: float  # m, the deepest
    unstable: int  # Morse index
    shifted: int  # steps that needed a shift
    escapes: int  # saddles left


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


class System:
    """Cables, and the bodies they sit on, solved together."""

    def __init__(self, solvers: list[RodSolver], touching: Touching, free: list[Body] | None = None) -> None:
        self.links = [Link(k) for k in solvers]
        self.touching = touching
        self.bodies = free or []
        self.contacts = Contacts.none()
        self._seen = self.contacts  # all there are, where `contacts` has only those that take part in a step
        self._stride = 0.0  # m: how far the last step moved anything
        scales = [k.scales for k in self.links]
        self.length = max(k.length for k in scales)
        self.force = max(k.force for k in scales)
        self.soft = min(k.soft for k in scales)
        self.block = max(k.block for k in scales)
        self.penalty = max(k.penalty for k in scales)
        self.stiffness = max(push_stiffness(k) for k in self.links)
        self.hardness = HARDNESS * self.stiffness
        self._seats: list[list[tuple[int, Seat]]] = [[] for _ in self.links]
        for b, body in enumerate(self.bodies):
            for seat in body.seats:
                self._seats[seat.link].append((b, seat))
        self.bristle = friction.BRISTLE * self.stiffness
        self.rule: Rule = global_rule
        self.caution = 0.0  # of friction.stiffness
        self._bolder = BOLDER

    # ---- to equilibrium ------------------------------------------------------------------------------------------

    def settle(self, most_iterations: int, tolerance: float, depth: float, close: bool = True) -> Settled:
        """Moves frames, forces and bodies to an equilibrium in which nothing is deeper than `depth` (m).

        `close`: nor between the places at which cables touch.
        """
        outcome = self._settled(most_iterations, tolerance, depth, close)
        self.contacts = self._seen
        return outcome

    def _settled(self, most_iterations: int, tolerance: float, depth: float, close: bool) -> Settled:
        self.caution, self._bolder = 1.0, BOLDER
        shift_memory = 0.0
        shifted = escapes = index = in_a_row = pressed = pulled = pinned = looks = 0
        for link in self.links:
            link.aim()
            link.x = link.locate(link.q, link.nu)
        self.touching.begin(self.contacts)
        stalls = Stalls(self.length)
        self._stride = FIRST_REACHED / REACHED * self.touching.sight
        self._look()
        for iteration in range(most_iterations + 1):
            self.contacts = self._seen
            self.evaluate()
            residual, closure, rest = self._errors()
            penetration, apart = self._contact_errors()
            done = (iteration, residual, closure, penetration)
            if not (residual < 1e300 and closure < 1e300):
                return Settled(newton.NOT_FINITE, *done, index, shifted, escapes)
            there = rest <= tolerance and closure <= tolerance and penetration <= depth and apart <= depth
            there = there and self._stretch_settled(depth)
            self._choose(depth)
            columns = self._columns()
            self._stretch(columns)
            columns, crowd = self._filled(columns)
            shift = max(newton.NEARLY_NEUTRAL * self.soft, newton.ROUNDING * self.block)
            present, Z, right = self._reduce(columns, shift)
            slope = self._slope(Z, crowd) if there and present <= 0 else None
            index = max(present, 0) if slope is None else slope.number
            if there and close and self.touching.pin([k.x for k in self.links], depth):
                if pinned == MOST_PINS:
                    break
                pinned += 1
                self._look()
                continue
            if there and (index == 0 or escapes >= MOST_ESCAPES):
                missed = self.touching.dips([k.x for k in self.links], self.bodies, depth, np.inf)
                if not missed:
                    return Settled(newton.CONVERGED, *done, index, shifted, escapes)
                if looks == MOST_LOOKS or iteration == most_iterations:
                    break
                looks += 1
                self.touching.watch(missed)
                self._look()
                continue
            pressed = pressed + 1 if self.blocked() else 0
            pulled = pulled + 1 if self.taut() is not None else 0
            if iteration == most_iterations or pressed > LONGEST_PRESS or pulled > LONGEST_PULL:
                break
            error = max(rest / tolerance, closure / tolerance, penetration / depth, apart / depth)
            if stalls.count(error, [k.x for k in self.links], [k.position for k in self.bodies]):
                if stalls.number > MOST_STALLS:
                    break
                self.touching.doubled = stalls.number % 2 == 1
                self._look()
                continue
            u = self._changes(columns, Z, right, crowd) if present <= 0 else None
            while u is None and shift < 1e6 * self.block:
                shift = max(SHIFT_GROWTH * shift, FIRST_SHIFT * self.soft, shift_memory / SHIFT_GROWTH**2)
                present, Z, right = self._reduce(columns, shift)
                u = self._changes(columns, Z, right, crowd) if present <= 0 else None
            if u is None:
                return Settled(newton.NO_DESCENT, *done, index, shifted, escapes)
            if shift > FIRST_SHIFT * self.soft:
                shift_memory = shift
                shifted += 1
                in_a_row += 1
            else:
                in_a_row = 0
            if there or (in_a_row >= newton.PATIENCE and escapes < MOST_ESCAPES):  # symmetry may hide the way down
                escapes += 1
                in_a_row = 0
                self._leave_saddle(columns, Z, slope or self._slope(Z, crowd))
            else:
                self._advance(self._step(columns, u))
        return Settled(newton.OUT_OF_ITERATIONS, *done, index, shifted, escapes)

    def _stretch_settled(self, depth: float) -> bool:
        """Whether the points are where the present forces stretch the cables to.

        To put them there would be too much where they rub: what sticks is stiffer than the cable is along itself.
        """
        drift = 0.0
        for link in self.links:
            if link.solver.line.is_extensible:
                drift = max(drift, float(np.abs(link.locate(link.q, link.nu) - link.x).max()))
        return drift <= STRETCHED * depth

    def blocked(self) -> bool:
        """Whether something is pressed that cannot give way: a support holds it inside what it touches."""
        weight = max((float(np.linalg.norm(body.weight)) for body in self.bodies), default=0.0)
        return float(self.contacts.force.max(initial=0.0)) > BLOCKED * max(self.force, weight)

    def taut(self) -> int | None:
        """The number of the link that is pulled as nothing in equilibrium is: what it leads to is too far away."""
        pulls = [float(np.abs(k.nu).max(initial=0.0)) for k in self.links]
        worst = int(np.argmax(pulls))
        return worst if pulls[worst] > TAUT * self.force else None

    def _look(self) -> None:
        """Finds the contacts where the cables are; forces carry over from those of before."""
        self._seen = self.touching.near([k.x for k in self.links], self.bodies)
        self._seen.inherit(self.contacts)
        self.contacts = self._seen

    def _choose(self, depth: float) -> None:
        """Leaves cables aside that are too far from each other to touch after the next step."""
        c = self._seen
        between = c.other != NO_LINK
        if np.count_nonzero(between) > CROWD:
            far = between & (c.force == 0.0) & (c.gap > max(REACHED * self._stride, depth))
            self.contacts = c.where(~far)

    # ---- one state -----------------------------------------------------------------------------------------------

    def evaluate(self) -> None:
        """Gradients and Hessians of every link under the forces of its contacts."""
        c = self.contacts
        if c.rubs:
            c.drag[:] = friction.drag(c, places(c, [k.x for k in self.links]), self.bristle)
        loads = self._loads()
        for number, link in enumerate(self.links):
            link.evaluate(loads.on(number, np.arange(len(c))))

    def _loads(self) -> Places:
        c = self.contacts
        return springs.loads(c, c.force[:, None] * c.normal + c.drag)

    def _errors(self) -> tuple[float, float, float]:
        """Residual and closure, relative; and the residual relative to the forces that act, on each cable its own."""
        residual = closure = rest = 0.0
        acting = self.force
        for link, push in zip(self.links, self._pushes(), strict=True):
            off = float(np.abs(link.work.gradient).max())
            own = max(link.scales.force, push, float(np.abs(link.nu).max(initial=0.0)))
            rest = max(rest, off / (own * link.scales.length))
            residual = max(residual, off / self.length)
            if link.runs:
                closure = max(closure, float(np.abs(link.work.closure[: link.runs]).max()))
            acting = max(acting, own)
        for body in self.bodies:
            wrench = self.unbalanced(body)
            off = max(float(np.abs(wrench[:3]).max()), float(np.abs(wrench[3:]).max()) / self.length)
            residual, rest = max(residual, STRICT * off), max(rest, STRICT * off / acting)
        return residual / self.force, closure / self.length, rest

    def _pushes(self) -> Array:
        """(links,) N: the largest contact force on each."""
        c = self.contacts
        found = np.zeros(len(self.links) + 1)  # the last: no cable
        np.maximum.at(found, c.link, c.force)
        np.maximum.at(found, c.other, c.force)
        return found[:-1]

    def _contact_errors(self) -> tuple[float, float]:
        """The deepest penetration, and the widest gap across which a force acts, m."""
        c = self.contacts
        if not len(c):
            return 0.0, 0.0
        return max(0.0, -float(c.gap.min())), float(c.gap[c.force > 0.0].max(initial=0.0))

    def unbalanced(self, body: Body) -> Array:
        """(6,) force (N) and moment about its origin (N m) on a body: zero at equilibrium."""
        R = bodies.matrix(body.quaternion)
        arm = R @ body.centre
        force, moment = body.weight.copy(), np.cross(arm, body.weight)
        for seat in body.seats:
            link = self.links[seat.link]
            pull = -self._reaction(seat)
            force += pull
            moment += np.cross(R @ seat.offset, pull)
            if seat.turn is not None:
                site = link.site_of(seat.support)
                gradient, _, _, _ = border.held_frame(link.chain, link.q, site)
                moment -= bodies.matrix(link.q[site]) @ gradient
        c = self.contacts
        for k in rigid.on(c.part, body):
            push = -c.force[k] * c.normal[k] - c.drag[k]
            force += push
            moment += np.cross(c.point[k] - body.position, push)
        for k in rigid.on(c.feeler, body):
            push = c.force[k] * c.normal[k]
            force += push
            moment += np.cross(c.point[k] - body.position, push)
        return np.concatenate([force, moment])

    def _reaction(self, seat: Seat) -> Array:
        """(3,) N: what a body exerts on a cable that sits on it; contacts that push the seat itself push the body."""
        link = self.links[seat.link]
        if not len(self.contacts):
            return link.reaction(seat.support)
        support = link.solver.supports[seat.support]
        pushed = self.pushed(seat.link)[link.solver.grid.support_at[seat.support]]
        return np.asarray(link.reaction(seat.support) - pushed * np.array(support.holds))

    def pushed(self, number: int) -> Array:
        """(points, 3) N: what the contacts exert at the points of a link."""
        terms = self._loads().on(number, np.arange(len(self.contacts)))
        found = np.zeros((self.links[number].points, 3))
        np.add.at(found, terms.segment, (1.0 - terms.t)[:, None] * terms.direction)
        np.add.at(found, terms.segment + 1, terms.t[:, None] * terms.direction)
        return found

    # ---- the linear system ---------------------------------------------------------------------------------------

    def _columns(self) -> Columns:
        c = self.contacts
        weak = WEAK * self.stiffness
        if not c.rubs:
            return springs.columns(c, None, self.hardness, weak)
        at = places(c, [k.x for k in self.links])
        rubbing = friction.stiffness(c, at, self.bristle, self.caution)
        columns = springs.columns(c, rubbing, self.hardness, weak)
        return springs.with_slips(columns, c, *friction.slipping(c, at, self.bristle))

    def _stretch(self, columns: Columns) -> None:
        """Gaps and springs were seen from points that do not yet follow the present forces: by how much they are off.

        What rubs is stiffer than the cable is along itself; without this its forces would swing ever farther.
        """
        k = columns.places
        for number, link in enumerate(self.links):
            if len(self.contacts) and link.solver.line.is_extensible:
                late = link.locate(link.q, link.nu) - link.x
                mine = np.flatnonzero(k.link == number)
                s, t = k.segment[mine], k.t[mine, None]
                moved = np.einsum("pk,pk->p", k.direction[mine], (1.0 - t) * late[s] + t * late[s + 1])
                np.add.at(columns.error, k.column[mine], moved)

    def _filled(self, columns: Columns) -> tuple[Columns, Crowd | None]:
        """The columns of the border, with the links filled; where they would be many, springs are kept apart."""
        many = len(columns.give) - columns.contacts > MOST_SPRINGS
        plain = not (self.bodies or self.contacts.rubs or any(k.solver.line.is_extensible for k in self.links))
        if not (many and plain):
            self._fill(columns)
            return columns, None
        self._fill(columns.normals)
        return columns.normals, Crowd(self.links, columns)

    def _slope(self, Z: Array, crowd: Crowd | None) -> Slope | None:
        """Where springs are kept apart: the directions in which they let the energy fall."""
        if crowd is None:
            return None
        crowd.hold(Z, self.contacts.force > 0.0)
        return crowd.slope()

    def _fill(self, columns: Columns) -> None:
        duals = len(columns.give)
        for number, link in enumerate(self.links):
            mine, place = springs.numbers_on(columns.places, number, duals, link.own)
            wide, frames = [mine], []
            column = link.own + len(mine)
            for b, seat in self._seats[number]:
                if seat.turn is None:
                    continue
                site = link.site_of(seat.support)
                turn = bodies.matrix(link.q[site]).T
                _, _, before, after = border.held_frame(link.chain, link.q, site)
                if site > 0:
                    frames.append((column, site - 1, before @ turn))
                if site + 1 < len(link.q):
                    frames.append((column, site + 1, after @ turn))
                wide.append(duals + 6 * b + 3 + np.arange(3))
                column += 3
            link.fill(np.concatenate(wide), columns.places.on(number, place), frames)

    def _reduce(self, columns: Columns, shift: float) -> tuple[int, Array, Array]:
        """The Morse index, and the border matrix with its right side: frames and runs eliminated link by link."""
        duals = len(columns.give)
        size = duals + 6 * len(self.bodies)
        Z = np.zeros((size, size))
        right = np.zeros(size)
        Z[np.arange(duals), np.arange(duals)] = -columns.give
        right[:duals] = -columns.error
        self._couple_bodies(columns, Z, right, duals)
        self._hold_back(Z, right, duals, shift)
        index = 0
        for link, T in zip(self.links, self._run_couplings(duals), strict=True):
            index += link.reduce(shift)
            index += link.condense(T, Z, right) - link.runs
        acting = self._acting(columns, size)
        index += dense.negatives(Z[np.ix_(acting, acting)]) - int(np.count_nonzero(acting[: columns.contacts]))
        return index - columns.stiff, Z, right

    def _acting(self, columns: Columns, size: int) -> NDArray[np.bool_]:
        """(size,) which unknowns of the border there are, where contacts without force stay without."""
        acting = np.ones(size, dtype=bool)
        acting[: columns.contacts] = self.contacts.force > 0.0
        acting[columns.firm : len(columns.give)] = False
        return acting

    def _run_couplings(self, duals: int) -> list[list[tuple[int, Indices, Array]]]:
        """Per link: (run, columns of a body, what its motion does to the closure of the run)."""
        found: list[list[tuple[int, Indices, Array]]] = [[] for _ in self.links]
        for b, body in enumerate(self.bodies):
            own = duals + 6 * b + np.arange(6)
            R = bodies.matrix(body.quaternion)
            for seat in body.seats:
                for j, (axis, first, last) in enumerate(self.links[seat.link].solver.runs):
                    sense = (first == seat.support) * 1.0 - (last == seat.support) * 1.0
                    if sense != 0.0:
                        found[seat.link].append((j, own, motion(sense * np.eye(3)[axis], R @ seat.offset)))
        return found

    def _couple_bodies(self, columns: Columns, Z: Array, right: Array, duals: int) -> None:
        """T, B and r: what the motion of bodies does to gaps, their own stiffness, what pulls on them."""
        c = self.contacts
        for b, body in enumerate(self.bodies):
            own = duals + 6 * b + np.arange(6)
            R = bodies.matrix(body.quaternion)
            right[own] = self.unbalanced(body)
            B = -bodies.lever(R @ body.centre, body.weight)
            for seat in body.seats:
                link = self.links[seat.link]
                arm = R @ seat.offset
                B += bodies.lever(arm, self._reaction(seat))
                if seat.turn is not None:
                    site = link.site_of(seat.support)
                    F = bodies.matrix(link.q[site])
                    B += F @ border.held_frame(link.chain, link.q, site)[1] @ F.T
                for k in np.flatnonzero(columns.places.link == seat.link):
                    at = link.anchor_support[columns.places.segment[k]]
                    moved = columns.places.direction[k] * (at == seat.support)
                    couple(Z, int(columns.places.column[k]), own, motion(moved, arm))
            for k in rigid.on(c.part, body):
                couple(Z, int(k), own, motion(-c.normal[k], c.point[k] - body.position))
            for j in np.flatnonzero(np.isin(columns.slips, rigid.on(c.part, body))):
                arm = c.point[columns.slips[j]] - body.position
                couple(Z, int(columns.firm + j), own, motion(-columns.way[j], arm))
            for k in rigid.on(c.feeler, body):
                couple(Z, int(k), own, motion(c.normal[k], c.point[k] - body.position))
            Z[np.ix_(own[3:], own[3:])] += B
        self._bend_gaps(Z, duals)

    def _bend_gaps(self, Z: Array, duals: int) -> None:
        """B: second derivatives of the gaps between parts [docs/theory/contact.md (12)]."""
        c = self.contacts
        feels, touched = rigid.sides(c, self.bodies)
        for k in rigid.between_parts(c):
            if c.force[k] <= 0.0:
                continue
            moving = [(int(b), 6 * side) for side, b in enumerate((feels[k], touched[k])) if b >= 0]
            origins = [self.bodies[b].position if b >= 0 else c.point[k] for b in (feels[k], touched[k])]
            G = -c.force[k] * rigid.bent(rigid.felt(c, int(k)), *origins)
            own = np.concatenate([duals + 6 * b + np.arange(6) for b, _ in moving])
            at = np.concatenate([first + np.arange(6) for _, first in moving])
            Z[np.ix_(own, own)] += G[np.ix_(at, at)]

    def _hold_back(self, Z: Array, right: Array, duals: int, shift: float) -> None:
        """Stiffens bodies that may touch: shifted as the frames are, and damped by what is out of balance."""
        turn = shift * self.links[0].points
        firm = FIRM * self.hardness
        for b, body in enumerate(self.bodies):
            if not body.touches:
                continue
            own = duals + 6 * b + np.arange(6)
            pull, twist = (float(np.linalg.norm(part)) for part in (right[own[:3]], right[own[3:]]))
            Z[own[:3], own[:3]] += turn / self.length**2 + firm + pull / (BODY_STEP * body.reach)
            Z[own[3:], own[3:]] += turn + firm * body.size**2 + twist / BODY_TURN

    def _changes(self, columns: Columns, Z: Array, right: Array, crowd: Crowd | None = None) -> Array | None:
        """u = (−dμ, dp) with contact forces that push and gaps that do not close; None where there are none.

        With the rest eliminated, the gaps after the step are w = Q λ₊ − b, Q = −(what is left of Z).
        """
        if crowd is not None:
            return self._changes_in_crowd(columns, Z, right, crowd)
        if len(columns.slips):
            return self._changes_with_slip(columns, Z, right)
        contact, rest = slice(0, columns.contacts), slice(columns.contacts, None)
        force = self.contacts.force
        try:
            side = np.asarray(
                np.linalg.solve(Z[rest, rest], np.column_stack([Z[rest, contact], right[rest]])), dtype=np.float64
            )
        except np.linalg.LinAlgError:
            return None
        Q = Z[contact, rest] @ side[:, :-1] - Z[contact, contact]
        b = Q @ force + right[contact] - Z[contact, rest] @ side[:, -1]
        standing = any(body.touches for body in self.bodies)
        soft, hold = MERIT_HARDNESS * self.stiffness, HOLD * self.hardness
        return self.rule(Problem(Z, right, force, self.contacts.gap, side, Q, b, soft, hold, standing))

    def _changes_with_slip(self, columns: Columns, Z: Array, right: Array) -> Array | None:
        """The same where friction follows the contact forces: df = μ dλ along the way of what slips.

        That makes Q unsymmetric. Which contacts act is asked of the symmetric one, with the difference as known from
        the forces that the set before gives, until the set stays [docs/theory/contact.md §6].
        """
        count = columns.contacts
        kept = np.concatenate([np.arange(columns.firm), np.arange(len(columns.give), len(Z))])
        slid = Z[:, columns.firm : len(columns.give)] * columns.share  # what a unit of λ does by its friction
        W = Z[np.ix_(kept, kept)]
        W[:, columns.slips] += slid[kept]
        force, side = self.contacts.force, right[kept]
        symmetric = Z[np.ix_(kept, kept)]
        try:
            found = np.linalg.solve(
                W[count:, count:], np.column_stack([symmetric[count:, :count], W[count:, :count], side[count:]])
            )
        except np.linalg.LinAlgError:
            return None
        Q = W[:count, count:] @ found[:, :count] - symmetric[:count, :count]
        P = W[:count, count:] @ found[:, count : 2 * count] - W[:count, :count]
        b = P @ force + side[:count] - W[:count, count:] @ found[:, -1]
        acts = (force > 0.0) | (self.contacts.gap < 0.0)
        aimed = force
        give = np.zeros(count)
        for _ in range(MOST_SETS):
            chosen = contact_forces(Q, b + (Q - P) @ aimed, force > 0.0, acts, HOLD * self.hardness)
            if chosen is None or (chosen[1].any() and not any(body.touches for body in self.bodies)):
                return None
            before, (acts, give) = acts, chosen
            aimed = np.zeros(count)
            aimed[acts] = np.maximum(np.linalg.solve(P[np.ix_(acts, acts)], b[acts]), 0.0)
            if (acts == before).all():
                break
        u = np.zeros(len(Z))
        u[kept] = border_step(W, side, force, acts, give)
        u[columns.firm : len(columns.give)] = columns.share * u[columns.slips]
        return u

    def _changes_in_crowd(self, columns: Columns, Z: Array, right: Array, crowd: Crowd) -> Array | None:
        """The same with springs kept apart: the contacts that act without them first, then what they change of that."""
        force = self.contacts.force
        found = nonnegative(-Z, right - Z @ force, (force > 0.0) | (self.contacts.gap < 0.0))
        if found is None:
            return None
        acts = found > 0.0
        noise = 1e-12 * float(np.abs(right).max())
        for _ in range(MOST_SETS):
            crowd.hold(Z, acts)
            step = crowd.step(Z, columns.error, force)
            if step is None:
                return None
            u, gaps = step
            wrong = np.where(acts, u > force, gaps < -noise)
            if not wrong.any():
                break
            acts = acts ^ wrong
        return np.minimum(u, force)  # what would still pull does not

    # ---- one step ------------------------------------------------------------------------------------------------

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
        aimed = replace(c, force=c.force + step.pushes)
        start = self._trial(step, 0.0, aimed, aimed if step.loads is None else None)
        noise = 1e-12 * (abs(start.value) + self.force * self.length)
        length = min(1.0, LARGEST_TURN / step.largest) if step.largest > 0.0 else 1.0
        halvings = 0
        most = RUBBING_HALVINGS if c.rubs else MOST_HALVINGS
        whole = length
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
            else:
                length *= 0.5
                halvings += 1
        if length <= SHORTEST_STEP and self._meeting(trial) <= 1.0:
            return  # rather not at all
        self._mind(halvings)
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
        acting = max([self.force, *(float(np.abs(f).max(initial=0.0)) for f in forces)])
        penalty = max(self.penalty, 10.0 * acting / self.length)
        for number, (link, q, nu) in enumerate(zip(self.links, frames, forces, strict=True)):
            if self.bodies:
                link.aim()
            part, square, x = link.potential(q, nu, self._stretching(number, step))
            value += part + 0.5 * penalty * square
            points.append(x)
        contacts = known
        if contacts is None:
            moved = [Body(k.name, p, q, carries=k.carries) for k, (p, q) in zip(self.bodies, poses, strict=True)]
            contacts = self.touching.near(points, moved)
            contacts.inherit(aimed)
        soft = MERIT_HARDNESS * self.stiffness
        pressed = np.maximum(contacts.force - soft * contacts.gap, 0.0)
        value += float(np.sum(pressed**2 - contacts.force**2)) / (2.0 * soft)
        if aimed.rubs:  # of the places that rub now: others would count ways they have not gone
            at = places(aimed, points) + rigid.shifts(aimed, self.bodies, poses)
            value += friction.energy(aimed, at, self.bristle)
        return Trial(value, frames, points, poses, contacts)

    def _stretching(self, number: int, step: Step) -> Terms | None:
        """The contact forces after a step, on a link that they stretch: else what rubs would follow late."""
        if step.loads is None or not len(self.contacts) or not self.links[number].solver.line.is_extensible:
            return None
        both = Places(*(np.concatenate(pair) for pair in zip(self._loads(), step.loads, strict=True)))
        return both.on(number, np.zeros(int(both.column.max(initial=-1)) + 1, dtype=np.int64))

    def _clear(self, trial: Trial) -> float:
        """The part of the way to a trial on which surely nothing is passed, nor a turn lost; 1 or more: all of it."""
        if any(newton.tears(k.q, q) for k, q in zip(self.links, trial.frames, strict=True)):
            return 0.5
        points = trial.points
        part = np.inf
        ways = [np.sqrt(((x - k.x) ** 2).sum(axis=1)) for k, x in zip(self.links, points, strict=True)]
        farthest = max(float(way.max()) for way in ways)
        reach = self.touching.reach
        if ADVANCE * reach < farthest < np.inf:
            rooms = self.touching.room([k.x for k in self.links], self.bodies, farthest / ADVANCE)
            for way, room in zip(ways, rooms, strict=True):
                part = min(part, float((ADVANCE * np.maximum(room, reach) / np.maximum(way, 1e-300)).min()))
        part = min(part, ADVANCE / max(rigid.farthest(self.bodies, trial.poses), 1e-300))
        meet = self._meeting(trial)
        if meet <= 1.0:
            part = min(part, ADVANCE * meet)
        c = self._seen
        if not len(c):
            return part
        moved = places(c, [x - k.x for k, x in zip(self.links, points, strict=True)])
        moved += rigid.shifts(c, self.bodies, trial.poses)
        nearing = -np.einsum("ck,ck->c", c.normal, moved)
        hits = (nearing > 0.0) & (c.distance > 0.0)
        return min(part, float((ADVANCE * c.distance[hits] / nearing[hits]).min(initial=np.inf)))

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


def push_stiffness(link: Link) -> float:
    """Roughly what a segment resists a push at a point with, N/m."""
    bending = float((link.chain.stiffness[:, :2].max(axis=1) / link.chain.arc**3).max())
    return bending + link.scales.force / float(link.chain.h.min())


def motion(direction: Array, arm: Array) -> Array:
    """(6,) how a place at `arm` from a body's origin moves along `direction` with the body."""
    return np.concatenate([direction, np.cross(arm, direction)])


def couple(Z: Array, row: int, own: Indices, T: Array) -> None:
    Z[row, own] += T
    Z[own, row] += T
