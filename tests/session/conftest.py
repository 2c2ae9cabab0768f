"""Sessions on the scenes of these tests."""

from pathlib import Path

import pytest

from lissom.session.session import Session
from tests.session.scenes import HARNESS, make_session


@pytest.fixture(autouse=True)
def _in_the_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the process of a studio is: scenes without a file find their meshes from there."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def hose(tmp_path: Path) -> Session:
    """One hose between two clamps."""
    return make_session(tmp_path)


@pytest.fixture
def harness(tmp_path: Path) -> Session:
    """Three cables, a free junction, a plug and a bar."""
    return make_session(tmp_path, HARNESS)
