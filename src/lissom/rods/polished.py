"""The fourth-order element: frames at the points, one element per segment.

With θ = log(RaᵀRb), ω = θ/h, the middle frame Rm, M = D(ω − ω₀) and N = Rmᵀn, F = Rmᵀf in its axes
[docs/theory/rods.md, (17)–(22)]:

    ℓ =  ½ h (ω − ω₀)·D (ω − ω₀)
        − h N·(e3 + b θ×(θ×e3))                 the exact mean of d3 along a helix
        − (h³/24) P·D⁻¹P + (h³/12) ω₀'·P        a quadratic bubble, condensed; P = e3×N + ω×M = −M'
        + (h²/12) F·(θ×e3)                      the weight f within the segment

n is the internal force in the middle of the segment, ω₀ and ω₀' the mean and slope of the rest strain, and
b = (1 − sin(|θ|/2)/(|θ|/2))/|θ|². The points follow from x₊ − x = −∂ℓ/∂n.
"""

import math

from lissom.geometry.triples import (
    Matrix,
    Quaternion,
    Vector,
    add,
    apply,
    apply_transposed,
    columns_scaled,
    cross,
    diagonal,
    dot,
    matadd,
    matmul,
    matmul_at_b,
    matscale,
    outer,
    rotation,
    rows_scaled,
    scale,
    skew,
    sub,
    transposed,
)
from lissom.kernels import inline
from lissom.rods.relative import (
    curvature_of_theta,
    half_angle_and_axis,
    half_rotation,
    second_order_coefficients,
    site_blocks,
    stretch_matrix,
)

E3: Vector = (0.0, 0.0, 1.0)
SKEW_E3: Matrix = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inline
def helix_mean(y: float) -> tuple[float, float, float]:
    """b(y) of y = |θ|² with its first and second derivatives; y < 0.25 by series (error below 1e-16)."""
    if y < 0.25:
        # 1 − sin x/x = x²/6 − x⁴/120 + x⁶/5040 − …, x² = y/4
        b = 1.0 / 24.0 - y * (1.0 / 1920.0 - y * (1.0 / 322560.0 - y * (1.0 / 92897280.0)))
        b1 = -1.0 / 1920.0 + y * (2.0 / 322560.0 - y * (3.0 / 92897280.0))
        b2 = 2.0 / 322560.0 - y * (6.0 / 92897280.0 - y * (12.0 / 40874803200.0))
        return b, b1, b2
    x = 0.5 * math.sqrt(y)
    s = math.sin(x) / x
    c = math.cos(x)
    s1 = 0.5 * (c - s) / y  # d(sin x/x)/dy
    s2 = -(0.0625 * s + 1.5 * s1) / y
    b = (1.0 - s) / y
    b1 = (-s1 - b) / y
    b2 = (-s2 - 2.0 * b1) / y
    return b, b1, b2


@inline
def energy(
    qa: Quaternion, qb: Quaternion, n: Vector, f: Vector, h: float, D: Vector, u0: Vector, slope: Vector
) -> tuple[float, float]:
    """(elastic energy ½ h (ω−ω₀)·D(ω−ω₀), all of ℓ)."""
    psi, u, middle = half_angle_and_axis(qa, qb)
    R = rotation(middle)
    N = apply_transposed(R, n)
    F = apply_transposed(R, f)
    theta = scale(2.0 * psi, u)
    w = scale(1.0 / h, theta)
    M = (D[0] * (w[0] - u0[0]), D[1] * (w[1] - u0[1]), D[2] * (w[2] - u0[2]))
    elastic = 0.5 * h * (M[0] * (w[0] - u0[0]) + M[1] * (w[1] - u0[1]) + M[2] * (w[2] - u0[2]))
    y = dot(theta, theta)
    b, _, _ = helix_mean(y)
    P = add(cross(E3, N), cross(w, M))
    bubble = P[0] * P[0] / D[0] + P[1] * P[1] / D[1] + P[2] * P[2] / D[2]
    total = (
        elastic
        - h * (N[2] + b * (dot(N, theta) * theta[2] - y * N[2]))
        - h * h * h / 24.0 * (bubble - 2.0 * dot(slope, P))
        + h * h / 12.0 * dot(F, cross(theta, E3))
    )
    return elastic, total


