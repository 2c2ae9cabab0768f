"""Places at which cables are near parts.  [docs/theory/core.md §6]

Nodes within sight stay where they are on the cable; where the gap is least between samples the place *runs*: it is
wherever on the curve the gap is least, with what the segment itself gives way under the force there. What pressed and
is not found again stays as well.
"""

from lissom.geometry.lookup import Stack
from lissom.geometry.nearest import length
from lissom.geometry.solids import MESH, Solid
from lissom.geometry.touching import nearest_place
from lissom.geometry.triples import Matrix, Vector, add, apply, apply_transposed, dot, scale, sub
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.rods.core.cubic import bends, frame_at, on_cubic, point_at, slopes, weights
from lissom.rods.core.model import (
    Among,
    Array,
    Cables,
    Curves,
    Indices,
    Model,
    Places,
    Pressed,
    State,
    Work,
    curves_of,
)
from lissom.rods.core.residuals import three
from lissom.rods.core.things import Things, free_way, nine, solid_of

# No part is touched within so many radii of a point that cannot give way.
HELD_RADII = 2.0
# Distances are found up to so many times what counts as near: beyond it samples are passed by.
BEYOND = 3.0
UNASKED = 1e300  # the distance of samples that may touch the part
# Where the gap curves less than this (in units of 1/length of the cable) its least place is not looked for: it would
# run along a cable that lies on the part. Nor where it curves no more than this multiple of what a cable that lies
# there sags between its nodes, q h²/B under its weight or what presses beside (1/24 in the middle of a clamped span).
LEAST_BEND = 1e-4
SAGS = 0.25
# A place that runs speaks for nodes nearer than this (segments), if their normals are within 60°.
SPOKEN_FOR = 0.15
SAME_NORMAL = 0.5
# What pressed is found again no farther along than this (segments).
SAME_PLACE = 0.75
EXACTLY = 1e-9
BESIDE_FROM, BESIDE_TO = 0.5, 1.6  # segments: the two neighbours of a node
AT_NODE = 0.02  # segments
# Where nothing runs, a place is put no nearer to another than this (segments).
BESIDE = 0.02
MOST_SEARCH = 30
FOUND = 1e-10  # of a segment: the slope of the gap at its least
SETTLED = 1e-14  # likewise, where it presses: what it exerts on nodes changes with its place
MOST_SETTLING = 6


@kernel
def find(model: Model, state: State, work: Work, still: bool) -> int:
    """Fills `work.places`, with forces of those of before; their number, −1 if there is no room for them.

    `still`: none runs, and what presses stays exactly where it is on its cable.
    """
    among, places = model.among, work.places
    places.total[0] = 0
    for m in range(len(among.cable)):
        begin = places.total[0]
        if sampled(model, state, work, m) or presses(state, m):
            if not nodes(model, state, work, m):
                return -1
            # what presses between nodes first, then what does at them; where nothing runs, before any is looked for
            if still and not inherited(model, state, work, m, begin, still, still):
                return -1
            if still and not inherited(model, state, work, m, begin, not still, still):
                return -1
            if not least(model, state, work, m, begin, still):
                return -1
            if not still:
                if not inherited(model, state, work, m, begin, not still, still):
                    return -1
                thin(work.places, begin)
                if not inherited(model, state, work, m, begin, still, still):
                    return -1
    settle(model, state, work)
    return int(places.total[0])


@kernel
def settle(model: Model, state: State, work: Work) -> None:
    """Every place is where it is under its force."""
    among, places = model.among, work.places
    for c in range(places.total[0]):
        m = places.pair[c]
        part, cable = among.part[m], among.cable[m]
        solid, R, o = solid_of(among.things, part), nine(among.things.rotation, part), three(among.things.origin, part)
        settle_at(curves_of(model, state), among.cables, among.flag, places, work.stack, cable, c, solid, R, o)


@inline
def presses(state: State, m: int) -> bool:
    found = False
    for o in range(state.pressed.total[0]):
        found = found or state.pressed.pair[o] == m
    return found


