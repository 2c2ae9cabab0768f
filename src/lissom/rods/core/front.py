"""What travels along a cable as its nodes are eliminated.  [docs/theory/core.md §3]

The front at a node is a quadratic form in the turn φ of the node and the change u of the force in the segment before:

    ½ φ·Pφ + φ·Bu − ½ u·Su + p·φ + s·u                                                                              (2)

P is the stiffness against turning of all that was passed, S the flexibility of its end against forces. The place x of
a node is eliminated together with the force before it: x enters linearly, so that only u_before = u − r is left, with
the pivot [[0, 1], [1, ·]] of inertia (3, 3).
"""

from lissom.geometry.triples import (
    Matrix,
    Symmetric,
    Vector,
    add,
    apply,
    apply_transposed,
    matadd,
    matmul,
    matmul_at_b,
    rows_cross,
    scale,
    sub,
    symmetric_add,
    symmetric_apply,
    symmetric_times,
    transposed,
)
from lissom.kernels import inline
from lissom.rods.blocks import invert_pivot
from lissom.rods.core.model import Array

Front = tuple[Symmetric, Matrix, Symmetric, Vector, Vector]

NO_VECTOR: Vector = (0.0, 0.0, 0.0)
NO_SYMMETRIC: Symmetric = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
NO_MATRIX: Matrix = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inline
def upper(m: Matrix) -> Symmetric:
    """Of a matrix that is symmetric but for rounding."""
    return (m[0], 0.5 * (m[1] + m[3]), 0.5 * (m[2] + m[6]), m[4], 0.5 * (m[5] + m[7]), m[8])


@inline
def held_inverse(m: Symmetric, turns: Vector, shift: float, tiny: float) -> tuple[Symmetric, int]:
    """The inverse of m + shift where the node may turn, 0 elsewhere; and its negative pivots."""
    a, b, c = turns
    if a == 1.0 and b == 1.0 and c == 1.0:
        xx, xy, xz, yy, yz, zz, negative = invert_pivot(
            m[0] + shift, m[1], m[2], m[3] + shift, m[4], m[5] + shift, tiny
        )
        return (xx, xy, xz, yy, yz, zz), negative
    if a == 0.0 and b == 0.0 and c == 0.0:
        return NO_SYMMETRIC, 0
    xx, xy, xz, yy, yz, zz, negative = invert_pivot(
        a * (m[0] + shift) + 1.0 - a, a * b * m[1], a * c * m[2],
        b * (m[3] + shift) + 1.0 - b, b * c * m[4], c * (m[5] + shift) + 1.0 - c, tiny,
    )  # fmt: skip
    return (a * xx, a * b * xy, a * c * xz, b * yy, b * c * yz, c * zz), negative


@inline
def with_force(front: Front, r: Vector) -> Front:
    """u_before = u − r."""
    P, B, S, p, s = front
    return P, B, S, sub(p, apply(B, r)), add(s, symmetric_apply(S, r))


@inline
def with_axis_held(front: Front, axis: int, give: float, held: Array, row: int) -> tuple[Front, int]:
    """The node keeps its place along a world axis, but for `give` (m/N): u_before = u − r + e_axis q.

    Keeps b/d, c/d, y/d of q = −(y + b·φ − c·u)/d. A row of its own brings a negative pivot d; 1 where it does not.
    """
    P, B, S, p, s = front
    if axis == 0:
        b, c, y = (B[0], B[3], B[6]), (S[0], S[1], S[2]), s[0]
        d = -S[0] - give
    elif axis == 1:
        b, c, y = (B[1], B[4], B[7]), (S[1], S[3], S[4]), s[1]
        d = -S[3] - give
    else:
        b, c, y = (B[2], B[5], B[8]), (S[2], S[4], S[5]), s[2]
        d = -S[5] - give
    k = 1.0 / d
    bd, cd, yd = scale(k, b), scale(k, c), k * y
    for l in range(3):
        held[row, axis, l] = bd[l]
        held[row, axis, 3 + l] = cd[l]
    held[row, axis, 6] = yd
    P = (
        P[0] - b[0] * bd[0], P[1] - b[0] * bd[1], P[2] - b[0] * bd[2],
        P[3] - b[1] * bd[1], P[4] - b[1] * bd[2], P[5] - b[2] * bd[2],
    )  # fmt: skip
    B = (
        B[0] + b[0] * cd[0], B[1] + b[0] * cd[1], B[2] + b[0] * cd[2],
        B[3] + b[1] * cd[0], B[4] + b[1] * cd[1], B[5] + b[1] * cd[2],
        B[6] + b[2] * cd[0], B[7] + b[2] * cd[1], B[8] + b[2] * cd[2],
    )  # fmt: skip
    S = (
        S[0] + c[0] * cd[0], S[1] + c[0] * cd[1], S[2] + c[0] * cd[2],
        S[3] + c[1] * cd[1], S[4] + c[1] * cd[2], S[5] + c[2] * cd[2],
    )  # fmt: skip
    return (P, B, S, sub(p, scale(yd, b)), add(s, scale(yd, c))), int(d > 0.0)


