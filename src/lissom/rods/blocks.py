"""Block-tridiagonal matrices of 3×3 blocks with a border: factorisation, inertia and solution.

The Newton system of a rod is

    [ K   −Aᵀ ] [dφ]   [−g]          K: one 3×3 block per frame and one per neighbouring pair
    [ A    E  ] [dν] = [−c]          A: the closure rows, E: what the closure gains from the multipliers

Block elimination without pivoting gives K = L·diag(P)·Lᵀ with 3×3 pivots P; its negative eigenvalues are the
negative scalar pivots (Sylvester). The small dense S = A K⁻¹ Aᵀ + E then gives dν. Time and memory are linear in
the number of frames; nothing is allocated.

Arrays (i: frame, j: border column, last column: right-hand side)
    diagonal[i, 6]    symmetric blocks of K        upper[i, 9]    blocks (i, i+1)
    columns[i, j, 3]  Aᵀ                           inverse[i, 6]  P⁻¹
    ratio[i, 9]       P⁻¹·upper                    solved[i, j, 3] P⁻¹ L⁻¹ columns
"""

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Matrix
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@inline
def nine(a: Array, i: int) -> Matrix:
    return (a[i, 0], a[i, 1], a[i, 2], a[i, 3], a[i, 4], a[i, 5], a[i, 6], a[i, 7], a[i, 8])


@inline
def invert_pivot(
    xx: float, xy: float, xz: float, yy: float, yz: float, zz: float, tiny: float
) -> tuple[float, float, float, float, float, float, int]:
    """Inverse of a symmetric 3×3 block by LDLᵀ, and its number of negative eigenvalues.

    A pivot smaller than `tiny` is replaced by it: a neutral direction then counts as positive.
    """
    negative = 0
    d0 = xx
    if abs(d0) < tiny:
        d0 = tiny
    if d0 < 0.0:
        negative += 1
    l10 = xy / d0
    l20 = xz / d0
    d1 = yy - l10 * xy
    if abs(d1) < tiny:
        d1 = tiny
    if d1 < 0.0:
        negative += 1
    m = yz - l10 * xz
    l21 = m / d1
    d2 = zz - l20 * xz - l21 * m
    if abs(d2) < tiny:
        d2 = tiny
    if d2 < 0.0:
        negative += 1
    # inverse = L⁻ᵀ D⁻¹ L⁻¹, L⁻¹ = [[1,0,0],[−l10,1,0],[l10 l21 − l20, −l21, 1]]
    k = l10 * l21 - l20
    i0 = 1.0 / d0
    i1 = 1.0 / d1
    i2 = 1.0 / d2
    return (
        i0 + l10 * l10 * i1 + k * k * i2,
        -l10 * i1 - k * l21 * i2,
        k * i2,
        i1 + l21 * l21 * i2,
        -l21 * i2,
        i2,
        negative,
    )


@kernel
def factor(
    count: int,
    width: int,
    first: Indices,
    shift: float,
    tiny: float,
    diagonal: Array,
    upper: Array,
    columns: Array,
    mask: Array,
    inverse: Array,
    ratio: Array,
    solved: Array,
    carried: Array,
    schur: Array,
) -> int:
    """Factors K + shift·I; fills `schur[j, k]` = column j · K⁻¹ · column k. Returns n₋(K + shift·I).

    Column `width` is the right-hand side. Column j is zero before frame first[j], so it is skipped there.
    """
    negative = 0
    total = width + 1
    for j in range(total):
        for k in range(total):
            schur[j, k] = 0.0
        for k in range(3):
            carried[j, k] = 0.0
    u = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # P⁻¹·upper of the frame before
    for i in range(count):
        d0 = diagonal[i, 0] + shift * mask[i, 0]
        d1 = diagonal[i, 1]
        d2 = diagonal[i, 2]
        d3 = diagonal[i, 3] + shift * mask[i, 1]
        d4 = diagonal[i, 4]
        d5 = diagonal[i, 5] + shift * mask[i, 2]
        if i > 0:
            o = nine(upper, i - 1)
            d0 -= o[0] * u[0] + o[3] * u[3] + o[6] * u[6]
            d1 -= o[0] * u[1] + o[3] * u[4] + o[6] * u[7]
            d2 -= o[0] * u[2] + o[3] * u[5] + o[6] * u[8]
            d3 -= o[1] * u[1] + o[4] * u[4] + o[7] * u[7]
            d4 -= o[1] * u[2] + o[4] * u[5] + o[7] * u[8]
            d5 -= o[2] * u[2] + o[5] * u[5] + o[8] * u[8]
        p0, p1, p2, p3, p4, p5, below = invert_pivot(d0, d1, d2, d3, d4, d5, tiny)
        negative += below
        inverse[i, 0] = p0
        inverse[i, 1] = p1
        inverse[i, 2] = p2
        inverse[i, 3] = p3
        inverse[i, 4] = p4
        inverse[i, 5] = p5
        for j in range(total):
            if j < width and i < first[j]:
                continue
            z0 = columns[i, j, 0]
            z1 = columns[i, j, 1]
            z2 = columns[i, j, 2]
            if i > 0:
                v0 = carried[j, 0]
                v1 = carried[j, 1]
                v2 = carried[j, 2]
                z0 -= u[0] * v0 + u[3] * v1 + u[6] * v2
                z1 -= u[1] * v0 + u[4] * v1 + u[7] * v2
                z2 -= u[2] * v0 + u[5] * v1 + u[8] * v2
            carried[j, 0] = z0
            carried[j, 1] = z1
            carried[j, 2] = z2
            solved[i, j, 0] = p0 * z0 + p1 * z1 + p2 * z2
            solved[i, j, 1] = p1 * z0 + p3 * z1 + p4 * z2
            solved[i, j, 2] = p2 * z0 + p4 * z1 + p5 * z2
            for k in range(j + 1):
                if k < width and i < first[k]:
                    continue
                schur[j, k] += z0 * solved[i, k, 0] + z1 * solved[i, k, 1] + z2 * solved[i, k, 2]
        if i + 1 < count:
            for k in range(3):
                a = upper[i, k]
                b = upper[i, 3 + k]
                c = upper[i, 6 + k]
                ratio[i, k] = p0 * a + p1 * b + p2 * c
                ratio[i, 3 + k] = p1 * a + p3 * b + p4 * c
                ratio[i, 6 + k] = p2 * a + p4 * b + p5 * c
            u = nine(ratio, i)
    for j in range(total):
        for k in range(j):
            schur[k, j] = schur[j, k]
    return negative


