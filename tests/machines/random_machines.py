"""Random machines: wheels on axles in a row, smooth or turning, tilted or not, with weights, blocks, elastic ropes."""

from typing import Any

import numpy as np

from lissom.scene import Scene
from tests.machines.scenes import held, over, scene, weight, wheel


def random_machine(seed: int) -> Scene:
    """A rope from one weight over some wheels to another, with blocks on vertical guides with stops in bights between
    them. The ground and the stops keep weights from being hauled into a wheel.
    """
    random = np.random.default_rng(seed)
    count = int(random.integers(1, 6))
    spread = float(random.uniform(0.0, 0.05)) if random.random() < 0.5 else 0.0
    parts: list[Any] = [{"name": "ground", "shape": {"kind": "plane"}, "position": [0, 0, -3.0], "friction": 0.3}]
    joints: list[Any] = []
    path: list[Any] = []
    for k in range(count):
        x, r = 1.2 * k, float(random.uniform(0.1, 0.4))
        axis = np.array([0.0, -1.0, 0.0]) + spread * random.normal(size=3)
        smooth = random.random() < 0.3
        turning = {} if smooth else {"motion": "free", "mass": float(random.uniform(0.05, 5.0))}
        z = float(random.uniform(-0.2, 0.2))
        parts.append({**wheel(f"wheel {k}", x, z, r, **turning), "tangent": axis.tolist()})
        if not smooth:
            joints.append(
                {"name": f"axle {k}", "part": f"wheel {k}", "kind": "hinge", "axis": axis.tolist(), "origin": [x, 0, z],
                 "friction": float(random.choice([0.0, 0.2]))}
            )  # fmt: skip
        slip = {"friction": float(random.choice([0.0, 0.2]))} if smooth else {}
        path.append(over(f"wheel {k}", "right", **slip))
        if k + 1 < count and random.random() < 0.5:
            hangs = f"block {k}"
            parts.append({**wheel(hangs, x + 0.6, -1.5, 0.15, motion="free", mass=float(random.uniform(0.5, 4.0)))})
            guide = {"name": f"guide {k}", "part": hangs, "kind": "slide", "axis": [0, 0, 1], "range": [-0.4, 0.5]}
            joints.append({**guide, "origin": [x + 0.6, 0, -1.5]})
            path.append(over(hangs, "left", friction=0.0))
    for name, x, end in (("first", -0.5, 0), ("last", 1.2 * count - 0.7, len(path) + 1)):
        z, y = float(random.uniform(-2.6, -2.0)), float(random.uniform(-0.1, 0.1))
        heavy = {**weight(name, x, z, float(random.uniform(0.5, 4.0))), "shape": {"kind": "sphere", "radius": 0.05}}
        parts.append({**heavy, "position": [x, y, z]})
        path.insert(end, held(name))
    rope: dict[str, Any] = {"name": "rope", "path": path}
    if random.random() < 0.4:
        rope["stiffness"] = {"axial": float(10 ** random.uniform(3.0, 6.0))}
    return scene(parts, joints, [rope])
