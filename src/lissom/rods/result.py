"""What a solved cable can tell: shape, strains, forces and moments at its points.

All arrays are float64, read-only, and belong to this result alone: a later solve never changes them.
"""

import math
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.rods import shape
from lissom.rods.chain import POLISHED, Chain
from lissom.rods.grid import Grid
from lissom.rods.judge.answer import Answer
from lissom.rods.judge.error import NO_PUSHES, estimate
from lissom.rods.line import Line, Support
from lissom.rods.outcome import RodReport, RodState
from lissom.rods.solver import RodSolver

# A rope that turns by more than this (rad) within two segments is folded.
FOLD = 1.0
# What turns by less than this (rad) over the whole length is straight: it is rounding, and 1/κ may overflow.
STRAIGHT = 1e-12
# An estimated error above this part of the length is warned about.
WARN_ERROR = 1e-3

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Wrench:
    """A force (N) and a moment (N m) in world axes, acting on the cable."""

    force: Array
    moment: Array


class CableResult:
    """One equilibrium of one cable. Points are numbered from the start; `s` is their arc length."""

    def __init__(self, solver: RodSolver, report: RodReport) -> None:
        state = solver.solved
        if state is None:
            raise ValueError(f"{solver.line.name} has no equilibrium yet")
        self.report = report
        self.name = solver.line.name
        self.valid = True
        """Whether it is the shape of the scene as it was last solved; False: an earlier one, and `reason` says why."""
        self.reason = ""
        line = solver.line
        self._line = line if line.supports is state.supports else line.with_supports(state.supports)
        self._grid = solver.grid
        self._chain = solver.chain(state.scheme)
        self.state = state
        self.pushes = NO_PUSHES  # (contacts, 7) place (m), force (N) and normal of what presses on it
        self.asked = self._line.supports
        """Where its supports were to be."""
        self._pushed = state.pushed
        if state.carried is not None:
            self._chain = self._chain._replace(force=state.carried)
        self._point_of = solver.point_of
        self._q, self._nu = state.q, state.nu
        self.positions = frozen(anchored(self._chain, state, self._grid.support_at))
        """(points, 3) m."""

    def void(self, report: RodReport) -> "CableResult":
        """The same shape as the last that there was, after a solve that ended otherwise."""
        last = copy(self)
        last.report, last.valid, last.reason = report, False, report.reason
        return last

    @property
    def asked_places(self) -> tuple[Support, ...]:
        """The supports as they were to be, at the places they have."""
        pairs = zip(self.asked, self._line.supports, strict=True)
        return tuple(asked._replace(place=held.place) for asked, held in pairs)

    @property
    def s(self) -> Array:
        """(points,) unstretched arc length, m."""
        return self._grid.s

    @cached_property
    def answer(self) -> Answer:
        """All that is handed out at the points, as the judge looks at it."""
        found = self._resultants
        return Answer(
            self.s, self.positions, found.frames, found.force_before, found.force_after, found.moment_before,
            found.moment_after,
        )  # fmt: skip

    @property
    def length(self) -> float:
        """Unstretched length, m."""
        return self._line.length

    @cached_property
    def stretched_length(self) -> float:
        """Length under load, m; differs from `length` only where the cable has an axial stiffness."""
        elongation = 0.0
        if self._line.is_extensible:
            tension = 0.5 * (self._sides.tension_after[:-1] + self._sides.tension_before[1:])
            elongation = float(np.sum(self._grid.h * self._grid.compliance * tension))
        return self._line.length + elongation

    @cached_property
    def _resultants(self) -> "Resultants":
        return Resultants.of(self._chain, self._point_of, self._q, self._nu, self._grid, self.state.kicks)

    @cached_property
    def _kinks(self) -> "Kinks | None":
        kicks = self.state.kicks
        return None if kicks is None else Kinks.of(self._resultants, self.positions, self.s, kicks)

    @cached_property
    def _sides(self) -> "Sides":
        return Sides(self._line, self._grid, self._resultants)

    @property
    def quaternions(self) -> Array:
        """(points, 4) frames (w, x, y, z) at the points: d1, d2, d3 are the rotated axes."""
        return self._resultants.frames

    @cached_property
    def tangents(self) -> Array:
        """(points, 3) unit tangent d3."""
        return frozen(rotations(self.quaternions)[:, :, 2])

    @cached_property
    def force(self) -> Array:
        """(points, 3) internal force n just after each point (before the last one), N, world axes."""
        return frozen(one_sided(self._resultants.force_before, self._resultants.force_after))

    @cached_property
    def moment(self) -> Array:
        """(points, 3) internal moment m just after each point (before the last one), N m, world axes."""
        return frozen(one_sided(self._resultants.moment_before, self._resultants.moment_after))

    @property
    def force_before(self) -> Array:
        """(points, 3) internal force just before each point, N: differs from `force` where a support or load acts."""
        return self._resultants.force_before

    @property
    def moment_before(self) -> Array:
        """(points, 3) internal moment just before each point, N m."""
        return self._resultants.moment_before

    @cached_property
    def tension(self) -> Array:
        """(points,) n·d3 just after each point (before the last), N; negative where the cable is compressed."""
        return frozen(np.append(self._sides.tension_after[:-1], self._sides.tension_before[-1]))

    @property
    def strain_before(self) -> Array:
        """(points, 3) κ1, κ2, τ just before each point, 1/m; nothing is before the first."""
        return self._sides.strain_before

    @property
    def strain_after(self) -> Array:
        """(points, 3) κ1, κ2, τ just after each point, 1/m; nothing is after the last."""
        return self._sides.strain_after

    @cached_property
    def strains(self) -> Array:
        """(points, 3) κ1, κ2, τ in the frame's axes, 1/m; at a jump the side that bends more."""
        before, after = self._sides.strain_before, self._sides.strain_after
        bend = np.hypot(before[:, 0], before[:, 1]) > np.hypot(after[:, 0], after[:, 1])
        bend[0], bend[-1] = False, True
        return frozen(np.where(bend[:, None], before, after))

    @cached_property
    def curvature(self) -> Array:
        """(points,) √(κ1² + κ2²), 1/m; infinite where a rope has a kink."""
        return frozen(np.where(self._sides.kinks, np.inf, np.hypot(self.strains[:, 0], self.strains[:, 1])))

    @cached_property
    def torsion(self) -> Array:
        """(points,) τ, the twist of the material per length, 1/m."""
        return frozen(self.strains[:, 2].copy())

    @cached_property
    def bend_radius(self) -> Array:
        """(points,) radius of curvature of the centre line, m; inf where straight."""
        bent = self.curvature * self.length > STRAIGHT
        return frozen(np.divide(1.0, self.curvature, out=np.full(len(self.s), np.inf), where=bent))

    @cached_property
    def min_bend_radius(self) -> float:
        """Smallest radius of curvature of the centre line, m."""
        return self._tightest[0]

    @cached_property
    def min_bend_radius_at(self) -> float:
        """Where it is, as a fraction of the length."""
        return self._tightest[1]

    @cached_property
    def _tightest(self) -> tuple[float, float]:
        """The largest curvature, by a parabola through its three highest neighbours where it is smooth."""
        k = int(np.argmax(self.curvature))
        top, at = float(self.curvature[k]), float(self.s[k])
        if np.isinf(top):
            return 0.0, at / self.length
        supports = set(self._grid.support_at) | set(self._grid.load_at)
        if 0 < k < len(self.s) - 1 and not {k - 1, k, k + 1} & supports:
            x = self.s[k - 1 : k + 2] - at
            a, b, _ = np.polyfit(x, self.curvature[k - 1 : k + 2], 2)
            if a < 0.0 and abs(0.5 * b / a) <= x[2]:
                at -= 0.5 * b / a
                top -= 0.25 * b * b / a
        if (kinks := self._kinks) is not None:
            strain = self._line.rest.at(kinks.s) + kinks.moment / self._grid.stiffness[kinks.segment]
            bent = np.hypot(strain[:, 0], strain[:, 1])
            k = int(np.argmax(bent))
            top, at = max((top, at), (float(bent[k]), float(kinks.s[k])))
        return (1.0 / top if top * self.length > STRAIGHT else float("inf")), at / self.length

    @cached_property
    def turns(self) -> float:
        """∫ τ ds in turns: the twist that is in the material."""
        return self.total_torsion / (2.0 * np.pi)

    @cached_property
    def total_torsion(self) -> float:
        """∫ τ ds, rad."""
        if self._chain.scheme != POLISHED:
            return float(np.sum(element_twist(self._q)))
        sides = self._sides
        slope_after, slope_before = sides.strain_slopes()
        return sides.integral(
            sides.strain_after[:, 2], sides.strain_before[:, 2], slope_after[:, 2], slope_before[:, 2]
        )

    @cached_property
    def material_angle(self) -> Array:
        """(points,) angle θ from the Frenet normal to d1 about the tangent, rad, unwrapped [GS07 §2.5].

        Undetermined (nan) where the cable is straight.
        """
        k1, k2 = self.strains[:, 0], self.strains[:, 1]
        angle = np.arctan2(k1, k2)
        straight = self.curvature < 1e-9 / self.length
        angle[~straight] = np.unwrap(angle[~straight])
        angle[straight] = np.nan
        return frozen(angle)

    @cached_property
    def frenet_torsion(self) -> Array:
        """(points,) geometric torsion of the centre line τ_f = τ − dθ/ds, 1/m; nan where straight [GS07 §2.5].

        θ' comes from the balance of moments, not from differences: D(ω' − ω₀') = −ω×M − e3×N.
        """
        strain = one_sided(self._sides.strain_before, self._sides.strain_after)
        k1, k2, tau = strain.T
        after, before = self._sides.strain_slopes()
        slope = one_sided(before, after)
        with np.errstate(divide="ignore", invalid="ignore"):
            turn = (slope[:, 0] * k2 - slope[:, 1] * k1) / (k1**2 + k2**2)
        return frozen(np.where(self.curvature < 1e-9 / self.length, np.nan, tau - turn))

    @cached_property
    def energy(self) -> dict[str, float]:
        """J: bending, torsion, stretch, gravity (zero at z = 0 of the origin), loads (−Σ F·x), total."""
        elastic = self._elastic_energies()
        gravity = shape.gravity_energy(self._chain, self._q, self._nu, self.positions)
        loads = -sum(
            float(np.dot(load.force, self.positions[at]))
            for load, at in zip(self._line.loads, self._grid.load_at, strict=True)
        )
        parts = {
            "bending": float(elastic[0]),
            "torsion": float(elastic[1]),
            "stretch": float(elastic[2]),
            "gravity": float(gravity),
            "loads": float(loads),
        }
        return {**parts, "total": sum(parts.values())}

    def _elastic_energies(self) -> Array:
        """(bending, torsion, stretch), J: of fourth order, like the shape, where the element is."""
        elastic = np.zeros(3)
        if self._chain.scheme != POLISHED:
            shape.energies(self._chain, self._q, self._nu, elastic)
            return elastic
        sides = self._sides
        rest = self._line.rest.at(self.s)
        after, before = sides.strain_after - rest, sides.strain_before - rest
        slope_after, slope_before = sides.strain_slopes()
        D, rest_slope = self._grid.stiffness, self._grid.slope
        for k in range(3):
            density_after = 0.5 * D[:, k] * after[:-1, k] ** 2
            density_before = 0.5 * D[:, k] * before[1:, k] ** 2
            change_after = D[:, k] * after[:-1, k] * (slope_after[:-1, k] - rest_slope[:, k])
            change_before = D[:, k] * before[1:, k] * (slope_before[1:, k] - rest_slope[:, k])
            elastic[min(k // 2, 1)] += hermite_rule(
                self._grid.h, density_after, density_before, change_after, change_before
            )
        if (kinks := self._kinks) is not None:  # what the rule misses of a density whose slope jumps at t
            jump = kinks.moment * kinks.jump / D[kinks.segment]
            missed = (1.0 / 12.0 - 0.5 * kinks.t * (1.0 - kinks.t)) * self._grid.h[kinks.segment] ** 2 @ jump
            elastic[:2] += missed[0] + missed[1], missed[2]
        return elastic

    @cached_property
    def wrenches(self) -> Array:
        """(supports, 6) what each support exerts on the cable, in order along it: force (N) and moment (N m)."""
        sides, at = self._resultants, list(self._grid.support_at)
        found = np.empty((len(at), 6))
        found[:, :3] = sides.force_before[at] - sides.force_after[at]
        found[:, 3:] = sides.moment_before[at] - sides.moment_after[at]
        if self._pushed is not None:
            found[:, :3] -= self._pushed[at]
        for load, place in zip(self._line.loads, self._grid.load_at, strict=True):
            for k in [k for k, point in enumerate(at) if point == place]:
                found[k, :3] -= load.force
                found[k, 3:] -= self._world_moment(load.moment, load.turns, place)
        return frozen(found)

    @cached_property
    def reactions(self) -> dict[str, Wrench]:
        """What each support exerts on the cable: its force and moment at the point, world axes."""
        names = (k.name for k in self._line.supports)
        return {name: Wrench(row[:3], row[3:]) for name, row in zip(names, self.wrenches, strict=True)}

    def _world_moment(self, moment: tuple[float, float, float], turns: bool, at: int) -> Array:
        m = np.array(moment)
        return np.asarray(rotations(self.quaternions[at : at + 1])[0] @ m) if turns else m

    @cached_property
    def places(self) -> dict[str, float]:
        """Where along the cable each support sits, as a fraction: solved for where it slides."""
        return {k.name: k.place / self.length for k in self._line.supports}

    @cached_property
    def error(self) -> float:
        """How far the shape is from that of the continuous equations, by estimate, m; nan where that is not known."""
        return estimate(self._line, self.answer, self.pushes)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Those of its report, and what is to be said of a shape that is far from the continuous one."""
        if self.report.certificate is None or self.error <= WARN_ERROR * self.length:
            return self.report.warnings
        if math.isnan(self.error):
            return (
                *self.report.warnings,
                "how far the shape is from that of a cable with ever more points is not known",
            )
        far = f"about {1000.0 * self.error:.2g} mm, {self.error / self.length:.1g} of its length,"
        told = f"the shape is {far} from that of a cable with ever more points: use more than {len(self.s)}"
        return (*self.report.warnings, told)

    @property
    def residual(self) -> float:
        """Imbalance relative to max(EI/L², wL, loads)."""
        return self.report.residual

    @property
    def length_error(self) -> float:
        """Closure error relative to the length."""
        return self.report.length_error

    @property
    def stable(self) -> bool | None:
        """Whether the equilibrium would stay; None where the question has no meaning (moment loads)."""
        return self.report.stable


class Resultants(NamedTuple):
    """Frames at the points, and forces and moments just before and just after each."""

    frames: Array
    force_before: Array
    force_after: Array
    moment_before: Array
    moment_after: Array

    @classmethod
    def of(
        cls, chain: Chain, point_of: Indices, q: Array, nu: Array, grid: Grid, kicks: Array | None = None
    ) -> "Resultants":
        """`kicks` as in a RodState."""
        points = len(grid.s)
        force_before, force_after = np.empty((points, 3)), np.empty((points, 3))
        shape.forces(chain, nu, force_before, force_after)
        moment_before, moment_after = np.empty((points, 3)), np.empty((points, 3))
        if chain.scheme == POLISHED:
            frames = np.array(q)
            shape.polished_moments(chain, q, nu, moment_before, moment_after)
        else:
            frames = np.empty((points, 4))
            shape.staggered_points(
                chain, q, nu, point_of, grid.stiffness, grid.rest, grid.second_halves, frames, moment_before,
                moment_after,
            )  # fmt: skip
        if kicks is not None:
            force_after[:-1] += kicks[:, 0]
            force_before[1:] += kicks[:, 1]
            moment_after[:-1] += kicks[:, 2]
            moment_before[1:] += kicks[:, 3]
        return cls(*map(frozen, (frames, force_before, force_after, moment_before, moment_after)))


class Kinks(NamedTuple):
    """Where something presses within segments; k: such a segment. Several places of one count as one between them."""

    segment: Indices  # (k,)
    t: Array  # (k,) part of the segment
    s: Array  # (k,) m
    moment: Array  # (k, 3) N m about d1, d2, d3
    jump: Array  # (k, 3) N: by which its slope is larger behind the place

    @classmethod
    def of(cls, found: Resultants, positions: Array, s: Array, kicks: Array) -> "Kinks | None":
        """`kicks` as in a RodState: what presses, shared between the ends of its segment as a clamped beam does."""
        force = kicks[:, 0] - kicks[:, 1]
        square = np.einsum("ij,ij->i", force, force)
        segment = np.flatnonzero(square > 0.0)
        if not len(segment):
            return None
        force = force[segment]
        share = -np.einsum("ij,ij->i", kicks[segment, 1], force) / square[segment]  # t² (3 − 2t)
        t = 0.5 - np.sin(np.arcsin(np.clip(1.0 - 2.0 * share, -1.0, 1.0)) / 3.0)
        q, p = found.frames[segment], found.frames[segment + 1]
        p = np.where(np.einsum("ij,ij->i", q, p)[:, None] < 0.0, -p, p)
        q = (1.0 - t)[:, None] * q + t[:, None] * p
        R = rotations(q / np.linalg.norm(q, axis=1)[:, None])
        ways = t[:, None] * (positions[segment + 1] - positions[segment])
        moment = found.moment_after[segment] - np.cross(ways, found.force_after[segment])
        jump = np.cross(R[:, :, 2], force)
        at = (1.0 - t) * s[segment] + t * s[segment + 1]
        return cls(segment, t, at, np.einsum("ikj,ik->ij", R, moment), np.einsum("ikj,ik->ij", R, jump))


class Sides:
    """Values just before and just after each point; they differ where a support or a load acts."""

    def __init__(self, line: Line, grid: Grid, found: Resultants) -> None:
        self.grid = grid
        self.frames, self.force_before, self.force_after, self.moment_before, self.moment_after = found
        R = rotations(self.frames)
        self.body_moment_before = np.einsum("ikj,ik->ij", R, self.moment_before)
        self.body_moment_after = np.einsum("ikj,ik->ij", R, self.moment_after)
        self.body_force_before = np.einsum("ikj,ik->ij", R, self.force_before)
        self.body_force_after = np.einsum("ikj,ik->ij", R, self.force_after)
        self.tension_before = np.einsum("ij,ij->i", self.force_before, R[:, :, 2])
        self.tension_after = np.einsum("ij,ij->i", self.force_after, R[:, :, 2])
        self._strains(line)

    @classmethod
    def of(cls, solver: RodSolver) -> "Sides":
        """Of the solver's present state."""
        found = Resultants.of(solver.loaded, solver.point_of, solver.q, solver.nu, solver.grid)
        return cls(solver.line, solver.grid, found)

    def _strains(self, line: Line) -> None:
        """ω = ω₀ + D⁻¹ Rᵀm on either side; a rope has no moment, its curvature follows from T t' = −f⊥."""
        grid = self.grid
        self.kinks = np.zeros(len(grid.s), dtype=bool)
        if line.is_rope:
            self._rope(grid)
            return
        rest = line.rest.at(grid.s)
        self.strain_before, self.strain_after = rest.copy(), rest.copy()
        self.strain_before[1:] += self.body_moment_before[1:] / grid.stiffness
        self.strain_after[:-1] += self.body_moment_after[:-1] / grid.stiffness

    def _rope(self, grid: Grid) -> None:
        """The pull of a rope is along it; where its direction jumps, at a load or a support, it has a kink."""
        self.tension_before = np.linalg.norm(self.force_before, axis=1)
        self.tension_after = np.linalg.norm(self.force_after, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            before = self.force_before / self.tension_before[:, None]
            after = self.force_after / self.tension_after[:, None]
        self.kinks[1:-1] = np.linalg.norm(after - before, axis=1)[1:-1] > 1e-6
        bends = np.einsum("ij,ij->i", after[:-2], before[2:])  # of the rope over two segments
        self.kinks[1:-1] |= bends < math.cos(FOLD)
        R = rotations(self.frames)
        self.strain_before, self.strain_after = np.zeros((len(grid.s), 3)), np.zeros((len(grid.s), 3))
        for strain, along, tension, points in (
            (self.strain_before, before, self.tension_before, slice(1, None)),
            (self.strain_after, after, self.tension_after, slice(0, -1)),
        ):
            t, f = along[points], grid.weight
            with np.errstate(invalid="ignore", divide="ignore"):
                bend = -(f - np.einsum("ij,ij->i", f, t)[:, None] * t) / tension[points, None]
            k = np.einsum("ikj,ik->ij", R[points], bend)
            strain[points] = np.nan_to_num(np.stack([-k[:, 1], k[:, 0], np.zeros(len(k))], axis=1))  # a slack end

    def strain_slopes(self) -> tuple[Array, Array]:
        """ω' just after and just before each point: rest' − D⁻¹(ω×M + e3×N); unused at the outer ends."""
        grid = self.grid
        after, before = np.zeros_like(self.strain_after), np.zeros_like(self.strain_before)
        if not grid.stiffness.all():
            slope = np.gradient(self.strain_after, grid.s, axis=0)
            return slope, slope
        for slope, strain, moment, force, points in (
            (after, self.strain_after, self.body_moment_after, self.body_force_after, slice(0, -1)),
            (before, self.strain_before, self.body_moment_before, self.body_force_before, slice(1, None)),
        ):
            N = force[points] * (1.0 + grid.compliance * force[points, 2])[:, None]  # (1 + ε) e3 × N
            side = np.stack([-N[:, 1], N[:, 0], np.zeros(len(N))], axis=1)
            slope[points] = grid.slope - (np.cross(strain[points], moment[points]) + side) / grid.stiffness
        return after, before

    def integral(self, after: Array, before: Array, slope_after: Array, slope_before: Array) -> float:
        """∫ ds of a quantity given with its slope on either side of each point."""
        return hermite_rule(self.grid.h, after[:-1], before[1:], slope_after[:-1], slope_before[1:])


def anchored(chain: Chain, state: RodState, support_at: tuple[int, ...]) -> Array:
    """(points, 3) m: the first support that holds an axis anchors it."""
    x = np.empty((len(state.s), 3))
    shape.positions(chain, state.q, state.nu, x)
    for axis in range(3):
        for support, at in zip(state.supports, support_at, strict=True):
            if support.holds[axis]:
                x[:, axis] += support.position[axis] - x[at, axis]
                break
    return x


def hermite_rule(h: Array, a: Array, b: Array, slope_a: Array, slope_b: Array) -> float:
    """Σ over segments of h (a + b)/2 − h² (b' − a')/12: exact for cubics."""
    return float(np.sum(0.5 * h * (a + b) - h**2 / 12.0 * (slope_b - slope_a)))


def one_sided(before: Array, after: Array) -> Array:
    """The values after each point, and before the last one."""
    return np.vstack([after[:-1], before[-1:]])


def rotations(q: Array) -> Array:
    """(n, 3, 3) matrices whose columns are d1, d2, d3."""
    w, x, y, z = q.T
    return np.moveaxis(
        np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        ),
        2,
        0,
    )


def element_twist(q: Array) -> Array:
    """Rotation about the tangent between neighbouring frames, rad."""
    w = np.einsum("ij,ij->i", q[:-1], q[1:])
    a, b = q[:-1], q[1:]
    vector = a[:, :1] * b[:, 1:] - b[:, :1] * a[:, 1:] - np.cross(a[:, 1:], b[:, 1:])  # of the quaternion ā b
    sign = np.where(w < 0.0, -1.0, 1.0)
    size = np.linalg.norm(vector, axis=1)
    angle = 2.0 * np.arctan2(size, sign * w)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(size > 0.0, sign * angle * vector[:, 2] / size, 0.0)


def frozen(array: Array) -> Array:
    array.setflags(write=False)
    return array
