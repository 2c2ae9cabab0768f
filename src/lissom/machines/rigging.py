"""Ropes of a scene as links: profiles and planes of parts, first spans and what lies on the way [docs/machines.md]."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.exchange.meshfiles import part_mesh
from lissom.machines import ropes as link_kinds
from lissom.machines.events import OFF
from lissom.machines.hanging import POINTS
from lissom.machines.placed import Placed, axes_about
from lissom.machines.profiles import WHEEL, circumference, corners_of, hull
from lissom.machines.ropes import Links, Ropes, find_span, next_active, place_on, rolls
from lissom.machines.rows import NO_BOUND
from lissom.scene import Problem, Scene, SceneError
from lissom.scene.errors import ABSENT
from lissom.scene.part import Part
from lissom.scene.rope import WOUND, Link, Rope
from lissom.scene.roping import met_parts
from lissom.scene.shape import BoxShape, CapsuleShape, CylinderShape, ProfileShape, SphereShape

Array = NDArray[np.float64]

LINK_KINDS = {
    "attachment": link_kinds.ATTACHMENT,
    "rolling": link_kinds.ROLLING,
    "pinhole": link_kinds.PINHOLE,
    "hybrid": link_kinds.HYBRID,
    "spool": link_kinds.HYBRID,
}

LEAST_DRAG = 1e-9
"""Of a slip, relative to the mass of the machine."""

FIRM = 1e6
"""EA of a span that was made too short, in weights of the machine, though the rope keeps its length. Caught between
things that do not move, its rows contradict others, and would pull with any force.
"""

LEAST_COMPLIANCE = 1e-7
"""Of a span that nothing movable is on, relative to what the bodies of the machine together would have."""


def read_ropes(scene: Scene, placed: dict[str, Placed], mass: float) -> tuple[Ropes, Links]:
    n, m = len(scene.ropes), sum(len(rope.path) + len(met_parts(scene, rope)) for rope in scene.ropes)
    number = {part.name: k for k, part in enumerate(scene.parts)}
    ropes = Ropes(
        first=np.zeros(n, dtype=np.int64),
        last=np.zeros(n, dtype=np.int64),
        room=np.zeros(n, dtype=np.int64),
        closed=np.zeros(n, dtype=np.int64),
        axial=np.zeros(n),
        compliance=np.zeros(n),
        compression=np.zeros(n),
        mass=np.zeros(n),
        strength=np.full(n, NO_BOUND),
        broken=np.zeros(n, dtype=np.int64),
        broke_at=np.zeros(n),
        broke_under=np.zeros(n),
        broke_from=np.zeros(n, dtype=np.int64),
        broke_to=np.zeros(n, dtype=np.int64),
        heavy=np.full(n, LEAST_DRAG * (mass or 1.0)),
        firm=np.full(n, FIRM * 9.81 * (mass or 1.0)),
        least=np.full(n, LEAST_COMPLIANCE / (mass or 1.0)),
    )
    profiles: list[Array] = []
    links = _empty_links(m)
    i = corner = 0
    for r, rope in enumerate(scene.ropes):
        ropes.first[r] = i
        ropes.closed[r] = rope.closed
        ropes.axial[r] = rope.axial or 0.0
        ropes.compliance[r] = rope.compliance or 0.0
        ropes.compression[r] = rope.compression or 0.0
        ropes.mass[r] = rope.mass_per_length or 0.0
        ropes.strength[r] = rope.breaking_force or NO_BOUND
        for link in rope.path:
            part, on = scene.part(link.on), placed[link.on]
            corners, radius = _profile(scene, part, link, 0.5 * rope.diameter)
            profiles.append(corners)
            _put_link(links, i, link, on, radius)
            links.part[i] = number[link.on]
            links.corner_first[i], links.corner_last[i] = corner, corner + len(corners)
            links.around[i] = circumference(corners, radius) if link.kind in WOUND else 1.0
            if link.kind in WOUND:
                low, high = links.lower[i], links.upper[i] = _width(scene, part, link)
                if low > 0.0 or high < 0.0:
                    reach = f"the part reaches from {low + (link.offset or 0.0):g} to {high + (link.offset or 0.0):g} m"
                    raise _misled(
                        scene, link, "offset", link.offset, f"must be on the part: along the axis of the link {reach}"
                    )
            corner += len(corners)
            i += 1
        ropes.last[r] = i
        links.after[ropes.first[r] : i] = np.arange(ropes.first[r] + 1, i + 1)
        links.after[i - 1] = ropes.first[r] if rope.closed else -1
        for name in met_parts(scene, rope):
            links.part[i], links.body[i] = number[name], placed[name].body
            links.kind[i], links.friction[i] = link_kinds.ROLLING, scene.part(name).friction
            links.lower[i], links.upper[i], links.after[i] = -NO_BOUND, NO_BOUND, -1
            i += 1
        ropes.room[r] = i
    return ropes, links._replace(corners=np.concatenate(profiles) if profiles else np.zeros((0, 4)))


def _empty_links(m: int) -> Links:
    integers = {"kind", "body", "corner_first", "corner_last", "active", "ready", "held", "next", "lost", "loose"}
    integers |= {"row", "slip_row", "part", "after"}
    vectors = {"centre", "e1", "e2", "axis", "start", "end", "middle", "w1", "w2", "w3"}
    made: dict[str, Any] = {}
    for name in Links._fields:
        shape = (m, 3) if name in vectors else (m,)
        made[name] = np.zeros(shape, dtype=np.int64 if name in integers else np.float64)
    made["corners"], made["curve"] = np.zeros((0, 4)), np.zeros((POINTS, 3))
    return Links(**made)


def _put_link(links: Links, i: int, link: Link, on: Placed, radius: float) -> None:
    axes = _plane(link)
    at = np.array(link.position or (0.0, 0.0, 0.0)) + (link.offset or 0.0) * axes[:, 2]
    links.kind[i] = LINK_KINDS[link.kind]
    links.body[i] = on.body
    links.centre[i] = on.offset + on.turn @ at
    links.e1[i], links.e2[i], links.axis[i] = (on.turn @ axes).T
    links.radius[i] = radius
    links.sense[i] = -1.0 if link.side == "right" else 1.0
    links.friction[i] = link_kinds.NO_SLIP if link.friction is None else link.friction
    links.active[i] = link.active
    links.stored[i] = link.stored or 0.0


def _plane(link: Link) -> Array:
    """Axes of the rope's plane in the part's: the part's own where it runs square to z."""
    if link.axis is None:
        return np.eye(3)
    if link.axis[0] == 0.0 and link.axis[1] == 0.0:
        return np.eye(3) if link.axis[2] > 0.0 else np.diag([1.0, -1.0, -1.0])
    return axes_about(np.array(link.axis))


