"""Parts that are moved by hand stop where they would enter another part.

All that moves goes the same fraction of its way at a time, in steps short enough not to pass anything: a part that
would get into another one stays at the last place where it does not. Parts that overlap from the start may move, but
not deeper into each other.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lissom.rods.contacts import Contacts
from lissom.rods.meeting import SHEET, Meetings
from lissom.rods.obstacle import Obstacle
from lissom.scene.pose import Pose

Array = NDArray[np.float64]
Pair = tuple[int, int]
Paths = Callable[[dict[str, float]], Mapping[str, Pose]]
"""Where all parts are when the movers have gone these fractions of their ways."""

# Of what is clear, a step covers this part;
ADVANCE = 0.8
# and where nothing is, this part of the size of the smaller part: less than the thickness of a sheet.
LEAST = 0.4 * SHEET
# Parts look for others as far as this part of the size of the smaller one.
NEAR = 0.25
# A step turns no part by more than this (rad): within it, places that come near do so at an almost constant rate.
LARGEST_TURN = 0.05
# The fraction of the way over which the rate is measured.
SHORT = 1e-6
# Halvings of the step that leads too deep.
HALVINGS = 50
MOST_STEPS = 20000


@dataclass(frozen=True, slots=True)
class Stop:
    """A part that could not go all its way."""

    part: str  # the one that was moved
    at: str  # what it stopped at
    done: float  # fraction of its way

    def __str__(self) -> str:
        return f"{self.part} stopped at {self.at} after {100.0 * self.done:.3g} % of its way"


class Sweep:
    """The parts of a scene that are moved by hand, each with those that move with it."""

    def __init__(self, obstacles: list[Obstacle], families: dict[str, set[int]], pairs: list[Pair]) -> None:
        """`families`: numbers of the obstacles that move with each part that is moved; `pairs` that may touch."""
        self._obstacles = [replace(k) for k in obstacles]
        self._families = families
        moved = set().union(*families.values()) if families else set()
        self._meetings = Meetings(self._obstacles, [pair for pair in pairs if moved & set(pair)])

    def overlaps(self, poses: Mapping[str, Pose], depth: float) -> list[str]:
        """What overlaps where the parts stand, by more than `depth` (m)."""
        self._stand(poses)
        found: list[str] = []
        for pair in self._meetings.pairs:
            c = self._near(pair)
            inside = -float(c.gap.min(initial=0.0))
            if inside > depth:
                a, b = (self._obstacles[k].name for k in pair)
                found.append(f"{a} is {1000.0 * inside:.3g} mm inside {b}: they may be moved, but not deeper in")
        return found

    def stops(self, movers: list[str], paths: Paths, depth: float) -> tuple[dict[str, float], list[Stop]]:
        """How far each mover gets, and what stops those that do not get all the way; `depth` (m) is no overlap."""
        done = dict.fromkeys(movers, 0.0)
        pairs = [k for k in self._meetings.pairs if any(self._families[m] & set(k) for m in movers)]
        self._stand(paths(done))
        allowed = {pair: max(depth, -float(self._near(pair).gap.min(initial=0.0)) * (1.0 + 1e-9)) for pair in pairs}
        found: list[Stop] = []
        going = set(movers)
        t = 0.0
        for _ in range(MOST_STEPS):
            ahead = min(1.0, t + self._step(pairs, going, paths, done, t))
            hits = self._hits(pairs, going, paths, done, ahead, allowed)
            if hits:
                t, ahead = self._halved(pairs, going, paths, done, (t, ahead), allowed)
                for mover, pair in self._hits(pairs, going, paths, done, ahead, allowed).items():
                    other = next(k for k in pair if k not in self._families[mover])
                    found.append(Stop(mover, self._obstacles[other].name, t))
                    done[mover] = t
                    going.discard(mover)
            else:
                t = ahead
            if t == 1.0 or not going:
                break
        return done | dict.fromkeys(going, t), found

    def _halved(
        self, pairs: list[Pair], going: set[str], paths: Paths, done: dict[str, float], between: tuple[float, float],
        allowed: dict[Pair, float],
    ) -> tuple[float, float]:  # fmt: skip
        """A last fraction of the way at which nothing is hit, and the next one at which something is."""
        good, bad = between
        for _ in range(HALVINGS):
            middle = 0.5 * (good + bad)
            if self._hits(pairs, going, paths, done, middle, allowed):
                bad = middle
            else:
                good = middle
        return good, bad

    def _hits(
        self, pairs: list[Pair], going: set[str], paths: Paths, done: dict[str, float], t: float,
        allowed: dict[Pair, float],
    ) -> dict[str, Pair]:  # fmt: skip
        """The movers that are too deep in something at t, and the pair in which they are."""
        self._stand(paths(done | dict.fromkeys(going, t)))
        found: dict[str, Pair] = {}
        for pair in pairs:
            mine = [m for m in going if self._families[m] & set(pair)]
            if mine and -float(self._near(pair).gap.min(initial=0.0)) > allowed[pair]:
                found |= dict.fromkeys(mine, pair)
        return found

    def _step(self, pairs: list[Pair], going: set[str], paths: Paths, done: dict[str, float], t: float) -> float:
        """The fraction of the way that surely passes nothing, looked at from t."""
        short = min(SHORT, 1.0 - t)
        later = [(k.position, k.rotation) for k in self._stand(paths(done | dict.fromkeys(going, t + short)))]
        self._stand(paths(done | dict.fromkeys(going, t)))
        step = 1.0
        for k, (_, rotation) in zip(self._obstacles, later, strict=True):
            turn = float(np.linalg.norm(rotation - k.rotation)) / np.sqrt(2.0) / short
            step = min(step, LARGEST_TURN / max(turn, 1e-300))
        for pair in pairs:
            if any(self._families[m] & set(pair) for m in going):
                step = min(step, self._pair_step(pair, later, short))
        return max(step, short)

    def _pair_step(self, pair: Pair, later: list[tuple[Array, Array]], short: float) -> float:
        """How much of the way two parts may go: not past what is near, nor farther than was looked."""
        speed = 0.0
        for number in pair:
            k, (position, rotation) = self._obstacles[number], later[number]
            size = self._meetings.size(number)
            turn = float(np.linalg.norm(rotation - k.rotation)) / np.sqrt(2.0)
            speed += (float(np.linalg.norm(position - k.position)) + (turn * size if turn > 0.0 else 0.0)) / short
        if speed == 0.0:
            return 1.0
        look = self._look(pair)
        apart = self._meetings.apart(pair)
        if apart > look:
            return ADVANCE * apart / speed
        c = self._meetings.between(pair, look)
        shift = _carried(c.point, c.feeler, self._obstacles, later) - _carried(c.point, c.part, self._obstacles, later)
        nearing = -np.einsum("ck,ck->c", c.normal, shift) / short
        hits = nearing > 1e-9 * speed
        clear = np.maximum(ADVANCE * c.gap[hits], LEAST * self._smaller(pair))
        return min(ADVANCE * look / speed, float((clear / nearing[hits]).min(initial=np.inf)))

    def _near(self, pair: Pair) -> Contacts:
        return self._meetings.between(pair, self._look(pair))

    def _look(self, pair: Pair) -> float:
        return NEAR * self._smaller(pair)

    def _smaller(self, pair: Pair) -> float:
        return min(self._meetings.size(k) for k in pair)

    def _stand(self, poses: Mapping[str, Pose]) -> list[Obstacle]:
        """All parts where `poses` has them."""
        for k in self._obstacles:
            position, quaternion = poses[k.name]
            k.stand(np.array(position), np.array(quaternion))
        return self._obstacles


def _carried(
    points: Array, parts: NDArray[np.int64], obstacles: list[Obstacle], later: list[tuple[Array, Array]]
) -> Array:
    """(c, 3) m: how points move that are fixed on these parts."""
    found = np.zeros_like(points)
    for number in np.unique(parts):
        mine = parts == number
        position, rotation = later[number]
        found[mine] = obstacles[number].local(points[mine]) @ rotation.T + position - points[mine]
    return found
