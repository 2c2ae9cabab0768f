"""Scalars that act on one segment, from the node before it to the node after it.  [docs/theory/core.md §6]

A *term* q acts on both nodes of a segment: with −q (v·dx + w·φ + v'·dx' + w'·φ') in the Lagrangian, and ½ d q² + y q of
its own. While its segment is passed it goes along with the front (2):

    q (b·φ + e·u) + ½ d q² + y q,    b = B v − w,  e = −S v,  d ← d − v·S v,  y ← y + s·v  at the node before.      (10)
"""

from lissom.geometry.triples import (
    Vector,
    add,
    apply,
    apply_transposed,
    dot,
    matmul_at_b,
    scale,
    sub,
    symmetric_add,
    symmetric_apply,
    symmetric_times,
)
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.rods.core.front import Front, held_inverse, symmetric_of
from lissom.rods.core.model import MOST_TERMS, Array, Terms

# A pivot is no nearer to 0 than this.
LEAST_PIVOT = 1e-300


@inline
def three_of(a: Array, i: int, k: int) -> Vector:
    return (a[i, k], a[i, k + 1], a[i, k + 2])


@inline
def put_three(a: Array, i: int, k: int, v: Vector) -> None:
    a[i, k], a[i, k + 1], a[i, k + 2] = v


@kernel
def past_touched(
    front: Front, e: Array, k: int, own: Array, turns: Vector, shift: float, tiny: float, store: Array, terms: Terms
) -> tuple[Front, int]:
    """As `front.past_element`, with the terms of the segment; own (k, 6) N m adds to the stiffness of nodes.

    The count of negative pivots leaves out those that terms have by their kind.
    """
    P, B, S, p, s = front
    act, goes, row = terms.act, terms.goes, terms.row  # act: v, w, v', w'; goes: b, e, y; row: numbers of those here
    d = terms.own
    count = 0
    j = terms.head[k]
    while j >= 0 and count < MOST_TERMS:
        if terms.on[j] != 0:
            row[count] = j
            count += 1
        j = terms.next[j]
    for a in range(count):
        i = row[a]
        v, w = three_of(act, i, 0), three_of(act, i, 3)
        b, c = sub(apply(B, v), w), symmetric_apply(S, v)
        put_three(goes, a, 0, b)
        put_three(goes, a, 3, scale(-1.0, c))
        goes[a, 6] = terms.linear[i] + dot(v, s)
        for l in range(a + 1):
            d[a, l] = -dot(c, three_of(act, row[l], 0))
            if terms.partner[i] == row[l]:
                d[a, l] += terms.cross[i]
            elif terms.partner[row[l]] == i:
                d[a, l] += terms.cross[row[l]]
        d[a, a] -= terms.give[i]

    aa = (
        e[k, 0] + own[k, 0], e[k, 1] + own[k, 1], e[k, 2] + own[k, 2], e[k, 3] + own[k, 3], e[k, 4] + own[k, 4],
        e[k, 5] + own[k, 5],
    )  # fmt: skip
    ab = (e[k, 6], e[k, 7], e[k, 8], e[k, 9], e[k, 10], e[k, 11], e[k, 12], e[k, 13], e[k, 14])
    bb = (e[k, 15], e[k, 16], e[k, 17], e[k, 18], e[k, 19], e[k, 20])
    cat = (e[k, 21], e[k, 24], e[k, 27], e[k, 22], e[k, 25], e[k, 28], e[k, 23], e[k, 26], e[k, 29])
    cbt = (e[k, 30], e[k, 33], e[k, 36], e[k, 31], e[k, 34], e[k, 37], e[k, 32], e[k, 35], e[k, 38])
    E = (e[k, 39], e[k, 40], e[k, 41], e[k, 42], e[k, 43], e[k, 44])
    A, index = held_inverse(symmetric_add(P, aa), turns, shift, tiny)
    X = (
        B[0] - cat[0], B[1] - cat[1], B[2] - cat[2], B[3] - cat[3], B[4] - cat[4], B[5] - cat[5],
        B[6] - cat[6], B[7] - cat[7], B[8] - cat[8],
    )  # fmt: skip
    y = add(p, three_of(e, k, 45))
    Aab, AX, Ay = symmetric_times(A, ab), symmetric_times(A, X), symmetric_apply(A, y)
    for l in range(9):
        store[k, l] = Aab[l]
        store[k, 9 + l] = AX[l]
    put_three(store, k, 18, Ay)
    for a in range(count):  # φ of the node before is eliminated
        put_three(terms.left, row[a], 0, symmetric_apply(A, three_of(goes, a, 0)))
    for a in range(count):
        Ab = three_of(terms.left, row[a], 0)
        goes[a, 6] -= dot(Ab, y)
        for l in range(a + 1):
            d[a, l] -= dot(three_of(goes, l, 0), Ab)
    for a in range(count):
        Ab = three_of(terms.left, row[a], 0)
        put_three(goes, a, 3, sub(three_of(goes, a, 3), apply_transposed(X, Ab)))
        put_three(goes, a, 0, scale(-1.0, apply_transposed(ab, Ab)))
    q = symmetric_of(matmul_at_b(ab, Aab))
    P = (bb[0] - q[0], bb[1] - q[1], bb[2] - q[2], bb[3] - q[3], bb[4] - q[4], bb[5] - q[5])
    D = matmul_at_b(ab, AX)
    B = (
        -cbt[0] - D[0], -cbt[1] - D[1], -cbt[2] - D[2], -cbt[3] - D[3], -cbt[4] - D[4], -cbt[5] - D[5],
        -cbt[6] - D[6], -cbt[7] - D[7], -cbt[8] - D[8],
    )  # fmt: skip
    S = symmetric_add(symmetric_add(S, E), symmetric_of(matmul_at_b(X, AX)))
    p = sub(three_of(e, k, 48), apply_transposed(ab, Ay))
    s = sub(add(s, three_of(e, k, 51)), apply_transposed(X, Ay))

    for a in range(count):  # at the node after: u is that beyond what the terms exert there
        v = three_of(act, row[a], 6)
        c, before = symmetric_apply(S, v), three_of(goes, a, 3)
        for l in range(a + 1):
            other = three_of(act, row[l], 6)
            earlier = before if l == a else add(three_of(goes, l, 3), symmetric_apply(S, other))
            d[a, l] += dot(before, other) + dot(earlier, v) - dot(c, other)
        goes[a, 6] += dot(s, v)
        put_three(goes, a, 0, add(three_of(goes, a, 0), sub(apply(B, v), three_of(act, row[a], 9))))
        put_three(goes, a, 3, sub(before, c))
    for a in range(count):
        front, negative = without_term((P, B, S, p, s), a, count, terms)
        P, B, S, p, s = front
        index += negative - terms.negative[row[a]]
    return (P, B, S, p, s), index


