"""Recorded paths of parts: time, position and orientation, from CSV or NPZ. Files are hostile until checked."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lissom.scene.errors import ABSENT, Problem, SceneError
from lissom.scene.pose import Pose

Array = NDArray[np.float64]

COLUMNS: Final = ("time", "x", "y", "z", "qw", "qx", "qy", "qz")
MOST_SAMPLES: Final = 1_000_000
LARGEST_FILE: Final = 256 * 2**20
UNIT: Final = 1e-3
"""How far the norm of a quaternion may be from 1."""

JUMP: Final = 25.0
"""A part that goes this many times farther between two samples than it usually does has teleported,"""
JUMP_LEAST: Final = 0.05
"""where that is more than this, m or rad: the noise of a part at rest is no teleport."""
USUAL: Final = 3
"""Steps that it takes to say what a part usually does; with fewer, one"""
FASTEST: Final = 20.0
"""faster than this, m/s or rad/s, is a teleport."""
ARRAYS: Final = ("time", "position", "quaternion")


@dataclass(frozen=True, slots=True)
class Recorded:
    """The path of one part."""

    time: Array  # (n,) s, increasing
    position: Array  # (n, 3) m
    quaternion: Array  # (n, 4) unit, each within half a turn of the one before

    def at(self, time: float) -> Pose:
        """Straight between the samples, by the shortest rotation; before the first and after the last it stands."""
        k = int(np.clip(np.searchsorted(self.time, time, side="right") - 1, 0, len(self.time) - 2))
        u = float(np.clip((time - self.time[k]) / (self.time[k + 1] - self.time[k]), 0.0, 1.0))
        x = (1.0 - u) * self.position[k] + u * self.position[k + 1]
        a, b = self.quaternion[k], self.quaternion[k + 1]
        angle = float(np.arccos(np.clip(a @ b, -1.0, 1.0)))
        q = a + u * (b - a) if angle < 1e-6 else (np.sin((1 - u) * angle) * a + np.sin(u * angle) * b) / np.sin(angle)
        w, i, j, l = (q / np.linalg.norm(q)).tolist()
        return (float(x[0]), float(x[1]), float(x[2])), (w, i, j, l)


def read_track(path: Path) -> Recorded:
    """Reads and checks a file, once while it stays the same. Raises SceneError that says what is wrong, and where."""
    try:
        about = path.stat()
    except FileNotFoundError:
        raise broken(path, "there is no such file") from None
    except OSError as error:
        raise broken(path, f"cannot be read: {error}") from None
    if about.st_size > LARGEST_FILE:
        raise broken(path, f"is larger than {LARGEST_FILE // 2**20} MB")
    return read_once(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=32)
def read_once(path: Path, changed: int, size: int) -> Recorded:
    try:
        arrays = read_csv(path) if path.suffix.lower() == ".csv" else read_npz(path)
    except (OSError, UnicodeDecodeError) as error:
        raise broken(path, f"cannot be read: {error}") from None
    return checked(path, *arrays)


def read_csv(path: Path) -> tuple[Array, Array, Array]:
    text = path.read_text(encoding="utf-8-sig")
    between = next((k for k in ";\t" if k in text.partition("\n")[0]), ",")
    rows = csv.reader(io.StringIO(text), delimiter=between)
    heading = [k.strip().lower() for k in next(rows, [])]
    missing = [k for k in COLUMNS if k not in heading]
    if missing:
        raise broken(path, f"has no column {', '.join(missing)}: its first line must name {', '.join(COLUMNS)}")
    twice = [k for k in COLUMNS if heading.count(k) > 1]
    if twice:
        raise broken(
            path, f"has more than one column {', '.join(twice)}: leave one of each, or name the others otherwise"
        )
    order = [heading.index(k) for k in COLUMNS]
    values: list[list[float]] = []
    for number, row in enumerate(rows, start=2):
        if not any(k.strip() for k in row):
            continue
        try:
            values.append([number_in(row[k], between) for k in order])
        except (ValueError, IndexError):
            raise broken(path, f"line {number}: must hold a number for each of {', '.join(COLUMNS)}") from None
        if len(values) > MOST_SAMPLES:
            raise broken(path, f"has more than {MOST_SAMPLES} samples")
    table = np.array(values).reshape(-1, 8)
    return table[:, 0], table[:, 1:4], table[:, 4:8]


def number_in(text: str, between: str) -> float:
    """Where numbers do not have commas between them, a comma in one is that of its decimals."""
    return float(text if between == "," else text.replace(",", "."))


def read_npz(path: Path) -> tuple[Array, Array, Array]:
    try:
        with zipfile.ZipFile(path) as packed:
            if sum(k.file_size for k in packed.infolist()) > LARGEST_FILE:
                raise broken(path, f"holds more than {LARGEST_FILE // 2**20} MB")
        with np.load(path, allow_pickle=False) as stored:
            missing = [k for k in ARRAYS if k not in stored.files]
            if missing:
                raise broken(path, f"has no array {', '.join(missing)}")
            arrays = {k: stored[k] for k in ARRAYS}
    except (ValueError, zipfile.BadZipFile, KeyError, EOFError, TypeError) as error:
        raise broken(path, f"is not a readable NPZ file ({error})") from None
    for name, array in arrays.items():
        if array.dtype.kind not in "fiu":
            raise broken(path, f"{name} holds values of the type {array.dtype}: they must be real numbers, as float64")
    time, position, quaternion = (arrays[k].astype(float) for k in ARRAYS)
    n = time.size
    if time.shape != (n,) or position.shape != (n, 3) or quaternion.shape != (n, 4):
        shapes = f"{time.shape}, {position.shape}, {quaternion.shape}"
        raise broken(path, f"time, position, quaternion must have the shapes (n,), (n, 3), (n, 4), not {shapes}")
    return time, position, quaternion


def checked(path: Path, time: Array, position: Array, quaternion: Array) -> Recorded:
    if not 2 <= len(time) <= MOST_SAMPLES:
        raise broken(path, f"has {len(time)} samples; it must have from 2 to {MOST_SAMPLES}")
    table = np.column_stack([time, position, quaternion])
    bad = np.flatnonzero(~np.isfinite(table).all(axis=1))
    if len(bad):
        raise broken(path, f"sample {bad[0] + 1}: every number must be finite")
    late = np.flatnonzero(np.diff(time) <= 0.0)
    if len(late):
        k = int(late[0])
        raise broken(path, f"sample {k + 2}: its time {time[k + 1]:g} s must be later than {time[k]:g} s before it")
    norms = np.linalg.norm(quaternion, axis=1)
    off = np.flatnonzero(np.abs(norms - 1.0) > UNIT)
    if len(off):
        raise broken(path, f"sample {off[0] + 1}: its quaternion has norm {norms[off[0]]:.4g}, it must be 1 (w first)")
    q = quaternion / norms[:, None]
    flips = np.cumprod(np.where(np.einsum("ij,ij->i", q[1:], q[:-1]) < 0.0, -1.0, 1.0))
    q[1:] *= flips[:, None]
    ways = np.linalg.norm(np.diff(position, axis=0), axis=1)
    turns = 2.0 * np.arccos(np.clip(np.abs(np.einsum("ij,ij->i", q[1:], q[:-1])), 0.0, 1.0))
    for steps, scale, unit in ((ways, 1000.0, " mm"), (turns, 180.0 / np.pi, "°")):
        most, why = bounds(steps, np.diff(time), scale, unit)
        far = np.flatnonzero((steps > most) & (steps > JUMP_LEAST))
        if len(far):
            k = int(far[0])
            jump = f"the part jumps by {scale * steps[k]:.6g}{unit} in {time[k + 1] - time[k]:.3g} s"
            raise broken(path, f"sample {k + 2}: {jump}, {why}: a part cannot teleport; record it more densely")
    return Recorded(time, position, q)


def bounds(steps: Array, seconds: Array, scale: float, unit: str) -> tuple[Array, str]:
    """(n,) how far a part may go from each sample to the next (m or rad), and why not farther."""
    moves = steps[steps > 0.0]
    if len(moves) < USUAL:
        return FASTEST * seconds, f"which is faster than {scale * FASTEST:.0f}{unit}/s"
    usual = float(np.median(moves))
    return np.full(len(steps), JUMP * usual), f"usually it goes {scale * usual:.4g}{unit}"


def broken(path: Path, message: str) -> SceneError:
    return SceneError([Problem("", ABSENT, message, file=str(path))])
