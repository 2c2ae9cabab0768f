"""Stiffness and mass of a section [GS07 §2.3].

Round sections, with the moduli piecewise constant over the radius r:
    bending  B = ∫ E x² dA = π/4 Σ E (b⁴ − a⁴)      torsion C = ∫ G r² dA = π/2 Σ G (b⁴ − a⁴)
A rectangle warps in torsion, so that C is not G times the polar moment but Saint-Venant's
    C = G w t³/3 · (1 − 192/π⁵ · t/w · Σ tanh(nπw/2t)/n⁵),  n = 1, 3, 5, …  with w ≥ t.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from lissom.scene.cabletype import CableType, LayeredSection, RectangleSection, RoundSection

Ring = tuple[float, float, float, float, float]
"""Inner radius, outer radius (m), E, G (Pa), density (kg/m³)."""


@dataclass(frozen=True)
class SectionProperties:
    """What the mechanics needs to know of a section, in SI."""

    bending: tuple[float, float]
    """Bending stiffness about d1 and about d2, N m²."""
    torsion: float
    """Torsional stiffness, N m²."""
    axial: float
    """Axial stiffness EA, N; ``math.inf`` when inextensible."""
    mass_per_length: float
    """kg/m."""
    radius: float
    """Outer radius for contact and drawing, m; of a rectangle half the larger side; 0 if not said."""
    fibre_distance: tuple[float, float]
    """Largest distance of material from the d1 axis and from the d2 axis, m, for the surface stress."""
    youngs_modulus: float | None
    """Of the material at the surface, Pa; None for a measured stiffness."""

    @property
    def is_rope(self) -> bool:
        """No bending stiffness at all."""
        return self.bending == (0.0, 0.0)

    @classmethod
    def of(cls, cable_type: CableType) -> SectionProperties:
        """The properties of a type."""
        section = cable_type.section
        if section is None:
            return _measured(cable_type)
        if isinstance(section, RectangleSection):
            return _rectangle(cable_type, section)
        return _rings(cable_type, _rings_of(cable_type, section))


def of(cable_type: CableType) -> SectionProperties:
    """The same as :meth:`SectionProperties.of`."""
    return SectionProperties.of(cable_type)


def _measured(made: CableType) -> SectionProperties:
    stiffness = made.stiffness
    assert stiffness is not None  # validated: without a section there is a stiffness,
    assert made.mass_per_length is not None  # and a mass with it
    radius = made.radius or 0.0
    return SectionProperties(
        bending=stiffness.both,
        torsion=stiffness.torsion or 0.0,
        axial=math.inf if stiffness.axial is None else stiffness.axial,
        mass_per_length=made.mass_per_length,
        radius=radius,
        fibre_distance=(radius, radius),
        youngs_modulus=None,
    )


def _rings_of(made: CableType, section: RoundSection | LayeredSection) -> list[Ring]:
    if isinstance(section, RoundSection):
        material = made.material
        assert material is not None  # validated: such a section has a material
        return [(section.inner, section.outer, material.youngs_modulus, material.shear, material.density or 0.0)]
    inside, rings = section.inner, []
    for layer in section.layers:
        rings.append((inside, layer.outer, layer.youngs_modulus, layer.shear, layer.density or 0.0))
        inside = layer.outer
    return rings


def _rings(made: CableType, rings: list[Ring]) -> SectionProperties:
    bending = math.pi / 4 * math.fsum(E * (b**4 - a**4) for a, b, E, _, _ in rings)
    torsion = math.pi / 2 * math.fsum(G * (b**4 - a**4) for a, b, _, G, _ in rings)
    axial = math.pi * math.fsum(E * (b**2 - a**2) for a, b, E, _, _ in rings)
    mass = math.pi * math.fsum(rho * (b**2 - a**2) for a, b, _, _, rho in rings)
    radius = rings[-1][1]
    return SectionProperties(
        bending=(bending, bending),
        torsion=torsion,
        axial=axial if made.extensible else math.inf,
        mass_per_length=mass if made.mass_per_length is None else made.mass_per_length,
        radius=radius,
        fibre_distance=(radius, radius),
        youngs_modulus=rings[-1][2],
    )


def _rectangle(made: CableType, section: RectangleSection) -> SectionProperties:
    material = made.material
    assert material is not None  # validated: such a section has a material
    w, h, E = section.width, section.height, material.youngs_modulus
    mass = w * h * (material.density or 0.0)
    return SectionProperties(
        bending=(E * w * h**3 / 12, E * h * w**3 / 12),
        torsion=material.shear * rectangle_torsion_constant(w, h),
        axial=E * w * h if made.extensible else math.inf,
        mass_per_length=mass if made.mass_per_length is None else made.mass_per_length,
        radius=max(w, h) / 2,
        fibre_distance=(h / 2, w / 2),
        youngs_modulus=E,
    )


@lru_cache(maxsize=1024)
def rectangle_torsion_constant(width: float, height: float) -> float:
    """Saint-Venant's torsion constant of a rectangle, m⁴."""
    w, t = max(width, height), min(width, height)
    # Terms fall like n⁻⁵ and tanh → 1: the sum of the tail beyond n = 199 is below 1e-10 of the whole
    # and is replaced by its integral, so that what is left is below rounding.
    terms = [math.tanh(n * math.pi * w / (2 * t)) / n**5 for n in range(1, 200, 2)]
    tail = 1 / (8 * 200.0**4)
    return w * t**3 / 3 * (1 - 192 / math.pi**5 * t / w * math.fsum([*terms, tail]))
