"""A sweep as pictures: what varies over the positions, and for a grid of two joints a map of the margins."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from lissom.analysis.plots import BLUE, INK, STYLE, VERMILLION, new_figure
from lissom.analysis.sweeps import Swept, number
from lissom.scene import Scene

PANELS = (
    ("bend_radius", "bend radius [mm]", 1000.0),
    ("tension", "tension [N]", 1.0),
    ("torsion", "torsion [°/m]", 180.0 / np.pi),
    ("clearance", "clearance [mm]", 1000.0),
)
"""Field of a cable's reading, its label, and what one of its SI units is on the screen."""

LIMITS = {"bend_radius": "bend_radius", "tension": "tension", "torsion": "twist_per_length", "clearance": "clearance"}


def plot_sweep(scene: Scene, swept: Swept, cable: str) -> Figure:
    """Bend radius, tension, torsion, clearance and forces of one cable over the positions, with the limits."""
    from matplotlib import rc_context

    readings = [k for k in swept.readings if cable in k.cables]
    panels = [k for k in PANELS if any(getattr(r.cables[cable], k[0]) is not None for r in readings)]
    x, label = abscissa(scene, swept)
    places = [x[k.number] for k in readings]
    limits = scene.type_of(cable).limits
    with rc_context(STYLE):
        figure = new_figure(7.4, 1.5 * (len(panels) + 1) + 0.6)
        axes = figure.subplots(len(panels) + 1, 1, sharex=True, squeeze=False)[:, 0]
        for axis, (field, text, scale) in zip(axes, panels, strict=False):
            values = [getattr(r.cables[cable], field) for r in readings]
            draw(axis, places, [None if v is None else scale * v for v in values], readings)
            limit = None if limits is None else getattr(limits, LIMITS[field])
            if limit is not None:
                axis.axhline(scale * limit, color=VERMILLION, linewidth=0.9, linestyle=(0, (4, 3)))
            axis.set_ylabel(text)
            if field == "bend_radius":
                axis.set_ylim(bottom=0.0)
        names = list(dict.fromkeys(name for r in readings for name in r.cables[cable].forces))
        for name in names:
            axes[-1].plot(places, [r.cables[cable].forces.get(name) for r in readings], linewidth=1.1, label=name)
        axes[-1].set_ylabel("forces [N]")
        axes[-1].legend(frameon=False, fontsize=7, ncols=4)
        for axis in axes:
            for reading in swept.readings:
                if any(snap.cable == cable for snap in reading.snaps):
                    axis.axvline(x[reading.number], color=INK, linewidth=0.8, linestyle=":")
        axes[-1].set_xlabel(label)
        figure.suptitle(
            f"{scene.title or 'sweep'}: {cable}", fontsize=10.5, color=INK, fontweight="bold", x=0.02, ha="left"
        )
    return figure


def abscissa(scene: Scene, swept: Swept) -> tuple[list[float], str]:
    """What the positions are drawn over: time, the one joint that moves, or their number."""
    readings = swept.readings
    if readings and all(k.time is not None for k in readings):
        return [k.time or 0.0 for k in readings], "time [s]"
    joints = list(readings[0].settings) if readings else []
    if len(joints) == 1:
        joint = scene.joint(joints[0])
        scale, unit = (1000.0, "mm") if joint.kind == "slide" else (180.0 / np.pi, "°")
        return [scale * number(k.settings[joints[0]]) for k in readings], f"{joints[0]} [{unit}]"
    return [float(k.number) for k in readings], "position"


def draw(axis: Any, x: list[float], y: list[float | None], readings: list[Any]) -> None:
    there = [k for k, r in enumerate(readings) if not r.back]
    back = [k for k, r in enumerate(readings) if r.back]
    axis.plot([x[k] for k in there], [y[k] for k in there], color=BLUE, linewidth=1.3)
    if back:
        axis.plot([x[k] for k in back], [y[k] for k in back], color=BLUE, linewidth=1.0, linestyle=(0, (3, 2)))


def plot_map(scene: Scene, swept: Swept, cable: str) -> Figure | None:
    """Over a grid of two joints: the smallest margin of all checks as a part of the limit; None for other sweeps."""
    from matplotlib import rc_context

    joints = list(swept.readings[0].settings) if swept.readings else []
    if len(joints) != 2 or swept.readings[0].time is not None or swept.readings[0].name:
        return None
    axes_values = [sorted({round(number(k.settings[j]), 12) for k in swept.readings}) for j in joints]
    if len(axes_values[0]) < 2 or len(axes_values[1]) < 2:
        return None
    table = np.full((len(axes_values[1]), len(axes_values[0])), np.nan)
    for reading in swept.readings:
        margins = [c.margin / c.limit for c in reading.checks if c.cable == cable and c.margin is not None and c.limit]
        i, j = (axes_values[k].index(round(number(reading.settings[joints[k]]), 12)) for k in (0, 1))
        if margins:
            table[j, i] = min(margins)
    if np.isnan(table).all():
        return None
    scales = [(1000.0, "mm") if scene.joint(j).kind == "slide" else (180.0 / np.pi, "°") for j in joints]
    with rc_context(STYLE):
        figure = new_figure(6.0, 4.6)
        axis = figure.subplots()
        most = float(np.nanmax(np.abs(table))) or 1.0
        grids = [np.array(v) * s for v, (s, _) in zip(axes_values, scales, strict=True)]
        shown = axis.pcolormesh(
            *grids, 100.0 * table, cmap="RdYlGn", vmin=-100.0 * most, vmax=100.0 * most, shading="nearest"
        )
        axis.set_xlabel(f"{joints[0]} [{scales[0][1]}]")
        axis.set_ylabel(f"{joints[1]} [{scales[1][1]}]")
        figure.colorbar(shown).set_label("smallest margin [% of its limit]")
        axis.set_title(f"{cable}: green passes", loc="left", fontsize=10, color=INK)
    return figure
