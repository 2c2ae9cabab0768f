"""Carries a solution over to another grid: after a grip, a new clip, a new length, more points."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


def transferred(
    frames: Array, force: Array, old_s: Array, new_s: Array, point_of: Indices, segment_of: Indices
) -> tuple[Array, Array]:
    """(frames of a staggered chain on the new grid, internal force per segment of it).

    `frames` are those at the old points, `force` the internal force in the old segments.
    """
    middle = 0.5 * (new_s[1:] + new_s[:-1])
    place = np.where(point_of >= 0, new_s[point_of], middle[segment_of])
    nearest = np.clip(np.searchsorted(old_s, middle, side="right") - 1, 0, len(force) - 1)
    return interpolate_frames(frames, old_s, place), force[nearest]


def interpolate_frames(q: Array, s: Array, at: Array) -> Array:
    """Frames between points, by the normalised mean of neighbouring quaternions."""
    k = np.clip(np.searchsorted(s, at, side="right") - 1, 0, len(s) - 2)
    t = ((at - s[k]) / (s[k + 1] - s[k]))[:, None]
    a, b = q[k], q[k + 1]
    b = np.where(np.einsum("ij,ij->i", a, b)[:, None] < 0.0, -b, b)
    mean = (1.0 - t) * a + t * b
    return np.asarray(mean / np.linalg.norm(mean, axis=1)[:, None])
