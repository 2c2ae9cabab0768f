"""A first guess of the frames from end poses, clips and length alone.

Between two position supports: a cubic (or, for a heavy cable, a catenary) of the right length. Beyond the last
support: the rest shape, or a cable that turns into the direction of gravity. Frames follow by parallel transport;
what is left to turn at the next clamp is spread evenly.
"""

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry import curves
from lissom.geometry.triples import (
    add,
    cross,
    dot,
    normalized,
    quaternion_between,
    quaternion_product,
    scale,
    tangent,
    turned,
)
from lissom.kernels import kernel
from lissom.rods.chain import Chain, frame, triple
from lissom.rods.grid import Grid
from lissom.rods.line import FRAME, NO_DIRECTION, Line, Support
from lissom.scene.frames import product

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# Past this ratio of weight to stiffness, wL³/B, a cable hangs like a rope.
HEAVY = 1e4


def weight_ratio(line: Line) -> float:
    """G = wL³/B."""
    if line.is_rope:
        return math.inf
    return line.weight * line.length**2 / line.bending


def down(line: Line) -> Array:
    """The direction a slack cable bulges to: that of gravity, or of −z without any."""
    g = np.array(line.gravity)
    size = float(np.linalg.norm(g))
    return np.array([0.0, 0.0, -1.0]) if size == 0.0 else g / size


def natural_bulge(line: Line) -> Array | None:
    """The direction in which the first held tangents push a slack cable out, at right angles to its chord."""
    chord = np.subtract(line.supports[-1].position, line.supports[0].position)
    size = float(np.linalg.norm(chord))
    along = chord / size if size > 0.0 else np.zeros(3)
    push = np.zeros(3)
    for support, sense in ((line.supports[0], 1.0), (line.supports[-1], -1.0)):
        if support.direction != NO_DIRECTION:
            push += sense * support.tangent
    push -= (push @ along) * along
    strength = float(np.linalg.norm(push))
    return None if strength < 1e-6 else push / strength


def point_guess(line: Line, grid: Grid, hanging: bool, sag: Array | None = None) -> Array:
    """Positions of the points; of the free tails only where `hanging` or `initial` says so, else nan.

    A hanging guess sags along `sag`, or with gravity.
    """
    points = np.full((len(grid.s), 3), np.nan)
    if line.initial is not None:
        curves.resample(_refined(line.initial), grid.s / line.length, points)
        return points
    fixed = [k for k, support in enumerate(line.supports) if all(support.holds)]
    held = fixed if fixed else list(range(len(line.supports)))
    directions = [support_direction(line, k, held) for k in held]
    samples = np.empty((curves.SAMPLES, 3))
    for a, (ka, kb) in enumerate(itertools.pairwise(held)):
        first, last = grid.support_at[ka], grid.support_at[kb]
        sa, sb = line.supports[ka], line.supports[kb]
        p0, p1 = np.array(sa.position), np.array(sb.position)
        length = grid.s[last] - grid.s[first]
        if hanging:
            curves.catenary_of_length(p0, p1, down(line) if sag is None else sag, length, samples)
        else:
            t0, t1 = span_directions(line, sa, sb, directions[a], directions[a + 1])
            curves.hermite_of_length(p0, t0, p1, t1, length, samples)
        fractions = (grid.s[first : last + 1] - grid.s[first]) / length
        curves.resample(samples, np.ascontiguousarray(fractions), points[first : last + 1])
    return points


def _refined(points: Array) -> Array:
    """A smooth curve through given points (Catmull–Rom), finely sampled: corners would start as kinks."""
    if len(points) < 3:
        return points
    chord = np.linalg.norm(np.diff(points, axis=0), axis=1)
    u = np.concatenate([[0.0], np.cumsum(np.maximum(chord, 1e-12))])
    slopes = np.gradient(points, u, axis=0, edge_order=2 if len(points) > 2 else 1)
    fine = np.linspace(0.0, u[-1], 16 * len(points))
    k = np.clip(np.searchsorted(u, fine, side="right") - 1, 0, len(u) - 2)
    h = (u[k + 1] - u[k])[:, None]
    t = ((fine - u[k]) / (u[k + 1] - u[k]))[:, None]
    return np.ascontiguousarray(
        (2 * t**3 - 3 * t**2 + 1) * points[k]
        + (t**3 - 2 * t**2 + t) * h * slopes[k]
        + (3 * t**2 - 2 * t**3) * points[k + 1]
        + (t**3 - t**2) * h * slopes[k + 1]
    )


