"""Going first: what a thread that has to keep time asks of the system while it does."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

SWITCH: Final = 2e-5
"""s after which another thread of Python gives way: the usual 5 ms are five ticks."""
LEVEL: Final = 10
"""Of 99: before everything of the usual kind, behind what the system itself does in real time."""

_lock = threading.Lock()
_switches: list[float] = []  # one for each loop that runs: the interval that there was before the first


@contextmanager
def switching_fast() -> Iterator[None]:
    """The interval is one for all threads: the first loop shortens it, and the last one to end restores it."""
    with _lock:
        _switches.append(_switches[0] if _switches else sys.getswitchinterval())
        sys.setswitchinterval(SWITCH)
    try:
        yield
    finally:
        with _lock:
            before = _switches.pop()
            if not _switches:
                sys.setswitchinterval(before)


@contextmanager
def going_first() -> Iterator[str]:
    """While inside, this thread runs before all others that are not in real time, on the last core: "real time"; where
    the system does not let it, as "usual".
    """
    with switching_fast():
        if not hasattr(os, "sched_setscheduler"):
            yield "usual"
            return
        before, cores = (os.sched_getscheduler(0), os.sched_getparam(0)), os.sched_getaffinity(0)
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(LEVEL))
        except PermissionError:
            yield "usual"
            return
        try:
            os.sched_setaffinity(0, {max(cores)})
            yield "real time"
        finally:
            os.sched_setaffinity(0, cores)
            os.sched_setscheduler(0, *before)
