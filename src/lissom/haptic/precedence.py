"""Going first: what a thread that has to keep time asks of the system while it does."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

SWITCH: Final = 2e-5
"""s after which another thread of Python gives way: the usual 5 ms are five ticks."""
LEVEL: Final = 10
"""Of 99: before everything of the usual kind, behind what the system itself does in real time."""


@contextmanager
def going_first() -> Iterator[str]:
    """While inside, this thread runs before all others that are not in real time, on the last core: "real time"; where
    the system does not let it, as "usual".
    """
    switch = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        if not hasattr(os, "sched_setscheduler"):
            yield "usual"
            return
        before, cores = (os.sched_getscheduler(0), os.sched_getparam(0)), os.sched_getaffinity(0)
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(LEVEL))
        except PermissionError:
            yield "usual"
            return
        os.sched_setaffinity(0, {max(cores)})
        try:
            yield "real time"
        finally:
            os.sched_setaffinity(0, cores)
            os.sched_setscheduler(0, *before)
    finally:
        sys.setswitchinterval(switch)
