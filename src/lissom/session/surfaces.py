"""Parts as the page draws them: triangles in the part's own axes, packed, named by their contents."""

from __future__ import annotations

import hashlib
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.analysis import scenery
from lissom.scene import Scene, SceneError
from lissom.scene.part import Part
from lissom.scene.shape import PlaneShape

PLANE = 2.0
"""m: half the side of what stands for an endless plane."""


def surface_of(scene: Scene, part: Part) -> tuple[NDArray[np.float64], NDArray[np.int64], bool]:
    """Vertices (m), triangles, and whether it is closed; empty where a part has no surface or its file no more."""
    if part.mesh is None and part.shape is None:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64), False
    if isinstance(part.shape, PlaneShape):
        corners = PLANE * np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], dtype=float)
        return corners, np.array([(0, 1, 2), (0, 2, 3)]), False
    try:
        return scenery.surface(scene, part)
    except SceneError:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64), False


def packed(vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> tuple[str, bytes]:
    """As the page reads it, and the key that names it."""
    data = struct.pack("<II", len(vertices), len(triangles))
    data += np.ascontiguousarray(vertices, dtype="<f4").tobytes()
    data += np.ascontiguousarray(triangles, dtype="<u4").tobytes()
    return hashlib.sha256(data).hexdigest()[:32], data


class Surfaces:
    """Packed surfaces by key. One of a file that did not change is not read again."""

    def __init__(self) -> None:
        self._packed: dict[str, bytes] = {}
        self._known: dict[Any, tuple[str, bool, int]] = {}

    def key(self, scene: Scene, part: Part) -> tuple[str | None, bool, int]:
        """Its key (None without a surface), whether it is closed, and its triangles."""
        if part.mesh is None and part.shape is None:
            return None, False, 0
        file = None if part.mesh is None else scene.folder / part.mesh
        stamp = file.stat().st_mtime_ns if file is not None and file.exists() else 0
        said = (str(file), stamp, part.units, str(part.shape))
        if said not in self._known:
            vertices, triangles, closed = surface_of(scene, part)
            key, self._packed[key] = packed(vertices, triangles)
            self._known[said] = (key, bool(closed), len(triangles))
        return self._known[said]

    def packed(self, key: str) -> bytes | None:
        return self._packed.get(key)
