"""One server for tests that leave it as it was; one of its own for those that do not."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.studio.server import HOSE, Page, Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("workspace")
    (folder / "hose.toml").write_text(HOSE)
    made = Server(folder, "hose.toml")
    try:
        with made.page() as page:
            page.ready()
        yield made
    finally:
        made.close()


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    with server.page() as page:
        page.ready()
        yield page


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers in a workspace of their own."""
    (tmp_path / "hose.toml").write_text(HOSE)
    made: list[Server] = []

    def start(*arguments: str, host: str = "127.0.0.1") -> Server:
        made.append(Server(tmp_path, *arguments, host=host))
        return made[-1]

    yield start
    for server in made:
        server.close()
