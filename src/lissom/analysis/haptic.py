"""Haptic runs and contact states for people and programs: tables, JSON, plots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.analysis.report import plain, pretty
from lissom.haptic.loop import LoopReport, Trace
from lissom.haptic.program import Program, make_program
from lissom.haptic.recording import Recording
from lissom.haptic.states import Segments
from lissom.scene.files import make_folder, write

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Console


# ---- a run of the loop -------------------------------------------------------------------------------------


def felt_json(report: LoopReport, recording: Recording) -> str:
    """The report, and gripper, forces and contacts over time."""
    touches = [
        [
            {"part": t.part, "feature": t.feature, "at": t.place / recording.length, "force": t.force.tolist()}
            for t in recording.touches(k)
        ]
        for k in range(len(recording.time))
    ]
    document: dict[str, Any] = {
        "report": report.entries(),
        "time": recording.time.tolist(),
        "gripper": {"position": recording.position.tolist(), "quaternion": recording.quaternion.tolist()},
        "force": recording.force.tolist(),
        "torque": recording.torque.tolist(),
        "contacts": touches,
    }
    return pretty(plain(document)) + "\n"


def print_felt(report: LoopReport, recording: Recording, console: Console) -> None:
    """How the loop kept its time, and what was felt."""
    from rich.table import Table

    console.print(f"{recording.title or 'haptic loop'}: {report.status}", style="bold")
    if report.reason:
        console.print(report.reason)
    table = Table("", "", show_header=False)
    size = np.linalg.norm(recording.force, axis=1)
    rows = {
        "ticks": f"{report.ticks} in {report.seconds:.3f} s",
        "rate": f"{report.rate:.2f} Hz",
        "begun late by": f"p50 {1e3 * report.jitter_p50:.3f}, p99 {1e3 * report.jitter_p99:.3f}, "
        f"most {1e3 * report.jitter_most:.3f} ms",
        "overruns, skipped": f"{report.overruns}, {report.skipped}",
        "steps not made": f"{report.deficit:.0f}",
        "late solves": f"{report.late_solves}",
        "priority": report.priority,
        "work in a tick": f"{1e3 * report.busy:.3f} ms",
        "force": f"{size.min():.3g} to {size.max():.3g} N",
        "energy of the hand": f"at least {report.energy_least:.3g} J; the guard took {report.energy_damped:.3g} J",
        "parts touched": ", ".join(recording.parts) or "none",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    console.print(table)


def write_felt(report: LoopReport, recording: Recording, folder: Path) -> Iterator[Path]:
    """JSON, the recording, and the forces as a plot."""
    from lissom.analysis.plots import image

    make_folder(folder)
    yield write(folder / "haptic.json", felt_json(report, recording).encode())
    yield write(folder / "recording.npz", recording.to_bytes())
    yield write(folder / "force.png", image(plot_forces(recording), "png"))


def plot_forces(recording: Recording, found: Segments | None = None) -> Figure:
    """Force and torque on the gripper over time; with contact states, those above."""
    from matplotlib import rc_context

    from lissom.analysis.plots import BLUE, CONTACT_COLOURS, FAINT, GREEN, INK, STYLE, VERMILLION, new_figure

    with rc_context(STYLE):
        rows = 2 if found is None else 3
        figure = new_figure(7.4, 1.7 * rows + 0.6)
        axes = figure.subplots(rows, 1, sharex=True)
        if found is not None:
            names = list(dict.fromkeys(found.sequence))
            for state in found.states:
                number = names.index(state.name)
                colour = FAINT if state.name == "none" else CONTACT_COLOURS[number % len(CONTACT_COLOURS)]
                axes[0].barh(number, state.ends - state.begins, left=state.begins, height=0.7, color=colour)
            axes[0].set_yticks(range(len(names)), names, fontsize=7)
            axes[0].set_ylim(len(names) - 0.4, -0.6)
            for axis in axes:
                for change in found.changes:
                    axis.axvline(change.time, color=INK, linewidth=0.6, linestyle=":")
        for values, axis, label in (
            (recording.force, axes[-2], "force [N]"),
            (recording.torque, axes[-1], "torque [N m]"),
        ):
            for k, (name, colour) in enumerate(zip("xyz", (VERMILLION, GREEN, BLUE), strict=True)):
                axis.plot(recording.time, values[:, k], color=colour, linewidth=0.9, label=name)
            axis.set_ylabel(label)
            axis.legend(fontsize=7, ncols=3)
        axes[-1].set_xlabel("time [s]")
    return figure


def plot_energy(traces: dict[str, Trace]) -> Figure:
    """How far handles are in, what they feel, and the energy that hands have put in: one line for each loop."""
    from matplotlib import rc_context

    from lissom.analysis.plots import CONTACT_COLOURS, STYLE, new_figure

    with rc_context(STYLE):
        figure = new_figure(7.4, 6.0)
        axes = figure.subplots(3, 1, sharex=True)
        for (name, trace), colour in zip(traces.items(), CONTACT_COLOURS, strict=False):
            handle, force = np.array(trace.handle), np.array(trace.force)
            axes[0].plot(trace.time, 1e3 * handle[:, 2], color=colour, linewidth=0.9, label=name)
            axes[1].plot(trace.time, force[:, 2], color=colour, linewidth=0.7)
            axes[2].plot(trace.time, 1e3 * np.array(trace.energy), color=colour, linewidth=0.9)
        axes[0].set_ylabel("handle z [mm]")
        axes[1].set_ylabel("force z [N]")
        axes[2].set_ylabel("put in by the hand [mJ]")
        axes[2].set_yscale("symlog", linthresh=1.0)
        axes[2].axhline(0.0, color="#222222", linewidth=0.6)
        axes[2].set_xlabel("time [s]")
        axes[0].legend(fontsize=7)
    return figure


# ---- contact states ----------------------------------------------------------------------------------------


def states_json(found: Segments, program: Program) -> str:
    return pretty(plain({**found.entries(), "sequence": list(found.sequence), "title": program.title})) + "\n"


def print_states(found: Segments, title: str, console: Console) -> None:
    """States, and what a sensor sees when one gives way to the next."""
    from rich.table import Table

    console.print(f"{title or 'demonstration'}: {len(found.states)} contact states", style="bold")
    table = Table("from [s]", "to [s]", "touches", "then: force [N]", "direction", "slope [N/s]")
    for k, state in enumerate(found.states):
        then = ("", "", "")
        if k < len(found.changes):
            change = found.changes[k]
            then = (f"{change.size:.3g}", "({:.2f}, {:.2f}, {:.2f})".format(*change.direction), f"{change.slope:.3g}")
        table.add_row(f"{state.begins:.2f}", f"{state.ends:.2f}", state.name, *then)
    console.print(table)


def write_states(recording: Recording, found: Segments, folder: Path) -> Iterator[Path]:
    """States as JSON, the program, and both over time as a plot."""
    from lissom.analysis.plots import image

    make_folder(folder)
    program = make_program(recording, found)
    yield write(folder / "states.json", states_json(found, program).encode())
    yield write(folder / "program.json", program.to_json().encode())
    yield write(folder / "states.png", image(plot_forces(recording, found), "png"))
