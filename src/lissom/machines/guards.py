"""Links next to each other in a rope stay apart, so that there is a tangent (8) [docs/theory/machines.md §4]."""

import math

from lissom.geometry.triples import Vector, add, cross, dot, scale, sub
from lissom.kernels import inline, kernel_part
from lissom.machines.bodies import Bodies, row3
from lissom.machines.easing import JUMP, speed_at
from lissom.machines.ropes import Links, held_place, rolls
from lissom.machines.rows import NO_BOUND, Rows, add_row
from lissom.machines.tangents import in_plane

CLEAR = 1.02  # of the distance at which two links would have no tangent: they touch there
SHORTEST = 0.02  # of the larger radius: wheels of one size and side have a tangent at any distance but none


@inline
def has_corners(links: Links, i: int) -> bool:
    return rolls(links, i) and links.corner_last[i] - links.corner_first[i] > 1


@inline
def hull_gap(links: Links, i: int, q: Vector) -> tuple[float, Vector]:
    """(distance, outward normal) of q from the polygon of link i, in its plane; inside the distance is below 0."""
    first, last = links.corner_first[i], links.corner_last[i]
    d = sub(q, row3(links.middle, i))
    x, y = dot(d, row3(links.w1, i)), dot(d, row3(links.w2, i))
    least, nx, ny = NO_BOUND, 0.0, 0.0
    highest, mx, my = -NO_BOUND, 0.0, 0.0
    for k in range(first, last):
        after = first if k + 1 == last else k + 1
        tx, ty = links.corners[after, 0] - links.corners[k, 0], links.corners[after, 1] - links.corners[k, 1]
        side = math.sqrt(tx * tx + ty * ty)
        tx, ty = tx / side, ty / side
        u, v = x - links.corners[k, 0], y - links.corners[k, 1]
        if u * ty - v * tx > highest:
            highest, mx, my = u * ty - v * tx, ty, -tx
        at = min(max(u * tx + v * ty, 0.0), side)
        u, v = u - at * tx, v - at * ty
        far = math.sqrt(u * u + v * v)
        if far < least:
            least, nx, ny = far, u, v
    if highest <= 0.0 or least == 0.0:
        return highest, add(scale(mx, row3(links.w1, i)), scale(my, row3(links.w2, i)))
    return least, add(scale(nx / least, row3(links.w1, i)), scale(ny / least, row3(links.w2, i)))


@inline
def apart(links: Links, i: int, k: int) -> tuple[float, float, float, Vector, Vector]:
    """(least, watched, far, e, at): links i and k, one of which rolls, come no nearer than `least`; a row asks it where
    they are within `watched`. They are `far` apart, along e from i to k in the plane of one, at a place of the other.
    """
    round_i, round_k = rolls(links, i), rolls(links, k)
    ri = links.radius[i] * links.sense[i] if round_i else 0.0
    rk = links.radius[k] * links.sense[k] if round_k else 0.0
    if dot(row3(links.w3, i), row3(links.w3, k)) < 0.0 and round_i and round_k:
        rk = -rk
    angular_i, angular_k = has_corners(links, i), has_corners(links, k)
    p = row3(links.start, i) if angular_i else row3(links.middle, i) if round_i else held_place(links, i)
    q = row3(links.end, i) if angular_k else row3(links.middle, k) if round_k else held_place(links, k)
    if angular_i or angular_k:
        wide = max(links.around[i] if angular_i else 0.0, links.around[k] if angular_k else 0.0) / (2.0 * math.pi)
        far, e, at = NO_BOUND, q, q
        if angular_i:
            far, e = hull_gap(links, i, q)
        if angular_k:
            other, n = hull_gap(links, k, p)
            if other < far:
                far, e, at = other, scale(-1.0, n), p
        if angular_i and angular_k:  # from a place where the rope touches the one to the corners of the other
            ri = 0.0
            rk = max(links.radius[i], links.radius[k])
        least = CLEAR * max(abs(ri - rk), SHORTEST * wide)
        return least, least + 0.5 * wide, far, e, at
    least = CLEAR * max(abs(ri - rk), SHORTEST * max(abs(ri), abs(rk)))
    d = in_plane(sub(q, p), row3(links.w3, i) if round_i else row3(links.w3, k))
    far = math.sqrt(dot(d, d))
    return least, 1.5 * least, far, scale(1.0 / far, d) if far > 0.0 else d, q if round_i else p


@kernel_part
def see_gaps(links: Links) -> None:
    """Writes `near`, before bodies move."""
    for i in range(links.kind.shape[0]):
        k = links.next[i]
        if k >= 0 and (rolls(links, i) or rolls(links, k)):
            _, _, links.near[i], _, _ = apart(links, i, k)


@kernel_part
def guard_rows(rows: Rows, bodies: Bodies, links: Links, base: int, h: float) -> None:
    """Links next to each other stay so far apart that there is a tangent (8): a thimble that is hauled up to its sheave
    touches it. A row c − |D| ≤ 0 where they come near. Those that were nearer before, since a split has made them
    neighbours, or the rope touches another corner of one, are not thrown apart: they come no nearer.
    """
    for i in range(links.kind.shape[0]):
        k = links.next[i]
        if k < 0 or links.body[i] == links.body[k] or not (rolls(links, i) or rolls(links, k)):
            continue
        a, b = links.body[i], links.body[k]
        if bodies.movable[a] == 0 and bodies.movable[b] == 0:
            continue
        least, watched, far, e, at = apart(links, i, k)
        if far > watched or far == 0.0:
            continue
        e = scale(-1.0, e)
        turn_a = scale(-1.0, cross(sub(at, row3(bodies.x, a)), e))
        turn_b = cross(sub(at, row3(bodies.x, b)), e)
        value = min(least, links.near[i]) - far
        if value > JUMP * h * (speed_at(bodies, a, at) + speed_at(bodies, b, at)):
            value = 0.0
        add_row(rows, base + i, a, b, e, turn_a, turn_b, value, 0.0, 0.0, NO_BOUND)
