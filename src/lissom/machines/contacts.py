"""Bodies that touch: simple solids against each other and the ground, with friction [docs/theory/machines.md §8].

Feature points of one solid (corners of a box, ends of a capsule, rims of a cylinder, the middle of a sphere), each
with a radius around it, are held out of the other solid, whose distance is known in closed form; and the other way
round. Two edges that cross are not seen. A contact pushes its bodies apart along the normal, and against the way they
slid since the start of the substep by at most μ times as much. Inelastic. Owners of its rows are base + 3 · slot.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.primitives import field
from lissom.geometry.solids import CAPSULE, CYLINDER, PLANE, SPHERE
from lissom.geometry.triples import (
    Matrix,
    Vector,
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    matmul_at_b,
    quaternion_product,
    rotation,
    scale,
    sub,
)
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.machines.bodies import Bodies, angular_velocity, in_world, put3, row3, row4
from lissom.machines.rows import NO_BOUND, Multipliers, Rows, add_row, own_mobility

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

BOX = 100  # beside the kinds of the geometry, which has no closed form of it
MOST_POINTS = 8  # features of one solid
ROWS_OF_CONTACT = 3
SOFT = 1e-6  # of its own mobility: contacts that hold the same share what they carry
PUSHED_OUT = 0.1  # s in which what is too deep comes out, to 1/e
RUBBED = 0.02  # friction may differ by so much from what the forces of the substep allow
FLUSH = 1e-3  # of its half width: what stands out by less over the edge of a face is on the face


class Contacts(NamedTuple):
    """Solids, pairs that may touch, and the contacts of this substep."""

    body: Indices  # (solids,)
    offset: Array  # (solids, 3) in the body's axes, m
    turn: Array  # (solids, 4)
    kind: Indices  # (solids,)
    size: Array  # (solids, 3) radius and half length, or half edges, m
    reach: Array  # (solids,) radius around the offset that holds it; NO_BOUND: a plane
    pair: Indices  # (pairs, 2)
    friction: Array  # (pairs,) coefficient
    found: Indices  # (1,) how many contacts there are
    clock: Indices  # (1,) counts substeps
    slot: Indices  # (room,) which feature of which pair
    a: Indices  # (room,) bodies; a is pushed along the normal
    b: Indices
    at_a: Array  # (room, 3) in the body's axes
    at_b: Array
    normal: Array  # (room, 3) world
    slid: Array  # (room, 3) way of a against b since the start of the substep, when it was found
    seen: Array  # (room, 3) a against b where it was found
    depth: Array  # (room,) how deep it may stay in this substep, m
    mu: Array  # (room,)
    bound: Array  # (room,) of friction in the last solution, N s²
    along: Array  # (room, 3) first direction of friction in it
    stamp: Indices  # (slots,) substep in which it touched last
    lead: Array  # (slots, 3) the way it slid, or the friction that held it


def make_contacts(solids: int, pairs: int) -> Contacts:
    """Without any yet. Every feature of every pair has room."""
    room = 2 * MOST_POINTS * pairs
    turn = np.zeros((solids, 4))
    turn[:, 0] = 1.0

    def whole(*shape: int) -> Indices:
        return np.zeros(shape, dtype=np.int64)

    def zeros(*shape: int) -> Array:
        return np.zeros(shape)

    return Contacts(
        whole(solids), zeros(solids, 3), turn, whole(solids), zeros(solids, 3), zeros(solids), whole(pairs, 2),
        zeros(pairs), whole(1), whole(1), whole(room), whole(room), whole(room), zeros(room, 3), zeros(room, 3),
        zeros(room, 3), zeros(room, 3), zeros(room, 3), zeros(room), zeros(room), zeros(room), zeros(room, 3),
        whole(room), zeros(room, 3),
    )  # fmt: skip


@inline
def box_field(half: Vector, x: Vector) -> tuple[float, Vector]:
    """Distance and normal of a box, inside the nearest face."""
    ox, oy, oz = abs(x[0]) - half[0], abs(x[1]) - half[1], abs(x[2]) - half[2]
    sx = 1.0 if x[0] >= 0.0 else -1.0
    sy = 1.0 if x[1] >= 0.0 else -1.0
    sz = 1.0 if x[2] >= 0.0 else -1.0
    if ox <= 0.0 and oy <= 0.0 and oz <= 0.0:
        if ox >= oy and ox >= oz:
            return ox, (sx, 0.0, 0.0)
        if oy >= oz:
            return oy, (0.0, sy, 0.0)
        return oz, (0.0, 0.0, sz)
    px, py, pz = max(ox, 0.0), max(oy, 0.0), max(oz, 0.0)
    d = math.sqrt(px * px + py * py + pz * pz)
    return d, (sx * px / d, sy * py / d, sz * pz / d)


@inline
def distance(contacts: Contacts, s: int, x: Vector) -> tuple[float, Vector]:
    """Of a point in the axes of a solid."""
    if contacts.kind[s] == BOX:
        return box_field(row3(contacts.size, s), x)
    d, n, _ = field(contacts.kind[s], row3(contacts.size, s), x)  # type: ignore[arg-type]
    return d, n


@inline
def feature_count(kind: int) -> int:
    if kind == PLANE:
        return 0
    if kind == SPHERE:
        return 1
    if kind == CAPSULE:
        return 3
    return 8


@inline
def feature(contacts: Contacts, s: int, k: int, towards: Vector) -> tuple[Vector, float]:
    """(point, radius around it) number k in the axes of a solid; `towards` leads to the other solid."""
    kind = contacts.kind[s]
    size = row3(contacts.size, s)
    if kind == SPHERE:
        return (0.0, 0.0, 0.0), size[0]
    if kind == CAPSULE:
        if k < 2:
            return (0.0, 0.0, size[1] if k == 0 else -size[1]), size[0]
        return (0.0, 0.0, min(max(towards[2], -size[1]), size[1])), size[0]
    if kind == CYLINDER:  # four points on each rim, one of them the nearest
        out = math.sqrt(towards[0] * towards[0] + towards[1] * towards[1])
        c, sn = (1.0, 0.0) if out <= 1e-9 * size[0] else (towards[0] / out, towards[1] / out)
        quarter = k % 4
        x, y = (c, sn) if quarter == 0 else (-sn, c) if quarter == 1 else (-c, -sn) if quarter == 2 else (sn, -c)
        return (size[0] * x, size[0] * y, size[1] if k < 4 else -size[1]), 0.0
    return (
        size[0] if k & 1 else -size[0],
        size[1] if k & 2 else -size[1],
        size[2] if k & 4 else -size[2],
    ), 0.0


@inline
def velocity_at(bodies: Bodies, b: int, p: Vector) -> Vector:
    w = angular_velocity(bodies, b, row4(bodies.q, b))
    return add(row3(bodies.v, b), cross(w, sub(p, row3(bodies.x, b))))


@kernel
def find_contacts(bodies: Bodies, contacts: Contacts, known: Multipliers, base: int, gravity: Vector, h: float) -> None:
    """Features that would be inside another solid at the end of this substep, or that little keeps out of it."""
    contacts.found[0] = 0
    contacts.clock[0] += 1
    fall = 4.0 * h * h * math.sqrt(dot(gravity, gravity))
    for p in range(contacts.pair.shape[0]):
        s, t = contacts.pair[p, 0], contacts.pair[p, 1]
        margin = fall + 1e-6 * min(contacts.reach[s], contacts.reach[t])
        if near(bodies, contacts, s, t, margin):
            first = 2 * MOST_POINTS * p
            mu = contacts.friction[p]
            meet(bodies, contacts, known, base, s, t, first, mu, margin, h)
            meet(bodies, contacts, known, base, t, s, first + MOST_POINTS, mu, margin, h)


@inline
def near(bodies: Bodies, contacts: Contacts, s: int, t: int, margin: float) -> bool:
    """Whether the spheres around two solids overlap; a plane is near everything."""
    reach = contacts.reach[s] + contacts.reach[t] + margin
    if reach >= NO_BOUND:
        return True
    apart = sub(
        in_world(bodies, contacts.body[s], row3(contacts.offset, s)),
        in_world(bodies, contacts.body[t], row3(contacts.offset, t)),
    )
    close: bool = dot(apart, apart) < reach * reach
    return close


@inline
def extent(contacts: Contacts, s: int, u: Vector) -> float:
    """How far a solid reaches from its middle along u, a unit vector in its axes, m."""
    kind, size = contacts.kind[s], row3(contacts.size, s)
    if kind == BOX:
        return size[0] * abs(u[0]) + size[1] * abs(u[1]) + size[2] * abs(u[2])
    if kind == CYLINDER:
        return size[0] * math.sqrt(max(0.0, 1.0 - u[2] * u[2])) + size[1] * abs(u[2])
    if kind == CAPSULE:
        return size[0] + size[1] * abs(u[2])
    return size[0]


@inline
def facing(contacts: Contacts, s: int, t: int, middle: Vector, turn: Matrix) -> tuple[int, float]:
    """(axis, side) of the flat face of t through which solid s would leave it soonest; axis −1 where that is not flat.

    `middle` is that of s in the axes of t, `turn` leads from the axes of s to those of t.
    """
    axis, side, least = -1, 1.0, NO_BOUND
    size = row3(contacts.size, t)
    if contacts.kind[t] == CYLINDER:
        out = math.sqrt(middle[0] * middle[0] + middle[1] * middle[1])
        u = (1.0, 0.0, 0.0) if out == 0.0 else (middle[0] / out, middle[1] / out, 0.0)
        least = size[0] + extent(contacts, s, apply_transposed(turn, u)) - out
    elif contacts.kind[t] != BOX:
        return axis, side
    for k in range(2 if contacts.kind[t] == CYLINDER else 0, 3):
        e = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        far, half = (middle[0], size[0]) if k == 0 else (middle[1], size[1]) if k == 1 else (middle[2], size[2])
        if contacts.kind[t] == CYLINDER:
            half = size[1]
        overlap = half + extent(contacts, s, apply_transposed(turn, e)) - abs(far)
        if overlap < least:
            axis, side, least = k, 1.0 if far >= 0.0 else -1.0, overlap
    return axis, side


@inline
def on_face(contacts: Contacts, t: int, axis: int, side: float, x: Vector) -> tuple[bool, float, Vector]:
    """(whether x is over that face of t or below it, distance, normal); x in the axes of t."""
    size = row3(contacts.size, t)
    wide = 1.0 + FLUSH
    if contacts.kind[t] == CYLINDER:
        over = x[0] * x[0] + x[1] * x[1] <= (wide * size[0]) ** 2
        return over and side * x[2] >= -size[1], side * x[2] - size[1], (0.0, 0.0, side)
    if axis == 0:
        over = abs(x[1]) <= wide * size[1] and abs(x[2]) <= wide * size[2]
        return over and side * x[0] >= -size[0], side * x[0] - size[0], (side, 0.0, 0.0)
    if axis == 1:
        over = abs(x[0]) <= wide * size[0] and abs(x[2]) <= wide * size[2]
        return over and side * x[1] >= -size[1], side * x[1] - size[1], (0.0, side, 0.0)
    over = abs(x[0]) <= wide * size[0] and abs(x[1]) <= wide * size[1]
    return over and side * x[2] >= -size[2], side * x[2] - size[2], (0.0, 0.0, side)


@kernel
def meet(
    bodies: Bodies, contacts: Contacts, known: Multipliers, base: int, s: int, t: int, slots: int, mu: float,
    margin: float, h: float,
) -> None:  # fmt: skip
    """Features of solid s against solid t."""
    a, b = contacts.body[s], contacts.body[t]
    rs = rotation(quaternion_product(row4(bodies.q, a), row4(contacts.turn, s)))
    rt = rotation(quaternion_product(row4(bodies.q, b), row4(contacts.turn, t)))
    os = in_world(bodies, a, row3(contacts.offset, s))
    ot = in_world(bodies, b, row3(contacts.offset, t))
    middle = apply_transposed(rt, sub(os, ot))
    axis, side = facing(contacts, s, t, middle, matmul_at_b(rt, rs))
    _, outward = distance(contacts, t, middle)
    towards = sub(ot, os)
    if contacts.kind[t] == PLANE or contacts.kind[s] == CYLINDER:
        towards = scale(-1.0, apply(rt, outward))
    local = apply_transposed(rs, towards)
    for k in range(feature_count(contacts.kind[s])):
        point, radius = feature(contacts, s, k, local)
        x = add(os, apply(rs, point))
        own = apply_transposed(rt, sub(x, ot))
        flat = False
        if axis >= 0:
            flat, d, n = on_face(contacts, t, axis, side, own)
        if not flat:
            d, n = distance(contacts, t, own)
            if d > 0.0 and radius == 0.0 and axis >= 0:  # beside an edge
                continue
        if d >= radius + margin:
            continue
        n = apply(rt, n)
        c = contacts.found[0]
        contacts.found[0] = c + 1
        on_a, on_b = sub(x, scale(radius, n)), sub(x, scale(d, n))
        slid = scale(h, sub(velocity_at(bodies, a, on_a), velocity_at(bodies, b, on_b)))
        slot = slots + k
        contacts.slot[c] = slot
        contacts.a[c] = a
        contacts.b[c] = b
        put3(contacts.at_a, c, apply_transposed(rotation(row4(bodies.q, a)), sub(on_a, row3(bodies.x, a))))
        put3(contacts.at_b, c, apply_transposed(rotation(row4(bodies.q, b)), sub(on_b, row3(bodies.x, b))))
        put3(contacts.normal, c, n)
        put3(contacts.slid, c, slid)
        put3(contacts.seen, c, sub(on_a, on_b))
        contacts.depth[c] = max(0.0, 1.0 - h / PUSHED_OUT) * max(0.0, radius - d + dot(slid, n))
        contacts.mu[c] = mu
        if contacts.stamp[slot] != contacts.clock[0] - 1:
            known.last[base + ROWS_OF_CONTACT * slot] = 0.0
            put3(contacts.lead, slot, (0.0, 0.0, 0.0))
        contacts.stamp[slot] = contacts.clock[0]


@kernel
def contact_rows(rows: Rows, bodies: Bodies, contacts: Contacts, known: Multipliers, base: int) -> None:
    """Rows (16) and (17) of all contacts, at the present poses. Friction is limited by the force found last."""
    for c in range(contacts.found[0]):
        slot = contacts.slot[c]
        owner = base + ROWS_OF_CONTACT * slot
        a, b, n = contacts.a[c], contacts.b[c], row3(contacts.normal, c)
        on_a, on_b = in_world(bodies, a, row3(contacts.at_a, c)), in_world(bodies, b, row3(contacts.at_b, c))
        arm_a, arm_b = sub(on_a, row3(bodies.x, a)), sub(on_b, row3(bodies.x, b))
        gap = sub(on_a, on_b)
        value = -dot(gap, n) - contacts.depth[c]
        touch_row(rows, bodies, owner, a, b, n, arm_a, arm_b, value, 0.0, NO_BOUND)
        contacts.bound[c] = contacts.mu[c] * known.last[owner]
        if contacts.bound[c] <= 0.0:
            continue
        way = add(row3(contacts.slid, c), sub(gap, row3(contacts.seen, c)))
        t = across(n, row3(contacts.lead, slot), way)
        put3(contacts.along, c, t)
        for k in range(2):
            e = t if k == 0 else cross(n, t)
            most = contacts.bound[c]
            i = touch_row(rows, bodies, owner + 1 + k, a, b, e, arm_a, arm_b, -dot(way, e), -most, most)
            rows.rubs_on[i] = owner
            rows.mu[i] = contacts.mu[c]


@inline
def touch_row(
    rows: Rows, bodies: Bodies, owner: int, a: int, b: int, e: Vector, arm_a: Vector, arm_b: Vector, value: float,
    low: float, high: float,
) -> int:  # fmt: skip
    """λ pushes a along e and b back."""
    i = add_row(rows, owner, a, b, e, scale(-1.0, cross(arm_a, e)), cross(arm_b, e), value, 0.0, low, high)
    rows.alpha[i] = SOFT * own_mobility(rows, bodies, i)
    return i


@inline
def across(n: Vector, first: Vector, second: Vector) -> Vector:
    """A unit vector square to n: along the first of both that has one, else any."""
    third = (1.0, 0.0, 0.0) if abs(n[0]) < 0.9 else (0.0, 1.0, 0.0)
    for k in range(3):
        v = first if k == 0 else second if k == 1 else third
        v = sub(v, scale(dot(v, n), n))
        size = math.sqrt(dot(v, v))
        if size > 0.0:
            v = scale(1.0 / size, v)
            v = sub(v, scale(dot(v, n), n))  # what was almost along n is square to it only now
            return scale(1.0 / math.sqrt(dot(v, v)), v)
    return third  # numbers that are none


@kernel
def rub(bodies: Bodies, contacts: Contacts, known: Multipliers, base: int) -> bool:
    """Whether friction was what the forces that were found allow (17); and which way it will act next."""
    true = True
    for c in range(contacts.found[0]):
        slot = contacts.slot[c]
        owner = base + ROWS_OF_CONTACT * slot
        known.last[owner] = known.total[owner]
        if contacts.mu[c] == 0.0:
            continue
        most, bound = contacts.mu[c] * known.total[owner], contacts.bound[c]
        n, t = row3(contacts.normal, c), row3(contacts.along, c)
        one, two = (known.total[owner + 1], known.total[owner + 2]) if bound > 0.0 else (0.0, 0.0)
        size = math.sqrt(one * one + two * two)
        slides = max(abs(one), abs(two)) >= bound
        if size > (1.0 + RUBBED) * most or (slides and bound < (1.0 - RUBBED) * most):
            true = False
        if slides:
            on_a = in_world(bodies, contacts.a[c], row3(contacts.at_a, c))
            on_b = in_world(bodies, contacts.b[c], row3(contacts.at_b, c))
            put3(contacts.lead, slot, add(row3(contacts.slid, c), sub(sub(on_a, on_b), row3(contacts.seen, c))))
        else:
            put3(contacts.lead, slot, add(scale(one, t), scale(two, cross(n, t))))
    return true
