"""What the core knows of cables, what it changes, and what it works in.

Nodes are the points of all cables, one cable after the other; segment i lies between the nodes i and i + 1 of one
cable. A *branch* is a part of a cable between two places at which it ends or sits on a hub; a *hub* is a rigid thing
that finds its own place: a junction, a free part. Branches are swept towards the root of their tree, from leaves
inwards: each has a start, at a free or held end or on the hub before it, and an end, on the hub beyond or at the root.
Branches and hubs form trees.

b: branch, h: hub, i: node or segment, j: place along a branch as it is swept, k: rows of all branches in turn.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.lookup import Stack, new_stack
from lissom.kernels import inline
from lissom.rods.core.things import Things

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

RECORD = 54  # numbers of an element: see `residuals.py`
MOST_SAMPLES = 8  # to a segment
MOST_TERMS = 48  # that one segment may have
BLOCK = 16  # segments to a box
MOST_NEAR = 16  # places of one cable that are near one node
TERMS = 4  # that a place may have: it presses, what it lies on is curved about two axes, it runs along the cable


class Seats(NamedTuple):
    """Where branches sit on hubs; one for their starts, one for their ends."""

    hub: Indices  # (b,) −1: on none
    direction: Indices  # (b,) 0: none is held, 1: the tangent, 2: the frame
    offset: Array  # (b, 3) m, in the axes of the hub
    turn: Array  # (b, 4) the frame of the cable in the axes of the hub
    loaded: Array  # (b,) 1 where the load of that node counts for this branch, 0 where for the other that sits there


class Cables(NamedTuple):
    """Cables as things that touch. c: cable."""

    first: Indices  # (c,) nodes of a cable
    last: Indices  # (c,)
    radius: Array  # (c,) m
    sight: Array  # (c,) m: so far from the centre line parts are seen
    to_held: Array  # (i,) m along the cable to the nearest point that cannot give way
    row: Indices  # (i,) row of a segment
    ahead: Indices  # (i,) 1 where it is swept along the cable
    samples: Indices  # (c,) places at which a segment is looked at
    span: Array  # (c,) m: length
    step: Array  # (c,) m: of the first segment
    depth: float  # m: how deep a cable may be
    touch: Indices  # cables that touch each other, and themselves
    apart: Array  # (c,) m: places of one cable no farther apart along it do not touch
    beside: Array  # (i,) m along the cable to the nearest support
    band: float  # m: cables are seen by each other from so far, skin to skin


class Among(NamedTuple):
    """What cables may touch. m: pair of a cable and a part that it may touch."""

    things: Things
    cable: Indices  # (m,)
    part: Indices  # (m,) of `things`
    flag: Indices  # (m, node of its cable) 1 where it may touch that part
    cables: Cables


class Model(NamedTuple):
    """Does not change while the core solves."""

    h: Array  # (i,) m; 0 for the last node of a cable
    stiffness: Array  # (i, 3) N m²
    rest: Array  # (i, 3) 1/m
    slope: Array  # (i, 3) 1/m²
    weight: Array  # (i, 3) N/m
    load: Array  # (i, 3) N: loads, and half the weight of both segments
    holds: Array  # (i, 3) 1 along world axes in which a support holds the node, else 0
    turns: Array  # (i, 3) 1 where the node may turn about its d1, d2, d3, else 0
    first: Indices  # (b,) its first and
    last: Indices  # (b,) last node along the cable
    sense: Array  # (b,) 1: swept along the cable, −1: against it
    row: Indices  # (b,) its first row
    start: Seats
    end: Seats
    hub_weight: Array  # (h, 3) N
    hub_centre: Array  # (h, 3) m, in its axes: where that acts
    arrivals: Indices  # (h,) branches that end on it
    root: Indices  # (h,) 1 where nothing leads on from the hub, else 0
    tree: Indices  # (trees + 1,) the first branch of each tree
    hub_tree: Indices  # (h,)
    branch_tree: Indices  # (b,)
    branch_of: Indices  # (i,) of a segment
    force: float  # N: the scale of forces, max(B/L², wL, loads)
    length: float  # m: of the longest cable
    soft: float  # N m: the least stiffness that matters, B h/L²
    block: float  # N m: the largest, B/h
    among: Among
    anchor: float  # N/m: so weakly free ends are held where they are, on the way
    give: float  # m/N: so little held nodes give way: a straight span has no flexibility along itself
    yielding: float  # m/N: how much a segment gives way, h³/B


class Pressed(NamedTuple):
    """Places at which cables press on parts, or did. c: place."""

    total: Indices  # (1,)
    pair: Indices  # (c,) of `Among`
    at: Array  # (c,) node + part of the segment after it
    force: Array  # (c,) N along the normal, on the cable
    normal: Array  # (c, 3) from the part to the cable
    ran: Indices  # (c,) 1 where the place ran along the cable


class Met(NamedTuple):
    """Places at which cables press on each other, or did. c: place."""

    total: Indices  # (1,)
    at: Array  # (c, 2) node + part of the segment after it, of either cable
    force: Array  # (c,) N along the normal, on the first
    normal: Array  # (c, 3) from the second to the first
    ran: Indices  # (c,) 1 where both places ran


class State(NamedTuple):
    """What goes on from one solve to the next."""

    q: Array  # (i, 4) frames
    x: Array  # (i, 3) m
    n: Array  # (i, 3) N: internal force in the middle of a segment
    y: Array  # (h, 3) m: origin of a hub
    p: Array  # (h, 4) its axes
    pressed: Pressed
    met: Met


class Places(NamedTuple):
    """Places of cables near parts, as `places.find` leaves them. c: place."""

    total: Indices  # (1,) −1: there are more than there is room for
    pair: Indices  # (c,)
    segment: Indices  # (c,) its node before
    t: Array  # (c,) part of the segment
    distance: Array  # (c,) m, of the centre line
    normal: Array  # (c, 3)
    curvature: Array  # (c, 9) second derivative of the distance, 1/m
    runs: Indices  # (c,) 1 where it is a place of least distance, wherever that is
    bend: Array  # (c,) m: second derivative of the gap along the cable, by t, where it runs
    along: Array  # (c, 3) m: dx/dt
    give: Array  # (c,) m/N: by how much the segment itself gives way there
    give_slope: Array  # (c,) m/N: half its change, by t
    force: Array  # (c,) N
    wanted: Array  # (c,) N: after the step
    on: Indices  # (c,) 1 where the step has it press


class Curves(NamedTuple):
    """Cables as curves: what kernels need of a model and a state that ask for places, and no more. A kernel that is
    handed a hundred arrays takes seconds to compile, however short it is.
    """

    q: Array
    x: Array
    h: Array
    stiffness: Array
    weight: Array


class Meets(NamedTuple):
    """Places of cables near cables, as `meets.find` leaves them. c: place; of two, the second is what it lies on."""

    total: Indices  # (1,) −1: there are more than there is room for
    cable: Indices  # (c, 2)
    segment: Indices  # (c, 2) the nodes before
    t: Array  # (c, 2) parts of the segments
    distance: Array  # (c,) m, of the centre lines
    normal: Array  # (c, 3) from the second to the first
    runs: Indices  # (c, 2) 1 where the place is wherever the distance is least
    along: Array  # (c, 6) m: dx/dt of both
    bend: Array  # (c, 3) m: second derivatives of the gap by both
    act: Array  # (c, 24) along the normal: v, w, v', w' at the nodes of both segments
    give: Array  # (c,) m/N: by how much the segments themselves give way there
    give_second: Array  # (c,) m/N: that of the second
    give_slope: Array  # (c, 2) m/N: half its change
    force: Array  # (c,) N
    wanted: Array  # (c,) N: after the step
    on: Indices  # (c,) 1 where the step has it press


class Columns(NamedTuple):
    """Scalars that act on two segments of any cables [border.py]. j: column."""

    total: Indices  # (1,)
    place: Indices  # (j,) what it belongs to
    kind: Indices  # (j,) 0: presses, 1: bends
    act: Array  # (j, 24) v, w, v', w' at the nodes of both segments, as they are swept
    give: Array  # (j,) m/N
    q: Array  # (j,) N
    still: Array  # (j, 2) m: by how much both segments move along it without any
    response: Array  # (j, j) m/N: by how much it moves along itself under a unit of another
    matrix: Array  # (j, j) what is solved
    pivot: Indices  # (j,) of its factors
    line: Array  # (j, 2)
    right: Array  # (j,)
    scale: Array  # (j,)
    chosen: Indices  # (j,)
    basis: Array  # (4, 24) ways in which two places move
    curve: Array  # (9, 5) how the distance is curved in them
    kept_node: Array  # (2, k, 9) right sides of nodes, without what presses and with it
    kept_hub: Array  # (2, h, 6) of hubs


class Terms(NamedTuple):
    """Scalars of segments [carried.py]. j: term, k: row, a: term of one segment."""

    total: Indices  # (1,)
    head: Indices  # (k,) the first of a segment, −1: none
    touched: Indices  # (k,) 1 where the segment or its node before have anything of contacts
    next: Indices  # (j,)
    place: Indices  # (j,) what it belongs to
    kind: Indices  # (j,) 0: presses, 1 and 2: curvature, 3: runs
    act: Array  # (j, 12) v, w at the node before, v', w' at the node after
    give: Array  # (j,) m/N
    linear: Array  # (j,) m
    partner: Indices  # (j,) the term that it is tied to, −1: none
    cross: Array  # (j,) m/N: by this
    negative: Indices  # (j,) 1 where its pivot is negative by kind
    on: Indices  # (j,) 1 where it counts
    q: Array  # (j,) N
    left: Array  # (j, 10) what eliminating left: A b; b, e, y over d
    ties: Array  # (j, MOST_TERMS)
    goes: Array  # (MOST_TERMS, 7) b, e, y of those of the segment at hand
    own: Array  # (MOST_TERMS, MOST_TERMS) their d
    row: Indices  # (MOST_TERMS,) which these are


class Work(NamedTuple):
    """Written by `residuals.assemble` (to hub_load), `factor.factor` (to visits) and `factor.back`."""

    element: Array  # (k, 54)
    r: Array  # (k, 3) N: force that is missing at a node, along the sweep
    hub_moment: Array  # (h, 9) gradient (3) and Hessian (6) of what hubs carry at a lever, in their axes, N m
    hub_load: Array  # (h, 3) N: force that is missing at a hub
    store: Array  # (k, 21)
    held: Array  # (k, 3, 7) what holding a node along an axis left: b/d, c/d, y/d
    seat: Array  # (b, 2, 21) what freeing a frame from its hub left, at the start and at the end
    front: Array  # (h, 27)
    merged: Array  # (b, 24)
    visits: Indices  # (h,) branches that have arrived
    phi: Array  # (k, 3) rad
    u: Array  # (k, 3) N: change of the force in the segment after a row, along the sweep
    dx: Array  # (k, 3) m
    hub_phi: Array  # (h, 3) rad, in its axes
    hub_u: Array  # (h, 3) N: what arrives at it in all
    hub_dy: Array  # (h, 3) m
    begin_u: Array  # (b, 3) N: what acts on the first node of a branch, with what terms exert there
    places: Places
    terms: Terms
    meets: Meets
    columns: Columns
    box: Array  # (blocks, 6) lowest and highest corners of stretches of cables
    candidates: Array  # (2, MOST_NEAR, 2) of a node and the one before: place on the other cable, slope of the distance
    touch_force: Array  # (k, 3) N: what contacts exert at a node
    touch_moment: Array  # (k, 3) N m, in its axes
    touch_own: Array  # (k, 6) N m: what they add to its stiffness against turning
    inside: Indices  # (i,) 1 where a node is held inside the part at hand
    sampled: Array  # (samples, 7) distance (m), place (m) and normal of the samples of one pair
    before_q: Array  # (i, 4) frames before the solve
    before_x: Array  # (i, 3) m
    stack: Stack


@inline
def curves_of(model: Model, state: State) -> Curves:
    return Curves(state.q, state.x, model.h, model.stiffness, model.weight)


def new_work(model: Model, room: int = 64, columns: int = 64) -> Work:
    """`room`: for places of contact; columns: for what acts between cables."""
    rows = int(np.sum(model.last - model.first + 1))
    branches, hubs, nodes = len(model.first), len(model.hub_weight), len(model.h)
    cables = model.among.cables
    longest = int((cables.last - cables.first).max(initial=0))
    return Work(
        element=np.zeros((rows, RECORD)),
        r=np.zeros((rows, 3)),
        hub_moment=np.zeros((hubs, 9)),
        hub_load=np.zeros((hubs, 3)),
        store=np.zeros((rows, 21)),
        held=np.zeros((rows, 3, 7)),
        seat=np.zeros((branches, 2, 21)),
        front=np.zeros((hubs, 27)),
        merged=np.zeros((branches, 24)),
        visits=np.zeros(hubs, dtype=np.int64),
        phi=np.zeros((rows, 3)),
        u=np.zeros((rows, 3)),
        dx=np.zeros((rows, 3)),
        hub_phi=np.zeros((hubs, 3)),
        hub_u=np.zeros((hubs, 3)),
        hub_dy=np.zeros((hubs, 3)),
        begin_u=np.zeros((branches, 3)),
        places=new_places(room),
        terms=new_terms(rows, TERMS * room),
        meets=new_meets(room),
        columns=new_columns(rows, hubs, columns),
        box=np.zeros((nodes // BLOCK + len(cables.first) + 1, 6)),
        candidates=np.zeros((2, MOST_NEAR + 1, 2)),
        touch_force=np.zeros((rows, 3)),
        touch_moment=np.zeros((rows, 3)),
        touch_own=np.zeros((rows, 6)),
        inside=np.zeros(nodes, dtype=np.int64),
        sampled=np.zeros((MOST_SAMPLES * longest + 1, 7)),
        before_q=np.zeros((nodes, 4)),
        before_x=np.zeros((nodes, 3)),
        stack=new_stack(),
    )


def new_pressed(room: int) -> Pressed:
    one, number = np.zeros(1, np.int64), np.zeros(room, np.int64)
    return Pressed(one, number, np.zeros(room), np.zeros(room), np.zeros((room, 3)), np.zeros_like(number))


def new_met(room: int) -> Met:
    return Met(
        np.zeros(1, np.int64), np.zeros((room, 2)), np.zeros(room), np.zeros((room, 3)), np.zeros(room, np.int64)
    )


def new_meets(room: int) -> Meets:
    return Meets(
        total=np.zeros(1, np.int64),
        cable=np.zeros((room, 2), np.int64),
        segment=np.zeros((room, 2), np.int64),
        t=np.zeros((room, 2)),
        distance=np.zeros(room),
        normal=np.zeros((room, 3)),
        runs=np.zeros((room, 2), np.int64),
        along=np.zeros((room, 6)),
        bend=np.zeros((room, 3)),
        act=np.zeros((room, 24)),
        give=np.zeros(room),
        give_second=np.zeros(room),
        give_slope=np.zeros((room, 2)),
        force=np.zeros(room),
        wanted=np.zeros(room),
        on=np.zeros(room, np.int64),
    )


def new_columns(rows: int, hubs: int, room: int) -> Columns:
    return Columns(
        total=np.zeros(1, np.int64),
        place=np.zeros(room, np.int64),
        kind=np.zeros(room, np.int64),
        act=np.zeros((room, 24)),
        give=np.zeros(room),
        q=np.zeros(room),
        still=np.zeros((room, 2)),
        response=np.zeros((room, room)),
        matrix=np.zeros((room, room)),
        pivot=np.zeros(room, np.int64),
        line=np.zeros((room, 2)),
        right=np.zeros(room),
        scale=np.zeros(room),
        chosen=np.zeros(room, np.int64),
        basis=np.zeros((4, 24)),
        curve=np.zeros((9, 5)),
        kept_node=np.zeros((2, rows, 9)),
        kept_hub=np.zeros((2, hubs, 6)),
    )


def new_places(room: int) -> Places:
    def numbers() -> Indices:
        return np.zeros(room, np.int64)

    def values() -> Array:
        return np.zeros(room)

    return Places(
        total=np.zeros(1, np.int64),
        pair=numbers(),
        segment=numbers(),
        t=values(),
        distance=values(),
        normal=np.zeros((room, 3)),
        curvature=np.zeros((room, 9)),
        runs=numbers(),
        bend=values(),
        along=np.zeros((room, 3)),
        give=values(),
        give_slope=values(),
        force=values(),
        wanted=values(),
        on=numbers(),
    )


def new_terms(rows: int, room: int) -> Terms:
    def numbers(count: int) -> Indices:
        return np.zeros(count, np.int64)

    return Terms(
        total=numbers(1),
        head=np.full(rows, -1, np.int64),
        touched=numbers(rows),
        next=numbers(room),
        place=numbers(room),
        kind=numbers(room),
        act=np.zeros((room, 12)),
        give=np.zeros(room),
        linear=np.zeros(room),
        partner=numbers(room),
        cross=np.zeros(room),
        negative=numbers(room),
        on=numbers(room),
        q=np.zeros(room),
        left=np.zeros((room, 10)),
        ties=np.zeros((room, MOST_TERMS)),
        goes=np.zeros((MOST_TERMS, 7)),
        own=np.zeros((MOST_TERMS, MOST_TERMS)),
        row=numbers(MOST_TERMS),
    )
