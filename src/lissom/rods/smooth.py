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

from lissom.geometry.clearance import signed_distance
from lissom.geometry.lookup import Stack, closest, new_stack
from lissom.geometry.nearest import length
from lissom.geometry.primitives import around, curvature, field, square
from lissom.geometry.solids import MESH, Solid
from lissom.geometry.touching import Found, local, nearest_place, pose
from lissom.geometry.triples import Matrix, Vector, add, apply, dot, full, matmul, scale, sub, transposed
from lissom.kernels import inline, kernel
from lissom.rods.chain import triple
from lissom.rods.contacts import Rows

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
# Contacts of one segment with one part that are looked at in a step.
MOST_OF_ONE = 8
# A contact on a mesh is within this part of a segment of its surface.
ON_SURFACE = 1e-6
# How finely a cable is looked at for what dips into things, per segment.
SAMPLES = 16


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
    solid: Solid, rotation: Array, origin: Array, points: Array, found: Found, count: int, places: Places,
    stay: float = 0.0, both: bool = False,
) -> int:  # fmt: skip
    """Places on the smooth cable for those found on the polyline; returns how many: up to two for each.

    Where the cable has its least distance nearby, the place runs along it and stays there; else it stays where it was.
    On something flat the points themselves touch: a cable that lies on it has its least distance anywhere, and where it
    leaves it the smooth one is above its points. On what is curved less than `stay` (1/m) places do not run: a rough
    thing holds the points of the cable. `both` asks for places that stay as well, where a cable that bends as what it
    touches makes places run and stop running by turns. Needs room for 2·count.
    """
    last = len(points) - 1
    thing = Thing(solid, pose(rotation), (origin[0], origin[1], origin[2]))
    stack = new_stack()
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
        # what is near of a mesh is a line (an edge) or a point, with a roundness
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
                    total += put(places, total, k + 0.5, thing, surface, points, False, stack)
            continue
        p, runs = run_along(points, i + u, thing, surface)
        if runs:
            runs = put(places, total, p, thing, surface, points, True, stack) == 1
            total += runs
        if both or not runs:
            total += put(places, total, i + u, thing, surface, points, False, stack)
    return total


class Thing(NamedTuple):
    """What a cable is near to, where it stands."""

    solid: Solid
    rotation: Matrix
    origin: Vector


class Surface(NamedTuple):
    """A piece of a mesh, as far as the distance is concerned: a rounded line or point."""

    centre: Vector  # on the line or point
    axis: Vector  # direction of the line; zero for a point
    roundness: float  # m: the surface is so far from the centre


@inline
def away(thing: Thing, surface: Surface, x: Vector) -> tuple[Vector, float, Matrix]:
    """(normal, distance, curvature) at x: of simple solids the true ones, of a mesh those of the piece."""
    if thing.solid.kind != MESH:
        p = local(thing.rotation, thing.origin, x)
        d, n, part = field(thing.solid.kind, thing.solid.size, p)
        h = full(curvature(thing.solid.kind, thing.solid.size, p, d, n, part))
        R = thing.rotation
        return apply(R, n), d, matmul(matmul(R, h), transposed(R))
    w = sub(x, surface.centre)
    w = sub(w, scale(dot(w, surface.axis), surface.axis))
    D = math.sqrt(dot(w, w))
    n = scale(1.0 / D, w)
    g, a = around(n, 1.0 / D), square(surface.axis, 1.0 / D)
    return (
        n,
        D - surface.roundness,
        full((g[0] - a[0], g[1] - a[1], g[2] - a[2], g[3] - a[3], g[4] - a[4], g[5] - a[5])),
    )


@inline
def written(places: Places, count: int, i: int, normal: Vector) -> bool:
    """Whether there is a place at the middle of arc i, on the same side."""
    for m in range(count):
        if places.segment[m, 0] == i - 1 and places.lean[m] == 0.5 and dot(triple(places.normal, m), normal) > 0.5:
            return True
    return False


