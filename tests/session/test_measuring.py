"""Measures against numpy, and that they move with what they are on."""

import math
from typing import Any

import numpy as np
import pytest

from lissom.session.messages.commands import AddMeasure, AddShape, Move, RemoveMeasure, Undo
from lissom.session.messages.snapshots import MeasureValue
from lissom.session.messages.values import Pick
from lissom.session.session import Session
from lissom.session.shapes import readouts
from tests.session.scenes import points

O = (0.0, 0.0, 0.0)


def measured(session: Session, a: Pick, b: Pick) -> MeasureValue:
    number = session.do(AddMeasure(a, b))
    return next(k for k in readouts(session).measures if k.number == number)


def dense(session: Session) -> Any:
    line = points(session)
    return np.concatenate([np.linspace(line[k], line[k + 1], 50) for k in range(len(line) - 1)])


def test_between_points(hose: Session) -> None:
    found = measured(hose, Pick("point", (0.1, 0.2, 0.3)), Pick("point", (0.4, -0.2, 0.3)))
    assert found.distance == pytest.approx(0.5)
    assert found.angle is None
    assert found.arc is None
    assert (found.a, found.b) == ((0.1, 0.2, 0.3), (0.4, -0.2, 0.3))


def test_between_edges(hose: Session) -> None:
    a = Pick("edge", O, edge=((0, 0, 0), (1, 0, 0)))
    b = Pick("edge", O, edge=((0.5, -1.0, 0.2), (0.5, 1.0, 0.2)))
    found = measured(hose, a, b)
    assert found.distance == pytest.approx(0.2)
    assert found.angle == pytest.approx(0.5 * math.pi)
    np.testing.assert_allclose(found.a, [0.5, 0, 0])
    parallel = measured(hose, a, Pick("edge", O, edge=((2.0, 0.3, 0.0), (3.0, 0.3, 0.0))))
    assert parallel.distance == pytest.approx(math.hypot(1.0, 0.3))
    assert parallel.angle == pytest.approx(0.0)


def test_from_the_plane_of_a_face(hose: Session) -> None:
    face = Pick("face", (0.0, 0.0, 0.1), normal=(0.0, 0.0, 2.0))
    assert measured(hose, face, Pick("point", (5.0, 3.0, 0.4))).distance == pytest.approx(0.3)
    found = measured(hose, face, Pick("cable", O, "hose"))
    assert found.distance == pytest.approx(0.1 - points(hose)[:, 2].max() - 0.004, abs=1e-9)


def test_along_a_cable(hose: Session) -> None:
    found = measured(hose, Pick("place", O, "hose", at=0.25), Pick("place", O, "hose", at=0.75))
    assert found.arc == pytest.approx(0.2)
    line = points(hose)
    assert found.distance == pytest.approx(float(np.linalg.norm(line[10] - line[30])), abs=1e-7)
    t = hose.simulation.cable("hose").tangents
    assert found.angle == pytest.approx(math.acos(abs(float(t[10] @ t[30]))), abs=1e-6)


def test_from_a_point_to_the_skin_of_a_cable(hose: Session) -> None:
    p = np.array([0.15, 0.1, 0.05])
    found = measured(hose, Pick("point", (0.15, 0.1, 0.05)), Pick("cable", O, "hose"))
    wanted = np.linalg.norm(dense(hose) - p, axis=1).min() - 0.004
    assert found.distance == pytest.approx(float(wanted), abs=1e-6)


def test_from_a_cable_to_a_part_that_moves(hose: Session) -> None:
    hose.do(AddShape("ball", {"kind": "sphere", "radius": 0.02}, (0.15, 0.1, -0.2)))
    hose.do(AddMeasure(Pick("cable", O, "hose"), Pick("part", O, "ball")))
    hose.do(AddMeasure(Pick("point", (0.0, 0.0, 0.02), "ball"), Pick("point", O)))
    for centre in ((0.15, 0.1, -0.2), (0.2, -0.1, 0.2)):
        hose.do(Move("ball", position=centre))
        first, second = readouts(hose).measures
        wanted = np.linalg.norm(dense(hose) - np.array(centre), axis=1).min() - 0.02 - 0.004
        assert first.distance == pytest.approx(float(wanted), abs=1e-6)
        assert second.distance == pytest.approx(math.dist(centre, (0.0, 0.0, -0.02)))  # goes with the ball


def test_between_two_parts_by_their_surfaces(hose: Session) -> None:
    """It used to be from the point that was clicked on the first."""
    box = {"kind": "box", "size": [0.04, 0.04, 0.04]}
    hose.do(AddShape("a", box, (0.0, 0.5, 0.0)))
    hose.do(AddShape("b", box, (0.1, 0.51, 0.0)))
    hose.do(AddShape("ball", {"kind": "sphere", "radius": 0.02}, (0.0, 0.6, 0.01)))
    clicked = (-0.02, 0.0, 0.0)  # the far side
    found = measured(hose, Pick("part", clicked, "a"), Pick("part", O, "b"))
    assert found.distance == pytest.approx(0.06)
    assert found.a[0] == pytest.approx(0.02)
    assert found.b[0] == pytest.approx(0.08)
    round_ = measured(hose, Pick("part", clicked, "ball"), Pick("part", O, "a"))
    assert round_.distance == pytest.approx(0.06, abs=1e-4)
    hose.do(Move("b", position=(0.2, 0.5, 0.0)))
    assert readouts(hose).measures[0].distance == pytest.approx(0.16)


def test_measures_come_and_go_with_undo(hose: Session) -> None:
    assert hose.do(AddMeasure(Pick("point", O), Pick("point", (1.0, 0.0, 0.0)))) == 1
    assert hose.do(AddMeasure(Pick("point", O), Pick("point", (2.0, 0.0, 0.0)))) == 2
    hose.do(RemoveMeasure(1))
    assert [k.number for k in readouts(hose).measures] == [2]
    hose.do(Undo())
    assert [k.distance for k in readouts(hose).measures] == [pytest.approx(1.0), pytest.approx(2.0)]


def test_a_measure_of_what_is_gone_is_left_out(hose: Session) -> None:
    """A measure on a part that was removed used to end the read-outs."""
    from lissom.session.messages.commands import AddCable, Mount, Remove

    name = hose.do(AddCable(Mount((0.0, 0.2, 0.0), (1, 0, 0)), Mount((0.3, 0.2, 0.0), (1, 0, 0)), length=0.4))
    hose.do(AddMeasure(Pick("place", O, name, at=0.5), Pick("cable", O, name)))
    hose.do(AddMeasure(Pick("point", O), Pick("point", (2.0, 0.0, 0.0))))
    hose.do(Remove([name]))
    assert [k.number for k in readouts(hose).measures] == [2]
    hose.do(Undo())
    assert [k.number for k in readouts(hose).measures] == [1, 2]
