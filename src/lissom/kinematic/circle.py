"""The two-segment cable [HD00 §4]: its joint lies on a circle, and the place on it with the least energy is wanted.

Ends a and b, D apart, with two segments of length ℓ: the joint is at M + R n(φ), where M is the middle of the chord,
R² = ℓ² − D²/4, and n(φ) goes around the chord. The angle at the joint is the same everywhere on the circle, so what
differs is the springs at the orientation vectors and the height (docs/theory/kinematic.md (6)).
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, add, cross, dot, scale, sub
from lissom.kernels import inline, lean_kernel
from lissom.kinematic.springs import spring_energy, spring_terms

Array = NDArray[np.float64]

SAMPLES = 12  # around the circle: no minimum of two springs and a weight is narrower than this
POLISHES = 4  # Newton's steps from a sample to the minimum


@inline
def unit_or(v: Vector, other: Vector) -> Vector:
    """v as a unit vector; `other` where it has no direction."""
    size = math.sqrt(dot(v, v))
    return scale(1.0 / size, v) if size > 1e-12 else other


@inline
def sideways(v: Vector, u: Vector) -> Vector:
    """The unit vector at right angles to u that is nearest to v, or some such vector where none is."""
    w = sub(v, scale(dot(v, u), u))
    if dot(w, w) > 1e-6:
        return unit_or(w, w)
    axis = (1.0, 0.0, 0.0) if abs(u[0]) < 0.6 else (0.0, 1.0, 0.0)
    w = sub(axis, scale(dot(axis, u), u))
    return unit_or(w, w)


@inline
def circle_axes(a: Vector, b: Vector, half: float, down: Vector) -> tuple[Vector, Vector, Vector, float, float]:
    """(along the chord, n(0), n(90°), cos β, R): segments of length `half` make the angle β with the chord.

    n(0) is the side that is lowest, so that a cable that nothing pulls to any side hangs.
    """
    chord = sub(b, a)
    size = math.sqrt(dot(chord, chord))
    u = unit_or(chord, (1.0, 0.0, 0.0))
    first = sideways(down, u)
    cosine = min(0.5 * size / half, 1.0)
    return u, first, cross(u, first), cosine, half * math.sqrt(1.0 - cosine * cosine)


@inline
def circle_energy(
    phi: float, axes: tuple[Vector, Vector, Vector, float, float], half: float, v1: Vector, k1: float, v2: Vector,
    k2: float, pull: Vector,
) -> tuple[float, float, float]:  # fmt: skip
    """E(φ) and its first two derivatives; `pull` is the force on the joint, N."""
    u, first, second, cosine, R = axes
    c, s = math.cos(phi), math.sin(phi)
    n = add(scale(c, first), scale(s, second))
    t = add(scale(-s, first), scale(c, second))
    sine = R / half
    energy, slope, curvature = -R * dot(pull, n), -R * dot(pull, t), R * dot(pull, n)
    for side in range(2):
        sign = 1.0 if side == 0 else -1.0
        v = v1 if side == 0 else v2
        k = k1 if side == 0 else k2
        if k == 0.0:
            continue
        d = add(scale(cosine, u), scale(sign * sine, n))
        energy += spring_energy(k, v, d)
        _, first_slope, second_slope = spring_terms(k, v, d)
        change = sign * sine * dot(v, t)  # of the cosine between v and d
        slope += first_slope * change
        curvature += second_slope * change * change - first_slope * sign * sine * dot(v, n)
    return energy, slope, curvature


@inline
def lowest_near(
    phi: float, axes: tuple[Vector, Vector, Vector, float, float], half: float, v1: Vector, k1: float, v2: Vector,
    k2: float, pull: Vector,
) -> tuple[float, float]:  # fmt: skip
    """(φ, E) of the minimum next to a sample."""
    best = circle_energy(phi, axes, half, v1, k1, v2, k2, pull)
    for _ in range(POLISHES):
        step = -best[1] / best[2] if best[2] > 0.0 else -math.copysign(0.2, best[1])
        step = min(max(step, -0.3), 0.3)
        tried = circle_energy(phi + step, axes, half, v1, k1, v2, k2, pull)
        if tried[0] > best[0]:
            break
        phi += step
        best = tried
        if abs(step) < 1e-6:
            break
    return phi, best[0]


@lean_kernel
def circle_minima(
    a: Vector, b: Vector, half: float, v1: Vector, k1: float, v2: Vector, k2: float, pull: Vector, down: Vector,
    minima: Array,
) -> int:  # fmt: skip
    """Fills minima (n, 2) with (φ, E), the lowest first, and gives their number: at least one."""
    axes = circle_axes(a, b, half, down)
    step = 2.0 * math.pi / SAMPLES
    before = circle_energy(-step, axes, half, v1, k1, v2, k2, pull)[0]
    here = circle_energy(0.0, axes, half, v1, k1, v2, k2, pull)[0]
    count = 0
    for i in range(SAMPLES):
        after = circle_energy((i + 1) * step, axes, half, v1, k1, v2, k2, pull)[0]
        if here <= before and here < after and count < len(minima):
            phi, energy = lowest_near(i * step, axes, half, v1, k1, v2, k2, pull)
            at = count
            while at > 0 and minima[at - 1, 1] > energy:
                minima[at, 0], minima[at, 1] = minima[at - 1, 0], minima[at - 1, 1]
                at -= 1
            minima[at, 0], minima[at, 1] = phi, energy
            count += 1
        before, here = here, after
    if count == 0:  # nothing says which way
        minima[0, 0], minima[0, 1] = 0.0, here
        count = 1
    return count


@lean_kernel
def joint_at(a: Vector, b: Vector, half: float, down: Vector, phi: float) -> Vector:
    """Where the joint is."""
    _, first, second, _, R = circle_axes(a, b, half, down)
    n = add(scale(math.cos(phi), first), scale(math.sin(phi), second))
    return add(scale(0.5, add(a, b)), scale(R, n))


@lean_kernel
def two_segment(
    a: Vector, b: Vector, half: float, v1: Vector, k1: float, v2: Vector, k2: float, pull: Vector, down: Vector,
    minima: Array,
) -> Vector:  # fmt: skip
    """The joint of the two-segment cable with the least energy; `half` is the length of a segment."""
    circle_minima(a, b, half, v1, k1, v2, k2, pull, down, minima)
    return joint_at(a, b, half, down, minima[0, 0])
