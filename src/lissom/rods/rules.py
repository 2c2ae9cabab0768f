"""How contact forces are renewed in a step: the two rules of GS07 §5.8 behind one interface.

With all else eliminated, the gaps after a step are w = Qλ − b. The *global* rule asks for λ ≥ 0, w ≥ 0, λ·w = 0 of all
contacts together; Q is GS07's M = ñᵀH⁻¹ñ. The *individual* one lets each contact see to its own gap, in turn and once,

    λᵢ ← max(0, λᵢ − wᵢ/Qᵢᵢ)                                                      [docs/theory/contact.md (5a)]

which is the same for one contact, and needs more steps the more contacts lean on each other.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.rods.holding import border_step, contact_forces

Array = NDArray[np.float64]


@dataclass(slots=True)
class Problem:
    """One step's contacts, the first rows of the border, with all else eliminated from them. c: contact."""

    Z: Array  # the border
    right: Array
    force: Array  # (c,) N, before the step
    gap: Array  # (c,) m, before the step
    side: Array  # the rest of the border solved for its columns of contacts, and for its right side
    Q: Array  # (c, c) m/N
    b: Array  # (c,) m
    soft: float  # N/m: forces across gaps wider than they would press such a spring do not hold
    hold: float  # N/m: stiffness of what holds closed
    standing: bool  # whether bodies stand on contacts
    lets_go: bool  # whether contacts that are held closed may be let go


# u = (−dμ, dp) of the border; None where the step is not convex
Rule = Callable[[Problem], Array | None]


def global_rule(p: Problem) -> Array | None:
    pressed = p.force > 0.0
    held = pressed & (p.force > p.soft * p.gap) if p.standing else pressed
    found = contact_forces(p.Q, p.b, held, pressed | (p.gap < 0.0), p.hold)
    if found is None or (found[1].any() and not p.lets_go):
        return None
    return border_step(p.Z, p.right, p.force, *found)


def individual_rule(p: Problem) -> Array | None:
    if (np.diag(p.Q) <= 0.0).any():
        return None
    force = p.force.copy()
    for i in range(len(force)):
        force[i] = max(0.0, force[i] - (p.Q[i] @ force - p.b[i]) / p.Q[i, i])
    changes = p.force - force
    return np.concatenate([changes, p.side[:, -1] - p.side[:, :-1] @ changes])
