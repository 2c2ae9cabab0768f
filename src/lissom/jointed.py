"""Cables with model = "kinematic" in a simulation: from a Line to chains with joints, and from those to a RodState.

On every level the chain is the staggered chain of the rods with that many segments, its frames carried along without
twist but for what the twist springs hold. So all that can be read off a rod can be read off it.
"""

import itertools
import math
import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lissom.geometry import curves
from lissom.geometry.clearance import clearance, distances
from lissom.kinematic.building import Hold, Layout, Section
from lissom.kinematic.cable import HELD_RADII, Cable, Obstacle
from lissom.kinematic.parallel import solve_all
from lissom.kinematic.twisting import carry_frames
from lissom.rods import guess
from lissom.rods.assembly import TOO_DEEP_LENGTH, TOO_DEEP_RADIUS
from lissom.rods.chain import STAGGERED
from lissom.rods.describing import Contact, held_inside
from lissom.rods.feasibility import Shortfall, find_shortfall
from lissom.rods.grid import key_places
from lissom.rods.line import FRAME, NO_DIRECTION, Line, Support
from lissom.rods.outcome import UNDETERMINED, RodReport, RodState
from lissom.rods.solver import RodSolver
from lissom.rods.surroundings import Clearance

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Vector = tuple[float, float, float]

FINEST = 64  # segments in a section, unless the cable says its points
LEAST = 4
# Part of the length by which doubling the segments may still move a joint at the end of a solve without a budget.
FINE_ENOUGH = 0.01
# Part of the radius by which a cable may be inside a part between two joints without a word.
CUTS = 0.1
# Of a budget this much (s) is kept for what is done with the reports.
RESERVE = 1e-4


@dataclass(frozen=True)
class Stretch:
    """What lies between two clamps, or between one and an end: it is solved for itself."""

    cable: Cable
    first: int  # number of its first section among all
    supports: tuple[int, ...]  # what holds it, by number


@dataclass(frozen=True)
class Around:
    """Parts that a kinematic cable may touch."""

    names: tuple[str, ...]
    obstacles: tuple[Obstacle, ...]  # seats in m along the whole cable
    radius: float
    meets_itself: bool

    @property
    def is_empty(self) -> bool:
        return not self.obstacles and not (self.meets_itself and self.radius > 0.0)

    def is_same(self, other: "Around | None") -> bool:
        """Whether the same parts stand where they stood."""
        if other is None or (self.names, self.radius, self.meets_itself) != (
            other.names,
            other.radius,
            other.meets_itself,
        ):
            return False
        return all(
            a.solid is b.solid and a.seats == b.seats
            and np.array_equal(a.rotation, b.rotation) and np.array_equal(a.origin, b.origin)
            for a, b in zip(self.obstacles, other.obstacles, strict=True)
        )  # fmt: skip

    def wanted(self, number: int, s: Array) -> Indices:
        """(points,) 1 where the cable may touch a part: not beside a support that sits on it."""
        found = np.ones(len(s), dtype=np.int64)
        for seat in self.obstacles[number].seats:
            found[np.abs(s - seat) <= HELD_RADII * self.radius] = 0
        return found


