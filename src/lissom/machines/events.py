"""Links that come and go: hybrids that run out, merges, splits, ropes that break [docs/theory/machines.md §7].

Each keeps the whole length of the rope, to rounding. They happen between substeps.
"""

import math

from lissom.geometry.triples import Vector, add, cross, dot, scale, sub
from lissom.kernels import inline, kernel_part
from lissom.kernels import lean_kernel as kernel
from lissom.machines.bodies import put3, row3
from lissom.machines.hanging import SLACK, end_direction, hang, hangs
from lissom.machines.meeting import BESIDE, CLEAR, LEFT, PASSED, SEEN, Guests, lay_plane, look, wait_again
from lissom.machines.ropes import (
    HYBRID,
    ROLLING,
    Links,
    Ropes,
    find_span,
    moved_along,
    next_active,
    passed,
    place_on,
    rim_place,
    rolls,
)
from lissom.machines.rows import NO_BOUND, Multipliers
from lissom.machines.tangents import furthest, in_plane, touched

DETOUR = 0.02  # of a span: a split leads the rope no longer way; what is farther off was not met in one substep
BACK = 1e-3  # likewise, on to a part that it has left and was not seen clear of since: the plane may be another one
STEEP = 1.0  # squared slope of a rope against the plane of a part that it may come to lie on
TOUCHES = 8  # passes until the place where a hanging rope meets a wheel stays; they converge like r/d
FAR = 0.25  # of the way around a link: no merge winds up so much of a rope
OFF = 2.0  # 1/cos² of the angle at which a rope jumps off its wheel: 45°
LITTLE = 1e-300


@kernel
def change_links(
    ropes: Ropes,
    links: Links,
    guests: Guests,
    known: Multipliers,
    span_base: int,
    gravity: Vector,
    h: float,
    time: float,
    easing: float,
) -> bool:
    """What may change after a substep, at the `time` where it ends; whether it did. Of what spans lack, a share
    `easing` is kept.
    """
    changed = False
    for r in range(ropes.first.shape[0]):
        if ropes.broken[r] == 1:
            continue
        for i in range(ropes.first[r], ropes.room[r]):
            tension = known.total[span_base + i] / (h * h)
            links.peak[i] = max(links.peak[i], tension)
            if tension > max(ropes.strength[r], ropes.broke_under[r]):
                ropes.broken[r], ropes.broke_at[r], ropes.broke_under[r] = 1, time, tension
                ropes.broke_from[r], ropes.broke_to[r] = i, links.next[i]
        if ropes.broken[r] == 1:
            changed = True
            continue
        for i in range(ropes.first[r], ropes.room[r]):
            if links.ease[i] > 0.0:
                links.ease[i] = max(easing * links.ease[i], LITTLE)
        changed = switch_ends(ropes, links, r) or changed
        changed = merge(ropes, links, guests, r, gravity) or changed
        changed = split(ropes, links, guests, r, gravity) or changed
        if ropes.room[r] > ropes.last[r]:
            changed = join(ropes, links, guests, r, gravity) or changed
    return changed


@kernel_part
def switch_ends(ropes: Ropes, links: Links, r: int) -> bool:
    """Hybrids at the ends of an open rope (13); whether one switched."""
    first, last = ropes.first[r], ropes.last[r] - 1
    if ropes.closed[r] == 1:
        return False
    changed = links.kind[first] == HYBRID and switch(links, first, first, True)
    if links.kind[last] == HYBRID:
        for i in range(first, ropes.room[r]):
            if links.next[i] == last:
                changed = switch(links, last, i, False) or changed
    return changed


