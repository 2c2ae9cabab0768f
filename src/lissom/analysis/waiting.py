"""Something to look at while kernels are compiled, once, or something is slow to solve.

Which kernels a scene needs cannot be known before it is solved: parts, junctions and meshes have their own. So
numba tells: its events say when it begins to compile one, which it does only where the cache has none.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Timer
from typing import Any

from numba.core import event as events
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from lissom import kernels

COMPILING = "compiling (once)"
SOLVING = "solving"


def compiled_folder() -> Path:
    """Where what is compiled for these sources is kept, for other processes and other days."""
    return kernels.cache_folder()


class KernelsColumn(ProgressColumn):
    """Kernels compiled so far; not all of those defined are needed, so there is no end to count to."""

    def render(self, task: Task) -> Text:
        return Text(f"{kernels.compiled_count()[0]} kernels" if task.description == COMPILING else "")


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
def progress_when_slow(after: float = 1.0) -> Iterator[None]:
    """A line on stderr once a kernel is compiled, or `after` so many s, to the end of the block; otherwise nothing."""
    line = Line()
    timer = Timer(after, line.show, [SOLVING])
    timer.daemon = True
    timer.start()
    try:
        with on_compiling(lambda: line.show(COMPILING)):
            yield
    finally:
        timer.cancel()
        line.end()


class Line:
    """Says what is waited for; it is redrawn from a thread of its own."""

    def __init__(self) -> None:
        text, bar = TextColumn("{task.description}"), BarColumn(bar_width=24)
        columns = (SpinnerColumn(), text, bar, KernelsColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=5)
        self._task: TaskID | None = None
        self._ended = False
        self._lock = Lock()  # the timer's thread and ours

    def show(self, text: str) -> None:
        """From now on; that kernels are compiled says more than that something is solved."""
        with self._lock:
            if self._ended:
                return
            if self._task is None:
                self._task = self._progress.add_task(text, total=None)
                self._progress.start()
            elif text == COMPILING:
                self._progress.update(self._task, description=text)

    def end(self) -> None:
        with self._lock:
            self._ended = True
            if self._task is not None:
                self._progress.stop()
