"""Ways down the augmented Lagrangian: GS07's safety chain [GS07 §6].

"A sequence of different algorithms is used until a smaller value for the energy is found" [GS07 §6.1]:
Newton's method, then conjugate gradients, then the parabola along the forces, then halved steps along the
forces. The next one is asked only when the one before found nothing lower, and Newton is asked first again
after any success. GS07's linear conjugate gradients, an approximate Newton step, have no place of their own:
the exact step is affordable.

The energy here is the augmented Lagrangian with multipliers n and penalty ρ held fixed. The forces are
−gradient, scaled by the Hessian's diagonal: positions and turns have different units.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.kernels import kernel
from lissom.rods import augmented_band as banded
from lissom.rods.augmented_motion import moved
from lissom.rods.augmented_terms import Layout, State, assemble, body_moment, energy
from lissom.rods.chain import Chain
from lissom.rods.newton import ESCAPE_TURN, FIRST_SHIFT, LARGEST_TURN, SHIFT_GROWTH, Scales

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# The methods, as bits of a set.
NEWTON = 1
CONJUGATE_GRADIENTS = 2
STEEPEST_DESCENT = 4
ALONG_FORCES = 8
ALL_METHODS = 15

# A step must lower the energy by this part of what its slope promises (Armijo).
SUFFICIENT = 1e-4
MOST_HALVINGS = 24
# Steps of conjugate gradients before Newton is asked again.
CONJUGATE_STEPS = 60
# Rounding decides the sign of a stiffness below this, relative to the largest stiffness of an element.
UNSIGNED = 1e-10
# A direction with less stiffness than this is neutral, in units of B h/L².
NEUTRAL = 1e-3
# Rounding of the energy's sums: a smaller change says nothing.
ROUNDING = 1e-13

# Entries of Work.tally.
ITERATIONS = 0
METHODS = 1
SHIFTED = 2
ESCAPES = 3


class Work(NamedTuple):
    """Scratch, allocated once. r: row, see Layout; w: band width."""

    band: Array  # (r, w) Hessian
    lower: Array  # (r, w)
    pivots: Array  # (r,)
    gradient: Array  # (r,)
    step: Array  # (r,)
    previous: Array  # (r,) gradient one step of conjugate gradients ago
    direction: Array  # (r,) its direction
    trial: State
    kept: State
    shift: Array  # (1,) the last shift that was needed, N m
    run_length: Array  # (runs,) m
    tally: Indices  # (4,) iterations, methods used, steps shifted, saddles left


def workspace(chain: Chain, layout: Layout) -> Work:
    rows = len(layout.first)
    points, frames, segments = len(layout.load), len(chain.mask), len(chain.h)
    return Work(
        band=np.zeros((rows, banded.WIDTH)),
        lower=np.zeros((rows, banded.WIDTH)),
        pivots=np.zeros(rows),
        gradient=np.zeros(rows),
        step=np.zeros(rows),
        previous=np.zeros(rows),
        direction=np.zeros(rows),
        trial=State(np.zeros((points, 3)), np.zeros((frames, 4)), np.zeros((segments, 3))),
        kept=State(np.zeros((points, 3)), np.zeros((frames, 4)), np.zeros((segments, 3))),
        shift=np.zeros(1),
        run_length=np.zeros(len(chain.target)),
        tally=np.zeros(4, dtype=np.int64),
    )


def copy_state(source: State, target: State) -> None:
    target.x[:] = source.x
    target.q[:] = source.q
    target.n[:] = source.n


@kernel
def largest_turn(layout: Layout, step: Array) -> float:
    """Of any frame, rad."""
    largest = 0.0
    for i in range(len(layout.of_frame)):
        turn = 0.0
        for k in range(3):
            if layout.of_frame[i, k] >= 0:
                turn += step[layout.of_frame[i, k]] ** 2
        if not turn <= largest:
            largest = turn
    return float(np.sqrt(largest))


@kernel
def dot_rows(a: Array, b: Array) -> float:
    value = 0.0
    for r in range(len(a)):
        value += a[r] * b[r]
    return value


@kernel
def moment_work(chain: Chain, layout: Layout, q: Array, step: Array) -> float:
    """What moment loads do along the step: the nearest thing to an energy that they have."""
    value = 0.0
    for m in range(len(chain.moment_site)):
        body = body_moment(chain, q, m)
        for k in range(3):
            r = layout.of_frame[chain.moment_site[m], k]
            if r >= 0:
                value += body[k] * step[r]
    return value


@kernel
def search(
    chain: Chain,
    layout: Layout,
    state: State,
    work: Work,
    rho: float,
    scales: Scales,
    length: float,
    step: Array,
) -> bool:
    """Takes the longest of length·(1, ½, ¼, …) along `step` that lowers the energy; False if none does."""
    slope = dot_rows(work.gradient, step)
    turn = largest_turn(layout, step)
    if not (slope < 0.0 and turn < 1e300):
        return False
    if length * turn > LARGEST_TURN:
        length = LARGEST_TURN / turn
    before = energy(chain, layout, state.x, state.q, state.n, rho)
    along = moment_work(chain, layout, state.q, step)
    noise = ROUNDING * (abs(before) + scales.force * scales.length)
    for _ in range(MOST_HALVINGS):
        moved(chain, layout, state.x, state.q, step, length, work.trial.x, work.trial.q)
        after = energy(chain, layout, work.trial.x, work.trial.q, state.n, rho) - length * along
        if after <= before + SUFFICIENT * length * slope + noise:
            state.x[:] = work.trial.x
            state.q[:] = work.trial.q
            return True
        length *= 0.5
    return False


def newton(chain: Chain, layout: Layout, state: State, work: Work, rho: float, scales: Scales) -> bool:
    """Newton's method applied to the forces, H h = F [GS07 §6.2]; H is shifted until it is definite."""
    if definite(layout, work, scales):
        work.shift[0] = 0.0
    else:
        work.tally[SHIFTED] += 1
        make_definite(layout, work, scales)
    np.negative(work.gradient, out=work.step)
    banded.solve(work.lower, work.pivots, layout.first, work.step)
    return search(chain, layout, state, work, rho, scales, 1.0, work.step)


