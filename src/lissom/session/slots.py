"""Where unsaved edits are kept against a crash: one slot for each scene, in the hidden folder of the workspace.

They stay there until the scene is saved or they are discarded; opening the scene again brings them back. A scene that
was never saved has a slot of its own all the same: a demo under its name, a new one under a number.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lissom.scene import state_path
from lissom.session.desk import desk_path
from lissom.session.workspace import Workspace, WorkspaceError

NAME: Final = re.compile(r"(untitled|demo|file)-[\w.\- ]{1,80}")


@dataclass(frozen=True, slots=True)
class Slot:
    """A scene of this workspace: its file, or that it has none yet, and where its edits are kept."""

    workspace: Workspace
    name: str
    file: Path | None = None

    @classmethod
    def of(cls, workspace: Workspace, file: Path) -> Slot:
        return cls(workspace, "file-" + hashlib.sha256(str(file).encode()).hexdigest()[:16], file)

    @classmethod
    def demo(cls, workspace: Workspace, name: str) -> Slot:
        return cls(workspace, f"demo-{name}")

    @classmethod
    def untitled(cls, workspace: Workspace) -> Slot:
        """One that holds nothing yet."""
        number = 1
        while (slot := cls(workspace, f"untitled-{number}")).is_full:
            number += 1
        return slot

    @classmethod
    def named(cls, workspace: Workspace, name: str) -> Slot:
        """One without a file, as a page or another process names it."""
        slot = cls(workspace, name)
        if not NAME.fullmatch(name) or name.startswith("file-"):
            raise WorkspaceError(f"{name!r:.80}: there are no unsaved edits of this name")
        return slot

    @property
    def kept(self) -> Path:
        """The scene file with the edits; state and desk lie beside it."""
        ending = ".toml" if self.file is None else self.file.suffix
        return self.workspace.hidden / f"unsaved-{self.name}{ending}"

    @property
    def is_full(self) -> bool:
        return self.kept.is_file()

    @property
    def demo_name(self) -> str | None:
        return self.name.removeprefix("demo-") if self.name.startswith("demo-") else None

    def forget(self) -> None:
        for path in (self.kept, desk_path(self.kept), state_path(self.kept)):
            path.unlink(missing_ok=True)


def full_slots(workspace: Workspace) -> list[Slot]:
    """Those of scenes that were never saved, the latest first."""
    files = [k for k in workspace.hidden.glob("unsaved-*.toml") if not k.name.startswith("unsaved-file-")]
    names = [k.name.removeprefix("unsaved-").removesuffix(".toml") for k in sorted(files, key=_age, reverse=True)]
    return [Slot(workspace, name) for name in names if NAME.fullmatch(name)]


def _age(file: Path) -> float:
    return file.stat().st_mtime