def _profile(scene: Scene, part: Part, link: Link, half: float) -> tuple[Array, float]:
    """Corners and the radius around them, of the middle line of a rope that lies on a part."""
    shape = part.shape
    if link.kind not in WOUND:
        return WHEEL, 0.0
    if part.mesh is not None:
        mesh = part_mesh(scene, part)
        edges = np.concatenate([mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]], mesh.triangles[:, [2, 0]]])
        return corners_of(hull(_cut(scene, mesh.vertices[edges[:, 0]], mesh.vertices[edges[:, 1]], link))), half
    if isinstance(shape, CylinderShape | CapsuleShape):
        return WHEEL, shape.outer + half
    if isinstance(shape, SphereShape):
        offset = link.offset or 0.0
        if abs(offset) >= shape.outer:
            raise _misled(
                scene, link, "offset", link.offset, f"must be smaller than the radius {shape.outer:g} m of the sphere"
            )
        return WHEEL, math.sqrt(shape.outer**2 - offset**2) + half
    if isinstance(shape, ProfileShape) and (link.axis is None or link.axis[0] == link.axis[1] == 0.0):
        points = np.array(shape.corners) * ([1.0, 1.0] if link.axis is None or link.axis[2] > 0.0 else [1.0, -1.0])
        return corners_of(hull(points)), half
    assert isinstance(shape, BoxShape | ProfileShape)
    return corners_of(hull(_section(scene, shape, link))), half


