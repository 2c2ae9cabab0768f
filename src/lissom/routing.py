"""Routing: cables whose length is not settled yet [GS07 §7]. What `Simulation` can do to lengths.

Three ways: a typed length (`lengthen`), length that follows when something is pulled (`feed`), length that the cable
finds for itself (`soften`). The last two are modes: while one is on, every solve sets the length; leaving it freezes
the lengths and spaces the points evenly again.
"""

import itertools
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from lissom.cables import Cables
from lissom.reports import Report
from lissom.rods import routing
from lissom.rods.line import Line, Support
from lissom.rods.result import CableResult
from lissom.rods.routing import Balance, Span
from lissom.rods.sliding import segment_counts
from lissom.scene import Cable, Problem, Scene, SceneError
from lissom.scene.errors import ABSENT
from lissom.scene.growing import grown
from lissom.scene.units import UnitError, parse
from lissom.standing import Standing
from lissom.verbs import whole

Array = NDArray[np.float64]
M = TypeVar("M", bound="Mode")
Place = str | float
"""Along a cable: "start", "end", the name of a clip, junction or grip, or a fraction of the length."""

# What is left of a stretch that is pulled together, of its length when the mode was entered.
LEAST_LEFT = 0.01
# Where a cable that was pulled finds no equilibrium, this part of the length is fed on top, doubled so often.
FED_ON_TOP, MOST_FEEDS = 0.005, 5


@dataclass(frozen=True, slots=True)
class ModeState:
    """A mode as it is now: what is needed to take it up again after going back to a state."""

    cable: str
    kind: Literal["feed", "soft"]
    between: tuple[float, float]  # fractions of the length
    bent: float = 0.5
    tension: float | None = None


