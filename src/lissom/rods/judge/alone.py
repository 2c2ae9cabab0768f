"""What is asked of one cable by itself: it is held as it should be, everything balances, and shape, frames and moments
belong together [docs/theory/certificate.md].

One pass along the points, over what is handed out only. A segment from a to b of length h has the frames R_a, R_b, the
moments m_a (after a) and m_b (before b), the forces n_a and n_b.
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import (
    Quaternion,
    Vector,
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    quaternion_between,
    rotation,
    scale,
    sub,
    tangent,
)
from lissom.kernels import inline, lean_kernel
from lissom.rods.judge.answer import Answer
from lissom.rods.judge.asked import Asked, Poses

Array = NDArray[np.float64]

# The conditions, in the order of the rows that are filled.
FINITE, POINTS, PLACE, DIRECTION, ROLL, FREE, FORCE, MOMENT = range(8)
MATERIAL, SHAPE, STRETCH, SQUEEZE, PULL, SLIDE, RESOLUTION = range(8, 15)
NAMES = (
    *("finite", "points", "place", "direction", "roll", "free", "force", "moment", "material", "shape", "stretch"),
    *("squeeze", "pull", "slide", "resolution"),
)

# Bounds; docs/theory/certificate.md has the reason for each.
ON_POINT = 1e-9  # of the length: a place is a point
HELD = 1e-6  # of the length, and rad: where supports are while something is dragged
BALANCED = 1e-6  # of the largest force in the cable
ADDS_UP = 0.1  # of that, for each segment on the way: what each may be off while something is dragged
ROUNDING = 1e-6  # rad, and of a segment: what is not of the order of the grid
LONGER = 1e-3  # of a segment
FLAT = 0.95  # of the length: by how much a segment may be squeezed
DRIVEN = 2e-6  # of the largest force
SETTLED = 3e-7  # of the length: what a slide may be off, times the power with which a pull grows (30 at most)
LARGEST_TURN = 1.5  # rad a segment
WINDOW = 1.5  # segments: how far from its place a contact's force may enter the cable
NEARLY = 0.02  # of the radius: how far a contact acts from the centre line it is said to act on


@inline
def triple(a: Array, i: int) -> Vector:
    return (a[i, 0], a[i, 1], a[i, 2])


@inline
def frame(q: Array, i: int) -> Quaternion:
    return (q[i, 0], q[i, 1], q[i, 2], q[i, 3])


@inline
def size(a: Vector) -> float:
    return math.sqrt(dot(a, a))


@inline
def times(a: Vector, b: Vector) -> Vector:
    return (a[0] * b[0], a[1] * b[1], a[2] * b[2])


@inline
def rotation_vector(qa: Quaternion, qb: Quaternion) -> Vector:
    """log(R_aᵀR_b), the shorter way."""
    w, x, y, z = quaternion_between(qa, qb)
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    v = math.sqrt(x * x + y * y + z * z)
    k = 2.0 if v < 1e-9 else 2.0 * math.atan2(v, w) / v
    return (k * x, k * y, k * z)


@inline
def note(found: Array, row: int, value: float, bound: float, at: float) -> None:
    """Keeps the worst value over bound of a condition."""
    if found[row, 1] == 0.0 or not value <= bound * found[row, 3]:
        found[row, 0], found[row, 1], found[row, 2] = (0.0 if value <= 0.0 else value), bound, at
        found[row, 3] = found[row, 0] / bound if value < math.inf else math.inf


@lean_kernel
def look(
    asked: Asked,
    poses: Poses,
    answer: Answer,
    reactions: Array,
    places: Array,
    pushes: Array,
    room: Array,
    turns: Array,
    found: Array,
) -> None:
    """Fills found (conditions + 1, 4): value, bound, place and value/bound of the worst of each.

    reactions (supports, 6) N, N m; places (supports,) m; pushes (contacts, 8): place in segments, force, where it acts,
    radius. room (points,) and turns (points, 3) are overwritten. The last row has the residual (the largest
    imbalance of a point or a segment), what the supports are missed by, and how far
    the cable turns in all (rad).
    """
    s, x, q = answer.s, answer.positions, answer.quaternions
    last = len(s) - 1
    found[:] = 0.0
    total = 0.0
    for i in range(last + 1):
        for k in range(3):
            total += abs(x[i, k]) + abs(answer.force_before[i, k]) + abs(answer.force_after[i, k])
            total += abs(answer.moment_before[i, k]) + abs(answer.moment_after[i, k])
        for k in range(4):
            total += abs(q[i, k])
    for j in range(len(reactions)):
        for k in range(6):
            total += abs(reactions[j, k])
    note(found, FINITE, 0.0 if total < math.inf else math.inf, 1.0, 0.0)
    if not total < math.inf:
        return
    force = largest(asked, answer, pushes)
    near_points(asked, answer, places, found)
    supports(asked, poses, answer, reactions, force, found)
    windows(pushes, room)
    for i in range(last):
        theta = rotation_vector(frame(q, i), frame(q, i + 1))
        for k in range(3):
            turns[i, k] = theta[k]
    balance(asked, answer, reactions, pushes, force, room, turns, found)
    segments(asked, answer, room, turns, found)
    slides(asked, answer, force, reactions, turns, found)


@inline
def largest(asked: Asked, answer: Answer, pushes: Array) -> float:
    """The largest force in the cable, or the scale if that is larger, N; moments over the length count as such."""
    square = asked.scale * asked.scale
    bend = 0.0
    for i in range(len(answer.s)):
        for forces in (answer.force_before, answer.force_after):
            n = triple(forces, i)
            square = max(square, dot(n, n))
        for moments in (answer.moment_before, answer.moment_after):
            m = triple(moments, i)
            bend = max(bend, dot(m, m))
    for c in range(len(pushes)):
        n = (pushes[c, 1], pushes[c, 2], pushes[c, 3])
        square = max(square, dot(n, n))
    return math.sqrt(max(square, bend / (asked.length * asked.length)))


@inline
def near_points(asked: Asked, answer: Answer, places: Array, found: Array) -> None:
    """Points lie in order from 0 to the length, and every support at one of them."""
    s, L = answer.s, asked.length
    last = len(s) - 1
    note(found, POINTS, abs(s[0]), ON_POINT * L, 0.0)
    note(found, POINTS, abs(s[last] - L), ON_POINT * L, L)
    for i in range(last):
        if not s[i + 1] > s[i]:
            note(found, POINTS, math.inf, ON_POINT * L, s[i])
    for j in range(len(places)):
        note(found, POINTS, abs(s[asked.held_at[j]] - places[j]), ON_POINT * L, places[j])


@inline
def supports(asked: Asked, poses: Poses, answer: Answer, reactions: Array, force: float, found: Array) -> None:
    """Each support holds what it holds, and exerts nothing along what it leaves free."""
    L = asked.length
    for j in range(len(asked.held_at)):
        at = asked.held_at[j]
        off = sub(triple(answer.positions, at), triple(poses.position, j))
        note(found, PLACE, size(times(off, triple(asked.axes, j))), HELD * L, j)
        t = tangent(frame(answer.quaternions, at))
        direction = asked.direction[j]
        if direction > 0:
            turn = rotation_vector(frame(poses.quaternion, j), frame(answer.quaternions, at))
            wanted = tangent(frame(poses.quaternion, j))
            note(found, DIRECTION, math.atan2(size(cross(wanted, t)), dot(wanted, t)), HELD, j)
            if direction > 1:
                note(found, ROLL, size(turn), 2.0 * HELD, j)
        f, m = triple(reactions, j), (reactions[j, 3], reactions[j, 4], reactions[j, 5])
        loose = 0.0
        for k in range(3):
            if asked.axes[j, k] == 0.0:
                loose = max(loose, abs(f[k]))
        if direction == 0:
            loose = max(loose, size(m) / L)
        elif direction == 1:
            loose = max(loose, abs(dot(m, t)) / L)
        note(found, FREE, loose, BALANCED * force, j)
    worst = found[PLACE, 0] / L
    found[len(found) - 1, 1] = worst


@inline
def windows(pushes: Array, room: Array) -> None:
    """room (points,) N: the forces of contacts that may have entered before a point, or not yet."""
    last = len(room) - 1
    room[:] = 0.0
    for c in range(len(pushes)):
        first, end = math.ceil(pushes[c, 0] - WINDOW), math.floor(pushes[c, 0] + WINDOW)
        for i in range(max(first, 0), min(end, last) + 1):
            room[i] += size((pushes[c, 1], pushes[c, 2], pushes[c, 3]))


@inline
def balance(
    asked: Asked, answer: Answer, reactions: Array, pushes: Array, force: float, room: Array, turns: Array, found: Array
) -> None:
    """From the start to any point everything that acts adds up to what the rest of the cable exerts there.

    Weights act spread along the segments, or half at each of their ends: a scheme may have it either way, all along.
    The force of a contact may enter within WINDOW of its place; from the start to the end it has entered.
    """
    L, last = asked.length, len(answer.s) - 1
    F, M, bow = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    entered = 0
    apart, uneven, spread, lumped, spread_at, lumped_at = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    step_spread, step_lumped, was, was_even, was_off = 0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    note(found, FORCE, size(triple(answer.force_before, 0)), BALANCED * force, 0.0)
    note(found, MOMENT, size(triple(answer.moment_before, 0)), BALANCED * force * L, 0.0)
    for i in range(last + 1):
        x, at = triple(answer.positions, i), answer.s[i]
        h = at - answer.s[i - 1] if i > 0 else 0.0
        if i > 0:
            w = scale(h, triple(asked.weight, i - 1))
            F, M = add(F, w), add(M, cross(scale(0.5, add(triple(answer.positions, i - 1), x)), w))
            ta, tb = tangent(frame(answer.quaternions, i - 1)), tangent(frame(answer.quaternions, i))
            k = h / 12.0 * bowed(triple(turns, i - 1))
            bow = sub(bow, cross(scale(k, sub(tb, ta)), w))
        while entered < len(pushes) and pushes[entered, 0] <= i:
            push = (pushes[entered, 1], pushes[entered, 2], pushes[entered, 3])
            acts = (pushes[entered, 4], pushes[entered, 5], pushes[entered, 6])
            F, M = add(F, push), add(M, cross(acts, push))
            apart += NEARLY * pushes[entered, 7] * size(push)
            entered += 1
        for after in range(2):
            if after == 1:
                F, M = with_point(asked, answer, reactions, i, F, M)
            elif i == 0:
                continue
            n = triple(answer.force_after, i) if after == 1 else triple(answer.force_before, i)
            m = triple(answer.moment_after, i) if after == 1 else triple(answer.moment_before, i)
            free = room[i] if i < last or after == 0 else 0.0
            excess = add(F, n)
            note(found, FORCE, max(size(excess) - free, 0.0), BALANCED * force, at)
            moment = add(sub(M, cross(x, F)), m)  # about the point
            bent = add(moment, bow)
            lever = free * 2.0 * WINDOW * h
            entering = max(room[i], room[max(i - 1, 0)])
            uneven = max(uneven, size(sub(excess, was_off)) - entering)
            step_lumped = max(step_lumped, size(sub(moment, was)) - entering * 2.0 * WINDOW * h)
            step_spread = max(step_spread, size(sub(bent, was_even)) - entering * 2.0 * WINDOW * h)
            was_off, was, was_even = excess, moment, bent
            off, even = max(size(moment) - lever, 0.0), max(size(bent) - lever, 0.0)
            if off > lumped:
                lumped, lumped_at = off, at
            if even > spread:
                spread, spread_at = even, at
    most = BALANCED * (1.0 + ADDS_UP * last) * force * L + apart
    note(found, MOMENT, min(spread, lumped), most, spread_at if spread < lumped else lumped_at)
    found[len(found) - 1, 0] = max(uneven, max(min(step_spread, step_lumped) - apart, 0.0) / L) / asked.scale


@inline
def bowed(theta: Vector) -> float:
    """ψ/sin ψ, ψ = |θ|/2: by how much a helix bows more than the difference of its end tangents says."""
    y = 0.25 * dot(theta, theta)
    return 1.0 + y * (1.0 / 6.0 + y * (7.0 / 360.0 + y * 31.0 / 15120.0))


@inline
def with_point(asked: Asked, answer: Answer, reactions: Array, i: int, F: Vector, M: Vector) -> tuple[Vector, Vector]:
    """Force and moment about the origin, with the loads and reactions at a point."""
    x = triple(answer.positions, i)
    for k in range(len(asked.load_at)):
        if asked.load_at[k] == i:
            f, Q = triple(asked.load, k), (asked.load[k, 3], asked.load[k, 4], asked.load[k, 5])
            if asked.load_turns[k] == 1:
                Q = apply(rotation(frame(answer.quaternions, i)), Q)
            F, M = add(F, f), add(add(M, cross(x, f)), Q)
    for j in range(len(asked.held_at)):
        if asked.held_at[j] == i:
            f, Q = triple(reactions, j), (reactions[j, 3], reactions[j, 4], reactions[j, 5])
            F, M = add(F, f), add(add(M, cross(x, f)), Q)
    return F, M


@inline
def segments(asked: Asked, answer: Answer, room: Array, turns: Array, found: Array) -> None:
    """Frames, moments and points of a segment belong together, to the order of the grid; none is stretched."""
    last = len(answer.s) - 1
    for i in range(last):
        h = answer.s[i + 1] - answer.s[i]
        chord = sub(triple(answer.positions, i + 1), triple(answer.positions, i))
        na, nb = triple(answer.force_after, i), triple(answer.force_before, i + 1)
        qa, qb = frame(answer.quaternions, i), frame(answer.quaternions, i + 1)
        theta = triple(turns, i)
        turn = size(theta)
        found[len(found) - 1, 2] += turn
        pressed = max(room[i], room[i + 1])
        if asked.rope:
            middle = scale(0.5, add(na, nb))
            along = dot(middle, chord) / max(size(chord), 1e-300)
            own = h * size(triple(asked.weight, i))  # a fold within the segment
            note(found, PULL, -along, BALANCED * max(asked.scale, size(middle)) + own + pressed, answer.s[i])
            most = h * (1.0 + asked.compliance[i] * max(along, size(na), size(nb)))
            note(found, STRETCH, size(chord) - most, LONGER * h, answer.s[i])
            bend = math.atan2(size(cross(na, nb)), dot(na, nb))
            least = h * (1.0 + asked.compliance[i] * min(size(na), size(nb), size(middle)))
            if size(middle) > BALANCED * asked.scale:
                short = least * (ROUNDING + bend * bend / 12.0) + asked.compliance[i] * h * pressed
                note(found, SHAPE, least - size(chord), short, answer.s[i])
            continue
        note(found, RESOLUTION, turn, LARGEST_TURN, answer.s[i])
        Ra, Rb = rotation(qa), rotation(qb)
        ta, tb = tangent(qa), tangent(qb)
        ea, eb = 1.0 + asked.compliance[i] * dot(na, ta), 1.0 + asked.compliance[i] * dot(nb, tb)
        note(found, SQUEEZE, 1.0 - min(ea, eb), FLAT, answer.s[i])
        most = 1.0 + asked.compliance[i] * max(size(na), size(nb))
        note(found, STRETCH, size(chord) - h * most, LONGER * h, answer.s[i])
        Ma, Mb = (
            apply_transposed(Ra, triple(answer.moment_after, i)),
            apply_transposed(Rb, triple(answer.moment_before, i + 1)),
        )
        inverse = triple(asked.flexibility, i)
        va, vb = times(inverse, Ma), times(inverse, Mb)
        wa, wb = add(va, triple(asked.rest, i)), add(vb, triple(asked.rest, i + 1))
        sa, sb = (
            slope(inverse, wa, Ma, apply_transposed(Ra, na), ea),
            slope(inverse, wb, Mb, apply_transposed(Rb, nb), eb),
        )
        # ∫ω ds by the Hermite rule, and what does not commute in it: (h²/12) ω_a × ω_b
        change = scale(h * h / 12.0, sub(sb, sa))
        mean = add(triple(asked.rest_turn, i), sub(scale(0.5 * h, add(va, vb)), change))
        found[len(found) - 1, 3] = max(found[len(found) - 1, 3], size(change))
        swerve = scale(h * h / 12.0, cross(wa, wb))
        mean = add(mean, swerve)
        kink = 0.25 * h * h * pressed * max(inverse[0], inverse[1])
        # moments beside a held frame may be those of the frame a quarter of a segment on: it is turned by h ω/4
        sideways = max(size(times(inverse, cross(wa, Ma))), size(times(inverse, cross(wb, Mb))))
        slip = 0.25 * h * asked.beside[i] * sideways
        # and an element across the border of a stretch bends by the mean of both sides
        slip += 0.125 * h * asked.beside[i] * max(size(sa), size(sb))
        if i == 0 or i == last - 1:  # a free end may be turned as its last half segment is at rest
            slip += 0.25 * h * max(size(va), size(vb))
        rough = 5.0 * size(change) + 4.0 * slip + kink + 4.0 * asked.rest_slip[i]
        rough += turn * turn * turn / 2.0 + 4.0 * size(swerve)
        off = sub(theta, mean)
        if inverse[2] == 0.0:
            off = (off[0], off[1], 0.0)
        note(found, MATERIAL, size(off), ROUNDING + rough, answer.s[i])
        # ∫(1 + ε) d3 ds by the Hermite rule, d3' = R (ω × e3)
        da = apply(Ra, (wa[1], -wa[0], 0.0))
        db = apply(Rb, (wb[1], -wb[0], 0.0))
        turned = scale(h * h / 12.0, sub(scale(eb, db), scale(ea, da)))
        way = sub(scale(0.5 * h, add(scale(ea, ta), scale(eb, tb))), turned)
        loose = asked.compliance[i] * max(size(na), size(nb)) * turn  # the tension changes as the cable turns
        uneven = max(
            h * size(sub(vb, va)),  # the elastic part alone: what changes at rest turns other parts of a segment
            size(sub(theta, triple(turns, max(i - 1, 0)))),
            size(sub(theta, triple(turns, min(i + 1, last - 1)))),
        )
        rough = 6.0 * size(turned) + h * (rough + 0.25 * uneven + abs(ea - eb) + loose)
        rough += asked.compliance[i] * h * pressed
        note(found, SHAPE, size(sub(chord, way)), ROUNDING * h + rough, answer.s[i])


@inline
def slope(inverse: Vector, w: Vector, M: Vector, N: Vector, stretched: float) -> Vector:
    """D⁻¹M' = −D⁻¹(ω×M + (1 + ε) e3×N) [rods.md (28)]."""
    P = add(cross(w, M), (-stretched * N[1], stretched * N[0], 0.0))
    return times(scale(-1.0, inverse), P)


