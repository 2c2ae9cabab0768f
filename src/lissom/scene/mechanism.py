"""What must hold between joints, parts, positions and motions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom.scene.described import Slip
from lissom.scene.errors import ABSENT
from lissom.scene.fields import suggestion

if TYPE_CHECKING:
    from lissom.scene.joint import Joint
    from lissom.scene.scene import Scene


def mechanism_slips(scene: Scene) -> list[Slip]:
    """A tree of parts: every part hangs on one other, by at most one joint."""
    joints = {joint.name: joint for joint in scene.joints}
    slips = _joint_slips(scene)
    for name, settings in scene.positions.items():
        slips += _setting_slips(joints, settings, ("positions", name))
    for i, motion in enumerate(scene.motions):
        for k, frame in enumerate(motion.keyframes):
            where = ("motions", i, "keyframes", k, "joints")
            slips += _setting_slips(joints, frame.joints, where)
            if not frame.joints:
                slips.append((where, frame.joints, "must name at least one joint, or leave the keyframe out"))
        slips += _track_slips(scene, i)
    return slips


def _joint_slips(scene: Scene) -> list[Slip]:
    parts = {part.name: part for part in scene.parts}
    moved: dict[str, str] = {}
    slips: list[Slip] = []
    for i, joint in enumerate(scene.joints):
        part = parts.get(joint.part)
        if part is None:
            slips.append(
                (("joints", i, "part"), joint.part, f"there is no part of this name{suggestion(joint.part, parts)}")
            )
        elif joint.part in moved:
            message = (
                f"is moved by the joint {moved[joint.part]} already, and a second one would close a loop, which is not "
                "supported: put another part between them (a part without shape) and make it the parent of this one"
            )
            slips.append((("joints", i, "part"), joint.part, message))
        moved.setdefault(joint.part, joint.name)
        if part is not None and part.motion != "free":
            slips += _force_slips(joint, i)
    for i, part in enumerate(scene.parts):
        if part.motion == "free" and part.parent is not None and part.name not in moved:
            message = (
                'must be left out: a free part moves by itself; motion = "fixed" moves it with its parent, and a joint '
                "lets it move against it"
            )
            slips.append((("parts", i, "parent"), part.parent, message))
    return slips


def _force_slips(joint: Joint, number: int) -> list[Slip]:
    """Only what is free follows forces."""
    message = 'must be left out: it needs a part with motion = "free"; others stand where the joint says'
    given = {"motor": joint.motor, "spring": joint.spring, "friction": joint.friction or None}
    return [(("joints", number, key), ABSENT, message) for key, value in given.items() if value is not None]


def _setting_slips(joints: dict[str, Joint], settings: dict[str, Any], where: tuple[str | int, ...]) -> list[Slip]:
    slips: list[Slip] = []
    for name, said in settings.items():
        joint = joints.get(name)
        if joint is None:
            slips.append(((*where, name), said, f"there is no joint of this name{suggestion(name, joints)}"))
        else:
            joint._checked(said, (*where, name), slips)
    return slips


def _track_slips(scene: Scene, number: int) -> list[Slip]:
    parts = {part.name: part for part in scene.parts}
    driven = {joint.part for joint in scene.joints}
    slips: list[Slip] = []
    for k, track in enumerate(scene.motions[number].tracks):
        where = ("motions", number, "tracks", k, "part")
        if track.part not in parts:
            slips.append((where, track.part, f"there is no part of this name{suggestion(track.part, parts)}"))
        elif parts[track.part].motion == "free":
            slips.append((where, track.part, 'must not be free: a recorded motion says where it is; motion = "driven"'))
        elif track.part in driven:
            slips.append((where, track.part, "must not be moved by a joint as well: record the joint, or take it out"))
        elif track.part in [t.part for t in scene.motions[number].tracks[:k]]:
            slips.append((where, track.part, "must have one track in a motion"))
    return slips
