"""Torsion of a cable that stays straight: pulled tight, its end turned by 0, 1 and 2 turns [GS07 fig. 2].

Run: python examples/torsion.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib import colormaps, rc_context

import lissom
from lissom.analysis.picture import draw_tube, space
from lissom.analysis.plots import INK, STYLE, image, new_figure

TURNS = (0, 1, 2)

SCENE = """
gravity = [0, 0, 0]
[[cables]]
name = "cable"
section = { diameter = "24 mm" }
material = { youngs_modulus = "5 MPa", poisson = 0.49, density = 1200 }
length = "500 mm"
points = 121
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
end = { position = ["500 mm", 0, 0], tangent = [1, 0, 0], free = ["x"] }
loads = [{ at = 1, force = ["60 N", 0, 0] }]
"""


def stripes(sides: int) -> np.ndarray:
    """(sides, 4) colours: six stripes along the cable, so that its twist can be seen."""
    pale, dark = np.array([0.93, 0.93, 0.95, 1.0]), np.array(colormaps["viridis"](0.45))
    return np.where((np.arange(sides) // (sides // 6) % 2 == 0)[:, None], pale, dark)


def main(folder: Path) -> Path:
    angle = np.linspace(0.0, 2.0 * np.pi, 37)
    ring = 12.0 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    scene = lissom.Scene.from_toml(SCENE)
    with rc_context(STYLE):
        figure = new_figure(6.4, 4.0, layout=None)
        box = np.array([[0.0, 0.0, -20.0], [500.0, 30.0, 160.0]])
        axes = space(figure, box)
        axes.set_position((0.0, -0.02, 0.96, 1.06))
        for row, turns in enumerate(TURNS):
            sim = lissom.Simulation(scene.with_value("cable/twist", f"{360 * turns} deg"))
            sim.solve().raise_if_failed()
            cable = sim.cable("cable")
            x = 1000.0 * cable.positions + [0.0, 0.0, 70.0 * (len(TURNS) - 1 - row)]
            draw_tube(axes, x, cable.quaternions, ring, np.broadcast_to(stripes(37), (len(x), 37, 4)))
            torque = abs(float(cable.reactions["end"].moment[0]))
            label = f"{turns} turn{'s' * (turns != 1)}\n{torque:.2f} N·m"
            axes.text(*x[0] + [-25, 0, 0], label, color=INK, ha="right", va="center", zorder=9)
    path = folder / "torsion.png"
    path.write_bytes(image(figure, "png", dpi=120))
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
