"""Certified answers spoilt a little, one number at a time: does the judge notice?

`python -m tests.rods.judge.spoilt [answers] [first seed]` tries all spoils on that many answers, and prints a table.
"""

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom import Scene, Simulation
from lissom.rods.judge.certificate import Certificate
from lissom.rods.judge.verdict import Case, Given, Judge
from lissom.rods.judge.winding import Since
from lissom.rods.line import FRAME
from tests.truth.scenes import scene

Array = NDArray[np.float64]
Spoil = Callable[[Case, np.random.Generator, float], Case | None]

FINE = 0.1  # rad a segment: on coarser grids bounds are wide
AGAIN = 5.0  # where a bound is wider than the spoil, so many times the bound


def certified(count: int, seed: int) -> Iterator[tuple[int, Case]]:
    """Cases of certified answers on fine grids, as the judge heard them."""
    heard: list[tuple[Case, dict[str, Certificate]]] = []
    plain = Judge.verdict

    def listening(self: Judge, case: Case) -> dict[str, Certificate]:
        heard.append((case, plain(self, case)))
        return heard[-1][1]

    found = 0
    while found < count:
        heard.clear()
        data, _ = scene(seed)
        simulation = Simulation(Scene.from_dict(data))
        try:
            Judge.verdict = listening  # type: ignore[method-assign]
            report = simulation.solve()
        finally:
            Judge.verdict = plain  # type: ignore[method-assign]
        if report.ok and heard:
            case, certificates = heard[-1]
            if max(largest_turn(certificates[k]) for k in certificates) <= FINE:
                found += 1
                yield seed, case
        seed += 1


def largest_turn(found: Certificate) -> float:
    return max((k.value for k in found.conditions if k.name == "resolution"), default=0.0)


# ---- spoils ----------------------------------------------------------------------------------------------------------


class Kind(NamedTuple):
    """One way to spoil an answer."""

    spoil: Spoil
    conditions: tuple[str, ...]  # which of the judge's conditions may be wider than the spoil


def way(rng: np.random.Generator) -> Array:
    v = rng.normal(size=3)
    return np.asarray(v / np.linalg.norm(v))


def chosen(case: Case, rng: np.random.Generator) -> tuple[str, Given]:
    name = str(rng.choice(list(case.cables)))
    return name, case.cables[name]


def with_cable(case: Case, name: str, given: Given) -> Case:
    return case._replace(cables={**case.cables, name: given})


def with_array(given: Given, field: str, at: int, value: Array) -> Given:
    array = np.array(getattr(given.answer, field))
    array[at] = value
    array.setflags(write=False)
    return replace(given, answer=given.answer._replace(**{field: array}))


def reaction(case: Case, rng: np.random.Generator, size: float) -> Case | None:
    name, given = chosen(case, rng)
    wrenches = np.array(given.reactions)
    wrenches[rng.integers(len(wrenches)), :3] += (size or 0.01 * given.line.force_scale) * way(rng)
    wrenches.setflags(write=False)
    return with_cable(case, name, replace(given, reactions=wrenches))


def point(case: Case, rng: np.random.Generator, size: float) -> Case | None:
    name, given = chosen(case, rng)
    k = int(rng.integers(1, len(given.answer.s) - 1))
    moved = given.answer.positions[k] + (size or 1e-3 * given.line.length) * way(rng)
    return with_cable(case, name, with_array(given, "positions", k, moved))


def end(case: Case, rng: np.random.Generator, size: float) -> Case | None:
    name, given = chosen(case, rng)
    held = [k for k, support in enumerate(given.supports) if all(support.holds)]
    if not held:
        return None
    k = int(np.argmin(np.abs(given.answer.s - given.places[int(rng.choice(held))])))
    moved = given.answer.positions[k] + (size or 1e-5 * given.line.length) * way(rng)
    return with_cable(case, name, with_array(given, "positions", k, moved))


def frame(case: Case, rng: np.random.Generator, size: float) -> Case | None:
    name, given = chosen(case, rng)
    if given.line.is_rope:
        return None
    k = int(rng.integers(len(given.answer.s)))
    frame = turned(given.answer.quaternions[k], (size or 1e-3) * way(rng))
    return with_cable(case, name, with_array(given, "quaternions", k, frame))


def turned(q: Array, by: Array) -> Array:
    """A frame turned by a rotation vector in its own axes."""
    angle = float(np.linalg.norm(by))
    w, (x, y, z) = math.cos(0.5 * angle), math.sin(0.5 * angle) * by / angle
    a, b, c, d = q
    return np.array(
        [
            a * w - b * x - c * y - d * z,
            a * x + b * w + c * z - d * y,
            a * y - b * z + c * w + d * x,
            a * z + b * y - c * x + d * w,
        ]
    )


