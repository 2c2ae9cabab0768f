"""Several things dragged as one: where each is, seen from the one that the pointer has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lissom.rods.line import NO_DIRECTION
from lissom.scene.pose import Pose, composed, relative
from lissom.session.messages.values import Vec3, Vec4
from lissom.session.session import Session

NO_TURN: Final = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Member:
    """A thing that is moved along; what sits on it is not one, it follows by itself."""

    path: str
    local: Pose  # in the axes of the group
    turns: bool  # whether it has a direction


@dataclass(frozen=True, slots=True)
class Group:
    """Things that keep their places relative to each other."""

    members: tuple[Member, ...]

    def moves(self, pose: Pose) -> Iterator[tuple[str, Vec3, Vec4 | None]]:
        """Where each is to be when the group is there."""
        for member in self.members:
            position, quaternion = composed(pose, member.local)
            yield member.path, position, quaternion if member.turns else None


def group_of(session: Session, axes: Pose, paths: Sequence[str]) -> Group:
    """Parts, junctions, ends and clips (paths as they are held), in these axes; each once."""
    chosen = dict.fromkeys(paths)
    members: list[Member] = []
    for path in chosen:
        if any(k in chosen for k in carriers(session, path)):
            continue
        position, quaternion = pose_of(session, path)
        local = relative(axes, (position, quaternion or NO_TURN))
        members.append(Member(path, local, quaternion is not None))
    return Group(tuple(members))


def carriers(session: Session, path: str) -> Iterator[str]:
    """The parts that take a thing along when they move."""
    scene = session.simulation.scene
    name, _, held = path.partition("/")
    if held:
        support = scene.cable(name).held.get(held)
        on = None if support is None else support.on
    else:
        on = next((k.parent for k in scene.parts if k.name == name), None)
    while on is not None:
        yield on
        on = scene.part(on).parent


def pose_of(session: Session, path: str) -> tuple[Vec3, Vec4 | None]:
    """Of a part, a junction or a support; without a direction where it holds none."""
    name, _, part = path.partition("/")
    if not part:
        return session.simulation.pose(name)
    support = next(k for k in session.simulation.supports(name) if k.name == part)
    return support.position, None if support.direction == NO_DIRECTION else support.quaternion
