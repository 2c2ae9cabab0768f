"""Joints, named positions and motions: setting them, keeping them, going to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from lissom.building import free_name
from lissom.exchange.courses import Course, Goal
from lissom.scene import Scene, SceneError
from lissom.scene.joint import Value
from lissom.session.leading import (
    SOLVE,
    lead,
    lead_along,
    lead_as_swept,
    led_lines,
    step_lines,
    take_joints,
)
from lissom.session.messages.commands import Drop
from lissom.session.messages.events import Notice
from lissom.session.messages.motion import (
    AddMotion,
    GoToPosition,
    GoToTime,
    JointInfo,
    KeepPosition,
    MotionInfo,
    PositionInfo,
    RemoveMotion,
    RemovePosition,
    RenameMotion,
    RenamePosition,
    Scrub,
    SetJoints,
    Steer,
    Take,
)
from lissom.session.messages.values import Json
from lissom.session.session import Act, Session
from lissom.session.taking import Taking
from lissom.sweeping import present

MOST_KEYFRAMES = 2000
"""Of a motion, that are shown on its timeline."""


# ---- going somewhere -------------------------------------------------------------------------------------------------


def steer(session: Session, command: Steer) -> Json:
    """As near as the cables follow; answered with why not farther, "" where it is there."""
    goal = goal_of(scene_of(session), command.joints)
    held = take_joints(session, ", ".join(command.joints))
    assert held.led is not None
    with session.step_of_a_drag():
        held.led += [] if held.led else [present(session.simulation, goal)]
        session.stopped = lead(session, goal, held.before.state.scene)
        held.led.append(present(session.simulation, goal))
    return session.stopped


def scrub(session: Session, command: Scrub) -> Json:
    scene = scene_of(session)
    Course.of(scene, scene.motion(command.motion))  # raises before anything is held
    held = take_joints(session, command.motion)
    assert held.led is not None
    with session.step_of_a_drag():
        session.stopped = lead_along(session, command.motion, command.seconds, held.before.state.scene, held.led)
    return session.stopped


def scene_of(session: Session) -> Scene:
    """What the joints are; while something is held, without writing where it is into the scene."""
    held = session.grabbed
    return session.simulation.scene if held is None else held.before.state.scene


def set_joints(session: Session, command: SetJoints) -> Json:
    return go(session, goal_of(session.simulation.scene, command.joints))


def go_to_position(session: Session, command: GoToPosition) -> Json:
    return go(session, Goal(session.simulation.scene.position(command.name)))


def go_to_time(session: Session, command: GoToTime) -> Json:
    """Answered with why it did not get there, "" where it did."""
    scene = session.simulation.scene
    if command.along:
        said = lead_as_swept(session, command.motion, command.seconds, scene)
        session.script += (
            f"for visit in sim.sweep(motion={command.motion!r}):",
            f"    if visit.goal.time >= {command.seconds!r}:",
            "        break",
            *step_lines(Course.of(scene, scene.motion(command.motion)).at(command.seconds)),
        )
        return told(session, said)
    passed: list[Goal] = []
    said = lead_along(session, command.motion, command.seconds, scene, passed)
    session.script += tuple(led_lines(scene, passed))
    return told(session, said)


def go(session: Session, goal: Goal) -> str:
    scene, here = session.simulation.scene, present(session.simulation, goal)
    said = lead(session, goal, scene)
    session.script += tuple(led_lines(scene, [here, present(session.simulation, goal)]))
    return told(session, said)


def told(session: Session, reason: str) -> str:
    session.stopped = reason
    if reason:
        session.tell(Notice("warning", f"Stopped on the way: {reason}"))
    return reason


def is_loose(scene: Scene, joint: str) -> bool:
    """Whether forces move the part of a joint, in time."""
    return scene.part(scene.joint(joint).part).motion == "free"


def goal_of(scene: Scene, joints: Mapping[str, Any]) -> Goal:
    if not joints:
        raise ValueError("joints: must name at least one joint")
    for name in joints:
        if is_loose(scene, name):
            text = f"{name}: forces move {scene.joint(name).part}; pull the part, or set a motor on the joint"
            raise ValueError(text)
    return Goal({name: scene.joint(name).read(said) for name, said in joints.items()})


# ---- named positions -------------------------------------------------------------------------------------------------


def keep_position(session: Session, command: KeepPosition) -> Json:
    """A position of this name is replaced."""
    settings = {name: plain(value) for name, value in session.simulation.joints.items()}
    kinds = {k.name: k.kind for k in session.simulation.scene.joints}
    moving = {name: value for name, value in settings.items() if kinds[name] != "fixed"}
    if not moving:
        raise ValueError("positions: this scene has no joint that moves")
    set_positions(session, {**said_positions(session), name_of(command.name, "position"): moving})
    return None


def remove_position(session: Session, command: RemovePosition) -> Json:
    session.simulation.scene.position(command.name)
    set_positions(session, {k: v for k, v in said_positions(session).items() if k != command.name})
    return None


def rename_position(session: Session, command: RenamePosition) -> Json:
    session.simulation.scene.position(command.name)
    known, to = said_positions(session), name_of(command.to, "position")
    if to in known and to != command.name:
        raise ValueError(f"position {to!r:.60}: there is one of this name already")
    set_positions(session, {to if k == command.name else k: v for k, v in known.items()})
    return None


def said_positions(session: Session) -> dict[str, Any]:
    return dict(session.simulation.scene.to_dict().get("positions", {}))


def set_positions(session: Session, positions: dict[str, Any]) -> None:
    change = {"positions": positions or None}
    replace_scene(session, session.simulation.scene.with_values(change), f"with_values({change!r})")


# ---- motions ---------------------------------------------------------------------------------------------------------


def add_motion(session: Session, command: AddMotion) -> Json:
    scene = session.simulation.scene
    name = free_name(name_of(command.name, "motion"), [k.name for k in scene.motions])
    motion = {"name": name, "keyframes": [asdict(k) for k in command.keyframes]}
    replace_scene(session, scene.with_motion(motion), f"with_motion({motion!r})")
    return name


def remove_motion(session: Session, command: RemoveMotion) -> Json:
    scene = session.simulation.scene.without_motion(command.name)
    replace_scene(session, scene, f"without_motion({command.name!r})")
    return None


def rename_motion(session: Session, command: RenameMotion) -> Json:
    scene = session.simulation.scene
    scene.motion(command.name)
    said = next(k for k in scene.to_dict()["motions"] if k["name"] == command.name)
    motion = {**said, "name": name_of(command.to, "motion")}
    call = f"with_motion({motion!r}, instead_of={command.name!r})"
    replace_scene(session, scene.with_motion(motion, instead_of=command.name), call)
    return None


def replace_scene(session: Session, scene: Scene, call: str) -> None:
    session.simulation.replace_scene(scene)
    session.solve()
    session.script += (f"sim.replace_scene(sim.scene.{call})", SOLVE)


def name_of(text: str, what: str) -> str:
    if not text.strip():
        raise ValueError(f"{what}: needs a name")
    return text.strip()


def take(session: Session, command: Take) -> Json:
    """Answered with the name of the new motion; None where nothing was moved."""
    session.described = False
    if command.on:
        if not any(k.kind != "fixed" for k in session.simulation.scene.joints):
            raise ValueError("record: this scene has no joint that moves; add one to the scene file")
        session.take = Taking()
        return None
    if session.take is None:
        raise ValueError("record: nothing is being taken down")
    if session.grabbed is not None:
        session.do(Drop())
    taken, session.take = session.take, None
    keyframes = taken.keyframes(session.simulation.scene)
    if not keyframes:
        session.tell(Notice("info", "Nothing was moved: drag a slider, or a part that has a joint, while recording."))
        return None
    return session.do(AddMotion(command.name, keyframes))


# ---- for the page ----------------------------------------------------------------------------------------------------


def joint_infos(scene: Scene) -> list[JointInfo]:
    found: list[JointInfo] = []
    for joint in scene.joints:
        if is_loose(scene, joint.name):
            continue
        low, high = joint.limits if joint.range is not None else (None, None)
        found.append(JointInfo(joint.name, joint.part, joint.kind, low, high))
    return found


def position_infos(scene: Scene) -> list[PositionInfo]:
    return [
        PositionInfo(name, {joint: numbers(value) for joint, value in scene.position(name).items()})
        for name in scene.positions
    ]


def motion_infos(scene: Scene) -> list[MotionInfo]:
    found: list[MotionInfo] = []
    for motion in scene.motions:
        recorded = bool(motion.tracks)
        moves = [k.part for k in motion.tracks] or list(dict.fromkeys(n for k in motion.keyframes for n in k.joints))
        try:
            times = Course.of(scene, motion).times.tolist()
        except SceneError as error:
            found.append(MotionInfo(motion.name, recorded, moves, [], str(error)))
            continue
        shown = times if not recorded and len(times) <= MOST_KEYFRAMES else [times[0], times[-1]]
        found.append(MotionInfo(motion.name, recorded, moves, shown))
    return found


def numbers(value: Value) -> list[float]:
    return list(value) if isinstance(value, tuple) else [float(value)]


def plain(value: Value) -> float | list[float]:
    """As it stands in a scene file."""
    return list(value) if isinstance(value, tuple) else float(value)


ACTS = {
    Steer: Act(steer),
    Scrub: Act(scrub),
    SetJoints: Act(set_joints, lambda k: f"set {', '.join(k.joints)[:60]}"),
    GoToPosition: Act(go_to_position, lambda k: f"go to {k.name}"),
    GoToTime: Act(go_to_time, lambda k: f"go to {k.seconds:.4g} s of {k.motion}"),
    KeepPosition: Act(keep_position, lambda k: f"keep position {k.name}"),
    RemovePosition: Act(remove_position, lambda k: f"remove position {k.name}"),
    RenamePosition: Act(rename_position, lambda k: f"rename position {k.name}"),
    AddMotion: Act(add_motion, lambda k: f"new motion {k.name}"),
    RemoveMotion: Act(remove_motion, lambda k: f"remove motion {k.name}"),
    RenameMotion: Act(rename_motion, lambda k: f"rename motion {k.name}"),
    Take: Act(take),
}
