"""The link number of a cable: twist of its material plus writhe of its curve, closed by rays along its end tangents."""

import numpy as np

from tests.truth.answer import Answer
from tests.truth.turning import Array

RAY = 200.0  # lengths of the cable
PER_SEGMENT = 2


def link(a: Answer) -> float:
    """In turns; differences between answers with the same end tangents mean something, not the value itself."""
    return float(np.sum(a.turns_of_segments()[:, 2])) / (2.0 * np.pi) + writhe(closed(a))


def own_link(a: Answer) -> float:
    """The same without what the two rays have of each other, which says nothing of the cable."""
    points = closed(a)
    pair = np.vstack([points[:2], points[-2:]])  # and the chord, which neither ray sees
    return link(a) - writhe(pair)


def closed(a: Answer) -> Array:
    """Points of the curve, with a far point on the ray at either end."""
    _, points = a.sampled(PER_SEGMENT)
    far = RAY * a.cable.length
    return np.vstack([points[0] - far * a.R[0, :, 2], points, points[-1] + far * a.R[-1, :, 2]])


def writhe(points: Array) -> float:
    """Gauss' integral over all pairs of segments of a polygon, each by the solid angle under which they are seen."""
    a, b = points[:-1], points[1:]
    i, j = np.triu_indices(len(a), 2)
    r13, r14, r23, r24 = a[j] - a[i], b[j] - a[i], a[j] - b[i], b[j] - b[i]
    faces = [np.cross(r13, r14), np.cross(r14, r24), np.cross(r24, r23), np.cross(r23, r13)]
    faces = [k / np.maximum(np.linalg.norm(k, axis=1), 1e-300)[:, None] for k in faces]
    total = np.zeros(len(i))
    for k in range(4):
        total += np.arcsin(np.clip(np.sum(faces[k] * faces[(k + 1) % 4], axis=1), -1.0, 1.0))
    sign = np.sign(np.sum(np.cross(b[j] - a[j], b[i] - a[i]) * r13, axis=1))
    return float(np.sum(total * sign)) / (2.0 * np.pi)
