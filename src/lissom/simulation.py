"""One scene, solved again and again: what `lissom.Simulation` is."""

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
from lissom.building import Built
from lissom.geometry.solids import Solid
from lissom.jointed import JointedSolver, solve_jointed
from lissom.laying import free_names
from lissom.posing import RotationLike, as_quaternion, from_matrix, part_way, pointed, vector
from lissom.reports import Report as Report
from lissom.reports import SolveError as SolveError
from lissom.rods import halting
from lissom.rods.assembly import Assembly, are_good
from lissom.rods.describing import Contact
from lissom.rods.grid import counted, key_places
from lissom.rods.halting import Halted as Halted
from lissom.rods.halting import watched as watched
from lissom.rods.harness import first_poses, joined
from lissom.rods.islands import Islands
from lissom.rods.line import FRAME, NO_DIRECTION, Line, Support
from lissom.rods.lone import Lone
from lissom.rods.outcome import RodReport, RodState, between
from lissom.rods.past import Past
from lissom.rods.reading import DIRECTIONS, read_line, retwisted
from lissom.rods.result import CableResult as CableResult
from lissom.rods.result import Wrench
from lissom.rods.solver import RodSolver
from lissom.rods.stopping import Stop, Sweep
from lissom.rods.surroundings import Clearance
from lissom.rods.transfer import transferred
from lissom.routing import GRIP, Mode, follows_forces
from lissom.scene import Cable, Problem, Scene, SceneError, load_state, save_state, state_path
from lissom.scene.checks import SAME_PLACE
from lissom.scene.errors import ABSENT
from lissom.scene.joint import Joint, Value, mixed
from lissom.scene.placing import Poses, part_poses, rest_poses
from lissom.scene.pose import Pose, composed, relative

if TYPE_CHECKING:
    from lissom.machines.machine import Machine, MachineState
    from lissom.machines.resting import Rest
    from lissom.ropelines import RopeLines
    from lissom.sweeping import Visit

Array = NDArray[np.float64]
Vec3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class SimulationState:
    """Everything needed to go back: pickles, and never changes."""

    scene: Scene
    rods: dict[str, RodState | None]
    lines: dict[str, Line]
    reports: dict[str, RodReport]
    parts: dict[str, Pose]  # where parts and junctions stand in the world
    junctions: dict[str, Pose]
    past: Past | None = None  # forces of contacts, and what friction remembers
    mounted: dict[str, Pose] = field(default_factory=dict)  # where parts were when cables were mounted
    waiting: frozenset[str] = frozenset()  # cables that were solved, and something was changed since
    machine: "MachineState | None" = None  # velocities and ropes, once it was stepped


class Checkpoint(NamedTuple):
    """A state with what is not yet written into its scene: quick to take, for going back within the same scene."""

    state: SimulationState
    moves: dict[str, dict[str, Any]]
    moved: dict[str, Pose]
    settings: dict[str, Value]


# A joint turns its part by no more than this (rad) at a time, so that no turn of a clamp on it is lost.
MOST_TURN = 1.0

# Frames that differ by less (rad) are those of one shape.
SAME_FRAME = 0.02

WORST_FIRST = ("infeasible", "not_converged", "unstable", "converged")


