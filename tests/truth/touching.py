"""Contacts push, within their cone, where the gap is closed; and nothing is inside anything."""

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.truth.answer import Answer, Verdict
from tests.truth.asked import Data, Pose
from tests.truth.solids import distance
from tests.truth.turning import Array

Flags = NDArray[np.bool_]
DEEP = 0.01  # of the radius: besides what the grid misses there
GAP = 0.01  # of the radius: a contact that presses is closed within this
CONE = 1e-3
MOUNT = 4.0  # radii along a cable within which it does not touch what it is mounted on
HELD = 2.0  # radii, or so many segments, around a point that is held: it may be held inside
HELD_SEGMENTS = 3.0
SELF_RADII, SELF_SEGMENTS = 6.0, 3.0
PER_SEGMENT = 8
PAIRS_PER_SEGMENT = 3


def check_touching(
    answers: dict[str, Answer], scene: Data, poses: dict[str, Pose], contacts: list[Any], verdict: Verdict
) -> None:
    parts = {k["name"]: k for k in scene.get("parts") or []}
    for contact in contacts:
        if contact.body is None:
            check_contact(answers, parts, poses, contact, verdict)
    for a in answers.values():
        for part in parts.values():
            if is_solid(part) and a.cable.collide and part["name"] not in (a.cable.data.get("ignore") or []):
                check_outside(a, part, poses[part["name"]], verdict)
    for a, b in combinations_with_replacement(answers.values(), 2):
        if a.cable.collide and b.cable.collide and a.cable.make.radius > 0.0 and b.cable.make.radius > 0.0:
            check_apart(a, b, verdict)


def is_solid(part: Data) -> bool:
    return bool(part.get("collide", True)) and (part.get("shape") is not None or part.get("mesh") is not None)


def local(x: Array, pose: Pose) -> Array:
    return np.asarray((x - pose[0]) @ pose[1])


def sag(a: Answer, place: float) -> float:
    """κh²/8: how far the smooth curve may leave the points beside a place, one segment to either side."""
    i = int(np.clip(np.searchsorted(a.s, place) - 1, 0, len(a.h) - 1))
    near = slice(max(i - 1, 0), i + 2)
    frames = np.linalg.norm(a.turns_of_segments()[near, :2], axis=1)
    chords = np.diff(a.x[max(i - 2, 0) : i + 4], axis=0)
    chords = chords / np.linalg.norm(chords, axis=1)[:, None]
    corners = np.arccos(np.clip(np.sum(chords[1:] * chords[:-1], axis=1), -1.0, 1.0))
    return float(max(np.max(frames), np.max(corners, initial=0.0)) * np.max(a.h[near])) / 8.0


def check_contact(
    answers: dict[str, Answer], parts: dict[str, Data], poses: dict[str, Pose], contact: Any, verdict: Verdict
) -> None:
    a = answers[contact.cable]
    where = f"{contact.cable} on {contact.part} s={contact.place:.4f}"
    along = float(contact.force @ contact.normal)
    small = 1e-6 * a.force_scale
    verdict.require("contact pulls (N)", -along, small, where)
    across = float(np.linalg.norm(contact.force - along * contact.normal))
    x, radius = a.position(contact.place), a.cable.makes(np.array([contact.place]))[0].radius
    if contact.part in parts:
        friction = float(parts[contact.part].get("friction") or 0.0)
        gap = float(distance(parts[contact.part], local(x[None], poses[contact.part]))[0]) - radius
        slack = GAP * radius + 2.0 * sag(a, contact.place) + 1e-6 * a.cable.length
    else:
        b = answers[contact.part]
        friction = max(a.cable.friction, b.cable.friction)
        gap = float(np.linalg.norm(x - b.position(contact.other_place))) - radius - b.cable.make.radius
        bows = sag(a, contact.place) + sag(b, contact.other_place)
        slack = GAP * (radius + b.cable.make.radius) + 2.0 * bows + 1e-6 * a.cable.length
    verdict.require(
        "friction beyond its cone (N)", across, (1.0 + CONE) * friction * along + CONE * along + small, where
    )
    verdict.require("contact across a gap (m)", abs(gap), slack, where)


