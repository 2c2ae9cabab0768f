"""Polygons into triangles: by a diagonal, as a fan, or by clipping ears where they are not convex."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lissom.exchange.raw import Triangles, Unreadable, Vertices

MOST_CORNERS: Final = 2000
"""Of a polygon that is not convex."""

MOST_CLIPPING: Final = 200_000_000
"""Sum of the squares of the corners of all polygons that are clipped: about a minute."""


class Polygons:
    """Faces of any number of corners, in the order of their numbers of corners."""

    def __init__(self) -> None:
        self.by_corners: dict[int, array[int]] = {}
        self.triangles = 0
        self.dropped = 0

    def add(self, corners: Sequence[int]) -> None:
        """One face. Those of one or two corners are counted, and left out."""
        count = len(corners)
        if count < 3:
            self.dropped += 1
            return
        if count not in self.by_corners:
            self.by_corners[count] = array("q")
        self.by_corners[count].extend(corners)
        self.triangles += count - 2

    def add_all(self, faces: Triangles) -> None:
        """Many faces with the same number of corners, (n, corners)."""
        count = faces.shape[1]
        if count < 3:
            self.dropped += len(faces)
            return
        self.by_corners.setdefault(count, array("q")).frombytes(np.ascontiguousarray(faces).tobytes())
        self.triangles += len(faces) * (count - 2)

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"{self.dropped} faces of fewer than three corners were left out",) if self.dropped else ()


def triangulated(vertices: Vertices, polygons: Polygons) -> Triangles:
    """All of them as triangles (t, 3). The corners are checked to be vertices."""
    found: list[Triangles] = [np.zeros((0, 3), dtype=np.int64)]
    work = 0
    for count, corners in sorted(polygons.by_corners.items()):
        faces = np.frombuffer(corners, dtype=np.int64).reshape(-1, count)
        if faces.max() >= len(vertices) or faces.min() < 0:
            message = f"has a face with the vertex {int(faces.max()) + 1}, but only {len(vertices)} vertices"
            raise Unreadable(message)
        if count == 3:
            found.append(faces)
            continue
        simple = _are_fans(vertices, faces)
        fans = faces[simple]
        steps = np.arange(1, count - 1)
        fan = np.stack([np.zeros_like(steps), steps, steps + 1], axis=1)
        found.append(fans[:, fan].reshape(-1, 3))
        odd = faces[~simple]
        work += len(odd) * count * count
        if len(odd) and (count > MOST_CORNERS or work > MOST_CLIPPING):
            raise Unreadable("has too many corners in faces that are not convex: export it as triangles")
        found += [face[clipped_ears(_flattened(vertices[face]))] for face in odd]
    return np.concatenate(found)


def _normals(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Twice the area vector (Newell) of polygons (n, corners, 3)."""
    spokes = points - points[:, :1]
    normals: NDArray[np.float64] = np.cross(spokes, np.roll(spokes, -1, axis=1)).sum(axis=1)
    return normals


def _are_fans(vertices: Vertices, faces: Triangles) -> NDArray[np.bool_]:
    """Does every triangle of the fan from the first corner face the way the polygon does?"""
    points = vertices[faces]
    normals = _normals(points)
    sides = points[:, 1:] - points[:, :1]
    areas = np.cross(sides[:, :-1], sides[:, 1:])
    with np.errstate(invalid="ignore", over="ignore"):
        facing = np.einsum("nfk,nk->nf", areas, normals)
    fans: NDArray[np.bool_] = ~np.any(facing < 0.0, axis=1)  # what is not a number is removed later
    return fans


def _flattened(points: Vertices) -> NDArray[np.float64]:
    """Seen along its normal, (corners, 2), anticlockwise."""
    normal = _normals(points[None])[0]
    k = int(np.argmax(np.abs(normal)))
    flat = points[:, [(k + 1) % 3, (k + 2) % 3]]
    return flat if normal[k] > 0.0 else flat * [1.0, -1.0]


def clipped_ears(p: NDArray[np.float64]) -> Triangles:
    """Triangles (n − 2, 3) of the corners of a simple anticlockwise polygon (n, 2), by clipping ears.

    An ear is a convex corner whose triangle holds no reflex corner. Clipping one changes only its two neighbours, so
    that 3 n corners are tested in all. Where rounding leaves no ear, the sharpest convex corner is clipped.
    """
    n = len(p)
    before, after = np.roll(np.arange(n), 1), np.roll(np.arange(n), -1)
    alive = np.ones(n, dtype=bool)
    turn = _turns(p, before, np.arange(n), after)
    waiting = list(range(n - 1, -1, -1))
    triangles: list[tuple[int, int, int]] = []
    left = n
    while left > 3:
        if waiting:
            corner = waiting.pop()
            if not alive[corner] or not _is_ear(p, int(before[corner]), corner, int(after[corner]), alive, turn):
                continue
        else:
            corner = int(np.argmax(np.where(alive, turn, -np.inf)))
        a, b = int(before[corner]), int(after[corner])
        triangles.append((a, corner, b))
        alive[corner] = False
        left -= 1
        after[a], before[b] = b, a
        for k in (a, b):
            turn[k] = _turns(p, before[k], k, after[k])
        waiting += [b, a]
    last = int(np.argmax(alive))
    triangles.append((int(before[last]), last, int(after[last])))
    return np.array(triangles, dtype=np.int64)


def _turns(p: NDArray[np.float64], a: Any, b: Any, c: Any) -> NDArray[np.float64]:
    """Twice the area of the triangles a b c: positive where the corner b is convex."""
    u, v = p[b] - p[a], p[c] - p[b]
    found: NDArray[np.float64] = u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    return found


def _is_ear(
    p: NDArray[np.float64], a: int, b: int, c: int, alive: NDArray[np.bool_], turn: NDArray[np.float64]
) -> bool:
    if not turn[b] > 0.0:
        return False
    reflex = alive & (turn <= 0.0)
    reflex[[a, b, c]] = False
    q = p[reflex]
    inside = np.ones(len(q), dtype=bool)
    for i, j in ((a, b), (b, c), (c, a)):
        u = p[j] - p[i]
        inside &= np.any(q != p[i], axis=1)  # a cut to a hole comes back to the same corner
        inside &= u[0] * (q[:, 1] - p[i, 1]) - u[1] * (q[:, 0] - p[i, 0]) >= 0.0
    return not bool(inside.any())
