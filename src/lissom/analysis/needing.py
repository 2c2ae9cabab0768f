"""The length really needed: the shortest with which every check passes at every position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from lissom.analysis.sweepfiles import Request, run_sweep
from lissom.analysis.sweeps import place
from lissom.scene import Scene
from lissom.scene.growing import grown

STEP: Final = 1.04
"""Lengths tried are that much apart until one passes."""
MOST: Final = 40
"""Lengths tried on the way."""
CLOSE: Final = 5e-4
"""Part of the length to which the border is found."""


@dataclass(frozen=True, slots=True)
class Needed:
    """For one cable, the others as they are."""

    cable: str
    now: float  # m
    length: float | None  # m; None: none was found
    why: str  # what fails just below it
    where: str  # at which position


def length_needed(scene: Scene, request: Request, cable: str, tell: Callable[[str], object] | None = None) -> Needed:
    """Sweeps with longer and longer (or, where all is well, shorter and shorter) cables, then bisects."""
    now = scene.cable(cable).length

    def fails(length: float) -> tuple[str, str]:
        if tell is not None:
            tell(f"{cable}: {1000.0 * length:.1f} mm")
        return first_failure(with_length(scene, cable, length), request)

    first = fails(now)
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


def with_length(scene: Scene, cable: str, length: float) -> Scene:
    """Longer or shorter everywhere by the same; what is said as a length from an end stays so."""
    now = scene.cable(cable).length
    return scene if length == now else grown(scene, cable, np.array([0.0, now]), np.array([0.0, length]))


def first_failure(scene: Scene, request: Request) -> tuple[str, str]:
    """What is wrong at the first position where something is, and which that is; two empty texts where nothing is."""
    for swept in run_sweep(scene, request):
        reading = swept.readings[-1]
        if reading.status == "jammed":
            break  # no length helps a part past what stops it
        if reading.status != "converged":
            return reading.reason or reading.status, place(scene, reading)
        failed = [k for k in reading.checks if k.ok is False]
        if failed:
            rules = ", ".join(f"{k.cable}: {k.rule.replace('_', ' ')}" for k in failed)
            return rules, place(scene, reading)
    return "", ""
