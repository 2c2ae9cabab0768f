"""Newton's step of cables that touch cables: the curvature of their contacts without columns of its own.

Cables that press each other would roll off each other, were others not in the way: with the springs of its contacts
but without the contacts themselves a bundle is not stable, and its border has hundreds of columns, or thousands. So
only the normals are eliminated: K̂ = K + ρ AᵀA, A those of the contacts that act. With S = Σ τ vvᵀ of all springs,

    (K̂ + S) dφ = −g − ρ Aᵀc                                                        [docs/theory/contact.md (5b)]

is solved by conjugate gradients with K̂ as the preconditioner: as many steps as K̂⁻¹S has eigenvalues that are far from
zero. Where 1 + one of them is negative, some direction lowers the energy.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.geometry.triples import rotation
from lissom.kernels import kernel
from lissom.rods import staggered
from lissom.rods.border import Terms, carried_force
from lissom.rods.chain import Chain, frame, internal_force
from lissom.rods.link import Link
from lissom.rods.springs import Columns, chosen, terms_on

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

# Conjugate gradients stop where the error, in the energy, has fallen by this factor; or after so many steps.
EXACT = 1e-6
MOST_STEPS = 200
# Lanczos' method stops where the lowest eigenvalue is known to this part of itself; or after so many steps.
KNOWN = 0.1
LEAST_VECTORS = 8
MOST_VECTORS = 80


@dataclass(slots=True)
class Slope:
    """A direction in which the energy falls, and how many there are."""

    number: int
    turns: list[Array]  # per link (frames, 3): the steepest


class Crowd:
    """The springs of the contacts of a system, for one of its states. No link stretches, and no body is free."""

    def __init__(self, links: list[Link], columns: Columns) -> None:
        self.links = links
        self._places = chosen(columns.places, columns.places.column >= columns.contacts)
        self._places.column[:] -= columns.contacts
        self._stiffness = 1.0 / columns.give[columns.contacts :]
        number = np.arange(len(self._stiffness))
        self._terms = [terms_on(self._places, k, number) for k in range(len(links))]
        self._ends = np.cumsum([0, *(k.work.gradient.size for k in links)])
        self._closure = [k.work.closure.copy() for k in links]
        self._gradient = np.concatenate([k.work.gradient.ravel() for k in links])
        self._inverse: Array = np.zeros((0, 0))
        self._acts = np.zeros(0, dtype=bool)

    def hold(self, Z: Array, acts: Flags) -> None:
        """Contacts that act from here on."""
        self._acts = acts
        self._inverse = np.asarray(np.linalg.inv(Z[np.ix_(acts, acts)]), dtype=np.float64)

    def step(self, Z: Array, error: Array, force: Array) -> tuple[Array, Array] | None:
        """u = −dλ and the gaps after the step, with the contacts that are held closed, the others without force.

        The links' own steps go with it. None where the energy falls without end.
        """
        first = self._solved(self._gradient, Z, error, force)[2]
        more = self._corrected(first)
        if more is None:
            self._restore()
            return None
        u, right, _ = self._solved(self._gradient + self.pulled(first + more), Z, error, force)
        return u, Z @ u - right

    def _solved(self, gradient: Array, Z: Array, error: Array, force: Array) -> tuple[Array, Array, Array]:
        """(u, the right side of the border, dφ) of the Newton step with another gradient, without springs."""
        right = -error
        self._restore()
        self._spread(gradient)
        for link in self.links:
            link.substitute(right)
        u = np.where(self._acts, 0.0, force)
        u[self._acts] = np.linalg.solve(Z[np.ix_(self._acts, self._acts)], (right - Z @ u)[self._acts])
        return u, right, self._turned(u)

    def _corrected(self, turns: Array) -> Array | None:
        """y with (K̂ + S) y = −S·turns."""
        found = np.zeros_like(turns)
        r = -self.pulled(turns)
        z = self._relaxed(r)
        value = start = float(r @ z)
        p, stiff = z.copy(), r.copy()  # K̂ p, along with p
        for _ in range(MOST_STEPS):
            if value <= EXACT**2 * max(start, 1e-300):
                break
            product = stiff + self.pulled(p)
            energy = float(p @ product)
            if energy <= 0.0:
                return None
            found += value / energy * p
            r -= value / energy * product
            z = self._relaxed(r)
            before, value = value, float(r @ z)
            p, stiff = z + value / before * p, r + value / before * stiff
        return found

    def slope(self) -> Slope:
        """Directions in which the energy falls: eigenvalues of K̂⁻¹S below −1 [Lanczos 1950].

        All of them, but for such as are at right angles to the random start.
        """
        if (self._stiffness > 0.0).all():
            return Slope(0, [])
        w = np.random.default_rng(1).uniform(-1.0, 1.0, len(self._gradient))
        w *= np.concatenate([k.chain.mask.ravel() for k in self.links])
        turns: list[Array] = []  # orthonormal in K̂,
        forces: list[Array] = []  # and K̂ times them
        along: list[float] = []
        beside: list[float] = []
        values, vectors = np.zeros(1), np.ones((1, 1))
        while len(turns) < MOST_VECTORS:
            z = self._relaxed(w)
            size = math.sqrt(max(float(w @ z), 0.0))
            if turns:
                known = size * abs(vectors[-1, 0]) <= KNOWN * abs(1.0 + values[0])
                if size <= 1e-12 or (known and len(turns) >= LEAST_VECTORS):
                    break
                beside.append(size)
            turns.append(z / size)
            forces.append(w / size)
            w = self.pulled(turns[-1])
            along.append(float(turns[-1] @ w))
            for _ in range(2):
                for turn, f in zip(turns, forces, strict=True):
                    w -= float(turn @ w) * f
            values, vectors = np.linalg.eigh(np.diag(along) + np.diag(beside, 1) + np.diag(beside, -1))
        self._restore()
        lowest = np.asarray(sum(a * v for a, v in zip(vectors[:, 0], turns, strict=True)))
        return Slope(int(np.count_nonzero(values < -1.0)), self._split(lowest))

    # ---- products ------------------------------------------------------------------------------------------------

    def pulled(self, turns: Array) -> Array:
        """S·turns."""
        return self._pulling(self._stiffness * self._felt(turns))

    def _felt(self, turns: Array) -> Array:
        """(springs,) Vᵀ·turns."""
        felt = np.zeros(len(self._stiffness))
        for number, (link, part) in enumerate(zip(self.links, self._split(turns), strict=True)):
            feel(link.chain, link.q, link.nu, link.site, link.anchor, part, self._terms[number], felt)
        return felt

    def _pulling(self, felt: Array) -> Array:
        """V·felt."""
        out = np.zeros_like(self._gradient)
        for number, (link, part) in enumerate(zip(self.links, self._split(out), strict=True)):
            pull(link.chain, link.q, link.nu, link.site, link.anchor, self._terms[number], felt, part)
        return out

    def _relaxed(self, forces: Array) -> Array:
        """K̂⁻¹·forces."""
        self._spread(-forces)
        right = np.zeros(len(self._acts))
        for link in self.links:
            link.work.closure[:] = 0.0
            link.substitute(right)
        u = np.zeros(len(right))
        u[self._acts] = self._inverse @ right[self._acts]
        return self._turned(u)

    def _restore(self) -> None:
        """What the links had before is theirs again."""
        self._spread(self._gradient)
        for link, closure in zip(self.links, self._closure, strict=True):
            link.work.closure[:] = closure

    def _turned(self, u: Array) -> Array:
        return np.concatenate([link.step(u)[0].ravel() for link in self.links])

    def _spread(self, gradient: Array) -> None:
        for link, part in zip(self.links, self._split(gradient), strict=True):
            link.work.gradient[:] = part

    def _split(self, values: Array) -> list[Array]:
        """Per link (frames, 3), views."""
        return [values[a:b].reshape(-1, 3) for a, b in zip(self._ends, self._ends[1:], strict=False)]


@kernel
def feel(
    chain: Chain, q: Array, nu: Array, site: Indices, anchor: Indices, turns: Array, terms: Terms, felt: Array
) -> None:
    """Adds to felt[column] by how much the places of its terms move along their directions if frames turn so."""
    h = chain.h
    ahead = np.zeros((len(h) + 1, 3))  # of each point against the first
    for s in range(len(h)):
        i = site[s]
        _, _, G = staggered.segment(
            rotation(frame(q, i)), internal_force(chain.force, chain.run, nu, s), h[s], chain.compliance[s]
        )
        for k in range(3):
            ahead[s + 1, k] = (
                ahead[s, k] + G[3 * k] * turns[i, 0] + G[3 * k + 1] * turns[i, 1] + G[3 * k + 2] * turns[i, 2]
            )
    for m in range(len(terms.column)):
        at, t = terms.segment[m], terms.t[m]
        for k in range(3):
            moved = ahead[at, k] + t * (ahead[at + 1, k] - ahead[at, k]) - ahead[anchor[at, k], k]
            felt[terms.column[m]] += terms.direction[m, k] * moved


@kernel
def pull(
    chain: Chain, q: Array, nu: Array, site: Indices, anchor: Indices, terms: Terms, felt: Array, out: Array
) -> None:
    """Adds to out (frames, 3) what forces felt[column] along the directions of the terms do to the frames."""
    h = chain.h
    scaled = Terms(terms.column, terms.segment, terms.t, np.empty_like(terms.direction))
    for m in range(len(terms.column)):
        for k in range(3):
            scaled.direction[m, k] = felt[terms.column[m]] * terms.direction[m, k]
    w = np.zeros((len(h), 3))
    carried_force(np.zeros((len(h), 3)), anchor, scaled, w)
    for s in range(len(h)):
        i = site[s]
        _, _, G = staggered.segment(
            rotation(frame(q, i)), internal_force(chain.force, chain.run, nu, s), h[s], chain.compliance[s]
        )
        for k in range(3):
            out[i, k] += G[k] * w[s, 0] + G[3 + k] * w[s, 1] + G[6 + k] * w[s, 2]
