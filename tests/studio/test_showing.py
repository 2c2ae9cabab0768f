"""The studio on a live simulation: it comes back as it was left."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from lissom.scene import Scene
from lissom.simulation import Simulation
from lissom.studio.showing import show
from tests.studio.server import HOSE, PATIENCE, SOURCES, Server


def there(address: str) -> Server:
    """A server that runs already."""
    server = Server.__new__(Server)
    server.origin = address.rstrip("/")
    server.host = server.origin.removeprefix("http://")
    return server


def test_a_shown_simulation_comes_back_edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    simulation = Simulation(Scene.from_toml(HOSE))
    simulation.solve()
    found: list[list[float]] = []

    def visit(address: str) -> None:
        with there(address).page() as page:
            scene = page.ready()
            assert scene["cables"][0]["name"] == "hose"
            page.do("Edit", values={"hose/length": 0.45})
            page.do("Grab", path="hose/end")
            page.do("Drag", position=[0.28, 0.05, 0.0])
            page.do("Drop")
            found.append(page.scene()["cables"][0]["supports"][-1]["position"])

    visitor = threading.Thread(target=lambda: None)

    def opened(address: str) -> None:
        nonlocal visitor
        visitor = threading.Thread(target=visit, args=(address,))
        visitor.start()

    show(simulation, browser=False, opened=opened)
    visitor.join()
    np.testing.assert_allclose(found[0], [0.28, 0.05, 0.0], atol=1e-9)
    assert simulation.scene.cable("hose").length == 0.45
    assert simulation.solve().ok
    np.testing.assert_allclose(simulation.cable("hose").positions[-1], [0.28, 0.05, 0.0], atol=1e-7)


SCRIPT = f"""\
import lissom

sim = lissom.Simulation(lissom.Scene.from_toml({HOSE!r}))
sim.show(browser=False)
print("length", sim.scene.cable("hose").length)
"""


def test_a_script_that_shows_is_not_run_again_by_its_processes(tmp_path: Path) -> None:
    """The process of the simulation used to run the script anew, which opened another studio, and both failed."""
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-u", "script.py"]
    environment = os.environ | {"PYTHONPATH": str(SOURCES)}
    script = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert script.stdout is not None
        address = next(k for k in script.stdout.readline().split() if k.startswith("http"))
        with there(address).page() as page:
            page.ready()
            page.do("Edit", values={"hose/length": 0.45})
        said, _ = script.communicate(timeout=PATIENCE)
        assert said.split() == ["length", "0.45"]
        assert script.returncode == 0
    finally:
        script.kill()
