"""What of a mesh can be touched from outside: its ridges and peaks, and the directions that lead away from them.

Half edges, rings and stars: features.py.
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.features import direction, owner
from lissom.geometry.nearest import length, row, unit
from lissom.geometry.triples import Vector, add, cross, dot, scale, sub
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.int8]

FLAT = 1e-4  # rad: faces that differ by less are one plane; single-precision corners make as much of a flat face
FEW = 64  # edges of a vertex up to which all pairs are looked at
TURNED = 1e-12  # rounding of a unit vector


@kernel
def ridges(vertices: Array, triangles: Indices, twin: Indices, normal: Array, closed: int, ridge: Flags) -> None:
    """Fills (t, 3): 1 at the owner of each edge that something outside can touch.

    These are the convex edges of a solid, every edge of a sheet that is not flat, borders, and edges of more than two
    triangles.
    """
    for t in range(len(triangles)):
        for k in range(3):
            h = 3 * t + k
            g = twin[t, k]
            if g == h or twin[g // 3, g % 3] != h:
                ridge[t, k] = 1 if owner(twin, h) == h else 0
                continue
            ridge[t, k] = 0
            if g < h:
                continue
            a, b = row(normal, t), row(normal, g // 3)
            agree = triangles[t, k] != triangles[g // 3, g % 3]
            if not agree:
                b = scale(-1.0, b)
            c = cross(a, b)
            if math.atan2(length(c), dot(a, b)) > FLAT:
                convex = dot(c, direction(vertices, triangles, h)) >= 0.0
                ridge[t, k] = 1 if convex or closed == 0 or not agree else 0


@kernel
def peaks(
    vertices: Array, triangles: Indices, twin: Indices, first: Indices, star: Indices, vertex_normal: Array,
    ridge: Flags, peak: Array, tip: Flags,
) -> None:  # fmt: skip
    """Fills peak (v,): how clearly a vertex sticks out; 0 where nothing outside can touch the vertex by itself.

    Fills tip (t, 3): 1 at the corner that owns a vertex that sticks out.

    A vertex sticks out if all its edges e lead away from some unit direction c, e·c < 0; the value is the least −e·c.
    Where all edges are convex the vertex normal is such a direction. Else one is put together from what bounds them.
    """
    most = 0
    for v in range(len(vertices)):
        peak[v] = 0.0
        most = max(most, first[v + 1] - first[v])
    tip[:] = 0
    for t in range(len(triangles)):
        for k in range(3):
            if ridge[t, k] == 1:  # a first mark: only ends of ridges can stick out
                peak[triangles[t, k]] = -1.0
                peak[triangles[t, (k + 1) % 3]] = -1.0
    edge = np.empty((2 * most, 3))
    for v in range(len(vertices)):
        if peak[v] == 0.0:
            continue
        count = edges_of(vertices, triangles, twin, first, star, v, edge)
        out = least_away(edge, count, row(vertex_normal, v))
        if out <= FLAT and count <= FEW:
            out = least_away(edge, count, way_out(edge, count))
        peak[v] = out if out > FLAT else 0.0
        if peak[v] > 0.0:
            tip[star[first[v]] // 3, star[first[v]] % 3] = 1


@inline
def edges_of(
    vertices: Array, triangles: Indices, twin: Indices, first: Indices, star: Indices, v: int, edge: Array
) -> int:
    """Fills the unit edges (…, 3) that leave vertex v; returns how many. Of two triangles at an edge, one has it."""
    count = 0
    for i in range(first[v], first[v + 1]):
        t, k = star[i] // 3, star[i] % 3
        back = (k + 2) % 3
        g = twin[t, back]
        shared = twin[g // 3, g % 3] == 3 * t + back and triangles[g // 3, g % 3] == v
        for other in (triangles[t, (k + 1) % 3], triangles[t, back]):
            if other == triangles[t, back] and shared:
                continue
            e = unit(sub(row(vertices, other), row(vertices, v)))
            edge[count, 0] = e[0]
            edge[count, 1] = e[1]
            edge[count, 2] = e[2]
            count += 1
    return count


@inline
def least_away(edge: Array, count: int, c: Vector) -> float:
    """The least −e·c of the edges: above 0 where all lead away from c."""
    least = 1.0
    for i in range(count):
        least = min(least, -dot(row(edge, i), c))
    return least


@inline
def way_out(edge: Array, count: int) -> Vector:
    """The unit sum of directions from which no edge leads back; in their midst, if they have one.

    They are bounded by normals of two edges; where all edges lie in a plane, also by what halves two of them.
    """
    c = (0.0, 0.0, 0.0)
    for i in range(count):
        for j in range(i):
            n = unit(cross(row(edge, i), row(edge, j)))
            if least_away(edge, count, n) > -TURNED:
                c = add(c, n)
            if least_away(edge, count, scale(-1.0, n)) > -TURNED:
                c = sub(c, n)
            half = unit(add(row(edge, i), row(edge, j)))
            if least_away(edge, count, scale(-1.0, half)) > -TURNED:
                c = sub(c, half)
    return unit(c)


@inline
def leans(n: Vector, m: Vector, slack: float) -> bool:
    """Whether n·m > slack |n| |m|; mostly decided by the sign of n·m, without a square root."""
    nm = dot(n, m)
    return nm > 0.0 and nm * nm > slack * slack * dot(n, n) * dot(m, m)


@inline
def outside_edge(
    vertices: Array, triangles: Indices, twin: Indices, normal: Array, h: int, n: Vector, slack: float
) -> bool:
    """Whether n, at right angles to the edge of h, leads away from all its triangles, but for an angle `slack`."""
    t, k = h // 3, h % 3
    e = sub(row(vertices, triangles[t, (k + 1) % 3]), row(vertices, triangles[t, k]))
    if leans(n, cross(row(normal, t), e), slack):
        return False
    g = twin[t, k]
    while g != h:
        u = g // 3
        along = e if triangles[u, g % 3] == triangles[t, k] else scale(-1.0, e)
        if leans(n, cross(row(normal, u), along), slack):
            return False
        g = twin[u, g % 3]
    return True


@inline
def outside_vertex(
    vertices: Array, triangles: Indices, first: Indices, star: Indices, v: int, n: Vector, slack: float
) -> bool:
    """Whether n leads away from all edges at vertex v, but for an angle `slack`."""
    p = row(vertices, v)
    for i in range(first[v], first[v + 1]):
        t, k = star[i] // 3, star[i] % 3
        if leans(n, sub(row(vertices, triangles[t, (k + 1) % 3]), p), slack):
            return False
        if leans(n, sub(row(vertices, triangles[t, (k + 2) % 3]), p), slack):
            return False
    return True


@inline
def sharpness(twin: Indices, normal: Array, h: int) -> float:
    """How sharply the faces meet at an edge: about the angle between them, at most 1; 1 at borders and branches."""
    g = twin[h // 3, h % 3]
    if g == h or twin[g // 3, g % 3] != h:
        return 1.0
    return min(1.0, length(sub(row(normal, h // 3), row(normal, g // 3))))
