"""Holds on cables, taken and released at run time: what `Simulation.grip` gives.

A grip is a support that is not in the scene; its name numbers it.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lissom.building import Built
from lissom.laying import free_names
from lissom.posing import RotationLike, as_quaternion, from_matrix, vector
from lissom.reports import Report
from lissom.rods.line import NO_DIRECTION, Line, Support
from lissom.rods.outcome import between
from lissom.rods.reading import retwisted
from lissom.rods.result import Wrench
from lissom.rods.solver import RodSolver
from lissom.scene.checks import SAME_PLACE
from lissom.standing import GRIP, is_grip
from lissom.verbs import whole

Array = NDArray[np.float64]


class Grip:
    """A hold on a cable, taken and released at run time."""

    def __init__(self, simulation: Built, cable: str, number: int) -> None:
        self._simulation = simulation
        self.cable = cable
        self.number = number

    @classmethod
    def take(cls, simulation: Built, name: str, at: float, kind: str) -> "Grip":
        """At a fraction of the length, in the present pose; nothing jumps."""
        solver = simulation._cables.solver(name)
        if kind not in ("clamp", "ball", "swivel"):
            raise ValueError(f"grip kind {kind!r}: must be clamp, ball or swivel")
        if not 0.0 <= at <= 1.0:
            raise ValueError(f"grip at = {at}: must lie between 0 and 1 (a fraction of the length)")
        place = at * solver.line.length
        if any(abs(k.place - place) <= SAME_PLACE * solver.line.length for k in solver.line.supports):
            raise ValueError(f"grip at = {at}: {name} is already held there")
        result = simulation._pointed(name, [place])
        numbers = [int(k.name.removeprefix(GRIP)) for k in grips_on(simulation._cables.solver(name))]
        grip = cls(simulation, name, 1 + max(numbers, default=0))
        support = simulation._taken(result, grip.support_name, at, kind)
        line = simulation._cables.solver(name).line
        simulation._rebuild(name, with_supports(replace(line, loads=line.loads[:-1]), [support]))
        simulation.solve()
        return grip

    @property
    def support_name(self) -> str:
        return f"{GRIP}{self.number}"

    @property
    def path(self) -> str:
        """How to address it: "brake hose/grip 1"."""
        return f"{self.cable}/{self.support_name}"

    @property
    def position(self) -> Array:
        """(3,) m."""
        return np.array(self._support.position)

    @property
    def quaternion(self) -> Array:
        """(4,) frame held (w, x, y, z)."""
        return np.array(self._support.quaternion)

    @property
    def _support(self) -> Support:
        """Raises once it is released."""
        cables = self._simulation._cables
        return cables.solver(self.cable).line.supports[cables.support_number(self.cable, self.support_name)]

    @property
    def wrench(self) -> Wrench:
        """What the grip exerts on the cable: force (N) and moment (N m), world axes."""
        _ = self._support
        return self._simulation.cable(self.cable).reactions[self.support_name]

    @whole
    def move(
        self,
        pose: Array | None = None,
        *,
        position: Sequence[float] | Array | None = None,
        quaternion: Sequence[float] | RotationLike | None = None,
        max_step: float | None = None,
    ) -> Report:
        """Moves and solves; with `max_step` (m) in steps no longer than that. Stops at the first failure."""
        where, frame = (None, None) if pose is None else from_matrix(pose)
        if position is not None:
            where = vector(position)
        if quaternion is not None:
            frame = as_quaternion(quaternion)
        held = self._support
        goal = held._replace(position=where or held.position, quaternion=frame or held.quaternion)
        distance = float(np.linalg.norm(np.subtract(goal.position, held.position)))
        if max_step is not None and not max_step > 0.0:
            raise ValueError(f"max_step = {max_step}: must be a length above 0, in m")
        steps = 1 if max_step is None else max(1, math.ceil(distance / max_step))
        report = None
        for k in range(1, steps + 1):
            part = goal if k == steps else between(held, goal, k / steps)
            turn = None if held.direction == NO_DIRECTION else part.quaternion
            self._simulation.move(self.path, position=part.position, quaternion=turn)
            report = self._simulation.solve()
            if not report.ok:
                break
        assert report is not None
        return report

    @whole
    def release(self) -> None:
        """Lets go; the next solve finds the shape without it."""
        _ = self._support
        line = self._simulation._cables.solver(self.cable).line
        supports = tuple(k for k in line.supports if k.name != self.support_name)
        self._simulation._rebuild(self.cable, replace(line, supports=retwisted(supports)))

    @whole
    def keep(self, kind: str = "clamp") -> str:
        """Leaves a clip where the grip is, and lets go: nothing moves. Gives the path of the clip."""
        simulation, name = self._simulation, self.cable
        result, support = simulation.cable(name), self._support
        clips = simulation.scene.cable(name).clips
        called = next(free_names(clips))
        self.release()
        simulation._clip(name, {called: support.place / result.length}, kind, {k.name for k in clips}, result)
        return f"{name}/{called}"


def grips_on(solver: RodSolver) -> list[Support]:
    return [k for k in solver.supports if is_grip(k)]


def with_grips_of(line: Line, old: RodSolver | None) -> Line:
    """The line with the grips that the cable had, each at its fraction of the length."""
    if old is None:
        return line
    ratio = line.length / old.line.length
    return with_supports(line, [k._replace(place=ratio * k.place) for k in grips_on(old)])


def with_supports(line: Line, more: Sequence[Support]) -> Line:
    return replace(line, supports=tuple(sorted((*line.supports, *more), key=lambda k: k.place))) if more else line