class JointedSolver(RodSolver):
    """Solves one kinematic cable; to everyone else it is the solver of a staggered chain."""

    def __init__(self, line: Line, state: RodState | None = None, formulation: str = "rotations") -> None:
        self.unfinished = False  # whether another solve would go on to a finer level
        self._state: RodState | None = None
        self._unread = False  # the chains have moved on since the state was read off them …
        self._asked = line.supports  # … to these supports
        self._telling = 0.0  # s of CPU time that the last report took
        self._stretches: tuple[Stretch, ...] = ()
        self._around: Around | None = None
        super().__init__(line, state, formulation)

    # ---- from the line -------------------------------------------------------------------------------------------

    def _build(self, line: Line, counts: Indices | None = None) -> None:
        keys = key_places(line)
        finest = finest_of(line)
        if counts is None or len(counts) != len(keys) - 1:
            counts = np.full(len(keys) - 1, finest)
        super()._build(line, counts)
        self._counts = counts
        self.may_polish = False
        self._stretches = make_stretches(line, finest)
        self._around = None

    def surround(self, around: Around) -> None:
        """What it may touch, and where the parts are now."""
        before = self._around
        self._around = around
        if around.is_same(before) or (before is None and around.is_empty):
            return
        keys = key_places(self.line)
        for stretch in self._stretches:
            begin = keys[stretch.first]
            near = tuple(k._replace(seats=tuple(seat - begin for seat in k.seats)) for k in around.obstacles)
            stretch.cable.surround(near, around.radius, around.meets_itself)

    def move_support(
        self, number: int, position: Vector | None, quaternion: tuple[float, float, float, float] | None
    ) -> None:
        super().move_support(number, position, quaternion)
        self._move_holds()

    def aim_at(self, supports: tuple[Support, ...]) -> None:
        super().aim_at(supports)
        self._move_holds()

    def _move_holds(self) -> None:
        for stretch in self._stretches:
            at = [hold.at for hold in stretch.cable.layout.holds]
            holds = tuple(make_hold(self.supports[n], k) for n, k in zip(stretch.supports, at, strict=True))
            if holds != stretch.cable.layout.holds:
                stretch.cable.move(holds)

    # ---- states --------------------------------------------------------------------------------------------------

    @property
    def solved(self) -> RodState | None:
        """The last good state: read off the chains when someone asks for it."""
        if self._unread:
            self._unread = False
            self._state = self._read_state()
        return self._state

    @solved.setter
    def solved(self, state: RodState | None) -> None:
        self._state, self._unread = state, False

    def adopt(self, state: RodState) -> bool:
        if not super().adopt(state):
            return False
        self._take(self.q)
        return True

    def begin_from(self, frames: Array, forces: Array) -> None:
        super().begin_from(frames, forces)
        self._take(self.q)

    def _take(self, q: Array) -> None:
        """Frames of this grid become the shape that the chains go on from."""
        counts = self._counts
        d = tangents(q)
        for stretch in self._stretches:
            n = len(stretch.cable.layout.sections)
            segments = set(counts[stretch.first : stretch.first + n].tolist())
            if len(segments) == 1 and (size := segments.pop()) in stretch.cable.segments:
                stretch.cable.take(d[self._sites(stretch, counts)], size)

    def _sites(self, stretch: Stretch, counts: Indices) -> slice:
        """The sites of a stretch in the staggered chain: a clamp at its end belongs to it too."""
        begin = int(counts[: stretch.first].sum())
        end = begin + int(counts[stretch.first : stretch.first + len(stretch.cable.layout.sections)].sum())
        site_of = {int(s): i for i, s in enumerate(self.staggered.segment_of) if s >= 0}
        first, last = site_of[begin], site_of[end - 1] + 1
        if first > 0 and self.point_of[first - 1] == begin:
            first -= 1
        if last < len(self.point_of) and self.point_of[last] == end:
            last += 1
        return slice(first, last)

    def way_back(self, supports: tuple[Support, ...]) -> RodState | None:
        """Which shape it would have elsewhere is not known without going there."""
        return None

    # ---- solving -------------------------------------------------------------------------------------------------

    def solve(self, cold: bool = False) -> RodReport:
        return solve_jointed({self.line.name: self}, cold)[self.line.name]

    def prepare(self, cold: bool, began: float) -> RodReport | None:
        """Why it is not to be solved where it is held; None: the chains are ready."""
        shortfall = find_shortfall(self.supports, False)
        if shortfall is not None:
            return self.too_short(shortfall, began)
        if reason := self._held_inside():
            return replace(self.too_short(Shortfall(0.0, reason), began), status="not_converged")
        if cold or (self._state is None and not self._unread):
            for stretch in self._stretches:
                stretch.cable.forget()
            if self._line.initial is not None:
                self._begin_with(self._line.initial)
        return None

    def _held_inside(self) -> str:
        """Which support would hold the cable inside which part; nothing if none does."""
        around = self._around
        if around is None:
            return ""
        allowed = max(TOO_DEEP_LENGTH * self._line.length, TOO_DEEP_RADIUS * around.radius)
        points = np.array([k.position for k in self.supports])
        for number, (name, part) in enumerate(zip(around.names, around.obstacles, strict=True)):
            outside = np.full(len(points), np.inf)  # 0 where it is inside
            distances(part.solid, part.rotation, part.origin, points, outside)
            for k in np.flatnonzero(outside <= max(around.radius - allowed, 0.0)):
                wanted = around.wanted(number, np.array([self.supports[k].place]))
                away, *_ = clearance(part.solid, part.rotation, part.origin, points[k : k + 1], wanted)
                if around.radius - away > allowed:
                    return held_inside(self.supports[k].name, self._line.name, around.radius - away, name)
        return ""

    @property
    def cables(self) -> list[Cable]:
        """The stretches, each a chain of its own."""
        return [k.cable for k in self._stretches]

    def settle(self, began: float) -> RodReport:
        """The shape that was reached becomes the state; how far it came."""
        cpu = time.thread_time()
        self._unread, self._asked = True, self.supports
        self.unfinished = any(k.level < len(k.segments) - 1 for k in self.cables)
        report = self._report_of(self.cables, began)
        self._telling = time.thread_time() - cpu
        return report

    def _read_state(self) -> RodState:
        cables = self.cables
        counts = np.concatenate([[k.segments[k.level]] * len(k.layout.sections) for k in cables])
        if counts.tolist() != self._counts.tolist():
            super()._build(self.line, counts)
            self._counts = counts
            self.may_polish = False
        self.scheme = STAGGERED
        self.q, self.nu, carried, pushed = self._read(counts)
        return RodState(STAGGERED, self.q, self.nu, self.grid.s, self._asked, carried, pushed)

    def _report_of(self, cables: list[Cable], began: float) -> RodReport:
        found = [k.certificate(k.level) for k in cables]
        segments = min(k.segments[k.level] for k in cables)
        stays = all(stable for _, stable in found)
        settled = all(k.settled for k in cables)
        change = max(k.change(k.level) for k in cables)
        depth, touched = self._depth()
        status, reason = "converged", ""
        if not settled:
            status, reason = "not_converged", "the energy still falls: the shape is not the lowest on its level"
        elif not stays and self._line.is_rope:
            status, reason = "not_converged", UNDETERMINED
        elif not stays:
            status, reason = "unstable", "there is a direction in which the shape would not stay"
        return RodReport(
            status=status,
            reason=reason,
            iterations=sum(k.steps for k in cables),
            residual=max(worst for worst, _ in found),
            length_error=max(k.length_error(k.level) for k in cables),
            stable=stays if settled else False,
            index=0 if stays else 1,
            neutral=0,
            element="kinematic",
            methods=("kinematic",),
            warnings=() if self.unfinished else self._too_coarse(cables, change, depth, touched),
            others=(),
            shortfall=0.0,
            seconds=time.perf_counter() - began,
            penetration=depth,
            level=segments,
            change=change,
        )

    def _too_coarse(self, cables: list[Cable], change: float, depth: float, touched: str) -> tuple[str, ...]:
        """What the finest level is too coarse for."""
        segments = sum(k.segments[-1] * len(k.layout.sections) for k in cables)
        more = f"use at least {2 * segments + 1} points"
        notes: list[str] = []
        if math.isinf(change):
            notes.append(f"how near {segments} segments are is not known: {more}")
        elif change > FINE_ENOUGH * self._line.length:
            notes.append(f"doubling the segments still moved a joint by {1000.0 * change:.3g} mm: {more}")
        coarse = max(k.coarseness(k.level) for k in cables)
        if coarse > 1.0:
            wanted = math.ceil(segments * coarse) + 1
            notes.append(f"a boundary layer is not resolved (h√(n/B) = {coarse:.2g}): use at least {wanted} points")
        if self._around is not None and depth > max(CUTS * self._around.radius, change):
            notes.append(f"it is {1000.0 * depth:.3g} mm inside {touched} between its joints: {more}")
        return tuple(notes)

    def _depth(self) -> tuple[float, str]:
        """How deep the cable is in a part or in itself, m; and in what."""
        depth, number = max(k.depth() for k in self.cables)
        inside = self.line.name if self._around is None or number < 0 else self._around.names[number]
        return max(depth, 0.0), inside

    def _begin_with(self, points: Array) -> None:
        """The first guess of the scene becomes the shape of the finest level."""
        keys = np.array(key_places(self.line))
        for stretch in self._stretches:
            cable, level = stretch.cable, len(stretch.cable.segments) - 1
            s = keys[stretch.first] + cable.places(level)
            x = np.empty((len(s), 3))
            curves.resample(guess.refined(points), s / self.line.length, x)
            d = np.diff(x, axis=0)
            sites = cable.directions(level)
            sites[cable.chain(level).h > 0.0] = d / np.linalg.norm(d, axis=1)[:, None]
            cable.take(sites.copy(), cable.segments[level])

    # ---- read-outs -----------------------------------------------------------------------------------------------

    def _read(self, counts: Indices) -> tuple[Array, Array, Array | None, Array | None]:
        """(frames, forces of the runs, known forces with contacts, what contacts push with at the points)."""
        count = len(self.staggered.segment_of)
        d, turn = np.zeros((count, 3)), np.zeros(count)
        force = self.staggered.force.copy()
        pushed = np.zeros((len(self.grid.s), 3))
        inside = np.zeros_like(force)
        for stretch in self._stretches:
            cable, level = stretch.cable, stretch.cable.level
            sites, chain = self._sites(stretch, counts), cable.chain(level)
            d[sites] = cable.directions(level)
            begin = int(counts[: stretch.first].sum())
            segments = slice(begin, begin + int((chain.h > 0.0).sum()))
            push, beyond = contact_forces(cable, level)
            pushed[begin : begin + len(push)] += push
            force[segments] += beyond[chain.h > 0.0]
            inside[segments] = (cable.forces(level) + beyond)[chain.h > 0.0]
            share_twist(cable, level, self.staggered.arc[sites.start : sites.stop - 1], turn[sites])
        nu = np.zeros(len(self.runs))
        for j, (axis, a, b) in enumerate(self.runs):
            k = (self.grid.support_at[a] + self.grid.support_at[b]) // 2
            nu[j] = inside[k, axis] - force[k, axis]
        touched = bool(np.any(pushed))
        return self._frames(d, turn), nu, force if touched else None, pushed if touched else None

    def _frames(self, d: Array, turn: Array) -> Array:
        """Carried along from the first clamp; those of the others are what they hold."""
        q = np.zeros((len(d), 4))
        clamps = [] if self._line.is_rope else [n for n, k in enumerate(self._asked) if k.direction == FRAME]
        first = self._site[self.grid.support_at[clamps[0]]] if clamps else 0
        q[first] = self._asked[clamps[0]].quaternion if clamps else guess.carry((1.0, 0.0, 0.0, 0.0), tuple(d[first]))
        carry_frames(d, turn, first, q)
        for n in clamps:
            i = self._site[self.grid.support_at[n]]
            held = np.array(self._asked[n].quaternion)
            q[i] = held if held @ q[i] >= 0.0 else -held
        return q

    def contacts(self) -> list[Contact]:
        """What the cable touches, in the shape it has."""
        found: list[Contact] = []
        if self._around is None:
            return found
        keys, name, length = key_places(self.line), self.line.name, self.line.length
        for stretch in self._stretches:
            cable = stretch.cable
            s = keys[stretch.first] + cable.places(cable.level) if cable.pressed else np.zeros(0)
            for k in cable.pressed:
                first = [(i, w) for i, w in zip(k.joint, k.weight, strict=True) if w > 0.0]
                other = [(i, -w) for i, w in zip(k.joint, k.weight, strict=True) if w < 0.0]
                place = float(sum(w * s[i] for i, w in first))
                where = float(sum(w * s[i] for i, w in other)) if other else None
                touched = name if where is not None else self._around.names[k.part]
                point = k.at - self._around.radius * k.normal
                found.append(
                    Contact(name, place, place / length, touched, where, point, k.normal, k.push * k.normal, k.push)
                )
        return found

    def clearances(self, points: Array) -> list[Clearance]:
        """The nearest place of the cable to every part that it may touch."""
        found: list[Clearance] = []
        if self._around is None:
            return found
        s, radius = self.grid.s, self._around.radius
        for number, part in enumerate(self._around.obstacles):
            flags = self._around.wanted(number, s)
            distance, k, t, y = clearance(part.solid, part.rotation, part.origin, points, flags)
            if k >= 0:
                way = ((1.0 - t) * points[k] + t * points[k + 1] - y) * (1.0 if distance >= 0.0 else -1.0)
                size = float(np.linalg.norm(way))
                normal = way / size if size > 0.0 else np.zeros(3)
                place = float((1.0 - t) * s[k] + t * s[k + 1])
                name = self._around.names[number]
                found.append(Clearance(self.line.name, name, distance - radius, place, np.array(y), normal))
        return found

    def along(self, points: Array) -> Array:
        """(points,) m from the skin of the cable to the nearest part that it may touch; inf where there is none."""
        found = np.full(len(points), np.inf)
        if self._around is None:
            return found
        for number, part in enumerate(self._around.obstacles):
            here = np.full(len(points), np.inf)
            distances(part.solid, part.rotation, part.origin, points, here)
            found = np.where(self._around.wanted(number, self.grid.s) > 0, np.minimum(found, here), found)
        return found - self._around.radius


