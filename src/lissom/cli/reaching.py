"""`lissom reach`: are the cables on a part long enough?"""

from __future__ import annotations

from typing import Annotated

import typer

from lissom.cli.options import AsJson, SceneFile, Settings, load
from lissom.cli.talking import CHECK_FAILS, GOOD, NOT_CERTIFIED, compiling, make_console, telling, user_mistakes


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
