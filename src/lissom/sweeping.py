"""A scene through all positions of its parts: quasi-static, warm started along the path.

Between two positions the parts go straight (joints linearly, recorded poses by the shortest rotation). After a step
the parts go back, and forth again: a cable that does not return to the shape it had is on another branch of
equilibria. Then the step is taken back and halved: either smaller steps stay on the branch, or it is lost however
small the step. Then the branch has ended there, and the cable has snapped through: that is an answer, with the shapes
before and after.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lissom.exchange.courses import Course, Goal
from lissom.keeping import Checkpoint
from lissom.posing import part_way
from lissom.reports import Report, SolveError
from lissom.rods.result import CableResult
from lissom.scene import Scene, SceneError
from lissom.scene.errors import ABSENT, Problem
from lissom.scene.joint import Joint, Motion, mixed
from lissom.simulation import Simulation
from lissom.verbs import error_report, is_of_caller

Array = NDArray[np.float64]
Shapes = dict[str, Array]

SAME: Final = 0.005
"""Part of the length: shapes that are less apart are on the same branch of equilibria;"""
SAME_TWIST: Final = 0.3
"""rad: and twists."""
STRIDE: Final = 0.05
"""Part of the length that a cable with friction goes at a time, unless it snaps."""
FLIP: Final = 0.1
"""Part of the length that a cable goes farther than its ends at a time, unless it flips over."""
FINEST: Final = 2.0**-14
"""Of the way between two positions: a jump over less is a snap-through."""
SHORTEST: Final = 2.0**-6
"""Of that way: a solve that fails in smaller steps too has failed."""
LARGEST_TURN: Final = 0.25
"""rad that parts turn at a time: a solve over much more may lose a whole turn of a cable, and passes things unseen;"""
LARGEST_WAY: Final = 0.15
"""and the part of the shortest cable that they go."""
FRAMES: Final = 60
"""Positions along a motion of keyframes, unless said otherwise."""
MOST_POSITIONS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Snap:
    """A stable branch has ended on the way to a position: a cable jumps."""

    cable: str
    before: Goal  # the last position before it, and the first after: they are as near as can be told
    after: Goal
    distance: float  # m that it moves at once
    released: float  # J that it has less after it
    shape_before: Array  # (points, 3) m
    shape_after: Array


@dataclass(frozen=True, slots=True)
class Visit:
    """One position, as it was reached."""

    number: int
    goal: Goal
    report: Report
    shapes: Shapes  # (points, 3) m of every cable; the last good ones where the solve failed
    here: Goal  # where everything stands: the goal, or as near to it as it got
    snaps: tuple[Snap, ...] = ()
    back: bool = False  # on the way back
    stopped: str = ""  # what a held part ran into, here or before: it does not go on

    @property
    def status(self) -> str:
        """That of the report, or "jammed"."""
        return "jammed" if self.stopped else self.report.status

    @property
    def reason(self) -> str:
        return self.stopped or self.report.reason

    @property
    def ok(self) -> bool:
        return self.status == "converged"


def sweep(
    simulation: Simulation,
    *,
    motion: str | None = None,
    grid: Mapping[str, int | Sequence[Any]] | None = None,
    positions: Sequence[str] | str | None = None,
    frames: int = FRAMES,
    back: bool = False,
) -> Iterator[Visit]:
    """Visits every position, one at a time; the simulation stands there when it is given out.

    One of: a `motion` of the scene, a `grid` of joint values (a number of them over the whole range, or the values),
    or named `positions` ("all", or a list). `back` visits them all again in the other direction.
    """
    chosen = [k for k in (motion, grid, positions) if k is not None]
    if len(chosen) != 1:
        raise ValueError("sweep: give one of motion, grid and positions")
    goals = goals_of(simulation.scene, motion, grid, positions, frames)
    return visits(simulation, goals, back=back)


def visits(simulation: Simulation, goals: Sequence[Goal], *, back: bool = False, skip: int = 0) -> Iterator[Visit]:
    """`skip` passes over the first ones; the simulation stands at the last of them then."""
    scene, turn = simulation.scene, len(goals)
    if back:
        goals = [*goals, *reversed(goals[:-1])]
    simulation.solve()
    here = present(simulation, goals[0])
    stopped = ""
    for number, goal in enumerate(goals[skip:], start=skip):
        snaps: list[Snap] = []
        if not stopped:
            began, before = time.perf_counter(), simulation.checkpoint()
            try:
                report, snaps, stopped = travel(simulation, scene, here, goal)
            except Exception as broken:
                simulation.back_to(before)
                if is_of_caller(broken):
                    raise
                report = error_report(simulation, broken, began)
            here = present(simulation, goal)
        yield Visit(number, goal, report, shapes(simulation), here, tuple(snaps), number >= turn, stopped)


def goals_of(
    scene: Scene,
    motion: str | None,
    grid: Mapping[str, int | Sequence[Any]] | None,
    positions: Sequence[str] | str | None,
    frames: int = FRAMES,
) -> list[Goal]:
    """The positions in the order in which they are visited."""
    if motion is not None:
        return along(scene, scene.motion(motion), frames)
    if grid is not None:
        return on_grid(scene, grid)
    names = list(scene.positions) if positions == "all" else [positions] if isinstance(positions, str) else positions
    if not names:
        raise SceneError([Problem("positions", ABSENT, "has no entry: name settings of the joints under [positions]")])
    return [Goal(scene.position(name), name=name) for name in names]


def on_grid(scene: Scene, grid: Mapping[str, int | Sequence[Any]]) -> list[Goal]:
    """Row by row, every second one backwards: neighbours follow each other."""
    if not grid:
        raise ValueError("grid: must name at least one joint")
    numbers = {name: how_many(name, given) for name, given in grid.items()}
    count = math.prod(numbers.values())
    if not 0 < count <= MOST_POSITIONS:
        raise ValueError(f"grid: {count} positions; must be from 1 to {MOST_POSITIONS}")
    axes = {name: values_of(scene.joint(name), given) for name, given in grid.items()}
    goals = []
    for row in serpentine([len(k) for k in axes.values()]):
        goals.append(Goal({name: values[k] for (name, values), k in zip(axes.items(), row, strict=True)}))
    return goals


def how_many(name: str, given: int | Sequence[Any]) -> int:
    """Values of a joint in a grid."""
    if not isinstance(given, int | np.integer):
        if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
            raise ValueError(f"grid: {name} = {given!r:.60}: must be how many values, such as 9, or a list of them")
        return len(given)
    if given < 1:
        raise ValueError(f"grid: {name} = {given}: must be 1 or more")
    return int(given)


def values_of(joint: Joint, given: int | Sequence[Any]) -> list[float]:
    if joint.kind not in ("hinge", "slide"):
        raise ValueError(f"grid: {joint.name} is a {joint.kind} joint; only hinges and slides have one value to step")
    if not isinstance(given, int | np.integer):
        return [float(joint.read(k)) for k in given]  # type: ignore[arg-type]
    low, high = joint.limits
    if not math.isfinite(low + high):
        raise ValueError(f"grid: {joint.name} has no range; give it one, or list the values")
    return [float(k) for k in np.linspace(low, high, given)] if given > 1 else [0.5 * (low + high)]


def serpentine(counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All index tuples; each differs from the one before in one place by one."""
    if not counts:
        yield ()
        return
    inner = list(serpentine(counts[1:]))
    for k in range(counts[0]):
        for row in inner if k % 2 == 0 else reversed(inner):
            yield (k, *row)