@inline
def flexibility(stiffness: Array, s: int, R: Matrix, N: Vector) -> float:
    """1/B of bending across N, 1/(N m²)."""
    n = apply_transposed(R, N)
    across = n[0] * n[0] + n[1] * n[1]
    if across < 1e-12:
        return 0.0
    return float((n[0] * n[0] / stiffness[s, 1] + n[1] * n[1] / stiffness[s, 0]) / across)


@inline
def flat(lines: Curves, old: Pressed, m: int, span: float, s: int, t: float) -> float:
    """m: a second derivative of the gap by t that is none, of a cable that lies on what it touches."""
    h = lines.h[s]
    beside = 0.0
    for b in range(old.total[0]):
        if old.pair[b] == m and BESIDE_FROM < abs(old.at[b] - s - t) < BESIDE_TO:
            beside += old.force[b]
    w = three(lines.weight, s)
    carried = max(length(w), 0.5 * beside / h)
    soft = 1.0 / min(lines.stiffness[s, 0], lines.stiffness[s, 1])
    return float(h * h * (LEAST_BEND / span + SAGS * carried * h * h * soft))


@kernel
def sampled(model: Model, state: State, work: Work, m: int) -> bool:
    """Distances of the samples of a pair, in `work.sampled`; whether one is within sight. Far ones are not exact."""
    among, found = model.among, work.sampled
    c = among.cable[m]
    g = among.cables
    first, last, fine, sight = g.first[c], g.last[c], g.samples[c], g.sight[c]
    solid, R, o = (
        solid_of(among.things, among.part[m]),
        nine(among.things.rotation, among.part[m]),
        three(among.things.origin, among.part[m]),
    )
    held_inside(state.x, model.among, work.inside, work.stack, m, solid)
    near = False
    i = first
    while i <= last:
        x, k = three(state.x, i), (i - first) * fine
        if not asked(model.h, model.among, work.inside, m, i, 0.0):
            found[k, 0] = UNASKED
            around(model, state, work, m, i, solid, R, o, sight, k)
            i += 1
            continue
        d = look(work.sampled, work.stack, solid, R, o, x, BEYOND * sight, k)
        near = near or d <= sight
        j, room = i, d - sight
        while j < last and length(sub(three(state.x, j + 1), x)) + model.h[j] < room:
            for l in range(1, fine + 1):
                found[(j - first) * fine + l, 0] = d
            j += 1
        near = around(model, state, work, m, j, solid, R, o, sight, (j - first) * fine) or near
        i = j + 1
    return near


@inline
def around(
    model: Model, state: State, work: Work, m: int, i: int, solid: Solid, R: Matrix, o: Vector, sight: float, k: int
) -> bool:
    """The samples after a node; whether one is within sight."""
    near = False
    c = model.among.cable[m]
    if i < model.among.cables.last[c]:
        for l in range(1, model.among.cables.samples[c]):
            t = l / model.among.cables.samples[c]
            if asked(model.h, model.among, work.inside, m, i, t):
                d = look(
                    work.sampled,
                    work.stack,
                    solid,
                    R,
                    o,
                    point_at(state.q, state.x, model.h, i, t),
                    BEYOND * sight,
                    k + l,
                )
                near = near or d <= sight
            else:
                work.sampled[k + l, 0] = UNASKED
    return near


@inline
def asked(h: Array, among: Among, inside: Indices, m: int, i: int, t: float) -> bool:
    """Whether a cable may touch a part there: not beside what is held, nor next to a node that is held inside."""
    if t > 0.0 and inside[i] + inside[i + 1] > 0:
        return False
    return may_touch(h, among.flag, among.cable[m], among.cables, m, i, t)


@inline
def may_touch(h: Array, flag: Indices, cable: int, g: Cables, m: int, i: int, t: float) -> bool:
    """Whether a cable may touch a part there, were nothing held inside it."""
    k = i - g.first[cable]
    if flag[m, k] == 0 or (t > 0.0 and flag[m, k + 1] == 0):
        return False
    far = g.to_held[i]
    if t > 0.0:
        far = min(far + t * h[i], g.to_held[i + 1] + (1.0 - t) * h[i])
    return bool(far >= HELD_RADII * g.radius[cable])


