"""Files that a page has sent: kept in the workspace until they become parts, named by their contents."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from lissom.scene.saving import write_atomically
from lissom.session.workspace import Workspace, WorkspaceError

MESHES: Final = (".stl", ".obj", ".ply", ".glb")
LARGEST: Final = 512 * 2**20
"""Bytes: a million triangles as text are some 300 MB."""
KEY: Final = re.compile(r"[0-9a-f]{32}\.[a-z]{3}")


def keep_upload(workspace: Workspace, name: str, content: bytes) -> str:
    """Keeps the contents; gives the key under which a command can name them."""
    ending = Path(name).suffix.lower()
    if ending not in MESHES:
        raise WorkspaceError(f"{name!r:.80}: must be a mesh file: {', '.join(MESHES)}")
    if not content:
        raise WorkspaceError(f"{name!r:.80}: is empty")
    if len(content) > LARGEST:
        raise WorkspaceError(f"{name!r:.80}: is larger than {LARGEST // 2**20} MB; thin the mesh out first")
    key = hashlib.sha256(content).hexdigest()[:32] + ending
    folder = workspace.hidden / "uploads"
    folder.mkdir(exist_ok=True)
    write_atomically(folder / key, content)
    return key


def upload_file(workspace: Workspace, key: str) -> Path:
    """The file of an upload. Raises where there is none."""
    file = workspace.hidden / "uploads" / key
    if not KEY.fullmatch(key) or not file.is_file():
        raise WorkspaceError(f"upload {key!r:.80}: there is no such file; send it again")
    return file