@inline
def derivatives(
    psi: float, u: Vector, N: Vector, F: Vector, h: float, D: Vector, u0: Vector, slope: Vector
) -> tuple[Vector, Vector, Vector, Matrix, Matrix, Matrix]:
    """(ℓ_θ, ℓ_N, ℓ_F, ℓ_θθ, ℓ_θN, ℓ_NN) of ℓ(θ, N, F)."""
    theta = scale(2.0 * psi, u)
    w = scale(1.0 / h, theta)
    M = (D[0] * (w[0] - u0[0]), D[1] * (w[1] - u0[1]), D[2] * (w[2] - u0[2]))
    y = dot(theta, theta)
    b, b1, b2 = helix_mean(y)
    k3 = h * h * h / 12.0

    # the bubble
    P = add(cross(E3, N), cross(w, M))
    Z = (k3 * (slope[0] - P[0] / D[0]), k3 * (slope[1] - P[1] / D[1]), k3 * (slope[2] - P[2] / D[2]))
    P_theta = matscale(1.0 / h, matadd(matscale(-1.0, skew(M)), columns_scaled(skew(w), D)))
    compliance = (-k3 / D[0], -k3 / D[1], -k3 / D[2])
    weighted = rows_scaled(compliance, P_theta)
    ZD = matscale(-1.0 / (h * h), columns_scaled(skew(Z), D))

    # the mean tangent: k = N·(θ×(θ×e3))
    N_theta = dot(N, theta)
    k = N_theta * theta[2] - y * N[2]
    k_theta = (
        N[0] * theta[2] - 2.0 * N[2] * theta[0],
        N[1] * theta[2] - 2.0 * N[2] * theta[1],
        N[2] * theta[2] + N_theta - 2.0 * N[2] * theta[2],
    )
    along = sub(scale(theta[2], theta), scale(y, E3))

    l_theta = add(M, apply_transposed(P_theta, Z))
    l_theta = sub(l_theta, scale(h, add(scale(b, k_theta), scale(2.0 * b1 * k, theta))))
    l_theta = add(l_theta, scale(h * h / 12.0, cross(E3, F)))
    l_N = sub(cross(Z, E3), scale(h, add(E3, scale(b, along))))
    l_F = scale(h * h / 12.0, cross(theta, E3))

    NE = outer(N, E3)
    mean = matadd(matadd(NE, transposed(NE)), diagonal((-2.0 * N[2], -2.0 * N[2], -2.0 * N[2])))
    TK = outer(theta, k_theta)
    second = matadd(matadd(TK, transposed(TK)), diagonal((k, k, k)))
    tangent_part = matadd(
        matadd(matscale(b, mean), matscale(2.0 * b1, second)), matscale(4.0 * b2 * k, outer(theta, theta))
    )
    l_theta_theta = matadd(
        matadd(diagonal((D[0] / h, D[1] / h, D[2] / h)), matmul_at_b(P_theta, weighted)),
        matadd(matadd(ZD, transposed(ZD)), matscale(-h, tangent_part)),
    )
    mixed = matadd(
        matscale(
            b,
            matadd(
                diagonal((theta[2], theta[2], theta[2])),
                matadd(outer(E3, theta), matscale(-2.0, outer(theta, E3))),
            ),
        ),
        matscale(2.0 * b1, outer(theta, along)),
    )
    l_theta_N = matadd(matmul_at_b(weighted, SKEW_E3), matscale(-h, mixed))
    l_NN = diagonal((-k3 / D[1], -k3 / D[0], 0.0))
    return l_theta, l_N, l_F, l_theta_theta, l_theta_N, l_NN


@inline
def turning(g: Vector, N: Vector) -> Matrix:
    """The second derivative in μ of g·(exp(−μ)N): ½(g Nᵀ + N gᵀ) − (g·N) I."""
    k = dot(g, N)
    GN = outer(g, N)
    return matadd(matscale(0.5, matadd(GN, transposed(GN))), diagonal((-k, -k, -k)))


