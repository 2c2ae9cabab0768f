"""A chain of rigid segments with springs at its joints, on one level of refinement: what the kernels read and write.

*Sites* are directions along the cable: one for each segment, and one of length 0 wherever a direction is held (an
orientation vector of an end, a clamp). Neighbouring sites are joined by a spring. What varies are the directions;
positions follow, so that the length is constant by construction (docs/theory/kinematic.md §1).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, add, dot, scale
from lissom.kernels import inline, lean_kernel
from lissom.kinematic.springs import spring_energy

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


# What a descent remembers of a chain.
SHIFT, STEPS, KICKS, TURN, ENERGY, STATUS = range(6)
STATES = 6


class Chain(NamedTuple):
    """i: site, j: run, s: span, p: support that holds a place, t: twist spring, n: joint."""

    h: Array  # (i,) m: length of the segment; 0 where a direction is held
    k: Array  # (i − 1,) N m: spring between neighbouring sites
    free: Indices  # (i,) 1 where the direction may turn
    force: Array  # (i, 3) N: the known part of the internal force in the middle of the segment
    run: Indices  # (j, 3) axis, first site, site after the last
    target: Array  # (j,) m: what the run spans along its axis
    joint: Indices  # (i,) the joint at the end of the segment
    anchor: Indices  # (p,) joints that are held in place, in order
    place: Array  # (p, 3) m: where
    base: Indices  # (n, 2) sites between a joint and the support it is counted from: first, after the last
    sign: Array  # (n,) +1 where the support is before it, −1 where it is beyond
    twist: Indices  # (t, 2) the sites whose frames are held, of each stretch between two clamps
    twist_stiffness: Array  # (t,) N m: C/l of the whole stretch
    twist_frames: Array  # (t, 2, 4) the frames held, the second turned back to twist 0
    twist_turn: Array  # (t,) rad: the twist it has


class Work(NamedTuple):
    """Written by every step. b: border column."""

    p: Array  # (i, 3) two unit vectors at right angles to each direction
    q: Array  # (i, 3)
    gradient: Array  # (i, 2) of the Lagrangian
    diagonal: Array  # (i, 3) blocks xx, xy, yy of its Hessian
    beside: Array  # (i, 4) blocks between a site and the next, row by row
    inverse: Array  # (i, 3) inverted pivots
    lower: Array  # (i, 4)
    solved: Array  # (b + 1, i, 2) the border columns, and last the gradient, times the inverse
    column: Array  # (b, i, 2)
    compliance: Array  # (b,)
    wanted: Array  # (b,)
    schur: Array  # (b, b + 1)
    change: Array  # (b,)
    step: Array  # (i, 2)
    tried: Array  # (i, 3)
    x: Array  # (n, 3) joints
    turning: Array  # (i, 3) gradient of a twist
    window_free: Indices  # (6,) four segments between directions that stay
    window_run: Indices  # (3, 3) their closure
    window_target: Array  # (3,)
    window_nu: Array  # (3,)
    window_state: Array  # (STATES,)


def make_work(sites: int, joints: int, border: int) -> Work:
    return Work(
        p=np.zeros((sites, 3)),
        q=np.zeros((sites, 3)),
        gradient=np.zeros((sites, 2)),
        diagonal=np.zeros((sites, 3)),
        beside=np.zeros((sites, 4)),
        inverse=np.zeros((sites, 3)),
        lower=np.zeros((sites, 4)),
        solved=np.zeros((border + 1, sites, 2)),
        column=np.zeros((border, sites, 2)),
        compliance=np.zeros(border),
        wanted=np.zeros(border),
        schur=np.zeros((border, border + 1)),
        change=np.zeros(border),
        step=np.zeros((sites, 2)),
        tried=np.zeros((sites, 3)),
        x=np.zeros((joints, 3)),
        turning=np.zeros((sites, 3)),
        window_free=np.array([0, 1, 1, 1, 1, 0]),
        window_run=np.zeros((3, 3), dtype=np.int64),
        window_target=np.zeros(3),
        window_nu=np.zeros(3),
        window_state=np.zeros(STATES),
    )


@inline
def row(a: Array, i: int) -> Vector:
    return (a[i, 0], a[i, 1], a[i, 2])


@inline
def put(a: Array, i: int, v: Vector) -> None:
    a[i, 0], a[i, 1], a[i, 2] = v[0], v[1], v[2]


@lean_kernel
def joints(chain: Chain, d: Array, x: Array) -> None:
    """Fills x with the joints (n, 3), m: each span begins at its support."""
    first = chain.anchor[0]
    put(x, first, row(chain.place, 0))
    p = 1
    for i in range(len(chain.h)):
        n = chain.joint[i]
        if chain.h[i] == 0.0 or n <= first:
            continue
        if p < len(chain.anchor) and n == chain.anchor[p]:
            put(x, n, row(chain.place, p))
            p += 1
        else:
            put(x, n, add(row(x, n - 1), scale(chain.h[i], row(d, i))))
    for i in range(len(chain.h) - 1, -1, -1):
        n = chain.joint[i]
        if chain.h[i] > 0.0 and n <= first:
            put(x, n - 1, add(row(x, n), scale(-chain.h[i], row(d, i))))


@lean_kernel
def bending_and_height(chain: Chain, d: Array) -> float:
    """Energies (4.2) and (4.1) of HD00, J; heights count from the first support."""
    energy = 0.0
    for i in range(len(chain.k)):
        if chain.k[i] > 0.0:
            energy += spring_energy(chain.k[i], row(d, i), row(d, i + 1))
    for i in range(len(chain.h)):
        energy -= chain.h[i] * dot(row(chain.force, i), row(d, i))
    return energy


@lean_kernel
def closure_error(chain: Chain, d: Array) -> float:
    """The largest miss of a run, m."""
    worst = 0.0
    for j in range(len(chain.run)):
        axis = chain.run[j, 0]
        total = -chain.target[j]
        for i in range(chain.run[j, 1], chain.run[j, 2]):
            total += chain.h[i] * d[i, axis]
        worst = max(worst, abs(total))
    return worst
