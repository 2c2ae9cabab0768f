"""Symmetric band matrices by rows of varying length: LDLᵀ without pivoting, inertia, solution.

GS07 solves H h = F by "a simple Gauss algorithm slightly modified for taking into account all the
zero-elements" of the strongly banded Hessian [GS07 §6.2]. The same here for the symmetric half: row i keeps
the columns first[i] … i, and elimination fills nothing outside them. Time and memory are linear in the rows.

Arrays (i: row)
    band[i, WIDTH−1−(i−j)]  the entry (i, j), j ≤ i: the diagonal is the last entry of each row
    lower                   L in the same layout (its unit diagonal is not stored)
    pivots[i]               D; their signs are those of the eigenvalues (Sylvester)
"""

import numpy as np
from numpy.typing import NDArray

from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# A point, a frame held at it, the frame of the segment after and the next point: twelve unknowns in a row.
WIDTH = 12
DIAGONAL = WIDTH - 1


@inline
def put(band: Array, i: int, j: int, value: float) -> None:
    """Adds to the entries (i, j) and (j, i); a negative number is a held component and has none."""
    if i >= 0 and j >= 0:
        if i >= j:
            band[i, DIAGONAL - i + j] += value
        else:
            band[j, DIAGONAL - j + i] += value


@kernel
def factor(band: Array, first: Indices, shift: float, metric: Array, tiny: float, lower: Array, pivots: Array) -> int:
    """Factors band + shift·diag(metric) = L·D·Lᵀ; returns the number of negative eigenvalues.

    A pivot smaller than `tiny` is replaced by it: a neutral direction then counts as positive.
    """
    negative = 0
    for i in range(len(pivots)):
        row = DIAGONAL - i  # entry (i, j) is at row + j
        d = band[i, DIAGONAL] + shift * metric[i]
        for j in range(first[i], i):
            other = DIAGONAL - j
            u = band[i, row + j]
            for k in range(max(first[i], first[j]), j):
                u -= lower[i, row + k] * lower[j, other + k]
            lower[i, row + j] = u  # L·D for now
        for j in range(first[i], i):
            u = lower[i, row + j]
            l = u / pivots[j]
            d -= u * l
            lower[i, row + j] = l
        if abs(d) < tiny:
            d = tiny
        if d < 0.0:
            negative += 1
        pivots[i] = d
    return negative


@kernel
def solve(lower: Array, pivots: Array, first: Indices, right: Array) -> None:
    """Replaces `right` by the solution of L·D·Lᵀ·x = right."""
    count = len(pivots)
    for i in range(count):
        row = DIAGONAL - i
        value = right[i]
        for j in range(first[i], i):
            value -= lower[i, row + j] * right[j]
        right[i] = value
    for i in range(count):
        right[i] /= pivots[i]
    for i in range(count - 1, -1, -1):
        row = DIAGONAL - i
        value = right[i]
        for j in range(first[i], i):
            right[j] -= lower[i, row + j] * value


@kernel
def curvature(band: Array, first: Indices, direction: Array) -> float:
    """dᵀ H d."""
    value = 0.0
    for i in range(len(direction)):
        row = DIAGONAL - i
        part = 0.5 * band[i, DIAGONAL] * direction[i]
        for j in range(first[i], i):
            part += band[i, row + j] * direction[j]
        value += 2.0 * part * direction[i]
    return value
