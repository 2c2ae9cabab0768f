"""The state beside the scene."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from lissom.scene import SceneError, load_state, save_state, state, state_path


def test_its_name() -> None:
    assert state_path("a/hose.toml") == Path("a/hose.state.npz")
    assert state_path(Path("hose.v2.json")) == Path("hose.v2.state.npz")


def test_arrays_come_back(tmp_path: Path) -> None:
    arrays = {
        "a/positions": np.random.default_rng(0).normal(size=(5, 3)),
        "turns": np.array([1, 2]),
        "hash": np.array("x"),
    }
    save_state(tmp_path / "a.state.npz", arrays)
    back = load_state(tmp_path / "a.state.npz")
    assert list(back) == list(arrays)
    assert all(np.array_equal(back[name], arrays[name]) for name in arrays)
    assert [path.name for path in tmp_path.iterdir()] == ["a.state.npz"]


def test_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="holds Python objects"):
        save_state(tmp_path / "a.npz", {"a": np.array([None])})
    np.savez(tmp_path / "b.npz", a=np.array([{"x": 1}], dtype=object))
    with pytest.raises(SceneError, match="is not a readable state"):
        load_state(tmp_path / "b.npz")
    (tmp_path / "c.npz").write_bytes(pickle.dumps({}))
    with pytest.raises(SceneError, match="is not a readable state"):
        load_state(tmp_path / "c.npz")


def test_broken_files_say_so(tmp_path: Path) -> None:
    path = tmp_path / "a.state.npz"
    with pytest.raises(SceneError, match="there is no such file"):
        load_state(path)
    save_state(path, {"x": np.arange(100.0)})
    whole = path.read_bytes()
    for raw in (b"", b"x", whole[:50], whole[:-30], whole[:200] + b"\xff" * 50 + whole[250:]):
        path.write_bytes(raw)
        with pytest.raises(SceneError, match="is not a readable state"):
            load_state(path)
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("x.npy", b"not an array")
    with pytest.raises(SceneError):
        load_state(path)
    with pytest.raises(SceneError, match="cannot be written"):
        save_state(tmp_path / "none" / "a.npz", {})


def test_absurd_sizes_are_refused_before_unpacking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "LARGEST_STATE", 1000)
    save_state(tmp_path / "a.npz", {"x": np.zeros(1000)})
    with pytest.raises(SceneError, match="is too large for a state"):
        load_state(tmp_path / "a.npz")
