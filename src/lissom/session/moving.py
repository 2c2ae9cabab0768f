"""Dragging, and typed poses. What cannot follow stops where it can, and says why."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from lissom.building import SMALL_TURN
from lissom.exchange.courses import Goal
from lissom.posing import part_way
from lissom.reports import Report
from lissom.rods.result import CableResult
from lissom.scene.pose import Pose
from lissom.session import running as runs
from lissom.session.groups import NO_TURN, group_of, pose_of
from lissom.session.leading import lead, let_go
from lissom.session.messages.commands import Cancel, Drag, Drop, Grab, Move, Turn
from lissom.session.messages.snapshots import Held
from lissom.session.messages.values import Json, Vec3, Vec4
from lissom.session.pulling import Pull
from lissom.session.scripting import SOLVE, move_line
from lissom.session.session import Act, Grabbed, Session
from lissom.simulation import Halted
from lissom.sweeping import present

NEARER: Final = 14
"""Halvings of the way to where a thing was to be, when it cannot go all of it."""

PATIENCE: Final = 300
"""Iterations of the solver: how long to look for a nearer place within one frame. Not a time, so replays repeat."""

UNFOUND: Final = 151
"""Iterations that looking for an equilibrium counts as when there is none: it takes the longest."""

FRAME: Final = 0.004
"""Seconds in which kinematic cables follow what is dragged; the rest comes when it is let go."""

STEP: Final = 0.05
"""Part of the cable's length: a script follows a drag in steps of this."""

STRIDE: Final = 0.02
"""Part of the longest cable: what is dragged farther at once is taken there in steps of this, or shorter ones."""

MOST_STRIDES: Final = 100
"""A pointer that leads out of the world is not followed more finely than this."""

SAME: Final = 0.005
"""Fraction of the length: who grabs a cable there grabs what holds it there."""


def grab(session: Session, command: Grab) -> Json:
    """Takes hold; answered with the path that is really held and where it is."""
    if session.grabbed is not None:
        drop(session, Drop())
    path, at = resolved(session, command.path, command.at)
    others = [with_others(session, k, at) for k in command.others]
    for each in (path, *others):
        if each in session.desk.locked or each.partition("/")[0] in session.desk.locked:
            raise ValueError(f"{each}: is locked; unlock it in the tree first")
    held = Grabbed(path, session.moment())
    if not others and at is None and is_loose(session, path):
        held.hold, held.good = runs.take_hold(session, path, command.touched), pose_of(session, path)
        session.grabbed = held
        return {"path": path, "position": held.good[0], "quaternion": held.good[1]}
    runs.before_an_edit(session)
    if at is not None:
        held.grip, held.at = session.simulation.grip(path, at=at, kind="ball"), at
        held.path = held.grip.path
    elif (
        not others and (pull := Pull.of(session.simulation, held.before.state.scene, path, command.touched)) is not None
    ):
        held.pull, held.led = pull, []
    held.freed = tuple(k for k in dict.fromkeys((path, *others)) if is_free(session, k))
    for name in held.freed:
        session.simulation.edit(name, motion="held")
    if held.freed:
        try:
            session.solve()
        except Halted:
            session.go_to(held.before)
            raise
    held.good = pose_of(session, held.path)
    if others:
        held.good = (held.good[0], held.good[1] or NO_TURN)
        held.group = group_of(session, (held.good[0], held.good[1] or NO_TURN), (path, *others))
    session.grabbed = held
    session.changed = True
    return {"path": held.path, "position": held.good[0], "quaternion": held.good[1]}


def is_loose(session: Session, path: str) -> bool:
    """Whether it is a part that forces move, in time."""
    run = runs.running(session)
    return run is not None and any(k.name == path for k in run.machine.scene.parts) and run.machine.moves(path)


def with_others(session: Session, path: str, at: float | None) -> str:
    """What is held of a thing that moves along."""
    found, free = resolved(session, path, None)
    if at is not None or free is not None:
        raise ValueError(f"{path}: a cable, or an end that nothing holds, is dragged by itself, not with others")
    return found


def is_free(session: Session, path: str) -> bool:
    return path in session.simulation.bodies and motion_of(session, path) == "free"


def resolved(session: Session, path: str, at: float | None) -> tuple[str, float | None]:
    """What is to be held: a support where there is one; a place on the cable where it is free."""
    simulation = session.simulation
    name, _, part = path.partition("/")
    scene = simulation.scene
    if not part and name in simulation.bodies:
        return path, None
    if not part and at is None:
        raise ValueError(f"{path}: say where the cable is to be held: at = 0 … 1")
    length = scene.cable(name).length
    place = {"start": 0.0, "end": 1.0}.get(part, at)
    for support in simulation.supports(name):
        here = support.place / length
        if support.name == part or (place is not None and abs(here - place) <= (0.0 if part else SAME)):
            if any(support.name == k.name for k in scene.junctions) or is_joined(session, name, support.name):
                return junction_at(session, name, here), None
            return f"{name}/{support.name}", None
    if place is None:
        simulation.cable(name)
        raise ValueError(f"{path}: nothing holds the cable there")
    return name, min(max(place, 0.0), 1.0)


