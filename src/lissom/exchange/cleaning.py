"""From the triangles of a file to a surface: one vertex per point, nothing without area, one winding, outside out.

Edges are what counts: of a closed surface every edge joins exactly two triangles, which run along it in opposite
directions. Everything here is whole arrays: a million triangles take about a second.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.exchange.bodies import Bodies
from lissom.exchange.edges import Edges, edge_keys
from lissom.exchange.raw import Triangles, Vertices

THINNEST: Final = 1e-9
"""Height over longest side: a triangle below has no normal to speak of."""

WELDED: Final = 1e-7
"""Of the size of the mesh, about the rounding of 32-bit coordinates: vertices nearer than this may be one."""

_PASSES: Final = 8


class Surface(NamedTuple):
    """Vertices (v, 3), triangles (t, 3), whether it is the boundary of a solid, and what had to be done."""

    vertices: Vertices
    triangles: Triangles
    closed: bool
    warnings: tuple[str, ...]


def cleaned(vertices: Vertices, triangles: Triangles) -> Surface:
    """``vertices`` are finite. Without a triangle that has an area the answer is empty."""
    vertices, onto = merged(vertices)
    triangles, warnings = _without_waste(vertices, onto[triangles])
    edges = Edges.of(triangles, len(vertices))
    if edges.lonely and len(triangles):
        step = WELDED * float(np.max(np.ptp(vertices, axis=0)))
        welded, onto = merged(vertices, step)
        fewer, more = _without_waste(welded, onto[triangles])
        other = Edges.of(fewer, len(welded))
        if len(fewer) and other.lonely < edges.lonely and other.crowded <= edges.crowded:
            vertices, triangles, edges = welded, fewer, other
            warnings += [*more, f"vertices within {step:.2g} m of each other were taken as one, which closed gaps"]
    triangles, closed, more = _oriented(vertices, triangles, edges)
    return Surface(*_used(vertices, triangles), closed, tuple(warnings + more))


# ---- vertices ------------------------------------------------------------------------------------------------------


def merged(vertices: Vertices, step: float = 0.0) -> tuple[Vertices, Triangles]:
    """The different vertices in the order they come, and for each old one its number among them.

    ``step``: those in one cell of a grid are taken as one.
    """
    keys = vertices + 0.0 if step == 0.0 else np.round(vertices / step) + 0.0  # −0 is 0
    mixed = _mixed(keys)
    order = np.argsort(mixed)
    beside, mixed = keys[order], mixed[order]
    new = np.ones(len(keys), dtype=bool)
    new[1:] = _differs(beside)
    if not np.array_equal(new[1:], mixed[1:] != mixed[:-1]):  # different vertices of one mixture: the slow way
        order = np.lexsort(keys.T)
        beside = keys[order]
        new[1:] = _differs(beside)
    came = np.minimum.reduceat(order, np.flatnonzero(new)) if len(keys) else order
    by_coming = np.argsort(came)
    number = np.empty(len(came), dtype=np.int64)
    number[by_coming] = np.arange(len(came))
    onto = np.empty(len(keys), dtype=np.int64)
    onto[order] = number[np.cumsum(new) - 1]
    return vertices[came[by_coming]], onto


def _differs(rows: Vertices) -> NDArray[np.bool_]:
    """Each row from the one before it; much faster than ``any`` along rows of three."""
    x, y, z = rows.T
    differs: NDArray[np.bool_] = (x[1:] != x[:-1]) | (y[1:] != y[:-1]) | (z[1:] != z[:-1])
    return differs


def _mixed(keys: Vertices) -> NDArray[np.uint64]:
    """One number for three, different for different ones with all but certainty."""
    bits = np.ascontiguousarray(keys).view(np.uint64)
    found = bits[:, 0] * np.uint64(0x9E3779B97F4A7C15)
    for k in (1, 2):
        found ^= found >> np.uint64(29)
        found = (found + bits[:, k]) * np.uint64(0xBF58476D1CE4E5B9)
    return found ^ (found >> np.uint64(32))


def _used(vertices: Vertices, triangles: Triangles) -> tuple[Vertices, Triangles]:
    """Without the vertices that no triangle has."""
    used = np.zeros(len(vertices), dtype=bool)
    used[triangles] = True
    number = np.cumsum(used) - 1
    return vertices[used], number[triangles]


# ---- waste ---------------------------------------------------------------------------------------------------------


def _without_waste(vertices: Vertices, triangles: Triangles) -> tuple[Triangles, list[str]]:
    warnings: list[str] = []
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    thin = _are_thin(vertices, triangles)
    flat = len(a) - len(triangles) + int(np.count_nonzero(thin))
    if thin.any():
        triangles = _without_caps(vertices, triangles, thin)
    if flat:
        warnings.append(f"{_counted(flat, 'triangle', ' without area')} removed")
    once = _without_copies(triangles)
    if len(once) < len(triangles):
        warnings.append(f"{_counted(len(triangles) - len(once), 'triangle')} there more than once, and removed")
    return once, warnings


def _counted(number: int, noun: str, which: str = "") -> str:
    if number == 1:
        return f"1 {noun}{which} was"
    return f"{number} {noun.removesuffix('y') + 'ies' if noun.endswith('y') else noun + 's'}{which} were"


def _are_thin(vertices: Vertices, triangles: Triangles) -> NDArray[np.bool_]:
    sides, area = _sizes(vertices, triangles)
    thin: NDArray[np.bool_] = area <= THINNEST * sides.max(axis=1, initial=0.0)
    return thin


def _sizes(vertices: Vertices, triangles: Triangles) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The squares of the sides (t, 3), the first from the first to the second corner; and twice the areas (t,)."""
    p, q, r = (vertices[triangles[:, k]] for k in range(3))
    u, v, w = q - p, r - q, p - r
    normal = np.cross(u, v)
    area = np.sqrt(np.einsum("ij,ij->i", normal, normal))
    return np.stack([np.einsum("ij,ij->i", side, side) for side in (u, v, w)], axis=1), area


