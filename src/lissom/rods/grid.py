"""Discretisation: the points along a cable, and the chains of frames built on them.

Points are spaced evenly between key places; every support, load and change of type is a key place, so that all of
them act exactly at a point.
"""

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.rods.chain import POLISHED, STAGGERED, Chain
from lissom.rods.line import FRAME, NO_DIRECTION, TANGENT, Line

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

EQUAL = 1e-9  # lengths that differ by this share of them only by rounding


@dataclass(frozen=True, slots=True)
class Grid:
    """The points and, per segment, what is constant on it."""

    s: Array  # (points,) arc length, m
    support_at: tuple[int, ...]  # the point of each support
    load_at: tuple[int, ...]  # the point of each load
    stiffness: Array  # (segments, 3) N m²
    rest: Array  # (segments, 3) mean rest strain, 1/m
    slope: Array  # (segments, 3) its derivative, 1/m²
    weight: Array  # (segments, 3) N/m
    compliance: Array  # (segments,) 1/N

    @property
    def h(self) -> Array:
        return np.diff(self.s)

    @property
    def second_halves(self) -> Array:
        """(segments, 3) rad by which the second half of each segment is turned at rest [rods.md (12)]."""
        h = self.h[:, None]
        return np.asarray(0.5 * h * (self.rest + 0.25 * h * self.slope))


def make_grid(line: Line, counts: Indices | None = None) -> Grid:
    """`counts` fixes the number of segments between key places, so that a grid can follow a sliding support."""
    keys = key_places(line)
    if counts is None or len(counts) != len(keys) - 1:
        counts = spread_segments(keys, line.segments)
    s = spread_points(keys, counts)
    middle = 0.5 * (s[1:] + s[:-1])
    starts = np.array([p.start for p in line.pieces])
    of_piece = np.clip(np.searchsorted(starts, middle, side="right") - 1, 0, len(line.pieces) - 1)
    stiffness = np.array([p.stiffness for p in line.pieces])[of_piece]
    mass = np.array([p.mass for p in line.pieces])[of_piece]
    compliance = np.array([p.compliance for p in line.pieces])[of_piece]
    ends = line.rest.at(s)
    inside = line.rest.at(middle)
    return Grid(
        s=s,
        support_at=tuple(int(np.argmin(np.abs(s - k.place))) for k in line.supports),
        load_at=tuple(int(np.argmin(np.abs(s - k.place))) for k in line.loads),
        stiffness=stiffness,
        rest=(ends[1:] + 4.0 * inside + ends[:-1]) / 6.0,
        slope=np.diff(ends, axis=0) / np.diff(s)[:, None],
        weight=mass[:, None] * np.array(line.gravity),
        compliance=compliance,
    )


def key_places(line: Line) -> list[float]:
    """Sorted places that need a point; places nearer than 1e-9 of the length are one."""
    wanted = [0.0, line.length]
    wanted += [k.place for k in line.supports] + [k.place for k in line.loads]
    for piece in line.pieces:
        wanted += [piece.start, piece.end]
    places: list[float] = []
    for place in sorted(wanted):
        if not places or place - places[-1] > 1e-9 * line.length:
            places.append(place)
    places[-1] = line.length
    return places


def spread_segments(keys: list[float], segments: int) -> Indices:
    """Segments between the keys in proportion to the length, at least two each."""
    lengths = np.diff(keys)
    share = lengths / lengths.sum() * segments
    counts = np.maximum(np.floor(share + EQUAL).astype(np.int64), 2)
    while counts.sum() < segments:  # the rest where segments are longest; of equal ones the first
        long = lengths / counts
        counts[np.argmax(long > (1.0 - EQUAL) * long.max())] += 1
    return np.asarray(counts, dtype=np.int64)


def counted(s: Array, keys: list[float]) -> Indices | None:
    """Segments between the keys on points that are there already; None where a key is no point."""
    at = [int(np.argmin(np.abs(s - place))) for place in keys]
    counts = np.array([b - a for a, b in itertools.pairwise(at)], dtype=np.int64)
    if len(s) != at[-1] + 1 or np.any(counts < 1) or np.abs(s[at] - keys).max() > 1e-9 * keys[-1]:
        return None
    return counts


def spread_points(keys: list[float], counts: Indices) -> Array:
    """Evenly spaced points between the keys."""
    parts = [np.linspace(a, b, n, endpoint=False) for a, b, n in zip(keys[:-1], keys[1:], counts, strict=True)]
    return np.append(np.concatenate(parts), keys[-1])


def known_forces(line: Line, grid: Grid) -> tuple[Array, Indices, list[tuple[int, int, int]]]:
    """The known part of n per segment, the runs, and each run as (axis, support before, support after).

    Along one axis n is known before the first and after the last support that holds it; between two of them it is
    known up to the run's ν.
    """
    h = grid.h
    point_force = np.zeros((len(grid.s), 3))
    for load, at in zip(line.loads, grid.load_at, strict=True):
        point_force[at] += load.force
    segment_force = grid.weight * h[:, None]
    beyond = np.cumsum((segment_force + point_force[1:])[::-1], axis=0)[::-1]  # from each segment's start on
    force = beyond - 0.5 * segment_force
    total = beyond[0] + point_force[0]
    run = np.full((len(h), 3), -1, dtype=np.int64)
    runs: list[tuple[int, int, int]] = []
    for axis in range(3):
        holding = [k for k, support in enumerate(line.supports) if support.holds[axis]]
        force[: grid.support_at[holding[0]], axis] -= total[axis]
        for before, after in itertools.pairwise(holding):
            run[grid.support_at[before] : grid.support_at[after], axis] = len(runs)
            runs.append((axis, before, after))
    return force, run, runs


