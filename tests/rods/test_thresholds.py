"""Critical loads and twists, found by watching the certificate along a path of symmetric equilibria.

The solver descends and leaves saddles by itself, so the symmetric states are followed here by plain Newton
steps: a straight or planar state stays one, stable or not, and the index says when it would not stay.
The public way, a solve on either side of the threshold, is tested as well.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.rods import blocks, newton, shape
from lissom.rods.chain import POLISHED, STAGGERED, assemble, turn_frames
from lissom.rods.reading import read_line
from lissom.rods.solver import RodSolver
from lissom.scene import Scene
from lissom.simulation import Simulation
from tests.rods.reference_scenes import CABLE, GRAVITY, load, loop, one_cable, unit

Array = NDArray[np.float64]

POINTS = 129
SCHEMES = pytest.mark.parametrize("scheme", [POLISHED, STAGGERED], ids=["polished", "staggered"])
# Promised: 1 %. What the elements reach is far better, and a loose test proves little.
TOLERANCE = {POLISHED: 1e-4, STAGGERED: 2.5e-3}


def table(case: str) -> list[list[Any]]:
    rows: list[list[Any]] = load(case)["reference"]["tables"]["rows"]
    return rows


class SymmetricPath:
    """Equilibria of a scene that depends on one parameter, followed without leaving saddles."""

    def __init__(self, scene: Callable[[float], Scene], scheme: int) -> None:
        self.scene = scene
        self.scheme = scheme
        self.q: Array | None = None
        self.nu = np.zeros(0)
        self.positions = np.zeros((0, 3))

    def solver(self, parameter: float) -> RodSolver:
        scene = self.scene(parameter)
        return RodSolver(read_line(scene, scene.cables[0]))

    def begin(self, parameter: float) -> None:
        """From the solver's own answer, where that is still the symmetric one."""
        solver = self.solver(parameter)
        report = solver.solve()
        assert report.ok
        assert report.element == "polished"
        self.q, self.nu = solver.q, solver.nu
        if self.scheme == STAGGERED:
            self.q = np.zeros((len(solver.point_of), 4))
            shape.frames_on_segments(solver.q, solver.point_of, solver.staggered, self.q)

    def index(self, parameter: float, q: Array | None = None, nu: Array | None = None) -> int:
        """Morse index of the symmetric state, found from the last one (or from this one)."""
        solver = self.solver(parameter)
        chain = solver.chain(self.scheme)
        if q is None:
            assert self.q is not None
            q, nu = self.q, self.nu
        solver.scheme = self.scheme
        solver.q = np.ascontiguousarray(q.copy())
        solver.nu = np.zeros(len(chain.target)) if nu is None else nu.copy()
        plain_newton(solver, self.scheme)
        outcome = newton.equilibrium(
            chain, solver.work(self.scheme), solver.q, solver.nu, solver.scales(self.scheme), 0, False
        )
        assert outcome.status == newton.CONVERGED
        self.q, self.nu, self.positions = solver.q, solver.nu, solver.positions()
        return outcome.unstable

    def places(self, parameter: float) -> Array:
        """Arc length of each frame."""
        solver = self.solver(parameter)
        s = solver.grid.s
        if self.scheme == POLISHED:
            return s
        k = solver.staggered.segment_of
        return np.where(solver.point_of >= 0, s[solver.point_of], 0.5 * (s[k] + s[np.minimum(k + 1, len(s) - 1)]))


def plain_newton(solver: RodSolver, scheme: int) -> None:
    """To the equilibrium nearest in the sense of Newton, whatever its index."""
    chain, work, scales = solver.chain(scheme), solver.work(scheme), solver.scales(scheme)
    width, count = len(chain.first), len(solver.q)
    for _ in range(20):
        assemble(chain, work, solver.q, solver.nu)
        if max(newton.errors(chain, work, scales)) < 0.1 * min(scales.residual, scales.closure):
            return
        work.columns[:, width] = -work.gradient
        blocks.factor(
            count, width, chain.first, 1e-12 * scales.block, 1e-14 * scales.block, work.diagonal, work.upper,
            work.columns, chain.mask, work.inverse, work.ratio, work.solved, work.carried, work.schur,
        )  # fmt: skip
        assert newton.newton_step(chain, work, solver.nu)
        turn_frames(solver.q, work.step, 1.0, work.trial)
        solver.q[:] = work.trial
        solver.nu[:] = work.nu_new[: len(solver.nu)]


