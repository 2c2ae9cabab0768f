"""Spans whose length is not found, or jumps: what they lack is taken up bit by bit [docs/theory/machines.md §2]."""

import math

from lissom.geometry.triples import Vector, dot, sub
from lissom.kernels import inline, kernel_part
from lissom.kernels import lean_kernel as kernel
from lissom.machines.bodies import Bodies, angular_velocity, row3, row4
from lissom.machines.ropes import Links, Ropes
from lissom.machines.rows import Multipliers
from lissom.machines.spans import span_compliance

JUMP = 2.0  # times the way that bodies go in a substep: a span that grows by more has jumped,
SMALL = 1e-3  # if it is by more than this share of it
SHORT = 5.0  # times what a span misses of its length, where a substep in pieces will not help


@kernel_part
def left_over(ropes: Ropes, links: Links, known: Multipliers, span_base: int, h: float) -> float:
    """The largest length by which a span misses what it was solved for, m."""
    worst = 0.0
    for r in range(ropes.first.shape[0]):
        for i in range(ropes.first[r], ropes.room[r]):
            if links.row[i] >= 0 and links.length[i] > 0.0:
                worst = max(worst, missing(ropes, links, known, r, i, span_base, h))
    return worst


@inline
def missing(ropes: Ropes, links: Links, known: Multipliers, r: int, i: int, span_base: int, h: float) -> float:
    """C of a span beyond what its tension stretches it by, m; a slack one may miss anything."""
    stretch = span_compliance(ropes, links, r, i) * known.total[span_base + i] / (h * h)
    over: float = links.length[i] - links.rest[i] - links.ease[i] - stretch
    return abs(over) if known.total[span_base + i] > 0.0 else over


@kernel_part
def see_lacks(links: Links) -> None:
    """Writes `lacked`, before bodies move."""
    for i in range(links.kind.shape[0]):
        links.lacked[i] = links.length[i] - links.rest[i]


@kernel_part
def ease_jumps(bodies: Bodies, links: Links, h: float) -> None:
    """A span that has become longer by more than its bodies could move in a substep touches another corner, or the
    other side of a part that another one presses on it: that is taken up bit by bit.
    """
    for i in range(links.kind.shape[0]):
        k = links.next[i]
        if k < 0:
            continue
        speed = speed_at(bodies, links.body[i], row3(links.start, i)) + speed_at(
            bodies, links.body[k], row3(links.end, i)
        )
        lacks = links.length[i] - links.rest[i]
        jump = min(lacks - links.ease[i], lacks - links.lacked[i] - JUMP * h * speed)
        if jump > SMALL * links.length[i]:
            links.ease[i] += jump
            links.lacked[i] += jump


@inline
def speed_at(bodies: Bodies, b: int, x: Vector) -> float:
    """No place of a body this far from its centre of mass is faster, m/s."""
    v, w = row3(bodies.v, b), angular_velocity(bodies, b, row4(bodies.q, b))
    arm = sub(x, row3(bodies.x, b))
    return math.sqrt(dot(v, v)) + math.sqrt(dot(w, w) * dot(arm, arm))


@kernel
def is_long(ropes: Ropes, links: Links, known: Multipliers, span_base: int, most: float, h: float) -> bool:
    """Whether no span that misses by more is as short as that: one of no length has no direction, however small a
    substep is.
    """
    for r in range(ropes.first.shape[0]):
        for i in range(ropes.first[r], ropes.room[r]):
            if links.row[i] >= 0:
                misses = abs(missing(ropes, links, known, r, i, span_base, h))
                if misses > most and links.length[i] < SHORT * misses:
                    return False
    return True


@kernel
def let_loose(ropes: Ropes, links: Links, known: Multipliers, span_base: int, most: float, h: float) -> bool:
    """Spans that miss by more will not pull in the next solutions of this substep; whether there are any."""
    found = False
    for r in range(ropes.first.shape[0]):
        for i in range(ropes.first[r], ropes.room[r]):
            asked = links.row[i] >= 0 and links.length[i] > 0.0
            if asked and abs(missing(ropes, links, known, r, i, span_base, h)) > most:
                links.loose[i] = 1
                found = True
    return found


@kernel_part
def ease_off(ropes: Ropes, links: Links, known: Multipliers, span_base: int, most: float, h: float) -> None:
    """What spans still lack is taken up bit by bit, if it is more: in one substep it would be a blow."""
    for r in range(ropes.first.shape[0]):
        for i in range(ropes.first[r], ropes.room[r]):
            if links.loose[i] == 1:
                kept = links.ease[i]
                if ropes.axial[r] > 0.0 or ropes.compliance[r] > 0.0:  # it keeps the stretch that it had
                    kept = max(kept, links.lacked[i])
                links.ease[i] += max(0.0, links.length[i] - links.rest[i] - kept)
            elif links.row[i] >= 0 and links.length[i] > 0.0:
                lacks = missing(ropes, links, known, r, i, span_base, h)
                links.ease[i] += lacks if lacks > most else 0.0
