"""A real server in a process of its own, and a page that talks to it."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

import lissom

HOSE = """\
format = 1
title = "hose"
[[cables]]
name = "hose"
length = 0.4
points = 41
radius = 0.004
stiffness = { bending = 0.02, torsion = 0.015 }
mass_per_length = 0.1
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
end = { position = [0.3, 0, -0.05], tangent = [1, 0, 0] }
"""


def crossing(count: int = 8) -> str:
    """Cables that cross in a tangle: minutes to solve, if they can be solved at all."""
    return "format = 1\n" + "".join(
        f"""
[[cables]]
name = "c{k}"
length = 0.5
points = 61
radius = 0.004
stiffness = {{ bending = 0.02, torsion = 0.015 }}
mass_per_length = 0.1
start = {{ position = [0, {0.009 * (k % 4)}, {0.009 * (k // 4)}], tangent = [1, 0, 0], roll = 0 }}
end = {{ position = [0.35, {0.009 * (3 * k % 4)}, {0.009 * (k // 4) - 0.05}], tangent = [1, 0, 0] }}
"""
        for k in range(count)
    )


SOURCES = Path(lissom.__file__).parents[1]

PATIENCE = 240.0
"""s: kernels may have to be compiled first."""

Event = dict[str, Any]


class Server:
    """`lissom studio` on a free port of this machine."""

    def __init__(self, folder: Path, *arguments: str, host: str = "127.0.0.1") -> None:
        command = [sys.executable, "-m", "lissom", "studio", *arguments]
        command += ["--port", "0", "--no-browser", "--host", host]
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(SOURCES)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.address = next((k for k in line.split() if k.startswith("http")), "")
        assert self.address, line + self.process.stdout.read()
        self.origin, _, query = self.address.rstrip("/").partition("/?")
        self.token = query.removeprefix("token=")
        self.host = self.origin.removeprefix("http://")

    def get(self, path: str, data: bytes | None = None, **headers: str) -> tuple[int, bytes]:
        """The status and the content."""
        request = urllib.request.Request(self.origin + path, data, {k.replace("_", "-"): v for k, v in headers.items()})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    @contextlib.contextmanager
    def page(self, query: str = "", **headers: str) -> Iterator[Page]:
        given = {"Origin": self.origin, **{k.capitalize(): v for k, v in headers.items()}}
        with connect(
            f"ws://{self.host}/socket?{query}", additional_headers=given, max_size=None, open_timeout=30
        ) as socket:
            yield Page(socket)

    def simulation_process(self) -> int:
        """The child that simulates."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        named = {k: Path(f"/proc/{k}/cmdline").read_bytes() for k in children}
        found = [int(k) for k, text in named.items() if b"spawn_main" in text]
        return min(found)  # the first that was started

    def kill(self) -> None:
        """As a crash or a power cut would."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.kill()


class Page:
    """Commands out; events, frames and read-outs in, all of them kept."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.numbers = itertools.count(1)
        self.events: list[Event] = []
        self.frames: list[bytes] = []
        self.readouts: list[Event] = []
        self.sweeps: list[Event] = []
        self.machines: list[Event] = []

    def send(self, kind: str, **fields: Any) -> int:
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "kind": kind, **fields}))
        return number

    def hear(self, timeout: float = PATIENCE) -> None:
        """One message. Raises TimeoutError."""
        message = self.socket.recv(timeout=timeout)
        if isinstance(message, bytes):
            self.frames.append(message)
            return
        event = json.loads(message)
        if event["kind"] == "Sweeps":
            self.sweeps = event["sweeps"]
            return
        if event["kind"] == "Machine":
            self.machines.append(event)
            return
        (self.readouts if event["kind"] == "Readouts" else self.events).append(event)

    def catch_up(self) -> None:
        """All messages that have come, also those that the socket still holds back."""
        with contextlib.suppress(TimeoutError):
            while True:
                self.hear(timeout=0.01)

    def until(self, fits: Callable[[Event], object], timeout: float = PATIENCE) -> Event:
        """The first event that fits, of those heard and those to come."""
        deadline, seen = time.monotonic() + timeout, 0
        while True:
            for event in self.events[seen:]:
                if fits(event):
                    return event
            seen = len(self.events)
            self.hear(max(0.01, deadline - time.monotonic()))

    def answer(self, number: int, timeout: float = PATIENCE) -> Event:
        return self.until(lambda k: k["kind"] == "Answer" and k["to"] == number, timeout)

    def do(self, kind: str, **fields: Any) -> Any:
        """Sends, waits, and gives the value; the answer must be good."""
        found = self.answer(self.send(kind, **fields))
        assert found["ok"], found
        return found["value"]

    def refused(self, kind: str, **fields: Any) -> str:
        found = self.answer(self.send(kind, **fields))
        assert not found["ok"], found
        return str(found["error"])

    def ready(self) -> Event:
        """Waits until the scene is solved; gives it."""
        self.until(lambda k: k["kind"] == "Status" and k["state"] in ("ready", "restarted"))
        self.until(lambda k: k["kind"] == "SceneEvent")
        return self.scene()

    def scene(self) -> Event:
        """The last that came."""
        return next(k for k in reversed(self.events) if k["kind"] == "SceneEvent")

    def next_frame(self) -> Event:
        """The header of the next frame."""
        count = len(self.frames)
        while len(self.frames) == count:
            self.hear()
        return header(self.frames[-1])


def header(frame: bytes) -> Event:
    size = int.from_bytes(frame[:4], "little")
    found: Event = json.loads(frame[4 : 4 + size])
    return found


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    return state != "Z"
