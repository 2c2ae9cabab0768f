"""Places at which cables are near each other, or a cable is near itself.  [docs/theory/core.md §7]

Points of one of two cables within sight of the other stay where they are along it; the place on the other runs: it is
the nearest. Where the distance is least between points both run. What pressed and is not found again stays as well.
"""

import math

from lissom.geometry.nearest import length
from lissom.geometry.triples import Vector, dot, scale, sub
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.rods.core.cubic import bends, frame_at, on_cubic, point_at, slopes, weights
from lissom.rods.core.model import BLOCK, MOST_NEAR, Array, Cables, Curves, Meets, Met, Model, State, Work, curves_of
from lissom.rods.core.places import (
    BESIDE,
    BESIDE_FROM,
    BESIDE_TO,
    EXACTLY,
    LEAST_BEND,
    MOST_SEARCH,
    MOST_SETTLING,
    SAGS,
    SAME_NORMAL,
    SAME_PLACE,
    SETTLED,
    SPOKEN_FOR,
    flexibility,
    half_bend,
    half_slope,
    is_between,
)
from lissom.rods.core.residuals import three

# Cables do not touch each other within so many radii of supports of both.
BESIDE_RADII = 4.0
# Two points after each other are near one and the same place if theirs are no farther apart than this (segments).
ONE_PLACE = 3.0
# A curve that comes back to itself turns by more than this, rad [Fenchel].
COMES_BACK = math.pi
FINE = 8  # samples to a segment at which the answer is looked at


@kernel
def meet(model: Model, state: State, work: Work, still: bool) -> int:
    """Fills `p`, with forces of those of before; their number, −1 if there is no room for them.

    `still`: the first place of each stays exactly where it is on its cable.
    """
    lines, g = curves_of(model, state), model.among.cables
    p, old, near, box = work.meets, state.met, work.candidates, work.box
    p.total[0] = 0
    if len(g.touch) == 0:
        return 0
    boxed(lines, g, box)
    for one in range(len(g.touch)):
        for other in range(one, len(g.touch)):
            a, b = g.touch[one], g.touch[other]
            if a == b and turned_in_all(lines.q, g.first[a], g.last[a]) < COMES_BACK:
                continue
            if g.step[b] < g.step[a]:
                a, b = b, a
            begin = p.total[0]
            if not points(lines, g, p, old, near, box, a, b, still):
                return -1
            if not inherited(lines, g, p, old, a, b, begin, still):
                return -1
            if not still:
                thin(p, begin)
    settle_meets(model, state, work)
    return int(p.total[0])


@kernel
def settle_meets(model: Model, state: State, work: Work) -> None:
    """Every place is where it is under its force."""
    lines, g, p = curves_of(model, state), model.among.cables, work.meets
    for c in range(p.total[0]):
        settle_at(lines, g, p, c)


@kernel
def turned_in_all(q: Array, first: int, last: int) -> float:
    """rad by which the tangent of a cable turns, at most."""
    total = 0.0
    for i in range(first, last):
        same = q[i, 0] * q[i + 1, 0] + q[i, 1] * q[i + 1, 1] + q[i, 2] * q[i + 1, 2] + q[i, 3] * q[i + 1, 3]
        total += 2.0 * math.acos(min(abs(same), 1.0))
    return total


# ---- boxes -----------------------------------------------------------------------------------------------------------


