"""Sweeps in the background: what the page is told is what `sim.sweep` finds, and stale is what was edited since."""

import copy
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lissom.analysis.sweeps import Swept, read
from lissom.session.background import Background
from lissom.session.messages.commands import Edit, Undo
from lissom.session.messages.motion import (
    ExportSweep,
    GoToTime,
    KeepPosition,
    SetJoints,
    ShowEnvelope,
    StopSweep,
    Sweep,
    SweepInfo,
)
from lissom.session.session import Session
from lissom.session.sweeps import told, volume
from lissom.simulation import Simulation
from tests.session.scenes import make_session
from tests.session.test_motions import STEERED
from tests.test_sweeping import ARCH


def swept(session: Session, until: Callable[[SweepInfo], bool], patience: float = 400.0) -> SweepInfo:
    """What the page knows of the first sweep, once it is so."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        session.background.follow()
        found = told(session).sweeps
        if found and until(found[0]):
            return found[0]
        time.sleep(0.02)
    raise AssertionError(told(session))


def done(info: SweepInfo) -> bool:
    return info.progress != "running"


def test_a_sweep_in_the_background_finds_what_a_sweep_finds(tmp_path: Path) -> None:
    session = make_session(tmp_path, STEERED)
    session.do(Sweep("bend"))
    session.do(SetJoints({"steering": 0.1}))  # meanwhile
    info = swept(session, done)
    assert (info.progress, info.stale, info.total) == ("done", False, len(info.times))
    simulation = Simulation(session.background.found["bend"].scene)
    truth = Swept()
    for visit in simulation.sweep(motion="bend"):
        truth.add(read(simulation, visit, simulation.scene), visit.shapes)
    assert info.times == [k.time for k in truth.readings]
    assert set(info.reasons) == {""}
    worst = {k.check.rule: k for k in truth.worst()}
    assert [k.rule for k in info.bands] == ["bend_radius", "tension"]
    for band in info.bands:
        assert band.worst is not None
        assert band.worst == worst[band.rule].position.number
        assert band.values[band.worst] == pytest.approx(worst[band.rule].check.value, rel=1e-5)
        assert band.failed == 0
    # the worst position, gone to, has the worst value
    band = info.bands[0]
    assert session.do(GoToTime("bend", info.times[band.worst or 0])) == ""
    assert session.simulation.cable("hose").min_bend_radius == pytest.approx(band.values[band.worst or 0], rel=1e-4)
    session.background.clear()


def test_an_edit_makes_a_sweep_stale_and_undo_makes_it_good_again(tmp_path: Path) -> None:
    session = make_session(tmp_path, STEERED)
    session.do(Sweep("bend"))
    session.do(StopSweep())
    assert told(session).sweeps[0].progress == "stopped"
    session.do(SetJoints({"steering": 0.2}))
    session.do(KeepPosition("here"))
    assert not told(session).sweeps[0].stale, "where joints stand does not matter"
    session.do(Edit({"hose/length": 0.45}))
    assert told(session).sweeps[0].stale
    session.do(Undo())
    assert not told(session).sweeps[0].stale
    session.begin(session.simulation, session.slot)
    assert told(session).sweeps == []


def test_positions_that_fail_are_named_and_checks_that_fail_counted(tmp_path: Path) -> None:
    scene = copy.deepcopy(STEERED)
    scene["types"]["hose"]["limits"]["bend_radius"] = 0.07
    scene["motions"][0]["keyframes"][2]["joints"]["travel"] = 0.6
    session = make_session(tmp_path, scene)
    session.do(Sweep("bend"))
    info = swept(session, done)
    failing = [k for k in info.reasons if k]
    assert failing
    assert all("too short" in k for k in failing)
    assert info.reasons[-1] != ""
    band = info.bands[0]
    assert band.failed == sum(k is not None and k < 0.0 for k in band.margins) > 0
    assert band.values[-1] is None
    session.background.clear()


def test_an_envelope_holds_the_shapes_and_is_written_with_the_tables(tmp_path: Path) -> None:
    session = make_session(tmp_path, STEERED)
    with pytest.raises(ValueError, match="was not swept yet"):
        session.do(ShowEnvelope("bend", "hose", True))
    session.do(Sweep("bend"))
    swept(session, done)
    session.do(ShowEnvelope("bend", "hose", True))
    heard: list[float] = []

    def found(info: SweepInfo) -> bool:
        heard.append(info.envelopes[0].done)
        return info.envelopes[0].mesh is not None or info.envelopes[0].error != ""

    info = swept(session, found)
    envelope = info.envelopes[0]
    assert envelope.error == ""
    assert heard == sorted(heard)  # how far it is, on the way
    assert any(0.0 < k < 1.0 for k in heard)
    assert envelope.mesh in session.background.meshes
    mesh = session.background.found["bend"].envelopes["hose"].mesh
    assert mesh is not None
    tube = np.pi * 0.00525**2 * 0.42
    assert envelope.volume == pytest.approx(volume(*mesh), rel=1e-3)
    assert envelope.volume is not None
    assert envelope.volume > tube
    shapes = np.concatenate([k["hose"] for k in session.background.found["bend"].swept.shapes])
    assert (shapes.min(axis=0) > mesh[0].min(axis=0)).all()
    assert (shapes.max(axis=0) < mesh[0].max(axis=0)).all()
    written = session.do(ExportSweep("bend"))
    assert {"sweep.json", "sweep.csv", "hose-sweep.png", "hose-envelope.stl"} <= set(written["files"])
    assert (tmp_path / written["folder"] / "sweep.csv").read_text(encoding="utf-8").startswith("position,name,time (s)")
    session.do(ShowEnvelope("bend", "hose", False))
    assert not told(session).sweeps[0].envelopes[0].shown
    session.background.clear()


def test_a_snap_through_is_marked_and_its_side_is_found_again_along_the_motion(tmp_path: Path) -> None:
    """The arch snaps at 0.565 rad; between the two limits its shape depends on the way."""
    keyframes = [{"time": 0.0, "joints": {"tilt": 0.0}}, {"time": 1.0, "joints": {"tilt": -1.0}}]
    keyframes += [{"time": 2.0, "joints": {"tilt": 0.0}}]
    scene = tomllib.loads(ARCH) | {"motions": [{"name": "over", "keyframes": keyframes}]}
    session = make_session(tmp_path, scene)
    before = session.simulation.cable("arch").positions[32, 2]
    session.do(Sweep("over"))
    info = swept(session, done)
    assert [k.cable for k in info.snaps] == ["arch"]
    snap = info.snaps[0]
    assert info.times[snap.position - 1] < 0.56484 <= info.times[snap.position] + 1e-3
    assert snap.distance > 0.25
    assert session.do(GoToTime("over", 1.8)) == ""  # straight there: it has not snapped
    assert session.simulation.cable("arch").positions[32, 2] * before > 0.0
    assert session.do(GoToTime("over", 1.8, along=True)) == ""
    middle = session.simulation.cable("arch").positions[32, 2]
    assert middle * before < 0.0
    shapes = session.background.found["over"].swept.shapes
    near = min(range(len(info.times)), key=lambda i: abs(info.times[i] - 1.8))
    assert middle == pytest.approx(shapes[near]["arch"][32, 2], abs=0.01)
    session.background.clear()


def test_a_sweeping_process_that_dies_is_told(tmp_path: Path) -> None:
    session = make_session(tmp_path, STEERED)
    session.do(Sweep("bend"))
    background: Background = session.background
    process = background._sweeper._process
    assert process is not None
    process.kill()
    info = swept(session, done)
    assert info.progress == "failed"
    assert "try again" in info.error
    session.do(Sweep("bend"))
    assert swept(session, done).progress == "done"
    session.background.clear()
