"""What bodies feel of the cables that sit on them.  [bodies.py, docs/theory/contact.md §5]"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, add, apply, cross, dot, rotation, scale, sub
from lissom.kernels import inline, kernel
from lissom.rods import staggered
from lissom.rods.chain import Chain, frame, internal_force, triple

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class Held(NamedTuple):
    """The supports of a chain. s: support."""

    point: Indices  # (s,)
    site: Indices  # (s,) the frame at that point; −1 where there is none
    holds: Array  # (s, 3) 1 along the axes in which it holds the position, else 0
    load: Array  # (s, 3) N: single loads at its point


class Seats(NamedTuple):
    """Supports of one chain that sit on bodies. k: seat."""

    row: Indices  # (k,) of `AtSeats`
    support: Indices  # (k,)
    turns: Indices  # (k,) 1 where the body holds the frame too, else 0


class AtSeats(NamedTuple):
    """What is felt at each seat, of all chains."""

    force: Array  # (k, 3) N, world: of the support on the cable
    moment: Array  # (k, 3) N m, world: the gradient of the energy at the held frame
    own: Array  # (k, 3, 3) N m, world: its second derivative
    before: Array  # (k, 3, 3) N m: the coupling with the frame before; the axes of that frame, then of the world
    after: Array  # (k, 3, 3) and with the one after


def new_at_seats(seats: int) -> AtSeats:
    three = (seats, 3, 3)
    return AtSeats(np.zeros((seats, 3)), np.zeros((seats, 3)), np.zeros(three), np.zeros(three), np.zeros(three))


@kernel
def feel(chain: Chain, q: Array, nu: Array, held: Held, seats: Seats, at: AtSeats) -> None:
    """Fills the rows of a chain's seats."""
    for k in range(len(seats.row)):
        support, row = seats.support[k], seats.row[k]
        force = reaction(chain, nu, held.point[support])
        for axis in range(3):
            at.force[row, axis] = (force[axis] - held.load[support, axis]) * held.holds[support, axis]
        if seats.turns[k] == 1:
            feel_frame(chain, q, held.site[support], row, at)


@inline
def reaction(chain: Chain, nu: Array, point: int) -> Vector:
    """N: what holds a point of a cable, from the internal force on both sides of it."""
    force = (0.0, 0.0, 0.0)
    if point < len(chain.h):
        half = scale(0.5 * chain.h[point], triple(chain.weight, point))
        force = sub(force, add(internal_force(chain.force, chain.run, nu, point), half))
    if point > 0:
        half = scale(0.5 * chain.h[point - 1], triple(chain.weight, point - 1))
        force = add(force, sub(internal_force(chain.force, chain.run, nu, point - 1), half))
    return force


@kernel
def feel_frame(chain: Chain, q: Array, i: int, row: int, at: AtSeats) -> None:
    gradient, own, before, after = held_frame(chain, q, i)
    R = rotation(frame(q, i))
    for k in range(3):
        at.moment[row, k] = 0.0
        for l in range(3):
            at.moment[row, k] += R[3 * k + l] * gradient[l]
            a = b = c = 0.0
            for m in range(3):
                b += before[k, m] * R[3 * l + m]
                c += after[k, m] * R[3 * l + m]
                for n in range(3):
                    a += R[3 * k + m] * own[m, n] * R[3 * l + n]
            at.own[row, k, l] = a
            at.before[row, k, l] = b
            at.after[row, k, l] = c
    for j in range(len(chain.moment_site)):  # a moment load there acts on the body
        if chain.moment_site[j] == i:
            load = triple(chain.moment, j)
            if chain.moment_turns[j] == 1:
                load = apply(R, load)
            for k in range(3):
                at.moment[row, k] -= load[k]


@kernel
def held_frame(chain: Chain, q: Array, i: int) -> tuple[Array, Array, Array, Array]:
    """What a frame held by a body feels: gradient (3,), own block (3, 3), blocks to the frames before and after.

    All in the frames' own axes; a coupling block has the neighbour's axes first.
    """
    gradient = np.zeros(3)
    own = np.zeros((3, 3))
    before = np.zeros((3, 3))
    after = np.zeros((3, 3))
    if i > 0:
        _, _, g, _, ab, bb = staggered.bending_terms(
            frame(q, i - 1), frame(q, i), chain.arc[i - 1], triple(chain.stiffness, i - 1), triple(chain.rest, i - 1)
        )
        for k in range(3):
            gradient[k] += g[k]
            for l in range(3):
                own[k, l] += 0.5 * (bb[3 * k + l] + bb[3 * l + k])
                before[l, k] = ab[3 * l + k]
    if i + 1 < len(q):
        _, g, _, aa, ab, _ = staggered.bending_terms(
            frame(q, i), frame(q, i + 1), chain.arc[i], triple(chain.stiffness, i), triple(chain.rest, i)
        )
        for k in range(3):
            gradient[k] += g[k]
            for l in range(3):
                own[k, l] += 0.5 * (aa[3 * k + l] + aa[3 * l + k])
                after[l, k] = ab[3 * k + l]
    return gradient, own, before, after


@kernel
def gather(at: AtSeats, first: int, arms: Array, stiff: Array) -> Array:
    """(k, 6) force (N) and moment (N m) on a body by its seats, the rows from `first` on; adds their B to `stiff`.

    `arms` (k, 3): from its origin to them, world, m. B has the lever of each: ½(f ρᵀ + ρ fᵀ) − (f·ρ) 1.
    """
    wrenches = np.empty((len(arms), 6))
    for i in range(len(arms)):
        row = first + i
        f, arm = triple(at.force, row), triple(arms, i)
        moment = add(cross(arm, f), triple(at.moment, row))
        both = dot(f, arm)
        for k in range(3):
            wrenches[i, k] = -f[k]
            wrenches[i, 3 + k] = -moment[k]
            for l in range(3):
                stiff[k, l] += at.own[row, k, l] + 0.5 * (f[k] * arm[l] + arm[k] * f[l]) - (both if k == l else 0.0)
    return wrenches
