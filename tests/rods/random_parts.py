"""Random scenes with parts, the same for the same seed: cables among things they can touch, and then moves.

Nine kinds, in turn: cables over a table, over bars, among blocks and balls, mounted on parts with frames and parents, a
harness, a connector that hangs, a sheet with a hole, cables that cross, and cables that are held inside something.
Lengths 0.25–1 m, diameters 4–16 mm, wL³/B from 0.1 to 1000, with twist, rest curvature, loads, clips, friction,
`ignore` and `collide = false` now and then. Moves are small, far and sudden, or impossible.
"""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray

from lissom.scene import Scene
from tests.rods.random_scenes import chance, direction

Array = NDArray[np.float64]
Rng = np.random.Generator
Data = dict[str, Any]

GRAVITY = 9.81
KINDS = ("table", "bars", "among", "mounted", "harness", "connector", "sheet", "crossing", "held inside")
LONG = 4.0  # m: bars so long that no cable gets around their ends


@dataclass(frozen=True, slots=True)
class Move:
    """One call of `Simulation.move`."""

    path: str
    position: list[float]
    quaternion: list[float] | None = None


@dataclass(slots=True)
class Drawn:
    """A scene as plain data, and what is done with it."""

    seed: int
    kind: str
    cables: list[Data] = field(default_factory=list)
    parts: list[Data] = field(default_factory=list)
    junctions: list[Data] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    folder: Path = Path()

    @property
    def scene(self) -> Scene:
        return Scene.from_dict({"cables": self.cables, "parts": self.parts, "junctions": self.junctions})


def drawn(seed: int, folder: Path) -> Drawn:
    """Scene and moves of a seed; its meshes are written to the folder."""
    rng = np.random.default_rng([seed, 5])
    kind = KINDS[seed % len(KINDS)]
    d = Drawn(seed, kind, folder=folder)
    {
        "table": table, "bars": bars, "among": among, "mounted": mounted, "harness": harness, "connector": connector,
        "sheet": sheet, "crossing": crossing, "held inside": held_inside,
    }[kind](rng, d)  # fmt: skip
    decorate(rng, d)
    d.moves = [draw_move(rng, d) for _ in range(rng.integers(2, 5))]
    return d


# ---- cables --------------------------------------------------------------------------------------------------------


def cable(rng: Rng, name: str, *, length: float | None = None) -> Data:
    """Only what it is made of."""
    length = float(rng.uniform(0.25, 1.0)) if length is None else length
    radius = float(rng.uniform(0.002, 0.008))
    mass = float(rng.uniform(900.0, 3000.0) * math.pi * radius**2)
    bending = mass * GRAVITY * length**3 / 10.0 ** rng.uniform(-1.0, 3.0)
    stiffness: Data = {"bending": bending, "torsion": float(rng.uniform(0.5, 1.0)) * bending}
    if chance(rng, 0.1):
        stiffness["axial"] = 1e3 * bending / length**2 + 1e2 * mass * GRAVITY * length
    return {
        "name": name, "length": length, "points": int(rng.integers(21, 42)), "stiffness": stiffness,
        "mass_per_length": mass, "radius": radius,
    }  # fmt: skip


def clamp(position: Array, tangent: Array, roll: float | None = None) -> Data:
    held: Data = {"position": position.tolist(), "tangent": tangent.tolist()}
    return held if roll is None else {**held, "roll": roll}


def ball(position: Array) -> Data:
    return {"position": position.tolist()}


def held(rng: Rng, position: Array, tangent: Array) -> Data:
    """A clamp about that direction, or a ball joint, or a swivel."""
    choice = rng.random()
    if choice < 0.35:
        return ball(position)
    turned = tangent + 0.4 * direction(rng)
    return clamp(position, turned) if choice < 0.85 else {**clamp(position, turned), "kind": "swivel"}


