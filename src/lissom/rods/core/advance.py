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
from lissom.rods.core import border
from lissom.rods.core.border import (
    MOST_EXCHANGES,
    TOGETHER,
    between_cables,
    closed_between,
    gap_between,
    meet_acts,
    moved_half,
)
from lissom.rods.core.factor import back, factor
from lissom.rods.core.meets import deepest_meet, meet, sight_of, would_run_both
from lissom.rods.core.model import Array, Indices, Meets, Met, Model, Places, Pressed, Seats, State, Work
from lissom.rods.core.places import deepest, find, would_run
from lissom.rods.core.residuals import assemble, four, imbalance, swung_by_contacts, three
from lissom.rods.core.terms import PRESSES, closed, moved, place_terms

CONVERGED = 0
OUT_OF_ITERATIONS = 1
NO_DESCENT = 2
NOT_FINITE = 3
NO_ROOM = 4
TOO_DEEP = 5
NO_COLUMNS = 6

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
# Places give way by this part of what a segment does, about the forces they have.
PROXIMAL = 1e-4
# A place presses from the start where it is deeper than this part of what is allowed; one that presses is closed to
# less than the second.
NOTICED = 0.3
CLOSED = 1e-3
# For so many steps places run, then for so many they stay where they are: two of them could chase each other for ever.
RUNNING = 12
STILL = 18
# A step moves nothing by more than this part of what cables see, nor by more than this part of the distance nearer to
# a part.
SEEN = 0.8


class Outcome(NamedTuple):
    """How it ended."""

    status: int
    iterations: int
    moment: float  # N m, the largest that is missing
    force: float  # N, likewise
    closure: float  # m, the largest error of a segment
    falling: int  # directions in which the energy falls
    shifted: int  # steps that needed a shift
    deep: float  # m: how deep cables are in parts


@kernel
def advance(model: Model, state: State, work: Work, tolerance: float, most: int) -> Outcome:
    """Moves frames, places, forces and hubs to an equilibrium, in at most so many steps.

    There, no force is missing by more than `tolerance` of the largest, no moment of that times the length, and no
    segment is closed worse than by `tolerance` of the length.
    """
    shifted = 0
    falling = 0
    touching = len(model.among.cable) > 0 or len(model.among.cables.touch) > 0
    deep = apart = 0.0
    still, turns = False, 0
    for iteration in range(most + 1):
        closure = assemble(model, state, work)
        if touching:
            if turns == (STILL if still else RUNNING):
                still, turns = not still, 0
            turns += 1
            if (
                find(model, state, work, still) < 0
                or not place_terms(model, state, work, PROXIMAL * model.yielding)
                or meet(model, state, work, still) < 0
            ):
                return Outcome(NO_ROOM, iteration, 0.0, 0.0, closure, falling, shifted, deep)
            meet_acts(model, state, work)
            swung_by_contacts(model, state, work)
            deep, apart = closed(work.places, model.among.cable, model.among.cables.radius)
            between_deep, between_apart = closed_between(work.meets, model.among.cables.radius)
            deep, apart = max(deep, between_deep), max(apart, between_apart)
        moment, force, acting = imbalance(model, state, work)
        if not (moment < 1e300 and force < 1e300 and closure < 1e300):
            return Outcome(NOT_FINITE, iteration, moment, force, closure, falling, shifted, deep)
        largest = max(model.force, acting)
        there = (
            force <= tolerance * largest
            and moment <= tolerance * largest * model.length
            and closure <= tolerance * model.length
            and deep <= model.among.cables.depth
            and apart <= CLOSED * model.among.cables.depth
        )
        if there and still and (would_run(model, state, work) or would_run_both(model, state, work)):
            there, turns = False, STILL
        shift = (NEUTRAL if there else NEARLY_NEUTRAL) * model.soft
        falling = stepped(model, state, work, shift, there)
        if falling >= border.NO_ROOM:
            return Outcome(NO_COLUMNS, iteration, 0.0, 0.0, closure, 0, shifted, deep)
        if there:
            keep(work.places, work.meets, state.pressed, state.met)
            deep = max(deep, deepest(model, state, work), deepest_meet(model, state, work)) if touching else 0.0
            status = CONVERGED if deep <= model.among.cables.depth else TOO_DEEP
            return Outcome(status, iteration, moment, force, closure, falling, shifted, deep)
        if iteration == most:
            break
        tried = 0
        while falling > 0 and tried < MOST_SHIFTS:
            tried += 1
            shift = max(FIRST_SHIFT * model.soft, SHIFT_GROWTH * shift)
            falling = stepped(model, state, work, shift, there)
        if falling > 0:
            return Outcome(NO_DESCENT, iteration, moment, force, closure, falling, shifted, deep)
        shifted += tried > 0
        part = as_much(model, work)
        take(model, state, work, part)
        press(work.places, work.meets, part)
        keep(work.places, work.meets, state.pressed, state.met)
    return Outcome(OUT_OF_ITERATIONS, most, moment, force, closure, falling, shifted, deep)