def along(scene: Scene, motion: Motion, frames: int) -> list[Goal]:
    """Positions along a motion: evenly in time between keyframes, and at each; every sample of what was recorded."""
    course = Course.of(scene, motion)
    times = course.times
    if motion.keyframes:
        if frames < 2:
            raise ValueError(f"frames = {frames}: must be 2 or more")
        times = np.union1d(np.linspace(times[0], times[-1], frames), times)
    return [course.at(float(t)) for t in times]


# ---- going from position to position -------------------------------------------------------------------------------


def present(simulation: Simulation, like: Goal) -> Goal:
    """Where the things are now that a goal moves."""
    joints = simulation.joints
    return Goal({k: joints[k] for k in like.settings}, {k: simulation.pose(k) for k in like.poses})


def place(simulation: Simulation, goal: Goal) -> None:
    if goal.settings:
        simulation.set_joints(goal.settings)
    if goal.poses:
        simulation.put_parts(goal.poses)


def part_of_way(a: Goal, b: Goal, part: float) -> Goal:
    if part == 1.0:
        return b
    settings = {name: mixed(a.settings[name], end, part) for name, end in b.settings.items()}
    poses = {name: part_way(a.poses[name], pose, part) for name, pose in b.poses.items()}
    time = None if a.time is None or b.time is None else (1.0 - part) * a.time + part * b.time
    return Goal(settings, poses, time=time)