class Routed(ABC):
    """The lengths of the cables of a simulation."""

    _standing: Standing
    _cables: Cables
    _modes: "dict[str, Mode]"

    @property
    @abstractmethod
    def scene(self) -> Scene: ...
    @abstractmethod
    def solve(self, *, cold: bool = False) -> Report: ...
    @abstractmethod
    def replace_scene(self, scene: Scene) -> None: ...
    @abstractmethod
    def cable(self, name: str) -> CableResult: ...

    # ---- what can be done ----------------------------------------------------------------------------------------

    @whole
    def lengthen(
        self,
        name: str,
        *,
        by: float | str | None = None,
        to: float | str | None = None,
        between: tuple[Place, Place] | None = None,
    ) -> None:
        """Makes a cable longer or shorter between two places, by a length or to a length (m, or "20 mm").

        Places are "start", "end", names of clips, junctions and grips, or fractions of the length; without them the
        whole cable changes. Beyond them clips keep their distances, and the material between them is the same. Between
        them it is put in evenly: what is said as a fraction stays at its fraction, what is said as a length keeps that
        length. The present shape is the first guess of the next solve.
        """
        solver = self._cables.solver(name)
        low, high = self._stretch(name, between)
        if (by is None) == (to is None):
            raise ValueError("lengthen: give by (how much longer) or to (how long), one of them")
        if name in self._modes:
            raise ValueError(f"{name}: its length is being set by a mode; freeze() it first, then type a length")
        there = metres(by, "by") + (high - low) if by is not None else metres(to, "to")
        if not there > 0.0:
            left = f"the cable is {1000.0 * (high - low):.6g} mm long there"
            raise ValueError(f"lengthen: {1000.0 * there:.6g} mm would be left; {left}, and some of it must remain")
        length = solver.line.length
        old = np.unique([0.0, low, high, length])
        new = old + np.where(old >= high, there - (high - low), 0.0)
        line = self._lay(name, old, new)
        self._rebuild(name, line, (old, new))

    @whole
    def feed(self, name: str, *, between: tuple[Place, Place] | None = None) -> "Feed":
        """Mode 1: pulling on the cable changes its length between two places, and not how slack it is.

        `with sim.feed("hose", between=("clip 1", "end")):` and then move ends, clips and grips, and solve.
        """
        return self._enter(Feed(self, name, between))

    @whole
    def soften(
        self,
        name: str,
        *,
        bent: float = 0.5,
        tension: float | None = None,
        between: tuple[Place, Place] | None = None,
    ) -> "Soft":
        """Mode 2: the cable finds its own length for its ends and clips.

        `bent` goes from 0, rather straight, to 1, rather bent; or give the `tension` (N) that draws a straight cable
        in. With `between` only the spans between two places are soft. Then move, and solve.
        """
        return self._enter(Soft(self, name, bent, tension, between))

    def modes(self) -> tuple[ModeState, ...]:
        """The modes that are on."""
        return tuple(mode.state() for mode in self._modes.values())

    def take_up(self, modes: Iterable[ModeState]) -> None:
        """Goes on with modes after `restore`, which freezes lengths: nothing moves until something else does."""
        for k in modes:
            dirty = k.cable in self._cables.dirty
            if k.kind == "feed":
                self._enter(Feed(self, k.cable, k.between))
            else:
                soft = self._enter(Soft(self, k.cable, k.bent, k.tension, k.between))
                soft.settled = not dirty
            if not dirty:
                self._cables.dirty.discard(k.cable)

    def _enter(self, mode: M) -> M:
        follows_forces(self._standing.scene.cable(mode.name))
        self._modes[mode.name] = mode
        self._cables.dirty.add(mode.name)
        return mode

    def _leave(self, mode: "Mode") -> None:
        """Freezes the lengths; the points are spaced evenly again, on the same shape."""
        if self._modes.get(mode.name) is mode:
            del self._modes[mode.name]
            solver = self._cables.solver(mode.name)
            self._rebuild(mode.name, replace(solver.line, segments=len(solver.grid.h)))

    def _rebuild(self, name: str, line: Line, places: tuple[Array, Array] | None = None, anew: bool = False) -> None:
        """The cable goes on with a changed line, from its present shape; a mode that sets its length, too."""
        self._cables.rebuild(name, line, places, anew)
        if name in self._modes:
            self._modes[name].remember()

    # ---- places --------------------------------------------------------------------------------------------------

    def _place(self, name: str, where: Place) -> float:
        """Arc length of a named place or of a fraction, m."""
        solver = self._cables.solver(name)
        if isinstance(where, str):
            if where in ("start", "end"):
                return 0.0 if where == "start" else solver.line.length
            return solver.supports[self._cables.support_number(name, where)].place
        if not 0.0 <= float(where) <= 1.0:
            message = "must lie between 0 and 1: a fraction of the length; or give the name of a clip"
            raise SceneError([Problem(f"{name}/between", where, message)])
        return float(where) * solver.line.length

    def _stretch(self, name: str, between: tuple[Place, Place] | None) -> tuple[float, float]:
        """The two places, in order, m."""
        a, b = between or ("start", "end")
        low, high = sorted((self._place(name, a), self._place(name, b)))
        if not high - low > 1e-9 * self._cables.solver(name).line.length:
            message = "must be two different places, with some cable between them"
            raise SceneError([Problem(f"{name}/between", [a, b], message)])
        return low, high

    def _lay(self, name: str, old: Array, new: Array, mode: "Mode | None" = None) -> Line:
        """Changes the lengths in the scene; the line with its supports (grips too) at their new places."""
        shape = None if mode is None else (mode.entry.rest, mode.entry_places)
        self._standing.scene = grown(self._standing.scene, name, old, new, shape)
        line = self._standing.line(self._standing.scene.cable(name))
        said = {k.name: k.place for k in line.supports}
        supports: list[Support] = []
        for support in self._cables.solvers[name].supports:
            known = support.name in said and not support.slides
            place = said[support.name] if known else float(np.interp(support.place, old, new))
            supports.append(support._replace(place=place))
        return replace(line, supports=tuple(supports))

    def _lay_quickly(self, mode: "Mode", old: Array, new: Array) -> None:
        """The same, on the grid at hand: frames stay where they are among the points."""
        solver = self._cables.solvers[mode.name]
        counts = segment_counts(solver)
        line = self._lay(mode.name, old, new, mode)
        solver.set_line(replace(line, segments=int(counts.sum())), counts)
        self._cables.islands = None
        self._cables.dirty.add(mode.name)

    # ---- solving -------------------------------------------------------------------------------------------------

    def _route(self, cold: bool) -> Report:
        """Equilibrium with the lengths that the modes ask for."""
        began = time.perf_counter()
        soft = [mode for mode in self._modes.values() if isinstance(mode, Soft)]
        feeds = [mode for mode in self._modes.values() if isinstance(mode, Feed)]
        if not self._cables.dirty and not cold and all(mode.settled for mode in soft):
            return self._cables.solve_rods(False)
        for mode in feeds:
            with suppress(SceneError):  # what is said along the cable does not fit a shorter one: it stays as long
                mode.follow()
        if soft:
            return self._soften(soft, cold, began)
        report = self._cables.solve_rods(cold)
        spent = report.iterations
        for k in range(MOST_FEEDS):
            if report.ok or not feeds:
                break
            for mode in feeds:
                mode.follow(FED_ON_TOP * 2.0**k)
            report = self._cables.solve_rods(cold)
            spent += report.iterations
        return report._replace(iterations=spent, seconds=time.perf_counter() - began)

    def _soften(self, soft: "list[Soft]", cold: bool, began: float) -> Report:
        """All soft spans of all cables together: the lengths at which each is balanced."""
        spent = 0
        first = True
        unfit = ""
        last: tuple[Array, Balance | None] | None = None

        def evaluate(y: Array) -> Balance | None:
            nonlocal last
            if last is None or np.any(y != last[0]):
                last = y, balanced(y)
            return last[1]

        def balanced(y: Array) -> Balance | None:
            nonlocal spent, first, unfit
            try:
                for mode, part in zip(soft, shared(y, soft), strict=True):
                    mode.lay(part)
            except SceneError as error:  # a load said at a length lies beyond the end of a shorter cable
                unfit = f" ({error})"
                return None
            report = self._cables.solve_rods(cold and first)
            spent += report.iterations
            if first and not certified(report):
                report = self._cables.solve_rods(True)
                spent += report.iterations
            first = False
            if not certified(report):
                return None
            found = [mode.balance() for mode in soft]
            return Balance(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

        y = np.concatenate([mode.begin() for mode in soft])
        slope = soft[0].slope
        slope = slope if slope is not None and len(slope) == len(y) else None
        found = routing.balance(evaluate, y, slope)
        soft[0].slope = None if found.reason else found.slope
        number = 0
        for mode, part in zip(soft, shared(found.y, soft), strict=True):
            mode.settled = not found.reason
            mode.notes = tuple(
                straight(span, mode) for k, span in enumerate(mode.spans()) if number + k in found.straight
            )
            number += len(part)
            report = self._cables.reports[mode.name]
            if found.reason and report.ok:
                self._cables.reports[mode.name] = replace(report, status="not_converged", reason=found.reason + unfit)
            elif mode.notes:
                self._cables.reports[mode.name] = replace(report, warnings=(*report.warnings, *mode.notes))
        return self._cables.overall(spent, began)


def follows_forces(cable: Cable) -> None:
    """Raises where its length cannot."""
    if cable.model == "kinematic":
        message = 'must be "rod" while a length follows from forces: make it a rod, or freeze its length first'
        raise SceneError([Problem(f"{cable.name}/model", "kinematic", message)])


class Mode(ABC):
    """A way in which the length of a cable follows what is done to it. Leaving it freezes the length."""

    def __init__(self, simulation: Routed, name: str, between: tuple[Place, Place] | None) -> None:
        self._simulation = simulation
        self.name = name
        self.low, self.high = simulation._stretch(name, between)
        self.remember()

    def remember(self) -> None:
        """The cable as it is now: what its rest shape is made from while its length changes."""
        self.entry = self._simulation._standing.scene.cable(self.name)
        self.entry_places = self.places()

    def state(self) -> ModeState:
        """To take it up again."""
        between = (self.low / self.length, min(self.high / self.length, 1.0))
        return ModeState(self.name, "feed", between)

    @abstractmethod
    def pieces(self) -> list[tuple[float, float]]:
        """The parts of the cable whose lengths are set, each within one span: from where to where, m."""

    def places(self) -> Array:
        """The ends of the pieces, from 0 to the length, m."""
        return np.unique([0.0, *itertools.chain(*self.pieces()), self.length])

    def set_lengths(self, lengths: Array) -> None:
        """Of the pieces, m."""
        old, tiny = self.places(), 1e-9 * self.length
        grows = np.zeros(len(old) - 1)
        for (low, high), length in zip(self.pieces(), lengths, strict=True):
            grows[int(np.flatnonzero(np.abs(old - low) <= tiny)[0])] = length - (high - low)
        if np.abs(grows).max() <= 1e-12 * self.length:
            return
        new = old + np.concatenate([[0.0], np.cumsum(grows)])
        self._simulation._lay_quickly(self, old, new)
        self.low, self.high = float(np.interp(self.low, old, new)), float(np.interp(self.high, old, new))

    @property
    def length(self) -> float:
        """Of the cable as it is now, m."""
        return self._simulation._cables.solver(self.name).line.length

    @whole
    def freeze(self) -> Report:
        """Leaves the mode: lengths stay as they are, points are spaced evenly again."""
        self._simulation._leave(self)
        return self._simulation.solve()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.freeze()


class Feed(Mode):
    """Mode 1: between two places, each span grows by as much as its two supports move apart.

    What is kept is the slack, length minus straight way, not a force: so a cable can always follow, a way back gives
    the length back, and one solve per frame is enough.
    """

    def __init__(self, simulation: Routed, name: str, between: tuple[Place, Place] | None) -> None:
        super().__init__(simulation, name, between)
        around = self._around()
        if not around:
            message = "nothing can pull there: it must lie between two supports that the cable cannot slide through"
            raise SceneError([Problem(f"{name}/between", ABSENT, message)])
        loose = {k for span in around for k in (span.before, span.after)} & free_supports(simulation, name)
        if loose:
            held = simulation._cables.solver(name).supports[min(loose)].name
            message = "follows the pull by itself, so nothing is fed: hold it (motion = held) or use soften"
            raise SceneError([Problem(f"{name}/{held}", ABSENT, message)])

    def remember(self) -> None:
        super().remember()
        self._first = np.array([high - low for low, high in self.pieces()])
        self._way = np.array([span.way for span in self._around()])

    def _around(self) -> list[Span]:
        """The spans that share some cable with the stretch between the two places."""
        tiny = 1e-9 * self.length
        found = routing.spans(self._simulation._cables.solver(self.name).supports)
        return [k for k in found if k.start < self.high - tiny and k.end > self.low + tiny]

    def pieces(self) -> list[tuple[float, float]]:
        return [(max(span.start, self.low), min(span.end, self.high)) for span in self._around()]

    def follow(self, on_top: float = 0.0) -> None:
        """Sets the lengths for where the supports are now; `on_top` more, as a part of them, from now on."""
        way = np.array([span.way for span in self._around()])
        self._first = self._first * (1.0 + on_top)
        self.set_lengths(np.maximum(self._first + way - self._way, LEAST_LEFT * self._first))


class Soft(Mode):
    """Mode 2: every span has the length at which the tension kλ that draws it in balances the cable [rods/routing.py].

    `notes` says which spans are straight, because the shortest length was the best.
    """

    def __init__(
        self, simulation: Routed, name: str, bent: float, tension: float | None, between: tuple[Place, Place] | None
    ) -> None:
        super().__init__(simulation, name, between)
        self.settled = False
        self.slope: Array | None = None
        self.notes: tuple[str, ...] = ()
        if not self.spans():
            message = "no span there can find its length: it needs two supports that the cable cannot slide through"
            raise SceneError([Problem(f"{name}/between", ABSENT, message)])
        for span in self.spans():
            if span.way < routing.LEAST_WAY * span.length:
                supports = simulation._cables.solver(name).supports
                message = f"{supports[span.before].name} and {supports[span.after].name} are (nearly) at one place: "
                message += "there is no straight way to compare its length with; type a length (lengthen)"
                raise SceneError([Problem(name, ABSENT, message)])
        self._bent, self._tension = 0.5, tension
        if tension is None:
            self.bent = bent
        else:
            self.tension = tension

    def state(self) -> ModeState:
        return replace(super().state(), kind="soft", bent=self._bent, tension=self._tension)

    @property
    def bent(self) -> float:
        """From 0, rather straight, to 1, rather bent."""
        return self._bent

    @bent.setter
    def bent(self, value: float) -> None:
        if not 0.0 <= value <= 1.0:
            raise ValueError(f"bent = {value}: must lie between 0 (rather straight) and 1 (rather bent)")
        self._bent, self._tension, self.settled = float(value), None, False
        self._simulation._cables.dirty.add(self.name)

    @property
    def tension(self) -> float | None:
        """N that draw a straight span in; None where `bent` says it."""
        return self._tension

    @tension.setter
    def tension(self, value: float) -> None:
        if not value > 0.0:
            raise ValueError(f"tension = {value}: must be above 0, in N: without any the cable grows without end")
        self._tension, self.settled = float(value), False
        self._simulation._cables.dirty.add(self.name)

    def remember(self) -> None:
        super().remember()
        found = self.spans()
        free = free_supports(self._simulation, self.name)
        self._floating = np.array([bool({span.before, span.after} & free) for span in found])
        self._slack: Array | None = None  # exp(y)/r when it was last settled
        self._first = np.array([span.way for span in found])
        self._least = np.array([routing.LEAST_WAY * span.length for span in found])

    def spans(self) -> list[Span]:
        """Those that are soft."""
        tiny = 1e-9 * self.length
        found = routing.spans(self._simulation._cables.solver(self.name).supports)
        return [k for k in found if k.start >= self.low - tiny and k.end <= self.high + tiny]

    def pieces(self) -> list[tuple[float, float]]:
        return [(span.start, span.end) for span in self.spans()]

    def begin(self) -> Array:
        """y to begin with: as slack as last time, and not straight."""
        way = self._ways()
        slack = self._slack
        if slack is None:
            slack = (np.array([span.length for span in self.spans()]) - self._base(way)) / way
        return np.asarray(np.log(way * np.clip(slack, 0.01, 0.5 * routing.MOST_SLACK)))

    def lay(self, y: Array) -> None:
        """Sets the lengths ℓ = r + exp y, or exp y where a span ends on something free."""
        self.set_lengths(self._base(self._ways()) + np.exp(y))

    def balance(self) -> Balance:
        """At the equilibrium just found."""
        line = self._simulation._cables.solver(self.name).line
        found = self.spans()
        way = self._ways()
        lengths = np.array([span.length for span in found])
        self._slack = (lengths - self._base(way)) / way
        result = self._simulation.cable(self.name)
        keeps_angles = self.entry.rest is not None and self.entry.rest.points is not None
        pull = routing.pulls(result, found, self._growing(result, found), keeps_angles)
        k = [routing.tension(line, r, self._bent) if self._tension is None else self._tension for r in way]
        scale = [max(routing.scale(line, r), 1e-12) for r in way]
        least = way * np.where(self._floating, routing.LEAST_WAY, routing.LEAST_SLACK)
        return Balance(pull, np.array(k) * lengths / way, np.array(scale), way, least)

    def _ways(self) -> Array:
        """r of each span: the straight way; not less than a part of the length it had when the mode was entered."""
        now = np.array([span.way for span in self.spans()])
        return np.asarray(np.maximum(np.where(self._floating, self._first, now), self._least))

    def _base(self, way: Array) -> Array:
        """What exp y counts from, m."""
        return np.where(self._floating, 0.0, way)

    def _growing(self, result: CableResult, found: list[Span]) -> list[Array]:
        """∂h/∂ℓ of each segment, for each span: even, except around loads that keep a distance said as a length."""
        line = fixed(self._simulation._cables.solver(self.name).line)
        if not any(load.from_start is not None or load.from_end is not None for load in self.entry.loads):
            return [routing.even_growth(result, span) for span in found]
        old = self.places()
        rates: list[Array] = []
        for span in found:
            by = 1e-3 * span.length
            new = old + np.where(old >= span.end - 1e-9 * self.length, by, 0.0)
            longer = grown(self._simulation._standing.scene, self.name, old, new)
            moved = {k.name: k.place for k in self._simulation._standing.line(longer.cable(self.name)).supports}
            held = tuple(
                k._replace(place=moved.get(k.name, float(np.interp(k.place, old, new)))) for k in line.supports
            )
            other = replace(self._simulation._standing.line(longer.cable(self.name)), supports=held)
            rates.append(routing.growth_between(line, other, result.s, by))
        return rates


def certified(report: Report) -> bool:
    """Whether there are equilibria to go on from."""
    return report.status in ("converged", "unstable")


def shared(y: Array, soft: Sequence[Soft]) -> Iterable[Array]:
    """The part of each mode."""
    at = 0
    for mode in soft:
        count = len(mode.spans())
        yield y[at : at + count]
        at += count


def straight(span: Span, mode: Soft) -> str:
    supports = mode._simulation._cables.solver(mode.name).supports
    return (
        f"between {supports[span.before].name} and {supports[span.after].name} the shortest length is the best: "
        f"it stops at {1000.0 * span.length:.6g} mm, the straight way is {1000.0 * span.way:.6g} mm"
    )


def fixed(line: Line) -> Line:
    """Without what slides: its place is no key to lengths."""
    return replace(line, supports=tuple(k for k in line.supports if not k.slides))


def free_supports(simulation: Routed, name: str) -> set[int]:
    """Numbers of the supports that sit on junctions and parts which move freely."""
    scene = simulation._standing.scene
    cable = scene.cable(name)
    floating = {k.name for k in scene.junctions if k.motion == "free"}
    joined = {
        member.end(cable.length) or junction.name
        for junction in scene.junctions
        if junction.name in floating
        for member in junction.members
        if member.cable == name
    }
    loose = {part.name for part in scene.parts if part.motion == "free"}
    joined |= {key for key, held in cable.held.items() if held is not None and held.on in loose}
    return {k for k, support in enumerate(simulation._cables.solver(name).supports) if support.name in joined}


def metres(value: float | str | None, name: str) -> float:
    """A length, m; a text may carry its unit."""
    if isinstance(value, str):
        try:
            return parse(value, "length")
        except UnitError as error:
            raise ValueError(f"{name} = {value!r:.60}: {error}") from None
    number = float(value if value is not None else np.nan)
    if not np.isfinite(number):
        raise ValueError(f'{name} = {value!r:.60}: must be a finite length in m, or a text such as "20 mm"')
    return number
