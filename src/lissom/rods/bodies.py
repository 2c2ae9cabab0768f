"""Rigid bodies that cables sit on and that find their own place: junctions of a harness, connectors.

A body moves by δp = (δy, δθ): its origin, and a rotation in world axes. A support on it moves by δy + δθ × ρ, and the
frame it holds turns by δθ [docs/theory/contact.md §5].
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lissom.rods.link import Link
from lissom.scene.frames import product

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Seat:
    """A support of a cable that sits on the body."""

    link: int
    support: int
    offset: Array  # (3,) of the support in the body's axes, m
    turn: Array | None  # (4,) the held frame in the body's axes; None where it holds no frame


@dataclass(frozen=True, slots=True)
class Carried:
    """A part with a surface that moves with the body."""

    part: int  # its number among the obstacles
    offset: Array  # (3,) of its origin in the body's axes, m
    turn: Array  # (4,) its axes in the body's axes


@dataclass(slots=True)
class Body:
    """Where it is, what pulls on it, and what sits on it."""

    name: str
    position: Array  # (3,) m
    quaternion: Array  # (4,)
    weight: Array = field(default_factory=lambda: np.zeros(3))  # (3,) N, at its centre
    centre: Array = field(default_factory=lambda: np.zeros(3))  # (3,) body axes, m
    seats: tuple[Seat, ...] = ()
    carries: tuple[Carried, ...] = ()  # what of it can be touched
    size: float = 0.0  # m: how far from its origin it touches
    reach: float = np.inf  # m: how far around it parts are looked for

    @property
    def pose(self) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
        """As plain numbers."""
        x, y, z = (float(v) for v in self.position)
        a, b, c, d = (float(v) for v in self.quaternion)
        return (x, y, z), (a, b, c, d)

    @property
    def touches(self) -> bool:
        """Whether there are parts that it may touch."""
        return self.reach < np.inf

    @property
    def parts(self) -> list[int]:
        """Numbers of the parts that move with it."""
        return [k.part for k in self.carries]

    def place(self, seat: Seat) -> tuple[Array, Array]:
        """(3,) m and (4,): where a seat is in the world; its own axes where it holds no frame."""
        w, x, y, z = (float(v) for v in self.quaternion)
        a, b, c, d = (1.0, 0.0, 0.0, 0.0) if seat.turn is None else (float(v) for v in seat.turn)
        return self.position + matrix(self.quaternion) @ seat.offset, np.array(product((w, x, y, z), (a, b, c, d)))

    def moved(self, step: Array, length: float) -> tuple[Array, Array]:
        """Its pose after a part of a step."""
        angle = length * step[3:]
        size = float(np.linalg.norm(angle))
        half = 0.5 * size
        s = 0.5 if size < 1e-12 else np.sin(half) / size
        turn = (float(np.cos(half)), float(s * angle[0]), float(s * angle[1]), float(s * angle[2]))
        w, x, y, z = (float(v) for v in self.quaternion)
        q: Array = np.array(product(turn, (w, x, y, z)))
        return self.position + length * step[:3], q / np.linalg.norm(q)


def hung(body: Body) -> tuple[Array, Array]:
    """Its pose, turned about the line through its seats until its centre hangs below; as it is where that holds frames.

    Cables that hold no direction let it turn about that line: from above or beside it the way down is long.
    """
    R = matrix(body.quaternion)
    seats = np.array([R @ k.offset for k in body.seats]).reshape(-1, 3)
    weight = float(np.linalg.norm(body.weight))
    if not body.seats or weight == 0.0 or any(k.turn is not None for k in body.seats):
        return body.position, body.quaternion
    middle = seats.mean(axis=0)
    _, spread, axes = np.linalg.svd(seats - middle)
    size = float(np.abs(seats - R @ body.centre).max())
    if len(spread) > 1 and spread[1] > 1e-9 * size:  # three seats leave it nothing to turn about
        return body.position, body.quaternion
    arm, down = R @ body.centre - middle, body.weight / weight
    if spread[0] > 1e-9 * size:
        axis = axes[0]
        arm, down = arm - (arm @ axis) * axis, down - (down @ axis) * axis
        angle = float(np.arctan2(np.cross(arm, down) @ axis, arm @ down))
    else:
        axis = np.cross(arm, down)
        angle = float(np.arctan2(np.linalg.norm(axis), arm @ down))
        axis = axis / max(float(np.linalg.norm(axis)), 1e-300)
    _, quaternion = body.moved(np.concatenate([np.zeros(3), angle * axis]), 1.0)
    return body.position + middle - matrix(quaternion) @ R.T @ middle, quaternion


def matrix(q: Array) -> Array:
    """(3, 3) rotation of a unit quaternion."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def cross(a: Array, b: Array) -> Array:
    """a × b along the last axis. numpy's own looks for that axis ten times as long as this takes for a few vectors."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def lever(arm: Array, force: Array) -> Array:
    """Second derivative of force·(Q arm) with respect to δθ: ½(f ρᵀ + ρ fᵀ) − (f·ρ) 1."""
    both = np.outer(force, arm)
    return np.asarray(0.5 * (both + both.T) - (force @ arm) * np.eye(3))


def carried_poses(body: Body) -> list[tuple[int, Array, Array]]:
    """(number, position, quaternion) of the parts that move with a body, where it is."""
    R = matrix(body.quaternion)
    w, x, y, z = (float(v) for v in body.quaternion)
    found: list[tuple[int, Array, Array]] = []
    for k in body.carries:
        a, b, c, d = (float(v) for v in k.turn)
        found.append((k.part, body.position + R @ k.offset, np.array(product((w, x, y, z), (a, b, c, d)))))
    return found


def put(body: Body, links: list[Link], position: Array, quaternion: Array, frames: list[Array]) -> None:
    """Puts the seats where a pose of the body has them: supports into the links, held frames into `frames`."""
    R = matrix(quaternion)
    for seat in body.seats:
        link = links[seat.link]
        link.held[seat.support] = position + R @ seat.offset
        if seat.turn is not None:
            w, x, y, z = quaternion
            a, b, c, d = seat.turn
            held = np.array(product((w, x, y, z), (a, b, c, d)))
            site = link.site_of(seat.support)
            q = frames[seat.link]
            q[site] = held if held @ q[site] >= 0.0 else -held
