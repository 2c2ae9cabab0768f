"""Random harnesses, trees and loops of cables, and connectors that hang on two cables."""

import numpy as np

from tests.truth.cabling import Data, Draft, add_loads, add_stretch, chance, make, tilted
from tests.truth.curves import Curve, direction
from tests.truth.turning import Array, framed, unit

MOST = 12
APART = 0.5  # cosine, at most, between members of a junction: nearer ones overlap far from it


def harness(draft: Draft) -> None:
    """A tree of three to twelve cables; with a loop now and then."""
    rng = draft.rng
    wanted = int(rng.integers(3, MOST + 1))
    size = float(rng.uniform(0.2, 0.4))
    radius = 0.008 * size
    joints: list[tuple[Array, list[Data], list[Array]]] = [(np.zeros(3), [], [])]
    edges: list[tuple[int, int | None, Array]] = []
    while len(edges) < wanted:
        k = next((i for i, j in enumerate(joints) if len(j[2]) < 3), int(rng.integers(len(joints))))
        way = spread(rng, joints[k][2])
        if way is None:
            break
        far = joints[k][0] + size * float(rng.uniform(0.7, 1.2)) * way
        joints[k][2].append(way)
        other = None
        if wanted - len(edges) > 3 and len(joints) < 4 and chance(rng, 0.5):
            other = len(joints)
            joints.append((far, [], [-way]))
        edges.append((k, other, far))
    for k, other, far in edges:
        add_branch(draft, joints, k, other, far, radius)
    if len(joints) > 1 and chance(rng, 0.8):
        pair = next(((i, j) for i, j, _ in edges if j is not None), None)
        if pair is not None:
            add_branch(draft, joints, pair[0], pair[1], joints[pair[1]][0], radius, bulge=True)
            draft.features.add("loop")
    add_junctions(draft, joints)
    draft.features.add("harness")


def spread(rng: np.random.Generator, ways: list[Array]) -> Array | None:
    """A direction apart from the others."""
    for _ in range(50):
        way = direction(rng)
        if all(way @ k < APART for k in ways):
            return way
    return None


def bulging(rng: np.random.Generator, way: Array, others: list[Array], beyond: list[Array]) -> tuple[Array, Array]:
    """How a second branch leaves one junction and arrives at the next: apart from the `others` there, and `beyond`."""
    found: list[tuple[float, Array, Array]] = []
    for _ in range(50):
        side = unit(np.cross(way, direction(rng)))
        leave, arrive = unit(way + 1.2 * side), unit(way - 1.2 * side)
        nearest = max([leave @ k for k in others] + [-arrive @ k for k in beyond])
        found.append((float(nearest), leave, arrive))
    return min(found, key=lambda k: k[0])[1:]


def add_branch(
    draft: Draft,
    joints: list[tuple[Array, list[Data], list[Array]]],
    near: int,
    far: int | None,
    goal: Array,
    radius: float,
    bulge: bool = False,
) -> None:
    """A cable from one junction to another, or to an end that is held."""
    rng = draft.rng
    begin = joints[near][0]
    distance = float(np.linalg.norm(goal - begin))
    way = unit(goal - begin)
    leave = arrive = way
    if bulge:
        leave, arrive = bulging(rng, way, joints[near][2], joints[far or 0][2])
    length = distance * float(rng.uniform(1.3, 1.5) if bulge else rng.uniform(1.04, 1.25))
    data: Data = {
        "name": f"c{len(draft.data['cables'])}",
        "length": length,
        "points": int(rng.choice([17, 25, 33])),
        **make(draft, length, rich=0.3, radius=radius, stiff=True),
    }
    joints[near][1].append({"cable": data["name"], "at": "start", "tangent": tilted(rng, leave)})
    if far is not None:
        joints[far][1].append({"cable": data["name"], "at": "end", "tangent": tilted(rng, arrive)})
    else:
        data["end"] = {"position": goal.tolist()}
        if chance(rng, 0.6):
            data["end"] |= {"tangent": tilted(rng, way), "roll": float(rng.uniform(-0.5, 0.5))}
            draft.features.add("end clamp")
        draft.kept.append(goal)
    decorate(draft, data, begin, goal)


