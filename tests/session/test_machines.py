"""Machines in a session: time that runs, hands, motors, records, and what is saved, undone and replayed of them."""

from __future__ import annotations

import csv
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lissom.scene import Scene, SceneError
from lissom.session import running as runs
from lissom.session import wire
from lissom.session.describing import describe
from lissom.session.filing import open_demo
from lissom.session.machines import machine_values, rope_numbers
from lissom.session.messages.commands import (
    Cancel,
    Drag,
    Drop,
    Edit,
    Grab,
    Move,
    Open,
    Record,
    Redo,
    Save,
    Script,
    Stop,
    Undo,
)
from lissom.session.messages.events import Notice
from lissom.session.messages.machines import (
    Advance,
    ExportRun,
    FindRest,
    Pace,
    Play,
    Rewind,
    SetMotor,
    Watch,
)
from lissom.session.messages.motion import SetJoints
from lissom.session.session import Session
from lissom.session.shapes import frame, readouts
from lissom.session.surfaces import Surfaces
from lissom.session.trace import MOST_RECORDS, Trace, thinned
from lissom.simulation import Simulation
from lissom.studio.warming import commands
from tests.session.scenes import make_session, replayed, told

G = 9.81

HOIST: dict[str, Any] = {
    "parts": [
        {"name": "drum", "shape": {"kind": "cylinder", "radius": 0.1, "length": 0.2}, "position": [0, 0, 2]}
        | {"tangent": [0, -1, 0], "motion": "free", "mass": 4.0, "collide": False},
        {"name": "load", "shape": {"kind": "box", "size": [0.2, 0.2, 0.2]}, "position": [0.105, 0, 0.9]}
        | {"motion": "free", "mass": 10.0, "collide": False},
        {"name": "post", "shape": {"kind": "box", "size": [0.1, 0.1, 2]}, "position": [-1, 0, 1], "motion": "held"}
        | {"collide": False},
    ],
    "joints": [
        {"name": "winch", "part": "drum", "kind": "hinge", "axis": [0, -1, 0], "origin": [0, 0, 2]}
        | {"motor": {"speed": 0.0, "torque": 60.0}}
    ],
    "ropes": [
        {
            "name": "rope",
            "diameter": 0.01,
            "breaking_force": 5000.0,
            "limits": {"safety_factor": 4.0, "sheave_ratio": 18.0, "turns": 2.0},
            "path": [
                {"on": "drum", "kind": "spool", "side": "right", "stored": 5.0},
                {"on": "load", "kind": "attachment", "position": [0, 0, 0.1]},
            ],
        }
    ],
}
"""A drum with a motor that holds a load on a rope."""


@pytest.fixture
def hoist(tmp_path: Path) -> Session:
    return make_session(tmp_path, HOIST)


def play(session: Session, seconds: float) -> float:
    """Plays in real time, as a studio does; the time of the machine."""
    session.do(Play(True))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        runs.tick(session)
        time.sleep(0.003)
    session.do(Play(False))
    return session.simulation.machine.time


def height(session: Session) -> float:
    return float(session.simulation.pose("load")[0][2])


def now(session: Session) -> float:
    return session.simulation.machine.time


# ---- what is shown ---------------------------------------------------------------------------------------------------


