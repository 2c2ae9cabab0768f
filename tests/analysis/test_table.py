"""The table for a person: everything with its unit, inside 80 columns."""

import dataclasses
import io

import numpy as np
from rich.console import Console

from lissom.analysis.report import Findings
from lissom.analysis.table import print_findings
from lissom.rods.describing import Contact


def printed(found: Findings, width: int = 80) -> str:
    stream = io.StringIO()
    print_findings(found, Console(file=stream, width=width, highlight=False))
    return stream.getvalue()


def test_says_what_matters_with_units(hose: Findings) -> None:
    text = printed(hose)
    for words in ("converged, stable", "400 mm", "smallest bend radius", "turns", "°", " J ", "[N]", "[N m]"):
        assert words in text, words
    assert "clip" in text
    assert "not checked" in text
    assert "\x1b" not in text


def test_fits_eighty_columns(hose: Findings) -> None:
    assert max(map(len, printed(hose).splitlines())) <= 80
    assert "…" not in printed(hose).replace(" … ", "")


def test_marks_what_fails_and_what_passes(hose: Findings) -> None:
    lines = [line.strip() for line in printed(hose).splitlines()]
    marks = {check.rule: check.ok for check in hose.checks}
    assert sum(line.startswith("✓") for line in lines) == sum(ok is True for ok in marks.values())
    assert sum(line.startswith("✗") for line in lines) == sum(ok is False for ok in marks.values())
    assert sum(line.startswith("–") for line in lines) == sum(ok is None for ok in marks.values())


def row(text: str, beginning: str) -> list[str]:
    (found,) = [line.split() for line in text.splitlines() if line.strip().startswith(beginning)]
    return found


def test_contacts_and_clearances_are_told(lying: Findings) -> None:
    text = printed(lying)
    total = sum(contact.force[2] for contact in lying.contacts)
    cells = row(text, "floor ")
    assert cells[1] == str(len(lying.contacts))
    assert float(cells[4]) == float(f"{total:.4f}")
    assert float(cells[6]) == round(max(lying.contacts, key=lambda contact: contact.pressure).at, 3)
    assert "none: touches it at" in " ".join(row(text, "clearance to floor"))
    bar = next(k for k in lying.clearances if k.part == "bar")
    assert f"{1000 * bar.distance:.4g} mm at" in " ".join(row(text, "clearance to bar"))
    assert "clearance ≥ 3 mm, nearest: floor" in text
    assert "penetration" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_hundred_contacts_are_one_line_per_part(lying: Findings) -> None:
    up = np.array([0.0, 0.0, 1.0])
    many = tuple(
        Contact("hose", 0.004 * k, k / 105, part, None, np.zeros(3), up, (1 + k) * up, 1.0 + k)
        for k in range(100)
        for part in ("floor", "a part with a very long name " * 3)
    )
    text = printed(dataclasses.replace(lying, contacts=many))
    assert row(text, "floor ")[1:] == ["100", "0", "0", "5050", "100", "0.943"]
    assert max(map(len, text.splitlines())) <= 80


def test_far_parts_are_counted_rather_than_listed(lying: Findings) -> None:
    bar = next(k for k in lying.clearances if k.part == "bar")
    many = tuple(dataclasses.replace(bar, part=f"part {k}", distance=0.01 * k) for k in range(1, 20))
    text = printed(dataclasses.replace(lying, clearances=many))
    assert "clearance to part 6" in text
    assert "clearance to part 7" not in text
    assert "over 70 mm to 13 more" in text


def test_notes_are_warnings(lying: Findings) -> None:
    text = printed(dataclasses.replace(lying, notes=("lid: 3 holes in the surface",)))
    assert "! lid: 3 holes in the surface" in text
