"""What acts between any two segments: contacts of cables with each other.  [docs/theory/core.md §7]

Such a scalar q is no update of one node. All else is solved without it first, then once for a unit of each; what is
left are as many equations as there are scalars. The step is the one under the forces that these give.
"""

import math

from lissom.geometry.triples import Vector, add, apply_transposed, cross, dot, rotation, scale
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.rods.core.carried import put_three, three_of
from lissom.rods.core.cubic import frame_at, lever, on_cubic, slopes, weights
from lissom.rods.core.factor import back, factor
from lissom.rods.core.model import Array, Cables, Columns, Curves, Indices, Meets, Model, State, Work, curves_of
from lissom.rods.core.residuals import four, three
from lissom.rods.core.symmetric import factored, solved
from lissom.rods.core.terms import exert_at, stiffen

PRESSES, BENDS = 0, 1
# Of the four ways in which cables bend away from each other those count that are not weaker than this part of the
# strongest.
WEAK = 1e-10
MOST_TURNS = 30  # of Jacobi's method
# Exchanges of what presses: so many, and all that are wrong at a time in the first of them.
MOST_EXCHANGES = 30
TOGETHER = 6

NO_ROOM = 1 << 20


# ---- columns ---------------------------------------------------------------------------------------------------------


@kernel
def meet_acts(model: Model, state: State, work: Work) -> None:
    """What presses between cables exerts on nodes, in `work.touch_…`."""
    p = work.meets
    for c in range(p.total[0]):
        for l in range(24):
            p.act[c, l] = 0.0
        N, force = three(p.normal, c), p.force[c]
        for side in range(2):
            s, t = p.segment[c, side], p.t[c, side]
            k, ahead = model.among.cables.row[s], model.among.cables.ahead[s] == 1
            w, sign = weights(t, model.h[s]), 1.0 - 2.0 * side
            acts(state.q, p.act, c, side, s, ahead, w, scale(sign, N))
            if force <= 0.0:
                continue
            work.terms.touched[k] = work.terms.touched[k + 1] = 1
            for l in range(3):
                work.touch_force[k, l] += force * p.act[c, 12 * side + l]
                work.touch_moment[k, l] += force * p.act[c, 12 * side + 3 + l]
                work.touch_force[k + 1, l] += force * p.act[c, 12 * side + 6 + l]
                work.touch_moment[k + 1, l] += force * p.act[c, 12 * side + 9 + l]
            R0, R1 = frame_at(state.q, s), frame_at(state.q, s + 1)
            before, behind = (R0, R1) if ahead else (R1, R0)
            stiffen(work.touch_own, k, before, N, -sign * force * (w[2] if ahead else w[3]))
            stiffen(work.touch_own, k + 1, behind, N, -sign * force * (w[3] if ahead else w[2]))


@inline
def acts(
    q: Array, act: Array, j: int, side: int, s: int, ahead: bool, w: tuple[float, float, float, float], v: Vector
) -> None:
    """Adds v·x(t) with these weights on a segment: at the nodes in the order of the sweep."""
    a = 12 * side + (0 if ahead else 6)
    b = 12 * side + (6 if ahead else 0)
    put_three(act, j, a, add(three_of(act, j, a), scale(w[0], v)))
    put_three(act, j, a + 3, add(three_of(act, j, a + 3), scale(w[2], lever(frame_at(q, s), v))))
    put_three(act, j, b, add(three_of(act, j, b), scale(w[1], v)))
    put_three(act, j, b + 3, add(three_of(act, j, b + 3), scale(w[3], lever(frame_at(q, s + 1), v))))