def _width(scene: Scene, part: Part, link: Link) -> tuple[float, float]:
    """How far a part reaches along the axis of a link, from the rope's plane, m."""
    shape, axis, offset = part.shape, _plane(link)[:, 2], link.offset or 0.0
    if part.mesh is not None:
        along = part_mesh(scene, part).vertices @ axis
        return float(along.min()) - offset, float(along.max()) - offset
    if isinstance(shape, SphereShape):
        half = shape.outer
    elif isinstance(shape, BoxShape):
        half = 0.5 * float(np.abs(axis) @ np.array(shape.size))
    else:
        assert isinstance(shape, CylinderShape | CapsuleShape | ProfileShape)
        across = np.max(np.abs(np.array(shape.corners)), axis=0) if isinstance(shape, ProfileShape) else np.zeros(2)
        half = float(np.abs(axis) @ np.array([*across, 0.5 * shape.length]))
    return -half - offset, half - offset


def _section(scene: Scene, shape: BoxShape | ProfileShape, link: Link) -> Array:
    """The cut of a box or profile with the rope's plane, in the plane's axes."""
    if isinstance(shape, BoxShape):
        x, y, z = (0.5 * k for k in shape.size)
        outline = [(-x, -y), (x, -y), (x, y), (-x, y)]
    else:
        z, outline = 0.5 * shape.length, list(shape.corners)
    low = np.array([[*p, -z] for p in outline])
    high = np.array([[*p, z] for p in outline])
    begins = np.concatenate([low, low, high])
    return _cut(scene, begins, np.concatenate([high, np.roll(low, -1, axis=0), np.roll(high, -1, axis=0)]), link)


def _cut(scene: Scene, a: Array, b: Array, link: Link) -> Array:
    """(n, 2) where edges from a to b pass through the rope's plane, in its axes."""
    axes, offset = _plane(link), link.offset or 0.0
    da, db = a @ axes[:, 2] - offset, b @ axes[:, 2] - offset
    through = da * db < 0.0
    if through.sum() < 3:
        raise _misled(scene, link, "offset", link.offset, "must lead the rope's plane through the part")
    part = (da[through] / (da[through] - db[through]))[:, None]
    return np.asarray((a[through] + (b[through] - a[through]) * part) @ axes[:, :2])


def _misled(scene: Scene, link: Link, key: str, value: object, message: str) -> SceneError:
    """About a key of a link; without a key about the link itself."""
    every = [(r, k) for r, rope in enumerate(scene.ropes) for k in range(len(rope.path))]
    r, k = next((r, k) for r, k in every if scene.ropes[r].path[k] is link)
    path = f"{scene.ropes[r].name}/link {k + 1}" + (f".{key}" if key else "")
    place = scene.source("ropes", r, "path", k, key)
    return SceneError([Problem(path, ABSENT if value is None else value, message, *place)])


def lay_ropes(scene: Scene, ropes: Ropes, links: Links) -> None:
    """First spans, taut, with the slack and the tension that the scene says; then what lies on the wheels."""
    for r, rope in enumerate(scene.ropes):
        first = int(ropes.first[r])
        for i in range(first, int(ropes.last[r])):
            if not links.active[i]:
                continue
            k = int(next_active(ropes, links, r, i))
            links.next[i] = k
            if k < 0:
                continue
            _check_apart(scene, rope, links, first, i, k)
            _, p, q, ci, ck = find_span(links, i, k)
            links.start[i], links.end[i] = p, q
            links.length[i] = math.dist(p, q)
            for j in (i, k):
                _check_level(scene, rope.path[j - first], links, i, j)
            t = (q[0] - p[0], q[1] - p[1], q[2] - p[2])
            if rolls(links, i):
                links.place_out[i] = place_on(links, i, ci, t)
            if rolls(links, k):
                links.place_in[k] = place_on(links, k, ck, t)
            links.rest[i] = _rest(rope, i - first, k - first, links.length[i])
            links.share[i] = (k - i) % len(rope.path)
        for k in range(first, int(ropes.last[r])):
            if links.active[k] and links.kind[k] == link_kinds.ROLLING:
                links.stored[k] = _arc(scene, rope, links, first, k)
                if rope.tension is not None and rope.axial is not None:
                    links.stretch[k] = links.stored[k] * rope.tension / (rope.axial + rope.tension)


