"""Where the feelers of one solid come near the surface of another.

Points are looked at by themselves, segments where their inside crosses an edge or a vertex of a mesh, or is nearest to
a simple solid: as for cables [touching.py].
"""

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.lookup import collect, new_stack
from lissom.geometry.nearest import length, row
from lissom.geometry.places import MARGIN, new_places, point_places, segment_places
from lissom.geometry.primitives import field, lowest
from lissom.geometry.ridges import outside_edge, outside_vertex
from lissom.geometry.solids import MESH, PLANE, Solid
from lissom.geometry.touching import Found, local, pose, report, report_simple
from lissom.geometry.triples import add, apply_transposed, scale, sub
from lissom.kernels import kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.int8]

BEHIND = 0.1  # rad by which an edge or a face may lead into what it touches


@kernel
def feeling(
    solid: Solid, rotation: Array, origin: Array, points: Array, starts: Array, ends: Array, cutoff: float, found: Found
) -> int:
    """Fills `found` with the places where feelers are within `cutoff` of the surface; returns how many there are.

    `segment` there is the number of the feeler, points first. Feelers are in world axes, m; room as in `touching`.
    """
    if solid.kind == MESH:
        return feeling_mesh(solid, rotation, origin, points, starts, ends, cutoff, found)
    return feeling_simple(solid, rotation, origin, points, starts, ends, cutoff, found)


@kernel
def feeling_mesh(
    solid: Solid, rotation: Array, origin: Array, points: Array, starts: Array, ends: Array, cutoff: float, found: Found
) -> int:
    R = pose(rotation)
    o = (origin[0], origin[1], origin[2])
    stack = new_stack()
    places = new_places()
    near = np.empty(1024, np.int64)
    single = len(points)
    count = 0
    for f in range(single + len(starts)):
        a = local(R, o, row(points, f) if f < single else row(starts, f - single))
        b = a if f < single else local(R, o, row(ends, f - single))
        number = collect(solid.tree, a, b, 0.0, cutoff, stack, near)
        if number > len(near):
            near = np.empty(2 * number, np.int64)
            number = collect(solid.tree, a, b, 0.0, cutoff, stack, near)
        if number == 0:
            continue
        if f < single:
            chosen = point_places(solid, a, near, number, cutoff, places)
        else:
            chosen = segment_places(solid, a, b, 0.0, near, number, 0.0, cutoff, stack, places)
        count = report(solid, places, chosen, R, o, f, 0.0, cutoff, found, count)
    return count


@kernel
def feeling_simple(
    solid: Solid, rotation: Array, origin: Array, points: Array, starts: Array, ends: Array, cutoff: float, found: Found
) -> int:
    R = pose(rotation)
    o = (origin[0], origin[1], origin[2])
    kind, size = solid.kind, solid.size
    single = len(points)
    count = 0
    for f in range(single):
        x = local(R, o, row(points, f))
        d, _, _ = field(kind, size, x)
        if d <= cutoff:
            count = report_simple(kind, size, x, R, o, f, 0.0, found, count)
    for k in range(len(starts) if kind != PLANE else 0):
        a = local(R, o, row(starts, k))
        b = local(R, o, row(ends, k))
        at_a, _, _ = field(kind, size, a)
        at_b, _, _ = field(kind, size, b)
        long = length(sub(b, a))
        if long == 0.0 or 0.5 * (at_a + at_b - long) > cutoff:  # the distance changes by no more than the way
            continue
        t0, t1 = lowest(kind, size, a, b)
        if t1 - t0 < 2.0 * MARGIN:
            t0 = t1 = 0.5 * (t0 + t1)
        for j in range(1 if t0 == t1 else 2):  # where the distance is constant, both ends of that stretch
            t = t0 if j == 0 else t1
            x = add(a, scale(t, sub(b, a)))
            d, _, _ = field(kind, size, x)
            if MARGIN < t < 1.0 - MARGIN and d <= cutoff:
                count = report_simple(kind, size, x, R, o, single + k, t, found, count)
    return count


@kernel
def outward(solid: Solid, rotation: Array, vertex: Indices, half_edge: Indices, found: Found, count: int) -> Flags:
    """(count,) 1 where what is felt lies before a corner or edge of the mesh that feels, not behind it.

    The mesh that feels is `solid`, turned by `rotation`; its feelers are those corners and half edges. A corner that is
    inside another solid only touches a face of it if all edges at the corner lead out of it again, an edge if both its
    faces do: else it is another corner or edge that touches, or another face.
    """
    R = pose(rotation)
    flags = np.ones(count, np.int8)
    for i in range(count):
        n = scale(-1.0, apply_transposed(R, row(found.normal, i)))
        f = found.segment[i]
        if f < len(vertex):
            v = vertex[f]
            if v >= 0 and not outside_vertex(solid.vertices, solid.triangles, solid.first, solid.star, v, n, BEHIND):
                flags[i] = 0
        else:
            h = half_edge[f - len(vertex)]
            if h >= 0 and not outside_edge(
                solid.vertices, solid.triangles, solid.twin, solid.face_normal, h, n, BEHIND
            ):
                flags[i] = 0
    return flags
