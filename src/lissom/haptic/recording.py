"""What a loop recorded: gripper, forces, shapes and contacts over time; in memory, and as an NPZ file."""

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lissom.haptic.planes import FEATURES, Touch
from lissom.scene.errors import ABSENT, Problem, SceneError

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

LARGEST_FILE: Final = 512 * 2**20
SHAPES: Final[dict[str, tuple[str, ...]]] = {
    "time": ("k",),
    "position": ("k", "3"),
    "quaternion": ("k", "4"),
    "force": ("k", "3"),
    "torque": ("k", "3"),
    "shape": ("k", "n", "3"),
    "places": ("n",),
    "touch_sample": ("m",),
    "touch_part": ("m",),
    "touch_feature": ("m",),
    "touch_place": ("m",),
    "touch_point": ("m", "3"),
    "touch_force": ("m", "3"),
}


@dataclass(frozen=True, slots=True)
class Recording:
    """k: sample, n: point of the cable, m: contact. World axes, SI."""

    time: Array  # (k,) s
    position: Array  # (k, 3) of the gripper
    quaternion: Array  # (k, 4)
    force: Array  # (k, 3) that the gripper feels, N
    torque: Array  # (k, 3) about its position, N m
    shape: Array  # (k, n, 3) m
    places: Array  # (n,) m along the cable
    parts: tuple[str, ...]
    touch_sample: Indices  # (m,) the sample k that a contact belongs to, in order
    touch_part: Indices  # (m,) which of `parts`
    touch_feature: Indices  # (m,) which of FEATURES
    touch_place: Array  # (m,) m along the cable
    touch_point: Array  # (m, 3)
    touch_force: Array  # (m, 3) N, on the cable
    title: str = ""

    @property
    def length(self) -> float:
        """Of the cable, m."""
        return float(self.places[-1])

    def touches(self, sample: int) -> list[Touch]:
        """Contacts of one sample."""
        first, last = np.searchsorted(self.touch_sample, [sample, sample + 1])
        return [
            Touch(
                self.parts[self.touch_part[m]], FEATURES[self.touch_feature[m]], float(self.touch_place[m]),
                self.touch_point[m], self.touch_force[m],
            )
            for m in range(first, last)
        ]  # fmt: skip

    def to_bytes(self) -> bytes:
        """As an NPZ file."""
        stream = io.BytesIO()
        arrays = {name: getattr(self, name) for name in SHAPES}
        words = {"parts": np.array(self.parts, dtype=str), "title": np.array(self.title)}
        np.savez_compressed(stream, allow_pickle=False, **arrays, **words)
        return stream.getvalue()

    @classmethod
    def load(cls, path: str | Path) -> "Recording":
        """Reads and checks an NPZ file; SceneError says what is wrong with it."""
        return read_recording(Path(path))


class Recorder:
    """Takes samples one by one."""

    def __init__(self, places: Array, title: str = "") -> None:
        self._places, self._title = places, title
        self._rows: list[tuple[float, Array, Array, Array, Array, Array]] = []
        self._touches: list[tuple[int, Touch]] = []

    def take(
        self, time: float, position: Array, quaternion: Array, force: Array, torque: Array, shape: Array,
        touches: list[Touch],
    ) -> None:  # fmt: skip
        self._touches += [(len(self._rows), touch) for touch in touches]
        self._rows.append((time, position.copy(), quaternion.copy(), force.copy(), torque.copy(), shape))

    def recording(self) -> Recording:
        parts = tuple(dict.fromkeys(touch.part for _, touch in self._touches))
        k, n, m = len(self._rows), len(self._places), len(self._touches)
        columns = [np.array([row[i] for row in self._rows]) for i in range(6)]
        return Recording(
            columns[0].reshape(k), columns[1].reshape(k, 3), columns[2].reshape(k, 4), columns[3].reshape(k, 3),
            columns[4].reshape(k, 3), columns[5].reshape(k, n, 3), self._places, parts,
            np.array([k for k, _ in self._touches], np.int64),
            np.array([parts.index(t.part) for _, t in self._touches], np.int64),
            np.array([FEATURES.index(t.feature) for _, t in self._touches], np.int64),
            np.array([t.place for _, t in self._touches]),
            np.array([t.point for _, t in self._touches]).reshape(m, 3),
            np.array([t.force for _, t in self._touches]).reshape(m, 3), self._title,
        )  # fmt: skip


