"""Masses and inertias of parts, and of the bodies that parts with a common parent make."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.scene.part import Part
from lissom.scene.shape import (
    BoxShape,
    CapsuleShape,
    CylinderShape,
    ProfileShape,
    SphereShape,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Heft:
    """Mass (kg), centre of mass (3,) and inertia (3, 3) about it, in the axes of whoever asks."""

    mass: float
    centre: Array
    inertia: Array

    def moved(self, offset: Array, turn: Array) -> "Heft":
        """In the axes of a carrier, in which these axes lie at `offset`, turned by the matrix `turn`."""
        return Heft(self.mass, offset + turn @ self.centre, turn @ self.inertia @ turn.T)


def heft_of(part: Part) -> Heft:
    """Of a part alone, in its own axes. A part without shape and inertia is a point: nothing turns it."""
    volume, unit = _filled(part)
    mass = part.mass if part.mass is not None else (part.density or 0.0) * volume
    inertia = np.diag(part.inertia) if part.inertia is not None else mass * unit
    return Heft(mass, np.array(part.center_of_mass or (0.0, 0.0, 0.0)), inertia)


def together(hefts: list[Heft]) -> Heft:
    """Several, in common axes, as one (Steiner)."""
    mass = sum(k.mass for k in hefts)
    if mass == 0.0:
        return Heft(0.0, hefts[0].centre, np.zeros((3, 3)))
    centre = sum((k.mass * k.centre for k in hefts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for k in hefts:
        d = k.centre - centre
        inertia += k.inertia + k.mass * (float(d @ d) * np.eye(3) - np.outer(d, d))
    return Heft(mass, centre, inertia)


def _filled(part: Part) -> tuple[float, Array]:
    """Volume (m³), and inertia per mass (m²) of the shape filled evenly, about its middle."""
    shape = part.shape
    if isinstance(shape, SphereShape):
        r = shape.outer
        return 4.0 / 3.0 * np.pi * r**3, 0.4 * r * r * np.eye(3)
    if isinstance(shape, CylinderShape):
        r, l = shape.outer, shape.length
        across = (3.0 * r * r + l * l) / 12.0
        return np.pi * r * r * l, np.diag([across, across, 0.5 * r * r])
    if isinstance(shape, CapsuleShape):
        return _capsule(shape.outer, shape.length)
    if isinstance(shape, BoxShape):
        x, y, z = (k * k / 12.0 for k in shape.size)
        return float(np.prod(shape.size)), np.diag([y + z, x + z, x + y])
    if isinstance(shape, ProfileShape):
        return _extruded(np.array(shape.corners), shape.length)
    return 0.0, np.zeros((3, 3))


def _capsule(r: float, l: float) -> tuple[float, Array]:
    """A cylinder and two half spheres, whose middles are 3r/8 from their flat sides."""
    tube, ball = np.pi * r * r * l, 4.0 / 3.0 * np.pi * r**3
    volume = tube + ball
    along = tube * 0.5 * r * r + ball * 0.4 * r * r
    across = tube * (3.0 * r * r + l * l) / 12.0 + ball * (0.4 * r * r + 0.25 * l * l + 0.375 * r * l)
    return volume, np.diag([across, across, along]) / volume


def _extruded(corners: Array, length: float) -> tuple[float, Array]:
    """A polygon along z, about the part's origin (its corners are given from there), by triangles from the origin."""
    after = np.roll(corners, -1, axis=0)
    twice = corners[:, 0] * after[:, 1] - after[:, 0] * corners[:, 1]
    area = 0.5 * float(twice.sum())
    moments = np.zeros((2, 2))
    for a, b, c in zip(corners, after, twice, strict=True):
        total = a + b
        moments += c / 24.0 * (np.outer(a, a) + np.outer(b, b) + np.outer(total, total))
    xx, xy, yy = moments[0, 0] / area, moments[0, 1] / area, moments[1, 1] / area
    zz = length * length / 12.0
    return area * length, np.array([[yy + zz, -xy, 0.0], [-xy, xx + zz, 0.0], [0.0, 0.0, xx + yy]])
