"""Rules of ropes against what a machine shows: breaking, safety factor, sheaves, fleet angles, turns left, slack."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lissom.analysis.checks import Check
from lissom.scene.shape import CapsuleShape, CylinderShape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lissom.machines.machine import Machine
    from lissom.machines.readings import RopeReading
    from lissom.scene import Rope

AT_LEAST = ("safety_factor", "sheave_ratio", "turns")
UNITS = {"breaking_force": "N", "fleet_angle": "rad", "slack": "m"}


def rope_checks(machine: Machine) -> list[Check]:
    """Every rule of every rope, as the machine stands now; the worst place of each, `part` says where. Tensions are the
    largest of the last step. That a rope broke is one that fails, whatever rules it has.
    """
    found: list[Check] = []
    for rope in machine.scene.ropes:
        if rope.limits is None and rope.breaking_force is None:
            continue
        now = machine.rope(rope.name)
        if now.broke is not None and rope.breaking_force is not None:
            force, where = now.broke.force, now.broke.between[0]
            found.append(_judged(rope, "breaking_force", rope.breaking_force, [(force, where)]))
        if rope.limits is None:
            continue
        for rule in ("safety_factor", "sheave_ratio", "fleet_angle", "turns", "slack"):
            limit = getattr(rope.limits, rule)
            if limit is not None:
                found.append(_judged(rope, rule, limit, list(_values(machine, rope, now, rule))))
    return found


def worst(checks: list[Check], later: list[Check]) -> list[Check]:
    """Rule by rule the one with the smaller margin."""
    found = {(check.cable, check.rule): check for check in checks}
    for check in later:
        before = found.get((check.cable, check.rule))
        if before is None or before.margin is None or (check.margin is not None and check.margin < before.margin):
            found[check.cable, check.rule] = check
    return list(found.values())


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
    for i, tension, length, rest in zip(now.leaves, now.peak, now.length, now.rest, strict=True):
        if rule == "safety_factor":
            assert rope.breaking_force is not None
            yield rope.breaking_force / float(tension) if tension > 0.0 else math.inf, now.parts[i]
        elif rule == "slack":
            yield max(0.0, float(rest - length)), now.parts[i]
