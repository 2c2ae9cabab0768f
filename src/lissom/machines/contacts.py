"""Bodies that touch: simple solids against each other and the ground, with friction, one contact after the other.

Feature points of one solid (corners of a box, ends of a capsule, rims of a cylinder, the middle of a sphere), each
with a radius around it, are held out of the other solid, whose distance is known in closed form; and the other way
round. Two edges that cross are not seen. A contact pushes its bodies apart along the normal, and against the way they
slid since the start of the substep by at most μ times as much. Inelastic.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.primitives import field
from lissom.geometry.solids import CAPSULE, CYLINDER, PLANE, SPHERE
from lissom.geometry.triples import (
    Vector,
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    quaternion_product,
    rotation,
    scale,
    sub,
)
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.machines.bodies import Bodies, add3, angular_velocity, freed, in_world, put3, put4, row3, row4, spun
from lissom.machines.rows import NO_BOUND

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

BOX = 100  # beside the kinds of the geometry, which has no closed form of it
MOST_POINTS = 8  # features of one solid


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
    a: Indices  # (room,) bodies; a is pushed along the normal
    b: Indices
    at_a: Array  # (room, 3) in the body's axes
    at_b: Array
    normal: Array  # (room, 3) world
    slid: Array  # (room, 3) way of a against b since the start of the substep, when it was found
    mu: Array  # (room,)
    force: Array  # (room,) normal, N s²
    drag: Array  # (room, 3) friction, N s²
    seen: Array  # (room, 3) a against b where it was found


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
        zeros(pairs), whole(1), whole(room), whole(room), zeros(room, 3), zeros(room, 3), zeros(room, 3),
        zeros(room, 3), zeros(room), zeros(room), zeros(room, 3), zeros(room, 3),
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
def find_contacts(bodies: Bodies, contacts: Contacts, h: float) -> None:
    """Features that would be inside another solid at the end of this substep."""
    contacts.found[0] = 0
    for p in range(contacts.pair.shape[0]):
        s, t = contacts.pair[p, 0], contacts.pair[p, 1]
        if near(bodies, contacts, s, t):
            meet(bodies, contacts, s, t, contacts.friction[p], h)
            meet(bodies, contacts, t, s, contacts.friction[p], h)


@inline
def near(bodies: Bodies, contacts: Contacts, s: int, t: int) -> bool:
    """Whether the spheres around two solids overlap; a plane is near everything."""
    reach = contacts.reach[s] + contacts.reach[t]
    if reach >= NO_BOUND:
        return True
    apart = sub(
        in_world(bodies, contacts.body[s], row3(contacts.offset, s)),
        in_world(bodies, contacts.body[t], row3(contacts.offset, t)),
    )
    close: bool = dot(apart, apart) < reach * reach
    return close


@kernel
def meet(bodies: Bodies, contacts: Contacts, s: int, t: int, mu: float, h: float) -> None:
    """Features of solid s against solid t."""
    a, b = contacts.body[s], contacts.body[t]
    rs = rotation(quaternion_product(row4(bodies.q, a), row4(contacts.turn, s)))
    rt = rotation(quaternion_product(row4(bodies.q, b), row4(contacts.turn, t)))
    os = in_world(bodies, a, row3(contacts.offset, s))
    ot = in_world(bodies, b, row3(contacts.offset, t))
    _, outward = distance(contacts, t, apply_transposed(rt, sub(os, ot)))
    towards = sub(ot, os)
    if contacts.kind[t] == PLANE or contacts.kind[s] == CYLINDER:
        towards = scale(-1.0, apply(rt, outward))
    local = apply_transposed(rs, towards)
    for k in range(feature_count(contacts.kind[s])):
        point, radius = feature(contacts, s, k, local)
        x = add(os, apply(rs, point))
        d, own = distance(contacts, t, apply_transposed(rt, sub(x, ot)))
        if d >= radius:
            continue
        n = apply(rt, own)
        c = contacts.found[0]
        contacts.found[0] = c + 1
        on_a, on_b = sub(x, scale(radius, n)), sub(x, scale(d, n))
        contacts.a[c] = a
        contacts.b[c] = b
        put3(contacts.at_a, c, apply_transposed(rotation(row4(bodies.q, a)), sub(on_a, row3(bodies.x, a))))
        put3(contacts.at_b, c, apply_transposed(rotation(row4(bodies.q, b)), sub(on_b, row3(bodies.x, b))))
        put3(contacts.normal, c, n)
        put3(contacts.slid, c, scale(h, sub(velocity_at(bodies, a, on_a), velocity_at(bodies, b, on_b))))
        put3(contacts.seen, c, sub(on_a, on_b))
        contacts.mu[c] = mu
        contacts.force[c] = 0.0
        put3(contacts.drag, c, (0.0, 0.0, 0.0))


@inline
def weight_along(bodies: Bodies, b: int, arm: Vector, n: Vector) -> float:
    if bodies.movable[b] == 0:
        return 0.0
    turn = cross(arm, n)
    return bodies.inverse_mass[b] + dot(turn, freed(bodies, b, turn))  # type: ignore[no-any-return]


@inline
def nudge(bodies: Bodies, b: int, arm: Vector, n: Vector, amount: float, h: float) -> None:
    """The body moves at once, and its momenta with it (3)."""
    if bodies.movable[b] == 0:
        return
    turn = cross(arm, n)
    add3(bodies.x, b, amount * bodies.inverse_mass[b], n)
    add3(bodies.v, b, amount * bodies.inverse_mass[b] / h, n)
    put4(bodies.q, b, spun(row4(bodies.q, b), scale(amount, freed(bodies, b, turn))))
    add3(bodies.l, b, amount / h, turn)


@kernel
def press(bodies: Bodies, contacts: Contacts, h: float) -> None:
    """One sweep over all contacts."""
    for c in range(contacts.found[0]):
        a, b, n = contacts.a[c], contacts.b[c], row3(contacts.normal, c)
        on_a, on_b = in_world(bodies, a, row3(contacts.at_a, c)), in_world(bodies, b, row3(contacts.at_b, c))
        arm_a, arm_b = sub(on_a, row3(bodies.x, a)), sub(on_b, row3(bodies.x, b))
        gap = sub(on_a, on_b)
        weight = weight_along(bodies, a, arm_a, n) + weight_along(bodies, b, arm_b, n)
        if weight == 0.0:
            continue
        force = max(0.0, contacts.force[c] - dot(gap, n) / weight)
        step = force - contacts.force[c]
        contacts.force[c] = force
        nudge(bodies, a, arm_a, n, step, h)
        nudge(bodies, b, arm_b, n, -step, h)
        if contacts.mu[c] > 0.0:
            stick(bodies, contacts, c, h)


@inline
def stick(bodies: Bodies, contacts: Contacts, c: int, h: float) -> None:
    """Takes back what slid along the surface, by no more than friction can."""
    a, b, n = contacts.a[c], contacts.b[c], row3(contacts.normal, c)
    on_a, on_b = in_world(bodies, a, row3(contacts.at_a, c)), in_world(bodies, b, row3(contacts.at_b, c))
    arm_a, arm_b = sub(on_a, row3(bodies.x, a)), sub(on_b, row3(bodies.x, b))
    way = add(row3(contacts.slid, c), sub(sub(on_a, on_b), row3(contacts.seen, c)))
    way = sub(way, scale(dot(way, n), n))
    far = math.sqrt(dot(way, way))
    if far == 0.0:
        return
    t = scale(1.0 / far, way)
    weight = weight_along(bodies, a, arm_a, t) + weight_along(bodies, b, arm_b, t)
    old = row3(contacts.drag, c)
    new = sub(old, scale(far / weight, t))
    size, most = math.sqrt(dot(new, new)), contacts.mu[c] * contacts.force[c]
    if size > most:
        new = scale(most / size, new)
    put3(contacts.drag, c, new)
    step = sub(new, old)
    nudge(bodies, a, arm_a, step, 1.0, h)
    nudge(bodies, b, arm_b, step, -1.0, h)


@kernel
def settle(bodies: Bodies, contacts: Contacts) -> None:
    """What was pushed out does not fly off: no contact that pressed leaves faster than it stands."""
    for c in range(contacts.found[0]):
        if contacts.force[c] <= 0.0:
            continue
        a, b, n = contacts.a[c], contacts.b[c], row3(contacts.normal, c)
        on_a, on_b = in_world(bodies, a, row3(contacts.at_a, c)), in_world(bodies, b, row3(contacts.at_b, c))
        leaving = dot(sub(velocity_at(bodies, a, on_a), velocity_at(bodies, b, on_b)), n)
        if leaving <= 0.0:
            continue
        arm_a, arm_b = sub(on_a, row3(bodies.x, a)), sub(on_b, row3(bodies.x, b))
        weight = weight_along(bodies, a, arm_a, n) + weight_along(bodies, b, arm_b, n)
        if weight == 0.0:
            continue
        p = -leaving / weight
        if bodies.movable[a] == 1:
            add3(bodies.v, a, p * bodies.inverse_mass[a], n)
            add3(bodies.l, a, p, cross(arm_a, n))
        if bodies.movable[b] == 1:
            add3(bodies.v, b, -p * bodies.inverse_mass[b], n)
            add3(bodies.l, b, -p, cross(arm_b, n))
