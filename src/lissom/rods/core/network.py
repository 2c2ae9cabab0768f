"""Cables on the bodies they hang on, as the core sees them: from solvers and bodies to its arrays and back."""

import itertools
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.rods import guess
from lissom.rods.bodies import Body
from lissom.rods.bodies import Seat as BodySeat
from lissom.rods.chain import POLISHED
from lissom.rods.contacts import Contacts
from lissom.rods.core import advance
from lissom.rods.core.among import among_of, contacts_of, stand, take_contacts
from lissom.rods.core.border import exerted_between
from lissom.rods.core.model import Model, Seats, State, Work, new_met, new_pressed, new_work
from lissom.rods.core.places import noted, went_free
from lissom.rods.core.terms import exerted, resolution
from lissom.rods.line import FRAME, NO_DIRECTION, Support
from lissom.rods.outcome import RodReport, RodState
from lissom.rods.result import Sides
from lissom.rods.solver import LARGEST_SEGMENT_TURN, LONGER, RESOLVED, TAUT, RodSolver
from lissom.rods.surroundings import Surroundings

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# Free ends are held where they are by this part of B/L³, on the way to an equilibrium.
ANCHOR = 1e-6
# and held nodes give way by this part of L³/B.
GIVE = 1e-12
# Places of contact for which there is room at first, and scalars that act between cables.
ROOM = 64
COLUMNS = 64


class Branch(NamedTuple):
    """A part of a cable between two places at which it ends or sits on a hub."""

    cable: int
    first: int  # node
    last: int
    at_first: BodySeat | None
    at_last: BodySeat | None
    hub_first: int  # −1: none
    hub_last: int


class Ordered(NamedTuple):
    """A branch as it is swept."""

    branch: Branch
    sense: int


def may_solve(solvers: Sequence[RodSolver], bodies: Sequence[Body]) -> bool:
    """Whether these are cables that the core solves: of fourth order, without slides, and in trees.

    Moments at points that may turn have no energy, and those at ends on bodies turn the bodies; a cable that runs over
    a body on a ball has a hinge in it there.
    """
    on_body = {(seat.link, seat.support) for body in bodies for seat in body.seats}
    for number, solver in enumerate(solvers):
        line = solver.line
        if not solver.may_polish or any(k.slides for k in line.supports):
            return False
        clamps = [k for k, support in enumerate(line.supports) if support.direction == FRAME]
        held = {solver.grid.support_at[k] for k in clamps if (number, k) not in on_body}
        if any(any(load.moment) for load, at in zip(line.loads, solver.grid.load_at, strict=True) if at not in held):
            return False
    for body in bodies:
        for seat in body.seats:
            at = solvers[seat.link].grid.support_at[seat.support]
            if seat.turn is None and 0 < at < len(solvers[seat.link].grid.s) - 1:
                return False
            if not all(solvers[seat.link].supports[seat.support].holds):
                return False
    return in_order(branches(solvers, bodies), len(bodies)) is not None


def branches(solvers: Sequence[RodSolver], bodies: Sequence[Body]) -> list[Branch]:
    """Of all cables, in their order."""
    found: list[Branch] = []
    seats = {(seat.link, seat.support): (hub, seat) for hub, body in enumerate(bodies) for seat in body.seats}
    for cable, solver in enumerate(solvers):
        cuts: dict[int, tuple[int, BodySeat | None]] = {0: (-1, None), len(solver.grid.s) - 1: (-1, None)}
        for number, at in enumerate(solver.grid.support_at):
            if (cable, number) in seats:
                cuts[at] = seats[cable, number]
        for a, b in itertools.pairwise(sorted(cuts)):
            (hub_a, seat_a), (hub_b, seat_b) = cuts[a], cuts[b]
            found.append(Branch(cable, a, b, seat_a, seat_b, hub_a, hub_b))
    return found


