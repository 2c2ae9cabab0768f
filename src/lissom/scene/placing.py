"""Where things on parts are in the world: parts with their parents, and the ends and clips mounted on them.

In a scene an end may say where it is in the axes of a part. The mechanics wants the world: :func:`placed` gives the
same cable with every ``on`` and ``frame`` resolved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from lissom.scene.frames import normalized, unit
from lissom.scene.pose import NO_TURN, Pose, composed, relative, turned

if TYPE_CHECKING:
    from lissom.scene.cable import Cable, Clip, End
    from lissom.scene.fields import Vec3, Vec4
    from lissom.scene.joint import Value
    from lissom.scene.junction import Junction
    from lissom.scene.part import Frame, Part
    from lissom.scene.scene import Scene

    Held = TypeVar("Held", End, Clip)
    Parts = Mapping[str, Part]

Poses = Mapping[str, Pose]
"""Position (m) and unit quaternion (w, x, y, z) in the world of every part, by name."""


def part_poses(
    scene: Scene, moved: Poses | None = None, settings: Mapping[str, Value] | None = None
) -> dict[str, Pose]:
    """The pose of every part in the world. Parts in ``moved`` are where that says, and their children go with them.

    Joints stand as ``settings`` say, others as the scene says.
    """
    parts = {part.name: part for part in scene.parts}
    joints = {joint.part: joint for joint in scene.joints}
    found: dict[str, Pose] = {}
    for name in parts:
        chain: list[Part] = []
        above: str | None = name
        while above is not None and above not in found:
            part = parts[above]
            if moved is not None and above in moved:
                found[above] = (moved[above][0], normalized(moved[above][1]))
                break
            chain.append(part)
            above = part.parent  # validated: there is one, and no cycle
        for part in reversed(chain):
            pose, joint = part.pose, joints.get(part.name)
            if joint is not None:
                value = None if settings is None else settings.get(joint.name)
                pose = joint.moved(pose, joint.setting if value is None else value)
            found[part.name] = pose if part.parent is None else composed(found[part.parent], pose)
    return {name: found[name] for name in parts}


def rest_poses(scene: Scene) -> dict[str, Pose]:
    """Where the scene puts the parts: every joint at 0. Cables are mounted on them there."""
    return part_poses(scene, settings={joint.name: joint.zero for joint in scene.joints})


def placed(scene: Scene, cable: Cable, poses: Poses | None = None) -> Cable:
    """The cable with its ends and clips in the world: without ``on`` and ``frame``, of the same kinds.

    ``poses`` are those of :func:`part_poses`, where parts have moved. A tangent without a roll stays one, so that the
    clamp is mounted untwisted on the clamp before it; with a roll it becomes a quaternion.
    """
    held = (cable.start, cable.end, *cable.clips)
    if all(support is None or support.on is None for support in held):
        return cable
    if poses is None:
        poses = part_poses(scene)
    parts = {part.name: part for part in scene.parts}
    return cable.model_copy(
        update={
            "start": None if cable.start is None else _in_world(cable.start, parts, poses),
            "end": None if cable.end is None else _in_world(cable.end, parts, poses),
            "clips": tuple(_in_world(clip, parts, poses) for clip in cable.clips),
        }
    )


def _in_world(held: Held, parts: Parts, poses: Poses) -> Held:
    if held.on is None:
        return held
    local: End | Clip | Frame = held
    if held.frame is not None:
        local = parts[held.on].frames[held.frame]
    assert local.position is not None  # validated: without a frame it has a position
    pose = poses[held.on]
    x, _ = composed(pose, (local.position, NO_TURN))
    tangent: Vec3 | None = None
    quaternion: Vec4 | None = None
    if held.kind in ("clamp", "swivel", "sleeve"):  # the others may sit on a frame, but do not follow its direction
        if local.orientation is not None:
            _, quaternion = composed(pose, (x, local.orientation))
        elif local.direction is not None:
            tangent = unit(turned(pose[1], local.direction))
    said = {"position": x, "tangent": tangent, "roll": None, "quaternion": quaternion, "on": None, "frame": None}
    return held.model_copy(update=said)


def with_kinds(scene: Scene) -> tuple[Cable, ...]:
    """The cables, with the kind of every end and clip that sits on a frame and does not say one.

    A frame with a direction makes a clamp, one with only a position a ball joint, as on the cable itself.
    """
    parts = {part.name: part for part in scene.parts}
    return tuple(_with_kinds(cable, parts) for cable in scene.cables)


def _with_kinds(cable: Cable, parts: Parts) -> Cable:
    ends = {key: _with_kind(end, parts) for key in ("start", "end") if (end := getattr(cable, key)) is not None}
    clips = tuple(_with_kind(clip, parts) for clip in cable.clips)
    changed: dict[str, object] = {key: end for key, end in ends.items() if end is not getattr(cable, key)}
    if any(new is not old for new, old in zip(clips, cable.clips, strict=True)):
        changed["clips"] = clips
    return cable.model_copy(update=changed) if changed else cable


def _with_kind(held: Held, parts: Parts) -> Held:
    if held.on is None or held.frame is None or "kind" in held.model_fields_set:
        return held
    kind = "ball" if parts[held.on].frames[held.frame].direction is None else "clamp"
    if kind == held.kind:
        return held
    new = held.model_copy(update={"kind": kind})
    new.model_fields_set.discard("kind")  # it was not said, and is not written
    return new


def mounts(scene: Scene, cable: Cable) -> list[tuple[str, float | None]]:
    """On which parts the cable is mounted, and where along it (m from its start), in no particular order.

    The place of a ring or sleeve is only a first guess, and None if it is not said.
    """
    found: list[tuple[str, float | None]] = []
    if cable.start is not None and cable.start.on is not None:
        found.append((cable.start.on, 0.0))
    if cable.end is not None and cable.end.on is not None:
        found.append((cable.end.on, cable.length))
    found += [(clip.on, clip.place(cable.length)) for clip in cable.clips if clip.on is not None]
    return found


def local_pose(scene: Scene, part: str, position: Vec3, quaternion: Vec4, poses: Poses | None = None) -> Pose:
    """A pose given in the world, in the axes of a part: what to write for an end that was moved."""
    found = part_poses(scene) if poses is None else poses
    return relative(found[scene.part(part).name], (position, normalized(quaternion)))


def world_pose(scene: Scene, part: str, position: Vec3, quaternion: Vec4, poses: Poses | None = None) -> Pose:
    """The inverse: a pose given in the axes of a part, in the world."""
    found = part_poses(scene) if poses is None else poses
    return composed(found[scene.part(part).name], (position, normalized(quaternion)))


def member_poses(junction: Junction, pose: Pose | None = None) -> tuple[Pose, ...]:
    """The pose of each member's cable at the junction: in the world with the ``pose`` of a junction, else in its axes.

    For a held junction ``pose`` is ``junction.pose``.
    """
    outer = pose or ((0.0, 0.0, 0.0), NO_TURN)
    return tuple(
        composed(outer, (member.position, q)) for member, q in zip(junction.members, junction.frames, strict=True)
    )