def _rest(rope: Rope, i: int, k: int, length: float) -> float:
    """Of the span from link i of the path to link k."""
    slack = rope.path[i].slack or 0.0
    if rope.tension is None or slack:
        return length + slack
    if rope.axial is not None:
        return length / (1.0 + rope.tension / rope.axial)
    return length - (rope.compliance or 0.0) * rope.tension * ((k - i) % len(rope.path))


def _arc(scene: Scene, rope: Rope, links: Links, first: int, k: int) -> float:
    """What lies on a wheel between arriving and leaving, up to 3/4 turn; less than nothing is refused."""
    around, sense = float(links.around[k]), float(links.sense[k])
    before = next(i for i in range(first, first + len(rope.path)) if links.active[i] and links.next[i] == k)
    t_in, t_out = (links.end[i] - links.start[i] for i in (before, k))
    headings = [math.atan2(float(t @ links.w2[k]), float(t @ links.w1[k])) for t in (t_in, t_out)]
    turn = (sense * (headings[1] - headings[0]) + 0.5 * math.pi) % (2.0 * math.pi) - 0.5 * math.pi
    on = sense * float(links.place_out[k] - links.place_in[k]) % around
    if turn < 1e-9 and on > 0.5 * around:
        on -= around
    link = rope.path[k - first]
    if on < 0.0 and not link.turns:
        other = "right" if link.side == "left" else "left"
        message = (
            f'must be met: the rope runs past {link.on} without touching it; side = "{other}" leads it around the '
            "other side, active = false lets it pass until it touches"
        )
        raise _misled(scene, link, "", link.on, message)
    return on + (link.turns or 0.0) * around


def _check_apart(scene: Scene, rope: Rope, links: Links, first: int, i: int, k: int) -> None:
    ok, p, q, _, _ = find_span(links, i, k)
    length = math.dist(p, q)
    if ok and length > 0.0:
        return
    one, two = rope.path[i - first].on, rope.path[k - first].on
    apart = math.dist(links.middle[i], links.middle[k])
    if ok:
        message = f"must be somewhere else than the link before it, on {one}: the span between them has no length"
    elif rolls(links, i) and rolls(links, k):
        least = abs(links.sense[i] * links.radius[i] - links.sense[k] * links.radius[k])
        message = (
            f"has no tangent with {one}: their middles are {apart:.4g} m apart, and must be more than {least:.4g} m "
            "apart in the rope's plane for these sides; move a wheel, or change a side"
        )
    else:
        wheel = two if rolls(links, k) else one
        message = (
            f"must lie outside {wheel}, around which the rope runs next to it: there is no tangent; move one of them"
        )
    raise _misled(scene, rope.path[k - first], "", two, message)


def _check_level(scene: Scene, link: Link, links: Links, span: int, j: int) -> None:
    t = (links.end[span] - links.start[span]) / links.length[span]
    angle = math.degrees(math.asin(min(1.0, abs(float(t @ links.w3[j])))))
    most = math.degrees(math.acos(OFF**-0.5))
    if links.kind[j] != link_kinds.ROLLING or angle <= most:
        return
    message = (
        f"must be met at less than {most:.3g}° to its plane: the rope meets it at {angle:.3g}°, and would jump off at "
        "once; turn the part (tangent is the axle of a wheel), or move it"
    )
    raise _misled(scene, link, "", link.on, message)
