"""Contact forces of a step where what is pressed only stands because it is pressed.

A box on a table would topple about its corners, were they not held down: without its contacts the system is not
stable, and Q of the complementarity problem not positive definite, though with them it is. Then contacts that press
are held closed by a spring σ as well, which does nothing while they stay closed: with λ = λ̃ − σ w there and w = Qλ − b,

    w = Q̃ λ̃ − b̃,   Q̃ = (1 + QD)⁻¹ Q,   b̃ = (1 + QD)⁻¹ b,   D = σ if pressed, else 0     [docs/theory/contact.md (13)]

One that would open is held back by this one step; it has no force in the next.
"""

import numpy as np
from numpy.typing import NDArray

from lissom.rods.complementarity import nonnegative

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


def held_closed(Q: Array, b: Array, pressed: Flags, start: Flags, stiffness: float) -> Array | None:
    """λ of all contacts, negative for those that are to be let go; None where holding them does not help either."""
    if not pressed.any():
        return None
    spring = np.where(pressed, stiffness, 0.0)
    held = np.asarray(np.linalg.solve(np.eye(len(b)) + Q * spring, np.column_stack([Q, b])), dtype=np.float64)
    firm, side = 0.5 * (held[:, :-1] + held[:, :-1].T), held[:, -1].copy()
    found = nonnegative(firm, side, start)
    return None if found is None else np.asarray(found - spring * (firm @ found - side))
