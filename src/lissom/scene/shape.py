"""Simple solids of parts: plane, sphere, cylinder, capsule, box, profile. Each lies centred on the part's origin."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import Annotated, Final, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from lissom.scene.described import Described, Slip, reject
from lissom.scene.errors import ABSENT
from lissom.scene.fields import Components, Quantity, Rows, Vec2, Vec3

_SIZE: Final = Quantity("length", at_least=1e-6, at_most=1e5, hint='a plain number is in metres: write "25 mm"')
Size = Annotated[float, _SIZE]

MOST_CORNERS: Final = 2000
"""Of a profile: every side is compared with every other one."""

Corners = Annotated[
    tuple[Vec2, ...],
    Rows(Components(Quantity("length", at_least=-1e5, at_most=1e5), 2), at_least=3, at_most=MOST_CORNERS),
]


class PlaneShape(Described):
    """A half space: everything below z = 0 of the part is solid."""

    kind: Literal["plane"]


class _Round(Described):
    kind: str
    radius: Size | None = Field(None, description="m, or give diameter")
    diameter: Size | None = Field(None, description="m, instead of radius")

    @property
    def outer(self) -> float:
        """The radius, m, however it was said."""
        return self.radius if self.radius is not None else 0.5 * (self.diameter or 0.0)

    @model_validator(mode="after")
    def _check_radius(self) -> Self:
        if self.radius is not None and self.diameter is not None:
            reject([(("diameter",), self.diameter, "must not be given together with radius: keep one of them")])
        if self.radius is None and self.diameter is None:
            reject([(("radius",), ABSENT, "is missing: give radius or diameter")])
        return self


class SphereShape(_Round):
    """About the origin."""

    kind: Literal["sphere"]


class CylinderShape(_Round):
    """Along z, centred."""

    kind: Literal["cylinder"]
    length: Size = Field(description="along z, m")


class CapsuleShape(_Round):
    """A cylinder along z, centred, with a half sphere on each end."""

    kind: Literal["capsule"]
    length: Size = Field(description="of the straight part, along z, m")


class BoxShape(Described):
    """Along the part's axes, centred."""

    kind: Literal["box"]
    size: Annotated[Vec3, Components(_SIZE)] = Field(description="edges along x, y, z, m")


class ProfileShape(Described):
    """A closed polygon in the x-y plane extruded along z, centred on z = 0."""

    kind: Literal["profile"]
    points: Corners = Field(description="corners (x, y) in order, m; the last joins the first")
    length: Size = Field(description="along z, m")

    @property
    def corners(self) -> tuple[Vec2, ...]:
        """The corners, each once, anticlockwise."""
        corners = _distinct(self.points)
        return corners if _area(corners) > 0.0 else corners[::-1]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if slips := _profile_slips(self.points):
            reject(list(slips))
        return self


Shape = Annotated[
    PlaneShape | SphereShape | CylinderShape | CapsuleShape | BoxShape | ProfileShape,
    Field(discriminator="kind"),
]

SHAPES: Final[dict[str, type[Described]]] = {
    "plane": PlaneShape,
    "sphere": SphereShape,
    "cylinder": CylinderShape,
    "capsule": CapsuleShape,
    "box": BoxShape,
    "profile": ProfileShape,
}
"""By ``kind``, which is also the tag that pydantic puts into the place of an error."""


def _distinct(points: tuple[Vec2, ...]) -> tuple[Vec2, ...]:
    """A last point that repeats the first only says that the polygon is closed."""
    return points[:-1] if points[0] == points[-1] else points


def _area(corners: tuple[Vec2, ...]) -> float:
    """Positive when anticlockwise, m²."""
    return 0.5 * math.fsum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise((*corners, corners[0])))


@lru_cache(maxsize=64)
def _profile_slips(points: tuple[Vec2, ...]) -> tuple[Slip, ...]:
    """A simple polygon with some area. Cached: every edit of a scene asks again."""
    corners = _distinct(points)
    if len(corners) < 3:
        return ((("points",), ABSENT, "must have at least 3 different corners"),)
    p = np.array(corners)
    size = float(np.max(np.ptp(p, axis=0)))
    for i in range(len(corners)):
        if math.dist(corners[i - 1], corners[i]) <= 1e-9 * size:
            return ((("points", i), corners[i], "must differ from the corner before it"),)
    if crossing := _first_crossing(p, 1e-12 * size * size):
        i, j = crossing
        message = (
            f"must not cross or touch itself: side {i + 1} meets side {j + 1} (side 1 joins the first two corners)"
        )
        return ((("points", i), corners[i], message),)
    if abs(_area(corners)) <= 1e-9 * size * size:
        return ((("points",), ABSENT, "must enclose an area: the corners lie on one line"),)
    return ()


def _first_crossing(p: np.ndarray[tuple[int, ...], np.dtype[np.float64]], tiny: float) -> tuple[int, int] | None:
    """Two sides of the polygon that meet elsewhere than at their common corner."""
    q = np.roll(p, -1, axis=0)
    n = len(p)
    for i in range(n - 1):
        a, b = p[i], q[i]
        others = np.arange(i + 1, n)
        c, d = p[others], q[others]
        u = b - a
        side_c = u[0] * (c[:, 1] - a[1]) - u[1] * (c[:, 0] - a[0])
        side_d = u[0] * (d[:, 1] - a[1]) - u[1] * (d[:, 0] - a[0])
        v = d - c
        side_a = v[:, 0] * (a[1] - c[:, 1]) - v[:, 1] * (a[0] - c[:, 0])
        side_b = v[:, 0] * (b[1] - c[:, 1]) - v[:, 1] * (b[0] - c[:, 0])
        boxes = np.all((np.minimum(c, d) <= np.maximum(a, b)) & (np.maximum(c, d) >= np.minimum(a, b)), axis=1)
        meets = boxes & ~((side_c > tiny) & (side_d > tiny)) & ~((side_c < -tiny) & (side_d < -tiny))
        meets &= ~((side_a > tiny) & (side_b > tiny)) & ~((side_a < -tiny) & (side_b < -tiny))
        for j in others[meets]:
            if j == i + 1 or (i == 0 and j == n - 1):  # neighbours share a corner; only folding back is wrong
                before, after = (u, q[j] - p[j]) if j == i + 1 else (q[j] - p[j], u)
                straight = abs(before[0] * after[1] - before[1] * after[0]) <= tiny
                if not straight or float(before @ after) > 0.0:
                    continue
            return i, int(j)
    return None
