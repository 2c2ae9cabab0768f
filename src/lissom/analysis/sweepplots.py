"""A sweep as pictures: what varies over the positions, and for a grid of two joints a map of the margins."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from lissom.analysis.plots import BLUE, GREEN, INK, STYLE, VERMILLION, new_figure
from lissom.analysis.sweeps import Reading, Swept, number
from lissom.scene import Scene

if TYPE_CHECKING:
    from matplotlib.cm import ScalarMappable

PANELS = (
    ("bend_radius", "bend radius [mm]", 1000.0),
    ("tension", "tension [N]", 1.0),
    ("torsion", "torsion [°/m]", 180.0 / np.pi),
    ("clearance", "clearance [mm]", 1000.0),
)
"""Field of a cable's reading, its label, and what one of its SI units is on the screen."""

COLOURS = (BLUE, VERMILLION, GREEN, "#E69F00", "#CC79A7")
DASHES: tuple[Any, ...] = ("-", (0, (1, 1)), (0, (5, 1, 1, 1)), (0, (5, 1, 1, 1, 1, 1)))
"""Of the forces at supports."""

NOTHING = 1e-6
"""mm or °/m: rounding, of which no curve is drawn."""

LIMITS = {"bend_radius": "bend_radius", "tension": "tension", "torsion": "twist_per_length", "clearance": "clearance"}


def plot_sweep(scene: Scene, swept: Swept, cable: str) -> Figure:
    """Bend radius, tension, torsion, clearance and forces of one cable over the positions, with the limits."""
    from matplotlib import rc_context

    readings = [k for k in swept.readings if cable in k.cables]
    panels = [k for k in PANELS if any(getattr(r.cables[cable], k[0]) is not None for r in readings)]
    limits = scene.type_of(cable).limits
    course = Course.of(scene, swept)
    with rc_context(STYLE):
        figure = new_figure(7.4, 1.5 * (len(panels) + 1) + 0.6)
        axes = figure.subplots(len(panels) + 1, 1, sharex=True, squeeze=False)[:, 0]
        for axis, (field, text, scale) in zip(axes, panels, strict=False):
            values = [getattr(r.cables[cable], field) for r in readings]
            course.draw(axis, readings, [None if v is None else scale * v for v in values])
            limit = None if limits is None else getattr(limits, LIMITS[field])
            if limit is not None:
                axis.axhline(scale * limit, color=VERMILLION, linewidth=0.9, linestyle=(0, (4, 3)), label="limit")
            axis.set_ylabel(text)
            if field in ("bend_radius", "torsion"):
                axis.set_ylim(bottom=0.0, top=None if axis.dataLim.y1 > NOTHING else 1.0)
        names = list(dict.fromkeys(name for r in readings for name in r.cables[cable].forces))
        for name, colour, dashes in zip(names, cycle(COLOURS), cycle(DASHES), strict=False):
            look = {"color": colour} if course.lines is None else {"linestyle": dashes}
            course.draw(axes[-1], readings, [r.cables[cable].forces.get(name) for r in readings], label=name, **look)
        axes[-1].set_ylabel("forces [N]")
        for place in snap_places(scene, swept, cable, course):
            for axis in axes[:-1]:
                axis.axvline(place, color=INK, linewidth=0.8, linestyle=":", label="snap-through")
            axes[-1].axvline(place, color=INK, linewidth=0.8, linestyle=":")
        for axis, shown in ((axes[0], axes[:-1]), (axes[-1], axes[-1:])):
            known = {text: line for k in shown for line, text in zip(*k.get_legend_handles_labels(), strict=True)}
            if known:
                axis.legend(known.values(), known.keys(), frameon=False, fontsize=7, ncols=4)
        axes[-1].set_xlabel(course.label)
        if course.lines is not None:
            figure.colorbar(course.shades, ax=axes, aspect=60, pad=0.02).set_label(course.name)
        figure.suptitle(
            f"{scene.title or 'sweep'}: {cable}", fontsize=10.5, color=INK, fontweight="bold", x=0.02, ha="left"
        )
    return figure


def snap_places(scene: Scene, swept: Swept, cable: str, course: Course) -> list[float]:
    """Where on the abscissa a cable snaps; of a grid of two joints, and of named positions, the next position."""
    found: list[float] = []
    for reading in swept.readings:
        for snap in (k for k in reading.snaps if k.cable == cable):
            one = len(snap.after) == 1 and reading.time is None
            scale = screen_unit(scene, next(iter(snap.after)))[0] if one else 1.0
            found.append(scale * number(*snap.after.values()) if one else course.x[reading.number])
    return found


