"""The curve between two nodes: the cubic through them with their tangents.  [docs/theory/core.md §6]

x(t) = α₀ x_s + α₁ x_s+1 + β₀ d3_s + β₁ d3_s+1,  t = 0 … 1 along segment s, primes: d/dt                        (11)
"""

from lissom.geometry.triples import Matrix, Vector, apply_transposed, rotation
from lissom.kernels import inline
from lissom.rods.core.model import Array

Four = tuple[float, float, float, float]


@inline
def weights(t: float, h: float) -> Four:
    """α₀, α₁, β₀, β₁."""
    u = 1.0 - t
    return (1.0 + 2.0 * t) * u * u, t * t * (3.0 - 2.0 * t), h * t * u * u, -h * t * t * u


@inline
def slopes(t: float, h: float) -> Four:
    """Their derivatives by t."""
    u = 1.0 - t
    return -6.0 * t * u, 6.0 * t * u, h * u * (1.0 - 3.0 * t), h * t * (3.0 * t - 2.0)


@inline
def bends(t: float, h: float) -> Four:
    """Their second derivatives."""
    return 12.0 * t - 6.0, 6.0 - 12.0 * t, h * (6.0 * t - 4.0), h * (6.0 * t - 2.0)


@inline
def frame_at(q: Array, i: int) -> Matrix:
    return rotation((q[i, 0], q[i, 1], q[i, 2], q[i, 3]))


@inline
def on_cubic(x: Array, s: int, R0: Matrix, R1: Matrix, w: Four) -> Vector:
    """x(t), x' or x'': of these weights."""
    return (
        w[0] * x[s, 0] + w[1] * x[s + 1, 0] + w[2] * R0[2] + w[3] * R1[2],
        w[0] * x[s, 1] + w[1] * x[s + 1, 1] + w[2] * R0[5] + w[3] * R1[5],
        w[0] * x[s, 2] + w[1] * x[s + 1, 2] + w[2] * R0[8] + w[3] * R1[8],
    )


@inline
def point_at(q: Array, x: Array, h: Array, s: int, t: float) -> Vector:
    if t == 0.0:
        return (x[s, 0], x[s, 1], x[s, 2])
    return on_cubic(x, s, frame_at(q, s), frame_at(q, s + 1), weights(t, h[s]))


@inline
def lever(R: Matrix, v: Vector) -> Vector:
    """∂/∂φ of v·R exp(φ) e3: e3 × Rᵀv."""
    b = apply_transposed(R, v)
    return (-b[1], b[0], 0.0)
