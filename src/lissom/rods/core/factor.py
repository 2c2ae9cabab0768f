"""Branches swept to the roots of their trees, and the step found on the way back.  [docs/theory/core.md §4]"""

from lissom.geometry.triples import Vector, add, apply, apply_transposed, cross, rotation, scale, sub, transposed
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.rods.core.carried import past_touched, terms_back
from lissom.rods.core.front import (
    NO_MATRIX,
    NO_SYMMETRIC,
    NO_VECTOR,
    Front,
    freed,
    front_of,
    held_force,
    held_inverse,
    joined,
    loose_turn,
    past_element,
    put_front,
    rolled,
    turned_to,
    with_axis_held,
    with_force,
    with_lever,
)
from lissom.rods.core.model import Array, Indices, Model, State, Work
from lissom.rods.core.residuals import four, seat_turn, three


@kernel
def factor(model: Model, state: State, work: Work, shift: float, tree: int) -> int:
    """The Morse index of the Lagrangian of a tree: how many directions there are in which the energy falls."""
    tiny = 1e-15 * model.block
    index = 0
    for hub in range(len(work.visits)):
        if model.hub_tree[hub] == tree:
            work.visits[hub] = 0
    for b in range(model.tree[tree], model.tree[tree + 1]):
        front, negative = begun(model, state, work, b, shift, tiny)
        front, more = swept(model, work, b, front, shift, tiny)
        index += negative + more
        if model.end.hub[b] >= 0:
            index += arrived(model, state, work, b, front, shift, tiny)
        else:
            index += rooted(model, work, b, front, shift, tiny)
    for hub in range(len(work.visits)):
        if model.root[hub] == 1 and model.hub_tree[hub] == tree:
            index += settled(model, work, hub, shift, tiny)
    return index


@inline
def begun(model: Model, state: State, work: Work, b: int, shift: float, tiny: float) -> tuple[Front, int]:
    """The front at the first node of a branch, before its first element."""
    hub = model.start.hub[b]
    if hub < 0:
        i = first_node(model.first, model.last, model.sense, b)
        free = (1.0 - model.holds[i, 0], 1.0 - model.holds[i, 1], 1.0 - model.holds[i, 2])
        r, give = three(work.r, model.row[b]), 1.0 / model.anchor
        S = (free[0] * give, 0.0, 0.0, free[1] * give, 0.0, free[2] * give)
        return (NO_SYMMETRIC, NO_MATRIX, S, NO_VECTOR, (S[0] * r[0], S[3] * r[1], S[5] * r[2])), 0
    missing = three(work.hub_load, hub)
    if work.visits[hub] == 0:  # nothing arrives: held where it is, weakly
        give = 1.0 / model.anchor
        S = (give, 0.0, 0.0, give, 0.0, give)
        front = with_own((NO_SYMMETRIC, NO_MATRIX, S, NO_VECTOR, scale(give, missing)), work.hub_moment, hub)
    else:
        front = with_force(with_own(front_of(work.front, hub), work.hub_moment, hub), missing)
    front = with_lever(front, three(model.start.offset, b), rotation(four(state.p, hub)), -1.0)
    front = turned_to(
        front,
        transposed(seat_turn(model.start, b, state.p, state.q, first_node(model.first, model.last, model.sense, b))),
    )
    direction, e, row = model.start.direction[b], work.element, model.row[b]
    roll = 0.5 if direction == 1 else 0.0
    front = rolled(front, e[row, 45], e[row, 46], -roll)
    front, negative = freed(front, direction, shift, tiny, work.seat, b, 0)
    return rolled(front, e[row, 45], e[row, 46], roll), negative


@inline
def first_node(first: Indices, last: Indices, sense: Array, b: int) -> int:
    """As it is swept."""
    return int(first[b] if sense[b] > 0.0 else last[b])


@inline
def last_node(first: Indices, last: Indices, sense: Array, b: int) -> int:
    return int(last[b] if sense[b] > 0.0 else first[b])


@inline
def with_own(front: Front, m: Array, hub: int) -> Front:
    """What a hub carries at levers."""
    P, B, S, p, s = front
    P = (
        P[0] + m[hub, 3], P[1] + m[hub, 4], P[2] + m[hub, 5], P[3] + m[hub, 6], P[4] + m[hub, 7], P[5] + m[hub, 8],
    )  # fmt: skip
    return P, B, S, add(p, three(m, hub)), s


