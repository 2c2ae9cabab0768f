"""The solver of one cable: from a Line to a certified equilibrium, cold or warm.

A cold solve makes first guesses, descends with the staggered element and winds up the twist (starting.py), and
polishes with the fourth-order element where the grid resolves the boundary layers. A warm solve goes on from the state
at hand. When a method finds no way down, the next one in turn is tried [GS07 §6.1, in our form]; the report says which
were used.
"""

import math
import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lissom import kernels
from lissom.rods import guess, newton, shape
from lissom.rods.chain import POLISHED, STAGGERED, Chain, Work, workspace
from lissom.rods.feasibility import Shortfall, find_shortfall
from lissom.rods.grid import counted, key_places, make_chains, make_grid
from lissom.rods.halting import given_up
from lissom.rods.judge.winding import Since
from lissom.rods.line import FRAME, NO_DIRECTION, Line, Support
from lissom.rods.outcome import (
    LOOSE_TOLERANCE,
    ROUGH_TOLERANCE,
    TOLERANCE,
    UNDETERMINED,
    WARM_TOLERANCE,
    OtherShape,
    RodReport,
    RodState,
    between,
    note,
    nothing_found,
)
from lissom.rods.reading import retwisted
from lissom.rods.starting import Coarse, cold_start, make_coarse

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

MOST_ITERATIONS = 100
# The fourth-order element is used where h √(|n|/B) stays below this [docs/theory/rods.md §5].
RESOLVED = 1.5
# where no segment is longer than it can be by this part; above so much of h √(|n|/B) that is looked at.
LONGER = 1e-3
TAUT = 0.5
# and where no segment turns by more than this (rad).
LARGEST_SEGMENT_TURN = 1.5
# A grid whose points were not said is refined at most so often, and to so many segments.
MOST_REFINEMENTS = 4
MOST_SEGMENTS = 4000
# |ν| beyond this, in units of B/L², means a span cannot close.
HOPELESS_FORCE = 1e12
# A direction with less stiffness than this, in units of B h/L², is as good as neutral to a solve that has failed.
LOOSE = 0.05
# and supports nearer to one line than this (rad, or of their distance) are on it.
ALL_BUT = 1e-5
UNPOLISHED = "polishing failed"
# and how many times more points it then takes
UNPOLISHED_GROWTH = 1.6
# Of a descent that is not begun: the solve it belongs to was given up.
GIVEN_UP = newton.Outcome(newton.OUT_OF_ITERATIONS, 0, math.inf, math.inf, 0, 0, 0, 0)

# Stiffness below this, in units of B/L², counts as none; more where a state on the way is only loosely converged.
NEUTRAL = 1e-5
NEUTRAL_ON_THE_WAY = 1e-3


