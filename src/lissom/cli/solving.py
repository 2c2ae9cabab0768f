"""`lissom solve` and `lissom demo`: cables in equilibrium, machines at rest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lissom.cli.options import AsJson, Folder, SceneFile, Settings, load
from lissom.cli.talking import CHECK_FAILS, GOOD, NOT_CERTIFIED, compiling, make_console, user_mistakes, wrote

if TYPE_CHECKING:
    from lissom.analysis.report import Findings
    from lissom.scene import Scene

Softened = Annotated[
    list[str] | None,
    typer.Option(
        "--soft",
        metavar="CABLE[=BENT]",
        help='Let the cable find its own length: "hose=0.5", from 0 (rather straight) to 1 (rather bent).',
    ),
]


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


def answer(scene: Scene, as_json: bool, output: Path | None, soft: Sequence[str] = ()) -> None:
    """Solves, prints, writes; ends with the exit status that says how it went."""
    from lissom.scene import SceneError

    if scene.is_machine or (not scene.cables and any(part.motion == "free" for part in scene.parts)):
        raise typer.Exit(rested(scene, as_json, output))
    if not scene.cables:
        raise SceneError("the scene has no cables; `lissom new` writes one to begin with")
    if output is not None:
        from lissom.scene.files import make_folder

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

        wrote(write_findings(found, output), quiet=as_json)
    raise typer.Exit(exit_status(found))


def rested(scene: Scene, as_json: bool, output: Path | None) -> int:
    """A machine at rest, and its cables there; the exit status."""
    from lissom.analysis.machines import print_rest, rest_entries
    from lissom.analysis.report import document, findings, plain, pretty
    from lissom.scene.files import make_folder, write

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
        wrote([write(output / "rest.json", text.encode())], quiet=as_json)
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