@kernel
def back_substitute(
    count: int, width: int, first: Indices, weights: Array, ratio: Array, solved: Array, step: Array
) -> None:
    """step = K⁻¹ (right-hand side + Σ weights[j]·column j), from what `factor` left in `solved`."""
    x0 = 0.0
    x1 = 0.0
    x2 = 0.0
    for i in range(count - 1, -1, -1):
        w0 = solved[i, width, 0]
        w1 = solved[i, width, 1]
        w2 = solved[i, width, 2]
        for j in range(width):
            if i >= first[j]:
                w0 += weights[j] * solved[i, j, 0]
                w1 += weights[j] * solved[i, j, 1]
                w2 += weights[j] * solved[i, j, 2]
        if i + 1 < count:
            u = nine(ratio, i)
            y0 = w0 - (u[0] * x0 + u[1] * x1 + u[2] * x2)
            y1 = w1 - (u[3] * x0 + u[4] * x1 + u[5] * x2)
            y2 = w2 - (u[6] * x0 + u[7] * x1 + u[8] * x2)
            x0 = y0
            x1 = y1
            x2 = y2
        else:
            x0 = w0
            x1 = w1
            x2 = w2
        step[i, 0] = x0
        step[i, 1] = x1
        step[i, 2] = x2


@kernel
def new_right_side(
    count: int,
    width: int,
    first: Indices,
    inverse: Array,
    ratio: Array,
    columns: Array,
    solved: Array,
    schur: Array,
) -> None:
    """Forward substitution of column `width` alone, with the factors at hand; renews its entries of `schur`."""
    v0 = 0.0
    v1 = 0.0
    v2 = 0.0
    for j in range(width):
        schur[width, j] = 0.0
    for i in range(count):
        z0 = columns[i, width, 0]
        z1 = columns[i, width, 1]
        z2 = columns[i, width, 2]
        if i > 0:
            u = nine(ratio, i - 1)
            z0 -= u[0] * v0 + u[3] * v1 + u[6] * v2
            z1 -= u[1] * v0 + u[4] * v1 + u[7] * v2
            z2 -= u[2] * v0 + u[5] * v1 + u[8] * v2
        p = (inverse[i, 0], inverse[i, 1], inverse[i, 2], inverse[i, 3], inverse[i, 4], inverse[i, 5])
        solved[i, width, 0] = p[0] * z0 + p[1] * z1 + p[2] * z2
        solved[i, width, 1] = p[1] * z0 + p[3] * z1 + p[4] * z2
        solved[i, width, 2] = p[2] * z0 + p[4] * z1 + p[5] * z2
        for j in range(width):
            if i >= first[j]:
                schur[width, j] += z0 * solved[i, j, 0] + z1 * solved[i, j, 1] + z2 * solved[i, j, 2]
        v0 = z0
        v1 = z1
        v2 = z2
    for j in range(width):
        schur[j, width] = schur[width, j]
