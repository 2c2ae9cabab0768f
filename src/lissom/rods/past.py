"""What contacts leave behind when a solve is accepted: their forces, and what friction remembers.

It outlives the assembly: states and files keep it, and so do edits that leave the lengths of the cables alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.rods.contacts import NO_LINK, Contacts

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# Cables whose lengths differ by less than this part are of the same length.
SAME_LENGTH = 1e-9
RUBBED = ("link", "other", "place", "other_place", "ahead")


def resampled(x: Array, old: Array, new: Array) -> Array:
    """(n, 3) m: a curve through points x at other places along it, by cubics through four points each.

    Friction is stiff: chords in place of arcs would be felt as motion along the surface.
    """
    first = np.clip(np.searchsorted(old, new, side="right") - 2, 0, max(len(old) - 4, 0))
    near = first[:, None] + np.arange(min(4, len(old)))
    weights = np.ones(near.shape)
    for j in range(near.shape[1]):
        for k in range(near.shape[1]):
            if k != j:
                weights[:, j] *= (new - old[near[:, k]]) / (old[near[:, j]] - old[near[:, k]])
    return np.asarray(np.einsum("nj,njk->nk", weights, x[near]))


@dataclass(frozen=True, slots=True)
class Memory:
    """Where the points of a cable stuck on a part when a solve was last accepted."""

    local: Array  # (points, 3) in the part's axes, m
    places: Array  # (k,) of the contacts, in segments, sorted
    ahead: Array  # (k, 3) in the part's axes, m: how far their references were ahead of them

    def on_grid(self, old: Array, new: Array) -> "Memory":
        """The same for other points along the cable: s (points,) in m, as they were and as they are."""
        local = resampled(self.local, old, new)
        where = np.interp(self.places, np.arange(len(old)), old)
        return Memory(local, np.interp(where, new, np.arange(len(new))), self.ahead)


@dataclass(frozen=True, slots=True)
class Rubbed:
    """Where rough cables were, and touched each other, when a solve was last accepted. k: contact."""

    link: Indices  # (k,) the cables a
    other: Indices  # (k,) the cables b
    place: Array  # (k,) along a, in segments
    other_place: Array  # (k,) along b
    ahead: Array  # (k, 3) m: how far references were ahead of places
    points: tuple[Array, ...]  # per cable (points, 3) m

    def on_grid(self, old: tuple[Array, ...], new: tuple[Array, ...]) -> "Rubbed":
        """The same for other points along the cables."""

        def moved(link: Indices, place: Array) -> Array:
            found = place.copy()
            for k, (was, now) in enumerate(zip(old, new, strict=True)):
                there = np.interp(place[link == k], np.arange(len(was)), was)
                found[link == k] = np.interp(there, now, np.arange(len(now)))
            return found

        points = tuple(
            np.stack([np.interp(now, was, x) for x in shape.T], axis=1)
            for shape, was, now in zip(self.points, old, new, strict=True)
        )
        places = moved(self.link, self.place), moved(self.other, self.other_place)
        return Rubbed(self.link, self.other, *places, self.ahead, points)

    @classmethod
    def nothing(cls, s: tuple[Array, ...]) -> "Rubbed":
        """Of cables that never rubbed."""
        none = np.zeros(0, dtype=np.int64)
        return cls(none, none, np.zeros(0), np.zeros(0), np.zeros((0, 3)), tuple(np.zeros((len(k), 3)) for k in s))

    @classmethod
    def joined(cls, some: "Sequence[Rubbed]") -> "Rubbed":
        """Of several sets of cables, numbered through."""
        link, other, place, other_place, ahead = (np.concatenate([getattr(k, key) for k in some]) for key in RUBBED)
        return cls(link, other, place, other_place, ahead, tuple(x for k in some for x in k.points))


def renumbered(c: Contacts, new: Indices) -> Contacts:
    """Contacts of cables that have other numbers now; the last of `new` is −1, for no cable."""
    found = Contacts(c.rows.copy())
    found.link, found.other = new[c.link], new[c.other]
    return found


@dataclass(frozen=True, slots=True)
class Past:
    """Contacts that pressed and memories of friction, with the names of what they are numbers of."""

    cables: tuple[str, ...]
    parts: tuple[str, ...]
    s: tuple[Array, ...]  # per cable (points,) m
    contacts: Contacts
    memory: dict[tuple[int, int], Memory]  # (cable, part)
    rubbed: Rubbed | None  # of cables that are rough

    def fits(self, cables: tuple[str, ...], parts: tuple[str, ...], s: tuple[Array, ...]) -> bool:
        """Whether it is of these cables, at these lengths, among these parts."""
        if self.cables != cables or self.parts != parts:
            return False
        lengths = zip(self.s, s, strict=True)
        return all(abs(float(old[-1] - new[-1])) <= SAME_LENGTH * float(new[-1]) for old, new in lengths)

    def on_grid(self, s: tuple[Array, ...]) -> "Past":
        """The same for other points along the cables; forces stay where the points do."""
        same = [len(old) == len(new) and np.array_equal(old, new) for old, new in zip(self.s, s, strict=True)]
        c = self.contacts
        stays = [*same, True]  # the last: no cable
        kept = np.array([stays[a] and stays[b] for a, b in zip(c.link, c.other, strict=True)], dtype=bool)
        memory = {(a, b): m if same[a] else m.on_grid(self.s[a], s[a]) for (a, b), m in self.memory.items()}
        rubbed = None if self.rubbed is None else self.rubbed if all(same) else self.rubbed.on_grid(self.s, s)
        return Past(self.cables, self.parts, s, c.where(kept), memory, rubbed)

    def only(self, names: list[str]) -> "Past":
        """Of some of the cables, in this order."""
        if tuple(names) == self.cables:
            return self
        old = [self.cables.index(name) for name in names]
        new = np.full(len(self.cables) + 1, -1, dtype=np.int64)  # the last: no cable
        new[old] = np.arange(len(old))
        c = self.contacts
        own = np.isin(c.link, old) & np.isin(c.other, [*old, NO_LINK]) | (c.link == NO_LINK)
        memory = {(int(new[a]), b): m for (a, b), m in self.memory.items() if a in old}
        rubbed = self.rubbed
        if rubbed is not None:
            mine = np.isin(rubbed.link, old) & np.isin(rubbed.other, old)
            pair = new[rubbed.link[mine]], new[rubbed.other[mine]]
            places = rubbed.place[mine], rubbed.other_place[mine], rubbed.ahead[mine]
            rubbed = Rubbed(*pair, *places, tuple(rubbed.points[k] for k in old))
        return Past(
            tuple(names), self.parts, tuple(self.s[k] for k in old), renumbered(c.where(own), new), memory, rubbed
        )

    @classmethod
    def together(cls, pasts: "Sequence[Past]", names: list[str]) -> "Past":
        """Of several, without cables in common, as one; the cables in this order."""
        if len(pasts) == 1:
            return pasts[0].only(names)
        cables = [name for past in pasts for name in past.cables]
        first = np.concatenate([[0], np.cumsum([len(past.cables) for past in pasts])])
        contacts: list[Contacts] = []
        memory: dict[tuple[int, int], Memory] = {}
        rubbed: list[Rubbed] = []
        for past, start in zip(pasts, first[:-1], strict=True):
            new = np.array([*(start + np.arange(len(past.cables))), -1], dtype=np.int64)
            contacts.append(renumbered(past.contacts, new))
            memory |= {(int(start) + a, b): m for (a, b), m in past.memory.items()}
            r = past.rubbed or Rubbed.nothing(past.s)
            rubbed.append(Rubbed(new[r.link], new[r.other], r.place, r.other_place, r.ahead, r.points))
        s = tuple(k for past in pasts for k in past.s)
        between = Rubbed.joined(rubbed) if any(past.rubbed for past in pasts) else None
        return cls(tuple(cables), pasts[0].parts, s, Contacts.joined(contacts), memory, between).only(names)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """For a file."""
        found: dict[str, NDArray[Any]] = {"cables": np.array(self.cables), "parts": np.array(self.parts, dtype=str)}
        for k, s in enumerate(self.s):
            found[f"s.{k}"] = s
        for name, values in self.contacts.arrays().items():
            found[f"contacts.{name}"] = values
        for (a, b), memory in self.memory.items():
            for field in fields(memory):
                found[f"friction.{a}.{b}.{field.name}"] = getattr(memory, field.name)
        if self.rubbed is not None:
            for key in RUBBED:
                found[f"between.{key}"] = getattr(self.rubbed, key)
            for k, points in enumerate(self.rubbed.points):
                found[f"points.{k}"] = points
        return found

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]]) -> "Past | None":
        """What `arrays` gave; None where something is missing, or does not go together."""
        try:
            cables, parts = (tuple(str(k) for k in arrays[key]) for key in ("cables", "parts"))
            s = tuple(arrays[f"s.{k}"] for k in range(len(cables)))
            own = {key.removeprefix("contacts."): key for key in arrays if key.startswith("contacts.")}
            contacts = Contacts.read({name: arrays[key] for name, key in own.items()})
            pairs = {tuple(key.split(".")[1:3]) for key in arrays if key.startswith("friction.")}
            memory = {
                (int(a), int(b)): Memory(*(arrays[f"friction.{a}.{b}.{field.name}"] for field in fields(Memory)))
                for a, b in sorted(pairs)
            }
            rubbed = None
            if f"between.{RUBBED[0]}" in arrays:
                points = tuple(arrays[f"points.{k}"] for k in range(len(cables)))
                link, other, place, other_place, ahead = (arrays[f"between.{key}"] for key in RUBBED)
                rubbed = Rubbed(link, other, place, other_place, ahead, points)
            past = cls(cables, parts, s, contacts, memory, rubbed)
            return past if past.sound else None
        except (KeyError, ValueError, TypeError, IndexError, AttributeError):
            return None

    @property
    def sound(self) -> bool:
        """Whether shapes and numbers are as they must be."""
        c = self.contacts
        finite = all(np.isfinite(k).all() for k in (c.force, c.normal, c.drag, c.t, *self.s))
        counts = (len(self.cables), len(self.cables), len(self.parts), len(self.parts))
        numbers = zip((c.link, c.other, c.part, c.feeler), counts, strict=True)
        inside = all(bool(((k >= -1) & (k < count)).all()) for k, count in numbers)
        inside = inside and all(bool((k >= 0).all()) for k in (c.segment, c.other_segment))
        for number, segment in ((c.link, c.segment), (c.other, c.other_segment)):
            for k, s in enumerate(self.s):
                inside = inside and bool((segment[number == k] < len(s) - 1).all())
        known = all(a < len(self.cables) and b < len(self.parts) for a, b in self.memory)
        for (a, _), m in self.memory.items():
            fine = known and m.local.shape == (len(self.s[a]), 3) and m.ahead.shape == (len(m.places), 3)
            known = fine and m.places.ndim == 1 and bool(np.isfinite(m.local).all() and np.isfinite(m.ahead).all())
        return finite and inside and known and self._rubbed_sound

    @property
    def _rubbed_sound(self) -> bool:
        r = self.rubbed
        if r is None:
            return True
        shapes = all(
            x.shape == (len(s), 3) and bool(np.isfinite(x).all()) for x, s in zip(r.points, self.s, strict=True)
        )
        count = len(r.place)
        lists = all(k.shape == (count,) for k in (r.link, r.other, r.place, r.other_place)) and r.ahead.shape == (
            count,
            3,
        )
        return shapes and lists and bool(np.isfinite(r.ahead).all())
