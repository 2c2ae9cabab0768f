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

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

RECORD = 54  # numbers of an element: see `residuals.py`


class Seats(NamedTuple):
    """Where branches sit on hubs; one for their starts, one for their ends."""

    hub: Indices  # (b,) −1: on none
    direction: Indices  # (b,) 0: none is held, 1: the tangent, 2: the frame
    offset: Array  # (b, 3) m, in the axes of the hub
    turn: Array  # (b, 4) the frame of the cable in the axes of the hub
    loaded: Array  # (b,) 1 where the load of that node counts for this branch, 0 where for the other that sits there


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
    force: float  # N: the scale of forces, max(B/L², wL, loads)
    length: float  # m: of the longest cable
    soft: float  # N m: the least stiffness that matters, B h/L²
    block: float  # N m: the largest, B/h
    anchor: float  # N/m: so weakly free ends are held where they are, on the way
    give: float  # m/N: so little held nodes give way: a straight span has no flexibility along itself


class State(NamedTuple):
    """What goes on from one solve to the next."""

    q: Array  # (i, 4) frames
    x: Array  # (i, 3) m
    n: Array  # (i, 3) N: internal force in the middle of a segment
    y: Array  # (h, 3) m: origin of a hub
    p: Array  # (h, 4) its axes


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


def new_work(model: Model) -> Work:
    rows = int(np.sum(model.last - model.first + 1))
    branches, hubs = len(model.first), len(model.hub_weight)
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
    )
