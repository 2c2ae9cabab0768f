"""The forces on the points of a cable [docs/theory/haptic.md, (1)–(12)].

A cable is a row of points P with springs between neighbours that keep their distance, and hinges at the points that
keep it straight [KH05 §II.A]. With t the unit vectors along the segments, l their lengths, α the angle at a point:

* contraction: c_c (l − h)/h along t, on both points of a segment [KH05 (1), (2)];
* bending, `PAPER`: c_b (1 − cos α) along the line of the neighbours, less what is along the segments [KH05 (3), (4),
  mended]; `CONSISTENT`: −∂/∂P of ½ k α², k = B over the arc length that a point stands for;
* weight, obstacles (a plane, on its wrong side only) and grips (a spring to a place) [KH05 (5), mended].

The forces of a hinge sum to zero and turn nothing: those of the outer points are at right angles to their segments.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, add, cross, dot, scale, sub
from lissom.kernels import inline, lean_kernel

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

PAPER = 0
CONSISTENT = 1

# 1 − cos α below which α/sin α is its series: the first term left out is below 1e-13.
SERIES = 0.02


class Cable(NamedTuple):
    """What does not change. n points, n − 1 segments."""

    law: int  # PAPER or CONSISTENT
    h: float  # unstretched length of a segment, m
    c_c: float  # N, at double length
    bend: Array  # (n,) of the hinge at each point: c_b (N) or k (N m); 0 at the ends and where a grip holds a direction
    weight: Array  # (n, 3) N


class Holds(NamedTuple):
    """Springs from places on the cable to places in the world."""

    segment: Indices  # (k,)
    t: Array  # (k,) where on the segment, 0 … 1
    target: Array  # (k, 3) m
    drift: Array  # (k, 3) m in a step: how the target moves
    stiffness: Array  # (k,) c_e, N/m


class Aims(NamedTuple):
    """Directions held at points, as if the cable went on straight inside a gripper."""

    point: Indices  # (a,)
    direction: Array  # (a, 3) unit, from start to end
    drift: Array  # (a, 3) in a step
    before: Array  # (a,) of the hinge towards the segment before, as Cable.bend; 0 where there is none
    after: Array  # (a,)


class Planes(NamedTuple):
    """Obstacles near the cable, each as a plane bound to one place on it."""

    used: Indices  # (1,) how many rows
    segment: Indices  # (m,)
    t: Array  # (m,)
    origin: Array  # (m, 3) where the centre line begins to touch, m
    normal: Array  # (m, 3) unit, towards the free side
    stiffness: Array  # (m,) c_e, N/m
    force: Array  # (m,) what they press with now, N


class Points(NamedTuple):
    """Where the cable is, and room for what is derived."""

    x: Array  # (n, 3) P, m
    force: Array  # (n, 3) N
    made: Array  # (n, 3) the last movement ΔP, m
    speed: Array  # (n, 3) of the rule that keeps one, m per step
    drift: Array  # (n, 3) m in a step: how the whole is carried along by its gripper
    flips: Indices  # (n,) steps in a row in which ΔP turned back
    t: Array  # (n − 1, 3) unit
    l: Array  # (n − 1,) m


@inline
def over_sine(u: float, s: float) -> float:
    """α/sin α, with u = 1 − cos α and s = sin α; series in u near 0 [theory of haptics, (7)]."""
    if u < SERIES:
        v = 0.5 * u
        return 1.0 + v * (2 / 3 + v * (8 / 15 + v * (16 / 35 + v * (128 / 315 + v * (256 / 693 + v * 1024 / 3003)))))
    return math.atan2(s, 1.0 - u) / s


@inline
def hinge(law: int, k: float, ta: Vector, la: float, tb: Vector, lb: float) -> tuple[Vector, Vector]:
    """Forces on the outer points of two segments (ta, la), (tb, lb) that follow each other; the middle has −(a + b)."""
    c = dot(ta, tb)
    u = 1.0 - c
    if law == PAPER:
        chord = add(scale(la, ta), scale(lb, tb))
        size = math.sqrt(dot(chord, chord))
        if size == 0.0:  # folded flat: the line of the neighbours has no direction
            return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        f = scale(k * u / size, chord)
        return sub(scale(dot(f, ta), ta), f), sub(f, scale(dot(f, tb), tb))
    s = 0.0
    if u >= SERIES:
        w = cross(ta, tb)
        s = math.sqrt(dot(w, w))
        if s < 1e-12:  # folded flat: no plane to unfold in
            return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    m = k * over_sine(u, s)
    return scale(m / la, sub(scale(c, ta), tb)), scale(m / lb, sub(ta, scale(c, tb)))


@inline
def push(force: Array, i: int, f: Vector) -> None:
    force[i, 0] += f[0]
    force[i, 1] += f[1]
    force[i, 2] += f[2]


@inline
def place(x: Array, i: int, t: float) -> Vector:
    return (
        (1.0 - t) * x[i, 0] + t * x[i + 1, 0],
        (1.0 - t) * x[i, 1] + t * x[i + 1, 1],
        (1.0 - t) * x[i, 2] + t * x[i + 1, 2],
    )


@inline
def row(a: Array, i: int) -> Vector:
    return (a[i, 0], a[i, 1], a[i, 2])


@inline
def add_contraction(cable: Cable, points: Points) -> None:
    """[KH05 (1), (2)]: writes t, l and the weight with what segments pull."""
    x, force = points.x, points.force
    for k in range(3):
        force[0, k] = cable.weight[0, k]
    for i in range(len(points.l)):
        w = sub(row(x, i + 1), row(x, i))
        l = math.sqrt(dot(w, w))
        r = 1.0 / max(l, 1e-12 * cable.h)  # of points in one place the direction is none, and so the force
        pull = cable.c_c * (l / cable.h - 1.0)
        points.l[i] = max(l, 1e-3 * cable.h)  # a lever; what is shorter is about to explode
        for k in range(3):
            t = r * w[k]
            points.t[i, k] = t
            force[i, k] += pull * t
            force[i + 1, k] = cable.weight[i + 1, k] - pull * t


@inline
def add_bending(cable: Cable, points: Points) -> None:
    """[KH05 (3), (4)] in both laws."""
    for i in range(1, len(points.l)):
        if cable.bend[i] > 0.0:
            a, b = hinge(cable.law, cable.bend[i], row(points.t, i - 1), points.l[i - 1], row(points.t, i), points.l[i])
            push(points.force, i - 1, a)
            push(points.force, i + 1, b)
            push(points.force, i, (-a[0] - b[0], -a[1] - b[1], -a[2] - b[2]))


@inline
def add_grips(cable: Cable, holds: Holds, aims: Aims, points: Points) -> None:
    """[KH05 (5), third kind], attracting; and directions."""
    x, force = points.x, points.force
    for j in range(len(holds.t)):
        i, t = holds.segment[j], holds.t[j]
        f = scale(holds.stiffness[j], sub(row(holds.target, j), place(x, i, t)))
        push(force, i, scale(1.0 - t, f))
        push(force, i + 1, scale(t, f))
    for j in range(len(aims.point)):
        i, d = aims.point[j], row(aims.direction, j)
        if aims.before[j] > 0.0:
            a, _ = hinge(cable.law, aims.before[j], row(points.t, i - 1), points.l[i - 1], d, cable.h)
            push(force, i - 1, a)
            push(force, i, (-a[0], -a[1], -a[2]))
        if aims.after[j] > 0.0:
            _, b = hinge(cable.law, aims.after[j], d, cable.h, row(points.t, i), points.l[i])
            push(force, i + 1, b)
            push(force, i, (-b[0], -b[1], -b[2]))


@inline
def add_obstacles(planes: Planes, points: Points) -> None:
    """[KH05 (5), second kind], on the wrong side only."""
    x, force = points.x, points.force
    for j in range(planes.used[0]):
        i, t, n = planes.segment[j], planes.t[j], row(planes.normal, j)
        gap = dot(sub(place(x, i, t), row(planes.origin, j)), n)
        f = max(0.0, -planes.stiffness[j] * gap)
        planes.force[j] = f
        if f > 0.0:
            push(force, i, scale((1.0 - t) * f, n))
            push(force, i + 1, scale(t * f, n))


@inline
def add_all(cable: Cable, holds: Holds, aims: Aims, planes: Planes, points: Points) -> None:
    """Writes points.force: all of it [KH05 (6)]."""
    add_contraction(cable, points)
    add_bending(cable, points)
    add_grips(cable, holds, aims, points)
    add_obstacles(planes, points)


@lean_kernel
def total_force(cable: Cable, holds: Holds, aims: Aims, planes: Planes, points: Points) -> None:
    """The same, from outside."""
    add_all(cable, holds, aims, planes, points)


@lean_kernel
def wrench(
    cable: Cable, holds: Holds, aims: Aims, points: Points, first: int, last: int, aim: int, origin: Array, out: Array
) -> None:
    """out (6,) = force and torque about `origin` that holds first … last − 1 and an aim (−1: none) feel [KH05 fig. 14].

    The spring pulls along the line from its place to its target: its moment is the same at both.
    """
    for k in range(6):
        out[k] = 0.0
    o = (origin[0], origin[1], origin[2])
    for j in range(first, last):
        x = place(points.x, holds.segment[j], holds.t[j])
        f = scale(holds.stiffness[j], sub(x, row(holds.target, j)))
        m = cross(sub(x, o), f)
        for k in range(3):
            out[k] += f[k]
            out[3 + k] += m[k]
    if aim >= 0:
        i, d = aims.point[aim], row(aims.direction, aim)
        if aims.before[aim] > 0.0:
            w = sub(row(points.x, i - 1), row(points.x, i))
            t, l = unit_of(w)
            a, _ = hinge(cable.law, aims.before[aim], (-t[0], -t[1], -t[2]), l, d, cable.h)
            m = cross(w, a)
            for k in range(3):
                out[3 + k] -= m[k]
        if aims.after[aim] > 0.0:
            w = sub(row(points.x, i + 1), row(points.x, i))
            t, l = unit_of(w)
            _, b = hinge(cable.law, aims.after[aim], d, cable.h, t, l)
            m = cross(w, b)
            for k in range(3):
                out[3 + k] -= m[k]


@inline
def unit_of(w: Vector) -> tuple[Vector, float]:
    l = max(math.sqrt(dot(w, w)), 1e-12)
    return scale(1.0 / l, w), l
