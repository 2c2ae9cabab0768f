"""The line of a rope to draw: on the wheels, straight where it is taut, hanging where it is slack."""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.machines.events import hanging_arc
from lissom.machines.hanging import POINTS, hang, hangs
from lissom.machines.machine import Machine
from lissom.machines.ropes import rim_place, rolls

Array = NDArray[np.float64]

FINE = 24
"""Points of a turn about a wheel."""


class Piece(NamedTuple):
    """What of a rope lies on a link, or leaves it as a span."""

    link: int  # counted as in `RopeReading`
    span: bool
    points: Array  # (n, 3) m


Shape = Callable[[int], Array]
"""(n, 3) points of the span that leaves a link."""


def rope_pieces(machine: Machine, name: str, span: Shape | None = None) -> Iterator[Piece]:
    """A rope as it is now, in order; of what is wound up the last turn. Nothing where it is broken. `span`: how spans
    lie; absent: straight, or as catenaries.
    """
    r = machine.scene.ropes.index(machine.scene.rope(name))
    ropes, links = machine._parts.ropes, machine._parts.links
    if ropes.broken[r]:
        return
    spans = machine._spans(r).tolist()
    for i in [*spans, *([] if ropes.closed[r] else [int(links.next[spans[-1]])])]:
        link = i - int(ropes.first[r])
        if rolls(links, i):
            yield Piece(link, False, _on_wheel(machine, i))
        if links.next[i] >= 0:
            yield Piece(link, True, catenary(machine, i) if span is None else span(i))


def rope_line(machine: Machine, name: str, span: Shape | None = None) -> Array:
    """(n, 3) points along a rope as it is now, in order, m; of what is wound up the last turn is drawn. (0, 3) where it
    is broken. `span` as of `rope_pieces`.
    """
    lines = [piece.points for piece in rope_pieces(machine, name, span)]
    if machine.scene.rope(name).closed and lines:
        lines.append(lines[0][:1])
    return np.concatenate(lines) if lines else np.zeros((0, 3))


def catenary(machine: Machine, i: int) -> Array:
    """The span that leaves link i, straight or hanging."""
    return hanging(*between(machine, i), np.array(machine.scene.gravity))


def between(machine: Machine, i: int) -> tuple[Array, Array, float]:
    """Where the span that leaves link i begins and ends as it hangs, and its length."""
    links, k = machine._parts.links, int(machine._parts.links.next[i])
    p, q, length = links.start[i], links.end[i], float(links.rest[i])
    if (on := _beyond(machine, i, i, True)) != 0.0:
        p, length = np.array(rim_place(links, i, links.place_out[i] + links.sense[i] * on)), length - on
    if (on := _beyond(machine, k, i, False)) != 0.0:
        q, length = np.array(rim_place(links, k, links.place_in[k] - links.sense[k] * on)), length - on
    return p, q, length


def _beyond(machine: Machine, k: int, span: int, leaves: bool) -> float:
    """What lies on a link beyond the straight tangent where a slack span hangs over it, m; a sheave that the rope would
    hang clear of keeps it on its straight tangents.
    """
    links, gravity = machine._parts.links, machine.scene.gravity
    p, q = (tuple(end[span].tolist()) for end in (links.start, links.end))
    if not rolls(links, k) or not hangs(p, q, float(links.rest[span]), gravity):
        return 0.0
    on = float(hanging_arc(links, k, span, leaves, gravity))
    return on if links.stored[k] < 0.0 else max(on, 0.0)


def _on_wheel(machine: Machine, i: int) -> Array:
    """What lies on a link, from where the rope arrives to where it leaves."""
    links = machine._parts.links
    around, sense = float(links.around[i]), float(links.sense[i])
    on, leaves = float(links.stored[i]), links.next[i] >= 0
    end = float(links.place_out[i]) if leaves else float(links.place_in[i]) + sense * min(on, around)
    after = _beyond(machine, i, i, True) if leaves else 0.0
    before = sum(_beyond(machine, i, int(k), False) for k in np.flatnonzero(links.next == i))
    on, end = min(max(on + after + before, 0.0), around), end + sense * after
    count = max(2, math.ceil(FINE * on / around))
    places = end - sense * np.linspace(on, 0.0, count)
    if links.corner_last[i] - links.corner_first[i] == 1:
        turn, radius = places[:, None] / float(links.radius[i]), float(links.radius[i])
        return np.asarray(links.middle[i] + radius * (np.cos(turn) * links.w1[i] + np.sin(turn) * links.w2[i]))
    return np.array([rim_place(links, i, w) for w in places])


def hanging(p: Array, q: Array, length: float, gravity: Array) -> Array:
    """(n, 3) from p to q: straight, or a catenary of this length where that is longer than the way, m."""
    line = np.zeros((POINTS, 3))
    count = hang(line, tuple(p.tolist()), tuple(q.tolist()), float(length), tuple(gravity.tolist()))
    return line[:count]