@inline
def without_term(front: Front, a: int, count: int, terms: Terms) -> tuple[Front, int]:
    """Eliminates a term. Keeps b/d, e/d, y/d and its ties to later ones, over d."""
    P, B, S, p, s = front
    goes, d, i = terms.goes, terms.own, terms.row[a]
    pivot = d[a, a]
    if abs(pivot) < LEAST_PIVOT:
        pivot = -LEAST_PIVOT
    k = 1.0 / pivot
    b, e, y = three_of(goes, a, 0), three_of(goes, a, 3), goes[a, 6]
    bd, ed, yd = scale(k, b), scale(k, e), k * y
    put_three(terms.left, i, 3, bd)
    put_three(terms.left, i, 6, ed)
    terms.left[i, 9] = yd
    for l in range(a + 1, count):
        tie = d[l, a]
        terms.ties[i, l] = k * tie
        if tie == 0.0:
            continue
        put_three(goes, l, 0, sub(three_of(goes, l, 0), scale(tie, bd)))
        put_three(goes, l, 3, sub(three_of(goes, l, 3), scale(tie, ed)))
        goes[l, 6] -= tie * yd
        for m in range(l, count):
            d[m, l] -= d[m, a] * k * tie
    P = (
        P[0] - b[0] * bd[0], P[1] - b[0] * bd[1], P[2] - b[0] * bd[2],
        P[3] - b[1] * bd[1], P[4] - b[1] * bd[2], P[5] - b[2] * bd[2],
    )  # fmt: skip
    B = (
        B[0] - b[0] * ed[0], B[1] - b[0] * ed[1], B[2] - b[0] * ed[2],
        B[3] - b[1] * ed[0], B[4] - b[1] * ed[1], B[5] - b[1] * ed[2],
        B[6] - b[2] * ed[0], B[7] - b[2] * ed[1], B[8] - b[2] * ed[2],
    )  # fmt: skip
    S = (
        S[0] + e[0] * ed[0], S[1] + e[0] * ed[1], S[2] + e[0] * ed[2],
        S[3] + e[1] * ed[1], S[4] + e[1] * ed[2], S[5] + e[2] * ed[2],
    )  # fmt: skip
    return (P, B, S, sub(p, scale(yd, b)), sub(s, scale(yd, e))), int(pivot < 0.0)


@kernel
def terms_back(terms: Terms, k: int, phi: Vector, u: Vector) -> tuple[Vector, Vector, Vector]:
    """From φ and u at the node after segment k: (u in the segment, Σ A b q, Σ v q at the node before). Fills q."""
    row = terms.row
    count = 0
    j = terms.head[k]
    while j >= 0 and count < MOST_TERMS:
        if terms.on[j] != 0:
            row[count] = j
            count += 1
        j = terms.next[j]
    inside, turned, before = u, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for a in range(count - 1, -1, -1):
        i = row[a]
        q = terms.left[i, 9] + dot(three_of(terms.left, i, 3), phi) + dot(three_of(terms.left, i, 6), u)
        for l in range(a + 1, count):
            q += terms.ties[i, l] * terms.q[row[l]]
        terms.q[i] = -q
    for a in range(count):
        i = row[a]
        q = terms.q[i]
        inside = add(inside, scale(q, three_of(terms.act, i, 6)))
        turned = add(turned, scale(q, three_of(terms.left, i, 0)))
        before = add(before, scale(q, three_of(terms.act, i, 0)))
    return inside, turned, before
