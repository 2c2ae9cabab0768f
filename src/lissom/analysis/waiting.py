"""Something to look at while kernels are compiled, once.

Which kernels a scene needs cannot be known before it is solved: parts, junctions and meshes have their own. So
numba tells: its events say when it begins to compile one, which it does only where the cache has none.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from numba.core import event as events
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from lissom import kernels


def compiled_folder() -> Path:
    """Where what is compiled for these sources is kept, for other processes and other days."""
    return kernels.cache_folder()


class KernelsColumn(ProgressColumn):
    """Kernels compiled so far; not all of those defined are needed, so there is no end to count to."""

    def render(self, task: Task) -> Text:
        return Text(f"{kernels.compiled_count()[0]} kernels")


class FirstCompile(events.Listener):
    """Calls `tell` when a kernel is about to be compiled, the first time."""

    def __init__(self, tell: Callable[[], object]) -> None:
        self._tell: Callable[[], object] | None = tell

    def on_start(self, event: Any) -> None:
        tell, self._tell = self._tell, None
        if tell is not None:
            tell()

    def on_end(self, event: Any) -> None:
        pass


@contextmanager
def on_compiling(tell: Callable[[], object]) -> Iterator[None]:
    """While the block runs, the first kernel that has to be compiled is announced by `tell`."""
    with events.install_listener("numba:compile", FirstCompile(tell)):
        yield


@contextmanager
def progress_when_compiling() -> Iterator[None]:
    """A line on stderr from the first kernel that is compiled to the end of the block; otherwise nothing."""
    with ExitStack() as shown, on_compiling(lambda: shown.enter_context(compile_progress())):
        yield


@contextmanager
def compile_progress() -> Iterator[None]:
    """A line on stderr that lives as long as the block; it is redrawn from a thread of its own."""
    columns = (
        SpinnerColumn(),
        TextColumn("compiling (once)"),
        BarColumn(bar_width=24),
        KernelsColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=5) as progress:
        progress.add_task("compiling", total=None)
        yield
