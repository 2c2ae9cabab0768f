"""Plots along the length of a cable: curvature, torsion, tension, moment and stress over the arc length.

matplotlib is imported when a figure is made, never before, and only its object interface is used: no window,
no global state. Lengths are in millimetres and angles in degrees, as everywhere on the screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from lissom.analysis.along import Along, Array, Region, settled
from lissom.analysis.checks import limits_along
from lissom.analysis.contacts import Touch, touches
from lissom.analysis.stress import bending_stress
from lissom.rods.describing import Contact
from lissom.rods.result import CableResult
from lissom.scene import Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's palette: told apart by colour-blind eyes, and in grey.
BLUE: Final = "#0072B2"
VERMILLION: Final = "#D55E00"
GREEN: Final = "#009E73"
ORANGE: Final = "#E69F00"
SKY: Final = "#56B4E9"
PURPLE: Final = "#CC79A7"
INK: Final = "#222222"
GREY: Final = "#8a8a8a"
FAINT: Final = "#d9d9d9"

CONTACT_COLOURS: Final = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)

# A read-out smaller than this in its unit is zero to the eye.
NOTHING: Final = 1e-9

STYLE: Final[Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.labelsize": 9.0,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.7,
    "axes.labelcolor": INK,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.grid": True,
    "grid.color": "#ececec",
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.hashsalt": "lissom",  # the same figure gives the same file
    "svg.fonttype": "none",  # text stays text
}


@dataclass(frozen=True, slots=True)
class Panel:
    """One read-out over the length."""

    label: str
    unit: str
    values: Array  # (segments, samples) in that unit
    colour: str
    rule: str = ""  # the limit to draw
    factor: float = 1.0  # from SI to that unit
    both_signs: bool = False  # the limit holds for the magnitude
    remark: str = ""


def new_figure(width: float, height: float, layout: Literal["constrained"] | None = "constrained") -> Figure:
    """A figure of its own, in inches; nothing global knows of it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout=layout)
    FigureCanvasAgg(figure)
    return figure


def image(figure: Figure, kind: str, dpi: int = 160) -> bytes:
    """The figure as the bytes of a png or svg file; the same figure always gives the same bytes."""
    from matplotlib import rc_context

    stream = BytesIO()
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with rc_context(STYLE):
        figure.savefig(stream, format=kind, dpi=dpi, facecolor="white", metadata=metadata)
    return stream.getvalue()


def plot_along(scene: Scene, result: CableResult, *, contacts: Sequence[Contact] = ()) -> Figure:
    """Curvature, torsion, tension, moment and (where known) bending stress over the arc length; and contact forces
    where there are any.
    """
    from matplotlib import rc_context

    along = Along(scene, result)
    panels = list(make_panels(along))
    groups = touches(scene, contacts, result.name)
    rows = len(panels) + (1 if groups else 0)
    with rc_context(STYLE):
        figure = new_figure(7.4, 1.45 * rows + 0.9)
        axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
        for axis, panel in zip(axes, panels, strict=False):
            draw_panel(axis, scene, along, panel)
        if groups:
            draw_contact_panel(axes[-1], groups)
        radius_axis(axes[0])
        name_supports(axes, result)
        axes[-1].set_xlabel("arc length s [mm]")
        axes[-1].set_xlim(0.0, 1000.0 * result.length)
        figure.align_ylabels(list(axes))
        figure.suptitle(
            heading(scene, result),
            fontsize=10.5,
            color=INK,
            x=0.01,
            horizontalalignment="left",
            fontweight="bold",
        )
    return figure


