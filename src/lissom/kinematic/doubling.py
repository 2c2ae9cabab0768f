"""From level to level: first shapes, a joint more in the middle of every segment, and the order of HD00's figures.

`advance` is all that happens in a solve between two looks at the clock or at what may touch.
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, scale, sub
from lissom.kernels import inline, lean_kernel
from lissom.kinematic.chain import ENERGY, STATUS, STEPS, Chain, Work, put, row
from lissom.kinematic.circle import two_segment
from lissom.kinematic.closing import close_all
from lissom.kinematic.descent import FALLING, descend, guess_forces
from lissom.kinematic.lens import four_starts
from lissom.kinematic.pyramid import Pyramid, chain_of, hold_directions
from lissom.kinematic.touching import Contacts
from lissom.kinematic.twisting import begin_twists

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

TWO, FOUR = 0, 1  # numbers of the first levels: two segments in each section, four
MOST_STEPS = 200  # on one level
STARTS = 3  # ways to bulge that are tried
# Figs. 4.5 and A.1 show the order of four-segment optima for up to so many segments. On finer levels it takes longer
# than the sweep over the whole chain that it saves.
PRINTED = 16

# What a cable remembers between two calls.
REACHED, WORKING, COUNT, WAY, WAYS = range(5)


@inline
def triple(a: Array) -> Vector:
    return (a[0], a[1], a[2])


@lean_kernel
def in_order(chain: Chain, work: Work, d: Array, theta: Array, nothing: Contacts, segments: int) -> None:
    """Four segments at a time between joints that stay: those astride the middle of the section, then those beside.

    With eight segments: 2–6, 0–4, 4–8 [HD00 fig. A.1]; with sixteen 2–6, 6–10, 10–14, then 0–4 … 12–16 [fig. 4.5].
    """
    first = 0
    while first < len(chain.h):
        if chain.h[first] == 0.0:
            first += 1
            continue
        for half in range(2):
            for k in range(2 - 2 * half, segments - 3, 4):
                window(chain, work, d, theta, nothing, first + k)
        first += segments


@lean_kernel
def window(chain: Chain, work: Work, d: Array, theta: Array, nothing: Contacts, first: int) -> None:
    """One step towards the optimum of four segments between two joints that stay [HD00 §4].

    Twist springs and contacts are left to the sweeps over the whole chain.
    """
    left = 1 if first > 0 else 0
    a, b = first - left, min(first + 5, len(chain.h))
    for axis in range(3):
        work.window_run[axis, 0], work.window_run[axis, 1], work.window_run[axis, 2] = axis, left, left + 4
        work.window_target[axis] = 0.0
        for i in range(first, first + 4):
            work.window_target[axis] += chain.h[i] * d[i, axis]
    part = Chain(
        chain.h[a:b], chain.k[a : b - 1], work.window_free[1 - left : 1 - left + b - a], chain.force[a:b],
        work.window_run, work.window_target, chain.joint[a:b], chain.anchor, chain.place, chain.base, chain.sign,
        chain.twist[:0], chain.twist_stiffness[:0], chain.twist_frames[:0], chain.twist_turn[:0],
    )  # fmt: skip
    guess_forces(part, work, d[a:b], work.window_nu)
    for m in range(len(work.window_state)):
        work.window_state[m] = 0.0
    descend(part, work, d[a:b], work.window_nu, theta[:0], nothing, work.window_state)


@lean_kernel
def halve_segments(pyramid: Pyramid, level: int) -> None:
    """The next level: every segment becomes two in its direction; held directions stay."""
    j = pyramid.site0[level + 1]
    for i in range(pyramid.site0[level], pyramid.site0[level + 1]):
        for _ in range(1 if pyramid.h[i] == 0.0 else 2):
            put(pyramid.d, j, row(pyramid.d, i))
            j += 1
    for j in range(len(pyramid.target)):
        pyramid.nu[level + 1, j] = pyramid.nu[level, j]
    for t in range(len(pyramid.twist_turn)):
        pyramid.theta[level + 1, t] = pyramid.theta[level, t]


@lean_kernel
def put_shape(pyramid: Pyramid, level: int, span: int, shape: Array, parts: int) -> None:
    """Directions of a span from those of its equal parts, shape (parts, 3)."""
    d = pyramid.d[pyramid.site0[level] : pyramid.site0[level + 1]]
    h = pyramid.h[pyramid.site0[level] : pyramid.site0[level + 1]]
    at = 0.0
    for i in range(pyramid.run[level, 3 * span, 1], pyramid.run[level, 3 * span, 2]):
        if h[i] > 0.0:
            middle = (at + 0.5 * h[i]) / pyramid.span[span, 0]
            put(d, i, row(shape, min(int(parts * middle), parts - 1)))
            at += h[i]


@lean_kernel
def hang_down(pyramid: Pyramid, level: int) -> None:
    """What is beyond the holds hangs down from where it is held."""
    chain = chain_of(pyramid, level)
    d = pyramid.d[pyramid.site0[level] : pyramid.site0[level + 1]]
    for i in range(len(chain.h)):
        if chain.joint[i] > chain.anchor[-1]:
            put(d, i, triple(pyramid.down))
        elif chain.joint[i] <= chain.anchor[0]:
            put(d, i, scale(-1.0, triple(pyramid.down)))
    hold_directions(pyramid, level)


@lean_kernel
def two(pyramid: Pyramid, minima: Array, shape: Array) -> None:
    """The two-segment optimum of every span, on its circle [HD00 §4]."""
    down = triple(pyramid.down)
    for s in range(len(pyramid.span)):
        a, b = row(pyramid.place, s), row(pyramid.place, s + 1)
        length, bending = pyramid.span[s, 0], pyramid.span[s, 1]
        pull = scale(0.5, (pyramid.span[s, 2], pyramid.span[s, 3], pyramid.span[s, 4]))
        k = 4.0 * bending / length
        k1, k2 = k * pyramid.vector[s, 3], k * pyramid.vector[s + 1, 3]
        x = two_segment(
            a, b, 0.5 * length, row(pyramid.vector, s), k1, row(pyramid.vector, s + 1), k2, pull, down, minima
        )
        put(shape, 0, scale(2.0 / length, sub(x, a)))
        put(shape, 1, scale(2.0 / length, sub(b, x)))
        put_shape(pyramid, TWO, s, shape, 2)
    hang_down(pyramid, TWO)
    close_all(chain_of(pyramid, TWO), pyramid.d[: pyramid.site0[1]])


@lean_kernel
def four(pyramid: Pyramid, minima: Array, starts: Array) -> int:
    """Fills starts (s, ways, 4, 3): of each span shapes of four segments, the middle point in its lens [HD00 §4].

    Gives how many ways there are to bulge.
    """
    most = 1
    for s in range(len(pyramid.span)):
        length, bending = pyramid.span[s, 0], pyramid.span[s, 1]
        weight = (pyramid.span[s, 2], pyramid.span[s, 3], pyramid.span[s, 4])
        k = 4.0 * bending / length
        ways = four_starts(
            row(pyramid.place, s), row(pyramid.place, s + 1), length, row(pyramid.vector, s), k * pyramid.vector[s, 3],
            row(pyramid.vector, s + 1), k * pyramid.vector[s + 1, 3], 0.5 * k, weight, triple(pyramid.down), minima,
            starts[s],
        )  # fmt: skip
        most = max(most, ways)
        for way in range(ways, STARTS):  # a span with fewer ways than others keeps its last
            for i in range(4):
                put(starts[s, way], i, row(starts[s, ways - 1], i))
    return most


@lean_kernel
def begin_way(pyramid: Pyramid, work: Work, starts: Array, way: int) -> None:
    """The level of four segments, bulging in one of the ways."""
    hang_down(pyramid, FOUR)
    for s in range(len(pyramid.span)):
        put_shape(pyramid, FOUR, s, starts[s, way], 4)
    close_all(chain_of(pyramid, FOUR), pyramid.d[pyramid.site0[FOUR] : pyramid.site0[FOUR + 1]])
    ready(pyramid, work, FOUR)


@lean_kernel
def keep_lower(pyramid: Pyramid, best: Array) -> None:
    """best (i + j + t + 1, 3) becomes the shape of four segments where that is lower; its last row has the energy."""
    a, b = pyramid.site0[FOUR], pyramid.site0[FOUR + 1]
    if pyramid.state[FOUR, ENERGY] < best[-1, 0]:
        best[-1, 0] = pyramid.state[FOUR, ENERGY]
        for i in range(a, b):
            put(best, i - a, row(pyramid.d, i))
        for j in range(len(pyramid.target)):
            best[b - a + j, 0] = pyramid.nu[FOUR, j]
        for t in range(len(pyramid.twist_turn)):
            best[b - a + t, 1] = pyramid.theta[FOUR, t]


@lean_kernel
def take_lowest(pyramid: Pyramid, best: Array) -> None:
    a, b = pyramid.site0[FOUR], pyramid.site0[FOUR + 1]
    pyramid.state[FOUR, ENERGY] = best[-1, 0]
    for i in range(a, b):
        put(pyramid.d, i, row(best, i - a))
    for j in range(len(pyramid.target)):
        pyramid.nu[FOUR, j] = best[b - a + j, 0]
    for t in range(len(pyramid.twist_turn)):
        pyramid.theta[FOUR, t] = best[b - a + t, 1]


@lean_kernel
def ready(pyramid: Pyramid, work: Work, level: int) -> None:
    """A level with directions but nothing else known."""
    chain = chain_of(pyramid, level)
    d = pyramid.d[pyramid.site0[level] : pyramid.site0[level + 1]]
    begin_twists(chain, d, pyramid.theta[level])
    guess_forces(chain, work, d, pyramid.nu[level])
    for m in range(pyramid.state.shape[1]):
        pyramid.state[level, m] = 0.0


@lean_kernel
def begin(
    pyramid: Pyramid, work: Work, minima: Array, starts: Array, best: Array, warm: bool, progress: Indices
) -> None:
    """The first level to be worked on: from the shape it had, or from the optima of two and of four segments."""
    level = min(FOUR, len(pyramid.segments) - 1)
    progress[REACHED], progress[WORKING] = -1, level
    progress[WAY], progress[WAYS] = 0, 1
    best[-1, 0] = math.inf
    d = pyramid.d[pyramid.site0[level] : pyramid.site0[level + 1]]
    if warm:
        hold_directions(pyramid, level)
        if close_all(chain_of(pyramid, level), d):
            ready(pyramid, work, level)
            return
    two(pyramid, minima, starts[0, 0])
    if level == FOUR:
        progress[WAYS] = four(pyramid, minima, starts)
        begin_way(pyramid, work, starts, 0)
    else:
        ready(pyramid, work, level)


@lean_kernel
def advance(
    pyramid: Pyramid, work: Work, contacts: Contacts, nothing: Contacts, starts: Array, best: Array, quota: float,
    pauses: bool, progress: Indices,
) -> bool:  # fmt: skip
    """Sweeps and doublings for about `quota` segments; True where a level has settled and `pauses` is asked for."""
    while progress[WORKING] < len(pyramid.segments) and quota > 0.0:
        level = progress[WORKING]
        status = descend(
            chain_of(pyramid, level), work, pyramid.d[pyramid.site0[level] : pyramid.site0[level + 1]],
            pyramid.nu[level], pyramid.theta[level], contacts, pyramid.state[level],
        )  # fmt: skip
        progress[COUNT] += 1
        pyramid.state[level, STATUS] = status
        quota -= pyramid.site0[level + 1] - pyramid.site0[level]
        if status == FALLING and pyramid.state[level, STEPS] < MOST_STEPS:
            continue
        if level == FOUR and progress[WAYS] > 1:
            keep_lower(pyramid, best)
            progress[WAY] += 1
            if progress[WAY] < progress[WAYS]:
                begin_way(pyramid, work, starts, progress[WAY])
                continue
            progress[WAYS] = 1
            take_lowest(pyramid, best)
        if pauses:
            return True
        double(pyramid, work, nothing, progress)
    return False


@lean_kernel
def double(pyramid: Pyramid, work: Work, nothing: Contacts, progress: Indices) -> None:
    """A level is done: the next one, from its shape, in the order of the paper."""
    level = progress[WORKING]
    progress[REACHED], progress[WORKING] = level, level + 1
    if level + 1 == len(pyramid.segments):
        return
    halve_segments(pyramid, level)
    chain = chain_of(pyramid, level + 1)
    d = pyramid.d[pyramid.site0[level + 1] : pyramid.site0[level + 2]]
    if pyramid.segments[level + 1] <= PRINTED:
        in_order(chain, work, d, pyramid.theta[level + 1], nothing, pyramid.segments[level + 1])
    for m in range(pyramid.state.shape[1]):
        pyramid.state[level + 1, m] = 0.0
