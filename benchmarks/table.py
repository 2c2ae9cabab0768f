"""The table `make bench` prints: on the terminal, or as markdown."""

import os
import platform
from dataclasses import dataclass

import numba
import numpy as np
import scipy
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. Times in ms; what does not apply is None."""

    group: str
    job: str
    points: int | None = None
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    mean: float | None = None
    iterations: float | None = None
    per_point: float | None = None  # ns per point and iteration
    error: float | None = None  # of the length, from the true shape
    ratio: float | None = None  # times ours
    note: str = ""
    aim: str = ""
    met: bool | None = None


COLUMNS = (
    "job", "points", "p50 ms", "p95 ms", "p99 ms", "mean ms", "iterations", "ns/point/it.", "error/L", "× ours", "aim",
)  # fmt: skip


def cells(row: Row) -> list[str]:
    mark = {None: "", True: " ✓", False: " ✗"}[row.met]
    return [
        f"{row.job}: {row.note}" if row.note else row.job,
        "" if row.points is None else str(row.points),
        *(milliseconds(v) for v in (row.p50, row.p95, row.p99, row.mean)),
        "" if row.iterations is None else f"{row.iterations:.1f}",
        "" if row.per_point is None else f"{row.per_point:.0f}",
        "" if row.error is None else f"{row.error:.0e}",
        "" if row.ratio is None else f"{row.ratio:.0f}",
        row.aim + mark,
    ]


def milliseconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if value < 1.0 else f"{value:.2f}" if value < 100.0 else f"{value:.0f}"


def table(title: str, rows: list[Row]) -> Table:
    made = Table(title=title, caption=machine(), title_justify="left")
    for name in COLUMNS:
        made.add_column(name, justify="left" if name in ("job", "aim") else "right", no_wrap=True)
    group = ""
    for row in rows:
        if row.group != group:
            group = row.group
            made.add_section()
            made.add_row(f"[bold]{group}[/bold]")
        made.add_row(*cells(row))
    return made


def markdown(rows: list[Row]) -> str:
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" + "|---:" * (len(COLUMNS) - 2) + "|---|"]
    group = ""
    for row in rows:
        if row.group != group:
            group = row.group
            lines.append(f"| **{group}** |" + " |" * (len(COLUMNS) - 1))
        lines.append("| " + " | ".join(cells(row)) + " |")
    return "\n".join([*lines, "", machine()])


def machine() -> str:
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, numpy {np.__version__}, "
        f"numba {numba.__version__}, scipy {scipy.__version__}"
    )
