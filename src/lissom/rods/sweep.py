"""Many equilibria of one cable with its supports elsewhere, in compiled code without the GIL.

Each starts from the same equilibrium and moves its supports there in steps, so that the answer does not depend on the
order or on the number of threads.
"""

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import normalized
from lissom.kernels import kernel
from lissom.rods import newton, shape
from lissom.rods.chain import Chain, Work
from lissom.rods.newton import Scales

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# One step moves a support by at most this part of the length, and turns it by at most this (rad).
LARGEST_MOVE = 0.05
LARGEST_TURN = 0.35


@kernel
def mix(a: Array, b: Array, part: float, out: Array) -> None:
    """out = the unit quaternion between a and b."""
    sign = 1.0 if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] >= 0.0 else -1.0
    p = normalized(
        (
            (1.0 - part) * a[0] + part * sign * b[0],
            (1.0 - part) * a[1] + part * sign * b[1],
            (1.0 - part) * a[2] + part * sign * b[2],
            (1.0 - part) * a[3] + part * sign * b[3],
        )
    )
    for k in range(4):
        out[k] = p[k]


@kernel
def steps_needed(target0: Array, target: Array, frames0: Array, frames: Array, length: float) -> int:
    move = 0.0
    for j in range(len(target)):
        move = max(move, abs(target[j] - target0[j]))
    turn = 0.0
    for k in range(len(frames)):
        cosine = abs(
            frames[k, 0] * frames0[k, 0]
            + frames[k, 1] * frames0[k, 1]
            + frames[k, 2] * frames0[k, 2]
            + frames[k, 3] * frames0[k, 3]
        )
        turn = max(turn, 2.0 * np.arccos(min(1.0, cosine)))
    return max(1, int(np.ceil(max(move / (LARGEST_MOVE * length), turn / LARGEST_TURN))))


@kernel
def sweep(
    chain: Chain,
    work: Work,
    scales: Scales,
    q0: Array,
    nu0: Array,
    target0: Array,
    sites: Indices,
    frames0: Array,
    targets: Array,
    frames: Array,
    statuses: Indices,
    indices: Indices,
    q_out: Array,
    nu_out: Array,
) -> None:
    """Fills the equilibria (q_out, nu_out) with their status and Morse index, one per row of `targets`.

    `sites` are the frames held by clamps, `frames0` theirs in the start state, `frames[n]` those wanted. The chain's
    target array is overwritten: give each thread its own chain and work.
    """
    loose = Scales(
        scales.length,
        scales.force,
        scales.block,
        scales.soft,
        scales.penalty,
        1e-4,
        1e-4,
        False,
        scales.neutral,
    )
    for n in range(len(targets)):
        q = q_out[n]
        nu = nu_out[n]
        q[:] = q0
        nu[:] = nu0
        steps = steps_needed(target0, targets[n], frames0, frames[n], scales.length)
        for step in range(1, steps + 1):
            part = step / steps
            for j in range(len(target0)):
                chain.target[j] = (1.0 - part) * target0[j] + part * targets[n, j]
            for k in range(len(sites)):
                mix(frames0[k], frames[n, k], part, q[sites[k]])
            outcome = newton.equilibrium(chain, work, q, nu, scales if step == steps else loose, 40, True)
            statuses[n] = outcome.status
            indices[n] = outcome.unstable
            if outcome.status != newton.CONVERGED:
                break


@kernel
def read_out(chain: Chain, q: Array, nu: Array, supports: Indices, positions: Array, reactions: Array) -> None:
    """Positions with the first point at the origin (n, points, 3), and reactions (n, supports, 6), of polished states.

    A load that acts right at a support is still part of its reaction here.
    """
    points = positions.shape[1]
    before = np.empty((points, 3))
    after = np.empty((points, 3))
    for n in range(len(q)):
        shape.positions(chain, q[n], nu[n], positions[n])
        shape.forces(chain, nu[n], before, after)
        for j in range(len(supports)):
            for k in range(3):
                reactions[n, j, k] = before[supports[j], k] - after[supports[j], k]
        shape.polished_moments(chain, q[n], nu[n], before, after)
        for j in range(len(supports)):
            for k in range(3):
                reactions[n, j, 3 + k] = before[supports[j], k] - after[supports[j], k]
