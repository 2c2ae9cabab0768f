"""Ropes as rows: spans between links, rope that rolls on and off, rope that slips [docs/theory/machines.md §4–§6].

The span that leaves link i for the next active one is kept with i: `rest` its unstretched length d̄, `length` its
length d. Owners of rows are `span_base` + i for spans and `slip_base` + i for slips.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, add, apply, cross, dot, rotation, scale, sub
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.machines.bodies import Bodies, add3, angular_velocity, put3, row3, row4
from lissom.machines.rows import NO_BOUND, Multipliers, Rows, add_row, add_slip, along
from lissom.machines.tangents import (
    MOST_CORNERS,
    corner_place,
    in_plane,
    nearest_turn,
    place_along,
    tangent_points,
    touched,
)

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

RUBBED = 0.005  # friction may differ by so much from what the tensions of a substep allow: it is that of those before

JUMP = 2.0  # times the way that bodies go in a substep: a span that grows by more has jumped,
SMALL = 1e-3  # if it is by more than this share of it

SHORT = 5.0  # times what a span misses of its length, where a substep in pieces will not help

LEVEL = 1e-14  # 1 − cos of the angle at which a rope meets a groove: below, it is square to the axle

ATTACHMENT, ROLLING, PINHOLE, HYBRID = 0, 1, 2, 3
NO_SLIP = -1.0  # in place of a coefficient of friction


class Ropes(NamedTuple):
    """One row for each rope."""

    first: Indices  # (n,) the links of its path are first … last − 1
    last: Indices
    room: Indices  # (n,) last … room − 1 wait for parts that the path does not name
    closed: Indices  # (n,) 1: the last link leads to the first
    axial: Array  # (n,) EA, N; 0: not elastic, or as `compliance` says
    compliance: Array  # (n,) from each link of the path to the next, m/N
    compression: Array  # (n,) stiffness of a span that is pushed, N/m; 0: tension only
    mass: Array  # (n,) for each metre, kg/m; it weighs, but has no inertia
    strength: Array  # (n,) breaking force, N
    broken: Indices  # (n,) 1 once it broke
    broke_at: Array  # (n,) when, s
    broke_under: Array  # (n,) what force, N
    broke_from: Indices  # (n,) the link that the span left which broke, and the one it led to
    broke_to: Indices
    heavy: Array  # (n,) drag of a slip, kg; a tiny part of the machine's mass
    firm: Array  # (n,) EA of a span that was made too short, though the rope keeps its length, N
    least: Array  # (n,) compliance of a span that nothing movable is on, divided by h², 1/kg


class Links(NamedTuple):
    """One row for each link of all ropes."""

    kind: Indices  # (n,)
    part: Indices  # (n,) of the scene
    body: Indices  # (n,)
    centre: Array  # (n, 3) of the wheel, or the place held, in the body's axes, m
    e1: Array  # (n, 3) axes of its plane, in the body's
    e2: Array
    axis: Array  # (n, 3)
    radius: Array  # (n,) around the corners
    corners: Array  # (all, 4) of all links, see tangents.py
    corner_first: Indices  # (n,)
    corner_last: Indices
    around: Array  # (n,) circumference, m
    lower: Array  # (n,) how far the part reaches along the axis on both sides of the rope's plane, m
    upper: Array
    friction: Array  # (n,) coefficient, or NO_SLIP
    sense: Array  # (n,) σ
    active: Indices  # (n,) 0: the rope passes it by
    ready: Indices  # (n,) 1: not active, and the rope is clear of it on the side on which it would lie
    held: Indices  # (n,) 1: a hybrid whose rope is used up
    stored: Array  # (n,) s, m
    stretch: Array  # (n,) of what lies on it, m; unstretched it is s less this
    place_in: Array  # (n,) w where the rope arrives and leaves, m
    place_out: Array
    angle_in: Array  # (n,) of the normal there, in the plane of the link
    angle_out: Array
    anchor: Array  # (n,) w of the end of a hybrid that is held
    slips: Array  # (n,) −1, 0, 1: which way the rope slips
    slipped: Array  # (n,) what has slipped over it in this substep, m
    rub: Array  # (n,) F h² that the rows of this solution have, N s²
    had: Array  # (n,) s at the start of the substep, m; not below 0
    share_in: Array  # (n,) stretch, as a share of their lengths, of the spans that arrive and leave, and of what lies
    share_on: Array  # on the link, at the start of the substep
    share_out: Array
    rolled_in: Array  # (n,) what has rolled on at its two ends in this substep, m
    rolled_out: Array
    rest: Array  # (n,) d̄ of the span that leaves, m
    length: Array  # (n,) d of it
    peak: Array  # (n,) largest tension of it in the substeps of this step, N
    lacked: Array  # (n,) d − d̄ of it at the start of the substep
    near: Array  # (n,) distance of its links at the start of the substep, as `guard_rows` has it, m
    lost: Indices  # (n,) 1: there is no tangent, it is held where it was
    ease: (
        Array  # (n,) what a span that a split made too short is not yet asked to give, m; above 0 until it is made anew
    )
    loose: Indices  # (n,) 1: it does not pull in this substep, as its length was not found
    next: Indices  # (n,) where it leads; −1: nowhere
    after: Indices  # (n,) the link after it, active or not; −1: none, or not in the rope
    share: Array  # (n,) how often the span that leaves has the compliance of the rope
    start: Array  # (n, 3) where it begins and ends, in the world
    end: Array
    row: Indices  # (n,) its row, −1 if it has none
    slip_row: Indices  # (n,)
    middle: Array  # (n, 3) of the wheel, in the world
    w1: Array  # (n, 3) axes of its plane, in the world
    w2: Array
    w3: Array
    curve: Array  # (POINTS, 3) of the span that is looked at, in the world


@kernel
def see_links(bodies: Bodies, links: Links) -> None:
    """Writes where wheels and held places are in the world."""
    for i in range(links.kind.shape[0]):
        b = links.body[i]
        r = rotation(row4(bodies.q, b))
        put3(links.middle, i, add(row3(bodies.x, b), apply(r, row3(links.centre, i))))
        put3(links.w1, i, apply(r, row3(links.e1, i)))
        put3(links.w2, i, apply(r, row3(links.e2, i)))
        put3(links.w3, i, apply(r, row3(links.axis, i)))


@kernel
def next_active(ropes: Ropes, links: Links, r: int, i: int) -> int:
    """The link after i, −1 after the last of an open rope."""
    k = i
    for _ in range(ropes.room[r] - ropes.first[r]):
        k = links.after[k]
        if k < 0 or links.active[k] == 1:
            return k  # type: ignore[no-any-return]
    return -1


@kernel
def rolls(links: Links, i: int) -> bool:
    kind = links.kind[i]
    return kind == ROLLING or (kind == HYBRID and links.held[i] == 0)  # type: ignore[no-any-return]


@inline
def held_place(links: Links, i: int) -> Vector:
    """Where a link that does not roll holds the rope, in the world."""
    return row3(links.middle, i) if links.kind[i] != HYBRID else rim_place(links, i, links.anchor[i])


@kernel
def rim_place(links: Links, i: int, w: float) -> Vector:
    """The place w along the outline of a link, in the world."""
    first, last, radius = links.corner_first[i], links.corner_last[i], links.radius[i]
    if last - first == 1:
        angle = w / radius
        n = add(scale(math.cos(angle), row3(links.w1, i)), scale(math.sin(angle), row3(links.w2, i)))
        return add(row3(links.middle, i), scale(radius, n))
    return on_polygon(links, i, w)


@inline
def on_polygon(links: Links, i: int, w: float) -> Vector:
    """The place w along a polygon of small or no radius."""
    first, last, radius = links.corner_first[i], links.corner_last[i], links.radius[i]
    w -= links.around[i] * math.floor(w / links.around[i])
    found = (0.0, 0.0, 0.0)
    least = NO_BOUND
    for k in range(first, last):
        after = first if k + 1 == last else k + 1
        x, y = links.corners[k, 0], links.corners[k, 1]
        dx, dy = links.corners[after, 0] - x, links.corners[after, 1] - y
        side = math.sqrt(dx * dx + dy * dy)
        nx, ny = dy / side, -dx / side
        begins = place_along(links.corners, k, radius, math.atan2(ny, nx))
        t = w - begins
        t -= links.around[i] * math.floor(t / links.around[i])
        over = max(0.0, t - side)
        if over < least:  # on this side, or on the arc that follows it
            least = over
            t = min(t, side)
            px, py = x + t * dx / side + radius * nx, y + t * dy / side + radius * ny
            if over > 0.0 and radius > 0.0:
                turn = math.atan2(ny, nx) + over / radius
                px = links.corners[after, 0] + radius * math.cos(turn)
                py = links.corners[after, 1] + radius * math.sin(turn)
            middle = row3(links.middle, i)
            found = add(middle, add(scale(px, row3(links.w1, i)), scale(py, row3(links.w2, i))))
    return found


@kernel
def find_span(links: Links, i: int, k: int) -> tuple[bool, Vector, Vector, int, int]:
    """Whether there is a tangent from link i to link k, its two ends, and the corners they are on."""
    first = held_place(links, i)
    second = held_place(links, k)
    round_i, round_k = rolls(links, i), rolls(links, k)
    ri = links.radius[i] if round_i else 0.0
    rk = links.radius[k] if round_k else 0.0
    ci, ck = links.corner_first[i], links.corner_first[k]
    ok, p, q = True, first, second
    for _ in range(MOST_CORNERS):
        if round_i:
            first = corner_place(links.corners, ci, row3(links.middle, i), row3(links.w1, i), row3(links.w2, i))
        if round_k:
            second = corner_place(links.corners, ck, row3(links.middle, k), row3(links.w1, k), row3(links.w2, k))
        ok, p, q = tangent_points(
            first, row3(links.w3, i), ri, links.sense[i], second, row3(links.w3, k), rk, links.sense[k]
        )
        t = sub(q, p)
        bi, bk = ci, ck
        if round_i:
            bi = touched(
                links.corners, links.corner_first[i], links.corner_last[i], row3(links.w1, i), row3(links.w2, i),
                links.sense[i], t,
            )  # fmt: skip
        if round_k:
            bk = touched(
                links.corners, links.corner_first[k], links.corner_last[k], row3(links.w1, k), row3(links.w2, k),
                links.sense[k], t,
            )  # fmt: skip
        if bi == ci and bk == ck:
            break
        ci, ck = bi, bk
    return ok, p, q, ci, ck


@kernel
def place_on(links: Links, i: int, corner: int, t: Vector) -> float:
    """w where a rope of direction t touches the link."""
    return place_along(links.corners, corner, links.radius[i], normal_angle(links, i, t))


@inline
def normal_angle(links: Links, i: int, t: Vector) -> float:
    """Of the outward normal of the link where a rope of direction t touches it."""
    n = scale(links.sense[i], cross(in_plane(t, row3(links.w3, i)), row3(links.w3, i)))
    return math.atan2(dot(n, row3(links.w2, i)), dot(n, row3(links.w1, i)))


@inline
def moved_along(links: Links, i: int, new: float, old: float) -> float:
    """From one place to another the shorter way round."""
    around: float = links.around[i]
    return around / (2.0 * math.pi) * nearest_turn((new - old) * (2.0 * math.pi / around))


@kernel
def see_strains(ropes: Ropes, links: Links) -> None:
    """How much of what rolls on and off in this substep is stretch (9a)."""
    for i in range(links.kind.shape[0]):
        links.had[i] = max(links.stored[i], 0.0)
        links.share_in[i] = links.share_on[i] = links.share_out[i] = 0.0
        links.rolled_in[i] = links.rolled_out[i] = 0.0
    for r in range(ropes.first.shape[0]):
        if ropes.axial[r] == 0.0:
            continue
        for i in range(ropes.first[r], ropes.room[r]):
            if links.had[i] > 0.0:
                links.share_on[i] = links.stretch[i] / links.had[i]
            k = links.next[i]
            if k >= 0 and links.length[i] > 0.0:
                over = links.length[i] - max(links.rest[i], 0.0) - links.ease[i]
                links.share_out[i] = links.share_in[k] = max(over, 0.0) / links.length[i]


@inline
def roll(links: Links, span: int, j: int, leaves: bool, on: float) -> None:
    """A length rolls on to link j from a span that leaves it, or arrives (9), with its stretch (9a)."""
    rolled = links.rolled_out if leaves else links.rolled_in
    own, other = (links.share_out[j], links.share_in[j]) if leaves else (links.share_in[j], links.share_out[j])
    before = stretch_of(links, j, rolled[j], own, other)
    rolled[j] += on
    stretch = stretch_of(links, j, rolled[j], own, other) - before
    links.stored[j] += on
    links.stretch[j] += stretch
    links.rest[span] -= on - stretch


@inline
def stretch_of(links: Links, j: int, rolled: float, own: float, other: float) -> float:
    """In what rolled on to link j at an end where the span has the share `own` of stretch. What rolls off is as
    stretched as what lay there, then as what came from the `other` end and went right through.
    """
    if rolled >= 0.0:
        return rolled * own
    return -min(-rolled, links.had[j]) * links.share_on[j] - max(-rolled - links.had[j], 0.0) * other  # type: ignore[no-any-return]


@kernel
def reel(ropes: Ropes, links: Links) -> None:
    """New tangents, and the rope that rolled on or off since (9). Writes spans: `start`, `end`, `length`, `next`."""
    for r in range(ropes.first.shape[0]):
        for i in range(ropes.first[r], ropes.room[r]):
            links.next[i] = -1
            if links.active[i] == 0 or ropes.broken[r] == 1:
                continue
            k = next_active(ropes, links, r, i)
            links.next[i] = k
            if k < 0:
                continue
            ok, p, q, ci, ck = find_span(links, i, k)
            links.lost[i] = 0 if ok else 1
            if not ok:  # wheels ran into each other: it is held where it last touched until there is a tangent again
                p = rim_place(links, i, links.place_out[i]) if rolls(links, i) else p
                q = rim_place(links, k, links.place_in[k]) if rolls(links, k) else q
            t = sub(q, p)
            if ok and rolls(links, i):
                w = place_on(links, i, ci, t)
                on = links.sense[i] * moved_along(links, i, w, links.place_out[i])
                links.place_out[i] = w
                links.angle_out[i] = normal_angle(links, i, t)
                roll(links, i, i, True, on)
            if ok and rolls(links, k):
                w = place_on(links, k, ck, t)
                on = -links.sense[k] * moved_along(links, k, w, links.place_in[k])
                links.place_in[k] = w
                links.angle_in[k] = normal_angle(links, k, t)
                roll(links, i, k, False, on)
            put3(links.start, i, p)
            put3(links.end, i, q)
            links.length[i] = math.sqrt(dot(t, t))


@inline
def span_compliance(ropes: Ropes, links: Links, r: int, i: int) -> float:
    """m/N, of a span in tension."""
    if ropes.axial[r] > 0.0:
        soft: float = max(links.rest[i], 0.0) / ropes.axial[r]
        return soft
    soft = ropes.compliance[r] * links.share[i]
    return max(soft, max(links.rest[i], 0.0) / ropes.firm[r]) if links.ease[i] > 0.0 else soft


@inline
def passed(ropes: Ropes, links: Links, r: int, i: int, k: int) -> int:
    """How many links on from i is k; those between are not active."""
    count = 0
    for _ in range(ropes.room[r] - ropes.first[r]):
        i = links.after[i]
        count += 1
        if i == k:
            break
    return count


@kernel
def weigh(bodies: Bodies, ropes: Ropes, links: Links, gravity: Vector) -> None:
    """Half of what a span weighs acts at each of its ends, what is wound up in the middle of the wheel."""
    for r in range(ropes.first.shape[0]):
        if ropes.mass[r] == 0.0:
            continue
        for i in range(ropes.first[r], ropes.room[r]):
            if links.active[i] == 0:
                continue
            load(
                bodies,
                links.body[i],
                row3(links.middle, i),
                ropes.mass[r] * (links.stored[i] - links.stretch[i]),
                gravity,
            )
            k = links.next[i]
            if k >= 0:
                half = 0.5 * ropes.mass[r] * links.rest[i]
                load(bodies, links.body[i], row3(links.start, i), half, gravity)
                load(bodies, links.body[k], row3(links.end, i), half, gravity)


@inline
def load(bodies: Bodies, b: int, at: Vector, mass: float, gravity: Vector) -> None:
    f = scale(mass, gravity)
    add3(bodies.force, b, 1.0, f)
    add3(bodies.torque, b, 1.0, cross(sub(at, row3(bodies.x, b)), f))


@inline
def groove(links: Links, i: int, t: Vector) -> tuple[Vector, Vector]:
    """(m, n) at a wheel that a rope of direction t runs on: its way along the groove, and the outward normal."""
    flat = in_plane(t, row3(links.w3, i))
    m = scale(1.0 / math.sqrt(dot(flat, flat)), flat)
    return m, scale(links.sense[i], cross(m, row3(links.w3, i)))


@inline
def gradient(bodies: Bodies, links: Links, i: int, k: int, t: Vector) -> tuple[Vector, Vector, Vector]:
    """(line, turn_a, turn_b) of C = d − d̄ of the span from link i to k (10): t, and where the rope meets a groove
    aslant also what the tangent points u1, u2 that move along change (11).
    """
    a, b = links.body[i], links.body[k]
    p, q = row3(links.start, i), row3(links.end, i)
    to_p = sub(p, row3(bodies.x, a)), sub(p, row3(bodies.x, b))
    to_q = sub(q, row3(bodies.x, a)), sub(q, row3(bodies.x, b))
    line, turn_a, turn_b = t, scale(-1.0, cross(to_p[0], t)), cross(to_q[1], t)
    m1, n1, m2, n2 = t, t, t, t
    k1 = k2 = f1 = f2 = c1 = c2 = 0.0
    if links.lost[i] == 1:
        return line, turn_a, turn_b
    if rolls(links, i):
        m1, n1 = groove(links, i, t)
        k1, f1 = links.radius[i] / (links.length[i] * dot(m1, t)), 1.0 - dot(m1, t)
    if rolls(links, k):
        m2, n2 = groove(links, k, t)
        k2, f2 = links.radius[k] / (links.length[i] * dot(m2, t)), 1.0 - dot(m2, t)
    if max(f1, f2) <= LEVEL:
        return line, turn_a, turn_b
    if k1 > 0.0 and k2 > 0.0:
        c1, c2 = dot(n1, m2), dot(n2, m1)
    both = (f1 - f2 * k2 * c2) / (1.0 + k1 * k2 * c1 * c2)
    one, two = -k1 * both, k2 * (f2 + both * k1 * c1)
    line = add(line, add(scale(one, n1), scale(two, n2)))
    turn_a = sub(turn_a, add(scale(one, cross(to_q[0], n1)), scale(two, cross(to_p[0], n2))))
    turn_b = add(turn_b, add(scale(one, cross(to_q[1], n1)), scale(two, cross(to_p[1], n2))))
    return line, turn_a, turn_b


@kernel
def rope_rows(
    rows: Rows,
    bodies: Bodies,
    ropes: Ropes,
    links: Links,
    known: Multipliers,
    span_base: int,
    slip_base: int,
    gravity: Vector,
    h: float,
) -> None:
    """Rows of all spans (10), and of the links over which rope slips (11), as they follow each other along the rope:
    over wheels that stand all have the same place in the order of bodies, and this keeps the envelope narrow.

    A span between two things that stand still counts only where rope slips in or out of it; it is then a little soft,
    as it has no mass to balance its tension.
    """
    for i in range(links.kind.shape[0]):
        links.row[i] = -1
        links.slip_row[i] = -1
    for r in range(ropes.first.shape[0]):
        before = -1  # the link with the last row
        i = ropes.first[r]
        for n in range(ropes.room[r] - ropes.first[r]):
            if n > 0:
                i = links.after[i]
                if i < 0 or i == ropes.first[r]:
                    break
            k = links.next[i]
            if k < 0 or links.length[i] <= 0.0 or links.loose[i] == 1:
                continue
            a, b = links.body[i], links.body[k]
            still = a == b or (bodies.movable[a] == 0 and bodies.movable[b] == 0)
            if still and not (slips_over(links, i) or slips_over(links, k)):
                continue
            p, q = row3(links.start, i), row3(links.end, i)
            t = scale(1.0 / links.length[i], sub(q, p))
            soft = span_compliance(ropes, links, r, i)
            if still:
                soft = max(soft, ropes.least[r] * h * h)
            low = 0.0
            gap = links.length[i] - links.rest[i] - links.ease[i]
            if ropes.compression[r] > 0.0:
                low = -NO_BOUND
                if gap < 0.0:
                    soft = 1.0 / ropes.compression[r]
            line, turn_a, turn_b = gradient(bodies, links, i, k, t)
            if a == b:  # on one body a span moves nothing
                a, b = 0, 0
            links.row[i] = add_row(rows, span_base + i, a, b, line, turn_a, turn_b, gap, soft / (h * h), low, NO_BOUND)
            if before >= 0:
                slip_row(rows, ropes, links, known, r, before, span_base, slip_base, gravity, h)
            before = i
        if before >= 0 and ropes.closed[r] == 1:
            slip_row(rows, ropes, links, known, r, before, span_base, slip_base, gravity, h)


@inline
def slip_row(
    rows: Rows,
    ropes: Ropes,
    links: Links,
    known: Multipliers,
    r: int,
    i: int,
    span_base: int,
    slip_base: int,
    gravity: Vector,
    h: float,
) -> None:
    """Of the link at the end of the span that leaves link i, if rope slips over it (11)."""
    k = links.next[i]
    if links.row[k] < 0 or not slips_over(links, k):
        return
    links.rub[k] = rubbing(links, k, known.last[span_base + i], known.last[span_base + k])
    drag = links.rub[k]
    if ropes.mass[r] > 0.0:
        drag += h * h * ropes.mass[r] * dot(gravity, sub(halfway(links, k), halfway(links, i)))
    links.slip_row[k] = add_slip(rows, slip_base + k, links.row[i], links.row[k], -drag, ropes.heavy[r])


@inline
def halfway(links: Links, i: int) -> Vector:
    """The middle of the span that leaves link i."""
    return scale(0.5, add(row3(links.start, i), row3(links.end, i)))


@inline
def slips_over(links: Links, k: int) -> bool:
    """Whether the rope slips over link k now."""
    if links.kind[k] == PINHOLE:
        return True
    return links.kind[k] == ROLLING and (links.friction[k] == 0.0 or links.slips[k] != 0.0)  # type: ignore[no-any-return]


@inline
def grip_of(links: Links, k: int) -> float:
    """e^{μφ} of the rope on link k; on a polygon by how far it bends, not by how far it goes around."""
    angle = links.stored[k] / links.around[k] * 2.0 * math.pi
    if links.corner_last[k] - links.corner_first[k] > 1:
        angle += nearest_turn(links.sense[k] * (links.angle_out[k] - links.angle_in[k]) - angle)
    angle = max(angle, 0.0)
    return math.exp(links.friction[k] * angle)


@inline
def rubbing(links: Links, k: int, before: float, after: float) -> float:
    """F of (11), from the higher of both tensions, the one that the fixed point is sure to settle with."""
    if links.kind[k] == PINHOLE or links.friction[k] <= 0.0:
        return 0.0
    share: float = 1.0 - 1.0 / grip_of(links, k)
    return share * before if links.slips[k] > 0.0 else -share * after


@kernel
def as_predicted(rows: Rows, bodies: Bodies, links: Links) -> None:
    """Values of rows become those that their present gradients give for the prediction, before any correction."""
    for i in range(rows.used[0]):
        if rows.left[i] < 0:
            rows.value[i] -= along(rows, i, bodies.movable, bodies.shifted, bodies.spun)
    for k in range(links.kind.shape[0]):
        row = links.slip_row[k]
        if row >= 0:
            rows.value[rows.left[row]] -= links.slipped[k]
            rows.value[rows.right[row]] += links.slipped[k]


@kernel
def left_over(ropes: Ropes, links: Links, known: Multipliers, span_base: int, h: float) -> float:
    """The largest length by which a span misses what it was solved for, m."""
    worst = 0.0
    for r in range(ropes.first.shape[0]):
        for i in range(ropes.first[r], ropes.room[r]):
            if links.row[i] >= 0 and links.length[i] > 0.0:
                worst = max(worst, missing(ropes, links, known, r, i, span_base, h))
    return worst


@inline
def missing(ropes: Ropes, links: Links, known: Multipliers, r: int, i: int, span_base: int, h: float) -> float:
    """C of a span beyond what its tension stretches it by, m; a slack one may miss anything."""
    stretch = span_compliance(ropes, links, r, i) * known.total[span_base + i] / (h * h)
    over: float = links.length[i] - links.rest[i] - links.ease[i] - stretch
    return abs(over) if known.total[span_base + i] > 0.0 else over


@kernel
def see_lacks(links: Links) -> None:
    """Writes `lacked`, before bodies move."""
    for i in range(links.kind.shape[0]):
        links.lacked[i] = links.length[i] - links.rest[i]


@kernel
def ease_jumps(bodies: Bodies, links: Links, h: float) -> None:
    """A span that has become longer by more than its bodies could move in a substep touches another corner, or the
    other side of a part that another one presses on it: that is taken up bit by bit.
    """
    for i in range(links.kind.shape[0]):
        k = links.next[i]
        if k < 0:
            continue
        speed = speed_at(bodies, links.body[i], row3(links.start, i)) + speed_at(
            bodies, links.body[k], row3(links.end, i)
        )
        lacks = links.length[i] - links.rest[i]
        jump = min(lacks - links.ease[i], lacks - links.lacked[i] - JUMP * h * speed)
        if jump > SMALL * links.length[i]:
            links.ease[i] += jump
            links.lacked[i] += jump


@inline
def speed_at(bodies: Bodies, b: int, x: Vector) -> float:
    """No place of a body this far from its centre of mass is faster, m/s."""
    v, w = row3(bodies.v, b), angular_velocity(bodies, b, row4(bodies.q, b))
    arm = sub(x, row3(bodies.x, b))
    return math.sqrt(dot(v, v)) + math.sqrt(dot(w, w) * dot(arm, arm))


@kernel
def is_long(ropes: Ropes, links: Links, known: Multipliers, span_base: int, most: float, h: float) -> bool:
    """Whether no span that misses by more is as short as that: one of no length has no direction, however small a
    substep is.
    """
    for r in range(ropes.first.shape[0]):
        for i in range(ropes.first[r], ropes.room[r]):
            if links.row[i] >= 0:
                misses = abs(missing(ropes, links, known, r, i, span_base, h))
                if misses > most and links.length[i] < SHORT * misses:
                    return False
    return True


@kernel
def let_loose(ropes: Ropes, links: Links, known: Multipliers, span_base: int, most: float, h: float) -> bool:
    """Spans that miss by more will not pull in the next solutions of this substep; whether there are any."""
    found = False
    for r in range(ropes.first.shape[0]):
        for i in range(ropes.first[r], ropes.room[r]):
            asked = links.row[i] >= 0 and links.length[i] > 0.0
            if asked and abs(missing(ropes, links, known, r, i, span_base, h)) > most:
                links.loose[i] = 1
                found = True
    return found


@kernel
def ease_off(ropes: Ropes, links: Links, known: Multipliers, span_base: int, most: float, h: float) -> None:
    """What spans still lack is taken up bit by bit, if it is more: in one substep it would be a blow."""
    for r in range(ropes.first.shape[0]):
        for i in range(ropes.first[r], ropes.room[r]):
            if links.loose[i] == 1:
                kept = links.ease[i]
                if ropes.axial[r] > 0.0 or ropes.compliance[r] > 0.0:  # it keeps the stretch that it had
                    kept = max(kept, links.lacked[i])
                links.ease[i] += max(0.0, links.length[i] - links.rest[i] - kept)
            elif links.row[i] >= 0 and links.length[i] > 0.0:
                lacks = missing(ropes, links, known, r, i, span_base, h)
                links.ease[i] += lacks if lacks > most else 0.0


@kernel
def forget_tensions(links: Links, known: Multipliers, span_base: int) -> bool:
    """Nothing rubs in the next solution; whether anything did."""
    found = False
    for k in range(links.kind.shape[0]):
        found = found or (links.slip_row[k] >= 0 and links.slips[k] != 0.0)
        known.last[span_base + k] = 0.0
    return found


@kernel
def slip(rows: Rows, ropes: Ropes, links: Links, known: Multipliers, span_base: int) -> bool:
    """Rope moves as the slip rows found; rough links begin and end to slip (12).

    False where friction was not what it is: it drove the rope on, or was more than the tensions found allow.
    """
    true = True
    for r in range(ropes.first.shape[0]):
        for i in range(ropes.first[r], ropes.room[r]):
            k = links.next[i]
            if k < 0 or links.next[k] < 0:
                continue
            before, after = known.total[span_base + i], known.total[span_base + k]
            if links.slip_row[k] >= 0:
                u = rows.step[links.slip_row[k]]
                allowed = abs(rubbing(links, k, before, after))
                if abs(abs(links.rub[k]) - allowed) > RUBBED * allowed:
                    true = False
                elif links.slips[k] * u > 0.0:  # towards the lower tension: it sticks
                    u = 0.0
                    links.slips[k] = 0.0
                    true = False
                links.rest[i] -= u - links.slipped[k]
                links.rest[k] += u - links.slipped[k]
                links.slipped[k] = u
            elif links.kind[k] == ROLLING and links.friction[k] > 0.0:
                grip = grip_of(links, k)
                if before > after * grip:
                    links.slips[k] = 1.0
                elif after > before * grip:
                    links.slips[k] = -1.0
    return true


@kernel
def unslip(ropes: Ropes, links: Links) -> None:
    """What slipped in this substep goes back."""
    for r in range(ropes.first.shape[0]):
        for i in range(ropes.first[r], ropes.room[r]):
            k = links.next[i]
            if k >= 0 and links.next[k] >= 0:
                links.rest[i] += links.slipped[k]
                links.rest[k] -= links.slipped[k]
                links.slipped[k] = 0.0
