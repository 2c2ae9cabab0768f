"""The cables of a simulation: each solved alone, or together with what it meets; and what touches what."""

import os
import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lissom.assembling import (
    around,
    bound,
    is_assembly,
    is_solid,
    make_assembly,
    make_solid,
    make_sweep,
    meets_itself,
    rods_of,
    skin,
)
from lissom.geometry.solids import Solid
from lissom.jointed import JointedSolver, solve_jointed
from lissom.posing import part_way
from lissom.reports import Report, SolveError
from lissom.rods.assembly import Assembly, are_good
from lissom.rods.describing import Contact
from lissom.rods.islands import Islands
from lissom.rods.line import NO_DIRECTION, Line
from lissom.rods.lone import Lone
from lissom.rods.outcome import RodReport, RodState
from lissom.rods.past import Past
from lissom.rods.result import CableResult
from lissom.rods.solver import RodSolver
from lissom.rods.stopping import Stop, Sweep
from lissom.rods.surroundings import Clearance
from lissom.rods.transfer import transferred
from lissom.scene import Cable, Problem, SceneError
from lissom.scene.errors import ABSENT
from lissom.scene.pose import Pose
from lissom.standing import Standing

Array = NDArray[np.float64]

WORST_FIRST = ("infeasible", "not_converged", "unstable", "converged")


