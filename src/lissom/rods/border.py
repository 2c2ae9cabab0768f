"""Columns of a staggered chain for whatever acts on its positions: contacts, and bodies its ends sit on.

A unit force N at the place (segment, t) of the cable is carried by the segments between that place and an anchor, a
support that holds the position; it changes the internal force there by ±N, and by the part t in its own segment.
The same numbers say how far the place moves along N when the frames turn [docs/theory/contact.md (2)–(4)].
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import rotation
from lissom.kernels import inline, kernel
from lissom.rods import blocks, staggered
from lissom.rods.chain import Chain, Work, assemble, frame, internal_force, lagrangian, triple
from lissom.rods.shape import positions

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class Terms(NamedTuple):
    """Places of one chain at which unit forces act. k: term."""

    column: Indices  # (k,) the border column it belongs to; two terms may share one (self-contact)
    segment: Indices  # (k,)
    t: Array  # (k,) fraction of the segment
    direction: Array  # (k, 3) the force: a unit vector for a column, N for a load


@inline
def share(s: int, segment: int, t: float, anchor: int) -> float:
    """The part of a unit force at (segment, t) that segment s carries, if the point `anchor` is held."""
    if anchor <= segment:
        if s < anchor or s > segment:
            return 0.0
        return t if s == segment else 1.0
    if s < segment or s >= anchor:
        return 0.0
    return t - 1.0 if s == segment else -1.0


@kernel
def carried_force(force: Array, anchor: Indices, terms: Terms, out: Array) -> None:
    """out = the known internal force with what the terms add, per segment; anchor[s, axis] is a point."""
    for s in range(len(force)):
        for k in range(3):
            out[s, k] = force[s, k]
    for m in range(len(terms.column)):
        at, t = terms.segment[m], terms.t[m]
        for k in range(3):
            pull = terms.direction[m, k]
            if pull == 0.0:
                continue
            a = anchor[at, k]
            for s in range(min(a, at), max(a, at + 1)):
                out[s, k] += pull * share(s, at, t, a)


@kernel
def evaluate(chain: Chain, work: Work, q: Array, nu: Array, base: Array, anchor: Indices, terms: Terms) -> None:
    """Fills what `assemble` fills, under the terms' forces, which stay in chain.force."""
    carried_force(base, anchor, terms, chain.force)
    assemble(chain, work, q, nu)


class Anchored(NamedTuple):
    """From where the positions of a chain are counted. p: point."""

    point: Indices  # (p, 3) per axis a point that is held
    support: Indices  # (p, 3) the number of the support that holds it
    held: Array  # (supports, 3) m: where


@kernel
def anchored(relative: Array, at: Anchored) -> Array:
    """(points, 3) m, world: those counted from the first one, moved to where the supports hold them."""
    x = np.empty_like(relative)
    for i in range(len(x)):
        for k in range(3):
            x[i, k] = relative[i, k] + at.held[at.support[i, k], k] - relative[at.point[i, k], k]
    return x


@kernel
def located(chain: Chain, q: Array, nu: Array, at: Anchored, relative: Array) -> Array:
    """(points, 3) m for these frames and run forces; fills `relative`, the first at the origin."""
    positions(chain, q, nu, relative)
    return anchored(relative, at)


@kernel
def potential(
    chain: Chain, q: Array, nu: Array, base: Array, loaded: Array, at: Anchored, relative: Array, closure: Array
) -> tuple[float, Array]:
    """(ℒ without the terms' forces, points); fills the closure error, and the points from the first on.

    Points are stretched by `loaded`.
    """
    chain.force[:] = base
    value = lagrangian(chain, q, nu, closure)
    chain.force[:] = loaded
    return value, located(chain, q, nu, at, relative)


@kernel
def first_frames(site: Indices, anchor: Indices, terms: Terms, first: Indices) -> None:
    """Lowers first[column] to the first frame that the column's terms turn."""
    for m in range(len(terms.column)):
        at = terms.segment[m]
        low = min(at, anchor[at, 0], anchor[at, 1], anchor[at, 2])
        j = terms.column[m]
        first[j] = min(first[j], site[min(low, len(anchor) - 2)])


