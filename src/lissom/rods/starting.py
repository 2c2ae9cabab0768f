"""The cold start: from supports and length alone to the shape that is polished afterwards.

Several first guesses descend with the staggered element; the lowest shape found is kept, the others are named, and
twist is wound up. All that is done on a coarse grid where one will do, and its shape carried over.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.turns import link
from lissom.rods import guess, newton
from lissom.rods.chain import POLISHED, STAGGERED, turn_frames
from lissom.rods.guess import Start
from lissom.rods.line import FRAME, Line
from lissom.rods.outcome import LOOSE_TOLERANCE, ROUGH_TOLERANCE, TOLERANCE, OtherShape, RodState, note
from lissom.rods.transfer import between, mean_frames

if TYPE_CHECKING:
    from lissom.rods.solver import RodSolver

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# Segments of the coarse grid: with 32 the guesses end in the same shapes as with 100, with 24 not always.
COARSE_SEGMENTS = 32
# It has to resolve rest curvature and twist (rad a segment at most) …
COARSE_TURN = 0.4
# … and boundary layers: h √(wL/2B) at most.
COARSE_LAYER = 0.7
# Its energies are off by some part of the elastic energy; nearer than that, which shape is lowest is open.
COARSE_ENERGY = 0.03
# cos of half the angle by which frames of one and the same shape may differ.
SAME = math.cos(0.05)
# Twist is wound up in steps of at most this (rad), and at least this.
LARGEST_WIND = math.radians(60.0)
SMALLEST_WIND = math.radians(0.5)
WINDING = "winding up the twist"


class Found(NamedTuple):
    """An equilibrium of the staggered chain, at twist 0."""

    energy: float  # J
    elastic: float  # J, its elastic part
    outcome: newton.Outcome
    state: RodState
    wound: bool  # has turns that nobody asked for: steps are long, and cables may pass through themselves


def cold_start(solver: "RodSolver", methods: list[str]) -> newton.Outcome:
    """Leaves the lowest shape found in the solver, polished where it can be.

    The iterations reported are those on the way to the answer.
    """
    solver.neutral = -1
    solver.begin_anew()
    if solver.coarse is not None:
        outcome = from_coarse(solver, solver.coarse, methods)
        if outcome is not None:
            return outcome
    found, failed = descents(solver, methods)
    if not found:
        assert failed is not None
        return failed
    outcome = lowest(solver, found, methods)
    return solver.polish(outcome, methods) if outcome.status == newton.CONVERGED else outcome


def starts(solver: "RodSolver") -> list[Start]:
    """Which first guesses to try.

    With clips, or without weight, the sag with gravity alone misses shapes: the bulge that the held tangents
    suggest, and its opposite, are tried too.
    """
    line = solver.line
    smooth, hanging = Start(False), Start(True)
    if line.initial is not None or len(solver.staggered.moment_site) > 0:
        return [smooth]  # the user's own guess, or energies that say nothing
    if line.is_rope:
        return [hanging]
    tried = [smooth]
    if line.weight > 0.0:
        tried = [hanging, smooth] if guess.weight_ratio(line) > guess.HEAVY else [smooth, hanging]
    if len(line.supports) > 2 or (line.weight == 0.0 and len(line.supports) > 1):
        bulge = guess.natural_bulge(line)
        if bulge is not None:
            tried += [Start(True, bulge), Start(True, -bulge)]
    return tried


def descents(solver: "RodSolver", methods: list[str]) -> tuple[list[Found], newton.Outcome | None]:
    """The equilibria the guesses lead to, and the outcome of the last one that led nowhere."""
    found: list[Found] = []
    failed: newton.Outcome | None = None
    poses = guess.unwound_poses(solver.supports)
    for method in (solver.try_newton, solver.fall_back):
        for start in starts(solver):
            begin(solver, poses, start)
            outcome = method(methods)
            if outcome.status == newton.CONVERGED:
                found.append(here(solver, outcome))
            else:
                failed = outcome
        if not all(k.wound for k in found):
            break  # the fallback only where no start has led anywhere
    return found, failed


def begin(solver: "RodSolver", poses: guess.Poses, start: Start) -> None:
    """Where the guess goes in loops, the turns that they bring are taken out: cables are mounted straight."""
    solver.scheme = STAGGERED
    solver.q, solver.nu = guess.first_guess(solver.layout, poses, start, solver.line.initial)
    for places, frames, whole in whole_turns(solver):
        if whole:
            unwind(solver, places, frames, whole)


def whole_turns(solver: "RodSolver") -> Iterator[tuple[tuple[float, float], tuple[int, int], int]]:
    """Of each span between clamps its places (m), its frames, and the whole turns of link that its loops bring."""
    if solver.line.initial is not None or solver.line.is_rope:
        return
    clamps = [k.place for k in solver.supports if k.direction == FRAME]
    held = solver.held_frames()
    for places, (i, j) in zip(itertools.pairwise(clamps), itertools.pairwise(held), strict=True):
        whole = 0
        if turning(solver.q[i : j + 1]) > math.pi:  # a loop turns by more
            shape, tiny = solver.at_twist_0(), 1e-9 * solver.line.length
            part = (shape.s > places[0] - tiny) & (shape.s < places[1] + tiny)
            whole = round(link(shape.s[part], shape.positions[part], shape.quaternions[part]))
        yield places, (i, j), whole


def turning(q: Array) -> float:
    """rad by which frames (i, 4) turn from one to the next, in all."""
    return float(2.0 * np.arccos(np.minimum(np.abs(np.einsum("ij,ij->i", q[1:], q[:-1])), 1.0)).sum())


def unwind(solver: "RodSolver", places: tuple[float, float], frames: tuple[int, int], whole: int) -> None:
    """Takes whole turns out of the link of the guess between two clamps, at `places` (m), evenly along it."""
    inside = slice(frames[0] + 1, frames[1])
    turn = np.zeros((frames[1] - frames[0] - 1, 3))
    turn[:, 2] = -2.0 * math.pi * whole * (solver.layout.place[inside] - places[0]) / (places[1] - places[0])
    turn_frames(solver.q[inside].copy(), turn, 1.0, solver.q[inside])


def here(solver: "RodSolver", outcome: newton.Outcome) -> Found:
    """What the solver holds; the next guess makes arrays of its own."""
    elastic, potential = solver.energy_parts()
    state = RodState(solver.scheme, solver.q, solver.nu, solver.grid.s, solver.supports)
    wound = any(whole for *_, whole in whole_turns(solver))
    return Found(elastic + potential, elastic, outcome, state, wound)


def lowest(solver: "RodSolver", found: list[Found], methods: list[str]) -> newton.Outcome:
    """Goes on with the lowest shape and winds up its twist; the others, wound up too, are named."""
    energy, _, outcome, state, _ = min(found, key=lambda k: (k.wound, k.energy))
    solver.others = named_once(energy, [OtherShape(k.energy, k.state) for k in found], solver.energy_noise)
    solver.q, solver.nu = state.q.copy(), state.nu.copy()
    if any(k.turn != 0.0 for k in solver.supports if k.direction == FRAME):
        solver.origin, solver.way = solver.at_twist_0(), []
        wound = wind_up(solver, methods, solver.way)
        outcome = wound._replace(iterations=outcome.iterations + wound.iterations)
        if outcome.status == newton.CONVERGED and solver.others:
            solver.others = others_wound(solver, solver.others)
    return outcome


def named_once(energy: float, shapes: list[OtherShape], noise: float) -> tuple[OtherShape, ...]:
    """Those that differ in energy from the shape chosen and from each other."""
    known = [energy]
    others: list[OtherShape] = []
    for shape in shapes:
        if min(abs(shape.energy - e) for e in known) > noise:
            others.append(shape)
            known.append(shape.energy)
    return tuple(others)


def others_wound(solver: "RodSolver", others: tuple[OtherShape, ...]) -> tuple[OtherShape, ...]:
    """What becomes of other shapes when they are wound up too; the present state stays."""
    q, nu, energy = solver.q, solver.nu, solver.energy()
    wound: list[OtherShape] = []
    for other in others:
        solver.q, solver.nu = other.state.q.copy(), other.state.nu.copy()
        if wind_up(solver, [], []).status == newton.CONVERGED:
            wound.append(OtherShape(solver.energy(), solver.state()))
    solver.q, solver.nu = q, nu
    return named_once(energy, wound, solver.energy_noise)


def wind(solver: "RodSolver", done: float, goal: float) -> None:
    """Turns the clamps from one part of their twist to another; each frame between them follows by its share."""
    clamps = [k for k in solver.supports if k.direction == FRAME]
    if clamps:
        turn = np.zeros((len(solver.q), 3))
        share = np.interp(solver.layout.place, [k.place for k in clamps], [k.turn for k in clamps])
        turn[:, 2] = (goal - done) * share
        turn_frames(solver.q.copy(), turn, 1.0, solver.q)
    solver.hold_frames(goal)


def wind_up(solver: "RodSolver", methods: list[str], way: list[Array]) -> newton.Outcome:
    """Turns the clamps from twist 0 to their twist, in steps. `way` gets the curves of the steps."""
    turns = [k.turn for k in solver.supports if k.direction == FRAME]
    total = max(0.0, *turns) - min(0.0, *turns)
    step = min(1.0, LARGEST_WIND / total)
    done = 0.0
    spent = 0
    methods.append(WINDING)
    while True:
        goal = min(1.0, done + step)
        before_q, before_nu = solver.q.copy(), solver.nu.copy()
        wind(solver, done, goal)
        outcome = solver.follow(40, TOLERANCE if goal == 1.0 else LOOSE_TOLERANCE)
        spent += outcome.iterations
        if outcome.status == newton.CONVERGED:
            done = goal
            way.append(solver.positions())
            if done >= 1.0:
                return outcome._replace(iterations=spent)
            step = min(1.5 * step, LARGEST_WIND / total)
        else:
            solver.q, solver.nu = before_q, before_nu
            step *= 0.5
            if step * total < SMALLEST_WIND:
                return outcome._replace(iterations=spent)


# ---- on a coarse grid first ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Coarse:
    """The same cable with fewer segments, and where the frames of the fine grid lie among its own."""

    solver: "RodSolver"
    to_points: tuple[Indices, Array]  # the fine grid's points, as `transfer.between` says
    to_sites: tuple[Indices, Array]  # the frames of its staggered chain


def make_coarse(solver: "RodSolver") -> Coarse | None:
    """None where a coarse grid would not do, or would not be much coarser.

    Clips make for so many shapes that which one a guess leads to depends on the grid.
    """
    line = solver.line
    if len(solver.grid.h) < 2 * COARSE_SEGMENTS or len(line.supports) != 2 or line.initial is not None:
        return None
    if not solver.may_polish or len(solver.staggered.moment_site) > 0 or is_demanding(line):
        return None
    few = type(solver)(replace(line, segments=COARSE_SEGMENTS, adaptive=False))
    if 2 * len(few.grid.h) > len(solver.grid.h):
        return None
    place = few.layout.place
    return Coarse(few, between(place, solver.grid.s), between(place, solver.layout.place))


def is_demanding(line: Line) -> bool:
    """Whether rest curvature, twist or boundary layers need more segments than the coarse grid has."""
    turn = line.rest.largest * line.length + max(abs(k.turn) for k in line.supports)
    softest = min(min(k.stiffness[0], k.stiffness[1]) for k in line.pieces)
    layers = math.sqrt(0.5 * line.weight / softest) * line.length
    return turn > COARSE_TURN * COARSE_SEGMENTS or layers > COARSE_LAYER * COARSE_SEGMENTS


def from_coarse(solver: "RodSolver", coarse: Coarse, methods: list[str]) -> newton.Outcome | None:
    """The whole start on the coarse grid, its shapes on the fine one; None where that is not beyond doubt."""
    few = coarse.solver
    few.begin_anew()
    few.aim_at(solver.supports)
    used: list[str] = []
    found = rough_descents(few, used)
    if not found:
        return None
    outcome = lowest(few, found, used)
    if outcome.status != newton.CONVERGED:
        return None
    others: list[OtherShape] = []
    for other in few.others:
        take_over(solver, STAGGERED, other.state.q, other.state.nu, coarse.to_sites)
        if not is_direct(solver.descend(STAGGERED)):
            return None
        others.append(OtherShape(solver.energy(), solver.state()))
    take_over(solver, POLISHED, few.q, few.nu, coarse.to_points)
    polished = solver.descend(POLISHED)
    if not is_direct(polished) or not solver.can_polish(look=False):
        return None
    solver.others, solver.origin, solver.way = tuple(others), few.origin, few.way
    solver.count_neutral(polished)
    methods += ["coarse grid", *used, "polished"]
    return polished._replace(iterations=outcome.iterations + polished.iterations)


def rough_descents(few: "RodSolver", methods: list[str]) -> list[Found]:
    """The shapes the guesses lead to, each once; none where a finer grid might have another one lowest."""
    found: list[Found] = []
    poses = guess.unwound_poses(few.supports)
    for start in starts(few):
        begin(few, poses, start)
        outcome = few.descend(STAGGERED, tolerance=ROUGH_TOLERANCE)
        note(methods, outcome)
        if outcome.status != newton.CONVERGED or not few.can_polish(look=False):
            return []
        if not any(is_same(few.q, k.state.q) for k in found):
            found.append(here(few, outcome))
    energies = sorted(k.energy for k in found)
    if len(found) > 1 and energies[1] - energies[0] < COARSE_ENERGY * max(k.elastic for k in found):
        return []
    return found


def is_same(q: Array, p: Array) -> bool:
    """Whether no frame differs by more than 0.1 rad."""
    return bool(np.abs(np.einsum("ij,ij->i", q, p)).min() > SAME)


def is_direct(outcome: newton.Outcome) -> bool:
    """Whether Newton's method went straight to an equilibrium: the one of the coarse grid."""
    return outcome.status == newton.CONVERGED and outcome.shifted == 0 and outcome.escapes == 0


def take_over(solver: "RodSolver", scheme: int, q: Array, nu: Array, places: tuple[Indices, Array]) -> None:
    """A state of the coarse grid becomes one of this grid; ν means the same on both."""
    solver.scheme = scheme
    solver.q = np.empty((len(places[0]), 4))
    mean_frames(q, *places, solver.q)
    solver.nu = nu.copy()
