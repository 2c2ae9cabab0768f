"""What was asked of one cable, as arrays on the points that are handed out."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.rods.line import NO_DIRECTION, Line, Support

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

SIMPSON = np.array([1.0, 4.0, 1.0]) / 6.0


class Asked(NamedTuple):
    """One cable: what it is made of, per segment, and what acts on it and holds it, at points."""

    length: float  # m
    scale: float  # max(EI/L², wL, largest load), N
    rope: bool  # without bending stiffness
    stiffness: Array  # (segments, 3) N m²
    flexibility: Array  # (segments, 3) its inverse; 0 where there is no stiffness
    compliance: Array  # (segments,) 1/EA, 1/N
    weight: Array  # (segments, 3) N/m
    rest: Array  # (points, 3) rest strain, 1/m
    rest_turn: Array  # (segments, 3) ∫ω₀ ds, rad
    rest_slip: Array  # (segments,) rad by which the rule of Simpson misses it: there is a kink inside
    beside: (
        Array  # (segments,) m, the longest neighbour, where a direction is held, a moment acts, or something changes
    )
    load_at: Indices  # (loads,) points
    load: Array  # (loads, 6) N, N m
    load_turns: Indices  # (loads,) 1: the moment turns with the frame
    held_at: Indices  # (supports,) points
    axes: Array  # (supports, 3) 1: the position is held along that axis
    direction: Indices  # (supports,) as line.NO_DIRECTION, TANGENT, FRAME
    slides: Indices  # (supports,) 1: the place is solved for
    kink: Array  # (supports,) 1: it slides, and rests on a load, a border, or an end


class Poses(NamedTuple):
    """Where the supports are to be."""

    position: Array  # (supports, 3) m
    quaternion: Array  # (supports, 4)


def make_asked(line: Line, s: Array, places: Array) -> Asked:
    """`s` are the points handed out, `places` (supports,) where on them the supports are, m."""
    h, middle = np.diff(s), 0.5 * (s[1:] + s[:-1])
    starts = np.array([p.start for p in line.pieces])
    piece = np.clip(np.searchsorted(starts, middle, side="right") - 1, 0, len(line.pieces) - 1)
    stiffness = np.array([p.stiffness for p in line.pieces])[piece]
    flexibility = np.divide(1.0, stiffness, out=np.zeros_like(stiffness), where=stiffness > 0.0)
    mass = np.array([p.mass for p in line.pieces])[piece]
    rest = np.ascontiguousarray(line.rest.at(s))
    turn = rest_turns(line, s)
    rule = h[:, None] * np.einsum("k,ikj->ij", SIMPSON, np.stack([rest[:-1], line.rest.at(middle), rest[1:]], axis=1))
    load_at = nearest(s, np.array([k.place for k in line.loads]))
    held_at = nearest(s, places)
    special = np.zeros(len(s), dtype=bool)
    special[1:-1] = (np.abs(np.diff(h)) > 1e-6 * h[1:]) | np.any(np.diff(stiffness, axis=0) != 0.0, axis=1)
    special[[at for at, k in zip(held_at, line.supports, strict=True) if k.direction != NO_DIRECTION]] = True
    special[[at for at, k in zip(load_at, line.loads, strict=True) if any(k.moment)]] = True
    longest = np.maximum(h, np.maximum(np.append(h[1:], 0.0), np.append(0.0, h[:-1])))
    beside = np.where(special[1:] | special[:-1], longest, 0.0)
    slides = np.array([k.slides for k in line.supports], dtype=np.int64)
    kinks = np.array([0.0, line.length, *(k.place for k in line.loads), *(p.start for p in line.pieces)])
    near = np.abs(places[:, None] - kinks).min(axis=1, initial=math.inf) <= 1e-6 * line.length
    return Asked(
        length=line.length,
        scale=line.force_scale,
        rope=line.is_rope,
        stiffness=np.ascontiguousarray(stiffness),
        flexibility=flexibility,
        compliance=np.array([p.compliance for p in line.pieces])[piece],
        weight=np.ascontiguousarray(mass[:, None] * np.array(line.gravity)),
        rest=rest,
        rest_turn=turn,
        rest_slip=np.linalg.norm(turn - rule, axis=1),
        beside=beside,
        load_at=load_at,
        load=np.array([(*k.force, *k.moment) for k in line.loads], dtype=float).reshape(-1, 6),
        load_turns=np.array([k.turns for k in line.loads], dtype=np.int64),
        held_at=held_at,
        axes=np.array([k.holds for k in line.supports], dtype=float).reshape(-1, 3),
        direction=np.array([0 if line.is_rope else k.direction for k in line.supports], dtype=np.int64),
        slides=slides,
        kink=slides * near.astype(float),
    )


def nearest(s: Array, places: Array) -> Indices:
    """The points nearest to some places."""
    return np.asarray(np.abs(s[:, None] - places.reshape(1, -1)).argmin(axis=0), dtype=np.int64)


def rest_turns(line: Line, s: Array) -> Array:
    """(segments, 3) ∫ω₀ ds over each segment: exact, ω₀ being linear between the places it is given at."""
    if len(line.rest.places) < 2:
        return np.asarray(np.diff(s)[:, None] * line.rest.strains[0])
    at = np.unique(np.concatenate([s, line.rest.places[(line.rest.places > s[0]) & (line.rest.places < s[-1])]]))
    strain = line.rest.at(at)
    sums = np.zeros_like(strain)
    sums[1:] = np.cumsum(0.5 * np.diff(at)[:, None] * (strain[1:] + strain[:-1]), axis=0)
    return np.asarray(np.diff(sums[np.searchsorted(at, s)], axis=0))


def make_poses(supports: tuple[Support, ...]) -> Poses:
    return Poses(
        np.array([k.position for k in supports], dtype=float).reshape(-1, 3),
        np.array([k.quaternion for k in supports], dtype=float).reshape(-1, 4),
    )