@dataclass(frozen=True, slots=True)
class Course:
    """How positions are drawn: over what, and which of them are one line."""

    x: list[float]  # of every position
    label: str
    lines: list[float] | None = None  # of every position of a grid of two joints: the value of the other one
    name: str = ""  # of that one, with its unit

    @classmethod
    def of(cls, scene: Scene, swept: Swept) -> Course:
        """Time, the one joint that moves, of two joints the one that moves faster, or the number of the position."""
        readings = swept.readings
        if readings and all(k.time is not None for k in readings):
            return cls([k.time or 0.0 for k in readings], "time [s]")
        joints = list(readings[0].settings) if readings else []
        if len(joints) == 1 or is_grid(swept):
            values, names = zip(*(on_screen(scene, swept, k) for k in joints), strict=True)
            return cls(values[-1], names[-1]) if len(joints) == 1 else cls(values[1], names[1], values[0], names[0])
        return cls([float(k.number) for k in readings], "position")

    def draw(self, axis: Any, readings: list[Reading], values: list[float | None], **look: Any) -> None:
        """There as it looks, back dashed; a grid of two joints has a line for each value of the other one."""
        groups: dict[tuple[bool, float | None], list[int]] = {}
        for i, k in enumerate(readings):
            groups.setdefault((k.back, None if self.lines is None else self.lines[k.number]), []).append(i)
        for (back, other), group in groups.items():
            shown = {"color": BLUE, "linewidth": 1.2} | look
            if back:
                shown |= {"linestyle": (0, (3, 2)), "label": "way back"}
            if other is not None:
                shown["color"] = self.shades.to_rgba(np.array(other))
            axis.plot([self.x[readings[i].number] for i in group], [values[i] for i in group], **shown)

    @property
    def shades(self) -> ScalarMappable:
        """The colours of the lines."""
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        lines = self.lines or [0.0, 1.0]
        return ScalarMappable(Normalize(min(lines), max(lines)), "viridis")


def on_screen(scene: Scene, swept: Swept, joint: str) -> tuple[list[float], str]:
    """The values of a joint at all positions in the unit of the screen, and its name with that."""
    scale, unit = screen_unit(scene, joint)
    return [scale * number(k.settings[joint]) for k in swept.readings], f"{joint} [{unit}]"


def screen_unit(scene: Scene, joint: str) -> tuple[float, str]:
    """What one of the SI units of a joint is on the screen."""
    return (1000.0, "mm") if scene.joint(joint).kind == "slide" else (180.0 / np.pi, "°")


def is_grid(swept: Swept) -> bool:
    """Whether two joints are stepped, each over values of its own."""
    joints = list(swept.readings[0].settings) if swept.readings else []
    if len(joints) != 2 or swept.readings[0].time is not None or swept.readings[0].name:
        return False
    return all(len({round(number(k.settings[j]), 12) for k in swept.readings}) > 1 for j in joints)


def plot_map(scene: Scene, swept: Swept, cable: str) -> Figure | None:
    """Over a grid of two joints: the smallest margin of all checks as a part of the limit; None for other sweeps."""
    from matplotlib import rc_context

    if not is_grid(swept):
        return None
    joints = list(swept.readings[0].settings)
    axes_values = [sorted({round(number(k.settings[j]), 12) for k in swept.readings}) for j in joints]
    table = np.full((len(axes_values[1]), len(axes_values[0])), np.nan)
    for reading in swept.readings:
        margins = [c.margin / c.limit for c in reading.checks if c.cable == cable and c.margin is not None and c.limit]
        i, j = (axes_values[k].index(round(number(reading.settings[joints[k]]), 12)) for k in (0, 1))
        if margins:
            table[j, i] = np.fmin(table[j, i], min(margins))  # there and back
    if np.isnan(table).all():
        return None
    scales = [screen_unit(scene, j) for j in joints]
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
        blank = "; blank: not certified" if np.isnan(table).any() else ""
        axis.set_title(f"{cable}: green passes, × is the worst{blank}", loc="left", fontsize=10, color=INK)
        worst = np.unravel_index(int(np.nanargmin(table)), table.shape)
        axis.plot(grids[0][worst[1]], grids[1][worst[0]], "x", color=INK)
    return figure
