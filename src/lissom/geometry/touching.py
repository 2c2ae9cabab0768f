"""Where a cable's centre line comes near an obstacle.

The cable is a polyline of points; its centre line is near a place of the surface if it is within a cutoff. Every
cable point is looked at, and the inside of every segment where it crosses an edge or a vertex of a mesh, or is
nearest to a simple solid. See places.py (meshes) and primitives.py (simple solids).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.features import direction, owner
from lissom.geometry.lookup import Stack, closest, collect, new_stack
from lissom.geometry.nearest import CORNER, EDGE, FACE, is_finite, length, row
from lissom.geometry.places import (
    MARGIN,
    TOUCHES,
    Places,
    is_inside,
    new_places,
    point_places,
    pseudonormal,
    segment_places,
)
from lissom.geometry.primitives import around, curvature, field, lowest, square
from lissom.geometry.ridges import FLAT, sharpness
from lissom.geometry.solids import MESH, PLANE, Solid
from lissom.geometry.triples import (
    Matrix,
    Symmetric,
    Vector,
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    full,
    matmul,
    scale,
    sub,
    transposed,
)
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


MOST_TURN = 0.5


class Found(NamedTuple):
    """Room for places where a cable is near an obstacle. m: place. All in world axes."""

    segment: Indices  # (m,) the segment s of the cable
    t: Array  # (m,) where on it, 0 … 1: x = (1 − t) points[s] + t points[s + 1]
    y: Array  # (m, 3) the point of the surface, m
    normal: Array  # (m, 3) N, unit, from the obstacle to the cable: the gradient of d at x
    distance: Array  # (m,) d from the surface to x, m; negative inside a closed solid
    curvature: Array  # (m, 3, 3) ∂N/∂x, the second derivative of d at x, 1/m
    edge: Array  # (m, 3) unit direction of the mesh edge; zero on faces, at vertices and on simple solids
    feature: Indices  # (m,) names the face, edge or vertex; the same in every call


def new_found(room: int) -> Found:
    return Found(
        segment=np.zeros(room, np.int64), t=np.zeros(room), y=np.zeros((room, 3)), normal=np.zeros((room, 3)),
        distance=np.zeros(room), curvature=np.zeros((room, 3, 3)), edge=np.zeros((room, 3)),
        feature=np.zeros(room, np.int64),
    )  # fmt: skip


@inline
def pose(rotation: Array) -> Matrix:
    return (
        rotation[0, 0], rotation[0, 1], rotation[0, 2],
        rotation[1, 0], rotation[1, 1], rotation[1, 2],
        rotation[2, 0], rotation[2, 1], rotation[2, 2],
    )  # fmt: skip


@inline
def local(R: Matrix, o: Vector, p: Vector) -> Vector:
    """A world point in the obstacle's axes."""
    return apply_transposed(R, sub(p, o))


@kernel
def touching(
    solid: Solid, rotation: Array, origin: Array, points: Array, radius: float, cutoff: float, wanted: Indices,
    found: Found,
) -> int:  # fmt: skip
    """Fills `found` with the places where the cable is within `cutoff` of the obstacle's surface; returns how many.

    Where `found` has less room than that, it is filled as far as it goes: make room for as many as returned, and ask
    again. The obstacle stands at x_world = rotation · x + origin. points (n + 1, 3), m. Points with wanted[i] = 0 are
    left out, and the insides of the segments next to them. A point is reported at t = 0 of its segment, the last one
    at t = 1 of the one before. `radius` of the cable, m, only sets how near to its ends a segment has no inside.

    Simple solids report at any depth inside; meshes only within the cutoff of the surface.
    """
    if solid.kind == MESH:
        return touching_mesh(solid, rotation, origin, points, radius, cutoff, wanted, found)
    return touching_simple(solid, rotation, origin, points, radius, cutoff, wanted, found)


