"""Points along a cable."""

import pytest

from lissom.rods.grid import spread_segments


@pytest.mark.parametrize("off", [0.0, 1e-16, -1e-16, 1e-12, -1e-12])
def test_rounding_does_not_say_where_points_are(off: float) -> None:
    """Of equal spans the first had a point more, or another one, as the last digit of a length had it."""
    assert spread_segments([0.0, 1.0 / 3.0 + off, 2.0 / 3.0, 1.0], 64).tolist() == [22, 21, 21]
    assert spread_segments([0.0, 0.5 + off, 1.0], 64).tolist() == [32, 32]


def test_longer_spans_have_more_points_and_none_less_than_two() -> None:
    assert spread_segments([0.0, 0.001, 0.4, 1.0], 50).tolist() == [2, 19, 30]
