"""Processes that know this package only, and not the script that started them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


@contextmanager
def without_script() -> Iterator[None]:
    """While a process is spawned: multiprocessing would run the main script again in it, and one that calls
    `sim.show()` without asking for its `__name__` would open another studio there.
    """
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script
