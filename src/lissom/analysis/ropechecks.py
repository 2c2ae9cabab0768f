"""Rules of ropes against what a machine shows: safety factor, sheaves, fleet angles, turns left, slack."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lissom.analysis.checks import Check
from lissom.scene.shape import CapsuleShape, CylinderShape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lissom.machines.machine import Machine, RopeReading
    from lissom.scene import Rope

AT_LEAST = ("safety_factor", "sheave_ratio", "turns")
UNITS = {"fleet_angle": "rad", "slack": "m"}


def rope_checks(machine: Machine) -> list[Check]:
    """Every rule of every rope, as the machine stands now; the worst place of each, `part` says where."""
    found: list[Check] = []
    for rope in machine.scene.ropes:
        if rope.limits is None:
            continue
        now = machine.rope(rope.name)
        for rule in ("safety_factor", "sheave_ratio", "fleet_angle", "turns", "slack"):
            limit = getattr(rope.limits, rule)
            if limit is not None:
                found.append(_judged(rope, rule, limit, list(_values(machine, rope, now, rule))))
    return found


def worst(checks: list[Check], later: list[Check]) -> list[Check]:
    """Rule by rule the one with the smaller margin."""
    if not checks:
        return later
    pairs = zip(checks, later, strict=True)
    return [b if a.margin is None or (b.margin is not None and b.margin < a.margin) else a for a, b in pairs]


def _judged(rope: Rope, rule: str, limit: float, values: list[tuple[float, str]]) -> Check:
    if not values:
        note = "there is nothing on it to check"
        return Check(rule, limit, None, None, rope.name, None, None, UNITS.get(rule, ""), note=note)
    least = rule in AT_LEAST
    value, part = min(values) if least else max(values)
    margin = value - limit if least else limit - value
    return Check(rule, limit, value, margin, rope.name, None, margin >= 0.0, UNITS.get(rule, ""), part=part)


def _values(machine: Machine, rope: Rope, now: RopeReading, rule: str) -> Iterator[tuple[float, str]]:
    """What a rule looks at, each with the part it is on."""
    for k, part in enumerate(now.parts):
        shape = machine.scene.part(part).shape
        if not now.active[k]:
            continue
        wound = k >= len(rope.path) or rope.path[k].side is not None
        if rule == "sheave_ratio" and isinstance(shape, CylinderShape | CapsuleShape) and wound:
            yield 2.0 * shape.outer / rope.diameter, part
        elif rule == "fleet_angle" and wound:
            yield float(now.fleet[k]), part
        elif rule == "turns" and k < len(rope.path) and rope.path[k].kind == "spool":
            yield float(now.turns[k]), part
    for i, tension, length, rest in zip(now.leaves, now.tension, now.length, now.rest, strict=True):
        if rule == "safety_factor":
            assert rope.breaking_force is not None
            factor = rope.breaking_force / float(tension) if tension > 0.0 else math.inf
            yield 0.0 if now.broken else factor, now.parts[i]
        elif rule == "slack":
            yield max(0.0, float(rest - length)), now.parts[i]
