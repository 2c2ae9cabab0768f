"""A cable as sections and holds, and the chain made of it on each level."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.kinematic.chain import STATES, Chain
from lissom.kinematic.pyramid import Pyramid, level_chain

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class Section(NamedTuple):
    """A stretch of cable with nothing on it between its ends; every section has the same number of segments."""

    length: float  # m
    bending: float  # B, N m²
    torsion: float  # C, N m²
    weight: Vector  # N/m


class Hold(NamedTuple):
    """What holds the cable between two sections, or at an end."""

    at: int  # sections before it
    position: Vector  # m
    tangent: Vector | None = None  # the orientation vector, where it holds one
    frame: Quaternion | None = None  # of a clamp that holds the roll too, turned back to twist 0
    turn: float = 0.0  # rad of twist since the first clamp


@dataclass(frozen=True)
class Layout:
    """The whole cable."""

    sections: tuple[Section, ...]
    holds: tuple[Hold, ...]  # in order, at least one
    loads: tuple[tuple[int, Vector], ...] = ()  # (sections before it, N)

    @property
    def length(self) -> float:
        return sum(k.length for k in self.sections)

    @property
    def force_scale(self) -> float:
        """max(B/l², weight, largest load), N: what forces are measured against."""
        weight = float(np.linalg.norm(np.sum([np.multiply(k.weight, k.length) for k in self.sections], axis=0)))
        loads = max((float(np.linalg.norm(load)) for _, load in self.loads), default=0.0)
        return max(max(k.bending for k in self.sections) / self.length**2, weight, loads) or 1.0

    @property
    def is_rope(self) -> bool:
        """No springs anywhere: no direction can be held."""
        return all(k.bending == 0.0 for k in self.sections)

    def holding(self, holds: tuple[Hold, ...]) -> "Layout":
        return replace(self, holds=holds)

    @property
    def down(self) -> Vector:
        """Where weight and loads pull, on the whole; −z without any."""
        pulls = [np.multiply(k.weight, k.length) for k in self.sections] + [np.array(load) for _, load in self.loads]
        total = np.sum(pulls, axis=0)
        size = float(np.linalg.norm(total))
        return (0.0, 0.0, -1.0) if size == 0.0 else (total[0] / size, total[1] / size, total[2] / size)

    @property
    def spans(self) -> list[tuple[Hold, Hold]]:
        return list(itertools.pairwise(self.holds))


class Sites(NamedTuple):
    """Where the sites of a level are. i: site."""

    section: Indices  # (i,) of a segment; −1 where a direction is held
    hold: Indices  # (i,) number of the hold, −1 on a segment
    at_hold: Indices  # (holds,) the site of each, −1 where it holds no direction


def make_sites(layout: Layout, segments: int) -> Sites:
    """Segments of all sections, and before those that begin at it the site of a hold with a direction."""
    section: list[int] = []
    hold: list[int] = []
    held = {} if layout.is_rope else {k.at: n for n, k in enumerate(layout.holds) if k.tangent is not None}
    at_hold = np.full(len(layout.holds), -1, dtype=np.int64)
    for k in range(len(layout.sections) + 1):
        if k in held:
            at_hold[held[k]] = len(section)
            section.append(-1)
            hold.append(held[k])
        if k < len(layout.sections):
            section += [k] * segments
            hold += [-1] * segments
    return Sites(np.array(section), np.array(hold), at_hold)


def make_pyramid(layout: Layout, counts: Sequence[int]) -> Pyramid:
    """All levels: `counts` are the segments of a section on each."""
    sites = [make_sites(layout, k) for k in counts]
    twist = twists(layout, sites[0])
    h, bending = [], []
    for s, n in zip(sites, counts, strict=True):
        h.append(np.array([0.0 if k < 0 else layout.sections[k].length / n for k in s.section]))
        bending.append(np.array([0.0 if k < 0 else layout.sections[k].bending for k in s.section]))
    joint = [np.cumsum(s.section >= 0, dtype=np.int64) for s in sites]
    number, joints = [len(k) for k in h], [int(k[-1]) + 1 for k in joint]
    J, T, levels = 3 * (len(layout.holds) - 1), len(twist), len(counts)
    pyramid = Pyramid(
        segments=np.array(counts),
        site0=np.concatenate([[0], np.cumsum(number)]),
        joint0=np.concatenate([[0], np.cumsum(joints)]),
        h=np.concatenate(h),
        k=np.concatenate([np.append(springs(a, b), 0.0) for a, b in zip(h, bending, strict=True)]),
        free=np.concatenate([(s.section >= 0).astype(np.int64) for s in sites]),
        force=np.concatenate([known_forces(layout, s, a, n) for s, a, n in zip(sites, h, counts, strict=True)]),
        run=np.array([runs(layout, n, j) for n, j in zip(counts, joint, strict=True)]).reshape(levels, J, 3),
        target=np.zeros(J),
        joint=np.concatenate(joint),
        anchor=np.array([[k.at * n for k in layout.holds] for n in counts]),
        place=np.zeros((len(layout.holds), 3)),
        base=np.zeros((sum(joints), 2), dtype=np.int64),
        sign=np.ones(sum(joints)),
        at_hold=np.array([s.at_hold for s in sites]),
        tangent=np.zeros((len(layout.holds), 3)),
        twist=np.array([[(s.at_hold[a], s.at_hold[b]) for a, b, _ in twist] for s in sites], dtype=np.int64).reshape(
            levels, T, 2
        ),
        twist_stiffness=np.array([k for _, _, k in twist]),
        twist_frames=np.zeros((T, 2, 4)),
        twist_turn=np.zeros(T),
        d=np.zeros((sum(number), 3)),
        nu=np.zeros((levels, J)),
        theta=np.zeros((levels, T)),
        state=np.zeros((levels, STATES)),
        span=np.array([span_of(layout, a, b) for a, b in layout.spans]).reshape(-1, 5),
        down=np.array(layout.down),
        vector=np.zeros((len(layout.holds), 4)),
    )
    for level in range(levels):
        count_joints(level_chain(pyramid, level))
    aim(pyramid, layout)
    return pyramid


def span_of(layout: Layout, a: Hold, b: Hold) -> tuple[float, float, float, float, float]:
    """Length, mean bending stiffness, weight and loads of the span between two holds."""
    inside = layout.sections[a.at : b.at]
    length = sum(k.length for k in inside)
    give = sum(k.length / k.bending if k.bending > 0.0 else math.inf for k in inside)
    pulls = [np.multiply(k.weight, k.length) for k in inside]
    pulls += [np.array(load) for at, load in layout.loads if a.at < at < b.at]
    x, y, z = (float(v) for v in np.sum(pulls, axis=0))
    return length, length / give, x, y, z


def springs(h: Array, bending: Array) -> Array:
    """B/ℓ between two segments, 2B/ℓ between a segment and a held direction; the halves of unlike ones in series."""
    with np.errstate(divide="ignore", invalid="ignore"):
        give = np.where(h > 0.0, 0.5 * h / bending, 0.0)  # 1/(N m) of half a segment; inf without stiffness
        return np.nan_to_num(1.0 / (give[:-1] + give[1:]), posinf=0.0)


def known_forces(layout: Layout, sites: Sites, h: Array, segments: int) -> Array:
    """(i, 3) N: weights and loads beyond the middle of each segment; before the first hold, less all there is."""
    force = np.zeros((len(h), 3))
    weight = np.array([(0.0, 0.0, 0.0) if k < 0 else layout.sections[k].weight for k in sites.section]) * h[:, None]
    joint = np.cumsum(sites.section >= 0)
    load = np.zeros((int(joint[-1]) + 1, 3))
    for at, value in layout.loads:
        load[at * segments] += value
    beyond = np.cumsum(load[::-1], axis=0)[::-1]
    force = np.cumsum(weight[::-1], axis=0)[::-1] - 0.5 * weight + beyond[joint]
    first = layout.holds[0].at * segments
    force[joint <= first] -= weight.sum(axis=0) + beyond[0]
    return force


def runs(layout: Layout, segments: int, joint: Indices) -> Indices:
    """Axis, first site and the site after the last of each span: x, y, z of the first, then of the next."""
    found: list[tuple[int, int, int]] = []
    for a, b in layout.spans:
        first = int(np.searchsorted(joint, a.at * segments, side="right"))
        last = int(np.searchsorted(joint, b.at * segments, side="left")) + 1
        found += [(axis, first, last) for axis in range(3)]
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def twists(layout: Layout, sites: Sites) -> list[tuple[int, int, float]]:
    """(clamp, next clamp, C/l) wherever the roll is held on both sides of something with torsional stiffness."""
    clamps = [n for n, k in enumerate(layout.holds) if k.frame is not None and sites.at_hold[n] >= 0]
    found: list[tuple[int, int, float]] = []
    for a, b in itertools.pairwise(clamps):
        between = layout.sections[layout.holds[a].at : layout.holds[b].at]
        if all(k.torsion > 0.0 for k in between):
            found.append((a, b, 1.0 / sum(k.length / k.torsion for k in between)))
    return found


def count_joints(chain: Chain) -> None:
    """Fills base and sign: from which support each joint is counted, along which sites."""
    site_of = {int(n): i for i, n in enumerate(chain.joint) if chain.h[i] > 0.0}
    anchors = [int(k) for k in chain.anchor]
    for n in range(len(chain.sign)):
        before = [k for k in anchors if k <= n]
        if before:
            first = site_of.get(before[-1] + 1, len(chain.h))
            chain.base[n] = (first, site_of[n] + 1 if n > before[-1] else first)
        else:
            chain.sign[n] = -1.0
            chain.base[n] = (site_of[n + 1], site_of[anchors[0]] + 1)


def aim(pyramid: Pyramid, layout: Layout) -> None:
    """The chains have to span what is between the holds as they are now."""
    holds = layout.holds
    pyramid.place[:] = [k.position for k in holds]
    pyramid.target[:] = np.diff(pyramid.place, axis=0).ravel()
    clamps = [k for k in holds if k.frame is not None]
    for t, (a, b) in enumerate(itertools.pairwise(clamps)):
        if t < len(pyramid.twist_turn):
            pyramid.twist_frames[t] = a.frame, b.frame
            pyramid.twist_turn[t] = b.turn - a.turn
    for n, hold in enumerate(holds):
        if hold.tangent is not None:
            pyramid.tangent[n] = hold.tangent
        pyramid.vector[n] = 0.0
        if layout.is_rope:
            continue
        if hold.tangent is not None:
            pyramid.vector[n] = (*hold.tangent, 1.0)
        elif 0 < n < len(holds) - 1:  # where the cable goes on, along its neighbours
            way = np.subtract(holds[n + 1].position, holds[n - 1].position)
            size = float(np.linalg.norm(way))
            if size > 0.0:
                pyramid.vector[n] = (*(way / size), 1.0)