class Cables:
    """Solvers, reports and contacts of the cables of a scene, as its things stand."""

    def __init__(self, standing: Standing, formulation: str) -> None:
        self._standing = standing
        self.formulation = formulation
        self.solvers = {k.name: self._new_solver(standing.line(k)) for k in standing.scene.cables}
        self.reports: dict[str, RodReport] = {}
        self.dirty = set(self.solvers)  # those that something was changed for since they were solved
        self._results: dict[str, CableResult] = {}
        self.solids: dict[str, Solid] = {}  # of the parts that can be touched, by name
        self.made: dict[tuple[str, ...], Solid] = {}  # all that were ever needed, by what they are made from
        self.islands: Islands | None = None
        self._past: Past | None = None  # of contacts, for the next assembly
        self._sweep: Sweep | None = None
        self._lone: Lone | None = None  # the only cable that can touch anything: itself
        self.stops: tuple[Stop, ...] = ()  # held parts that could not go all their way
        self.notes: list[str] = []  # what had to be said about meshes, and about parts that overlap
        self.look_around()

    # ---- which there are -----------------------------------------------------------------------------------------

    def _new_solver(self, line: Line, state: RodState | None = None) -> RodSolver:
        """Of the model that the scene says."""
        kind = JointedSolver if self._standing.scene.cable(line.name).model == "kinematic" else RodSolver
        return kind(line, state, self.formulation)

    def solver(self, name: str) -> RodSolver:
        try:
            return self.solvers[name]
        except KeyError:
            self._standing.scene.cable(name)  # raises with near matches
            raise

    def support_number(self, name: str, part: str) -> int:
        """Which of the supports of a cable has this name."""
        solver = self.solver(name)
        for number, support in enumerate(solver.supports):
            if support.name == part:
                return number
        held = ", ".join(f"{name}/{k.name}" for k in solver.line.supports)
        message = f"nothing holds the cable there; it is held at {held}"
        raise SceneError([Problem(f"{name}/{part}", ABSENT, message)])

    @property
    def jointed(self) -> dict[str, JointedSolver]:
        return {name: k for name, k in self.solvers.items() if isinstance(k, JointedSolver)}

    def rebuild(self, name: str, line: Line, places: tuple[Array, Array] | None = None) -> None:
        """A new solver for the changed line, warm from the present shape where there is one.

        `places` along the cable as it was, and where they are now; without them it is longer by the same everywhere.
        """
        old = self.solvers.get(name)
        new = self._new_solver(line)
        if old is not None and self.has_shape(name):
            before, now = places or (old.grid.s[[0, -1]], np.array([0.0, line.length]))
            was = np.interp(new.grid.s, now, before)
            begin(new, *self.shape(name), old.grid.s, was)
        self.solvers[name] = new  # the last result stays readable until the next one
        self.forget_assembly()
        self.dirty.add(name)

    def drop(self, name: str) -> None:
        """One that is in the scene no more."""
        del self.solvers[name]
        self.forget_assembly(contacts=True)
        self.reports.pop(name, None)
        self._results.pop(name, None)
        self.dirty.discard(name)

    def restore(
        self,
        lines: Mapping[str, Line],
        rods: Mapping[str, RodState | None],
        reports: Mapping[str, RodReport],
        dirty: frozenset[str],
        past: Past | None,
    ) -> None:
        """Cables as they were, without solving."""
        self.reports = dict(reports)
        self._results.clear()
        self.dirty = set(dirty)
        self.look_around()
        self.islands, self._past = None, past
        self.solvers = {}
        for name, line in lines.items():
            self.solvers[name] = self._new_solver(line, rods[name])
            if self.solvers[name].solved is None:
                self.dirty.add(name)

    def begin_anew(self, past: Past | None) -> None:
        """All are to be solved; `past` is what their contacts were."""
        self.islands, self._past = None, past
        self.reports.clear()
        self._results.clear()
        self.dirty = set(self.solvers)

    def follow(self, cable: Cable) -> None:
        """Moves the supports of a cable to where parts and junctions have them now."""
        solver = self.solvers[cable.name]
        now = {k.name: k for k in self._standing.supports(cable)}
        for number, old in enumerate(solver.supports):
            new = now.get(old.name, old)  # grips stay
            if old.position != new.position or old.quaternion != new.quaternion:
                turn = new.quaternion if new.direction != NO_DIRECTION else None
                solver.move_support(number, new.position, turn)
        self.dirty.add(cable.name)

    def follow_all(self) -> None:
        for cable in self._standing.scene.cables:
            self.follow(cable)

    # ---- solving -------------------------------------------------------------------------------------------------

    def solve_rods(self, cold: bool) -> Report:
        """Equilibrium of the rods that changed, at the lengths that they have."""
        began = time.perf_counter()
        iterations = 0
        self.stops = ()
        if self._meets:
            return self._solve_together(cold, began)
        for name in [k for k in rods_of(self._standing.scene) if cold or k in self.dirty]:
            report = self._solve_lone(name, cold) if name in self._touchy else self.solvers[name].solve(cold)
            self._take(name, report)
            iterations += report.iterations
        return self.overall(iterations, began)

    def solve_kinematic(self, cold: bool, budget: float | None, iterations: int, began: float) -> Report:
        """Those that changed, and those that were not done; `budget` in s counts from when the solve `began`."""
        wanted = {name: k for name, k in self.jointed.items() if cold or name in self.dirty or k.unfinished}
        for name, solver in wanted.items():
            solver.surround(around(self._standing.scene, name, solver, self.solids, self._standing.parts))
        left = None if budget is None else max(budget - (time.perf_counter() - began), 0.0)
        for name, report in solve_jointed(wanted, cold, left).items():
            self._take(name, report)
            iterations += report.iterations
        return with_stops(self.overall(iterations, began), self.stops)

    def _take(self, name: str, report: RodReport) -> None:
        self.reports[name] = report
        if report.status in ("converged", "unstable"):
            self._results.pop(name, None)
            self.dirty.discard(name)

    def _solve_lone(self, name: str, cold: bool) -> RodReport:
        """Alone; as an assembly of one where it touches itself, or would pass through itself on the way."""
        solver = self.solvers[name]
        if self.islands is None:
            if self._lone is None or self._lone.solver is not solver:
                self._lone = Lone(solver, skin(self._standing.scene, name, solver))
            report = self._lone.solve(cold)
            if report is not None:
                return report
            self.islands = Islands([[name]], self._make_assembly)
        report = self.islands.solve(cold, {name})[name]
        if report.status == "converged" and not self.islands.contacts:
            self.islands = None
        return report

    def _solve_together(self, cold: bool, began: float) -> Report:
        """Cables among parts, on junctions and near each other."""
        rods = set(rods_of(self._standing.scene))
        if not cold and not self.dirty & rods:
            return self.overall(0, began)
        islands = self.islands or self._assemble()
        self._stop_at_obstacles(islands.depth)
        islands.aim(self._standing.parts)
        reports = islands.solve(cold, self.dirty & rods)
        iterations = max((k.iterations for k in reports.values()), default=0)
        self.reports |= reports
        for name in [k for k, report in reports.items() if are_good({k: report})]:
            self._results.pop(name, None)
        if are_good({name: k for name, k in self.reports.items() if name in rods}):
            self.dirty -= rods
            self._standing.settle({k.name: k.pose for k in islands.bodies})
        return with_stops(self.overall(iterations, began), self.stops)

    def overall(self, iterations: int, began: float) -> Report:
        worst, reason = "converged", ""
        for name, report in self.reports.items():
            if WORST_FIRST.index(report.status) < WORST_FIRST.index(worst):
                worst, reason = report.status, f"{name}: {report.reason}"
        return Report(worst, reason, iterations, time.perf_counter() - began, dict(self.reports))

    # ---- what they meet ------------------------------------------------------------------------------------------

    def look_around(self) -> None:
        """What there is to touch: the solid of a part is made once, whatever the part is called."""
        self.see()
        self.solids = {}
        scene = self._standing.scene
        for part in filter(is_solid, scene.parts):
            file = "" if part.mesh is None else os.path.realpath(scene.folder / part.mesh)
            key = (file, str(part.units), str(part.shape))
            if key not in self.made:
                self.made[key], warnings = make_solid(scene, part)
                self.notes += warnings
            self.solids[part.name] = self.made[key]

    def see(self) -> None:
        """Whether cables may meet anything, and which can touch themselves."""
        scene = self._standing.scene
        self._meets = is_assembly(scene)
        self._touchy = frozenset(k.name for k in scene.cables if meets_itself(scene, k.name))

    def _make_assembly(self, names: list[str]) -> Assembly:
        solvers = {name: self.solvers[name] for name in names}
        now = self._standing
        return make_assembly(now.scene, solvers, self.solids, now.parts, now.junctions)

    def _assemble(self) -> Islands:
        """The cables with all they can meet, as scene and solvers are now."""
        now = self._standing
        islands = Islands(bound(now.scene), self._make_assembly)
        if self._past is not None:
            islands.take(self._past)
        islands.recall(self.reports)
        self.islands, self._past = islands, None
        self._sweep = make_sweep(now.scene, islands.obstacles)
        found = self._sweep.overlaps(now.stood or now.parts, islands.depth)
        self.notes += [text for text in found if text not in self.notes]
        return islands

    def forget_assembly(self, contacts: bool = False) -> None:
        """The next solve makes another; what touched what goes with it, unless the contacts are to be forgotten."""
        self._past = None if contacts else self.past
        self.islands = None

    def _stop_at_obstacles(self, depth: float) -> None:
        """Held parts go as far towards where they are to be as nothing is in their way."""
        now = self._standing
        movers = [k.name for k in now.scene.parts if k.motion == "held" and k.name in now.told & now.stood.keys()]
        if not movers or self._sweep is None:
            return
        goals = {name: now.moved[name] for name in movers}

        def reached(done: dict[str, float]) -> dict[str, Pose]:
            return {name: part_way(now.stood[name], goals[name], part) for name, part in done.items()}

        done, stops = self._sweep.stops(movers, lambda k: now.poses_with(reached(k)), depth)
        for name, pose in reached({k.part: done[k.part] for k in stops}).items():
            now.put(name, pose)
        if stops:
            self.follow_all()
        self.stops = tuple(stops)

    @property
    def past(self) -> Past | None:
        """Forces of contacts, and what friction remembers."""
        return self._past if self.islands is None else self.islands.past

    @property
    def looks_for_contact(self) -> bool:
        return self._meets or self.islands is not None

    @property
    def contacts(self) -> tuple[Contact, ...]:
        self._assemble_again()
        found = () if self.islands is None else self.islands.contacts
        return (*found, *(k for solver in self.jointed.values() for k in solver.contacts()))

    @property
    def clearances(self) -> tuple[Clearance, ...]:
        self._assemble_again()
        points = {name: np.ascontiguousarray(self.result(name).positions) for name in self.solvers}
        found = [] if self.islands is None else self.islands.clearances(points)
        return (*found, *(k for name, solver in self.jointed.items() for k in solver.clearances(points[name])))

    def _assemble_again(self) -> None:
        """After going back to a state."""
        if self.islands is None and self._past is not None and not self.dirty:
            self._assemble()

    def clearance_along(self, name: str) -> Array:
        points = np.ascontiguousarray(self.result(name).positions)
        solver = self.solver(name)
        if isinstance(solver, JointedSolver):
            return solver.along(points)
        if self._meets and self.islands is None and not self.dirty:
            self._assemble()
        if self.islands is None:
            return np.full(len(points), np.inf)
        return self.islands.along(name, points)

    # ---- results -------------------------------------------------------------------------------------------------

    def has_shape(self, name: str) -> bool:
        """Whether a cable has an equilibrium to show."""
        return name in self.reports and self.solver(name).solved is not None

    def result(self, name: str) -> CableResult:
        """The last equilibrium of a cable."""
        if name not in self._results:
            solver = self.solver(name)
            if not self.has_shape(name):
                raise SolveError(f"{name}: no equilibrium yet; call solve() and look at its report")
            self._results[name] = CableResult(solver, self.reports[name])
        return self._results[name]

    def shape(self, name: str) -> tuple[Array, Array]:
        """Frames at the points of a cable, and the force in its segments (N): what another grid can begin from."""
        sides = self.result(name)._sides
        return sides.frames, 0.5 * (sides.force_after[:-1] + sides.force_before[1:])


def begin(solver: RodSolver, frames: Array, force: Array, s: Array, at: Array) -> None:
    """From a shape on the grid `s`; `at` says where on it the points of the solver are, m."""
    solver.begin_from(*transferred(frames, force, s, at, solver.point_of, solver.staggered.segment_of))


def with_stops(report: Report, stops: tuple[Stop, ...]) -> Report:
    """It says, too, which parts were stopped."""
    stopped = "; ".join(str(k) for k in stops)
    return report._replace(reason="; ".join(k for k in (report.reason, stopped) if k))
