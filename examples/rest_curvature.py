"""Rest curvature: a cable that was wound up and remembers it looks like a telephone cord [GS07 fig. 6].

Run: python examples/rest_curvature.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib import colormaps, rc_context

import lissom
from lissom.analysis.picture import draw_tube, space
from lissom.analysis.plots import STYLE, image, new_figure

CURVATURES = (0.0, 10.0, 30.0, 60.0)  # 1/m, at rest

SCENE = """
[[cables]]
name = "cable"
section = { diameter = "5 mm" }
material = { youngs_modulus = "30 MPa", poisson = 0.45, density = 1200 }
length = "1.2 m"
points = 361
start = { position = [0, 0, 0], tangent = [1, 0, -0.4], roll = 0 }
end = { position = ["500 mm", 0, 0], tangent = [1, 0, 0.4] }
"""


def main(folder: Path) -> Path:
    scene = lissom.Scene.from_toml(SCENE)
    cables = []
    for curvature in CURVATURES:
        rest = {"curvature": [0.0, curvature, 0.12 * curvature]}
        sim = lissom.Simulation(scene.with_value("cable/rest", rest))
        sim.solve().raise_if_failed()
        cables.append(sim.cable("cable"))
    shapes = [1000.0 * cable.positions + [0.0, 130.0 * k, 0.0] for k, cable in enumerate(cables)]
    angle = np.linspace(0.0, 2.0 * np.pi, 13)
    ring = 2.5 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    with rc_context(STYLE):
        figure = new_figure(6.4, 5.2, layout=None)
        axes = space(figure, np.concatenate(shapes))
        axes.set_position((0.02, 0.06, 0.94, 0.94))
        axes.view_init(elev=20.0, azim=-66.0)
        for k, (curvature, cable, x) in reversed(list(enumerate(zip(CURVATURES, cables, shapes, strict=True)))):
            colour = np.array(colormaps["viridis"](0.1 + 0.25 * k))
            draw_tube(axes, x, cable.quaternions, ring, colour, zorder=4 - 0.1 * k)
            axes.text(
                *(x[0] - [20, 0, 0]),
                f"κ₀ = {curvature:g}/m",
                color=tuple(0.75 * colour[:3]),
                ha="right",
                zorder=9,
            )
    path = folder / "rest-curvature.png"
    path.write_bytes(image(figure, "png", dpi=120))
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
