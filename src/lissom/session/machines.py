"""Machines: the commands about them, and what the page is told of bodies, joints and ropes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.machines import write_run
from lissom.scene.files import make_folder
from lissom.session import running as runs
from lissom.session.messages.events import Notice
from lissom.session.messages.machines import (
    Advance,
    AxisInfo,
    AxisValue,
    Drive,
    ExportRun,
    FindRest,
    LinkInfo,
    Machine,
    MachineInfo,
    Pace,
    Play,
    Rewind,
    RopeInfo,
    RopeStrand,
    RopeValue,
    Series,
    SetMotor,
    SpanValue,
    Watch,
)
from lissom.session.messages.snapshots import CheckValue
from lissom.session.messages.values import Json
from lissom.session.running import FASTEST, SLOWEST, Running, running
from lissom.session.session import Act, Session
from lissom.session.trace import thinned

if TYPE_CHECKING:
    from lissom.machines.drawing import Piece
    from lissom.machines.machine import Machine as TheMachine
    from lissom.machines.readings import RopeReading
    from lissom.scene import Rope
    from lissom.scene.joint import Joint

Array = NDArray[np.float64]

MOST_SUBSTEPS: Final = 6000
"""Of one command: ten seconds."""
MOST_SERIES: Final = 12
MOST_POINTS: Final = 500
"""Of a series that is drawn."""
SLACK: Final = 1e-6
"""Of its way: a span that is longer by more is slack."""
MOST_VALUE: Final = 1e12
"""rad/s, N m, N: of a motor."""


# ---- commands --------------------------------------------------------------------------------------------------------


def play(session: Session, command: Play) -> Json:
    if command.on:
        runs.begin(session)
    else:
        runs.pause(session)
    return None


def advance(session: Session, command: Advance) -> Json:
    """One step of undo, unless it is a part of a run; answered with the time."""
    run = needed(session)
    if not 1 <= command.substeps <= MOST_SUBSTEPS:
        raise ValueError(f"substeps = {command.substeps}: must be from 1 to {MOST_SUBSTEPS}")
    if not run.playing and session.grabbed is None and not session.history.go_on("step"):
        session.history.push("step", session.moment())
        session.described = False
    run.error = ""
    runs.advance(session, run, command.substeps)
    if not run.playing and session.grabbed is None:
        runs.say_lines(session, run)
    return run.machine.time


def rewind(session: Session, command: Rewind) -> Json:
    needed(session)
    runs.rewind(session)
    return None


def pace(session: Session, command: Pace) -> Json:
    run = needed(session)
    if not SLOWEST <= command.speed <= FASTEST:
        raise ValueError(f"speed = {command.speed:g}: must be from {SLOWEST:g} to {FASTEST:g} times real time")
    run.pace, session.changed = command.speed, True
    runs.set_clock(run)
    return None


def set_motor(session: Session, command: SetMotor) -> Json:
    """From now on, also while it runs; the scene keeps what it says."""
    run = needed(session)
    if not (abs(command.value) <= MOST_VALUE and (command.most is None or 0.0 < command.most <= MOST_VALUE)):
        raise ValueError(f"{command.joint}: value and most must be numbers up to {MOST_VALUE:g}, most above 0")
    joint = run.machine.scene.joint(command.joint)
    if joint.kind not in ("hinge", "slide"):
        raise ValueError(f"{command.joint}: is a {joint.kind} joint; only hinges and slides can be driven")
    fields: dict[str, float | None] = {} if command.drive == "off" else {command.drive: command.value}
    if command.drive == "speed":
        fields["torque"] = command.most
    run.machine.set_motor(command.joint, **fields)
    run.by_torque = run.by_torque - {command.joint} | ({command.joint} if command.drive == "torque" else set())
    runs.say_steps(run)
    said = ", ".join(f"{k}={v!r}" for k, v in fields.items() if v is not None)
    run.lines.append(f"sim.machine.set_motor({command.joint!r}{', ' if said else ''}{said})")
    if run.first is not None:
        run.first = runs.first_instant(run.machine)
    session.changed = True
    return None


def find_the_rest(session: Session, command: FindRest) -> Json:
    """As `lissom solve`: answered with whether it stands, and why not."""
    run = needed(session)
    runs.pause(session)
    rest = session.simulation.rest()
    run.first = None
    run.trace.take(run.machine)
    session.report, session.changed = session.simulation.solve(), True
    session.script += ("sim.rest()",)
    text = f"At rest after {rest.steps / 60:.1f} s." if rest.ok else f"Not at rest: {rest.reason}."
    session.tell(Notice("info" if rest.ok else "warning", text))
    return {"ok": rest.ok, "reason": rest.reason}


def watch(session: Session, command: Watch) -> Json:
    if len(command.series) > MOST_SERIES:
        raise ValueError(f"{len(command.series)} series: must be at most {MOST_SERIES}")
    session.watched, session.changed = tuple(command.series), True
    return None


def export_run(session: Session, command: ExportRun) -> Json:
    """As `lissom run -o` writes it, of what is remembered; answered with the folder and the files in it."""
    run = needed(session)
    stem = "untitled" if session.file is None else session.file.stem
    folder = session.workspace.file(f"{stem} run")
    make_folder(folder)
    for there in folder.iterdir():
        session.workspace.inside(there)
    files = [session.workspace.said(k) for k in write_run(run.trace.run(), folder)]
    return {"folder": session.workspace.said(folder), "files": files, "since": float(run.trace.rows[0, 0])}


def needed(session: Session) -> Running:
    run = running(session)
    if run is None:
        raise ValueError("there is no machine here: no free parts with joints, and no ropes")
    return run


# ---- the scene -------------------------------------------------------------------------------------------------------


def machine_info(session: Session) -> MachineInfo | None:
    run = running(session)
    if run is None:
        return None
    machine, scene = run.machine, run.machine.scene
    joints = [axis_info(machine, scene.joint(name)) for name in machine.joints]
    loose = [k.name for k in scene.parts if machine.moves(k.name)]
    return MachineInfo([rope_info(machine, k) for k in scene.ropes], joints, loose, weight(machine))


def weight(machine: TheMachine) -> float:
    """N; without gravity what it would weigh on the ground."""
    return machine.mass * (float(np.linalg.norm(machine.scene.gravity)) or 9.81)


def rope_info(machine: TheMachine, rope: Rope) -> RopeInfo:
    factor = rope.limits.safety_factor if rope.limits is not None else None
    allowed = None if rope.breaking_force is None else rope.breaking_force / (factor or 1.0)
    links = [LinkInfo(k.on, k.kind, True) for k in rope.path]
    links += [LinkInfo(part, "rolling", False) for part in machine.rope(rope.name).parts[len(links) :]]
    return RopeInfo(rope.name, rope.diameter, rope.closed, links, rope.breaking_force, allowed)


def axis_info(machine: TheMachine, joint: Joint) -> AxisInfo:
    low, high = joint.limits if joint.range is not None else (None, None)
    drive, value, most = described_drive(joint)
    x, y, z = joint.axis or (0.0, 0.0, 1.0)
    turns = joint.kind == "hinge"
    usual = {
        "speed": 3.0 if turns else 0.1 * machine.size,
        "torque": weight(machine) * (0.05 * machine.size if turns else 1.0),
        "tension": weight(machine),
    }
    reach = {kind: nice_above(max(2.0 * abs(value) if kind == drive else 0.0, k)) for kind, k in usual.items()}
    parent = machine.scene.part(joint.part).parent
    winch = joint.name in machine.winches
    return AxisInfo(
        joint.name, joint.part, joint.kind, parent, joint.origin, (x, y, z), low, high, winch, drive, value, most, reach
    )


def nice_above(value: float) -> float:
    """1, 2 or 5 times a power of ten, at or above."""
    decade = 10.0 ** math.floor(math.log10(value))
    return next(k * decade for k in (1.0, 2.0, 5.0, 10.0) if k * decade >= 0.999 * value)


def described_drive(joint: Joint) -> tuple[Drive, float, float | None]:
    """As the scene has it."""
    motor = joint.motor
    if motor is None:
        return "off", 0.0, None
    if motor.tension is not None:
        return "tension", motor.tension, None
    if motor.speed is not None:
        return "speed", motor.speed, motor.torque
    return "torque", motor.torque or 0.0, None


# ---- frames ----------------------------------------------------------------------------------------------------------


def rope_strands(session: Session) -> tuple[list[RopeStrand], list[tuple[Array, ...]]]:
    """Headers and numbers of all ropes."""
    run = running(session)
    if run is None:
        return [], []
    strands: list[RopeStrand] = []
    arrays: list[tuple[Array, ...]] = []
    for rope in run.machine.scene.ropes:
        reading = run.shown.rope(rope.name)
        positions, tension, spans = rope_numbers(session.simulation.rope_lines.pieces(rope.name), rope, reading)
        strands.append(RopeStrand(rope.name, len(positions), len(spans), reading.broke is not None))
        arrays.append((positions, tension, spans))
    return strands, arrays


def rope_numbers(lines: Iterable[Piece], rope: Rope, reading: RopeReading) -> tuple[Array, Array, Array]:
    """As `RopeStrand` says; between spans, on a wheel, the tension goes over from one to the other."""
    slack = slackness(reading)
    number = {int(link): k for k, link in enumerate(reading.leaves)}
    pieces = list(lines)
    points: list[Array] = []
    values: list[Array] = []
    spans: list[tuple[float, float, float, float, float]] = []
    count = 0
    for piece in pieces:
        n = len(piece.points)
        k = number.get(piece.link)
        if piece.span and k is not None:
            value = math.nan if slack[k] > 0.0 else float(reading.tension[k])
            values.append(np.full(n, value))
            spans.append((piece.link, count, n, float(reading.tension[k]), float(slack[k])))
        else:
            values.append(np.full(n, math.nan))
        points.append(piece.points)
        count += n
    for k, piece in enumerate(pieces):
        if not piece.span:
            around = pieces[k - 1] if k > 0 or rope.closed else None
            before = math.nan if around is None or not around.span else values[k - 1][-1]
            after = values[k + 1][0] if k + 1 < len(pieces) and pieces[k + 1].span else math.nan
            ends = [v for v in (before, after) if not math.isnan(v)]
            if ends:
                values[k] = np.linspace(ends[0], ends[-1], len(piece.points))
    if not pieces:
        return np.zeros((0, 3)), np.zeros(0), np.zeros((0, 5))
    return np.concatenate(points), np.concatenate(values), np.array(spans, dtype=float).reshape(-1, 5)


def slackness(reading: RopeReading) -> Array:
    """(spans,) by how much each is longer than its way, m; 0 where it pulls."""
    over = reading.rest - reading.length
    return np.where((reading.tension <= 0.0) & (over > SLACK * reading.length), over, 0.0)


# ---- read-outs -------------------------------------------------------------------------------------------------------


def machine_values(session: Session) -> Machine | None:
    run = running(session)
    if run is None:
        return None
    machine = run.machine
    rows = run.trace.rows
    return Machine(
        machine.time,
        float(rows[0, 0]) if len(rows) else machine.time,
        machine.energy,
        machine.kinetic_energy,
        [rope_value(rope, run.shown.rope(rope.name)) for rope in machine.scene.ropes],
        [axis_value(run, name) for name in machine.joints],
        [series(run, key) for key in session.watched if run.trace.knows(key)],
    )


def rope_value(rope: Rope, now: RopeReading) -> RopeValue:
    slack = slackness(now) > 0.0
    spans = [
        SpanValue(int(link), int(to), float(tension), float(length), float(rest), bool(is_slack))
        for link, to, tension, length, rest, is_slack in zip(
            now.leaves, now.arrives, now.tension, now.length, now.rest, slack, strict=True
        )
    ]
    stored = [float(s) if on else None for s, on in zip(now.stored, now.active, strict=True)]
    broke = "" if now.broke is None else str(now.broke)
    return RopeValue(rope.name, now.total, broke, spans, stored, now.turns.tolist(), now.fleet.tolist())


def axis_value(run: Running, name: str) -> AxisValue:
    reading, motor = run.machine.joint(name), run.machine.motor(name)
    torque = run.shown.joint(name).torque
    drive: Drive
    if motor.speed is not None:
        drive, setting, most = "speed", motor.speed, motor.torque
    elif motor.torque is None:
        drive, setting, most = "off", 0.0, None
    elif motor.tension is not None and name not in run.by_torque:
        drive, setting, most = "tension", motor.tension, None
    else:
        drive, setting, most = "torque", motor.torque, None
    return AxisValue(name, reading.value, reading.speed, torque, drive, setting, most)


def series(run: Running, key: str) -> Series:
    times, values = thinned(run.trace.column("time"), run.trace.column(key), MOST_POINTS)
    return Series(key, [round(float(t), 4) for t in times], [float(f"{v:.6g}") for v in values])


def rope_check_values(session: Session) -> list[CheckValue]:
    """The worst of each rule since the start, as `lissom run` tells it."""
    run = running(session)
    found: list[CheckValue] = []
    for check in [] if run is None else run.trace.checks:
        value = None if check.value is None or not math.isfinite(check.value) else check.value
        text = check.rule.replace("_", " ") + (f" on {check.part}" if check.part else "")
        ok = bool(check.ok) or check.ok is None
        found.append(CheckValue(check.cable, check.rule, text, check.limit, value, check.unit, None, None, ok))
    return found


ACTS = {
    Play: Act(play),
    Advance: Act(advance),
    Rewind: Act(rewind, lambda k: "reset to the start"),
    Pace: Act(pace),
    SetMotor: Act(set_motor),
    FindRest: Act(find_the_rest, lambda k: "find rest"),
    Watch: Act(watch),
    ExportRun: Act(export_run),
}
