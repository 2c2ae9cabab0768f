"""Random cables as scenes of the public format, the same for the same seed.

A feasible one: clamped at both ends with random tangents and rolls, neighbouring supports 0.05–0.98 of the cable
between them apart, twist up to ±360° beyond what is needed, stiffness-to-weight over six decades (wL³/B from 1e-3 to
1e3), and none, one or two clips (clamp, ball, swivel) at random places with random directions. An infeasible one has
one span, between any two neighbouring supports, that is 0.01–50 % too short.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.scene import Scene

Array = NDArray[np.float64]

CABLE = "cable"
GRAVITY = 9.81
CLIP_KINDS = ("clamp", "ball", "swivel")
MOST_CLIPS = 2
LEAST_SPAN = 0.1  # of the length: between neighbouring supports
# Data of the rubber brake hose of the reference cases clamped_3d_hose_A.
HOSE: dict[str, Any] = {"length": 0.42, "stiffness": {"bending": 0.035, "torsion": 0.025}, "mass_per_length": 0.107}


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is drawn before the supports are."""

    length: float  # m
    bending: float  # N m²
    torsion: float  # N m²
    mass: float  # kg/m
    places: Array  # of the supports, as fractions of the length, 0 and 1 included


def feasible(seed: int, *, weight_ratio: float | None = None, clips: int | None = None) -> Scene:
    """A cable that reaches from support to support; `weight_ratio` is wL³/B where it is not to be random."""
    rng = np.random.default_rng([seed, 1])
    recipe = draw(rng, weight_ratio, clips)
    slack = rng.uniform(0.05, 0.98, len(recipe.places) - 1)
    return build(rng, recipe, slack)


def infeasible(seed: int) -> tuple[Scene, float]:
    """A cable with one span that is too short, and by how much, m."""
    rng = np.random.default_rng([seed, 2])
    recipe = draw(rng, None, None)
    spans = np.diff(recipe.places)
    slack = rng.uniform(0.05, 0.98, len(spans))
    short = int(rng.integers(len(spans)))
    slack[short] = 1.0 + 10.0 ** rng.uniform(-4.0, math.log10(0.5))
    return build(rng, recipe, slack), float((slack[short] - 1.0) * spans[short] * recipe.length)


def hose(seed: int, points: int, *, twisted: bool = False) -> Scene:
    """A real brake hose between random clamps 0.2–0.95 of its length apart, mounted untwisted or up to ±180° off."""
    rng = np.random.default_rng([seed, 3])
    reach = rng.uniform(0.2, 0.95) * 0.42
    cable = {
        "name": CABLE,
        **HOSE,
        "points": points,
        "start": {"position": [0.0, 0.0, 0.0], "tangent": direction(rng).tolist()},
        "end": {"position": (reach * direction(rng)).tolist(), "tangent": direction(rng).tolist()},
    }
    if twisted:
        cable["twist"] = rng.uniform(-math.pi, math.pi)
    return Scene.from_dict({"cables": [cable]})


def draw(rng: np.random.Generator, weight_ratio: float | None, clips: int | None) -> Recipe:
    length = 10.0 ** rng.uniform(-1.0, 1.0)
    mass = 10.0 ** rng.uniform(-3.0, 1.0)
    softness = rng.uniform(0.5, 1.0)  # C/B: solid rubber has 2/3, steel 0.77
    drawn = 10.0 ** rng.uniform(-3.0, 3.0)
    bending = mass * GRAVITY * length**3 / (drawn if weight_ratio is None else weight_ratio)
    count = int(rng.integers(MOST_CLIPS + 1))
    if clips is not None:
        count = clips
    spans = LEAST_SPAN + (1.0 - LEAST_SPAN * (count + 1)) * rng.dirichlet(np.ones(count + 1))
    places = np.concatenate([[0.0], np.cumsum(spans)[:-1], [1.0]])
    return Recipe(length, bending, softness * bending, mass, places)


