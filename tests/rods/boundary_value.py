"""The same rod by another road: a boundary value problem for scipy.integrate.solve_bvp.

Kirchhoff's equations as they stand (docs/theory/rods.md, (1)–(3)), in units of the length L and B/L², B/L:

    r' = d3(q),   q' = ½ q∘(0, ω),   M' = −e3×N − ω×M,   ω = D⁻¹M + ω₀,   N = Rᵀn,   n = ν + f (½ℓ − s)

Ten functions of s, the centre line r, the quaternion q and the moment M in body axes, and three constants ν, the force
in the middle of the span. A cable with clips is several spans, all mapped onto 0 … 1 and solved together. Supports:

    clamp   r, and q = ±(held): whole on the side where a span starts (4 conditions, the norm of q included), the
            vector part of (held)⁻¹q on the side where it ends (3: the equation keeps the norm)
    ball    r on both sides, q and M run through
    swivel  r on both sides, q runs through, d3 held, M3 runs through

Nothing of the solver under test is used but the solution to start from. For dead weight, straight or curved rest
shapes, any stiffness; no loads, stretches, free axes or sliding clips.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_bvp

from lissom.rods.line import FRAME, NO_DIRECTION, Line
from lissom.rods.reading import read_line
from lissom.rods.result import CableResult
from lissom.scene import Scene

Array = NDArray[np.float64]

R, Q, M = slice(0, 3), slice(3, 7), slice(7, 10)
STATES = 10  # functions per span


@dataclass(frozen=True, slots=True)
class Solution:
    """What solve_bvp returned, in metres and newtons again."""

    success: bool
    message: str
    mesh: Array  # (nodes,) of 0 … 1 on every span
    states: Array  # (10 spans, nodes) in units of L, B/L²: to start from again
    parameters: Array  # (3 spans,)
    _evaluate: Any
    _rod: "BoundaryValueRod"

    def positions(self, s: Array) -> Array:
        """(len(s), 3) m at arc lengths s."""
        rod = self._rod
        span = np.clip(np.searchsorted(rod.places, s / rod.length, side="right") - 1, 0, rod.spans - 1)
        x = (s / rod.length - rod.places[span]) / rod.lengths[span]
        values = self._evaluate(np.clip(x, 0.0, 1.0))
        rows = STATES * span[:, None] + np.arange(3)
        return np.asarray(rod.length * values[rows, np.arange(len(s))[:, None]])


class BoundaryValueRod:
    """One cable of a scene as a boundary value problem."""

    def __init__(self, line: Line) -> None:
        (piece,) = line.pieces
        assert not line.loads
        assert not any(k.slides or not all(k.holds) for k in line.supports)
        assert line.supports[0].place == 0.0
        assert line.supports[-1].place == line.length
        self.length = line.length
        self.force_unit = line.bending / line.length**2
        self.D = np.array(piece.stiffness) / line.bending
        self.rest = line.rest.at(np.zeros(1))[0] * line.length
        assert len(line.rest.places) == 1
        self.weight = piece.mass * np.array(line.gravity) * line.length / self.force_unit
        self.places = np.array([k.place for k in line.supports]) / line.length
        self.lengths = np.diff(self.places)
        self.spans = len(self.lengths)
        self.where = np.array([k.position for k in line.supports]) / line.length
        self.held = np.array([k.quaternion for k in line.supports])
        self.directions = [k.direction for k in line.supports]

    def move(self, support: int, position: Array) -> None:
        """Puts a support elsewhere, m."""
        self.where[support] = position / self.length

    # ---- starting points -----------------------------------------------------------------------------------------

    def from_result(self, result: CableResult, nodes: int | None = None) -> tuple[Array, Array, Array]:
        """(mesh, states, parameters) of a solution, on as many nodes as its densest span has points, or so many."""
        s = result.s / self.length
        starts = np.searchsorted(s, self.places - 1e-12)
        count = nodes or 1 + int(np.diff(starts).max())
        mesh = np.linspace(0.0, 1.0, count)
        q = continued(result.quaternions)
        states, parameters = np.empty((STATES * self.spans, count)), np.empty(3 * self.spans)
        for j in range(self.spans):
            a, b = starts[j], starts[j + 1]
            own = np.concatenate([result.moment[a:b], result.moment_before[b : b + 1]])
            body = np.einsum("ikj,ik->ij", matrices(q[a : b + 1]), own) / (self.force_unit * self.length)
            columns = np.hstack([result.positions[a : b + 1] / self.length, q[a : b + 1], body])
            x = (s[a : b + 1] - s[a]) / (s[b] - s[a])
            block = np.stack([np.interp(mesh, x, column) for column in columns.T])
            block[Q] /= np.linalg.norm(block[Q], axis=0)
            states[STATES * j : STATES * (j + 1)] = block
            parameters[3 * j : 3 * j + 3] = 0.5 * (result.force[a] + result.force_before[b]) / self.force_unit
        return mesh, states, parameters

    def from_nothing(self, nodes: int = 21) -> tuple[Array, Array, Array]:
        """(mesh, states, parameters) of a straight line from support to support, frames turning evenly, no forces."""
        mesh = np.linspace(0.0, 1.0, nodes)
        held = [k for k, direction in enumerate(self.directions) if direction != NO_DIRECTION]
        frames = continued(self.held[held])
        states = np.zeros((STATES * self.spans, nodes))
        for j in range(self.spans):
            block = states[STATES * j : STATES * (j + 1)]
            block[R] = self.where[j][:, None] + np.outer(self.where[j + 1] - self.where[j], mesh)
            s = self.places[j] + self.lengths[j] * mesh
            block[Q] = [np.interp(s, self.places[held], frames[:, k]) for k in range(4)]
            block[Q] /= np.linalg.norm(block[Q], axis=0)
        return mesh, states, np.zeros(3 * self.spans)

    # ---- solving -------------------------------------------------------------------------------------------------

    def solve(
        self,
        mesh: Array,
        states: Array,
        parameters: Array,
        *,
        tolerance: float,
        most_nodes: int = 20_000,
        differences: bool = False,
    ) -> Solution:
        """From a starting point; a clamp's frame is held with the sign the start has there.

        With `differences` scipy finds the derivatives itself, as when it is given nothing but the equations.
        """
        signs = np.array(
            [
                1.0 if self.held[j] @ states[STATES * j + 3 : STATES * j + 7, 0] >= 0.0 else -1.0
                for j in range(self.spans)
            ]
        )

        def conditions(left: Array, right: Array, p: Array) -> Array:
            return self.conditions(left, right, signs)

        def derivatives(left: Array, right: Array, p: Array) -> tuple[Array, Array, Array]:
            by_left, by_right = self.condition_derivatives(left)
            return by_left, by_right, np.zeros((len(by_left), len(p)))

        found = solve_bvp(
            self.slopes,
            conditions,
            mesh,
            states,
            p=parameters,
            fun_jac=None if differences else self.slope_derivatives,
            bc_jac=None if differences else derivatives,
            tol=tolerance,
            max_nodes=most_nodes,
        )
        return Solution(bool(found.success), str(found.message), found.x, found.y, found.p, found.sol, self)

    def slopes(self, x: Array, y: Array, p: Array) -> Array:
        """Derivatives in x: span length × (r', q', M')."""
        out = np.empty_like(y)
        for j, length in enumerate(self.lengths):
            q, moment = self._span(y, j)
            strain = moment / self.D[:, None] + self.rest[:, None]
            N = self._body_force(q, x, p, j)
            block = out[STATES * j : STATES * (j + 1)]
            block[R] = length * tangents(q)
            block[Q] = 0.5 * length * turned(q, strain)
            block[M] = -length * np.cross(strain, moment, axis=0)
            block[7] += length * N[1]
            block[8] -= length * N[0]
        return out

    def slope_derivatives(self, x: Array, y: Array, p: Array) -> tuple[Array, Array]:
        """Derivatives of `slopes` in y and p."""
        nodes = len(x)
        by_state = np.zeros((len(y), len(y), nodes))
        by_parameter = np.zeros((len(y), len(p), nodes))
        for j, length in enumerate(self.lengths):
            q, moment = self._span(y, j)
            strain = moment / self.D[:, None] + self.rest[:, None]
            n = self._force(x, p, j)
            at = STATES * j
            block = by_state[at : at + STATES, at : at + STATES]
            block[R, Q] = length * tangent_derivatives(q)
            block[Q, Q] = 0.5 * length * right_product(strain)
            block[Q, M] = 0.5 * length * left_product(q)[:, 1:] / self.D[:, None]
            block[M, M] = length * (cross_matrix(moment) / self.D[:, None] - cross_matrix(strain))
            by_q = body_derivatives(q, n)  # of N = Rᵀn
            block[7, Q], block[8, Q] = length * by_q[1], -length * by_q[0]
            rotation = np.moveaxis(matrices(q.T), 0, 2)
            by_parameter[at + 7, 3 * j : 3 * j + 3] = length * rotation[:, 1]
            by_parameter[at + 8, 3 * j : 3 * j + 3] = -length * rotation[:, 0]
        return by_state, by_parameter

    def conditions(self, left: Array, right: Array, signs: Array) -> Array:
        """What holds at the ends of the spans: 13 per span."""
        found: list[Array] = []
        for k, direction in enumerate(self.directions):
            before = right[STATES * (k - 1) : STATES * k] if k > 0 else None
            after = left[STATES * k : STATES * (k + 1)] if k < self.spans else None
            if before is not None:
                found.append(before[R] - self.where[k])
            if after is not None:
                found.append(after[R] - self.where[k])
            if direction == FRAME:
                if before is not None:
                    found.append(left_product(conjugate(self.held[k])[:, None])[1:, :, 0] @ before[Q])
                if after is not None:
                    found.append(after[Q] - signs[k] * self.held[k])
                continue
            assert before is not None
            assert after is not None
            found.append(after[Q] - before[Q])
            if direction == NO_DIRECTION:
                found.append(after[M] - before[M])
            else:
                axes = matrices(self.held[k : k + 1])[0]
                found.append(axes[:, :2].T @ tangents(after[Q][:, None])[:, 0])
                found.append(after[9:10] - before[9:10])
        return np.concatenate(found)

    def condition_derivatives(self, left: Array) -> tuple[Array, Array]:
        """Derivatives of `conditions` in its two arguments; the order of the rows is the same."""
        rows = (STATES + 3) * self.spans
        by_left, by_right = np.zeros((rows, STATES * self.spans)), np.zeros((rows, STATES * self.spans))
        row = 0

        def put(matrix: Array, at: int, part: int, block: Array) -> None:
            matrix[at : at + len(block), part : part + block.shape[1]] = block

        for k, direction in enumerate(self.directions):
            before, after = STATES * (k - 1), STATES * k
            sides = ([(by_right, before)] if k > 0 else []) + ([(by_left, after)] if k < self.spans else [])
            for matrix, part in sides:
                put(matrix, row, part, np.eye(3))
                row += 3
            if direction == FRAME:
                if k > 0:
                    put(by_right, row, before + 3, left_product(conjugate(self.held[k])[:, None])[1:, :, 0])
                    row += 3
                if k < self.spans:
                    put(by_left, row, after + 3, np.eye(4))
                    row += 4
                continue
            through = np.eye(7) if direction == NO_DIRECTION else np.eye(4)
            put(by_left, row, after + 3, through)
            put(by_right, row, before + 3, -through)
            row += len(through)
            if direction != NO_DIRECTION:
                axes = matrices(self.held[k : k + 1])[0]
                by_q = tangent_derivatives(left[after + 3 : after + 7, None])[:, :, 0]
                put(by_left, row, after + 3, axes[:, :2].T @ by_q)
                by_left[row + 2, after + 9], by_right[row + 2, before + 9] = 1.0, -1.0
                row += 3
        return by_left, by_right

    def _span(self, y: Array, j: int) -> tuple[Array, Array]:
        block = y[STATES * j : STATES * (j + 1)]
        return block[Q], block[M]

    def _force(self, x: Array, p: Array, j: int) -> Array:
        """(3, nodes) n: in the middle of the span it is p."""
        return p[3 * j : 3 * j + 3, None] + np.outer(self.weight, (0.5 - x) * self.lengths[j])

    def _body_force(self, q: Array, x: Array, p: Array, j: int) -> Array:
        return np.asarray(np.einsum("nij,in->jn", matrices(q.T), self._force(x, p, j)))


def rod_of(scene: Scene, cable: str) -> BoundaryValueRod:
    return BoundaryValueRod(read_line(scene, scene.cable(cable)))


# ---- quaternions as columns: (4, nodes) ----------------------------------------------------------------------------


def continued(q: Array) -> Array:
    """(n, 4) with signs such that neighbours are near each other."""
    flips = np.einsum("ij,ij->i", q[:-1], q[1:]) < 0.0
    sign = np.concatenate([[1.0], np.where(np.cumsum(flips) % 2 == 1, -1.0, 1.0)])
    return np.asarray(q * sign[:, None])


def conjugate(q: Array) -> Array:
    return np.asarray(q * np.array([1.0, -1.0, -1.0, -1.0]))


def matrices(q: Array) -> Array:
    """(n, 3, 3) from (n, 4): columns d1, d2, d3, homogeneous of degree 2 like all here."""
    w, x, y, z = q.T
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def tangents(q: Array) -> Array:
    w, x, y, z = q
    return np.array([2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z])


def tangent_derivatives(q: Array) -> Array:
    """(3, 4, nodes)"""
    w, x, y, z = q
    return 2.0 * np.array([[y, z, w, x], [-x, -w, z, y], [w, -x, -y, z]])


def body_derivatives(q: Array, n: Array) -> Array:
    """(3, 4, nodes) of Rᵀn in q."""
    w, x, y, z = q
    a, b, c = n
    return 2.0 * np.array(
        [
            [w * a + z * b - y * c, x * a + y * b + z * c, -y * a + x * b - w * c, -z * a + w * b + x * c],
            [-z * a + w * b + x * c, y * a - x * b + w * c, x * a + y * b + z * c, -w * a - z * b + y * c],
            [y * a - x * b + w * c, z * a - w * b - x * c, w * a + z * b - y * c, x * a + y * b + z * c],
        ]
    )


def turned(q: Array, v: Array) -> Array:
    """q∘(0, v)"""
    w, x, y, z = q
    a, b, c = v
    return np.array([-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a])


def left_product(q: Array) -> Array:
    """(4, 4, nodes): the matrix that multiplies by q from the left."""
    w, x, y, z = q
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])


def right_product(v: Array) -> Array:
    """(4, 4, nodes): the matrix that multiplies by (0, v) from the right."""
    a, b, c = v
    o = np.zeros_like(a)
    return np.array([[o, -a, -b, -c], [a, o, c, -b], [b, -c, o, a], [c, b, -a, o]])


def cross_matrix(v: Array) -> Array:
    """(3, 3, nodes)"""
    a, b, c = v
    o = np.zeros_like(a)
    return np.array([[o, -c, b], [c, o, -a], [-b, a, o]])
