"""The volume that a cable sweeps, as a closed mesh.

The centre lines of consecutive shapes span a sheet of triangles. Swept is what lies within the radius r of that
sheet: {x: d(x) ≤ r}, d the distance to it. d is sampled on a cubic grid of width h, every cube is cut into six
tetrahedra around its diagonal, all alike, so that faces of neighbours fit; and in each the surface d = r + e, linear
between the corners, is one or two triangles. The result is closed.

Between samples, d interpolated is too large by at most e = (√3 h)²/(8 r), because the surfaces of equal distance
outside the radius bend no more than 1/r. With r + e and a little to spare in place of r the mesh holds all that is
swept. Then triangles are taken out wherever what is left still does (lissom.geometry.thinning). With h = r/5 the mesh
is 0.016 r outside, more only where two sides of what is swept meet in a groove: there up to a grid width.
"""

import itertools
import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.lookup import Stack, closest, new_stack
from lissom.geometry.thinning import silent, thinned
from lissom.geometry.tree import Tree, build_tree
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Node = tuple[int, int, int]

PER_RADIUS: Final = 5.0
"""Grid widths in a radius."""
SPARE: Final = 0.001
"""Part of the radius by which the surface is farther out than it must be, before triangles are taken out of it."""
DEPTH: Final = 0.002
"""Part of the radius by which the surface may go out where triangles are taken out."""
BLOCK: Final = 8
"""Cubes along the side of a block, which is passed over as a whole where the surface is not in it."""
MOST_BLOCKS: Final = 15_000
"""Blocks with surface in them; beyond, the grid is made wider."""
CHUNK: Final = 64
"""Blocks that a thread takes at a time."""
MOST_CUT: Final = 7 * (BLOCK + 1) ** 3
"""Edges of the grid in a block: as many vertices at most, and hardly more triangles."""
NUDGE: Final = 0.02
"""Grid widths: a node nearer to the surface is moved inside by as much. Vertices around it would be one in a file."""
UNKNOWN: Final = -1.0
"""A distance that was not looked up."""
MARCHED: Final = 0.6
"""Part of the time that the surface takes before triangles are taken out of it; about."""

# Corners of a cube by the bits of their number: 1 is x, 2 is y, 4 is z. Six tetrahedra around the diagonal 0–7, each
# with the same sense of rotation.
TETRAHEDRA: Final = ((0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7))


def cases() -> Indices:
    """(6, 16, 2, 3, 2): for each tetrahedron, and each set of its corners inside, up to two triangles, each by three
    edges that the surface cuts, each between two corners of the cube; −1 where there is no triangle.
    """
    table = np.full((6, 16, 2, 3, 2), -1, dtype=np.int64)
    for t, inside in itertools.product(range(6), range(1, 15)):
        corners = sorted(range(4), key=lambda c: not inside >> c & 1)  # those inside first
        p, q, r, s = (TETRAHEDRA[t][c] for c in corners)
        triangles = {
            1: [((p, q), (p, r), (p, s))],
            2: [((p, r), (p, s), (q, s)), ((p, r), (q, s), (q, r))],
            3: [((p, s), (q, s), (r, s))],
        }[inside.bit_count()]
        even = sum(a > b for a, b in itertools.combinations(corners, 2)) % 2 == 0
        for k, (a, b, c) in enumerate(triangles):
            table[t, inside, k] = np.sort((a, b, c) if even else (a, c, b), axis=1)
    return table


CASES: Final = cases()


def envelope(
    runs: Sequence[Array], radius: float, tell: Callable[[float], object] = silent
) -> tuple[Array, Indices, float]:
    """Vertices (v, 3), triangles (t, 3) wound outwards, and the grid width (m).

    `runs` are shapes (n, points, 3) that follow each other; between two runs the cable has jumped. `tell` hears which
    part of the work is done.
    """
    if not radius > 0.0:
        raise ValueError("a cable without a radius sweeps no volume: give its type a radius")
    tree, _ = build_tree(np.concatenate([sheet(shapes) for shapes in runs]))
    points = np.concatenate([shapes.reshape(-1, 3) for shapes in runs])
    low, high = points.min(axis=0) - 1.5 * radius, points.max(axis=0) + 1.5 * radius
    h = radius / PER_RADIUS
    while True:
        level = radius + 3.0 * h * h / (8.0 * radius) + SPARE * radius
        blocks = active_blocks(tree, low, high, h, level)
        if len(blocks) <= MOST_BLOCKS:
            break
        h *= 1.25
    nodes = nodes_across(low, high, h)
    vertices, distance, triangles = surface(tree, low, h, level, blocks, nodes, lambda done: tell(MARCHED * done))
    vertices, triangles = thinned(
        vertices,
        triangles,
        distance,
        radius,
        SPARE * radius,
        DEPTH * radius,
        lambda done: tell(MARCHED + (1.0 - MARCHED) * done),
    )
    return vertices, triangles, h