def between(rng: Rng, c: Data, start: Array, way: Array, slack: float) -> None:
    """Holds both ends, `slack` times the length apart along `way`."""
    end = start + slack * c["length"] * way
    c["start"], c["end"] = held(rng, start, way), held(rng, end, way)
    if "tangent" not in c["start"] and "tangent" not in c["end"] and chance(rng, 0.5):
        c["start"] = clamp(start, way)


def clip(rng: Rng, c: Data) -> None:
    """A clip between the ends of a cable, within reach."""
    a, b = np.array(c["start"]["position"]), np.array(c["end"]["position"])
    at = float(rng.uniform(0.3, 0.7))
    room = c["length"] - float(np.linalg.norm(b - a))
    where = a + at * (b - a) + 0.3 * min(at, 1.0 - at) * room * direction(rng)
    kind = str(rng.choice(["clamp", "ball", "ball", "swivel", "ring"]))
    found: Data = {"at": at, "kind": kind, "position": where.tolist()}
    if kind in ("clamp", "swivel"):
        found["tangent"] = (b - a + 0.3 * float(np.linalg.norm(b - a)) * direction(rng)).tolist()
    c["clips"] = [found]


def level(rng: Rng) -> Array:
    """A horizontal direction."""
    angle = rng.uniform(0.0, 2.0 * math.pi)
    return np.array([math.cos(angle), math.sin(angle), 0.0])


UP = np.array([0.0, 0.0, 1.0])

# ---- parts ---------------------------------------------------------------------------------------------------------


def part(rng: Rng, name: str, shape: Data, position: Array, *, turned: bool = True) -> Data:
    found: Data = {"name": name, "position": position.tolist(), **shape}
    if turned:
        q = rng.normal(size=4)
        found["quaternion"] = (q / np.linalg.norm(q)).tolist()
    if chance(rng, 0.25):
        found["friction"] = float(rng.uniform(0.05, 0.8))
    return found


def compact(rng: Rng, d: Drawn, size: float) -> Data:
    """The shape of something with about that radius, m."""
    kind = str(rng.choice(["sphere", "cylinder", "capsule", "box", "block", "torus", "profile"]))
    if kind == "sphere":
        return {"shape": {"kind": kind, "radius": size}}
    if kind in ("cylinder", "capsule"):
        return {"shape": {"kind": kind, "radius": 0.7 * size, "length": float(rng.uniform(0.5, 2.0)) * size}}
    if kind == "box":
        return {"shape": {"kind": kind, "size": (size * rng.uniform(0.6, 2.0, 3)).tolist()}}
    if kind == "profile":
        corners = [[1.0, 0.0], [0.3, 0.8], [-0.9, 0.5], [-0.6, -0.7], [0.5, -0.8]]
        return {"shape": {"kind": kind, "points": (size * np.array(corners)).tolist(), "length": 1.5 * size}}
    made = block(rng, size) if kind == "block" else torus(size)
    return mesh(d, made, str(rng.choice(["stl", "obj", "ply"])))


def mesh(d: Drawn, made: trimesh.Trimesh, ending: str) -> Data:
    file = d.folder / f"{d.seed}-{len(d.parts)}.{ending}"
    made.export(file)
    return {"mesh": str(file), "units": "m"}


def block(rng: Rng, size: float) -> trimesh.Trimesh:
    """A closed block, cut into finer triangles."""
    made: trimesh.Trimesh = trimesh.creation.box(size * rng.uniform(0.8, 1.8, 3)).subdivide()
    return made


def torus(size: float) -> trimesh.Trimesh:
    made: trimesh.Trimesh = trimesh.creation.torus(0.7 * size, 0.3 * size, major_sections=16, minor_sections=8)
    return made


