"""From a scene to the arrays of a machine: bodies, joints, ropes with their first spans, solids that may touch."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

from lissom.exchange.meshfiles import part_mesh
from lissom.geometry import solids
from lissom.machines import joints as kinds
from lissom.machines import ropes as link_kinds
from lissom.machines.bodies import Bodies, empty_bodies
from lissom.machines.contacts import BOX, ROWS_OF_CONTACT, Contacts, make_contacts
from lissom.machines.events import OFF
from lissom.machines.guests import check_clear, read_guests, with_room
from lissom.machines.hanging import POINTS
from lissom.machines.inertia import Heft, heft_of, together
from lissom.machines.joints import SLOTS, Joints, empty_joints
from lissom.machines.profiles import WHEEL, circumference, corners_of, hull
from lissom.machines.ropes import Links, Ropes, find_span, next_active, place_on, rolls, see_links
from lissom.machines.rows import NO_BOUND, Multipliers, empty_rows
from lissom.machines.stepping import Parts
from lissom.scene import Problem, Scene, SceneError
from lissom.scene.errors import ABSENT
from lissom.scene.frames import matrix_quaternion
from lissom.scene.part import Part
from lissom.scene.placing import Poses
from lissom.scene.pose import Pose
from lissom.scene.rope import WOUND, Link, Rope
from lissom.scene.roping import met_parts
from lissom.scene.shape import BoxShape, CapsuleShape, CylinderShape, PlaneShape, ProfileShape, SphereShape

Array = NDArray[np.float64]

LINK_KINDS = {
    "attachment": link_kinds.ATTACHMENT,
    "rolling": link_kinds.ROLLING,
    "pinhole": link_kinds.PINHOLE,
    "hybrid": link_kinds.HYBRID,
    "spool": link_kinds.HYBRID,
}
JOINT_KINDS = {"hinge": kinds.HINGE, "slide": kinds.SLIDE, "ball": kinds.BALL, "fixed": kinds.FIXED}

LEAST_DRAG = 1e-9
"""Of a slip, relative to the mass of the machine."""

FIRM = 1e6
"""EA of a span that was made too short, in weights of the machine, though the rope keeps its length. Caught between
things that do not move, its rows contradict others, and would pull with any force.
"""

LEAST_COMPLIANCE = 1e-7
"""Of a span that nothing movable is on, relative to what the bodies of the machine together would have."""


LEAST_INERTIA = 1e-4
"""Of a sheave, over the mass of the machine times its radius squared: tensions on both sides differ by as much."""


@dataclass(frozen=True)
class Placed:
    """Which body carries a part, and the part's place and turn in the body's axes."""

    body: int
    offset: Array
    turn: Array  # (3, 3)


@dataclass(frozen=True)
class Reading:
    """A machine as arrays, with the names they belong to."""

    parts: Parts
    placed: dict[str, Placed]
    roots: tuple[str, ...]  # the free part that leads body 1, 2, …
    driven: dict[str, int]  # parts that are driven or held, and their bodies, which forces do not move
    mass: Array  # (bodies,) kg
    joints: tuple[str, ...]
    winding: dict[str, float]  # by joint of a drum, the rope that it winds up for each rad, m
    size: float  # of the whole, m


def read_machine(scene: Scene, poses: Poses) -> Reading:
    """With its parts in these poses. Raises SceneError for a rope that cannot run as its path says."""
    leader = {part.name: _leader(scene, part) for part in scene.parts}
    leaders = dict.fromkeys(name for name in leader.values() if name is not None)
    roots = tuple(name for name in leaders if scene.part(name).motion == "free")
    driven = {name: len(roots) + 1 + k for k, name in enumerate(n for n in leaders if n not in roots)}
    number = {name: k + 1 for k, name in enumerate(roots)} | driven
    bodies, mass, frames = _read_bodies(scene, poses, leader, roots)
    bodies, mass, frames = _with_driven(bodies, mass, frames, [poses[name] for name in driven])
    placed = {}
    for part in scene.parts:
        lead = leader[part.name]
        b = 0 if lead is None else number[lead]
        offset, turn = _local(frames[b], poses[part.name])
        placed[part.name] = Placed(b, offset, turn)
    joined = [k for k in scene.joints if scene.part(k.part).motion == "free"]
    joints = _read_joints(scene, joined, placed)
    ropes, links = _read_ropes(scene, placed, float(mass.sum()))
    _keep_sheaves_heavy(scene, placed, bodies, links, float(mass.sum()))
    guests = read_guests(scene, placed, ropes, links)
    links = links._replace(corners=with_room(links, guests))
    contacts = _read_contacts(scene, placed, bodies, joined)
    owners = len(joined) * SLOTS + 3 * len(links.kind) + ROWS_OF_CONTACT * len(contacts.stamp)
    rows = empty_rows(max(owners, 1))
    known = Multipliers(np.zeros(owners), np.zeros(owners), np.zeros(owners, dtype=np.int64))
    bodies.order[:] = _order(bodies, joints, ropes, links)
    places = np.array([pose[0] for pose in poses.values()] or [(0.0, 0.0, 0.0)])
    size = float(np.max(np.ptp(places, axis=0), initial=0.0)) or 1.0
    see_links(bodies, links)
    _lay(scene, ropes, links)
    check_clear(scene, ropes, links, guests)
    parts = Parts(bodies, joints, ropes, links, contacts, rows, known, guests)
    winding = _winding(scene, joined, placed, parts)
    for j, joint in enumerate(joined):
        if joint.motor is not None and joint.motor.tension is not None:
            set_motor(joints, j, None, joint.motor.tension * wound_by(scene, winding, joint.name))
    return Reading(parts, placed, roots, driven, mass, tuple(k.name for k in joined), winding, size)


def _keep_sheaves_heavy(scene: Scene, placed: dict[str, Placed], bodies: Bodies, links: Links, total: float) -> None:
    """Sheaves that are said to have no inertia, or next to none, get as much as rows in rounding still resolve."""
    said = {placed[part.name].body for part in scene.parts if part.inertia is not None}
    for i in range(len(links.kind)):
        b = int(links.body[i])
        if b in said and links.kind[i] in (link_kinds.ROLLING, link_kinds.HYBRID) and links.around[i] > 0.0:
            most = 1.0 / (LEAST_INERTIA * total * (links.around[i] / (2.0 * math.pi)) ** 2)
            inverse = bodies.inverse_inertia[b]
            bodies.inverse_inertia[b] = np.where(inverse > 0.0, np.minimum(inverse, most), most)


def _winding(scene: Scene, joined: list[Any], placed: dict[str, Placed], parts: Parts) -> dict[str, float]:
    """How much rope a hinge winds up on the spool that it turns, for each rad; of several spools the first."""
    found: dict[str, float] = {}
    links, joints, bodies = parts.links, parts.joints, parts.bodies
    for r, rope in enumerate(scene.ropes):
        for k in (0, len(rope.path) - 1):
            i = int(parts.ropes.first[r]) + k
            if rope.path[k].kind != "spool":
                continue
            for j, joint in enumerate(joined):
                if joint.kind != "hinge" or placed[joint.part].body != links.body[i] or joint.name in found:
                    continue
                axis = matrix_of(bodies.q[joints.a[j]]) @ matrix_of(joints.frame_a[j])[:, 2]
                way = -1.0 if k == 0 else 1.0
                found[joint.name] = float(
                    way * links.sense[i] * (axis @ links.w3[i]) * links.around[i] / (2.0 * math.pi)
                )
    return found


def wound_by(scene: Scene, winding: dict[str, float], joint: str) -> float:
    """Raises SceneError for a joint that turns no spool."""
    if joint not in winding:
        message = "must be on a hinge that turns a spool of a rope: it is that rope's tension"
        number = scene.joints.index(scene.joint(joint))
        place = scene.source("joints", number, "motor", "tension")
        raise SceneError([Problem(f"{joint}.motor.tension", ABSENT, message, *place)])
    return winding[joint]


# ---- bodies ---------------------------------------------------------------------------------------------------------


def _leader(scene: Scene, part: Part) -> str | None:
    """The free, driven or held part that this one moves with; None: it stands.

    What is driven on a free part without a joint goes along with it; with one it would push it with any force.
    """
    joined = {k.part: k for k in scene.joints}
    lead: str | None = None
    here: Part | None = part
    while here is not None:
        if here.motion == "free":
            if lead is None or lead not in joined:
                return here.name
            joint = joined[lead]
            message = (
                f"must not be on {lead}, which is {scene.part(lead).motion} on the free part {here.name}: give {lead} "
                'motion = "free" and its joint a motor'
            )
            place = scene.source("joints", scene.joints.index(joint), "part")
            raise SceneError([Problem(f"{joint.name}.part", lead, message, *place)])
        if here.motion != "fixed" and lead is None:
            lead = here.name
        here = None if here.parent is None else scene.part(here.parent)
    return lead


def _with_driven(
    bodies: Bodies, mass: Array, frames: list[tuple[Array, Array]], poses: list[Pose]
) -> tuple[Bodies, Array, list[tuple[Array, Array]]]:
    """With bodies that nothing can push, whose axes are those of their parts."""
    more = empty_bodies(len(poses))
    for b, (x, q) in enumerate(poses):
        more.x[b], more.q[b] = x, q
    joined = Bodies(*(np.concatenate(k) for k in zip(bodies, more, strict=True)))
    return joined, np.append(mass, np.zeros(len(poses))), frames + [(np.array(x), matrix_of(q)) for x, q in poses]


def _read_bodies(
    scene: Scene, poses: Poses, leader: dict[str, str | None], roots: tuple[str, ...]
) -> tuple[Bodies, Array, list[tuple[Array, Array]]]:
    bodies = empty_bodies(len(roots) + 1)
    mass = np.zeros(len(roots) + 1)
    frames = [(np.zeros(3), np.eye(3))]
    for b, root in enumerate(roots, 1):
        hefts: list[Heft] = []
        for part in scene.parts:
            if leader[part.name] == root:
                x, q = poses[part.name]
                hefts.append(heft_of(part).moved(np.array(x), matrix_of(q)))
        heft = together(hefts)
        principal, axes = np.linalg.eigh(heft.inertia)
        if np.linalg.det(axes) < 0.0:
            axes[:, 0] *= -1.0
        mass[b] = heft.mass
        bodies.x[b], bodies.q[b] = heft.centre, matrix_quaternion(axes)
        bodies.inverse_mass[b] = 1.0 / heft.mass
        noise = heft.mass * (1e-12 * (1.0 + float(np.linalg.norm(heft.centre)))) ** 2
        smallest = max(1e-12 * float(principal[-1]), noise)  # a point has none, but for rounding
        bodies.inverse_inertia[b] = [1.0 / k if k > smallest else 0.0 for k in principal]
        bodies.movable[b] = 1
        frames.append((heft.centre, matrix_of(tuple(bodies.q[b]))))
    return bodies, mass, frames


def matrix_of(q: Any) -> Array:
    """Of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _local(frame: tuple[Array, Array], pose: Pose) -> tuple[Array, Array]:
    x, axes = frame
    return axes.T @ (np.array(pose[0]) - x), axes.T @ matrix_of(pose[1])


