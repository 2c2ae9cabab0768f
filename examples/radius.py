"""Influence of the radius: stiffness grows with its fourth power, weight with its square [GS07 fig. 3].

The same length between the same clamps; thin cables hang, thick ones stand up in an arch.
Run: python examples/radius.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib import colormaps, rc_context

import lissom
from lissom.analysis.picture import draw_tube, space
from lissom.analysis.plots import STYLE, image, new_figure

RADII = (1.5, 3.0, 6.0, 12.0)  # mm

SCENE = """
[[cables]]
name = "cable"
section = { radius = "1 mm" }
material = { youngs_modulus = "8 MPa", poisson = 0.49, density = 1230 }
length = "1 m"
points = 129
start = { position = [0, 0, 0], tangent = [1, 0, 0.7], roll = 0 }
end = { position = ["700 mm", 0, 0], tangent = [1, 0, -0.7] }
"""


def main(folder: Path) -> Path:
    scene = lissom.Scene.from_toml(SCENE)
    cables = []
    for radius in RADII:
        sim = lissom.Simulation(scene.with_value("cable/section.radius", radius / 1000.0))
        sim.solve().raise_if_failed()
        cables.append(sim.cable("cable"))
    shapes = [1000.0 * cable.positions + [0.0, 110.0 * k, 0.0] for k, cable in enumerate(cables)]
    angle = np.linspace(0.0, 2.0 * np.pi, 25)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    with rc_context(STYLE):
        figure = new_figure(6.4, 4.8, layout=None)
        axes = space(figure, np.concatenate(shapes))
        axes.set_position((0.02, 0.03, 0.98, 1.0))
        axes.view_init(elev=16.0, azim=-68.0)
        for k, (radius, cable, x) in reversed(list(enumerate(zip(RADII, cables, shapes, strict=True)))):
            colour = np.array(colormaps["viridis"](0.1 + 0.27 * k))
            draw_tube(axes, x, cable.quaternions, radius * circle, colour)
            axes.text(
                *(x[0] - [30, 0, 0]),
                f"r = {radius:g} mm",
                color=tuple(0.75 * colour[:3]),
                ha="right",
                zorder=9,
            )
    path = folder / "radius.png"
    path.write_bytes(image(figure, "png", dpi=120))
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
