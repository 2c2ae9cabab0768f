"""The experiments of KH05 §III with the numbers of its Table 1: a rotation, and horizontal movements.

Run: python examples/haptic/experiments.py FOLDER — prints tables beside KH05's Tables 2, 3 and 4, and draws figures
like its figs. 3 and 5 to 11.

What is not printed is chosen here: 4 steps in a millisecond (112,000 steps in 28 s), c_h = 0.9, a turn by 90°, 25 mm/s,
and an acceleration of 12.5 mm/s². Each run begins with the cable straight and compressed by a tenth. The plain rule
explodes with the printed c_F and gets that of the stability bound. What can be compared are trends; docs/haptic.md says
which hold.
"""

import math
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from numpy.typing import NDArray

from lissom.analysis.plots import BLUE, GREEN, INK, STYLE, VERMILLION, image, new_figure
from lissom.haptic.cable import ForceCable, Grip
from lissom.haptic.parameters import TABLE_WEIGHT, RuleName, influence_of_points, table_1

Array = NDArray[np.float64]

SECONDS = 28.0
BEGINS, LASTS = 5.0, 8.0
TURN = math.radians(90.0)
SPEED, ACCELERATION = 0.025, 0.0125
STEP = 0.01
MEMORY = 0.9
DOWN, ALONG = np.array([0.0, 0.0, -1.0]), np.array([0.0, 1.0, 0.0])

TABLE_2 = {
    "static": (116121, 5259, 963, 2.01),
    "dynamic": (112998, 0, 1081, 0.35),
    "dynamic no rel.": (113109, 0, 1266, 0.36),
}
TABLE_4 = {
    "horizontal": (112000, 0, 0.47),
    "hor. + dynamic": (112000, 0, 0.38),
    "vertical": (112878, 963, 0.82),
    "vert. + dynamic": (112998, 1081, 0.12),
}
TABLE_3 = {
    "horizontal": (112891, 974, 0.65),
    "hor. + dynamic": (123364, 25664, 0.47),
    "vertical": (112878, 963, 0.67),
    "vert. + dynamic": (128770, 34389, 0.16),
}
MODES: dict[str, tuple[RuleName, str]] = {
    "horizontal": ("relative", "horizontal"),
    "hor. + dynamic": ("dynamic", "horizontal"),
    "vertical": ("relative", "vertical"),
    "vert. + dynamic": ("dynamic", "vertical"),
}


@dataclass
class Ran:
    """What one run left."""

    cable: ForceCable
    force: float  # mean, N
    shapes: dict[float, Array]  # by time, s
    lag: float  # m, the farthest that the free end was from where a rigid cable would have it, while moving


def run(rule: RuleName, kind: str, times: tuple[float, ...], seconds: float = SECONDS) -> Ran:
    """`kind` is rotation, or "horizontal" or "vertical" with " accelerated" or not."""
    given = replace(table_1(rule, MEMORY), most_steps=400)
    if rule == "plain":
        given = replace(given, mobility=given.calmed().mobility)
    tangent = ALONG if kind.startswith("horizontal") else DOWN
    place = 2.0 * given.segment
    weight = np.zeros((10, 3))
    weight[:, 2] = -TABLE_WEIGHT
    straight = (np.linspace(0.0, given.length, 10) - place)[:, None] * tangent * 0.9
    cable = ForceCable(
        given, [Grip(place, np.zeros(3), tangent, "points")], weight=weight, positions=straight, carried=False
    )
    felt: list[float] = []
    shapes: dict[float, Array] = {}
    lag = 0.0
    for k in range(round(seconds / STEP)):
        time = (k + 1) * STEP
        u = min(max(time - BEGINS, 0.0), LASTS)
        position, now = np.zeros(3), tangent
        if kind == "rotation":
            angle = TURN * u / LASTS
            now = math.cos(angle) * DOWN + math.sin(angle) * ALONG
        elif kind.endswith("accelerated"):
            position = 0.5 * ACCELERATION * u * u * ALONG
        else:
            position = SPEED * u * ALONG
        cable.move(0, position, now)
        cable.step(1000.0 * STEP)
        felt.append(float(np.linalg.norm(cable.wrench()[:3])))
        if BEGINS < time < BEGINS + LASTS:
            rigid = position + (given.length - place) * now
            lag = max(lag, float(np.linalg.norm(cable.positions[-1] - rigid)))
        for wanted in times:
            if abs(time - wanted) < 0.5 * STEP:
                shapes[wanted] = cable.positions
    return Ran(cable, float(np.mean(felt)), shapes, lag)


