"""Cables among parts and on bodies: solved together where they meet, step by step where things move far.

A solve goes from where everything stood when it was last solved to where it is to stand now, in steps so short that
nothing can pass through anything unseen. Cables that come near nothing are solved alone, at the speed and accuracy
of a lonely cable.
"""

import itertools
import math
import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.turns import followed
from lissom.rods import guess, newton, starting
from lissom.rods.bodies import Body, Seat, hung, matrix
from lissom.rods.contacts import NO_LINK, Contacts
from lissom.rods.core import advance
from lissom.rods.core.network import Network, may_solve
from lissom.rods.describing import Contact, clearances, described, held_inside, overlap, pressed
from lissom.rods.feasibility import Known, Shortfall, find_network_shortfall, find_shortfall
from lissom.rods.halting import given_up
from lissom.rods.line import FRAME, Support
from lissom.rods.meeting import GIVE
from lissom.rods.outcome import RodReport, RodState, between
from lissom.rods.past import Past
from lissom.rods.reading import retwisted
from lissom.rods.slides import Places, Slides, restore, snapshot
from lissom.rods.sliding import with_origin
from lissom.rods.solver import RodSolver
from lissom.rods.surroundings import Clearance, Surroundings
from lissom.rods.system import Settled, System
from lissom.scene.placing import Poses

Array = NDArray[np.float64]
Pose = tuple[Array, Array]  # position (3,) and quaternion (4,)
Strangers = Callable[[list[Array], list[Array]], set[str]]
Attempt = tuple[float, dict[str, RodState]]  # how deep in parts, and the shapes to start from

MOST_ITERATIONS = 120
# from first guesses: what hangs on a free junction falls far
MOST_COLD = 240
# from a shape that the user gave, which may be far from equilibrium: the lonely cable may not go there first
MOST_LED = 600
TOLERANCE = 3e-9
# of the core: bodies are judged by what acts on them alone, and within so many steps
TOLERANCE_CORE = 1e-10
MOST_CORE = 90
ON_THE_WAY = 1e-5
# Of a turn: less was not lost, but is what counting leaves out.
WHOLE_TURN = 0.5
# Allowed penetration: the larger of this part of the radius and this part of the length.
DEPTH_RADIUS = 1e-4
DEPTH_LENGTH = 1e-7
# Penetration near supports, which may hold a cable a little inside: the larger of these.
TOO_DEEP_RADIUS = 0.2
TOO_DEEP_LENGTH = 1e-3
# A certified cable is no farther from where its supports hold it than this part of its length.
MISPLACED = 1e-6
# A step moves parts, and supports that carry points of cables with them, by at most this part of what is clear, and of
# the radius where nothing is.
STEP = 0.5
# Others, by at most so many radii: Newton's steps look out for what the cable meets as it follows.
LONG_STEP = 2.0
# A first guess may differ from the held frames by this much twist (rad).
LARGEST_TURN = 3.0
# A step that fails is halved at most so often.
MOST_HALVINGS = 6
MOST_STEPS = 400
# A part that a cold start runs into is drawn back to so many sides of the cable, one after the other, by these
# multiples of how deep the cable is in it.
SIDES = 4
DRAWN_BACK = (1.0, 1.5, 2.5, 4.0)


class Ways(NamedTuple):
    """How far things have to move, m."""

    parts: float
    carrying: float  # supports from which points are counted: these move with them at once
    last: float  # supports at the ends of cables: these follow


@dataclass(frozen=True, slots=True)
class Mark:
    """How an assembly was last solved, to go back to."""

    past: Past
    last: dict[str, RodReport]
    origins: list[Pose]  # of the parts
    states: dict[str, RodState]
    places: list[Places]  # of sliding supports
    bodies: dict[str, Pose]  # poses of free bodies


