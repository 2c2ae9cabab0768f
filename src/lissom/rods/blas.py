"""Solves with matrices of some hundred rows, on one thread.

numpy's OpenBLAS shares even these among all cores and waits for the slowest. Where something else runs as well, a solve
of a millisecond takes fifty.
"""

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_lock = threading.Lock()
_inside = 0  # how many are in `one_thread`
_before = 0  # threads when the first of them came


@contextmanager
def one_thread() -> Iterator[None]:
    """Within this numpy's linear algebra has one thread, as far as it can be told: elsewhere nothing changes."""
    global _inside, _before
    found = _library()
    if found is None:
        yield
        return
    number, choose = found
    with _lock:
        if _inside == 0:
            _before = number()
            choose(1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                choose(_before)


def threads() -> int | None:
    """How many threads numpy's linear algebra has now; None where that is not known."""
    found = _library()
    return None if found is None else int(found[0]())


@cache
def _library() -> tuple[Any, Any] | None:
    """What tells, and what chooses, the number of threads of the OpenBLAS that numpy's wheels bring along."""
    package = Path(np.__file__).parent
    for folder in package.parent / "numpy.libs", package / ".dylibs":
        for path in sorted(folder.glob("*openblas*")):
            try:
                library = ctypes.CDLL(str(path))  # loaded already: the same one
                return library.scipy_openblas_get_num_threads64_, library.scipy_openblas_set_num_threads64_
            except (OSError, AttributeError):
                continue
    return None