def threshold(index: Callable[[float], int], below: float, above: float, precision: float = 1e-6) -> float:
    """Where the index changes, by bisection."""
    low = index(below)
    assert index(above) != low
    index(below)  # back, so that the path goes on from there
    while above - below > precision * above:
        middle = 0.5 * (above + below)
        if index(middle) == low:
            below = middle
        else:
            above = middle
    return 0.5 * (above + below)


# ---- lateral buckling of a strip --------------------------------------------------------------------------


def strip(kind: str, ratio: float, torsion: float, load_parameter: float) -> Scene:
    """Length 1, weak stiffness 1, width vertical."""
    size = load_parameter * math.sqrt(torsion)
    return one_cable(
        length=1.0,
        points=POINTS,
        stiffness={"bending": [1.0, 1.0 / ratio], "torsion": torsion},
        mass_per_length=size / GRAVITY if kind == "self" else 0.0,
        start={"position": [0.0, 0.0, 0.0], "quaternion": unit([0.0, -1.0, 0.0, -1.0])},
        loads=[{"at": 1.0, "force": [0.0, 0.0, -size]}] if kind == "tip" else None,
    )


@SCHEMES
@pytest.mark.parametrize("row", table("lateral_buckling_thresholds"), ids=lambda row: f"{row[0]} {row[1]}")
def test_lateral_buckling(row: list[Any], scheme: int) -> None:
    kind, ratio, torsion, critical = row[:4]
    path = SymmetricPath(lambda value: strip(kind, ratio, torsion, value), scheme)
    path.begin(0.5 * critical)
    found = threshold(path.index, 0.5 * critical, 1.4 * critical)
    assert float(np.abs(path.positions[:, 1]).max()) < 1e-12  # the state watched stayed in its plane
    tolerance = 1e-2 if ratio < 1e-3 else TOLERANCE[scheme]
    assert found == pytest.approx(critical, rel=tolerance)


def test_lateral_buckling_of_a_very_wide_strip_on_a_fine_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """More points must not move the threshold: a strip loaded beyond it would be called stable."""
    monkeypatch.setattr(f"{__name__}.POINTS", 513)
    kind, ratio, torsion, critical = table("lateral_buckling_thresholds")[0][:4]
    path = SymmetricPath(lambda value: strip(kind, ratio, torsion, value), POLISHED)
    path.begin(0.5 * critical)
    assert threshold(path.index, 0.5 * critical, 1.4 * critical) == pytest.approx(critical, rel=1e-2)


@pytest.mark.parametrize("row", table("lateral_buckling_thresholds"), ids=lambda row: f"{row[0]} {row[1]}")
def test_strip_stays_upright_below_and_buckles_above(row: list[Any]) -> None:
    kind, ratio, torsion, critical = row[:4]
    for factor, upright in ((0.98, True), (1.03, False)):
        simulation = Simulation(strip(kind, ratio, torsion, factor * critical))
        simulation.solve().raise_if_failed()
        result = simulation.cable(CABLE)
        assert result.stable
        assert bool(np.abs(result.positions[:, 1]).max() < 1e-4) is upright


# ---- a naturally curved rod hanging down ------------------------------------------------------------------


def curl(curvature: float, torsion: float, weight: float) -> Scene:
    return one_cable(
        length=1.0,
        points=POINTS,
        stiffness={"bending": 1.0, "torsion": torsion},
        mass_per_length=weight / GRAVITY,
        rest={"curvature": [0.0, curvature, 0.0]},
        start={"position": [0.0, 0.0, 0.0], "quaternion": [0.0, 1.0, 0.0, 0.0]},
    )


@SCHEMES
@pytest.mark.parametrize("row", table("bend_twist_thresholds"), ids=lambda row: f"{row[0]} {row[2]}")
def test_bend_twist(row: list[Any], scheme: int) -> None:
    """The planar curl is left at the lower threshold and comes back at the upper one."""
    curvature, torsion, kind, critical = row[:4]
    path = SymmetricPath(lambda weight: curl(curvature, torsion, weight), scheme)
    path.begin(1.0)
    steps = np.linspace(1.0, 0.97 * critical, 24)
    indices = [path.index(weight) for weight in steps]
    assert indices[0] == 0
    assert indices[-1] == (0 if kind == "lower" else 1)
    found = threshold(path.index, float(steps[-1]), 1.03 * critical)
    assert float(np.abs(path.positions[:, 1]).max()) < 1e-12
    assert found == pytest.approx(critical, rel=TOLERANCE[scheme])


# ---- a straight twisted rod under tension (Greenhill) -----------------------------------------------------

TORSION = 0.5  # C/B


