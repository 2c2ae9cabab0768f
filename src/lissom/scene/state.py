"""The solved state beside its scene: ``hose.toml`` and ``hose.state.npz``.

What the arrays mean is the solver's business. Here they are only kept safely: written whole or not at all,
read without executing anything, refused when absurd.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lissom.scene.errors import ABSENT, Problem, SceneError
from lissom.scene.files import unwritable, write_atomically

LARGEST_STATE: Final = 2 * 2**30
"""Bytes of all arrays together, unpacked: ten million points with poses and multipliers."""

MOST_ARRAYS: Final = 100_000

Arrays = dict[str, NDArray[Any]]


def state_path(scene_path: str | Path) -> Path:
    """``hose.toml`` → ``hose.state.npz``, in the same folder."""
    return Path(scene_path).with_suffix(".state.npz")


def packed_state(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Named arrays of numbers, texts or truth values, as they stand in a state file."""
    plain = {name: np.asarray(array) for name, array in arrays.items()}
    for name, array in plain.items():
        if array.dtype.hasobject:
            raise TypeError(f"state array {name!r} holds Python objects; only plain arrays can be kept")
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **plain)
    return packed.getvalue()


def save_state(path: str | Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write the arrays; the file is replaced as a whole."""
    packed = packed_state(arrays)
    try:
        write_atomically(Path(path), packed)
    except OSError as error:
        raise unwritable(path, error) from None


def unpacked_state(packed: bytes) -> Arrays:
    """What `packed_state` packed. Raises SceneError when it is broken or absurdly large."""
    return _arrays("the state", lambda: io.BytesIO(packed))


def load_state(path: str | Path) -> Arrays:
    """The arrays of a state file. Raises SceneError when it is missing, broken or absurdly large."""
    return _arrays(path, lambda: path)


def _arrays(path: str | Path, source: Callable[[], Any]) -> Arrays:
    try:
        with zipfile.ZipFile(source()) as packed:
            members = packed.infolist()
            size = sum(member.file_size for member in members)
        if len(members) > MOST_ARRAYS or size > LARGEST_STATE:
            raise _broken(path, f"is too large for a state ({len(members)} arrays, {size} bytes)")
        with np.load(source(), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        if not all(isinstance(array, np.ndarray) for array in arrays.values()):
            raise ValueError("a member is no array")  # numpy hands such a one over as bytes
        return arrays
    except FileNotFoundError:
        raise _broken(path, "there is no such file") from None
    except (OSError, ValueError, KeyError, EOFError, SyntaxError, TypeError, AttributeError) as error:
        raise _broken(path, f"is not a readable state ({error}); delete it and solve again") from None
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        MemoryError,
        OverflowError,
    ) as error:
        raise _broken(path, f"is not a readable state ({error}); delete it and solve again") from None


def _broken(path: str | Path, message: str) -> SceneError:
    return SceneError([Problem("", ABSENT, message, file=str(path))])
