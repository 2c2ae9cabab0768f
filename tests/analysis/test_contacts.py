"""Contacts as each of the two cables feels them."""

import numpy as np
import pytest

from lissom.analysis.contacts import touches
from lissom.rods.describing import Contact
from lissom.scene import Scene

CABLES = """
[[cables]]
name = "a"
type = "library:rg-58"
length = 0.4
start = { position = [0, 0, 0] }
[[cables]]
name = "b"
type = "library:rg-58"
length = 0.2
start = { position = [0, 0, 0] }
"""
UP = np.array([0.0, 0.0, 1.0])


def contact(part: str, place: float, other: float | None) -> Contact:
    return Contact("a", place, 2.5 * place, part, other, np.zeros(3), UP, 3.0 * UP, 3.0)


def test_the_other_cable_feels_the_opposite_force_at_its_own_place() -> None:
    scene = Scene.from_toml(CABLES)
    contacts = [contact("floor", 0.3, None), contact("b", 0.1, 0.05)]
    felt = touches(scene, contacts, "a")
    assert {by: [touch.at for touch in group] for by, group in felt.items()} == {"b": [0.25], "floor": [0.75]}
    ((by, (touch,)),) = touches(scene, contacts, "b").items()
    assert by == "a"
    assert touch.at == pytest.approx(0.25)
    assert touch.force.tolist() == [0.0, 0.0, -3.0]
    assert touch.strength == 3.0


def test_a_cable_that_touches_itself_feels_both_sides() -> None:
    (group,) = touches(Scene.from_toml(CABLES), [contact("a", 0.3, 0.1)], "a").values()
    assert [touch.place for touch in group] == [0.1, 0.3]
    assert np.sum([touch.force for touch in group], axis=0).tolist() == [0.0, 0.0, 0.0]
