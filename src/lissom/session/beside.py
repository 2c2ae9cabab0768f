"""Where a copy of a part finds room: beside the part, where no cable runs and no other part stands."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.along import directors
from lissom.scene.pose import Pose, relative
from lissom.scene.sections import SectionProperties
from lissom.scene.shape import PlaneShape
from lissom.session.messages.values import Vec3
from lissom.session.session import Session
from lissom.session.surfaces import surface_of

Box = tuple[NDArray[np.float64], NDArray[np.float64]]
"""The lowest and the highest corner, m."""

ABOVE: Final = (0.0, 0.0, 0.05)
"""m: for what has no size, and for cables."""
GAP: Final = 0.2
"""Of the part's size along the way: how far the copy is from it."""
TRIES: Final = 4
"""So many sizes away it is looked for room."""


def room_beside(session: Session, name: str) -> Vec3:
    """The way from a part to where its copy has room, in the axes that its position is given in, m."""
    scene = session.simulation.scene
    part = scene.part(name)
    own = box_of(session, name)
    if own is None or isinstance(part.shape, PlaneShape):
        return ABOVE
    others = [box for k in scene.parts if not isinstance(k.shape, PlaneShape) and (box := box_of(session, k.name))]
    others += [box for k in session.simulation.cables for box in pieces(session, k)]
    ways = [axis * sign * (1.0 + GAP) * k for k in range(1, TRIES + 1) for sign in (1.0, -1.0) for axis in np.eye(3)]
    offsets = [way * np.maximum(own[1] - own[0], math.ulp(1.0)) for way in ways]
    found = next((k for k in offsets if not any(overlap((own[0] + k, own[1] + k), box) for box in others)), offsets[0])
    x, y, z = found.tolist()
    if part.parent is None:
        return x, y, z
    turn: Pose = ((0.0, 0.0, 0.0), session.simulation.pose(part.parent)[1])
    return relative(turn, ((x, y, z), (1.0, 0.0, 0.0, 0.0)))[0]


def box_of(session: Session, name: str) -> Box | None:
    """Of a part where it stands; None where it has no surface."""
    scene = session.simulation.scene
    vertices = surface_of(scene, scene.part(name))[0]
    if not len(vertices):
        return None
    position, quaternion = session.simulation.pose(name)
    placed = vertices @ directors(np.array([quaternion]))[0].T + np.array(position)
    return placed.min(axis=0), placed.max(axis=0)


def pieces(session: Session, name: str) -> list[Box]:
    """Of a cable, around each two points that follow each other."""
    if not session.simulation.has_shape(name):
        return []
    radius = SectionProperties.of(session.simulation.scene.type_of(name)).radius
    points = session.simulation.cable(name).positions
    a, b = points[:-1], points[1:]
    low, high = np.minimum(a, b) - radius, np.maximum(a, b) + radius
    return list(zip(low, high, strict=True))


def overlap(a: Box, b: Box) -> bool:
    return bool((a[0] < b[1]).all() and (b[0] < a[1]).all())
