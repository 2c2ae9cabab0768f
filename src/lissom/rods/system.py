"""Newton's method for cables that touch things and each other, or hang on bodies: one system.

Unknowns: the frames of every chain, eliminated chain by chain; then, in one small dense border, the closure force of
every run, the force of every contact, and the motion p of every free body. With K, g, A, c, E as in blocks.py,

    [ K   Aᵀ  C ] [ dφ ]   [−g]
    [ A  −E   T ] [−dμ ] = [−c]                                           [docs/theory/contact.md (5)]
    [ Cᵀ  Tᵀ  B ] [ dp ]   [−r]

Of the contacts' rows only the inequality is asked: gap + A dφ + T dp + dλ/ρ ≥ 0, λ + dλ ≥ 0, one of them zero. That
is GS07's global rule [§5.8] with its release of contacts that would pull, solved at once; ρ is large. The curvature of
what is touched is a spring at the contact; each is one more column [springs.py].
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.rods import newton
from lissom.rods.blas import one_thread
from lissom.rods.gathered import REACHED
from lissom.rods.halting import given_up
from lissom.rods.stepping import BOLDER, Stepping

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# Shifts of K until the step goes down: the first, in units of B h/L², and the growth.
FIRST_SHIFT = 0.25
SHIFT_GROWTH = 4.0
# What is pressed so that it cannot give way, or pulled taut, for so many iterations is given up.
LONGEST_PRESS = 8
LONGEST_PULL = 3
# A solve has stalled if so many iterations get no nearer to an equilibrium than those before, and nothing moves by more
# than this part of the length. Then contacts are looked for in another way; given up if that stalls too, so often.
STALL = 8
STALLED_WITHIN = 1e-3
MOST_STALLS = 2
# Points of a cable are where its forces stretch it to within this part of the allowed penetration.
STRETCHED = 1e-2
# How often a solve goes on with contacts where a cable was found to dip into a part.
MOST_LOOKS = 12
# How often a saddle is left.
MOST_ESCAPES = 6
# Contacts between many cables take part in the first step up to this part of how far is seen.
FIRST_REACHED = 0.25
# How often a solve looks for cables that overlap between the places that touch.
MOST_PINS = 8


class Stalls:
    """Notices a solve that gets no better and goes nowhere: sets of contacts that follow each other in a circle."""

    def __init__(self, length: float) -> None:
        self.number = 0
        self._near = STALLED_WITHIN * length
        self._begin()

    def _begin(self) -> None:
        self._errors: list[float] = []
        self._where: list[Array] = []

    def count(self, error: float, points: list[Array], origins: list[Array]) -> bool:
        """True where another stall is noticed; counting begins anew then."""
        self._errors.append(error)
        self._where.append(np.concatenate([*points, *(k[None] for k in origins)]))
        k = len(self._errors) - 1
        if k < 2 * STALL or min(self._errors[k - STALL :]) < 0.9 * min(self._errors[: k - STALL]):
            return False
        if any(float(np.abs(x - self._where[-1]).max()) > self._near for x in self._where[k - STALL :]):
            return False
        self.number += 1
        self._begin()
        return True


@dataclass(slots=True)
class Settled:
    """How the solve of a system ended."""

    status: int  # as newton.Outcome
    iterations: int
    residual: float  # relative to max(EI/L², wL, loads)
    closure: float  # relative to L
    penetration: float  # m, the deepest
    unstable: int  # Morse index
    shifted: int  # steps that needed a shift
    escapes: int  # saddles left


class System(Stepping):
    """Cables, and the bodies they sit on, solved together."""

    def settle(self, most_iterations: int, tolerance: float, depth: float, close: bool = True) -> Settled:
        """Moves frames, forces and bodies to an equilibrium in which nothing is deeper than `depth` (m).

        `close`: nor between the places at which cables touch.
        """
        with one_thread():
            outcome = self._settled(most_iterations, tolerance, depth, close)
        self.contacts = self._seen
        return outcome

    def _settled(self, most_iterations: int, tolerance: float, depth: float, close: bool) -> Settled:
        self.caution, self._bolder, self._cuts = 1.0, BOLDER, 0
        self._lets_go = True
        shift_memory = 0.0
        shifted = escapes = impatient = index = in_a_row = pressed = pulled = pinned = looks = 0
        for link in self.links:
            link.aim()
            link.x = link.locate(link.q, link.nu)
        self.touching.begin(self.contacts)
        stalls = Stalls(self.length)
        self._stride = FIRST_REACHED / REACHED * self.touching.sight
        self._look()
        for iteration in range(most_iterations + 1):
            self.contacts = self._seen
            self.evaluate()
            residual, closure, rest = self._errors()
            penetration, apart = self._contact_errors()
            done = (iteration, residual, closure, penetration)
            if not (residual < 1e300 and closure < 1e300):
                return Settled(newton.NOT_FINITE, *done, index, shifted, escapes)
            there = rest <= tolerance and closure <= tolerance and penetration <= depth and apart <= depth
            there = there and self._stretch_settled(depth)
            self._choose(depth)
            columns = self._columns()
            self._stretch(columns)
            columns, crowd = self._filled(columns)
            shift = self.least_shift
            present, Z, right = self._reduce(columns, shift)
            slope = self._slope(Z, crowd) if there and present <= 0 else None
            index = max(present, 0) if slope is None else slope.number
            if there and close and self.touching.pin([k.x for k in self.links], depth):
                if pinned == MOST_PINS:
                    break
                pinned += 1
                self._look()
                continue
            if there and (index == 0 or escapes >= MOST_ESCAPES):
                missed = self.touching.dips([k.x for k in self.links], self.bodies, depth)
                if not missed:
                    return Settled(newton.CONVERGED, *done, index, shifted, escapes)
                if looks == MOST_LOOKS or iteration == most_iterations:
                    break
                looks += 1
                self.touching.watch(missed)
                self._look()
                continue
            pressed = pressed + 1 if self.blocked() else 0
            pulled = pulled + 1 if self.taut() is not None else 0
            if iteration == most_iterations or pressed > LONGEST_PRESS or pulled > LONGEST_PULL or given_up():
                break
            error = max(rest / tolerance, closure / tolerance, penetration / depth, apart / depth)
            if stalls.count(error, [k.x for k in self.links], [k.position for k in self.bodies]):
                if stalls.number > MOST_STALLS:
                    break
                self.touching.doubled = stalls.number % 2 == 1
                self._look()
                continue
            u = self._changes(columns, Z, right, crowd) if present <= 0 else None
            while u is None and shift < 1e6 * self.block and not given_up():
                shift = max(SHIFT_GROWTH * shift, FIRST_SHIFT * self.soft, shift_memory / SHIFT_GROWTH**2)
                present, Z, right = self._reduce(columns, shift)
                u = self._changes(columns, Z, right, crowd) if present <= 0 else None
            if u is None:
                return Settled(newton.NO_DESCENT, *done, index, shifted, escapes)
            if shift > FIRST_SHIFT * self.soft:
                shift_memory = shift
                shifted += 1
                in_a_row += 1
            else:
                in_a_row = 0
            if there or (in_a_row >= newton.PATIENCE and impatient < MOST_ESCAPES):  # symmetry may hide the way down
                escapes, impatient = escapes + there, impatient + (not there)
                in_a_row = 0
                self._leave_saddle(columns, Z, slope or self._slope(Z, crowd))
            else:
                self._advance(self._step(columns, u))
        return Settled(newton.OUT_OF_ITERATIONS, *done, index, shifted, escapes)

    def _stretch_settled(self, depth: float) -> bool:
        """Whether the points are where the present forces stretch the cables to.

        To put them there would be too much where they rub: what sticks is stiffer than the cable is along itself.
        """
        drift = 0.0
        for link in self.links:
            if link.solver.line.is_extensible:
                drift = max(drift, float(np.abs(link.locate(link.q, link.nu) - link.x).max()))
        return drift <= STRETCHED * depth
