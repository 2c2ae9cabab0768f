"""All rows solved together: LDLᵀ in an envelope, and which rows stay at a bound [docs/theory/machines.md §2].

(A + α̃) Δλ = C − α̃ λ with A = J M⁻¹ Jᵀ. Rows are sorted by the order in which bodies are eliminated; row p of the
factor begins at column `first[p]`, that of the first row with a body in common. Slip rows make the matrix
quasi-definite: LDLᵀ without pivoting takes it in any order. A row at a bound is a row of the identity.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import dot
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.machines.bodies import Bodies, freed, row3
from lissom.machines.rows import (
    FREE,
    HIGH,
    IDLE,
    LOW,
    NO_BOUND,
    Multipliers,
    Rows,
    change,
    own_mobility,
    push,
    push_momentum,
)

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

RAISED = 1e-8  # of the diagonal, so that redundant rows share what they carry
MOST_SEARCHES = 20  # of the rows at bounds; two or three are usual
SEARCHES_FOR_ROW = 4  # at most, when rows change one at a time
TRIALS = 10  # searches in a row that may leave as many rows wrong as before
PATIENCE = 5  # searches in which motors and friction come first
UNSETTLED = -1


class Network(NamedTuple):
    """Workspace. p: position of a row in the elimination."""

    position: Indices  # (m,) of a row
    sorted: Indices  # (m,) row at p
    key: Indices  # (m,) of a row
    starts: Indices  # (bodies + 2,) of the counting sort
    first: Indices  # (m,) first column of row p
    offset: Indices  # (m + 1,) where row p begins in `matrix`
    head: Indices  # (bodies,) the last row put on a body: p·2 + side, −1 if none
    below: Indices  # (2 m,) the row before it there
    earliest: Indices  # (bodies,) its first p
    matrix: Array  # (room,) A + α̃, row by row within the envelope
    factor: Array  # (room,) L below the diagonal
    pivot: Array  # (m,) D
    right: Array  # (m,) right-hand side and solution, by p
    scaled: Array  # (m,) a row of L D while it is found


def make_network(rows: int, bodies: int, room: int) -> Network:
    def whole(n: int) -> Indices:
        return np.zeros(n, dtype=np.int64)

    return Network(
        whole(rows), whole(rows), whole(rows), whole(bodies + 2), whole(rows), whole(rows + 1), whole(bodies),
        whole(2 * rows), whole(bodies), np.zeros(room), np.zeros(room), np.zeros(rows), np.zeros(rows), np.zeros(rows),
    )  # fmt: skip


@kernel
def sort_rows(rows: Rows, bodies: Bodies, net: Network) -> None:
    """A row comes with the later of its bodies, a slip row after both of its spans."""
    n = rows.used[0]
    count = bodies.x.shape[0]
    for k in range(count + 2):
        net.starts[k] = 0
    for i in range(n):
        if rows.left[i] >= 0:
            net.key[i] = max(net.key[rows.left[i]], net.key[rows.right[i]])
        else:
            a, b = rows.a[i], rows.b[i]
            net.key[i] = max(bodies.order[a] * bodies.movable[a], bodies.order[b] * bodies.movable[b])
        net.starts[net.key[i] + 1] += 1
    for k in range(count + 1):
        net.starts[k + 1] += net.starts[k]
    for i in range(n):
        p = net.starts[net.key[i]]
        net.starts[net.key[i]] = p + 1
        net.position[i] = p
        net.sorted[p] = i


@kernel
def lay_out(rows: Rows, bodies: Bodies, net: Network) -> int:
    """The envelope; how many numbers it holds."""
    for b in range(bodies.x.shape[0]):
        net.earliest[b] = -1
    net.offset[0] = 0
    for p in range(rows.used[0]):
        i = net.sorted[p]
        first = p
        if rows.left[i] >= 0:
            first = min(net.position[rows.left[i]], net.position[rows.right[i]])
        else:
            for side in range(2):
                b = rows.a[i] if side == 0 else rows.b[i]
                if bodies.movable[b] == 1:
                    if net.earliest[b] < 0:
                        net.earliest[b] = p
                    first = min(first, net.earliest[b])
        net.first[p] = first
        net.offset[p + 1] = net.offset[p] + p - first + 1
    return net.offset[rows.used[0]]  # type: ignore[no-any-return]


@inline
def shared(rows: Rows, bodies: Bodies, b: int, i: int, side: int, j: int, other: int) -> float:
    """J_i M⁻¹ J_jᵀ on the body b, which is on these sides of the rows."""
    ti = row3(rows.turn_a, i) if side == 0 else row3(rows.turn_b, i)
    tj = row3(rows.turn_a, j) if other == 0 else row3(rows.turn_b, j)
    straight = bodies.inverse_mass[b] * dot(row3(rows.line, i), row3(rows.line, j))
    found: float = (straight if side == other else -straight) + dot(ti, freed(bodies, b, tj))
    return found


@kernel
def assemble(rows: Rows, bodies: Bodies, net: Network) -> None:
    """Writes `matrix`."""
    for k in range(net.offset[rows.used[0]]):
        net.matrix[k] = 0.0
    for b in range(bodies.x.shape[0]):
        net.head[b] = -1
    for p in range(rows.used[0]):
        i = net.sorted[p]
        base = net.offset[p] - net.first[p]
        if rows.left[i] >= 0:
            net.matrix[base + net.position[rows.left[i]]] = -1.0
            net.matrix[base + net.position[rows.right[i]]] = 1.0
            net.matrix[base + p] = rows.alpha[i]
            continue
        own = (1.0 + RAISED) * own_mobility(rows, bodies, i) + rows.alpha[i]
        net.matrix[base + p] = own if own > 0.0 else math.inf  # what moves nothing carries nothing
        for side in range(2):
            b = rows.a[i] if side == 0 else rows.b[i]
            if bodies.movable[b] == 0:
                continue
            at = net.head[b]
            while at >= 0:
                net.matrix[base + at // 2] += shared(rows, bodies, b, i, side, net.sorted[at // 2], at % 2)
                at = net.below[at]
            net.below[2 * p + side] = net.head[b]
            net.head[b] = 2 * p + side


@inline
def is_free(rows: Rows, known: Multipliers, i: int) -> bool:
    """A slip row is idle where both its spans are slack."""
    if rows.left[i] >= 0:
        left, right = rows.owner[rows.left[i]], rows.owner[rows.right[i]]
        return known.state[left] == FREE or known.state[right] == FREE  # type: ignore[no-any-return]
    return known.state[rows.owner[i]] == FREE  # type: ignore[no-any-return]


@kernel
def factorise(rows: Rows, known: Multipliers, net: Network) -> bool:
    """Writes `factor` and `pivot` for the rows that are free; whether all pivots have the sign that they must have."""
    for p in range(rows.used[0]):
        first = net.first[p]
        base = net.offset[p] - first
        if not is_free(rows, known, net.sorted[p]):
            for j in range(first, p):
                net.factor[base + j] = 0.0
            net.pivot[p] = 1.0
            continue
        pivot = net.matrix[base + p]
        for j in range(first, p):
            if not is_free(rows, known, net.sorted[j]):
                net.scaled[j] = 0.0
                net.factor[base + j] = 0.0
                continue
            at = net.offset[j] - net.first[j]
            found = net.matrix[base + j]
            for k in range(max(first, net.first[j]), j):
                found -= net.scaled[k] * net.factor[at + k]
            net.scaled[j] = found
            net.factor[base + j] = found / net.pivot[j]
            pivot -= found * net.factor[base + j]
        net.pivot[p] = pivot
        if not (pivot < 0.0 if rows.left[net.sorted[p]] >= 0 else pivot > 0.0):
            return False
    return True


@kernel
def back_substitute(rows: Rows, net: Network) -> None:
    """`right` becomes the solution."""
    n = rows.used[0]
    for p in range(n):
        base = net.offset[p] - net.first[p]
        found = net.right[p]
        for j in range(net.first[p], p):
            found -= net.factor[base + j] * net.right[j]
        net.right[p] = found
    for p in range(n):
        net.right[p] /= net.pivot[p]
    for p in range(n - 1, -1, -1):
        base = net.offset[p] - net.first[p]
        for j in range(net.first[p], p):
            net.right[j] -= net.factor[base + j] * net.right[p]


@kernel
def clear_corrections(rows: Rows, bodies: Bodies) -> None:
    for b in range(bodies.x.shape[0]):
        for k in range(3):
            bodies.shift[b, k] = 0.0
            bodies.spin[b, k] = 0.0
            bodies.twist[b, k] = 0.0
    for i in range(rows.used[0]):
        rows.taken[i] = 0.0


@kernel
def solve_free(rows: Rows, bodies: Bodies, known: Multipliers, net: Network) -> None:
    """Writes `step`, and the corrections of the bodies, with the rows at bounds as they are."""
    clear_corrections(rows, bodies)
    n = rows.used[0]
    for i in range(n):  # those at bounds go there, and the others see it
        rows.step[i] = 0.0
        state = known.state[rows.owner[i]]
        if rows.left[i] < 0 and state != FREE:
            to = 0.0 if state == IDLE else rows.low[i] if state == LOW else rows.high[i]
            rows.step[i] = to - known.total[rows.owner[i]]
            if rows.step[i] != 0.0:
                push(rows, bodies, i, rows.step[i])
    for p in range(n):
        i = net.sorted[p]
        if not is_free(rows, known, i):
            net.right[p] = 0.0
        elif rows.left[i] >= 0:
            before = known.total[rows.owner[rows.left[i]]] + rows.step[rows.left[i]]
            after = known.total[rows.owner[rows.right[i]]] + rows.step[rows.right[i]]
            net.right[p] = rows.value[i] + before - after
        else:
            net.right[p] = rows.value[i] + change(rows, bodies, i) - rows.alpha[i] * known.total[rows.owner[i]]
    back_substitute(rows, net)
    for p in range(n):
        i = net.sorted[p]
        if not is_free(rows, known, i):
            continue
        rows.step[i] = net.right[p]
        if rows.left[i] >= 0:
            rows.taken[rows.left[i]] += rows.step[i]
            rows.taken[rows.right[i]] -= rows.step[i]
        else:
            push(rows, bodies, i, rows.step[i])


@kernel
def revise(rows: Rows, bodies: Bodies, known: Multipliers, size: float, patient: bool) -> bool:
    """Rows that went beyond a bound stay there, those that want to leave one do; whether any changed.

    Motors and friction come first while `patient`: as long as those change, what only pulls or only pushes is not let
    go. Else a rope that is to move a row of wheels with friction would go slack from one wheel to the next.
    """
    changed = revise_some(rows, bodies, known, size, True, True)
    return revise_some(rows, bodies, known, size, False, not (changed and patient)) or changed


@inline
def revise_some(rows: Rows, bodies: Bodies, known: Multipliers, size: float, both_ways: bool, lets_go: bool) -> bool:
    """Of the rows with two bounds, or of those with one."""
    changed = False
    for i in range(rows.used[0]):
        if rows.left[i] >= 0 or (rows.low[i] > -NO_BOUND and rows.high[i] < NO_BOUND) != both_ways:
            continue
        changed = revise_row(rows, bodies, known, i, 1e-13 * size, lets_go) or changed
    return changed


@inline
def revise_row(rows: Rows, bodies: Bodies, known: Multipliers, i: int, tiny: float, lets_go: bool) -> bool:
    """Whether the row changed."""
    o = rows.owner[i]
    before = known.state[o]
    known.state[o] = revised(rows, bodies, known, i, tiny, lets_go)
    return known.state[o] != before  # type: ignore[no-any-return]


@inline
def revised(rows: Rows, bodies: Bodies, known: Multipliers, i: int, tiny: float, lets_go: bool) -> int:
    """The state that a row should have by the solution found last."""
    o = rows.owner[i]
    state: int = known.state[o]
    if state == FREE:
        total = known.total[o] + rows.step[i]
        if lets_go and total < rows.low[i]:
            return LOW
        return HIGH if lets_go and total > rows.high[i] else FREE
    if state == IDLE:
        return HIGH if rows.value[i] + change(rows, bodies, i) > 0.0 else LOW
    bound = rows.low[i] if state == LOW else rows.high[i]
    wish = rows.value[i] + change(rows, bodies, i) - rows.alpha[i] * bound
    return FREE if (state == LOW and wish > tiny) or (state == HIGH and wish < -tiny) else state


@kernel
def mend_states(rows: Rows, known: Multipliers) -> None:
    """A stop that became one of the other side has no such bound any more."""
    for i in range(rows.used[0]):
        o = rows.owner[i]
        if known.state[o] == LOW and rows.low[i] <= -NO_BOUND:
            known.state[o] = HIGH if rows.high[i] < NO_BOUND else FREE
        elif known.state[o] == HIGH and rows.high[i] >= NO_BOUND:
            known.state[o] = LOW if rows.low[i] > -NO_BOUND else FREE


@kernel
def begin_anew(rows: Rows, known: Multipliers) -> None:
    """All pull and push; motors and friction do nothing at first, which shows what way they will have to act."""
    for i in range(rows.used[0]):
        both = rows.low[i] > -NO_BOUND and rows.high[i] < NO_BOUND
        known.state[rows.owner[i]] = IDLE if both and rows.left[i] < 0 else FREE


@kernel
def search(rows: Rows, bodies: Bodies, known: Multipliers, net: Network, size: float) -> bool:
    """Finds out which rows stay at their bounds; whether it did."""
    for k in range(MOST_SEARCHES):
        if not factorise(rows, known, net):
            return False
        solve_free(rows, bodies, known, net)
        if not revise(rows, bodies, known, size, k < PATIENCE):
            return True
    return False


@kernel
def search_surely(rows: Rows, bodies: Bodies, known: Multipliers, net: Network, size: float) -> bool:
    """The same without a circle (J. J. Júdice and F. M. Pires, 1994): all rows that are wrong change together as long
    as there are fewer of them before long; else the last one alone (K. G. Murty, 1974), until there are.
    """
    fewest, trials = rows.used[0] + 1, 0
    for _ in range(SEARCHES_FOR_ROW * rows.used[0]):
        if not factorise(rows, known, net):
            return False
        solve_free(rows, bodies, known, net)
        wrong, last = 0, -1
        for i in range(rows.used[0]):
            if rows.left[i] < 0 and revised(rows, bodies, known, i, 1e-13 * size, True) != known.state[rows.owner[i]]:
                wrong, last = wrong + 1, i
        if wrong == 0:
            return True
        trials += 1
        if wrong < fewest:
            fewest, trials = wrong, 0
        for i in range(0 if trials <= TRIALS else last, last + 1):
            if rows.left[i] < 0:
                revise_row(rows, bodies, known, i, 1e-13 * size, True)
    return False


@kernel
def solve_together(rows: Rows, bodies: Bodies, known: Multipliers, net: Network, size: float, surely: bool) -> int:
    """One solution of (4): multipliers, corrections and momenta. 0, or how much room it needs in `matrix`, or UNSETTLED
    where it was not found which rows stay at their bounds, in the end `surely`; then nothing is changed.
    """
    sort_rows(rows, bodies, net)
    room = lay_out(rows, bodies, net)
    if room > net.matrix.shape[0]:
        return room
    assemble(rows, bodies, net)
    mend_states(rows, known)
    settled = search(rows, bodies, known, net, size)
    if not settled:
        begin_anew(rows, known)
        settled = search(rows, bodies, known, net, size)
    if not settled and surely:
        settled = search_surely(rows, bodies, known, net, size)
    if not settled:
        return UNSETTLED
    for i in range(rows.used[0]):
        if rows.left[i] < 0:
            known.total[rows.owner[i]] += rows.step[i]
            known.last[rows.owner[i]] = known.total[rows.owner[i]]
            push_momentum(rows, bodies, i, rows.step[i])
    return 0


@kernel
def solve_in_turn(rows: Rows, bodies: Bodies, known: Multipliers, sweeps: int) -> None:
    """Row by row, as MCJM18 do (Gauss–Seidel), for comparison and as the last resort; nothing slips meanwhile."""
    clear_corrections(rows, bodies)
    for i in range(rows.used[0]):
        rows.step[i] = 0.0
    for _ in range(sweeps):
        for i in range(rows.used[0]):
            o = rows.owner[i]
            mobility = own_mobility(rows, bodies, i)
            if mobility == 0.0:  # it moves nothing, or is a slip
                continue
            weight = mobility + rows.alpha[i]
            wish = rows.value[i] + change(rows, bodies, i) - rows.alpha[i] * known.total[o]
            if rows.rubs_on[i] >= 0:
                rows.high[i] = rows.mu[i] * known.total[rows.rubs_on[i]]
                rows.low[i] = -rows.high[i]
            total = min(max(known.total[o] + wish / weight, rows.low[i]), rows.high[i])
            step = total - known.total[o]
            known.total[o] = total
            push(rows, bodies, i, step)
            push_momentum(rows, bodies, i, step)
    for i in range(rows.used[0]):
        total = known.total[rows.owner[i]]
        known.state[rows.owner[i]] = LOW if total <= rows.low[i] else HIGH if total >= rows.high[i] else FREE
