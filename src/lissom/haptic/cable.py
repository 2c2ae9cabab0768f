"""One cable of the force model: points, grips and obstacles, stepped in milliseconds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lissom.haptic import forces, stepping
from lissom.haptic.forces import Aims, Holds, Planes, Points
from lissom.haptic.parameters import LAWS, RULES, Parameters
from lissom.haptic.stepping import Rule
from lissom.kernels import unchecked

Array = NDArray[np.float64]

GripKind = Literal["frame", "points", "ball"]
ROOM = 256
"""Planes at most at a time; beyond, the nearest count."""
TROUBLED = 500.0
"""ms in which every step was damped or limited: then it is more than a sudden move."""
AT_REST = 1e-6
"""Of the scale of forces: what is left of them where the cable has settled."""

BARELY = 1e-4
"""Of B/l²: a force that bends the cable by less than anyone sees, and far more than rounding."""


@dataclass(slots=True)
class Grip:
    """Where something holds the cable.

    `frame` holds a place and a direction there; `points` two neighbouring points, as KH05 do [fig. 14]; `ball` a place.
    """

    place: float  # m along the cable
    position: Array  # (3,) m
    tangent: Array  # (3,) unit, from start to end
    kind: GripKind = "frame"


@dataclass(slots=True)
class Health:
    """How a cable of the force model is doing."""

    status: str = "good"  # good, lags (steps are limited all the time), oscillates, exploded
    reason: str = ""  # with the cure
    steps: int = 0  # of the model
    damped: int = 0  # with c_s ≠ 1
    limited: int = 0  # with d_m > l_s
    deficit: float = 0.0  # Σ c_m that was wanted and not done, because of most_steps


class ForceCable:
    """Points held by grips [docs/theory/haptic.md]. Grips can be anywhere, the first and the last point included."""

    def __init__(
        self,
        parameters: Parameters,
        grips: Sequence[Grip],
        *,
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        positions: Array | None = None,
        weight: Array | None = None,
        hinges: Array | None = None,
        carried: bool = True,
    ) -> None:
        """`positions` (n, 3) to start from; absent: straight along the first grip, or from grip to grip.

        `weight` (n, 3) in N and `hinges` (n,), as `Cable.bend`, replace those of an even cable. A cable with one grip
        is `carried` along by it as if it were rigid; else its points are dragged after it, as by KH05.
        """
        if not grips:
            raise ValueError("grips: there must be one at least: nothing else holds the cable")
        self.parameters = parameters
        self.grips = list(grips)
        self.health = Health()
        self._is_carried = carried and len(self.grips) == 1
        n, h = parameters.points, parameters.segment
        self._spread = np.linspace(0.0, parameters.length, n)
        bend = even_hinges(parameters) if hinges is None else np.array(hinges, dtype=float)
        load = even_weight(parameters, np.array(gravity, dtype=float)) if weight is None else np.array(weight)
        self._rows: list[tuple[int, int, int]] = []  # of each grip: holds from, to, and its aim
        self._lay_out(bend)
        self._cable = forces.Cable(LAWS[parameters.law], h, parameters.stretch_force, bend, load)
        self._points = new_points(n)
        self.planes = new_planes(ROOM)
        self._rule = Rule(
            RULES[parameters.rule], parameters.mobility, parameters.step_limit, parameters.memory, parameters.rise,
            parameters.fall, parameters.length,
        )  # fmt: skip
        self._c_s = 1.0
        self._ahead = 0.0  # Σ c_m done beyond what was wanted
        self._troubled = 0.0  # ms in a row in which every step was damped or limited
        self._out = np.zeros(6)
        self._led = self.grips[0].position.copy(), self.grips[0].tangent.copy()
        self._arrive(*self._targets())
        self.start_from(self._straight() if positions is None else positions)

    def _lay_out(self, bend: Array) -> None:
        """Rows of the springs and directions; hinges where a direction is held are in the grip."""
        h, n = self.parameters.segment, self.parameters.points
        at: list[tuple[int, float]] = []
        aims: list[tuple[int, float, float]] = []
        stiff = half_hinge(self.parameters)
        for grip in self.grips:
            if not 0.0 <= grip.place <= self.parameters.length * (1.0 + 1e-12):
                raise ValueError(f"place = {grip.place} m: must lie on the cable, from 0 to {self.parameters.length} m")
            first, aim = len(at), -1
            segment = min(int(grip.place / h + 1e-9), n - 2)
            if grip.kind == "points":
                at += [(segment, 0.0), (segment, 1.0)]
            elif grip.kind == "frame":
                point = min(round(grip.place / h), n - 1)
                at.append((point, 0.0) if point < n - 1 else (n - 2, 1.0))
                aim = len(aims)
                aims.append((point, stiff if point > 0 else 0.0, stiff if point < n - 1 else 0.0))
                bend[point] = 0.0
            else:
                at.append((segment, grip.place / h - segment))
            self._rows.append((first, len(at), aim))
        self._holds = Holds(
            np.array([k for k, _ in at], np.int64), np.array([t for _, t in at]), np.zeros((len(at), 3)),
            np.zeros((len(at), 3)),
            np.full(len(at), self.parameters.grip_stiffness),
        )  # fmt: skip
        self._aims = Aims(
            np.array([k[0] for k in aims], np.int64), np.zeros((len(aims), 3)), np.zeros((len(aims), 3)),
            np.array([k[1] for k in aims]), np.array([k[2] for k in aims]),
        )  # fmt: skip

    def _targets(self) -> tuple[Array, Array]:
        """Where grips hold the cable, and along which directions: a place beside one is reached along its tangent."""
        targets, directions = np.zeros_like(self._holds.target), np.zeros_like(self._aims.direction)
        for grip, (first, last, aim) in zip(self.grips, self._rows, strict=True):
            for j in range(first, last):
                s = (self._holds.segment[j] + self._holds.t[j]) * self.parameters.segment
                targets[j] = grip.position + (s - grip.place) * grip.tangent
            if aim >= 0:
                directions[aim] = grip.tangent
        return targets, directions

    def _straight(self) -> Array:
        """From grip to grip, or along the tangent of the only one."""
        order = sorted(self.grips, key=lambda k: k.place)
        s = self._spread
        x = order[0].position + (s - order[0].place)[:, None] * order[0].tangent
        if len(order) > 1:
            places = [k.place for k in order]
            inside = (s >= places[0]) & (s <= places[-1])
            for axis in range(3):
                x[inside, axis] = np.interp(s[inside], places, [k.position[axis] for k in order])
            beyond = s > places[-1]
            x[beyond] = order[-1].position + (s[beyond] - order[-1].place)[:, None] * order[-1].tangent
        return x

    # ---- where it is -------------------------------------------------------------------------------------------

    @property
    def positions(self) -> Array:
        """(n, 3) m, a copy."""
        return self._points.x.copy()

    def start_from(self, positions: Array) -> None:
        """Puts the points somewhere, at rest."""
        x = np.asarray(positions, dtype=float)
        if x.shape != self._points.x.shape or not np.isfinite(x).all():
            raise ValueError(f"positions: shape {x.shape}, but finite numbers of {self._points.x.shape} are needed")
        self._points.x[:] = x
        self._points.made[:] = 0.0
        self._points.speed[:] = 0.0
        self._points.flips[:] = 0
        self._c_s = 1.0
        self._troubled = 0.0
        self.health.status, self.health.reason = "good", ""

    @property
    def place(self) -> Array:
        """(n,) m along the cable of each point."""
        return self._spread.copy()

    @property
    def stretch(self) -> float:
        """The largest change of length of a segment, as a fraction."""
        l = np.linalg.norm(np.diff(self._points.x, axis=0), axis=1)
        return float(np.abs(l / self.parameters.segment - 1.0).max())

    @property
    def angles(self) -> Array:
        """(n − 2,) rad between neighbouring segments."""
        t = np.diff(self._points.x, axis=0)
        t /= np.linalg.norm(t, axis=1)[:, None]
        sine = np.linalg.norm(np.cross(t[:-1], t[1:]), axis=1)
        return np.asarray(np.arctan2(sine, np.einsum("ij,ij->i", t[:-1], t[1:])))

    @property
    def damping(self) -> float:
        """c_s now."""
        return self._c_s

    # ---- what happens ------------------------------------------------------------------------------------------

    def move(self, grip: int, position: Array, tangent: Array | None = None) -> None:
        """Puts a grip somewhere else: it goes there evenly during the next steps, and the cable follows."""
        held = self.grips[grip]
        where = np.asarray(position, dtype=float)
        along = held.tangent if tangent is None else np.asarray(tangent, dtype=float)
        if where.shape != (3,) or along.shape != (3,) or not math.isfinite(where.sum() + along.sum()):
            raise ValueError(f"grip at {where}, along {along}: must be three finite numbers each")
        held.position, held.tangent = where, along

    def step(self, milliseconds: float = 1.0) -> str:
        """The steps of so many milliseconds; the status. After an explosion the last shape is kept, and nothing moves.

        Σ c_m keeps up with the time [KH05 Text 1]; what most_steps leaves undone is reported as the deficit.
        """
        if self.health.status == "exploded":
            return self.health.status
        given = self.parameters
        wanted = given.steps * milliseconds - self._ahead
        most = math.ceil(given.most_steps * milliseconds)
        targets, directions = self._targets()
        self._points.drift[:] = self._carried() / wanted
        self._holds.drift[:] = (targets - self._holds.target) / wanted
        self._aims.drift[:] = (directions - self._aims.direction) / wanted
        found = unchecked(stepping.advance)(
            self._cable, self._holds, self._aims, self.planes, self._points, self._rule, self._c_s, wanted, most
        )
        if (
            found.status != stepping.EXPLODED
        ):  # the whole way and no more, also where Σ c_m is not quite what was wanted
            self._points.x[:] += (wanted - found.done) * self._points.drift
        self._arrive(targets, directions)
        self._take(found, wanted, milliseconds)
        return self.health.status

    def _carried(self) -> Array:
        """(n, 3) m: how far each point goes with the gripper as if the cable were rigid: what is left is to bend.

        Without this the points have to be dragged along, and are felt like a cable in honey.
        """
        grip = self.grips[0]
        if not self._is_carried:
            return np.zeros_like(self._points.x)
        if grip.kind == "ball":  # it does not turn the cable
            return np.tile(grip.position - self._led[0], (len(self._points.x), 1))
        at, (a, b, c) = self._led[0], self._led[1].tolist()
        p, q, r = grip.tangent.tolist()
        cosine = a * p + b * q + c * r
        if cosine < 0.0:  # more than a quarter turn at once is no way to lead a cable
            return np.zeros_like(self._points.x)
        x, y, z = b * r - c * q, c * p - a * r, a * q - b * p
        k = 1.0 / (1.0 + cosine)  # the smallest rotation of one tangent onto the other, less the identity
        turn = np.array([
            [k * x * x + cosine - 1.0, k * x * y - z, k * x * z + y],
            [k * x * y + z, k * y * y + cosine - 1.0, k * y * z - x],
            [k * x * z - y, k * y * z + x, k * z * z + cosine - 1.0],
        ])  # fmt: skip
        return np.asarray((self._points.x - at) @ turn.T + (grip.position - at))

    def _arrive(self, targets: Array, directions: Array) -> None:
        self._holds.target[:], self._aims.direction[:] = targets, directions
        self._points.drift[:], self._holds.drift[:], self._aims.drift[:] = 0.0, 0.0, 0.0
        self._led = self.grips[0].position.copy(), self.grips[0].tangent.copy()

    def _take(self, found: stepping.Counts, wanted: float, milliseconds: float) -> None:
        health = self.health
        self._c_s = found.c_s
        self._ahead = max(0.0, found.done - wanted)
        health.steps += found.steps
        health.damped += found.damped
        health.limited += found.limited
        health.deficit += max(0.0, wanted - found.done)
        untroubled = found.damped + found.limited < found.steps
        self._troubled = 0.0 if untroubled else self._troubled + milliseconds
        if found.status == stepping.GOOD and self._troubled < TROUBLED:
            health.status, health.reason = "good", ""
            return
        above = self.parameters.mobility >= self.parameters.mobility_bound
        health.status = "exploded" if found.status == stepping.EXPLODED else "oscillates" if above else "lags"
        health.reason = self._cure(above)

    def _cure(self, above: bool) -> str:
        """Why it does not come to rest, and what to do."""
        given = self.parameters
        word = "explodes" if self.health.status == "exploded" else self.health.status
        stretch, other = 4.0 * given.stretch_force / given.segment, given.grip_stiffness + 2.0 * given.contact_stiffness
        terms = {
            "stretch_force": stretch,
            "bending" if given.law == "consistent" else "bend_force": given.stiffest - stretch - other,
            "grip_stiffness": given.grip_stiffness,
            "contact_stiffness": 2.0 * given.contact_stiffness,
        }
        name = max(terms, key=lambda k: terms[k])
        if above:
            return (
                f"the model {word}: mobility c_F = {given.mobility:.3g} m/N is above its bound "
                f"{given.mobility_bound:.3g} m/N, which {name} sets; take c_F = {given.calmed().mobility:.3g} m/N "
                f"(Parameters.calmed), or a smaller {name}"
            )
        return (
            f"the model {word}: its {given.points} points are moved or bent faster than step_limit = "
            f"{given.step_limit:.3g} m and {given.steps:g} steps in a millisecond allow; move slower, or raise steps"
        )

    def settle(self, most: int = 2_000_000, tolerance: float = AT_REST) -> bool:
        """Steps until the forces balance to a part of their scale; whether they do."""
        self._arrive(*self._targets())
        block = max(100, 2 * self.parameters.points)
        for _ in range(max(1, most // block)):
            found = unchecked(stepping.advance)(
                self._cable, self._holds, self._aims, self.planes, self._points, self._rule, self._c_s, float(block),
                block,
            )  # fmt: skip
            self._take(found, 0.0, 0.0)
            self._ahead = 0.0
            if self.health.status == "exploded":
                return False
            if self.imbalance() < tolerance:
                return True
        return False

    def imbalance(self) -> float:
        """The largest force on a point, relative to max(weight, what the first grip feels, BARELY B/l²)."""
        forces.total_force(self._cable, self._holds, self._aims, self.planes, self._points)
        given = self.parameters
        scale = max(
            float(np.linalg.norm(self._cable.weight.sum(axis=0))), BARELY * given.bending / given.length**2,
            float(np.abs(self.wrench(0)[:3]).max()),
        )  # fmt: skip
        return float(np.linalg.norm(self._points.force, axis=1).max()) / max(scale, 1e-12)

    def wrench(self, grip: int = 0) -> Array:
        """(6,) force (N) and torque (N m, about the grip's place) that a grip feels from the cable."""
        first, last, aim = self._rows[grip]
        forces.wrench(
            self._cable, self._holds, self._aims, self._points, first, last, aim, self.grips[grip].position, self._out
        )
        return self._out.copy()


def new_points(n: int) -> Points:
    return Points(
        np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3)),
        np.zeros(n, np.int64),
        np.zeros((n - 1, 3)), np.zeros(n - 1),
    )  # fmt: skip


def new_planes(room: int) -> Planes:
    return Planes(
        np.zeros(1, np.int64), np.zeros(room, np.int64), np.zeros(room), np.zeros((room, 3)), np.zeros((room, 3)),
        np.zeros(room), np.zeros(room),
    )  # fmt: skip


def even_hinges(given: Parameters) -> Array:
    """(n,) of a cable with one stiffness: each inner point stands for a segment."""
    bend = np.zeros(given.points)
    bend[1:-1] = given.bend_force if given.law == "paper" else given.bending / given.segment
    return bend


def half_hinge(given: Parameters) -> float:
    """Of half a segment beside a held direction: twice as stiff; the law of the paper knows no arc length."""
    return given.bend_force if given.law == "paper" else 2.0 * given.bending / given.segment


def even_weight(given: Parameters, gravity: Array) -> Array:
    """(n, 3) N: an end point stands for half a segment; KH05 give all points the same."""
    share = np.full(given.points, given.mass / (given.points - 1))
    if given.law == "paper":
        share[:] = given.mass / given.points
    else:
        share[[0, -1]] *= 0.5
    return share[:, None] * gravity
