"""The yardstick without second derivatives: L-BFGS on the discrete energy of a clamped cable.

One quaternion per segment, divided by its norm, so that unknowns are free; positions are sums of tangents; that the
last point meets its clamp is a constraint, held by an augmented Lagrangian whose multiplier is the force at the end.
Energy and gradient are compiled, and a solve starts from the last solution with its multiplier: nothing here is slower
than it need be, save the method.
"""

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from lissom.rods.line import Line
from lissom.rods.result import CableResult, rotations

Array = NDArray[np.float64]

# In units of B/L³, the best of 1e2, 1e3, 1e4: the higher, the fewer rounds of multipliers.
PENALTY = 1e4
MOST_OUTER = 30


class MinimisedRod:
    """A cable clamped at both ends, in units of L and B/L²."""

    def __init__(self, line: Line, start: CableResult) -> None:
        (piece,) = line.pieces
        self.length = line.length
        self.segments = len(start.s) - 1
        self.D = np.array(piece.stiffness) / line.bending
        first, last = line.supports
        self.ends = np.array([first.quaternion, last.quaternion])
        self.origin = np.array(first.position) / line.length
        self.goal = np.array(last.position) / line.length
        unit = line.bending / line.length**2
        weight = piece.mass * np.array(line.gravity) * line.length / unit
        beyond = 1.0 - (np.arange(self.segments) + 0.5) / self.segments  # half a segment's own weight
        self.known = beyond[:, None] * weight
        q = start.quaternions
        middle = q[:-1] + np.where(np.einsum("ij,ij->i", q[:-1], q[1:]) < 0.0, -1.0, 1.0)[:, None] * q[1:]
        self.q = middle / np.linalg.norm(middle, axis=1)[:, None]
        self.force = start.force_before[-1] / unit
        self.evaluations = 0

    def move_end(self, position: Array) -> None:
        """To a position in m."""
        self.goal = position / self.length

    def solve(self, *, closure: float, gradient: float) -> bool:
        """Until the gap is below `closure` (in L) and no component of the gradient above `gradient` (in B/L)."""

        def value(u: Array) -> tuple[float, Array]:
            self.evaluations += 1
            out = np.empty_like(u)
            energy: float = augmented_energy(
                u.reshape(-1, 4), self.ends, self.D, self.known, self.goal - self.origin, self.force, PENALTY,
                out.reshape(-1, 4),
            )  # fmt: skip
            return energy, out

        for _ in range(MOST_OUTER):
            found = minimize(
                value,
                self.q.ravel(),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": 100_000, "maxfun": 100_000, "maxcor": 30, "ftol": 0.0, "gtol": gradient},
            )
            self.q = found.x.reshape(-1, 4)
            self.q /= np.linalg.norm(self.q, axis=1)[:, None]
            gap = self.goal - self.positions()[-1] / self.length
            if np.linalg.norm(gap) < closure:
                return True
            self.force = self.force + PENALTY * gap
        return False

    def positions(self) -> Array:
        """(points, 3) m."""
        steps = rotations(self.q)[:, :, 2] / self.segments
        return np.asarray(self.length * (self.origin + np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])))


@numba.njit(error_model="numpy")
def augmented_energy(
    u: Array, ends: Array, D: Array, known: Array, goal: Array, force: Array, penalty: float, out: Array
) -> float:
    """½ Σ D ω²a − Σ h f·d3 − ν·c + ½k|c|² with the gap c = goal − Σ h d3; writes the gradient in u to `out`.

    ω = 2 Im(p̄ₐp_b)/a between neighbouring frames, over h, and over h/2 next to a clamp.
    """
    count = len(u)
    h = 1.0 / count
    p = np.empty((count + 2, 4))
    g = np.zeros((count + 2, 4))
    p[0], p[count + 1] = ends[0], ends[1]
    for i in range(count):
        size = np.sqrt(u[i, 0] ** 2 + u[i, 1] ** 2 + u[i, 2] ** 2 + u[i, 3] ** 2)
        for k in range(4):
            p[i + 1, k] = u[i, k] / size
    gap = goal.copy()
    for i in range(1, count + 1):
        w, x, y, z = p[i]
        gap[0] -= h * 2.0 * (x * z + w * y)
        gap[1] -= h * 2.0 * (y * z - w * x)
        gap[2] -= h * (w * w - x * x - y * y + z * z)
    energy = 0.0
    for k in range(3):
        energy += force[k] * gap[k] + 0.5 * penalty * gap[k] ** 2
    for i in range(1, count + 1):
        w, x, y, z = p[i]
        d0, d1, d2 = 2.0 * (x * z + w * y), 2.0 * (y * z - w * x), w * w - x * x - y * y + z * z
        f = known[i - 1]
        energy -= h * (f[0] * d0 + f[1] * d1 + f[2] * d2)
        a = -h * (f[0] + force[0] + penalty * gap[0])
        b = -h * (f[1] + force[1] + penalty * gap[1])
        c = -h * (f[2] + force[2] + penalty * gap[2])
        g[i, 0] += 2.0 * (a * y - b * x + c * w)
        g[i, 1] += 2.0 * (a * z - b * w - c * x)
        g[i, 2] += 2.0 * (a * w + b * z - c * y)
        g[i, 3] += 2.0 * (a * x + b * y + c * z)
    for i in range(count + 1):
        arc = 0.5 * h if i == 0 or i == count else h
        s0, s1, s2, s3 = p[i]
        t0, t1, t2, t3 = p[i + 1]
        v1 = s0 * t1 - s1 * t0 - s2 * t3 + s3 * t2
        v2 = s0 * t2 - s2 * t0 - s3 * t1 + s1 * t3
        v3 = s0 * t3 - s3 * t0 - s1 * t2 + s2 * t1
        energy += 2.0 / arc * (D[0] * v1 * v1 + D[1] * v2 * v2 + D[2] * v3 * v3)
        e1, e2, e3 = 4.0 / arc * D[0] * v1, 4.0 / arc * D[1] * v2, 4.0 / arc * D[2] * v3
        g[i, 0] += e1 * t1 + e2 * t2 + e3 * t3
        g[i, 1] += -e1 * t0 + e2 * t3 - e3 * t2
        g[i, 2] += -e1 * t3 - e2 * t0 + e3 * t1
        g[i, 3] += e1 * t2 - e2 * t1 - e3 * t0
        g[i + 1, 0] += -e1 * s1 - e2 * s2 - e3 * s3
        g[i + 1, 1] += e1 * s0 - e2 * s3 + e3 * s2
        g[i + 1, 2] += e1 * s3 + e2 * s0 - e3 * s1
        g[i + 1, 3] += -e1 * s2 + e2 * s1 + e3 * s0
    for i in range(count):
        size = np.sqrt(u[i, 0] ** 2 + u[i, 1] ** 2 + u[i, 2] ** 2 + u[i, 3] ** 2)
        along = 0.0
        for k in range(4):
            along += g[i + 1, k] * p[i + 1, k]
        for k in range(4):
            out[i, k] = (g[i + 1, k] - along * p[i + 1, k]) / size
    return energy
