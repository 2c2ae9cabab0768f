"""Between the handle and the gripper: a soft coupling, and a guard that lets no energy come out of nothing.

[docs/theory/haptic.md §9]. The gripper is not where the handle is: a spring and a damper lead it,

    0 = F_cable − F₀ + k (x_d − x_p) + b (v_d − v_p),

so that the hand never feels more than the stiffness k, however hard the contact; and directions likewise, with torques
T. The work that the hand does against what it was told is counted, E = −Σ (F − F₀)·Δx + (T − T₀)·Δφ, without the
weight of the cable that is only lifted, lowered and turned; where the hand would get out more than it put in, dampers
take the difference [Hannaford & Ryu 2002]. F₀ and T₀ are what the gripper feels where it begins: they hang in the hand
as they are, not on the spring.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lissom.haptic.devices import rotation_vector, turned_by

Array = NDArray[np.float64]
Wrench = tuple[Array, Array]  # force and torque; or a way and a turn

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
    most_turn_damping: float = 0.06  # N m s/rad, likewise, for 3e-4 kg m²
    most_force: float = 20.0  # N, what the device may be told at most
    most_torque: float = 1.0  # N m

    def __post_init__(self) -> None:
        if self.kind not in ("virtual", "direct"):
            raise ValueError(f"kind = {self.kind!r}: must be virtual or direct")
        positive = ("stiffness", "damping", "turn_stiffness", "turn_damping", "most_damping", "most_turn_damping")
        for name in (*positive, "most_force", "most_torque"):
            value = getattr(self, name)
            if not (value > 0.0 and math.isfinite(value)):
                raise ValueError(f"{name} = {value}: must be above 0")


FASTEST_FORCE = 200.0
"""N/s, and so many N m/s: how fast a held force goes to that of a solve that came late, where it is told directly."""
FADES = 0.8
"""In a tick: how much of the stiffness felt before is still counted on."""
STILL = 1e-12
"""m: what moves by less says nothing of stiffness."""


class Lead:
    """A spring and a damper that lead one thing after another, against what holds it [docs/theory/haptic.md (21)].

    Ways and turns are one vector (x, ρφ), forces and torques (F, T/ρ), with the ρ that makes the spring the same in all
    six: a contact at the far end of a cable resists both at once. It may be far stiffer than the spring, and its force
    is that of the tick before: so its stiffness K is estimated from what the last move changed, and counted on in the
    next.
    """

    def __init__(self, numbers: CouplingNumbers) -> None:
        self._k = numbers.stiffness
        self._rho = math.sqrt(numbers.turn_stiffness / numbers.stiffness)
        self._b = np.repeat([numbers.damping, numbers.turn_damping / self._rho**2], 3)
        self._hard = 0.0  # K
        self._moved, self._held = np.zeros(6), np.zeros(6)

    def step(self, way: Wrench, lag: Wrench, held: Wrench, dt: float) -> Wrench:
        """How far to go and to turn, where the leader went `way` and is ahead by `lag`, and what holds the follower is
        `held`.
        """
        rho = self._rho
        went, ahead = (np.concatenate([v[0], rho * v[1]]) for v in (way, lag))
        pull = np.concatenate([held[0], held[1] / rho])
        moved = size(self._moved)
        if moved > STILL:
            self._hard = max(size(pull - self._held) / moved, FADES * self._hard)
        whole = self._b + (self._k + self._hard) * dt
        back = shortened(dt / whole * pull, size(ahead) + size(went) + STILL)
        self._moved = ((self._b + dt * self._k) * went + dt * self._k * ahead) / whole + back
        self._held = pull
        return self._moved[:3], self._moved[3:] / rho


class Coupling:
    """One handle, one gripper. Arrays are (3,) and (4,), world axes."""

    def __init__(self, numbers: CouplingNumbers, position: Array, quaternion: Array, weight: Wrench) -> None:
        """`weight`: force (N) and torque (N m) that the gripper feels where it begins."""
        self.numbers = numbers
        self._weight, self._moment = weight[0].copy(), weight[1].copy()
        self.position, self.quaternion = position.copy(), quaternion.copy()  # of the gripper
        self._lead = Lead(numbers)
        self.energy = 0.0  # J, that the hand has put in and not got back: below 0 the loop makes energy
        self.damped = 0.0  # J, that the guard took
        self._handle, self._turned = position.copy(), quaternion.copy()
        self._force, self._torque = self._weight, self._moment  # what the hand was told last
        self._speed, self._spin, self._dt = np.zeros(3), np.zeros(3), 1.0
        self._led, self._since = (position.copy(), quaternion.copy()), 0.0  # the handle at the last step of the lead
        self._pull, self._behind = weight, False

    def lead(
        self, position: Array, quaternion: Array, force: Array, torque: Array, dt: float, *, late: bool = False
    ) -> None:
        """The handle is here now, and the cable pulls the gripper with `force` and `torque`: moves the gripper.

        Where that is `late`, the force of another pose, a gripper on a spring stands still until it is known.
        """
        n = self.numbers
        way, turn = position - self._handle, rotation_vector(self._turned, quaternion)
        self.energy -= float((self._force - self._weight) @ way + (self._torque - self._moment) @ turn)
        if n.kind == "direct":
            self.position, self.quaternion = position.copy(), quaternion.copy()
        self._since += dt
        if n.kind == "virtual" and not late:
            x, q = self._led
            lag = x - self.position, rotation_vector(self.quaternion, q)
            went, held = (position - x, rotation_vector(q, quaternion)), (force - self._weight, torque - self._moment)
            go, spin = self._lead.step(went, lag, held, self._since)
            self.position, self.quaternion = self.position + go, turned_by(self.quaternion, spin)
            self._led, self._since = (position.copy(), quaternion.copy()), 0.0
        self._speed, self._spin, self._dt = way / dt, turn / dt, dt
        self._handle, self._turned = position.copy(), quaternion.copy()

    def feel(self, force: Array, torque: Array, *, late: bool = False) -> tuple[Array, Array]:
        """What the hand is told, where the cable pulls the gripper with `force` and `torque` now, or did (`late`)."""
        n = self.numbers
        if n.kind == "virtual":
            force = n.stiffness * (self.position - self._handle) + self._weight
            torque = n.turn_stiffness * rotation_vector(self._turned, self.quaternion) + self._moment
        else:
            force, torque = self._caught_up((force, torque), late)
        force, torque = shortened(force, n.most_force), shortened(torque, n.most_torque)
        if n.guarded and self.energy < 0.0:
            force, torque = self._guard(force, torque)
        self._force, self._torque = force, torque
        return force.copy(), torque.copy()

    def _caught_up(self, goal: Wrench, late: bool) -> Wrench:
        """A held force goes to that of a solve that came late no faster than FASTEST_FORCE."""
        if not late and not self._behind:
            self._pull = goal
            return goal
        step = FASTEST_FORCE * self._dt
        self._pull = rate_limited(self._pull[0], goal[0], step), rate_limited(self._pull[1], goal[1], step)
        self._behind = late or any(not np.array_equal(a, b) for a, b in zip(self._pull, goal, strict=True))
        return self._pull

    def _guard(self, force: Array, torque: Array) -> tuple[Array, Array]:
        """Dampers on the handle that would have taken what came out of nothing, both to the same part of their most."""
        b, c = self.numbers.most_damping, self.numbers.most_turn_damping
        power = b * float(self._speed @ self._speed) + c * float(self._spin @ self._spin)
        if power < 1e-12 * b:
            return force, torque
        part = min(-self.energy / (power * self._dt), 1.0)
        self.damped += part * power * self._dt
        return force - part * b * self._speed, torque - part * c * self._spin


def rate_limited(now: Array, goal: Array, most: float) -> Array:
    """From what is felt towards what it should be, by no more than `most`."""
    way = goal - now
    size = math.sqrt(float(way @ way))
    return goal.copy() if size <= most else now + most / size * way


def shortened(v: Array, most: float) -> Array:
    long = size(v)
    return v if long <= most else most / long * v


def size(v: Array) -> float:
    return math.sqrt(float(v @ v))
