"""Random machines: wheels in a row, smooth, rough or turning, tilted or not, with eyes, pegs, blocks and drums; and
ropes into which bodies fall and swing that their paths do not name.
"""

from typing import Any

import numpy as np

from lissom.machines.machine import Machine
from lissom.scene import Scene
from tests.machines.scenes import held, over, scene, weight, wheel

Random = np.random.Generator


def random_machine(seed: int) -> Machine:
    """A rope from one end over what stands in a row to another, with blocks in bights and pegs beside it.

    Nothing drives it, but what hangs on it may swing.
    """
    random = np.random.default_rng(seed)
    machine = Machine(random_scene(random))
    for name in machine.moving:
        if random.random() < 0.3 and "wheel" not in name and "drum" not in name and not guided(machine.scene, name):
            machine.set_velocity(name, linear=random.normal(size=3) * [1.0, 0.5, 0.3])
    return machine


SHAPES: list[dict[str, Any]] = [
    {"kind": "cylinder", "radius": 0.06, "length": 0.5},
    {"kind": "sphere", "radius": 0.08},
    {"kind": "capsule", "radius": 0.05, "length": 0.3},
    {"kind": "box", "size": [0.15, 0.12, 0.5]},
]


def random_meeting(seed: int) -> Machine:
    """A rope from a hook over a wheel to a weight, above a ground with crates; bodies that stand, swing on a hinge or
    fall meet it from above.
    """
    random = np.random.default_rng(seed)
    parts: list[Any] = [
        {"name": "hook"},
        {"name": "ground", "shape": {"kind": "plane"}, "position": [0, 0, -3.0], "friction": 0.4},
    ]
    joints: list[Any] = []
    path = [held("hook"), _wheel(random, 0, 2.0, float(random.uniform(-0.3, 0.3)), 0.0, parts, joints)]
    path.append(_end(random, "last", 2.4, parts, joints))
    parts[2]["collide"] = True  # the wheel
    rope: dict[str, Any] = {"name": "rope", "path": path, "diameter": 0.01, "meets": []}
    if random.random() < 0.4:
        path[0]["slack"] = float(random.uniform(0.1, 0.8))
    else:  # no force is large enough to bend a straight rope that nothing stretches
        rope["stiffness"] = {"axial": float(10 ** random.uniform(4.0, 6.0))}
    for k in range(int(random.integers(1, 4))):
        shape = SHAPES[random.integers(len(SHAPES))]
        name, x, z = f"part {k}", 0.5 * (k + 1), float(random.uniform(0.6, 1.2))
        part = {"name": name, "shape": shape, "position": [x, 0, z], "tangent": [0, -1, 0], "friction": _rough(random)}
        kind = random.random()
        if kind < 0.4:  # swings down through the rope
            joints.append(
                {"name": f"pin {k}", "part": name, "kind": "hinge", "axis": [0, -1, 0],
                 "origin": [x + float(random.choice([-1.0, 1.0]) * random.uniform(0.4, 1.2)), 0, z - 0.2]}
            )  # fmt: skip
        if kind < 0.8:
            part |= {"motion": "free", "mass": float(random.uniform(0.3, 3.0))}
        else:  # stands, and the slack of the rope may hang over it
            part["position"] = [x, 0, float(random.uniform(-1.0, -0.4))]
        parts.append(part)
        rope["meets"].append(name)
    for k in range(int(random.integers(0, 4))):  # crates, a stack of them
        size = {"kind": "box", "size": [0.3, 0.3, 0.2]}
        parts.append({"name": f"crate {k}", "shape": size, "position": [1.0, 0, 0.2 * k - 2.9], "motion": "free",
                      "density": 200.0})  # fmt: skip
    return Machine(scene(parts, joints, [rope]))


def _rough(random: Random) -> float:
    return float(random.choice([0.0, 0.2, 0.5]))


def guided(said: Scene, name: str) -> bool:
    return any(joint.part == name for joint in said.joints)


