"""The gap between two rigid parts as they move: its derivatives, and how far they may go unseen.

A feeler of the part f is at x, the surface of the part s below it, N its normal. With p = (δy, δθ) of each, ρ = x − y,

    dg = N·δ,                    δ = δy_f + δθ_f × ρ_f − δy_s − δθ_s × ρ_s            [docs/theory/contact.md (11)]
    d²g = δ·Hδ + δθ_f·L_f δθ_f + δθ_s·L_s δθ_s + 2 δθ_s·N × (δy_f + δθ_f × ρ_f − δy_s) + what runs   (12)

where L = ½(Nρᵀ + ρNᵀ) − (N·ρ) 1 [bodies.lever]. A segment feels with the place on it that is nearest: that place runs.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.rods.bodies import Body, lever, matrix
from lissom.rods.contacts import NO_PART, Contacts

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# A segment lies along what it feels if a falls below this part of |e|²·|H|: then its place does not run.
ALONG = 1e-6


@dataclass(frozen=True, slots=True)
class Felt:
    """One contact between parts, in world axes."""

    place: Array  # (3,) m, of the feeler: x
    normal: Array  # (3,) N, from what is felt to the feeler
    curvature: Array  # (3, 3) H, 1/m
    along: Array  # (3,) e: the segment that feels, m; zero for a point
    edge: Array  # (3,) f: unit direction of the sharp edge that is felt, where both are sharp; else zero


def felt(c: Contacts, k: int) -> Felt:
    return Felt(c.feeler_place[k], c.normal[k], c.curvature[k], c.along[k], c.edge[k])


def bent(contact: Felt, y_f: Array, y_s: Array) -> Array:
    """(12, 12) d²g by the motions (δy_f, δθ_f, δy_s, δθ_s) of the two parts with these origins (m)."""
    N = contact.normal
    arm_f, arm_s = contact.place - y_f, contact.place - y_s
    feeler = np.hstack([np.eye(3), -skew(arm_f), -np.eye(3), np.zeros((3, 3))])  # of the place, less δy_s
    turn_s = np.hstack([np.zeros((3, 9)), np.eye(3)])
    motion = feeler + skew(arm_s) @ turn_s
    G = motion.T @ contact.curvature @ motion
    G[3:6, 3:6] += lever(arm_f, N)
    G[9:, 9:] += lever(arm_s, N)
    turning = turn_s.T @ skew(N) @ feeler
    G += turning + turning.T
    if contact.along.any():
        turn = np.hstack([np.zeros((3, 3)), np.eye(3), np.zeros((3, 3)), -np.eye(3)])
        G += crossing(contact, motion, turn) if contact.edge.any() else running(contact, motion, turn)
    return np.asarray(G)


def running(contact: Felt, motion: Array, turn: Array) -> Array:
    """The place of a segment runs on what is curved: −(v·δ)²/a, v·δ = N·(δθ × e) + (He)·δ, a = e·He."""
    e, H, N = contact.along, contact.curvature, contact.normal
    a = float(e @ H @ e)
    if a <= ALONG * float(e @ e) * float(np.abs(H).max()):
        return np.zeros((12, 12))
    v = np.cross(e, N) @ turn + (H @ e) @ motion
    return np.asarray(-np.outer(v, v) / a)


def crossing(contact: Felt, motion: Array, turn: Array) -> Array:
    """Two sharp edges e and f cross, with N along e × f: 2 δ·c/|e × f|, c = (δθ × e) × f, both along the surface."""
    e, f, N = contact.along, contact.edge, contact.normal
    normal = np.cross(e, f)
    size = float(normal @ N)  # its sign says on which side of e × f the feeler is
    c = (np.outer(e, f) - float(e @ f) * np.eye(3)) @ turn
    level = np.eye(3) - np.outer(N, N)
    both = motion.T @ level @ c / size
    return np.asarray(both + both.T)


def skew(a: Array) -> Array:
    """skew(a) b = a × b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def sides(c: Contacts, bodies: list[Body]) -> tuple[Indices, Indices]:
    """((c,), (c,)): which body feels, and which is touched; −1 where it is none of the bodies."""
    feels, touched = np.full(len(c), -1), np.full(len(c), -1)
    for b, body in enumerate(bodies):
        for part in body.parts:
            feels[c.feeler == part] = b
            touched[c.part == part] = b
    return feels, touched


def shifts(c: Contacts, bodies: list[Body], poses: list[tuple[Array, Array]]) -> Array:
    """(c, 3) m: how the feelers move, and what they feel is taken off, when the bodies go to `poses`."""
    found = np.zeros((len(c), 3))
    for body, (position, quaternion) in zip(bodies, poses, strict=True):
        turn = matrix(quaternion) @ matrix(body.quaternion).T
        for mine, sense in ((on(c.feeler, body), 1.0), (on(c.part, body), -1.0)):
            arm = c.point[mine] - body.position
            found[mine] += sense * (arm @ turn.T + position - c.point[mine])
    return found


def farthest(bodies: list[Body], poses: list[tuple[Array, Array]]) -> float:
    """The way to `poses`, in units of how far the bodies look around them."""
    way = 0.0
    for body, (position, quaternion) in zip(bodies, poses, strict=True):
        turn = 2.0 * float(np.arccos(min(1.0, abs(float(quaternion @ body.quaternion)))))
        way = max(way, (float(np.linalg.norm(position - body.position)) + turn * body.size) / body.reach)
    return way


def on(parts: Indices, body: Body) -> Indices:
    """Which of the contacts are on a body, by the numbers of their parts."""
    if not body.carries:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(np.isin(parts, body.parts))


def let_go(c: Contacts, stiffness: float) -> None:
    """Takes the force of contacts between parts that are open, by as much as a spring that soft would give way.

    A step that was cut short has not closed the gaps that it was to close, and a force across a gap misleads the next:
    it would tilt a body about corners that do not touch.
    """
    c.force[(c.feeler != NO_PART) & (c.force < stiffness * c.gap)] = 0.0


def between_parts(c: Contacts) -> Indices:
    """Numbers of the contacts of parts with parts."""
    return np.flatnonzero(c.feeler != NO_PART)