def in_order(all_branches: Sequence[Branch], hubs: int) -> list[Ordered] | None:
    """Branches from the leaves to the roots of their trees; None where they close loops."""
    at_hub: list[list[int]] = [[] for _ in range(hubs)]
    done: list[Ordered] = []
    for k, branch in enumerate(all_branches):
        if branch.hub_first < 0 and branch.hub_last < 0:
            done.append(Ordered(branch, 1))
        for hub in {branch.hub_first, branch.hub_last} - {-1}:
            at_hub[hub].append(k)
        if branch.hub_first == branch.hub_last >= 0:
            return None
    seen: set[int] = set()
    used: set[int] = set()
    for root in range(hubs):
        if root in seen or not at_hub[root]:
            continue
        seen.add(root)
        order, leading = [root], {root: -1}
        for hub in order:
            for k in at_hub[hub]:
                branch = all_branches[k]
                other = branch.hub_last if branch.hub_first == hub else branch.hub_first
                if k in used or other < 0:
                    continue
                if other in seen:
                    return None
                used.add(k)
                seen.add(other)
                leading[other] = k
                order.append(other)
        for hub in reversed(order):
            for k in at_hub[hub]:
                branch = all_branches[k]
                if branch.hub_first < 0 or branch.hub_last < 0:
                    done.append(Ordered(branch, 1 if branch.hub_last == hub else -1))
            if leading[hub] >= 0:
                branch = all_branches[leading[hub]]
                done.append(Ordered(branch, 1 if branch.hub_first == hub else -1))
    return done


