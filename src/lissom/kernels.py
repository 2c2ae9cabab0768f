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

njit: Any = numba.njit  # its types do not know all of its options
_compiled: list[Any] = []
_entries: dict[Any, Any] = {}  # of kernels called past numba's look-up of types

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
    return _compile(function, {})


def lean_kernel(function: Function) -> Function:
    """A kernel that makes no array and returns none. Nobody then counts references to the arrays it is handed, which
    takes longer than a small matrix. `_nrt` is numba's own, unofficial option: to try to make an array is an error.
    """
    return _compile(function, {"_nrt": False})


def kernel_part(function: Function) -> Function:
    """A lean kernel that becomes part of those that call it: to hand it a hundred arrays takes longer than a short loop
    over them.
    """
    return _compile(function, {"_nrt": False, "forceinline": True})


def _compile(function: Function, options: dict[str, Any]) -> Function:
    with _our_cache():
        compiled = njit(cache=True, nogil=True, fastmath=False, error_model="numpy", **options)(function)
    _compiled.append(compiled)
    return cast(Function, compiled)


def unchecked(function: Function) -> Function:
    """The machine code of a kernel that was compiled for one set of types only, past the look-up of types: that takes
    6 µs for forty arrays. The kernel itself where there are several sets, or none.

    Only for arguments of the very types and layouts of an earlier call: a wrong one is not noticed.
    """
    overloads = getattr(function, "overloads", None)
    if not overloads or len(overloads) != 1:
        return function
    if function not in _entries:
        (compiled,) = overloads.values()
        _entries[function] = compiled.entry_point
    return cast(Function, _entries[function])


def inline(function: Function) -> Function:
    """A small function that becomes part of kernels, as lean as they may be; it has no cache entry of its own."""
    compiled = njit(nogil=True, fastmath=FINITE, error_model="numpy", _nrt=False, forceinline=True)(function)
    return cast(Function, compiled)


def compiled_count() -> tuple[int, int]:
    """(kernels compiled or loaded so far, kernels defined)."""
    return sum(1 for k in _compiled if getattr(k, "signatures", True)), len(_compiled)
