"""One step of a machine: substeps of prediction, rows, contacts, and links that change [docs/theory/machines.md]."""

from typing import NamedTuple

from lissom.geometry.triples import Vector
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.machines.bodies import Bodies, apply_corrections, finish, predict, recall, remember, see_mobility
from lissom.machines.contacts import Contacts, contact_rows, find_contacts, is_hard, rub, soften
from lissom.machines.easing import ease_jumps, ease_off, is_long, left_over, let_loose, see_lacks
from lissom.machines.events import change_links
from lissom.machines.guards import guard_rows, see_gaps
from lissom.machines.joints import SLOTS, Joints, drive, joint_rows, see_joints
from lissom.machines.meeting import Guests
from lissom.machines.network import UNSETTLED, Network, solve_in_turn, solve_together
from lissom.machines.ropes import Links, Ropes, reel, see_links, see_strains
from lissom.machines.rows import Multipliers, Rows
from lissom.machines.spans import as_predicted, forget_tensions, rope_rows, slip, unslip, weigh

SWEEPS = 50  # row by row, where all together were not settled, or the envelope outgrew its room within a step
MISSING = 1e-5  # of the size of the machine: a span that lacks less after one solution of (4) needs no second one
MOST_ITERATIONS = 10  # two or three are usual where a rope is pulled straight with a blow
MOST_PIECES = 16  # of a substep in which that does not find the lengths of all spans
EASING = 0.98  # of what a span lacks is kept from one substep to the next, so that it is taken up without a jerk


class Parts(NamedTuple):
    """All that a step works on."""

    bodies: Bodies
    joints: Joints
    ropes: Ropes
    links: Links
    contacts: Contacts
    rows: Rows
    known: Multipliers
    guests: Guests


@kernel
def gather(parts: Parts, gravity: Vector, h: float, first: bool) -> None:
    """All rows, at the present poses; `first` in a substep: those of the prediction."""
    bodies, joints, ropes, links, contacts, rows, known, _ = parts
    spans = joints.kind.shape[0] * SLOTS
    slips = spans + links.kind.shape[0]
    rows.used[0] = 0
    see_mobility(bodies)
    joint_rows(rows, bodies, joints, h)
    see_links(bodies, links)
    reel(ropes, links)
    if first:
        ease_jumps(bodies, links, h)
    rope_rows(rows, bodies, ropes, links, known, spans, slips, gravity, h)
    guard_rows(rows, bodies, links, slips + links.kind.shape[0], h)
    contact_rows(rows, bodies, contacts, known, first_of_contacts(joints, links))


@inline
def gather_again(parts: Parts, gravity: Vector, h: float, done: int) -> None:
    """All rows, as seen from the prediction where some were `done`."""
    gather(parts, gravity, h, done == 0)
    if done > 0:
        as_predicted(parts.rows, parts.bodies, parts.links)


@inline
def first_of_contacts(joints: Joints, links: Links) -> int:
    """The owner of their first row."""
    owner: int = joints.kind.shape[0] * SLOTS + 3 * links.kind.shape[0]
    return owner


@kernel
def advance(
    parts: Parts,
    net: Network,
    gravity: Vector,
    time: float,
    h: float,
    substeps: int,
    iterations: int,
    together: bool,
    size: float,
) -> int:
    """From `time` on: `iterations` of (4) in each substep, and more where spans still miss their lengths; when not
    `together`, that many sweeps row by row. Where the lengths are not found the substep is divided. The room that `net`
    needs, if links that came or went have made it too small: rows were then solved in turn.
    """
    bodies, joints, ropes, links, _, _, known, guests = parts
    spans = joints.kind.shape[0] * SLOTS
    needed, changed = 0, False
    for n in range(substeps):
        done, pieces = 0, 1
        while done < pieces:
            remember(bodies)
            whole = not together or pieces == MOST_PIECES
            room, settled = solve_substep(parts, net, gravity, h / pieces, iterations, together, size, whole)
            needed = max(needed, room)
            if not settled and not whole:
                roll_back(parts)
                done, pieces = 2 * done, 2 * pieces
                rescale(known, 0.25)
                continue
            if together:
                ease_off(ropes, links, known, spans, MISSING * size, h / pieces)
            finish(bodies, h / pieces)
            done += 1
            now = time + (n + done / pieces) * h
            kept = EASING if pieces == 1 else EASING ** (1.0 / pieces)
            changed = change_links(ropes, links, guests, known, spans, gravity, h / pieces, now, kept)
        if pieces > 1:
            rescale(known, float(pieces * pieces))
    if changed:
        reel(ropes, links)
    see_joints(bodies, joints)
    return needed


@kernel
def solve_substep(
    parts: Parts, net: Network, gravity: Vector, h: float, iterations: int, together: bool, size: float, whole: bool
) -> tuple[int, bool]:
    """(room that `net` lacks, whether the lengths of all spans were found); when that is the `whole` of it, spans whose
    lengths are not found do not pull.
    """
    bodies, joints, ropes, links, contacts, rows, known, _ = parts
    spans = joints.kind.shape[0] * SLOTS
    touching = first_of_contacts(joints, links)
    drive(bodies, joints)
    see_gaps(links)
    see_lacks(links)
    see_strains(ropes, links)
    weigh(bodies, ropes, links, gravity)
    predict(bodies, gravity, h)
    see_mobility(bodies)
    find_contacts(bodies, contacts, known, touching, gravity, h)
    for k in range(links.kind.shape[0]):
        links.slipped[k] = 0.0
        links.loose[k] = 0
    needed, done, most = 0, 0, MOST_ITERATIONS
    while True:
        gather_again(parts, gravity, h, done)
        for k in range(known.total.shape[0]):
            known.total[k] = 0.0
        if together:
            room = solve_together(rows, bodies, known, net, size, not is_hard(contacts))
            if room == UNSETTLED and soften(contacts):
                gather_again(parts, gravity, h, done)
                room = solve_together(rows, bodies, known, net, size, True)
            if room == UNSETTLED and forget_tensions(links, known, spans):
                gather_again(parts, gravity, h, done)  # with nothing that rubs
                room = solve_together(rows, bodies, known, net, size, True)
            if room != 0:
                needed = max(needed, room)
                solve_in_turn(rows, bodies, known, SWEEPS)
        else:
            solve_in_turn(rows, bodies, known, iterations)
        apply_corrections(bodies, h)
        rubs = slip(rows, ropes, links, known, spans)
        rubs = rub(bodies, contacts, known, touching) and rubs
        see_links(bodies, links)
        reel(ropes, links)
        done += 1
        settled = left_over(ropes, links, known, spans, h) <= MISSING * size
        if together and not settled and done == most:
            if not whole and needed == 0 and is_long(ropes, links, known, spans, MISSING * size, h):
                return needed, False
            limit = MISSING * size if done == MOST_ITERATIONS else -1.0  # in the end none pulls
            most += MOST_ITERATIONS if let_loose(ropes, links, known, spans, limit, h) else 0
        if not together or (done >= iterations and ((settled and rubs) or done >= most)):
            return needed, True


@kernel
def roll_back(parts: Parts) -> None:
    """To the start of the substep: bodies, and so what rolled on and off, and what slipped."""
    bodies, ropes, links = parts.bodies, parts.ropes, parts.links
    recall(bodies)
    unslip(ropes, links)
    see_links(bodies, links)
    reel(ropes, links)


@inline
def rescale(known: Multipliers, factor: float) -> None:
    """Multipliers are forces times h², for another h."""
    for k in range(known.total.shape[0]):
        known.total[k] *= factor
        known.last[k] *= factor
