"""Starting the studio: the server on a port of this machine, the browser on the page."""

from __future__ import annotations

import os
import secrets
import socket
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lissom.studio.launching import Start, launch

if TYPE_CHECKING:
    from uvicorn import Server

PORT: Final = 7420
"""Where the studio is by default; the next free one where it is taken."""


def run_studio(start: Start, *, host: str = "127.0.0.1", port: int = PORT, browser: bool = True) -> None:
    """Serves until interrupted."""
    server, address, listener = make_server(start, host, port)
    print(f"lissom studio: {address}   (Ctrl+C ends it)", flush=True)
    if browser and can_show():
        threading.Timer(0.3, webbrowser.open, [address]).start()
    server.run(sockets=[listener])


def make_server(start: Start, host: str, port: int) -> tuple[Server, str, socket.socket]:
    """The server, its address, and the socket it is to listen on."""
    listener = bound(host, port)
    launched = launch(start)  # it reads in what it needs while we do
    import uvicorn

    from lissom.session.workspace import Workspace
    from lissom.studio.bridge import Bridge
    from lissom.studio.guarding import Guard, is_local
    from lissom.studio.server import LARGEST_MESSAGE, make_app

    token = None if is_local(host) else secrets.token_urlsafe(24)
    workspace = Workspace.of(start.folder)
    app = make_app(Bridge(start, launched), workspace, Guard(host, token))
    config = uvicorn.Config(
        app, log_level="warning", ws_max_size=LARGEST_MESSAGE, ws_per_message_deflate=False, timeout_graceful_shutdown=2
    )
    shown = host if ":" not in host else f"[{host}]"
    address = f"http://{shown}:{listener.getsockname()[1]}/" + ("" if token is None else f"?token={token}")
    return uvicorn.Server(config), address, listener


def bound(host: str, port: int) -> socket.socket:
    """A socket on the port, or on the next free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in [port, *range(port + 1, port + 20), 0] if port else [0]:
        # asyncio sends small messages at once only where the protocol is said: else each waits some 40 ms for the last
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            listener.listen(128)  # from now on: who is told the address may come before the server is quite there
        except OSError:
            listener.close()
            if number == 0:
                raise
            continue
        return listener
    raise AssertionError("a free port is always found or raises")


def can_show() -> bool:
    """Whether there is a screen to open a browser on."""
    return (
        os.name == "nt" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ or os.uname().sysname == "Darwin"
    )


def start_for(scene: Path | None, demo: str = "brake-hose") -> Start:
    """A scene file opens in its folder; without one, a demo in the working directory."""
    if scene is None:
        return Start(os.getcwd(), demo=demo)
    here = Path(os.path.realpath(scene))
    folder = Path(os.path.realpath(os.getcwd()))
    if not here.is_relative_to(folder):
        folder = here.parent
    return Start(str(folder), file=here.relative_to(folder).as_posix())
