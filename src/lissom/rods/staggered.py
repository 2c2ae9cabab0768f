"""The staggered second-order element: frames on the segments, positions at the points between [GS07 §4.1].

Continuous law: the energy ½ ∫ (ω − ω₀)·D (ω − ω₀) ds and the work −∫ n·d3 ds of the internal force.

Discretisation: an elastic element joins two neighbouring frames over the arc length `a` between the middles of
their segments (half a segment where a clamp holds the frame *at the point*, which GS07 does not do):

    E = ½ a (ω − ω₀)·D (ω − ω₀),  ω = θ/a,  θ = log(RaᵀRb)            [theory (8)]

and a segment of length h whose frame is R adds

    −h n·d3 − h (n·d3)²/(2 EA)                                          [theory (9)]

the second term only where the cable stretches. Symbols: θ rad, ω 1/m, D N m², n N, EA N.
"""

from lissom.geometry.triples import (
    Matrix,
    Quaternion,
    Symmetric,
    Vector,
    apply,
    apply_transposed,
    columns_scaled,
    dot,
    full,
    matscale,
    scale,
    skew,
    symmetric_add,
    tangent,
)
from lissom.kernels import inline
from lissom.rods.relative import (
    curvature_of_theta,
    half_angle_and_axis,
    half_rotation,
    relative_rotation,
    second_order_coefficients,
    site_blocks,
    stretched,
    stretched_both_sides,
)

ZERO: Symmetric = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inline
def bending_energy(qa: Quaternion, qb: Quaternion, a: float, D: Vector, u0: Vector) -> float:
    psi, u, _ = half_angle_and_axis(qa, qb)
    k = 2.0 * psi / a
    e = (k * u[0] - u0[0], k * u[1] - u0[1], k * u[2] - u0[2])
    return 0.5 * a * (D[0] * e[0] * e[0] + D[1] * e[1] * e[1] + D[2] * e[2] * e[2])


@inline
def bending_moment(qa: Quaternion, qb: Quaternion, a: float, D: Vector, u0: Vector) -> tuple[Vector, Quaternion]:
    """The moment the element transmits, in the axes of its middle frame, and that frame."""
    psi, u, v, c, middle = relative_rotation(qa, qb)
    k = 2.0 * psi / a
    M = (D[0] * (k * u[0] - u0[0]), D[1] * (k * u[1] - u0[1]), D[2] * (k * u[2] - u0[2]))
    stretch, _, _, _ = second_order_coefficients(psi, v, c)
    return stretched(stretch, u, M), middle


@inline
def bending(
    qa: Quaternion, qb: Quaternion, a: float, D: Vector, u0: Vector
) -> tuple[Vector, Vector, Matrix, Matrix, Matrix]:
    """Gradients (a, b) and Hessian blocks (aa, ab, bb) of the elastic energy, in the axes of each frame."""
    _, ga, gb, aa, ab, bb = bending_terms(qa, qb, a, D, u0)
    return ga, gb, aa, ab, bb


@inline
def bending_terms(
    qa: Quaternion, qb: Quaternion, a: float, D: Vector, u0: Vector
) -> tuple[float, Vector, Vector, Matrix, Matrix, Matrix]:
    """The elastic energy, and its derivatives as `bending` gives them."""
    psi, u, v, c, _ = relative_rotation(qa, qb)
    stretch, eta, zeta, _ = second_order_coefficients(psi, v, c)
    inverse = 1.0 / a
    k = 2.0 * psi * inverse
    strain = (k * u[0] - u0[0], k * u[1] - u0[1], k * u[2] - u0[2])
    M = (D[0] * strain[0], D[1] * strain[1], D[2] * strain[2])
    AM = stretched(stretch, u, M)
    e = half_rotation(v, c)
    dd = stretched_both_sides(stretch, u, (inverse * D[0], 0.0, 0.0, inverse * D[1], 0.0, inverse * D[2]))
    dd = symmetric_add(dd, curvature_of_theta(M, u, eta, zeta))
    aa, ab, bb = site_blocks(ZERO, matscale(0.5, skew(AM)), dd, e)
    value = 0.5 * a * dot(strain, M)
    return value, scale(-1.0, apply(e, AM)), apply_transposed(e, AM), full(aa), ab, full(bb)


@inline
def segment_energy(q: Quaternion, n: Vector, h: float, compliance: float) -> float:
    tension = dot(n, tangent(q))
    return -h * tension * (1.0 + 0.5 * compliance * tension)


@inline
def segment_advance(q: Quaternion, n: Vector, h: float, compliance: float) -> Vector:
    """x₊ − x = −∂/∂n of the segment's energy: the stretched segment."""
    d3 = tangent(q)
    return scale(h * (1.0 + compliance * dot(n, d3)), d3)


@inline
def segment(R: Matrix, n: Vector, h: float, compliance: float) -> tuple[Vector, Matrix, Matrix]:
    """Gradient, Hessian and closure columns of a segment, in the axes of its frame.

    Row k of the columns is ∂(x₊ − x)_k/∂φ. With N = Rᵀn and d3 turned by φ: N·(φ×e3) = φ·(e3×N) and, to
    second order, ½ (φ·N φ₃ − |φ|² N₃).
    """
    N = apply_transposed(R, n)
    g = (-N[1], N[0], 0.0)  # e3 × N: the derivative of the tension n·d3
    k = h * (1.0 + compliance * N[2])
    gradient = scale(-k, g)
    c = h * compliance
    hessian = (
        k * N[2] - c * g[0] * g[0],
        -c * g[0] * g[1],
        -0.5 * k * N[0],
        -c * g[0] * g[1],
        k * N[2] - c * g[1] * g[1],
        -0.5 * k * N[1],
        -0.5 * k * N[0],
        -0.5 * k * N[1],
        0.0,
    )
    # x₊ − x = h (1 + n·d3/EA) d3, and d3 changes by R (φ × e3) = R (φ₂, −φ₁, 0)
    d3 = (R[2], R[5], R[8])
    columns = (
        -k * R[1] + c * d3[0] * g[0],
        k * R[0] + c * d3[0] * g[1],
        0.0,
        -k * R[4] + c * d3[1] * g[0],
        k * R[3] + c * d3[1] * g[1],
        0.0,
        -k * R[7] + c * d3[2] * g[0],
        k * R[6] + c * d3[2] * g[1],
        0.0,
    )
    return gradient, hessian, columns


@inline
def stretch_block(R: Matrix, h: float, compliance: float) -> Matrix:
    """−∂²/∂n² of the segment's energy: h d3 d3ᵀ/EA."""
    k = h * compliance
    d3 = (R[2], R[5], R[8])
    return columns_scaled((d3[0], d3[0], d3[0], d3[1], d3[1], d3[1], d3[2], d3[2], d3[2]), scale(k, d3))
