"""What a machine did: the latest records, as many as there is room for, with the same series as `lissom run`."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.checks import Check
from lissom.analysis.machines import Run
from lissom.analysis.ropechecks import rope_checks, worst

if TYPE_CHECKING:
    from lissom.machines.machine import Machine
    from lissom.machines.readings import Broke
    from lissom.scene import Scene

Array = NDArray[np.float64]
Worst = tuple[float, list[Check], "dict[str, Broke]"]
"""Since when (s), the worst of each rule of a rope, and the ropes that are broken."""

MOST_RECORDS: Final = 3600
"""A minute of steps of 1/60 s."""
MOST_NUMBERS: Final = 4_000_000
"""32 MB: a machine of hundreds of ropes is remembered for a shorter time."""
AXES: Final = ("x", "y", "z")
OF_LINKS: Final = ("tension", "peak", "rest", "stored")


class Trace:
    """A ring of records; one for every step."""

    def __init__(self, machine: Machine) -> None:
        self.scene: Scene = machine.scene
        self._links = {rope.name: machine.rope(rope.name).parts for rope in machine.scene.ropes}
        self.keys = list(_keys(machine))
        self._column = {key: k for k, key in enumerate(self.keys)}
        room = max(16, min(MOST_RECORDS, MOST_NUMBERS // len(self.keys)))
        self._ring = np.full((room, len(self.keys)), math.nan)
        self._taken = 0  # ever
        self._undone = self._ring[:0]  # records that redo brings back
        self._worst: list[Worst] = []
        self._worst_undone: list[Worst] = []

    def take(self, machine: Machine, shown: Machine | None = None) -> None:
        """One more record; forces as another machine shows them, where this one has not moved yet."""
        forces = shown or machine
        row = [machine.time, machine.energy, machine.kinetic_energy]
        broke: dict[str, Broke] = {}
        for rope in self.scene.ropes:
            now = forces.rope(rope.name)
            of_spans = np.full((3, len(now.parts)), math.nan)
            of_spans[:, now.leaves] = now.tension, now.peak, now.rest
            row += [*of_spans.ravel(), *np.where(now.active, now.stored, math.nan)]
            if now.broke is not None and shown is None:
                broke[rope.name] = now.broke
        loads = forces.axis_loads
        for name, (value, _) in machine.axis_loads.items():
            row += [value, loads[name][1]]
        for position, quaternion in machine.poses.values():
            row += [*position, *quaternion]
        self._ring[self._taken % len(self._ring)] = row
        self._taken += 1
        self._undone, self._worst_undone = self._ring[:0], []
        checks = worst(self.checks, rope_checks(forces))
        if (checks, broke) != (self.checks, self.broke):
            self._worst = [*self._worst[1 - len(self._ring) :], (machine.time, checks, broke)]

    def go_to(self, time: float) -> None:
        """What came after is left out, until it is done again or something else is done."""
        end = time + 1e-9
        rows, marks = np.concatenate([self.rows, self._undone]), [*self._worst, *self._worst_undone]
        kept, self._undone = rows[rows[:, 0] <= end][-len(self._ring) :], rows[rows[:, 0] > end]
        self._ring[: len(kept)] = kept
        self._taken = len(kept)
        self._worst, self._worst_undone = [k for k in marks if k[0] <= end], [k for k in marks if k[0] > end]

    @property
    def checks(self) -> list[Check]:
        """The worst of each rule of a rope since the start."""
        return self._worst[-1][1] if self._worst else []

    @property
    def broke(self) -> dict[str, Broke]:
        """How ropes broke."""
        return self._worst[-1][2] if self._worst else {}

    @property
    def _full(self) -> bool:
        return self._taken > len(self._ring)

    @property
    def rows(self) -> Array:
        """(records, keys) the oldest first."""
        if not self._full:
            return self._ring[: self._taken]
        return np.roll(self._ring, -(self._taken % len(self._ring)), axis=0)

    def knows(self, key: str) -> bool:
        return key in self._column

    def column(self, key: str) -> Array:
        """(records,) of one series."""
        return np.asarray(self.rows[:, self._column[key]])

    def run(self) -> Run:
        """As `lissom run` has it."""
        rows = self.rows
        found = Run(self.scene, rows[:, 0].tolist(), rows[:, 1].tolist(), dict(self._links))
        found.broke, found.checks = self.broke, self.checks
        for rope in self.scene.ropes:
            for kind in OF_LINKS:
                columns = [self._column[f"{kind}/{rope.name}/{i}"] for i in range(len(self._links[rope.name]))]
                getattr(found, kind)[rope.name] = list(rows[:, columns])
        for key, k in self._column.items():
            kind, _, name = key.partition("/")
            if kind in ("joint", "torque"):
                getattr(found, kind)[name] = rows[:, k].tolist()
            elif kind == "position" and name.endswith("/x"):
                found.position[name[:-2]] = list(rows[:, k : k + 3])
                found.quaternion[name[:-2]] = list(rows[:, k + 3 : k + 7])
        return found


def _keys(machine: Machine) -> list[str]:
    keys = ["time", "energy", "kinetic"]
    for rope in machine.scene.ropes:
        for kind in OF_LINKS:
            keys += [f"{kind}/{rope.name}/{i}" for i in range(len(machine.rope(rope.name).parts))]
    for name in machine.joint_values:
        keys += [f"joint/{name}", f"torque/{name}"]
    for name in machine.moving:
        keys += [f"position/{name}/{axis}" for axis in AXES]
        keys += [f"quaternion/{name}/{axis}" for axis in ("w", *AXES)]
    return keys


def thinned(times: Array, values: Array, most: int) -> tuple[Array, Array]:
    """No more points than can be drawn, with the smallest and the largest value of every piece of time."""
    if len(times) <= most:
        return times, values
    edges = np.linspace(0, len(times), most // 2 + 1).astype(int)
    kept: list[int] = []
    for a, b in pairwise(edges):
        piece = values[a:b]
        if np.isnan(piece).all():
            kept.append(int(a))
        else:
            kept += sorted({int(a + np.nanargmin(piece)), int(a + np.nanargmax(piece))})
    return times[kept], values[kept]
