"""What a solve of one cable leaves: its state, and the report with the certificate."""

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.rods import newton
from lissom.rods.judge.certificate import Certificate
from lissom.rods.judge.winding import Since
from lissom.rods.line import Support

Array = NDArray[np.float64]

# Tolerances of residual and closure: Newton is quadratic, so the state reached is better than what they ask for.
TOLERANCE = 1e-10
WARM_TOLERANCE = 1e-7  # of a frame while something is dragged
LOOSE_TOLERANCE = 1e-8  # of a state on the way to another
ROUGH_TOLERANCE = 1e-4  # of a state that is carried over to another grid; its residual relative to EI/L²


@dataclass(frozen=True, slots=True)
class RodState:
    """What is needed to go on from here: frames, multipliers, and the supports they were solved for."""

    scheme: int
    q: Array  # (frames, 4)
    nu: Array  # (runs,)
    s: Array  # (points,) the grid they live on
    supports: tuple[Support, ...]
    carried: Array | None = None  # (segments, 3) N: the known internal force where contacts add to it
    pushed: Array | None = None  # (points, 3) N: what contacts exert at the points
    # (segments, 4, 3): what those between points add to the force (N) after the first and before the last point of a
    # segment, and to the moments (N m) there
    kicks: Array | None = None
    origin: Since | None = None  # of a shape to begin with: the one at twist 0 that it was wound up from


@dataclass(frozen=True, slots=True)
class OtherShape:
    """Another stable equilibrium for the same supports."""

    energy: float  # J
    state: RodState


UNDETERMINED = (
    "the shape of a rope without bending stiffness is not determined where nothing pulls on it: "
    "give it weight, a load, or a bending stiffness"
)


@dataclass(frozen=True, slots=True)
class RodReport:
    """How the solve of one cable went."""

    status: str  # converged, not_converged, infeasible, under_resolved, unstable, error
    reason: str
    iterations: int
    residual: float  # relative to max(EI/L², wL, loads)
    length_error: float  # of the closure, relative to L
    stable: bool | None  # None: not applicable (moment loads have no energy)
    index: int  # unstable directions
    neutral: int  # directions without stiffness: free spin
    element: str  # staggered or polished
    methods: tuple[str, ...]  # in the order they were used
    warnings: tuple[str, ...]
    others: tuple[OtherShape, ...]
    shortfall: float  # m by which the cable is too short, if infeasible
    seconds: float
    penetration: float = 0.0  # m: how deep the cable is in what it touches
    level: int = 0  # of a kinematic cable: segments in each section
    change: float = 0.0  # m, of a kinematic cable: by how much joints moved when their number was last doubled
    certificate: Certificate | None = None  # what the judge says; None where there is nothing to judge

    @property
    def ok(self) -> bool:
        return self.status == "converged"

    @property
    def is_shape(self) -> bool:
        """Whether it is of an equilibrium."""
        return self.status in ("converged", "unstable")


def nothing_found(status: str, reason: str, began: float, shortfall: float = 0.0) -> RodReport:
    """Of a solve that left nothing; `began` by time.perf_counter."""
    return RodReport(
        status=status,
        reason=reason,
        iterations=0,
        residual=math.nan,
        length_error=math.nan,
        stable=None,
        index=0,
        neutral=0,
        element="",
        methods=(),
        warnings=(),
        others=(),
        shortfall=shortfall,
        seconds=time.perf_counter() - began,
    )


def note(methods: list[str], outcome: newton.Outcome) -> None:
    methods.append("newton")
    if outcome.shifted:
        methods.append("shifted newton")
    if outcome.escapes:
        methods.append("left a saddle")


def between(a: Support, b: Support, part: float) -> Support:
    """A support on its way from a to b: straight, and by the shortest rotation."""
    position = tuple((1 - part) * p + part * r for p, r in zip(a.position, b.position, strict=True))
    qa, qb = np.array(a.quaternion), np.array(b.quaternion)
    if qa @ qb < 0.0:
        qb = -qb
    angle = math.acos(min(1.0, float(qa @ qb)))
    if angle > 1e-9:
        q = (math.sin((1 - part) * angle) * qa + math.sin(part * angle) * qb) / math.sin(angle)
    else:
        q = qb
    w, x, y, z = (float(v) for v in q / np.linalg.norm(q))
    return b._replace(position=(position[0], position[1], position[2]), quaternion=(w, x, y, z))