def sheet(shapes: Array) -> Array:
    """(t, 9) triangles between consecutive shapes; of a single one, its segments as triangles without area."""
    if len(shapes) == 1:
        shapes = np.concatenate([shapes, shapes])
    a, b = shapes[:-1, :-1].reshape(-1, 3), shapes[:-1, 1:].reshape(-1, 3)
    c, d = shapes[1:, 1:].reshape(-1, 3), shapes[1:, :-1].reshape(-1, 3)
    return np.ascontiguousarray(np.concatenate([np.hstack([a, b, c]), np.hstack([a, c, d])]))


def nodes_across(low: Array, high: Array, h: float) -> Indices:
    """(3,) nodes of the grid along each axis."""
    blocks = np.ceil((high - low) / (BLOCK * h)).astype(np.int64)
    return np.asarray(np.maximum(blocks, 1) * BLOCK + 1)


def active_blocks(tree: Tree, low: Array, high: Array, h: float, level: float) -> Indices:
    """(k, 3) blocks in which the surface may be, found by halving: first large ones."""
    count = (nodes_across(low, high, h) - 1) // BLOCK
    size = 1 << math.ceil(math.log2(max(int(count.max()), 1)))
    found = np.zeros((1, 3), dtype=np.int64)
    while True:
        side = BLOCK * h * size
        keep = np.zeros(len(found), dtype=np.bool_)
        reach = 0.5 * math.sqrt(3.0) * side + 2.0 * NUDGE * h
        near_surface(tree, low + (found + 0.5) * side, reach, level, keep)
        found = found[keep]
        if size == 1 or not len(found):
            return found[(found < count).all(axis=1)]
        corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
        found = (2 * found[:, None, :] + corners[None]).reshape(-1, 3)
        size //= 2
        found = found[((found * size) < count).all(axis=1)]


@kernel
def near_surface(tree: Tree, middle: Array, reach: float, level: float, keep: NDArray[np.bool_]) -> None:
    """keep: whether |d − level| is at most `reach` in the middle, so that d = level may be within it."""
    stack = new_stack()
    limit = (level + reach) * (level + reach)
    for k in range(len(middle)):
        squared, triangle, _, _ = closest(tree, (middle[k, 0], middle[k, 1], middle[k, 2]), limit, stack)
        keep[k] = triangle >= 0 and math.sqrt(squared) + reach >= level


@kernel
def measure(tree: Tree, points: Array, far: float, distance: Array) -> None:
    """Fills d at points (n, 3); `far` where it is more."""
    stack = new_stack()
    for k in range(len(points)):
        squared, triangle, _, _ = closest(tree, (points[k, 0], points[k, 1], points[k, 2]), far * far, stack)
        distance[k] = math.sqrt(squared) if triangle >= 0 else far


class Piece(NamedTuple):
    """Of the surface: what is in some blocks."""

    key: Indices  # (v,) of the edge of the grid that a vertex is on
    place: Array  # (v, 3) m
    distance: Array  # (v,) m
    face: Indices  # (t, 3)


