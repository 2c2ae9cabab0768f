"""What cables may touch, as the core sees it: from surroundings to its arrays, and contacts back and forth."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom.rods.contacts import NO_LINK, NO_PART, Contacts
from lissom.rods.core.model import MOST_SAMPLES, Among, Pressed, State, Work
from lissom.rods.core.things import things_of

if TYPE_CHECKING:
    from lissom.rods.solver import RodSolver
    from lissom.rods.surroundings import Surroundings

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Pose = tuple[Array, Array]  # position (3,) and quaternion (4,)


def among_of(
    solvers: "Sequence[RodSolver]", surroundings: "Surroundings | None", begins: Indices, row: Indices, ahead: Indices,
    depth: float,
) -> Among:  # fmt: skip
    """`begins`: first nodes of the cables, and one beyond the last; row, ahead (i,) of segments as they are swept."""
    pairs = list(surroundings.may_touch) if surroundings else []
    solids = [k.solid for k in surroundings.obstacles] if surroundings else []
    skins = surroundings.skins if surroundings else []
    longest = int(np.diff(begins).max())
    flag = np.zeros((len(pairs), longest), np.int64)
    for m, (_, _, flags) in enumerate(pairs):
        flag[m, : len(flags)] = flags
    to_held = np.full(int(begins[-1]), np.inf)
    for cable, skin in enumerate(skins):
        far = np.abs(skin.s[:, None] - skin.s[skin.fixed]).min(axis=1, initial=np.inf)
        to_held[begins[cable] : begins[cable + 1]] = far
    radius = np.array([k.radius for k in skins]) if skins else np.zeros(len(solvers))
    sight = np.array([k.sight for k in skins]) if skins else np.zeros(len(solvers))
    steps = [float(k.grid.h.max()) for k in solvers]
    samples = [
        min(max(math.ceil(h / r), 1), MOST_SAMPLES) if r > 0.0 else 1 for h, r in zip(steps, radius, strict=True)
    ]
    return Among(
        things=things_of(solids),
        cable=np.array([a for a, _, _ in pairs], np.int64),
        part=np.array([b for _, b, _ in pairs], np.int64),
        flag=flag,
        first=begins[:-1].copy(),
        last=begins[1:] - 1,
        radius=radius,
        sight=sight,
        to_held=to_held,
        row=row,
        ahead=ahead,
        samples=np.array(samples, np.int64),
        span=np.array([k.line.length for k in solvers]),
        depth=depth,
    )


def take_contacts(c: Contacts, among: Among, pressed: Pressed) -> None:
    """What presses in the list is known in the next step. There is room for it."""
    number = {(int(a), int(b)): m for m, (a, b) in enumerate(zip(among.cable, among.part, strict=True))}
    count = 0
    for k in np.flatnonzero(c.force > 0.0):
        pair = number.get((int(c.link[k]), int(c.part[k])))
        if pair is None:
            continue
        cable = among.cable[pair]
        pressed.pair[count], pressed.force[count] = pair, c.force[k]
        pressed.at[count] = among.first[cable] + c.place[k]
        pressed.normal[count], pressed.ran[count] = c.normal[k], c.inside[k]
        count += 1
    pressed.total[0] = count


def contacts_of(among: Among, state: State, work: Work, where: Array) -> Contacts:
    """What presses, in a list; `where` (c, 3) m: the places of the cables."""
    p = work.places
    chosen = np.flatnonzero(p.force[: p.total[0]] > 0.0)
    c = Contacts.empty(len(chosen))
    cable = among.cable[p.pair[chosen]]
    c.link[:], c.part[:], c.other[:], c.feeler[:] = cable, among.part[p.pair[chosen]], NO_LINK, NO_PART
    c.segment[:] = (p.segment[chosen] - among.first[cable])[:, None]
    c.t[:] = p.t[chosen, None]
    c.normal[:], c.force[:], c.distance[:] = p.normal[chosen], p.force[chosen], p.distance[chosen]
    c.gap[:] = p.distance[chosen] - among.radius[cable] + p.force[chosen] * p.give[chosen]
    c.point[:] = where - p.distance[chosen, None] * p.normal[chosen]
    c.curvature[:] = p.curvature[chosen].reshape(-1, 3, 3)
    c.along[:], c.inside[:] = p.along[chosen], p.runs[chosen] == 1
    return c


def stand(among: Among, poses: Sequence[tuple[Array, Array]], before: bool = False) -> None:
    """Where the parts are: rotation (3, 3) and position; or were when all was last solved."""
    things = among.things
    rotation, origin = (things.rotation_before, things.origin_before) if before else (things.rotation, things.origin)
    for k, (R, x) in enumerate(poses):
        rotation[k], origin[k] = R.ravel(), x
