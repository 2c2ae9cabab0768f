"""Sweeps of a studio: dragging goes on beside them, every page is told, and none outlives its simulation."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.studio.server import Page, Server, alive

EXAMPLE = Path(__file__).parents[2] / "examples" / "robot-wrist.toml"
MOTION = "pick and place"
LONG = "there and back"
PATIENCE = 120.0
"""s, until a sweep is done."""


def with_long_motion(text: str) -> str:
    """A second motion, whose sweep cannot be over before the page hears that it has begun."""
    frames = [f"  {{ time = {k}, joints = {{ A5 = {0.4 * (k % 2)} }} }},\n" for k in range(200)]
    return f'{text}\n[[motions]]\nname = "{LONG}"\nkeyframes = [\n{"".join(frames)}]\n'


def swept(page: Page, progress: str, of: int = 0) -> None:
    """Hears on until the sweep of that number is that far."""
    deadline = time.monotonic() + PATIENCE
    while len(page.sweeps) <= of or page.sweeps[of]["progress"] != progress or not page.sweeps[of]["times"]:
        assert time.monotonic() < deadline, page.sweeps
        page.hear()


def sweepers(process: int) -> list[int]:
    """Processes that a simulation has sweeping for it."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(k) for k in children if "sweeper" in Path(f"/proc/{k}/cmdline").read_text()]


def test_a_sweep_is_told_to_every_page_and_ends_with_its_simulation(
    serve: Callable[..., Server], tmp_path: Path
) -> None:
    (tmp_path / "wrist.toml").write_text(with_long_motion(EXAMPLE.read_text()))
    server = serve("wrist.toml")
    with server.page() as page:
        page.ready()
        page.do("Sweep", motion=MOTION)
        page.do("Steer", joints={"A5": 0.2})  # answered while it sweeps
        page.do("Drop")
        swept(page, "done")
        first = page.sweeps[0]
        assert first["total"] == len(first["times"]) == len(first["bands"][0]["values"])
        assert not first["stale"]
        with server.page() as other:
            other.ready()
            swept(other, "done")
            assert other.sweeps == page.sweeps
        page.do("Sweep", motion=LONG)
        swept(page, "running", of=1)
        worker = server.simulation_process()
        sweeper = sweepers(worker)
        assert len(sweeper) == 1
        os.kill(worker, signal.SIGKILL)
        page.until(lambda k: k["kind"] == "Status" and k["state"] == "restarted")
        while page.sweeps:
            page.hear()
        deadline = time.monotonic() + 20.0
        while alive(sweeper[0]):
            assert time.monotonic() < deadline
            time.sleep(0.05)
