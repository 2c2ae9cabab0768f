"""One cable before the judge: what was asked of it, kept as arrays from solve to solve, and what is found."""

import numpy as np
from numpy.typing import NDArray

from lissom.kernels import unchecked
from lissom.rods.judge import alone
from lissom.rods.judge.answer import Answer
from lissom.rods.judge.asked import Asked, Poses, make_asked, make_poses
from lissom.rods.judge.certificate import Looked
from lissom.rods.line import Line, Support

Array = NDArray[np.float64]

NO_PUSHES = np.zeros((0, 8))


class Judged:
    """Keeps what does not change while supports move."""

    def __init__(self) -> None:
        self._known: tuple[Line, Array, Array] | None = None
        self._asked: Asked
        self._room, self._turns = np.zeros(0), np.zeros((0, 3))
        self._found = np.zeros((len(alone.NAMES) + 1, 4))
        self._seen = False  # numba has seen these arrays

    def asked(self, line: Line, s: Array, places: Array) -> Asked:
        """What is asked of this line on these points."""
        known = self._known
        if known is None or not is_same(known[0], line) or known[1] is not s or not np.array_equal(known[2], places):
            self._asked = make_asked(line, s, places)
            self._room, self._turns = np.zeros(len(s)), np.zeros((len(s), 3))
            self._known = line, s, places
        return self._asked

    def look(
        self, line: Line, supports: tuple[Support, ...], answer: Answer, reactions: Array, places: Array, pushes: Array
    ) -> Looked:
        """`supports` as they are to be; `places` (m) where they are handed out; pushes as `alone.look` wants them."""
        rows = self.rows(line, make_poses(supports), answer, reactions, places, pushes)
        return Looked(alone.NAMES, rows.copy(), tuple([k.name for k in supports]))

    def rows(self, line: Line, poses: Poses, answer: Answer, reactions: Array, places: Array, pushes: Array) -> Array:
        """What `alone.look` fills in, until the next call."""
        asked = self.asked(line, answer.s, places)
        call = unchecked(alone.look) if self._seen else alone.look
        self._seen = True
        call(asked, poses, answer, reactions, places, pushes, self._room, self._turns, self._found)
        return self._found


def is_same(a: Line, b: Line) -> bool:
    """Whether two lines differ in the poses of their supports at most."""
    return (
        a.pieces is b.pieces
        and a.loads is b.loads
        and a.rest is b.rest
        and a.length == b.length
        and a.gravity == b.gravity
        and len(a.supports) == len(b.supports)
        and all(p.holds == q.holds and p.direction == q.direction for p, q in zip(a.supports, b.supports, strict=True))
    )
