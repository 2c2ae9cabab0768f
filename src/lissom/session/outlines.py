"""The section of a cable, as it is drawn."""

from __future__ import annotations

import math

from lissom.scene import CableType, RectangleSection
from lissom.scene.sections import SectionProperties

SIDES = 20
THINNEST = 0.0005
"""m: what has no radius is drawn this thick."""


def outline(made: CableType, section: SectionProperties) -> list[tuple[float, float]]:
    """In the (d1, d2) plane, m, once around."""
    shape = made.section
    if isinstance(shape, RectangleSection):
        w, h = 0.5 * shape.width, 0.5 * shape.height
        return [(w, h), (-w, h), (-w, -h), (w, -h)]
    r = max(section.radius, THINNEST)
    angles = [2.0 * math.pi * k / SIDES for k in range(SIDES)]
    return [(r * math.cos(a), r * math.sin(a)) for a in angles]