def support_direction(line: Line, k: int, held: list[int]) -> Array | None:
    """The tangent at a support: as held, or from its neighbours; None at a ball at the end of the chain."""
    support = line.supports[k]
    if support.direction != NO_DIRECTION and not line.is_rope:
        return support.tangent
    i = held.index(k)
    if 0 < i < len(held) - 1:
        chord = np.array(line.supports[held[i + 1]].position) - line.supports[held[i - 1]].position
        size = np.linalg.norm(chord)
        if size > 0.0:
            return np.asarray(chord / size)
    return None


def span_directions(line: Line, a: Support, b: Support, ta: Array | None, tb: Array | None) -> tuple[Array, Array]:
    """End directions of the cubic between two supports; a free one bulges down."""
    chord = np.array(b.position) - a.position
    size = float(np.linalg.norm(chord))
    sag = down(line)
    if size > 0.0:
        chord /= size
    bulge = sag - (sag @ chord) * chord
    if np.linalg.norm(bulge) < 1e-3:
        bulge = np.empty(3)
        curves.perpendicular(chord if size > 0.0 else sag, bulge)
    bulge /= np.linalg.norm(bulge)
    if ta is not None and tb is not None:
        on_one_line = abs(ta @ tb) > 1 - 1e-9 and (size == 0.0 or abs(ta @ chord) > 1 - 1e-9)
        if not on_one_line:
            return ta, tb
        # nothing says which way to bulge: down, and as steeply as the slack asks for (a sine of slope k is longer
        # than its chord by the part k²/4)
        if size == 0.0:
            bulge = sag - (sag @ ta) * ta
            if np.linalg.norm(bulge) < 1e-3:
                bulge = np.empty(3)
                curves.perpendicular(ta, bulge)
            bulge /= np.linalg.norm(bulge)
        slope = 2.0 * math.sqrt(max(1.0 - size / (b.place - a.place), 0.0))
        return ta + slope * bulge, tb - slope * bulge
    if ta is None:
        ta = chord + 1.5 * bulge if tb is None else chord + bulge
    if tb is None:
        tb = chord - 1.5 * bulge
    return ta / np.linalg.norm(ta), tb / np.linalg.norm(tb)


def frame_guess(
    line: Line,
    grid: Grid,
    chain: Chain,
    point_of: Indices,
    hanging: bool,
    turned_by: float = 0.0,
    sag: Array | None = None,
) -> Array:
    """Frames of the staggered chain; clamps are unwound to the fraction `turned_by` of their twist."""
    points = point_guess(line, grid, hanging, sag)
    count = len(point_of)
    tangents = np.full((count, 3), np.nan)
    segment_directions(points, chain.segment_of, tangents)
    on_segment = point_of < 0
    anchors = np.zeros(count, dtype=np.int64)
    q = np.zeros((count, 4))
    for support, at in zip(line.supports, grid.support_at, strict=True):
        if support.direction == NO_DIRECTION or line.is_rope:
            continue
        i = int(np.flatnonzero(point_of == at)[0])
        tangents[i] = support.tangent
        if support.direction == FRAME:
            anchors[i] = 1
            q[i] = unwound(support, turned_by)
    arc = np.concatenate([[0.0], np.cumsum(chain.arc)])
    middle = 0.5 * (grid.s[1:] + grid.s[:-1])
    place = np.where(on_segment, middle[chain.segment_of], grid.s[point_of])
    first_held, last_held = grid.s[grid.support_at[0]], grid.s[grid.support_at[-1]]
    inside = (place >= first_held - 1e-12) & (place <= last_held + 1e-12)
    if line.initial is not None:
        inside[:] = True
    relaxation = min((line.bending / max(line.weight / line.length, 1e-300)) ** (1 / 3), 0.5 * line.length)
    transport_frames(
        q,
        tangents,
        anchors,
        arc,
        inside.astype(np.int64),
        chain.rest,
        down(line),
        relaxation if hanging else 0.0,
    )
    return q


@kernel
def segment_directions(points: Array, segment_of: Indices, tangents: Array) -> None:
    """Unit vectors along the segments, at their frames; nan where the points are."""
    for i in range(len(segment_of)):
        s = segment_of[i]
        if s >= 0:
            x = points[s + 1, 0] - points[s, 0]
            y = points[s + 1, 1] - points[s, 1]
            z = points[s + 1, 2] - points[s, 2]
            size = math.sqrt(x * x + y * y + z * z)
            if size > 0.0:
                tangents[i, 0] = x / size
                tangents[i, 1] = y / size
                tangents[i, 2] = z / size


def unwound(support: Support, turned_by: float) -> tuple[float, float, float, float]:
    """The clamp's frame with only the fraction `turned_by` of its twist applied."""
    half = -0.5 * (1.0 - turned_by) * support.turn
    return product(support.quaternion, (math.cos(half), 0.0, 0.0, math.sin(half)))


