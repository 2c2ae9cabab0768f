"""The columns of contacts in the Newton system: their normals, and springs for what is curved.

The gap of a contact is the smallest along the cable: g = min over u of d(x(u)). With H the Hessian of the distance d,
x' = dx/du and a = x'·H x' + N·x'', its second derivative along a motion δ of the cable is

    δ·H δ − (v·δ)²/a,   v·δ = N·δ' + (H x')·δ                                       [docs/theory/contact.md (8)]

δ being the motion of the place itself: the second term is how the place runs along the cable. Times −λ, each term is a
spring; one column each.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Matrix, Vector, add, apply, dot, scale
from lissom.kernels import inline, kernel
from lissom.rods.border import Terms
from lissom.rods.chain import triple
from lissom.rods.contacts import NO_LINK, Contacts, Rows, normal_of

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

# A segment runs along what it touches if a falls below this, in units of |e|²·|H|: its ends then touch, not its inside.
ALONG = 1e-6
# Room: a contact has at most so many columns (its normal, three springs, two ways to run), and those so many places.
MOST_COLUMNS = 6
MOST_PLACES = 40
NO_RUBBING = np.zeros((0, 3, 3))


class Places(NamedTuple):
    """Directions at places of cables, gathered into columns. p: place."""

    link: Indices  # (p,)
    segment: Indices  # (p,)
    t: Array  # (p,)
    direction: Array  # (p, 3)
    column: Indices  # (p,)

    def on(self, link: int, number: Indices) -> Terms:
        """Those on one link, with other numbers for their columns."""
        return terms_on(self, link, number)


def new_places(room: int) -> Places:
    index = np.empty((3, room), dtype=np.int64)
    return Places(index[0], index[1], np.empty(room), np.empty((room, 3)), index[2])


@dataclass(slots=True)
class Columns:
    """The border besides the runs: a column per contact, one per spring, one per contact that slips. k: column."""

    places: Places
    give: Array  # (k,) E: 1/ρ of a contact, 1/τ of a spring of stiffness τ; 0 of one that slips
    error: Array  # (k,) c: the gap, m; 0 for the others
    contacts: int  # how many are contacts
    slips: Indices  # (s,) the contacts of the last columns, which slip
    share: Array  # (s,) μ there
    way: Array  # (s, 3) unit vectors along their friction forces

    @property
    def normals(self) -> "Columns":
        """Those of the contacts alone."""
        places = chosen(self.places, self.places.column < self.contacts)
        give, error = self.give[: self.contacts], self.error[: self.contacts]
        return Columns(places, give, error, self.contacts, self.slips[:0], self.share[:0], self.way[:0])

    @property
    def firm(self) -> int:
        """How many are contacts or springs: forces of their own, not shares of others."""
        return len(self.give) - len(self.slips)

    @property
    def stiff(self) -> int:
        """Springs with positive stiffness: each adds one negative eigenvalue to the border."""
        return int(np.count_nonzero(self.give[self.contacts :] > 0.0))


def pushes(c: Contacts, force: Array) -> Places:
    """Forces (c, 3) at the contacts' places on their cables a, their opposites on the cables b."""
    places = new_places(4 * len(c))
    return trimmed(places, spread(c.rows, force, places))


def columns(c: Contacts, rubbing: Array | None, hardness: float, weak: float) -> Columns:
    """Normals of all contacts; springs, not weaker than `weak` (N/m), of those that press.

    `rubbing` (c, 3, 3) is the stiffness of friction, N/m; None without friction.
    """
    count = len(c.rows)
    places = new_places(MOST_PLACES * count)
    give = np.empty(MOST_COLUMNS * count)
    entries, size = gather(c.rows, NO_RUBBING if rubbing is None else rubbing, hardness, weak, places, give)
    error = np.zeros(size)
    error[:count] = c.gap
    nothing = np.zeros(0, dtype=np.int64)
    return Columns(trimmed(places, entries), give[:size], error, count, nothing, np.zeros(0), np.zeros((0, 3)))


def with_slips(columns: Columns, c: Contacts, slips: Indices, way: Array) -> Columns:
    """With the columns of the friction forces of contacts that slip, along the unit vectors `way` (s, 3)."""
    more = pushes(c.where(slips), way)
    places = Places(*(np.concatenate(both) for both in zip(columns.places, more, strict=True)))
    places.column[len(columns.places.column) :] += len(columns.give)
    nothing = np.zeros(len(slips))
    give, error = (np.concatenate([values, nothing]) for values in (columns.give, columns.error))
    return Columns(places, give, error, columns.contacts, slips, c.friction[slips], way)


