"""STL files, binary and ASCII. Nothing is allocated before the header is seen to fit the file."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

import numpy as np

from lissom.exchange.raw import RawMesh, Triangles, Unreadable, Vertices, numbers, refuse_too_many

HEADER: Final = 84
RECORD: Final = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])

_VERTEX: Final = re.compile(rb"^[ \t]*vertex[ \t]+([^\n]*)", re.MULTILINE | re.IGNORECASE)
_FACET: Final = re.compile(rb"^[ \t]*facet\b", re.MULTILINE | re.IGNORECASE)
_BLOCK: Final = 300_000
"""Vertices parsed at once: texts of numbers take many times the memory of the numbers."""


def read_stl(raw: bytes) -> RawMesh:
    fits = len(raw) >= HEADER and len(raw) == HEADER + RECORD.itemsize * _claimed(raw)
    if not fits and _looks_like_text(raw):
        return _ascii(raw)
    if len(raw) < HEADER:
        raise Unreadable("is too short for an STL file: it is cut off, or another format")
    return _binary(raw)


def _claimed(raw: bytes) -> int:
    return int.from_bytes(raw[HEADER - 4 : HEADER], "little")


def _looks_like_text(raw: bytes) -> bool:
    """Binary files may begin with "solid" too, but their numbers hold null bytes."""
    return raw[:200].lstrip().lower().startswith(b"solid") and b"\0" not in raw[:2000]


def _binary(raw: bytes) -> RawMesh:
    count, room = _claimed(raw), (len(raw) - HEADER) // RECORD.itemsize
    if count > room:
        message = f"says it has {count} triangles, but holds at most {room}: it is cut off, or no STL file"
        raise Unreadable(message)
    refuse_too_many(count)
    rest = len(raw) - HEADER - count * RECORD.itemsize
    notes = (f"{rest} bytes after the last triangle were ignored",) if rest else ()
    records = np.frombuffer(raw, dtype=RECORD, count=count, offset=HEADER)
    return RawMesh(*_separate(records["corners"].reshape(-1, 3).astype(np.float64)), notes)


def _ascii(raw: bytes) -> RawMesh:
    raw = raw.replace(b"\r", b"\n")
    facets = sum(1 for _ in _FACET.finditer(raw))
    refuse_too_many(facets)
    found = _VERTEX.finditer(raw)
    blocks: list[Vertices] = []
    while lines := [match[1] for match in islice(found, _BLOCK)]:
        block = numbers(b" ".join(lines), 3 * len(lines))
        if block is None:
            raise Unreadable(f"has a vertex that is no three numbers: {_first_wrong(lines)!r}")
        blocks.append(block.reshape(-1, 3))
    vertices = np.concatenate(blocks) if blocks else np.zeros((0, 3))
    if len(vertices) != 3 * facets:
        message = f"has {facets} facets but {len(vertices)} vertices, not three for each: it is cut off or damaged"
        raise Unreadable(message)
    cut = b"endsolid" not in raw[-2000:].lower()
    notes = ("it does not end with endsolid: it may be cut off",) if cut and len(vertices) else ()
    return RawMesh(*_separate(vertices), notes)


def _first_wrong(lines: list[bytes]) -> str:
    wrong = next((line for line in lines if numbers(line, 3) is None), b"")
    return wrong[:40].decode("latin-1").strip()


def _separate(vertices: Vertices) -> tuple[Vertices, Triangles]:
    """Every triangle has vertices of its own."""
    return vertices, np.arange(len(vertices), dtype=np.int64).reshape(-1, 3)


def stl_bytes(vertices: Vertices, triangles: Triangles) -> bytes:
    """A binary file, in the numbers of the vertices."""
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    rows = np.zeros(len(corners), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    rows["normal"] = normals / np.where(sizes > 0.0, sizes, 1.0)
    rows["corners"] = corners
    return b"lissom".ljust(80) + np.uint32(len(rows)).tobytes() + rows.tobytes()
