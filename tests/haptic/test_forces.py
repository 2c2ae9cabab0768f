"""Forces of the model: sums, directions, derivatives, and KH05's equations where they are right."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.haptic import forces
from lissom.haptic.cable import ForceCable, Grip, new_planes, new_points
from lissom.haptic.forces import CONSISTENT, PAPER, Aims, Cable, Holds
from lissom.haptic.parameters import automatic

Array = NDArray[np.float64]
NONE = Holds(np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))
NO_AIMS = Aims(np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros(0))


def force_of(x: Array, law: int, bend: float = 2.0, c_c: float = 0.0, holds: Holds = NONE, aims: Aims = NO_AIMS) -> Any:
    points = new_points(len(x))
    points.x[:] = x
    hinges = np.zeros(len(x))
    hinges[1:-1] = bend
    cable = Cable(law, 0.1, c_c, hinges, np.zeros((len(x), 3)))
    forces.total_force(cable, holds, aims, new_planes(4), points)
    return points.force.copy()


def crooked(seed: int, n: int = 7, turn: float = 0.5) -> Array:
    rng = np.random.default_rng(seed)
    steps = np.array([0.1, 0.0, 0.0]) + 0.1 * turn * rng.normal(size=(n - 1, 3))
    return np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])


@pytest.mark.parametrize("law", [PAPER, CONSISTENT])
@pytest.mark.parametrize("seed", range(5))
def test_inner_forces_neither_push_nor_turn_the_whole(law: int, seed: int) -> None:
    """KH05 (4) as printed leaves a net force; mended it does not, for segments of any length."""
    x = crooked(seed)
    f = force_of(x, law, c_c=3.0)
    assert np.abs(f).max() > 0.1
    assert f.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    assert np.cross(x, f).sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize("law", [PAPER, CONSISTENT])
def test_ends_of_a_hinge_are_pushed_at_right_angles_to_their_segments(law: int) -> None:
    x = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.02], [0.17, 0.05, 0.0]])
    f = force_of(x, law)
    assert f[0] @ (x[1] - x[0]) == pytest.approx(0.0, abs=1e-14)
    assert f[2] @ (x[2] - x[1]) == pytest.approx(0.0, abs=1e-14)
    assert f[1] @ (0.5 * (x[0] + x[2]) - x[1]) > 0.0  # towards the line of its neighbours


def test_law_of_the_paper_is_cubic_in_the_angle_and_the_consistent_one_linear() -> None:
    def size(law: int, angle: float) -> float:
        x = np.array([[-0.1, 0.0, 0.0], [0.0, 0.0, 0.0], [0.1 * math.cos(angle), 0.0, 0.1 * math.sin(angle)]])
        return float(np.linalg.norm(force_of(x, law)[2]))

    for angle in (1e-3, 0.01, 0.1, 0.5):
        assert size(PAPER, angle) == pytest.approx(2.0 * (1 - math.cos(angle)) * math.sin(angle / 2), rel=1e-9)
    for angle in (1e-6, 1e-3, 0.19, 0.2, 0.21, 1.0, 2.0, 3.0):
        assert size(CONSISTENT, angle) == pytest.approx(2.0 * angle / 0.1, rel=1e-9)


@pytest.mark.parametrize("turn", [0.02, 0.5])
def test_consistent_force_is_minus_the_gradient_of_its_energy(turn: float) -> None:
    x = crooked(3, turn=turn)

    def energy(x: Array) -> float:
        t = np.diff(x, axis=0)
        l = np.linalg.norm(t, axis=1)
        t = t / l[:, None]
        angle = np.arctan2(np.linalg.norm(np.cross(t[:-1], t[1:]), axis=1), np.einsum("ij,ij->i", t[:-1], t[1:]))
        return float(0.5 * 2.0 * (angle**2).sum() + 0.5 * 3.0 * 0.1 * ((l / 0.1 - 1.0) ** 2).sum())

    f = force_of(x, CONSISTENT, c_c=3.0)
    for i in range(len(x)):
        for k in range(3):
            d = np.zeros_like(x)
            d[i, k] = 1e-6
            assert f[i, k] == pytest.approx(-(energy(x + d) - energy(x - d)) / 2e-6, abs=1e-6 * np.abs(f).max() + 1e-8)


@pytest.mark.parametrize("law", [PAPER, CONSISTENT])
def test_points_in_one_place_and_folds_give_finite_forces(law: int) -> None:
    flat = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.1, 0.0, 0.0]])
    assert np.isfinite(force_of(flat, law, c_c=3.0)).all()


def test_grips_attract_and_obstacles_push_on_their_wrong_side_only() -> None:
    """KH05 (5) as printed repels, and pulls a free point onto the plane."""
    x = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.2, 0.0, 0.0]])
    holds = Holds(np.array([0]), np.array([0.25]), np.array([[0.025, 0.0, 0.3]]), np.zeros((1, 3)), np.array([10.0]))
    f = force_of(x, CONSISTENT, holds=holds)
    assert f[0] == pytest.approx([0.0, 0.0, 0.75 * 3.0])
    assert f[1] == pytest.approx([0.0, 0.0, 0.25 * 3.0])
    points = new_points(3)
    points.x[:] = x
    planes = new_planes(4)
    planes.used[0] = 2
    planes.segment[:2], planes.t[:2], planes.stiffness[:2] = (0, 1), (0.5, 1.0), 100.0
    planes.normal[:2] = (0.0, 0.0, 1.0)
    planes.origin[:2] = ((0.0, 0.0, 0.01), (0.0, 0.0, -0.01))  # the first is 10 mm deep, the second free by as much
    cable = Cable(CONSISTENT, 0.1, 0.0, np.zeros(3), np.zeros((3, 3)))
    forces.total_force(cable, NONE, NO_AIMS, planes, points)
    assert planes.force[:2] == pytest.approx([1.0, 0.0])
    assert points.force == pytest.approx(np.array([[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]]))


@pytest.mark.parametrize("kind", ["frame", "points"])
@pytest.mark.parametrize("at", [0.0, 0.37, 0.5, 1.0])
def test_gripper_feels_weight_and_its_moment_wherever_it_holds(kind: Any, at: float) -> None:
    """KH05 fig. 14, at the first and the last point too."""
    given = automatic(0.3, 0.02, 2e-3, 13)
    tangent = np.array([0.8, 0.6, 0.0])
    cable = ForceCable(given, [Grip(at * 0.3, np.array([0.1, 0.2, 0.3]), tangent, kind)])
    assert cable.settle(tolerance=1e-8)
    felt = cable.wrench()
    weight = np.array([0.0, 0.0, -0.02 * 9.81])
    share = np.full(13, 1.0)
    share[[0, -1]] = 0.5
    centre = (share[:, None] * cable.positions).sum(axis=0) / share.sum()
    assert felt[:3] == pytest.approx(weight, abs=1e-6)
    assert felt[3:] == pytest.approx(np.cross(centre - [0.1, 0.2, 0.3], weight), abs=2e-6)
