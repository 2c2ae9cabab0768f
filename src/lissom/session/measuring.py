"""Distances, arc lengths and angles between two picks, live: picks on cables and parts move with them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.along import directors
from lissom.geometry.clearance import clearance
from lissom.session.messages.events import MeasureInfo
from lissom.session.messages.snapshots import MeasureValue
from lissom.session.messages.values import Pick, Vec3
from lissom.session.surfaces import surface_of

if TYPE_CHECKING:
    from lissom.session.session import Session

Array = NDArray[np.float64]
Between = tuple[Array, Array, float]
"""Two points and how far they are apart."""
FEW: Final = 64
"""Edges that bound the distance of two parts before all of them are looked at: it is measured with every frame."""


def measure_text(a: Pick, b: Pick) -> str:
    names = [k.path or k.kind for k in (a, b)]
    return (
        f"{names[0]} to {names[1]}" if names[0] != names[1] else f"along {names[0]}" if a.at is not None else names[0]
    )


def measure(session: Session, info: MeasureInfo) -> MeasureValue:
    """As things stand now. Whole cables and parts are measured from their surface, points from where they are."""
    a, b = placed(session, info.a), placed(session, info.b)
    pa, pb, distance = nearest(session, info.a, info.b, a, b)
    arc = None
    if info.a.at is not None and info.b.at is not None and info.a.path == info.b.path and both(info, "place"):
        arc = abs(info.a.at - info.b.at) * session.simulation.scene.cable(info.a.path).length
    return MeasureValue(info.number, distance, angle_between(a, b), arc, triple(pa), triple(pb))


def both(info: MeasureInfo, kind: str) -> bool:
    return info.a.kind == kind and info.b.kind == kind


class Placed:
    """A pick in the world, as it is now."""

    def __init__(self, points: Array, direction: Array | None) -> None:
        self.points = points  # (k, 3): one point, the two of an edge, or those of a cable
        self.direction = direction  # of an edge, a normal, or a tangent


def placed(session: Session, pick: Pick) -> Placed:
    simulation = session.simulation
    scene = simulation.scene
    cables = [k.name for k in scene.cables]
    if pick.path in cables:
        from lissom.session.moving import place_on

        result = simulation.cable(pick.path)
        if pick.at is None:
            return Placed(result.positions, None)
        point = int(np.argmin(np.abs(result.s - pick.at * result.length)))
        return Placed(np.array([place_on(result, pick.at)]), result.tangents[point])
    given = [pick.point] if pick.edge is None else list(pick.edge)
    points, direction = np.array(given), None
    if pick.edge is not None:
        direction = unit(points[1] - points[0])
    elif pick.normal is not None:
        direction = unit(np.array(pick.normal))
    if pick.path in [k.name for k in scene.parts]:  # said in the axes of the part: it may have moved
        position, quaternion = simulation.pose(pick.path)
        R = directors(np.array([quaternion]))[0]
        points = points @ R.T + np.array(position)
        direction = None if direction is None else R @ direction
    return Placed(points, direction)


def nearest(session: Session, first: Pick, second: Pick, a: Placed, b: Placed) -> Between:
    """The two nearest points, and their distance; of a whole part by its surface."""
    if first.kind == second.kind == "part" and (apart := between_parts(session, first.path, second.path)) is not None:
        return apart
    for pick, other, swap in ((second, a, False), (first, b, True)):
        if pick.kind == "part":
            found = to_part(session, pick.path, other.points)
            if found is not None:
                mine, its, distance = found
                distance -= radius_of(session, (first if not swap else second))
                return (its, mine, distance) if swap else (mine, its, distance)
    if first.kind == "face" or second.kind == "face":  # from the plane of the face
        face, other = (a, b) if first.kind == "face" else (b, a)
        if face.direction is not None:
            heights = (other.points - face.points[0]) @ face.direction
            k = int(np.argmin(np.abs(heights)))
            foot = other.points[k] - heights[k] * face.direction
            ends = (foot, other.points[k]) if first.kind == "face" else (other.points[k], foot)
            return *ends, abs(float(heights[k])) - radii(session, first, second)
    pa, pb = closest(a.points, b.points)
    return pa, pb, float(np.linalg.norm(pa - pb)) - radii(session, first, second)


def radii(session: Session, first: Pick, second: Pick) -> float:
    return radius_of(session, first) + radius_of(session, second)


def radius_of(session: Session, pick: Pick) -> float:
    """Of a whole cable, which is measured from its skin."""
    if pick.kind != "cable":
        return 0.0
    from lissom.scene.sections import SectionProperties

    return SectionProperties.of(session.simulation.scene.type_of(pick.path)).radius


def to_part(session: Session, name: str, points: Array) -> Between | None:
    """From points (joined by segments) to the surface of a part."""
    solid = session.simulation.solid(name)
    if solid is None:
        return None
    position, quaternion = session.simulation.pose(name)
    line = points if len(points) > 1 else np.repeat(points, 2, axis=0)
    R = np.ascontiguousarray(directors(np.array([quaternion]))[0])
    flags = np.ones(len(line), dtype=np.int64)
    distance, segment, t, y = clearance(solid, R, np.array(position), np.ascontiguousarray(line), flags)
    if segment < 0:
        return None
    mine = line[segment] if t == 0.0 else (1.0 - t) * line[segment] + t * line[segment + 1]  # a gap may follow
    return mine, np.array(y), float(distance)


def between_parts(session: Session, first: str, second: str) -> Between | None:
    """From the edges of each to the surface of the other: of two surfaces that are apart, the nearest pair of points
    has an edge or a corner in it. Round shapes have the edges they are drawn with.
    """
    parts = [session.simulation.scene.part(k) for k in (first, second)]
    stand = [(k, *session.simulation.pose(k.name)) for k in parts]
    kept: tuple[Any, Between | None] = session.apart.get((first, second), (None, None))
    if kept[0] != stand:
        there, back = (from_edges(session, a, b) for a, b in ((first, second), (second, first)))
        found = there
        if there is not None and back is not None and back[2] < there[2]:
            found = (back[1], back[0], back[2])
        session.apart[first, second] = kept = stand, found
    return kept[1]


def from_edges(session: Session, name: str, other: str) -> Between | None:
    """A few edges tell how near the parts are at most; then only those count whose box is as near to the other's."""
    edges, others = edges_of(session, name), edges_of(session, other)
    few = to_part(session, other, with_gaps(edges[:: 1 + len(edges) // FEW]))
    if few is None or not len(others):
        return None
    low, high = others.min(axis=(0, 1)), others.max(axis=(0, 1))
    between = np.maximum(low - edges.max(axis=1), edges.min(axis=1) - high).clip(min=0.0)
    near = edges[np.linalg.norm(between, axis=1) <= max(few[2], 0.0)]
    found = to_part(session, other, with_gaps(near)) if len(near) else None
    return few if found is None or few[2] <= found[2] else found


def edges_of(session: Session, name: str) -> Array:
    """(e, 2, 3) m, in the world."""
    position, quaternion = session.simulation.pose(name)
    scene = session.simulation.scene
    part = scene.part(name)
    key = (str(scene.folder), part.mesh, part.units, str(part.shape))
    if key not in session.edges:
        vertices, triangles, _ = surface_of(scene, part)
        pairs = np.unique(np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)
        session.edges[key] = vertices[pairs]
    return np.asarray(session.edges[key] @ directors(np.array([quaternion]))[0].T + np.array(position))


def with_gaps(edges: Array) -> Array:
    """(3 e, 3): both ends of every edge and nothing after it, as one line."""
    return np.concatenate([edges, np.full((len(edges), 1, 3), np.nan)], axis=1).reshape(-1, 3)


def closest(a: Array, b: Array) -> tuple[Array, Array]:
    """Of two polylines (or points): the nearest pair of points."""
    best: tuple[float, Any, Any] = (math.inf, a[0], b[0])
    for p, q in segments(a):
        for r, s in segments(b):
            x, y = between_segments(p, q, r, s)
            d = float(np.sum((x - y) ** 2))
            if d < best[0]:
                best = (d, x, y)
    return best[1], best[2]


def segments(points: Array) -> list[tuple[Array, Array]]:
    if len(points) == 1:
        return [(points[0], points[0])]
    return [(points[k], points[k + 1]) for k in range(len(points) - 1)]


def between_segments(p: Array, q: Array, r: Array, s: Array) -> tuple[Array, Array]:
    """The nearest points of two segments: along both lines first, then held to their ends."""
    u, v, w = q - p, s - r, p - r
    a, b, c, d, e = (float(k) for k in (u @ u, u @ v, v @ v, u @ w, v @ w))
    det = a * c - b * b
    t = min(max((b * e - c * d) / det, 0.0), 1.0) if det > 1e-12 * max(a * c, 1e-30) else 0.0
    k = (b * t + e) / c if c > 0.0 else 0.0
    if k < 0.0 or k > 1.0:
        k = min(max(k, 0.0), 1.0)
        t = min(max((b * k - d) / a, 0.0), 1.0) if a > 0.0 else 0.0
    return p + t * u, r + k * v


def angle_between(a: Placed, b: Placed) -> float | None:
    """rad, at most a right angle: of two directions."""
    if a.direction is None or b.direction is None:
        return None
    return math.acos(min(1.0, abs(float(a.direction @ b.direction))))


def unit(v: Array) -> Array | None:
    size = float(np.linalg.norm(v))
    return v / size if size > 0.0 else None


def triple(x: Array) -> Vec3:
    return float(x[0]), float(x[1]), float(x[2])
