"""What moved in a run of a machine: rope on wheels, joints and bodies over time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lissom.analysis.machines import Run

Array = NDArray[np.float64]

MOST_LINES = 8
"""In one panel: those that change most."""

LEAST = 1e-3
"""m, rad: less than this is not motion, and fills no panel."""


def plot_motion(found: Run) -> Figure:
    """A panel for each quantity that there is: rope on wheels, hinges, slides, places of bodies."""
    from matplotlib import rc_context

    from lissom.analysis.plots import STYLE, new_figure

    panels = [(title, most_moved(lines)) for title, lines in quantities(found) if lines]
    with rc_context(STYLE):
        figure = new_figure(7.4, 1.8 * len(panels) + 0.6)
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for axis, (title, lines) in zip(axes, panels, strict=True):
            for name, values in lines.items():
                axis.plot(found.time, values, label=name)
            axis.set_ylabel(title)
            axis.legend(fontsize=7)
            no_finer(axis, LEAST)
        axes[-1].set_xlabel("time [s]")
    return figure


def quantities(found: Run) -> Iterator[tuple[str, dict[str, Array]]]:
    """Titles with units, and series by name."""
    stored: dict[str, Array] = {}
    for rope in found.scene.ropes:
        wound = np.array(found.stored[rope.name])
        for i, part in enumerate(found.links[rope.name]):
            if np.nanmax(np.abs(wound[:, i]), initial=0.0) > 0.0:
                stored[f"{rope.name} on {part}"] = wound[:, i] - wound[np.argmax(~np.isnan(wound[:, i])), i]
    yield "wound up since [m]", stored
    for kind, title in (("hinge", "hinges [rad]"), ("slide", "slides [m]")):
        yield title, {name: np.array(v) for name, v in found.joint.items() if found.scene.joint(name).kind == kind}
    places: dict[str, Array] = {}
    for name, rows in found.position.items():
        moved = np.array(rows)
        axis = int(np.argmax(np.ptp(moved, axis=0)))
        places[f"{name}, {'xyz'[axis]}"] = moved[:, axis] - moved[0, axis]
    yield "bodies moved by [m]", places


def most_moved(lines: dict[str, Array]) -> dict[str, Array]:
    """Those that change most, in their order."""
    reach = {name: float(np.nanmax(values) - np.nanmin(values)) for name, values in lines.items()}
    kept = sorted(reach, key=lambda name: -reach[name])[:MOST_LINES]
    return {name: values for name, values in lines.items() if name in kept}


def no_finer(axis: Axes, least: float) -> None:
    """A panel shows at least this much: rounding is not blown up to fill it."""
    low, high = axis.get_ylim()
    if high - low < least:
        axis.set_ylim(0.5 * (low + high - least), 0.5 * (low + high + least))
    axis.ticklabel_format(axis="y", useOffset=False)
