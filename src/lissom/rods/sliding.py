"""Rings and sleeves: supports through which the cable slides. Their places on the cable are solved for.

A frictionless slide lets the cable run until nothing drives it: moving the place s_p of the support along the cable
changes the energy at equilibrium by

    dE/ds_p = H⁺ − H⁻,   H = n·d3 (1 + n·d3/2EA) + ½ m·K⁻¹m + m·ω₀            [docs/theory/rods.md (27)]

(the jump of the conserved "material force" across the support). At a ring the tension is therefore continuous when m
is. A sleeve holds the tangent, so m jumps: the tension then jumps by −[½ m·K⁻¹m], and the sleeve exerts +[½ m·K⁻¹m]
along the cable. Newton's method on the places, with the derivative by differences of equilibria; every equilibrium in
between is a warm solve.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom.rods import newton
from lissom.rods.line import Line
from lissom.rods.outcome import RodState
from lissom.rods.solver import RodSolver

if TYPE_CHECKING:
    from lissom.rods.result import Sides

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

MOST_STEPS = 40
# Driving force at which a slide is settled, relative to max(EI/L², wL, loads).
TOLERANCE = 1e-6
# and so is one that would move by less than this, relative to the length: in a nearly straight span the tension depends
# on its length so much that rounding drives it.
AT_REST = 1e-9
# Step of the difference quotient, relative to the length.
DIFFERENCE = 1e-4
# A slide stays this far (of the length) from its neighbours and from the ends.
MARGIN = 0.01
LEAST_SLOPE = 1e-150  # N/m: steps stay finite where nothing changes
UNSETTLED = "the places of the sliding supports do not settle"


@dataclass(frozen=True, slots=True)
class Settled:
    outcome: newton.Outcome
    negative: int  # unstable directions of the places
    reason: str  # why it did not settle, or empty


def settle(solver: RodSolver, cold: bool, methods: list[str]) -> Settled:
    """Solves with the sliding supports where nothing drives them.

    The energy may have several minima along the cable: a cold solve starts from several places and keeps the lowest.
    """
    numbers = [k for k, support in enumerate(solver.line.supports) if support.slides]
    methods.append("sliding supports")
    before = solver.solved
    if not cold and before is not None:
        there, counts = {k: solver.supports[k].place for k in numbers}, segment_counts(solver)
        settled = settle_from(solver, numbers, cold, methods)
        if settled.outcome.status == newton.CONVERGED:
            return settled
        settled = settle_anew(solver, numbers, methods)
        if settled.outcome.status != newton.CONVERGED:
            solver.set_places(there, counts)
            solver.adopt(before)
        return settled
    return settle_anew(solver, numbers, methods)


def settle_anew(solver: RodSolver, numbers: list[int], methods: list[str]) -> Settled:
    """From several places, without a shape to go on from."""
    found: list[tuple[float, Settled, RodState, dict[int, float], Indices]] = []
    failed: Settled | None = None
    for places in candidates(solver.line, numbers):
        solver.set_places(dict(zip(numbers, places, strict=True)), None)
        settled = settle_from(solver, numbers, True, methods)
        if settled.outcome.status == newton.CONVERGED and not settled.reason:
            there = {k: solver.supports[k].place for k in numbers}
            found.append((solver.energy(), settled, with_origin(solver), there, segment_counts(solver)))
        else:
            failed = settled
    if not found:
        assert failed is not None
        return failed
    _, settled, state, there, counts = min(found, key=lambda k: k[0])
    solver.set_places(there, counts)
    solver.adopt(state)
    return settled


def with_origin(solver: RodSolver) -> RodState:
    """The present state, and what it was wound up from."""
    origin = None if solver.origin is None else solver.origin._replace(way=tuple(solver.way))
    return replace(solver.state(), origin=origin)


def candidates(line: Line, numbers: list[int]) -> list[list[float]]:
    """Places to start from: as said, and with most of the slack on either side of each slide."""
    first = first_places(line)
    starts = [first]
    for k, number in enumerate(numbers):
        before = line.supports[number - 1] if number > 0 else None
        after = line.supports[number + 1] if number + 1 < len(line.supports) else None
        low = 0.0 if before is None else before.place + gap(before.position, line.supports[number].position)
        high = line.length if after is None else after.place - gap(line.supports[number].position, after.position)
        if high <= low or any(s is not None and s.slides for s in (before, after)):
            continue
        for part in (0.1, 0.9):
            starts.append([*first[:k], low + part * (high - low), *first[k + 1 :]])
    return starts


def settle_from(solver: RodSolver, numbers: list[int], cold: bool, methods: list[str]) -> Settled:
    """Newton's method on the places, from where they are."""
    counts = segment_counts(solver)
    outcome = solver.solve_at_fixed_places(cold, methods)
    spent = outcome.iterations
    if outcome.status != newton.CONVERGED:
        return Settled(outcome, 0, "")
    solver.solved = solver.state()

    def driven(places: Array) -> Array | None:
        """Driving forces with the slides at these places; None where there is no equilibrium."""
        nonlocal outcome, spent
        if not np.all(np.isfinite(places)) or np.any(np.diff(places) <= 0.0):
            return None
        solver.set_places({k: float(p) for k, p in zip(numbers, places, strict=True)}, counts)
        outcome = solver.solve_at_fixed_places(False, [])
        spent += outcome.iterations
        return driving_forces(solver, numbers) if outcome.status == newton.CONVERGED else None

    line = solver.line
    places = np.array([line.supports[k].place for k in numbers])
    rest = run_to_rest(
        places,
        driving_forces(solver, numbers),
        driven,
        lambda: rooms(solver.line, numbers, [np.array(k.position) for k in solver.line.supports]),
        [line.supports[k].name for k in numbers],
        line.length,
        TOLERANCE * line.force_scale,
    )
    return Settled(outcome._replace(iterations=spent), rest.negative, rest.reason)