@inline
def held_inside(x: Array, among: Among, inside: Indices, stack: Stack, m: int, solid: Solid) -> None:
    """Fills `inside` for a pair."""
    c, part = among.cable[m], among.part[m]
    R, o, g = nine(among.things.rotation, part), three(among.things.origin, part), among.cables
    for i in range(g.first[c], g.last[c] + 1):
        inside[i] = 0
        if g.to_held[i] == 0.0:
            seen, d, _, _ = nearest_place(solid, R, o, three(x, i), 2.0 * g.radius[c], stack)
            inside[i] = int(seen and d < g.radius[c])


@inline
def look(sampled: Array, stack: Stack, solid: Solid, R: Matrix, o: Vector, x: Vector, limit: float, k: int) -> float:
    found, d, N, _ = nearest_place(solid, R, o, x, limit, stack)
    if not found:
        d = limit
    sampled[k, 0] = d
    for l in range(3):
        sampled[k, 1 + l], sampled[k, 4 + l] = x[l], N[l]
    return d


@inline
def put(p: Places, m: int, s: int, t: float, d: float, N: Vector, H: Matrix) -> int:
    """Another place, with nothing known of it but these; its number, −1: no room."""
    c = p.total[0]
    if c >= len(p.pair):
        return -1
    p.total[0] = c + 1
    p.pair[c], p.segment[c], p.t[c], p.distance[c], p.runs[c], p.force[c], p.on[c] = m, s, t, d, 0, 0.0, 0
    p.wanted[c] = p.bend[c] = p.give[c] = p.give_slope[c] = 0.0
    for l in range(3):
        p.normal[c, l] = N[l]
        p.along[c, l] = 0.0
    for l in range(9):
        p.curvature[c, l] = H[l]
    return int(c)


@kernel
def nodes(model: Model, state: State, work: Work, m: int) -> bool:
    """Nodes within sight are places. False: no room."""
    among = model.among
    c, part = among.cable[m], among.part[m]
    g = among.cables
    first, last, fine, sight = g.first[c], g.last[c], g.samples[c], g.sight[c]
    solid, R, o = solid_of(among.things, part), nine(among.things.rotation, part), three(among.things.origin, part)
    for i in range(first, last + 1):
        d = work.sampled[(i - first) * fine, 0]
        if d > sight:
            continue
        _, d, N, H = nearest_place(solid, R, o, three(state.x, i), BEYOND * sight, work.stack)
        s, t = (i, 0.0) if i < last else (i - 1, 1.0)
        if put(work.places, m, s, t, d, N, H) < 0:
            return False
    return True


@kernel
def least(model: Model, state: State, work: Work, m: int, begin: int, still: bool) -> bool:
    """Places at which the gap is least between nodes. False: no room. `still`: none runs, none beside another."""
    among, found, h, lines, old = model.among, work.sampled, model.h, curves_of(model, state), state.pressed
    c, part, g = among.cable[m], among.part[m], among.cables
    first, last, fine, sight = g.first[c], g.last[c], g.samples[c], g.sight[c]
    solid, R, o = solid_of(among.things, part), nine(among.things.rotation, part), three(among.things.origin, part)
    radius = g.radius[c]
    for k in range(1, (last - first) * fine):
        here, before, after = found[k, 0], found[k - 1, 0], found[k + 1, 0]
        if here > sight or here > before or here >= after or before == UNASKED or after == UNASKED:
            continue
        p, low, high = k / fine, (k - 1) / fine, (k + 1) / fine
        bent = before - 2.0 * here + after
        if bent > 0.0:
            p += 0.5 * (before - after) / (bent * fine)
        runs, seen = False, False
        s, t, d, a = 0, 0.0, 0.0, 0.0
        N, H, x1 = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for _ in range(MOST_SEARCH):
            s = min(int(p), last - first - 1)
            t = p - s
            s += first
            seen, d, N, H, x1, x2 = curve_at(lines, solid, R, o, work.stack, s, t, 2.0 * sight)
            if not seen:
                break
            slope, a = dot(N, x1), dot(x1, apply(H, x1)) + dot(N, x2)
            if abs(slope) < FOUND * h[s]:
                runs = a > flat(lines, old, m, g.span[c], s, t)
                break
            if slope < 0.0:
                low = p
            else:
                high = p
            if high - low < 1e-9:
                break
            step = -slope / a if a > 0.0 else 0.0
            p = p + step if low < p + step < high and step != 0.0 else 0.5 * (low + high)
        if not seen or t < 1e-9 or t > 1.0 - 1e-9:
            continue
        if still:
            runs = False
            if is_near(work.places, s + t, begin):
                continue
        if not runs and d >= radius - g.depth:
            continue
        new = put(work.places, m, s, t, d, N, H)
        if new < 0:
            return False
        work.places.runs[new] = int(runs)
        work.places.bend[new] = a
        for l in range(3):
            work.places.along[new, l] = x1[l]
    return True


