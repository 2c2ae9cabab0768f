"""Numbers with units: ``"420 mm"`` is 0.42.

A plain number is SI. A string is a number followed by a unit of the expected dimension. The product
is formed exactly and rounded once, so that ``"420 mm"`` and ``0.42`` are the same float.
"""

from __future__ import annotations

import difflib
import math
import re
from fractions import Fraction
from typing import Final

_POUND: Final = Fraction(45359237, 100_000_000)  # kg, exact by definition
_INCH: Final = Fraction(254, 10_000)
_POUND_FORCE: Final = _POUND * Fraction(980665, 100_000)
_FOOT: Final = 12 * _INCH
_MILLI: Final = Fraction(1, 1000)
_DEGREE: Final = Fraction(math.pi) / 180  # of the float π: 180 deg is then math.pi, to the bit

_LENGTH = {
    "mm": _MILLI,
    "cm": Fraction(1, 100),
    "m": Fraction(1),
    "km": Fraction(1000),
    "um": _MILLI**2,
    "in": _INCH,
    "ft": _FOOT,
}
_ANGLE = {"rad": Fraction(1), "deg": _DEGREE, "°": _DEGREE, "turn": 360 * _DEGREE, "turns": 360 * _DEGREE}
_FORCE = {"N": Fraction(1), "mN": _MILLI, "kN": Fraction(1000), "MN": Fraction(10**6), "lbf": _POUND_FORCE}
_MASS = {"kg": Fraction(1), "g": _MILLI, "t": Fraction(1000), "lb": _POUND}
_PRESSURE = {
    "Pa": Fraction(1),
    "kPa": Fraction(10**3),
    "MPa": Fraction(10**6),
    "GPa": Fraction(10**9),
    "bar": Fraction(10**5),
    "psi": _POUND_FORCE / _INCH**2,
    "ksi": 1000 * _POUND_FORCE / _INCH**2,
    "N/mm2": Fraction(10**6),
    "N/m2": Fraction(1),
}
_MOMENT = {
    "N m": Fraction(1),
    "N cm": Fraction(1, 100),
    "N mm": _MILLI,
    "mN m": _MILLI,
    "kN m": Fraction(1000),
    "lbf in": _POUND_FORCE * _INCH,
    "lbf ft": _POUND_FORCE * _FOOT,
}
_STIFFNESS = {
    "N m2": Fraction(1),
    "N cm2": Fraction(1, 10**4),
    "N mm2": _MILLI**2,
    "kN m2": Fraction(1000),
    "kN mm2": _MILLI,
    "mN m2": _MILLI,
    "lbf in2": _POUND_FORCE * _INCH**2,
}
_MASS_PER_LENGTH = {
    "kg/m": Fraction(1),
    "g/m": _MILLI,
    "g/mm": Fraction(1),
    "kg/km": _MILLI,
    "lb/ft": _POUND / _FOOT,
    "lb/in": _POUND / _INCH,
}
_DENSITY = {
    "kg/m3": Fraction(1),
    "g/cm3": Fraction(1000),
    "g/ml": Fraction(1000),
    "kg/l": Fraction(1000),
    "kg/dm3": Fraction(1000),
    "lb/in3": _POUND / _INCH**3,
    "lb/ft3": _POUND / _FOOT**3,
}
_CURVATURE = {
    "1/m": Fraction(1),
    "/m": Fraction(1),
    "/mm": Fraction(1000),
    "1/mm": Fraction(1000),
    "1/cm": Fraction(100),
    "1/in": 1 / _INCH,
    **{f"{angle}/{length}": _ANGLE[angle] / _LENGTH[length] for angle in _ANGLE for length in ("m", "mm", "cm")},
}
_ACCELERATION = {
    "m/s2": Fraction(1),
    "mm/s2": _MILLI,
    "cm/s2": Fraction(1, 100),
    "ft/s2": _FOOT,
    "g": Fraction(980665, 100_000),
}
_TIME = {"s": Fraction(1), "ms": _MILLI, "min": Fraction(60)}

UNITS: Final[dict[str, dict[str, Fraction]]] = {
    "number": {},
    "length": _LENGTH,
    "angle": _ANGLE,
    "force": _FORCE,
    "mass": _MASS,
    "pressure": _PRESSURE,
    "moment": _MOMENT,
    "stiffness": _STIFFNESS,
    "mass per length": _MASS_PER_LENGTH,
    "density": _DENSITY,
    "curvature": _CURVATURE,
    "acceleration": _ACCELERATION,
    "time": _TIME,
}
"""Every dimension with its units and their size in SI."""

