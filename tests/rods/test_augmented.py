"""GS07's formulation against the rotations-only one, and its safety chain method by method."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.rods import augmented, guess, newton, shape
from lissom.rods import augmented_band as banded
from lissom.rods import augmented_methods as ways
from lissom.rods import chain as chains
from lissom.rods.augmented_layout import make_layout, start
from lissom.rods.augmented_motion import moved
from lissom.rods.augmented_terms import (
    Layout,
    State,
    assemble,
    energy,
    predict_multipliers,
    update_multipliers,
)
from lissom.rods.chain import Chain
from lissom.rods.grid import Grid, make_chains, make_grid
from lissom.rods.line import FRAME, NO_DIRECTION, TANGENT, Line, Piece, PointLoad, RestShape, Support

Array = NDArray[np.float64]


class Case(NamedTuple):
    line: Line
    grid: Grid
    chain: Chain
    scales: newton.Scales
    q: Array


def case(line: Line, hanging: bool = False, residual: float = 1e-10, closure: float = 1e-12) -> Case:
    grid = make_grid(line)
    chain, _, runs, point_of = make_chains(line, grid)
    scales = newton.Scales(
        length=line.length,
        force=line.force_scale,
        block=float(chain.stiffness.max() / chain.arc.min()),
        soft=float(chain.stiffness[:, :2].min() * chain.h.mean() / line.length**2),
        penalty=10 * line.force_scale / line.length,
        residual=residual,
        closure=closure,
        strict=True,
        neutral=1e-5,
    )
    layout = guess.make_layout(line, grid, chain, point_of, runs)
    q, _ = guess.first_guess(layout, guess.unwound_poses(line.supports), guess.Start(hanging), line.initial)
    return Case(line, grid, chain, scales, q)


def clamp(name: str, place: float, position: tuple[float, float, float], q: tuple[float, ...]) -> Support:
    w, x, y, z = q
    return Support(name, "clamp", place, position, direction=FRAME, quaternion=(w, x, y, z))


HALF = 0.5**0.5
ALONG_X = (HALF, 0.0, HALF, 0.0)  # d3 = x


def rod(
    supports: tuple[Support, ...],
    weight: float = 1.0,
    stiffness: tuple[float, float, float] = (1.0, 1.0, 0.8),
    loads: tuple[PointLoad, ...] = (),
    segments: int = 32,
    compliance: float = 0.0,
    rest: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Line:
    """A cable one metre long."""
    pieces = (Piece(0.0, 1.0, stiffness, weight / 9.81, compliance),)
    shape_at_rest = RestShape(np.array([0.0]), np.array([rest]))
    return Line("rod", 1.0, segments, pieces, supports, loads, rest=shape_at_rest)


def hose() -> Line:
    """A brake hose clamped at both ends: shared/references, clamped_3d_hose_A_twist000."""
    supports = (
        clamp("start", 0.0, (0.0, 0.0, 0.0), (0.0, -HALF, 0.0, -HALF)),
        clamp("end", 0.42, (0.2, 0.14, -0.12), (0.3, -0.9, -0.3, -0.1)),
    )
    return Line("hose", 0.42, 64, (Piece(0.0, 0.42, (0.035, 0.035, 0.025), 0.107),), supports)


def ends(reach: float = 1.0) -> tuple[Support, Support]:
    """An elbow from along x to straight down, out of plane: one shape is clearly the lowest."""
    end = (0.6 * reach, 0.2 * reach, -0.5 * reach)
    return clamp("start", 0.0, (0.0, 0.0, 0.0), ALONG_X), clamp("end", 1.0, end, (0.0, 1.0, 0.0, 0.0))


def hinge(name: str, place: float, position: tuple[float, float, float]) -> Support:
    return Support(name, "ball", place, position, direction=NO_DIRECTION)


def cantilever(weight: float) -> Line:
    return rod((clamp("start", 0.0, (0.0, 0.0, 0.0), ALONG_X),), weight=weight)


def hinged() -> Line:
    return rod((hinge("start", 0.0, (0.0, 0.0, 0.0)), hinge("end", 1.0, (0.8, 0.0, 0.1))), weight=30.0)


def clipped() -> Line:
    start, end = ends()
    return rod((start, hinge("clip", 0.45, (0.4, 0.1, -0.05)), end), weight=20.0)


def swivelled() -> Line:
    start, end = ends()
    clip = Support("clip", "swivel", 0.45, (0.4, 0.1, -0.05), direction=TANGENT, quaternion=ALONG_X)
    return rod((start, clip, end), weight=20.0)


def sliding_end() -> Line:
    start, _ = ends()
    end = Support("end", "ball", 1.0, (0.7, 0.2, 0.1), holds=(False, True, True))
    return rod((start, end), weight=5.0, loads=(PointLoad(1.0, (3.0, 0.0, 0.0)),))


def taped() -> Line:
    pieces = (
        Piece(0.0, 0.3, (1.0, 1.0, 0.8), 0.5),
        Piece(0.3, 0.55, (8.0, 8.0, 6.0), 1.5),
        Piece(0.55, 1.0, (1.0, 1.0, 0.8), 0.5),
    )
    return Line("taped", 1.0, 32, pieces, ends())


def helix() -> Line:
    return rod((clamp("start", 0.0, (0.0, 0.0, 0.0), ALONG_X),), weight=2.0, rest=(0.0, 6.0, 4.0), segments=48)


def strip() -> Line:
    return rod(ends(), weight=10.0, stiffness=(1.0, 50.0, 1.5))


def elastic() -> Line:
    return rod(ends(), weight=200.0, compliance=2e-4)


LINES = {
    "hose": hose(),
    "heavy cantilever": cantilever(100.0),
    "hinged": hinged(),
    "ball clip": clipped(),
    "swivel clip": swivelled(),
    "one free axis": sliding_end(),
    "taped": taped(),
    "helix": helix(),
    "strip": strip(),
    "elastic": elastic(),
    "light": rod(ends(), weight=1e-6),
    "like a rope": rod(ends(), weight=1e6),
}


def positions(chain: Chain, q: Array, nu: Array) -> Array:
    x = np.zeros((len(chain.h) + 1, 3))
    shape.positions(chain, q, nu, x)
    return x


@pytest.mark.parametrize("name", LINES)
def test_same_equilibrium_as_rotations_only(name: str) -> None:
    line, grid, chain, scales, first = case(LINES[name], hanging=name == "like a rope")
    q, nu = first.copy(), np.zeros(len(chain.target))
    known = newton.equilibrium(chain, chains.workspace(chain), q, nu, scales, 200, True)
    assert known.status == newton.CONVERGED

    p, mu = first.copy(), np.zeros(len(chain.target))
    outcome = augmented.equilibrium(line, grid, chain, p, mu, scales)

    assert outcome.status == newton.CONVERGED
    assert outcome.residual <= scales.residual
    assert outcome.closure <= scales.closure
    assert outcome.methods_used == ways.NEWTON
    assert outcome.iterations <= 40  # Newton's steps are exact, or this would be hundreds
    np.testing.assert_allclose(positions(chain, p, mu), positions(chain, q, nu), atol=1e-7 * line.length)
    np.testing.assert_allclose(mu, nu, atol=1e-6 * max([line.force_scale, *np.abs(nu)]))
    again = newton.equilibrium(chain, chains.workspace(chain), p, mu, scales, 10, False)
    assert again.status == newton.CONVERGED
    assert again.iterations <= 1


def test_moment_load() -> None:
    """A moment of π/2·B at the tip of a straight weightless cable bends it into a quarter of a circle."""
    load = PointLoad(1.0, moment=(0.0, 0.5 * np.pi, 0.0))
    line, grid, chain, scales, q = case(
        rod((clamp("start", 0.0, (0.0, 0.0, 0.0), ALONG_X),), weight=0.0, loads=(load,))
    )
    nu = np.zeros(0)
    outcome = augmented.equilibrium(line, grid, chain, q, nu, scales)
    assert outcome.status == newton.CONVERGED
    tip = positions(chain, q, nu)[-1]
    np.testing.assert_allclose(tip, [2 / np.pi, 0.0, -2 / np.pi], atol=1e-3)


def test_refuses_the_polished_chain() -> None:
    line, grid, _, scales, q = case(hose())
    _, polished, _, _ = make_chains(line, grid)
    with pytest.raises(ValueError, match="staggered"):
        augmented.equilibrium(line, grid, polished, q, np.zeros(3), scales)


def disturbed(line: Line, seed: int) -> tuple[Chain, Layout, State]:
    """The case's start with positions, frames and multipliers off by a tenth, supports kept."""
    made = case(line)
    layout = make_layout(made.line, made.grid, made.chain, made.scales)
    state = start(made.line, made.grid, made.chain, made.q, np.zeros(len(made.chain.target)))
    random = np.random.default_rng(seed)
    step = 0.1 * random.normal(size=len(layout.first))
    x, q = np.zeros_like(state.x), np.zeros_like(state.q)
    moved(made.chain, layout, state.x, state.q, step, 1.0, x, q)
    return made.chain, layout, State(x, q, state.n + random.normal(size=state.n.shape))


