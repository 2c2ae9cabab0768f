"""The studio on a live simulation: `sim.show()`."""

from __future__ import annotations

import os
import threading
import webbrowser
from collections.abc import Callable

from lissom.simulation import Simulation
from lissom.studio.launching import Start
from lissom.studio.running import can_show, make_server


def show(
    simulation: Simulation,
    *,
    port: int = 0,
    browser: bool = True,
    opened: Callable[[str], object] | None = None,
) -> None:
    """Serves until the last page is closed or Ctrl+C; the simulation then is as it was left in the studio.

    `opened` is called with the address once the server listens.
    """
    folder = os.path.realpath(os.getcwd())
    server, address, listener = make_server(Start(folder, state=simulation.state()), "127.0.0.1", port)
    bridge = server.config.app.state.bridge  # type: ignore[union-attr]

    def left() -> None:
        server.should_exit = True

    bridge.left = left
    print(f"lissom studio: {address}   (close the page, or Ctrl+C, to go on)", flush=True)
    if opened is not None:
        threading.Timer(0.2, opened, [address]).start()
    if browser and can_show():
        threading.Timer(0.3, webbrowser.open, [address]).start()
    server.run(sockets=[listener])
    if bridge.state is not None:
        simulation.restore(bridge.state)
