"""Plain data as TOML text, laid out as a person would write it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

_TABLES = ("clips", "stretches")
"""Lists on a cable that get their own ``[[cables.…]]`` blocks; everything else goes on one line."""

_BLOCKS = ("types", "cables", "parts", "junctions", "joints", "positions", "motions")
"""What comes after the plain values of the scene."""


def toml_text(data: dict[str, Any]) -> str:
    """A whole scene."""
    blocks = [pairs((key, value) for key, value in data.items() if key not in _BLOCKS)]
    for name, made in data.get("types", {}).items():
        blocks.append(f"[types.{key_text(name)}]\n" + pairs(made.items()))
    blocks += [cable_text(cable) for cable in data.get("cables", ())]
    blocks += [part_text(part) for part in data.get("parts", ())]
    blocks += [junction_text(junction) for junction in data.get("junctions", ())]
    blocks += [joint_text(joint) for joint in data.get("joints", ())]
    if data.get("positions"):
        blocks.append("[positions]\n" + pairs(data["positions"].items()))
    blocks += [motion_text(motion) for motion in data.get("motions", ())]
    return "\n".join(block for block in blocks if block)


def cable_text(cable: dict[str, Any]) -> str:
    """``[[cables]]`` with its clips and stretches."""
    text = "[[cables]]\n" + pairs((key, value) for key, value in cable.items() if key not in _TABLES)
    for group in _TABLES:
        for item in cable.get(group, ()):
            text += f"\n[[cables.{group}]]\n" + pairs(item.items())
    return text


def part_text(part: dict[str, Any]) -> str:
    """``[[parts]]`` with one line for each frame."""
    text = "[[parts]]\n" + pairs((key, value) for key, value in part.items() if key != "frames")
    for name, frame in part.get("frames", {}).items():
        text += f"frames.{key_text(name)} = {value_text(frame)}\n"
    return text


def junction_text(junction: dict[str, Any]) -> str:
    """``[[junctions]]`` with one line for each member."""
    text = "[[junctions]]\n" + pairs((key, value) for key, value in junction.items() if key != "members")
    lines = "".join(f"  {value_text(member)},\n" for member in junction.get("members", ()))
    return text + f"members = [\n{lines}]\n"


def joint_text(joint: dict[str, Any]) -> str:
    """``[[joints]]``."""
    return "[[joints]]\n" + pairs(joint.items())


def motion_text(motion: dict[str, Any]) -> str:
    """``[[motions]]`` with one line for each keyframe or track."""
    lists = ("keyframes", "tracks")
    text = "[[motions]]\n" + pairs((key, value) for key, value in motion.items() if key not in lists)
    for key in lists:
        if motion.get(key):
            text += f"{key} = [\n" + "".join(f"  {value_text(item)},\n" for item in motion[key]) + "]\n"
    return text


def pairs(items: Iterable[tuple[str, Any]]) -> str:
    return "".join(f"{key_text(key)} = {value_text(value)}\n" for key, value in items if value is not None)


def key_text(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else value_text(key)


def value_text(value: Any) -> str:
    """A value on one line. Floats are written so that they read back to the bit."""
    if isinstance(value, dict):
        inside = ", ".join(f"{key_text(k)} = {value_text(v)}" for k, v in value.items() if v is not None)
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(value_text(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):  # JSON's escapes are TOML's, except that TOML escapes DEL too
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(float(value)) if isinstance(value, float) else str(value)
