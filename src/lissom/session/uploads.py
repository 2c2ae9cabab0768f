"""Files that a page has sent: kept in the workspace until they become parts, named by their contents."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from contextlib import closing
from pathlib import Path
from typing import Final

from lissom.session.workspace import Workspace, WorkspaceError

MESHES: Final = (".stl", ".obj", ".ply", ".glb")
LARGEST: Final = 512 * 2**20
"""Bytes: a million triangles as text are some 300 MB."""
KEY: Final = re.compile(r"[0-9a-f]{32}\.[a-z]{3}")


class TooLarge(WorkspaceError):
    """More than is taken."""


class Upload:
    """A file on its way in: written as it comes, never held in memory as a whole."""

    def __init__(self, workspace: Workspace, name: str, size: int = 0) -> None:
        """`size` as the sender says it, if it does."""
        self._name = f"{name!r:.80}"
        self._ending = Path(name).suffix.lower()
        if self._ending not in MESHES:
            raise WorkspaceError(f"{self._name}: must be a mesh file: {', '.join(MESHES)}")
        self._folder = workspace.folder_in(workspace.hidden, "uploads")
        self._digest, self._size = hashlib.sha256(), 0
        self._check(size)
        self._part = self._folder / f".{secrets.token_hex(8)}.part"
        self._stream = self._part.open("xb")

    def add(self, chunk: bytes) -> None:
        self._size += len(chunk)
        self._check(self._size)
        self._digest.update(chunk)
        self._stream.write(chunk)

    def keep(self) -> str:
        """Gives the key under which a command can name it."""
        self._stream.close()
        if not self._size:
            raise WorkspaceError(f"{self._name}: is empty")
        key = self._digest.hexdigest()[:32] + self._ending
        os.replace(self._part, self._folder / key)
        return key

    def close(self) -> None:
        """Nothing is left of one that was not kept."""
        self._stream.close()
        self._part.unlink(missing_ok=True)

    def _check(self, size: int) -> None:
        if size > LARGEST:
            raise TooLarge(f"{self._name}: is larger than {LARGEST // 2**20} MB; thin the mesh out first")


def keep_upload(workspace: Workspace, name: str, content: bytes) -> str:
    """The same for a file that is at hand."""
    with closing(Upload(workspace, name)) as upload:
        upload.add(content)
        return upload.keep()


def upload_file(workspace: Workspace, key: str) -> Path:
    """The file of an upload. Raises where there is none."""
    file = workspace.hidden / "uploads" / key
    if not KEY.fullmatch(key) or not file.is_file():
        raise WorkspaceError(f"upload {key!r:.80}: there is no such file; send it again")
    return file
