"""Smooth random curves of a given length: supports put on them can be reached by construction."""

from dataclasses import dataclass

import numpy as np

from tests.truth.turning import Array, exponential, framed, unit

STEPS = 400


@dataclass(frozen=True)
class Curve:
    """Points and frames along it, evenly spaced in arc length."""

    points: Array
    frames: Array

    def at(self, fraction: float) -> Array:
        u = fraction * (len(self.points) - 1)
        return np.array([np.interp(u, np.arange(len(self.points)), self.points[:, k]) for k in range(3)])

    def frame(self, fraction: float) -> Array:
        return np.asarray(self.frames[round(fraction * (len(self.frames) - 1))])


def direction(rng: np.random.Generator) -> Array:
    """A unit vector, all directions equally likely."""
    return unit(rng.normal(size=3))


def curve(rng: np.random.Generator, length: float, *, level: bool = False) -> Curve:
    """Turns by about one to three radians, with two waves along it; shrunk a little, so that there is slack.

    A `level` one begins sideways, so that it does not stand on its end above the ground.
    """
    s = np.linspace(0.0, 1.0, STEPS + 1)
    waves = rng.normal(size=(2, 3)) * np.array([1.0, 1.0, 0.7])
    shapes = np.stack([np.ones_like(s), np.cos(np.pi * s), np.cos(2.0 * np.pi * s)])
    bend = waves @ shapes
    total = float(np.mean(np.hypot(*bend)))
    bend *= rng.uniform(0.6, 2.8) / max(total, 1e-9)
    first = direction(rng)
    if level:
        first = unit(first * [1.0, 1.0, 0.2])
    frame = framed(first, rng.uniform(-np.pi, np.pi))
    frames, points = [frame], [np.zeros(3)]
    h = 1.0 / STEPS
    for k in range(STEPS):
        middle = 0.5 * (bend[:, k] + bend[:, k + 1])
        after = frame @ exponential(h * np.array([*middle, 0.0]))
        points.append(points[-1] + length * h * 0.5 * (frame[:, 2] + after[:, 2]))
        frame = after
        frames.append(frame)
    slack = rng.uniform(0.86, 0.97)
    return Curve(slack * np.array(points), np.array(frames))


def moved(c: Curve, by: Array) -> Curve:
    return Curve(c.points + by, c.frames)