class Simulation(Built):
    """Equilibria of a scene's cables: move, grip and edit, then solve; the next solve starts from the last."""

    def __init__(self, scene: Scene, *, formulation: str = "rotations") -> None:
        if formulation not in ("rotations", "augmented"):
            raise ValueError(f"formulation {formulation!r}: must be rotations or augmented (GS07's own)")
        self._scene = scene
        self._formulation = formulation
        self._moves: dict[str, dict[str, Any]] = {}  # path → fields not yet in the scene
        self._moved: dict[str, Pose] = {}  # parts that were moved: where they are in the world
        self._told: set[str] = set()  # parts that were moved since the last solve
        self._stood: dict[str, Pose] = {}  # where parts were in the last equilibrium
        self._settings: dict[str, Value] = {}  # joints that were moved
        self._parts = part_poses(scene)  # where parts and junctions are to be
        self._mounted = rest_poses(scene)  # where parts are when cables are mounted on them
        self._mounts: dict[str, tuple[Cable, Poses, tuple[Support, ...]]] = {}  # supports of cables on these poses
        self._junctions = first_poses(scene, self._parts)
        self._solids: dict[str, Solid] = {}  # of the parts that can be touched, by name
        self._made: dict[tuple[str, ...], Solid] = {}  # all that were ever needed, by what they are made from
        self._islands: Islands | None = None
        self._past: Past | None = None  # of contacts, for the next assembly
        self._sweep: Sweep | None = None
        self._lone: Lone | None = None  # the only cable that can touch anything: itself
        self._solvers = {c.name: self._new_solver(self._line(c)) for c in scene.cables}
        self._reports: dict[str, RodReport] = {}
        self._results: dict[str, CableResult] = {}
        self._dirty = set(self._solvers)
        self._modes: dict[str, Mode] = {}  # cable → what sets its length
        self.stops: tuple[Stop, ...] = ()
        """Held parts that could not go all their way in the last solve."""
        self.notes: list[str] = []
        """What had to be said about meshes, and when a saved state was opened."""
        self._machine: Machine | None = None
        self._lines: RopeLines | None = None
        self._read_solids()

    def _new_solver(self, line: Line, state: RodState | None = None) -> RodSolver:
        """Of the model that the scene says."""
        kind = JointedSolver if self._scene.cable(line.name).model == "kinematic" else RodSolver
        return kind(line, state, self._formulation)

    def _line(self, cable: Cable) -> Line:
        """Mounted where the scene puts the parts, then carried along by what joints and motions did since."""
        line = self._mount(cable)
        now = self.joints
        ways = [(k, k.zero, now[k.name]) for k in self._scene.joints]
        steps = max(1, math.ceil(sum(k.turns(zero, value) for k, zero, value in ways) / MOST_TURN))
        supports = line.supports
        for k in range(1, steps + 1):  # whole turns count
            between = {joint.name: mixed(zero, value, k / steps) for joint, zero, value in ways}
            poses = self._parts if k == steps else part_poses(self._scene, self._moved, between)
            there = self._carried(cable, line.supports, poses)
            if there == supports:
                continue
            turned = (new._replace(turn=old.turn) for new, old in zip(there, supports, strict=True))
            supports = retwisted(tuple(turned))
        return line if supports is line.supports else replace(line, supports=supports)

    def _mount(self, cable: Cable) -> Line:
        return read_line(self._scene, joined(self._scene, cable, self._mounted, self._junctions))

    def _carried(self, cable: Cable, mounted: tuple[Support, ...], poses: Poses) -> tuple[Support, ...]:
        """Supports of a cable where its parts have them in other poses than those they were mounted in."""
        held = cable.held
        found: list[Support] = []
        for support in mounted:
            on = held.get(support.name)
            part = None if on is None else on.on
            if part is not None and self._mounted[part] != poses[part]:
                local = relative(self._mounted[part], (support.position, support.quaternion))
                support = support.moved(*composed(poses[part], local))
            found.append(support)
        return tuple(found)

    def _read_solids(self) -> None:
        """Solids of the parts that can be touched; one is made once, whatever its part is called."""
        self._see()
        self._machine = None
        self._solids = {}
        for part in filter(is_solid, self._scene.parts):
            file = "" if part.mesh is None else os.path.realpath(self._scene.folder / part.mesh)
            key = (file, str(part.units), str(part.shape))
            if key not in self._made:
                self._made[key], warnings = make_solid(self._scene, part)
                self.notes += warnings
            self._solids[part.name] = self._made[key]

    def _see(self) -> None:
        """Whether cables may meet anything, and which can touch themselves."""
        self._meets = is_assembly(self._scene)
        self._touchy = frozenset(k.name for k in self._scene.cables if meets_itself(self._scene, k.name))

    # ---- solving -------------------------------------------------------------------------------------------------

    def solve(self, *, cold: bool = False, budget: float | None = None) -> Report:
        """Equilibrium of every cable that changed. `cold` forgets the present shapes and starts anew.

        `budget`, in seconds, is for kinematic cables: they come as far as they can in it, and their reports say to
        which level; the next solve goes on from there. While they are moved that is at least four segments, at rest 32.
        Without it they go to their finest level. Rods take the time they need.
        """
        if budget is not None and not (isinstance(budget, Real) and 0.0 <= budget < math.inf):
            raise ValueError(f"budget = {budget!r}: must be a time from 0 on, in seconds, such as 0.004")
        began = time.perf_counter()
        report = self._route(cold) if self._modes else self._equilibria(cold)
        if self._jointed:
            report = self._solve_kinematic(cold, budget, report.iterations, began)
        halting.end()
        return report

    def _solve_kinematic(self, cold: bool, budget: float | None, iterations: int, began: float) -> Report:
        """Those that changed, and those that were not done."""
        wanted = {
            name: solver for name, solver in self._jointed.items() if cold or name in self._dirty or solver.unfinished
        }
        for name, solver in wanted.items():
            solver.surround(around(self._scene, name, solver, self._solids, self._parts))
        left = None if budget is None else max(budget - (time.perf_counter() - began), 0.0)
        for name, report in solve_jointed(wanted, cold, left).items():
            self._reports[name] = report
            iterations += report.iterations
            if report.status in ("converged", "unstable"):
                self._results.pop(name, None)
                self._dirty.discard(name)
        overall = self._overall(iterations, began)
        stopped = "; ".join(str(k) for k in self.stops)
        return overall._replace(reason="; ".join(k for k in (overall.reason, stopped) if k))

    @property
    def _jointed(self) -> dict[str, JointedSolver]:
        return {name: k for name, k in self._solvers.items() if isinstance(k, JointedSolver)}

    def _equilibria(self, cold: bool) -> Report:
        """Of rods, at the lengths that the cables have."""
        began = time.perf_counter()
        iterations = 0
        self.stops = ()
        if self._meets:
            return self._solve_together(cold, began)
        for name in [k for k in rods_of(self._scene) if cold or k in self._dirty]:
            report = self._solve_lone(name, cold) if name in self._touchy else self._solvers[name].solve(cold)
            self._reports[name] = report
            iterations += report.iterations
            if report.status in ("converged", "unstable"):
                self._results.pop(name, None)
                self._dirty.discard(name)
        return self._overall(iterations, began)

    def _solve_lone(self, name: str, cold: bool) -> RodReport:
        """Alone; as an assembly of one where it touches itself, or would pass through itself on the way."""
        solver = self._solvers[name]
        if self._islands is None:
            if self._lone is None or self._lone.solver is not solver:
                self._lone = Lone(solver, skin(self._scene, name, solver))
            report = self._lone.solve(cold)
            if report is not None:
                return report
            self._islands = Islands([[name]], self._make_assembly)
        report = self._islands.solve(cold, {name})[name]
        if report.status == "converged" and not self._islands.contacts:
            self._islands = None
        return report

    def _overall(self, iterations: int, began: float) -> Report:
        worst, reason = "converged", ""
        for name, report in self._reports.items():
            if WORST_FIRST.index(report.status) < WORST_FIRST.index(worst):
                worst, reason = report.status, f"{name}: {report.reason}"
        return Report(worst, reason, iterations, time.perf_counter() - began, dict(self._reports))

    def _solve_together(self, cold: bool, began: float) -> Report:
        """Cables among parts, on junctions and near each other."""
        rods = set(rods_of(self._scene))
        if not cold and not self._dirty & rods:
            return self._overall(0, began)
        islands = self._islands or self._assemble()
        stopped = self._stop_at_obstacles(islands.depth)
        islands.aim(self._parts)
        reports = islands.solve(cold, self._dirty & rods)
        iterations = max((k.iterations for k in reports.values()), default=0)
        self._reports |= reports
        for name in [k for k, report in reports.items() if are_good({k: report})]:
            self._results.pop(name, None)
        if are_good({name: k for name, k in self._reports.items() if name in rods}):
            self._dirty -= rods
            self._junctions |= {k.name: k.pose for k in islands.bodies if k.name in self._junctions}
            self._moved |= {k.name: k.pose for k in islands.bodies if k.name in self._parts}
            self._parts = part_poses(self._scene, self._moved, self._settings)
            if islands.bodies:
                self._mount_on([k.name for k in islands.bodies if k.name in self._parts])
            self._stood = dict(self._parts)
            self._told.clear()
            for body in islands.bodies:  # the scene says where they came to rest: what is opened begins there
                self._moves.setdefault(body.name, {}).update(position=body.pose[0], quaternion=body.pose[1])
        overall = self._overall(iterations, began)
        return overall._replace(reason="; ".join(k for k in (overall.reason, stopped) if k))

    def _make_assembly(self, names: list[str]) -> Assembly:
        solvers = {name: self._solvers[name] for name in names}
        return make_assembly(self._scene, solvers, self._solids, self._parts, self._junctions)

    def _assemble(self) -> Islands:
        """The cables with all they can meet, as scene and solvers are now."""
        islands = Islands(bound(self._scene), self._make_assembly)
        if self._past is not None:
            islands.take(self._past)
        islands.recall(self._reports)
        self._islands, self._past = islands, None
        self._sweep = make_sweep(self._scene, islands.obstacles)
        found = self._sweep.overlaps(self._stood or self._parts, islands.depth)
        self.notes += [text for text in found if text not in self.notes]
        return islands

    def _forget_assembly(self, contacts: bool = False) -> None:
        """The next solve makes another; what touched what goes with it, unless the contacts are to be forgotten."""
        if self._islands is not None:
            self._past = self._islands.past
        if contacts:
            self._past = None
        self._islands = None

    def _stop_at_obstacles(self, depth: float) -> str:
        """Held parts go as far towards where they are to be as nothing is in their way; says which were stopped."""
        movers = [k.name for k in self._scene.parts if k.motion == "held" and k.name in self._told & self._stood.keys()]
        if not movers or self._sweep is None:
            return ""

        def reached(done: dict[str, float]) -> dict[str, Pose]:
            return {name: part_way(self._stood[name], goals[name], part) for name, part in done.items()}

        goals = {name: self._moved[name] for name in movers}
        done, stops = self._sweep.stops(
            movers, lambda k: part_poses(self._scene, self._moved | reached(k), self._settings), depth
        )
        for name, pose in reached({k.part: done[k.part] for k in stops}).items():
            self._put_part(name, pose)
        if stops:
            self._follow_all()
        self.stops = tuple(stops)
        return "; ".join(str(k) for k in stops)

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Where cables touch parts, each other, or themselves, in the last equilibrium."""
        if self._islands is None and self._past is not None and not self._dirty:
            self._assemble()  # after going back to a state
        found = () if self._islands is None else self._islands.contacts
        return (*found, *(k for solver in self._jointed.values() for k in solver.contacts()))

    @property
    def looks_for_contact(self) -> bool:
        """Whether cables are solved together with what they touch; not those that nothing is near but themselves."""
        return self._meets or self._islands is not None

    @property
    def clearances(self) -> tuple[Clearance, ...]:
        """The smallest distance of each cable to each part it may touch, as last solved; `place` in m along it.

        Where a cable touches a part, that of the place that is pressed.
        """
        if self._islands is None and self._past is not None and not self._dirty:
            self._assemble()
        points = {name: np.ascontiguousarray(self.cable(name).positions) for name in self._solvers}
        found = [] if self._islands is None else self._islands.clearances(points)
        return (*found, *(k for name, solver in self._jointed.items() for k in solver.clearances(points[name])))

    def clearance_along(self, name: str) -> Array:
        """(points,) m from the skin of a cable to the nearest part it may touch; inf where there is none."""
        points = self.cable(name).positions
        solver = self._solver(name)
        if isinstance(solver, JointedSolver):
            return solver.along(np.ascontiguousarray(points))
        if self._meets and self._islands is None and not self._dirty:
            self._assemble()
        if self._islands is None:
            return np.full(len(points), np.inf)
        return self._islands.along(name, np.ascontiguousarray(points))

    def solid(self, name: str) -> Solid | None:
        """What is touched where a part is touched; None where nothing can touch it."""
        return self._solids.get(name)

    def has_shape(self, name: str) -> bool:
        """Whether a cable has an equilibrium to show."""
        return name in self._reports and self._solver(name).solved is not None

    def cable(self, name: str) -> CableResult:
        """The last equilibrium of a cable: shape, forces, moments, energies."""
        if name not in self._results:
            solver = self._solver(name)
            if not self.has_shape(name):
                raise SolveError(f"{name}: no equilibrium yet; call solve() and look at its report")
            self._results[name] = CableResult(solver, self._reports[name])
        return self._results[name]

    def pose(self, name: str) -> Pose:
        """Where a part or junction is in the world: position (m) and quaternion (w, x, y, z).

        Free ones where the last equilibrium has them, others where they were put; a held part that was stopped, there.
        """
        found = self._parts.get(name) or self._junctions.get(name)
        if found is None:
            self._scene.part(name)  # raises with near matches
            raise KeyError(name)
        return found

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the parts and junctions."""
        return (*self._parts, *self._junctions)

    def supports(self, name: str) -> tuple[Support, ...]:
        """What holds a cable, in order along it and where it is now: ends, clips, junctions, grips."""
        return self._solver(name).supports

    def mode(self, name: str) -> Mode | None:
        """What sets the length of a cable (`feed`, `soften`); None where it has the one it has."""
        self._solver(name)
        return self._modes.get(name)

    @property
    def cables(self) -> tuple[str, ...]:
        """Names of the cables."""
        return tuple(self._solvers)

    # ---- changing ------------------------------------------------------------------------------------------------

    def move(
        self,
        path: str,
        *,
        position: Sequence[float] | Array | None = None,
        quaternion: Sequence[float] | RotationLike | None = None,
        tangent: Sequence[float] | Array | None = None,
        roll: float | None = None,
        pose: Array | None = None,
    ) -> None:
        """Moves an end or clip ("brake hose/end"), a part or a junction ("bracket"), changing only what is given.

        A part or junction that is free goes where the forces on it lead, and cannot be moved; a first guess of where it
        is can be given in the scene.
        `pose` is a 4×4 matrix; `quaternion` is (w, x, y, z) or a scipy Rotation. A tangent without a roll turns the
        present frame by the smallest rotation.
        """
        name, _, part = path.partition("/")
        if name in self._parts or name in self._junctions:
            if quaternion is None and pose is None:
                quaternion = pointed(self.pose(name)[1], tangent, roll)
            self._move_body(path, position, quaternion, pose)
            return
        solver = self._solver(name)
        number = self._support(solver, name, part)
        support = solver.supports[number]
        where = None if position is None else vector(position)
        frame = None
        if pose is not None:
            where, frame = from_matrix(pose)
        elif quaternion is not None:
            frame = as_quaternion(quaternion)
        else:
            frame = pointed(support.quaternion, tangent, roll)
        if frame is not None and support.direction == NO_DIRECTION:
            if pose is None:
                raise ValueError(f"{path} is a {support.kind}: it holds no direction; move its position only")
            frame = None
        solver.move_support(number, where, frame)
        self._dirty.add(name)
        if part.startswith(GRIP):
            return  # grips are not part of the scene
        moved = self._moves.setdefault(path, {})
        if where is not None:
            moved["position"] = where
        if frame is not None:
            moved["quaternion"] = frame

    def _move_body(
        self,
        name: str,
        position: Sequence[float] | Array | None,
        quaternion: Sequence[float] | RotationLike | None,
        pose: Array | None,
    ) -> None:
        """Moves a part or a junction; what sits on it goes along."""
        poses = self._parts if name in self._parts else self._junctions
        if name not in poses:
            raise ValueError(f"{name}: only a whole part or junction can be moved; its frames are fixed on it")
        free = {k.name for k in self._scene.parts if k.motion == "free"}
        free |= {k.name for k in self._scene.junctions if k.motion == "free"}
        if name in free:
            raise ValueError(
                f'{name}: motion = "free", the forces on it say where it is; to move it set motion = "held"'
            )
        self._machine = None
        where, frame = poses[name] if pose is None else from_matrix(pose)
        where = where if position is None else vector(position)
        frame = frame if quaternion is None else as_quaternion(quaternion)
        if poses is self._parts:
            self._put_part(name, (where, frame))
            self._mount_on([name])
            self._told.add(name)
        else:
            poses[name] = (where, frame)
            self._moves.setdefault(name, {}).update(position=where, quaternion=frame)
        self._follow_all()

    @property
    def joints(self) -> dict[str, Value]:
        """Where every joint stands: an angle (rad), a length (m), or the rotation vector (rad) of a ball joint."""
        known = self._settings
        return {k.name: k.setting if (value := known.get(k.name)) is None else value for k in self._scene.joints}

    def set_joints(self, settings: Mapping[str, Any] | None = None, **named: Any) -> None:
        """Moves joints, by name: numbers in rad or m, or texts with a unit ("20 deg"); what sits on the parts follows.

        A value beyond the range of its joint is an error, and nothing moves.
        """
        new = {name: self._scene.joint(name).read(said) for name, said in {**(settings or {}), **named}.items()}
        if not new:
            return
        self._machine = None
        if any(self._scene.joint(name).part in self._moved for name in new):
            _ = self.scene  # where a part was put by hand is where its joint has the value it had
        old = self.joints
        for name, value in new.items():
            self._moved.pop(self._scene.joint(name).part, None)
            self._moves.setdefault(name, {})["value"] = value
        way = sum(self._scene.joint(name).turns(old[name], value) for name, value in new.items())
        steps = max(1, math.ceil(way / MOST_TURN))
        for k in range(1, steps + 1):  # whole turns count: what is clamped follows each part of them
            self._settings |= new if k == steps else {name: mixed(old[name], new[name], k / steps) for name in new}
            self._parts = part_poses(self._scene, self._moved, self._settings)
            self._follow_all()

    def put_parts(self, poses: Mapping[str, Pose]) -> None:
        """Moves several parts at once, in the world, as a recorded motion does; cables mounted on them turn with them.

        Held parts stop at what is in their way, as when they are moved by hand.
        """
        for name in poses:
            self._scene.part(name)
        self._machine = None
        for name, pose in poses.items():
            self._put_part(name, pose)
        self._told |= poses.keys()
        self._follow_all()

    @property
    def is_machine(self) -> bool:
        """Whether anything moves in time."""
        return self._scene.is_machine

    @property
    def machine(self) -> "Machine":
        """The free parts, their joints and the ropes, in time. It begins anew, at rest, after an edit of them."""
        from lissom.machines.machine import Machine

        if self._machine is None:
            self._machine = Machine(self.scene)
        return self._machine

    def step(self, dt: float, substeps: int | None = None) -> Report:
        """Bodies and ropes advance by `dt` seconds, in ten substeps or as many as said; cables on moving parts follow,
        each in its equilibrium there.

        They follow one way: what they pull with does not move the bodies.
        """
        self.machine.step(dt, substeps)
        self.take_machine()
        return self.solve()

    @property
    def rope_lines(self) -> "RopeLines":
        """Ropes as they lie now, to draw."""
        from lissom.ropelines import RopeLines

        if self._lines is None or self._lines.machine is not self.machine:
            self._lines = RopeLines(self.machine)
        return self._lines

    def rope_line(self, name: str) -> Array:
        """(n, 3) points along a rope as it lies now: on its wheels, straight, or hanging where it is slack, m."""
        return self.rope_lines.line(name)

    def rest(self) -> "Rest":
        """Bodies and ropes go where they stand by themselves, motors with a speed hold; cables follow."""
        from lissom.machines.resting import find_rest

        def ask() -> None:
            if halting.given_up():
                halting.end()

        found = find_rest(self.machine, ask)
        self.take_machine()
        self.solve()
        return found

    def take_machine(self) -> None:
        """Parts and joints are where the machine has them; cables on them follow with the next solve."""
        machine = self.machine
        self._settings |= machine.joint_values
        for name, value in machine.joint_values.items():
            self._moves.setdefault(name, {})["value"] = value
        poses = machine.poses
        self._moved |= poses
        self._parts = part_poses(self._scene, self._moved, self._settings)
        joints = {k.part: k for k in self._scene.joints}
        for name, pose in poses.items():
            self._say_part(name, pose, joints.get(name))
        self._follow_all()

    def reset(self) -> Report:
        """Parts, joints and ropes go back to where the machine began, at rest; cables follow."""
        self.replace_scene(self.start)
        self._machine = None
        return self.solve()

    @property
    def start(self) -> Scene:
        """The scene as its machine began: what moved by itself since is not in it."""
        if self._machine is None:
            return self.scene
        began = self._machine.scene.to_dict()
        return self.scene._again(self.scene.to_dict() | {key: began.get(key, []) for key in ("parts", "joints")})

    def _put_part(self, name: str, pose: Pose) -> None:
        """A part is to be there, in the world; what has it as parent goes along."""
        self._moved[name] = pose
        self._parts = part_poses(self._scene, self._moved, self._settings)
        self._say_part(name, pose, next((k for k in self._scene.joints if k.part == name), None))

    def _say_part(self, name: str, pose: Pose, joint: Joint | None) -> None:
        """Where a part is now becomes what the scene says; `joint` is the one it is on."""
        parent = self._scene.part(name).parent
        said = pose if parent is None else relative(self._parts[parent], pose)
        if joint is not None:  # the scene says where it is with the joint at 0
            value = self._settings.get(joint.name)
            said = joint.moved_back(said, joint.setting if value is None else value)
        self._moves.setdefault(name, {}).update(position=said[0], quaternion=said[1])

    def _mount_on(self, names: Sequence[str]) -> None:
        """Cables are mounted anew on parts that were put somewhere, and on what moves with those, as they are now."""
        zero = {k.name: k.zero for k in self._scene.joints}
        along = set(names)
        while more := {k.name for k in self._scene.parts if k.parent in along} - along:
            along |= more
        poses = part_poses(self._scene, self._moved, zero)
        self._mounted = self._mounted | {name: poses[name] for name in along}

    def _follow_all(self) -> None:
        for cable in self._scene.cables:
            self._follow(cable)

    def _follow(self, cable: Cable) -> None:
        """Moves the supports of a cable to where parts and junctions have them now."""
        solver = self._solvers[cable.name]
        known, on, mounted = self._mounts.get(cable.name, (None, None, ()))
        if known is not cable or on is not self._mounted or self._scene.junctions:
            mounted = self._mount(cable).supports
            self._mounts[cable.name] = (cable, self._mounted, mounted)
        now = {k.name: k for k in self._carried(cable, mounted, self._parts)}
        for number, old in enumerate(solver.supports):
            new = now.get(old.name, old)  # grips stay
            if old.position != new.position or old.quaternion != new.quaternion:
                turn = new.quaternion if new.direction != NO_DIRECTION else None
                solver.move_support(number, new.position, turn)
        self._dirty.add(cable.name)

    def edit(self, path: str, **fields: Any) -> None:
        """Changes fields of a cable, clip, end or type ("brake hose", length=0.45), or of the scene itself ("",
        gravity=…); the present shape is the first guess of the next.
        """
        scene = self.scene
        before = "" if not path else f"{path}." if "/" in path or path.startswith("types.") else f"{path}/"
        self.replace_scene(scene.with_values({f"{before}{key}": value for key, value in fields.items()}))

    def replace_scene(self, scene: Scene) -> None:
        """Goes on with another scene; cables of the same name keep their shape as a first guess."""
        for cable in scene.cables:
            if cable.name in self._modes:
                follows_forces(cable)
        before = self._scene
        old = {c.name: c for c in before.cables}
        self._scene = scene
        self._moves.clear()
        if scene.ropes != before.ropes or scene.gravity != before.gravity:
            self._machine = None
        around = any(getattr(scene, k) != getattr(before, k) for k in ("parts", "junctions", "joints"))
        if around:
            self._moved.clear()
            self._settings.clear()
            self._told.clear()
            self._stood.clear()
            self._parts, self._mounted = part_poses(scene), rest_poses(scene)
            self._junctions = first_poses(scene, self._parts)
            self._read_solids()
            self._forget_assembly(contacts=True)
        for cable in scene.cables:
            same = old.get(cable.name) == cable and scene.gravity == before.gravity and scene.types == before.types
            if not same:
                self._rebuild(cable.name, self._with_grips(self._line(cable)))
            elif around:
                self._follow(cable)
        self._see()  # one cable more may be one to touch
        for name in old.keys() - {c.name for c in scene.cables}:
            del self._solvers[name]
            self._modes.pop(name, None)
            self._forget_assembly(contacts=True)
            self._reports.pop(name, None)
            self._results.pop(name, None)
            self._dirty.discard(name)

    def _with_grips(self, line: Line) -> Line:
        """The line with the grips on the cable of its name, each at its fraction of the length."""
        old = self._solvers.get(line.name)
        if old is None:
            return line
        ratio = line.length / old.line.length
        grips = [k._replace(place=ratio * k.place) for k in old.supports if k.name.startswith(GRIP)]
        return replace(line, supports=tuple(sorted((*line.supports, *grips), key=lambda k: k.place))) if grips else line

    def grip(self, name: str, *, at: float, kind: str = "clamp") -> "Grip":
        """Takes hold of the cable at a fraction of its length, in its present pose; nothing jumps."""
        solver = self._solver(name)
        if kind not in ("clamp", "ball", "swivel"):
            raise ValueError(f"grip kind {kind!r}: must be clamp, ball or swivel")
        if not 0.0 <= at <= 1.0:
            raise ValueError(f"grip at = {at}: must lie between 0 and 1 (a fraction of the length)")
        place = at * solver.line.length
        if any(abs(k.place - place) <= SAME_PLACE * solver.line.length for k in solver.line.supports):
            raise ValueError(f"grip at = {at}: {name} is already held there")
        result = self._pointed(name, [place])
        point = int(np.argmin(np.abs(result.s - place)))
        number = 1 + max(self._grip_numbers(name), default=0)
        grip = Grip(self, name, number)
        x, q = result.positions[point], result.quaternions[point]
        support = Support(
            name=grip.support_name,
            kind=kind,
            place=place,
            position=(float(x[0]), float(x[1]), float(x[2])),
            direction=DIRECTIONS[kind],
            quaternion=(float(q[0]), float(q[1]), float(q[2]), float(q[3])),
        )
        line = self._solver(name).line
        supports = tuple(sorted((*line.supports, support), key=lambda k: k.place))
        self._rebuild(name, replace(line, loads=line.loads[:-1], supports=supports))
        self.solve()
        return grip

    def _grip_numbers(self, name: str) -> list[int]:
        """Grips are the supports that are not in the scene; their names number them."""
        names = [k.name for k in self._solver(name).supports]
        return [int(k.removeprefix(GRIP)) for k in names if k.startswith(GRIP)]

    def _release(self, grip: "Grip") -> None:
        line = self._solver(grip.cable).line
        self._support(self._solver(grip.cable), grip.cable, grip.support_name)  # raises where it was released before
        supports = tuple(k for k in line.supports if k.name != grip.support_name)
        self._rebuild(grip.cable, replace(line, supports=supports))

    def _rebuild(self, name: str, line: Line, places: tuple[Array, Array] | None = None) -> None:
        """A new solver for the changed line, warm from the present shape where there is one.

        `places` along the cable as it was, and where they are now; without them it is longer by the same everywhere.
        """
        old = self._solvers.get(name)
        new = self._new_solver(line)
        if old is not None and old.solved is not None and name in self._reports:
            before, now = places or (old.grid.s[[0, -1]], np.array([0.0, line.length]))
            sides = self.cable(name)._sides
            force = 0.5 * (sides.force_after[:-1] + sides.force_before[1:])
            was = np.interp(new.grid.s, now, before)
            new.begin_from(*transferred(sides.frames, force, old.grid.s, was, new.point_of, new.staggered.segment_of))
        self._solvers[name] = new  # the last result stays readable until the next one
        self._forget_assembly()
        self._dirty.add(name)
        if name in self._modes:
            self._modes[name].remember()

    # ---- scene and state -----------------------------------------------------------------------------------------

    @property
    def scene(self) -> Scene:
        """The scene as it is now, moves included, free parts and junctions where they came to rest: immutable."""
        if self._moves:
            changes: dict[str, Any] = {}
            for path, fields in self._moves.items():
                changes |= {f"{path}.{key}": value for key, value in self._said(path, fields).items()}
                if "quaternion" in fields and "/" in path:
                    changes |= self._twists(path.partition("/")[0])
            self._scene = self._scene.with_values(changes)
            self._moves.clear()
        return self._scene

    def _said(self, path: str, fields: dict[str, Any]) -> dict[str, Any]:
        """What a move means in the scene: in the axes of its part where an end or clip sits on one."""
        name, _, part = path.partition("/")
        if not part or name in self._parts:
            return fields
        cable = self._scene.cable(name)
        held = cable.held[part]
        if held is None or held.on is None:
            return fields
        support = self._solvers[name].supports[self._support(self._solvers[name], name, part)]
        position, quaternion = relative(self._parts[held.on], (support.position, support.quaternion))
        said: dict[str, Any] = {"frame": None, "position": position}
        return said if support.direction == NO_DIRECTION else said | {"quaternion": quaternion}

    def _twists(self, name: str) -> dict[str, Any]:
        """The twist of each clamp of a cable as it is now, by path: frames that moved have changed it."""
        found: dict[str, Any] = {}
        before: Support | None = None
        cable = self._scene.cable(name)
        ends = {key for key, held in (("start", cable.start), ("end", cable.end)) if held is not None}
        said = {clip.name for clip in cable.clips} | ends
        for support in self._solver(name).supports:
            if support.direction == FRAME and not support.name.startswith(GRIP):
                # a junction says the frames of its members, and nothing is counted from them
                if before is not None and {support.name, before.name} <= said:
                    path = f"{name}/twist" if support.name == "end" else f"{name}/{support.name}.twist"
                    found[path] = support.turn - before.turn
                before = support
        return found

    def state(self) -> SimulationState:
        """A snapshot to come back to; it pickles."""
        return self._state(self.scene)

    def _state(self, scene: Scene) -> SimulationState:
        return SimulationState(
            scene,
            {name: solver.solved for name, solver in self._solvers.items()},
            {name: solver.line for name, solver in self._solvers.items()},
            dict(self._reports),
            dict(self._parts),
            dict(self._junctions),
            self._past if self._islands is None else self._islands.past,
            self._mounted,
            frozenset(k for k in self._dirty if k in self._reports and are_good({k: self._reports[k]})),
            None if self._machine is None else self._machine.state,
        )

    def checkpoint(self) -> Checkpoint:
        """A snapshot for `back_to`, quicker than `state`: what moved is not written into a scene."""
        moves = {path: dict(fields) for path, fields in self._moves.items()}
        return Checkpoint(self._state(self._scene), moves, dict(self._moved), dict(self._settings))

    def back_to(self, checkpoint: Checkpoint) -> None:
        """Back to a snapshot, without solving."""
        self.restore(checkpoint.state)
        self._moves = {path: dict(fields) for path, fields in checkpoint.moves.items()}
        self._moved, self._settings = dict(checkpoint.moved), dict(checkpoint.settings)

    def astray(self, checkpoint: Checkpoint) -> set[str] | None:
        """Cables that would not be as they were if everything went back to a checkpoint; nothing changes.

        None where that cannot be told of each cable alone: it touches something, slides, or hangs on a free part.
        """
        if self._modes or (self._islands is not None and (self._islands.contacts or self._islands.bodies)):
            return None
        found: set[str] = set()
        for name, solver in self._solvers.items():
            was = checkpoint.state.rods[name]
            back = None if was is None or was.pushed is not None else solver.way_back(was.supports)
            if was is None or back is None or back.q.shape != was.q.shape:
                return None
            turned = np.abs(np.einsum("ij,ij->i", back.q, was.q)).min()
            if turned < math.cos(0.5 * SAME_FRAME):
                found.add(name)
        return found

    def restore(self, state: SimulationState) -> None:
        """Back to a snapshot, without solving; lengths are frozen."""
        self._modes.clear()
        self._scene = state.scene
        self._moves.clear()
        self._reports = dict(state.reports)
        self._results.clear()
        self._dirty = set(state.waiting)
        self._parts, self._junctions = dict(state.parts), dict(state.junctions)
        self._moved = {k.name: self._parts[k.name] for k in state.scene.parts if k.motion == "free"}
        self._settings.clear()
        self._mounted = dict(state.mounted)
        self._told, self._stood = set(), dict(self._parts)
        self._read_solids()
        if state.machine is not None:
            from lissom.machines.machine import Machine

            self._machine = Machine.from_state(state.machine)
        self._islands, self._past = None, state.past
        self._solvers = {}
        for name, line in state.lines.items():
            self._solvers[name] = self._new_solver(line, state.rods[name])
            if self._solvers[name].solved is None:
                self._dirty.add(name)

    def save(self, path: str | Path) -> None:
        """Writes the scene, and beside it the solved state ("hose.state.npz"), so that opening shows it at once."""
        self.scene.save(path)
        self.save_state(state_path(path))

    def save_state(self, file: Path) -> None:
        """Writes the shapes of the cables, for `take_state`."""
        save_state(file, self.state_arrays())

    def state_arrays(self) -> dict[str, Array]:
        """What `save_state` writes."""
        arrays: dict[str, Array] = {}
        for k, cable in enumerate(self._scene.cables):
            state = self._solvers[cable.name].solved
            if state is None or self._grip_numbers(cable.name):
                continue  # a gripped cable's shape is not the scene's
            sides = self.cable(cable.name)._sides
            arrays[f"{k}.scheme"] = np.array(state.scheme)
            arrays[f"{k}.q"], arrays[f"{k}.nu"], arrays[f"{k}.s"] = state.q, state.nu, state.s
            arrays[f"{k}.frames"] = sides.frames
            arrays[f"{k}.force"] = 0.5 * (sides.force_after[:-1] + sides.force_before[1:])
            arrays[f"{k}.places"] = np.array([s.place for s in state.supports])
        past = self._past if self._islands is None else self._islands.past
        if past is not None and not any(self._grip_numbers(name) for name in self._solvers):
            arrays |= {f"past.{key}": values for key, values in past.arrays().items()}
        return arrays

    def save_as(self, path: str | Path) -> None:
        """Saves, and goes on as the scene of that file: relative paths of meshes lead from there from now on."""
        self.save(path)
        self._scene = Scene.load(path)

    @classmethod
    def open(cls, path: str | Path) -> "Simulation":
        """The scene in a file, solved from its saved state if there is one; `notes` says where that did not fit."""
        simulation = cls(Scene.load(path))
        file = state_path(path)
        if file.exists():
            simulation.take_state(file)
        simulation.solve()
        return simulation

    def take_state(self, file: Path) -> None:
        """Shapes that were saved become those of the cables, or first guesses where they do not fit; `notes` says so.

        The parts must stand as they did.
        """
        try:
            self.take_arrays(load_state(file))
        except SceneError as broken:
            self.notes.append(f"the saved state cannot be used: {broken}")

    def take_arrays(self, arrays: Mapping[str, Array]) -> None:
        """The same, of what `state_arrays` gave."""
        self._islands = None
        self._reports.clear()
        self._results.clear()
        self._dirty = set(self._solvers)
        self._past = Past.read({k.partition(".")[2]: a for k, a in arrays.items() if k.startswith("past.")})
        for k, (name, solver) in enumerate(self._solvers.items()):
            part = {key.partition(".")[2]: a for key, a in arrays.items() if key.partition(".")[0] == str(k)}
            if not {"scheme", "q", "nu", "s", "frames", "force"} <= part.keys():
                self.notes.append(f"{name}: no saved state; it will be solved from a first guess")
                continue
            slides = [i for i, support in enumerate(solver.line.supports) if support.slides]
            if slides and len(part.get("places", ())) == len(solver.line.supports):
                places = {i: float(part["places"][i]) for i in slides}
                solver.set_places(places, counted(part["s"], key_places(solver.line.with_places(places))))
            state = RodState(int(part["scheme"]), part["q"], part["nu"], part["s"], solver.line.supports)
            if solver.adopt(state):
                continue
            self.notes.append(f"{name}: the saved state no longer fits; it is used as a first guess")
            old_s, frames = part["s"], part["frames"]
            scaled = np.minimum(solver.grid.s * (old_s[-1] / solver.grid.s[-1]), old_s[-1])
            solver.begin_from(
                *transferred(frames, part["force"], old_s, scaled, solver.point_of, solver.staggered.segment_of)
            )

    def sweep(
        self,
        *,
        motion: str | None = None,
        grid: Mapping[str, int | Sequence[Any]] | None = None,
        positions: Sequence[str] | str | None = None,
        frames: int = 60,
        back: bool = False,
    ) -> "Iterator[Visit]":
        """Visits positions of the parts one after the other: a motion, a grid of joints, or named positions.

        Gives one `Visit` at a time: the report, the shapes, and what snapped through on the way; this simulation stands
        there meanwhile. `back` goes the same way back.
        """
        from lissom.sweeping import sweep

        return sweep(self, motion=motion, grid=grid, positions=positions, frames=frames, back=back)

    def picture(self, path: str | Path | None = None, *, cable: str | None = None) -> bytes:
        """A drawing of a cable (absent: the first) among everything else: a PNG, or what the ending of `path` says,
        which it is written to.
        """
        from lissom.analysis.files import picture

        return picture(self, cable or next(iter(self._solvers)), None if path is None else Path(path))

    def show(self, *, port: int = 0, browser: bool = True, opened: Callable[[str], object] | None = None) -> None:
        """Opens the studio on this simulation, and comes back with what was made of it when its page is closed.

        `opened` is called with the address of the page once it can be visited.
        """
        from lissom.studio.showing import show

        show(self, port=port, browser=browser, opened=opened)

    def copy(self) -> "Simulation":
        """An independent simulation in the same state."""
        other = Simulation(Scene(), formulation=self._formulation)
        other._made = self._made
        other.restore(self.state())
        return other

    def _solver(self, name: str) -> RodSolver:
        try:
            return self._solvers[name]
        except KeyError:
            self._scene.cable(name)  # raises with near matches
            raise

    def _support(self, solver: RodSolver, name: str, part: str) -> int:
        for number, support in enumerate(solver.supports):
            if support.name == part:
                return number
        held = ", ".join(f"{name}/{k.name}" for k in solver.line.supports)
        message = f"nothing holds the cable there; it is held at {held}"
        raise SceneError([Problem(f"{name}/{part}", ABSENT, message)])


