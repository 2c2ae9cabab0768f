"""Ropes that come to lie on parts that their path does not name [MCJM18 §4.2; docs/theory/machines.md §7].

A link of a rope that waits for such a part has the frame of the solid; when the rope touches it, it gets that of the
plane in which the rope will lie there: the one of the rope's direction t and of the normal n where it touches, or the
one square to the axis of a wheel. All geometry is in the solid's own axes, z along its axis.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import Vector, add, cross, dot, scale, sub
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.machines.bodies import put3, row3
from lissom.machines.ropes import Links
from lissom.machines.rows import NO_BOUND

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

ROUND, WHEEL, EDGED = 1, 2, 3  # a sphere or capsule, a cylinder, what has corners
CLEAR, BESIDE, UNKNOWN = -1, -2, -3  # nothing touches, next to the end of a wheel, beyond an end of the span
SQUARE, BALL, ALONG, CUT = 0, 1, 2, 3  # how the plane lies: to the axis, through a middle, with the axis, as it comes
PASSED, LEFT, SEEN = 0, 1, 2  # a span is through a part or beside it; has left it; was seen clear of it since
TINY = 1e-12  # of a solid: corners that are no further apart are one


class Guests(NamedTuple):
    """One row for each link of all ropes; those of a path have none of it."""

    kind: Indices  # (links,) ROUND, WHEEL or EDGED
    half: Array  # (links,) half the length of the axis of a round solid, m
    radius: Array  # (links,) about it
    grown: Array  # (links,) half of what the rope is thick, m
    reach: Array  # (links,) radius about the middle that holds the solid, m
    centre: Array  # (links, 3) of the solid, and its axes, in those of the body
    e1: Array
    e2: Array
    axis: Array
    points: Array  # (all, 3) corners of all solids, in their axes, m
    point_first: Indices  # (links,)
    point_last: Indices
    edges: Indices  # (all, 2) which of the points they join
    edge_first: Indices  # (links,)
    edge_last: Indices
    faces: Array  # (all, 4) outward normals in the solid's axes, and how far out, m
    face_first: Indices  # (links,)
    face_last: Indices
    clear: Indices  # (links, most) how the span that leaves the link came to be where it is to the rope's part of this
    # number: PASSED, LEFT or SEEN


@kernel
def look(links: Links, guests: Guests, g: int, count: int) -> tuple[int, Vector, Vector, Vector, Vector, float]:
    """How the curve in `links.curve` touches the solid of link g, which waits: how the plane lies, the normal and the
    middle of the outline in the solid's axes; in the world where it touches, and its direction there; and where along
    it that is, as a share of its length.
    """
    found, none = CLEAR, (0.0, 0.0, 0.0)
    normal, middle, x, way, at, arc = none, none, none, none, 0.0, 0.0
    for m in range(count - 1):
        a, b = row3(links.curve, m), row3(links.curve, m + 1)
        t = sub(b, a)
        long = math.sqrt(dot(t, t))
        if long > 0.0 and found < 0:
            p, q = inside(links, g, a), inside(links, g, b)
            form, n, c, s = touch(guests, g, p, q, m == 0, m == count - 2)
            if form >= 0:
                normal, middle, at = n, c, arc + s
                x, way = add(a, scale(s / long, t)), t
            if form != CLEAR:
                found = form if form >= 0 or found == CLEAR else max(form, found)
        arc += long
    return found, normal, middle, x, way, at / max(arc, 1e-300)


@inline
def inside(links: Links, g: int, x: Vector) -> Vector:
    """A place of the world in the axes of link g."""
    d = sub(x, row3(links.middle, g))
    return (dot(d, row3(links.w1, g)), dot(d, row3(links.w2, g)), dot(d, row3(links.w3, g)))


@kernel
def touch(guests: Guests, g: int, p: Vector, q: Vector, first: bool, last: bool) -> tuple[int, Vector, Vector, float]:
    """(how, normal, middle of the outline, how far from p) of the straight piece from p to q; `first` and `last` of a
    curve: nothing is met at its very ends.
    """
    d = sub(q, p)
    long = math.sqrt(dot(d, d))
    t = scale(1.0 / long, d)
    none = (0.0, 0.0, 0.0)
    nearest = add(p, scale(min(max(-dot(p, t), 0.0), long), t))
    reach = guests.reach[g] + guests.grown[g]
    if dot(nearest, nearest) >= reach * reach:
        return CLEAR, none, none, 0.0
    square = 1.0 - t[2] * t[2]
    if guests.kind[g] == EDGED or (guests.kind[g] == WHEEL and square < 0.5):
        return touch_edges(guests, g, p, t, long, first, last)
    s = -(p[0] * t[0] + p[1] * t[1]) / square if square > 0.0 else 0.0
    half = guests.half[g]
    z = p[2] + s * t[2]
    if guests.kind[g] == ROUND and (abs(z) > half or square == 0.0):
        z = min(max(z, -half), half)
        s = dot(sub((0.0, 0.0, z), p), t)
        z = min(max(p[2] + s * t[2], -half), half)
        s = dot(sub((0.0, 0.0, z), p), t)
    beyond = (first and s <= 0.0) or (last and s >= long)
    s = min(max(s, 0.0), long)
    x = add(p, scale(s, t))
    if guests.kind[g] == WHEEL:
        z = x[2]
        if abs(z) >= half:
            return BESIDE, none, none, s
    n = sub(x, (0.0, 0.0, z))
    far = math.sqrt(dot(n, n))
    if far >= guests.radius[g] + guests.grown[g]:
        return CLEAR, none, none, s
    if beyond or far == 0.0:
        return UNKNOWN, none, none, s
    n = scale(1.0 / far, n)
    if abs(z) >= half:
        return BALL, n, (0.0, 0.0, z), s
    return (SQUARE, n, (0.0, 0.0, z), s) if square >= 0.5 else (ALONG, n, none, s)


@kernel
def touch_edges(
    guests: Guests, g: int, p: Vector, t: Vector, long: float, first: bool, last: bool
) -> tuple[int, Vector, Vector, float]:
    """Seen along t the solid is a convex polygon and the span a point: it touches the side that it is least behind. The
    sides are found by going around the polygon.
    """
    none = (0.0, 0.0, 0.0)
    enters, leaves = clip(guests, g, p, t, long)
    if enters >= leaves:
        return CLEAR, none, none, 0.0
    if (first and enters <= 0.0) or (last and leaves >= long):
        return UNKNOWN, none, none, 0.0
    u = cross(t, (1.0, 0.0, 0.0) if abs(t[0]) < 0.6 else (0.0, 1.0, 0.0))
    u = scale(1.0 / math.sqrt(dot(u, u)), u)
    v = cross(t, u)
    begin, end = guests.point_first[g], guests.point_last[g]
    tiny = TINY * guests.reach[g]
    start = begin
    for k in range(begin + 1, end):
        if seen(guests, k, p, u, v)[0] < seen(guests, start, p, u, v)[0]:
            start = k
    here, least, normal, s = start, NO_BOUND, none, 0.0
    for _ in range(end - begin):
        ax, ay = seen(guests, here, p, u, v)
        after, bx, by = -1, 0.0, 0.0
        for k in range(begin, end):
            kx, ky = seen(guests, k, p, u, v)
            if (kx - ax) ** 2 + (ky - ay) ** 2 <= tiny * tiny:
                continue
            right = (bx - ax) * (ky - ay) - (by - ay) * (kx - ax)
            further = (kx - ax) ** 2 + (ky - ay) ** 2 > (bx - ax) ** 2 + (by - ay) ** 2
            if after < 0 or right < -tiny * guests.reach[g] or (right <= tiny * guests.reach[g] and further):
                after, bx, by = k, kx, ky
        if after < 0:
            return UNKNOWN, none, none, 0.0
        side = math.sqrt((bx - ax) ** 2 + (by - ay) ** 2)
        nx, ny = (by - ay) / side, -(bx - ax) / side
        depth = guests.grown[g] + ax * nx + ay * ny
        if depth <= 0.0:
            return CLEAR, none, none, 0.0
        if depth < least:
            least, normal = depth, add(scale(nx, u), scale(ny, v))
            share = min(max(-(ax * (bx - ax) + ay * (by - ay)) / (side * side), 0.0), 1.0)
            a, b = row3(guests.points, here), row3(guests.points, after)
            s = dot(sub(add(a, scale(share, sub(b, a))), p), t)
        here = after
        sx, sy = seen(guests, start, p, u, v)
        if (bx - sx) ** 2 + (by - sy) ** 2 <= tiny * tiny:
            break
    return CUT, normal, none, min(max(s, enters), leaves)


@inline
def clip(guests: Guests, g: int, p: Vector, t: Vector, long: float) -> tuple[float, float]:
    """Between which distances from p a straight piece is within the solid, with half of the rope around it."""
    enters, leaves = 0.0, long
    for k in range(guests.face_first[g], guests.face_last[g]):
        n = (guests.faces[k, 0], guests.faces[k, 1], guests.faces[k, 2])
        out, along = dot(p, n) - guests.faces[k, 3] - guests.grown[g], dot(t, n)
        if along < 0.0:
            enters = max(enters, -out / along)
        elif along > 0.0:
            leaves = min(leaves, -out / along)
        elif out >= 0.0:
            leaves = enters
    return enters, leaves


@inline
def seen(guests: Guests, k: int, p: Vector, u: Vector, v: Vector) -> tuple[float, float]:
    """A corner in the axes u and v, from p."""
    d = sub(row3(guests.points, k), p)
    return dot(d, u), dot(d, v)


@kernel
def lay_plane(links: Links, guests: Guests, g: int, form: int, n: Vector, c: Vector, x: Vector, way: Vector) -> bool:
    """Gives link g the plane and the outline in which a rope of direction `way` that touches it at x will lie; whether
    there is one.
    """
    at = inside(links, g, x)
    t = inside(links, g, add(way, row3(links.middle, g)))
    t = sub(t, scale(dot(t, n), n))  # at a bend it is not square to n
    t = scale(1.0 / math.sqrt(dot(t, t)), t)
    first = links.corner_first[g]
    links.corner_last[g] = first + 1
    links.radius[g] = guests.grown[g] + (guests.radius[g] if form != CUT else 0.0)
    links.sense[g] = 1.0
    e1, e2 = n, t
    for k in range(4):
        links.corners[first, k] = 0.0
    if form == SQUARE:
        e1, e2 = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
        links.sense[g] = 1.0 if dot(n, cross(t, (0.0, 0.0, 1.0))) > 0.0 else -1.0
    elif form == ALONG:
        e2 = (0.0, 0.0, 1.0 if t[2] > 0.0 else -1.0)
        links.corner_last[g] = first + 2
        links.corners[first, 1], links.corners[first + 1, 1] = -guests.half[g], guests.half[g]
        links.corners[first, 0] = links.corners[first + 1, 0] = 0.0
    elif form == CUT:
        ok, c = cut(links, guests, g, at, e1, e2)
        if not ok:
            return False
    links.around[g] = measure(links, g)
    put_frame(
        links, g, on_body(guests, g, c, 1.0), on_body(guests, g, e1, 0.0), on_body(guests, g, e2, 0.0),
        on_body(guests, g, cross(e1, e2), 0.0),
    )  # fmt: skip
    return True


@inline
def on_body(guests: Guests, g: int, v: Vector, place: float) -> Vector:
    """A direction, or with `place` = 1 a place, from the solid's axes into those of the body."""
    turned = add(
        scale(v[0], row3(guests.e1, g)), add(scale(v[1], row3(guests.e2, g)), scale(v[2], row3(guests.axis, g)))
    )
    return add(turned, scale(place, row3(guests.centre, g)))