# ---- what presses ----------------------------------------------------------------------------------------------------


@kernel
def stepped(model: Model, state: State, work: Work, shift: float, there: bool) -> int:
    """The step, with the places that press in it; in how many directions the energy falls. `there`: no step."""
    p, terms, meets = work.places, work.terms, work.meets
    row, radius, noticed = model.among.cables.row, model.among.cables.radius, NOTICED * model.among.cables.depth
    for c in range(p.total[0]):
        p.on[c] = int(p.force[c] > 0.0 or (gap_of(p, model.among.cable, radius, c) < -noticed and not there))
    for c in range(meets.total[0]):
        meets.on[c] = int(meets.force[c] > 0.0 or (gap_between(meets, radius, c) < -noticed and not there))
    before, single, falling = 1 << 30, False, 0
    for exchange in range(MOST_EXCHANGES):
        for j in range(terms.total[0]):
            terms.on[j] = p.on[terms.place[j]]
        falling = linear(model, state, work, shift, there)
        if there or falling > 0:
            break
        wrong, worst, which = 0, 0.0, -1
        for j in range(terms.total[0]):
            if terms.kind[j] != PRESSES:
                continue
            c = terms.place[j]
            much = 0.0
            if p.on[c] == 1:
                p.wanted[c] = terms.q[j]
                much = -terms.q[j] * model.yielding
            else:
                p.wanted[c] = 0.0
                much = (
                    -gap_of(p, model.among.cable, radius, c)
                    - moved(terms.act, work.dx, work.phi, j, model.among.cables.row[p.segment[c]])
                    - noticed
                )
            if much > 0.0:
                wrong += 1
                if much > worst:
                    worst, which = much, c
                if not single:
                    p.on[c] = 1 - p.on[c]
        met = 0
        for c in range(meets.total[0]):
            if meets.on[c] == 1 or meets.force[c] > 0.0:
                continue
            if gap_between(meets, radius, c) - nearing(meets, row, work.dx, work.phi, c) < -noticed:
                meets.on[c] = 1
                met += 1
        if wrong + met == 0:
            break
        if single and which >= 0:
            p.on[which] = 1 - p.on[which]
        elif exchange >= TOGETHER and wrong >= before:
            single = True
        before = min(before, wrong)
    return falling


@kernel
def linear(model: Model, state: State, work: Work, shift: float, there: bool) -> int:
    """The step with the places that press now, and its index."""
    if work.meets.total[0] > 0:
        noticed = NOTICED * model.among.cables.depth
        return int(between_cables(model, state, work, shift, PROXIMAL * model.yielding, noticed, there))
    index, trees = 0, len(model.tree) - 1
    for tree in range(trees):
        index += factor(model, state, work, shift, tree)
    if index <= 0 and not there:
        for tree in range(trees):
            back(model, state, work, tree)
    return index


