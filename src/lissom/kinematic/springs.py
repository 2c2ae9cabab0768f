"""The spring at a joint [HD00 (4.2)]: ½ k ω², ω the angle between two segments (docs/theory/kinematic.md (2), (4)).

With c = d·e the cosine of ω and u = |e − d|²/4 = sin²(ω/2), which is exact for small angles,

    E = ½ k ω²,    dE/dc = −k ω/sin ω,    d²E/dc² = k (1 − ω cot ω)/sin²ω.
"""

import math

from lissom.geometry.triples import Vector
from lissom.kernels import inline

SMALL = 1e-4  # u below which the series are exact enough: (0.02 rad)²
FOLDED = 1e-12  # 1 − u of two segments that lie on each other, where the derivatives have no bound


@inline
def half_sine(d: Vector, e: Vector) -> float:
    """u = sin²(ω/2)."""
    x, y, z = e[0] - d[0], e[1] - d[1], e[2] - d[2]
    return min(0.25 * (x * x + y * y + z * z), 1.0)


@inline
def energy_at(k: float, u: float) -> float:
    """½ k ω², J, with u = sin²(ω/2)."""
    half = math.asin(math.sqrt(u))
    return 2.0 * k * half * half


@inline
def spring_energy(k: float, d: Vector, e: Vector) -> float:
    """½ k ω², J."""
    return energy_at(k, half_sine(d, e))


@inline
def terms_at(k: float, u: float) -> tuple[float, float, float]:
    """(c, dE/dc, d²E/dc²), with u = sin²(ω/2)."""
    if u < SMALL:
        return 1.0 - 2.0 * u, -k * (1.0 + u * (2.0 / 3.0 + 8.0 / 15.0 * u)), k * (1.0 / 3.0 + 8.0 / 15.0 * u)
    v = max(1.0 - u, FOLDED)
    s = math.sqrt(u * v)  # ½ sin ω
    ratio = math.asin(math.sqrt(u)) / s  # ω / sin ω
    c = 1.0 - 2.0 * u
    return c, -k * ratio, k * (1.0 - ratio * c) / (4.0 * s * s)


@inline
def spring_terms(k: float, d: Vector, e: Vector) -> tuple[float, float, float]:
    """(c, dE/dc, d²E/dc²)."""
    return terms_at(k, half_sine(d, e))
