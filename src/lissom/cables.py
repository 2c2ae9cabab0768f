"""The cables of a simulation: each solved alone, or together with what it meets; and what touches what."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lissom.assembling import (
    around,
    bound,
    floats,
    is_assembly,
    is_solid,
    line_of,
    make_assembly,
    make_solid,
    make_sweep,
    meets_itself,
    rods_of,
    skin,
)
from lissom.geometry.solids import Solid
from lissom.jointed import JointedSolver, solve_jointed
from lissom.judging import Hearing, Seats
from lissom.posing import part_way
from lissom.reports import Report, SolveError
from lissom.rods.assembly import Assembly, are_good
from lissom.rods.describing import Contact
from lissom.rods.islands import Islands
from lissom.rods.judge.certificate import OF_SKINS, OF_SUPPORTS, Certificate
from lissom.rods.judge.winding import Since
from lissom.rods.line import NO_DIRECTION, TANGENT, Line, Support
from lissom.rods.lone import Lone
from lissom.rods.outcome import RodReport, RodState, nothing_found
from lissom.rods.past import Past
from lissom.rods.reading import retwisted
from lissom.rods.result import CableResult
from lissom.rods.solver import RodSolver
from lissom.rods.starting import WINDING
from lissom.rods.stopping import Stop, Sweep
from lissom.rods.surroundings import Clearance
from lissom.rods.transfer import transferred
from lissom.scene import Cable, Problem, SceneError
from lissom.scene.errors import ABSENT
from lissom.scene.pose import Pose, relative
from lissom.standing import Standing
from lissom.twisting import twist, wound

Array = NDArray[np.float64]

WORST_FIRST = ("error", "infeasible", "not_converged", "under_resolved", "unstable", "converged")


class Cables:
    """Solvers, reports and contacts of the cables of a scene, as its things stand."""

    def __init__(self, standing: Standing, formulation: str) -> None:
        self._standing = standing
        self.formulation = formulation
        self._seats: tuple[tuple[object, ...], Seats] | None = None
        self.asked: dict[str, tuple[Support, ...]] = {}  # where supports are to be, whatever a solver makes of them
        self.solvers = {k.name: self._new_solver(standing.line(k)) for k in standing.scene.cables}
        self.reports: dict[str, RodReport] = {}
        self.certified: dict[str, CableResult] = {}  # the last shapes that the judge let pass
        self._hearing: Hearing | None = None
        self.dirty = set(self.solvers)  # those that something was changed for since they were solved
        self._results: dict[str, CableResult] = {}
        self.solids: dict[str, Solid] = {}  # of the parts that can be touched, by name
        self.made: dict[tuple[str, ...], Solid] = {}  # all that were ever needed, by what they are made from
        self.islands: Islands | None = None
        self._past: Past | None = None  # of contacts, for the next assembly
        self._kept: tuple[Past | None, tuple[Contact, ...]] = (None, ())  # what touched when all was last certified
        self._sweep: Sweep | None = None
        self._lone: Lone | None = None  # the only cable that can touch anything: itself
        self.stops: tuple[Stop, ...] = ()  # held parts that could not go all their way
        self.notes: list[str] = []  # what had to be said about meshes, and about parts that overlap
        self.look_around()

    # ---- which there are -----------------------------------------------------------------------------------------

    def _new_solver(self, line: Line, state: RodState | None = None) -> RodSolver:
        """Of the model that the scene says."""
        kind = JointedSolver if self._standing.scene.cable(line.name).model == "kinematic" else RodSolver
        self.asked[line.name] = line.supports
        return kind(line, state, self.formulation)

    @property
    def seats(self) -> Seats:
        """Where on free parts supports sit, as the scene has it: solvers move them about."""
        now = self._standing
        free = {part.name for part in now.scene.parts if floats(now.scene, part)}
        if not free:
            return {}
        key = (now.scene, now.parts, now.mounted)
        if self._seats is None or any(a is not b for a, b in zip(self._seats[0], key, strict=True)):
            found: Seats = {}
            for cable in now.scene.cables:
                for support in now.supports(cable) if any(k and k.on for k in cable.held.values()) else ():
                    on = cable.held.get(support.name)
                    part = None if on is None or on.on is None else line_of(now.scene, on.on)[-1]
                    if part in free:
                        local = relative(now.parts[part], (support.position, support.quaternion))
                        found[cable.name, support.name] = part, local
            self._seats = key, found
        return self._seats[1]

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

    def rebuild(self, name: str, line: Line, places: tuple[Array, Array] | None = None, anew: bool = False) -> None:
        """A new solver for the changed line, warm from the present shape where there is one, unless it begins `anew`.

        `places` along the cable as it was, and where they are now; without them it is longer by the same everywhere.
        """
        old = self.solvers.get(name)
        shaped = old is not None and self.has_shape(name) and not anew
        if old is not None and shaped:
            before, now = places or (old.grid.s[[0, -1]], np.array([0.0, line.length]))
            line = line.with_slides_of(old.line, before, now)
        self.dirty |= self._neighbours(name)
        new = self._new_solver(line)
        if old is not None and shaped:
            last = self.result(name)  # of a grid and a length before, where the one that is replaced has found none
            was = np.interp(new.grid.s, now, before) * (last.length / old.line.length)
            begin(new, *self.shape(name), last.s, was)
        self.solvers[name] = new  # the last result stays readable until the next one
        self.forget_assembly()
        self.dirty.add(name)

    def drop(self, name: str) -> None:
        """One that is in the scene no more; what it pressed or pulled on is to be solved."""
        self.dirty |= self._neighbours(name)
        del self.solvers[name]
        self.forget_assembly(contacts=True)
        for known in (self.reports, self._results, self.certified, self.asked):
            known.pop(name, None)
        self.dirty.discard(name)

    def restore(
        self,
        lines: Mapping[str, Line],
        rods: Mapping[str, RodState | None],
        reports: Mapping[str, RodReport],
        dirty: frozenset[str],
        past: Past | None,
        certified: Mapping[str, CableResult],
    ) -> None:
        """Cables as they were, without solving."""
        self.reports = dict(reports)
        self._results.clear()
        self.certified = dict(certified)
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
        self.certified.clear()
        self.dirty = set(self.solvers)

    def follow(self, cable: Cable) -> None:
        """Moves the supports of a cable to where parts and junctions have them now."""
        solver = self.solvers[cable.name]
        now = {k.name: k for k in self._standing.supports(cable)}
        for number, (old, asked) in enumerate(zip(solver.supports, self.asked[cable.name], strict=True)):
            new = now.get(old.name, old)  # grips stay
            if any((k.position, k.quaternion) != (new.position, new.quaternion) for k in (old, asked)):
                turn = new.quaternion if new.direction != NO_DIRECTION else None
                self.hold(cable.name, number, new.position, turn)
        self.dirty.add(cable.name)

    def hold(
        self,
        name: str,
        number: int,
        position: tuple[float, float, float] | None,
        quaternion: tuple[float, float, float, float] | None,
    ) -> None:
        """A support is to be there; what is not given stays."""
        old = self.asked[name]
        held = old[number].moved(position or old[number].position, quaternion or old[number].quaternion)
        new = (*old[:number], held, *old[number + 1 :])
        self.asked[name] = new if quaternion is None else retwisted(new)
        self.solvers[name].move_support(number, position, quaternion)
        self.dirty.add(name)

    def follow_all(self) -> None:
        for cable in self._standing.scene.cables:
            self.follow(cable)

    # ---- solving -------------------------------------------------------------------------------------------------

    def solve_rods(self, cold: bool) -> Report:
        """Equilibrium of the rods that changed, at the lengths that they have."""
        began = time.perf_counter()
        self.stops = ()
        twisted = {name: self.solvers[name] for name in self._to_wind(cold)}
        return self._wound(twisted, cold, began) if twisted else self._solve_changed(cold, began)

    def _solve_changed(self, cold: bool, began: float) -> Report:
        if self._meets:
            return self._solve_together(cold, began)
        iterations = 0
        for name in [k for k in rods_of(self._standing.scene) if cold or k in self.dirty]:
            report = self._solve_lone(name, cold) if name in self._touchy else self.solvers[name].solve(cold)
            self._take(name, report)
            iterations += report.iterations
        return self.overall(iterations, began)

    def _to_wind(self, cold: bool) -> list[str]:
        """Twisted cables that begin anew, and do not wind up alone: they slide, or meet something."""
        found = []
        for name in rods_of(self._standing.scene):
            solver = self.solvers[name]
            alone = not self._meets and not any(k.slides for k in solver.supports)
            afloat = any(key[0] == name for key in self._hear().seats(self.seats))
            if not alone and not afloat and (cold or solver.solved is None) and twist(solver.supports) > 0.0:
                found.append(name)
        return found

    def _wound(self, twisted: dict[str, RodSolver], cold: bool, began: float) -> Report:
        """All that changed, twisted cables from their answer for twist 0 on."""

        first: dict[str, RodReport] = {}

        def solve(cold: bool) -> Report:
            self.dirty |= twisted.keys()
            report = self._solve_changed(cold, began)
            for name in twisted:
                first.setdefault(name, self.reports[name])
            return report

        _, iterations = wound(twisted, solve, cold)
        for name, report in first.items():
            self.reports[name] = replace(self.reports[name], methods=methods_of(report, self.reports[name]))
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
        if report.is_shape:
            self._results.pop(name, None)
            self.dirty.discard(name)
            if name in self.jointed:  # which nobody judges
                self.certified[name] = self.result(name)

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
        together = self.islands

        first: list[RodReport] = []

        def among_itself(cold: bool) -> RodReport:
            first.append(together.solve(cold, {name})[name])
            return first[-1]

        if (cold or solver.solved is None) and twist(solver.supports) > 0.0:
            report, iterations = wound({name: solver}, among_itself, cold)
            report = replace(report, iterations=iterations, methods=methods_of(first[0], report))
        else:
            report = among_itself(cold)
        if report.status == "converged" and not self.islands.contacts:
            self.islands = None
        return report

    def _solve_together(self, cold: bool, began: float) -> Report:
        """Cables among parts, on junctions and near each other."""
        rods = set(rods_of(self._standing.scene))
        if not cold and not self.dirty & rods:
            return self.overall(0, began)
        unheld = self._unheld()
        if unheld:
            self.reports |= {k: nothing_found("not_converged", unheld, began) for k in rods_of(self._standing.scene)}
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
        return with_stops(self.overall(iterations, began), self.stops)

    def _unheld(self) -> str:
        """Which support would have to turn with a free part in a direction alone, which none does yet; else nothing."""
        for (name, said), (part, _) in self.seats.items():
            support = self.solvers[name].supports[self.support_number(name, said)]
            if support.direction == TANGENT:
                return (
                    f"{name}/{said}: a {support.kind} cannot be on {part} yet, which is free: the direction that it "
                    f'holds would not turn with it. Make it a clamp or a ball, or give {part} motion = "held"'
                )
        return ""

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
        kept = () if all(k.is_shape for k in self.reports.values()) else self._kept[1]
        found = kept if self.islands is None else self.islands.contacts
        return (*found, *(k for solver in self.jointed.values() for k in solver.contacts()))

    @property
    def clearances(self) -> tuple[Clearance, ...]:
        self._assemble_again()
        points = {name: np.ascontiguousarray(self.result(name).positions) for name in self.solvers}
        fits = all(len(points[name]) == len(solver.grid.s) for name, solver in self.solvers.items())
        found = self.islands.clearances(points) if fits and self.islands is not None else []
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
        if self.islands is None or len(points) != len(solver.grid.s):  # shown is the last shape, of another grid
            return np.full(len(points), np.inf)
        return self.islands.along(name, points)

    # ---- the judge -----------------------------------------------------------------------------------------------

    def judged(self, report: Report, before: Mapping[str, RodReport]) -> Report:
        """The report of a solve, with what the judge says of all that is handed out; `before`: the reports until then.

        What it does not pass is not converged, and cables are as they were last certified.
        """
        rods = rods_of(self._standing.scene)
        solved = [k for k in rods if k in self.reports and self.reports[k] is not before.get(k)]
        self._fail_together(solved)
        heard = [k for k in (rods if self._meets else solved) if k in self.reports and self.reports[k].is_shape]
        if not any(k in heard for k in solved):
            return self.overall(report.iterations, 0.0)._replace(seconds=report.seconds)
        results = {name: self.result(name) for name in heard}
        bodies = {} if self.islands is None else {k.name: k.pose for k in self.islands.bodies}
        parts, junctions = self._standing.parts_with(bodies), self._standing.junctions | bodies
        contacts = () if self.islands is None else self.islands.contacts
        anew = {name for name in solved if self.solvers[name].is_anew}
        since = {name: self._since(name) for name in solved if name in results}
        certificates = self._hear().verdict(
            results, self.asked, self.seats, contacts, self.solids, parts, junctions, since, anew
        )
        thickness = self._hear().thickness if self._meets else {}
        ruled = {
            k: with_certificate(self.reports[k], certificates[k], thickness.get(k, ()))
            for k in solved
            if k in certificates
        }
        self.reports |= ruled
        failed = {name: k for name, k in ruled.items() if not k.is_shape}
        begun = all(name in self.certified for name in solved)  # then all are put back, as where one is not found
        lost = set(solved) if failed and begun else self._together(failed) & set(solved)
        for name in ruled.keys() - lost:
            result = results[name]
            result.report, result.asked, result.pushes = ruled[name], self.asked[name], pushes_on(name, contacts)
            self.certified[name] = result
        for name in lost:
            if name not in failed and self.reports[name].is_shape:
                other, why = next(iter(failed.items()))
                reason = f"solved together with {other}, which failed: {why.reason}"
                self.reports[name] = replace(self.reports[name], status=why.status, reason=reason)
            self._take_back(name)
        if not failed:
            self._kept = self.past, contacts
        if self._meets and not self.dirty & set(rods):
            self._standing.settle(bodies, self.solvers, self._hear().seats(self.seats).keys())
        return with_stops(self.overall(report.iterations, 0.0), self.stops)._replace(seconds=report.seconds)

    def _fail_together(self, solved: list[str]) -> None:
        """Cables that were solved in one system with one that has no shape have none either."""
        for name in [k for k in solved if not self.reports[k].is_shape]:
            for other in self._together([name]):
                report = self.reports.get(other)
                if report is not None and report.is_shape and other in solved:
                    reason = f"solved together with {name}, which failed: {self.reports[name].reason}"
                    self.reports[other] = replace(report, status="not_converged", reason=reason, stable=None)

    def broken(self, reason: str, began: float, before: Mapping[str, RodReport]) -> Report:
        """After an error inside: cables are as they were last certified, and their reports say what happened.

        `before`: the reports until then; what was solved since, and not judged to the end, is not handed out.
        """
        for name in rods_of(self._standing.scene):
            report = self.reports.get(name)
            if name in self.dirty or report is None or report is not before.get(name):
                self.reports[name] = nothing_found("error", reason, began)
                self._take_back(name)
        report_of_all = self.overall(0, began)
        return (
            report_of_all if report_of_all.status == "error" else report_of_all._replace(status="error", reason=reason)
        )

    def _since(self, name: str) -> Since | None:
        """The shape from which the turns of a cable are counted; None where there is none."""
        solver, last = self.solvers[name], self.certified.get(name)
        way, solver.way = solver.way, []
        if solver.is_anew:
            solver.is_anew = False
            return None if solver.origin is None else solver.origin._replace(way=way)
        if last is None:  # a shape from a file
            return solver.origin
        a = last.answer
        return Since(False, a.s, a.positions, a.quaternions, last.asked_places, way, lost=self.lost_turns(name))

    def lost_turns(self, name: str) -> float:
        """Turns that a cable has more than asked for, as last certified."""
        last = self.certified.get(name)
        found = None if last is None else last.report.certificate
        return 0.0 if found is None else found.lost

    def _hear(self) -> Hearing:
        now = self._standing
        if self._hearing is None or self._hearing.scene is not now.scene:
            self._hearing = Hearing(now.scene)
        return self._hearing

    def _together(self, names: Iterable[str]) -> set[str]:
        """Cables that were solved in one system with these."""
        found = set(names)
        for assembly in () if self.islands is None else self.islands.assemblies:
            if found & assembly.solvers.keys():
                found |= assembly.solvers.keys()
        return found

    def _neighbours(self, name: str) -> set[str]:
        """Cables that were solved with one, as far as that is known: what it pressed or pulled on is among them."""
        return set(self._past.cables) if self.islands is None and self._past is not None else self._together([name])

    def _take_back(self, name: str) -> None:
        """The next solve goes on from the last certified shape of a cable; without one it begins anew."""
        self._results.pop(name, None)
        self.dirty.add(name)
        old, last = self.solvers[name], self.certified.get(name)
        state = None if last is None else last.state
        fits = state is not None and len(state.supports) == len(old.supports) and len(state.s) == len(old.grid.s)
        afloat = {key[1] for key in self._hear().seats(self.seats) if key[0] == name}
        if state is None or not fits or state.s[-1] != old.line.length:
            there = {k.name: k for k in self._standing.supports(self._standing.scene.cable(name))} if afloat else {}
            supports = tuple(there[k.name] if k.name in afloat else k for k in old.supports)
            self.solvers[name] = type(old)(replace(old.line, supports=supports), None, self.formulation)
        else:  # where the bodies were then
            pairs = zip(old.supports, state.supports, strict=True)
            supports = tuple(
                was if k.name in afloat else k._replace(place=was.place) if k.slides else k for k, was in pairs
            )
            self.solvers[name] = type(old)(replace(old.line, supports=supports), state, self.formulation)
        self.islands, self._lone, self._past = None, None, self._kept[0]

    # ---- results -------------------------------------------------------------------------------------------------

    def has_shape(self, name: str) -> bool:
        """Whether a cable has an equilibrium to show."""
        if name not in self.reports:
            return False
        return name in self.certified or (self.reports[name].is_shape and self.solver(name).solved is not None)

    def result(self, name: str) -> CableResult:
        """The last equilibrium of a cable; not `valid` where the last solve found none."""
        solver, report = self.solver(name), self.reports.get(name)
        if report is None or not self.has_shape(name):
            why = "no equilibrium yet; call solve() and look at its report" if report is None else report.reason
            raise SolveError(f"{name}: {why}")
        if not report.is_shape:
            return self.certified[name].void(report)
        if name not in self._results:
            self._results[name] = CableResult(solver, report)
        return self._results[name]

    def shape(self, name: str) -> tuple[Array, Array]:
        """Frames at the points of a cable, and the force in its segments (N): what another grid can begin from."""
        sides = self.result(name)._sides
        return sides.frames, 0.5 * (sides.force_after[:-1] + sides.force_before[1:])


def methods_of(first: RodReport, last: RodReport) -> tuple[str, ...]:
    """Those used at twist 0, and on the way from there."""
    return tuple(dict.fromkeys((*first.methods, WINDING, *last.methods)))


def pushes_on(name: str, contacts: Sequence[Contact]) -> Array:
    """(contacts, 7) place (m), force (N) and normal of what presses on a cable."""
    rows = [(k.place, *k.force, *k.normal) for k in contacts if k.cable == name]
    rows += [(k.other_place, *-k.force, *-k.normal) for k in contacts if k.part == name and k.other_place is not None]
    return np.array(rows, dtype=float).reshape(-1, 7)


def with_certificate(report: RodReport, found: Certificate, thickness: tuple[str, ...]) -> RodReport:
    """A report as the judge has it; `thickness`: what is to be said of stretches with another radius."""
    ruled = replace(
        report,
        certificate=found,
        residual=found.residual,
        length_error=found.length_error,
        warnings=(*report.warnings, *found.notes, *thickness),
    )
    failed = found.failed
    if failed is None:
        return ruled
    where = f"{failed.where}: " if failed.name in OF_SUPPORTS else ""
    reason = "; ".join((f"{where}{failed}", *(thickness if failed.name in OF_SKINS else ())))
    return replace(ruled, status=found.status, reason=reason, stable=None)


def begin(solver: RodSolver, frames: Array, force: Array, s: Array, at: Array) -> None:
    """From a shape on the grid `s`; `at` says where on it the points of the solver are, m."""
    solver.begin_from(*transferred(frames, force, s, at, solver.point_of, solver.staggered.segment_of))


def with_stops(report: Report, stops: tuple[Stop, ...]) -> Report:
    """It says, too, which parts were stopped."""
    if not stops:
        return report
    stopped = "; ".join(str(k) for k in stops)
    return report._replace(reason="; ".join(k for k in (report.reason, stopped) if k))
