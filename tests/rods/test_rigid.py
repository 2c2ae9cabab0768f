"""The gap between two parts: its first and second derivative against finite differences, and which places count."""

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.geometry import solids
from lissom.geometry.solids import Solid, box_mesh
from lissom.rods.bodies import Body, matrix
from lissom.rods.contacts import Contacts
from lissom.rods.meeting import MOST, Meetings, telling
from lissom.rods.obstacle import Obstacle
from lissom.rods.rigid import bent, felt

Array = NDArray[np.float64]

NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])


def box(*size: float) -> Solid:
    a, b, c = size
    vertices, triangles = box_mesh((a, b, c))
    return solids.mesh_solid(vertices, triangles, True)


def turned(*angle: float) -> Array:
    return Body("", np.zeros(3), NO_TURN).moved(np.array([0.0, 0.0, 0.0, *angle]), 1.0)[1]


def pair(
    a: Solid, b: Solid, place: Array, turn: Array, other_turn: Array
) -> tuple[Meetings, list[tuple[Array, Array]]]:
    """A mesh or solid a above b, and their poses."""
    poses = [(place, turn), (np.array([0.01, -0.02, 0.0]), other_turn)]
    obstacles = [
        Obstacle(name, solid, 0.0, position, quaternion, 0.0)
        for name, solid, (position, quaternion) in zip("ab", (a, b), poses, strict=True)
    ]
    return Meetings(obstacles, [(0, 1)]), poses


def nearest(meetings: Meetings, like: Contacts | None = None) -> Contacts:
    """The contact with the smallest gap, or the one most like another."""
    found = meetings.between((0, 1), 0.3)
    if like is None:
        return found.where(np.array([int(np.argmin(found.gap))]))
    far = 1.0 - found.normal @ like.normal[0] + np.linalg.norm(found.feeler_place - like.feeler_place[0], axis=1)
    return found.where(np.array([int(np.argmin(far + 10.0 * (found.feeler != like.feeler[0])))]))


