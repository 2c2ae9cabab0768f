"""Sweeps along the chain until the energy stops falling: Newton's method for all its directions at once.

Forwards the joints are eliminated one after the other (2×2 blocks), backwards they are turned; what couples distant
joints (the closure of spans, twist springs, contacts) is a border of a few columns (docs/theory/kinematic.md §5). The
four-segment optimum of HD00 is the same on four segments between joints that stay (doubling.py).
"""

import math

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, add, cross, dot, scale
from lissom.kernels import inline, lean_kernel
from lissom.kinematic.chain import ENERGY, KICKS, SHIFT, STEPS, TURN, Chain, Work, bending_and_height, joints, put, row
from lissom.kinematic.circle import sideways
from lissom.kinematic.closing import close_all
from lissom.kinematic.springs import spring_terms
from lissom.kinematic.touching import Contacts, contact_energy
from lissom.kinematic.twisting import STRAIGHT_BACK, swept, twist_energy, twist_gradient, twist_near

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

LARGEST_STEP = 1.0  # rad by which a direction turns in one step
CLOSE_ENOUGH = 1e-5  # rad: after a step shorter than this the next would be its square
FIRST_SHIFT = 1e-2  # of the mean stiffness of a joint
MOST_SHIFTS = 24
# Part of the mean stiffness: what is softer counts as neutral, such as a turn about the chord that nothing resists.
NEUTRAL = 1e-6
MOST_SETS = 8  # of contacts that a step counts on
HALVINGS = 12
KICK = 0.03  # rad, out of a shape that would not stay
MOST_KICKS = 4

FALLING = 0  # states of a descent
SETTLED = 1
STUCK = 2


@inline
def in_plane(p: Vector, q: Vector, v: Vector) -> tuple[float, float]:
    return dot(p, v), dot(q, v)


@lean_kernel
def set_planes(d: Array, work: Work) -> None:
    """p and q at right angles to each direction."""
    for i in range(len(d)):
        t = row(d, i)
        p = sideways((0.0, 0.0, 1.0) if abs(t[2]) < 0.8 else (0.0, 1.0, 0.0), t)
        put(work.p, i, p)
        put(work.q, i, cross(t, p))


@lean_kernel
def assemble(chain: Chain, work: Work, d: Array, nu: Array) -> None:
    """Gradient and Hessian of the Lagrangian in the planes of the directions, without border and twist."""
    for i in range(len(chain.h)):
        for m in range(2):
            work.gradient[i, m] = 0.0
        for m in range(4):
            work.beside[i, m] = 0.0
        if chain.free[i] == 0:
            work.diagonal[i, 0], work.diagonal[i, 1], work.diagonal[i, 2] = 1.0, 0.0, 1.0
            continue
        t = row(d, i)
        n = scale(chain.h[i], row(chain.force, i))
        along = dot(n, t)
        work.diagonal[i, 0], work.diagonal[i, 1], work.diagonal[i, 2] = along, 0.0, along
        a, b = in_plane(row(work.p, i), row(work.q, i), n)
        work.gradient[i, 0], work.gradient[i, 1] = -a, -b
    for j in range(len(nu)):
        axis, value = chain.run[j, 0], nu[j]
        for i in range(chain.run[j, 1], chain.run[j, 2]):
            if chain.free[i] == 1:
                force = value * chain.h[i]
                work.gradient[i, 0] -= force * work.p[i, axis]
                work.gradient[i, 1] -= force * work.q[i, axis]
                work.diagonal[i, 0] += force * d[i, axis]
                work.diagonal[i, 2] += force * d[i, axis]
    for i in range(len(chain.k)):
        if chain.k[i] > 0.0:
            add_spring(chain, work, d, i)


