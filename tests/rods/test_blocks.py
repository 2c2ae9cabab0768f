"""The bordered block solver against dense numpy, and the Morse index against the projected Hessian."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.geometry.triples import Quaternion, Vector, turned
from lissom.kernels import kernel
from lissom.rods import blocks, newton
from lissom.rods.chain import POLISHED, STAGGERED, Chain, Work, assemble, workspace
from lissom.rods.grid import make_chains, make_grid
from lissom.rods.line import FRAME, TANGENT, Line, Piece, RestShape, Support
from tests.rods.test_elements import dense_hessian

Array = NDArray[np.float64]


@dataclass
class Bordered:
    """A random symmetric block-tridiagonal K with border columns, as arrays of blocks and dense."""

    count: int
    width: int
    first: NDArray[np.int64]
    diagonal: Array
    upper: Array
    columns: Array
    mask: Array

    @classmethod
    def random(cls, count: int, width: int, seed: int, stiff: float) -> "Bordered":
        rng = np.random.default_rng(seed)
        diagonal = rng.normal(size=(count, 6))
        diagonal[:, [0, 3, 5]] += stiff
        first = np.sort(rng.integers(0, count, size=width))
        columns = rng.normal(size=(count, width + 1, 3))
        for j in range(width):
            columns[: first[j], j] = 0.0
        return cls(count, width, first, diagonal, rng.normal(size=(count, 9)), columns, np.ones((count, 3)))

    def factor(self, shift: float = 0.0) -> tuple[int, Array, Array, Array, Array]:
        inverse, ratio = np.zeros((self.count, 6)), np.zeros((self.count, 9))
        solved = np.zeros((self.count, self.width + 1, 3))
        schur = np.zeros((self.width + 1, self.width + 1))
        negative = blocks.factor(
            self.count, self.width, self.first, shift, 1e-14, self.diagonal, self.upper, self.columns,
            self.mask, inverse, ratio, solved, np.zeros((self.width + 1, 3)), schur,
        )  # fmt: skip
        return negative, inverse, ratio, solved, schur

    @property
    def dense(self) -> Array:
        return dense_hessian(self.diagonal, self.upper)

    @property
    def dense_columns(self) -> Array:
        """(3·count, width + 1)."""
        return np.moveaxis(self.columns, 1, 2).reshape(3 * self.count, self.width + 1)


SHAPES = pytest.mark.parametrize(("count", "width"), [(1, 0), (2, 3), (7, 1), (20, 3), (33, 9)])


@SHAPES
@pytest.mark.parametrize("stiff", [6.0, 0.0], ids=["definite", "indefinite"])
@pytest.mark.parametrize("shift", [0.0, 0.7])
def test_factor_and_solve(count: int, width: int, stiff: float, shift: float) -> None:
    system = Bordered.random(count, width, 7 * count + width, stiff)
    negative, _, ratio, solved, schur = system.factor(shift)
    K = system.dense + shift * np.eye(3 * count)
    A = system.dense_columns
    assert negative == int(np.sum(np.linalg.eigvalsh(K) < 0.0))
    expected = A.T @ np.linalg.solve(K, A)
    scale = np.abs(expected).max()
    assert np.allclose(schur, expected, rtol=0, atol=1e-9 * scale)
    weights = np.random.default_rng(1).normal(size=width)
    step = np.zeros((count, 3))
    blocks.back_substitute(count, width, system.first, weights, ratio, solved, step)
    x = np.linalg.solve(K, A[:, width] + A[:, :width] @ weights)
    assert np.allclose(step.ravel(), x, rtol=0, atol=1e-9 * max(1.0, np.abs(x).max()))


@SHAPES
def test_bordered_system(count: int, width: int) -> None:
    """[K −Aᵀ; A E][x; y] = [b; c], put together from the factors as Newton's method does."""
    system = Bordered.random(count, width, 3 * count + width, 5.0)
    _, _, ratio, solved, schur = system.factor()
    rng = np.random.default_rng(2)
    E = rng.normal(size=(width, width))
    E = E @ E.T
    c = rng.normal(size=width)
    y: Array = np.zeros(width)
    if width:
        y += np.linalg.solve(schur[:width, :width] + E, c - schur[:width, width])
    step = np.zeros((count, 3))
    blocks.back_substitute(count, width, system.first, y, ratio, solved, step)
    A = system.dense_columns
    full = np.block([[system.dense, -A[:, :width]], [A[:, :width].T, E]])
    expected = np.linalg.solve(full, np.r_[A[:, width], c])
    assert np.allclose(np.r_[step.ravel(), y], expected, rtol=0, atol=1e-9)


