"""Elements, imbalances and closures of all branches, in the order in which they are swept.  [docs/theory/core.md §2]

    ℒ = Σ ℓ(R_i, R_i+1, n_i) + Σ n_i·(x_i+1 − x_i) − Σ f_i·x_i − Σ W·(y + P c)                                      (1)

Swept against the cable an element has its ends exchanged and n' = −n: then ca' = −cb, cb' = −ca, c' = −c, E' = E.
Record of an element: aa 0:6, ab 6:15, bb 15:21, ca 21:30, cb 30:39, E 39:45, ga 45:48, gb 48:51, c 51:54.
"""

from lissom.geometry.triples import (
    Matrix,
    Quaternion,
    Vector,
    apply,
    apply_transposed,
    cross,
    dot,
    quaternion_between,
    rotation,
    scale,
    sub,
)
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.rods import polished
from lissom.rods.core.model import Array, Model, Seats, State, Work


@inline
def three(a: Array, i: int) -> Vector:
    return (a[i, 0], a[i, 1], a[i, 2])


@inline
def four(a: Array, i: int) -> Quaternion:
    return (a[i, 0], a[i, 1], a[i, 2], a[i, 3])


@kernel
def assemble(model: Model, state: State, work: Work) -> float:
    """Fills elements, r, hub_moment and hub_load; the largest error of a segment's closure, m."""
    hub_moment, hub_load = work.hub_moment, work.hub_load
    first, last, sense, row = model.first, model.last, model.sense, model.row
    for hub in range(len(hub_load)):
        W = three(model.hub_weight, hub)
        N = apply_transposed(rotation(four(state.p, hub)), W)
        for k in range(9):
            hub_moment[hub, k] = 0.0
        for k in range(3):
            hub_load[hub, k] = -W[k]
        add_lever(hub_moment, hub, scale(-1.0, N), three(model.hub_centre, hub))
    worst = 0.0
    for b in range(len(first)):
        worst = max(worst, elements(model, state, work, first[b], last[b], sense[b], row[b]))
        imbalances(model, state, work, b)
    return worst