@inline
def swept(model: Model, work: Work, b: int, front: Front, shift: float, tiny: float) -> tuple[Front, int]:
    """The front at the last node of a branch, before its own force."""
    element, r, store, held, terms, own = work.element, work.r, work.store, work.held, work.terms, work.touch_own
    holds, turns = model.holds, model.turns
    first, last, row = model.first[b], model.last[b], model.row[b]
    ahead = model.sense[b] > 0.0
    index = 0
    for j in range(last - first):
        i = first + j if ahead else last - j
        if j > 0:
            front, negative = with_node(front, holds, i, three(r, row + j), model.give, held, row + j)
            index += negative
        if terms.touched[row + j] == 0:
            front, negative = past_element(front, element, row + j, three(turns, i), shift, tiny, store)
        else:
            front, negative = past_touched(front, element, row + j, own, three(turns, i), shift, tiny, store, terms)
        index += negative
    P, B, S, p, s = front
    end = row + last - first
    P = (
        P[0] + own[end, 0], P[1] + own[end, 1], P[2] + own[end, 2], P[3] + own[end, 3], P[4] + own[end, 4],
        P[5] + own[end, 5],
    )  # fmt: skip
    return (P, B, S, p, s), index


@inline
def with_node(front: Front, holds: Array, i: int, r: Vector, give: float, held: Array, row: int) -> tuple[Front, int]:
    """The force that is missing at a node, along axes in which nothing holds it; it is held along the others."""
    if holds[i, 0] + holds[i, 1] + holds[i, 2] == 0.0:
        return with_force(front, r), 0
    index = 0
    front = with_force(front, (r[0] * (1.0 - holds[i, 0]), r[1] * (1.0 - holds[i, 1]), r[2] * (1.0 - holds[i, 2])))
    for axis in range(3):
        if holds[i, axis] == 1.0:
            front, positive = with_axis_held(front, axis, give, held, row)
            index -= positive
    return front, index


@inline
def arrived(model: Model, state: State, work: Work, b: int, front: Front, shift: float, tiny: float) -> int:
    """The front at the end of a branch joins those on its hub."""
    hub, direction = model.end.hub[b], model.end.direction[b]
    e, row = work.element, model.row[b] + model.last[b] - model.first[b] - 1
    roll = 0.5 if direction == 1 else 0.0
    front, index = freed(rolled(front, e[row, 48], e[row, 49], roll), direction, shift, tiny, work.seat, b, 1)
    front = rolled(front, e[row, 48], e[row, 49], -roll)
    front = turned_to(
        front, seat_turn(model.end, b, state.p, state.q, last_node(model.first, model.last, model.sense, b))
    )
    front = with_lever(front, three(model.end.offset, b), rotation(four(state.p, hub)), 1.0)
    if work.visits[hub] > 0:
        front, negative = joined(front_of(work.front, hub), front, work.merged, b)
        index -= negative
    put_front(front, work.front, hub)
    work.visits[hub] += 1
    return index


@inline
def rooted(model: Model, work: Work, b: int, front: Front, shift: float, tiny: float) -> int:
    """The last node of a cable without hubs: no segment follows, u = 0. Fills its φ."""
    row = model.row[b] + model.last[b] - model.first[b]
    i = last_node(model.first, model.last, model.sense, b)
    front, index = with_node(front, model.holds, i, three(work.r, row), model.give, work.held, row)
    A, negative = held_inverse(front[0], three(model.turns, i), shift, tiny)
    phi = scale(-1.0, times(A, front[3]))
    for k in range(3):
        work.phi[row, k] = phi[k]
        work.u[row, k] = 0.0
    return index + negative


@inline
def times(m: tuple[float, float, float, float, float, float], v: Vector) -> Vector:
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[1] * v[0] + m[3] * v[1] + m[4] * v[2],
        m[2] * v[0] + m[4] * v[1] + m[5] * v[2],
    )


