"""Where a cable is near an obstacle: against libigl, finite differences, and cases worked out by hand."""

import math
from typing import Any

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from lissom.geometry import solids
from lissom.geometry.places import NEARLY
from lissom.geometry.solids import Solid, mesh_solid
from lissom.geometry.touching import Found, new_found, touching
from tests.geometry import shapes

igl = pytest.importorskip("igl")

Array = NDArray[np.float64]

HERE = (np.eye(3), np.zeros(3))


def contacts(solid: Solid, points: Any, cutoff: float, pose: tuple[Array, Array] = HERE, wanted: Any = None) -> Found:
    """The places found, without the room left over."""
    points = np.array(points, dtype=np.float64)
    wanted = np.ones(len(points), np.int64) if wanted is None else np.array(wanted, dtype=np.int64)
    found = new_found(4096)
    count = touching(solid, *pose, points, 0.005, cutoff, wanted, found)
    assert count <= 4096
    return Found._make(values[:count] for values in found)


def of_point(solid: Solid, x: Any, cutoff: float) -> Found:
    return contacts(solid, [x, np.array(x) + 1.0], cutoff, wanted=[1, 0])


@pytest.mark.parametrize("name", shapes.MESHES)
def test_the_nearest_place_of_each_point_against_libigl(name: str) -> None:
    make, closed = shapes.MESHES[name]
    mesh = make()
    solid = mesh_solid(*mesh, closed=closed)
    points = shapes.points_around(mesh, 600, seed=11, reach=0.2)
    if closed:
        kind = igl.SignedDistanceType.SIGNED_DISTANCE_TYPE_WINDING_NUMBER
        expected, _, where, _ = igl.signed_distance(points, *mesh, sign_type=kind)
        assert 0.02 < (expected < 0).mean() < 0.9
    else:
        squared, _, where = igl.point_mesh_squared_distance(points, *mesh)
        expected = np.sqrt(squared)
    cutoff = 0.05
    seen = 0
    for x, d, y in zip(points, expected, where, strict=True):
        found = of_point(solid, x, cutoff)
        if abs(d) > cutoff:
            assert len(found.t) == 0
            continue
        seen += 1
        assert found.distance[0] == pytest.approx(d, abs=1e-10)
        if np.linalg.norm(found.y[0] - y) > 1e-9:  # as near as the other one
            assert np.linalg.norm(x - found.y[0]) == pytest.approx(np.linalg.norm(x - y), abs=1e-10)
        assert np.allclose(found.y + found.distance[:, None] * found.normal, x, atol=1e-10)
        assert np.allclose(np.linalg.norm(found.normal, axis=1), 1.0)
        assert (np.diff(np.abs(found.distance)) >= 0).all()
        alike = found.normal @ found.normal.T - np.eye(len(found.t))
        farther = np.abs(np.abs(found.distance) - np.abs(found.distance)[:, None])
        assert ((alike < math.cos(math.radians(20.0))) | (farther < NEARLY * cutoff)).all()
        if d < 0:
            assert len(found.t) == 1
    assert seen > 100


@pytest.mark.parametrize("name", shapes.MESHES)
def test_cones_of_normals_hide_nothing(name: str) -> None:
    make, closed = shapes.MESHES[name]
    mesh = make()
    solid = mesh_solid(*mesh, closed=closed)
    cone = np.full_like(solid.tree.cone, -1.0)
    plain = solid._replace(tree=solid.tree._replace(cone=cone))
    assert (solid.tree.cone[:, 3] >= 0.0).any() or len(mesh[1]) < 100
    generator = np.random.default_rng(5)
    seen = 0
    for _ in range(60):
        a, b = shapes.points_around(mesh, 2, seed=int(generator.integers(1 << 30)), reach=0.1)
        u = np.linspace(0.0, 1.0, 12)[:, None]
        cable = (1.0 - u) * a + u * b + 0.05 * np.sin(np.pi * u) * generator.normal(size=3)
        found, expected = contacts(solid, cable, 0.05), contacts(plain, cable, 0.05)
        for x, y in zip(found, expected, strict=True):
            assert np.array_equal(x, y)
        seen += len(found.t)
    assert seen > 50


