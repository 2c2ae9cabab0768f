"""Are the cables that hang on a part long enough to bring it somewhere, and if not, how long must they be? [GS07 §7]

The part is moved from where it stands through its rest positions to the last one, in steps, every step solved warm and
with contact. Where there is no way on the pose reached is bisected. Then each harness of cables on the part is taken
alone: it goes the same way with more than enough cable, so that it comes along on the right side of things, and at
every rest position the cable is made shorter, warm, until there is no equilibrium any more; the last step is bisected.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.posing import as_quaternion, from_matrix, vector
from lissom.reports import Report, error_reason
from lissom.rods import routing
from lissom.rods.line import Support
from lissom.rods.outcome import between
from lissom.routing import free_supports
from lissom.scene import Problem, Scene, SceneError
from lissom.scene.errors import ABSENT
from lissom.scene.pose import Pose
from lissom.scene.posetext import parse_pose
from lissom.simulation import Simulation
from lissom.verbs import is_of_caller

Tell = Callable[[str], object]
PoseLike = str | Sequence[float] | tuple[Sequence[float], Sequence[float]] | NDArray[np.float64]

# A leg is gone in so many steps at least, and none longer than this part of the shortest cable on the part.
LEAST_STEPS = 8
LONGEST_STEP = 0.1
# Where the way ends is found to this part of the leg; and where cables may touch things, which takes longer.
FINEST, FINEST_TOUCHING = 1e-4, 1e-2
# Lengths are bisected to this part of the length, likewise; a cable gets shorter by no more than a step at a time.
PRECISION, PRECISION_TOUCHING = 1e-6, 5e-4
SHORTER = 0.05
# More than the straight way by this is tried first: a cable that touches nothing needs no more.
A_LITTLE = 2e-6
# More than enough: the straight way, and these parts of the way of the part and of the length; doubled so often.
AMPLE_WAY, AMPLE_LENGTH, MOST_DOUBLINGS = 0.25, 0.05, 5


@dataclass(frozen=True, slots=True)
class Stop:
    """A rest position, and whether the part gets there with the cables as they are."""

    position: tuple[float, float, float]  # m
    quaternion: tuple[float, float, float, float]
    reached: bool


@dataclass(frozen=True, slots=True)
class Need:
    """The least length of a cable with which the part gets to all its rest positions, the other cables as they are."""

    cable: str
    length: float  # m, as it is
    least: float  # m
    instead_of: tuple[str, ...]  # cables of the same harness that could be longer instead

    @property
    def shortfall(self) -> float:
        """m."""
        return max(self.least - self.length, 0.0)


@dataclass(frozen=True, slots=True)
class Reach:
    """The answer."""

    part: str
    reached: bool
    certified: bool  # False: something else than a length is in the way, and `reason` says what
    reason: str
    stops: tuple[Stop, ...]
    leg: int  # the stop that was last headed for, from 0
    done: float  # of the way to it, 0 to 1
    position: tuple[float, float, float]  # m: the pose reached
    quaternion: tuple[float, float, float, float]
    short: tuple[str, ...]  # cables that are too short
    needs: tuple[Need, ...]  # of those, if lengths are what it takes
    scene: Scene  # with the part at the pose reached


@dataclass(frozen=True, slots=True)
class Trip:
    """How far a journey went."""

    leg: int
    done: float
    pose: Pose
    report: Report  # the one at which it ended

    @property
    def arrived(self) -> bool:
        return self.done == 1.0


def reach(
    scene: Scene,
    part: str,
    to: PoseLike,
    *,
    via: Sequence[PoseLike] = (),
    pull: float | None = None,
    tell: Tell | None = None,
) -> Reach:
    """Whether the part can be brought to a pose in the world, by way of others at which it rests.

    A pose is a position (its orientation stays as it is), a position with a quaternion, a 4×4 matrix, or a text such
    as "120 mm, 0, 80 mm; tangent 0, 0, 1". A cable also counts as too short where it pulls harder than `pull` (N).
    `tell` hears what is being done.
    """
    say = tell or (lambda text: None)
    groups = harnesses(scene, part)
    simulation = Simulation(scene)
    here = simulation.pose(part)
    stops = poses((*via, to), here)
    say("solving the scene as it stands")
    report = simulation.solve()
    if not report.ok and report.status != "infeasible":
        return unknown(part, here, stops, scene, f"the scene as it stands is {report.status}: {report.reason}")
    try:
        return _found(simulation, part, groups, stops, pull, say)
    except Exception as broken:
        if is_of_caller(broken):
            raise
        return unknown(part, here, stops, scene, error_reason(broken))


def _found(
    simulation: Simulation, part: str, groups: list[list[str]], stops: Sequence[Pose], pull: float | None, say: Tell
) -> Reach:
    """The answer, from a scene that is solved as it stands."""
    scene = simulation.scene
    finest = FINEST_TOUCHING if simulation.looks_for_contact else FINEST
    trip = journey(simulation, part, stops, pull, finest, lambda text: say(f"moving {part}: {text}"))
    if trip.arrived:
        return answer(part, stops, trip, simulation, (), "")
    needs: list[Need] = []
    stuck: list[str] = []
    for group in groups:
        alone = scene.with_only(group)
        rest = Simulation(alone)
        if rest.solve().ok and len(groups) > 1 and journey(rest.copy(), part, stops, pull, 1.0).arrived:
            continue
        found = least_lengths(rest, part, stops, pull, group, say)
        needs += found
        if not found:
            stuck += group
    if stuck or not needs:
        which = ", ".join(stuck) or "the cables together"
        reason = f"no length brings {part} there: {which} cannot follow ({trip.report.reason})"
        return answer(part, stops, trip, simulation, (), reason)
    reason = trip.report.reason or f"beyond the pose reached a cable pulls harder than {pull:g} N"
    return answer(part, stops, trip, simulation, tuple(needs), reason)


def poses(given: Sequence[PoseLike], here: Pose) -> tuple[Pose, ...]:
    """In full: where no orientation is said, that of the pose before."""
    found: list[Pose] = []
    turn = here[1]
    for value in given:
        if isinstance(value, str):
            pose = parse_pose(value, turn)
        elif len(value) == 4:
            pose = from_matrix(np.asarray(value, dtype=float))
        elif len(value) == 2:
            pose = vector(np.asarray(value[0], dtype=float)), as_quaternion(np.asarray(value[1]).tolist())
        else:
            pose = vector(np.asarray(value, dtype=float)), turn
        turn = pose[1]
        found.append(pose)
    return tuple(found)


def answer(
    part: str, stops: Sequence[Pose], trip: Trip, simulation: Simulation, needs: tuple[Need, ...], reason: str
) -> Reach:
    seen = tuple(Stop(*pose, k < trip.leg or trip.arrived) for k, pose in enumerate(stops))
    short = tuple(need.cable for need in needs)
    certified = trip.arrived or bool(needs)
    return Reach(
        part, trip.arrived, certified, reason, seen, trip.leg, trip.done, *trip.pose, short, needs, simulation.scene
    )


def unknown(part: str, here: Pose, stops: Sequence[Pose], scene: Scene, reason: str) -> Reach:
    """Without an equilibrium to begin with nothing can be said."""
    seen = tuple(Stop(*pose, False) for pose in stops)
    return Reach(part, False, False, reason, seen, 0, 0.0, *here, (), (), scene)


# ---- what hangs on the part --------------------------------------------------------------------------------------


def harnesses(scene: Scene, part: str) -> list[list[str]]:
    """The cables on the part and on what moves with it, each with all that is joined to it."""
    if scene.part(part).motion == "free":
        message = 'finds its own place: only a part that is held can be brought somewhere; give it motion = "held"'
        raise SceneError([Problem(f"{part}/motion", "free", message)])
    along = carried_along(scene, part)
    on_part = [
        cable.name
        for cable in scene.cables
        if any(held is not None and held.on in along for held in (cable.start, cable.end, *cable.clips))
    ]
    if not on_part:
        raise SceneError([Problem(part, ABSENT, "no cable hangs on it: give an end or a clip on = its name")])
    groups: list[list[str]] = []
    for name in on_part:
        if any(name in group for group in groups):
            continue
        group = {name}
        while True:
            joined = {m.cable for k in scene.junctions if any(m.cable in group for m in k.members) for m in k.members}
            if joined <= group:
                break
            group |= joined
        groups.append([cable.name for cable in scene.cables if cable.name in group])
    for name in (k for group in groups for k in group):
        if scene.cable(name).model == "kinematic":
            message = 'must be "rod" where lengths are asked for: a kinematic cable is only near the true shape'
            raise SceneError([Problem(f"{name}/model", "kinematic", message)])
    return groups


def carried_along(scene: Scene, part: str) -> set[str]:
    """The part and everything whose parents lead to it."""
    along = {part}
    while True:
        more = {k.name for k in scene.parts if k.parent in along} - along
        if not more:
            return along
        along |= more


def moving_spans(simulation: Simulation, part: str, name: str) -> list[routing.Span]:
    """The spans whose two supports move against each other: only there more length helps."""
    scene = simulation.scene
    cable = scene.cable(name)
    along = carried_along(scene, part)
    body = {key: "moving" for key, k in cable.held.items() if k is not None and k.on in along}
    for junction in scene.junctions:
        for member in junction.members:
            if member.cable == name and junction.motion == "free":
                body[member.end(cable.length) or junction.name] = junction.name
    supports = simulation.supports(name)
    return [k for k in routing.spans(supports) if body.get(supports[k.before].name) != body.get(supports[k.after].name)]


# ---- moving ------------------------------------------------------------------------------------------------------


def journey(
    simulation: Simulation,
    part: str,
    stops: Sequence[Pose],
    pull: float | None,
    finest: float,
    tell: Tell | None = None,
) -> Trip:
    """Moves the part from stop to stop, as far as its cables follow; it stands at the last good pose then."""
    here = simulation.pose(part)
    report = simulation.solve()
    if not follows(simulation, report, pull):
        return Trip(0, 0.0, here, report)
    shortest = min(simulation._cables.solver(name).line.length for name in simulation.cables)
    for leg, goal in enumerate(stops):
        way = float(np.linalg.norm(np.subtract(goal[0], here[0])))
        done, step = 0.0, 1.0 / max(LEAST_STEPS, int(np.ceil(way / (LONGEST_STEP * shortest))))
        while done < 1.0:
            part_of_way = min(1.0, done + step)
            pose = pose_between(here, goal, part_of_way)
            simulation.move(part, position=pose[0], quaternion=pose[1])
            report = simulation.solve()
            if follows(simulation, report, pull):
                done = part_of_way
                if tell is not None:
                    tell(f"{100 * done:.0f} % of the way to stop {leg + 1} of {len(stops)}")
                continue
            step = 0.5 * (part_of_way - done)
            if step < finest or finest == 1.0:
                pose = pose_between(here, goal, done)
                simulation.move(part, position=pose[0], quaternion=pose[1])
                simulation.solve()
                return Trip(leg, done, pose, report)
        here = goal
    return Trip(len(stops) - 1, 1.0, here, report)


def follows(simulation: Simulation, report: Report, pull: float | None) -> bool:
    """Whether there is a certified equilibrium, and nothing pulls too hard."""
    if not report.ok:
        return False
    return pull is None or all(float(simulation.cable(k).tension.max()) <= pull for k in simulation.cables)


def pose_between(a: Pose, b: Pose, part: float) -> Pose:
    """Straight, and by the shortest rotation."""
    if part == 1.0:
        return b
    found = between(
        Support("", "clamp", 0.0, a[0], quaternion=a[1]), Support("", "clamp", 0.0, b[0], quaternion=b[1]), part
    )
    return found.position, found.quaternion


# ---- how long ----------------------------------------------------------------------------------------------------


def least_lengths(
    rest: Simulation, part: str, stops: Sequence[Pose], pull: float | None, group: list[str], say: Tell
) -> list[Need]:
    """For each cable of a harness, how long it must be if it alone gets longer; empty if none helps."""
    found: dict[str, float] = {}
    for name in group:
        by = least_growth(rest, part, stops, pull, name, say)
        if by is not None:
            found[name] = rest._cables.solver(name).line.length + by
    return [
        Need(name, rest._cables.solver(name).line.length, least, tuple(k for k in found if k != name))
        for name, least in found.items()
    ]


def least_growth(
    rest: Simulation, part: str, stops: Sequence[Pose], pull: float | None, name: str, say: Tell
) -> float | None:
    """m by which a cable must be longer at least; None if no length helps.

    Span by span: while one is made shorter, the others of the cable have more than enough.
    """
    solver = rest._cables.solver(name)
    names = [(solver.supports[k.before].name, solver.supports[k.after].name) for k in moving_spans(rest, part, name)]
    if not names:
        return None
    length = solver.line.length
    legs = itertools.pairwise([rest.pose(part), *stops])
    way = sum(float(np.linalg.norm(np.subtract(b[0], a[0]))) for a, b in legs)
    least = taut_growth(rest, part, stops, name)
    if least is None:
        return None
    straight = np.array([straight_growth(rest, part, stops, name, ends) for ends in names])
    if len(names) == 1:
        straight[0] = max(straight[0], least)
    more = AMPLE_WAY * way + AMPLE_LENGTH * length
    for _ in range(MOST_DOUBLINGS):
        ample = straight + more
        say(f"how long must {name} be: {1000 * (length + ample.sum()):.2f} mm?")
        resting = rests_with(rest, part, stops, pull, name, names, ample)
        if resting:
            break
        more *= 2.0
    else:
        return None
    precision = (PRECISION_TOUCHING if rest.looks_for_contact else PRECISION) * length
    total = 0.0
    for ends, by, least in zip(names, ample, straight, strict=True):
        first = least + A_LITTLE * length
        total += shortened(resting, name, ends, float(by), float(first), pull, precision, length, say)
    return total


def rests_with(
    rest: Simulation,
    part: str,
    stops: Sequence[Pose],
    pull: float | None,
    name: str,
    names: list[tuple[str, str]],
    growth: NDArray[np.float64],
) -> list[Simulation]:
    """The harness at each of its rest positions with a cable so much longer; empty if it does not get to all."""
    trial = rest.copy()
    for by, ends in zip(growth, names, strict=True):
        trial.lengthen(name, by=float(by), between=ends)
    found: list[Simulation] = []
    for stop in stops:
        if not journey(trial, part, [stop], pull, 1.0).arrived:
            return []
        found.append(trial.copy())
    return found


def shortened(
    resting: list[Simulation],
    name: str,
    ends: tuple[str, str],
    high: float,
    first: float,
    pull: float | None,
    precision: float,
    length: float,
    say: Tell,
) -> float:
    """The least growth of a span with which all rest positions still hold; `first` is the least it can be."""
    low = 0.0 if first <= A_LITTLE * length else first - A_LITTLE * length
    touching = resting[0].looks_for_contact

    def holds(growth: float) -> bool:
        trials = [k.copy() for k in resting]
        for trial in trials:
            trial.lengthen(name, by=growth - high, between=ends)
            if not follows(trial, trial.solve(), pull):
                return False
        resting[:] = trials
        return True

    if not touching and pull is None and holds(first):
        return first
    while high - low > precision:
        growth = max(0.5 * (low + high), high - SHORTER * length)
        say(f"how long must {name} be: between {1000 * (length + low):.2f} and {1000 * (length + high):.2f} mm")
        if holds(growth):
            high = growth
        else:
            low = growth
    return high


def taut_growth(rest: Simulation, part: str, stops: Sequence[Pose], name: str) -> float | None:
    """m by which a cable must be longer at least for a taut harness to reach; None if no length of it helps.

    Between any two supports that are held there must be as much cable, along the shortest way through the harness, as
    they are apart.
    """
    moved = rest.copy()
    least = 0.0
    for position, quaternion in stops:
        moved.move(part, position=position, quaternion=quaternion)
        where, edges = net(moved)
        with_it = shortest_ways(where, edges, None)
        without = shortest_ways(where, edges, name)
        for (a, x), (b, y) in itertools.combinations([(k, x) for k, x in where.items() if x is not None], 2):
            apart = float(np.linalg.norm(np.subtract(x, y)))
            if without.get((a, b), np.inf) < apart * (1.0 - PRECISION):
                return None
            least = max(least, apart - with_it.get((a, b), np.inf))
    return least


Nodes = dict[tuple[str, str], tuple[float, float, float] | None]  # where a support holds; None: it follows
Edges = list[tuple[tuple[str, str], tuple[str, str], float, str]]  # two nodes, the cable between them in m, its name


def net(simulation: Simulation) -> tuple[Nodes, Edges]:
    """The harness as nodes, supports or free junctions, and the lengths of cable between them."""
    scene = simulation.scene
    joint: dict[tuple[str, str], tuple[str, str]] = {}
    aside: dict[tuple[str, str], float] = {}  # m: how far from the junction's origin a cable sits
    for junction in scene.junctions:
        for member in junction.members:
            if junction.motion == "free":
                end = member.end(scene.cable(member.cable).length) or junction.name
                joint[member.cable, end] = ("", junction.name)
                aside[member.cable, end] = float(np.linalg.norm(member.position))
    where: Nodes = {}
    edges: Edges = []
    for name in simulation.cables:
        solver = simulation._cables.solver(name)
        loose = free_supports(simulation, name)
        nodes: list[tuple[str, str]] = []
        for number, support in enumerate(solver.supports):
            node = joint.get((name, support.name), (name, support.name))
            held = number not in loose and all(support.holds) and node[0] != ""
            where[node] = support.position if held else None
            nodes.append(node)
        if solver.line.is_extensible:
            edges += [(a, b, np.inf, name) for a, b in itertools.pairwise(nodes)]
            continue
        for (a, b), (first, last) in zip(itertools.pairwise(nodes), itertools.pairwise(solver.supports), strict=True):
            # through a slide the cable may run: only what is between fixed supports is known
            more = aside.get((name, first.name), 0.0) + aside.get((name, last.name), 0.0)
            edges.append((a, b, np.inf if first.slides or last.slides else last.place - first.place + more, name))
    return where, edges


def shortest_ways(
    where: Nodes, edges: Edges, without: str | None
) -> dict[tuple[tuple[str, str], tuple[str, str]], float]:
    """m of cable between all pairs of nodes, by the shortest way; a cable may be taken as endless."""
    ways = {(a, a): 0.0 for a in where}
    for a, b, length, name in edges:
        if name != without:
            ways[a, b] = ways[b, a] = min(length, ways.get((a, b), np.inf))
    for middle, a, b in itertools.product(where, where, where):  # Floyd and Warshall
        through = ways.get((a, middle), np.inf) + ways.get((middle, b), np.inf)
        if through < ways.get((a, b), np.inf):
            ways[a, b] = through
    return ways


def straight_growth(rest: Simulation, part: str, stops: Sequence[Pose], name: str, ends: tuple[str, str]) -> float:
    """By how much the straight way between two supports is longer, at its longest stop, than the cable there, m.

    Nothing is known where one of them is free to follow.
    """
    moved = rest.copy()
    worst = 0.0
    loose = free_supports(rest, name)
    if any(rest._cables.support_number(name, end) in loose for end in ends):
        return worst
    for position, quaternion in stops:
        moved.move(part, position=position, quaternion=quaternion)
        supports = {k.name: number for number, k in enumerate(moved.supports(name))}
        for span in routing.spans(moved.supports(name)):
            if (span.before, span.after) == (supports[ends[0]], supports[ends[1]]):
                worst = max(worst, span.way - span.length)
    return worst