class Assembly:
    """Some cables with all they can meet."""

    def __init__(self, solvers: dict[str, RodSolver], surroundings: Surroundings, bodies: list[Body]) -> None:
        self.solvers = solvers
        self.surroundings = surroundings
        self.bodies = bodies
        self.contacts: tuple[Contact, ...] = ()
        self.goal: list[Pose] = [(k.position, k.quaternion) for k in surroundings.obstacles]  # where parts are to be
        self._system: System | None = None
        self._touched = Contacts.none()  # when everything was last solved
        self._clear = 0.0  # m around all cables in which there is nothing
        self.neighbours: set[tuple[str, str]] = set()  # cables that nearly touched each other then
        self.met: set[str] = set()  # cables of others for which the last solve was given up
        self.last: dict[str, RodReport] = {}
        self._strangers: Strangers | None = None
        self._from: dict[str, tuple[Support, ...]] = {}  # the supports for which the cables were last solved
        self._on_body = {(s.link, s.support) for body in bodies for s in body.seats}
        self._seats_of: list[list[tuple[Body, Seat]]] = [[] for _ in solvers]
        for body in bodies:
            for seat in body.seats:
                self._seats_of[seat.link].append((body, seat))
        length = min(k.line.length for k in solvers.values())
        self._radius = min(k.radius for k in surroundings.skins)
        self._thick = self._radius or 0.005 * length
        self._least_step = STEP * self._thick
        self._push = min([np.inf, *(GIVE * body.size for body in bodies if body.touches)])  # m: of parts against bodies
        surroundings.where_held = max(TOO_DEEP_LENGTH * length, TOO_DEEP_RADIUS * self._radius)
        self.depth = max(DEPTH_LENGTH * length, DEPTH_RADIUS * self._radius)
        self._slides = Slides(list(solvers.values()), surroundings)
        self._rough = any(k.friction > 0.0 for k in surroundings.obstacles)
        self._rub_each_other = any(k.friction > 0.0 for k in surroundings.skins)
        self._network: Network | bool = True  # whether there may be one, until it is made

    def aim(self, poses: Poses) -> None:
        """Where parts are to stand after the next solve."""
        self.goal = [(np.array(poses[k.name][0]), np.array(poses[k.name][1])) for k in self.surroundings.obstacles]

    # ---- solving -------------------------------------------------------------------------------------------------

    def solve(self, cold: bool, strangers: Strangers | None = None) -> dict[str, RodReport]:
        """Reports of all cables. One that fails leaves everything as it was last solved.

        `strangers` gives the cables of others that ours come into as they go from some points to others; then `met`
        has those, and the solve has failed. A cold one does not ask.
        """
        began = time.perf_counter()
        self.met, self._strangers = set(), strangers
        if not self._from and self.has_begun:
            self._from = {name: k.solved.supports for name, k in self.solvers.items() if k.solved is not None}
            still = all(solver.supports == self._from.get(name) for name, solver in self.solvers.items())
            if still and not len(self._touched):  # from a file, or another assembly: what is clear around them
                near = self.surroundings.near(self._stood(self._states()), self.bodies)
                self._clear = max(float(near.gap.min(initial=self.surroundings.margin)), 0.0)
        reason = self._held_inside()
        if reason:
            return self._refused(reason, began)
        warm = bool(self._from) and not cold
        if warm and self.bodies:
            found = self._by_core(self._stood(self._states()), began)
            if found is not None:
                return found
        short = self._too_short()
        if short:
            return short
        if not warm:
            reports = self._begin(began)
            self.surroundings.look_near()  # steps are as long as one sees
            return reports
        found = self._alone()
        if found is None and not self.bodies and not self.met:
            found = self._by_core(self._stood(self._states()), began)
        if found is not None:
            return found
        if self.met:
            return self._refused("it meets another cable", began)
        system = self._system or self._new_system()
        outcome, reason = self._travel(system, self.goal)
        return self._reports(system, outcome, reason, began)

    def _too_short(self) -> dict[str, RodReport]:
        """Reports, if a cable or several in a row cannot reach from support to support; nothing is changed then."""
        began = time.perf_counter()
        found: dict[str, RodReport] = {}
        for number, (name, solver) in enumerate(self.solvers.items()):
            held = tuple(s for k, s in enumerate(solver.supports) if (number, k) not in self._on_body)
            short = find_shortfall(held, solver.line.is_extensible)
            if short is not None:
                found[name] = solver.too_short(short, began)
        short = self._network_shortfall() if self.bodies and not found else None
        if short is not None:
            name, solver = next(iter(self.solvers.items()))
            found[name] = solver.too_short(short, began)
        if not found:
            return {}
        return self.put_back(f"it is solved together with {next(iter(found))}, which is too short") | found

    def _network_shortfall(self) -> Shortfall | None:
        """What is held farther apart than cables and the bodies they hang on reach, wherever these are."""
        known: dict[Hashable, Known] = {}
        ways: list[tuple[Hashable, Hashable, float]] = []
        for number, (name, solver) in enumerate(self.solvers.items()):
            held = [(k, s) for k, s in enumerate(solver.supports) if all(s.holds) and not s.slides]
            for k, support in held:
                if (number, k) not in self._on_body:
                    known[number, k] = Known(f"{name}/{support.name}", support.position)
            for (i, a), (k, b) in () if solver.line.is_extensible else itertools.pairwise(held):
                ways.append(((number, i), (number, k), b.place - a.place))
        for body in self.bodies:
            for one, other in itertools.combinations(body.seats, 2):
                apart = float(np.linalg.norm(one.offset - other.offset))
                ways.append(((one.link, one.support), (other.link, other.support), apart))
        return find_network_shortfall(known, ways)

    def put_back(self, reason: str) -> dict[str, RodReport]:
        """Reports of cables that are as they were last solved, because others have no shape where all are to be."""
        return self._refused(reason, time.perf_counter())

    def _held_inside(self) -> str:
        """Which support would hold its cable inside which part, where they are to be; nothing if none does."""
        free = {k.part for body in self.bodies for k in body.carries}
        for number, (name, solver) in enumerate(self.solvers.items()):
            for k, support in enumerate(solver.supports):
                if (number, k) in self._on_body or not all(support.holds):
                    continue
                for part, (position, quaternion) in enumerate(self.goal):
                    depth = self.surroundings.depth_at(number, part, support, position, quaternion)
                    if part not in free and depth > self.surroundings.where_held:
                        other = self.surroundings.obstacles[part].name
                        return held_inside(support.name, name, depth, other)
        return ""

    def _refused(self, reason: str, began: float) -> dict[str, RodReport]:
        """Reports of a solve that was not tried; nothing is changed."""
        nothing = Settled(newton.OUT_OF_ITERATIONS, 0, 0.0, 0.0, 0.0, 0, 0, 0)
        return {name: self._report("not_converged", reason, nothing, began) for name in self.solvers}

    def _alone(self) -> dict[str, RodReport] | None:
        """Cables that touch nothing, and move by less than what is clear around them: each for itself."""
        if self._clear <= 0.0 or self.bodies:
            return None
        states = self._states()
        before, places = self._stood(states), self._slides.places()
        reports = {name: solver.solve() for name, solver in self.solvers.items()}
        if are_good(reports) and self._arrived(before, reports):
            return reports
        self._slides.put(places, None)
        self._system = None if self._slides.any else self._system
        self._return(states)
        return None

    def _arrived(self, before: list[Array], reports: dict[str, RodReport]) -> bool:
        """Takes the shapes that cables have now, with parts where they are to be, if they met nothing."""
        origins, after = self.origins, self._points()
        if any(len(x) != len(y) for x, y in zip(before, after, strict=True)):
            return False  # a slide went over other points: which way the cable went cannot be told from two shapes
        moved = max(float(np.abs(x - y).max()) for x, y in zip(after, before, strict=True))
        way = math.sqrt(3.0) * moved + self._ways(origins, self.goal).parts
        if not self._goes_free(before, after, way) or self._meets(before, after):
            return False
        self.stand(self.goal)
        if self._accept_alone(reports, after):
            return True
        self.stand(origins)
        return False

    def _return(self, states: dict[str, RodState]) -> None:
        """The cables as they were; where supports are to be stays."""
        targets = {name: solver.supports for name, solver in self.solvers.items()}
        self._adopt(states)
        for name, solver in self.solvers.items():
            solver.supports = targets[name]

    # ---- by the core ---------------------------------------------------------------------------------------------

    def _core(self) -> Network | None:
        """The cables and bodies as the core solves them; None where bodies may touch."""
        if self._network is True:
            solvers = list(self.solvers.values())
            bare = not any(body.carries for body in self.bodies)
            thick = all(self.surroundings.skins[a].radius > 0.0 for a, _, _ in self.surroundings.may_touch)
            able = bare and thick and may_solve(solvers, self.bodies)
            self._network = able and Network(solvers, self.bodies, self.surroundings, self.depth)
        return self._network or None

    def _by_core(self, before: list[Array], began: float) -> dict[str, RodReport] | None:
        """From these points, as all was last solved; None, and nothing has changed, where the core does not get there
        or something rough is touched.
        """
        if self._rubs(self._touched):
            return None
        network = self._core()
        if network is None:
            return None
        network.take(before, self._touched)
        origins, steps = self.origins, self._steps()
        supports = [(self._from[name], k.supports) for name, k in self.solvers.items()]
        for step in range(1, steps + 1):
            if given_up():
                return None
            part = step / steps
            poses = [pose_between(a, b, part) for a, b in zip(origins, self.goal, strict=True)]
            network.stand([(matrix(q), x) for x, q in poses])
            network.hold(
                [[b if part == 1.0 else between(a, b, part) for a, b in zip(*k, strict=True)] for k in supports]
            )
            outcome = network.solve(TOLERANCE_CORE, MOST_CORE)
            if outcome.status != advance.CONVERGED or outcome.falling > 0 or not network.went_free():
                return None
        after, contacts = network.points(), network.contacts()
        if not network.is_resolved() or self._rubs(contacts) or self._meets(before, after):
            return None
        if self.surroundings.passing(before, after) <= 1.0 or not self._keeps_turns(network):
            return None
        among = self.surroundings.among_cables(after)
        clear = min(network.clear(), max(float(among.gap.min(initial=np.inf)), 0.0))
        self._take_core(network, contacts, after, clear)
        self.neighbours = self._pairs(among)
        self.last = {name: network.report(number, outcome, began) for number, name in enumerate(self.solvers)}
        return self.last

    def _rubs(self, c: Contacts) -> bool:
        """Whether there may be friction where these press."""
        return (self._rough and len(c) > 0) or (self._rub_each_other and bool((c.other != NO_LINK).any()))

    def _keeps_turns(self, network: Network) -> bool:
        """Whether no turn was lost or won between clamps: steps are long, a cable may pass through itself unseen."""
        for number, (name, solver) in enumerate(self.solvers.items()):
            old, new, at = self._from[name], solver.supports, solver.grid.support_at
            clamps = [k for k, s in enumerate(new) if s.direction == FRAME and (number, k) not in self._on_body]
            before, after = network.frames(number)
            for a, b in itertools.pairwise(clamps):
                asked = (new[b].turn - old[b].turn - new[a].turn + old[a].turn) / (2.0 * math.pi)
                span = slice(at[a], at[b] + 1)
                if not abs(followed(before[span], after[span]) - asked) < WHOLE_TURN:
                    return False
        return True

    def _steps(self) -> int:
        """In so many steps parts move, none by more than what is clear or half a radius."""
        clear = max(self._least_step, self._clear)
        return max(math.ceil(self._ways(self.origins, self.goal).parts / clear), 1)

    def _take_core(self, network: Network, contacts: Contacts, points: list[Array], clear: float) -> None:
        """What the core has found is what was last solved."""
        self.stand(self.goal)
        self.place_bodies(network.poses())
        for number, (name, solver) in enumerate(self.solvers.items()):
            solver.supports = self._from[name] = self._seated(number, solver.supports)
            solver.adopt(network.rod_state(number, len(contacts) > 0))
        self.surroundings.commit(contacts, points, 1.0)
        self._system, self._touched, self._clear = None, contacts, clear
        self.contacts = described(contacts, self.surroundings, self.bodies)

    def _seated(self, number: int, supports: tuple[Support, ...]) -> tuple[Support, ...]:
        """The supports of a cable, those on bodies where these have them."""
        found = list(supports)
        for body, seat in self._seats_of[number]:
            old = found[seat.support]
            (x, y, z), (a, b, c, d) = (k.tolist() for k in body.place(seat))
            found[seat.support] = old.moved((x, y, z), old.quaternion if seat.turn is None else (a, b, c, d))
        return retwisted(tuple(found))

    def _meets(self, before: list[Array], after: list[Array]) -> bool:
        """Whether our cables would come into those of others."""
        self.met = set() if self._strangers is None else self._strangers(before, after)
        return bool(self.met)

    def _goes_free(self, before: list[Array], after: list[Array], way: float) -> bool:
        """Whether a motion that moves nothing by more than `way` (m), seen from each other, meets nothing."""
        short = way < 0.5 * self._clear  # two cables may move towards each other
        if not short and not self.surroundings.passes(before, after, self.goal):
            return False
        return self.surroundings.passing(before, after) > 1.0

    def _stood(self, states: dict[str, RodState]) -> list[Array]:
        """(points, 3) m per cable as last solved: where a support has been moved since, the cable has not followed."""
        return [self.solvers[name].positions_of(k, self._from[name]) for name, k in states.items()]

    def _points(self) -> list[Array]:
        return [solver.positions() for solver in self.solvers.values()]

    def _accept_alone(self, reports: dict[str, RodReport], points: list[Array]) -> bool:
        """Takes the present shapes of the cables, (points, 3) m each, as solved, unless something overlaps."""
        self._slides.noted()
        if self._misplaced(points, None):
            return False
        contacts = self.surroundings.near(points, self.bodies)
        clear = float(contacts.gap.min(initial=self.surroundings.margin))
        if clear < 0.0 or self._inside(points) is not None or self._overlap_between(contacts, points):
            return False
        self._clear = clear
        self._from = {name: solver.supports for name, solver in self.solvers.items()}
        self.last = reports
        self.neighbours = self._pairs(contacts)
        self._system = None
        self._touched = Contacts.none()
        self.contacts = ()
        return True

    def _overlap_between(self, contacts: Contacts, points: list[Array]) -> bool:
        """Whether cables overlap between the places at which they are near each other."""
        return bool((contacts.other != NO_LINK).any()) and self.surroundings.pin(points, self.depth)

    def _new_system(self) -> System:
        system = System(list(self.solvers.values()), self.surroundings, self.bodies)
        system.contacts = self._touched
        return system

    @property
    def past(self) -> Past:
        """What its contacts leave behind."""
        return self.surroundings.past(self._touched)

    def _pairs(self, c: Contacts) -> set[tuple[str, str]]:
        names = [k.name for k in self.surroundings.skins]
        different = (c.other != NO_LINK) & (c.other != c.link)
        return {(names[a], names[b]) for a, b in zip(c.link[different], c.other[different], strict=True)}

    @property
    def has_begun(self) -> bool:
        """Whether all cables have a shape to go on from."""
        return bool(self._from) or all(k.solved is not None for k in self.solvers.values())

    @property
    def is_led(self) -> bool:
        """Whether cables begin with shapes that were given."""
        return any(solver.line.initial is not None for solver in self.solvers.values())

    @property
    def origins(self) -> list[Pose]:
        """Where the parts stand."""
        return [(k.position, k.quaternion) for k in self.surroundings.obstacles]

    @property
    def body_poses(self) -> dict[str, Pose]:
        """Where free bodies are, by name."""
        return {k.name: (k.position, k.quaternion) for k in self.bodies}

    def place_bodies(self, poses: dict[str, Pose]) -> None:
        """Puts the free bodies of these names there."""
        for body in self.bodies:
            body.position, body.quaternion = poses.get(body.name, (body.position, body.quaternion))

    def _states(self) -> dict[str, RodState]:
        """As they were last solved."""
        return {name: k.solved for name, k in self.solvers.items() if k.solved is not None}

    def mark(self) -> Mark:
        return Mark(self.past, self.last, self.origins, self._states(), self._slides.places(), self.body_poses)

    def go_back(self, mark: Mark) -> None:
        """The cables as they were; where supports are to be stays. Others than the cables need another assembly."""
        self._slides.put(mark.places, None)
        self.place_bodies(mark.bodies)
        self._return(mark.states)

    def recall(self, reports: dict[str, RodReport]) -> None:
        """Cables that stand as they were last solved have these reports."""
        if reports.keys() >= self.solvers.keys():
            self.last = dict(reports)

    def take(self, past: Past) -> None:
        """Goes on from the contacts of another assembly, of the same cables and parts; else does nothing."""
        found = self.surroundings.take(past)
        if found is not None:
            self._touched = found
            self.contacts = described(found, self.surroundings, self.bodies)

    def _begin(self, began: float) -> dict[str, RodReport]:
        """Without a shape to start from: as if nothing were in the way, then with it.

        Where the lonely shapes run into something, the first guesses may run less deep into it and are tried too;
        after them the part is taken away along the contact and put back, pushing the cable before it.
        """
        before = self.mark() if self._from else None
        self.stand(self.goal)
        self._touched = Contacts.none()
        self.surroundings.forget()
        reports = {name: solver.solve(cold=True) for name, solver in self.solvers.items()}
        for name in [k for k, report in reports.items() if report.status == "infeasible"]:  # to what is only guessed
            reason = "not found: where what it hangs on may be; give free junctions and parts a position within reach"
            reports[name] = self.put_back(reason)[name]
        self._slides.noted()
        if not are_good(reports):
            self._recover(before)
            return self._all_failed(reports)
        self._from = {name: solver.supports for name, solver in self.solvers.items()}
        lonely = {name: with_origin(solver) for name, solver in self.solvers.items()}
        led = self.is_led
        found = self._overlaps()
        if not found and not self.bodies and not led and self._accept_alone(reports, self._points()):
            return reports
        reason = ""
        attempts = [(self._depth(found), lonely)]
        if found or led:
            guesses = [(self._depth(self._overlaps()), states) for states in self._first_guesses(lonely)]
            # the user's own shapes say on which side of things the cables lie: they come first
            attempts = self._led(guesses, attempts) if led else sorted([*attempts, *guesses], key=lambda k: k[0])
        given, places = self.body_poses, self._slides.places()
        hanging = {k.name: hung(k) for k in self.bodies}
        same = all(a is hanging[name][0] and b is hanging[name][1] for name, (a, b) in given.items())
        for poses, (_, states) in itertools.product([given] if same else [given, hanging], attempts):
            self._slides.put(places, None)
            self._adopt(states)
            self.place_bodies(poses)
            system = self._new_system()
            outcome, reason = self._settled(system, final=True, most=MOST_LED if led else MOST_COLD)
            outcome, reason = self._judged(system, outcome, reason)
            if outcome.status == newton.CONVERGED:
                return self._pushed_out(self._reports(system, outcome, "", began), found)
        for drawn_back in self._taken_away(found, places, lonely):
            self.stand(drawn_back)
            self.place_bodies(given)
            system = self._new_system()
            outcome, reason = self._travel(system, self.goal)
            if outcome.status == newton.CONVERGED:
                break
        self.stand(self.goal)
        if found and outcome.status != newton.CONVERGED:
            reason = self._stuck(found, len(attempts))
        reports = self._pushed_out(self._reports(system, outcome, reason, began), found)
        if not are_good(reports):
            self._recover(before)
        return reports

    def _all_failed(self, reports: dict[str, RodReport]) -> dict[str, RodReport]:
        """Reports of cables that stand or fall together: those with a shape of their own have none among the others."""
        failed = next(name for name, k in reports.items() if not are_good({name: k}))
        bad = {name: k for name, k in reports.items() if not are_good({name: k})}
        return self.put_back(f"it is solved together with {failed}, which has no shape: {bad[failed].reason}") | bad

    def _recover(self, before: Mark | None) -> None:
        """After a cold start that failed: as all were last solved; without a shape where they never were."""
        self._from, self._touched, self.contacts = {}, Contacts.none(), ()
        if before is not None:
            self.go_back(before)
            self.take(before.past)
            self._from = {name: state.supports for name, state in before.states.items()}
            return
        for solver in self.solvers.values():
            solver.solved = None  # what they hold runs through things

    def _pushed_out(self, reports: dict[str, RodReport], found: list[Clearance]) -> dict[str, RodReport]:
        """The reports; where they are of an equilibrium, the methods say what was inside which part at first."""
        if not are_good(reports):
            return reports
        for k in found:
            done = f"pushed out of {k.part} ({-1000.0 * k.distance:.3g} mm deep at {1000.0 * k.place:.4g} mm)"
            reports[k.cable] = replace(reports[k.cable], methods=(*reports[k.cable].methods, done))
        self.last = dict(reports)
        return reports

    def _stuck(self, found: list[Clearance], shapes: int) -> str:
        """What a cold start could not push out of what, and what helps."""
        worst = min(found, key=lambda k: k.distance)
        mounted = any(worst.part in dict(k.mounts) for k in self.surroundings.skins if k.name == worst.cable)
        cure = "give `initial` points that lead around it"
        if mounted:
            cure = (
                f"it is mounted on {worst.part}, and touches it beyond two diameters from there: mount it nearer to "
                f"its surface, or let the cable ignore {worst.part}"
            )
        first = f"from {shapes} first shape{'s' if shapes > 1 else ''}"
        tried = f"{first}, and with {worst.part} drawn back to each side and returned"
        every = "; ".join(overlap(k) for k in found)
        return f"{every}: {worst.cable} could not be pushed out of {worst.part}, {tried}; {cure}"

    def _led(self, guesses: list[Attempt], lonely: list[Attempt]) -> list[Attempt]:
        """What to start from, in order; lonely shapes only if they did not pass through cables on the way."""
        self._adopt(guesses[0][1])
        before = self._points()
        self._adopt(lonely[0][1])
        return [*guesses, *lonely] if self.surroundings.passing(before, self._points()) > 1.0 else guesses

    def _adopt(self, states: dict[str, RodState]) -> None:
        for name, state in states.items():
            self.solvers[name].adopt(state)

    def _first_guesses(self, lonely: dict[str, RodState]) -> Iterator[dict[str, RodState]]:
        """The guesses from which lonely cables start, wound up at once; each is adopted as it is given."""
        choices = {name: starting.starts(solver) for name, solver in self.solvers.items()}
        for k in range(max(len(s) for s in choices.values())):
            states: dict[str, RodState] = {}
            for name, solver in self.solvers.items():
                if max((abs(s.turn) for s in solver.supports), default=0.0) > LARGEST_TURN:
                    states[name] = lonely[name]
                    continue
                poses = guess.unwound_poses(solver.supports)
                starting.begin(solver, poses, choices[name][min(k, len(choices[name]) - 1)])
                origin = solver.at_twist_0()
                starting.wind(solver, 0.0, 1.0)
                states[name] = replace(solver.state(), origin=origin)
            self._adopt(states)
            yield states

    def _taken_away(
        self, found: list[Clearance], places: list[Places], lonely: dict[str, RodState]
    ) -> Iterator[list[Pose]]:
        """Poses of the parts with those that overlap lonely cables drawn back until they do not: along the way out
        first, then to the other sides of the cable. The cables are as they were alone each time.
        """
        worst = [
            min((k for k in found if k.part == part), key=lambda k: k.distance) for part in {k.part for k in found}
        ]
        for turn in range(SIDES if worst else 0):
            self._slides.put(places, None)
            self._adopt(lonely)
            ways = {k.part: turned(k.normal, self._tangent(k), turn * 2.0 * math.pi / SIDES) for k in worst}
            least = {k.part: 2.0 * self.surroundings.margin - 1.1 * k.distance for k in worst}
            for far in DRAWN_BACK:
                poses = list(self.goal)
                for number, obstacle in enumerate(self.surroundings.obstacles):
                    if obstacle.name in ways:
                        position, quaternion = self.goal[number]
                        back = far * least[obstacle.name] * ways[obstacle.name]
                        poses[number] = (position - back, quaternion)
                self.stand(poses)
                if not self._overlaps():
                    yield poses
                    break

    def _tangent(self, at: Clearance) -> Array:
        """(3,) of a cable where it is deepest in a part."""
        solver = self.solvers[at.cable]
        k = int(np.clip(np.searchsorted(solver.grid.s, at.place), 1, len(solver.grid.s) - 1))
        chord = np.diff(solver.positions()[k - 1 : k + 1], axis=0)[0]
        return np.asarray(chord / np.linalg.norm(chord))

    @staticmethod
    def _depth(found: list[Clearance]) -> float:
        return max((-k.distance for k in found), default=0.0)

    def _inside(self, points: list[Array]) -> Clearance | None:
        """Where a cable is deepest in a part, if it is in one by more than is allowed: looked at all along it, anew."""
        found = self.surroundings.dips(points, self.bodies, self.depth)
        return self.surroundings.described(found) if found else None

    def _judged(self, system: System, outcome: Settled, reason: str) -> tuple[Settled, str]:
        """The outcome of a solve, looked at anew: converged is only what is in no part, and where its supports are."""
        if outcome.status != newton.CONVERGED:
            return outcome, reason
        points = [k.x for k in system.links]
        inside = self._inside(points)
        wrong = f"{overlap(inside)}, and is not pushed out of it" if inside else self._misplaced(points, system)
        return (replace(outcome, status=newton.OUT_OF_ITERATIONS), wrong) if wrong else (outcome, reason)

    def _travel(self, system: System, goal: list[Pose]) -> tuple[Settled, str]:
        """From where everything was last solved to where it is to be, in steps; back again where that fails."""
        origins = self.origins
        start = snapshot(system, self._slides)
        done, step = 0.0, self._first_step(system, origins, goal)
        still = not any(self._ways(origins, goal)) and not self._turned()  # shorter steps would be the same again
        spent = halvings = steps = 0
        while True:
            part = min(1.0, done + step)
            before = snapshot(system, self._slides)
            outcome, why = self._settled_at(system, origins, goal, part)
            spent += outcome.iterations
            steps += 1
            if outcome.status == newton.CONVERGED:
                done = part
                if done < 1.0:
                    continue
                outcome, why = self._judged(system, replace(outcome, iterations=spent), "")
                if not why and self._meets(start.points, [k.x for k in system.links]):
                    outcome, why = replace(outcome, status=newton.OUT_OF_ITERATIONS), "it meets another cable"
                if why:
                    restore(system, self._slides, start)
                    self.stand(origins)
                return outcome, why
            unfound = f": no equilibrium was found beyond (residual {outcome.residual:.1e})"
            stuck = f": {why}" if why else pressed(system, self.surroundings) or unfound
            restore(system, self._slides, before)
            step, halvings = 0.5 * step, halvings + (2 if why else 1)  # where slides fail several solves have
            if halvings > MOST_HALVINGS or steps > MOST_STEPS or still:
                restore(system, self._slides, start)
                self.stand(origins)
                outcome.iterations = spent
                return outcome, f"no way on after {100 * done:.0f} % of the motion{stuck}"

    def _settled_at(self, system: System, origins: list[Pose], goal: list[Pose], part: float) -> tuple[Settled, str]:
        """Supports and parts at a part of their way, and all at rest there; the supports' own motion passes nothing."""
        before = [k.locate(k.q, k.nu) for k in system.links]
        self._place(system, origins, goal, part)
        if self.surroundings.passing(before, [k.locate(k.q, k.nu) for k in system.links]) <= 1.0:
            return Settled(newton.NO_DESCENT, 0, math.nan, math.nan, 0.0, 0, 0, 0), ""
        return self._settled(system, final=part == 1.0)

    def _settled(self, system: System, final: bool, most: int = MOST_ITERATIONS) -> tuple[Settled, str]:
        """Equilibrium with the sliding supports where nothing drives them; a reason if those do not come to rest."""
        clear = float(system.contacts.gap.min(initial=self.surroundings.margin)) if self._slides.any else 0.0
        tolerance = TOLERANCE if final or self._slides.any else ON_THE_WAY  # places are found by differences
        return self._slides.settle(
            system,
            lambda: settled(system, tolerance, self.depth, most, final),
            max(self._least_step, STEP * clear),
            final,
        )

    def _misplaced(self, points: list[Array], system: System | None) -> str:
        """Which cable is not where a support has it; nothing if none."""
        for number, ((name, solver), x) in enumerate(zip(self.solvers.items(), points, strict=True)):
            for k, (at, support) in enumerate(zip(solver.grid.support_at, solver.supports, strict=True)):
                held = support.position if system is None else system.links[number].held[k]
                if system is not None and (number, k) not in self._on_body:
                    held = support.position
                off = float(np.abs((x[at] - held) * np.array(support.holds)).max())
                if not off <= MISPLACED * solver.line.length:
                    return f"{name} is {1000.0 * off:.3g} mm from where {support.name} holds it"
        return ""

    def _first_step(self, system: System, origins: list[Pose], goal: list[Pose]) -> float:
        """The part of the motion that is short enough to pass nothing unseen."""
        ways = self._ways(origins, goal)
        clear = STEP * float(system.contacts.gap.min(initial=self.surroundings.margin)) if self._system else 0.0
        most = (
            (max(self._least_step, clear), max(ways.parts, ways.carrying)),
            (max(LONG_STEP * self._thick, clear), ways.last),
            (max(self._push, clear), ways.parts),
        )
        return min([1.0, *(step / way for step, way in most if way > 0.0)])

    def _ways(self, origins: list[Pose], goal: list[Pose]) -> Ways:
        parts = carrying = last = 0.0
        for name, solver in self.solvers.items():
            moves = [math.dist(a.position, b.position) for a, b in zip(self._from[name], solver.supports, strict=True)]
            carrying, last = max([carrying, moves[0], *moves[1:-1]]), max(last, moves[-1])
        for obstacle, (x, p), (y, q) in zip(self.surroundings.obstacles, origins, goal, strict=True):
            turn = 2.0 * math.acos(min(1.0, abs(float(p @ q))))
            parts = max(parts, float(np.linalg.norm(y - x)) + turn * obstacle.size)
        return Ways(parts, carrying, last)

    def _turned(self) -> bool:
        """Whether a support is to hold another direction."""
        pairs = (
            (a, b)
            for name, solver in self.solvers.items()
            for a, b in zip(self._from[name], solver.supports, strict=True)
        )
        return any(a.quaternion != b.quaternion for a, b in pairs)

    def _place(self, system: System, origins: list[Pose], goal: list[Pose], part: float) -> None:
        """Supports and parts on their way; those on free bodies stay with them."""
        self.stand([pose_between(a, b, part) for a, b in zip(origins, goal, strict=True)])
        for number, (name, solver) in enumerate(self.solvers.items()):
            link = system.links[number]
            for k, (a, b) in enumerate(zip(self._from[name], solver.supports, strict=True)):
                if (number, k) not in self._on_body and a != b:
                    link.hold(k, b if part == 1.0 else between(a, b, part))

    def stand(self, poses: list[Pose]) -> None:
        free = {part for body in self.bodies for part in body.parts}
        for number, (obstacle, (position, quaternion)) in enumerate(
            zip(self.surroundings.obstacles, poses, strict=True)
        ):
            if number not in free:
                obstacle.stand(position, quaternion)

    # ---- what came of it -----------------------------------------------------------------------------------------

    def _overlaps(self) -> list[Clearance]:
        """Which cable is how deep in which part; the surroundings look that deep from now on."""
        points = [solver.positions() for solver in self.solvers.values()]
        found = [k for k in self.surroundings.clearances(points) if k.distance < -self.depth]
        self.surroundings.margin = max(self.surroundings.margin, 1.5 * self._depth(found))
        return found

    def clearances(self, points: list[Array]) -> list[Clearance]:
        """The nearest place of every cable to every part that it may touch: of what presses, that."""
        return clearances(points, self._touched, self.surroundings)

    def _reports(self, system: System, outcome: Settled, reason: str, began: float) -> dict[str, RodReport]:
        status = "converged"
        if outcome.status != newton.CONVERGED:
            status = "not_converged"
            unfound = f"no equilibrium with its contacts (residual {outcome.residual:.1e})"
            reason = reason or f"{unfound}{pressed(system, self.surroundings)}"
        elif outcome.unstable > 0:
            status, reason = "unstable", f"{outcome.unstable} direction(s) in which the shape would not stay"
        if status != "not_converged":
            self._accept(system)
        if status == "converged" and (self.contacts or self.bodies):
            polished = self._by_core(self._points(), began)
            if polished is not None:
                return polished
        if status == "converged" and not self.contacts and not self.bodies:
            before = snapshot(system, self._slides)
            polished = {name: solver.solve() for name, solver in self.solvers.items()}
            if all(k.ok for k in polished.values()) and self._accept_alone(polished, self._points()):
                return polished
            restore(system, self._slides, before)
            self._accept(system)
        reports = {name: self._report(status, reason, outcome, began) for name in self.solvers}
        if status != "not_converged":
            self.last = reports
        return reports

    @staticmethod
    def _report(status: str, reason: str, outcome: Settled, began: float) -> RodReport:
        return RodReport(
            status=status,
            reason=reason,
            iterations=outcome.iterations,
            residual=outcome.residual,
            length_error=outcome.closure,
            stable=outcome.status == newton.CONVERGED and outcome.unstable == 0,
            index=outcome.unstable,
            neutral=0,
            element="staggered",
            methods=("newton with contacts",),
            warnings=(),
            others=(),
            shortfall=0.0,
            seconds=time.perf_counter() - began,
            penetration=outcome.penetration,
        )

    def _accept(self, system: System) -> None:
        """The state of the system becomes the one that everything was last solved in."""
        self._system = system
        for number, (name, solver) in enumerate(self.solvers.items()):
            link = system.links[number]
            supports = list(solver.supports)
            for body in self.bodies:
                for seat in body.seats:
                    if seat.link == number:
                        held = link.held[seat.support]
                        q = supports[seat.support].quaternion
                        if seat.turn is not None:
                            w, x, y, z = (float(v) for v in link.q[link.site_of(seat.support)])
                            q = (w, x, y, z)
                        position = (float(held[0]), float(held[1]), float(held[2]))
                        supports[seat.support] = supports[seat.support].moved(position, q)
            self._from[name] = retwisted(tuple(supports))
            solver.supports = self._from[name]
            solver.adopt(link.state(self._from[name], system.pushed(number)))
        self.surroundings.commit(system.contacts, [k.x for k in system.links], system.bristle)
        self.goal = [(k.position, k.quaternion) for k in self.surroundings.obstacles]
        self._touched = system.contacts
        self.contacts = described(system.contacts, self.surroundings, self.bodies)
        self.neighbours = self._pairs(system.contacts)
        self._clear = 0.0 if self.contacts else float(system.contacts.gap.min(initial=self.surroundings.margin))


