"""A cable as a chain of frames: what the solver sees, and the Lagrangian with its derivatives.

The unknowns are the frames along the cable and one force component ν per *run*: along each world axis, a run is the
stretch between two neighbouring supports that hold that axis. The internal force in a segment is n = force + ν (the
known part: weight and loads beyond the segment), the constraint is the closure of the run. Its Lagrangian

    ℒ(R, ν) = Σ elastic − Σ ∫ n·d3 ds + Σ ν·target                      [docs/theory/rods.md (5)]

is stationary exactly at equilibrium; c = −∂ℒ/∂ν is the closure error. Frames move by R ← R·exp(φ), φ in the
frame's own axes; a support holds components of φ (all three: clamp; the first two: the tangent alone).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, apply_transposed, rotation, turned
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.rods import polished, staggered

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

STAGGERED = 0
POLISHED = 1


class Chain(NamedTuple):
    """The discretised cable for one kind of element. i: frame, e: element, s: segment, j: run."""

    scheme: int  # STAGGERED or POLISHED
    segment_of: Indices  # (i,) the segment whose frame this is, −1 for a frame held at a point; unused if polished
    mask: Array  # (i, 3) 1 where the frame may turn about its d1, d2, d3; 0 where a support holds it
    arc: Array  # (e,) arc length of the elastic element, m
    stiffness: Array  # (e, 3) bending about d1, d2 and torsion, N m²
    rest: Array  # (e, 3) mean rest strain, 1/m
    slope: Array  # (e, 3) its derivative along the element, 1/m²; polished only
    h: Array  # (s,) unstretched length of the segment, m
    force: Array  # (s, 3) known part of the internal force in its middle, N
    weight: Array  # (s, 3) force per unstretched length, N/m
    compliance: Array  # (s,) 1/EA, 1/N; 0 where inextensible
    run: Indices  # (s, 3) the run this segment belongs to along x, y, z; −1 where n is known
    target: Array  # (j,) distance the run has to span along its axis, m
    first: Indices  # (j + 3k,) first frame at which the border column is not zero
    moment_site: Indices  # (k,) frame at which a moment load acts
    moment: Array  # (k, 3) N m
    moment_turns: Indices  # (k,) 1: the moment turns with the frame, 0: world axes


class Work(NamedTuple):
    """Scratch of the solver, allocated once per chain. See blocks.py for the shapes."""

    diagonal: Array
    upper: Array
    gradient: Array
    columns: Array
    inverse: Array
    ratio: Array
    solved: Array
    carried: Array
    schur: Array
    border: Array
    closure: Array
    matrix: Array
    pivots: Array
    right: Array
    step: Array
    trial: Array
    before: Array
    nu_new: Array
    nu_old: Array
    body_moment: Array


def workspace(chain: Chain) -> Work:
    frames = len(chain.mask)
    width = len(chain.first)
    return Work(
        diagonal=np.zeros((frames, 6)),
        upper=np.zeros((frames, 9)),
        gradient=np.zeros((frames, 3)),
        columns=np.zeros((frames, width + 1, 3)),
        inverse=np.zeros((frames, 6)),
        ratio=np.zeros((frames, 9)),
        solved=np.zeros((frames, width + 1, 3)),
        carried=np.zeros((width + 1, 3)),
        schur=np.zeros((width + 1, width + 1)),
        border=np.zeros((width, width)),
        closure=np.zeros(width),
        matrix=np.zeros((width, width)),
        pivots=np.zeros((width, width)),
        right=np.zeros(width),
        step=np.zeros((frames, 3)),
        trial=np.zeros((frames, 4)),
        before=np.zeros((frames, 4)),
        nu_new=np.zeros(width),
        nu_old=np.zeros(width),
        body_moment=np.zeros((len(chain.moment_site), 3)),
    )


@inline
def triple(a: Array, i: int) -> Vector:
    return (a[i, 0], a[i, 1], a[i, 2])


@inline
def frame(q: Array, i: int) -> tuple[float, float, float, float]:
    return (q[i, 0], q[i, 1], q[i, 2], q[i, 3])


@inline
def internal_force(force: Array, run: Indices, nu: Array, s: int) -> Vector:
    """n = force + ν of the runs the segment belongs to."""
    x = force[s, 0]
    y = force[s, 1]
    z = force[s, 2]
    if run[s, 0] >= 0:
        x += nu[run[s, 0]]
    if run[s, 1] >= 0:
        y += nu[run[s, 1]]
    if run[s, 2] >= 0:
        z += nu[run[s, 2]]
    return (x, y, z)


# The kernels below take the arrays out of the named tuple once, at the top: each look-up inside a loop would count
# references to them.


@kernel
def lagrangian(chain: Chain, q: Array, nu: Array, closure: Array) -> float:
    """ℒ(R, ν); fills the closure error c."""
    value = 0.0
    for j in range(len(chain.target)):
        closure[j] = -chain.target[j]
        value += nu[j] * chain.target[j]
    if chain.scheme == STAGGERED:
        return value + staggered_lagrangian(chain, q, nu, closure)
    return value + polished_lagrangian(chain, q, nu, closure)


@kernel
def staggered_lagrangian(chain: Chain, q: Array, nu: Array, closure: Array) -> float:
    arc, stiffness, rest = chain.arc, chain.stiffness, chain.rest
    segment_of, h, compliance, force, run = chain.segment_of, chain.h, chain.compliance, chain.force, chain.run
    value = 0.0
    for i in range(len(q) - 1):
        value += staggered.bending_energy(frame(q, i), frame(q, i + 1), arc[i], triple(stiffness, i), triple(rest, i))
    for i in range(len(q)):
        s = segment_of[i]
        if s >= 0:
            n = internal_force(force, run, nu, s)
            value += staggered.segment_energy(frame(q, i), n, h[s], compliance[s])
            add_advance(run, closure, s, staggered.segment_advance(frame(q, i), n, h[s], compliance[s]))
    return value


@kernel
def polished_lagrangian(chain: Chain, q: Array, nu: Array, closure: Array) -> float:
    h, stiffness, rest, slope, weight = chain.h, chain.stiffness, chain.rest, chain.slope, chain.weight
    force, run = chain.force, chain.run
    value = 0.0
    for s in range(len(h)):
        n = internal_force(force, run, nu, s)
        part, dx = polished.energy_and_advance(
            frame(q, s), frame(q, s + 1), n, triple(weight, s), h[s], triple(stiffness, s), triple(rest, s),
            triple(slope, s),
        )  # fmt: skip
        value += part
        add_advance(run, closure, s, dx)
    return value


@inline
def add_advance(run: Indices, closure: Array, s: int, dx: Vector) -> None:
    if run[s, 0] >= 0:
        closure[run[s, 0]] += dx[0]
    if run[s, 1] >= 0:
        closure[run[s, 1]] += dx[1]
    if run[s, 2] >= 0:
        closure[run[s, 2]] += dx[2]


@inline
def add_symmetric(diagonal: Array, i: int, m: tuple[float, ...]) -> None:
    diagonal[i, 0] += m[0]
    diagonal[i, 1] += 0.5 * (m[1] + m[3])
    diagonal[i, 2] += 0.5 * (m[2] + m[6])
    diagonal[i, 3] += m[4]
    diagonal[i, 4] += 0.5 * (m[5] + m[7])
    diagonal[i, 5] += m[8]


@inline
def add_gradient(gradient: Array, i: int, g: Vector) -> None:
    gradient[i, 0] += g[0]
    gradient[i, 1] += g[1]
    gradient[i, 2] += g[2]


@inline
def add_columns(run: Indices, columns: Array, i: int, s: int, m: tuple[float, ...]) -> None:
    j = run[s, 0]
    if j >= 0:
        columns[i, j, 0] += m[0]
        columns[i, j, 1] += m[1]
        columns[i, j, 2] += m[2]
    j = run[s, 1]
    if j >= 0:
        columns[i, j, 0] += m[3]
        columns[i, j, 1] += m[4]
        columns[i, j, 2] += m[5]
    j = run[s, 2]
    if j >= 0:
        columns[i, j, 0] += m[6]
        columns[i, j, 1] += m[7]
        columns[i, j, 2] += m[8]


@inline
def add_border(run: Indices, border: Array, s: int, m: tuple[float, ...]) -> None:
    for k in range(3):
        a = run[s, k]
        if a >= 0:
            for l in range(3):
                b = run[s, l]
                if b >= 0:
                    border[a, b] += m[3 * k + l]


@kernel
def assemble(chain: Chain, work: Work, q: Array, nu: Array) -> float:
    """Fills gradient, Hessian blocks, closure c with its columns, and the border E = ∂c/∂ν; returns ℒ."""
    runs = len(chain.target)
    width = len(chain.first)
    count = len(q)
    work.diagonal[:] = 0.0
    work.gradient[:] = 0.0
    work.columns[:] = 0.0
    work.border[:] = 0.0
    value = 0.0
    for j in range(runs):
        work.closure[j] = -chain.target[j]
        value += nu[j] * chain.target[j]
    if chain.scheme == STAGGERED:
        value += assemble_staggered(chain, work, q, nu)
    else:
        value += assemble_polished(chain, work, q, nu)
    for k in range(len(chain.moment_site)):
        i = chain.moment_site[k]
        m = triple(chain.moment, k)
        if chain.moment_turns[k] == 0:
            m = apply_transposed(rotation(frame(q, i)), m)
        for l in range(3):
            work.gradient[i, l] -= m[l]
            work.body_moment[k, l] = m[l]
            work.columns[i, runs + 3 * k + l, l] = 1.0
    hold_supports(chain, work, count, width)
    return value


@kernel
def assemble_staggered(chain: Chain, work: Work, q: Array, nu: Array) -> float:
    arc, stiffness, rest = chain.arc, chain.stiffness, chain.rest
    segment_of, length, flexible, force, run = chain.segment_of, chain.h, chain.compliance, chain.force, chain.run
    gradient, diagonal, upper, columns = work.gradient, work.diagonal, work.upper, work.columns
    closure, border = work.closure, work.border
    count = len(q)
    value = 0.0
    for i in range(count - 1):
        part, ga, gb, aa, ab, bb = staggered.bending_terms(
            frame(q, i), frame(q, i + 1), arc[i], triple(stiffness, i), triple(rest, i)
        )
        value += part
        add_gradient(gradient, i, ga)
        add_gradient(gradient, i + 1, gb)
        for k in range(9):
            upper[i, k] = ab[k]
        add_symmetric(diagonal, i, aa)
        add_symmetric(diagonal, i + 1, bb)
    for i in range(count):
        s = segment_of[i]
        if s < 0:
            continue
        R = rotation(frame(q, i))
        n = internal_force(force, run, nu, s)
        h = length[s]
        compliance = flexible[s]
        g, hessian, column = staggered.segment(R, n, h, compliance)
        add_gradient(gradient, i, g)
        add_symmetric(diagonal, i, hessian)
        add_columns(run, columns, i, s, column)
        add_advance(run, closure, s, staggered.segment_advance(frame(q, i), n, h, compliance))
        value += staggered.segment_energy(frame(q, i), n, h, compliance)
        if compliance > 0.0:
            add_border(run, border, s, staggered.stretch_block(R, h, compliance))
    return value


@kernel
def assemble_polished(chain: Chain, work: Work, q: Array, nu: Array) -> float:
    h, stiffness, rest, slope, weight = chain.h, chain.stiffness, chain.rest, chain.slope, chain.weight
    force, run = chain.force, chain.run
    gradient, diagonal, upper, columns = work.gradient, work.diagonal, work.upper, work.columns
    closure, border = work.closure, work.border
    value = 0.0
    for s in range(len(h)):
        part, ga, gb, aa, ab, bb, dx, ca, cb, block = polished.element(
            frame(q, s), frame(q, s + 1), internal_force(force, run, nu, s), triple(weight, s), h[s],
            triple(stiffness, s), triple(rest, s), triple(slope, s),
        )  # fmt: skip
        value += part
        add_gradient(gradient, s, ga)
        add_gradient(gradient, s + 1, gb)
        add_advance(run, closure, s, dx)
        for k in range(9):
            upper[s, k] = ab[k]
        add_symmetric(diagonal, s, aa)
        add_symmetric(diagonal, s + 1, bb)
        add_columns(run, columns, s, s, ca)
        add_columns(run, columns, s + 1, s, cb)
        add_border(run, border, s, block)
    return value


@kernel
def hold_supports(chain: Chain, work: Work, count: int, width: int) -> None:
    """Takes the components that supports hold out of the system: unit diagonal, nothing else."""
    mask, stiffness, arc = chain.mask, chain.stiffness, chain.arc
    diagonal, gradient, columns, upper = work.diagonal, work.gradient, work.columns, work.upper
    last = len(arc) - 1
    for i in range(count):
        m0 = mask[i, 0]
        m1 = mask[i, 1]
        m2 = mask[i, 2]
        if m0 * m1 * m2 == 1.0:
            continue
        unit = stiffness[min(i, last), 2] / arc[min(i, last)] + 1.0
        diagonal[i, 0] = m0 * diagonal[i, 0] + (1.0 - m0) * unit
        diagonal[i, 1] *= m0 * m1
        diagonal[i, 2] *= m0 * m2
        diagonal[i, 3] = m1 * diagonal[i, 3] + (1.0 - m1) * unit
        diagonal[i, 4] *= m1 * m2
        diagonal[i, 5] = m2 * diagonal[i, 5] + (1.0 - m2) * unit
        for k in range(3):
            if mask[i, k] == 1.0:
                continue
            gradient[i, k] = 0.0
            for j in range(width):
                columns[i, j, k] = 0.0
            for l in range(3):
                if i + 1 < count:
                    upper[i, 3 * k + l] = 0.0
                if i > 0:
                    upper[i - 1, 3 * l + k] = 0.0


@kernel
def turn_frames(q: Array, step: Array, length: float, out: Array) -> None:
    """out = q·exp(length·step)."""
    for i in range(len(q)):
        a = (length * step[i, 0], length * step[i, 1], length * step[i, 2])
        if a[0] == 0.0 and a[1] == 0.0 and a[2] == 0.0:
            p = frame(q, i)
        else:
            p = turned(frame(q, i), a)
        for k in range(4):
            out[i, k] = p[k]