def header(data: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    return found


def test_the_page_is_told_of_ropes_and_joints_and_what_can_be_pulled(hoist: Session) -> None:
    info = describe(hoist, Surfaces()).machine
    assert info is not None
    assert info.loose == ["drum", "load"]
    (rope,) = info.ropes
    assert [k.on for k in rope.path] == ["drum", "load"]
    assert rope.allowed == 1250.0
    (winch,) = info.joints
    assert (winch.winch, winch.drive, winch.value, winch.most) == (True, "speed", 0.0, 60.0)
    assert describe(hoist, Surfaces()).joints == []  # of the motion tab: forces move this one


def test_a_frame_has_the_rope_as_it_lies_with_its_tension(hoist: Session) -> None:
    data = frame(hoist)
    (said,) = header(data)["ropes"]
    size = 4 + int.from_bytes(data[:4], "little")
    numbers = np.frombuffer(data, dtype="<f4", offset=size)
    n, m = said["points"], said["spans"]
    assert len(numbers) == 4 * n + 5 * m
    points, tension, spans = numbers[: 3 * n].reshape(n, 3), numbers[3 * n : 4 * n], numbers[4 * n :].reshape(m, 5)
    np.testing.assert_allclose(np.hypot(points[:-2, 0], points[:-2, 2] - 2.0), 0.105, atol=1e-6)  # on the drum
    np.testing.assert_allclose(points[-1], [0.105, 0.0, 1.0], atol=1e-6)
    np.testing.assert_allclose(tension[-2:], 10.0 * G, rtol=1e-3)  # in the first instant, held by the motor
    link, first, count, pull, slack = spans[0]
    assert (link, first, count, slack) == (0, n - 2, 2, 0.0)
    assert pull == pytest.approx(10.0 * G, rel=1e-3)


def test_a_slack_span_hangs_is_marked_and_says_by_how_much(tmp_path: Path) -> None:
    two = [{"name": k, "position": [x, 0, 1], "motion": "held"} for k, x in (("a", 0.0), ("b", 1.0))]
    at = {"kind": "attachment", "position": [0, 0, 0]}
    path = [{"on": "a", "slack": 0.2, **at}, {"on": "b", **at}]
    session = make_session(tmp_path, {"parts": two, "ropes": [{"name": "line", "path": path}]})
    machine = session.simulation.machine
    pieces = session.simulation.rope_lines.pieces("line")
    points, tension, spans = rope_numbers(pieces, machine.scene.rope("line"), machine.rope("line"))
    assert np.isnan(tension).all()
    assert spans[0, 4] == pytest.approx(0.2)
    assert np.linalg.norm(np.diff(points, axis=0), axis=1).sum() == pytest.approx(1.2, rel=1e-2)
    values = machine_values(session)
    assert values is not None
    (span,) = values.ropes[0].spans
    assert span.slack
    assert span.rest - span.length == pytest.approx(0.2)


def test_read_outs_have_spans_wheels_joints_and_checks(hoist: Session) -> None:
    hoist.do(Advance(60))
    values = machine_values(hoist)
    assert values is not None
    (rope,) = values.ropes
    assert rope.stored[0] == pytest.approx(5.0, abs=1e-6)
    assert rope.turns[0] == pytest.approx(5.0 / (2.0 * math.pi * 0.105), rel=1e-6)
    (winch,) = values.joints
    assert abs(winch.torque) == pytest.approx(10.0 * G * 0.105, rel=1e-2)
    checks = {k.rule: k for k in readouts(hoist).checks}
    assert checks["safety_factor"].value == pytest.approx(5000.0 / (10.0 * G), rel=0.05)
    assert checks["safety_factor"].ok
    assert checks["sheave_ratio"].ok
    json.loads(wire.event_text(values))


# ---- time ------------------------------------------------------------------------------------------------------------


def test_it_plays_in_real_time_and_pauses(hoist: Session) -> None:
    hoist.do(SetMotor("winch", "speed", -1.0, 60.0))
    before = height(hoist)
    seconds = play(hoist, 0.6)
    assert seconds == pytest.approx(0.6, abs=0.15)
    assert height(hoist) == pytest.approx(before - 0.105 * seconds, abs=3e-3)
    assert not hoist.unsaved
    runs.tick(hoist)
    assert now(hoist) == seconds


def test_the_pace_is_kept_and_a_machine_that_cannot_says_how_fast_it_is(
    hoist: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    hoist.do(Pace(0.25))
    assert play(hoist, 0.8) == pytest.approx(0.2, abs=0.05)
    hoist.do(Pace(4.0))
    step = hoist.simulation.machine.step

    def slow(dt: float, substeps: int | None = None) -> None:
        time.sleep(dt)  # takes as long as it simulates
        step(dt, substeps)

    monkeypatch.setattr(hoist.simulation.machine, "step", slow)
    hoist.do(Play(True))
    end = time.monotonic() + 2.0
    while time.monotonic() < end:
        runs.tick(hoist)
    clock = runs.clock(hoist)
    assert clock is not None
    assert clock.ratio is not None
    assert 0.4 < clock.ratio < 1.1


def test_what_takes_long_beside_the_machine_makes_frames_fewer_and_not_steps(
    hoist: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stood nearly still: what is done once for each frame was taken for the cost of a substep."""
    take = hoist.simulation.take_machine

    def slow() -> None:
        time.sleep(0.04)
        take()

    monkeypatch.setattr(hoist.simulation, "take_machine", slow)
    assert play(hoist, 1.0) > 0.5


def test_substeps_are_those_of_lissom_run_at_every_pace(hoist: Session, tmp_path: Path) -> None:
    """In tens or one by one, the machine does the same to rounding, and is recorded at the same times."""
    other = make_session(tmp_path / "other", HOIST)
    for session in (hoist, other):
        session.do(SetMotor("winch", "torque", 5.0))
    hoist.do(Advance(60))
    for _ in range(60):
        other.do(Advance(1))
    assert height(other) == pytest.approx(height(hoist), abs=1e-12)
    times = [session.running.trace.column("time") for session in (hoist, other) if session.running is not None]
    np.testing.assert_allclose(times[0], np.arange(7) / 60.0, atol=1e-12)
    np.testing.assert_allclose(times[1], times[0], atol=1e-12)


def test_a_run_is_one_step_of_undo(hoist: Session) -> None:
    hoist.do(SetMotor("winch", "speed", -2.0, 60.0))
    play(hoist, 0.3)
    there, seconds = height(hoist), now(hoist)
    assert hoist.history.undo_label == "run"
    hoist.do(Undo())
    assert now(hoist) == 0.0
    assert height(hoist) == 0.9
    assert not hoist.unsaved
    hoist.do(Redo())
    assert now(hoist) == seconds
    assert height(hoist) == pytest.approx(there, abs=1e-12)
    assert hoist.running is None or not hoist.running.playing


def test_redo_brings_back_the_curves_and_the_worst_and_undo_leaves_them_out(hoist: Session) -> None:
    def seen() -> tuple[list[float], list[float | None]]:
        checks = [k.value for k in readouts(hoist).checks]
        assert hoist.running is not None
        return hoist.running.trace.column("time").tolist(), checks

    begun = seen()
    hoist.do(SetMotor("winch", "speed", -20.0, 60.0))  # lets it fall, and then holds it
    hoist.do(Advance(300))
    hoist.do(SetMotor("winch", "speed", 0.0))
    hoist.do(Advance(120))
    ran = seen()
    assert ran[1] != begun[1]
    hoist.do(Undo())
    assert seen() == begun
    hoist.do(Redo())
    assert seen() == ran
    hoist.do(Rewind())
    assert seen() == begun
    hoist.do(Undo())
    assert seen() == ran
    hoist.do(Undo())
    hoist.do(Advance(10))
    assert len(seen()[0]) == 2
    assert hoist.history.redo_label == ""


def test_a_step_after_undo_leaves_nothing_to_redo(hoist: Session) -> None:
    hoist.do(Advance(10))
    play(hoist, 0.2)
    hoist.do(Undo())
    assert hoist.history.redo_label == "run"
    hoist.do(Advance(10))
    assert hoist.history.redo_label == ""
    assert now(hoist) == pytest.approx(1.0 / 30.0)


def test_undo_while_it_plays_stops_it(hoist: Session) -> None:
    hoist.do(Play(True))
    hoist.do(Advance(30))
    hoist.do(Undo())
    assert hoist.running is not None
    assert not hoist.running.playing
    assert now(hoist) == 0.0


def test_reset_goes_to_the_start_and_leaves_motors_as_they_are_set(hoist: Session) -> None:
    hoist.do(SetMotor("winch", "speed", -2.0, 60.0))
    hoist.do(Advance(60))
    hoist.do(Rewind())
    assert now(hoist) == 0.0
    assert height(hoist) == 0.9
    assert hoist.simulation.machine.motor("winch").speed == -2.0
    assert hoist.running is not None
    assert len(hoist.running.trace.rows) == 1


def test_stop_and_another_scene_end_it(hoist: Session, tmp_path: Path) -> None:
    hoist.do(Play(True))
    hoist.do(Stop())
    assert hoist.running is not None
    assert not hoist.running.playing
    hoist.do(Save("hoist.toml"))
    hoist.do(Play(True))
    hoist.do(Open("hoist.toml"))
    assert hoist.running is None or not hoist.running.playing
    before = now(hoist)
    runs.tick(hoist)
    assert now(hoist) == before


def test_an_edit_is_of_the_start_and_undo_leads_back_into_the_run(hoist: Session) -> None:
    hoist.do(SetMotor("winch", "speed", -2.0, 60.0))
    hoist.do(Advance(60))
    there = height(hoist)
    hoist.do(Edit({"load/mass": 12.0}))
    assert now(hoist) == 0.0
    assert height(hoist) == 0.9
    assert "how it begins" in told(hoist).texts()
    hoist.do(Undo())
    assert now(hoist) == pytest.approx(0.1)
    assert height(hoist) == pytest.approx(there, abs=1e-12)


def test_what_is_looked_at_or_arranged_leaves_time_alone(hoist: Session) -> None:
    from lissom.session.messages.commands import Arrange

    hoist.do(Advance(60))
    hoist.do(Arrange(hidden=["post"]))
    assert now(hoist) == pytest.approx(0.1)


def test_moving_what_stands_begins_the_machine_anew_from_there(hoist: Session) -> None:
    hoist.do(Advance(60))
    hoist.do(Move("post", position=(-2.0, 0.0, 1.0)))
    assert now(hoist) == 0.0
    assert hoist.simulation.machine.pose("post")[0] == (-2.0, 0.0, 1.0)


def test_a_machine_that_flies_apart_stops_where_it_was_last_good(
    hoist: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    hoist.do(Play(True))
    hoist.do(Advance(60))
    good = height(hoist)
    machine = hoist.simulation.machine
    step = machine.step

    def broken(dt: float, substeps: int | None = None) -> None:
        step(dt, substeps)
        machine._parts.bodies.v[1:] = math.nan

    monkeypatch.setattr(machine, "step", broken)
    hoist.do(Advance(10))
    assert height(hoist) == pytest.approx(good, abs=1e-12)
    assert now(hoist) == pytest.approx(0.1)
    clock = runs.clock(hoist)
    assert clock is not None
    assert not clock.playing
    assert "flew apart" in clock.error
    assert "flew apart" in told(hoist).texts()
    hoist.do(Advance(10))  # it can go on
    assert now(hoist) == pytest.approx(0.1 + 1.0 / 60.0)


# ---- hands -----------------------------------------------------------------------------------------------------------


def hold(session: Session, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        runs.tick(session)
        time.sleep(0.002)


def test_a_body_is_pulled_to_the_pointer_while_paused_and_stands_still_again(hoist: Session) -> None:
    x, y, z = hoist.simulation.pose("load")[0]
    hoist.do(Grab("load", touched=(x, y, z + 0.05)))
    hoist.do(Drag((x + 0.3, y, z)))
    hold(hoist, 0.8)
    frame(hoist)
    assert hoist.held is not None
    assert hoist.held.force is not None
    assert hoist.held.force > 10.0
    assert hoist.held.wanted == pytest.approx((x + 0.3, y, z + 0.05))
    assert hoist.simulation.pose("load")[0][0] > x + 0.05
    hoist.do(Drop())
    assert hoist.simulation.machine.pulled == {}
    assert hoist.simulation.machine.kinetic_energy == 0.0
    stands = now(hoist)
    runs.tick(hoist)
    assert now(hoist) == stands
    assert hoist.history.undo_label == "pull load"
    hoist.do(Undo())
    assert hoist.simulation.pose("load")[0] == (x, y, z)
    assert now(hoist) == 0.0


def test_a_pull_in_a_run_lets_it_go_on_moving(hoist: Session) -> None:
    hoist.do(Play(True))
    hoist.do(Grab("load"))
    hoist.do(Drag((0.5, 0.0, 0.9)))
    hold(hoist, 0.3)
    hoist.do(Drop())
    assert hoist.running is not None
    assert hoist.running.playing
    assert hoist.simulation.machine.kinetic_energy > 0.0
    hold(hoist, 0.2)
    hoist.do(Undo())
    assert now(hoist) == 0.0


def test_escape_takes_a_pull_back(hoist: Session) -> None:
    hoist.do(Grab("load"))
    hoist.do(Drag((0.5, 0.0, 0.9)))
    hold(hoist, 0.2)
    hoist.do(Cancel())
    assert hoist.simulation.pose("load")[0] == (0.105, 0.0, 0.9)
    assert hoist.simulation.machine.pulled == {}


def test_what_is_locked_is_not_pulled(hoist: Session) -> None:
    from lissom.session.messages.commands import Arrange

    hoist.do(Arrange(locked=["load"]))
    with pytest.raises(ValueError, match="load: is locked"):
        hoist.do(Grab("load"))


# ---- motors, rest ----------------------------------------------------------------------------------------------------


def test_motors_are_set_live_by_speed_torque_and_tension(hoist: Session) -> None:
    hoist.do(SetMotor("winch", "tension", 10.0 * G))
    hoist.do(Advance(60))
    values = machine_values(hoist)
    assert values is not None
    assert values.joints[0].drive == "tension"
    assert values.joints[0].setting == pytest.approx(10.0 * G)
    assert height(hoist) == pytest.approx(0.9, abs=1e-3)  # the rope bears just the weight
    hoist.do(SetMotor("winch", "off"))
    hoist.do(Advance(60))
    assert height(hoist) < 0.89
    assert not hoist.unsaved


def test_a_torque_of_a_winch_is_not_read_off_as_a_tension(hoist: Session) -> None:
    hoist.do(SetMotor("winch", "torque", 12.0))
    hoist.do(Advance(10))
    for _ in range(2):
        values = machine_values(hoist)
        assert values is not None
        assert (values.joints[0].drive, values.joints[0].setting) == ("torque", 12.0)
        hoist.do(Rewind())


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (SetMotor("wench", "speed", 1.0), "winch"),
        (SetMotor("winch", "speed", 1e13), "numbers up to"),
        (SetMotor("winch", "speed", 1.0, -1.0), "most above 0"),
        (SetMotor("winch", "tension", -1.0), "tension"),
        (Pace(0.0), "speed = 0: must be from"),
        (Pace(1e9), "must be from"),
        (Advance(0), "substeps = 0: must be from 1"),
        (Advance(10**9), "must be from 1 to"),
        (Watch([f"energy{k}" for k in range(40)]), "at most"),
        (SetJoints({"winch": 0.3}), "forces move drum"),
    ],
)
def test_nonsense_is_refused_and_changes_nothing(hoist: Session, command: Any, text: str) -> None:
    hoist.do(Advance(30))
    before = hoist.simulation.machine.state
    with pytest.raises((ValueError, SceneError), match=text):
        hoist.do(command)
    after = hoist.simulation.machine.state
    assert after.time == before.time
    assert all(np.array_equal(after.arrays[k], before.arrays[k], equal_nan=True) for k in before.arrays)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e400", '"fast"', "true", "null"])
def test_numbers_of_messages_are_finite(number: str) -> None:
    with pytest.raises(wire.MessageError):
        wire.read_command(f'{{"id": 1, "kind": "Pace", "speed": {number}}}')


def test_scenes_without_a_machine_refuse_politely(hose: Session) -> None:
    for command in (Play(True), Advance(), Rewind(), FindRest(), ExportRun(), SetMotor("a", "off")):
        with pytest.raises(ValueError, match=r"machine|moves in time"):
            hose.do(command)
    assert describe(hose, Surfaces()).machine is None
    assert machine_values(hose) is None


def test_rest_finds_what_the_motor_holds_with(hoist: Session) -> None:
    hoist.do(SetMotor("winch", "speed", -1.0, 60.0))
    hoist.do(Advance(300))
    found = hoist.do(FindRest())
    assert found["ok"]
    values = machine_values(hoist)
    assert values is not None
    assert abs(values.joints[0].torque) == pytest.approx(10.0 * G * 0.105, rel=1e-4)
    assert values.ropes[0].spans[0].tension == pytest.approx(10.0 * G, rel=1e-4)
    assert hoist.history.undo_label == "find rest"


# ---- records ---------------------------------------------------------------------------------------------------------


def test_series_are_those_of_lissom_run_and_are_exported(hoist: Session) -> None:
    hoist.do(Watch(["tension/rope/0", "joint/winch", "energy", "no such thing"]))
    hoist.do(SetMotor("winch", "speed", -1.0, 60.0))
    hoist.do(Advance(600))
    values = machine_values(hoist)
    assert values is not None
    series = {k.key: k for k in values.series}
    assert set(series) == {"tension/rope/0", "joint/winch", "energy"}
    turned = series["joint/winch"]
    assert turned.times == pytest.approx([k / 60.0 for k in range(61)], abs=1e-4)
    assert turned.values[-1] == pytest.approx(-1.0, rel=1e-4)
    found = hoist.do(ExportRun())
    folder = hoist.workspace.folder / found["folder"]
    with (folder / "run.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 61
    assert float(rows[-1]["winch [rad]"]) == pytest.approx(-1.0, rel=1e-4)
    run = json.loads((folder / "run.json").read_text())
    assert run["joints"]["winch"]["value"][-1] == pytest.approx(-1.0, rel=1e-4)
    assert run["ropes"]["rope"]["stored"][-1][0] == pytest.approx(5.0 - 0.105, rel=1e-4)
    assert {"run.json", "run.npz", "run.csv", "tension.png", "motion.png"} == {Path(k).name for k in found["files"]}


def test_records_are_bounded_and_undo_forgets_what_came_after(hoist: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lissom.session.trace.MOST_RECORDS", 50)
    machine = hoist.simulation.machine
    trace = Trace(machine)
    for _ in range(130):
        machine.step(1.0 / 60.0)
        trace.take(machine)
    times = trace.column("time")
    np.testing.assert_allclose(times, np.arange(81, 131) / 60.0, atol=1e-9)
    trace.go_to(100.0 / 60.0)
    np.testing.assert_allclose(trace.column("time"), np.arange(81, 101) / 60.0, atol=1e-9)
    assert MOST_RECORDS >= 600


def test_thinning_keeps_every_peak() -> None:
    times = np.arange(5000) / 60.0
    values = np.zeros(5000)
    values[1234], values[4321] = 7.0, -3.0
    t, v = thinned(times, values, 200)
    assert len(t) <= 200
    assert (np.diff(t) > 0.0).all()
    assert v.max() == 7.0
    assert v.min() == -3.0


# ---- files, recordings, scripts --------------------------------------------------------------------------------------


def test_the_start_is_saved_and_the_run_goes_on(hoist: Session, tmp_path: Path) -> None:
    hoist.do(SetMotor("winch", "speed", -2.0, 60.0))
    hoist.do(Save("hoist.toml"))
    hoist.do(Advance(60))
    there = height(hoist)
    hoist.do(Save())
    assert Scene.load(tmp_path / "hoist.toml").part("load").position == (0.105, 0.0, 0.9)
    assert height(hoist) == pytest.approx(there, abs=1e-12)
    assert now(hoist) == pytest.approx(0.1)
    assert hoist.running is not None
    assert len(hoist.running.trace.rows) == 7
    assert "Saved as the machine begins, at 0 s" in told(hoist).texts()
    hoist.do(Advance(60))
    assert now(hoist) == pytest.approx(0.2)


def test_a_recording_of_a_run_with_a_pull_is_replayed_to_the_same_place(hoist: Session) -> None:
    hoist.do(Record(True))
    hoist.do(SetMotor("winch", "speed", -2.0, 60.0))
    play(hoist, 0.25)
    hoist.do(Grab("load", touched=(0.105, 0.0, height(hoist))))
    hoist.do(Drag((0.4, 0.0, 0.9)))
    hold(hoist, 0.2)
    hoist.do(Drop())
    there, seconds = hoist.simulation.pose("load"), now(hoist)
    path = hoist.do(Record(False))
    assert replayed(hoist, path) > 5
    assert now(hoist) == pytest.approx(seconds, abs=1e-12)
    assert hoist.simulation.pose("load")[0] == pytest.approx(there[0], abs=1e-12)


def test_the_script_of_a_run_leads_to_the_same_place(hoist: Session) -> None:
    hoist.do(SetMotor("winch", "speed", -2.0, 60.0))
    play(hoist, 0.25)
    hoist.do(Grab("load"))
    hoist.do(Drag((0.3, 0.0, 0.9)))
    hold(hoist, 0.15)
    hoist.do(Drop())
    text = hoist.do(Script()).replace("print(", "(")
    scope: dict[str, Any] = {}
    exec(text, scope)
    assert scope["sim"].pose("load")[0] == pytest.approx(hoist.simulation.pose("load")[0], abs=1e-12)
    assert scope["sim"].machine.time == pytest.approx(now(hoist), abs=1e-12)


# ---- cables on machines ----------------------------------------------------------------------------------------------


def test_a_cable_on_a_moving_body_follows(tmp_path: Path) -> None:
    lead = {
        "name": "lead",
        "stiffness": {"bending": 0.01, "torsion": 0.008},
        "mass_per_length": 0.05,
        "length": 0.9,
        "points": 31,
        "collide": False,
        "start": {"position": [0.6, 0.0, 1.2], "tangent": [0, 0, -1]},
        "end": {"on": "load", "position": [0.1, 0.0, 0.0], "tangent": [-1, 0, 0]},
    }
    session = make_session(tmp_path, {**HOIST, "cables": [lead]})
    session.do(SetMotor("winch", "speed", -1.0, 60.0))
    for _ in range(6):
        session.do(Advance(30))
        assert session.report.ok
    x, _, z = session.simulation.pose("load")[0]
    end = session.simulation.cable("lead").positions[-1]
    np.testing.assert_allclose(end, [x + 0.1, 0.0, z], atol=1e-6)
    assert z == pytest.approx(0.9 - 0.105 * 0.3, abs=2e-3)


def test_a_scene_whose_rope_cannot_run_is_not_opened(hoist: Session, tmp_path: Path) -> None:
    bad = Scene.from_dict(HOIST).to_dict()
    bad["parts"][1]["position"] = [0.0, 0.0, 1.95]
    (tmp_path / "bad.json").write_text(json.dumps(bad))
    with pytest.raises(SceneError, match="must lie outside drum"):
        hoist.do(Open("bad.json"))
    assert hoist.simulation.scene.part("load").position == (0.105, 0.0, 0.9)
    assert isinstance(hoist.simulation, Simulation)


def test_every_demo_can_be_warmed_up(tmp_path: Path) -> None:
    """Also one without cables, whose kernels are those of machines."""
    session = make_session(tmp_path, {})
    open_demo(session, "tower-crane")
    asked = list(commands(session))
    assert any(isinstance(k, Advance) for k in asked)


def test_a_rope_that_breaks_is_said_and_fails(tmp_path: Path) -> None:
    said = json.loads(json.dumps(HOIST))
    said["ropes"][0] |= {"breaking_force": 500.0, "limits": {}}
    said["ropes"][0]["path"][0] |= {"slack": 0.2}
    session = make_session(tmp_path, said)
    told(session).clear()
    session.do(Advance(60 * 5))
    values = machine_values(session)
    assert values is not None
    assert values.ropes[0].broke.startswith("broke at 0.2")
    notices = [k.text for k in told(session) if isinstance(k, Notice)]
    assert notices == [f"rope {values.ropes[0].broke}."]
    (check,) = [k for k in readouts(session).checks if k.rule == "breaking_force"]
    assert not check.ok
    session.do(Undo())
    assert not [k for k in readouts(session).checks if k.rule == "breaking_force"]
