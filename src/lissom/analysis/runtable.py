"""A run of a machine as one table: a line for each record, a column for each series, with units."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lissom.analysis.machines import Run

Array = NDArray[np.float64]


def run_csv(found: Run) -> str:
    """Empty where a link leads nowhere or is passed by. The tension of a rope that broke is 0 from then on."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    columns = list(_columns(found))
    writer.writerow([heading for heading, _ in columns])
    for row in np.column_stack([values for _, values in columns]):
        writer.writerow([f"{value:.9g}" if np.isfinite(value) else "" for value in row])
    return stream.getvalue()


def _columns(found: Run) -> Iterator[tuple[str, Array]]:
    yield "time [s]", np.array(found.time)
    yield "energy [J]", np.array(found.energy)
    for rope in found.scene.ropes:
        for kind, unit in (("tension", "N"), ("peak", "N"), ("rest", "m"), ("stored", "m")):
            rows = np.array(getattr(found, kind)[rope.name])
            for i, part in enumerate(found.links[rope.name]):
                if not np.isnan(rows[:, i]).all():
                    where = f"on {part}" if kind == "stored" else f"from {part}"
                    yield f"{rope.name} {kind} {where} ({i + 1}) [{unit}]", rows[:, i]
    for name in found.joint:
        slides = found.scene.joint(name).kind == "slide"
        yield f"{name} [{'m' if slides else 'rad'}]", np.array(found.joint[name])
        yield f"{name} {'force [N]' if slides else 'torque [N m]'}", np.array(found.torque[name])
    for name in found.position:
        for k, axis in enumerate("xyz"):
            yield f"{name} {axis} [m]", np.array(found.position[name])[:, k]
        for k, axis in enumerate("wxyz"):
            yield f"{name} q{axis}", np.array(found.quaternion[name])[:, k]
