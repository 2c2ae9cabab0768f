"""The one entry: from what was asked and what is handed out to a certificate for every cable."""

import itertools
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.rods.judge import balance, pressing
from lissom.rods.judge.answer import Answer
from lissom.rods.judge.balance import Body
from lissom.rods.judge.cable import NO_PUSHES, Judged
from lissom.rods.judge.certificate import UNRESOLVED, Certificate, Condition, Looked
from lissom.rods.judge.pressing import Skin, Stretches, Thing, Touch
from lissom.rods.judge.winding import Since, of_mounting, of_pair, of_turns
from lissom.rods.line import Line, Support

Array = NDArray[np.float64]

LEVER = 0.01  # of the shortest cable: moments on a body are measured with a lever of this at least


@dataclass(slots=True)
class Given:
    """One cable: what was asked, and what is handed out."""

    line: Line
    supports: tuple[Support, ...]  # in order along the cable, where they are to be
    answer: Answer
    reactions: Array  # (supports, 6) N, N m
    places: Array  # (supports,) m
    radius: float = 0.0  # m
    stretches: Stretches = ()  # with another radius
    collide: bool = False
    friction: float = 0.0
    ignore: frozenset[str] = frozenset()  # parts that it does not touch
    mounts: tuple[tuple[str, int], ...] = ()  # (part, number of the support on it)
    afloat: frozenset[int] = frozenset()  # numbers of the supports that sit on bodies
    since: Since | None = None  # from which turns are counted
    is_anew: bool = False  # it was laid anew, and not led from another shape


class Case(NamedTuple):
    """Cables that were solved, with all they can meet."""

    cables: Mapping[str, Given]
    things: Mapping[str, Thing]  # parts that can be touched
    bodies: Sequence[Body]
    contacts: Sequence[Touch]


class Judge:
    """Keeps arrays from solve to solve, and nothing else."""

    def __init__(self) -> None:
        self._judged: dict[str, Judged] = {}

    def verdict(self, case: Case) -> dict[str, Certificate]:
        """The certificate of every cable."""
        began = time.perf_counter()
        pushes = pushes_of(case)
        looked: dict[str, Looked] = {}
        for name, given in case.cables.items():
            judged = self._judged.setdefault(name, Judged())
            looked[name] = judged.look(
                given.line, given.supports, given.answer, given.reactions, given.places, pushes.get(name, NO_PUSHES)
            )
        more: dict[str, list[Condition]] = {name: [] for name in case.cables}
        depth = dict.fromkeys(case.cables, 0.0)
        if all(math.isfinite(k.residual) for k in looked.values()) and may_touch(case, looked):
            skins = {name: skin_of(name, given, looked[name].turned) for name, given in case.cables.items()}
            entered, depth = pressing.of_curves(skins, case.things.values())
            pressed = pressing.of_contacts(skins, case.things, case.contacts)
            more = {name: [*pressed[name], *entered[name]] for name in skins}
        if case.bodies:
            for name, found in of_bodies(case).items():
                more[name] += found
        notes: dict[str, tuple[str, ...]] = {}
        lost: dict[str, float] = {}
        for name, given in case.cables.items():
            if given.since is not None and math.isfinite(looked[name].residual):
                wound = of_turns(given.answer, given.supports, given.places, given.afloat, touches(given), given.since)
                more[name] += wound.conditions
                notes[name], lost[name] = tuple(wound.notes), wound.lost
            if given.is_anew and given.line.initial is None and math.isfinite(looked[name].residual):
                more[name] += of_mounting(given.answer, given.supports, given.places, given.afloat)
        for name, condition in of_pairs(case):
            more[name].append(condition)
        for name, seen in looked.items():
            if seen.layer > UNRESOLVED:
                text = f"a layer is not resolved: within a segment it turns by {seen.layer:.2g} rad more or less"
                notes[name] = (*notes.get(name, ()), f"{text}; use more points")
        seconds = (time.perf_counter() - began) / max(len(looked), 1)
        return {
            name: Certificate(k, tuple(more[name]), depth[name], notes.get(name, ()), seconds, lost.get(name, 0.0))
            for name, k in looked.items()
        }