def _order(bodies: Bodies, joints: Joints, ropes: Ropes, links: Links) -> NDArray[np.int64]:
    """Of elimination: bodies that share a joint or a span are near each other (reverse Cuthill–McKee)."""
    n = len(bodies.movable)
    pairs = list(zip(joints.a, joints.b, strict=True))
    for r in range(len(ropes.first)):
        inside = range(ropes.first[r], ropes.last[r])
        pairs += [(links.body[i], links.body[i + 1]) for i in inside[:-1]]
        if ropes.closed[r]:
            pairs.append((links.body[inside[-1]], links.body[inside[0]]))
    pairs = [(a, b) for a, b in pairs if bodies.movable[a] and bodies.movable[b] and a != b]
    a, b = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    graph = coo_matrix((np.ones(2 * len(a)), (np.r_[a, b], np.r_[b, a])), shape=(n, n)).tocsr()
    order = np.empty(n, dtype=np.int64)
    order[reverse_cuthill_mckee(graph, symmetric_mode=True)] = np.arange(n)
    return order


# ---- joints ---------------------------------------------------------------------------------------------------------


def _read_joints(scene: Scene, joined: list[Any], placed: dict[str, Placed]) -> Joints:
    """The axes of a joint are given in the parent's, and are where they are at the value 0 of the joint."""
    joints = empty_joints(len(joined))
    for j, joint in enumerate(joined):
        part = scene.part(joint.part)
        zero = Placed(0, np.zeros(3), np.eye(3)) if part.parent is None else placed[part.parent]
        axes = _axes(np.array(joint.axis or (0.0, 0.0, 1.0)))
        joints.kind[j] = JOINT_KINDS[joint.kind]
        joints.a[j], joints.b[j] = zero.body, placed[part.name].body
        joints.point_a[j] = zero.offset + zero.turn @ np.array(joint.origin)
        joints.frame_a[j] = matrix_quaternion(zero.turn @ axes)
        x, q = part.pose  # in the parent's axes, with the joint at 0
        back = matrix_of(q).T
        own = placed[part.name]
        joints.point_b[j] = own.offset + own.turn @ (back @ (np.array(joint.origin) - np.array(x)))
        joints.frame_b[j] = matrix_quaternion(own.turn @ back @ axes)
        setting = joint.setting
        joints.value[j] = setting if isinstance(setting, float) else 0.0
        joints.low[j], joints.high[j] = np.clip(joint.limits, -NO_BOUND, NO_BOUND)
        joints.friction[j] = joint.friction
        if joint.spring is not None:
            joints.spring[j], joints.rest[j] = joint.spring.stiffness, joint.spring.rest
        if joint.motor is not None and joint.motor.tension is None:
            set_motor(joints, j, joint.motor.speed, joint.motor.torque)
    return joints


