"""Reference cases and random cables as layouts of kinematic cables; one as a scene has it."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.jointed import JointedSolver
from lissom.kinematic.building import Hold, Layout, Section
from lissom.kinematic.cable import Cable
from lissom.rods.line import TANGENT, Line, Piece, Support
from lissom.rods.result import CableResult, Sides
from lissom.rods.solver import RodSolver
from lissom.rods.transfer import transferred
from lissom.scene.frames import carried, frame_quaternion, product, twist_between

Array = NDArray[np.float64]
REFERENCES = Path(__file__).parents[1] / "data" / "references"

PLANAR = ("clamped_planar_hose_U", "clamped_planar_steel_S")
TWISTED = (
    *(f"clamped_3d_hose_A_twist{k}" for k in ("000", "090", "180", "270")),
    *(f"clamped_3d_steel_C_twist{k}" for k in ("000", "180")),
    "clamped_symbreak_steel_S",
)
# The ends of these may spin: what is true is the rod without torsion.
FREE = ("clamped_3d_hose_A_untwisted", "clamped_3d_steel_C_untwisted")
KNOWN = (*PLANAR, *FREE, *TWISTED)
FINE = 512  # segments of a rod that counts as the true shape


HOSE: dict[str, Any] = {
    "name": "hose",
    "model": "kinematic",
    "length": 0.6,
    "stiffness": {"bending": 0.02, "torsion": 0.016},
    "mass_per_length": 0.1,
    "radius": 0.005,
    "start": {"position": [0, 0, 0], "tangent": [1, 0, 0]},
    "end": {"position": [0.3, 0.2, 0.0], "tangent": [0, 1, 0]},
}


def reference(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(next(REFERENCES.rglob(f"{name}.json")).read_text(encoding="utf-8"))
    return found


def tangent(q: Any) -> tuple[float, float, float]:
    w, x, y, z = q
    return (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))


def layout(case: dict[str, Any], *, twist: bool) -> Layout:
    """A clamped reference; with its twist, or with ends that may spin."""
    made, solved = case["parameters"], case["reference"]
    x, q = solved["positions"], [tuple(k) for k in solved["quaternions_wxyz"]]
    section = Section(case["L"], made["B"], made["C"] if twist else 0.0, (0.0, 0.0, -made["w"]))
    first = Hold(0, tuple(x[0]), tangent(q[0]), q[0] if twist else None)
    last = Hold(1, tuple(x[-1]), tangent(q[-1]))
    if twist:
        said = math.radians(float(case["id"][-3:])) if "twist" in case["id"] else 0.0
        untwisted = carried(q[0], tangent(q[-1]))
        assert untwisted is not None
        turn = twist_between(untwisted, q[-1])
        turn += 2.0 * math.pi * round((said - turn) / (2.0 * math.pi))
        untwisted = product(q[-1], (math.cos(0.5 * turn), 0.0, 0.0, -math.sin(0.5 * turn)))
        last = last._replace(frame=untwisted, turn=turn)
    return Layout((section,), (first, last))


def known(name: str) -> tuple[dict[str, Any], Layout]:
    """A case of KNOWN with its true shape, and the cable; with twist springs where it has twist."""
    if name not in FREE:
        case = reference(name)
        return case, layout(case, twist=name in TWISTED)
    case = reference(name.replace("untwisted", "twist000"))
    made = layout(case, twist=False)
    return {**case, "reference": {"positions": solved_rod(made, FINE)[1].positions}}, made


def distance(cable: Cable, level: int, case: dict[str, Any]) -> float:
    """The largest distance of a joint from the reference, relative to the length; the nearest of its mirror images."""
    x = cable.positions(level)
    true = np.array(case["reference"]["positions"])
    step = (len(true) - 1) / (len(x) - 1)
    x, true = (x[:: round(1 / step)], true) if step < 1.0 else (x, true[:: round(step)])
    images = [true]
    if "mirror_y" in case.get("symmetries", ()):
        images.append(true * (1.0, -1.0, 1.0))
    return min(float(np.linalg.norm(x - k, axis=1).max()) for k in images) / float(case["L"])


def random_layouts(count: int, seed: int = 1) -> list[Layout]:
    """Clamped cables of length 1 anywhere, from stiff to soft, with weight and without."""
    rng = np.random.default_rng(seed)
    found: list[Layout] = []
    for _ in range(count):
        B, w = 10.0 ** rng.uniform(-3.0, 0.0), float(rng.choice([0.0, 1.0]))
        end = unit(rng.normal(size=3)) * rng.uniform(0.05, 0.95)
        holds = (
            Hold(0, (0.0, 0.0, 0.0), triple(unit(rng.normal(size=3)))),
            Hold(1, triple(end), triple(unit(rng.normal(size=3)))),
        )
        found.append(Layout((Section(1.0, B, 0.0, (0.0, 0.0, -w)),), holds))
    return found


def unit(v: Array) -> Array:
    return np.asarray(v / np.linalg.norm(v))


def triple(v: Array) -> tuple[float, float, float]:
    return (float(v[0]), float(v[1]), float(v[2]))


def line_of(made: Layout, segments: int) -> Line:
    """The same cable as a rod: its ends hold the tangent and may spin, which is a rod without torsion."""
    (section,) = made.sections
    supports = []
    for name, place, hold in zip(("start", "end"), (0.0, section.length), made.holds, strict=True):
        assert hold.tangent is not None
        frame = frame_quaternion(hold.tangent, 0.0)
        supports.append(Support(name, "swivel", place, hold.position, direction=TANGENT, quaternion=frame))
    B, w = section.bending, -section.weight[2]
    return Line("cable", section.length, segments, (Piece(0.0, section.length, (B, B, B), w / 9.81),), tuple(supports))


def solved_rod(made: Layout, segments: int) -> tuple[RodSolver, CableResult]:
    """The rod on the branch that the chain is on: it starts from the shape of the chain."""
    solver = RodSolver(line_of(made, segments))
    begin_from_chain(solver, made, 32)
    report = solver.solve()
    return solver, CableResult(solver, report)


def begin_from_chain(solver: RodSolver, made: Layout, segments: int) -> None:
    chain = JointedSolver(replace(line_of(made, segments), adaptive=False))
    chain.solve()
    assert chain.solved is not None  # read off the chain when asked for
    sides = Sides.of(chain)
    force = 0.5 * (sides.force_after[:-1] + sides.force_before[1:])
    solver.begin_from(
        *transferred(sides.frames, force, chain.grid.s, solver.grid.s, solver.point_of, solver.staggered.segment_of)
    )
