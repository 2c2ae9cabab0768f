"""What the loop asks for forces: any model of a cable whose gripper can be moved."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lissom.haptic.cable import ForceCable
from lissom.haptic.planes import Surroundings, Touch
from lissom.scene.frames import director

Array = NDArray[np.float64]


class Backend(Protocol):
    """One cable with one gripper. Arrays are the caller's to keep."""

    @property
    def status(self) -> str:
        """Good, or what is wrong."""

    @property
    def reason(self) -> str:
        """Why, with the cure."""

    @property
    def late(self) -> int:
        """Ticks whose force was that of an earlier one."""

    @property
    def deficit(self) -> float:
        """Steps that were wanted and not made."""

    @property
    def positions(self) -> Array:
        """(n, 3) m."""

    @property
    def places(self) -> Array:
        """(n,) m along the cable."""

    @property
    def length(self) -> float:
        """m."""

    def tick(self, position: Array, quaternion: Array, dt: float) -> tuple[Array, Array]:
        """The gripper is here for `dt` seconds: force (N) and torque (N m, about it) that it feels then."""

    def touches(self) -> list[Touch]:
        """Where the cable presses on parts, now."""

    def close(self) -> None:
        """Ends what runs beside it."""


AT_REST = 1e-4
"""Of what is felt, on each point: less is left where the loop begins."""


class ForceBackend:
    """The force model: all steps of a tick, and a look at the obstacles now and then."""

    late = 0

    def __init__(self, cable: ForceCable, grip: int, around: Surroundings | None = None, looks: float = 100.0) -> None:
        """`grip` is the number of the one that moves; `looks` is how often in a second parts are asked, 25 or more."""
        if not 25.0 <= looks <= 1000.0:
            raise ValueError(f"planes_rate = {looks}: must be from 25 to 1000 in a second")
        self.cable, self.grip, self.around = cable, grip, around
        self._between = 1.0 / looks
        self._next = 0.0  # s until the next look
        given = cable.parameters
        self._wanted = np.ones(given.points, np.int64)
        for held in cable.grips:
            near = np.abs(cable.place - held.place) < 0.75 * given.segment
            self._wanted[near] = 0
        self._before = cable.positions
        self._restless = ""  # why it was not at rest when it began

    @property
    def status(self) -> str:
        status = self.cable.health.status
        return "lags" if status == "good" and self._restless else status

    @property
    def reason(self) -> str:
        return self.cable.health.reason or self._restless

    @property
    def deficit(self) -> float:
        return self.cable.health.deficit

    @property
    def positions(self) -> Array:
        return self.cable.positions

    @property
    def places(self) -> Array:
        return self.cable.place

    @property
    def length(self) -> float:
        return self.cable.parameters.length

    def tick(self, position: Array, quaternion: Array, dt: float) -> tuple[Array, Array]:
        w, x, y, z = quaternion
        self.cable.move(self.grip, position, np.array(director((w, x, y, z), 3)))
        if self.around is not None and self.around.obstacles:
            self._next -= dt
            if self._next <= 0.5 * dt:
                self.look()
                self._next = self._between
        self.cable.step(1000.0 * dt)
        felt = self.cable.wrench(self.grip)
        return felt[:3], felt[3:]

    def look(self) -> None:
        """Planes for all that can be met until the next look."""
        if self.around is None:
            return
        x = self.cable.positions
        moved = float(np.linalg.norm(x - self._before, axis=1).max())
        self._before = x
        reach = 0.5 * self.cable.parameters.segment + 3.0 * min(moved, self.length)
        self.around.look(x, self._wanted, reach, self.cable.planes)

    def deepest(self) -> tuple[float, str]:
        """How deep the cable and its gripper are in a part, m, and in which; 0 where they are in none."""
        if self.around is None:
            return 0.0, ""
        wanted = self._wanted.copy()
        wanted[np.argmin(np.abs(self.places - self.cable.grips[self.grip].place))] = 1
        return self.around.deepest(self.cable.positions, wanted)

    def settle(self, most: int = 1000) -> bool:
        """Brings the cable to rest where the gripper is, looking at the obstacles on the way; whether it is."""
        self._restless = ""
        for _ in range(most):
            self.look()
            self.cable.step(10.0)
            if self.cable.health.status == "exploded":
                return False
            if self.cable.imbalance() < AT_REST:
                return True
        given = self.cable.parameters
        self._restless = (
            f"the cable did not come to rest where the loop begins, in {0.01 * most:g} s of {given.steps:g} steps in a "
            f"millisecond: it is felt too late, and not with all of its weight; take fewer points than {given.points}, "
            'more steps, or law = "consistent" and a rule with memory such as "dynamic"'
        )
        return False

    def touches(self) -> list[Touch]:
        return [] if self.around is None else self.around.touches(self.cable.planes, self.cable.parameters.segment)

    def close(self) -> None:
        pass