@inline
def held_force(held: Array, row: int, axis: int, phi: Vector, u: Vector) -> float:
    """q of `with_axis_held`."""
    b = (held[row, axis, 0], held[row, axis, 1], held[row, axis, 2])
    c = (held[row, axis, 3], held[row, axis, 4], held[row, axis, 5])
    return -float(
        held[row, axis, 6] + b[0] * phi[0] + b[1] * phi[1] + b[2] * phi[2] - c[0] * u[0] - c[1] * u[1] - c[2] * u[2]
    )


@inline
def past_element(
    front: Front, e: Array, k: int, turns: Vector, shift: float, tiny: float, store: Array
) -> tuple[Front, int]:
    """Adds element k and eliminates the turn of the node before it; the front is in the next node then.

    Keeps A ab, A X, A y of φ = −A (y + ab φ_next + X u), A = (P + aa)⁻¹, X = B − caᵀ, y = p + ga.
    """
    P, B, S, p, s = front
    aa = (e[k, 0], e[k, 1], e[k, 2], e[k, 3], e[k, 4], e[k, 5])
    ab = (e[k, 6], e[k, 7], e[k, 8], e[k, 9], e[k, 10], e[k, 11], e[k, 12], e[k, 13], e[k, 14])
    bb = (e[k, 15], e[k, 16], e[k, 17], e[k, 18], e[k, 19], e[k, 20])
    cat = (e[k, 21], e[k, 24], e[k, 27], e[k, 22], e[k, 25], e[k, 28], e[k, 23], e[k, 26], e[k, 29])
    cbt = (e[k, 30], e[k, 33], e[k, 36], e[k, 31], e[k, 34], e[k, 37], e[k, 32], e[k, 35], e[k, 38])
    E = (e[k, 39], e[k, 40], e[k, 41], e[k, 42], e[k, 43], e[k, 44])
    A, negative = held_inverse(symmetric_add(P, aa), turns, shift, tiny)
    X = (
        B[0] - cat[0], B[1] - cat[1], B[2] - cat[2], B[3] - cat[3], B[4] - cat[4], B[5] - cat[5],
        B[6] - cat[6], B[7] - cat[7], B[8] - cat[8],
    )  # fmt: skip
    y = (p[0] + e[k, 45], p[1] + e[k, 46], p[2] + e[k, 47])
    Aab, AX, Ay = symmetric_times(A, ab), symmetric_times(A, X), symmetric_apply(A, y)
    for l in range(9):
        store[k, l] = Aab[l]
        store[k, 9 + l] = AX[l]
    for l in range(3):
        store[k, 18 + l] = Ay[l]
    d = symmetric_of(matmul_at_b(ab, Aab))
    P = (bb[0] - d[0], bb[1] - d[1], bb[2] - d[2], bb[3] - d[3], bb[4] - d[4], bb[5] - d[5])
    D = matmul_at_b(ab, AX)
    B = (
        -cbt[0] - D[0], -cbt[1] - D[1], -cbt[2] - D[2], -cbt[3] - D[3], -cbt[4] - D[4], -cbt[5] - D[5],
        -cbt[6] - D[6], -cbt[7] - D[7], -cbt[8] - D[8],
    )  # fmt: skip
    S = symmetric_add(symmetric_add(S, E), symmetric_of(matmul_at_b(X, AX)))
    p = sub((e[k, 48], e[k, 49], e[k, 50]), apply_transposed(ab, Ay))
    s = sub(add(s, (e[k, 51], e[k, 52], e[k, 53])), apply_transposed(X, Ay))
    return (P, B, S, p, s), negative