def dense(band: Array) -> Array:
    rows = len(band)
    matrix = np.zeros((rows, rows))
    for i in range(rows):
        for j in range(max(0, i - banded.DIAGONAL), i + 1):
            matrix[i, j] = matrix[j, i] = band[i, banded.DIAGONAL - i + j]
    return matrix


@pytest.mark.parametrize("name", ["ball clip", "swivel clip", "helix", "elastic"])
def test_derivatives(name: str) -> None:
    """Gradient and Hessian of the augmented Lagrangian, and ∂λ, against central differences."""
    chain, layout, state = disturbed(LINES[name], 1)
    rho = 7.0
    rows = len(layout.first)
    gradient, band = np.zeros(rows), np.zeros((rows, banded.WIDTH))
    assemble(chain, layout, state.x, state.q, state.n, rho, True, gradient, band)
    hessian = dense(band)
    random = np.random.default_rng(2)
    x, q = np.zeros_like(state.x), np.zeros_like(state.q)

    def value(step: Array) -> float:
        straight(layout, state, step, x, q)
        return energy(chain, layout, x, q, state.n, rho)

    # the second difference of value along exp(t·φ) is what the symmetric Hessian gives
    for _ in range(5):
        d = random.normal(size=rows)
        d /= np.linalg.norm(d)
        for size, order in ((1e-5, 1), (1e-3, 2)):
            up, down, here = value(size * d), value(-size * d), value(0 * d)
            if order == 1:
                assert (up - down) / (2 * size) == pytest.approx(gradient @ d, rel=1e-6, abs=1e-7)
            else:
                scale = np.abs(hessian).max()
                assert (up - 2 * here + down) / size**2 == pytest.approx(d @ hessian @ d, abs=1e-5 * scale)