@inline
def switch(links: Links, e: int, span: int, leaves: bool) -> bool:
    """Link e at the end of a span: what it stores runs out, or it begins to store again; whether it did."""
    if links.held[e] == 0:
        if links.stored[e] >= 0.0:
            return False
        place = links.place_out[e] if leaves else links.place_in[e]
        way = links.sense[e] if leaves else -links.sense[e]
        links.anchor[e] = place - way * links.stored[e]
        links.rest[span] += links.stored[e] - links.stretch[e]
        links.stored[e] = links.stretch[e] = 0.0
        links.held[e] = 1
        return True
    before = links.sense[e]
    for k in range(2):
        links.sense[e] = before if k == 0 else -before
        links.held[e] = 0
        other = links.next[e] if leaves else span
        ok, p, q, ci, ck = find_span(links, e, other) if leaves else find_span(links, other, e)
        w = place_on(links, e, ci if leaves else ck, sub(q, p))
        way = links.sense[e] if leaves else -links.sense[e]
        on = way * moved_along(links, e, w, links.anchor[e])
        # beyond a quarter of the way round it is the tangent on the far side
        if ok and 0.0 < on < 0.25 * links.around[e]:
            links.stored[e] = on
            links.rest[span] -= on
            if leaves:
                links.place_out[e] = w
            else:
                links.place_in[e] = w
            return True
    links.sense[e] = before
    links.held[e] = 1
    return False


@kernel_part
def merge(ropes: Ropes, links: Links, guests: Guests, r: int, gravity: Vector) -> bool:
    """A wheel with less than no rope on it is left (14), unless a slack rope hangs over it; and so is one that the rope
    meets far too much aslant. Whether any was.
    """
    changed = False
    for i in range(ropes.first[r], ropes.room[r]):
        k = links.next[i]
        if k < 0 or links.next[k] < 0 or links.next[k] == i or links.kind[k] != ROLLING or links.active[k] == 0:
            continue
        off = jumps_off(links, k, i) or jumps_off(links, k, k)
        if off or (links.stored[k] < 0.0 and not hangs_over(links, i, k, gravity)):
            changed = True
            stretched = stretched_by(links, i) + stretched_by(links, k)
            links.rest[i] += links.rest[k] + links.stored[k] - links.stretch[k]
            links.length[i] += links.length[k] + links.stored[k]
            links.ease[i] += links.ease[k]
            links.peak[i] = max(links.peak[i], links.peak[k])
            links.rest[k] = 0.0
            links.ease[k] = links.peak[k] = 0.0
            links.stored[k] = links.stretch[k] = 0.0
            links.active[k] = 0
            links.ready[k] = 0 if off else 1
            links.share[i] += links.share[k]
            links.next[i] = links.next[k]
            links.next[k] = -1
            put3(links.end, i, row3(links.end, k))
            links.ease[i] = max(links.ease[i], draw_anew(links, i) - stretched)
            for g in range(guests.clear.shape[1]):
                guests.clear[i, g] = min(guests.clear[i, g], guests.clear[k, g])
            if k >= ropes.last[r]:
                guests.clear[i, k - ropes.last[r]] = PASSED if off else LEFT
                before = i
                while links.after[before] != k:
                    before = links.after[before]
                links.after[before] = links.after[k]
                links.after[k] = -1
                wait_again(links, guests, k)
    return changed


@inline
def stretched_by(links: Links, i: int) -> float:
    """By how much the span that leaves link i is longer than what it is asked to be, m."""
    over: float = links.length[i] - links.rest[i] - links.ease[i]
    return max(0.0, over)


@inline
def jumps_off(links: Links, k: int, span: int) -> bool:
    """Whether a span of link k meets its plane so steeply that no groove keeps it."""
    t = sub(row3(links.end, span), row3(links.start, span))
    flat = in_plane(t, row3(links.w3, k))
    return dot(t, t) > OFF * dot(flat, flat)


