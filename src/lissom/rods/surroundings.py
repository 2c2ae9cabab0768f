"""What cables can touch: the parts where they stand, and each other."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.clearance import between_points, clearance, distances
from lissom.geometry.touching import Found, new_found, touching
from lissom.kernels import inline, kernel
from lissom.rods.bodies import Body, carried_poses, matrix
from lissom.rods.contacts import NO_LINK, Contacts, on_polyline, other_places
from lissom.rods.line import Support
from lissom.rods.meeting import Meetings
from lissom.rods.obstacle import Obstacle
from lissom.rods.pairing import Pairing
from lissom.rods.past import Memory, Past, Rubbed
from lissom.rods.smooth import (
    SAMPLES,
    Dip,
    Places,
    as_contacts,
    dips,
    new_places,
    smooth_places,
    watched_places,
)
from lissom.rods.solver import RodSolver

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# Things farther from a cable's skin than this many radii, or this part of its length, are not looked at.
NEAR_RADII = 1.5
NEAR_LENGTH = 0.02
# A cable ignores the part it is mounted on within so many radii of the mount (two diameters).
MOUNT_RADII = 4.0
# and any part within so many radii of a point that is held (a diameter).
HELD_RADII = 2.0
# What a support holds inside is let out of it over so many segments, where they are longer.
HELD_SEGMENTS = 2.0
# On a rough thing contacts stay at points of the cable where it is less curved than this, in units of 1/segment: places
# that run along a cable that lies on it come and go, and what rubs there with them.
STAY = 0.5
# Once friction acts, they stay on all that is less curved than this, in units of 1/radius. An edge turns the normal too
# fast for that: there places run all the same.
SHARP = 0.5
# A place that is watched takes the place of those nearer to it than this (segments).
INSTEAD = 0.01
# Friction knows the past of a place if the cable touched the part no farther along than this (segments).
MEMORY = 2


@dataclass(slots=True)
class Skin:
    """A cable as something that touches."""

    name: str
    radius: float  # m
    s: Array  # (points,) m
    collide: bool
    ignore: frozenset[str]  # parts it never touches
    mounts: tuple[tuple[str, float], ...]  # (part, place in m)
    held: Indices  # points at which a support holds the position
    friction: float = 0.0  # with other cables, and itself
    seats: tuple[tuple[str, int], ...] = ()  # (part, number of the support on it): what `mounts` follows from
    afloat: frozenset[int] = frozenset()  # numbers of the supports that sit on bodies, which can give way
    fixed: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # points that others hold

    @property
    def sight(self) -> float:
        """m: so far from the centre line things are looked at, where nothing overlaps."""
        return self.radius + max(NEAR_RADII * self.radius, NEAR_LENGTH * float(self.s[-1]))

    def follow(self, solver: RodSolver) -> None:
        """Takes over where the points are, and what holds which."""
        self.s = solver.grid.s
        self.held = held_points(solver, frozenset())
        self.fixed = held_points(solver, self.afloat)
        self.mounts = tuple((part, solver.supports[k].place) for part, k in self.seats)


@dataclass(slots=True)
class Clearance:
    """The smallest distance between the skin of a cable and a part."""

    cable: str
    part: str
    distance: float  # m; negative where they overlap
    place: float  # m along the cable
    point: Array  # (3,) on the part
    normal: Array  # (3,) from the part to the cable: the way out where they overlap


@dataclass(slots=True)
class Surroundings:
    """Parts and cables that may touch. Implements `Touching` for a system whose links are the `skins`, in order."""

    obstacles: list[Obstacle]
    skins: list[Skin]
    meetings: Meetings | None = None
    margin: float = field(init=False)
    where_held: float = field(init=False, default=0.0)  # m: how deep a support may hold a cable
    doubled: bool = field(init=False, default=False)  # places that stay as well, where others run along the cable
    _wanted: dict[tuple[int, int], Indices] = field(init=False, default_factory=dict)
    _watched: dict[tuple[int, int], Array] = field(init=False, default_factory=dict)  # places i + u [smooth.py]
    _allowed: dict[tuple[int, int, float], Array] = field(init=False, default_factory=dict)  # [allowances]
    _memory: dict[tuple[int, int], Memory] = field(init=False, default_factory=dict)  # at the points of today
    _committed: dict[tuple[int, int], tuple[Memory, Array]] = field(init=False, default_factory=dict)  # of then, and s
    _rubbed: Rubbed | None = field(init=False, default=None)
    _room: Found = field(init=False)
    _places: Places = field(init=False)
    _pairing: Pairing = field(init=False)

    def __post_init__(self) -> None:
        self.look_near()
        self._room, self._places = new_found(256), new_places(256)
        self._pairing = Pairing(self.skins)
        for a, skin in enumerate(self.skins):
            for b, obstacle in enumerate(self.obstacles):
                if skin.collide and obstacle.name not in skin.ignore:
                    self._wanted[a, b] = wanted(skin, obstacle.name)

    def look_near(self) -> None:
        """As far as is needed where nothing overlaps."""
        self.margin = max((k.sight - k.radius for k in self.skins), default=0.0)

    @property
    def may_touch(self) -> Iterator[tuple[int, int, Indices]]:
        """(cable, part, (points,) 1 where it may touch that)."""
        return ((a, b, flags) for (a, b), flags in self._wanted.items())

    @property
    def reach(self) -> float:
        return self.margin + min((k.radius for k in self.skins), default=0.0)

    def room(self, points: list[Array], bodies: list[Body], most: float) -> list[Array]:
        self.place_bodies(bodies)
        rooms = [np.full(len(x), most) for x in points]
        for a, b in self._wanted:
            obstacle = self.obstacles[b]
            distances(obstacle.solid, obstacle.rotation, obstacle.position, points[a], rooms[a])
        return [between_points(x, room) for x, room in zip(points, rooms, strict=True)]

    def passes(self, before: list[Array], after: list[Array], goal: list[tuple[Array, Array]]) -> bool:
        """Whether cables surely meet no part as they go from one shape to the other, and the parts to their goals.

        Seen from each part every point must go by less than half of what is clear.
        """
        steps = [float(np.linalg.norm(np.diff(x, axis=0), axis=1).max()) for x in before]
        for a, b in self._wanted:
            obstacle, (position, quaternion) = self.obstacles[b], goal[b]
            way = (after[a] - position) @ matrix(quaternion) - (before[a] - obstacle.position) @ obstacle.rotation
            moved = np.linalg.norm(way, axis=1)
            if not moved.any():
                continue
            thick = self.skins[a].radius + 0.5 * steps[a]
            room = 2.0 * moved + thick
            distances(obstacle.solid, obstacle.rotation, obstacle.position, before[a], room)
            if (2.0 * moved + thick > room * (1.0 + 1e-9)).any():
                return False
        return True

    def follow(self, number: int, solver: RodSolver) -> None:
        """The points of a cable are elsewhere along it: a support slid."""
        skin = self.skins[number]
        before = skin.s
        skin.follow(solver)
        for (a, b), (memory, s) in self._committed.items():
            if a == number:
                self._memory[a, b] = memory.on_grid(s, skin.s)
        if self._rubbed is not None:
            now = tuple(k.s for k in self.skins)
            self._rubbed = self._rubbed.on_grid(tuple(before if k is skin else k.s for k in self.skins), now)
        self._allowed.clear()
        for a, b in self._wanted:
            if a == number:
                self._wanted[a, b] = wanted(skin, self.obstacles[b].name)
        self._pairing = Pairing(self.skins)

    def place_bodies(self, bodies: list[Body]) -> None:
        for body in bodies:
            for part, position, quaternion in carried_poses(body):
                self.obstacles[part].stand(position, quaternion)

    def near(self, points: list[Array], bodies: list[Body]) -> Contacts:
        self.place_bodies(bodies)
        lists: list[Contacts] = []
        for (a, b), flags in self._wanted.items():
            found = self._found(a, b, points[a], flags)
            if len(found):
                lists.append(found)
        found = self._pairing.near(points)
        if len(found):
            lists.append(found)
        if self.meetings is not None:
            lists += self.meetings.near(self.margin)
        contacts = Contacts.joined(lists)
        if self._rubbed is not None:
            self._remember_cables(contacts, self._rubbed)
        return contacts

    def among_cables(self, points: list[Array]) -> Contacts:
        """Where cables are near each other."""
        return self._pairing.near(points)

    def passing(self, before: list[Array], after: list[Array]) -> float:
        """The part of a straight way, 0 … 1, at which cables first pass through each other; above 1 if not at all."""
        return self._pairing.passing(before, after)

    def begin(self, c: Contacts) -> None:
        self.doubled = False
        self._recall(c)
        self._pairing.begin()

    def pin(self, points: list[Array], depth: float) -> bool:
        return self._pairing.pin(points, depth)

    @property
    def sight(self) -> float:
        """m: gaps up to this are seen."""
        return min(self.margin, self._pairing.band)

    def _found(self, a: int, b: int, x: Array, flags: Indices) -> Contacts:
        skin, obstacle = self.skins[a], self.obstacles[b]
        while True:
            count = touching(
                obstacle.solid, obstacle.rotation, obstacle.position, x, skin.radius, skin.radius + self.margin, flags,
                self._room,
            )  # fmt: skip
            room = self._room
            if count <= len(room.t):
                break
            self._room = new_found(2 * count)
        count = without_held(room, count, skin.s, skin.fixed, skin.radius)
        most = 2 * count + len(self._watched.get((a, b), ()))
        if most > len(self._places.lean):
            self._places = new_places(2 * most)
        places = self._places
        stay = 0.0
        if obstacle.friction > 0.0:
            rubs = (a, b) in self._memory and len(self._memory[a, b].places) > 0
            stay = max(STAY / float(np.diff(skin.s).max()), sharp(skin) if rubs else 0.0)
        pose = obstacle.rotation, obstacle.position
        count = smooth_places(obstacle.solid, *pose, x, room, count, places, stay, self.doubled)
        plain = count
        if (a, b) in self._watched:
            reach = skin.radius + self.margin
            count = watched_places(obstacle.solid, *pose, x, self._watched[a, b], reach, places, count)
        contacts = Contacts.empty(count)
        contacts.rows = contacts.rows[: as_contacts(places, count, plain, a, b, skin.radius, contacts.rows)]
        if obstacle.friction > 0.0 and (a, b) in self._memory:
            self._remember(contacts, self._memory[a, b], obstacle)
        return contacts

    def dips(self, points: list[Array], bodies: list[Body], depth: float) -> list[Dip]:
        """Where smooth cables are in parts by more than `depth` (m), or than is allowed near what holds them."""
        self.place_bodies(bodies)
        found: list[Dip] = []
        for (a, b), flags in self._wanted.items():
            skin, obstacle = self.skins[a], self.obstacles[b]
            asked = a, b, depth
            if asked not in self._allowed:
                self._allowed[asked] = allowances(skin, flags, depth, self.where_held)
            pose = obstacle.rotation, obstacle.position
            where, deep = dips(obstacle.solid, *pose, points[a], self._allowed[asked], skin.radius)
            if len(where):
                found.append(Dip(a, b, where, deep))
        return found

    def watch(self, found: list[Dip]) -> None:
        """Contacts are looked for there as well from now on, and stay there on the cable."""
        for dip in found:
            key = dip.link, dip.part
            known = self._watched.get(key, np.zeros(0))
            far = np.abs(known[:, None] - dip.where).min(axis=1, initial=np.inf)
            self._watched[key] = np.concatenate([known[far > INSTEAD], dip.where])

    def _recall(self, c: Contacts) -> None:
        """The places that are watched from now on: of those that were, what presses; and what presses on rough parts.

        There places must not run along the cable any more once friction acts.
        """
        self._watched = {}
        if not len(c):
            return
        rough = np.array([*(k.friction > 0.0 for k in self.obstacles), False])[c.part]
        most = np.array([*(sharp(k) for k in self.skins), 0.0])[c.link]
        blunt = np.abs(c.curvature).max(axis=(1, 2), initial=0.0) < most
        pressed = c.where((c.watched | (c.inside & rough & blunt)) & (c.force > 0.0))
        self._watched = {
            (int(a), int(b)): pressed.arc_place[(pressed.link == a) & (pressed.part == b)]
            for a, b in set(zip(pressed.link, pressed.part, strict=True))
        }

    def described(self, found: list[Dip]) -> Clearance:
        """The deepest of some dips."""
        worst = max(found, key=lambda k: float(k.depth.max()))
        skin, obstacle = self.skins[worst.link], self.obstacles[worst.part]
        k = int(np.argmax(worst.depth))
        place = float(np.interp(worst.where[k] - 0.5, np.arange(len(skin.s)), skin.s))
        nowhere = np.full(3, np.nan)
        return Clearance(skin.name, obstacle.name, -float(worst.depth[k]), place, nowhere, nowhere)

    def _remember(self, c: Contacts, memory: Memory, obstacle: Obstacle) -> None:
        """Where the places would be had they stuck to the part, and so whether friction acts."""
        if not len(memory.places) or not len(c):
            return
        far = np.abs(c.place[:, None] - memory.places)
        nearest = far.argmin(axis=1)
        where = on_polyline(memory.local, c.segment, c.t) + memory.ahead[nearest]
        c.reference = obstacle.world(where)
        c.friction[far.min(axis=1) <= MEMORY] = obstacle.friction

    def _remember_cables(self, c: Contacts, before: Rubbed) -> None:
        """How far apart the places of two cables would be had they stuck, and so whether friction acts."""
        mine = np.flatnonzero(c.other != NO_LINK)
        if not len(mine) or not len(before.place):
            return
        far = np.abs(c.place[mine, None] - before.place) + np.abs(other_places(c)[mine, None] - before.other_place)
        far[(c.link[mine, None] != before.link) | (c.other[mine, None] != before.other)] = np.inf
        nearest = far.argmin(axis=1)
        for k, old, way in zip(mine, nearest, far.min(axis=1), strict=True):
            if way > 2 * MEMORY:
                continue
            one, a, b = slice(k, k + 1), int(c.link[k]), int(c.other[k])
            x = on_polyline(before.points[a], c.segment[one], c.t[one])
            y = on_polyline(before.points[b], c.other_segment[one], c.other_t[one])
            c.reference[one] = x - y + before.ahead[old]
            c.friction[k] = self._roughness(a, b)

    def _roughness(self, a: int, b: int) -> float:
        """μ between two cables: the rougher one decides, as a part does for all cables on it."""
        return max(self.skins[a].friction, self.skins[b].friction)

    def _commit_cables(self, c: Contacts, points: list[Array], bristle: float) -> None:
        if any(k.friction > 0.0 for k in self.skins):
            rough = np.array([self._roughness(int(a), int(b)) > 0.0 for a, b in zip(c.link, c.other, strict=True)])
            k = c.where(np.flatnonzero((c.other != NO_LINK) & (c.force > 0.0) & rough)) if len(c) else c
            shapes = tuple(x.copy() for x in points)
            self._rubbed = Rubbed(k.link, k.other, k.place, other_places(k), k.drag / bristle, shapes)

    def commit(self, c: Contacts, points: list[Array], bristle: float) -> None:
        """Accepts a solve: what sticks, sticks from here on, with the force it has."""
        self._pairing.keep(c)
        self._commit_cables(c, points, bristle)
        for a, b in self._wanted:
            obstacle = self.obstacles[b]
            if obstacle.friction == 0.0:
                continue
            mine = np.flatnonzero((c.link == a) & (c.part == b) & (c.force > 0.0))
            ahead = c.drag[mine] @ obstacle.rotation / bristle
            self._memory[a, b] = Memory(obstacle.local(points[a]), c.place[mine], ahead)
            self._committed[a, b] = self._memory[a, b], self.skins[a].s

    def past(self, c: Contacts) -> Past:
        """What is left behind by an accepted solve with these contacts."""
        names, parts = tuple(k.name for k in self.skins), tuple(k.name for k in self.obstacles)
        pressed = c.where(np.flatnonzero(c.force > 0.0))
        return Past(names, parts, tuple(k.s for k in self.skins), pressed, dict(self._memory), self._rubbed)

    def take(self, past: Past) -> Contacts | None:
        """Goes on from there: the contacts of then; None where it is of other things."""
        s = tuple(k.s for k in self.skins)
        if not past.fits(tuple(k.name for k in self.skins), tuple(k.name for k in self.obstacles), s):
            return None
        there = past.on_grid(s)
        self._memory, self._rubbed = dict(there.memory), there.rubbed
        self._committed = {(a, b): (memory, s[a]) for (a, b), memory in there.memory.items()}
        return there.contacts

    def forget(self) -> None:
        """Nothing has touched anything yet."""
        self._memory.clear()
        self._committed.clear()
        self._rubbed = None

    def depth_at(self, link: int, part: int, support: Support, position: Array, quaternion: Array) -> float:
        """m: how deep a support holds a cable in a part that stands there; negative where it does not."""
        skin, obstacle = self.skins[link], self.obstacles[part]
        near = MOUNT_RADII * skin.radius
        mounted = any(name == obstacle.name and abs(place - support.place) < near for name, place in skin.mounts)
        if (link, part) not in self._wanted or mounted:
            return -math.inf
        point, flag = np.array([support.position]), np.ones(1, dtype=np.int64)
        distance, _, _, _ = clearance(obstacle.solid, matrix(quaternion), position, point, flag)
        return skin.radius - float(distance)

    def clearances(self, points: list[Array]) -> list[Clearance]:
        """The nearest place of every cable to every part that it may touch."""
        found: list[Clearance] = []
        for (a, b), flags in self._wanted.items():
            skin, obstacle = self.skins[a], self.obstacles[b]
            distance, segment, t, y = clearance(obstacle.solid, obstacle.rotation, obstacle.position, points[a], flags)
            if segment >= 0:
                place = (1.0 - t) * skin.s[segment] + t * skin.s[segment + 1]
                x = (1.0 - t) * points[a][segment] + t * points[a][segment + 1]
                way = (x - y) * (1.0 if distance >= 0.0 else -1.0)
                size = float(np.linalg.norm(way))
                normal = way / size if size > 0.0 else np.zeros(3)
                found.append(
                    Clearance(skin.name, obstacle.name, distance - skin.radius, float(place), np.array(y), normal)
                )
        return found

    def along(self, name: str, points: Array) -> Array:
        """(points,) m from the skin of a cable to the nearest part that it may touch; inf where there is none."""
        number = next(k for k, skin in enumerate(self.skins) if skin.name == name)
        found = np.full(len(points), np.inf)
        for (a, b), flags in self._wanted.items():
            if a == number:
                here, obstacle = np.full(len(points), np.inf), self.obstacles[b]
                distances(obstacle.solid, obstacle.rotation, obstacle.position, points, here)
                found = np.where(flags > 0, np.minimum(found, here), found)
        return found - self.skins[number].radius


def sharp(skin: Skin) -> float:
    """1/m: what is more curved, for the centre line of a cable that lies on it, is an edge."""
    return SHARP / skin.radius if skin.radius > 0.0 else 0.0


def allowances(skin: Skin, flags: Indices, depth: float, where_held: float) -> Array:
    """(samples,) m: how deep the cable may be, SAMPLES to a segment; −1 where it may be anyhow.

    What a support holds a little inside comes out of it over a diameter, or two segments.
    """
    count = SAMPLES * (len(skin.s) - 1) + 1
    s = np.interp(np.arange(count) / SAMPLES, np.arange(len(skin.s)), skin.s)
    far = np.abs(s[:, None] - skin.s[skin.fixed]).min(axis=1, initial=np.inf)
    over = max(HELD_RADII * skin.radius, HELD_SEGMENTS * float(np.diff(skin.s).max()))
    allowed = depth + where_held * np.maximum(1.0 - far / over, 0.0)
    before = np.arange(count) // SAMPLES
    after = np.minimum(before + 1, len(skin.s) - 1)
    allowed[(flags[before] == 0) | (flags[after] == 0)] = -1.0
    return np.asarray(allowed)


@kernel
def without_held(room: Found, count: int, s: Array, fixed: Indices, radius: float) -> int:
    """Takes out the places within a diameter of held points, which cannot give way, and returns how many are left.

    What is farther away counts, unless a support holds that very point inside: then not the segments next to it either.
    s (points,) m; fixed: the points that are held.
    """
    held, inside = np.zeros(len(s), np.bool_), np.zeros(len(s), np.bool_)
    for i in fixed:
        held[i] = True
    beside = False
    for m in range(count):
        at, t = room.segment[m], room.t[m]
        beside = beside or held[at] or held[at + 1]
        point = at + 1 if t >= 1.0 else at
        if (t <= 0.0 or t >= 1.0) and held[point] and room.distance[m] < radius:
            inside[point] = True
    if not beside:
        return count
    kept = 0
    for m in range(count):
        at, t = room.segment[m], room.t[m]
        if inside[at] or inside[at + 1] or ((t <= 0.0 or t >= 1.0) and held[at + 1 if t >= 1.0 else at]):
            continue
        place = s[at] + t * (s[at + 1] - s[at])
        near = False
        for i in fixed:
            near = near or abs(place - s[i]) < HELD_RADII * radius
        if not near:
            move(room, m, kept)
            kept += 1
    return kept


@inline
def move(room: Found, m: int, to: int) -> None:
    room.segment[to], room.t[to], room.distance[to], room.feature[to] = (
        room.segment[m], room.t[m], room.distance[m], room.feature[m],
    )  # fmt: skip
    for k in range(3):
        room.y[to, k], room.normal[to, k], room.edge[to, k] = room.y[m, k], room.normal[m, k], room.edge[m, k]
        for l in range(3):
            room.curvature[to, k, l] = room.curvature[m, k, l]


def held_points(solver: RodSolver, without: frozenset[int]) -> Indices:
    """Points at which a support holds the position, but for some of them."""
    supports = zip(solver.grid.support_at, solver.supports, strict=True)
    held = [at for k, (at, support) in enumerate(supports) if all(support.holds) and k not in without]
    return np.array(held, dtype=np.int64)


def wanted(skin: Skin, part: str) -> Indices:
    """(points,) 1 where the cable may touch the part: not near a mount on it."""
    flags = np.ones(len(skin.s), dtype=np.int64)
    for name, place in skin.mounts:
        if name == part:
            flags[np.abs(skin.s - place) < MOUNT_RADII * skin.radius] = 0
    return flags