def travel(simulation: Simulation, scene: Scene, a: Goal, b: Goal) -> tuple[Report, list[Snap], str]:
    """From one position to the next, in steps as small as it takes; and what stopped a part, if anything did.

    Where there is no equilibrium to go on to, everything stands at the last one.
    """
    largest = longest_step(scene, a, b)
    rough = any(k.friction > 0.0 for k in scene.parts) or any(k.friction > 0.0 for k in scene.cables)
    done, step, finest = 0.0, largest, FINEST
    jump: tuple[Checkpoint, float, float] | None = None  # the last step that jumped: from where, and how far
    snaps: list[Snap] = []
    while True:
        step = min(step, 1.0 - done)
        before, state = Standing.of(simulation), simulation.checkpoint()
        goal = part_of_way(a, b, done + step)
        place(simulation, goal)
        report = simulation.solve()
        if report.status not in ("converged", "unstable"):
            if jump is not None and step <= SHORTEST and report.status != "infeasible":
                state, done, finest = jump  # nothing is found right where it jumps: then it is told no finer
                simulation.back_to(state)
                step, jump = finest, None
                continue
            if report.status == "infeasible" or step <= SHORTEST:
                if report.status == "infeasible" and done + step < 1.0:
                    report = beyond(simulation, b) or report
                simulation.back_to(state)
                return report, snaps, ""
        else:
            here = part_of_way(a, b, done)
            jumped = strides(simulation, before) if rough else leaps(simulation, before, state, (here, goal))
            if not jumped or step <= finest:
                snaps += [snap(before.cables[k], simulation.cable(k), here, goal, d) for k, d in jumped.items()]
                stopped = stops(simulation)
                done += step
                step, finest = min(2.0 * step, largest), FINEST
                if jump is not None and done >= jump[1] + jump[2]:
                    jump = None
                if stopped or done >= 1.0 - 1e-12:
                    return report, snaps, stopped
                continue
            jump = state, done, step
        simulation.back_to(state)
        step *= 0.5


def snap(before: CableResult, after: CableResult, here: Goal, goal: Goal, distance: float) -> Snap:
    released = before.energy["total"] - after.energy["total"]
    return Snap(after.name, here, goal, distance, released, before.positions, after.positions)


def beyond(simulation: Simulation, goal: Goal) -> Report | None:
    """What cables lack at a goal that is farther away than they reach: there, not where they first held it back."""
    place(simulation, goal)
    report = simulation.solve()
    return report if report.status == "infeasible" else None


def stops(simulation: Simulation) -> str:
    """What stopped held parts in the last solve, and where they stand; nothing where they got all their way."""
    found = []
    for stop in simulation.stops:
        x, y, z = (1000.0 * v for v in simulation.pose(stop.part)[0])
        found.append(f"{stop.part} stopped at {stop.at}, at ({x:.4g}, {y:.4g}, {z:.4g}) mm")
    return "; ".join(found)


def longest_step(scene: Scene, a: Goal, b: Goal) -> float:
    """Of the way between two positions: parts turn, and go, only so far at a time."""
    joints = [(scene.joint(name), a.settings[name], end) for name, end in b.settings.items()]
    turn = sum(joint.turns(start, end) for joint, start, end in joints)
    turn += sum(angle(a.poses[name][1], pose[1]) for name, pose in b.poses.items())
    way = sum(joint.slides(start, end) for joint, start, end in joints)
    way += sum(math.dist(a.poses[name][0], pose[0]) for name, pose in b.poses.items())
    shortest = min((cable.length for cable in scene.cables), default=1.0)
    return 1.0 / max(1.0, turn / LARGEST_TURN, way / (LARGEST_WAY * shortest))


