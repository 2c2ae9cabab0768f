"""The relative rotation of two frames, with its exact first and second derivatives.

An element joins two frames Ra and Rb. With θ = log(RaᵀRb) and the middle frame Rm = Ra·exp(θ/2),
turn Ra and Rb by small vectors α and β given in the axes of Rm. In terms of the mean σ = (α + β)/2 and the
difference δ = β − α, to second order [docs/theory/rods.md, (13)–(16)]:

    θ' = θ + A δ − ½ A (σ × δ) + ½ η δᵤ δ⊥ − ½ ζ |δ⊥|² u
    μ  = σ − ½ t u × δ + ¼ t (δᵤ σ − (σ·δ) u) + ⅛ t² δᵤ (δ × u)        (the middle frame turns by μ)

with ψ = |θ|/2, u = θ/|θ|, A = a·I + (1 − a)·uuᵀ, a = ψ/sin ψ, t = tan(ψ/2),
η = (sin ψ − ψ cos ψ)/sin²ψ and ζ = ½ (ψ/sin²ψ − cot ψ).
"""

import math

from lissom.geometry.triples import (
    Matrix,
    Quaternion,
    Symmetric,
    Vector,
    apply_transposed,
    dot,
    matmul,
    quaternion_between,
    scale,
    symmetric_apply,
    symmetric_times,
    transposed,
)
from lissom.kernels import inline

# Below this half angle the closed forms lose digits by cancellation and the series are exact to rounding.
SMALL_ANGLE = 0.06


@inline
def relative_rotation(qa: Quaternion, qb: Quaternion) -> tuple[float, Vector, Vector, float, Quaternion]:
    """ψ = |θ|/2 in [0, π/2], the axis u, v = u sin ψ, cos ψ (the quaternion of θ), and the middle frame.

    u and v have the same components in the axes of both frames and of the middle one.
    """
    p = quaternion_between(qa, qb)
    sign = 1.0 if p[0] >= 0.0 else -1.0  # q and −q are the same frame: take the shorter way
    c = sign * p[0]
    v = (sign * p[1], sign * p[2], sign * p[3])
    s = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if s > 1e-150:
        k = 1.0 / s
        u = (k * v[0], k * v[1], k * v[2])
    else:
        u = (0.0, 0.0, 1.0)
    if s < SMALL_ANGLE and c > 0.0:
        y = s * s
        psi = s * (1 + y * (1 / 6 + y * (3 / 40 + y * (15 / 336 + y * (105 / 3456 + y * (945 / 42240))))))
    else:
        psi = math.atan2(s, c)
    k = 1.0 / math.sqrt(2.0 + 2.0 * c)
    w = sign * k
    middle = (k * qa[0] + w * qb[0], k * qa[1] + w * qb[1], k * qa[2] + w * qb[2], k * qa[3] + w * qb[3])
    return psi, u, v, c, middle


@inline
def half_angle_and_axis(qa: Quaternion, qb: Quaternion) -> tuple[float, Vector, Quaternion]:
    """ψ, u and the middle frame alone."""
    psi, u, _, _, middle = relative_rotation(qa, qb)
    return psi, u, middle


@inline
def second_order_coefficients(psi: float, v: Vector, c: float) -> tuple[float, float, float, float]:
    """(a, η, ζ, t) of the expansion above."""
    if psi < SMALL_ANGLE:
        y = psi * psi
        a = 1.0 + y * (1.0 / 6.0 + y * (7.0 / 360.0 + y * (31.0 / 15120.0 + y * (127.0 / 604800.0))))
        eta = psi * (1.0 / 3.0 + y * (7.0 / 90.0 + y * (31.0 / 2520.0 + y * (127.0 / 75600.0))))
        zeta = psi * (1.0 / 3.0 + y * (2.0 / 45.0 + y * (2.0 / 315.0 + y * (4.0 / 4725.0))))
        t = psi * (0.5 + y * (1.0 / 24.0 + y * (1.0 / 240.0 + y * (17.0 / 40320.0 + y * (31.0 / 725760.0)))))
    else:
        s = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        a = psi / s
        eta = (s - psi * c) / (s * s)
        zeta = 0.5 * (psi / (s * s) - c / s)
        t = s / (1.0 + c)
    return a, eta, zeta, t


@inline
def half_rotation(v: Vector, c: float) -> Matrix:
    """exp(θ/2) = c I + [v]× + v vᵀ/(1 + c): the axes of frame b in the axes of the middle frame.

    Its transpose has the axes of frame a.
    """
    k = 1.0 / (1.0 + c)
    x, y, z = v
    kx = k * x
    ky = k * y
    return (
        c + kx * x,
        kx * y - z,
        kx * z + y,
        kx * y + z,
        c + ky * y,
        ky * z - x,
        kx * z - y,
        ky * z + x,
        c + k * z * z,
    )


