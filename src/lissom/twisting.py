"""Twist by continuation: from the answer for twist 0 to the twist that is asked for, among all that is there.

A lone cable winds up its twist by itself (`rods/starting.py`). Where cables slide through supports, touch, or hang
together, the answer for twist 0 is one of all of them: it is found first, then the clamps are turned in steps, each
of them a warm solve [docs/theory/rods.md §6].
"""

from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from lissom.rods.guess import unwound
from lissom.rods.judge.winding import Since
from lissom.rods.line import FRAME, Support
from lissom.rods.solver import RodSolver
from lissom.rods.starting import LARGEST_WIND

Array = NDArray[np.float64]

# The shortest step, as a part of the longest; and how many of the longest may be tried beyond those it takes.
SHORTEST = 1.0 / 8.0
SPARE = 8


def twist(supports: tuple[Support, ...]) -> float:
    """rad: how far the clamps of a cable are turned against each other at most."""
    turns = [0.0, *(k.turn for k in supports if k.direction == FRAME)]
    return max(turns) - min(turns)


def part_turned(support: Support, part: float) -> Support:
    """A clamp with a part of its twist."""
    if support.direction != FRAME or support.turn == 0.0 or part == 1.0:
        return support
    return support._replace(quaternion=unwound(support, part), turn=part * support.turn)


class Solved(Protocol):
    """What a solve reports."""

    @property
    def status(self) -> str: ...

    @property
    def iterations(self) -> int: ...


class Winding:
    """Cables on their way from twist 0."""

    def __init__(self, solvers: Mapping[str, RodSolver]) -> None:
        """Their clamps are untwisted from now on."""
        self._solvers = solvers
        self._goals = {name: solver.supports for name, solver in solvers.items()}
        self._origins: dict[str, Since] = {}
        self._ways: dict[str, list[Array]] = {}
        for name, solver in solvers.items():
            solver.aim_at(tuple(part_turned(k, 0.0) for k in self._goals[name]))

    def begin(self) -> None:
        """What is solved now is the answer for twist 0."""
        for name, solver in self._solvers.items():
            self._origins[name] = solver.at_twist_0()
            self._ways[name] = solver.way = []

    def wind(self, solve: Callable[[], bool]) -> bool:
        """Turns the clamps in steps; `solve` goes to the equilibrium there, or leaves everything as it was: False."""
        longest = min(1.0, LARGEST_WIND / max(twist(k) for k in self._goals.values()))
        done, step = 0.0, longest
        for _ in range(round(1.0 / longest) + SPARE):
            goal = min(1.0, done + step)
            self._turn(goal)
            if solve():
                self._note()
                done, step = goal, min(1.5 * step, longest)
                if done == 1.0:
                    return True
            else:
                self._turn(done)
                step *= 0.5
                if step < SHORTEST * longest:
                    return False
        return False

    def leave(self) -> None:
        """The clamps are twisted as asked for; how the cables get there is not known."""
        for name, solver in self._solvers.items():
            places = zip(self._goals[name], solver.supports, strict=True)
            solver.aim_at(tuple(goal._replace(place=now.place) for goal, now in places))

    def close(self) -> None:
        """Turns are counted from the answer for twist 0, along the steps where nothing was begun anew on the way."""
        for name, solver in self._solvers.items():
            if name in self._origins:
                known = solver.way is self._ways[name]
                solver.is_anew, solver.origin = True, self._origins[name]._replace(known=known)

    def _turn(self, part: float) -> None:
        for name, solver in self._solvers.items():
            for number, goal in enumerate(self._goals[name]):
                if goal.direction == FRAME and goal.turn != 0.0:
                    solver.move_support(number, None, part_turned(goal, part).quaternion)

    def _note(self) -> None:
        for name, solver in self._solvers.items():
            if solver.way is self._ways[name]:
                solver.way.append(solver.positions())


R = TypeVar("R", bound=Solved)


def wound(twisted: Mapping[str, RodSolver], solve: Callable[[bool], R], cold: bool) -> tuple[R, int]:
    """The report of the last of some solves (cold or not) that wind up cables from twist 0, and iterations in all.

    Where that leads nowhere each cable is wound up alone and then put among the others; the judge counts turns from
    the answer for twist 0 all the same.
    """
    winding = Winding(twisted)
    report = solve(cold)
    iterations = report.iterations

    def step() -> bool:
        nonlocal report, iterations
        report = solve(False)
        iterations += report.iterations
        return is_shape(report)

    if is_shape(report):
        winding.begin()
    if not is_shape(report) or not winding.wind(step):
        winding.leave()
        report = solve(True)
        iterations += report.iterations
    winding.close()
    return report, iterations


def is_shape(report: Solved) -> bool:
    return report.status in ("converged", "unstable")