def test_signs_around_sharp_tips_and_blades() -> None:
    """Around the ends of a splinter most points have a face of the nearest feature turned away from them."""
    vertices = np.array([[0, 0, 0.1], [0.004, 0, 0], [-0.002, 0.003, 0], [-0.002, -0.003, 0]])
    mesh = (vertices, np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]))
    solid = mesh_solid(*mesh, closed=True)
    rng = np.random.default_rng(15)
    ends = np.repeat(vertices, 100, axis=0)
    points = np.vstack([ends + rng.normal(scale=0.003, size=ends.shape), rng.dirichlet(np.ones(4), 100) @ vertices])
    expected = igl.signed_distance(points, *mesh, sign_type=igl.SIGNED_DISTANCE_TYPE_WINDING_NUMBER)[0]
    found = [of_point(solid, x, 0.05) for x in points]
    assert [f.distance[0] for f in found] == pytest.approx(expected.tolist(), abs=1e-10)
    assert sum(f.feature[0] % 8 >= 4 for f in found) > 60


@pytest.mark.parametrize("name", shapes.MESHES)
def test_normals_and_curvatures_are_derivatives(name: str) -> None:
    make, closed = shapes.MESHES[name]
    mesh = make()
    solid = mesh_solid(*mesh, closed=closed)
    step = 1e-6
    codes = []
    for x in shapes.points_around(mesh, 150, seed=12, reach=0.15):
        found = of_point(solid, x, 0.06)
        for i in range(len(found.t)):
            if abs(found.distance[i]) < 1e-3:
                continue
            moved = []
            for k in range(3):
                for sign in (1, -1):
                    other = of_point(solid, x + sign * step * np.eye(3)[k], 0.07)
                    same = np.flatnonzero(other.feature == found.feature[i])
                    if len(same):
                        moved.append((other.distance[same[0]], other.normal[same[0]]))
            if len(moved) < 6:
                continue
            gradient = [(moved[2 * k][0] - moved[2 * k + 1][0]) / (2 * step) for k in range(3)]
            hessian = np.array([(moved[2 * k][1] - moved[2 * k + 1][1]) / (2 * step) for k in range(3)]).T
            assert np.allclose(gradient, found.normal[i], atol=1e-6)
            assert np.allclose(hessian, found.curvature[i], atol=1e-3 * max(1.0, 1.0 / found.distance[i] ** 2 * 1e-3))
            code = int(found.feature[i] % 8)
            codes.append((code > 0) + (code > 3))
            assert np.linalg.norm(found.edge[i]) == pytest.approx(float(codes[-1] == 1))
    assert {"sphere": {0, 1, 2}, "torus": {0, 1}, "box": {0, 1}, "bracket": {0, 1}, "sheet": {0, 1}}[name] <= set(codes)


def test_a_flat_floor_gives_one_place_per_point_and_none_between() -> None:
    solid = mesh_solid(*shapes.floor(), closed=False)
    for height, slope in ((0.01, 0.0), (0.004, 0.1)):
        along = np.linspace(-0.15, 0.15, 23)
        points = np.stack([along, 0.1 * along, height + 0.05 * slope * (along + 0.15)], axis=1)
        found = contacts(solid, points, 0.02)
        assert np.array_equal(found.segment + found.t, np.arange(23))
        assert np.allclose(found.normal, [0, 0, 1])
        assert np.allclose(found.distance, points[:, 2])
        assert np.allclose(found.curvature, 0.0)


