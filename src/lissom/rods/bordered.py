"""The linear system of one Newton step: chains eliminated, what couples them in one dense border.  [system.py]"""

import numpy as np
from numpy.typing import NDArray

from lissom.rods import bodies, dense, friction, rigid, springs
from lissom.rods.complementarity import nonnegative
from lissom.rods.contacts import NO_LINK, places
from lissom.rods.crowd import Crowd, Slope
from lissom.rods.gathered import Gathered
from lissom.rods.holding import border_step, contact_forces
from lissom.rods.rules import Problem
from lissom.rods.springs import Columns

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# The spring that holds closed what presses, as a part of ρ,
HOLD = 0.1
# and that of the merit, softer, in units of the stiffness of a segment: on a curved surface a step leaves it at
# second order.
MERIT_HARDNESS = 1.0
# Springs at a contact weaker than this, in the same units, are left out.
WEAK = 1e-9
# More springs of contacts than this are kept out of the border.
MOST_SPRINGS = 100
# A body that nothing holds would go at once wherever it is pulled: damping lets a step move it by about so much of how
# far it looks around it, or turn it by so much (rad).
BODY_STEP = 10.0
BODY_TURN = 5.0
# Damping that is always there, as a part of ρ: what only contacts hold is else lost in rounding.
FIRM = 1e-11
# Sets of contacts that act, tried in one step where friction follows their forces.
MOST_SETS = 12


class Bordered(Gathered):
    """What the unknowns of the border change by."""

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
            for row, b, seat in self._seats[number]:
                if seat.turn is None:
                    continue
                site = link.site_of(seat.support)
                if site > 0:
                    frames.append((column, site - 1, self._at_seats.before[row]))
                if site + 1 < len(link.q):
                    frames.append((column, site + 1, self._at_seats.after[row]))
                wide.append(duals + 6 * b + 3 + np.arange(3))
                column += 3
            link.fill(np.concatenate(wide), columns.places.on(number, place), frames)

    def _reduce(self, columns: Columns, shift: float) -> tuple[int, Array, Array]:
        """The Morse index, and the border matrix with its right side: frames and runs eliminated link by link."""
        duals = len(columns.give)
        size = duals + 6 * len(self.bodies)
        Z = np.zeros((size, size))
        right = np.zeros(size)
        Z.reshape(-1)[: duals * size : size + 1] = -columns.give
        right[:duals] = -columns.error
        if self.bodies:
            self._couple_bodies(columns, Z, right, duals)
            self._hold_back(Z, right, duals, shift)
        index = 0
        for link, T in zip(self.links, self._run_couplings(duals), strict=True):
            index += link.reduce(shift)
            index += link.condense(T, Z, right) - link.runs
        acting = self._acting(columns, size)
        index += dense.negatives(Z, acting) - int(np.count_nonzero(acting[: columns.contacts]))
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
            for seat, moved in zip(body.seats, along_axes(self._arms[b]), strict=True):
                for j, (axis, first, last) in enumerate(self.links[seat.link].solver.runs):
                    sense = (first == seat.support) * 1.0 - (last == seat.support) * 1.0
                    if sense != 0.0:
                        found[seat.link].append((j, own, sense * moved[axis]))
        return found

    def _couple_bodies(self, columns: Columns, Z: Array, right: Array, duals: int) -> None:
        """T, B and r: what the motion of bodies does to gaps, their own stiffness, what pulls on them."""
        c = self.contacts
        for b, body in enumerate(self.bodies):
            own = duals + 6 * b + np.arange(6)
            right[own] = self.unbalanced[b]
            Z[own[3] : own[3] + 3, own[3] : own[3] + 3] += self._levers[b]
            if not len(c):
                continue
            for seat, arm in zip(body.seats, self._arms[b], strict=True):
                mine = np.flatnonzero(columns.places.link == seat.link)
                here = self.links[seat.link].anchor_support[columns.places.segment[mine]] == seat.support  # per axis
                couple(Z, columns.places.column[mine], own, motions(here * columns.places.direction[mine], arm))
            touched, feels = rigid.on(c.part, body), rigid.on(c.feeler, body)
            couple(Z, touched, own, motions(-c.normal[touched], c.point[touched] - body.position))
            couple(Z, feels, own, motions(c.normal[feels], c.point[feels] - body.position))
            slips = np.flatnonzero(np.isin(columns.slips, touched))
            arms = c.point[columns.slips[slips]] - body.position
            couple(Z, columns.firm + slips, own, motions(-columns.way[slips], arms))
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
        """Stiffens bodies: shifted as the frames are, where the shift is more than the least; those that may touch
        always, and damped by what is out of balance; and always against turning what nothing keeps from spinning.
        """
        turn = shift * self.links[0].points
        firm = FIRM * self.hardness
        for b, body in enumerate(self.bodies):
            own = duals + 6 * b + np.arange(6)
            if not body.touches:
                more = max(shift - self.least_shift, 0.0) * self.links[0].points
                Z[own[:3], own[:3]] += more / self.length**2
                Z[own[3:], own[3:]] += more if any(k.turn is not None for k in body.seats) else turn
                continue
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
        side = dense.solved(Z[rest, rest], np.concatenate([Z[rest, contact], right[rest, None]], axis=1))
        if side is None:
            return None
        Q = Z[contact, rest] @ side[:, :-1] - Z[contact, contact]
        b = Q @ force + right[contact] - Z[contact, rest] @ side[:, -1]
        standing = any(body.touches for body in self.bodies)
        soft, hold = MERIT_HARDNESS * self.stiffness, HOLD * self.hardness
        c = self.contacts
        pressed = (force > 0.0) & (c.other != NO_LINK)
        knotted = bool((pressed & (c.link == c.other)).any())  # would slide along itself, and off an end
        lets_go = standing or (self._lets_go and bool(pressed.any()) and not knotted)
        return self.rule(Problem(Z, right, force, c.gap, side, Q, b, soft, hold, standing, lets_go))

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


def motions(directions: Array, arms: Array) -> Array:
    """(n, 6) how places at `arms` (n, 3) from a body's origin move along `directions` (n, 3) with the body."""
    return np.concatenate([directions, bodies.cross(arms, directions)], axis=1)


def along_axes(arms: Array) -> Array:
    """(n, 3, 6) how places at `arms` (n, 3) move along x, y and z with the body."""
    found = np.zeros((len(arms), 3, 6))
    x, y, z = arms.T
    found[:, [0, 1, 2], [0, 1, 2]] = 1.0
    found[:, 0, 4], found[:, 0, 5] = z, -y
    found[:, 1, 3], found[:, 1, 5] = -z, x
    found[:, 2, 3], found[:, 2, 4] = y, -x
    return found


def couple(Z: Array, rows: Indices, own: Indices, T: Array) -> None:
    """Adds T (n, 6) to the columns `own` of some rows, and the same across."""
    if len(rows):
        np.add.at(Z, (rows[:, None], own), T)
        np.add.at(Z, (own[:, None], rows), T.T)
