"""What moves the gripper and feels its force: a recorded path, or a simulated hand."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lissom.exchange.tracks import Recorded
from lissom.scene.frames import normalized, product
from lissom.scene.pose import Pose

Array = NDArray[np.float64]

FINE = 10
"""Steps of a simulated hand in one tick: it is a thing of the world, and not sampled."""


class Device(Protocol):
    """What the loop reads and writes once in a tick."""

    def read(self, time: float) -> Pose:
        """Position (m) and quaternion of the handle."""

    def write(self, time: float, force: Array, torque: Array) -> None:
        """What the handle is to feel, N and N m, world axes."""

    def close(self) -> None:
        """The loop has ended."""


class PathDevice:
    """A recorded path, or any function of time; it feels nothing."""

    def __init__(self, path: Recorded | Callable[[float], Pose]) -> None:
        self._at = path.at if isinstance(path, Recorded) else path

    def read(self, time: float) -> Pose:
        return self._at(time)

    def write(self, time: float, force: Array, torque: Array) -> None:
        pass

    def close(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class HandNumbers:
    """A hand on a handle: mass, spring and damper to where it wants to be, and a tremor."""

    mass: float = 0.3  # kg, of hand and handle
    stiffness: float = 300.0  # N/m
    damping: float = 5.0  # N s/m
    inertia: float = 3e-4  # kg m²
    turn_stiffness: float = 1.0  # N m/rad
    turn_damping: float = 0.02  # N m s/rad
    tremor: float = 0.05  # N, standard deviation of a force below about 12 Hz
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("mass", "stiffness", "damping", "inertia", "turn_stiffness", "turn_damping"):
            value = getattr(self, name)
            if not (value > 0.0 and math.isfinite(value)):
                raise ValueError(f"{name} = {value}: must be above 0")
        if not (self.tremor >= 0.0 and math.isfinite(self.tremor)):
            raise ValueError(f"tremor = {self.tremor}: must be 0 or more, in N")


class SimulatedHand:
    """A hand that follows what it wants through its own softness, and gives way to what it feels.

    Between two ticks it moves on its own with the force that it was given, as a real one does.
    """

    def __init__(self, wants: Callable[[float], Pose], numbers: HandNumbers | None = None) -> None:
        self.numbers = numbers or HandNumbers()
        self._wants = wants
        position, quaternion = wants(0.0)
        self.position, self.velocity = np.array(position), np.zeros(3)
        self.quaternion, self.spin = np.array(quaternion), np.zeros(3)
        self._force, self._torque = np.zeros(3), np.zeros(3)
        self._tremor = np.zeros(3)
        self._random = np.random.default_rng(self.numbers.seed)
        self._time = 0.0

    def read(self, time: float) -> Pose:
        if time > self._time:
            self._move(time)
        x, q = self.position, self.quaternion
        return (float(x[0]), float(x[1]), float(x[2])), (float(q[0]), float(q[1]), float(q[2]), float(q[3]))

    def write(self, time: float, force: Array, torque: Array) -> None:
        self._force, self._torque = np.array(force), np.array(torque)

    def close(self) -> None:
        pass

    def _move(self, time: float) -> None:
        """Symplectic Euler, in fine steps; where it wants to be goes straight over the tick."""
        n = self.numbers
        (a, qa), (b, _) = self._wants(self._time), self._wants(time)
        start, way = np.array(a), np.subtract(b, a)
        dt = (time - self._time) / FINE
        drift = way / (time - self._time)
        fade = math.exp(-(time - self._time) / 0.013)  # 12 Hz
        noise = n.tremor * math.sqrt(1.0 - fade * fade)
        self._tremor = fade * self._tremor + noise * self._random.normal(size=3)
        for k in range(FINE):
            goal = start + way * (k + 0.5) / FINE
            pull = n.stiffness * (goal - self.position) + n.damping * (drift - self.velocity)
            self.velocity += dt / n.mass * (pull + self._force + self._tremor)
            self.position += dt * self.velocity
            turn = rotation_vector(np.array(qa), self.quaternion)
            twist = -n.turn_stiffness * turn - n.turn_damping * self.spin + self._torque
            self.spin += dt / n.inertia * twist
            self.quaternion = turned_by(self.quaternion, dt * self.spin)
        self._time = time


def rotation_vector(a: Array, b: Array) -> Array:
    """(3,) rad, world axes: the smallest turn that takes the frame a to b."""
    p, i, j, k = a.tolist()
    w, x, y, z = product(b.tolist(), (p, -i, -j, -k))
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    size = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 if size < 1e-9 else 2.0 * math.atan2(size, w) / size
    return np.array([factor * x, factor * y, factor * z])


def turned_by(q: Array, v: Array) -> Array:
    """The frame q turned by the rotation vector v, rad, world axes."""
    x, y, z = v.tolist()
    angle = math.sqrt(x * x + y * y + z * z)
    k = 0.5 - angle * angle / 48.0 if angle < 1e-4 else math.sin(0.5 * angle) / angle
    return np.array(normalized(product((math.cos(0.5 * angle), k * x, k * y, k * z), q.tolist())))