@kernel
def touching_mesh(
    solid: Solid, rotation: Array, origin: Array, points: Array, radius: float, cutoff: float, wanted: Indices,
    found: Found,
) -> int:  # fmt: skip
    R = pose(rotation)
    o = (origin[0], origin[1], origin[2])
    stack = new_stack()
    places = new_places()
    near = np.empty(1024, np.int64)
    last = len(points) - 2
    count = 0
    for s in range(last + 1):
        here = wanted[s] != 0 and is_finite(row(points, s))
        there = wanted[s + 1] != 0 and is_finite(row(points, s + 1))
        if not here and not (there and s == last):
            continue
        a = local(R, o, row(points, s if here else s + 1))
        b = local(R, o, row(points, s + 1 if there else s))
        bend = 0.5 * max(turn(points, s), turn(points, s + 1))
        number = collect(solid.tree, a, b, bend, cutoff, stack, near)
        if number > len(near):
            near = np.empty(2 * number, np.int64)
            number = collect(solid.tree, a, b, bend, cutoff, stack, near)
        if number == 0:
            continue
        if here:
            chosen = point_places(solid, a, near, number, cutoff, places)
            count = report(solid, places, chosen, R, o, s, 0.0, cutoff, found, count)
        if here and there:
            chosen = segment_places(solid, a, b, bend, near, number, radius, cutoff, stack, places)
            count = report(solid, places, chosen, R, o, s, 0.0, cutoff, found, count)
        if there and s == last:
            chosen = point_places(solid, b, near, number, cutoff, places)
            count = report(solid, places, chosen, R, o, s, 1.0, cutoff, found, count)
    return count


@inline
def turn(points: Array, i: int) -> float:
    """The angle by which a polyline turns at point i, rad; no more than MOST_TURN."""
    if i == 0 or i == len(points) - 1:
        return 0.0
    a = sub(row(points, i), row(points, i - 1))
    b = sub(row(points, i + 1), row(points, i))
    c = length(cross(a, b))
    return min(math.atan2(c, dot(a, b)), MOST_TURN) if c > 0.0 else 0.0


@inline
def settled(solid: Solid, triangle: int, code: int, d: float) -> tuple[int, int]:
    """(triangle, code) of what a place is on: flat edges belong to a face, vertices to a flat face or a straight edge.

    A point right above a vertex has it as the nearest place. Only where the vertex sticks out does it act as one;
    or, for a point inside (d < 0), where it sticks in.
    """
    if code == FACE:
        return triangle, code
    if code < CORNER:
        sharp = sharpness(solid.twin, solid.face_normal, 3 * triangle + code - EDGE)
        return triangle, code if sharp > FLAT else FACE
    v = solid.triangles[triangle, code - CORNER]
    best = 3 * triangle
    sharpest = FLAT
    for i in range(solid.first[v], solid.first[v + 1]):
        c = solid.star[i]
        for h in (c, c - c % 3 + (c + 2) % 3):
            sharp = sharpness(solid.twin, solid.face_normal, h)
            if sharp > sharpest:
                best, sharpest = h, sharp
    if sharpest == FLAT:
        return triangle, FACE
    if solid.peak[v] > 0.0 or d < 0.0:
        return triangle, code
    return best // 3, EDGE + best % 3


@inline
def bent(solid: Solid, triangle: int, code: int, d: float, n: Vector, cutoff: float) -> tuple[Vector, Symmetric]:
    """(direction of the edge, curvature of the distance) near a settled feature; zero where it has none."""
    e = (0.0, 0.0, 0.0)
    h = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if EDGE <= code < CORNER:
        e = direction(solid.vertices, solid.triangles, 3 * triangle + code - EDGE)
    if code != FACE and abs(d) > TOUCHES * cutoff:
        h = around(n, 1.0 / d)
        g = square(e, 1.0 / d)
        h = (h[0] - g[0], h[1] - g[1], h[2] - g[2], h[3] - g[3], h[4] - g[4], h[5] - g[5])
    return e, h


