"""A tree of boxes around the triangles of a mesh.

The tree is built top-down: each node is split across the longest side of the box of its triangles' middles, at the
one of a few places where Σ (area of box × triangles) is least [Wal07]. Triangles are kept in the order of the leaves,
so that a leaf is a stretch of them. What the tree answers: lookup.py.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, add, sub
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

LEAF = 4  # triangles: fewer cost more boxes than they save
BINS = 16  # places at which a split is tried; more gain nothing [Wal07 §3]
DEPTH = 48  # levels split by area; below, halves by number, so that the stack has a bound
STACK = DEPTH + 64
TINY = 1e-290  # m: middles nearer to each other than this are in one place


class Tree(NamedTuple):
    """Boxes around boxes around triangles. m: node, t: triangle."""

    box: Array  # (m, 6) lowest x, y, z, highest x, y, z, m
    first: Indices  # (m,) first triangle of a leaf; else the first of two child nodes
    leaf: Indices  # (m,) triangles of a leaf; 0: not a leaf
    corners: Array  # (t, 9) the three corners, in the order of the leaves, m
    cone: (
        Array  # (m, 5) which way the triangles look: axis, cosine and sine of the half angle; cosine −1: any [cones.py]
    )


def empty_tree() -> Tree:
    return Tree(np.zeros((0, 6)), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 9)), np.zeros((0, 5)))


def build_tree(corners: Array) -> tuple[Tree, Indices]:
    """The tree of triangles (t, 9), and which of them stands where in the order of its leaves (t,)."""
    number = len(corners)
    most = max(2 * number, 1)
    box = np.empty((most, 6))
    first = np.zeros(most, np.int64)
    leaf = np.zeros(most, np.int64)
    order = np.arange(number)
    bounds = np.empty((number, 6))
    bound(corners, bounds)
    nodes = grow(bounds, order, box, first, leaf)
    ordered = np.empty((number, 9))
    reorder(corners, order, ordered)
    return Tree(
        box[:nodes].copy(), first[:nodes].copy(), leaf[:nodes].copy(), ordered, np.full((nodes, 5), -1.0)
    ), order


@kernel
def bound(corners: Array, bounds: Array) -> None:
    """Fills the box (t, 6) of each triangle."""
    for t in range(len(corners)):
        for k in range(3):
            a = corners[t, k]
            b = corners[t, 3 + k]
            c = corners[t, 6 + k]
            bounds[t, k] = min(a, b, c)
            bounds[t, 3 + k] = max(a, b, c)


@kernel
def reorder(rows: Array | Indices, order: Indices, out: Array | Indices) -> None:
    for t in range(len(order)):
        for k in range(rows.shape[1]):
            out[t, k] = rows[order[t], k]


@kernel
def grow(bounds: Array, order: Indices, box: Array, first: Indices, leaf: Indices) -> int:
    """Fills the nodes; sorts `bounds` and `order` into the order of the leaves. Returns the number of nodes."""
    todo = np.empty((STACK, 4), np.int64)
    number = np.empty(BINS, np.int64)
    around = np.empty((BINS, 6))
    cost = np.empty(BINS)
    middle = np.empty(6)
    if len(bounds) == 0:
        return 0
    waiting = put(todo, 0, 0, 0, len(bounds), 0)
    nodes = 1
    while waiting > 0:
        waiting -= 1
        node, start, stop, depth = todo[waiting, 0], todo[waiting, 1], todo[waiting, 2], todo[waiting, 3]
        enclose(bounds, start, stop, box, node, middle)
        if stop - start <= LEAF:
            first[node] = start
            leaf[node] = stop - start
            continue
        axis = 0
        for k in range(1, 3):
            if middle[3 + k] - middle[k] > middle[3 + axis] - middle[axis]:
                axis = k
        split = start
        if depth < DEPTH and middle[3 + axis] - middle[axis] > TINY:
            split = divide(bounds, order, start, stop, axis, middle, number, around, cost)
        if split in (start, stop):
            split = (start + stop) // 2
        first[node] = nodes
        leaf[node] = 0
        waiting = put(todo, waiting, nodes + 1, split, stop, depth + 1)
        waiting = put(todo, waiting, nodes, start, split, depth + 1)
        nodes += 2
    return nodes


@inline
def put(todo: Indices, i: int, node: int, start: int, stop: int, depth: int) -> int:
    todo[i, 0] = node
    todo[i, 1] = start
    todo[i, 2] = stop
    todo[i, 3] = depth
    return i + 1


@kernel
def enclose(bounds: Array, start: int, stop: int, box: Array, node: int, middle: Array) -> None:
    """Fills the box around triangles start … stop, and the box of twice their middles."""
    low = (1e300, 1e300, 1e300)
    high = (-1e300, -1e300, -1e300)
    least = low
    most = high
    for t in range(start, stop):
        a = (bounds[t, 0], bounds[t, 1], bounds[t, 2])
        b = (bounds[t, 3], bounds[t, 4], bounds[t, 5])
        low = lower(low, a)
        high = upper(high, b)
        least = lower(least, add(a, b))
        most = upper(most, add(a, b))
    for k in range(3):
        box[node, k] = low[k]
        box[node, 3 + k] = high[k]
        middle[k] = least[k]
        middle[3 + k] = most[k]


@kernel
def divide(
    bounds: Array, order: Indices, start: int, stop: int, axis: int, middle: Array, number: Indices, around: Array,
    cost: Array,
) -> int:  # fmt: skip
    """Sorts triangles start … stop into two parts; returns where the second begins."""
    low = middle[axis]
    per = BINS * (1.0 - 1e-12) / (middle[3 + axis] - low)
    for j in range(BINS):
        number[j] = 0
        for k in range(3):
            around[j, k] = 1e300
            around[j, 3 + k] = -1e300
    for t in range(start, stop):
        j = int((bounds[t, axis] + bounds[t, 3 + axis] - low) * per)
        number[j] += 1
        for k in range(3):
            around[j, k] = min(around[j, k], bounds[t, k])
            around[j, 3 + k] = max(around[j, 3 + k], bounds[t, 3 + k])
    best = cheapest(number, around, cost)
    i = start
    j = stop - 1
    while i <= j:
        if int((bounds[i, axis] + bounds[i, 3 + axis] - low) * per) < best:
            i += 1
        else:
            for k in range(6):
                bounds[i, k], bounds[j, k] = bounds[j, k], bounds[i, k]
            order[i], order[j] = order[j], order[i]
            j -= 1
    return i


@kernel
def cheapest(number: Indices, around: Array, cost: Array) -> int:
    """The first bin of the second part, such that Σ (area of box × triangles) is least."""
    low = (1e300, 1e300, 1e300)
    high = (-1e300, -1e300, -1e300)
    total = 0
    for j in range(BINS - 1, 0, -1):
        low = lower(low, (around[j, 0], around[j, 1], around[j, 2]))
        high = upper(high, (around[j, 3], around[j, 4], around[j, 5]))
        total += number[j]
        cost[j] = half_area(low, high) * total if total > 0 else 0.0
    low = (1e300, 1e300, 1e300)
    high = (-1e300, -1e300, -1e300)
    total = 0
    best = 1
    least = math.inf
    for j in range(1, BINS):
        low = lower(low, (around[j - 1, 0], around[j - 1, 1], around[j - 1, 2]))
        high = upper(high, (around[j - 1, 3], around[j - 1, 4], around[j - 1, 5]))
        total += number[j - 1]
        value = cost[j] + half_area(low, high) * total
        if value < least:
            least = value
            best = j
    return best


@inline
def lower(a: Vector, b: Vector) -> Vector:
    return (min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2]))


@inline
def upper(a: Vector, b: Vector) -> Vector:
    return (max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2]))


@inline
def half_area(low: Vector, high: Vector) -> float:
    x, y, z = sub(high, low)
    return x * y + y * z + z * x