def chosen(places: Places, which: Flags) -> Places:
    link, segment, t, direction, column = places
    return Places(link[which], segment[which], t[which], direction[which], column[which])


def trimmed(places: Places, count: int) -> Places:
    link, segment, t, direction, column = places
    return Places(link[:count], segment[:count], t[:count], direction[:count], column[:count])


@kernel
def terms_on(places: Places, link: int, number: Indices) -> Terms:
    count = 0
    for p in range(len(places.link)):
        if places.link[p] == link:
            count += 1
    terms = Terms(np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count), np.empty((count, 3)))
    k = 0
    for p in range(len(places.link)):
        if places.link[p] == link:
            terms.column[k] = number[places.column[p]]
            terms.segment[k] = places.segment[p]
            terms.t[k] = places.t[p]
            for l in range(3):
                terms.direction[k, l] = places.direction[p, l]
            k += 1
    return terms


@kernel
def loads_on(rows: Rows, link: int) -> Terms:
    """The forces of the contacts, friction and all, on a link: one column each."""
    count = 0
    for row in rows:
        count += 2 * (row.link == link) + 2 * (row.other == link)
    terms = Terms(np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count), np.empty((count, 3)))
    p = 0
    for c in range(len(rows)):
        row = rows[c]
        for side in range(2):
            if (row.link if side == 0 else row.other) != link:
                continue
            for k in range(2):
                terms.column[p] = c
                terms.segment[p] = row.segment[k] if side == 0 else row.other_segment[k]
                terms.t[p] = row.t[k] if side == 0 else row.other_t[k]
                for l in range(3):
                    half = 0.5 * (row.force * row.normal[l] + row.drag[l])
                    terms.direction[p, l] = half if side == 0 else -half
                p += 1
    return terms


@kernel
def numbers_on(places: Places, link: int, columns: int, own: int) -> tuple[Indices, Indices]:
    """(the columns that act on a link, ascending; the number of each there, counted from `own` on)."""
    number = np.zeros(columns, np.int64)
    for p in range(len(places.link)):
        if places.link[p] == link:
            number[places.column[p]] = 1
    count = 0
    for k in range(columns):
        count += number[k]
    mine = np.empty(count, np.int64)
    count = 0
    for k in range(columns):
        if number[k] == 1:
            mine[count] = k
            number[k] = own + count
            count += 1
    return mine, number


@inline
def put(places: Places, p: int, link: int, segment: int, t: float, d: Vector, column: int) -> int:
    places.link[p] = link
    places.segment[p] = segment
    places.t[p] = t
    places.column[p] = column
    for k in range(3):
        places.direction[p, k] = d[k]
    return p + 1


@inline
def put_both(places: Places, p: int, rows: Rows, c: int, d: Vector, column: int) -> int:
    """A direction at the place of contact c on its cable a; its opposite on its cable b."""
    half = scale(0.5, d)
    row = rows[c]
    if row.link != NO_LINK:
        for k in range(2):
            p = put(places, p, row.link, row.segment[k], row.t[k], half, column)
    if row.other != NO_LINK:
        for k in range(2):
            p = put(places, p, row.other, row.other_segment[k], row.other_t[k], scale(-1.0, half), column)
    return p


@kernel
def spread(rows: Rows, force: Array, places: Places) -> int:
    p = 0
    for c in range(len(rows)):
        p = put_both(places, p, rows, c, triple(force, c), c)
    return p