def set_motor(joints: Joints, j: int, speed: float | None, torque: float | None) -> None:
    """A speed with a largest torque (None: any), or a torque alone; neither: no motor."""
    joints.motor[j] = kinds.SPEED if speed is not None else kinds.TORQUE if torque is not None else kinds.NO_MOTOR
    joints.speed[j] = speed or 0.0
    joints.torque[j] = torque if torque is not None else NO_BOUND


def _axes(z: Array) -> Array:
    """A right-handed frame with this z, as columns."""
    z = z / np.linalg.norm(z)
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    return np.column_stack((x, np.cross(z, x), z))


# ---- ropes ----------------------------------------------------------------------------------------------------------


def _read_ropes(scene: Scene, placed: dict[str, Placed], mass: float) -> tuple[Ropes, Links]:
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
    return _axes(np.array(link.axis))


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


def _lay(scene: Scene, ropes: Ropes, links: Links) -> None:
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


# ---- contacts -------------------------------------------------------------------------------------------------------


def _read_contacts(scene: Scene, placed: dict[str, Placed], bodies: Bodies, joined: list[Any]) -> Contacts:
    """Pairs of solids that may meet: not on one body, not both standing, not joined, not ignoring each other."""
    shaped = [part for part in scene.parts if part.collide and _solid(part) is not None]
    ignored = {frozenset((part.name, name)) for part in scene.parts for name in part.ignore}
    linked = set()
    for joint in joined:
        parent = scene.part(joint.part).parent
        linked.add(frozenset((placed[joint.part].body, 0 if parent is None else placed[parent].body)))
    pairs = []
    for t, two in enumerate(shaped):
        for s, one in enumerate(shaped[:t]):
            a, b = placed[one.name].body, placed[two.name].body
            apart = a != b and (bodies.movable[a] or bodies.movable[b])
            if (
                apart
                and frozenset((one.name, two.name)) not in ignored
                and not (a and b and frozenset((a, b)) in linked)
            ):
                pairs.append((s, t, max(one.friction, two.friction)))
    contacts = make_contacts(len(shaped), len(pairs))
    for s, part in enumerate(shaped):
        made = _solid(part)
        assert made is not None
        on = placed[part.name]
        contacts.body[s], contacts.offset[s], contacts.turn[s] = on.body, on.offset, matrix_quaternion(on.turn)
        contacts.kind[s], contacts.size[s], contacts.reach[s] = made
    for p, (s, t, mu) in enumerate(pairs):
        contacts.pair[p], contacts.friction[p] = (s, t), mu
    return contacts


def _solid(part: Part) -> tuple[int, tuple[float, float, float], float] | None:
    """(kind, size, reach), or None where there is no closed form to touch."""
    shape = part.shape
    if isinstance(shape, PlaneShape):
        return solids.PLANE, (0.0, 0.0, 0.0), NO_BOUND
    if isinstance(shape, SphereShape):
        return solids.SPHERE, (shape.outer, 0.0, 0.0), shape.outer
    if isinstance(shape, CapsuleShape):
        return solids.CAPSULE, (shape.outer, 0.5 * shape.length, 0.0), shape.outer + 0.5 * shape.length
    if isinstance(shape, CylinderShape):
        half = 0.5 * shape.length
        return solids.CYLINDER, (shape.outer, half, 0.0), math.hypot(shape.outer, half)
    if isinstance(shape, BoxShape):
        x, y, z = (0.5 * k for k in shape.size)
        return BOX, (x, y, z), math.hypot(x, y, z)
    return None
