"""Units: exact factors, wrong dimensions, odd spellings."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lissom.scene.units import SI, UNITS, UnitError, parse, pattern


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("420 mm", "length", 0.42),
        ("420mm", "length", 0.42),
        (" -1.5e-2 km ", "length", -15.0),
        ("1 in", "length", 0.0254),
        ("2 ft", "length", 0.6096),
        ("3", "length", 3.0),
        ("180 deg", "angle", math.pi),
        ("-90°", "angle", -math.pi / 2),
        ("2 turns", "angle", 4 * math.pi),
        ("7.5 MPa", "pressure", 7.5e6),
        ("210 GPa", "pressure", 2.1e11),
        ("1 psi", "pressure", 6894.7572931683613367),
        ("1 lbf", "force", 4.4482216152605),
        ("35 N mm²", "stiffness", 3.5e-5),
        ("35 N*mm^2", "stiffness", 3.5e-5),
        ("0.2 Nm", "moment", 0.2),
        ("20 N·mm", "moment", 0.02),
        ("107 g/m", "mass per length", 0.107),
        ("1.23 g/cm3", "density", 1230.0),
        ("1.23 g / cm³", "density", 1230.0),
        ("0.01 1/mm", "curvature", 10.0),
        ("180 deg/m", "curvature", math.pi),
        ("1 g", "acceleration", 9.80665),
        ("1 g", "mass", 0.001),
        (".5", "number", 0.5),
    ],
)
def test_values(text: str, dimension: str, value: float) -> None:
    assert parse(text, dimension) == value


@pytest.mark.parametrize(
    ("text", "dimension", "words"),
    [
        ("420 kg", "length", 'is a mass; expected a length in m, or with a unit, such as "420 mm"'),
        ("420 MM", "length", 'unknown unit "MM", did you mean "mm"?'),
        ("long", "length", "is not a number with a unit"),
        ("", "length", "is not a number with a unit"),
        ("1 2", "length", "unknown unit"),
        ("nan", "length", "is not a number"),
        ("inf mm", "length", "is not a number"),
        ("1e999 m", "length", "is too large"),
        ("1e9999999999 m", "length", "unknown unit"),
        ("5 mm", "number", "is a length; expected a plain number"),
        ("9" * 1000, "length", "is not a number"),
    ],
)
def test_what_is_wrong_is_said(text: str, dimension: str, words: str) -> None:
    with pytest.raises(UnitError, match=re.escape(words)):
        parse(text, dimension)


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([d for d in UNITS if SI[d]]))
def test_a_number_with_its_si_unit_is_itself(number: float, dimension: str) -> None:
    assert parse(f"{number!r} {SI[dimension]}", dimension) == number


@given(st.integers(-(10**6), 10**6))
def test_millimetres_are_rounded_once(number: int) -> None:
    assert parse(f"{number} mm", "length") == number / 1000


@pytest.mark.parametrize("dimension", list(UNITS))
def test_the_schema_pattern_takes_what_the_parser_takes(dimension: str) -> None:
    taken = re.compile(pattern(dimension))
    for unit in UNITS[dimension]:
        for text in (
            f"1.5 {unit}",
            f"-2e3{' ' if unit[0] == '1' else ''}{unit}",
            f"7 {unit.replace('2', '²').replace('3', '³')}",
        ):
            parse(text, dimension)
            assert taken.search(text), text
    assert not taken.search("1 furlong")
    assert taken.search("12")
