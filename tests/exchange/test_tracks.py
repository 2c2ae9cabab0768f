"""Recorded paths of parts: read from CSV and NPZ, refused where they cannot be (lissom.exchange.tracks)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from lissom.exchange.tracks import read_track
from lissom.scene import SceneError

HEADING = "time,x,y,z,qw,qx,qy,qz\n"


def table(count: int = 11) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A part that goes along a curve and turns about an oblique axis by 1.5 rad."""
    time = np.linspace(0.0, 2.0, count)
    position = np.column_stack([time, 0.1 * time**2, -0.2 * time])
    turns = Rotation.from_rotvec(np.outer(0.75 * time, [0.6, 0.0, 0.8])).as_quat()
    return time, position, turns[:, [3, 0, 1, 2]]


def write_csv(path: Path, time: np.ndarray, position: np.ndarray, quaternion: np.ndarray) -> Path:
    rows = np.column_stack([time, position, quaternion])
    path.write_text(HEADING + "".join(",".join(f"{v:.17g}" for v in row) + "\n" for row in rows))
    return path


def test_csv_and_npz_are_the_same(tmp_path: Path) -> None:
    columns = table()
    np.savez(tmp_path / "a.npz", time=columns[0], position=columns[1], quaternion=columns[2])
    read = [read_track(k) for k in (write_csv(tmp_path / "a.csv", *columns), tmp_path / "a.npz")]
    for track in read:
        assert np.array_equal(track.time, columns[0])
        assert np.allclose(track.position, columns[1], atol=1e-16)
        assert np.allclose(track.quaternion, columns[2], atol=1e-15)


def test_columns_may_come_in_any_order_with_others_between(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "\ufeffName, QW, qx ,qy,qz,z,y,x,Time\nfirst,1,0,0,0,3,2,1,0\n\nlast,1,0,0,0,3.3,2.2,1.1,1\n", encoding="utf-8"
    )
    track = read_track(tmp_path / "a.csv")
    assert track.at(0.0) == ((1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.0))
    assert np.allclose(track.at(0.5)[0], (1.05, 2.1, 3.15))


def test_between_samples_it_goes_straight_and_by_the_shortest_rotation(tmp_path: Path) -> None:
    """Against scipy's Slerp, with signs of quaternions flipped at random, as recorders do."""
    time, position, quaternion = table()
    signs = np.where(np.random.default_rng(3).random(len(time)) < 0.5, -1.0, 1.0)
    track = read_track(write_csv(tmp_path / "a.csv", time, position, quaternion * signs[:, None]))
    between = Slerp(time, Rotation.from_quat(quaternion[:, [1, 2, 3, 0]]))
    for t in (0.0, 0.05, 0.33, 1.0, 1.999, 2.0):
        x, (w, i, j, k) = track.at(t)
        assert np.allclose(x, [np.interp(t, time, p) for p in position.T], atol=1e-15)
        assert (Rotation.from_quat([i, j, k, w]) * between(t).inv()).magnitude() < 1e-12
    assert track.at(-1.0) == track.at(0.0)
    assert track.at(9.0) == track.at(2.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t, x, q: t.__setitem__(4, t[2]), r"sample 5: its time 0.4 s must be later than 0.6 s"),
        (lambda t, x, q: x.__setitem__((3, 1), np.nan), "sample 4: every number must be finite"),
        (lambda t, x, q: q.__setitem__((3, 1), np.inf), "sample 4: every number must be finite"),
        (lambda t, x, q: q.__setitem__(6, 2.0 * q[6]), "sample 7: its quaternion has norm 2, it must be 1"),
        (lambda t, x, q: x.__setitem__(slice(5, None), x[5:] + 7.0), "sample 6: the part jumps by .* cannot teleport"),
    ],
    ids=["unsorted", "nan", "inf", "norm", "teleport"],
)
def test_bad_recordings_are_refused(tmp_path: Path, change: Callable[..., None], words: str) -> None:
    columns = table()
    change(*columns)
    with pytest.raises(SceneError, match=words):
        read_track(write_csv(tmp_path / "a.csv", *columns))


def test_a_turn_that_teleports_is_refused(tmp_path: Path) -> None:
    time, position, quaternion = table(101)
    quaternion[50:] = [0.0, 0.0, 1.0, 0.0]
    with pytest.raises(SceneError, match=r"sample 51: the part jumps by .*° in"):
        read_track(write_csv(tmp_path / "a.csv", time, position, quaternion))


