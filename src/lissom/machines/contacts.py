"""Bodies that touch: simple solids against each other and the ground, with friction [docs/theory/machines.md §8].

Feature points of one solid (corners of a box, ends of a capsule, rims of a cylinder, the middle of a sphere), each
with a radius around it, are held out of the other solid, whose distance is known in closed form; and the other way
round. Where one lies on a flat face of the other, so are the places where its lines (edges, chords of a rim, the axis
of what is round) cross the rim of that face; and where two round ones lie across each other, their axes. A contact
pushes its bodies apart along the normal, and against the way they slid since the start of the substep by at most μ
times as much. Inelastic. Owners of its rows are base + 3 · slot.
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
from lissom.kernels import inline, kernel_part
from lissom.kernels import lean_kernel as kernel
from lissom.machines.bodies import Bodies, angular_velocity, in_world, put3, row3, row4
from lissom.machines.rows import NO_BOUND, Multipliers, Rows, add_row, own_mobility

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

BOX = 100  # beside the kinds of the geometry, which has no closed form of it
MOST_POINTS = 8  # features of one solid, and places where lines of one cross the rim of a face
ENDS = 2  # of a capsule: its first features; the other one lies between them
ROWS_OF_CONTACT = 3
SOFT = 1e-6  # of its own mobility: contacts that hold the same share what they carry
SOFTEST = 1e-3  # likewise, where it was not found which of them carry: a load is shared out more evenly then
HARDENS = 0.98  # from there back to SOFT, in each substep
PUSHED_OUT = 0.1  # s in which what is too deep comes out, to 1/e
RUBBED = 0.02  # friction may differ by so much from what the forces of the substep allow
FLUSH = 1e-3  # of its half width: what stands out by less over the edge of a face is on the face
SUNKEN = 0.1  # of the smaller solid: what is deeper in the other one did not come through this face
LYING = 0.7  # of a normal along the axis of a cylinder: with less it touches with its side


PARALLEL = 1e-6  # sin² of the angle at which two axes pass each other nowhere
NOT_FLAT = (-1, 1.0, NO_BOUND)  # in place of a face


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
    soft: Array  # (1,) compliance of contacts, of their own mobility
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
    room = 3 * MOST_POINTS * pairs
    turn = np.zeros((solids, 4))
    turn[:, 0] = 1.0

    def whole(*shape: int) -> Indices:
        return np.zeros(shape, dtype=np.int64)

    def zeros(*shape: int) -> Array:
        return np.zeros(shape)

    return Contacts(
        whole(solids), zeros(solids, 3), turn, whole(solids), zeros(solids, 3), zeros(solids), whole(pairs, 2),
        zeros(pairs), whole(1), whole(1), np.full(1, SOFT), whole(room), whole(room), whole(room), zeros(room, 3),
        zeros(room, 3),
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
        return ENDS + 1
    return 8


@inline
def feature(contacts: Contacts, s: int, k: int, towards: Vector) -> tuple[Vector, float]:
    """(point, radius around it) number k in the axes of a solid; `towards` leads to the other solid."""
    kind = contacts.kind[s]
    size = row3(contacts.size, s)
    if kind == SPHERE:
        return (0.0, 0.0, 0.0), size[0]
    if kind == CAPSULE:
        if k < ENDS:
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
    contacts.soft[0] = max(SOFT, HARDENS * contacts.soft[0])
    fall = 4.0 * h * h * math.sqrt(dot(gravity, gravity))
    for p in range(contacts.pair.shape[0]):
        s, t = contacts.pair[p, 0], contacts.pair[p, 1]
        margin = fall + 1e-6 * min(contacts.reach[s], contacts.reach[t])
        if near(bodies, contacts, s, t, margin):
            first = 3 * MOST_POINTS * p
            mu = contacts.friction[p]
            on_t, on_s = NOT_FLAT, NOT_FLAT
            crossed = cross_axes(bodies, contacts, known, base, s, t, first + 2 * MOST_POINTS, mu, margin, h)
            if not crossed:
                on_t, on_s = facing(bodies, contacts, s, t), facing(bodies, contacts, t, s)
            flush = FLUSH * min(contacts.reach[s], contacts.reach[t])
            meet(bodies, contacts, known, base, s, t, on_t, crossed, first, mu, margin, h)
            meet(bodies, contacts, known, base, t, s, on_s, crossed, first + MOST_POINTS, mu, margin, h)
            if on_t[0] >= 0 and (on_s[0] < 0 or on_t[2] <= on_s[2] + flush):
                cross_rim(bodies, contacts, known, base, s, t, on_t, first + 2 * MOST_POINTS, mu, margin, h)
            elif on_s[0] >= 0:
                cross_rim(bodies, contacts, known, base, t, s, on_s, first + 2 * MOST_POINTS, mu, margin, h)


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
def frame_of(bodies: Bodies, contacts: Contacts, s: int) -> tuple[Vector, Matrix]:
    """Middle and axes of a solid in the world."""
    b = contacts.body[s]
    turn = rotation(quaternion_product(row4(bodies.q, b), row4(contacts.turn, s)))
    return in_world(bodies, b, row3(contacts.offset, s)), turn


@inline
def facing(bodies: Bodies, contacts: Contacts, s: int, t: int) -> tuple[int, float, float]:
    """(axis, side, overlap) of the face of t through which solid s would leave it soonest; axis −1: it is not flat."""
    axis, side, least = NOT_FLAT
    if contacts.kind[s] == PLANE or (contacts.kind[t] != BOX and contacts.kind[t] != CYLINDER):
        return axis, side, least
    os, rs = frame_of(bodies, contacts, s)
    ot, rt = frame_of(bodies, contacts, t)
    middle, turn = apply_transposed(rt, sub(os, ot)), matmul_at_b(rt, rs)
    size = row3(contacts.size, t)
    if contacts.kind[t] == CYLINDER:
        out = math.sqrt(middle[0] * middle[0] + middle[1] * middle[1])
        u = (1.0, 0.0, 0.0) if out == 0.0 else (middle[0] / out, middle[1] / out, 0.0)
        least = size[0] + extent(contacts, s, apply_transposed(turn, u)) - out
    for k in range(2 if contacts.kind[t] == CYLINDER else 0, 3):
        e = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        far, half = (middle[0], size[0]) if k == 0 else (middle[1], size[1]) if k == 1 else (middle[2], size[2])
        if contacts.kind[t] == CYLINDER:
            half = size[1]
        overlap = half + extent(contacts, s, apply_transposed(turn, e)) - abs(far)
        if overlap < least:
            up = far > 0.0 or (far == 0.0 and s < t)  # in the same place each must leave by another side
            axis, side, least = k, 1.0 if up else -1.0, overlap
    return axis, side, least


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


@inline
def on_side(contacts: Contacts, t: int, x: Vector) -> tuple[bool, float, Vector]:
    """The same for the side of a cylinder: at its ends too, where a point of another one as long lies."""
    size = row3(contacts.size, t)
    out = math.sqrt(x[0] * x[0] + x[1] * x[1])
    if out == 0.0 or abs(x[2]) > (1.0 + FLUSH) * size[1]:
        return False, 0.0, (0.0, 0.0, 0.0)
    return True, out - size[0], (x[0] / out, x[1] / out, 0.0)


@inline
def towards(contacts: Contacts, s: int, t: int, apart: Vector, rt: Matrix) -> Vector:
    """From solid s to t, in the world; `apart` is from the middle of t to that of s."""
    if contacts.kind[t] == PLANE or contacts.kind[s] == CYLINDER:
        _, outward = distance(contacts, t, apply_transposed(rt, apart))
        return scale(-1.0, apply(rt, outward))
    return scale(-1.0, apart)


@inline
def is_round(kind: int) -> bool:
    return kind in (CYLINDER, CAPSULE)


@kernel
def cross_axes(
    bodies: Bodies, contacts: Contacts, known: Multipliers, base: int, s: int, t: int, slot: int, mu: float,
    margin: float, h: float,
) -> bool:  # fmt: skip
    """Where two round solids touch that lie across each other; whether their axes pass each other between their ends,
    so that neither touches the other with a face.
    """
    if not (is_round(contacts.kind[s]) and is_round(contacts.kind[t])):
        return False
    os, rs = frame_of(bodies, contacts, s)
    ot, rt = frame_of(bodies, contacts, t)
    u, v = apply(rs, (0.0, 0.0, 1.0)), apply(rt, (0.0, 0.0, 1.0))
    apart, skew = sub(os, ot), dot(u, v)
    sine = 1.0 - skew * skew
    if sine <= PARALLEL:
        return False
    p = (skew * dot(apart, v) - dot(apart, u)) / sine
    q = (dot(apart, v) - skew * dot(apart, u)) / sine
    x, y = add(os, scale(p, u)), add(ot, scale(q, v))
    far = math.sqrt(dot(sub(x, y), sub(x, y)))
    if abs(p) >= contacts.size[s, 1] or abs(q) >= contacts.size[t, 1] or far == 0.0:
        return False
    d, radius = far - contacts.size[t, 0], contacts.size[s, 0]
    if d < radius + margin:
        touch(bodies, contacts, known, base, s, t, slot, mu, x, radius, d, scale(1.0 / far, sub(x, y)), h)
    return True


@kernel
def meet(
    bodies: Bodies, contacts: Contacts, known: Multipliers, base: int, s: int, t: int, face: tuple[int, float, float],
    crossed: bool, slots: int, mu: float, margin: float, h: float,
) -> None:  # fmt: skip
    """Features of solid s against solid t; where their axes have `crossed`, not what lies between the ends of one."""
    os, rs = frame_of(bodies, contacts, s)
    ot, rt = frame_of(bodies, contacts, t)
    axis, side, _ = face
    local = apply_transposed(rs, towards(contacts, s, t, sub(os, ot), rt))
    count = ENDS if crossed and contacts.kind[s] == CAPSULE else feature_count(contacts.kind[s])
    for k in range(count):
        point, radius = feature(contacts, s, k, local)
        x = add(os, apply(rs, point))
        own = apply_transposed(rt, sub(x, ot))
        flat = False
        if axis >= 0:
            flat, d, n = on_face(contacts, t, axis, side, own)
        elif contacts.kind[t] == CYLINDER and not crossed:
            flat, d, n = on_side(contacts, t, own)
        if contacts.kind[t] == CYLINDER and flat and d < -SUNKEN * min(contacts.reach[s], contacts.reach[t]):
            flat = False
        if not flat:
            d, n = distance(contacts, t, own)
            if d > 0.0 and radius == 0.0 and axis >= 0:  # beside an edge
                continue
        if d < radius + margin:
            touch(bodies, contacts, known, base, s, t, slots + k, mu, x, radius, d, apply(rt, n), h)


@inline
def touch(
    bodies: Bodies, contacts: Contacts, known: Multipliers, base: int, s: int, t: int, slot: int, mu: float, x: Vector,
    radius: float, d: float, n: Vector, h: float,
) -> None:  # fmt: skip
    """The point x of solid s, with a radius around it, is at the distance d of t, along its outward normal n."""
    a, b = contacts.body[s], contacts.body[t]
    c = contacts.found[0]
    contacts.found[0] = c + 1
    on_a, on_b = sub(x, scale(radius, n)), sub(x, scale(d, n))
    slid = scale(h, sub(velocity_at(bodies, a, on_a), velocity_at(bodies, b, on_b)))
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


@inline
def corner(size: Vector, axis: int, side: float, k: int) -> Vector:
    """Number k of a face of a box, around it."""
    p = -1.0 if k % 4 == 0 or k % 4 == 3 else 1.0
    q = -1.0 if k % 4 < 2 else 1.0
    if axis == 0:
        return side * size[0], p * size[1], q * size[2]
    if axis == 1:
        return q * size[0], side * size[1], p * size[2]
    return p * size[0], q * size[1], side * size[2]


@inline
def line_count(kind: int, n: Vector) -> int:
    """n: the normal of the face that a solid lies on, in its axes."""
    if kind == BOX or (kind == CYLINDER and abs(n[2]) >= LYING):
        return 4
    return 1 if is_round(kind) else 0


@inline
def line(contacts: Contacts, s: int, k: int, n: Vector, local: Vector) -> tuple[Vector, Vector, float]:
    """(from, to, radius around it) number k of those with which a solid lies on a face of normal n, all in its axes."""
    kind = contacts.kind[s]
    size = row3(contacts.size, s)
    if kind == BOX:
        axis = 0 if abs(n[0]) >= max(abs(n[1]), abs(n[2])) else 1 if abs(n[1]) >= abs(n[2]) else 2
        side = -1.0 if n[axis] > 0.0 else 1.0
        return corner(size, axis, side, k), corner(size, axis, side, k + 1), 0.0
    if kind == CYLINDER and abs(n[2]) >= LYING:
        end = 4 if n[2] > 0.0 else 0
        p, _ = feature(contacts, s, end + k, local)
        q, _ = feature(contacts, s, end + (k + 1) % 4, local)
        return p, q, 0.0
    half = size[1]
    if kind == CYLINDER:  # a ball around the axis must not stand out over the ends
        half = max(0.0, half - size[0] * abs(n[2]))
    return (0.0, 0.0, -half), (0.0, 0.0, half), size[0]


@inline
def between(low: float, high: float, x: float, dx: float, half: float) -> tuple[float, float]:
    """Shares low … high of a way from x by dx, cut to where it is within ±half; low > high: none."""
    if dx == 0.0:
        return (low, high) if abs(x) <= half else (1.0, 0.0)
    a, b = (-half - x) / dx, (half - x) / dx
    return max(low, min(a, b)), min(high, max(a, b))


@inline
def over_face(contacts: Contacts, t: int, axis: int, p: Vector, q: Vector) -> tuple[float, float]:
    """Shares of the line from p to q, in the axes of t, between which it is over a face of t; low > high: nowhere."""
    size, wide = row3(contacts.size, t), 1.0 + FLUSH
    e = sub(q, p)
    if contacts.kind[t] == CYLINDER:  # |p + u e| = r
        ee, pe = e[0] * e[0] + e[1] * e[1], p[0] * e[0] + p[1] * e[1]
        root = pe * pe - ee * (p[0] * p[0] + p[1] * p[1] - (wide * size[0]) ** 2)
        if ee == 0.0 or root <= 0.0:
            return 1.0, 0.0
        root = math.sqrt(root)
        return max(0.0, (-pe - root) / ee), min(1.0, (-pe + root) / ee)
    low, high = 0.0, 1.0
    for k in range(3):
        if k != axis:
            low, high = between(low, high, p[k], e[k], wide * size[k])
    return low, high


@kernel
def cross_rim(
    bodies: Bodies, contacts: Contacts, known: Multipliers, base: int, s: int, t: int, face: tuple[int, float, float],
    slots: int, mu: float, margin: float, h: float,
) -> None:  # fmt: skip
    """Where lines of solid s cross the rim of a flat face of t."""
    os, rs = frame_of(bodies, contacts, s)
    ot, rt = frame_of(bodies, contacts, t)
    axis, side, _ = face
    _, _, normal = on_face(contacts, t, axis, side, (0.0, 0.0, 0.0))
    n = apply(rt, normal)
    seen = apply_transposed(rs, n)
    local = apply_transposed(rs, towards(contacts, s, t, sub(os, ot), rt))
    half = contacts.size[t, 1] if contacts.kind[t] == CYLINDER else contacts.size[t, axis]
    deepest = min(2.0 * half, SUNKEN * min(contacts.reach[s], contacts.reach[t]))
    for k in range(line_count(contacts.kind[s], seen)):
        p, q, radius = line(contacts, s, k, seen, local)
        p = apply_transposed(rt, sub(add(os, apply(rs, p)), ot))
        q = apply_transposed(rt, sub(add(os, apply(rs, q)), ot))
        low, high = over_face(contacts, t, axis, p, q)
        for j in range(2):
            u = low if j == 0 else high
            if low > high or u == float(j):  # an end is no crossing
                continue
            own = add(p, scale(u, sub(q, p)))
            _, d, _ = on_face(contacts, t, axis, side, own)
            if radius - deepest <= d < radius + margin:
                x = add(ot, apply(rt, own))
                touch(bodies, contacts, known, base, s, t, slots + 2 * k + j, mu, x, radius, d, n, h)


@kernel_part
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
        touch_row(rows, bodies, contacts, owner, a, b, n, arm_a, arm_b, value, 0.0, NO_BOUND)
        contacts.bound[c] = contacts.mu[c] * known.last[owner]
        if contacts.bound[c] <= 0.0:
            continue
        way = add(row3(contacts.slid, c), sub(gap, row3(contacts.seen, c)))
        t = across(n, row3(contacts.lead, slot), way)
        put3(contacts.along, c, t)
        for k in range(2):
            e = t if k == 0 else cross(n, t)
            most = contacts.bound[c]
            i = touch_row(rows, bodies, contacts, owner + 1 + k, a, b, e, arm_a, arm_b, -dot(way, e), -most, most)
            rows.rubs_on[i] = owner
            rows.mu[i] = contacts.mu[c]


@inline
def touch_row(
    rows: Rows, bodies: Bodies, contacts: Contacts, owner: int, a: int, b: int, e: Vector, arm_a: Vector, arm_b: Vector,
    value: float, low: float, high: float,
) -> int:  # fmt: skip
    """λ pushes a along e and b back."""
    i = add_row(rows, owner, a, b, e, scale(-1.0, cross(arm_a, e)), cross(arm_b, e), value, 0.0, low, high)
    rows.alpha[i] = contacts.soft[0] * own_mobility(rows, bodies, i)
    return i


@inline
def is_hard(contacts: Contacts) -> bool:
    """Whether there are contacts that can be made softer."""
    return contacts.found[0] > 0 and contacts.soft[0] < SOFTEST  # type: ignore[no-any-return]


@inline
def soften(contacts: Contacts) -> bool:
    """Makes contacts as soft as they may be; whether they were not."""
    hard = is_hard(contacts)
    if hard:
        contacts.soft[0] = SOFTEST
    return hard


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


@kernel_part
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
