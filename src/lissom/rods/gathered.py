"""Cables, the bodies they sit on, and what they touch: one state, and how far it is from equilibrium."""

import numpy as np
from numpy.typing import NDArray

from lissom.rods import bodies, dense, friction, newton, rigid, springs
from lissom.rods.bodies import Body, Seat
from lissom.rods.contacts import NO_LINK, Contacts, largest_pushes, places, worst_gaps
from lissom.rods.link import Link
from lissom.rods.rules import Rule, global_rule
from lissom.rods.seated import Seats, gather, new_at_seats
from lissom.rods.solver import RodSolver
from lissom.rods.touching import Touching

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# ρ in units of the stiffness of a segment against a push.
HARDNESS = 1e4
# Of more contacts than this only those take part in a step that may close in it: nearer than so many times as far as
# the step before moved anything.
CROWD = 64
REACHED = 2.0
# Contact forces beyond this, in units of max(EI/L², wL, loads), mean that something cannot give way.
BLOCKED = 1e4
# What is out of balance at a body is judged by what acts on it; that counts as no less than this part of what acts
# anywhere.
LEAST_ACTING = 1e-3
# Forces along cables beyond this, in the same units: they are too short, and pulled taut.
TAUT = 1e6


class Gathered:
    """Cables, and the bodies they sit on, with the forces between them."""

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
        self.least_shift = max(newton.NEARLY_NEUTRAL * self.soft, newton.ROUNDING * self.block)  # of frames, N m
        self.penalty = max(k.penalty for k in scales)
        self.stiffness = max(push_stiffness(k) for k in self.links)
        self.hardness = HARDNESS * self.stiffness
        every = [(b, seat) for b, body in enumerate(self.bodies) for seat in body.seats]
        self._at_seats = new_at_seats(len(every))  # in this order
        self._seats = [[(row, *k) for row, k in enumerate(every) if k[1].link == i] for i in range(len(self.links))]
        self._seat_rows = [seat_rows(k) for k in self._seats]
        self._first_seat = np.cumsum([0, *(len(body.seats) for body in self.bodies)])
        self._offsets = [np.array([k.offset for k in body.seats]).reshape(-1, 3) for body in self.bodies]
        self._arms = list(self._offsets)  # per body: (seats, 3) m, from its origin to where they are now
        self.unbalanced = np.zeros((len(self.bodies), 6))  # force (N) and moment about the origin (N m) on each
        self._acting_on = np.zeros((len(self.bodies), 2))  # the largest force and moment of those
        self._levers = np.zeros((len(self.bodies), 3, 3))  # how the moment changes as the body turns, N m
        self.bristle = friction.BRISTLE * self.stiffness
        self.rule: Rule = global_rule
        self.caution = 0.0  # of friction.stiffness; and what the next step divides it by
        self._bolder = 1.0
        self._lets_go = True  # whether a step may let go of contacts that are held closed [holding.py]
        self._cuts = 0  # steps in a row that were cut to where what slips comes to rest

    def blocked(self) -> bool:
        """Whether something is pressed that cannot give way: a support holds it inside what it touches."""
        weight = max((float(np.linalg.norm(body.weight)) for body in self.bodies), default=0.0)
        return dense.largest(self.contacts.force[None]) > BLOCKED * max(self.force, weight)

    def taut(self) -> int | None:
        """The number of the link that is pulled as nothing in equilibrium is: what it leads to is too far away."""
        pulls = [dense.largest(k.nu[None]) for k in self.links]
        worst = max(range(len(pulls)), key=pulls.__getitem__)
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

    def evaluate(self) -> None:
        """Gradients and Hessians of every link under the forces of its contacts."""
        c = self.contacts
        if c.rubs:
            c.drag[:] = friction.drag(c, places(c, [k.x for k in self.links]), self.bristle)
        for number, link in enumerate(self.links):
            link.evaluate(springs.loads_on(c.rows, number))
            if self._seats[number]:
                self._feel(number)
        for b, body in enumerate(self.bodies):
            self._weigh(b, body)

    def _errors(self) -> tuple[float, float, float]:
        """Residual and closure, relative; and the residual relative to the forces that act, on each cable its own."""
        residual = closure = rest = 0.0
        acting = self.force
        for link, push in zip(self.links, self._pushes(), strict=True):
            off = dense.largest(link.work.gradient)
            own = max(link.scales.force, push, dense.largest(link.nu[None]))
            rest = max(rest, off / (own * link.scales.length))
            residual = max(residual, off / self.length)
            if link.runs:
                closure = max(closure, dense.largest(link.work.closure[None, : link.runs]))
            acting = max(acting, own)
        for wrench, (force, moment) in zip(self.unbalanced, self._acting_on, strict=True):
            off, turn = dense.largest(wrench[None, :3]), dense.largest(wrench[None, 3:])
            residual = max(residual, off, turn / self.length)
            least = LEAST_ACTING * acting
            rest = max(rest, off / max(force, least), turn / max(moment, least * self.length))
        return residual / self.force, closure / self.length, rest

    def _pushes(self) -> Array:
        """(links,) N: the largest contact force on each."""
        found = np.zeros(len(self.links))
        largest_pushes(self.contacts.rows, found)
        return found

    def _contact_errors(self) -> tuple[float, float]:
        """The deepest penetration, and the widest gap across which a force acts, m."""
        return worst_gaps(self.contacts.rows)

    def _feel(self, number: int) -> None:
        """What a link exerts on the bodies it sits on; contacts that push a seat itself push the body."""
        link, seats = self.links[number], self._seat_rows[number]
        link.feel(seats, self._at_seats)
        if len(self.contacts):
            pushed = self.pushed(number)[link.supports.point[seats.support]]
            self._at_seats.force[seats.row] -= pushed * link.supports.holds[seats.support]

    def _weigh(self, b: int, body: Body) -> None:
        """All that acts on a body: zero at equilibrium."""
        R = bodies.matrix(body.quaternion)
        arm = R @ body.centre
        self._arms[b] = self._offsets[b] @ R.T
        self._levers[b] = -bodies.lever(arm, body.weight)
        seats = gather(self._at_seats, self._first_seat[b], self._arms[b], self._levers[b])
        weight = np.concatenate([body.weight, bodies.cross(arm, body.weight)])[None]
        acting = np.concatenate([seats, weight, self._pushes_on(body)])
        self.unbalanced[b] = acting.sum(axis=0)
        self._acting_on[b] = dense.largest(acting[:, :3]), dense.largest(acting[:, 3:])

    def _pushes_on(self, body: Body) -> Array:
        """(n, 6) N, N m: of contacts on a body."""
        c = self.contacts
        k, feels = rigid.on(c.part, body), rigid.on(c.feeler, body)
        pushes = np.concatenate([-c.force[k, None] * c.normal[k] - c.drag[k], c.force[feels, None] * c.normal[feels]])
        arms = c.point[np.concatenate([k, feels])] - body.position
        return np.concatenate([pushes, bodies.cross(arms, pushes)], axis=1)

    def pushed(self, number: int) -> Array:
        """(points, 3) N: what the contacts exert at the points of a link."""
        terms = springs.loads_on(self.contacts.rows, number)
        found = np.zeros((self.links[number].points, 3))
        np.add.at(found, terms.segment, (1.0 - terms.t)[:, None] * terms.direction)
        np.add.at(found, terms.segment + 1, terms.t[:, None] * terms.direction)
        return found


def push_stiffness(link: Link) -> float:
    """Roughly what a segment resists a push at a point with, N/m."""
    bending = float((link.chain.stiffness[:, :2].max(axis=1) / link.chain.arc**3).max())
    return bending + link.scales.force / float(link.chain.h.min())


def seat_rows(seats: list[tuple[int, int, Seat]]) -> Seats:
    """Of one link: the row, the body and the seat of each."""
    numbers = [(row, seat.support, seat.turn is not None) for row, _, seat in seats]
    row, support, turns = np.array(numbers, dtype=np.int64).reshape(-1, 3).T.copy()
    return Seats(row, support, turns)
