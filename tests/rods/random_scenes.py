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
HOSE = {"length": 0.42, "stiffness": {"bending": 0.035, "torsion": 0.025}, "mass_per_length": 0.107}


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


def hose(seed: int, points: int) -> Scene:
    """A real brake hose between random clamps 0.2–0.95 of its length apart, mounted without twist."""
    rng = np.random.default_rng([seed, 3])
    end = {
        "position": (rng.uniform(0.2, 0.95) * 0.42 * direction(rng)).tolist(),
        "tangent": direction(rng).tolist(),
    }
    start = {"position": [0.0, 0.0, 0.0], "tangent": direction(rng).tolist()}
    return Scene.from_dict({"cables": [{"name": CABLE, **HOSE, "points": points, "start": start, "end": end}]})


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
