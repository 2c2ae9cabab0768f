"""How far a cable's centre line is from an obstacle, and whether a path leads through its surface."""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.lookup import Stack, closest, collect, hit, new_stack
from lissom.geometry.nearest import is_finite, length, row
from lissom.geometry.places import is_inside, new_places, segment_places
from lissom.geometry.primitives import field, first_crossing, lowest
from lissom.geometry.solids import MESH, Solid
from lissom.geometry.touching import local, pose
from lissom.geometry.triples import Matrix, Vector, add, apply, scale, sub
from lissom.kernels import kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@kernel
def clearance(
    solid: Solid, rotation: Array, origin: Array, points: Array, wanted: Indices
) -> tuple[float, int, float, Vector]:
    """(distance, segment, t, y): the least distance from the centre line to the obstacle's surface, m, and where.

    Negative where a point of the cable is inside a closed solid: the depth of the deepest; zero where a segment
    crosses the surface of a mesh and no point is inside. y is in world axes. `wanted` as for `touching`; where nothing
    is wanted the distance is inf and the segment −1.
    """
    R = pose(rotation)
    o = (origin[0], origin[1], origin[2])
    if solid.kind == MESH:
        distance, segment, t, y = mesh_clearance(solid, R, o, points, wanted)
    else:
        distance, segment, t, y = simple_clearance(solid, R, o, points, wanted)
    return distance, segment, t, add(o, apply(R, y))


@kernel
def mesh_clearance(
    solid: Solid, R: Matrix, o: Vector, points: Array, wanted: Indices
) -> tuple[float, int, float, Vector]:
    """First all points, each within reach of what its neighbour found; then segments, within the best so far.

    The distance changes by no more than the way: on a segment of length l it is at least (d0 + d1 − l)/2.
    """
    tree = solid.tree
    stack = new_stack()
    places = new_places()
    near = np.empty(1024, np.int64)
    last = len(points) - 1
    best, segment, t, where = math.inf, -1, 0.0, (0.0, 0.0, 0.0)
    distance = np.full(last + 1, math.inf)
    reach = math.inf
    before = (0.0, 0.0, 0.0)
    for i in range(last + 1):
        if wanted[i] == 0 or not is_finite(row(points, i)):
            continue
        x = local(R, o, row(points, i))
        limit = reach + length(sub(x, before))
        squared, triangle, y, code = closest(tree, x, limit * limit * (1.0 + 1e-12), stack)
        reach = math.sqrt(squared)
        before = x
        distance[i] = reach
        d = -reach if is_inside(solid, x, triangle, y, code) else reach
        if d < best:
            best, where = d, y
            segment, t = (i, 0.0) if i < last else (i - 1, 1.0)
    for i in range(last):
        if best <= 0.0:
            break
        if wanted[i] == 0 or wanted[i + 1] == 0 or not is_finite(row(points, i)) or not is_finite(row(points, i + 1)):
            continue
        a = local(R, o, row(points, i))
        b = local(R, o, row(points, i + 1))
        if 0.5 * (distance[i] + distance[i + 1] - length(sub(b, a))) >= best:
            continue
        fraction, _ = hit(tree, a, b, stack)
        if fraction <= 1.0:
            best, segment, t, where = 0.0, i, fraction, add(a, scale(fraction, sub(b, a)))
            break
        number = collect(tree, a, b, 0.0, best, stack, near)
        if number > len(near):
            near = np.empty(2 * number, np.int64)
            number = collect(tree, a, b, 0.0, best, stack, near)
        if segment_places(solid, a, b, 0.0, near, number, 0.0, best, stack, places) > 0:
            j = places.chosen[0]
            if abs(places.d[j]) < best:
                best, segment, t, where = abs(places.d[j]), i, places.t[j], row(places.y, j)
    return best, segment, t, where


