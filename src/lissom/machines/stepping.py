"""One step of a machine: substeps of prediction, rows, contacts, and links that change [docs/theory/machines.md]."""

from typing import NamedTuple

from lissom.geometry.triples import Vector
from lissom.kernels import inline
from lissom.kernels import lean_kernel as kernel
from lissom.machines.bodies import Bodies, apply_corrections, finish, predict, see_mobility
from lissom.machines.contacts import Contacts, contact_rows, find_contacts, is_hard, rub, soften
from lissom.machines.events import change_links
from lissom.machines.guards import guard_rows, see_gaps
from lissom.machines.joints import SLOTS, Joints, drive, joint_rows, see_joints
from lissom.machines.meeting import Guests
from lissom.machines.network import UNSETTLED, Network, solve_in_turn, solve_together
from lissom.machines.ropes import (
    Links,
    Ropes,
    as_predicted,
    ease_off,
    forget_tensions,
    left_over,
    let_loose,
    reel,
    rope_rows,
    see_links,
    see_strains,
    slip,
    weigh,
)
from lissom.machines.rows import Multipliers, Rows

SWEEPS = 50  # row by row, where all together were not settled, or the envelope outgrew its room within a step
MISSING = 1e-5  # of the size of the machine: a span that lacks less after one solution of (4) needs no second one
MOST_ITERATIONS = 10  # two or three are usual where a rope is pulled straight with a blow


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
def gather(parts: Parts, gravity: Vector, h: float) -> None:
    """All rows, at the present poses."""
    bodies, joints, ropes, links, contacts, rows, known, _ = parts
    spans = joints.kind.shape[0] * SLOTS
    slips = spans + links.kind.shape[0]
    rows.used[0] = 0
    see_mobility(bodies)
    joint_rows(rows, bodies, joints, h)
    see_links(bodies, links)
    reel(ropes, links)
    rope_rows(rows, bodies, ropes, links, known, spans, slips, gravity, h)
    guard_rows(rows, bodies, links, slips + links.kind.shape[0])
    contact_rows(rows, bodies, contacts, known, first_of_contacts(joints, links))


@inline
def gather_again(parts: Parts, gravity: Vector, h: float, done: int) -> None:
    """All rows, as seen from the prediction where some were `done`."""
    gather(parts, gravity, h)
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
    `together`, that many sweeps row by row. The room that `net` needs, if links that came or went have made it too
    small: rows were then solved in turn.
    """
    bodies, joints, ropes, links, contacts, rows, known, guests = parts
    spans = joints.kind.shape[0] * SLOTS
    touching = first_of_contacts(joints, links)
    needed = 0
    for n in range(substeps):
        drive(bodies, joints)
        see_gaps(links)
        see_strains(ropes, links)
        weigh(bodies, ropes, links, gravity)
        predict(bodies, gravity, h)
        see_mobility(bodies)
        find_contacts(bodies, contacts, known, touching, gravity, h)
        for k in range(links.kind.shape[0]):
            links.slipped[k] = 0.0
            links.loose[k] = 0
        done, most = 0, MOST_ITERATIONS
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
            if together and not settled and done == MOST_ITERATIONS:
                most += MOST_ITERATIONS if let_loose(ropes, links, known, spans, MISSING * size, h) else 0
            if not together or (done >= iterations and ((settled and rubs) or done >= most)):
                break
        if together:
            ease_off(ropes, links, known, spans, MISSING * size, h)
        finish(bodies, h)
        change_links(ropes, links, guests, known, spans, gravity, h, time + (n + 1) * h)
    reel(ropes, links)
    see_joints(bodies, joints)
    return needed