@inline
def in_world(links: Links, g: int, v: Vector) -> Vector:
    """A direction in the body's axes, as the present frame of link g has it in the world."""
    x, y, z = dot(v, row3(links.e1, g)), dot(v, row3(links.e2, g)), dot(v, row3(links.axis, g))
    return add(scale(x, row3(links.w1, g)), add(scale(y, row3(links.w2, g)), scale(z, row3(links.w3, g))))


@kernel
def put_frame(links: Links, g: int, centre: Vector, e1: Vector, e2: Vector, axis: Vector) -> None:
    """Another frame for link g, given in the body's axes; also as it is in the world."""
    middle = add(row3(links.middle, g), in_world(links, g, sub(centre, row3(links.centre, g))))
    w1, w2, w3 = in_world(links, g, e1), in_world(links, g, e2), in_world(links, g, axis)
    put3(links.centre, g, centre)
    put3(links.e1, g, e1)
    put3(links.e2, g, e2)
    put3(links.axis, g, axis)
    put3(links.middle, g, middle)
    put3(links.w1, g, w1)
    put3(links.w2, g, w2)
    put3(links.w3, g, w3)


@kernel
def wait_again(links: Links, guests: Guests, g: int) -> None:
    """Link g has the frame of the solid."""
    put_frame(links, g, row3(guests.centre, g), row3(guests.e1, g), row3(guests.e2, g), row3(guests.axis, g))


