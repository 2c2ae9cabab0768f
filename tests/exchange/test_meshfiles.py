"""Mesh files in: what is right arrives in metres; what is wrong ends in a MeshError that says why."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from lissom.exchange import MeshData, MeshError, part_mesh, raw, read_mesh
from lissom.exchange import meshfiles as module
from lissom.scene import Scene, SceneError

from .conftest import (
    Triangles,
    Vertices,
    ascii_stl,
    ball,
    box,
    glb,
    gltf_tree,
    moved,
    obj,
    ply,
    stl,
    together,
    volume,
    written,
)

Writer = Callable[[Vertices, Triangles], bytes | str]

FORMATS: dict[str, tuple[str, Writer]] = {
    "binary stl": ("a.stl", stl),
    "ascii stl": ("a.STL", ascii_stl),
    "obj": ("a.obj", obj),
    "ascii ply": ("a.ply", lambda v, t: ply(v, t, "")),
    "little-endian ply": ("a.ply", lambda v, t: ply(v, t, "<")),
    "big-endian ply": ("a.Ply", lambda v, t: ply(v, t, ">")),
    "glb": ("a.glb", lambda v, t: glb(*gltf_tree(v, t))),
}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize(("units", "scale"), [("mm", 0.001), ("cm", 0.01), ("m", 1.0), ("in", 0.0254)])
def test_a_box_arrives_in_metres(kind: str, units: str, scale: float, tmp_path: Path) -> None:
    name, write = FORMATS[kind]
    mesh = read_mesh(written(tmp_path, name, write(*box(100, 60, 20))), units)
    assert mesh.closed
    assert (mesh.vertices.shape, mesh.triangles.shape) == ((8, 3), (12, 3))
    assert (str(mesh.vertices.dtype), str(mesh.triangles.dtype)) == ("float64", "int64")
    assert mesh.vertices.max(axis=0) == pytest.approx(scale * np.array([50, 30, 10]))
    assert volume(mesh.vertices, mesh.triangles) == pytest.approx(scale**3 * 120_000)
    large = 100 * scale > 100
    assert len(mesh.warnings) == (1 if large else 0)
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0, 0] = 1.0


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "glb", "gltf"])
def test_what_trimesh_writes(suffix: str, tmp_path: Path) -> None:
    made = trimesh.creation.torus(0.3, 0.1, major_sections=24, minor_sections=12)
    path = tmp_path / f"torus.{suffix}"
    if suffix == "gltf":
        for name, content in trimesh.exchange.gltf.export_gltf(made.scene()).items():  # type: ignore[no-untyped-call]
            (tmp_path / name.replace("model.gltf", "torus.gltf")).write_bytes(content)
    else:
        made.export(path)
    mesh = read_mesh(path, "m")
    assert mesh.closed
    assert not mesh.warnings
    assert len(mesh.triangles) == len(made.faces)
    assert volume(mesh.vertices, mesh.triangles) == pytest.approx(made.volume, rel=1e-5)


def test_glb_needs_no_units_and_the_others_do(tmp_path: Path) -> None:
    assert read_mesh(written(tmp_path, "a.glb", glb(*gltf_tree(*box(1, 1, 1))))).vertices.max() == 0.5
    path = written(tmp_path, "a.stl", stl(*box()))
    with pytest.raises(MeshError, match=r"a.stl: units: is missing: a .stl file does not say its unit; give"):
        read_mesh(path)
    with pytest.raises(MeshError, match=r'units = "mn": must be one of "mm", "cm", "m", "in"; did you mean "m"\?'):
        read_mesh(path, "mn")


NAN = float("nan")


def with_vertex(k: int, value: float) -> bytes:
    vertices, triangles = box()
    vertices[k] = value
    return stl(vertices, triangles)


BAD: list[tuple[str, bytes | str, str]] = [
    ("a.stl", b"", "is empty"),
    ("a.stl", b"solid", "has no triangles"),
    ("a.stl", "solid x\nendsolid x\n", "has no triangles"),
    ("a.stl", stl(*box())[:83], "too short for an STL"),
    ("a.stl", stl(*box())[:-1], "says it has 12 triangles, but holds at most 11"),
    ("a.stl", stl(*box(), claimed=2**32 - 1), "says it has 4294967295 triangles, but holds at most 12"),
    ("a.stl", stl(*box(), claimed=0), "has no triangles"),
    ("a.stl", stl(np.full((3, 3), NAN), np.array([[0, 1, 2]])), "no triangle whose coordinates are numbers"),
    ("a.stl", stl(np.zeros((3, 3)), np.array([[0, 1, 2]])), "no triangle with an area"),
    ("a.stl", with_vertex(0, 1e20), "coordinates up to 1e[+]17 m, beyond 1e[+]06 m: is it really in"),
    ("a.stl", ascii_stl(*box())[:-200], "facets but .* vertices"),
    ("a.stl", ascii_stl(*box()).replace("vertex 50 ", "vertex 5O ", 1), "is no three numbers: '5O "),
    ("a.stl", ascii_stl(*box()).replace("vertex", "vortex", 1), "12 facets but 35 vertices"),
    ("a.stl", "solid " + "\ufffd" * 1000, "has no triangles"),
    ("a.obj", b"\0\1\2\3", "is not text"),
    ("a.obj", "hello\nworld\n", "has no triangles"),
    ("a.obj", obj(*box()).replace("v 50", "v x50", 1), "has a line that cannot be read: 'v x50"),
    ("a.obj", obj(*box()) + "v 1 2\n", "cannot be read: 'v 1 2'"),
    ("a.obj", obj(*box()) + "f 1 2 99\n", "has a face with the vertex 99, but only 8 vertices"),
    ("a.obj", obj(*box()) + "f 1 2 0\n", "cannot be read: 'f 1 2 0'"),
    ("a.obj", obj(*box()) + "f 1 2 -9\n", "cannot be read: 'f 1 2 -9'"),
    ("a.obj", obj(*box()) + "f 1 2 99999999999999999999\n", "cannot be read"),
    ("a.obj", obj(*box()) + "f a b c\n", "cannot be read: 'f a b c'"),
    ("a.obj", "v 1 2 3\nv 0 0 0\nv nan 0 0\nf 1 2 3\n", "no triangle whose coordinates are numbers"),
    ("a.ply", b"ply\n", "does not begin with the header of a PLY"),
    ("a.ply", b"plop\nend_header\n", "does not begin with the header of a PLY"),
    ("a.ply", ply(*box()).replace(b"format binary_little_endian 1.0\n", b""), "does not say its format"),
    ("a.ply", ply(*box()).replace(b"little", b"middle"), "header line that cannot be read: 'format binary_middle"),
    ("a.ply", ply(*box()).replace(b"float x", b"half x"), "header line that cannot be read: 'property half x'"),
    ("a.ply", ply(*box()).replace(b"float x", b"float w"), 'has no "x" in the element "vertex"'),
    ("a.ply", ply(*box()).replace(b"vertex 8", b"vertex 8000000000000"), '8000000000000 of the element "vertex"'),
    (
        "a.ply",
        ply(*box()).replace(b"face 12", b"face 4000000000"),
        '4000000000 of the element "face", but is too short',
    ),
    ("a.ply", ply(*box()).replace(b"face 12", b"face -1"), "header line that cannot be read: 'element face -1'"),
    ("a.ply", ply(*box(), "").replace(b"face 12", b"face 99999999"), 'the element "face", but is too short'),
    (
        "a.ply",
        ply(*box(), "").replace(b"vertex 8", b"vertex 20"),
        "face that cannot be read|no rows of numbers",
    ),
    ("a.ply", ply(*box())[:-1], "too short"),
    ("a.ply", ply(*box(), "")[:-20], "too short|cannot be read"),
    ("a.ply", ply(*box(), "").replace(b"\n3 ", b"\n4 ", 1), "face that cannot be read"),
    ("a.ply", ply(*box()).replace(b"uchar int", b"float int"), "header line that cannot be read"),
    ("a.ply", ply(*box()).replace(b"uchar int", b"uchar float"), "no lists of vertices"),
    ("a.ply", ply(*box()).replace(b"element face 12\n", b"element faces 12\n"), "has no faces"),
    ("a.glb", b"glTF", "does not begin as a GLB"),
    ("a.glb", glb(*gltf_tree(*box()))[:-4], "is cut off or damaged"),
    ("a.glb", b"glTF" + struct.pack("<II", 1, 20) + bytes(8), "version 1: export it as glTF 2.0"),
    ("a.glb", b"glTF" + struct.pack("<IIII", 2, 20, 2**31, 0x4E4F534A), "chunk of 2147483648 bytes that does not fit"),
    ("a.glb", b"glTF" + struct.pack("<IIII", 2, 20, 0, 7), "has no JSON chunk"),
    ("a.gltf", "[1]", "where a table should be"),
    ("a.gltf", "{", "no valid JSON"),
    ("a.gltf", "[" * 100_000, "no valid JSON"),
    ("a.gltf", "{}", "has no triangles"),
    ("a.gltf", '{"asset": {"version": "1.0"}}', "version 1.0"),
    ("a.step", b"ISO-10303-21;", r"must end in one of .stl, .obj, .ply, .glb, .gltf"),
    ("a", b"solid", "must end in one of"),
]


@pytest.mark.parametrize(("name", "content", "words"), BAD)
def test_bad_files(name: str, content: bytes | str, words: str, tmp_path: Path) -> None:
    with pytest.raises(MeshError, match=words) as caught:
        read_mesh(written(tmp_path, name, content), "mm")
    assert isinstance(caught.value, SceneError)
    assert str(caught.value).startswith(str(tmp_path / name))


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder.stl").mkdir()
    for name, words in [
        ("none.stl", "there is no such file"),
        ("folder.stl", "is a folder, not a file"),
        ("a\0b.stl", ""),
        ("a" * 5000 + ".stl", ""),
    ]:
        with pytest.raises(MeshError, match=words or None):
            read_mesh(tmp_path / name, "mm")


def test_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw, "MOST_TRIANGLES", 11)
    for name, write in FORMATS.values():
        with pytest.raises(MeshError, match="12 triangles, more than the 11 allowed"):
            read_mesh(written(tmp_path, name, write(*box())), "mm")
    monkeypatch.setattr(raw, "LARGEST_FILE", 100)
    with pytest.raises(MeshError, match="is larger than"):
        read_mesh(written(tmp_path, "a.stl", stl(*box())), "mm")


def test_a_huge_file_is_refused_by_its_size_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.stl"
    with path.open("wb") as stream:
        stream.truncate(3 * 2**30)  # sparse: it takes no room
    with pytest.raises(MeshError, match=r"is larger than 2 GiB \(3.0\)"):
        read_mesh(path, "mm")


def test_some_triangles_are_no_numbers(tmp_path: Path) -> None:
    mesh = read_mesh(written(tmp_path, "a.stl", with_vertex(0, NAN)), "mm")
    assert 0 < len(mesh.triangles) < 12
    assert any("no numbers were removed" in text for text in mesh.warnings)
    assert np.isfinite(mesh.vertices).all()
    assert not mesh.closed


@pytest.mark.parametrize(("size", "units", "warned"), [(90, "m", 0), (101, "m", 1), (1.1, "mm", 0), (0.9, "mm", 1)])
def test_odd_sizes_ask_about_the_units(size: float, units: str, warned: int, tmp_path: Path) -> None:
    mesh = read_mesh(written(tmp_path, "a.stl", stl(*box(size, size / 2, size / 2))), units)
    assert len(mesh.warnings) == warned
    assert all(f'check units = "{units}"' in text for text in mesh.warnings)


def test_bytes_behind_a_binary_stl(tmp_path: Path) -> None:
    mesh = read_mesh(written(tmp_path, "a.stl", stl(*box(), head=b"solid box") + bytes(10)), "mm")
    assert len(mesh.triangles) == 12
    assert mesh.warnings == ("10 bytes after the last triangle were ignored",)


def test_an_ascii_stl_of_another_style(tmp_path: Path) -> None:
    text = ascii_stl(*box(), name="vertex 1 2 plate").upper().replace("\n", "\r\n")
    assert read_mesh(written(tmp_path, "a.stl", text), "mm").closed
    two = ascii_stl(*box()) + ascii_stl(*moved(box(), (500, 0, 0)))
    assert len(read_mesh(written(tmp_path, "a.stl", two), "mm").triangles) == 24
    cut = ascii_stl(*box()).replace("endsolid part", "")
    assert "may be cut off" in read_mesh(written(tmp_path, "a.stl", cut), "mm").warnings[0]


def test_an_obj_of_another_style(tmp_path: Path) -> None:
    faces = "f 1//1 2//1 3//1 4//1\nf 8/1/2 7/1/2 6/1/2 5/1/2\nf 1 5 6 2\nf 2 6 7 3\nf 3 7 8 4\nf -4 -8 -5 -1\n"
    corners = [(0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1), (1, 0, 1)]
    points = "".join(f"v  {x}\t{y} {z} 1.0\n" for x, y, z in corners)
    text = (
        f"# a cube\r\nmtllib ../../secret.mtl\no cube\n{points}vn 0 0 1\nvt 0 0\nusemtl x\ns off\n{faces}l 1 2\nf 1 2\n"
    )
    mesh = read_mesh(written(tmp_path, "a.obj", text.replace("f 1 5 6 2", "f 1 5 \\\n6 2")), "m")
    assert mesh.closed
    assert volume(mesh.vertices, mesh.triangles) == pytest.approx(1.0)
    assert mesh.warnings == ("1 faces of fewer than three corners were left out",)


def test_negative_numbers_count_from_the_vertices_so_far(tmp_path: Path) -> None:
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 5\nv 1 0 5\nv 0 1 5\nf -3 -2 -1\n"
    mesh = read_mesh(written(tmp_path, "a.obj", text), "m")
    assert sorted(mesh.vertices[mesh.triangles][:, :, 2].tolist()) == [[0, 0, 0], [5, 5, 5]]


def test_an_obj_whose_lines_differ(tmp_path: Path) -> None:
    """Colours on some of the vertices only."""
    mesh = read_mesh(written(tmp_path, "a.obj", "v 0 0 0 1 0 0\nv 1 0 0\nv 0 1 0 1 1 1\nf 1 2 3\n"), "m")
    assert mesh.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


def test_a_ply_with_more_in_it(tmp_path: Path) -> None:
    """Colours, another element in front, triangles and quadrangles mixed, values before and behind the list."""
    head = b"ply\r\nformat binary_little_endian 1.0\r\nelement camera 2\r\nproperty list uchar float v\r\n"
    head += b"element vertex 5\r\nproperty uchar red\r\nproperty double x\r\nproperty double y\r\nproperty double z\r\n"
    head += b"element face 2\r\nproperty uchar flag\r\nproperty list uint8 uint32 vertex_index\r\nproperty short k\r\n"
    head += b"end_header\r\n"
    body = struct.pack("<BffB", 2, 1.0, 2.0, 0)
    for x, y in [(0, 0), (1, 0), (1, 1), (0, 1), (2, 0)]:
        body += struct.pack("<Bddd", 9, x, y, 0.0)
    body += struct.pack("<BB4IhBB3Ih", 1, 4, 0, 1, 2, 3, 7, 1, 3, 1, 4, 2, 7)
    mesh = read_mesh(written(tmp_path, "a.ply", head + body), "m")
    assert len(mesh.triangles) == 3
    assert mesh.vertices[:, 2].tolist() == [0.0] * 5
    for cut in range(1, 40):
        with pytest.raises(MeshError):
            read_mesh(written(tmp_path, "a.ply", (head + body)[:-cut]), "m")
    text = b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    text += b"element face 1\nproperty list uchar int extra\nproperty list uchar int vertex_indices\nend_header\n"
    text += b"0 0 0\n1 0 0\n1 1 0\n\n0 1 0\n2 5 5 4 0 1 2 3\n"
    assert len(read_mesh(written(tmp_path, "a.ply", text), "m").triangles) == 2


def test_several_bodies(tmp_path: Path) -> None:
    mesh = read_mesh(written(tmp_path, "a.stl", stl(*together(box(), moved(ball(), (500, 0, 0))))), "mm")
    assert mesh.closed
    assert not mesh.warnings


# ---- from a scene --------------------------------------------------------------------------------------------------

SCENE = """\
[[parts]]
name = "carrier"
mesh = "meshes/carrier.stl"
units = "mm"