@inline
def add_spring(chain: Chain, work: Work, d: Array, i: int) -> None:
    """The spring between the sites i and i + 1."""
    left = chain.free[i] == 1
    right = chain.free[i + 1] == 1
    t, u = row(d, i), row(d, i + 1)
    c, slope, bend = spring_terms(chain.k[i], t, u)
    a = b = e = f = 0.0
    if left:
        a, b = in_plane(row(work.p, i), row(work.q, i), u)
        add_own(work, i, slope, bend, c, a, b)
    if right:
        e, f = in_plane(row(work.p, i + 1), row(work.q, i + 1), t)
        add_own(work, i + 1, slope, bend, c, e, f)
    if left and right:
        p, q = row(work.p, i), row(work.q, i)
        p2, q2 = row(work.p, i + 1), row(work.q, i + 1)
        work.beside[i, 0] += bend * a * e + slope * dot(p, p2)
        work.beside[i, 1] += bend * a * f + slope * dot(p, q2)
        work.beside[i, 2] += bend * b * e + slope * dot(q, p2)
        work.beside[i, 3] += bend * b * f + slope * dot(q, q2)


@inline
def add_own(work: Work, i: int, slope: float, bend: float, c: float, a: float, b: float) -> None:
    work.gradient[i, 0] += slope * a
    work.gradient[i, 1] += slope * b
    work.diagonal[i, 0] += bend * a * a - slope * c
    work.diagonal[i, 1] += bend * a * b
    work.diagonal[i, 2] += bend * b * b - slope * c


@lean_kernel
def add_twist(chain: Chain, work: Work, d: Array, t: int, moment: float, column: int) -> None:
    """A twist spring with this moment: gradient, Hessian, and the column of its border."""
    twist_gradient(chain, d, t, work.turning)
    first, last = chain.twist[t, 0], chain.twist[t, 1]
    for i in range(len(chain.h)):
        work.column[column, i, 0] = work.column[column, i, 1] = 0.0
    for i in range(first + 1, last):
        if chain.free[i] == 1:
            a, b = in_plane(row(work.p, i), row(work.q, i), row(work.turning, i))
            work.column[column, i, 0], work.column[column, i, 1] = a, b
            work.gradient[i, 0] += moment * a
            work.gradient[i, 1] += moment * b
    for i in range(first, last):
        add_twisted_joint(chain, work, d, i, moment)
    work.compliance[column] = 1.0 / chain.twist_stiffness[t]
    work.wanted[column] = 0.0


@inline
def add_twisted_joint(chain: Chain, work: Work, d: Array, i: int, moment: float) -> None:
    """M ∂²Θ of the joint between the sites i and i + 1 (docs/theory/kinematic.md (11))."""
    t, u = row(d, i), row(d, i + 1)
    area = swept(t, u)
    k = moment / max(1.0 + dot(t, u), STRAIGHT_BACK)
    p, q, p2, q2 = row(work.p, i), row(work.q, i), row(work.p, i + 1), row(work.q, i + 1)
    a, b = in_plane(p, q, area)
    e, f = in_plane(p2, q2, area)
    c, s = in_plane(p, q, u)
    g, w = in_plane(p2, q2, t)
    if chain.free[i] == 1:
        work.diagonal[i, 0] -= k * a * c
        work.diagonal[i, 1] -= 0.5 * k * (a * s + b * c)
        work.diagonal[i, 2] -= k * b * s
    if chain.free[i + 1] == 1:
        work.diagonal[i + 1, 0] -= k * e * g
        work.diagonal[i + 1, 1] -= 0.5 * k * (e * w + f * g)
        work.diagonal[i + 1, 2] -= k * f * w
    if chain.free[i] == 1 and chain.free[i + 1] == 1:
        # (t × · − area (t · ·))/(1 + c)
        work.beside[i, 0] += k * (dot(p, cross(t, p2)) - a * g)
        work.beside[i, 1] += k * (dot(p, cross(t, q2)) - a * w)
        work.beside[i, 2] += k * (dot(q, cross(t, p2)) - b * g)
        work.beside[i, 3] += k * (dot(q, cross(t, q2)) - b * w)


