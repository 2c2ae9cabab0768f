"""Sections against closed forms and tables."""

from __future__ import annotations

import math
from typing import Any

import pytest

from lissom.scene import CableType, SectionProperties
from lissom.scene.sections import of, rectangle_torsion_constant

RUBBER = {"youngs_modulus": 7.5e6, "poisson": 0.49, "density": 1230}


def made(**said: Any) -> SectionProperties:
    return SectionProperties.of(CableType(**said))


def test_hollow_round() -> None:
    r = made(section={"diameter": "10.5 mm", "inner_diameter": "3.2 mm"}, material=RUBBER)
    second = math.pi / 64 * (0.0105**4 - 0.0032**4)
    area = math.pi / 4 * (0.0105**2 - 0.0032**2)
    assert r.bending == pytest.approx((7.5e6 * second,) * 2, rel=1e-14)
    assert r.torsion == pytest.approx(7.5e6 / (2 * 1.49) * 2 * second, rel=1e-14)
    assert r.mass_per_length == pytest.approx(1230 * area, rel=1e-14)
    assert r.axial == math.inf
    assert r.radius == 0.00525
    assert r.fibre_distance == (0.00525, 0.00525)
    assert r.youngs_modulus == 7.5e6


def test_radii_and_diameters_say_the_same() -> None:
    a = made(section={"diameter": 0.01, "inner_diameter": 0.004}, material=RUBBER)
    b = made(section={"radius": 0.005, "inner_radius": 0.002}, material=RUBBER)
    assert a == b == of(CableType(section={"radius": 0.005, "inner_radius": 0.002}, material=RUBBER))


def test_axial_stiffness_only_when_asked_for() -> None:
    section = {"radius": 0.005}
    assert made(section=section, material=RUBBER).axial == math.inf
    stretched = made(section=section, material=RUBBER, extensible=True)
    assert stretched.axial == pytest.approx(7.5e6 * math.pi * 0.005**2)


def test_layers_of_one_material_are_that_material() -> None:
    layers = [{"to_radius": r, **RUBBER} for r in (0.002, 0.003, 0.005)]
    layered = made(section={"layers": layers, "inner_radius": 0.001}, extensible=True)
    plain = made(section={"radius": 0.005, "inner_radius": 0.001}, material=RUBBER, extensible=True)
    assert layered.bending == pytest.approx(plain.bending, rel=1e-14)
    assert layered.torsion == pytest.approx(plain.torsion, rel=1e-14)
    assert layered.axial == pytest.approx(plain.axial, rel=1e-14)
    assert layered.mass_per_length == pytest.approx(plain.mass_per_length, rel=1e-14)


def test_layers_against_integration_over_the_radius() -> None:
    copper = {"youngs_modulus": 1.2e11, "shear_modulus": 4.5e10, "density": 8900}
    pvc = {"youngs_modulus": 5e7, "poisson": 0.4, "density": 1400}
    found = made(section={"layers": [{"to_diameter": 0.002, **copper}, {"to_radius": 0.0025, **pvc}]})
    n = 100_000
    bending = torsion = mass = 0.0
    for i in range(n):
        r = (i + 0.5) * 0.0025 / n
        ring = 2 * math.pi * r * 0.0025 / n
        E, G, rho = (1.2e11, 4.5e10, 8900) if r < 0.001 else (5e7, 5e7 / 2.8, 1400)
        bending, torsion, mass = bending + E * r**2 / 2 * ring, torsion + G * r**2 * ring, mass + rho * ring
    assert found.bending[0] == pytest.approx(bending, rel=1e-6)
    assert found.torsion == pytest.approx(torsion, rel=1e-6)
    assert found.mass_per_length == pytest.approx(mass, rel=1e-6)
    assert found.youngs_modulus == 5e7  # of the surface
    assert found.radius == 0.0025


def test_rectangle_is_stiffer_about_the_axis_across_its_width() -> None:
    r = made(
        section={"width": 0.02, "height": 0.002},
        material={"youngs_modulus": 1e9, "shear_modulus": 4e8, "density": 1000},
        extensible=True,
    )
    assert r.bending == pytest.approx((1e9 * 0.02 * 0.002**3 / 12, 1e9 * 0.002 * 0.02**3 / 12), rel=1e-14)
    assert r.fibre_distance == (0.001, 0.01)
    assert r.radius == 0.01
    assert r.axial == pytest.approx(1e9 * 4e-5)
    assert r.mass_per_length == pytest.approx(0.04)


@pytest.mark.parametrize(
    ("ratio", "factor"),  # J / (long side · short side³): Timoshenko & Goodier, Theory of Elasticity, §109
    [(1, 0.140577), (1.2, 0.1661), (1.5, 0.1958), (2, 0.228682), (3, 0.2633), (5, 0.2913), (10, 0.3123)],
)
def test_torsion_constant_of_rectangles(ratio: float, factor: float) -> None:
    digits = len(str(factor)) - 2
    assert rectangle_torsion_constant(ratio, 1.0) / ratio == pytest.approx(factor, abs=0.6 * 10**-digits)
    assert rectangle_torsion_constant(1.0, ratio) == rectangle_torsion_constant(ratio, 1.0)


def test_torsion_constant_of_the_square_to_twelve_digits() -> None:
    assert rectangle_torsion_constant(1.0, 1.0) == pytest.approx(0.140577014955153, rel=1e-12)


def test_measured() -> None:
    m = made(
        stiffness={"bending": [0.02, "0.01 N m2"], "torsion": 0.015, "axial": "2 kN"},
        mass_per_length="50 g/m",
    )
    assert m == SectionProperties((0.02, 0.01), 0.015, 2000.0, 0.05, 0.0, (0.0, 0.0), None)


def test_a_rope() -> None:
    rope = made(stiffness={"bending": 0}, mass_per_length=0.1, radius=0.005)
    assert rope.is_rope
    assert (rope.bending, rope.torsion, rope.axial) == ((0.0, 0.0), 0.0, math.inf)


def test_a_mass_replaces_the_computed_one() -> None:
    filled = made(section={"radius": 0.01}, material={"youngs_modulus": 1e7, "poisson": 0.4}, mass_per_length=0.7)
    assert filled.mass_per_length == 0.7
