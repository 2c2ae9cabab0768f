"""What an uploaded mesh looks like before it becomes a part: its size and what is wrong with it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, Final

from lissom.scene import SceneError
from lissom.session.uploads import upload_file
from lissom.session.workspace import Workspace
from lissom.spawning import without_script

DRAWN: Final = 4000
"""Triangles that are shown of a file before it is a part, evenly taken from all of it."""


class Previews:
    """Looks at uploads in a process of its own: a million triangles take seconds, and the server must not wait."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    async def preview(self, workspace: Workspace, key: str) -> dict[str, Any]:
        """Raises ValueError for a file that is no mesh."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        try:
            with without_script():  # the first one starts the process
                found = asyncio.get_running_loop().run_in_executor(self._pool, preview, workspace, key)
            return await found
        except BrokenProcessPool:
            self._pool = None
            raise ValueError("the file could not be looked at; thin the mesh out first") from None

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


def preview(workspace: Workspace, key: str) -> dict[str, Any]:
    """Bounding box and some corners to draw, in the file's own numbers; triangles, warnings. Raises ValueError for a
    file that is no mesh.
    """
    from lissom.exchange.meshfiles import read_mesh

    file = upload_file(workspace, key)
    units = None if file.suffix == ".glb" else "m"
    try:
        mesh = read_mesh(file, units)
    except SceneError as error:
        raise ValueError("; ".join(k.message for k in error.problems)) from None
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    return {
        "low": low.tolist(),
        "high": high.tolist(),
        "triangles": len(mesh.triangles),
        "corners": [float(f"{k:.6g}") for k in mesh.vertices[mesh.triangles[:: 1 + len(mesh.triangles) // DRAWN]].flat],
        "closed": bool(mesh.closed),
        "warnings": list(mesh.warnings),
        "needs_units": units is not None,
    }