SI: Final[dict[str, str]] = {
    "number": "",
    "length": "m",
    "angle": "rad",
    "force": "N",
    "mass": "kg",
    "pressure": "Pa",
    "moment": "N m",
    "stiffness": "N m2",
    "mass per length": "kg/m",
    "density": "kg/m3",
    "curvature": "1/m",
    "acceleration": "m/s2",
    "time": "s",
}
"""The unit of a plain number."""

_EXAMPLES: Final[dict[str, str]] = {
    "number": "0.5",
    "length": '"420 mm"',
    "angle": '"90 deg"',
    "force": '"40 N"',
    "mass": '"2.1 kg"',
    "pressure": '"7.5 MPa"',
    "moment": '"0.2 N m"',
    "stiffness": '"0.035 N m2"',
    "mass per length": '"107 g/m"',
    "density": '"1230 kg/m3"',
    "curvature": '"5 1/m"',
    "acceleration": '"9.81 m/s2"',
    "time": '"2.5 s"',
}

_NUMBER: Final = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_QUANTITY: Final = re.compile(rf"\s*({_NUMBER})\s*(.*?)\s*", re.DOTALL)
_LONGEST: Final = 100


class UnitError(ValueError):
    """A text that is no quantity of the expected dimension; the message says what is expected."""


def parse(text: str, dimension: str) -> float:
    """The SI value of ``text``, for example ``parse("420 mm", "length") == 0.42``."""
    units = UNITS[dimension]
    match = _QUANTITY.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise UnitError(f"is not a number with a unit; {expected(dimension)}")
    number, unit = match[1], _spelled(match[2])
    if not unit:
        factor = Fraction(1)
    elif unit in units:
        factor = units[unit]
    else:
        raise UnitError(_wrong_unit(match[2].strip(), unit, dimension))
    try:
        return float(Fraction(number) * factor)
    except OverflowError:
        raise UnitError(f"is too large; {expected(dimension)}") from None


def expected(dimension: str) -> str:
    """What to write, with an example: the cure in an error message."""
    if dimension == "number":
        return f"expected a plain number such as {_EXAMPLES[dimension]}"
    example = _EXAMPLES[dimension]
    return f"expected {_with_article(dimension)} in {SI[dimension]}, or with a unit, such as {example}"


def pattern(dimension: str) -> str:
    """A regular expression (ECMA 262, for the JSON Schema) of the texts :func:`parse` takes."""
    spellings = sorted({s for unit in UNITS[dimension] for s in _spellings(unit)}, key=lambda s: (-len(s), s))
    units = "|".join(_escaped(s) for s in spellings)
    return rf"^\s*{_NUMBER}\s*(?:{units})?\s*$" if units else rf"^\s*{_NUMBER}\s*$"


def _spelled(unit: str) -> str:
    """One spelling: ``N·m²``, ``N*m^2`` and ``N  m2`` are the same unit."""
    for mark, plain in (("²", "2"), ("³", "3"), ("^", ""), ("·", " "), ("*", " "), ("⋅", " "), ("µ", "u")):
        unit = unit.replace(mark, plain)
    return re.sub(r"\s*/\s*", "/", " ".join(unit.split())).replace("Nm", "N m")


def _spellings(unit: str) -> set[str]:
    """The common spellings of a unit, for the schema (the parser takes more)."""
    raised = unit.replace("2", "²").replace("3", "³")
    found = {unit, raised, unit.replace("2", "^2").replace("3", "^3")}
    for name in (unit, raised):
        found |= {name.replace(" ", "·"), name.replace(" ", "*"), name.replace("N m", "Nm")}
    return found


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _escaped(text: str) -> str:
    return re.sub(r"([*^/.])", r"\\\1", text)


def _wrong_unit(written: str, unit: str, dimension: str) -> str:
    others = [name for name, units in UNITS.items() if unit in units]
    if others:
        return f"is {_with_article(others[0])}; {expected(dimension)}"
    known = {u.lower(): u for u in UNITS[dimension]}
    near = difflib.get_close_matches(unit.lower(), known, n=1, cutoff=0.5)
    hint = f', did you mean "{known[near[0]]}"?' if near else ""
    short = written if len(written) <= 20 else written[:17] + "..."
    return f'has the unknown unit "{short}"{hint}; {expected(dimension)}'
