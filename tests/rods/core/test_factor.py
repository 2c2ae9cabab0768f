"""The front against the dense matrix: its step, and its count of directions in which the energy falls."""

import numpy as np
import pytest
from tests.rods.core.dense import coordinates, dense, disturbed, gradient, network, rest, stepped

from lissom.rods.core import advance
from lissom.rods.core.factor import back, factor
from lissom.rods.core.residuals import assemble


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("loose", [False, True])
def test_the_gradient_is_that_of_the_lagrangian(seed: int, loose: bool) -> None:
    """By a symmetric matrix: what is a gradient has one."""
    made = disturbed(seed, 0.05, loose)
    names = coordinates(made.model)
    H = dense(made, names)
    g = gradient(made, names)
    # turns do not commute: the part that is not symmetric is the gradient itself
    scale = float(np.abs(H).max())
    skew = H - H.T
    assert np.abs(skew).max() < 1e-5 * scale + 2.0 * np.abs(g).max()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("loose", [False, True])
def test_the_step_is_that_of_the_dense_matrix(seed: int, loose: bool) -> None:
    made = disturbed(seed, 0.02, loose)
    names = coordinates(made.model)
    H = dense(made, names)
    H = 0.5 * (H + H.T)
    g = gradient(made, names)
    model = rest(made.model)
    factor(model, made.state, made.work, 0.0, 0)
    back(model, made.state, made.work, 0)
    found, expected = stepped(made, names), np.linalg.solve(H, -g)
    for what in "nxqyp":
        mine = [k for k, name in enumerate(names) if name[0] == what]
        assert found[mine] == pytest.approx(expected[mine], rel=1e-4, abs=2e-5 * float(np.abs(expected[mine]).max()))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("loose", [False, True])
def test_the_index_is_that_of_the_dense_matrix(seed: int, loose: bool) -> None:
    """Of states far from rest, many of which are unstable."""
    made = disturbed(seed, 0.3, loose)
    names = coordinates(made.model)
    H = dense(made, names)
    forces = sum(name[0] == "n" for name in names)
    negative = int((np.linalg.eigvalsh(0.5 * (H + H.T)) < 0.0).sum()) - forces
    assemble(made.model, made.state, made.work)
    assert factor(rest(made.model), made.state, made.work, 0.0, 0) == negative


def test_some_of_these_states_are_unstable() -> None:
    found = []
    for seed in range(12):
        made = disturbed(seed, 0.3)
        assemble(made.model, made.state, made.work)
        found.append(factor(made.model, made.state, made.work, 0.0, 0))
    assert max(found) > 0


@pytest.mark.parametrize("seed", range(6))
def test_newton_converges_quadratically(seed: int) -> None:
    made = disturbed(seed, 0.01)
    names = coordinates(made.model)
    sizes = []
    for _ in range(6):
        g = gradient(made, names)
        sizes.append(float(np.abs(g).max()))
        factor(made.model, made.state, made.work, 0.0, 0)
        back(made.model, made.state, made.work, 0)
        advance.take(made.model, made.state, made.work, 1.0)
    assert sizes[-1] < 1e-12
    steps = [k for k in range(len(sizes) - 1) if 1e-8 < sizes[k] < 1e-3]
    assert steps
    assert all(sizes[k + 1] < 1e3 * sizes[k] ** 2 + 1e-13 for k in steps)


def test_a_tree_comes_back_from_where_it_was_thrown() -> None:
    made = network()
    made.solve(1e-11, 30)
    there = [k.copy() for k in made.points()]
    for seed in range(10):
        thrown = disturbed(seed, 0.1)
        outcome = thrown.solve(1e-11, 60)
        assert outcome.status == advance.CONVERGED
        assert outcome.falling == 0
        for a, b in zip(thrown.points(), there, strict=True):
            assert np.abs(a - b).max() < 1e-8
