"""The desk: what is hidden, kept views, measures, variants, measured points."""

from __future__ import annotations

import csv
import math
from dataclasses import replace

from lissom.scene.part import MESH_UNITS
from lissom.session.desk import Desk, Variant, variant_scenes
from lissom.session.measuring import measure_text
from lissom.session.messages.commands import (
    AddMeasure,
    AddPoints,
    Arrange,
    Colour,
    KeepVariant,
    KeepView,
    Plot,
    RemoveMeasure,
    RemovePoints,
    RemoveVariant,
    RemoveView,
    SetUnit,
    ShowVariant,
    TakeVariant,
)
from lissom.session.messages.events import MeasureInfo, PointsInfo
from lissom.session.messages.values import Json, Vec3
from lissom.session.session import Act, Session
from lissom.session.shapes import cable_values, shapes

MOST_POINTS = 100_000


def arrange(session: Session, command: Arrange) -> Json:
    given = {key: getattr(command, key) for key in ("hidden", "locked", "transparent")}
    changes: dict[str, object] = {key: tuple(value) for key, value in given.items() if value is not None}
    if command.groups is not None:
        changes["groups"] = command.groups
    session.arrange(**changes)
    return None


def keep_view(session: Session, command: KeepView) -> Json:
    others = tuple(k for k in session.desk.views if k.name != command.view.name)
    session.arrange(views=(*others, command.view))
    return None


def remove_view(session: Session, command: RemoveView) -> Json:
    session.arrange(views=tuple(k for k in session.desk.views if k.name != command.name))
    return None


def set_unit(session: Session, command: SetUnit) -> Json:
    session.arrange(unit=command.unit)
    session.changed = True  # the page says the reason again, in this unit
    return None


def colour(session: Session, command: Colour) -> Json:
    session.arrange(colour=command.quantity)
    session.changed = True
    return None


def plot(session: Session, command: Plot) -> Json:
    if command.cable is not None:
        session.simulation.scene.cable(command.cable)  # raises where there is none
    session.plotted = command.cable
    session.changed = True
    return None


def add_measure(session: Session, command: AddMeasure) -> Json:
    number = 1 + max((k.number for k in session.desk.measures), default=0)
    found = MeasureInfo(number, command.a, command.b, measure_text(command.a, command.b))
    session.arrange(measures=(*session.desk.measures, found))
    session.changed = True
    return number


def remove_measure(session: Session, command: RemoveMeasure) -> Json:
    session.arrange(measures=tuple(k for k in session.desk.measures if k.number != command.number))
    return None


def keep_variant(session: Session, command: KeepVariant) -> Json:
    name = command.name.strip()
    if not name:
        raise ValueError("variant: needs a name")
    simulation = session.simulation
    state = simulation.state_arrays() if session.report.ok else None
    kept = Variant(name, simulation.scene, shapes(session), tuple(cable_values(session)), state=state)
    session.arrange(variants=(*others(session.desk, name), kept))
    return None


def remove_variant(session: Session, command: RemoveVariant) -> Json:
    variant(session.desk, command.name)
    session.arrange(variants=others(session.desk, command.name))
    return None


def show_variant(session: Session, command: ShowVariant) -> Json:
    variant(session.desk, command.name)
    session.arrange(
        variants=tuple(replace(k, shown=command.shown) if k.name == command.name else k for k in session.desk.variants)
    )
    return None


def take_variant(session: Session, command: TakeVariant) -> Json:
    """Its scene and its shape."""
    kept, simulation = variant(session.desk, command.name), session.simulation
    if kept.state is not None:
        simulation.replace_scene(simulation.scene._again(kept.scene.to_dict()))
        simulation.take_arrays(kept.state)
        session.report = simulation.solve()
        return None
    for scene, cold in variant_scenes(kept, simulation.scene):
        simulation.replace_scene(scene)
        session.report = simulation.solve(cold=cold)
    return None


def variant(desk: Desk, name: str) -> Variant:
    found = next((k for k in desk.variants if k.name == name), None)
    if found is None:
        raise ValueError(f"variant {name!r:.60}: there is none of this name")
    return found


def others(desk: Desk, name: str) -> tuple[Variant, ...]:
    return tuple(k for k in desk.variants if k.name != name)


def add_points(session: Session, command: AddPoints) -> Json:
    session.simulation.scene.cable(command.cable)
    points = read_points(command.text, MESH_UNITS[command.units])
    kept = tuple(k for k in session.desk.points if k.name != command.name)
    session.arrange(points=(*kept, PointsInfo(command.name, command.cable, points)))
    session.changed = True
    return len(points)


def read_points(text: str, scale: float) -> list[Vec3]:
    """x, y, z per line; commas, semicolons or tabs; a heading is passed over."""
    dialect = next((k for k in (";", "\t") if k in text[:2000]), ",")  # with them, a comma is a decimal point
    points: list[Vec3] = []
    for number, row in enumerate(csv.reader(text.splitlines(), delimiter=dialect), start=1):
        cells = [k.strip() for k in row if k.strip()]
        if not cells:
            continue
        try:
            x, y, z = (scale * float(k.replace(",", ".")) for k in cells[:3])
        except ValueError:
            if number == 1:
                continue
            raise ValueError(f"line {number}: {','.join(cells)!r:.60}: must be three numbers x, y, z") from None
        if not math.isfinite(x + y + z):
            raise ValueError(f"line {number}: every number must be finite")
        points.append((x, y, z))
    if not 0 < len(points) <= MOST_POINTS:
        raise ValueError(f"{len(points)} points: must be from 1 to {MOST_POINTS}")
    return points


def remove_points(session: Session, command: RemovePoints) -> Json:
    session.arrange(points=tuple(k for k in session.desk.points if k.name != command.name))
    return None


ACTS = {
    Arrange: Act(arrange, lambda k: "arrange the tree"),
    KeepView: Act(keep_view, lambda k: f"keep view {k.view.name}"),
    RemoveView: Act(remove_view, lambda k: f"remove view {k.name}"),
    SetUnit: Act(set_unit),
    Colour: Act(colour),
    Plot: Act(plot),
    AddMeasure: Act(add_measure, lambda k: "measure"),
    RemoveMeasure: Act(remove_measure, lambda k: "remove measure"),
    KeepVariant: Act(keep_variant, lambda k: f"keep variant {k.name}"),
    RemoveVariant: Act(remove_variant, lambda k: f"remove variant {k.name}"),
    ShowVariant: Act(show_variant),
    TakeVariant: Act(take_variant, lambda k: f"take variant {k.name}"),
    AddPoints: Act(add_points, lambda k: f"measured points {k.name}"),
    RemovePoints: Act(remove_points, lambda k: f"remove points {k.name}"),
}
