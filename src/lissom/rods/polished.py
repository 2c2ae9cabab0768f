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
    Symmetric,
    Vector,
    add,
    apply,
    apply_transposed,
    columns_scaled,
    cross,
    cross_columns,
    dot,
    full,
    matadd,
    matmul,
    matscale,
    outer,
    rotation,
    rows_cross,
    scale,
    skew,
    sub,
    symmetric_add,
    transposed,
)
from lissom.kernels import inline
from lissom.rods.relative import (
    curvature_of_theta,
    half_angle_and_axis,
    half_rotation,
    relative_rotation,
    rows_stretched,
    second_order_coefficients,
    site_blocks,
    stretched,
    stretched_both_sides,
)

E3: Vector = (0.0, 0.0, 1.0)


@inline
def helix_mean(y: float) -> tuple[float, float, float]:
    """b(y) of y = |θ|² with its first and second derivatives; by series where the closed form cancels."""
    if y < 0.25:
        # 1 − sin x/x = x²/6 − x⁴/120 + x⁶/5040 − …, x² = y/4
        c1 = 1.0 / 1920.0
        c2 = 1.0 / 322560.0
        c3 = 1.0 / 92897280.0
        c4 = 1.0 / 40874803200.0
        c5 = 1.0 / 25505877196800.0
        b = 1.0 / 24.0 - y * (c1 - y * (c2 - y * (c3 - y * (c4 - y * c5))))
        b1 = -c1 + y * (2.0 * c2 - y * (3.0 * c3 - y * (4.0 * c4 - y * 5.0 * c5)))
        b2 = 2.0 * c2 - y * (6.0 * c3 - y * (12.0 * c4 - y * 20.0 * c5))
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
def energy_and_advance(
    qa: Quaternion, qb: Quaternion, n: Vector, f: Vector, h: float, D: Vector, u0: Vector, slope: Vector
) -> tuple[float, Vector]:
    """(ℓ, x₊ − x = −∂ℓ/∂n)."""
    psi, u, middle = half_angle_and_axis(qa, qb)
    R = rotation(middle)
    N = apply_transposed(R, n)
    F = apply_transposed(R, f)
    theta = scale(2.0 * psi, u)
    w = scale(1.0 / h, theta)
    strain = sub(w, u0)
    M = (D[0] * strain[0], D[1] * strain[1], D[2] * strain[2])
    y = dot(theta, theta)
    b, _, _ = helix_mean(y)
    k3 = h * h * h / 12.0
    P = add((-N[1], N[0], 0.0), cross(w, M))
    DP = (k3 / D[0] * P[0], k3 / D[1] * P[1], k3 / D[2] * P[2])
    Z = (k3 * slope[0] - DP[0], k3 * slope[1] - DP[1], k3 * slope[2] - DP[2])
    along = (theta[0] * theta[2], theta[1] * theta[2], theta[2] * theta[2] - y)
    value = (
        0.5 * h * dot(strain, M)
        - h * (N[2] + b * dot(N, along))
        - 0.5 * dot(P, DP)
        + k3 * dot(slope, P)
        + h * h / 12.0 * (F[0] * theta[1] - F[1] * theta[0])
    )
    step = (h * b * along[0] - Z[1], h * b * along[1] + Z[0], h + h * b * along[2])
    return value, apply(R, step)


@inline
def symmetric_product(a: Vector, b: Vector) -> Symmetric:
    """a bᵀ + b aᵀ."""
    return (
        2.0 * a[0] * b[0],
        a[0] * b[1] + a[1] * b[0],
        a[0] * b[2] + a[2] * b[0],
        2.0 * a[1] * b[1],
        a[1] * b[2] + a[2] * b[1],
        2.0 * a[2] * b[2],
    )


