"""The continuous equations over one piece of a cable: integrated with sixth order, and linearised about that path.

    x' = (1 + T/EA) d3,   R' = R [ω]×,   ω = ω₀ + D⁻¹Rᵀm,   n' = −f,   m' = −x' × n              [rods.md (1)–(3)]

A small change e = (δx, θ, δn, δm) of a state turns its frame by the world vector θ, R ← e^θ R; with C = R D⁻¹ Rᵀ,

    θ' = C (δm + m × θ),   δx' = X θ + Y δn,   δn' = 0,   δm' = n × δx' − x' × δn           [certificate-error.md (2)]
    X = −[x']× + d3 (d3 × n)ᵀ/EA,   Y = d3 d3ᵀ/EA

Eight columns of such changes are carried at once: six that span what is possible, one that holds the defects, and one
of zeros, so that rows are whole vectors of the machine. A rope has no frame: x' = (1/|n| + 1/EA) n.

Everything is without unit: lengths in L, forces in a unit F, moments in F L.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import (
    Matrix,
    Quaternion,
    Vector,
    apply_transposed,
    columns_scaled,
    cross,
    cross_columns,
    dot,
    matadd,
    matmul,
    matscale,
    normalized,
    outer,
    quaternion_product,
    rotation,
    rows_cross,
    scale,
    skew,
    sub,
    transposed,
)
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel

Array = NDArray[np.float64]

COLUMNS = 8  # six free ones, the particular one, one of zeros
FREE = 6
PARTICULAR = 6
# Rows of e, and of the record of column operations below it.
X, TURN, FORCE, MOMENT, RECORD = 0, 3, 6, 9, 12
ROWS = 18
# Columns of what is constant on a piece (segment): length, 1/D, rest strain at its start, its slope, weight, 1/EA.
H, FLEXIBILITY, REST, SLOPE, WEIGHT, COMPLIANCE = 0, 1, 4, 7, 10, 13
SEGMENT = 14
# Butcher's sixth-order rule of seven stages (1964).
NODES = np.array([0.0, 1 / 3, 2 / 3, 1 / 3, 1 / 2, 1 / 2, 1.0])
STAGES = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [1 / 3, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 2 / 3, 0.0, 0.0, 0.0, 0.0],
        [1 / 12, 1 / 3, -1 / 12, 0.0, 0.0, 0.0],
        [-1 / 16, 9 / 8, -3 / 16, -3 / 8, 0.0, 0.0],
        [0.0, 9 / 8, -3 / 8, -3 / 4, 1 / 2, 0.0],
        [9 / 44, -9 / 11, 63 / 44, 18 / 11, 0.0, -16 / 11],
    ]
)
WEIGHTS = np.array([11 / 120, 0.0, 27 / 40, 27 / 40, -4 / 15, -4 / 15, 11 / 120])
# Gauss's rule of six points on [0, 1], for ropes.
SLACK = 1e-12  # pull on a rope below which it has none, in units of the force
GAUSS_AT, GAUSS_WEIGHT = np.polynomial.legendre.leggauss(6)
GAUSS_AT, GAUSS_WEIGHT = 0.5 * (GAUSS_AT + 1.0), 0.5 * GAUSS_WEIGHT


class Scratch(NamedTuple):
    """What one piece needs for a while."""

    slopes: Array  # (8, 10) slopes of (q, m, x) at the stages and at the end
    stage: Array  # (3, 16) states (x, q, n, m and three unused) at the start, in the middle and at the end
    linear: Array  # (3, 54) matrices of the linearised equations at those places
    rates: Array  # (4, 9, COLUMNS) slopes of (δx, θ, δm)
    trial: Array  # (6, COLUMNS) (θ, δm) at a stage


def scratch() -> Scratch:
    return Scratch(
        np.zeros((8, 10)), np.zeros((3, 16)), np.zeros((3, 54)), np.zeros((4, 9, COLUMNS)), np.zeros((6, COLUMNS))
    )


@inline
def three(a: Array, i: int, k: int) -> Vector:
    return (a[i, k], a[i, k + 1], a[i, k + 2])


@inline
def force_at(n: Vector, f: Vector, s: float) -> Vector:
    """n' = −f."""
    return (n[0] - s * f[0], n[1] - s * f[1], n[2] - s * f[2])


