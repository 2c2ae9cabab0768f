"""Messages as they travel: commands read from JSON that nobody trusts, events and snapshots written.

A frame is binary: uint32 length of its header, the header as JSON padded with spaces to a multiple of four bytes, and
for each strand float32 positions (n×3), quaternions (n×4) and colour (n); then of each rope what `RopeStrand` says.
Little-endian throughout.
"""

from __future__ import annotations

import dataclasses
import json
import math
import struct
import types
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from lissom.session.messages.commands import Command
from lissom.session.messages.events import Event
from lissom.session.messages.machines import Machine
from lissom.session.messages.motion import Sweeps
from lissom.session.messages.snapshots import Frame, Readouts

Array = NDArray[np.float64]

COMMANDS: Final = {k.__name__: k for k in get_args(Command)}
MOST_ITEMS: Final = 100_000
"""Of a list or a table in a command."""
LONGEST_TEXT: Final = 8_000_000
"""Characters: the CSV of a measured cable."""
DEEPEST: Final = 12


class MessageError(ValueError):
    """A command that cannot be understood; says what is wrong with it."""


def read_command(text: str) -> tuple[int, Command]:
    """Its number and the command. Raises MessageError."""
    try:
        data = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise MessageError(f"not JSON: {error}") from None
    if not isinstance(data, dict):
        raise MessageError("a command is a JSON object")
    number, kind = data.pop("id", None), data.pop("kind", None)
    if not isinstance(number, int) or isinstance(number, bool):
        raise MessageError("id: must be a whole number")
    if not isinstance(kind, str) or kind not in COMMANDS:
        raise MessageError(f"kind {kind!r:.60}: there is no such command")
    return number, _made(COMMANDS[kind], data, kind)


def number_of(text: str) -> int:
    """The number of a command that could not be understood, to answer it by; −1 where there is none."""
    try:
        found = json.loads(text).get("id")
    except (ValueError, RecursionError, AttributeError):
        return -1
    return found if isinstance(found, int) and not isinstance(found, bool) else -1


def command_data(command: Command) -> dict[str, Any]:
    """For a recording: the same as it came, without its number."""
    return {"kind": type(command).__name__, **_plain(command)}


def command_from(data: dict[str, Any]) -> Command:
    """A command of a recording."""
    return read_command(json.dumps({"id": 0, **data}))[1]


def event_text(event: Event | Readouts | Sweeps | Machine) -> str:
    """One event, the read-outs, those of a machine, or the sweeps as JSON; numbers that are not finite become null."""
    data = {"kind": type(event).__name__} | _plain(event)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="replace").decode()  # half a character out of a file cannot travel


def frame_bytes(frame: Frame, arrays: Sequence[tuple[Array, ...]]) -> bytes:
    """The header, then (positions, quaternions, colour) of each strand, and the numbers of each rope."""
    header = json.dumps(_plain(frame), ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
    header += b" " * (-len(header) % 4)
    numbers = [np.ascontiguousarray(part, dtype="<f4").tobytes() for strand in arrays for part in strand]
    return b"".join([struct.pack("<I", len(header)), header, *numbers])


def numbers(values: Sequence[Any]) -> Array:
    """As an array of float64."""
    return np.array(values, dtype=float)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    return value


def checked(hint: Any, data: Any, where: str) -> Any:
    """Plain data as what the annotation says. Raises MessageError."""
    return _value(hint, data, where)


def checked_tuple(hint: Any, data: Any, where: str) -> Any:
    """The same, also for `tuple[thing, ...]`."""
    inner = get_args(hint)
    if get_origin(hint) is tuple and len(inner) == 2 and inner[1] is Ellipsis:
        return tuple(_value(list[inner[0]], data, where))  # type: ignore[valid-type]
    return _value(hint, data, where)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


@cache
def hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def _made(cls: Any, data: Any, where: str) -> Any:
    """A dataclass from a JSON object: every field there, of its type, and no other."""
    if not isinstance(data, dict):
        raise MessageError(f"{where}: must be an object")
    fields = {field.name: field for field in dataclasses.fields(cls)}
    for name in data:
        if name not in fields:
            raise MessageError(f"{where}.{name!s:.60}: there is no such field")
    for name, field in fields.items():
        if name not in data and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise MessageError(f"{where}.{name}: is missing")
    return cls(**{name: _value(hints(cls)[name], value, f"{where}.{name}") for name, value in data.items()})


def _value(hint: Any, value: Any, where: str) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return _json(value, where, DEEPEST)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in inner:
            return None
        return _value(next(k for k in inner if k is not type(None)), value, where)
    if origin is Literal:
        if value not in inner or not isinstance(value, str):
            raise MessageError(f"{where} = {value!r:.60}: must be one of {', '.join(map(str, inner))}")
        return value
    if origin is tuple:
        if not isinstance(value, list) or len(value) != len(inner):
            raise MessageError(f"{where}: must be a list of {len(inner)}")
        return tuple(_value(k, v, f"{where}[{i}]") for i, (k, v) in enumerate(zip(inner, value, strict=True)))
    if origin is list:
        if not isinstance(value, list) or len(value) > MOST_ITEMS:
            raise MessageError(f"{where}: must be a list of at most {MOST_ITEMS}")
        return [_value(inner[0], v, f"{where}[{i}]") for i, v in enumerate(value)]
    if origin is dict:
        if not isinstance(value, dict) or len(value) > MOST_ITEMS:
            raise MessageError(f"{where}: must be an object of at most {MOST_ITEMS} entries")
        return {_text(key, where): _value(inner[1], v, f"{where}.{key!s:.60}") for key, v in value.items()}
    if dataclasses.is_dataclass(hint):
        return _made(hint, value, where)
    return _scalar(hint, value, where)


def _scalar(hint: Any, value: Any, where: str) -> Any:
    if hint is float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
            raise MessageError(f"{where} = {value!r:.60}: must be a number")
        return float(value)
    if hint is int:
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 2**53:
            raise MessageError(f"{where} = {value!r:.60}: must be a whole number")
        return value
    if hint is str:
        return _text(value, where)
    if not isinstance(value, bool):
        raise MessageError(f"{where} = {value!r:.60}: must be true or false")
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise MessageError(f"{where}: must be a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise MessageError(f"{where}: holds half a character") from None
    return value


def _json(value: Any, where: str, deep: int) -> Any:
    """Whatever JSON can say, not too deep: the scene's own rules judge it."""
    if deep == 0:
        raise MessageError(f"{where}: is nested too deeply")
    if isinstance(value, str):
        return _text(value, where)
    if isinstance(value, float) and not math.isfinite(value):
        raise MessageError(f"{where}: every number must be finite")
    if isinstance(value, list):
        return [_json(item, where, deep - 1) for item in value]
    if isinstance(value, dict):
        return {_text(key, where): _json(item, where, deep - 1) for key, item in value.items()}
    return value
