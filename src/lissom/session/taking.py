"""A motion taken down while joints are dragged: samples over time, thinned to the keyframes that it needs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lissom.scene import Scene
from lissom.scene.joint import Value
from lissom.session.messages.motion import KeyframeSaid

PAUSE: Final = 0.1
"""s without a move: the joints stood, and did not creep to the next sample."""
LAST_STEP: Final = 0.02
"""s before a move after a pause: until then they stood."""
FASTEST: Final = 3.0
"""rad/s or m/s: a joint that went at once, by a click or a typed value, takes that time in the motion."""
CLOSE_TURN: Final = 0.002
"""rad (a tenth of a degree): keyframes follow the samples as closely;"""
CLOSE_WAY: Final = 1e-4
"""m: and joints that slide."""


@dataclass(slots=True)
class Taking:
    """What was moved since it began; the clock starts with the first move."""

    clock: Callable[[], float] = time.monotonic
    samples: list[tuple[float, Mapping[str, Value]]] = field(default_factory=list)
    _began: float = 0.0

    def note(self, before: Mapping[str, Value], after: Mapping[str, Value]) -> None:
        if before == after:
            return
        if not self.samples:
            self._began = self.clock()
            self.samples.append((0.0, before))
        last, stood = self.samples[-1]
        now = self.clock() - self._began
        if now - last > PAUSE:
            last = now - LAST_STEP
            self.samples.append((last, stood))
        way = max(float(np.abs(np.subtract(after[name], before[name])).max()) for name in before)
        late = max(0.0, last + way / FASTEST - now)
        self._began -= late
        self.samples.append((now + late, after))

    def keyframes(self, scene: Scene) -> list[KeyframeSaid]:
        """As few as follow the samples; only joints that moved. None where nothing moved."""
        names = [k.name for k in scene.joints if len({repr(s[k.name]) for _, s in self.samples if k.name in s}) > 1]
        if not names:
            return []
        times = np.array([t for t, _ in self.samples])
        close = {k.name: CLOSE_WAY if k.kind == "slide" else CLOSE_TURN for k in scene.joints}
        table = np.array([row(names, settings, close) for _, settings in self.samples])
        return [
            KeyframeSaid(round(float(times[k]), 4), {name: self.samples[k][1][name] for name in names})
            for k in needed(times, table)
        ]


def row(names: list[str], settings: Mapping[str, Any], close: dict[str, float]) -> NDArray[np.float64]:
    """The values in units of how closely they are followed."""
    return np.concatenate([np.atleast_1d(settings[name]) / close[name] for name in names])


def needed(times: NDArray[np.float64], table: NDArray[np.float64]) -> list[int]:
    """Samples between which straight lines stay within 1 of all others (Ramer, Douglas, Peucker)."""
    kept = {0, len(times) - 1}
    open_ = [(0, len(times) - 1)]
    while open_:
        a, b = open_.pop()
        if b - a < 2:
            continue
        u = ((times[a + 1 : b] - times[a]) / (times[b] - times[a]))[:, None]
        off = np.abs(table[a + 1 : b] - (1.0 - u) * table[a] - u * table[b]).max(axis=1)
        far = int(np.argmax(off))
        if off[far] > 1.0:
            k = a + 1 + far
            kept.add(k)
            open_ += [(a, k), (k, b)]
    return sorted(kept)
