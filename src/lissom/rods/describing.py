"""Contacts and clearances in words and numbers for people."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lissom.rods.bodies import Body
from lissom.rods.contacts import NO_LINK, Contacts, on_polyline
from lissom.rods.surroundings import Clearance, Surroundings
from lissom.rods.system import System

Array = NDArray[np.float64]

# A friction force within this part of its limit slips.
AT_LIMIT = 1e-9


@dataclass(frozen=True, slots=True)
class Contact:
    """A place where a cable touches something, or a free part touches a part.

    Where no cable takes part `body` says which part feels the force, `cable` is empty, and its places are 0.
    """

    cable: str
    place: float  # m along the cable
    at: float  # fraction of its length
    part: str  # what it touches: a part, or another cable (or itself)
    other_place: float | None  # m along the other cable
    point: Array  # (3,) m, on the surface
    normal: Array  # (3,) from what is touched to the cable
    force: Array  # (3,) N, on the cable, friction included
    pressure: float  # N along the normal
    body: str | None = None  # the free part that touches `part`, in place of a cable
    slips: bool | None = None  # whether friction is at its limit; None without friction


def held_inside(support: str, cable: str, depth: float, part: str) -> str:
    """What to do where a support holds its cable that deep (m) in a part."""
    where = f"{support} holds {cable} {1000.0 * depth:.3g} mm inside {part}"
    return f"{where}: mount it on {part}, let the cable ignore it, or move one of them"


def described(c: Contacts, among: Surroundings, bodies: list[Body]) -> tuple[Contact, ...]:
    """The contacts that press."""
    found: list[Contact] = []
    skins = among.skins
    rubs = c.friction > 0.0
    slips = [bool(k) for k in np.linalg.norm(c.drag, axis=1) >= (1.0 - AT_LIMIT) * c.friction * c.force]
    for k in np.flatnonzero(c.force > 0.0):
        if c.link[k] == NO_LINK:
            found.append(of_parts(c, int(k), among, bodies))
            continue
        skin, place = skins[c.link[k]], place_of(c, int(k), among)
        other = None
        if c.other[k] != NO_LINK:
            other = float(on_polyline(skins[c.other[k]].s, c.other_segment[k : k + 1], c.other_t[k : k + 1])[0])
        touched = among.obstacles[c.part[k]].name if other is None else skins[c.other[k]].name
        force = c.force[k] * c.normal[k] + c.drag[k]
        found.append(
            Contact(
                skin.name, place, place / float(skin.s[-1]), touched, other, c.point[k].copy(), c.normal[k].copy(),
                force, float(c.force[k]), slips=slips[k] if rubs[k] else None,
            )
        )  # fmt: skip
    return tuple(found)


def of_parts(c: Contacts, k: int, among: Surroundings, bodies: list[Body]) -> Contact:
    """As the free part feels it; of two free ones, as the one does that touches with a corner or an edge."""
    free = {part for body in bodies for part in body.parts}
    a, b, sense = int(c.feeler[k]), int(c.part[k]), 1.0
    if a not in free:
        a, b, sense = b, a, -1.0
    body, part = (among.obstacles[number].name for number in (a, b))
    normal = sense * c.normal[k]
    pressure = float(c.force[k])
    return Contact("", 0.0, 0.0, part, None, c.point[k].copy(), normal, pressure * normal, pressure, body)


def place_of(c: Contacts, k: int, among: Surroundings) -> float:
    """m along the cable."""
    return float(on_polyline(among.skins[c.link[k]].s, c.segment[k : k + 1], c.t[k : k + 1])[0])


def clearances(points: list[Array], c: Contacts, among: Surroundings) -> list[Clearance]:
    """The nearest place of every cable to every part that it may touch: of what presses, that."""
    pressing = [
        k for k in np.flatnonzero(c.force > 0.0) if c.link[k] != NO_LINK and c.other[k] == NO_LINK
    ]  # of cables on parts
    found: list[Clearance] = []
    for clear in among.clearances(points):
        mine = [
            k
            for k in pressing
            if (among.skins[c.link[k]].name, among.obstacles[c.part[k]].name) == (clear.cable, clear.part)
        ]
        if mine:
            k = min(mine, key=lambda k: float(c.gap[k]))
            at, gap = place_of(c, int(k), among), float(c.gap[k])
            clear = replace(clear, distance=gap, place=at, point=c.point[k].copy(), normal=c.normal[k].copy())
        found.append(clear)
    return found


def pressed(system: System, among: Surroundings) -> str:
    """Where a cable is pressed so hard that it cannot give way, or pulled taut; else where it is pressed most."""
    c = system.contacts
    taut = system.taut()
    if taut is not None and not system.blocked():
        return f": {among.skins[taut].name} is pulled taut, it is too short"
    if not float(c.force.max(initial=0.0)) > 0.0:
        return ""
    k = int(np.argmax(c.force))
    if c.link[k] == NO_LINK:
        names = [among.obstacles[number].name for number in (c.feeler[k], c.part[k])]
        return f": {names[0]} is jammed against {names[1]}"
    cable = among.skins[c.link[k]]
    if c.other[k] == NO_LINK:
        other = among.obstacles[c.part[k]].name
    else:
        other = "itself" if c.other[k] == c.link[k] else among.skins[c.other[k]].name
    at = 1000.0 * place_of(c, k, among)
    where = f": {cable.name} is pressed against {other} with {c.force[k]:.2g} N at {at:.4g} mm"
    if system.blocked():
        return f"{where}; it is too short to go around, or a support holds it inside"
    return f"{where}, and no equilibrium was found beyond: try shorter motions, or more points"


def overlap(found: Clearance) -> str:
    return f"{found.cable} is {-1000.0 * found.distance:.3g} mm inside {found.part} at {1000.0 * found.place:.4g} mm"