@inline
def slides(asked: Asked, answer: Answer, force: float, reactions: Array, turns: Array, found: Array) -> None:
    """Where something slides H does not jump [rods.md (27)] by what it exerts. A contact nearby may have entered at its
    point: that is none of its business.
    """
    for j in range(len(asked.held_at)):
        at = asked.held_at[j]
        if asked.slides[j] == 0 or at == 0 or at == len(answer.s) - 1:
            continue
        before = triple(answer.force_before, at)
        after = sub(before, (reactions[j, 0], reactions[j, 1], reactions[j, 2]))
        Ha, ea = material_force(asked, answer, at, at - 1, before, triple(answer.moment_before, at))
        Hb, eb = material_force(asked, answer, at, at, after, triple(answer.moment_after, at))
        theta = max(size(triple(turns, at - 1)), size(triple(turns, at)))
        bound = DRIVEN * force + theta * theta / 12.0 * (ea + eb)
        for other in (j - 1, j + 1):
            if 0 <= other < len(asked.held_at):
                bound += pulled(asked, answer, at, asked.held_at[other])
        if asked.kink[j] > 0.0:
            bound += abs(ea - eb) + resting(asked, at)
        note(found, SLIDE, abs(Hb - Ha), bound, j)


@inline
def pulled(asked: Asked, answer: Answer, at: int, other: int) -> float:
    """N by which the pull of a span is unknown because the place of a slide is known to SETTLED only: a taut span with
    the slack δ has a pull that goes with some power of 1/δ.
    """
    arc = abs(answer.s[at] - answer.s[other])
    slack = arc - size(sub(triple(answer.positions, at), triple(answer.positions, other)))
    n = max(size(triple(answer.force_before, max(at, other))), size(triple(answer.force_after, min(at, other))))
    return float(SETTLED * asked.length * n / max(slack, SETTLED * asked.length))


@inline
def resting(asked: Asked, at: int) -> float:
    """N: what a load at the very place of a slide may hold it with."""
    held = 0.0
    for k in range(len(asked.load_at)):
        if asked.load_at[k] == at:
            held += size(triple(asked.load, k))
    return held


@inline
def material_force(asked: Asked, answer: Answer, at: int, segment: int, n: Vector, m: Vector) -> tuple[float, float]:
    """(H = T + T²/2EA + ½ m·D⁻¹m + m·ω₀, its elastic part) on one side of a point."""
    R = rotation(frame(answer.quaternions, at))
    T = size(n) if asked.rope else dot(n, tangent(frame(answer.quaternions, at)))
    M = apply_transposed(R, m)
    bent = 0.5 * dot(M, times(triple(asked.flexibility, segment), M)) + dot(M, triple(asked.rest, at))
    return T + 0.5 * asked.compliance[segment] * T * T + bent, abs(bent)