def holed(width: float, hole: float) -> trimesh.Trimesh:
    """An open sheet in the x-y plane with a square hole in its middle."""
    lines = np.array([-0.5 * width, -0.5 * hole, 0.5 * hole, 0.5 * width])
    vertices = [[x, y, 0.0] for x in lines for y in lines]
    faces = []
    for i in range(3):
        for j in range(3):
            if (i, j) != (1, 1):
                a, b, c, e = 4 * i + j, 4 * i + 4 + j, 4 * i + 5 + j, 4 * i + 1 + j
                faces += [[a, b, c], [a, c, e]]
    return trimesh.Trimesh(vertices, faces, process=False)


# ---- kinds of scenes -----------------------------------------------------------------------------------------------


def table(rng: Rng, d: Drawn) -> None:
    """A half space below one or two cables, which hang to it; an end may lie on it."""
    d.parts.append(part(rng, "table", {"shape": {"kind": "plane"}}, np.zeros(3), turned=False))
    for k in range(rng.integers(1, 3)):
        c = cable(rng, f"cable {k}")
        start = np.array([0.0, 0.15 * k, rng.uniform(0.05, 0.3) * c["length"]])
        way = np.array([1.0, 0.2 * rng.normal(), 0.0])
        way /= np.linalg.norm(way)
        if chance(rng, 0.3):  # a free end
            c["start"] = clamp(start, way + np.array([0.0, 0.0, rng.uniform(-1.0, 0.3)]))
        else:
            between(rng, c, start, way, rng.uniform(0.4, 0.95))
            height = rng.choice([c["radius"], rng.uniform(0.02, 0.3) * c["length"]])
            c["end"]["position"][2] = float(height)
        d.cables.append(c)
    if chance(rng, 0.4):
        size = float(rng.uniform(0.02, 0.06))
        d.parts.append(part(rng, "thing", compact(rng, d, size), np.array([0.2, 0.0, size])))


def bars(rng: Rng, d: Drawn) -> None:
    """A cable over, under, or beside long bars."""
    c = cable(rng, "cable 0")
    way = level(rng)
    side = np.cross(UP, way)
    between(rng, c, np.zeros(3), way, rng.uniform(0.5, 0.95))
    reach = float(np.linalg.norm(np.subtract(c["end"]["position"], c["start"]["position"])))
    for k in range(rng.integers(1, 4)):
        radius = float(rng.uniform(0.006, 0.08) * min(1.0, 3.0 * reach))
        at = rng.uniform(0.2, 0.8) * reach * way + rng.uniform(-0.2, 0.1) * c["length"] * UP
        kind = str(rng.choice(["cylinder", "capsule"]))
        p = part(rng, f"bar {k}", {"shape": {"kind": kind, "radius": radius, "length": LONG}}, at, turned=False)
        p["tangent"] = (side + 0.3 * direction(rng)).tolist()
        d.parts.append(p)
    d.cables.append(c)
    if chance(rng, 0.4):
        clip(rng, c)


def among(rng: Rng, d: Drawn) -> None:
    """One or two cables and one to four compact things near them."""
    for k in range(rng.integers(1, 3)):
        c = cable(rng, f"cable {k}")
        between(rng, c, 0.2 * k * UP, direction(rng), rng.uniform(0.3, 0.95))
        d.cables.append(c)
    for k in range(rng.integers(1, 5)):
        c = d.cables[rng.integers(len(d.cables))]
        a, b = np.array(c["start"]["position"]), np.array(c["end"]["position"])
        size = float(rng.uniform(0.03, 0.15) * c["length"])
        where = a + rng.uniform(0.25, 0.75) * (b - a) - 0.2 * c["length"] * UP * rng.random() + size * direction(rng)
        d.parts.append(part(rng, f"thing {k}", compact(rng, d, size), where))
    if chance(rng, 0.3):
        clip(rng, d.cables[0])


