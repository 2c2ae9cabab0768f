"""A scene through all positions of its parts: quasi-static, warm started along the path.

Between two positions the parts go straight (joints linearly, recorded poses by the shortest rotation). A step after
which a cable has moved much farther than what drives it is taken back and halved: either the smaller steps show a
continuous way, or the jump stays however small the step. Then a stable branch has ended there, and the cable has
snapped through: that is an answer, with the shapes before and after.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lissom.exchange.tracks import Recorded, read_track
from lissom.scene import Scene, SceneError
from lissom.scene.errors import ABSENT, Problem
from lissom.scene.joint import Joint, Motion, Value, mixed
from lissom.scene.pose import Pose
from lissom.simulation import Report, Simulation, SolveError, part_way

Array = NDArray[np.float64]
Shapes = dict[str, Array]

SWIFT: Final = 2.5
"""A cable that moves this many times farther than what drives it may have snapped;"""
SWIFT_LEAST: Final = 0.005
"""and farther than this part of its length: below, it does not matter."""
UNWOUND_LEAST: Final = 0.3
"""rad: nor does less twist."""
FINEST: Final = 2.0**-14
"""Of the way between two positions: a jump over less is a snap-through."""
SHORTEST: Final = 2.0**-6
"""Of that way: a solve that fails in smaller steps too has failed."""
FRAMES: Final = 60
"""Positions along a motion of keyframes, unless said otherwise."""
MOST_POSITIONS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Goal:
    """A position to be visited: settings of joints, or poses of parts."""

    settings: Mapping[str, Value] = field(default_factory=dict)
    poses: Mapping[str, Pose] = field(default_factory=dict)
    name: str = ""
    time: float | None = None  # s


@dataclass(frozen=True, slots=True)
class Snap:
    """A stable branch has ended on the way to a position: a cable jumps."""

    cable: str
    before: Goal  # the last position before it, and the first after: they are as near as can be told
    after: Goal
    distance: float  # m that it moves at once
    shape_before: Array  # (points, 3) m
    shape_after: Array


@dataclass(frozen=True, slots=True)
class Visit:
    """One position, as it was reached."""

    number: int
    goal: Goal
    report: Report
    shapes: Shapes  # (points, 3) m of every cable; the last good ones where the solve failed
    snaps: tuple[Snap, ...] = ()
    back: bool = False  # on the way back

    @property
    def ok(self) -> bool:
        return self.report.ok


def sweep(
    simulation: Simulation,
    *,
    motion: str | None = None,
    grid: Mapping[str, int | Sequence[Any]] | None = None,
    positions: Sequence[str] | str | None = None,
    frames: int = FRAMES,
    back: bool = False,
    skip: int = 0,
) -> Iterator[Visit]:
    """Visits every position, one at a time; the simulation stands there when it is given out.

    One of: a `motion` of the scene, a `grid` of joint values (a number of them over the whole range, or the values),
    or named `positions` ("all", or a list). `back` visits them all again in the other direction. `skip` passes over
    the first ones, which were visited before.
    """
    chosen = [k for k in (motion, grid, positions) if k is not None]
    if len(chosen) != 1:
        raise ValueError("sweep: give one of motion, grid and positions")
    goals = goals_of(simulation.scene, motion, grid, positions, frames)
    if back:
        goals = [*goals, *reversed(goals[:-1])]
    turn = (len(goals) + 1) // 2 if back else len(goals)
    report = simulation.solve()
    here = present(simulation, goals[0])
    if skip:
        here = goals[skip - 1]
        place(simulation, here)
        report = simulation.solve()
    for number, goal in enumerate(goals[skip:], start=skip):
        report, snaps, reached = travel(simulation, here, goal)
        here = goal if reached else present(simulation, goal)
        yield Visit(number, goal, report, shapes(simulation), tuple(snaps), number >= turn)


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
    axes = {name: values_of(scene.joint(name), given) for name, given in grid.items()}
    count = math.prod(len(k) for k in axes.values())
    if not axes or not 0 < count <= MOST_POSITIONS:
        raise ValueError(f"grid: {count} positions; must be from 1 to {MOST_POSITIONS}")
    goals = []
    for row in serpentine([len(k) for k in axes.values()]):
        goals.append(Goal({name: values[k] for (name, values), k in zip(axes.items(), row, strict=True)}))
    return goals


def values_of(joint: Joint, given: int | Sequence[Any]) -> list[float]:
    if joint.kind not in ("hinge", "slide"):
        raise ValueError(f"grid: {joint.name} is a {joint.kind} joint; only hinges and slides have one value to step")
    if not isinstance(given, int):
        return [float(joint.read(k)) for k in given]  # type: ignore[arg-type]
    low, high = joint.limits
    if not math.isfinite(low + high):
        raise ValueError(f"grid: {joint.name} has no range; give it one, or list the values")
    if given < 1:
        raise ValueError(f"grid: {joint.name} = {given}: must be 1 or more")
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
    if motion.keyframes:
        return between_keyframes(scene, motion, frames)
    tracks = {k.part: read_track(scene.folder / k.file) for k in motion.tracks}
    times = np.unique(np.concatenate([k.time for k in tracks.values()]))
    return [Goal(poses=poses_at(tracks, float(t)), time=float(t)) for t in times]


def poses_at(tracks: Mapping[str, Recorded], time: float) -> dict[str, Pose]:
    return {name: track.at(time) for name, track in tracks.items()}


def between_keyframes(scene: Scene, motion: Motion, frames: int) -> list[Goal]:
    """A joint goes straight from the keyframes that name it to the next that do, and stands before and after."""
    if frames < 2:
        raise ValueError(f"frames = {frames}: must be 2 or more")
    knots: dict[str, tuple[list[float], list[Any]]] = {}
    for frame in motion.keyframes:
        for name, said in frame.joints.items():
            times, values = knots.setdefault(name, ([], []))
            times.append(frame.time)
            values.append(np.atleast_1d(scene.joint(name).read(said)))
    first, last = motion.keyframes[0].time, motion.keyframes[-1].time
    moments = np.union1d(np.linspace(first, last, frames), [k.time for k in motion.keyframes])
    return [Goal({name: at_time(knot, float(t)) for name, knot in knots.items()}, time=float(t)) for t in moments]


def at_time(knot: tuple[list[float], list[Any]], time: float) -> Value:
    times, values = knot
    table = np.array(values)
    found = [float(np.interp(time, times, table[:, k])) for k in range(table.shape[1])]
    return (found[0], found[1], found[2]) if len(found) == 3 else found[0]


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


def travel(simulation: Simulation, a: Goal, b: Goal) -> tuple[Report, list[Snap], bool]:
    """From one position to the next, in steps as small as it takes; whether it got there."""
    done, step = 0.0, 1.0
    snaps: list[Snap] = []
    while True:
        step = min(step, 1.0 - done)
        before, state = Standing.of(simulation), simulation.state()
        goal = part_of_way(a, b, done + step)
        place(simulation, goal)
        report = simulation.solve()
        if report.status not in ("converged", "unstable"):
            if report.status == "infeasible" or step <= SHORTEST:
                simulation.restore(state)
                return report, snaps, False
        else:
            jumped = leaps(simulation, before)
            if not jumped or step <= FINEST:
                here = part_of_way(a, b, done)
                snaps += [
                    Snap(k, here, goal, d, before.shapes[k], simulation.cable(k).positions) for k, d in jumped.items()
                ]
                done += step
                step *= 2.0
                if done >= 1.0 - 1e-12:
                    return report, snaps, True
                continue
        simulation.restore(state)
        step *= 0.5


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
    """Where everything is, to see how far it goes."""

    shapes: Shapes
    twists: dict[str, float]  # ∫τ ds of every cable, rad
    supports: dict[str, list[Pose]]
    parts: dict[str, Pose]

    @classmethod
    def of(cls, simulation: Simulation) -> Standing:
        found = shapes(simulation)
        return cls(
            found,
            {name: simulation.cable(name).total_torsion for name in found},
            {name: [(k.position, k.quaternion) for k in simulation.supports(name)] for name in found},
            {name: simulation.pose(name) for name in simulation.bodies},
        )


def leaps(simulation: Simulation, before: Standing) -> dict[str, float]:
    """Cables that moved, or unwound, much farther than what drives them; and how far they moved (m)."""
    found: dict[str, float] = {}
    now = Standing.of(simulation)
    for name, old in before.shapes.items():
        new, length = now.shapes[name], simulation.cable(name).length
        if len(new) != len(old):
            continue
        moved = float(np.linalg.norm(new - old, axis=1).max())
        unwound = abs(now.twists[name] - before.twists[name])
        if moved <= SWIFT_LEAST * length and unwound <= UNWOUND_LEAST:
            continue
        ways = [
            (math.dist(a[0], b[0]), angle(a[1], b[1]))
            for a, b in zip(before.supports[name], now.supports[name], strict=True)
        ]
        drive = max((way + length * turn for way, turn in ways), default=0.0)
        for part, was in before.parts.items():
            there = now.parts[part]
            if was != there:
                reach = float(np.linalg.norm(old - np.array(was[0]), axis=1).max())
                drive = max(drive, math.dist(was[0], there[0]) + reach * angle(was[1], there[1]))
        if moved > max(SWIFT * drive, SWIFT_LEAST * length) or unwound > max(SWIFT * drive / length, UNWOUND_LEAST):
            found[name] = moved
    return found


def angle(p: Iterable[float], q: Iterable[float]) -> float:
    """Of the rotation from one to the other, rad."""
    dot = abs(sum(a * b for a, b in zip(p, q, strict=True)))
    return 2.0 * math.acos(min(1.0, dot))


def repeated(visits: Iterable[Visit]) -> Iterator[tuple[Visit, Visit]]:
    """Visits of the same position, there and back."""
    there: dict[str, Visit] = {}
    for visit in visits:
        key = repr((sorted(visit.goal.settings.items()), visit.goal.time))
        if key in there:
            yield there[key], visit
        else:
            there[key] = visit
