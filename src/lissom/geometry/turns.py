"""Turns of a framed curve, counted from what is handed out: points, frames, arc lengths.

The curve is closed by rays along its end tangents. Its link, twist plus writhe, is then an integer plus what the end
poses say: it cannot change unless an end is turned, or the curve passes through itself or a ray, by ±2 each time;
docs/theory/certificate-turns.md.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.nearest import length, row, unit
from lissom.geometry.triples import (
    Quaternion,
    Vector,
    add,
    cross,
    dot,
    normalized,
    quaternion_between,
    quaternion_product,
    scale,
    sub,
    tangent,
)
from lissom.geometry.writhe import angle, open_writhe, writhe_by_blocks
from lissom.kernels import inline, kernel, lean_kernel

Array = NDArray[np.float64]

PER_SEGMENT = 4  # samples: the cubic then leaves its polygon by a sixteenth of what it leaves its chord
DIRECT = 200  # samples up to which all pairs are summed: below, blocks save nothing
MOST = 4000  # samples: longer curves have points enough of their own
# Turns that blocks may lose at most. The answer is known modulo 2: lost is what it seems, or that less 2, which is
# impossible if it seems less than 2 − LOST. Else it is summed again, to what is always enough.
LOST = 1.5
ENOUGH = 0.95
# Three directions across each other that no one builds along: what is beside lies in no plane of the curve.
ASKEW = ((0.312, 0.871, 0.379), (-0.792, 0.021, 0.610), (0.524, -0.490, 0.696))


class Sampled(NamedTuple):
    """A polygon on the curve, and the frames at its points."""

    points: Array  # (m, 3) m
    frames: Array  # (m, 4)


def sampled(s: Array, positions: Array, quaternions: Array, per_segment: int = PER_SEGMENT) -> Sampled:
    """The cubic through `positions` (n, 3) m with tangents d3, at `s` (n,) m, and frames `quaternions` (n, 4) turned
    the short way between neighbours.
    """
    count = per_segment * (len(s) - 1) + 1
    points, frames = np.empty((count, 3)), np.empty((count, 4))
    sample(s, positions, quaternions, per_segment, points, frames)
    return Sampled(points, frames)


def link(s: Array, positions: Array, quaternions: Array) -> float:
    """Turns: twist plus writhe of the curve and its rays, but for a constant that the end poses alone decide.

    `s` (n,) m, `positions` (n, 3) m, `quaternions` (n, 4).
    """
    per_segment = max(1, min(PER_SEGMENT, MOST // max(len(s) - 1, 1)))
    curve = sampled(s, positions, quaternions, per_segment)
    if len(curve.points) <= DIRECT:
        return float(direct_link(*curve))
    return float(link_by_blocks(*curve, LOST))


@kernel
def direct_link(points: Array, frames: Array) -> float:
    """Turns: the link of a polygon (n, 3) with frames (n, 4) at its points, all pairs of segments summed."""
    n = len(points) - 1
    return twist(points, frames) + open_writhe(points, tangent(frame(frames, 0)), tangent(frame(frames, n)))


@kernel
def link_by_blocks(points: Array, frames: Array, lost: float) -> float:
    """The same: known within `lost` < 2, it is the one that differs from any other polygon between these end frames
    by an even number, or an odd one, as the lift says.
    """
    n = len(points) - 1
    start, end = tangent(frame(frames, 0)), tangent(frame(frames, n))
    own, odd = lifted_twist(points, frames)
    three, its = plainest(points, frames)
    other, opposite = lifted_twist(three, its)
    exact = other + open_writhe(three, start, end) + (1.0 if odd != opposite else 0.0)
    known = own + writhe_by_blocks(points, start, end, lost)
    nearest = exact + 2.0 * math.floor(0.5 * (known - exact) + 0.5)
    if abs(known - nearest) >= 2.0 - lost:
        known = own + writhe_by_blocks(points, start, end, ENOUGH)
        nearest = exact + 2.0 * math.floor(0.5 * (known - exact) + 0.5)
    return nearest


@kernel
def plainest(points: Array, frames: Array) -> tuple[Array, Array]:
    """A polygon of two edges between the same end frames, by way of the point where it turns least sharply."""
    n = len(points) - 1
    x, y = row(points, 0), row(points, n)
    start, end = tangent(frame(frames, 0)), tangent(frame(frames, n))
    size = 0.0
    for i in range(n):
        size += length(sub(row(points, i + 1), row(points, i)))
    three, its = np.empty((3, 3)), np.empty((3, 4))
    best = -1.0
    for k in range(7):
        away = 0.0 if k == 0 else 0.5 * size * (1.0 - 2.0 * (k % 2))
        side = scale(away, ASKEW[(k - 1) // 2 if k > 0 else 0])
        middle = add(scale(0.5, add(x, y)), side)
        u, v = sub(middle, x), sub(y, middle)
        if length(u) < 1e-3 * size:
            continue
        u, v = unit(u), unit(v)
        least = min(dot(start, u), dot(u, v), dot(v, end))
        if least > best:
            best = least
            q = normalized(quaternion_product(smallest(start, u), frame(frames, 0)))
            for m in range(3):
                three[0, m], three[1, m], three[2, m] = x[m], middle[m], y[m]
            for m in range(4):
                its[0, m], its[1, m], its[2, m] = frames[0, m], q[m], frames[n, m]
    return three, its


@lean_kernel
def twist(points: Array, frames: Array) -> float:
    """Turns of frames (n, 4) against parallel transport along the edges of a polygon (n, 3)."""
    return lifted_twist(points, frames)[0]


@inline
def lifted_twist(points: Array, frames: Array) -> tuple[float, bool]:
    """Twist in turns, and whether the last quaternion has the other sign than that to which the first leads.

    Along an edge: the angle about it between the frames at its ends, each laid onto it by the smallest rotation. At a
    point: from edge to edge by way of d3 or straight differs by the spherical triangle between.
    """
    total, odd = 0.0, False
    q = normalized(frame(frames, 0))
    d = tangent(q)
    edge = d
    for i in range(len(points) - 1):
        before = edge
        edge = unit(sub(row(points, i + 1), row(points, i)))
        total -= half_unit(d, before, edge)
        laid = quaternion_product(smallest(d, edge), q)
        q = normalized(frame(frames, i + 1))
        d = tangent(q)
        r = quaternion_between(laid, quaternion_product(smallest(d, edge), q))
        total += angle(r[3], r[0]) if r[0] >= 0.0 else angle(-r[3], -r[0])
        odd = odd != (r[0] < 0.0)
    return total / math.pi, odd


@lean_kernel
def followed(before: Array, after: Array) -> float:
    """Turns: how the link changes on the way from one chain of frames (n, 4) to another with the same ends, if nothing
    is crossed: by the area between the curves that d3 draws on the sphere, over 2π [Ful78], and by what each frame is
    rolled against the one before, carried over by the smallest rotation. nan where a d3 turns by 90° or more, or does
    from one to the next.
    """
    total = 0.0
    a, b = frame(before, 0), frame(after, 0)
    u, v = tangent(a), tangent(b)
    least = dot(u, v)
    for i in range(1, len(before)):
        c, d = frame(before, i), frame(after, i)
        p, q = tangent(c), tangent(d)
        least = min(least, dot(p, q), dot(u, p), dot(v, q))
        total += half_unit(v, q, p) + half_unit(v, p, u) + half_roll(b, d) - half_roll(a, c)
        a, b, u, v = c, d, p, q
    return total / math.pi if least > 0.0 else math.nan


@inline
def half_roll(a: Quaternion, b: Quaternion) -> float:
    """Half the angle, within ±π/2, by which b is turned about its d3 against a, carried over by the smallest turn."""
    r = quaternion_between(a, b)
    return angle(r[3], r[0]) if r[0] >= 0.0 else angle(-r[3], -r[0])


def is_odd(before_q: Array, after_q: Array, turn: float, start: float = 0.0) -> bool:
    """Whether two chains of frames (n, 4), (m, 4), the second with its end turned by `turn` rad about d3 against the
    first, and its start by `start`, differ by an odd number of whole turns besides.
    """
    return bool(_is_odd(before_q, after_q, turn, start))


@lean_kernel
def _is_odd(before_q: Array, after_q: Array, turn: float, start: float) -> bool:
    one = quaternion_between(frame(before_q, 0), lifted_end(before_q))
    other = quaternion_between(frame(after_q, 0), lifted_end(after_q))
    expected = quaternion_product(one, (math.cos(0.5 * turn), 0.0, 0.0, math.sin(0.5 * turn)))
    expected = quaternion_product((math.cos(0.5 * start), 0.0, 0.0, -math.sin(0.5 * start)), expected)
    return along(expected, other) < 0.0


@lean_kernel
def sample(s: Array, positions: Array, quaternions: Array, per_segment: int, points: Array, frames: Array) -> None:
    """Fills points and frames: x = H(u) of x, l d3 at both ends, l the chord, but no longer than the arc: a soft cable
    that is squeezed would loop within a segment; q turned by the part u of the way.
    """
    n = len(s) - 1
    for i in range(n):
        x, y = row(positions, i), row(positions, i + 1)
        h = min(s[i + 1] - s[i], length(sub(y, x)))
        p, q = frame(quaternions, i), frame(quaternions, i + 1)
        dx, dy = scale(h, tangent(p)), scale(h, tangent(q))
        c = along(p, q)
        way = 1.0 if c >= 0.0 else -1.0
        half = math.acos(min(abs(c), 1.0))
        for k in range(per_segment):
            u = k / per_segment
            v = 1.0 - u
            a, b = v * v * (1.0 + 2.0 * u), u * u * (3.0 - 2.0 * u)
            e, f = v * v * u, -u * u * v
            j, l = v, u * way
            if half > 1e-4:  # below, the chord is the arc to 1e-9
                j, l = math.sin(v * half), math.sin(u * half) * way
            r = normalized((j * p[0] + l * q[0], j * p[1] + l * q[1], j * p[2] + l * q[2], j * p[3] + l * q[3]))
            m = per_segment * i + k
            for g in range(3):
                points[m, g] = a * x[g] + b * y[g] + e * dx[g] + f * dy[g]
            for g in range(4):
                frames[m, g] = r[g]
    for g in range(3):
        points[per_segment * n, g] = positions[n, g]
    for g in range(4):
        frames[per_segment * n, g] = quaternions[n, g]


@inline
def frame(quaternions: Array, i: int) -> Quaternion:
    return (quaternions[i, 0], quaternions[i, 1], quaternions[i, 2], quaternions[i, 3])


@inline
def along(p: Quaternion, q: Quaternion) -> float:
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]


@inline
def lifted_end(quaternions: Array) -> Quaternion:
    """The last frame, with the sign to which the first leads if neighbours have positive products."""
    way = 1.0
    last = frame(quaternions, 0)
    for i in range(1, len(quaternions)):
        q = frame(quaternions, i)
        if along(last, q) < 0.0:
            way = -way
        last = q
    return (way * last[0], way * last[1], way * last[2], way * last[3])


@inline
def smallest(u: Vector, v: Vector) -> Quaternion:
    """The smallest rotation of the unit vector u onto v; about any normal of u if they are opposite."""
    n = cross(u, v)
    w = 1.0 + dot(u, v)
    if w < 1e-14:
        n = cross(u, (1.0, 0.0, 0.0)) if abs(u[0]) < 0.6 else cross(u, (0.0, 1.0, 0.0))
        w = 0.0
    return normalized((w, n[0], n[1], n[2]))


@inline
def half_unit(a: Vector, b: Vector, c: Vector) -> float:
    """Half of the area of the spherical triangle of three unit vectors."""
    return angle(dot(a, cross(b, c)), 1.0 + dot(a, b) + dot(b, c) + dot(c, a))