@kernel
def facing(links: Links, k: int, count: int) -> tuple[float, float, float, Vector, Vector, bool]:
    """How far the curve in `links.curve` is off the outline of link k, in its plane, on the side on which the rope is
    to lie, NO_BOUND where it is nowhere beside it; how far the outline reaches there; where along the curve, as a share
    of its length, and in the world; its direction there; and whether that is within the width of the part, and not too
    much aslant.

    A piece of the curve faces the outline if what lies furthest along its normal is before it; a bend does if that is
    beyond the piece before and not yet before the piece after. The least counts.
    """
    axis, middle = row3(links.w3, k), row3(links.middle, k)
    least, reach, arc, at, within = NO_BOUND, 0.0, 0.0, 0.0, True
    x, t, n, before = middle, axis, axis, 0.0
    for m in range(count - 1):
        p, q = row3(links.curve, m), row3(links.curve, m + 1)
        way = in_plane(sub(q, p), axis)
        square = dot(way, way)
        long = math.sqrt(dot(sub(q, p), sub(q, p)))
        if square <= 0.0:
            arc += long
            continue
        normal, n = n, scale(links.sense[k] / math.sqrt(square), cross(way, axis))
        share = dot(add(sub(middle, p), foremost(links, k, n)), way) / square
        bend = m > 0 and before >= 1.0 and share <= 0.0
        before = share
        if bend or 0.0 < share < 1.0:
            up, share = n, max(share, 0.0)
            if bend:
                up = add(n, normal)
                up = scale(1.0 / math.sqrt(max(dot(up, up), 1e-300)), up)
            far = dot(foremost(links, k, up), up)
            gap = dot(sub(p, middle), up) - far
            if gap < least:
                least, reach, at = gap, far, arc + share * long
                t = sub(q, row3(links.curve, m - 1)) if bend else sub(q, p)
                x = add(p, scale(share, sub(q, p)))
                beside = dot(sub(x, middle), axis)
                within = links.lower[k] < beside < links.upper[k] and dot(sub(q, p), axis) ** 2 <= STEEP * square
        arc += long
    return least, reach, at / max(arc, 1e-300), x, t, within


@inline
def meets(links: Links, k: int, count: int) -> tuple[bool, float, Vector, Vector]:
    """Whether the span whose curve is in `links.curve` has come to cut the outline of link k from the side on which the
    rope is to lie; a rope that comes from the other side passes, and so does one that runs beside the part or too much
    aslant. Where along it and in the world, and its direction there. Writes `ready`: it is clear of it on that side.
    """
    gap, reach, at, x, t, within = facing(links, k, count)
    if gap == NO_BOUND:
        return False, at, x, t
    if gap <= -2.0 * reach or not within:
        links.ready[k] = 0
    elif gap >= 0.0:
        links.ready[k] = 1
    return gap < 0.0 and links.ready[k] == 1, at, x, t


@inline
def foremost(links: Links, k: int, n: Vector) -> Vector:
    """Of the outline of link k, from its middle to what lies furthest along n."""
    x, y = dot(n, row3(links.w1, k)), dot(n, row3(links.w2, k))
    c = furthest(links.corners, links.corner_first[k], links.corner_last[k], x, y)
    corner = add(scale(links.corners[c, 0], row3(links.w1, k)), scale(links.corners[c, 1], row3(links.w2, k)))
    return add(corner, scale(links.radius[k], n))


@kernel_part
def split(ropes: Ropes, links: Links, guests: Guests, r: int, gravity: Vector) -> bool:
    """A span that comes to lie on an inactive link takes it up (15), as it hangs where it is slack; whether one did."""
    changed = False
    for i in range(ropes.first[r], ropes.room[r]):
        k = links.next[i]
        if k < 0:
            continue
        count = 0
        j = i
        for _ in range(ropes.room[r] - ropes.first[r]):
            j = links.after[j]
            if j == k:
                break
            if links.kind[j] != ROLLING:
                continue
            if count == 0:
                count = hang(links.curve, row3(links.start, i), row3(links.end, i), links.rest[i], gravity)
            touches, at, x, t = meets(links, j, count)
            share = passed(ropes, links, r, i, j) / passed(ropes, links, r, i, k)
            soft = ropes.compliance[r] > 0.0
            if touches and take_up(links, guests, i, j, k, share, at, x, t, count > 2, soft, DETOUR):
                changed = True
                break
    return changed


@kernel_part
def join(ropes: Ropes, links: Links, guests: Guests, r: int, gravity: Vector) -> bool:
    """A span that comes to lie on a part that waits for the rope takes it up (15); whether one did."""
    changed = False
    for i in range(ropes.first[r], ropes.room[r]):
        k = links.next[i]
        if k < 0:
            continue
        count = 0
        for g in range(ropes.last[r], ropes.room[r]):
            if links.active[g] == 1 or links.part[g] == links.part[i] or links.part[g] == links.part[k]:
                continue
            if count == 0:
                count = hang(links.curve, row3(links.start, i), row3(links.end, i), links.rest[i], gravity)
            form, n, c, x, t, at = look(links, guests, g, count)
            if form == CLEAR:
                guests.clear[i, g - ropes.last[r]] = SEEN
            elif form == BESIDE:
                guests.clear[i, g - ropes.last[r]] = PASSED
            before = guests.clear[i, g - ropes.last[r]]
            if form < 0 or before == PASSED:
                continue
            laid = lay_plane(links, guests, g, form, n, c, x, t)
            soft, most = ropes.compliance[r] > 0.0, DETOUR if before == SEEN else BACK
            if laid and take_up(links, guests, i, g, k, -1.0, at, x, t, count > 2, soft, most):
                put_between(links, i, g, k, x)
                changed = True
                break
            wait_again(links, guests, g)
    return changed