@kernel
def would_run(model: Model, state: State, work: Work) -> bool:
    """Whether a place that presses between nodes would run if it might: it lies on something round."""
    p, among, found = work.places, model.among, False
    lines, old, g = curves_of(model, state), state.pressed, model.among.cables
    for c in range(p.total[0]):
        if p.force[c] > 0.0 and 0.0 < p.t[c] < 1.0:
            m, s = p.pair[c], p.segment[c]
            cable, part, sight = among.cable[m], among.part[m], g.sight[among.cable[m]]
            solid = solid_of(among.things, part)
            R, o = nine(among.things.rotation, part), three(among.things.origin, part)
            _, _, N, H, x1, x2 = curve_at(lines, solid, R, o, work.stack, s, p.t[c], 2.0 * sight)
            a = dot(x1, apply(H, x1)) + dot(N, x2)
            found = found or a > flat(lines, old, m, g.span[cable], s, p.t[c])
    return found


@inline
def is_near(p: Places, at: float, begin: int) -> bool:
    """Whether there is a place that near already, of those from `begin` on."""
    near = False
    for c in range(begin, p.total[0]):
        near = near or abs(p.segment[c] + p.t[c] - at) < BESIDE
    return near


@inline
def curve_at(
    lines: Curves, solid: Solid, R: Matrix, o: Vector, stack: Stack, s: int, t: float, limit: float
) -> tuple[bool, float, Vector, Matrix, Vector, Vector]:
    """(whether the part is near, d, N, H, x', x'') at a place of the curve."""
    R0, R1 = frame_at(lines.q, s), frame_at(lines.q, s + 1)
    x = on_cubic(lines.x, s, R0, R1, weights(t, lines.h[s]))
    seen, d, N, H = nearest_place(solid, R, o, x, limit, stack)
    x1, x2 = on_cubic(lines.x, s, R0, R1, slopes(t, lines.h[s])), on_cubic(lines.x, s, R0, R1, bends(t, lines.h[s]))
    return seen, d, N, H, x1, x2


@kernel
def thin(p: Places, begin: int) -> None:
    """Takes out the nodes for which places that run speak."""
    kept = begin
    for c in range(begin, p.total[0]):
        spoken = False
        if p.runs[c] == 0 and (p.t[c] == 0.0 or p.t[c] == 1.0):
            for o in range(begin, p.total[0]):
                if p.runs[o] == 1 and abs(p.segment[o] + p.t[o] - p.segment[c] - p.t[c]) < SPOKEN_FOR:
                    spoken = spoken or dot(three(p.normal, o), three(p.normal, c)) > SAME_NORMAL
        if spoken:
            p.segment[c] = -1
    for c in range(begin, p.total[0]):
        if p.segment[c] >= 0:
            if kept < c:
                copy(p, c, kept)
            kept += 1
    p.total[0] = kept


