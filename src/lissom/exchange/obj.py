"""Wavefront OBJ files: vertices and faces. Materials and other files they name are not opened."""

from __future__ import annotations

import io
import re
from typing import Final

import numpy as np

from lissom.exchange.polygons import Polygons, triangulated
from lissom.exchange.raw import RawMesh, Unreadable, Vertices, numbers, refuse_too_many, refuse_too_many_vertices

_BLOCK: Final = 100_000
"""Lines that are read at once, where they are as simple as most are."""

_BEHIND: Final = re.compile(rb"/[^ \t\n]*")
"""Of ``12/5/7`` what is not the vertex."""


def read_obj(raw: bytes) -> RawMesh:
    if b"\0" in raw[:2000]:
        raise Unreadable("is not text: it is no OBJ file")
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\\\n" in raw:
        raw = raw.replace(b"\\\n", b"  ")
    points: list[bytes] = []
    faces: list[bytes] = []
    so_far: list[int] = []  # vertices before each of the faces
    blocks: list[Vertices] = [np.zeros((0, 3))]
    polygons = Polygons()
    count = 0
    for line in io.BytesIO(raw):
        words = line.split()
        if not words:
            continue
        if words[0] == b"v":
            points.append(line)
            count += 1
            if len(points) == _BLOCK:
                blocks.append(_vertices(points))
                points.clear()
                refuse_too_many_vertices(count)
        elif words[0] == b"f" and len(words) == 4:
            faces.append(line)
            so_far.append(count)
            if len(faces) == _BLOCK:
                _add_triangles(polygons, faces, so_far)
                faces.clear()
                so_far.clear()
        elif words[0] == b"f":
            polygons.add(_corners(line, count))
            refuse_too_many(polygons.triangles)
    _add_triangles(polygons, faces, so_far)
    vertices = np.concatenate([*blocks, _vertices(points)])
    return RawMesh(vertices, triangulated(vertices, polygons), polygons.notes)


def _vertices(lines: list[bytes]) -> Vertices:
    """``v x y z``, perhaps with a weight or a colour behind."""
    if not lines:
        return np.zeros((0, 3))
    columns = len(lines[0].split()) - 1
    found = numbers(b" ".join(lines).replace(b"v", b" "), columns * len(lines))
    if found is not None and columns >= 3:
        return found.reshape(-1, columns)[:, :3]
    rows = []
    for line in lines:
        try:
            x, y, z = line.split()[1:4]
            rows.append((float(x), float(y), float(z)))
        except ValueError:
            raise _unreadable(line) from None
    return np.array(rows, dtype=np.float64)


def _add_triangles(polygons: Polygons, lines: list[bytes], so_far: list[int]) -> None:
    if not lines:
        return
    text = b" ".join(lines).replace(b"f", b" ")
    if b"/" in text:
        text = _BEHIND.sub(b"", text)
    found = numbers(text, 3 * len(lines))
    if found is not None and np.all((found >= 1) & (found < 2**40) & (found == np.floor(found))):
        polygons.add_all(found.astype(np.int64).reshape(-1, 3) - 1)
    else:
        for line, count in zip(lines, so_far, strict=True):
            polygons.add(_corners(line, count))
    refuse_too_many(polygons.triangles)


def _corners(line: bytes, so_far: int) -> list[int]:
    """Indices from 0 of ``f 1/4/2 2/5/2 …``; negative ones count back from the vertex read last."""
    try:
        said = [int(word.partition(b"/")[0]) for word in line.split()[1:]]
    except ValueError:
        raise _unreadable(line) from None
    corners = [k - 1 if k > 0 else so_far + k for k in said]
    if 0 in said or not 0 <= min(corners, default=0) <= max(corners, default=0) < 2**40:
        raise _unreadable(line)
    return corners


def _unreadable(line: bytes) -> Unreadable:
    return Unreadable(f"has a line that cannot be read: {line[:60].decode('latin-1').strip()!r}")
