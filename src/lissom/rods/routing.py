"""Cables that find their own length [GS07 §7, second mode]: the pull of a span, and the lengths that balance it.

A *span* is the cable between two neighbouring supports that it cannot slide through. Its length ℓ is soft: it costs
the energy k ℓ²/2r, r the straight way between the supports, so that a tension kλ, λ = ℓ/r, draws it in. The cable draws
it out with

    F = −∂V/∂ℓ = (1/ℓ) ∫ H + f·(x − x₀) ds,     H = T + T²/2EA + ½ M·D⁻¹M + M·ω₀          [docs/theory/routing.md (3)]

at equilibrium, x₀ the middle between the two supports. The lengths sought have F = kλ in every span: a minimum of
V + Σ kℓ²/2r. They are found by Newton's method on y = log(ℓ − r), so that no span is ever too short to close; every
equilibrium in between is a warm solve. Where a span ends on a junction or part that is free, it has no straight way of
its own: r is the one it had when the mode was entered, and y = log ℓ.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.rods.feasibility import distance
from lissom.rods.grid import key_places
from lissom.rods.line import Line, Support
from lissom.rods.result import CableResult
from lissom.rods.sliding import uphill_free_step

Array = NDArray[np.float64]

MOST_STEPS = 40
# |F − kλ| at which a span is settled, relative to the larger of the two and to its own scale B/r² + wr.
TOLERANCE = 1e-7
# and at which one is that no step brings nearer: equilibria on the way are those of a warm solve
NEARLY = 1e-5
# and so is one whose lengths would change by less than this part of the way: a taut span pulls that much harder
AT_REST = 1e-10
# ℓ − r stays between these, in units of r: beyond, the span is straight, or nothing keeps it from running away.
LEAST_SLACK = 1e-4
MOST_SLACK = 100.0
# Step of the difference quotient and the longest step, both in log(ℓ − r).
DIFFERENCE = 1e-4
LONGEST_STEP = 1.5
# The same of a span that ends on something free, which follows; and the least straight way, in units of the length.
LEAST_WAY = 0.05
# k = K B/r² + (½ + √K) wr with K from 10^STRAIGHT at bent = 0 to 10^BENT at bent = 1.
STRAIGHT, BENT = 2.0, -1.0


class Span(NamedTuple):
    """The supports at its two ends, by number, and where it lies along the cable."""

    before: int
    after: int
    start: float  # m
    end: float  # m
    way: float  # m: the straight way between the supports, through what slides between them

    @property
    def length(self) -> float:
        return self.end - self.start


def spans(supports: tuple[Support, ...]) -> list[Span]:
    """Between neighbouring supports that the cable cannot slide through."""
    fixed = [k for k, support in enumerate(supports) if not support.slides]
    found: list[Span] = []
    for a, b in itertools.pairwise(fixed):
        way = sum(distance(p, q) for p, q in itertools.pairwise(supports[a : b + 1]))
        found.append(Span(a, b, supports[a].place, supports[b].place, way))
    return found


def tension(line: Line, r: float, bent: float) -> float:
    """k in newtons for a knob from 0 (rather straight) to 1 (rather bent) [docs/theory/routing.md (6)].

    A span of twice the size then looks the same. With less than wr/2 a heavy cable would grow without end, since its
    weight grows with it. The root: slack goes with 1/k where bending rules, and with 1/k² where weight does.
    """
    weight = line.weight / line.length * r
    factor = 10.0 ** (STRAIGHT + (BENT - STRAIGHT) * bent)
    return float(factor * line.bending / r**2 + (0.5 + math.sqrt(factor)) * weight)


def scale(line: Line, r: float) -> float:
    """B/r² + wr, N."""
    return line.bending / r**2 + line.weight / line.length * r


def pulls(result: CableResult, found: list[Span], growing: list[Array], keeps_angles: bool) -> Array:
    """F of the spans at an equilibrium, N. `growing` is ∂h/∂ℓ of each segment for each span.

    `keeps_angles`: a moulded shape gets longer without turning more, ω₀ ∝ 1/λ; then M·ω₀ does no work.
    """
    density, positions, weight = material_tension(result, keeps_angles), result.positions, result._grid.weight
    arch = result._grid.h * np.einsum("ij,ij->i", weight, np.diff(result.tangents, axis=0)) / 12.0
    forces: list[float] = []
    for span, rate in zip(found, growing, strict=True):
        ends = [int(np.argmin(np.abs(result.s - place))) for place in (span.start, span.end)]
        middle = positions[ends].mean(axis=0)
        level = np.einsum("ij,ij->i", weight, 0.5 * (positions[:-1] + positions[1:]) - middle)
        forces.append(float(rate @ (density + level - arch)))
    return np.array(forces)


def material_tension(result: CableResult, keeps_angles: bool) -> Array:
    """(segments,) mean of H over each segment, N: from both ends, with its slope −f·x' + M·ω₀' (fourth order)."""
    sides, grid, line = result._sides, result._grid, result._line
    rest = line.rest.at(grid.s)
    after, before = sides.strain_slopes()
    value: list[Array] = []
    slope: list[Array] = []
    for points, tense, moment, strain in (
        (slice(0, -1), sides.tension_after, sides.body_moment_after, after),
        (slice(1, None), sides.tension_before, sides.body_moment_before, before),
    ):
        T, M = tense[points], moment[points]
        along = -np.einsum("ij,ij->i", grid.weight, result.tangents[points]) * (1.0 + grid.compliance * T)
        if line.is_rope:
            M, bend = np.zeros_like(M), np.zeros(len(T))
        else:
            bend = 0.5 * np.sum(M**2 / grid.stiffness, axis=1)
        if keeps_angles:
            along -= np.einsum("ij,ij->i", grid.stiffness * (strain[points] - grid.slope), rest[points])
        else:
            bend += np.einsum("ij,ij->i", M, rest[points])
            along += np.einsum("ij,ij->i", M, grid.slope)
        value.append(T + 0.5 * grid.compliance * T**2 + bend)
        slope.append(along)
    return np.asarray(0.5 * (value[0] + value[1]) - grid.h / 12.0 * (slope[1] - slope[0]))


def even_growth(result: CableResult, span: Span) -> Array:
    """∂h/∂ℓ of a span in which everything lies at a fraction."""
    s = result.s
    inside = (s[:-1] >= span.start - 1e-9 * s[-1]) & (s[1:] <= span.end + 1e-9 * s[-1])
    return np.where(inside, np.diff(s) / span.length, 0.0)


def growth_between(line: Line, longer: Line, s: Array, by: float) -> Array:
    """∂h/∂ℓ of each segment, from the key places of the cable and of the same a little longer."""
    old, new = np.array(key_places(line)), np.array(key_places(longer))
    per_metre = np.diff(new - old) / by / np.diff(old)
    middle = 0.5 * (s[1:] + s[:-1])
    return np.asarray(per_metre[np.clip(np.searchsorted(old, middle) - 1, 0, len(old) - 2)] * np.diff(s))


# ---- balance -----------------------------------------------------------------------------------------------------


class Balance(NamedTuple):
    """At one set of lengths: how each span is drawn, out of and into its supports."""

    pull: Array  # (spans,) F, N
    hold: Array  # (spans,) kλ, N
    scale: Array  # (spans,) N
    way: Array  # (spans,) r, m
    least: Array  # (spans,) m: exp y is not less

    def gradient(self, y: Array) -> Array:
        """∂(V + Σ kℓ²/2r)/∂y, in units of the scale and of r."""
        return np.asarray((self.hold - self.pull) / self.scale * np.exp(y) / self.way)

    @property
    def off(self) -> Array:
        """|F − kλ| in units of what it may be."""
        return np.asarray(np.abs(self.pull - self.hold) / (np.maximum(np.abs(self.pull), self.hold) + self.scale))


Evaluate = Callable[[Array], "Balance | None"]


@dataclass(slots=True)
class Found:
    """Where the search ended."""

    y: Array
    slope: Array  # ∂gradient/∂y there, for the next search
    reason: str = ""  # why it did not settle, or empty
    straight: tuple[int, ...] = ()  # spans that want to be as short as they can


def balance(evaluate: Evaluate, y: Array, slope: Array | None) -> Found:
    """The lengths at which every span is balanced: Newton's method, its slope updated by what the steps show.

    `evaluate` solves at lengths ℓ = const + exp y and returns None where there is no equilibrium.
    """
    here = evaluate(y)
    if here is None:
        return Found(y, np.eye(len(y)), "there is no equilibrium at the lengths to begin with")
    low, high = np.log(here.least), np.log(MOST_SLACK * here.way)
    fresh = slope is None
    if slope is None:
        slope = slopes(evaluate, y, here)
    for _ in range(MOST_STEPS):
        gradient = here.gradient(y)
        short = (y <= low + 1e-9) & (gradient > 0.0)
        if np.all((here.off < TOLERANCE) | short):
            evaluate(y)
            return Found(y, slope, "", tuple(int(k) for k in np.flatnonzero(short)))
        if np.any((y >= high - 1e-9) & (gradient < 0.0)):
            evaluate(y)
            return Found(y, slope, "no length is long enough: the tension that draws the cable in is too small")
        step = np.clip(uphill_free_step(slope, gradient), -LONGEST_STEP, LONGEST_STEP)
        step = np.clip(y + np.where(short, 0.0, step), low, high) - y
        if np.all(np.exp(y) * np.abs(step) < AT_REST * here.way):
            evaluate(y)
            return Found(y, slope, "", tuple(int(k) for k in np.flatnonzero(short)))
        taken = search(evaluate, y, step, here, ~short)
        if taken is None and fresh:
            evaluate(y)
            near = bool(np.all((here.off < NEARLY) | short))  # as near as the equilibria are exact
            reason = "" if near else "the length does not settle: the shape snaps from one to another near it"
            return Found(y, slope, reason, tuple(int(k) for k in np.flatnonzero(short)) if near else ())
        poor = taken is None
        if taken is not None:
            there, moved = taken
            after = there.gradient(moved)
            poor = bool(np.linalg.norm(after[~short]) > 0.3 * np.linalg.norm(gradient[~short]))
            slope = updated(slope, moved - y, after - gradient)
            y, here = moved, there
        if taken is None or (poor and len(y) > 1):
            slope = slopes(evaluate, y, here)
        fresh = poor
    return Found(y, slope, "the length does not settle")


def updated(slope: Array, step: Array, change: Array) -> Array:
    """The symmetric matrix of rank one more that explains the last step (SR1); one span: the secant."""
    off = change - slope @ step
    along = float(off @ step)
    if abs(along) <= 1e-8 * float(np.linalg.norm(off) * np.linalg.norm(step)):
        return slope
    return np.asarray(slope + np.outer(off, off) / along)


def search(
    evaluate: Evaluate, y: Array, step: Array, here: Balance, free: NDArray[np.bool_]
) -> tuple[Balance, Array] | None:
    """A step that leads towards the balance of the `free` spans, halved until it does; None if it never does."""
    size = float(np.linalg.norm(here.gradient(y)[free]))
    for _ in range(8):
        if not np.any(step):
            return None
        there = evaluate(y + step)
        if there is not None:
            gradient = there.gradient(y + step)
            if np.linalg.norm(gradient[free]) < size or float(gradient @ step) < 0.0:
                return there, y + step
        step = 0.5 * step
    return None


def slopes(evaluate: Evaluate, y: Array, here: Balance) -> Array:
    """Symmetric matrix of ∂gradient/∂y, by differences of equilibria."""
    matrix = np.zeros((len(y), len(y)))
    for k in range(len(y)):
        moved = y.copy()
        moved[k] += DIFFERENCE
        there = evaluate(moved)
        if there is None:
            matrix[k, k] = 1.0
        else:
            matrix[:, k] = (there.gradient(moved) - here.gradient(y)) / DIFFERENCE
    return 0.5 * (matrix + matrix.T)
