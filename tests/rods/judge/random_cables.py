"""Random lone cables, and how far they are from the same on a finer grid."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lissom
from lissom.reports import SolveError
from lissom.rods.result import CableResult
from lissom.scene import Scene, SceneError
from tests.rods.random_scenes import CABLE, chance, direction

Array = NDArray[np.float64]

GRIDS = (17, 25, 33, 49, 65)
FINER = 4


# ---- scenes --------------------------------------------------------------------------------------------------------


def scene_of(seed: int, points: int) -> Scene:
    """Any ends, clips, loads, stretches, rest shapes, twist within 360°; extensible and ropes now and then."""
    rng = np.random.default_rng([seed, 7])
    length = float(10.0 ** rng.uniform(-1.0, 1.0))
    kind = str(rng.choice(["rod", "rod", "rod", "rod", "rod", "rod", "rod", "extensible", "extensible", "rope"]))
    even = kind == "rope" or chance(rng, 0.5)
    scene: dict[str, Any] = {}
    cable: dict[str, Any] = {"name": CABLE, "length": length, "points": points, **make_of(rng, length, kind)}
    places = places_of(rng, even)
    supports = supports_of(rng, length, places, kind)
    cable["start"], cable["clips"] = supports[0], supports[1:-1]
    if kind == "rope" or chance(rng, 0.8):
        cable["end"] = supports[-1]
        if cable["start"]["kind"] == cable["end"]["kind"] == "clamp" and chance(rng, 0.5):
            cable["twist"] = rng.uniform(-2.0 * math.pi, 2.0 * math.pi)
    elif cable["start"]["kind"] != "clamp":
        cable["start"] = {"position": [0.0, 0.0, 0.0], "kind": "clamp", "tangent": direction(rng).tolist()}
    if chance(rng, 0.3):
        cable["loads"] = [load_of(rng, cable, kind, even)]
    if kind != "rope" and chance(rng, 0.25):
        cable["rest"] = rest_of(rng, length)
    if kind == "rod" and chance(rng, 0.2):
        a, b = sorted(place_of(rng, even, 0.15, 0.85) for _ in range(2))
        if b - a > 0.1:
            cable["stretches"] = [{"from": a, "to": b, "type": "other"}]
            stiff = float(rng.uniform(0.3, 5.0))
            scene["types"] = {"other": scaled_make(cable, stiff)}
    return Scene.from_dict({**scene, "cables": [cable]})


def make_of(rng: np.random.Generator, length: float, kind: str) -> dict[str, Any]:
    mass = float(10.0 ** rng.uniform(-3.0, 1.0))
    bending = mass * 9.81 * length**3 / 10.0 ** rng.uniform(-2.0, 3.0)
    if kind == "rope":
        stiffness: dict[str, Any] = {"bending": 0.0}
    elif chance(rng, 0.25):
        stiffness = {"bending": [bending, bending * rng.uniform(1.0, 5.0)], "torsion": bending * rng.uniform(0.5, 1.0)}
    else:
        stiffness = {"bending": bending, "torsion": bending * rng.uniform(0.5, 1.0)}
    if kind == "extensible" or (kind == "rope" and chance(rng, 0.5)):
        base = max(bending / length**2, mass * 9.81 * length)
        stiffness["axial"] = base * 10.0 ** rng.uniform(1.5, 4.0)
    return {"stiffness": stiffness, "mass_per_length": mass}


def scaled_make(cable: dict[str, Any], factor: float) -> dict[str, Any]:
    bending = float(np.max(cable["stiffness"]["bending"])) * factor
    stiffness = {"bending": bending, "torsion": 0.7 * bending}
    return {"stiffness": stiffness, "mass_per_length": cable["mass_per_length"] * factor}


def place_of(rng: np.random.Generator, even: bool, low: float, high: float) -> float:
    """As a fraction of the length; even ones are points of every grid here."""
    place = float(rng.uniform(low, high))
    return round(8.0 * place) / 8.0 if even else place


def places_of(rng: np.random.Generator, even: bool) -> list[float]:
    inside = sorted({place_of(rng, even, 0.15, 0.85) for _ in range(int(rng.integers(3)))})
    if len(inside) == 2 and inside[1] - inside[0] < 0.12:
        inside = inside[:1]
    return [0.0, *inside, 1.0]


def supports_of(rng: np.random.Generator, length: float, places: list[float], kind: str) -> list[dict[str, Any]]:
    supports: list[dict[str, Any]] = []
    position = np.zeros(3)
    for k, place in enumerate(places):
        if k > 0:
            position = position + rng.uniform(0.1, 0.97) * (place - places[k - 1]) * length * direction(rng)
        holding = "ball" if kind == "rope" else str(rng.choice(["clamp", "clamp", "ball", "swivel"]))
        support: dict[str, Any] = {"position": position.tolist(), "kind": holding}
        if holding != "ball":
            support["tangent"] = direction(rng).tolist()
        if 0.0 < place < 1.0:
            support["at"] = place
        supports.append(support)
    return supports


def load_of(rng: np.random.Generator, cable: dict[str, Any], kind: str, even: bool) -> dict[str, Any]:
    weight = cable["mass_per_length"] * 9.81 * cable["length"]
    size = max(weight, float(np.max(cable["stiffness"]["bending"])) / cable["length"] ** 2) * rng.uniform(0.2, 2.0)
    load: dict[str, Any] = {"at": place_of(rng, even, 0.1, 1.0)}
    if kind == "rope" or chance(rng, 0.7):
        return {**load, "force": (size * direction(rng)).tolist()}
    moment = (0.3 * size * cable["length"] * direction(rng)).tolist()
    return {**load, "moment": moment, "axes": str(rng.choice(["world", "body"]))}


def rest_of(rng: np.random.Generator, length: float) -> dict[str, Any]:
    size = rng.uniform(0.5, 6.0) / length
    return {"curvature": (size * direction(rng)).tolist()}


# ---- errors ----------------------------------------------------------------------------------------------------


def true_error(coarse: CableResult, fine: CableResult) -> float:
    """Largest distance at the points of the coarse one, m."""
    return float(np.linalg.norm(coarse.positions - read(fine, coarse.s), axis=1).max())


def solved(scene: Scene) -> CableResult | None:
    try:
        simulation = lissom.Simulation(scene)
        simulation.solve()
        found = simulation.cable(CABLE)
    except (SceneError, SolveError):  # a rule between fields broken, or nothing found
        return None
    return found if found.report.status == "converged" else None


def read(result: CableResult, s: Array) -> Array:
    """(k, 3) positions at the places s: at its points exactly, between them by quintic polynomials."""
    k = np.clip(np.searchsorted(result.s, s, side="right") - 1, 0, len(result.s) - 2)
    h = (result.s[k + 1] - result.s[k])[:, None]
    t = (s - result.s[k])[:, None] / h
    slope, bend_after, bend_before = slopes(result)
    x0, x1 = result.positions[k], result.positions[k + 1]
    v0, v1 = h * slope[0][k], h * slope[1][k + 1]
    a0, a1 = h**2 * bend_after[k], h**2 * bend_before[k + 1]
    d = x1 - x0 - v0 - 0.5 * a0
    e = v1 - v0 - a0
    f = a1 - a0
    c3, c4, c5 = 10 * d - 4 * e + 0.5 * f, -15 * d + 7 * e - f, 6 * d - 3 * e + 0.5 * f
    return np.asarray(x0 + t * (v0 + t * (0.5 * a0 + t * (c3 + t * (c4 + t * c5)))))


def slopes(result: CableResult) -> tuple[tuple[Array, Array], Array, Array]:
    """x' just after and just before each point, and x'' there (of a stretched cable: without the change of stretch)."""
    d1, d2 = (rotated(result.quaternions, axis) for axis in range(2))
    stretch = result._grid.compliance
    after = result.tangents.copy()
    before = result.tangents.copy()
    after[:-1] *= (1.0 + stretch * result._sides.tension_after[:-1])[:, None]
    before[1:] *= (1.0 + stretch * result._sides.tension_before[1:])[:, None]
    bends = [w[:, 1:2] * d1 - w[:, 0:1] * d2 for w in (result.strain_after, result.strain_before)]
    return (after, before), bends[0], bends[1]


def rotated(q: Array, axis: int) -> Array:
    w, v = q[:, :1], q[:, 1:]
    e = np.broadcast_to(np.eye(3)[axis], v.shape)
    return np.asarray(e + 2.0 * np.cross(v, np.cross(v, e) + w * e))
