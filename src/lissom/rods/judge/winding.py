"""What is asked of turns: none is lost or won but by slipping over an end, and nothing passed through the material
[docs/theory/certificate.md §5].
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import tangent
from lissom.geometry.turns import followed, is_odd, link
from lissom.kernels import kernel
from lissom.rods.judge.answer import Answer
from lissom.rods.judge.certificate import Condition
from lissom.rods.judge.crossings import crossings, pair_crossings, runs_along
from lissom.rods.line import FRAME, Support

Array = NDArray[np.float64]

# Links of two curves differ by a whole number if their end frames are the same; they may be off by this where these
# turned a little.
WHOLE = 0.2
# and an even number is told where odd ones are known not to be: this far from it at most.
EVEN = 0.5
# The link of a cable that is mounted untwisted is the least that its end poses allow; from here on two are as small.
PLAIN = 0.25
TOUCHES = 1e-6  # of the length: nearer than this a ray meets the curve
BESIDE = 4.0  # radii: how near to the ends of cables passing is not looked at


class Since(NamedTuple):
    """The shape from which turns are counted: the last certified one or, cold, the answer for twist 0."""

    cold: bool
    s: Array  # (points,) m
    positions: Array  # (points, 3) m
    quaternions: Array  # (points, 4)
    supports: tuple[Support, ...]  # where they were, with their turns then
    way: Sequence[Array] = ()  # (points, 3) m each: the curves of accepted steps from there; none: straight
    known: bool = True  # whether the way is
    lost: float = 0.0  # turns that it has more than asked for


class Wound(NamedTuple):
    conditions: list[Condition]
    notes: list[str]
    lost: float = 0.0  # turns more than asked for, in all


def of_turns(
    answer: Answer, supports: Sequence[Support], places: Array, afloat: frozenset[int], collides: bool, since: Since
) -> Wound:
    """`places` (m) of the supports as handed out; `afloat` those on free bodies, of which no turn is asked; `collides`:
    the cable touches itself.
    """
    found = Wound([], [])
    gone = 0.0
    passed, rays = crossed(answer, since)
    wound = any(abs(supports[b].turn - supports[a].turn) > math.pi for a, b in spans(supports))
    if collides and (wound or not since.cold):  # a cold start that winds no turn up has no history
        found.conditions.append(Condition("passed", float(abs(passed)), 0.5))
    for (a, before_a), (b, before_b) in itertools.pairwise(lasting(supports, since.supports)):
        if {a, b} & afloat:
            continue
        now = span(answer.s, places[a], places[b])
        then = now if since.s is answer.s else span(since.s, before_a.place, before_b.place)
        start = supports[a].turn - (0.0 if since.cold else before_a.turn)
        end = supports[b].turn - (0.0 if since.cold else before_b.turn)
        turn = end - start
        before, after = since.quaternions[then], answer.quaternions[now]
        if not since.cold:  # frames were moved, by less than half a turn besides whole ones
            start, end = 0.0, 2.0 * math.pi * round(turn / (2.0 * math.pi))
        lost = 1.0 if is_odd(before, after, end, start) else 0.0
        if lost == 0.0:
            warm = not since.cold and abs(turn) <= math.pi and len(before) == len(after)
            if not (warm and keeps_turns(before, after, turn)):
                lost = even_turns(answer, now, since, then, turn)
        slipped = lost != 0.0 and lost % 2.0 == 0.0 and (not collides or abs(lost) == 2.0 * abs(rays))
        if slipped:
            how = "slipped over an end" if abs(lost) == 2.0 * abs(rays) else "passed through itself"
            found.notes.append(f"{than_asked(lost)}: it {how}")
            gone += lost
        found.conditions.append(Condition("turns", 0.0 if slipped else abs(lost), 0.5, None, supports[b].name))
    if rays and not since.cold:
        found.notes.append(f"it slipped over an end {times(rays)}: {2 * abs(rays)} turns are lost, or won")
    if passed and not collides:
        found.notes.append(f"it passed through itself {times(passed)}: {2 * abs(passed)} turns are lost, or won")
    if not since.cold and gone == 0.0:
        gone = 2.0 * (rays + (0 if collides else passed))
    lost = since.lost + gone
    if since.lost and lost:
        found.notes.append(f"{than_asked(lost)}, {'in all' if gone else 'as before'}")
    return found._replace(lost=lost)


def than_asked(turns: float) -> str:
    return f"{abs(turns):.0f} turns {'more' if turns > 0 else 'fewer'} than asked for"


def keeps_turns(before: Array, after: Array, turn: float) -> bool:
    """Whether the link changed by what was asked and no more, as far as O(N) can tell."""
    lost = followed(before, after) - turn / (2.0 * math.pi)
    return abs(lost) < WHOLE


def even_turns(answer: Answer, now: slice, since: Since, then: slice, turn: float) -> float:
    """The even number of turns by which the link differs from what was asked, counted in full; 0 where it cannot be
    told.
    """
    if meets_ray(answer.positions[now], answer.quaternions[now]) or meets_ray(
        since.positions[then], since.quaternions[then]
    ):
        return 0.0
    before = link(since.s[then], since.positions[then], since.quaternions[then])
    after = link(answer.s[now], answer.positions[now], answer.quaternions[now])
    lost = after - before - turn / (2.0 * math.pi) - by_ends(answer, now, since, then, before)
    even = 2.0 * round(0.5 * lost)
    return even if abs(lost - even) < EVEN else 0.0


def by_ends(answer: Answer, now: slice, since: Since, then: slice, before: float) -> float:
    """Turns by which the link changes because the ends moved, along axes in which nothing holds them: that of the shape
    before, `before`, drawn along evenly, less what it crosses then.
    """
    s, x, q, y = since.s[then], since.positions[then], since.quaternions[then], answer.positions[now]
    part = ((s - s[0]) / (s[-1] - s[0]))[:, None]
    drawn = x + (1.0 - part) * (y[0] - x[0]) + part * (y[-1] - x[-1])
    if float(np.abs(drawn - x).max()) < TOUCHES * float(s[-1] - s[0]) or meets_ray(drawn, q):
        return 0.0
    ends = end_tangents(q)
    found = crossings(x, drawn, ends, ends)
    return link(s, drawn, q) - before - 2.0 * (found.material + found.rays)


def of_mounting(
    answer: Answer, supports: Sequence[Support], places: Array, afloat: frozenset[int]
) -> Iterator[Condition]:
    """Of a cable that was laid anew: an odd turn that nobody asked for, told by its link alone. (Two may have gone into
    loops.)
    """
    for a, b in spans(supports):
        now = span(answer.s, places[a], places[b])
        if {a, b} & afloat or meets_ray(answer.positions[now], answer.quaternions[now]):
            continue
        asked = (supports[b].turn - supports[a].turn) / (2.0 * math.pi)
        left = link(answer.s[now], answer.positions[now], answer.quaternions[now]) - asked
        plain = abs(left - round(left)) < PLAIN
        yield Condition("mounted", float(plain and round(left) % 2), 0.5, None, supports[b].name)


def meets_ray(x: Array, q: Array) -> bool:
    """Whether an end ray meets the curve: then it has no link. So it is where ends face each other on one line."""
    t = end_tangents(q)
    tiny = TOUCHES * float(np.linalg.norm(np.diff(x, axis=0), axis=1).sum())
    for end, along, others in ((x[0], -t[0], x[1:]), (x[-1], t[1], x[:-1])):
        way = others - end
        ahead = way @ along
        off = np.linalg.norm(way - ahead[:, None] * along, axis=1)
        if bool((off[ahead > tiny] < tiny).any()):
            return True
    return False


def crossed(answer: Answer, since: Since) -> tuple[int, int]:
    """(how often it passed through itself, through its end rays) on the way; nothing where that is not known."""
    if not since.known:
        return 0, 0
    same = len(since.s) == len(answer.s)
    if not (same or since.way) or (not since.way and runs_along(since.quaternions, answer.quaternions)):
        return 0, 0
    ends, ends_now = end_tangents(since.quaternions), end_tangents(answer.quaternions)
    passed = rays = 0
    for x, y in itertools.pairwise([since.positions, *since.way, answer.positions]):
        if len(x) == len(y):  # not from one grid to another, which is one shape
            found = crossings(np.array(x), np.array(y), ends, ends_now)
            passed, rays = passed + found.material, rays + found.rays
            ends = ends_now
    return passed, rays


def of_pair(a: Answer, b: Answer, since_a: Since, since_b: Since, name: str, radius: float) -> Condition | None:
    """Whether cable a passed through cable b, of that `name`, on the way; None where it cannot be told.

    They may be joined, or mounted in one place: what is within two diameters, or two segments, of their ends does not
    count; `radius` (m) is the larger.
    """
    if len(a.s) != len(since_a.s) or len(b.s) != len(since_b.s) or since_a.cold or since_b.cold:
        return None
    first = [since_a.positions, *since_a.way, a.positions]
    second = [since_b.positions, *since_b.way, b.positions]
    if len(first) != len(second):  # one after the other
        still = [first[-1]] * (len(second) - 1)
        first, second = [*first, *still], [*[second[0]] * (len(first) - 1), *second]
    count = 0
    mine, theirs = inside(a.s, BESIDE * radius), inside(b.s, BESIDE * radius)
    for (x, y), (v, w) in zip(itertools.pairwise(first), itertools.pairwise(second), strict=True):
        if len(x) == len(y) and len(v) == len(w):
            count += pair_crossings(*(np.array(k[mine]) for k in (x, y)), *(np.array(k[theirs]) for k in (v, w)))
    return Condition("linked", float(count), 0.5, None, name)


def inside(s: Array, margin: float) -> slice:
    """The points farther than `margin` (m), and two segments, from both ends."""
    first, last = int(np.searchsorted(s, s[0] + margin)), int(np.searchsorted(s, s[-1] - margin, side="right"))
    return slice(max(first, 2), min(last, len(s) - 2))


def lasting(supports: Sequence[Support], before: Sequence[Support]) -> Iterator[tuple[int, Support]]:
    """Supports that hold frames, and held them before: their numbers now, and what they were. Clips come and go."""
    known = {support.name: support for support in before if support.direction == FRAME}
    for k, support in enumerate(supports):
        if support.direction == FRAME and support.name in known:
            yield k, known[support.name]


def spans(supports: Sequence[Support]) -> Iterator[tuple[int, int]]:
    """Pairs of neighbouring supports that hold frames."""
    return itertools.pairwise(k for k, support in enumerate(supports) if support.direction == FRAME)


def span(s: Array, start: float, end: float) -> slice:
    """The points from one place to another."""
    tiny = 1e-6 * s[-1]
    return slice(int(np.searchsorted(s, start - tiny)), int(np.searchsorted(s, end + tiny)))


@kernel
def end_tangents(q: Array) -> Array:
    """(2, 3) at the first and the last of some frames (n, 4)."""
    found = np.empty((2, 3))
    for k, i in enumerate((0, len(q) - 1)):
        t = tangent((q[i, 0], q[i, 1], q[i, 2], q[i, 3]))
        for axis in range(3):
            found[k, axis] = t[axis]
    return found


def times(count: int) -> str:
    return "once" if abs(count) == 1 else f"{abs(count)} times"