def with_contact(case: Case, rng: np.random.Generator, change: Callable[[Any], Any]) -> Case | None:
    touching = [k for k, c in enumerate(case.contacts) if c.body is None]
    if not touching:
        return None
    k = int(rng.choice(touching))
    contacts = list(case.contacts)
    contacts[k] = change(contacts[k])
    return case._replace(contacts=contacts)


def contact_force(case: Case, rng: np.random.Generator, size: float) -> Case | None:
    def change(c: Any) -> Any:
        more = 1.0 + (0.01 if not size else size / float(np.linalg.norm(c.force)))
        return replace(c, force=more * c.force, pressure=more * c.pressure)

    return with_contact(case, rng, change)


def contact_normal(case: Case, rng: np.random.Generator, size: float) -> Case | None:
    def change(c: Any) -> Any:
        side = np.cross(c.normal, way(rng))
        angle = size / max(case.cables[c.cable].radius, size) if size else 0.01  # that far aside on the skin
        tilted = c.normal + math.tan(angle) * side / np.linalg.norm(side)
        return replace(c, normal=tilted / np.linalg.norm(tilted))

    return with_contact(case, rng, change)


def contact_sign(case: Case, rng: np.random.Generator, size: float) -> Case | None:
    return with_contact(case, rng, lambda c: replace(c, force=-c.force, pressure=-c.pressure))


def slide(case: Case, rng: np.random.Generator, size: float) -> Case | None:
    name, given = chosen(case, rng)
    sliding = [k for k, support in enumerate(given.supports) if support.slides]
    if not sliding:
        return None
    places = given.places.copy()
    places[int(rng.choice(sliding))] += (size or 1e-3 * given.line.length) * rng.choice([-1, 1])
    return with_cable(case, name, replace(given, places=places))


def turn(case: Case, rng: np.random.Generator, size: float) -> Case | None:
    """The supports ask for one turn more than the shape has, counted from itself."""
    name, given = chosen(case, rng)
    framed = [k for k, support in enumerate(given.supports) if support.direction == FRAME and k not in given.afloat]
    if len(framed) < 2:
        return None
    a = given.answer
    placed = tuple(k._replace(place=float(p)) for k, p in zip(given.supports, given.places, strict=True))
    asked = list(given.supports)
    asked[framed[-1]] = asked[framed[-1]]._replace(turn=asked[framed[-1]].turn + 2.0 * math.pi * rng.choice([-1, 1]))
    since = Since(False, a.s, a.positions, a.quaternions, placed)
    return with_cable(case, name, replace(given, supports=tuple(asked), since=since))


KINDS = {
    "reaction": Kind(reaction, ("force",)),
    "point": Kind(point, ("shape", "moment")),
    "end": Kind(end, ("place",)),
    "frame": Kind(frame, ("material",)),
    "contact's force": Kind(contact_force, ("force",)),
    "contact's normal": Kind(contact_normal, ("gap", "cone", "push")),
    "contact's sign": Kind(contact_sign, ("push",)),
    "slide's place": Kind(slide, ("points",)),
    "a turn": Kind(turn, ()),
}


def is_noticed(case: Case) -> bool:
    return any(not k.ok for k in Judge().verdict(case).values())


def widest(case: Case, names: Sequence[str]) -> float:
    """The widest bound among some conditions of a case."""
    found = Judge().verdict(case).values()
    return max((c.bound for k in found for c in k.conditions if c.name in names), default=0.0)


def missed(case: Case, kind: Kind, seed: int) -> bool | None:
    """Whether a spoilt answer passes; None where there is nothing of that kind to spoil."""
    spoilt = kind.spoil(case, np.random.default_rng(seed), 0.0)
    if spoilt is None:
        return None
    if is_noticed(spoilt):
        return False
    again = kind.spoil(case, np.random.default_rng(seed), AGAIN * widest(spoilt, kind.conditions))
    return again is None or not is_noticed(again)


def main() -> None:
    given = [int(k) for k in sys.argv[1:]]
    count, first = (*given, *(200, 5000)[len(given) :])
    tried: Counter[str] = Counter()
    passed: dict[str, list[int]] = {name: [] for name in KINDS}
    for seed, case in certified(count, first):
        for name, kind in KINDS.items():
            found = missed(case, kind, seed)
            if found is not None:
                tried[name] += 1
                if found:
                    passed[name].append(seed)
    for name in KINDS:
        print(f"{name:18} {tried[name]:5} tried, {len(passed[name]):3} not noticed {passed[name] or ''}")


if __name__ == "__main__":
    main()
