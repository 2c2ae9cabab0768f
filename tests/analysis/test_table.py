"""The table for a person: everything with its unit, inside 80 columns."""

import io

from rich.console import Console

from lissom.analysis.report import Findings
from lissom.analysis.table import print_findings


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
