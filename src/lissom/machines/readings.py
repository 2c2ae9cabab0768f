"""What can be read of a machine, and what is kept of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.scene import Scene

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Broke:
    """How a rope broke."""

    time: float  # s
    force: float  # N
    span: int  # the link that the span leaves in which it broke
    between: tuple[str, str]  # the parts that the span led from and to

    def __str__(self) -> str:
        return f"broke at {self.time:.4g} s under {self.force:.4g} N between {self.between[0]} and {self.between[1]}"


@dataclass(frozen=True)
class RopeReading:
    """A rope as it is. Spans are those between active links, in order. Links are those of the path, and after them the
    parts that it may come to lie on. Once it broke, spans are as they were then, without tension.
    """

    parts: tuple[str, ...]  # (links,) that each link is on
    leaves: NDArray[np.int64]  # (spans,) the link that each span leaves
    arrives: NDArray[np.int64]  # (spans,) and the one it leads to
    tension: Array  # (spans,) N
    peak: Array  # (spans,) the largest over the substeps of the last step, N
    length: Array  # (spans,) m
    rest: Array  # (spans,) unstretched, m
    stored: Array  # (links,) unstretched, m; 0 where a link is not active, below 0 where slack rope only hangs over it
    active: NDArray[np.bool_]  # (links,)
    turns: Array  # (links,) how often it goes around the wheel
    fleet: Array  # (links,) the larger angle between a span of the link and its plane, rad; 0 where no rope lies on it
    start: Array  # (spans, 3) where each span begins, m
    end: Array  # (spans, 3)
    total: float  # unstretched length of the whole rope, m
    broke: Broke | None  # None: it is whole


@dataclass(frozen=True)
class JointReading:
    """A joint as it is."""

    value: float  # rad or m
    speed: float  # rad/s or m/s, over the last substep
    torque: float  # of its motor, or of friction, on the part, N m or N
    force: Array  # (3,) that the joint exerts on the part, N; without what acts along the axis of a slide


@dataclass(frozen=True)
class MotorReading:
    """What drives a joint: a speed with the most torque (None: any), or a torque alone; neither: nothing does."""

    speed: float | None  # rad/s or m/s
    torque: float | None  # N m or N
    tension: float | None  # N, of the rope on the spool that a torque alone turns


@dataclass(frozen=True)
class MachineState:
    """A machine as it was: pickles, and never changes. `scene` is the one it began with."""

    scene: Scene
    time: float
    substep: float  # s, of the last step; 0 before the first
    substeps: int
    iterations: int
    solver: str
    motion: str | None
    rested: float  # s in which the motion stood still
    arrays: dict[str, NDArray[Any]]  # by "bodies.v", "links.rest", …


KEPT = {
    "bodies": ("x", "q", "v", "l"),
    "joints": ("value", "before", "motor", "speed", "torque"),
    "ropes": ("broken", "broke_at", "broke_under", "broke_from", "broke_to"),
    "links": (
        "active", "ready", "held", "sense", "stored", "stretch", "place_in", "place_out", "anchor", "slips", "rest",
        "length", "peak", "start", "end", "ease", "after", "share", "centre", "e1", "e2", "axis", "radius", "around",
        "corners", "corner_last",
    ),
    "contacts": ("clock", "soft", "stamp", "lead"),
    "guests": ("clear",),
    "known": ("total", "last", "state"),
}  # fmt: skip
"""What a machine needs to go on as it would have."""