class Grip:
    """A hold on a cable, taken and released at run time."""

    def __init__(self, simulation: Simulation, cable: str, number: int) -> None:
        self._simulation = simulation
        self.cable = cable
        self.number = number

    @property
    def support_name(self) -> str:
        return f"{GRIP}{self.number}"

    @property
    def path(self) -> str:
        """How to address it: "brake hose/grip 1"."""
        return f"{self.cable}/{self.support_name}"

    @property
    def position(self) -> Array:
        """(3,) m."""
        return np.array(self._support.position)

    @property
    def quaternion(self) -> Array:
        """(4,) frame held (w, x, y, z)."""
        return np.array(self._support.quaternion)

    @property
    def _support(self) -> Support:
        solver = self._simulation._solver(self.cable)
        return solver.line.supports[self._simulation._support(solver, self.cable, self.support_name)]

    @property
    def wrench(self) -> Wrench:
        """What the grip exerts on the cable: force (N) and moment (N m), world axes."""
        _ = self._support  # raises once it is released
        return self._simulation.cable(self.cable).reactions[self.support_name]

    def move(
        self,
        pose: Array | None = None,
        *,
        position: Sequence[float] | Array | None = None,
        quaternion: Sequence[float] | RotationLike | None = None,
        max_step: float | None = None,
    ) -> Report:
        """Moves and solves; with `max_step` (m) in steps no longer than that. Stops at the first failure."""
        where, frame = (None, None) if pose is None else from_matrix(pose)
        if position is not None:
            where = vector(position)
        if quaternion is not None:
            frame = as_quaternion(quaternion)
        held = self._support
        goal = held._replace(position=where or held.position, quaternion=frame or held.quaternion)
        distance = float(np.linalg.norm(np.subtract(goal.position, held.position)))
        if max_step is not None and not max_step > 0.0:
            raise ValueError(f"max_step = {max_step}: must be a length above 0, in m")
        steps = 1 if max_step is None else max(1, math.ceil(distance / max_step))
        report = None
        for k in range(1, steps + 1):
            part = goal if k == steps else between(held, goal, k / steps)
            turn = None if held.direction == NO_DIRECTION else part.quaternion
            self._simulation.move(self.path, position=part.position, quaternion=turn)
            report = self._simulation.solve()
            if not report.ok:
                break
        assert report is not None
        return report

    def release(self) -> None:
        """Lets go; the next solve finds the shape without it."""
        self._simulation._release(self)

    def keep(self, kind: str = "clamp") -> str:
        """Leaves a clip where the grip is, and lets go: nothing moves. Gives the path of the clip."""
        simulation, name = self._simulation, self.cable
        result, support = simulation.cable(name), self._support
        clips = simulation.scene.cable(name).clips
        called = next(free_names(clips))
        simulation._release(self)
        simulation._clip(name, {called: support.place / result.length}, kind, {k.name for k in clips}, result)
        return f"{name}/{called}"
