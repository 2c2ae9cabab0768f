"""Dragging for long: memory stays, nothing fails, no event is lost."""

import itertools
import math
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.studio.server import Page, Server

GROWTH = 1.05
"""Of the memory of both processes, from a fifth of the time on."""
ROUND = 200
"""Moves between two drops."""


def memory(server: Server) -> float:
    """MB that server and simulation hold."""
    total = 0
    for pid in (server.process.pid, server.simulation_process()):
        text = Path(f"/proc/{pid}/status").read_text()
        total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("VmRSS"))
    return total / 1024.0


def one_round(page: Page, path: str, at: float | None, centre: list[float]) -> None:
    """Grab, many moves, some of them too far, and let go; what it changed is undone."""
    page.do("Grab", path=path, at=at)
    for k in range(ROUND):
        far = 5.0 if k % 50 == 49 else 1.0
        angle = 0.1 * k
        there = [centre[0], centre[1] + far * 0.04 * math.sin(angle), centre[2] + far * 0.04 * (1 - math.cos(angle))]
        page.send("Drag", position=there)
        if k % 10 == 0:
            page.next_frame()
    page.do("Drop")
    page.do("Undo")


def soak(server: Server, seconds: float) -> None:
    with server.page() as page, server.page() as other:
        page.ready()
        other.ready()
        first = page.events[-1]["seq"]
        began = time.monotonic()
        start: float | None = None
        for number in itertools.count():
            if number % 2:
                one_round(page, "hose/end", None, [0.28, 0.0, -0.05])
            else:
                one_round(page, "hose", 0.5, [0.15, 0.0, -0.08])
            other.catch_up()
            for k in (page, other):
                k.frames.clear()
                k.readouts.clear()
            gone = time.monotonic() - began
            if start is None and gone > 0.2 * seconds:
                start = memory(server)
            if gone > seconds:
                break
        answers = [k for k in page.events if k["kind"] == "Answer"]
        assert [k for k in answers if not k["ok"]] == []
        assert len({k["to"] for k in answers}) == len(answers) == next(page.numbers) - 1
        assert not [k for k in page.events if k["kind"] == "Notice"]
        page.do("Edit", values={"title": "the end"})
        other.until(lambda k: k["kind"] == "SceneEvent" and k["title"] == "the end")
        mine = [k["seq"] for k in page.events if k["kind"] != "Answer" and k["seq"] > first]
        theirs = [k["seq"] for k in other.events if k["kind"] != "Answer" and k["seq"] > first]
        assert theirs == mine
        assert start is not None
        assert memory(server) < GROWTH * start


def test_twenty_seconds(serve: Callable[..., Server]) -> None:
    soak(serve("hose.toml"), 20.0)


@pytest.mark.soak
def test_ten_minutes(serve: Callable[..., Server]) -> None:
    soak(serve("hose.toml"), 600.0)
