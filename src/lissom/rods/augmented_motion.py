"""Moving positions and frames together, without stretching the segments that turn.

Moved straight, x + dx and R·exp(φ), a turning segment stretches by ½ φ², and steps down the narrow valley of
a large penalty ρ would have to be short. So each point also moves by the sum of

    h (d3(φ) − d3 − ∂d3·φ)

over the segments before it, less what would carry it off its supports (linearly between them). The path bends
but has the same tangent: what descends still descends, and a free tail swings without resistance.
"""

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, rotation, tangent, turned
from lissom.kernels import inline, kernel
from lissom.rods.augmented_terms import Layout
from lissom.rods.chain import Chain, frame

Array = NDArray[np.float64]


@kernel
def moved(
    chain: Chain, layout: Layout, x: Array, q: Array, step: Array, length: float, x_out: Array, q_out: Array
) -> None:
    """q_out = q·exp(length·φ), x_out = x + length·dx + what the turns add in second order.

    The outputs must not be the inputs.
    """
    for k in range(3):
        x_out[0, k] = 0.0
    for i in range(len(q)):
        a = turn_of(layout, step, length, i)
        t = frame(q, i)
        bend = (0.0, 0.0, 0.0)
        if a[0] != 0.0 or a[1] != 0.0 or a[2] != 0.0:
            R = rotation(t)
            t = turned(t, a)
            d3 = tangent(t)
            bend = (
                d3[0] - R[2] - a[1] * R[0] + a[0] * R[1],
                d3[1] - R[5] - a[1] * R[3] + a[0] * R[4],
                d3[2] - R[8] - a[1] * R[6] + a[0] * R[7],
            )
        for k in range(4):
            q_out[i, k] = t[k]
        s = chain.segment_of[i]
        if s >= 0:
            for k in range(3):
                x_out[s + 1, k] = x_out[s, k] + chain.h[s] * bend[k]
    for k in range(3):
        meet_supports(chain, layout, x_out, k)
    for p in range(len(x)):
        for k in range(3):
            r = layout.of_point[p, k]
            x_out[p, k] = x[p, k] if r < 0 else x_out[p, k] + x[p, k] + length * step[r]


@inline
def turn_of(layout: Layout, step: Array, length: float, i: int) -> Vector:
    rows = layout.of_frame[i]
    return (
        length * step[rows[0]] if rows[0] >= 0 else 0.0,
        length * step[rows[1]] if rows[1] >= 0 else 0.0,
        length * step[rows[2]] if rows[2] >= 0 else 0.0,
    )


@kernel
def meet_supports(chain: Chain, layout: Layout, y: Array, axis: int) -> None:
    """Takes from a displacement along one axis what it is where that axis is held, linearly in between."""
    last = -1
    at_last = 0.0
    for p in range(len(y)):
        if layout.of_point[p, axis] >= 0:
            continue
        here = y[p, axis]
        if last < 0:
            for r in range(p + 1):
                y[r, axis] -= here
        else:
            span = 0.0
            for s in range(last, p):
                span += chain.h[s]
            part = 0.0
            for r in range(last + 1, p + 1):
                part += chain.h[r - 1] / span
                y[r, axis] -= at_last + part * (here - at_last)
        last = p
        at_last = here
    for r in range(last + 1, len(y)):
        y[r, axis] -= at_last