def make_panels(along: Along) -> Iterator[Panel]:
    """Components are filled in between the points before magnitudes are taken: those have corners at zero."""
    result = along.result
    strains, moment = along.fine(along.strains), along.fine(along.moment)
    yield Panel("curvature κ", "1/m", np.hypot(strains[:, :, 0], strains[:, :, 1]), BLUE, "bend_radius")
    degrees, turns = settled(float(np.degrees(result.total_torsion))), settled(result.turns)
    twist = f"∫τ ds = {degrees:.3g}° = {turns:.3g} turns"
    torsion = np.degrees(strains[:, :, 2])
    degree = float(np.degrees(1.0))
    yield Panel("torsion τ", "deg/m", torsion, PURPLE, "twist_per_length", degree, both_signs=True, remark=twist)
    yield Panel("tension n·d₃", "N", along.fine(along.tension), GREEN, "tension")
    yield Panel("moment |m|", "N·m", np.linalg.norm(moment, axis=2), ORANGE)
    stress = bending_stress(along, along.fine(along.body_moment))
    if np.isfinite(stress).any():
        yield Panel("bending stress σ", "MPa", 1e-6 * stress, VERMILLION, "stress", 1e-6)


def draw_panel(axis: Any, scene: Scene, along: Along, panel: Panel) -> None:
    """The line with its jumps, its limit, and what lies beyond the limit filled."""
    values = panel.values
    s = 1000.0 * np.linspace(along.s[:, 0], along.s[:, 1], values.shape[1], axis=1)
    axis.plot(s.ravel(), values.ravel(), color=panel.colour, linewidth=1.7, solid_joinstyle="round", zorder=3)
    axis.fill_between(s.ravel(), values.ravel(), color=panel.colour, alpha=0.10, linewidth=0.0, zorder=1)
    axis.set_ylabel(panel.label.replace(" ", "\n", 1) + f" [{panel.unit}]")
    for spine in ("top", "right"):
        axis.spines[spine].set_visible(False)
    widen(axis, values)
    for region, limit, measured in limits_along(scene, along, panel.rule) if panel.rule else ():
        here = along.region_of == along.regions.index(region)
        if panel.rule == "bend_radius":
            bound = curvature_bound(along, region, limit, measured)
            text = f"limit R {1000 * limit:.3g} mm" + (" (inside)" if measured == "inside" else "")
        else:
            bound = np.full_like(s[here], panel.factor * limit)
            text = f"limit {panel.factor * limit:.3g} {panel.unit}"
        draw_limit(axis, s[here], values[here], bound, text)
        if panel.both_signs and values.min() < 0.0:
            draw_limit(axis, s[here], -values[here], bound, text, sign=-1.0)
    if panel.remark:
        axis.text(
            *(1.0, 1.02),
            panel.remark,
            transform=axis.transAxes,
            ha="right",
            va="bottom",
            color=GREY,
            fontsize=8,
        )


def draw_contact_panel(axis: Any, groups: dict[str, list[Touch]]) -> None:
    """A stem for each contact, as high as its force; a colour for each thing that is touched."""
    top = 0.0
    for number, (name, group) in enumerate(groups.items()):
        colour = CONTACT_COLOURS[number % len(CONTACT_COLOURS)]
        s = [1000.0 * touch.place for touch in group]
        force = [touch.strength for touch in group]
        top = max(top, *force)
        axis.vlines(s, 0.0, force, color=colour, linewidth=1.2, zorder=3)
        total = float(np.linalg.norm(np.sum([touch.force for touch in group], axis=0)))
        label = f"{name}: {total:.3g} N" + (f" in {len(group)} places" if len(group) > 1 else "")
        axis.plot(s, force, "o", color=colour, markersize=3.5, zorder=4, label=label.replace("$", r"\$"))
    axis.set_ylabel("contact\nforce [N]")
    axis.set_ylim(0.0, 1.16 * top)
    for spine in ("top", "right"):
        axis.spines[spine].set_visible(False)
    axis.legend(loc="lower right", bbox_to_anchor=(1.0, 0.96), ncols=4, fontsize=8, handletextpad=0.2, borderpad=0.0)


def curvature_bound(along: Along, region: Region, limit: float, measured: str) -> Array:
    """(segments of the region, samples) 1/m: the curvature at which the bend radius is at its limit (m)."""
    strains = along.fine(along.strains)[along.region_of == along.regions.index(region)]
    if measured == "centre":
        return np.full(strains.shape[:2], 1.0 / limit)
    return np.asarray(1.0 / (limit + region.reach(strains[:, :, 0], strains[:, :, 1])))


