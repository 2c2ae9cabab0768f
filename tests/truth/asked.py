"""What a scene asks for, read from its plain data: material along each cable, loads, and how supports hold.

Numbers only: texts with units are not read.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from tests.truth.turning import Array, carried, framed, matrix, opposed

Data = dict[str, Any]
Pose = tuple[Array, Array]  # position and rotation
SLIDES = ("ring", "sleeve")
DIRECTED = ("clamp", "swivel", "sleeve")


@dataclass(frozen=True)
class Make:
    """What a piece of cable is made of."""

    stiffness: Array  # (3,) N m²: about d1, about d2, torsion
    compliance: float  # 1/EA, 1/N
    mass: float  # kg/m
    radius: float


@dataclass(frozen=True)
class Load:
    place: float  # m
    force: Array
    moment: Array
    in_body: bool


@dataclass
class Held:
    """How one support holds the cable."""

    name: str
    kind: str
    place: float | None  # m; None where the scene does not say
    data: Data
    on: str | None = None  # part or junction
    frame: Array | None = None  # in the axes of what it is on
    position: Array = field(default_factory=lambda: np.zeros(3))
    turned: float | None = None  # rad, sum of the twists asked since the first clamp
    rolls: bool = True  # whether the turn about the tangent is asked for

    @property
    def free(self) -> list[int]:
        return ["xyz".index(k) for k in self.data.get("free", [])]


class Rest:
    """Strain without forces along a cable, in the axes of its frame."""

    def __init__(self, data: Data | None, length: float) -> None:
        self.moulded = data is not None and "points" in data
        self._table = np.zeros((2, 3))
        if data and "curvature" in data:
            table = np.array(data["curvature"], dtype=float)
            self._table = np.vstack([table, table]) if table.ndim == 1 else table
        elif data and "points" in data:
            self._table = moulded(np.array(data["points"], dtype=float))
        self._at = np.linspace(0.0, length, len(self._table))

    def at(self, s: Array) -> Array:
        return np.stack([np.interp(s, self._at, self._table[:, k]) for k in range(3)], axis=-1)


def moulded(points: Array, count: int = 2001) -> Array:
    """(count, 3) curvature of the cubic spline through the points in a frame carried along without twist."""
    chord = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    curve = CubicSpline(chord, points)
    fine = np.linspace(0.0, chord[-1], 4 * count)
    speed = np.linalg.norm(curve(fine, 1), axis=1)
    arc = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(fine))])
    u = np.interp(np.linspace(0.0, arc[-1], count), arc, fine)
    first, second = curve(u, 1), curve(u, 2)
    size = np.linalg.norm(first, axis=1)[:, None]
    t = first / size
    bend = (second - np.sum(second * t, axis=1)[:, None] * t) / size**2  # t' per arc
    frame = framed(t[0])
    strains = np.zeros((count, 3))
    for k in range(count):
        frame = carried(frame, t[k])
        strains[k] = -frame[:, 1] @ bend[k], frame[:, 0] @ bend[k], 0.0
    return strains


def make_of(data: Data) -> Make:
    """From measured stiffness, or a round section."""
    if "stiffness" in data:
        k = data["stiffness"]
        bending = np.broadcast_to(np.asarray(k["bending"], dtype=float), 2)
        axial = k.get("axial")
        stiffness = np.array([*bending, k.get("torsion") or 0.0])
        radius = data.get("radius") or 0.0
        return Make(stiffness, 1.0 / axial if axial else 0.0, data["mass_per_length"], radius)
    section, material = data["section"], data["material"]
    outer = section.get("radius") or 0.5 * section["diameter"]
    inner = section.get("inner_radius") or 0.5 * (section.get("inner_diameter") or 0.0)
    E = material["youngs_modulus"]
    G = material.get("shear_modulus") or 0.5 * E / (1.0 + material["poisson"])
    area, quartic = np.pi * (outer**2 - inner**2), outer**4 - inner**4
    bending = 0.25 * np.pi * E * quartic
    mass = data.get("mass_per_length")
    mass = material["density"] * area if mass is None else mass
    stretch = 1.0 / (E * area) if data.get("extensible") else 0.0
    return Make(np.array([bending, bending, 0.5 * np.pi * G * quartic]), stretch, mass, outer)


class Cable:
    """One cable of a scene as it was asked for."""

    def __init__(self, data: Data, scene: Data) -> None:
        self.data, self.name, self.length = data, str(data["name"]), float(data["length"])
        types = scene.get("types") or {}
        self.make = make_of(types[data["type"]] if data.get("type") else data)
        self.stretches = [(k["from"], k["to"], make_of(types[k["type"]])) for k in data.get("stretches") or []]
        self.borders = [b * self.length for k in self.stretches for b in k[:2] if 0.0 < b < 1.0]
        self.rest = Rest(data.get("rest"), self.length)
        self.gravity = np.array(scene.get("gravity", [0.0, 0.0, -9.81]), dtype=float)
        self.loads = [self._load(k) for k in data.get("loads") or []]
        self.collide = bool(data.get("collide", True))
        self.friction = float(data.get("friction") or 0.0)
        self.supports = self._supports(scene)

    @property
    def is_rope(self) -> bool:
        return not np.any(self.make.stiffness[:2])

    def makes(self, s: Array) -> list[Make]:
        """Of the material at the places s (m)."""
        found = []
        for place in s:
            inside = [k for a, b, k in self.stretches if a * self.length <= place <= b * self.length]
            found.append(inside[0] if inside else self.make)
        return found

    def place_of(self, data: Data) -> float | None:
        """m; `at`, `from_start` or `from_end`."""
        at = data.get("at")
        if at in ("start", "end"):
            return self.length if at == "end" else 0.0
        if at is not None:
            return float(at) * self.length
        if data.get("from_start") is not None:
            return float(data["from_start"])
        return None if data.get("from_end") is None else self.length - float(data["from_end"])

    def _load(self, data: Data) -> Load:
        force, moment = (np.array(data.get(k) or [0.0, 0.0, 0.0], dtype=float) for k in ("force", "moment"))
        return Load(self.place_of(data) or 0.0, force, moment, data.get("axes") == "body")

    def _supports(self, scene: Data) -> list[Held]:
        found: list[Held] = []
        for name, place in (("start", 0.0), ("end", self.length)):
            end = self.data.get(name)
            if end:
                found.append(Held(name, kind_of(end, scene), place, end))
        for number, clip in enumerate(self.data.get("clips") or [], 1):
            name = clip.get("name") or f"clip {number}"
            found.append(Held(name, kind_of(clip, scene), self.place_of(clip), clip))
        for junction in scene.get("junctions") or []:
            for member in junction["members"]:
                if member["cable"] == self.name:
                    at = member.get("at")
                    name = str(at) if at in ("start", "end") else junction["name"]
                    found.append(Held(name, "clamp", self.place_of(member), member, junction["name"]))
        return found


def kind_of(data: Data, scene: Data) -> str:
    """The kind of an end or clip, from what is given where it is not said."""
    if data.get("kind"):
        return str(data["kind"])
    where = frame_data(data, scene)
    return "clamp" if where.get("tangent") is not None or where.get("quaternion") is not None else "ball"


def frame_data(data: Data, scene: Data) -> Data:
    """The fields that say position and direction: its own, or those of a frame of its part."""
    if data.get("frame"):
        part = next(k for k in scene["parts"] if k["name"] == data["on"])
        return dict(part["frames"][data["frame"]])
    return data


def pose_of(data: Data) -> Pose:
    """Of a part or junction as the scene puts it."""
    position = np.array(data.get("position") or [0.0, 0.0, 0.0], dtype=float)
    if data.get("quaternion") is not None:
        return position, matrix(data["quaternion"])
    if data.get("tangent") is not None:
        return position, framed(data["tangent"], data.get("roll") or 0.0)
    return position, np.eye(3)


def poses_of(scene: Data) -> dict[str, Pose]:
    """Of all parts and junctions, parents included, as the scene puts them."""
    found = {k["name"]: pose_of(k) for k in [*(scene.get("parts") or []), *(scene.get("junctions") or [])]}
    for part in scene.get("parts") or []:
        if part.get("parent"):
            x, R = found[part["parent"]]
            y, Q = pose_of(part)
            found[part["name"]] = x + R @ y, R @ Q
    return found


def joined_frame(member: Data, junction: Data, scene: Data) -> Array:
    """Frame of a member in the axes of its junction."""
    if member.get("quaternion") is not None:
        return matrix(member["quaternion"])
    first = junction["members"][0]
    if member is first or member == first:
        return framed(member.get("tangent") or [1.0, 0.0, 0.0], member.get("roll") or 0.0)
    base = joined_frame(first, junction, scene)
    if member.get("tangent") is not None:
        if member.get("roll") is not None:
            return framed(member["tangent"], member["roll"])
        return carried(base, member["tangent"])
    if member.get("at") == first.get("at") and member.get("at") in ("start", "end"):
        return base @ np.diag([1.0, -1.0, -1.0])
    return base


def mount(cable: Cable, scene: Data) -> None:
    """Fills in position and frame of every support, in the axes of what it is on, and the twist asked for."""
    start_poses = poses_of(scene)
    before: Array | None = None
    total = 0.0
    for held in sorted(cable.supports, key=lambda k: 0.5 * cable.length if k.place is None else k.place):
        data = held.data
        if held.on is not None:
            junction = next(k for k in scene["junctions"] if k["name"] == held.on)
            held.frame = joined_frame(data, junction, scene)
            held.position = np.array(data.get("position") or [0.0, 0.0, 0.0], dtype=float)
            before = start_poses[held.on][1] @ held.frame
            continue
        held.on = data.get("on")
        where = frame_data(data, scene)
        held.position = np.array(where.get("position") or [0.0, 0.0, 0.0], dtype=float)
        if held.kind not in DIRECTED:
            continue
        axes = start_poses[held.on][1] if held.on else np.eye(3)
        twist = data.get("twist") if held.name != "end" else cable.data.get("twist")
        world, told = world_frame(where, axes, before, float(twist or 0.0))
        held.frame = axes.T @ world
        held.rolls = held.kind == "clamp" and (told or before is None or not opposed(before[:, 2], world[:, 2]))
        if held.kind == "clamp":
            total += float(twist or 0.0)
            held.turned = total
            before = world


def world_frame(where: Data, axes: Array, before: Array | None, twist: float) -> tuple[Array, bool]:
    """Frame in the world, and whether it is told in full."""
    if where.get("quaternion") is not None:
        return np.asarray(axes @ matrix(where["quaternion"])), True
    tangent = axes @ np.array(where["tangent"], dtype=float)
    if where.get("roll") is not None:
        return np.asarray(axes @ framed(where["tangent"], where["roll"])), True
    if before is None:
        return np.asarray(axes @ framed(where["tangent"])), True
    return carried(before, tangent, twist), False
