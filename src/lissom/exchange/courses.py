"""Motions of a scene as functions of time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lissom.exchange.tracks import Recorded, read_track
from lissom.scene import Scene
from lissom.scene.joint import Motion, Value
from lissom.scene.pose import Pose

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Goal:
    """A position to be visited: settings of joints, or poses of parts."""

    settings: Mapping[str, Value] = field(default_factory=dict)
    poses: Mapping[str, Pose] = field(default_factory=dict)
    name: str = ""
    time: float | None = None  # s


@dataclass(frozen=True, slots=True)
class Course:
    """A motion as a function of time. Before its first keyframe or sample, and after its last, everything stands.

    A joint goes straight from the keyframes that name it to the next that do.
    """

    times: Array  # s, of all keyframes or samples
    knots: Mapping[str, tuple[Array, Array]]  # of each joint: times (n,), and values (n, 1) or (n, 3)
    tracks: Mapping[str, Recorded]  # of each part

    @classmethod
    def of(cls, scene: Scene, motion: Motion) -> Course:
        """Reads what was recorded. Raises SceneError where that cannot be used."""
        if motion.tracks:
            tracks = {k.part: read_track(scene.folder / k.file) for k in motion.tracks}
            return cls(np.unique(np.concatenate([k.time for k in tracks.values()])), {}, tracks)
        said: dict[str, list[tuple[float, Array]]] = {}
        for frame in motion.keyframes:
            for name, value in frame.joints.items():
                said.setdefault(name, []).append((frame.time, np.atleast_1d(scene.joint(name).read(value))))
        knots = {name: (np.array([t for t, _ in k]), np.array([v for _, v in k])) for name, k in said.items()}
        return cls(np.array([k.time for k in motion.keyframes]), knots, {})

    def at(self, time: float) -> Goal:
        settings = {name: at_time(*knots, time) for name, knots in self.knots.items()}
        return Goal(settings, {name: track.at(time) for name, track in self.tracks.items()}, time=time)


def at_time(times: Array, values: Array, time: float) -> Value:
    found = [float(np.interp(time, times, values[:, k])) for k in range(values.shape[1])]
    return (found[0], found[1], found[2]) if len(found) == 3 else found[0]
