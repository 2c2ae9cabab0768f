"""Bending of a cable: the ends of the three directors trace lines along it [GS07 fig. 1].

Run: python examples/bending.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib import rc_context

import lissom
from lissom.analysis.picture import draw_shadow, draw_traces, draw_tube, space
from lissom.analysis.plots import INK, STYLE, image, new_figure

SCENE = """
gravity = [0, 0, 0]
[[cables]]
name = "cable"
type = "library:hv-cable-35"
length = "900 mm"
points = 161
start = { position = [0, 0, 0], tangent = [0.2, 0, 1], roll = "-90 deg" }
end = { position = ["560 mm", "150 mm", 0], tangent = [0.6, 0.5, -1] }
"""


def main(folder: Path) -> Path:
    sim = lissom.Simulation(lissom.Scene.from_toml(SCENE))
    sim.solve().raise_if_failed()
    cable = sim.cable("cable")
    x = 1000.0 * cable.positions
    angle = np.linspace(0.0, 2.0 * np.pi, 25)
    ring = 7.5 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    with rc_context(STYLE):
        figure = new_figure(6.4, 4.6, layout=None)
        axes = space(figure, x)
        axes.set_position((-0.02, 0.05, 1.0, 1.0))
        draw_shadow(axes, x)
        draw_tube(axes, x, cable.quaternions, ring, np.array([0.80, 0.80, 0.83, 1.0]))
        draw_traces(axes, x, cable.quaternions, 45.0)
        axes.legend(loc="upper right", bbox_to_anchor=(1.02, 0.95), labelcolor=INK)
    path = folder / "bending.png"
    path.write_bytes(image(figure, "png", dpi=120))
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
