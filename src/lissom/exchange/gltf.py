"""glTF 2.0 and its binary form GLB: the triangles of all meshes of the scene, where its nodes put them.

Only positions and indices are read; materials and pictures are not looked at. A file may be hostile: every length is
compared with the bytes there are before anything is made of it, nothing outside the file's own folder is opened.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from lissom.exchange.raw import RawMesh, Triangles, Unreadable, Vertices, refuse_too_many, refuse_too_many_vertices

MAGIC: Final = b"glTF"
JSON_CHUNK, BIN_CHUNK = 0x4E4F534A, 0x004E4942

_COMPONENTS: Final = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_SIZES: Final = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_TRIANGLES, _STRIP, _FAN = 4, 5, 6

_COMPRESSED: Final = ("KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression")

Sibling = Callable[[str], bytes]
"""Reads a file of the same folder by its name."""


class Placed(NamedTuple):
    """A mesh of the file, and the 4×4 matrix that puts it into the scene."""

    mesh: int
    matrix: NDArray[np.float64]


def read_glb(raw: bytes, sibling: Sibling) -> RawMesh:
    if len(raw) < 20 or raw[:4] != MAGIC:
        raise Unreadable("does not begin as a GLB file: it is cut off, or another format")
    version, length = _word(raw, 4), _word(raw, 8)
    if version != 2:
        raise Unreadable(f"is of glTF version {version}: export it as glTF 2.0")
    if length > len(raw):
        raise Unreadable(f"says it has {length} bytes, but has {len(raw)}: it is cut off or damaged")
    chunks: dict[int, bytes] = {}
    at = 12
    while at + 8 <= length:
        size, kind = _word(raw, at), _word(raw, at + 4)
        if at + 8 + size > length:
            raise Unreadable(f"has a chunk of {size} bytes that does not fit into it: it is cut off or damaged")
        chunks.setdefault(kind, raw[at + 8 : at + 8 + size])
        at += 8 + size
    if JSON_CHUNK not in chunks:
        raise Unreadable("has no JSON chunk: it is damaged")
    return _Document(chunks[JSON_CHUNK], chunks.get(BIN_CHUNK), sibling).surface()


def read_gltf(raw: bytes, sibling: Sibling) -> RawMesh:
    return _Document(raw, None, sibling).surface()


def _word(raw: bytes, at: int) -> int:
    return int.from_bytes(raw[at : at + 4], "little")


class _Document:
    def __init__(self, text: bytes, binary: bytes | None, sibling: Sibling) -> None:
        try:
            self.tree = json.loads(text.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            raise Unreadable("holds no valid JSON: it is damaged, or no glTF file") from None
        version = str(_table(_table(self.tree).get("asset", {})).get("version", "2.0"))
        if not version.startswith("2"):
            raise Unreadable(f"is of glTF version {version[:20]}: export it as glTF 2.0")
        self.binary = binary
        self.sibling = sibling
        self.buffers: dict[int, bytes] = {}
        self.skipped = 0

    def surface(self) -> RawMesh:
        vertices: list[Vertices] = [np.zeros((0, 3))]
        triangles: list[Triangles] = [np.zeros((0, 3), dtype=np.int64)]
        corners = count = 0
        for mesh, matrix in self.placed_meshes():
            for primitive in _list(self.item("meshes", mesh).get("primitives", [])):
                self.check_size(_table(primitive), corners, count)
                x, t = self.primitive(_table(primitive))
                with np.errstate(over="ignore", invalid="ignore"):
                    x = x @ matrix[:3, :3].T + matrix[:3, 3]
                    if np.linalg.det(matrix[:3, :3]) < 0.0:  # a mirrored mesh is wound the other way [glTF 2.0 §3.7.4]
                        t = t[:, ::-1]
                vertices.append(x)
                triangles.append(t + corners)
                corners += len(x)
                count += len(t)
        notes = (f"{self.skipped} sets of points or lines were left out",) if self.skipped else ()
        return RawMesh(np.concatenate(vertices), np.concatenate(triangles), notes)

    # ---- nodes -------------------------------------------------------------------------------------------------------

    def placed_meshes(self) -> list[Placed]:
        """In the order of the file; every node has one parent at most, as the format demands."""
        nodes = _list(self.tree.get("nodes", []))
        children = [[_index(c) for c in _list(_table(node).get("children", []))] for node in nodes]
        found: list[Placed] = []
        seen: set[int] = set()
        waiting = [(root, np.eye(4)) for root in reversed(self.roots(children))]
        while waiting:
            number, outer = waiting.pop()
            if number in seen:
                raise Unreadable("has nodes with several parents or in a circle: it is damaged")
            seen.add(number)
            node = self.item("nodes", number)
            with np.errstate(over="ignore", invalid="ignore"):
                matrix = outer @ _matrix(node)
            if "EXT_mesh_gpu_instancing" in _table(node.get("extensions", {})):
                raise Unreadable("uses EXT_mesh_gpu_instancing, which is not read: export it without instancing")
            if "mesh" in node:
                found.append(Placed(_index(node["mesh"]), matrix))
            waiting += [(child, matrix) for child in reversed(children[number])]
        return found

    def roots(self, children: list[list[int]]) -> list[int]:
        scenes = _list(self.tree.get("scenes", []))
        if scenes:
            return [_index(n) for n in _list(self.item("scenes", _index(self.tree.get("scene", 0))).get("nodes", []))]
        below = {child for group in children for child in group}
        return [n for n in range(len(children)) if n not in below]

    # ---- triangles ---------------------------------------------------------------------------------------------------

    def check_size(self, primitive: dict[str, Any], corners: int, count: int) -> None:
        """Before it is read: what there is already, and this, must not be too much."""
        where = _table(primitive.get("attributes", {})).get("POSITION")
        if where is not None:
            vertices = _size(self.item("accessors", _index(where)).get("count", 0))
            refuse_too_many_vertices(corners + vertices)
            order = primitive.get("indices")
            indices = vertices if order is None else _size(self.item("accessors", _index(order)).get("count", 0))
            strips = primitive.get("mode", _TRIANGLES) != _TRIANGLES
            refuse_too_many(count + (indices if strips else indices // 3))

    def primitive(self, primitive: dict[str, Any]) -> tuple[Vertices, Triangles]:
        for name in _table(primitive.get("extensions", {})):
            if name in _COMPRESSED:
                raise Unreadable(f"is compressed ({name}), which is not read: export it without compression")
        mode = primitive.get("mode", _TRIANGLES)
        attributes = _table(primitive.get("attributes", {}))
        if mode not in (_TRIANGLES, _STRIP, _FAN) or "POSITION" not in attributes:
            self.skipped += 1
            return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
        x = self.accessor(_index(attributes["POSITION"]), "VEC3")
        if "indices" in primitive:
            order = self.accessor(_index(primitive["indices"]), "SCALAR")[:, 0].astype(np.int64)
        else:
            order = np.arange(len(x), dtype=np.int64)
        if len(order) and (order.max() >= len(x) or order.min() < 0):
            raise Unreadable(f"has a face with the vertex {int(order.max())}, but only {len(x)} vertices")
        return x, _from_order(order, mode)

    def accessor(self, number: int, shape: str) -> NDArray[np.float64]:
        """(count, columns) as numbers; integers that stand for fractions are divided."""
        said = self.item("accessors", number)
        if said.get("type") != shape or said.get("componentType") not in _COMPONENTS:
            raise Unreadable(f"has positions or indices that are no {shape}: it is damaged")
        if "sparse" in said or "bufferView" not in said:
            raise Unreadable("has sparse or empty accessors, which are not read: export it without them")
        dtype, columns = np.dtype(_COMPONENTS[said["componentType"]]), _SIZES[shape]
        count, offset = _size(said.get("count", 0)), _size(said.get("byteOffset", 0))
        data, step = self.view(_index(said["bufferView"]))
        width = columns * dtype.itemsize
        step = step or width
        if step < width or (count and offset + (count - 1) * step + width > len(data)):
            raise Unreadable(f"has {count} values in {len(data)} bytes, where they do not fit: it is damaged")
        if not count:
            return np.zeros((0, columns))
        rows = np.ndarray((count, columns), dtype, data, offset, (step, dtype.itemsize))
        found = rows.astype(np.float64)
        if said.get("normalized") is True and dtype.kind in "iu":
            found = np.maximum(found / np.iinfo(dtype).max, -1.0)
        return found

    def view(self, number: int) -> tuple[memoryview, int]:
        """The bytes of a buffer view, and the distance between its rows (0: not said)."""
        said = self.item("bufferViews", number)
        for name in _table(said.get("extensions", {})):
            if name in _COMPRESSED:
                raise Unreadable(f"is compressed ({name}), which is not read: export it without compression")
        buffer = self.buffer(_index(said.get("buffer")))
        start, length = _size(said.get("byteOffset", 0)), _size(said.get("byteLength", 0))
        if start + length > len(buffer):
            raise Unreadable(f"has {length} bytes at {start} in a buffer of {len(buffer)}: it is cut off or damaged")
        return memoryview(buffer)[start : start + length], _size(said.get("byteStride", 0))

    def buffer(self, number: int) -> bytes:
        if number not in self.buffers:
            uri = self.item("buffers", number).get("uri")
            if uri is None:
                if self.binary is None or number != 0:
                    raise Unreadable("has a buffer without data: it is damaged")
                self.buffers[number] = self.binary
            elif not isinstance(uri, str):
                raise Unreadable("has a buffer whose uri is no text: it is damaged")
            elif uri.startswith("data:"):
                self.buffers[number] = _embedded(uri)
            else:
                self.buffers[number] = self.sibling(unquote(uri))
        return self.buffers[number]

    def item(self, group: str, number: int) -> dict[str, Any]:
        items = _list(self.tree.get(group, []))
        if not number < len(items):
            raise Unreadable(f"has no number {number} among its {group}: it is damaged")
        return _table(items[number])


def _from_order(order: Triangles, mode: int) -> Triangles:
    if mode == _TRIANGLES:
        return order[: len(order) // 3 * 3].reshape(-1, 3)
    if len(order) < 3:
        return np.zeros((0, 3), dtype=np.int64)
    if mode == _FAN:
        return np.stack([np.full(len(order) - 2, order[0]), order[1:-1], order[2:]], axis=1)
    strip = np.stack([order[:-2], order[1:-1], order[2:]], axis=1)
    strip[1::2] = strip[1::2, [1, 0, 2]]  # every second triangle of a strip is wound the other way
    return strip


def _matrix(node: dict[str, Any]) -> NDArray[np.float64]:
    """Column by column, or translation · rotation (x, y, z, w) · scale."""
    if "matrix" in node:
        return _numbers(node["matrix"], 16).reshape(4, 4).T
    matrix = np.eye(4)
    x, y, z, w = _numbers(node.get("rotation", [0, 0, 0, 1]), 4)
    size = math.sqrt(x * x + y * y + z * z + w * w)
    if not 0.5 < size < 2.0:
        raise Unreadable("has a node whose rotation is no unit quaternion: it is damaged")
    x, y, z, w = x / size, y / size, z / size, w / size
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    matrix[:3, :3] *= _numbers(node.get("scale", [1, 1, 1]), 3)
    matrix[:3, 3] = _numbers(node.get("translation", [0, 0, 0]), 3)
    return matrix


def _numbers(value: Any, count: int) -> NDArray[np.float64]:
    items = _list(value)
    good = len(items) == count and all(isinstance(k, (int, float)) and abs(k) < 1e30 for k in items)
    if not good:
        raise Unreadable("has a node whose place is no list of numbers: it is damaged")
    return np.array(items, dtype=np.float64)


def _embedded(uri: str) -> bytes:
    head, _, body = uri.partition(",")
    try:
        if not head.endswith(";base64"):
            raise ValueError("not base64")
        return base64.b64decode(body, validate=True)
    except (ValueError, binascii.Error):
        raise Unreadable("has embedded data that is not base64: it is damaged") from None


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Unreadable("has a value where a table should be: it is damaged, or no glTF file")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Unreadable("has a value where a list should be: it is damaged, or no glTF file")
    return value


def _size(value: Any) -> int:
    """A whole number of bytes or items."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**40:
        raise Unreadable("has a size that is no whole number: it is damaged")
    return value