def staggered_sites(line: Line, grid: Grid) -> tuple[Indices, Indices]:
    """(segment or −1, point or −1) of each frame: one per segment, and one at each point that needs its own."""
    special = {at for at, k in zip(grid.support_at, line.supports, strict=True) if k.direction != NO_DIRECTION}
    special |= {at for at, k in zip(grid.load_at, line.loads, strict=True) if any(k.moment)}
    if line.is_rope:
        special = set()
    segment_of: list[int] = []
    point_of: list[int] = []
    for point in range(len(grid.s)):
        if point in special:
            segment_of.append(-1)
            point_of.append(point)
        if point < len(grid.s) - 1:
            segment_of.append(point)
            point_of.append(-1)
    return np.array(segment_of), np.array(point_of)


def make_chains(line: Line, grid: Grid) -> tuple[Chain, Chain, list[tuple[int, int, int]], Indices]:
    """The staggered and the polished chain, the runs, and the point of each staggered frame (−1: a segment)."""
    force, run, runs = known_forces(line, grid)
    target = np.array([line.supports[b].position[axis] - line.supports[a].position[axis] for axis, a, b in runs])
    segment_of, point_of = staggered_sites(line, grid)
    points = len(grid.s)
    site_of_point = {int(p): i for i, p in enumerate(point_of) if p >= 0}
    site_of_segment = {int(s): i for i, s in enumerate(segment_of) if s >= 0}
    loads = [(load, at) for load, at in zip(line.loads, grid.load_at, strict=True) if any(load.moment)]
    shared = {
        "h": grid.h,
        "force": force,
        "weight": np.ascontiguousarray(grid.weight),
        "compliance": grid.compliance,
        "run": run,
        "target": target,
        "moment": np.array([load.moment for load, _ in loads]).reshape(-1, 3),
        "moment_turns": np.array([int(load.turns) for load, _ in loads], dtype=np.int64),
    }
    first_segment = [grid.support_at[a] for _, a, _ in runs]

    mask = np.ones((len(segment_of), 3))
    polished_mask = np.ones((points, 3))
    if line.is_rope:
        mask[:, 2] = 0.0
    for support, at in zip(line.supports, grid.support_at, strict=True):
        held = {NO_DIRECTION: [], TANGENT: [0, 1], FRAME: [0, 1, 2]}[support.direction]
        polished_mask[at, held] = 0.0
        if at in site_of_point:
            mask[site_of_point[at], held] = 0.0
    arc, stiffness, rest = staggered_elements(grid, segment_of)
    staggered = Chain(
        scheme=STAGGERED,
        segment_of=segment_of,
        mask=mask,
        arc=arc,
        stiffness=stiffness,
        rest=rest,
        slope=np.zeros_like(rest),
        first=_first([site_of_segment[k] for k in first_segment], [site_of_point[at] for _, at in loads]),
        moment_site=np.array([site_of_point[at] for _, at in loads], dtype=np.int64),
        **shared,
    )
    polished = Chain(
        scheme=POLISHED,
        segment_of=np.arange(points - 1),
        mask=polished_mask,
        arc=grid.h,
        stiffness=np.ascontiguousarray(grid.stiffness),
        rest=np.ascontiguousarray(grid.rest),
        slope=np.ascontiguousarray(grid.slope),
        first=_first(first_segment, [at for _, at in loads]),
        moment_site=np.array([at for _, at in loads], dtype=np.int64),
        **shared,
    )
    return staggered, polished, runs, point_of


def _first(runs: list[int], moments: list[int]) -> Indices:
    return np.array(runs + [at for at in moments for _ in range(3)], dtype=np.int64)


def staggered_elements(grid: Grid, segment_of: Indices) -> tuple[Array, Array, Array]:
    """Arc length, stiffness and mean rest strain of the elements between neighbouring frames.

    Each joins the second half of the segment before and the first half of the one after (nothing on the side of a
    frame held at a point). The halves act in series: compliances and rest rotations add.
    """
    h = grid.h
    before, after = segment_of[:-1], segment_of[1:]
    with np.errstate(divide="ignore"):
        inverse = 1.0 / grid.stiffness
    arc = np.zeros(len(before))
    flexibility = np.zeros((len(before), 3))
    turn = np.zeros((len(before), 3))
    for segment, side in ((before, 1.0), (after, -1.0)):
        half = np.where(segment >= 0, 0.5 * h[segment], 0.0)
        used = segment >= 0
        arc += half
        flexibility[used] += half[used, None] * inverse[segment[used]]
        turn[used] += half[used, None] * (grid.rest + side * 0.25 * h[:, None] * grid.slope)[segment[used]]
    with np.errstate(invalid="ignore"):
        stiffness = np.where(np.isfinite(flexibility), arc[:, None] / flexibility, 0.0)
    return arc, stiffness, turn / arc[:, None]
