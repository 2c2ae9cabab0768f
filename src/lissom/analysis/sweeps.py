"""What a sweep found: read-outs and checks at every position, the worst of each, snap-throughs, hysteresis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.checks import Check
from lissom.analysis.report import findings
from lissom.scene import Scene
from lissom.scene.joint import Value
from lissom.simulation import Simulation
from lissom.sweeping import Visit

Array = NDArray[np.float64]

SAME_SHAPE = 1e-3
"""Part of the length: shapes at one position that differ by more are different equilibria."""


SAME_TWIST = 0.05
"""rad: the same for twist."""


@dataclass(frozen=True, slots=True)
class CableReading:
    """One cable at one position."""

    length: float  # m
    bend_radius: float  # m
    tension: float  # N, the largest
    torsion: float  # rad/m, the largest
    twist: float  # ∫τ ds, rad
    clearance: float | None  # m, to the nearest part
    clearance_to: str
    forces: dict[str, float]  # N at each support


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything read off at one position."""

    number: int
    name: str
    time: float | None
    settings: dict[str, Value]
    back: bool
    status: str
    reason: str
    cables: dict[str, CableReading]
    checks: tuple[Check, ...]
    snaps: tuple[SnapReading, ...] = ()


@dataclass(frozen=True, slots=True)
class SnapReading:
    """A snap-through on the way to a position."""

    cable: str
    before: dict[str, Value]
    after: dict[str, Value]
    time: float | None  # s; of a recorded motion, between two positions
    distance: float  # m
    shape_before: list[list[float]]  # (points, 3) m
    shape_after: list[list[float]]


@dataclass(frozen=True, slots=True)
class Worst:
    """A check over the whole sweep: its worst value and where that was."""

    check: Check
    position: Reading
    failed: int  # positions at which it does not pass


@dataclass(frozen=True, slots=True)
class Loop:
    """A position at which a cable is another one on the way back."""

    cable: str
    there: Reading
    back: Reading
    distance: float  # m between the two shapes
    twist: float  # rad between their twists


@dataclass(slots=True)
class Swept:
    """A whole sweep."""

    readings: list[Reading] = field(default_factory=list)
    shapes: list[dict[str, Array]] = field(default_factory=list)

    def add(self, reading: Reading, shapes: dict[str, Array]) -> None:
        self.readings.append(reading)
        self.shapes.append(shapes)

    @property
    def failed(self) -> list[Reading]:
        """Positions that were not certified."""
        return [k for k in self.readings if k.status != "converged"]

    @property
    def snaps(self) -> list[SnapReading]:
        return [snap for k in self.readings for snap in k.snaps]

    @property
    def ok(self) -> bool:
        """Every position certified, and every check passes there."""
        return not self.failed and all(k.failed == 0 for k in self.worst())

    def worst(self) -> list[Worst]:
        """For each check of each cable the position with the least margin."""
        groups: dict[tuple[str, str, float, str], list[tuple[Check, Reading]]] = {}
        for reading in self.readings:
            for check in reading.checks:
                groups.setdefault((check.cable, check.rule, check.limit, check.stretch), []).append((check, reading))
        found: list[Worst] = []
        for entries in groups.values():
            made = [(c, r) for c, r in entries if c.margin is not None]
            check, reading = min(made, key=lambda k: k[0].margin or 0.0) if made else entries[0]
            found.append(Worst(check, reading, sum(c.ok is False for c, _ in entries)))
        return found

    def hysteresis(self) -> list[Loop]:
        """Positions that were visited there and back, and where a cable came back with another shape or twist."""
        there: dict[str, int] = {}
        found: list[Loop] = []
        for k, reading in enumerate(self.readings):
            key = repr((sorted(reading.settings.items()), reading.time, reading.name))
            first = there.setdefault(key, k)
            if first == k:
                continue
            for cable in reading.cables.keys() & self.readings[first].cables.keys():
                apart = distance(self.shapes[k].get(cable), self.shapes[first].get(cable))
                was, now = self.readings[first].cables[cable], reading.cables[cable]
                unwound = abs(now.twist - was.twist)
                if apart > SAME_SHAPE * now.length or unwound > SAME_TWIST:
                    found.append(Loop(cable, self.readings[first], reading, apart, unwound))
        return found

    def runs(self, cable: str) -> list[Array]:
        """The shapes of a cable that follow each other without a jump, (n, points, 3) each."""
        runs: list[list[Array]] = [[]]
        for reading, shapes in zip(self.readings, self.shapes, strict=True):
            shape = shapes.get(cable)
            jumped = any(snap.cable == cable for snap in reading.snaps)
            if shape is None or jumped or (runs[-1] and len(runs[-1][-1]) != len(shape)):
                runs.append([])
            if shape is not None:
                runs[-1].append(shape)
        return [np.array(run) for run in runs if run]