@inline
def nearing(p: Meets, row: Indices, dx: Array, phi: Array, c: int) -> float:
    """By how much the step closes the gap of a place between cables, m."""
    one = moved_half(row, p.segment, dx, phi, p.act, c, c, 0)
    return -one - moved_half(row, p.segment, dx, phi, p.act, c, c, 1)


@inline
def gap_of(p: Places, cable: Indices, radius: Array, c: int) -> float:
    return float(p.distance[c] - radius[cable[p.pair[c]]])


@inline
def press(p: Places, meets: Meets, part: float) -> None:
    """The forces after a part of a step."""
    for c in range(p.total[0]):
        p.force[c] = max(0.0, p.force[c] + part * (p.wanted[c] * p.on[c] - p.force[c]))
    for c in range(meets.total[0]):
        meets.force[c] = max(0.0, meets.force[c] + part * (meets.wanted[c] * meets.on[c] - meets.force[c]))


@inline
def keep(p: Places, meets: Meets, old: Pressed, met: Met) -> None:
    """What presses is known in the next step."""
    count = 0
    for c in range(p.total[0]):
        if p.force[c] > 0.0:
            old.pair[count], old.at[count], old.force[count] = p.pair[c], p.segment[c] + p.t[c], p.force[c]
            old.ran[count] = p.runs[c]
            for l in range(3):
                old.normal[count, l] = p.normal[c, l]
            count += 1
    old.total[0] = count
    count = 0
    for c in range(meets.total[0]):
        if meets.force[c] > 0.0:
            for l in range(2):
                met.at[count, l] = meets.segment[c, l] + meets.t[c, l]
            met.force[count], met.ran[count] = meets.force[c], meets.runs[c, 0]
            for l in range(3):
                met.normal[count, l] = meets.normal[c, l]
            count += 1
    met.total[0] = count


@kernel
def as_much(model: Model, work: Work) -> float:
    """The part of a step that turns nothing too far, goes no farther than cables see, and through nothing."""
    largest = 0.0
    for k in range(len(work.phi)):
        largest = max(largest, size(work.phi, k))
    for hub in range(len(work.hub_phi)):
        largest = max(largest, size(work.hub_phi, hub))
    part = 1.0 if largest <= LARGEST_TURN**2 else LARGEST_TURN / math.sqrt(largest)
    p, terms, meets = work.places, work.terms, work.meets
    if p.total[0] + meets.total[0] == 0:
        return part
    far, sight = 0.0, 1e300
    for k in range(len(work.dx)):
        far = max(far, size(work.dx, k))
    for c in range(len(model.among.cables.sight)):
        sight = min(sight, model.among.cables.sight[c])
    for c in range(meets.total[0]):
        sight = min(sight, sight_of(model.among.cables, meets.cable[c, 0], meets.cable[c, 1]))
    if far * part * part > (SEEN * sight) ** 2:
        part = SEEN * sight / math.sqrt(far)
    for j in range(terms.total[0]):
        if terms.kind[j] == PRESSES:
            c = terms.place[j]
            closing = -moved(terms.act, work.dx, work.phi, j, model.among.cables.row[p.segment[c]])
            if p.distance[c] > 0.0 and part * closing > SEEN * p.distance[c]:
                part = SEEN * p.distance[c] / closing
    for c in range(meets.total[0]):
        closing = nearing(meets, model.among.cables.row, work.dx, work.phi, c)
        if part * closing > SEEN * meets.distance[c]:
            part = SEEN * meets.distance[c] / closing
    return part


@kernel
def take(model: Model, state: State, work: Work, part: float) -> None:
    """A part of the step."""
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
            if not (seated and is_framed(model.start, model.end, b, j == 0)):
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
def is_framed(start: Seats, end: Seats, b: int, at_start: bool) -> bool:
    return bool((start.direction[b] if at_start else end.direction[b]) == 2)


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