@kernel
def run_along(points: Array, origin: float, thing: Thing, surface: Surface) -> tuple[float, bool]:
    """The place i + u of least distance near another, by Newton's method between places known to be on either side.

    False if there is none, or none within about half a segment: what is near here need not be there.
    """
    low, high = max(1.0, origin - FARTHEST), min(len(points) - 1.0, origin + FARTHEST)
    least, most = low, high
    p = origin
    for _ in range(MOST_STEPS):
        i = min(int(p), len(points) - 2)
        u = p - i
        n, _, H = away(thing, surface, at(points, i, u))
        v = speed(points, i, u)
        slope = dot(n, v)
        a = dot(v, apply(H, v)) + dot(n, turning(points, i))
        if a <= LEAST_BEND * math.sqrt(dot(v, v)):
            return p, False
        if slope < 0.0:
            low = p
        else:
            high = p
        change = max(-0.4, min(0.4, -slope / a))
        if not low <= p + change <= high:
            if (p + change < low and low == least) or (p + change > high and high == most):
                return p, False  # it leads out of what may be looked at
            change = 0.5 * (low + high) - p
        p += change
        if abs(change) < 1e-12:
            return p, True
    return p, False


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


@kernel
def put(
    places: Places, m: int, p: float, thing: Thing, surface: Surface, points: Array, runs: bool, stack: Stack
) -> int:
    """Writes the place p = i + u; returns 1, or 0 where a mesh has nothing there to touch.

    A piece of a mesh may end before the place where the cable would be nearest to it. A place that stays then has what
    the mesh has instead; one that runs is none.
    """
    i = min(int(p), len(points) - 2)
    x = at(points, i, p - i)
    n, d, H = away(thing, surface, x)
    if thing.solid.kind == MESH:
        size = length(speed(points, i, p - i))
        y = local(thing.rotation, thing.origin, sub(x, scale(d, n)))
        _, triangle, _, _ = closest(thing.solid.tree, y, (ON_SURFACE * size) ** 2, stack)
        if triangle < 0:
            if runs:
                return 0
            there, d, n, H = nearest_place(thing.solid, thing.rotation, thing.origin, x, abs(d) + size, stack)
            if not there:
                return 0
    write(places, m, p, points, x, n, d, H, runs)
    return 1


@inline
def write(
    places: Places, m: int, p: float, points: Array, x: Vector, n: Vector, d: float, H: Matrix, runs: bool
) -> None:
    """The place p = i + u; before the middle of the first segment and after that of the last the cable is straight."""
    last = len(points) - 1
    if p < 1.0 or p > last:
        s = 0 if p < 1.0 else last - 1
        v = sub(triple(points, s + 1), triple(points, s))
        places.bend[m] = 0.0
        places.lean[m] = 0.5
        for k in range(2):
            places.segment[m, k] = s
            places.t[m, k] = p - 0.5 - s
    else:
        i = min(int(p), last - 1)
        u = p - i
        v = speed(points, i, u)
        places.bend[m] = dot(n, turning(points, i))
        places.lean[m] = u
        places.segment[m, 0] = i - 1
        places.segment[m, 1] = i
        places.t[m, 0] = 1.0 - (1.0 - u) ** 2
        places.t[m, 1] = u * u
    places.distance[m] = d
    places.runs[m] = 1 if runs else 0
    for k in range(3):
        places.y[m, k] = x[k] - d * n[k]
        places.normal[m, k] = n[k]
        places.along[m, k] = v[k]
        for l in range(3):
            places.curvature[m, k, l] = H[3 * k + l]


@inline
def on_cable(points: Array, p: float) -> Vector:
    """The place i + u of the smooth cable; from ½, its start, to its end."""
    last = len(points) - 1
    if p < 1.0 or p > last:
        s = 0 if p < 1.0 else last - 1
        return add(triple(points, s), scale(p - 0.5 - s, sub(triple(points, s + 1), triple(points, s))))
    i = min(int(p), last - 1)
    return at(points, i, p - i)


@kernel
def watched_places(
    solid: Solid, rotation: Array, origin: Array, points: Array, where: Array, cutoff: float, places: Places, total: int
) -> int:
    """Adds places i + u that stay, with what is nearest there within `cutoff`; returns how many there are then."""
    R, o, stack = pose(rotation), (origin[0], origin[1], origin[2]), new_stack()
    for k in range(len(where)):
        x = on_cable(points, where[k])
        there, d, n, H = nearest_place(solid, R, o, x, cutoff, stack)
        if there:
            write(places, total, where[k], points, x, n, d, H, False)
            total += 1
    return total


class Dip(NamedTuple):
    """Places of a smooth cable that are deeper in a part than they may be. k: place."""

    link: int
    part: int
    where: Array  # (k,) i + u
    depth: Array  # (k,) m


