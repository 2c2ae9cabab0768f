"""Compiling is announced when it happens, whichever kernels a scene needs."""

import time
from typing import Any

import numba
import pytest

from lissom.analysis import waiting
from lissom.analysis.waiting import on_compiling, progress_when_slow

njit: Any = numba.njit


def test_the_first_kernel_to_be_compiled_is_announced_once() -> None:
    told: list[str] = []
    with on_compiling(lambda: told.append("compiling")):
        twice = njit(lambda x: 2 * x)
        assert told == []
        twice(1)
        twice(1.0)  # other types: compiled again
        assert told == ["compiling"]


def test_what_is_compiled_already_is_not_announced() -> None:
    twice = njit(lambda x: 2 * x)
    twice(1)
    told: list[str] = []
    with on_compiling(lambda: told.append("compiling")):
        twice(2)
    assert told == []


@pytest.mark.parametrize("compiles", [False, True])
def test_what_takes_long_says_so_and_clears_its_line(compiles: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(waiting.Line, "show", lambda self, text: shown.append(text))
    with progress_when_slow(after=0.0 if not compiles else 60.0):
        if compiles:
            assert njit(lambda x: 2 * x)(1) == 2
        while not shown:
            time.sleep(0.001)
    assert shown == [waiting.COMPILING if compiles else waiting.SOLVING]


def test_what_is_quick_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_when_slow(after=60.0):
        pass
    assert capsys.readouterr().err == ""


def test_a_line_that_has_ended_stays_so(capsys: pytest.CaptureFixture[str]) -> None:
    line = waiting.Line()
    line.show(waiting.SOLVING)
    line.show(waiting.COMPILING)
    line.end()
    capsys.readouterr()
    line.show(waiting.SOLVING)  # by a timer that was not cancelled in time
    assert capsys.readouterr().err == ""
