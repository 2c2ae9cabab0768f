"""Bodies that touch: simple solids against each other and the ground, with friction, one contact after the other.

Feature points of one solid (corners of a box, ends of a capsule, rims of a cylinder, the middle of a sphere), each
with a radius around it, are held out of the other solid, whose distance is known in closed form; and the other way
round. Two edges that cross are not seen. A contact pushes its bodies apart along the normal, and against the way they
slid since the start of the substep by at most μ times as much. Inelastic. Each begins with the force that it had in the
substep before, and sweeps go on until they move nothing: what stands stands [docs/theory/machines.md §9].
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
from lissom.machines.bodies import (
    Bodies,
    add3,
    angular_velocity,
    freed,
    in_world,
    put3,
    put4,
    row3,
    row4,
    see_mobility,
    spun,
)
from lissom.machines.rows import NO_BOUND

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

BOX = 100  # beside the kinds of the geometry, which has no closed form of it
MOST_POINTS = 8  # features of one solid
MOST_SWEEPS = 40  # one or two are usual for what stands
STANDS = 1e-12  # of the size of the machine: a sweep that moves nothing farther is the last
UPRIGHT = 1e-4  # rad; a cylinder that leans less stands on points that stay where they are on its rim


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
    slot: Indices  # (room,) place of its feature in `pressed`
    pressed: Array  # (room, 4) of every feature at the end of the substep before: normal force and friction, N
    arm_a: Array  # (room, 3) from the body's centre of mass, world, m
    arm_b: Array
    gap: Array  # (room, 3) a against b, before anything moved
    moved: Array  # (bodies, 3) by contacts, not yet a part of the pose, m
    turned: Array  # (bodies, 3) rad
    twisted: Array  # (bodies, 3) angular impulse, N m s²


def make_contacts(solids: int, pairs: int, bodies: int) -> Contacts:
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
        zeros(room, 3), zeros(room), zeros(room), zeros(room, 3), zeros(room, 3), whole(room),
        zeros(room, 4), zeros(room, 3), zeros(room, 3), zeros(room, 3), zeros(bodies, 3), zeros(bodies, 3),
        zeros(bodies, 3),
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
        c, sn = (1.0, 0.0) if out <= UPRIGHT else (towards[0] / out, towards[1] / out)
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
    """Features that would be inside another solid at the end of this substep, or so near that they are when one of the
    two is held back: what lies on a thing that falls with it. They press as they did before.
    """
    contacts.found[0] = 0
    for p in range(contacts.pair.shape[0]):
        s, t = contacts.pair[p, 0], contacts.pair[p, 1]
        margin = h * (speed(bodies, contacts.body[s]) + speed(bodies, contacts.body[t]))
        if near(bodies, contacts, s, t, margin):
            meet(bodies, contacts, s, t, contacts.friction[p], 2 * p * MOST_POINTS, margin, h)
            meet(bodies, contacts, t, s, contacts.friction[p], (2 * p + 1) * MOST_POINTS, margin, h)
    if contacts.found[0] > 0:
        see_mobility(bodies)
        press_again(bodies, contacts, h)


@inline
def speed(bodies: Bodies, b: int) -> float:
    v = row3(bodies.v, b)
    return math.sqrt(dot(v, v))


@inline
def near(bodies: Bodies, contacts: Contacts, s: int, t: int, margin: float) -> bool:
    """Whether the spheres around two solids come within a margin; a plane is near everything."""
    reach = contacts.reach[s] + contacts.reach[t] + margin
    if reach >= NO_BOUND:
        return True
    apart = sub(
        in_world(bodies, contacts.body[s], row3(contacts.offset, s)),
        in_world(bodies, contacts.body[t], row3(contacts.offset, t)),
    )
    close: bool = dot(apart, apart) < reach * reach
    return close


@kernel
def meet(bodies: Bodies, contacts: Contacts, s: int, t: int, mu: float, slot: int, margin: float, h: float) -> None:
    """Features of solid s against solid t; the first has that slot."""
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
        if d >= radius + margin:
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
        contacts.slot[c] = slot + k


@inline
def weight_along(bodies: Bodies, contacts: Contacts, c: int, n: Vector) -> float:
    """How far the bodies of a contact part along n when pushed so, 1/kg."""
    return yielding(bodies, contacts.a[c], row3(contacts.arm_a, c), n) + yielding(
        bodies, contacts.b[c], row3(contacts.arm_b, c), n
    )


@inline
def yielding(bodies: Bodies, b: int, arm: Vector, n: Vector) -> float:
    if bodies.movable[b] == 0:
        return 0.0
    turn = cross(arm, n)
    return bodies.inverse_mass[b] + dot(turn, freed(bodies, b, turn))  # type: ignore[no-any-return]


@kernel
def see_arms(bodies: Bodies, contacts: Contacts) -> None:
    """Arms and gaps at the present poses, from which nothing has moved yet."""
    contacts.moved[:] = 0.0
    contacts.turned[:] = 0.0
    contacts.twisted[:] = 0.0
    for c in range(contacts.found[0]):
        a, b = contacts.a[c], contacts.b[c]
        on_a, on_b = in_world(bodies, a, row3(contacts.at_a, c)), in_world(bodies, b, row3(contacts.at_b, c))
        put3(contacts.arm_a, c, sub(on_a, row3(bodies.x, a)))
        put3(contacts.arm_b, c, sub(on_b, row3(bodies.x, b)))
        put3(contacts.gap, c, sub(on_a, on_b))


@inline
def nudge(bodies: Bodies, contacts: Contacts, c: int, push: Vector) -> None:
    """Pushes (N s²) body a of a contact, and body b back."""
    a, b = contacts.a[c], contacts.b[c]
    if bodies.movable[a] == 1:
        turn = cross(row3(contacts.arm_a, c), push)
        add3(contacts.moved, a, bodies.inverse_mass[a], push)
        add3(contacts.turned, a, 1.0, freed(bodies, a, turn))
        add3(contacts.twisted, a, 1.0, turn)
    if bodies.movable[b] == 1:
        turn = cross(row3(contacts.arm_b, c), push)
        add3(contacts.moved, b, -bodies.inverse_mass[b], push)
        add3(contacts.turned, b, -1.0, freed(bodies, b, turn))
        add3(contacts.twisted, b, -1.0, turn)


@inline
def gap_now(contacts: Contacts, c: int) -> Vector:
    """Of a against b, with what they have moved."""
    a, b = contacts.a[c], contacts.b[c]
    way_a = add(row3(contacts.moved, a), cross(row3(contacts.turned, a), row3(contacts.arm_a, c)))
    way_b = add(row3(contacts.moved, b), cross(row3(contacts.turned, b), row3(contacts.arm_b, c)))
    return add(row3(contacts.gap, c), sub(way_a, way_b))


@kernel
def move(bodies: Bodies, contacts: Contacts, h: float) -> None:
    """The bodies move all at once, and their momenta with them (3): parts of a turn would not commute."""
    for b in range(bodies.x.shape[0]):
        if bodies.movable[b] == 1:
            add3(bodies.x, b, 1.0, row3(contacts.moved, b))
            add3(bodies.v, b, 1.0 / h, row3(contacts.moved, b))
            put4(bodies.q, b, spun(row4(bodies.q, b), row3(contacts.turned, b)))
            add3(bodies.l, b, 1.0 / h, row3(contacts.twisted, b))


@kernel
def press_again(bodies: Bodies, contacts: Contacts, h: float) -> None:
    """Each contact begins with its force of the substep before."""
    see_arms(bodies, contacts)
    before = contacts.pressed
    for c in range(contacts.found[0]):
        n, k = row3(contacts.normal, c), contacts.slot[c]
        force = h * h * before[k, 0]
        drag = scale(h * h, (before[k, 1], before[k, 2], before[k, 3]))
        drag = sub(drag, scale(dot(drag, n), n))
        contacts.force[c] = force
        put3(contacts.drag, c, drag)
        nudge(bodies, contacts, c, add(scale(force, n), drag))
    move(bodies, contacts, h)


@kernel
def press(bodies: Bodies, contacts: Contacts, h: float, size: float) -> None:
    """Sweeps over all contacts, until one moves nothing; `size` is that of the machine."""
    if contacts.found[0] == 0:
        return
    see_arms(bodies, contacts)
    for _ in range(MOST_SWEEPS):
        if sweep(bodies, contacts) <= STANDS * size:
            break
    move(bodies, contacts, h)


@kernel
def sweep(bodies: Bodies, contacts: Contacts) -> float:
    """One contact after the other. How far the one that moved farthest did, m."""
    most = 0.0
    for c in range(contacts.found[0]):
        n = row3(contacts.normal, c)
        weight = weight_along(bodies, contacts, c, n)
        if weight == 0.0:
            continue
        force = max(0.0, contacts.force[c] - dot(gap_now(contacts, c), n) / weight)
        step = force - contacts.force[c]
        contacts.force[c] = force
        nudge(bodies, contacts, c, scale(step, n))
        most = max(most, abs(step) * weight)
        if contacts.mu[c] > 0.0:
            most = max(most, stick(bodies, contacts, c))
    return most


@inline
def stick(bodies: Bodies, contacts: Contacts, c: int) -> float:
    """Takes back what slid along the surface, by no more than friction can. How far that moved it, m."""
    n = row3(contacts.normal, c)
    way = add(row3(contacts.slid, c), sub(gap_now(contacts, c), row3(contacts.seen, c)))
    way = sub(way, scale(dot(way, n), n))
    far = math.sqrt(dot(way, way))
    if far == 0.0:
        return 0.0
    t = scale(1.0 / far, way)
    weight = weight_along(bodies, contacts, c, t)
    old = row3(contacts.drag, c)
    new = sub(old, scale(far / weight, t))
    size, most = math.sqrt(dot(new, new)), contacts.mu[c] * contacts.force[c]
    if size > most:
        new = scale(most / size, new)
    put3(contacts.drag, c, new)
    step = sub(new, old)
    nudge(bodies, contacts, c, step)
    return math.sqrt(dot(step, step)) * weight


@kernel
def settle(bodies: Bodies, contacts: Contacts, h: float) -> None:
    """What was pushed out does not fly off: no contact that pressed leaves faster than it stands. Forces are kept for
    the next substep.
    """
    contacts.pressed[:] = 0.0
    for c in range(contacts.found[0]):
        k = contacts.slot[c]
        contacts.pressed[k, 0] = contacts.force[c] / (h * h)
        for i in range(3):
            contacts.pressed[k, 1 + i] = contacts.drag[c, i] / (h * h)
    for c in range(contacts.found[0]):
        if contacts.force[c] <= 0.0:
            continue
        a, b, n = contacts.a[c], contacts.b[c], row3(contacts.normal, c)
        on_a, on_b = in_world(bodies, a, row3(contacts.at_a, c)), in_world(bodies, b, row3(contacts.at_b, c))
        leaving = dot(sub(velocity_at(bodies, a, on_a), velocity_at(bodies, b, on_b)), n)
        if leaving <= 0.0:
            continue
        arm_a, arm_b = sub(on_a, row3(bodies.x, a)), sub(on_b, row3(bodies.x, b))
        weight = yielding(bodies, a, arm_a, n) + yielding(bodies, b, arm_b, n)
        if weight == 0.0:
            continue
        p = -leaving / weight
        if bodies.movable[a] == 1:
            add3(bodies.v, a, p * bodies.inverse_mass[a], n)
            add3(bodies.l, a, p, cross(arm_a, n))
        if bodies.movable[b] == 1:
            add3(bodies.v, b, -p * bodies.inverse_mass[b], n)
            add3(bodies.l, b, -p, cross(arm_b, n))
