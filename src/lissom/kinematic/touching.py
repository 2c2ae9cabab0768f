"""Contact at the joints: with parts, and of the cable with itself [HD00 §6].

What is near is looked up between descents: each joint near a part gets the plane through the nearest place of its
surface, each pair of segments near each other the direction between their nearest places. In a descent these planes
stay, and a joint behind one is pushed back by a stiff spring, ½ κ g² where the gap g is negative
(docs/theory/kinematic.md §7).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.lookup import closest, new_stack
from lissom.geometry.nearest import on_segments
from lissom.geometry.places import is_inside
from lissom.geometry.primitives import field
from lissom.geometry.solids import MESH, Solid
from lissom.geometry.touching import local, pose
from lissom.geometry.triples import add, apply, dot, scale, sub
from lissom.kernels import kernel, lean_kernel
from lissom.kinematic.chain import put, row

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# Places of one cable that are nearer than this along it, in radii and in segments, do not touch each other.
APART_RADII = 6.0
APART_SEGMENTS = 3


class Contacts(NamedTuple):
    """c: what may touch. With a part it is at one joint; with itself between two places, each on a segment."""

    number: Indices  # (1,) of them
    level: Array  # (c,) m: the gap is normal · (weighted joints) − level
    normal: Array  # (c, 3) towards where the gap grows
    joint: Indices  # (c, 4)
    weight: Array  # (c, 4)
    part: Indices  # (c,) −1: itself
    gap: Array  # (c,) m, of the last shape; negative where it is pressed
    push: Array  # (c,) N
    active: Indices  # (c,) 1 where the next step counts on it
    column: Indices  # (c,) its column in the border then
    stiffness: Array  # (1,) κ, N/m


def make_contacts(room: int) -> Contacts:
    return Contacts(
        number=np.zeros(1, np.int64),
        level=np.zeros(room),
        normal=np.zeros((room, 3)),
        joint=np.zeros((room, 4), np.int64),
        weight=np.zeros((room, 4)),
        part=np.zeros(room, np.int64),
        gap=np.zeros(room),
        push=np.zeros(room),
        active=np.zeros(room, np.int64),
        column=np.zeros(room, np.int64),
        stiffness=np.ones(1),
    )


@kernel
def with_part(
    solid: Solid, rotation: Array, origin: Array, number: int, skip: Indices, radius: float, margin: float, x: Array,
    contacts: Contacts,
) -> None:  # fmt: skip
    """Adds the joints whose skin is within `margin` of a part, or in it; those of skip (n,) never touch it."""
    R = pose(rotation)
    o = (origin[0], origin[1], origin[2])
    stack = new_stack()
    near = radius + margin
    for n in range(len(x)):
        if skip[n] == 1 or contacts.number[0] >= len(contacts.level):
            continue
        p = local(R, o, row(x, n))
        if solid.kind == MESH:
            limit = math.inf if solid.closed == 1 else near * near
            squared, triangle, y, code = closest(solid.tree, p, limit, stack)
            if triangle < 0:
                continue
            distance = math.sqrt(squared)
            normal = row(solid.face_normal, triangle) if distance == 0.0 else scale(1.0 / distance, sub(p, y))
            if distance > 0.0 and is_inside(solid, p, triangle, y, code):
                distance, normal = -distance, scale(-1.0, normal)
        else:
            distance, normal, _ = field(solid.kind, solid.size, p)
        if distance >= near:
            continue
        c = contacts.number[0]
        contacts.number[0] = c + 1
        out = apply(R, normal)
        put(contacts.normal, c, out)
        contacts.level[c] = dot(out, row(x, n)) - (distance - radius)
        contacts.part[c] = number
        contacts.push[c] = 0.0
        for m in range(4):
            contacts.joint[c, m] = n
            contacts.weight[c, m] = 1.0 if m == 0 else 0.0


@kernel
def with_itself(s: Array, radius: float, margin: float, x: Array, contacts: Contacts) -> None:
    """Adds pairs of segments whose skins are within `margin`, each at its nearest places; s (n,) m along the cable."""
    diameter = 2.0 * radius
    last = len(x) - 1
    for i in range(last):
        a, e = row(x, i), sub(row(x, i + 1), row(x, i))
        length = s[i + 1] - s[i]
        for j in range(i + 1 + APART_SEGMENTS, last):
            if s[j] - s[i + 1] < APART_RADII * radius:
                continue
            p, f = row(x, j), sub(row(x, j + 1), row(x, j))
            between = sub(add(p, scale(0.5, f)), add(a, scale(0.5, e)))
            near = diameter + margin + 0.5 * (length + s[j + 1] - s[j])
            if dot(between, between) > near * near:
                continue
            u, v = on_segments(a, e, p, f)
            away = sub(add(a, scale(u, e)), add(p, scale(v, f)))
            distance = math.sqrt(dot(away, away))
            if distance >= diameter + margin or distance == 0.0 or contacts.number[0] >= len(contacts.level):
                continue
            c = contacts.number[0]
            contacts.number[0] = c + 1
            put(contacts.normal, c, scale(1.0 / distance, away))
            contacts.level[c] = diameter
            contacts.part[c] = -1
            contacts.push[c] = 0.0
            contacts.joint[c, 0], contacts.joint[c, 1] = i, i + 1
            contacts.joint[c, 2], contacts.joint[c, 3] = j, j + 1
            contacts.weight[c, 0], contacts.weight[c, 1] = 1.0 - u, u
            contacts.weight[c, 2], contacts.weight[c, 3] = v - 1.0, -v


@lean_kernel
def gap(contacts: Contacts, x: Array, c: int) -> float:
    """m, negative where it is pressed."""
    found = -float(contacts.level[c])
    for m in range(4):
        found += contacts.weight[c, m] * dot(row(contacts.normal, c), row(x, contacts.joint[c, m]))
    return found


@lean_kernel
def contact_energy(contacts: Contacts, x: Array) -> float:
    """½ κ g² where it is pressed, J; says gap and push of each contact."""
    energy = 0.0
    for c in range(contacts.number[0]):
        contacts.gap[c] = gap(contacts, x, c)
        pressed = min(contacts.gap[c], 0.0)
        contacts.push[c] = -contacts.stiffness[0] * pressed
        energy += 0.5 * contacts.stiffness[0] * pressed * pressed
    return energy
