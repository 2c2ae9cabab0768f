"""The page's types, generated from the messages: `python -m lissom.studio.types` writes client/src/messages.ts.

Each class becomes an interface; commands, events and snapshots carry their class name as `kind`.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from lissom.session.messages import commands, events, machines, motion, snapshots, values
from lissom.session.messages.commands import Command
from lissom.session.messages.events import Event
from lissom.session.messages.snapshots import Snapshot

HEADING = "// Generated from lissom/session/messages by `python -m lissom.studio.types`; do not edit.\n"

MODULES = (values, commands, events, snapshots, motion, machines)
PLAIN = {str: "string", float: "number", int: "number", bool: "boolean", type(None): "null", Any: "unknown"}


def source() -> str:
    """The text of messages.ts."""
    unions = {"Command": Command, "SessionEvent": Event, "Snapshot": Snapshot}
    said = {member for union in unions.values() for member in get_args(union)}
    known = [k for module in MODULES for k in vars(module).values() if getattr(k, "__module__", "") == module.__name__]
    classes = [k for k in known if inspect.isclass(k) and dataclasses.is_dataclass(k)]
    blocks = [HEADING, *(interface(k, k in said) for k in classes)]
    blocks += [f"export type {name} = {' | '.join(k.__name__ for k in get_args(u))};\n" for name, u in unions.items()]
    return "\n".join(blocks)


def interface(cls: Any, said: bool) -> str:
    hints = get_type_hints(cls)
    lines = [f'  kind: "{cls.__name__}";'] if said else []
    for field in dataclasses.fields(cls):
        optional = field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
        mark = "?" if optional and cls in get_args(Command) else ""
        lines.append(f"  {field.name}{mark}: {type_text(hints[field.name])};")
    comment = " ".join((cls.__doc__ or "").split())
    docs = "" if not comment or comment.startswith(f"{cls.__name__}(") else f"/** {comment} */\n"
    return f"{docs}export interface {cls.__name__} {{\n" + "".join(f"{line}\n" for line in lines) + "}\n"


def type_text(hint: Any) -> str:
    """TypeScript for a Python annotation."""
    if hint in PLAIN:
        return PLAIN[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in inner)
    if origin in (Union, types.UnionType):
        return " | ".join(type_text(k) for k in inner)
    if origin is list:
        text = type_text(inner[0])
        return f"({text})[]" if " " in text and not text.startswith("[") else f"{text}[]"
    if origin is tuple:
        return f"[{', '.join(type_text(k) for k in inner)}]"
    if origin is dict:
        return f"{{ [key: string]: {type_text(inner[1])} }}"  # Record is a command
    if dataclasses.is_dataclass(hint):
        return str(getattr(hint, "__name__", hint))
    raise TypeError(f"{hint}: no TypeScript for it")


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "client/src/messages.ts")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(source(), encoding="utf-8")
