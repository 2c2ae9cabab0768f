"""Junctions: the cables they join as if clamped there, and a first guess of where a free one floats."""

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.rods.bodies import matrix
from lissom.rods.feasibility import LEAST_SLACK
from lissom.rods.reading import clips_in_order
from lissom.scene import Cable, Clip, End, Scene
from lissom.scene.frames import matrix_quaternion
from lissom.scene.junction import Junction, Member
from lissom.scene.placing import Poses, member_poses, placed
from lissom.scene.pose import NO_TURN, Pose

Array = NDArray[np.float64]

# A first guess leaves cables this part of their length as slack; less where they do not reach so.
SLACKS = (0.1, 0.05, 0.02, 0.005)
REACHES = 0.001
SWEEPS = 60
# A pose that is said is taken where it leaves cables so many times the least slack they can be solved with.
ENOUGH = 10.0


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


class Tie(NamedTuple):
    """What a member of a junction leads to, one way along its cable."""

    what: "str | Array"  # a junction, or a place in the world
    length: float  # m of cable until there
    seat: Array  # (3,) m: where the member sits on the junction
    far_seat: Array  # (3,) m: where the cable sits on the other one
    member: int
    sense: float  # 1 towards the end of the cable, −1 towards its start

    def reach(self, slack: float) -> float:
        """m from junction to junction at which there is this part of slack, however they are turned."""
        offsets = float(np.linalg.norm(self.seat) + np.linalg.norm(self.far_seat))
        return max((1.0 - slack) * self.length - offsets, 0.0)


def first_poses(scene: Scene, parts: Poses | None) -> dict[str, Pose]:
    """Where junctions are: held ones and those that say so there, free ones guessed from what their cables reach.

    A free one that says its whole pose, as a saved one does, is there if its cables reach.
    """
    cables = {cable.name: placed(scene, cable, parts) for cable in scene.cables}
    said = {k.name: k.pose for k in scene.junctions if k.pose is not None}
    tied = {k.name: ties(k, scene, cables) for k in scene.junctions}
    where = {name: np.array(position) for name, (position, _) in said.items()}
    known: dict[str, Pose] = {}
    for k in scene.junctions:
        if k.name in said and (k.motion == "held" or (k.quaternion is not None and within(said, k, tied[k.name]))):
            known[k.name] = said[k.name]
    for name, ropes in tied.items():
        anchors = [k.what for k in ropes if not isinstance(k.what, str)]
        if name not in where:
            where[name] = np.mean(anchors, axis=0) if anchors else np.zeros(3)
    floating = {k.name: tied[k.name] for k in scene.junctions if k.name not in known and tied[k.name]}
    for slack in SLACKS:
        where |= drawn_together(floating, where, slack)
        if leave_slack(floating, where, REACHES):
            break
    found: dict[str, Pose] = {}
    for junction in scene.junctions:
        if junction.name in known:
            found[junction.name] = known[junction.name]
        else:
            px, py, pz = (float(v) for v in where[junction.name])
            turn = junction.quaternion if junction.position is not None else None
            found[junction.name] = ((px, py, pz), turn or facing(junction, tied[junction.name], where))
    return found


def drawn_together(floating: dict[str, list[Tie]], where: dict[str, Array], slack: float) -> dict[str, Array]:
    """Places of floating junctions at which their cables have this part of slack, or as near to it as it gets."""
    found = dict(where)
    for _ in range(SWEEPS):
        for name, tied in floating.items():
            there = [(found[k.what] if isinstance(k.what, str) else k.what, k.reach(slack)) for k in tied]
            found[name] = np.mean([drawn(found[name], anchor, reach) for anchor, reach in there], axis=0)
    return found


def leave_slack(floating: dict[str, list[Tie]], where: dict[str, Array], slack: float) -> bool:
    """Whether all cables of floating junctions have this part of slack."""
    return all(
        float(np.linalg.norm(where[name] - (where[k.what] if isinstance(k.what, str) else k.what))) <= k.reach(slack)
        for name, tied in floating.items()
        for k in tied
    )


def ties(junction: Junction, scene: Scene, cables: dict[str, Cable]) -> list[Tie]:
    """What the members lead to, both ways: the next thing that holds the cable, and how far that may be."""
    found: list[Tie] = []
    for number, member in enumerate(junction.members):
        cable = cables[member.cable]
        place = member.place(cable.length)
        nowhere = np.zeros(3)
        stops: list[tuple[float, str | Array, Array]] = []
        rings: list[tuple[float, Array]] = []
        for at, end in ((0.0, cable.start), (cable.length, cable.end)):
            if end is not None and end.position is not None:
                stops.append((at, np.array(end.position), nowhere))
        for where, clip in clips_in_order(cable):
            if clip.slides:
                rings.append((where, np.array(clip.position)))
            elif clip.position is not None:
                stops.append((where, np.array(clip.position), nowhere))
        for other in scene.junctions:
            if other is not junction:
                mine = [m for m in other.members if m.cable == member.cable]
                stops += [(m.place(cable.length), other.name, np.array(m.position)) for m in mine]
        for sense in (-1.0, 1.0):
            ahead = [(abs(at - place), what, seat) for at, what, seat in stops if (at - place) * sense > 0.0]
            if ahead:
                length, what, seat = min(ahead, key=lambda k: k[0])
                between = [p for at, p in rings[:: int(sense)] if 0.0 <= (at - place) * sense <= length]
                if between and not isinstance(what, str):  # the cable leads to the first of these, with what is left
                    way = [*between, what]
                    length -= sum(float(np.linalg.norm(b - a)) for a, b in itertools.pairwise(way))
                    what = between[0]
                found.append(Tie(what, length, np.array(member.position), seat, number, sense))
    return found


def within(said: dict[str, Pose], junction: Junction, tied: list[Tie]) -> bool:
    """Whether a junction is where its cables reach to from what they lead to, as far as that is said."""
    for tie in tied:
        there = (tie.what, NO_TURN) if not isinstance(tie.what, str) else said.get(tie.what)
        if there is not None:
            way = seated(said[junction.name], tie.seat) - seated(there, tie.far_seat)
            if float(np.linalg.norm(way)) > (1.0 - ENOUGH * LEAST_SLACK) * tie.length:
                return False
    return True


def seated(pose: "tuple[tuple[float, float, float] | Array, tuple[float, float, float, float]]", seat: Array) -> Array:
    """(3,) m in the world: a seat on a junction with this pose."""
    return np.asarray(np.array(pose[0]) + matrix(np.array(pose[1])) @ seat)


def drawn(y: Array, anchor: Array, reach: float) -> Array:
    """y, drawn towards an anchor until it is within reach."""
    way = y - anchor
    size = float(np.linalg.norm(way))
    return y if size <= reach else anchor + way * (reach / size)


def facing(junction: Junction, tied: list[Tie], where: dict[str, Array]) -> tuple[float, float, float, float]:
    """The rotation that points the members best to where they lead (Wahba's problem)."""
    here = where[junction.name]
    total = 1e-6 * np.eye(3)  # what nothing points to is not turned
    for tie in tied:
        way = tie.sense * ((where[tie.what] if isinstance(tie.what, str) else tie.what) - here)
        size = float(np.linalg.norm(way))
        if size > 0.0:
            total += np.outer(way / size, matrix(np.array(junction.frames[tie.member]))[:, 2])
    u, _, vt = np.linalg.svd(total)
    R = u @ np.diag([1.0, 1.0, float(np.linalg.det(u @ vt))]) @ vt
    return matrix_quaternion(R)
