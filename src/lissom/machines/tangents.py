"""Where a rope leaves one wheel or profile and meets the next [MCJM18 §3.1, §3.4; docs/theory/machines.md §4].

A rope of direction t that runs in the sense σ about the axis a touches where the outward normal is n = σ t×a (6). With
D = c2 − c1, e = D/|D|, f = e×a and ρ = σ1 r1 − σ2 r2, in one plane (7):

    t = (√(|D|²−ρ²) e − ρ f)/|D|,   p_i = c_i + r_i σ_i t×a,   if |D| > |ρ| (8).

In planes that differ each point is the tangent point in its own plane from the projection of the other one. A profile
is a convex polygon with a radius around it; a wheel is one with a single corner. Its corners are the rows
(x, y, middle angle of the normals there, length of the sides before it), anticlockwise.
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, add, cross, dot, scale, sub
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]

X, Y, MIDDLE, BEFORE = 0, 1, 2, 3  # columns of corners

SAME_PLANE = 1e-14  # of the distance: planes that differ by less are one
SETTLED = 1e-15  # of the distance: points that move by less stay
MOST_TURNS = 200  # of the search for both points: it converges like (r/D)², and nearly touching wheels take long
MOST_CORNERS = 64  # passes over the corners of two profiles; two or three are usual


@inline
def rounded_point(c: Vector, a: Vector, r: float, sigma: float, t: Vector) -> Vector:
    """c + r σ t×a/|t×a|: where a rope of direction t touches (6)."""
    n = cross(t, a)
    k = math.sqrt(dot(n, n))
    return add(c, scale(sigma * r / k, n)) if k > 0.0 else c


@inline
def in_plane(v: Vector, a: Vector) -> Vector:
    return sub(v, scale(dot(v, a), a))


@inline
def direction(d: Vector, a: Vector, rho: float) -> tuple[bool, Vector]:
    """t of (7) for D in the plane of a; whether there is one (8)."""
    square = dot(d, d)
    along = square - rho * rho
    if not along > 0.0:
        return False, d
    return True, sub(scale(math.sqrt(along) / square, d), scale(rho / square, cross(d, a)))


@inline
def tangent_points(
    c1: Vector, a1: Vector, r1: float, s1: float, c2: Vector, a2: Vector, r2: float, s2: float
) -> tuple[bool, Vector, Vector]:
    """(is there one, p1, p2) of the rope from circle 1 to circle 2; s are the senses, a radius 0 is a point."""
    d = sub(c2, c1)
    if r1 == 0.0 and r2 == 0.0:
        return True, c1, c2
    if r1 == 0.0:
        ok, t = direction(in_plane(d, a2), a2, -s2 * r2)
        return ok, c1, rounded_point(c2, a2, r2, s2, t)
    flip = 1.0 if dot(a1, a2) >= 0.0 or r2 == 0.0 else -1.0  # the same sense about an axis that points back
    ok, t = direction(in_plane(d, a1), a1, s1 * r1 - flip * s2 * r2)
    if r2 == 0.0:
        return ok, rounded_point(c1, a1, r1, s1, t), c2
    p1 = rounded_point(c1, a1, r1, s1, t)
    p2 = rounded_point(c2, a2, r2, s2, t)
    lean = cross(a1, a2)
    size = math.sqrt(dot(d, d))
    if max(dot(lean, lean), (dot(d, a1) / size) ** 2) <= SAME_PLANE * SAME_PLANE:
        return ok, p1, p2
    for _ in range(MOST_TURNS):
        one, t1 = direction(in_plane(sub(p2, c1), a1), a1, s1 * r1)
        q1 = rounded_point(c1, a1, r1, s1, t1)
        two, t2 = direction(in_plane(sub(c2, q1), a2), a2, -s2 * r2)
        q2 = rounded_point(c2, a2, r2, s2, t2)
        moved = max(dot(sub(q1, p1), sub(q1, p1)), dot(sub(q2, p2), sub(q2, p2)))
        ok, p1, p2 = one and two, q1, q2
        if not ok or moved <= (SETTLED * size) ** 2:
            break
    return ok, p1, p2


@inline
def corner_place(corners: Array, k: int, c: Vector, e1: Vector, e2: Vector) -> Vector:
    return add(c, add(scale(corners[k, X], e1), scale(corners[k, Y], e2)))


@inline
def furthest(corners: Array, first: int, last: int, x: float, y: float) -> int:
    """The corner that lies furthest along (x, y)."""
    best = first
    for k in range(first + 1, last):
        if (corners[k, X] - corners[best, X]) * x + (corners[k, Y] - corners[best, Y]) * y > 0.0:
            best = k
    return best


@inline
def touched(corners: Array, first: int, last: int, e1: Vector, e2: Vector, sigma: float, t: Vector) -> int:
    """The corner that a rope of direction t lies on."""
    if last - first == 1:
        return first
    n = cross(t, cross(e1, e2))
    return furthest(corners, first, last, sigma * dot(n, e1), sigma * dot(n, e2))


@inline
def place_along(corners: Array, k: int, r: float, angle: float) -> float:
    """w: the length along a profile to where its normal has this angle, at corner k (§5)."""
    middle: float = corners[k, MIDDLE]
    before: float = corners[k, BEFORE]
    return r * (middle + nearest_turn(angle - middle)) + before


@inline
def nearest_turn(angle: float) -> float:
    """The angle in [−π, π] that differs by whole turns."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@kernel
def wheel_tangent(
    c1: Vector, a1: Vector, r1: float, s1: float, c2: Vector, a2: Vector, r2: float, s2: float
) -> tuple[bool, Vector, Vector]:
    """`tangent_points` for callers in Python."""
    return tangent_points(c1, a1, r1, s1, c2, a2, r2, s2)