[[parts]]
name = "stand"
shape = { kind = "sphere", radius = 1 }
"""


def test_the_mesh_of_a_part(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    written(tmp_path / "meshes", "carrier.stl", stl(*box()))
    scene = Scene.load(written(tmp_path, "scene.toml", SCENE))
    mesh = part_mesh(scene, "carrier")
    assert isinstance(mesh, MeshData)
    assert mesh.closed
    elsewhere = scene.with_value("carrier/mesh", str(tmp_path / "meshes" / "carrier.stl"))
    assert part_mesh(elsewhere, elsewhere.part("carrier")).closed
    with pytest.raises(MeshError, match="stand/mesh: is missing"):
        part_mesh(scene, "stand")


def test_errors_of_the_mesh_of_a_part_have_its_line(tmp_path: Path) -> None:
    scene = Scene.load(written(tmp_path, "scene.toml", SCENE))
    with pytest.raises(MeshError) as caught:
        part_mesh(scene, "carrier")
    file = tmp_path / "scene.toml"
    assert str(caught.value) == f'{file}:3: carrier/mesh = "meshes/carrier.stl": there is no such file in {tmp_path}'
    with pytest.raises(MeshError, match=r'^carrier/mesh = "meshes/carrier.stl"'):
        part_mesh(Scene.from_dict(scene.to_dict()), "carrier")


def test_the_error_of_a_bad_mesh_names_its_file_once(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    bad = written(tmp_path / "meshes", "carrier.stl", b"")
    scene = Scene.load(written(tmp_path, "scene.toml", SCENE))
    for said in (scene, scene.with_value("carrier/mesh", str(bad))):
        with pytest.raises(MeshError, match="is empty") as caught:
            part_mesh(said, "carrier")
        assert str(caught.value).count("carrier.stl") == 1


# ---- hostile bytes -------------------------------------------------------------------------------------------------


def attempt(path: Path, content: bytes) -> None:
    """A mesh that is sound, or a MeshError that can be printed."""
    path.write_bytes(content)
    mesh, message = None, ""
    try:
        mesh = read_mesh(path, "mm")
    except MeshError as error:
        message = str(error)
    message.encode("utf-8")
    assert "cannot be read as" not in message, "an error that no reader has foreseen"
    if mesh is None:
        return
    assert np.isfinite(mesh.vertices).all()
    assert np.abs(mesh.vertices).max() <= 1e6
    assert len(mesh.triangles) > 0
    assert mesh.triangles.min() >= 0
    assert mesh.triangles.max() < len(mesh.vertices)
    if mesh.closed:
        assert trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False).is_watertight


PIECES = [b"\0", b"\xff\xff\xff\xff", b"\x7f\xf0\0\0", b"\x00\x00\x80\x7f", b"nan", b"inf", b"-1", b"1e308", b"9" * 30]
PIECES += [b"\n", b"f ", b"v ", b"[", b"{", b"]", b'"', b"vertex", b"facet", b"end_header", b"list", b"/", b"0", b"."]


@pytest.mark.parametrize("kind", [*FORMATS, "gltf"])
def test_fuzzed_bytes_end_in_a_mesh_or_a_mesh_error(kind: str, tmp_path: Path) -> None:
    chance = random.Random(f"meshes {kind}")
    name, write = FORMATS.get(kind, ("a.gltf", FORMATS["glb"][1]))
    source = write(*together(box(), moved(box(), (200, 0, 0))))
    content = source.encode() if isinstance(source, str) else source
    if kind == "gltf":
        import base64
        import json

        tree, data = gltf_tree(*box())
        tree["buffers"][0]["uri"] = "data:;base64," + base64.b64encode(data).decode()
        content = json.dumps(tree).encode()
    attempt(tmp_path / name, content)
    for _ in range(300):
        broken = bytearray(content)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(broken)) if chance.random() < 0.5 else chance.randrange(min(400, len(broken)))
            what = chance.randrange(5)
            if what == 0:
                broken[at] = chance.randrange(256)
            elif what == 1:
                del broken[at : at + chance.randint(1, 30)]
            elif what == 2:
                broken[at:at] = chance.choice(PIECES)
            elif what == 3:
                begin = chance.randrange(len(broken))
                broken[at:at] = broken[begin : begin + chance.randint(1, 60)]
            else:
                del broken[max(1, at) :]
        attempt(tmp_path / name, bytes(broken))


HEADS = [b"", b"solid\nfacet\n", b"ply\nformat ascii 1.0\n", b"glTF\2\0\0\0", b"v 0 0 0\n", b"{}", stl(*box())[:84]]


@given(st.sampled_from(HEADS), st.binary(max_size=300), st.sampled_from([".stl", ".obj", ".ply", ".glb", ".gltf"]))
@settings(max_examples=300)
def test_any_bytes_end_in_a_mesh_or_a_mesh_error(
    tmp_path_factory: pytest.TempPathFactory, head: bytes, content: bytes, suffix: str
) -> None:
    attempt(tmp_path_factory.getbasetemp() / f"any{suffix}", head + content)


@given(
    st.lists(st.tuples(*[st.floats(-1e3, 1e3, width=32)] * 3), min_size=3, max_size=12),
    st.lists(st.tuples(*[st.integers(0, 11)] * 3), min_size=1, max_size=20),
)
@settings(max_examples=200)
def test_any_triangles_end_in_a_mesh_or_a_mesh_error(
    tmp_path_factory: pytest.TempPathFactory, points: list[tuple[float, ...]], faces: list[tuple[int, ...]]
) -> None:
    triangles = np.array(faces) % len(points)
    attempt(tmp_path_factory.getbasetemp() / "any.stl", stl(np.array(points), triangles))


def test_reading_meshes_opens_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []
    before = module._content

    def noted(path: Path) -> bytes:
        opened.append(path)
        return before(path)

    monkeypatch.setattr(module, "_content", noted)
    path = written(tmp_path, "a.obj", "mtllib secret.mtl\n" + obj(*box()))
    read_mesh(path, "mm")
    assert opened == [path]