@inline
def weighted_square(m: Matrix, d: Vector) -> Symmetric:
    """mᵀ diag(d) m."""
    return (
        d[0] * m[0] * m[0] + d[1] * m[3] * m[3] + d[2] * m[6] * m[6],
        d[0] * m[0] * m[1] + d[1] * m[3] * m[4] + d[2] * m[6] * m[7],
        d[0] * m[0] * m[2] + d[1] * m[3] * m[5] + d[2] * m[6] * m[8],
        d[0] * m[1] * m[1] + d[1] * m[4] * m[4] + d[2] * m[7] * m[7],
        d[0] * m[1] * m[2] + d[1] * m[4] * m[5] + d[2] * m[7] * m[8],
        d[0] * m[2] * m[2] + d[1] * m[5] * m[5] + d[2] * m[8] * m[8],
    )


@inline
def derivatives(
    theta: Vector, N: Vector, F: Vector, h: float, D: Vector, u0: Vector, slope: Vector
) -> tuple[float, Vector, Vector, Vector, Symmetric, Matrix, Vector]:
    """(ℓ, ℓ_θ, ℓ_N, ℓ_F, ℓ_θθ, ℓ_θN, diagonal of ℓ_NN) of ℓ(θ, N, F)."""
    inverse = 1.0 / h
    w = scale(inverse, theta)
    strain = sub(w, u0)
    M = (D[0] * strain[0], D[1] * strain[1], D[2] * strain[2])
    y = dot(theta, theta)
    b, b1, b2 = helix_mean(y)
    k3 = h * h * h / 12.0
    k2 = h * h / 12.0
    soft = (k3 / D[0], k3 / D[1], k3 / D[2])

    # the bubble: Z = −∂ℓ/∂P of its two terms
    P = add((-N[1], N[0], 0.0), cross(w, M))
    DP = (soft[0] * P[0], soft[1] * P[1], soft[2] * P[2])
    Z = (k3 * slope[0] - DP[0], k3 * slope[1] - DP[1], k3 * slope[2] - DP[2])
    P_theta = matscale(inverse, matadd(skew((-M[0], -M[1], -M[2])), columns_scaled(skew(w), D)))
    # P_θᵀ diag(−soft) [e3]×: [e3]× maps (x, y, z) to (−y, x, 0)
    bubble_mixed = (
        -soft[1] * P_theta[3], soft[0] * P_theta[0], 0.0,
        -soft[1] * P_theta[4], soft[0] * P_theta[1], 0.0,
        -soft[1] * P_theta[5], soft[0] * P_theta[2], 0.0,
    )  # fmt: skip
    # Z·(x×Dy + y×Dx)/h², from −([Z]× D − D [Z]×)/h²
    z = scale(-inverse * inverse, Z)
    bubble_second = (
        0.0, z[2] * (D[0] - D[1]), z[1] * (D[2] - D[0]), 0.0, z[0] * (D[1] - D[2]), 0.0,
    )  # fmt: skip

    # the mean tangent: k = N·(θ×(θ×e3))
    t3 = theta[2]
    N3 = N[2]
    N_theta = dot(N, theta)
    k = N_theta * t3 - y * N3
    k_theta = (N[0] * t3 - 2.0 * N3 * theta[0], N[1] * t3 - 2.0 * N3 * theta[1], N_theta - N3 * t3)
    along = (theta[0] * t3, theta[1] * t3, t3 * t3 - y)
    hb = h * b
    hb1 = 2.0 * h * b1

    value = (
        0.5 * h * dot(strain, M)
        - h * (N3 + b * k)
        - 0.5 * dot(P, DP)
        + k3 * dot(slope, P)
        + k2 * (F[0] * theta[1] - F[1] * theta[0])
    )
    l_theta = add(M, apply_transposed(P_theta, Z))
    l_theta = sub(l_theta, add(scale(hb, k_theta), scale(hb1 * k, theta)))
    l_theta = (l_theta[0] - k2 * F[1], l_theta[1] + k2 * F[0], l_theta[2])
    l_N = (Z[1] - hb * along[0], -Z[0] - hb * along[1], -h - hb * along[2])
    l_F = (k2 * theta[1], -k2 * theta[0], 0.0)

    square = weighted_square(P_theta, (-soft[0], -soft[1], -soft[2]))
    mixed_tangent = symmetric_product(theta, k_theta)
    k4 = 4.0 * h * b2 * k
    second = hb1 * k
    l_theta_theta = (
        D[0] * inverse + square[0] + 2.0 * hb * N3 - hb1 * mixed_tangent[0] - second - k4 * theta[0] * theta[0],
        square[1] + bubble_second[1] - hb1 * mixed_tangent[1] - k4 * theta[0] * theta[1],
        square[2] + bubble_second[2] - hb * N[0] - hb1 * mixed_tangent[2] - k4 * theta[0] * t3,
        D[1] * inverse + square[3] + 2.0 * hb * N3 - hb1 * mixed_tangent[3] - second - k4 * theta[1] * theta[1],
        square[4] + bubble_second[4] - hb * N[1] - hb1 * mixed_tangent[4] - k4 * theta[1] * t3,
        D[2] * inverse + square[5] - hb1 * mixed_tangent[5] - second - k4 * t3 * t3,
    )
    # −h (b (θ₃ I + e3 θᵀ − 2 θ e3ᵀ) + 2 b' θ alongᵀ)
    tangent_mixed = (
        hb * t3 + hb1 * theta[0] * along[0], hb1 * theta[0] * along[1], hb1 * theta[0] * along[2] - 2.0 * hb * theta[0],
        hb1 * theta[1] * along[0], hb * t3 + hb1 * theta[1] * along[1], hb1 * theta[1] * along[2] - 2.0 * hb * theta[1],
        hb * theta[0] + hb1 * t3 * along[0], hb * theta[1] + hb1 * t3 * along[1], hb1 * t3 * along[2],
    )  # fmt: skip
    l_theta_N = matadd(bubble_mixed, matscale(-1.0, tangent_mixed))
    return value, l_theta, l_N, l_F, l_theta_theta, l_theta_N, (-soft[1], -soft[0], 0.0)


