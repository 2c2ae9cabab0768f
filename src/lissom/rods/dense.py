"""Small dense systems of the border: solution, and the inertia of a symmetric matrix."""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.kernels import kernel as allocating
from lissom.kernels import lean_kernel as kernel

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Systems of more rows than this are left to LAPACK: for fewer, to call it takes longer than to solve them.
LARGE = 64

# Bunch & Parlett's constant (1 + √17)/8: below it a 2×2 pivot bounds the growth better than a 1×1 one.
PIVOT_RATIO = 0.6403882032022076


@kernel
def symmetric_inertia(size: int, matrix: Array, work: Array) -> int:
    """Number of negative eigenvalues, by Bunch–Parlett elimination with complete pivoting in `work`."""
    for i in range(size):
        for j in range(size):
            work[i, j] = matrix[i, j]
    negative = 0
    k = 0
    while k < size:
        best = -1.0
        p = k
        off = -1.0
        r = k
        s = k
        for i in range(k, size):
            if abs(work[i, i]) > best:
                best = abs(work[i, i])
                p = i
            for j in range(k, i):
                if abs(work[i, j]) > off:
                    off = abs(work[i, j])
                    r = i
                    s = j
        if best <= 0.0 and off <= 0.0:
            break  # the rest is exactly zero
        if best >= PIVOT_RATIO * off:
            _swap(size, work, k, p)
            d = work[k, k]
            if d < 0.0:
                negative += 1
            for i in range(k + 1, size):
                f = work[i, k] / d
                for j in range(k + 1, size):
                    work[i, j] -= f * work[k, j]
            k += 1
        else:
            _swap(size, work, k, s)
            _swap(size, work, k + 1, r)
            a = work[k, k]
            b = work[k + 1, k]
            c = work[k + 1, k + 1]
            negative += 1  # a 2×2 pivot chosen so is indefinite
            det = a * c - b * b
            for i in range(k + 2, size):
                f = (work[i, k] * c - work[i, k + 1] * b) / det
                g = (work[i, k + 1] * a - work[i, k] * b) / det
                for j in range(k + 2, size):
                    work[i, j] -= f * work[k, j] + g * work[k + 1, j]
            k += 2
    return negative


@kernel
def _swap(size: int, work: Array, a: int, b: int) -> None:
    if a == b:
        return
    for j in range(size):
        t = work[a, j]
        work[a, j] = work[b, j]
        work[b, j] = t
    for i in range(size):
        t = work[i, a]
        work[i, a] = work[i, b]
        work[i, b] = t


@allocating
def negatives(matrix: Array, chosen: Flags) -> int:
    """Number of negative eigenvalues of the rows and columns chosen, scaled to a diagonal of ±1."""
    size = 0
    order = np.empty(len(matrix), np.int64)
    for i in range(len(matrix)):
        if chosen[i]:
            order[size] = i
            size += 1
    scale, work = np.empty(size), np.empty((size, size))
    for i in range(size):
        scale[i] = 1.0 / math.sqrt(max(abs(matrix[order[i], order[i]]), 1e-300))
    for i in range(size):
        for j in range(size):
            work[i, j] = matrix[order[i], order[j]] * scale[i] * scale[j]
    return symmetric_inertia(size, work, work)


@kernel
def largest(values: Array) -> float:
    """The largest |value| of (n, m); 0 of none, NaN where one is."""
    most = 0.0
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            size = abs(values[i, j])
            if size > most or size != size:
                most = size
    return most


def solved(matrix: Array, right: Array) -> Array | None:
    """x with matrix·x = right (n, m); None where the matrix is singular."""
    if len(matrix) > LARGE:
        try:
            return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
        except np.linalg.LinAlgError:
            return None
    x = right.copy()
    return x if eliminate(matrix.copy(), x) else None


@kernel
def eliminate(matrix: Array, right: Array) -> bool:
    """Solves matrix·x = right (n, m) by Gaussian elimination with partial pivoting; both are overwritten."""
    size, sides = right.shape
    for k in range(size):
        p = k
        for i in range(k + 1, size):
            if abs(matrix[i, k]) > abs(matrix[p, k]):
                p = i
        if matrix[p, k] == 0.0:
            return False
        if p != k:
            for j in range(k, size):
                matrix[k, j], matrix[p, j] = matrix[p, j], matrix[k, j]
            for j in range(sides):
                right[k, j], right[p, j] = right[p, j], right[k, j]
        for i in range(k + 1, size):
            f = matrix[i, k] / matrix[k, k]
            if f != 0.0:
                for j in range(k + 1, size):
                    matrix[i, j] -= f * matrix[k, j]
                for j in range(sides):
                    right[i, j] -= f * right[k, j]
    for k in range(size - 1, -1, -1):
        for i in range(k + 1, size):
            f = matrix[k, i]
            for j in range(sides):
                right[k, j] -= f * right[i, j]
        for j in range(sides):
            right[k, j] /= matrix[k, k]
    return True


@kernel
def solve(size: int, matrix: Array, right: Array, work: Array) -> bool:
    """Solves matrix·x = right by Gaussian elimination with partial pivoting; x replaces `right`."""
    for i in range(size):
        for j in range(size):
            work[i, j] = matrix[i, j]
    for k in range(size):
        p = k
        for i in range(k + 1, size):
            if abs(work[i, k]) > abs(work[p, k]):
                p = i
        if work[p, k] == 0.0:
            return False
        if p != k:
            for j in range(size):
                t = work[k, j]
                work[k, j] = work[p, j]
                work[p, j] = t
            t = right[k]
            right[k] = right[p]
            right[p] = t
        for i in range(k + 1, size):
            f = work[i, k] / work[k, k]
            if f != 0.0:
                for j in range(k, size):
                    work[i, j] -= f * work[k, j]
                right[i] -= f * right[k]
    for k in range(size - 1, -1, -1):
        for j in range(k + 1, size):
            right[k] -= work[k, j] * right[j]
        right[k] /= work[k, k]
    return True
