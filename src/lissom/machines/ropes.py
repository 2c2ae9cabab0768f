"""Ropes over links: tangents, and rope that rolls on and off [docs/theory/machines.md §4, §5].

The span that leaves link i for the next active one is kept with i: `rest` its unstretched length d̄, `length` its
length d.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, add, apply, cross, dot, rotation, scale, sub
from lissom.kernels import inline, kernel_part
from lissom.kernels import lean_kernel as kernel
from lissom.machines.bodies import Bodies, put3, row3, row4
from lissom.machines.rows import NO_BOUND
from lissom.machines.tangents import (
    MOST_CORNERS,
    corner_place,
    in_plane,
    nearest_turn,
    place_along,
    tangent_points,
    touched,
)

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

ATTACHMENT, ROLLING, PINHOLE, HYBRID = 0, 1, 2, 3
NO_SLIP = -1.0  # in place of a coefficient of friction


class Ropes(NamedTuple):
    """One row for each rope."""

    first: Indices  # (n,) the links of its path are first … last − 1
    last: Indices
    room: Indices  # (n,) last … room − 1 wait for parts that the path does not name
    closed: Indices  # (n,) 1: the last link leads to the first
    axial: Array  # (n,) EA, N; 0: not elastic, or as `compliance` says
    compliance: Array  # (n,) from each link of the path to the next, m/N
    compression: Array  # (n,) stiffness of a span that is pushed, N/m; 0: tension only
    mass: Array  # (n,) for each metre, kg/m; it weighs, but has no inertia
    strength: Array  # (n,) breaking force, N
    broken: Indices  # (n,) 1 once it broke
    broke_at: Array  # (n,) when, s
    broke_under: Array  # (n,) what force, N
    broke_from: Indices  # (n,) the link that the span left which broke, and the one it led to
    broke_to: Indices
    heavy: Array  # (n,) drag of a slip, kg; a tiny part of the machine's mass
    firm: Array  # (n,) EA of a span that was made too short, though the rope keeps its length, N
    least: Array  # (n,) compliance of a span that nothing movable is on, divided by h², 1/kg


class Links(NamedTuple):
    """One row for each link of all ropes."""

    kind: Indices  # (n,)
    part: Indices  # (n,) of the scene
    body: Indices  # (n,)
    centre: Array  # (n, 3) of the wheel, or the place held, in the body's axes, m
    e1: Array  # (n, 3) axes of its plane, in the body's
    e2: Array
    axis: Array  # (n, 3)
    radius: Array  # (n,) around the corners
    corners: Array  # (all, 4) of all links, see tangents.py
    corner_first: Indices  # (n,)
    corner_last: Indices
    around: Array  # (n,) circumference, m
    lower: Array  # (n,) how far the part reaches along the axis on both sides of the rope's plane, m
    upper: Array
    friction: Array  # (n,) coefficient, or NO_SLIP
    sense: Array  # (n,) σ
    active: Indices  # (n,) 0: the rope passes it by
    ready: Indices  # (n,) 1: not active, and the rope is clear of it on the side on which it would lie
    held: Indices  # (n,) 1: a hybrid whose rope is used up
    stored: Array  # (n,) s, m
    stretch: Array  # (n,) of what lies on it, m; unstretched it is s less this
    place_in: Array  # (n,) w where the rope arrives and leaves, m
    place_out: Array
    angle_in: Array  # (n,) of the normal there, in the plane of the link
    angle_out: Array
    anchor: Array  # (n,) w of the end of a hybrid that is held
    slips: Array  # (n,) −1, 0, 1: which way the rope slips
    slipped: Array  # (n,) what has slipped over it in this substep, m
    rub: Array  # (n,) F h² that the rows of this solution have, N s²
    had: Array  # (n,) s at the start of the substep, m; not below 0
    share_in: Array  # (n,) stretch, as a share of their lengths, of the spans that arrive and leave, and of what lies
    share_on: Array  # on the link, at the start of the substep
    share_out: Array
    rolled_in: Array  # (n,) what has rolled on at its two ends in this substep, m
    rolled_out: Array
    rest: Array  # (n,) d̄ of the span that leaves, m
    length: Array  # (n,) d of it
    peak: Array  # (n,) largest tension of it in the substeps of this step, N
    lacked: Array  # (n,) d − d̄ of it at the start of the substep
    near: Array  # (n,) distance of its links at the start of the substep, as `guard_rows` has it, m
    lost: Indices  # (n,) 1: there is no tangent, it is held where it was
    ease: (
        Array  # (n,) what a span that a split made too short is not yet asked to give, m; above 0 until it is made anew
    )
    loose: Indices  # (n,) 1: it does not pull in this substep, as its length was not found
    next: Indices  # (n,) where it leads; −1: nowhere
    after: Indices  # (n,) the link after it, active or not; −1: none, or not in the rope
    share: Array  # (n,) how often the span that leaves has the compliance of the rope
    start: Array  # (n, 3) where it begins and ends, in the world
    end: Array
    row: Indices  # (n,) its row, −1 if it has none
    slip_row: Indices  # (n,)
    middle: Array  # (n, 3) of the wheel, in the world
    w1: Array  # (n, 3) axes of its plane, in the world
    w2: Array
    w3: Array
    curve: Array  # (POINTS, 3) of the span that is looked at, in the world


@kernel
def see_links(bodies: Bodies, links: Links) -> None:
    """Writes where wheels and held places are in the world."""
    for i in range(links.kind.shape[0]):
        b = links.body[i]
        r = rotation(row4(bodies.q, b))
        put3(links.middle, i, add(row3(bodies.x, b), apply(r, row3(links.centre, i))))
        put3(links.w1, i, apply(r, row3(links.e1, i)))
        put3(links.w2, i, apply(r, row3(links.e2, i)))
        put3(links.w3, i, apply(r, row3(links.axis, i)))


@kernel_part
def next_active(ropes: Ropes, links: Links, r: int, i: int) -> int:
    """The link after i, −1 after the last of an open rope."""
    k = i
    for _ in range(ropes.room[r] - ropes.first[r]):
        k = links.after[k]
        if k < 0 or links.active[k] == 1:
            return k  # type: ignore[no-any-return]
    return -1


@inline
def passed(ropes: Ropes, links: Links, r: int, i: int, k: int) -> int:
    """How many links on from i is k; those between are not active."""
    count = 0
    for _ in range(ropes.room[r] - ropes.first[r]):
        i = links.after[i]
        count += 1
        if i == k:
            break
    return count


@kernel_part
def rolls(links: Links, i: int) -> bool:
    kind = links.kind[i]
    return kind == ROLLING or (kind == HYBRID and links.held[i] == 0)  # type: ignore[no-any-return]


@inline
def held_place(links: Links, i: int) -> Vector:
    """Where a link that does not roll holds the rope, in the world."""
    return row3(links.middle, i) if links.kind[i] != HYBRID else rim_place(links, i, links.anchor[i])


@kernel
def rim_place(links: Links, i: int, w: float) -> Vector:
    """The place w along the outline of a link, in the world."""
    first, last, radius = links.corner_first[i], links.corner_last[i], links.radius[i]
    if last - first == 1:
        angle = w / radius
        n = add(scale(math.cos(angle), row3(links.w1, i)), scale(math.sin(angle), row3(links.w2, i)))
        return add(row3(links.middle, i), scale(radius, n))
    return on_polygon(links, i, w)


@inline
def on_polygon(links: Links, i: int, w: float) -> Vector:
    """The place w along a polygon of small or no radius."""
    first, last, radius = links.corner_first[i], links.corner_last[i], links.radius[i]
    w -= links.around[i] * math.floor(w / links.around[i])
    found = (0.0, 0.0, 0.0)
    least = NO_BOUND
    for k in range(first, last):
        after = first if k + 1 == last else k + 1
        x, y = links.corners[k, 0], links.corners[k, 1]
        dx, dy = links.corners[after, 0] - x, links.corners[after, 1] - y
        side = math.sqrt(dx * dx + dy * dy)
        nx, ny = dy / side, -dx / side
        begins = place_along(links.corners, k, radius, math.atan2(ny, nx))
        t = w - begins
        t -= links.around[i] * math.floor(t / links.around[i])
        over = max(0.0, t - side)
        if over < least:  # on this side, or on the arc that follows it
            least = over
            t = min(t, side)
            px, py = x + t * dx / side + radius * nx, y + t * dy / side + radius * ny
            if over > 0.0 and radius > 0.0:
                turn = math.atan2(ny, nx) + over / radius
                px = links.corners[after, 0] + radius * math.cos(turn)
                py = links.corners[after, 1] + radius * math.sin(turn)
            middle = row3(links.middle, i)
            found = add(middle, add(scale(px, row3(links.w1, i)), scale(py, row3(links.w2, i))))
    return found


@kernel_part
def find_span(links: Links, i: int, k: int) -> tuple[bool, Vector, Vector, int, int]:
    """Whether there is a tangent from link i to link k, its two ends, and the corners they are on."""
    first = held_place(links, i)
    second = held_place(links, k)
    round_i, round_k = rolls(links, i), rolls(links, k)
    ri = links.radius[i] if round_i else 0.0
    rk = links.radius[k] if round_k else 0.0
    ci, ck = links.corner_first[i], links.corner_first[k]
    ok, p, q = True, first, second
    for _ in range(MOST_CORNERS):
        if round_i:
            first = corner_place(links.corners, ci, row3(links.middle, i), row3(links.w1, i), row3(links.w2, i))
        if round_k:
            second = corner_place(links.corners, ck, row3(links.middle, k), row3(links.w1, k), row3(links.w2, k))
        ok, p, q = tangent_points(
            first, row3(links.w3, i), ri, links.sense[i], second, row3(links.w3, k), rk, links.sense[k]
        )
        t = sub(q, p)
        bi, bk = ci, ck
        if round_i:
            bi = touched(
                links.corners, links.corner_first[i], links.corner_last[i], row3(links.w1, i), row3(links.w2, i),
                links.sense[i], t,
            )  # fmt: skip
        if round_k:
            bk = touched(
                links.corners, links.corner_first[k], links.corner_last[k], row3(links.w1, k), row3(links.w2, k),
                links.sense[k], t,
            )  # fmt: skip
        if bi == ci and bk == ck:
            break
        ci, ck = bi, bk
    return ok, p, q, ci, ck


@kernel_part
def place_on(links: Links, i: int, corner: int, t: Vector) -> float:
    """w where a rope of direction t touches the link."""
    return place_along(links.corners, corner, links.radius[i], normal_angle(links, i, t))


@inline
def normal_angle(links: Links, i: int, t: Vector) -> float:
    """Of the outward normal of the link where a rope of direction t touches it."""
    n = scale(links.sense[i], cross(in_plane(t, row3(links.w3, i)), row3(links.w3, i)))
    return math.atan2(dot(n, row3(links.w2, i)), dot(n, row3(links.w1, i)))


@inline
def moved_along(links: Links, i: int, new: float, old: float) -> float:
    """From one place to another the shorter way round."""
    around: float = links.around[i]
    return around / (2.0 * math.pi) * nearest_turn((new - old) * (2.0 * math.pi / around))


@kernel_part
def see_strains(ropes: Ropes, links: Links) -> None:
    """How much of what rolls on and off in this substep is stretch (9a)."""
    for i in range(links.kind.shape[0]):
        links.had[i] = max(links.stored[i], 0.0)
        links.share_in[i] = links.share_on[i] = links.share_out[i] = 0.0
        links.rolled_in[i] = links.rolled_out[i] = 0.0
    for r in range(ropes.first.shape[0]):
        if ropes.axial[r] == 0.0:
            continue
        for i in range(ropes.first[r], ropes.room[r]):
            if links.had[i] > 0.0:
                links.share_on[i] = links.stretch[i] / links.had[i]
            k = links.next[i]
            if k >= 0 and links.length[i] > 0.0:
                over = links.length[i] - max(links.rest[i], 0.0) - links.ease[i]
                links.share_out[i] = links.share_in[k] = max(over, 0.0) / links.length[i]


@inline
def roll(links: Links, span: int, j: int, leaves: bool, on: float) -> None:
    """A length rolls on to link j from a span that leaves it, or arrives (9), with its stretch (9a)."""
    rolled = links.rolled_out if leaves else links.rolled_in
    own, other = (links.share_out[j], links.share_in[j]) if leaves else (links.share_in[j], links.share_out[j])
    before = stretch_of(links, j, rolled[j], own, other)
    rolled[j] += on
    stretch = stretch_of(links, j, rolled[j], own, other) - before
    links.stored[j] += on
    links.stretch[j] += stretch
    links.rest[span] -= on - stretch


@inline
def stretch_of(links: Links, j: int, rolled: float, own: float, other: float) -> float:
    """In what rolled on to link j at an end where the span has the share `own` of stretch. What rolls off is as
    stretched as what lay there, then as what came from the `other` end and went right through.
    """
    if rolled >= 0.0:
        return rolled * own
    return -min(-rolled, links.had[j]) * links.share_on[j] - max(-rolled - links.had[j], 0.0) * other  # type: ignore[no-any-return]


@kernel
def reel(ropes: Ropes, links: Links) -> None:
    """New tangents, and the rope that rolled on or off since (9). Writes spans: `start`, `end`, `length`, `next`.

    Where links almost touch, their tangent may lead the other way all at once: no rope has rolled by that.
    """
    for r in range(ropes.first.shape[0]):
        for i in range(ropes.first[r], ropes.room[r]):
            before = links.next[i]
            links.next[i] = -1
            if links.active[i] == 0 or ropes.broken[r] == 1:
                continue
            k = next_active(ropes, links, r, i)
            links.next[i] = k
            if k < 0:
                continue
            ok, p, q, ci, ck = find_span(links, i, k)
            links.lost[i] = 0 if ok else 1
            if not ok:  # wheels ran into each other: it is held where it last touched until there is a tangent again
                p = rim_place(links, i, links.place_out[i]) if rolls(links, i) else p
                q = rim_place(links, k, links.place_in[k]) if rolls(links, k) else q
            t = sub(q, p)
            turned = before == k and dot(t, sub(row3(links.end, i), row3(links.start, i))) < 0.0
            if ok and rolls(links, i):
                w = place_on(links, i, ci, t)
                on = links.sense[i] * moved_along(links, i, w, links.place_out[i])
                links.place_out[i] = w
                links.angle_out[i] = normal_angle(links, i, t)
                if not turned:
                    roll(links, i, i, True, on)
            if ok and rolls(links, k):
                w = place_on(links, k, ck, t)
                on = -links.sense[k] * moved_along(links, k, w, links.place_in[k])
                links.place_in[k] = w
                links.angle_in[k] = normal_angle(links, k, t)
                if not turned:
                    roll(links, i, k, False, on)
            put3(links.start, i, p)
            put3(links.end, i, q)
            links.length[i] = math.sqrt(dot(t, t))
