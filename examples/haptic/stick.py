"""The spring-steel stick of KH05 figs. 12 and 13: both laws of the force model beside the exact rod.

Run: python examples/haptic/stick.py FOLDER — prints how far each is from the exact rod, in % of the length, and the E
with which an exact rod comes closest to the law of the paper.
"""

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from numpy.typing import NDArray

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


def closest(x: Array, angle: float) -> tuple[float, float]:
    """(part of E, distance in %) of the exact rod that is nearest to a shape, under the weight that KH05 gave it."""
    share = TABLE_WEIGHT * POINTS / (MASS * 9.81)
    found = [(off(x, exact(angle, e, share)), e) for e in np.geomspace(0.01, 1.0, 13)]
    distance, part = min(found)
    return part, distance


def main(folder: Path) -> Path:
    ours = automatic(LENGTH, MASS, BENDING, POINTS)
    same = np.zeros((POINTS, 3))
    same[:, 2] = -TABLE_WEIGHT
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
                bend = stick_bend_force(BENDING, CURVATURE, LENGTH, POINTS, printed=printed)
                given = replace(ours, law="paper", bending=0.0, bend_force=bend, stretch_force=659.734).calmed()
                cable = settled(given, angle, same)
                part, distance = closest(cable.positions, angle)
                nearest = f"{part:.2f} E ({distance:.1f} %), mean angle {cable.angles.mean():.3f}"
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
    path = folder / "haptic-stick.png"
    path.write_bytes(content)
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
