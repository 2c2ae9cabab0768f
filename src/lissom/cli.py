"""The command line: `lissom solve scene.toml` and its companions.

Exit status: 0 certified and all checks pass, 2 bad input, 3 a check fails, 4 not certified. Heavy libraries
are imported inside the commands, so that `lissom --help` answers at once.
"""

from __future__ import annotations

import enum
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from lissom.analysis.report import Findings
    from lissom.analysis.sweepfiles import Request
    from lissom.haptic.devices import Device
    from lissom.haptic.program import Program
    from lissom.scene import Scene

GOOD, BAD_INPUT, CHECK_FAILS, NOT_CERTIFIED, INTERRUPTED = 0, 2, 3, 4, 130

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="The true shape, forces and moments of cables, hoses, wire harnesses and ropes.",
    epilog="Exit status: 0 certified and all checks pass, 2 bad input, 3 a check fails, 4 not certified.",
)

SceneFile = Annotated[Path, typer.Argument(metavar="SCENE", help="A scene file, .toml or .json.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help='Change the scene first: "brake hose/length=450 mm".'),
]
Softened = Annotated[
    list[str] | None,
    typer.Option(
        "--soft",
        metavar="CABLE[=BENT]",
        help='Let the cable find its own length: "hose=0.5", from 0 (rather straight) to 1 (rather bent).',
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")]
Folder = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="DIR", help="Write JSON, CSV, plots and pictures there."),
]


class Kind(enum.StrEnum):
    """Scenes to begin with."""

    hose = "hose"
    cantilever = "cantilever"
    rope = "rope"
    moulded = "moulded"
    parts = "parts"


class HapticDevice(enum.StrEnum):
    """What leads a gripper."""

    path = "path"
    hand = "hand"
    udp = "udp"


def main() -> None:
    """The entry point: every mistake of a user ends in a message, never in a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without "✓" shows "?" instead of failing
    try:
        app(prog_name="lissom")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from lissom import __version__

        typer.echo(f"lissom {__version__}")
    elif context.invoked_subcommand is None:
        open_studio(None)
    else:
        return
    raise typer.Exit


@app.command()
def studio(
    scene: Annotated[Path | None, typer.Argument(metavar="[SCENE]", help="Absent: the demo.")] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; beyond this machine a token is needed.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one.")] = 7420,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
) -> None:
    """Open the workbench in the browser."""
    open_studio(scene, host, port, browser)


def open_studio(scene: Path | None, host: str = "127.0.0.1", port: int = 7420, browser: bool = True) -> None:
    from lissom.studio.running import run_studio, start_for

    if scene is not None and not scene.is_file():
        fail(f"{scene}: there is no such file; `lissom new {scene}` writes one to begin with")
    run_studio(start_for(scene), host=host, port=port, browser=browser)


@app.command()
def solve(
    scene: SceneFile,
    settings: Settings = None,
    soft: Softened = None,
    json: AsJson = False,
    output: Folder = None,
) -> None:
    """Solve a scene: its shape, forces, moments and checks."""
    with user_mistakes():
        answer(load(scene, settings or []), json, output, soft or [])


@app.command()
def reach(
    scene: SceneFile,
    part: Annotated[str, typer.Option("--part", metavar="NAME", help="The part that is moved.")],
    to: Annotated[str, typer.Option("--to", metavar="POSE", help='Where to, in the world: "120 mm, 0, 80 mm".')],
    via: Annotated[
        list[str] | None, typer.Option("--via", metavar="POSE", help="A rest position before; may be repeated.")
    ] = None,
    pull: Annotated[
        str | None, typer.Option("--pull", metavar="FORCE", help='A harder pull counts as too short: "20 N".')
    ] = None,
    settings: Settings = None,
    json: AsJson = False,
) -> None:
    """Ask whether the cables on a part are long enough to bring it somewhere, and how long they must be.

    A pose may end in "; quaternion w, x, y, z" or "; tangent x, y, z; roll 30 deg". Exit status: 0 reached, 3 not
    reached, 4 not certified.
    """
    with user_mistakes(), compiling(), telling() as tell:
        from lissom.analysis.reaching import print_reach, reach_json
        from lissom.reaching import reach as ask

        found = ask(load(scene, settings or []), part, to, via=via or [], pull=force(pull), tell=tell)
    if json:
        typer.echo(reach_json(found), nl=False)
    else:
        print_reach(found, make_console())
    if not found.certified:
        typer.echo(f"not certified: {found.reason}", err=True)
    raise typer.Exit(GOOD if found.reached else CHECK_FAILS if found.certified else NOT_CERTIFIED)


@app.command()
def sweep(
    scene: SceneFile,
    motion: Annotated[str | None, typer.Option(metavar="NAME", help="A motion of the scene.")] = None,
    grid: Annotated[
        str | None, typer.Option(metavar="JOINT=N,…", help='Joints over their ranges: "steering=9,travel=9".')
    ] = None,
    positions: Annotated[
        str | None, typer.Option(metavar="NAMES", help='Named positions, with commas between, or "all".')
    ] = None,
    frames: Annotated[int, typer.Option(min=2, max=1_000_000, help="Positions along keyframes.")] = 60,
    back: Annotated[bool, typer.Option("--back", help="And back again: shows hysteresis.")] = False,
    needed: Annotated[bool, typer.Option("--needed", help="Also find how long each cable must be.")] = False,
    envelope: Annotated[bool, typer.Option("--envelope", help="Also write what cables sweep, as STL and GLB.")] = False,
    processes: Annotated[int, typer.Option(min=1, max=1024, help="Share a grid out among so many.")] = 1,
    settings: Settings = None,
    json: AsJson = False,
    output: Folder = None,
) -> None:
    """Visit every position of the parts: checks, worst values, snap-throughs. An interrupted sweep goes on with -o."""
    from lissom.analysis.sweepfiles import Request

    with user_mistakes():
        if sum(k is not None for k in (motion, grid, positions)) != 1:
            fail("say what to sweep: one of --motion, --grid and --positions")
        if envelope and output is None:
            fail("--envelope writes files: say where with -o DIR")
        loaded = load(scene, settings or [])
        request = Request(motion, joint_counts(grid), names(positions, loaded), frames, back)
        try:
            request.goals(loaded)
        except ValueError as error:
            fail(str(error))
        found = swept_scene(loaded, request, output, needed, envelope, json, processes)
    raise typer.Exit(found)


def joint_counts(text: str | None) -> dict[str, int] | None:
    """``"steering=9,travel=9"`` is ``{"steering": 9, "travel": 9}``."""
    from lissom.scene.errors import SceneError

    if text is None:
        return None
    found: dict[str, int] = {}
    for entry in text.split(","):
        name, sign, count = entry.partition("=")
        if not sign or not count.strip().isdigit() or int(count) < 1:
            raise SceneError(
                f'--grid {text!r:.80}: must be joints and how many values of each, as "steering=9,travel=9"'
            )
        if name.strip() in found:
            raise SceneError(f"--grid {text!r:.80}: names {name.strip()} twice; leave one of them out")
        found[name.strip()] = int(count)
    return found


def names(text: str | None, scene: Scene) -> list[str] | str | None:
    """Positions with commas between; a name may hold commas itself: the longest that there is counts."""
    if text is None or text == "all":
        return text
    pieces, found = text.split(","), []
    while pieces:
        whole = [k for k in range(len(pieces), 0, -1) if ",".join(pieces[:k]).strip() in scene.positions]
        count = whole[0] if whole else 1
        found.append(",".join(pieces[:count]).strip())
        pieces = pieces[count:]
    return found


def swept_scene(
    scene: Scene, request: Request, output: Path | None, needed: bool, envelope: bool, as_json: bool, processes: int
) -> int:
    """Sweeps, prints, writes; the exit status."""
    from lissom.analysis.needing import length_needed
    from lissom.analysis.sweepfiles import SweepFolder, run_sweep
    from lissom.analysis.sweepreport import print_swept, swept_json, write_swept
    from lissom.analysis.sweptvolume import rooms, swept_mesh, with_volume

    folder = None if output is None else SweepFolder(output, scene, request)
    swept = None
    with counting("positions", request.total(scene)) as count:
        for swept in run_sweep(scene, request, folder, processes, going_on):
            count(len(swept.readings))
    assert swept is not None
    lengths = []
    if needed:
        with telling() as tell:
            lengths = [length_needed(scene, request, cable.name, swept, tell) for cable in scene.cables]
    near, meshes = [], {}
    if envelope:
        with telling() as tell:
            for name in with_volume(scene, swept):
                meshes[name] = swept_mesh(scene, swept, name, partial(tell_part, tell, f"envelope of {name}"))
            tell("distance to parts that stand still")
            near = list(rooms(scene, swept))
    if as_json:
        typer.echo(swept_json(scene, swept, lengths, near), nl=False)
    else:
        print_swept(scene, swept, lengths, make_console(), near)
    if output is not None:
        for path in write_swept(scene, swept, output, lengths, near, meshes):
            typer.echo(f"wrote {path}", err=as_json)
    if swept.failed:
        typer.echo(f"not certified at {len(swept.failed)} of {len(swept.readings)} positions", err=True)
        return NOT_CERTIFIED
    return GOOD if swept.ok else CHECK_FAILS


def going_on(visited: int, total: int) -> None:
    typer.echo(f"an interrupted sweep of the same had visited {visited} of {total} positions: going on there", err=True)


def tell_part(tell: Callable[[str], object], what: str, done: float) -> None:
    tell(f"{what}: {done:.0%}")


@app.command()
def run(
    scene: SceneFile,
    seconds: Annotated[float, typer.Option(min=0.0, max=1e6, help="How long, in s of the machine.")] = 5.0,
    rate: Annotated[float, typer.Option(min=1.0, max=1e5, help="Steps and records per second.")] = 60.0,
    substeps: Annotated[int, typer.Option(min=1, max=10_000, help="Of each step.")] = 10,
    iterations: Annotated[int, typer.Option(min=1, max=1000, help="Solutions in each substep, at least.")] = 1,
    settings: Settings = None,
    json: AsJson = False,
    npz: Annotated[bool, typer.Option("--npz", help="Print arrays (numpy's NPZ) on stdout and nothing else.")] = False,
    output: Folder = None,
) -> None:
    """Run a machine: bodies and ropes in time. A scene with a [haptic] part: its gripper along its path."""
    with user_mistakes(), compiling():
        from lissom.analysis.files import make_folder
        from lissom.analysis.machines import print_run, record, run_json, run_npz, write_run
        from lissom.machines.machine import Machine

        if json and npz:
            fail("--json and --npz both go to stdout: keep one of them")

        loaded = load(scene, settings or [])
        if loaded.haptic is not None:
            raise typer.Exit(felt(loaded, None, json, npz, output))
        if output is not None:
            make_folder(output)
        machine = Machine(loaded, substeps=substeps, iterations=iterations)
        total = round(seconds * rate)
        with counting("steps", total) as count:
            found = record(machine, total, 1.0 / rate, count)
        if json:
            typer.echo(run_json(found), nl=False)
        elif npz:
            sys.stdout.buffer.write(run_npz(found))
        else:
            print_run(found, make_console())
        if output is not None:
            for path in write_run(found, output):
                typer.echo(f"wrote {path}", err=json or npz)
    if not found.finite:
        typer.echo("not certified: the machine flew apart; take more substeps", err=True)
        raise typer.Exit(NOT_CERTIFIED)
    if any(check.ok is False for check in found.checks):
        raise typer.Exit(CHECK_FAILS)


@app.command()
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
        for path in write_felt(report, recording, output):
            typer.echo(f"wrote {path}", err=as_json or npz)
    if not report.ok:
        typer.echo(f"not certified: {report.status}: {report.reason}", err=True)
        return NOT_CERTIFIED
    return GOOD


@contextmanager
def until_interrupted() -> Iterator[Callable[[], bool]]:
    """Ctrl-C ends the loop, and what it did until then is reported; a second one ends everything."""
    pressed = False

    def press(*_: object) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)


@app.command()
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
            for path in write_states(shown, found, output):
                typer.echo(f"wrote {path}", err=json)
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


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], object]]:
    """A bar on stderr, where someone looks at it; it says so, too, where kernels have to be compiled."""
    if not sys.stderr.isatty():
        with compiling():
            yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    from lissom.analysis.waiting import COMPILING, on_compiling

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)
        with on_compiling(lambda: bar.update(task, description=f"{what}, {COMPILING}")):
            yield lambda done: bar.update(task, completed=done, description=what)


@app.command()
def demo(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One of the gallery; absent: a brake hose.")
    ] = None,
    settings: Settings = None,
    json: AsJson = False,
    output: Folder = None,
) -> None:
    """Solve a scene that ships with lissom: a brake hose, or one of the gallery."""
    from importlib import resources

    with user_mistakes():
        if name is None:
            with resources.as_file(resources.files("lissom") / "examples" / "brake-hose.toml") as path:
                answer(load(path, settings or []), json, output)
        answer(load(demo_file(name or ""), settings or []), json, output)


def demo_file(name: str) -> Path:
    from lissom.scene import SceneError
    from lissom.scene.fields import suggestion
    from lissom.session.gallery import gallery

    found = gallery()
    if name not in found:
        near = suggestion(name, list(found))
        raise SceneError(f"demo {name!r:.60}: there is none of this name{near}; there are {', '.join(found)}")
    return found[name]


@app.command()
def new(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Absent: print it.")] = None,
    kind: Annotated[Kind, typer.Option(help="What to begin with.")] = Kind.hose,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a small scene to begin with."""
    with user_mistakes():
        from lissom.scene import SceneError, new_scene

        text = new_scene(kind.value)
        if file is None:
            typer.echo(text, nl=False)
            return
        if file.suffix.lower() != ".toml":
            raise SceneError(f'{file}: the name of a new scene must end in ".toml"')
        if file.exists() and not force:
            raise SceneError(f"{file}: is already there; --force overwrites it")
        save(file, text)
        typer.echo(f"wrote {file}; solve it with: lissom solve {quoted(file)}")


@app.command()
def schema(
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write it there.")] = None,
) -> None:
    """Print the JSON Schema of scene files, with which editors complete and check them."""
    with user_mistakes():
        from json import dumps

        from lissom.scene import json_schema

        text = dumps(json_schema(), indent=2) + "\n"
        if output is None:
            typer.echo(text, nl=False)
        else:
            save(output, text)
            typer.echo(f"wrote {output}")


@app.command()
def library(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One type in full.")] = None,
) -> None:
    """List the cable types that ship with lissom, or show one with its source."""
    with user_mistakes():
        from lissom.analysis.catalogue import print_catalogue, print_type

        console = make_console()
        if name is None:
            print_catalogue(console)
        else:
            print_type(name.removeprefix("library:"), console)


# ---- solving -----------------------------------------------------------------------------------------------


def load(path: Path, settings: list[str]) -> Scene:
    from lissom.scene import Scene, parse_assignment

    scene = Scene.load(path)
    for text in settings:
        place, value = parse_assignment(text)
        scene = scene.with_value(place, value)
    return scene


def answer(scene: Scene, as_json: bool, output: Path | None, soft: Sequence[str] = ()) -> None:
    """Solves, prints, writes; ends with the exit status that says how it went."""
    from lissom.scene import SceneError

    if scene.is_machine or (not scene.cables and any(part.motion == "free" for part in scene.parts)):
        raise typer.Exit(rested(scene, as_json, output))
    if not scene.cables:
        raise SceneError("the scene has no cables; `lissom new` writes one to begin with")
    if output is not None:
        from lissom.analysis.files import make_folder

        make_folder(output)
    found = solved(scene, soft)
    if as_json:
        from lissom.analysis.report import json_text

        typer.echo(json_text(found), nl=False)
    else:
        from lissom.analysis.table import print_findings

        print_findings(found, make_console())
    if output is not None:
        from lissom.analysis.files import write_findings

        for path in write_findings(found, output):
            typer.echo(f"wrote {path}", err=as_json)
    raise typer.Exit(exit_status(found))


def rested(scene: Scene, as_json: bool, output: Path | None) -> int:
    """A machine at rest, and its cables there; the exit status."""
    from lissom.analysis.files import make_folder, write
    from lissom.analysis.machines import print_rest, rest_entries
    from lissom.analysis.report import document, findings, plain, pretty

    with compiling():
        from lissom.simulation import Simulation

        simulation = Simulation(scene)
        rest = simulation.rest()
        cables = findings(simulation, simulation.solve()) if scene.cables else None
    entries = rest_entries(simulation.machine, rest)
    if cables is not None:
        shapes = document(cables)
        entries = {**shapes, **entries, "parts": shapes["parts"], "checks": [*shapes["checks"], *entries["checks"]]}
    text = pretty(plain(entries)) + "\n"
    if as_json:
        typer.echo(text, nl=False)
    else:
        print_rest(simulation.machine, rest, make_console())
        if cables is not None:
            from lissom.analysis.table import print_findings

            print_findings(cables, make_console())
    if output is not None:
        make_folder(output)
        typer.echo(f"wrote {write(output / 'rest.json', text.encode())}", err=as_json)
    if not rest.ok:
        typer.echo(f"not certified: no rest: {rest.reason}", err=True)
        return NOT_CERTIFIED
    if cables is not None and exit_status(cables) == NOT_CERTIFIED:
        return NOT_CERTIFIED
    return CHECK_FAILS if any(check["ok"] is False for check in entries["checks"]) else GOOD


def solved(scene: Scene, soft: Sequence[str] = ()) -> Findings:
    with compiling():
        from lissom.analysis.report import findings
        from lissom.simulation import Simulation

        simulation = Simulation(scene)
        modes = [simulation.soften(name, bent=bent) for name, bent in map(softened, soft)]
        report = simulation.solve()
        if modes and report.ok:
            report = [mode.freeze() for mode in modes][-1]
        for mode in modes:
            typer.echo(f"{mode.name}: {1000.0 * mode.length:.4f} mm long", err=True)
        return findings(simulation, report)


def softened(text: str) -> tuple[str, float]:
    """``"hose=0.5"`` is ``("hose", 0.5)``; a name alone is in the middle."""
    from lissom.scene.errors import ABSENT, Problem, SceneError

    name, _, value = text.partition("=")
    try:
        bent = float(value or 0.5)
    except ValueError:
        bent = -1.0
    if not 0.0 <= bent <= 1.0:
        message = 'must be a cable and a number from 0 (rather straight) to 1 (rather bent), such as "hose=0.5"'
        raise SceneError([Problem("", ABSENT, f"--soft {text!r:.80} {message}")])
    return name.strip(), bent


def exit_status(found: Findings) -> int:
    if not found.report.ok:
        typer.echo(f"not certified: {found.report.status}: {found.report.reason}", err=True)
        return NOT_CERTIFIED
    return CHECK_FAILS if found.failed_checks else GOOD


@contextmanager
def compiling() -> Iterator[None]:
    """Says so where kernels have to be compiled, once for each kind of scene, or where it takes long otherwise."""
    from lissom.analysis.waiting import on_compiling, progress_when_slow

    if sys.stderr.isatty():
        waiting = progress_when_slow()
    else:
        waiting = on_compiling(lambda: typer.echo("compiling (once); later runs start at once", err=True))
    with waiting:
        yield


def force(text: str | None) -> float | None:
    """N; a text may carry its unit."""
    from lissom.scene.errors import SceneError
    from lissom.scene.units import UnitError, parse

    if text is None:
        return None
    try:
        value = parse(text, "force")
    except UnitError as error:
        raise SceneError(f"--pull {text!r:.60}: {error}") from None
    if not value > 0.0:
        raise SceneError(f'--pull {text!r:.60}: must be above 0, such as "20 N"')
    return value


@contextmanager
def telling() -> Iterator[Callable[[str], object]]:
    """A line on stderr that says what is being done, where someone looks at it."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield lambda text: status.update(text)


# ---- talking to the user -----------------------------------------------------------------------------------


@contextmanager
def user_mistakes() -> Iterator[None]:
    """Bad input becomes a message on stderr and exit status 2."""
    from lissom.scene.errors import SceneError

    try:
        yield
    except SceneError as error:
        fail(str(error))


def fail(message: str) -> NoReturn:
    for line in message.splitlines():
        typer.echo(f"lissom: {line}", err=True)
    raise typer.Exit(BAD_INPUT)


def save(path: Path, text: str) -> None:
    from lissom.scene.errors import ABSENT, Problem, SceneError
    from lissom.scene.saving import write_atomically

    try:
        write_atomically(path, text.encode())
    except (OSError, ValueError) as error:
        message = f"cannot be written: {getattr(error, 'strerror', None) or error}"
        raise SceneError([Problem("", ABSENT, message, file=str(path))]) from None


def make_console() -> Console:
    """Standard output; 80 columns when it is not a terminal, whatever the environment says.

    Names stand as they are: ":b" in one is no picture, and "[red]" no colour.
    """
    from rich.console import Console

    width = None if sys.stdout.isatty() else 80
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=False, width=width)


def quoted(path: Path) -> str:
    import shlex

    return shlex.quote(str(path))


if __name__ == "__main__":
    main()
