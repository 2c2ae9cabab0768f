"""The bodies of a mesh: which triangles hang together, which way they are wound, and which are inside out."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.exchange.edges import Edges
from lissom.exchange.raw import Triangles, Vertices

Bools = NDArray[np.bool_]

MOST_BODIES: Final = 2000
"""Beyond, cavities are not told one by one from bodies that are inside out."""

MOST_WORK: Final = 200_000_000
"""Triangles looked at to see what lies inside what: some ten seconds."""


class Bodies(NamedTuple):
    """Sets of triangles connected across edges that join exactly two."""

    body: Triangles
    """(t,) the body of each triangle, from 0."""
    against_the_others: Bools
    """(t,) wound the other way than most of its body."""
    closed: Bools
    """(bodies,) every edge joins two triangles, and there are two sides."""
    one_sided: Bools
    """(bodies,) no winding fits."""

    @classmethod
    def of(cls, triangles: int, edges: Edges) -> Bodies:
        root, parity = connected(triangles, edges.pairs, edges.same_way)
        numbers, body = np.unique(root, return_inverse=True)
        body = body.reshape(-1).astype(np.int64)
        one, two = edges.pairs.T
        torn = (parity[one] ^ parity[two]) != edges.same_way
        one_sided = np.zeros(len(numbers), dtype=bool)
        one_sided[body[one[torn]]] = True
        closed = ~one_sided
        closed[body[edges.open]] = False
        odd = np.bincount(body[parity], minlength=len(numbers))
        most_are_odd = 2 * odd > np.bincount(body, minlength=len(numbers))
        against = parity ^ most_are_odd[body]
        against &= ~one_sided[body]  # as they are: nothing would be right
        return cls(body, against, closed, one_sided)

    def inside_out(self, vertices: Vertices, triangles: Triangles) -> Bools:
        """(bodies,) which closed bodies have their outside inside.

        A cavity is wound the other way than the body around it, and rightly so: what lies in a body that is inside out
        is flipped with it, and only that. Two bodies of the same sign need no look at each other.
        """
        count = len(self.closed)
        volumes = self._volumes(vertices, triangles)
        flip = self.closed & (volumes < 0.0)
        if not flip.any():
            return flip
        if count > MOST_BODIES:
            return self.closed & bool(volumes[self.closed].sum() < 0.0)
        order = np.argsort(self.body, kind="stable")
        ends = np.searchsorted(self.body[order], np.arange(count + 1))
        parts = [triangles[order[ends[k] : ends[k + 1]]] for k in range(count)]
        low = np.array([vertices[part].min(axis=(0, 1)) for part in parts])
        high = np.array([vertices[part].max(axis=(0, 1)) for part in parts])
        around: list[int] = []
        work = 0
        for k in sorted(np.flatnonzero(self.closed), key=lambda k: -abs(float(volumes[k]))):
            outer = np.array(around, dtype=np.int64)
            within = np.all((low[outer] < low[k]) & (high[k] < high[outer]), axis=1, keepdims=True)[:, 0]
            for other in outer[within & (flip[outer] != (volumes[k] < 0.0))]:
                work += len(parts[other])
                if work > MOST_WORK or is_inside(vertices[parts[k][0, 0]], vertices[parts[other]]):
                    flip[k] = flip[other]
                    break
            else:
                around.append(int(k))
        return flip

    def _volumes(self, vertices: Vertices, triangles: Triangles) -> NDArray[np.float64]:
        """(bodies,) m³, positive where the triangles are anticlockwise seen from outside."""
        centre = 0.5 * (vertices.min(axis=0, initial=np.inf) + vertices.max(axis=0, initial=-np.inf))
        a, b, c = (vertices[triangles[:, k]] - centre for k in range(3))
        each = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
        volumes = np.bincount(self.body, weights=each, minlength=len(self.closed))
        return np.asarray(volumes, dtype=np.float64)


def is_inside(point: NDArray[np.float64], corners: NDArray[np.float64]) -> bool:
    """Is the point inside the closed surface (t, 3, 3)? By the solid angle under which it is seen."""
    a, b, c = (corners[:, k] - point for k in range(3))
    na, nb, nc = (np.sqrt(np.einsum("ij,ij->i", v, v)) for v in (a, b, c))
    above = np.einsum("ij,ij->i", a, np.cross(b, c))
    below = na * nb * nc
    for p, q, n in ((a, b, nc), (b, c, na), (c, a, nb)):
        below += np.einsum("ij,ij->i", p, q) * n
    return bool(abs(float(np.arctan2(above, below).sum())) > np.pi)  # 2π inside (half of 4π), 0 outside


def connected(count: int, pairs: Triangles, odd: Bools) -> tuple[Triangles, Bools]:
    """For each of ``count`` nodes a node that stands for its component, and its parity relative to that.

    ``odd`` says which pairs differ in parity. Every root that has a smaller one beside it is hung below it, and all
    are then hung directly below their roots: at least half of the roots vanish in each round.
    """
    root = np.arange(count, dtype=np.int64)
    parity = np.zeros(count, dtype=bool)
    one, two = pairs.T
    while len(one):
        a, b = root[one], root[two]
        apart = a != b
        one, two, odd, a, b = one[apart], two[apart], odd[apart], a[apart], b[apart]
        if not len(one):
            break
        larger, smaller = np.maximum(a, b), np.minimum(a, b)
        chosen = np.full(count, -1, dtype=np.int64)  # of several pairs any one; the same one for root and parity
        chosen[larger] = np.arange(len(larger))
        hung = np.flatnonzero(chosen >= 0)
        pair = chosen[hung]
        parity[hung] = parity[one[pair]] ^ parity[two[pair]] ^ odd[pair]
        root[hung] = smaller[pair]
        while True:
            above = root[root]
            if np.array_equal(above, root):
                break
            parity ^= parity[root]  # of a root it is even
            root = above
    return root, parity
