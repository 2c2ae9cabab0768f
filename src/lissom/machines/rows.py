"""Rows: everything that holds bodies, as scalar constraints of one form [docs/theory/machines.md §2].

A row has a value C, which λ ≥ 0 lowers: bodies a and b move by −M⁻¹ Jᵀ λ with the gradient (−line, turn_a, line,
turn_b). A row of slip (11) has no bodies but two other rows, those of the spans on both sides.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, dot
from lissom.kernels import inline
from lissom.machines.bodies import Bodies, add3, freed, row3

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

NO_BOUND = 1e300  # small functions may assume finite numbers, so it is one

FREE, LOW, HIGH, IDLE = 0, 1, 2, 3  # a row is solved, stays at a bound, or is not asked yet


class Rows(NamedTuple):
    """Workspace of one substep, filled anew at every evaluation. `owner` says whose row it is in `Multipliers`."""

    used: Indices  # (1,) how many
    a: Indices  # (m,) bodies
    b: Indices
    line: Array  # (m, 3)
    turn_a: Array  # (m, 3)
    turn_b: Array  # (m, 3)
    value: Array  # (m,) C; of a slip row −F h²
    alpha: Array  # (m,) compliance / h²
    low: Array  # (m,) bounds of λ
    high: Array
    owner: Indices  # (m,)
    left: Indices  # (m,) rows of the spans before and after a slip row, else −1
    right: Indices
    rubs_on: Indices  # (m,) owner of the row whose λ times `mu` bounds this one, else −1
    mu: Array  # (m,)
    step: Array  # (m,) Δλ, or u of a slip row
    taken: Array  # (m,) what slips take from a span (u) in this step


class Multipliers(NamedTuple):
    """What rows remember, by owner."""

    total: Array  # (owners,) λ of this substep, N s²
    last: Array  # (owners,) λ of the last solution of all rows together, also that of the substep before
    state: Indices  # (owners,) FREE, LOW or HIGH: where the next search begins


def empty_rows(m: int) -> Rows:
    def zeros(*shape: int) -> Array:
        return np.zeros(shape)

    def whole() -> Indices:
        return np.zeros(m, dtype=np.int64)

    return Rows(
        np.zeros(1, dtype=np.int64), whole(), whole(), zeros(m, 3), zeros(m, 3), zeros(m, 3), zeros(m), zeros(m),
        zeros(m), zeros(m), whole(), whole(), whole(), whole(), zeros(m), zeros(m), zeros(m),
    )  # fmt: skip


@inline
def add_row(
    rows: Rows,
    owner: int,
    a: int,
    b: int,
    line: Vector,
    turn_a: Vector,
    turn_b: Vector,
    value: float,
    alpha: float,
    low: float,
    high: float,
) -> int:
    """Its number."""
    i = rows.used[0]
    rows.used[0] = i + 1
    rows.owner[i] = owner
    rows.a[i] = a
    rows.b[i] = b
    for k in range(3):
        rows.line[i, k] = line[k]
        rows.turn_a[i, k] = turn_a[k]
        rows.turn_b[i, k] = turn_b[k]
    rows.value[i] = value
    rows.alpha[i] = alpha
    rows.low[i] = low
    rows.high[i] = high
    rows.left[i] = -1
    rows.right[i] = -1
    rows.rubs_on[i] = -1
    return i  # type: ignore[no-any-return]


@inline
def add_slip(rows: Rows, owner: int, left: int, right: int, value: float, drag: float) -> int:
    """λ of `left` − λ of `right` = −value; u moves from the left span into the right one.

    A little `drag` (kg) against u decides between slips that would do the same, where the spans beyond are slack.
    """
    none = (0.0, 0.0, 0.0)
    i = add_row(rows, owner, 0, 0, none, none, none, value, -drag, -NO_BOUND, NO_BOUND)
    rows.left[i] = left
    rows.right[i] = right
    return i


@inline
def along(rows: Rows, i: int, movable: Indices, shift: Array, spin: Array) -> float:
    """J_i times a motion of the bodies."""
    a, b = rows.a[i], rows.b[i]
    line = row3(rows.line, i)
    found = 0.0
    if movable[a] == 1:
        found += dot(row3(rows.turn_a, i), row3(spin, a)) - dot(line, row3(shift, a))
    if movable[b] == 1:
        found += dot(row3(rows.turn_b, i), row3(spin, b)) + dot(line, row3(shift, b))
    return found


@inline
def change(rows: Rows, bodies: Bodies, i: int) -> float:
    """J_i times the corrections that bodies have so far, less what slip takes."""
    found: float = rows.taken[i] + along(rows, i, bodies.movable, bodies.shift, bodies.spin)
    return found


@inline
def push(rows: Rows, bodies: Bodies, i: int, step: float) -> None:
    """Corrections −M⁻¹ Jᵀ Δλ of one row (2)."""
    a, b = rows.a[i], rows.b[i]
    line = row3(rows.line, i)
    if bodies.movable[a] == 1:
        add3(bodies.shift, a, step * bodies.inverse_mass[a], line)
        add3(bodies.spin, a, -step, freed(bodies, a, row3(rows.turn_a, i)))
    if bodies.movable[b] == 1:
        add3(bodies.shift, b, -step * bodies.inverse_mass[b], line)
        add3(bodies.spin, b, -step, freed(bodies, b, row3(rows.turn_b, i)))


@inline
def push_momentum(rows: Rows, bodies: Bodies, i: int, step: float) -> None:
    """Angular impulses of one row, for (3)."""
    add3(bodies.twist, rows.a[i], -step, row3(rows.turn_a, i))
    add3(bodies.twist, rows.b[i], -step, row3(rows.turn_b, i))


@inline
def own_mobility(rows: Rows, bodies: Bodies, i: int) -> float:
    """A_ii."""
    a, b = rows.a[i], rows.b[i]
    square = dot(row3(rows.line, i), row3(rows.line, i))
    ta, tb = row3(rows.turn_a, i), row3(rows.turn_b, i)
    found = 0.0
    if bodies.movable[a] == 1:
        found += bodies.inverse_mass[a] * square + dot(ta, freed(bodies, a, ta))
    if bodies.movable[b] == 1:
        found += bodies.inverse_mass[b] * square + dot(tb, freed(bodies, b, tb))
    return found
