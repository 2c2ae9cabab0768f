"""From triangles to a surface: every repair says so, and is right."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from lissom.exchange import cleaning
from lissom.exchange.bodies import connected, is_inside
from lissom.exchange.cleaning import Surface, cleaned, merged

from .conftest import Triangles, Vertices, ball, box, moved, together, volume


def soup(mesh: tuple[Vertices, Triangles], seed: int = 0) -> tuple[Vertices, Triangles]:
    """As STL has it: every triangle with vertices of its own, in any order."""
    vertices, triangles = mesh
    order = np.random.default_rng(seed).permutation(len(triangles))
    return vertices[triangles[order]].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)


def said(surface: Surface, words: str) -> bool:
    return any(words in text for text in surface.warnings)


def is_solid(surface: Surface) -> bool:
    """In the eyes of another library."""
    mesh = trimesh.Trimesh(surface.vertices, surface.triangles, process=False)
    return bool(mesh.is_watertight and mesh.is_winding_consistent and mesh.volume > 0)


@pytest.mark.parametrize("mesh", [box(), ball(), together(box(), moved(ball(), (200, 0, 0)))])
def test_sound_meshes_stay_as_they_are(mesh: tuple[Vertices, Triangles]) -> None:
    surface = cleaned(*soup(mesh))
    assert surface.closed
    assert surface.warnings == ()
    assert len(surface.vertices) == len(mesh[0])
    assert volume(surface.vertices, surface.triangles) == pytest.approx(volume(*mesh))
    assert is_solid(surface)


def test_vertices_are_merged_in_the_order_they_come() -> None:
    vertices = np.array([[0, 0, 0], [1, 0, 0], [-0.0, 0, 0], [1, 0, 1e-300], [1, 0, 0]])
    found, onto = merged(vertices)
    assert found.tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 1e-300]]
    assert onto.tolist() == [0, 1, 0, 2, 1]
    assert merged(np.zeros((0, 3)))[0].shape == (0, 3)


def test_vertices_that_only_look_alike_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    vertices = np.random.default_rng(1).integers(0, 3, (200, 3)).astype(float)
    right = merged(vertices)
    monkeypatch.setattr(cleaning, "_mixed", lambda keys: np.zeros(len(keys), dtype=np.uint64))
    for a, b in zip(right, merged(vertices), strict=True):
        assert np.array_equal(a, b)


def test_triangles_without_area_are_removed() -> None:
    vertices, triangles = box()
    more = np.concatenate([triangles, [[0, 0, 1], [2, 2, 2]]])
    surface = cleaned(vertices, more)
    assert surface.warnings == ("2 triangles without area were removed",)
    assert len(surface.triangles) == 12
    assert surface.closed


def test_corners_on_one_line_leave_no_slit() -> None:
    """A point on an edge, and a triangle without area that joins it to the edge: what CAD often writes."""
    vertices, triangles = box()
    a, b, c = triangles[0]
    middle = len(vertices)
    vertices = np.concatenate([vertices, [0.5 * (vertices[a] + vertices[b])]])
    pieces = [[a, middle, c], [middle, b, c], [a, b, middle]]
    surface = cleaned(vertices, np.concatenate([triangles[1:], pieces]))
    assert surface.closed
    assert is_solid(surface)
    assert len(surface.triangles) == 14
    assert volume(surface.vertices, surface.triangles) == pytest.approx(120_000)
    assert surface.warnings == ("1 triangle without area was removed",)


def test_a_chain_of_corners_on_one_line_leaves_no_slit() -> None:
    vertices, triangles = box()
    a, b, c = triangles[0]
    parts = 9
    steps = np.linspace(vertices[a], vertices[b], parts + 1)[1:-1]
    numbers = [int(a), *range(len(vertices), len(vertices) + parts - 1), int(b)]
    vertices = np.concatenate([vertices, steps])
    fan = [[numbers[k], numbers[k + 1], c] for k in range(parts)]
    flat = [[numbers[0], numbers[k + 1], numbers[k]] for k in range(1, parts)]
    surface = cleaned(vertices, np.concatenate([triangles[1:], fan, flat]))
    assert surface.closed
    assert is_solid(surface)
    assert volume(surface.vertices, surface.triangles) == pytest.approx(120_000)


def test_copies_are_removed() -> None:
    vertices, triangles = box()
    surface = cleaned(vertices, np.concatenate([triangles, triangles[:3], triangles[:1, ::-1]]))
    assert surface.closed
    assert said(surface, "4 triangles were there more than once, and removed")


def test_inside_out_is_flipped() -> None:
    vertices, triangles = ball()
    surface = cleaned(vertices, triangles[:, ::-1])
    assert surface.warnings == ("it was turned inside out, and flipped",)
    assert is_solid(surface)


@pytest.mark.parametrize("seed", range(3))
def test_mixed_winding_is_repaired(seed: int) -> None:
    vertices, triangles = together(ball(), moved(ball(30), (300, 0, 0)))
    flip = np.random.default_rng(seed).random(len(triangles)) < 0.3
    surface = cleaned(*soup((vertices, np.where(flip[:, None], triangles[:, ::-1], triangles)), seed))
    assert surface.closed
    assert is_solid(surface)
    assert said(surface, f"{int(flip.sum())} triangles were wound the other way")
    assert volume(surface.vertices, surface.triangles) == pytest.approx(volume(vertices, triangles))


def test_a_cavity_stays_one() -> None:
    hollow = together(ball(50), (ball(30)[0], ball(30)[1][:, ::-1]))
    surface = cleaned(*hollow)
    assert surface.closed
    assert surface.warnings == ()
    assert volume(surface.vertices, surface.triangles) == pytest.approx(volume(*ball(50)) - volume(*ball(30)))


def test_a_hollow_body_that_is_inside_out_is_flipped_with_its_cavity() -> None:
    hollow = together(ball(50), (ball(30)[0], ball(30)[1][:, ::-1]))
    other = moved(box(), (500, 0, 0))
    surface = cleaned(*together((hollow[0], hollow[1][:, ::-1]), other))
    assert volume(surface.vertices, surface.triangles) == pytest.approx(volume(*hollow) + 120_000)
    assert said(surface, "2 bodies were turned inside out")


def test_a_body_inside_out_beside_a_bent_one_is_no_cavity() -> None:
    """It lies in the box around the other, but not in the other."""
    made = trimesh.creation.torus(100, 10)
    ring = (np.array(made.vertices), np.array(made.faces, dtype=np.int64))
    small = (ball(5)[0], ball(5)[1][:, ::-1])
    surface = cleaned(*together(ring, small))
    assert volume(surface.vertices, surface.triangles) == pytest.approx(made.volume + volume(*ball(5)), rel=1e-6)
    assert said(surface, "1 body was turned inside out")


def test_an_open_sheet_is_not_closed() -> None:
    vertices, triangles = box()
    surface = cleaned(vertices, triangles[2:])
    assert not surface.closed
    assert said(surface, "it is open at 4 edges: it is taken as a sheet, not a solid")


def test_an_open_sheet_of_mixed_winding_is_wound_one_way() -> None:
    vertices, triangles = ball()
    triangles = triangles[vertices[triangles][:, :, 2].min(axis=1) > 0]
    flip = np.arange(len(triangles)) % 5 == 0
    surface = cleaned(vertices, np.where(flip[:, None], triangles[:, ::-1], triangles))
    assert not surface.closed
    a, b, c = (surface.vertices[surface.triangles[:, k]] for k in range(3))
    assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), a) > 0).all()


def test_edges_of_more_than_two_triangles_make_a_sheet() -> None:
    touching = together(box(), moved(box(), (100, 60, 0)))  # two boxes that share an edge
    surface = cleaned(*touching)
    assert not surface.closed
    assert said(surface, "1 edges join more than two triangles: it is taken as a sheet, not a solid")
    fin = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1.0]])
    assert not cleaned(fin, np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4]])).closed


def test_a_strip_with_one_side_is_a_sheet() -> None:
    n = 30
    angle = np.linspace(0, 2 * np.pi, n, endpoint=False)
    rim = []
    for s in (-0.5, 0.5):
        reach = 2 + s * np.cos(angle / 2)
        rim.append(np.stack([reach * np.cos(angle), reach * np.sin(angle), s * np.sin(angle / 2)], axis=1))
    k = np.arange(n)
    after = (k + 1) % n
    low, high = k, k + n
    low_after = np.where(after == 0, n, after)  # half a turn: the rims change places
    high_after = np.where(after == 0, 0, after + n)
    triangles = np.concatenate([np.stack([low, low_after, high], 1), np.stack([high, low_after, high_after], 1)])
    surface = cleaned(np.concatenate(rim), triangles)
    assert not surface.closed
    assert said(surface, "only one side, as a Möbius strip")


def test_small_gaps_are_welded() -> None:
    vertices, triangles = ball()
    pieces, numbers = soup((vertices, triangles))
    shaken = pieces + np.random.default_rng(0).uniform(-1e-12, 1e-12, pieces.shape)
    surface = cleaned(shaken, numbers)
    assert surface.closed
    assert said(surface, "were taken as one, which closed gaps")
    assert len(surface.triangles) == len(triangles)


def test_nothing_left() -> None:
    assert len(cleaned(np.zeros((3, 3)), np.array([[0, 1, 2]])).triangles) == 0
    line = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0.0]])
    assert len(cleaned(line, np.array([[0, 1, 2], [1, 2, 3], [0, 1, 3]])).triangles) == 0


def test_connected_parts_and_their_parity_against_a_search() -> None:
    chance = np.random.default_rng(3)
    for _ in range(30):
        n = int(chance.integers(1, 60))
        colour = chance.random(n) < 0.5
        pairs = chance.integers(0, n, (int(chance.integers(0, 80)), 2))
        odd = colour[pairs[:, 0]] ^ colour[pairs[:, 1]]
        root, parity = connected(n, pairs, odd)
        label = np.arange(n)
        for _ in range(n):
            for a, b in pairs:
                label[a] = label[b] = min(label[a], label[b])
        assert root.tolist() == label.tolist()
        assert np.array_equal(parity, colour ^ colour[root])


def test_inside_and_outside() -> None:
    vertices, triangles = ball(1.0)
    corners = vertices[triangles]
    assert is_inside(np.array([0.3, 0.2, 0.1]), corners)
    assert not is_inside(np.array([1.3, 0.2, 0.1]), corners)
    assert is_inside(np.array([0.3, 0.2, 0.1]), corners[:, ::-1])
