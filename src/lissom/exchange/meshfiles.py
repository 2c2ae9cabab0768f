"""Surfaces from mesh files: STL, OBJ, PLY, GLB and glTF, in metres, checked and cleaned.

A file may be hostile. Its size is looked at before it is read, its own claims are compared with its size before
anything is allocated, no file outside its folder is opened; and whatever it contains ends in a mesh or a MeshError.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from lissom.exchange import raw
from lissom.exchange.cleaning import cleaned
from lissom.exchange.gltf import read_glb, read_gltf
from lissom.exchange.obj import read_obj
from lissom.exchange.ply import read_ply
from lissom.exchange.raw import RawMesh, Triangles, Unreadable, Vertices
from lissom.exchange.shapes import shape_mesh
from lissom.exchange.stl import read_stl
from lissom.scene import Part, Problem, Scene, SceneError
from lissom.scene.errors import ABSENT, shown
from lissom.scene.fields import FAR, suggestion
from lissom.scene.part import IN_METRES, MESH_UNITS, WITHOUT_UNITS

__all__ = ["MeshData", "MeshError", "mesh_path", "part_mesh", "read_mesh", "shape_mesh"]

LARGE, SMALL = 100.0, 0.001
"""m: a part beyond was likely given in other units."""

WORTH_KEEPING: Final = 2**20
"""Bytes of a file: smaller ones are read again at once."""

_recent: deque[tuple[tuple[bytes, str, str | None], MeshData]] = deque(maxlen=2)
"""Meshes that were read last, by their contents: one that is added is drawn, touched and measured at once."""

_READERS: Final[dict[str, Callable[[bytes], RawMesh]]] = {".stl": read_stl, ".obj": read_obj, ".ply": read_ply}


class MeshError(SceneError):
    """A mesh file that cannot be used; ``problems`` says which, why, and what to do."""


@dataclass(frozen=True, slots=True)
class MeshData:
    """A surface in metres, in the axes of its file. The arrays are read-only."""

    vertices: Vertices
    """(v, 3) m."""
    triangles: Triangles
    """(t, 3) numbers of vertices; of a closed mesh anticlockwise seen from outside."""
    closed: bool
    """True: the boundary of solids. False: an open sheet, with two sides that can be touched."""
    warnings: tuple[str, ...] = ()
    """What had to be repaired, and what looks odd."""


def read_mesh(path: str | Path, units: str | None = None) -> MeshData:
    """The surface in a mesh file. ``units`` of its numbers: "mm", "cm", "m", "in"; not needed for GLB and glTF."""
    path = Path(path)
    try:
        scale = _scale(path, units)
        content = _content(path)
        whole = len(content) >= WORTH_KEEPING and path.suffix.lower() != ".gltf"  # which may need other files
        key = (hashlib.blake2b(content).digest(), path.suffix.lower(), units)
        for known, mesh in _recent if whole else ():
            if known == key:
                return mesh
        found = _surface(_raw_mesh(path, content), scale, units)
        if whole:
            _recent.append((key, found))
        return found
    except (Unreadable, MemoryError) as error:
        message = str(error) if isinstance(error, Unreadable) else "needs more memory than there is: simplify it"
        raise MeshError([Problem("", ABSENT, message, file=str(path))]) from None


def part_mesh(scene: Scene, part: Part | str) -> MeshData:
    """The surface of a part from its mesh file, in the part's axes. Errors name the part and its line."""
    if isinstance(part, str):
        part = scene.part(part)
    if part.mesh is None:
        raise MeshError([Problem(f"{part.name}/mesh", ABSENT, "is missing: this part has no mesh file")])
    path = mesh_path(scene, part)
    try:
        return read_mesh(path, part.units)
    except MeshError as error:
        number = next(i for i, other in enumerate(scene.parts) if other.name == part.name)
        place = scene.source("parts", number, "mesh")
        looked = "" if path.exists() or Path(part.mesh).is_absolute() else f" in {scene.folder}"
        fits = part.mesh in shown(part.mesh)  # else it is said whole, and once
        value, said = (part.mesh, "") if fits else (ABSENT, f"{path}: ")
        where = f"{part.name}/mesh"
        problems = [Problem(where, value, said + p.message + looked, *place) for p in error.problems]
        raise MeshError(problems) from None


def mesh_path(scene: Scene, part: Part) -> Path:
    """Where the mesh file of a part lies: relative to the scene file."""
    return scene.folder / (part.mesh or "")