@inline
def symmetric_of(m: Matrix) -> Symmetric:
    """The upper half of a matrix that is symmetric."""
    return (m[0], m[1], m[2], m[4], m[5], m[8])


@inline
def turned_to(front: Front, Q: Matrix) -> Front:
    """In φ' with φ = Qᵀφ'."""
    P, B, S, p, s = front
    return symmetric_of(matmul(matmul(Q, full_of(P)), transposed(Q))), matmul(Q, B), S, apply(Q, p), s


@inline
def full_of(m: Symmetric) -> Matrix:
    return (m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5])


@inline
def with_lever(front: Front, offset: Vector, R: Matrix, sense: float) -> Front:
    """The force acts at an offset ρ (hub's axes) from where φ turns: B ± [ρ]× Rᵀ."""
    P, B, S, p, s = front
    lever = transposed(rows_cross(R, offset))  # (R [ρ]×)ᵀ = −[ρ]× Rᵀ
    return P, matadd(B, (
        -sense * lever[0], -sense * lever[1], -sense * lever[2], -sense * lever[3], -sense * lever[4],
        -sense * lever[5], -sense * lever[6], -sense * lever[7], -sense * lever[8],
    )), S, p, s  # fmt: skip


@inline
def rolled(front: Front, g1: float, g2: float, part: float) -> Front:
    """Where a seat holds the tangent, the frame turns with the hub first and rolls then: turns a and α e3 add up to
    a + α e3 + ½ a × α e3. With β = a3 + α that is worth ½ (β − a3)(g1 a2 − g2 a1) of the gradient g [core.md (9)].
    """
    P, B, S, p, s = front
    return (P[0], P[1], P[2] - part * g2, P[3], P[4] + part * g1, P[5]), B, S, p, s


@inline
def freed(front: Front, direction: int, shift: float, tiny: float, seat: Array, b: int, side: int) -> tuple[Front, int]:
    """Eliminates what of φ a seat does not hold: all where it holds no direction, the turn about d3 where the tangent.

    Keeps A P, A B, A p of that part, α = −(A P φ_held + A B u + A p).
    """
    P, B, S, p, s = front
    if direction == 2:
        return front, 0
    loose = (1.0, 1.0, 1.0) if direction == 0 else (0.0, 0.0, 1.0)
    held = (1.0 - loose[0], 1.0 - loose[1], 1.0 - loose[2])
    A, negative = held_inverse(P, loose, shift, tiny)
    F = full_of(P)
    F = (
        F[0] * held[0], F[1] * held[1], F[2] * held[2], F[3] * held[0], F[4] * held[1], F[5] * held[2],
        F[6] * held[0], F[7] * held[1], F[8] * held[2],
    )  # fmt: skip
    AF, AB, Ap = symmetric_times(A, F), symmetric_times(A, B), symmetric_apply(A, p)
    for l in range(9):
        seat[b, side, l] = AF[l]
        seat[b, side, 9 + l] = AB[l]
    for l in range(3):
        seat[b, side, 18 + l] = Ap[l]
    d = matmul_at_b(F, AF)
    P = (
        held[0] * P[0] - d[0], held[0] * held[1] * P[1] - d[1], held[0] * held[2] * P[2] - d[2],
        held[1] * P[3] - d[4], held[1] * held[2] * P[4] - d[5], held[2] * P[5] - d[8],
    )  # fmt: skip
    S = symmetric_add(S, symmetric_of(matmul_at_b(B, AB)))
    s = sub(s, apply_transposed(B, Ap))
    D = matmul_at_b(F, AB)
    B = (
        held[0] * B[0] - D[0], held[0] * B[1] - D[1], held[0] * B[2] - D[2],
        held[1] * B[3] - D[3], held[1] * B[4] - D[4], held[1] * B[5] - D[5],
        held[2] * B[6] - D[6], held[2] * B[7] - D[7], held[2] * B[8] - D[8],
    )  # fmt: skip
    f = apply_transposed(F, Ap)
    p = (held[0] * p[0] - f[0], held[1] * p[1] - f[1], held[2] * p[2] - f[2])
    return (P, B, S, p, s), negative


