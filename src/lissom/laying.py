"""Laying cables: new ones between two poses, clips put on and taken off while the shape stays [GS07 §6.3].

A clip that is added takes the present pose of the cable, so nothing jumps. What comes after it keeps its frame: a clamp
that said no roll was mounted untwisted on the clamp before, which is another one now, so its whole frame is said.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.reports import Report
from lissom.rods.line import FRAME, NO_DIRECTION, PointLoad, Support
from lissom.rods.reading import DIRECTIONS, whole_turns
from lissom.rods.result import CableResult
from lissom.routing import Routed, certified
from lissom.scene import Clip, Problem, Scene, SceneError
from lissom.scene.checks import SAME_PLACE
from lissom.scene.described import plain
from lissom.scene.errors import ABSENT
from lissom.scene.fields import suggestion
from lissom.scene.frames import twist_between
from lissom.standing import is_grip
from lissom.verbs import whole

Array = NDArray[np.float64]

# Length of a new cable before it has found its own, in units of the distance between its ends.
FIRST_LENGTH = 1.2


# Clips that are spaced at once: more than any cable has.
MOST_CLIPS = 1000


class Laid(Routed):
    """Cables and clips that come and go."""

    @whole
    def add_cable(
        self,
        name: str,
        *,
        start: Mapping[str, Any],
        end: Mapping[str, Any],
        length: float | str | None = None,
        bent: float = 0.5,
        **fields: Any,
    ) -> Report:
        """A new cable between two poses, solved; without a length it finds its own (`bent` as in `soften`).

        `start` and `end` hold the fields of the scene file: position, tangent, roll, quaternion, on, frame.
        `type="library:…"` or any other field of a cable may follow.
        """
        data = {"name": name, **fields, "start": dict(start), "end": dict(end)}
        if length is None:
            trial = self.scene.with_cable({**data, "length": 1.0})
            ends = [k.position for k in self._trial_line(trial, name)]
            distance = math.dist(ends[0], ends[-1]) if len(ends) > 1 else 0.0
            if not distance > 0.0:
                message = "is missing: the ends must be held at two different places for the cable to find its own"
                raise SceneError([Problem(f"{name}/length", ABSENT, message)])
            data["length"] = FIRST_LENGTH * distance
        else:
            data["length"] = length
        self.replace_scene(self.scene.with_cable(data))
        self._cables.solvers[name].solve(cold=True)  # the others go on from their present shapes
        if length is not None:
            return self.solve()
        mode = self.soften(name, bent=bent)
        found = self.solve()
        frozen = mode.freeze()
        return frozen if found.ok else found

    def _trial_line(self, scene: Scene, name: str) -> tuple[Support, ...]:
        """The supports that a cable of another scene would have."""
        mine = self._standing.scene
        self._standing.scene = scene
        try:
            return self._standing.line(scene.cable(name)).supports
        finally:
            self._standing.scene = mine

    @whole
    def add_clip(self, name: str, *, at: float, kind: str = "clamp", clip: str | None = None) -> str:
        """Puts a clip on the cable at a fraction of its length, in its present pose: nothing jumps. Gives its path."""
        old = self.scene.cable(name).clips
        called = clip or next(free_names(old))
        if any(k.name == called for k in old):
            raise SceneError([Problem(f"{name}/{called}", ABSENT, "is already there: give the new clip another name")])
        if not 0.0 < at < 1.0:
            raise ValueError(f"add_clip at = {at}: must lie between 0 and 1 (a fraction of the length)")
        if any(abs(k.place - at * self._length(name)) < SAME_PLACE * self._length(name) for k in self._held(name)):
            raise ValueError(f"add_clip at = {at}: {name} is already held there")
        self._clip(name, {called: at}, kind, {k.name for k in old})
        return f"{name}/{called}"

    @whole
    def space_clips(self, name: str, count: int, *, kind: str = "clamp") -> tuple[str, ...]:
        """The cable gets `count` clips, spaced evenly along it, where it is now; they replace the clips it had."""
        if not 0 <= count <= MOST_CLIPS or int(count) != count:
            raise ValueError(f"space_clips: count = {count}: must be a whole number from 0 to {MOST_CLIPS}")
        free = free_names(())
        places = {next(free): k / (count + 1) for k in range(1, int(count) + 1)}
        self._clip(name, places, kind, set())
        return tuple(f"{name}/{called}" for called in places)

    @whole
    def remove(self, path: str) -> None:
        """Takes a clip ("hose/clip 1") or a whole cable ("hose") out; the others go on from their present shapes."""
        name, _, part = path.partition("/")
        if not part:
            self.replace_scene(self.scene.without_cable(name))
            return
        clips = {k.name for k in self.scene.cable(name).clips}
        if part not in clips:
            message = (
                f"there is no clip of this name{suggestion(part, clips)}; ends and junctions are edited, not removed"
            )
            raise SceneError([Problem(path, ABSENT, message)])
        self._clip(name, {}, "clamp", clips - {part})

    # ---- clips and what they mean for their neighbours -----------------------------------------------------------

    def _length(self, name: str) -> float:
        return self._cables.solver(name).line.length

    def _held(self, name: str) -> tuple[Support, ...]:
        return self._cables.solver(name).supports

    def _pointed(self, name: str, places: list[float]) -> CableResult:
        """The equilibrium with points of its own at these places (m): poses there are its own, not interpolated."""
        if self._cables.solver(name).solved is None:
            self.solve()
        held = [k.place for k in self._held(name)]
        own = [k for k in places if min((abs(k - h) for h in held), default=1.0) > SAME_PLACE * self._length(name)]
        line = self._cables.solver(name).line
        if own:
            self._rebuild(name, replace(line, loads=(*line.loads, *(PointLoad(place) for place in own))))
        report = self.solve()
        if not certified(report):
            report.raise_if_failed()
        return self.cable(name)

    def _clip(
        self, name: str, new: dict[str, float], kind: str, keep: set[str], shape: CableResult | None = None
    ) -> None:
        """New clips (name → fraction) where the cable is now, or in `shape`; of the old ones those to `keep` stay."""
        if kind not in DIRECTIONS:
            raise ValueError(f"clip kind {kind!r}: must be one of {', '.join(DIRECTIONS)}")
        result = shape or self._pointed(name, [at * self._length(name) for at in new.values()]) if new else None
        added = [self._taken(result, called, at, kind) for called, at in new.items()] if result is not None else []
        if result is None:  # what makes a scene impossible can be taken out of it
            self.solve()
            result = self.cable(name) if self._cables.has_shape(name) else None
        held = [k for k in self._held(name) if k.direction == FRAME and not is_grip(k)]
        clipped = {clip.name for clip in self._standing.scene.cable(name).clips}
        stay = [k for k in held if k.name in keep or k.name not in clipped]
        clamps = sorted([*stay, *(k for k in added if k.direction == FRAME)], key=lambda k: k.place)
        twists = self._recounted(name, result, held, clamps)
        clips = [plain(clip) | {"name": clip.name} for clip in self.scene.cable(name).clips if clip.name in keep]
        clips += [described(k, self._length(name)) for k in added]
        now = {k.name: k.place for k in (*self._held(name), *added)}
        clips.sort(key=lambda k: now[k["name"]])  # slides without a place lie between those they are listed between
        for data in clips:
            if data["name"] in twists:
                data["twist"] = twists[data["name"]]
        changes: dict[str, Any] = {f"{name}/clips": [said_only(k) for k in clips]}
        if "end" in twists:
            changes[f"{name}/twist"] = twists["end"]
        self.replace_scene(self.scene.with_values(changes))
        self.solve()

    def _taken(self, result: CableResult, called: str, at: float, kind: str) -> Support:
        """A support that holds the cable as it is."""
        place = at * result.length
        point = int(np.argmin(np.abs(result.s - place)))
        (x, y, z), (q0, q1, q2, q3) = result.positions[point].tolist(), result.quaternions[point].tolist()
        direction = DIRECTIONS[kind]
        return Support(called, kind, place, (x, y, z), direction=direction, quaternion=(q0, q1, q2, q3))

    def _recounted(
        self, name: str, result: CableResult | None, before: list[Support], after: list[Support]
    ) -> dict[str, float | None]:
        """The twist of every clamp that now follows another one, by name; their frames are said in full first.

        What a junction holds is said by the junction, and nothing is counted from it.
        """
        was = {k.name: (before[i - 1].name if i else None) for i, k in enumerate(before)}
        cable = self._standing.scene.cable(name)
        said = {key for key, held in cable.held.items() if held is not None}
        found: dict[str, float | None] = {}
        for i, clamp in enumerate(after):
            last = after[i - 1] if i else None
            if clamp.name in was and was[clamp.name] == (last.name if last else None):
                continue
            if clamp.name not in was or clamp.name in said:
                joined = last is not None and last.name in was and last.name not in said
                found[clamp.name] = None if last is None or joined or result is None else counted(result, last, clamp)
            if clamp.name in was and clamp.name in said:
                self._standing.note(f"{name}/{clamp.name}", quaternion=clamp.quaternion)
        return found


def counted(result: CableResult, a: Support, b: Support) -> float:
    """The twist from one clamp to the next, rad: their frames say the angle, the torsion between them the turns."""
    inside = (result.s >= a.place - 1e-9 * result.length) & (result.s <= b.place + 1e-9 * result.length)
    torsion = float(np.trapezoid(result.torsion[inside], result.s[inside]))
    return whole_turns(twist_between(a.quaternion, b.quaternion), torsion)


def described(support: Support, length: float) -> dict[str, Any]:
    """A clip of the scene file."""
    data: dict[str, Any] = {"name": support.name, "at": support.place / length, "kind": support.kind}
    data["position"] = list(support.position)
    return data if support.direction == NO_DIRECTION else data | {"quaternion": list(support.quaternion)}


def said_only(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value is not None}


def free_names(clips: tuple[Clip, ...]) -> Iterator[str]:
    """clip 1, clip 2, … as far as no clip has that name."""
    taken = {clip.name for clip in clips}
    return (name for k in itertools.count(1) if (name := f"clip {k}") not in taken)