@inline
def settled(model: Model, work: Work, hub: int, shift: float, tiny: float) -> int:
    """A root: what arrives makes up for what is missing. Fills its φ and u."""
    P, B, _, p, _ = with_own(front_of(work.front, hub), work.hub_moment, hub)
    u = scale(-1.0, three(work.hub_load, hub))
    A, negative = held_inverse(P, (1.0, 1.0, 1.0), shift, tiny)
    phi = scale(-1.0, times(A, add(p, apply(B, u))))
    for k in range(3):
        work.hub_phi[hub, k] = phi[k]
        work.hub_u[hub, k] = u[k]
    return negative


# ---- back again ------------------------------------------------------------------------------------------------------


@kernel
def back(model: Model, state: State, work: Work, tree: int) -> None:
    """From the root to the leaves: φ and u of all nodes and hubs; from the leaves to the root: dx and dy."""
    for b in range(model.tree[tree + 1] - 1, model.tree[tree] - 1, -1):
        count, row = model.last[b] - model.first[b], model.row[b]
        hub = model.end.hub[b]
        if hub >= 0:
            phi, u = left(model, work, b, hub)
            front_turn = apply_transposed(
                seat_turn(model.end, b, state.p, state.q, last_node(model.first, model.last, model.sense, b)), phi
            )
            phi = with_loose(work.seat, b, 1, model.end.direction[b], front_turn, u)
            for k in range(3):
                work.phi[row + count, k] = phi[k]
            force_before = u
        else:
            force_before = before_node(
                model.holds, work.r, work.held, last_node(model.first, model.last, model.sense, b), row + count,
                three(work.phi, row + count), NO_VECTOR,
            )  # fmt: skip
        u = returned(model, work, b, force_before)
        for k in range(3):
            work.begin_u[b, k] = u[k]
        hub = model.start.hub[b]
        if hub >= 0:
            phi = with_loose(work.seat, b, 0, model.start.direction[b], three(work.phi, row), u)
            phi = apply(
                seat_turn(model.start, b, state.p, state.q, first_node(model.first, model.last, model.sense, b)), phi
            )
            for k in range(3):
                work.hub_phi[hub, k] = phi[k]
                work.hub_u[hub, k] = u[k] - work.hub_load[hub, k]
    move(model, state, work, tree)


@inline
def with_loose(seat: Array, b: int, side: int, direction: int, phi: Vector, u: Vector) -> Vector:
    """The turn on the other side of a seat: what it does not hold is found anew."""
    if direction == 2:
        return phi
    alpha = loose_turn(seat, b, side, phi, u)
    return alpha if direction == 0 else (phi[0], phi[1], alpha[2])


@inline
def left(model: Model, work: Work, b: int, hub: int) -> tuple[Vector, Vector]:
    """(φ of the hub, u that arrives along this branch); the rest arrives along those that came before it."""
    phi, u = three(work.hub_phi, hub), three(work.hub_u, hub)
    work.visits[hub] -= 1
    if work.visits[hub] == 0:
        return phi, u
    m = work.merged
    d = (m[b, 6], m[b, 7], m[b, 8], m[b, 9], m[b, 10], m[b, 11], m[b, 12], m[b, 13], m[b, 14])
    T = (m[b, 0], m[b, 1], m[b, 2], m[b, 3], m[b, 4], m[b, 5])
    S = (m[b, 15], m[b, 16], m[b, 17], m[b, 18], m[b, 19], m[b, 20])
    mine = times(T, add(add(apply_transposed(d, phi), times(S, u)), (m[b, 21], m[b, 22], m[b, 23])))
    for k in range(3):
        work.hub_u[hub, k] = u[k] - mine[k]
    return phi, mine


@inline
def before_node(holds_at: Array, r_of: Array, held: Array, i: int, row: int, phi: Vector, u: Vector) -> Vector:
    """u of the segment before a node from that of the one after it."""
    holds = three(holds_at, i)
    if holds[0] + holds[1] + holds[2] == 0.0:
        return sub(u, three(r_of, row))
    for axis in range(2, -1, -1):  # as they were held, the last first
        if holds[axis] == 1.0:
            q = held_force(held, row, axis, phi, u)
            u = (u[0] + q * (axis == 0), u[1] + q * (axis == 1), u[2] + q * (axis == 2))
    r = three(r_of, row)
    return (u[0] - r[0] * (1.0 - holds[0]), u[1] - r[1] * (1.0 - holds[1]), u[2] - r[2] * (1.0 - holds[2]))


