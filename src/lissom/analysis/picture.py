"""The shape of a cable in space, drawn as the tube it is and coloured by how much it bends, among the parts around
it and with what they press.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.along import Along, Array, Region, directors
from lissom.analysis.checks import limits_along
from lissom.analysis.contacts import Touch, touches
from lissom.analysis.painting import Painting
from lissom.analysis.plots import (
    BLUE,
    FAINT,
    GREEN,
    GREY,
    INK,
    STYLE,
    VERMILLION,
    curvature_bound,
    heading,
    new_figure,
)
from lissom.analysis.scenery import Thing, scenery
from lissom.rods.describing import Contact
from lissom.rods.result import CableResult
from lissom.scene import RectangleSection, Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# A cable thinner than this part of the picture would be a hair: it is drawn this thick.
THINNEST = 0.005
# Rings drawn along a tube, and sides of a round one.
MOST_RINGS = 240
SIDES = 20
COLOURS = "viridis"
CONTACT = "#B01060"
# What stands farther from the cable than this part of its size is not in the picture.
AROUND = 0.6
# Of what reaches farther, only this much is.
CUT = 0.15
# Arrows longer than this part of the picture would be all one sees.
LONGEST_ARROW = 0.13
# What the projection of a box may reach across and up, in matplotlib's units, so that its labels fit.
ROOM = (0.083, 0.074)
# More names than these would cover the picture.
MOST_NAMES = 10
DIRECTOR_COLOURS = (VERMILLION, GREEN, BLUE)


def plot_shape(
    scene: Scene,
    result: CableResult,
    *,
    show_directors: bool = False,
    contacts: Sequence[Contact] = (),
    things: Sequence[Thing] | None = None,
) -> Figure:
    """The cable in world axes, mm: curvature as colour, supports as cuffs and balls, loads as arrows, and what presses
    on it as arrows that end where it touches.

    `things` stand around it; absent, the parts of the scene where it puts them.
    """
    from matplotlib import rc_context
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    along = Along(scene, result)
    x, frames, curvature, segment = filled_in(along)
    things = scenery(scene) if things is None else things
    others = [thing for thing in things if not (thing.cable and thing.name == result.name)]
    with rc_context(STYLE):
        figure = new_figure(7.4, 5.4, layout=None)  # by hand: no layout knows where labels in space end
        axes = space(figure, x, around=near(others, x))
        axes.set_position((-0.04, 0.0, 0.88, 0.98))
        size = extent(x)
        top = max(float(result.curvature.max()), 1e-9)
        colours = ScalarMappable(Normalize(0.0, top), COLOURS)
        outline = outlines(along, segment, THINNEST * size)
        draw_shadow(axes, x, floor(axes, others))
        painting = Painting(axes)
        painting.add_things(others)
        painting.add_grid(*tube(x, frames, outline, colours.to_rgba(curvature)), shines=True)
        draw_supports(axes, painting, scene, along, size)
        painting.paint(zorder=3.0)
        name_things(axes, others, painting)
        draw_loads(axes, scene, result, size)
        draw_contacts(axes, touches(scene, contacts, result.name), size)
        if show_directors:
            draw_directors(axes, x, frames, 0.06 * size, every=max(1, len(x) // 16))
        bar = figure.colorbar(colours, cax=figure.add_axes((0.905, 0.24, 0.018, 0.5)))
        bar.set_label("curvature κ [1/m]")
        bar.outline.set_visible(False)
        mark_limits(bar.ax, scene, along, top)
        figure.text(0.015, 0.965, heading(scene, result), fontsize=10.5, color=INK, fontweight="bold")
    return figure


def near(things: Sequence[Thing], x: Array) -> Array:
    """(n, 3) mm: corners of what of the things should be in the picture of a cable through the points x."""
    size = extent(x)
    low, high = x.min(axis=0) - AROUND * size, x.max(axis=0) + AROUND * size
    least, most = x.min(axis=0) - CUT * size, x.max(axis=0) + CUT * size
    found = [np.zeros((0, 3))]
    for thing in things:
        points = thing.feet(x) if thing.plane else thing.vertices
        first, last = points.min(axis=0), points.max(axis=0)
        if np.all(last >= low) and np.all(first <= high):
            first, last = np.where(first < low, least, first), np.where(last > high, most, last)
            found.append(np.stack([first, last]))
    return np.concatenate(found)


def space(figure: Figure, x: Array, position: Any = 111, around: Array | None = None) -> Any:
    """Axes with equal scales around the points x (mm), seen so that the shape is spread out; `around` are more points
    to be in the picture.
    """
    axes: Any = figure.add_subplot(position, projection="3d", computed_zorder=False)
    everything = x if around is None else np.concatenate([x, around])
    low, high = everything.min(axis=0), everything.max(axis=0)
    size = extent(x)
    half = np.maximum(0.5 * (high - low), 0.14 * size) + 0.06 * size
    centre = 0.5 * (low + high)
    axes.set(
        xlim=(centre[0] - half[0], centre[0] + half[0]),
        ylim=(centre[1] - half[1], centre[1] + half[1]),
        zlim=(centre[2] - half[2], centre[2] + half[2]),
    )
    axes.set_box_aspect(half, zoom=1.05)
    axes.set_proj_type("persp", focal_length=0.6)
    axes.view_init(elev=22.0, azim=viewing_azimuth(x))
    if around is not None:
        axes.set_box_aspect(half, zoom=1.05 * min(1.0, room(axes)))
    from matplotlib.ticker import MaxNLocator

    for axis, half_width, name in zip((axes.xaxis, axes.yaxis, axes.zaxis), half, "xyz", strict=True):
        axis.set_pane_color((0.975, 0.975, 0.975, 1.0))
        axis.line.set_color(FAINT)
        axis.set_label_text(f"{name} [mm]")
        axis.set_major_locator(MaxNLocator(max(2, round(7 * half_width / half.max())), steps=[1, 2, 5, 10]))
        axis.set_tick_params(labelsize=7.5)
        axis._axinfo["grid"].update(color="#e4e4e4", linewidth=0.6)
    return axes


def room(axes: Any) -> float:
    """How much larger the box of the axes could be with the labels around it still in the picture."""
    limits = (axes.get_xlim(), axes.get_ylim(), axes.get_zlim())
    corners = np.array([(x, y, z, 1.0) for x in limits[0] for y in limits[1] for z in limits[2]])
    seen = corners @ axes.get_proj().T
    across, up = np.abs(seen[:, :2] / seen[:, 3:]).max(axis=0)
    return float(min(ROOM[0] / across, ROOM[1] / up))


def extent(x: Array) -> float:
    """Largest side of the box around the points."""
    return max(float(np.ptp(x, axis=0).max()), 1e-9)


def viewing_azimuth(x: Array) -> float:
    """Degrees: nearly across the vertical plane in which the shape spreads most."""
    flat = x[:, :2] - x[:, :2].mean(axis=0)
    if np.ptp(flat, axis=0).max() < 0.05 * extent(x):
        return -60.0
    along = np.linalg.eigh(flat.T @ flat)[1][:, 1]
    across = float(np.degrees(np.arctan2(-along[0], along[1])))  # a quarter turn right of the spread
    if np.cos(np.radians(across + 90.0)) < -1e-9:  # x should run to the right
        across += 180.0
    return across + 28.0


def filled_in(along: Along) -> tuple[Array, Array, Array, NDArray[np.intp]]:
    """Points (mm), quaternions, curvature (1/m) and segment of a finer row of points: a smooth picture."""
    result = along.result
    parts = max(1, MOST_RINGS // len(result.s))
    u = np.linspace(0.0, 1.0, parts + 1)[:, None]
    h = np.diff(result.s)[:, None, None]
    a, b = result.positions[:-1, None], result.positions[1:, None]
    slopes = (1 - u) * result.tangents[:-1, None] - u * result.tangents[1:, None]
    x = 1000.0 * (a + (b - a) * u * u * (3.0 - 2.0 * u) + h * u * (1 - u) * slopes)
    p, q = result.quaternions[:-1, None], result.quaternions[1:, None]
    frames = (1 - u) * p + u * np.where(np.sum(p * q, axis=2, keepdims=True) < 0.0, -q, q)
    frames /= np.linalg.norm(frames, axis=2, keepdims=True)
    bend = np.linalg.norm(along.fine(along.strains[:, :, :2], parts), axis=2)
    segment = np.repeat(np.arange(len(h)), parts + 1)
    return x.reshape(-1, 3), frames.reshape(-1, 4), bend.ravel(), segment


def outlines(along: Along, segment: NDArray[np.intp], thinnest: float) -> Array:
    """(points, sides, 2) cross-section of each point in its d1 and d2, mm, no thinner than can be seen."""
    per_region = np.stack([outline(region, thinnest) for region in along.regions])
    return np.asarray(per_region[along.region_of[segment]])


def outline(region: Region, thinnest: float) -> Array:
    """(sides, 2) mm, closed."""
    angle = np.linspace(0.0, 2.0 * np.pi, SIDES + 1)
    section = region.made.section
    if isinstance(section, RectangleSection):
        sides = np.maximum([500.0 * section.width, 500.0 * section.height], 0.3 * thinnest)
        corners = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1), (1, 1)]) * sides
        edges = [np.linspace(corners[k], corners[k + 1], SIDES // 4, endpoint=False) for k in range(4)]
        return np.concatenate([*edges, corners[:1]])
    radius = max(1000.0 * region.section.radius, thinnest)
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def draw_tube(axes: Any, x: Array, quaternions: Array, outline: Array, colours: Array, zorder: float = 3.0) -> None:
    """A surface around the points x; `outline` ([points,] sides, 2) in mm, `colours` ([points, sides,] 4)."""
    draw_surface(axes, *tube(x, quaternions, outline, colours), zorder)


def tube(x: Array, quaternions: Array, outline: Array, colours: Array) -> tuple[Array, Array]:
    """Points and colours (rings, sides, …) of that surface."""
    every = max(1, len(x) // (2 * MOST_RINGS))
    keep = np.unique(np.append(np.arange(0, len(x), every), len(x) - 1))
    frames = directors(quaternions[keep])
    ring = np.broadcast_to(outline, (len(x), *outline.shape[-2:]))[keep]
    surface = x[keep, None, :] + np.einsum("pij,psj->psi", frames[:, :, :2], ring)
    if colours.ndim < 3:
        colours = np.broadcast_to(colours, (len(x), 4))[:, None, :]
    return surface, np.broadcast_to(colours, (len(x), ring.shape[1], 4))[keep]


def draw_surface(axes: Any, points: Array, colours: Array, zorder: float) -> None:
    from matplotlib.colors import LightSource

    surface = axes.plot_surface(
        points[:, :, 0],
        points[:, :, 1],
        points[:, :, 2],
        facecolors=colours,
        rstride=1,
        cstride=1,
        linewidth=0.0,
        antialiased=False,
        lightsource=LightSource(azdeg=225.0, altdeg=50.0),
        zorder=zorder,
    )
    surface.set_rasterized(True)  # thousands of facets: a picture inside the svg


def floor(axes: Any, things: Sequence[Thing]) -> float:
    """Where a shadow falls: the highest level plane in the picture, or the bottom of the picture, mm."""
    low, high = axes.get_zlim()
    level = [float(thing.vertices[0, 2]) for thing in things if thing.plane and thing.normal[2] > 1.0 - 1e-6]
    return max([z for z in level if low < z < high], default=float(low))


def draw_shadow(axes: Any, x: Array, height: float | None = None) -> None:
    """The shape seen from above, on the floor: gives the eye the depth."""
    level = np.full(len(x), axes.get_zlim()[0] if height is None else height)
    axes.plot(x[:, 0], x[:, 1], level, color="#c9c9c9", linewidth=2.2, solid_capstyle="round", zorder=1)


def draw_supports(axes: Any, painting: Painting, scene: Scene, along: Along, size: float) -> None:
    """A cuff where the direction is held, a ball where only the place is; with the name beside it."""
    from matplotlib.patheffects import withStroke

    result = along.result
    kinds = support_kinds(scene, result.name)
    x = 1000.0 * result.positions
    for name, at in result.places.items():
        point = int(np.argmin(np.abs(result.s - at * result.length)))
        region = along.regions[along.region_of[min(point, len(along.region_of) - 1)]]
        ring = outline(region, THINNEST * size)
        half = ring.max(axis=0)
        margin = max(0.45 * float(half.min()), 0.007 * size)
        if kinds.get(name, "ball") in ("ball", "ring"):
            surface = x[point] + (float(half.max()) + 1.2 * margin) * sphere()
        else:
            R = directors(result.quaternions[point : point + 1])[0]
            surface = x[point] + cuff(ring * (half + margin) / half, 2.6 * (half.min() + margin), at) @ R.T
        shade = 0.55 if kinds.get(name) in ("ring", "sleeve") else 0.27
        colour = np.array([shade, shade, shade + 0.03, 1.0])
        painting.add_grid(surface, np.broadcast_to(colour, (*surface.shape[:2], 4)))
        above = np.array([x[point, 0], x[point, 1], surface[:, :, 2].max() + 0.012 * size])
        label = axes.text(*above, name, color=INK, fontsize=8.5, ha="center", zorder=6)
        label.set_path_effects([withStroke(linewidth=2.5, foreground="white")])


def support_kinds(scene: Scene, name: str) -> dict[str, str]:
    cable = scene.cable(name)
    kinds = {clip.name: str(clip.kind) for clip in cable.clips}
    for end, held in (("start", cable.start), ("end", cable.end)):
        if held is not None:
            kinds[end] = held.kind
    return kinds


def sphere() -> Array:
    u, v = np.meshgrid(np.linspace(0, np.pi, 13), np.linspace(0, 2 * np.pi, 21), indexing="ij")
    return np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1)


def cuff(ring: Array, length: float, at: float) -> Array:
    """A closed block about d3 with this outline: behind the start, before the end, around a clip."""
    back, front = {0.0: (-length, 0.0), 1.0: (0.0, length)}.get(at, (-0.5 * length, 0.5 * length))
    slices = [(0.0, back), (1.0, back), (1.0, front), (0.0, front)]
    return np.stack([np.column_stack([scale * ring, np.full(len(ring), z)]) for scale, z in slices])


def draw_loads(axes: Any, scene: Scene, result: CableResult, size: float) -> None:
    cable = scene.cable(result.name)
    for load in cable.loads:
        place = load.place(cable.length)
        if place is None or load.force is None:
            continue
        force = np.array(load.force)
        strength = float(np.linalg.norm(force))
        if strength == 0.0:
            continue
        x = 1000.0 * result.positions[int(np.argmin(np.abs(result.s - place)))]
        arrow = 0.16 * size * force / strength
        axes.quiver(*x, *arrow, color=VERMILLION, linewidth=1.8, arrow_length_ratio=0.3, zorder=5)
        axes.text(
            *(x + 1.1 * arrow),
            f"{strength:.3g} N",
            color=VERMILLION,
            fontsize=8,
            ha="center",
            va="top",
            zorder=6,
        )


def draw_contacts(axes: Any, groups: dict[str, list[Touch]], size: float) -> None:
    """Forces on the cable, ending where it is touched; the strongest with its size."""
    from matplotlib.patheffects import withStroke

    found = [touch for group in groups.values() for touch in group if touch.strength > 0.0]
    if not found:
        return
    most = max(found, key=lambda touch: touch.strength)
    for touch in found:
        part = touch.strength / most.strength
        arrow = LONGEST_ARROW * size * (0.3 + 0.7 * part) * touch.force / touch.strength
        tail = 1000.0 * touch.point - arrow
        axes.quiver(*tail, *arrow, color=CONTACT, linewidth=1.5, arrow_length_ratio=0.3, zorder=5)
        if touch is most:
            text = f"{touch.strength:.3g} N"
            label = axes.text(
                *(tail - 0.12 * arrow), text, color=CONTACT, fontsize=8, ha="center", va="center", zorder=6
            )
            label.set_path_effects([withStroke(linewidth=2.5, foreground="white")])


def name_things(axes: Any, things: Sequence[Thing], painting: Painting) -> None:
    """The name of each thing, below what one sees of it."""
    from matplotlib.patheffects import withStroke

    for thing in things[:MOST_NAMES]:
        place = painting.label_place(thing)
        if place is not None:
            above = thing.plane  # its lowest corner is that of the picture
            side = "bottom" if above else "top"
            label = axes.text(*place, thing.name, color=GREY, fontsize=7.5, ha="center", va=side, zorder=6)
            label.set_path_effects([withStroke(linewidth=2.0, foreground="white")])


def draw_directors(axes: Any, x: Array, quaternions: Array, length: float, every: int = 1) -> None:
    """d1, d2, d3 as red, green and blue strokes at every so many points."""
    frames = directors(quaternions[::every])
    for k, colour in enumerate(DIRECTOR_COLOURS):
        tips = x[::every] + length * frames[:, :, k]
        for a, b in zip(x[::every], tips, strict=True):
            axes.plot(*np.stack([a, b], axis=1), color=colour, linewidth=1.2, zorder=5)


def draw_traces(axes: Any, x: Array, quaternions: Array, length: float) -> None:
    """The lines along which the ends of the three directors run [GS07 fig. 1]."""
    frames = directors(quaternions)
    for k, colour in enumerate(DIRECTOR_COLOURS):
        tips = x + length * frames[:, :, k]
        axes.plot(tips[:, 0], tips[:, 1], tips[:, 2], color=colour, linewidth=1.4, zorder=5, label=f"d{k + 1}")


def mark_limits(bar: Any, scene: Scene, along: Along, top: float) -> None:
    """The bend radius limit on the colour bar, if there is one for the whole cable and it is on the scale."""
    limits = list(limits_along(scene, along, "bend_radius"))
    if len({limit for _, limit, _ in limits}) != 1 or len(limits) != len(along.regions):
        return
    region, limit, measured = limits[0]
    bound = float(curvature_bound(along, region, limit, measured).min())
    if bound <= top:
        bar.axhline(bound, color="white", linewidth=1.6)
        place = {"ha": "center", "va": "bottom", "transform": bar.transAxes}
        bar.text(0.5, 1.03, f"— R {1000.0 * limit:.3g} mm", fontsize=8, color=GREY, **place)
