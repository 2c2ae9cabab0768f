"""Where a machine comes to rest: it falls, and is stopped whenever it begins to slow down (kinetic damping)."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lissom.machines.machine import Machine

DT = 1.0 / 60.0
MOST_STEPS = 6000
STILL = 1e-6
"""Of the size of the machine, per second: what is slower after having been stopped stands, its forces in balance."""

LONG_ENOUGH = 20
"""Steps for which it must be that slow."""


@dataclass(frozen=True)
class Rest:
    """How the search for rest went."""

    ok: bool
    steps: int
    reason: str = ""


def find_rest(machine: Machine, ask: Callable[[], object] = lambda: None) -> Rest:
    """Moves a machine to where it stands by itself; motors with a speed hold where they are, with the torque they have,
    and driven parts stand.

    `ask` is called after every step: it may raise, and so give up.
    `machine.joint(name).torque` then is what each motor holds with. Ropes break by what they carry at rest, not on the
    way there.
    """
    for name in machine.joints:
        motor = machine.motor(name)
        if motor.speed is not None:
            machine.set_motor(name, speed=0.0, torque=motor.torque)
    with machine.unbreakable():
        found = fall(machine, ask)
    if found.ok:
        machine.relax(DT)
    return found


def fall(machine: Machine, ask: Callable[[], object]) -> Rest:
    """It falls until it stands."""
    size, before, slow = machine.size, 0.0, 0
    speeds: deque[float] = deque(maxlen=LONG_ENOUGH)  # since it was stopped
    for k in range(MOST_STEPS):
        machine.relax(DT)
        ask()
        now = machine.kinetic_energy
        if not np.isfinite(now):
            return Rest(False, k + 1, "it flew apart; take more substeps")
        speed = machine.fastest[1]
        slow = slow + 1 if speed < STILL * size and machine.lacking[1] < STILL * size else 0
        if slow >= LONG_ENOUGH:
            return Rest(True, k + 1)
        drifts = len(speeds) == LONG_ENOUGH and speed - speeds[0] < STILL * size  # no force drives it
        speeds.append(speed)
        if now < before or drifts:
            machine.stop()
            speeds.clear()
            now = 0.0
        before = now
    part, speed = machine.fastest
    rope, lacks = machine.lacking
    if lacks >= STILL * size:
        return Rest(False, MOST_STEPS, f"{rope} is too short by {lacks:.3g} m: what holds it does not give way")
    return Rest(False, MOST_STEPS, f"{part} still moves at {speed:.3g} m/s: nothing holds it, or it swings on")
