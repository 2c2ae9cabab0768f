"""Cables and stretches that do not know of each other are solved at the same time [HD00 §6]."""

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from lissom.kinematic.cable import Cable


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="kinematic")


def solve_all(cables: Sequence[Cable], budget: float | None = None) -> None:
    """Solves each, on all cores; a budget (s) is shared by those that have to wait for each other."""
    if len(cables) == 1:
        cables[0].solve(budget)
        return
    workers = os.cpu_count() or 1
    share = None if budget is None else budget / math.ceil(len(cables) / workers)
    list(_pool(workers).map(lambda cable: cable.solve(share), cables))
