"""Which triangles meet at which edges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.exchange.raw import Triangles


class Edges(NamedTuple):
    """The edges of a set of triangles."""

    pairs: Triangles
    """(m, 2) triangles that meet at an edge which only they have."""
    same_way: NDArray[np.bool_]
    """(m,) whether both run along it in the same direction: then one of them is wound wrongly."""
    lonely: int
    """Edges of one triangle only."""
    crowded: int
    """Edges of more than two triangles."""
    open: Triangles
    """The triangles that have such edges."""

    @classmethod
    def of(cls, triangles: Triangles, vertices: int) -> Edges:
        keys = edge_keys(triangles, vertices).reshape(-1)
        order = np.argsort(keys)
        ordered = keys[order]
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(keys) else keys
        counts = np.diff(np.append(starts, len(keys)))
        twice = starts[counts == 2]
        one, two = order[twice], order[twice + 1]
        forward = (triangles < np.roll(triangles, -1, axis=1)).reshape(-1)
        odd = np.repeat(counts != 2, counts)
        return cls(
            np.stack([one // 3, two // 3], axis=1),
            forward[one] == forward[two],
            int(np.count_nonzero(counts == 1)),
            int(np.count_nonzero(counts > 2)),
            order[odd] // 3,
        )


def edge_keys(triangles: Triangles, vertices: int) -> Triangles:
    """(t, 3) a number for each edge, the same from both sides; the first edge joins the first two corners."""
    following = np.roll(triangles, -1, axis=1)
    return np.minimum(triangles, following) * vertices + np.maximum(triangles, following)
