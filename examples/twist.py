"""Influence of the torsion: the same cable with its end turned step by step about its own axis [GS07 fig. 5].

Run: python examples/twist.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib import colormaps, rc_context

import lissom
from lissom.analysis.picture import draw_tube, space
from lissom.analysis.plots import INK, STYLE, image, new_figure

ANGLES = (0, 90, 180, 270, 360)  # deg

SCENE = """
[[cables]]
name = "cable"
type = "library:brake-hose-epdm"
length = "500 mm"
points = 129
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
end = { position = ["200 mm", 0, 0], tangent = [-1, 0, 0] }
"""


def main(folder: Path) -> Path:
    scene = lissom.Scene.from_toml(SCENE)
    cables = []
    for angle in ANGLES:
        sim = lissom.Simulation(scene.with_value("cable/twist", f"{angle} deg"))
        sim.solve().raise_if_failed()
        cables.append(sim.cable("cable"))
    around = np.linspace(0.0, 2.0 * np.pi, 25)
    ring = 5.25 * np.stack([np.cos(around), np.sin(around)], axis=1)
    with rc_context(STYLE):
        figure = new_figure(6.4, 5.0, layout=None)
        axes = space(figure, 1000.0 * np.concatenate([cable.positions for cable in cables]))
        axes.set_position((0.02, 0.0, 0.96, 0.9))
        for k, (angle, cable) in enumerate(zip(ANGLES, cables, strict=True)):
            colour = np.array(colormaps["viridis"](k / (len(ANGLES) - 0.6)))
            draw_tube(axes, 1000.0 * cable.positions, cable.quaternions, ring, colour, zorder=3 + 0.1 * k)
            inside = f"{angle}°: {360 * cable.turns:.0f}° in the material"
            axes.plot([], [], color=colour, linewidth=5, label=inside)
        figure.legend(loc="upper left", ncols=2, labelcolor=INK, title="end turned by", fontsize=8)
    path = folder / "twist.png"
    path.write_bytes(image(figure, "png", dpi=120))
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
