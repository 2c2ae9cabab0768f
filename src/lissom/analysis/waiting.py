"""Something to look at while the kernels are compiled, once."""

from collections.abc import Iterator
from contextlib import contextmanager

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


class KernelsColumn(ProgressColumn):
    """Kernels compiled so far; not all of those defined are needed, so there is no end to count to."""

    def render(self, task: Task) -> Text:
        return Text(f"{kernels.compiled_count()[0]} kernels")


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