class Network:
    """Some cables with the bodies they hang on; keeps its arrays from one solve to the next."""

    def __init__(
        self,
        solvers: Sequence[RodSolver],
        bodies: Sequence[Body],
        surroundings: Surroundings | None = None,
        depth: float = 0.0,
    ) -> None:
        """`depth`: so deep (m) cables may be in what they touch."""
        self.solvers = list(solvers)
        self.bodies = list(bodies)
        self._surroundings, self._depth = surroundings, depth
        self._on_body = {(seat.link, seat.support) for body in self.bodies for seat in body.seats}
        counts = [len(k.grid.s) for k in self.solvers]
        self._first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        order = in_order(branches(solvers, bodies), len(bodies))
        assert order is not None
        self.model = self._model(order)
        nodes, hubs = int(self._first[-1]), len(self.bodies)
        self.state = State(
            np.zeros((nodes, 4)), np.zeros((nodes, 3)), np.zeros((nodes, 3)), np.zeros((hubs, 3)), np.zeros((hubs, 4)),
            new_pressed(ROOM), new_met(ROOM),
        )  # fmt: skip
        self.work: Work = new_work(self.model, ROOM, COLUMNS)
        self._taken = self.state.q.copy()

    def _model(self, order: list[Ordered]) -> Model:
        nodes = int(self._first[-1])
        h, load, holds, turns = np.zeros(nodes), np.zeros((nodes, 3)), np.zeros((nodes, 3)), np.ones((nodes, 3))
        stiffness, rest, slope, weight = (np.zeros((nodes, 3)) for _ in range(4))
        stiffness[:] = 1.0
        for cable, solver in enumerate(self.solvers):
            grid, a = solver.grid, int(self._first[cable])
            segments, points = slice(a, a + len(grid.h)), slice(a, a + len(grid.s))
            h[segments], stiffness[segments], rest[segments] = grid.h, grid.stiffness, grid.rest
            slope[segments], weight[segments] = grid.slope, grid.weight
            halves = 0.5 * grid.h[:, None] * grid.weight
            load[points][:-1] += halves
            load[points][1:] += halves
            for point, at in zip(solver.line.loads, grid.load_at, strict=True):
                load[a + at] += point.force
            for number, (support, at) in enumerate(zip(solver.supports, grid.support_at, strict=True)):
                if (cable, number) not in self._on_body:
                    holds[a + at] = support.holds
                    turns[a + at] = solver.polished.mask[at]
        lines = [k.line for k in self.solvers]
        length = max(k.length for k in lines)
        scales = [k.scales(POLISHED) for k in self.solvers]
        weights = np.array([body.weight for body in self.bodies]).reshape(-1, 3)
        heaviest = float(np.linalg.norm(weights, axis=1).max(initial=0.0))
        force = max(max(k.force for k in scales), heaviest)
        stiff = max(k.bending for k in lines)
        ends = [seats_of(order, side) for side in (0, 1)]
        rows = [k.branch.last - k.branch.first + 1 for k in order]
        arrivals = np.bincount(ends[1].hub[ends[1].hub >= 0], minlength=len(self.bodies)).astype(np.int64)
        leads_on = np.bincount(ends[0].hub[ends[0].hub >= 0], minlength=len(self.bodies))
        starts = np.concatenate([[0], np.cumsum(rows)[:-1]]).astype(np.int64)
        row, ahead = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
        for (branch, sense), start in zip(order, starts, strict=True):
            first, count = int(self._first[branch.cable]) + branch.first, branch.last - branch.first
            along = np.arange(count)
            row[first : first + count] = start + (along if sense > 0 else along[::-1])
            ahead[first : first + count] = sense > 0
        trees, branch_tree, hub_tree = trees_of(order, len(self.bodies))
        branch_of = np.zeros(nodes, dtype=np.int64)
        for k, (branch, _) in enumerate(order):
            first = int(self._first[branch.cable])
            branch_of[first + branch.first : first + branch.last] = k
        return Model(
            h, stiffness, rest, slope, weight, load, holds, turns,
            first=np.array([self._first[k.branch.cable] + k.branch.first for k in order], dtype=np.int64),
            last=np.array([self._first[k.branch.cable] + k.branch.last for k in order], dtype=np.int64),
            sense=np.array([float(k.sense) for k in order]),
            row=starts,
            start=ends[0],
            end=ends[1],
            hub_weight=weights,
            hub_centre=np.array([body.centre for body in self.bodies]).reshape(-1, 3),
            arrivals=arrivals,
            root=((leads_on == 0) & (arrivals > 0)).astype(np.int64),
            tree=trees,
            hub_tree=hub_tree,
            branch_tree=branch_tree,
            branch_of=branch_of,
            force=force,
            length=length,
            soft=min(k.soft for k in scales),
            block=max(k.block for k in scales),
            among=among_of(self.solvers, self._surroundings, self._first, row, ahead, self._depth),
            anchor=ANCHOR * stiff / length**3,
            give=GIVE * length**3 / (stiff + force * length**2),
            yielding=float(h.max()) ** 3 / stiff,
        )  # fmt: skip

    # ---- from solvers and bodies, and back -----------------------------------------------------------------------

    def take(self, points: Sequence[Array], touched: Contacts | None = None) -> None:
        """The shapes that the solvers hold, with these points (points, 3) m each and what pressed; bodies and parts
        where they are. The next solve must meet nothing on the way from here.
        """
        state = self.state
        for hub, body in enumerate(self.bodies):
            state.y[hub], state.p[hub] = body.position, body.quaternion
        for cable, solver in enumerate(self.solvers):
            a, b = int(self._first[cable]), int(self._first[cable + 1])
            if solver.scheme == POLISHED:
                state.q[a:b] = solver.q
                state.n[a : b - 1] = solver.loaded.force
                for j, (axis, one, other) in enumerate(solver.runs):
                    run = slice(a + solver.grid.support_at[one], a + solver.grid.support_at[other])
                    state.n[run, axis] += solver.nu[j]
            else:
                sides = Sides.of(solver)
                state.q[a:b] = sides.frames
                state.n[a : b - 1] = 0.5 * (sides.force_after[:-1] + sides.force_before[1:])
            state.x[a:b] = points[cable]
        self._taken = state.q.copy()
        state.pressed.total[0] = state.met.total[0] = 0
        if self._surroundings is not None:
            self.stand([(k.rotation, k.position) for k in self._surroundings.obstacles])
        if touched is not None:
            while len(touched) > len(self.state.pressed.pair):
                self._make_room()
            take_contacts(touched, self.model.among, self.state.pressed, self.state.met)
        noted(self.state, self.work, self.model.among.things)

    def stand(self, poses: Sequence[tuple[Array, Array]]) -> None:
        """The parts: rotations (3, 3) and positions."""
        stand(self.model.among, poses)

    def hold(self, supports: Sequence[Sequence[Support]]) -> None:
        """Nodes that supports hold are where these are; and the frames or tangents that they hold."""
        model, state = self.model, self.state
        for cable, solver in enumerate(self.solvers):
            a = int(self._first[cable])
            for number, (support, at) in enumerate(zip(supports[cable], solver.grid.support_at, strict=True)):
                held = model.holds[a + at] == 1.0
                state.x[a + at, held] = np.array(support.position)[held]
                if support.direction == NO_DIRECTION or (cable, number) in self._on_body:
                    continue
                frame = np.array(support.quaternion)
                if support.direction != FRAME:
                    t = support.tangent
                    frame = np.array(guess.carry(tuple(state.q[a + at]), (t[0], t[1], t[2])))
                state.q[a + at] = frame if frame @ state.q[a + at] >= 0.0 else -frame
        advance.seat(model, state)

    def solve(self, tolerance: float, most: int) -> advance.Outcome:
        """Goes on with more room for places of contact where that is too small."""
        outcome = advance.advance(self.model, self.state, self.work, tolerance, most)
        while outcome.status in (advance.NO_ROOM, advance.NO_COLUMNS):
            if outcome.status == advance.NO_ROOM:
                self._make_room()
            else:
                self._renew(len(self.state.pressed.pair), 2 * len(self.work.columns.give))
            outcome = advance.advance(self.model, self.state, self.work, tolerance, most)
        return outcome

    def _make_room(self) -> None:
        room = 2 * len(self.state.pressed.pair)
        pressed, met = new_pressed(room), new_met(room)
        for new, old in ((pressed, self.state.pressed), (met, self.state.met)):
            for values, before in zip(new, old, strict=True):
                values[: len(before)] = before
        self.state = self.state._replace(pressed=pressed, met=met)
        self._renew(room, len(self.work.columns.give))

    def _renew(self, room: int, columns: int) -> None:
        work = self.work
        self.work = new_work(self.model, room, columns)._replace(before_q=work.before_q, before_x=work.before_x)

    def went_free(self) -> bool:
        """Whether nothing was met on the way; the next begins here."""
        free = bool(went_free(self.model, self.state, self.work))
        noted(self.state, self.work, self.model.among.things)
        return free

    def is_resolved(self) -> bool:
        """Whether the grid resolves the boundary layers, and no segment is pulled longer than it is."""
        coarse, turn, longer = resolution(self.model, self.state)
        return coarse < RESOLVED and turn < LARGEST_SEGMENT_TURN and (coarse <= TAUT or longer <= LONGER)

    def clear(self) -> float:
        """m around all cables in which there is nothing; 0 where something presses."""
        p, meets, among = self.work.places, self.work.meets, self.model.among
        count = int(p.total[0])
        if (p.force[:count] > 0.0).any() or (meets.force[: meets.total[0]] > 0.0).any():
            return 0.0
        gaps = p.distance[:count] - among.cables.radius[among.cable[p.pair[:count]]]
        return max(float(min(gaps.min(initial=np.inf), (among.cables.sight - among.cables.radius).min())), 0.0)

    def contacts(self) -> Contacts:
        """What presses."""
        p = self.work.places
        pressing = int((p.force[: p.total[0]] > 0.0).sum())
        self._kicks, self._pushed = np.zeros((len(self.state.x), 4, 3)), np.zeros_like(self.state.x)
        meets = self.work.meets
        where = np.zeros((pressing, 3))
        between = np.zeros((int((meets.force[: meets.total[0]] > 0.0).sum()), 2, 3))
        exerted(self.model, self.state, self.work, self._kicks, self._pushed, where)
        exerted_between(self.model, self.state, self.work, self._kicks, self._pushed, between)
        return contacts_of(self.model.among, self.state, self.work, where, between)

    def points(self) -> list[Array]:
        """(points, 3) m of each cable."""
        return [self.state.x[a:b].copy() for a, b in itertools.pairwise(self._first)]

    def frames(self, cable: int) -> tuple[Array, Array]:
        """(points, 4) each: those that were taken, and now."""
        own = slice(self._first[cable], self._first[cable + 1])
        return self._taken[own], self.state.q[own]

    def poses(self) -> dict[str, tuple[Array, Array]]:
        """Where the bodies are, by name."""
        pairs = zip(self.bodies, self.state.y, self.state.p, strict=True)
        return {body.name: (y.copy(), p / np.linalg.norm(p)) for body, y, p in pairs}

    def report(self, cable: int, outcome: advance.Outcome, began: float) -> RodReport:
        """Of a cable in what was found."""
        length = self.solvers[cable].line.length
        return RodReport(
            status="converged",
            reason="",
            iterations=outcome.iterations,
            residual=max(outcome.force, outcome.moment / self.model.length) / self.model.force,
            length_error=outcome.closure / length,
            stable=outcome.falling == 0,
            index=outcome.falling,
            neutral=0,
            element="polished",
            methods=("core",),
            warnings=(),
            others=(),
            shortfall=0.0,
            seconds=time.perf_counter() - began,
            penetration=outcome.deep,
        )

    def rod_state(self, cable: int, pressed: bool) -> RodState:
        """What the solver of a cable may go on from; `pressed`: as `contacts` found it."""
        solver = self.solvers[cable]
        a, b = int(self._first[cable]), int(self._first[cable + 1])
        nu = np.zeros(len(solver.runs))
        carried = self.state.n[a : b - 1].copy()
        for j, (axis, one, other) in enumerate(solver.runs):
            s = solver.grid.support_at[one]
            nu[j] = self.state.n[a + s, axis] - solver.polished.force[s, axis]
            carried[s : solver.grid.support_at[other], axis] -= nu[j]
        state = RodState(POLISHED, self.state.q[a:b].copy(), nu, solver.grid.s, solver.supports)
        if not pressed:
            return state
        return replace(state, carried=carried, pushed=self._pushed[a:b], kicks=self._kicks[a : b - 1])


