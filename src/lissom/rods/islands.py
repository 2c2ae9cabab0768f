"""Cables that are far from each other are solved for themselves, those that meet together.

An island is a set of cables that touch, nearly touch, or hang on the same free body. A solve concerns the islands that
something has changed for. Where one would come into a cable of another island, or through it, nothing of its solve
counts: the two become one island, which is solved from where both were.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lissom.rods.assembly import Assembly, Mark, Pose, are_good
from lissom.rods.bodies import Body
from lissom.rods.describing import Contact
from lissom.rods.obstacle import Obstacle
from lissom.rods.outcome import RodReport
from lissom.rods.pairing import Pairing
from lissom.rods.past import Past
from lissom.rods.surroundings import Clearance, Skin
from lissom.scene.placing import Poses

Array = NDArray[np.float64]
T = TypeVar("T")
Box = tuple[Array, Array]  # lowest and highest corner, m


class Islands:
    """The cables of a scene with all they can meet, in as many assemblies as do not meet."""

    def __init__(self, bound: Sequence[Iterable[str]], make: Callable[[list[str]], Assembly]) -> None:
        """`bound`: names of all cables, in sets that are each in one island always; `make`: an assembly of some."""
        self._make = make
        self._bound = [list(k) for k in bound]
        self.assemblies: list[Assembly] = []
        self._skins: dict[str, Skin] = {}
        self._shapes: dict[str, Array] = {}  # (points, 3) m, of the cables that have one
        self._before: dict[Assembly, Mark] = {}  # of those that were solved in the present call
        self._past: Past | None = None  # as it was last asked for, until something is solved
        for names in self._bound:
            self._found(make(names))
        self._gather()

    # ---- solving -------------------------------------------------------------------------------------------------

    def solve(self, cold: bool, dirty: set[str]) -> dict[str, RodReport]:
        """Reports of the cables of the islands that something has changed for: a cable of theirs is in `dirty`.

        Where one fails that had a shape, all that had one are as they were last solved.
        """
        reports: dict[str, RodReport] = {}
        self._before.clear()
        self._past = None
        waiting = [(k, cold or not k.has_begun) for k in self.assemblies if cold or dirty & k.solvers.keys()]
        if any(anew and k.is_led for k, anew in waiting):  # given shapes say on which side of each other cables lie
            waiting = [(self._join(self.assemblies), True)]
        while waiting:
            assembly, anew = waiting.pop(0)
            found, met = self._solved(assembly, anew)
            if met:
                joined = self._join([k for k in self.assemblies if k is assembly or met & k.solvers.keys()])
                # what begins comes last: others may belong to it too, and it is long to solve
                rest = [k for k in waiting if k[0] in self.assemblies]
                waiting = [*rest, (joined, True)] if anew else [(joined, False), *rest]
                continue
            reports |= found
            if not anew and not are_good(found):
                self._before.pop(assembly, None)
                failed = next(name for name, k in found.items() if not are_good({name: k}))
                reason = f"put back to where it was, for {failed} has no shape there: {found[failed].reason}"
                for other in list(self._before):
                    reports |= self._back(other).put_back(reason)
                return reports
        for assembly in list(self.assemblies):
            mine = {name: reports[name] for name in assembly.solvers if name in reports}
            if mine and are_good(mine):  # what has failed is one island until it has a shape
                self._split(assembly)
        return reports

    def _solved(self, assembly: Assembly, anew: bool) -> tuple[dict[str, RodReport], set[str]]:
        """Reports of one island, and the cables of others that it would come into: then it has not changed."""
        if len(self.assemblies) == 1:
            found = assembly.solve(anew)
            self._note(assembly)
            return found, set()
        if not anew:
            self._before[assembly] = assembly.mark()
        found = assembly.solve(anew, lambda before, after: self._met(assembly, before, after))
        if assembly.met:
            self._before.pop(assembly, None)
            return found, assembly.met
        self._note(assembly)
        if not (anew and are_good(found)):
            return found, set()
        points = [self._shapes[k] for k in assembly.solvers]
        return found, self._met(assembly, points, points)

    def _met(self, assembly: Assembly, before: list[Array], after: list[Array]) -> set[str]:
        """Cables of other islands that those of one come into, or pass through, going straight."""
        found: set[str] = set()
        strangers = [k for k in self._shapes if k not in assembly.solvers]
        for name, x, y in zip(assembly.solvers, before, after, strict=True):
            skin = self._skins[name]
            around = box(skin, x, y)
            for other in strangers:
                z, there = self._shapes[other], self._skins[other]
                if not overlap(around, box(there, z)):
                    continue
                pairing = Pairing([skin, there])
                if pairing.passing([x, z], [y, z]) <= 1.0 or pairing.overlap([y, z], assembly.depth):
                    found.add(other)
        return found

    def _back(self, assembly: Assembly) -> Assembly:
        """An island that was solved in the present call, as it was before; in its place."""
        mark = self._before.pop(assembly)
        assembly.go_back(mark)
        return self._instead([assembly], list(assembly.solvers), mark.past, mark.last, mark.origins, mark.bodies)

    # ---- which cables are one island -----------------------------------------------------------------------------

    def _found(self, assembly: Assembly) -> None:
        self.assemblies.append(assembly)
        self._skins |= {skin.name: skin for skin in assembly.surroundings.skins}
        self._note(assembly)

    def _note(self, assembly: Assembly) -> None:
        """Where its cables are now; one without a shape is nowhere."""
        for name, solver in assembly.solvers.items():
            self._shapes.pop(name, None)
            if solver.solved is not None:
                self._shapes[name] = solver.positions()

    def _gather(self) -> None:
        """Islands whose cables nearly touch become one."""
        near: list[tuple[Assembly, Assembly]] = []
        boxes = {name: box(self._skins[name], x) for name, x in self._shapes.items()}
        for a, b in combinations(self.assemblies, 2):
            pairs = ((c, d) for c in a.solvers for d in b.solvers if c in boxes and d in boxes)
            if any(overlap(boxes[c], boxes[d]) and self._near(c, d) for c, d in pairs):
                near.append((a, b))
        for some in connected(self.assemblies, near):
            self._join(some)

    def _near(self, one: str, other: str) -> bool:
        pairing = Pairing([self._skins[one], self._skins[other]])
        c = pairing.near([self._shapes[one], self._shapes[other]])
        return bool((c.link != c.other).any())

    def _join(self, some: Sequence[Assembly]) -> Assembly:
        """One island in place of several, all of them as they were before the present call."""
        some = [self._back(k) if k in self._before else k for k in some]
        if len(some) == 1:
            return some[0]
        names = [name for bound in self._bound for name in bound if any(name in k.solvers for k in some)]
        past = Past.together([k.past for k in some], names)
        last = {name: report for k in some for name, report in k.last.items()}
        poses = {name: pose for k in some for name, pose in k.body_poses.items()}
        return self._instead(some, names, past, last, some[0].origins, poses)

    def _split(self, assembly: Assembly) -> None:
        """Several islands in place of one whose cables are apart again."""
        bound = [k for k in self._bound if k[0] in assembly.solvers]
        of = {name: number for number, names in enumerate(bound) for name in names}
        parts = connected(range(len(bound)), [(of[a], of[b]) for a, b in assembly.neighbours])
        if len(parts) == 1:
            return
        past, last = assembly.past, assembly.last
        gone = [assembly]
        for numbers in parts:
            names = [name for k in numbers for name in bound[k]]
            mine = {name: last[name] for name in names}
            self._instead(gone, names, past.only(names), mine, assembly.origins, assembly.body_poses)
            gone = []

    def _instead(
        self,
        gone: list[Assembly],
        names: list[str],
        past: Past,
        last: dict[str, RodReport],
        origins: list[Pose],
        bodies: dict[str, Pose],
    ) -> Assembly:
        """Another assembly that goes on from the contacts, reports, and poses of parts and free bodies of others."""
        self.assemblies = [k for k in self.assemblies if k not in gone]
        assembly = self._make(names)
        assembly.stand(origins)
        assembly.place_bodies(bodies)
        assembly.take(past)
        assembly.recall(last)
        self._found(assembly)
        return assembly

    # ---- what came of it -----------------------------------------------------------------------------------------

    @property
    def depth(self) -> float:
        """m: how deep cables may be in what they touch."""
        return min(k.depth for k in self.assemblies)

    @property
    def obstacles(self) -> list[Obstacle]:
        return self.assemblies[0].surroundings.obstacles

    @property
    def bodies(self) -> list[Body]:
        return [body for k in self.assemblies for body in k.bodies]

    @property
    def contacts(self) -> tuple[Contact, ...]:
        return tuple(contact for k in self.assemblies for contact in k.contacts)

    @property
    def past(self) -> Past:
        """What the contacts leave behind."""
        if self._past is None:
            names = [name for names in self._bound for name in names]
            self._past = Past.together([k.past for k in self.assemblies], names)
        return self._past

    def take(self, past: Past) -> None:
        """Goes on from there, where it is of the same cables and parts."""
        self._past = None
        for k in self.assemblies:
            if set(past.cables) >= k.solvers.keys():
                k.take(past.only(list(k.solvers)))

    def recall(self, reports: dict[str, RodReport]) -> None:
        for k in self.assemblies:
            k.recall({name: reports[name] for name in k.solvers if name in reports})

    def aim(self, poses: Poses) -> None:
        """Where parts are to stand after the next solve."""
        for k in self.assemblies:
            k.aim(poses)

    def clearances(self, points: Mapping[str, Array]) -> list[Clearance]:
        """The nearest place of every cable to every part that it may touch: of what presses, that."""
        return [found for k in self.assemblies for found in k.clearances([points[name] for name in k.solvers])]

    def along(self, name: str, points: Array) -> Array:
        """(points,) m from the skin of a cable to the nearest part that it may touch; inf where there is none."""
        (assembly,) = (k for k in self.assemblies if name in k.solvers)
        return assembly.surroundings.along(name, points)


def box(skin: Skin, *shapes: Array) -> Box:
    """Around a cable where it is, or was; with room for what it nearly touches."""
    wide = 2.0 * skin.radius
    low, high = shapes[0].min(axis=0), shapes[0].max(axis=0)
    for x in shapes[1:]:
        low, high = np.minimum(low, x.min(axis=0)), np.maximum(high, x.max(axis=0))
    return low - wide, high + wide


def overlap(a: Box, b: Box) -> bool:
    return bool((a[0] <= b[1]).all() and (b[0] <= a[1]).all())


def connected(things: Iterable[T], pairs: Iterable[tuple[T, T]]) -> list[list[T]]:
    """The things in sets of those that pairs connect; in their order."""
    sets = [[k] for k in things]
    for a, b in pairs:
        first, second = (next(k for k in sets if thing in k) for thing in (a, b))
        if first is not second:
            first += second
            sets.remove(second)
    return sets