@dataclass(frozen=True, slots=True)
class Rest:
    """Where slides came to rest."""

    places: Array
    slope: Array | None  # ∂(driving force)/∂(place), N/m, as last known
    negative: int  # unstable directions of the places
    reason: str  # why they did not come to rest, or empty


def run_to_rest(
    places: Array,
    force: Array,
    driven: Callable[[Array], Array | None],
    limits: Callable[[], tuple[Array, Array]],
    names: list[str],
    length: float,
    tolerance: float,
    most: float = np.inf,
    slope: Array | None = None,
    certify: bool = True,
) -> Rest:
    """Newton's method on places with these driving `force`s; the equilibrium at the last of them is left standing.

    A place moves by no more than `most` (m) at a time. A `slope` that is handed in is used for as long as it serves.
    Without `certify` nothing is said of stability.
    """
    for _ in range(MOST_STEPS):
        there_yet = float(np.abs(force).max()) < tolerance
        if there_yet and not certify:
            return Rest(places, slope, 0, "")
        if slope is None or there_yet:
            slope = slopes(places, force, driven, DIFFERENCE * length)
        step = uphill_free_step(slope, force)
        if there_yet or (certify and float(np.abs(step).max()) < AT_REST * length):
            driven(places)
            return Rest(places, slope, int(np.sum(np.linalg.eigvalsh(slope) < 0.0)), "")
        rows, room = limits()
        left, rate = rows @ places + room, rows @ step
        out = (rate < 0.0) & (left <= 1e-6 * length)
        if np.any(out):
            driven(places)
            slid = [name for name, row in zip(names, rows[out].T, strict=True) if np.any(row)]
            return Rest(places, None, 0, f"the cable slides out at {', '.join(slid)}: nothing stops it")
        part = min(1.0, most / max(float(np.abs(step).max()), 1e-300))
        part = min(part, float(np.min(0.9 * left[rate < 0.0] / -rate[rate < 0.0], initial=1.0)))
        whole = part
        for _ in range(12):
            there = driven(places + part * step)
            if there is not None and (np.linalg.norm(there) < np.linalg.norm(force) or float(there @ step) < 0.0):
                break
            part *= 0.5
        else:
            driven(places)
            return Rest(places, None, 0, UNSETTLED)
        # beside a taut span, and where something sticks, forces change more than a difference can tell: go by what
        # steps have shown
        serves = float(np.linalg.norm(there)) < (1.0 - 0.5 * part) * float(np.linalg.norm(force))
        slope = secant(slope, part * step, there - force) if serves or part < whole else None
        places, force = places + part * step, there
    return Rest(places, None, 0, UNSETTLED)


def first_places(line: Line) -> list[float]:
    """As said where every span can close; else what is between the supports, and equal parts of the slack."""
    places = [k.place for k in line.supports]
    positions = [np.array(k.position) for k in line.supports]
    gaps = [float(np.linalg.norm(b - a)) for a, b in itertools.pairwise(positions)]
    feasible = all(g < 0.999 * (b - a) for g, a, b in zip(gaps, places[:-1], places[1:], strict=True))
    if not feasible or any(b - a < MARGIN * line.length for a, b in itertools.pairwise(places)):
        fixed = [k for k, support in enumerate(line.supports) if not support.slides]
        for a, b in itertools.pairwise(fixed):
            slack = places[b] - places[a] - sum(gaps[a:b])
            for k in range(a + 1, b):
                places[k] = places[a] + sum(gaps[a:k]) + slack * (k - a) / (b - a)
    return [place for place, support in zip(places, line.supports, strict=True) if support.slides]


