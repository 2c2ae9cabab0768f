"""Where cables, or two stretches of one, come near each other: places on smooth cables [spline.py].

Along cable a, f(w) = min over v of |x(w) − y(v)| is how far cable b is: the floor of a valley. Its slope is N·x'(w), N
from the foot v to w. It is looked at from every point of a: a sign change of the slope between two points brackets a
minimum, which is reported once, at its own place. Every overlap holds such a minimum. Where the cables run side by side
the floor is flat and the place of its minimum hangs on a hair: there the points of a where it is level are reported
instead, each with its foot on b. Between two of them the floor may be lower, a *dip*: those that matter are pinned,
places of a that are reported from then on as its points are.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.nearest import all_finite, length, row, unit
from lissom.geometry.spline import arc_of, around, foot_near, foot_on, side
from lissom.geometry.triples import Vector, cross, dot, scale, sub
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

BLOCK = 4  # arcs to a box
MOST_FEET = 12  # of one point on one cable, within the cutoff
# The floor is level at a point if it rises by less than this over a segment, in units of the radii: else the next is
# lower, and the point need not be told, unless it is deeper than this.
LEVEL = 0.03
DEEP = 0.02
# A floor that curves by less than this (of the radii, over a segment squared) has no minimum worth a place; one that
# had a minimum when last looked at keeps it down to the second value: what comes and goes at each step never settles.
FLAT = 0.05
STILL_CURVED = 0.03
# unless they cross at an angle of which the sine squared is more than this.
ACROSS = 0.25
# Points nearer than this (segments) to a minimum are above it and not told: as hinges they would tilt the floor to and
# fro, and its minimum with it.
SHADOW = 1.0
# Where dips are looked for: between two points the floor may rise and fall.
DIP_STEPS = 4
# A minimum is found when its bracket, or a step, is below this (segments).
SETTLED = 1e-11
MOST_STEPS = 60
# Of the sum of the radii: nearer than this, the direction between two places has no meaning.
TOUCHES = 1e-12


class Lines(NamedTuple):
    """Cables: their points one after another."""

    points: Array  # (all, 3) m
    arc: Array  # (all,) m: the places of the points along their cables
    first: Indices  # (cables + 1,) where each begins
    radius: Array  # (cables,) m
    least: Array  # (cables,) m: two places of one cable nearer to each other along it do not touch
    touch: Indices  # (k,) those that touch cables
    turns: Indices  # (cables,) 1 where it turns enough to meet itself
    had: Indices  # (all,) 1 where a minimum was reported just before the point at a look before, of this solve
    has: Indices  # (all,) the same of this look
    pin_cable: Indices  # (p, 2) cables a ≤ b of the pins
    pin_place: Array  # (p, 2) w, and v when it was last looked for


class Pairs(NamedTuple):
    """Room for places where cable a is near cable b, a ≤ b. m: place; the second index is 0 on a, 1 on b."""

    cable: Indices  # (m, 2)
    place: Array  # (m, 2) w
    runs: Indices  # (m, 2) 1 where the place is nearest along this cable, and runs along it
    segment: Indices  # (m, 2, 2) the place is the mean of two places of the polyline
    t: Array  # (m, 2, 2)
    lean: Array  # (m, 2) how its motion along the cable is shared between the two
    along: Array  # (m, 2, 3) x' and y', m
    bend: Array  # (m, 2) N·x'' and −N·y'', m
    distance: Array  # (m,) between the centre lines, m
    normal: Array  # (m, 3) unit, from b to a
    point: Array  # (m, 3) on the centre line of b, m
    shadowed: Indices  # (m,) for use within


def new_pairs(room: int) -> Pairs:
    index, pair = (room, 2), (room, 2, 2)
    return Pairs(
        np.zeros(index, np.int64), np.zeros(index), np.zeros(index, np.int64), np.zeros(pair, np.int64), np.zeros(pair),
        np.zeros(index), np.zeros((room, 2, 3)), np.zeros(index), np.zeros(room), np.zeros((room, 3)),
        np.zeros((room, 3)), np.zeros(room, np.int64),
    )  # fmt: skip


Ends = tuple[float, float, float, float, float, float]  # two places w, their feet v, and the slopes there: < 0, ≥ 0


class Feet(NamedTuple):
    """Feet of a point of a on cable b."""

    place: Array  # (MOST_FEET,) v
    slope: Array  # (MOST_FEET,) of the floor


@kernel
def near_pairs(lines: Lines, beyond: float, dips: bool, found: Pairs) -> int:
    """Fills `found` with the places where the skins are within `beyond` (m) of each other; returns how many.

    Where `found` has less room than that, it is filled as far as it goes: make room for as many as returned, and ask
    again. Cables with points that are not finite touch nothing. With `dips` all minima are told and nothing else, those
    between two places of DIP_STEPS to a segment.
    """
    if not all_finite(lines.points):
        return 0
    cables = len(lines.radius)
    if not dips:
        for i in range(len(lines.has)):
            lines.had[i], lines.has[i] = max(lines.had[i], lines.has[i]), 0
    start = np.zeros(cables + 1, np.int64)  # of the boxes
    for c in range(cables):
        start[c + 1] = start[c] + (lines.first[c + 1] - lines.first[c] - 1) // BLOCK + 1
    box = np.empty((start[cables], 6))
    whole = np.empty((cables, 6))
    step = np.zeros(cables)  # the longest segment
    for c in lines.touch:
        fill_boxes(lines, c, box, start[c], start[c + 1], whole)
        for i in range(lines.first[c], lines.first[c + 1] - 1):
            step[c] = max(step[c], length(sub(row(lines.points, i + 1), row(lines.points, i))))
    near = np.empty(max(1, start[cables]), np.int64)
    old, new = Feet(np.empty(MOST_FEET), np.empty(MOST_FEET)), Feet(np.empty(MOST_FEET), np.empty(MOST_FEET))
    count = 0
    for k in range(len(lines.touch)):
        for l in range(k, len(lines.touch)):
            a, b = lines.touch[k], lines.touch[l]
            if a == b and lines.turns[a] == 0:
                continue
            cutoff = lines.radius[a] + lines.radius[b] + beyond
            far = cutoff + step[a]
            if apart(whole, a, whole, b, far):
                continue
            count = of_pair(lines, a, b, cutoff, far, dips, box, start, near, old, new, found, count)
    return count


@inline
def fill_boxes(lines: Lines, c: int, box: Array, start: int, stop: int, whole: Array) -> None:
    """Boxes around the arcs of a cable, BLOCK by BLOCK, and around all of them."""
    first, last = lines.first[c], lines.first[c + 1] - 1
    for k in range(3):
        whole[c, k], whole[c, 3 + k] = 1e300, -1e300
    for m in range(stop - start):
        i = first + BLOCK * m
        for k in range(3):
            low, high = 1e300, -1e300
            for j in range(max(first, i - 1), min(last, i + BLOCK) + 1):
                low, high = min(low, lines.points[j, k]), max(high, lines.points[j, k])
            box[start + m, k], box[start + m, 3 + k] = low, high
            whole[c, k], whole[c, 3 + k] = min(whole[c, k], low), max(whole[c, 3 + k], high)


@inline
def apart(one: Array, i: int, other: Array, j: int, by: float) -> bool:
    x = other[j, 0] > one[i, 3] + by or one[i, 0] > other[j, 3] + by
    y = other[j, 1] > one[i, 4] + by or one[i, 1] > other[j, 4] + by
    z = other[j, 2] > one[i, 5] + by or one[i, 2] > other[j, 5] + by
    return bool(x or y or z)


@kernel
def of_pair(
    lines: Lines, a: int, b: int, cutoff: float, far: float, dips: bool, box: Array, start: Indices, near: Indices,
    old: Feet, new: Feet, found: Pairs, count: int,
) -> int:  # fmt: skip
    """Adds the places of one pair; returns the new count."""
    first, n = lines.first[a], lines.first[a + 1] - lines.first[a] - 1
    other, m = lines.first[b], lines.first[b + 1] - lines.first[b] - 1
    # feet of neighbouring points that are farther apart than this are on different stretches of b
    stride = 1.0 + 2.0 * (lines.arc[first + n] / n) / (lines.arc[other + m] / m)
    before, begin = 0, count
    last_place, steps = 0.0, DIP_STEPS if dips else 1
    for block in range(start[a], start[a + 1]):
        blocks = 0
        for j in range(start[b], start[b + 1]):
            if not apart(box, block, box, j, far) and (a != b or j >= block):
                near[blocks] = j
                blocks += 1
        if blocks == 0:
            before = 0
            continue
        i_first = BLOCK * (block - start[a])
        for step in range(steps * i_first, min(steps * (i_first + BLOCK), steps * n + 1)):
            w = step / steps
            x, along, _ = around(lines.points, first, n, arc_of(w, n), w)
            feet = 0
            for k in range(blocks):
                j_first = BLOCK * (near[k] - start[b])
                j_last = min(j_first + BLOCK, m + 1)
                if a == b:
                    j_first = max(j_first, int(w) + 2)
                if j_first >= j_last:
                    continue
                left = side(lines.points, other, m, j_first, x)
                for j in range(j_first, j_last):
                    right = side(lines.points, other, m, j + 1, x)
                    v = -1.0
                    if left < 0.0 and right >= 0.0:
                        v = foot_on(lines.points, other, m, j, x, left, right)
                    elif j == 0 and left >= 0.0:
                        v = 0.0
                    elif j == m and right < 0.0:
                        v = float(m)
                    left = right
                    if v < 0.0:
                        continue
                    y, _, _ = around(lines.points, other, m, arc_of(v, m), v)
                    d = sub(x, y)
                    if dot(d, d) <= far * far and feet < MOST_FEET:
                        new.place[feet] = v
                        new.slope[feet] = dot(d, along)
                        feet += 1
            for k in range(feet):
                nearest = -1
                for l in range(before):
                    away = abs(old.place[l] - new.place[k])
                    if away <= stride and (nearest < 0 or away < abs(old.place[nearest] - new.place[k])):
                        nearest = l
                if nearest >= 0 and old.slope[nearest] < 0.0 and new.slope[k] >= 0.0:
                    ends = (last_place, w, old.place[nearest], new.place[k], old.slope[nearest], new.slope[k])
                    count = at_minimum(lines, a, b, ends, cutoff, dips, found, count)
                if not dips:
                    count = at_point(lines, a, b, step, new.place[k], new.slope[k], cutoff, found, count)
            for k in range(feet):
                old.place[k], old.slope[k] = new.place[k], new.slope[k]
            before = feet
            last_place = w
    if not dips:
        count = at_pins(lines, a, b, cutoff, found, count)
    return without_shadowed(lines, a, b, begin, count, stride, found) if count <= len(found.distance) else count


@inline
def at_minimum(
    lines: Lines, a: int, b: int, ends: Ends, cutoff: float, dips: bool, found: Pairs, count: int
) -> int:  # fmt: skip
    """Adds the minimum between two places of a, if it counts; returns the new count."""
    w, v, curve = lowest(lines, a, b, ends)
    if dips:
        return count + put(lines, a, b, w, v, False, count, found, cutoff)
    n, i = lines.first[a + 1] - lines.first[a] - 1, int(ends[1])
    point = lines.first[a] + i
    known = lines.had[point] + lines.had[point - 1] + (lines.had[point + 1] if i < n else 0)
    if curve > (FLAT if known == 0 else STILL_CURVED):
        lines.has[point] = 1
        count += put(lines, a, b, w, v, True, count, found, cutoff)
    return count


@inline
def at_point(
    lines: Lines, a: int, b: int, i: int, v: float, slope: float, cutoff: float, found: Pairs, count: int
) -> int:  # fmt: skip
    """Adds point i of a, whose foot on b is v, if it counts; returns the new count."""
    n = lines.first[a + 1] - lines.first[a] - 1
    tip = (i == 0 and slope >= 0.0) or (i == n and slope <= 0.0)
    deep, level = sort_of(lines, a, b, i, v, slope)
    if deep or tip or level:
        count += put(lines, a, b, float(i), v, False, count, found, cutoff)
    return count


@inline
def at_pins(lines: Lines, a: int, b: int, cutoff: float, found: Pairs, count: int) -> int:
    """Adds the pinned places of one pair, each with its foot on b."""
    n, m = lines.first[a + 1] - lines.first[a] - 1, lines.first[b + 1] - lines.first[b] - 1
    for p in range(len(lines.pin_place)):
        if lines.pin_cable[p, 0] == a and lines.pin_cable[p, 1] == b:
            w = lines.pin_place[p, 0]
            x, _, _ = around(lines.points, lines.first[a], n, arc_of(w, n), w)
            v = foot_near(lines.points, lines.first[b], m, x, lines.pin_place[p, 1])
            count += put(lines, a, b, w, v, False, count, found, cutoff)
    return count


@inline
def without_shadowed(lines: Lines, a: int, b: int, begin: int, count: int, stride: float, found: Pairs) -> int:
    """Takes out points beside a minimum of the same pair, unless they are deep; returns the new count."""
    both = lines.radius[a] + lines.radius[b]
    kept = begin
    for i in range(begin, count):
        shadowed = False
        if found.runs[i, 0] == 0 and found.distance[i] >= (1.0 - DEEP) * both:
            for j in range(begin, count):
                away = abs(found.place[i, 0] - found.place[j, 0])
                if away <= SHADOW and found.runs[j, 0] == 1:
                    shadowed = shadowed or abs(found.place[i, 1] - found.place[j, 1]) <= SHADOW * stride
        found.shadowed[i] = 1 if shadowed else 0
    for i in range(begin, count):
        if found.shadowed[i] == 0:
            if kept < i:
                copy(found, i, kept)
            kept += 1
    return kept


@inline
def copy(found: Pairs, i: int, to: int) -> None:
    found.distance[to] = found.distance[i]
    for l in range(3):
        found.normal[to, l], found.point[to, l] = found.normal[i, l], found.point[i, l]
    for k in range(2):
        found.cable[to, k], found.place[to, k], found.runs[to, k] = (
            found.cable[i, k],
            found.place[i, k],
            found.runs[i, k],
        )
        found.lean[to, k], found.bend[to, k] = found.lean[i, k], found.bend[i, k]
        for l in range(2):
            found.segment[to, k, l], found.t[to, k, l] = found.segment[i, k, l], found.t[i, k, l]
        for l in range(3):
            found.along[to, k, l] = found.along[i, k, l]


@inline
def sort_of(lines: Lines, a: int, b: int, i: int, v: float, slope: float) -> tuple[bool, bool]:
    """Whether point i of a is deep in b at its foot v, and whether the floor is level; slope of the distance² / 2."""
    n, m = lines.first[a + 1] - lines.first[a] - 1, lines.first[b + 1] - lines.first[b] - 1
    x, _, _ = around(lines.points, lines.first[a], n, i, float(i))
    y, _, _ = around(lines.points, lines.first[b], m, arc_of(v, m), v)
    d = length(sub(x, y))
    both = lines.radius[a] + lines.radius[b]
    return d < (1.0 - DEEP) * both, abs(slope) <= LEVEL * both * d


@inline
def lowest(lines: Lines, a: int, b: int, ends: Ends) -> tuple[float, float, float]:
    """(w, v) of the minimum between two places of a, and how the floor curves there, in radii a segment squared."""
    low, high, v_low, v_high, left, right = ends
    first, n = lines.first[a], lines.first[a + 1] - lines.first[a] - 1
    other, m = lines.first[b], lines.first[b + 1] - lines.first[b] - 1
    part = left / (left - right)
    w = low + part * (high - low)
    v = v_low + part * (v_high - v_low)
    curve = 0.0
    for _ in range(MOST_STEPS):
        x, s, s2 = around(lines.points, first, n, arc_of(w, n), w)
        v = foot_near(lines.points, other, m, x, v)
        y, e, e2 = around(lines.points, other, m, arc_of(v, m), v)
        d = sub(x, y)
        value = dot(d, s)
        aa = dot(s, s) + dot(d, s2)
        if 0.0 < v < m:
            bb = dot(e, e) - dot(d, e2)
            ab = dot(s, e)
            slope = aa - ab * ab / bb if bb > 0.0 else -1.0
        else:
            slope = aa
        curve = slope / max(length(d) * (lines.radius[a] + lines.radius[b]), 1e-300)
        if value < 0.0:
            low = w
        else:
            high = w
        to = w - value / slope if slope > 0.0 else 0.5 * (low + high)
        if to <= low or to >= high:
            to = 0.5 * (low + high)
        change = to - w
        if abs(change) < SETTLED:
            c = cross(s, e)
            if slope > 0.0 and dot(c, c) > ACROSS * dot(s, s) * dot(e, e):
                curve = max(curve, 2.0 * FLAT)
            break
        w = to
    return w, v, curve


@inline
def put(lines: Lines, a: int, b: int, w: float, v: float, runs: bool, number: int, found: Pairs, cutoff: float) -> int:
    """Writes one place; returns 1, or 0 where it is too far, or too near along the cable."""
    first, n = lines.first[a], lines.first[a + 1] - lines.first[a] - 1
    other, m = lines.first[b], lines.first[b + 1] - lines.first[b] - 1
    i, j = arc_of(w, n), arc_of(v, m)
    x, s, s2 = around(lines.points, first, n, i, w)
    y, e, e2 = around(lines.points, other, m, j, v)
    d = sub(x, y)
    size = length(d)
    if size > cutoff:
        return 0
    if a == b and on_arc(lines, other, m, v) - on_arc(lines, first, n, w) < lines.least[a]:
        return 0
    if number >= len(found.distance):
        return 1
    normal = scale(1.0 / size, d) if size > TOUCHES * cutoff else across(s, e)
    found.cable[number, 0], found.cable[number, 1] = a, b
    found.place[number, 0], found.place[number, 1] = w, v
    found.runs[number, 0] = 1 if runs and 0.0 < w < n else 0
    found.runs[number, 1] = 1 if 0.0 < v < m else 0
    halves(found, number, 0, n, i, w)
    halves(found, number, 1, m, j, v)
    found.bend[number, 0], found.bend[number, 1] = dot(normal, s2), -dot(normal, e2)
    found.distance[number] = size
    for k in range(3):
        found.along[number, 0, k], found.along[number, 1, k] = s[k], e[k]
        found.normal[number, k] = normal[k]
        found.point[number, k] = y[k]
    return 1


@inline
def on_arc(lines: Lines, first: int, n: int, w: float) -> float:
    i = min(int(w), n - 1)
    before: float = lines.arc[first + i]
    after: float = lines.arc[first + i + 1]
    return before + (w - i) * (after - before)


@inline
def halves(found: Pairs, number: int, which: int, n: int, i: int, w: float) -> None:
    """The place w on arc i as the mean of two places of the polyline."""
    if i == 0 or i == n:
        s = 0 if i == 0 else n - 1
        for k in range(2):
            found.segment[number, which, k] = s
            found.t[number, which, k] = w - s
        found.lean[number, which] = 0.5
        return
    u = w - i + 0.5
    found.segment[number, which, 0], found.segment[number, which, 1] = i - 1, i
    found.t[number, which, 0], found.t[number, which, 1] = 1.0 - (1.0 - u) * (1.0 - u), u * u
    found.lean[number, which] = u


@inline
def across(s: Vector, e: Vector) -> Vector:
    """A unit vector at right angles to both; where they are parallel, to s and one of the axes."""
    c = unit(cross(s, e))
    if dot(c, c) == 0.0:
        c = unit(cross(s, (1.0, 0.0, 0.0) if abs(s[0]) <= min(abs(s[1]), abs(s[2])) else (0.0, 0.0, 1.0)))
    if dot(c, c) == 0.0:
        c = unit(cross(s, (0.0, 1.0, 0.0)))
    return c