def test_new_right_side() -> None:
    system = Bordered.random(12, 4, 5, 4.0)
    _, inverse, ratio, solved, schur = system.factor()
    system.columns[:, 4] = np.random.default_rng(9).normal(size=(12, 3))
    blocks.new_right_side(12, 4, system.first, inverse, ratio, system.columns, solved, schur)
    step = np.zeros((12, 3))
    blocks.back_substitute(12, 4, system.first, np.zeros(4), ratio, solved, step)
    A = system.dense_columns
    assert np.allclose(step.ravel(), np.linalg.solve(system.dense, A[:, 4]), rtol=0, atol=1e-10)
    expected = A[:, :4].T @ np.linalg.solve(system.dense, A[:, 4])
    assert np.allclose(schur[4, :4], expected, rtol=0, atol=1e-10)
    assert np.array_equal(schur[:4, 4], schur[4, :4])


def test_a_neutral_direction_counts_as_positive() -> None:
    system = Bordered.random(3, 0, 1, 5.0)
    system.upper[:] = 0.0
    system.diagonal[:] = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    assert system.factor()[0] == 0


# ---- the Morse index of random chains ---------------------------------------------------------------------


@kernel
def turn(q: Quaternion, a: Vector) -> Quaternion:
    return turned(q, a)


def random_line(seed: int) -> Line:
    rng = np.random.default_rng(seed)
    frame = rng.normal(size=4)
    frame /= np.linalg.norm(frame)
    middle = rng.integers(3)
    kinds = [("clamp", FRAME), ("swivel", TANGENT), ("ball", 0)]
    supports = [Support("start", "clamp", 0.0, (0.0, 0.0, 0.0), direction=FRAME)]
    w, x, y, z = (float(v) for v in frame)
    if seed % 3:
        kind, direction = kinds[middle]
        holds = (True, bool(seed % 2), True)
        supports.append(Support("clip", kind, 0.4, (0.1, 0.1, 0.2), holds, direction, (w, x, y, z)))
    if seed % 4:
        kind, direction = kinds[rng.integers(3)]
        place = 1.0 if seed % 5 else 0.8
        supports.append(Support("end", kind, place, (0.3, 0.2, 0.1), direction=direction, quaternion=(w, x, y, z)))
    D = tuple(float(v) for v in 10 ** rng.uniform(-1, 1, 3))
    return Line(
        name="random",
        length=1.0,
        segments=12,
        pieces=(Piece(0.0, 1.0, (D[0], D[1], D[2]), 1.0, 0.02 if seed % 7 == 0 else 0.0),),
        supports=tuple(supports),
        rest=RestShape(np.array([0.0]), rng.normal(size=(1, 3))),
    )


def random_state(line: Line, scheme: int, seed: int) -> tuple[Chain, Work, Array, Array]:
    staggered, polished, _, _ = make_chains(line, make_grid(line))
    chain = polished if scheme == POLISHED else staggered
    rng = np.random.default_rng(seed)
    frames: list[Quaternion] = [(1.0, 0.0, 0.0, 0.0)]
    for _ in range(len(chain.mask) - 1):
        a, b, c = 0.3 * rng.normal(size=3)
        frames.append(turn(frames[-1], (float(a), float(b), float(c))))
    nu = rng.normal(size=len(chain.target)) * 10 ** rng.uniform(-1, 2.0)
    return chain, workspace(chain), np.array(frames), nu


@pytest.mark.parametrize("scheme", [STAGGERED, POLISHED], ids=["staggered", "polished"])
@pytest.mark.parametrize("seed", range(60))
def test_morse_index(scheme: int, seed: int) -> None:
    """n₋(K) − n₋(S) is the number of negative eigenvalues of K on the motions that keep the closure.

    Where E ≠ 0 the closure gives way; the reference is then the inertia of the whole bordered matrix: n₋ of
    [K −Aᵀ; −A −E] less the number of multipliers.
    """
    line = random_line(seed)
    if scheme == POLISHED and line.is_extensible:
        pytest.skip("cables that stretch use the staggered element")
    chain, work, q, nu = random_state(line, scheme, seed)
    assemble(chain, work, q, nu)
    runs, count, width = len(chain.target), len(q), len(chain.first)
    negative = blocks.factor(
        count, width, chain.first, 0.0, 1e-14, work.diagonal, work.upper, work.columns, chain.mask,
        work.inverse, work.ratio, work.solved, work.carried, work.schur,
    )  # fmt: skip
    index = negative - newton.border_inertia(chain, work)
    free = chain.mask.ravel() > 0.0
    K = dense_hessian(work.diagonal, work.upper)[np.ix_(free, free)]
    A = np.moveaxis(work.columns[:, :runs], 1, 0).reshape(runs, 3 * count)[:, free]
    E = work.border[:runs, :runs]
    assert index == negative_eigenvalues(np.block([[K, -A.T], [-A, -E]])) - runs
    if not E.any() and runs:
        null = np.linalg.svd(A)[2][np.linalg.matrix_rank(A) :].T
        assert index == negative_eigenvalues(null.T @ K @ null)
    if not runs:
        assert index == negative_eigenvalues(K)


def negative_eigenvalues(matrix: Array) -> int:
    return int(np.sum(np.linalg.eigvalsh(0.5 * (matrix + matrix.T)) < 0.0))