@kernel
def fill_columns(chain: Chain, work: Work, q: Array, nu: Array, site: Indices, anchor: Indices, terms: Terms) -> None:
    """Adds the terms' columns, and what stretching adds between them and the runs. site[s]: the frame of segment s."""
    h, compliance, force, run = chain.h, chain.compliance, chain.force, chain.run
    columns, border = work.columns, work.border
    count = len(terms.column)
    for s in range(len(h)):
        i = site[s]
        R = rotation(frame(q, i))
        n = internal_force(force, run, nu, s)
        _, _, G = staggered.segment(R, n, h[s], compliance[s])
        stretch = h[s] * compliance[s]
        for m in range(count):
            at, t = terms.segment[m], terms.t[m]
            w0 = terms.direction[m, 0] * share(s, at, t, anchor[at, 0])
            w1 = terms.direction[m, 1] * share(s, at, t, anchor[at, 1])
            w2 = terms.direction[m, 2] * share(s, at, t, anchor[at, 2])
            if w0 == 0.0 and w1 == 0.0 and w2 == 0.0:
                continue
            j = terms.column[m]
            columns[i, j, 0] += G[0] * w0 + G[3] * w1 + G[6] * w2
            columns[i, j, 1] += G[1] * w0 + G[4] * w1 + G[7] * w2
            columns[i, j, 2] += G[2] * w0 + G[5] * w1 + G[8] * w2
            if stretch == 0.0:
                continue
            along = stretch * (R[2] * w0 + R[5] * w1 + R[8] * w2)
            for k in range(3):
                r = run[s, k]
                if r >= 0:
                    border[j, r] += along * R[3 * k + 2]
                    border[r, j] += along * R[3 * k + 2]
            for l in range(count):
                b = terms.segment[l]
                v0 = terms.direction[l, 0] * share(s, b, terms.t[l], anchor[b, 0])
                v1 = terms.direction[l, 1] * share(s, b, terms.t[l], anchor[b, 1])
                v2 = terms.direction[l, 2] * share(s, b, terms.t[l], anchor[b, 2])
                border[j, terms.column[l]] += along * (R[2] * v0 + R[5] * v1 + R[8] * v2)


@kernel
def reduce(chain: Chain, work: Work, first: Indices, width: int, shift: float, tiny: float) -> int:
    """Eliminates the frames: work.schur over the first `width` columns and the right-hand side −g; returns n₋(K)."""
    gradient, columns = work.gradient, work.columns
    for i in range(len(gradient)):
        for k in range(3):
            columns[i, width, k] = -gradient[i, k]
    return blocks.factor(
        len(gradient), width, first, shift, tiny, work.diagonal, work.upper, columns, chain.mask,
        work.inverse, work.ratio, work.solved, work.carried, work.schur,
    )  # fmt: skip


@kernel
def condense(
    work: Work, own: int, width: int, mine: Indices, at: Indices, across: Array, block: Array, Z: Array, right: Array
) -> None:
    """Takes what is left of a chain's columns off the border, where they are `mine`, which may be named twice.

    Fills `block`, that of the runs, and takes from `across` (runs, …) what couples them, in its columns `at`.
    """
    schur, border = work.schur, work.border
    runs = len(block)
    for i in range(len(mine)):
        k = own + i
        right[mine[i]] -= schur[k, width]
        for j in range(len(mine)):
            Z[mine[i], mine[j]] -= schur[k, own + j] + border[k, own + j]
        for r in range(runs):
            across[r, at[i]] -= schur[k, r] + border[k, r]
    for r in range(runs):
        for t in range(runs):
            block[r, t] = -(schur[r, t] + border[r, t])


@kernel
def without_runs(Z: Array, right: Array, columns: Indices, across: Array, inverse: Array, side: Array) -> None:
    """Takes the runs out of the border: acrossᵀ·inverse·across and acrossᵀ·side off these columns of it."""
    runs = len(inverse)
    solved = np.zeros((runs, len(columns)))
    for r in range(runs):
        for t in range(runs):
            for j in range(len(columns)):
                solved[r, j] += inverse[r, t] * across[t, j]
    for i in range(len(columns)):
        for r in range(runs):
            a = across[r, i]
            right[columns[i]] -= a * side[r]
            for j in range(len(columns)):
                Z[columns[i], columns[j]] -= a * solved[r, j]


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
