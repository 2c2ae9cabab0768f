"""Which way something points: a tangent with a roll, or a quaternion. One rule for ends, clips, parts and members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from lissom.scene.frames import (
    Quaternion,
    Vec3,
    conjugate,
    cross,
    director,
    frame_quaternion,
    normalized,
    product,
    unit,
)

if TYPE_CHECKING:
    from lissom.scene.described import Slip

Pose = tuple[Vec3, Quaternion]
"""Where the origin lies, and the unit quaternion that turns (x, y, z) onto the axes."""

NO_TURN: Final[Quaternion] = (1.0, 0.0, 0.0, 0.0)


class Pointing(Protocol):
    """Anything with these three fields."""

    @property
    def tangent(self) -> Vec3 | None: ...
    @property
    def roll(self) -> float | None: ...
    @property
    def quaternion(self) -> Quaternion | None: ...


def direction_of(thing: Pointing) -> Vec3 | None:
    """The unit tangent, or None."""
    if thing.quaternion is not None:
        return unit(director(normalized(thing.quaternion), 3))
    return None if thing.tangent is None else unit(thing.tangent)


def orientation_of(thing: Pointing) -> Quaternion | None:
    """The unit quaternion of the whole frame, or None if the roll is not said."""
    if thing.quaternion is not None:
        return normalized(thing.quaternion)
    if thing.tangent is None or thing.roll is None:
        return None
    return frame_quaternion(thing.tangent, thing.roll)


def pointing_slips(thing: Pointing) -> list[Slip]:
    """One way to say the orientation, and a roll only about a tangent."""
    slips: list[Slip] = []
    if thing.tangent is not None and thing.quaternion is not None:
        slips.append((("quaternion",), thing.quaternion, "must not be given together with tangent: keep one of them"))
    if thing.roll is not None and thing.tangent is None:
        slips.append((("roll",), thing.roll, "needs tangent; a quaternion already holds the whole frame"))
    return slips


def turned(q: Quaternion, v: Vec3) -> Vec3:
    """``v`` turned by the unit quaternion ``q``: v + 2w(u×v) + 2u×(u×v), u the vector part."""
    u = (q[1], q[2], q[3])
    a = cross(u, v)
    b = cross(u, a)
    return (
        v[0] + 2.0 * (q[0] * a[0] + b[0]),
        v[1] + 2.0 * (q[0] * a[1] + b[1]),
        v[2] + 2.0 * (q[0] * a[2] + b[2]),
    )


def composed(outer: Pose, inner: Pose) -> Pose:
    """The pose ``inner``, given in the axes of ``outer``, in the axes that ``outer`` is given in."""
    x, q = outer
    y = turned(q, inner[0])
    return (x[0] + y[0], x[1] + y[1], x[2] + y[2]), normalized(product(q, inner[1]))


def relative(outer: Pose, pose: Pose) -> Pose:
    """The inverse: ``pose`` in the axes of ``outer``."""
    back = conjugate(outer[1])
    x, y = outer[0], pose[0]
    return turned(back, (y[0] - x[0], y[1] - x[1], y[2] - x[2])), normalized(product(back, pose[1]))
