"""What there is to see: frames many times per second, and read-outs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom.analysis.along import Along, regions
from lissom.analysis.report import Findings, findings
from lissom.analysis.stress import bending_stress
from lissom.reports import SolveError
from lissom.rods.line import NO_DIRECTION
from lissom.rods.result import CableResult
from lissom.session import wire
from lissom.session.desk import Shapes
from lissom.session.leading import stands
from lissom.session.machines import rope_check_values, rope_strands
from lissom.session.measuring import closest, measure, triple
from lissom.session.messages.motion import Playhead
from lissom.session.messages.snapshots import (
    Body,
    CableValues,
    CheckValue,
    ContactValue,
    Curves,
    Deviation,
    Frame,
    Reaction,
    Readouts,
    Strand,
)
from lissom.session.messages.values import Quantity, Vec3
from lissom.session.running import clock, held_now
from lissom.simulation import Simulation

if TYPE_CHECKING:
    from lissom.session.session import Session

Array = NDArray[np.float64]

STRAIGHT = 1e4
"""m: a larger bend radius is straight."""


def frame(session: Session) -> bytes:
    """The present shapes."""
    simulation, report = session.simulation, session.report
    session.frames += 1
    session.changed = False
    strands: list[Strand] = []
    arrays: list[tuple[Array, ...]] = []
    bodies: list[Body] = []
    for name in simulation.cables:
        for support in simulation.supports(name):
            turn = None if support.direction == NO_DIRECTION else support.quaternion
            bodies.append(Body(f"{name}/{support.name}", support.position, turn))
        try:
            result = simulation.cable(name)
        except SolveError:
            continue
        strands.append(
            Strand(name, len(result.s), result.length, min(result.min_bend_radius, STRAIGHT), result.min_bend_radius_at)
        )
        arrays.append((result.positions, result.quaternions, along(session, name, result, session.desk.colour)))
    for name in simulation.bodies:
        bodies.append(Body(name, *simulation.pose(name)))
    ropes, numbers = rope_strands(session)
    if session.grabbed is not None and session.grabbed.hold is not None and session.held is not None:
        session.held = held_now(session, session.grabbed.hold, session.held.wanted)
    header = Frame(
        session.frames,
        report.seconds,
        report.status,
        report.reason,
        session.desk.colour,
        strands,
        bodies,
        session.held,
        {name: list(k) if isinstance(k, tuple) else [k] for name, k in simulation.joints.items()},
        Playhead(session.stand.motion, session.stand.time) if session.stand is not None and stands(session) else None,
        session.stopped,
        ropes,
        clock(session),
    )
    return wire.frame_bytes(header, [*arrays, *numbers])


def shapes(session: Session) -> Shapes:
    """Of every cable that has one."""
    found: Shapes = {}
    for name in session.simulation.cables:
        try:
            result = session.simulation.cable(name)
        except SolveError:
            continue
        positions, quaternions = result.positions.tolist(), result.quaternions.tolist()
        found[name] = ([(x, y, z) for x, y, z in positions], [(w, x, y, z) for w, x, y, z in quaternions])
    return found


def along(session: Session, name: str, result: CableResult, quantity: Quantity) -> Array:
    """A quantity at the points of a cable, SI."""
    if quantity == "bend_radius":
        return np.minimum(result.bend_radius, STRAIGHT)
    if quantity == "curvature":
        return np.minimum(result.curvature, 1.0 / 1e-6)
    if quantity == "torsion":
        return result.torsion
    if quantity == "tension":
        return result.tension
    if quantity == "stress":
        return at_points(bending_stress(Along(session.simulation.scene, result)))
    if quantity == "contact":
        return pressed(session.simulation, name, result)
    if quantity == "clearance":
        return np.minimum(session.simulation.clearance_along(name), STRAIGHT)
    return np.zeros(len(result.s))


def at_points(values: Array) -> Array:
    """The larger of both sides; a stress that is not known is none."""
    found = np.zeros(len(values) + 1)
    np.maximum.at(found, np.arange(len(values)), np.nan_to_num(values[:, 0]))
    np.maximum.at(found, np.arange(len(values)) + 1, np.nan_to_num(values[:, 1]))
    return found


def pressed(simulation: Simulation, name: str, result: CableResult) -> Array:
    """N per point: the size of the contact forces nearest to it."""
    found = np.zeros(len(result.s))
    for contact in simulation.contacts:
        if contact.cable == name:
            found[int(np.argmin(np.abs(result.s - contact.place)))] += float(np.linalg.norm(contact.force))
    return found


def readouts(session: Session) -> Readouts:
    """Everything that is read off the shapes."""
    simulation = session.simulation
    if not simulation.cables:  # of a machine: nothing is asked that takes long while it plays
        measures = [measure(session, k) for k in session.desk.measures if are_there(session, k.a.path, k.b.path)]
        checks_of_ropes = rope_check_values(session)
        status, reason = session.report.status, session.report.reason
        return Readouts(session.frames, status, reason, [], checks_of_ropes, [], [], measures, [], None)
    found = findings(simulation, session.report)
    return Readouts(
        session.frames,
        session.report.status,
        session.report.reason,
        values_of(found),
        [*checks(found), *rope_check_values(session)],
        reactions(found),
        [ContactValue(k.cable or k.body or "", k.part, k.at, triple(k.point), triple(k.force)) for k in found.contacts],
        [measure(session, k) for k in session.desk.measures if are_there(session, k.a.path, k.b.path)],
        [deviation(session, k.name, k.cable, k.points) for k in session.desk.points if are_there(session, k.cable)],
        curves(session, found),
        list(found.notes),
    )


def are_there(session: Session, *names: str) -> bool:
    """Whether what is measured is there, and has a shape: it may have been removed."""
    simulation = session.simulation
    return all(
        not name or name in simulation.bodies or (name in simulation.cables and simulation.has_shape(name))
        for name in names
    )


def cable_values(session: Session) -> list[CableValues]:
    return values_of(findings(session.simulation, session.report))


def values_of(found: Findings) -> list[CableValues]:
    values: list[CableValues] = []
    for name, result in found.cables.items():
        if result is None:
            continue
        report = found.report.cables.get(name)
        near = min((k for k in found.clearances if k.cable == name), key=lambda k: k.distance, default=None)
        values.append(
            CableValues(
                name,
                report.status if report is not None else found.report.status,
                result.length,
                min(result.min_bend_radius, STRAIGHT),
                result.min_bend_radius_at,
                float(np.max(result.tension)),
                result.total_torsion,
                None if near is None else near.distance,
                "" if near is None else near.part,
                result.residual,
                report.penetration if report is not None else 0.0,
                weight(found, name),
                0 if report is None else report.level,
            )
        )
    return values


def weight(found: Findings, name: str) -> float:
    """N."""
    size = float(np.linalg.norm(found.scene.gravity))
    return size * sum(k.section.mass_per_length * (k.end - k.start) for k in regions(found.scene, name))


def checks(found: Findings) -> list[CheckValue]:
    from lissom.session.moving import place_on

    values: list[CheckValue] = []
    for check in found.checks:
        result = found.cables.get(check.cable)
        point = None if result is None or check.at is None else place_on(result, check.at)
        value = None if check.value is None or not math.isfinite(check.value) else check.value
        text = check.rule.replace("_", " ") + (f" to {check.part}" if check.part else "")
        ok = result is not None and check.ok is not False  # without a shape nothing is known to be right
        values.append(CheckValue(check.cable, check.rule, text, check.limit, value, check.unit, check.at, point, ok))
    return values


def reactions(found: Findings) -> list[Reaction]:
    values: list[Reaction] = []
    for name, result in found.cables.items():
        if result is None:
            continue
        for support, wrench in result.reactions.items():
            point = int(np.argmin(np.abs(result.s - result.places[support] * result.length)))
            values.append(
                Reaction(
                    f"{name}/{support}", triple(result.positions[point]), triple(wrench.force), triple(wrench.moment)
                )
            )
    return values


def deviation(session: Session, name: str, cable: str, points: list[Vec3]) -> Deviation:
    """Of each point from the centre line."""
    positions = session.simulation.cable(cable).positions
    gaps = [float(np.linalg.norm(np.subtract(*closest(np.array([p]), positions)))) for p in points]
    return Deviation(name, float(np.mean(gaps)), float(np.max(gaps)))


def curves(session: Session, found: Findings) -> Curves | None:
    result = found.cables.get(session.plotted) if session.plotted is not None else None
    if result is None:
        return None
    limits = found.scene.type_of(result.name).limits
    radius = None if limits is None else limits.bend_radius
    moment = np.linalg.norm(result.moment, axis=1)
    return Curves(
        result.name,
        result.s.tolist(),
        result.curvature.tolist(),
        result.torsion.tolist(),
        result.tension.tolist(),
        moment.tolist(),
        None if not radius else 1.0 / radius,
    )