@inline
def curvature_of_theta(g: Vector, u: Vector, eta: float, zeta: float) -> Symmetric:
    """The Hessian in δ of g·(½ η δᵤ δ⊥ − ½ ζ |δ⊥|² u): the exact second derivative of the logarithm."""
    gu = dot(g, u)
    k = zeta * gu
    w = scale(0.5 * eta, (g[0] - gu * u[0], g[1] - gu * u[1], g[2] - gu * u[2]))
    return (
        2.0 * u[0] * w[0] - k * (1.0 - u[0] * u[0]),
        u[0] * w[1] + u[1] * w[0] + k * u[0] * u[1],
        u[0] * w[2] + u[2] * w[0] + k * u[0] * u[2],
        2.0 * u[1] * w[1] - k * (1.0 - u[1] * u[1]),
        u[1] * w[2] + u[2] * w[1] + k * u[1] * u[2],
        2.0 * u[2] * w[2] - k * (1.0 - u[2] * u[2]),
    )


@inline
def stretched_both_sides(a: float, u: Vector, m: Symmetric) -> Symmetric:
    """A m A with A = a I + (1 − a) u uᵀ."""
    k = 1.0 - a
    w = symmetric_apply(m, u)
    c = k * k * dot(u, w)
    b = a * k
    aa = a * a
    return (
        aa * m[0] + 2.0 * b * u[0] * w[0] + c * u[0] * u[0],
        aa * m[1] + b * (u[0] * w[1] + u[1] * w[0]) + c * u[0] * u[1],
        aa * m[2] + b * (u[0] * w[2] + u[2] * w[0]) + c * u[0] * u[2],
        aa * m[3] + 2.0 * b * u[1] * w[1] + c * u[1] * u[1],
        aa * m[4] + b * (u[1] * w[2] + u[2] * w[1]) + c * u[1] * u[2],
        aa * m[5] + 2.0 * b * u[2] * w[2] + c * u[2] * u[2],
    )


@inline
def stretched(a: float, u: Vector, g: Vector) -> Vector:
    """A g."""
    k = (1.0 - a) * dot(u, g)
    return (a * g[0] + k * u[0], a * g[1] + k * u[1], a * g[2] + k * u[2])


@inline
def rows_stretched(a: float, u: Vector, m: Matrix) -> Matrix:
    """A m."""
    k = 1.0 - a
    w = scale(k, apply_transposed(m, u))
    return (
        a * m[0] + u[0] * w[0], a * m[1] + u[0] * w[1], a * m[2] + u[0] * w[2],
        a * m[3] + u[1] * w[0], a * m[4] + u[1] * w[1], a * m[5] + u[1] * w[2],
        a * m[6] + u[2] * w[0], a * m[7] + u[2] * w[1], a * m[8] + u[2] * w[2],
    )  # fmt: skip


@inline
def conjugated(e: Matrix, m: Symmetric) -> Symmetric:
    """e m eᵀ of a symmetric m."""
    f = symmetric_times(m, transposed(e))
    return (
        e[0] * f[0] + e[1] * f[3] + e[2] * f[6],
        e[0] * f[1] + e[1] * f[4] + e[2] * f[7],
        e[0] * f[2] + e[1] * f[5] + e[2] * f[8],
        e[3] * f[1] + e[4] * f[4] + e[5] * f[7],
        e[3] * f[2] + e[4] * f[5] + e[5] * f[8],
        e[6] * f[2] + e[7] * f[5] + e[8] * f[8],
    )


@inline
def site_blocks(ss: Symmetric, sd: Matrix, dd: Symmetric, e: Matrix) -> tuple[Symmetric, Matrix, Symmetric]:
    """Hessian blocks (σσ, σδ, δδ) in the middle frame → (aa, ab, bb) in the axes of frames a and b.

    α = σ − δ/2 and β = σ + δ/2; frame b has the axes `e` in the middle frame, frame a those of `eᵀ`.
    """
    h0, h1, h2 = sd[0], 0.5 * (sd[1] + sd[3]), 0.5 * (sd[2] + sd[6])
    h3, h4, h5 = sd[4], 0.5 * (sd[5] + sd[7]), sd[8]
    q0, q1, q2 = 0.25 * ss[0], 0.25 * ss[1], 0.25 * ss[2]
    q3, q4, q5 = 0.25 * ss[3], 0.25 * ss[4], 0.25 * ss[5]
    aa = (
        q0 + dd[0] - h0, q1 + dd[1] - h1, q2 + dd[2] - h2, q3 + dd[3] - h3, q4 + dd[4] - h4, q5 + dd[5] - h5,
    )  # fmt: skip
    bb = (
        q0 + dd[0] + h0, q1 + dd[1] + h1, q2 + dd[2] + h2, q3 + dd[3] + h3, q4 + dd[4] + h4, q5 + dd[5] + h5,
    )  # fmt: skip
    k1, k2, k4 = 0.5 * (sd[1] - sd[3]), 0.5 * (sd[2] - sd[6]), 0.5 * (sd[5] - sd[7])
    m0, m1, m2, m3, m4, m5 = q0 - dd[0], q1 - dd[1], q2 - dd[2], q3 - dd[3], q4 - dd[4], q5 - dd[5]
    ab = (m0, m1 + k1, m2 + k2, m1 - k1, m3, m4 + k4, m2 - k2, m4 - k4, m5)
    # α = eᵀ a and β = e b
    return conjugated(e, aa), matmul(e, matmul(ab, e)), conjugated(transposed(e), bb)
