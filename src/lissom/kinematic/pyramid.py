"""All levels of one cable in one piece of memory: the chains of two, four, eight … segments in each section.

What does not depend on the level (where the holds are, twist springs) is there once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.kernels import inline, lean_kernel
from lissom.kinematic.chain import Chain

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class Pyramid(NamedTuple):
    """l: level; i, n: sites and joints of all levels one after the other; the rest as in `Chain`."""

    segments: Indices  # (l,) in each section
    site0: Indices  # (l + 1,) the first site of each level
    joint0: Indices  # (l + 1,) the first joint
    h: Array  # (i,)
    k: Array  # (i,) the last of each level is none
    free: Indices  # (i,)
    force: Array  # (i, 3)
    run: Indices  # (l, j, 3)
    target: Array  # (j,)
    joint: Indices  # (i,)
    anchor: Indices  # (l, p)
    place: Array  # (p, 3)
    base: Indices  # (n, 2)
    sign: Array  # (n,)
    at_hold: Indices  # (l, p) the site of each hold, −1 where it holds no direction
    tangent: Array  # (p, 3) the directions held
    twist: Indices  # (l, t, 2)
    twist_stiffness: Array  # (t,)
    twist_frames: Array  # (t, 2, 4)
    twist_turn: Array  # (t,)
    d: Array  # (i, 3) the directions: what is solved for
    nu: Array  # (l, j) N, forces of the runs
    theta: Array  # (l, t) rad
    state: Array  # (l, STATES)
    span: Array  # (s, 5) length, mean bending stiffness, weight x, y, z
    down: Array  # (3,)
    vector: Array  # (p, 4) orientation vectors of the first shapes, and 1 where there is one


def level_chain(pyramid: Pyramid, level: int) -> Chain:
    """The chain of one level: views of the pyramid."""
    a, b = pyramid.site0[level], pyramid.site0[level + 1]
    m, n = pyramid.joint0[level], pyramid.joint0[level + 1]
    return Chain(
        pyramid.h[a:b], pyramid.k[a : b - 1], pyramid.free[a:b], pyramid.force[a:b], pyramid.run[level], pyramid.target,
        pyramid.joint[a:b], pyramid.anchor[level], pyramid.place, pyramid.base[m:n], pyramid.sign[m:n],
        pyramid.twist[level], pyramid.twist_stiffness, pyramid.twist_frames, pyramid.twist_turn,
    )  # fmt: skip


chain_of = inline(level_chain)  # for kernels, which count no references


@lean_kernel
def hold_directions(pyramid: Pyramid, level: int) -> None:
    """Puts the orientation vectors into the directions."""
    d = pyramid.d[pyramid.site0[level] : pyramid.site0[level + 1]]
    for p in range(len(pyramid.place)):
        i = pyramid.at_hold[level, p]
        if i >= 0:
            for m in range(3):
                d[i, m] = pyramid.tangent[p, m]
