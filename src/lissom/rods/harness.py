"""Junctions: the cables they join as if clamped there, and a first guess of where a free one floats."""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.rods.bodies import matrix
from lissom.scene import Cable, Clip, End, Scene
from lissom.scene.junction import Junction, Member
from lissom.scene.placing import Poses, member_poses, placed
from lissom.scene.pose import NO_TURN, Pose

Array = NDArray[np.float64]

# A first guess leaves cables this much slack, if it can.
SLACK = 0.1
SWEEPS = 60


def joined(scene: Scene, cable: Cable, parts: Poses | None, junctions: Poses) -> Cable:
    """The cable in the world, clamped where junctions hold it."""
    cable = placed(scene, cable, parts)
    clips = list(cable.clips)
    ends: dict[str, End] = {}
    for junction in scene.junctions:
        poses = member_poses(junction, junctions[junction.name])
        for member, (position, quaternion) in zip(junction.members, poses, strict=True):
            if member.cable != cable.name:
                continue
            end = member.end(cable.length)
            if end is None:
                place = member.place(cable.length)
                name = junction.name
                clips.append(Clip(name=name, kind="clamp", from_start=place, position=position, quaternion=quaternion))
            else:
                ends[end] = End(kind="clamp", position=position, quaternion=quaternion)
    if not ends and len(clips) == len(cable.clips):
        return cable
    return cable.model_copy(update={**ends, "clips": tuple(clips)})


def support_name(member: Member, junction: Junction, cable: Cable) -> str:
    return member.end(cable.length) or junction.name


def first_poses(scene: Scene, parts: Poses | None) -> dict[str, Pose]:
    """Where junctions are: held ones and those that say so there, free ones guessed from what their cables reach.

    A free one that says its whole pose, as a saved one does, is there if its cables reach.
    """
    cables = {cable.name: placed(scene, cable, parts) for cable in scene.cables}
    known = {k.name: k.pose for k in scene.junctions if k.pose is not None and k.motion == "held"}
    tied = {k.name: ties(k, scene, cables) for k in scene.junctions}
    where = {k.name: np.array(k.position) for k in scene.junctions if k.position is not None}
    said = [k for k in scene.junctions if k.quaternion is not None and within(where, k, tied[k.name])]
    known |= {k.name: k.pose for k in said if k.pose is not None}
    for name, ropes in tied.items():
        anchors = [anchor for anchor, _, _ in ropes if not isinstance(anchor, str)]
        if name not in where:
            where[name] = np.mean(anchors, axis=0) if anchors else np.zeros(3)
    for _ in range(SWEEPS):
        for junction in scene.junctions:
            if junction.name in known or not tied[junction.name]:
                continue
            y = where[junction.name]
            where[junction.name] = np.mean(
                [drawn(y, where[a] if isinstance(a, str) else a, reach) for a, reach, _ in tied[junction.name]], axis=0
            )
    found: dict[str, Pose] = {}
    for junction in scene.junctions:
        if junction.name in known:
            found[junction.name] = known[junction.name] or ((0.0, 0.0, 0.0), NO_TURN)
        else:
            px, py, pz = (float(v) for v in where[junction.name])
            turn = junction.quaternion if junction.position is not None else None
            found[junction.name] = ((px, py, pz), turn or facing(junction, tied[junction.name], where))
    return found


Tie = tuple[
    "str | Array", float, tuple[int, float]
]  # (junction or place at the other end, reach in m, (member, sense))


def ties(junction: Junction, scene: Scene, cables: dict[str, Cable]) -> list[Tie]:
    """What the members lead to, both ways: the next thing that holds the cable, and how far that may be."""
    found: list[Tie] = []
    for number, member in enumerate(junction.members):
        cable = cables[member.cable]
        place = member.place(cable.length)
        stops: list[tuple[float, str | Array]] = []
        for at, end in ((0.0, cable.start), (cable.length, cable.end)):
            if end is not None and end.position is not None:
                stops.append((at, np.array(end.position)))
        for clip in cable.clips:
            where = clip.place(cable.length)
            if where is not None and clip.position is not None:
                stops.append((where, np.array(clip.position)))
        for other in scene.junctions:
            if other is not junction:
                stops += [(m.place(cable.length), other.name) for m in other.members if m.cable == member.cable]
        for sense in (-1.0, 1.0):
            ahead = [(abs(at - place), what) for at, what in stops if (at - place) * sense > 0.0]
            if ahead:
                length, what = min(ahead, key=lambda k: k[0])
                found.append((what, (1.0 - SLACK) * length, (number, sense)))
    return found


def within(where: dict[str, Array], junction: Junction, tied: list[Tie]) -> bool:
    """Whether a junction is where its cables reach to from what they lead to, as far as that is said."""
    here = where.get(junction.name)
    if here is None:
        return False
    ends = [(where.get(k) if isinstance(k, str) else k, reach / (1.0 - SLACK)) for k, reach, _ in tied]
    return all(end is None or float(np.linalg.norm(here - end)) <= length for end, length in ends)


def drawn(y: Array, anchor: Array, reach: float) -> Array:
    """y, drawn towards an anchor until it is within reach."""
    way = y - anchor
    size = float(np.linalg.norm(way))
    return y if size <= reach else anchor + way * (reach / size)


def facing(junction: Junction, tied: list[Tie], where: dict[str, Array]) -> tuple[float, float, float, float]:
    """The rotation that points the members best to where they lead (Wahba's problem)."""
    here = where[junction.name]
    total = 1e-6 * np.eye(3)  # what nothing points to is not turned
    for what, _, (number, sense) in tied:
        way = sense * ((where[what] if isinstance(what, str) else what) - here)
        size = float(np.linalg.norm(way))
        if size > 0.0:
            total += np.outer(way / size, matrix(np.array(junction.frames[number]))[:, 2])
    u, _, vt = np.linalg.svd(total)
    R = u @ np.diag([1.0, 1.0, float(np.linalg.det(u @ vt))]) @ vt
    return quaternion_of(R)


def quaternion_of(R: Array) -> tuple[float, float, float, float]:
    """(w, x, y, z) of a rotation matrix: the largest component first, nothing cancels."""
    squares = [1 + R[0, 0] + R[1, 1] + R[2, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2]]
    squares += [1 - R[0, 0] + R[1, 1] - R[2, 2], 1 - R[0, 0] - R[1, 1] + R[2, 2]]
    k = int(np.argmax(squares))
    s = 2.0 * math.sqrt(float(squares[k]))
    rows = (
        (0.25 * s, (R[2, 1] - R[1, 2]) / s, (R[0, 2] - R[2, 0]) / s, (R[1, 0] - R[0, 1]) / s),
        ((R[2, 1] - R[1, 2]) / s, 0.25 * s, (R[0, 1] + R[1, 0]) / s, (R[0, 2] + R[2, 0]) / s),
        ((R[0, 2] - R[2, 0]) / s, (R[0, 1] + R[1, 0]) / s, 0.25 * s, (R[1, 2] + R[2, 1]) / s),
        ((R[1, 0] - R[0, 1]) / s, (R[0, 2] + R[2, 0]) / s, (R[1, 2] + R[2, 1]) / s, 0.25 * s),
    )
    w, x, y, z = (float(v) for v in rows[k])
    return (w, x, y, z)
