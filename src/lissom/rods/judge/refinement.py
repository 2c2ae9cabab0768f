"""The places a judge looks at: the points handed out, and between them wherever something acts or changes.

A place is added at each push, at each kink of the rest strain, and where a boundary layer or a bend is sharper than
one step of the judge's rule: between neighbouring places h √(|n|/B) and h |ω| are at most 0.2.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, apply_transposed, dot, normalized, rotation
from lissom.kernels import kernel
from lissom.kernels import lean_kernel as lean
from lissom.rods.judge.flow import COMPLIANCE, FLEXIBILITY, REST, SEGMENT, SLOPE, WEIGHT, H, three

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

SAME = 1e-9  # of the length: places nearer than this are one
SHARPEST = 0.2  # h √(|n|/B) and h |ω| of a step: the linearised rule then errs by less than 1e-5 of what it carries
MOST_STEPS = 64  # between two neighbouring places: a layer sharper than that is not resolved
# From this sharpness on, integration from one end of a segment does not find the other: nodes are interpolated.
STEEP = 2.0
# Columns of a state: x, q, (n, m) just before, (n, m) just after.
POSITION, FRAME, BEFORE, AFTER = 0, 3, 7, 13
STATE = 19
# Columns of a piece: its end, 1/D, weight per length, 1/EA.
END, PIECE_FLEXIBILITY, PIECE_WEIGHT, PIECE_COMPLIANCE = 0, 1, 4, 7
PIECE = 8
# Whence the state of a node is: from the answer; by integration from the node before; interpolated.
HANDED_OUT, SHOT, BETWEEN = 0, 1, 2


class Properties(NamedTuple):
    """Of the cable, without units."""

    pieces: Array  # (pieces, PIECE)
    knots: Array  # (k,) places where the rest strain is given
    strains: Array  # (k, 3) its values; linear in between
    extra: Array  # (e,) places, in order, that need a node
    rope: bool


class Nodes(NamedTuple):
    """States to start from, and what is constant from each to the next; without units."""

    place: Array  # (nodes,)
    origin: Indices  # (nodes,) HANDED_OUT, SHOT, BETWEEN
    state: Array  # (nodes, STATE)
    segment: Array  # (nodes − 1, SEGMENT)


@kernel
def refine(place: Array, points: Array, properties: Properties) -> Nodes:
    """The nodes for an answer with the states `points` (points, STATE) at `place` (points,)."""
    breaks, of = with_extra(place, properties.extra)
    steps = np.ones(len(breaks) - 1, dtype=np.int64)
    sharp = np.zeros(len(breaks) - 1)
    count = 1
    for b in range(len(breaks) - 1):
        if not properties.rope:
            sharp[b] = (breaks[b + 1] - breaks[b]) * sharpness(
                points, of[b], 0.5 * (breaks[b] + breaks[b + 1]), properties
            )
            steps[b] = int(min(max(math.ceil(sharp[b] / SHARPEST - SAME), 1.0), MOST_STEPS))
        count += steps[b]
    nodes = Nodes(
        np.empty(count), np.zeros(count, dtype=np.int64), np.zeros((count, STATE)), np.zeros((count - 1, SEGMENT))
    )
    k = 0
    for b in range(len(breaks) - 1):
        i = of[b]
        origin = BETWEEN if sharp[b] > STEEP else SHOT
        for c in range(steps[b]):
            nodes.place[k] = breaks[b] + (breaks[b + 1] - breaks[b]) * c / steps[b]
            if c == 0 and breaks[b] == place[i]:
                nodes.state[k] = points[i]
            else:
                nodes.origin[k] = origin
                interpolate(place, points, i, nodes.place[k], nodes.state, k)
            k += 1
    nodes.place[k] = place[-1]
    nodes.state[k] = points[-1]
    for k in range(count - 1):
        describe(nodes, k, properties)
    return nodes


@kernel
def with_extra(place: Array, extra: Array) -> tuple[Array, Indices]:
    """Places of the points and between them the others; and the point at or before each."""
    merged = np.empty(len(place) + len(extra))
    of = np.empty(len(merged), dtype=np.int64)
    count, e = 0, 0
    for i in range(len(place)):
        while e < len(extra) and extra[e] < place[i] - SAME:
            if count > 0 and extra[e] > merged[count - 1] + SAME:
                merged[count], of[count] = extra[e], i - 1
                count += 1
            e += 1
        merged[count], of[count] = place[i], i
        count += 1
    return merged[:count], of[:count]


@lean
def sharpness(points: Array, i: int, middle: float, properties: Properties) -> float:
    """The larger of √(|n|/B) and |ω| at the two ends of segment i, per length."""
    p = piece_at(properties.pieces, middle)
    d = three(properties.pieces, p, PIECE_FLEXIBILITY)
    w0 = rest_at(properties.knots, properties.strains, middle)
    sharpest = 0.0
    for end in range(2):
        k = i + end
        side = BEFORE if end == 1 else AFTER
        n = three(points, k, side)
        R = rotation((points[k, FRAME], points[k, FRAME + 1], points[k, FRAME + 2], points[k, FRAME + 3]))
        M = apply_transposed(R, three(points, k, side + 3))
        w = (w0[0] + d[0] * M[0], w0[1] + d[1] * M[1], w0[2] + d[2] * M[2])
        layer = math.sqrt(dot(n, n)) * max(d[0], d[1])
        sharpest = max(sharpest, math.sqrt(max(layer, dot(w, w))))
    return sharpest


@lean
def piece_at(pieces: Array, place: float) -> int:
    p = 0
    while p < len(pieces) - 1 and pieces[p, END] < place:
        p += 1
    return p


@lean
def rest_at(knots: Array, strains: Array, place: float) -> Vector:
    """Linear between the knots, constant beyond them."""
    low, high = 0, len(knots) - 1
    if place <= knots[0] or high == 0:
        return three(strains, 0, 0)
    if place >= knots[high]:
        return three(strains, high, 0)
    while high - low > 1:
        k = (low + high) // 2
        if knots[k] <= place:
            low = k
        else:
            high = k
    t = (place - knots[low]) / (knots[high] - knots[low])
    a, b = three(strains, low, 0), three(strains, high, 0)
    return (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2]))


@lean
def describe(nodes: Nodes, k: int, properties: Properties) -> None:
    """What is constant from node k to the next; the rest strain is linear there."""
    start, end = nodes.place[k], nodes.place[k + 1]
    p = piece_at(properties.pieces, 0.5 * (start + end))
    a = rest_at(properties.knots, properties.strains, start)
    b = rest_at(properties.knots, properties.strains, end)
    row = nodes.segment
    row[k, H] = end - start
    row[k, COMPLIANCE] = properties.pieces[p, PIECE_COMPLIANCE]
    for j in range(3):
        row[k, FLEXIBILITY + j] = properties.pieces[p, PIECE_FLEXIBILITY + j]
        row[k, WEIGHT + j] = properties.pieces[p, PIECE_WEIGHT + j]
        row[k, REST + j] = a[j]
        row[k, SLOPE + j] = (b[j] - a[j]) / (end - start)


@lean
def interpolate(place: Array, points: Array, i: int, at: float, state: Array, k: int) -> None:
    """State k between the points i and i + 1: linear, as a start; the frame by the shorter way."""
    t = (at - place[i]) / (place[i + 1] - place[i])
    along = 0.0
    for j in range(4):
        along += points[i, FRAME + j] * points[i + 1, FRAME + j]
    sign = 1.0 if along >= 0.0 else -1.0
    for j in range(3):
        state[k, POSITION + j] = (1.0 - t) * points[i, POSITION + j] + t * points[i + 1, POSITION + j]
    for j in range(6):
        value = (1.0 - t) * points[i, AFTER + j] + t * points[i + 1, BEFORE + j]
        state[k, BEFORE + j] = value
        state[k, AFTER + j] = value
    q = normalized(
        (
            (1.0 - t) * points[i, FRAME] + sign * t * points[i + 1, FRAME],
            (1.0 - t) * points[i, FRAME + 1] + sign * t * points[i + 1, FRAME + 1],
            (1.0 - t) * points[i, FRAME + 2] + sign * t * points[i + 1, FRAME + 2],
            (1.0 - t) * points[i, FRAME + 3] + sign * t * points[i + 1, FRAME + 3],
        )
    )
    for j in range(4):
        state[k, FRAME + j] = q[j]
