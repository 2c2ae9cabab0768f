"""What presses at places, as terms of segments.  [docs/theory/core.md §6]

A place at t of a segment, with the gap g = d − r, its own yielding c(t) and the force λ, adds

    −λ g − ½ c λ²                                                                                                   (12)

to the Lagrangian. Its second derivatives are those of d along the surface (H), of the lever of a tangent, and, where
the place runs, of t: these are the terms of the kinds below.
"""

import math

from lissom.geometry.triples import Matrix, Vector, add, apply, apply_transposed, cross, dot, scale
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.rods.core.carried import put_three, three_of
from lissom.rods.core.cubic import frame_at, lever, on_cubic, slopes, weights
from lissom.rods.core.model import Array, Indices, Model, Places, State, Terms, Work
from lissom.rods.core.residuals import three
from lissom.rods.core.things import nine

PRESSES, CURVED, CURVED_ACROSS, RUNS = 0, 1, 2, 3

# Surfaces flatter than this (in units of 1/length) are flat.
FLAT = 1e-6


@kernel
def place_terms(model: Model, state: State, work: Work, proximal: float) -> bool:
    """Fills `work.terms` and what contacts exert, `work.touch_…`. False: no room.

    `proximal` (m/N) is a yielding of all places about the forces they have: it does nothing where those are right.
    """
    terms, p = work.terms, work.places
    for k in range(len(terms.head)):
        terms.head[k] = -1
        if terms.touched[k] == 1:
            terms.touched[k] = 0
            for l in range(3):
                work.touch_force[k, l] = work.touch_moment[k, l] = 0.0
            for l in range(6):
                work.touch_own[k, l] = 0.0
    terms.total[0] = 0
    for c in range(p.total[0]):
        s, t, force = p.segment[c], p.t[c], p.force[c]
        k, ahead = model.among.cables.row[s], model.among.cables.ahead[s] == 1
        N, h = three(p.normal, c), model.h[s]
        R0, R1 = frame_at(state.q, s), frame_at(state.q, s + 1)
        w = weights(t, h)
        first = another(terms, c, k, PRESSES)
        if first < 0:
            return False
        acts(terms.act, first, ahead, R0, R1, w, N)
        gap = p.distance[c] - model.among.cables.radius[model.among.cable[p.pair[c]]]
        terms.give[first] = p.give[c] + proximal
        terms.linear[first] = proximal * force - gap
        terms.negative[first] = 1
        terms.touched[k] = terms.touched[k + 1] = 1
        if force <= 0.0:
            continue
        exert(terms.act, work.touch_force, work.touch_moment, k, first, force)
        before, after = (R0, R1) if ahead else (R1, R0)
        stiffen(work.touch_own, k, before, N, -force * (w[2] if ahead else w[3]))
        stiffen(work.touch_own, k + 1, after, N, -force * (w[3] if ahead else w[2]))
        H = nine(p.curvature, c)
        if not curved(terms, model.length, c, k, ahead, R0, R1, w, N, H, force):
            return False
        if p.runs[c] == 1 and not running(terms, p, c, k, ahead, R0, R1, t, h, N, H, force, first):
            return False
    return True


@inline
def another(terms: Terms, c: int, k: int, kind: int) -> int:
    """A term of place c on segment row k, with nothing in it yet; −1: no room."""
    j = terms.total[0]
    if j >= len(terms.next):
        return -1
    terms.total[0] = j + 1
    terms.next[j] = terms.head[k]
    terms.head[k] = j
    terms.place[j], terms.kind[j], terms.partner[j], terms.on[j], terms.negative[j] = c, kind, -1, 0, 0
    terms.give[j] = terms.linear[j] = terms.cross[j] = terms.q[j] = 0.0
    for l in range(12):
        terms.act[j, l] = 0.0
    return int(j)


@inline
def acts(
    act: Array, j: int, ahead: bool, R0: Matrix, R1: Matrix, w: tuple[float, float, float, float], v: Vector
) -> None:
    """Adds v·x(t) with these weights: at the nodes in the order of the sweep."""
    a, b = (0, 6) if ahead else (6, 0)
    put_three(act, j, a, add(three_of(act, j, a), scale(w[0], v)))
    put_three(act, j, a + 3, add(three_of(act, j, a + 3), scale(w[2], lever(R0, v))))
    put_three(act, j, b, add(three_of(act, j, b), scale(w[1], v)))
    put_three(act, j, b + 3, add(three_of(act, j, b + 3), scale(w[3], lever(R1, v))))


@inline
def exert(act: Array, push: Array, bend: Array, k: int, j: int, force: float) -> None:
    for l in range(3):
        push[k, l] += force * act[j, l]
        bend[k, l] += force * act[j, 3 + l]
        push[k + 1, l] += force * act[j, 6 + l]
        bend[k + 1, l] += force * act[j, 9 + l]


@inline
def stiffen(own: Array, k: int, R: Matrix, N: Vector, much: float) -> None:
    """Of much N·R exp(φ) e3: ½ (n e3ᵀ + e3 nᵀ) − n₃ I, n = RᵀN."""
    n = apply_transposed(R, N)
    own[k, 0] -= much * n[2]
    own[k, 3] -= much * n[2]
    own[k, 2] += 0.5 * much * n[0]
    own[k, 4] += 0.5 * much * n[1]


