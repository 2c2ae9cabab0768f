"""Box and profile as surfaces; polygons as triangles."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from lissom.exchange import MeshError, read_mesh, shape_mesh
from lissom.exchange.cleaning import cleaned
from lissom.exchange.polygons import clipped_ears
from lissom.scene import BoxShape, ProfileShape

from .conftest import Vertices, volume, written


def area(corners: Vertices) -> float:
    x, y = corners.T
    return float(0.5 * (x * np.roll(y, -1) - np.roll(x, -1) * y).sum())


STAR = [(math.cos(k * math.pi / 5) * (2 - k % 2), math.sin(k * math.pi / 5) * (2 - k % 2)) for k in range(10)]
COMB: list[tuple[float, float]] = [
    (0, 0),
    (9, 0),
    (9, 3),
    (8, 3),
    (8, 1),
    (6, 1),
    (6, 3),
    (5, 3),
    (5, 1),
    (3, 1),
    (3, 3),
    (2, 3),
    (2, 1),
    (0, 1),
]
SPIRAL = [(t * math.cos(t), t * math.sin(t)) for t in np.linspace(2, 14, 80)]
SPIRAL += [((t - 0.5) * math.cos(t), (t - 0.5) * math.sin(t)) for t in np.linspace(14, 2, 80)]
ON_A_LINE: list[tuple[float, float]] = [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (2, 1), (1, 1), (0, 1)]
ROUND = [(math.cos(a), math.sin(a)) for a in np.linspace(0, 2 * math.pi, 500, endpoint=False)]
POLYGONS: dict[str, list[tuple[float, float]]] = {
    "star": STAR,
    "comb": COMB,
    "spiral": SPIRAL,
    "on a line": ON_A_LINE,
    "round": ROUND,
}


@pytest.mark.parametrize("name", POLYGONS)
@pytest.mark.parametrize("backwards", [False, True])
def test_profiles_are_solids(name: str, backwards: bool) -> None:
    points = [(float(x), float(y)) for x, y in POLYGONS[name]]
    shape = ProfileShape(kind="profile", points=points[::-1] if backwards else points, length=0.5)
    vertices, triangles = shape_mesh(shape)
    surface = cleaned(vertices, triangles)
    assert surface.closed
    assert len(surface.triangles) == 4 * len(points) - 4 or name == "on a line"
    assert volume(vertices, triangles) == pytest.approx(0.5 * area(np.array(points)))
    assert set(vertices[:, 2]) == {-0.25, 0.25}
    if name != "on a line":
        assert surface.warnings == ()


def test_a_polygon_that_says_it_is_closed() -> None:
    shape = ProfileShape(kind="profile", points=[[0, 0], ["1 m", 0], [0, 1], [0, 0]], length=1)
    assert len(shape_mesh(shape)[0]) == 6


def test_boxes_are_solids() -> None:
    vertices, triangles = shape_mesh(BoxShape(kind="box", size=(1, 2, 3)))
    assert (vertices.min(axis=0).tolist(), vertices.max(axis=0).tolist()) == ([-0.5, -1, -1.5], [0.5, 1, 1.5])
    assert volume(vertices, triangles) == pytest.approx(6.0)
    assert cleaned(vertices, triangles).warnings == ()


@pytest.mark.parametrize("seed", range(20))
def test_ears_of_random_polygons_cover_them_once(seed: int) -> None:
    chance = np.random.default_rng(seed)
    n = int(chance.integers(3, 60))
    angle = np.sort(chance.uniform(0, 2 * np.pi, n))
    p = (chance.uniform(0.2, 1.0, n) * np.stack([np.cos(angle), np.sin(angle)])).T  # seen from the origin, so simple
    if area(p) < 0 or np.max(np.diff([*angle, angle[0] + 2 * np.pi])) > 3:
        return
    triangles = clipped_ears(p)
    assert triangles.shape == (n - 2, 3)
    pieces = [area(p[t]) for t in triangles]
    assert min(pieces) >= 0
    assert sum(pieces) == pytest.approx(area(p))


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("name", ["star", "comb", "spiral"])
def test_faces_that_are_not_convex(axis: int, name: str, tmp_path: Path) -> None:
    flat = np.array(POLYGONS[name], dtype=float)
    points = np.roll(np.column_stack([flat, 0.3 * flat[:, 0]]), axis, axis=1)  # in a slanted plane
    text = "".join(f"v {x:.12g} {y:.12g} {z:.12g}\n" for x, y, z in points)
    text += "f " + " ".join(str(k + 1) for k in range(len(points)))
    mesh = read_mesh(written(tmp_path, "a.obj", text), "m")
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    slant = math.sqrt(1 + 0.3**2)
    assert np.linalg.norm(normals, axis=1).sum() / 2 == pytest.approx(abs(area(flat)) * slant)
    assert np.linalg.norm(normals.sum(axis=0)) / 2 == pytest.approx(abs(area(flat)) * slant)


def test_a_face_of_too_many_corners(tmp_path: Path) -> None:
    angle = np.linspace(0, 2 * np.pi, 2501, endpoint=False)
    for size, fine in ((np.ones(2501), True), (1 + 0.1 * (np.arange(2501) % 2), False)):
        text = "".join(f"v {r * math.cos(a):.9g} {r * math.sin(a):.9g} 0\n" for r, a in zip(size, angle, strict=True))
        path = written(tmp_path, "a.obj", text + "f " + " ".join(str(k + 1) for k in range(2501)))
        if fine:
            assert len(read_mesh(path, "m").triangles) == 2499
        else:
            with pytest.raises(MeshError, match="too many corners in faces that are not convex"):
                read_mesh(path, "m")
