"""Frames carried to another grid."""

import numpy as np

from lissom.rods.transfer import between, interpolate_frames, mean_frames


def frames(s: np.ndarray) -> np.ndarray:
    """Turning about x, and the sign of the quaternion changing on the way."""
    q = np.stack([np.cos(s), np.sin(s), 0.0 * s, 0.0 * s], axis=1)
    q[len(s) // 2 :] *= -1.0
    return q


def test_compiled_and_plain_agree() -> None:
    s, at = np.linspace(0.0, 1.0, 9), np.linspace(0.0, 1.0, 31)
    q, out = frames(s), np.empty((31, 4))
    mean_frames(q, *between(s, at), out)
    same = np.abs(np.einsum("ij,ij->i", out, interpolate_frames(q, s, at)))
    assert np.allclose(same, 1.0, atol=1e-14)
    exact = np.abs(np.einsum("ij,ij->i", out, frames(at)))
    assert exact.min() > 1.0 - 1e-5


def test_a_frame_of_its_own_is_kept_to_the_last_bit() -> None:
    s = np.linspace(0.0, 1.0, 8)
    at = np.sort(np.concatenate([s * (1.0 + 1e-15), [0.03, 0.5, 0.9]]))
    q, out = frames(s), np.empty((11, 4))
    mean_frames(q, *between(s, at), out)
    for frame in q:
        assert any(np.array_equal(frame, row) for row in out)