@inline
def strain(R: Matrix, m: Vector, segment: Array, i: int, s: float) -> Vector:
    """ω = ω₀ + D⁻¹ Rᵀ m, s after the start of segment i."""
    M = apply_transposed(R, m)
    return (
        segment[i, REST] + s * segment[i, SLOPE] + segment[i, FLEXIBILITY] * M[0],
        segment[i, REST + 1] + s * segment[i, SLOPE + 1] + segment[i, FLEXIBILITY + 1] * M[1],
        segment[i, REST + 2] + s * segment[i, SLOPE + 2] + segment[i, FLEXIBILITY + 2] * M[2],
    )


@inline
def advance_rate(R: Matrix, n: Vector, compliance: float) -> Vector:
    """x' = (1 + T/EA) d3."""
    d3 = (R[2], R[5], R[8])
    return scale(1.0 + compliance * dot(n, d3), d3)


@kernel
def integrate(segment: Array, i: int, work: Scratch) -> None:
    """From the state work.stage[0] over segment i: fills the middle and the end of work.stage."""
    stage, k = work.stage, work.slopes
    h = segment[i, H]
    f = three(segment, i, WEIGHT)
    x0, n0, m0 = three(stage, 0, 0), three(stage, 0, 7), three(stage, 0, 10)
    q0 = (stage[0, 3], stage[0, 4], stage[0, 5], stage[0, 6])
    for r in range(8):
        y0, y1, y2, y3, y4, y5, y6, y7, y8, y9 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for c in range(min(r, 7)):
            a = h * (STAGES[r, c] if r < 7 else WEIGHTS[c])
            y0 += a * k[c, 0]
            y1 += a * k[c, 1]
            y2 += a * k[c, 2]
            y3 += a * k[c, 3]
            y4 += a * k[c, 4]
            y5 += a * k[c, 5]
            y6 += a * k[c, 6]
            y7 += a * k[c, 7]
            y8 += a * k[c, 8]
            y9 += a * k[c, 9]
        q = (q0[0] + y0, q0[1] + y1, q0[2] + y2, q0[3] + y3)
        m = (m0[0] + y4, m0[1] + y5, m0[2] + y6)
        s = h * (NODES[r] if r < 7 else 1.0)
        n = force_at(n0, f, s)
        if r == 7:
            q = normalized(q)
            keep(stage, 2, (x0[0] + y7, x0[1] + y8, x0[2] + y9), q, n, m)
        R = rotation(q)
        w = strain(R, m, segment, i, s)
        v = advance_rate(R, n, segment[i, COMPLIANCE])
        dm = cross(n, v)
        dq = quaternion_product(q, (0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]))
        k[r, 0], k[r, 1], k[r, 2], k[r, 3] = dq
        k[r, 4], k[r, 5], k[r, 6] = dm
        k[r, 7], k[r, 8], k[r, 9] = v
    middle(stage, k, h, force_at(n0, f, 0.5 * h))


@inline
def middle(stage: Array, k: Array, h: float, n: Vector) -> None:
    """The state half way, by cubics through the states and slopes at the ends: fourth order, as the rule of `carry`."""
    c = 0.125 * h
    for j in range(3):
        stage[1, j] = 0.5 * (stage[0, j] + stage[2, j]) + c * (k[0, 7 + j] - k[7, 7 + j])
        stage[1, 10 + j] = 0.5 * (stage[0, 10 + j] + stage[2, 10 + j]) + c * (k[0, 4 + j] - k[7, 4 + j])
    q = normalized(
        (
            0.5 * (stage[0, 3] + stage[2, 3]) + c * (k[0, 0] - k[7, 0]),
            0.5 * (stage[0, 4] + stage[2, 4]) + c * (k[0, 1] - k[7, 1]),
            0.5 * (stage[0, 5] + stage[2, 5]) + c * (k[0, 2] - k[7, 2]),
            0.5 * (stage[0, 6] + stage[2, 6]) + c * (k[0, 3] - k[7, 3]),
        )
    )
    stage[1, 3], stage[1, 4], stage[1, 5], stage[1, 6] = q
    stage[1, 7], stage[1, 8], stage[1, 9] = n


