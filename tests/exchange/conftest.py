"""Meshes to write, read and break."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from hypothesis import settings
from numpy.typing import NDArray

from lissom.exchange.shapes import shape_mesh
from lissom.scene import BoxShape

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

Vertices = NDArray[np.float64]
Triangles = NDArray[np.int64]


def box(x: float = 100.0, y: float = 60.0, z: float = 20.0) -> tuple[Vertices, Triangles]:
    """In the numbers of the file."""
    return shape_mesh(BoxShape(kind="box", size=(x, y, z)))


def ball(radius: float = 50.0) -> tuple[Vertices, Triangles]:
    made = trimesh.creation.icosphere(subdivisions=2, radius=radius)
    return np.array(made.vertices), np.array(made.faces, dtype=np.int64)


def moved(mesh: tuple[Vertices, Triangles], by: tuple[float, float, float]) -> tuple[Vertices, Triangles]:
    return mesh[0] + by, mesh[1]


def together(*meshes: tuple[Vertices, Triangles]) -> tuple[Vertices, Triangles]:
    starts = np.cumsum([0, *(len(v) for v, _ in meshes)])
    return np.concatenate([v for v, _ in meshes]), np.concatenate(
        [t + s for (_, t), s in zip(meshes, starts, strict=False)]
    )


def stl(
    vertices: Vertices, triangles: Triangles, *, claimed: int | None = None, head: bytes = b"made by a test"
) -> bytes:
    records = np.zeros(len(triangles), dtype=np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")]))
    records["v"] = vertices[triangles]
    return head.ljust(80, b"\0") + struct.pack("<I", len(triangles) if claimed is None else claimed) + records.tobytes()


def ascii_stl(vertices: Vertices, triangles: Triangles, name: str = "part") -> str:
    lines = [f"solid {name}"]
    for triangle in triangles:
        lines += [" facet normal 0 0 0", "  outer loop"]
        lines += [f"   vertex {x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices[triangle]]
        lines += ["  endloop", " endfacet"]
    return "\n".join([*lines, f"endsolid {name}"]) + "\n"


def obj(vertices: Vertices, triangles: Triangles) -> str:
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices]
    return "\n".join(lines + [f"f {a} {b} {c}" for a, b, c in triangles + 1]) + "\n"


def ply(vertices: Vertices, triangles: Triangles, order: str = "<") -> bytes:
    head = "ply\nformat {}\ncomment a test\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
    head += "element face {}\nproperty list uchar int vertex_indices\nend_header\n"
    name = {"<": "binary_little_endian 1.0", ">": "binary_big_endian 1.0", "": "ascii 1.0"}[order]
    text = head.format(name, len(vertices), len(triangles)).encode()
    if not order:
        text += "".join(f"{x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in vertices).encode()
        return text + "".join(f"3 {a} {b} {c}\n" for a, b, c in triangles).encode()
    faces = np.zeros(len(triangles), dtype=np.dtype([("n", "u1"), ("v", f"{order}i4", 3)]))
    faces["n"], faces["v"] = 3, triangles
    return text + vertices.astype(f"{order}f4").tobytes() + faces.tobytes()


def gltf_tree(vertices: Vertices, triangles: Triangles) -> tuple[dict[str, Any], bytes]:
    data = vertices.astype("<f4").tobytes() + triangles.astype("<u4").tobytes()
    size = 12 * len(vertices)
    tree = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(vertices), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": triangles.size, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": size},
            {"buffer": 0, "byteOffset": size, "byteLength": len(data) - size},
        ],
        "buffers": [{"byteLength": len(data)}],
    }
    return tree, data


def glb(tree: dict[str, Any], data: bytes) -> bytes:
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body


def written(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def volume(vertices: Vertices, triangles: Triangles) -> float:
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)
