"""What varies along a solved cable, on both sides of every point.

Forces, moments and strains jump where a support or a load acts or the type changes. So every read-out is kept
per segment, as its value just after the segment's first point and just before its last one: arrays (segments,
2). Flattened they give a line to plot that shows the jumps; a slice of segments is a stretch with its own
limits.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lissom.rods.result import CableResult
from lissom.scene import CableType, RectangleSection, Scene, SectionProperties

Array = NDArray[np.float64]

# A jump smaller than this part of the largest value is rounding.
NO_JUMP = 1e-7


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the cable that is of one type."""

    start: float  # m
    end: float  # m
    stretch: str  # the type of the stretch; empty for the cable's own
    made: CableType
    section: SectionProperties

    @property
    def is_flat(self) -> bool:
        """A rectangle: its extent depends on the direction of bending."""
        return isinstance(self.made.section, RectangleSection)

    def reach(self, about_d1: Array, about_d2: Array) -> Array:
        """Distance (m) from the centre line to the farthest material, towards the inside of a bend (κ1, κ2).

        d3' = κ2 d1 − κ1 d2 points inside; the corner of a rectangle reaches |κ2| w/2 + |κ1| h/2, over κ.
        """
        bend = np.hypot(about_d1, about_d2)
        if not self.is_flat:
            return np.full_like(bend, self.section.radius)
        from_d1, from_d2 = self.section.fibre_distance
        with np.errstate(invalid="ignore", divide="ignore"):
            reach = (np.abs(about_d1) * from_d1 + np.abs(about_d2) * from_d2) / bend
        return np.where(bend > 0.0, reach, min(from_d1, from_d2))


def regions(scene: Scene, name: str) -> tuple[Region, ...]:
    """The cable's own type, interrupted by its stretches, in order."""
    cable = scene.cable(name)
    own = scene.type_of(cable)
    found: list[Region] = []
    at = 0.0

    def add(start: float, end: float, stretch: str, made: CableType) -> None:
        if end > start:
            found.append(Region(start, end, stretch, made, SectionProperties.of(made)))

    for stretch in sorted(cable.stretches, key=lambda part: part.from_):
        start, end = stretch.from_ * cable.length, stretch.to * cable.length
        add(at, start, "", own)
        add(start, end, stretch.type, scene.named_type(stretch.type))
        at = end
    add(at, cable.length, "", own)
    return tuple(found)


