"""`lissom sweep`: every position of the parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lissom.cli.options import AsJson, Folder, SceneFile, Settings, load
from lissom.cli.talking import (
    CHECK_FAILS,
    GOOD,
    NOT_CERTIFIED,
    counting,
    fail,
    make_console,
    telling,
    user_mistakes,
    wrote,
)

if TYPE_CHECKING:
    from lissom.analysis.sweepfiles import Request
    from lissom.scene import Scene


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
        wrote(write_swept(scene, swept, output, lengths, near, meshes), quiet=as_json)
    if swept.failed:
        typer.echo(f"not certified at {len(swept.failed)} of {len(swept.readings)} positions", err=True)
        return NOT_CERTIFIED
    return GOOD if swept.ok else CHECK_FAILS


def going_on(visited: int, total: int) -> None:
    typer.echo(f"an interrupted sweep of the same had visited {visited} of {total} positions: going on there", err=True)


def tell_part(tell: Callable[[str], object], what: str, done: float) -> None:
    tell(f"{what}: {done:.0%}")
