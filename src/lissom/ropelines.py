"""Ropes of a machine as lines to draw; the slack spans of a rope that resists bending lie as a rod does.

That is for the eye: in the machine a slack span pulls at nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lissom.machines.drawing import Piece, Shape, between, hanging, rope_line, rope_pieces
from lissom.machines.machine import Machine
from lissom.machines.ropes import rolls
from lissom.rods.line import NO_DIRECTION, TANGENT, Line, Support
from lissom.rods.line import Piece as RodPiece
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
        return rope_line(self.machine, name, self._shape(name))

    def pieces(self, name: str) -> Iterator[Piece]:
        """The same, on each wheel and in each span."""
        return rope_pieces(self.machine, name, self._shape(name))

    def _shape(self, name: str) -> Shape | None:
        rope = self.machine.scene.rope(name)
        if rope.stiffness is None or rope.stiffness.bending is None:
            return None
        bending, mass = rope.stiffness.bending, rope.mass_per_length or 0.0
        return lambda i: self._bent(i, bending, mass)

    def _bent(self, i: int, bending: float, mass: float) -> Array:
        """The span that leaves link i: along the rim where it rolls, at any angle where it is held."""
        links = self.machine._parts.links
        p, q, length = between(self.machine, i)
        if length <= float(np.linalg.norm(q - p)) * (1.0 + LEAST_SLACK):
            self._rods.pop(i, None)
            return np.array([p, q])
        hung = hanging(p, q, length, np.array(self.machine.scene.gravity))
        supports = (
            _support("start", rolls(links, i), 0.0, p, self._way(i, p, links.start[i], hung[1] - p)),
            _support("end", rolls(links, links.next[i]), length, q, self._way(i, q, links.end[i], q - hung[-2])),
        )
        piece = RodPiece(0.0, length, (bending, bending, bending), mass)
        line = Line("span", length, SEGMENTS, (piece,), supports, gravity=self.machine.scene.gravity)
        before = self._rods.get(i)
        rod = RodSolver(line, None if before is None else before.solved)
        if not rod.solve().ok:
            self._rods.pop(i, None)
            return hung
        self._rods[i] = rod
        return rod.positions()

    def _way(self, i: int, at: Array, straight: Array, hung: Array) -> Array:
        """The direction along the rim: of the straight span, or of the hanging one where that lies on more of it."""
        links = self.machine._parts.links
        return hung if np.any(at != straight) else links.end[i] - links.start[i]


def _support(name: str, rolls: bool, place: float, at: Array, way: Array) -> Support:
    x, y, z = at.tolist()
    if not rolls or not way.any():
        return Support(name, "ball", place, (x, y, z), direction=NO_DIRECTION)
    return Support(name, "swivel", place, (x, y, z), direction=TANGENT, quaternion=frame_quaternion(tuple(way)))
