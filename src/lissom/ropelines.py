"""Ropes of a machine as lines to draw; the slack spans of a rope that resists bending lie as a rod does.

That is for the eye: in the machine a slack span pulls at nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom.machines.drawing import catenary, rope_line
from lissom.machines.machine import Machine
from lissom.machines.ropes import rolls
from lissom.rods.line import NO_DIRECTION, TANGENT, Line, Piece, Support
from lissom.rods.solver import RodSolver
from lissom.scene.frames import frame_quaternion

Array = NDArray[np.float64]

SEGMENTS = 24
LEAST_SLACK = 1e-6
"""Of the way: a span with less is drawn straight."""


class RopeLines:
    """Keeps the rod of each slack span, from which the next one starts."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._rods: dict[int, RodSolver] = {}

    def line(self, name: str) -> Array:
        """(n, 3) points along a rope as it is now, m; (0, 3) where it is broken."""
        stiffness = self.machine.scene.rope(name).stiffness
        if stiffness is None or stiffness.bending is None:
            return rope_line(self.machine, name)
        bending, mass = stiffness.bending, self.machine.scene.rope(name).mass_per_length or 0.0
        return rope_line(self.machine, name, lambda i: self._bent(i, bending, mass))

    def _bent(self, i: int, bending: float, mass: float) -> Array:
        """The span that leaves link i: along the rim where it rolls, at any angle where it is held."""
        links = self.machine._parts.links
        p, q, length = links.start[i], links.end[i], float(links.rest[i])
        way = float(np.linalg.norm(q - p))
        if length <= way * (1.0 + LEAST_SLACK):
            self._rods.pop(i, None)
            return np.array([p, q])
        straight = frame_quaternion(tuple((q - p) / way)) if way > 0.0 else (1.0, 0.0, 0.0, 0.0)
        ends = (("start", i, 0.0, p), ("end", int(links.next[i]), length, q))
        supports = tuple(
            Support(name, "swivel", place, tuple(at), direction=TANGENT, quaternion=straight)
            if rolls(links, k) and way > 0.0
            else Support(name, "ball", place, tuple(at), direction=NO_DIRECTION)
            for name, k, place, at in ends
        )
        piece = Piece(0.0, length, (bending, bending, bending), mass)
        line = Line("span", length, SEGMENTS, (piece,), supports, gravity=self.machine.scene.gravity)
        before = self._rods.get(i)
        rod = RodSolver(line, None if before is None else before.solved)
        if not rod.solve().ok:
            self._rods.pop(i, None)
            return catenary(self.machine, i)
        self._rods[i] = rod
        return rod.positions()
