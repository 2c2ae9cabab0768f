"""Demonstrations as people give them, and sensors as they are: a wobbling path, noise on forces."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lissom.exchange.tracks import Recorded
from lissom.haptic.recording import Recording

Array = NDArray[np.float64]

SLOW = 0.3
"""s over which a hand that wanders comes back."""
RATE = 100.0


def wobbled(path: Recorded, size: float, seed: int) -> Recorded:
    """The path with a hand that wanders off it: by `size` (m, standard deviation) along each axis, slowly."""
    rng = np.random.default_rng(seed)
    count = max(2, round(float(path.time[-1] - path.time[0]) * RATE) + 1)
    time = np.linspace(float(path.time[0]), float(path.time[-1]), count)
    keep = np.exp(-1.0 / (RATE * SLOW))
    off = np.zeros((count, 3))
    slow = np.zeros(3)
    for k in range(1, count):  # twice through a low pass: smooth, and at the path where it begins
        slow = keep * slow + (1.0 - keep) * rng.normal(size=3)
        off[k] = keep * off[k - 1] + (1.0 - keep) * slow
    off *= size / off.std()
    poses = [path.at(t) for t in time]
    return Recorded(time, np.array([x for x, _ in poses]) + off, np.array([q for _, q in poses]))


def noisy(recording: Recording, force: float, seed: int) -> Recording:
    """The recording with noise of this size (N, standard deviation) on the sensor and on what presses."""
    rng = np.random.default_rng(seed)
    size = np.linalg.norm(recording.touch_force, axis=1)
    factor = 1.0 + force * rng.normal(size=len(size)) / np.maximum(size, 1e-12)
    return replace(
        recording,
        force=recording.force + force * rng.normal(size=recording.force.shape),
        torque=recording.torque + 0.1 * force * rng.normal(size=recording.torque.shape),
        touch_force=recording.touch_force * np.maximum(factor, 0.0)[:, None],
    )