def is_joined(session: Session, name: str, part: str) -> bool:
    return any(
        member.cable == name and member.end(session.simulation.scene.cable(name).length) == part
        for junction in session.simulation.scene.junctions
        for member in junction.members
    )


def junction_at(session: Session, name: str, at: float) -> str:
    scene = session.simulation.scene
    length = scene.cable(name).length
    members = [
        (abs(k.place(length) / length - at), j.name) for j in scene.junctions for k in j.members if k.cable == name
    ]
    return min(members)[1]


def motion_of(session: Session, name: str) -> str:
    scene = session.simulation.scene
    part = next((k for k in scene.parts if k.name == name), None)
    return scene.junction(name).motion if part is None else part.motion


def drag(session: Session, command: Drag) -> Json:
    """As near as it can go to where it is wanted; after a drop it means nothing."""
    held = session.grabbed
    if held is None or held.good is None:
        return None
    if held.hold is not None:
        runs.drag_hold(session, held.hold, command)
        return None
    with session.step_of_a_drag():
        if held.pull is not None:
            pull(session, held, held.pull, command)
        else:
            follow(session, held, held.good, command)
    return None


def follow(session: Session, held: Grabbed, good: tuple[Vec3, Vec4 | None], command: Drag) -> None:
    """What is held goes where it is wanted, from where it is."""
    wanted = (command.position, command.quaternion or good[1])
    report = put(session, held, wanted)
    reason = ""
    if not follows(session, held, report):
        reason = report.reason or report.status
        held.good = as_near(session, held, good, wanted)
    elif held.group is not None:
        held.good = wanted
    else:
        held.good = pose_of(session, held.path)
        if math.dist(held.good[0], command.position) > 1e-9:
            reason = report.reason  # stopped by something
    held.trail.append(held.good)
    session.held = Held(held.path, held.good[0], command.position, reason)


def pull(session: Session, held: Grabbed, by: Pull, command: Drag) -> None:
    """A part with a joint goes as its joint lets it."""
    name, simulation = by.joint.name, session.simulation
    value, end = by.to(command.position, command.quaternion, simulation.joints[name])
    goal = Goal({name: value})
    assert held.led is not None
    held.led += [] if held.led else [present(simulation, goal)]
    reason = lead(session, goal, held.before.state.scene) or end
    held.led.append(present(simulation, goal))
    session.held = Held(held.path, simulation.pose(held.path)[0], command.position, reason)


def step_to(session: Session, command: Drag, stride: float) -> Drag:
    """The first step of a drag, or all of it where that is short: a jump of the pointer is then seen on its way.

    `stride` is a part of the longest cable; a turn counts as much as it makes a frame hard to follow.
    """
    held = session.grabbed
    if held is None or held.good is None or held.pull or held.hold or not session.simulate:
        return command
    start: Pose = (held.good[0], held.good[1] or NO_TURN)
    end: Pose = (command.position, command.quaternion or start[1])
    longest = max((cable.length for cable in session.simulation.scene.cables), default=1.0)
    strides = (math.dist(start[0], end[0]) / longest + STRIDE * turned(start[1], end[1]) / SMALL_TURN) / stride
    if strides <= 1.0:
        return command
    x, q = part_way(start, end, max(1.0 / strides, 1.0 / MOST_STRIDES))
    return Drag(x, None if command.quaternion is None else q)


def put(session: Session, held: Grabbed, pose: tuple[Vec3, Vec4 | None]) -> Report:
    for path, position, quaternion in moves(held, pose):
        session.simulation.move(path, position=position, quaternion=quaternion)
    return session.solve(budget=FRAME)


def moves(held: Grabbed, pose: tuple[Vec3, Vec4 | None]) -> list[tuple[str, Vec3, Vec4 | None]]:
    """Where everything is to be when what the pointer has is there."""
    if held.group is None:
        return [(held.path, *pose)]
    return list(held.group.moves((pose[0], pose[1] or NO_TURN)))


def follows(session: Session, held: Grabbed, report: Report) -> bool:
    """One thing may stop at an obstacle; of several, none may: they move as one."""
    if held.group is not None and session.simulation.stops:
        return False
    return report.status in ("converged", "unstable")


def as_near(
    session: Session, held: Grabbed, good: tuple[Vec3, Vec4 | None], wanted: tuple[Vec3, Vec4 | None]
) -> tuple[Vec3, Vec4 | None]:
    """Halves the way from the last good pose until the cable follows; ends there, solved."""
    spent = 0
    start: Pose = (good[0], good[1] or NO_TURN)
    end: Pose = (wanted[0], wanted[1] or NO_TURN)
    low, high = 0.0, 1.0
    standing = False  # whether the simulation is at `low`
    for _ in range(NEARER):
        if spent > PATIENCE:
            break
        middle = 0.5 * (low + high)
        x, q = part_way(start, end, middle)
        report = put(session, held, (x, q if good[1] is not None else None))
        spent += UNFOUND if report.status == "not_converged" else report.iterations
        standing = follows(session, held, report)
        low, high = (middle, high) if standing else (low, middle)
    x, q = part_way(start, end, low)
    near = (x, q if good[1] is not None else None)
    if not standing:
        put(session, held, near)
    return near