def random_scene(random: Random) -> Scene:
    count = int(random.integers(1, 6))
    spread = float(random.uniform(0.0, 0.2)) if random.random() < 0.5 else 0.0
    parts: list[Any] = [{"name": "frame"}]
    joints: list[Any] = []
    path: list[Any] = []
    if random.random() < 0.7:
        parts.append({"name": "ground", "shape": {"kind": "plane"}, "position": [0, 0, -3.0], "friction": 0.3})
    for k in range(count):
        x, z = 1.2 * k, float(random.uniform(-0.2, 0.2))
        if random.random() < 0.2:
            path.append({"on": "frame", "kind": "pinhole", "position": [x, 0.0, z]})
        else:
            path.append(_wheel(random, k, x, z, spread, parts, joints))
        if k + 1 < count and random.random() < 0.5:
            path.append(_block(random, k, x + 0.6, parts, joints))
        elif k + 1 < count and random.random() < 0.3:
            peg = wheel(f"peg {k}", x + 0.6, float(random.uniform(-0.2, 0.8)), 0.05)
            parts.append(peg)
            path.append(over(f"peg {k}", "left", active=False, **_slip(random)))
    path.insert(0, _end(random, "first", -0.5, parts, joints))
    path.append(_end(random, "last", 1.2 * count - 0.7, parts, joints))
    rope: dict[str, Any] = {"name": "rope", "path": path}
    kind = random.random()
    if kind < 0.4:
        rope["stiffness"] = {"axial": float(10 ** random.uniform(2.5, 6.0))}
    elif kind < 0.5:
        rope["compliance"] = float(10 ** random.uniform(-6.0, -2.5))
    return scene(parts, joints, [rope])


def _slip(random: Random) -> dict[str, Any]:
    return {"friction": float(random.choice([0.0, 0.2]))} if random.random() < 0.7 else {}


def _wheel(random: Random, k: int, x: float, z: float, spread: float, parts: list[Any], joints: list[Any]) -> Any:
    axis = (np.array([0.0, -1.0, 0.0]) + spread * random.normal(size=3)).tolist()
    turning = random.random() < 0.7
    heavy = {"motion": "free", "mass": float(10 ** random.uniform(-2.0, 0.7))} if turning else {}
    parts.append({**wheel(f"wheel {k}", x, z, float(random.uniform(0.1, 0.4)), **heavy), "tangent": axis})
    if turning:
        joints.append(
            {"name": f"axle {k}", "part": f"wheel {k}", "kind": "hinge", "axis": axis, "origin": [x, 0, z],
             "friction": float(random.choice([0.0, 0.2]))}
        )  # fmt: skip
    return over(f"wheel {k}", "right", **({} if turning else _slip(random)))


def _block(random: Random, k: int, x: float, parts: list[Any], joints: list[Any]) -> Any:
    name = f"block {k}"
    parts.append(wheel(name, x, -1.5, 0.15, motion="free", mass=float(random.uniform(0.5, 4.0))))
    if random.random() < 0.5:
        guide = {"name": f"guide {k}", "part": name, "kind": "slide", "axis": [0, 0, 1], "origin": [x, 0, -1.5]}
        joints.append({**guide, "range": [-0.4, 0.5]} if random.random() < 0.5 else guide)
    return over(name, "left", **({"friction": 0.0} if random.random() < 0.7 else {}))


def _end(random: Random, name: str, x: float, parts: list[Any], joints: list[Any]) -> Any:
    """A weight, a hook, or a drum with rope on it."""
    z, y = float(random.uniform(-2.6, -1.0)), float(random.uniform(-0.1, 0.1))
    kind = random.random()
    if kind < 0.7:
        heavy = {**weight(name, x, z, float(random.uniform(0.5, 4.0))), "shape": {"kind": "sphere", "radius": 0.05}}
        parts.append({**heavy, "position": [x, y, z]})
        return held(name)
    if kind < 0.85:
        parts.append({"name": name, "position": [x, y, z]})
        return held(name)
    mass = float(random.uniform(0.5, 4.0))
    parts.append(wheel(name, x, z, 0.2, motion="free", mass=mass))
    joints.append(
        {"name": f"{name} drum", "part": name, "kind": "hinge", "axis": [0, -1, 0], "origin": [x, 0, z],
         "friction": float(random.choice([0.0, 2.0]))}
    )  # fmt: skip
    side = "left" if random.random() < 0.5 else "right"
    return {"on": name, "kind": "hybrid", "side": side, "stored": float(random.uniform(0.0, 1.5))}
