"""Compiling is announced when it happens, whichever kernels a scene needs."""

from typing import Any

import numba

from lissom.analysis.waiting import on_compiling, progress_when_compiling

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


def test_progress_begins_and_ends() -> None:
    with progress_when_compiling():
        assert njit(lambda x: 2 * x)(1) == 2
