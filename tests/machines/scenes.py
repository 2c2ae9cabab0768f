"""Machines of the references, as scenes: wheels about the y axis, everything in the x-z plane."""

from typing import Any

from lissom.scene import Scene

AXLE = [0.0, -1.0, 0.0]  # seen from −y, x to the right and z up: "left" turns anticlockwise there


def wheel(name: str, x: float, z: float, radius: float, **said: Any) -> dict[str, Any]:
    shape = {"kind": "cylinder", "radius": radius, "length": 0.02}
    return {"name": name, "shape": shape, "position": [x, 0.0, z], "tangent": AXLE, "collide": False, **said}


def weight(name: str, x: float, z: float, mass: float) -> dict[str, Any]:
    return {"name": name, "motion": "free", "mass": mass, "position": [x, 0.0, z]}


def axle(part: str, x: float = 0.0, z: float = 0.0, **said: Any) -> dict[str, Any]:
    return {"name": f"{part} axle", "part": part, "kind": "hinge", "axis": AXLE, "origin": [x, 0.0, z], **said}


def held(on: str, x: float = 0.0, z: float = 0.0, **said: Any) -> dict[str, Any]:
    return {"on": on, "kind": "attachment", "position": [x, 0.0, z], **said}


def over(on: str, side: str, **said: Any) -> dict[str, Any]:
    return {"on": on, "kind": "rolling", "side": side, **said}


def scene(parts: list[Any], joints: list[Any], ropes: list[Any], **said: Any) -> Scene:
    return Scene.from_dict({"format": 1, "parts": parts, "joints": joints, "ropes": ropes, **said})


def atwood(p: dict[str, Any], friction: float | None = None) -> Scene:
    """Two weights over a wheel that turns; with `friction` over one that stands."""
    r = p["R"]
    turning = {"motion": "free", "mass": p["M"], "inertia": [p["I"]] * 3} if friction is None else {}
    slip = {} if friction is None else {"friction": friction}
    parts = [wheel("wheel", 0.0, 0.0, r, **turning), weight("one", -r, -1.0, p["m1"]), weight("two", r, -1.0, p["m2"])]
    rope = {"name": "rope", "path": [held("one"), over("wheel", "right", **slip), held("two")]}
    return scene(parts, [axle("wheel")] if friction is None else [], [rope])


def wheel_and_axle(p: dict[str, Any], m: float) -> Scene:
    """Two drums on one axle: a load on the small one, a weight on the large one."""
    r, big = p["r"], p["r"] * p["ratio"]
    parts = [
        wheel("axle", 0.0, 0.0, r, motion="free", mass=1.0, inertia=[p["I"]] * 3),
        {**wheel("rim", 0.0, 0.0, big), "parent": "axle", "tangent": [0, 0, 1]},
        weight("weight", -big, -1.0, m),
        weight("load", r, -1.0, p["M_load"]),
    ]
    ropes = [
        {"name": "pull", "path": [{**over("rim", "left"), "kind": "spool", "stored": 3.0}, held("weight")]},
        {"name": "lift", "path": [{**over("axle", "right"), "kind": "spool", "stored": 3.0}, held("load")]},
    ]
    return scene(parts, [axle("axle")], ropes)


def belt(p: dict[str, Any]) -> Scene:
    """A closed rope around two wheels on fixed axles, one of them driven."""
    parts = [
        wheel("one", 0.0, 0.0, p["R1"], motion="free", mass=1.0, inertia=[p["I1"]] * 3),
        wheel("two", 0.6, 0.0, p["R2"], motion="free", mass=1.0, inertia=[p["I2"]] * 3),
    ]
    joints = [axle("one", motor={"torque": p["torque_on_wheel1"]}), axle("two", x=0.6)]
    rope = {"name": "belt", "closed": True, "path": [over("one", "left"), over("two", "left")]}
    return scene(parts, joints, [rope])


def block_and_tackle(n: int, M: float, m: float, I: float, R: float, massless: bool = False) -> Scene:
    """n vertical parts between two blocks, sheaves beside each other so that all parts are vertical, n even."""
    pairs = n // 2
    parts: list[Any] = [{"name": "block", "motion": "free", "mass": M - 0.01 * pairs, "position": [0.0, 0.0, -1.0]}]
    joints: list[Any] = []
    path: list[Any] = []
    slip = {"friction": 0.0} if massless else {}
    for k in range(pairs):
        x = (4 * k - 2 * (pairs - 1)) * R
        low, high = f"low {k}", f"high {k}"
        own = {"motion": "free", "mass": 0.01, "inertia": [I] * 3} if not massless else {"mass": 0.01}
        parts.append({**wheel(low, x, 0.0, R, **own), "parent": "block"})
        fixed = {} if massless else {"motion": "free", "mass": 0.01, "inertia": [I] * 3}
        parts.append(wheel(high, x + 2 * R, 0.0, R, **fixed))
        if not massless:
            joints += [axle(low, x=x), axle(high, x=x + 2 * R)]
        path += [over(low, "left", **slip), over(high, "right", **slip)]
    first = -2 * (pairs - 1) * R - R
    parts += [{"name": "beam"}, weight("free", first + 4 * pairs * R, -1.5, m)]
    rope = {"name": "fall", "path": [held("beam", first, 0.0), *path, held("free")]}
    joints.append({"name": "guide", "part": "block", "kind": "slide", "axis": [0, 0, 1], "origin": [0, 0, -1]})
    return scene(parts, joints, [rope])


