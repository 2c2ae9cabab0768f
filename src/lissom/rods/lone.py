"""A cable that can touch nothing but itself: solved alone while it does not."""

import numpy as np
from numpy.typing import NDArray

from lissom.rods import guess, starting
from lissom.rods.outcome import RodReport, RodState
from lissom.rods.pairing import Pairing
from lissom.rods.solver import RodSolver
from lissom.rods.surroundings import Skin

Array = NDArray[np.float64]

# A cable whose twist changes by more than this (turns) in one solve has made a loop or lost one: the way there matters.
SNAPPED = 0.5


class Lone:
    """Watches over the solves of one cable."""

    def __init__(self, solver: RodSolver, skin: Skin) -> None:
        self.solver = solver
        self._skin = skin
        self._pairing = Pairing([skin])
        self._known: tuple[RodState, Array] | None = None  # the state last solved, and its points

    def solve(self, cold: bool) -> RodReport | None:
        """The report of the cable alone; None, and nothing changed, where it would touch itself or pass through."""
        solver = self.solver
        before, targets = solver.solved, solver.supports
        was = self._guessed() if cold or before is None else self._points(before)
        report = solver.solve(cold)
        if report.status not in ("converged", "unstable") or solver.solved is None:
            return report
        if len(solver.grid.s) != len(self._skin.s):  # a finer grid
            if was is not None:
                was = np.stack([np.interp(solver.grid.s, self._skin.s, column) for column in was.T], axis=1)
            self._skin.follow(solver)
            self._pairing = Pairing([self._skin])
        snapped = not cold and before is not None and abs(turns(solver.solved.q) - turns(before.q)) > SNAPPED
        if not snapped and self._is_free(was, self._points(solver.solved)):
            return report
        if cold or before is None:
            solver.solved = None  # what it holds runs through itself
        else:
            solver.adopt(before)
            solver.supports = targets
        return None

    def _guessed(self) -> Array | None:
        """The points of the shape that the user gave to start from: it says which side of itself the cable is on."""
        solver = self.solver
        if solver.line.initial is None:
            return None
        starting.begin(solver, guess.unwound_poses(solver.supports), starting.starts(solver)[0])
        return solver.positions()

    def _points(self, state: RodState) -> Array:
        if self._known is None or self._known[0] is not state:
            points = self.solver.positions_of(state, state.supports)
            self._known = (state, points)
        return self._known[1]

    def _is_free(self, before: Array | None, after: Array) -> bool:
        """Whether nothing touches, and nothing was passed on the straight way from the points before."""
        if before is not None and self._pairing.passing([before], [after]) <= 1.0:
            return False
        return len(self._pairing.near([after], 0.0)) == 0


def turns(q: Array) -> float:
    """The twist along a chain of frames (frames, 4), in turns: about d3, from each to the next."""
    a, b = q[:-1].T, q[1:].T
    w = (a * b).sum(axis=0)
    z = a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1]
    angle = 2.0 * np.arctan2(z, w)
    return float(np.sum((angle + np.pi) % (2.0 * np.pi) - np.pi)) / (2.0 * np.pi)