@kernel
def dips(
    solid: Solid, rotation: Array, origin: Array, points: Array, allowed: Array, radius: float
) -> tuple[Array, Array]:
    """(places i + u, depths in m) where the smooth cable is locally deepest beyond what is allowed.

    `allowed` (samples,) m, SAMPLES to a segment from the start on; −1 where nothing is asked. What is nearest is looked
    up anew at every sample, except where the one before is so far away that it cannot matter.
    """
    R, o, stack = pose(rotation), (origin[0], origin[1], origin[2]), new_stack()
    count = len(allowed)
    step = 0.0
    for i in range(len(points) - 1):
        step = max(step, length(sub(triple(points, i + 1), triple(points, i))) / SAMPLES)
    d = np.full(count, np.inf)
    reach, last = np.inf, (0.0, 0.0, 0.0)
    k = 0
    while k < count:
        ahead = 1
        if allowed[k] >= 0.0:
            x = on_cable(points, 0.5 + k / SAMPLES)
            d[k] = signed_distance(solid, local(R, o, x), reach + length(sub(x, last)), stack)
            reach, last = abs(d[k]), x
            ahead = max(1, int((d[k] - radius) / step))
        k += ahead
    where, depth = np.empty(count), np.empty(count)
    found = 0
    for k in range(count):
        here = d[k] + allowed[k]
        before = d[max(k - 1, 0)] + allowed[max(k - 1, 0)]
        after = d[min(k + 1, count - 1)] + allowed[min(k + 1, count - 1)]
        if not here < np.inf or (k > 0 and before <= here) or after < here:
            continue
        p, low = 0.5 + k / SAMPLES, d[k]
        bend = before - 2.0 * here + after
        if 0 < k < count - 1 and 0.0 < bend < np.inf:
            q = p + 0.5 * (before - after) / (bend * SAMPLES)
            there = signed_distance(solid, local(R, o, on_cable(points, q)), abs(low) + step, stack)
            if there < low:
                p, low = q, there
        if low < radius - allowed[k]:
            where[found], depth[found] = p, radius - low
            found += 1
    return where[:found], depth[:found]


@kernel
def as_contacts(places: Places, count: int, plain: int, link: int, part: int, radius: float, rows: Rows) -> int:
    """Fills rows with the contacts at the first `count` places; returns how many it keeps. From `plain` on: watched."""
    kept = nearest_of_each(places, distinct(places, count, radius), radius)
    c = 0
    for m in range(count):
        if not kept[m]:
            continue
        row = rows[c]
        c += 1
        row.link, row.part, row.watched = link, part, m >= plain
        row.lean, row.bend, row.inside = places.lean[m], places.bend[m], places.runs[m] == 1
        row.gap = places.distance[m] - radius
        row.distance = places.distance[m] if radius > 0.0 else np.inf
        for k in range(2):
            row.segment[k], row.t[k] = places.segment[m, k], places.t[m, k]
        for k in range(3):
            row.point[k], row.normal[k], row.along[k] = places.y[m, k], places.normal[m, k], places.along[m, k]
            for l in range(3):
                row.curvature[k, l] = places.curvature[m, k, l]
    return c


@inline
def along_cable(places: Places, m: int) -> float:
    """Where a place is along the cable, in segments."""
    return float(0.5 * (places.segment[m, 0] + places.segment[m, 1] + places.t[m, 0] + places.t[m, 1]))


@kernel
def distinct(places: Places, count: int, radius: float) -> Flags:
    """Which places to keep: several edges on one line let places run to the same place, with the same normal."""
    kept = np.ones(count, np.bool_)
    for i in range(count):
        for j in range(i):
            if (
                kept[i]
                and kept[j]
                and places.runs[i] == 1
                and places.runs[j] == 1
                and abs(along_cable(places, i) - along_cable(places, j)) <= SAME
                and dot(triple(places.normal, i), triple(places.normal, j)) > SAME_NORMAL
            ):
                kept[i if places.distance[i] - radius >= places.distance[j] - radius else j] = False
    return kept


@kernel
def nearest_of_each(places: Places, kept: Flags, radius: float) -> Flags:
    """Of those kept the MOST_OF_ONE nearest of each segment: deep in a fine mesh every triangle is one."""
    count = 0
    most = 0
    for m in range(len(kept)):
        if kept[m]:
            count += 1
            most = max(most, places.segment[m, 0])
    if count <= MOST_OF_ONE:
        return kept
    gap = np.empty(len(kept))
    for m in range(len(kept)):
        gap[m] = places.distance[m] - radius
    number = np.zeros(most + 1, np.int64)
    for m in np.argsort(gap, kind="mergesort"):
        if kept[m]:
            s = places.segment[m, 0]
            number[s] += 1
            kept[m] = number[s] <= MOST_OF_ONE
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
