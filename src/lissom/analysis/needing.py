"""The length really needed: the shortest with which every check passes at every position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from lissom.analysis.sweepfiles import Request, run_sweep
from lissom.analysis.sweeps import Reading, Swept, place
from lissom.scene import Scene
from lissom.scene.growing import grown
from lissom.scene.placing import mounts

STEP: Final = 1.04
"""Lengths tried are that much apart until one passes."""
MOST: Final = 40
"""Lengths tried on the way."""
CLOSE: Final = 5e-4
"""Part of the length to which the border is found."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A check that a cable fails, or a position at which it is not certified."""

    cable: str
    what: str
    said: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Needed:
    """For one cable, the others as they are."""

    cable: str
    now: float  # m
    length: float | None  # m; None: none was found
    why: str  # what fails just below it
    where: str  # at which position


def length_needed(
    scene: Scene,
    request: Request,
    cable: str,
    swept: Swept | None = None,
    tell: Callable[[str], object] | None = None,
) -> Needed:
    """Sweeps with longer and longer (or, where all is well, shorter and shorter) cables, then bisects.

    `swept` is what was found with the present lengths, where that is known. What other cables fail there is theirs;
    those that are not even certified are left out where nothing hangs on them.
    """
    now = scene.cable(cable).length
    if swept is None:
        *_, swept = run_sweep(scene, request)
    lost = {name for reading in swept.readings for name in reading.uncertified} - {cable}
    if lost := {name for name in lost if stands_alone(scene, name)}:  # nothing is known of this one where they fail
        for name in lost:
            scene = scene.without_cable(name)
        *_, swept = run_sweep(scene, request)
    theirs = {k for reading in swept.readings for k in failures(reading) if k.cable != cable}

    def fails(length: float) -> tuple[str, str]:
        if tell is not None:
            tell(f"how long must {cable} be? trying {1000.0 * length:.1f} mm")
        longer = with_length(scene, cable, length)
        return first_failure(longer, (k.readings[-1] for k in run_sweep(longer, request)), theirs)

    first = first_failure(scene, swept.readings, theirs)
    step = STEP if first[0] else 1.0 / STEP
    bad, good = (now, None) if first[0] else (None, now)
    why, trial = first, now
    for _ in range(MOST):
        trial *= step
        found = fails(trial)
        if found[0]:
            bad, why = trial, found
        else:
            good = trial
        if good is not None and bad is not None:
            break
    if good is None or bad is None:
        return Needed(cable, now, good, *(first if good is None else why))
    while abs(good - bad) > CLOSE * now:
        middle = 0.5 * (good + bad)
        found = fails(middle)
        if found[0]:
            bad, why = middle, found
        else:
            good = middle
    return Needed(cable, now, good, *why)


def stands_alone(scene: Scene, cable: str) -> bool:
    """Whether nothing hangs on a cable: it is in no junction, and holds no free part."""
    joined = any(member.cable == cable for junction in scene.junctions for member in junction.members)
    return not joined and all(scene.part(part).motion != "free" for part, _ in mounts(scene, scene.cable(cable)))


def with_length(scene: Scene, cable: str, length: float) -> Scene:
    """Longer or shorter everywhere by the same; what is said as a length from an end stays so."""
    now = scene.cable(cable).length
    return scene if length == now else grown(scene, cable, np.array([0.0, now]), np.array([0.0, length]))


def failures(reading: Reading) -> Iterator[Failure]:
    """Of all cables at a position."""
    if reading.status == "jammed":
        return  # no length helps a part past what stops it
    if reading.status != "converged":
        for cable in reading.uncertified:
            yield Failure(cable, f"position {reading.number}", reading.reason or reading.status)
    for check in reading.checks:
        if check.ok is False:
            yield Failure(check.cable, check.rule, f"{check.cable}: {check.rule.replace('_', ' ')}")


def first_failure(scene: Scene, readings: Iterable[Reading], theirs: Set[Failure] = frozenset()) -> tuple[str, str]:
    """What is wrong at the first position where something is, and which that is; two empty texts where nothing is.

    What is known to be `theirs`, the other cables', does not count.
    """
    for reading in readings:
        found = [k.said for k in failures(reading) if k not in theirs]
        if found:
            return ", ".join(dict.fromkeys(found)), place(scene, reading)
    return "", ""
