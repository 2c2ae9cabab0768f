"""The studio on a live simulation: it comes back as it was left."""

import threading
from pathlib import Path

import numpy as np
import pytest

from lissom.scene import Scene
from lissom.simulation import Simulation
from lissom.studio.showing import show
from tests.studio.server import HOSE, Server


def test_a_shown_simulation_comes_back_edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    simulation = Simulation(Scene.from_toml(HOSE))
    simulation.solve()
    found: list[list[float]] = []

    def visit(address: str) -> None:
        server = Server.__new__(Server)  # one that is already there
        server.origin = address.rstrip("/")
        server.host = server.origin.removeprefix("http://")
        with server.page() as page:
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
