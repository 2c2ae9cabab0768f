"""Newton's method to a stable equilibrium of a chain, with an exact count of unstable directions.

One step solves the bordered system of blocks.py. The Morse index of the constrained equilibrium is
n₋(K) − n₋(S): while it is not zero the step would climb, and K is shifted until it is. Steps are capped in rotation
and halved until the merit ℒ(R, ν₊) + ½ k |c|² falls. At a saddle the frames are turned along the unstable direction
and the descent goes on [docs/theory/rods.md §6].
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.kernels import lean_kernel as kernel
from lissom.rods import blocks, dense
from lissom.rods.chain import Chain, Work, assemble, internal_force, lagrangian, turn_frames

Array = NDArray[np.float64]

CONVERGED = 0
OUT_OF_ITERATIONS = 1
NO_DESCENT = 2
NOT_FINITE = 3

# A frame turns by at most this much in one step (rad): past it the quadratic model means nothing.
LARGEST_TURN = 1.2
# A step from a stable state that turns every frame by less than this is taken without looking at the merit; should the
# residual then rise, it is taken back (rad).
TRUSTED_TURN = 0.1
# The first shift, in units of B h/L² (a frame's share of the softest mode), and its growth.
FIRST_SHIFT = 2.0
SHIFT_GROWTH = 4.0
# Directions with less stiffness than this, in units of B h/L², are held back by a shift on the way to equilibrium.
NEARLY_NEUTRAL = 1e-3
# Rounding decides the sign of a stiffness below this, relative to the blocks of K.
ROUNDING = 1e-13
# Iterations spent at most on the last digits of a strict solve.
EXTRA_ITERATIONS = 8
# Residual and closure at which a step that no longer lowers the merit has met rounding, not failure.
ROUNDING_FLOOR = 1e-8
# cos of half the angle between two frames below which their turn may as well be the other way round (157°).
UNDECIDED = 0.2
# How far to leave a saddle (rad at the frame that turns most).
ESCAPE_TURN = 0.3
MOST_ESCAPES = 8
# After so many steps in a row from unstable states, symmetry may hide the way down: leave as from a saddle.
PATIENCE = 4


class Scales(NamedTuple):
    """What is large and what is small for this cable."""

    length: float  # m
    force: float  # max(EI/L², wL, loads), N: the residual is relative to it
    block: float  # largest stiffness over shortest element, N m: the size of K's blocks
    soft: float  # smallest bending stiffness times h/L², N m: what one frame adds to the stiffness of a long wave
    penalty: float  # k of the merit function, N/m
    residual: float  # tolerance of the residual, relative to the larger of `force` and the forces in the cable
    closure: float  # tolerance of the closure, relative to `length`
    strict: bool  # whether to go on to `residual` relative to `force` alone, if rounding allows
    neutral: float  # a direction with less stiffness than this, in units of `soft`, is neutral


class Outcome(NamedTuple):
    status: int
    iterations: int
    residual: float  # relative to max(EI/L², wL, loads)
    closure: float  # relative to L
    unstable: int  # Morse index at the final state
    shifted: int  # steps that needed a shift
    escapes: int  # saddles left
    evaluations: int  # factorisations


@kernel
def equilibrium(
    chain: Chain, work: Work, q: Array, nu: Array, scales: Scales, most_iterations: int, leave_saddles: bool
) -> Outcome:
    """Moves (q, nu) to an equilibrium; they keep the last state reached."""
    runs = len(chain.target)
    width = len(chain.first)
    count = len(q)
    moments = len(chain.moment_site) > 0
    tiny = 1e-15 * scales.block
    shift_memory = 0.0
    shifted = 0
    escapes = 0
    factorisations = 0
    residual = np.inf
    closure = np.inf
    index = 0
    stalled = 0
    unstable_in_a_row = 0
    extra = 0
    unchecked = False  # the last step was taken on trust
    trusted = True  # such steps have not disappointed yet
    for iteration in range(most_iterations + 1):
        worst_before = max(residual, closure)
        value = assemble(chain, work, q, nu)
        residual, closure = errors(chain, work, scales)
        if unchecked and not max(residual, closure) < worst_before:
            turn_back(work, q, nu, runs)
            unchecked = False
            trusted = False
            residual = worst_before
            continue
        if not (residual < 1e300 and closure < 1e300):
            return Outcome(NOT_FINITE, iteration, residual, closure, index, shifted, escapes, factorisations)
        set_right_side(work.columns, work.gradient, width)
        # residuals are judged by the forces that act: those in a wound-up cable may dwarf EI/L²
        rest = residual * scales.force / acting_force(nu, runs, scales)
        there = rest <= scales.residual and closure <= scales.closure
        if there and scales.strict and residual > 10.0 * scales.residual and extra < EXTRA_ITERATIONS:
            extra += 1  # a flat valley: go on while rounding allows
            there = False
        # Nearly neutral directions are held back by a firm shift, of which a strict solve lets go at the end. Where the
        # state seems unstable the shift grows until it does not. At equilibrium it only counts.
        firm = max(neutral_shift(scales), NEARLY_NEUTRAL * scales.soft)
        shift = neutral_shift(scales)
        if not there:
            shift = max(shift, min(firm, np.sqrt(rest) * scales.soft)) if scales.strict else firm
        index = -1
        for _ in range(48):
            negative = blocks.factor(
                count, width, chain.first, shift, tiny, work.diagonal, work.upper, work.columns, chain.mask,
                work.inverse, work.ratio, work.solved, work.carried, work.schur,
            )  # fmt: skip
            factorisations += 1
            present = negative - border_inertia(chain, work)
            if index < 0 or shift <= firm:
                index = present
            if there and (index <= 0 or moments or not leave_saddles or escapes >= MOST_ESCAPES):
                return Outcome(CONVERGED, iteration, residual, closure, index, shifted, escapes, factorisations)
            if present <= 0 or moments:
                break
            if shift < firm:
                shift = firm
            elif shift < FIRST_SHIFT * scales.soft:
                shift = max(FIRST_SHIFT * scales.soft, shift_memory / (SHIFT_GROWTH * SHIFT_GROWTH))
            else:
                shift *= SHIFT_GROWTH
        if iteration == most_iterations:
            break
        if index > 0 and not moments:
            shift_memory = shift
            shifted += 1
            unstable_in_a_row += 1
        else:
            unstable_in_a_row = 0
        if there or (leave_saddles and unstable_in_a_row >= PATIENCE and escapes < MOST_ESCAPES):
            escapes += 1
            unstable_in_a_row = 0
            unchecked = False
            leave_saddle(chain, work, q, nu, scales)
            continue
        if not newton_step(chain, work, nu):
            return Outcome(NOT_FINITE, iteration, residual, closure, index, shifted, escapes, factorisations)
        turn = largest_turn(work.step)
        unchecked = trusted and index <= 0 and turn < TRUSTED_TURN
        if unchecked:
            turn_frames(q, work.step, 1.0, work.trial)
            if not tears(q, work.trial):
                take(work, q, nu, runs)
                continue
            unchecked = False
        near = turn < 1e-3 and residual < 1e-3 and closure < 1e-4
        for j in range(runs):
            work.nu_old[j] = nu[j]
        if line_search(chain, work, q, nu, scales, value, turn, near):
            stalled = 0
            continue
        if moments and residual_search(chain, work, q, nu, scales, turn):
            stalled = 0
            continue
        stalled += 1
        if rest <= ROUNDING_FLOOR and closure <= ROUNDING_FLOOR:
            # as low as rounding lets it go
            return Outcome(CONVERGED, iteration, residual, closure, index, shifted, escapes, factorisations)
        if stalled > 3:
            return Outcome(NO_DESCENT, iteration, residual, closure, index, shifted, escapes, factorisations)
        shift_memory = max(shift_memory, FIRST_SHIFT * scales.soft) * SHIFT_GROWTH**2
    return Outcome(OUT_OF_ITERATIONS, most_iterations, residual, closure, index, shifted, escapes, factorisations)


@kernel
def resolution(chain: Chain, q: Array, nu: Array, stiffness: Array) -> tuple[float, float]:
    """(max h √(|n|/B), largest rotation between neighbouring frames in rad)."""
    coarse = 0.0
    for s in range(len(chain.h)):
        n = internal_force(chain.force, chain.run, nu, s)
        force = np.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)
        coarse = max(coarse, chain.h[s] ** 2 * force / min(stiffness[s, 0], stiffness[s, 1]))
    cosine = 1.0
    for i in range(len(q) - 1):
        c = abs(q[i, 0] * q[i + 1, 0] + q[i, 1] * q[i + 1, 1] + q[i, 2] * q[i + 1, 2] + q[i, 3] * q[i + 1, 3])
        cosine = min(cosine, c)
    return np.sqrt(coarse), 2.0 * np.arccos(cosine)


@kernel
def descend(
    chain: Chain, work: Work, q: Array, nu: Array, scales: Scales, most_iterations: int, stiffness: Array
) -> tuple[Outcome, tuple[float, float]]:
    """`equilibrium`, leaving saddles, and the `resolution` there: one call from Python is cheaper than two."""
    outcome = equilibrium(chain, work, q, nu, scales, most_iterations, True)
    return outcome, resolution(chain, q, nu, stiffness)


@kernel
def set_right_side(columns: Array, gradient: Array, width: int) -> None:
    """The last column is −g."""
    for i in range(len(gradient)):
        for k in range(3):
            columns[i, width, k] = -gradient[i, k]


@kernel
def turn_back(work: Work, q: Array, nu: Array, runs: int) -> None:
    """Undoes the last step."""
    for i in range(len(q)):
        for k in range(4):
            q[i, k] = work.trial[i, k]
    for j in range(runs):
        nu[j] = work.nu_old[j]


@kernel
def acting_force(nu: Array, runs: int, scales: Scales) -> float:
    largest = scales.force
    for j in range(runs):
        largest = max(largest, abs(nu[j]))
    return largest


@kernel
def neutral_shift(scales: Scales) -> float:
    return max(scales.neutral * scales.soft, ROUNDING * scales.block)


@kernel
def errors(chain: Chain, work: Work, scales: Scales) -> tuple[float, float]:
    """(largest moment residual / (scale·L), largest closure error / L)."""
    gradient = work.gradient
    residual = 0.0
    for i in range(len(gradient)):
        for k in range(3):
            value = abs(gradient[i, k])
            if not value <= residual:
                residual = value
    closure = 0.0
    for j in range(len(chain.target)):
        value = abs(work.closure[j])
        if not value <= closure:
            closure = value
    return residual / (scales.force * scales.length), closure / scales.length


@kernel
def border_inertia(chain: Chain, work: Work) -> int:
    """n₋(S) of S = A K⁻¹ Aᵀ + E, from the last factorisation."""
    runs = len(chain.target)
    for j in range(runs):
        for k in range(runs):
            work.matrix[j, k] = work.schur[j, k] + work.border[j, k]
    return dense.symmetric_inertia(runs, work.matrix, work.pivots)


@kernel
def newton_step(chain: Chain, work: Work, nu: Array) -> bool:
    """Fills work.step = dφ and work.nu_new = ν + dν from the last factorisation.

    A moment load at a frame adds the skew block X = ∓½ [m]× to K (− in world axes, + turning with the frame): it
    has no energy. It enters as three more border unknowns z = −X φ at that frame, which keeps K symmetric.
    """
    runs = len(chain.target)
    width = len(chain.first)
    for j in range(width):
        for k in range(width):
            work.matrix[j, k] = work.schur[j, k]
        work.right[j] = -work.schur[j, width]
    for j in range(runs):
        work.right[j] -= work.closure[j]
        for k in range(runs):
            work.matrix[j, k] += work.border[j, k]
    for m in range(len(chain.moment_site)):
        half = 0.5 if chain.moment_turns[m] == 1 else -0.5
        b0 = half * work.body_moment[m, 0]
        b1 = half * work.body_moment[m, 1]
        b2 = half * work.body_moment[m, 2]
        r = runs + 3 * m
        for k in range(width + 1):
            s0 = work.schur[r, k]
            s1 = work.schur[r + 1, k]
            s2 = work.schur[r + 2, k]
            x0 = -b2 * s1 + b1 * s2
            x1 = b2 * s0 - b0 * s2
            x2 = -b1 * s0 + b0 * s1
            if k < width:
                work.matrix[r, k] = x0
                work.matrix[r + 1, k] = x1
                work.matrix[r + 2, k] = x2
            else:
                work.right[r] = -x0
                work.right[r + 1] = -x1
                work.right[r + 2] = -x2
        for k in range(3):
            work.matrix[r + k, r + k] += 1.0
    if not dense.solve(width, work.matrix, work.right, work.pivots):
        return False
    blocks.back_substitute(len(work.step), width, chain.first, work.right, work.ratio, work.solved, work.step)
    for j in range(runs):
        work.nu_new[j] = nu[j] + work.right[j]
    return True


@kernel
def moment_work(chain: Chain, work: Work, length: float) -> float:
    """−∫ m·dφ along the step: the nearest thing to an energy that a moment load has."""
    value = 0.0
    for k in range(len(chain.moment_site)):
        i = chain.moment_site[k]
        for l in range(3):
            value -= work.body_moment[k, l] * work.step[i, l] * length
    return value


@kernel
def merit(chain: Chain, work: Work, q: Array, penalty: float) -> float:
    """ℒ(R, ν₊) + ½ k |c|²; leaves c in work.right."""
    value = lagrangian(chain, q, work.nu_new, work.right)
    for j in range(len(chain.target)):
        value += 0.5 * penalty * work.right[j] * work.right[j]
    return value


@kernel
def merit_before(chain: Chain, work: Work, nu: Array, scales: Scales, value: float) -> tuple[float, float]:
    """(merit at the present frames, penalty k), from what `assemble` left: no new evaluation.

    ℒ is quadratic in ν: ℒ(ν₊) = ℒ − dν·c − ½ dν·E dν and c(ν₊) = c + E dν. The slope of the merit along the step is
    −dφ·K dφ − k |c|², and dφ·K dφ may be negative; with K dφ = −g + Aᵀdν and A dφ = −c(ν₊) it is −g·dφ − dν·c(ν₊).
    """
    runs = len(chain.target)
    gradient, step = work.gradient, work.step
    bend = 0.0
    for i in range(len(step)):
        for k in range(3):
            bend -= gradient[i, k] * step[i, k]
    square = 0.0
    for j in range(runs):
        change = 0.0
        for k in range(runs):
            change += work.border[j, k] * (work.nu_new[k] - nu[k])
        c = work.closure[j] + change
        dnu = work.nu_new[j] - nu[j]
        value -= dnu * (work.closure[j] + 0.5 * change)
        bend -= dnu * c
        square += c * c
    penalty = max(scales.penalty, 10.0 * acting_force(nu, runs, scales) / scales.length)
    if bend < 0.0 and square > 0.0:
        penalty = max(penalty, -2.0 * bend / square)
    return value + 0.5 * penalty * square, penalty


@kernel
def largest_turn(step: Array) -> float:
    largest = 0.0
    for i in range(len(step)):
        largest = max(largest, step[i, 0] ** 2 + step[i, 1] ** 2 + step[i, 2] ** 2)
    return math.sqrt(largest)


@kernel
def take(work: Work, q: Array, nu: Array, runs: int) -> None:
    """The trial becomes the state; the old frames stay in `trial`, the old multipliers in `nu_old`."""
    trial = work.trial
    for i in range(len(q)):
        for k in range(4):
            old = q[i, k]
            q[i, k] = trial[i, k]
            trial[i, k] = old
    for j in range(runs):
        work.nu_old[j] = nu[j]
        nu[j] = work.nu_new[j]


@kernel
def tears(q: Array, trial: Array) -> bool:
    """Whether some pair of neighbouring frames has turned through half a turn: a turn of twist would be lost.

    A pair that is nearly half a turn apart to begin with, as in a rough guess, may settle on either side.
    """
    for i in range(len(q) - 1):
        before = q[i, 0] * q[i + 1, 0] + q[i, 1] * q[i + 1, 1] + q[i, 2] * q[i + 1, 2] + q[i, 3] * q[i + 1, 3]
        after = (
            trial[i, 0] * trial[i + 1, 0]
            + trial[i, 1] * trial[i + 1, 1]
            + trial[i, 2] * trial[i + 1, 2]
            + trial[i, 3] * trial[i + 1, 3]
        )
        if before * after < 0.0 and abs(before) > UNDECIDED:
            return True
    return False


@kernel
def line_search(
    chain: Chain, work: Work, q: Array, nu: Array, scales: Scales, value: float, turn: float, near: bool
) -> bool:
    """Takes the longest of the steps 1, ½, ¼, … that lowers the merit; False if none does.

    `near` the solution Newton is quadratic and the merit only rounding: the whole step is taken.
    """
    runs = len(chain.target)
    length = min(1.0, LARGEST_TURN / turn) if turn > 0.0 else 1.0
    before, penalty = merit_before(chain, work, nu, scales, value)
    # rounding of the sums: a smaller change of the merit says nothing
    noise = 1e-13 * (abs(before) + scales.force * scales.length)
    for _ in range(14):
        turn_frames(q, work.step, length, work.trial)
        if not tears(q, work.trial):
            after = merit(chain, work, work.trial, penalty) + moment_work(chain, work, length)
            if after <= before + noise or (near and after == after):
                take(work, q, nu, runs)
                return True
        length *= 0.5
    for j in range(runs):  # the multipliers alone may still be right
        nu[j] = work.nu_new[j]
    return False


@kernel
def residual_search(chain: Chain, work: Work, q: Array, nu: Array, scales: Scales, turn: float) -> bool:
    """Takes the longest of the steps 1, ½, ¼, … that leaves less out of balance; False if none does.

    Moments have no energy: where no step lowers what comes nearest to one, Newton's still leads to a root. The old
    multipliers are in `nu_old`.
    """
    runs = len(chain.target)
    before = imbalance(work, scales, runs)
    for i in range(len(q)):
        for k in range(4):
            work.before[i, k] = q[i, k]
    length = min(1.0, LARGEST_TURN / turn) if turn > 0.0 else 1.0
    for _ in range(10):
        turn_frames(work.before, work.step, length, work.trial)
        if not tears(work.before, work.trial):
            for i in range(len(q)):
                for k in range(4):
                    q[i, k] = work.trial[i, k]
            for j in range(runs):
                nu[j] = work.nu_old[j] + length * (work.nu_new[j] - work.nu_old[j])
            assemble(chain, work, q, nu)
            if imbalance(work, scales, runs) < (1.0 - 0.1 * length) * before:
                return True
        length *= 0.5
    for i in range(len(q)):
        for k in range(4):
            q[i, k] = work.before[i, k]
    for j in range(runs):
        nu[j] = work.nu_old[j]
    return False


@kernel
def imbalance(work: Work, scales: Scales, runs: int) -> float:
    """|g|²/(force·length)² + |c|²/length², of what `assemble` left."""
    moments = 0.0
    for i in range(len(work.gradient)):
        for k in range(3):
            moments += work.gradient[i, k] ** 2
    gaps = 0.0
    for j in range(runs):
        gaps += work.closure[j] ** 2
    return moments / (scales.force * scales.length) ** 2 + gaps / scales.length**2


@kernel
def unstable_direction(chain: Chain, work: Work) -> None:
    """work.step: the direction of least stiffness that keeps the closure, by inverse iteration.

    Uses the shifted factors at hand; the shift makes the most negative direction the smallest in size.
    """
    runs = len(chain.target)
    width = len(chain.first)
    count = len(work.step)
    seed = 1
    for i in range(count):
        for k in range(3):
            seed = (1103515245 * seed + 12345) % 2147483648  # any fixed sequence: results must repeat
            work.step[i, k] = (seed / 1073741824.0 - 1.0) * chain.mask[i, k]
    for _ in range(6):
        norm = 0.0
        for i in range(count):
            for k in range(3):
                norm += work.step[i, k] ** 2
        norm = 1.0 / np.sqrt(norm)
        for i in range(count):
            for k in range(3):
                work.columns[i, width, k] = norm * work.step[i, k] * chain.mask[i, k]
        blocks.new_right_side(
            count, width, chain.first, work.inverse, work.ratio, work.columns, work.solved, work.schur
        )
        for j in range(runs):
            work.right[j] = -work.schur[width, j]
            for k in range(runs):
                work.matrix[j, k] = work.schur[j, k] + work.border[j, k]
        for j in range(runs, width):
            work.right[j] = 0.0
        dense.solve(runs, work.matrix, work.right, work.pivots)
        blocks.back_substitute(count, width, chain.first, work.right, work.ratio, work.solved, work.step)


@kernel
def leave_saddle(chain: Chain, work: Work, q: Array, nu: Array, scales: Scales) -> None:
    """Turns the frames along the unstable direction, to the lower side."""
    unstable_direction(chain, work)
    largest = 0.0
    for i in range(len(q)):
        for k in range(3):
            largest = max(largest, abs(work.step[i, k]))
    for j in range(len(chain.target)):
        work.nu_new[j] = nu[j]
    length = ESCAPE_TURN / largest
    turn_frames(q, work.step, -length, work.trial)
    down = merit(chain, work, work.trial, scales.penalty)
    turn_frames(q, work.step, length, work.trial)
    up = merit(chain, work, work.trial, scales.penalty)
    if down < up:
        turn_frames(q, work.step, -length, work.trial)
    for i in range(len(q)):
        for k in range(4):
            q[i, k] = work.trial[i, k]


@kernel
def count_neutral(chain: Chain, work: Work, q: Array, nu: Array, scales: Scales) -> int:
    """Directions without stiffness: those whose sign a tiny shift to either side decides."""
    assemble(chain, work, q, nu)
    return index_beside(chain, work, scales, -1.0) - index_beside(chain, work, scales, 1.0)


@kernel
def index_beside(chain: Chain, work: Work, scales: Scales, sense: float) -> int:
    """The index of what `assemble` left, shifted to one side by the stiffness that counts as none."""
    width = len(chain.first)
    negative = blocks.factor(
        len(work.step), width, chain.first, sense * neutral_shift(scales), 1e-15 * scales.block, work.diagonal,
        work.upper, work.columns, chain.mask, work.inverse, work.ratio, work.solved, work.carried, work.schur,
    )  # fmt: skip
    return negative - border_inertia(chain, work)
