"""The kinds of values a description holds: quantities, vectors, lists of points, names.

Each kind turns what was written (number, ``"420 mm"``, numpy array) into SI floats and tuples, says
what is wrong in words, and knows its JSON Schema.
"""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from lissom.scene.described import Slip, reject
from lissom.scene.units import SI, UnitError, expected, parse, pattern

MAX_POINTS: Final = 100_000
"""Of one cable: far beyond any use, and small enough that a hostile file cannot exhaust the memory."""


class _Kind:
    """Something that checks one value: ``check`` returns the clean value or adds to ``slips``."""

    def check(self, value: Any, where: tuple[str | int, ...], slips: list[Slip]) -> Any:
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        raise NotImplementedError

    def __call__(self, value: Any) -> Any:
        slips: list[Slip] = []
        clean = self.check(value, (), slips)
        if slips:
            reject(slips)
        return clean

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return self.schema()


@dataclass(frozen=True)
class Quantity(_Kind):
    """A finite number of some dimension, within bounds. ``hint`` is added when a bound is broken."""

    dimension: str = "number"
    above: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    hint: str = ""

    def check(self, value: Any, where: tuple[str | int, ...], slips: list[Slip]) -> float:
        try:
            number = self._number(value)
        except UnitError as error:
            slips.append((where, value, str(error)))
            return math.nan
        if not math.isfinite(number):
            slips.append((where, value, f"must be finite; {expected(self.dimension)}"))
        elif broken := self._broken_bound(number):
            slips.append((where, value, broken + (f"; {self.hint}" if self.hint else "")))
        return number

    def _number(self, value: Any) -> float:
        if isinstance(value, str):
            return parse(value, self.dimension)
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise UnitError(f"is not a number; {expected(self.dimension)}")
        try:
            return float(value)
        except OverflowError:
            raise UnitError(f"is too large; {expected(self.dimension)}") from None

    def _broken_bound(self, number: float) -> str:
        unit = f" {SI[self.dimension]}" if SI[self.dimension] else ""
        if self.at_least is not None and self.at_most is not None:
            inside = self.at_least <= number <= self.at_most
            return "" if inside else f"must lie between {self.at_least:g} and {self.at_most:g}{unit}"
        if self.above is not None and not number > self.above:
            return f"must be greater than {self.above:g}{unit}"
        if self.at_least is not None and not number >= self.at_least:
            return f"must be at least {self.at_least:g}{unit}"
        if self.at_most is not None and not number <= self.at_most:
            return f"must be at most {self.at_most:g}{unit}"
        return ""

    def schema(self) -> dict[str, Any]:
        number: dict[str, Any] = {"type": "number"}
        if self.above is not None:
            number["exclusiveMinimum"] = self.above
        if self.at_least is not None:
            number["minimum"] = self.at_least
        if self.at_most is not None:
            number["maximum"] = self.at_most
        return {"anyOf": [number, {"type": "string", "pattern": pattern(self.dimension)}]}


_WORDS: Final = {2: "two", 3: "three", 4: "four"}


@dataclass(frozen=True)
class Components(_Kind):
    """A fixed number of quantities of one dimension; ``nonzero`` forbids the zero vector."""

    each: Quantity
    count: int = 3
    nonzero: bool = False

    def check(self, value: Any, where: tuple[str | int, ...], slips: list[Slip]) -> tuple[float, ...]:
        items = sequence(value)
        if items is None or len(items) != self.count:
            found = "" if items is None else f", not {len(items)}"
            slips.append(
                (where, value, f"must be a list of {_WORDS[self.count]} numbers{found}, such as {self._example()}")
            )
            return ()
        before = len(slips)
        clean = tuple(self.each.check(item, (*where, i), slips) for i, item in enumerate(items))
        if self.nonzero and len(slips) == before and not 1e-12 < math.hypot(*clean) < 1e100:
            slips.append((where, value, "must not be the zero vector; it gives a direction, such as [1, 0, 0]"))
        return clean

    def _example(self) -> str:
        return {2: "[0.02, 0.05]", 3: "[0.1, 0, 0.2]", 4: "[1, 0, 0, 0]"}[self.count]

    def schema(self) -> dict[str, Any]:
        each = self.each.schema()
        return {"type": "array", "items": each, "minItems": self.count, "maxItems": self.count}


