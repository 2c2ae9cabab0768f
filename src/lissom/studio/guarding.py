"""Who may talk to the server: pages that it served itself, and only those with the token where one is needed."""

from __future__ import annotations

import hmac
import ipaddress
from dataclasses import dataclass

from starlette.requests import HTTPConnection

LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class Guard:
    """Decides by the headers of a request."""

    host: str  # it listens on
    token: str | None  # needed where others can reach it

    def refusal(self, connection: HTTPConnection) -> str:
        """Why the request is refused; "" where it is not.

        The name in Host must be ours (a foreign name that leads here is a page that tries to get in), and Origin, where
        a browser sends it, must be the page that came from here.
        """
        host = connection.headers.get("host", "")
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        if self.token is None and name not in LOCAL_NAMES:
            return f"this studio is local: open it at http://127.0.0.1, not at {name!r:.60}"
        origin = connection.headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            return "requests from other pages are refused"
        if connection.scope["type"] == "websocket" and origin is None and self.token is None:
            return "a socket needs the page that it belongs to (no Origin)"
        if self.token is not None:
            given = connection.query_params.get("token") or connection.cookies.get("lissom-token") or ""
            if not hmac.compare_digest(given.encode(), self.token.encode()):
                return "the token is missing or wrong: open the address that the server printed"
        return ""


def is_local(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
