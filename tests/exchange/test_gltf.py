"""glTF: the scene's nodes put its meshes where they are; nothing outside its folder is read."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from lissom.exchange import MeshData, MeshError, raw, read_mesh

from .conftest import box, glb, gltf_tree, volume, written


def read(folder: Path, tree: dict[str, Any], data: bytes) -> MeshData:
    return read_mesh(written(folder, "a.glb", glb(tree, data)))


def test_nodes_with_parents_against_scipy(tmp_path: Path) -> None:
    tree, data = gltf_tree(*box(2, 4, 6))
    turn = Rotation.from_euler("xyz", [0.3, -0.8, 1.1])
    outer = np.eye(4)
    outer[:3, :3] = Rotation.from_euler("z", 0.4).as_matrix()
    outer[:3, 3] = [5, 6, 7]
    tree["nodes"] = [
        {"matrix": outer.T.reshape(-1).tolist(), "children": [1, 2]},
        {"mesh": 0, "translation": [1, 2, 3], "rotation": turn.as_quat().tolist(), "scale": [1, 2, 0.5]},
        {"mesh": 0, "translation": [30, 0, 0]},
        {"mesh": 0, "translation": [99, 99, 99]},  # not in the scene
    ]
    mesh = read(tmp_path, tree, data)
    corners = box(2, 4, 6)[0]
    first = (turn.apply(corners * [1, 2, 0.5]) + np.array([1, 2, 3])) @ outer[:3, :3].T + outer[:3, 3]
    second = (corners + np.array([30, 0, 0])) @ outer[:3, :3].T + outer[:3, 3]
    assert mesh.closed
    assert mesh.vertices == pytest.approx(np.concatenate([first, second]), abs=1e-9)
    other = trimesh.load(tmp_path / "a.glb", force="mesh")
    assert mesh.vertices.min(axis=0) == pytest.approx(other.bounds[0], abs=1e-6)
    assert mesh.vertices.max(axis=0) == pytest.approx(other.bounds[1], abs=1e-6)


def test_a_mirrored_node_keeps_its_outside_outside(tmp_path: Path) -> None:
    tree, data = gltf_tree(*box(2, 4, 6))
    tree["nodes"][0]["scale"] = [-1, 1, 1]
    mesh = read(tmp_path, tree, data)
    assert volume(mesh.vertices, mesh.triangles) == pytest.approx(48.0)
    assert not mesh.warnings


def test_without_scenes_all_nodes_count(tmp_path: Path) -> None:
    tree, data = gltf_tree(*box(1, 1, 1))
    del tree["scenes"], tree["scene"]
    assert len(read(tmp_path, tree, data).triangles) == 12


@pytest.mark.parametrize(("mode", "order"), [(4, [0, 1, 2, 2, 1, 3]), (5, [0, 1, 2, 3]), (6, [1, 3, 2, 0])])
def test_triangles_strips_and_fans(mode: int, order: list[int], tmp_path: Path) -> None:
    square = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.0]])
    tree, data = gltf_tree(square, np.array([order]))
    tree["meshes"][0]["primitives"][0]["mode"] = mode
    mesh = read(tmp_path, tree, data)
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    assert np.cross(b - a, c - a).tolist() == [[0, 0, 1]] * 2


def test_no_indices_short_indices_strides_and_fractions(tmp_path: Path) -> None:
    vertices, triangles = box(2, 2, 2)
    tree, data = gltf_tree(vertices[triangles].reshape(-1, 3), np.zeros((0, 3), dtype=np.int64))
    del tree["meshes"][0]["primitives"][0]["indices"]
    assert read(tmp_path, tree, data).closed
    rows = np.zeros(8, dtype=np.dtype([("x", "<i2", 3), ("pad", "<i2"), ("more", "<f4")]))
    rows["x"] = 32767 * vertices
    data = rows.tobytes() + triangles.astype("<u2").tobytes()
    tree, _ = gltf_tree(vertices, triangles)
    tree["accessors"][0] |= {"componentType": 5122, "normalized": True}
    tree["accessors"][1]["componentType"] = 5123
    tree["bufferViews"][0] |= {"byteLength": rows.nbytes, "byteStride": 12}
    tree["bufferViews"][1] |= {"byteOffset": rows.nbytes, "byteLength": 72}
    mesh = read(tmp_path, tree, data)
    assert mesh.closed
    assert np.abs(mesh.vertices).max() == 1.0


def test_points_and_lines_are_left_out(tmp_path: Path) -> None:
    tree, data = gltf_tree(*box(1, 1, 1))
    tree["meshes"][0]["primitives"].append({"attributes": {"POSITION": 0}, "mode": 1})
    assert read(tmp_path, tree, data).warnings == ("1 sets of points or lines were left out",)


def changed(*keys: Any, value: Any) -> dict[str, Any]:
    tree, _ = gltf_tree(*box())
    here: Any = tree
    for key in keys[:-1]:
        here = here[key]
    here[keys[-1]] = value
    return tree


WRONG: list[tuple[dict[str, Any], str]] = [
    (changed("accessors", 0, "count", value=10**9), "1000000000 values|vertices, more than"),
    (changed("accessors", 1, "count", value=39), "39 values in 144 bytes"),
    (changed("accessors", 1, "count", value=-3), "no whole number"),
    (changed("accessors", 1, "count", value=3.5), "no whole number"),
    (changed("accessors", 1, "count", value=True), "no whole number"),
    (changed("accessors", 0, "byteOffset", value=8), "do not fit"),
    (changed("accessors", 0, "type", value="VEC2"), "are no VEC3"),
    (changed("accessors", 0, "componentType", value=1), "are no VEC3"),
    (changed("accessors", 0, "sparse", value={"count": 1}), "sparse or empty accessors"),
    (changed("accessors", 0, value={"componentType": 5126, "count": 10**6, "type": "VEC3"}), "sparse or empty"),
    (changed("bufferViews", 0, "byteStride", value=4), "do not fit"),
    (changed("bufferViews", 0, "byteLength", value=10**9), "in a buffer of"),
    (changed("bufferViews", 0, "byteOffset", value=10**9), "in a buffer of"),
    (changed("bufferViews", 0, "buffer", value=3), "no number 3 among its buffers"),
    (changed("bufferViews", 0, "extensions", value={"EXT_meshopt_compression": {}}), "without compression"),
    (
        changed("meshes", 0, "primitives", 0, "extensions", value={"KHR_draco_mesh_compression": {}}),
        "without compression",
    ),
    (changed("meshes", 0, "primitives", 0, "indices", value=9), "no number 9 among its accessors"),
    (changed("nodes", 0, "children", value=[0]), "several parents or in a circle"),
    (changed("scenes", 0, "nodes", value=[0, 0]), "several parents or in a circle"),
    (changed("nodes", 0, "mesh", value=5), "no number 5 among its meshes"),
    (changed("nodes", 0, "matrix", value=[1, 2]), "no list of numbers"),
    (changed("nodes", 0, "scale", value=[1, "x", 1]), "no list of numbers"),
    (changed("nodes", 0, "scale", value=[1, 1e300, 1]), "no list of numbers"),
    (changed("nodes", 0, "rotation", value=[0, 0, 0, 0]), "no unit quaternion"),
    (changed("nodes", 0, "extensions", value={"EXT_mesh_gpu_instancing": {}}), "without instancing"),
    (changed("scene", value=4), "no number 4 among its scenes"),
    (changed("nodes", value={}), "where a list should be"),
    (changed("buffers", 0, "uri", value=3), "uri is no text"),
    (changed("buffers", 0, "uri", value="data:;base64,@@@"), "not base64"),
    (changed("buffers", 0, "uri", value="data:text/plain,abc"), "not base64"),
]


@pytest.mark.parametrize(("tree", "words"), WRONG)
def test_what_is_wrong_is_said(tree: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(MeshError, match=words):
        read(tmp_path, tree, gltf_tree(*box())[1])


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.bin",
        "/etc/hostname",
        "sub/data.bin",
        "..",
        "%2e%2e/secret.bin",
        "file:///etc/hostname",
        "https://example.org/data.bin",
        "C:\\x.bin",
        "link.bin",
        "",
        "a\0b",
        "data.bin/../../secret.bin",
        "x" * 5000,
    ],
)
def test_nothing_outside_its_folder_is_read(uri: str, tmp_path: Path) -> None:
    tree, data = gltf_tree(*box(1, 1, 1))
    (tmp_path / "secret.bin").write_bytes(data)
    folder = tmp_path / "here"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "data.bin").write_bytes(data)
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    tree["buffers"][0]["uri"] = uri
    with pytest.raises(MeshError, match=r"export it as .glb|names a file that cannot|beside it"):
        read_mesh(written(folder, "a.gltf", json.dumps(tree)))


def test_buffers_beside_it_and_in_it(tmp_path: Path) -> None:
    tree, data = gltf_tree(*box(1, 1, 1))
    (tmp_path / "my data.bin").write_bytes(data)
    tree["buffers"][0]["uri"] = "my%20data.bin"
    path = written(tmp_path, "a.gltf", json.dumps(tree))
    assert read_mesh(path).closed
    (tmp_path / "my data.bin").unlink()
    with pytest.raises(MeshError, match=r'needs the file "my data.bin" beside it, and there is no such file'):
        read_mesh(path)
    tree["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    assert read_mesh(written(tmp_path, "a.gltf", json.dumps(tree))).closed


def test_many_copies_of_one_mesh_are_counted_before_they_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, data = gltf_tree(*box(1, 1, 1))
    tree["nodes"] = [{"mesh": 0, "translation": [2 * k, 0, 0]} for k in range(100)]
    tree["scenes"][0]["nodes"] = list(range(100))
    assert len(read(tmp_path, tree, data).triangles) == 1200
    monkeypatch.setattr(raw, "MOST_TRIANGLES", 1000)
    with pytest.raises(MeshError, match="1008 triangles, more than the 1000 allowed"):
        read(tmp_path, tree, data)
    tree["meshes"][0]["primitives"][0].pop("indices")
    monkeypatch.setattr(raw, "MOST_TRIANGLES", 100)
    with pytest.raises(MeshError, match=r"304 vertices, more than the 300 allowed|triangles, more than"):
        read(tmp_path, tree, data)