@kernel
def carry(q: tuple[float, float, float, float], t: tuple[float, float, float]) -> tuple[float, float, float, float]:
    """The frame q carried to tangent t by the smallest rotation."""
    d3 = tangent(q)
    c = dot(d3, t)
    if c < -1.0 + 1e-12:
        return turned(q, (math.pi, 0.0, 0.0))  # straight back: about d1
    v = cross(d3, t)
    return normalized(quaternion_product((1.0 + c, v[0], v[1], v[2]), q))


@kernel
def transport_frames(
    q: Array,
    tangents: Array,
    anchors: Indices,
    arc: Array,
    inside: Indices,
    rest: Array,
    down: Array,
    relaxation: float,
) -> None:
    """Fills q: transport along the tangents, anchored at the clamps; free tails follow the rest strain or gravity."""
    count = len(q)
    start = -1
    for i in range(count):
        if anchors[i] == 1:
            start = i
            break
    if start < 0:
        for i in range(count):
            if inside[i] == 1 and tangents[i, 0] == tangents[i, 0]:
                start = i
                break
        if start < 0:
            start = 0
            tangents[0, 0] = down[0]
            tangents[0, 1] = down[1]
            tangents[0, 2] = down[2]
        p = carry((1.0, 0.0, 0.0, 0.0), triple(tangents, start))
        for k in range(4):
            q[start, k] = p[k]
    last = start
    for i in range(start + 1, count):
        p = next_frame(q, tangents, inside, arc, rest, down, relaxation, i - 1, i, 1.0)
        if anchors[i] == 1:
            spread_roll(q, arc, last, i, p)
            last = i
        else:
            for k in range(4):
                q[i, k] = p[k]
    for i in range(start - 1, -1, -1):
        p = next_frame(q, tangents, inside, arc, rest, down, relaxation, i + 1, i, -1.0)
        for k in range(4):
            q[i, k] = p[k]


@kernel
def next_frame(
    q: Array, tangents: Array, inside: Indices, arc: Array, rest: Array, down: Array, relaxation: float, a: int, b: int,
    sense: float,
) -> tuple[float, float, float, float]:  # fmt: skip
    p = frame(q, a)
    if inside[b] == 1 and tangents[b, 0] == tangents[b, 0]:
        return carry(p, triple(tangents, b))
    step = abs(arc[b] - arc[a])
    if relaxation > 0.0:
        t = scale(sense, tangent(p))
        k = 1.0 - math.exp(-step / relaxation)
        t = add(scale(1.0 - k, t), scale(k, triple_of(down)))
        size = math.sqrt(dot(t, t))
        if size < 1e-9:
            return p
        return carry(p, scale(sense / size, t))
    e = min(a, b)
    return turned(p, scale(sense * step, triple(rest, e)))


@kernel
def triple_of(v: Array) -> tuple[float, float, float]:
    return (v[0], v[1], v[2])


@kernel
def spread_roll(q: Array, arc: Array, first: int, last: int, carried: tuple[float, float, float, float]) -> None:
    """Turns the frames first…last about their tangents, evenly along the arc, so that the last one fits its clamp."""
    r = quaternion_between(carried, frame(q, last))
    angle = 2.0 * math.atan2(r[3], r[0])
    if angle > math.pi:
        angle -= 2.0 * math.pi
    elif angle <= -math.pi:
        angle += 2.0 * math.pi
    for i in range(first + 1, last):
        part = angle * (arc[i] - arc[first]) / (arc[last] - arc[first])
        p = turned(frame(q, i), (0.0, 0.0, part))
        for k in range(4):
            q[i, k] = p[k]


def tension_guess(line: Line, grid: Grid, chain: Chain, runs: list[tuple[int, int, int]], nu: Array) -> None:
    """Multipliers with which a rope starts in tension: the vertical pull balances the weight from the lowest point on.

    The horizontal pull is a third of the weight of the run, a typical sag.
    """
    sag = down(line)
    for j, (axis, a, b) in enumerate(runs):
        first, last = line.supports[a], line.supports[b]
        weight = line.weight * (last.place - first.place) / line.length
        pull = max(weight / 3.0, 1e-3 * line.force_scale)
        chord = np.subtract(last.position, first.position)
        side = chord - (chord @ sag) * sag
        size = math.sqrt(float(side @ side))
        middle = (grid.support_at[a] + grid.support_at[b]) // 2
        nu[j] = -chain.force[middle, axis] + (pull * side[axis] / size if size > 0.0 else 0.0)
