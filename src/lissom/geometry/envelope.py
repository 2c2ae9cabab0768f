"""The volume that a cable sweeps, as a closed mesh.

The centre lines of consecutive shapes span a sheet of triangles. Swept is what lies within the radius r of that
sheet: {x: d(x) ≤ r}, d the distance to it. d is sampled on a cubic grid of width h, every cube is cut into six
tetrahedra around its diagonal, all alike, so that faces of neighbours fit; and in each the surface d = r + e, linear
between the corners, is one or two triangles. The result is closed.

Between samples, d interpolated is too large by at most e = (√3 h)²/(8 r), because the surfaces of equal distance
outside the radius bend no more than 1/r. Then triangles are taken out where the surface is flat, by which it goes in
by at most a depth t (lissom.geometry.thinning). With r + e + t in place of r the mesh holds all that is swept; with
h = r/6 and t = 0.006 r it is nowhere more than e + t = 0.0165 r outside.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.lookup import Stack, closest, new_stack
from lissom.geometry.thinning import thinned
from lissom.geometry.tree import Tree, build_tree
from lissom.kernels import kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

PER_RADIUS: Final = 6.0
"""Grid widths in a radius."""
DEPTH: Final = 0.006
"""Part of the radius by which the surface may go in where triangles are taken out."""
BLOCK: Final = 8
"""Cubes along the side of a block, which is passed over as a whole where the surface is not in it."""
MOST_BLOCKS: Final = 15_000
"""Blocks with surface in them; beyond, the grid is made wider."""
CHUNK: Final = 2048
"""Blocks that are held in memory at a time."""

# Corners of a cube by the bits of their number: 1 is x, 2 is y, 4 is z. Six tetrahedra around the diagonal 0–7, each
# with the same sense of rotation.
TETRAHEDRA: Final = np.array(
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]], dtype=np.int64
)


def envelope(runs: Sequence[Array], radius: float) -> tuple[Array, Indices, float]:
    """Vertices (v, 3), triangles (t, 3) wound outwards, and the grid width (m).

    `runs` are shapes (n, points, 3) that follow each other; between two runs the cable has jumped.
    """
    if not radius > 0.0:
        raise ValueError("a cable without a radius sweeps no volume: give its type a radius")
    tree, _ = build_tree(np.concatenate([sheet(shapes) for shapes in runs]))
    points = np.concatenate([shapes.reshape(-1, 3) for shapes in runs])
    low, high = points.min(axis=0) - 1.5 * radius, points.max(axis=0) + 1.5 * radius
    h = radius / PER_RADIUS
    while True:
        level = radius + 3.0 * h * h / (8.0 * radius) + DEPTH * radius
        blocks = active_blocks(tree, low, high, h, level)
        if len(blocks) <= MOST_BLOCKS:
            break
        h *= 1.25
    vertices, triangles = surface(tree, low, h, level, blocks, nodes_across(low, high, h))
    return (*thinned(vertices, triangles, DEPTH * radius), h)


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
        near_surface(tree, low + (found + 0.5) * side, 0.5 * math.sqrt(3.0) * side, level, keep)
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


def surface(tree: Tree, low: Array, h: float, level: float, blocks: Indices, nodes: Indices) -> tuple[Array, Indices]:
    """The triangles of all blocks, vertices on the same edge of the grid being one."""
    keys: list[Indices] = []
    places: list[Array] = []
    side = BLOCK + 1
    for start in range(0, len(blocks), CHUNK):
        part = blocks[start : start + CHUNK]
        distance = np.empty((len(part), side, side, side))
        sample(tree, low, h, part, level, distance)
        most = 12 * BLOCK**3 * len(part)
        key, place = np.empty((most, 3), dtype=np.int64), np.empty((most, 3, 3))
        number = march(part, distance, low, h, level, nodes, TETRAHEDRA, key, place)
        keys.append(key[:number].copy())
        places.append(place[:number].copy())
    if not keys:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
    every = np.concatenate(keys).reshape(-1)
    _, first, triangles = np.unique(every, return_index=True, return_inverse=True)
    vertices = np.concatenate(places).reshape(-1, 3)[first]
    return vertices, triangles.reshape(-1, 3).astype(np.int64)


@kernel
def sample(tree: Tree, low: Array, h: float, blocks: Indices, level: float, distance: Array) -> None:
    """d at the nodes of each block; far from the surface only that it is far."""
    stack = new_stack()
    far = level + 4.0 * h
    for b in range(len(blocks)):
        for i in range(BLOCK + 1):
            for j in range(BLOCK + 1):
                for k in range(BLOCK + 1):
                    x = low[0] + (blocks[b, 0] * BLOCK + i) * h
                    y = low[1] + (blocks[b, 1] * BLOCK + j) * h
                    z = low[2] + (blocks[b, 2] * BLOCK + k) * h
                    distance[b, i, j, k] = from_sheet(tree, x, y, z, far, stack)


@kernel
def from_sheet(tree: Tree, x: float, y: float, z: float, far: float, stack: Stack) -> float:
    squared, triangle, _, _ = closest(tree, (x, y, z), far * far, stack)
    return math.sqrt(squared) if triangle >= 0 else far


@kernel
def march(
    blocks: Indices,
    distance: Array,
    low: Array,
    h: float,
    level: float,
    nodes: Indices,
    tetrahedra: Indices,
    key: Indices,
    place: Array,
) -> int:
    """Fills the keys of the edges (t, 3) that corners of triangles lie on, and where (t, 3, 3); gives how many."""
    number = 0
    value = np.empty(8)
    for b in range(len(blocks)):
        for i in range(BLOCK):
            for j in range(BLOCK):
                for k in range(BLOCK):
                    inside = 0
                    for c in range(8):
                        value[c] = distance[b, i + (c & 1), j + ((c >> 1) & 1), k + (c >> 2)] - level
                        if value[c] < 0.0:
                            inside += 1
                    if inside == 0 or inside == 8:
                        continue
                    x = blocks[b, 0] * BLOCK + i
                    y = blocks[b, 1] * BLOCK + j
                    z = blocks[b, 2] * BLOCK + k
                    for t in range(6):
                        number = cut(tetrahedra[t], value, x, y, z, low, h, nodes, key, place, number)
    return number


@kernel
def cut(
    corner: Indices,
    value: Array,
    x: int,
    y: int,
    z: int,
    low: Array,
    h: float,
    nodes: Indices,
    key: Indices,
    place: Array,
    number: int,
) -> int:
    """The triangles in one tetrahedron: the corners inside (value < 0) cut off from those outside."""
    order = np.empty(4, dtype=np.int64)  # inside first, by an even permutation, so that the sense is kept
    inside = 0
    for c in range(4):
        if value[corner[c]] < 0.0:
            inside += 1
    if inside == 0 or inside == 4:
        return number
    a = 0
    z_at = inside
    for c in range(4):
        if value[corner[c]] < 0.0:
            order[a] = c
            a += 1
        else:
            order[z_at] = c
            z_at += 1
    even = is_even(order)
    p, q, r, s = corner[order[0]], corner[order[1]], corner[order[2]], corner[order[3]]
    if inside == 1:
        if even:
            return emit(p, q, p, r, p, s, value, x, y, z, low, h, nodes, key, place, number)
        return emit(p, q, p, s, p, r, value, x, y, z, low, h, nodes, key, place, number)
    if inside == 3:
        if even:
            return emit(p, s, q, s, r, s, value, x, y, z, low, h, nodes, key, place, number)
        return emit(p, s, r, s, q, s, value, x, y, z, low, h, nodes, key, place, number)
    if even:
        number = emit(p, r, p, s, q, s, value, x, y, z, low, h, nodes, key, place, number)
        return emit(p, r, q, s, q, r, value, x, y, z, low, h, nodes, key, place, number)
    number = emit(p, r, q, s, p, s, value, x, y, z, low, h, nodes, key, place, number)
    return emit(p, r, q, r, q, s, value, x, y, z, low, h, nodes, key, place, number)


@kernel
def is_even(order: Indices) -> bool:
    """Whether the permutation of 0, 1, 2, 3 is even."""
    swaps = 0
    for i in range(4):
        for j in range(i + 1, 4):
            if order[i] > order[j]:
                swaps += 1
    return swaps % 2 == 0


@kernel
def emit(
    a0: int,
    a1: int,
    b0: int,
    b1: int,
    c0: int,
    c1: int,
    value: Array,
    x: int,
    y: int,
    z: int,
    low: Array,
    h: float,
    nodes: Indices,
    key: Indices,
    place: Array,
    number: int,
) -> int:
    """One triangle; its corners lie on the edges a, b, c between corners of the cube."""
    point(a0, a1, 0, value, x, y, z, low, h, nodes, key, place, number)
    point(b0, b1, 1, value, x, y, z, low, h, nodes, key, place, number)
    point(c0, c1, 2, value, x, y, z, low, h, nodes, key, place, number)
    return number + 1


@kernel
def point(
    a: int,
    b: int,
    which: int,
    value: Array,
    x: int,
    y: int,
    z: int,
    low: Array,
    h: float,
    nodes: Indices,
    key: Indices,
    place: Array,
    number: int,
) -> None:
    """Where the surface cuts an edge; the edge is known by its lower node and which of the seven ways it goes."""
    if a > b:
        a, b = b, a
    i, j, k = x + (a & 1), y + ((a >> 1) & 1), z + (a >> 2)
    key[number, which] = (((k * nodes[1] + j) * nodes[0]) + i) * 8 + (b - a)
    u = value[a] / (value[a] - value[b])
    place[number, which, 0] = low[0] + h * (x + (1.0 - u) * (a & 1) + u * (b & 1))
    place[number, which, 1] = low[1] + h * (y + (1.0 - u) * ((a >> 1) & 1) + u * ((b >> 1) & 1))
    place[number, which, 2] = low[2] + h * (z + (1.0 - u) * (a >> 2) + u * (b >> 2))
