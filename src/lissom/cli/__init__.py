"""The command line: `lissom solve scene.toml` and its companions.

Exit status: 0 certified and all checks pass, 2 bad input, 3 a check fails, 4 not certified, 130 interrupted. Heavy
libraries are imported inside the commands, so that `lissom --help` answers at once.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from lissom.cli.beginning import library, new, schema
from lissom.cli.feeling import feel, states
from lissom.cli.opening import open_studio, studio
from lissom.cli.reaching import reach
from lissom.cli.running import run
from lissom.cli.solving import demo, solve
from lissom.cli.sweeping import sweep

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="The true shape, forces and moments of cables, hoses, wire harnesses and ropes.",
    epilog="Exit status: 0 certified and all checks pass, 2 bad input, 3 a check fails, 4 not certified, "
    "130 interrupted.",
)
for command in (studio, solve, reach, sweep, run, feel, states, demo, new, schema, library):
    app.command()(command)


def main() -> None:
    """Every mistake of a user ends in a message, never in a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without "✓" shows "?" instead of failing
    app(prog_name="lissom")


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