def test_points_right_above_the_lines_of_a_floor_give_one_place_each() -> None:
    solid = mesh_solid(*shapes.grid(8, 8, False, lambda u, v: (0.4 * u, 0.4 * v, 0.0)), closed=False)
    points = np.stack([np.linspace(0.05, 0.35, 13), np.linspace(0.05, 0.35, 13), np.full(13, 0.01)], axis=1)
    found = contacts(solid, points, 0.02)
    assert np.array_equal(found.segment + found.t, np.arange(13))


def test_a_point_above_a_vertex_feels_what_the_vertex_is_part_of() -> None:
    """In a flat face and on a straight edge, a vertex is nothing of its own."""
    floor = mesh_solid(*shapes.grid(8, 8, False, lambda u, v: (u, v, 0.0)), closed=False)
    assert not of_point(floor, [0.5, 0.5, 0.1], 0.2).curvature.any()
    roof = mesh_solid(*shapes.grid(8, 8, False, lambda u, v: (u, v, -abs(u - 0.5))), closed=False)
    found = of_point(roof, [0.5, 0.5, 0.1], 0.2)
    assert found.curvature[0] == pytest.approx(np.diag([10.0, 0.0, 0.0]))
    assert np.abs(found.edge[0]) == pytest.approx([0, 1, 0])
    box = mesh_solid(*shapes.box(), closed=True)
    assert not of_point(box, [0.0, 0.0, 0.02], 0.2).curvature.any()  # inside, right below the diagonal of a side
    assert np.linalg.matrix_rank(of_point(box, [0.11, 0.07, 0.035], 0.2).curvature[0]) == 2


def test_a_floor_with_noise_of_single_precision_stays_flat() -> None:
    vertices, triangles = shapes.floor()
    vertices = vertices + np.random.default_rng(3).uniform(-3e-8, 3e-8, size=vertices.shape)
    along = np.linspace(-0.15, 0.15, 23)
    points = np.stack([along, 0.1 * along, np.full(23, 0.01)], axis=1)
    found = contacts(mesh_solid(vertices, triangles, closed=False), points, 0.02)
    assert np.array_equal(found.segment + found.t, np.arange(23))


def groove() -> shapes.Mesh:
    """Two walls at right angles, along y, meeting at the origin."""
    return shapes.grid(6, 5, False, lambda u, v: (0.2 * (u - 0.5), 0.3 * v - 0.15, 0.2 * abs(u - 0.5)))


def test_a_point_in_a_groove_touches_both_walls() -> None:
    found = of_point(mesh_solid(*groove(), closed=False), [0.002, 0.01, 0.03], 0.04)
    assert len(found.t) == 2
    root = math.sqrt(0.5)
    assert np.allclose(found.normal, [[-root, 0, root], [root, 0, root]])
    assert found.distance == pytest.approx([0.028 * root, 0.032 * root])
    below = of_point(mesh_solid(*groove(), closed=False), [0.0, 0.01, -0.03], 0.04)
    assert below.normal.tolist() == [pytest.approx([0, 0, -1])]  # from below it is an edge
    assert below.edge.tolist() == [pytest.approx([0, 1, 0])] or below.edge.tolist() == [pytest.approx([0, -1, 0])]


def test_a_point_in_a_corner_touches_three_walls() -> None:
    """Inside the corner of an L, above a floor: a box with a box cut out would do, three sheets do too."""
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=float)
    triangles = np.array([[0, 1, 4], [0, 4, 2], [0, 3, 5], [0, 5, 1], [0, 2, 6], [0, 6, 3]])
    found = of_point(mesh_solid(vertices, triangles, closed=False), [0.1, 0.11, 0.12], 0.2)
    assert np.allclose(found.normal, np.eye(3))
    assert found.distance == pytest.approx([0.1, 0.11, 0.12])


def test_the_back_of_a_thin_plate_is_not_seen() -> None:
    plate = mesh_solid(*solids.box_mesh((0.2, 0.2, 0.002)), closed=True)
    along = np.linspace(-0.13, 0.13, 14)
    found = contacts(plate, np.stack([along, 0.3 * along, np.full(14, 0.006)], axis=1), 0.03)
    assert (found.distance > 0).all()
    assert (found.normal[:, 2] > 0.1).all()


