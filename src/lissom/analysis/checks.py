"""Checks of a solved cable against the limits of what it is made of.

Each part of a cable is checked against the limits of its own type. A rule that the type of a stretch does not
state is taken from the cable, so that leaving it out never weakens a check; the exception is the stress,
which belongs to one material. Parts under the same limit are one check.

The margin is in the unit of the limit and positive where the rule is kept. What could not be checked has ok =
None and says why: it is never counted as passed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.along import Along, Array, Region, regions
from lissom.analysis.stress import bending_stress
from lissom.rods.result import CableResult
from lissom.rods.surroundings import Clearance
from lissom.scene import Scene

# A value this close to its limit, relative, is on it: rounding must not fail a check.
ROUNDING = 1e-9

UNITS = {"bend_radius": "m", "tension": "N", "twist_per_length": "rad/m", "stress": "Pa", "clearance": "m"}
"""The rules, and the SI units of their limits."""


@dataclass(frozen=True, slots=True)
class Check:
    """One rule, and how the shape does against it."""

    rule: str  # bend_radius, tension, twist_per_length, stress, clearance
    limit: float
    value: float | None  # the worst along the cable; None if not checked; inf: straight, for a bend radius
    margin: float | None  # positive: kept
    cable: str
    at: float | None  # where the worst is, as a fraction of the length
    ok: bool | None  # None: not checked
    unit: str = ""  # SI, of limit, value and margin
    measured: str = ""  # centre or inside, for a bend radius
    stretch: str = ""  # the type of the stretch that states the limit, if one does
    note: str = ""  # why it was not checked
    part: str = ""  # the nearest one, for a clearance


@dataclass(frozen=True, slots=True)
class Rule:
    """A limit, and the regions it holds for."""

    rule: str
    limit: float
    measured: str
    stretch: str
    regions: tuple[int, ...]


def check_cable(
    scene: Scene, name: str, result: CableResult | None, clearances: Sequence[Clearance] | None = None
) -> tuple[Check, ...]:
    """All checks of one cable; without a shape (`result` None) none of them can be made.

    `clearances` are those of this cable to the parts that it may touch; None where they are not known.
    """
    if result is None:
        known = rules(scene, name, regions(scene, name))
        return tuple(unchecked(rule, name, "there is no shape to check") for rule in known)
    along = Along(scene, result)
    return tuple(
        check_clearance(rule, along, clearances) if rule.rule == "clearance" else check(rule, along)
        for rule in rules(scene, name, along.regions)
    )


def rules(scene: Scene, name: str, parts: tuple[Region, ...]) -> list[Rule]:
    """The limits that hold along a cable, those of equal value together."""
    own = scene.type_of(name).limits
    found: list[Rule] = []
    for rule in UNITS:
        groups: dict[tuple[float, str, str], list[int]] = {}
        for number, part in enumerate(parts):
            stated = part.made.limits
            said_here = stated is not None and getattr(stated, rule) is not None
            limits = stated if said_here else None if rule == "stress" else own
            limit = None if limits is None else getattr(limits, rule)
            if limits is not None and limit is not None:
                measured = limits.measured if rule == "bend_radius" else ""
                stretch = part.stretch if said_here else ""
                groups.setdefault((limit, measured, stretch), []).append(number)
        found += [Rule(rule, *key, tuple(numbers)) for key, numbers in groups.items()]
    return found


def check(rule: Rule, along: Along) -> Check:
    """One rule against one shape."""
    name = along.result.name
    inside = np.isin(along.region_of, rule.regions)
    if rule.rule == "bend_radius":
        value, place = tightest(along, rule, inside)
        return judged(rule, value, value - rule.limit, place, along)
    if rule.rule == "tension":
        value, place = along.peak(along.tension, inside)
    elif rule.rule == "twist_per_length":
        if any(along.regions[number].section.is_rope for number in rule.regions):
            return unchecked(rule, name, "a rope has no torsion")
        value, place = along.peak(np.abs(along.torsion), inside)
    else:
        stress = bending_stress(along)
        if np.isnan(stress[inside]).any():
            return unchecked(rule, name, "a measured stiffness does not tell the stress")
        value, place = along.peak(stress, inside)
    return judged(rule, value, rule.limit - value, place, along)


def check_clearance(rule: Rule, along: Along, clearances: Sequence[Clearance] | None) -> Check:
    """The nearest part. Of each part only the nearest place on the cable is known: where that lies in another stretch,
    this one is at least as far away.
    """
    name = along.result.name
    if clearances is None:
        return unchecked(rule, name, "not every cable has a shape")
    if not clearances:
        return unchecked(rule, name, "there is no part that it could touch")
    nearest = min(clearances, key=lambda k: k.distance)
    inside = [k for k in clearances if region_at(along, k.place) in rule.regions]
    here = min(inside, key=lambda k: k.distance, default=nearest)
    worst = here if here.distance < rule.limit else nearest
    found = judged(rule, worst.distance, worst.distance - rule.limit, worst.place, along)
    if all(worst is not k for k in inside) and not found.ok:
        return unchecked(rule, name, f"the nearest place to {worst.part} is in another stretch")
    return replace(found, part=worst.part)


def region_at(along: Along, place: float) -> int:
    """Number of the region at an arc length (m)."""
    segment = np.searchsorted(along.result.s, place, side="right") - 1
    return int(along.region_of[np.clip(segment, 0, len(along.region_of) - 1)])


def tightest(along: Along, rule: Rule, inside: NDArray[np.bool_]) -> tuple[float, float]:
    """Smallest bend radius (m) and its place (m), on the centre line or on the inside of the bend."""
    if rule.measured == "centre":
        curvature, place = along.peak(along.curvature, inside)
        return inverse(curvature), place
    worst, at = np.inf, 0.0
    for number in rule.regions:
        region, here = along.regions[number], along.region_of == number
        if not region.is_flat:
            curvature, place = along.peak(along.curvature, here)
            radius = inverse(curvature) - region.section.radius
        else:
            radius, place = tightest_flat(along, region, here)
        if radius < worst or number == rule.regions[0]:
            worst, at = radius, place
    return worst, at


def tightest_flat(along: Along, region: Region, here: NDArray[np.bool_]) -> tuple[float, float]:
    strains = along.strains[here]
    with np.errstate(divide="ignore"):
        radius: Array = 1.0 / along.curvature[here] - region.reach(strains[:, :, 0], strains[:, :, 1])
    k = int(np.argmin(radius))
    return float(radius.flat[k]), float(along.s[here].flat[k])


def inverse(curvature: float) -> float:
    return np.inf if curvature == 0.0 else 1.0 / curvature


def judged(rule: Rule, value: float, margin: float, place: float, along: Along) -> Check:
    if np.isnan(value) or (np.isinf(value) and rule.rule != "bend_radius"):
        return unchecked(rule, along.result.name, "the value is not finite")
    return Check(
        rule=rule.rule,
        limit=rule.limit,
        value=value,
        margin=margin,
        cable=along.result.name,
        at=place / along.result.length,
        ok=bool(margin >= -ROUNDING * rule.limit),
        unit=UNITS[rule.rule],
        measured=rule.measured,
        stretch=rule.stretch,
    )


def unchecked(rule: Rule, cable: str, why: str) -> Check:
    return Check(
        rule=rule.rule,
        limit=rule.limit,
        value=None,
        margin=None,
        cable=cable,
        at=None,
        ok=None,
        unit=UNITS[rule.rule],
        measured=rule.measured,
        stretch=rule.stretch,
        note=why,
    )


def limits_along(scene: Scene, along: Along, rule: str) -> Iterator[tuple[Region, float, str]]:
    """(region, limit in SI, where measured) of every part of the cable that a rule holds for: to draw it."""
    for found in rules(scene, along.result.name, along.regions):
        if found.rule == rule:
            for number in found.regions:
                yield along.regions[number], found.limit, found.measured