class Along:
    """Read-outs of one equilibrium per segment end: (segments, 2) arrays."""

    def __init__(self, scene: Scene, result: CableResult) -> None:
        self.result = result
        self.regions = regions(scene, result.name)
        middle = 0.5 * (result.s[1:] + result.s[:-1])
        starts = np.array([region.start for region in self.regions])
        self.region_of = np.searchsorted(starts, middle, side="right") - 1
        """(segments,) number of the region each lies in."""

    @cached_property
    def s(self) -> Array:
        """Arc length, m."""
        return np.stack([self.result.s[:-1], self.result.s[1:]], axis=1)

    @cached_property
    def strains(self) -> Array:
        """(segments, 2, 3) κ1, κ2, τ, 1/m."""
        sides = self.result._sides
        return both(sides.strain_after, sides.strain_before)

    @cached_property
    def curvature(self) -> Array:
        """√(κ1² + κ2²), 1/m."""
        return np.hypot(self.strains[:, :, 0], self.strains[:, :, 1])

    @cached_property
    def torsion(self) -> Array:
        """τ, 1/m."""
        return self.strains[:, :, 2]

    @cached_property
    def force(self) -> Array:
        """(segments, 2, 3) n, N, world axes."""
        return both(self.result.force, self.result.force_before)

    @cached_property
    def tension(self) -> Array:
        """n·d3, N."""
        tangents = self.result.tangents
        return np.asarray(np.einsum("ijk,ijk->ij", self.force, both(tangents, tangents)))

    @cached_property
    def moment(self) -> Array:
        """(segments, 2, 3) m, N m, world axes."""
        return both(self.result.moment, self.result.moment_before)

    @cached_property
    def body_moment(self) -> Array:
        """(segments, 2, 3) m about d1, d2, d3, N m."""
        frames = directors(self.result.quaternions)
        return np.asarray(np.einsum("ijkl,ijk->ijl", both(frames, frames), self.moment))

    @cached_property
    def smooth(self) -> NDArray[np.bool_]:
        """(points,) whether nothing acts and nothing changes at the point."""
        smooth = np.ones(len(self.result.s), dtype=bool)
        smooth[[0, -1]] = False
        for value in (self.force, self.moment):
            jump = np.abs(value[1:, 0] - value[:-1, 1]).max(axis=1)
            smooth[1:-1] &= jump <= NO_JUMP * np.abs(value).max()
        smooth[1:-1] &= np.diff(self.region_of) == 0
        return smooth

    def fine(self, values: Array, parts: int = 8) -> Array:
        """Values (segments, 2, …) filled in for drawing: (segments, parts + 1, …), cubic between smooth
        points.

        Slopes are those of a parabola through neighbours, one-sided at a point where something jumps.
        """
        h = np.diff(self.result.s).reshape(-1, *([1] * (values.ndim - 2)))
        chord = (values[:, 1] - values[:, 0]) / h
        central = (h[1:] * chord[:-1] + h[:-1] * chord[1:]) / (h[1:] + h[:-1])
        first, last = chord.copy(), chord.copy()
        at = np.flatnonzero(self.smooth[1:-1])
        first[at + 1], last[at] = central[at], central[at]
        starts, ends = ~self.smooth[:-1], ~self.smooth[1:]
        first[starts] = 2.0 * chord[starts] - last[starts]  # a parabola in the segment beside a jump
        last[ends] = 2.0 * chord[ends] - first[ends]
        u = np.linspace(0.0, 1.0, parts + 1).reshape(1, -1, *([1] * (values.ndim - 2)))
        a, b, h = values[:, :1], values[:, 1:], h[:, None]
        ease = u * u * (3.0 - 2.0 * u)
        return np.asarray(a + (b - a) * ease + h * u * (1 - u) * ((1 - u) * first[:, None] - u * last[:, None]))

    def peak(self, values: Array, inside: NDArray[np.bool_]) -> tuple[float, float]:
        """Largest of the values in the segments `inside`, and its arc length (m).

        Where it lies at a smooth point between smooth neighbours, that of the parabola through the three.
        """
        chosen = np.where(inside[:, None], values, -np.inf)
        segment, side = np.unravel_index(int(np.argmax(chosen)), chosen.shape)
        top, place = float(chosen[segment, side]), float(self.s[segment, side])
        point = int(segment + side)
        if not self.smooth[max(point - 1, 0) : point + 2].all():
            return top, place
        if not inside[point - 1 : point + 1].all():
            return top, place
        x = self.result.s[point - 1 : point + 2] - place
        slope, bend = parabola(x, np.array([values[point - 1, 0], values[point, 0], values[point, 1]]))
        if bend < 0.0 and abs(0.5 * slope / bend) <= x[2]:
            return top - 0.25 * slope**2 / bend, place - 0.5 * slope / bend
        return top, place


def parabola(x: Array, y: Array) -> tuple[float, float]:
    """b and a of a x² + b x + c through three points, the middle one at x = 0."""
    before, after = (y[0] - y[1]) / x[0], (y[2] - y[1]) / x[2]
    bend = (after - before) / (x[2] - x[0])
    return float(before - bend * x[0]), float(bend)


def both(after: Array, before: Array) -> Array:
    """Values at the segment ends, from those just after and just before each point."""
    return np.stack([after[:-1], before[1:]], axis=1)


def directors(quaternions: Array) -> Array:
    """(points, 3, 3) matrices whose columns are d1, d2, d3."""
    w, x, y, z = quaternions.T
    d1 = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], axis=1)
    d2 = np.stack([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)], axis=1)
    d3 = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)
    return np.stack([d1, d2, d3], axis=2)


def settled(value: float) -> float:
    """Rounding errors are zero to a person."""
    return 0.0 if abs(value) < 1e-9 else value
