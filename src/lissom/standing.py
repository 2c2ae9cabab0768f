"""Where the things of a scene stand now: parts, junctions and joints, what was moved, and the supports of the cables.

The scene itself is immutable; what was moved since is kept beside it, until someone asks for the scene as it is now.
"""

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.posing import RotationLike, as_quaternion, from_matrix, vector
from lissom.rods.harness import first_poses, joined, support_name
from lissom.rods.line import FRAME, NO_DIRECTION, Line, Support
from lissom.rods.reading import read_line, retwisted, whole_turns
from lissom.rods.solver import RodSolver
from lissom.scene import Cable, Clip, End, Scene
from lissom.scene.frames import frame_quaternion, twist_between
from lissom.scene.joint import Joint, Value, mixed
from lissom.scene.part import Frame
from lissom.scene.placing import Poses, part_poses, rest_poses
from lissom.scene.pose import Pose, composed, relative

Array = NDArray[np.float64]

GRIP = "grip "  # names of grips among the supports: they are not part of the scene

# A joint turns its part by no more than this (rad) at a time, so that no turn of a clamp on it is lost.
MOST_TURN = 1.0


class Standing:
    """A scene, and where its things stand: what was moved since it was written."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.moves: dict[str, dict[str, Any]] = {}  # path → fields not yet in the scene
        self._framed: Scene | None = None  # one whose clamps on what is free all say their frames
        self._mounts: dict[str, tuple[Cable, Poses, tuple[Support, ...]]] = {}  # supports of cables on these poses
        self._begin()

    def _begin(self) -> None:
        """As the scene has it."""
        self.moved: dict[str, Pose] = {}  # parts that were moved: where they are in the world
        self.told: set[str] = set()  # parts that were moved since the last solve
        self.stood: dict[str, Pose] = {}  # where parts were in the last equilibrium
        self.settings: dict[str, Value] = {}  # joints that were moved
        self.parts = part_poses(self.scene)  # where parts are to be
        self.mounted = rest_poses(self.scene)  # where parts are when cables are mounted on them
        self.junctions = first_poses(self.scene, self.parts)

    def go_on_with(self, scene: Scene) -> bool:
        """Another scene; whether its parts, junctions or joints are others, and stand where it says."""
        before, self.scene = self.scene, scene
        self.moves.clear()
        around = any(getattr(scene, k) != getattr(before, k) for k in ("parts", "junctions", "joints"))
        if around:
            self._begin()
        return around

    def restore(self, scene: Scene, parts: Poses, junctions: Poses, mounted: Poses) -> None:
        """Everything stands as it did in an equilibrium of this scene."""
        self.scene = scene
        self.moves.clear()
        self.parts, self.junctions, self.mounted = dict(parts), dict(junctions), dict(mounted)
        self.moved = {k.name: self.parts[k.name] for k in scene.parts if k.motion == "free"}
        self.settings = {}
        self.told, self.stood = set(), dict(self.parts)

    @property
    def joints(self) -> dict[str, Value]:
        """Where every joint stands: an angle (rad), a length (m), or the rotation vector (rad) of a ball joint."""
        known = self.settings
        return {k.name: k.setting if (value := known.get(k.name)) is None else value for k in self.scene.joints}

    # ---- cables on parts and junctions ---------------------------------------------------------------------------

    def line(self, cable: Cable) -> Line:
        """Mounted where the scene puts the parts, then carried along by what joints and motions did since."""
        line = self._mount(cable)
        now = self.joints
        ways = [(k, k.zero, now[k.name]) for k in self.scene.joints]
        steps = max(1, math.ceil(sum(k.turns(zero, value) for k, zero, value in ways) / MOST_TURN))
        supports = line.supports
        for k in range(1, steps + 1):  # whole turns count
            between = {joint.name: mixed(zero, value, k / steps) for joint, zero, value in ways}
            poses = self.parts if k == steps else part_poses(self.scene, self.moved, between)
            there = self._carried(cable, line.supports, poses)
            if there == supports:
                continue
            turned = (new._replace(turn=old.turn) for new, old in zip(there, supports, strict=True))
            supports = retwisted(tuple(turned))
        return line if supports is line.supports else replace(line, supports=supports)

    def supports(self, cable: Cable) -> tuple[Support, ...]:
        """Of a cable, where parts and junctions have them now; turns and places as mounted."""
        known, on, mounted = self._mounts.get(cable.name, (None, None, ()))
        if known is not cable or on is not self.mounted or self.scene.junctions:
            mounted = self._mount(cable).supports
            self._mounts[cable.name] = (cable, self.mounted, mounted)
        return self._carried(cable, mounted, self.parts)

    def mount_on(self, names: Sequence[str]) -> None:
        """Cables are mounted anew on parts that were put somewhere, and on what moves with those, as they are now."""
        zero = {k.name: k.zero for k in self.scene.joints}
        along = set(names)
        while more := {k.name for k in self.scene.parts if k.parent in along} - along:
            along |= more
        poses = part_poses(self.scene, self.moved, zero)
        self.mounted = self.mounted | {name: poses[name] for name in along}

    def _mount(self, cable: Cable) -> Line:
        return read_line(self.scene, joined(self.scene, cable, self.mounted, self.junctions))

    def _carried(self, cable: Cable, mounted: tuple[Support, ...], poses: Poses) -> tuple[Support, ...]:
        """Supports of a cable where its parts have them in other poses than those they were mounted in."""
        held = cable.held
        found: list[Support] = []
        for support in mounted:
            on = held.get(support.name)
            part = None if on is None else on.on
            if part is not None and self.mounted[part] != poses[part]:
                local = relative(self.mounted[part], (support.position, support.quaternion))
                support = support.moved(*composed(poses[part], local))
            found.append(support)
        return tuple(found)

    # ---- moving --------------------------------------------------------------------------------------------------

    def move_body(
        self,
        name: str,
        position: Sequence[float] | Array | None,
        quaternion: Sequence[float] | RotationLike | None,
        pose: Array | None,
    ) -> None:
        """Moves a part or a junction by hand, changing only what is given."""
        poses = self.parts if name in self.parts else self.junctions
        if name not in poses:
            raise ValueError(f"{name}: only a whole part or junction can be moved; its frames are fixed on it")
        free = {k.name for k in self.scene.parts if k.motion == "free"}
        free |= {k.name for k in self.scene.junctions if k.motion == "free"}
        if name in free:
            raise ValueError(
                f'{name}: motion = "free", the forces on it say where it is; to move it set motion = "held"'
            )
        below = name if name in self.parts else None
        while below is not None and not self.scene.is_machine:
            below = self.scene.part(below).parent
            if below in free:
                raise ValueError(
                    f"{name}: goes along with {below}, which is free: the forces on that say where it is; to put it "
                    f"elsewhere on {below} edit its position there"
                )
        where, frame = poses[name] if pose is None else from_matrix(pose)
        where = where if position is None else vector(position)
        frame = frame if quaternion is None else as_quaternion(quaternion)
        if poses is self.parts:
            self.put(name, (where, frame))
            self.mount_on([name])
            self.told.add(name)
        else:
            poses[name] = (where, frame)
            self.note(name, position=where, quaternion=frame)

    def check_unjoined(self, path: str, support: Support) -> None:
        """An end or clip can be moved unless it is a junction that holds the cable there."""
        name, _, part = path.partition("/")
        cable = self.scene.cable(name)
        if is_grip(support) or cable.held.get(part) is not None:
            return
        for junction in self.scene.junctions:
            for member in junction.members:
                if member.cable == name and support_name(member, junction, cable) == part:
                    raise ValueError(f'{path}: is joined by "{junction.name}", which says its pose: move that instead')

    def put(self, name: str, pose: Pose) -> None:
        """A part is to be there, in the world; what has it as parent goes along."""
        self.moved[name] = pose
        self._place()
        self._say_part(name, pose, next((k for k in self.scene.joints if k.part == name), None))

    def lead(self, new: Mapping[str, Value]) -> Iterator[None]:
        """Moves joints part by part, so that whole turns count: what is clamped has to follow each of them."""
        old = self.joints
        for name, value in new.items():
            self.moved.pop(self.scene.joint(name).part, None)
            self.note(name, value=value)
        way = sum(self.scene.joint(name).turns(old[name], value) for name, value in new.items())
        steps = max(1, math.ceil(way / MOST_TURN))
        for k in range(1, steps + 1):
            self.settings |= new if k == steps else {name: mixed(old[name], new[name], k / steps) for name in new}
            self._place()
            yield

    def take(self, poses: Poses, joints: Mapping[str, Value]) -> None:
        """Parts and joints are where something else moved them."""
        self.settings |= joints
        for name, value in joints.items():
            self.note(name, value=value)
        self.moved |= poses
        self._place()
        on = {k.part: k for k in self.scene.joints}
        for name, pose in poses.items():
            self._say_part(name, pose, on.get(name))

    def settle(self, bodies: Mapping[str, Pose], solvers: Mapping[str, RodSolver], seats: Set[tuple[str, str]]) -> None:
        """Everything stands in an equilibrium, in which free parts and junctions came to rest; `seats` are supports
        on them, as (cable, support).
        """
        self.junctions |= {name: pose for name, pose in bodies.items() if name in self.junctions}
        parts = {name: pose for name, pose in bodies.items() if name in self.parts}
        self.moved |= parts
        self._place()
        if bodies:
            self.mount_on(list(parts))
        self.stood = dict(self.parts)
        self.told.clear()
        for name, (position, quaternion) in bodies.items():  # what is opened begins there
            self.note(name, position=position, quaternion=quaternion)
        if seats and self._framed is not self.scene:
            self._say_rolls(solvers, seats)

    def _say_rolls(self, solvers: Mapping[str, RodSolver], seats: Set[tuple[str, str]]) -> None:
        """Clamps without a roll on what is free, or after such a clamp, keep the frame that they have: counted again
        from where that came to rest, or lies next, they would turn.
        """
        changes: dict[str, Any] = {}
        for cable in self.scene.cables:
            loose, found = False, set()
            for support in solvers[cable.name].supports:
                held = cable.held.get(support.name)
                afloat = (cable.name, support.name) in seats
                if support.direction != FRAME or (held is None and not afloat):
                    continue
                own = held if held is None or held.frame is None else self.scene.part(held.on or "").frames[held.frame]
                path = f"{cable.name}/{support.name}"
                if own is None or own.orientation is not None or "quaternion" in self.moves.get(path, ()):
                    loose = afloat
                    continue
                loose = loose or afloat
                if loose and held is not None:
                    changes |= {f"{path}.{key}": value for key, value in self._framing(held, own, support).items()}
                    found.add(support.name)
            said = {"end": cable.twist, **{clip.name: clip.twist for clip in cable.clips}}
            for path, value in twists(cable, solvers[cable.name].supports).items():
                name = path.partition("/")[2].removesuffix(".twist")
                name = "end" if name == "twist" else name
                if name in found and (said[name] is not None or abs(value) > math.pi):
                    changes[path] = value
        if changes:
            self.scene = self.scene.with_values(changes)
        self._framed = self.scene

    def _framing(self, held: End | Clip, own: End | Clip | Frame, support: Support) -> dict[str, Any]:
        """What says the whole frame of a clamp that said only where it points."""
        position, quaternion = support.position, support.quaternion
        if held.on is not None:
            position, quaternion = relative(self.parts[held.on], (position, quaternion))
        if own is not held:
            return {"frame": None, "position": position, "quaternion": quaternion}
        assert own.direction is not None  # a clamp has one
        return {"roll": twist_between(frame_quaternion(own.direction), quaternion)}

    def poses_with(self, moved: Poses) -> dict[str, Pose]:
        """Where parts would be if these were there."""
        return part_poses(self.scene, {**self.moved, **moved}, self.settings)

    def parts_with(self, bodies: Mapping[str, Pose]) -> dict[str, Pose]:
        """Where parts are with free ones that came to rest elsewhere."""
        free = {name: pose for name, pose in bodies.items() if name in self.parts}
        return self.poses_with(free) if free else dict(self.parts)

    def _place(self) -> None:
        self.parts = part_poses(self.scene, self.moved, self.settings)

    # ---- what the scene is to say --------------------------------------------------------------------------------

    def note(self, path: str, **fields: Any) -> None:
        """The scene as it is now says this of an end, clip, part, junction or joint."""
        self.moves.setdefault(path, {}).update(fields)

    def _say_part(self, name: str, pose: Pose, joint: Joint | None) -> None:
        """Where a part is now becomes what the scene says; `joint` is the one it is on."""
        parent = self.scene.part(name).parent
        said = pose if parent is None else relative(self.parts[parent], pose)
        if joint is not None:  # the scene says where it is with the joint at 0
            value = self.settings.get(joint.name)
            said = joint.moved_back(said, joint.setting if value is None else value)
        self.note(name, position=said[0], quaternion=said[1])

    def written(self, solvers: Mapping[str, RodSolver]) -> Scene:
        """The scene as it is now: from here on it says what was moved."""
        if self.moves:
            changes: dict[str, Any] = {}
            for path, fields in self.moves.items():
                changes |= {f"{path}.{key}": value for key, value in self._said(path, fields, solvers).items()}
                if "quaternion" in fields and "/" in path:
                    name = path.partition("/")[0]
                    changes |= twists(self.scene.cable(name), solvers[name].supports)
            self.scene = self.scene.with_values(changes)
            self.moves.clear()
        return self.scene

    def _said(self, path: str, fields: dict[str, Any], solvers: Mapping[str, RodSolver]) -> dict[str, Any]:
        """What a move means in the scene: in the axes of its part where an end or clip sits on one."""
        name, _, part = path.partition("/")
        if not part or name in self.parts:
            return fields
        held = self.scene.cable(name).held[part]
        if held is None or held.on is None:
            return fields
        support = next(k for k in solvers[name].supports if k.name == part)
        position, quaternion = relative(self.parts[held.on], (support.position, support.quaternion))
        said: dict[str, Any] = {"frame": None, "position": position}
        return said if support.direction == NO_DIRECTION else said | {"quaternion": quaternion}


def is_grip(support: Support) -> bool:
    return support.name.startswith(GRIP)


def twists(cable: Cable, supports: Sequence[Support]) -> dict[str, Any]:
    """The twist of each clamp of a cable as it is now, by path: frames that moved have changed it."""
    found: dict[str, Any] = {}
    before: Support | None = None
    said = {name for name, held in cable.held.items() if held is not None}
    for support in supports:
        if support.direction == FRAME and not is_grip(support):
            # a junction says the frames of its members, and nothing is counted from them
            if before is not None and {support.name, before.name} <= said:
                path = f"{cable.name}/twist" if support.name == "end" else f"{cable.name}/{support.name}.twist"
                framed = twist_between(before.quaternion, support.quaternion)
                found[path] = whole_turns(framed, support.turn - before.turn)  # a grip between them has turned it more
            before = support
    return found