@inline
def curved(
    terms: Terms, span: float, c: int, k: int, ahead: bool, R0: Matrix, R1: Matrix,
    w: tuple[float, float, float, float], N: Vector, H: Matrix, force: float,
) -> bool:  # fmt: skip
    """−½ λ δx·H δx, as springs along the two axes of curvature κ: yielding −1/(λκ)."""
    a = cross(N, (0.0, 1.0, 0.0) if abs(N[0]) > 0.6 else (1.0, 0.0, 0.0))
    a = scale(1.0 / math.sqrt(dot(a, a)), a)
    b = cross(N, a)
    Ha = apply(H, a)
    aa, ab, bb = dot(a, Ha), dot(b, Ha), dot(b, apply(H, b))
    mean, off = 0.5 * (aa + bb), 0.5 * (aa - bb)
    root = math.sqrt(off * off + ab * ab)
    turn = 0.5 * math.atan2(ab, off) if root > 0.0 else 0.0
    for kind in range(CURVED, CURVED_ACROSS + 1):
        kappa = mean + root if kind == CURVED else mean - root
        if abs(kappa) * span < FLAT:
            continue
        cosine, sine = math.cos(turn), math.sin(turn)
        if kind == CURVED_ACROSS:
            cosine, sine = -sine, cosine
        j = another(terms, c, k, kind)
        if j < 0:
            return False
        acts(terms.act, j, ahead, R0, R1, w, add(scale(cosine, a), scale(sine, b)))
        terms.give[j] = -1.0 / (force * kappa)
        terms.negative[j] = int(kappa < 0.0)
    return True


@inline
def running(
    terms: Terms, p: Places, c: int, k: int, ahead: bool, R0: Matrix, R1: Matrix, t: float, h: float, N: Vector,
    H: Matrix, force: float, first: int,
) -> bool:  # fmt: skip
    """The place moves: λτ = q with −q (∂g/∂t)_u − ½ (a/λ) q² − ½ c' q dλ."""
    j = another(terms, c, k, RUNS)
    if j < 0:
        return False
    x1 = three(p.along, c)
    acts(terms.act, j, ahead, R0, R1, weights(t, h), apply(H, x1))
    acts(terms.act, j, ahead, R0, R1, slopes(t, h), N)
    terms.give[j] = p.bend[c] / force
    terms.linear[j] = -dot(N, x1)
    terms.negative[j] = 1
    terms.partner[j], terms.cross[j] = first, -p.give_slope[c]
    return True


@kernel
def closed(p: Places, cable: Indices, radius: Array) -> tuple[float, float]:
    """m: (how deep places are, how far apart those are that press), with what segments give way."""
    deep = apart = 0.0
    for c in range(p.total[0]):
        gap = p.distance[c] - radius[cable[p.pair[c]]] + p.force[c] * p.give[c]
        deep = max(deep, -gap)
        if p.force[c] > 0.0:
            apart = max(apart, abs(gap))
    return deep, apart


@kernel
def moved(act: Array, dx: Array, phi: Array, j: int, k: int) -> float:
    """By how much the step moves along what a term acts along, m."""
    way = 0.0
    for l in range(3):
        way += act[j, l] * dx[k, l] + act[j, 3 + l] * phi[k, l]
        way += act[j, 6 + l] * dx[k + 1, l] + act[j, 9 + l] * phi[k + 1, l]
    return way


@kernel
def exerted(model: Model, state: State, work: Work, kicks: Array, pushed: Array, where: Array) -> None:
    """Fills `pushed` (i, 3) N, what presses at nodes, `kicks` (i, 4, 3), what contacts within a segment add to the
    force after its first and before its last node and to the moments there [(14)], and `where` (c, 3) m they are.
    """
    p = work.places
    count = 0
    for c in range(p.total[0]):
        s, t, force = p.segment[c], p.t[c], p.force[c]
        if force <= 0.0:
            continue
        N, w = three(p.normal, c), weights(t, model.h[s])
        R0, R1 = frame_at(state.q, s), frame_at(state.q, s + 1)
        x = on_cubic(state.x, s, R0, R1, w)
        exert_at(R0, R1, w, s, t, scale(force, N), kicks, pushed)
        for l in range(3):
            where[count, l] = x[l]
        count += 1


@inline
def exert_at(
    R0: Matrix, R1: Matrix, w: tuple[float, float, float, float], s: int, t: float, force: Vector, kicks: Array,
    pushed: Array,
) -> None:  # fmt: skip
    """A force (N) at t of segment s."""
    bend0, bend1 = cross((R0[2], R0[5], R0[8]), force), cross((R1[2], R1[5], R1[8]), force)
    for l in range(3):
        if t == 0.0 or t == 1.0:
            pushed[s + int(t), l] += force[l]
            continue
        kicks[s, 0, l] += w[0] * force[l]
        kicks[s, 1, l] -= w[1] * force[l]
        kicks[s, 2, l] += w[2] * bend0[l]
        kicks[s, 3, l] -= w[3] * bend1[l]


@kernel
def resolution(model: Model, state: State) -> tuple[float, float, float]:
    """(max h √(|n|/B): above 1 a boundary layer is not resolved; largest turn of a segment, rad; by which part a chord
    is longer than its arc).
    """
    coarse, cosine, longer = 0.0, 1.0, 0.0
    q, x, n, D = state.q, state.x, state.n, model.stiffness
    for s in range(len(model.h)):
        h = model.h[s]
        if h == 0.0:
            continue
        force = math.sqrt(n[s, 0] ** 2 + n[s, 1] ** 2 + n[s, 2] ** 2)
        coarse = max(coarse, h * h * force / min(D[s, 0], D[s, 1]))
        same = q[s, 0] * q[s + 1, 0] + q[s, 1] * q[s + 1, 1] + q[s, 2] * q[s + 1, 2] + q[s, 3] * q[s + 1, 3]
        cosine = min(cosine, abs(same))
        chord = 0.0
        for l in range(3):
            chord += (x[s + 1, l] - x[s, l]) ** 2
        longer = max(longer, math.sqrt(chord) / h - 1.0)
    return math.sqrt(coarse), 2.0 * math.acos(min(cosine, 1.0)), longer