@lean_kernel
def add_runs(chain: Chain, work: Work, d: Array) -> int:
    """A column for each run: how its end moves along its axis."""
    for j in range(len(chain.run)):
        axis = chain.run[j, 0]
        total = -chain.target[j]
        for i in range(len(chain.h)):
            work.column[j, i, 0] = work.column[j, i, 1] = 0.0
        for i in range(chain.run[j, 1], chain.run[j, 2]):
            if chain.free[i] == 1:
                total += chain.h[i] * d[i, axis]
                work.column[j, i, 0] = chain.h[i] * work.p[i, axis]
                work.column[j, i, 1] = chain.h[i] * work.q[i, axis]
        work.compliance[j] = 0.0
        work.wanted[j] = -total
    return len(chain.run)


@lean_kernel
def add_contacts(chain: Chain, work: Work, d: Array, contacts: Contacts, column: int) -> int:
    """A column for each contact that counts, and its push in gradient and Hessian; gives the number of columns.

    The push after a step a is −κ (g + ∇g·a): with its change δ, ∇g·a + δ/κ = −max(g, 0).
    """
    for c in range(contacts.number[0]):
        if contacts.active[c] == 0 or column >= len(work.compliance):
            contacts.active[c] = 0
            continue
        normal, push = row(contacts.normal, c), contacts.push[c]
        for i in range(len(chain.h)):
            work.column[column, i, 0] = work.column[column, i, 1] = 0.0
        for m in range(4):
            n = contacts.joint[c, m]
            w = contacts.weight[c, m] * chain.sign[n]
            for i in range(chain.base[n, 0], chain.base[n, 1]):
                if w != 0.0 and chain.free[i] == 1:
                    a, b = in_plane(row(work.p, i), row(work.q, i), normal)
                    work.column[column, i, 0] += w * chain.h[i] * a
                    work.column[column, i, 1] += w * chain.h[i] * b
                    along = push * w * chain.h[i] * dot(normal, row(d, i))
                    work.diagonal[i, 0] += along
                    work.diagonal[i, 2] += along
        for i in range(len(chain.h)):
            work.gradient[i, 0] -= push * work.column[column, i, 0]
            work.gradient[i, 1] -= push * work.column[column, i, 1]
        work.compliance[column] = 1.0 / contacts.stiffness[0]
        work.wanted[column] = -max(contacts.gap[c], 0.0)
        contacts.column[c] = column
        column += 1
    return column


@lean_kernel
def revise_contacts(chain: Chain, work: Work, contacts: Contacts) -> bool:
    """Counts on those that the step would press, and no longer on those that it would pull; whether any changed."""
    changed = False
    for c in range(contacts.number[0]):
        if contacts.active[c] == 1:
            if contacts.push[c] + work.change[contacts.column[c]] < 0.0:
                contacts.active[c] = 0
                changed = True
            continue
        after = contacts.gap[c]
        normal = row(contacts.normal, c)
        for m in range(4):
            n = contacts.joint[c, m]
            w = contacts.weight[c, m] * chain.sign[n]
            for i in range(chain.base[n, 0], chain.base[n, 1]):
                if w != 0.0 and chain.free[i] == 1:
                    a, b = in_plane(row(work.p, i), row(work.q, i), normal)
                    after += w * chain.h[i] * (a * work.step[i, 0] + b * work.step[i, 1])
        if after < 0.0:
            contacts.active[c] = 1
            changed = True
    return changed