def drop(session: Session, command: Drop) -> Json:
    """Lets go; answered with the path of the clip that was left, if one was."""
    held = session.grabbed
    if held is None:
        return None
    if held.hold is not None:
        runs.let_go(session, held)
        return None
    if held.led is not None:
        let_go(session, held)
        return None
    if not held.trail and (held.grip is None or command.keep is None):
        session.go_to(held.before)  # nothing was done
        return None
    session.grabbed = session.held = None
    kept = None
    if held.grip is not None and command.keep is not None:
        kept = held.grip.keep(command.keep)
    elif held.grip is not None:
        held.grip.release()
    for name in held.freed:
        session.simulation.edit(name, motion="free")
    try:
        session.solve()
    except Halted:  # what is let go may not stay where it is
        session.go_to(held.before)
        raise
    session.script += tuple(dragged(session, held, command.keep))
    more = 0 if held.group is None else len(held.group.members) - 1
    what = f"{held.path} and {more} more" if more > 0 else held.path
    session.step(f"drag {what}" if kept is None else f"clip {kept}", held.before)
    return kept


def dragged(session: Session, held: Grabbed, keep: str | None) -> Iterator[str]:
    """The drag as lines of a script."""
    if held.grip is not None:
        yield f'grip = sim.grip({held.grip.cable!r}, at={held.at!r}, kind="ball")'
    for name in held.freed:
        yield f'sim.edit({name!r}, motion="held")'
    if held.freed:
        yield SOLVE
    lengths = [cable.length for cable in session.simulation.scene.cables]
    for pose in thinned(held.trail, STEP * max(lengths, default=1.0)):
        for path, position, quaternion in moves(held, pose):
            yield move_line(repr(path) if held.grip is None else "grip.path", position, quaternion)
        yield SOLVE
    if held.grip is not None:
        yield "grip.release()" if keep is None else f"grip.keep({keep!r})"
    for name in held.freed:
        yield f'sim.edit({name!r}, motion="free")'
    yield SOLVE


def thinned(trail: list[tuple[Vec3, Vec4 | None]], step: float) -> list[tuple[Vec3, Vec4 | None]]:
    """Only poses that are a step (m, or as much of a turn) from the one before; and the last."""
    found: list[tuple[Vec3, Vec4 | None]] = []
    for pose in trail[:-1]:
        if not found or math.dist(found[-1][0], pose[0]) > step or turned(found[-1][1], pose[1]) > SMALL_TURN:
            found.append(pose)
    return [*found, trail[-1]] if trail else []


def turned(a: Vec4 | None, b: Vec4 | None) -> float:
    """rad from one frame to another."""
    if a is None or b is None:
        return 0.0
    return 2.0 * math.acos(min(1.0, abs(sum(x * y for x, y in zip(a, b, strict=True)))))


def cancel(session: Session, command: Cancel) -> Json:
    held, run = session.grabbed, session.running
    if held is not None and held.hold is not None and run is not None and run.playing:
        runs.let_go(session, held)
    elif held is not None:
        session.go_to(held.before)
    return None


def move(session: Session, command: Move) -> Json:
    path, at = resolved(session, command.path, None) if "/" in command.path else (command.path, None)
    if at is not None:
        raise ValueError(f"{command.path}: this end is free; drag it, or give it a kind first")
    session.simulation.move(
        path,
        position=command.position,
        quaternion=command.quaternion,
        tangent=command.tangent,
        roll=command.roll,
    )
    session.solve()
    return None


def turn(session: Session, command: Turn) -> Json:
    """By as much as the cable follows; answered with the angle turned."""
    path, at = resolved(session, command.path, None)
    if at is not None:
        raise ValueError(f"{command.path}: is free; nothing there turns the cable")
    turned_by = session.simulation.turn(path, command.by)
    session.solve()
    return turned_by


def place_on(result: CableResult, at: float) -> Vec3:
    """The point of the cable at a fraction of its length, m: cubic between its points."""
    s = at * result.length
    k = min(max(int(np.searchsorted(result.s, s)) - 1, 0), len(result.s) - 2)
    h = float(result.s[k + 1] - result.s[k])
    u = (s - float(result.s[k])) / h
    a, b = result.positions[k], result.positions[k + 1]
    p, q = h * result.tangents[k], h * result.tangents[k + 1]
    x = a + u * p + u * u * (3.0 * (b - a) - 2.0 * p - q) + u**3 * (p + q - 2.0 * (b - a))
    return float(x[0]), float(x[1]), float(x[2])


ACTS = {
    Grab: Act(grab),
    Drag: Act(drag),
    Drop: Act(drop),
    Cancel: Act(cancel),
    Move: Act(move, lambda k: f"move {k.path}"),
    Turn: Act(turn, lambda k: f"turn {k.path}"),
}
