"""Cables, the bodies they sit on, and what they touch: one state, and how far it is from equilibrium."""

import numpy as np
from numpy.typing import NDArray

from lissom.rods import bodies, border, dense, friction, rigid, springs
from lissom.rods.bodies import Body, Seat
from lissom.rods.contacts import NO_LINK, Contacts, largest_pushes, places, worst_gaps
from lissom.rods.link import Link
from lissom.rods.rules import Rule, global_rule
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
# What is out of balance at a body counts so many times: forces there may be smaller than those in the cables.
STRICT = 10.0
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
        self.penalty = max(k.penalty for k in scales)
        self.stiffness = max(push_stiffness(k) for k in self.links)
        self.hardness = HARDNESS * self.stiffness
        self._seats: list[list[tuple[int, Seat]]] = [[] for _ in self.links]
        for b, body in enumerate(self.bodies):
            for seat in body.seats:
                self._seats[seat.link].append((b, seat))
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
        for body in self.bodies:
            wrench = self.unbalanced(body)
            off = max(float(np.abs(wrench[:3]).max()), float(np.abs(wrench[3:]).max()) / self.length)
            residual, rest = max(residual, STRICT * off), max(rest, STRICT * off / acting)
        return residual / self.force, closure / self.length, rest

    def _pushes(self) -> Array:
        """(links,) N: the largest contact force on each."""
        found = np.zeros(len(self.links))
        largest_pushes(self.contacts.rows, found)
        return found

    def _contact_errors(self) -> tuple[float, float]:
        """The deepest penetration, and the widest gap across which a force acts, m."""
        return worst_gaps(self.contacts.rows)

    def unbalanced(self, body: Body) -> Array:
        """(6,) force (N) and moment about its origin (N m) on a body: zero at equilibrium."""
        R = bodies.matrix(body.quaternion)
        arm = R @ body.centre
        force, moment = body.weight.copy(), bodies.cross(arm, body.weight)
        for seat in body.seats:
            link = self.links[seat.link]
            pull = -self._reaction(seat)
            force += pull
            moment += bodies.cross(R @ seat.offset, pull)
            if seat.turn is not None:
                site = link.site_of(seat.support)
                gradient, _, _, _ = border.held_frame(link.chain, link.q, site)
                moment -= bodies.matrix(link.q[site]) @ gradient
        c = self.contacts
        k, feels = rigid.on(c.part, body), rigid.on(c.feeler, body)
        pushes = np.concatenate([-c.force[k, None] * c.normal[k] - c.drag[k], c.force[feels, None] * c.normal[feels]])
        arms = c.point[np.concatenate([k, feels])] - body.position
        return np.concatenate([force + pushes.sum(axis=0), moment + bodies.cross(arms, pushes).sum(axis=0)])

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
        terms = springs.loads_on(self.contacts.rows, number)
        found = np.zeros((self.links[number].points, 3))
        np.add.at(found, terms.segment, (1.0 - terms.t)[:, None] * terms.direction)
        np.add.at(found, terms.segment + 1, terms.t[:, None] * terms.direction)
        return found


def push_stiffness(link: Link) -> float:
    """Roughly what a segment resists a push at a point with, N/m."""
    bending = float((link.chain.stiffness[:, :2].max(axis=1) / link.chain.arc**3).max())
    return bending + link.scales.force / float(link.chain.h.min())
