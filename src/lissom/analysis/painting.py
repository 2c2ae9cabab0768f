"""Surfaces of a picture painted together, the farthest facet first, so that what is in front covers what is behind.

matplotlib sorts by depth only within one collection: hence everything with a surface goes into one, in facets small
enough to be sorted. A cable behind a part shines through it faintly. Of a closed part only the outside that faces us
is painted, with its sharp edges and its outline. Planes are not sorted: nothing is behind one that faces us, nothing
in front of one that does not.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.along import Array
from lissom.analysis.scenery import Thing, clipped, divided, in_sight, thinned

# Triangles of all parts together, before they are divided for sorting.
MOST_TRIANGLES: Final = 8000
# No facet is larger than this part of the picture.
FACET: Final = 0.03
# A mesh with more edges to draw than this is all edges: none is drawn.
MOST_EDGES: Final = 10000
# Edges between faces that turn by more than this are drawn, rad.
SHARP: Final = 0.6
# The light comes from us, from above and from the left in these parts; the side away from it is this dark.
LIGHT: Final = (0.45, 0.70, 0.45)
DARKEST: Final = 0.35
# The inside of a part that the picture cuts open is darker by this.
INSIDE: Final = 0.88
# How much of a cable behind a part is seen.
SHINES_THROUGH: Final = 0.30

PART: Final = (0.82, 0.85, 0.89, 1.0)
GHOST: Final = (0.93, 0.94, 0.95, 1.0)  # a part that nothing touches
PLANE: Final = (0.80, 0.78, 0.72, 0.40)
PLANE_BEFORE: Final = (0.80, 0.78, 0.72, 0.15)
CABLE: Final = (0.62, 0.62, 0.65, 1.0)
EDGE: Final = (0.42, 0.45, 0.50, 1.0)
CLEAR: Final = (0.0, 0.0, 0.0, 0.0)


class Painting:
    """Facets and lines gathered until they are painted."""

    def __init__(self, axes: Any) -> None:
        self._axes = axes
        self._facets: list[Array] = []  # (n, 4, 3) mm
        self._fill: list[Array] = []  # (n, 4)
        self._line: list[Array] = []  # (n, 4)
        self._seen: dict[str, Array] = {}
        elevation, azimuth = np.radians(axes.elev), np.radians(axes.azim)
        level = np.cos(elevation)
        self.towards_us = np.array([level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)])
        left = np.array([np.sin(azimuth), -np.cos(azimuth), 0.0])
        light = LIGHT[0] * self.towards_us + LIGHT[1] * np.array([0.0, 0.0, 1.0]) + LIGHT[2] * left
        self.light = light / np.linalg.norm(light)
        self._shining: list[tuple[Array, Array]] = []  # facets and colours of the cable itself
        limits = np.array([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()])
        self.low, self.high = limits[:, 0], limits[:, 1]

    @property
    def size(self) -> float:
        return float((self.high - self.low).max())

    def add_grid(self, points: Array, colours: Array, shines: bool = False) -> None:
        """A surface (rows, columns, 3) whose normal is columns × rows, with colours (rows, columns, 4)."""
        facets = np.stack([points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]], axis=2).reshape(
            -1, 4, 3
        )
        across = np.cross(facets[:, 2] - facets[:, 0], facets[:, 3] - facets[:, 1])
        colours = self._lit(colours[:-1, :-1].reshape(-1, 4), across)
        self._add(facets, colours)
        if shines:
            front = self._faces_us(facets)
            self._shining.append((facets[front], colours[front]))

    def add_things(self, things: list[Thing]) -> None:
        """Parts and other cables, as far as they are in sight."""
        for thing in things:
            if thing.plane:
                self._paint_plane(thing)
        seen = [(thing, *in_sight(thing, self.low, self.high)) for thing in things if not thing.plane]
        seen = sorted((k for k in seen if len(k[2])), key=lambda k: len(k[2]))
        left = MOST_TRIANGLES
        for number, (thing, vertices, triangles) in enumerate(seen):
            most = left // (len(seen) - number)  # what small ones do not need is left to the large ones
            left -= min(most, len(triangles))
            self._add_thing(thing, vertices, triangles, max(most, 100))

    def _add_thing(self, thing: Thing, vertices: Array, triangles: NDArray[np.int64], most: int) -> None:
        front = self._faces_us(vertices[triangles])
        if not thing.cable:
            lines = edges(vertices, triangles, front if thing.closed else np.ones_like(front))
            if len(lines) <= MOST_EDGES:
                self._add_lines(lines)
        vertices, triangles = thinned(vertices, triangles, most)
        corners = vertices[triangles]
        cut = bool((vertices < self.low).any() or (vertices > self.high).any())
        if thing.closed and not cut:
            corners = corners[self._faces_us(corners)]
        corners = divided(clipped(corners, self.low, self.high), FACET * self.size)
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        front = self._faces_us(corners)
        across[~front] *= -1.0
        self._seen[thing.name] = corners
        colour = np.array(CABLE if thing.cable else PART if thing.collide else GHOST)
        colours = self._lit(np.broadcast_to(colour, (len(corners), 4)), across)
        if thing.closed:
            colours[~front, :3] *= INSIDE
        self._add(corners[:, [0, 1, 2, 2]], colours)

    def _paint_plane(self, thing: Thing) -> None:
        """Its piece in the picture."""
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        corners = clipped(thing.vertices[thing.triangles], self.low, self.high)
        if not len(corners):
            return
        points = corners.reshape(-1, 3)
        u = np.linalg.svd(points - points.mean(axis=0))[2][:2]
        flat = (points - points.mean(axis=0)) @ u.T
        around = points[np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))]
        before = float(thing.normal @ self.towards_us) < 0.0
        colour = PLANE_BEFORE if before else PLANE
        piece = Poly3DCollection([around], facecolors=[colour], edgecolors=["#b5b0a2"], linewidths=0.6)
        piece.set_zorder(4.0 if before else 0.5)
        self._axes.add_collection3d(piece, autolim=False)
        self._seen[thing.name] = corners

    def label_place(self, thing: Thing) -> Array | None:
        """(3,) mm: the lowest place on the screen of what is painted of a thing; None if nothing is."""
        corners = self._seen.get(thing.name)
        if corners is None or not len(corners):
            return None
        points = corners.reshape(-1, 3)
        return np.asarray(points[np.argmin(self._on_screen(points)[:, 1])])

    def _on_screen(self, points: Array) -> Array:
        """(n, 2) where points (n, 3) are seen."""
        seen = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ self._axes.get_proj().T
        return np.asarray(seen[:, :2] / seen[:, 3:])

    def _faces_us(self, corners: Array) -> NDArray[np.bool_]:
        """Whether facets (n, 3 or 4, 3) are anticlockwise on the screen."""
        p = self._on_screen(corners.reshape(-1, 3)).reshape(*corners.shape[:2], 2)
        u, v = p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]
        return np.asarray(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0] > 0.0)

    def _lit(self, colours: Array, across: Array) -> Array:
        """Colours (n, 4) in the light, on facets with these normals (n, 3) of any length."""
        size = np.linalg.norm(across, axis=1)
        shade = np.where(size > 0.0, across @ self.light / np.where(size > 0.0, size, 1.0), 0.0)
        found = np.array(colours)
        found[:, :3] *= (DARKEST + (1.0 - DARKEST) * 0.5 * (1.0 + shade))[:, None]
        return found

    def _add_lines(self, segments: Array) -> None:
        """Segments (n, 2, 3), cut at the sides of the picture and in short pieces."""
        a, b = segments[:, 0], segments[:, 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            enter, leave = (self.low - a) / (b - a), (self.high - a) / (b - a)
        beside = (a == b) & ((a < self.low) | (a > self.high))
        first = np.where(a == b, 0.0, np.minimum(enter, leave)).max(axis=1, initial=0.0)
        last = np.where(a == b, 1.0, np.maximum(enter, leave)).min(axis=1, initial=1.0)
        seen = (first < last) & ~beside.any(axis=1)
        way, first, last, a = (b - a)[seen], first[seen, None], last[seen, None], a[seen]
        a, b = a + first * way, a + last * way
        pieces = np.ceil(np.linalg.norm(b - a, axis=1) / (FACET * self.size)).astype(int).clip(1)
        which = np.repeat(np.arange(len(a)), pieces)
        step = np.concatenate([np.arange(n) / n for n in pieces]) if len(pieces) else np.zeros(0)
        p = a[which] + step[:, None] * (b - a)[which]
        q = p + (b - a)[which] / pieces[which, None]
        lines = (
            np.stack([p, q, q, p], axis=1) + 0.6 * FACET * self.size * self.towards_us
        )  # before the faces they bound
        self._add(lines, np.zeros((len(lines), 4)), np.broadcast_to(np.array(EDGE), (len(lines), 4)))

    def _add(self, facets: Array, fill: Array, line: Array | None = None) -> None:
        self._facets.append(facets)
        self._fill.append(fill)
        self._line.append(np.broadcast_to(np.array(CLEAR), (len(facets), 4)) if line is None else line)

    def paint(self, zorder: float) -> None:
        """Puts everything into the axes."""
        self._paint(np.concatenate(self._facets), np.concatenate(self._fill), np.concatenate(self._line), zorder)
        if self._seen:
            for facets, colours in self._shining:
                faint = colours * np.array([1.0, 1.0, 1.0, SHINES_THROUGH])
                self._paint(facets, faint, np.zeros((len(facets), 4)), zorder + 0.1)

    def _paint(self, facets: Array, fill: Array, line: Array, zorder: float) -> None:
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        collection = Poly3DCollection(
            facets, facecolors=fill, edgecolors=line, linewidths=0.7, antialiased=False, zorder=zorder
        )
        collection.set_rasterized(True)  # thousands of facets: a picture inside the svg
        self._axes.add_collection3d(collection, autolim=False)


def edges(vertices: Array, triangles: NDArray[np.int64], front: NDArray[np.bool_]) -> Array:
    """(n, 2, 3) edges of faces that face us: sharp ones, the outline, and the rims of open sheets."""
    corners = vertices[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(normal, axis=1, keepdims=True)
    normal /= np.where(size > 0.0, size, 1.0)
    pairs = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    face = np.tile(np.arange(len(triangles)), 3)
    order = np.lexsort((face, pairs[:, 1], pairs[:, 0]))
    pairs, face = pairs[order], face[order]
    same = np.all(pairs[1:] == pairs[:-1], axis=1)
    starts = np.flatnonzero(np.append(True, ~same))
    count = np.diff(np.append(starts, len(pairs)))
    a = face[starts]
    b = face[starts + np.where(count > 1, 1, 0)]
    turns = np.einsum("ij,ij->i", normal[a], normal[b]) < np.cos(SHARP)
    turns &= (size[a, 0] > 0.0) & (size[b, 0] > 0.0)  # a triangle without area has no direction
    drawn = (front[a] | front[b]) & ((count != 2) | turns | (front[a] != front[b]))
    return np.asarray(vertices[pairs[starts[drawn]]])