def shapes(simulation: Simulation) -> Shapes:
    found: Shapes = {}
    for name in simulation.cables:
        try:
            found[name] = simulation.cable(name).positions
        except SolveError:
            continue
    return found


@dataclass(frozen=True, slots=True)
class Standing:
    """All cables, their shapes, and their twist (rad)."""

    cables: dict[str, CableResult]
    shapes: Shapes
    twists: dict[str, float]

    @classmethod
    def of(cls, simulation: Simulation) -> Standing:
        found = shapes(simulation)
        cables = {name: simulation.cable(name) for name in found}
        return cls(cables, found, {name: twist(cable.quaternions) for name, cable in cables.items()})

    def apart(self, other: Standing, lengths: Mapping[str, float]) -> dict[str, float]:
        """Cables that are elsewhere in the other one, or twisted otherwise; and how far they are apart (m)."""
        found: dict[str, float] = {}
        for name, shape in self.shapes.items():
            there = other.shapes.get(name)
            if there is None or len(there) != len(shape):
                continue  # sliding supports have moved points along the cable: nothing to compare
            moved = float(np.linalg.norm(there - shape, axis=1).max())
            if moved > SAME * lengths[name] or abs(other.twists[name] - self.twists[name]) > SAME_TWIST:
                found[name] = moved
        return found


def twist(q: Array) -> float:
    """rad about the tangent from frame to frame, in all."""
    w = np.einsum("ij,ij->i", q[1:], q[:-1])
    z = q[:-1, 0] * q[1:, 3] - q[:-1, 3] * q[1:, 0] - q[:-1, 1] * q[1:, 2] + q[:-1, 2] * q[1:, 1]
    return float(2.0 * np.arctan2(np.where(w < 0.0, -z, z), np.abs(w)).sum())


def leaps(simulation: Simulation, before: Standing, mark: Checkpoint, goals: tuple[Goal, Goal]) -> dict[str, float]:
    """Cables that lost their branch on the way from one goal to the other, and how far they went (m).

    The simulation stands at the second goal, before and after; `before` and `mark` are of the first one.
    """
    lengths = {name: simulation.cable(name).length for name in before.shapes}
    now = Standing.of(simulation)
    moved = now.apart(before, lengths)
    if not moved:
        return {}
    astray = simulation.astray(mark)
    if astray is None:
        place(simulation, goals[0])
        returned = simulation.solve()
        back = Standing.of(simulation)
        place(simulation, goals[1])
        simulation.solve()
        if returned.status not in ("converged", "unstable"):
            return moved
        astray = {*back.apart(before, lengths), *now.apart(Standing.of(simulation), lengths)}
    return {
        name: way
        for name, way in moved.items()
        if name in astray or flipped(before.shapes[name], now.shapes[name], lengths[name])
    }


def flipped(before: Array, now: Array, length: float) -> bool:
    """Far more than its ends: also a cable that would come back has then left its branch, or the step is too long.

    An arch whose clamps turn through the straight line swings over to the other side there, and back there as well.
    """
    moved = np.linalg.norm(now - before, axis=1)
    return float(moved.max() - max(moved[0], moved[-1])) > FLIP * length


def strides(simulation: Simulation, before: Standing) -> dict[str, float]:
    """With friction nothing returns: then a long stride is all that tells."""
    moved = Standing.of(simulation).apart(before, dict.fromkeys(before.shapes, 0.0))
    return {name: way for name, way in moved.items() if way > STRIDE * simulation.cable(name).length}


def angle(p: Iterable[float], q: Iterable[float]) -> float:
    """Of the rotation from one to the other, rad."""
    dot = abs(sum(a * b for a, b in zip(p, q, strict=True)))
    return 2.0 * math.acos(min(1.0, dot))