def _without_caps(vertices: Vertices, triangles: Triangles, thin: NDArray[np.bool_]) -> Triangles:
    """Without triangles of no area, and without the slits that removing them would leave.

    Three corners on one line: the middle one lies on the longest side, across which there is another triangle. The
    two are a quadrangle; its other diagonal cuts it into two triangles that have an area.
    """
    triangles = triangles.copy()
    for _ in range(_PASSES):
        if not thin.any() or not _flip_diagonals(vertices, triangles, thin):
            break
        thin = _are_thin(vertices, triangles)
    return triangles[~thin]


def _flip_diagonals(vertices: Vertices, triangles: Triangles, thin: NDArray[np.bool_]) -> bool:
    """Changes ``triangles`` in place; False if there was nothing to flip."""
    keys = edge_keys(triangles, len(vertices)).reshape(-1)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    flat = np.flatnonzero(thin)
    longest = np.argmax(_sizes(vertices, triangles[flat])[0], axis=1)
    key = keys[3 * flat + longest]
    at, end = np.searchsorted(ordered, key, "left"), np.searchsorted(ordered, key, "right")
    pair = end - at == 2
    flat, longest, at = flat[pair], longest[pair], at[pair]
    one, two = order[at], order[at + 1]
    other = np.where(one // 3 == flat, two, one)  # the same edge, as the triangle across has it
    across = other // 3
    free = ~thin[across]
    free[np.setdiff1d(np.arange(len(across)), np.unique(across, return_index=True)[1])] = False  # one flip for each
    flat, longest, other, across = flat[free], longest[free], other[free], across[free]
    u, v, m = (triangles[flat, (longest + k) % 3] for k in range(3))
    w = triangles[across, (other % 3 + 2) % 3]
    low, high = np.minimum(m, w), np.maximum(m, w)
    diagonal = low * len(vertices) + high
    found = np.searchsorted(ordered, diagonal)
    new = (ordered[np.minimum(found, len(ordered) - 1)] != diagonal) & (m != w)
    flat, across, u, v, m, w = flat[new], across[new], u[new], v[new], m[new], w[new]
    triangles[flat] = np.stack([m, u, w], axis=1)
    triangles[across] = np.stack([w, v, m], axis=1)
    return len(flat) > 0


def _without_copies(triangles: Triangles) -> Triangles:
    """Of several triangles with the same three corners only the first."""
    rows = np.sort(triangles, axis=1).astype(np.float64)
    mixed = np.sort(_mixed(rows))
    if not np.any(mixed[1:] == mixed[:-1]):
        return triangles
    number = merged(rows)[1]
    first = np.full(int(number.max()) + 1, len(number), dtype=np.int64)
    np.minimum.at(first, number, np.arange(len(number)))
    return triangles[np.sort(first)]


# ---- winding -------------------------------------------------------------------------------------------------------


def _oriented(vertices: Vertices, triangles: Triangles, edges: Edges) -> tuple[Triangles, bool, list[str]]:
    """With one winding on every body, outwards on the closed ones."""
    warnings: list[str] = []
    bodies = Bodies.of(len(triangles), edges)
    flip = bodies.against_the_others
    if flip.any():
        warnings.append(f"{_counted(int(flip.sum()), 'triangle')} wound the other way than the others, and flipped")
    triangles = np.where(flip[:, None], triangles[:, ::-1], triangles)
    turned = bodies.inside_out(vertices, triangles)
    if turned.any():
        what = "it was" if turned.all() else _counted(int(turned.sum()), "body")
        warnings.append(f"{what} turned inside out, and flipped")
        triangles = np.where(turned[bodies.body][:, None], triangles[:, ::-1], triangles)
    if edges.crowded:
        warnings.append(f"{edges.crowded} edges join more than two triangles: it is taken as a sheet, not a solid")
    if edges.lonely:
        warnings.append(f"it is open at {edges.lonely} edges: it is taken as a sheet, not a solid")
    if bodies.one_sided.any():
        warnings.append("it has only one side, as a Möbius strip: it is taken as a sheet, not a solid")
    return triangles, bool(bodies.closed.all()), warnings
