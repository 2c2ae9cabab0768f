"""Talking to the user: exit status, mistakes, progress on stderr, what was written, the console."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console

GOOD, BAD_INPUT, CHECK_FAILS, NOT_CERTIFIED, INTERRUPTED = 0, 2, 3, 4, 130


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


def wrote(paths: Iterable[Path], *, quiet: bool) -> None:
    """Says which files there are now, as they come; on stderr where stdout is for something else."""
    for path in paths:
        typer.echo(f"wrote {path}", err=quiet)


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


@contextmanager
def telling() -> Iterator[Callable[[str], object]]:
    """A line on stderr that says what is being done, where someone looks at it."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield lambda text: status.update(text)


@contextmanager
def until_interrupted(has_begun: Callable[[], bool] = lambda: True) -> Iterator[Callable[[], bool]]:
    """Ctrl-C ends the loop, and what it did until then is reported; a second one ends everything, and so does the first
    one before the loop has begun.
    """
    pressed = False

    def press(*_: object) -> None:
        nonlocal pressed
        signal.signal(signal.SIGINT, before)
        if not has_begun():
            raise KeyboardInterrupt
        pressed = True

    before = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)


def make_console() -> Console:
    """Standard output; 80 columns when it is not a terminal, whatever the environment says.

    Names stand as they are: ":b" in one is no picture, and "[red]" no colour.
    """
    from rich.console import Console

    width = None if sys.stdout.isatty() else 80
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=False, width=width)