@kernel
def put_columns(model: Model, state: State, work: Work, proximal: float) -> bool:
    """Those of the places that press or are to: one that presses, and those of how the distance is curved [(17)].

    False: no room.
    """
    p, columns = work.meets, work.columns
    columns.total[0] = 0
    for c in range(p.total[0]):
        if p.on[c] == 0 and p.force[c] <= 0.0:
            continue
        j = another(columns, c, PRESSES)
        if j < 0:
            return False
        for l in range(24):
            columns.act[j, l] = p.act[c, l]
        columns.give[j] = p.give[c] + proximal
        if p.force[c] > 0.0 and not curved(curves_of(model, state), model.among.cables, p, columns, c, j):
            return False
    return True


@inline
def another(columns: Columns, c: int, kind: int) -> int:
    j = columns.total[0]
    if j >= len(columns.give):
        return -1
    columns.total[0] = j + 1
    columns.place[j], columns.kind[j], columns.give[j] = c, kind, 0.0
    for l in range(24):
        columns.act[j, l] = 0.0
    return int(j)


@kernel
def curved(lines: Curves, g: Cables, p: Meets, columns: Columns, c: int, first: int) -> bool:
    """−½ λ z·M z of z = (δ·e₁, δ·e₂, N·δx', N·δy'), the places that run eliminated."""
    N, d, force = three(p.normal, c), p.distance[c], p.force[c]
    e1 = cross(N, (0.0, 1.0, 0.0) if abs(N[0]) > 0.6 else (1.0, 0.0, 0.0))
    e1 = scale(1.0 / math.sqrt(dot(e1, e1)), e1)
    e2 = cross(N, e1)
    z = columns.basis
    for i in range(4):
        for l in range(24):
            z[i, l] = 0.0
    for side in range(2):
        s, t, h = p.segment[c, side], p.t[c, side], lines.h[p.segment[c, side]]
        ahead, sign = g.ahead[s] == 1, 1.0 - 2.0 * side
        acts(lines.q, z, 0, side, s, ahead, weights(t, h), scale(sign, e1))
        acts(lines.q, z, 1, side, s, ahead, weights(t, h), scale(sign, e2))
        acts(lines.q, z, 2 + side, side, s, ahead, slopes(t, h), N)
    x1, y1 = (p.along[c, 0], p.along[c, 1], p.along[c, 2]), (p.along[c, 3], p.along[c, 4], p.along[c, 5])
    # b of the places: what moves them
    one = (dot(x1, e1) / d, dot(x1, e2) / d, 1.0, 0.0, p.give_slope[c, 0])
    two = (-dot(y1, e1) / d, -dot(y1, e2) / d, 0.0, -1.0, p.give_slope[c, 1])
    A, B, C = p.bend[c, 0], p.bend[c, 1], p.bend[c, 2]
    first_runs, second_runs = p.runs[c, 0] == 1, p.runs[c, 1] == 1
    a = b = m = 0.0  # the inverse
    if first_runs and second_runs:
        det = A * C - B * B
        a, m, b = C / det, -B / det, A / det
    elif first_runs:
        a = 1.0 / A
    elif second_runs:
        b = 1.0 / C
    M = columns.curve
    for i in range(5):
        for l in range(5):
            M[i, l] = -(a * one[i] * one[l] + m * (one[i] * two[l] + two[i] * one[l]) + b * two[i] * two[l])
    for i in range(4):  # as the force changes the places move
        for l in range(24):
            columns.act[first, l] += force * M[i, 4] * z[i, l]
    columns.give[first] += force * M[4, 4]
    M[0, 0] += 1.0 / d
    M[1, 1] += 1.0 / d
    diagonal(M)
    strongest = max(abs(M[0, 0]), abs(M[1, 1]), abs(M[2, 2]), abs(M[3, 3]))
    for i in range(4):
        if abs(M[i, i]) <= WEAK * strongest:
            continue
        j = another(columns, c, BENDS)
        if j < 0:
            return False
        columns.give[j] = -1.0 / (force * M[i, i])
        for k in range(4):
            for l in range(24):
                columns.act[j, l] += M[5 + k, i] * z[k, l]
    return True


