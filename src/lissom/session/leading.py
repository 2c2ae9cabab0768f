"""Leading joints and motions: cables follow live, and where they cannot, everything stops there and says why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from lissom.exchange.courses import Course, Goal
from lissom.reports import Report
from lissom.scene import Scene
from lissom.session.messages.commands import Drop
from lissom.session.messages.events import Notice
from lissom.sweeping import FRAMES, along, longest_step, part_of_way, place, present, travel, visits

if TYPE_CHECKING:
    from lissom.session.session import Grabbed, Session

NEARER: Final = 10
"""Halvings of the last step, where cables cannot follow all of it."""
MOST_BETWEEN: Final = 64
"""Positions of a motion that are passed on the way from one time to another."""
FINER: Final = 4
"""How often the time where everything stopped is looked for more finely."""
SOLVE: Final = "sim.solve()"


@dataclass(frozen=True, slots=True)
class Stand:
    """Where on a motion the parts were led."""

    motion: str
    time: float
    goal: Goal


def take_joints(session: Session, path: str) -> Grabbed:
    """Takes hold of joints, where they are not held already; what else is held is let go."""
    from lissom.session.session import Grabbed

    held = session.grabbed
    if held is not None and held.led is not None and held.path == path:
        return held
    if held is not None:
        session.do(Drop())
    session.grabbed = Grabbed(path, session.moment(), led=[])
    return session.grabbed


def lead(session: Session, goal: Goal, scene: Scene) -> str:
    """To the goal, or as near to it as the cables follow; gives why it is no nearer, "" where it is there.

    `scene` says what the joints are; where they stand in it does not count.
    """
    simulation = session.simulation
    before = simulation.joints
    reason = _lead(session, goal, scene)
    session.changed = True
    if session.take is not None:
        session.take.note(before, simulation.joints)
    return reason


def _lead(session: Session, goal: Goal, scene: Scene) -> str:
    simulation = session.simulation
    if not session.simulate:
        place(simulation, goal)
        return ""
    if not follows(session.report):  # there is no equilibrium to go on from: there may be one there
        place(simulation, goal)
        session.report = simulation.solve()
        return "" if follows(session.report) else session.report.reason or session.report.status
    modes = simulation.modes()
    report, snaps, reason = travel(simulation, scene, present(simulation, goal), goal)
    for snap in snaps:
        way = f"{1000.0 * snap.distance:.3g} mm at once"
        session.tell(Notice("info", f"{snap.cable} snapped through on the way: {way}", snap.cable))
    if not follows(report):
        reason = report.reason or report.status
        go_nearer(session, goal, scene)
        report = simulation.solve()
    if modes and not simulation.modes():  # a step that was taken back froze the lengths
        simulation.take_up(modes)
        report = simulation.solve()
    session.report = report
    return reason


def follows(report: Report) -> bool:
    return report.status in ("converged", "unstable")


def go_nearer(session: Session, goal: Goal, scene: Scene) -> None:
    """Halves the last step until the cables follow; ends there, solved."""
    simulation = session.simulation
    here = present(simulation, goal)
    low, high = 0.0, longest_step(scene, here, goal)
    for _ in range(NEARER):
        middle = 0.5 * (low + high)
        state = simulation.checkpoint()
        place(simulation, part_of_way(here, goal, middle))
        if follows(simulation.solve()):
            low = middle
        else:
            simulation.back_to(state)
            high = middle


def lead_along(session: Session, motion: str, time: float, scene: Scene, passed: list[Goal]) -> str:
    """To a time of a motion, along it where the parts stand on it; stops where the cables cannot follow.

    Where it began and came through is added to `passed`.
    """
    course = Course.of(scene, scene.motion(motion))
    end = min(max(time, float(course.times[0])), float(course.times[-1]))
    stand = session.stand
    start = end
    if stand is not None and stand.motion == motion and stands(session) and follows(session.report):
        start = stand.time
    passed += [] if passed else [present(session.simulation, course.at(end))]
    for t in between(course, start, end):
        goal = course.at(t)
        reason = lead(session, goal, scene)
        here = present(session.simulation, goal)
        passed.append(here)
        if reason:
            session.stand = Stand(motion, nearest_time(session, course, start, t), here)
            return reason
        session.stand = Stand(motion, t, here)
        start = t
    return ""


def between(course: Course, start: float, end: float) -> list[float]:
    """Times of keyframes or samples on the way, and the end."""
    low, high = min(start, end), max(start, end)
    inside = course.times[(course.times > low) & (course.times < high)]
    if len(inside) > MOST_BETWEEN:
        inside = inside[np.linspace(0, len(inside) - 1, MOST_BETWEEN).astype(int)]
    times = [float(k) for k in inside]
    return [*(times if start <= end else reversed(times)), end]


def nearest_time(session: Session, course: Course, start: float, end: float) -> float:
    """Between two times the one whose position is nearest to where everything stopped."""
    here = present(session.simulation, course.at(end))

    def away(time: float) -> float:
        goal = course.at(time)
        joints = [np.subtract(goal.settings[k], here.settings[k]) for k in goal.settings]
        parts = [np.subtract(goal.poses[k][0], here.poses[k][0]) for k in goal.poses]
        return math.sqrt(sum(float(np.sum(d * d)) for d in [*joints, *parts]))

    for _ in range(FINER):
        times = [float(k) for k in np.linspace(start, end, MOST_BETWEEN)]
        at = min(range(len(times)), key=lambda k: away(times[k]))
        start, end = times[max(at - 1, 0)], times[min(at + 1, len(times) - 1)]
    return times[at]


def stands(session: Session) -> bool:
    """Whether the parts are still where they were led on a motion."""
    stand = session.stand
    if stand is None:
        return False
    known = session.simulation.joints.keys() >= stand.goal.settings.keys()
    known = known and set(session.simulation.bodies) >= stand.goal.poses.keys()
    return known and present(session.simulation, stand.goal) == stand.goal


def lead_as_swept(session: Session, motion: str, time: float, scene: Scene) -> str:
    """To the beginning of a motion and along it, as a sweep does: after a snap-through the way decides the shape."""
    simulation = session.simulation
    goals = [k for k in along(scene, scene.motion(motion), FRAMES) if k.time is not None and k.time < time]
    goal = Course.of(scene, scene.motion(motion)).at(time)
    session.changed = True
    for visit in visits(simulation, [*goals, goal]):
        session.report = visit.report
        if not follows(visit.report) or visit.stopped:
            session.report = simulation.solve()
            return visit.reason
    session.stand = Stand(motion, time, present(simulation, goal))
    return ""


def let_go(session: Session, held: Grabbed) -> None:
    """The end of leading: one step of undo."""
    if not held.led:
        session.go_to(held.before)
        return
    session.grabbed = session.held = None
    session.script += tuple(led_lines(held.before.state.scene, held.led))
    session.step(f"move {held.path}", held.before)


def led_lines(scene: Scene, goals: Sequence[Goal]) -> Iterator[str]:
    """The way from the first goal as lines of a script, in steps that parts may go at a time: another way may end in
    another shape.
    """
    start = goals[0]
    for number, goal in enumerate(goals[1:], start=2):
        step = longest_step(scene, start, goal)
        if step >= 1.0 and number < len(goals):
            continue
        count = math.ceil(1.0 / step)
        for k in range(1, count + 1):
            yield from step_lines(part_of_way(start, goal, k / count))
        start = goal


def step_lines(goal: Goal) -> Iterator[str]:
    if goal.settings:
        yield f"sim.set_joints({dict(goal.settings)!r})"
    if goal.poses:
        yield f"sim.put_parts({dict(goal.poses)!r})"
    yield SOLVE
