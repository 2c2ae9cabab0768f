"""Framed curves to count turns on: random ones between given ends, and shapes by hand."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline
from scipy.spatial.transform import Rotation

from lissom.geometry.turns import twist

Array = NDArray[np.float64]

X = np.array([1.0, 0.0, 0.0])


def times(p: Array, q: Array) -> Array:
    """Products of quaternions (…, 4)."""
    w = p[..., :1] * q[..., :1] - np.sum(p[..., 1:] * q[..., 1:], axis=-1, keepdims=True)
    v = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + np.cross(p[..., 1:], q[..., 1:])
    return np.concatenate([w, v], axis=-1)


def about(axis: Array, angle: Array | float) -> Array:
    half = 0.5 * np.asarray(angle)[..., None]
    return np.concatenate([np.cos(half), np.sin(half) * axis], axis=-1)


def smallest(u: Array, v: Array) -> Array:
    """The smallest rotations of unit vectors u onto v."""
    q = np.concatenate([1 + np.sum(u * v, axis=-1, keepdims=True), np.cross(u, v)], axis=-1)
    return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))


def directors(q: Array) -> Array:
    """(…, 3, 3), directors in the columns."""
    return np.asarray(Rotation.from_quat(q[..., [1, 2, 3, 0]]).as_matrix())


def normed(a: Array) -> Array:
    return np.asarray(a / np.linalg.norm(a, axis=-1, keepdims=True))


def arc(x: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(x, axis=0), axis=1))])


def tangents(x: Array, start: Array, end: Array) -> Array:
    """At the points of a polygon: means of its edges, and what is given at the ends."""
    e = normed(np.diff(x, axis=0))
    return np.concatenate([[start], normed(e[1:] + e[:-1]), [end]])


def framed(t: Array, roll: Array) -> Array:
    """Frames carried along the tangents, then turned about them."""
    q = np.empty((len(t), 4))
    q[0] = smallest(np.array([0.0, 0.0, 1.0]), t[0])
    for i in range(1, len(t)):
        q[i] = times(smallest(t[i - 1], t[i]), q[i - 1])
    return times(q, about(np.array([0.0, 0.0, 1.0]), roll))


def ending(t: Array, side: Array, turns: float) -> Array:
    """Frames along the tangents whose last d1 points to `side`, by way of so many turns more."""
    d = directors(framed(t, np.zeros(len(t)))[-1])
    angle = np.arctan2(side @ d[:, 1], side @ d[:, 0]) + 2 * np.pi * turns
    return framed(t, angle * np.linspace(0, 1, len(t)))


def through_time(angle: Callable[[Array], Array]) -> float:
    """Turns by which an angle, modulo 4π, changes from 0 to 1: followed through as many times as it needs."""
    t = np.linspace(0, 1, 400)
    for _ in range(20):
        steady = np.unwrap(angle(t), period=4 * np.pi)
        quick = np.flatnonzero(np.abs(np.diff(steady)) > 0.6)
        if len(quick) == 0:
            return float((steady[-1] - steady[0]) / (2 * np.pi))
        inside = t[quick, None] + np.diff(t)[quick, None] * np.linspace(0, 1, 12)[1:-1]
        t = np.sort(np.concatenate([t, inside.ravel()]))
    raise ValueError("a way through a cusp")


def carried(before: Array, after: Array, start: Array, end: Array) -> float:
    """Turns by which parallel transport along the edges, from one end tangent to the other, changes on the straight
    way. A quick turn, where two edges are almost opposite, is 2π: modulo 4π it shows.
    """

    def angle(t: Array) -> Array:
        q = transports(before, after, np.array([[start, end]] * 2), t)
        turned = times(q[0] * [1, -1, -1, -1], q)
        return np.asarray(2 * np.arctan2(turned[:, 1:] @ start, turned[:, 0]))

    return through_time(angle)


def carried_apart(one: tuple[Array, Array], other: tuple[Array, Array], ends: Array) -> float:
    """Turns by which transport along `one` (before, after) changes against that along `other`, both between the same
    ends, which may move.
    """

    def angle(t: Array) -> Array:
        turned = times(transports(*other, ends, t) * [1, -1, -1, -1], transports(*one, ends, t))
        start = normed(ends[0, 0] + t[:, None] * (ends[1, 0] - ends[0, 0]))
        return np.asarray(2 * np.arctan2(np.sum(turned[:, 1:] * start, axis=1), turned[:, 0]))

    return through_time(angle)


def transports(before: Array, after: Array, ends: Array, t: Array) -> Array:
    """(…, 4): from start tangent along the edges to end tangent; `ends` (before and after, start and end, 3)."""
    x = before + t[:, None, None] * (after - before)
    outer = normed(ends[0] + t[:, None, None] * (ends[1] - ends[0]))
    last, q = outer[:, 0], np.broadcast_to([1.0, 0.0, 0.0, 0.0], (len(t), 4))
    for e in [*normed(np.diff(x, axis=1)).swapaxes(0, 1), outer[:, 1]]:
        q = times(smallest(last, e), q)
        last = e
    return q


def followed_frames(before: Array, after: Array, q: Array) -> Array:
    """Frames that a polygon has after its straight way if its ends are held, evenly twisted."""
    start, end = directors(q[[0, -1]])[:, :, 2]
    t = tangents(after, start, end)
    turns = twist(before, q) - carried(before, after, start, end) - twist(after, framed(t, np.zeros(len(t))))
    then = framed(t, 2 * np.pi * turns * np.linspace(0, 1, len(t)))
    assert np.abs(directors(then[-1]) - directors(q[-1])).max() < 1e-9
    return then


def random_curve(rng: np.random.Generator, count: int, modes: int = 4, size: float = 6.0) -> tuple[Array, Array]:
    """Points and tangents of a curve from 0 to 2x that begins and ends along x: knots, loops and all."""
    u = np.linspace(0, 1, count)[:, None]
    bump, slope = u**2 * (1 - u) ** 2, 2 * u * (1 - u) * (1 - 2 * u)
    x, d = 2 * u * X, 2 * X + 0 * u
    for m in range(1, modes + 1):
        w = 2 * np.pi * m
        a, b = size * rng.normal(size=(2, 3))
        wave, its = a * np.cos(w * u) + b * np.sin(w * u), w * (b * np.cos(w * u) - a * np.sin(w * u))
        x, d = x + bump * wave, d + slope * wave + bump * its
    return x, normed(d)


def through(places: list[tuple[float, float, float]], count: int) -> Array:
    """Points of a smooth curve through places, along x at both ends."""
    at = np.array(places)
    along = 2.0 * np.linalg.norm(np.diff(at, axis=0), axis=1).mean() * X
    spline = make_interp_spline(np.arange(len(at)), at, k=3, bc_type=([(1, along)], [(1, along)]))
    return np.asarray(spline(np.linspace(0, len(at) - 1, count)))


def between(rng: np.random.Generator, count: int, places: Array, ends: Array) -> Array:
    """Points of a random curve from the first place to the second, with these unit tangents at its ends."""
    inner = rng.normal(size=(int(rng.integers(2, 8)), 3))
    at = np.concatenate([places[:1], inner, places[1:]])
    spline = make_interp_spline(np.arange(len(at)), at, k=3, bc_type=([(1, ends[0])], [(1, ends[1])]))
    return np.asarray(spline(np.linspace(0, len(at) - 1, count)))


def shape(name: str, count: int) -> tuple[Array, Array]:
    """Points and tangents of a shape by name."""
    u = np.linspace(0, 1, count)
    w = 2 * np.pi * u
    match name:
        case "straight":
            x = np.stack([u, 0 * u, 0 * u], axis=1)
        case "helix":
            x = np.stack([0.1 * np.cos(9 * w), 0.1 * np.sin(9 * w), u], axis=1)
        case "trefoil":
            v = 0.4 + 0.97 * w
            x = np.stack([np.sin(v) + 2 * np.sin(2 * v), np.cos(v) - 2 * np.cos(2 * v), -np.sin(3 * v)], axis=1)
        case "plectoneme":  # two strands about each other, joined by a loop at the far end
            v = 2 * u - 1
            out = 1 - v**2
            wide = 0.05 + 0.3 * (1 - out) ** 4
            phase = 10 * np.pi * out
            across = np.tanh(8 * v) * wide
            x = np.stack([across * np.cos(phase), across * np.sin(phase), 2 * out], axis=1)
        case "loop":
            x = np.stack([3 * u - np.sin(2 * w), 1 - np.cos(w), 0.3 * np.sin(w)], axis=1)
        case _:
            raise ValueError(name)
    return x, normed(make_interp_spline(u, x, k=5)(u, 1))


SHAPES = ["straight", "helix", "trefoil", "plectoneme", "loop"]