def widen(axis: Any, values: Array) -> None:
    """A scale that includes zero, and does not blow up rounding errors into waves."""
    finite = values[np.isfinite(values)]
    low, high = min(0.0, float(finite.min())), max(0.0, float(finite.max()))
    if high - low < NOTHING:
        low, high = -1.0, 1.0
    pad = 0.08 * (high - low)
    axis.set_ylim(low - (pad if low < 0.0 else 0.0), high + 2.0 * pad)


def draw_limit(axis: Any, s: Array, values: Array, bound: Array, text: str, sign: float = 1.0) -> None:
    """A dashed line where it lies in sight; otherwise a word that it is far away."""
    from matplotlib.patheffects import withStroke

    s, values, bound = s.ravel(), values.ravel(), bound.ravel()
    low, high = axis.get_ylim()
    far = bound.min() > (high if sign > 0 else -low) * 1.6
    if far:
        if sign > 0:
            note = f"{text}: off this scale"
            label = axis.text(0.005, 0.96, note, transform=axis.transAxes, va="top", color=GREY, fontsize=8)
            label.set_path_effects([withStroke(linewidth=2.5, foreground="white")])
        return
    if sign > 0:
        axis.set_ylim(low, max(high, 1.12 * bound.max()))
    else:
        axis.set_ylim(min(low, -1.12 * bound.max()), high)
    axis.plot(s, sign * bound, color=INK, linewidth=1.0, linestyle=(0, (5, 3)), zorder=4)
    over = values > bound
    axis.fill_between(
        s,
        sign * bound,
        sign * values,
        where=over,
        color=VERMILLION,
        alpha=0.45,
        linewidth=0,
        zorder=2,
        interpolate=True,
    )
    if sign > 0:
        axis.annotate(
            text, (s[0], bound[0]), xytext=(4, 2), textcoords="offset points", color=INK, fontsize=8, zorder=5
        )


def radius_axis(axis: Any) -> None:
    """The bend radius beside the curvature: the same line, read in millimetres."""
    high = axis.get_ylim()[1]
    nice = np.array([10.0**k * m for k in range(-4, 6) for m in (1, 1.5, 2, 3, 5)])  # mm
    radii: list[float] = []
    for radius in nice[(1000.0 / nice > 0.1 * high) & (1000.0 / nice < high)]:
        if not radii or 1000.0 / radii[-1] - 1000.0 / radius > 0.14 * high:
            radii.append(float(radius))
    right = axis.secondary_yaxis("right")
    right.set_yticks([1000.0 / r for r in radii], [f"{r:g}" for r in radii])
    right.set_ylabel("bend radius\nR [mm]")
    right.spines["right"].set_visible(False)


def name_supports(axes: Any, result: CableResult) -> None:
    """A thin line at each support, and its name above the first panel."""
    names = sorted(result.places.items(), key=lambda item: item[1])
    ticks = [1000.0 * result.length * at for _, at in names]
    for axis in axes:
        for tick in ticks:
            axis.axvline(tick, color=GREY, linewidth=0.8, linestyle=":", zorder=0)
    top = axes[0].secondary_xaxis("top")
    close = len(ticks) > 1 and min(np.diff(ticks)) < 0.11 * 1000.0 * result.length
    labels = [name if len(name) <= 18 else name[:17] + "…" for name, _ in names]
    top.set_xticks(ticks, labels, fontsize=8, rotation=30 if close else 0, ha="left" if close else "center")
    top.tick_params(length=3)
    top.spines["top"].set_visible(False)


def heading(scene: Scene, result: CableResult) -> str:
    """What the figure shows: title, cable, length, certificate."""
    title = f"{scene.title}: " if scene.title and scene.title != result.name else ""
    stable = {True: ", stable", False: ", unstable", None: ""}[result.stable]
    text = f"{title}{result.name}, {1000.0 * result.length:.4g} mm ({result.report.status}{stable})"
    return text.replace("$", r"\$")
