"""The two-segment cable [HD00 §4]: its joint lies on a circle, and the place on it with the least energy is wanted.

Ends a and b, D apart, with two segments of length ℓ: the joint is at M + R n(φ), where M is the middle of the chord,
R² = ℓ² − D²/4, and n(φ) goes around the chord. The angle at the joint is the same everywhere on the circle, so what
differs is the springs at the orientation vectors and the height (docs/theory/kinematic.md (6)).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, add, cross, dot, scale, sub
from lissom.kernels import inline, lean_kernel
from lissom.kinematic.springs import energy_at, terms_at

Array = NDArray[np.float64]

SAMPLES = 12  # around the circle: no minimum of two springs and a weight is narrower than this
COSINES = tuple(math.cos(2.0 * math.pi * k / SAMPLES) for k in range(SAMPLES))
SINES = tuple(math.sin(2.0 * math.pi * k / SAMPLES) for k in range(SAMPLES))
POLISHES = 4  # Newton's steps from a sample to the minimum


class Around(NamedTuple):
    """E(φ) = −F·n(φ) and two springs: at each the cosine of the angle is along + first cos φ + second sin φ."""

    k1: float  # N m, of the spring at the start
    along1: float
    first1: float
    second1: float
    k2: float  # at the end
    along2: float
    first2: float
    second2: float
    pull_first: float  # N m: R times the force towards n(0)
    pull_second: float  # … towards n(90°)


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
def around_circle(
    axes: tuple[Vector, Vector, Vector, float, float], half: float, v1: Vector, k1: float, v2: Vector, k2: float,
    pull: Vector,
) -> Around:  # fmt: skip
    """What the energy depends on; `pull` is the force on the joint, N."""
    u, first, second, cosine, R = axes
    sine = R / half
    return Around(
        k1, cosine * dot(v1, u), sine * dot(v1, first), sine * dot(v1, second),
        k2, cosine * dot(v2, u), -sine * dot(v2, first), -sine * dot(v2, second),
        R * dot(pull, first), R * dot(pull, second),
    )  # fmt: skip


@inline
def half_sine_at(along: float, first: float, second: float, c: float, s: float) -> float:
    """u = sin²(ω/2) between an orientation vector and its segment."""
    return min(max(0.5 * (1.0 - along - c * first - s * second), 0.0), 1.0)


@inline
def circle_energy(c: float, s: float, o: Around) -> float:
    """E(φ), with c and s the cosine and sine of φ."""
    energy = -c * o.pull_first - s * o.pull_second
    if o.k1 > 0.0:
        energy += energy_at(o.k1, half_sine_at(o.along1, o.first1, o.second1, c, s))
    if o.k2 > 0.0:
        energy += energy_at(o.k2, half_sine_at(o.along2, o.first2, o.second2, c, s))
    return energy


@inline
def circle_slopes(c: float, s: float, o: Around) -> tuple[float, float]:
    """E'(φ) and E''(φ)."""
    slope = s * o.pull_first - c * o.pull_second
    curvature = c * o.pull_first + s * o.pull_second
    if o.k1 > 0.0:
        _, e1, e2 = terms_at(o.k1, half_sine_at(o.along1, o.first1, o.second1, c, s))
        change = c * o.second1 - s * o.first1  # of the cosine between them
        slope += e1 * change
        curvature += e2 * change * change - e1 * (c * o.first1 + s * o.second1)
    if o.k2 > 0.0:
        _, e1, e2 = terms_at(o.k2, half_sine_at(o.along2, o.first2, o.second2, c, s))
        change = c * o.second2 - s * o.first2
        slope += e1 * change
        curvature += e2 * change * change - e1 * (c * o.first2 + s * o.second2)
    return slope, curvature


@inline
def lowest_near(phi: float, energy: float, o: Around) -> tuple[float, float]:
    """(φ, E) of the minimum next to a sample."""
    c, s = math.cos(phi), math.sin(phi)
    for _ in range(POLISHES):
        slope, curvature = circle_slopes(c, s, o)
        step = -slope / curvature if curvature > 0.0 else -math.copysign(0.2, slope)
        step = min(max(step, -0.3), 0.3)
        c, s = math.cos(phi + step), math.sin(phi + step)
        tried = circle_energy(c, s, o)
        if tried > energy:
            break
        phi, energy = phi + step, tried
        if abs(step) < 1e-6:
            break
    return phi, energy


@lean_kernel
def circle_minima(
    a: Vector, b: Vector, half: float, v1: Vector, k1: float, v2: Vector, k2: float, pull: Vector, down: Vector,
    minima: Array,
) -> int:  # fmt: skip
    """Fills minima (n, 2) with (φ, E), the lowest first, and gives their number: at least one."""
    o = around_circle(circle_axes(a, b, half, down), half, v1, k1, v2, k2, pull)
    before = circle_energy(COSINES[-1], SINES[-1], o)
    here = circle_energy(COSINES[0], SINES[0], o)
    count = 0
    for i in range(SAMPLES):
        after = circle_energy(COSINES[(i + 1) % SAMPLES], SINES[(i + 1) % SAMPLES], o)
        if here <= before and here < after and count < len(minima):
            phi, energy = lowest_near(2.0 * math.pi * i / SAMPLES, here, o)
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