def decorate(draft: Draft, data: Data, begin: Array, goal: Array) -> None:
    """Loads, a clip, a rest shape on some; and a straight line in place of its curve."""
    rng = draft.rng
    rich = 0.2 if len(draft.data["cables"]) < 2 else 0.07
    if chance(rng, rich):
        add_loads(draft, data, rope=False)
    if chance(rng, 1.5 * rich):
        at = float(rng.uniform(0.3, 0.7))
        kind = str(rng.choice(["ball", "ring", "swivel", "sleeve", "clamp"]))
        place = begin + at * (goal - begin)
        clip: Data = {"at": at, "kind": kind, "position": place.tolist()}
        if kind in ("swivel", "sleeve", "clamp"):
            clip["tangent"] = tilted(rng, unit(goal - begin))
        if kind == "clamp":
            clip["roll"] = float(rng.uniform(-0.5, 0.5))
        data["clips"] = [clip]
        draft.kept.append(place)
        draft.features.add(kind)
    if chance(rng, rich):
        data["rest"] = {"curvature": (0.8 / data["length"] * direction(rng)).tolist()}
        draft.features.add("rest")
    elif chance(rng, rich):
        u = np.linspace(0.0, np.pi, data["points"])[:, None]
        data["rest"] = {"curvature": (np.cos(u) / data["length"] * direction(rng)).tolist()}
        draft.features.add("rest varies")
    elif chance(rng, rich):
        data["rest"] = {"points": arc(data["length"], float(rng.uniform(0.3, 1.2)))}
        draft.features.add("moulded")
    if chance(rng, rich):
        add_stretch(draft, data)
    if "end" in data and "tangent" in data["end"] and chance(rng, 0.08):
        data["end"]["free"] = [str(rng.choice(["x", "y", "z"]))]
        draft.features.add("free axis")
    if chance(rng, 0.06):
        data["collide"] = False
        draft.features.add("collide off")
    line = begin + np.linspace(0.0, 1.0, 101)[:, None] * (goal - begin)
    frame = framed(goal - begin)
    draft.data["cables"].append(data)
    draft.curves.append(Curve(line, np.repeat(frame[None], 101, axis=0)))


def arc(length: float, turn: float) -> list[list[float]]:
    """Points of a moulded arc."""
    angle = turn * np.linspace(0.0, 1.0, 25)
    points = length / turn * np.stack([np.sin(angle), 1.0 - np.cos(angle), np.zeros(25)], axis=1)
    return [[float(k) for k in p] for p in points]


def add_junctions(draft: Draft, joints: list[tuple[Array, list[Data], list[Array]]]) -> None:
    rng = draft.rng
    for k, (position, members, _) in enumerate(joints):
        if len(members) < 2:
            continue
        junction: Data = {"name": f"y{k}", "position": position.tolist(), "members": members}
        draft.kept.append(position)
        if chance(rng, 0.25):
            junction["motion"] = "held"
            draft.features.add("held junction")
        elif chance(rng, 0.4):
            junction["mass"] = float(rng.uniform(0.005, 0.05))
        draft.data["junctions"].append(junction)


def plug(draft: Draft) -> None:
    """A free part with mass on two cables."""
    rng = draft.rng
    size = float(rng.uniform(0.3, 0.6))
    half = 0.04 * size
    part: Data = {
        "name": "plug",
        "motion": "free",
        "position": [0.0, 0.0, 0.0],
        "mass": float(rng.uniform(0.02, 0.3)),
        "frames": {},
    }
    if chance(rng, 0.6):
        part["shape"] = {"kind": "box", "size": [2.0 * half, half, half]}
    if chance(rng, 0.3):
        part["center_of_mass"] = (0.3 * half * direction(rng)).tolist()
    for k, way in enumerate(([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0])):
        away = unit(unit(way) + 0.6 * direction(rng) + [0.0, 0.0, 0.5])
        start = size * float(rng.uniform(0.7, 1.0)) * away
        seat = half * np.array(way)
        length = float(np.linalg.norm(start - seat)) * float(rng.uniform(1.05, 1.3))
        data: Data = {
            "name": f"c{k}",
            "length": length,
            "points": int(rng.choice([25, 33, 49])),
            **make(draft, length, rich=0.4, radius=0.008 * size, stiff=True),
            "start": {"position": start.tolist(), "tangent": tilted(rng, -away), "roll": float(rng.uniform(-1.0, 1.0))},
            "end": {"on": "plug", "frame": f"f{k}"},
        }
        frame: Data = {"position": seat.tolist()}
        if chance(rng, 0.75):
            frame |= {"tangent": tilted(rng, -np.array(way)), "roll": 0.0}
        part["frames"][f"f{k}"] = frame
        draft.kept.append(start)
        decorate(draft, data, start, seat)
    draft.kept.append(np.zeros(3))
    draft.data["parts"].append(part)
    draft.features |= {"plug", "cables"}
