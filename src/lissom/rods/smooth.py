"""Contact places on a smooth cable.

The corners of a polyline would catch on every edge they slide over. So a cable touches with the quadratic B-spline of
its points: it has the segments as tangents, touches each in its middle, and leaves the points by only κh²/8. Around
point i, from the middle of one segment (u = 0) to that of the next (u = 1),

    x(u) = ½(1−u)² x_{i−1} + (½ + u − u²) x_i + ½u² x_{i+1}                    [docs/theory/contact.md (6)]

which is the mean of the places 1 − (1−u)² of the segment before and u² of the one after.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.touching import Found
from lissom.geometry.triples import Vector, add, dot, scale, sub
from lissom.kernels import inline, kernel
from lissom.rods.chain import triple

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

# Surfaces flatter than this (1/m) are flat.
FLAT = 1e-9
# A cable that bends away from a surface by less than this part of a segment has no place of least distance.
LEAST_BEND = 1e-5
MOST_STEPS = 30
FARTHEST = 0.6
# Contacts nearer to each other than this (segments), with normals whose cosine is above this, are one.
SAME = 0.02
SAME_NORMAL = 1.0 - 1e-8


class Places(NamedTuple):
    """Where the smooth cable is nearest to what it may touch. m: place."""

    segment: Indices  # (m, 2) the place is the mean of two places of the polyline
    t: Array  # (m, 2)
    lean: Array  # (m,) u
    y: Array  # (m, 3) on the surface, m
    normal: Array  # (m, 3)
    distance: Array  # (m,) m
    curvature: Array  # (m, 3, 3) of the distance, 1/m
    along: Array  # (m, 3) dx/du, m
    bend: Array  # (m,) N·d²x/du², m
    runs: Indices  # (m,) 1 where the place can run along the cable


def new_places(room: int) -> Places:
    return Places(
        np.zeros((room, 2), np.int64), np.zeros((room, 2)), np.zeros(room), np.zeros((room, 3)), np.zeros((room, 3)),
        np.zeros(room), np.zeros((room, 3, 3)), np.zeros((room, 3)), np.zeros(room), np.zeros(room, np.int64),
    )  # fmt: skip


@inline
def at(points: Array, i: int, u: float) -> Vector:
    a = scale(0.5 * (1.0 - u) ** 2, triple(points, i - 1))
    b = scale(0.5 + u - u * u, triple(points, i))
    return add(add(a, b), scale(0.5 * u * u, triple(points, i + 1)))


@inline
def speed(points: Array, i: int, u: float) -> Vector:
    before = sub(triple(points, i), triple(points, i - 1))
    after = sub(triple(points, i + 1), triple(points, i))
    return add(scale(1.0 - u, before), scale(u, after))


@inline
def turning(points: Array, i: int) -> Vector:
    return add(sub(triple(points, i - 1), scale(2.0, triple(points, i))), triple(points, i + 1))


@kernel
def smooth_places(
    points: Array, found: Found, count: int, places: Places, stay: float = 0.0, both: bool = False
) -> int:
    """Places on the smooth cable for those found on the polyline; returns how many: up to two for each.

    Where the cable has its least distance nearby, the place runs along it and stays there; else it stays where it was.
    On something flat the points themselves touch: a cable that lies on it has its least distance anywhere, and where it
    leaves it the smooth one is above its points. On what is curved less than `stay` (1/m) places do not run: a rough
    thing holds the points of the cable. `both` asks for places that stay as well, where a cable that bends as what it
    touches makes places run and stop running by turns. Needs room for 2·count.
    """
    last = len(points) - 1
    total = 0
    for m in range(count):
        s, t = found.segment[m], found.t[m]
        i, u = (s, t + 0.5) if t < 0.5 else (s + 1, t - 0.5)
        e, h, second = bending_of(found.curvature, m)
        if i == 0 or i == last or h < FLAT:  # the outer halves of the end segments are straight
            keep(places, total, found, m, sub(triple(points, s + 1), triple(points, s)))
            total += 1
            continue
        N = triple(found.normal, m)
        d = found.distance[m]
        x = add(scale(1.0 - t, triple(points, s)), scale(t, triple(points, s + 1)))
        # what is near is a line (an edge, or the axis of a cylinder) or a point, with a roundness
        rho = 1.0 / h
        centre = sub(x, scale(rho, N))
        axis = (0.0, 0.0, 0.0)
        if second < 0.5 * h:
            axis = (N[1] * e[2] - N[2] * e[1], N[2] * e[0] - N[0] * e[2], N[0] * e[1] - N[1] * e[0])
        surface = Surface(centre, axis, rho - d)
        if h < stay:
            for k in range(s, s + 2):  # the points on both sides
                beside = (t <= 0.0 and k > s) or (t >= 1.0 and k == s)
                if not beside and 0 < k < last and not written(places, total, k, N):
                    write(places, total, k, 0.5, surface, points, False)
                    total += 1
            continue
        j, v, runs = run_along(points, i, u, surface)
        if runs:
            write(places, total, j, v, surface, points, True)
            total += 1
        if both or not runs:
            write(places, total, i, u, surface, points, False)
            total += 1
    return total


class Surface(NamedTuple):
    """What a cable is near to, as far as its distance is concerned: a rounded line or point."""

    centre: Vector  # on the line or point
    axis: Vector  # direction of the line; zero for a point
    roundness: float  # m: the surface is so far from the centre


@inline
def away(surface: Surface, x: Vector) -> tuple[Vector, float, float]:
    """(normal, distance, curvature across) at x."""
    w = sub(x, surface.centre)
    w = sub(w, scale(dot(w, surface.axis), surface.axis))
    D = math.sqrt(dot(w, w))
    return scale(1.0 / D, w), D - surface.roundness, 1.0 / D


@inline
def written(places: Places, count: int, i: int, normal: Vector) -> bool:
    """Whether there is a place at the middle of arc i, on the same side."""
    for m in range(count):
        if places.segment[m, 0] == i - 1 and places.lean[m] == 0.5 and dot(triple(places.normal, m), normal) > 0.5:
            return True
    return False


@kernel
def run_along(points: Array, i: int, u: float, surface: Surface) -> tuple[int, float, bool]:
    """The place of least distance near (i, u), by Newton's method; False if there is none.

    Not farther than about half a segment: what is near here need not be there.
    """
    last = len(points) - 1
    origin = i + u
    for _ in range(MOST_STEPS):
        n, _, h = away(surface, at(points, i, u))
        v = speed(points, i, u)
        size = dot(v, v)
        a = h * (size - dot(v, surface.axis) ** 2 - dot(v, n) ** 2) + dot(n, turning(points, i))
        if a <= LEAST_BEND * math.sqrt(size):
            return i, u, False
        change = max(-0.4, min(0.4, -dot(n, v) / a))
        u += change
        if u < 0.0:
            if i == 1:
                return i, 0.0, False
            i -= 1
            u += 1.0
        elif u > 1.0:
            if i == last - 1:
                return i, 1.0, False
            i += 1
            u -= 1.0
        if abs(i + u - origin) > FARTHEST:
            return i, u, False
        if abs(change) < 1e-12:
            return i, u, True
    return i, u, False


@inline
def bending_of(curvature: Array, m: int) -> tuple[Vector, float, float]:
    """The direction of largest curvature, the curvature there, and the other one."""
    best = 0
    size = -1.0
    for k in range(3):
        column = curvature[m, 0, k] ** 2 + curvature[m, 1, k] ** 2 + curvature[m, 2, k] ** 2
        if column > size:
            size = column
            best = k
    size = math.sqrt(max(size, 1e-300))
    e = (curvature[m, 0, best] / size, curvature[m, 1, best] / size, curvature[m, 2, best] / size)
    h = 0.0
    trace = 0.0
    for k in range(3):
        trace += curvature[m, k, k]
        for l in range(3):
            h += e[k] * curvature[m, k, l] * e[l]
    return e, h, trace - h


@inline
def keep(places: Places, m: int, found: Found, k: int, along: Vector) -> None:
    """A place as it is on the polyline."""
    places.lean[m] = 0.5
    places.distance[m] = found.distance[k]
    places.bend[m] = 0.0
    places.runs[m] = 0
    for j in range(2):
        places.segment[m, j] = found.segment[k]
        places.t[m, j] = found.t[k]
    for j in range(3):
        places.y[m, j] = found.y[k, j]
        places.normal[m, j] = found.normal[k, j]
        places.along[m, j] = along[j]
        for l in range(3):
            places.curvature[m, j, l] = found.curvature[k, j, l]


@inline
def write(places: Places, m: int, i: int, u: float, surface: Surface, points: Array, runs: bool) -> None:
    x = at(points, i, u)
    n, d, h = away(surface, x)
    v = speed(points, i, u)
    places.segment[m, 0] = i - 1
    places.segment[m, 1] = i
    places.t[m, 0] = 1.0 - (1.0 - u) ** 2
    places.t[m, 1] = u * u
    places.lean[m] = u
    places.distance[m] = d
    places.runs[m] = 1 if runs else 0
    places.bend[m] = dot(n, turning(points, i))
    for k in range(3):
        places.y[m, k] = x[k] - d * n[k]
        places.normal[m, k] = n[k]
        places.along[m, k] = v[k]
        for l in range(3):
            unit = 1.0 if k == l else 0.0
            places.curvature[m, k, l] = h * (unit - n[k] * n[l] - surface.axis[k] * surface.axis[l])


@kernel
def distinct(place: Array, gap: Array, normal: Array, runs: Flags) -> Flags:
    """Which contacts to keep: several edges on one line let places run to the same place, with the same normal."""
    kept = np.ones(len(place), np.bool_)
    for i in range(len(place)):
        for j in range(i):
            if (
                kept[i]
                and kept[j]
                and runs[i]
                and runs[j]
                and abs(place[i] - place[j]) <= SAME
                and dot(triple(normal, i), triple(normal, j)) > SAME_NORMAL
            ):
                kept[i if gap[i] >= gap[j] else j] = False
    return kept


@kernel
def whole_turn(points: Array) -> float:
    """By how much a polyline turns in all, rad."""
    total = 0.0
    for i in range(1, len(points) - 1):
        a, b = sub(triple(points, i), triple(points, i - 1)), sub(triple(points, i + 1), triple(points, i))
        size = math.sqrt(dot(a, a) * dot(b, b))
        total += math.acos(max(-1.0, min(1.0, dot(a, b) / size))) if size > 0.0 else 0.0
    return total
