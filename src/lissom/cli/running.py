"""`lissom run`: a machine in time, or a gripper along its path."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from lissom.cli.feeling import felt
from lissom.cli.options import AsJson, Folder, SceneFile, Settings, load
from lissom.cli.talking import (
    CHECK_FAILS,
    INTERRUPTED,
    NOT_CERTIFIED,
    compiling,
    counting,
    fail,
    make_console,
    until_interrupted,
    user_mistakes,
    wrote,
)


def run(
    scene: SceneFile,
    seconds: Annotated[float, typer.Option(min=0.0, max=1e6, help="How long, in s of the machine.")] = 5.0,
    rate: Annotated[float, typer.Option(min=1.0, max=1e5, help="Steps and records per second.")] = 60.0,
    substeps: Annotated[int, typer.Option(min=1, max=10_000, help="Of each step.")] = 10,
    iterations: Annotated[int, typer.Option(min=1, max=1000, help="Solutions in each substep, at least.")] = 1,
    motion: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The motion that leads driven parts; absent: the only one there is."),
    ] = None,
    settings: Settings = None,
    json: AsJson = False,
    npz: Annotated[bool, typer.Option("--npz", help="Print arrays (numpy's NPZ) on stdout and nothing else.")] = False,
    output: Folder = None,
) -> None:
    """Run a machine: bodies and ropes in time. A scene with a [haptic] part: its gripper along its path."""
    with user_mistakes(), compiling():
        from lissom.analysis.machines import print_run, record, run_json, run_npz, write_run
        from lissom.machines.machine import Machine
        from lissom.scene.files import make_folder

        if json and npz:
            fail("--json and --npz both go to stdout: keep one of them")

        loaded = load(scene, settings or [])
        if loaded.haptic is not None:
            raise typer.Exit(felt(loaded, None, json, npz, output))
        if not loaded.ropes and all(part.motion != "free" for part in loaded.parts):
            fail(f"{scene}: nothing moves by itself: no ropes, no free parts; use `lissom solve`")
        if output is not None:
            make_folder(output)
        machine = Machine(loaded, substeps=substeps, iterations=iterations, motion=motion)
        if machine.motion is None and loaded.motions:
            names = ", ".join(k.name for k in loaded.motions)
            typer.echo(f"driven parts stand: say which motion leads them with --motion ({names})", err=True)
        total = round(seconds * rate)
        with counting("steps", total) as count, until_interrupted(lambda: machine.time > 0.0) as is_over:
            found = record(machine, total, 1.0 / rate, count, is_over)
        if json:
            typer.echo(run_json(found), nl=False)
        elif npz:
            sys.stdout.buffer.write(run_npz(found))
        else:
            print_run(found, make_console())
        if output is not None:
            wrote(write_run(found, output), quiet=json or npz)
    if is_over():
        typer.echo(f"stopped at {found.time[-1]:.2f} s of {seconds:g} s", err=True)
        raise typer.Exit(INTERRUPTED)
    if not found.finite:
        typer.echo("not certified: the machine flew apart; take more substeps", err=True)
        raise typer.Exit(NOT_CERTIFIED)
    if any(check.ok is False for check in found.checks):
        raise typer.Exit(CHECK_FAILS)
