"""Where the unknowns of GS07's formulation stand, and where they start.

The unknowns follow the cable: the position of a point, the turn of a frame that a support holds at it, the
turn of the frame of the segment after it, the next point, and so on [GS07 §4.1]. Components that supports
hold have none.
"""

import numpy as np
from numpy.typing import NDArray

from lissom.kernels import kernel
from lissom.rods import shape
from lissom.rods.augmented_terms import Layout, State
from lissom.rods.chain import Chain, internal_force
from lissom.rods.grid import Grid
from lissom.rods.line import Line
from lissom.rods.newton import Scales

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


def make_layout(line: Line, grid: Grid, chain: Chain, scales: Scales) -> Layout:
    points, frames = len(grid.s), len(chain.mask)
    free = np.ones((points, 3))
    for support, at in zip(line.supports, grid.support_at, strict=True):
        free[at, list(support.holds)] = 0.0
    of_point = np.full((points, 3), -1, dtype=np.int64)
    of_frame = np.full((frames, 3), -1, dtype=np.int64)
    segment_frame = np.zeros(points - 1, dtype=np.int64)
    first = np.zeros(3 * (points + frames), dtype=np.int64)
    metric = np.ones(len(first))
    rows = number_unknowns(
        free, chain.mask, chain.segment_of, of_point, of_frame, segment_frame, first, metric, scales.length
    )
    # what acts at a point is what the known internal force loses there (where a support acts, x is held)
    known = np.vstack([np.zeros(3), chain.force, np.zeros(3)])
    load = known[:-1] - known[1:]
    return Layout(of_point, of_frame, segment_frame, first[:rows], metric[:rows], load)


@kernel
def number_unknowns(
    free: Array,
    mask: Array,
    segment_of: Indices,
    of_point: Indices,
    of_frame: Indices,
    segment_frame: Indices,
    first: Indices,
    metric: Array,
    length: float,
) -> int:
    """Numbers the unknowns along the cable; fills the row numbers, `first` and `metric`.

    A position is coupled back to the point before, a frame to the frame before and to its segment's start.
    """
    row = 0
    frame = 0
    point_before = 0
    frame_before = 0
    for point in range(len(free)):
        here = row
        for k in range(3):
            if free[point, k] > 0.0:
                of_point[point, k] = row
                first[row] = point_before
                metric[row] = 1.0 / length**2
                row += 1
        while frame < len(mask) and segment_of[frame] <= point:
            now = row
            for k in range(3):
                if mask[frame, k] > 0.0:
                    of_frame[frame, k] = row
                    first[row] = min(frame_before, here)
                    row += 1
            frame_before = now
            frame += 1
            if segment_of[frame - 1] == point:
                segment_frame[point] = frame - 1
                break
        point_before = here
    return row


def start(line: Line, grid: Grid, chain: Chain, q: Array, nu: Array) -> State:
    """Positions from the frames, moved linearly between supports to meet them; multipliers from the runs."""
    x = np.zeros((len(grid.s), 3))
    shape.positions(chain, q, nu, x)
    origin = np.array(line.supports[0].position)
    for axis in range(3):
        places, gaps = [], []
        for support, at in zip(line.supports, grid.support_at, strict=True):
            if support.holds[axis]:
                places.append(grid.s[at])
                gaps.append(support.position[axis] - origin[axis] - x[at, axis])
        x[:, axis] += np.interp(grid.s, places, gaps)
    n = np.zeros((len(grid.h), 3))
    known_multipliers(chain, nu, n)
    return State(x, q.copy(), n)


@kernel
def known_multipliers(chain: Chain, nu: Array, n: Array) -> None:
    for s in range(len(n)):
        force = internal_force(chain.force, chain.run, nu, s)
        for k in range(3):
            n[s, k] = force[k]