@kernel
def diagonal(M: Array) -> None:
    """The upper left (4, 4) of M → its eigenvalues; rows 5 to 8: eigenvectors, a column each [Jacobi]."""
    for i in range(4):
        for k in range(4):
            M[5 + i, k] = 1.0 if i == k else 0.0
    for _ in range(MOST_TURNS):
        off = size = 0.0
        for i in range(4):
            size += M[i, i] * M[i, i]
            for k in range(i):
                off += M[i, k] * M[i, k]
        if off <= 1e-32 * size:
            break
        for i in range(4):
            for k in range(i + 1, 4):
                if M[i, k] == 0.0:
                    continue
                theta = 0.5 * (M[k, k] - M[i, i]) / M[i, k]
                t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for l in range(4):
                    x, y = M[l, i], M[l, k]
                    M[l, i], M[l, k] = c * x - s * y, s * x + c * y
                for l in range(4):
                    x, y = M[i, l], M[k, l]
                    M[i, l], M[k, l] = c * x - s * y, s * x + c * y
                for l in range(4):
                    x, y = M[5 + l, i], M[5 + l, k]
                    M[5 + l, i], M[5 + l, k] = c * x - s * y, s * x + c * y


# ---- under forces ----------------------------------------------------------------------------------------------------


WITHOUT, PRESSED = 0, 1


@kernel
def keep_sides(work: Work, which: int) -> None:
    """The right sides are known as these."""
    columns, e = work.columns, work.element
    for k in range(len(work.r)):
        for l in range(3):
            columns.kept_node[which, k, l] = work.r[k, l]
        for l in range(6):
            columns.kept_node[which, k, 3 + l] = e[k, 45 + l]
    for hub in range(len(work.hub_load)):
        for l in range(3):
            columns.kept_hub[which, hub, l] = work.hub_load[hub, l]
            columns.kept_hub[which, hub, 3 + l] = work.hub_moment[hub, l]


@kernel
def restore(model: Model, work: Work, c: int, which: int) -> None:
    """The right sides of the nodes of a place are those again."""
    columns, e = work.columns, work.element
    for side in range(2):
        s = work.meets.segment[c, side]
        for k in range(model.among.cables.row[s], model.among.cables.row[s] + 2):
            for l in range(3):
                work.r[k, l] = columns.kept_node[which, k, l]
            for l in range(6):
                e[k, 45 + l] = columns.kept_node[which, k, 3 + l]
        b = model.branch_of[s]
        for end in range(2):
            hub = model.start.hub[b] if end == 0 else model.end.hub[b]
            if hub >= 0:
                for l in range(3):
                    work.hub_load[hub, l] = columns.kept_hub[which, hub, l]
                    work.hub_moment[hub, l] = columns.kept_hub[which, hub, 3 + l]


@kernel
def pull(model: Model, state: State, work: Work, act: Array, j: int, c: int, much: float) -> None:
    """`much` (N) along `act`, at the segments of a place, on the right side."""
    e, r = work.element, work.r
    for side in range(2):
        s, m = work.meets.segment[c, side], 12 * side
        k, b = model.among.cables.row[s], model.branch_of[s]
        for l in range(3):
            r[k, l] -= much * act[j, m + l]
            e[k, 45 + l] -= much * act[j, m + 3 + l]
            r[k + 1, l] -= much * act[j, m + 6 + l]
            e[k, 48 + l] -= much * act[j, m + 9 + l]
        if k == model.row[b] and model.start.hub[b] >= 0:
            at_hub(state, work, model.start.hub[b], scale(much, three_of(act, j, m)), three(model.start.offset, b))
        if k + 1 == model.row[b] + model.last[b] - model.first[b] and model.end.hub[b] >= 0:
            at_hub(state, work, model.end.hub[b], scale(much, three_of(act, j, m + 6)), three(model.end.offset, b))