def _scale(path: Path, units: str | None) -> float:
    ending = path.suffix.lower()
    if ending not in WITHOUT_UNITS + IN_METRES:
        known = ", ".join(WITHOUT_UNITS + IN_METRES)
        raise Unreadable(f"must end in one of {known}: that says how it is written; convert it to one of these")
    if units is None:
        if ending in WITHOUT_UNITS:
            raise MeshError([Problem("units", ABSENT, _needs_units(ending), file=str(path))])
        return 1.0
    if units not in MESH_UNITS:
        message = f'must be one of "mm", "cm", "m", "in"{suggestion(units, MESH_UNITS)}'
        raise MeshError([Problem("units", units, message, file=str(path))])
    return MESH_UNITS[units]


def _needs_units(ending: str) -> str:
    return f'is missing: a {ending} file does not say its unit; give units = "mm", "cm", "m" or "in"'


def _raw_mesh(path: Path, content: bytes) -> RawMesh:
    ending = path.suffix.lower()
    try:
        if ending in _READERS:
            return _READERS[ending](content)
        return (read_glb if ending == ".glb" else read_gltf)(content, lambda name: _sibling(path, name))
    except (Unreadable, MemoryError):
        raise
    except Exception as error:  # whatever a damaged file does to a reader, it is not a crash
        raise Unreadable(f"cannot be read as {ending}: it is damaged ({type(error).__name__}: {error})"[:300]) from None


def _content(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise Unreadable("is a folder, not a file" if path.is_dir() else "there is no such file")
        size = path.stat().st_size
        if size > raw.LARGEST_FILE:
            limit = raw.LARGEST_FILE / 2**30
            raise Unreadable(f"is larger than {limit:g} GiB ({size / 2**30:.1f}): simplify it, or export parts of it")
        with path.open("rb") as stream:
            content = stream.read(raw.LARGEST_FILE + 1)
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise Unreadable(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not content:
        raise Unreadable("is empty")
    return content


def _sibling(path: Path, name: str) -> bytes:
    """A buffer of a glTF file: a plain file name of the same folder."""
    try:
        other = path.parent / name
        plain = bool(name) and not set(name) & set('/\\:*?"<>|') and name not in (".", "..") and name.isprintable()
        if not plain or other.resolve().parent != path.parent.resolve():
            shown = name[:60]
            raise Unreadable(f'names the file "{shown}", which is not in its folder: export it as .glb, in one file')
    except (OSError, ValueError, RuntimeError):
        raise Unreadable("names a file that cannot be read: export it as .glb, in one file") from None
    try:
        return _content(other)
    except Unreadable as error:
        raise Unreadable(f'needs the file "{name[:60]}" beside it, and {error}') from None


def _surface(mesh: RawMesh, scale: float, units: str | None) -> MeshData:
    warnings = list(mesh.notes)
    if not len(mesh.triangles):
        raise Unreadable("has no triangles: it is empty, or holds only curves and points")
    with np.errstate(over="ignore", invalid="ignore"):
        vertices = mesh.vertices * scale
        tame = bool(np.abs(vertices).max() <= FAR)  # all numbers, and none too large: the usual case
    triangles = mesh.triangles
    if not tame:
        vertices, triangles, removed = _tamed(vertices, triangles, units)
        if removed:
            warnings.append(f"{removed} triangles with coordinates that are no numbers were removed")
    found = cleaned(vertices, triangles)
    if not len(found.triangles):
        raise Unreadable("has no triangle with an area: it is damaged, or its units are wrong")
    extent = float(np.max(np.ptp(found.vertices, axis=0)))
    if not SMALL <= extent <= LARGE:
        warnings.append(f'it is {extent:.3g} m large: check units = "{units or "m"}"')
    for array in (found.vertices, found.triangles):
        array.setflags(write=False)
    return MeshData(found.vertices, found.triangles, found.closed, (*warnings, *found.warnings))


def _tamed(vertices: Vertices, triangles: Triangles, units: str | None) -> tuple[Vertices, Triangles, int]:
    """Without the triangles that have no place; what is then still too far away is refused."""
    finite = np.all(np.isfinite(vertices), axis=1, keepdims=True)[:, 0]
    good = np.all(finite[triangles], axis=1, keepdims=True)[:, 0]
    if not good.any():
        raise Unreadable("has no triangle whose coordinates are numbers: it is damaged")
    triangles = triangles[good]
    used = np.zeros(len(vertices), dtype=bool)
    used[triangles] = True
    largest = float(np.abs(vertices[used]).max())
    if largest > FAR:
        given = f'"{units}"' if units else "metres"
        raise Unreadable(f"has coordinates up to {largest:.3g} m, beyond {FAR:g} m: is it really in {given}?")
    return np.where(used[:, None], vertices, 0.0), triangles, int(len(good) - good.sum())