def solve_jointed(solvers: dict[str, JointedSolver], cold: bool, budget: float | None = None) -> dict[str, RodReport]:
    """Solves kinematic cables, all at once; within `budget` seconds what fits."""
    began = time.perf_counter()
    refused = {name: solver.prepare(cold, began) for name, solver in solvers.items()}
    cables = [k for name, solver in solvers.items() if refused[name] is None for k in solver.cables]
    if cables:
        telling = RESERVE + sum(k._telling for k in solvers.values())
        solve_all(cables, None if budget is None else budget - telling - (time.perf_counter() - began))
    return {name: refused[name] or solver.settle(began) for name, solver in solvers.items()}


def finest_of(line: Line) -> int:
    """Segments in each section of the finest level: a power of two."""
    if line.adaptive:
        return FINEST
    wanted = line.segments / max(len(key_places(line)) - 1, 1)
    return max(1 << math.ceil(math.log2(max(wanted, 1.0))), LEAST)


def make_stretches(line: Line, finest: int) -> tuple[Stretch, ...]:
    """A cable is cut at its clamps: nothing but the clamp knows both sides [HD00 §3]."""
    keys = key_places(line)
    at = [int(np.argmin(np.abs(np.subtract(keys, k.place)))) for k in line.supports]
    sections = [make_section(line, a, b) for a, b in itertools.pairwise(keys)]
    loads = [(int(np.argmin(np.abs(np.subtract(keys, k.place)))), k.force) for k in line.loads if any(k.force)]
    cuts = [k for n, k in enumerate(at) if line.supports[n].direction == FRAME and 0 < k < len(sections)]
    ends = [0, *([] if line.is_rope else cuts), len(sections)]
    found: list[Stretch] = []
    for first, last in itertools.pairwise(ends):
        held = tuple(n for n, k in enumerate(at) if first <= k <= last)
        layout = Layout(
            tuple(sections[first:last]),
            tuple(make_hold(line.supports[n], at[n] - first) for n in held),
            tuple((k - first, force) for k, force in loads if first <= k <= last and not (k in cuts and k == first)),
        )
        found.append(Stretch(Cable(layout, finest), first, held))
    return tuple(found)