@inline
def keep(stage: Array, r: int, x: Vector, q: Quaternion, n: Vector, m: Vector) -> None:
    stage[r, 0], stage[r, 1], stage[r, 2] = x
    stage[r, 3], stage[r, 4], stage[r, 5], stage[r, 6] = normalized(q)
    stage[r, 7], stage[r, 8], stage[r, 9] = n
    stage[r, 10], stage[r, 11], stage[r, 12] = m


@inline
def put(out: Array, r: int, k: int, a: Matrix) -> None:
    for j in range(9):
        out[r, k + j] = a[j]


@kernel
def linearise(segment: Array, i: int, work: Scratch) -> None:
    """Matrices of (2) at the three states: θ' = A θ + C δm, δx' = X θ + Y δn, δm' = G θ + J δn."""
    c = segment[i, COMPLIANCE]
    for r in range(3):
        stage = work.stage
        R = rotation((stage[r, 3], stage[r, 4], stage[r, 5], stage[r, 6]))
        n, m = three(stage, r, 7), three(stage, r, 10)
        d3 = (R[2], R[5], R[8])
        v = advance_rate(R, n, c)
        C = matmul(columns_scaled(R, three(segment, i, FLEXIBILITY)), transposed(R))
        A = rows_cross(C, m)
        V = skew(v)
        Y = matscale(c, outer(d3, d3))
        Z = matadd(matscale(-1.0, V), matscale(c, outer(d3, cross(d3, n))))
        put(work.linear, r, 0, A)
        put(work.linear, r, 9, C)
        put(work.linear, r, 18, Z)
        put(work.linear, r, 27, Y)
        put(work.linear, r, 36, cross_columns(n, Z))
        put(work.linear, r, 45, matadd(cross_columns(n, Y), matscale(-1.0, V)))


@inline
def product(a: Array, r: int, k: int, u: Array, first: int, b: int, v: Array, second: int, out: Array, o: int) -> None:
    """Three rows of out, from o on: (the matrix at a[r, k]) u[first:] + (that at a[r, b]) v[second:]."""
    for row in range(3):
        a0, a1, a2 = a[r, k + 3 * row], a[r, k + 3 * row + 1], a[r, k + 3 * row + 2]
        b0, b1, b2 = a[r, b + 3 * row], a[r, b + 3 * row + 1], a[r, b + 3 * row + 2]
        for j in range(COLUMNS):
            out[o + row, j] = (
                a0 * u[first, j]
                + a1 * u[first + 1, j]
                + a2 * u[first + 2, j]
                + b0 * v[second, j]
                + b1 * v[second + 1, j]
                + b2 * v[second + 2, j]
            )


@inline
def slopes(work: Scratch, place: int, y: Array, turn: int, moment: int, e: Array, out: Array) -> None:
    """(δx', θ', δm') of the columns with the turns and moments in y and the forces in e."""
    product(work.linear, place, 18, y, turn, 27, e, FORCE, out, 0)
    product(work.linear, place, 0, y, turn, 9, y, moment, out, 3)
    product(work.linear, place, 36, y, turn, 45, e, FORCE, out, 6)


@inline
def tried(e: Array, rate: Array, h: float, y: Array) -> None:
    for row in range(3):
        for j in range(COLUMNS):
            y[row, j] = e[TURN + row, j] + h * rate[3 + row, j]
            y[3 + row, j] = e[MOMENT + row, j] + h * rate[6 + row, j]