def definite(layout: Layout, work: Work, scales: Scales) -> bool:
    """Factors the Hessian; True where no direction is unstable. A neutral one, as a free roll, is not."""
    tiny = 1e-14 * scales.block
    for shift in (UNSIGNED * scales.block, max(NEUTRAL * scales.soft, UNSIGNED * scales.block)):
        if banded.factor(work.band, layout.first, shift, layout.metric, tiny, work.lower, work.pivots) == 0:
            return True
    return False


@kernel
def make_definite(layout: Layout, work: Work, scales: Scales) -> None:
    """Shifts the Hessian as little as it needs, by powers; leaves the factors in `work`."""
    shift = max(FIRST_SHIFT * scales.soft, UNSIGNED * scales.block, work.shift[0] / SHIFT_GROWTH**2)
    for _ in range(60):
        negative = banded.factor(
            work.band, layout.first, shift, layout.metric, 1e-14 * scales.block, work.lower, work.pivots
        )
        if negative == 0:
            break
        shift *= SHIFT_GROWTH
    work.shift[0] = shift


@kernel
def forces(layout: Layout, work: Work, scales: Scales) -> None:
    """work.step = −gradient over the Hessian's diagonal, which is made positive."""
    for r in range(len(work.step)):
        size = abs(work.band[r, banded.DIAGONAL])
        work.step[r] = -work.gradient[r] / max(size, scales.soft * layout.metric[r])


@kernel
def parabola(layout: Layout, work: Work, step: Array) -> float:
    """The step length α = dᵀF / dᵀHd at which the energy along `step` is least [GS07 §6.2]."""
    turn = largest_turn(layout, step)
    longest = LARGEST_TURN / turn if turn > 0.0 else 1.0
    bend = banded.curvature(work.band, layout.first, step)
    slope = dot_rows(work.gradient, step)
    if bend <= 0.0 or -slope >= longest * bend:
        return longest
    return -slope / bend


def conjugate_gradients(
    chain: Chain, layout: Layout, state: State, work: Work, rho: float, scales: Scales, tolerance: float
) -> bool:
    """Non-linear conjugate gradients with the Hessian renewed at every step [GS07 §6.2]."""
    lowered = False
    before = 0.0
    for iteration in range(CONJUGATE_STEPS):
        if iteration > 0:
            work.tally[ITERATIONS] += 1
            assemble(chain, layout, state.x, state.q, state.n, rho, True, work.gradient, work.band)
            if gradient_size(layout, work, scales) <= tolerance:
                break
        forces(layout, work, scales)
        before = conjugate_direction(work, before)
        length = parabola(layout, work, work.direction)
        if not search(chain, layout, state, work, rho, scales, length, work.direction):
            break
        lowered = True
    return lowered