@kernel
def gather(
    rows: Rows, rubbing: Array, hardness: float, weak: float, places: Places, give: Array
) -> tuple[int, int]:  # fmt: skip
    """Fills places and give; returns (how many places, how many columns)."""
    count = len(rows)
    p = 0
    for c in range(count):
        p = put_both(places, p, rows, c, normal_of(rows, c), c)
        give[c] = 1.0 / hardness
    column = count
    stiffness = np.empty((3, 3))
    for c in range(count):
        row = rows[c]
        force, inside, other_inside = row.force, row.inside, row.other_inside
        if force <= 0.0 or row.link == NO_LINK:
            continue
        for k in range(3):
            for l in range(3):
                stiffness[k, l] = -force * row.curvature[k, l]
                if len(rubbing):
                    stiffness[k, l] += rubbing[c, k, l]
        values, vectors = eigen(stiffness)
        for k in range(3):
            if abs(values[k]) > weak:
                p = put_both(places, p, rows, c, vectors[k], column)
                give[column] = 1.0 / values[k]
                column += 1
        if not inside and not other_inside:
            continue
        H, N = matrix_of(row.curvature), normal_of(rows, c)
        a, b = vector_of(row.along), scale(-1.0, vector_of(row.other_along))
        Ha, Hb = apply(H, a), apply(H, b)
        size = 0.0
        aa = ab = bb = 0.0
        if inside:
            aa = dot(a, Ha) + row.bend
            size = dot(a, a)
        if other_inside:
            bb = dot(b, Hb) + row.other_bend
            size = max(size, dot(b, b))
            if inside:
                ab = dot(a, Hb)
        least = ALONG * size * max(largest(H), 1e-300)
        # eigenvectors (x, y) of [[aa, ab], [ab, bb]]: where two cables cross, both places run
        angle = 0.5 * math.atan2(2.0 * ab, aa - bb) if inside and other_inside else 0.0
        x, y = math.cos(angle), math.sin(angle)
        if not inside:
            x, y = 0.0, 1.0
        for turn in range(2):
            if turn == 1:
                if not (inside and other_inside):
                    break
                x, y = -y, x
            value = x * x * aa + 2.0 * x * y * ab + y * y * bb
            if value <= least or abs(force / value) <= weak:
                continue  # the cable runs along what it touches
            p = put_both(places, p, rows, c, add(scale(x, Ha), scale(y, Hb)), column)
            for k in range(2):
                if x != 0.0:
                    share = x * (row.lean if k == 1 else 1.0 - row.lean)
                    segment = row.segment[k]
                    p = put(places, p, row.link, segment, 1.0, scale(share, N), column)
                    p = put(places, p, row.link, segment, 0.0, scale(-share, N), column)
                if y != 0.0:
                    share = y * (row.other_lean if k == 1 else 1.0 - row.other_lean)
                    segment = row.other_segment[k]
                    p = put(places, p, row.other, segment, 1.0, scale(-share, N), column)
                    p = put(places, p, row.other, segment, 0.0, scale(share, N), column)
            give[column] = value / force
            column += 1
    return p, column


@inline
def vector_of(a: Array) -> Vector:
    return (a[0], a[1], a[2])


@inline
def matrix_of(A: Array) -> Matrix:
    return (A[0, 0], A[0, 1], A[0, 2], A[1, 0], A[1, 1], A[1, 2], A[2, 0], A[2, 1], A[2, 2])


@inline
def largest(A: Matrix) -> float:
    most = 0.0
    for value in A:
        most = max(most, abs(value))
    return most


@kernel
def eigen(matrix: Array) -> tuple[Vector, tuple[Vector, Vector, Vector]]:
    """Eigenvalues and unit eigenvectors of a symmetric matrix (3, 3), by Jacobi's rotations."""
    A = matrix.copy()
    V = np.eye(3)
    for _ in range(12):
        off = A[0, 1] * A[0, 1] + A[0, 2] * A[0, 2] + A[1, 2] * A[1, 2]
        if off <= 1e-32 * (A[0, 0] * A[0, 0] + A[1, 1] * A[1, 1] + A[2, 2] * A[2, 2]):
            break
        for i, j in ((0, 1), (0, 2), (1, 2)):
            if A[i, j] == 0.0:
                continue
            half = 0.5 * (A[j, j] - A[i, i]) / A[i, j]
            t = math.copysign(1.0, half) / (abs(half) + math.sqrt(half * half + 1.0))
            c = 1.0 / math.sqrt(t * t + 1.0)
            s = t * c
            for k in range(3):
                A[k, i], A[k, j] = c * A[k, i] - s * A[k, j], s * A[k, i] + c * A[k, j]
            for k in range(3):
                A[i, k], A[j, k] = c * A[i, k] - s * A[j, k], s * A[i, k] + c * A[j, k]
                V[k, i], V[k, j] = c * V[k, i] - s * V[k, j], s * V[k, i] + c * V[k, j]
    return (A[0, 0], A[1, 1], A[2, 2]), (
        (V[0, 0], V[1, 0], V[2, 0]),
        (V[0, 1], V[1, 1], V[2, 1]),
        (V[0, 2], V[1, 2], V[2, 2]),
    )
