"""Newton's method on all branches and hubs at once.  [docs/theory/core.md §5]"""

import math
from typing import NamedTuple

from lissom.geometry.triples import (
    Quaternion,
    add,
    apply,
    cross,
    dot,
    normalized,
    quaternion_product,
    rotation,
    tangent,
    turned,
)
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.rods.core.factor import back, factor
from lissom.rods.core.model import Array, Model, State, Work
from lissom.rods.core.residuals import assemble, four, imbalance, three

CONVERGED = 0
OUT_OF_ITERATIONS = 1
NO_DESCENT = 2
NOT_FINITE = 3

# A step turns nothing by more than this (rad).
LARGEST_TURN = 1.2
# Directions with less stiffness than this, in units of B h/L², are held back on the way; at rest they count as neutral
# below the second.
NEARLY_NEUTRAL = 1e-3
NEUTRAL = 1e-5
# Shifts until nothing falls any more: the first, in the same units, and their growth.
FIRST_SHIFT = 2.0
SHIFT_GROWTH = 4.0
MOST_SHIFTS = 30


class Outcome(NamedTuple):
    """How it ended."""

    status: int
    iterations: int
    moment: float  # N m, the largest that is missing
    force: float  # N, likewise
    closure: float  # m, the largest error of a segment
    falling: int  # directions in which the energy falls
    shifted: int  # steps that needed a shift


@kernel
def advance(model: Model, state: State, work: Work, tolerance: float, most: int) -> Outcome:
    """Moves frames, places, forces and hubs to an equilibrium, in at most so many steps.

    There, no force is missing by more than `tolerance` of the largest, no moment of that times the length, and no
    segment is closed worse than by `tolerance` of the length.
    """
    shifted = 0
    falling = 0
    for iteration in range(most + 1):
        closure = assemble(model, state, work)
        moment, force, acting = imbalance(model, state, work)
        if not (moment < 1e300 and force < 1e300 and closure < 1e300):
            return Outcome(NOT_FINITE, iteration, moment, force, closure, falling, shifted)
        largest = max(model.force, acting)
        there = (
            force <= tolerance * largest
            and moment <= tolerance * largest * model.length
            and closure <= tolerance * model.length
        )
        shift = (NEUTRAL if there else NEARLY_NEUTRAL) * model.soft
        falling = factor(model, state, work, shift)
        if there:
            return Outcome(CONVERGED, iteration, moment, force, closure, falling, shifted)
        if iteration == most:
            break
        tried = 0
        while falling > 0 and tried < MOST_SHIFTS:
            tried += 1
            shift = max(FIRST_SHIFT * model.soft, SHIFT_GROWTH * shift)
            falling = factor(model, state, work, shift)
        if falling > 0:
            return Outcome(NO_DESCENT, iteration, moment, force, closure, falling, shifted)
        shifted += tried > 0
        back(model, state, work)
        take(model, state, work)
    return Outcome(OUT_OF_ITERATIONS, most, moment, force, closure, falling, shifted)


@kernel
def take(model: Model, state: State, work: Work) -> None:
    """As much of a step as turns nothing too far."""
    largest = 0.0
    for k in range(len(work.phi)):
        largest = max(largest, size(work.phi, k))
    for hub in range(len(work.hub_phi)):
        largest = max(largest, size(work.hub_phi, hub))
    part = 1.0 if largest <= LARGEST_TURN**2 else LARGEST_TURN / math.sqrt(largest)
    for b in range(len(model.first)):
        first, last, sense, row = model.first[b], model.last[b], model.sense[b], model.row[b]
        for j in range(last - first + 1):
            i = first + j if sense > 0.0 else last - j
            seated = (j == 0 and model.start.hub[b] >= 0) or (j == last - first and model.end.hub[b] >= 0)
            for k in range(3):
                if j < last - first:
                    state.n[i if sense > 0.0 else i - 1, k] += sense * part * work.u[row + j, k]
                if not seated:
                    state.x[i, k] += part * work.dx[row + j, k]
            if not (seated and is_framed(model, b, j == 0)):
                turn(state.q, i, work.phi, row + j, part)
    for hub in range(len(work.hub_phi)):
        turn(state.p, hub, work.hub_phi, hub, part)
        for k in range(3):
            state.y[hub, k] += part * work.hub_dy[hub, k]
    seat(model, state)


@inline
def size(a: Array, k: int) -> float:
    return float(a[k, 0] * a[k, 0] + a[k, 1] * a[k, 1] + a[k, 2] * a[k, 2])


@inline
def is_framed(model: Model, b: int, at_start: bool) -> bool:
    return bool((model.start.direction[b] if at_start else model.end.direction[b]) == 2)


@inline
def turn(q: Array, i: int, phi: Array, k: int, part: float) -> None:
    if phi[k, 0] == 0.0 and phi[k, 1] == 0.0 and phi[k, 2] == 0.0:
        return
    p = turned(four(q, i), (part * phi[k, 0], part * phi[k, 1], part * phi[k, 2]))
    for l in range(4):
        q[i, l] = p[l]


@kernel
def seat(model: Model, state: State) -> None:
    """Puts the nodes that sit on hubs where these have them, with the frames or tangents that they hold."""
    for b in range(len(model.first)):
        for side in range(2):
            on = model.start if side == 0 else model.end
            hub = on.hub[b]
            if hub < 0:
                continue
            i = model.first[b] if (side == 0) == (model.sense[b] > 0.0) else model.last[b]
            p = four(state.p, hub)
            x = add(three(state.y, hub), apply(rotation(p), three(on.offset, b)))
            for k in range(3):
                state.x[i, k] = x[k]
            if on.direction[b] == 0:
                continue
            held = quaternion_product(p, four(on.turn, b))
            q = held if on.direction[b] == 2 else carried(four(state.q, i), held)
            away = q[0] * state.q[i, 0] + q[1] * state.q[i, 1] + q[2] * state.q[i, 2] + q[3] * state.q[i, 3]
            for k in range(4):
                state.q[i, k] = q[k] if away >= 0.0 else -q[k]


@inline
def carried(q: Quaternion, to: Quaternion) -> Quaternion:
    """A frame turned by the smallest rotation so that its d3 is that of another; nearly there already."""
    a, b = tangent(q), tangent(to)
    c = cross(a, b)
    return normalized(quaternion_product((1.0 + dot(a, b), c[0], c[1], c[2]), q))
