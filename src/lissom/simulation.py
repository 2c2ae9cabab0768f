"""One scene, solved again and again: what `lissom.Simulation` is.

Where things stand is in `standing`, the cables and their solves in `cables`, lengths, clips and names in `routing`,
`laying` and `building`, states in `keeping`, machines in `machines`; here all of it is one thing to work with.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.building import Built
from lissom.cables import Cables
from lissom.geometry.solids import Solid
from lissom.grips import Grip, with_grips_of
from lissom.keeping import Checkpoint, SimulationState, astray, go_back, shape_arrays, state_of, take_shapes
from lissom.posing import RotationLike, as_quaternion, from_matrix, pointed, vector
from lissom.reports import Report, error_reason
from lissom.rods import halting
from lissom.rods.describing import Contact
from lissom.rods.halting import Halted as Halted
from lissom.rods.halting import watched as watched
from lissom.rods.line import NO_DIRECTION, Support
from lissom.rods.result import CableResult
from lissom.rods.stopping import Stop
from lissom.rods.surroundings import Clearance
from lissom.routing import Mode, follows_forces
from lissom.scene import Cable, Scene, SceneError, load_state, save_state, state_path
from lissom.scene.joint import Value
from lissom.scene.pose import Pose
from lissom.standing import Standing, is_grip
from lissom.verbs import whole

if TYPE_CHECKING:
    from lissom.machines.machine import Machine
    from lissom.machines.resting import Rest
    from lissom.ropelines import RopeLines
    from lissom.sweeping import Visit

Array = NDArray[np.float64]


# An edit that twists a cable by more than this (rad) is solved anew, from twist 0 on: its shape says nothing of turns.
MOST_TWIST = 1.5


def is_wound(before: Cable | None, now: Cable) -> bool:
    """Whether an edit twists a cable, or the part of it at a clip, by many turns at once."""
    if before is None:
        return False
    was = {"": before.twist, **{k.name: k.twist for k in before.clips}}
    twists = {"": now.twist, **{k.name: k.twist for k in now.clips}}
    return any(abs((twist or 0.0) - (was.get(name) or 0.0)) > MOST_TWIST for name, twist in twists.items())


class Before(NamedTuple):
    """All that a verb may change."""

    checkpoint: Checkpoint
    modes: tuple[tuple[Mode, dict[str, Any]], ...]  # with their fields
    refusal: tuple[Scene, tuple[object, ...], Report] | None


class Simulation(Built):
    """Equilibria of a scene's cables: move, grip and edit, then solve; the next solve starts from the last."""

    def __init__(self, scene: Scene, *, formulation: str = "rotations") -> None:
        if formulation not in ("rotations", "augmented"):
            raise ValueError(f"formulation {formulation!r}: must be rotations or augmented (GS07's own)")
        self._standing = Standing(scene)
        self._cables = Cables(self._standing, formulation)
        self._modes: dict[str, Mode] = {}  # cable → what sets its length
        self._machine: Machine | None = None
        self._lines: RopeLines | None = None
        self._refusal: tuple[Scene, tuple[object, ...], Report] | None = None  # what the judge did not pass
        self._broken: Report | None = None  # of a verb that gives none: the next solve says it
        self._is_changing = False  # a verb is at work

    # ---- solving -------------------------------------------------------------------------------------------------

    def solve(self, *, cold: bool = False, budget: float | None = None) -> Report:
        """Equilibrium of every cable that changed. `cold` forgets the present shapes and starts anew.

        `budget`, in seconds, is for kinematic cables: they come as far as they can in it, and their reports say to
        which level; the next solve goes on from there. While they are moved that is at least four segments, at rest 32.
        Without it they go to their finest level. Rods take the time they need.
        """
        if budget is not None and not (isinstance(budget, Real) and 0.0 <= budget < math.inf):
            raise ValueError(f"budget = {budget!r}: must be a time from 0 on, in seconds, such as 0.004")
        if self._broken is not None:
            broken, self._broken = self._broken, None
            return broken
        refused = self._refusal
        if refused is not None and not cold and refused[0] is self._standing.scene and refused[1] == self._told():
            return refused[2]  # asked the same again it would begin anew, and nobody would know by which way it came
        began = time.perf_counter()
        before = dict(self._cables.reports)
        try:
            report = self._route(cold) if self._modes else self._cables.solve_rods(cold)
            report = self._cables.judged(report, before)
            if self._cables.jointed:
                report = self._cables.solve_kinematic(cold, budget, report.iterations, began)
        except Exception as inside:
            report = self._cables.broken(error_reason(inside), began, before)
        except BaseException:  # Ctrl-C: nothing is handed out that was not judged
            self._cables.broken("interrupted", began, before)
            raise
        halting.end()
        judged = any(k.certificate is not None and not k.certificate.ok for k in report.cables.values())
        self._refusal = (self._standing.scene, self._told(), report) if judged else None
        return report

    def _told(self) -> tuple[object, ...]:
        """What a solve depends on besides the scene."""
        modes = [mode.state() for mode in self._modes.values()]
        return dict(self._cables.asked), dict(self._standing.parts), dict(self._standing.junctions), modes

    @property
    def stops(self) -> tuple[Stop, ...]:
        """Held parts that could not go all their way in the last solve."""
        return self._cables.stops

    @property
    def notes(self) -> list[str]:
        """What had to be said about meshes, and when a saved state was opened."""
        return self._cables.notes

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Where cables touch parts, each other, or themselves, in the last equilibrium."""
        return self._cables.contacts

    @property
    def looks_for_contact(self) -> bool:
        """Whether cables are solved together with what they touch; not those that nothing is near but themselves."""
        return self._cables.looks_for_contact

    @property
    def clearances(self) -> tuple[Clearance, ...]:
        """The smallest distance of each cable to each part it may touch, as last solved; `place` in m along it.

        Where a cable touches a part, that of the place that is pressed.
        """
        return self._cables.clearances

    def clearance_along(self, name: str) -> Array:
        """(points,) m from the skin of a cable to the nearest part it may touch; inf where there is none."""
        return self._cables.clearance_along(name)

    def solid(self, name: str) -> Solid | None:
        """What is touched where a part is touched; None where nothing can touch it."""
        return self._cables.solids.get(name)

    def has_shape(self, name: str) -> bool:
        """Whether a cable has an equilibrium to show."""
        return self._cables.has_shape(name)

    def cable(self, name: str) -> CableResult:
        """The last equilibrium of a cable: shape, forces, moments, energies."""
        return self._cables.result(name)

    def pose(self, name: str) -> Pose:
        """Where a part or junction is in the world: position (m) and quaternion (w, x, y, z).

        Free ones where the last equilibrium has them, others where they were put; a held part that was stopped, there.
        """
        found = self._standing.parts.get(name) or self._standing.junctions.get(name)
        if found is None:
            self._standing.scene.part(name)  # raises with near matches
            raise KeyError(name)
        return found

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the parts and junctions."""
        return (*self._standing.parts, *self._standing.junctions)

    def supports(self, name: str) -> tuple[Support, ...]:
        """What holds a cable, in order along it and where it is now: ends, clips, junctions, grips."""
        return self._cables.solver(name).supports

    def mode(self, name: str) -> Mode | None:
        """What sets the length of a cable (`feed`, `soften`); None where it has the one it has."""
        self._cables.solver(name)
        return self._modes.get(name)

    @property
    def cables(self) -> tuple[str, ...]:
        """Names of the cables."""
        return tuple(self._cables.solvers)

    # ---- changing ------------------------------------------------------------------------------------------------

    @whole
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
        if name in self._standing.parts or name in self._standing.junctions:
            if quaternion is None and pose is None:
                quaternion = pointed(self.pose(name)[1], tangent, roll)
            self._write_ends()
            self._standing.move_body(path, position, quaternion, pose)
            self._begin_anew([name])
            self._cables.follow_all()
            return
        solver = self._cables.solver(name)
        number = self._cables.support_number(name, part)
        support = solver.supports[number]
        self._standing.check_unjoined(path, support)
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
        self._cables.hold(name, number, where, frame)
        if is_grip(support):
            return
        given = {"position": where, "quaternion": frame}
        self._standing.note(path, **{key: value for key, value in given.items() if value is not None})

    def _write_ends(self) -> None:
        """Ends and clips that were moved are so in the scene: where cables are mounted is read from it."""
        if any("/" in path for path in self._standing.moves):
            _ = self.scene

    @property
    def joints(self) -> dict[str, Value]:
        """Where every joint stands: an angle (rad), a length (m), or the rotation vector (rad) of a ball joint."""
        return self._standing.joints

    @whole
    def set_joints(self, settings: Mapping[str, Any] | None = None, **named: Any) -> None:
        """Moves joints, by name: numbers in rad or m, or texts with a unit ("20 deg"); what sits on the parts follows.

        A value beyond the range of its joint is an error, and nothing moves.
        """
        known = self._standing.scene.joint
        new = {name: known(name).read(said) for name, said in {**(settings or {}), **named}.items()}
        if not new:
            return
        self._begin_anew([known(name).part for name in new])
        self._write_ends()
        if any(known(name).part in self._standing.moved for name in new):
            _ = self.scene  # where a part was put by hand is where its joint has the value it had
        for _ in self._standing.lead(new):
            self._cables.follow_all()

    @whole
    def put_parts(self, poses: Mapping[str, Pose]) -> None:
        """Moves several parts at once, in the world, as a recorded motion does; cables mounted on them turn with them.

        Held parts stop at what is in their way, as when they are moved by hand.
        """
        for name in poses:
            self._standing.scene.part(name)
        self._begin_anew(poses)
        self._write_ends()
        for name, pose in poses.items():
            self._standing.put(name, pose)
        self._standing.told |= poses.keys()
        self._cables.follow_all()

    # ---- in time -------------------------------------------------------------------------------------------------

    @property
    def is_machine(self) -> bool:
        """Whether anything moves in time."""
        return self._standing.scene.is_machine

    @property
    def machine(self) -> "Machine":
        """The free parts, their joints and the ropes, in time. It begins anew, at rest, after an edit of them."""
        from lissom.machines.machine import Machine

        if self._machine is None:
            self._machine = Machine(self.scene)
        return self._machine

    def _begin_anew(self, parts: Iterable[str]) -> None:
        """The machine does, unless it runs and these parts are driven or held: it carries them in its next step."""
        now = self._machine
        if now is not None and (now.time == 0.0 or not set(parts) <= set(now.driven)):
            self._machine = None

    @whole
    def step(self, dt: float, substeps: int | None = None) -> Report:
        """Bodies and ropes advance by `dt` seconds, in ten substeps or as many as said; cables on moving parts follow,
        each in its equilibrium there.

        They follow one way: what they pull with does not move the bodies. Driven and held parts that were moved since
        the last step go to where they are now during this one, and push and pull on the way. Where the machine flies
        apart, parts and cables stay where they were, and the report says so.
        """
        for name in self.machine.driven:
            self.machine.carry(name, self._standing.parts[name])
        self.machine.step(dt, substeps)
        if not self.machine.is_finite:
            reason = f"the machine flew apart before {self.machine.time:.4g} s; reset it, and take more substeps"
            return Report("not_converged", reason, 0, 0.0, {})
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

    @whole
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
        driven = {name: machine.pose(name) for name in machine.driven} if machine.motion is not None else {}
        self._standing.take(machine.poses | driven, machine.joint_values | machine.led_joints)
        self._cables.follow_all()

    @whole
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

    # ---- editing -------------------------------------------------------------------------------------------------

    @whole
    def edit(self, path: str, **fields: Any) -> None:
        """Changes fields of a cable, clip, end or type ("brake hose", length=0.45), or of the scene itself ("",
        gravity=…); the present shape is the first guess of the next.
        """
        before = "" if not path else f"{path}." if "/" in path or path.startswith("types.") else f"{path}/"
        self.replace_scene(self.scene.with_values({f"{before}{key}": value for key, value in fields.items()}))

    @whole
    def replace_scene(self, scene: Scene) -> None:
        """Goes on with another scene; cables of the same name keep their shape as a first guess."""
        for cable in scene.cables:
            if cable.name in self._modes:
                follows_forces(cable)
        before = self._standing.scene
        old = {c.name: c for c in before.cables}
        if scene.ropes != before.ropes or scene.gravity != before.gravity:
            self._machine = None
        around = self._standing.go_on_with(scene)
        if around:
            self._machine = None
            self._cables.look_around()
            self._cables.forget_assembly(contacts=True)
        for cable in scene.cables:
            same = old.get(cable.name) == cable and scene.gravity == before.gravity and scene.types == before.types
            if not same:
                line = self._standing.line(cable)
                line = with_grips_of(line, self._cables.solvers.get(cable.name))
                self._rebuild(cable.name, line, anew=is_wound(old.get(cable.name), cable))
            elif around:
                self._cables.follow(cable)
        self._cables.see()  # one cable more may be one to touch
        for name in old.keys() - {c.name for c in scene.cables}:
            self._cables.drop(name)
            self._modes.pop(name, None)

    @whole
    def grip(self, name: str, *, at: float, kind: str = "clamp") -> Grip:
        """Takes hold of the cable at a fraction of its length, in its present pose; nothing jumps."""
        return Grip.take(self, name, at, kind)

    # ---- scene and state -----------------------------------------------------------------------------------------

    @property
    def scene(self) -> Scene:
        """The scene as it is now, moves included, free parts and junctions where they came to rest: immutable."""
        return self._standing.written(self._cables.solvers)

    def state(self) -> SimulationState:
        """A snapshot to come back to; it pickles."""
        _ = self.scene  # with what was moved
        return self._state()

    def _state(self) -> SimulationState:
        return state_of(self._standing, self._cables, None if self._machine is None else self._machine.state)

    def checkpoint(self) -> Checkpoint:
        """A snapshot for `back_to`, quicker than `state`: what moved is not written into a scene."""
        now = self._standing
        moves = {path: dict(fields) for path, fields in now.moves.items()}
        return Checkpoint(
            self._state(), moves, dict(now.moved), dict(now.settings), frozenset(now.told), dict(now.stood)
        )

    def _before(self) -> Before:
        modes = tuple((mode, dict(vars(mode))) for mode in self._modes.values())
        return Before(self.checkpoint(), modes, self._refusal)

    def _put_back(self, before: Before) -> None:
        self.back_to(before.checkpoint)
        for mode, fields in before.modes:
            vars(mode).update(fields)
            self._modes[mode.name] = mode
        self._refusal = before.refusal

    def back_to(self, checkpoint: Checkpoint) -> None:
        """Back to a snapshot, without solving."""
        self.restore(checkpoint.state)
        now = self._standing
        now.moves = {path: dict(fields) for path, fields in checkpoint.moves.items()}
        now.moved, now.settings = dict(checkpoint.moved), dict(checkpoint.settings)
        now.told, now.stood = set(checkpoint.told), dict(checkpoint.stood)

    def astray(self, checkpoint: Checkpoint) -> set[str] | None:
        """Cables that would not be as they were if everything went back to a checkpoint; nothing changes.

        None where that cannot be told of each cable alone: it touches something, slides, or hangs on a free part.
        """
        return None if self._modes else astray(self._cables, checkpoint.state)

    def restore(self, state: SimulationState) -> None:
        """Back to a snapshot, without solving; lengths are frozen."""
        self._modes.clear()
        self._refusal = None
        go_back(self._standing, self._cables, state)
        self._machine = None
        if state.machine is not None:
            from lissom.machines.machine import Machine

            self._machine = Machine.from_state(state.machine)

    def save(self, path: str | Path) -> None:
        """Writes the scene, and beside it the solved state ("hose.state.npz"), so that opening shows it at once."""
        self.scene.save(path)
        self.save_state(state_path(path))

    def save_state(self, file: Path) -> None:
        """Writes the shapes of the cables, for `take_state`."""
        save_state(file, self.state_arrays())

    def state_arrays(self) -> dict[str, Array]:
        """What `save_state` writes."""
        return shape_arrays(self._standing.scene, self._cables)

    def save_as(self, path: str | Path) -> None:
        """Saves, and goes on as the scene of that file: relative paths of meshes lead from there from now on."""
        self.save(path)
        self._standing.scene = Scene.load(path)

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
        take_shapes(self._cables, arrays)

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

        return picture(self, cable or next(iter(self._cables.solvers)), None if path is None else Path(path))

    def show(self, *, port: int = 0, browser: bool = True, opened: Callable[[str], object] | None = None) -> None:
        """Opens the studio on this simulation, and comes back with what was made of it when its page is closed.

        `opened` is called with the address of the page once it can be visited.
        """
        from lissom.studio.showing import show

        show(self, port=port, browser=browser, opened=opened)

    def copy(self) -> "Simulation":
        """An independent simulation in the same state."""
        other = Simulation(Scene(), formulation=self._cables.formulation)
        other._cables.made = self._cables.made
        other.restore(self.state())
        return other
