"""Parts that touch parts: which may, and where they are near each other."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.feelers import Feelers, faceted, feelers
from lissom.geometry.feeling import feeling, outward
from lissom.geometry.solids import MESH, PLANE, Solid
from lissom.geometry.touching import Found, new_found
from lissom.rods.contacts import NO_LINK, Contacts
from lissom.rods.obstacle import Obstacle

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# Parts look around them as far as this part of the size of the smaller of two, or as far as cables do.
NEAR_SIZE = 0.25
# A sheet has no inside: parts touch it at this part of the size of the smaller, and stay on their side.
SHEET = 1e-3
# Where they touch a solid, a step may lead into it by this part of the size: the next leads out again.
GIVE = 0.02
# Places deeper than so many times that, and than so many times the least deep, are on the far side of what is touched.
DEEP = 3.0
# Contacts of one pair; beyond, those that say most.
MOST = 32
# Places on a part nearer to each other than this part of the size of the smaller may be the same from step to step.
SPOT = 0.1


@dataclass(slots=True)
class Meetings:
    """Pairs of parts that may touch, and their feelers."""

    obstacles: list[Obstacle]
    pairs: list[tuple[int, int]]
    _faceted: dict[int, Solid] = field(init=False, default_factory=dict)
    _feelers: dict[int, Feelers] = field(init=False, default_factory=dict)
    _room: Found = field(init=False)

    def __post_init__(self) -> None:
        self._room = new_found(256)
        self.pairs = [k for k in self.pairs if any(self.obstacles[number].solid.kind != PLANE for number in k)]
        self._faceted = {k: faceted(self.obstacles[k].solid) for pair in self.pairs for k in pair}
        self._feelers = {k: feelers(solid) for k, solid in self._faceted.items()}

    def size(self, number: int) -> float:
        """m: how far from its origin a part touches; a half space has no end."""
        return self._feelers[number].reach if self.obstacles[number].solid.kind != PLANE else np.inf

    def cutoff(self, pair: tuple[int, int], margin: float) -> float:
        return max(margin, NEAR_SIZE * min(self.size(pair[0]), self.size(pair[1])))

    def near(self, margin: float) -> list[Contacts]:
        """The contacts of every pair that is near."""
        found = [self.between(pair, self.cutoff(pair, margin)) for pair in self.pairs]
        return [k for k in found if len(k)]

    def between(self, pair: tuple[int, int], cutoff: float) -> Contacts:
        """The contacts of a pair within `cutoff`, gaps filled in."""
        if self.apart(pair) > cutoff:
            return Contacts.none()
        lists = [self._felt(a, b, cutoff, edges) for a, b, edges in self._asked(*pair)]
        found = Contacts.joined([k for k in lists if len(k)])
        size = min(self.size(k) for k in pair)
        found = found.where(believed(found.gap, size))
        return found if len(found) <= MOST else found.where(telling(found, size))

    def apart(self, pair: tuple[int, int]) -> float:
        """m between the balls around two parts; the ball of a half space is itself."""
        a, b = sorted(pair, key=self.size)
        first, second = self.obstacles[a], self.obstacles[b]
        way = first.position - second.position
        if second.solid.kind == PLANE:
            return np.inf if first.solid.kind == PLANE else float(way @ second.rotation[:, 2]) - self.size(a)
        return float(np.linalg.norm(way)) - self.size(a) - self.size(b)

    def _asked(self, a: int, b: int) -> list[tuple[int, int, bool]]:
        """(who feels, what is felt, with edges too): between the two, all that can touch.

        What is round feels for itself. Else corners feel both ways, and edges one way.
        """
        round_a, round_b = self._feelers[a].radius > 0.0, self._feelers[b].radius > 0.0
        if round_a or round_b:
            return [(a, b, True) if round_a else (b, a, True)]
        return [(a, b, True), (b, a, False)]

    def _felt(self, a: int, b: int, cutoff: float, edges: bool) -> Contacts:
        """Feelers of a near the surface of b."""
        mine, first, second = self._feelers[a], self.obstacles[a], self.obstacles[b]
        if not len(mine.points):
            return Contacts.none()
        solid = second.solid if mine.radius > 0.0 else self._faceted[b]
        points = first.world(mine.points)
        starts = first.world(mine.starts) if edges else points[:0]
        ends = first.world(mine.ends) if edges else points[:0]
        while True:
            room = self._room
            count = feeling(
                solid, second.rotation, second.position, points, starts, ends, mine.radius + cutoff, room
            )  # fmt: skip
            if count <= len(room.t):
                break
            self._room = new_found(2 * count)
        smaller = min(self.size(a), self.size(b))
        thick = mine.radius + (SHEET * smaller if solid.kind == MESH and solid.closed == 0 else 0.0)
        c = Contacts.empty(count)
        c.link[:], c.feeler[:], c.part[:] = NO_LINK, a, b
        c.point[:], c.normal[:] = room.y[:count], room.normal[:count]
        d = room.distance[:count]
        c.gap[:] = d - thick
        c.distance[:] = d if solid.kind == MESH and solid.closed == 0 else np.maximum(d - thick, 0.0) + GIVE * smaller
        c.feeler_place[:] = c.point + d[:, None] * c.normal
        c.spot[:] = first.local(c.feeler_place) / (SPOT * smaller)
        number = room.segment[:count] - len(points)
        crossing = number >= 0
        c.along[crossing] = (ends - starts)[number[crossing]]
        if mine.radius == 0.0 and solid.kind == MESH:  # sharp on sharp: the curvature is of no use, the edge is
            c.edge[crossing] = room.edge[:count][crossing]
        else:
            c.curvature[:] = room.curvature[:count]
        facing = outward(self._faceted[a], first.rotation, mine.vertex, mine.half_edge, room, count) == 1
        return c.where((c.gap >= 0.0) | facing)


def believed(gap: Array, size: float) -> NDArray[np.bool_]:
    """(c,) whether a place is not too deep to be meant: the shortest way out of an overlap is the way it came about.

    An edge that has sunk into one face of a box by a hair is far below the edges of the opposite face as well.
    """
    least = -float(gap[gap < 0.0].max(initial=-np.inf))
    return np.asarray(-gap <= max(DEEP * GIVE * size, DEEP * least if least < np.inf else 0.0))


def telling(c: Contacts, size: float) -> Indices:
    """Of many contacts of a pair the deepest, and those that say most that is new.

    What a contact says is its row (N, ρ × N/size) of the motion, and its gap: next is always the one whose row is
    farthest from those chosen, less how much wider its gap is.
    """
    arm = c.point - c.point.mean(axis=0)
    rows = np.hstack([c.normal, np.cross(arm, c.normal) / size])
    late = (c.gap - c.gap.min()) / size
    chosen = [int(np.argmin(c.gap))]
    new = np.linalg.norm(rows - rows[chosen[0]], axis=1)
    while len(chosen) < MOST:
        best = int(np.argmax(new - late))
        if new[best] == 0.0:
            break
        chosen.append(best)
        new = np.minimum(new, np.linalg.norm(rows - rows[best], axis=1))
        new[best] = 0.0
        late[best] = np.inf
    return np.sort(np.array(chosen))
