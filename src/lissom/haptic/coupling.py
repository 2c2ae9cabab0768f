"""Between the handle and the gripper: a soft coupling, and a guard that lets no energy come out of nothing.

[docs/theory/haptic.md §9]. The gripper is not where the handle is: a spring and a damper lead it,

    0 = F_cable − F₀ + k (x_d − x_p) + b (v_d − v_p),

so that the hand never feels more than the stiffness k, however hard the contact. The work that the hand does against
the force it was told is counted, E = −Σ (F − F₀)·Δx, without the weight F₀ of the cable that is only lifted and
lowered; where the hand would get out more than it put in, a damper takes the difference [Hannaford & Ryu 2002]. F₀ is
what the gripper feels where it begins: it hangs in the hand as it is, not on the spring.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lissom.haptic.devices import rotation_vector, turned_by

Array = NDArray[np.float64]

CouplingKind = Literal["virtual", "direct"]


@dataclass(frozen=True, slots=True)
class CouplingNumbers:
    """`direct`: the gripper is where the handle is. `guarded`: with the damper that keeps it passive."""

    kind: CouplingKind = "virtual"
    stiffness: float = 2000.0  # N/m
    damping: float = 10.0  # N s/m
    turn_stiffness: float = 2.0  # N m/rad
    turn_damping: float = 0.01  # N m s/rad
    guarded: bool = True
    most_damping: float = 60.0  # N s/m, of the guard; a hand of 0.3 kg sampled at 1 kHz takes no more
    most_force: float = 20.0  # N, what the device may be told at most
    most_torque: float = 1.0  # N m

    def __post_init__(self) -> None:
        if self.kind not in ("virtual", "direct"):
            raise ValueError(f"kind = {self.kind!r}: must be virtual or direct")
        for name in ("stiffness", "damping", "turn_stiffness", "turn_damping", "most_force", "most_torque"):
            value = getattr(self, name)
            if not (value > 0.0 and math.isfinite(value)):
                raise ValueError(f"{name} = {value}: must be above 0")


FADES = 0.8
"""In a tick: how much of the stiffness felt before is still counted on."""
STILL = 1e-12
"""m, rad: what moves by less says nothing of stiffness."""


class Lead:
    """A spring and a damper that lead one thing after another, against what holds it [docs/theory/haptic.md (21)].

    What holds it may be far stiffer than the spring, and its force is that of the tick before: so its stiffness K is
    estimated from what the last move changed, and counted on in the next.
    """

    def __init__(self, stiffness: float, damping: float) -> None:
        self._k, self._b = stiffness, damping
        self._hard = 0.0  # K
        self._moved, self._held = np.zeros(3), np.zeros(3)

    def step(self, way: Array, lag: Array, held: Array, dt: float) -> Array:
        """How far to go, where the leader went `way` and is ahead by `lag`, and what holds the follower is `held`."""
        squared = float(self._moved @ self._moved)
        if squared > STILL**2:
            felt = -float((held - self._held) @ self._moved) / squared
            self._hard = max(felt, FADES * self._hard, 0.0)
        whole = self._b + (self._k + self._hard) * dt
        back = shortened(dt / whole * held, math.sqrt(float(lag @ lag)) + math.sqrt(float(way @ way)) + STILL)
        self._moved = ((self._b + dt * self._k) * way + dt * self._k * lag) / whole + back
        self._held = held.copy()
        return self._moved


class Coupling:
    """One handle, one gripper. Arrays are (3,) and (4,), world axes."""

    def __init__(self, numbers: CouplingNumbers, position: Array, quaternion: Array, weight: Array) -> None:
        """`weight` (3,) N: what the gripper feels where it begins."""
        self.numbers = numbers
        self._weight = weight.copy()
        self.position, self.quaternion = position.copy(), quaternion.copy()  # of the gripper
        self._lead, self._turn = (
            Lead(numbers.stiffness, numbers.damping),
            Lead(numbers.turn_stiffness, numbers.turn_damping),
        )
        self.energy = 0.0  # J, that the hand has put in and not got back: below 0 the loop makes energy
        self.damped = 0.0  # J, that the guard took
        self._handle, self._turned = position.copy(), quaternion.copy()
        self._force = np.zeros(3)  # what the hand was told last
        self._way, self._dt = np.zeros(3), 1.0

    def lead(self, position: Array, quaternion: Array, force: Array, torque: Array, dt: float) -> None:
        """The handle is here now, and the cable pulls the gripper with `force` and `torque`: moves the gripper."""
        n = self.numbers
        way, turn = position - self._handle, rotation_vector(self._turned, quaternion)
        self.energy -= float((self._force - self._weight) @ way)
        if n.kind == "direct":
            self.position, self.quaternion = position.copy(), quaternion.copy()
        else:
            ahead = self._handle - self.position
            self.position = self.position + self._lead.step(way, ahead, force - self._weight, dt)
            lag = rotation_vector(self.quaternion, self._turned)
            self.quaternion = turned_by(self.quaternion, self._turn.step(turn, lag, torque, dt))
        self._way, self._dt = way, dt
        self._handle, self._turned = position.copy(), quaternion.copy()

    def feel(self, force: Array, torque: Array) -> tuple[Array, Array]:
        """What the hand is told, where the cable pulls the gripper with `force` and `torque` now."""
        n = self.numbers
        if n.kind == "virtual":
            force = n.stiffness * (self.position - self._handle) + self._weight
            torque = n.turn_stiffness * rotation_vector(self._turned, self.quaternion)
        force, torque = shortened(force, n.most_force), shortened(torque, n.most_torque)
        if n.guarded and self.energy < 0.0:
            force = self._guard(force)
        self._force = force
        return force.copy(), torque.copy()

    def _guard(self, force: Array) -> Array:
        """A damper on the handle that would have taken what came out of nothing."""
        speed = self._way / self._dt
        squared = float(speed @ speed)
        if squared < 1e-12:
            return force
        damping = min(-self.energy / (squared * self._dt), self.numbers.most_damping)
        self.damped += damping * squared * self._dt
        return force - damping * speed


def shortened(v: Array, most: float) -> Array:
    size = math.sqrt(float(v @ v))
    return v if size <= most else most / size * v
