"""Surfaces of the shapes that have flat faces: box and profile."""

from __future__ import annotations

from typing import Final

import numpy as np

from lissom.exchange.polygons import clipped_ears
from lissom.exchange.raw import Triangles, Vertices
from lissom.scene.shape import BoxShape, ProfileShape

_SQUARE: Final = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))


def shape_mesh(shape: BoxShape | ProfileShape) -> tuple[Vertices, Triangles]:
    """Vertices (v, 3) in m in the part's axes and triangles (t, 3), closed, seen anticlockwise from outside."""
    if isinstance(shape, BoxShape):
        return _prism(np.array(_SQUARE) * shape.size[:2], shape.size[2])
    return _prism(np.array(shape.corners), shape.length)


def _prism(corners: np.ndarray[tuple[int, ...], np.dtype[np.float64]], length: float) -> tuple[Vertices, Triangles]:
    """An anticlockwise polygon extruded along z, centred: first the lower corners, then the upper ones."""
    n = len(corners)
    bottom = np.column_stack([corners, np.full(n, -0.5 * length)])
    top = np.column_stack([corners, np.full(n, 0.5 * length)])
    lid = clipped_ears(corners)
    i = np.arange(n)
    j = (i + 1) % n
    sides = np.concatenate([np.stack([i, j, j + n], axis=1), np.stack([i, j + n, i + n], axis=1)])
    return np.concatenate([bottom, top]), np.concatenate([lid[:, ::-1], lid + n, sides])
