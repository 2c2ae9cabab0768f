"""`lissom feel` and `lissom states`: the haptic loop, and what demonstrations show."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lissom.cli.options import AsJson, Folder, SceneFile, Settings, load
from lissom.cli.talking import (
    CHECK_FAILS,
    GOOD,
    NOT_CERTIFIED,
    compiling,
    fail,
    make_console,
    until_interrupted,
    user_mistakes,
    wrote,
)

if TYPE_CHECKING:
    from lissom.haptic.devices import Device
    from lissom.haptic.program import Program
    from lissom.scene import Scene


class HapticDevice(enum.StrEnum):
    """What leads a gripper."""

    path = "path"
    hand = "hand"
    udp = "udp"


def feel(
    scene: SceneFile,
    seconds: Annotated[float, typer.Option(min=0.001, max=1e6, help="How long, in s.")] = 60.0,
    device: Annotated[HapticDevice, typer.Option(help="What leads the gripper.")] = HapticDevice.path,
    host: Annotated[str, typer.Option(help="Address for udp; beyond this machine a token is needed.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="For udp; 0 takes any free one.")] = 7421,
    token: Annotated[int, typer.Option(min=0, max=2**64 - 1, help="For udp: packets with another are dropped.")] = 0,
    settings: Settings = None,
    json: AsJson = False,
    output: Folder = None,
) -> None:
    """Run the haptic loop of a scene in real time, a thousand times in a second, and say how it kept its time."""
    with user_mistakes(), compiling():
        from lissom.gripping import home_of
        from lissom.haptic.udp import UdpDevice

        loaded = load(scene, settings or [])
        listening = None
        if device is HapticDevice.udp:
            try:
                listening = UdpDevice(home_of(loaded), host=host, port=port, token=token)
            except ValueError as error:
                fail(str(error))
            where = listening.address
            typer.echo(f"listening on {where[0]}, port {where[1]}", err=True)
        found = felt(loaded, seconds, json, False, output, listening, device is HapticDevice.hand)
        if listening is not None:
            refused = ", ".join(f"{count} by {word}" for word, count in listening.refused.items()) or "none"
            typer.echo(f"{listening.taken} packets taken, refused: {refused}", err=True)
    raise typer.Exit(found)


def felt(
    scene: Scene,
    seconds: float | None,
    as_json: bool,
    npz: bool,
    output: Path | None,
    device: Device | None = None,
    hand: bool = False,
) -> int:
    """Runs the haptic loop, in real time where `seconds` are given, else along its whole path; the exit status."""
    from lissom.analysis.haptic import felt_json, print_felt, write_felt
    from lissom.gripping import haptic_loop, path_of
    from lissom.haptic.devices import HandNumbers

    loop = haptic_loop(scene, device=device, hand=HandNumbers() if hand else None, wait=seconds is None)
    long = seconds if seconds is not None else max(float(path_of(scene).time[-1]), loop.dt)
    try:
        with until_interrupted() as is_over:
            report = loop.run(long, real_time=seconds is not None, is_over=is_over)
    finally:
        loop.backend.close()
        loop.device.close()
    recording = loop.recording
    if as_json:
        typer.echo(felt_json(report, recording), nl=False)
    elif npz:
        sys.stdout.buffer.write(recording.to_bytes())
    else:
        print_felt(report, recording, make_console())
    if output is not None:
        wrote(write_felt(report, recording, output), quiet=as_json or npz)
    if not report.ok:
        typer.echo(f"not certified: {report.status}: {report.reason}", err=True)
        return NOT_CERTIFIED
    return GOOD


def states(
    recording: Annotated[Path, typer.Argument(metavar="RECORDING", help="recording.npz of `lissom run SCENE -o DIR`.")],
    replay: Annotated[
        Path | None,
        typer.Option(metavar="SCENE", help="Run the program in this scene, whose parts may stand elsewhere."),
    ] = None,
    settings: Settings = None,
    json: AsJson = False,
    output: Folder = None,
) -> None:
    """Find the contact states of a demonstration, and make a robot program from them; try it in another scene.

    Exit status of a replay: 0 the same states in the same order, 3 others, 4 the robot was lost.
    """
    with user_mistakes(), compiling():
        from lissom.analysis.haptic import print_states, states_json, write_states
        from lissom.haptic.program import make_program
        from lissom.haptic.recording import Recording
        from lissom.haptic.states import segment

        shown = Recording.load(recording)
        found = segment(shown)
        program = make_program(shown, found)
        if json:
            typer.echo(states_json(found, program), nl=False)
        else:
            print_states(found, shown.title, make_console())
        if output is not None:
            wrote(write_states(shown, found, output), quiet=json)
        if replay is not None:
            raise typer.Exit(replayed(program, load(replay, settings or []), json))


def replayed(program: Program, scene: Scene, quiet: bool) -> int:
    """A robot runs the program in a scene; the exit status."""
    from lissom.gripping import run_program
    from lissom.haptic.states import segment

    robot, shown = run_program(program, scene)
    for time, state, how in robot.log:
        typer.echo(f"{time:7.2f} s  {state}: {how}", err=quiet)
    if robot.status == "lost":
        typer.echo(f"not certified: {robot.reason}", err=True)
        return NOT_CERTIFIED
    same = segment(shown).sequence == program.sequence
    typer.echo("the same states in the same order" if same else "other states than demonstrated:", err=quiet)
    if not same:
        typer.echo("  " + " → ".join(segment(shown).sequence), err=quiet)
    return GOOD if same else CHECK_FAILS
