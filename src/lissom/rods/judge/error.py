"""How far a cable as handed out is from the shape that the continuous equations have.

The state handed out after each point is integrated to the next with a rule of sixth order; what it misses there is the
defect of the segment. The defects are carried through the linearised equations with all supports, in one sweep along
the cable and one back: one step of Newton's method for the continuous equations [docs/theory/certificate-error.md].
Nothing of the solvers is used.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import add, apply, rotation, sub
from lissom.kernels import kernel
from lissom.kernels import lean_kernel as lean
from lissom.rods.judge import elimination, flow
from lissom.rods.judge.answer import Answer
from lissom.rods.judge.flow import FREE, H, Scratch, three
from lissom.rods.judge.refinement import (
    AFTER,
    BEFORE,
    FRAME,
    HANDED_OUT,
    PIECE,
    POSITION,
    SAME,
    SHOT,
    STATE,
    Nodes,
    Properties,
    refine,
)
from lissom.rods.line import FRAME as FRAME_HELD
from lissom.rods.line import NO_DIRECTION, TANGENT, Line

Array = NDArray[np.float64]

# Columns of what acts: place, force, moment, and a moment that turns with the frame (in body axes).
ACT_FORCE, ACT_MOMENT, ACT_TURNING, ACT = 1, 4, 7, 10
# Columns of what is held: place, what, direction.
HELD_WHAT, HELD_DIRECTION, HELD = 1, 2, 5
HOLDS_POSITION, HOLDS_TURN = 0.0, 1.0  # along a world direction; about an axis of the frame
NO_PUSHES = np.zeros((0, 7))
AXES = np.eye(3)


class Actions(NamedTuple):
    """What acts on the cable and what holds it, each in order of place; without units."""

    acts: Array  # (acts, ACT)
    holds: Array  # (holds, HELD)


def estimate(line: Line, answer: Answer, pushes: Array = NO_PUSHES, held: Array | None = None) -> float:
    """Estimated largest distance (m) of the points from the continuous equilibrium.

    `pushes` (k, 7): the place along the cable (m), force (N) and normal of each contact; `held` (k,) says which of
    them hold the cable along their normal (all, if not given), the others are mere forces. Sliding supports count as
    fixed where they are, and whether supports are met is not judged here. nan where the equations cannot be written
    down: a piece without bending or torsional stiffness in a cable that is not a rope, or a rope without pull. More
    than about a tenth of the length only says that the grid does not resolve the shape; so does nan on such a grid.
    """
    if not line.is_rope and min(min(p.stiffness) for p in line.pieces) <= 0.0:
        return math.nan
    return judged(prepared(line, answer, pushes, held))


class Stated(NamedTuple):
    """A cable and its answer without units: lengths in L, forces in F, moments in F L."""

    place: Array  # (points,)
    points: Array  # (points, STATE)
    properties: Properties
    actions: Actions
    length: float  # L, m


def prepared(line: Line, answer: Answer, pushes: Array, held: Array | None) -> Stated:
    length, force = line.length, line.force_scale if line.is_rope else line.bending / line.length**2
    chosen = np.ones(len(pushes)) if held is None else np.asarray(held, dtype=np.float64)
    return Stated(
        place=answer.s / length,
        points=states_of(answer, length, force),
        properties=properties_of(line, pushes, force),
        actions=Actions(acts_of(line, pushes, force), holds_of(line, pushes, chosen)),
        length=length,
    )


def judged(stated: Stated) -> float:
    nodes = refine(stated.place, stated.points, stated.properties)
    return stated.length * float(corrected(nodes, stated.actions, stated.properties.rope, flow.scratch()))


def states_of(answer: Answer, length: float, force: float) -> Array:
    """(points, STATE) without units."""
    states = np.empty((len(answer.s), STATE))
    states[:, POSITION:FRAME] = answer.positions
    states[:, POSITION:FRAME] /= length
    states[:, FRAME:BEFORE] = answer.quaternions
    for column, values, unit in (
        (BEFORE, answer.force_before, force),
        (BEFORE + 3, answer.moment_before, force * length),
        (AFTER, answer.force_after, force),
        (AFTER + 3, answer.moment_after, force * length),
    ):
        np.divide(values, unit, out=states[:, column : column + 3])
    return states


def properties_of(line: Line, pushes: Array, force: float) -> Properties:
    length = line.length
    pieces = np.empty((len(line.pieces), PIECE))
    for row, p in zip(pieces, line.pieces, strict=True):
        flexibility = [0.0] * 3 if line.is_rope else [force * length**2 / k for k in p.stiffness]
        weight = [p.mass * g * length / force for g in line.gravity]
        row[:] = (p.end / length, *flexibility, *weight, p.compliance * force)
    knots = line.rest.places / length
    extra = np.sort(np.concatenate([pushes[:, 0] / length, knots]))
    return Properties(pieces, knots, line.rest.strains * length, extra, line.is_rope)


def acts_of(line: Line, pushes: Array, force: float) -> Array:
    """(acts, ACT): loads and pushes, without units."""
    rows = np.zeros((len(line.loads) + len(pushes), ACT))
    for row, load in zip(rows, line.loads, strict=False):
        row[0] = load.place
        row[ACT_FORCE:ACT_MOMENT] = load.force
        at = ACT_TURNING if load.turns else ACT_MOMENT
        row[at : at + 3] = load.moment
    rows[len(line.loads) :, :ACT_MOMENT] = pushes[:, :4]
    rows[:, 0] /= line.length
    rows[:, ACT_FORCE:ACT_MOMENT] /= force
    rows[:, ACT_MOMENT:] /= force * line.length
    return rows[np.argsort(rows[:, 0], kind="stable")]


def holds_of(line: Line, pushes: Array, held: Array) -> Array:
    """(holds, HELD): the directions held by supports and contacts."""
    rows: list[tuple[float, ...]] = []
    for support in line.supports:
        place = support.place / line.length
        rows += [(place, HOLDS_POSITION, *AXES[k]) for k in range(3) if support.holds[k]]
        if support.direction != NO_DIRECTION and not line.is_rope:
            axes = 2 if support.direction == TANGENT else 3
            rows += [(place, HOLDS_TURN, *AXES[k]) for k in range(axes)]
    if line.is_rope:  # a rope has no frame: nothing turns
        rows += [(0.0, HOLDS_TURN, *axis) for axis in AXES]
    elif spins_freely(line):  # the roll it has will do
        rows.append((0.0, HOLDS_TURN, *AXES[2]))
    rows += [(push[0] / line.length, HOLDS_POSITION, *push[4:7]) for push, k in zip(pushes, held, strict=True) if k]
    return np.array(sorted(rows, key=lambda row: row[0])).reshape(-1, HELD)


def spins_freely(line: Line) -> bool:
    """Whether a round cable may spin about its own centre line: any roll is as right as another."""
    round_pieces = all(p.stiffness[0] == p.stiffness[1] for p in line.pieces)
    held = any(support.direction == FRAME_HELD for support in line.supports)
    turning = any(load.turns and any(load.moment) for load in line.loads)
    return round_pieces and not held and not turning and not line.rest.strains[:, :2].any()


@kernel
def corrected(nodes: Nodes, actions: Actions, rope: bool, work: Scratch) -> float:
    """The largest |δx| at the points handed out; nan where there is no answer."""
    count = len(nodes.place)
    shapes = np.empty((count, 3, flow.COLUMNS))
    records = np.empty((count, FREE, flow.COLUMNS))
    y, other = np.zeros(FREE), np.zeros(FREE)
    W = np.empty((flow.ROWS, flow.COLUMNS))
    elimination.begin(W)
    if not forward(nodes, actions, rope, work, W, shapes, records):
        return math.nan
    elimination.close(W, y)
    largest = 0.0
    for k in range(count - 1, -1, -1):
        elimination.back(records, k, y, other)
        if nodes.origin[k] == HANDED_OUT:
            d = elimination.distance(shapes, k, y)
            if not d <= largest:  # nan too
                largest = d
    return largest


@lean
def forward(nodes: Nodes, actions: Actions, rope: bool, work: Scratch, W: Array, shapes: Array, records: Array) -> bool:
    """From the first node to the last: fills what the way back needs, and leaves W beyond the last point."""
    count, act, held = len(nodes.place), 0, 0
    for k in range(count):
        keep(W, 0, shapes, k)
        act = balance(nodes, k, actions.acts, act, rope, W)
        held = hold_all(nodes, k, actions.holds, held, W)
        if k + 1 < count and (not step(nodes, k, rope, work, W) or not elimination.normalise(W)):
            return False
        keep(W, flow.RECORD, records, k)
        elimination.begin_record(W)
    return True


@lean
def keep(W: Array, first: int, to: Array, k: int) -> None:
    for r in range(to.shape[1]):
        for j in range(flow.COLUMNS):
            to[k, r, j] = W[first + r, j]


@lean
def balance(nodes: Nodes, k: int, acts: Array, first: int, rope: bool, W: Array) -> int:
    """The jumps at node k, less what acts there, go into the columns (5)."""
    state = nodes.state
    force = sub(three(state, k, AFTER), three(state, k, BEFORE))
    moment = sub(three(state, k, AFTER + 3), three(state, k, BEFORE + 3))
    turning = (0.0, 0.0, 0.0)
    while first < len(acts) and acts[first, 0] <= nodes.place[k] + SAME:
        R = rotation((state[k, FRAME], state[k, FRAME + 1], state[k, FRAME + 2], state[k, FRAME + 3]))
        force = add(force, three(acts, first, ACT_FORCE))
        moment = add(moment, three(acts, first, ACT_MOMENT))
        turning = add(turning, apply(R, three(acts, first, ACT_TURNING)))
        first += 1
    if rope:
        elimination.jump(W, force, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    else:
        elimination.jump(W, force, add(moment, turning), turning)
    return first


@lean
def hold_all(nodes: Nodes, k: int, holds: Array, first: int, W: Array) -> int:
    """What is held at node k (6)."""
    state = nodes.state
    while first < len(holds) and holds[first, 0] <= nodes.place[k] + SAME:
        direction = three(holds, first, HELD_DIRECTION)
        row = flow.X
        if holds[first, 1] == HOLDS_TURN:
            R = rotation((state[k, FRAME], state[k, FRAME + 1], state[k, FRAME + 2], state[k, FRAME + 3]))
            direction = apply(R, direction)
            row = flow.TURN
        elimination.hold(W, row, direction)
        first += 1
    return first


@lean
def step(nodes: Nodes, k: int, rope: bool, work: Scratch, W: Array) -> bool:
    """The columns from node k to the next, and the defect there (1), (3); False on a rope that nothing pulls."""
    stage, state = work.stage, nodes.state
    for j in range(FRAME + 4):
        stage[0, j] = state[k, j]
    for j in range(6):
        stage[0, 7 + j] = state[k, AFTER + j]
    if rope:
        if not flow.integrate_rope(nodes.segment, k, work):
            return False
        flow.carry_rope(W, work)
    else:
        flow.integrate(nodes.segment, k, work)
        flow.linearise(nodes.segment, k, work)
        flow.carry(W, nodes.segment[k, H], work)
    if nodes.origin[k + 1] == SHOT:
        adopt(nodes, k + 1, stage)
    else:
        flow.add_defect(W, state, k + 1, rope, work)
    return True


@lean
def adopt(nodes: Nodes, k: int, stage: Array) -> None:
    """Node k starts from what the integration has: no defect."""
    for j in range(FRAME + 4):
        nodes.state[k, j] = stage[2, j]
    for j in range(6):
        nodes.state[k, BEFORE + j] = stage[2, 7 + j]
        nodes.state[k, AFTER + j] = stage[2, 7 + j]