def mounted(rng: Rng, d: Drawn) -> None:
    """A cable from a frame of one part to a frame of another, which has a child in the way."""
    c = cable(rng, "cable 0")
    reach = float(rng.uniform(0.4, 0.9) * c["length"])
    size = 0.1 * c["length"]
    chassis = part(rng, "chassis", compact(rng, d, size), np.zeros(3), turned=False)
    chassis["frames"] = {"socket": {"position": [1.6 * size, 0.0, 0.0], "tangent": [1, 0, 0.2], "roll": 0.0}}
    carrier = part(rng, "carrier", compact(rng, d, size), np.array([3.2 * size + reach, 0.0, 0.0]), turned=False)
    carrier["motion"] = "held"
    carrier["frames"] = {
        "banjo": {"position": [-1.6 * size, 0.0, 0.0], "tangent": (direction(rng) + 2 * np.eye(3)[0]).tolist()}
    }
    c["start"], c["end"] = {"on": "chassis", "frame": "socket"}, {"on": "carrier", "frame": "banjo"}
    if chance(rng, 0.4):  # right on the surface: what is near the mount does not count
        c["start"] = {"on": "chassis", "position": [0.9 * size, 0.0, 0.0], "tangent": [1, 0, 0], "roll": 0.0}
    d.parts += [chassis, carrier]
    where = np.array([-1.6 * size - rng.uniform(0.2, 0.6) * reach, 0.0, -rng.uniform(0.0, 0.25) * c["length"]])
    child = part(rng, "bolt", {"shape": {"kind": "capsule", "radius": 0.03, "length": 0.05}}, where)
    child["parent"] = "carrier"
    d.parts.append(child)
    if chance(rng, 0.3):
        c["ignore"] = ["bolt"]
    if chance(rng, 0.5):
        d.parts.append({"name": "bracket", "parent": "chassis", "position": [size + 0.5 * reach, 0.1 * reach, 0.0]})
        c["clips"] = [{"at": 0.5, "kind": str(rng.choice(["ball", "ring"])), "on": "bracket", "position": [0, 0, 0]}]
    d.cables.append(c)


def harness(rng: Rng, d: Drawn) -> None:
    """A trunk and two branches, joined freely or held, above something."""
    trunk, left, right = (cable(rng, name, length=float(rng.uniform(0.2, 0.5))) for name in ("trunk", "left", "right"))
    trunk["start"] = clamp(np.zeros(3), np.array([1.0, 0.0, 0.0]))
    at = np.array([rng.uniform(0.6, 0.9) * trunk["length"], 0.0, -0.1 * trunk["length"]])
    for branch, side in ((left, 1.0), (right, -1.0)):
        way = np.array([1.0, side * rng.uniform(0.5, 1.5), 0.2 * rng.normal()])
        way /= np.linalg.norm(way)
        branch["end"] = held(rng, at + rng.uniform(0.5, 0.9) * branch["length"] * way, way)
        if chance(rng, 0.2) and side < 0.0:
            del branch["end"]
    junction: Data = {
        "name": "Y",
        "members": [
            {"cable": "trunk", "at": "end"},
            {"cable": "left", "at": "start", "tangent": [1, 1, 0]},
            {"cable": "right", "at": "start", "tangent": [1, -1, 0]},
        ],
    }
    if chance(rng, 0.3):
        junction |= {"motion": "held", "position": at.tolist()}
    elif chance(rng, 0.5):
        junction["mass"] = float(rng.uniform(0.005, 0.05))
    d.cables += [trunk, left, right]
    d.junctions.append(junction)
    for k in range(rng.integers(1, 3)):
        size = float(rng.uniform(0.02, 0.06))
        where = rng.uniform(0.3, 1.2) * at + np.array([0.0, 0.1 * rng.normal(), -rng.uniform(0.03, 0.2)])
        d.parts.append(part(rng, f"thing {k}", compact(rng, d, size), where))
    if chance(rng, 0.4):
        d.parts.append(part(rng, "floor", {"shape": {"kind": "plane"}}, np.array([0, 0, -0.15]), turned=False))


