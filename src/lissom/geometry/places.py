"""Where a point or a segment is near a mesh: the local minima of the distance, in the mesh's own axes.

A point x is near the feature with nearest point y if y is nearest among all triangles that share the feature: for
edges and vertices, x − y leads away from each of them. A point in a groove has a minimum on each wall.

The inside of a segment is nearest to an edge or a vertex (to a face, an end of it is). Its direction N to an edge is
at right angles to both. N may lean into a triangle by a *lean* times the sharpness of the edge: a segment on a flat
bar then rests on both edges of the bar, whichever is lower by a hair, instead of on one in turn.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.cones import looks_away
from lissom.geometry.lookup import Stack, closest, corner_of, corners_of, gap_squared
from lissom.geometry.nearest import CORNER, EDGE, FACE, length, on_triangle, row, unit
from lissom.geometry.ridges import outside_edge, outside_vertex, sharpness
from lissom.geometry.solids import Solid
from lissom.geometry.triples import Vector, add, cross, dot, scale, sub
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

BARRED = 64  # vertices of which is known that they are no place: each is met once per triangle around it
MOST = 256  # places kept for one point or segment; beyond, the nearest
ALIKE = math.cos(math.radians(20.0))  # of normals: nearer to each other than this, only the nearest places count:
SAME = 1.0 - 1e-8  # and normals nearer than this are one
NEARLY = 0.02  # those farther by less than this part of the cutoff
TURN = 1e-6  # rad by which x − y may lean into a triangle and still lead away from it
LEAN = 0.05  # rad, at a sharp edge
ALONG = 1e-3  # sine of the angle between segment and edge below which the segment's ends speak for it
MARGIN = 1e-3  # of the segment and of the radius: nearer to an end than this, the end speaks for it
TOGETHER = 0.02  # of the segment: places nearer to each other, with like normals, are one
SLIP = 1e-9  # of an edge: a segment through the end of two edges meets at least one
UPRIGHT = (1.0, 0.0)  # cosine and sine of no lean
TOUCHES = 1e-9  # of the cutoff: nearer to the surface than this, x − y has no direction


class Places(NamedTuple):
    """Scratch for the places of one point or segment. `chosen` lists those that count, the nearest first."""

    t: Array  # (MOST,) where on the segment, 0 … 1
    d: Array  # (MOST,) signed distance, m
    y: Array  # (MOST, 3) point of the surface, m
    n: Array  # (MOST, 3) unit normal, towards where the distance grows
    triangle: Indices  # (MOST,)
    code: Indices  # (MOST,) which feature of the triangle
    chosen: Indices  # (MOST,)
    barred: Indices  # (BARRED,) vertices found not to be places, each where its number modulo BARRED says


@kernel
def new_places() -> Places:
    return Places(
        np.empty(MOST), np.empty(MOST), np.empty((MOST, 3)), np.empty((MOST, 3)), np.empty(MOST, np.int64),
        np.empty(MOST, np.int64), np.empty(MOST, np.int64), np.empty(BARRED, np.int64),
    )  # fmt: skip


@inline
def keep(places: Places, count: int, t: float, d: float, y: Vector, n: Vector, triangle: int, code: int) -> int:
    """Adds a place; where all rows are taken, instead of the farthest one if that is farther. Returns the count."""
    i = count
    if count == MOST:
        i = 0
        for j in range(1, MOST):
            if abs(places.d[j]) > abs(places.d[i]):
                i = j
        if abs(d) >= abs(places.d[i]):
            return count
    places.t[i] = t
    places.d[i] = d
    places.triangle[i] = triangle
    places.code[i] = code
    for k in range(3):
        places.y[i, k] = y[k]
        places.n[i, k] = n[k]
    return max(count, i + 1)


@inline
def pseudonormal(solid: Solid, t: int, code: int) -> Vector:
    """The normal of a face, edge or vertex that tells inside from outside."""
    if code == FACE:
        return row(solid.face_normal, t)
    if code < CORNER:
        k = code - EDGE
        return (solid.edge_normal[t, k, 0], solid.edge_normal[t, k, 1], solid.edge_normal[t, k, 2])
    return row(solid.vertex_normal, solid.triangles[t, code - CORNER])


@inline
def is_inside(solid: Solid, x: Vector, triangle: int, y: Vector, code: int) -> bool:
    """Whether x is inside, where y is the nearest point of the surface."""
    return solid.closed == 1 and dot(sub(x, y), pseudonormal(solid, triangle, code)) < 0.0


@inline
def leads_away(solid: Solid, t: int, code: int, w: Vector) -> bool:
    """Whether w leads from a feature of triangle t away from all that share it."""
    vertices, triangles = solid.vertices, solid.triangles
    if code == FACE:
        return True
    if code < CORNER:
        return outside_edge(vertices, triangles, solid.twin, solid.face_normal, 3 * t + code - EDGE, w, TURN)
    return outside_vertex(vertices, triangles, solid.first, solid.star, triangles[t, code - CORNER], w, TURN)


@kernel
def point_places(solid: Solid, x: Vector, near: Indices, number: int, cutoff: float, places: Places) -> int:
    """Fills the places within `cutoff` of x, among the first `number` leaves of `near`; returns how many.

    Outside a closed mesh, only what faces x counts; inside, only the nearest place.
    """
    tree, triangles, barred = solid.tree, solid.triangles, places.barred
    touches = TOUCHES * cutoff
    least = math.inf
    nearest = -1
    nearest_code = 0
    nearest_y = x
    count = 0
    barred[:] = -1
    for i in range(number):
        leaf = near[i]
        if gap_squared(tree.box, leaf, x) > cutoff * cutoff or looks_away(tree, leaf, x, 0.0, UPRIGHT):
            continue  # near a segment may be far from one of its ends
        for t in range(tree.first[leaf], tree.first[leaf] + tree.leaf[leaf]):
            a, b, c = corners_of(tree.corners, t)
            y, code = on_triangle(x, a, b, c)
            w = sub(x, y)
            squared = dot(w, w)
            if squared > cutoff * cutoff:
                continue
            if squared < least:
                least = squared
                nearest = t
                nearest_code = code
                nearest_y = y
            v = triangles[t, code - CORNER] if code >= CORNER else -1
            if v >= 0 and barred[v % BARRED] == v:
                continue
            if not leads_away(solid, t, code, w):
                barred[v % BARRED] = v
                continue
            d = math.sqrt(squared)
            if d > touches and (solid.closed == 0 or dot(w, pseudonormal(solid, t, code)) > 0.0):
                count = keep(places, count, 0.0, d, y, scale(1.0 / d, w), t, code)
    if nearest < 0:
        return 0
    least = math.sqrt(least)
    n = pseudonormal(solid, nearest, nearest_code)
    w = sub(x, nearest_y)
    sign = 1.0
    if solid.closed == 1 and dot(w, n) < 0.0:
        sign = -1.0
        count = 0
    if least > touches:
        n = scale(sign / least, w)
    # The nearest is a place in any case: where rounding called it none above, and where x is inside.
    count = keep(places, count, 0.0, sign * least, nearest_y, n, nearest, nearest_code)
    return choose(places, count, math.inf, NEARLY * cutoff)


@kernel
def choose(places: Places, count: int, together: float, nearly: float) -> int:
    """Of places alike (normals, and t within `together`) those count that are not farther than the nearest one by more
    than `nearly`: the next small motion may make them the nearest. Fills `chosen`, returns how many.
    """
    t, d, n, chosen = places.t, places.d, places.n, places.chosen
    for i in range(count):
        j = i
        while j > 0 and abs(d[chosen[j - 1]]) > abs(d[i]):
            chosen[j] = chosen[j - 1]
            j -= 1
        chosen[j] = i
    kept = 0
    for rank in range(count):
        i = chosen[rank]
        new = True
        for r in range(kept):
            j = chosen[r]
            if abs(t[i] - t[j]) < together:
                cosine = dot(row(n, i), row(n, j))
                if cosine > SAME or (cosine > ALIKE and abs(d[i]) > abs(d[j]) + nearly):
                    new = False
        if new:
            chosen[kept] = i
            kept += 1
    return kept


@kernel
def segment_places(
    solid: Solid, a: Vector, b: Vector, bend: float, near: Indices, number: int, radius: float, cutoff: float,
    stack: Stack, places: Places,
) -> int:  # fmt: skip
    """Fills the places within `cutoff` of the inside of the segment a … b; returns how many.

    `near` holds `number` leaves, with all triangles within `cutoff`. Its ends are the business of `point_places`.
    `bend`, rad: the smooth cable leans from the segment by up to that much, and so may its normals.
    """
    tree, ridge, tip = solid.tree, solid.ridge, solid.tip
    s = sub(b, a)
    size = length(s)
    margin = max(MARGIN, MARGIN * radius / size) if size > 0.0 else 1.0
    if margin >= 0.5:
        return 0
    count = 0
    for i in range(number):
        leaf = near[i]
        for t in range(tree.first[leaf], tree.first[leaf] + tree.leaf[leaf]):
            for k in range(3):
                if ridge[t, k] == 1:
                    p = corner_of(tree.corners, t, k)
                    e = sub(corner_of(tree.corners, t, k + 1 if k < 2 else 0), p)
                    meets, at, u, n = crossing(a, s, p, e, margin, cutoff)
                    if meets:
                        y = add(p, scale(u, e))
                        count = edge_place(solid, t, k, a, p, y, n, at, bend, places, count)
                if tip[t, k] == 1:
                    count = tip_place(solid, t, k, a, s, margin, bend, cutoff, places, count)
    if solid.closed == 1:
        count = believed(solid, a, s, stack, places, count)
    return choose(places, count, TOGETHER, NEARLY * cutoff)


@inline
def edge_place(
    solid: Solid, t: int, k: int, a: Vector, p: Vector, y: Vector, n: Vector, at: float, bend: float, places: Places,
    count: int,
) -> int:  # fmt: skip
    """Adds the place y where a segment from a on passes edge k of triangle t, from p on, with the normal ±n, if it is
    outside; returns the count.
    """
    edge_normal, face_normal = solid.edge_normal, solid.face_normal
    m = (edge_normal[t, k, 0], edge_normal[t, k, 1], edge_normal[t, k, 2])
    if dot(n, m if solid.closed == 1 else sub(a, p)) < 0.0:
        n = scale(-1.0, n)
    lean = LEAN * sharpness(solid.twin, face_normal, 3 * t + k) + bend
    if not outside_edge(solid.vertices, solid.triangles, solid.twin, face_normal, 3 * t + k, n, lean):
        return count
    return keep(places, count, at, dot(n, sub(a, p)), y, n, t, EDGE + k)


@inline
def tip_place(
    solid: Solid, t: int, k: int, a: Vector, s: Vector, margin: float, bend: float, cutoff: float, places: Places,
    count: int,
) -> int:  # fmt: skip
    """Adds the place where the segment a + t s passes corner k of triangle t, if it is one; returns the count."""
    size = length(s)
    p = corner_of(solid.tree.corners, t, k)
    at = dot(sub(p, a), s) / (size * size)
    w = sub(add(a, scale(at, s)), p)
    d = length(w)
    if not (margin < at < 1.0 - margin and TOUCHES * cutoff < d <= cutoff):
        return count
    v = solid.triangles[t, k]
    if solid.closed == 1 and dot(w, row(solid.vertex_normal, v)) < 0.0:
        d = -d
    n = scale(1.0 / d, w)
    lean = LEAN * solid.peak[v] + bend
    if not outside_vertex(solid.vertices, solid.triangles, solid.first, solid.star, v, n, lean):
        return count
    return keep(places, count, at, d, p, n, t, CORNER + k)


@inline
def crossing(
    a: Vector, s: Vector, p: Vector, e: Vector, margin: float, cutoff: float
) -> tuple[bool, float, float, Vector]:
    """(whether, t, u, normal): the segment a + t s passes the edge p + u e, inside both, within `cutoff`.

    t and u solve s·(r + t s − u e) = 0, e·(r + t s − u e) = 0 with r = a − p. The normal is e × s, unit.
    """
    r = sub(a, p)
    c = cross(e, s)
    c2 = dot(c, c)
    rc = dot(r, c)
    ss, ee, es, er, sr = dot(s, s), dot(e, e), dot(e, s), dot(e, r), dot(s, r)
    t = es * er - ee * sr
    u = ss * er - es * sr
    if (
        t <= margin * c2
        or t >= (1.0 - margin) * c2
        or u < -SLIP * c2
        or u > (1.0 + SLIP) * c2
        or rc * rc > cutoff * cutoff * c2
        or c2 <= ALONG * ALONG * ee * ss
    ):
        return False, 0.0, 0.0, c
    return True, t / c2, u / c2, unit(c)


@kernel
def believed(solid: Solid, a: Vector, s: Vector, stack: Stack, places: Places, count: int) -> int:
    """Drops places that only seem to be inside a closed mesh, and those on its far side; returns how many are left.

    Seen through a thin wall, an edge of its far side looks like one the segment has sunk below. It has only if the
    place itself is inside; then the least sunk edge says which side the segment came from.
    """
    d, t, n = places.d, places.t, places.n
    best = -1
    for i in range(count):
        if d[i] < 0.0:
            x = add(a, scale(t[i], s))
            _, triangle, y, code = closest(solid.tree, x, math.inf, stack)
            if not is_inside(solid, x, triangle, y, code):
                t[i] = -1.0
            elif best < 0 or d[i] > d[best]:
                best = i
    out = row(n, best) if best >= 0 else (0.0, 0.0, 0.0)
    kept = 0
    for i in range(count):
        if t[i] >= 0.0 and (d[i] >= 0.0 or dot(row(n, i), out) > 0.0):
            kept = keep(places, kept, t[i], d[i], row(places.y, i), row(n, i), places.triangle[i], places.code[i])
    return kept
