"""The line of a rope to draw: on the wheels, straight where it is taut, hanging where it is slack."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.machines.machine import Machine
from lissom.machines.ropes import rim_place, rolls

Array = NDArray[np.float64]

FINE = 24
"""Points of a slack span, and of a turn about a wheel."""


class Piece(NamedTuple):
    """What of a rope lies on a link of its path, or leaves it as a span."""

    link: int  # of the path
    span: bool
    points: Array  # (n, 3) m


def rope_pieces(machine: Machine, name: str) -> Iterator[Piece]:
    """A rope as it is now, in order; of what is wound up the last turn. Nothing where it is broken."""
    r = machine.scene.ropes.index(machine.scene.rope(name))
    ropes, links = machine._parts.ropes, machine._parts.links
    if ropes.broken[r]:
        return
    for i in range(ropes.first[r], ropes.last[r]):
        if not links.active[i]:
            continue
        link = i - int(ropes.first[r])
        if rolls(links, i):
            yield Piece(link, False, _on_wheel(machine, i))
        if links.next[i] >= 0:
            span = hanging(links.start[i], links.end[i], float(links.rest[i]), np.array(machine.scene.gravity))
            yield Piece(link, True, span)


def rope_line(machine: Machine, name: str) -> Array:
    """(n, 3) points along a rope as it is now, in order, m; of what is wound up the last turn is drawn. (0, 3) where it
    is broken.
    """
    lines = [piece.points for piece in rope_pieces(machine, name)]
    if machine.scene.rope(name).closed and lines:
        lines.append(lines[0][:1])
    return np.concatenate(lines) if lines else np.zeros((0, 3))


def _on_wheel(machine: Machine, i: int) -> Array:
    """What lies on a link, from where the rope arrives to where it leaves."""
    links = machine._parts.links
    around, sense = float(links.around[i]), float(links.sense[i])
    on = min(max(float(links.stored[i]), 0.0), around)
    leaves = links.next[i] >= 0
    end = float(links.place_out[i]) if leaves else float(links.place_in[i]) + sense * on
    count = max(2, math.ceil(FINE * on / around))
    places = end - sense * np.linspace(on, 0.0, count)
    if links.corner_last[i] - links.corner_first[i] == 1:
        turn, radius = places[:, None] / float(links.radius[i]), float(links.radius[i])
        return np.asarray(links.middle[i] + radius * (np.cos(turn) * links.w1[i] + np.sin(turn) * links.w2[i]))
    return np.array([rim_place(links, i, w) for w in places])


def hanging(p: Array, q: Array, length: float, gravity: Array) -> Array:
    """(n, 3) from p to q: straight, or a catenary of this length where that is longer than the way, m."""
    d = q - p
    pull = float(np.linalg.norm(gravity))
    if pull == 0.0 or length <= float(np.linalg.norm(d)) * (1.0 + 1e-9):
        return np.array([p, q])
    down = gravity / pull
    drop = float(d @ down)
    across = d - drop * down
    wide = float(np.linalg.norm(across))
    if wide <= 1e-6 * length:  # both ends above each other: down and up again
        return np.array([p, p + 0.5 * (length + drop) * down, q])
    ratio = math.sqrt(length**2 - drop**2) / wide  # sinh x / x with x = wide / 2a
    low, high = 0.0, math.log(4.0 * ratio) + 4.0 * math.sqrt(math.log(ratio + 1.0)) + 2.0
    for _ in range(60):
        x = 0.5 * (low + high)
        low, high = (x, high) if math.sinh(x) < ratio * x else (low, x)
    a = 0.5 * wide / max(0.5 * (low + high), 1e-9)
    middle = 0.5 * wide + a * math.atanh(drop / length)  # how far along the lowest point lies
    t = np.linspace(0.0, wide, FINE)
    depth = a * (math.cosh(middle / a) - np.cosh((t - middle) / a))
    line = p + np.outer(t / wide, across) + np.outer(depth, down)
    line[-1] = q
    return np.asarray(line)
