"""Parts beside the cables of a draft: touching or nearly so, and clear of all supports."""

import tempfile
from pathlib import Path

import numpy as np

from tests.truth.asked import Data, pose_of
from tests.truth.cabling import Draft, chance
from tests.truth.curves import direction
from tests.truth.solids import distance
from tests.truth.touching import local
from tests.truth.turning import Array, framed, quaternion, unit

KINDS = ("plane", "sphere", "cylinder", "capsule", "box", "mesh", "profile")
OFTEN = (0.14, 0.15, 0.15, 0.14, 0.14, 0.14, 0.14)
TRIES = 12
CLEAR = 4.0  # radii between supports and parts


def down(rng: np.random.Generator) -> Array:
    """A direction that is rather down than not."""
    return unit(np.array([0.0, 0.0, -1.0]) + 0.5 * direction(rng))


def around(draft: Draft, most: int = 3) -> None:
    """One to `most` parts near the curves of the draft."""
    rng = draft.rng
    rough = float(rng.uniform(0.1, 0.6)) if chance(rng, 0.35) else 0.0
    for k in range(int(rng.integers(1, most + 1))):
        kind = str(rng.choice(KINDS, p=OFTEN))
        part = next((p for _ in range(TRIES) if is_clear(draft, p := beside(draft, kind, k))), None)
        if part is None:
            continue
        part["friction"] = rough
        draft.data["parts"].append(part)
        draft.features |= {kind, "friction"} if rough else {kind}


def is_clear(draft: Draft, part: Data) -> bool:
    """No support is in it or near it."""
    radius = max(k["radius"] for k in draft.data["cables"])
    places = local(np.array(draft.kept), pose_of(part))
    return bool(np.min(distance(part, places)) > CLEAR * radius)


def beside(draft: Draft, kind: str, number: int) -> Data:
    """A part below or beside a place of a curve."""
    rng = draft.rng
    which = int(rng.integers(len(draft.curves)))
    radius, curve = draft.radius_of(which), draft.curves[which]
    length = draft.data["cables"][which]["length"]
    name = f"p{number}"
    if kind == "plane":
        low = min(float(k[2]) for k in draft.kept) - (CLEAR + 0.5) * radius
        height = low - float(rng.uniform(0.0, 0.12)) * length
        return {"name": name, "shape": {"kind": "plane"}, "position": [0.0, 0.0, height]}
    at = float(rng.uniform(0.25, 0.75))
    tangent = curve.frame(at)[:, 2]
    side = down(rng) if chance(rng, 0.7) else direction(rng)
    side = unit(side - (side @ tangent) * tangent)
    size = float(rng.uniform(0.04, 0.12)) * length
    axes = framed(np.cross(side, tangent), 0.0)
    gap = float(rng.uniform(-0.5, 3.0)) * radius
    position = curve.at(at) + (size + radius + gap) * side
    part: Data = {"name": name, "position": position.tolist(), "quaternion": quaternion(axes)}
    return {**part, **form(draft, kind, size, number)}


def form(draft: Draft, kind: str, size: float, number: int) -> Data:
    """A shape of about this radius; long ones lie across the cable."""
    long = float(draft.rng.uniform(3.0, 8.0)) * size
    match kind:
        case "sphere":
            return {"shape": {"kind": kind, "radius": size}}
        case "box":
            return {"shape": {"kind": kind, "size": [2.0 * size, 2.0 * size, long]}}
        case "profile":
            corners = [[-size, -size], [size, -size], [1.2 * size, 0.3 * size], [0.0, size], [-0.8 * size, 0.5 * size]]
            return {"shape": {"kind": kind, "points": corners, "length": long}}
        case "mesh":
            return {"mesh": str(written(draft.seed, number, size, long)), "units": "m"}
    return {"shape": {"kind": kind, "radius": size, "length": long}}


def written(seed: int, number: int, size: float, long: float) -> Path:
    """An eight-sided prism as an STL file."""
    folder = Path(tempfile.gettempdir()) / "lissom-truth"
    folder.mkdir(exist_ok=True)
    angle = np.arange(8) * np.pi / 4.0
    ring = size * np.stack([np.cos(angle), np.sin(angle), np.zeros(8)], axis=1)
    up = np.array([0.0, 0.0, 0.5 * long])
    low, high = ring - up, ring + up
    faces = []
    for i in range(8):
        j = (i + 1) % 8
        faces += [(low[i], low[j], high[j]), (low[i], high[j], high[i])]
        if 0 < i < 7:
            faces += [(low[0], low[j], low[i]), (high[0], high[i], high[j])]
    text = ["solid prism"]
    for face in faces:
        corners = [f"vertex {v[0]:.9g} {v[1]:.9g} {v[2]:.9g}" for v in face]
        text += ["facet normal 0 0 0", "outer loop", *corners, "endloop", "endfacet"]
    file = folder / f"{seed}-{number}.stl"
    file.write_text("\n".join([*text, "endsolid prism", ""]))
    return file
