"""Recordings survive their file, and nothing that is none is taken for one."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lissom.haptic.planes import Touch
from lissom.haptic.recording import Recorder, Recording
from lissom.scene import SceneError


def made() -> Recording:
    recorder = Recorder(np.linspace(0.0, 0.3, 4), "a test")
    for k in range(5):
        touch = Touch("table", "edge", 0.2, np.array([0.0, 0.0, k]), np.array([0.0, 0.0, 1.0]))
        touches = [touch] * (k % 3)
        recorder.take(
            0.01 * k, np.zeros(3), np.array([1.0, 0, 0, 0]), np.ones(3), np.ones(3), np.zeros((4, 3)), touches
        )
    return recorder.recording()


def test_recording_survives_its_file(tmp_path: Path) -> None:
    file = tmp_path / "recording.npz"
    file.write_bytes(made().to_bytes())
    again = Recording.load(file)
    assert again.parts == ("table",)
    assert again.title == "a test"
    assert again.length == 0.3
    assert [len(again.touches(k)) for k in range(5)] == [0, 1, 2, 0, 1]
    assert again.touches(1)[0].feature == "edge"
    assert again.force == pytest.approx(made().force)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("time", np.zeros(5), "time must increase"),
        ("force", np.full((5, 3), np.nan), "finite"),
        ("force", np.zeros((4, 3)), "shape"),
        ("quaternion", np.zeros((5, 4)), "norm 1"),
        ("touch_part", np.array([0, 0, 0, 7]), "touch_part"),
        ("touch_sample", np.array([4, 0, 0, 0]), "decrease"),
        ("places", np.zeros(4), "places"),
        ("shape", np.array([["x"]]), "type"),
    ],
)
def test_what_is_wrong_is_named(name: str, value: Any, said: str, tmp_path: Path) -> None:
    with np.load(io.BytesIO(made().to_bytes()), allow_pickle=False) as stored:
        arrays = {key: stored[key] for key in stored.files}
    file = tmp_path / "recording.npz"
    np.savez(file, **{**arrays, name: value})
    with pytest.raises(SceneError, match=said):
        Recording.load(file)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"nothing"])
def test_files_that_are_no_recording(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "recording.npz"
    file.write_bytes(content)
    with pytest.raises(SceneError, match="not a readable NPZ"):
        Recording.load(file)
    with pytest.raises(SceneError, match="no such file"):
        Recording.load(tmp_path / "other.npz")
