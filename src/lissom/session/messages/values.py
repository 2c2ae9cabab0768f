"""What messages of several kinds are made of. SI units throughout; quaternions (w, x, y, z)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Vec3 = tuple[float, float, float]
Vec4 = tuple[float, float, float, float]
Json = Any
Unit = Literal["mm", "cm", "m", "in"]
Quantity = Literal["none", "bend_radius", "curvature", "torsion", "tension", "stress", "contact", "clearance"]
MeasureKind = Literal["point", "edge", "face", "cable", "part", "place"]


@dataclass(frozen=True, slots=True)
class Pick:
    """Something to measure from: where it was clicked, and what was there; on a part in the part's own axes."""

    kind: MeasureKind
    point: Vec3
    path: str = ""  # of the cable or part
    at: float | None = None  # place on a cable, a fraction
    edge: tuple[Vec3, Vec3] | None = None
    normal: Vec3 | None = None  # of a face


@dataclass(frozen=True, slots=True)
class View:
    """Where the camera stands."""

    name: str
    eye: Vec3
    target: Vec3
    up: Vec3
    height: float  # of the picture, m, when orthographic
    orthographic: bool = False