@inline
def feature_id(solid: Solid, t: int, code: int) -> int:
    """8 · triangle + code, the same from whichever triangle the feature is seen."""
    if code == FACE:
        return 8 * t
    if code < CORNER:
        h = owner(solid.twin, 3 * t + code - EDGE)
        return 8 * (h // 3) + EDGE + h % 3
    c = solid.star[solid.first[solid.triangles[t, code - CORNER]]]
    return int(8 * (c // 3) + CORNER + c % 3)


@kernel
def report(
    solid: Solid, places: Places, chosen: int, R: Matrix, o: Vector, segment: int, t: float, cutoff: float,
    found: Found, count: int,
) -> int:  # fmt: skip
    """Writes the chosen places; returns the new count. t: of the point, for places of a point."""
    for j in range(chosen):
        i = places.chosen[j]
        d = places.d[i]
        triangle, code = settled(solid, places.triangle[i], places.code[i], d)
        n = row(places.n, i)
        e, h = bent(solid, triangle, code, d, n, cutoff)
        feature = feature_id(solid, triangle, code)
        write(found, count, R, o, segment, t + places.t[i], row(places.y, i), n, d, h, e, feature)
        count += 1
    return count


@kernel
def nearest_place(
    solid: Solid, R: Matrix, o: Vector, x: Vector, cutoff: float, stack: Stack
) -> tuple[bool, float, Vector, Matrix]:
    """(whether there is one within `cutoff`, d, N, H) of the place of the surface nearest to x, in world axes."""
    p = local(R, o, x)
    if solid.kind != MESH:
        d, n, part = field(solid.kind, solid.size, p)
        h = curvature(solid.kind, solid.size, p, d, n, part)
        return d <= cutoff, d, apply(R, n), matmul(matmul(R, full(h)), transposed(R))
    squared, triangle, y, code = closest(solid.tree, p, cutoff * cutoff, stack)
    if triangle < 0:
        return False, math.inf, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    d = -math.sqrt(squared) if is_inside(solid, p, triangle, y, code) else math.sqrt(squared)
    n = scale(1.0 / d, sub(p, y)) if abs(d) > TOUCHES * cutoff else pseudonormal(solid, triangle, code)
    triangle, code = settled(solid, triangle, code, d)
    _, h = bent(solid, triangle, code, d, n, cutoff)
    return True, d, apply(R, n), matmul(matmul(R, full(h)), transposed(R))


@inline
def write(
    found: Found, i: int, R: Matrix, o: Vector, segment: int, t: float, y: Vector, n: Vector, d: float, h: Symmetric,
    e: Vector, feature: int,
) -> None:  # fmt: skip
    """Writes row i, turned into world axes, if there is room for it."""
    if i >= len(found.t):
        return
    found.segment[i] = segment
    found.t[i] = t
    found.distance[i] = d
    found.feature[i] = feature
    y = add(o, apply(R, y))
    n = apply(R, n)
    e = apply(R, e)
    H = matmul(matmul(R, full(h)), transposed(R))
    for k in range(3):
        found.y[i, k] = y[k]
        found.normal[i, k] = n[k]
        found.edge[i, k] = e[k]
        for l in range(3):
            found.curvature[i, k, l] = H[3 * k + l]


@kernel
def touching_simple(
    solid: Solid, rotation: Array, origin: Array, points: Array, radius: float, cutoff: float, wanted: Indices,
    found: Found,
) -> int:  # fmt: skip
    R = pose(rotation)
    o = (origin[0], origin[1], origin[2])
    kind, size = solid.kind, solid.size
    last = len(points) - 1
    count = 0
    for i in range(last + 1):
        if wanted[i] == 0 or not is_finite(row(points, i)):
            continue
        a = local(R, o, row(points, i))
        at_a, _, _ = field(kind, size, a)
        if at_a <= cutoff:
            s, t = (i, 0.0) if i < last else (i - 1, 1.0)
            count = report_simple(kind, size, a, R, o, s, t, found, count)
        if i == last or kind == PLANE or wanted[i + 1] == 0 or not is_finite(row(points, i + 1)):
            continue
        b = local(R, o, row(points, i + 1))
        at_b, _, _ = field(kind, size, b)
        long = length(sub(b, a))
        if long == 0.0 or 0.5 * (at_a + at_b - long) > cutoff:  # the distance changes by no more than the way
            continue
        margin = max(MARGIN, MARGIN * radius / long)
        t0, t1 = lowest(kind, size, a, b)
        if t1 - t0 < 2.0 * margin:
            t0 = t1 = 0.5 * (t0 + t1)
        for k in range(1 if t0 == t1 else 2):  # where the distance is constant, both ends of that stretch
            t = t0 if k == 0 else t1
            x = add(a, scale(t, sub(b, a)))
            at_x, _, _ = field(kind, size, x)
            if margin < t < 1.0 - margin and at_x <= cutoff:
                count = report_simple(kind, size, x, R, o, i, t, found, count)
    return count


@kernel
def report_simple(
    kind: int, size: Array, x: Vector, R: Matrix, o: Vector, segment: int, t: float, found: Found, count: int
) -> int:
    """Writes the place nearest to x; returns the new count."""
    d, n, part = field(kind, size, x)
    h = curvature(kind, size, x, d, n, part)
    write(found, count, R, o, segment, t, sub(x, scale(d, n)), n, d, h, (0.0, 0.0, 0.0), part)
    return count + 1