CASES = {
    "corner on plane": (box(0.2, 0.3, 0.1), solids.plane_solid(), 0.16, (0.4, 0.3, 0.1), (0.1, -0.1, 0.0)),
    "corner on face": (box(0.2, 0.3, 0.1), box(1.0, 1.0, 0.2), 0.26, (0.4, 0.3, 0.1), (0.1, -0.1, 0.0)),
    "face on corner": (box(1.0, 1.0, 0.2), box(0.2, 0.3, 0.1), 0.26, (0.1, -0.1, 0.3), (0.4, 0.3, 0.1)),
    "edge on edge": (box(0.1, 1.0, 0.1), box(1.0, 0.1, 0.1), 0.16, (0.05, 0.7, 0.1), (0.8, 0.02, 0.0)),
    "corner on ball": (box(0.2, 0.3, 0.1), solids.sphere_solid(0.2), 0.36, (0.4, 0.3, 0.1), (0.0, 0.0, 0.0)),
    "edge on ball": (box(0.1, 1.0, 0.1), solids.sphere_solid(0.2), 0.29, (0.05, 0.7, 0.1), (0.0, 0.0, 0.0)),
    "edge on cylinder": (box(0.1, 1.0, 0.1), solids.cylinder_solid(0.2, 1.0), 0.3, (0.05, 0.7, 0.6), (1.5, 0.3, 0.1)),
    "ball on ball": (solids.sphere_solid(0.1), solids.sphere_solid(0.2), 0.31, (0.1, 0.2, 0.3), (0.3, 0.2, 0.1)),
    "ball on edge": (solids.sphere_solid(0.1), box(1.0, 0.1, 0.1), 0.18, (0.1, 0.2, 0.3), (0.8, 0.02, 0.0)),
    "capsule on cylinder": (
        solids.capsule_solid(0.1, 0.3), solids.cylinder_solid(0.2, 1.0), 0.33, (0.2, 1.5, 0.1), (1.5, 0.3, 0.1)),
    "capsule on edge": (solids.capsule_solid(0.1, 0.3), box(1.0, 0.1, 0.1), 0.18, (1.4, 0.1, 0.1), (0.8, 0.02, 0.0)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_derivatives_of_the_gap(case: str) -> None:
    a, b, height, turn, other = CASES[case]
    meetings, poses = pair(a, b, np.array([0.03, 0.01, height]), turned(*turn), turned(*other))
    first = nearest(meetings)
    feels = int(first.feeler[0])
    sharp = case in ("edge on edge", "edge on cylinder")
    if sharp:  # what g itself adds is left out: it is zero where forces act
        poses[0] = (poses[0][0] - (first.gap[0] - 1e-3) * first.normal[0], poses[0][1])
        meetings.obstacles[0].stand(*poses[0])
        first = nearest(meetings, first)
    order = [feels, 1 - feels]  # the part that feels comes first in the derivatives

    def gap(p: Array) -> float:
        for k, number in enumerate(order):
            position, quaternion = Body("", *poses[number]).moved(p[6 * k : 6 * k + 6], 1.0)
            meetings.obstacles[number].stand(position, quaternion)
        return float(nearest(meetings, first).gap[0])

    arm = [first.point[0] - poses[number][0] for number in order]
    N = first.normal[0]
    slope = np.concatenate([N, np.cross(arm[0], N), -N, -np.cross(arm[1], N)])
    G = bent(felt(first, 0), poses[order[0]][0], poses[order[1]][0])
    assert np.abs(G - G.T).max() < 1e-12
    h = 1e-4
    slack = 0.05 if sharp else 2e-3
    generator = np.random.default_rng(3)
    for _ in range(12):
        p = generator.normal(size=12)
        plus, zero, minus = gap(h * p), gap(0.0 * p), gap(-h * p)
        assert (plus - minus) / (2.0 * h) == pytest.approx(float(slope @ p), abs=1e-6 * float(np.linalg.norm(p)))
        second = (plus - 2.0 * zero + minus) / h**2
        assert second == pytest.approx(float(p @ G @ p), rel=1e-4, abs=slack)


def test_a_feeler_inside_touches_only_what_lies_before_it() -> None:
    """Two boxes of one height side by side, by a hair inside each other: they part sideways, not up."""
    meetings, _ = pair(
        box(0.4, 0.2, 0.3), box(0.4, 0.2, 0.3), np.array([0.1, 0.1799, 1e-5]), NO_TURN, turned(0, 0, 0.01)
    )
    found = meetings.between((0, 1), 0.05)
    deep = found.where(found.gap < 0.0)
    assert len(deep)
    assert np.abs(deep.normal[:, 1]).min() > 0.9


def test_of_many_contacts_those_that_say_most_stay() -> None:
    """A fine ring on a plane: the lowest point stays, and points all around."""
    meetings, _ = pair(
        solids.cylinder_solid(0.1, 0.05),
        solids.plane_solid(),
        np.array([0.0, 0.0, 0.0501]),
        turned(1e-3, 0, 0),
        NO_TURN,
    )
    found = meetings.between((0, 1), 0.02)
    assert len(found) == MOST
    angles = np.sort(np.arctan2(found.point[:, 1], found.point[:, 0]))
    assert float(np.diff(angles).max()) < 2.0 * np.pi / 16
    c = Contacts.empty(100)
    c.point[:, 0], c.normal[:, 2] = np.linspace(-1, 1, 100), 1.0
    c.gap[40] = -1e-3
    kept = telling(c, 1.0)
    assert {0, 40, 99} <= set(kept)


def test_far_parts_are_not_looked_at() -> None:
    meetings, _ = pair(box(0.1, 0.1, 0.1), box(0.1, 0.1, 0.1), np.array([0.0, 0.0, 1.0]), NO_TURN, NO_TURN)
    assert meetings.apart((0, 1)) == pytest.approx(np.hypot(1.0, np.hypot(0.01, 0.02)) - np.sqrt(0.03), abs=1e-12)
    assert len(meetings.between((0, 1), 0.05)) == 0
    assert matrix(NO_TURN) == pytest.approx(np.eye(3))
