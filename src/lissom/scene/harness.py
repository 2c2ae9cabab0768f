"""What must hold between junctions and the cables they join; and that every harness is held somewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from lissom.scene.checks import SAME_PLACE, held_slips
from lissom.scene.described import Slip
from lissom.scene.errors import ABSENT
from lissom.scene.fields import suggestion

if TYPE_CHECKING:
    from lissom.scene.cable import Cable, Clip
    from lissom.scene.junction import Member
    from lissom.scene.scene import Scene

Where = tuple[str | int, ...]
T = TypeVar("T")


def member_slips(scene: Scene) -> list[Slip]:
    """Names of cables that are not there, and places beyond their ends."""
    lengths = {cable.name: cable.length for cable in scene.cables}
    slips: list[Slip] = []
    for j, junction in enumerate(scene.junctions):
        for m, member in enumerate(junction.members):
            where: Where = ("junctions", j, "members", m)
            if member.cable not in lengths:
                near = suggestion(member.cable, lengths)
                slips.append(((*where, "cable"), member.cable, f"is no cable of this scene{near}"))
                continue
            for key in ("from_start", "from_end"):
                if (getattr(member, key) or 0.0) > lengths[member.cable]:
                    message = f"must be at most the length of the cable, {lengths[member.cable]:g} m"
                    slips.append(((*where, key), getattr(member, key), message))
    return slips


def joint_slips(scene: Scene) -> list[Slip]:
    """One place of a cable is held by one thing only."""
    slips: list[Slip] = []
    number = {cable.name: i for i, cable in enumerate(scene.cables)}
    clips: dict[str, Places[Where]] = {}
    taken: dict[str, Places[str]] = {}
    for j, junction in enumerate(scene.junctions):
        for m, member in enumerate(junction.members):
            i = number[member.cable]
            cable = scene.cables[i]
            end, place = member.end(cable.length), member.place(cable.length)
            if cable.name not in taken:
                taken[cable.name], clips[cable.name] = Places(cable.length), _clip_places(cable)
            by = taken[cable.name].near(place)
            if by is not None:
                key = _place_key(member)
                what = f"the {end} of" if end else "this place of"
                message = f'must not be joined twice: {what} "{cable.name}" already belongs to "{by}"'
                slips.append((("junctions", j, "members", m, key), getattr(member, key), message))
                continue
            taken[cable.name].add(place, junction.name)
            if end is not None and (held := getattr(cable, end)) is not None and held.kind != "free":
                message = f'must be left out: this end is joined by "{junction.name}", which says its pose'
                cure = 'to hold it there, give the junction motion = "held" and a position'
                slips.append((("cables", i, end), ABSENT, f"{message}; {cure}"))
            clip = clips[cable.name].near(place)
            if clip is not None:
                value = getattr(cable.clips[int(clip[1])], str(clip[2]))
                message = f'must not be the place of the junction "{junction.name}": move or remove one of them'
                slips.append((("cables", i, *clip), value, message))
    return slips


class Places(Generic[T]):
    """What is at a place along a cable, found without looking at all the others."""

    def __init__(self, length: float) -> None:
        self.step = SAME_PLACE * length
        self.found: dict[int, tuple[float, T]] = {}

    def add(self, place: float, what: T) -> None:
        self.found[int(place / self.step)] = (place, what)

    def near(self, place: float) -> T | None:
        k = int(place / self.step)
        for other, what in (self.found[i] for i in (k - 1, k, k + 1) if i in self.found):
            if abs(other - place) <= self.step:
                return what
        return None


def _clip_places(cable: Cable) -> Places[Where]:
    """Where clips that do not slide are, with what says so."""
    places: Places[Where] = Places(cable.length)
    for k, clip in enumerate(cable.clips):
        place = clip.place(cable.length)
        if place is not None and not clip.slides:
            places.add(place, ("clips", k, _place_key(clip)))
    return places


def _place_key(placed: Member | Clip) -> str:
    return next(key for key in ("at", "from_start", "from_end") if getattr(placed, key) is not None)


def loose_slips(scene: Scene) -> list[Slip]:
    """Every cable, with all that is joined to it, must be held."""
    group = {cable.name: cable.name for cable in scene.cables}

    def root(name: str) -> str:
        while group[name] != name:
            group[name] = name = group[group[name]]
        return name

    for junction in scene.junctions:
        for member in junction.members[1:]:
            group[root(member.cable)] = root(junction.members[0].cable)
    held = {root(j.members[0].cable) for j in scene.junctions if j.motion == "held"}
    joints: dict[str, list[str]] = {}
    for junction in scene.junctions:
        joints.setdefault(root(junction.members[0].cable), []).append(junction.name)
    together: dict[str, list[int]] = {}
    for i, cable in enumerate(scene.cables):
        together.setdefault(root(cable.name), []).append(i)
    slips: list[Slip] = []
    for name, numbers in together.items():
        if name not in held:
            found = held_slips([scene.cables[i] for i in numbers], joints.get(name, []))
            slips += [(("cables", numbers[0], *where), value, text) for where, value, text in found]
    return slips
