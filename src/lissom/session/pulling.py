"""Dragging a part that has a joint: the joint goes where the point that was taken comes nearest to the pointer."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lissom.scene import Scene
from lissom.scene.frames import Quaternion, conjugate, cross, normalized, product, smallest_rotation, unit
from lissom.scene.joint import Joint, Value
from lissom.scene.pose import NO_TURN, Pose, turned
from lissom.session.messages.values import Vec3, Vec4
from lissom.simulation import Simulation

TURNED = 1e-6
"""rad: a wanted orientation that differs by less is not a turn."""
ON_AXIS = 1e-6
"""m: a point nearer to the axis than this does not tell an angle."""


@dataclass(frozen=True, slots=True)
class Pull:
    """A part taken by a point of it."""

    joint: Joint
    value: Value  # when it was taken
    pose: Pose  # of the part then
    touched: Vec3  # the point, in the world
    parent: Pose

    @classmethod
    def of(cls, simulation: Simulation, scene: Scene, part: str, touched: Vec3 | None) -> Pull | None:
        """None where nothing but the hand moves the part."""
        joint = next((k for k in scene.joints if k.part == part and k.kind != "fixed"), None)
        if joint is None:
            return None
        pose, parent = simulation.pose(part), scene.part(part).parent
        outer = ((0.0, 0.0, 0.0), NO_TURN) if parent is None else simulation.pose(parent)
        return cls(joint, simulation.joints[joint.name], pose, touched or pose[0], outer)

    def to(self, position: Vec3, quaternion: Vec4 | None, now: Value) -> tuple[Value, str]:
        """The value for where the part's origin is wanted, on the turn nearest to `now`; and what stops it there."""
        by = minus(position, self.pose[0])
        turn = NO_TURN if quaternion is None else product(quaternion, conjugate(self.pose[1]))
        found: Value
        if self.joint.kind == "slide":
            found = number(self.value) + dot(by, self.axis)
        elif self.joint.kind == "hinge":
            angle = number(self.value) + self.angle(by, turn)
            found = angle + 2.0 * math.pi * round((number(now) - angle) / (2.0 * math.pi))
        else:
            found = self.rotation(by, turn)
        value, end = self.within(found)
        return value, end or self.unmoved(by, turn)

    def unmoved(self, by: Vec3, turn: Quaternion) -> str:
        """Why a pull does not tell a turn: the part was taken where its joint keeps it."""
        a = minus(self.touched, self.origin)
        arm = across(a, self.axis) if self.joint.kind == "hinge" else a
        if self.joint.kind == "slide" or turns(turn) or math.hypot(*arm) >= ON_AXIS or math.hypot(*by) < ON_AXIS:
            return ""
        return f"{self.joint.part} turns about {self.joint.name}: take it beside its axis, or turn it"

    @property
    def axis(self) -> Vec3:
        return turned(self.parent[1], unit(self.joint.axis or (0.0, 0.0, 1.0)))

    @property
    def origin(self) -> Vec3:
        x, o = self.parent[0], turned(self.parent[1], self.joint.origin)
        return (x[0] + o[0], x[1] + o[1], x[2] + o[2])

    def angle(self, by: Vec3, turn: Quaternion) -> float:
        """Of a hinge: the turn that is wanted about its axis, or that takes the point nearest to where it is wanted."""
        if turns(turn):
            return 2.0 * math.atan2(dot(turn[1:], self.axis), turn[0])
        a = across(minus(self.touched, self.origin), self.axis)
        b = across(plus(minus(self.touched, self.origin), by), self.axis)
        if min(math.hypot(*a), math.hypot(*b)) < ON_AXIS:
            return 0.0
        return math.atan2(dot(cross(a, b), self.axis), dot(a, b))

    def rotation(self, by: Vec3, turn: Quaternion) -> Value:
        """Of a ball joint, as a rotation vector in the axes of the parent."""
        if not turns(turn):
            a = minus(self.touched, self.origin)
            b = plus(a, by)
            apart = min(math.hypot(*a), math.hypot(*b)) >= ON_AXIS
            turn = (smallest_rotation(unit(a), unit(b)) if apart else None) or NO_TURN
        q = self.parent[1]
        inside = product(conjugate(q), product(turn, q))
        w, x, y, z = normalized(product(inside, self.joint.moved((self.joint.origin, NO_TURN), self.value)[1]))
        sign, sine = math.copysign(1.0, w), math.hypot(x, y, z)
        if sine < TURNED:
            return (0.0, 0.0, 0.0)
        angle = 2.0 * math.atan2(sine, abs(w)) * sign / sine
        return (angle * x, angle * y, angle * z)

    def within(self, value: Value) -> tuple[Value, str]:
        """Inside the range of the joint; and which end of it stops the part."""
        low, high = self.joint.limits
        if isinstance(value, tuple):
            size = math.hypot(*value)
            if size <= high:
                return value, ""
            x, y, z = (k * high / size for k in value)
            return (x, y, z), self.stops(high)
        end = min(max(value, low), high)
        return end, "" if end == value else self.stops(end)

    def stops(self, end: float) -> str:
        return f"{self.joint.name} ends at {self.joint.said(end)}"


def turns(turn: Quaternion) -> bool:
    return 2.0 * math.acos(min(1.0, abs(turn[0]))) > TURNED


def number(value: Value) -> float:
    return 0.0 if isinstance(value, tuple) else float(value)


def dot(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    return sum(p * q for p, q in zip(a, b, strict=True))


def plus(a: Vec3, b: Vec3) -> Vec3:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def minus(a: Vec3, b: Vec3) -> Vec3:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def across(v: Vec3, axis: Vec3) -> Vec3:
    """What of a vector is square to an axis."""
    s = dot(v, axis)
    return (v[0] - s * axis[0], v[1] - s * axis[1], v[2] - s * axis[2])
