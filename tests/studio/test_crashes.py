"""What dies comes back: the simulation process, the server, a page; and nothing is lost but two seconds."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.studio.server import Page, Server, alive

LOST = 2.0
"""s of edits that a crash of everything may take."""


def length(page: Page) -> float:
    return float(page.scene()["cables"][0]["length"])


def test_a_killed_server_loses_at_most_two_seconds(serve: Callable[..., Server]) -> None:
    first = serve("hose.toml")
    with first.page() as page:
        page.ready()
        worker = first.simulation_process()
        page.do("Edit", values={"hose/length": 0.45})
        time.sleep(LOST)  # what may be lost is a time
        first.kill()
    deadline = time.monotonic() + 20.0
    while alive(worker):  # no simulation outlives its server
        assert time.monotonic() < deadline
        time.sleep(0.05)
    second = serve("hose.toml")
    with second.page() as page:
        scene = page.ready()
        assert scene["recovered"]
        assert scene["unsaved"]
        assert length(page) == 0.45
        assert not any("recovered" in k["text"] for k in page.events if k["kind"] == "Notice")  # the banner says it
        page.do("Discard")
        assert length(page) == 0.4
        assert not page.scene()["recovered"]


def test_a_scene_without_a_file_is_recovered_too(serve: Callable[..., Server], tmp_path: Path) -> None:
    first = serve("hose.toml")
    with first.page() as page:
        page.ready()
        page.do("New")
        page.do("AddCable", start=mount(0.0), end=mount(0.3), length=0.4, name="wire")
        pid = first.simulation_process()
        kept = tmp_path / ".lissom/unsaved-untitled-1.toml"
        while not kept.exists():  # it comes by itself
            time.sleep(0.05)
        os.kill(pid, signal.SIGKILL)
        page.until(lambda k: k["kind"] == "Status" and k["state"] == "restarted")
        assert [k["name"] for k in page.scene()["cables"]] == ["wire"]
        first.kill()


def mount(x: float) -> dict[str, list[float]]:
    return {"position": [x, 0.2, 0.0], "tangent": [1.0, 0.0, 0.0]}


def test_a_killed_simulation_is_started_again_from_the_last_state(serve: Callable[..., Server]) -> None:
    server = serve("hose.toml")
    with server.page() as page, server.page() as other:
        page.ready()
        other.ready()
        page.do("Edit", values={"hose/length": 0.45})
        kept = Path(os.readlink(f"/proc/{server.process.pid}/cwd")) / ".lissom"
        while not list(kept.glob("unsaved-*.state.npz")) or not list(kept.glob("unsaved-*.studio.json")):
            time.sleep(0.05)
        before = server.simulation_process()
        os.kill(before, signal.SIGSTOP)  # so that commands are in flight when it dies
        numbers = [page.send("AddClip", cable="hose", at=0.5), page.send("Files"), other.send("Undo")]
        assert numbers[2] == 1  # the same number on another page
        time.sleep(0.2)
        os.kill(before, signal.SIGKILL)
        for asked, number in ((page, numbers[0]), (page, numbers[1]), (other, numbers[2])):
            answer = asked.answer(number, timeout=30)
            assert not answer["ok"]
            assert "stopped" in answer["error"]
        for told in (page, other):
            told.until(lambda k: k["kind"] == "Notice" and "cannot be undone" in k["text"])
            assert sum("started again" in k["text"] for k in told.events if k["kind"] == "Notice") == 1
            told.until(lambda k: k["kind"] == "Status" and k["state"] == "restarted")
        assert length(page) == 0.45
        assert page.scene()["recovered"]
        assert page.scene()["undo"] == ""
        after = server.simulation_process()
        assert after != before
        assert page.do("AddClip", cable="hose", at=0.5) == "hose/clip 1"
        page.send("Solve")
        assert page.next_frame()["status"] == "converged"


def test_a_simulation_that_dies_again_and_again_is_given_up(serve: Callable[..., Server]) -> None:
    server = serve("hose.toml")
    with server.page() as page:
        page.ready()
        killed: set[int] = set()
        while not any(k["kind"] == "Notice" and "not started any more" in k["text"] for k in page.events):
            with_pid = [k for k in children(server) if k not in killed]
            for pid in with_pid:
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
            try:
                page.hear(timeout=0.2)
            except TimeoutError:
                continue
        assert len(killed) == 5
        assert server.get("/file/hose.toml")[0] == 200  # the server itself lives


def children(server: Server) -> list[int]:
    pid = server.process.pid
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(k) for k in found if b"spawn_main" in Path(f"/proc/{k}/cmdline").read_bytes()]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_server_ends_with_its_simulation(serve: Callable[..., Server], how: signal.Signals) -> None:
    server = serve("hose.toml")
    with server.page() as page:
        page.ready()
        worker = server.simulation_process()
        server.process.send_signal(how)
        assert server.process.wait(timeout=20) is not None
    assert not alive(worker)
    assert server.process.stdout is not None
    assert "Traceback" not in server.process.stdout.read()
