"""What cables may touch, as the core sees it: from surroundings to its arrays, and contacts back and forth."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom.rods.contacts import NO_LINK, NO_PART, Contacts, other_places
from lissom.rods.core.model import MOST_SAMPLES, Among, Cables, Met, Pressed, State, Work
from lissom.rods.core.things import things_of
from lissom.rods.pairing import BAND_RADII, SELF_RADII, SELF_SEGMENTS

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
    to_held, beside = np.full(int(begins[-1]), np.inf), np.full(int(begins[-1]), np.inf)
    for cable, skin in enumerate(skins):
        own = slice(begins[cable], begins[cable + 1])
        to_held[own] = np.abs(skin.s[:, None] - skin.s[skin.fixed]).min(axis=1, initial=np.inf)
        beside[own] = np.abs(skin.s[:, None] - skin.s[skin.held]).min(axis=1, initial=np.inf)
    radius = np.array([k.radius for k in skins]) if skins else np.zeros(len(solvers))
    sight = np.array([k.sight for k in skins]) if skins else np.zeros(len(solvers))
    steps = [float(k.grid.h.max()) for k in solvers]
    samples = [
        min(max(math.ceil(h / r), 1), MOST_SAMPLES) if r > 0.0 else 1 for h, r in zip(steps, radius, strict=True)
    ]
    cables = Cables(
        first=begins[:-1].copy(),
        last=begins[1:] - 1,
        radius=radius,
        sight=sight,
        to_held=to_held,
        row=row,
        ahead=ahead,
        samples=np.array(samples, np.int64),
        span=np.array([k.line.length for k in solvers]),
        step=np.array([k.grid.h[0] for k in solvers]),
        depth=depth,
        touch=np.array([k for k, skin in enumerate(skins) if skin.collide and skin.radius > 0.0], np.int64),
        apart=np.array([max(SELF_RADII * r, SELF_SEGMENTS * h) for r, h in zip(radius, steps, strict=True)]),
        beside=beside,
        band=BAND_RADII * min((k.radius for k in skins if k.collide and k.radius > 0.0), default=0.0),
    )
    return Among(
        things=things_of(solids),
        cable=np.array([a for a, _, _ in pairs], np.int64),
        part=np.array([b for _, b, _ in pairs], np.int64),
        flag=flag,
        cables=cables,
    )


def take_contacts(c: Contacts, among: Among, pressed: Pressed, met: Met) -> None:
    """What presses in the list is known in the next step. There is room for it."""
    number = {(int(a), int(b)): m for m, (a, b) in enumerate(zip(among.cable, among.part, strict=True))}
    count = between = 0
    others = other_places(c)
    for k in np.flatnonzero(c.force > 0.0):
        pair = number.get((int(c.link[k]), int(c.part[k])))
        if c.other[k] != NO_LINK:
            at = among.cables.first[c.link[k]] + c.place[k], among.cables.first[c.other[k]] + others[k]
            first, turned = ordered(among, int(c.link[k]), int(c.other[k]), at)
            met.at[between], met.force[between], met.ran[between] = first, c.force[k], c.inside[k] and c.other_inside[k]
            met.normal[between] = -c.normal[k] if turned else c.normal[k]
            between += 1
        elif pair is not None:
            pressed.pair[count], pressed.force[count] = pair, c.force[k]
            pressed.at[count] = among.cables.first[among.cable[pair]] + c.place[k]
            pressed.normal[count], pressed.ran[count] = c.normal[k], c.inside[k]
            count += 1
    pressed.total[0], met.total[0] = count, between


def ordered(among: Among, a: int, b: int, at: tuple[float, float]) -> tuple[tuple[float, float], bool]:
    """The places as `meets` has them: first that on the cable with the shorter segments; whether that was second."""
    turned = at[0] > at[1] if a == b else (among.cables.step[b], b) < (among.cables.step[a], a)
    return ((at[1], at[0]) if turned else at), turned


def contacts_of(among: Among, state: State, work: Work, where: Array, between: Array) -> Contacts:
    """What presses, in a list; where (c, 3), between (c, 2, 3) m: the places of the cables."""
    p = work.places
    chosen = np.flatnonzero(p.force[: p.total[0]] > 0.0)
    c = Contacts.empty(len(chosen))
    cable = among.cable[p.pair[chosen]]
    c.link[:], c.part[:], c.other[:], c.feeler[:] = cable, among.part[p.pair[chosen]], NO_LINK, NO_PART
    c.segment[:] = (p.segment[chosen] - among.cables.first[cable])[:, None]
    c.t[:] = p.t[chosen, None]
    c.normal[:], c.force[:], c.distance[:] = p.normal[chosen], p.force[chosen], p.distance[chosen]
    c.gap[:] = p.distance[chosen] - among.cables.radius[cable] + p.force[chosen] * p.give[chosen]
    c.point[:] = where - p.distance[chosen, None] * p.normal[chosen]
    c.curvature[:] = p.curvature[chosen].reshape(-1, 3, 3)
    c.along[:], c.inside[:] = p.along[chosen], p.runs[chosen] == 1
    meets = work.meets
    chosen = np.flatnonzero(meets.force[: meets.total[0]] > 0.0)
    return Contacts.joined([c, met_of(among, work, chosen, between)]) if len(chosen) else c


def met_of(among: Among, work: Work, chosen: Indices, where: Array) -> Contacts:
    """What presses between cables."""
    p, c = work.meets, Contacts.empty(len(chosen))
    one, two = p.cable[chosen, 0], p.cable[chosen, 1]
    c.link[:], c.other[:], c.part[:], c.feeler[:] = one, two, NO_PART, NO_PART
    c.segment[:] = (p.segment[chosen, 0] - among.cables.first[one])[:, None]
    c.other_segment[:] = (p.segment[chosen, 1] - among.cables.first[two])[:, None]
    c.t[:], c.other_t[:] = p.t[chosen, 0, None], p.t[chosen, 1, None]
    c.normal[:], c.force[:] = p.normal[chosen], p.force[chosen]
    c.distance[:] = p.distance[chosen]
    c.gap[:] = (
        p.distance[chosen] - among.cables.radius[one] - among.cables.radius[two] + p.force[chosen] * p.give[chosen]
    )
    out = among.cables.radius[two] - p.force[chosen] * p.give_second[chosen]
    c.point[:] = where[:, 1] + out[:, None] * p.normal[chosen]
    c.curvature[:] = (np.eye(3) - c.normal[:, :, None] * c.normal[:, None, :]) / c.distance[:, None, None]
    c.along[:], c.other_along[:] = p.along[chosen, :3], p.along[chosen, 3:]
    c.inside[:], c.other_inside[:] = p.runs[chosen, 0] == 1, p.runs[chosen, 1] == 1
    c.spot[:, 0] = 0.1 * other_places(c)
    return c


def stand(among: Among, poses: Sequence[tuple[Array, Array]], before: bool = False) -> None:
    """Where the parts are: rotation (3, 3) and position; or were when all was last solved."""
    things = among.things
    rotation, origin = (things.rotation_before, things.origin_before) if before else (things.rotation, things.origin)
    for k, (R, x) in enumerate(poses):
        rotation[k], origin[k] = R.ravel(), x
