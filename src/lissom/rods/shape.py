"""From the solver's frames and multipliers to the shape: positions, frames, forces and moments at the points."""

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Quaternion, Vector, apply, dot, normalized, rotation, scale, sub, tangent, turned
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.rods import polished, staggered
from lissom.rods.chain import POLISHED, Chain, frame, internal_force, triple
from lissom.rods.relative import half_angle_and_axis

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@kernel
def positions(chain: Chain, q: Array, nu: Array, x: Array) -> None:
    """Positions of the points, the first at the origin."""
    h, stiffness, rest, slope, weight = chain.h, chain.stiffness, chain.rest, chain.slope, chain.weight
    force, run, segment_of, compliance = chain.force, chain.run, chain.segment_of, chain.compliance
    x[0] = 0.0
    for i in range(len(q)):
        if chain.scheme == POLISHED:
            s = i
            if s >= len(h):
                break
            _, dx = polished.energy_and_advance(
                frame(q, s), frame(q, s + 1), internal_force(force, run, nu, s), triple(weight, s), h[s],
                triple(stiffness, s), triple(rest, s), triple(slope, s),
            )  # fmt: skip
        else:
            s = segment_of[i]
            if s < 0:
                continue
            dx = staggered.segment_advance(frame(q, i), internal_force(force, run, nu, s), h[s], compliance[s])
        for k in range(3):
            x[s + 1, k] = x[s, k] + dx[k]


@kernel
def forces(chain: Chain, nu: Array, before: Array, after: Array) -> None:
    """Internal force just before and just after each point; n' = −f within a segment.

    Before the first and after the last point there is nothing, and the force is zero.
    """
    last = len(chain.h)
    before[0] = 0.0
    after[last] = 0.0
    for s in range(last):
        n = internal_force(chain.force, chain.run, nu, s)
        half = 0.5 * chain.h[s]
        for k in range(3):
            after[s, k] = n[k] + half * chain.weight[s, k]
            before[s + 1, k] = n[k] - half * chain.weight[s, k]


@kernel
def polished_moments(chain: Chain, q: Array, nu: Array, before: Array, after: Array) -> None:
    """Internal moment (world) just before and after each point: the elements' gradients there."""
    last = len(chain.h)
    before[0] = 0.0
    after[last] = 0.0
    for s in range(last):
        _, ga, gb, _, _, _, _, _, _, _ = polished.element(
            frame(q, s), frame(q, s + 1), internal_force(chain.force, chain.run, nu, s), triple(chain.weight, s),
            chain.h[s], triple(chain.stiffness, s), triple(chain.rest, s), triple(chain.slope, s),
        )  # fmt: skip
        ma = apply(rotation(frame(q, s)), ga)
        mb = apply(rotation(frame(q, s + 1)), gb)
        for k in range(3):
            after[s, k] = -ma[k]
            before[s + 1, k] = mb[k]


@kernel
def staggered_points(
    chain: Chain, q: Array, nu: Array, point_of: Indices, stiffness: Array, rest: Array, turn: Array, frames: Array,
    before: Array, after: Array,
) -> None:  # fmt: skip
    """Frames and moments at the points of a staggered chain.

    stiffness (segments, 3) N m²; rest (segments, 3) 1/m; turn (segments, 3) rad: by which the second half of each
    segment is turned at rest.

    An element that joins two segments carries the moment at the point between them; one that ends at a frame held at
    a point carries the moment there, since the whole couple h d3 × n of the segment acts on the segment's frame. At a
    free end the moment is zero.
    """
    last = len(chain.h)
    before[:] = 0.0
    after[:] = 0.0
    point = 0
    for i in range(len(q)):
        if point_of[i] >= 0:
            point = point_of[i]
            for k in range(4):
                frames[point, k] = q[i, k]
        else:
            s = chain.segment_of[i]
            if i == 0:
                first = sub(scale(chain.h[s], triple(rest, s)), triple(turn, s))
                put(turned(frame(q, 0), scale(-1.0, first)), frames, 0)
            if i == len(q) - 1:
                put(turned(frame(q, i), triple(turn, s)), frames, last)
        if i + 1 == len(q):
            continue
        M, middle = staggered.bending_moment(
            frame(q, i), frame(q, i + 1), chain.arc[i], triple(chain.stiffness, i), triple(chain.rest, i)
        )
        R = rotation(middle)
        m = apply(R, M)
        a = chain.segment_of[i]
        b = chain.segment_of[i + 1]
        if a >= 0 and b >= 0:
            # of the turn from frame to frame the first half of the element has its own share [rods.md (12)]
            p = turned(frame(q, i), first_share(0.5 * chain.h[a], triple(stiffness, a), M, triple(turn, a)))
            if stiffness[a, 0] == 0.0 or stiffness[a, 1] == 0.0 or stiffness[a, 2] == 0.0:
                p = turned(frame(q, i), scale(chain.h[a] / (chain.h[a] + chain.h[b]), relative(q, i)))
            for k in range(4):
                frames[b, k] = p[k]
            for k in range(3):
                before[b, k] = m[k]
                after[b, k] = m[k]
        elif a >= 0:  # towards a frame at a point
            p = point_of[i + 1]
            for k in range(3):
                before[p, k] = m[k]
        else:
            p = point_of[i]
            for k in range(3):
                after[p, k] = m[k]


@inline
def put(p: Quaternion, frames: Array, point: int) -> None:
    for k in range(4):
        frames[point, k] = p[k]