@inline
def first_box(g: Cables, c: int) -> int:
    return int(g.first[c] // BLOCK + c)


@inline
def boxes_of(g: Cables, c: int) -> int:
    return int((g.last[c] - g.first[c] - 1) // BLOCK + 1)


@kernel
def boxed(lines: Curves, g: Cables, box: Array) -> None:
    """Of BLOCK segments each, with room for what they bow."""
    x = lines.x
    for c in g.touch:
        for n in range(boxes_of(g, c)):
            k, begin = first_box(g, c) + n, g.first[c] + BLOCK * n
            for l in range(3):
                low = high = x[begin, l]
                for i in range(begin, min(begin + BLOCK, g.last[c]) + 1):
                    low, high = min(low, x[i, l]), max(high, x[i, l])
                box[k, l], box[k, 3 + l] = low - 0.25 * lines.h[begin], high + 0.25 * lines.h[begin]


@inline
def box_away(box: Array, k: int, x: Vector) -> float:
    """m"""
    square = 0.0
    for l in range(3):
        way = max(box[k, l] - x[l], x[l] - box[k, 3 + l], 0.0)
        square += way * way
    return math.sqrt(square)


@inline
def boxes_apart(box: Array, k: int, m: int) -> float:
    square = 0.0
    for l in range(3):
        way = max(box[k, l] - box[m, 3 + l], box[m, l] - box[k, 3 + l], 0.0)
        square += way * way
    return math.sqrt(square)


# ---- finding ---------------------------------------------------------------------------------------------------------


@inline
def sight_of(g: Cables, a: int, b: int) -> float:
    """m: so near centre lines see each other."""
    return float(g.radius[a] + g.radius[b] + g.band)


@kernel
def points(lines: Curves, g: Cables, p: Meets, old: Met, near: Array, box: Array, a: int, b: int, still: bool) -> bool:
    """The points of cable a near cable b, and what is nearest between them. False: no room."""
    begin = p.total[0]
    sight = sight_of(g, a, b)
    near[0, MOST_NEAR, 0] = near[1, MOST_NEAR, 0] = 0.0  # how many
    first, last = g.first[a], g.last[a]
    for n in range(boxes_of(g, a)):
        k, close = first_box(g, a) + n, False
        for m in range(boxes_of(g, b)):
            close = close or boxes_apart(box, k, first_box(g, b) + m) <= sight + lines.h[first]
        start, end = first + BLOCK * n, min(first + BLOCK * (n + 1), last)
        if not close:
            near[1, MOST_NEAR, 0] = 0.0
            continue
        for i in range(start, end + (1 if end == last else 0)):
            beside(lines, g, near, box, a, b, i)
            for m in range(int(near[0, MOST_NEAR, 0])):
                if not stays(lines, g, p, a, b, i, near[0, m, 0], sight):
                    return False
                for o in range(int(near[1, MOST_NEAR, 0])):
                    if (
                        abs(near[1, o, 0] - near[0, m, 0]) < ONE_PLACE
                        and near[1, o, 1] < 0.0 <= near[0, m, 1]
                        and not both(lines, g, p, old, a, b, i - 1, near[0, m, 0], near[1, o, 0], still, begin)
                    ):
                        return False
            for m in range(int(near[0, MOST_NEAR, 0])):
                near[1, m, 0], near[1, m, 1] = near[0, m, 0], near[0, m, 1]
            near[1, MOST_NEAR, 0] = near[0, MOST_NEAR, 0]
    return True


@kernel
def beside(lines: Curves, g: Cables, near: Array, box: Array, a: int, b: int, i: int) -> None:
    """The places of cable b that are nearest to point i of cable a, each nearer than what is beside it."""
    x, h = lines.x, lines.h
    reach = sight_of(g, a, b) + h[g.first[a]]
    here = three(x, i)
    count = 0
    for m in range(boxes_of(g, b)):
        if box_away(box, first_box(g, b) + m, here) > reach:
            continue
        begin = g.first[b] + BLOCK * m
        for j in range(begin, min(begin + BLOCK, g.last[b])):
            if a == b and abs(j - i) <= 1:
                continue
            t = along_chord(x, j, here)
            if t < 0.0 and j > g.first[b]:
                if along_chord(x, j - 1, here) < 1.0:
                    continue  # the segment before has it
            elif t >= 1.0 and j < g.last[b] - 1:
                continue  # the segment after has it, or its first point
            s, t = refined(lines, g, b, here, j, min(max(t, 0.0), 1.0))
            at = s + t
            if a == b and (at - i) * h[i if i < g.last[a] else i - 1] < g.apart[a]:
                continue  # of one cable the later place is the second
            y = point_at(lines.q, x, h, s, t)
            way = sub(here, y)
            if length(way) > reach or count >= MOST_NEAR or held(g, i, 0.0, s, t, a, b):
                continue
            known = False
            for o in range(count):
                known = known or abs(near[0, o, 0] - at) < 1e-6
            if not known:
                R = frame_at(lines.q, i)
                near[0, count, 0], near[0, count, 1] = at, dot(way, (R[2], R[5], R[8]))
                count += 1
    near[0, MOST_NEAR, 0] = count


@inline
def along_chord(x: Array, j: int, here: Vector) -> float:
    """Which part of a chord is nearest."""
    e = sub(three(x, j + 1), three(x, j))
    return dot(sub(here, three(x, j)), e) / max(dot(e, e), 1e-300)


@inline
def held(g: Cables, i: int, t: float, j: int, u: float, a: int, b: int) -> bool:
    """Whether supports of both cables are so near that the places cannot give way."""
    radius = 0.5 * (g.radius[a] + g.radius[b])
    return bool(to_support(g, i, t) < BESIDE_RADII * radius and to_support(g, j, u) < BESIDE_RADII * radius)


@inline
def to_support(g: Cables, i: int, t: float) -> float:
    """m along the cable."""
    far = g.beside
    return float(far[i]) if t == 0.0 else float((1.0 - t) * far[i] + t * far[i + 1])


@inline
def stepped(h: Array, g: Cables, cable: int, s: int, t: float, step: float) -> tuple[int, float]:
    """The place a step (segments) farther, half a segment at most."""
    t += min(max(step, -0.5), 0.5)
    if t > 1.0 and s + 1 < g.last[cable]:
        return s + 1, (t - 1.0) * h[s] / h[s + 1]
    if t < 0.0 and s > g.first[cable]:
        return s - 1, 1.0 + t * h[s] / h[s - 1]
    return s, min(max(t, 0.0), 1.0)


@kernel
def refined(lines: Curves, g: Cables, b: int, here: Vector, s: int, t: float) -> tuple[int, float]:
    """The place of cable b nearest to a point, from one near it."""
    h = lines.h
    for _ in range(MOST_SEARCH):
        R0, R1 = frame_at(lines.q, s), frame_at(lines.q, s + 1)
        way = sub(on_cubic(lines.x, s, R0, R1, weights(t, h[s])), here)
        x1 = on_cubic(lines.x, s, R0, R1, slopes(t, h[s]))
        slope = dot(way, x1)
        curve = dot(x1, x1) + dot(way, on_cubic(lines.x, s, R0, R1, bends(t, h[s])))
        step = -slope / (curve if curve > 0.25 * dot(x1, x1) else dot(x1, x1))
        if abs(step) < 1e-12:
            break
        before, at = s, t
        s, t = stepped(lines.h, g, b, s, t, step)
        if s == before and t == at:
            break  # at an end
    return s, t


@inline
def put(lines: Curves, g: Cables, p: Meets, a: int, b: int, s: int, t: float, u: int, v: float) -> int:
    """Another place, at s + t of cable a and u + v of b; its number, −1: no room."""
    c = p.total[0]
    if c >= len(p.force):
        return -1
    p.total[0] = c + 1
    p.cable[c, 0], p.cable[c, 1], p.runs[c, 0], p.runs[c, 1], p.force[c], p.on[c] = a, b, 0, 0, 0.0, 0
    p.wanted[c] = p.give[c] = p.give_second[c] = p.give_slope[c, 0] = p.give_slope[c, 1] = 0.0
    for l in range(3):
        p.bend[c, l] = 0.0
    stand_at(lines, p, c, s, t, u, v)
    p.runs[c, 1] = int(not is_end(g, b, u, v))
    return int(c)


@inline
def is_end(g: Cables, b: int, s: int, t: float) -> bool:
    return bool((s == g.first[b] and t <= 0.0) or (s == g.last[b] - 1 and t >= 1.0))


@kernel
def stand_at(lines: Curves, p: Meets, c: int, s: int, t: float, u: int, v: float) -> None:
    """A place is there: distance, normal, slopes."""
    p.segment[c, 0], p.t[c, 0], p.segment[c, 1], p.t[c, 1] = s, t, u, v
    d, N, ax, _, bx, _ = between(lines, s, t, u, v)
    p.distance[c] = d
    for l in range(3):
        p.normal[c, l], p.along[c, l], p.along[c, 3 + l] = N[l], ax[l], bx[l]


@kernel
def between(lines: Curves, s: int, t: float, u: int, v: float) -> tuple[float, Vector, Vector, Vector, Vector, Vector]:
    """(d, N, x', x'' of the first place, x', x'' of the second)."""
    A0, A1, B0, B1 = frame_at(lines.q, s), frame_at(lines.q, s + 1), frame_at(lines.q, u), frame_at(lines.q, u + 1)
    way = sub(
        on_cubic(lines.x, s, A0, A1, weights(t, lines.h[s])), on_cubic(lines.x, u, B0, B1, weights(v, lines.h[u]))
    )
    d = max(length(way), 1e-300)
    return (
        d, scale(1.0 / d, way),
        on_cubic(lines.x, s, A0, A1, slopes(t, lines.h[s])), on_cubic(lines.x, s, A0, A1, bends(t, lines.h[s])),
        on_cubic(lines.x, u, B0, B1, slopes(v, lines.h[u])), on_cubic(lines.x, u, B0, B1, bends(v, lines.h[u])),
    )  # fmt: skip


@inline
def stays(lines: Curves, g: Cables, p: Meets, a: int, b: int, i: int, at: float, sight: float) -> bool:
    """A point of cable a near u + v of cable b. False: no room."""
    u = min(int(at), g.last[b] - 1)
    s, t = (i, 0.0) if i < g.last[a] else (i - 1, 1.0)
    c = put(lines, g, p, a, b, s, t, u, at - u)
    if c < 0:
        return False
    if p.distance[c] > sight:
        p.total[0] = c
    return True


@kernel
def both(
    lines: Curves, g: Cables, p: Meets, old: Met, a: int, b: int, s: int, at: float, before: float, still: bool,
    begin: int,
) -> bool:  # fmt: skip
    """The least distance within segment s of cable a, near these places of cable b. False: no room."""
    h = lines.h
    low, high, t = 0.0, 1.0, 0.5
    u = min(int(0.5 * (at + before)), g.last[b] - 1)
    v = 0.5 * (at + before) - u
    deep = g.radius[a] + g.radius[b] - g.depth
    for _ in range(MOST_SEARCH):
        here = point_at(lines.q, lines.x, h, s, t)
        u, v = refined(lines, g, b, here, u, v)
        d, N, ax, a2, bx, b2 = between(lines, s, t, u, v)
        A11, A12, A22 = curvatures(d, N, ax, a2, bx, b2)
        slope = dot(N, ax)
        if slope < 0.0:
            low = t
        else:
            high = t
        bend = A11 - (A12 * A12 / A22 if A22 > 0.0 and not is_end(g, b, u, v) else 0.0)
        step = -slope / bend if bend > 0.0 else 0.0
        if abs(slope) < 1e-12 * h[s] or high - low < 1e-9:
            break
        t = t + step if low < t + step < high and step != 0.0 else 0.5 * (low + high)
    at = u + v
    if (a == b and (at - s - t) * h[s] < g.apart[a]) or held(g, s, t, u, v, a, b):
        return True
    d, N, ax, a2, bx, b2 = between(lines, s, t, u, v)
    A11, A12, A22 = curvatures(d, N, ax, a2, bx, b2)
    end = is_end(g, b, u, v)
    bend = A11 - (A12 * A12 / A22 if A22 > 0.0 and not end else 0.0)
    runs = not still and A22 > 0.0 and bend > flat(lines, g, old, a, b, s, t) and 1e-9 < t < 1.0 - 1e-9
    if d > sight_of(g, a, b) or (not runs and d >= deep):
        return True
    if not runs and is_near(p, s + t, begin):
        return True
    c = put(lines, g, p, a, b, s, t, u, v)
    if c < 0:
        return False
    p.runs[c, 0] = int(runs)
    return True


@inline
def curvatures(d: float, N: Vector, ax: Vector, a2: Vector, bx: Vector, b2: Vector) -> tuple[float, float, float]:
    """Second derivatives of the distance by both places."""
    na, nb = dot(N, ax), dot(N, bx)
    return (
        dot(N, a2) + (dot(ax, ax) - na * na) / d,
        -(dot(ax, bx) - na * nb) / d,
        -dot(N, b2) + (dot(bx, bx) - nb * nb) / d,
    )


@kernel
def flat(lines: Curves, g: Cables, old: Met, a: int, b: int, s: int, t: float) -> float:
    """m: a second derivative of the gap by t that is none, of a cable that lies on the other."""
    h = lines.h[s]
    pressing = 0.0
    for o in range(old.total[0]):
        near = BESIDE_FROM < abs(old.at[o, 0] - s - t) < BESIDE_TO
        if near and on_cable(g, old.at[o, 0]) == a and on_cable(g, old.at[o, 1]) == b:
            pressing += old.force[o]
    w = three(lines.weight, s)
    carried = max(length(w), 0.5 * pressing / h)
    soft = 1.0 / min(lines.stiffness[s, 0], lines.stiffness[s, 1])
    return float(h * h * (LEAST_BEND / g.span[a] + SAGS * carried * h * h * soft))


@kernel
def on_cable(g: Cables, at: float) -> int:
    """Which cable a place (node + part) is on."""
    found = -1
    for c in g.touch:
        if g.first[c] <= at <= g.last[c]:
            found = c
    return int(found)


@kernel
def would_run_both(model: Model, state: State, work: Work) -> bool:
    """Whether a place that presses between points would run if it might: it crosses something."""
    lines, g, p, old, found = curves_of(model, state), model.among.cables, work.meets, state.met, False
    for c in range(p.total[0]):
        if p.force[c] > 0.0 and 0.0 < p.t[c, 0] < 1.0:
            A11, A12, A22 = p.bend[c, 0], p.bend[c, 1], p.bend[c, 2]
            bend = A11 - (A12 * A12 / A22 if A22 > 0.0 and p.runs[c, 1] == 1 else 0.0)
            found = found or bend > flat(lines, g, old, p.cable[c, 0], p.cable[c, 1], p.segment[c, 0], p.t[c, 0])
    return found


@inline
def is_near(p: Meets, at: float, begin: int) -> bool:
    """Whether there is a place that near already, of those from `begin` on."""
    p, near = p, False
    for c in range(begin, p.total[0]):
        near = near or abs(p.segment[c, 0] + p.t[c, 0] - at) < BESIDE
    return near


@kernel
def inherited(lines: Curves, g: Cables, p: Meets, old: Met, a: int, b: int, begin: int, still: bool) -> bool:
    """Gives places the forces that pressed before. One that is not found again stays. False: no room."""
    for o in range(old.total[0]):
        if old.force[o] <= 0.0 or on_cable(g, old.at[o, 0]) != a or on_cable(g, old.at[o, 1]) != b:
            continue
        inner = is_between(old.at[o, 0]) or old.ran[o] == 1
        best, far = -1, EXACTLY if still else SAME_PLACE
        for k in range(begin, p.total[0]):
            away = abs(p.segment[k, 0] + p.t[k, 0] - old.at[o, 0])
            near = abs(p.segment[k, 1] + p.t[k, 1] - old.at[o, 1]) < ONE_PLACE
            fits = still or not inner or p.runs[k, 0] == 1
            if fits and near and away < far and dot(three(p.normal, k), three(old.normal, o)) > SAME_NORMAL:
                best, far = k, away
        if best < 0:
            s = min(int(old.at[o, 0]), g.last[a] - 1)
            t = old.at[o, 0] - s
            u = min(int(old.at[o, 1]), g.last[b] - 1)
            u, v = refined(lines, g, b, point_at(lines.q, lines.x, lines.h, s, t), u, old.at[o, 1] - u)
            best = put(lines, g, p, a, b, s, t, u, v)
            if best < 0:
                return False
            if inner and not still:
                run_on(lines, g, p, old, best, old.force[o], old.ran[o] == 1)
        p.force[best] += old.force[o]
    return True


@inline
def run_on(lines: Curves, g: Cables, p: Meets, old: Met, c: int, force: float, ran: bool) -> None:
    """Whether a place runs that pressed with a force: whether the gap curves there, with what its segments give way."""
    s, t, u, v = p.segment[c, 0], p.t[c, 0], p.segment[c, 1], p.t[c, 1]
    A11, A12, A22 = bent(lines, p, c, force)
    least = (
        LEAST_BEND * lines.h[s] ** 2 / g.span[p.cable[c, 0]]
        if ran
        else flat(lines, g, old, p.cable[c, 0], p.cable[c, 1], s, t)
    )
    bend = A11 - (A12 * A12 / A22 if A22 > 0.0 and p.runs[c, 1] == 1 else 0.0)
    p.runs[c, 0] = int(A22 > 0.0 and bend > least and not is_end(g, p.cable[c, 0], s, t))
    p.runs[c, 1] = int(not is_end(g, p.cable[c, 1], u, v))


@kernel
def bent(lines: Curves, p: Meets, c: int, force: float) -> tuple[float, float, float]:
    """Second derivatives of the gap by both places, with what their segments give way under the force."""
    s, t, u, v = p.segment[c, 0], p.t[c, 0], p.segment[c, 1], p.t[c, 1]
    d, N, ax, a2, bx, b2 = between(lines, s, t, u, v)
    A11, A12, A22 = curvatures(d, N, ax, a2, bx, b2)
    return (
        A11 + force * soft_of(lines, s, N) * half_bend(t), A12,
        A22 + force * soft_of(lines, u, N) * half_bend(v),
    )  # fmt: skip


@kernel
def soft_of(lines: Curves, s: int, N: Vector) -> float:
    """h³/3B, m/N."""
    return float(flexibility(lines.stiffness, s, frame_at(lines.q, s), N) * lines.h[s] ** 3 / 3.0)


@kernel
def thin(p: Meets, begin: int) -> None:
    """Takes out the points for which places that run speak."""
    kept = begin
    for c in range(begin, p.total[0]):
        spoken = False
        if p.runs[c, 0] == 0 and (p.t[c, 0] == 0.0 or p.t[c, 0] == 1.0):
            for o in range(begin, p.total[0]):
                if p.runs[o, 0] == 1 and abs(p.segment[o, 0] + p.t[o, 0] - p.segment[c, 0] - p.t[c, 0]) < SPOKEN_FOR:
                    near = abs(p.segment[o, 1] + p.t[o, 1] - p.segment[c, 1] - p.t[c, 1]) < ONE_PLACE
                    if near and dot(three(p.normal, o), three(p.normal, c)) > SAME_NORMAL and not spoken:
                        spoken = True
                        p.force[o] += p.force[c]
        if not spoken:
            if kept < c:
                copy(p, c, kept)
            kept += 1
    p.total[0] = kept


@inline
def copy(p: Meets, c: int, to: int) -> None:
    p.distance[to], p.force[to], p.on[to], p.wanted[to], p.give[to], p.give_second[to] = (
        p.distance[c], p.force[c], p.on[c], p.wanted[c], p.give[c], p.give_second[c],
    )  # fmt: skip
    for l in range(2):
        p.cable[to, l], p.segment[to, l], p.t[to, l], p.runs[to, l] = (
            p.cable[c, l], p.segment[c, l], p.t[c, l], p.runs[c, l],
        )  # fmt: skip
        p.give_slope[to, l] = p.give_slope[c, l]
    for l in range(3):
        p.normal[to, l], p.bend[to, l] = p.normal[c, l], p.bend[c, l]
    for l in range(6):
        p.along[to, l] = p.along[c, l]


@kernel
def settle_at(lines: Curves, g: Cables, p: Meets, c: int) -> None:
    """What the segments give way at a place, and where what runs is under its force: N·x' ± λ g'/2 = 0."""
    a, b, force = p.cable[c, 0], p.cable[c, 1], p.force[c]
    for _ in range(MOST_SETTLING):
        s, t, u, v = p.segment[c, 0], p.t[c, 0], p.segment[c, 1], p.t[c, 1]
        N, ax, bx = three(p.normal, c), (p.along[c, 0], p.along[c, 1], p.along[c, 2]), after(p.along, c)
        A11, A12, A22 = bent(lines, p, c, force)
        p.bend[c, 0], p.bend[c, 1], p.bend[c, 2] = A11, A12, A22
        one = dot(N, ax) + force * soft_of(lines, s, N) * half_slope(t)
        two = -dot(N, bx) + force * soft_of(lines, u, N) * half_slope(v)
        if p.runs[c, 1] == 1 and A22 <= 0.0:
            p.runs[c, 0] = p.runs[c, 1] = 0
        if p.runs[c, 0] == 1 and A11 * A22 <= A12 * A12 and p.runs[c, 1] == 1:
            p.runs[c, 0] = 0
        if p.runs[c, 0] == 1 and p.runs[c, 1] == 0 and A11 <= 0.0:
            p.runs[c, 0] = 0
        dt = dv = 0.0
        if p.runs[c, 0] == 1 and p.runs[c, 1] == 1:
            det = A11 * A22 - A12 * A12
            dt, dv = (A12 * two - A22 * one) / det, (A12 * one - A11 * two) / det
        elif p.runs[c, 0] == 1:
            dt = -one / A11
        elif p.runs[c, 1] == 1:
            dv = -two / A22
        if abs(dt) + abs(dv) < SETTLED:
            break
        s, t = stepped(lines.h, g, a, s, t, dt) if dt != 0.0 else (s, t)
        u, v = stepped(lines.h, g, b, u, v, dv) if dv != 0.0 else (u, v)
        stand_at(lines, p, c, s, t, u, v)
        if p.runs[c, 1] == 1 and is_end(g, b, u, v):
            p.runs[c, 1] = 0
        if p.runs[c, 0] == 1 and is_end(g, a, s, t):
            p.runs[c, 0] = 0
    N = three(p.normal, c)
    p.give[c] = 0.0
    for l in range(2):
        t, soft = p.t[c, l], soft_of(lines, p.segment[c, l], N)
        p.give_second[c] = soft * (t * (1.0 - t)) ** 3
        p.give[c] += p.give_second[c]
        p.give_slope[c, l] = soft * half_slope(t)


@inline
def after(a: Array, c: int) -> Vector:
    return (a[c, 3], a[c, 4], a[c, 5])


# ---- at the end ------------------------------------------------------------------------------------------------------


@kernel
def deepest_meet(model: Model, state: State, work: Work) -> float:
    """m: how deep the cables are in each other, beyond what their segments give way."""
    lines, g = curves_of(model, state), model.among.cables
    p, near, box = work.meets, work.candidates, work.box
    worst = 0.0
    for one in range(len(g.touch)):
        for other in range(one, len(g.touch)):
            a, b = g.touch[one], g.touch[other]
            if a == b and turned_in_all(lines.q, g.first[a], g.last[a]) < COMES_BACK:
                continue
            radii = g.radius[a] + g.radius[b]
            for i in range(g.first[a], g.last[a]):
                beside(lines, g, near, box, a, b, i)
                for m in range(int(near[0, MOST_NEAR, 0])):
                    u = min(int(near[0, m, 0]), g.last[b] - 1)
                    v = near[0, m, 0] - u
                    for l in range(FINE):
                        t = l / FINE
                        x = point_at(lines.q, lines.x, lines.h, i, t)
                        u, v = refined(lines, g, b, x, u, v)
                        d = length(sub(x, point_at(lines.q, lines.x, lines.h, u, v)))
                        if d >= radii or held(g, i, t, u, v, a, b):
                            continue
                        if a == b and (u + v - i - t) * lines.h[i] < g.apart[a]:
                            continue
                        give = 0.0
                        for c in range(p.total[0]):
                            for k in range(2):
                                if p.segment[c, k] == i and p.segment[c, 1 - k] == u:
                                    give = max(give, p.force[c] * p.give[c])
                        worst = max(worst, radii - d - give)
    return worst
