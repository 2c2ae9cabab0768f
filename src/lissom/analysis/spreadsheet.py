"""Tables for spreadsheets, SI units in the header: a solved cable, one row per point; and contacts, one row each.

Numbers are written so that they read back exactly; a cell is empty where a value does not exist (the bend
radius of a straight piece, the stress of a measured stiffness). Where a support or load acts, n and m are
those just after the point, and the columns "before" those just before it.
"""

import csv
import io
from collections.abc import Iterable

import numpy as np

from lissom.analysis.along import Along, Array
from lissom.analysis.contacts import other_at
from lissom.analysis.stress import at_points, bending_stress
from lissom.rods.describing import Contact
from lissom.rods.result import CableResult
from lissom.scene import Scene


def columns(scene: Scene, result: CableResult) -> dict[str, Array]:
    """The columns by their headings, each (points,)."""
    table: dict[str, Array] = {"s [m]": result.s, "at [1]": result.s / result.length}
    add(table, ("x [m]", "y [m]", "z [m]"), result.positions)
    add(table, ("qw [1]", "qx [1]", "qy [1]", "qz [1]"), result.quaternions)
    add(table, ("curvature 1 [1/m]", "curvature 2 [1/m]", "torsion [1/m]"), result.strains)
    table["curvature [1/m]"] = result.curvature
    table["bend radius [m]"] = result.bend_radius
    table["frenet torsion [1/m]"] = result.frenet_torsion
    table["material angle [rad]"] = result.material_angle
    table["tension [N]"] = result.tension
    table["bending stress [Pa]"] = at_points(bending_stress(Along(scene, result)))
    for name, unit, after, before in (
        ("n", "N", result.force, result.force_before),
        ("m", "N m", result.moment, result.moment_before),
    ):
        add(table, [f"{name}{axis} [{unit}]" for axis in "xyz"], after)
        add(table, [f"{name}{axis} before [{unit}]" for axis in "xyz"], before)
    return table


def add(table: dict[str, Array], names: tuple[str, ...] | list[str], values: Array) -> None:
    for k, name in enumerate(names):
        table[name] = values[:, k]


def csv_text(scene: Scene, result: CableResult) -> str:
    """The whole file."""
    table = columns(scene, result)
    lines = [",".join(table)]
    for row in np.column_stack(list(table.values())):
        lines.append(",".join(repr(float(v)) if np.isfinite(v) else "" for v in row))
    return "\n".join(lines) + "\n"


CONTACT_HEADINGS = (
    *("cable", "at [1]", "place [m]", "part", "other at [1]", "x [m]", "y [m]", "z [m]"),
    *("normal x [1]", "normal y [1]", "normal z [1]", "Fx [N]", "Fy [N]", "Fz [N]", "pressure [N]", "body"),
)


def contacts_csv(scene: Scene, contacts: Iterable[Contact]) -> str:
    """The whole file of contacts; F is the force on the cable, friction included; where there is none, on the body."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")  # quotes names with commas
    writer.writerow(CONTACT_HEADINGS)
    for contact in contacts:
        other = other_at(scene, contact)
        row: list[float] = [*contact.point, *contact.normal, *contact.force, contact.pressure]
        lies = contact.body is None
        where = [
            contact.cable,
            repr(contact.at) if lies else "",
            repr(contact.place) if lies else "",
            contact.part,
            "" if other is None else repr(other),
        ]
        writer.writerow([*where, *(repr(float(v)) for v in row), contact.body or ""])
    return stream.getvalue()