@dataclass(frozen=True)
class UnitQuaternion(_Kind):
    """(w, x, y, z), kept as written; of norm 1 within 1e-6, so that a slip is not normalised away."""

    def check(self, value: Any, where: tuple[str | int, ...], slips: list[Slip]) -> tuple[float, ...]:
        before = len(slips)
        clean = Components(Quantity(), 4).check(value, where, slips)
        norm = math.hypot(*clean)
        if len(slips) == before and not abs(norm - 1.0) <= 1e-6:
            if norm > 1e-12:
                cure = "divide by its norm: [" + ", ".join(f"{c / norm:.9g}" for c in clean) + "]"
            else:
                cure = "no rotation is [1, 0, 0, 0]"
            slips.append((where, value, f"must have norm 1 (w, x, y, z) within 1e-6, not {norm:.9g}; {cure}"))
        return clean

    def schema(self) -> dict[str, Any]:
        return Components(Quantity(), 4).schema()


@dataclass(frozen=True)
class Rows(_Kind):
    """A list of vectors, stopping at the first bad one (the others are likely bad the same way)."""

    row: Components
    at_least: int = 2
    at_most: int = MAX_POINTS

    def check(self, value: Any, where: tuple[str | int, ...], slips: list[Slip]) -> tuple[tuple[float, ...], ...]:
        items = sequence(value)
        if items is None or not self.at_least <= len(items) <= self.at_most:
            found = "" if items is None else f", not {len(items)}"
            bound = f"{self.at_least} to {self.at_most} entries of {_WORDS[self.row.count]} numbers each"
            slips.append((where, value, f"must be a list of {bound}{found}"))
            return ()
        rows = []
        for i, item in enumerate(items):
            before = len(slips)
            rows.append(self.row.check(item, (*where, i), slips))
            if len(slips) > before:
                break
        return tuple(rows)

    def schema(self) -> dict[str, Any]:
        row = self.row.schema()
        return {"type": "array", "items": row, "minItems": self.at_least, "maxItems": self.at_most}


@dataclass(frozen=True)
class OneOrList(_Kind):
    """A single value of one kind or, when the first entry is itself a list or ``many`` fits, several."""

    one: Quantity | Components
    many: Components | Rows

    def check(self, value: Any, where: tuple[str | int, ...], slips: list[Slip]) -> Any:
        items = sequence(value)
        if isinstance(self.one, Quantity):
            several = items is not None
        else:
            several = items is not None and len(items) > 0 and sequence(items[0]) is not None
        return (self.many if several else self.one).check(value, where, slips)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.one.schema(), self.many.schema()]}


@dataclass(frozen=True)
class Count(_Kind):
    """A whole number within bounds."""

    at_least: int
    at_most: int
    hint: str = ""

    def check(self, value: Any, where: tuple[str | int, ...], slips: list[Slip]) -> int:
        whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if not whole or not self.at_least <= int(value) <= self.at_most:
            cure = f"; {self.hint}" if self.hint else ""
            slips.append((where, value, f"must be a whole number from {self.at_least} to {self.at_most}{cure}"))
            return 0
        return int(value)

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.at_least, "maximum": self.at_most}


