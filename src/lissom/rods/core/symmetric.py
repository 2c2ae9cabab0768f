"""Symmetric matrices that are not definite: factors, their inertia, and solutions [Bunch & Kaufman]."""

import math

from lissom.kernels import lean_kernel as kernel
from lissom.rods.core.model import Array, Indices

PIVOT = 0.6403882032022076  # (1 + √17)/8: bounds growth


@kernel
def factored(n: int, a: Array, pivot: Indices, line: Array) -> int:
    """Lower triangle of (n, n) a → L D Lᵀ with D of blocks of one and two; the number of negative eigenvalues.

    pivot[k] ≥ 0: a block of one, exchanged with that row; −1 − row, twice: a block of two, its second exchanged with
    that. `line` (n, 2): room.
    """
    negative, k = 0, 0
    while k < n:
        best, row = 0.0, k
        for i in range(k + 1, n):
            if abs(a[i, k]) > best:
                best, row = abs(a[i, k]), i
        here = abs(a[k, k])
        two, chosen = False, k
        if max(here, best) == 0.0:
            pivot[k] = k
            k += 1
            continue
        if here < PIVOT * best:
            other = 0.0
            for j in range(k, row):
                other = max(other, abs(a[row, j]))
            for i in range(row + 1, n):
                other = max(other, abs(a[i, row]))
            if here * other >= PIVOT * best * best:
                chosen = k
            elif abs(a[row, row]) >= PIVOT * other:
                chosen = row
            else:
                two, chosen = True, row
        at = k + 1 if two else k
        if chosen != at:
            exchanged(n, a, at, chosen)
        if not two:
            d = a[k, k]
            negative += int(d < 0.0)
            for i in range(k + 1, n):
                line[i, 0] = a[i, k]
            for i in range(k + 1, n):
                f = line[i, 0] / d
                if f != 0.0:
                    for j in range(k + 1, i + 1):
                        a[i, j] -= f * line[j, 0]
                a[i, k] = f
            pivot[k] = chosen
            k += 1
            continue
        d0, d1, d2 = a[k, k], a[k + 1, k], a[k + 1, k + 1]
        det = d0 * d2 - d1 * d1
        negative += 1 if det < 0.0 else (2 if d0 < 0.0 else 0)
        for i in range(k + 2, n):
            line[i, 0], line[i, 1] = a[i, k], a[i, k + 1]
        for i in range(k + 2, n):
            f = (d2 * line[i, 0] - d1 * line[i, 1]) / det
            g = (d0 * line[i, 1] - d1 * line[i, 0]) / det
            for j in range(k + 2, i + 1):
                a[i, j] -= f * line[j, 0] + g * line[j, 1]
            a[i, k], a[i, k + 1] = f, g
        pivot[k] = pivot[k + 1] = -1 - chosen
        k += 2
    return negative


@kernel
def exchanged(n: int, a: Array, k: int, p: int) -> None:
    """Rows and columns k < p of the lower triangle change places, with the rows of L before them."""
    for j in range(k):
        t = a[k, j]
        a[k, j] = a[p, j]
        a[p, j] = t
    t = a[k, k]
    a[k, k] = a[p, p]
    a[p, p] = t
    for j in range(k + 1, p):
        t = a[j, k]
        a[j, k] = a[p, j]
        a[p, j] = t
    for i in range(p + 1, n):
        t = a[i, k]
        a[i, k] = a[i, p]
        a[i, p] = t


@kernel
def solved(n: int, a: Array, pivot: Indices, b: Array) -> bool:
    """b ← solution, with what `factored` left; False where the matrix is singular."""
    k = 0
    while k < n:  # rows of L before a block were exchanged with it: all exchanges come first
        chosen = pivot[k] if pivot[k] >= 0 else -1 - pivot[k]
        at = k if pivot[k] >= 0 else k + 1
        t = b[at]
        b[at] = b[chosen]
        b[chosen] = t
        k += 1 if pivot[k] >= 0 else 2
    k = 0
    while k < n:
        size = 1 if pivot[k] >= 0 else 2
        for i in range(k + size, n):
            for j in range(k, k + size):
                b[i] -= a[i, j] * b[j]
        k += size
    k = 0
    while k < n:
        if pivot[k] >= 0:
            if a[k, k] == 0.0:
                return False
            b[k] /= a[k, k]
            k += 1
            continue
        d0, d1, d2 = a[k, k], a[k + 1, k], a[k + 1, k + 1]
        det = d0 * d2 - d1 * d1
        x, y = b[k], b[k + 1]
        b[k], b[k + 1] = (d2 * x - d1 * y) / det, (d0 * y - d1 * x) / det
        k += 2
    k = n - 1
    while k >= 0:
        size = 1 if pivot[k] >= 0 else 2
        for j in range(k - size + 1, k + 1):
            for i in range(k + 1, n):
                b[j] -= a[i, j] * b[i]
        k -= size
    k = n - 1
    while k >= 0:
        chosen = pivot[k] if pivot[k] >= 0 else -1 - pivot[k]
        t = b[k]
        b[k] = b[chosen]
        b[chosen] = t
        k -= 1 if pivot[k] >= 0 else 2
    return n == 0 or math.isfinite(b[0])
