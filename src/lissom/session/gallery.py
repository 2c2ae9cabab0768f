"""The demos that ship with lissom: scenes that each ask a question."""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def gallery() -> dict[str, Path]:
    """Their files by name."""
    folder = Path(str(resources.files("lissom") / "gallery"))
    return {file.stem: file for file in sorted(folder.glob("*.toml"))}
