"""Carries a solution over to another grid: after a grip, a new clip, a new length, more points."""

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import normalized
from lissom.kernels import kernel
from lissom.rods.chain import frame

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


def between(s: Array, at: Array) -> tuple[Indices, Array]:
    """Where the places `at` lie among the places s: the last one before each, and the part of the way to the next."""
    k = np.clip(np.searchsorted(s, at, side="right") - 1, 0, len(s) - 2)
    t = (at - s[k]) / (s[k + 1] - s[k])
    nearest = np.round(t)
    return k, np.where(np.abs(t - nearest) < 1e-6, nearest, t)


@kernel
def mean_frames(q: Array, before: Indices, part: Array, out: Array) -> None:
    """Frames at the places that `between` found; where a place is one of q's own, its frame to the last bit."""
    for i in range(len(before)):
        k = before[i]
        t = part[i]
        if t == 0.0 or t == 1.0:
            p = frame(q, k + int(t))
        else:
            a = frame(q, k)
            b = frame(q, k + 1)
            v = t if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] >= 0.0 else -t
            w = 1.0 - t
            p = normalized((w * a[0] + v * b[0], w * a[1] + v * b[1], w * a[2] + v * b[2], w * a[3] + v * b[3]))
        for m in range(4):
            out[i, m] = p[m]