@inline
def at_hub(state: State, work: Work, hub: int, force: Vector, offset: Vector) -> None:
    g = cross(offset, apply_transposed(rotation(four(state.p, hub)), force))
    for l in range(3):
        work.hub_load[hub, l] -= force[l]
        work.hub_moment[hub, l] -= g[l]


@inline
def moved_half(row: Indices, segment: Indices, dx: Array, phi: Array, act: Array, j: int, c: int, side: int) -> float:
    """By how much a segment moves along what acts on it, m."""
    k, m = row[segment[c, side]], 12 * side
    way = 0.0
    for l in range(3):
        way += act[j, m + l] * dx[k, l] + act[j, m + 3 + l] * phi[k, l]
        way += act[j, m + 6 + l] * dx[k + 1, l] + act[j, m + 9 + l] * phi[k + 1, l]
    return way


@inline
def gap_between(p: Meets, radius: Array, c: int) -> float:
    return float(p.distance[c] - radius[p.cable[c, 0]] - radius[p.cable[c, 1]])


# ---- the step --------------------------------------------------------------------------------------------------------


@kernel
def all_trees(model: Model, state: State, work: Work, shift: float) -> int:
    """`factor` and `back` of all trees; the index."""
    index = 0
    for tree in range(len(model.tree) - 1):
        index += factor(model, state, work, shift, tree)
        back(model, state, work, tree)
    return index


@kernel
def responses(model: Model, state: State, work: Work, shift: float, unit: float) -> None:
    """How everything moves along the columns without them, and under a unit of each."""
    columns, p, row = work.columns, work.meets, model.among.cables.row
    count = columns.total[0]
    for i in range(count):
        for side in range(2):
            columns.still[i, side] = moved_half(
                row, p.segment, work.dx, work.phi, columns.act, i, columns.place[i], side
            )
        for j in range(count):
            columns.response[i, j] = 0.0
    for j in range(count):
        c = columns.place[j]
        one = model.branch_tree[model.branch_of[p.segment[c, 0]]]
        two = model.branch_tree[model.branch_of[p.segment[c, 1]]]
        pull(model, state, work, columns.act, j, c, unit)
        factor(model, state, work, shift, one)
        back(model, state, work, one)
        if two != one:
            factor(model, state, work, shift, two)
            back(model, state, work, two)
        restore(model, work, c, PRESSED)
        for i in range(count):
            for side in range(2):
                tree = model.branch_tree[model.branch_of[p.segment[columns.place[i], side]]]
                if tree in (one, two):
                    way = moved_half(row, p.segment, work.dx, work.phi, columns.act, i, columns.place[i], side)
                    columns.response[i, j] += (way - columns.still[i, side]) / unit


@kernel
def chosen_solved(columns: Columns, p: Meets, radius: Array, chosen: int, solve: bool) -> int:
    """q of the columns chosen, the others as they are; by how many negative directions more there are."""
    a, n = columns.matrix, chosen
    expected = 0
    for i in range(n):
        k = columns.chosen[i]
        whole = columns.response[k, k] + columns.give[k]
        columns.scale[i] = 1.0 / math.sqrt(max(abs(whole), 1e-300))
        expected += int(columns.give[k] > 0.0)
    for i in range(n):
        k = columns.chosen[i]
        for j in range(i + 1):
            l = columns.chosen[j]
            value = 0.5 * (columns.response[k, l] + columns.response[l, k])
            if k == l:
                value += columns.give[k]
            a[i, j] = value * columns.scale[i] * columns.scale[j]
        way = columns.still[k, 0] + columns.still[k, 1]
        if columns.kind[k] == PRESSES:
            c = columns.place[k]
            way += gap_between(p, radius, c) + p.force[c] * p.give[c]
        for l in range(columns.total[0]):
            if columns.q[l] != 0.0:
                way += columns.response[k, l] * columns.q[l]
        columns.right[i] = -way * columns.scale[i]
    negative = factored(n, a, columns.pivot, columns.line)
    if solve:
        solved(n, a, columns.pivot, columns.right)
        for i in range(n):
            columns.q[columns.chosen[i]] += columns.right[i] * columns.scale[i]
    return n - negative - expected


