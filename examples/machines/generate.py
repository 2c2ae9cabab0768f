"""Writes the machines of this folder that no one writes by hand: `python examples/machines/generate.py`.

hilbert-2.toml, hilbert-3.toml, and both slack: a rope over wheels on a three-dimensional Hilbert curve [MCJM18
fig. 18]. chain.toml: the rope of fig. 12 as 100 rigid segments on ball joints [MCJM18 fig. 14].
"""

import math
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).parent
RADIUS = 0.15  # of the wheels on a Hilbert curve, whose sides are 1 m

Point = tuple[int, int, int]


def hilbert(degree: int) -> list[Point]:
    """The corners of the curve, in order (J. Skilling, Programming the Hilbert curve, 2004)."""
    return [_corner(k, degree) for k in range(8**degree)]


def _corner(number: int, degree: int) -> Point:
    x = [0, 0, 0]
    for i in range(3 * degree):
        if number >> (3 * degree - 1 - i) & 1:
            x[i % 3] |= 1 << (degree - 1 - i // 3)
    x[0], x[1], x[2] = x[0] ^ (x[2] >> 1), x[1] ^ x[0], x[2] ^ x[1]
    q = 2
    while q < 2**degree:
        for i in (2, 1, 0):
            if x[i] & q:
                x[0] ^= q - 1
            else:
                t = (x[0] ^ x[i]) & (q - 1)
                x[0] ^= t
                x[i] ^= t
        q *= 2
    return x[0], x[1], x[2]


def hilbert_scene(degree: int, joints: int, slack: float, title: str) -> str:
    """Wheels where the curve turns, and on as many straight corners as make the number of joints.

    There the rope changes to the other side.
    """
    curve = hilbert(degree)
    ways = [_minus(b, a) for a, b in pairwise(curve)]
    turning = [k for k in range(1, len(curve) - 1) if ways[k - 1] != ways[k]]
    straight = [k for k in range(1, len(curve) - 1) if ways[k - 1] == ways[k]]
    kept = sorted([0, *turning, *straight[: joints - 1 - len(turning)], len(curve) - 1])
    text = [
        f"# {title}: the motor winds up rope at one end, the last wheel lets it go. Written by generate.py.",
        "format = 1",
        f'title = "{title}"',
        "",
    ]
    path = []
    side = "left"
    for k in kept:
        axis = _axis(ways, k)
        if 0 < k < len(curve) - 1:
            side = "left" if ways[k - 1] != ways[k] else _other(side)
        place = ", ".join(str(c) for c in curve[k])
        text += [
            "[[parts]]",
            f'name = "wheel {k}"',
            f'shape = {{ kind = "cylinder", radius = {RADIUS}, length = 0.05 }}',
            f"position = [{place}]",
            f"tangent = {list(axis)}",
            'motion = "free"',
            "mass = 1",
            "collide = false",
            "",
            "[[joints]]",
            f'name = "axle {k}"',
            f'part = "wheel {k}"',
            'kind = "hinge"',
            f"axis = {list(axis)}",
            f"origin = [{place}]",
        ]
        said = f'on = "wheel {k}", side = "{side}"'
        if k == 0:
            text.append("motor = { speed = -2.0, torque = 500 }")
            said += ', kind = "spool", stored = 0.1'
        elif k == len(curve) - 1:
            text.append("friction = 0.1")
            said += ', kind = "spool", stored = 20'
        else:
            text.append("friction = 0.01")
        text.append("")
        path.append(said + (f", slack = {slack:g}" if slack and k != kept[-1] else ""))
    text += ["[[ropes]]", 'name = "rope"', "path = ["]
    text += [f"  {{ {said} }}," for said in path]
    return "\n".join([*text, "]", ""])


def _axis(ways: list[Point], k: int) -> Point:
    """About which the curve turns left at corner k; on a straight piece and at the ends as at the next turn."""
    for j in [*range(max(k, 1), len(ways)), *range(k - 1, 0, -1)]:
        if ways[j - 1] != ways[j] and (ways[min(k, len(ways) - 1)] in (ways[j - 1], ways[j])):
            a, b = ways[j - 1], ways[j]
            return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    raise AssertionError(k)


def _minus(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _other(side: str) -> str:
    return "right" if side == "left" else "left"


def chain_scene(count: int) -> str:
    """Two boxes of 2 kg on a chain over two wheels that turn."""
    thick, radius = 0.03, 0.5
    r = radius + thick
    arc = 0.5 * math.pi * r
    total = 3.0 + arc + 4.0 + arc + 3.0
    step = total / count
    ends = [_along(k * step, r, arc) for k in range(count + 1)]
    text = [
        "# The rope of simple.toml as a chain of rigid segments (MCJM18 fig. 14), the thing to beat. Written by "
        "generate.py.",
        "format = 1",
        'title = "Chain over two wheels"',
        "gravity = [0, 0, -10]",
        "",
    ]
    for k, x in enumerate((-2.0, 2.0)):
        text += [
            "[[parts]]",
            f'name = "wheel {k}"',
            f'shape = {{ kind = "cylinder", radius = {radius}, length = 1.0 }}',
            f"position = [{x}, 0, 0]",
            "tangent = [0, -1, 0]",
            'motion = "free"',
            "density = 1",
            "friction = 0.5",
            'ignore = ["left", "right"]',
            "",
            "[[joints]]",
            f'name = "axle {k}"',
            f'part = "wheel {k}"',
            'kind = "hinge"',
            "axis = [0, -1, 0]",
            f"origin = [{x}, 0, 0]",
            "",
        ]
    box = [
        'shape = { kind = "box", size = [1, 1, 2] }',
        'motion = "free"',
        "density = 1",
        "collide = false",
    ]
    text += ["[[parts]]", 'name = "left"', *box, f"position = [{ends[0][0]}, 0, {ends[0][1] - 1.0}]", ""]
    before, turn, parent = (0.0, 1.0), 0.0, "left"
    names = [f"segment {k}" for k in range(count)]
    for k, name in enumerate(names):
        (x0, z0), (x1, z1) = ends[k], ends[k + 1]
        now = math.atan2(x1 - x0, z1 - z0)  # from z towards x
        half, bend = 0.5 * math.hypot(x1 - x0, z1 - z0), now - turn
        text += [
            "[[parts]]",
            f'name = "{name}"',
            f'shape = {{ kind = "capsule", radius = {thick}, length = {2.0 * half!r} }}',
            f'parent = "{parent}"',
            f"position = [{half * math.sin(bend)!r}, 0, {before[1] + half * math.cos(bend)!r}]",
            f"quaternion = [{math.cos(0.5 * bend)!r}, 0, {math.sin(0.5 * bend)!r}, 0]",
            'motion = "free"',
            "mass = 0.01",
            f"ignore = {_quoted(names[k + 1 :])}",
            "",
            "[[joints]]",
            f'name = "pin {k}"',
            f'part = "{name}"',
            'kind = "ball"',
            f"origin = [0, 0, {before[1]!r}]",
            "",
        ]
        before, turn, parent = (half, half), now, name
    text += ["[[parts]]", 'name = "right"', *box, f'parent = "{parent}"', f"position = [0, 0, {before[1] + 1.0!r}]", ""]
    text += ["[[joints]]", 'name = "last pin"', 'part = "right"', 'kind = "ball"', f"origin = [0, 0, {before[1]!r}]"]
    return "\n".join([*text, ""])


def _along(s: float, r: float, arc: float) -> tuple[float, float]:
    """(x, z) at s along the way: up, over both wheels, down."""
    if s <= 3.0:
        return -2.0 - r, s - 3.0
    if s <= 3.0 + arc:
        angle = (s - 3.0) / r
        return -2.0 - r * math.cos(angle), r * math.sin(angle)
    if s <= 7.0 + arc:
        return s - 5.0 - arc, r
    if s <= 7.0 + 2.0 * arc:
        angle = (s - 7.0 - arc) / r
        return 2.0 + r * math.sin(angle), r * math.cos(angle)
    return 2.0 + r, 7.0 + 2.0 * arc - s


def _quoted(names: list[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def main() -> None:
    made = {
        "hilbert-2": hilbert_scene(2, 62, 0.0, "Hilbert curve of degree 2"),
        "hilbert-2-slack": hilbert_scene(2, 62, 0.05, "Hilbert curve of degree 2, slack"),
        "hilbert-3": hilbert_scene(3, 498, 0.0, "Hilbert curve of degree 3"),
        "hilbert-3-slack": hilbert_scene(3, 498, 0.05, "Hilbert curve of degree 3, slack"),
        "chain": chain_scene(100),
    }
    for name, text in made.items():
        (HERE / f"{name}.toml").write_text(text)


if __name__ == "__main__":
    main()
