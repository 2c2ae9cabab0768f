"""GS07's own formulation: positions and orientations together, held by integral forces [GS07 §4–§6].

The second formulation behind the solver, and its last resort. The unknowns are the positions of the points
and the turns of the frames [GS07 §4.1]; length and coherence are one vector constraint c per segment, kept by
an augmented Lagrangian (see augmented_terms.py). With the multipliers n and the penalty ρ held fixed its
energy is minimised by the methods of augmented_methods.py; then "the new force is the old one augmented with
the difference" [GS07 §5.2]:

    n ← n + ρ c,   and ρ grows where |c| does not fall.

GS07 updates the integral forces at a fixed gain until the error is small. That converges at a fixed rate; so
close to the solution positions, frames and multipliers move together by Newton's method on all of them
(`finish`).

The discretisation is that of the staggered chain, so both formulations have the same discrete equilibria. A
moment load has no energy: its Hessian is left out, and far from small moments convergence is not promised.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.kernels import kernel
from lissom.rods import augmented_band as banded
from lissom.rods import augmented_methods as ways
from lissom.rods import chain as chains
from lissom.rods import newton
from lissom.rods.augmented_layout import make_layout, start
from lissom.rods.augmented_methods import ALL_METHODS, NEWTON
from lissom.rods.augmented_motion import moved
from lissom.rods.augmented_terms import (
    Layout,
    State,
    assemble,
    predict_multipliers,
    update_multipliers,
)
from lissom.rods.chain import STAGGERED, Chain
from lissom.rods.grid import Grid
from lissom.rods.line import Line
from lissom.rods.newton import CONVERGED, NO_DESCENT, NOT_FINITE, OUT_OF_ITERATIONS, Scales

Array = NDArray[np.float64]

# The first penalty, in units of the largest of B/L², weight, loads and known multipliers. Anything from 10 to
# 100 does as well (600 of 600 random scenes each); higher makes the valley narrow and Newton's steps short.
FIRST_PENALTY = 30.0
PENALTY_GROWTH = 10.0
# |c| has to fall to this part from one update of the multipliers to the next, else the penalty grows.
ENOUGH = 0.25
# Past this penalty (same units) the constraint is as good as exact, and only the valley gets narrower.
LARGEST_PENALTY = 1e4
# The penalty of `finish` in the same units, and in units of B/h²: its steps gain about this factor.
FINISH_PENALTY = 1e4
FINISH_SHARPNESS = 1e3
# The energy is minimised until the imbalance is this part of the coming change of the multipliers.
LOOSENESS = 0.1
# … but not further than rounding allows: positions are known to ε L, hence each force ρ c to ε ρ L/h.
ROUNDING = 1e-15
# An unstable state is left as a saddle once its imbalance is this part of what is asked of a stable one.
STILL = 0.01
MOST_INNER = 60
MOST_ESCAPES = 20
# `finish` starts once the cable is stretched by less than this, and goes on while errors fall by GAIN a step.
NEAR = 0.1
GAIN = 0.5

# How a minimisation ends: at a loose minimum, after its share of steps, with no way down, not finite.
SOLVED = 0
UNDER_WAY = 1
STUCK = 2
LOST = 3


class Outcome(NamedTuple):
    status: int  # of newton.py: CONVERGED, OUT_OF_ITERATIONS, NO_DESCENT, NOT_FINITE
    iterations: int  # steps of all methods
    outer: int  # updates of the multipliers
    residual: float  # relative to max(EI/L², wL, loads), as in newton.errors
    closure: float  # relative to L, as in newton.errors
    methods_used: int  # bits: ways.NEWTON | CONJUGATE_GRADIENTS | STEEPEST_DESCENT | ALONG_FORCES
    shifted: int  # Newton steps that needed a shift
    escapes: int  # saddles left
    penalty: float  # the last ρ, N


def equilibrium(
    line: Line,
    grid: Grid,
    chain: Chain,
    q: Array,
    nu: Array,
    scales: Scales,
    most_iterations: int = 400,
    methods: int = ALL_METHODS,
) -> Outcome:
    """Moves the frames q and run forces nu of a staggered chain to an equilibrium; they keep the last state.

    Positions start where the frames put them, stretched evenly so that the supports are met. `methods` leaves
    out parts of the safety chain.
    """
    if chain.scheme != STAGGERED:
        raise ValueError("augmented.equilibrium needs the staggered chain, not the polished one")
    layout = make_layout(line, grid, chain, scales)
    state = start(line, grid, chain, q, nu)
    work = ways.workspace(chain, layout)
    outcome: Outcome = descend(
        chain, chains.workspace(chain), layout, state, work, nu, scales, most_iterations, methods
    )
    q[:] = state.q
    return outcome


def descend(
    chain: Chain,
    chain_work: chains.Work,
    layout: Layout,
    state: State,
    work: ways.Work,
    nu: Array,
    scales: Scales,
    most_iterations: int,
    methods: int,
) -> Outcome:
    """Minimise, update the multipliers, repeat; leaves the run forces in nu."""
    rho = FIRST_PENALTY * force_size(state, scales)
    before = np.inf
    outer = 0
    status = OUT_OF_ITERATIONS
    while work.tally[ways.ITERATIONS] < most_iterations:
        ended, stretch = minimise(chain, layout, state, work, rho, scales, most_iterations, methods)
        if ended == LOST:
            status = NOT_FINITE
            break
        if methods & NEWTON and stretch < NEAR and finish(chain, chain_work, layout, state, work, nu, rho, scales):
            status = CONVERGED
            break
        if ended == UNDER_WAY:
            continue
        update_multipliers(chain, layout, state.x, state.q, state.n, rho)
        outer += 1
        residual, closure = run_errors(chain, chain_work, state, work, nu, scales)
        if residual <= scales.residual and closure <= scales.closure:
            status = CONVERGED
            break
        if ended == STUCK and rho >= LARGEST_PENALTY * scales.force:
            status = NO_DESCENT
            break
        if stretch > ENOUGH * before:
            rho = min(PENALTY_GROWTH * rho, LARGEST_PENALTY * force_size(state, scales))
        before = stretch
    residual, closure = run_errors(chain, chain_work, state, work, nu, scales)
    tally = work.tally
    return Outcome(
        status=status,
        iterations=int(tally[ways.ITERATIONS]),
        outer=outer,
        residual=residual,
        closure=closure,
        methods_used=int(tally[ways.METHODS]),
        shifted=int(tally[ways.SHIFTED]),
        escapes=int(tally[ways.ESCAPES]),
        penalty=rho,
    )


@kernel
def force_size(state: State, scales: Scales) -> float:
    """The largest of B/L², weight, loads and multipliers, N."""
    size = scales.force
    for s in range(len(state.n)):
        for k in range(3):
            size = max(size, abs(state.n[s, k]))
    return float(size)


def minimise(
    chain: Chain,
    layout: Layout,
    state: State,
    work: ways.Work,
    rho: float,
    scales: Scales,
    most_iterations: int,
    methods: int,
) -> tuple[int, float]:
    """Down to a loose minimum at fixed n and ρ: (how it ended, largest |c| there)."""
    ended = STUCK
    stretch = np.inf
    finest = max(scales.residual, ROUNDING * len(state.x) ** 2 * rho / scales.force)
    for _ in range(MOST_INNER):
        stretch = assemble(chain, layout, state.x, state.q, state.n, rho, True, work.gradient, work.band)
        size = ways.gradient_size(layout, work, scales)
        if not (stretch < 1e300 and size < 1e300):
            return LOST, np.inf
        tolerance = max(finest, LOOSENESS * min(1.0, rho * stretch / scales.force))
        if size <= tolerance:
            stable = ways.definite(layout, work, scales) or len(chain.moment_site) > 0
            if stable or work.tally[ways.ESCAPES] >= MOST_ESCAPES:
                return SOLVED, stretch
            if size <= max(finest, STILL * tolerance):
                if not ways.leave_saddle(chain, layout, state, work, rho, scales):
                    return SOLVED, stretch
                assemble(chain, layout, state.x, state.q, state.n, rho, True, work.gradient, work.band)
        if work.tally[ways.ITERATIONS] >= most_iterations:
            break
        if not ways.lower_energy(chain, layout, state, work, rho, scales, methods, tolerance):
            return ended, stretch
        ended = UNDER_WAY
    return ended, stretch


def finish(
    chain: Chain,
    chain_work: chains.Work,
    layout: Layout,
    state: State,
    work: ways.Work,
    nu: Array,
    rho: float,
    scales: Scales,
) -> bool:
    """Newton's method on positions, frames and multipliers together; False, and nothing moved, if it fails.

    The step of the augmented Lagrangian with the multipliers n₊ = λ + ∂λ·step is that of the full system
    [K Aᵀ; A −1/ρ]: exact but for 1/ρ, which a large ρ makes small.
    """
    ways.copy_state(state, work.kept)
    update_multipliers(chain, layout, state.x, state.q, state.n, rho)
    rho = max(rho, FINISH_PENALTY * force_size(state, scales), FINISH_SHARPNESS * stiffest(chain))
    before = np.inf
    for _ in range(MOST_INNER):
        work.tally[ways.ITERATIONS] += 1
        assemble(chain, layout, state.x, state.q, state.n, rho, False, work.gradient, work.band)
        if not ways.definite(layout, work, scales) and len(chain.moment_site) == 0:
            break
        np.negative(work.gradient, out=work.step)
        banded.solve(work.lower, work.pivots, layout.first, work.step)
        if not ways.largest_turn(layout, work.step) < newton.ESCAPE_TURN:
            break
        predict_multipliers(chain, layout, state.x, state.q, state.n, rho, work.step, state.n)
        moved(chain, layout, state.x, state.q, work.step, 1.0, work.trial.x, work.trial.q)
        state.x[:] = work.trial.x
        state.q[:] = work.trial.q
        residual, closure = run_errors(chain, chain_work, state, work, nu, scales)
        if residual <= scales.residual and closure <= scales.closure:
            work.tally[ways.METHODS] |= NEWTON
            return True
        error = max(residual, closure)
        if not error <= GAIN * before:
            break
        before = error
    ways.copy_state(work.kept, state)
    return False


@kernel
def stiffest(chain: Chain) -> float:
    """Largest B/h², N: the force at which one segment buckles."""
    size = 0.0
    for e in range(len(chain.arc)):
        for k in range(2):
            size = max(size, chain.stiffness[e, k] / chain.arc[e] ** 2)
    return float(size)


@kernel
def run_errors(
    chain: Chain, chain_work: chains.Work, state: State, work: ways.Work, nu: Array, scales: Scales
) -> tuple[float, float]:
    """Fills nu, the mean of n − force over each run; returns (residual, closure) of newton.errors."""
    nu[:] = 0.0
    work.run_length[:] = 0.0
    for s in range(len(state.n)):
        for k in range(3):
            j = chain.run[s, k]
            if j >= 0:
                nu[j] += chain.h[s] * (state.n[s, k] - chain.force[s, k])
                work.run_length[j] += chain.h[s]
    for j in range(len(nu)):
        nu[j] /= work.run_length[j]
    chains.assemble(chain, chain_work, state.q, nu)
    return newton.errors(chain, chain_work, scales)