@inline
def turning(g: Vector, N: Vector) -> Symmetric:
    """The second derivative in μ of g·(exp(−μ)N): ½(g Nᵀ + N gᵀ) − (g·N) I."""
    k = dot(g, N)
    s = symmetric_product(scale(0.5, g), N)
    return (s[0] - k, s[1], s[2], s[3] - k, s[4], s[5] - k)


@inline
def element(
    qa: Quaternion, qb: Quaternion, n: Vector, f: Vector, h: float, D: Vector, u0: Vector, slope: Vector
) -> tuple[float, Vector, Vector, Matrix, Matrix, Matrix, Vector, Matrix, Matrix, Matrix]:
    """(ℓ, gradient a, gradient b, Hessian aa, ab, bb, advance x₊ − x, closure columns a, b, −∂²ℓ/∂n²).

    Row k of a closure column is ∂(x₊ − x)_k in the axes of that frame.
    """
    psi, u, v, c, middle = relative_rotation(qa, qb)
    a, eta, zeta, t = second_order_coefficients(psi, v, c)
    e = half_rotation(v, c)
    R = rotation(middle)
    N = apply_transposed(R, n)
    F = apply_transposed(R, f)
    value, l_theta, l_N, l_F, l_tt, l_tN, l_NN = derivatives(scale(2.0 * psi, u), N, F, h, D, u0, slope)

    # in (μ, θ): N and F turn with the middle frame, N' = exp(−μ) N
    G = add(cross(l_N, N), cross(l_F, F))
    p, q = l_NN[0], l_NN[1]  # [N]×ᵀ ℓ_NN [N]×, with rows (0, −N₃, N₂) and (N₃, 0, −N₁) of [N]×
    h_mm = (
        q * N[2] * N[2], 0.0, -q * N[0] * N[2], p * N[2] * N[2], -p * N[1] * N[2], p * N[1] * N[1] + q * N[0] * N[0],
    )  # fmt: skip
    h_mm = symmetric_add(h_mm, symmetric_add(turning(l_N, N), turning(l_F, F)))
    k2 = h * h / 12.0
    # ℓ_θN [N]× + (h²/12) [e3]× [F]×, and [e3]×[F]× = F e3ᵀ − F₃ I
    h_tm = rows_cross(l_tN, N)
    h_tm = (
        h_tm[0] - k2 * F[2], h_tm[1], h_tm[2] + k2 * F[0],
        h_tm[3], h_tm[4] - k2 * F[2], h_tm[5] + k2 * F[1],
        h_tm[6], h_tm[7], h_tm[8],
    )  # fmt: skip

    # to (σ, δ): μ = σ + B δ + …, θ = A δ + …, with B = [b]×
    b = scale(-0.5 * t, u)
    A_l = stretched(a, u, l_theta)
    g_delta = sub(A_l, cross(b, G))  # Bᵀ = −B
    mm = full(h_mm)
    mm_b = rows_cross(mm, b)
    a_tm = rows_stretched(a, u, h_tm)
    Gt = scale(0.25 * t, G)
    Gu = dot(Gt, u)
    sd = matadd(matadd(transposed(a_tm), mm_b), skew(scale(0.5, A_l)))
    Gu_u = outer(Gt, u)
    sd = (
        sd[0] + Gu_u[0] - Gu, sd[1] + Gu_u[1], sd[2] + Gu_u[2],
        sd[3] + Gu_u[3], sd[4] + Gu_u[4] - Gu, sd[5] + Gu_u[5],
        sd[6] + Gu_u[6], sd[7] + Gu_u[7], sd[8] + Gu_u[8] - Gu,
    )  # fmt: skip
    x = rows_cross(a_tm, b)  # A ℓ_θμ B
    z = cross_columns(b, mm_b)  # −Bᵀ ℓ_μμ B
    dd = symmetric_add(stretched_both_sides(a, u, l_tt), curvature_of_theta(l_theta, u, eta, zeta))
    dd = symmetric_add(
        dd,
        (
            2.0 * x[0] - z[0], x[1] + x[3] - z[1], x[2] + x[6] - z[2], 2.0 * x[4] - z[4], x[5] + x[7] - z[5],
            2.0 * x[8] - z[8],
        ),
    )  # fmt: skip
    dd = symmetric_add(dd, symmetric_product(u, scale(0.125 * t * t, cross(u, G))))
    aa, ab, bb = site_blocks(h_mm, sd, dd, e)

    half_G = scale(0.5, G)
    gradient_a = apply(e, sub(half_G, g_delta))
    gradient_b = apply_transposed(e, add(half_G, g_delta))

    # closure: −∂/∂n of the gradient, for n along each world axis at once (columns of Rᵀ)
    Rt = transposed(R)
    scaled = (p * Rt[0], p * Rt[1], p * Rt[2], q * Rt[3], q * Rt[4], q * Rt[5], 0.0, 0.0, 0.0)
    c_sigma = matadd(cross_columns(N, scaled), matscale(-1.0, cross_columns(l_N, Rt)))
    c_delta = matadd(rows_stretched(a, u, matmul(l_tN, Rt)), cross_columns(b, c_sigma))
    half_c = matscale(0.5, c_sigma)
    column_a = transposed(matmul(e, matadd(half_c, c_delta)))
    column_b = transposed(matmul(transposed(e), matadd(half_c, matscale(-1.0, c_delta))))
    advance = scale(-1.0, apply(R, l_N))
    block = matmul(R, matscale(-1.0, scaled))
    return value, gradient_a, gradient_b, full(aa), ab, full(bb), advance, column_a, column_b, block