def knife(tip: float = 0.0) -> shapes.Mesh:
    """A wedge with its sharp edge along y at height `tip`."""
    vertices = [(x, y, z) for y in (-0.1, 0.1) for x, z in ((-0.02, tip - 0.1), (0.02, tip - 0.1), (0.0, tip))]
    triangles = [(0, 1, 2), (3, 5, 4), (0, 3, 4), (0, 4, 1), (1, 4, 5), (1, 5, 2), (2, 5, 3), (2, 3, 0)]
    return np.array(vertices), np.array(triangles)


@pytest.mark.parametrize("height", [0.004, -0.003])
def test_a_thin_edge_between_two_points_is_found(height: float) -> None:
    """Both points are farther from the knife than the cutoff; also where the segment has sunk into it."""
    solid = mesh_solid(*knife(), closed=True)
    points = [[-0.05, 0.0, height], [0.07, 0.03, height]]
    found = contacts(solid, points, 0.01)
    assert len(found.t) == 1
    assert 0.001 < found.t[0] < 0.999
    assert found.distance[0] == pytest.approx(height)
    assert found.normal[0] == pytest.approx([0, 0, 1], abs=1e-12)
    assert np.abs(found.edge[0]) == pytest.approx([0, 1, 0])
    assert found.y[0, [0, 2]] == pytest.approx([0.0, 0.0], abs=1e-12)
    across = np.array([1.0, 0.0, 0.0])
    assert across @ found.curvature[0] @ across == pytest.approx(1 / height)


def test_an_edge_is_found_once_where_the_segment_crosses_a_joint_of_it() -> None:
    """The knife's edge in 20 pieces; the segment passes right over the end of two of them."""
    vertices, triangles = shapes.grid(2, 20, False, lambda u, v: (0.1 * u - 0.05, 0.2 * v - 0.1, -abs(0.1 * u - 0.05)))
    solid = mesh_solid(vertices, triangles, closed=False)
    for y in (0.0, 0.003):
        found = contacts(solid, [[-0.06, y, 0.005], [0.06, y, 0.005]], 0.01)
        assert found.t == pytest.approx([0.5])


def test_a_segment_across_a_bar_rests_on_both_its_edges() -> None:
    bar = mesh_solid(*solids.box_mesh((0.03, 0.2, 0.02)), closed=True)
    for tilt in (0.0, 1e-4, -1e-4):
        found = contacts(bar, [[-0.05, 0.01, 0.015 - tilt], [0.05, 0.0, 0.015 + tilt]], 0.01)
        assert sorted(found.t.tolist()) == pytest.approx([0.35, 0.65], abs=2e-4)
        assert np.allclose(found.normal[:, 2], 1.0, atol=1e-4)


def test_a_segment_along_a_short_edge_rests_on_its_ends() -> None:
    bar = mesh_solid(*solids.box_mesh((0.03, 0.02, 0.02)), closed=True)
    found = contacts(bar, [[-0.05, 0.01, 0.015], [0.05, 0.01, 0.015]], 0.01)
    assert sorted(found.t.tolist()) == pytest.approx([0.35, 0.65])
    assert np.allclose(found.normal, [0, 0, 1])


def test_the_tip_of_a_spike_is_found_between_two_points() -> None:
    ring = [(0.01 * math.cos(a), 0.01 * math.sin(a), -0.05) for a in np.linspace(0, 2 * np.pi, 6)[:5]]
    triangles = [(5, k, (k + 1) % 5) for k in range(5)]
    solid = mesh_solid(np.array([*ring, (0.0, 0.0, 0.0)]), np.array(triangles), closed=False)
    found = contacts(solid, [[-0.05, 0.001, 0.004], [0.05, 0.001, 0.004]], 0.01)
    assert found.t == pytest.approx([0.5])
    assert found.normal[0] == pytest.approx(np.array([0, 0.001, 0.004]) / math.hypot(0.001, 0.004))
    across = np.eye(3) - np.outer(found.normal[0], found.normal[0])
    assert found.curvature[0] == pytest.approx(across / found.distance[0])