@inline
def returned(model: Model, work: Work, b: int, u: Vector) -> Vector:
    """φ and u of a branch, from its last node back to its first; what acts beyond that."""
    store, terms, row, count = work.store, work.terms, model.row[b], model.last[b] - model.first[b]
    phi = three(work.phi, row + count)
    for j in range(count - 1, -1, -1):
        k = row + j
        turned, before = NO_VECTOR, NO_VECTOR
        if terms.head[k] >= 0:
            u, turned, before = terms_back(terms, k, phi, u)
        for l in range(3):
            work.u[k, l] = u[l]
        Aab = (
            store[k, 0], store[k, 1], store[k, 2], store[k, 3], store[k, 4], store[k, 5], store[k, 6], store[k, 7],
            store[k, 8],
        )  # fmt: skip
        AX = (
            store[k, 9], store[k, 10], store[k, 11], store[k, 12], store[k, 13], store[k, 14], store[k, 15],
            store[k, 16], store[k, 17],
        )  # fmt: skip
        a, c = apply(Aab, phi), add(apply(AX, u), turned)
        phi = (-store[k, 18] - a[0] - c[0], -store[k, 19] - a[1] - c[1], -store[k, 20] - a[2] - c[2])
        for l in range(3):
            work.phi[k, l] = phi[l]
        u = add(u, before)
        if j > 0:
            i = model.first[b] + j if model.sense[b] > 0.0 else model.last[b] - j
            u = before_node(model.holds, work.r, work.held, i, k, phi, u)
    return u


@kernel
def move(model: Model, state: State, work: Work, tree: int) -> None:
    """dx along branches, dx_next = dx + ca φ + cb φ_next + E u − c, and of hubs."""
    e, holds = work.element, model.holds
    for b in range(model.tree[tree], model.tree[tree + 1]):
        first, last, row, ahead = model.first[b], model.last[b], model.row[b], model.sense[b] > 0.0
        hub = model.start.hub[b]
        r, u = three(work.r, row), three(work.begin_u, b)
        if hub >= 0:
            if model.arrivals[hub] == 0:
                missing = three(work.hub_load, hub)
                for k in range(3):
                    work.hub_dy[hub, k] = (u[k] - missing[k]) / model.anchor
            dx = add(three(work.hub_dy, hub), swung(state.p, work.hub_phi, hub, three(model.start.offset, b)))
        else:
            i = first if ahead else last
            dx = (
                (1.0 - holds[i, 0]) * (u[0] - r[0]) / model.anchor,
                (1.0 - holds[i, 1]) * (u[1] - r[1]) / model.anchor,
                (1.0 - holds[i, 2]) * (u[2] - r[2]) / model.anchor,
            )
        for k in range(3):
            work.dx[row, k] = dx[k]
        for j in range(last - first):
            s = row + j
            ca = (
                e[s, 21], e[s, 22], e[s, 23], e[s, 24], e[s, 25], e[s, 26], e[s, 27], e[s, 28], e[s, 29],
            )  # fmt: skip
            cb = (
                e[s, 30], e[s, 31], e[s, 32], e[s, 33], e[s, 34], e[s, 35], e[s, 36], e[s, 37], e[s, 38],
            )  # fmt: skip
            E = (e[s, 39], e[s, 40], e[s, 41], e[s, 42], e[s, 43], e[s, 44])
            step = add(
                add(apply(ca, three(work.phi, s)), apply(cb, three(work.phi, s + 1))), times(E, three(work.u, s))
            )
            dx = sub(add(dx, step), (e[s, 51], e[s, 52], e[s, 53]))
            i = first + j + 1 if ahead else last - j - 1
            dx = ((1.0 - holds[i, 0]) * dx[0], (1.0 - holds[i, 1]) * dx[1], (1.0 - holds[i, 2]) * dx[2])
            for k in range(3):
                work.dx[s + 1, k] = dx[k]
        hub = model.end.hub[b]
        if hub >= 0:
            dy = sub(dx, swung(state.p, work.hub_phi, hub, three(model.end.offset, b)))
            for k in range(3):
                work.hub_dy[hub, k] = dy[k]


@inline
def swung(p: Array, hub_phi: Array, hub: int, offset: Vector) -> Vector:
    """How a place on a hub moves as it turns, in the first order: P (φ × ρ)."""
    return apply(rotation(four(p, hub)), cross(three(hub_phi, hub), offset))
