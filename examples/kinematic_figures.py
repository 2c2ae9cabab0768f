"""The figures of HD00 with kinematic cables: orientation vectors, materials, two connected cables [HD00 figs. A.2–A.5].

The scenes are in examples/kinematic.
Run: python examples/kinematic_figures.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib import colormaps, rc_context

import lissom
from lissom.analysis.picture import draw_tube, space
from lissom.analysis.plots import STYLE, image, new_figure

SCENES = Path(__file__).parent / "kinematic"
PANELS = (
    ("orientation", "orientation vectors"),
    ("materials", "a cable, no mass, no springs"),
    ("connected", "two connected cables"),
    ("connected-shifted", "their plug shifted"),
)


def main(folder: Path) -> Path:
    angle = np.linspace(0.0, 2.0 * np.pi, 17)
    circle = 8.0 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    with rc_context(STYLE):
        figure = new_figure(9.0, 7.6, layout=None)  # by hand: no layout knows where labels in space end
        for number, (name, title) in enumerate(PANELS):
            simulation = lissom.Simulation(lissom.Scene.load(SCENES / f"{name}.toml"))
            simulation.solve().raise_if_failed()
            cables = [simulation.cable(k) for k in simulation.cables]
            points = np.concatenate([1000.0 * k.positions for k in cables])
            axes = space(figure, points, 221 + number, around=points)
            axes.set_position((0.02 + 0.5 * (number % 2), 0.53 - 0.5 * (number // 2), 0.43, 0.42))
            for k, cable in enumerate(cables):
                colour = np.array(colormaps["viridis"](0.1 + 0.2 * k))
                draw_tube(axes, 1000.0 * cable.positions, cable.quaternions, circle, colour)
            axes.set_title(title, fontsize=8)
    path = folder / "kinematic-figures.png"
    path.write_bytes(image(figure, "png", dpi=100))
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
