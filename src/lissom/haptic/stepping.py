"""Update rules: from forces to movements [KH05 §II.A (7), §II.C (16)–(20); docs/theory/haptic.md §4].

Every rule first finds a movement ΔP of each point, then one factor c_m for all:

    PLAIN      ΔP = c_F F                       c_m = 1                                    [KH05 (7)]
    LIMITED    ΔP = c_F F                       d_m = max |ΔP_i|                           [KH05 (16), (17)]
    RELATIVE   ΔP = c_F F                       d_m = max |ΔP_i − ΔP_i+1|                  [KH05 (18)]
    MEAN       ΔP = c_F F                       d_m = max |ΔP_i − mean ΔP|                 [KH05, before (18)]
    HEAVY      ΔP = c_h ΔP before + c_F F       d_m as LIMITED                             [KH05 (19)]
    DYNAMIC    ΔP = c_h ΔP before + c_F F       d_m as RELATIVE                            [KH05 (19), (20)]
    VELOCITY   v = c_h v + c_F F, ΔP = v        d_m as RELATIVE                            [KH05, end of §II]

    c_m = 1/c_s, times l_s/d_m where d_m > l_s;   P ← P + c_m ΔP

"Before" is the movement made: with its c_m. A point oscillates where its ΔP turned back, ΔP_t·ΔP_t−1 < 0, in two steps
one after the other. c_s grows by `rise` for each such point in each step, and falls by `fall` in a step without any,
down to 1. VELOCITY also divides the v of such a point by c_s.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.haptic.forces import Aims, Cable, Holds, Planes, Points, add_all
from lissom.kernels import inline, lean_kernel

Array = NDArray[np.float64]

PLAIN = 0
LIMITED = 1
RELATIVE = 2
MEAN = 3
HEAVY = 4
DYNAMIC = 5
VELOCITY = 6

GOOD = 0
EXPLODED = 1  # a point would move by more than a length of the cable in one step, or nothing is finite
OSCILLATES = 2  # c_s is at its bound: it damps no more

# Of a segment: what turns back by less is rounding, not oscillation.
STILL = 1e-9
# c_s beyond this: steps a thousand times shorter than wanted do not calm it.
MOST_DAMPING = 1000.0


class Rule(NamedTuple):
    """How movements follow from forces."""

    kind: int
    c_F: float  # m/N
    l_s: float  # m
    c_h: float
    rise: float  # of c_s, per point that oscillates and step
    fall: float  # of c_s, per step in which none does
    reach: float  # m: a longer movement in one step is an explosion


class Counts(NamedTuple):
    """What an advance did."""

    status: int
    steps: int
    done: float  # Σ c_m
    damped: int  # steps with c_s ≠ 1
    limited: int  # steps with d_m > l_s
    c_s: float


@inline
def propose(rule: Rule, points: Points, c_s: float) -> None:
    """Writes ΔP into points.speed."""
    for i in range(len(points.flips)):
        keep = 0.0
        if rule.kind == VELOCITY:
            keep = rule.c_h / c_s if points.flips[i] >= 2 else rule.c_h
        for k in range(3):
            before = points.speed[i, k] * keep if rule.kind == VELOCITY else 0.0
            if rule.kind == HEAVY or rule.kind == DYNAMIC:
                before = rule.c_h * points.made[i, k]
            points.speed[i, k] = before + rule.c_F * points.force[i, k]


@inline
def apart(a: Array, i: int, j: int) -> float:
    x, y, z = a[i, 0] - a[j, 0], a[i, 1] - a[j, 1], a[i, 2] - a[j, 2]
    return float(x * x + y * y + z * z)


@inline
def size(a: Array, i: int, m: tuple[float, float, float]) -> float:
    x, y, z = a[i, 0] - m[0], a[i, 1] - m[1], a[i, 2] - m[2]
    return float(x * x + y * y + z * z)


@inline
def largest(rule: Rule, points: Points) -> tuple[float, float]:
    """(d_m, max |ΔP|), m."""
    move, n = points.speed, len(points.flips)
    none = (0.0, 0.0, 0.0)
    farthest = 0.0
    for i in range(n):
        farthest = max(farthest, size(move, i, none))
    most = farthest
    if rule.kind == RELATIVE or rule.kind == DYNAMIC or rule.kind == VELOCITY:
        most = 0.0
        for i in range(n - 1):
            most = max(most, apart(move, i, i + 1))
    elif rule.kind == MEAN:
        x, y, z = 0.0, 0.0, 0.0
        for i in range(n):
            x, y, z = x + move[i, 0], y + move[i, 1], z + move[i, 2]
        mean = (x / n, y / n, z / n)
        most = 0.0
        for i in range(n):
            most = max(most, size(move, i, mean))
    return math.sqrt(most), math.sqrt(farthest)


@inline
def turning_back(points: Points, tiny: float) -> int:
    """Counts the points that oscillate; updates points.flips."""
    found = 0
    for i in range(len(points.flips)):
        d = 0.0
        for k in range(3):
            d += points.speed[i, k] * points.made[i, k]
        if d < -tiny:
            points.flips[i] += 1
            if points.flips[i] >= 2:
                found += 1
        else:
            points.flips[i] = 0
    return found


@inline
def drift(target: Array, by: Array, c_m: float) -> None:
    for j in range(len(target)):
        for k in range(3):
            target[j, k] += c_m * by[j, k]


@lean_kernel
def advance(
    cable: Cable, holds: Holds, aims: Aims, planes: Planes, points: Points, rule: Rule, c_s: float, wanted: float,
    most: int,
) -> Counts:  # fmt: skip
    """Steps until Σ c_m reaches `wanted` [KH05 Text 1], but at most `most` steps.

    Writes points, and the targets of the grips, which drift. What is written is always finite: a step that would
    explode is not taken.
    """
    done = 0.0
    steps = 0
    damped = 0
    limited = 0
    status = GOOD
    tiny = (STILL * cable.h) ** 2
    while done < wanted and steps < most and status == GOOD:
        add_all(cable, holds, aims, planes, points)
        propose(rule, points, c_s)
        d_m, farthest = largest(rule, points)
        if rule.kind == PLAIN:
            if not farthest < rule.reach:
                status = EXPLODED
                break
            c_m = 1.0
        else:
            if not farthest < math.inf:
                status = EXPLODED
                break
            oscillating = turning_back(points, tiny)
            if oscillating > 0:
                c_s += rule.rise * oscillating
            else:
                c_s = max(1.0, c_s - rule.fall)
            if c_s > MOST_DAMPING:
                status = OSCILLATES
                c_s = MOST_DAMPING
            c_m = 1.0 / c_s
            if c_s > 1.0:
                damped += 1
            if d_m > rule.l_s:
                c_m *= rule.l_s / d_m
                limited += 1
            if not c_m * farthest < rule.reach:
                status = EXPLODED
                break
        for i in range(len(points.flips)):
            for k in range(3):
                move = c_m * points.speed[i, k]
                points.made[i, k] = move
                points.x[i, k] += move
        drift(points.x, points.drift, c_m)
        drift(holds.target, holds.drift, c_m)
        drift(aims.direction, aims.drift, c_m)
        done += c_m
        steps += 1
    return Counts(status, steps, done, damped, limited, c_s)
