"""All changes of state that the start of the cable and its supports leave possible, six columns wide at every place.

At a place the changes of state are e = N y + b: N has six columns, y six numbers that are not known yet. Both are in
one array W (18, COLUMNS): rows of e, and below them a record [P p] of what has been done to the columns, by which
y(before) = P y(after) + p. Supports, jumps and segments are operations on those columns; after each segment the
columns are made such that six entries of e are the y themselves, so that none of them hides in another, however fast
they grow along the cable [certificate-error.md (4)–(7)].
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, cross
from lissom.kernels import lean_kernel as kernel
from lissom.rods.judge.flow import COLUMNS, FORCE, FREE, MOMENT, PARTICULAR, RECORD, ROWS, TURN, X

Array = NDArray[np.float64]

# What is held moves by less than this for every unit of the columns: it cannot move, and holding changes nothing.
RIGID = 1e-13
# Share of the largest pivot below which a direction has no stiffness: nothing there moves a point.
NEUTRAL = 1e-9


@kernel
def begin(W: Array) -> None:
    """Before the first point nothing is held, and neither force nor moment acts."""
    W[:, :] = 0.0
    for k in range(FREE):
        W[k, k] = 1.0
        W[RECORD + k, k] = 1.0


@kernel
def begin_record(W: Array) -> None:
    for r in range(FREE):
        for j in range(COLUMNS):
            W[RECORD + r, j] = 1.0 if r == j else 0.0


@kernel
def jump(W: Array, force: Vector, moment: Vector, turning: Vector) -> None:
    """δn⁺ = δn⁻ − force, δm⁺ = δm⁻ − moment − θ × turning: what is out of balance, and moments that turn along (5)."""
    for j in range(COLUMNS):
        change = cross((W[TURN, j], W[TURN + 1, j], W[TURN + 2, j]), turning)
        for r in range(3):
            W[MOMENT + r, j] -= change[r]
    for r in range(3):
        W[FORCE + r, PARTICULAR] -= force[r]
        W[MOMENT + r, PARTICULAR] -= moment[r]


@kernel
def hold(W: Array, row: int, direction: Vector) -> None:
    """direction·e[row:] = 0, by a reaction along it that is a new unknown, in the place of the one it decides (6)."""
    a, b, c = direction
    best, at = 0.0, -1
    for j in range(FREE):
        size = abs(a * W[row, j] + b * W[row + 1, j] + c * W[row + 2, j])
        if size > best:
            best, at = size, j
    if best < RIGID:
        return
    pivot = a * W[row, at] + b * W[row + 1, at] + c * W[row + 2, at]
    for j in range(FREE + 1):
        if j != at:
            share = (a * W[row, j] + b * W[row + 1, j] + c * W[row + 2, j]) / pivot
            for r in range(ROWS):
                W[r, j] -= share * W[r, at]
    for r in range(ROWS):
        W[r, at] = 0.0
    for r in range(3):
        W[row + FORCE + r, at] = direction[r]  # x ↔ n, θ ↔ m


@kernel
def normalise(W: Array) -> bool:
    """Makes six rows of e unit rows, the largest entries first (7).

    False where the columns depend on each other, or are no numbers.
    """
    taken = 0
    for k in range(FREE):
        best, at = 0.0, -1
        for r in range(RECORD):
            size = abs(W[r, k])
            if not size < math.inf:
                return False
            if size > best and not (taken >> r) & 1:
                best, at = size, r
        if best == 0.0:
            return False
        taken |= 1 << at
        factor = 1.0 / W[at, k]
        for r in range(ROWS):
            W[r, k] *= factor
        p0, p1, p2, p3 = W[at, 0], W[at, 1], W[at, 2], W[at, 3]
        p4, p5, p6 = W[at, 4], W[at, 5], W[at, 6]
        for r in range(ROWS):
            t = W[r, k]
            W[r, 0] -= t * p0
            W[r, 1] -= t * p1
            W[r, 2] -= t * p2
            W[r, 3] -= t * p3
            W[r, 4] -= t * p4
            W[r, 5] -= t * p5
            W[r, 6] -= t * p6
            W[r, k] = t
    return True


@kernel
def close(W: Array, y: Array) -> None:
    """The y for which neither force nor moment is left beyond the last point: full pivoting, in the rows of W.

    Directions without stiffness, such as the roll of a round cable that nothing holds, keep y = 0.
    """
    rows, columns = 0, 0
    largest = 0.0
    y[:] = 0.0
    order = (FORCE, FORCE + 1, FORCE + 2, MOMENT, MOMENT + 1, MOMENT + 2)
    for _ in range(FREE):
        best, at, to = 0.0, -1, -1
        for r in range(FREE):
            if (rows >> r) & 1:
                continue
            for j in range(FREE):
                size = abs(W[order[r], j])
                if size > best and not (columns >> j) & 1:
                    best, at, to = size, r, j
        largest = max(largest, best)
        if best <= NEUTRAL * largest:
            break
        rows |= 1 << at
        columns |= 1 << to
        pivot = order[at]
        for r in range(FREE):
            if r != at:
                share = W[order[r], to] / W[pivot, to]
                for j in range(COLUMNS):
                    W[order[r], j] -= share * W[pivot, j]
                W[order[r], to] = 0.0
    for j in range(FREE):
        if (columns >> j) & 1:
            for r in range(FREE):
                if (rows >> r) & 1 and W[order[r], j] != 0.0:
                    y[j] = -W[order[r], PARTICULAR] / W[order[r], j]


@kernel
def back(record: Array, k: int, y: Array, other: Array) -> None:
    """y ← P y + p."""
    for r in range(FREE):
        other[r] = record[k, r, PARTICULAR]
        for j in range(FREE):
            other[r] += record[k, r, j] * y[j]
    for r in range(FREE):
        y[r] = other[r]


@kernel
def distance(shape: Array, k: int, y: Array) -> float:
    """|δx| at node k."""
    total = 0.0
    for r in range(X, X + 3):
        d = shape[k, r, PARTICULAR]
        for j in range(FREE):
            d += shape[k, r, j] * y[j]
        total += d * d
    return math.sqrt(total)
