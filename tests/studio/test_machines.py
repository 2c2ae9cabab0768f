"""A machine that runs in the simulation process: beside other commands, for slow pages, and until it is stopped."""

from __future__ import annotations

import contextlib
import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.studio.server import Page, Server, header

CRANE = Path(__file__).parents[2] / "examples" / "machines" / "crane.toml"

Serve = Callable[..., Server]


@pytest.fixture(scope="module")
def crane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("crane")
    shutil.copy(CRANE, folder / "crane.toml")
    made = Server(folder, "crane.toml")
    try:
        with made.page() as page:
            page.ready()
        yield made
    finally:
        made.close()


@pytest.fixture
def page(crane: Server) -> Iterator[Page]:
    with crane.page() as page:
        page.ready()
        page.do("Play", on=False)
        page.do("Pace", speed=1.0)
        page.do("Rewind")
        yield page
        page.do("Play", on=False)


def clock(page: Page) -> dict[str, object]:
    """Of the latest frame that there is."""
    page.catch_up()
    found: dict[str, object] = header(page.frames[-1])["clock"]
    return found


def wait_for(page: Page, seconds: float) -> float:
    """Until the machine has come so far."""
    end = time.monotonic() + 30.0
    while time.monotonic() < end:
        page.hear()
        if page.frames and header(page.frames[-1])["clock"]["time"] >= seconds:
            return float(header(page.frames[-1])["clock"]["time"])
    raise AssertionError("the machine does not run")


def test_time_runs_while_commands_are_answered(page: Page) -> None:
    page.do("Play", on=True)
    wait_for(page, 0.2)
    waits = []
    for _ in range(10):
        began = time.monotonic()
        page.do("SetMotor", joint="winch", drive="speed", value=-0.5, most=20000.0)
        waits.append(time.monotonic() - began)
    assert sorted(waits)[5] < 0.3
    seconds = wait_for(page, 0.6)
    numbers = [header(k)["number"] for k in page.frames]
    assert numbers == sorted(numbers)
    page.do("Play", on=False)
    stands = clock(page)
    assert not stands["playing"]
    time.sleep(0.3)
    assert clock(page)["time"] == stands["time"]
    assert float(str(stands["time"])) >= seconds


def test_read_outs_of_the_machine_come_while_it_runs(page: Page) -> None:
    page.do("Watch", series=["tension/hoist/1"])
    page.do("Play", on=True)
    wait_for(page, 0.5)
    while not page.machines or not page.machines[-1]["series"] or len(page.machines[-1]["series"][0]["times"]) < 10:
        page.hear()
    found = page.machines[-1]
    assert found["ropes"][0]["spans"][0]["tension"] > 5000.0
    assert max(found["series"][0]["values"]) > 5000.0
    assert len(json.dumps(found)) < 100_000


def test_a_frame_of_a_machine_is_small(page: Page) -> None:
    page.do("Play", on=True)
    wait_for(page, 0.3)
    assert max(len(k) for k in page.frames) < 8_000


def test_stop_pauses_and_undo_leads_to_the_start(page: Page) -> None:
    page.do("Play", on=True)
    wait_for(page, 0.2)
    page.do("Stop")
    assert not clock(page)["playing"]
    assert page.do("Undo") == "run"
    assert clock(page)["time"] == 0.0


def test_a_page_that_goes_away_lets_go_and_another_sees_the_same(crane: Server, page: Page) -> None:
    page.do("Play", on=True)
    with crane.page() as other:
        other.ready()
        other.do("Grab", path="hook block", touched=[14.0, 0.0, 12.0])
        other.do("Drag", position=[16.0, 0.0, 12.0])
        wait_for(page, float(str(clock(page)["time"])) + 0.3)
        held = header(page.frames[-1])["held"]
        assert held["path"] == "hook block"
        assert held["force"] > 100.0
        assert "another window" in page.refused("Drag", position=[0.0, 0.0, 0.0])
    end = time.monotonic() + 20.0
    while header(page.frames[-1])["held"] is not None and time.monotonic() < end:
        page.hear()
    assert header(page.frames[-1])["held"] is None
    assert clock(page)["playing"]


def test_a_slow_page_gets_the_latest_frame_and_not_all_of_them(crane: Server, page: Page) -> None:
    with crane.page() as slow:
        slow.ready()
        page.do("Play", on=True)
        wait_for(page, 0.3)
        time.sleep(1.0)  # hears nothing meanwhile
        slow.catch_up()
        last, here = header(slow.frames[-1])["clock"]["time"], clock(page)["time"]
        assert abs(last - float(str(here))) < 1.0


def test_time_does_not_run_for_nobody(serve: Serve, tmp_path: Path) -> None:
    shutil.copy(CRANE, tmp_path / "crane.toml")
    server = serve("crane.toml")
    with server.page() as page:
        page.ready()
        page.do("Play", on=True)
        wait_for(page, 0.2)
    time.sleep(4.0)
    with server.page() as page:
        page.until(lambda k: k["kind"] == "SceneEvent")
        while not page.frames:
            page.hear()
        assert not clock(page)["playing"]


@pytest.mark.parametrize(
    "text",
    [
        '{"id": 900, "kind": "Play", "on": 1}',
        '{"id": 900, "kind": "Pace", "speed": NaN}',
        '{"id": 900, "kind": "Pace", "speed": 1e308}',
        '{"id": 900, "kind": "Advance", "substeps": 1e9}',
        '{"id": 900, "kind": "Advance", "substeps": -5}',
        '{"id": 900, "kind": "SetMotor", "joint": "winch", "drive": "magic", "value": 1}',
        '{"id": 900, "kind": "SetMotor", "joint": "winch", "drive": "speed", "value": "1"}',
        '{"id": 900, "kind": "Watch", "series": ["energy", 3]}',
        '{"id": 900, "kind": "ExportRun", "path": "/etc"}',
        '{"id": 900, "kind": "Grab", "path": "hook block", "touched": [0, 0, Infinity]}',
    ],
)
def test_hostile_messages_are_answered_and_change_nothing(page: Page, text: str) -> None:
    before = clock(page)
    page.socket.send(text)
    found = page.until(lambda k: k["kind"] == "Answer" and k["to"] in (900, -1))
    assert not found["ok"]
    page.events.remove(found)
    assert clock(page) == before
    with contextlib.suppress(KeyError):
        assert page.do("Advance", substeps=10) > 0.0