@inline
def first_share(half: float, D: Vector, M: Vector, rest: Vector) -> Vector:
    """The turn of half a segment under the moment M, rad."""
    return (half * M[0] / D[0] + rest[0], half * M[1] / D[1] + rest[1], half * M[2] / D[2] + rest[2])


@kernel
def relative(q: Array, i: int) -> tuple[float, float, float]:
    psi, u, _ = half_angle_and_axis(frame(q, i), frame(q, i + 1))
    return scale(2.0 * psi, u)


@kernel
def end_frame(chain: Chain, q: Array, i: int, step: float, frames: Array, point: int) -> None:
    """The frame at a free end: that of the last segment, turned on by half of it with the rest strain."""
    e = min(max(i - 1, 0), len(chain.arc) - 1) if step > 0 else 0
    p = turned(frame(q, i), scale(step, triple(chain.rest, e)))
    for k in range(4):
        frames[point, k] = p[k]


@kernel
def frames_at_points(q: Array, point_of: Indices, chain: Chain, out: Array) -> None:
    """Start of the polished chain: the staggered frames interpolated to the points."""
    last = len(chain.h)
    for i in range(len(q)):
        if point_of[i] >= 0:
            for k in range(4):
                out[point_of[i], k] = q[i, k]
        else:
            s = chain.segment_of[i]
            if i == 0:
                end_frame(chain, q, 0, -0.5 * chain.h[s], out, 0)
            if i == len(q) - 1:
                end_frame(chain, q, i, 0.5 * chain.h[s], out, last)
            elif point_of[i + 1] < 0:
                w = chain.h[s + 1] / (chain.h[s] + chain.h[s + 1])
                sign = 0.0
                for k in range(4):
                    sign += q[i, k] * q[i + 1, k]
                v = 1.0 - w if sign >= 0.0 else w - 1.0
                p = normalized(
                    (
                        w * q[i, 0] + v * q[i + 1, 0],
                        w * q[i, 1] + v * q[i + 1, 1],
                        w * q[i, 2] + v * q[i + 1, 2],
                        w * q[i, 3] + v * q[i + 1, 3],
                    )
                )
                for k in range(4):
                    out[s + 1, k] = p[k]


@kernel
def frames_on_segments(q: Array, point_of: Indices, chain: Chain, out: Array) -> None:
    """Start of the staggered chain from the frames at the points: the middle of each segment."""
    for i in range(len(out)):
        if point_of[i] >= 0:
            for k in range(4):
                out[i, k] = q[point_of[i], k]
        else:
            s = chain.segment_of[i]
            _, _, middle = half_angle_and_axis(frame(q, s), frame(q, s + 1))
            for k in range(4):
                out[i, k] = middle[k]


@kernel
def energy(
    chain: Chain, q: Array, nu: Array, anchor_at: Indices, anchor: Array, load_at: Indices, load: Array,
    x: Array, elastic: Array,
) -> tuple[float, float]:  # fmt: skip
    """(elastic energy, potential of weight and loads), J; along axis k the point anchor_at[k] is at anchor[k].

    Fills x with the positions and `elastic` as `energies` does.
    """
    energies(chain, q, nu, elastic)
    positions(chain, q, nu, x)
    for k in range(3):
        offset = anchor[k] - x[anchor_at[k], k]
        for i in range(len(x)):
            x[i, k] += offset
    potential = gravity_energy(chain, q, nu, x)
    for m in range(len(load_at)):
        for k in range(3):
            potential -= load[m, k] * x[load_at[m], k]
    return elastic[0] + elastic[1] + elastic[2], potential


@kernel
def energies(chain: Chain, q: Array, nu: Array, out: Array) -> None:
    """out = (bending, torsion, stretch), J."""
    out[:] = 0.0
    for e in range(len(chain.arc)):
        psi, u, _ = half_angle_and_axis(frame(q, e), frame(q, e + 1))
        a = chain.arc[e]
        D = triple(chain.stiffness, e)
        k = 2.0 * psi / a
        w = (k * u[0], k * u[1], k * u[2])
        strain = (w[0] - chain.rest[e, 0], w[1] - chain.rest[e, 1], w[2] - chain.rest[e, 2])
        bend = D[0] * strain[0] ** 2 + D[1] * strain[1] ** 2
        twist = D[2] * strain[2] ** 2
        out[0] += 0.5 * a * bend
        out[1] += 0.5 * a * twist
    if chain.scheme != POLISHED:
        for i in range(len(q)):
            s = chain.segment_of[i]
            if s >= 0 and chain.compliance[s] > 0.0:
                n = internal_force(chain.force, chain.run, nu, s)
                tension = dot(n, tangent(frame(q, i)))
                out[2] += 0.5 * chain.h[s] * chain.compliance[s] * tension * tension


@kernel
def gravity_energy(chain: Chain, q: Array, nu: Array, x: Array) -> float:
    """−∫ f·r ds over the points' positions x.

    The trapezium rule is what the staggered element implies (weight lumped at the points); the polished one adds the
    end correction −(h²/12)(r'₊ − r') that makes it fourth order.
    """
    value = 0.0
    for s in range(len(chain.h)):
        h = chain.h[s]
        for k in range(3):
            value -= 0.5 * h * chain.weight[s, k] * (x[s, k] + x[s + 1, k])
        if chain.scheme == POLISHED:
            a = tangent(frame(q, s))
            b = tangent(frame(q, s + 1))
            for k in range(3):
                value += h * h / 12.0 * chain.weight[s, k] * (b[k] - a[k])
    return value