@kernel
def cut(links: Links, guests: Guests, g: int, at: Vector, e1: Vector, e2: Vector) -> tuple[bool, Vector]:
    """Corners of the cut of a solid with the plane of e1 and e2 through a place, about their middle; where that is."""
    first, count = links.corner_first[g], 0
    axis = cross(e1, e2)
    mx = my = 0.0
    for k in range(guests.edge_first[g], guests.edge_last[g]):
        a = sub(row3(guests.points, guests.edges[k, 0]), at)
        b = sub(row3(guests.points, guests.edges[k, 1]), at)
        da, db = dot(a, axis), dot(b, axis)
        if (da < 0.0) != (db < 0.0):
            y = add(a, scale(da / (da - db), sub(b, a)))
            links.corners[first + count, 0], links.corners[first + count, 1] = dot(y, e1), dot(y, e2)
            mx, my, count = mx + dot(y, e1), my + dot(y, e2), count + 1
    if count < 3:
        return False, at
    mx, my = mx / count, my / count
    for k in range(first, first + count):
        links.corners[k, 0] -= mx
        links.corners[k, 1] -= my
        links.corners[k, 2] = math.atan2(links.corners[k, 1], links.corners[k, 0])
    go_around(links.corners, first, first + count)
    links.corner_last[g] = straighten(links.corners, first, first + count, TINY * guests.reach[g] ** 2)
    return links.corner_last[g] - first > 2, add(at, add(scale(mx, e1), scale(my, e2)))