def read_recording(path: Path) -> Recording:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise broken(path, f"is larger than {LARGEST_FILE // 2**20} MB")
        with zipfile.ZipFile(path) as packed:
            if sum(k.file_size for k in packed.infolist()) > LARGEST_FILE:
                raise broken(path, f"holds more than {LARGEST_FILE // 2**20} MB")
        with np.load(path, allow_pickle=False) as stored:
            missing = [name for name in (*SHAPES, "parts") if name not in stored.files]
            if missing:
                raise broken(path, f"has no array {', '.join(missing)}: `lissom run SCENE -o DIR` writes recordings")
            arrays = {name: np.array(stored[name]) for name in (*SHAPES, "parts")}
            title = str(stored["title"]) if "title" in stored.files else ""
    except FileNotFoundError:
        raise broken(path, "there is no such file; `lissom run SCENE -o DIR` writes one") from None
    except (OSError, ValueError, zipfile.BadZipFile, KeyError, EOFError, TypeError) as error:
        raise broken(path, f"is not a readable NPZ file ({error})") from None
    check_shapes(path, arrays)
    parts = tuple(str(name) for name in arrays.pop("parts"))
    numbers = {name: array.astype(np.int64 if name in WHOLE else float) for name, array in arrays.items()}
    found = Recording(parts=parts, title=title[:200], **numbers)
    check_numbers(path, found)
    return found


WHOLE: Final = ("touch_sample", "touch_part", "touch_feature")


def check_shapes(path: Path, arrays: dict[str, NDArray[np.generic]]) -> None:
    sizes: dict[str, int] = {"3": 3, "4": 4}
    for name, wanted in SHAPES.items():
        array = arrays[name]
        if array.dtype.kind not in ("iu" if name in WHOLE else "fiu"):
            raise broken(path, f"{name} holds values of the type {array.dtype}: they must be real numbers")
        if array.ndim != len(wanted):
            raise broken(path, f"{name} has the shape {array.shape}; it must have {len(wanted)} dimensions")
        for letter, size in zip(wanted, array.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise broken(path, f"{name} has the shape {array.shape}, where {letter} is {sizes[letter]}")
    if arrays["parts"].dtype.kind != "U" or arrays["parts"].ndim != 1:
        raise broken(path, "parts must be a list of names")
    if sizes["k"] < 2 or sizes["n"] < 2:
        raise broken(path, f"has {sizes['k']} samples of {sizes['n']} points; it must have 2 or more of both")


def check_numbers(path: Path, found: Recording) -> None:
    for name in SHAPES:
        if not np.isfinite(getattr(found, name)).all():
            raise broken(path, f"{name}: every number must be finite")
    if not (np.diff(found.time) > 0.0).all():
        raise broken(path, "time must increase from sample to sample")
    if not (np.diff(found.places) > 0.0).all() or found.places[0] < 0.0:
        raise broken(path, "places must increase along the cable, from 0 or more")
    if np.abs(np.linalg.norm(found.quaternion, axis=1) - 1.0).max() > 1e-3:
        raise broken(path, "quaternion must have norm 1 (w first)")
    bounds = {"touch_sample": len(found.time), "touch_part": len(found.parts), "touch_feature": len(FEATURES)}
    for name, most in bounds.items():
        values = getattr(found, name)
        if len(values) and not (values.min() >= 0 and values.max() < most):
            raise broken(path, f"{name} must be from 0 to {most - 1}")
    if (np.diff(found.touch_sample) < 0).any():
        raise broken(path, "touch_sample must not decrease")


def broken(path: Path, message: str) -> SceneError:
    return SceneError([Problem("", ABSENT, message, file=str(path))])
