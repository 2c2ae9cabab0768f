"""One random cable on a curve: what it is made of, how it is held, what pulls on it."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.truth.curves import Curve, direction
from tests.truth.turning import Array, quaternion, unit

Data = dict[str, Any]
GRAVITY = 9.81
CLIPS = ("clamp", "ball", "swivel", "ring", "sleeve")


@dataclass
class Draft:
    """A scene in the making."""

    rng: np.random.Generator
    seed: int
    data: Data = field(default_factory=lambda: {"format": 1, "types": {}, "cables": [], "parts": [], "junctions": []})
    features: set[str] = field(default_factory=set)
    curves: list[Curve] = field(default_factory=list)
    kept: list[Array] = field(default_factory=list)  # places that no part may be near: supports

    def radius_of(self, k: int) -> float:
        return float(self.data["cables"][k]["radius"])


def chance(rng: np.random.Generator, probability: float) -> bool:
    return bool(rng.random() < probability)


def tilted(rng: np.random.Generator, v: Array, by: float = 0.15) -> list[float]:
    """About this direction."""
    return [float(k) for k in unit(v + by * direction(rng))]


def make(
    draft: Draft,
    length: float,
    *,
    rope: bool = False,
    rich: float = 1.0,
    radius: float | None = None,
    stiff: bool = False,
) -> Data:
    """Stiffness, mass and radius; flat or extensible now and then. `stiff` where others may hang on it too."""
    rng = draft.rng
    mass = float(10.0 ** rng.uniform(-2.0, -0.3))
    ratio = 10.0 ** rng.uniform(-0.7, 0.7 if stiff else 1.6)  # wL³/B
    bending = mass * GRAVITY * length**3 / ratio
    stiffness: Data = {"bending": bending, "torsion": float(rng.uniform(0.6, 1.0)) * bending}
    if rope:
        stiffness = {"bending": 0.0}
        draft.features.add("rope")
    elif chance(rng, 0.2 * rich):
        stiffness["bending"] = [bending, float(rng.uniform(1.5, 4.0)) * bending]
        draft.features.add("flat")
    if chance(rng, 0.2 * rich):
        stiffness["axial"] = mass * GRAVITY * length * 10.0 ** rng.uniform(1.3, 3.5)
        draft.features.add("axial")
    thick = float(length * rng.uniform(0.004, 0.011)) if radius is None else radius
    return {"stiffness": stiffness, "mass_per_length": mass, "radius": thick}


def scale(data: Data) -> tuple[float, float]:
    """Force and moment that bend a cable visibly."""
    L, w = data["length"], data["mass_per_length"] * GRAVITY
    bending = float(np.min(data["stiffness"]["bending"]))
    return max(w * L, 2.0 * bending / L**2), bending / L


def add_cable(draft: Draft, c: Curve, length: float, *, rich: float, radius: float | None = None) -> None:
    """A cable along the curve with random ends, clips, loads and material; `rich` of each as often."""
    rng = draft.rng
    rope = chance(rng, 0.13 * rich)
    data: Data = {
        "name": f"c{len(draft.data['cables'])}",
        "length": length,
        "points": int(rng.choice([33, 49, 65, 97])),
        **make(draft, length, rope=rope, rich=rich, radius=radius),
    }
    add_ends(draft, data, c, rope)
    add_clips(draft, data, c, rope, rich)
    if chance(rng, 0.4 * rich):
        add_loads(draft, data, rope)
    if not rope:
        add_material(draft, data, c, rich)
    if chance(rng, 0.2):
        data["collide"] = False
        draft.features.add("collide off")
    draft.data["cables"].append(data)
    draft.curves.append(c)


def add_ends(draft: Draft, data: Data, c: Curve, rope: bool) -> None:
    rng = draft.rng
    start = str(rng.choice(["clamp", "clamp", "clamp", "clamp", "ball", "swivel"]))
    kinds = (
        ["clamp", "clamp", "clamp", "clamp", "ball", "swivel", "free"]
        if start == "clamp" and not rope
        else ["clamp", "ball"]
    )
    end = str(rng.choice(kinds))
    data["start"] = held(draft, c, 0.0, start)
    if end != "free":
        data["end"] = held(draft, c, 1.0, end)
        if start == "clamp" and not rope and chance(rng, 0.22):
            data["end"]["free"] = [str(rng.choice(["x", "y", "z"]))]
            draft.features.add("free axis")
    draft.features.add(f"end {end}")
    if start == end == "clamp" and not rope and chance(rng, 0.85):
        add_twist(draft, data)


def held(draft: Draft, c: Curve, at: float, kind: str) -> Data:
    """A support on the curve."""
    rng = draft.rng
    position = c.at(at)
    draft.kept.append(position)
    data: Data = {"position": position.tolist(), "kind": kind}
    if kind in ("clamp", "swivel", "sleeve"):
        if kind == "clamp" and at == 0.0 and chance(rng, 0.3):
            data["quaternion"] = quaternion(c.frame(at))
        else:
            data["tangent"] = tilted(rng, c.frame(at)[:, 2])
            if kind == "clamp" and at == 0.0 and chance(rng, 0.5):
                data["roll"] = float(rng.uniform(-np.pi, np.pi))
    return data


def add_twist(draft: Draft, data: Data) -> None:
    """Up to half a turn, a turn, or two and a half."""
    rng = draft.rng
    largest = float(rng.choice([180.0, 360.0, 900.0], p=[0.3, 0.1, 0.6]))
    data["twist"] = math.radians(float(rng.uniform(-largest, largest)))
    if abs(data["twist"]) > math.pi:
        data["points"] = max(data["points"], 65)
    draft.features.add("twist" if abs(data["twist"]) <= 2.0 * math.pi else "many turns")


def add_clips(draft: Draft, data: Data, c: Curve, rope: bool, rich: float) -> None:
    rng = draft.rng
    count = int(rng.choice([0, 1, 2, 3], p=[1.0 - 0.6 * rich, 0.3 * rich, 0.2 * rich, 0.1 * rich]))
    if not count:
        return
    gaps = 0.15 + (1.0 - 0.15 * (count + 1)) * rng.dirichlet(3.0 * np.ones(count + 1))
    clips = []
    for place in np.cumsum(gaps)[:-1]:
        kind = str(rng.choice(["ball", "ring"] if rope else CLIPS))
        clip = {**held(draft, c, float(place), kind), "at": float(place)}
        if kind == "clamp" and data["start"]["kind"] == "clamp" and chance(rng, 0.3):
            clip["twist"] = float(rng.uniform(-1.5, 1.5))
        clips.append(clip)
        draft.features.add(kind)
    data["clips"] = clips


def resists_spin(data: Data) -> bool:
    """Whether anything keeps the cable from turning about itself; else no moment can be balanced."""
    ends = [data.get("start"), data.get("end"), *(data.get("clips") or [])]
    return "start" not in data or any(k is not None and k.get("kind", "clamp") == "clamp" for k in ends)


def add_loads(draft: Draft, data: Data, rope: bool) -> None:
    rng = draft.rng
    push, turn = scale(data)
    loads: list[Data] = []
    for _ in range(int(rng.integers(1, 4))):
        at = float(rng.choice([rng.uniform(0.1, 0.9), 1.0], p=[0.85, 0.15]))
        if rope or not resists_spin(data) or chance(rng, 0.6):
            loads.append({"at": at, "force": (push * 10.0 ** rng.uniform(-1.0, 0.2) * direction(rng)).tolist()})
            draft.features.add("force")
            if rope:
                loads[-1]["at"] = float(rng.uniform(0.1, 0.9))
        else:
            axes = str(rng.choice(["world", "body"]))
            moment = (turn * rng.uniform(0.2, 1.5) * direction(rng)).tolist()
            loads.append({"at": at, "moment": moment, "axes": axes})
            draft.features.add("moment" if axes == "world" else "body moment")
            if axes == "world" and chance(rng, 0.4):
                loads[-1]["force"] = (push * 10.0 ** rng.uniform(-1.0, 0.0) * direction(rng)).tolist()
                draft.features.add("force")
    data["loads"] = loads


def add_material(draft: Draft, data: Data, c: Curve, rich: float) -> None:
    """A stretch of another type, and a rest shape."""
    rng = draft.rng
    if chance(rng, 0.3 * rich):
        add_stretch(draft, data)
    if chance(rng, 0.35 * rich):
        add_rest(draft, data, c)


def add_stretch(draft: Draft, data: Data) -> None:
    """A part of it that is of another type."""
    rng = draft.rng
    factor = float(10.0 ** rng.uniform(-0.3, 0.6))
    bending = (factor * np.array(data["stiffness"]["bending"])).tolist()
    other = {**data["stiffness"], "bending": bending, "torsion": factor * data["stiffness"]["torsion"]}
    mass = float(rng.uniform(0.7, 1.6)) * data["mass_per_length"]
    name = f"taped {data['name']}"
    draft.data["types"][name] = {"stiffness": other, "mass_per_length": mass, "radius": data["radius"]}
    begin = float(rng.uniform(0.1, 0.5))
    data["stretches"] = [{"from": begin, "to": begin + float(rng.uniform(0.15, 0.4)), "type": name}]
    draft.features.add("stretch")


def add_rest(draft: Draft, data: Data, c: Curve) -> None:
    rng = draft.rng
    size = rng.uniform(0.3, 2.0) / data["length"]
    match int(rng.integers(3)):
        case 0:
            data["rest"] = {"curvature": (size * direction(rng)).tolist()}
            draft.features.add("rest")
        case 1:
            u = np.linspace(0.0, 1.0, data["points"])
            waves = np.stack([np.ones_like(u), np.cos(np.pi * u), np.sin(2.0 * np.pi * u)])
            data["rest"] = {"curvature": (size * (rng.normal(size=(3, 3)) @ waves).T * [1.0, 1.0, 0.5]).tolist()}
            draft.features.add("rest varies")
        case 2:
            ends = np.linspace(0, len(c.points) - 1, 41).astype(int)
            length = float(np.sum(np.linalg.norm(np.diff(c.points, axis=0), axis=1)))
            data["rest"] = {"points": (c.points[ends] * data["length"] / length).tolist()}
            draft.features.add("moulded")
