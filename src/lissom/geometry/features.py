"""Faces, edges and vertices of a triangle mesh: who neighbours whom, and which way they look.

A *half edge* h = 3 t + k is the edge from corner k to corner k + 1 of triangle t; a *corner* c = 3 t + k is corner k.
All half edges between the same two vertices form a ring: one at a border, two inside, more where sheets branch. The
least half edge of a ring owns the edge, the first corner of a star owns the vertex.

The normal of a face, of an edge (the mean of its faces), of a vertex (the mean of its faces weighted by their angles)
says on which side of a closed surface a point is, whichever of them is nearest to it [BA05].
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.nearest import length, row, unit
from lissom.geometry.triples import Vector, add, cross, dot, scale, sub
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

SLIVER = 1e-7  # height over longest side; below, single-precision corners make the normal noise
SWEEPS = 16  # slivers side by side through which a normal is passed on


@kernel
def renumber(vertices: Array, triangles: Indices, out: Array) -> None:
    """Numbers vertices by their first use, so that neighbours lie together: changes `triangles`, fills out (v, 3)."""
    number = np.full(len(vertices), -1)
    used = 0
    for t in range(len(triangles)):
        for k in range(3):
            v = triangles[t, k]
            if number[v] < 0:
                number[v] = used
                used += 1
            triangles[t, k] = number[v]
    for v in range(len(vertices)):
        if number[v] < 0:
            number[v] = used
            used += 1
        for k in range(3):
            out[number[v], k] = vertices[v, k]


@kernel
def stars(triangles: Indices, first: Indices, star: Indices) -> None:
    """Fills the corners at each vertex v, ascending: star[first[v] : first[v + 1]]."""
    first[:] = 0
    for t in range(len(triangles)):
        for k in range(3):
            first[triangles[t, k] + 1] += 1
    for v in range(len(first) - 1):
        first[v + 1] += first[v]
    placed = first[:-1].copy()
    for t in range(len(triangles)):
        for k in range(3):
            v = triangles[t, k]
            star[placed[v]] = 3 * t + k
            placed[v] += 1


@kernel
def rings(triangles: Indices, first: Indices, star: Indices, twin: Indices) -> None:
    """Fills twin (t, 3): the next half edge of each one's ring. At a border it is the half edge itself."""
    most = 0
    for v in range(len(first) - 1):
        most = max(most, first[v + 1] - first[v])
    other = np.empty(2 * most, np.int64)  # the edges from v to vertices of higher number
    half = np.empty(2 * most, np.int64)
    for v in range(len(first) - 1):
        count = 0
        for i in range(first[v], first[v + 1]):
            t, k = star[i] // 3, star[i] % 3
            back = (k + 2) % 3
            for to, edge in ((triangles[t, (k + 1) % 3], k), (triangles[t, back], back)):
                if to > v:
                    other[count] = to
                    half[count] = 3 * t + edge
                    count += 1
        sort_pairs(other, half, count)
        start = 0
        for i in range(count):
            if i + 1 == count or other[i + 1] != other[start]:
                for j in range(start, i + 1):
                    twin[half[j] // 3, half[j] % 3] = half[j + 1 if j < i else start]
                start = i + 1


@kernel
def sort_pairs(key: Indices, value: Indices, count: int) -> None:
    """Sorts the first `count` pairs by key: Shell's way, quick for the few edges of a vertex and safe for many."""
    step = 1
    while 3 * step + 1 < count:
        step = 3 * step + 1
    while step > 0:
        for i in range(step, count):
            k, v = key[i], value[i]
            j = i
            while j >= step and key[j - step] > k:
                key[j], value[j] = key[j - step], value[j - step]
                j -= step
            key[j], value[j] = k, v
        step //= 3


@inline
def direction(vertices: Array, triangles: Indices, h: int) -> Vector:
    """The unit direction of a half edge."""
    t, k = h // 3, h % 3
    return unit(sub(row(vertices, triangles[t, (k + 1) % 3]), row(vertices, triangles[t, k])))


@inline
def owner(twin: Indices, h: int) -> int:
    """The half edge that owns this one's edge."""
    least = h
    g = twin[h // 3, h % 3]
    while g != h:
        least = min(least, g)
        g = twin[g // 3, g % 3]
    return least


@kernel
def face_normals(vertices: Array, triangles: Indices, normal: Array) -> int:
    """Fills the unit normals (t, 3); zero for slivers, whose number is returned."""
    slivers = 0
    for t in range(len(triangles)):
        a, b, c = row(vertices, triangles[t, 0]), row(vertices, triangles[t, 1]), row(vertices, triangles[t, 2])
        ab, bc, ca = sub(b, a), sub(c, b), sub(a, c)
        n = cross(ab, bc)
        longest = max(dot(ab, ab), dot(bc, bc), dot(ca, ca))
        size = length(n)
        if size <= SLIVER * longest:
            slivers += 1
            n = (0.0, 0.0, 0.0)
        else:
            n = scale(1.0 / size, n)
        for k in range(3):
            normal[t, k] = n[k]
    return slivers


@kernel
def sliver_normals(vertices: Array, triangles: Indices, twin: Indices, start: int, normal: Array) -> None:
    """Slivers (triangles from `start`) take the normal of the neighbour across their longest side that has one.

    So a vertex in the middle of another triangle's side sees that triangle, with its angle of π.
    """
    for _ in range(SWEEPS):
        changed = False
        for t in range(start, len(triangles)):
            if dot(row(normal, t), row(normal, t)) > 0.0:
                continue
            best = -1
            longest = -1.0
            for k in range(3):
                u = twin[t, k] // 3
                side = sub(row(vertices, triangles[t, (k + 1) % 3]), row(vertices, triangles[t, k]))
                if u != t and dot(row(normal, u), row(normal, u)) > 0.0 and dot(side, side) > longest:
                    longest = dot(side, side)
                    best = u
            if best >= 0:
                changed = True
                for k in range(3):
                    normal[t, k] = normal[best, k]
        if not changed:
            return


@kernel
def edge_normals(twin: Indices, normal: Array, edge_normal: Array) -> None:
    """Fills (t, 3, 3): the unit mean of the faces around each edge; zero where they cancel."""
    for t in range(len(twin)):
        for k in range(3):
            n = row(normal, t)
            g = twin[t, k]
            while g != 3 * t + k:
                n = add(n, row(normal, g // 3))
                g = twin[g // 3, g % 3]
            n = unit(n)
            for l in range(3):
                edge_normal[t, k, l] = n[l]


@kernel
def vertex_normals(
    vertices: Array, triangles: Indices, first: Indices, star: Indices, normal: Array, vertex_normal: Array
) -> None:
    """Fills (v, 3): the unit mean of the faces around each vertex, weighted by their angles there."""
    for v in range(len(vertices)):
        n = (0.0, 0.0, 0.0)
        for i in range(first[v], first[v + 1]):
            t, k = star[i] // 3, star[i] % 3
            a = sub(row(vertices, triangles[t, (k + 1) % 3]), row(vertices, v))
            b = sub(row(vertices, triangles[t, (k + 2) % 3]), row(vertices, v))
            angle = math.atan2(length(cross(a, b)), dot(a, b))
            n = add(n, scale(angle, row(normal, t)))
        n = unit(n)
        for k in range(3):
            vertex_normal[v, k] = n[k]
