"""A first guess of the frames from end poses, clips and length alone.

Between two position supports: a cubic (or, for a heavy cable, a catenary) of the right length. Beyond the last
support: the rest shape, or a cable that turns into the direction of gravity. Frames follow by parallel transport;
what is left to turn at the next clamp is spread evenly.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry import curves
from lissom.geometry.triples import (
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


class Start(NamedTuple):
    """Which guess to make."""

    hanging: bool  # a catenary, else a cubic
    sag: Array | None = None  # (3,) unit vector the catenary sags along; None: with gravity, and in tension


class Layout(NamedTuple):
    """What a guess has to know of a grid; made once for each. k: support, i: frame of the staggered chain, j: run."""

    s: Array  # (points,) arc length, m
    point: Indices  # (k,) where the support is
    site: Indices  # (k,) the frame it holds, −1 if none
    direction: Indices  # (k,) NO_DIRECTION, TANGENT or FRAME; a rope has none to hold
    through: Indices  # the supports that hold every axis, in order: the curve goes through them
    segment_of: Indices  # (i,) its segment, −1 at a point
    place: Array  # (i,) arc length, m
    inside: Indices  # (i,) 1 between the first and the last support
    rest: Array  # (i − 1, 3) rest strain between the frames, 1/m
    down: Array  # (3,)
    relaxation: float  # m, within which a free tail turns down
    run: Indices  # (j, 3) axis, support before, support after
    known: Array  # (j,) known part of the force in the middle of the run, N
    pull: Array  # (j,) what a hanging run pulls sideways, N
    is_rope: bool


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


def make_layout(line: Line, grid: Grid, chain: Chain, point_of: Indices, runs: list[tuple[int, int, int]]) -> Layout:
    """`chain` is the staggered one."""
    middle = 0.5 * (grid.s[1:] + grid.s[:-1])
    place = np.where(point_of < 0, middle[chain.segment_of], grid.s[point_of])
    first, last = grid.s[grid.support_at[0]], grid.s[grid.support_at[-1]]
    inside = (place >= first - 1e-12) & (place <= last + 1e-12) | (line.initial is not None)
    through = [k for k, support in enumerate(line.supports) if all(support.holds)]
    sites = {int(p): i for i, p in enumerate(point_of) if p >= 0}
    weights = [line.weight * (line.supports[b].place - line.supports[a].place) / line.length for _, a, b in runs]
    return Layout(
        s=grid.s,
        point=np.array(grid.support_at),
        site=np.array([sites.get(at, -1) for at in grid.support_at]),
        direction=np.array([NO_DIRECTION if line.is_rope else k.direction for k in line.supports]),
        through=np.array(through if through else range(len(line.supports))),
        segment_of=chain.segment_of,
        place=place,
        inside=inside.astype(np.int64),
        rest=chain.rest,
        down=down(line),
        relaxation=min((line.bending / max(line.weight / line.length, 1e-300)) ** (1 / 3), 0.5 * line.length),
        run=np.array(runs, dtype=np.int64).reshape(-1, 3),
        known=np.array([chain.force[(grid.support_at[a] + grid.support_at[b]) // 2, axis] for axis, a, b in runs]),
        pull=np.array([max(weight / 3.0, 1e-3 * line.force_scale) for weight in weights]),
        is_rope=line.is_rope,
    )


class Poses(NamedTuple):
    """Of the supports."""

    positions: Array  # (k, 3) m
    held: Array  # (k, 4) the frames held, clamps turned back to twist 0


def unwound_poses(supports: tuple[Support, ...]) -> Poses:
    held = [unwound(k, 0.0) if k.turn else k.quaternion for k in supports]
    return Poses(np.array([k.position for k in supports]), np.array(held))


def first_guess(layout: Layout, poses: Poses, start: Start, initial: Array | None = None) -> tuple[Array, Array]:
    """(frames of the staggered chain, multipliers), at twist 0."""
    q, nu = np.zeros((len(layout.place), 4)), np.zeros(len(layout.run))
    in_tension = layout.is_rope or (start.hanging and start.sag is None)
    points = np.full((len(layout.s), 3), np.nan)
    if initial is not None:
        curves.resample(refined(initial), layout.s / layout.s[-1], points)
    sag = layout.down if start.sag is None else start.sag
    guess_shape(layout, *poses, start.hanging, sag, in_tension, initial is None, points, q, nu)
    return q, nu


def refined(points: Array) -> Array:
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


def unwound(support: Support, turned_by: float) -> tuple[float, float, float, float]:
    """The clamp's frame with only the fraction `turned_by` of its twist applied."""
    half = -0.5 * (1.0 - turned_by) * support.turn
    return product(support.quaternion, (math.cos(half), 0.0, 0.0, math.sin(half)))


# ---- compiled: positions and held are those of the supports, (k, 3) and (k, 4) ---------------------------------------


