"""The library: every type is complete, plausible and says where it comes from."""

from __future__ import annotations

import pytest

from lissom.scene import SectionProperties, library


@pytest.mark.parametrize("name", list(library()))
def test_every_type(name: str) -> None:
    made = library()[name]
    properties = SectionProperties.of(made)
    assert len(made.source) > 80
    assert made.description
    assert made.limits is not None
    assert 1e-4 < properties.radius < 0.05
    assert 0.001 < properties.mass_per_length < 2
    mean = properties.mass_per_length / (3.14159 * properties.radius**2)
    assert 500 < mean < 9000, "lighter than foam or heavier than copper"
    if not properties.is_rope:
        solid_rubber = 0.5e6 * 0.785 * properties.radius**4
        solid_steel = 211e9 * 0.786 * properties.radius**4
        assert solid_rubber < properties.bending[0] < solid_steel
        assert properties.torsion > 0


def test_there_are_about_a_dozen() -> None:
    assert 10 <= len(library()) <= 20
    with pytest.raises(TypeError):
        library()["x"] = library()["rg-58"]


def test_music_wire_against_the_closed_form() -> None:
    assert SectionProperties.of(library()["music-wire-1"]).bending[0] == pytest.approx(
        206e9 * 3.141592653589793e-12 / 64
    )