def straight(layout: Layout, state: State, step: Array, x: Array, q: Array) -> None:
    """x + dx and q·exp(φ), without the second-order part that `moved` adds to positions."""
    from lissom.geometry.triples import turned

    x[:] = state.x
    free = layout.of_point >= 0
    x[free] += step[layout.of_point[free]]
    for i in range(len(q)):
        a = [step[r] if r >= 0 else 0.0 for r in layout.of_frame[i]]
        q[i] = turned(tuple(state.q[i]), (a[0], a[1], a[2]))


@pytest.mark.parametrize("name", ["swivel clip", "elastic"])
def test_multipliers_of_a_step_are_those_after_it_to_first_order(name: str) -> None:
    made = case(LINES[name])
    layout = make_layout(made.line, made.grid, made.chain, made.scales)
    state = start(made.line, made.grid, made.chain, made.q, np.zeros(len(made.chain.target)))
    random = np.random.default_rng(3)
    d = random.normal(size=len(layout.first))
    x, q = np.zeros_like(state.x), np.zeros_like(state.q)
    errors = []
    for size in (1e-3, 1e-4):
        predicted = np.zeros_like(state.n)
        predict_multipliers(made.chain, layout, state.x, state.q, state.n, 5.0, size * d, predicted)
        straight(layout, state, size * d, x, q)
        n = state.n.copy()
        update_multipliers(made.chain, layout, x, q, n, 5.0)
        errors.append(np.abs(predicted - n).max())
    if name == "elastic":  # ∂λ belongs to the multipliers of a coherent state; this start is only nearly one
        assert errors[1] < 0.2 * errors[0]
    else:
        assert errors[1] < 0.02 * errors[0]


def test_moving_keeps_the_length_to_second_order_and_the_supports() -> None:
    made = case(cantilever(1.0))
    layout = make_layout(made.line, made.grid, made.chain, made.scales)
    state = start(made.line, made.grid, made.chain, made.q, np.zeros(0))
    # turn all frames and let the positions follow to first order: the segments must not stretch at all
    step = np.zeros(len(layout.first))
    turn = 0.4
    for i in range(len(made.q)):
        if layout.of_frame[i, 1] >= 0:
            step[layout.of_frame[i, 1]] = turn
    along = np.zeros(3)
    for p in range(1, len(state.x)):
        i = layout.segment_frame[p - 1]
        d1 = frame_axis(state.q[i], 0)
        along = along + made.chain.h[p - 1] * turn * d1
        step[layout.of_point[p]] = along
    x, q = np.zeros_like(state.x), np.zeros_like(state.q)
    moved(made.chain, layout, state.x, state.q, step, 1.0, x, q)
    np.testing.assert_allclose(np.linalg.norm(np.diff(x, axis=0), axis=1), made.chain.h, rtol=1e-12)
    np.testing.assert_array_equal(x[0], state.x[0])


