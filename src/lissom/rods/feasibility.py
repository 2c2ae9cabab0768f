"""Is the cable long enough? A span closes exactly when its supports are no farther apart than its length."""

import heapq
import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from lissom.rods.line import Support

# Less slack than this part of the length is none: the pull in a straight inextensible cable is undetermined.
LEAST_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Shortfall:
    length: float  # m missing
    reason: str


def find_shortfall(supports: tuple[Support, ...], extensible: bool) -> Shortfall | None:
    """The worst span that cannot close, or None. A cable that stretches always can.

    Between two fixed supports the way leads through the sliding ones between them, or straight.
    """
    if extensible:
        return None
    worst: Shortfall | None = None
    for i, a in enumerate(supports):
        if a.slides:
            continue
        way = 0.0
        last = a
        through: list[str] = []
        for b in supports[i + 1 :]:
            way += distance(last, b) if b.slides or last.slides else 0.0
            last = b
            if b.slides:
                through.append(b.name)
                continue
            need = max(way, distance(a, b))
            have = b.place - a.place
            if need > have * (1.0 - LEAST_SLACK):
                missing = max(need - have, 0.0)
                if worst is None or missing > worst.length:
                    worst = Shortfall(missing, describe(a.name, b.name, need, have, missing, through))
            if all(b.holds):
                break  # what lies beyond is this support's business
    return worst


class Known(NamedTuple):
    """A place in a network of cables that is where it is said to be."""

    name: str
    position: tuple[float, float, float]


def find_network_shortfall(
    known: dict[Hashable, Known], ways: list[tuple[Hashable, Hashable, float]]
) -> Shortfall | None:
    """The worst two known places that are farther apart than the shortest way through a network, or None.

    `ways` join two places by at most so many m: cable between two supports, or the body that both sit on. Where no
    known places are too far apart, no argument over lengths says that the network cannot be.
    """
    near: dict[Hashable, list[tuple[Hashable, float]]] = {}
    for a, b, length in ways:
        near.setdefault(a, []).append((b, length))
        near.setdefault(b, []).append((a, length))
    worst: Shortfall | None = None
    for a, here in known.items():
        far = {a: 0.0}
        waiting: list[tuple[float, int, Hashable]] = [(0.0, 0, a)]
        while waiting:  # Dijkstra's algorithm
            way, _, place = heapq.heappop(waiting)
            for other, length in near.get(place, ()) if way <= far[place] else ():
                if way + length < far.get(other, math.inf):
                    far[other] = way + length
                    heapq.heappush(waiting, (way + length, len(far), other))
        for b, there in known.items():
            need, have = math.dist(here.position, there.position), far.get(b, math.inf)
            missing = need - have
            if b != a and missing > LEAST_SLACK * need and (worst is None or missing > worst.length):
                worst = Shortfall(missing, describe(here.name, there.name, need, have, missing, []))
    return worst


def distance(a: Support, b: Support) -> float:
    """Along the axes that both hold, m."""
    if all(a.holds) and all(b.holds):
        return math.dist(a.position, b.position)
    square = 0.0
    for k in range(3):
        if a.holds[k] and b.holds[k]:
            square += (b.position[k] - a.position[k]) ** 2
    return math.sqrt(square)


def describe(a: str, b: str, need: float, have: float, missing: float, through: list[str]) -> str:
    need, have, missing = (1000.0 * k for k in (need, have, missing))
    if missing == 0.0:
        return (
            f"{a} and {b} are exactly as far apart ({need:.6g} mm) as the cable between them is long: the pull is "
            "undetermined; give it some slack or an axial stiffness"
        )
    way = (
        f"{a} and {b} are {need:.6g} mm apart, the cable between them is {have:.6g} mm long: {missing:.6g} mm too short"
    )
    if len(through) > 1:
        way += f"; the way leads through {', '.join(through)}: if these lie in another order, give them `at`"
    return way