@kernel
def between_cables(
    model: Model, state: State, work: Work, shift: float, proximal: float, noticed: float, there: bool
) -> int:
    """The step with what presses between cables, and which places do; the index, or NO_ROOM.

    Of the places that press, or are to: others are not looked at.
    """
    columns, p, radius = work.columns, work.meets, model.among.cables.radius
    if not put_columns(model, state, work, proximal):
        return NO_ROOM
    count = columns.total[0]
    keep_sides(work, WITHOUT)
    for c in range(p.total[0]):
        if p.force[c] > 0.0:
            pull(model, state, work, p.act, c, c, p.force[c])
    for c in range(p.total[0]):
        p.wanted[c] = p.force[c]
    index = all_trees(model, state, work, shift)
    if count == 0:
        return index
    keep_sides(work, PRESSED)
    responses(model, state, work, shift, model.force)
    more = 0
    single, before = False, 1 << 30
    for exchange in range(MOST_EXCHANGES):
        chosen = 0
        for j in range(count):
            c = columns.place[j]
            columns.q[j] = -p.force[c] if columns.kind[j] == PRESSES and p.on[c] == 0 else 0.0
            if p.on[c] == 1:
                columns.chosen[chosen] = j
                chosen += 1
        more = chosen_solved(columns, p, radius, chosen, not there)
        if there:
            break
        wrong, worst, which = 0, 0.0, -1
        for j in range(count):
            if columns.kind[j] != PRESSES:
                continue
            c = columns.place[j]
            p.wanted[c] = p.force[c] + columns.q[j]
            much = 0.0
            if p.on[c] == 1:
                much = -p.wanted[c] * model.yielding
            else:
                way = columns.still[j, 0] + columns.still[j, 1]
                for l in range(count):
                    way += columns.response[j, l] * columns.q[l]
                much = -gap_between(p, radius, c) - way - noticed
            if much > 0.0:
                wrong += 1
                if much > worst:
                    worst, which = much, c
                if not single:
                    p.on[c] = 1 - p.on[c]
        if wrong == 0:
            break
        if single:
            p.on[which] = 1 - p.on[which]
        elif exchange >= TOGETHER and wrong >= before:
            single = True
        before = min(before, wrong)
    if not there and index + more <= 0:
        for j in range(count):
            if columns.q[j] != 0.0:
                pull(model, state, work, columns.act, j, columns.place[j], columns.q[j])
        all_trees(model, state, work, shift)
    for j in range(count):
        restore(model, work, columns.place[j], WITHOUT)
    return index + more


@kernel
def closed_between(p: Meets, radius: Array) -> tuple[float, float]:
    """m: (how deep places are, how far apart those are that press), with what segments give way."""
    deep = apart = 0.0
    for c in range(p.total[0]):
        gap = gap_between(p, radius, c) + p.force[c] * p.give[c]
        deep = max(deep, -gap)
        if p.force[c] > 0.0:
            apart = max(apart, abs(gap))
    return deep, apart


@kernel
def exerted_between(model: Model, state: State, work: Work, kicks: Array, pushed: Array, where: Array) -> None:
    """As `terms.exerted`, of what presses between cables; `where` (c, 2, 3) m."""
    p = work.meets
    count = 0
    for c in range(p.total[0]):
        if p.force[c] <= 0.0:
            continue
        for side in range(2):
            s, t = p.segment[c, side], p.t[c, side]
            R0, R1, w = frame_at(state.q, s), frame_at(state.q, s + 1), weights(t, model.h[s])
            x = on_cubic(state.x, s, R0, R1, w)
            exert_at(R0, R1, w, s, t, scale(p.force[c] * (1.0 - 2.0 * side), three(p.normal, c)), kicks, pushed)
            for l in range(3):
                where[count, side, l] = x[l]
        count += 1
