"""Typed lengths, the two routing modes, and how long a cable must be."""

import math
from pathlib import Path

import numpy as np
import pytest

from lissom.analysis.report import findings
from lissom.scene import Scene
from lissom.session.messages.commands import AddClip, Drag, Drop, Edit, Feed, Freeze, Grab, HowLong, Lengthen, Soften
from lissom.session.messages.events import Status
from lissom.session.session import Session
from lissom.simulation import Simulation
from tests.session.scenes import HOSE, certified, make_session, points, same, shape_of, told


def test_length_is_added_where_it_is_asked_for(hose: Session) -> None:
    hose.do(AddClip("hose", 0.5))
    clip = points(hose)[20]
    before = points(hose)[:21]
    assert hose.do(Lengthen("hose", by=0.05, between=(0.5, 1.0))) == pytest.approx(0.45)
    assert hose.simulation.scene.cable("hose").clip("clip 1").at == pytest.approx(0.2 / 0.45)
    result = hose.simulation.cable("hose")
    held = int(np.argmin(np.abs(result.s - 0.2)))
    np.testing.assert_allclose(result.positions[held], clip, atol=1e-6)
    np.testing.assert_allclose(result.positions[held // 2], before[10], atol=5e-3)  # that side did not change
    assert hose.do(Lengthen("hose", to=0.5)) == pytest.approx(0.5)
    assert certified(hose)


def test_a_soft_cable_finds_its_length_and_follows(hose: Session) -> None:
    straight = hose.do(Soften("hose", bent=0.1))
    bent = hose.do(Soften("hose", bent=0.9))
    way = math.dist((0, 0, 0), (0.3, 0, -0.05))
    assert way < straight < bent
    hose.do(Grab("hose/end"))
    hose.do(Drag((0.6, 0.0, 0.0)))  # farther than it ever was long
    hose.do(Drop())
    assert hose.simulation.cable("hose").length > 0.6
    length = hose.do(Freeze("hose"))
    assert hose.simulation.mode("hose") is None
    hose.do(Grab("hose/end"))
    hose.do(Drag((5.0, 0.0, 0.0)))
    assert hose.held is not None
    assert math.dist(hose.held.position, (0, 0, 0)) == pytest.approx(length, rel=0.02)


def test_a_fed_cable_keeps_its_slack(hose: Session) -> None:
    hose.do(Feed("hose"))
    slack = 0.4 - math.dist((0, 0, 0), (0.3, 0, -0.05))
    hose.do(Grab("hose/end"))
    hose.do(Drag((0.8, 0.0, 0.0)))
    hose.do(Drop())
    assert hose.do(Freeze("hose")) == pytest.approx(0.8 + slack, rel=1e-6)
    assert certified(hose)


@pytest.mark.parametrize("now", [0.33, 0.4, 0.6])
def test_how_long_agrees_with_a_scan(tmp_path: Path, now: float) -> None:
    session = make_session(tmp_path)
    session.do(Edit({"hose/length": now, "types.rubber.limits": {"bend_radius": 0.05}}))
    before = shape_of(session)
    found = session.do(HowLong("hose"))
    assert same(shape_of(session), before)
    assert found["now"] == now

    def passes(length: float) -> bool:
        scene = session.simulation.scene.with_value("hose/length", length)
        simulation = Simulation(scene)
        report = simulation.solve()
        return report.ok and not findings(simulation, report).failed_checks

    border = found["length"]
    step = 0.002
    scan = np.arange(min(border, now) - 3 * step, max(border, now) + 3 * step, step)
    ok = np.array([passes(float(k)) for k in scan])
    changes = scan[1:][ok[1:] & ~ok[:-1]]  # the first of the lengths that pass
    assert np.abs(changes - border).min() < step
    assert found["why"]
    assert any(isinstance(k, Status) and k.state == "solving" for k in told(session))
    assert told(session)[-1] == Status("ready")


def test_how_long_says_where_nothing_helps(hose: Session) -> None:
    hose.do(Edit({"types.rubber.limits": {"bend_radius": 2.0}}))
    found = hose.do(HowLong("hose"))
    assert found["length"] is None
    assert "bend radius" in found["why"]


def test_how_long_of_a_cable_that_is_too_short(tmp_path: Path) -> None:
    session = make_session(tmp_path)
    session.do(Edit({"hose/length": 0.29, "types.rubber.limits": None}))
    assert session.report.status == "infeasible"
    found = session.do(HowLong("hose"))
    assert found["length"] == pytest.approx(math.dist((0, 0, 0), (0.3, 0, -0.05)), rel=2e-3)
    assert "too short" in found["why"]


def test_a_mode_taken_up_again_moves_nothing() -> None:
    simulation = Simulation(Scene.from_dict(HOSE))
    simulation.soften("hose", bent=0.3)
    simulation.solve()
    state, modes = simulation.state(), simulation.modes()
    length, before = simulation.cable("hose").length, simulation.cable("hose").positions.copy()
    simulation.move("hose/end", position=(0.5, 0.0, 0.0))
    simulation.solve()
    assert simulation.cable("hose").length > length + 0.1
    simulation.restore(state)
    simulation.take_up(modes)
    assert simulation.solve().iterations == 0
    assert np.array_equal(simulation.cable("hose").positions, before)
    simulation.move("hose/end", position=(0.5, 0.0, 0.0))
    simulation.solve()
    assert simulation.cable("hose").length > length + 0.1
