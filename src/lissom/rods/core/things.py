"""The parts that cables may touch, as arrays that one kernel can be handed.  [docs/theory/core.md §6]

Solids stand one after the other in long arrays, each once however many parts have it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.lookup import Stack, hit
from lissom.geometry.nearest import length
from lissom.geometry.solids import MESH, Solid, plane_solid
from lissom.geometry.touching import local, nearest_place
from lissom.geometry.tree import Tree
from lissom.geometry.triples import Matrix, Vector, add, scale, sub
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.int8]

# The arrays of a solid, and where each solid begins in them: vertices, triangles in all, triangles of the tree, nodes.
BY_VERTEX, BY_TRIANGLE, BY_LEAF, BY_NODE, BY_STAR = range(5)
# Straight ways are followed in at most so many steps, the last of them so short (of the room there was at first).
MOST_STEPS = 100
SHORTEST = 1e-3


class Things(NamedTuple):
    """d: solid; p: part."""

    kind: Indices  # (d,)
    size: Array  # (d, 4)
    closed: Indices  # (d,)
    begins: Indices  # (d + 1, 5) where a solid begins in the arrays below
    vertices: Array
    triangles: Indices
    original: Indices
    face_normal: Array
    edge_normal: Array
    vertex_normal: Array
    ridge: Flags
    tip: Flags
    peak: Array
    twin: Indices
    first: Indices  # one more to a solid than it has vertices
    star: Indices
    box: Array
    child: Indices
    leaf: Indices
    corners: Array
    cone: Array
    solid: Indices  # (p,)
    rotation: Array  # (p, 9) where the parts stand
    origin: Array  # (p, 3) m
    rotation_before: Array  # (p, 9) and where they stood when all was last solved
    origin_before: Array  # (p, 3) m


def things_of(solids: Sequence[Solid]) -> Things:
    """Of parts with these solids; where they stand is filled in later."""
    number: dict[int, int] = {}
    which = [number.setdefault(id(k), len(number)) for k in solids]
    different = [solids[which.index(k)] for k in range(len(number))] or [plane_solid()]
    trees = [k.tree for k in different]
    begins = np.zeros((len(different) + 1, 5), np.int64)
    begins[1:] = np.cumsum(
        [[len(k.vertices), len(k.triangles), len(k.tree.corners), len(k.tree.box), len(k.star)] for k in different],
        axis=0,
    )
    parts = len(which)
    return Things(
        kind=np.array([k.kind for k in different], np.int64),
        size=np.array([k.size for k in different]),
        closed=np.array([k.closed for k in different], np.int64),
        begins=begins,
        vertices=np.concatenate([k.vertices for k in different]),
        triangles=np.concatenate([k.triangles for k in different]),
        original=np.concatenate([k.original for k in different]),
        face_normal=np.concatenate([k.face_normal for k in different]),
        edge_normal=np.concatenate([k.edge_normal for k in different]),
        vertex_normal=np.concatenate([k.vertex_normal for k in different]),
        ridge=np.concatenate([k.ridge for k in different]),
        tip=np.concatenate([k.tip for k in different]),
        peak=np.concatenate([k.peak for k in different]),
        twin=np.concatenate([k.twin for k in different]),
        first=np.concatenate([k.first for k in different]),
        star=np.concatenate([k.star for k in different]),
        box=np.concatenate([k.box for k in trees]),
        child=np.concatenate([k.first for k in trees]),
        leaf=np.concatenate([k.leaf for k in trees]),
        corners=np.concatenate([k.corners for k in trees]),
        cone=np.concatenate([k.cone for k in trees]),
        solid=np.array(which, np.int64),
        rotation=np.zeros((parts, 9)),
        origin=np.zeros((parts, 3)),
        rotation_before=np.zeros((parts, 9)),
        origin_before=np.zeros((parts, 3)),
    )


@inline
def solid_of(t: Things, part: int) -> Solid:
    d = t.solid[part]
    v, w = t.begins[d, BY_VERTEX], t.begins[d + 1, BY_VERTEX]
    a, b = t.begins[d, BY_TRIANGLE], t.begins[d + 1, BY_TRIANGLE]
    l, m = t.begins[d, BY_LEAF], t.begins[d + 1, BY_LEAF]
    n, o = t.begins[d, BY_NODE], t.begins[d + 1, BY_NODE]
    s, z = t.begins[d, BY_STAR], t.begins[d + 1, BY_STAR]
    tree = Tree(t.box[n:o], t.child[n:o], t.leaf[n:o], t.corners[l:m], t.cone[n:o])
    return Solid(
        t.kind[d], t.size[d], t.closed[d], t.vertices[v:w], t.triangles[a:b], t.original[a:b], t.face_normal[a:b],
        t.edge_normal[a:b], t.vertex_normal[v:w], t.ridge[a:b], t.tip[a:b], t.peak[v:w], t.twin[a:b],
        t.first[v + d : w + d + 1], t.star[s:z], tree,
    )  # fmt: skip


@inline
def nine(a: Array, i: int) -> Matrix:
    return (a[i, 0], a[i, 1], a[i, 2], a[i, 3], a[i, 4], a[i, 5], a[i, 6], a[i, 7], a[i, 8])


@kernel
def free_way(solid: Solid, R: Matrix, o: Vector, a: Vector, b: Vector, room: float, stack: Stack) -> bool:
    """Whether a straight way meets nothing of a part; nothing is within `room` (m) of where it begins."""
    far = length(sub(b, a))
    if far < room:
        return True
    if solid.kind == MESH:
        _, triangle = hit(solid.tree, local(R, o, a), local(R, o, b), stack)
        return bool(triangle < 0)
    done = 0.0
    for _ in range(MOST_STEPS):  # each as long as nothing can be met
        _, d, _, _ = nearest_place(solid, R, o, add(a, scale(done, sub(b, a))), 1e300, stack)
        if d <= SHORTEST * room:
            return False
        done += d / far
        if done >= 1.0:
            return True
    return False