@kernel
def elements(model: Model, state: State, work: Work, first: int, last: int, sense: float, row: int) -> float:
    """Those of one branch; the largest error of a closure."""
    h, D, rest, slope, weight = model.h, model.stiffness, model.rest, model.slope, model.weight
    q, x, n, e = state.q, state.x, state.n, work.element
    worst = 0.0
    for s in range(first, last):
        _, ga, gb, aa, ab, bb, step, ca, cb, E = polished.element(
            four(q, s), four(q, s + 1), three(n, s), three(weight, s), h[s], three(D, s), three(rest, s),
            three(slope, s),
        )  # fmt: skip
        ahead = sense > 0.0
        k = row + (s - first if ahead else last - 1 - s)
        if not ahead:
            ga, gb, aa, bb, ca, cb = gb, ga, bb, aa, cb, ca
        e[k, 0], e[k, 1], e[k, 2], e[k, 3], e[k, 4], e[k, 5] = aa[0], aa[1], aa[2], aa[4], aa[5], aa[8]
        e[k, 15], e[k, 16], e[k, 17], e[k, 18], e[k, 19], e[k, 20] = bb[0], bb[1], bb[2], bb[4], bb[5], bb[8]
        e[k, 39], e[k, 40], e[k, 41], e[k, 42], e[k, 43], e[k, 44] = E[0], E[1], E[2], E[4], E[5], E[8]
        for l in range(9):
            e[k, 6 + l] = ab[l] if ahead else ab[3 * (l % 3) + l // 3]
            e[k, 21 + l] = sense * ca[l]
            e[k, 30 + l] = sense * cb[l]
        for l in range(3):
            e[k, 45 + l] = ga[l]
            e[k, 48 + l] = gb[l]
            c = x[s + 1, l] - x[s, l] - step[l]
            e[k, 51 + l] = sense * c
            if not abs(c) <= worst:
                worst = abs(c)
    return worst


@kernel
def imbalances(model: Model, state: State, work: Work, b: int) -> None:
    """r of one branch, and what its ends bring to hubs."""
    first, last, sense, row = model.first[b], model.last[b], model.sense[b], model.row[b]
    n, load, r = state.n, model.load, work.r
    count = last - first
    for j in range(count + 1):
        i = first + j if sense > 0.0 else last - j
        before = i - 1 if sense > 0.0 else i  # segments
        beyond = i if sense > 0.0 else i - 1
        part = 1.0
        if j == 0:
            part = model.start.loaded[b]
        elif j == count:
            part = model.end.loaded[b]
        for k in range(3):
            missing = -part * load[i, k]
            if j > 0:
                missing += sense * n[before, k]
            if j < count:
                missing -= sense * n[beyond, k]
            r[row + j, k] = missing
    hub = model.start.hub[b]
    if hub >= 0:
        bring(work.hub_load, work.hub_moment, hub, three(r, row), state.p, three(model.start.offset, b))
    hub = model.end.hub[b]
    if hub >= 0:
        bring(work.hub_load, work.hub_moment, hub, three(r, row + count), state.p, three(model.end.offset, b))


@inline
def bring(hub_load: Array, hub_moment: Array, hub: int, force: Vector, p: Array, offset: Vector) -> None:
    for k in range(3):
        hub_load[hub, k] += force[k]
    add_lever(hub_moment, hub, apply_transposed(rotation(four(p, hub)), force), offset)


@inline
def add_lever(hub_moment: Array, hub: int, N: Vector, at: Vector) -> None:
    """Of N·(ρ turned by φ): gradient ρ × N, Hessian ½(N ρᵀ + ρ Nᵀ) − (N·ρ) I."""
    g = cross(at, N)
    for l in range(3):
        hub_moment[hub, l] += g[l]
    add_swing(hub_moment, hub, N, at)


@inline
def add_swing(hub_moment: Array, hub: int, N: Vector, at: Vector) -> None:
    """Its Hessian."""
    k = dot(N, at)
    hub_moment[hub, 3] += N[0] * at[0] - k
    hub_moment[hub, 4] += 0.5 * (N[0] * at[1] + N[1] * at[0])
    hub_moment[hub, 5] += 0.5 * (N[0] * at[2] + N[2] * at[0])
    hub_moment[hub, 6] += N[1] * at[1] - k
    hub_moment[hub, 7] += 0.5 * (N[1] * at[2] + N[2] * at[1])
    hub_moment[hub, 8] += N[2] * at[2] - k


@kernel
def swung_by_contacts(model: Model, state: State, work: Work) -> None:
    """What contacts exert at nodes on hubs changes as these turn: their part of the Hessian."""
    for b in range(len(model.first)):
        for side in range(2):
            on = model.start if side == 0 else model.end
            hub, k = on.hub[b], model.row[b] + side * (model.last[b] - model.first[b])
            if hub >= 0 and work.terms.touched[k] == 1:
                N = apply_transposed(rotation(four(state.p, hub)), three(work.touch_force, k))
                add_swing(work.hub_moment, hub, scale(-1.0, N), three(on.offset, b))


@kernel
def imbalance(model: Model, state: State, work: Work) -> tuple[float, float, float]:
    """(largest moment, N m, and force, N, that are missing anywhere; the largest internal force, N)."""
    e, r, turns, holds = work.element, work.r, model.turns, model.holds
    moment = force = acting = 0.0
    gathered, loads = work.hub_phi, work.hub_u  # not needed before the next step
    push, bend = work.touch_force, work.touch_moment
    for hub in range(len(gathered)):
        for k in range(3):
            gathered[hub, k], loads[hub, k] = work.hub_moment[hub, k], work.hub_load[hub, k]
    for b in range(len(model.first)):
        count, row, sense = model.last[b] - model.first[b], model.row[b], model.sense[b]
        for j in range(count + 1):
            i = model.first[b] + j if sense > 0.0 else model.last[b] - j
            g = (0.0, 0.0, 0.0)
            if j > 0:
                g = (e[row + j - 1, 48], e[row + j - 1, 49], e[row + j - 1, 50])
            if j < count:
                g = (g[0] + e[row + j, 45], g[1] + e[row + j, 46], g[2] + e[row + j, 47])
                for k in range(3):
                    acting = max(acting, abs(state.n[i if sense > 0.0 else i - 1, k]))
            g = (g[0] - bend[row + j, 0], g[1] - bend[row + j, 1], g[2] - bend[row + j, 2])
            if j == 0 and model.start.hub[b] >= 0:
                pushed_hub(gathered, loads, model.start, b, state.p, three(push, row))
                g = on_hub(
                    gathered,
                    model.start.hub[b],
                    model.start.direction[b],
                    seat_turn(model.start, b, state.p, state.q, i),
                    g,
                )
            elif j == count and model.end.hub[b] >= 0:
                pushed_hub(gathered, loads, model.end, b, state.p, three(push, row + count))
                g = on_hub(
                    gathered, model.end.hub[b], model.end.direction[b], seat_turn(model.end, b, state.p, state.q, i), g
                )
            else:
                for k in range(3):
                    missing = abs(r[row + j, k] - push[row + j, k])
                    if holds[i, k] == 0.0 and not missing <= force:
                        force = missing
            for k in range(3):
                missing = abs(g[k]) * turns[i, k]
                if not missing <= moment:
                    moment = missing
    for hub in range(len(gathered)):
        for k in range(3):
            if not abs(gathered[hub, k]) <= moment:
                moment = abs(gathered[hub, k])
            if not abs(loads[hub, k]) <= force:
                force = abs(loads[hub, k])
    return moment, force, acting


@inline
def pushed_hub(gathered: Array, loads: Array, seats: Seats, b: int, p: Array, push: Vector) -> None:
    """Contacts that push on a node that sits on a hub."""
    hub = seats.hub[b]
    N = apply_transposed(rotation(four(p, hub)), push)
    g = cross(three(seats.offset, b), N)
    for k in range(3):
        loads[hub, k] -= push[k]
        gathered[hub, k] -= g[k]


@inline
def seat_turn(seats: Seats, b: int, p: Array, q: Array, i: int) -> Matrix:
    """The frame of a node in the axes of its hub; where that holds the tangent alone it has a roll of its own."""
    if seats.direction[b] == 2:
        return rotation(four(seats.turn, b))
    return rotation(quaternion_between(four(p, seats.hub[b]), four(q, i)))


@inline
def on_hub(gathered: Array, hub: int, direction: int, turn: Matrix, g: Vector) -> Vector:
    """Adds what a cable's end brings to the gradient of its hub; what is left is to vanish by itself."""
    left = g
    if direction == 2:
        left = (0.0, 0.0, 0.0)
    elif direction == 1:
        left = (0.0, 0.0, g[2])
    brought = apply(turn, sub(g, left))
    for k in range(3):
        gathered[hub, k] += brought[k]
    return left
