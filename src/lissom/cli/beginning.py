"""`lissom new`, `lissom schema` and `lissom library`: what one begins a scene with."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.talking import make_console, user_mistakes


class Kind(enum.StrEnum):
    """Scenes to begin with."""

    hose = "hose"
    cantilever = "cantilever"
    rope = "rope"
    moulded = "moulded"
    parts = "parts"


def new(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Absent: print it.")] = None,
    kind: Annotated[Kind, typer.Option(help="What to begin with.")] = Kind.hose,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a small scene to begin with."""
    with user_mistakes():
        from lissom.scene import SceneError, new_scene
        from lissom.scene.files import write

        text = new_scene(kind.value)
        if file is None:
            typer.echo(text, nl=False)
            return
        if file.suffix.lower() != ".toml":
            raise SceneError(f'{file}: the name of a new scene must end in ".toml"')
        if file.exists() and not force:
            raise SceneError(f"{file}: is already there; --force overwrites it")
        write(file, text.encode())
        typer.echo(f"wrote {file}; solve it with: lissom solve {quoted(file)}")


def schema(
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write it there.")] = None,
) -> None:
    """Print the JSON Schema of scene files, with which editors complete and check them."""
    with user_mistakes():
        from json import dumps

        from lissom.scene import json_schema
        from lissom.scene.files import write

        text = dumps(json_schema(), indent=2) + "\n"
        if output is None:
            typer.echo(text, nl=False)
        else:
            write(output, text.encode())
            typer.echo(f"wrote {output}")


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


def quoted(path: Path) -> str:
    import shlex

    return shlex.quote(str(path))