@kernel
def simple_clearance(
    solid: Solid, R: Matrix, o: Vector, points: Array, wanted: Indices
) -> tuple[float, int, float, Vector]:
    kind, size = solid.kind, solid.size
    last = len(points) - 1
    best, segment, t, where = math.inf, -1, 0.0, (0.0, 0.0, 0.0)
    for i in range(last + 1):
        if wanted[i] == 0 or not is_finite(row(points, i)):
            continue
        a = local(R, o, row(points, i))
        d, n, _ = field(kind, size, a)
        if d < best:
            best, where = d, sub(a, scale(d, n))
            segment, t = (i, 0.0) if i < last else (i - 1, 1.0)
        if i == last or wanted[i + 1] == 0 or not is_finite(row(points, i + 1)):
            continue
        b = local(R, o, row(points, i + 1))
        t0, t1 = lowest(kind, size, a, b)
        middle = 0.5 * (t0 + t1)
        x = add(a, scale(middle, sub(b, a)))
        d, n, _ = field(kind, size, x)
        if d < best:
            best, segment, t, where = d, i, middle, sub(x, scale(d, n))
    return best, segment, t, where


@kernel
def distances(solid: Solid, rotation: Array, origin: Array, points: Array, found: Array) -> None:
    """Lowers found (n,) to the distance of each point from the surface, where that is less; to 0 inside."""
    R = pose(rotation)
    o = (origin[0], origin[1], origin[2])
    stack = new_stack()
    for i in range(len(points)):
        x = local(R, o, row(points, i))
        if solid.kind == MESH:
            squared, triangle, y, code = closest(solid.tree, x, found[i] * found[i], stack)
            if triangle >= 0:
                found[i] = 0.0 if is_inside(solid, x, triangle, y, code) else min(found[i], math.sqrt(squared))
        else:
            d, _, _ = field(solid.kind, solid.size, x)
            found[i] = max(0.0, min(found[i], d))


@kernel
def depths(solid: Solid, rotation: Array, origin: Array, curve: Array, radius: float, found: Array) -> None:
    """Fills found (n,) with how much nearer to the surface than `radius` each place of a curve is, m; −inf: it is not.

    The sign is that of a closed solid. A place whose distance d is known spares the next ones along the curve that are
    nearer to it than d − radius; it is also how far has to be looked from the next one.
    """
    R = pose(rotation)
    o = (origin[0], origin[1], origin[2])
    stack = new_stack()
    reach, spare = math.inf, 0.0
    before = row(curve, 0)
    for i in range(len(curve)):
        x = row(curve, i)
        way = length(sub(x, before))
        spare -= way
        reach += way
        before = x
        found[i] = -math.inf
        if spare > 0.0:
            continue
        d = signed_distance(solid, local(R, o, x), reach, stack)
        reach, spare = abs(d), d - radius
        if d < radius:
            found[i] = radius - d


@kernel
def signed_distance(solid: Solid, x: Vector, reach: float, stack: Stack) -> float:
    """m from the surface, which is no farther than `reach` (m) from x (own axes): negative inside a closed solid."""
    if solid.kind != MESH:
        d, _, _ = field(solid.kind, solid.size, x)
        return d
    squared, triangle, y, code = closest(solid.tree, x, reach * reach * (1.0 + 1e-12), stack)
    return -math.sqrt(squared) if is_inside(solid, x, triangle, y, code) else math.sqrt(squared)


@kernel
def between_points(points: Array, room: Array) -> Array:
    """The room of each point if the segments next to it are to have it too: (d + d₊ − h)/2 is the least along one."""
    found = room.copy()
    for i in range(len(points) - 1):
        least = 0.5 * (room[i] + room[i + 1] - length(sub(row(points, i + 1), row(points, i))))
        found[i] = min(found[i], least)
        found[i + 1] = min(found[i + 1], least)
    return found


@kernel
def crossed(solid: Solid, rotation: Array, origin: Array, a: Array, b: Array) -> float:
    """The fraction of the straight path a → b (world axes) at which it first meets the surface; else inf."""
    R = pose(rotation)
    o = (origin[0], origin[1], origin[2])
    start = local(R, o, (a[0], a[1], a[2]))
    end = local(R, o, (b[0], b[1], b[2]))
    if not is_finite(start) or not is_finite(end):
        return math.inf
    if solid.kind == MESH:
        fraction, _ = hit(solid.tree, start, end, new_stack())
        return fraction
    return first_crossing(solid.kind, solid.size, start, end)