@lean_kernel
def factor(work: Work, sites: int, shift: float) -> int:
    """Eliminates the sites one after the other; the number of negative directions, −1 where a pivot is lost."""
    negative = 0
    for i in range(sites):
        xx = work.diagonal[i, 0] + shift
        xy = work.diagonal[i, 1]
        yy = work.diagonal[i, 2] + shift
        if i > 0:
            a, b, c, e = work.beside[i - 1, 0], work.beside[i - 1, 1], work.beside[i - 1, 2], work.beside[i - 1, 3]
            ixx, ixy, iyy = work.inverse[i - 1, 0], work.inverse[i - 1, 1], work.inverse[i - 1, 2]
            # lower = besideᵀ · inverse
            l0, l1 = a * ixx + c * ixy, a * ixy + c * iyy
            l2, l3 = b * ixx + e * ixy, b * ixy + e * iyy
            work.lower[i, 0], work.lower[i, 1], work.lower[i, 2], work.lower[i, 3] = l0, l1, l2, l3
            xx -= l0 * a + l1 * c
            xy -= l0 * b + l1 * e
            yy -= l2 * b + l3 * e
        det = xx * yy - xy * xy
        size = abs(xx) + abs(yy)
        if not abs(det) > 1e-14 * size * size:
            return -1
        if det < 0.0:
            negative += 1
        elif xx < 0.0:
            negative += 2
        work.inverse[i, 0], work.inverse[i, 1], work.inverse[i, 2] = yy / det, -xy / det, xx / det
    return negative


@lean_kernel
def solve_column(work: Work, sites: int, x: Array) -> None:
    """x (i, 2) becomes the inverse times x."""
    for i in range(1, sites):
        a, b = x[i - 1, 0], x[i - 1, 1]
        x[i, 0] -= work.lower[i, 0] * a + work.lower[i, 1] * b
        x[i, 1] -= work.lower[i, 2] * a + work.lower[i, 3] * b
    a = b = 0.0
    for i in range(sites - 1, -1, -1):
        u = work.inverse[i, 0] * x[i, 0] + work.inverse[i, 1] * x[i, 1]
        v = work.inverse[i, 1] * x[i, 0] + work.inverse[i, 2] * x[i, 1]
        if i < sites - 1:
            u -= work.lower[i + 1, 0] * a + work.lower[i + 1, 2] * b
            v -= work.lower[i + 1, 1] * a + work.lower[i + 1, 3] * b
        x[i, 0], x[i, 1] = u, v
        a, b = u, v


@lean_kernel
def dense_border(work: Work, count: int) -> int:
    """Solves the border's own small system into work.change; its negative directions, −1 where a pivot is lost."""
    S, negative = work.schur, 0
    for k in range(count):
        pivot = S[k, k]
        size = 0.0
        for m in range(k, count):
            size = max(size, abs(S[k, m]))
        if not abs(pivot) > 1e-13 * size:
            return -1
        if pivot < 0.0:
            negative += 1
        for m in range(k + 1, count):
            part = S[m, k] / pivot
            for r in range(k + 1, count):
                S[m, r] -= part * S[k, r]
            S[m, count] -= part * S[k, count]
    for k in range(count - 1, -1, -1):
        value = S[k, count]
        for m in range(k + 1, count):
            value -= S[k, m] * work.change[m]
        work.change[k] = value / S[k, k]
    return negative


@lean_kernel
def find_step(work: Work, sites: int, border: int, shift: float) -> bool:
    """Fills work.step and work.change; False where the shape is no minimum of this model, or a pivot is lost."""
    negative = factor(work, sites, shift)
    if negative < 0:
        return False
    for i in range(sites):
        work.solved[border, i, 0], work.solved[border, i, 1] = work.gradient[i, 0], work.gradient[i, 1]
        for b in range(border):
            work.solved[b, i, 0], work.solved[b, i, 1] = work.column[b, i, 0], work.column[b, i, 1]
    for b in range(border + 1):
        solve_column(work, sites, work.solved[b])
    for a in range(border):
        for b in range(a, border + 1):
            total = 0.0
            for i in range(sites):
                total += work.column[a, i, 0] * work.solved[b, i, 0] + work.column[a, i, 1] * work.solved[b, i, 1]
            if b == border:
                work.schur[a, b] = total + work.wanted[a]
            else:
                work.schur[a, b] = total
                work.schur[b, a] = total
        work.schur[a, a] += work.compliance[a]
    if dense_border(work, border) != negative:
        return False
    for i in range(sites):
        u, v = -work.solved[border, i, 0], -work.solved[border, i, 1]
        for b in range(border):
            u += work.change[b] * work.solved[b, i, 0]
            v += work.change[b] * work.solved[b, i, 1]
        work.step[i, 0], work.step[i, 1] = u, v
    return True