@inline
def put_between(links: Links, i: int, g: int, k: int, x: Vector) -> None:
    """Link g, which touches at x, comes into the order between i and k, among those there that are not active."""
    start = row3(links.start, i)
    way = sub(x, start)
    before = i
    while links.after[before] != k:
        if dot(sub(row3(links.middle, links.after[before]), start), way) > dot(way, way):
            break
        before = links.after[before]
    links.after[g] = links.after[before]
    links.after[before] = g


@inline
def wound(links: Links, i: int, corner: int, t: Vector, leaves: bool) -> tuple[float, float]:
    """The place where a span of direction t would leave link i, or arrive, and what it would so wind up on it."""
    place: float = links.place_out[i] if leaves else links.place_in[i]
    if not rolls(links, i):
        return place, 0.0
    now = place_on(links, i, corner, t)
    way = links.sense[i] if leaves else -links.sense[i]
    return now, way * moved_along(links, i, now, place)


@inline
def draw_anew(links: Links, i: int) -> float:
    """By how much the span that leaves link i, which leads elsewhere now, is too long for what it has, m. Where it
    would be wound up by far more than the links could have turned, they begin anew from where it touches them.
    """
    k = links.next[i]
    ok, p, q, corner_i, corner_k = find_span(links, i, k)
    if not ok:
        return 0.0
    t = sub(q, p)
    out_i, on_i = wound(links, i, corner_i, t, True)
    in_k, on_k = wound(links, k, corner_k, t, False)
    if abs(on_i) > FAR * links.around[i]:
        links.place_out[i], on_i = out_i, 0.0
    if abs(on_k) > FAR * links.around[k]:
        links.place_in[k], on_k = in_k, 0.0
    lacks: float = math.sqrt(dot(t, t)) + on_i + on_k - links.rest[i]
    return lacks


@inline
def take_up(
    links: Links,
    guests: Guests,
    i: int,
    j: int,
    k: int,
    share: float,
    at: float,
    x: Vector,
    t: Vector,
    slack: bool,
    soft: bool,
    most: float,
) -> bool:
    """Link j comes between i and k, if the way over it is longer than the rope that there is by no more than a share
    `most`. A slack span meets it at x with the direction t, at the share `at` of its length. `share` of the compliance
    is that of the first part; −1: as long as it is.
    """
    one, p, q, corner_i, c = find_span(links, i, j)
    two, u, v, d, corner_k = find_span(links, j, k)
    if not (one and two):
        return False
    arriving, leaving = sub(q, p), sub(v, u)
    place_in, place_out = place_on(links, j, c, arriving), place_on(links, j, d, leaving)
    out_i, on_i = wound(links, i, corner_i, arriving, True)
    in_k, on_k = wound(links, k, corner_k, leaving, False)
    left, right = math.sqrt(dot(arriving, arriving)), math.sqrt(dot(leaving, leaving))
    on = links.sense[j] * moved_along(links, j, place_out, place_in)
    rest = links.rest[i] - on - on_i - on_k
    own = rest * left / (left + right)
    share = share if share >= 0.0 else left / (left + right)
    if slack:
        meeting = place_near(links, j, x, t)
        before = links.sense[j] * moved_along(links, j, meeting, place_in)
        on = before + links.sense[j] * moved_along(links, j, place_out, meeting)
        rest = links.rest[i] - on - on_i - on_k
        own = at * links.rest[i] - before - on_i
    elif soft:
        own = left - (left + right - rest) * share
    extra = max(0.0, left + right - rest - stretched_by(links, i))
    if (on <= 0.0 and not slack) or rest <= 0.0 or extra - links.ease[i] > most * links.length[i]:
        return False
    if on < 0.0 and not (own > SLACK * left and rest - own > SLACK * right):
        return False  # around a wheel that it does not touch it would be taut
    if slack:  # neither side is shorter than its way
        own = min(max(own, left), rest - right) if extra == 0.0 else rest * left / (left + right)
    links.place_out[i], links.place_in[k] = out_i, in_k
    links.place_in[j], links.place_out[j] = place_in, place_out
    links.stored[i] += on_i
    links.stored[k] += on_k
    links.stored[j] = on
    links.rest[i] = own
    links.rest[j] = rest - own
    links.length[i], links.length[j] = left, right
    links.ease[i] = extra * left / (left + right)
    links.ease[j] = extra * right / (left + right)
    links.peak[j] = links.peak[i]
    links.active[j] = 1
    links.slips[j] = 0.0
    links.next[i] = j
    links.next[j] = k
    links.share[j] = (1.0 - share) * links.share[i]
    links.share[i] *= share
    for g in range(guests.clear.shape[1]):
        guests.clear[j, g] = guests.clear[i, g]
    return True


