"""Spans as rows, and the rope that slips from one to the next [docs/theory/machines.md §5, §6].

Owners of rows are `span_base` + i for the span that leaves link i, and `slip_base` + i for what slips over it.
"""

import math

from lissom.geometry.triples import Vector, add, cross, dot, scale, sub
from lissom.kernels import inline, kernel_part
from lissom.kernels import lean_kernel as kernel
from lissom.machines.bodies import Bodies, add3, row3
from lissom.machines.ropes import PINHOLE, ROLLING, Links, Ropes, rolls
from lissom.machines.rows import NO_BOUND, Multipliers, Rows, add_row, add_slip, along
from lissom.machines.tangents import in_plane, nearest_turn

RUBBED = 0.005  # friction may differ by so much from what the tensions of a substep allow: it is that of those before
LEVEL = 1e-14  # 1 − cos of the angle at which a rope meets a groove: below, it is square to the axle


@inline
def span_compliance(ropes: Ropes, links: Links, r: int, i: int) -> float:
    """m/N, of a span in tension; what it is not yet asked to give is rope for now."""
    long: float = max(links.rest[i] + links.ease[i], 0.0)
    if ropes.axial[r] > 0.0:
        return long / ropes.axial[r]  # type: ignore[no-any-return]
    soft: float = ropes.compliance[r] * links.share[i]
    return max(soft, long / ropes.firm[r]) if links.ease[i] > 0.0 else soft


@kernel_part
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


@kernel_part
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
def forget_tensions(links: Links, known: Multipliers, span_base: int) -> bool:
    """Nothing rubs in the next solution; whether anything did."""
    found = False
    for k in range(links.kind.shape[0]):
        found = found or (links.slip_row[k] >= 0 and links.slips[k] != 0.0)
        known.last[span_base + k] = 0.0
    return found


@kernel_part
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