@lean_kernel
def take_step(work: Work, d: Array, part: float) -> None:
    """Fills work.tried: each direction turned by its part of the step."""
    for i in range(len(d)):
        a, b = part * work.step[i, 0], part * work.step[i, 1]
        angle = math.sqrt(a * a + b * b)
        c = math.cos(angle)
        s = math.sin(angle) / angle if angle > 1e-12 else 1.0
        t = row(d, i)
        v = add(scale(a, row(work.p, i)), scale(b, row(work.q, i)))
        t = add(scale(c, t), scale(s, v))
        put(work.tried, i, scale(1.0 / math.sqrt(dot(t, t)), t))


@lean_kernel
def mean_stiffness(chain: Chain, work: Work) -> float:
    total, count = 0.0, 0
    for i in range(len(chain.h)):
        if chain.free[i] == 1:
            total += abs(work.diagonal[i, 0]) + abs(work.diagonal[i, 2])
            count += 2
    return total / max(count, 1)


@lean_kernel
def largest_turn(work: Work, sites: int) -> float:
    most = 0.0
    for i in range(sites):
        most = max(most, work.step[i, 0] ** 2 + work.step[i, 1] ** 2)
    return math.sqrt(most)


@lean_kernel
def slope_of(work: Work, sites: int) -> float:
    total = 0.0
    for i in range(sites):
        total += work.gradient[i, 0] * work.step[i, 0] + work.gradient[i, 1] * work.step[i, 1]
    return total


@lean_kernel
def whole_energy(chain: Chain, work: Work, d: Array, theta: Array, contacts: Contacts) -> float:
    """All there is, J; the push of each contact is that of these directions."""
    energy = bending_and_height(chain, d) + twist_energy(chain, d, theta)
    if contacts.number[0] > 0:
        joints(chain, d, work.x)
        energy += contact_energy(contacts, work.x)
    return energy


@lean_kernel
def model(chain: Chain, work: Work, d: Array, nu: Array, theta: Array, contacts: Contacts) -> int:
    """Gradient, Hessian and border at d; the number of border columns."""
    set_planes(d, work)
    assemble(chain, work, d, nu)
    border = add_runs(chain, work, d)
    for t in range(len(chain.twist)):
        theta[t] = twist_near(chain, d, t, theta[t])
        add_twist(chain, work, d, t, chain.twist_stiffness[t] * theta[t], border)
        border += 1
    return add_contacts(chain, work, d, contacts, border)


@lean_kernel
def guess_forces(chain: Chain, work: Work, d: Array, nu: Array) -> None:
    """The run forces that balance the directions best: least squares, span by span."""
    for j in range(len(nu)):
        nu[j] = 0.0
    set_planes(d, work)
    assemble(chain, work, d, nu)
    runs = add_runs(chain, work, d)
    for a in range(runs):
        for b in range(runs + 1):
            total = 0.0
            for i in range(chain.run[a, 1], chain.run[a, 2]):
                u = work.gradient[i, 0] if b == runs else work.column[b, i, 0]
                v = work.gradient[i, 1] if b == runs else work.column[b, i, 1]
                total += work.column[a, i, 0] * u + work.column[a, i, 1] * v
            work.schur[a, b] = total
    if dense_border(work, runs) >= 0:
        for j in range(runs):
            nu[j] = work.change[j]


