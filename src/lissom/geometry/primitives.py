"""The signed distance of simple convex solids: a half space, a sphere, a capsule, a cylinder.

With d(x) the signed distance, N = ∇d its unit gradient and H = ∇∇d its curvature. ρ is the distance from the axis, e_r
the unit vector away from it, e_φ the one around it.

* half space: d = z, H = 0;
* sphere: d = ρ − R, H = (I − N Nᵀ)/ρ, with ρ the distance from the middle; so the round ends of a capsule;
* side of a capsule or cylinder: d = ρ − R, H = e_φ e_φᵀ/ρ;
* flat end of a cylinder: d = |z| − l, H = 0;
* rim of a cylinder: (ρ − R, |z| − l) = d (c, s), N = c e_r ± s e_z, H = (c/ρ) e_φ e_φᵀ + (1/d) τ τᵀ with
  τ = −s e_r ± c e_z.

d is convex, also along any straight line.
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.nearest import length
from lissom.geometry.solids import CAPSULE, PLANE, SPHERE
from lissom.geometry.triples import Symmetric, Vector, add, dot, scale, sub
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]

SIDE = 0  # the parts: also the half space's only one
TOP = 1
BOTTOM = 2
TOP_RIM = 3
BOTTOM_RIM = 4

LEVEL = 1e-9  # slope of the distance along a segment below which it counts as constant
HALVINGS = 60  # of a segment, in search of a place on it


@inline
def around(n: Vector, k: float) -> Symmetric:
    """k (I − n nᵀ)."""
    return (
        k * (1.0 - n[0] * n[0]), -k * n[0] * n[1], -k * n[0] * n[2],
        k * (1.0 - n[1] * n[1]), -k * n[1] * n[2], k * (1.0 - n[2] * n[2]),
    )  # fmt: skip


@inline
def square(a: Vector, k: float) -> Symmetric:
    """k a aᵀ."""
    return (
        k * a[0] * a[0], k * a[0] * a[1], k * a[0] * a[2], k * a[1] * a[1], k * a[1] * a[2], k * a[2] * a[2],
    )  # fmt: skip


@inline
def round_field(w: Vector, radius: float) -> tuple[float, Vector]:
    """Distance and normal of a sphere around the origin; in its middle, where there is none, the normal is e_z."""
    rho = length(w)
    if rho == 0.0:
        return -radius, (0.0, 0.0, 1.0)
    return rho - radius, scale(1.0 / rho, w)


@inline
def cylinder_field(radius: float, half: float, x: Vector) -> tuple[float, Vector, int]:
    """Distance, normal and nearest part of a cylinder with flat ends."""
    rho = math.sqrt(x[0] * x[0] + x[1] * x[1])
    er = (1.0, 0.0, 0.0) if rho == 0.0 else (x[0] / rho, x[1] / rho, 0.0)
    up = 1.0 if x[2] >= 0.0 else -1.0
    out = rho - radius
    over = abs(x[2]) - half
    if out > 0.0 and over > 0.0:
        d = math.sqrt(out * out + over * over)
        n = add(scale(out / d, er), (0.0, 0.0, up * over / d))
        return d, n, TOP_RIM if up > 0.0 else BOTTOM_RIM
    if out > over:
        return out, er, SIDE
    return over, (0.0, 0.0, up), TOP if up > 0.0 else BOTTOM


@inline
def field(kind: int, size: Array, x: Vector) -> tuple[float, Vector, int]:
    """(d, N, part) at x, in the solid's own axes."""
    if kind == PLANE:
        return x[2], (0.0, 0.0, 1.0), SIDE
    if kind == SPHERE:
        d, n = round_field(x, size[0])
        return d, n, SIDE
    if kind == CAPSULE:
        z = min(max(x[2], -size[1]), size[1])
        d, n = round_field((x[0], x[1], x[2] - z), size[0])
        if x[2] > size[1]:
            return d, n, TOP
        return d, n, BOTTOM if x[2] < -size[1] else SIDE
    return cylinder_field(size[0], size[1], x)


@inline
def curvature(kind: int, size: Array, x: Vector, d: float, n: Vector, part: int) -> Symmetric:
    """H at x, where `field` gave d, n and part. In the middle of round things, where it has no bound, zero."""
    flat = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if kind == PLANE:
        return flat
    if kind == SPHERE or (kind == CAPSULE and part != SIDE):
        rho = d + size[0]
        return around(n, 1.0 / rho) if rho > 0.0 else flat
    rho = math.sqrt(x[0] * x[0] + x[1] * x[1])
    if rho == 0.0 or part in (TOP, BOTTOM):
        return flat
    h = square((-x[1] / rho, x[0] / rho, 0.0), 1.0 / rho)
    if part == SIDE:
        return h
    c = (x[0] * n[0] + x[1] * n[1]) / rho
    tau = (-n[2] * x[0] / rho, -n[2] * x[1] / rho, c)
    g = square(tau, 1.0 / d)
    return (
        c * h[0] + g[0], c * h[1] + g[1], c * h[2] + g[2], c * h[3] + g[3], c * h[4] + g[4], c * h[5] + g[5],
    )  # fmt: skip


@inline
def slope(kind: int, size: Array, a: Vector, s: Vector, t: float) -> float:
    """∂d/∂t at a + t s; it grows with t."""
    _, n, _ = field(kind, size, add(a, scale(t, s)))
    return dot(n, s)


@kernel
def lowest(kind: int, size: Array, a: Vector, b: Vector) -> tuple[float, float]:
    """The stretch (t0, t1) of the segment a … b on which the distance is least; most often a single place."""
    s = sub(b, a)
    level = LEVEL * length(s)
    t0 = 0.0
    t1 = 1.0
    if slope(kind, size, a, s, 0.0) < -level:
        low, high = 0.0, 1.0
        for _ in range(HALVINGS):
            t0 = 0.5 * (low + high)
            if slope(kind, size, a, s, t0) < -level:
                low = t0
            else:
                high = t0
        t0 = high
    if slope(kind, size, a, s, 1.0) > level:
        low, high = t0, 1.0
        for _ in range(HALVINGS):
            t1 = 0.5 * (low + high)
            if slope(kind, size, a, s, t1) > level:
                high = t1
            else:
                low = t1
        t1 = low
    return t0, t1


@kernel
def first_crossing(kind: int, size: Array, a: Vector, b: Vector) -> float:
    """The fraction of the straight path a → b at which it first meets the surface; inf where it does not."""
    at_a, _, _ = field(kind, size, a)
    at_b, _, _ = field(kind, size, b)
    s = sub(b, a)
    if at_a == 0.0:
        return 0.0
    low, high = 0.0, 1.0
    if at_a > 0.0:
        high, _ = lowest(kind, size, a, b)
        at_lowest, _, _ = field(kind, size, add(a, scale(high, s)))
        if at_lowest > 0.0:
            return math.inf
    elif at_b < 0.0:
        return math.inf
    for _ in range(HALVINGS):
        t = 0.5 * (low + high)
        d, _, _ = field(kind, size, add(a, scale(t, s)))
        if (d > 0.0) == (at_a > 0.0) and d != 0.0:
            low = t
        else:
            high = t
    return high
