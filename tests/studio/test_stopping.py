"""A solve that takes long is stopped from a page, in the real processes."""

from collections.abc import Callable
from pathlib import Path

from tests.studio.server import Server, crossing


def test_a_solve_of_minutes_is_stopped_at_once(serve: Callable[..., Server], tmp_path: Path) -> None:
    """There used to be no way but to end the studio."""
    (tmp_path / "tangle.toml").write_text(crossing())
    server = serve("hose.toml")
    with server.page() as page, server.page() as other:
        page.ready()
        other.ready()
        number = page.send("Open", path="tangle.toml")
        busy = page.until(lambda k: k["kind"] == "Status" and k["can_stop"])
        assert busy["state"] == "solving"
        waits = page.send("Edit", values={"hose/length": 0.5})
        other.do("Stop")  # whoever sees that it takes long may end it
        for asked in (number, waits):
            answer = page.answer(asked, timeout=20)
            assert not answer["ok"]
            assert answer["stopped"]
        page.until(lambda k: k["kind"] == "Status" and k["seq"] > busy["seq"] and k["state"] == "ready")
        assert page.scene()["file"] == "hose.toml"
        page.do("Edit", values={"hose/length": 0.45})
        assert page.scene()["cables"][0]["length"] == 0.45


def test_opening_at_the_start_can_be_stopped(serve: Callable[..., Server], tmp_path: Path) -> None:
    (tmp_path / "tangle.toml").write_text(crossing())
    server = serve("tangle.toml")
    with server.page() as page:
        page.until(lambda k: k["kind"] == "Status" and k["can_stop"])
        page.do("Stop")
        page.until(lambda k: k["kind"] == "Notice" and "not opened" in k["text"])
        assert page.ready()["cables"] == []
        page.do("Open", path="hose.toml")
        assert page.scene()["cables"][0]["name"] == "hose"


def test_the_studio_ends_in_the_middle_of_a_solve(serve: Callable[..., Server], tmp_path: Path) -> None:
    (tmp_path / "tangle.toml").write_text(crossing())
    server = serve("tangle.toml")
    with server.page() as page:
        page.until(lambda k: k["kind"] == "Status" and k["can_stop"])
    server.close()
    assert server.process.stdout is not None
    assert "Traceback" not in server.process.stdout.read()
