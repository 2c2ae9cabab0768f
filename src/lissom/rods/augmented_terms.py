"""The augmented Lagrangian of positions and orientations together, with its derivatives [GS07 §4–§5].

Continuous law: a cable of least energy ½ ∫ (ω − ω₀)·D (ω − ω₀) ds − ∫ f·x ds under the constraint x' = (1 +
e) d3, where the stretch e is zero, or has the energy ½ ∫ EA e² ds. The constraint is two of GS07's at once:
the length is conserved [GS07 §5.2] and the quaternions agree with the positions [GS07 §5.4].

Discretisation: positions x at the points, frames on the segments and at the points a support holds. Bending
and torsion are those of staggered.py. A segment of length h with ends x, x₊ and frame R adds

    h (n·c + ½ ρ |c|²) + ½ h EA e²,   c = v − (1 + e) d3,   v = (x₊ − x)/h

GS07 calls ρ c the proportional and n the integral force [GS07 §5.2]; n is the multiplier of the constraint
and, at equilibrium, the internal force. The stretch is eliminated where it is least: with c₀ = v − d3, β =
1/(EA + ρ) and t = (n + ρ c₀)·d3 it is e = β t, and the segment adds

    h (n·c₀ + ½ ρ |c₀|² − ½ β t²)                                       (β = 0 where it does not stretch)

Its derivatives, with p = Rᵀ(n + ρ c₀), k = 1 + e, g = e3 × p and d3 changing by R (φ × e3):

    ∂v:  λ = n + ρ c        ∂φ: −k g
    ∂vv: ρ (I − β ρ d3 d3ᵀ) ∂vφ: −ρ (k ∂d3 + β d3 gᵀ)
    ∂φφ: k ((p₃ + ρ) (φ₁² + φ₂²) − φ₃ (p₁φ₁ + p₂φ₂)) − β (g·φ)²  as a quadratic form

GS07 keeps quaternions of length one by another constraint [GS07 §5.5]; here frames move by R ← R·exp(φ),
which keeps them so. Weight acts at the points, half a segment to each side [GS07 §5.3]. Symbols: x m; φ, v,
c, e without unit; n, λ, ρ, EA N; D N m²; f N (per point).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import (
    Matrix,
    Quaternion,
    Vector,
    add,
    apply_transposed,
    dot,
    rotation,
    scale,
    sub,
    tangent,
)
from lissom.kernels import inline, kernel
from lissom.rods import staggered
from lissom.rods.augmented_band import put
from lissom.rods.chain import Chain, frame, triple

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class Layout(NamedTuple):
    """Where the unknowns stand: point, frame held at it, frame of the segment after it, next point, …

    Held components have no unknown. p: point, i: frame, s: segment, r: row (unknown).
    """

    of_point: Indices  # (p, 3) row of the position along x, y, z; −1 where a support holds it
    of_frame: Indices  # (i, 3) row of the turn about d1, d2, d3; −1 where a support holds it
    segment_frame: Indices  # (s,) the frame of each segment
    first: Indices  # (r,) first column of the row
    metric: Array  # (r,) 1 for a turn, 1/L² for a position: a turn of 1 rad weighs as much as a move by L
    load: Array  # (p, 3) force at the point, N


class State(NamedTuple):
    x: Array  # (p, 3) m, from the first support
    q: Array  # (i, 4)
    n: Array  # (s, 3) multipliers, N


@inline
def segment_vector(x: Array, s: int, h: float) -> Vector:
    """v = (x₊ − x)/h."""
    return ((x[s + 1, 0] - x[s, 0]) / h, (x[s + 1, 1] - x[s, 1]) / h, (x[s + 1, 2] - x[s, 2]) / h)


@inline
def segment_energy(q: Quaternion, v: Vector, n: Vector, rho: float, compliance: float) -> float:
    """Per length: n·c₀ + ½ ρ |c₀|² − ½ β t²."""
    d3 = tangent(q)
    c0 = sub(v, d3)
    t = dot(n, d3) + rho * dot(c0, d3)
    beta = compliance / (1.0 + compliance * rho)
    return dot(n, c0) + 0.5 * rho * dot(c0, c0) - 0.5 * beta * t * t


@inline
def segment_force(q: Quaternion, v: Vector, n: Vector, rho: float, compliance: float) -> tuple[Vector, Vector]:
    """(λ, c): the force n + ρ c in the segment and its constraint error."""
    d3 = tangent(q)
    c0 = sub(v, d3)
    t = dot(n, d3) + rho * dot(c0, d3)
    e = compliance / (1.0 + compliance * rho) * t
    c = sub(c0, scale(e, d3))
    return add(n, scale(rho, c)), c


@inline
def segment_derivatives(
    R: Matrix, v: Vector, n: Vector, rho: float, compliance: float, primal: bool
) -> tuple[Vector, Vector, Matrix, Matrix, Matrix]:
    """Per length: ∂v = λ, ∂φ, ∂vv, ∂vφ (rows: v), ∂φφ.

    `primal`: second derivatives of the augmented Lagrangian. Otherwise those that Newton's method on n as
    well needs: the constraint's curvature is weighted with n and not with n + ρ c.
    """
    d3 = (R[2], R[5], R[8])
    p = apply_transposed(R, add(n, scale(rho, sub(v, d3))))
    beta = compliance / (1.0 + compliance * rho)
    k = 1.0 + beta * p[2]
    force = add(n, scale(rho, sub(v, scale(k, d3))))
    gradient = (k * p[1], -k * p[0], 0.0)
    if not primal:
        p = apply_transposed(R, n)
        k = 1.0 + compliance * p[2]
        p = (p[0], p[1], p[2] + rho * (k - 1.0))
    g = (-p[1], p[0], 0.0)
    b = beta * rho * rho
    vv = (
        rho - b * d3[0] * d3[0],
        -b * d3[0] * d3[1],
        -b * d3[0] * d3[2],
        -b * d3[1] * d3[0],
        rho - b * d3[1] * d3[1],
        -b * d3[1] * d3[2],
        -b * d3[2] * d3[0],
        -b * d3[2] * d3[1],
        rho - b * d3[2] * d3[2],
    )
    # R (φ × e3) = φ₂ d1 − φ₁ d2
    turn = (
        -rho * (-k * R[1] + beta * d3[0] * g[0]),
        -rho * (k * R[0] + beta * d3[0] * g[1]),
        0.0,
        -rho * (-k * R[4] + beta * d3[1] * g[0]),
        -rho * (k * R[3] + beta * d3[1] * g[1]),
        0.0,
        -rho * (-k * R[7] + beta * d3[2] * g[0]),
        -rho * (k * R[6] + beta * d3[2] * g[1]),
        0.0,
    )
    straight = k * (p[2] + rho)
    turns = (
        straight - beta * g[0] * g[0],
        -beta * g[0] * g[1],
        -0.5 * k * p[0],
        -beta * g[0] * g[1],
        straight - beta * g[1] * g[1],
        -0.5 * k * p[1],
        -0.5 * k * p[0],
        -0.5 * k * p[1],
        0.0,
    )
    return force, gradient, vv, turn, turns


@kernel
def energy(chain: Chain, layout: Layout, x: Array, q: Array, n: Array, rho: float) -> float:
    """The augmented Lagrangian, J."""
    value = 0.0
    for e in range(len(q) - 1):
        value += staggered.bending_energy(
            frame(q, e), frame(q, e + 1), chain.arc[e], triple(chain.stiffness, e), triple(chain.rest, e)
        )
    for s in range(len(n)):
        h = chain.h[s]
        value += h * segment_energy(
            frame(q, layout.segment_frame[s]), segment_vector(x, s, h), triple(n, s), rho, chain.compliance[s]
        )
    for p in range(len(x)):
        value -= dot(triple(layout.load, p), triple(x, p))
    return value


@kernel
def assemble(
    chain: Chain,
    layout: Layout,
    x: Array,
    q: Array,
    n: Array,
    rho: float,
    primal: bool,
    gradient: Array,
    band: Array,
) -> float:
    """Fills gradient and Hessian (segment_derivatives explains `primal`); returns the largest |c|."""
    gradient[:] = 0.0
    band[:] = 0.0
    assemble_bending(chain, layout, q, gradient, band)
    worst = assemble_segments(chain, layout, x, q, n, rho, primal, gradient, band)
    for p in range(len(x)):
        for k in range(3):
            if layout.of_point[p, k] >= 0:
                gradient[layout.of_point[p, k]] -= layout.load[p, k]
    for m in range(len(chain.moment_site)):
        i = chain.moment_site[m]
        body = body_moment(chain, q, m)
        for k in range(3):
            if layout.of_frame[i, k] >= 0:
                gradient[layout.of_frame[i, k]] -= body[k]
    return worst


@inline
def body_moment(chain: Chain, q: Array, m: int) -> Vector:
    """A moment load in the axes of its frame. It has no energy: only its force enters, and no Hessian."""
    moment = triple(chain.moment, m)
    if chain.moment_turns[m] == 0:
        moment = apply_transposed(rotation(frame(q, chain.moment_site[m])), moment)
    return moment


@kernel
def assemble_bending(chain: Chain, layout: Layout, q: Array, gradient: Array, band: Array) -> None:
    """Bending and torsion [GS07 §5.6], with the exact second derivative of the relative rotation."""
    for e in range(len(q) - 1):
        ga, gb, aa, ab, bb = staggered.bending(
            frame(q, e), frame(q, e + 1), chain.arc[e], triple(chain.stiffness, e), triple(chain.rest, e)
        )
        for k in range(3):
            i = layout.of_frame[e, k]
            j = layout.of_frame[e + 1, k]
            if i >= 0:
                gradient[i] += ga[k]
            if j >= 0:
                gradient[j] += gb[k]
            for l in range(3):
                put(band, i, layout.of_frame[e + 1, l], ab[3 * k + l])
                if l <= k:
                    put(band, i, layout.of_frame[e, l], 0.5 * (aa[3 * k + l] + aa[3 * l + k]))
                    put(band, j, layout.of_frame[e + 1, l], 0.5 * (bb[3 * k + l] + bb[3 * l + k]))


@kernel
def assemble_segments(
    chain: Chain,
    layout: Layout,
    x: Array,
    q: Array,
    n: Array,
    rho: float,
    primal: bool,
    gradient: Array,
    band: Array,
) -> float:
    """Length and coherence [GS07 §5.2, §5.4]; returns the largest |c|."""
    worst = 0.0
    for s in range(len(n)):
        h = chain.h[s]
        f = layout.segment_frame[s]
        v = segment_vector(x, s, h)
        force, g, vv, turn, turns = segment_derivatives(
            rotation(frame(q, f)), v, triple(n, s), rho, chain.compliance[s], primal
        )
        _, c = segment_force(frame(q, f), v, triple(n, s), rho, chain.compliance[s])
        size = dot(c, c)
        if not size <= worst:
            worst = size
        for k in range(3):
            a = layout.of_point[s, k]
            b = layout.of_point[s + 1, k]
            i = layout.of_frame[f, k]
            if a >= 0:
                gradient[a] -= force[k]
            if b >= 0:
                gradient[b] += force[k]
            if i >= 0:
                gradient[i] += h * g[k]
            for l in range(3):
                j = layout.of_frame[f, l]
                put(band, a, j, -turn[3 * k + l])
                put(band, b, j, turn[3 * k + l])
                put(band, b, layout.of_point[s, l], -vv[3 * k + l] / h)
                if l <= k:
                    put(band, a, layout.of_point[s, l], vv[3 * k + l] / h)
                    put(band, b, layout.of_point[s + 1, l], vv[3 * k + l] / h)
                    put(band, i, j, h * turns[3 * k + l])
    return float(np.sqrt(worst))


@kernel
def update_multipliers(chain: Chain, layout: Layout, x: Array, q: Array, n: Array, rho: float) -> None:
    """n ← n + ρ c: the integral forces take over what the proportional ones carried [GS07 §5.2]."""
    for s in range(len(n)):
        t = frame(q, layout.segment_frame[s])
        force, _ = segment_force(t, segment_vector(x, s, chain.h[s]), triple(n, s), rho, chain.compliance[s])
        for k in range(3):
            n[s, k] = force[k]


@kernel
def predict_multipliers(
    chain: Chain, layout: Layout, x: Array, q: Array, n: Array, rho: float, step: Array, out: Array
) -> None:
    """out = λ + ∂λ·step: the multipliers of Newton's step in all unknowns at once.

    To first order the same as updating after the step, but without the rounding of ρ c in positions.
    """
    for s in range(len(n)):
        h = chain.h[s]
        f = layout.segment_frame[s]
        force, _, vv, turn, _ = segment_derivatives(
            rotation(frame(q, f)), segment_vector(x, s, h), triple(n, s), rho, chain.compliance[s], False
        )
        for k in range(3):
            value = force[k]
            for l in range(3):
                a = layout.of_point[s, l]
                b = layout.of_point[s + 1, l]
                j = layout.of_frame[f, l]
                if a >= 0:
                    value -= vv[3 * k + l] * step[a] / h
                if b >= 0:
                    value += vv[3 * k + l] * step[b] / h
                if j >= 0:
                    value += turn[3 * k + l] * step[j]
            out[s, k] = value