@kernel
def guess_shape(
    layout: Layout, positions: Array, held: Array, hanging: bool, sag: Array, in_tension: bool, between: bool,
    points: Array, q: Array, nu: Array,
) -> None:  # fmt: skip
    """Fills q and, if `in_tension`, nu; the points between the supports too, unless they are given."""
    if between:
        span_points(layout, positions, held, hanging, triple_of(sag), points)
    tangents = np.full((len(q), 3), np.nan)
    segment_directions(points, layout.segment_of, tangents)
    anchors = np.zeros(len(q), np.int64)
    for k in range(len(layout.direction)):
        if layout.direction[k] == NO_DIRECTION:
            continue
        i = layout.site[k]
        t = tangent(frame(held, k))
        for m in range(3):
            tangents[i, m] = t[m]
        if layout.direction[k] == FRAME:
            anchors[i] = 1
            for m in range(4):
                q[i, m] = held[k, m]
    relaxation = layout.relaxation if hanging else 0.0
    transport_frames(q, tangents, anchors, layout.place, layout.inside, layout.rest, layout.down, relaxation)
    if in_tension:
        guess_tension(layout, positions, nu)


@kernel
def span_points(layout: Layout, positions: Array, held: Array, hanging: bool, sag: Vector, points: Array) -> None:
    """The points between the supports the curve goes through; those of free tails are left alone."""
    s, through = layout.s, layout.through
    samples = np.empty((curves.SAMPLES, 3))
    for n in range(len(through) - 1):
        a, b = layout.point[through[n]], layout.point[through[n + 1]]
        p0, p1 = triple(positions, through[n]), triple(positions, through[n + 1])
        length = s[b] - s[a]
        if hanging:
            curves.catenary_of_length(p0, p1, sag, length, samples)
        else:
            ends = span_directions(
                p0, p1, length, support_direction(layout, positions, held, n),
                support_direction(layout, positions, held, n + 1), triple_of(layout.down),
            )  # fmt: skip
            curves.hermite_of_length(p0, ends[0], p1, ends[1], length, samples)
        curves.resample(samples, (s[a : b + 1] - s[a]) / length, points[a : b + 1])


@kernel
def support_direction(layout: Layout, positions: Array, held: Array, n: int) -> Vector:
    """The tangent at the n-th support: as held, or from its neighbours; zero at a ball at the end of the chain."""
    through = layout.through
    if layout.direction[through[n]] != NO_DIRECTION:
        return tangent(frame(held, through[n]))
    if 0 < n < len(through) - 1:
        chord = sub(triple(positions, through[n + 1]), triple(positions, through[n - 1]))
        size = math.sqrt(dot(chord, chord))
        if size > 0.0:
            return scale(1.0 / size, chord)
    return (0.0, 0.0, 0.0)


@kernel
def span_directions(
    p0: Vector, p1: Vector, length: float, ta: Vector, tb: Vector, sag: Vector
) -> tuple[Vector, Vector]:
    """End directions of the cubic between two supports; a free one (zero) bulges down."""
    chord = sub(p1, p0)
    size = math.sqrt(dot(chord, chord))
    if size > 0.0:
        chord = scale(1.0 / size, chord)
    bulge = sideways(sag, chord)
    open_a, open_b = dot(ta, ta) == 0.0, dot(tb, tb) == 0.0
    if open_a and open_b:
        return unit(add(chord, scale(1.5, bulge))), unit(sub(chord, scale(1.5, bulge)))
    if open_a:
        return unit(add(chord, bulge)), tb
    if open_b:
        return ta, unit(sub(chord, scale(1.5, bulge)))
    on_one_line = abs(dot(ta, tb)) > 1 - 1e-9 and (size == 0.0 or abs(dot(ta, chord)) > 1 - 1e-9)
    if not on_one_line:
        return ta, tb
    # nothing says which way to bulge: down, and as steeply as the slack asks for (a sine of slope k is longer
    # than its chord by the part k²/4; a tall arch is two straight legs, and would go in a loop if it were less steep)
    if size == 0.0:
        bulge = sideways(sag, ta)
    slope = 2.0 * math.sqrt(max(1.0 - size / length, 0.0))
    if size > 0.0:
        slope = max(slope, math.sqrt(max((length / size) ** 2 - 1.0, 0.0)))
    return add(ta, scale(slope, bulge)), sub(tb, scale(slope, bulge))


@kernel
def sideways(sag: Vector, along: Vector) -> Vector:
    """The unit vector at right angles to `along` that is nearest to `sag`, or some such vector where none is."""
    bulge = sub(sag, scale(dot(sag, along), along))
    if math.sqrt(dot(bulge, bulge)) < 1e-3:
        other = np.empty(3)
        curves.perpendicular(along, other)
        return triple_of(other)
    return unit(bulge)


@kernel
def unit(v: Vector) -> Vector:
    return scale(1.0 / math.sqrt(dot(v, v)), v)


@kernel
def guess_tension(layout: Layout, positions: Array, nu: Array) -> None:
    """Multipliers with which a rope starts in tension: the vertical pull balances the weight from the lowest point on.

    The horizontal pull is a third of the weight of the run, a typical sag.
    """
    sag = triple_of(layout.down)
    for j in range(len(nu)):
        axis, a, b = layout.run[j, 0], layout.run[j, 1], layout.run[j, 2]
        chord = sub(triple(positions, b), triple(positions, a))
        side = sub(chord, scale(dot(chord, sag), sag))
        size = math.sqrt(dot(side, side))
        nu[j] = -layout.known[j] + (layout.pull[j] * side[axis] / size if size > 0.0 else 0.0)


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