def connector(rng: Rng, d: Drawn) -> None:
    """A free part on one or two cables, with something below that it or its cables may touch."""
    count = int(rng.integers(1, 3))
    size = 0.02
    plug: Data = {
        "name": "plug", "motion": "free", "mass": float(rng.uniform(0.01, 0.2)), "position": [0.0, 0.0, -0.15],
        "shape": {"kind": "box", "size": [2 * size, size, size]},
        "frames": {
            "left": {"position": [-size, 0, 0], "tangent": [1, 0, 0], "roll": 0.0},
            "right": {"position": [size, 0, 0], "tangent": [1, 0, 0], "roll": 0.0},
        },
    }  # fmt: skip
    if chance(rng, 0.3):
        del plug["shape"]
    for k, (side, frame) in enumerate(((-1.0, "left"), (1.0, "right"))[:count]):
        c = cable(rng, f"cable {k}", length=float(rng.uniform(0.25, 0.5)))
        away = rng.uniform(0.3, 0.8) * c["length"]
        hold = clamp(np.array([side * away, 0.0, 0.0]), np.array([1.0, 0.0, -0.5 * side * -1.0]))
        on = {"on": "plug", "frame": frame}
        c["start"], c["end"] = (hold, on) if side < 0.0 else (on, hold)
        d.cables.append(c)
    d.parts.append(plug)
    d.parts.append(
        part(rng, "floor", {"shape": {"kind": "plane"}}, np.array([0, 0, -rng.uniform(0.55, 0.7)]), turned=False)
    )
    if chance(rng, 0.5):
        thing = compact(rng, d, 0.04)
        d.parts.append(part(rng, "thing", thing, np.array([rng.uniform(-0.2, 0.2), 0.0, -rng.uniform(0.1, 0.3)])))


def sheet(rng: Rng, d: Drawn) -> None:
    """A wide sheet, standing or lying, with a hole; cables on one side of it, or led through the hole."""
    c = cable(rng, "cable 0")
    L = c["length"]
    hole = float(rng.uniform(6.0, 15.0)) * c["radius"]
    p = part(rng, "sheet", mesh(d, holed(4.0, hole), "stl"), np.zeros(3), turned=False)
    if chance(rng, 0.5):
        p["tangent"] = (np.array([1.0, 0.0, 0.0]) + 0.2 * direction(rng)).tolist()  # standing
    d.parts.append(p)
    normal = np.array(p.get("tangent", [0.0, 0.0, 1.0]))
    normal /= np.linalg.norm(normal)
    along = np.cross(normal, direction(rng))
    along /= np.linalg.norm(along)
    if chance(rng, 0.4):  # through the hole
        a, b = -0.4 * L * normal, 0.4 * L * normal + 0.1 * L * along
        c["start"], c["end"] = clamp(a, normal), held(rng, b, normal)
        c["initial"] = {"points": [a.tolist(), [0.0, 0.0, 0.0], b.tolist()]}
    else:
        away = rng.uniform(0.05, 0.2) * L * normal
        offset = rng.uniform(0.0, 0.5) * along
        between(rng, c, offset + away, along, rng.uniform(0.4, 0.95))
    d.cables.append(c)
    if chance(rng, 0.4):
        size = 0.05 * L
        d.parts.append(part(rng, "thing", compact(rng, d, size), 0.2 * L * normal + 0.5 * L * along))


def crossing(rng: Rng, d: Drawn) -> None:
    """Two to four cables across each other, one below the other, on a bar."""
    count = int(rng.integers(2, 5))
    for k in range(count):
        c = cable(rng, f"cable {k}", length=float(rng.uniform(0.3, 0.6)))
        angle = math.pi * k / count + rng.uniform(-0.2, 0.2)
        way = np.array([math.cos(angle), math.sin(angle), 0.0])
        slack = float(rng.uniform(0.7, 0.98))
        between(rng, c, -0.5 * slack * c["length"] * way + rng.uniform(-0.05, 0.05) * k * UP, way, slack)
        d.cables.append(c)
    at = np.array([0.0, 0.0, -rng.uniform(0.02, 0.2)])
    size = float(rng.uniform(0.02, 0.05))
    d.parts.append(part(rng, "thing", compact(rng, d, size), at))


