"""One cable as a member of a system: its staggered chain, its columns, and from where its positions are counted."""

import numpy as np
from numpy.typing import NDArray

from lissom.rods import blocks, border, dense, shape
from lissom.rods.border import Anchored, Terms
from lissom.rods.chain import POLISHED, STAGGERED, Work, turn_frames, workspace
from lissom.rods.guess import carry
from lissom.rods.line import FRAME, NO_DIRECTION, Support
from lissom.rods.outcome import RodState
from lissom.rods.solver import RodSolver

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class Link:
    """Frames q and run forces ν of one cable; columns for its runs first, then for what acts on its positions."""

    def __init__(self, solver: RodSolver) -> None:
        assert solver.solved is not None
        self.solver = solver
        self.base = solver.staggered.force
        self.chain = solver.staggered._replace(force=self.base.copy(), target=solver.staggered.target.copy())
        self._loaded = self.base.copy()  # the known internal force under the loads last evaluated
        self.scales = solver.scales(STAGGERED)
        self.runs = len(self.chain.target)
        self.own = len(self.chain.first)  # runs, and three per moment load
        self._tiny = 1e-15 * self.scales.block
        self.site = np.flatnonzero(self.chain.segment_of >= 0)
        self.points = len(self.chain.h) + 1
        self.anchor, self.anchor_support = self._anchors()
        self.held = np.array([k.position for k in solver.solved.supports])  # (supports, 3) m
        self.aim()
        self.q, self.nu = staggered_frames(solver, solver.solved), solver.solved.nu.copy()
        self.relative = np.zeros((self.points, 3))  # points, the first at the origin
        self.x = np.zeros((self.points, 3))  # m, world
        self._room = 0
        self.work: Work = workspace(self.chain)
        self.width = self.own
        self._first = self.chain.first
        self._closure = np.zeros(self.own)
        self.columns: Indices = np.zeros(0, dtype=np.int64)  # which of the system's columns are its own, in order
        self.total = np.sum(solver.grid.weight * solver.grid.h[:, None], axis=0)  # (3,) N: weight and loads
        for load in solver.line.loads:
            self.total = self.total + load.force

    def _anchors(self) -> tuple[Indices, Indices]:
        """Per point and axis, the held point from which its position is counted, and the number of its support."""
        anchor = np.zeros((self.points, 3), dtype=np.int64)
        support = np.zeros((self.points, 3), dtype=np.int64)
        for axis in range(3):
            holding = [k for k, s in enumerate(self.solver.supports) if s.holds[axis]]
            at = np.array([self.solver.grid.support_at[k] for k in holding])
            last = np.maximum(np.searchsorted(at, np.arange(self.points), side="right") - 1, 0)
            anchor[:, axis] = at[last]
            support[:, axis] = np.array(holding)[last]
        return anchor, support

    def hold(self, number: int, support: Support) -> None:
        """Moves a support: its position, and the frame or tangent it holds."""
        self.held[number] = support.position
        if support.direction == NO_DIRECTION or self.solver.line.is_rope:
            return
        site = self.site_of(number)
        held = np.array(support.quaternion)
        if support.direction != FRAME:
            t = support.tangent
            held = np.array(carry(tuple(self.q[site]), (t[0], t[1], t[2])))
        self.q[site] = held if held @ self.q[site] >= 0.0 else -held

    def state(self, supports: tuple[Support, ...], pushed: Array) -> RodState:
        """What the solver may go on from; `pushed` is what contacts exert at the points."""
        carried = self.chain.force.copy()
        return RodState(STAGGERED, self.q.copy(), self.nu.copy(), self.solver.grid.s, supports, carried, pushed)

    def aim(self) -> None:
        """The runs have to span what is between the supports."""
        for j, (axis, a, b) in enumerate(self.solver.runs):
            self.chain.target[j] = self.held[b, axis] - self.held[a, axis]

    def site_of(self, support: int) -> int:
        """The frame that a support holds."""
        return int(np.flatnonzero(self.solver.point_of == self.solver.grid.support_at[support])[0])

    def evaluate(self, loads: Terms) -> None:
        """Gradient, Hessian and closure under the loads."""
        border.evaluate(self.chain, self.work, self.q, self.nu, self.base, self.anchor, loads)
        self._loaded[:] = self.chain.force

    @property
    def _anchored(self) -> Anchored:
        return Anchored(self.anchor, self.anchor_support, self.held)

    def locate(self, q: Array, nu: Array) -> Array:
        """The points for these frames, under the loads last evaluated."""
        return border.located(self.chain, q, nu, self._anchored, self.relative)

    def potential(self, q: Array, nu: Array, loads: Terms | None) -> tuple[float, float, Array]:
        """(ℒ without contacts, |closure error|², points) for these frames and run forces.

        `loads` stretch the cable; those last evaluated, if there are none. Their work on the points is counted with the
        contacts: all of what they stretch, of which half is energy. Weight and loads act on the anchor too: it may sit
        on a body that moves.
        """
        stretched = self._loaded
        if loads is not None:
            stretched = np.empty_like(self.base)
            border.carried_force(self.base, self.anchor, loads, stretched)
        value, x = border.potential(
            self.chain, q, nu, self.base, stretched, self._anchored, self.relative, self._closure
        )
        if loads is not None:
            along = np.diff(self.relative, axis=0)
            pulled = np.einsum("sk,sk->s", stretched - self.base, along) / np.linalg.norm(along, axis=1)
            value -= 0.5 * float(np.sum(self.chain.compliance * self.chain.h * pulled**2))
            self.chain.force[:] = self._loaded
        error = self._closure[: self.runs]
        a, b, c = self.anchor_support[0]
        anchor = np.array([self.held[a, 0], self.held[b, 1], self.held[c, 2]])
        return value - float(self.total @ anchor), float(error @ error), x

    def reaction(self, support: int) -> Array:
        """(3,) N: what the support exerts on the cable, from the internal force on both sides of it."""
        at = self.solver.grid.support_at[support]
        chain, weight, h = self.chain, self.solver.grid.weight, self.chain.h
        n = chain.force.copy()
        inside = chain.run >= 0
        n[inside] += self.nu[chain.run[inside]]
        force = np.zeros(3)
        if at < len(h):
            force -= n[at] + 0.5 * weight[at] * h[at]
        if at > 0:
            force += n[at - 1] - 0.5 * weight[at - 1] * h[at - 1]
        for load, where in zip(self.solver.line.loads, self.solver.grid.load_at, strict=True):
            if where == at:
                force -= load.force
        return np.asarray(force * np.array(self.solver.supports[support].holds))

    def turned(self, step: Array, length: float) -> Array:
        out = np.empty_like(self.q)
        turn_frames(self.q, step, length, out)
        return out

    def fill(self, columns: Indices, terms: Terms, frames: list[tuple[int, int, Array]]) -> None:
        """Takes in the system's `columns` that act on it; terms.column counts from `own` on, in that order.

        `frames`: (column, frame, (3, k) block) of columns that act on frames, not on places.
        """
        self.columns = columns
        self.width = self.own + len(columns)
        if len(columns) > self._room:
            self._room = 2 * len(columns)
            old = self.work
            self.work = workspace(self.chain._replace(first=np.zeros(self.own + self._room, dtype=np.int64)))
            self.work.diagonal[:], self.work.upper[:], self.work.gradient[:] = old.diagonal, old.upper, old.gradient
            self.work.columns[:, : self.own] = old.columns[:, : self.own]
            self.work.border[: self.own, : self.own] = old.border[: self.own, : self.own]
            self.work.closure[: self.own] = old.closure[: self.own]
        first = np.full(self.width, self.points, dtype=np.int64)
        first[: self.own] = self.chain.first
        border.first_frames(self.site, self.anchor, terms, first)
        for column, frame, block in frames:
            for k in range(block.shape[1]):
                first[column + k] = min(first[column + k], frame)
        self._first = first
        border.fill_columns(self.chain, self.work, self.q, self.nu, self.site, self.anchor, terms)
        for column, frame, block in frames:
            self.work.columns[frame, column : column + block.shape[1]] += block.T

    def reduce(self, shift: float) -> int:
        """Eliminates the frames; what is left over the columns is in `schur`. Returns n₋ of their block."""
        negative: int = border.reduce(self.chain, self.work, self._first, self.width, shift, self._tiny)
        return negative

    def condense(self, couplings: list[tuple[int, Indices, Array]], Z: Array, right: Array) -> int:
        """Eliminates the runs as well; adds what is left to the system's border. Returns n₋ of the runs' block.

        `couplings`: (run, columns of the border, what they do to the closure of the run).
        """
        columns = self.columns
        if couplings:
            columns = np.unique(np.concatenate([columns, *(own for _, own, _ in couplings)]))
        at = np.searchsorted(columns, self.columns) if couplings else np.arange(len(columns))
        across = np.zeros((self.runs, len(columns)))
        for j, own, T in couplings:
            across[j, np.searchsorted(columns, own)] += T
        block = np.empty((self.runs, self.runs))
        border.condense(self.work, self.own, self.width, self.columns, at, across, block, Z, right)
        self._across, self._border_columns = across, columns
        inverse = dense.solved(block, np.eye(self.runs))
        if inverse is None:
            raise np.linalg.LinAlgError("runs without stiffness")
        self._run_inverse = inverse
        self._run_sides()
        border.without_runs(Z, right, columns, across, inverse, self._run_right)
        return dense.negatives(block, np.ones(self.runs, dtype=bool))

    def _run_sides(self) -> None:
        closure = self.work.closure[: self.runs] + self.work.schur[: self.runs, self.width]
        self._run_right = -self._run_inverse @ closure

    def substitute(self, right: Array) -> None:
        """Subtracts from `right` what a new −gradient and −closure give, with the factors at hand."""
        work = self.work
        work.columns[:, self.width] = -work.gradient
        blocks.new_right_side(
            len(self.q), self.width, self._first, work.inverse, work.ratio, work.columns, work.solved, work.schur
        )
        np.subtract.at(right, self.columns, work.schur[self.own : self.width, self.width])
        self._run_sides()
        if self.runs:
            right[self._border_columns] -= self._across.T @ self._run_right

    def step(self, u: Array) -> tuple[Array, Array]:
        """(dφ (frames, 3), dν (runs,)) that go with the border's solution u = (−dμ, dp)."""
        weights = np.zeros(self.width)
        weights[: self.runs] = -(self._run_right - self._run_inverse @ (self._across @ u[self._border_columns]))
        weights[self.own :] = -u[self.columns]
        blocks.back_substitute(
            len(self.q), self.width, self._first, weights, self.work.ratio, self.work.solved, self.work.step
        )
        return self.work.step.copy(), weights[: self.runs].copy()


def staggered_frames(solver: RodSolver, state: RodState) -> Array:
    """The frames of a state on the staggered chain."""
    if state.scheme != POLISHED:
        return state.q.copy()
    q = np.zeros((len(solver.point_of), 4))
    shape.frames_on_segments(state.q, solver.point_of, solver.staggered, q)
    return q