@kernel
def go_around(corners: Array, first: int, last: int) -> None:
    """Sorts corners by the angle in their third column."""
    for k in range(first + 1, last):
        for j in range(k, first, -1):
            if corners[j - 1, 2] <= corners[j, 2]:
                break
            for m in range(3):
                corners[j - 1, m], corners[j, m] = corners[j, m], corners[j - 1, m]


@kernel
def straighten(corners: Array, first: int, last: int, tiny: float) -> int:
    """Leaves out corners on a straight side, and those that are there twice; the new end."""
    k = first
    while k < last and last - first > 2:
        before = k - 1 if k > first else last - 1
        after = k + 1 if k + 1 < last else first
        ax, ay = corners[k, 0] - corners[before, 0], corners[k, 1] - corners[before, 1]
        bx, by = corners[after, 0] - corners[k, 0], corners[after, 1] - corners[k, 1]
        if ax * by - ay * bx > tiny:
            k += 1
            continue
        for j in range(k, last - 1):
            corners[j, 0], corners[j, 1] = corners[j + 1, 0], corners[j + 1, 1]
        last -= 1
        k = max(k - 1, first)
    return last


@kernel
def measure(links: Links, g: int) -> float:
    """Writes angles and lengths of a profile whose corners are known, as `profiles.corners_of`; its circumference."""
    first, last = links.corner_first[g], links.corner_last[g]
    around = 0.0
    if last - first > 1:
        normal = side_normal(links.corners, last - 1, first)
        for k in range(first, last):
            after = k + 1 if k + 1 < last else first
            turned = side_normal(links.corners, k, after)
            while turned < normal:
                turned += 2.0 * math.pi
            links.corners[k, 2] = 0.5 * (normal + turned)
            links.corners[k, 3] = around
            dx, dy = links.corners[after, 0] - links.corners[k, 0], links.corners[after, 1] - links.corners[k, 1]
            around += math.sqrt(dx * dx + dy * dy)
            normal = turned
    return around + 2.0 * math.pi * links.radius[g]  # type: ignore[no-any-return]


@inline
def side_normal(corners: Array, k: int, after: int) -> float:
    """The angle of the normal of a side."""
    return math.atan2(corners[k, 0] - corners[after, 0], corners[after, 1] - corners[k, 1])