def touches(given: Given) -> bool:
    """Whether it touches cables: itself at least."""
    return given.collide and given.radius > 0.0


def of_pairs(case: Case) -> Iterator[tuple[str, Condition]]:
    """Of cables that touch cables: none has passed through another."""
    names = [name for name, given in case.cables.items() if touches(given) and given.since is not None]
    for name, other in itertools.combinations(names, 2):
        a, b = case.cables[name], case.cables[other]
        assert a.since is not None
        assert b.since is not None
        condition = of_pair(a.answer, b.answer, a.since, b.since, other, max(a.radius, b.radius))
        if condition is not None:
            yield name, condition


def may_touch(case: Case, looked: Mapping[str, Looked]) -> bool:
    """A lone cable that turns by less than half a turn in all does not come back to itself [Fenchel]."""
    if case.things or len(case.cables) > 1 or case.contacts:
        return True
    return any(k.turned >= math.pi and comes_back(case.cables[name]) for name, k in looked.items())


def comes_back(given: Given) -> bool:
    """Whether a cable may touch itself: its points come as near to each other as its curve may."""
    a = given.answer
    return touches(given) and pressing.comes_back(
        a.positions, a.s, max([given.radius, *(k[2] for k in given.stretches)])
    )


def pushes_of(case: Case) -> dict[str, Array]:
    """Contacts as each cable feels them, in order along it: as `alone.look` wants them."""
    found: dict[str, list[tuple[float, ...]]] = {}
    for c in case.contacts:
        if c.body is not None:
            continue
        force, normal, point = np.asarray(c.force), np.asarray(c.normal), np.asarray(c.point)
        given = case.cables[c.cable]
        place, r = segments(given.answer.s, c.place), given.radius
        found.setdefault(c.cable, []).append((place, *force, *(point + r * normal), r))
        if c.other_place is not None:
            other = case.cables[c.part]
            place, r = segments(other.answer.s, c.other_place), other.radius
            found.setdefault(c.part, []).append((place, *-force, *(point - r * normal), r))
    return {name: np.array(sorted(rows)) for name, rows in found.items()}


def segments(s: Array, place: float) -> float:
    """A place along the cable, in segments."""
    return float(np.interp(place, s, np.arange(len(s))))


def skin_of(name: str, given: Given, turned: float) -> Skin:
    whole = [k for k, support in enumerate(given.supports) if all(support.holds)]
    return Skin(
        name=name,
        radius=given.radius,
        stretches=given.stretches,
        length=given.line.length,
        collide=given.collide,
        friction=given.friction,
        ignore=given.ignore,
        scale=given.line.force_scale,
        answer=given.answer,
        held=given.places[whole],
        fixed=given.places[[k for k in whole if k not in given.afloat]],
        mounts=tuple((part, float(given.places[k])) for part, k in given.mounts),
        turned=turned,
    )


def of_bodies(case: Case) -> dict[str, list[Condition]]:
    """Balance of every body; a cable that sits on it carries its conditions."""
    found: dict[str, list[Condition]] = {name: [] for name in case.cables}
    if not case.bodies:
        return found
    wrenches: dict[tuple[str, str], tuple[Array, Array]] = {}
    for name, given in case.cables.items():
        s = given.answer.s
        at = np.searchsorted(0.5 * (s[1:] + s[:-1]), given.places)  # the nearest points
        for support, row, point in zip(given.supports, given.reactions, at, strict=True):
            wrenches[name, support.name] = row, given.answer.positions[point]
    least = 1e-3 * max(given.line.force_scale for given in case.cables.values())
    reach = LEVER * min(given.line.length for given in case.cables.values())
    for body in case.bodies:
        if not wrenches.keys() >= set(body.seats):  # a cable on it has no shape: there is nothing to certify
            continue
        conditions = balance.of_body(body, wrenches, case.contacts, least, reach)
        for name in dict.fromkeys(cable for cable, _ in body.seats) or list(case.cables)[:1]:
            found[name] += conditions
    return found