def test_a_part_at_rest_that_begins_to_move_does_not_teleport(tmp_path: Path) -> None:
    time, position, quaternion = table(101)
    position[:] = 1e-6 * np.random.default_rng(1).standard_normal(position.shape)
    position[60:, 0] += np.linspace(0.0, 0.5, 41)
    read_track(write_csv(tmp_path / "a.csv", time, position, quaternion))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no column time, x"),
        ("time,x,y,z\n0,0,0,0\n", "has no column qw, qx, qy, qz"),
        (HEADING + "0,0,0,0,1,0,0,0\n", "has 1 samples; it must have from 2"),
        (HEADING + "0,0,0,0,1,0,0,0\n1,0,0,0,1,0,x,0\n", "line 3: must hold a number for each"),
        (HEADING + "0,0,0,0,1,0,0,0\n1,0,0\n", "line 3: must hold a number for each"),
        ("x," + HEADING + "9,0,0,0,0,1,0,0,0\n9,1,0,0,0,1,0,0,0\n", "has more than one column x: leave one"),
        (HEADING.replace(",", ";") + "0;0;0;0;1;0;0;0\n1;1.000,5;0;0;1;0;0;0\n", "line 3: must hold a number for each"),
    ],
)
def test_files_that_are_no_recording_are_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(SceneError, match=words) as caught:
        read_track(tmp_path / "a.csv")
    assert "a.csv" in str(caught.value)


@pytest.mark.parametrize("samples", [2, 3])
@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("{time},10,0,0,1,0,0,0", "sample {last}: the part jumps by 10000 mm in 0.01 s, .* faster than 20000 mm/s"),
        ("{time},0,0,0,0,1,0,0", "sample {last}: the part jumps by 180° in 0.01 s, .* faster than 1146°/s"),
    ],
)
def test_a_teleport_is_told_though_there_is_nothing_to_compare_it_with(
    tmp_path: Path, end: str, words: str, samples: int
) -> None:
    """With one step, or one that moves, the median is that step itself."""
    rest = "".join(f"{0.01 * k},0,0,0,1,0,0,0\n" for k in range(samples - 1))
    (tmp_path / "a.csv").write_text(HEADING + rest + end.format(time=0.01 * (samples - 1)) + "\n")
    with pytest.raises(SceneError, match=words.format(last=samples)):
        read_track(tmp_path / "a.csv")


def test_two_samples_are_a_straight_way(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(HEADING + "0,0,0,0,1,0,0,0\n1,0.4,0,0,0,1,0,0\n")
    assert read_track(tmp_path / "a.csv").at(0.5)[0] == (0.2, 0.0, 0.0)


@pytest.mark.parametrize("between", [";", "\t"])
@pytest.mark.parametrize("decimals", [".", ","])
def test_spreadsheets_write_semicolons_tabs_and_decimal_commas(tmp_path: Path, between: str, decimals: str) -> None:
    columns = table()
    path = write_csv(tmp_path / "a.csv", *columns)
    path.write_text(path.read_text().replace(",", between).replace(".", decimals))
    track = read_track(path)
    assert np.array_equal(track.time, columns[0])
    assert np.allclose(track.position, columns[1], atol=1e-16)


def test_arrays_that_are_not_of_real_numbers_are_refused(tmp_path: Path) -> None:
    """Complex ones used to lose their imaginary part, with a warning that no user sees."""
    time, position, quaternion = table()
    for bad in (position + 0.1j, position.astype(str), position > 0.5):
        np.savez(tmp_path / "a.npz", time=time, position=bad, quaternion=quaternion)
        with pytest.raises(SceneError, match=r"a\.npz: position holds values of the type .*: they must be real"):
            read_track(tmp_path / "a.npz")
        (tmp_path / "a.npz").unlink()


def test_a_missing_or_broken_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="no such file"):
        read_track(tmp_path / "none.csv")
    (tmp_path / "a.npz").write_bytes(b"no zip")
    with pytest.raises(SceneError, match="not a readable NPZ"):
        read_track(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", time=np.zeros(3), position=np.zeros((3, 3)))
    with pytest.raises(SceneError, match="has no array quaternion"):
        read_track(tmp_path / "b.npz")
    np.savez(tmp_path / "c.npz", time=np.zeros(3), position=np.zeros((3, 2)), quaternion=np.zeros((3, 4)))
    with pytest.raises(SceneError, match=r"must have the shapes \(n,\), \(n, 3\), \(n, 4\)"):
        read_track(tmp_path / "c.npz")
    np.savez(tmp_path / "d.npz", time=np.array([object()]), position=np.zeros(3), quaternion=np.zeros(3))
    with pytest.raises(SceneError, match="not a readable NPZ"):
        read_track(tmp_path / "d.npz")
