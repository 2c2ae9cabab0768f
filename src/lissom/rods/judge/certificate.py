"""What the judge says: every condition with its value, its bound and its place."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# What is off, in the words of a reason. `{value}` and `{bound}` carry their unit.
WORDS = {
    "finite": "a number is not finite",
    "points": "its points are {value} off the places that they stand for",
    "place": "{value} away from where it is to be",
    "direction": "turned {value} away from its direction",
    "roll": "turned {value} away from its clamp",
    "free": "exerts {value} where it holds nothing",
    "force": "forces are {value} out of balance",
    "moment": "moments are {value} out of balance",
    "material": "moments and frames differ by {value} a segment",
    "shape": "points and tangents differ by {value} a segment",
    "stretch": "a segment is {value} longer than it can be{at}, for want of points",
    "squeeze": "a segment is squeezed by {value} of its length{at}: it is too soft along its axis for what presses it",
    "pull": "the rope is pushed with {value}",
    "slide": "is driven along the cable with {value}",
    "resolution": "a segment turns by {value}{at}: use more points",
    "push": "a contact pulls with {value}",
    "cone": "friction is {value} beyond its limit",
    "gap": "a contact acts {value} away from what it touches",
    "normal": "a contact pushes {value} beside the way out of what it touches",
    "inside": "is {value} inside {what}",
    "deep": "is {value} inside {what}{at}, for want of points",
    "body force": "forces on it are {value} out of balance",
    "body moment": "moments on it are {value} out of balance",
    "mounted": "{value} in it that nobody asked for",
    "turns": "the turns differ by {value} from what was asked for",
    "passed": "passed through itself {value}",
    "linked": "passed through {what} {value}",
}

UNITS = {
    "points": "m", "place": "m", "direction": "rad", "roll": "rad", "free": "N", "force": "N", "moment": "N m",
    "material": "rad", "shape": "m", "stretch": "m", "pull": "N", "slide": "N", "resolution": "rad",
    "push": "N",
    "cone": "N", "gap": "m", "normal": "rad", "inside": "m", "deep": "m", "body force": "N", "body moment": "N m",
    "mounted": "turns", "turns": "turns", "passed": "times", "linked": "times",
}  # fmt: skip

# These are about one support, junction or free part.
OF_SUPPORTS = ("mounted", "turns", "place", "direction", "roll", "free", "slide", "body force", "body moment")
# These go by how thick a cable is.
OF_SKINS = ("gap", "inside", "deep")
# These say why others do not hold.
CAUSES = ("squeeze", "slide", "roll", "direction", "turns", "mounted")
# rad a segment: a layer that the grid misses, beyond this, is told of
UNRESOLVED = 0.03
# Of these a finer grid is the cure.
OF_THE_GRID = ("resolution", "deep", "stretch")


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that was asked of the answer."""

    name: str  # a key of WORDS
    value: float
    bound: float
    at: float | None = None  # m along the cable, where it is worst
    where: str = ""  # the support, part, junction or cable it is about

    @property
    def ratio(self) -> float:
        """Value over bound; above 1 it does not hold."""
        if not self.value <= self.bound:
            return self.value / self.bound if self.bound > 0.0 and self.value < float("inf") else float("inf")
        return self.value / self.bound if self.bound > 0.0 else 0.0

    @property
    def holds(self) -> bool:
        return self.value <= self.bound

    @property
    def unit(self) -> str:
        return UNITS.get(self.name, "")

    def __str__(self) -> str:
        words = WORDS[self.name]
        at = "" if self.at is None else f" at {1000.0 * self.at:.4g} mm"
        return (words if "{at}" in words else words + "{at}").format(
            value=spoken(self.value, self.unit), what=self.where, at=at
        )


class Looked(NamedTuple):
    """What was found of one cable by itself: value, bound, place and value/bound, as `alone.look` fills them in."""

    names: tuple[str, ...]
    rows: Array  # (conditions + 1, 4); the last: residual, what supports are missed by, how far it turns, its layer
    supports: tuple[str, ...]  # names, in order

    @property
    def residual(self) -> float:
        """Relative to max(EI/L², wL, loads)."""
        return float(self.rows[-1, 0])

    @property
    def missed(self) -> float:
        """How far it is from its supports, relative to the length."""
        return float(self.rows[-1, 1])

    @property
    def turned(self) -> float:
        """rad in all."""
        return float(self.rows[-1, 2])

    @property
    def layer(self) -> float:
        """rad: by how much more or less a rule of the next order turns a segment, at most."""
        return float(self.rows[-1, 3])

    @property
    def worst(self) -> float:
        """The largest value over bound; inf where a number is not finite."""
        worst = float(self.rows[:-1, 3].max())
        return worst if worst <= math.inf else math.inf

    @property
    def conditions(self) -> tuple[Condition, ...]:
        found = []
        for name, (value, bound, at, _) in zip(self.names, self.rows[:-1].tolist(), strict=True):
            if bound > 0.0:
                of_support = name in OF_SUPPORTS
                where = self.supports[int(at)] if of_support else ""
                found.append(Condition(name, value, bound, None if of_support else at, where))
        return tuple(found)


@dataclass(frozen=True)
class Certificate:
    """All conditions of one cable, with those of the bodies that it sits on."""

    looked: Looked  # the cable by itself
    more: tuple[Condition, ...] = ()  # contacts, depth, bodies, turns
    penetration: float = 0.0  # m: how deep the curve is in what it may touch, by the judge's own measure
    notes: tuple[str, ...] = ()  # what has to be said, though it is certified
    seconds: float = 0.0  # what the judge took for it
    lost: float = 0.0  # turns that it has more than asked for: they slipped over an end, or went through itself

    @property
    def residual(self) -> float:
        """Imbalance of forces and moments, relative to max(EI/L², wL, loads)."""
        return self.looked.residual

    @property
    def length_error(self) -> float:
        """How far supports are missed, relative to the length."""
        return self.looked.missed

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        return (*self.looked.conditions, *self.more)

    @cached_property
    def failed(self) -> Condition | None:
        """The worst of those that do not hold."""
        if self.looked.worst <= 1.0 and all(k.holds for k in self.more):
            return None
        wrong = [k for k in self.conditions if not k.holds]
        return max(wrong, key=lambda k: (k.name not in OF_THE_GRID, k.name in CAUSES, k.ratio), default=None)

    @property
    def ok(self) -> bool:
        return self.failed is None

    @property
    def worst(self) -> float:
        """The largest value over bound: above 1 nothing is certified."""
        return max(self.looked.worst, *(k.ratio for k in self.more)) if self.more else self.looked.worst

    @property
    def status(self) -> str:
        """converged, under_resolved or not_converged."""
        if self.failed is None:
            return "converged"
        return "under_resolved" if self.failed.name in OF_THE_GRID else "not_converged"


def spoken(value: float, unit: str) -> str:
    """A value for people: lengths in mm."""
    if unit == "m":
        return f"{1000.0 * value:.3g} mm"
    if unit in ("turns", "times") and value == 1.0:
        return "one turn" if unit == "turns" else "once"
    return f"{value:.3g} {unit}".rstrip()
