"""Where two cables, or two stretches of one, come near each other.

Each local minimum of the distance between two polylines is reported once. Where two segments run nearly parallel, the
place of the minimum hangs on a hair; there each point of one is reported against the segment of the other. A tree of
boxes over the second cable, its halves, their halves and so on, finds the segments that may be near.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.nearest import all_finite, length, on_segments, row, unit
from lissom.geometry.triples import Vector, add, cross, dot, scale, sub
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

BLOCK = 4  # segments to a box: fewer make more boxes than they save
PARALLEL = 0.05  # sine of the angle below which segments are nearly parallel: points miss the minimum by L²/3000 d
SNAP = 1e-6  # of a segment: nearer to its end than this is at the end
TOGETHER = 0.05  # of a segment: reports nearer to each other than this, on both cables, are one
TOUCHES = 1e-12  # of the cutoff: nearer than this, the direction between two places has no meaning


class Pairs(NamedTuple):
    """Room for places where cable a is near cable b. m: place."""

    segment_a: Indices  # (m,)
    ta: Array  # (m,) where on the segment, 0 … 1
    segment_b: Indices  # (m,)
    tb: Array  # (m,)
    distance: Array  # (m,) between the centre lines, m
    normal: Array  # (m, 3) unit, from b to a


def new_pairs(room: int) -> Pairs:
    return Pairs(
        segment_a=np.zeros(room, np.int64), ta=np.zeros(room), segment_b=np.zeros(room, np.int64), tb=np.zeros(room),
        distance=np.zeros(room), normal=np.zeros((room, 3)),
    )  # fmt: skip


class Line(NamedTuple):
    """A cable: its points (n + 1, 3), m, and their arc lengths (n + 1,), m."""

    points: Array
    arc: Array


@kernel
def near_pairs(
    points_a: Array, arc_a: Array, points_b: Array, arc_b: Array, same: int, least_arc: float, cutoff: float,
    found: Pairs,
) -> int:  # fmt: skip
    """Fills `found` with the places where the centre lines are within `cutoff`; returns how many.

    Where `found` has less room than that, it is filled as far as it goes: make room for as many as returned, and ask
    again. points_a (n + 1, 3) and points_b (k + 1, 3), m; arc_a (n + 1,) and arc_b (k + 1,), m, the places of the
    points along their cables. same = 1: both are the same cable; then segment_a < segment_b, and places nearer to
    each other along the cable than `least_arc`, m, are left out. Cables with points that are not finite touch nothing.
    """
    a = Line(points_a, arc_a)
    b = Line(points_b, arc_b)
    if len(points_a) < 2 or len(points_b) < 2 or not all_finite(points_a) or not all_finite(points_b):
        return 0
    low, high = box_of(points_a, 0, len(points_a), cutoff)
    low_b, high_b = box_of(points_b, 0, len(points_b), 0.0)
    for k in range(3):
        if low_b[k] > high[k] or high_b[k] < low[k]:
            return 0
    box = boxes(points_b)
    leaves = len(box) // 2
    stack = np.empty(64, np.int64)
    segment = np.empty((5 * BLOCK * BLOCK, 2), np.int64)
    t = np.empty((5 * BLOCK * BLOCK, 2))
    count = 0
    before = 0  # the first place reported for the last block: places reported twice can only be later
    for i in range(0, len(points_a) - 1, BLOCK):
        begin = count
        low, high = box_of(points_a, i, min(i + BLOCK + 1, len(points_a)), cutoff)
        stack[0] = 1
        waiting = 1
        while waiting > 0:
            waiting -= 1
            node = stack[waiting]
            if misses(box, node, low, high):
                continue
            if node >= leaves:
                j = BLOCK * (node - leaves)
                for k in range(near_blocks(points_a, points_b, i, j, same, cutoff, segment, t)):
                    k_a, k_b, ta, tb = segment[k, 0], segment[k, 1], t[k, 0], t[k, 1]
                    count = place(a, b, k_a, k_b, ta, tb, same, least_arc, cutoff, found, before, count)
            else:
                stack[waiting] = 2 * node + 1
                stack[waiting + 1] = 2 * node
                waiting += 2
        before = begin
    return count


@inline
def near_blocks(
    points_a: Array, points_b: Array, i: int, j: int, same: int, cutoff: float, segment: Indices, t: Array
) -> int:
    """Fills the segments (…, 2) and places on them (…, 2) to report of the blocks from i and j on; returns how many."""
    count = 0
    for k in range(i, min(i + BLOCK, len(points_a) - 1)):
        low, high = box_of(points_a, k, k + 2, cutoff)
        for l in range(j, min(j + BLOCK, len(points_b) - 1)):
            if same == 1 and l <= k + 1:
                continue
            p, q = row(points_b, l), row(points_b, l + 1)
            x = min(p[0], q[0]) > high[0] or max(p[0], q[0]) < low[0]
            y = min(p[1], q[1]) > high[1] or max(p[1], q[1]) < low[1]
            z = min(p[2], q[2]) > high[2] or max(p[2], q[2]) < low[2]
            if x or y or z:
                continue
            ta, tb = nearest_places(points_a, points_b, k, l)
            u, v = row(points_a, k), row(points_a, k + 1)
            w = sub(add(u, scale(ta, sub(v, u))), add(p, scale(tb, sub(q, p))))
            if dot(w, w) <= cutoff * cutoff:
                count = near_segments(points_a, points_b, k, l, ta, tb, segment, t, count)
    return count


@inline
def box_of(points: Array, start: int, stop: int, more: float) -> tuple[Vector, Vector]:
    """The lowest and highest corner of the box around points start … stop, grown by `more`."""
    low = high = row(points, start)
    for i in range(start + 1, stop):
        p = row(points, i)
        low = (min(low[0], p[0]), min(low[1], p[1]), min(low[2], p[2]))
        high = (max(high[0], p[0]), max(high[1], p[1]), max(high[2], p[2]))
    return sub(low, (more, more, more)), add(high, (more, more, more))


@kernel
def boxes(points: Array) -> Array:
    """The tree of boxes (2 p, 6) over the blocks of segments, p the power of two from their number up.

    Node 1 holds all; node i has the children 2 i and 2 i + 1; block j is node p + j. Nodes of none hold nothing.
    """
    blocks = (len(points) - 2) // BLOCK + 1
    p = 1
    while p < blocks:
        p *= 2
    box = np.empty((2 * p, 6))
    for j in range(p):
        low, high = (1e300, 1e300, 1e300), (-1e300, -1e300, -1e300)
        if j < blocks:
            low, high = box_of(points, BLOCK * j, min(BLOCK * (j + 1) + 1, len(points)), 0.0)
        for k in range(3):
            box[p + j, k] = low[k]
            box[p + j, 3 + k] = high[k]
    for i in range(p - 1, 0, -1):
        for k in range(3):
            box[i, k] = min(box[2 * i, k], box[2 * i + 1, k])
            box[i, 3 + k] = max(box[2 * i, 3 + k], box[2 * i + 1, 3 + k])
    return box


@inline
def misses(box: Array, node: int, low: Vector, high: Vector) -> bool:
    x = box[node, 0] > high[0] or box[node, 3] < low[0]
    y = box[node, 1] > high[1] or box[node, 4] < low[1]
    z = box[node, 2] > high[2] or box[node, 5] < low[2]
    return bool(x or y or z)


@inline
def snapped(t: float) -> float:
    """t, or the end it is at."""
    if abs(t) < SNAP:
        return 0.0
    return 1.0 if abs(t - 1.0) < SNAP else t


@inline
def nearest_places(a: Array, b: Array, i: int, j: int) -> tuple[float, float]:
    """(ta, tb) of the nearest places of segments i and j."""
    p, q = row(a, i), row(b, j)
    ta, tb = on_segments(p, sub(row(a, i + 1), p), q, sub(row(b, j + 1), q))
    return snapped(ta), snapped(tb)


@inline
def is_minimum(a: Array, b: Array, i: int, j: int, ta: float, tb: float) -> bool:
    """Whether the nearest places of segments i and j are a local minimum of the two cables, and these report it.

    A minimum at a point of a cable is shared by two segments: both must find it there. The later one reports it.
    """
    if (ta == 1.0 and i < len(a) - 2) or (tb == 1.0 and j < len(b) - 2):
        return False
    back_a = ta == 0.0 and i > 0
    back_b = tb == 0.0 and j > 0
    if back_a:
        t, _ = nearest_places(a, b, i - 1, j)
        if t < 1.0:
            return False
    if back_b:
        _, u = nearest_places(a, b, i, j - 1)
        if u < 1.0:
            return False
    if back_a and back_b:
        t, u = nearest_places(a, b, i - 1, j - 1)
        return t == 1.0 and u == 1.0
    return True


@inline
def near_segments(
    a: Array, b: Array, i: int, j: int, ta: float, tb: float, segment: Indices, t: Array, count: int
) -> int:
    """Adds what is to be reported of segments i and j, whose nearest places are ta and tb; returns the new count."""
    p, q = row(a, i), row(b, j)
    s, e = sub(row(a, i + 1), p), sub(row(b, j + 1), q)
    c = cross(s, e)
    ss, ee = dot(s, s), dot(e, e)
    beside = ss * ee > 0.0 and dot(c, c) <= PARALLEL * PARALLEL * ss * ee
    at_points = (ta == 0.0 or ta == 1.0) and (tb == 0.0 or tb == 1.0)
    if (not beside or at_points) and is_minimum(a, b, i, j, ta, tb):
        count = listed(segment, t, count, i, j, ta, tb)
    if beside:
        for k in range(2):
            foot = snapped(dot(sub(row(a, i + k), q), e) / ee)
            if 0.0 <= foot <= 1.0:
                count = listed(segment, t, count, i, j, float(k), foot)
        for k in range(2):
            foot = snapped(dot(sub(row(b, j + k), p), s) / ss)
            if 0.0 <= foot <= 1.0:
                count = listed(segment, t, count, i, j, foot, float(k))
    return count


@inline
def listed(segment: Indices, t: Array, count: int, i: int, j: int, ta: float, tb: float) -> int:
    segment[count, 0] = i
    segment[count, 1] = j
    t[count, 0] = ta
    t[count, 1] = tb
    return count + 1


@kernel
def place(
    a: Line, b: Line, i: int, j: int, ta: float, tb: float, same: int, least_arc: float, cutoff: float, found: Pairs,
    before: int, count: int,
) -> int:  # fmt: skip
    """Adds one place, unless it is too far, too near along the cable, or reported already; returns the new count."""
    if ta == 1.0 and i < len(a.arc) - 2:
        i, ta = i + 1, 0.0
    if tb == 1.0 and j < len(b.arc) - 2:
        j, tb = j + 1, 0.0
    step_a, step_b = a.arc[i + 1] - a.arc[i], b.arc[j + 1] - b.arc[j]
    at_a, at_b = a.arc[i] + ta * step_a, b.arc[j] + tb * step_b
    p, q = row(a.points, i), row(b.points, j)
    s, e = sub(row(a.points, i + 1), p), sub(row(b.points, j + 1), q)
    w = sub(add(p, scale(ta, s)), add(q, scale(tb, e)))
    d = length(w)
    if d > cutoff or (same == 1 and abs(at_a - at_b) < least_arc):
        return count
    for m in range(before, min(count, len(found.ta))):
        k, l = found.segment_a[m], found.segment_b[m]
        other_a = a.arc[k] + found.ta[m] * (a.arc[k + 1] - a.arc[k])
        other_b = b.arc[l] + found.tb[m] * (b.arc[l + 1] - b.arc[l])
        if abs(at_a - other_a) <= TOGETHER * step_a and abs(at_b - other_b) <= TOGETHER * step_b:
            return count
    if count < len(found.ta):
        n = scale(1.0 / d, w) if d > TOUCHES * cutoff else across(s, e)
        found.segment_a[count] = i
        found.ta[count] = ta
        found.segment_b[count] = j
        found.tb[count] = tb
        found.distance[count] = d
        for k in range(3):
            found.normal[count, k] = n[k]
    return count + 1


@inline
def across(s: Vector, e: Vector) -> Vector:
    """A unit vector at right angles to both; where they are parallel, to s and one of the axes."""
    c = unit(cross(s, e))
    if dot(c, c) == 0.0:
        c = unit(cross(s, (1.0, 0.0, 0.0) if abs(s[0]) <= min(abs(s[1]), abs(s[2])) else (0.0, 0.0, 1.0)))
    if dot(c, c) == 0.0:
        c = unit(cross(s, (0.0, 1.0, 0.0)))
    return c


@kernel
def apart(a: Array, b: Array, least: float, same: int, room_a: Array, room_b: Array) -> None:
    """Lowers the rooms (points,) of two polylines to half the distance of each point from the points of the other.

    With `same` they are one, and points nearer to each other along it than `least`, m, do not count.
    """
    for i in range(len(a)):
        p = row(a, i)
        along = 0.0
        for j in range(i + 1 if same == 1 else 0, len(b)):
            d = length(sub(p, row(b, j)))
            if same == 1:
                along += length(sub(row(b, j), row(b, j - 1)))
                if along < least:
                    continue
            room_a[i] = min(room_a[i], 0.5 * d)
            room_b[j] = min(room_b[j], 0.5 * d)


@kernel
def between_points(points: Array, room: Array) -> Array:
    """The room of each point if the segments next to it are to have it too: (d + d₊ − h)/2 is the least along one."""
    found = room.copy()
    for i in range(len(points) - 1):
        least = 0.5 * (room[i] + room[i + 1] - length(sub(row(points, i + 1), row(points, i))))
        found[i] = min(found[i], least)
        found[i + 1] = min(found[i + 1], least)
    return found
