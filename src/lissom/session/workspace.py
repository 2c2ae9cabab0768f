"""The folder that a studio works in: nothing outside is read or written on behalf of a page."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

SCENES: Final = (".toml", ".json")
HIDDEN: Final = ".lissom"
"""Folder in the workspace for what is kept against crashes, and for uploads that are not yet parts."""

LISTS: Final = ("cables", "parts", "junctions", "ropes")
"""What a scene has lists of; a report has its cables by name."""
LARGEST_SCENE: Final = 4_000_000
"""Bytes: a larger file is not looked into."""
MOST_FILES: Final = 2000
SAFE_NAME: Final = re.compile(r"[^\w.\- ]+", re.UNICODE)


class WorkspaceError(ValueError):
    """A path that leads out of the workspace, or a file that is not there; says so."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder, and the way from paths as a page says them (relative, with slashes) to files in it."""

    folder: Path

    @classmethod
    def of(cls, folder: str | Path) -> Workspace:
        """Links are followed once, here: what is then inside is inside."""
        return cls(Path(os.path.realpath(folder)))

    @property
    def hidden(self) -> Path:
        return self.folder_in(self.folder, HIDDEN)

    def inside(self, file: Path) -> Path:
        """The file itself, links followed. Raises where it lies outside."""
        whole = Path(os.path.realpath(file))
        if not whole.is_relative_to(self.folder):
            raise WorkspaceError(f"{file.name}: leads out of the workspace")
        return whole

    def file(self, path: str) -> Path:
        """The file of this path in the workspace. Raises where the path leads out of it, also through a link."""
        pure = PurePosixPath(path.replace("\\", "/"))
        bad = not path.strip() or not path.isprintable() or pure.is_absolute() or not pure.parts or ":" in pure.parts[0]
        if bad or any(part.startswith(".") for part in pure.parts):  # also "..", and what is hidden
            raise WorkspaceError(f"{path!r:.120}: must be a path inside the workspace, such as hoses/front.toml")
        return self.inside(self.folder / pure)

    def folder_in(self, folder: Path, name: str) -> Path:
        """A folder of this name, made where there is none. Raises where it is a link that leads out."""
        found = self.inside(folder / name)
        found.mkdir(parents=True, exist_ok=True)
        return found

    def scene(self, path: str) -> Path:
        """The same, for a scene file."""
        file = self.file(path)
        if file.suffix.lower() not in SCENES:
            raise WorkspaceError(f"{path!r:.120}: a scene file ends in .toml or .json")
        return file

    def said(self, file: Path) -> str:
        """A file in the workspace as a page says it; one outside by its name alone."""
        whole = Path(os.path.realpath(file))
        return whole.relative_to(self.folder).as_posix() if whole.is_relative_to(self.folder) else whole.name

    def scenes(self) -> list[str]:
        """All scene files, not deeper than three folders; other TOML and JSON, such as reports, is none."""
        found = self._files(lambda name: name.endswith(SCENES) and not name.endswith(".studio.json"))
        return [k for k in found if is_scene(self.folder / k)]

    def recordings(self) -> list[str]:
        return self._files(lambda name: name.endswith(".session.jsonl"))

    def _files(self, fits: Callable[[str], bool]) -> list[str]:
        found: list[str] = []
        for root, folders, names in os.walk(self.folder):
            deep = len(Path(root).relative_to(self.folder).parts)
            folders[:] = sorted(k for k in folders if not k.startswith(".") and k != "node_modules") if deep < 3 else []
            found += [self.said(Path(root) / k) for k in sorted(names) if not k.startswith(".") and fits(k)]
            if len(found) > MOST_FILES:
                break
        return found[:MOST_FILES]

    def free_name(self, stem: str, ending: str, folder: Path | None = None) -> Path:
        """A file that is not there yet: "stem.ending", "stem 2.ending", …"""
        clean = SAFE_NAME.sub(" ", stem).strip(" .")[:80] or "untitled"
        number, where = 1, folder or self.folder
        while True:
            path = where / (f"{clean}{ending}" if number == 1 else f"{clean} {number}{ending}")
            if not os.path.lexists(path):  # nor a link, whatever it leads to
                return path
            number += 1


def is_scene(file: Path) -> bool:
    """Whether it says what a scene says. TOML that cannot be read may be one with a slip: opening it says where."""
    try:
        if file.stat().st_size > LARGEST_SCENE:
            return True
        text = file.read_text(encoding="utf-8")
        data = tomllib.loads(text) if file.suffix.lower() == ".toml" else json.loads(text)
    except (OSError, ValueError, RecursionError):
        return file.suffix.lower() == ".toml"
    return isinstance(data, dict) and ("format" in data or any(isinstance(data.get(key), list) for key in LISTS))