@lean_kernel
def descend(chain: Chain, work: Work, d: Array, nu: Array, theta: Array, contacts: Contacts, state: Array) -> int:
    """One step of Newton's method, which lowers the energy and ends with every span closed.

    Gives FALLING, SETTLED, or STUCK where it would have to go on but finds no way down.
    """
    sites = len(chain.h)
    energy = whole_energy(chain, work, d, theta, contacts)
    for c in range(contacts.number[0]):
        contacts.active[c] = 1 if contacts.push[c] > 0.0 else 0
    shift, is_minimum, unit = state[SHIFT], True, 0.0
    for _ in range(MOST_SETS):
        border = model(chain, work, d, nu, theta, contacts)
        mean = mean_stiffness(chain, work)
        unit, soft = FIRST_SHIFT * mean, NEUTRAL * mean
        shift = shift if shift > 1e-3 * unit else 0.0
        for _ in range(MOST_SHIFTS):
            if find_step(work, sites, border, shift) or (shift == 0.0 and find_step(work, sites, border, soft)):
                break
            is_minimum = False
            shift = max(4.0 * shift, unit)
        if contacts.number[0] == 0 or shift > 0.0 or not revise_contacts(chain, work, contacts):
            break  # a step that is held back counts on what is pressed now: then it leads down
    turn = largest_turn(work, sites)
    slope = slope_of(work, sites)
    part = min(1.0, LARGEST_STEP / turn) if turn > 0.0 else 1.0
    lowered = False
    for _ in range(HALVINGS):
        take_step(work, d, part)
        if close_all(chain, work.tried):
            tried = whole_energy(chain, work, work.tried, theta, contacts)
            noise = 1e-14 * (abs(energy) + abs(tried))
            if tried <= energy + 1e-4 * part * min(slope, 0.0) + noise:
                lowered = True
                break
        part *= 0.5
    if lowered:
        for i in range(sites):
            put(d, i, row(work.tried, i))
        for j in range(len(nu)):
            nu[j] += part * work.change[j]
        energy = tried
    state[STEPS] += 1.0
    state[TURN], state[ENERGY] = turn, energy
    state[SHIFT] = 0.0 if is_minimum and part == 1.0 else 0.2 * shift
    if shift == 0.0 and (turn < CLOSE_ENOUGH or (not lowered and turn < 1e-3)):
        return SETTLED  # or the energy no longer tells better from worse
    if lowered and turn > 1e-3 * CLOSE_ENOUGH:
        return FALLING
    if is_minimum and shift > 0.0 and lowered:  # settled but for the shift
        state[SHIFT] = 0.0
        return FALLING
    if not is_minimum and state[KICKS] < MOST_KICKS:
        state[KICKS] += 1.0
        kick(chain, d, state[KICKS])
        return FALLING
    if not lowered and shift < 1e6 * unit:
        state[SHIFT] = max(16.0 * shift, unit)
        return FALLING
    return STUCK


@lean_kernel
def kick(chain: Chain, d: Array, number: float) -> None:
    """Turns the directions a little to the side, in a wave: away from a shape that would not stay."""
    sites = len(chain.h)
    for i in range(sites):
        if chain.free[i] == 1:
            t = row(d, i)
            angle = 2.4 * number
            side = sideways((math.cos(angle), math.sin(angle), math.cos(1.7 * angle)), t)
            t = add(t, scale(KICK * math.sin(math.pi * (i + 0.5) * number / sites), side))
            put(d, i, scale(1.0 / math.sqrt(dot(t, t)), t))
    close_all(chain, d)


@lean_kernel
def residual(
    chain: Chain, work: Work, d: Array, nu: Array, theta: Array, contacts: Contacts, scale_of_force: float
) -> tuple[float, int]:
    """(the largest imbalance of a segment in units of `scale_of_force`, N m; 1 where the shape would not stay)."""
    whole_energy(chain, work, d, theta, contacts)
    for c in range(contacts.number[0]):
        contacts.active[c] = 1 if contacts.push[c] > 0.0 else 0
    border = model(chain, work, d, nu, theta, contacts)
    most = 0.0
    for i in range(len(chain.h)):
        most = max(most, abs(work.gradient[i, 0]), abs(work.gradient[i, 1]))
    soft = NEUTRAL * mean_stiffness(chain, work)
    return most / scale_of_force, 0 if find_step(work, len(chain.h), border, soft) else 1
