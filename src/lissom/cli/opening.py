"""`lissom studio`: the workbench in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.talking import fail


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
