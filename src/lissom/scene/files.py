"""Files and folders that are written: whole or not at all, with an error that names them."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from lissom.scene.errors import ABSENT, Problem, SceneError


def make_folder(folder: Path) -> None:
    """The folder, made if need be; SceneError if it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise unwritable(folder, error) from None


def write(path: Path, content: bytes) -> Path:
    """The file with this content; SceneError if it cannot be."""
    try:
        write_atomically(path, content)
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from None
    return path


def unwritable(path: str | Path, error: OSError | ValueError) -> SceneError:
    """What to say where one cannot be written."""
    message = f"cannot be written: {getattr(error, 'strerror', None) or error}"
    return SceneError([Problem("", ABSENT, message, file=str(path))])


def write_atomically(path: Path, content: bytes) -> None:
    """Replace the file as a whole: a reader, or a crash, sees the old one or the new one."""
    path = Path(os.path.realpath(path))  # a link stays a link
    part = path.parent / f".lissom-{secrets.token_hex(8)}.part"
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            part.chmod(path.stat().st_mode & 0o777)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
