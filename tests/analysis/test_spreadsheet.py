"""CSV: one row per point, exact numbers, units in the heading."""

import csv
import dataclasses
import io

import numpy as np

from lissom.analysis.report import Findings
from lissom.analysis.spreadsheet import contacts_csv, csv_text


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


def test_contacts_read_back_exactly_whatever_the_names(lying: Findings) -> None:
    awkward = [dataclasses.replace(contact, part='a, "b"') for contact in lying.contacts]
    rows = list(csv.DictReader(io.StringIO(contacts_csv(lying.scene, awkward))))
    assert len(rows) == len(lying.contacts) > 0
    for row, contact in zip(rows, lying.contacts, strict=True):
        assert (row["cable"], row["part"], row["other at [1]"]) == ("hose", 'a, "b"', "")
        assert float(row["place [m]"]) == contact.place
        assert [float(row[f"F{axis} [N]"]) for axis in "xyz"] == contact.force.tolist()
        assert [float(row[f"{axis} [m]"]) for axis in "xyz"] == contact.point.tolist()
