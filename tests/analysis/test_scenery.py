"""Surfaces to draw: closed, the right size, cut and thinned without losing their form."""

from pathlib import Path

import numpy as np
import pytest

from lissom.analysis.along import Array
from lissom.analysis.report import Findings
from lissom.analysis.scenery import Thing, clipped, divided, scenery, thinned
from lissom.scene import Scene

SHAPES = {
    '{ kind = "sphere", radius = 0.03 }': 4 / 3 * np.pi * 0.03**3,
    '{ kind = "cylinder", radius = 0.03, length = 0.2 }': np.pi * 0.03**2 * 0.2,
    '{ kind = "capsule", radius = 0.03, length = 0.2 }': np.pi * 0.03**2 * 0.2 + 4 / 3 * np.pi * 0.03**3,
    '{ kind = "box", size = [0.1, 0.2, 0.3] }': 0.1 * 0.2 * 0.3,
}


def placed(shape: str) -> Thing:
    text = f"""
[[parts]]
name = "part"
shape = {shape}
position = [0.1, 0.2, 0.3]
tangent = [1, 2, 3]
"""
    (thing,) = scenery(Scene.from_toml(text))
    return thing


def area(corners: Array) -> float:
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return 0.5 * float(np.linalg.norm(across, axis=1).sum())


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_encloses_its_volume_where_it_stands(shape: str) -> None:
    thing = placed(shape)
    a, b, c = np.moveaxis(thing.vertices[thing.triangles] - [100.0, 200.0, 300.0], 1, 0)
    volume = float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6.0
    assert volume == pytest.approx(1e9 * SHAPES[shape], rel=0.01)  # positive: seen from outside
    assert thing.closed


def test_a_plane_has_no_end_and_points_drop_onto_it() -> None:
    thing = placed('{ kind = "plane" }')
    normal = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)
    assert thing.normal == pytest.approx(normal)
    x = np.array([[500.0, -300.0, 20.0]])
    assert (thing.feet(x) - [100.0, 200.0, 300.0]) @ normal == pytest.approx(0.0, abs=1e-6)
    assert np.cross(x - thing.feet(x), normal) == pytest.approx(0.0, abs=1e-6)


def test_a_thinned_mesh_keeps_its_form() -> None:
    steps = np.linspace(0.0, 1.0, 101)
    u, v = np.meshgrid(steps, steps, indexing="ij")
    vertices = np.stack([u.ravel(), v.ravel(), np.zeros(u.size)], axis=1)
    first = (np.arange(100)[:, None] * 101 + np.arange(100)).ravel()
    triangles = np.concatenate(
        [np.stack([first, first + 101, first + 102], axis=1), np.stack([first, first + 102, first + 1], axis=1)]
    )
    fewer, small = thinned(vertices, triangles, 1000)
    assert 200 < len(small) <= 1000
    assert area(fewer[small]) == pytest.approx(1.0, rel=0.15)  # the rim moves in by half a cell
    assert thinned(vertices, triangles, len(triangles))[1] is triangles


def test_cutting_and_dividing_keep_the_area() -> None:
    square = 10.0 * np.array([[(-1, -1, 0), (1, -1, 0), (1, 1, 0)], [(-1, -1, 0), (1, 1, 0), (-1, 1, 0)]], dtype=float)
    low, high = np.array([-1.0, -2.0, -3.0]), np.array([2.0, 3.0, 4.0])
    inside = clipped(square, low, high)
    assert area(inside) == pytest.approx(15.0)
    assert (inside >= low - 1e-12).all()
    assert (inside <= high + 1e-12).all()
    pieces = divided(inside, 0.5)
    assert area(pieces) == pytest.approx(15.0)
    assert np.linalg.norm(np.roll(pieces, -1, axis=1) - pieces, axis=2).max() <= 0.5
    assert len(clipped(square, low + 20.0, high + 20.0)) == 0


def test_meshes_and_other_cables_are_there_too(lying: Findings, tmp_path: Path) -> None:
    (tmp_path / "lid.obj").write_text("v 0 0 0\nv 10 0 0\nv 0 10 0\nf 1 2 3\n")
    (tmp_path / "scene.toml").write_text('[[parts]]\nname = "lid"\nmesh = "lid.obj"\nunits = "mm"\ncollide = false\n')
    (lid,) = scenery(Scene.load(tmp_path / "scene.toml"))
    assert np.ptp(lid.vertices, axis=0).tolist() == pytest.approx([10.0, 10.0, 0.0])
    assert not lid.closed
    assert not lid.collide
    cable = lying.cables["hose"]
    assert cable is not None
    hose = scenery(lying.scene, lying.poses, [cable])[-1]
    assert hose.cable
    rings = hose.vertices.reshape(len(cable.s), -1, 3)
    assert np.linalg.norm(rings - 1000.0 * cable.positions[:, None], axis=2) == pytest.approx(5.0)