def test_nothing_is_found_between_points_at_the_inner_edge_of_a_bracket() -> None:
    solid = mesh_solid(*shapes.bracket(), closed=True)
    found = contacts(solid, [[0.108, 0.13, 0.02], [0.13, 0.108, 0.08]], 0.05)
    assert set(found.t.tolist()) == {0.0, 1.0}
    assert len(found.t) == 4


def test_rigid_motion_changes_nothing_but_the_axes() -> None:
    mesh = shapes.bracket()
    solid = mesh_solid(*mesh, closed=True)
    points = shapes.points_around(mesh, 60, seed=13, reach=0.05)
    first = contacts(solid, points, 0.04)
    rotation, origin = Rotation.from_rotvec([0.4, -1.1, 0.7]).as_matrix(), np.array([3.0, -2.0, 0.5])
    second = contacts(solid, points @ rotation.T + origin, 0.04, (rotation, origin))
    assert len(first.t) > 40
    assert (first.t % 1.0 > 0).sum() > 5
    assert np.array_equal(first.segment, second.segment)
    assert np.array_equal(first.feature, second.feature)
    assert np.allclose(first.t, second.t, atol=1e-9)
    assert np.allclose(first.distance, second.distance, atol=1e-12)
    assert np.allclose(first.y @ rotation.T + origin, second.y)
    assert np.allclose(first.normal @ rotation.T, second.normal)
    assert np.allclose(first.edge @ rotation.T, second.edge)
    assert np.allclose(rotation @ first.curvature @ rotation.T, second.curvature, atol=1e-3)


def test_too_little_room_says_how_much_is_needed() -> None:
    solid = mesh_solid(*shapes.bracket(), closed=True)
    points = shapes.points_around(shapes.bracket(), 60, seed=13, reach=0.05)
    wanted = np.ones(60, np.int64)
    full = contacts(solid, points, 0.04)
    few = new_found(7)
    assert touching(solid, *HERE, points, 0.005, 0.04, wanted, few) == len(full.t)
    for some, every in zip(few, full, strict=True):
        assert np.array_equal(some, every[:7])


def test_unwanted_points_and_the_segments_beside_them_are_left_out() -> None:
    solid = mesh_solid(*shapes.box(), closed=True)
    points = np.stack([np.linspace(-0.19, 0.2, 9), np.zeros(9), np.full(9, 0.03)], axis=1)
    every = contacts(solid, points, 0.06)
    assert set(every.segment[every.t % 1 > 0].tolist()) == {1, 5}
    for left_out in range(9):
        wanted = np.ones(9, np.int64)
        wanted[left_out] = 0
        found = contacts(solid, points, 0.06, wanted=wanted)
        at = every.segment + every.t
        expected = at[np.abs(at - left_out) >= 1.0]
        assert (found.segment + found.t).tolist() == pytest.approx(expected.tolist())


def test_a_cable_gone_astray_is_left_out() -> None:
    for solid in (mesh_solid(*shapes.box(), closed=True), solids.sphere_solid(0.1)):
        found = contacts(solid, [[0, 0, 0.03], [np.nan, 0, 0.03], [np.inf, 0, 0], [0.01, 0, 0.03]], 0.2)
        assert (found.segment + found.t).tolist() == [0.0, 3.0]


def test_meshes_with_triangles_without_area_give_numbers() -> None:
    vertices, triangles = shapes.floor()
    rng = np.random.default_rng(5)
    bad = rng.integers(0, len(vertices), size=(50, 3))
    bad[:, 2] = bad[:, 1]
    line = np.array([[0, 21, 42], [1, 22, 43], [1, 2, 3]])  # three vertices in a row
    solid = mesh_solid(vertices, np.vstack([triangles, bad, line]), closed=False)
    found = contacts(solid, shapes.points_around((vertices, triangles), 200, seed=6, reach=0.02), 0.03)
    assert len(found.t) > 100
    for values in found:
        assert np.isfinite(values).all()


