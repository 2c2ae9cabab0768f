"""Is the cable long enough? A span closes exactly when its supports are no farther apart than its length."""

from dataclasses import dataclass

import numpy as np

from lissom.rods.line import Line

# Less slack than this part of the length is none: the pull in a straight inextensible cable is undetermined.
LEAST_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Shortfall:
    length: float  # m missing
    reason: str


def find_shortfall(line: Line) -> Shortfall | None:
    """The worst span that cannot close, or None. A cable that stretches always can."""
    if line.is_extensible:
        return None
    worst: Shortfall | None = None
    supports = line.supports
    for i, a in enumerate(supports):
        if a.slides:
            continue
        way = 0.0
        for k in range(i + 1, len(supports)):
            b = supports[k]
            before = supports[k - 1] if supports[k - 1].slides else a
            gap = np.subtract(b.position, before.position)[np.logical_and(before.holds, b.holds)]
            distance = float(np.sqrt(gap @ gap)) if supports[k - 1].slides else 0.0
            way += distance
            if b.slides:
                if not supports[k - 1].slides:
                    way += float(np.linalg.norm(gap))
                continue
            direct = np.subtract(b.position, a.position)[np.logical_and(a.holds, b.holds)]
            need = max(way, float(np.sqrt(direct @ direct)))
            have = b.place - a.place
            if need > have * (1.0 - LEAST_SLACK):
                missing = max(need - have, 0.0)
                if worst is None or missing > worst.length:
                    worst = Shortfall(missing, describe(a.name, b.name, need, have, missing))
            if not any(s.slides for s in supports[i + 1 : k + 1]):
                way = 0.0
            if all(b.holds):
                break
    return worst


def describe(a: str, b: str, need: float, have: float, missing: float) -> str:
    if missing == 0.0:
        return (
            f"{a} and {b} are exactly as far apart ({need:.6g} m) as the cable between them is long: the pull is "
            "undetermined; give it some slack or an axial stiffness"
        )
    return (
        f"{a} and {b} are {need:.6g} m apart, the cable between them is {have:.6g} m long: "
        f"{missing:.6g} m too short"
    )