def segment_counts(solver: RodSolver) -> Indices:
    """Segments between the key places of the present grid."""
    from lissom.rods.grid import key_places

    at = [int(np.argmin(np.abs(solver.grid.s - place))) for place in key_places(solver.line)]
    return np.array([b - a for a, b in itertools.pairwise(at)], dtype=np.int64)


def driving_forces(solver: RodSolver, numbers: list[int], sides: "Sides | None" = None) -> Array:
    """H⁺ − H⁻ at the sliding supports, N; of the solver's present state unless other `sides` are given."""
    from lissom.rods.result import Sides

    sides = Sides.of(solver) if sides is None else sides
    forces = []
    for k in numbers:
        at = solver.grid.support_at[k]
        forces.append(
            material_force(solver, at, sides.tension_after[at], sides.body_moment_after[at], at)
            - material_force(solver, at, sides.tension_before[at], sides.body_moment_before[at], at - 1)
        )
    return np.array(forces)


def material_force(solver: RodSolver, at: int, tension: float, moment: Array, segment: int) -> float:
    """H = T + T²/2EA + ½ m·K⁻¹m + m·ω₀ on one side of a point."""
    grid = solver.grid
    value = tension + 0.5 * grid.compliance[segment] * tension**2
    if solver.line.is_rope:
        return float(value)
    rest = solver.line.rest.at(grid.s[at : at + 1])[0]
    return float(value + 0.5 * np.sum(moment**2 / grid.stiffness[segment]) + moment @ rest)


def slopes(places: Array, force: Array, driven: Callable[[Array], Array | None], step: float) -> Array:
    """Symmetric matrix of ∂(driving force)/∂(place), by differences."""
    matrix = np.zeros((len(places), len(places)))
    for k in range(len(places)):
        moved = places.copy()
        moved[k] += step
        there = driven(moved)
        if there is None:
            moved[k] -= 2.0 * step
            there = driven(moved)
            matrix[:, k] = 0.0 if there is None else (force - there) / step
        else:
            matrix[:, k] = (there - force) / step
    return 0.5 * (matrix + matrix.T)


def secant(slope: Array, moved: Array, change: Array) -> Array:
    """The slope that explains what a step has changed, and differs least from the one known [Broyden], symmetric."""
    better = slope + np.outer(change - slope @ moved, moved) / float(moved @ moved)
    return np.asarray(0.5 * (better + better.T))


def uphill_free_step(slope: Array, force: Array) -> Array:
    """−|slope|⁻¹ force: Newton's step, turned downhill along directions of negative slope."""
    values, vectors = np.linalg.eigh(slope)
    floor = max(1e-9 * float(np.abs(values).max()), LEAST_SLOPE)
    return np.asarray(-vectors @ ((vectors.T @ force) / np.maximum(np.abs(values), floor)))


def rooms(
    line: Line, numbers: list[int], held: list[Array], afloat: frozenset[int] = frozenset()
) -> tuple[Array, Array]:
    """(rows, slides) and (rows,) m: `rows @ places + room` is how much shorter each span beside a slide may become.

    Each has to reach from support to support; `held` says where these hold the cable. What stretches may be shorter
    than its way; what is `afloat`, on a free body, or free along an axis, follows.
    """
    margin = MARGIN * line.length
    rows: list[Array] = []
    room: list[float] = []

    def add(last: int | None, first: int | None, least: float) -> None:
        row, known = np.zeros(len(numbers)), -least
        for k, sense in ((last, 1.0), (first, -1.0)):
            if k is None:
                known += line.length if sense > 0.0 else 0.0
            elif k in numbers:
                row[numbers.index(k)] = sense
            else:
                known += sense * line.supports[k].place
        if row.any():
            rows.append(row)
            room.append(known)

    add(0, None, margin)
    add(None, len(line.supports) - 1, margin)
    for a, b in itertools.pairwise(range(len(line.supports))):
        free = not (all(line.supports[a].holds) and all(line.supports[b].holds))
        loose = line.is_extensible or free or a in afloat or b in afloat
        add(b, a, margin if loose else max(margin, 1.0001 * gap(held[a], held[b])))
    return np.array(rows), np.array(room)


def gap(a: tuple[float, float, float] | Array, b: tuple[float, float, float] | Array) -> float:
    return float(np.linalg.norm(np.subtract(b, a)))