def fine(name: str) -> tuple[Solid, Solid]:
    """A simple solid and a fine mesh of it."""
    if name == "sphere":
        mesh = trimesh.creation.icosphere(5, radius=0.1)
        return solids.sphere_solid(0.1), mesh_solid(*shapes.plain(mesh), closed=True)
    if name == "capsule":
        mesh = trimesh.creation.capsule(height=0.2, radius=0.06, count=[96, 96])
        mesh.apply_translation(-mesh.bounds.mean(axis=0))
        mesh.merge_vertices()
        return solids.capsule_solid(0.06, 0.1), mesh_solid(*shapes.plain(mesh), closed=True)
    mesh = trimesh.creation.cylinder(radius=0.08, height=0.2, sections=400)
    return solids.cylinder_solid(0.08, 0.1), mesh_solid(*shapes.plain(mesh), closed=True)


@pytest.mark.parametrize("name", ["sphere", "capsule", "cylinder"])
def test_simple_solids_against_fine_meshes(name: str) -> None:
    simple, mesh = fine(name)
    rng = np.random.default_rng(14)
    pose = (Rotation.from_rotvec([0.3, 0.2, -0.9]).as_matrix(), np.array([0.1, 0.2, -0.3]))
    inner = 0
    for _ in range(150):
        points = rng.uniform(-0.2, 0.2, size=(2, 3)) @ pose[0].T + pose[1]
        found, expected = contacts(simple, points, 0.05, pose), contacts(mesh, points, 0.05, pose)
        for end in (0.0, 1.0):
            d, e = found.distance[found.t == end], expected.distance[expected.t == end]
            if len(e) == 0:
                assert len(d) == 0 or d[0] < -0.049 or d[0] > 0.049
                continue
            assert d == pytest.approx(e[:1], abs=4e-4)
            if d[0] > 0.003:
                cosine = found.normal[found.t == end][0] @ expected.normal[expected.t == end][0]
                assert cosine > 0.99
        between = (found.t > 0.01) & (found.t < 0.99) & (found.distance > 1e-3) & (found.distance < 0.045)
        for i in np.flatnonzero(between):
            inner += 1
            near = np.abs(expected.t - found.t[i]) * np.linalg.norm(points[1] - points[0]) < 0.02
            assert near.any()
            assert np.abs(expected.distance[near] - found.distance[i]).min() < 4e-4
    assert inner > 20


def test_a_plane_has_one_place_per_point_at_any_depth() -> None:
    points = np.array([[0, 0, 0.03], [1, 0, 0.005], [2, 0, -0.5], [3, 0, 0.01]])
    found = contacts(solids.plane_solid(), points, 0.02)
    assert (found.segment + found.t).tolist() == [1.0, 2.0, 3.0]
    assert found.distance == pytest.approx([0.005, -0.5, 0.01])
    assert np.allclose(found.normal, [0, 0, 1])
    assert np.allclose(found.y[:, 2], 0.0)


def test_a_segment_beside_a_cylinder_touches_at_its_ends_or_at_the_cylinders() -> None:
    solid = solids.cylinder_solid(0.05, 0.1)
    short = contacts(solid, [[0.06, 0, -0.05], [0.06, 0, 0.05]], 0.02)
    assert short.t.tolist() == [0.0, 1.0]
    long = contacts(solid, [[0.06, 0, -0.2], [0.06, 0, 0.2]], 0.02)
    assert long.t == pytest.approx([0.25, 0.75], abs=1e-6)
    assert np.allclose(long.normal, [1, 0, 0])
    assert short.curvature[0] == pytest.approx(np.diag([0, 1 / 0.06, 0]))
