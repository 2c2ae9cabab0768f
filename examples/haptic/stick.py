"""The spring-steel stick of KH05 figs. 12 and 13: both laws of the force model beside the exact rod.

Run: python examples/haptic/stick.py FOLDER — prints how far each is from the exact rod, in % of the length; the E
with which an exact rod comes closest to the law of the paper; and how that depends on the load.
"""

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

import lissom
from lissom.analysis.plots import BLUE, GREEN, GREY, INK, STYLE, VERMILLION, image, new_figure
from lissom.haptic.cable import ForceCable, Grip
from lissom.haptic.parameters import TABLE_WEIGHT, Parameters, automatic, stick_bend_force

Array = NDArray[np.float64]

LENGTH, POINTS = 0.5, 16
BENDING = 210e9 * math.pi * 0.001**4 / 4
MASS = 7900.0 * math.pi * 0.001**2 * LENGTH
CURVATURE = 1.0 / 0.2
ANGLES = (-135.0, -175.0, -215.0)
GRIPPED = POINTS - 2  # the second point from the right
AT = GRIPPED / (POINTS - 1)


def exact(angle: float, stiffness: float = 1.0, weight: float = 1.0) -> Array:
    """(POINTS, 3) m: the rod, clamped where the model is gripped; with a part of its stiffness or weight."""
    scene = lissom.Scene.from_dict({
        "cables": [{
            "name": "stick", "length": LENGTH, "points": 61, "mass_per_length": MASS * weight / LENGTH, "radius": 0.001,
            "stiffness": {"bending": BENDING * stiffness, "torsion": BENDING * stiffness / 1.3},
            "clips": [{"at": AT, "kind": "clamp", "position": [0, 0, 0], "tangent": (-direction(angle)).tolist()}],
        }],
    })  # fmt: skip
    simulation = lissom.Simulation(scene)
    simulation.solve().raise_if_failed()
    stick = simulation.cable("stick")
    s = np.linspace(0.0, LENGTH, POINTS)
    return np.stack([np.interp(s, stick.s, stick.positions[:, k]) for k in range(3)], axis=1)


def direction(angle: float) -> Array:
    return np.array([math.cos(math.radians(angle)), 0.0, math.sin(math.radians(angle))])


def settled(given: Parameters, angle: float, weight: Array | None = None) -> ForceCable:
    kind = "frame" if given.law == "consistent" else "points"
    cable = ForceCable(given, [Grip(AT * LENGTH, np.zeros(3), -direction(angle), kind)], weight=weight)
    assert cable.settle(4_000_000), cable.health.reason
    return cable


def off(a: Array, b: Array) -> float:
    """The largest distance, in % of the length."""
    return 100.0 * float(np.linalg.norm(a - b, axis=1).max()) / LENGTH


def closest(x: Array, angle: float, load: float = 1.0) -> tuple[float, float]:
    """(part of E, distance in %) of the exact rod that is nearest to a shape, under so many times the weight that KH05
    gave it.
    """
    share = load * TABLE_WEIGHT * POINTS / (MASS * 9.81)
    found = minimize_scalar(
        lambda e: off(x, exact(angle, math.exp(e), share)), bounds=(math.log(0.01), 0.5), options={"xatol": 0.01}
    )
    return math.exp(found.x), float(found.fun)


def as_printed(load: float = 1.0, *, printed: bool = True) -> tuple[Parameters, Array]:
    """Table 5 with c_b from (21), and the weight of its points."""
    bend = stick_bend_force(BENDING, CURVATURE, LENGTH, POINTS, printed=printed)
    given = replace(
        automatic(LENGTH, MASS, BENDING, POINTS), law="paper", bending=0.0, bend_force=bend, stretch_force=659.734
    )
    weight = np.zeros((POINTS, 3))
    weight[:, 2] = -load * TABLE_WEIGHT
    return given.calmed(), weight


def print_third(loads: tuple[float, ...] = (1.0, 3.0, 10.0, 30.0)) -> None:
    """Which E the law of the paper is, by the load: B_paper/B at the grip, theory (20), and of the whole shape."""
    print(
        "\na horizontal stick under so many times the weight: part of E at the grip, by theory (20), and of its shape"
    )
    print("     load   m/Bk    (21) printed: grip    (20)   shape    (21) mended: grip    (20)   shape")
    for load in loads:
        words = []
        for printed in (True, False):
            given, weight = as_printed(load, printed=printed)
            cable = settled(given, -180.0, weight)
            held = abs(
                float(np.cross(cable.positions[:GRIPPED] - cable.positions[GRIPPED], weight[:GRIPPED]).sum(axis=0)[1])
            )
            part = held / (BENDING * CURVATURE)
            bent = given.segment * held / cable.angles[-2] / BENDING
            law = part ** (2 / 3) * ((given.segment * CURVATURE) ** (1 / 3) if printed else 1.0)
            words.append(f"{bent:16.3f} {law:7.3f} {closest(cable.positions, -180.0, load)[0]:7.3f}")
        print(f"  {load:7g} {part:6.3f} {'    '.join(words)}")


def main(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    ours = automatic(LENGTH, MASS, BENDING, POINTS)
    print("distance from the exact rod, % of the length, and the E nearest to the law of the paper")
    print("  gripper    consistent   paper, (21) printed        paper, (21) mended")
    with rc_context(STYLE):
        figure = new_figure(7.0, 4.6)
        axis = figure.subplots()
        for angle in ANGLES:
            true = exact(angle)
            shapes = {"exact rod": (true, INK), "consistent": (settled(ours, angle).positions, GREEN)}
            words = [f"{off(shapes['consistent'][0], true):8.3f} %  "]
            for printed, colour in ((True, VERMILLION), (False, BLUE)):
                given, weight = as_printed(printed=printed)
                cable = settled(given, angle, weight)
                part, distance = closest(cable.positions, angle)
                nearest = f"{part:.3f} E ({distance:.1f} %), mean angle {cable.angles.mean():.3f}"
                words.append(f"{off(cable.positions, true):5.1f} %, {nearest}")
                shapes["paper, (21) printed" if printed else "paper, (21) mended"] = cable.positions, colour
            shapes["exact, E/3"] = exact(angle, 1 / 3), GREY
            print(f"  {angle:6.0f}°   {'   '.join(words)}")
            for name, (x, colour) in shapes.items():
                line = "-" if name.startswith("exact") else "o-"
                label = name if angle == ANGLES[0] else None
                axis.plot(1000 * x[:, 0], 1000 * x[:, 2], line, markersize=2.5, linewidth=1, color=colour, label=label)
        axis.set_aspect("equal")
        axis.set_xlabel("x [mm]")
        axis.set_ylabel("z [mm]")
        axis.legend(fontsize=7)
        content = image(figure, "png", dpi=110)
    print_third()
    path = folder / "haptic-stick.png"
    path.write_bytes(content)
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