@inline
def element(
    qa: Quaternion, qb: Quaternion, n: Vector, f: Vector, h: float, D: Vector, u0: Vector, slope: Vector
) -> tuple[Vector, Vector, Matrix, Matrix, Matrix, Vector, Matrix, Matrix, Matrix]:
    """(gradient a, gradient b, Hessian aa, ab, bb, advance x₊ − x, closure columns a, b, −∂²ℓ/∂n²).

    Row k of a closure column is ∂(x₊ − x)_k in the axes of that frame.
    """
    psi, u, middle = half_angle_and_axis(qa, qb)
    a, eta, zeta, t = second_order_coefficients(psi)
    A = stretch_matrix(a, u)
    e = half_rotation(psi, u)
    R = rotation(middle)
    N = apply_transposed(R, n)
    F = apply_transposed(R, f)
    l_theta, l_N, l_F, l_tt, l_tN, l_NN = derivatives(psi, u, N, F, h, D, u0, slope)

    # in (μ, θ): N and F turn with the middle frame, N' = exp(−μ) N
    skew_N = skew(N)
    G = add(cross(l_N, N), cross(l_F, F))
    h_mm = matadd(matmul_at_b(skew_N, matmul(l_NN, skew_N)), matadd(turning(l_N, N), turning(l_F, F)))
    h_tm = matadd(matmul(l_tN, skew_N), matscale(h * h / 12.0, matmul(SKEW_E3, skew(F))))

    # to (σ, δ): μ = σ + B δ + …, θ = A δ + …
    B = matscale(-0.5 * t, skew(u))
    A_l = apply(A, l_theta)
    g_delta = add(A_l, apply_transposed(B, G))
    Gu = dot(G, u)
    sd = matadd(matmul(transposed(h_tm), A), matmul(h_mm, B))
    sd = matadd(sd, matscale(0.5, skew(A_l)))
    sd = matadd(sd, matscale(0.25 * t, matadd(outer(G, u), diagonal((-Gu, -Gu, -Gu)))))
    cross_term = matmul(A, matmul(h_tm, B))
    dd = matadd(matmul(A, matmul(l_tt, A)), matadd(cross_term, transposed(cross_term)))
    dd = matadd(dd, matmul_at_b(B, matmul(h_mm, B)))
    dd = matadd(dd, curvature_of_theta(l_theta, u, eta, zeta))
    uG = outer(u, cross(u, G))
    dd = matadd(dd, matscale(0.125 * t * t, matadd(uG, transposed(uG))))
    aa, ab, bb = site_blocks(h_mm, sd, dd, e)

    half_G = scale(0.5, G)
    gradient_a = apply(e, sub(half_G, g_delta))
    gradient_b = apply_transposed(e, add(half_G, g_delta))

    # closure: −∂/∂n of the gradient, for n along each world axis at once (columns of Rᵀ)
    Rt = transposed(R)
    c_sigma = matscale(-1.0, matadd(matscale(-1.0, matmul(skew_N, matmul(l_NN, Rt))), matmul(skew(l_N), Rt)))
    c_delta = matadd(matscale(-1.0, matmul(A, matmul(l_tN, Rt))), matmul_at_b(B, c_sigma))
    half_c = matscale(0.5, c_sigma)
    column_a = transposed(matmul(e, matadd(half_c, matscale(-1.0, c_delta))))
    column_b = transposed(matmul_at_b(e, matadd(half_c, c_delta)))
    advance = scale(-1.0, apply(R, l_N))
    block = matscale(-1.0, matmul(R, matmul(l_NN, Rt)))
    return gradient_a, gradient_b, aa, ab, bb, advance, column_a, column_b, block


@inline
def element_advance(
    qa: Quaternion, qb: Quaternion, n: Vector, h: float, D: Vector, u0: Vector, slope: Vector
) -> Vector:
    """x₊ − x = −∂ℓ/∂n."""
    psi, u, middle = half_angle_and_axis(qa, qb)
    R = rotation(middle)
    N = apply_transposed(R, n)
    theta = scale(2.0 * psi, u)
    w = scale(1.0 / h, theta)
    M = (D[0] * (w[0] - u0[0]), D[1] * (w[1] - u0[1]), D[2] * (w[2] - u0[2]))
    y = dot(theta, theta)
    b, _, _ = helix_mean(y)
    k3 = h * h * h / 12.0
    P = add(cross(E3, N), cross(w, M))
    Z = (k3 * (slope[0] - P[0] / D[0]), k3 * (slope[1] - P[1] / D[1]), k3 * (slope[2] - P[2] / D[2]))
    mean = add(E3, scale(b, sub(scale(theta[2], theta), scale(y, E3))))
    return apply(R, sub(scale(h, mean), cross(Z, E3)))
