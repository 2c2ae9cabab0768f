"""What a cable sweeps over a grid, and how near that comes to parts that stand still (lissom.analysis.sweptvolume)."""

from __future__ import annotations

import io

import numpy as np
import pytest
import trimesh

from lissom.analysis.sweepfiles import Request, run_sweep
from lissom.analysis.sweptvolume import nearest, rooms, spanning, standing, swept_mesh
from lissom.exchange.gltf import glb_bytes
from lissom.exchange.stl import stl_bytes
from lissom.scene import Scene
from tests.geometry.test_envelope import winding
from tests.test_sweeping import HOSE

# A straight, stiff bar that a hinge swings about z while a slide lifts it: it sweeps a wedge.
BAR = """\
format = 1
gravity = [0, 0, 0]
[[cables]]
name = "bar"
stiffness = { bending = 1.0, torsion = 1.0 }
mass_per_length = 0.01
radius = "10 mm"
length = "100 mm"
points = 11
start = { on = "hub", position = [0.05, 0, 0], tangent = [1, 0, 0], roll = 0 }
[[parts]]
name = "lift"
motion = "driven"
[[parts]]
name = "hub"
parent = "lift"
motion = "driven"
[[parts]]
name = "wall"
position = [0.3, 0, 0]
shape = { kind = "box", size = [0.1, 1, 1] }
[[parts]]
name = "ball"
position = [0.1, 0.0, 0.15]
shape = { kind = "sphere", radius = "20 mm" }
[[joints]]
name = "up"
part = "lift"
kind = "slide"
axis = [0, 0, 1]
range = [0, 0.06]
[[joints]]
name = "swing"
part = "hub"
kind = "hinge"
axis = [0, 0, 1]
range = [-0.5, 0.5]
"""


@pytest.mark.parametrize("back", [False, True])
def test_between_the_rows_of_a_grid_there_is_no_slit(back: bool) -> None:
    """Rows 60 mm apart, a bar 20 mm thick: what lies between them was swept, too; also there and back."""
    scene = Scene.from_toml(BAR)
    *_, swept = run_sweep(scene, Request(grid={"up": 2, "swing": 9}, back=back))
    vertices, triangles = swept_mesh(scene, swept, "bar")
    made = trimesh.Trimesh(vertices, triangles, process=False)
    assert made.is_watertight
    inside = np.array([[0.1 * np.cos(a), 0.1 * np.sin(a), z] for a in (-0.4, 0.0, 0.4) for z in (0.01, 0.03, 0.05)])
    assert (winding(made, inside) > 0.99).all()
    outside = np.array([[0.1, 0.0, 0.075], [0.1, 0.0, -0.015], [0.17, 0.0, 0.03], [0.03, 0.0, 0.03]])
    assert (winding(made, outside) < 0.01).all()


def test_the_distance_to_parts_that_stand_still_is_that_of_the_geometry() -> None:
    scene = Scene.from_toml(BAR)
    *_, swept = run_sweep(scene, Request(grid={"up": 3, "swing": 9}))
    assert standing(scene) == ["wall", "ball"]
    found = {k.part: k.distance for k in rooms(scene, swept)}
    assert found["wall"] == pytest.approx(0.25 - 0.15 - 0.01, abs=0.03 * 0.01)
    assert found["ball"] == pytest.approx(0.15 - 0.06 - 0.02 - 0.01, abs=0.03 * 0.01)


def test_nearest_finds_what_lies_inside_a_large_triangle() -> None:
    triangle = np.array([[[-1.0, -1.0, 0.0], [2.0, -1.0, 0.0], [-1.0, 2.0, 0.0]]])
    point = np.array([0.123, -0.456, 0.02])
    assert nearest(triangle, lambda x: np.linalg.norm(x - point, axis=1), 1e-4) == pytest.approx(0.02, abs=1.1e-4)


def test_every_sampled_shape_of_the_hose_is_in_its_envelope() -> None:
    narrow = HOSE.replace('["-80 mm", "80 mm"]', '["-10 mm", "10 mm"]').replace(
        '"-35 deg", "35 deg"', '"-5 deg", "5 deg"'
    )
    scene = Scene.from_toml(narrow[: narrow.index("[positions]")])
    *_, swept = run_sweep(scene, Request(grid={"steering": 2, "travel": 2}))
    vertices, triangles = swept_mesh(scene, swept, "hose")
    made = trimesh.Trimesh(vertices, triangles, process=False)
    assert made.is_watertight
    rng = np.random.default_rng(2)
    ways = rng.normal(size=(45, 3))
    ways *= 0.00525 / np.linalg.norm(ways, axis=1, keepdims=True)
    shapes = np.array([k["hose"] for k in swept.shapes]).reshape(-1, 3)
    assert (winding(made, shapes[rng.integers(len(shapes), size=45)] + ways) > 0.99).all()
    assert len(spanning(swept, "hose", 0.00525)) > 1


def test_files_of_it_are_read_back_closed() -> None:
    ball = trimesh.creation.icosphere(subdivisions=2, radius=0.05)
    vertices, faces = np.array(ball.vertices), np.array(ball.faces, dtype=np.int64)
    stl = trimesh.load_mesh(io.BytesIO(stl_bytes(1000.0 * vertices, faces)), file_type="stl")
    assert stl.is_watertight
    assert stl.volume == pytest.approx(1e9 * ball.volume, rel=1e-5)
    glb = trimesh.load(io.BytesIO(glb_bytes(vertices, faces)), file_type="glb", force="mesh")
    assert isinstance(glb, trimesh.Trimesh)
    assert glb.is_watertight
    assert glb.volume == pytest.approx(ball.volume, rel=1e-5)
