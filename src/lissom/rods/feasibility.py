"""Is the cable long enough? A span closes exactly when its supports are no farther apart than its length."""

import math
from dataclasses import dataclass

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
        for b in supports[i + 1 :]:
            way += distance(last, b) if b.slides or last.slides else 0.0
            last = b
            if b.slides:
                continue
            need = max(way, distance(a, b))
            have = b.place - a.place
            if need > have * (1.0 - LEAST_SLACK):
                missing = max(need - have, 0.0)
                if worst is None or missing > worst.length:
                    worst = Shortfall(missing, describe(a.name, b.name, need, have, missing))
            if all(b.holds):
                break  # what lies beyond is this support's business
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


def describe(a: str, b: str, need: float, have: float, missing: float) -> str:
    need, have, missing = (1000.0 * k for k in (need, have, missing))
    if missing == 0.0:
        return (
            f"{a} and {b} are exactly as far apart ({need:.6g} mm) as the cable between them is long: the pull is "
            "undetermined; give it some slack or an axial stiffness"
        )
    return (
        f"{a} and {b} are {need:.6g} mm apart, the cable between them is {have:.6g} mm long: {missing:.6g} mm too short"
    )