def build(rng: np.random.Generator, recipe: Recipe, slack: Array) -> Scene:
    """The scene with neighbouring supports `slack` times the cable between them apart, in random directions."""
    supports: list[dict[str, Any]] = []
    position = np.zeros(3)
    for k, place in enumerate(recipe.places):
        if k > 0:
            span = (place - recipe.places[k - 1]) * recipe.length
            position = position + slack[k - 1] * span * direction(rng)
        inside = 0 < k < len(recipe.places) - 1
        kind = CLIP_KINDS[rng.integers(len(CLIP_KINDS))] if inside else "clamp"
        tangent, roll = direction(rng).tolist(), rng.uniform(-math.pi, math.pi)
        twist = rng.uniform(-2.0 * math.pi, 2.0 * math.pi)
        support: dict[str, Any] = {"position": position.tolist(), "kind": kind}
        if kind != "ball":
            support["tangent"] = tangent
        if k == 0:
            support["roll"] = roll
        elif kind == "clamp":
            support["twist"] = twist  # of the end: moved to the cable below
        if inside:
            support["at"] = float(place)
        supports.append(support)
    start, *clips, end = supports
    return Scene.from_dict(
        {
            "cables": [
                {
                    "name": CABLE,
                    "length": recipe.length,
                    "stiffness": {"bending": recipe.bending, "torsion": recipe.torsion},
                    "mass_per_length": recipe.mass,
                    "start": start,
                    "end": {key: value for key, value in end.items() if key != "twist"},
                    "twist": end["twist"],
                    "clips": clips,
                }
            ]
        }
    )


def direction(rng: np.random.Generator) -> Array:
    """A unit vector, all directions equally likely."""
    v = rng.normal(size=3)
    return np.asarray(v / np.linalg.norm(v))


# ---- anything a scene may say --------------------------------------------------------------------------------------


def fuzzed(seed: int) -> dict[str, Any]:
    """Plain data of a scene with one cable and whatever its schema allows, extremes included.

    Mostly valid; a few break a rule between fields, and reading them says so.
    """
    rng = np.random.default_rng([seed, 4])
    length = float(10.0 ** rng.uniform(-6.0, 4.0)) if chance(rng, 0.3) else float(10.0 ** rng.uniform(-1.0, 1.0))
    cable: dict[str, Any] = {"name": CABLE, "length": length, **fuzzed_make(rng, length)}
    if chance(rng, 0.7):
        cable["points"] = int(rng.choice([3, 4, 5, 9, 17, 33, 65, 150]))
    reach = length * rng.uniform(0.05, 1.1)
    if chance(rng, 0.9):
        cable["start"] = fuzzed_support(rng, np.zeros(3), ("clamp", "clamp", "ball", "swivel"))
    if chance(rng, 0.7):
        cable["end"] = fuzzed_support(rng, reach * direction(rng), ("clamp", "clamp", "ball", "swivel"))
        clamped = cable["end"]["kind"] == cable.get("start", {}).get("kind") == "clamp"
        if clamped and "roll" not in cable["end"] and chance(rng, 0.3):
            cable["twist"] = rng.normal() * 10.0 ** rng.uniform(-1.0, 1.5)
    if chance(rng, 0.4):
        cable["clips"] = fuzzed_clips(rng, length, reach)
    if chance(rng, 0.3):
        cable["loads"] = [fuzzed_load(rng, cable) for _ in range(rng.integers(1, 4))]
    if chance(rng, 0.2):
        cable["rest"] = fuzzed_rest(rng, cable)
    scene: dict[str, Any] = {"cables": [cable]}
    if chance(rng, 0.2):
        cable["stretches"] = [{"from": 0.2, "to": rng.uniform(0.21, 0.9), "type": "other"}]
        scene["types"] = {"other": fuzzed_make(rng, length)}
    if chance(rng, 0.3):
        scene["gravity"] = [0.0, 0.0, 0.0] if chance(rng, 0.5) else (9.81 * direction(rng)).tolist()
    return scene


