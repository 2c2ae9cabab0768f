"""What contacts leave behind: through arrays and back, on other points, and refused where it does not go together."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.rods.contacts import Contacts
from lissom.rods.past import Memory, Past, Rubbed, resampled

Array = NDArray[np.float64]


def past() -> Past:
    c = Contacts.empty(2)
    c.segment[:], c.t[:] = 3, 0.25
    c.other[1], c.other_segment[1] = 1, 2
    c.part[0] = 0
    c.force[:] = 1.0, 2.0
    s = (np.linspace(0.0, 1.0, 11), np.linspace(0.0, 2.0, 6))
    line = np.linspace([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], 11)
    rubbed = Rubbed(
        np.array([0]), np.array([1]), np.array([3.25]), np.array([2.0]), np.ones((1, 3)), (line, 2.0 * line[::2])
    )
    memory = {(0, 0): Memory(line, np.array([3.25]), np.ones((1, 3)))}
    return Past(("a", "b"), ("table",), s, c, memory, rubbed)


def test_arrays_bring_it_back() -> None:
    before = past()
    after = Past.read(before.arrays())
    assert after is not None
    assert after.cables == before.cables
    assert after.fits(before.cables, before.parts, before.s)
    assert all(np.array_equal(x, after.arrays()[key]) for key, x in before.arrays().items())


def test_on_other_points_places_stay_where_they_are_along_the_cable() -> None:
    finer = (np.linspace(0.0, 1.0, 21), np.linspace(0.0, 2.0, 6))
    there = past().on_grid(finer)
    assert there.memory[0, 0].places == pytest.approx([6.5])
    assert there.memory[0, 0].local[:, 0] == pytest.approx(finer[0])
    assert there.rubbed is not None
    assert there.rubbed.place == pytest.approx([6.5])
    assert there.rubbed.other_place == pytest.approx([2.0])
    assert len(there.contacts) == 0  # both are on the cable with other points
    assert len(past().on_grid(past().s).contacts) == 2


def test_other_things_do_not_fit() -> None:
    one = past()
    assert not one.fits(("a", "c"), one.parts, one.s)
    assert not one.fits(one.cables, ("chair",), one.s)
    assert not one.fits(one.cables, one.parts, (1.1 * one.s[0], one.s[1]))


@pytest.mark.parametrize("key", sorted(past().arrays()))
def test_what_is_missing_or_misshapen_is_refused(key: str) -> None:
    arrays = past().arrays()
    short = arrays | {key: arrays[key][:-1]}
    del arrays[key]
    assert Past.read(arrays) is None or key == "between.link"  # without that, cables never rubbed
    assert Past.read(short) is None


def test_numbers_of_nothing_are_refused() -> None:
    one = past()
    for field, value in (("part", 1), ("other", 2), ("segment", 10), ("force", np.nan)):
        arrays = one.arrays()
        arrays[f"contacts.{field}"][0] = value
        assert Past.read(arrays) is None
    assert Past.read(replace(one, memory={(0, 1): one.memory[0, 0]}).arrays()) is None


def helix(s: Array) -> Array:
    return np.stack([np.cos(3.0 * s), np.sin(3.0 * s), 0.2 * s], axis=1)


def cubic(s: Array) -> Array:
    return np.stack([s**3, s - s**2, 1.0 + s], axis=1)


def test_other_points_lie_on_the_curve_not_on_its_chords() -> None:
    """Friction is stiff: half a sagitta off is felt as motion along the surface."""
    old = np.linspace(0.0, 1.0, 11)
    new = old + 0.3 * 0.1 * np.sin(np.pi * old)
    assert np.abs(resampled(helix(old), old, new) - helix(new)).max() < 0.03 * (3.0 * 0.1) ** 2 / 8.0
    assert resampled(cubic(old), old, new) == pytest.approx(cubic(new), abs=1e-12)
    assert np.array_equal(resampled(helix(old), old, old), helix(old))
    few = np.array([0.0, 0.4, 1.0])
    assert resampled(few[:, None] * np.ones(3), few, np.array([0.2, 0.7]))[:, 0] == pytest.approx([0.2, 0.7])