@inline
def copy(p: Places, c: int, to: int) -> None:
    p.pair[to], p.segment[to], p.t[to], p.distance[to], p.runs[to] = (
        p.pair[c], p.segment[c], p.t[c], p.distance[c], p.runs[c],
    )  # fmt: skip
    p.force[to], p.bend[to], p.on[to], p.wanted[to] = p.force[c], p.bend[c], p.on[c], p.wanted[c]
    p.give[to], p.give_slope[to] = p.give[c], p.give_slope[c]
    for l in range(3):
        p.normal[to, l], p.along[to, l] = p.normal[c, l], p.along[c, l]
    for l in range(9):
        p.curvature[to, l] = p.curvature[c, l]


@kernel
def inherited(model: Model, state: State, work: Work, m: int, begin: int, inner: bool, still: bool) -> bool:
    """Gives places the forces that pressed before, between nodes (`inner`) or at them. One that is not found again
    stays, and runs on where the gap is round with the force that it has. False: no room.
    """
    among, old, p = model.among, state.pressed, work.places
    lines, g = curves_of(model, state), among.cables
    c, part = among.cable[m], among.part[m]
    first, last, sight = g.first[c], g.last[c], g.sight[c]
    solid, R, o = solid_of(among.things, part), nine(among.things.rotation, part), three(among.things.origin, part)
    for b in range(old.total[0]):
        if old.pair[b] != m or old.force[b] <= 0.0 or (is_between(old.at[b]) or old.ran[b] == 1) != inner:
            continue
        best, far = -1, EXACTLY if still else SAME_PLACE
        for k in range(begin, p.total[0]):
            away = abs(p.segment[k] + p.t[k] - old.at[b])
            fits = 0.0 < p.t[k] < 1.0 or not inner
            if fits and away < far and dot(three(p.normal, k), three(old.normal, b)) > SAME_NORMAL:
                best, far = k, away
        if best < 0:
            s = min(int(old.at[b]), last - 1)
            t = old.at[b] - s
            if s < first or not asked(model.h, model.among, work.inside, m, s, min(t, 1.0)):
                continue
            x = point_at(state.q, state.x, model.h, s, t)
            seen, d, N, H = facing(solid, R, o, x, three(old.normal, b), 2.0 * sight, work.stack)
            if not seen:
                continue
            best = put(work.places, m, s, t, d, N, H)
            if best < 0:
                return False
        if inner and not still and p.runs[best] == 0:
            run_on(lines, g, p, old, work.stack, c, best, old.force[b], old.ran[b] == 1, solid, R, o)
        p.force[best] += old.force[b]
    return True


@inline
def is_between(at: float) -> bool:
    """Whether a place (in segments) is not at a node."""
    return abs(at - round(at)) > AT_NODE


@inline
def run_on(
    lines: Curves, g: Cables, p: Places, old: Pressed, stack: Stack, cable: int, c: int, force: float, ran: bool,
    solid: Solid, R: Matrix, o: Vector,
) -> None:  # fmt: skip
    """Whether a place runs that pressed with a force: whether the gap curves there, with what its segment gives way.
    One that ran does as long as it curves at all: where a cable lifts off there is no more.
    """
    s, t = p.segment[c], p.t[c]
    _, _, N, H, x1, x2 = curve_at(lines, solid, R, o, stack, s, t, 2.0 * g.sight[cable])
    bend = dot(x1, apply(H, x1)) + dot(N, x2) + force * soft_of(lines, s, N) * half_bend(t)
    least = LEAST_BEND * lines.h[s] ** 2 / g.span[cable] if ran else flat(lines, old, p.pair[c], g.span[cable], s, t)
    p.runs[c], p.bend[c] = int(bend > least), bend
    for l in range(3):
        p.along[c, l] = x1[l]


