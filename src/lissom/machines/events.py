"""Links that come and go: hybrids that run out, merges, splits, ropes that break [docs/theory/machines.md §7].

Each keeps the whole length of the rope, to rounding. They happen between substeps.
"""

import math

from lissom.geometry.triples import Vector, add, cross, dot, scale, sub
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.machines.bodies import row3
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
    rolls,
)
from lissom.machines.rows import Multipliers
from lissom.machines.tangents import furthest, in_plane

DETOUR = 0.02  # of a span: a split leads the rope no longer way; what is farther off was not met in one substep
STEEP = 1.0  # squared slope of a rope against the plane of a part that it may come to lie on
SLACK = 1.0 + 1e-6  # of its length: a span that has more rope hangs
BISECTIONS = 40
CHORD = 0.02  # of the width of a slack span, on both sides of a place: there it is taken as straight
OFF = 2.0  # 1/cos² of the angle at which a rope jumps off its wheel: 45°
EASING = 0.98  # of what that way lacks is kept from one substep to the next, so that it is taken up without a jerk


@kernel
def change_links(ropes: Ropes, links: Links, known: Multipliers, span_base: int, gravity: Vector, h: float) -> None:
    """All that may change after a substep."""
    for r in range(ropes.first.shape[0]):
        if ropes.broken[r] == 1:
            continue
        for i in range(ropes.first[r], ropes.last[r]):
            if known.total[span_base + i] > ropes.strength[r] * h * h:
                ropes.broken[r] = 1
        for i in range(ropes.first[r], ropes.last[r]):
            links.ease[i] *= EASING
        switch_ends(ropes, links, r)
        merge(ropes, links, r)
        split(ropes, links, r, gravity)


@kernel
def switch_ends(ropes: Ropes, links: Links, r: int) -> None:
    """Hybrids at the ends of an open rope (13)."""
    first, last = ropes.first[r], ropes.last[r] - 1
    if ropes.closed[r] == 1:
        return
    if links.kind[first] == HYBRID:
        switch(links, first, first, True)
    if links.kind[last] == HYBRID:
        for i in range(first, last):
            if links.next[i] == last:
                switch(links, last, i, False)


@inline
def switch(links: Links, e: int, span: int, leaves: bool) -> None:
    """Link e at the end of a span: what it stores runs out, or it begins to store again."""
    if links.held[e] == 0:
        if links.stored[e] < 0.0:
            place = links.place_out[e] if leaves else links.place_in[e]
            way = links.sense[e] if leaves else -links.sense[e]
            links.anchor[e] = place - way * links.stored[e]
            links.rest[span] += links.stored[e]
            links.stored[e] = 0.0
            links.held[e] = 1
        return
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
            return
    links.sense[e] = before
    links.held[e] = 1


@kernel
def merge(ropes: Ropes, links: Links, r: int) -> None:
    """A wheel with less than no rope on it is left (14), and so is one that the rope meets far too much aslant."""
    for i in range(ropes.first[r], ropes.last[r]):
        k = links.next[i]
        if k < 0 or links.next[k] < 0 or links.next[k] == i or links.kind[k] != ROLLING or links.active[k] == 0:
            continue
        off = jumps_off(links, k, i) or jumps_off(links, k, k)
        if links.stored[k] < 0.0 or off:
            links.rest[i] += links.rest[k] + links.stored[k]
            links.ease[i] += links.ease[k]
            links.rest[k] = 0.0
            links.ease[k] = 0.0
            links.stored[k] = 0.0
            links.active[k] = 0
            links.ready[k] = 0 if off else 1
            links.next[i] = links.next[k]
            links.next[k] = -1


@inline
def jumps_off(links: Links, k: int, span: int) -> bool:
    """Whether a span of link k meets its plane so steeply that no groove keeps it."""
    t = sub(row3(links.end, span), row3(links.start, span))
    flat = in_plane(t, row3(links.w3, k))
    return dot(t, t) > OFF * dot(flat, flat)


@inline
def meets(links: Links, k: int, p: Vector, q: Vector) -> bool:
    """Whether the straight span from p to q, seen in the plane of link k, has come to cut its outline from the side on
    which the rope is to lie; a rope that comes from the other side passes, and so does one that runs beside the part or
    too much aslant. Writes `ready`: it is clear of it there.
    """
    axis = row3(links.w3, k)
    way = in_plane(sub(q, p), axis)
    out = in_plane(sub(row3(links.middle, k), p), axis)
    square = dot(way, way)
    if not 0.0 < dot(out, way) < square:
        return False
    beside = dot(sub(p, row3(links.middle, k)), axis) + dot(sub(q, p), axis) * dot(out, way) / square
    if not links.lower[k] < beside < links.upper[k] or dot(sub(q, p), axis) ** 2 > STEEP * square:
        links.ready[k] = 0
        return False
    n = scale(links.sense[k] / math.sqrt(square), cross(way, axis))
    x, y = dot(n, row3(links.w1, k)), dot(n, row3(links.w2, k))
    corner = furthest(links.corners, links.corner_first[k], links.corner_last[k], x, y)
    reach = links.corners[corner, 0] * x + links.corners[corner, 1] * y + links.radius[k]
    offset = -dot(out, n)
    if offset >= reach:
        links.ready[k] = 1
        return False
    if offset <= -reach:
        links.ready[k] = 0
    return links.ready[k] == 1  # type: ignore[no-any-return]


