"""What a tree of boxes answers quickly: the closest triangle, those near a segment, the first one on a path.

Every answer is deterministic. Queries allocate nothing: a `Stack` is made once and handed on.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.cones import looks_away
from lissom.geometry.nearest import on_triangle, row
from lissom.geometry.tree import STACK, Tree
from lissom.geometry.triples import Vector, cross, dot, sub
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

SLIP = 1e-9  # of a triangle's size: a path through a shared edge hits at least one of its triangles


class Stack(NamedTuple):
    """Nodes still to visit, and how far they are. Made once, used by query after query."""

    node: Indices  # (STACK,)
    gap: Array  # (STACK,)


@kernel
def new_stack() -> Stack:
    return Stack(np.empty(STACK, np.int64), np.empty(STACK))


@inline
def gap_squared(box: Array, node: int, x: Vector) -> float:
    """The squared distance from x to a box."""
    a = max(box[node, 0] - x[0], 0.0, x[0] - box[node, 3])
    b = max(box[node, 1] - x[1], 0.0, x[1] - box[node, 4])
    c = max(box[node, 2] - x[2], 0.0, x[2] - box[node, 5])
    return float(a * a + b * b + c * c)


@inline
def corner_of(corners: Array, t: int, k: int) -> Vector:
    return (corners[t, 3 * k], corners[t, 3 * k + 1], corners[t, 3 * k + 2])


@inline
def corners_of(corners: Array, t: int) -> tuple[Vector, Vector, Vector]:
    return (
        (corners[t, 0], corners[t, 1], corners[t, 2]),
        (corners[t, 3], corners[t, 4], corners[t, 5]),
        (corners[t, 6], corners[t, 7], corners[t, 8]),
    )


@kernel
def closest(tree: Tree, x: Vector, limit: float, stack: Stack) -> tuple[float, int, Vector, int]:
    """(squared distance, triangle, its point nearest to x, feature code); triangle −1 if none is within √limit."""
    box, first, leaf, corners = tree.box, tree.first, tree.leaf, tree.corners
    nodes, gaps = stack.node, stack.gap
    best = limit
    triangle = -1
    where = x
    code = 0
    waiting = 0
    if len(box) > 0 and gap_squared(box, 0, x) <= best:
        nodes[0] = 0
        gaps[0] = 0.0
        waiting = 1
    while waiting > 0:
        waiting -= 1
        if gaps[waiting] > best:
            continue
        node = nodes[waiting]
        start = first[node]
        if leaf[node] > 0:
            for t in range(start, start + leaf[node]):
                a, b, c = corners_of(corners, t)
                y, feature = on_triangle(x, a, b, c)
                w = sub(x, y)
                squared = dot(w, w)
                if squared < best or (squared == best and triangle < 0):
                    best = squared
                    triangle = t
                    where = y
                    code = feature
            continue
        left = gap_squared(box, start, x)
        right = gap_squared(box, start + 1, x)
        swap = 1 if right < left else 0  # the nearer child is visited first: it goes on top
        for k in range(2):
            child = start + (1 - k if swap == 0 else k)
            far = left if child == start else right
            if far <= best:
                nodes[waiting] = child
                gaps[waiting] = far
                waiting += 1
    return best, triangle, where, code


@inline
def apart(box: Array, node: int, middle: Vector, half: Vector, cutoff: float, reach: float) -> bool:
    """Whether the segment middle ± half is surely farther from the box than `cutoff`; reach = cutoff + |half|.

    It is if the middle is farther than `reach`, or if the segment misses the box grown by `cutoff` on all sides.
    """
    ex = 0.5 * (box[node, 3] - box[node, 0]) + cutoff
    ey = 0.5 * (box[node, 4] - box[node, 1]) + cutoff
    ez = 0.5 * (box[node, 5] - box[node, 2]) + cutoff
    mx = middle[0] - 0.5 * (box[node, 3] + box[node, 0])
    my = middle[1] - 0.5 * (box[node, 4] + box[node, 1])
    mz = middle[2] - 0.5 * (box[node, 5] + box[node, 2])
    hx = abs(half[0])
    hy = abs(half[1])
    hz = abs(half[2])
    if abs(mx) > ex + hx or abs(my) > ey + hy or abs(mz) > ez + hz or gap_squared(box, node, middle) > reach * reach:
        return True
    if abs(my * half[2] - mz * half[1]) > ey * hz + ez * hy:
        return True
    if abs(mz * half[0] - mx * half[2]) > ez * hx + ex * hz:
        return True
    return bool(abs(mx * half[1] - my * half[0]) > ex * hy + ey * hx)


@kernel
def collect(tree: Tree, a: Vector, b: Vector, bend: float, cutoff: float, stack: Stack, near: Indices) -> int:
    """Fills `near` with the leaves that may be within `cutoff` of the segment a … b; returns how many there are.

    No triangle is left out that is within and has a place nearest to some place of the segment, with a normal that may
    lean by `bend` (rad). Where there are more than `near` holds, the rest is only counted.
    """
    box, first, leaf = tree.box, tree.first, tree.leaf
    nodes = stack.node
    middle = (0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2]))
    half = (0.5 * (b[0] - a[0]), 0.5 * (b[1] - a[1]), 0.5 * (b[2] - a[2]))
    size = math.sqrt(dot(half, half))
    reach = cutoff + size
    lean = (math.cos(bend), math.sin(bend))
    room = len(near)
    found = 0
    waiting = 0
    if len(box) > 0 and not apart(box, 0, middle, half, cutoff, reach):
        nodes[0] = 0
        waiting = 1
    while waiting > 0:
        waiting -= 1
        node = nodes[waiting]
        start = first[node]
        if leaf[node] > 0:
            if found < room:
                near[found] = node
            found += 1
            continue
        for child in range(start, start + 2):
            if not apart(box, child, middle, half, cutoff, reach) and not looks_away(tree, child, middle, size, lean):
                nodes[waiting] = child
                waiting += 1
    return found


@kernel
def hit(tree: Tree, a: Vector, b: Vector, stack: Stack) -> tuple[float, int]:
    """(fraction of the way, triangle) at which the straight path a → b first meets a triangle; (inf, −1) if none."""
    box, first, leaf, corners = tree.box, tree.first, tree.leaf, tree.corners
    nodes, gaps = stack.node, stack.gap
    d = sub(b, a)
    per = (
        1.0 / d[0] if d[0] != 0.0 else 1e300,
        1.0 / d[1] if d[1] != 0.0 else 1e300,
        1.0 / d[2] if d[2] != 0.0 else 1e300,
    )
    best = math.inf
    triangle = -1
    waiting = 0
    if len(box) > 0:
        nodes[0] = 0
        gaps[0] = 0.0
        waiting = 1
    while waiting > 0:
        waiting -= 1
        if gaps[waiting] > best:
            continue
        node = nodes[waiting]
        start = first[node]
        if leaf[node] > 0:
            for t in range(start, start + leaf[node]):
                p, q, r = corners_of(corners, t)
                fraction = pierced(a, d, p, q, r)
                if 0.0 <= fraction < best:
                    best = fraction
                    triangle = t
            continue
        left = entered(box, start, a, per)
        right = entered(box, start + 1, a, per)
        swap = 1 if right < left else 0
        for k in range(2):
            child = start + (1 - k if swap == 0 else k)
            enters = left if child == start else right
            if enters <= 1.0 and enters <= best:
                nodes[waiting] = child
                gaps[waiting] = enters
                waiting += 1
    return best, triangle


@inline
def entered(box: Array, node: int, a: Vector, per: Vector) -> float:
    """The fraction at which a path enters a box, at least 0; 2 where it misses it."""
    enter = 0.0
    leave = 1.0
    for k in range(3):
        low = (box[node, k] - a[k]) * per[k]
        high = (box[node, 3 + k] - a[k]) * per[k]
        enter = max(enter, min(low, high))
        leave = min(leave, max(low, high))
    return enter if enter <= leave + 1e-12 else 2.0


@inline
def pierced(a: Vector, d: Vector, p: Vector, q: Vector, r: Vector) -> float:
    """The fraction in [0, 1] at which a + f d pierces a triangle from either side [MT97]; −1 where it does not."""
    e = sub(q, p)
    f = sub(r, p)
    h = cross(d, f)
    det = dot(e, h)
    if abs(det) <= 1e-14 * math.sqrt(dot(d, d) * dot(e, e) * dot(f, f)):  # the path lies in the triangle's plane
        return -1.0
    s = sub(a, p)
    u = dot(s, h) / det
    g = cross(s, e)
    v = dot(d, g) / det
    fraction = dot(f, g) / det
    if u < -SLIP or v < -SLIP or u + v > 1.0 + SLIP or fraction < 0.0 or fraction > 1.0:
        return -1.0
    return fraction


@kernel
def closest_many(tree: Tree, points: Array, distance: Array, triangle: Indices, where: Array, code: Indices) -> None:
    """`closest` for each of the points (n, 3), without a limit."""
    stack = new_stack()
    for i in range(len(points)):
        squared, triangle[i], y, code[i] = closest(tree, row(points, i), math.inf, stack)
        distance[i] = math.sqrt(squared)
        for k in range(3):
            where[i, k] = y[k]