@kernel
def facing(
    solid: Solid, R: Matrix, o: Vector, x: Vector, before: Vector, limit: float, stack: Stack
) -> tuple[bool, float, Vector, Matrix]:
    """(found, d, N, H) of what is seen from x against the normal of before: the nearest of a point half way to it.

    In a concave corner both sides press, and only one is nearest. Any point y of a surface asks for |x − y| ≥ r: what
    is found so is never asked for wrongly.
    """
    seen, d, N, H = nearest_place(solid, R, o, x, limit, stack)
    if not seen or solid.kind != MESH or d <= 0.0 or dot(N, before) > 0.999:
        return seen, d, N, H
    nearest, way = d, before
    for _ in range(4):
        seen, there, n, H = nearest_place(solid, R, o, add(x, scale(-0.6 * nearest, way)), limit, stack)
        if not seen:
            return False, d, N, H
        v = add(scale(0.6 * nearest, way), scale(there, n))
        d = length(v)
        n = scale(1.0 / d, v)
        H = times(there / d, H)
        again = dot(n, way) > 1.0 - 1e-14
        way = n
        if again:
            break
    return True, d, way, H


@inline
def times(k: float, H: Matrix) -> Matrix:
    return (k * H[0], k * H[1], k * H[2], k * H[3], k * H[4], k * H[5], k * H[6], k * H[7], k * H[8])


@inline
def settle_at(
    lines: Curves, g: Cables, flag: Indices, p: Places, stack: Stack, cable: int, c: int, solid: Solid, R: Matrix,
    o: Vector,
) -> None:  # fmt: skip
    """What the segment gives way at a place, and where a place that runs is under its force: N·x' + λ g'/2 = 0."""
    s, m = p.segment[c], p.pair[c]
    soft = soft_of(lines, s, three(p.normal, c))
    if p.runs[c] == 1 and p.force[c] > 0.0:
        t = p.t[c]
        for _ in range(MOST_SETTLING):
            seen, d, N, H, x1, x2 = curve_at(lines, solid, R, o, stack, s, t, 2.0 * g.sight[cable])
            slope = dot(N, x1) + p.force[c] * soft * half_slope(t)
            bend = dot(x1, apply(H, x1)) + dot(N, x2) + p.force[c] * soft * half_bend(t)
            if not seen or bend <= 0.0:
                break
            p.segment[c], p.t[c], p.distance[c], p.bend[c] = s, t, d, bend
            for l in range(3):
                p.normal[c, l], p.along[c, l] = N[l], x1[l]
            for l in range(9):
                p.curvature[c, l] = H[l]
            if abs(slope) < SETTLED * lines.h[s]:
                break
            s, t = stepped_along(lines.h, g, flag, cable, m, s, t, -slope / bend)
            soft = soft_of(lines, s, N)
        s = p.segment[c]
        soft = soft_of(lines, s, three(p.normal, c))
    t = p.t[c]
    p.give[c] = soft * (t * (1.0 - t)) ** 3
    p.give_slope[c] = soft * half_slope(t)


@inline
def soft_of(lines: Curves, s: int, N: Vector) -> float:
    """h³/3B, m/N."""
    return float(flexibility(lines.stiffness, s, frame_at(lines.q, s), N) * lines.h[s] ** 3 / 3.0)


@inline
def stepped_along(
    h: Array, g: Cables, flag: Indices, cable: int, m: int, s: int, t: float, step: float
) -> tuple[int, float]:
    """The place a step (segments) farther, half a segment at most; over a node where the cable may touch beyond."""
    t += min(max(step, -0.5), 0.5)
    if t > 1.0 and s + 1 < g.last[cable] and may_touch(h, flag, cable, g, m, s + 1, 0.5):
        return s + 1, (t - 1.0) * h[s] / h[s + 1]
    if t < 0.0 and s > g.first[cable] and may_touch(h, flag, cable, g, m, s - 1, 0.5):
        return s - 1, 1.0 + t * h[s] / h[s - 1]
    return s, min(max(t, 1e-9), 1.0 - 1e-9)


@inline
def half_slope(t: float) -> float:
    """Half the derivative of t³(1 − t)³."""
    u = t * (1.0 - t)
    return 1.5 * u * u * (1.0 - 2.0 * t)