def held_inside(rng: Rng, d: Drawn) -> None:
    """Something the cable is clamped in, ends in, or begins in: with luck it finds out, else it says so."""
    c = cable(rng, "cable 0")
    way = level(rng)
    between(rng, c, np.zeros(3), way, rng.uniform(0.5, 0.9))
    size = float(rng.uniform(0.03, 0.1))
    a, b = np.array(c["start"]["position"]), np.array(c["end"]["position"])
    where = [a, b, 0.5 * (a + b), b + 0.7 * size * direction(rng)][rng.integers(4)]
    d.parts.append(part(rng, "thing", compact(rng, d, size), where + 0.3 * size * direction(rng)))
    d.cables.append(c)
    if chance(rng, 0.3):
        c["ignore"] = ["thing"]
    if chance(rng, 0.5):
        d.parts.append(part(rng, "floor", {"shape": {"kind": "plane"}}, np.array([0, 0, -0.05]), turned=False))


def decorate(rng: Rng, d: Drawn) -> None:
    """What any cable may have."""
    for c in d.cables:
        both = all("tangent" in c.get(end, {}) and c[end].get("kind") != "swivel" for end in ("start", "end"))
        if both and "clips" not in c and chance(rng, 0.25):
            c["twist"] = float(rng.uniform(-4.0, 4.0))
        if chance(rng, 0.2):
            c["rest"] = {"curvature": (rng.uniform(0.2, 2.0) / c["length"] * direction(rng)).tolist()}
        if chance(rng, 0.2):
            weight = c["mass_per_length"] * GRAVITY * c["length"]
            c["loads"] = [{"at": float(rng.uniform(0.3, 0.9)), "force": (weight * direction(rng)).tolist()}]
        if len(d.cables) > 1 and chance(rng, 0.1):
            c["collide"] = False


# ---- moves ---------------------------------------------------------------------------------------------------------


def draw_move(rng: Rng, d: Drawn) -> Move:
    """Of an end, a part or a held junction: small (half of them), far, or out of reach."""
    ends = [(f"{c['name']}/{e}", c[e]) for c in d.cables for e in ("start", "end") if "position" in c.get(e, {})]
    ends = [k for k in ends if "on" not in k[1]]
    things = [p for p in d.parts if p.get("motion") != "free" and "parent" not in p]
    held_ones = [j for j in d.junctions if j.get("motion") == "held"]
    scale = float(np.mean([c["length"] for c in d.cables]))
    size = scale * float(rng.choice([0.01, 0.05, 0.05, 0.2, 0.5, 1.5], p=[0.2, 0.2, 0.2, 0.2, 0.15, 0.05]))
    choice = rng.random()
    if held_ones and choice < 0.3:
        j = held_ones[0]
        return Move(j["name"], (np.array(j["position"]) + min(size, 0.1 * scale) * direction(rng)).tolist())
    if ends and (choice < 0.6 or not things):
        path, end = ends[rng.integers(len(ends))]
        target = np.array(end["position"]) + size * direction(rng)
        if chance(rng, 0.1):  # into something
            target = np.array(d.parts[0]["position"]) - 0.01 * UP
        elif chance(rng, 0.2):  # to the other side of something
            target = 2.0 * np.array(d.parts[0]["position"]) - target
        return Move(path, target.tolist())
    p = things[rng.integers(len(things))]
    target = np.array(p["position"]) + size * direction(rng)
    if not chance(rng, 0.3):
        return Move(p["name"], target.tolist())
    q = np.array([1.0, 0.0, 0.0, 0.0]) + 0.3 * rng.normal(size=4)
    return Move(p["name"], target.tolist(), (q / np.linalg.norm(q)).tolist())
