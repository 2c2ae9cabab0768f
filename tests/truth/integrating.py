"""Kirchhoff's equations along each segment, from the state handed out at its beginning to that at its end.

    x' = (1 + ε) d3,  R' = R [ω]×,  n' = −f,  m' = −x' × n,  ω = ω0 + D⁻¹ Rᵀ m,  ε = n·d3 / EA

All segments of a cable are integrated at once, each from its own state, so that errors do not grow along the cable.
Borders of stretches, loads, and contacts of cables of fourth order, that do not lie at a point are met inside their
segment.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

from tests.truth.answer import Answer, Verdict
from tests.truth.asked import Make
from tests.truth.turning import Array, logarithm, skew

# Defects per segment are at most these times λ^(order + 1), λ the turn and decay along it, and never above MOST.
FOURTH, SECOND = 0.05, 3.0
LEAST = {4: 2e-6, 2: 2e-5}
MOST = 0.35
# Beyond this λ a segment says little; an answer that is off there is named as too coarse as well.
COARSE = 1.5
LAYER = 0.75  # and where one is that the report warns of
# Of the force scale: internal forces follow from the weight, exactly.
FORCE = 1e-6
# A moulded shape may be interpolated in other ways: this part of its turn in a segment.
MOULDED = 0.05
MOULDED_END = 0.06  # of the length, where ways to interpolate differ more
# Second-order elements turn at the middle of segments: frames at points are means, off where the strain jumps, and a
# segment is a chord.
JUMP = 0.5
MIDDLE = 0.15
# A rope that folds within a segment is off by up to twice its length.
FOLDED = 2.0
# rad: a segment that turns farther is not resolved.
TURNS = 1.5
GAUSS = np.polynomial.legendre.leggauss(8)
Push = tuple[float, Array]  # (place in m, force in N)


@dataclass(frozen=True)
class Material:
    """Per segment, of one of its two halves."""

    begin: Array  # (segments,) m
    end: Array
    D: Array  # (segments, 3)
    compliance: Array  # (segments,)
    weight: Array  # (segments, 3) N/m


def pieces(a: Answer, contacts: list[Push]) -> list[Material]:
    """Each segment divided where the material or the force changes inside, else in the middle."""
    c = a.cable
    cuts: list[list[float]] = [[] for _ in a.h]
    slack = 1e-7 * c.length
    for place in [*c.borders, *(k.place for k in c.loads), *(k for k, _ in contacts)]:
        i = int(np.searchsorted(a.s, place)) - 1
        if 0 <= i < len(cuts) and a.s[i] + slack < place < a.s[i + 1] - slack:
            cuts[i].append(place)
    most = max(len(k) for k in cuts)
    ends = [sorted(k) or [0.5 * (a.s[i] + a.s[i + 1])] for i, k in enumerate(cuts)]
    bounds = [a.s[:-1]]
    for number in range(max(most, 1)):
        bounds.append(np.array([k[number] if number < len(k) else a.s[i + 1] for i, k in enumerate(ends)]))
    bounds.append(a.s[1:])
    return [_material(a, first, second) for first, second in pairwise(bounds)]


def _material(a: Answer, begin: Array, end: Array) -> Material:
    makes: list[Make] = a.cable.makes(0.5 * (begin + end))
    weight = np.array([k.mass for k in makes])[:, None] * a.cable.gravity
    return Material(begin, end, np.array([k.stiffness for k in makes]), np.array([k.compliance for k in makes]), weight)


def advanced(a: Answer, p: Material, x: Array, R: Array, n: Array, m: Array) -> tuple[Array, Array, Array, Array]:
    """State at the end of the pieces from that at their beginnings."""
    k, h = len(p.begin), (p.end - p.begin)
    size, moment = a.cable.length, a.moment_scale

    def rate(u: float, y: Array) -> Array:
        z = y.reshape(k, 15)
        R, m = z[:, 3:12].reshape(k, 3, 3), z[:, 12:] * moment
        d3, force = R[:, :, 2], n - (u * h)[:, None] * p.weight
        strain = a.cable.rest.at(p.begin + u * h) + np.einsum("kji,kj->ki", R, m) / p.D
        advance = (1.0 + p.compliance * np.sum(force * d3, axis=1))[:, None] * d3
        out = np.empty((k, 15))
        out[:, :3] = advance / size
        out[:, 3:12] = (R @ skew(strain)).reshape(k, 9)
        out[:, 12:] = -np.cross(advance, force) / moment
        return np.asarray((h[:, None] * out).ravel())

    y = np.hstack([x / size, R.reshape(k, 9), m / moment]).ravel()
    done = solve_ivp(rate, (0.0, 1.0), y, method="DOP853", rtol=1e-10, atol=1e-12, first_step=1.0)
    z = done.y[:, -1].reshape(k, 15)
    return z[:, :3] * size, z[:, 3:12].reshape(k, 3, 3), n - h[:, None] * p.weight, z[:, 12:] * moment


def check_equations(a: Answer, contacts: list[Push], verdict: Verdict, told: bool) -> None:
    """Every segment obeys the equations, to the order of its element."""
    if a.cable.is_rope:
        check_rope(a, verdict)
        return
    inside = contacts if a.order == 4 else []
    parts = pieces(a, inside)
    first, last = parts[0], parts[-1]
    x, R, n, m = a.x[:-1], a.R[:-1], a.n_after[:-1], a.m_after[:-1]
    for part in parts:
        x, R, n, m = advanced(a, part, x, R, n, m)
        if part is not last:
            n, m = past_loads(a, part.end, R, n, m, inside)
    lam = steepness(a, first.D)
    rest = np.linalg.norm(a.cable.rest.at(a.s[:-1]), axis=1) * a.h
    least = LEAST[a.order]
    bound = least + np.minimum((FOURTH if a.order == 4 else SECOND) * lam ** (a.order + 1), MOST)
    if a.cable.rest.moulded:
        border = np.minimum(a.s[:-1], a.cable.length - a.s[1:]) < MOULDED_END * a.cable.length
        bound += np.where(border, 10.0, 1.0) * MOULDED * (rest + 0.2 * np.max(rest))
    bound += a.h * rest_kinks(a)
    straight = bound.copy()
    if a.order == 2:
        bound += JUMP * a.h * strain_jumps(a, first.D, last.D) + bent_by_contacts(a, contacts, first.D)
        straight = bound + MIDDLE * np.minimum(lam, 1.0) ** 2
    turn = np.linalg.norm(logarithm(np.swapaxes(R, 1, 2) @ a.R[1:]), axis=1)
    place = np.linalg.norm(x - a.x[1:], axis=1)
    moment = np.linalg.norm(m - a.m_before[1:], axis=1)
    force = np.linalg.norm(n - a.n_before[1:], axis=1)
    bend = np.max(first.D, axis=1) / a.h * bound + least * a.moment_scale
    angles = np.linalg.norm(a.turns_of_segments(), axis=1)
    worst(a, verdict, "a segment turns too far (rad)", angles, np.full(len(a.h), TURNS))
    if told:  # a layer that the report warns of: what is in it and beside it says nothing
        layer = np.convolve(lam > LAYER, np.ones(5), mode="same") > 0.0
        turn, place, moment = (np.where(layer, 0.0, k) for k in (turn, place, moment))
        lam = np.where(layer, 0.0, lam)
        verdict.unchecked.append(f"a layer of {a.cable.name} that is told of")
    if float(np.max(lam)) > COARSE and np.any(turn > bound):
        i = int(np.argmax(lam))
        verdict.require("grid too coarse for its forces: λ", float(lam[i]), COARSE, a.at(i))
    worst(a, verdict, "frame along a segment (rad)", turn, bound)
    worst(a, verdict, "position along a segment (m)", place, a.h * straight + 1e-8 * a.cable.length)
    worst(a, verdict, "moment along a segment (N m)", moment, bend)
    worst(a, verdict, "force along a segment (N)", force, np.full(len(a.h), FORCE * a.force_scale))


def bent_by_contacts(a: Answer, contacts: list[Push], D: Array) -> Array:
    """(segments,) rad: a force F at the part t of a segment, handed out as shares at its ends, leaves out the moment
    t (1 − t) F h at most there, and so turns of F h² t (1 − t)/2B ≤ F h²/8B; shares may lie a segment beside.
    """
    total = np.zeros(len(a.h))
    for place, force in contacts:
        i = a.point_of(place)
        near = slice(max(i - 2, 0), i + 2)
        total[near] += float(np.linalg.norm(force)) * a.h[near] ** 2 / (8.0 * np.min(D[near, :2], axis=1))
    return total


def rest_kinks(a: Answer) -> Array:
    """(segments,) 1/m: how far the rest strain inside a segment is from a straight line, or a mean."""
    ends = [a.cable.rest.at(k) for k in (a.s[:-1], a.s[1:])]
    inside = [a.cable.rest.at(a.s[:-1] + u * a.h) - (1.0 - u) * ends[0] - u * ends[1] for u in (0.25, 0.5, 0.75)]
    kink = np.max([np.linalg.norm(k, axis=1) for k in inside], axis=0)
    return np.asarray(kink if a.order == 4 else kink + 0.2 * np.linalg.norm(ends[1] - ends[0], axis=1))


def strain_jumps(a: Answer, D_first: Array, D_second: Array) -> Array:
    """(segments,) 1/m: by how much the strain jumps at the ends of each segment."""
    before, after = np.zeros_like(a.x), np.zeros_like(a.x)
    before[1:] = np.einsum("kji,kj->ki", a.R[1:], a.m_before[1:]) / D_second
    after[:-1] = np.einsum("kji,kj->ki", a.R[:-1], a.m_after[:-1]) / D_first
    jump = np.linalg.norm(after - before, axis=1)
    jump[[0, -1]] = 0.0
    return np.asarray(np.maximum(jump[:-1], jump[1:]))


def worst(a: Answer, verdict: Verdict, what: str, value: Array, bound: Array) -> None:
    """Says the segment that is farthest beyond its bound."""
    i = int(np.argmax(np.nan_to_num(value / bound, nan=np.inf)))
    verdict.require(what, float(value[i]), float(bound[i]), a.at(i))


def past_loads(a: Answer, cut: Array, R: Array, n: Array, m: Array, contacts: list[Push]) -> tuple[Array, Array]:
    """Forces beyond loads and contacts that lie inside a segment."""
    n, m = n.copy(), m.copy()
    for place, force in contacts:
        n[cut == place] -= force
    for load in a.cable.loads:
        for i in np.flatnonzero(cut == load.place):
            n[i] -= load.force
            m[i] -= R[i] @ load.moment if load.in_body else load.moment
    return n, m


def steepness(a: Answer, D: Array) -> Array:
    """λ per segment: how far it turns, and h √(|n|/B), within which a pulled cable bends; of it and its neighbours."""
    turn = np.linalg.norm(a.turns_of_segments(), axis=1)
    pull = np.maximum(np.linalg.norm(a.n_after[:-1], axis=1), np.linalg.norm(a.n_before[1:], axis=1))
    rest = np.linalg.norm(a.cable.rest.at(a.s[:-1]), axis=1) * a.h
    lam = turn + a.h * np.sqrt(pull / np.min(D, axis=1)) + rest
    padded = np.concatenate([lam[:1], lam, lam[-1:]])
    return np.asarray(np.maximum(lam, np.maximum(padded[:-2], padded[2:])))


def check_rope(a: Answer, verdict: Verdict) -> None:
    """A rope lies along its force: x' = (1 + |n|/EA) n/|n|."""
    nodes, weights = GAUSS
    first = pieces(a, [])[0]
    n = a.n_after[:-1]
    end = n - a.h[:, None] * first.weight
    total = np.zeros_like(n)
    for u, w in zip(0.5 * (nodes + 1.0), 0.5 * weights, strict=True):
        force = n + u * (end - n)
        size = np.maximum(np.linalg.norm(force, axis=1), 1e-300)[:, None]
        total += w * (1.0 / size + first.compliance[:, None]) * force
    gap = np.linalg.norm(a.h[:, None] * total - np.diff(a.x, axis=0), axis=1)
    sizes = np.linalg.norm(n, axis=1) * np.linalg.norm(end, axis=1)
    angle = np.arccos(np.clip(np.sum(n * end, axis=1) / np.maximum(sizes, 1e-300), -1.0, 1.0))
    tension = np.stack([np.linalg.norm(k, axis=1) for k in (n, end)])
    uneven = np.ptp(tension, axis=0) / np.maximum(np.min(tension, axis=0), 1e-300)
    bound = a.h * (np.minimum(angle**2 + 0.3 * angle * uneven, FOLDED) + 1e-5)  # the force in the middle of a segment
    worst(a, verdict, "rope along its force (m)", gap, bound)
    force = np.linalg.norm(end - a.n_before[1:], axis=1)
    worst(a, verdict, "force along a segment (N)", force, np.full(len(a.h), FORCE * a.force_scale))
