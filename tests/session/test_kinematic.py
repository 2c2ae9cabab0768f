"""Kinematic cables in the studio's session: switched by an edit, coarse at most while dragged, fine when let go."""

import numpy as np

from lissom.session.messages.commands import Drag, Drop, Edit, Grab, Undo
from lissom.session.session import Session
from lissom.session.shapes import cable_values
from tests.session.scenes import points


def level(session: Session) -> int:
    (values,) = cable_values(session)
    return values.level


def test_the_switch_makes_it_a_chain_near_the_rod_and_back(hose: Session) -> None:
    rod = points(hose)
    assert level(hose) == 0
    hose.do(Edit({"hose/model": "kinematic"}))
    assert level(hose) == 64
    assert len(points(hose)) == 65
    assert hose.report.ok
    hose.do(Undo())
    assert level(hose) == 0
    assert np.abs(points(hose) - rod).max() < 1e-9


def test_dragged_it_says_its_level_and_let_go_it_is_the_finest(hose: Session) -> None:
    hose.do(Edit({"hose/model": "kinematic"}))
    hose.do(Grab("hose/end"))
    for k in range(1, 6):
        hose.do(Drag((0.3, 0.01 * k, -0.05)))
        assert level(hose) >= 4
    np.testing.assert_allclose(points(hose)[-1], [0.3, 0.05, -0.05], atol=1e-15)
    hose.do(Drop())
    assert level(hose) == 64
    assert hose.report.ok
