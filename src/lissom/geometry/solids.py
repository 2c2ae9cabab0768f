"""Obstacles: one rigid part in its own axes, as a triangle mesh or as a simple solid.

A mesh is *closed* where it bounds a volume: then distances inside it are negative and normals point out of it. An
open sheet has two sides and no inside. The triangles of a closed mesh run counter-clockwise seen from outside.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry import features, ridges
from lissom.geometry.cones import grow_cones
from lissom.geometry.tree import Tree, build_tree, empty_tree, reorder

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.int8]
Progress = Callable[[float, str], None]

MESH = 0
PLANE = 1  # the half space below z = 0
SPHERE = 2  # size: radius
CAPSULE = 3  # size: radius, half length of the straight part; along z
CYLINDER = 4  # size: radius, half length; along z, with flat ends


class Solid(NamedTuple):
    """One obstacle in its own axes. t: triangle, v: vertex; features.py says what half edges, rings and stars are.

    Triangles stand in the order of the tree's leaves; slivers, which only connect their neighbours, come last and are
    not in the tree. Vertices are numbered by their first use. All but `kind`, `size` and `closed` is empty unless
    `kind` is MESH.
    """

    kind: int  # MESH, PLANE, SPHERE, CAPSULE or CYLINDER
    size: Array  # (4,) what the kind needs, m
    closed: int  # 1: bounds a volume, 0: a sheet
    vertices: Array  # (v, 3) m
    triangles: Indices  # (t, 3)
    original: Indices  # (t,) which triangle this was when handed in
    face_normal: Array  # (t, 3) unit
    edge_normal: Array  # (t, 3, 3) unit mean of the faces around edge k
    vertex_normal: Array  # (v, 3) unit mean of the faces around the vertex, weighted by angle
    ridge: Flags  # (t, 3) 1 at the owner of each edge that something outside can touch
    tip: Flags  # (t, 3) 1 at the owner of each vertex that something outside can touch
    peak: Array  # (v,) how clearly a vertex sticks out, 0 … 1
    twin: Indices  # (t, 3) the next half edge of the ring
    first: Indices  # (v + 1,) where a vertex's star begins
    star: Indices  # (3t,) the corners at each vertex
    tree: Tree


def mesh_solid(vertices: Array, triangles: Indices, closed: bool, progress: Progress | None = None) -> Solid:
    """A solid from a triangle mesh (v, 3), (t, 3); `closed` says whether it bounds a volume.

    Vertices at the same place are not merged: neighbours must share them by number. Triangles without area are
    harmless. `progress(fraction, text)` is called a few times.
    """
    tell = progress or (lambda fraction, text: None)
    vertices, triangles = checked(vertices, triangles)
    distinct = np.flatnonzero(
        (triangles[:, 0] != triangles[:, 1])
        & (triangles[:, 1] != triangles[:, 2])
        & (triangles[:, 2] != triangles[:, 0])
    )
    triangles = triangles[distinct]
    tell(0.0, "normals")
    normal = np.empty((len(triangles), 3))
    slivers = features.face_normals(vertices, triangles, normal)
    proper = np.flatnonzero(normal.any(axis=1)) if slivers > 0 else np.arange(len(triangles))
    if len(proper) == 0:
        raise ValueError(f"triangles: none of the {len(distinct)} has an area; a mesh needs at least one that has")
    tell(0.1, "tree")
    tree, order = build_tree(vertices[triangles[proper]].reshape(-1, 9))
    order = proper[order]
    if slivers > 0:
        order = np.concatenate([order, np.flatnonzero(~normal.any(axis=1))])
    ordered = np.empty_like(triangles)
    reorder(triangles, order, ordered)
    placed = np.empty_like(vertices)
    features.renumber(vertices, ordered, placed)
    vertices = placed
    tell(0.5, "edges")
    count = len(vertices)
    first = np.empty(count + 1, np.int64)
    star = np.empty(3 * len(ordered), np.int64)
    twin = np.empty_like(ordered)
    features.stars(ordered, first, star)
    features.rings(ordered, first, star, twin)
    tell(0.7, "normals of edges and vertices")
    face_normal = np.empty_like(normal)
    reorder(normal, order, face_normal)
    features.sliver_normals(vertices, ordered, twin, len(proper), face_normal)
    edge_normal = np.empty((len(ordered), 3, 3))
    vertex_normal = np.empty((count, 3))
    features.edge_normals(twin, face_normal, edge_normal)
    features.vertex_normals(vertices, ordered, first, star, face_normal, vertex_normal)
    grow_cones(tree, ordered, twin, first, star, face_normal)
    tell(0.9, "what can be touched")
    ridge = np.empty((len(ordered), 3), np.int8)
    tip = np.empty_like(ridge)
    peak = np.empty(count)
    ridges.ridges(vertices, ordered, twin, face_normal, int(closed), ridge)
    ridges.peaks(vertices, ordered, twin, first, star, vertex_normal, ridge, peak, tip)
    tell(1.0, "done")
    return Solid(
        kind=MESH, size=np.zeros(4), closed=int(closed), vertices=vertices, triangles=ordered,
        original=distinct[order], face_normal=face_normal, edge_normal=edge_normal, vertex_normal=vertex_normal,
        ridge=ridge, tip=tip, peak=peak, twin=twin, first=first, star=star, tree=tree,
    )  # fmt: skip


def checked(vertices: Array, triangles: Indices) -> tuple[Array, Indices]:
    """The mesh as contiguous arrays of our own, or an error that says what is wrong with it."""
    own_vertices = np.array(vertices, dtype=np.float64, order="C")
    own_triangles = np.array(triangles, dtype=np.int64, order="C")
    if own_vertices.ndim != 2 or own_vertices.shape[1] != 3:
        raise ValueError(f"vertices: shape {own_vertices.shape}, but (v, 3) is needed: one x, y, z per vertex")
    if own_triangles.ndim != 2 or own_triangles.shape[1] != 3:
        raise ValueError(f"triangles: shape {own_triangles.shape}, but (t, 3) is needed: three vertices per triangle")
    if not np.isfinite(own_vertices).all():
        bad = int(np.flatnonzero(~np.isfinite(own_vertices).all(axis=1))[0])
        raise ValueError(f"vertices: number {bad} is {own_vertices[bad].tolist()}, but every coordinate must be finite")
    if own_triangles.size and (own_triangles.min() < 0 or own_triangles.max() >= len(own_vertices)):
        wrong = int(own_triangles.min() if own_triangles.min() < 0 else own_triangles.max())
        raise ValueError(f"triangles: vertex {wrong} does not exist; there are {len(own_vertices)}, counted from 0")
    return own_vertices, own_triangles


def simple_solid(kind: int, *size: float) -> Solid:
    sizes = np.zeros(4)
    sizes[: len(size)] = size
    none, nothing = np.zeros((0, 3), np.int64), np.zeros((0, 3))
    return Solid(
        kind=kind, size=sizes, closed=1, vertices=nothing, triangles=none, original=np.zeros(0, np.int64),
        face_normal=nothing, edge_normal=np.zeros((0, 3, 3)), vertex_normal=nothing,
        ridge=np.zeros((0, 3), np.int8), tip=np.zeros((0, 3), np.int8), peak=np.zeros(0), twin=none,
        first=np.zeros(1, np.int64), star=np.zeros(0, np.int64), tree=empty_tree(),
    )  # fmt: skip


def plane_solid() -> Solid:
    """Everything below z = 0."""
    return simple_solid(PLANE)


def sphere_solid(radius: float) -> Solid:
    return simple_solid(SPHERE, positive("radius", radius))


def capsule_solid(radius: float, half_length: float) -> Solid:
    """All within `radius` of the axis from z = −half_length to half_length."""
    return simple_solid(CAPSULE, positive("radius", radius), positive("half_length", half_length))


def cylinder_solid(radius: float, half_length: float) -> Solid:
    """A cylinder along z, from −half_length to half_length, with flat ends."""
    return simple_solid(CYLINDER, positive("radius", radius), positive("half_length", half_length))


def positive(name: str, value: float) -> float:
    if not 0.0 < value < np.inf:
        raise ValueError(f"{name}: {value} m, but a length above 0 is needed")
    return float(value)


def box_mesh(size: tuple[float, float, float]) -> tuple[Array, Indices]:
    """Vertices (8, 3) and triangles (12, 3) of a box around the origin; `size` are its sides, m."""
    half = 0.5 * np.array([positive("size", side) for side in size])
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    triangles = [[a, b, c] for p, q, r, s in quads for a, b, c in ((p, q, r), (p, r, s))]
    return signs * half, np.array(triangles, dtype=np.int64)
