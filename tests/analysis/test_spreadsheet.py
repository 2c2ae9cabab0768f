"""CSV: one row per point, exact numbers, units in the heading."""

import csv
import io

import numpy as np

from lissom.analysis.report import Findings
from lissom.analysis.spreadsheet import csv_text


def test_round_trip(hose: Findings) -> None:
    cable = hose.cables["hose"]
    assert cable is not None
    rows = list(csv.DictReader(io.StringIO(csv_text(hose.scene, cable))))
    assert len(rows) == len(cable.s)
    for heading, values in (
        ("s [m]", cable.s),
        ("z [m]", cable.positions[:, 2]),
        ("qw [1]", cable.quaternions[:, 0]),
        ("ny [N]", cable.force[:, 1]),
        ("mz before [N m]", cable.moment_before[:, 2]),
        ("tension [N]", cable.tension),
    ):
        assert np.array_equal([float(row[heading]) for row in rows], values)


def test_every_column_has_a_unit(hose: Findings) -> None:
    cable = hose.cables["hose"]
    assert cable is not None
    heading = csv_text(hose.scene, cable).splitlines()[0].split(",")
    assert all(name.endswith("]") and "[" in name for name in heading)
    assert len(set(heading)) == len(heading)