def _index(value: Any) -> int:
    return _size(value)


def glb_bytes(vertices: Vertices, triangles: Triangles) -> bytes:
    """A binary file with one mesh, m; glTF has y up, so the mesh is turned into it."""
    places = np.ascontiguousarray(np.stack([vertices[:, 0], vertices[:, 2], -vertices[:, 1]], axis=1), dtype="<f4")
    order = np.ascontiguousarray(triangles, dtype="<u4")
    low, high = (places.min(axis=0), places.max(axis=0)) if len(places) else (np.zeros(3), np.zeros(3))
    document = {
        "asset": {"version": "2.0", "generator": "lissom"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": places.nbytes + order.nbytes}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": places.nbytes},
            {"buffer": 0, "byteOffset": places.nbytes, "byteLength": order.nbytes},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(places), "type": "VEC3",
             "min": low.tolist(), "max": high.tolist()},
            {"bufferView": 1, "componentType": 5125, "count": order.size, "type": "SCALAR"},
        ],
    }  # fmt: skip
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = [(JSON_CHUNK, text), (BIN_CHUNK, places.tobytes() + order.tobytes())]
    packed = b"".join(np.array([len(data), kind], dtype="<u4").tobytes() + data for kind, data in chunks)
    return MAGIC + np.array([2, 12 + len(packed)], dtype="<u4").tobytes() + packed
