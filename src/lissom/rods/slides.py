"""Rings and sleeves of cables that are solved together: around the solve at fixed places, as for a lone cable.

What drives a place along the cable is H⁺ − H⁻ [docs/theory/rods.md (27)]: contacts act elsewhere on the cable and only
change what H is. When a place moves the points of its cable move along it; frames, run forces and contacts keep their
numbers, and so are what the next solve begins with.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import tangent
from lissom.rods import newton, sliding
from lissom.rods.chain import frame
from lissom.rods.contacts import Contacts
from lissom.rods.guess import carry
from lissom.rods.link import Link
from lissom.rods.result import Resultants, Sides
from lissom.rods.solver import RodSolver
from lissom.rods.surroundings import Surroundings
from lissom.rods.system import Settled, System

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# Driving force at which a slide is settled where everything is on its way to another place, as sliding.TOLERANCE.
ON_THE_WAY = 1e-3
# Solves at other places that may fail before it is given up: each takes long.
MOST_FAILURES = 4


@dataclass(slots=True)
class Snapshot:
    """Enough of a system to go back to it."""

    frames: list[Array]
    forces: list[Array]
    held: list[Array]
    points: list[Array]
    poses: list[tuple[Array, Array]]
    contacts: Contacts
    places: list["Places"]
    steps: list[int]  # how many the way of each cable had


@dataclass(frozen=True, slots=True)
class Places:
    """Where the slides of one cable are, and how many segments lie between its key places."""

    where: dict[int, float]  # by number of the support, m
    counts: Indices


class Slides:
    """All sliding supports of some cables."""

    def __init__(self, solvers: list[RodSolver], surroundings: Surroundings) -> None:
        self.solvers = solvers
        self.surroundings = surroundings
        self.numbers = [[k for k, s in enumerate(solver.supports) if s.slides] for solver in solvers]
        self.any = any(self.numbers)
        self._slope: Array | None = None

    # ---- where they are ------------------------------------------------------------------------------------------

    def places(self) -> list[Places]:
        """Of each cable; nothing for those without slides."""
        if not self.any:
            return []
        return [
            Places(
                {k: solver.supports[k].place for k in mine},
                sliding.segment_counts(solver) if mine else np.zeros(0, dtype=np.int64),
            )
            for solver, mine in zip(self.solvers, self.numbers, strict=True)
        ]

    def put(self, places: list[Places], system: System | None) -> None:
        """Slides to these places; in a system the frames, forces and held positions of a cable stay as they are."""
        for number, (solver, wanted) in enumerate(zip(self.solvers, places, strict=True) if places else ()):
            if not wanted.where or not self._elsewhere(number, solver, wanted):
                continue
            solver.set_places(wanted.where, wanted.counts)
            self.surroundings.follow(number, solver)
            if system is not None:
                old, new = system.links[number], Link(solver)
                new.q, new.nu, new.held = old.q, old.nu, old.held
                new.aim()
                for k in wanted.where:
                    was, now = old.site_of(k), new.site_of(k)
                    if now != was >= 0:  # past a load it is another frame that a sleeve holds
                        t = tangent(frame(new.q, was))
                        new.q[now] = carry(frame(new.q, now), t)
                new.x = new.locate(new.q, new.nu)
                system.links[number] = new

    def _elsewhere(self, number: int, solver: RodSolver, wanted: Places) -> bool:
        if any(solver.supports[k].place != place for k, place in wanted.where.items()):
            return True
        same = np.array_equal(sliding.segment_counts(solver), wanted.counts)
        return not same or self.surroundings.skins[number].s is not solver.grid.s

    def noted(self) -> None:
        """The cables were solved one by one: what touches has to know where their points are now."""
        for number, solver in enumerate(self.solvers):
            if self.surroundings.skins[number].s is not solver.grid.s:
                self.surroundings.follow(number, solver)

    # ---- what drives them ----------------------------------------------------------------------------------------

    def forces(self, system: System) -> Array:
        """(slides,) N: H⁺ − H⁻, cable by cable; without what contacts exert at the very point of the slide."""
        found = [np.zeros(0)]
        for number, (link, mine) in enumerate(zip(system.links, self.numbers, strict=True)):
            if mine:
                solver = link.solver
                resultants = Resultants.of(link.chain, solver.point_of, link.q, link.nu, solver.grid)
                at = np.array([solver.grid.support_at[k] for k in mine])
                after = resultants.force_after.copy()
                after[at] += system.pushed(number)[at]
                sides = Sides(solver.line, solver.grid, resultants._replace(force_after=after))
                found.append(sliding.driving_forces(solver, mine, sides))
        return np.concatenate(found)

    def tolerance(self, system: System, final: bool) -> float:
        """N: on the way of all that is solved together; in the end of the weakest cable with slides, or its pull where
        it is taut.
        """
        scales = [max(k.scales.force, float(np.abs(k.nu).max(initial=0.0))) for k in system.links]
        if not final:
            return ON_THE_WAY * max(scales)
        return sliding.TOLERANCE * min(k for k, mine in zip(scales, self.numbers, strict=True) if mine)

    def limits(self, system: System) -> tuple[Array, Array]:
        """As `sliding.rooms`, of all cables."""
        found = []
        for number, (link, mine) in enumerate(zip(system.links, self.numbers, strict=True)):
            if mine:
                afloat = frozenset(s.support for body in system.bodies for s in body.seats if s.link == number)
                found.append(sliding.rooms(link.solver.line, mine, list(link.held), afloat))
        rows = np.zeros((sum(len(k[1]) for k in found), sum(k[0].shape[1] for k in found)))
        row = column = 0
        for block, _ in found:
            rows[row : row + block.shape[0], column : column + block.shape[1]] = block
            row, column = row + block.shape[0], column + block.shape[1]
        return rows, np.concatenate([k[1] for k in found])

    # ---- to rest -------------------------------------------------------------------------------------------------

    def settle(self, system: System, solve: Callable[[], Settled], most: float, final: bool) -> tuple[Settled, str]:
        """`solve` brings the system to equilibrium at fixed places; the slides go where nothing drives them.

        A place moves by no more than `most` (m) at a time. If they do not come to rest the reason says why.
        """
        outcome = solve()
        if not self.any or outcome.status != newton.CONVERGED:
            return outcome, ""
        spent, failures = outcome.iterations, 0
        counts = self.places()
        good = calmest = snapshot(system, self)
        least = float(np.abs(self.forces(system)).max())

        def driven(values: Array) -> Array | None:
            nonlocal outcome, spent, good, calmest, least, failures
            if failures >= MOST_FAILURES or not np.all(np.isfinite(values)):
                return None
            wanted: list[Places] = []
            first = 0
            for kept, mine in zip(counts, self.numbers, strict=True):
                there = values[first : first + len(mine)]
                if np.any(np.diff(there) <= 0.0):
                    return None
                wanted.append(Places({k: float(v) for k, v in zip(mine, there, strict=True)}, kept.counts))
                first += len(mine)
            self.put(wanted, system)
            tried = solve()
            spent += tried.iterations
            if tried.status != newton.CONVERGED:
                failures += 1
                restore(system, self, good)
                return None
            outcome, good = tried, snapshot(system, self)
            forces = self.forces(system)
            if float(np.abs(forces).max()) <= least:
                calmest, least = good, float(np.abs(forces).max())
            return forces

        rest = sliding.run_to_rest(
            np.array([place for kept in counts for place in kept.where.values()]),
            self.forces(system),
            driven,
            lambda: self.limits(system),
            [
                f"{s.line.name}/{s.supports[k].name}"
                for s, mine in zip(self.solvers, self.numbers, strict=True)
                for k in mine
            ],
            min(s.line.length for s, mine in zip(self.solvers, self.numbers, strict=True) if mine),
            self.tolerance(system, final),
            most,
            self._slope,
            certify=final,
        )
        self._slope = rest.slope
        if not rest.reason and float(np.abs(self.forces(system)).max()) > least:
            restore(system, self, calmest)  # to look beside it led to another equilibrium, or to none
        status = newton.OUT_OF_ITERATIONS if rest.reason else outcome.status
        index = outcome.unstable + rest.negative
        return replace(outcome, status=status, iterations=spent, unstable=index), rest.reason


def snapshot(system: System, slides: Slides) -> Snapshot:
    return Snapshot(
        [k.q.copy() for k in system.links],
        [k.nu.copy() for k in system.links],
        [k.held.copy() for k in system.links],
        [k.x.copy() for k in system.links],
        [(k.position, k.quaternion) for k in system.bodies],
        system.contacts,
        slides.places(),
        [len(k.solver.way) for k in system.links],
    )


def restore(system: System, slides: Slides, before: Snapshot) -> None:
    slides.put(before.places, system)
    states = zip(before.frames, before.forces, before.held, before.points, strict=True)
    for link, (q, nu, held, x), steps in zip(system.links, states, before.steps, strict=True):
        link.q[:], link.nu[:], link.held[:], link.x = q, nu, held, x.copy()
        link.aim()
        del link.solver.way[steps:]
    for body, (position, quaternion) in zip(system.bodies, before.poses, strict=True):
        body.position, body.quaternion = position, quaternion
    system.contacts = before.contacts
    system.evaluate()
