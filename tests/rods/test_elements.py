"""Derivatives of elements and chains against finite differences, and limits of the relative rotation."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.geometry.triples import rotation, turned
from lissom.kernels import kernel
from lissom.rods import polished, relative, staggered
from lissom.rods.chain import POLISHED, STAGGERED, Chain, assemble, lagrangian, workspace
from lissom.rods.grid import make_chains, make_grid
from lissom.rods.line import FRAME, TANGENT, Line, Piece, PointLoad, RestShape, Support

Array = NDArray[np.float64]

# ---- the inlined functions, made callable -----------------------------------------------------------------


@kernel
def polished_element(qa: Any, qb: Any, n: Any, f: Any, h: float, D: Any, u0: Any, slope: Any) -> Any:
    return polished.element(qa, qb, n, f, h, D, u0, slope)


@kernel
def polished_energy(qa: Any, qb: Any, n: Any, f: Any, h: float, D: Any, u0: Any, slope: Any) -> Any:
    return polished.energy_and_advance(qa, qb, n, f, h, D, u0, slope)


@kernel
def bending_terms(qa: Any, qb: Any, a: float, D: Any, u0: Any) -> Any:
    return staggered.bending_terms(qa, qb, a, D, u0)


@kernel
def bending_energy(qa: Any, qb: Any, a: float, D: Any, u0: Any) -> Any:
    return staggered.bending_energy(qa, qb, a, D, u0)


@kernel
def segment_terms(q: Any, n: Any, h: float, compliance: float) -> Any:
    R = rotation(q)
    return staggered.segment(R, n, h, compliance), staggered.stretch_block(R, h, compliance)


@kernel
def segment_energy(q: Any, n: Any, h: float, compliance: float) -> Any:
    return staggered.segment_energy(q, n, h, compliance), staggered.segment_advance(q, n, h, compliance)


@kernel
def turn(q: Any, a: Any) -> Any:
    return turned(q, a)


@kernel
def relative_rotation(qa: Any, qb: Any) -> Any:
    return relative.relative_rotation(qa, qb)


@kernel
def coefficients(psi: float, v: Any, c: float) -> Any:
    return relative.second_order_coefficients(psi, v, c)


@kernel
def helix_mean(y: float) -> Any:
    return polished.helix_mean(y)


# ---- finite differences -----------------------------------------------------------------------------------


def gradient_of(f: Callable[[Array], Any], size: int, step: float = 1e-3) -> Array:
    """Sixth-order central differences of a scalar or vector function at 0; the last axis is the variable."""
    weights = ((1, 45.0), (2, -9.0), (3, 1.0))
    columns = []
    for e in np.eye(size):
        change = sum(w * (np.asarray(f(k * step * e)) - np.asarray(f(-k * step * e))) for k, w in weights)
        columns.append(change / (60.0 * step))
    return np.stack(columns, axis=-1)


def hessian_of(f: Callable[[Array], Any], size: int, step: float = 2e-3) -> Array:
    """Second derivatives at 0 of a function of increments: along lines, as q ← q·exp(φ) goes."""

    def along(direction: Array) -> float:
        value = [float(f(k * step * direction)) for k in range(-3, 4)]
        weights = (2.0, -27.0, 270.0, -490.0, 270.0, -27.0, 2.0)
        return sum(w * v for w, v in zip(weights, value, strict=True)) / (180.0 * step**2)

    eye = np.eye(size)
    H = np.zeros((size, size))
    for i in range(size):
        H[i, i] = along(eye[i])
    for i in range(size):
        for j in range(i):
            H[i, j] = H[j, i] = 0.5 * (along(eye[i] + eye[j]) - H[i, i] - H[j, j])
    return H


def triple(values: Any) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in values)
    return (x, y, z)


def matrix(values: Any) -> Array:
    return np.array(values).reshape(3, 3)


@dataclass(frozen=True)
class Sample:
    """Two frames a given angle apart, with random forces, stiffnesses and rest strains."""

    qa: tuple[float, ...]
    qb: tuple[float, ...]
    n: tuple[float, float, float]
    f: tuple[float, float, float]
    D: tuple[float, float, float]
    u0: tuple[float, float, float]
    slope: tuple[float, float, float]
    h: float = 0.7


def sample(angle: float, seed: int, plain: bool = False) -> Sample:
    rng = np.random.default_rng(seed)
    qa = rng.normal(size=4)
    qa /= np.linalg.norm(qa)
    axis = rng.normal(size=3)
    axis *= angle / np.linalg.norm(axis)
    start = tuple(float(v) for v in qa)
    end = tuple(turn(start, triple(axis)))
    if seed % 2:  # the same frame, the other sign
        end = tuple(-v for v in end)
    zero = (0.0, 0.0, 0.0)
    return Sample(
        start,
        end,
        triple(rng.normal(size=3)),
        triple(rng.normal(size=3)),
        (1.0, 1.0, 0.7) if plain else triple(rng.uniform(0.05, 2.0, 3)),
        zero if plain else triple(rng.normal(size=3)),
        zero if plain else triple(rng.normal(size=3)),
    )


ANGLES = pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.02, 0.1199, 0.1201, 0.5, 1.3, 2.5, 3.0])
SEEDS = pytest.mark.parametrize("seed", [0, 1, 2])


def both_turned(k: Sample, v: Array) -> tuple[Any, Any]:
    return turn(k.qa, triple(v[:3])), turn(k.qb, triple(v[3:]))


# ---- elements ---------------------------------------------------------------------------------------------


@ANGLES
@SEEDS
@pytest.mark.parametrize("plain", [False, True], ids=["general", "isotropic straight"])
def test_polished_element(angle: float, seed: int, plain: bool) -> None:
    k = sample(angle, seed, plain)
    rest: tuple[Any, ...] = (k.f, k.h, k.D, k.u0, k.slope)

    def energy(v: Array) -> float:
        return float(polished_energy(*both_turned(k, v), k.n, *rest)[0])

    value, ga, gb, aa, ab, bb, advance, ca, cb, block = polished_element(k.qa, k.qb, k.n, *rest)
    assert value == pytest.approx(energy(np.zeros(6)), rel=1e-12)
    assert np.allclose(np.r_[ga, gb], gradient_of(energy, 6), rtol=0, atol=1e-9)
    H = np.block([[matrix(aa), matrix(ab)], [matrix(ab).T, matrix(bb)]])
    assert np.allclose(H, hessian_of(energy, 6), rtol=0, atol=1e-6)

    def forced(dn: Array) -> float:
        return float(polished_energy(k.qa, k.qb, triple(np.array(k.n) + dn), *rest)[0])

    assert np.allclose(advance, -gradient_of(forced, 3), rtol=0, atol=1e-10)
    assert np.allclose(advance, polished_energy(k.qa, k.qb, k.n, *rest)[1], rtol=0, atol=1e-13)

    def moved(v: Array) -> Any:
        return polished_element(*both_turned(k, v), k.n, *rest)[6]

    def stretched(dn: Array) -> Any:
        return polished_element(k.qa, k.qb, triple(np.array(k.n) + dn), *rest)[6]

    assert np.allclose(np.hstack([matrix(ca), matrix(cb)]), gradient_of(moved, 6), rtol=0, atol=1e-9)
    assert np.allclose(matrix(block), gradient_of(stretched, 3), rtol=0, atol=1e-10)


@ANGLES
@SEEDS
def test_staggered_element(angle: float, seed: int) -> None:
    k = sample(angle, seed)

    def energy(v: Array) -> float:
        return float(bending_energy(*both_turned(k, v), k.h, k.D, k.u0))

    value, ga, gb, aa, ab, bb = bending_terms(k.qa, k.qb, k.h, k.D, k.u0)
    assert value == pytest.approx(energy(np.zeros(6)), rel=1e-12)
    assert np.allclose(np.r_[ga, gb], gradient_of(energy, 6), rtol=0, atol=1e-9)
    H = np.block([[matrix(aa), matrix(ab)], [matrix(ab).T, matrix(bb)]])
    assert np.allclose(H, hessian_of(energy, 6), rtol=0, atol=1e-6)


@SEEDS
@pytest.mark.parametrize("compliance", [0.0, 0.3])
def test_staggered_segment(seed: int, compliance: float) -> None:
    k = sample(0.3, seed)
    (g, H, columns), block = segment_terms(k.qa, k.n, k.h, compliance)

    def energy(v: Array) -> float:
        return float(segment_energy(turn(k.qa, triple(v)), k.n, k.h, compliance)[0])

    def advance(v: Array) -> Any:
        return segment_energy(turn(k.qa, triple(v)), k.n, k.h, compliance)[1]

    def forced(dn: Array) -> float:
        return float(segment_energy(k.qa, triple(np.array(k.n) + dn), k.h, compliance)[0])

    def stretched(dn: Array) -> Any:
        return segment_energy(k.qa, triple(np.array(k.n) + dn), k.h, compliance)[1]

    assert np.allclose(g, gradient_of(energy, 3), rtol=0, atol=1e-10)
    assert np.allclose(matrix(H), hessian_of(energy, 3), rtol=0, atol=1e-7)
    assert np.allclose(matrix(columns), gradient_of(advance, 3), rtol=0, atol=1e-10)
    assert np.allclose(advance(np.zeros(3)), -gradient_of(forced, 3), rtol=0, atol=1e-10)
    assert np.allclose(matrix(block), gradient_of(stretched, 3), rtol=0, atol=1e-10)


# ---- the relative rotation --------------------------------------------------------------------------------


def test_no_rotation_at_all() -> None:
    q = (0.5, 0.5, -0.5, 0.5)
    for other in (q, tuple(-v for v in q)):
        psi, u, v, c, middle = relative_rotation(q, other)
        assert psi == 0.0
        assert np.linalg.norm(u) == pytest.approx(1.0)
        assert v == (0.0, 0.0, 0.0)
        assert c == 1.0
        assert np.allclose(np.abs(np.dot(middle, q)), 1.0, atol=1e-15)


@pytest.mark.parametrize("angle", [1e-160, 1e-12, 1e-8, 1e-5, 1e-3, 0.11, 0.13, 1.0, 3.0, np.pi - 1e-7])
def test_angle_and_axis(angle: float) -> None:
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    q = (0.5, 0.5, -0.5, 0.5)
    half = 0.5 * angle
    step = (np.cos(half), *(np.sin(half) * axis))
    other = product(q, step)
    psi, u, _, _, middle = relative_rotation(q, other)
    assert 2.0 * psi == pytest.approx(angle, rel=1e-9, abs=1e-15)
    if angle > 1e-9:  # below, the quaternions' own rounding says where the axis points
        assert np.allclose(u, axis, rtol=0, atol=1e-15 / angle + 1e-12)
    expected = product(q, (np.cos(0.5 * half), *(np.sin(0.5 * half) * axis)))
    assert abs(np.dot(middle, expected)) == pytest.approx(1.0, abs=1e-14)


def product(p: Any, q: Any) -> tuple[float, ...]:
    w = p[0] * q[0] - np.dot(p[1:], q[1:])
    v = p[0] * np.array(q[1:]) + q[0] * np.array(p[1:]) + np.cross(p[1:], q[1:])
    return (float(w), *(float(k) for k in v))


def test_rotation_by_half_a_turn_is_finite() -> None:
    """At π the axis may be taken either way; the element must stay finite on both sides."""
    k = sample(np.pi, 0)
    for value in polished_element(k.qa, k.qb, k.n, k.f, k.h, k.D, k.u0, k.slope)[1:]:
        assert np.all(np.isfinite(value))
    before, after = sample(np.pi - 1e-9, 0, True), sample(np.pi + 1e-9, 0, True)
    energy = [bending_energy(s.qa, s.qb, s.h, s.D, s.u0) for s in (before, after)]
    assert energy[0] == pytest.approx(energy[1], rel=1e-6)


def test_series_meet_the_closed_forms() -> None:
    """(a, η, ζ, t) on either side of the switch agree with each other and with the closed forms."""
    for psi in (0.0599999, 0.0600001):
        s, c = np.sin(psi), np.cos(psi)
        expected = (psi / s, (s - psi * c) / s**2, 0.5 * (psi / s**2 - c / s), np.tan(0.5 * psi))
        found = coefficients(psi, (s, 0.0, 0.0), c)
        assert np.allclose(found, expected, rtol=3e-12, atol=0)
    assert coefficients(0.0, (0.0, 0.0, 0.0), 1.0) == (1.0, 0.0, 0.0, 0.0)


def test_mean_of_a_helix() -> None:
    """b(y) and its derivatives: the series against the closed form, and the limit 1/24."""
    assert helix_mean(0.0)[0] == pytest.approx(1.0 / 24.0, rel=1e-15)
    below, above = helix_mean(0.25 - 1e-12), helix_mean(0.25 + 1e-12)
    for left, right, digits in zip(below, above, (1e-11, 5e-9, 1e-6), strict=True):
        assert left == pytest.approx(right, rel=digits)
    for y in (1e-3, 0.1, 0.2, 1.0, 4.0, 9.0):
        e = 1e-3 * y
        values = [helix_mean(y + k * e) for k in (-2, -1, 1, 2)]
        for order in (0, 1):
            v = [value[order] for value in values]
            slope = (v[0] - 8.0 * v[1] + 8.0 * v[2] - v[3]) / (12.0 * e)
            assert helix_mean(y)[order + 1] == pytest.approx(slope, rel=1e-5)


# ---- a whole chain ----------------------------------------------------------------------------------------


def mixed_line(compliance: float) -> Line:
    """Every kind of support, a load, rest strain, two types, an axis left free."""
    half = 0.5**0.5
    return Line(
        name="all",
        length=1.3,
        segments=9,
        pieces=(
            Piece(0.0, 0.6, (1.0, 1.6, 0.7), 0.2, compliance),
            Piece(0.6, 1.3, (0.4, 0.3, 0.5), 0.1, compliance),
        ),
        supports=(
            Support("start", "clamp", 0.0, (0.0, 0.0, 0.0), direction=FRAME),
            Support("a", "ball", 0.35, (0.1, 0.0, 0.2)),
            Support("b", "swivel", 0.8, (0.2, 0.3, 0.3), (True, False, True), TANGENT, (half, half, 0.0, 0.0)),
            Support("end", "clamp", 1.3, (0.0, 0.5, 0.2), direction=FRAME, quaternion=(half, 0.0, half, 0.0)),
        ),
        loads=(PointLoad(1.0, (0.3, -0.2, 0.4)),),
        rest=RestShape(np.array([0.0, 1.3]), np.array([[0.5, -1.0, 0.3], [-1.0, 2.0, 0.1]])),
    )


def random_state(chain: Chain, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    frames = [(1.0, 0.0, 0.0, 0.0)]
    for _ in range(len(chain.mask) - 1):
        frames.append(turn(frames[-1], triple(0.5 * rng.normal(size=3))))
    return np.array(frames), rng.normal(size=len(chain.target))


@pytest.mark.parametrize("compliance", [0.0, 0.05])
@pytest.mark.parametrize("scheme", [STAGGERED, POLISHED], ids=["staggered", "polished"])
def test_chain_against_finite_differences(scheme: int, compliance: float) -> None:
    """Gradient, Hessian, closure, its columns and the border of a whole cable, from `lagrangian` alone."""
    if scheme == POLISHED and compliance > 0.0:
        pytest.skip("cables that stretch use the staggered element")
    line = mixed_line(compliance)
    staggered_chain, polished_chain, _, _ = make_chains(line, make_grid(line))
    chain = polished_chain if scheme == POLISHED else staggered_chain
    q, nu = random_state(chain, 5)
    work = workspace(chain)
    count, runs = len(q), len(chain.target)
    assert runs == 8  # x: 3, y: 2, z: 3
    free = chain.mask.ravel() > 0.0

    def turned_by(v: Array) -> Array:
        steps = np.zeros(3 * count)
        steps[free] = v
        return np.array([turn(tuple(a), triple(s)) for a, s in zip(q, steps.reshape(-1, 3), strict=True)])

    def value(v: Array) -> float:
        return float(lagrangian(chain, turned_by(v), nu, np.zeros(runs)))

    def closure(v: Array) -> Array:
        c = np.zeros(runs)
        lagrangian(chain, turned_by(v), nu, c)
        return c

    def closure_of_force(dnu: Array) -> Array:
        c = np.zeros(runs)
        lagrangian(chain, q, nu + dnu, c)
        return c

    def value_of_force(dnu: Array) -> float:
        return float(lagrangian(chain, q, nu + dnu, np.zeros(runs)))

    size = int(free.sum())
    zero = np.zeros(size)
    assert assemble(chain, work, q, nu) == pytest.approx(value(zero), rel=1e-12)
    assert np.allclose(work.closure[:runs], closure(zero), rtol=0, atol=1e-13)
    assert np.allclose(work.gradient.ravel()[free], gradient_of(value, size), rtol=0, atol=1e-8)
    assert not work.gradient.ravel()[~free].any()
    K = dense_hessian(work.diagonal, work.upper)
    assert np.allclose(K[np.ix_(free, free)], hessian_of(value, size), rtol=0, atol=1e-5)
    assert not K[np.ix_(free, ~free)].any()
    columns = np.moveaxis(work.columns[:, :runs], 1, 0).reshape(runs, -1)
    assert np.allclose(columns[:, free], gradient_of(closure, size), rtol=0, atol=1e-8)
    assert not columns[:, ~free].any()
    assert np.allclose(work.border[:runs, :runs], gradient_of(closure_of_force, runs), rtol=0, atol=1e-9)
    assert np.allclose(-work.closure[:runs], gradient_of(value_of_force, runs), rtol=0, atol=1e-9)
    for j in range(runs):  # the columns are zero before `first`
        assert not columns[j, : 3 * int(chain.first[j])].any()


def dense_hessian(diagonal: Array, upper: Array) -> Array:
    count = len(diagonal)
    K = np.zeros((3 * count, 3 * count))
    for i in range(count):
        xx, xy, xz, yy, yz, zz = diagonal[i]
        K[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        if i + 1 < count:
            block = upper[i].reshape(3, 3)
            K[3 * i : 3 * i + 3, 3 * i + 3 : 3 * i + 6] = block
            K[3 * i + 3 : 3 * i + 6, 3 * i : 3 * i + 3] = block.T
    return K