def double_atwood(p: dict[str, Any]) -> Scene:
    """Massless wheels: ropes slip over them."""
    r = 0.1
    parts = [
        wheel("top", 0.0, 0.0, r),
        weight("one", -r, -1.0, p["m1"]),
        wheel("pulley", r, -1.0, r, motion="free", mass=p["m_pulley"]),
        weight("two", 0.0, -2.0, p["m2"]),
        weight("three", 2 * r, -2.0, p["m3"]),
    ]
    ropes = [
        {"name": "upper", "path": [held("one"), over("top", "right", friction=0.0), held("pulley")]},
        {"name": "lower", "path": [held("two"), over("pulley", "right", friction=0.0), held("three")]},
    ]
    guide = {"name": "guide", "part": "pulley", "kind": "slide", "axis": [0, 0, 1], "origin": [r, 0, -1.0]}
    return scene(parts, [guide], ropes)


def windlass(p: dict[str, Any]) -> Scene:
    """Two drums on one axle, a load in the bight between them; a motor holds."""
    small, large = p["R1"], p["R2"]
    middle, r = 0.5 * (large - small), 0.5 * (large + small)
    parts = [
        wheel("drum", 0.0, 0.0, large, motion="free", mass=5.0),
        {**wheel("thin", 0.0, 0.0, small), "parent": "drum", "tangent": [0, 0, 1]},
        wheel("pulley", middle, -1.0, r, motion="free", mass=p["M"]),
    ]
    path = [
        {**over("thin", "left"), "kind": "spool", "stored": 1.0},
        over("pulley", "left", friction=0.0),
        {**over("drum", "left"), "kind": "spool", "stored": 1.0},
    ]
    joints = [axle("drum", motor={"speed": 0.0})]
    return scene(parts, joints, [{"name": "rope", "path": path}])


def elastic_over_pulley(p: dict[str, Any], m2: float, locked: bool) -> Scene:
    """An elastic rope over a wheel that is smooth, or that holds it."""
    r = 0.1
    parts = [wheel("wheel", 0.0, 0.0, r), weight("one", -r, -p["La"], p["m1"]), weight("two", r, -p["Lb"], m2)]
    slip = {} if locked else {"friction": 0.0}
    rope = {
        "name": "rope",
        "stiffness": {"axial": p["EA"]},
        "path": [held("one"), over("wheel", "right", **slip), held("two")],
    }
    return scene(parts, [], [rope])


def simple(density: float) -> Scene:
    """MCJM18 fig. 12: two bodies of 1 m³ on the left, one of 2 m³ on the right of two cylinders, g = 10 m/s²."""
    wheels = [
        {**wheel(f"wheel {k}", x, 0.0, 0.5, motion="free", density=density),
         "shape": {"kind": "cylinder", "radius": 0.5, "length": 1.0}}
        for k, x in enumerate((-2.0, 2.0))
    ]  # fmt: skip
    boxes = [
        {"name": f"box {k}", "shape": {"kind": "box", "size": size}, "position": [x, 0.0, z], "motion": "free",
         "density": density, "collide": False}
        for k, (size, x, z) in enumerate([([1, 1, 1], -2.5, -6.0), ([1, 1, 1], -2.5, -3.0), ([1, 1, 2], 2.5, -4.0)])
    ]  # fmt: skip
    path = [
        held("box 0", z=0.5),
        held("box 1"),
        over("wheel 0", "right"),
        over("wheel 1", "right"),
        held("box 2", z=1.0),
    ]
    joints = [axle("wheel 0", x=-2.0), axle("wheel 1", x=2.0)]
    return scene([*wheels, *boxes], joints, [{"name": "rope", "path": path}], gravity=[0, 0, -10])


def standing_wheels(n: int) -> Scene:
    """A weight on a smooth rope that winds above and below n wheels that stand; its other end is held."""
    parts: list[Any] = [wheel(f"wheel {k}", 0.5 * k, 0.0, 0.2) for k in range(n)]
    parts += [weight("weight", -0.2, -2.0, 2.0), {"name": "post", "position": [0.5 * n - 0.25, 0.0, 0.0]}]
    sides = ["right" if k % 2 == 0 else "left" for k in range(n)]
    path = [held("weight"), *(over(f"wheel {k}", side, friction=0.0) for k, side in enumerate(sides)), held("post")]
    return scene(parts, [], [{"name": "rope", "path": path}])
