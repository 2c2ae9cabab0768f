"""Random scenes that combine features, solvable by construction, the same for the same seed.

Supports lie on a smooth curve of the length of the cable that is shrunk a little; clips follow its tangents; parts
touch it or nearly do, and hold no support inside.
"""

from typing import Any

import numpy as np

from tests.truth import harnesses, obstacles
from tests.truth.cabling import Draft, add_cable, chance
from tests.truth.curves import curve, moved

FAMILIES = {"lone": 0.22, "parts": 0.38, "bundle": 0.12, "harness": 0.16, "plug": 0.12}


def scene(seed: int) -> tuple[dict[str, Any], set[str]]:
    """Plain data for `lissom.Scene.from_dict`, and the names of the features in it."""
    rng = np.random.default_rng([seed, 77])
    draft = Draft(rng, seed)
    family = str(rng.choice(list(FAMILIES), p=list(FAMILIES.values())))
    match family:
        case "lone":
            lone(draft)
        case "parts":
            lone(draft, level=True)
            obstacles.around(draft)
        case "bundle":
            bundle(draft)
            if chance(rng, 0.4):
                obstacles.around(draft)
        case "harness":
            harnesses.harness(draft)
            if chance(rng, 0.85):
                obstacles.around(draft, most=2)
        case "plug":
            harnesses.plug(draft)
            if chance(rng, 0.85):
                obstacles.around(draft, most=2)
    if draft.rng.random() < 0.1:
        draft.data["gravity"] = (rng.uniform(2.0, 9.81) * obstacles.down(rng)).tolist()
        draft.features.add("gravity")
    return draft.data, draft.features


def lone(draft: Draft, level: bool = False) -> None:
    """One cable with everything a cable can have."""
    rng = draft.rng
    length = float(rng.uniform(0.4, 1.2))
    add_cable(draft, curve(rng, length, level=level), length, rich=1.0)
    ends = draft.data["cables"][0]
    held = "end" in ends and "free" not in ends["end"]
    if held and "rope" not in draft.features and "stretch" not in draft.features and chance(rng, 0.5):
        draft.features.add("soft")


def bundle(draft: Draft) -> None:
    """Two or three cables that pass each other closely."""
    rng = draft.rng
    length = float(rng.uniform(0.4, 1.0))
    first = curve(rng, length, level=True)
    add_cable(draft, first, length, rich=0.6)
    radius = draft.radius_of(0)
    middle = first.at(0.5)
    for k in range(int(rng.integers(1, 3))):
        other = curve(rng, length, level=True)
        above = np.array([0.0, 0.0, (k + 1) * rng.uniform(2.3, 4.0) * radius])
        add_cable(draft, moved(other, middle - other.at(0.5) + above), length, rich=0.6, radius=radius)
    draft.features.add("cables")


def folded(features: set[str]) -> set[str]:
    """The features that pairs are counted of."""
    return {k for k in features if k != "gravity" and not k.startswith("end ")}