def frame_axis(q: Array, k: int) -> Array:
    from lissom.geometry.triples import rotation

    return np.array(rotation(tuple(q))).reshape(3, 3)[:, k]


def test_band_factor_counts_and_solves() -> None:
    chain, layout, state = disturbed(LINES["swivel clip"], 4)
    rows = len(layout.first)
    gradient, band = np.zeros(rows), np.zeros((rows, banded.WIDTH))
    assemble(chain, layout, state.x, state.q, state.n - 50.0, 3.0, True, gradient, band)
    matrix = dense(band)
    lower, pivots = np.zeros_like(band), np.zeros(rows)
    negative = banded.factor(band, layout.first, 0.0, layout.metric, 1e-300, lower, pivots)
    assert negative == np.sum(np.linalg.eigvalsh(matrix) < 0.0) > 0
    right = np.random.default_rng(5).normal(size=rows)
    solution = right.copy()
    banded.solve(lower, pivots, layout.first, solution)
    np.testing.assert_allclose(matrix @ solution, right, atol=1e-8)
    assert banded.curvature(band, layout.first, right) == pytest.approx(right @ matrix @ right)


def test_energy_never_rises_while_multipliers_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    made = case(LINES["strip"])
    rises: list[float] = []
    lower = ways.lower_energy

    def watched(
        chain: Chain, layout: Layout, state: State, work: ways.Work, rho: float, scales: newton.Scales,
        methods: int, tolerance: float,
    ) -> bool:  # fmt: skip
        before = energy(chain, layout, state.x, state.q, state.n, rho)
        done = lower(chain, layout, state, work, rho, scales, methods, tolerance)
        rises.append(energy(chain, layout, state.x, state.q, state.n, rho) - before)
        return done

    monkeypatch.setattr(ways, "lower_energy", watched)
    outcome = augmented.equilibrium(made.line, made.grid, made.chain, made.q, np.zeros(3), made.scales)
    assert outcome.status == newton.CONVERGED
    assert len(rises) > 3
    assert max(rises) <= 1e-12 * made.scales.force * made.scales.length


@pytest.mark.parametrize(
    "method",
    [ways.CONJUGATE_GRADIENTS, ways.STEEPEST_DESCENT, ways.ALONG_FORCES],
    ids=["cg", "steepest", "forces"],
)
def test_fallbacks_converge_alone(method: int) -> None:
    """Newton left out: slower, but the same equilibrium."""
    line = rod(ends(), weight=10.0, segments=6)
    exact = case(line)
    q, nu = exact.q.copy(), np.zeros(3)
    newton.equilibrium(exact.chain, chains.workspace(exact.chain), q, nu, exact.scales, 100, True)

    made = case(line, residual=1e-4, closure=1e-4)
    p, mu = made.q.copy(), np.zeros(3)
    outcome = augmented.equilibrium(line, made.grid, made.chain, p, mu, made.scales, 40000, methods=method)
    assert outcome.status == newton.CONVERGED
    assert outcome.methods_used == method
    np.testing.assert_allclose(positions(made.chain, p, mu), positions(made.chain, q, nu), atol=1e-3)


def test_next_method_takes_over_where_newton_finds_nothing_lower(monkeypatch: pytest.MonkeyPatch) -> None:
    made = case(rod(ends(), weight=10.0, segments=6), residual=1e-5, closure=1e-5)
    monkeypatch.setattr(ways, "newton", lambda *_: False)
    q, nu = made.q.copy(), np.zeros(3)
    outcome = augmented.equilibrium(made.line, made.grid, made.chain, q, nu, made.scales, 40000)
    assert outcome.status == newton.CONVERGED
    assert outcome.methods_used & ways.CONJUGATE_GRADIENTS


def test_leaves_a_saddle() -> None:
    """A cable upright on its foot, too heavy to stand (wL³/B > 7.84): balanced, and unstable."""
    upright = clamp("foot", 0.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    made = case(rod((upright,), weight=20.0))
    outcome = augmented.equilibrium(made.line, made.grid, made.chain, made.q, np.zeros(0), made.scales)
    assert outcome.status == newton.CONVERGED
    assert outcome.escapes >= 1
    assert positions(made.chain, made.q, np.zeros(0))[-1, 2] < 0.5


def test_out_of_reach_is_a_status_and_stays_finite() -> None:
    made = case(rod(ends(1.5)))
    nu = np.zeros(3)
    outcome = augmented.equilibrium(made.line, made.grid, made.chain, made.q, nu, made.scales, 100)
    assert outcome.status != newton.CONVERGED
    assert np.isfinite(made.q).all()
    assert np.isfinite(nu).all()