def chance(rng: np.random.Generator, probability: float) -> bool:
    return bool(rng.random() < probability)


def fuzzed_make(rng: np.random.Generator, length: float) -> dict[str, Any]:
    """Stiffness and mass; wL³/B from 1e-9 to 1e9, a rope now and then."""
    mass = 0.0 if chance(rng, 0.1) else float(10.0 ** rng.uniform(-4.0, 2.0))
    bending = min(1e12, max(1e-19, mass * GRAVITY * length**3 * 10.0 ** rng.uniform(-6.0, 6.0)))
    if chance(rng, 0.1):
        stiffness: dict[str, Any] = {"bending": 0.0}
    elif chance(rng, 0.3):
        ratio = float(10.0 ** rng.uniform(0.0, 3.0))
        stiffness = {"bending": [bending, min(1e12, ratio * bending)], "torsion": bending}
    else:
        stiffness = {"bending": bending, "torsion": min(1e12, bending * 10.0 ** rng.uniform(-2.0, 1.0))}
    if chance(rng, 0.15):
        stiffness["axial"] = float(np.clip(bending / length**2 * 10.0 ** rng.uniform(0.0, 8.0), 1e-12, 1e15))
    return {"stiffness": stiffness, "mass_per_length": mass}


def fuzzed_support(rng: np.random.Generator, position: Array, kinds: tuple[str, ...]) -> dict[str, Any]:
    kind = str(rng.choice(kinds))
    support: dict[str, Any] = {"position": position.tolist(), "kind": kind}
    if kind in ("clamp", "swivel", "sleeve"):
        axes = np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
        support["tangent"] = (axes if chance(rng, 0.3) else direction(rng)).tolist()
    if kind == "clamp" and chance(rng, 0.3):
        support["roll"] = rng.uniform(-math.pi, math.pi)
    if chance(rng, 0.1):
        support["free"] = [str(axis) for axis in rng.choice(["x", "y", "z"], rng.integers(1, 3), replace=False)]
    return support


def fuzzed_clips(rng: np.random.Generator, length: float, reach: float) -> list[dict[str, Any]]:
    """Many or few, mostly within reach of each other."""
    count = int(rng.choice([1, 2, 3, 12]))
    places = np.sort(rng.uniform(0.02, 0.98, count))
    way = direction(rng)
    clips = []
    for place in places:
        scatter = 0.3 * length / (count + 1) * direction(rng)
        kinds = ("clamp", "ball", "ball", "swivel", "ring", "sleeve")
        clip = fuzzed_support(rng, min(reach, 0.7 * length) * place * way + scatter, kinds)
        clips.append({**clip, "at": float(place)})
    return clips


def fuzzed_load(rng: np.random.Generator, cable: dict[str, Any]) -> dict[str, Any]:
    bending = float(np.max(cable["stiffness"]["bending"])) or 1.0
    size = min(1e5, bending / cable["length"] ** 2 * 10.0 ** rng.uniform(-2.0, 3.0))
    load: dict[str, Any] = {"at": float(rng.choice([0.0, 0.5, 1.0, rng.random()]))}
    if chance(rng, 0.7):
        return {**load, "force": (size * direction(rng)).tolist()}
    moment = (min(1e5, size * cable["length"] * 0.1) * direction(rng)).tolist()
    return {**load, "moment": moment, "axes": str(rng.choice(["world", "body"]))}


def fuzzed_rest(rng: np.random.Generator, cable: dict[str, Any]) -> dict[str, Any]:
    """Up to some turns in all, constant or given per point."""
    size = 10.0 ** rng.uniform(-1.0, 1.3) / cable["length"]
    if "points" in cable and chance(rng, 0.4):
        return {"curvature": (size * rng.normal(size=(cable["points"], 3))).tolist()}
    return {"curvature": (size * direction(rng)).tolist()}
