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
    Vector,
    diagonal,
    dot,
    matadd,
    matmul,
    matscale,
    normalized,
    outer,
    quaternion_between,
    rotation,
    transposed,
)
from lissom.kernels import inline

# Below this half angle the closed forms lose digits by cancellation and the series are exact to rounding.
SMALL_ANGLE = 0.05


@inline
def half_angle_and_axis(qa: Quaternion, qb: Quaternion) -> tuple[float, Vector, Quaternion]:
    """ψ = |θ|/2 in [0, π/2], the axis u in the axes of either frame, and the middle frame."""
    p = quaternion_between(qa, qb)
    sign = 1.0 if p[0] >= 0.0 else -1.0  # q and −q are the same frame: take the shorter way
    sine = math.sqrt(p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    psi = math.atan2(sine, sign * p[0])
    if sine > 1e-150:
        k = sign / sine
        u = (k * p[1], k * p[2], k * p[3])
    else:
        u = (0.0, 0.0, 1.0)
    middle = normalized(
        (qa[0] + sign * qb[0], qa[1] + sign * qb[1], qa[2] + sign * qb[2], qa[3] + sign * qb[3])
    )
    return psi, u, middle


@inline
def second_order_coefficients(psi: float) -> tuple[float, float, float, float]:
    """(a, η, ζ, t) of the expansion above."""
    t = math.tan(0.5 * psi)
    if psi < SMALL_ANGLE:
        y = psi * psi
        a = 1.0 + y / 6.0 + 7.0 * y * y / 360.0 + y * y * y * (31.0 / 15120.0 + 127.0 * y / 604800.0)
        eta = psi * (1.0 / 3.0 + 7.0 * y / 90.0 + y * y * (31.0 / 2520.0 + 127.0 * y / 75600.0))
        zeta = psi * (1.0 / 3.0 + 2.0 * y / 45.0 + y * y * (2.0 / 315.0 + 4.0 * y / 4725.0))
    else:
        s = math.sin(psi)
        c = math.cos(psi)
        a = psi / s
        eta = (s - psi * c) / (s * s)
        zeta = 0.5 * (psi / (s * s) - c / s)
    return a, eta, zeta, t


@inline
def stretch_matrix(a: float, u: Vector) -> Matrix:
    """A = a·I + (1 − a)·uuᵀ: how θ follows δ to first order."""
    k = 1.0 - a
    return (
        a + k * u[0] * u[0],
        k * u[0] * u[1],
        k * u[0] * u[2],
        k * u[0] * u[1],
        a + k * u[1] * u[1],
        k * u[1] * u[2],
        k * u[0] * u[2],
        k * u[1] * u[2],
        a + k * u[2] * u[2],
    )


@inline
def half_rotation(psi: float, u: Vector) -> Matrix:
    """exp(θ/2): the axes of frame b in the axes of the middle frame; its transpose is those of frame a."""
    s = math.sin(0.5 * psi)
    return rotation((math.cos(0.5 * psi), s * u[0], s * u[1], s * u[2]))


@inline
def curvature_of_theta(g: Vector, u: Vector, eta: float, zeta: float) -> Matrix:
    """The Hessian in δ of g·(½ η δᵤ δ⊥ − ½ ζ |δ⊥|² u): the exact second derivative of the logarithm."""
    gu = dot(g, u)
    perpendicular = (g[0] - gu * u[0], g[1] - gu * u[1], g[2] - gu * u[2])
    symmetric = matadd(outer(u, perpendicular), outer(perpendicular, u))
    k = zeta * gu
    plane = matadd(diagonal((-k, -k, -k)), matscale(k, outer(u, u)))
    return matadd(matscale(0.5 * eta, symmetric), plane)


@inline
def site_blocks(
    ss: Matrix, sd: Matrix, dd: Matrix, e: Matrix
) -> tuple[Matrix, Matrix, Matrix]:
    """Hessian blocks (σσ, σδ, δδ) in the middle frame → (aa, ab, bb) in the axes of frames a and b.

    α = σ − δ/2 and β = σ + δ/2; frame b has the axes `e` in the middle frame, frame a those of `eᵀ`.
    """
    half = matadd(sd, transposed(sd))
    common = matadd(matscale(0.25, ss), dd)
    aa = matadd(common, matscale(-0.5, half))
    bb = matadd(common, matscale(0.5, half))
    swap = matadd(sd, matscale(-1.0, transposed(sd)))
    ab = matadd(matadd(matscale(0.25, ss), matscale(-1.0, dd)), matscale(0.5, swap))
    # α = eᵀ a and β = e b
    return (
        matmul(e, matmul(aa, transposed(e))),
        matmul(e, matmul(ab, e)),
        matmul(transposed(e), matmul(bb, e)),
    )