def straight(tension: float, turn: float) -> Scene:
    return one_cable(
        length=1.0,
        points=POINTS,
        stiffness={"bending": 1.0, "torsion": TORSION},
        mass_per_length=0.0,
        start={"position": [0.0, 0.0, 0.0], "tangent": [0.0, 0.0, 1.0]},
        end={"position": [0.0, 0.0, 1.0], "tangent": [0.0, 0.0, 1.0], "free": ["z"]},
        loads=[{"at": 1.0, "force": [0.0, 0.0, tension]}],
        twist=turn,
    )


@SCHEMES
@pytest.mark.parametrize("row", table("greenhill_clamped"), ids=lambda row: f"T {row[0]}")
def test_greenhill(row: list[Any], scheme: int) -> None:
    tension, critical = row[:2]
    path = SymmetricPath(lambda turn: straight(tension, turn), scheme)

    def index(turn: float) -> int:
        half = 0.5 * turn * path.places(turn)
        zero = np.zeros_like(half)
        return path.index(turn, np.stack([np.cos(half), zero, zero, np.sin(half)], axis=1))

    found = threshold(index, 0.5 * critical / TORSION, 1.2 * critical / TORSION) * TORSION
    assert float(np.abs(path.positions[:, :2]).max()) < 1e-12
    assert found == pytest.approx(critical, rel=TOLERANCE[scheme])


@pytest.mark.parametrize("row", table("greenhill_clamped"), ids=lambda row: f"T {row[0]}")
def test_twisted_rod_stays_straight_below_and_not_above(row: list[Any]) -> None:
    """Under tension the buckled rod forms a loop, the sliding end lets it slip off, and turns are lost."""
    tension, critical = row[:2]
    for factor, stays in ((0.98, True), (1.03, False)):
        turn = factor * critical / TORSION
        simulation = Simulation(straight(tension, turn))
        simulation.solve().raise_if_failed()
        result = simulation.cable(CABLE)
        assert result.stable
        is_straight = bool(np.abs(result.positions[:, :2]).max() < 1e-4)
        lost = (turn - result.total_torsion) / (2.0 * np.pi)
        assert (is_straight and abs(lost) < 1e-6) is stays
        if is_straight and not stays:
            assert lost == pytest.approx(round(lost), abs=1e-6)


# ---- Michell's ring ---------------------------------------------------------------------------------------


def ring(torsion: float, turn: float) -> Scene:
    return one_cable(
        length=1.0,
        points=POINTS,
        stiffness={"bending": 1.0, "torsion": torsion},
        mass_per_length=0.0,
        start={"position": [0.0, 0.0, 0.0], "quaternion": unit([0.0, -1.0, 0.0, -1.0])},
        end={"position": [0.0, 0.0, 0.0], "tangent": [1.0, 0.0, 0.0]},
        twist=turn,
        initial=loop(1.0),
    )


def circle_frames(s: Array, turn: float) -> Array:
    """The circle below the clamp, turned evenly about its tangent: Ry(2πs)·R(0)·Rz(turn·s)."""
    half, roll = np.pi * s, 0.5 * turn * s
    zero = np.zeros_like(s)
    about_y = np.stack([np.cos(half), zero, np.sin(half), zero], axis=1)
    start = np.broadcast_to(unit([0.0, -1.0, 0.0, -1.0]), about_y.shape)
    about_tangent = np.stack([np.cos(roll), zero, zero, np.sin(roll)], axis=1)
    return products(products(about_y, start), about_tangent)


def products(p: Array, q: Array) -> Array:
    w = p[:, :1] * q[:, :1] - np.sum(p[:, 1:] * q[:, 1:], axis=1, keepdims=True)
    v = p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])
    return np.hstack([w, v])


@SCHEMES
@pytest.mark.parametrize("row", table("michell_ring"), ids=lambda row: f"C/B {row[0]}")
def test_michell_ring(row: list[Any], scheme: int) -> None:
    """A twisted circle needs the force C·τ·κ along its axis: m' = −r' × n."""
    torsion, critical = row[:2]
    path = SymmetricPath(lambda turn: ring(torsion, turn), scheme)

    def index(turn: float) -> int:
        across = torsion * turn * 2.0 * np.pi
        return path.index(turn, circle_frames(path.places(turn), turn), np.array([0.0, across, 0.0]))

    # not too near: the staggered polygon is not quite a circle, and Newton leaves it at its threshold
    found = threshold(index, 0.5 * critical, 1.2 * critical, precision=1e-3 if scheme == STAGGERED else 1e-6)
    assert float(np.abs(path.positions[:, 1]).max()) < 2e-3  # a polygon, twisted, is not quite flat
    assert found == pytest.approx(critical, rel=TOLERANCE[scheme])