def make_section(line: Line, begin: float, end: float) -> Section:
    middle = 0.5 * (begin + end)
    piece = next(k for k in line.pieces if middle <= k.end)
    x, y, z = (piece.mass * g for g in line.gravity)
    return Section(end - begin, piece.stiffness[0], piece.stiffness[2], (x, y, z))


def make_hold(support: Support, at: int) -> Hold:
    if support.direction == NO_DIRECTION:
        return Hold(at, support.position)
    x, y, z = (float(v) for v in support.tangent)
    if support.direction != FRAME:
        return Hold(at, support.position, (x, y, z))
    return Hold(at, support.position, (x, y, z), guess.unwound(support, 0.0), support.turn)


def tangents(q: Array) -> Array:
    """(n, 3) d3 of frames."""
    w, x, y, z = q.T
    return np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)


def share_twist(cable: Cable, level: int, arc: Array, turn: Array) -> None:
    """Adds the twist of each twist spring to the sites it is spread over, in proportion to the give of each."""
    chain = cable.chain(level)
    for t, (first, last) in enumerate(chain.twist):
        turn[first:last] += cable.pyramid.theta[level, t] * arc[first:last] / arc[first:last].sum()


def contact_forces(cable: Cable, level: int) -> tuple[Array, Array]:
    """(joints, 3) N of contacts on the joints, and (sites, 3) what of it each site carries."""
    chain = cable.chain(level)
    push, beyond = np.zeros((len(chain.sign), 3)), np.zeros((len(chain.h), 3))
    for k in cable.pressed:
        for n, weight in zip(k.joint, k.weight, strict=True):
            force = weight * k.push * k.normal
            push[n] += force
            first, last = chain.base[n]
            beyond[first:last] += chain.sign[n] * force
    return push, beyond