@dataclass(frozen=True)
class Text(_Kind):
    """A text of bounded size. A ``name`` can be part of a path: no ``/`` or ``=``, no control characters."""

    at_most: int = 10_000
    name: bool = False

    def check(self, value: Any, where: tuple[str | int, ...], slips: list[Slip]) -> str:
        if not isinstance(value, str):
            slips.append((where, value, 'must be a text in quotes, such as "brake hose"'))
            return ""
        if len(value) > self.at_most:
            slips.append((where, value, f"must have at most {self.at_most} characters, not {len(value)}"))
        elif any(0xD800 <= ord(c) <= 0xDFFF for c in value):
            slips.append((where, value, "must be valid Unicode (it holds half of a surrogate pair)"))
        elif self.name and (not value.strip() or value != value.strip()):
            slips.append((where, value, "must be a name, without spaces before or after it"))
        elif self.name and (not value.isprintable() or set("/=") & set(value)):
            slips.append((where, value, "must not contain / or = or control characters (names are parts of paths)"))
        return value

    def schema(self) -> dict[str, Any]:
        bounds: dict[str, Any] = {"type": "string", "maxLength": self.at_most}
        return {**bounds, "minLength": 1, "pattern": "^[^/=]+$"} if self.name else bounds


@dataclass(frozen=True)
class EndOrFraction(_Kind):
    """``"start"``, ``"end"``, or a fraction of the length."""

    def check(self, value: Any, where: tuple[str | int, ...], slips: list[Slip]) -> str | float:
        if isinstance(value, str) and value in ("start", "end"):
            return value
        wrong: list[Slip] = []
        fraction = Quantity(at_least=0.0, at_most=1.0).check(value, where, wrong)
        if wrong:
            near = suggestion(value, ("start", "end")) if isinstance(value, str) else ""
            slips.append((where, value, f'must be "start", "end", or a fraction of the length from 0 to 1{near}'))
        return fraction

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [{"enum": ["start", "end"]}, Quantity(at_least=0.0, at_most=1.0).schema()]}


def sequence(value: Any) -> Any:
    """The value as a list or tuple, or None if it is no list of anything."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        return value.tolist()
    return value if isinstance(value, (list, tuple)) else None


def suggestion(word: object, known: Iterable[str]) -> str:
    """``; did you mean "length"?``, or nothing."""
    near = difflib.get_close_matches(str(word)[:100], list(known), n=1, cutoff=0.6)
    return f'; did you mean "{near[0]}"?' if near else ""


Vec2 = tuple[float, float]
Vec3 = tuple[float, float, float]
Vec4 = tuple[float, float, float, float]


def _within(dimension: str, size: float) -> Quantity:
    """Finite is not enough: squares must not overflow either. The sizes are beyond any cable."""
    return Quantity(dimension, at_least=-size, at_most=size)


FAR: Final = 1e6
"""The largest coordinate, 1000 km: what is beyond is a slip."""

Fraction01 = Annotated[float, Quantity(at_least=0.0, at_most=1.0, hint="it is a fraction of the length")]
Length = Annotated[float, Quantity("length", above=0.0, at_most=FAR)]
LengthOrZero = Annotated[float, Quantity("length", at_least=0.0, at_most=FAR)]
Position = Annotated[Vec3, Components(_within("length", FAR))]
Direction = Annotated[Vec3, Components(Quantity(), nonzero=True)]
Quaternion = Annotated[Vec4, UnitQuaternion()]
Roll = Annotated[
    float,
    Quantity(
        "angle",
        at_least=-4 * math.pi,
        at_most=4 * math.pi,
        hint='a plain number is in radians: write "90 deg"',
    ),
]
Force = Annotated[Vec3, Components(_within("force", 1e12))]
Moment = Annotated[Vec3, Components(_within("moment", 1e12))]
Acceleration = Annotated[Vec3, Components(_within("acceleration", 1e4))]
Polyline = Annotated[tuple[Vec3, ...], Rows(Components(_within("length", FAR)))]
Curvatures = Annotated[
    Vec3 | tuple[Vec3, ...],
    OneOrList(Components(_within("curvature", 1e6)), Rows(Components(_within("curvature", 1e6)))),
]
Name = Annotated[str, Text(200, name=True)]
Prose = Annotated[str, Text()]