def trees_of(order: Sequence[Ordered], hubs: int) -> tuple[Indices, Indices, Indices]:
    """(the first branch of each tree, and one beyond the last; the tree of each branch; that of each hub)."""
    touched = [{k.branch.hub_first, k.branch.hub_last} - {-1} for k in order]
    final = {hub: k for k, own in enumerate(touched) for hub in own}  # the last branch at each
    begins, branch_tree, hub_tree = [0], np.zeros(len(order), dtype=np.int64), np.full(hubs, -1, dtype=np.int64)
    ends = -1
    for k, own in enumerate(touched):
        branch_tree[k] = len(begins) - 1
        hub_tree[list(own)] = branch_tree[k]
        ends = max([ends, k, *(final[hub] for hub in own)])
        if ends == k:
            begins.append(k + 1)
    return np.array(begins, dtype=np.int64), branch_tree, hub_tree


def seats_of(order: Sequence[Ordered], side: int) -> Seats:
    """Of the starts (0) or ends (1) of branches as they are swept."""
    count = len(order)
    hub, direction = np.full(count, -1, dtype=np.int64), np.zeros(count, dtype=np.int64)
    offset, turn, loaded = np.zeros((count, 3)), np.zeros((count, 4)), np.ones(count)
    turn[:, 0] = 1.0
    for k, (branch, sense) in enumerate(order):
        at_first = (side == 0) == (sense > 0)
        seat = branch.at_first if at_first else branch.at_last
        if seat is None:
            continue
        hub[k] = branch.hub_first if at_first else branch.hub_last
        offset[k] = seat.offset
        if seat.turn is not None:
            direction[k], turn[k] = FRAME, seat.turn
        if at_first and branch.first > 0:
            loaded[k] = 0.0  # it counts for the branch before
    return Seats(hub, direction, offset, turn, loaded)