def spared(a: Answer, s: Array, part: str | None) -> Flags:
    """Places near supports, where a cable may be inside."""
    skip = np.zeros(len(s), dtype=bool)
    radius, h = a.cable.make.radius, float(np.max(a.h))
    for held in a.cable.supports:
        mounted = part is not None and held.on == part
        reach = max((MOUNT if mounted else HELD) * radius, HELD_SEGMENTS * h)
        skip |= np.abs(s - a.places.get(held.name, -np.inf)) < reach
    return skip


def check_outside(a: Answer, part: Data, pose: Pose, verdict: Verdict) -> None:
    """The cubic through points and tangents is out of a part."""
    s, x = a.sampled(PER_SEGMENT)
    deep = a.cable.make.radius - distance(part, local(x, pose))
    deep[spared(a, s, part["name"])] = -np.inf
    k = int(np.argmax(deep))
    bound = DEEP * a.cable.make.radius + sag(a, float(s[k])) + 1e-6 * a.cable.length
    if np.isfinite(deep[k]):
        verdict.require("inside a part (m)", float(deep[k]), bound, f"{a.cable.name} in {part['name']} s={s[k]:.4f}")


def check_apart(a: Answer, b: Answer, verdict: Verdict) -> None:
    """Two cables, or a cable and itself, do not overlap."""
    (s, x), (t, y) = a.sampled(PAIRS_PER_SEGMENT), b.sampled(PAIRS_PER_SEGMENT)
    reach = a.cable.make.radius + b.cable.make.radius
    p, q = y[:-1], np.diff(y, axis=0)
    gap = x[:, None] - p
    u = np.clip(np.sum(gap * q, axis=2) / np.sum(q**2, axis=1), 0.0, 1.0)
    deep = reach - np.linalg.norm(gap - u[..., None] * q, axis=2)
    other = t[:-1] + u * np.diff(t)
    if a is b:
        near = max(SELF_RADII * a.cable.make.radius, SELF_SEGMENTS * float(np.max(a.h)))
        deep[np.abs(s[:, None] - other) < 1.05 * near] = -np.inf
    else:
        deep[near_joints(a, s)[:, None] & near_joints(b, other)] = -np.inf
    i, j = np.unravel_index(int(np.argmax(deep)), deep.shape)
    bound = DEEP * reach + sag(a, float(s[i])) + sag(b, float(other[i, j])) + 1e-6 * a.cable.length
    if np.isfinite(deep[i, j]):
        where = f"{a.cable.name} s={s[i]:.4f} in {b.cable.name} s={other[i, j]:.4f}"
        verdict.require("inside a cable (m)", float(deep[i, j]), bound, where)


def near_joints(a: Answer, s: Array) -> Flags:
    """Within two diameters of a support: cables joined or mounted in one place overlap."""
    skip = np.zeros(s.shape, dtype=bool)
    for place in a.places.values():
        skip |= np.abs(s - place) < MOUNT * a.cable.make.radius
    return skip


def pushed(a: Answer, contacts: list[Any]) -> tuple[Array, list[tuple[float, Array]]]:
    """(points, 3) N of contacts given to the points around them, and (place in m, force) of each on this cable.

    Of second order a contact acts on up to four points; a point near one has at least a trace, so that its jump has a
    cause. Of fourth order it acts where it is, and jumps are between points but for those on one.
    """
    shares = np.zeros((len(a.s), 3))
    found: list[tuple[float, Array]] = []
    for contact in contacts:
        for cable, place, sign in ((contact.cable, contact.place, 1.0), (contact.part, contact.other_place, -1.0)):
            if cable != a.cable.name or place is None or contact.body is not None:
                continue
            force = sign * contact.force
            i = int(np.clip(np.searchsorted(a.s, place) - 1, 0, len(a.h) - 1))
            near = np.arange(max(i - 1, 0), min(i + 3, len(a.s)))
            if a.order == 4:
                near = np.flatnonzero(np.abs(a.s - place) < 1e-7 * a.cable.length)
            shares[near] += force / max(len(near), 1)
            found.append((place, force))
    return shares, found
