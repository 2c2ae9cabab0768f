"""Contacts as one cable feels them.

A contact between two cables is told once, by the cable that comes first; the other one feels it too, at its own
place and with the opposite force.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lissom.analysis.along import Array
from lissom.rods.describing import Contact
from lissom.rods.surroundings import Clearance
from lissom.scene import Scene


@dataclass(frozen=True, slots=True)
class Touch:
    """A place where a cable is touched."""

    by: str  # the part or cable that touches it
    place: float  # m along the cable
    at: float  # fraction of its length
    point: Array  # (3,) m
    force: Array  # (3,) N on the cable, friction included

    @property
    def strength(self) -> float:
        """N."""
        return float(np.linalg.norm(self.force))


def touches(scene: Scene, contacts: Iterable[Contact], name: str) -> dict[str, list[Touch]]:
    """What touches a cable, and where, in order along it."""
    found: list[Touch] = []
    length = scene.cable(name).length
    for contact in contacts:
        if contact.cable == name:
            found.append(Touch(contact.part, contact.place, contact.at, contact.point, contact.force))
        if contact.part == name and contact.other_place is not None:  # a cable that touches itself feels both
            place = contact.other_place
            found.append(Touch(contact.cable, place, place / length, contact.point, -contact.force))
    groups: dict[str, list[Touch]] = {}
    for touch in sorted(found, key=lambda touch: touch.place):
        groups.setdefault(touch.by, []).append(touch)
    return groups


def pushes(contacts: Iterable[Contact]) -> dict[str, dict[str, list[Array]]]:
    """(3,) N: what pushes each free part that touches others, by what it touches; of two free ones each feels it."""
    found: dict[str, dict[str, list[Array]]] = {}
    free = {contact.body for contact in contacts if contact.body is not None}
    for contact in contacts:
        if contact.body is None:
            continue
        found.setdefault(contact.body, {}).setdefault(contact.part, []).append(contact.force)
        if contact.part in free:
            found.setdefault(contact.part, {}).setdefault(contact.body, []).append(-contact.force)
    return found


def other_at(scene: Scene, contact: Contact) -> float | None:
    """Where the other cable is touched, as a fraction of its length; None for a part."""
    return None if contact.other_place is None else contact.other_place / scene.cable(contact.part).length


def nearest(clearances: Iterable[Clearance], name: str) -> list[Clearance]:
    """The clearances of one cable, the smallest first."""
    return sorted((k for k in clearances if k.cable == name), key=lambda k: k.distance)