def surface(
    tree: Tree, low: Array, h: float, level: float, blocks: Indices, nodes: Indices, tell: Callable[[float], object]
) -> tuple[Array, Array, Indices]:
    """Vertices, their distances, and triangles of all blocks; vertices on the same edge of the grid are one."""

    def piece(part: Indices) -> Piece:
        key, place = np.empty(len(part) * MOST_CUT, dtype=np.int64), np.empty((len(part) * MOST_CUT, 3))
        face = np.empty((2 * len(part) * MOST_CUT, 3), dtype=np.int64)
        points, triangles = march(tree, part, low, h, level, nodes, CASES, key, place, face)
        distance = np.empty(points)
        measure(tree, place[:points], level + h, distance)
        return Piece(key[:points].copy(), place[:points].copy(), distance, face[:triangles].copy())

    pieces: list[Piece] = []
    parts = [blocks[k : k + CHUNK] for k in range(0, len(blocks), CHUNK)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, found in enumerate(pool.map(piece, parts), start=1):
            pieces.append(found)
            tell(number / len(parts))
    before = np.cumsum([0, *(len(k.key) for k in pieces)])
    faces = np.concatenate([k.face + n for k, n in zip(pieces, before, strict=False)])
    _, first, number_of = np.unique(np.concatenate([k.key for k in pieces]), return_index=True, return_inverse=True)
    places, distances = (np.concatenate(k)[first] for k in ([p.place for p in pieces], [p.distance for p in pieces]))
    return places, distances, number_of[faces]


@kernel
def march(
    tree: Tree,
    blocks: Indices,
    low: Array,
    h: float,
    level: float,
    nodes: Indices,
    table: Indices,
    key: Indices,
    place: Array,
    face: Indices,
) -> tuple[int, int]:
    """Fills the keys of edges of the grid that the surface cuts, where (v, 3), and triangles (t, 3); gives how many.

    A vertex on an edge that two blocks share is there twice, with the same key. d is looked up only near the surface:
    from node to node it changes by no more than they are apart.
    """
    stack = new_stack()
    distance = np.empty((BLOCK + 1, BLOCK + 1, BLOCK + 1))
    cut_at = np.empty((BLOCK + 1, BLOCK + 1, BLOCK + 1, 8), dtype=np.int64)  # the vertex on an edge
    value = np.empty(8)
    count = np.zeros(2, dtype=np.int64)  # vertices, triangles
    for b in range(len(blocks)):
        distance[:] = UNKNOWN
        cut_at[:] = -1
        corner = (BLOCK * blocks[b, 0], BLOCK * blocks[b, 1], BLOCK * blocks[b, 2])
        for coarse in range(8):
            i, j, k = steps(coarse, 4)
            middle = look_up(tree, low, h, level + 4.0 * h, corner, (i + 2, j + 2, k + 2), distance, stack)
            if abs(middle - level) > 2.0 * (math.sqrt(3.0) + NUDGE) * h:
                continue
            for fine in range(8):
                u, v, w = steps(fine, 2)
                at = (i + u, j + v, k + w)
                if crossed(tree, low, h, level, corner, at, distance, stack):
                    for cube in range(8):
                        u, v, w = steps(cube, 1)
                        lowest = (at[0] + u, at[1] + v, at[2] + w)
                        cut(
                            table,
                            distance,
                            level,
                            lowest,
                            corner,
                            low,
                            h,
                            nodes,
                            value,
                            cut_at,
                            key,
                            place,
                            face,
                            count,
                        )
    return int(count[0]), int(count[1])


@inline
def steps(bits: int, size: int) -> tuple[int, int, int]:
    """Along x, y and z, by the bits of a number."""
    return size * (bits & 1), size * ((bits >> 1) & 1), size * (bits >> 2)


@kernel
def crossed(
    tree: Tree, low: Array, h: float, level: float, corner: Node, at: Node, distance: Array, stack: Stack
) -> bool:
    """Whether the surface may be in the eight cubes from `at` on; then d is known at all their corners."""
    middle = look_up(tree, low, h, level + 4.0 * h, corner, (at[0] + 1, at[1] + 1, at[2] + 1), distance, stack)
    if abs(middle - level) > (math.sqrt(3.0) + 2.0 * NUDGE) * h:
        return False
    for i in range(3):
        for j in range(3):
            for k in range(3):
                here = (at[0] + i, at[1] + j, at[2] + k)
                look_up(tree, low, h, middle + 2.0 * h, corner, here, distance, stack)
    return True


@kernel
def look_up(
    tree: Tree, low: Array, h: float, far: float, corner: Node, at: Node, distance: Array, stack: Stack
) -> float:
    """d at a node of a block, found once; `far` where it is more."""
    if distance[at] == UNKNOWN:
        x = low[0] + (corner[0] + at[0]) * h
        y = low[1] + (corner[1] + at[1]) * h
        z = low[2] + (corner[2] + at[2]) * h
        squared, triangle, _, _ = closest(tree, (x, y, z), far * far, stack)
        distance[at] = math.sqrt(squared) if triangle >= 0 else far
    return float(distance[at])


@kernel
def cut(
    table: Indices,
    distance: Array,
    level: float,
    at: Node,
    corner: Node,
    low: Array,
    h: float,
    nodes: Indices,
    value: Array,
    cut_at: Indices,
    key: Indices,
    place: Array,
    face: Indices,
    count: Indices,
) -> None:
    """Adds what is in one cube, `at` its lowest node in the block, to the vertices and triangles that were counted."""
    inside = 0
    for c in range(8):
        i, j, k = steps(c, 1)
        value[c] = distance[at[0] + i, at[1] + j, at[2] + k] - level
        if abs(value[c]) < NUDGE * h:
            value[c] = -NUDGE * h
        if value[c] < 0.0:
            inside |= 1 << c
    if inside in (0, 255):
        return
    for t in range(6):
        case = 0
        for c in range(4):
            case |= ((inside >> TETRAHEDRA[t][c]) & 1) << c
        for m in range(2):
            if table[t, case, m, 0, 0] < 0:
                break
            for c in range(3):
                a, b = table[t, case, m, c]
                face[count[1], c] = vertex(a, b, value, at, corner, low, h, nodes, cut_at, key, place, count)
            count[1] += 1


@kernel
def vertex(
    a: int,
    b: int,
    value: Array,
    at: Node,
    corner: Node,
    low: Array,
    h: float,
    nodes: Indices,
    cut_at: Indices,
    key: Indices,
    place: Array,
    count: Indices,
) -> int:
    """Where the surface cuts the edge from corner a to b of a cube; it is known by its lower node and b − a."""
    i, j, k = steps(a, 1)
    here = (at[0] + i, at[1] + j, at[2] + k, b - a)
    if cut_at[here] < 0:
        n = count[0]
        x, y, z = corner[0] + here[0], corner[1] + here[1], corner[2] + here[2]
        key[n] = ((z * nodes[1] + y) * nodes[0] + x) * 8 + (b - a)
        part = value[a] / (value[a] - value[b])
        u, v, w = steps(b - a, 1)
        place[n, 0] = low[0] + h * (x + part * u)
        place[n, 1] = low[1] + h * (y + part * v)
        place[n, 2] = low[2] + h * (z + part * w)
        cut_at[here] = n
        count[0] += 1
    return int(cut_at[here])
