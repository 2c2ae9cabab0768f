"""Signed distance to parts, in their own axes: negative inside."""

from pathlib import Path

import numpy as np

from tests.truth.asked import Data
from tests.truth.turning import Array

SCALES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254}


def distance(part: Data, x: Array) -> Array:
    """(k,) of the points (k, 3), m."""
    if part.get("mesh"):
        return to_mesh(triangles(Path(part["mesh"]), part.get("units") or "m"), x)
    shape = part["shape"]
    radius = shape.get("radius") or 0.5 * (shape.get("diameter") or 0.0)
    match shape["kind"]:
        case "plane":
            return np.array(x[:, 2])
        case "sphere":
            return np.asarray(np.linalg.norm(x, axis=1) - radius)
        case "capsule":
            axial = np.maximum(np.abs(x[:, 2]) - 0.5 * shape["length"], 0.0)
            return np.asarray(np.sqrt(x[:, 0] ** 2 + x[:, 1] ** 2 + axial**2) - radius)
        case "cylinder":
            return rounded(np.hypot(x[:, 0], x[:, 1]) - radius, np.abs(x[:, 2]) - 0.5 * shape["length"])
        case "box":
            q = np.abs(x) - 0.5 * np.array(shape["size"])
            outside = np.linalg.norm(np.maximum(q, 0.0), axis=1)
            return np.asarray(outside + np.minimum(np.max(q, axis=1), 0.0))
        case "profile":
            return rounded(
                to_polygon(np.array(shape["points"], dtype=float), x), np.abs(x[:, 2]) - 0.5 * shape["length"]
            )
    raise ValueError(f"no distance to a {shape['kind']}")


def rounded(across: Array, along: Array) -> Array:
    """Of an extruded shape, from the distances across and along it."""
    outside = np.hypot(np.maximum(across, 0.0), np.maximum(along, 0.0))
    return np.asarray(outside + np.minimum(np.maximum(across, along), 0.0))


def to_polygon(corners: Array, x: Array) -> Array:
    """In the x-y plane."""
    a, b = corners, np.roll(corners, -1, axis=0)
    p = x[:, None, :2]
    edge = b - a
    t = np.clip(np.sum((p - a) * edge, axis=2) / np.sum(edge**2, axis=1), 0.0, 1.0)
    far = np.min(np.linalg.norm(p - a - t[..., None] * edge, axis=2), axis=1)
    y = p[..., 1]
    crosses = (a[:, 1] > y) != (b[:, 1] > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = a[:, 0] + (y - a[:, 1]) / (b[:, 1] - a[:, 1]) * edge[:, 0]
    inside = np.sum(crosses & (p[..., 0] < at), axis=1) % 2 == 1
    return np.asarray(np.where(inside, -far, far))


def triangles(file: Path, units: str) -> Array:
    """(k, 3, 3) of an STL file in text form, m."""
    words = [line.split()[1:] for line in file.read_text().splitlines() if line.strip().startswith("vertex")]
    return np.array(words, dtype=float).reshape(-1, 3, 3) * SCALES[units]


def to_mesh(faces: Array, x: Array) -> Array:
    """Of a closed mesh: brute force, inside where it is seen under the full solid angle."""
    a, b, c = (faces[:, k] - x[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(k, axis=2) for k in (a, b, c))
    above = np.sum(a * np.cross(b, c), axis=2)
    below = la * lb * lc + np.sum(a * b, axis=2) * lc + np.sum(b * c, axis=2) * la + np.sum(c * a, axis=2) * lb
    winding = np.sum(2.0 * np.arctan2(above, below), axis=1) / (4.0 * np.pi)
    far = np.min(to_triangles(faces, x), axis=1)
    return np.asarray(np.where(np.abs(winding) > 0.5, -far, far))


def to_triangles(faces: Array, x: Array) -> Array:
    """(points, triangles) unsigned."""
    p = x[:, None]
    a, b, c = faces[:, 0], faces[:, 1], faces[:, 2]
    best = np.full((len(x), len(faces)), np.inf)
    normal = np.cross(b - a, c - a)
    inside = np.ones(best.shape, dtype=bool)
    for u, v in ((a, b), (b, c), (c, a)):
        edge = v - u
        t = np.clip(np.sum((p - u) * edge, axis=2) / np.sum(edge**2, axis=1), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(p - u - t[..., None] * edge, axis=2))
        inside &= np.sum(np.cross(edge, normal) * (p - u), axis=2) <= 0.0
    flat = np.abs(np.sum((p - a) * normal, axis=2)) / np.linalg.norm(normal, axis=1)
    return np.where(inside, flat, best)
