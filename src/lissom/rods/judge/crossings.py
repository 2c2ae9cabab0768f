"""How often a polygon passes through itself, or through the rays it goes on along, from one shape to another.

All points move straight and at the same time, the far ends of the rays with them. Segments x₀x₁ and y₀y₁ can pass
through each other where c(t) = det(x₁ − x₀, y₁ − y₀, y₀ − x₀), a cubic in the time, changes its sign. There, in the
plane of both, x₀ + u a = y₀ + v b is solved, and 0 ≤ u, v < 1 says that they meet, so that of two neighbours that
share a point only one does. Their Gauss integral has the sign of −c and jumps by one: the writhe by ±2, up if c
falls; docs/theory/certificate-turns.md §4.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.nearest import length, row, unit
from lissom.geometry.passing import apart, bisected, value
from lissom.geometry.triples import Vector, add, cross, dot, scale, sub, tangent
from lissom.kernels import inline, kernel, lean_kernel

Array = NDArray[np.float64]

BLOCK = 4  # segments to a box
FAR = 100.0  # lengths of the curve: where a ray ends
# A volume below this part of the product of the edges is none: what rounding makes of segments in one plane.
FLAT = 1e-14


class Crossings(NamedTuple):
    """Each changes the link by ±2: summed with their signs."""

    material: int  # the curve through itself
    rays: int  # the curve through what continues its ends: a loop that slipped over an end


class Course(NamedTuple):
    """The two ends of a segment, before and after."""

    x: Vector
    y: Vector
    x_after: Vector
    y_after: Vector


def crossings(before: Array, after: Array, ends_before: Array, ends_after: Array) -> Crossings:
    """Of a polygon on its way from `before` (n, 3) to `after` (n, 3) m; `ends_…` (2, 3) are its unit tangents at the
    start and at the end, along which it goes on.
    """
    return Crossings(*_crossings(before, after, ends_before, ends_after))


def pair_crossings(before_a: Array, after_a: Array, before_b: Array, after_b: Array) -> int:
    """How often polygon a passes through polygon b, in either direction, all points moving straight; (n, 3) m each."""
    return int(_pair_crossings(before_a, after_a, before_b, after_b))


@lean_kernel
def runs_along(before_q: Array, after_q: Array) -> bool:
    """`is_plain` of two curves given by their frames (n, 4), (m, 4)."""
    x, y, z = 0.0, 0.0, 0.0
    for i in range(len(before_q)):
        t = tangent((before_q[i, 0], before_q[i, 1], before_q[i, 2], before_q[i, 3]))
        x, y, z = x + t[0], y + t[1], z + t[2]
    for i in range(len(after_q)):
        t = tangent((after_q[i, 0], after_q[i, 1], after_q[i, 2], after_q[i, 3]))
        x, y, z = x + t[0], y + t[1], z + t[2]
    least = 1.0
    for i in range(len(before_q)):
        t = tangent((before_q[i, 0], before_q[i, 1], before_q[i, 2], before_q[i, 3]))
        least = min(least, x * t[0] + y * t[1] + z * t[2])
    for i in range(len(after_q)):
        t = tangent((after_q[i, 0], after_q[i, 1], after_q[i, 2], after_q[i, 3]))
        least = min(least, x * t[0] + y * t[1] + z * t[2])
    return least > 0.0


@lean_kernel
def is_plain(tangents_before: Array, tangents_after: Array) -> bool:
    """Whether both curves run along one direction, tangents (n, 3): then so they do in between, rays and all, and
    nothing is crossed. False says nothing.
    """
    x, y, z = 0.0, 0.0, 0.0
    for i in range(len(tangents_before)):
        x += tangents_before[i, 0]
        y += tangents_before[i, 1]
        z += tangents_before[i, 2]
    for i in range(len(tangents_after)):
        x += tangents_after[i, 0]
        y += tangents_after[i, 1]
        z += tangents_after[i, 2]
    least = 1.0
    for i in range(len(tangents_before)):
        least = min(least, x * tangents_before[i, 0] + y * tangents_before[i, 1] + z * tangents_before[i, 2])
    for i in range(len(tangents_after)):
        least = min(least, x * tangents_after[i, 0] + y * tangents_after[i, 1] + z * tangents_after[i, 2])
    return least > 0.0


@kernel
def _crossings(before: Array, after: Array, ends_before: Array, ends_after: Array) -> tuple[int, int]:
    n = len(before) - 1
    if runs_on(before, after, 0, n, ends_before, ends_after, True):
        return 0, 0
    return with_itself(before, after), with_rays(before, after, ends_before, ends_after)


@inline
def runs_on(before: Array, after: Array, first: int, last: int, at: Array, then: Array, rays: bool) -> bool:
    """Whether points first … last, and the rays if asked, run along their mean chord before and after."""
    chord = add(sub(row(before, last), row(before, first)), sub(row(after, last), row(after, first)))
    if rays:
        for k in range(2):
            if dot(row(at, k), chord) <= 0.0 or dot(row(then, k), chord) <= 0.0:
                return False
    for i in range(first, last):
        if dot(sub(row(before, i + 1), row(before, i)), chord) <= 0.0:
            return False
        if dot(sub(row(after, i + 1), row(after, i)), chord) <= 0.0:
            return False
    return True


@inline
def boxes(before: Array, after: Array, box: Array) -> None:
    """Where each block is on its way; after them, where all of them are."""
    n, blocks = len(before) - 1, len(box) - 1
    for m in range(6):
        box[blocks, m] = 1e300 if m < 3 else -1e300
    for k in range(blocks):
        for m in range(3):
            low, high = 1e300, -1e300
            for i in range(BLOCK * k, min(BLOCK * (k + 1), n) + 1):
                low = min(low, before[i, m], after[i, m])
                high = max(high, before[i, m], after[i, m])
            box[k, m], box[k, 3 + m] = low, high
            box[blocks, m], box[blocks, 3 + m] = min(box[blocks, m], low), max(box[blocks, 3 + m], high)


@kernel
def with_itself(before: Array, after: Array) -> int:
    n = len(before) - 1
    blocks = (n - 1) // BLOCK + 1
    box = np.empty((blocks + 1, 6))
    boxes(before, after, box)
    total = 0
    for k in range(blocks):
        reach = straight_until(before, after, k, blocks)
        for l in range(reach + 1, blocks):
            if not apart(box, k, box, l):
                total += of_blocks(before, after, before, after, k, l, True)
    return total


@inline
def straight_until(before: Array, after: Array, k: int, blocks: int) -> int:
    """The last of the blocks from k on, two at most, that cannot meet k as they run on with it; k − 1 if not even k."""
    n = len(before) - 1
    for l in range(min(k + 2, blocks - 1), k - 1, -1):
        if runs_on(before, after, BLOCK * k, min(BLOCK * (l + 1), n), before, after, False):
            return l
    return k - 1


@kernel
def _pair_crossings(before_a: Array, after_a: Array, before_b: Array, after_b: Array) -> int:
    many, others = (len(before_a) - 2) // BLOCK + 1, (len(before_b) - 2) // BLOCK + 1
    box, other = np.empty((many + 1, 6)), np.empty((others + 1, 6))
    boxes(before_a, after_a, box)
    boxes(before_b, after_b, other)
    total = 0
    if apart(box, many, other, others):
        return total
    for k in range(many):
        if apart(box, k, other, others):
            continue
        for l in range(others):
            if not apart(box, k, other, l):
                total += of_blocks(before_a, after_a, before_b, after_b, k, l, False)
    return total


@kernel
def of_blocks(before_a: Array, after_a: Array, before_b: Array, after_b: Array, k: int, l: int, itself: bool) -> int:
    """Passes between the segments of two blocks: with their signs within one curve, else without."""
    n, m = len(before_a) - 1, len(before_b) - 1
    total = 0
    for i in range(BLOCK * k, min(BLOCK * (k + 1), n)):
        one = Course(row(before_a, i), row(before_a, i + 1), row(after_a, i), row(after_a, i + 1))
        begin = max(BLOCK * l, i + 2) if itself else BLOCK * l
        for j in range(begin, min(BLOCK * (l + 1), m)):
            other = Course(row(before_b, j), row(before_b, j + 1), row(after_b, j), row(after_b, j + 1))
            if not courses_apart(one, other):
                up, down = passes(one, other)
                total += up - down if itself else up + down
    return total


@kernel
def with_rays(before: Array, after: Array, ends_before: Array, ends_after: Array) -> int:
    """Each ray as a long segment, in the sense of the curve."""
    n = len(before) - 1
    far = FAR * max(run_length(before), run_length(after))
    total = 0
    for k in range(2):
        e = n if k == 1 else 0
        way = 1.0 if k == 1 else -1.0
        x, x_after = row(before, e), row(after, e)
        out, out_after = scale(way, row(ends_before, k)), scale(way, row(ends_after, k))
        y, y_after = add(x, scale(far, out)), add(x_after, scale(far, out_after))
        ray = Course(x, y, x_after, y_after) if k == 1 else Course(y, x, y_after, x_after)
        first, last = (0, n - 1) if k == 1 else (1, n)
        for i in range(first, last, BLOCK):
            stop = min(i + BLOCK, last)
            if beside(before, after, i, stop, x, x_after, out, out_after, far):
                continue
            for j in range(i, stop):
                segment = Course(row(before, j), row(before, j + 1), row(after, j), row(after, j + 1))
                up, down = passes(ray, segment)
                total += up - down
    return total


@inline
def run_length(points: Array) -> float:
    total = 0.0
    for i in range(len(points) - 1):
        total += length(sub(row(points, i + 1), row(points, i)))
    return total


@inline
def beside(
    before: Array,
    after: Array,
    first: int,
    last: int,
    x: Vector,
    x_after: Vector,
    out: Vector,
    out_after: Vector,
    far: float,
) -> bool:
    """Whether points first … last stay on one side of a plane through the ray's start, and the ray on the other.

    Their places w(t) from the start and the ray's direction e(t) are linear in time. With a normal m, m·w > 0 before
    and after, and m·e ≤ 0; or w·e < 0 all the way, for which the Bernstein coefficients of the parabola speak.
    """
    middle = (first + last) // 2
    w = add(sub(row(before, middle), x), sub(row(after, middle), x_after))
    mean = unit(add(out, out_after))
    m = unit(sub(w, scale(dot(w, mean), mean)))
    lean = max(dot(m, out), dot(m, out_after))
    m = sub(m, scale(2.0 * lean, mean))
    slack = max(0.0, far * max(dot(m, out), dot(m, out_after)))
    behind, aside = True, True
    for i in range(first, last + 1):
        p, q = sub(row(before, i), x), sub(row(after, i), x_after)
        aside = aside and dot(m, p) > slack and dot(m, q) > slack
        level = max(dot(p, out), dot(q, out_after), 0.5 * (dot(p, out_after) + dot(q, out)))
        behind = behind and level < 0.0
    return aside or behind


@inline
def courses_apart(a: Course, b: Course) -> bool:
    for m in range(3):
        if min(a.x[m], a.y[m], a.x_after[m], a.y_after[m]) > max(b.x[m], b.y[m], b.x_after[m], b.y_after[m]):
            return True
        if min(b.x[m], b.y[m], b.x_after[m], b.y_after[m]) > max(a.x[m], a.y[m], a.x_after[m], a.y_after[m]):
            return True
    return False


@kernel
def passes(one: Course, other: Course) -> tuple[int, int]:
    """How often two segments pass through each other: (so that the writhe grows, so that it falls)."""
    a0, a1 = sub(one.y, one.x), sub(one.y_after, one.x_after)
    b0, b1 = sub(other.y, other.x), sub(other.y_after, other.x_after)
    w0, w1 = sub(other.x, one.x), sub(other.x_after, one.x_after)
    # Bernstein coefficients of c(t); those in the middle as means over the three ways to place the times
    n00, n11 = cross(a0, b0), cross(a1, b1)
    mixed = add(cross(a1, b0), cross(a0, b1))
    c0, c3 = dot(n00, w0), dot(n11, w1)
    c1 = (dot(mixed, w0) + dot(n00, w1)) / 3.0
    c2 = (dot(mixed, w1) + dot(n11, w0)) / 3.0
    if min(c0, c1, c2, c3) >= 0.0 or max(c0, c1, c2, c3) <= 0.0:
        return 0, 0
    flat = FLAT * (length(a0) + length(a1)) * (length(b0) + length(b1)) * (length(w0) + length(w1))
    if max(abs(c0), abs(c1), abs(c2), abs(c3)) <= flat:
        return 0, 0
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
    up, down, t = 0, 0, 0.0
    for end in (low, high, 1.0):
        left, right = value(c0, c1, c2, c3, t), value(c0, c1, c2, c3, end)
        if left * right < 0.0:
            found = bisected(c0, c1, c2, c3, t, end, left)
            if meets(at(found, a0, a1), at(found, b0, b1), at(found, w0, w1)):
                if left > 0.0:
                    up += 1
                else:
                    down += 1
        t = end
    return up, down


@inline
def at(t: float, before: Vector, after: Vector) -> Vector:
    return add(scale(1.0 - t, before), scale(t, after))


@inline
def meets(a: Vector, b: Vector, w: Vector) -> bool:
    """Whether u a = w + v b has 0 ≤ u, v < 1; all three are in one plane."""
    n = cross(a, b)
    size = dot(n, n)
    if size == 0.0:
        return False
    u, v = dot(cross(w, b), n) / size, dot(cross(w, a), n) / size
    return 0.0 <= u < 1.0 and 0.0 <= v < 1.0
