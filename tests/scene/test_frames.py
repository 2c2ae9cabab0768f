"""Frames: the definitions of roll and twist."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lissom.scene.frames import (
    Quaternion,
    Vec3,
    carried,
    cross,
    director,
    frame_quaternion,
    normalized,
    product,
    smallest_rotation,
    twist_between,
    unit,
)

angles = st.floats(-3.1, 3.1)
vectors = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: math.hypot(*v) > 0.1)
quaternions = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: math.hypot(*q) > 0.1).map(normalized)


@given(quaternions)
@example((0.7948552751058516, -0.08904529916817011, 0.6000233556644841, 0.015747983667262773))
def test_a_unit_quaternion_stays_to_the_last_bit(q: Quaternion) -> None:
    """The pose of a floating junction that was written and read again used to be another in the last digit."""
    assert normalized(q) == q


@given(vectors, angles)
@example((0.0, 1.1e-5, -1.0), 0.0)
@example((1e-9, 1.1e-5, -1.0), 1.0)
def test_the_third_director_is_the_tangent(tangent: Vec3, roll: float) -> None:
    q = frame_quaternion(tangent, roll)
    assert math.hypot(*q) == pytest.approx(1.0, abs=1e-14)
    assert director(q, 3) == pytest.approx(unit(tangent), abs=1e-10)
    assert cross(director(q, 1), director(q, 2)) == pytest.approx(director(q, 3), abs=1e-12)


def test_roll_zero_is_the_smallest_rotation_of_z() -> None:
    q = frame_quaternion((1.0, 0.0, 0.0))  # a quarter turn about y
    assert director(q, 1) == pytest.approx((0.0, 0.0, -1.0))
    assert director(q, 2) == pytest.approx((0.0, 1.0, 0.0))
    assert frame_quaternion((0.0, 0.0, 5.0)) == (1.0, 0.0, 0.0, 0.0)


def test_roll_turns_d1_towards_d2() -> None:
    assert director(frame_quaternion((0.0, 0.0, 1.0), math.pi / 2), 1) == pytest.approx((0.0, 1.0, 0.0))
    assert director(frame_quaternion((1.0, 0.0, 0.0), math.pi / 2), 1) == pytest.approx((0.0, 1.0, 0.0))


def test_downwards_is_half_a_turn_about_x() -> None:
    q = frame_quaternion((0.0, 0.0, -1.0))
    assert director(q, 1) == pytest.approx((1.0, 0.0, 0.0))
    assert director(q, 3) == pytest.approx((0.0, 0.0, -1.0))


@given(quaternions, vectors, angles)
def test_twist_is_what_a_carried_frame_was_turned_by(q: Quaternion, tangent: Vec3, twist: float) -> None:
    end = carried(q, tangent, twist)
    if end is None or 1.0 + sum(a * b for a, b in zip(director(q, 3), unit(tangent), strict=True)) < 1e-6:
        return
    assert twist_between(q, end) == pytest.approx(twist, abs=1e-8)
    negated = (-end[0], -end[1], -end[2], -end[3])  # the same rotation
    assert twist_between(q, negated) == pytest.approx(twist, abs=1e-8)


@given(quaternions, quaternions, quaternions)
def test_twist_does_not_depend_on_the_axes_of_the_world(a: Quaternion, b: Quaternion, turn: Quaternion) -> None:
    before, after = twist_between(a, b), twist_between(product(turn, a), product(turn, b))
    if 1.0 + sum(x * y for x, y in zip(director(a, 3), director(b, 3), strict=True)) > 1e-4:
        assert math.remainder(after - before, 2 * math.pi) == pytest.approx(0.0, abs=1e-6)


def test_half_a_turn_is_plus_pi() -> None:
    assert twist_between((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)) == pytest.approx(math.pi)
    assert twist_between((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, -1.0)) == pytest.approx(math.pi)


def test_antiparallel_tangents_have_no_smallest_rotation() -> None:
    up, down = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)
    assert math.isnan(twist_between(up, down))
    assert carried(up, (0.0, 0.0, -1.0)) is None
    assert smallest_rotation((0.0, 0.0, 1.0), (0.0, 0.0, -1.0)) is None
