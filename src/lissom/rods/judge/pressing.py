"""What is asked where cables touch: contacts push, act where a gap is closed and within their cone, and the true curve,
the cubic through points and tangents, enters nothing [docs/theory/certificate.md §4].
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.clearance import depths
from lissom.geometry.nearest import length, on_segments, row
from lissom.geometry.solids import Solid
from lissom.geometry.triples import cross, dot, sub, tangent
from lissom.kernels import inline, kernel, lean_kernel
from lissom.rods.judge.answer import Answer
from lissom.rods.judge.certificate import Condition

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Stretches = tuple[tuple[float, float, float], ...]  # (from, to) as parts of the length, radius in m

SAMPLES = 8  # places to a segment at which the curve is looked at
BLOCK = 16  # places to a box
# Bounds, in radii and lengths; docs/theory/certificate.md has the reason for each.
SHALLOW = 1e-3  # of the radius …
SHALLOW_LENGTH = 1e-6  # … or of the length: how deep a curve may be beside what its grid misses
DEEPEST = 0.05  # of the radius: deeper is not resolved …
DEEPEST_LENGTH = 1e-3  # … or of the length, of what has no radius
ALONG = 1e-6  # of the force scale: what a contact may pull with, or friction exceed its limit by
# What a support holds inside comes out of it over a diameter or two segments: this deep at the support.
HELD_RADIUS, HELD_LENGTH = 0.2, 1e-3
HELD_RADII, HELD_SEGMENTS = 2.0, 2.0
MOUNT_RADII = 4.0  # a cable does not touch what it is mounted on within two diameters of the mount
BESIDE_RADII = 4.0  # nor do cables touch each other within two diameters of supports of both
SELF_RADII, SELF_SEGMENTS = 6.0, 3.0  # nor itself nearer along it


class Touch(Protocol):
    """A contact as handed out."""

    @property
    def cable(self) -> str: ...
    @property
    def place(self) -> float: ...
    @property
    def part(self) -> str: ...
    @property
    def other_place(self) -> float | None: ...
    @property
    def point(self) -> Array: ...
    @property
    def normal(self) -> Array: ...
    @property
    def force(self) -> Array: ...
    @property
    def pressure(self) -> float: ...
    @property
    def body(self) -> str | None: ...


class Thing(NamedTuple):
    """A part that can be touched, where it stands."""

    name: str
    solid: Solid
    rotation: Array  # (3, 3)
    position: Array  # (3,) m
    friction: float


@dataclass(slots=True)
class Skin:
    """A cable as something that touches, as the scene has it."""

    name: str
    radius: float  # m
    stretches: Stretches  # with another radius
    length: float  # m
    collide: bool
    friction: float
    ignore: frozenset[str]
    scale: float  # N: what forces are measured against
    answer: Answer
    held: Array  # (k,) m: places of supports
    fixed: Array  # (k,) m: of those that cannot give way
    mounts: tuple[tuple[str, float], ...]  # (part, place in m)
    turned: float  # rad in all
    curve: Array = field(init=False)  # (samples, 3) m
    s: Array = field(init=False)  # (samples,) m
    to_held: Array = field(init=False)  # (samples,) m along the cable to the nearest support
    thick: Array = field(init=False)  # (samples,) m: the radius there
    rough: Array = field(init=False)  # (segments,) m: κh²/8, what the grid misses of the curve

    def __post_init__(self) -> None:
        self.curve, self.s, self.rough = sampled(self.answer)
        self.to_held = np.abs(self.s[:, None] - self.held).min(axis=1, initial=np.inf)
        self.thick = np.full(len(self.s), self.radius)
        for start, end, radius in self.stretches:
            self.thick[(self.s >= start * self.length) & (self.s <= end * self.length)] = radius

    @property
    def shallow(self) -> float:
        return max(SHALLOW * self.radius, SHALLOW_LENGTH * self.length)

    @property
    def deepest(self) -> float:
        return DEEPEST * self.radius if self.radius > 0.0 else DEEPEST_LENGTH * self.length

    def at(self, place: float) -> tuple[Array, float, float]:
        """(3,) m of the curve at a place, what the grid misses there, and its radius, m."""
        k = min(max(int(self.s.searchsorted(place, side="right")) - 1, 0), len(self.s) - 2)
        part = (place - self.s[k]) / (self.s[k + 1] - self.s[k])
        x = (1.0 - part) * self.curve[k] + part * self.curve[k + 1]
        thick = next((r for start, end, r in self.stretches if start < place / self.length < end), self.radius)
        return x, float(self.rough[k // SAMPLES]), thick


def sampled(a: Answer) -> tuple[Array, Array, Array]:
    """The cubic through points and tangents, SAMPLES to a segment, and where along the cable, m; and κh²/8 (segments,)
    m, the largest of neighbours.
    """
    count = SAMPLES * (len(a.s) - 1) + 1
    curve, s, rough = np.empty((count, 3)), np.empty(count), np.empty(len(a.s) - 1)
    sample(a.s, a.positions, a.quaternions, curve, s, rough)
    return curve, s, rough


@inline
def bent(x: Array, i: int) -> float:
    """rad by which a polygon turns at a point: over an edge the frames on either side turn by half of that."""
    if i == 0 or i == len(x) - 1:
        return 0.0
    a, b = sub(row(x, i), row(x, i - 1)), sub(row(x, i + 1), row(x, i))
    return math.atan2(length(cross(a, b)), dot(a, b))


@lean_kernel
def sample(s: Array, x: Array, q: Array, curve: Array, at: Array, rough: Array) -> None:
    last = len(s) - 1
    for i in range(last):
        same = q[i, 0] * q[i + 1, 0] + q[i, 1] * q[i + 1, 1] + q[i, 2] * q[i + 1, 2] + q[i, 3] * q[i + 1, 3]
        turn = max(2.0 * math.acos(min(abs(same), 1.0)), bent(x, i), bent(x, i + 1))
        rough[i] = turn * (s[i + 1] - s[i]) / 8.0
    before = 0.0
    for i in range(last):
        own = rough[i]
        rough[i] = max(before, own, rough[i + 1] if i + 1 < last else 0.0)
        before = own
        p, v = row(x, i), row(x, i + 1)
        size = length(sub(v, p))
        ta = tangent((q[i, 0], q[i, 1], q[i, 2], q[i, 3]))
        tb = tangent((q[i + 1, 0], q[i + 1, 1], q[i + 1, 2], q[i + 1, 3]))
        for m in range(SAMPLES):
            u = m / SAMPLES
            k = i * SAMPLES + m
            at[k] = s[i] + u * (s[i + 1] - s[i])
            c0, c1 = (1.0 + 2.0 * u) * (1.0 - u) ** 2, u * (1.0 - u) ** 2 * size
            c2, c3 = u * u * (3.0 - 2.0 * u), u * u * (u - 1.0) * size
            for axis in range(3):
                curve[k, axis] = c0 * p[axis] + c1 * ta[axis] + c2 * v[axis] + c3 * tb[axis]
    at[last * SAMPLES] = s[last]
    for axis in range(3):
        curve[last * SAMPLES, axis] = x[last, axis]


# ---- contacts --------------------------------------------------------------------------------------------------------


def of_contacts(
    skins: dict[str, Skin], things: Mapping[str, Thing], contacts: Sequence[Touch]
) -> dict[str, list[Condition]]:
    """Of every contact that is handed out: it pushes, within its cone, where the gap is closed."""
    found: dict[str, list[Condition]] = {name: [] for name in skins}
    worst: dict[tuple[str, str, str], Condition] = {}

    def note(cable: str, condition: Condition) -> None:
        key = cable, condition.name, condition.where
        if key not in worst or condition.ratio > worst[key].ratio:
            worst[key] = condition

    for c in contacts:
        if c.body is not None:
            continue
        skin, other = skins[c.cable], skins.get(c.part) if c.other_place is not None else None
        force, normal, at = np.asarray(c.force), np.asarray(c.normal), c.place
        along, size = float(force @ normal), math.sqrt(float(force @ force))
        limit = ALONG * max(skin.scale, size)
        note(c.cable, Condition("push", max(-along, abs(along - c.pressure)), limit, at, c.part))
        here, mine, thick = skin.at(at)
        if other is not None:
            friction = max(skin.friction, other.friction)
            there, rough, its = other.at(c.other_place or 0.0)
            thick += its
            shallow = skin.shallow + other.shallow
        else:
            thing = things[c.part]
            friction, rough, shallow = thing.friction, 0.0, skin.shallow
            there = np.asarray(c.point)
            apart = distances(thing, np.array([there, here]), skin.length)
            note(c.cable, Condition("gap", abs(apart[0]), shallow, at, c.part))
            # and no other place of the part is nearer
            note(c.cable, Condition("gap", abs(apart[1] - thick), shallow + 2.0 * mine, at, c.part))
        sideways, off = force - along * normal, here - there - thick * normal
        beyond = math.sqrt(float(sideways @ sideways)) - friction * max(along, 0.0)
        note(c.cable, Condition("cone", beyond, limit, at, c.part))
        away = math.sqrt(float(off @ off))
        note(c.cable, Condition("gap", away, shallow + 2.0 * (mine + rough), at, c.part))
        note(c.cable, Condition("normal", abs(math.sqrt(float(normal @ normal)) - 1.0), 1e-9, at, c.part))
    for (cable, _, _), condition in worst.items():
        found[cable].append(condition)
    return found


def distances(thing: Thing, points: Array, reach: float) -> list[float]:
    """m of points (n, 3) from a part, negative inside; inf beyond `reach`."""
    nearer = np.empty(len(points))
    depths(thing.solid, thing.rotation, thing.position, points, reach, nearer)
    return [reach - k for k in nearer.tolist()]


# ---- how deep --------------------------------------------------------------------------------------------------------


def of_curves(skins: dict[str, Skin], things: Iterable[Thing]) -> tuple[dict[str, list[Condition]], dict[str, float]]:
    """The curve of every cable enters nothing: conditions, and how deep it is in what it may touch, m."""
    found: dict[str, list[Condition]] = {name: [] for name in skins}
    depth = dict.fromkeys(skins, 0.0)
    for name, skin in skins.items():
        if not skin.collide:
            continue
        for thing in things:
            if thing.name in skin.ignore:
                continue
            deep = np.empty(len(skin.curve))
            reach = float(skin.thick.max())
            depths(thing.solid, thing.rotation, thing.position, skin.curve, reach, deep)
            deep -= reach - skin.thick
            deep[near_mounts(skin, thing.name)] = -np.inf
            conditions, most = judged_depth(skin, deep, thing.name)
            found[name] += conditions
            depth[name] = max(depth[name], most)
    names = [k for k, skin in skins.items() if skin.collide and skin.radius > 0.0]
    for number, name in enumerate(names):
        for other in names[number:]:
            for condition in overlap(skins[name], skins[other]):
                found[name].append(condition)
                depth[name] = max(depth[name], condition.value)
    return found, depth


def near_mounts(skin: Skin, part: str) -> Flags:
    """(samples,) the places of segments one end of which is within two diameters of a mount on the part."""
    near = np.zeros(len(skin.answer.s), dtype=bool)
    for name, place in skin.mounts:
        if name == part:
            near |= np.abs(skin.answer.s - place) < MOUNT_RADII * skin.radius
    segments = near[:-1] | near[1:]
    return np.append(np.repeat(segments, SAMPLES), segments[-1])


def judged_depth(skin: Skin, deep: Array, part: str) -> tuple[list[Condition], float]:
    """Conditions of how deep (samples,) a curve is in a part."""
    near = np.flatnonzero(deep > 0.0)
    if not len(near):
        return [
            Condition("inside", 0.0, skin.shallow, None, part),
            Condition("deep", 0.0, skin.deepest, None, part),
        ], 0.0
    s, depth = skin.s[near], deep[near]
    far = np.abs(s[:, None] - skin.fixed).min(axis=1, initial=np.inf)
    over = max(HELD_RADII * skin.radius, HELD_SEGMENTS * float(np.diff(skin.answer.s).max()))
    where_held = max(HELD_RADIUS * skin.radius, HELD_LENGTH * skin.length)
    allowed = where_held * np.maximum(1.0 - far / over, 0.0)
    rough = skin.rough[np.minimum(near // SAMPLES, len(skin.rough) - 1)]
    found: list[Condition] = []
    for name, bound in (("inside", skin.shallow + rough + allowed), ("deep", skin.deepest + allowed)):
        k = int(np.argmax(depth / bound))
        found.append(Condition(name, float(depth[k]), float(bound[k]), float(s[k]), part))
    return found, max(float((depth - allowed).max()), 0.0)


def overlap(a: Skin, b: Skin) -> list[Condition]:
    """How deep two cables, or two places of one, are in each other; nothing where they are apart."""
    same = a is b
    apart = max(SELF_RADII * a.radius, SELF_SEGMENTS * float(np.diff(a.answer.s).max())) if same else 0.0
    if same and a.turned < math.pi:  # a curve that comes back to itself turns by more [Fenchel]
        return []
    beside = BESIDE_RADII * 0.5 * (a.radius + b.radius)
    deep, i, j = deepest_pair(
        a.curve, b.curve, a.s, b.s, a.thick, b.thick, a.to_held, b.to_held, apart, beside, same,
    )  # fmt: skip
    if i < 0:
        return []
    rough = float(a.rough[min(i // SAMPLES, len(a.rough) - 1)] + b.rough[min(j // SAMPLES, len(b.rough) - 1)])
    at, what = float(a.s[i]), "itself" if same else b.name
    return [
        Condition("inside", deep, a.shallow + b.shallow + rough, at, what),
        Condition("deep", deep, a.deepest + b.deepest, at, what),
    ]


def comes_back(points: Array, s: Array, radius: float) -> bool:
    """Whether the cable through these points may touch itself: with room for what it bows between them."""
    h = float(np.diff(s).max())
    nowhere = np.full(len(s), np.inf)
    wide = np.full(len(s), radius + 0.5 * h)
    apart = max(SELF_RADII * radius, SELF_SEGMENTS * h)
    _, i, _ = deepest_pair(points, points, s, s, wide, wide, nowhere, nowhere, apart, 0.0, True)
    return i >= 0


@kernel
def deepest_pair(
    x: Array, y: Array, s: Array, r: Array, thick: Array, wide: Array, to_held: Array, to_other: Array, apart: float,
    beside: float, same: bool,
) -> tuple[float, int, int]:  # fmt: skip
    """(depth, segment, segment): where two polylines, `thick` and `wide` (m) at their points, are deepest in each
    other; −1: nowhere.

    Of one cable with itself only places farther apart along it than `apart` count; nowhere those nearer than `beside`
    to supports of both.
    """
    reach = thick.max() + wide.max()
    a, b = boxes(x), boxes(y)
    deepest, first, second = 0.0, -1, -1
    for m in range(len(a)):
        for n in range(m if same else 0, len(b)):
            if reach - gap(a, m, b, n) <= deepest:
                continue
            for i in range(BLOCK * m, min(BLOCK * (m + 1), len(x) - 1)):
                for j in range(BLOCK * n, min(BLOCK * (n + 1), len(y) - 1)):
                    if same and abs(s[i] - r[j]) < apart:
                        continue
                    p = sub(row(x, i + 1), row(x, i))
                    q = sub(row(y, j + 1), row(y, j))
                    t, u = on_segments(row(x, i), p, row(y, j), q)
                    near = to_held[i] + t * (to_held[i + 1] - to_held[i])
                    if near < beside and to_other[j] + u * (to_other[j + 1] - to_other[j]) < beside:
                        continue
                    d = length(
                        (
                            x[i, 0] + t * p[0] - y[j, 0] - u * q[0],
                            x[i, 1] + t * p[1] - y[j, 1] - u * q[1],
                            x[i, 2] + t * p[2] - y[j, 2] - u * q[2],
                        )
                    )
                    deep = max(thick[i], thick[i + 1]) + max(wide[j], wide[j + 1]) - d
                    if deep > deepest:
                        deepest, first, second = deep, i, j
    return deepest, first, second


@kernel
def boxes(x: Array) -> Array:
    """(blocks, 6) lowest and highest corner of BLOCK segments each."""
    count = (len(x) - 2) // BLOCK + 1
    found = np.empty((count, 6))
    for m in range(count):
        for k in range(3):
            low = high = x[BLOCK * m, k]
            for i in range(BLOCK * m, min(BLOCK * (m + 1), len(x) - 1) + 1):
                low, high = min(low, x[i, k]), max(high, x[i, k])
            found[m, k], found[m, 3 + k] = low, high
    return found


@kernel
def gap(a: Array, m: int, b: Array, n: int) -> float:
    """m between two boxes; 0 where they overlap."""
    square = 0.0
    for k in range(3):
        way = max(a[m, k] - b[n, 3 + k], b[n, k] - a[m, 3 + k], 0.0)
        square += way * way
    return math.sqrt(square)