def said(ran: Ran) -> tuple[int, int, int, float]:
    health = ran.cable.health
    return health.steps, health.damped, health.limited, ran.force


def main(folder: Path, seconds: float = SECONDS) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    rotations = {
        "plain (7)": run("plain", "rotation", (5.0, 13.0, 27.0), seconds),
        "static": run("relative", "rotation", (5.0, 13.0, 27.0), seconds),
        "dynamic": run("dynamic", "rotation", (5.0, 13.0, 27.0), seconds),
        "dynamic no rel.": run("heavy", "rotation", (5.0, 13.0, 27.0), seconds),
    }
    print("Rotation about the third point (Table 2)")
    print("  model             steps  c_s≠1  d_m>l_s  force [N]  end behind [mm]    KH05")
    for name, ran in rotations.items():
        steps, damped, limited, force = said(ran)
        numbers = f"{steps:7d} {damped:7d} {limited:7d} {force:9.3f} {1000 * ran.lag:12.1f}"
        print(f"  {name:16} {numbers}       {TABLE_2.get(name, '–')}")
    moves: dict[str, dict[str, Ran]] = {}
    for kind, table in (("", TABLE_4), (" accelerated", TABLE_3)):
        print(f"\nHorizontal movement{kind} (Table {4 if table is TABLE_4 else 3})")
        print("  mode              steps  d_m>l_s  force [N]  end behind [mm]    KH05")
        times = (5.0, 9.0, 13.0, 21.0)
        moves[kind] = {name: run(rule, way + kind, times, seconds) for name, (rule, way) in MODES.items()}
        for name, ran in moves[kind].items():
            steps, _, limited, force = said(ran)
            print(f"  {name:16} {steps:7d} {limited:7d} {force:10.3f} {1000 * ran.lag:12.1f}       {table[name]}")
    path = folder / "haptic-experiments.png"
    path.write_bytes(drawn(rotations, moves))
    return path


def drawn(rotations: dict[str, Ran], moves: dict[str, dict[str, Ran]]) -> bytes:
    with rc_context(STYLE):
        figure = new_figure(8.4, 6.4)
        axes = figure.subplots(2, 4)
        n = np.arange(2, 21)
        axes[0, 0].plot(n, [influence_of_points(int(k)) for k in n], color=BLUE)
        axes[0, 0].set_title("force for 90° over N (fig. 3)", fontsize=8)
        axes[0, 0].set_xlabel("N", fontsize=7)
        axes[0, 0].set_ylabel("force / c_b", fontsize=7)
        shown = [rotations["plain (7)"], rotations["static"], rotations["dynamic"]]
        titles = ["plain (fig. 5)", "relative limits (fig. 6)", "dynamic (fig. 7)"]
        for axis, ran, title in zip(axes[0, 1:], shown, titles, strict=True):
            draw(axis, ran, title)
        lower = [
            (moves[""]["vertical"], "moved, static (fig. 8)"), (moves[""]["vert. + dynamic"], "dynamic (fig. 9)"),
            (moves[" accelerated"]["vertical"], "accelerated, static (fig. 10)"),
            (moves[" accelerated"]["vert. + dynamic"], "dynamic (fig. 11)"),
        ]  # fmt: skip
        for axis, (ran, title) in zip(axes[1], lower, strict=True):
            draw(axis, ran, title)
        return image(figure, "png", dpi=110)


def draw(axis, ran: Ran, title: str) -> None:  # type: ignore[no-untyped-def]
    for (time, x), colour in zip(ran.shapes.items(), (INK, VERMILLION, BLUE, GREEN), strict=False):
        axis.plot(1000 * x[:, 1], 1000 * x[:, 2], "o-", markersize=2, linewidth=1, color=colour, label=f"{time:g} s")
    axis.set_aspect("equal", adjustable="datalim")
    axis.set_title(title, fontsize=8)
    axis.set_xlabel("y [mm]", fontsize=7)
    axis.set_ylabel("z [mm]", fontsize=7)
    axis.legend(fontsize=6)


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