def distance(a: Array | None, b: Array | None) -> float:
    """m: the largest between two shapes; inf where they are not on the same grid."""
    if a is None or b is None or len(a) != len(b):
        return math.inf
    return float(np.linalg.norm(a - b, axis=1).max())


def read(simulation: Simulation, visit: Visit, scene: Scene) -> Reading:
    """What there is to read while the simulation of the scene stands at the position."""
    found = findings(simulation, visit.report, scene)
    cables: dict[str, CableReading] = {}
    for name, result in found.cables.items():
        if result is None:
            continue
        near = min((k for k in found.clearances if k.cable == name), key=lambda k: k.distance, default=None)
        cables[name] = CableReading(
            result.length,
            result.min_bend_radius,
            float(np.max(result.tension)),
            float(np.abs(result.torsion).max()),
            result.total_torsion,
            None if near is None else near.distance,
            "" if near is None else near.part,
            {k: float(np.linalg.norm(w.force)) for k, w in result.reactions.items()},
        )
    goal = visit.goal
    snaps = tuple(
        SnapReading(
            k.cable,
            dict(k.before.settings),
            dict(k.after.settings),
            k.after.time,
            k.distance,
            k.shape_before.tolist(),
            k.shape_after.tolist(),
        )
        for k in visit.snaps
    )
    certified = visit.ok
    return Reading(
        visit.number,
        goal.name,
        goal.time,
        dict(goal.settings),
        visit.back,
        visit.status,
        visit.reason,
        cables if certified else {},
        found.checks if certified else (),
        snaps,
    )


def number(value: Value) -> float:
    """One number for a table; of a ball joint the angle."""
    return math.hypot(*value) if isinstance(value, tuple) else float(value)


def place(scene: Scene, reading: Reading) -> str:
    """A position for a person."""
    if reading.name:
        return reading.name
    parts = [] if reading.time is None else [f"t = {reading.time:.4g} s"]
    parts += [f"{name} {scene.joint(name).said(number(value))}" for name, value in reading.settings.items()]
    return ", ".join(parts) or f"position {reading.number}"


def columns(readings: Sequence[Reading]) -> dict[str, list[Any]]:
    """The table of a sweep: one row per position."""
    table: dict[str, list[Any]] = {"position": [k.number for k in readings], "name": [k.name for k in readings]}
    table["time_s"] = [k.time for k in readings]
    for name in _names(list(k.settings) for k in readings):
        table[name] = [number(k.settings[name]) if name in k.settings else None for k in readings]
    table |= {"back": [k.back for k in readings], "status": [k.status for k in readings]}
    for cable in _names(list(k.cables) for k in readings):
        rows = [k.cables.get(cable) for k in readings]
        table[f"{cable}: bend radius (m)"] = [None if r is None else r.bend_radius for r in rows]
        table[f"{cable}: tension (N)"] = [None if r is None else r.tension for r in rows]
        table[f"{cable}: torsion (rad/m)"] = [None if r is None else r.torsion for r in rows]
        table[f"{cable}: twist (rad)"] = [None if r is None else r.twist for r in rows]
        if any(r is not None and r.clearance is not None for r in rows):
            table[f"{cable}: clearance (m)"] = [None if r is None else r.clearance for r in rows]
        for support in _names(list(r.forces) for r in rows if r is not None):
            table[f"{cable}/{support}: force (N)"] = [None if r is None else r.forces.get(support) for r in rows]
    table["checks failed"] = [", ".join(f"{c.cable}: {c.rule}" for c in k.checks if c.ok is False) for k in readings]
    table["snaps"] = [", ".join(s.cable for s in k.snaps) for k in readings]
    return table


def _names(lists: Iterable[list[str]]) -> list[str]:
    return list(dict.fromkeys(name for names in lists for name in names))