@inline
def loose_turn(seat: Array, b: int, side: int, phi: Vector, u: Vector) -> Vector:
    """α of `freed`."""
    AF = (
        seat[b, side, 0], seat[b, side, 1], seat[b, side, 2], seat[b, side, 3], seat[b, side, 4],
        seat[b, side, 5], seat[b, side, 6], seat[b, side, 7], seat[b, side, 8],
    )  # fmt: skip
    AB = (
        seat[b, side, 9], seat[b, side, 10], seat[b, side, 11], seat[b, side, 12], seat[b, side, 13],
        seat[b, side, 14], seat[b, side, 15], seat[b, side, 16], seat[b, side, 17],
    )  # fmt: skip
    Ap = (seat[b, side, 18], seat[b, side, 19], seat[b, side, 20])
    return scale(-1.0, add(add(apply(AF, phi), apply(AB, u)), Ap))


@inline
def joined(one: Front, other: Front, merged: Array, b: int) -> tuple[Front, int]:
    """Two fronts on one hub: u₁ = m − u₂, u₂ eliminated with the pivot −(S₁ + S₂).

    Keeps T = (S₁ + S₂)⁻¹, d = B₂ − B₁, S₁ and s₂ − s₁ of u₂ = T (dᵀφ + S₁ m + s₂ − s₁).
    """
    P1, B1, S1, p1, s1 = one
    P2, B2, S2, p2, s2 = other
    both = symmetric_add(S1, S2)
    xx, xy, xz, yy, yz, zz, negative = invert_pivot(both[0], both[1], both[2], both[3], both[4], both[5], 1e-300)
    T = (xx, xy, xz, yy, yz, zz)
    d = (
        B2[0] - B1[0], B2[1] - B1[1], B2[2] - B1[2], B2[3] - B1[3], B2[4] - B1[4], B2[5] - B1[5],
        B2[6] - B1[6], B2[7] - B1[7], B2[8] - B1[8],
    )  # fmt: skip
    ds = sub(s2, s1)
    dt = transposed(d)
    Td = symmetric_times(T, dt)
    TS = symmetric_times(T, full_of(S1))
    Tds = symmetric_apply(T, ds)
    for l in range(6):
        merged[b, l] = T[l]
        merged[b, 15 + l] = S1[l]
    for l in range(9):
        merged[b, 6 + l] = d[l]
    for l in range(3):
        merged[b, 21 + l] = ds[l]
    P = symmetric_add(symmetric_add(P1, P2), symmetric_of(matmul_at_b(dt, Td)))
    B = matadd(B1, matmul_at_b(dt, TS))
    S = upper(symmetric_times(S2, TS))  # the parallel sum, without cancellation
    return (P, B, S, add(add(p1, p2), apply_transposed(dt, Tds)), add(s1, symmetric_apply(S1, Tds))), negative


@inline
def put_front(front: Front, fronts: Array, hub: int) -> None:
    P, B, S, p, s = front
    for l in range(6):
        fronts[hub, l] = P[l]
        fronts[hub, 15 + l] = S[l]
    for l in range(9):
        fronts[hub, 6 + l] = B[l]
    for l in range(3):
        fronts[hub, 21 + l] = p[l]
        fronts[hub, 24 + l] = s[l]


@inline
def front_of(f: Array, i: int) -> Front:
    return (
        (f[i, 0], f[i, 1], f[i, 2], f[i, 3], f[i, 4], f[i, 5]),
        (f[i, 6], f[i, 7], f[i, 8], f[i, 9], f[i, 10], f[i, 11], f[i, 12], f[i, 13], f[i, 14]),
        (f[i, 15], f[i, 16], f[i, 17], f[i, 18], f[i, 19], f[i, 20]),
        (f[i, 21], f[i, 22], f[i, 23]),
        (f[i, 24], f[i, 25], f[i, 26]),
    )
