"""From a scene and what is handed out of it to the case that the judge hears."""

from collections.abc import Mapping, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from lissom.assembling import floats, radius, root
from lissom.geometry.solids import Solid
from lissom.rods.harness import support_name
from lissom.rods.judge.balance import Body
from lissom.rods.judge.certificate import Certificate
from lissom.rods.judge.pressing import Stretches, Thing, Touch
from lissom.rods.judge.verdict import Case, Given, Judge
from lissom.rods.judge.winding import Since
from lissom.rods.line import FRAME, Support
from lissom.rods.result import CableResult, rotations
from lissom.scene import Cable, Scene, SectionProperties
from lissom.scene.junction import Junction
from lissom.scene.part import Part
from lissom.scene.placing import Poses, member_poses
from lissom.scene.pose import Pose, composed

Array = NDArray[np.float64]
Seats = dict[tuple[str, str], tuple[str, Pose]]  # (cable, support) → the free body it sits on, and its pose there

SAME_RADIUS = 1e-6  # of the radius


class Hearing:
    """Knows what a scene asks for besides its lines; made anew for another scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._judge = Judge()
        self._radius = {cable.name: radius(scene, cable.name) for cable in scene.cables}
        self._stretches = {cable.name: thick_stretches(scene, cable) for cable in scene.cables}
        self.thickness = {name: told(self._radius[name], found) for name, found in self._stretches.items()}
        self._held = {cable.name: cable.held for cable in scene.cables}
        self._free = [part for part in scene.parts if floats(scene, part)]
        self._family = {part.name: {k.name for k in scene.parts if root(scene, k) == part.name} for part in self._free}
        self._joints = [k for k in scene.junctions if k.motion == "free"]
        self._joined = self._seats()

    def verdict(
        self,
        results: Mapping[str, CableResult],
        asked: Mapping[str, tuple[Support, ...]],
        seated: Seats,
        contacts: Sequence[Touch],
        solids: Mapping[str, Solid],
        parts: Poses,
        junctions: Poses,
        since: Mapping[str, Since | None],
        anew: Set[str],
    ) -> dict[str, Certificate]:
        """Of cables that were solved: `asked` where their supports are to be, `seated` those on free parts; and where
        all else is handed out to be; `since`: from which shapes turns are counted; `anew`: what was laid anew.
        """
        seats = self.seats(seated)
        poses = {**parts, **junctions}
        cables = {
            name: self._given(self.scene.cable(name), result, asked[name], seats, poses, since.get(name), name in anew)
            for name, result in results.items()
        }
        things = {name: self._thing(name, solid, parts[name]) for name, solid in solids.items()} if solids else {}
        return self._judge.verdict(Case(cables, things, self._bodies(seats, poses), contacts))

    def seats(self, seated: Seats) -> Seats:
        """Of all supports on what is free: `seated` those on parts, and those on junctions."""
        return seated | self._joined

    def _given(
        self,
        cable: Cable,
        result: CableResult,
        asked: tuple[Support, ...],
        seats: Seats,
        poses: Poses,
        since: Since | None,
        is_anew: bool,
    ) -> Given:
        line, held = result._line, self._held[cable.name]
        supports = tuple(on_body(k, seats.get((cable.name, k.name)), poses) for k in asked) if seats else asked
        mounts = []
        for number, support in enumerate(supports):
            on = held.get(support.name)
            if on is not None and on.on is not None:
                mounts.append((on.on, number))
        places = np.array([k.place for k in line.supports])
        afloat = frozenset(k for k, support in enumerate(supports) if (cable.name, support.name) in seats)
        return Given(
            line, supports, result.answer, result.wrenches, places, self._radius[cable.name],
            self._stretches[cable.name], cable.collide,
            cable.friction, frozenset(cable.ignore), tuple(mounts), afloat, since, is_anew,
        )  # fmt: skip

    def _seats(self) -> Seats:
        """Supports that free junctions hold, and where they sit on them."""
        found: Seats = {}
        for junction in self._joints:
            for member, pose in zip(junction.members, member_poses(junction), strict=True):
                name = support_name(member, junction, self.scene.cable(member.cable))
                found[member.cable, name] = junction.name, pose
        return found

    def _thing(self, name: str, solid: Solid, pose: Pose) -> Thing:
        turn = rotations(np.array([pose[1]]))[0]
        return Thing(name, solid, np.ascontiguousarray(turn), np.array(pose[0]), self.scene.part(name).friction)

    def _bodies(self, seats: Seats, poses: Poses) -> list[Body]:
        gravity = np.array(self.scene.gravity)
        found: list[Body] = []
        things: list[Junction | Part] = [*self._joints, *self._free]
        for thing in things:
            origin, turn = (np.array(v) for v in poses[thing.name])
            centre = np.array(getattr(thing, "center_of_mass", None) or (0.0, 0.0, 0.0))
            mine = tuple(key for key, (body, _) in seats.items() if body == thing.name)
            family = frozenset(self._family.get(thing.name, ()))
            at = origin + rotations(turn[None])[0] @ centre
            found.append(Body(thing.name, origin, at, (thing.mass or 0.0) * gravity, mine, family))
        return found


def on_body(support: Support, seat: tuple[str, Pose] | None, poses: Poses) -> Support:
    """A support where the body it sits on has it."""
    if seat is None:
        return support
    position, quaternion = composed(poses[seat[0]], seat[1])
    return support.moved(position, quaternion if support.direction == FRAME else support.quaternion)


def thick_stretches(scene: Scene, cable: Cable) -> Stretches:
    """(from, to, radius) of those that are thicker or thinner than the cable, where it touches anything."""
    own = radius(scene, cable.name)
    found = []
    for stretch in cable.stretches if cable.collide else ():
        there = SectionProperties.of(scene.named_type(stretch.type)).radius
        if abs(there - own) > SAME_RADIUS * own:
            found.append((stretch.from_, stretch.to, there))
    return tuple(found)


def told(own: float, stretches: Stretches) -> tuple[str, ...]:
    """What is to be said of stretches with another radius: the cable touches with one."""
    return tuple(
        f"it touches with its own radius, {1000.0 * own:.3g} mm, from {start:.3g} to {end:.3g} of its length too, "
        f"where it has {1000.0 * there:.3g} mm: nothing is certified that touches there"
        for start, end, there in stretches
    )
