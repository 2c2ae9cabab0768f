"""What is asked of bodies that find their own place: all that acts on a junction or a free part balances."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.rods.judge.certificate import Condition
from lissom.rods.judge.pressing import Touch

Array = NDArray[np.float64]

BALANCED = 1e-6  # of the largest force that acts on it
NEXT, LAST = [1, 2, 0], [2, 0, 1]  # axes


class Body(NamedTuple):
    """A junction or a free part, where it is handed out to be."""

    name: str
    origin: Array  # (3,) m
    centre: Array  # (3,) m in the world: of its mass
    weight: Array  # (3,) N
    seats: tuple[tuple[str, str], ...]  # (cable, support) that sit on it
    parts: frozenset[str]  # what of it can be touched


def of_body(
    body: Body,
    wrenches: Mapping[tuple[str, str], tuple[Array, Array]],
    contacts: Sequence[Touch],
    least: float,
    reach: float,
) -> list[Condition]:
    """`wrenches`: reaction (6,) on the cable and its place (3,) m, by cable and support; `least` (N) and `reach` (m)
    say which forces and levers count.
    """
    rows = np.array([wrenches[seat][0] for seat in body.seats]).reshape(-1, 6)
    levers = np.array([wrenches[seat][1] for seat in body.seats]).reshape(-1, 3) - body.origin
    force = body.weight - rows[:, :3].sum(axis=0)
    moment = cross(body.centre - body.origin, body.weight) - (rows[:, 3:] + cross(levers, rows[:, :3])).sum(axis=0)
    largest = max(float(np.linalg.norm(body.weight)), largest_of(rows[:, :3]), least)
    arm, twist = max(largest_of(levers), reach), largest_of(rows[:, 3:])
    for c in contacts:
        for touched, sense in ((c.part if c.other_place is None else "", -1.0), (c.body or "", 1.0)):
            if touched in body.parts:
                push = sense * np.asarray(c.force)
                lever = np.asarray(c.point) - body.origin
                force += push
                moment += cross(lever, push)
                largest = max(largest, float(np.linalg.norm(push)))
                arm = max(arm, float(np.linalg.norm(lever)))
    bound = BALANCED * largest
    return [
        Condition("body force", float(np.linalg.norm(force)), bound, None, body.name),
        Condition("body moment", float(np.linalg.norm(moment)), bound * arm + BALANCED * twist, None, body.name),
    ]


def cross(a: Array, b: Array) -> Array:
    """a × b along the last axis; numpy's own takes ten times as long for a few vectors."""
    return np.asarray(a[..., NEXT] * b[..., LAST] - a[..., LAST] * b[..., NEXT])


def largest_of(vectors: Array) -> float:
    """The longest of some (k, 3)."""
    return float(np.sqrt((vectors**2).sum(axis=1).max(initial=0.0)))