def settled(system: System, tolerance: float, depth: float, most: int = MOST_ITERATIONS, close: bool = True) -> Settled:
    """Where a harness is pulled taut its forces grow without bound, until nothing is left to invert: no equilibrium."""
    try:
        return system.settle(most, tolerance, depth, close)
    except np.linalg.LinAlgError:
        return Settled(newton.NO_DESCENT, 0, math.nan, math.nan, 0.0, 0, 0, 0)


def are_good(reports: dict[str, RodReport]) -> bool:
    """Whether all are of equilibria."""
    return all(k.status in ("converged", "unstable") for k in reports.values())


def turned(direction: Array, axis: Array, angle: float) -> Array:
    """A unit vector across the axis: the direction turned about it [Rodrigues]."""
    across = direction - (direction @ axis) * axis
    across = across / max(float(np.linalg.norm(across)), 1e-12) if angle else direction
    return np.asarray(math.cos(angle) * across + math.sin(angle) * np.cross(axis, across))


def pose_between(a: Pose, b: Pose, part: float) -> Pose:
    """Straight, and by the shortest rotation."""
    if part == 1.0:
        return b
    qa, qb = a[1], b[1] if float(a[1] @ b[1]) >= 0.0 else -b[1]
    angle = math.acos(min(1.0, float(qa @ qb)))
    q = qb if angle < 1e-9 else (math.sin((1 - part) * angle) * qa + math.sin(part * angle) * qb) / math.sin(angle)
    return (1.0 - part) * a[0] + part * b[0], q / np.linalg.norm(q)