@inline
def half_bend(t: float) -> float:
    """Half its second derivative."""
    u, v = t * (1.0 - t), 1.0 - 2.0 * t
    return 3.0 * u * v * v - 3.0 * u * u


# ---- at the end ------------------------------------------------------------------------------------------------------


@kernel
def deepest(model: Model, state: State, work: Work) -> float:
    """m: how deep the cables are in parts, beyond what their segments give way."""
    among = model.among
    worst = 0.0
    for m in range(len(among.cable)):
        worst = max(worst, of_pair(model, state, work, m))
    return worst


FINE = 8  # samples to a segment at which the answer is looked at


@kernel
def of_pair(model: Model, state: State, work: Work, m: int) -> float:
    among, p = model.among, work.places
    c, part = among.cable[m], among.part[m]
    first, last, radius = among.cables.first[c], among.cables.last[c], among.cables.radius[c]
    solid, R, o = solid_of(among.things, part), nine(among.things.rotation, part), three(among.things.origin, part)
    held_inside(state.x, model.among, work.inside, work.stack, m, solid)
    worst = 0.0
    i = first
    while i < last:
        x = three(state.x, i)
        reach = 2.0 * (radius + model.h[i])
        _, d, _, _ = nearest_place(solid, R, o, x, reach, work.stack)
        room = min(d, reach) - radius
        if room > model.h[i]:
            j = i + 1
            while j < last and length(sub(three(state.x, j + 1), x)) + model.h[j] < room:
                j += 1
            i = j
            continue
        give = 0.0
        for k in range(p.total[0]):
            if p.pair[k] == m and p.segment[k] == i:
                give += p.force[k] * p.give[k]
        for l in range(FINE + (1 if i == last - 1 else 0)):
            t = l / FINE
            if t == 1.0 and not asked(model.h, model.among, work.inside, m, i + 1, 0.0):
                continue
            if t < 1.0 and not asked(model.h, model.among, work.inside, m, i, t):
                continue
            seen, d, _, _ = nearest_place(
                solid, R, o, point_at(state.q, state.x, model.h, i, t), 2.0 * radius, work.stack
            )
            if seen:
                worst = max(worst, radius - d - give)
        i += 1
    return worst


# ---- the way there ---------------------------------------------------------------------------------------------------

ROOM = 0.9  # of the radius: by so much anything may move, seen from a part, without meeting it


@kernel
def went_free(model: Model, state: State, work: Work) -> bool:
    """Whether the samples' straight ways from where they were before the solve, seen from the parts, meet nothing."""
    among, things = model.among, model.among.things
    for m in range(len(among.cable)):
        c, part = among.cable[m], among.part[m]
        fine, room = among.cables.samples[c], ROOM * among.cables.radius[c]
        solid, R, o = solid_of(things, part), nine(things.rotation, part), three(things.origin, part)
        R0, o0 = nine(things.rotation_before, part), three(things.origin_before, part)
        held_inside(state.x, model.among, work.inside, work.stack, m, solid)
        for i in range(among.cables.first[c], among.cables.last[c] + 1):
            for l in range(fine if i < among.cables.last[c] else 1):
                t = l / fine
                a = point_at(work.before_q, work.before_x, model.h, i, t)
                a = add(o, apply(R, apply_transposed(R0, sub(a, o0))))
                b = point_at(state.q, state.x, model.h, i, t)
                far = length(sub(b, a)) >= room and asked(model.h, model.among, work.inside, m, i, t)
                if far and not free_way(solid, R, o, a, b, room, work.stack):
                    return False
    return True


@kernel
def noted(state: State, work: Work, things: Things) -> None:
    """From here the next way is looked at."""
    for i in range(len(state.x)):
        for l in range(4):
            work.before_q[i, l] = state.q[i, l]
        for l in range(3):
            work.before_x[i, l] = state.x[i, l]
    for part in range(len(things.rotation)):
        for l in range(9):
            things.rotation_before[part, l] = things.rotation[part, l]
        for l in range(3):
            things.origin_before[part, l] = things.origin[part, l]