@kernel
def conjugate_direction(work: Work, before: float) -> float:
    """direction ← forces + β·direction, β of Polak and Ribière but never negative; β = 0 where before = 0.

    Returns gradient·forces, which is `before` at the next step.
    """
    now = 0.0
    change = 0.0
    for r in range(len(work.step)):
        now -= work.step[r] * work.gradient[r]
        change -= work.step[r] * (work.gradient[r] - work.previous[r])
    beta = max(change / before, 0.0) if before > 0.0 else 0.0
    slope = 0.0
    for r in range(len(work.step)):
        work.direction[r] = work.step[r] + beta * work.direction[r]
        work.previous[r] = work.gradient[r]
        slope += work.direction[r] * work.gradient[r]
    if slope >= 0.0:  # not a way down: start again from the forces
        work.direction[:] = work.step
    return now


def steepest_descent(chain: Chain, layout: Layout, state: State, work: Work, rho: float, scales: Scales) -> bool:
    """The step along the forces at whose end a parabola through the energy is least [GS07 §6.2]."""
    forces(layout, work, scales)
    return search(chain, layout, state, work, rho, scales, parabola(layout, work, work.step), work.step)


def along_forces(chain: Chain, layout: Layout, state: State, work: Work, rho: float, scales: Scales) -> bool:
    """Decreasing powers of two along the forces until the energy is lower: if all else fails [GS07 §6.2]."""
    forces(layout, work, scales)
    return search(chain, layout, state, work, rho, scales, 1.0, work.step)


@kernel
def gradient_size(layout: Layout, work: Work, scales: Scales) -> float:
    """Imbalance in all: forces at the points over the force scale plus moments at the frames over force·L.

    A sum: one frame's share of a wrong internal force falls with the length of its segment.
    """
    size = 0.0
    for r in range(len(work.gradient)):
        size += abs(work.gradient[r]) / np.sqrt(layout.metric[r])
    return float(size / (scales.force * scales.length))


def lower_energy(
    chain: Chain,
    layout: Layout,
    state: State,
    work: Work,
    rho: float,
    scales: Scales,
    methods: int,
    tolerance: float,
) -> bool:
    """One round of the safety chain from the assembled state; False if no method finds a lower energy."""
    work.tally[ITERATIONS] += 1
    if methods & NEWTON and newton(chain, layout, state, work, rho, scales):
        work.tally[METHODS] |= NEWTON
        return True
    if methods & CONJUGATE_GRADIENTS and conjugate_gradients(chain, layout, state, work, rho, scales, tolerance):
        work.tally[METHODS] |= CONJUGATE_GRADIENTS
        return True
    if methods & STEEPEST_DESCENT and steepest_descent(chain, layout, state, work, rho, scales):
        work.tally[METHODS] |= STEEPEST_DESCENT
        return True
    if methods & ALONG_FORCES and along_forces(chain, layout, state, work, rho, scales):
        work.tally[METHODS] |= ALONG_FORCES
        return True
    return False


@kernel
def unstable_direction(layout: Layout, work: Work) -> None:
    """work.step: the direction of least stiffness, by inverse iteration with the shifted factors at hand.

    The shift makes the most negative direction the smallest in size.
    """
    seed = 1
    for r in range(len(work.step)):
        seed = (1103515245 * seed + 12345) % 2147483648  # any fixed sequence: results must repeat
        work.step[r] = (seed / 1073741824.0 - 1.0) / np.sqrt(layout.metric[r])
    for _ in range(6):
        size = 1.0 / np.sqrt(dot_rows(work.step, work.step))
        for r in range(len(work.step)):
            work.step[r] *= size * layout.metric[r]
        banded.solve(work.lower, work.pivots, layout.first, work.step)


def leave_saddle(chain: Chain, layout: Layout, state: State, work: Work, rho: float, scales: Scales) -> bool:
    """From a balanced but unstable state along its unstable direction, to the side that is lower."""
    make_definite(layout, work, scales)
    unstable_direction(layout, work)
    turn = largest_turn(layout, work.step)
    if not 0.0 < turn < np.inf:  # beyond what numbers can hold
        return False
    length = ESCAPE_TURN / turn
    if dot_rows(work.gradient, work.step) > 0.0:
        length = -length
    before = energy(chain, layout, state.x, state.q, state.n, rho)
    for _ in range(MOST_HALVINGS):
        for side in (length, -length):
            moved(chain, layout, state.x, state.q, work.step, side, work.trial.x, work.trial.q)
            if energy(chain, layout, work.trial.x, work.trial.q, state.n, rho) < before:
                state.x[:] = work.trial.x
                state.q[:] = work.trial.q
                work.tally[ESCAPES] += 1
                return True
        length *= 0.5
    return False