@kernel
def hanging_near(p: Vector, q: Vector, length: float, gravity: Vector, at: Vector) -> tuple[Vector, Vector]:
    """A chord of the slack span from p to q, the catenary of its length, above or below a place.

    The straight span where there is no gravity, or where its ends are above each other.
    """
    pull = math.sqrt(dot(gravity, gravity))
    if pull == 0.0:
        return p, q
    down = scale(1.0 / pull, gravity)
    drop = dot(sub(q, p), down)
    across = in_plane(sub(q, p), down)
    wide = math.sqrt(dot(across, across))
    if wide <= 1e-6 * length:
        return p, q
    ratio = math.sqrt(length * length - drop * drop) / wide  # sinh x / x with x = wide / 2a
    low, high = 0.0, math.log(4.0 * ratio) + 4.0 * math.sqrt(math.log(ratio + 1.0)) + 2.0
    for _ in range(BISECTIONS):
        x = 0.5 * (low + high)
        if math.sinh(x) < ratio * x:
            low = x
        else:
            high = x
    a = 0.5 * wide / max(low, 1e-9)
    middle = 0.5 * wide + a * math.atanh(drop / length)
    t = min(max(dot(sub(at, p), across) / wide, CHORD * wide), (1.0 - CHORD) * wide)
    return (
        on_catenary(p, across, down, wide, a, middle, t - CHORD * wide),
        on_catenary(p, across, down, wide, a, middle, t + CHORD * wide),
    )


@inline
def on_catenary(p: Vector, across: Vector, down: Vector, wide: float, a: float, middle: float, t: float) -> Vector:
    depth = a * (math.cosh(middle / a) - math.cosh((t - middle) / a))
    return add(p, add(scale(t / wide, across), scale(depth, down)))


@kernel
def split(ropes: Ropes, links: Links, r: int, gravity: Vector) -> None:
    """A span that comes to lie on an inactive link takes it up (15); where it is slack, as it hangs."""
    for i in range(ropes.first[r], ropes.last[r]):
        k = links.next[i]
        if k < 0:
            continue
        j = i
        for _ in range(ropes.last[r] - ropes.first[r]):
            j = j + 1 if j + 1 < ropes.last[r] else ropes.first[r]
            if j == k:
                break
            if links.kind[j] != ROLLING:
                continue
            p, q = row3(links.start, i), row3(links.end, i)
            if links.rest[i] > SLACK * links.length[i]:
                p, q = hanging_near(p, q, links.rest[i], gravity, row3(links.middle, j))
            if not meets(links, j, p, q):
                continue
            if take_up(ropes, links, r, i, j, k):
                break


@inline
def take_up(ropes: Ropes, links: Links, r: int, i: int, j: int, k: int) -> bool:
    """Link j comes between i and k, if the way over it is hardly longer than the rope that there is."""
    one, p, q, corner_i, c = find_span(links, i, j)
    two, u, v, d, corner_k = find_span(links, j, k)
    if not (one and two):
        return False
    arriving, leaving = sub(q, p), sub(v, u)
    place_in, place_out = place_on(links, j, c, arriving), place_on(links, j, d, leaving)
    on = links.sense[j] * moved_along(links, j, place_out, place_in)
    out_i, in_k, on_i, on_k = links.place_out[i], links.place_in[k], 0.0, 0.0
    if rolls(links, i):
        out_i = place_on(links, i, corner_i, arriving)
        on_i = links.sense[i] * moved_along(links, i, out_i, links.place_out[i])
    if rolls(links, k):
        in_k = place_on(links, k, corner_k, leaving)
        on_k = -links.sense[k] * moved_along(links, k, in_k, links.place_in[k])
    left, right = math.sqrt(dot(arriving, arriving)), math.sqrt(dot(leaving, leaving))
    rest = links.rest[i] - on - on_i - on_k
    extra = max(0.0, left + right - rest - max(0.0, links.length[i] - links.rest[i]))  # beyond how it is stretched
    if on <= 0.0 or rest <= 0.0 or extra > DETOUR * links.length[i]:
        return False
    links.place_out[i], links.place_in[k] = out_i, in_k
    links.place_in[j], links.place_out[j] = place_in, place_out
    links.stored[i] += on_i
    links.stored[k] += on_k
    links.stored[j] = on
    links.rest[i] = rest * left / (left + right)
    if ropes.compliance[r] > 0.0:
        links.rest[i] = left - (left + right - rest) * passed(ropes, r, i, j) / passed(ropes, r, i, k)
    links.rest[j] = rest - links.rest[i]
    links.ease[i] = extra * left / (left + right)
    links.ease[j] = extra * right / (left + right)
    links.active[j] = 1
    links.slips[j] = 0.0
    links.next[i] = j
    links.next[j] = k
    return True


@kernel
def whole_length(ropes: Ropes, links: Links, r: int) -> float:
    """Σ d̄ + Σ s of the active part of a rope, m."""
    found = 0.0
    for i in range(ropes.first[r], ropes.last[r]):
        if links.active[i] == 1:
            found += links.stored[i]
            if next_active(ropes, links, r, i) >= 0:
                found += links.rest[i]
    return found