@inline
def corner_along(links: Links, k: int, t: Vector) -> int:
    """The corner of link k that a rope of direction t lies on."""
    return touched(
        links.corners, links.corner_first[k], links.corner_last[k], row3(links.w1, k), row3(links.w2, k),
        links.sense[k], t,
    )  # fmt: skip


@inline
def place_near(links: Links, k: int, x: Vector, t: Vector) -> float:
    """w where a rope of direction t lies on link k next to x; on a flat side that may be between its corners."""
    way = in_plane(t, row3(links.w3, k))
    way = scale(1.0 / math.sqrt(max(dot(way, way), 1e-300)), way)
    n = scale(links.sense[k], cross(way, row3(links.w3, k)))
    past = dot(sub(sub(x, row3(links.middle, k)), foremost(links, k, n)), way)
    return place_on(links, k, corner_along(links, k, t), t) + links.sense[k] * past  # type: ignore[no-any-return]


@kernel
def hanging_arc(links: Links, k: int, span: int, leaves: bool, gravity: Vector) -> float:
    """What lies on link k beyond the straight tangent where a slack span of it begins or ends as it hangs, m; on a flat
    side up to the further corner.
    """
    place = links.place_out[k] if leaves else links.place_in[k]
    far = row3(links.end, span) if leaves else row3(links.start, span)
    way = links.sense[k] if leaves else -links.sense[k]
    on = before = 0.0
    for _ in range(TOUCHES):
        before = on
        at = rim_place(links, k, place + way * on)
        p, q = (at, far) if leaves else (far, at)
        t = end_direction(p, q, links.rest[span] - on, gravity, leaves)
        on += way * moved_along(links, k, place_on(links, k, corner_along(links, k, t), t), place + way * on)
    return max(on, before)


@kernel
def hangs_over(links: Links, i: int, k: int, gravity: Vector) -> bool:
    """Whether both spans of link k are slack, and the span i would cut it as it hangs if it passed it by."""
    for span in (i, k):
        if not hangs(row3(links.start, span), row3(links.end, span), links.rest[span], gravity):
            return False
    after = links.next[k]
    ok, p, q, ci, ca = find_span(links, i, after)
    rest = links.rest[i] + links.stored[k] - links.stretch[k] + links.rest[k]
    if rolls(links, i):
        w = place_on(links, i, ci, sub(q, p))
        rest -= links.sense[i] * moved_along(links, i, w, links.place_out[i])
    if rolls(links, after):
        w = place_on(links, after, ca, sub(q, p))
        rest += links.sense[after] * moved_along(links, after, w, links.place_in[after])
    if not ok or not hangs(p, q, rest, gravity):
        return False
    gap, _, _, _, _, within = facing(links, k, hang(links.curve, p, q, rest, gravity))
    return gap < 0.0 and within


@kernel
def whole_length(ropes: Ropes, links: Links, r: int) -> float:
    """Σ d̄ + Σ s of the active part of a rope, unstretched, m."""
    found = 0.0
    for i in range(ropes.first[r], ropes.room[r]):
        if links.active[i] == 1:
            found += links.stored[i] - links.stretch[i]
            if next_active(ropes, links, r, i) >= 0:
                found += links.rest[i]
    return found
