"""The real page in a real browser, with a real server: `studio(scene)` opens one.

One server serves all tests, each with the scene opened anew; `studio(scene, own=True)` starts another.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.browser.chromium import FLAGS, MISSING, find
from tests.studio.server import Page

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "src" / "lissom" / "studio" / "page" / "index.html"
READY = 400_000
"""ms: kernels may have to be compiled for the first test."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    path = find()
    if path is None:
        pytest.skip(MISSING)
    if not PAGE.is_file():
        pytest.fail("the page is not built: run `make page`")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


class Server:
    """A studio on a folder of its own."""

    def __init__(self, folder: Path, scene: str | None) -> None:
        self.folder = folder
        command = [sys.executable, "-m", "lissom", "studio", *([scene] if scene else [])]
        self.process = subprocess.Popen(
            [*command, "--no-browser", "--port", "0"], cwd=folder, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found is not None, line
        self.address = found[0]
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def open(self, scene: str) -> None:
        """A scene of examples/, as if the studio had just been started on it: nothing of the test before is left."""
        address = self.address.rstrip("/")
        with connect(f"{address.replace('http', 'ws', 1)}/socket", origin=Origin(address), max_size=None) as socket:
            page = Page(socket)
            page.ready()
            page.do("Stop")
            page.do("Simulate", on=True)
            page.do("New")
            for file in self.folder.rglob("*"):
                if file.is_file():
                    file.unlink()
            (self.folder / scene).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / "examples" / scene, self.folder / scene)
            page.do("Open", path=scene)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts a studio: on a scene of examples/ (copied to a folder of its own), or on the demo."""
    started: list[Server] = []

    def start(scene: str | None = None, copy: bool = True) -> Server:
        if scene is not None and copy:
            shutil.copy(ROOT / "examples" / scene, tmp_path / scene)
        started.append(Server(tmp_path, scene))
        return started[-1]

    yield start
    for one in started:
        one.stop()


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The studio of all tests that leave it running."""
    server = Server(tmp_path_factory.mktemp("workspace"), None)
    yield server
    server.stop()


class Studio:
    """The page of a server, and what tests ask of it."""

    def __init__(self, page: Any, server: Server) -> None:
        self.page, self.server = page, server
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        page.goto(server.address)
        self.ready()

    def ready(self) -> None:
        """Until a solved frame is there, and what is read off it."""
        self.page.wait_for_function(
            """() => {
              const frame = window.lissom?.store.get('frame')?.number ?? 0;
              return frame > 0 && (window.lissom.store.get('readouts')?.frame ?? 0) >= frame;
            }""",
            timeout=READY,
        )

    def ask(self, expression: str, argument: Any = None) -> Any:
        """The value of an expression in the page, where `lissom` is its hook."""
        return self.page.evaluate(f"(argument) => {{ const lissom = window.lissom; return {expression}; }}", argument)

    def state(self, key: str) -> Any:
        return self.ask(f"lissom.store.get({key!r})")

    def send(self, kind: str, **fields: Any) -> Any:
        """A command, as the page sends it; its answer."""
        return self.ask("lissom.send(argument)", {"kind": kind, **fields})

    def place(self, cable: str, at: float) -> list[float]:
        found: list[float] = self.ask("lissom.place(argument[0], argument[1])", [cable, at])
        return found

    def position(self, path: str) -> list[float]:
        found: list[float] = self.ask("lissom.position(argument)", path)
        return found

    def pixels(self, point: list[float]) -> tuple[float, float]:
        x, y = self.ask("lissom.project(argument)", point)
        return x, y

    def until(self, expression: str, argument: Any = None, timeout: int = 15_000) -> None:
        """Waits until an expression in the page is true."""
        body = f"(argument) => {{ const lissom = window.lissom; return {expression}; }}"
        self.page.wait_for_function(body, arg=argument, timeout=timeout)

    def until_at(self, expression: str, point: Any, within: float) -> None:
        """Waits until three numbers in the page are those of a point."""
        self.until(f"Math.hypot(...{expression}.map((v, k) => v - argument[k])) < {within}", list(point))

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 12) -> None:
        """With the left button, as a person does."""
        mouse = self.page.mouse
        mouse.move(*start)
        self.ask("lissom.drawn()")
        mouse.down()
        for k in range(1, steps + 1):
            part = k / steps
            mouse.move(start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1]))
            self.ask("lissom.drawn()")

    def click(self, test: str, **options: Any) -> None:
        """On what has this name for tests."""
        self.page.locator(f'[data-test="{test}"]').first.click(**options)

    def fill(self, test: str, text: str) -> None:
        """Types a value, and Enter."""
        field = self.page.locator(f'[data-test="{test}"]').first
        field.fill(text)
        field.press("Enter")

    def press(self, key: str) -> None:
        """A key of the page, once no dialog has them any more."""
        self.until("document.querySelector('dialog[open]') === null")
        self.page.keyboard.press(key)

    def text(self, test: str) -> str:
        found: str = self.page.locator(f'[data-test="{test}"]').first.inner_text()
        return found

    def sees(self, test: str) -> bool:
        found: bool = self.page.locator(f'[data-test="{test}"]').first.is_visible()
        return found

    def until_seen(self, test: str) -> None:
        """Waits until something is on the screen."""
        self.page.locator(f'[data-test="{test}"]').first.wait_for(state="visible")

    def select(self, *paths: str) -> None:
        self.ask("lissom.store.select(argument)", list(paths))

    def cable(self, name: str) -> dict[str, Any]:
        """What the scene says of a cable."""
        found: dict[str, Any] = next(k for k in self.state("scene")["cables"] if k["name"] == name)
        return found

    def release(self) -> None:
        self.page.mouse.up()


@pytest.fixture
def studio(browser: Any, shared: Server, server: Callable[..., Server]) -> Iterator[Callable[..., Studio]]:
    """Opens the page: `studio("clips.toml")`. Errors in the page fail the test."""
    contexts: list[Any] = []
    opened: list[Studio] = []

    def show(scene: str, theme: str = "light", own: bool = False) -> Studio:
        if not own:
            shared.open(scene)
        size = {"width": 1280, "height": 720}
        contexts.append(browser.new_context(viewport=size, color_scheme=theme, bypass_csp=True))  # to wait by eval
        opened.append(Studio(contexts[-1].new_page(), server(scene) if own else shared))
        return opened[-1]

    yield show
    for context in contexts:
        context.close()
    wrong = [error for one in opened for error in one.errors]
    assert not wrong, wrong
