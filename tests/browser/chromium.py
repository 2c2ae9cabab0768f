"""The browser of the page's tests: Debian's chromium. As a script: installs it where it may, else says so loudly."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

PLACES = ("chromium", "chromium-browser", "google-chrome", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
MISSING = "chromium is not installed: THE PAGE IS NOT TESTED. Install it (Debian: apt-get install chromium)."


def find() -> str | None:
    """The path of the browser, or None."""
    return next((path for name in PLACES if (path := shutil.which(name))), None)


def install() -> None:
    """Installs it with apt, where that is there and allowed."""
    if find() is not None:
        return
    apt = shutil.which("apt-get")
    if apt is not None and os.geteuid() == 0:
        for arguments in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "chromium"]):
            done = subprocess.run(
                [apt, *arguments], env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, check=False
            )
            if done.returncode != 0:
                break
    if find() is None:
        line = "!" * len(MISSING)
        print(f"\n{line}\n{MISSING}\n{line}\n", file=sys.stderr)


if __name__ == "__main__":
    install()