class RodSolver:
    """Solves one cable again and again; keeps what does not change."""

    def __init__(self, line: Line, state: RodState | None = None, formulation: str = "rotations") -> None:
        self.formulation = formulation
        self.neutral = -1  # not counted yet
        self.others: tuple[OtherShape, ...] = ()
        self.is_anew = False  # whether the present shape was begun anew since `way` was last cleared
        self.origin: Since | None = None  # the shape at twist 0 that the present one was wound up from, if begun anew
        self.way: list[Array] = []  # (points, 3) m: the curves of the steps since, where they are known
        self._resolution = (0.0, 0.0)
        self._exact = True  # the next warm solve is not an interactive frame: converge fully
        self._line: Line
        self.supports: tuple[Support, ...]
        self.staggered: Chain
        self.polished: Chain
        self._build(line, None if state is None else counted(state.s, key_places(line)))
        self.solved: RodState | None = None  # the last good state
        self.q = np.zeros((0, 4))
        self.nu = np.zeros(len(self.staggered.target))
        self.scheme = -1
        self.carried: Array | None = None  # (segments, 3) N: the known force of the present shape, where contacts add
        if state is not None:
            self.adopt(state)

    @property
    def line(self) -> Line:
        """The cable with its supports where they are now."""
        if self._line.supports is not self.supports:
            self._line = self._line.with_supports(self.supports)
        return self._line

    def _build(self, line: Line, counts: Indices | None = None) -> None:
        self._line = line
        self.supports = line.supports
        self._extensible = line.is_extensible
        self._slides = any(k.slides for k in line.supports)
        self.may_polish = not (line.is_rope or line.is_extensible or self.formulation == "augmented")
        self.grid = make_grid(line, counts)
        self.staggered, self.polished, self.runs, self.point_of = make_chains(line, self.grid)
        self._site = {int(p): i for i, p in enumerate(self.point_of) if p >= 0}
        self._layout: guess.Layout | None = None
        self._coarse: Coarse | bool = True  # whether there may be one, until it is made
        # the first support that holds an axis anchors it
        self._anchors = [next(k for k, s in enumerate(line.supports) if s.holds[axis]) for axis in range(3)]
        self._anchor_at = np.array([self.grid.support_at[k] for k in self._anchors])
        self._load_at = np.array(self.grid.load_at, dtype=np.int64)
        self._load = np.array([load.force for load in line.loads]).reshape(-1, 3)
        self._work: dict[int, Work] = {}
        self._checked: set[int] = set()  # schemes whose arrays numba has seen
        self._scales: dict[tuple[int, float], newton.Scales] = {}
        for chain in (self.staggered, self.polished):
            exact = self._make_scales(chain)
            for tolerance in (TOLERANCE, WARM_TOLERANCE, LOOSE_TOLERANCE):
                neutral = NEUTRAL_ON_THE_WAY if tolerance == LOOSE_TOLERANCE else NEUTRAL
                strict = tolerance == TOLERANCE
                scales = exact._replace(residual=tolerance, closure=tolerance, strict=strict, neutral=neutral)
                self._scales[chain.scheme, tolerance] = scales
            rough = max(ROUGH_TOLERANCE * line.bending / (line.length**2 * exact.force), TOLERANCE)
            self._scales[chain.scheme, ROUGH_TOLERANCE] = exact._replace(residual=rough, closure=ROUGH_TOLERANCE)

    def scales(self, scheme: int) -> newton.Scales:
        return self._scales[scheme, TOLERANCE]

    def _make_scales(self, chain: Chain) -> newton.Scales:
        line = self.line
        force = line.force_scale
        bend = chain.stiffness[:, :2]
        block = max(float((chain.stiffness.max(axis=1) / chain.arc).max()), force * float(chain.h.mean()))
        soft = float(bend.min() * chain.h.mean() / line.length**2)
        return newton.Scales(
            length=line.length,
            force=force,
            block=block,
            soft=max(soft, 1e-9 * block),
            penalty=10.0 * max(line.bending / line.length**3, force / line.length),
            residual=TOLERANCE,
            closure=TOLERANCE,
            strict=True,
            neutral=NEUTRAL,
        )

    def work(self, scheme: int) -> Work:
        if scheme not in self._work:
            self._work[scheme] = workspace(self.chain(scheme))
        return self._work[scheme]

    def chain(self, scheme: int) -> Chain:
        return self.polished if scheme == POLISHED else self.staggered

    @property
    def loaded(self) -> Chain:
        """The chain of the present shape, with what contacts add to its forces."""
        return self._under(self.scheme, self.carried)

    def _under(self, scheme: int, carried: Array | None) -> Chain:
        chain = self.chain(scheme)
        return chain if carried is None else chain._replace(force=carried)

    @property
    def layout(self) -> guess.Layout:
        """What first guesses have to know of the grid."""
        if self._layout is None:
            self._layout = guess.make_layout(self._line, self.grid, self.staggered, self.point_of, self.runs)
        return self._layout

    @property
    def coarse(self) -> Coarse | None:
        """The coarse grid on which a cold solve starts, if one will do."""
        if self._coarse is True:
            self._coarse = make_coarse(self) or False
        return self._coarse if isinstance(self._coarse, Coarse) else None

    # ---- state ---------------------------------------------------------------------------------------------------

    def state(self) -> RodState:
        return RodState(self.scheme, self.q.copy(), self.nu.copy(), self.grid.s, self.supports)

    def adopt(self, state: RodState) -> bool:
        """Takes over a state; False (and nothing changed) if it does not fit this grid."""
        expected = len(self.chain(state.scheme).mask)
        if state.q.shape != (expected, 4) or state.nu.shape != self.nu.shape:
            return False
        points, forces = len(self.grid.s), self.chain(state.scheme).force.shape
        of_contacts = ((state.carried, forces), (state.pushed, (points, 3)), (state.kicks, (points - 1, 4, 3)))
        if any(values is not None and values.shape != shape for values, shape in of_contacts):
            return False
        if state.s.shape != self.grid.s.shape or np.abs(state.s - self.grid.s).max() > 1e-9 * self._line.length:
            return False
        self.scheme, self.q, self.nu = state.scheme, state.q.copy(), state.nu.copy()
        self.solved, self.carried = state, state.carried
        if state.origin is not None:
            self.origin, self.way = state.origin, list(state.origin.way)
        self.hold_frames(1.0)
        return True

    def held_frames(self) -> Indices:
        """Which frames of the staggered chain clamps hold, in order."""
        held = [at for at, k in zip(self.grid.support_at, self.supports, strict=True) if k.direction == FRAME]
        return np.array([self._site[at] for at in held], dtype=np.int64)

    def begin_anew(self) -> None:
        """The next shape is not reached from another."""
        self.is_anew, self.origin, self.way = True, None, []

    def at_twist_0(self) -> Since:
        """The present shape, to count turns from."""
        from lissom.rods.result import Resultants

        frames = Resultants.of(self.chain(self.scheme), self.point_of, self.q, self.nu, self.grid).frames
        return Since(True, self.grid.s, self.positions(), frames, self.supports)

    def begin_from(self, frames: Array, forces: Array) -> None:
        """Starts warm from staggered frames and the internal force per segment, taken from another grid."""
        self.scheme = STAGGERED
        self.q = np.ascontiguousarray(frames)
        for j, (axis, a, b) in enumerate(self.runs):
            run = slice(self.grid.support_at[a], self.grid.support_at[b])
            self.nu[j] = float(np.median(forces[run, axis] - self.staggered.force[run, axis]))
        self.hold_frames(1.0)
        self.solved = self.state()
        self._exact = True

    def move_support(
        self,
        number: int,
        position: tuple[float, float, float] | None,
        quaternion: tuple[float, float, float, float] | None,
    ) -> None:
        """Changes the pose of one support; the next solve is warm."""
        old = self.supports[number]
        support = old.moved(position or old.position, quaternion or old.quaternion)
        self._exact = False
        self.supports = (*self.supports[:number], support, *self.supports[number + 1 :])
        self._aim()
        if quaternion is not None:
            self.supports = retwisted(self.supports)
            if self.scheme >= 0:
                self._hold_frame(number, 1.0)

    def _aim(self) -> None:
        """The runs have to span what is now between the supports."""
        supports = self.supports
        target = self.staggered.target  # the polished chain shares it
        for j, (axis, a, b) in enumerate(self.runs):
            target[j] = supports[b].position[axis] - supports[a].position[axis]

    def aim_at(self, supports: tuple[Support, ...]) -> None:
        """Other poses of the supports; frames stay."""
        self.supports = supports
        self._aim()

    def _place_supports(self, supports: tuple[Support, ...]) -> None:
        self.aim_at(supports)
        self.hold_frames(1.0)

    def hold_frames(self, turned_by: float) -> None:
        for number in range(len(self.supports)):
            self._hold_frame(number, turned_by)

    def _hold_frame(self, number: int, turned_by: float) -> None:
        """Puts the frame a support holds into q; a held tangent keeps the roll the cable has there."""
        support = self.supports[number]
        if support.direction == NO_DIRECTION or self._line.is_rope:
            return
        at = self.grid.support_at[number]
        i = at if self.scheme == POLISHED else self._site[at]
        if support.direction == FRAME:
            held = np.array(support.quaternion if turned_by == 1.0 else guess.unwound(support, turned_by))
        else:
            t = support.tangent
            held = np.array(guess.carry(tuple(self.q[i]), (t[0], t[1], t[2])))
        self.q[i] = held if held @ self.q[i] >= 0.0 else -held  # the same frame; signs of neighbours carry the turns

    # ---- solving -------------------------------------------------------------------------------------------------

    def solve(self, cold: bool = False) -> RodReport:
        began = time.perf_counter()
        shortfall = find_shortfall(self.supports, self._extensible)
        if shortfall is not None:
            return self.too_short(shortfall, began)
        self.carried = None
        methods: list[str] = []
        if self._slides:
            return self._slide(cold, methods, began)
        if self.solved is None or cold:
            outcome = self._refined(cold_start(self, methods), methods)
        else:
            outcome = self._warm(methods)
        return self._report(outcome, methods, began)

    def _refined(self, outcome: newton.Outcome, methods: list[str]) -> newton.Outcome:
        """More segments, where their number is ours to choose, until boundary layers are resolved."""
        for _ in range(MOST_REFINEMENTS):
            segments = len(self.grid.h)
            if not self._line.adaptive or self._line.is_rope or outcome.status != newton.CONVERGED:
                break
            worst = max(self.resolution())
            if UNPOLISHED in methods:
                worst = max(worst, UNPOLISHED_GROWTH)
            if worst <= 1.0 or segments >= MOST_SEGMENTS:
                break
            if "refined grid" not in methods:
                methods.append("refined grid")
            finer = self._refine(min(math.ceil(1.2 * min(worst, 100.0) * segments), MOST_SEGMENTS), methods)
            outcome = finer._replace(iterations=outcome.iterations + finer.iterations)
        return outcome

    def _refine(self, segments: int, methods: list[str]) -> newton.Outcome:
        """The present equilibrium on a finer grid."""
        from lissom.rods.result import Sides
        from lissom.rods.transfer import transferred

        sides, coarse = Sides.of(self), self.grid.s
        force = 0.5 * (sides.force_after[:-1] + sides.force_before[1:])
        self._build(replace(self.line, segments=segments))
        places = self.grid.s
        self.begin_from(*transferred(sides.frames, force, coarse, places, self.point_of, self.staggered.segment_of))
        outcome = self.descend(STAGGERED)
        if outcome.status != newton.CONVERGED:
            return cold_start(self, methods)
        return self.polish(outcome, methods)

    def _slide(self, cold: bool, methods: list[str], began: float) -> RodReport:
        """Rings and sleeves: their places are solved for around the solve at fixed places."""
        from lissom.rods import sliding

        settled = sliding.settle(self, cold, methods)
        self.others = ()  # they belong to other places of the slides
        report = self._report(settled.outcome, methods, began)
        if report.ok and settled.reason:
            return replace(report, status="not_converged", reason=settled.reason)
        if report.ok and settled.negative > 0:
            index = report.index + settled.negative
            reason = "a sliding support sits where it would not stay"
            return replace(report, status="unstable", stable=False, index=index, reason=reason)
        return report

    def solve_at_fixed_places(self, cold: bool, methods: list[str]) -> newton.Outcome:
        return cold_start(self, methods) if self.solved is None or cold else self._warm(methods)

    def set_places(self, places: dict[int, float], counts: Indices | None) -> None:
        """Moves sliding supports along the cable; points move with them, frames stay."""
        self._build(self.line.with_places(places), counts)
        if self.scheme >= 0 and len(self.q) != len(self.chain(self.scheme).mask):
            self.solved = None  # the points are shared out differently: the frames at hand are of no use
        elif self.scheme >= 0:
            for number in places:  # past a load it is another frame that a sleeve holds
                self._hold_frame(number, 1.0)

    def set_line(self, line: Line, counts: Indices) -> None:
        """The same cable with other lengths: points move with their places, frames stay as a first guess."""
        solved = self.solved
        self._build(line, counts)
        self._exact = True
        if solved is None or len(self.q) != len(self.chain(self.scheme).mask):
            self.solved = None
            return
        supports = tuple(k._replace(place=n.place) for k, n in zip(solved.supports, line.supports, strict=True))
        self.solved = replace(solved, s=self.grid.s, supports=supports)

    def descend(self, scheme: int, most: int = MOST_ITERATIONS, tolerance: float = TOLERANCE) -> newton.Outcome:
        if len(self.q) != len(self.chain(scheme).mask) or len(self.nu) != len(self.staggered.target):
            raise AssertionError("the frames do not belong to this grid")  # a kernel would write beyond its arrays
        if given_up():
            return GIVEN_UP
        call = kernels.unchecked(newton.descend) if scheme in self._checked else newton.descend
        self._checked.add(scheme)
        outcome: newton.Outcome
        outcome, self._resolution = call(
            self.chain(scheme), self.work(scheme), self.q, self.nu, self._scales[scheme, tolerance], most,
            self.grid.stiffness,
        )  # fmt: skip
        return outcome

    def try_newton(self, methods: list[str]) -> newton.Outcome:
        if self.formulation == "augmented":
            return self._augmented(methods)
        outcome = self.descend(STAGGERED)
        note(methods, outcome)
        return outcome

    def follow(self, most: int, tolerance: float) -> newton.Outcome:
        """From a state nearby, in the formulation chosen."""
        if self.formulation == "augmented":
            return self._augmented([])
        return self.descend(self.scheme, most, tolerance)

    def fall_back(self, methods: list[str]) -> newton.Outcome:
        """GS07's formulation, then Newton from there."""
        tried = self._augmented(methods)
        if tried.status != newton.CONVERGED:
            return tried
        settled = self.descend(STAGGERED)
        return settled._replace(iterations=tried.iterations + settled.iterations)

    def _augmented(self, methods: list[str]) -> newton.Outcome:
        from lissom.rods import augmented  # its kernels are rarely needed: not worth loading each time

        if given_up():
            return GIVEN_UP
        tried = augmented.equilibrium(self.line, self.grid, self.staggered, self.q, self.nu, self.scales(STAGGERED))
        methods.append("augmented Lagrangian")
        certificate = self.descend(STAGGERED, most=0)
        return certificate._replace(status=tried.status, iterations=tried.iterations)

    def polish(self, outcome: newton.Outcome, methods: list[str]) -> newton.Outcome:
        """Fourth order where the grid allows it; the staggered state is kept where it does not."""
        if UNPOLISHED in methods:  # an earlier attempt, on a coarser grid
            methods.remove(UNPOLISHED)
        if not self.can_polish():
            return outcome
        q, nu = self.q, self.nu.copy()
        self.q = np.zeros((len(self.grid.s), 4))
        shape.frames_at_points(q, self.point_of, self.staggered, self.q)
        self.scheme = POLISHED
        polished = self.descend(POLISHED)
        if polished.status == newton.CONVERGED and self.can_polish(look=False):
            self.neutral = -1
            methods.append("polished")
            return polished._replace(iterations=outcome.iterations + polished.iterations)
        self.scheme, self.q, self.nu = STAGGERED, q, nu
        methods.append(UNPOLISHED)
        return outcome

    def can_polish(self, look: bool = True) -> bool:
        """Whether the grid resolves the boundary layers: h √(|n|/B) and the turn of a segment are small enough.

        There is no need to `look` right after a descent.
        """
        if not self.may_polish:
            return False
        coarse, turn = self.resolution() if look else self._resolution
        return coarse < RESOLVED and turn < LARGEST_SEGMENT_TURN and not (coarse > TAUT and self._is_stretched())

    def _is_stretched(self) -> bool:
        """Whether a segment of the fourth-order element is longer than it can be: it is pulled taut beyond its grid."""
        if self.scheme != POLISHED:
            return False
        chord = np.linalg.norm(np.diff(self.positions(), axis=0), axis=1)
        return bool((chord > (1.0 + LONGER) * self.grid.h).any())

    def resolution(self) -> tuple[float, float]:
        """(max h √(|n|/B): above 1 a boundary layer is not resolved; largest rotation over one segment, rad)."""
        self._resolution = newton.resolution(self.staggered, self.q, self.nu, self.grid.stiffness)
        return self._resolution

    def _warm(self, methods: list[str]) -> newton.Outcome:
        """From the state at hand; failing that in steps from the last good one; failing that cold."""
        scheme = self.scheme
        exact = self._exact or self._slides  # places are found by differences
        outcome = self.follow(30, TOLERANCE if exact else WARM_TOLERANCE)
        note(methods, outcome)
        if outcome.status == newton.CONVERGED:
            if scheme == POLISHED and self.can_polish(look=False):
                return outcome
            return self._settle(outcome, methods)
        if self._step_by_step(methods):
            return self._settle(self.descend(self.scheme), methods)
        methods.append("cold start")
        keep = self.solved
        outcome = cold_start(self, methods)
        if outcome.status != newton.CONVERGED and keep is not None:
            self.adopt(keep)
        return outcome

    def way_back(self, supports: tuple[Support, ...]) -> RodState | None:
        """Where the cable would go with other supports; nothing changes. None: it takes more than a descent."""
        if self._slides or self.scheme < 0:
            return None
        here, held = self.state(), self.supports
        self._place_supports(supports)
        outcome = self.follow(30, WARM_TOLERANCE)
        found = self.state() if outcome.status == newton.CONVERGED else None
        self.q, self.nu, self.scheme = here.q, here.nu, here.scheme
        self.aim_at(held)
        return found

    def _settle(self, outcome: newton.Outcome, methods: list[str]) -> newton.Outcome:
        """Back to the staggered element where the polished one no longer holds, or up to it where it does."""
        if self.scheme == POLISHED:
            if self.can_polish():
                return outcome
            q = self.q
            self.q = np.zeros((len(self.point_of), 4))
            shape.frames_on_segments(q, self.point_of, self.staggered, self.q)
            self.scheme = STAGGERED
            outcome = self.descend(STAGGERED)
        return self.polish(outcome, methods)

    def _step_by_step(self, methods: list[str]) -> bool:
        """Moves the supports from where they were last solved to where they are now, in ever smaller steps."""
        assert self.solved is not None
        goal = self.line.supports
        origin = self.solved.supports
        if len(origin) != len(goal):
            return False
        methods.append("in steps")
        done, step = 0.0, 0.25
        self.q, self.nu, self.scheme = self.solved.q.copy(), self.solved.nu.copy(), self.solved.scheme
        while done < 1.0:
            part = min(1.0, done + step)
            keep = self.q.copy(), self.nu.copy()
            self._place_supports(
                goal if part == 1.0 else tuple(between(a, b, part) for a, b in zip(origin, goal, strict=True))
            )
            if self.follow(30, TOLERANCE if part == 1.0 else LOOSE_TOLERANCE).status == newton.CONVERGED:
                done, step = part, 2.0 * step
            else:
                self.q, self.nu = keep
                step *= 0.5
                if step < 1.0 / 128:
                    self._place_supports(goal)
                    return False
        return True

    # ---- reporting -----------------------------------------------------------------------------------------------

    def energy(self) -> float:
        """Elastic energy and potential of weight and loads, J (zero level at the origin)."""
        elastic, potential = self.energy_parts()
        return elastic + potential

    def energy_parts(self) -> tuple[float, float]:
        """(elastic energy, potential of weight and loads), J."""
        anchor = np.array([self.supports[k].position[axis] for axis, k in enumerate(self._anchors)])
        parts: tuple[float, float] = shape.energy(
            self.chain(self.scheme), self.q, self.nu, self._anchor_at, anchor, self._load_at, self._load,
            np.empty((len(self.grid.s), 3)), np.empty(3),
        )  # fmt: skip
        return parts

    @property
    def energy_noise(self) -> float:
        """Shapes nearer in energy than this are one, J."""
        return 1e-6 * self._line.force_scale * self._line.length

    def positions(self) -> Array:
        """(points, 3) m."""
        return self._located(self.loaded, self.q, self.nu, self.supports)

    def positions_of(self, state: RodState, supports: tuple[Support, ...]) -> Array:
        """(points, 3) m of a state of this grid: the first support that holds an axis anchors it."""
        return self._located(self._under(state.scheme, state.carried), state.q, state.nu, supports)

    def _located(self, chain: Chain, q: Array, nu: Array, supports: tuple[Support, ...]) -> Array:
        x = np.empty((len(self.grid.s), 3))
        shape.positions(chain, q, nu, x)
        for axis, (k, at) in enumerate(zip(self._anchors, self._anchor_at, strict=True)):
            x[:, axis] += supports[k].position[axis] - x[at, axis]
        return x

    def too_short(self, shortfall: Shortfall, began: float) -> RodReport:
        return nothing_found("infeasible", shortfall.reason, began, shortfall.length)

    def _report(self, outcome: newton.Outcome, methods: list[str], began: float) -> RodReport:
        moments = len(self.staggered.moment_site) > 0
        status, reason = "converged", ""
        if self.scheme == STAGGERED:
            self.resolution()
        if outcome.status != newton.CONVERGED:
            status, reason = "not_converged", self._why(outcome)
        elif outcome.unstable > 0 and not moments:
            status = "unstable"
            reason = f"{outcome.unstable} direction(s) in which the shape would not stay"
        if status in ("converged", "unstable"):
            self.solved = self.state()
            if self.neutral < 0:
                self.count_neutral()
            if self._line.is_rope and self.neutral > 0:
                status, reason = "not_converged", UNDETERMINED
        return RodReport(
            status=status,
            reason=reason,
            iterations=outcome.iterations,
            residual=outcome.residual,
            length_error=outcome.closure,
            stable=None if moments else (outcome.unstable <= 0 if outcome.status == newton.CONVERGED else False),
            index=max(outcome.unstable, 0),
            neutral=max(self.neutral, 0),
            element="polished" if self.scheme == POLISHED else "staggered",
            methods=tuple(dict.fromkeys(methods)),
            warnings=self._warnings(UNPOLISHED in methods),
            others=self.others,
            shortfall=0.0,
            seconds=time.perf_counter() - began,
        )

    def _why(self, outcome: newton.Outcome) -> str:
        largest = float(np.abs(self.nu).max()) if len(self.nu) else 0.0
        if not self.line.is_rope and largest > HOPELESS_FORCE * self.line.bending / self.line.length**2:
            return "the force that would close the cable grows without bound: it is too short for its supports"
        if outcome.status == newton.OUT_OF_ITERATIONS:
            return (
                f"no equilibrium after {outcome.iterations} iterations (residual {outcome.residual:.1e}){self._loose()}"
            )
        if outcome.status == newton.NO_DESCENT:
            return f"no method finds a lower energy (residual {outcome.residual:.1e}){self._loose()}"
        return "the numbers are no longer finite"

    def _loose(self) -> str:
        """Whether hardly anything says which way round the shape is: then no method comes to an end."""
        scales = self.scales(self.scheme)._replace(neutral=LOOSE)
        neutral = newton.count_neutral(self.chain(self.scheme), self.work(self.scheme), self.q, self.nu, scales)
        if not neutral and not self._is_symmetric():
            return ""
        return (
            ": its supports are all but symmetric, and it turns about them almost without effort; turn one of them by "
            "0.1°, give it weight, or give `initial` points on the side where it is to lie"
        )

    def _is_symmetric(self) -> bool:
        """Whether nothing but supports along the line through them says on which side of it the cable lies."""
        if self._line.weight > 0.0 or self._line.loads or self._line.rest.largest > 0.0:
            return False
        places = np.array([k.position for k in self.supports])
        chord = places[-1] - places[0]
        size = float(np.linalg.norm(chord))
        held = [k.tangent for k in self.supports if k.direction != NO_DIRECTION]
        off = np.linalg.norm(np.cross([*held, *((places - places[0]) / max(size, 1e-300))], chord), axis=1)
        return bool((off <= ALL_BUT * size).all())

    def count_neutral(self, descended: newton.Outcome | None = None) -> None:
        """Counts the directions without stiffness; what a descent left that has just met its tolerances saves half."""
        chain, work, scales = self.chain(self.scheme), self.work(self.scheme), self.scales(self.scheme)
        if descended is not None and max(descended.residual, descended.closure) <= TOLERANCE:
            self.neutral = newton.index_beside(chain, work, scales, -1.0) - descended.unstable
        else:
            self.neutral = newton.count_neutral(chain, work, self.q, self.nu, scales)

    def _warnings(self, unpolished: bool) -> tuple[str, ...]:
        """From the resolution last looked at."""
        coarse, turn = min(self._resolution[0], 1e9), self._resolution[1]
        if (coarse <= 1.0 or self._line.is_rope) and turn <= LARGEST_SEGMENT_TURN and not unpolished:
            return ()
        notes: list[str] = []
        segments = len(self.grid.h)
        if unpolished:
            notes.append(
                "the fourth-order element found no equilibrium on this grid and the shape is of second order only: "
                f"use at least {math.ceil(segments * UNPOLISHED_GROWTH) + 1} points"
            )
        if coarse > 1.0 and not self.line.is_rope:
            notes.append(
                f"a boundary layer is not resolved (h√(n/B) = {coarse:.2g}): "
                f"use at least {math.ceil(segments * coarse) + 1} points"
            )
        if turn > LARGEST_SEGMENT_TURN and self._line.is_rope:
            notes.append(f"the rope folds by {math.degrees(turn):.0f}° within a segment")
        return tuple(notes)
