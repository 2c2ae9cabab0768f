"""Vectors of three, symmetric and full 3×3 matrices, and quaternions as plain tuples, for use inside kernels.

Tuples stay in registers after inlining, allocate nothing, and compile unchanged for a GPU.

* a vector is (x, y, z);
* a full matrix is its nine entries row by row;
* a symmetric matrix is (xx, xy, xz, yy, yz, zz);
* a quaternion is (w, x, y, z); a frame's quaternion rotates (x, y, z) onto (d1, d2, d3).
"""

import math

from lissom.kernels import inline

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Matrix = tuple[float, float, float, float, float, float, float, float, float]
Symmetric = tuple[float, float, float, float, float, float]


@inline
def add(a: Vector, b: Vector) -> Vector:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inline
def sub(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inline
def scale(k: float, a: Vector) -> Vector:
    return (k * a[0], k * a[1], k * a[2])


@inline
def dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inline
def skew(a: Vector) -> Matrix:
    """[a]×: skew(a) b = a × b."""
    return (0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0)


@inline
def apply(m: Matrix, v: Vector) -> Vector:
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


@inline
def apply_transposed(m: Matrix, v: Vector) -> Vector:
    return (
        m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
        m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
        m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
    )


@inline
def transposed(m: Matrix) -> Matrix:
    return (m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8])


@inline
def matmul(a: Matrix, b: Matrix) -> Matrix:
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@inline
def matmul_at_b(a: Matrix, b: Matrix) -> Matrix:
    """aᵀ b."""
    return matmul(transposed(a), b)


@inline
def matadd(a: Matrix, b: Matrix) -> Matrix:
    return (
        a[0] + b[0],
        a[1] + b[1],
        a[2] + b[2],
        a[3] + b[3],
        a[4] + b[4],
        a[5] + b[5],
        a[6] + b[6],
        a[7] + b[7],
        a[8] + b[8],
    )


@inline
def matscale(k: float, a: Matrix) -> Matrix:
    return (k * a[0], k * a[1], k * a[2], k * a[3], k * a[4], k * a[5], k * a[6], k * a[7], k * a[8])


@inline
def outer(a: Vector, b: Vector) -> Matrix:
    return (
        a[0] * b[0],
        a[0] * b[1],
        a[0] * b[2],
        a[1] * b[0],
        a[1] * b[1],
        a[1] * b[2],
        a[2] * b[0],
        a[2] * b[1],
        a[2] * b[2],
    )


@inline
def diagonal(d: Vector) -> Matrix:
    return (d[0], 0.0, 0.0, 0.0, d[1], 0.0, 0.0, 0.0, d[2])


@inline
def columns_scaled(m: Matrix, d: Vector) -> Matrix:
    """m · diag(d)."""
    return (
        m[0] * d[0],
        m[1] * d[1],
        m[2] * d[2],
        m[3] * d[0],
        m[4] * d[1],
        m[5] * d[2],
        m[6] * d[0],
        m[7] * d[1],
        m[8] * d[2],
    )


@inline
def rows_scaled(d: Vector, m: Matrix) -> Matrix:
    """diag(d) · m."""
    return (
        d[0] * m[0],
        d[0] * m[1],
        d[0] * m[2],
        d[1] * m[3],
        d[1] * m[4],
        d[1] * m[5],
        d[2] * m[6],
        d[2] * m[7],
        d[2] * m[8],
    )


@inline
def symmetric_apply(m: Symmetric, v: Vector) -> Vector:
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[1] * v[0] + m[3] * v[1] + m[4] * v[2],
        m[2] * v[0] + m[4] * v[1] + m[5] * v[2],
    )


@inline
def symmetric_times(m: Symmetric, b: Matrix) -> Matrix:
    return matmul((m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5]), b)


@inline
def full(m: Symmetric) -> Matrix:
    return (m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5])


@inline
def symmetric_add(a: Symmetric, b: Symmetric) -> Symmetric:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@inline
def rows_cross(m: Matrix, v: Vector) -> Matrix:
    """m [v]×: each row crossed with v."""
    return (
        m[1] * v[2] - m[2] * v[1],
        m[2] * v[0] - m[0] * v[2],
        m[0] * v[1] - m[1] * v[0],
        m[4] * v[2] - m[5] * v[1],
        m[5] * v[0] - m[3] * v[2],
        m[3] * v[1] - m[4] * v[0],
        m[7] * v[2] - m[8] * v[1],
        m[8] * v[0] - m[6] * v[2],
        m[6] * v[1] - m[7] * v[0],
    )


@inline
def cross_columns(v: Vector, m: Matrix) -> Matrix:
    """[v]× m: v crossed with each column."""
    return (
        v[1] * m[6] - v[2] * m[3],
        v[1] * m[7] - v[2] * m[4],
        v[1] * m[8] - v[2] * m[5],
        v[2] * m[0] - v[0] * m[6],
        v[2] * m[1] - v[0] * m[7],
        v[2] * m[2] - v[0] * m[8],
        v[0] * m[3] - v[1] * m[0],
        v[0] * m[4] - v[1] * m[1],
        v[0] * m[5] - v[1] * m[2],
    )


@inline
def quaternion_product(p: Quaternion, q: Quaternion) -> Quaternion:
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@inline
def quaternion_between(p: Quaternion, q: Quaternion) -> Quaternion:
    """p̄ q: the rotation from frame p to frame q, in p's axes."""
    return quaternion_product((p[0], -p[1], -p[2], -p[3]), q)


@inline
def normalized(q: Quaternion) -> Quaternion:
    k = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (k * q[0], k * q[1], k * q[2], k * q[3])


@inline
def rotation(q: Quaternion) -> Matrix:
    """The matrix whose columns are d1, d2, d3."""
    w, x, y, z = q
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


@inline
def tangent(q: Quaternion) -> Vector:
    """d3 of the frame."""
    w, x, y, z = q
    return (2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y))


@inline
def turned(q: Quaternion, a: Vector) -> Quaternion:
    """q · exp(a/2): the frame turned by the rotation vector a, given in its own axes."""
    angle = math.sqrt(dot(a, a))
    if angle < 1e-4:  # series: the next term is below 1e-17
        k = 0.5 - angle * angle / 48.0
        w = 1.0 - angle * angle / 8.0
    else:
        k = math.sin(0.5 * angle) / angle
        w = math.cos(0.5 * angle)
    return normalized(quaternion_product(q, (w, k * a[0], k * a[1], k * a[2])))
