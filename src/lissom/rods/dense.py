"""Small dense systems of the border: solution, and the inertia of a symmetric matrix."""

import numpy as np
from numpy.typing import NDArray

from lissom.kernels import lean_kernel as kernel

Array = NDArray[np.float64]

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


def negatives(matrix: Array) -> int:
    """Number of negative eigenvalues."""
    if not len(matrix):
        return 0
    scale = 1.0 / np.sqrt(np.maximum(np.abs(np.diag(matrix)), 1e-300))
    found: int = symmetric_inertia(len(matrix), matrix * scale[:, None] * scale, np.empty_like(matrix))
    return found


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
