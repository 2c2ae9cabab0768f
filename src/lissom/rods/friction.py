"""Coulomb friction at contacts, with a stick or slip state that is committed once per accepted solve.

A place that touched a part at the last commit is tied to where it was on the part by a stiff spring along the surface,
of stiffness k; its force is cut off at μλ. Below the cut it sticks, above it slips against its motion:

    f = −k u            if k|u| ≤ μλ                                                [docs/theory/contact.md (9)]
    f = −μλ u/|u|       otherwise,    u: motion along the surface since the reference

On commit the reference follows, so that the spring keeps the force it has: a state that is solved again stays.
"""

import numpy as np
from numpy.typing import NDArray

from lissom.rods.contacts import Contacts

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# k in units of the stiffness of a segment against a push.
BRISTLE = 1e2
# How finely a step that went too far is cut: 2⁻⁴⁰ of it.
BISECTIONS = 40


def slips(c: Contacts, places: Array) -> Array:
    """(c, 3) m: how far each place has moved along the surface since its reference."""
    moved = places - c.reference
    across = np.einsum("ck,ck->c", moved, c.normal)
    return np.asarray(moved - across[:, None] * c.normal)


def drag(c: Contacts, places: Array, bristle: float) -> Array:
    """(c, 3) N: the friction force on each cable a."""
    u = slips(c, places)
    size = np.sqrt(np.einsum("ck,ck->c", u, u))
    limit = c.friction * c.force
    pull = np.minimum(bristle * size, limit)
    return np.asarray(-u * (pull / np.maximum(size, 1e-300))[:, None])


def energy(c: Contacts, places: Array, bristle: float) -> float:
    """J: ½ k u² up to the cut, linear beyond, for the forces λ given."""
    u = slips(c, places)
    size = np.sqrt(np.einsum("ck,ck->c", u, u))
    limit = c.friction * c.force
    elastic = np.minimum(size, limit / bristle)
    return float(np.sum(0.5 * bristle * elastic**2 + limit * (size - elastic)))


def slipping(c: Contacts, places: Array, bristle: float) -> tuple[Indices, Array]:
    """(The contacts that slip, the unit vectors (s, 3) along which friction drags them): ∂f/∂λ is μ times that."""
    u = slips(c, places)
    size = np.sqrt(np.einsum("ck,ck->c", u, u))
    found = np.flatnonzero((c.friction > 0.0) & (bristle * size > c.friction * c.force))
    return found, np.asarray(-u[found] / size[found, None])


def stiffness(c: Contacts, places: Array, bristle: float, caution: float = 0.0) -> Array:
    """(c, 3, 3) N/m: −∂f/∂x with λ held.

    `caution` from 0 to 1 stiffens what slips along its way, where it has no stiffness, up to μλ/|u|: with that the
    quadratic model is nowhere below the energy.
    """
    u = slips(c, places)
    size = np.sqrt(np.einsum("ck,ck->c", u, u))
    limit = c.friction * c.force
    stick = bristle * size <= limit
    plane = np.eye(3) - c.normal[:, :, None] * c.normal[:, None, :]
    way = u / np.maximum(size, 1e-300)[:, None]
    k = np.where(stick, np.where(limit > 0.0, bristle, 0.0), limit / np.maximum(size, 1e-300))
    along = np.where(stick, 0.0, 1.0 - caution)[:, None, None] * way[:, :, None] * way[:, None, :]
    return np.asarray(k[:, None, None] * (plane - along))


def lowest(
    c: Contacts, aimed: Contacts, way: tuple[Array, Array], bristle: float, caution: float, change: float
) -> float:
    """The part of a step at which energy and friction together are lowest, where the whole of it went too far.

    c: before the step, with the forces from which its matrix was made; aimed: with those it leads to; way: (c, 3) m the
    places before and after; change: J, of all energy but friction's. That energy is taken as quadratic: how it slopes
    at the end of the step follows from friction as the matrix knew it. Friction's is followed through what stops
    slipping or begins to, where its force turns within far less than a step.
    """
    begin, du = slips(aimed, way[0]), slips(aimed, way[1]) - slips(aimed, way[0])
    size = np.sqrt(np.einsum("ck,ck->c", begin, begin))
    sticks = bristle * size <= c.friction * c.force
    pull = np.where(sticks, bristle, aimed.friction * aimed.force / np.maximum(size, 1e-300))[:, None] * begin
    pull += np.einsum("cjk,ck->cj", stiffness(c, way[0], bristle, caution), du)
    end = -float(np.sum(pull * du))
    bend = 2.0 * (end - change)
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        part = 0.5 * (low + high)
        slope = end - (1.0 - part) * bend - float(np.sum(drag(aimed, way[0] + part * du, bristle) * du))
        low, high = (part, high) if slope < 0.0 else (low, part)
    return low
