"""Whether cables pass through each other, or through themselves, on the way from one shape to another.

All points move straight and at the same time. Two segments can meet only when their four ends lie in one plane, where

    det(x₁ − x₀, y₁ − y₀, y₀ − x₀) = 0,

a cubic in the time t. If its coefficients in the Bernstein basis have one sign there is no such time; else its roots
are found, and at each the segments are looked at. If no pair of segments meets, the way is an isotopy: knots stay
knots, and linked cables stay linked, whatever the length of the step.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.nearest import length, on_segments, row
from lissom.geometry.triples import Vector, add, cross, dot, scale, sub
from lissom.kernels import inline, kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

BLOCK = 4  # segments to a box
NEVER = 2.0  # a time after the end
# Segments meet if they come nearer than this, in their lengths.
MEETS = 1e-7
BISECTIONS = 48


class Way(NamedTuple):
    """Cables before and after; points one after another."""

    before: Array  # (all, 3) m
    after: Array  # (all, 3) m
    first: Indices  # (cables + 1,) where each begins
    touch: Indices  # (k,) those that cannot pass through each other, nor through themselves
    radius: Array  # (cables,) m
    held: Array  # (all,) m: along the cable to the nearest support
    beside: float  # radii: two segments that overlap before, this near to supports of both, are held so


@kernel
def first_passing(way: Way) -> float:
    """The part of the way, 0 … 1, at which cables first pass through each other; NEVER if they do not."""
    cables = len(way.first) - 1
    start = np.zeros(cables + 1, np.int64)
    for c in range(cables):
        start[c + 1] = start[c] + (way.first[c + 1] - way.first[c] - 2) // BLOCK + 1
    box = np.empty((start[cables], 6))
    whole = np.empty((cables, 6))
    for c in way.touch:
        first, last = way.first[c], way.first[c + 1] - 1
        swept(way, first, last, whole, c)
        for m in range(start[c + 1] - start[c]):
            i = first + BLOCK * m
            swept(way, i, min(i + BLOCK, last), box, start[c] + m)
    soonest = NEVER
    for k in range(len(way.touch)):
        for l in range(k, len(way.touch)):
            a, b = way.touch[k], way.touch[l]
            if (a == b and is_monotone(way, a)) or apart(whole, a, whole, b):
                continue
            for i in range(start[a], start[a + 1]):
                if apart(box, i, whole, b):
                    continue
                for j in range(i if a == b else start[b], start[b + 1]):
                    if not apart(box, i, box, j):
                        soonest = min(soonest, of_blocks(way, a, b, i - start[a], j - start[b]))
    return soonest


@inline
def is_monotone(way: Way, c: int) -> bool:
    """Whether a cable runs along its chord all the way: then so it does in between, and cannot meet itself."""
    first, last = way.first[c], way.first[c + 1] - 1
    p = sub(row(way.before, last), row(way.before, first))
    q = sub(row(way.after, last), row(way.after, first))
    chord = add(p, q)
    for i in range(first, last):
        if dot(sub(row(way.before, i + 1), row(way.before, i)), chord) <= 0.0:
            return False
        if dot(sub(row(way.after, i + 1), row(way.after, i)), chord) <= 0.0:
            return False
    return True


@inline
def swept(way: Way, first: int, last: int, box: Array, number: int) -> None:
    """The box in which points first … last are on their way."""
    for k in range(3):
        low, high = 1e300, -1e300
        for i in range(first, last + 1):
            low = min(low, way.before[i, k], way.after[i, k])
            high = max(high, way.before[i, k], way.after[i, k])
        box[number, k], box[number, 3 + k] = low, high


@inline
def apart(one: Array, i: int, other: Array, j: int) -> bool:
    x = other[j, 0] > one[i, 3] or one[i, 0] > other[j, 3]
    y = other[j, 1] > one[i, 4] or one[i, 1] > other[j, 4]
    z = other[j, 2] > one[i, 5] or one[i, 2] > other[j, 5]
    return bool(x or y or z)


@inline
def of_blocks(way: Way, a: int, b: int, block: int, other: int) -> float:
    first, n = way.first[a], way.first[a + 1] - way.first[a] - 1
    second, m = way.first[b], way.first[b + 1] - way.first[b] - 1
    soonest = NEVER
    for i in range(BLOCK * block, min(BLOCK * (block + 1), n)):
        for j in range(BLOCK * other, min(BLOCK * (other + 1), m)):
            if a == b and j < i + 2:
                continue
            if not segments_apart(way, first + i, second + j) and not held_so(way, a, b, first + i, second + j):
                soonest = min(soonest, of_segments(way, first + i, second + j))
    return soonest


@inline
def held_so(way: Way, a: int, b: int, i: int, j: int) -> bool:
    """Whether supports hold segments i and j in each other: cables that are joined, or mounted in one place."""
    both = way.radius[a] + way.radius[b]
    near = 0.5 * way.beside * both
    if min(way.held[i], way.held[i + 1]) >= near or min(way.held[j], way.held[j + 1]) >= near:
        return False
    return bool(between(way, i, j, 0.0) < both)


@inline
def segments_apart(way: Way, i: int, j: int) -> bool:
    for k in range(3):
        a = min(way.before[i, k], way.before[i + 1, k], way.after[i, k], way.after[i + 1, k])
        b = max(way.before[j, k], way.before[j + 1, k], way.after[j, k], way.after[j + 1, k])
        if a > b:
            return True
        a = max(way.before[i, k], way.before[i + 1, k], way.after[i, k], way.after[i + 1, k])
        b = min(way.before[j, k], way.before[j + 1, k], way.after[j, k], way.after[j + 1, k])
        if b > a:
            return True
    return False


@inline
def at(way: Way, i: int, t: float) -> Vector:
    return add(scale(1.0 - t, row(way.before, i)), scale(t, row(way.after, i)))


@kernel
def of_segments(way: Way, i: int, j: int) -> float:
    """When segments i and j meet first; NEVER if they do not."""
    a0 = sub(row(way.before, i + 1), row(way.before, i))
    a1 = sub(row(way.after, i + 1), row(way.after, i))
    b0 = sub(row(way.before, j + 1), row(way.before, j))
    b1 = sub(row(way.after, j + 1), row(way.after, j))
    w0 = sub(row(way.before, j), row(way.before, i))
    w1 = sub(row(way.after, j), row(way.after, i))
    # Bernstein coefficients of the cubic; c1 and c2 as means over the three ways to place the times
    c0 = dot(cross(a0, b0), w0)
    c3 = dot(cross(a1, b1), w1)
    c1 = (dot(cross(a1, b0), w0) + dot(cross(a0, b1), w0) + dot(cross(a0, b0), w1)) / 3.0
    c2 = (dot(cross(a0, b1), w1) + dot(cross(a1, b0), w1) + dot(cross(a1, b1), w0)) / 3.0
    if min(c0, c1, c2, c3) > 0.0 or max(c0, c1, c2, c3) < 0.0:
        return NEVER
    # monotone pieces of the cubic: between the roots of its derivative, d0 (1−t)² + 2 d1 t(1−t) + d2 t²
    d0, d1, d2 = c1 - c0, c2 - c1, c3 - c2
    p, q, r = d0 - 2.0 * d1 + d2, d1 - d0, d0
    low, high = 1.0, 1.0
    root = q * q - p * r
    if root > 0.0:
        s = -(q + np.sqrt(root)) if q >= 0.0 else -(q - np.sqrt(root))
        x = s / p if p != 0.0 else 1.0
        y = r / s if s != 0.0 else 1.0
        low, high = min(max(min(x, y), 0.0), 1.0), min(max(max(x, y), 0.0), 1.0)
    t = 0.0
    for end in (low, high, 1.0):
        left, right = value(c0, c1, c2, c3, t), value(c0, c1, c2, c3, end)
        if left == 0.0 and meets(way, i, j, t):
            return t
        if left * right < 0.0:
            found = bisected(c0, c1, c2, c3, t, end, left)
            if meets(way, i, j, found):
                return found
        if right == 0.0 and meets(way, i, j, end):
            return end
        t = end
    return NEVER


@inline
def value(c0: float, c1: float, c2: float, c3: float, t: float) -> float:
    s = 1.0 - t
    return s * s * (s * c0 + 3.0 * t * c1) + t * t * (3.0 * s * c2 + t * c3)


@inline
def bisected(c0: float, c1: float, c2: float, c3: float, low: float, high: float, left: float) -> float:
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if value(c0, c1, c2, c3, middle) * left > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@inline
def between(way: Way, i: int, j: int, t: float) -> float:
    """m: how far apart segments i and j are at the time t."""
    p, q = at(way, i, t), at(way, j, t)
    s, e = sub(at(way, i + 1, t), p), sub(at(way, j + 1, t), q)
    u, v = on_segments(p, s, q, e)
    return length(sub(add(p, scale(u, s)), add(q, scale(v, e))))


@inline
def meets(way: Way, i: int, j: int, t: float) -> bool:
    s, e = sub(at(way, i + 1, t), at(way, i, t)), sub(at(way, j + 1, t), at(way, j, t))
    return between(way, i, j, t) <= MEETS * (length(s) + length(e))
