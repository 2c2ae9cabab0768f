"""From a scene to the arrays of a machine: bodies, joints, ropes with their first spans, solids that may touch."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

from lissom.geometry import solids
from lissom.machines import joints as kinds
from lissom.machines import ropes as link_kinds
from lissom.machines.bodies import Bodies, empty_bodies
from lissom.machines.contacts import BOX, ROWS_OF_CONTACT, Contacts, make_contacts
from lissom.machines.guests import check_clear, read_guests, with_room
from lissom.machines.inertia import Heft, heft_of, together
from lissom.machines.joints import SLOTS, Joints, empty_joints
from lissom.machines.placed import Placed, axes_about, matrix_of
from lissom.machines.rigging import lay_ropes, read_ropes
from lissom.machines.ropes import Links, Ropes, see_links
from lissom.machines.rows import NO_BOUND, Multipliers, empty_rows
from lissom.machines.stepping import Parts
from lissom.scene import Problem, Scene, SceneError
from lissom.scene.errors import ABSENT
from lissom.scene.frames import matrix_quaternion
from lissom.scene.part import Part
from lissom.scene.placing import Poses
from lissom.scene.pose import Pose
from lissom.scene.shape import BoxShape, CapsuleShape, CylinderShape, PlaneShape, SphereShape

Array = NDArray[np.float64]

JOINT_KINDS = {"hinge": kinds.HINGE, "slide": kinds.SLIDE, "ball": kinds.BALL, "fixed": kinds.FIXED}

LEAST_INERTIA = 1e-4
"""Of a sheave, over the mass of the machine times its radius squared: tensions on both sides differ by as much."""


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
    ropes, links = read_ropes(scene, placed, float(mass.sum()))
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
    lay_ropes(scene, ropes, links)
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
        axes = axes_about(np.array(joint.axis or (0.0, 0.0, 1.0)))
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
