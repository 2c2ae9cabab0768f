"""Kinematic cables level by level: distance to the true shape of hoses whose shape is known, from 2 to 64 segments.

The references are those of tests/data/references, and rods without torsion where the ends may spin.
Run: python examples/kinematic_levels.py FOLDER
"""

import sys
from pathlib import Path

from matplotlib import colormaps, rc_context

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.kinematic.cases import KNOWN, distance, known

from lissom.analysis.plots import STYLE, image, new_figure
from lissom.kinematic.cable import Cable


def distances(name: str) -> tuple[list[int], list[float]]:
    """(segments, distance relative to the length) of every level; with twist springs where the case has twist."""
    case, made = known(name)
    cable = Cable(made, 64)
    cable.solve()
    return cable.segments, [distance(cable, level, case) for level in range(len(cable.segments))]


def main(folder: Path) -> Path:
    with rc_context(STYLE):
        figure = new_figure(5.6, 3.8)
        axes = figure.add_subplot(111)
        for number, name in enumerate(KNOWN):
            segments, away = distances(name)
            axes.loglog(
                segments,
                away,
                marker="o",
                markersize=3,
                color=colormaps["tab20"](number),
                label=name.removeprefix("clamped_"),
            )
        axes.loglog([4, 64], [0.02, 0.02 / 256], color="0.6", linestyle="--", label="a quarter for each level")
        axes.set_xticks([2, 4, 8, 16, 32, 64], ["2", "4", "8", "16", "32", "64"])
        axes.minorticks_off()
        axes.set(xlabel="segments", ylabel="distance to the true shape / L")
        axes.legend(fontsize=6)
    path = folder / "kinematic-levels.png"
    path.write_bytes(image(figure, "png", dpi=110))
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