@kernel
def carry(e: Array, h: float, work: Scratch) -> None:
    """The columns e (12, COLUMNS) over a segment of length h: Runge and Kutta's fourth-order rule for (2)."""
    k, y = work.rates, work.trial
    slopes(work, 0, e, TURN, MOMENT, e, k[0])
    tried(e, k[0], 0.5 * h, y)
    slopes(work, 1, y, 0, 3, e, k[1])
    tried(e, k[1], 0.5 * h, y)
    slopes(work, 1, y, 0, 3, e, k[2])
    tried(e, k[2], h, y)
    slopes(work, 2, y, 0, 3, e, k[3])
    for row in range(9):
        to = row if row < 6 else row + 3
        for j in range(COLUMNS):
            e[to, j] += h / 6.0 * (k[0, row, j] + 2.0 * (k[1, row, j] + k[2, row, j]) + k[3, row, j])


@kernel
def integrate_rope(segment: Array, i: int, work: Scratch) -> bool:
    """A rope from the state work.stage[0] over segment i, and what a change of n does: work.linear[0], (3).

    False where nothing pulls: it has no direction there.
    """
    stage = work.stage
    h, c = segment[i, H], segment[i, COMPLIANCE]
    f = three(segment, i, WEIGHT)
    x, n0 = three(stage, 0, 0), three(stage, 0, 7)
    flexibility = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for g in range(len(GAUSS_AT)):
        n = force_at(n0, f, h * GAUSS_AT[g])
        size = math.sqrt(dot(n, n))
        if size < SLACK:
            return False
        t = scale(1.0 / size, n)
        a = h * GAUSS_WEIGHT[g]
        k = a * (1.0 / size + c)
        x = (x[0] + k * n[0], x[1] + k * n[1], x[2] + k * n[2])
        across = matscale(-a / size, outer(t, t))
        flexibility = matadd(flexibility, matadd(across, (k, 0.0, 0.0, 0.0, k, 0.0, 0.0, 0.0, k)))
    keep(stage, 2, x, (1.0, 0.0, 0.0, 0.0), force_at(n0, f, h), (0.0, 0.0, 0.0))
    put(work.linear, 0, 0, flexibility)
    return True


@kernel
def carry_rope(e: Array, work: Scratch) -> None:
    """δx ← δx + (∫ ∂x'/∂n ds) δn; nothing else changes."""
    a = work.linear
    for row in range(3):
        for j in range(COLUMNS):
            e[row, j] += (
                a[0, 3 * row] * e[FORCE, j] + a[0, 3 * row + 1] * e[FORCE + 1, j] + a[0, 3 * row + 2] * e[FORCE + 2, j]
            )


@inline
def turn_between(p: Quaternion, q: Quaternion) -> Vector:
    """The world rotation vector that turns frame q onto frame p."""
    w, x, y, z = quaternion_product(p, (q[0], -q[1], -q[2], -q[3]))
    size = math.sqrt(x * x + y * y + z * z)
    if size < 1e-300:
        return (0.0, 0.0, 0.0)
    k = 2.0 * math.atan2(size, abs(w)) / size
    if w < 0.0:
        k = -k
    return (k * x, k * y, k * z)


@kernel
def add_defect(e: Array, nodes: Array, i: int, rope: bool, work: Scratch) -> None:
    """To the particular column: what the integration has, less what the node i (x, q, n, m) has."""
    stage = work.stage
    dx = sub(three(stage, 2, 0), three(nodes, i, 0))
    dn = sub(three(stage, 2, 7), three(nodes, i, 7))
    dm = sub(three(stage, 2, 10), three(nodes, i, 10))
    turn = (0.0, 0.0, 0.0)
    if not rope:
        turn = turn_between(
            (stage[2, 3], stage[2, 4], stage[2, 5], stage[2, 6]), (nodes[i, 3], nodes[i, 4], nodes[i, 5], nodes[i, 6])
        )
    else:
        dm = turn
    for r in range(3):
        e[X + r, PARTICULAR] += dx[r]
        e[TURN + r, PARTICULAR] += turn[r]
        e[FORCE + r, PARTICULAR] += dn[r]
        e[MOMENT + r, PARTICULAR] += dm[r]
