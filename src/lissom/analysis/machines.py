"""A machine recorded over time, or at rest: JSON, arrays, tables and a plot of the tensions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.checks import Check
from lissom.analysis.report import plain, pretty
from lissom.analysis.ropechecks import rope_checks, worst
from lissom.scene import Scene
from lissom.scene.files import make_folder, write

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Console

    from lissom.machines.machine import Machine
    from lissom.machines.readings import Broke
    from lissom.machines.resting import Rest

Array = NDArray[np.float64]

ROUNDING = 1e-9
"""m, rad, N: less than this is shown as nothing; files have all digits."""


LINE = 0.005
"""Of the largest tension: curves that are nearer hide each other in a plot."""

THIN, WIDER = 1.3, 1.7
"""Points: of the topmost line of a plot, and how much wider each one below it is."""

FINEST = 0.02
"""Of the largest tension: the least that a plot shows of it."""

MOST_NAMED = 4
"""Spans that the legend of a plot names for one line."""

MOST_ENTRIES = 12
"""Lines that a legend names: those with the largest tensions."""

MUCH = 0.01
"""Of a rope: it is said where it is too short by more."""

A_COLUMN = 6
"""Entries of a legend that fit below each other."""


@dataclass
class Run:
    """What was recorded; k: record, i: link of a rope, first those of its path, then the parts that it may meet. NaN
    where a link leads nowhere or is passed by, and of forces before the first step. Of a rope that broke, tensions are
    0 from then on, and lengths what they were.
    """

    scene: Scene
    time: list[float] = field(default_factory=list)
    energy: list[float] = field(default_factory=list)
    links: dict[str, tuple[str, ...]] = field(default_factory=dict)  # by rope, (i,) the part that each link is on
    tension: dict[str, list[Array]] = field(default_factory=dict)  # by rope, (k, i) of the span that leaves i, N
    peak: dict[str, list[Array]] = field(default_factory=dict)  # (k, i) its largest since the record before, N
    rest: dict[str, list[Array]] = field(default_factory=dict)  # (k, i) its unstretched length, m
    stored: dict[str, list[Array]] = field(default_factory=dict)  # (k, i) on the link, m
    position: dict[str, list[Array]] = field(default_factory=dict)  # by free part, (k, 3) m
    quaternion: dict[str, list[Array]] = field(default_factory=dict)  # (k, 4)
    joint: dict[str, list[float]] = field(default_factory=dict)  # by joint, (k,) rad or m
    torque: dict[str, list[float]] = field(default_factory=dict)  # of its motor or friction, N m or N
    broke: dict[str, Broke] = field(default_factory=dict)  # by rope; those that did
    checks: list[Check] = field(default_factory=list)  # the worst of each rule of a rope
    lacking: tuple[str, float] = ("", 0.0)  # the rope that was most too short at any time, and by how much, m

    @property
    def finite(self) -> bool:
        return all(math.isfinite(k) for k in self.energy)

    def take(self, machine: Machine) -> None:
        """One more record."""
        self.time.append(machine.time)
        self.energy.append(machine.energy)
        for rope in self.scene.ropes:
            now = machine.rope(rope.name)
            unknown = np.full(len(now.tension), math.nan)
            tension, peak = (now.tension, now.peak) if machine.time > 0.0 else (unknown, unknown)
            for key, values in (("tension", tension), ("peak", peak), ("rest", now.rest)):
                row = np.full(len(now.parts), math.nan)
                row[now.leaves] = values
                getattr(self, key).setdefault(rope.name, []).append(row)
            self.links[rope.name] = now.parts
            self.stored.setdefault(rope.name, []).append(np.where(now.active, now.stored, math.nan))
            if now.broke is not None:
                self.broke[rope.name] = now.broke
        self.lacking = max(self.lacking, machine.lacking, key=lambda k: k[1])
        if machine.time > 0.0:
            self.checks = worst(self.checks, rope_checks(machine))
        for name, (x, q) in machine.poses.items():
            self.position.setdefault(name, []).append(np.array(x))
            self.quaternion.setdefault(name, []).append(np.array(q))
        for name in machine.joint_values:
            reading = machine.joint(name)
            self.joint.setdefault(name, []).append(reading.value)
            self.torque.setdefault(name, []).append(reading.torque if machine.time > 0.0 else math.nan)


def record(
    machine: Machine,
    steps: int,
    dt: float,
    count: Callable[[int], object],
    is_over: Callable[[], bool] = lambda: False,
) -> Run:
    """Runs and records after every step; stops where nothing is finite any more, or when it is said to be over."""
    found = Run(machine.scene)
    found.take(machine)
    for k in range(steps):
        machine.step(dt)
        found.take(machine)
        count(k + 1)
        if not found.finite or is_over():
            break
    return found


def run_json(found: Run) -> str:
    """Everything over time, with null for NaN."""
    document: dict[str, Any] = {"time": found.time, "energy": _plain(found.energy)}
    document["lacking"] = dict(zip(("rope", "length"), found.lacking, strict=True))
    document["ropes"] = {
        rope.name: {
            "links": list(found.links[rope.name]),
            "tension": _plain(found.tension[rope.name]),
            "peak": _plain(found.peak[rope.name]),
            "rest": _plain(found.rest[rope.name]),
            "stored": _plain(found.stored[rope.name]),
            "broke": asdict(found.broke[rope.name]) if rope.name in found.broke else None,
        }
        for rope in found.scene.ropes
    }
    document["parts"] = {
        name: {"position": _plain(found.position[name]), "quaternion": _plain(found.quaternion[name])}
        for name in found.position
    }
    document["joints"] = {
        name: {"value": _plain(found.joint[name]), "torque": _plain(found.torque[name])} for name in found.joint
    }
    document["checks"] = [asdict(check) for check in found.checks]
    return pretty(plain(document)) + "\n"


def rest_entries(machine: Machine, rest: Rest) -> dict[str, Any]:
    """A machine as it stands: tensions and lengths of the ropes, values, torques and forces of the joints."""
    ropes, joints = {}, {}
    for rope in machine.scene.ropes:
        now = machine.rope(rope.name)
        ropes[rope.name] = {
            "links": list(now.parts),
            "leaves": now.leaves.tolist(),
            "tension": now.tension.tolist(),
            "length": now.length.tolist(),
            "rest": now.rest.tolist(),
            "stored": now.stored.tolist(),
            "active": now.active.tolist(),
            "broke": None if now.broke is None else asdict(now.broke),
        }
    for name in machine.joints:
        reading = machine.joint(name)
        joints[name] = {"value": reading.value, "torque": reading.torque, "force": reading.force.tolist()}
    poses = {name: {"position": x, "quaternion": q} for name, (x, q) in machine.poses.items()}
    return {
        "status": "converged" if rest.ok else "not_converged",
        "reason": rest.reason,
        "steps": rest.steps,
        "ropes": ropes,
        "joints": joints,
        "parts": poses,
        "checks": [asdict(check) for check in rope_checks(machine)],
    }


def print_rest(machine: Machine, rest: Rest, console: Console) -> None:
    """What every rope pulls with, and what every joint holds."""
    from rich.table import Table

    title = machine.scene.title or "machine"
    console.print(f"{title}: at rest" if rest.ok else f"{title}: not at rest", style="bold")
    ropes = Table("rope", "span", "tension [N]", "length [m]", "slack [m]")
    for rope in machine.scene.ropes:
        now = machine.rope(rope.name)
        if now.broke is not None:
            console.print(f"{rope.name} {now.broke}", style="bold red")
        spans = zip(now.leaves, now.arrives, now.tension, now.length, now.rest, strict=True)
        for i, k, tension, length, unstretched in spans:
            slack = _said(max(0.0, float(unstretched - length)))
            ropes.add_row(rope.name, f"{now.parts[i]} – {now.parts[k]}", _said(tension), _said(length), slack)
    joints = Table("joint", "value", "torque or force held", "force [N]")
    for name in machine.joints:
        reading = machine.joint(name)
        kind = machine.scene.joint(name).kind
        unit = ("m", "N") if kind == "slide" else ("rad", "N m")
        force = _said(float(np.linalg.norm(reading.force)))
        joints.add_row(name, f"{_said(reading.value)} {unit[0]}", f"{_said(reading.torque)} {unit[1]}", force)
    for table in (ropes, joints):
        if table.row_count:
            console.print(table)
    print_checks(rope_checks(machine), console)


def print_checks(checks: list[Check], console: Console) -> None:
    """Rules of ropes, each at its worst."""
    from rich.table import Table
    from rich.text import Text

    table = Table("", "rope", "check", "limit", "value", "on")
    for check in checks:
        mark = Text(*{True: ("✓", "green"), False: ("✗", "bold red"), None: ("–", "yellow")}[check.ok])
        value = check.note if check.value is None else f"{check.value:.4g} {check.unit}"
        rule = check.rule.replace("_", " ")
        table.add_row(mark, check.cable, rule, f"{check.limit:.4g} {check.unit}", value, check.part)
    if checks:
        console.print(table)


def _plain(rows: Any) -> Any:
    values = np.asarray(rows, dtype=float)
    nested = values.tolist()
    if np.isfinite(values).all():
        return nested
    return [[_or_none(k) for k in row] if isinstance(row, list) else _or_none(row) for row in nested]


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def print_run(found: Run, console: Console) -> None:
    """What every rope pulled with, and where the parts are."""
    from rich.table import Table

    console.print(f"{found.scene.title or 'machine'}: {found.time[-1]:g} s, {len(found.time) - 1} steps", style="bold")
    for name, broke in found.broke.items():
        console.print(f"{name} {broke}", style="bold red")
    short, lacks = found.lacking
    if lacks > 0.0 and lacks > MUCH * float(np.nansum(found.rest[short][0]) + np.nansum(found.stored[short][0])):
        why = "more of it is hauled in than can follow, or it is caught; a motor may have a largest torque"
        console.print(f"{short} was too short by {lacks:.3g} m: {why}", style="bold yellow")
    ropes = Table("rope", "span", "tension at the end [N]", "largest [N]", "length at rest [m]")
    for rope in found.scene.ropes:
        tension, peak, rest = (np.array(k[rope.name]) for k in (found.tension, found.peak, found.rest))
        for i, part in enumerate(found.links[rope.name]):
            if np.isnan(tension[:, i]).all():
                continue
            now = "broken" if rope.name in found.broke else _said(tension[-1, i])
            ropes.add_row(rope.name, f"from {part}", now, _said(np.nanmax(peak[:, i])), _said(rest[-1, i]))
    parts = Table("part", "x [m]", "y [m]", "z [m]")
    for name, places in found.position.items():
        parts.add_row(name, *(_said(k) for k in places[-1]))
    for table in (ropes, parts):
        if table.row_count:
            console.print(table)
    print_checks(found.checks, console)


def _said(value: float) -> str:
    if math.isnan(value):
        return "–"
    return "0" if abs(value) < ROUNDING else f"{value:.5g}"


def write_run(found: Run, folder: Path) -> Iterator[Path]:
    """JSON, arrays, a table, and plots of the tensions and of what moved."""
    from lissom.analysis.plots import image
    from lissom.analysis.runplots import plot_motion
    from lissom.analysis.runtable import run_csv

    make_folder(folder)
    yield write(folder / "run.json", run_json(found).encode())
    yield write(folder / "run.npz", run_npz(found))
    yield write(folder / "run.csv", run_csv(found).encode())
    if found.scene.ropes:
        yield write(folder / "tension.png", image(plot_tensions(found), "png"))
    if found.position:
        yield write(folder / "motion.png", image(plot_motion(found), "png"))


def run_npz(found: Run) -> bytes:
    """Everything over time as arrays: time, energy, and "rope.tension", "part.position", "joint.torque" and so on."""
    stream = BytesIO()
    arrays = {"time": np.array(found.time), "energy": np.array(found.energy)}
    for key in ("tension", "peak", "rest", "stored", "position", "quaternion", "joint", "torque"):
        arrays |= {f"{name}.{key}": np.array(rows) for name, rows in getattr(found, key).items()}
    np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def alike(tension: Array) -> list[list[int]]:
    """Columns of (k, i) tensions that are never further apart than a line is thick, in groups; those never known are
    left out.
    """
    thick = LINE * float(np.nanmax(tension, initial=0.0))
    groups: list[list[int]] = []
    for i in range(tension.shape[1]):
        known = ~np.isnan(tension[:, i])
        for group in groups:
            other = tension[:, group[0]]
            if np.array_equal(known, ~np.isnan(other)) and np.all(np.abs(tension[known, i] - other[known]) <= thick):
                group.append(i)
                break
        else:
            if known.any():
                groups.append([i])
    return groups


def _spans(parts: tuple[str, ...], group: list[int]) -> str:
    if len(group) > MOST_NAMED:
        return f"from {parts[group[0]]} and {len(group) - 1} more"
    return "from " + ", ".join(parts[i] for i in group)


def plot_tensions(found: Run) -> Figure:
    """A panel for each rope, a line for each span; those that would hide each other are one."""
    from matplotlib import rc_context

    from lissom.analysis.plots import STYLE, new_figure
    from lissom.analysis.runplots import no_finer

    with rc_context(STYLE):
        figure = new_figure(7.4, 1.8 * len(found.scene.ropes) + 0.6)
        axes = figure.subplots(len(found.scene.ropes), 1, sharex=True, squeeze=False)[:, 0]
        for axis, rope in zip(axes, found.scene.ropes, strict=True):
            tension, parts = np.array(found.tension[rope.name]), found.links[rope.name]
            groups = alike(tension)
            loaded = sorted(range(len(groups)), key=lambda k: -np.nanmax(tension[:, groups[k][0]]))
            named = {k: _spans(parts, groups[k]) for k in loaded[:MOST_ENTRIES]}
            crowded = len(groups) > len(named)
            for k, group in enumerate(groups):  # each over a wider one: what coincides for a while is seen beside it
                width = THIN if crowded else THIN + WIDER * min(len(groups) - 1 - k, MOST_NAMED)
                axis.plot(found.time, tension[:, group[0]], linewidth=width, label=named.get(k, "_"))
            axis.set_ylabel(f"{rope.name} [N]")
            if crowded:
                axis.plot([], [], linestyle="none", label=f"… and {len(groups) - len(named)} more")
            if groups:
                axis.legend(fontsize=7, ncols=1 + len(named) // A_COLUMN, frameon=crowded)
            no_finer(axis, FINEST * float(np.nanmax(tension, initial=0.0)))
        axes[-1].set_xlabel("time [s]")
    return figure
