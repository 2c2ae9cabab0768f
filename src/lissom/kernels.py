"""The one decorator that compiles our kernels, and the cache they are kept in.

numba's cache does not notice when a helper in another file changes. The cure: the cache folder is
named by a hash of every source that holds kernels, so that any edit to one starts a fresh folder.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config

Function = TypeVar("Function", bound=Callable[..., Any])

_compiled: list[Any] = []

# What the small functions may assume: finite numbers, signs of zero that do not matter, fused multiply–add. Sums are
# not reordered, so results repeat to the last bit on one machine. Kernels themselves keep strict IEEE rules: they
# look for NaN.
FINITE = {"nnan", "ninf", "nsz", "contract", "arcp"}


@cache
def cache_folder() -> Path:
    """The folder of compiled kernels for exactly these sources."""
    sources = hashlib.sha256()
    package = Path(__file__).resolve().parent
    sources.update(str(package).encode())  # numba keys its files by path: another checkout would compile anew, unsaid
    for path in sorted(package.rglob("*.py")):
        text = path.read_bytes()
        if b"lissom.kernels import" in text or path.name == "kernels.py":
            sources.update(path.relative_to(package).as_posix().encode())
            sources.update(text)
    folder = _cache_home() / "lissom" / f"kernels-{sources.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            return folder
    except OSError:  # a read-only home: compile into a folder of this process instead
        return Path(tempfile.mkdtemp(prefix="lissom-kernels-"))


def _cache_home() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@contextmanager
def _our_cache() -> Iterator[None]:
    """numba reads its cache folder once, when a function is decorated; others' functions keep theirs."""
    settings: Any = config  # its settings are made at run time
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(cache_folder())
    try:
        yield
    finally:
        settings.CACHE_DIR = before


def kernel(function: Function) -> Function:
    """Compiles `function` on first use: cached, without the GIL, strict IEEE arithmetic."""
    with _our_cache():
        compiled = numba.njit(cache=True, nogil=True, fastmath=False, error_model="numpy")(function)
    _compiled.append(compiled)
    return cast(Function, compiled)


def inline(function: Function) -> Function:
    """A small function for use inside kernels only; it has no cache entry of its own."""
    compiled = numba.njit(nogil=True, fastmath=FINITE, error_model="numpy")(function)
    return cast(Function, compiled)


def compiled_count() -> tuple[int, int]:
    """(kernels compiled or loaded so far, kernels defined)."""
    return sum(1 for k in _compiled if getattr(k, "signatures", True)), len(_compiled)


def is_cold() -> bool:
    """Whether no kernel has been compiled for these sources yet: the first run will take a while."""
    return not any(cache_folder().rglob("*.nbi"))
