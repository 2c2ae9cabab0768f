"""Contact forces of a step where what is pressed only stands because it is pressed.

A box on a table would topple about its corners, were they not held down: without its contacts the system is not
stable, and Q of the complementarity problem not positive definite, though with them it is. Then contacts that press
are held closed by a spring σ as well, which does nothing while they stay closed: with λ = λ̃ − σ w there and w = Qλ − b,

    w = Q̃ λ̃ − b̃,   Q̃ = (1 + QD)⁻¹ Q,   b̃ = (1 + QD)⁻¹ b,   D = σ if pressed, else 0     [docs/theory/contact.md (13)]

One that would open is held back by this one step; it has no force in the next.
"""

import numpy as np
from numpy.typing import NDArray

from lissom.kernels import kernel
from lissom.rods import dense
from lissom.rods.complementarity import nonnegative

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]


def contact_forces(Q: Array, b: Array, pressed: Flags, start: Flags, stiffness: float) -> tuple[Flags, Array] | None:
    """Which contacts act in a step, and their give 1/σ (m/N): 0, but for those that are let go though held closed.

    None where the step is not convex even so. `pressed` marks those that may be held, `start` those expected to act.
    """
    found = nonnegative(Q, b, start)
    if found is not None:
        return found > 0.0, np.zeros(len(b))
    if not pressed.any():
        return None
    spring = np.where(pressed, stiffness, 0.0)
    held = np.asarray(np.linalg.solve(np.eye(len(b)) + Q * spring, np.column_stack([Q, b])), dtype=np.float64)
    firm, side = 0.5 * (held[:, :-1] + held[:, :-1].T), held[:, -1].copy()
    found = nonnegative(firm, side, start)
    if found is None:
        return None
    return pressed | (found > 0.0), np.where(pressed & (found == 0.0), 1.0 / stiffness, 0.0)


def border_step(Z: Array, right: Array, force: Array, acts: Flags, give: Array) -> Array:
    """u = (−dμ, dp) with the contacts that act closed and without force at the others.

    From the whole border, not by way of Q: that has lost most digits where a body is held by nothing but contacts.
    """
    inner, M, side = closed(Z, right, force, acts, give)
    found = dense.solved(M, side)
    if found is None:
        raise np.linalg.LinAlgError("contacts without stiffness")
    u = np.empty(len(Z))
    u[: len(force)] = force
    u[inner] = found[:, 0]
    return u


@kernel
def closed(Z: Array, right: Array, force: Array, acts: Flags, give: Array) -> tuple[Indices, Array, Array]:
    """(n,) the unknowns of the border but for contacts that do not act, their matrix (n, n) and right side (n, 1)."""
    count = len(force)
    inner = np.empty(len(Z), np.int64)
    size = 0
    for i in range(len(Z)):
        if i >= count or acts[i]:
            inner[size] = i
            size += 1
    M, side = np.empty((size, size)), np.empty((size, 1))
    for k in range(size):
        i = inner[k]
        for l in range(size):
            M[k, l] = Z[i, inner[l]]
        side[k, 0] = right[i]
        for j in range(count):
            if not acts[j]:
                side[k, 0] -= Z[i, j] * force[j]
        if i < count:
            M[k, k] -= give[i]
            side[k, 0] -= give[i] * force[i]
    return inner[:size], M, side
