"""The two-segment and the four-segment cable: the optima of HD00, against searches that know nothing of them."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize

from lissom.kinematic.building import Layout
from lissom.kinematic.cable import Cable
from tests.kinematic.cases import Array, random_layouts


def energy(layout: Layout, x: Array) -> float:
    """HD00's energies of a polygon of equal segments, from the joints alone."""
    (section,), (a, b) = layout.sections, layout.holds
    n = len(x) - 1
    k = section.bending * n / section.length
    d = np.diff(x, axis=0)
    d /= np.linalg.norm(d, axis=1)[:, None]
    way = [np.array(a.tangent), *d, np.array(b.tangent)]
    angles = [math.acos(min(max(float(p @ q), -1.0), 1.0)) for p, q in itertools.pairwise(way)]
    stiff = [2.0 * k, *[k] * (n - 1), 2.0 * k]
    heights = -sum(float(np.dot(section.weight, p + q)) for p, q in itertools.pairwise(x)) * 0.5 * section.length / n
    return 0.5 * sum(s * w * w for s, w in zip(stiff, angles, strict=True)) + heights


@pytest.mark.parametrize("number", range(12))
def test_the_joint_of_two_segments_is_the_lowest_on_its_circle(number: int) -> None:
    layout = random_layouts(12, seed=3)[number]
    cable = Cable(layout, 2)
    cable.solve()
    x = cable.positions(0)
    a, b = x[0], x[2]
    u = (b - a) / np.linalg.norm(b - a)
    side = np.cross(u, (0.3, -0.5, 0.7))
    side /= np.linalg.norm(side)
    R = math.sqrt(0.25 - 0.25 * float((b - a) @ (b - a)))
    phi = np.linspace(0.0, 2.0 * np.pi, 2001)
    circle = [0.5 * (a + b) + R * (math.cos(p) * side + math.sin(p) * np.cross(u, side)) for p in phi]
    lowest = min(energy(layout, np.array([a, y, b])) for y in circle)
    assert np.linalg.norm(np.diff(x, axis=0), axis=1) == pytest.approx(0.5, rel=1e-14)
    assert energy(layout, x) <= lowest + 1e-9


@pytest.mark.parametrize("number", range(6))
def test_the_middle_point_of_four_segments_is_the_lowest_in_the_lens_with_the_outer_joints_following(
    number: int,
) -> None:
    """Against a search over the middle point (three numbers) that turns the outer joints (two angles) for each."""
    layout = random_layouts(6, seed=5)[number]
    cable = Cable(layout, 4)
    cable.solve()
    x = cable.positions(1)
    a, b = x[0], x[4]

    def outer(p: Array, q: Array, angle: float, reference: Array) -> Array:
        u = (q - p) / np.linalg.norm(q - p)
        side = reference - (reference @ u) * u
        side /= np.linalg.norm(side)
        R = math.sqrt(max(0.0625 - 0.25 * float((q - p) @ (q - p)), 0.0))
        return 0.5 * (p + q) + R * (math.cos(angle) * side + math.sin(angle) * np.cross(u, side))

    def of(v: Array) -> float:
        y = v[:3]
        over = float(max(np.linalg.norm(y - a), np.linalg.norm(y - b))) - 0.5
        if over >= 0.0:
            return 1e3 + over  # outside of the lens
        one = outer(a, y, v[3], x[1] - 0.5 * (a + x[2]))
        two = outer(y, b, v[4], x[3] - 0.5 * (b + x[2]))
        return energy(layout, np.array([a, one, y, two, b]))

    assert np.linalg.norm(x[2] - a) <= 0.5
    assert np.linalg.norm(x[2] - b) <= 0.5
    here = energy(layout, x)
    start = np.concatenate([x[2] + 1e-3, [0.01, -0.01]])
    found = minimize(of, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 6000})
    assert of(np.concatenate([x[2], [0.0, 0.0]])) == pytest.approx(here, abs=1e-9)
    assert here <= found.fun + 1e-8 * max(abs(found.fun), 1.0)


def test_without_anything_to_say_which_way_it_hangs() -> None:
    layout = random_layouts(1)[0]
    free = layout.holding(
        tuple(k._replace(tangent=None, position=p) for k, p in zip(layout.holds, ((0, 0, 0), (0.6, 0, 0)), strict=True))
    )
    cable = Cable(free, 4)
    cable.solve()
    assert cable.positions(0)[1] == pytest.approx((0.3, 0.0, -0.4))
